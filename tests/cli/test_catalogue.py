"""``list`` and ``explain``: every word, readable at 80 columns, with true statements only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inexmetrics import Experiment, parse
from inexmetrics.cli import main
from inexmetrics.cli.arguments import UsageError
from inexmetrics.cli.catalogue import SIGNS, SORTS, explanation, word_list
from inexmetrics.cli.parsers import COMMANDS, FORMULA, parser_of
from inexmetrics.common.schema import Table
from inexmetrics.experiments.questions import by_question
from inexmetrics.experiments.schema_of import named_tables
from inexmetrics.formula.hints import example_formula
from inexmetrics.terms.lexicon import lexicon
from inexmetrics.terms.term import parameters
from tests.every import every
from tests.examples import CORRECTIONS, own

WORDS = sorted(lexicon.entries)


def test_exceptions_are_listed_one_below_the_other() -> None:
    lines = explanation("pooled", 80).splitlines()
    raised = lines[lines.index("Raises:") + 1 :]
    assert [line.partition(":")[0] for line in raised[: raised.index("")] if not line.startswith("    ")] == [
        "  FormulaError",
        "  CollectionError",
    ]


@pytest.mark.parametrize("width", [80, 100])
def test_a_list_names_every_word_once(width: int) -> None:
    text = word_list(None, width)
    assert max(map(len, text.splitlines())) <= width
    heads = re.findall(r"^  (\w+)", text, flags=re.MULTILINE)
    assert sorted(heads) == WORDS
    assert re.findall(r"^(\w+)$", text, flags=re.MULTILINE) == list(SORTS)
    assert re.findall(r"^  ([^\s\w]) ", text, flags=re.MULTILINE) == list(SIGNS)
    assert text.endswith("\n\ninexmetrics explain WORD defines a word.")


def test_a_list_of_one_kind() -> None:
    lines = word_list("corrections", 80).splitlines()
    assert lines[0] == "corrections"
    assert [line.split()[0] for line in lines[1:] if not line.startswith("   ")] == list(CORRECTIONS)


def test_words_stand_as_they_are_written() -> None:
    text = word_list(None, 80)
    for head in ("nxCG@k", "threshold(quantisation, at)", "min_size(quantisation, n)", "MAep ", "given(name)"):
        assert f"\n  {head}" in text


@every(WORDS)
def test_an_explanation(word: str) -> None:
    text = explanation(word, 80)
    entry = lexicon.entries[word]
    assert text.startswith(f"{word}: ")
    of_text = [line for line in text.splitlines() if not line.lstrip().startswith((">>>", "...", "In ", "[", "{", word))]
    assert [line for line in of_text if len(line) > 80] == [], f"shorten these lines of the docstring of {word}"
    for name, kind in parameters(entry.sort).items():
        assert f"\n  {name}: " in text
        assert " ".join(kind.expects().split()) in " ".join(text.split())
    assert "``" not in text
    assert "\n  >>> " in text.partition("\nExamples:")[2]


def test_an_example_that_goes_on_keeps_its_prompts() -> None:
    """A continued line of code is not split, however long it is."""
    lines = explanation("judges", 80).splitlines()
    assert '  ...     "kappa", "tau", "n_judge", "n_truth", "n_both", "n_opposite", "n_overstated", "n_open"' in lines


@every(WORDS)
def test_the_formula_shown_is_one(word: str) -> None:
    formula = example_formula(lexicon.entries[word], parse)
    assert formula is not None
    assert word in formula
    assert parse(formula).category in {"experiment", "preparation"}


def test_an_explanation_in_full() -> None:
    lines = explanation("BH", 80).splitlines()
    assert lines[0] == "BH: a correction"
    assert "Parameters:" in lines
    assert "  alpha: a number above 0 and below 1 (default 0.05)" in lines
    assert "In a formula:  significance(MAep ~ Gen5 | BH)" in lines
    assert "In Python:     from inexmetrics import BH" in lines


@every(SIGNS)
def test_a_sign_is_explained_by_a_formula_that_has_it(sign: str) -> None:
    text = explanation(sign, 80)
    assert text == f"{sign}: {SIGNS[sign]}"
    assert sign in text.partition(", as in ")[2]


def test_a_parameter_is_explained_once_for_the_words_that_share_its_meaning() -> None:
    first, second = explanation("tails", 80).split("\n\ntails: ")
    assert first.splitlines()[0] == "tails: a parameter of wilcoxon, sign, t, randomisation"
    assert "tails: an integer from 1 to 2 (default 2)" in first
    assert second.splitlines()[0] == "a parameter of power"


def test_a_column_of_results_is_explained_with_its_tables() -> None:
    assert explanation("tier", 80).splitlines() == [
        "tier: a column of ranks (ranks)",
        "",
        "  tier (integer of at least 1): 1 for the run with the best mean and the runs",
        "    that are not significantly worse; 2 for the best of the other runs, and so",
        "    on",
    ]
    of_agreement, *_, of_judges = explanation("f1", 80).split("\n\nf1: ")
    assert of_agreement.startswith(
        "f1: a column of agreement (agreement), thresholds (agreement), draws (agreement)\n\n  f1 (number from 0 to 1): "
    )
    assert " ".join(of_judges.split()).endswith("null without a measure")
    assert "difference: a parameter of design\n" in explanation("difference", 80)
    assert "difference: a column of power (power), needed (power)\n" in explanation("difference", 80)


OPTIONS = sorted({
    option
    for parser in map(parser_of, (FORMULA, *COMMANDS))
    for action in parser._actions
    for option in action.option_strings
    if option.startswith("--")
})  # fmt: skip


@every(OPTIONS)
def test_every_option_is_explained_by_its_name(option: str) -> None:
    text = explanation(option.removeprefix("--"), 80)
    assert explanation(option, 80) == text
    assert f"\n  {option}" in text
    assert ": an option of inexmetrics " in text
    _, _, after = text.partition(f"\n  {option}")
    assert max(map(len, after.splitlines())) <= 80


@every(sorted({name for entry in lexicon.entries.values() for name in parameters(entry.sort)} - set(WORDS)))
def test_every_parameter_is_explained_by_its_name(name: str) -> None:
    assert f"{name}: a parameter of " in explanation(name, 80)


def test_a_setting_is_explained_with_its_values_and_its_default() -> None:
    text = " ".join(explanation("missing", 80).split())
    assert text.startswith(
        "missing: an option of inexmetrics FORMULA, inexmetrics check --missing error or drop-topics or drop-runs or zero "
        "What to do if scores are missing: error (default) "
    )
    assert "missing: an argument of scores_from " in text
    assert "(default: none)" in explanation("systems", 80)
    assert "(default: off)" in explanation("strict", 80)
    assert "executor: an argument of run\n" in explanation("executor", 80)


def test_an_option_is_explained_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--systems"]) == 0
    assert capsys.readouterr().out.startswith("systems: an option of inexmetrics FORMULA, inexmetrics check\n\n  --systems COLUMN|REGEX\n")


def test_every_command_is_listed_on_the_page_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    assert all(f"\ninexmetrics {command} " in page for command in COMMANDS)
    assert all(f"\n  inexmetrics {command} " in shown for command in COMMANDS)


def test_a_jury_takes_its_names_one_after_the_other() -> None:
    text = explanation("jury", 80)
    assert "  assessors: two or more names in quotes, with commas between them\n" in text
    assert str(parse('jury("a", "b")')) == 'jury("a", "b")'
    assert 'jury("a", "b")' in text


def test_a_preparation_is_explained_as_a_shell_and_python_take_it() -> None:
    lines = explanation("remove_overlap", 80).splitlines()
    assert lines[0] == "remove_overlap: a preparation"
    assert lines[-4:] == [
        "In a shell:    --prepare 'remove_overlap(\"child\")'",
        "In Python:     from inexmetrics import remove_overlap",
        "               remove_overlap(strategy)",
        "               remove_overlap(runs, strategy)",
    ]


@pytest.mark.parametrize("written", ["nxCG@k", "nxCG@25", 'nxCG(task="focused")@10'])
def test_a_word_is_explained_as_it_is_written(written: str) -> None:
    assert explanation(written, 80) == explanation("nxCG", 80)


def test_no_default_is_told_where_there_is_none() -> None:
    assert "  collection_size: an integer of at least 1" in explanation("inex_eval", 80).splitlines()


def test_an_unknown_word_is_guessed() -> None:
    with pytest.raises(UsageError, match=re.escape("unknown word 'maep'; did you mean MAep?")):
        explanation("maep", 80)
    with pytest.raises(
        UsageError, match=re.escape("unknown word '?'; inexmetrics list names the words, and inexmetrics --help the options")
    ):
        explanation("?", 80)


def test_experiments_are_listed_in_the_order_of_their_questions() -> None:
    words = [line.split()[0] for line in word_list("experiments", 100).splitlines() if line[:3].startswith("  ") and line[2] != " "]
    assert words == [word for asked in by_question(words).values() for word in asked]
    assert {*words} == {entry.word for entry in own(Experiment)}
    assert words[0] == "scores"


@pytest.mark.parametrize("command", ["plan", "check"])
def test_commands_are_explained_by_their_help(command: str) -> None:
    with pytest.raises(UsageError, match=f"{command} is a command, not a word of formulas; inexmetrics {command} --help all explains it"):
        explanation(command, 80)


@pytest.mark.parametrize("word", ["overstated", "open", "opposite"])
def test_a_value_of_a_column_is_explained_by_the_column(word: str) -> None:
    text = explanation(word, 100)
    assert text.startswith(f"{word}: a value of verdict in ")
    assert word in text.split("\n\n")[1]


@pytest.mark.parametrize(("word", "name", "model"), [*named_tables()])
def test_every_table_is_explained_with_the_meaning_of_its_columns(word: str, name: str, model: type[Table]) -> None:
    word = word or "inputs"
    text = " ".join(explanation(f"{word}.{name}", 80).split())
    assert text.startswith(f"{word}.{name}: a table of {word} {name}: ")
    assert all(f" {column} ({stated.type_text}): {stated.text}" in text for column, stated in model.columns().items())
    if name not in lexicon.entries:
        assert re.search(rf"{name}: a table of [\w, ]*\b{word}\b", " ".join(explanation(name, 80).split()))


@pytest.mark.parametrize("name", ["read_runs", "from_frames", "Scores", "CollectionError"])
def test_a_function_is_explained_with_the_place_of_its_documentation(name: str) -> None:
    lines = explanation(name, 80).splitlines()
    assert lines[0] == f"{name}: a {'class' if name[0].isupper() else 'function'} in Python"
    assert lines[-2:] == [f"In Python:     from inexmetrics import {name}", f"               help({name})"]


@pytest.mark.parametrize(("written", "meant"), [("read_run", "read_runs"), ("per_topics", "per_topic"), ("from_frame", "from_frames")])
def test_names_of_functions_and_tables_are_guessed(written: str, meant: str) -> None:
    with pytest.raises(UsageError, match=rf"did you mean {meant}\?"):
        explanation(written, 80)
