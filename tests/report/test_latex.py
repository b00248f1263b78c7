r"""Tables as LaTeX: valid TeX, layouts, and complete tables of every experiment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionWarning, Experiment, Result, Scores, parse, run, sample, scores_from
from inexmetrics.report.formats import latex_table
from inexmetrics.report.paper_tables import PAGE_ROWS, PaperTable, escaped
from tests.examples import EVERY, FIRST, answered, source_of
from tests.report.latex_reading import read_table

RUNS = ("group01-a", "group02-a", "group07-a", "group07-b", "group10-c")


def small(formula: str) -> Result:
    experiment: Experiment = parse(formula, Experiment)
    return run(experiment, source_of(formula).only(runs=RUNS))


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


def test_a_table_with_blocks_and_without_rows_has_its_headings() -> None:
    frame = pl.DataFrame(schema={"measure": pl.String, "run_id": pl.String, "mean": pl.Float64})
    paper = PaperTable(frame, "x", ("Nothing.",), frozenset(frame.columns), blocks=("measure",))
    assert read_table(latex_table(paper, width="column")) == [["Run", "Mean"], [r"\multicolumn{2}{l}{(no rows)}"] * 2]


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
        marks={"high": ["^{a}", "", "^{a,b}"]},
    )
    text = latex_table(paper)
    read_table(text)
    assert text.splitlines()[6:-2] == [
        r"\begin{tabular}{@{}lrr@{}lr@{}}",
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
    assert r"\begin{longtable}{@{}l@{}}" in text
    assert r"% \usepackage{booktabs,longtable}" in text
    assert len(read_table(text)) == 2 + PAGE_ROWS + 1  # the heading stands on the later pages too
    assert "longtable" not in latex_table(PaperTable(frame.head(PAGE_ROWS), "page"))


def test_a_table_without_rows() -> None:
    assert read_table(latex_table(PaperTable(pl.DataFrame(schema={"run_id": pl.String, "mean": pl.Float64}), "none")))[1:] == [
        [r"\multicolumn{2}{l}{(no rows)}"] * 2
    ]


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")  # nothing is relevant at rel=9
@pytest.mark.parametrize("formula", FIRST)
def test_every_table_of_every_experiment_is_whole(formula: str) -> None:
    result = small(formula)
    for name, frame in result.tables.items():
        text = result.to_latex(name)
        rows = read_table(text)
        assert len(rows) >= frame.height or name == "scores"
        assert rf"\label{{tab:{result.experiment.word}" in text
        assert str(result.origin) in text
        assert text.startswith(f"% {result.experiment}")
    written = "\n".join(line for line in result.to_latex().splitlines() if not line.startswith("%"))
    for bare in ("run_id", "n_both", "p_value", "quantisation: 1", "None", "nan"):
        assert re.search(rf"\b{bare}\b", written) is None


def test_the_agreement_of_several_conditions_has_a_block_a_measure() -> None:
    result = small("agreement(MAep + nxCG@25 ~ Gen5 + GenLifted + BinExh | t)")
    rows = read_table(result.to_latex())
    assert rows[0][2:5] == [r"\multicolumn{3}{c}{Rejected by}"] * 3
    assert rows[1] == ["Predictor", "Truth", "Pred.", "Truth", "Both", "Prec.", "Rec.", "F1", "Opp.", "Overst.", "Open"]
    assert rows[2] == [r"\multicolumn{11}{l}{\emph{MAep}}"] * 11
    assert [row[:2] for row in rows[3:6]] == [["Gen5", "GenLifted"], ["Gen5", "BinExh"], ["GenLifted", "BinExh"]]
    assert (
        "Pairs: 10. 29 topics, 5 runs of the built-in simulated sample; order: file. Test: t, two-tailed; 10 hypotheses, corrected by BY at $\\alpha$ = 0.05."
        in result.to_latex()
    )


LONG: Final = [f"bm25-dense-hybrid-rerank-monoT5-large-v{number}" for number in range(12)]


def board(runs: Sequence[str]) -> Scores:
    topics = np.arange(20)
    return scores_from(
        pl.DataFrame({name: (0.2 + 0.05 * place + 0.003 * (((topics + 1) * (place + 3)) % 23)) / 2 for place, name in enumerate(runs)})
    )


def texts(latex: str) -> list[str]:
    return [line for line in latex.splitlines() if not line.startswith("%")]


@pytest.mark.parametrize(
    "formula",
    ["scores(MAP)", "significance(MAP | t)", f'versus("{LONG[0]}", MAP | t | Holm)', "ranks(MAP)", "reliability(MAP)"],
)
def test_tables_fit_a_column_of_two(formula: str) -> None:
    latex = run(parse(formula, Experiment), board(LONG)).to_latex(width="column")
    assert texts(latex)[0] == r"\begin{table}"
    assert texts(latex)[-1] == r"\end{table}"
    read_table(latex)


def test_columns_that_repeat_others_are_left_out_before_letters_become_smaller() -> None:
    result = run(parse('versus("a", MAP | t | Holm)', Experiment), board(["a", "b", "c"]))
    latex = result.to_latex(width="page")
    assert latex.splitlines()[1] == "% without mean, statistic, p_value, which would make it wider than a page"
    assert read_table(latex)[1] == [
        "Opponent", r"\shortstack[r]{Opponent's\\mean}", "Difference", "Low", "High", r"\shortstack[r]{Effect\\size}",
        r"\shortstack[r]{Adjusted\\$p$}", "Significant",
    ]  # fmt: skip
    ranks = run(parse("ranks(MAP)", Experiment), board(LONG)).to_latex(width="column")
    assert "without tied_with_best" in ranks
    assert "Tied" not in "\n".join(texts(ranks))


def test_p_values_that_are_not_corrected_are_one_column() -> None:
    result = run(parse('versus("a", MAP)', Experiment), board(["a", "b", "c"]))
    assert "$p$" in read_table(result.to_latex(width="page"))[1]
    assert "Adjusted" not in result.to_latex(width="page")


def test_long_names_lose_their_middle() -> None:
    rows = read_table(run(parse("ranks(MAP)", Experiment), board(LONG)).to_latex(width="column"))
    names = [row[0] for row in rows if row[0].startswith("bm25")]
    assert len(set(names)) == 12
    assert all("..." in name and name.endswith(tuple(f"v{number}" for number in range(12))) for name in names)


def test_names_that_differ_in_the_middle_are_cut_around_the_difference() -> None:
    names = [
        f"/runs/of/the/last/campaign/reranker-{step}-distilled-from-{'the-largest-teacher-' * 5}and-quantised" for step in (10, 20, 30)
    ]
    for formula in ("scores(MAP)", "ranks(MAP)", f'versus("{names[0]}", MAP)'):
        result = run(parse(formula, Experiment), board(names))
        for width in (None, "column", "page"):
            latex = result.to_latex(width=width)
            cut = {row[0] for row in read_table(latex) if row[0].startswith("/")}
            assert len(cut) == 3 - formula.startswith("versus")
            assert max(map(len, cut)) < 40
            assert "% needs" not in latex


def test_names_that_need_another_program_or_more_room_are_said() -> None:
    for name, said in (("bm25 \u2013 é “x”", False), ("検索モデル", True), ("ranker 🚀", True), ("поиск", True)):
        latex = run(parse("scores(MAP)", Experiment), board([name, "b"])).to_latex()
        assert ("% needs LuaLaTeX or XeLaTeX" in latex) == said, name
    wide = pl.DataFrame({f"column number {number}": [0.5] for number in range(40)})
    assert "% needs about" in latex_table(PaperTable(wide))


def test_up_to_five_columns_are_as_wide_as_a_column_and_more_span_both() -> None:
    few, many = small("scores(MAP + P@10)").to_latex(), small("agreement(MAep ~ Gen5 + GenLifted + BinExh)").to_latex()
    assert texts(few)[0] == r"\begin{table}"
    assert texts(many)[0] == r"\begin{table*}"
    assert texts(many)[-1] == r"\end{table*}"
    assert texts(small("scores(MAP + P@10)").to_latex(width="page"))[0] == r"\begin{table*}"


def test_a_table_of_judges_fits_a_column() -> None:
    """The narrowest layout keeps the statistics that none of the others implies."""
    formula = 'judges(MAP ~ assessor("second") + assessor("fourth") | t | BH, truth=assessor("first"))'
    result = run(parse(formula, Experiment), sample().only(runs=RUNS))
    latex = result.to_latex(width="column")
    assert texts(latex)[0] == r"\begin{table}"
    assert read_table(latex)[1] == ["Judge", r"$\kappa$", r"$\tau$", "Judge", "Prec.", "Rec.", "Opp.", "Overst."]
    assert "overstated: two-tailed t, 10 hypotheses, corrected by BH" in latex
    named = result.to_latex("favoured", width="column")
    assert [r"\emph{Judge second}" in named, r"\emph{Judge fourth}" in named] == [True, True]
    assert read_table(named)[1][:4] == ["Run", "Favour", "Low", "High"]


def test_a_table_that_fits_no_column_is_refused() -> None:
    result = small("agreement(MAep ~ Gen5 + BinExh)")
    with pytest.raises(
        ValueError, match=r'^width: expected a table that fits the 229 points of a column, found one that needs \d+; width="page"'
    ):
        result.to_latex("differences", width="column")
    with pytest.raises(ValueError, match=r'^width: expected "column" or "page", found 8$'):
        result.to_latex(width=8)  # type: ignore[arg-type]


def test_fidelity_has_a_column_for_each_ranking() -> None:
    result = small("fidelity(MAgP + MAP)")
    head, names, *rows = read_table(result.to_latex())
    assert head[1:] == [r"\multicolumn{4}{c}{Ranking}"] * 4
    assert names == ["Parts", "R", "RS", "RI", "RSI"]
    means = result.tables["means"].filter(measure="MAP", parts="SLD")["mean"]
    assert rows[-3] == ["SLD", *(f"{mean:.4f}" for mean in means)]
    assert len(read_table(result.to_latex("means"))) > result.tables["means"].height


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
        ("assessors(MAP, sets=5)", "overlap_overall", "29 topics", "summed over topics. Formula: assessors(MAP, sets=5). 29 topics"),
        ("power(MAep + MAP ~ Gen5, topics=29)", "power", "29 topics", "Quantisation: Gen5; topics: 29. 29 topics"),
        ("agreement(Gen5, BinExh, measure=MAep)", "differences", "5 runs", "between each pair of runs. Measure: MAep"),
    ],
)
def test_captions_count_topics_and_runs_once(formula: str, table: str, once: str, said: str) -> None:
    caption = next(line for line in small(formula).to_latex(table).splitlines() if line.startswith(r"\caption"))
    assert caption.count(once) == 1
    assert f"{said}" in caption
    assert "uns: 5" not in caption


def test_of_a_single_run_nothing_is_bold() -> None:
    latex = run("scores(MAep ~ Gen5)", sample().only(runs="group07-c")).to_latex()
    about = r"\caption{Mean scores of the run. Quantisation: Gen5. 29 topics, 1 run of the built-in simulated sample; order: file. "
    assert about + r"Half of the 95 \% interval of a mean: 0.0153.}" in latex
    assert r"\textbf" not in latex


def test_headings_say_whose_numbers_they_are() -> None:
    with pytest.warns(CollectionWarning, match="add nothing"):
        ppi = small('ppi(MAP ~ assessor("first"), truth=assessor("third"))')
    assert r"Significant\\by truth" in ppi.to_latex("summary")
    grades = small('judges(MAP ~ assessor("first"), truth=assessor("third"))').to_latex("grades")
    assert [row[:2] for row in read_table(grades)][1:] == [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]


def test_tiers_stand_apart() -> None:
    result = small("ranks(MAP)")
    tiers = result.table["tier"].n_unique()
    assert result.to_latex().splitlines().count(r"\addlinespace") == tiers - 1


class TestHeadingsOfConditions:
    """Conditions as headings in a narrow column."""

    def headings(self, *conditions: str) -> list[str]:
        names = [f"MAP ~ {condition}" for condition in conditions]
        frame = pl.DataFrame({"run_id": ["a_run_of_a_long_name" * 2], **{name: [0.5] for name in names}})
        paper = PaperTable(frame, "x", ("Means.",), frozenset({"run_id"}), spans=(("MAP", tuple(names)),))
        return read_table(latex_table(paper, width="column"))[1][1:]

    def test_an_assessor_is_the_name(self) -> None:
        assert self.headings('assessor("nina")', 'assessor("gpt-large")') == ["nina", "gpt-large"]

    def test_headings_remain_distinct(self) -> None:
        one, other = self.headings('assessor("nina")', 'other("nina")')
        assert one != other

    def test_a_criterion_with_several_texts_keeps_its_word(self) -> None:
        several, one = self.headings('assessor("nina", "olaf")', 'assessor("gpt-large")')
        assert one == "gpt-large"
        assert "assessor(" in several

    def test_a_result(self) -> None:
        text = run(parse('scores(MAP ~ assessor("second") + assessor("third"))', Experiment), sample()).to_latex(width="column")
        assert [words for words in read_table(text)[1] if "..." in words] == []


@pytest.mark.parametrize("formula", EVERY)
def test_a_caption_is_of_the_table_and_not_of_its_kind(formula: str) -> None:
    """A caption neither lists the keys of the order of rows, nor speaks of several conditions or of draws where the table has none."""
    result = answered(formula, few=True)
    for table, frame in result.tables.items():
        caption = next(line for line in result.to_latex(table).splitlines() if line.startswith(r"\caption"))
        assert not re.search("sorted by|in formula order|in one row", caption)
        keys = [key for key in ("measure", "quantisation", "predictor", "truth") if key in frame.columns]
        if keys and frame.select(keys).n_unique() == 1:
            assert not re.search("(under|of) each (condition|pair of conditions)", caption)
        assert ("draw" in caption) <= ("draw" in formula), caption
        assert f"{result.origin.topics} topics" in caption
        assert ("measure" in frame.columns) != (f"Formula: {escaped(str(result.experiment))}." in caption)  # each names the measure
