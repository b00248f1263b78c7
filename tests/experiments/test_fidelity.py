from __future__ import annotations

import re
import warnings

import numpy as np
import polars as pl
import pytest
from scipy import stats

from inexmetrics import (
    MAP,
    RR,
    Collection,
    CollectionError,
    CollectionWarning,
    Fidelity,
    FidelityResult,
    FormulaError,
    Gen5,
    MAep,
    MAgP,
    MAgPsize,
    MAgPsize11,
    Measure,
    P,
    Runs,
    Scores,
    Structure,
    curve,
    fidelity,
    from_frames,
    gP,
    gR,
    gRsize,
    iGP,
    parse,
    sample,
    scores,
)
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.fidelity import expected_orderings
from inexmetrics.simulations.passage_runs import PARTS, RANKINGS, run_of, runs_of_parts

# Two topics. In topic 1 document a (100 characters) has its section highlighted but for the first 10 of its 60 characters, which
# holds the whole paragraph of 30 characters, and b (50) has 20 characters highlighted that are its paragraph; c has none. In topic 2
# only b is relevant, all of it, and no other document was assessed.
PLACES = [
    ("a", "/article[1]", 0, 100),
    ("a", "/article[1]/sec[1]", 20, 60),
    ("a", "/article[1]/sec[1]/p[1]", 40, 30),
    ("b", "/article[1]", 0, 50),
    ("b", "/article[1]/p[1]", 10, 20),
    ("c", "/article[1]", 0, 40),
]
MARKED = [("1", "a", 30, 50, 100), ("1", "b", 10, 20, 50), ("1", "c", None, None, 40), ("2", "b", 0, 50, 50)]


def collection(marked: list[tuple[str, str, int | None, int | None, int]] = MARKED, *, structured: bool = True) -> Collection:
    passages = pl.DataFrame(marked, schema=["topic_id", "doc_id", "start", "length", "docchars"], orient="row")
    places = pl.DataFrame(PLACES, schema=["doc_id", "path", "start", "length"], orient="row")
    return from_frames(passages, structure=places if structured else None)


def means(result: FidelityResult, measure: Measure) -> dict[str, float]:
    rows = result.tables["means"].filter(pl.col("measure") == str(measure))
    return {run_of(parts, ranking): mean for parts, ranking, mean in rows.select("parts", "ranking", "mean").iter_rows()}


def test_expected_orderings_are_those_of_the_paper() -> None:
    """Table 2, in its order; the paper's indices of S and R are written as the names of parts and rankings."""
    printed = """
        SR SLR, SR SSR, SR SRS, SR SRI, SLR SLDR, SLR SLRS, SLR SLRI, SSR SSTR, SSR SSRS, SSR SSRI, SRS SLRS, SRS SSRS, SRS SRSI,
        SRI SLRI, SRI SSRI, SRI SRSI, SLDR SLDRS, SLDR SLDRI, SLRS SLDRS, SLRS SLRSI, SLRI SLDRI, SLRI SLRSI, SSTR SSTRS, SSTR SSTRI,
        SSRS SSTRS, SSRS SSRSI, SSRI SSTRI, SSRI SSRSI, SRSI SLRSI, SRSI SSRSI, SLDRS SLDRSI, SLDRI SLDRSI, SLRSI SLDRSI,
        SSTRS SSTRSI, SSTRI SSTRSI, SSRSI SSTRSI"""
    assert expected_orderings() == tuple(tuple(pair.split()) for pair in printed.split(","))


def test_scores_by_hand() -> None:
    result = fidelity((MAgP, MAgPsize, MAP)).answer(collection(), RunOptions())
    assert result.table.columns == ["parts", "ranking", "measure", "mean"]
    assert result.table.select("measure", "parts", "ranking").rows() == [
        (str(measure), parts, ranking) for measure in (MAgP, MAgPsize, MAP) for parts in PARTS for ranking in RANKINGS
    ]
    # F of a and b in topic 1, and of b in topic 2, where F = 2 r / (retrieved + highlighted):
    # S 1, 1, 1; SL: the section, 2*50/(60+50) = 10/11, 1, 1; SLD: 2*50/150 = 2/3, 2*20/70 = 4/7, 1;
    # SS: the paragraph, 2*30/(30+50) = 3/4, 1, 1; SST: 3/4, 1, and of topic 2 the paragraph, 2*20/70 = 4/7
    scores = {"S": (1, 1, 1), "SL": (10 / 11, 1, 1), "SLD": (2 / 3, 4 / 7, 1), "SS": (3 / 4, 1, 1), "SST": (3 / 4, 1, 4 / 7)}
    found, by_size, documents = (means(result, measure) for measure in (MAgP, MAgPsize, MAP))
    for parts, (a, b, alone) in scores.items():
        # (gP[1] + gP[2]) / 2 over a, b; a non-relevant document before them shifts each by one rank
        assert found[f"{parts}R"] == pytest.approx(((a + (a + b) / 2) / 2 + alone) / 2)
        assert found[f"{parts}RS"] == pytest.approx(((b + (a + b) / 2) / 2 + alone) / 2)
        assert found[f"{parts}RI"] == pytest.approx(((a / 2 + (a + b) / 3) / 2 + alone / 2) / 2)
        assert found[f"{parts}RSI"] == pytest.approx(((b / 2 + (a + b) / 3) / 2 + alone / 2) / 2)
        # weighted by shares 5/7 and 2/7 of the highlighted characters
        assert by_size[f"{parts}RI"] == pytest.approx(((5 * a / 2 + 2 * (a + b) / 3) / 7 + alone / 2) / 2)
        assert by_size[f"{parts}RSI"] == pytest.approx(((2 * b / 2 + 5 * (a + b) / 3) / 7 + alone / 2) / 2)
        assert [documents[f"{parts}{ranking}"] for ranking in RANKINGS] == pytest.approx([1, 1, 13 / 24, 13 / 24])


def test_orderings_by_hand() -> None:
    table = fidelity((MAgP, MAgPsize)).answer(collection(), RunOptions()).tables["orderings"]
    assert table.columns == [
        "expected_better", "expected_worse", "measure", "difference", "wins", "ties", "losses", "p_value", "upheld",
    ]  # fmt: skip
    assert table.select("expected_better", "expected_worse").rows() == [*expected_orderings(), *expected_orderings()]
    rows = {(better, worse): row for better, worse, measure, *row in table.rows() if measure == "MAgP"}
    # topic 1: 1 - (10/11 + 21/22)/2 = 3/44; topic 2 is tied
    difference, wins, ties, losses, p_value, upheld = rows["SR", "SLR"]
    assert (difference, wins, ties, losses, upheld) == (pytest.approx(3 / 88), 1, 1, 0, True)
    assert p_value == pytest.approx(stats.ttest_rel([1.0, 1.0], [1 - 3 / 44, 1.0]).pvalue)
    # all tied: there is no p
    assert rows["SR", "SRS"] == [0.0, 0, 2, 0, None, True]
    # b's part is better than a's: the run expected to be worse is ahead on topic 1, by (1 - 3/4)/2
    difference, wins, ties, losses, p_value, upheld = rows["SSR", "SSRS"]
    assert (difference, wins, ties, losses, upheld) == (pytest.approx(-1 / 16), 0, 1, 1, False)
    assert p_value == pytest.approx(stats.ttest_rel([0.0, 0.0], [1 / 8, 0.0]).pvalue)  # whichever run is ahead
    # AgP' fails where a document that is not relevant is put first: 5/14 + 4/21 < 2/14 + 10/21
    by_size = {(better, worse): row for better, worse, measure, *row in table.rows() if measure == "MAgPsize"}
    assert by_size["SRI", "SRSI"][-1] is False
    assert by_size["SRI", "SRSI"][0] == pytest.approx((5 / 14 + 4 / 21 - 2 / 14 - 10 / 21) / 2)


def test_one_topic_proves_nothing() -> None:
    table = fidelity(MAgP).answer(collection(MARKED[:3]), RunOptions()).tables["orderings"]
    apart = table.filter(pl.col("wins") + pl.col("losses") > 0)
    assert apart["p_value"].unique().to_list() == [1.0]
    assert table.filter(pl.col("ties") == 1)["p_value"].null_count() == table.height - apart.height > 0


def test_topics_without_relevant_text_are_left_out() -> None:
    with_one = [*MARKED, ("3", "c", None, None, 40)]
    result = fidelity(MAgP).answer(collection(with_one), RunOptions())
    assert result.warnings == ("1 topic is undefined under MAgP and excluded: 3",)
    assert result.tables["means"].equals(fidelity(MAgP).answer(collection(), RunOptions()).tables["means"])
    assert set(result.tables["orderings"].select(pl.sum_horizontal("wins", "ties", "losses")).to_series()) == {2}


def test_runs_are_ignored() -> None:
    """Neither the tables, nor the description of the data, nor the warnings mention the runs."""
    alone = collection()
    rows = [("1", "a", 0, 200), ("9", "a", 0, 100)]
    with pytest.warns() as told:
        retrieved = from_frames(
            pl.DataFrame(MARKED, schema=["topic_id", "doc_id", "start", "length", "docchars"], orient="row"),
            pl.DataFrame(rows, schema=["topic_id", "doc_id", "start", "length"], orient="row"),
            pl.DataFrame(PLACES, schema=["doc_id", "path", "start", "length"], orient="row"),
        )
    assert len(told) == 3  # a topic without assessments, one missing, a passage past the end
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = fidelity(MAgP).answer(retrieved, RunOptions())
    assert result.to_json() == fidelity(MAgP).answer(alone, RunOptions()).to_json()
    assert (result.origin.runs, result.origin.order, result.warnings) == (0, "", ())


def test_what_is_wrong_with_the_judgements_is_told_once() -> None:
    """The warning is in the result, and is not repeated for each of twenty simulated runs."""
    longer = [("1", "a", 30, 80, 110), *MARKED[1:]]
    with pytest.warns(CollectionWarning, match="a different length in the structure") as told:
        source = collection(longer)
    assert fidelity(MAgP).answer(source, RunOptions()).warnings == tuple(str(warning.message) for warning in told)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (collection(structured=False), "found no structure"),
        (from_frames({"1": {"a": 1}}), "found assessments of documents"),
    ],
)
def test_what_is_needed(source: Collection, found: str) -> None:
    wanted = f"fidelity: expected assessments with highlighted passages, and a structure, {found}"
    with pytest.raises(CollectionError, match=f"^{re.escape(wanted)}$"):
        fidelity(MAgP).answer(source, RunOptions())


def test_scores_hold_no_passages() -> None:
    source = Scores(("a",), ("1",), {("MAP", "1"): np.ones((1, 1))})
    with pytest.raises(CollectionError, match=r"^fidelity: expected .* and a structure, found scores by topic$"):
        fidelity(MAP).answer(source, RunOptions())


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("fidelity(MAep)", "fidelity: expected measures without a quantisation, found MAep"),
        ("fidelity(MAP ~ Gen5)", "fidelity: expected no quantisation, found Gen5"),
        ("fidelity(MAP + MAP)", "MAP is written twice"),
        ("fidelity(MAP | t)", "fidelity takes no significance test, found t"),
    ],
)
def test_what_is_no_question(formula: str, message: str) -> None:
    with pytest.raises(FormulaError, match=f"^{re.escape(message)}"):
        parse(formula)


def test_in_python_as_in_formulas() -> None:
    experiment = fidelity((MAgP, gP @ 10, P @ 10))
    assert str(experiment) == "fidelity(MAgP + gP@10 + P@10)"
    assert parse(str(experiment)) == experiment == Fidelity((MAgP, gP @ 10, P @ 10))
    assert parse("fidelity(MAP ~ 1)") == fidelity(MAP)
    with pytest.raises(FormulaError, match=r"^fidelity: expected no quantisation, found Gen5"):
        fidelity(MAP, Gen5)  # type: ignore[arg-type]
    with pytest.raises(FormulaError, match=r"^fidelity: expected measures without a quantisation, found MAep"):
        fidelity(MAep)


def test_compat_reaches_the_measures() -> None:
    """After the end of a ranking, the evaluator repeats gP of the last rank: topic 2 has one document, so gP[2] = gP[1]."""
    published, followed = (fidelity(gP @ 2).answer(collection(), RunOptions(compat=compat)) for compat in (None, "inex_eval"))
    assert means(published, gP @ 2)["SR"] == pytest.approx((1 + 1 / 2) / 2)
    assert means(followed, gP @ 2)["SR"] == pytest.approx(1)
    assert followed.compat == "inex_eval"


# ------------------------------------------------------------------------------------------------ on the sample


@pytest.fixture(scope="module")
def on_sample() -> FidelityResult:
    return fidelity((MAgP, MAgPsize, MAgPsize11, MAP, RR, gP @ 1, gP @ 2, gR @ 10, gRsize @ 1, gRsize @ 2)).answer(sample(), RunOptions())


def failed(result: FidelityResult, measure: Measure) -> set[tuple[str, str]]:
    rows = result.tables["orderings"].filter((pl.col("measure") == str(measure)) & ~pl.col("upheld"))
    return set(rows.select("expected_better", "expected_worse").rows())


def test_on_the_sample_the_papers_story(on_sample: FidelityResult) -> None:
    """Section 4: AgP' reverses orderings in which a document that is not relevant is first; AgP reverses none by more than chance."""
    first = {(f"{parts}RI", f"{parts}RSI") for parts in ("S", "SL", "SS", "SST")}
    assert failed(on_sample, MAgPsize) == first | {("SSR", "SSRS")}
    orderings = on_sample.tables["orderings"]
    for measure in (MAgP, MAgPsize11):
        reversed_pairs = orderings.filter(pl.col("measure") == str(measure), ~pl.col("upheld"))
        assert (reversed_pairs["p_value"] > 0.5).all()
        assert (reversed_pairs["difference"] > -0.001).all()
    significant = orderings.filter(~pl.col("upheld"), pl.col("p_value") <= 0.05)
    assert set(significant["measure"]) == {"MAgPsize"}
    assert first >= set(significant.select("expected_better", "expected_worse").rows()) >= {("SRI", "SRSI"), ("SSRI", "SSRSI")}
    row = orderings.filter(measure="MAgPsize", expected_better="SRI", expected_worse="SRSI").row(0, named=True)
    assert (row["wins"], row["losses"]) == (0, 29)
    assert row["p_value"] < 0.001


def test_documents_do_not_tell_parts_apart(on_sample: FidelityResult) -> None:
    for measure in (MAP, RR, gR @ 10, gRsize @ 1):
        found = means(on_sample, measure)
        for ranking in RANKINGS:
            assert len({found[f"{parts}{ranking}"] for parts in PARTS}) == 1


def test_relations_of_table_1(on_sample: FidelityResult) -> None:
    first, second, shares = (means(on_sample, measure) for measure in (gP @ 1, gP @ 2, gRsize @ 1))
    both = means(on_sample, gRsize @ 2)
    for parts in PARTS:
        assert second[f"{parts}RI"] == pytest.approx(first[f"{parts}R"] / 2, abs=1e-12)
        assert second[f"{parts}R"] == pytest.approx(second[f"{parts}RS"], abs=1e-12)
        assert both[f"{parts}RI"] == pytest.approx(shares[f"{parts}R"], abs=1e-12)
        assert first[f"{parts}RI"] == first[f"{parts}RSI"] == shares[f"{parts}RI"] == 0
    assert means(on_sample, MAgP)["SR"] == means(on_sample, MAgPsize)["SR"] == means(on_sample, MAgPsize11)["SR"] == 1


def test_differences_are_those_of_the_means(on_sample: FidelityResult) -> None:
    table = on_sample.tables["orderings"]
    assert table.filter(pl.sum_horizontal("wins", "ties", "losses") != 29).is_empty()
    for measure in (MAgP, MAP):
        found = means(on_sample, measure)
        for row in table.filter(pl.col("measure") == str(measure)).iter_rows(named=True):
            assert row["difference"] == found[row["expected_better"]] - found[row["expected_worse"]]


def test_p_values_are_those_of_scipy() -> None:
    """Computed from the scores of the simulated runs themselves."""
    source = sample()
    assert isinstance(source.structure, Structure)
    runs = runs_of_parts(source.assessments, source.structure)
    assert isinstance(runs, Runs)
    per_topic = scores(MAgP).answer(Collection(source.assessments, runs, source.structure), RunOptions()).tables["per_topic"]
    by_run = {str(run): part["score"].to_numpy() for (run,), part in per_topic.group_by("run_id")}
    for row in fidelity(MAgP).answer(source, RunOptions()).tables["orderings"].iter_rows(named=True):
        better, worse = by_run[row["expected_better"]], by_run[row["expected_worse"]]
        if row["p_value"] is None:
            assert abs(better - worse).max() <= 1e-12
        else:
            assert row["p_value"] == pytest.approx(stats.ttest_rel(better, worse).pvalue, rel=1e-9)
            assert row["wins"] == int(((better - worse) > 1e-12).sum())


def test_curves_by_hand() -> None:
    """A document that is not relevant is first: the relevant documents of topic 1 are at ranks 2 and 3, that of topic 2 at rank 2."""
    result = fidelity((RR, MAP)).answer(collection(), RunOptions())
    curves = result.tables["curves"]
    assert curves.columns == ["parts", "ranking", "measure", "level", "value"]
    assert curves["measure"].unique().to_list() == ["MAP"], "reciprocal rank has no curve"
    assert curves.height == len(PARTS) * len(RANKINGS) * 11
    assert (
        curves.select("parts", "ranking").unique(maintain_order=True).equals(result.table.filter(measure="RR").select("parts", "ranking"))
    )
    first = curves.filter(parts="S", ranking="R")
    assert first["level"].to_list() == [level / 10 for level in range(11)]
    assert first["value"].to_list() == [1.0] * 11
    assert curves.filter(parts="SST", ranking="RI")["value"].to_list() == pytest.approx([(2 / 3 + 1 / 2) / 2] * 11)


def test_curves_are_those_of_the_simulated_runs() -> None:
    source = sample()
    assert source.structure is not None
    simulated = source.with_runs(runs_of_parts(source.assessments, source.structure))
    result = fidelity((MAgP, iGP, MAP)).answer(source, RunOptions())
    expected = {
        (run_id, measure, level): value
        for run_id, measure, _, level, value in curve((iGP, MAP)).answer(simulated, RunOptions()).table.rows()
    }
    found = {(parts + ranking, measure, level): value for parts, ranking, measure, level, value in result.tables["curves"].rows()}
    assert found == expected


def test_the_curves_of_the_paper() -> None:
    """Figure 4: the curve of highlighted passages is perfect; other parts are never above it, and whole documents are below elements."""
    curves = fidelity(iGP).answer(sample(), RunOptions()).tables["curves"].filter(ranking="R")
    of = {parts: curves.filter(parts=parts)["value"].to_numpy() for parts in PARTS}
    assert of["S"].tolist() == [1.0] * 11
    assert (of["SL"] <= 1.0).all()
    assert (of["SLD"] <= of["SL"]).all()
    assert (of["SST"] <= of["SS"]).all()


def test_measures_without_curves_have_no_table_of_them() -> None:
    assert list(fidelity(MAgP).answer(collection(), RunOptions()).tables) == ["means", "orderings"]
