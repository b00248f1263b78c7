"""Headings of tables of scores that are those of measures, of errors, or of measures whose lower scores are better are asked about."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, given, run, scores, scores_from
from inexmetrics.cli import main

SCORES: list[float | None] = [0.5, 0.25, 0.75]
OTHERS: list[float | None] = [0.25, 0.625, None]
ANSWERS: dict[str, list[object]] = {"prompt": ["x", "y", "z"], "Groundedness": [*SCORES], "context-precision": [*OTHERS]}
RUNS: dict[str, list[object]] = {"topic": ["1", "2", "3"], "ash": [*SCORES], "bay": [0.125, 0.5, 0.375]}
BOARD: dict[str, list[object]] = {"model": ["ash", "bay", "elm"], "news": [0.31, 0.36, 0.42], "law": [0.5, 0.44, 0.61]}


def error_of(table: dict[str, list[object]], measure: str | None = None, **options: object) -> str:
    with pytest.raises(CollectionError) as error:
        scores_from(table, measure, **options)  # type: ignore[arg-type]  # options by name
    return str(error.value)


def asked(path: Path, table: dict[str, list[object]], formula: str, *options: str) -> int:
    pl.DataFrame(table, strict=False).write_csv(path)
    return main([formula, "--scores", str(path), *options])


class TestMeasures:
    @pytest.mark.parametrize("name", ["usefulness", "Groundednes"])
    def test_of_answers_are_not_runs(self, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        options = ("--topics-column", "prompt", "--missing", "drop-topics")
        assert asked(tmp_path / "a.csv", ANSWERS, f'ranks(given("{name}"))', *options) == 1
        message = capsys.readouterr().err
        assert "--measures Groundedness context-precision" in message
        assert "--keep Groundedness context-precision" in message
        assert ('did you mean given("Groundedness")?' in message) == (name != "usefulness")
        assert asked(tmp_path / "a.csv", ANSWERS, 'scores(given("Groundedness"))', *options) == 0

    def test_that_the_formula_misspells(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        table: dict[str, list[object]] = RUNS | {"coverage": [0.5, 0.75, 0.625]}
        assert asked(tmp_path / "a.csv", table, 'ranks(given("coverrage"))') == 1
        message = capsys.readouterr().err
        assert "found coverage (like coverrage in the formula), which is probably not scores" in message
        assert message.rstrip().endswith('did you mean given("coverage")?')
        assert asked(tmp_path / "a.csv", table, 'scores(given("coverrage"))', "--keep", "coverage") == 0

    @pytest.mark.parametrize(("name", "like"), [("relevance", True), ("relevant_", True), ("clarity", False)])
    def test_one_score_in_each_row_that_is_called_otherwise(self, name: str, like: bool) -> None:
        table: dict[str, list[object]] = {"run": [*"abab"], "topic": [*"1122"], "relevancy": [0.5, 0.25, 0.75, 0.625]}
        assert error_of(table, name).endswith('did you mean given("relevancy")?') == like

    @pytest.mark.parametrize("names", [("fluency_a", "fluency_b"), ("fluency1", "fluency2"), ("fluency1", "tern")])
    def test_runs_may_be_named_after_the_measure(self, names: tuple[str, str], tmp_path: Path) -> None:
        table: dict[str, list[object]] = {"topic": ["1", "2", "3"], names[0]: [*SCORES], names[1]: [0.125, 0.5, 0.375]}
        assert asked(tmp_path / "a.csv", table, 'scores(given("fluency"))') == 0

    def test_that_the_caller_states_are_not_runs(self) -> None:
        table: dict[str, list[object]] = RUNS | {"Fluency": [0.5, 0.75, 0.625]}
        message = error_of(table, "fluency")
        assert "found Fluency (the measure of these scores), which is probably not scores" in message
        assert 'measures="Fluency" (--measures Fluency)' in message
        assert "Fluency" in scores_from(table, "fluency", keep="Fluency").runs
        assert scores_from(table, "clarity").runs == ("Fluency", "ash", "bay")


class TestErrorsOfScores:
    @pytest.mark.parametrize(
        "heading",
        ["law_stderr", "law stderr", "law_stderr,none", "law/std", "law.SD", "law ±", "law_ci_high", "law (95% CI)", "law_p_value", "p-value", "se"],
    )  # fmt: skip
    def test_are_not_scores(self, heading: str) -> None:
        values: list[object] = [0.5, 0.25, 0.375]
        for table, options in ((BOARD | {heading: values}, {"runs": "model"}), (RUNS | {heading: values}, {"topics": "topic"})):
            message = error_of(table, **options)
            assert f"found {heading} (by name), which is probably not scores" in message
            found = scores_from(table, None, keep=heading, **options)  # type: ignore[arg-type]  # options by name
            assert heading in (found.topics if "runs" in options else found.runs)

    @pytest.mark.parametrize("name", ["bert-sd", "invariance", "stdlib", "std_news", "harmful_content", "toxic"])
    def test_other_names(self, name: str) -> None:
        assert name in scores_from(BOARD | {name: [0.5, 0.25, 0.375]}, runs="model").topics

    def test_questions_are_names_of_topics(self) -> None:
        table: dict[str, list[object]] = {"topic": ["what is a CI", "define variance", "x"], "ash": [*SCORES], "bay": [0.125, 0.5, 0.375]}
        assert "define variance" in scores_from(table).topics


class TestLowerIsBetter:
    @pytest.mark.parametrize(
        "name",
        ["noise_sensitivity(mode=relevant)", "Toxicity", "Harmfulness (%)", "Levenshtein distance", "FNR", "num_errors", "refusal_rate"],
    )
    def test_of_harms_and_distances(self, name: str) -> None:
        message = error_of(BOARD | {name: [0.5, 0.25, 0.375]}, runs="model")
        assert f"found {name} (lower is better, by name), beside law, news; " in message
        assert "reads it as scores, higher is better" in message

    @pytest.mark.parametrize(
        ("name", "lower"),
        [
            ("total_tokens", True),
            ("ttft_ms", True),
            ("bias/v2/score", True),
            ("runtime_p99", True),
            ("failure rate", True),
            ("reply_seconds", True),
            ("tokens/s", False),
            ("sensitivity", False),
        ],
    )
    def test_without_a_direction(self, name: str, lower: bool) -> None:
        found = scores_from({"topic": ["1", "2"], "ash": [0.5, 0.25], "bay": [0.75, 0.5]}, f'given("{name}")')
        if lower:
            with pytest.warns(CollectionWarning, match="lower"):
                run(scores(given(name)), found)
        else:
            assert run(scores(given(name)), found).warnings == ()


class TestTwoWords:
    def test_are_1_and_0(self) -> None:
        verdicts: dict[str, list[object]] = {"run": ["a", "a", "a"], "topic": ["1", "2", "3"], "score": ["good", "bad", "good"]}
        matrix: dict[str, list[object]] = {"topic": ["1", "2"], "a": ["good", "bad"], "b": ["bad", "bad"]}
        measured: dict[str, list[object]] = {"topic": ["1", "2", "3"], "ok": ["good", "bad", "good"]}
        advice = 'write 1 for the better of "bad" and "good", and 0 for the other'
        assert error_of(verdicts).endswith(advice)
        for options in ({}, {"topics": "topic"}):
            assert f'a, b contain text, such as "good"; {advice}' in error_of(matrix, **options)
        assert error_of(measured, measures="ok").endswith(advice)
        test: dict[str, list[object]] = {"test": ["t1", "t2"], "a": matrix["a"], "b": matrix["b"]}
        assert f'expected scores in at least one column, found none; a, b contain text, such as "good"; {advice}' in error_of(test)
        assert advice in error_of({"topic": [*"1234"], "a": ["good", "bad", "error", "bad"]}, missing_values="error")

    def test_a_few_words_are_numbers(self) -> None:
        verdicts: dict[str, list[object]] = {
            "run": [*"aabb"] * 2,
            "topic": [*"12123434"],
            "verdict": ["right", "half right", "wrong", "wrong"] * 2,
        }
        advice = 'write a number for each of "half right", "right" and "wrong", and nothing for a word that means no score'
        assert error_of(verdicts, columns={"verdict": "score"}).endswith(advice)
        board: dict[str, list[object]] = {"case": [*"wxyz"], "old": ["ok", "ok", "bad", "crash"], "new": ["ok", "bad", "ok", "ok"]}
        assert 'write a number for each of "bad", "crash" and "ok"' in error_of(board)
        assert "old, new contain text" in error_of(board | {"new": ["so", "no", "it", "he"]})

    @pytest.mark.parametrize(
        ("cells", "advice"),
        [
            (("3/4", "1/2"), r'numbers such as "3/4"\), which cannot be read as numbers; write 0.75$'),
            (("0.5 [0.4, 0.6]", "0.7 [0.6, 0.9]"), r"; write 0.5$"),
            (("52% (48-57%)", "61% (55-66%)"), r"; write 52$"),
        ],
    )
    def test_shares_and_intervals(self, cells: tuple[str, str], advice: str) -> None:
        with pytest.raises(CollectionError, match=advice):
            scores_from({"model": ["a", "b"], "arc": cells, "boolq": cells[::-1]})

    @pytest.mark.parametrize("words", [("good", "bad", "odd"), ("good", "0.5", "0.5"), ("good", "good", "good"), ("good", "inf", "inf")])
    def test_other_cells(self, words: tuple[str, ...]) -> None:
        message = error_of({"run": ["a", "a", "a"], "topic": ["1", "2", "3"], "score": [*words]})
        assert "the better" not in message
        numbers = {"0.5", "inf"} & {*words}
        assert ('missing_values="good"' if numbers else "write numbers for words, such as 1 for a right answer") in message

    @pytest.mark.parametrize("words", [("A", "F"), ("solved", "unsolved"), ("Y", "X", "Y", "Y")])
    def test_are_not_missing_scores(self, words: tuple[str, ...]) -> None:
        table: dict[str, list[object]] = {"question": [*range(len(words))], "model": ["m"] * len(words), "score": [*words]}
        assert 'topics="question" (--topics-column question) names the column of topics' in error_of(table)
        for missing in ((), words[:1]):
            message = error_of(table, topics="question", missing_values=missing)
            assert "write" in message
            assert "missing_values=" not in message
        assert "found only values that mean no score" in error_of(table, topics="question", missing_values=words)

    @pytest.mark.parametrize("words", ["wins loses", "ok wrong crash"])
    def test_in_all_columns_are_scores(self, words: str) -> None:
        good, bad, other = (words.split() * 2)[:3]
        table: dict[str, list[object]] = {
            "no": [1, 2, 3],
            "opus": [good, bad, good],
            "sonnet": [good, other, bad],
            "haiku": [bad, bad, good],
        }
        message = error_of(table)
        assert "opus, sonnet, haiku contain text" in message
        assert "write" in message
        assert "columns=" not in message


@pytest.mark.parametrize("numbers", [["4", "9"], ["301", "302", "303"], ["0", "1", "2", "3"], ["12", "7", "31"]])
def test_different_whole_numbers_in_the_first_column_are_asked_about(numbers: list[str], tmp_path: Path) -> None:
    """Two or three rows are too few for the doubts about values."""
    path = tmp_path / "board.csv"
    path.write_text(
        "item,old,new\n" + "".join(f"{number},0.{place * place}5,0.{7 - place}1\n" for place, number in enumerate(numbers, start=1))
    )
    with pytest.raises(CollectionError, match=r'found item \(.*topics="item" \(--topics-column item\) reads item as topics'):
        scores_from(path)
    assert scores_from(path, topics="item").topics == tuple(sorted(numbers))
    assert scores_from(path, keep="item").runs == ("item", "new", "old")
