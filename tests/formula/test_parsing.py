"""Syntax of formulas: precedence, ignored spans, and errors at their position."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from inexmetrics import FormulaError, agreement, jury, keep_first, parse, scores
from inexmetrics.formula.parsing import DEEPEST, LONGEST, Argument, Call, Literal, Operation, Several, Word, syntax_of
from inexmetrics.terms.term import Term

NOWHERE = (0, 0)


def word(text: str) -> Word:
    return Word(text, NOWHERE)


def number(value: float) -> Literal:
    return Literal(value, NOWHERE)


def joined(operator: str, *operands: Word | Literal | Operation | Call | Several) -> Operation:
    return Operation(operator, operands, NOWHERE)


def call(name: str, *arguments: Argument) -> Call:
    return Call(word(name), arguments, NOWHERE)


def given(value: Word | Literal | Operation | Call | Several, name: str | None = None) -> Argument:
    return Argument(name, value, NOWHERE)


def test_at_binds_tighter_than_plus_than_tilde_than_bar() -> None:
    assert syntax_of("a + b@2 ~ c + d | e") == joined(
        "|", joined("~", joined("+", word("a"), joined("@", word("b"), number(2))), joined("+", word("c"), word("d"))), word("e")
    )


def test_plus_joins_any_number_on_one_level() -> None:
    assert syntax_of("a + b + c + d") == joined("+", word("a"), word("b"), word("c"), word("d"))
    assert syntax_of("a + (b + c)") == joined("+", word("a"), joined("+", word("b"), word("c")))


def test_parameters_come_before_the_cut() -> None:
    assert syntax_of('f(task="focused")@10') == joined("@", call("f", given(Literal("focused", NOWHERE), "task")), number(10))


def test_parentheses_group_and_a_comma_lists() -> None:
    assert syntax_of("(a)") == word("a")
    assert syntax_of("(a,)") == Several((word("a"),), NOWHERE)
    assert syntax_of("(a, b)") == Several((word("a"), word("b")), NOWHERE)


def test_arguments_by_position_then_by_name_with_a_comma_at_the_end() -> None:
    assert syntax_of("f(a, 0.5, x=1e3,)") == call("f", given(word("a")), given(number(0.5)), given(number(1000.0), "x"))
    assert syntax_of("f()") == call("f")


def test_either_quote_and_escapes() -> None:
    assert syntax_of("'run \"1\"'") == Literal('run "1"', NOWHERE)
    assert syntax_of(r'"a \"b\" \\ c"') == Literal('a "b" \\ c', NOWHERE)


def test_white_space_does_not_count_and_spans_do_not_either() -> None:
    assert syntax_of("  f( a,\n\tb )  ") == syntax_of("f(a,b)")


@pytest.mark.parametrize(
    ("marked", "message"),
    [  # ⟨ and ⟩ stand around what the caret must mark
        ("a ~⟨⟩", "expected a word, a number, a quoted text or '(', found the end of the formula"),
        ("a b⟨⟩".replace("b⟨⟩", "⟨b⟩"), "expected an operator or the end of the formula, found 'b'"),
        ("f(a⟨⟩", "expected ')' for the '(' at character 2, found the end of the formula"),
        ("f(a ⟨b⟩)", "expected ',' or ')', found 'b'"),
        ("a ⟨*⟩ b", "unknown character '*'"),
        ("a ⟨-⟩ b", "'-' is reserved for future use"),
        ("a ⟨:⟩ b", "':' is reserved for future use"),
        ("⟨a ~ b ~ c⟩", "expected one '~', found 2"),
        ("⟨a@1@2⟩", "expected one '@', found 2"),
        ("f(x=1, ⟨x⟩=2)", "x= is written twice"),
        ("f(x=1, ⟨b⟩)", "expected name=value, because an earlier parameter was given by name, found 'b'"),
        ("⟨1e999⟩", "expected a finite number, found '1e999'"),
        ('f(⟨"⟩abc)', "expected a closing quote, found the end of the line"),
        ("a ⟨,⟩ b", "expected an operator or the end of the formula, found ','"),
        ("a + ⟨+⟩ b", "expected a word, a number, a quoted text or '(', found '+'"),
        ("\x00".join(("a ⟨", "⟩")), "unknown character number 0"),
    ],
)
def test_errors_are_shown_where_they_are(marked: str, message: str) -> None:
    source = marked.replace("⟨", "").replace("⟩", "")
    with pytest.raises(FormulaError) as caught:
        syntax_of(source)
    start, end = marked.index("⟨"), marked.index("⟩") - 1
    assert caught.value.message == message
    assert (caught.value.start, caught.value.end) == (start, max(end, start + 1))


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("nxCG[25]", "write nxCG@25"),
        ("nxCG [ 25 ]", "write nxCG@25"),
        ("nxCG[x]", "a cutoff is written with @, as in nxCG@25"),
        ("versus(“run1”, MAP)", "write straight quotes: \"name\" or 'name'"),
        ("", "try scores(MAP)"),
        ("BH(alpha=-0.1)", "no parameter takes a negative number"),
    ],
)
def test_hints(source: str, hint: str) -> None:
    with pytest.raises(FormulaError) as caught:
        syntax_of(source)
    assert caught.value.hint == hint


def test_the_caret_stands_under_the_error() -> None:
    with pytest.raises(FormulaError) as caught:
        syntax_of("scores(\n  MAep ~ ,\n)")
    assert str(caught.value).splitlines() == [
        "expected a word, a number, a quoted text or '(', found ','",
        "      MAep ~ ,",
        "             ^",
    ]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("(" * 3000, f"expected at most {DEEPEST} levels of nested parentheses, found more"),
        ("f(" * 3000, f"expected at most {DEEPEST} levels of nested parentheses, found more"),
        ("9" * 5000, "expected a number of at most 30 digits, found 5000"),
        ("a" * (LONGEST + 1), f"expected a formula of at most {LONGEST} characters, found {LONGEST + 1}"),
    ],
)
def test_no_size_exhausts_anything(source: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        syntax_of(source)
    assert caught.value.message == message
    assert max(map(len, str(caught.value).splitlines())) < 200


@pytest.mark.parametrize("source", ["P@" + "0" * 4300 + "1", "P@" + "0" * 90_000 + "1"])
def test_zeros_before_a_number_say_nothing(source: str) -> None:
    assert syntax_of(source) == syntax_of("P@1")
    assert syntax_of("0" * 5000) == number(0)


def test_a_bracket_after_a_long_word_is_refused_at_once() -> None:
    begun = time.process_time()
    with pytest.raises(FormulaError, match="unknown character"):
        syntax_of("x" * 99_000 + ")[")
    assert time.process_time() - begun < 2


def test_a_long_sum_is_no_deep_one() -> None:
    node = syntax_of(" + ".join(["a"] * 20_000))
    assert isinstance(node, Operation)
    assert len(node.operands) == 20_000


def test_parentheses_side_by_side_are_not_inside_each_other() -> None:
    node = syntax_of(" + ".join(["(a)"] * (DEEPEST + 5)))
    assert isinstance(node, Operation)


@pytest.mark.parametrize(
    ("text", "made"),
    [("agreement(MAep ~ BinExh + Gen5)", agreement), ("keep_first(3)", keep_first), ('jury("ann", "bob")', jury), ("scores(MAP)", scores)],
)
def test_the_function_that_makes_a_term_stands_for_its_class(text: str, made: Callable[..., Term]) -> None:
    assert parse(text, made) == parse(text)
    with pytest.raises(FormulaError, match=r"^expected "):
        parse("MAP", made)
