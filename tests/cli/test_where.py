"""Rows of a table that satisfy a condition: `Result.where` and ``--where``."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from inexmetrics import Result, Scores, run, scores_from
from inexmetrics.cli import main
from inexmetrics.report.chosen_rows import satisfied

BOARD = {
    "topic_id": ["1", "2", "3", "4", "5"],
    "bm25": [0.1, 0.2, 0.3, 0.2, 0.1],
    "dpr": [0.5, 0.6, 0.8, 0.5, 0.7],
    "o'hara": [0.5, 0.1, 0.9, 0.2, 0.6],
}
ASKED = "significance(MAP | t | Holm)"


@pytest.fixture
def scores() -> Scores:
    return scores_from(pl.DataFrame(BOARD), "MAP")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "board.csv"
    pl.DataFrame(BOARD).write_csv(path)
    return str(path)


@pytest.fixture
def result(scores: Scores) -> Result:
    return run(ASKED, scores)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("worse = 'bm25'", pl.col("worse") == "bm25"),
        ('worse == "bm25"', pl.col("worse") == "bm25"),
        ("worse IN ('bm25', \"o'hara\")", pl.col("worse").is_in(["bm25", "o'hara"])),
        ("\"p_value\" < 0.05 AND NOT (better = 'x')", pl.col("p_value") < 0.05),
        ("significant", pl.col("significant")),
        ("not significant or difference > .2", ~pl.col("significant") | (pl.col("difference") > 0.2)),
        ("better LIKE 'd%'", pl.col("better").str.starts_with("d")),
        ("p_value BETWEEN 0.0 AND 1.0", pl.lit(value=True)),
        ('better = "better"', pl.lit(value=True)),  # the name of a column
        ("better = 'better'", pl.lit(value=False)),
    ],
)
def test_the_rows_are_those_of_polars(result: Result, condition: str, expected: pl.Expr) -> None:
    assert_frame_equal(result.where(condition).table, result.table.filter(expected))


@pytest.mark.filterwarnings("ignore:the smallest p-value of t over 1 topic")
def test_rows_without_a_value_do_not_satisfy_a_condition() -> None:
    two = run("significance(MAP)", scores_from({"topic_id": ["1"], "a": [0.1], "b": [0.2]}, "MAP"))
    assert two.table["low"].null_count() == 1
    assert two.where("low < 1").table.height == 0
    assert two.where("low IS NULL").table.height == 1


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("beter = 'x'", r"^where: expected a column \(measure, .*significant\), found beter; did you mean better\?$"),
        ("better = ", "^where: expected a condition in SQL, found 'better = ': "),
        ("", '^where: expected a name in quotes, found ""'),
        ("p_value", "^where: expected a condition, found the values of 'p_value'; write it as in "),
        ("better = 3", "^where: expected a condition in SQL, found 'better = 3': cannot compare string with numeric"),
        ("better = 'a'; drop table pairs", "^where: expected a condition in SQL"),
        ("EXISTS (SELECT 1)", "^where: expected a condition in SQL"),
    ],
)
def test_other_texts_are_one_clear_error(result: Result, condition: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        result.where(condition)
    with pytest.raises(ValueError, match="expected the name of a table"):
        result.where("significant", "pears")


TRUTHS = pl.DataFrame({"kept": [True, False, None], "n": [1, 2, 3], "share": [0.5, 0.25, 1.0], "name": ["yes", "no", "b"]})


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("kept = 'yes'", [0]),
        ('kept == "NO"', [1]),
        ("'yes' = kept AND share < 1", [0]),
        ("kept <> 'true'", [1]),
        ("kept IN ('yes', 'no')", [0, 1]),
        ("kept NOT IN ('no')", [0]),
        ("NOT kept = 'yes'", [1]),
        ("kept = 1 OR name = 'no'", [0, 1]),
        ("name = 'kept = ''yes'' '", []),
        ("kept = (n > 1)", []),
        ("CASE WHEN kept THEN 'yes' ELSE 'no' END = 'yes'", [0]),
    ],
)
def test_truth_values_are_written_as_they_are_shown(condition: str, rows: list[int]) -> None:
    assert satisfied(TRUTHS, condition) == rows


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("kept = 'maybe'", "^where: kept contains yes or no, found a comparison with 'maybe'; write kept = 'yes' or kept = 'no'$"),
        ("kept > 0.5", "^where: kept contains yes or no, found a comparison with 0.5; "),
        ("kept = name", "^where: kept contains yes or no, found a comparison with name; "),
        ("name = true", "^where: name contains text, found a comparison with true; write it as in "),
        ("false = share", "^where: share contains numbers, found a comparison with false; "),
        ("n = 'many'", "^where: expected a condition in SQL, found .* cannot compare string with numeric type"),
    ],
)
def test_a_value_that_a_column_cannot_have_is_an_error(condition: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        satisfied(TRUTHS, condition)


def test_the_word_that_the_table_prints_chooses_its_rows(result: Result) -> None:
    chosen = [result.where(f"significant = '{word}'").table.height for word in ("yes", "no")]
    assert chosen == [result.where(condition).table.height for condition in ("significant", "NOT significant")]
    assert sum(chosen) == result.table.height


def test_the_finding_and_the_tests_are_those_of_the_whole_result(result: Result) -> None:
    text = result.where("worse = 'bm25'").to_text(width=150)
    assert result.finding in " ".join(text.split())
    assert "2 of 3 rows" in text
    assert "3 hypotheses, corrected by Holm" in text
    assert result.where("worse = 'bm25'").to_markdown().count("| dpr |") == 1
    latex = result.where("worse = 'bm25'").to_latex()
    assert latex.count(r"\\") == result.to_latex("pairs").count(r"\\") - 1
    assert "3 hypotheses, corrected by Holm" in latex


def test_every_table_of_the_command_line(result: Result, file: str, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = [ASKED, "--scores", file, "--where", "worse = 'bm25'"]
    assert main([*asked, "--format", "csv"]) == 0
    assert_frame_equal(
        pl.read_csv(io.StringIO(capfd.readouterr().out), schema_overrides={"quantisation": pl.String}), result.where("worse = 'bm25'").table
    )
    assert main([*asked, "--output", str(tmp_path / "rows.parquet")]) == 0
    assert_frame_equal(pl.read_parquet(tmp_path / "rows.parquet"), result.where("worse = 'bm25'").table)
    assert main([ASKED, "--scores", file, "--table", "summary", "--where", "pairs > 99"]) == 0
    assert "0 of 1 row" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--where", "beter = 'x'"], "--where: expected a column ("),
        (
            ["--where", "significant", "--format", "json"],
            "--where: expected --format csv, latex, markdown, parquet or table in addition, found json",
        ),
        (["--where", "significant", "--marks", "t | Holm"], "--where chooses rows of a table, but --marks shows the means of all runs"),
    ],
)
def test_wrong_options_are_errors(options: list[str], message: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["significance(MAP)", "--scores", file, *options]) == 2
    assert message in capsys.readouterr().err


def test_every_form_says_that_rows_were_chosen(scores: Scores) -> None:
    chosen = run("ranks(MAP | t | Holm)", scores).where("mean > 0.4 AND run_id LIKE 'o%'", "ranks")
    assert chosen.table["run_id"].to_list() == ["o'hara"]
    said = "of 3 rows; where: mean"
    assert f"1 {said} > 0.4 AND run_id LIKE 'o%'" in " ".join(chosen.to_text(width=80).split())
    assert f"1 {said} \\> 0.4 AND run_id LIKE 'o%'" in chosen.to_markdown()
    assert rf"1 {said} $>$ 0.4 AND run\_id LIKE 'o\%'." in chosen.to_latex()


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_the_command_line_says_that_rows_were_chosen(file: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([ASKED, "--scores", file, "--where", "worse = 'bm25'", "--table", "pairs", "--format", form]) == 0
    assert "2 of 3 rows; where: worse = 'bm25'" in capsys.readouterr().out


class TestColumnOrText:
    """A word in double quotes that is the name of a column and a text of the table."""

    SIDES = pl.DataFrame({"kind": ["left", "right", "far off"], "left": [1, 2, 3], "far off": [3, 4, 5]})

    @pytest.mark.parametrize(
        ("condition", "text", "column"),
        [
            ('kind == "left"', "kind == 'left'", "kind == left"),
            ('"far off" > 3', "'far off' > 3", "`far off` > 3"),
            ('"left" > 1 AND kind = "right"', "'left' > 1 AND kind = \"right\"", 'left > 1 AND kind = "right"'),
        ],
    )
    def test_it_is_an_error_with_both_ways_to_write_it(self, condition: str, text: str, column: str) -> None:
        with pytest.raises(ValueError, match="the name of a column and a text in the column kind") as raised:
            satisfied(self.SIDES, condition)
        assert str(raised.value).endswith(f"; write {text} for the text, or {column} for the column")

    def test_both_ways_choose_their_rows(self) -> None:
        assert satisfied(self.SIDES, "kind == 'left'") == [0]
        assert satisfied(self.SIDES, 'left > 1 AND kind = "right"') == [1]
        assert satisfied(self.SIDES, "`far off` > 3") == [1, 2]

    def test_a_categorical_text_counts(self) -> None:
        with pytest.raises(ValueError, match='"left" is the name of a column and a text'):
            satisfied(self.SIDES.with_columns(pl.col("kind").cast(pl.Categorical)), 'kind = "left"')

    def test_the_name_of_a_column_alone_is_a_column(self) -> None:
        assert satisfied(self.SIDES.with_columns(kind=pl.lit("other")), '"left" > 1') == [1, 2]

    def test_the_result_raises_it(self) -> None:
        board = pl.DataFrame(BOARD).rename({"bm25": "worse"})
        with pytest.raises(ValueError, match="write better = 'worse' for the text, or better = worse for the column"):
            run(ASKED, scores_from(board, "MAP")).where('better = "worse"')
