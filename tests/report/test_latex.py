r"""Tables as LaTeX: what TeX would read, sign by sign; layouts; and that every experiment's tables are whole."""

from __future__ import annotations

import polars as pl
import pytest

from inexmetrics.common.errors import CollectionWarning
from inexmetrics.experiments.base import Experiment, Result
from inexmetrics.formula import parse
from inexmetrics.formula.evaluation import run
from inexmetrics.report.latex import PAGE_ROWS, PaperTable, escaped, latex_table
from inexmetrics.simulations.sample import sample
from tests.laws.test_results import FORMULAS
from tests.report.latex_reading import read_table

RUNS = ("group01-a", "group02-a", "group07-a", "group07-b", "group10-c")


def small(formula: str) -> Result:
    experiment: Experiment = parse(formula, Experiment)
    return run(experiment, sample().only(runs=RUNS))


def test_every_sign_that_tex_reads_is_escaped() -> None:
    assert escaped(r"50%&#${}~^\<|_") == r"50\%\&\#\$\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}$<$\textbar{}\_"
    assert escaped("a--b") == "a-{}-b"
    assert escaped('"[x]*') == r"\char34{}{[}x{]}{*}"
    assert escaped("?`") == "?{}`{}"
    assert escaped("a\nb") == r"a\textbackslash{}nb"


def test_a_run_of_any_name_is_a_cell() -> None:
    frame = pl.DataFrame({"run_id": [r"a_%&#~^\{}$[1]", "b\\\\", "% c"], "mean": [0.25, -0.5, None]})
    rows = read_table(latex_table(PaperTable(frame, "x", (escaped(frame["run_id"][0]),), frozenset(frame.columns))))
    assert [row[1] for row in rows] == ["Mean", "0.2500", "$-$0.5000", "--"]


def test_spans_blocks_marks_and_gaps() -> None:
    frame = pl.DataFrame(
        {
            "measure": ["MAep", "MAep", "nxCG@25"],
            "run_id": ["a", "b", "a"],
            "low": [0.1, 0.2, 0.3],
            "high": [0.5, 0.4, 0.6],
            "tier": [1, 2, 2],
        }
    )
    paper = PaperTable(
        frame,
        "ranks",
        ("Ranks.", "Of runs."),
        frozenset(frame.columns),
        spans=((r"95\,\% interval", ("low", "high")),),
        blocks=("measure",),
        gap="tier",
        bold=frozenset({"low"}),
        marks={"high": ["a", "", "a,b"]},
    )
    text = latex_table(paper)
    read_table(text)
    assert text.splitlines()[6:-2] == [
        r"\begin{tabular}{lrr@{}lr}",
        r"\toprule",
        r" & \multicolumn{3}{c}{95\,\% interval} &  \\",
        r"\cmidrule(lr){2-4}",
        r"Run & Low & \multicolumn{2}{c}{High} & Tier \\",
        r"\midrule",
        r"\multicolumn{5}{l}{\emph{MAep}} \\",
        r"a & 0.1000 & 0.5000 & $^{a}$ & 1 \\",
        r"\addlinespace",
        r"b & 0.2000 & 0.4000 &  & 2 \\",
        r"\addlinespace",
        r"\multicolumn{5}{l}{\emph{nxCG@25}} \\",
        r"a & \textbf{0.3000} & 0.6000 & $^{a,b}$ & 2 \\",
        r"\bottomrule",
    ]
    assert text.splitlines()[3:5] == [r"\caption{Ranks. Of runs.}", r"\label{tab:ranks}"]


def test_a_table_longer_than_a_page_is_broken_over_pages() -> None:
    frame = pl.DataFrame({"run_id": [f"r{place}" for place in range(PAGE_ROWS + 1)]})
    text = latex_table(PaperTable(frame, "long"))
    assert r"\begin{longtable}{l}" in text
    assert r"% \usepackage{booktabs,longtable}" in text
    assert len(read_table(text)) == 2 + PAGE_ROWS + 1  # the heading stands on the later pages too
    assert "longtable" not in latex_table(PaperTable(frame.head(PAGE_ROWS), "page"))


def test_a_table_without_rows() -> None:
    assert read_table(latex_table(PaperTable(pl.DataFrame(schema={"run_id": pl.String, "mean": pl.Float64}), "none")))[1:] == [
        [r"\multicolumn{2}{l}{(no rows)}"] * 2
    ]


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")  # nothing is relevant at rel=9
@pytest.mark.parametrize("formula", [formulas[0] for formulas in FORMULAS.values()])
def test_every_table_of_every_experiment_is_whole(formula: str) -> None:
    result = small(formula)
    for name, frame in result.tables.items():
        text = result.to_latex(name)
        rows = read_table(text)
        assert len(rows) >= frame.height or name == "scores"
        assert rf"\label{{tab:{result.experiment.word}" in text
        assert str(result.origin) in text
        assert text.startswith(f"% {result.experiment}")
    for bare in ("run_id", "n_both", "p_value", "quantisation: 1", "None", "nan"):
        assert bare not in result.to_latex().partition("\n")[2]


def test_the_agreement_of_several_conditions_has_a_block_a_measure() -> None:
    result = small("agreement(MAep + nxCG@25 ~ Gen5 + GenLifted + BinExh | t)")
    rows = read_table(result.to_latex())
    assert rows[1] == [r"\multicolumn{8}{l}{\emph{MAep}}"] * 8
    assert [row[:2] for row in rows[2:5]] == [["Gen5", "GenLifted"], ["Gen5", "BinExh"], ["GenLifted", "BinExh"]]
    assert rows[0][2] == r"\shortstack[r]{Predictor\\rejects}"
    assert rows[0][-3:] == ["Precision", "Recall", "F1"]
    assert (
        "Pairs: 10. 29 topics, 5 runs; order: file. Test: t, one-tailed; 20 hypotheses, corrected by BY at $\\alpha$ = 0.05."
        in result.to_latex()
    )


def test_curves_have_a_row_each() -> None:
    result = small("curve(MAiP + MAP)")
    rows = read_table(result.to_latex())
    assert rows[1][1:] == ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]
    assert "11 of 101 recall levels." in result.to_latex()
    half = result.table.filter(measure="MAP", level=0.5).rows_by_key("run_id", named=True)
    assert {row[0]: row[6] for row in rows[-5:]} == {run: f"{values[0]['value']:.4f}" for run, values in half.items()}
    assert len(read_table(result.to_latex("curve"))) > result.table.height  # named, it has every level


def test_a_curve_alone_stands_below_itself() -> None:
    result = run(parse("curve(MAP)", Experiment), sample().only(runs=RUNS[0]))
    assert [row[0] for row in read_table(result.to_latex())] == ["Level", *(f"{level / 10:.1f}" for level in range(11))]


def test_degradation_is_measures_side_by_side() -> None:
    result = small("degradation(MAep + nxCG@10 ~ Gen5, moves=(0, 0.5))")
    values = [row["value"] for row in result.table.iter_rows(named=True) if row["level"] is None]
    rows = read_table(result.to_latex())
    assert rows[0] == ["Move", "MAep", "nxCG@10"]
    assert [row[1] for row in rows[1:]] + [row[2] for row in rows[1:]] == [f"{value:.4f}" for value in values]
    assert "Quantisation: Gen5." in result.to_latex()


@pytest.mark.parametrize(
    ("formula", "table", "once", "said"),
    [
        ("ranks(MAep ~ Gen5 + BinExh | t)", "summary", "5 runs", "Measure: MAep. 29 topics"),
        ("assessors(MAP, sets=5)", "overlap_overall", "29 topics", "that have so many. 29 topics"),
        ("power(MAep + MAP ~ Gen5, topics=29)", "power", "29 topics", "Quantisation: Gen5; topics: 29. 29 topics"),
        ("agreement(Gen5, BinExh, measure=MAep)", "differences", "5 runs", "by the truth's p-value, better, worse. Measure: MAep"),
    ],
)
def test_captions_count_topics_and_runs_once(formula: str, table: str, once: str, said: str) -> None:
    caption = next(line for line in small(formula).to_latex(table).splitlines() if line.startswith(r"\caption"))
    assert caption.count(once) == 1
    assert f"{said}" in caption
    assert "uns: 5" not in caption


def test_of_a_single_run_nothing_is_bold() -> None:
    latex = run("scores(MAep ~ Gen5)", sample().only(runs="group07-c")).to_latex()
    assert r"\caption{Mean scores of the run. Quantisation: Gen5. 29 topics, 1 run; order: file.}" in latex
    assert r"\textbf" not in latex


def test_headings_say_whose_numbers_they_are() -> None:
    with pytest.warns(CollectionWarning, match="adds nothing"):
        ppi = small('ppi(MAP ~ assessor("first"), truth=assessor("third"))')
    assert r"\shortstack[r]{Truth's\\low}" in ppi.to_latex("means")
    assert r"Significant\\by truth" in ppi.to_latex("summary")
    grades = small('judges(MAP ~ assessor("first"), truth=assessor("third"))').to_latex("grades")
    assert [row[:2] for row in read_table(grades)][1:] == [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]


def test_tiers_stand_apart() -> None:
    result = small("ranks(MAP)")
    tiers = result.table["tier"].n_unique()
    assert result.to_latex().splitlines().count(r"\addlinespace") == tiers - 1
