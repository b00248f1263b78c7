"""Hints of formulas show code that works when it is copied: every fault of a sweep, and the code in its hint."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from inexmetrics import MAP, Experiment, FormulaError, assessor, judges, parse, power, scores
from inexmetrics.cli.parsers import parser_of
from inexmetrics.formula.hints import ELSEWHERE, OTHERWISE
from inexmetrics.terms.lexicon import lexicon
from tests.examples import EXAMPLES
from tests.faults.matrix import MESSAGES
from tests.formula.test_binding import MARKED
from tests.fuzz.formulas import TOKEN

LEAD = re.compile(r"(?:did you mean|write|as in|try|one of|joined by \+:) (?!straight|last)")
"""The words before code."""
PROSE = re.compile(
    r"(?:\?$|; | alone$| without quotes$| for one$|,? or omit |, (?=and |or |quantisations,)| \(in a | (?:computes?|compares|is|has|have) ).*"
)
"""The words after code."""
VALUES = ("1", "0.5", '"x"', "x", "MAP", "MAep", "Gen5", "t", "BH", "nDCG", "None", "false", '"t"', '"two"', "(1, 2)", "[", "P 10")


def faults() -> Iterator[str]:
    """Yields faulty formulas: of each experiment, with each word and number replaced or omitted; and of each word, with other arguments."""
    yield from (marked.replace("⟨", "").replace("⟩", "") for marked, *_ in MARKED)
    yield from ("versus(MAP | t)", 'disagreement("a", P@5 ~ assessor("a") + assessor("b"))', "disagreement(RR)", "versus(measure=RR)")
    yield from ('design(MAP ~ assessor("a") + assessor("b"), truth=1, cost=3)', "design(RR, truth=1, cost=(1, 2))", "agreement()")
    yield from ("agreement(Gen5, BinExh, measure=MAep, fresh=True)", "agreement(MAep ~ Gen5 + topics(7, Strict5), draws=2, fresh=True)")
    yield from (f"scores({name})" for name in (*ELSEWHERE, *OTHERWISE, "gini", "asessor", "assesor"))
    for word in lexicon.entries:  # misspelt, where a term of any kind is expected
        yield from (f"{word}x", f"scores({word}x)", f"scores(MAP ~ {word}x)", f"significance(MAP | {word}x)")
    for formula, *_ in EXAMPLES.values():
        tokens = TOKEN.findall(formula)
        for place, token in enumerate(tokens):
            if token.strip("= "):
                for other in ("", *VALUES, token.lower(), token.upper(), f'"{token}"', ",", "|", "~"):
                    yield "".join([*tokens[:place], other, *tokens[place + 1 :]])
    for word in lexicon.entries.keys() - {"jury"}:  # needs two names
        yield from (word, *(f"{word}({value})" for value in ("", *VALUES)))


def codes(hint: str) -> list[str]:
    """Returns the code that a hint shows."""
    if hint in OTHERWISE.values():
        return re.findall(r"\b\w+(?:\((?:[^()]|\([^()]*\))*\)|@\d+)", hint)
    begins = [place.end() for place in LEAD.finditer(hint)]
    found = [PROSE.sub("", hint[begin:end].strip(" ,;")) for begin, end in pairwise([*begins, len(hint)])]
    return [re.sub(r"(, quantisations| or assessors|, or assessors)?,? (write|as in)$", "", code) for code in found]


def works(code: str, source: str, error: FormulaError) -> bool:
    """Returns whether code is a formula, alone or in an experiment, or makes the formula valid, or valid until a place further right."""
    start, end = error.start, error.end
    if code in ("True", "False"):
        return True
    code = code.replace("@k", "@10")
    word = re.match(r"\w*", source.strip())
    inside = re.sub(r"^\w+(?==)", code, source[start:end]) if code.isidentifier() and "=" in source[start:end] else code
    named, call = re.match(r"(\w+)=", code), re.search(r"(\w+)\([^()]*$", source[:start])
    mended = [
        source[:start] + inside + source[end:],
        f"{source[:start]}, {code}{source[start:]}",
        re.sub(r"[,+]\s*$", " ", source[:start]) + code + source[end:],
        re.sub(rf"\b{named[1]}=(\([^()]*\)|[^,()]+)", code, source) if named else code,
    ]
    for formula in (
        code,
        f"scores({code})",
        f"{word and word[0]}({code})",
        f"{call and call[1]}({code})",
        f"scores(MAep ~ {code})",
        f"significance(MAP {code})",
        *mended,
    ):
        try:
            parse(formula)
        except FormulaError as another:
            if formula is mended[0] and another.start >= start + len(code):
                return True
        else:
            return True
    return False


def split(code: str) -> list[str]:
    """Returns alternatives, which commas and "or" join."""
    parts = re.split(r"""(?:, or |, | or )(?=(?:[^"']|"[^"]*"|'[^']*')*$)""", code)
    whole = [""]
    for part in parts:
        open_ = whole[-1].count("(") > whole[-1].count(")")
        whole[-1:] = [f"{whole[-1]}, {part}"] if open_ else [*whole[-1:], part]
    return whole[1:]


def test_the_code_in_every_hint_works() -> None:
    known, wrong, shown = set[tuple[str, str]](), [], 0
    for formula in faults():
        try:
            parse(formula, Experiment)
        except FormulaError as caught:
            error = caught
        else:
            continue
        kind = (re.sub(r"'[^']*'|\"[^\"]*\"|[0-9.]+", "", error.message), re.sub(r"[0-9.]+", "", error.hint or ""))
        if error.hint is None or kind in known:
            continue
        known.add(kind)
        found = codes(error.hint)
        shown += len(found)
        wrong += [
            (formula, error.message, error.hint, code)
            for code in found
            if not (works(code, formula, error) or all(works(part, formula, error) for part in split(code)))
        ]
        if not found and re.search(r"[(=\"]", error.hint):
            wrong.append((formula, error.message, error.hint, "shows code that is not found"))
    assert not wrong, "\n".join(map(str, wrong))
    assert shown > 300


@pytest.mark.parametrize("options", sorted({*re.findall(r"\((--[^,)]* [^,)]*)\)", MESSAGES.read_text())}))
def test_the_options_in_every_message_are_accepted(options: str) -> None:
    parser_of("").parse_args(["scores(MAP)", *shlex.split(options)])


@pytest.mark.parametrize(("make", "name", "default"), [(scores, "interval", "0.95"), (power, "power", "0.8"), (judges, "top", "10")])
def test_none_is_no_value_of_most_parameters(make: Callable[..., Experiment], name: str, default: str) -> None:
    truth = {"truth": assessor("b")} if make is judges else {}
    with pytest.raises(FormulaError, match=f"{name}: expected .*, found None\n  hint: omit {name} for its default, {default}$"):
        make(MAP, assessor("a") if truth else None, **truth, **{name: None})


def test_none_is_no_word() -> None:
    for formula in ("scores(MAP, interval=None)", "significance(RR, margin=None)", "scores(P@5 ~ None)"):
        with pytest.raises(FormulaError, match=r"hint: omit a parameter to use its default value$"):
            parse(formula)
