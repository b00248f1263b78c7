"""The command line: output streams, exit codes, and errors without a traceback."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import BinExh, Gen5, MAep, agreement, parse, run, sample
from inexmetrics.cli import main
from inexmetrics.formula.hints import NOT_HERE

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 0\n2 0 b 1\n3 0 c 1\n"
GOOD = "1 Q0 a 1 3.0 good\n1 Q0 c 2 2.0 good\n1 Q0 b 3 1.0 good\n2 Q0 b 1 2.0 good\n3 Q0 c 1 1.0 good\n"
POOR = "1 Q0 b 1 3.0 poor\n1 Q0 a 2 2.0 poor\n2 Q0 a 1 2.0 poor\n2 Q0 b 2 1.0 poor\n3 Q0 b 1 1.0 poor\n"
MISSING = "1 topic missing from run good is scored 0 where defined (3)"
HOW = "all rows: --rows all; one table: --table NAME; data: --table NAME --format csv"
SAMPLE = "no --assessments or --scores: this is the built-in simulated sample\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Options that name a small collection."""
    for name, text in {"a.qrels": QRELS, "good.run": GOOD, "poor.run": POOR}.items():
        (tmp_path / name).write_text(text)
    return ["--assessments", str(tmp_path / "a.qrels"), "--runs", str(tmp_path / "good.run"), str(tmp_path / "poor.run")]


def program(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command line in a separate process."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    return subprocess.run(
        [sys.executable, "-m", "inexmetrics", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env=environment,
        check=False,
    )


class TestResults:
    def test_the_sample_is_named_on_standard_error(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["agreement(Gen5, BinExh, measure=MAep)"]) == 0
        out, err = capsys.readouterr()
        assert err == SAMPLE
        lines = out.splitlines()
        assert lines[:3] == [
            "agreement(Gen5, BinExh, measure=MAep)",
            "29 topics, 30 runs of the built-in simulated sample; order: file",
            "",
        ]
        table = lines.index("agreement")
        assert " ".join(lines[3 : table - 1]) == run(agreement(Gen5, BinExh, measure=MAep), sample()).finding
        assert lines[table - 1] == ""
        heading, rule, row = lines[table + 2 : table + 5]
        assert heading.split()[:3] == ["measure", "predictor", "truth"]
        assert set(rule) == {"-", " "}
        assert row.split()[:4] == ["MAep", "Gen5", "BinExh", "435"]
        assert lines[-3:] == ["", "also: differences (435 rows)", HOW]

    @pytest.mark.parametrize("form", ["csv", "markdown", "latex", "parquet", "json"])
    def test_every_form_holds_the_differences_of_an_agreement(self, form: str, tmp_path: Path) -> None:
        written = tmp_path / "differences"
        table = [] if form == "json" else ["--table", "differences"]
        assert main(["agreement(MAP + MAgP | t)", "--format", form, *table, "--output", str(written)]) == 0
        content = written.read_bytes()
        match form:
            case "csv":
                rows = pl.read_csv(content)
            case "parquet":
                rows = pl.read_parquet(content)
            case "json":
                rows = pl.DataFrame(json.loads(content)["tables"]["differences"])
            case _:
                assert content.decode().count("group01-a") == 29
                return
        assert rows.height == 435
        assert rows["measure"].null_count() == 435
        assert set(rows["predictor"]) == {"MAP"}
        assert rows.columns[-1] == "same_direction"

    def test_the_module_is_the_same_program(self) -> None:
        formula = "agreement(Gen5, BinExh, measure=MAep, test=wilcoxon)"
        done, again = program(formula), program(formula)
        assert (done.returncode, done.stderr) == (0, SAMPLE)
        assert done.stdout == again.stdout

    def test_files(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", *files, "--format", "csv"]) == 0
        out, err = capsys.readouterr()
        head, good, poor = out.splitlines()
        assert head == "run_id,measure,quantisation,topics,mean,low,high"
        assert good == "good,MAP,1,3,1.0,1.0,1.0"
        assert poor.startswith(f"poor,MAP,1,3,{(0.5 / 2 + 0.5 + 0.0) / 3},0.0,0.87103")  # from -0.37103, but no mean of MAP is below 0
        assert err == ""

    def test_json_is_the_result_in_full(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAep ~ Gen5)", "--format", "json"]) == 0
        assert capsys.readouterr().out == run("scores(MAep ~ Gen5)", sample()).to_json()

    def test_markdown_and_latex_show_scores_wide(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP + P@1)", *files, "--format", "markdown"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            "| run_id | MAP | P@1 |",
            "| :--- | ---: | ---: |",
            "| good | 1.0000 | 1.0000 |",
            "| poor | 0.2500 | 0.0000 |",
            "",
            "3 topics, 2 runs; order: score; half of the 95 % interval of a mean: 0.6210; no interval if all scores are equal",
        ]
        assert main(["scores(MAP + P@1)", *files, "--format", "latex"]) == 0
        assert r"poor & 0.2500 & 0.0000 \\" in capsys.readouterr().out.splitlines()

    def test_tests_name_the_command_that_marks_means_by_them(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["significance(MAP + P@1 | t(tails=2) | unadjusted(alpha=0.6))", *files, "--format", "latex"]) == 0
        first, _, table = capsys.readouterr().out.partition("\n")
        assert table.startswith("% significance(")
        program, *command = shlex.split(first.removeprefix("% beside means:"))
        assert program == "inexmetrics"
        assert main([*command, *files]) == 0
        assert "$^{" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("formula", "told"),
        [
            (
                'significance(MAP | t(tails=1) | unadjusted(alpha=0.6), pairs="observed")',
                't(tails=1) | unadjusted(alpha=0.6), pairs="observed"',
            ),
            ('versus("poor", MAP | t | unadjusted(alpha=0.6), top=1)', 'versus("poor", top=1) | t | unadjusted(alpha=0.6)'),
        ],
    )
    def test_the_command_that_marks_means_keeps_what_decides_the_marks(
        self, formula: str, told: str, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main([formula, *files, "--format", "latex"]) == 0
        command = shlex.split(capsys.readouterr().out.partition("\n")[0].removeprefix("% beside means: inexmetrics"))
        assert command[-1] == told
        assert main([*command, *files]) == 0
        assert "1 hypothesis" in " ".join(capsys.readouterr().out.split())

    def test_marks_are_those_of_the_tests(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP + P@1)", *files, "--format", "latex", "--marks", "t(tails=2) | unadjusted(alpha=0.6)"]) == 0
        printed = capsys.readouterr().out
        assert r"good & a & \textbf{1.0000} & $^{b}$ & \textbf{1.0000} & $^{b}$ \\" in printed.splitlines()
        assert "Test: t, two-tailed" in printed

    def test_marks_against_a_baseline(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        asked = ["scores(MAP + P@1)", *files, "--marks", 'versus("poor") | t | unadjusted(alpha=0.6)']
        assert main([*asked, "--format", "latex"]) == 0
        assert r"good & \textbf{1.0000} & $^{\dagger}$ & \textbf{1.0000} & $^{\dagger}$ \\" in capsys.readouterr().out.splitlines()
        assert main([*asked, "--format", "markdown"]) == 0
        assert "| good | 1.0000 † | 1.0000 † |" in capsys.readouterr().out.splitlines()
        assert main(asked) == 0
        text = capsys.readouterr().out
        assert (
            "†: significantly higher than poor; ‡: significantly lower (t, two-tailed; 1 hypothesis, not corrected, alpha = 0.6)"
            in " ".join(text.split())
        )
        assert any(line.split() == ["good", "1.0000", "†", "1.0000", "†"] for line in text.splitlines())

    def test_tests_against_baselines_name_the_command_that_marks_means_by_them(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(['versus("poor", MAP + P@1 | t | unadjusted(alpha=0.6))', *files, "--format", "latex"]) == 0
        first, _, table = capsys.readouterr().out.partition("\n")
        assert table.startswith("% versus(")
        program, *command = shlex.split(first.removeprefix("% beside means:"))
        assert program == "inexmetrics"
        assert main([*command, *files]) == 0
        assert r"\dagger" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("marks", "told"),
        [
            ('versus("lost")', 'versus: expected the name of a run (good, poor), found "lost"'),
            (
                'versus("poor", MAP) | t',
                """--marks: expected baselines without a measure, as in 'versus("bm25") | t | Holm'; the measures are those of the scores""",
            ),
            ('versus("poor") | Hulm', "did you mean Holm?"),
            ("versus(", "--marks: expected a test and a correction"),
        ],
    )
    def test_baselines_that_are_none_are_refused(self, files: list[str], marks: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", *files, "--marks", marks]) in {1, 2}
        assert told in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["scores(MAP)", "--format", "csv"], "--marks: expected --format table, markdown or latex in addition, found csv"),
            (["ranks(MAP)", "--format", "latex"], "--marks: expected scores, as in scores(MAP), found ranks"),
            (["scores(MAP)", "--format", "latex", "--table", "per_topic"], "--marks: expected the table scores, found per_topic"),
        ],
    )
    def test_marks_that_do_not_fit_are_refused(
        self, files: list[str], arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main([*arguments, *files, "--marks", "t | Holm"]) == 2
        assert told in capsys.readouterr().err

    def test_marks_of_no_test_are_refused_where_they_are_wrong(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", *files, "--format", "latex", "--marks", "t | Hulm"]) == 2
        told = capsys.readouterr().err
        assert "--marks: expected a test and a correction" in told
        assert "did you mean Holm?" in told

    @pytest.mark.parametrize(
        ("ending", "style"), [(".tex", "latex"), (".CSV", "csv"), (".json", "json"), (".md", "markdown"), (".parquet", "parquet")]
    )
    def test_the_ending_of_the_output_chooses_the_format(self, ending: str, style: str, files: list[str], tmp_path: Path) -> None:
        by_ending, by_option = tmp_path / f"a{ending}", tmp_path / "b"
        assert main(["scores(MAP)", *files, "--output", str(by_ending)]) == 0
        assert main(["scores(MAP)", *files, "--output", str(by_option), "--format", style]) == 0
        assert by_ending.read_bytes() == by_option.read_bytes()

    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("a.xlsx", "spreadsheet programs open .csv"),
            ("a.HTML", "--report"),
            ("a.png", "--plot"),
            ("a.csv.gz", "uncompressed"),
            ("a.ndjson", "--format writes"),
        ],
    )
    def test_an_output_with_the_extension_of_another_kind_of_file(
        self, name: str, hint: str, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        written = tmp_path / name
        assert main(["scores(MAP)", *files, "--output", str(written)]) == 2
        told = capsys.readouterr().err
        assert "--output: expected the extension .txt, .tex, .csv, .json, .md or .parquet, found" in told
        assert hint in told
        assert not written.exists()
        assert main(["scores(MAP)", *files, "--output", str(written), "--format", "csv"]) == 0

    def test_a_format_that_contradicts_the_ending_is_warned_of(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        asked = ["scores(MAP)", *files, "--output", str(tmp_path / "a.tex"), "--format", "csv"]
        assert main(asked) == 0
        assert (tmp_path / "a.tex").read_text().startswith("run_id,")
        assert "a.tex: expected --format latex for this extension, found --format csv" in capsys.readouterr().err
        assert main([*asked, "--strict"]) == 1
        assert main(["scores(MAP)", *files, "--output", str(tmp_path / "a.txt"), "--format", "csv"]) == 0
        assert capsys.readouterr().err.count("for this extension") == 1

    def test_a_latex_table_is_as_wide_as_asked(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", *files, "--format", "latex"]) == 0
        assert r"\begin{table}" in capsys.readouterr().out
        assert main(["scores(MAP)", *files, "--format", "latex", "--table-width", "page"]) == 0
        assert r"\begin{table*}" in capsys.readouterr().out
        assert main(["scores(MAP)", *files, "--table-width", "page"]) == 2
        assert "--table-width: expected --format latex in addition, found table" in capsys.readouterr().err
        asked = ["fidelity(MAgP)", "--format", "latex", "--table", "orderings", "--table-width", "column"]
        assert main(asked) == 2
        assert "--table-width: expected a table that fits the 229 points of a column, found one that needs 2" in capsys.readouterr().err

    def test_parquet(self, files: list[str], tmp_path: Path) -> None:
        assert main(["scores(MAP)", *files, "--format", "parquet", "--table", "per_topic", "--output", str(tmp_path / "o.parquet")]) == 0
        assert pl.read_parquet(tmp_path / "o.parquet").columns == ["run_id", "topic_id", "measure", "quantisation", "score"]

    def test_a_named_table(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["significance(MAP | t)", *files, "--format", "csv", "--table", "summary"]) == 0
        assert capsys.readouterr().out.splitlines()[0] == "measure,quantisation,pairs,significant,share,hypotheses,topics,true_at_least"
        assert main(["significance(MAP | t)", *files, "--table", "summry"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "error: --table: expected the name of a table (pairs, summary, runs), found 'summry'; did you mean summary?" in err

    def test_short_tables_are_shown_first_and_long_ones_cut_or_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAep ~ Gen5)"]) == 0
        assert capsys.readouterr().out.endswith(f"also: per_topic (870 rows)\n{HOW}\n")
        assert main(["significance(MAep ~ Gen5 | t)"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines.index("summary") < lines.index("pairs")
        assert any(line.startswith("... and ") for line in lines)
        assert len(lines) <= 60

    def test_rows(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["significance(MAep ~ Gen5 | t)", "--table", "pairs", "--rows", "all"]) == 0
        assert len(capsys.readouterr().out.splitlines()) > 435
        assert main(["significance(MAep ~ Gen5 | t)", "--rows", "3"]) == 0
        assert "... and 432 more rows" in capsys.readouterr().out.splitlines()
        for wrong in ("0", "-1", "some", "٣"):
            assert main(["scores(MAP)", f"--rows={wrong}"]) == 2
            assert capsys.readouterr().err.startswith(f"error: --rows: expected a number of at least 1, or all, found {wrong}\n")
        assert main(["scores(MAP)", "--rows", "3", "--format", "csv"]) == 2
        assert "--rows limits only the tables of --format table; --format csv always writes all rows" in capsys.readouterr().err

    def test_the_column_of_topics(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "ap.csv"
        path.write_text("question,A\n1,0.5\n2,0.25\n")
        assert main(["scores(MAP)", "--scores", str(path)]) == 1
        assert "(--topics-column question) reads question as topics" in " ".join(capsys.readouterr().err.split())
        assert main(["scores(MAP)", "--scores", str(path), "--topics-column", "question", "--format", "csv"]) == 0
        assert capsys.readouterr().out.splitlines()[1].startswith("A,MAP,1,2,0.375")
        assert main(["check", "--scores", str(path), "--topics-column", "question"]) == 0
        assert main(["check", "--scores", str(path)]) == 1
        capsys.readouterr()
        path.write_text("question,A\n0.5,0.5\n1,0.25\n")
        assert main(["scores(MAP)", "--scores", str(path), "--no-topics-column"]) == 0
        assert capsys.readouterr().out.splitlines()[1] == "2 topics, 2 runs; order: file; no topic column; measure named by the formula"
        assert main(["scores(MAP)", "--scores", str(path), "--no-topics-column", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["order"] == "file; no topic column; measure named by the formula"
        assert main(["scores(MAP)", "--topics-column", "question"]) == 2
        assert main(["scores(MAP)", "--scores", str(path), "--no-topics-column", "--topics-column", "A"]) == 2

    def test_scores_in_place_of_a_collection(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "ap.csv").write_text("topic,a,b\n1,0.5,0.25\n2,0.5,0.75\n")
        assert main(["scores(MAP)", "--scores", str(tmp_path / "ap.csv"), "--only-topics", "1", "--format", "csv"]) == 0
        assert capsys.readouterr().out.splitlines()[1:] == ["a,MAP,1,1,0.5,,", "b,MAP,1,1,0.25,,"]

    def test_warnings_are_those_of_the_part_of_the_data_that_is_evaluated(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "good.run").write_text("".join(line for line in GOOD.splitlines(keepends=True) if not line.startswith("3")))
        usual = warnings.showwarning
        for chosen, expected in (("good", [f"warning: {MISSING}"]), ("poor", [])):
            assert main(["scores(MAP)", *files, "--only-runs", chosen, "--strict"]) == bool(expected)
            lines = capsys.readouterr().err.splitlines()
            assert [line for line in lines if line.startswith("warning: ")] == expected
        assert warnings.showwarning is usual

    def test_only_some_runs_and_topics(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", *files, "--only-runs", "poor", "--only-topics", "1", "2", "--format", "csv"]) == 0
        (row,) = capsys.readouterr().out.splitlines()[1:]
        assert row == "poor,MAP,1,2,0.375,0.0,1.0"  # from -1.2132 to 1.9632, but every mean of MAP lies in [0, 1]
        assert main(["scores(MAP)", *files, "--only-runs", "pore"]) == 1
        assert capsys.readouterr().err == "error: unknown run 'pore'; did you mean poor?\n"

    def test_an_option_given_twice_has_the_values_of_both(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        *before, poor = files
        twice = ["--runs", poor, "--only-topics", "1", "--only-topics", "2", "--prepare", "keep_first(2)", "--prepare", "keep_first(1)"]
        assert main(["scores(MAP)", *before, *twice, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["collection"]["runs"], found["collection"]["topics"]) == (2, 2)
        assert found["prepare"] == ["keep_first(2)", "keep_first(1)"]

    def test_the_order_asked_for_is_stated(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        for order in ("file", "rank", "score"):
            assert main(["scores(MAP)", *files, "--order", order]) == 0
            assert capsys.readouterr().out.splitlines()[1] == f"3 topics, 2 runs; order: {order}"

    @pytest.mark.slow
    def test_workers_change_no_bit(self, capsys: pytest.CaptureFixture[str]) -> None:
        formula = "error_rate(MAep ~ Gen5, tests=(bootstrap(b=200), t), splits=4)"
        assert main([formula, "--format", "json"]) == 0
        alone = capsys.readouterr().out
        for workers in ("1", "2", "3"):
            assert main([formula, "--format", "json", "--workers", workers]) == 0
            assert capsys.readouterr().out == alone, workers

    def test_nor_does_the_order_of_files(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        *before, good, poor = files
        assert main(["significance(MAP | t)", *before, good, poor, "--format", "json"]) == 0
        as_named = capsys.readouterr().out
        assert main(["significance(MAP | t)", *before, poor, good, "--format", "json", "--workers", "2"]) == 0
        assert capsys.readouterr().out == as_named


class TestFiles:
    def test_output_is_written_whole(self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        target = tmp_path / "out" / "scores.csv"
        target.parent.mkdir()
        target.write_text("old")
        assert main(["scores(MAP)", *files, "--format", "csv", "--output", str(target)]) == 0
        assert capsys.readouterr().out == ""
        assert target.read_text().startswith("run_id,")
        assert [path.name for path in target.parent.iterdir()] == ["scores.csv"]

    def test_a_failure_leaves_the_old_file(self, files: list[str], tmp_path: Path) -> None:
        target = tmp_path / "scores.csv"
        target.write_text("old")
        assert main(["scores(MAep ~ Gen5)", *files, "--format", "csv", "--output", str(target)]) == 1
        assert target.read_text() == "old"

    def test_a_device_is_written_to_in_place(self, files: list[str]) -> None:
        assert main(["scores(MAP)", *files, "--output", os.devnull]) == 0
        assert not Path(os.devnull).is_file()

    def test_a_link_stays_one(self, files: list[str], tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "target")
        assert main(["scores(MAP)", *files, "--output", str(tmp_path / "link")]) == 0
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "target").is_file()

    @pytest.mark.parametrize(
        ("option", "name", "message"),
        [
            ("--output", "no/where.csv", "--output: there is no folder"),
            ("--output", ".", "--output: expected a file, found the folder"),
            ("--plot", "chart.gif", "--plot: expected a file that ends in .svg, .png, .pdf or .html, found"),
            ("--report", "report.pdf", "--report: expected a file that ends in .html, found"),
        ],
    )
    def test_what_cannot_be_written_is_refused_before_the_work(
        self, option: str, name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["scores(MAP)", option, str(tmp_path / name)]) == 2
        out, err = capsys.readouterr()
        assert (out, err.startswith(f"error: {message}")) == ("", True)

    @pytest.mark.parametrize(
        ("name", "start"), [("c.svg", b"<svg"), ("c.PNG", b"\x89PNG"), ("c.html", b"<!DOCTYPE html>"), ("c.pdf", b"%PDF")]
    )
    def test_charts_and_reports_stand_beside_the_answer(
        self, name: str, start: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("vl_convert")
        plot, report = tmp_path / name, tmp_path / "report.html"
        assert main(["scores(MAep ~ Gen5)", "--plot", str(plot), "--report", str(report), "--format", "csv"]) == 0
        assert capsys.readouterr().out.startswith("run_id,")
        assert plot.read_bytes().lstrip().startswith(start)
        assert f"<pre>inexmetrics &#x27;scores(MAep ~ Gen5)&#x27; --plot {plot} --report {report} --format csv</pre>" in report.read_text()

    def test_a_report_names_files_of_any_name(self, files: list[str], tmp_path: Path) -> None:
        report = tmp_path / "bad\udcffname.html"  # a byte that is no UTF-8, as Python hands it over
        assert main(["scores(MAP)", *files, "--report", str(report)]) == 0
        assert "bad\\udcffname.html" in report.read_text()

    def test_charts_need_the_extra(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
        assert main(["scores(MAep ~ Gen5)", "--plot", str(tmp_path / "c.svg")]) == 2
        assert (
            'error: --plot: charts need the packages of the extra plot: pip install "inexmetrics[plot]" (in a clone'
            in capsys.readouterr().err
        )

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--panel", "MAP"], "--panel: expected --plot in addition, found none"),
            (["--plot-width", "page", "--no-title"], "--plot-width, --no-title: expected --plot in addition, found none"),
            (
                ["--plot", "c.svg", "--plot-width", "wide"],
                "--plot-width: expected a width in print (column, page, or a length of 2 to 200 cm, such as 8.4, 84mm, 3.3in or 240pt), found 'wide'",
            ),
            (
                ["--plot", "c.svg", "--plot-width", "nan"],
                "--plot-width: expected a width in print (column, page, or a length of 2 to 200 cm, such as 8.4, 84mm, 3.3in or 240pt), found 'nan'",
            ),
            (["--plot", "c.svg", "--panel", "MAPP"], "--plot: expected the name of a panel (MAP), found 'MAPP'; did you mean MAP?"),
        ],
    )
    def test_options_of_charts(
        self, options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("vl_convert")
        monkeypatch.chdir(tmp_path)
        assert main(["scores(MAP)", *options]) == 2
        assert f"error: {message}\n" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []

    def test_a_chart_for_a_column_of_print(self, tmp_path: Path) -> None:
        pytest.importorskip("vl_convert")
        plot = tmp_path / "c.svg"
        assert main(["scores(MAP + RR)", "--plot", str(plot), "--plot-width", "column", "--panel", "RR", "--no-title"]) == 0
        text = plot.read_text()
        assert 318 < float(text.split('width="')[1].split('"')[0]) < 321
        assert text.count(">RR<") == 1, "on the axis, and not above the panel"
        assert "scores(" not in text

    def test_two_answers_cannot_be_one_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "folder").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "x.html")
        for same in ("x.html", "folder/../x.html", "link"):
            output = ["--output", str(tmp_path / same), "--format", "csv"]
            assert main(["scores(MAP)", *output, "--report", str(tmp_path / "x.html")]) == 2
            assert "expected different files, found a file twice" in capsys.readouterr().err

    @pytest.mark.parametrize("option", ["--output", "--plot", "--report"])
    @pytest.mark.parametrize("read", ["--assessments", "--runs"])
    def test_no_answer_takes_the_place_of_what_is_read(
        self, option: str, read: str, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        given, ending = Path(files[files.index(read) + 1]), {"--output": "csv", "--plot": "svg", "--report": "html"}[option]
        target = given.rename(tmp_path / f"data.{ending}")
        files[files.index(read) + 1] = str(target)
        before = target.read_bytes()
        (tmp_path / f"link.{ending}").symlink_to(target)
        for path in (target, tmp_path / f"link.{ending}"):
            assert main(["scores(MAP)", *files, option, str(path)]) == 2
            assert f"{option}: expected a file other than the input files, found {path}" in capsys.readouterr().err
        assert target.read_bytes() == before

    @pytest.mark.parametrize("option", ["--output", "--plot", "--report"])
    @pytest.mark.parametrize("read", ["--assessments", "--runs", "--scores", "--structure", "--topics"])
    def test_no_answer_takes_the_place_of_what_is_read_of_a_folder(
        self, option: str, read: str, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ending = {"--output": "csv", "--plot": "svg", "--report": "html"}[option]
        held = {
            "--assessments": QRELS,
            "--runs": GOOD,
            "--scores": "topic,x\n1,0.5\n",
            "--structure": "<article><p>One.</p></article>",
            "--topics": '<inex_topic topic_id="1"><title>bees</title></inex_topic>',
        }
        folder = tmp_path / "held" / "deeper"
        folder.mkdir(parents=True)
        target = folder / f"data.{ending}"
        target.write_text(held[read])
        given = {"--assessments": files[2:], "--runs": files[:2], "--scores": []}.get(read, files)
        page = ["--report", str(tmp_path / "page.html")] if read == "--topics" and option != "--report" else []
        for path in (target, folder.parent / "deeper" / ".." / "deeper" / target.name):
            assert main(["scores(MAP)", *given, read, str(folder.parent), *page, option, str(path)]) == 2
            assert f"{option}: expected a file other than the input files, found {path}" in capsys.readouterr().err
        assert target.read_text() == held[read]

    def test_what_a_folder_holds_beside_what_is_read_may_be_written_anew(self, files: list[str], tmp_path: Path) -> None:
        (tmp_path / ".hidden.csv").write_text(GOOD)
        for name in ("result.csv", "result.csv", ".hidden.csv"):
            assert main(["scores(MAP)", *files[:2], "--runs", str(tmp_path), "--format", "csv", "--output", str(tmp_path / name)]) == 0
            assert (tmp_path / name).read_text().startswith("run_id,measure,")

    @pytest.mark.parametrize("option", ["--assessments", "--runs", "--structure", "--scores", "--output", "--use"])
    def test_a_path_is_never_empty(self, option: str, capsys: pytest.CaptureFixture[str]) -> None:
        """An empty path is the value of an undefined shell variable; it would be read as the current folder."""
        assert main(["scores(MAP)", option, ""]) == 2
        assert f"{option}: expected a path, found nothing" in capsys.readouterr().err


class TestMistakes:
    def test_a_formula(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["agreement(Gen5, BinEhx, measure=MAep)"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.splitlines() == [
            "error: unknown word 'BinEhx'",
            "    agreement(Gen5, BinEhx, measure=MAep)",
            "                    ^^^^^^",
            "  hint: did you mean BinExh?",
        ]

    def test_a_term_that_is_no_experiment(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["MAep"]) == 2
        assert capsys.readouterr().err.startswith("error: expected an experiment, found the measure MAep")

    @pytest.mark.parametrize(
        ("formula", "hint"),
        [
            ("MAP", "put an experiment around it, as in scores(MAP)"),
            ("MAep", "put an experiment around it, as in scores(MAep ~ Gen5)"),
            ("nxCG", "add a cutoff, as in nxCG@10"),
        ],
    )
    def test_a_measure_alone_says_what_stands_around_it(self, formula: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([formula]) == 2
        assert capsys.readouterr().err.splitlines()[-1] == f"  hint: {hint}"

    def test_nothing_at_all_shows_what_to_try(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert max(map(len, out.splitlines())) <= 80
        assert '  inexmetrics "ranks(MAP)" ' in out
        assert len(out.splitlines()) < 15

    @pytest.mark.parametrize("command", [[], ["check"], ["list"], ["explain"], ["retrieve"], ["convert"]])
    def test_help_fits_a_screen_of_80_columns(
        self, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        assert main([*command, "--help"]) == 0
        shown = capsys.readouterr()
        assert shown.out.startswith("usage: inexmetrics ")
        assert max(map(len, shown.out.splitlines())) <= 80

    def test_help_is_a_command_too(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["help"]) == 0
        shown = capsys.readouterr()
        assert main(["--help"]) == 0
        assert shown == capsys.readouterr()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["scores(MAP)", "--no-such-option"], "unrecognized arguments: --no-such-option\n"),
            (["--strict"], "the following arguments are required: FORMULA"),
            (
                ["--runs", "a.run", "scores(MAP)"],
                "required: FORMULA; write the formula first, in quotes, before --assessments, --runs or --scores",
            ),
            (
                ["scores(MAP)", "--output", "-"],
                "--output: '-' (standard input or output) is not supported; use ./- for a file of this name",
            ),
            (
                ["scores(MAP)", "--assessments", "a=x", "--assessments", "y"],
                "expected NAME= before every path or before no path, found y without a name",
            ),
            (["chek"], "unknown command 'chek'; did you mean check?"),
            (["chek", "--runs", "a.run"], "unknown command 'chek'; did you mean check?"),
            (["chek", "--use", "/nowhere/own.py"], "/nowhere/own.py"),  # which may declare the word
            (["scores(MAP)", "--runs", "/nowhere"], "--runs: expected --assessments (or --scores) in addition, found none"),
            (
                ["scores(MAP)", "--scores", "x.csv", "--runs", "y"],
                "--scores replaces assessments and runs, and cannot be combined with --runs",
            ),
            (["scores(MAP)", "--scores", "x.csv", "--compat", "inex_eval"], "--compat changes how measures are computed"),
            (["scores(MAP)", "--workers", "0"], "--workers: expected a number from 1 to 1024, found 0"),
            (["scores(MAP)", "--workers", "9" * 40], "--workers: expected a number from 1 to 1024, found a number of more than 30 digits"),
            (["scores(MAP)", "--rows", "9" * 5_000], "--rows: expected a number of at least 1, or all, found 999"),
            (
                ["scores(MAP)", "--format", "json", "--table", "scores"],
                "--table chooses one table, but --format json always writes all tables",
            ),
            (["scores(MAP)", "--assessments", "llm=a", "b"], "--assessments: expected NAME= before every path or before no path, found b"),
            (["scores(MAP)", "--assessments", "llm=a", "llm=b"], "--assessments: expected a different name for each assessor"),
            (["scores(MAP)", "--form", "json"], "unrecognized arguments: --form json; did you mean --format?\n"),
            (["scores(MAP)", "--assessment", "a"], "unrecognized arguments: --assessment a; did you mean --assessments?\n"),
            (["scores(MAP)", "--qrels", "a", "--runs", "b"], "unrecognized arguments: --qrels a; did you mean --assessments?\n"),
            (
                ["scores(MAP)", "--qrels", "a", "--metrics", "b"],
                'unrecognized arguments: --qrels a --metrics b; --qrels: did you mean --assessments?; write the measures in the formula, as in "scores(MAP + P@10)"\n',
            ),
            (["scores(MAP)", "--baseline", "bm25"], """; 'versus("bm25", MAP | t | Holm)' compares runs with a baseline"""),
            (["check", "--run", "a"], "unrecognized arguments: --run a; did you mean --runs?\n"),
            (
                ["scores", "MAP"],
                "unrecognized arguments: MAP; write the formula as one argument in quotes, and the files after --assessments",
            ),
            (["scores(MAP)", "--use", "/no/words.py"], "--use: there is no file /no/words.py"),
            (["list", "mesures"], "found mesures; did you mean measures?"),
            (["explain", "MAepp"], "unknown word 'MAepp'; did you mean MAep?"),
            (["explain", "P_10"], "unknown word 'P_10'; did you mean P@10?"),
            (["explain", NOT_HERE[0]], f"unknown word '{NOT_HERE[0]}'; {NOT_HERE[0]} is not a measure here"),
            (["check"], "check: expected files to check (--assessments, --runs, --structure or --scores), found none"),
        ],
    )
    def test_options(self, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert message in err
        assert err.splitlines()[0].startswith("error: ")
        assert err.splitlines()[-1] == "see inexmetrics --help"

    def test_a_word_that_resembles_a_command_is_a_formula(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["char_rec"]) == 2
        assert "expected an experiment, found the measure char_rec" in capsys.readouterr().err

    def test_a_missing_file_is_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", "--assessments", "/nowhere/at/all", "--runs", "/nowhere"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "/nowhere/at/all" in err

    def test_data_that_cannot_answer(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAep ~ Gen5)", *files]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("error: ")

    def test_a_worker_process_shows_no_traceback(self) -> None:
        done = program("agreement(Gen5, BinEhx, measure=MAep)", "--workers", "2")
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr

    def test_what_a_terminal_would_obey_is_escaped(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "a\x1b[31m"]) == 2
        assert "\x1b" not in capsys.readouterr().err

    def test_an_interruption_is_quiet(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        def interrupted(_: object) -> int:
            raise KeyboardInterrupt

        monkeypatch.setattr("inexmetrics.cli.program.read_options", interrupted)
        assert main([]) == 130
        assert capsys.readouterr() == ("", "")

    @pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
    def test_a_broken_pipe_is_quiet(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        command = [sys.executable, "-m", "inexmetrics", "curve(MAep ~ Gen5 + BinExh)", "--format", "json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            assert process.stderr.read().decode() == SAMPLE
        assert process.returncode == 141

    def test_a_closed_standard_output_is_told(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        monkeypatch.setattr(sys, "stdout", None)
        assert main(["scores(MAep ~ Gen5)", "--output", str(tmp_path / "scores")]) == 0
        assert main(["scores(MAep ~ Gen5)"]) == 2
        told = "error: --output: expected a file, found none; standard output is closed\nsee inexmetrics --help\n"
        assert capsys.readouterr().err == SAMPLE + told


class TestWarnings:
    @pytest.fixture
    def lacking(self, tmp_path: Path) -> list[str]:
        """A collection in which a run has no results for one topic."""
        (tmp_path / "a.qrels").write_text(QRELS)
        (tmp_path / "a.run").write_text("".join(line for line in GOOD.splitlines(keepends=True) if not line.startswith("3")))
        return ["--assessments", str(tmp_path / "a.qrels"), "--runs", str(tmp_path / "a.run")]

    def test_are_told_once_each_on_standard_error(self, lacking: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", *lacking, "--format", "csv"]) == 0
        out, err = capsys.readouterr()
        assert err == f"warning: {MISSING}\n"
        assert out.splitlines()[1].startswith("good,MAP,1,3,0.66")

    def test_stand_in_the_result(self, lacking: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", *lacking, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["warnings"] == [MISSING]

    def test_are_errors_if_strict(self, lacking: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", *lacking, "--strict", "--output", str(tmp_path / "o")]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.splitlines() == [
            f"warning: {MISSING}",
            "error: --strict: expected no warnings, found 1",
        ]
        assert not (tmp_path / "o").exists()

    def test_of_other_kinds_take_their_own_way(self, tmp_path: Path) -> None:
        (tmp_path / "warned.py").write_text(
            "import warnings\nfrom inexmetrics import CollectionWarning, measure\n\n@measure\ndef warned(gains, ideal):\n    'Warns.'\n"
            "    warnings.warn('of another kind', FutureWarning)\n    warnings.warn('of the data', CollectionWarning)\n    return 1.0\n"
        )
        with pytest.warns(FutureWarning, match="of another kind") as caught:
            assert main(["scores(warned ~ Gen5)", "--use", str(tmp_path / "warned.py"), "--output", os.devnull]) == 0
        assert {str(warning.message) for warning in caught} == {"of another kind"}


class TestOwnWords:
    WORDS = (
        "import polars as pl\nfrom inexmetrics import measure, quantisation\n\n"
        "@quantisation\ndef {name}_half(e: pl.Expr, s: pl.Expr) -> pl.Expr:\n    'Half of the specificity.'\n    return s / 2\n\n"
        "@measure\ndef {name}_first(gains, ideal):\n    'What the first result gains.'\n    return float(gains[0] / ideal[0])\n"
    )

    def test_a_file_adds_words(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "added.py").write_text(self.WORDS.format(name="added"))
        use = ["--use", str(tmp_path / "added.py")]
        assert main(["scores(added_first ~ added_half)", *use, "--format", "csv"]) == 0
        assert ",added_first,added_half,29," in capsys.readouterr().out
        assert main(["explain", "added_half", *use]) == 0
        assert "Half of the specificity." in capsys.readouterr().out
        assert main(["list", "quantisations", *use]) == 0
        assert "added_half" in capsys.readouterr().out
        assert str(parse("scores(added_first ~ added_half)")) == "scores(added_first ~ added_half)"

    def test_workers_know_them(self, tmp_path: Path) -> None:
        (tmp_path / "worked.py").write_text(self.WORDS.format(name="worked"))
        done = program("scores(worked_first ~ worked_half)", "--use", "worked.py", "--workers", "2", "--format", "csv", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, SAMPLE)
        assert done.stdout == program("scores(worked_first ~ worked_half)", "--use", "worked.py", "--format", "csv", cwd=tmp_path).stdout

    def test_a_mistake_that_shows_only_in_use(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "flaky.py"
        file.write_text(
            "from inexmetrics import quantisation\ncalls = []\n\n"
            "@quantisation\ndef flaky(e, s):\n    calls.append(s)\n    if len(calls) > 1:\n        raise RuntimeError('no more')\n    return s\n"
        )
        assert main(["scores(MAep ~ flaky)", "--use", str(file)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert f"error: {file}:8: RuntimeError: no more\n" in err

    @pytest.mark.parametrize("command", [["list", "measures"], ["explain", "{}_first"]])
    def test_a_mistake_leaves_the_words_above_it(self, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file, name = tmp_path / "half.py", f"halved_{command[0]}"
        wrong = "\n\n@quantisation\ndef wrong_half(e, s):\n    return 1.0 if e > 1 else 0.0\n"
        file.write_text(self.WORDS.format(name=name) + wrong)
        assert main([*(word.format(name) for word in command), "--use", str(file)]) == 0
        out, err = capsys.readouterr()
        assert f"{name}_first" in out
        assert err == (
            f"warning: {file}:15: wrong_half: expected a function of two polars expressions, e and s, found a condition with if, and, or or not; "
            "use pl.when(e > 1).then(1.0).otherwise(0.0), & and |; formulas can use only the names that the file defines before this error\n"
        )
        assert main(["scores(MAP)", "--use", str(file)]) == 2

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("x = 1\ny = z\n", "{file}:2: NameError: name 'z' is not defined"),
            ("x = (\n", "{file}:1: SyntaxError: '(' was never closed"),
            ("import sys\n\nsys.exit(3)\n", "{file}:3: SystemExit: 3"),
            ("from inexmetrics import parse\nparse('Gen6')\n", "{file}:2: unknown word 'Gen6'"),
        ],
    )
    def test_a_mistake_in_the_file(self, text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "wrong.py"
        file.write_text(text)
        assert main(["scores(MAP)", "--use", str(file)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("error: " + message.format(file=file))
        assert "inexmetrics_use_wrong" not in sys.modules


class TestProgressAndHelp:
    def test_help_and_version_are_fast(self) -> None:
        # neither needs polars, which takes longer to import than all else
        code = "import sys; from inexmetrics.cli import main; code = main([sys.argv[1]]); sys.exit(code or 'polars' in sys.modules)"
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        for option, text in (("--help", "usage: inexmetrics FORMULA"), ("--version", "inexmetrics 0.")):
            done = subprocess.run(
                [sys.executable, "-c", code, option], capture_output=True, text=True, env=environment, timeout=60, check=False
            )
            assert (done.returncode, text in done.stdout) == (0, True)

    def test_a_terminal_is_shown_the_first_rows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Terminal(io.TextIOWrapper):
            def isatty(self) -> bool:
                return True

        terminal = Terminal(io.BytesIO(), encoding="utf-8")
        monkeypatch.setattr(sys, "stdout", terminal)
        monkeypatch.setenv("COLUMNS", "70")
        monkeypatch.setenv("LINES", "100")
        monkeypatch.setenv("NO_COLOR", "1")
        assert main(["significance(MAep ~ Gen5 | t)"]) == 0
        terminal.seek(0)
        lines = terminal.read().splitlines()
        assert any(line.startswith("... and ") for line in lines)
        assert len(lines) <= 60
        assert max(map(len, lines)) <= 70

    @pytest.mark.parametrize(("columns", "widest"), [(None, 120), ("80", 80), ("100", 100)])
    def test_text_written_elsewhere_is_as_wide_as_the_environment_says(
        self, columns: str | None, widest: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns is not None:
            monkeypatch.setenv("COLUMNS", columns)
        assert main(['versus("group07-c", MAep ~ Gen5)', "--table", "versus"]) == 0
        lines = capsys.readouterr().out.splitlines()
        rule = next(line for line in lines if line.startswith("--") and " --" in line)
        assert widest - 16 < len(rule) <= widest
        assert max(map(len, lines)) <= widest

    def test_a_terminal_is_shown_no_parquet(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        assert main(["scores(MAP)", "--format", "parquet"]) == 2
        assert "--format parquet: expected a file to write to" in capsys.readouterr().err

    def test_a_terminal_is_shown_no_runs_in_parquet(
        self, files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        assert main(["convert", *files[files.index("--runs") :], "--format", "parquet"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "--format parquet: expected a file to write to" in err


class TestCheck:
    def test_sound_files(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", *files]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert out.splitlines()[-3:-1] == ["assessments: 3 topics (documents)", "runs: 10 results of 2 runs (good, poor)"]

    def test_systems_in_a_column_of_another_name_are_told_apart(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rows = [{"system_name": name, "qid": "1", "doc_id": f"{name}{place}", "score": -place} for name in "xy" for place in (1, 2)]
        (tmp_path / "all.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        assert main(["check", "--runs", str(tmp_path / "all.jsonl")]) == 0
        shown = capsys.readouterr().out
        assert "all.jsonl:1: the column system_name is read as run_id\nruns: 4 results of 2 runs (x, y)\n" in shown

    def test_of_scores(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        names = ",".join(f"run{place}" for place in range(8))
        (tmp_path / "m.csv").write_text(f"topic,{names}\n1{',0.5' * 8}\n2{',0.5' * 8}\n")
        assert main(["check", "--scores", str(tmp_path / "m.csv")]) == 0
        assert "scores: 2 topics, 8 runs (run0, run1, run2, run3, run4 and 3 more)\n" in capsys.readouterr().out

    def test_every_problem_by_file_and_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "a.qrels").write_text(QRELS + "1 0 a 1\n")
        (tmp_path / "a.run").write_text(GOOD + "1 Q0 a 9 0.5 good\n1 Q0 d 10 nan good\n")
        assert main(["check", "--assessments", str(tmp_path / "a.qrels"), "--runs", str(tmp_path / "a.run")]) == 1
        out = capsys.readouterr().out
        for place in ("a.qrels:7", "a.run:6", "a.run:7"):
            assert place in out


def test_forms_without_notes_say_on_standard_error_how_tables_were_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, written = tmp_path / "board.csv", tmp_path / "out.parquet"
    file.write_text('sample_id,model,"coher\x1b[1mence",relevancy\n1,x,0.5,0.25\n2,x,0.75,0.5\n1,y,0.5,1\n2,y,0.25,0.75\n')
    asked = ['scores(given("relevancy"))', "--scores", str(file)]
    said = "model read as run_id, sample_id read as topic_id, relevancy read as the measure relevancy, not read: coher\\x1b[1mence\n"
    assert main([*asked, "--format", "csv"]) == 0
    assert capsys.readouterr().err == said
    assert main([*asked, "--output", str(written)]) == 0
    assert capsys.readouterr().err == said
    assert main([*asked, "--format", "json"]) == 0
    assert capsys.readouterr().err == ""
