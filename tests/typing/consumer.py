"""Code of a strictly typed user; checked by mypy, never run. An ignore with a code marks a mistake that mypy must find."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import assert_type

import numpy as np
import pandas
import polars as pl
from numpy.typing import NDArray
from pandera.typing.polars import DataFrame

from inexmetrics import (
    BH,
    BY,
    EPRUM,
    MAEPRUM,
    MAP,
    RR,
    Agreement,
    AgreementResult,
    AssessorAgreement,
    AssessorsResult,
    BinExh,
    CalibrationResult,
    Collection,
    CorrelationResult,
    CurveResult,
    Cut,
    DegradationResult,
    DesignResult,
    EPRUMk,
    ErrorRateResult,
    Experiment,
    F,
    Family,
    FidelityResult,
    Gen5,
    GenLifted,
    JudgesResult,
    MAep,
    MAgP,
    MAgPsize,
    MAiP,
    Measure,
    MetaResult,
    Navigation,
    P,
    PowerResult,
    Preparation,
    Quantisation,
    RanksResult,
    ReliabilityResult,
    Result,
    Runs,
    Scores,
    ScoresResult,
    SetF,
    SetP,
    SetR,
    SignificanceResult,
    Structure,
    Term,
    Topics,
    VersusResult,
    agreement,
    assessor,
    assessor_agreement,
    assessors,
    bep,
    bootstrap,
    by_grade,
    calibration,
    char_f1,
    correlation,
    curve,
    degradation,
    design,
    distance,
    either,
    error_rate,
    estimated,
    evaluator,
    fidelity,
    from_frames,
    given,
    gP,
    gR,
    group_by_document,
    gRsize,
    hierarchy,
    iGP,
    inex_eval,
    inex_eval_report,
    iP,
    judges,
    jury,
    keep_characters,
    keep_first,
    links,
    locate_quotations,
    measure,
    meta,
    min_size,
    nDCG,
    none,
    nxCG,
    parse,
    pool,
    pool_coverage,
    pooled,
    power,
    quantisation,
    ranks,
    read_assessments,
    read_links,
    read_runs,
    read_structure,
    read_topics,
    reliability,
    remove_overlap,
    retrieve,
    run,
    sample,
    sampled,
    scores,
    scores_from,
    significance,
    t,
    threshold,
    tolerance,
    topics,
    tukey,
    unadjusted,
    versus,
    votes,
    weighted,
    wilcoxon,
    without_too_small,
    write_runs,
)
from inexmetrics.collection.schemas import Links, Results
from inexmetrics.experiments.assessors.judged_topics import Disagreement
from inexmetrics.experiments.paired_conclusions import Differences
from inexmetrics.experiments.scores_tables import PerTopic
from inexmetrics.measures.cumulated_gain import NxCG
from inexmetrics.preparation.overlap import GroupByDocument
from inexmetrics.preparation.truncation import KeepFirst


def each_experiment_has_its_result(collection: Collection) -> None:
    assert_type(run(agreement(Gen5, BinExh, measure=MAep), collection), AgreementResult)
    assert_type(run(assessors(MAP, sets=200, baseline="first"), collection), AssessorsResult)
    assert_type(assessor_agreement(collection, rel=2), AssessorAgreement)
    assert_type(run(agreement((MAep, nxCG @ 25), (Gen5, BinExh), test=t(tails=2), correction=BH), collection), AgreementResult)
    assert_type(run(agreement((MAP, MAgP)), collection), AgreementResult)
    assert_type(run(agreement((MAep, nxCG @ 25), Gen5, of="measures"), collection), AgreementResult)
    assert_type(run(agreement((MAep, nxCG @ 25), (Gen5, None), of="conditions"), collection), AgreementResult)
    assert_type(run(agreement(measure=(MAP, MAgP), test=t), collection), AgreementResult)
    assert_type(run(scores(MAep, Gen5), collection), ScoresResult)
    assert_type(run(parse("scores(MAP)", Experiment), collection), Result)
    assert_type(run(scores((MAP, P @ 10, nDCG, nDCG @ 10)), collection), ScoresResult)
    assert_type(run(significance(MAep, (Gen5, GenLifted), test=wilcoxon, correction=BY(alpha=0.01)), collection), SignificanceResult)
    assert_type(run(calibration(MAep, Gen5, tests=(bootstrap, t), boards=10), collection), CalibrationResult)
    assert_type(run(meta(MAep, Gen5, correction=BH, within="dataset"), collection), MetaResult)
    assert_type(run(design(MAP, (assessor("llm"), None), truth=assessor("human"), cost=(0.01, 1), topics=25), collection), DesignResult)
    design(MAP, assessor("llm"), truth=assessor("human"))  # type: ignore[call-arg]  # no cost
    assert_type(run(error_rate(MAep, Gen5, tests=(bootstrap, t), splits=10), collection), ErrorRateResult)
    assert_type(run(versus("run1", MAP, test=t, correction=unadjusted), collection), VersusResult)
    assert_type(run(versus(("run1", "run2"), MAP, top=10), collection), VersusResult)
    assert_type(run(fidelity((MAP, P @ 10)), collection), FidelityResult)
    assert_type(run(curve(inex_eval, Gen5), collection), CurveResult)
    assert_type(run(degradation((MAep, MAP), (Gen5, assessor("llm", Gen5)), moves=(0, 0.5), seed=3), collection), DegradationResult)
    assert_type(run(degradation(MAep, Gen5, moves=0.5), collection), DegradationResult)
    assert_type(run(correlation((MAep, nxCG @ 25), Gen5, of="runs", method="kendall"), collection), CorrelationResult)
    assert_type(run(ranks(MAP, test=tukey(b=500)), collection), RanksResult)
    assert_type(run(power((MAP, MAep), Gen5, difference=(0.02, 0.05), topics=50), collection), PowerResult)
    assert_type(run(reliability(MAP, topics=(10, 25)), collection), ReliabilityResult)
    assert_type(run(judges(MAP, (assessor("llm"), assessor("crowd")), truth=assessor("human"), top=5), collection), JudgesResult)
    assert_type(run(judges(assessor("llm"), truth=assessor("human")), collection), JudgesResult)
    judges(MAP, assessor("llm"))  # type: ignore[call-overload]  # no truth
    assert_type(run("scores(MAP)", collection), Result)


def experiments_of_any_kind_have_a_result(text: str, collection: Collection) -> None:
    asked = parse(text)
    if isinstance(asked, Experiment):
        result = run(asked, collection)
        assert_type(result, Result)
        assert_type(result.table, pl.DataFrame)
        print(result.no_such_thing)  # type: ignore[attr-defined]
    if isinstance(asked, Agreement):
        assert_type(run(asked, collection), AgreementResult)


def lists_are_accepted_where_tuples_are(collection: Collection) -> None:
    measures: list[Measure] = [MAP, P @ 10, nDCG]
    assert_type(run(scores(measures), collection), ScoresResult)
    scores([MAP, P @ 10])
    significance([MAep, nxCG @ 25], [Gen5, BinExh])
    agreement([MAP, MAgP])
    agreement(MAep, [Gen5, BinExh])
    judges([MAP], [assessor("llm"), assessor("crowd")], truth=assessor("human"))
    scores(["MAP"])  # type: ignore[list-item]


def judgements_are_typed() -> None:
    scores(MAP, (pooled(10), sampled(0.5, seed=3), None))
    scores((MAep, nxCG @ 25), (pooled(10, Gen5), sampled(0.5, assessor("llm", Gen5))))
    pooled()  # type: ignore[call-overload]  # neither depth nor documents
    pooled(documents=100)
    scores((P @ 10, nDCG @ 10), (weighted(0.25), weighted(0.5, assessor("human"), judge=assessor("llm"), seed=3)))
    scores(P @ 10, estimated("human", judge=assessor("llm")))
    weighted(0.5, judge=P @ 10)  # type: ignore[arg-type]
    sampled("half")  # type: ignore[arg-type]
    agreement(MAP, (topics(25), topics(25, pooled(10), seed=3), None), draws=12, fresh=True)
    judges(MAP, jury("a", "b", pooled(10), by="mean"), truth=assessor("human"))
    jury("a", "b", by="mode")  # type: ignore[arg-type]  # no such rule
    topics("nano.txt")  # type: ignore[arg-type]  # no file of topics


def pictures_are_typed(result: ScoresResult) -> None:
    assert_type(result.save("means.svg", width="column", panel="MAP", title=False, dark=True), None)
    assert_type(result.report("means.html"), None)
    assert_type(result.to_text(width=80, rows="all"), str)
    assert_type(result.finding, str)
    assert_type(result.to_pandas(), pandas.DataFrame)
    assert_type(result.to_pandas("per_topic"), pandas.DataFrame)
    result.to_pandas(1)  # type: ignore[arg-type]
    result.chart(panel="MAP").to_dict()
    result.save("means.svg", width="3.3in")
    result.save("means.svg", width=b"column")  # type: ignore[arg-type]  # column, page, a length or centimetres


def results_are_typed(collection: Collection) -> None:
    result = run(agreement(Gen5, BinExh, measure=MAep), collection)
    assert_type(result.f1, float)
    assert_type(result.precision, float | None)
    assert_type(result.table, pl.DataFrame)
    assert_type(result.to_json(), str)
    with ProcessPoolExecutor() as pool:
        assert_type(run(significance(MAP), collection, executor=pool), SignificanceResult)


def generic_classes_stand_alone(collection: Collection) -> None:
    experiment: Experiment = scores(MAP)
    assert_type(run(experiment, collection), Result)
    families: list[Family] = [nxCG, P, nDCG]
    scores(tuple(family @ 10 for family in families), Gen5)


def formulas_are_typed() -> None:
    assert_type(parse("MAep"), Term)
    assert_type(parse("agreement(Gen5, BinExh, measure=MAep)", Agreement), Agreement)
    assert_type(parse("MAep", Measure), Measure)


def values_are_typed() -> None:
    assert_type(nxCG @ 25, Cut[NxCG])
    scores((MAP @ 100, RR @ 10, nDCG(gains="exponential", unit="results") @ 10, F(beta=2, unit="results") @ 5, SetP, SetR, SetF(beta=0.5)))
    nDCG(gains="exp")  # type: ignore[arg-type]
    MAP(unit="chunks")  # type: ignore[arg-type]
    F(rel=2)(beta="1")  # type: ignore[arg-type]
    measures: tuple[Measure, ...] = (MAep, nxCG @ 25, MAP(rel=2), given("ERR@20"))
    quantisations: tuple[Quantisation, ...] = (Gen5, without_too_small(BinExh), min_size(BinExh, 200), threshold(Gen5, 0.5))
    scores(
        MAEPRUM(items="documents", considered=2), (by_grade(3), by_grade(shares=(0.1, 0.5, 1)), votes, votes(rel=2), assessor("a", votes))
    )
    by_grade(3, shares=(0.5, 1))  # type: ignore[call-overload]  # one or the other
    hierarchy(siblings="yes")  # type: ignore[arg-type]
    scores(measures[:2], quantisations)
    scores(MAP, (assessor("llm"), None, threshold(assessor("human", Gen5), 0.5)))
    assessor(3)  # type: ignore[arg-type]  # a name is a text


def scored_documents_are_typed() -> None:
    measures: tuple[Measure, ...] = (MAgP, MAgP(beta=0.25), MAgP(score="bep", n=1000), MAgP(score="t2i", tolerance=500))
    scores((*measures, gP(score="bep", a=0.1) @ 10, gR @ 10))
    MAgP(n=1000)  # type: ignore[call-overload]  # a parameter of another document score
    gP(score="t2i", beta=1)  # type: ignore[call-overload]
    MAgP(score="recall")  # type: ignore[call-overload]  # no document score
    MAgPsize(score="bep", beta=0.25)  # type: ignore[call-overload]
    iGP(tolerance=500)  # type: ignore[call-overload]  # a tolerance without its score
    gR(beta=0.25)  # type: ignore[operator]  # documents are counted, not scored
    gRsize(score="f")  # type: ignore[operator]
    scores(gP(beta=0.25))  # type: ignore[arg-type]  # a family that was not cut


def characters_are_typed() -> None:
    scores((iP @ 0.01, iP(overlap="unseen") @ 0, MAiP(overlap="unseen"), char_f1, char_f1(budget=4000, repeated="counts")))
    char_f1(repeated="twice")  # type: ignore[arg-type]  # no way to count
    MAiP(overlap="ignore")  # type: ignore[arg-type]
    MAiP(beta=1)  # type: ignore[call-arg]
    iP @ "0.01"  # type: ignore[operator]
    scores(iP)  # type: ignore[arg-type]  # a family that was not cut


def readers_are_typed() -> None:
    navigations: tuple[Navigation, ...] = (
        none,
        hierarchy,
        distance(0.01),
        bep(0.1),
        tolerance(300),
        either(hierarchy, distance(1)),
        clicks,
    )
    scores(tuple(MAEPRUM(navigation=navigation, items="documents") for navigation in navigations), (Gen5, None))
    scores((EPRUM(navigation=hierarchy) @ 0.5, EPRUM(navigation=clicks) @ 1, EPRUMk @ 10), Gen5)
    MAEPRUM(navigation="hierarchy")  # type: ignore[arg-type]  # a word, not a text
    MAEPRUM(navigation=distance)  # type: ignore[arg-type]  # a model that lacks its argument
    EPRUM(items="pages")  # type: ignore[arg-type]
    EPRUMk @ 0.5  # type: ignore[operator]  # a rank, not a level of recall
    scores(EPRUM)  # type: ignore[arg-type]  # a family that was not cut
    distance("far")  # type: ignore[arg-type]
    tolerance(0.5)  # type: ignore[arg-type]
    either(hierarchy, Gen5)  # type: ignore[arg-type]


def runs_are_made_of_documents(documents: pl.DataFrame, structure: Structure) -> None:
    assert_type(retrieve("articles", {"1": "honey"}, unit="leaves", tags=["p"]), Runs)
    assert_type(retrieve(documents, read_topics("topics.xml"), stemmer=str.upper, stop_words="smart.txt"), Runs)
    write_runs(retrieve(["a.xml"], documents), "a.run", "xpath", structure)
    retrieve("articles", {"1": "honey"}, unit="sections")  # type: ignore[arg-type]
    write_runs(documents, "a.run")  # type: ignore[arg-type]
    write_runs(retrieve("articles", "topics.tsv"), "a.run", "csv")  # type: ignore[arg-type]


def runs_are_made_fit(runs: Runs, collection: Collection) -> None:
    assert_type(group_by_document(keep_first(remove_overlap(runs, "correlation"), 100)), Runs)
    assert_type(pool_coverage(pool(runs, 500), collection.assessments), pl.DataFrame)
    assert_type(keep_characters(keep_first(100)(runs), 4000), Runs)
    assert_type((keep_first(100), group_by_document), tuple[KeepFirst, GroupByDocument])
    assert_type(parse("keep_first(100)", Preparation)(runs), Runs)
    remove_overlap(runs, "smallest")  # type: ignore[call-overload]
    keep_first(runs, "100")  # type: ignore[call-overload]
    assert_type(group_by_document(runs, order="document"), Runs)
    assert_type(group_by_document(order="document"), GroupByDocument)
    group_by_document(collection)  # type: ignore[call-overload]
    group_by_document(runs, order="score")  # type: ignore[call-overload]


def scores_of_numpy_are_scores(ranked: dict[str, dict[str, np.float32]], words: dict[str, dict[str, str]]) -> None:
    assert_type(evaluator("MAP", {"1": {"a": 1}}).means(ranked), dict[str, float])
    evaluator("MAP", {"1": {"a": 1}}).per_topic(words)  # type: ignore[arg-type]


def the_evaluator_is_followed(collection: Collection) -> None:
    assert_type(run(scores(MAgP(beta=0.25)), collection, compat="inex_eval"), ScoresResult)
    run(scores(MAgP), collection, compat="trec_eval")  # type: ignore[call-overload]


def results_of_the_new_experiments_have_their_experiment(collection: Collection) -> None:
    assert_type(run(fidelity(MAgP), collection).experiment.measures, tuple[Measure, ...])
    assert_type(run(degradation(MAEPRUM(navigation=hierarchy), Gen5), collection).experiment.moves, float | tuple[float, ...])
    assert_type(run(assessors(MAP), collection).experiment.baseline, str | None)
    assert_type(run(versus("run1", MAiP, top=10), collection).tables["grid"], pl.DataFrame)
    assert_type(run(curve((MAiP, iGP, MAEPRUM)), collection), CurveResult)
    assert_type(assessor_agreement(collection).disagreement, DataFrame[Disagreement])
    assert_type(run(scores(MAP), collection).per_topic, DataFrame[PerTopic])
    assert_type(run(agreement((MAP, MAgP)), collection).differences, DataFrame[Differences])
    assert_type(PerTopic.validate(pl.read_parquet("scores.parquet")), DataFrame[PerTopic])
    fidelity(MAgP, moves=0.5)  # type: ignore[call-arg]
    degradation(MAep, Gen5, moves="all")  # type: ignore[arg-type]
    assessors(MAP, baseline=1)  # type: ignore[arg-type]


def data_is_typed() -> None:
    assert_type(read_topics("topics.xml"), Topics)
    assert_type(read_topics("topics.xml")["2009001"].title, str | None)
    assert_type(read_links("links.csv"), DataFrame[Links])
    assert_type(read_runs("runs").results, DataFrame[Results])
    read_assessments("topic-203.xml", structure=read_structure("articles/"))
    assessments = read_assessments(["a.qrels", "b.qrels"])
    assert_type(Collection(assessments, read_runs("runs")), Collection)
    assert_type(from_frames(pl.DataFrame(), pl.DataFrame()), Collection)
    from_frames({"llm": pl.DataFrame(), "human": [pl.DataFrame(), pl.DataFrame()], "crowd": {"1": {"d": 1.0}}}, pl.DataFrame())
    read_assessments({"llm": "a.qrels", "human": ["b.qrels", "c.xml"]})
    read_assessments("a.qrels", grades=(0, 3))
    assert_type(locate_quotations({"d": "text"}, pl.DataFrame()).passages, pl.DataFrame)
    assert_type(scores_from("ap.csv", measure="MAP"), Scores)
    assert_type(sample().only(topics=["203"]), Collection)
    assert_type(inex_eval_report(scores(MAgP(score="t2i")), sample(), compat="inex_eval", per_topic=True), str)


@quantisation
def HalfSpec(e: pl.Expr, s: pl.Expr) -> pl.Expr:
    return s / 2


@measure
def first_gain(gains: NDArray[np.float64], ideal: NDArray[np.float64]) -> float:
    return float(gains[0] / ideal[0])


@measure(of="documents")
def unjudged(grades: NDArray[np.float64], judged: NDArray[np.float64]) -> float:
    return float(np.isnan(grades).mean())


@measure(of="results")
def shown(highlighted: NDArray[np.float64], new: NDArray[np.float64], sizes: NDArray[np.float64], total: float) -> float:
    return float(np.nansum(new) / total)


@links
def clicks() -> pl.DataFrame:
    return read_links("clicks.csv")


@links(steps=2)
def far_clicks() -> pl.DataFrame:
    return read_links("clicks.csv")


def own_words_are_typed() -> None:
    scores(first_gain, HalfSpec)
    scores((unjudged, shown))
    measure(of="results")(len)  # type: ignore[arg-type]  # another function
    measure(of="chunks")  # type: ignore[call-overload]
    scores(MAEPRUM(navigation=either(clicks, far_clicks)))
    links(steps="2")  # type: ignore[call-overload]


def mistakes_are_caught(collection: Collection) -> None:
    agreement(Gen5, BinExh, measure=Gen5)  # type: ignore[call-overload]  # a quantisation where a measure is due
    agreement(Gen5, MAep, measure=MAep)  # type: ignore[call-overload]  # a measure where a quantisation is due
    agreement(Gen5, BinExh, measure=nxCG)  # type: ignore[call-overload]  # a family that was not cut
    agreement(MAP)  # type: ignore[call-overload]  # a single condition
    agreement(MAep, Gen5)  # type: ignore[call-overload]
    agreement((MAP, MAgP), of="topics")  # type: ignore[call-overload]  # runs are compared, under conditions
    agreement(Gen5, BinExh, measur=MAep)  # type: ignore[call-overload]  # a wrong keyword
    scores(nxCG, Gen5)  # type: ignore[arg-type]
    scores(MAep, MAep)  # type: ignore[arg-type]
    significance(MAP, test=BY)  # type: ignore[arg-type]
    significance(MAP, tets=t)  # type: ignore[call-arg]
    bootstrap(draws=100)  # type: ignore[call-arg]
    bootstrap(b="100")  # type: ignore[arg-type]
    nxCG @ 0.5  # type: ignore[operator]
    MAP @ 0.5  # type: ignore[operator]
    MAgP @ 10  # type: ignore[operator]  # it has no cutoff
    scores(MAP + P @ 10)  # type: ignore[operator]  # in Python, a tuple
    significance(MAP | t)  # type: ignore[operator]  # in Python, an argument
    scores(MAep, ~Gen5)  # type: ignore[operator]
    assessors((MAP, P @ 10))  # type: ignore[arg-type]  # one measure at a time
    assessors(P)  # type: ignore[arg-type]  # a family that was not cut
    correlation((MAP, P @ 10), of="systems")  # type: ignore[arg-type]
    run(MAep, collection)  # type: ignore[call-overload]  # a measure is no experiment
    print(run(agreement(Gen5, BinExh, measure=MAep), collection).recal)  # type: ignore[attr-defined]
    inex_eval_report(curve(MAP), collection)  # type: ignore[arg-type]
    without_too_small(MAep)  # type: ignore[arg-type]
