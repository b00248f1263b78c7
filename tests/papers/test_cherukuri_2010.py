"""Statements of Cherukuri (2010) that a program can recompute, through the public interface."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from inexmetrics import (
    Collection,
    MAiP,
    Scores,
    VersusResult,
    bootstrap,
    char_prec,
    char_rec,
    from_frames,
    given,
    iP,
    randomisation,
    read_assessments,
    read_runs,
    read_structure,
    run,
    scores,
    scores_from,
    sign,
    t,
    versus,
    wilcoxon,
)
from inexmetrics.cli import main
from inexmetrics.common.arrays import FloatArray

pytestmark = pytest.mark.filterwarnings(
    "ignore:.* significant differences depend on runs:inexmetrics.CollectionWarning"
)  # some runs of the thesis hardly vary

# ------------------------------------------------------------------------------------------------ files

TABLE_3 = """\
2009001 Q0 3260094 4213 4436 144 144:4213
2009001 Q0 21201 24903 33106 137 137:542 704:1871 2578:2506 5089:19984
2009001 Q0 52502 23232 39116 197 197:2085 2287:21147
2009001 Q0 19653466 16901 30413 288 288:2150 2458:14751
2009001 Q0 141921 22899 39637 124 124:11553 11685:11346
2009001 Q0 3260076 0 5071
2009001 Q0 80144 0 22137
"""
TABLE_4 = """\
2009001 Q0 3260094 1 4000 umd_focused_2 /article[1]/bdy[1]/p[2]
2009001 Q0 52497 2 3999 umd_focused_2 /article[1]/bdy[1]/sec[3]
2009001 Q0 52497 3 3998 umd_focused_2 /article[1]/bdy[1]/sec[7]/p[1]
2009001 Q0 52497 4 3997 umd_focused_2 /article[1]/bdy[1]/sec[2]/p[1]
"""


def test_table_3(tmp_path: Path) -> None:
    """Assessments contain the number of highlighted characters, which equals the length of the passages, and the length of each document."""
    file = tmp_path / "inex2009.qrels"
    file.write_text(TABLE_3)
    assessments = read_assessments(file)
    assert assessments.documents is not None
    assert assessments.passages is not None
    sums = assessments.passages.group_by("doc_id").agg(pl.col("length").sum())
    expected = {"21201": 24903, "52502": 23232, "19653466": 16901, "141921": 22899, "3260094": 4213}
    assert dict(sums.iter_rows()) == expected
    told = {doc: (relchars, docchars, bep) for _, doc, relchars, docchars, bep in assessments.documents.iter_rows()}
    assert {doc: relchars for doc, (relchars, *_) in told.items() if relchars} == expected
    assert told["21201"] == (24903, 33106, 137)
    assert told["80144"] == (0, 22137, None)
    assert assessments.passages.filter(doc_id="21201").select("start", "length").rows() == [
        (137, 542), (704, 1871), (2578, 2506), (5089, 19984),
    ]  # fmt: skip


def test_table_4(tmp_path: Path) -> None:
    """Results are given by paths, and a structure gives their offsets."""
    (tmp_path / "umd.run").write_text(TABLE_4)
    (tmp_path / "inex2009.qrels").write_text(TABLE_3)
    places = [("3260094", "/article[1]", 0, 4436), ("3260094", "/article[1]/bdy[1]/p[2]", 100, 400), ("52497", "/article[1]", 0, 900)]
    places += [
        ("52497", f"/article[1]/bdy[1]/{path}", 10 * start, 10) for start, path in enumerate(("sec[3]", "sec[7]/p[1]", "sec[2]/p[1]"))
    ]
    rows = ["doc_id\tpath\tstart\tlength", *("\t".join(map(str, place)) for place in places)]
    (tmp_path / "structure.tsv").write_text("\n".join(rows) + "\n")
    runs = read_runs(tmp_path / "umd.run")
    collection = Collection(read_assessments(tmp_path / "inex2009.qrels"), runs, read_structure(tmp_path / "structure.tsv"))
    assert runs.run_ids == ("umd_focused_2",)
    result = run(scores((char_prec, char_rec)), collection).table
    # 100 to 500 of 3260094, of which 144 on are highlighted, and 30 characters of a document that nobody assessed
    assert dict(result.select("measure", "mean").iter_rows()) == {
        "char_prec": 356 / 430,
        "char_rec": 356 / (24903 + 23232 + 16901 + 22899 + 4213),
    }


def test_table_5() -> None:
    """The evaluator's output for query 2009001 follows completely from six amounts of text."""
    retrieved, relevant, found = 75493, 260694, 15223
    # The only quotients of amounts up to these that give the precisions printed.
    best, sustained = (4077, 4081), (15223, 68903)
    passages = [("2009001", "first", 0, 4077), ("2009001", "second", 0, found - 4077), ("2009001", "missed", 0, relevant - found)]
    results = [("first", 0, best[1]), ("second", 0, sustained[1] - best[1]), ("none", 0, retrieved - sustained[1])]
    collection = from_frames(
        pl.DataFrame(passages, schema=["topic_id", "doc_id", "start", "length"], orient="row"),
        pl.DataFrame([("2009001", *result) for result in results], schema=["topic_id", "doc_id", "start", "length"], orient="row"),
    )
    question = scores((iP @ 0, iP @ 0.01, iP @ 0.05, iP @ 0.1, MAiP, char_rec))
    printed = {
        "iP@0": 0.9990198480764518,
        "iP@0.01": 0.9990198480764518,
        "iP@0.05": 0.22093377646836856,
        "iP@0.1": 0.0,
        "MAiP": 0.028532423782439392,
        "char_rec": 15223 / 260694,
    }
    for compat in (None, "inex_eval"):
        means = run(question, collection, compat=compat).table.select("measure", "mean")
        assert dict(means.iter_rows()) == printed  # to the last bit
    assert printed["char_rec"] == pytest.approx(0.0583941, abs=5e-8)


# ------------------------------------------------------------------------------------------------ tests

TABLE_6 = {
    "2009001": (0.9990198480764518, 0.9990198480764518),
    "2009002": (0.0, 0.0),
    "2009003": (0.0, 0.5120564388754344),
    "2009004": (0.34397119086054884, 0.5815299446401611),
    "2009005": (0.12936590721932473, 0.12024428931579069),
    "2009006": (0.0, 0.0),
    "2009010": (0.06138073065902579, 0.04249008051157595),
}
CRITICAL = 1.6679161
"""Critical value of Student's t for 68 topics at the level .05."""


@pytest.fixture(scope="module")
def table_6() -> Scores:
    """The scores of two methods on seven queries."""
    x, y = zip(*TABLE_6.values(), strict=True)
    return scores_from(pl.DataFrame({"topic": list(TABLE_6), "X": x, "Y": y}), measure="iP@0.01")


def row(result: VersusResult, table: str = "versus") -> dict[str, float]:
    rows = result.tables[table]
    assert rows.height == 1
    numbers: dict[str, float] = rows.row(0, named=True)
    return numbers


def test_table_6(table_6: Scores) -> None:
    """Y - X is positive on two of the four queries that differ."""
    student = run(versus("Y", given("iP@0.01"), test=t), table_6)
    assert row(student)["difference"] == pytest.approx(0.1030861, abs=5e-8)
    assert row(student)["statistic"] == pytest.approx(1.350572, abs=5e-7)
    assert row(student)["p_value"] == pytest.approx(0.2255434, abs=5e-8)
    assert (row(student, "statistics")["n"], row(student, "statistics")["df"]) == (7, 6)
    assert row(student, "statistics")["mean"] == pytest.approx(0.1030861, abs=5e-8)
    ranks = row(run(versus("Y", given("iP@0.01"), test=wilcoxon(tails=1)), table_6))
    assert [ranks["statistic"], ranks["p_value"]] == pytest.approx([7, 0.3125])
    assert row(run(versus("Y", given("iP@0.01"), test=sign(tails=1)), table_6))["p_value"] == pytest.approx(0.6875)


@pytest.mark.filterwarnings("ignore:bootstrap.* found 7 topics:inexmetrics.CollectionWarning")
def test_resampling_table_6(table_6: Scores) -> None:
    """The bootstrap and the randomisation test, compared with every possible resample and every possible set of signs."""
    differences = np.array([y - x for x, y in TABLE_6.values()])
    sums = np.array([0.0])
    for _ in differences:
        sums = (sums[:, None] + differences).ravel()
    exact = float((sums <= 1e-12).mean())
    assert len(sums) == 7**7
    assert exact == pytest.approx(0.0948645, abs=5e-8)
    drawn = row(run(versus("Y", given("iP@0.01"), test=bootstrap(b=20_000)), table_6))["p_value"]
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))
    flips = [sum(flip * d for flip, d in zip(signs, differences, strict=True)) for signs in itertools.product((1, -1), repeat=7)]
    exact = sum(flip >= differences.sum() - 1e-12 for flip in flips) / len(flips)
    assert exact == 0.25
    drawn = row(run(versus("Y", given("iP@0.01"), test=randomisation(b=20_000, tails=1)), table_6))["p_value"]
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def opposed(differences: dict[str, FloatArray]) -> Scores:
    """Returns scores of the run ``UMD``, which is ahead of each opponent by this amount on each topic."""
    scores = {"UMD": np.full(len(next(iter(differences.values()))), 0.5), **{name: 0.5 - by for name, by in differences.items()}}
    return scores_of(scores)


def scores_of(rows: dict[str, FloatArray]) -> Scores:
    """Returns scores under x by run and topic; reading them from a table would take most of the time."""
    runs = sorted(rows)
    topics = tuple(f"{number:03d}" for number in range(len(rows[runs[0]])))
    return Scores(tuple(runs), topics, {("x", "1"): np.stack([rows[name] for name in runs])})


def spread(mean: float, sum_of_squares: float, n: int = 68) -> FloatArray:
    """Returns an even number of differences with this mean and this sum of squared deviations from the mean."""
    differences: FloatArray = mean + np.sqrt(sum_of_squares / n) * np.resize([1.0, -1.0], n)
    return differences


def test_table_7() -> None:
    """``s^2`` is the sum of squared deviations, and t follows from it; the t printed is .3489269."""
    source = opposed({"663": spread(1.39276029 / 68, 15.6978612)})
    result = run(versus("UMD", given("x"), test=t(tails=1)), source)
    found = row(result, "statistics")
    assert (found["n"], found["df"]) == (68, 67)
    assert found["sum"] == pytest.approx(1.39276029, rel=1e-12)
    assert found["mean"] == pytest.approx(0.02048177, abs=5e-9)
    assert found["sum_of_squares"] == pytest.approx(15.6978612, rel=1e-12)
    assert found["t"] == pytest.approx(0.348930617, abs=5e-10)
    assert found["t"] == pytest.approx(0.3489269, abs=4e-6)
    assert row(result)["p_value"] == pytest.approx(0.3641178, abs=5e-8)
    assert not row(result)["significant"]


def test_the_critical_value() -> None:
    """Section 4.2: "the t-value should be more than 1.67" for 68 queries."""
    assert stats.t.ppf(0.95, 67) == pytest.approx(CRITICAL, abs=5e-8)
    for value, significant in ((CRITICAL - 1e-6, False), (CRITICAL + 1e-6, True)):
        source = opposed({"other": of_t(value)})
        result = run(versus("UMD", given("x"), test=t(tails=1)), source)
        assert row(result)["statistic"] == pytest.approx(value, rel=1e-9)
        assert row(result)["significant"] is significant


def of_t(value: float, n: int = 68) -> FloatArray:
    """Returns differences on n topics with this value of Student's t."""
    return spread(0.1 * value / np.sqrt(n * (n - 1)), 0.01, n)


# ------------------------------------------------------------------------------------------------ the grids

# Student's t of Tables A1 to A14, in the order of the opponents, and the line of Figures 8, 9, 10, 12 and 14.
BELOW = {
    "A1": ([0.697, 0.732, 0.773, 0.777, 0.820, 0.857, 0.899, 0.939, 0.996, 1.225], "----------"),
    "A2": ([0.547, 0.639, 0.773, 0.781, 0.828, 0.857, 0.899, 0.910, 0.964, 1.067], "----------"),
    "A3": ([0.526, 0.568, 0.617, 0.704, 0.721, 0.833, 0.867, 0.899, 0.906, 1.037], "----------"),
    "A4": ([0.122, 0.171, 0.348, 0.598, 0.857, 0.996, 1.253, 1.274, 1.314, 1.381], "----------"),
    "A5": ([0.108, 0.160, 0.291, 0.516, 0.573, 0.778, 0.935, 1.212, 1.278, 1.336], "----------"),
    "A6": ([0.108, 0.153, 0.278, 0.487, 0.547, 0.732, 0.899, 1.160, 1.255, 1.325], "----------"),
    "A7": ([0.381, 0.550, 0.669, 0.696, 0.932, 1.377, 1.820, 1.828, 1.883, 1.857], "------****"),
    "A8": ([0.291, 0.406, 0.668, 0.704, 0.732, 1.456, 1.777, 1.778, 1.791, 1.810], "------****"),
    "A9": ([0.244, 0.542, 0.668, 0.696, 0.732, 1.556, 1.762, 1.781, 1.792, 1.799], "------****"),
    "A10": ([0.381, 0.579, 0.906, 1.262, 1.644, 1.704, 1.773, 1.781, 1.820, 1.828], "-----*****"),
    "A11": ([0.348, 0.558, 0.878, 1.240, 1.623, 1.696, 1.756, 1.777, 1.781, 1.790], "-----*****"),
    "A12": ([0.336, 0.548, 0.867, 1.236, 1.579, 1.668, 1.732, 1.756, 1.777, 1.778], "-----*****"),
    "A13": ([0.024, 0.050, 0.067, 0.122, 0.269, 0.385, 0.612, 1.293, 1.704, 1.781], "--------**"),
    "A14": ([0.037, 0.057, 0.108, 0.188, 0.291, 0.406, 0.657, 1.325, 1.732, 1.820], "--------**"),
}
# "Significance test II": those of Tables A15 to A17, where the opponents are the better runs, and Figures 11, 13 and 15.
ABOVE = {
    "A15": ([1.7219, 1.6918, 1.6703, 1.326, 1.101], "***--"),
    "A16": ([1.6762, 1.2591, 0.7216, 0.3927], "*---"),
    "A17": ([1.6890, 1.5638, 1.0274, 0.8059, 0.4927, 0.3173, 0.1952], "*------"),
}


def line(result: VersusResult, better: str) -> str:
    (cells,) = result.tables["grid"].filter(better=better).drop("measure", "quantisation", "run_id", "better").rows()
    return "".join(cells)


@pytest.mark.parametrize(("values", "figure"), BELOW.values(), ids=BELOW)
def test_figures_8_to_14(values: list[float], figure: str) -> None:
    source = opposed({f"P{place:02d}": of_t(value) for place, value in enumerate(values)})
    result = run(versus("UMD", given("x"), test=t(tails=1), top=10), source)
    assert line(result, "run") == figure
    assert line(result, "opponent") == "-" * 10
    assert result.table["statistic"].to_list() == pytest.approx(sorted(values))


@pytest.mark.parametrize(("values", "figure"), ABOVE.values(), ids=ABOVE)
def test_figures_11_to_15(values: list[float], figure: str) -> None:
    source = opposed({f"P{place}": -of_t(value) for place, value in enumerate(values)})
    result = run(versus("UMD", given("x"), test=t(tails=1)), source)
    assert line(result, "opponent") == figure
    assert line(result, "run") == "-" * len(values)
    assert result.tables["statistics"]["t"].to_list() == pytest.approx([-value for value in values])


def test_figure_10_whole() -> None:
    """Three strategies are tested against the same ten opponents, one line each."""
    three = {"Section": "A7", "Child": "A8", "Correlation": "A9"}
    lines = {}
    for name, table in three.items():
        source = opposed({f"P{place:02d}": of_t(value) for place, value in enumerate(BELOW[table][0])})
        rows = dict(zip(source.runs, source.matrices["x", "1"], strict=True))
        # The other strategies do as well as this one, and are no opponents.
        besides = {**rows, **dict.fromkeys(three, rows["UMD"])}
        del besides["UMD"]
        result = run(versus(tuple(three), given("x"), test=t(tails=1)), scores_of(besides))
        lines[name] = "".join(result.tables["grid"].filter(run_id=name, better="run").row(0)[4:])
    assert lines == dict.fromkeys(three, "------****")


# ------------------------------------------------------------------------------------------------ from the printed files

TABLE_5 = """<eval run-id="UMD" file="umd.run">
iP[0.00]\t2009001\t0.9990198480764518
iP[0.01]\t2009001\t0.9990198480764518
iP[0.05]\t2009001\t0.22093377646836856
iP[0.10]\t2009001\t0.0
AiP\t\t2009001\t0.028532423782439392
</eval>
"""


def test_table_5_is_read_from_the_evaluators_output(tmp_path: Path) -> None:
    (tmp_path / "umd.txt").write_text(TABLE_5)
    found = scores_from(tmp_path / "umd.txt")
    assert (found.runs, found.topics) == (("UMD",), ("2009001",))
    printed = {"iP@0": 0.9990198480764518, "iP@0.01": 0.9990198480764518, "iP@0.05": 0.22093377646836856, "iP@0.1": 0.0}
    assert {measure: found.matrix(measure).item() for measure, _ in found.matrices} == {**printed, "MAiP": 0.028532423782439392}


def test_table_6_is_read_as_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The input of Student's t test has three columns, separated by tabs, and no heading: query, X and Y."""
    (tmp_path / "t-test-file").write_text("".join(f"{query}\t{x!r}\t{y!r}\n" for query, (x, y) in TABLE_6.items()))
    given_file = ["--scores", str(tmp_path / "t-test-file"), "--no-header", "--columns", "2=X", "3=Y"]
    assert main(['versus("Y", given("iP@0.01") | t)', *given_file, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["tables"]["versus"]
    assert (found["run_id"], found["opponent"]) == ("Y", "X")
    assert found["statistic"] == pytest.approx(1.350572, abs=5e-7)
    assert found["p_value"] == pytest.approx(0.2255434, abs=5e-8)


def output_of(name: str, values: FloatArray) -> str:
    """Returns the scores of a run as the evaluator prints them with -q, with the means that it prints after them."""
    lines = [f"iP[0.01]\t{2008001 + place}\t{value!r}" for place, value in enumerate(values.tolist())]
    return "\n".join([f'<eval run-id="{name}" file="{name}.run">', *lines, f"num_q\t\tall\t{len(values)}", "</eval>\n"])


def test_from_the_evaluators_files_to_figure_8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder of the evaluator's outputs, one for each participant, gives t of Table A1 and the line of Figure 8; Table A7 that of Figure 10."""
    for table in ("A1", "A7"):
        values, figure = BELOW[table]
        folder = tmp_path / table
        folder.mkdir()
        (folder / "UMD.txt").write_text(output_of("UMD", np.full(68, 0.5)))
        for place, value in enumerate(values):
            name = f"P{place:02d}"
            (folder / f"{name}.txt").write_text(output_of(name, 0.5 - of_t(value)))
        formula = 'versus("UMD", iP@0.01 | t(tails=1), top=10)'
        assert main([formula, "--scores", str(folder), "--format", "json"]) == 0
        tables = json.loads(capsys.readouterr().out)["tables"]
        assert [found["statistic"] for found in tables["versus"]] == pytest.approx(sorted(values))
        cells = next(row for row in tables["grid"] if row["better"] == "run")
        assert "".join(str(cell) for name, cell in cells.items() if name not in {"measure", "quantisation", "run_id", "better"}) == figure
