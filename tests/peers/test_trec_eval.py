"""Document measures equal trec_eval's values on its own test files, on real runs, and on arbitrary runs, ties included."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st

from inexmetrics import (
    MAP,
    RR,
    Collection,
    CollectionWarning,
    Measure,
    P,
    R,
    Rprec,
    Success,
    bpref,
    from_frames,
    infAP,
    nDCG,
    read_assessments,
    read_runs,
    run,
)
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import means
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import curves_of, scores_of
from tests.profiles import up_to

Grades = dict[str, dict[str, int]]
Retrieved = dict[str, dict[str, float]]

NAMES: dict[Measure, str] = {
    MAP: "map",
    RR: "recip_rank",
    P @ 1: "P_1",
    P @ 10: "P_10",
    P @ 1000: "P_1000",
    R @ 5: "recall_5",
    R @ 100: "recall_100",
    nDCG: "ndcg",
    nDCG @ 5: "ndcg_cut_5",
    nDCG @ 10: "ndcg_cut_10",
    nDCG @ 1000: "ndcg_cut_1000",
    MAP @ 1: "map_cut_1",
    MAP @ 5: "map_cut_5",
    MAP @ 1000: "map_cut_1000",
}
"""Measures by trec_eval's names for them."""


def collected(grades: Grades, retrieved: Retrieved) -> Collection:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return from_frames(grades, retrieved, order="score")


def assert_as_trec_eval(
    collection: Collection, by_topic: dict[str, dict[str, float]], names: dict[Measure, str], atol: float = 1e-12
) -> None:
    scores = scores_of(collection, [Condition(measure) for measure in names], RunOptions())
    for measure, name in names.items():
        (row,) = scores.matrix(str(measure))
        # what is undefined here counts 0 there
        expected = [by_topic.get(topic, {}).get(name, 0.0) for topic in scores.topics]
        np.testing.assert_allclose(np.nan_to_num(row), expected, rtol=0, atol=atol, err_msg=name)


GRADES = st.dictionaries(
    st.sampled_from(["1", "2", "30"]),
    # trec_eval does not end on topics with negative grades alone
    st.dictionaries(st.sampled_from("abcdefghij"), st.sampled_from([-1, 0, 1, 1, 2, 3]), min_size=1).filter(
        lambda judged: max(judged.values()) >= 0
    ),
    min_size=1,
)
SCORES = st.dictionaries(
    st.sampled_from(["1", "2", "30"]),
    st.dictionaries(st.sampled_from("abcdefghijklmno"), st.sampled_from([0.0, -1.0, 0.5, 2.0, 2.5]), min_size=1),
    min_size=1,
)
FAMILIES = {"map", "recip_rank", "P.1,10,1000", "recall.5,100", "ndcg", "ndcg_cut.5,10,1000", "map_cut.1,5,1000", "iprec_at_recall"}


def by_trec_eval(grades: Grades, scores: Retrieved, rel: int = 1) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(grades, FAMILIES, relevance_level=rel).evaluate(scores)
    return found


@given(grades=GRADES, scores=SCORES)
@up_to(80)
def test_arbitrary_runs_with_ties(grades: Grades, scores: Retrieved) -> None:
    assume(grades.keys() & scores.keys())
    assert_as_trec_eval(collected(grades, scores), by_trec_eval(grades, scores), NAMES)


@given(grades=GRADES, scores=SCORES, rel=st.sampled_from([1, 2, 3]))
@up_to(80)
def test_the_lowest_relevant_grade(grades: Grades, scores: Retrieved, rel: int) -> None:
    assume(grades.keys() & scores.keys())
    measures: dict[Measure, str] = {
        MAP(rel=rel): "map",
        MAP(rel=rel) @ 5: "map_cut_5",
        RR(rel=rel): "recip_rank",
        P(rel=rel) @ 10: "P_10",
        R(rel=rel) @ 5: "recall_5",
    }
    assert_as_trec_eval(collected(grades, scores), by_trec_eval(grades, scores, rel), measures)


@given(grades=GRADES, scores=SCORES, rel=st.sampled_from([1, 2, 3]))
@up_to(80)
def test_measures_for_incomplete_judgements_to_the_bit(grades: Grades, scores: Retrieved, rel: int) -> None:
    assume(grades.keys() & scores.keys())
    names: dict[Measure, str] = {
        bpref(rel=rel): "bpref",
        infAP(rel=rel): "infAP",
        Rprec(rel=rel): "Rprec",
        Success(rel=rel) @ 1: "success_1",
        Success(rel=rel) @ 5: "success_5",
    }
    expected = pytrec_eval.RelevanceEvaluator(grades, {"bpref", "infAP", "Rprec", "success.1,5"}, relevance_level=rel).evaluate(scores)
    assert_as_trec_eval(collected(grades, scores), expected, names, atol=0.0)


@given(grades=GRADES, scores=SCORES, rel=st.sampled_from([1, 2, 3]))
@up_to(80)
def test_judged_documents_only(grades: Grades, scores: Retrieved, rel: int) -> None:
    assume(grades.keys() & scores.keys())
    names: dict[Measure, str] = {
        MAP(rel=rel, judged_only=True): "map",
        MAP(rel=rel, judged_only=True) @ 3: "map_cut_3",
        RR(rel=rel, judged_only=True): "recip_rank",
        Rprec(rel=rel, judged_only=True): "Rprec",
        P(rel=rel, judged_only=True) @ 3: "P_3",
        R(rel=rel, judged_only=True) @ 3: "recall_3",
        Success(rel=rel, judged_only=True) @ 2: "success_2",
        nDCG(judged_only=True): "ndcg",
        nDCG(judged_only=True) @ 3: "ndcg_cut_3",
    }
    asked = {"map", "map_cut.3", "recip_rank", "Rprec", "P.3", "recall.3", "success.2", "ndcg", "ndcg_cut.3"}
    evaluator = pytrec_eval.RelevanceEvaluator(grades, asked, relevance_level=rel, judged_docs_only_flag=True)
    assert_as_trec_eval(collected(grades, scores), evaluator.evaluate(scores), names)


@given(grades=GRADES, scores=SCORES)
@up_to(60)
def test_the_curve_of_map_is_interpolated_precision(grades: Grades, scores: Retrieved) -> None:
    relevant = {topic: sum(grade > 0 for grade in grades[topic].values()) for topic in sorted(grades)}
    defined = [topic for topic, n in relevant.items() if n]
    assume(grades.keys() & scores.keys() and defined)
    curves = curves_of(collected(grades, scores), [Condition(MAP)], RunOptions())
    expected = by_trec_eval(grades, scores)
    for tenths, value in enumerate(curves.curves["MAP", "1"][0]):
        # trec_eval rounds: of three relevant documents two are enough for a recall of .7
        if all(int(tenths / 10 * relevant[topic] + 0.9) == -(-tenths * relevant[topic] // 10) for topic in defined):
            by_topic = [expected.get(topic, {}).get(f"iprec_at_recall_{tenths / 10:.2f}", 0.0) for topic in defined]
            assert value == pytest.approx(sum(by_topic) / len(by_topic), abs=1e-12)


PRINTED: dict[str, Measure] = {
    "map": MAP,
    "recip_rank": RR,
    "ndcg": nDCG,
    "Rprec": Rprec,
    "bpref": bpref,
    "infAP": infAP,
    **{f"success_{k}": Success @ k for k in (1, 5, 10)},
    **{f"P_{k}": P @ k for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"recall_{k}": R @ k for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"map_cut_{k}": MAP @ k for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"ndcg_cut_{k}": nDCG @ k for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
}


@pytest.fixture(scope="module")
def printed(shared: Path) -> dict[tuple[str, str], str]:
    """What trec_eval prints of its test files, by name and topic."""
    lines = (line.split() for line in (shared / "trec_eval_out.test.aq").read_text().splitlines())
    return {(name, topic): value for name, topic, value in lines}


def test_its_own_test_files(shared: Path, printed: dict[tuple[str, str], str]) -> None:
    with warnings.catch_warnings():
        # the file is not sorted by score, and has ties across cuts
        warnings.simplefilter("ignore", CollectionWarning)
        runs = read_runs(shared / "trec_eval_results.test", order="score")
        collection = Collection(read_assessments(shared / "trec_eval_qrels.test"), runs)
    conditions = [Condition(measure) for measure in PRINTED.values()]
    scores = scores_of(collection, conditions, RunOptions())
    assert scores.topics == ("301", "302", "303")
    for name, measure in PRINTED.items():
        (row,) = scores.matrix(str(measure))
        assert [f"{score:.4f}" for score in row] == [printed[name, topic] for topic in scores.topics]
        assert f"{means(row):.4f}" == printed[name, "all"]


def test_interpolated_precision_on_its_own_test_files(shared: Path, printed: dict[tuple[str, str], str]) -> None:
    """The rules that docs/other-tools.md states: trec_eval 10 rounds to the nearest integer, trec_eval 9 adds 0.9 and drops decimals."""
    grades, retrieved = Grades(), Retrieved()
    for line in (shared / "trec_eval_qrels.test").read_text().splitlines():
        topic, _, doc_id, grade = line.split()
        grades.setdefault(topic, {})[doc_id] = int(grade)
    for line in (shared / "trec_eval_results.test").read_text().splitlines():
        topic, _, doc_id, _, score, _ = line.split()
        retrieved.setdefault(topic, {})[doc_id] = float(score)
    before = pytrec_eval.RelevanceEvaluator(grades, {"iprec_at_recall"}).evaluate(retrieved)
    means_here = np.zeros(11)
    for topic, scores in retrieved.items():
        ranking = sorted(scores, key=lambda doc_id: (scores[doc_id], doc_id), reverse=True)
        found = np.cumsum([grades[topic].get(doc_id, 0) > 0 for doc_id in ranking])
        precision, relevant = found / np.arange(1, len(found) + 1), sum(grade > 0 for grade in grades[topic].values())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            here = run("curve(MAP)", from_frames({topic: grades[topic]}, {topic: scores}, order="score")).table["value"].to_numpy()
        means_here += here / len(retrieved)
        for tenths in range(11):
            level, name = tenths / 10, f"iprec_at_recall_{tenths / 10:.2f}"
            nearest, added, up = (
                precision[found >= needed].max(initial=0.0)
                for needed in (math.floor(level * relevant + 0.5), int(level * relevant + 0.9), -(-tenths * relevant // 10))
            )
            assert f"{nearest:.4f}" == printed[name, topic]
            assert added == pytest.approx(before[topic][name], abs=1e-12)
            assert up == pytest.approx(here[tenths], abs=1e-12)
    assert (f"{means_here[3]:.4f}", printed["iprec_at_recall_0.30", "all"]) == ("0.2732", "0.2852")


def test_a_real_run_on_real_assessments(shared: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        runs = read_runs(shared / "indri_docs.run.gz", order="score")
        collection = Collection(read_assessments(shared / "inex2009-2010.qrels.gz"), runs)
    scores = scores_of(collection, [Condition(MAP), Condition(nDCG @ 10)], RunOptions())
    assert len(scores.topics) == 120
    assert float(means(scores.matrix("MAP"))[0]) == pytest.approx(0.2503694353126647, abs=1e-12)
    assert float(means(scores.matrix("nDCG@10"))[0]) == pytest.approx(0.5467672475781555, abs=1e-12)
