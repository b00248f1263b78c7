from __future__ import annotations

import itertools
import math
import multiprocessing
import warnings
from collections.abc import Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inexmetrics import (
    MAP,
    RR,
    Assessments,
    Assessors,
    AssessorsResult,
    Collection,
    CollectionError,
    CollectionWarning,
    Cut,
    FormulaError,
    Gen5,
    Judged,
    MAep,
    Measure,
    P,
    R,
    Scores,
    assessors,
    nDCG,
    nxCG,
    parse,
    run,
    sample,
    scores,
    t,
)
from inexmetrics.collection.schemas import ASSESSORS
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.assessors import set_scores
from inexmetrics.experiments.assessors.set_scores import Switches, buckets, leaders, summary
from inexmetrics.inference.ranks import falling_line
from inexmetrics.measures.document_measures import defined
from inexmetrics.measures.documents import ReciprocalRank
from inexmetrics.ranking.retrieved import Retrieved
from tests.by_hand import Listed, runs_of
from tests.laws.test_measures import LAWFUL
from tests.profiles import up_to
from tests.reference import assessors as reference


def made(opinions: reference.Opinions, rankings: reference.Rankings) -> Collection:
    rows = [
        (topic, assessor, document, grade)
        for topic, by in opinions.items()
        for assessor, grades in by.items()
        for document, grade in grades.items()
    ]
    listed: dict[str, dict[str, Listed]] = {
        run_id: {topic: [(document, None) for document in documents] for topic, documents in by.items()} for run_id, by in rankings.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return Collection(Assessments(assessors=pl.DataFrame(rows, schema=ASSESSORS, orient="row")), runs_of(listed))


def answered(experiment: Assessors, collection: Collection) -> AssessorsResult:
    return experiment.answer(collection, RunOptions())


# ann finds a relevant, bob b; run x returns a first, y b, z neither, w like x
SPLIT = made(
    {"1": {"ann": {"a": 1, "b": 0}, "bob": {"a": 0, "b": 1}}},
    {"w": {"1": ["a", "b"]}, "x": {"1": ["a", "b"]}, "y": {"1": ["b", "a"]}, "z": {"1": ["q"]}},
)


def test_pairs_by_hand() -> None:
    """Four equally likely outcomes: a, b, both, or no document relevant. x is ahead of y if only a is relevant, and behind if only b is relevant."""
    result = answered(assessors(MAP, sets=20_000), SPLIT)
    table = result.tables["switches"]
    assert table.columns == ["better", "worse", "difference", "switch_probability", "p_value"]
    # AP by ann: w and x 1, y 1/2, z 0; the most often switched first, pairs that the baseline ties last
    assert table.select("better", "worse", "difference").rows() == [
        ("w", "y", 0.5), ("x", "y", 0.5), ("w", "z", 1.0), ("x", "z", 1.0), ("y", "z", 0.5), ("w", "x", 0.0),
    ]  # fmt: skip
    first, second, *never, tied = table["switch_probability"].to_list()
    assert first == second == pytest.approx(1 / 4, abs=4 * math.sqrt(3 / 16 / 20_000))
    assert never == [0.0, 0.0, 0.0]
    assert tied is None
    assert table["p_value"].to_list() == [1.0] * 6  # one topic
    # w = x > y > z by the baseline and with a; w = x = y > z with both; w = x < y with b; all tied with none
    rho = result.tables["correlations"]
    assert rho.columns == ["set", "rho"]
    assert rho["set"].to_list() == list(range(1, 20_001))
    counts = {round(value, 6): len(part) for (value,), part in rho.drop_nulls().group_by("rho") if isinstance(value, float)}
    ranks = np.array([[3.5, 3.5, 2, 1], [2.5, 2.5, 4, 1], [3, 3, 3, 1]])
    expected = {round(float(coefficient), 6) for coefficient in np.corrcoef(ranks)[0]}
    assert set(counts) == expected
    assert rho["rho"].null_count() / 20_000 == pytest.approx(1 / 4, abs=0.013)
    assert all(count / 20_000 == pytest.approx(1 / 4, abs=0.013) for count in counts.values())
    assert result.warnings[1].startswith("1 topic is undefined under MAP in some sets, where every run scores 0 for the topic: ")


def test_every_outcome_with_its_probability() -> None:
    """All 2^5 outcomes of five disputed documents over two topics: exact switch probabilities, compared with those of the sets."""
    opinions = {
        "1": {"p": {"a": 1, "b": 1, "c": 0, "d": 1}, "q": {"a": 1, "b": 0, "c": 0, "d": 1}, "r": {"a": 0, "b": 1, "c": 1, "d": 1}},
        "2": {"p": {"e": 1, "f": 0}, "q": {"e": 0, "f": 1}},
    }
    rankings = {
        "x": {"1": ["a", "c", "b", "d"], "2": ["e", "f"]},
        "y": {"1": ["c", "a", "d"], "2": ["u", "f", "e"]},
        "z": {"1": ["b", "d", "a"], "2": ["f"]},
    }
    documents = [(topic, document) for topic, by in opinions.items() for document in sorted(by["p"])]
    chances = {(topic, d): reference.chance(opinions[topic], d, 1, None) for topic, d in documents}
    base = reference.means("MAP", rankings, reference.baseline(opinions), ["1", "2"])
    pairs = [(x, y) if base[x] > base[y] else (y, x) for x, y in itertools.combinations(sorted(rankings), 2)]
    switched = dict.fromkeys(pairs, Fraction(0))
    for outcome in itertools.product([0.0, 1.0], repeat=len(documents)):
        grades: reference.Grades = {"1": {}, "2": {}}
        probability = Fraction(1)
        for (topic, document), grade in zip(documents, outcome, strict=True):
            grades[topic][document] = grade
            probability *= chances[topic, document] if grade else 1 - chances[topic, document]
        here = reference.means("MAP", rankings, grades, ["1", "2"])
        for x, y in pairs:
            switched[x, y] += probability * (here[y] - here[x] > 1e-12)
    table = answered(assessors(MAP, sets=40_000), made(opinions, rankings)).tables["switches"]
    assert {(row["better"], row["worse"]) for row in table.iter_rows(named=True)} == set(pairs)
    assert min(switched.values()) > 0
    for row in table.iter_rows(named=True):
        p = float(switched[row["better"], row["worse"]])
        assert row["switch_probability"] == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 40_000))


DOCUMENTS = ["a", "b", "c", "d", "e"]


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, list[str]]]]:
    """Returns opinions of up to four assessors, who may skip documents, and runs, which may skip topics."""
    opinions = {}
    for topic in draw(st.lists(st.sampled_from(["1", "10", "2"]), min_size=1, unique=True)):
        names = draw(st.lists(st.sampled_from(["p", "q", "r", "s"]), min_size=2, unique=True))
        grades = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0.0, 1.0, 2.0, -1.0]), min_size=1)
        opinions[topic] = {name: draw(grades) for name in names}
    rankings = {}
    for name in draw(st.lists(st.sampled_from(["u", "V", "w", "x"]), min_size=2, unique=True)):
        answered_topics = draw(st.lists(st.sampled_from(sorted(opinions)), min_size=1, unique=True))
        found = st.lists(st.sampled_from([*DOCUMENTS, "y", "z"]), min_size=1, unique=True)
        rankings[name] = {topic: draw(found) for topic in answered_topics}
    return opinions, rankings


MEASURES: Mapping[str, tuple[Measure, float]] = {
    "MAP": (MAP, 1), "MAP(rel=2)": (MAP(rel=2), 2), "P@2": (P @ 2, 1), "R@3": (R @ 3, 1), "RR": (RR, 1), "nDCG": (nDCG, 1), "nDCG@2": (nDCG @ 2, 1),
}  # fmt: skip


@given(
    cases(),
    st.sampled_from(sorted(MEASURES)),
    st.integers(0, 3),
    st.tuples(st.booleans(), st.sampled_from([None, 0.25, 0.5, 1.0]), st.booleans()),
)
@up_to(60)
def test_as_the_definitions_read(
    case: tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, list[str]]]],
    name: str,
    seed: int,
    options: tuple[bool, float | None, bool],
) -> None:
    said, rankings = case
    without, at_least, by_topic = options
    measure, rel = MEASURES[name]
    asked = assessors(measure, sets=12, seed=seed, include_baseline=not without, documents="all" if at_least is None else "common")
    asked = replace(asked, drawn_for="topic" if by_topic else "document")
    # a grade below 0 is no judgement
    judged = {topic: {of: {d: g for d, g in grades.items() if g >= 0} for of, grades in by.items()} for topic, by in said.items()}
    judged = {topic: {of: grades for of, grades in by.items() if grades} for topic, by in judged.items() if any(by.values())}
    opinions: reference.Opinions = judged
    if at_least is not None:
        asked, opinions = replace(asked, at_least=at_least), reference.shared_task(judged, at_least)
    topics = [t for t in sorted(opinions) if any(grade >= rel for by in opinions[t].values() for grade in by.values())]
    kept = {topic: by for topic, by in opinions.items() if topic in topics}
    told_alone = all(set(by) <= set(next(iter(kept[topic].values()))) for topic in topics for by in kept[topic].values())
    one_alone = all(len(by) == 1 for by in kept.values())
    assume(topics and all(any(t in by for t in topics) for by in rankings.values()))
    assume(not without or not (one_alone if at_least is not None else told_alone))
    result = answered(asked, made(said, rankings))
    text = name.partition("(")[0]
    runs = sorted(rankings)
    base = reference.means(text, rankings, reference.baseline(opinions), topics, rel)
    draws = reference.drawn_for_topics if by_topic else reference.drawn
    sets = [reference.means(text, rankings, grades, topics, rel) for grades in draws(opinions, 12, seed, without)]
    expected = [reference.spearman([base[r] for r in runs], [of[r] for r in runs]) for of in sets]
    assert result.tables["correlations"]["rho"].to_list() == pytest.approx(expected, abs=1e-12)
    rows = {(row["better"], row["worse"]): row for row in result.tables["switches"].iter_rows(named=True)}
    assert len(rows) == len(runs) * (len(runs) - 1) // 2
    for (x, y), row in rows.items():
        assert row["difference"] == pytest.approx(base[x] - base[y], abs=1e-12)
        if abs(base[x] - base[y]) <= 1e-12:
            assert row["switch_probability"] is None
            assert x < y
        else:
            assert base[x] > base[y]
            assert row["switch_probability"] == sum(of[y] - of[x] > 1e-12 for of in sets) / 12


def test_the_baseline_scores_as_its_own_judgements() -> None:
    """On the sample, differences and p-values equal those under the first assessor's judgements in other experiments."""
    result = answered(assessors(MAP, sets=3, baseline="third"), sample())
    rows = sample().assessments.assessors
    assert rows is not None
    third = Assessments(grades=rows.filter(pl.col("assessor") == "third").drop("assessor"))
    means = dict(scores(MAP).answer(sample().assessed_as(third), RunOptions()).table.select("run_id", "mean").iter_rows())
    matrix = (
        scores(MAP).answer(sample().assessed_as(third), RunOptions()).tables["per_topic"].sort("run_id", "topic_id")["score"].to_numpy()
    )
    by_run = dict(zip(sorted(means), matrix.reshape(30, 29), strict=True))
    for row in result.tables["switches"].head(40).iter_rows(named=True):
        assert row["difference"] == means[row["better"]] - means[row["worse"]]
        both = np.stack([by_run[row["better"]], by_run[row["worse"]]])
        assert row["p_value"] == t(tails=2).p_values(both, np.array([0]), np.array([1]), RunOptions())[0]
    assert (
        answered(assessors(MAP, sets=3, baseline="first"), sample())
        .tables["switches"]
        .equals(answered(assessors(MAP, sets=3), sample()).tables["switches"])
    )


def test_fewer_sets_are_the_first_of_more() -> None:
    few, many = (answered(assessors(RR, sets=sets), sample()).table for sets in (700, 1300))
    assert many.head(700).equals(few)
    assert not answered(assessors(RR, sets=700, seed=1), sample()).table.equals(few)


def test_leaders_are_the_pairs_of_the_best_runs() -> None:
    result = answered(assessors(MAP, sets=200, top=4), sample())
    best = answered(assessors(MAP, sets=200), sample()).tables["leaders"]
    assert best.height == 45
    leaders = result.tables["leaders"]
    assert leaders.columns == ["better", "worse", "difference", "switch_probability", "p_value", "unstable"]
    ranked = sorted({*best["better"], *best["worse"]}, key=lambda name: -(best["better"] == name).sum())
    assert {*leaders["better"], *leaders["worse"]} == set(ranked[:4])
    assert leaders.height == 6
    assert leaders["unstable"].to_list() == [p > 0.05 for p in leaders["switch_probability"].to_list()]
    assert leaders.drop("unstable").rows() == [row for row in result.tables["switches"].rows() if row in leaders.drop("unstable").rows()]


def test_leaders_that_tie_up_to_rounding_are_the_earlier_ones() -> None:
    baseline = np.array([[0.3], [0.3], [0.1 + 0.2]])  # the third is a little more in floats
    table = Switches.frame(better=["x", "x", "y"], worse=["y", "z", "z"], difference=0.0, switch_probability=0.5, p_value=1.0)
    assert leaders(table, ("x", "y", "z"), baseline, 2).select("better", "worse").rows() == [("x", "y")]


# --- buckets and thresholds


def switched(*rows: tuple[float, float | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"difference": pl.Float64, "switch_probability": pl.Float64}, orient="row")


def test_buckets_by_hand() -> None:
    # .29 is .28999... in floats and .07 a little more than 7 hundredths; both are edges, and belong to the bucket they begin
    table = buckets(switched((0.0, None), (0.004, 0.5), (0.0099, 0.25), (0.29, 0.1), (0.07, 0.2), (0.0799, 0.4)))
    assert table.columns == ["lower", "upper", "pairs", "switch_probability"]
    assert table.select("lower", "upper", "pairs").rows() == [(0.0, 0.01, 2), (0.07, 0.08, 2), (0.29, 0.3, 1)]
    assert table["switch_probability"].to_list() == pytest.approx([0.375, 0.3, 0.1])


def test_thresholds_by_hand() -> None:
    table = buckets(switched((0.005, 0.4), (0.015, 0.2), (0.025, 0.06), (0.035, 0.0), (0.045, 0.05), (0.055, 0.04), (0.065, 0.049)))
    row = summary(np.array([0.9, 0.98, 0.99, 1.0, np.nan]), table).row(0, named=True)
    # .05 is not below .05
    assert row["threshold_bucket"] == 0.05
    # through (.005, .4) (.015, .2) (.025, .06) (.035, 0): means .02, .165; slope (.015*.4+.005*.2-.005*.06)*-1 / .0005 = -13.4
    assert falling_line(table) == pytest.approx((0.165 + 13.4 * 0.02, -13.4))
    assert row["threshold_line"] == pytest.approx((0.433 - 0.05) / 13.4)
    assert falling_line(buckets(switched((0.005, 0.25), (0.015, 0.25)))) is None, "it does not fall"
    assert (row["mean_rho"], row["min_rho"], row["share_above_0_98"]) == (pytest.approx(3.87 / 4), 0.9, 0.5)


@pytest.mark.parametrize(
    ("rows", "bucket", "line"),
    [
        (((0.005, 0.04),), 0.0, None),  # one bucket makes no line
        (((0.005, 0.04), (0.015, 0.3)), None, None),  # the last bucket is not stable, and the line rises
        (((0.005, 0.0), (0.015, 0.3), (0.025, 0.01)), 0.02, None),  # the first is 0: the line ends where it begins
        (((0.0, None),), None, None),  # all pairs tied
        (((0.005, 0.1), (0.015, 0.1)), None, None),  # level
        (((0.005, 0.1), (0.095, 0.01)), 0.09, 0.055),  # buckets between are empty
    ],
)
def test_thresholds_that_are_not_there(rows: tuple[tuple[float, float | None], ...], bucket: float | None, line: float | None) -> None:
    found = summary(np.array([np.nan]), buckets(switched(*rows))).row(0, named=True)
    assert found == {
        "mean_rho": None, "min_rho": None, "share_above_0_98": None, "threshold_bucket": bucket,
        "threshold_line": None if line is None else pytest.approx(line),
    }  # fmt: skip


# --- what not all assessors judged


UNEVEN = [("1", d, a, g) for a in ("as0", "as1", "as2") for d, g in (("a", 1.0), ("b", 0.0), ("c", 1.0), ("d", 0.0))]
"""Three assessors agree on four documents."""
ONE = "assessors: expected at least two runs to compare, found 1 (group01-a); if a column names the runs, --columns COLUMN=run_id states it"
LISTS = {"r1": {"1": list("abcduvw")}, "r2": {"1": list("uvwbdac")}}


def uneven(*more: tuple[str, str, str, float]) -> Collection:
    opinions: dict[str, dict[str, dict[str, float]]] = {}
    for topic, document, assessor, grade in (*UNEVEN, *more):
        opinions.setdefault(topic, {}).setdefault(assessor, {})[document] = grade
    return made(opinions, LISTS)


def test_an_assessor_who_got_further_does_not_change_who_disagrees() -> None:
    """as1 also judged u, v and w, and found them relevant. Nobody contradicts anybody, so no set may differ from the baseline."""
    further = uneven(*(("1", document, "as1", 1.0) for document in "uvw"))
    result = answered(assessors(MAP, sets=50), further)
    assert result.tables["summary"].row(0)[:2] == (1.0, 1.0)
    assert result.tables["disagreement"].select("documents", "disagreements").row(0) == (4, 0)
    for name in ("correlations", "switches", "disagreement", "pairs"):
        assert result.tables[name].equals(answered(assessors(MAP, sets=50), uneven()).tables[name]), name
    assert result.warnings == (
        "3 of 7 documents were not judged by all assessors of the topic, and are excluded (the baseline judged none of 3); "
        'documents="all" keeps all documents',
        "no document is disputed among the assessors: all sets are the same",
    )
    every = answered(assessors(MAP, sets=50, documents="all"), further)
    assert every.tables["summary"].row(0)[:2] == (-1.0, -1.0)
    assert every.warnings == (
        "3 of 7 documents were not judged by all assessors of the topic; under a baseline assessor who did not judge a document, it counts as not "
        'relevant (the baseline judged none of 3); documents="common" excludes these documents',
        "no document is disputed among the assessors: all sets are the same",
    )


def test_an_assessor_who_stopped_early_is_left_out_of_the_topic() -> None:
    """as3 judged one of four documents, and is not the baseline although the file lists it first."""
    opinions = {"1": {"as3": {"a": 0.0}, **{of: {"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.0} for of in ("as0", "as1")}}}
    result = answered(assessors(MAP, sets=5), made(opinions, LISTS))
    assert result.warnings[0] == "1 assessor judged too few documents of a topic (at_least), and is excluded there: as3 1 of 4 in topic 1"
    assert result.tables["switches"].equals(answered(assessors(MAP, sets=5), uneven()).tables["switches"])
    kept = answered(assessors(MAP, sets=5, at_least=0.25), made(opinions, LISTS))
    assert kept.warnings[0].startswith("3 of 4 documents were not judged by all assessors of the topic")
    assert kept.warnings[1] == "1 topic is undefined under MAP by the baseline, where every run scores 0 for the topic: 1"
    apart = {"1": {"p": {"a": 0.0, "b": 1.0}, "q": {"a": 0.0, "c": 1.0}}}
    with pytest.raises(CollectionError, match='found none among the documents that all assessors of a topic judged; documents="all" keeps'):
        answered(assessors(MAP, sets=5), made(apart, LISTS))


def test_a_grade_below_0_is_no_judgement() -> None:
    whole = answered(assessors(MAP, sets=40), uneven())
    marked = answered(assessors(MAP, sets=40), uneven(*(("1", document, "as1", -1.0) for document in "uvw")))
    assert whole.tables["switches"].equals(marked.tables["switches"])
    assert marked.warnings == whole.warnings


def test_topics_without_a_shared_document_are_told() -> None:
    opinions = {"1": {"p": {"a": 1.0, "b": 0.0}, "q": {"a": 0.0, "b": 1.0}}, "2": {"p": {"a": 1.0}, "q": {"b": 1.0}}}
    result = answered(assessors(MAP, sets=5), made(opinions, {"x": {t: ["a", "b"] for t in "12"}, "y": {t: ["b", "a"] for t in "12"}}))
    assert result.warnings[:2] == (
        "2 of 4 documents were not judged by all assessors of the topic, and are excluded (the baseline judged 1 of 2); "
        'documents="all" keeps all documents',
        '1 topic is without a document that all its assessors judged (documents="all" keeps all documents), and excluded: 2',
    )


# --- what is told


def test_topics_left_without_relevant_documents_are_counted() -> None:
    result = answered(assessors(MAP, sets=500), SPLIT)
    judged = {"1": {"ann": {"a": 1, "b": 0}, "bob": {"a": 0, "b": 1}}}
    barren = sum(not any(grades["1"].values()) for grades in reference.drawn(judged, 500, 0))
    undefined = result.tables["correlations"]["rho"].null_count()
    assert undefined == barren
    assert result.warnings == (
        "1 run retrieved no assessed document: z",
        f"1 topic is undefined under MAP in some sets, where every run scores 0 for the topic: {barren} cases in 500 sets (1 in {barren})",
        f"the rank correlation of {undefined} sets with the baseline is undefined, as all runs tie",
    )
    seed = next(seed for seed in range(50) if not any(any(grades["1"].values()) for grades in reference.drawn(judged, 1, seed)))
    assert answered(assessors(MAP, sets=1, seed=seed), SPLIT).warnings[1].endswith("for the topic: 1 case in 1 set (1 in 1)")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run(assessors(MAP, sets=500), SPLIT)
    assert [(warning.category, str(warning.message)) for warning in told] == [(CollectionWarning, text) for text in result.warnings]


@dataclass(frozen=True, slots=True, repr=False)
class Second(ReciprocalRank):
    """A measure of one's own: the reciprocal rank of the second relevant document, undefined for a topic with fewer than two."""

    word: ClassVar[str] = "second"

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        return defined(view.summed(lambda hits: np.where(hits.numbers == 2, 1 / hits.ranks, 0.0), at), view, at_least=2)


def test_a_measure_that_is_undefined_with_one_relevant_document_scores_0_there() -> None:
    """In topic 2, bob finds only document d relevant."""
    both = {"a": 1, "b": 1}
    opinions: reference.Opinions = {"1": {"ann": both, "bob": both}, "2": {"ann": {"d": 1, "e": 1}, "bob": {"d": 1, "e": 0}}}
    result = answered(
        assessors(Second(), sets=400),
        made(opinions, {"x": {"1": ["a", "b"], "2": ["d", "e"]}, "y": {"1": ["a", "q", "b"], "2": ["d", "q", "e"]}}),
    )
    alone = sum(sum(grades["2"].values()) < 2 for grades in reference.drawn(opinions, 400, 0))
    assert 0 < alone < 400
    undefined = (
        f"1 topic is undefined under second in some sets, where every run scores 0 for the topic: {alone} cases in 400 sets (2 in {alone})"
    )
    assert [text for text in result.warnings if "undefined" in text] == [undefined]
    # the baseline: 1/2 and 1/2 against 1/3 and 1/3; without e, topic 2 is 0 for both
    assert result.tables["switches"].select("difference", "switch_probability").rows() == [(pytest.approx(1 / 6), 0.0)]
    assert result.tables["correlations"]["rho"].to_list() == pytest.approx([1.0] * 400)
    by_bob = answered(assessors(Second(), sets=9, baseline="bob"), made(opinions, {"x": {"1": ["a", "b"]}, "y": {"1": ["a", "q", "b"]}}))
    assert "1 topic is undefined under second by the baseline, where every run scores 0 for the topic: 2" in by_bob.warnings
    assert by_bob.tables["switches"]["difference"].to_list() == pytest.approx([(1 / 2 - 1 / 3) / 2])


def test_topics_left_out_are_told() -> None:
    yes = {"a": 1.0, "b": 1.0}
    opinions: reference.Opinions = {
        "1": {"p": yes, "q": yes},
        "2": {"q": {"a": 1}},  # p did not assess it
        "3": {"p": {"a": 0}, "q": {"a": 0}},  # undefined
        "4": {"p": {"a": 0}, "q": {"a": 1, "b": 1}},  # by p there is nothing
    }
    lists = {topic: ["a", "b"] for topic in opinions}
    collection = made(opinions, {"x": lists, "y": {topic: ["b", "z"] for topic in opinions}})
    result = answered(assessors(MAP, sets=500, baseline="p", documents="all"), collection)
    assert result.warnings[:4] == (
        "1 of 6 documents was not judged by all assessors of the topic; under a baseline assessor who did not judge a document, it counts as not "
        'relevant (the baseline judged none of 1); documents="common" excludes these documents',
        "1 topic is not assessed by the baseline p, and excluded: 2",
        "1 topic is undefined under MAP, as no assessor finds anything relevant, and excluded: 3",
        "1 topic is undefined under MAP by the baseline, where every run scores 0 for the topic: 4",
    )
    # b of topic 4 is assessed by q alone, who finds it relevant: no set leaves the topic without; but half of them tie the runs
    assert [text.split()[:3] for text in result.warnings[4:]] == [["the", "rank", "correlation"]]
    # topics 1 and 4: x scores 1 and 0, y 1/2 and 0
    assert result.tables["switches"].select("better", "worse", "difference").rows() == [("x", "y", 0.25)]
    alone = answered(
        assessors(MAP, sets=5, baseline="p", include_baseline=False, documents="all"),
        made({**opinions, "1": {"p": yes, "q": {"a": 1}}}, {"x": lists, "y": lists}),
    )
    assert alone.warnings[3:5] == (
        "1 document was assessed only by the baseline, and therefore not relevant in any set",
        "no document is disputed among the assessors: all sets are the same",
    )


def test_judgements_of_other_kinds_and_lists_are_told() -> None:
    several = pl.DataFrame(
        [("1", "p", "a", 1.0), ("1", "q", "b", 1.0), ("1", "q", "a", 0.0), ("1", "p", "b", 0.0)], schema=ASSESSORS, orient="row"
    )
    lists = {"1": [("a", 2.0), ("b", 2.0)], "2": [("a", 1.0)]}
    strange: dict[str, Listed] = {"1": [("x", 1.0), ("z", 0.5)]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        collection = Collection(Assessments(assessors=several, topics=("1", "2")), runs_of({"r": lists, "s": lists, "u": strange}))
    result = answered(assessors(P @ 1, sets=2, seed=5), collection)
    assert result.warnings[:4] == (
        "1 topic missing from run u is scored 0 where defined (2)",
        "1 topic is not judged by assessors, and excluded: 2",
        "1 run retrieved no assessed document: u",
        "2 of 3 rankings have documents with equal scores on both sides of rank 1 (P@1)",
    )


def test_a_run_may_answer_none_of_the_topics_that_count() -> None:
    """No assessor finds a relevant document on topic 2, the only topic that z answers; z scores 0 on topic 1, as in `scores`."""
    yes, no = {"a": 1}, {"a": 0}
    opinions: reference.Opinions = {"1": {"ann": yes, "bob": no}, "2": {"ann": no, "bob": no}}
    collection = made(opinions, {"x": {"1": ["a"], "2": ["a"]}, "y": {"1": ["b", "a"]}, "z": {"2": ["a"]}})
    result = answered(assessors(MAP, sets=4), collection)
    assert result.tables["switches"].sort("better", "worse").select("better", "worse", "difference").rows() == [
        ("x", "y", 0.5), ("x", "z", 1.0), ("y", "z", 0.5),
    ]  # fmt: skip
    assert result.warnings[1:3] == (
        "1 topic is undefined under MAP, as no assessor finds anything relevant, and excluded: 2",
        "1 run retrieved no assessed document: z",
    )
    alone = answered(assessors(MAP, sets=4), made(opinions, {"u": {"2": ["a"]}, "z": {"2": ["a"]}}))
    assert alone.tables["switches"].rows() == [("u", "z", 0.0, None, 1.0)]


@pytest.mark.parametrize(
    ("asked", "collection", "message"),
    [
        (assessors(MAP, baseline="fist"), sample(), 'assessors: expected the name of an assessor as baseline, found "fist"; did you mean first?'),
        (
            assessors(MAP, baseline="zoe"),
            sample(),
            'assessors: expected the name of an assessor as baseline, found "zoe"; there are first, second, third, fourth',
        ),
        (assessors(MAP(rel=2)), sample(), "assessors: expected at least one topic for which an assessor finds anything relevant under MAP(rel=2), found none"),
        (assessors(MAP), sample().only(runs="group01-a"), ONE),
        (assessors(MAP), sample().with_runs(None), "assessors: expected runs, found only assessments"),
        (
            assessors(MAP, include_baseline=False),
            made({"1": {"p": {"a": 1}}}, {"x": {"1": ["a"]}, "y": {"1": ["b"]}}),
            "assessors: expected assessors other than the baseline, found none",
        ),
    ],
)  # fmt: skip
def test_data_that_cannot_answer(asked: Assessors, collection: Collection, message: str) -> None:
    with pytest.raises(CollectionError) as error:
        answered(asked, collection)
    assert str(error.value) == message


def test_judgements_of_assessors_are_needed() -> None:
    grades = pl.DataFrame([("1", "a", 1.0)], schema=["topic_id", "doc_id", "grade"], orient="row")
    graded = Collection(Assessments(grades=grades), runs_of({"x": {"1": [("a", None)]}, "y": {"1": [("b", None)]}}))
    with pytest.raises(CollectionError, match=r"^expected judgements by named assessors, found none$"):
        answered(assessors(MAP), graded)
    with pytest.raises(
        CollectionError, match=r"^assessors: expected assessments and runs, found scores by topic, which have no judgements$"
    ):
        assessors(MAP).answer(Scores(("a", "b"), ("1",), {("MAP", "1"): np.zeros((2, 1))}), RunOptions())


# --- terms


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("assessors(measure=MAP, sets=10000, seed=0)", "assessors(MAP)"),
        ("assessors(MAP ~ 1)", "assessors(MAP)"),
        ("assessors(nDCG@10, baseline='ann', top=5, sets=200)", 'assessors(nDCG@10, sets=200, baseline="ann", top=5)'),
        ("assessors(P(rel=2)@5, include_baseline=False)", "assessors(P(rel=2)@5, include_baseline=False)"),
        ("assessors(MAP, at_least=.5, documents='common', drawn_for='document')", "assessors(MAP)"),
        ("assessors(MAP, drawn_for='topic', at_least=.6)", 'assessors(MAP, at_least=0.6, drawn_for="topic")'),
        ("assessors(MAP, documents='all')", 'assessors(MAP, documents="all")'),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical, Assessors) == parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("assessors(MAP + RR)", "assessors: expected one measure, found 2"),
        ("assessors(MAP ~ Gen5)", "assessors: expected no quantisation, found Gen5"),
        ("assessors(MAP ~ 1 + Gen5)", "assessors: expected no quantisation, found 1 + Gen5"),
        (
            'assessors(given("ERR@20"))',
            'assessors: expected a measure that can be computed on many sets of judgements, found given("ERR@20")',
        ),
        ("assessors(Judged@10)", "assessors: expected a measure that can be computed on many sets of judgements, found Judged@10"),
        ("assessors(RBPresidual)", "assessors: expected a measure that can be computed on many sets of judgements, found RBPresidual"),
        (
            'assessors(P(unit="results")@5)',
            'assessors: expected a measure that can be computed on many sets of judgements, found P(unit="results")@5',
        ),
        ("assessors(MAP, sets=0)", "assessors: sets: expected an integer from 1 to 10000000, found 0"),
        ("assessors(MAP, top=1)", "assessors: top: expected an integer of at least 2, found 1"),
        ("assessors(MAP, baseline=ann)", "assessors: baseline: expected a name in quotes, found ann"),
        ("assessors(MAP, at_least=0)", "assessors: at_least: expected a number above 0 and of at most 1, found 0"),
        ("assessors(MAP, documents='al')", 'assessors: documents: expected "common" or "all", found "al"'),
        ("assessors(MAP, documents='all', at_least=.4)", 'assessors: expected no at_least with documents="all", found 0.4'),
        ("assessors(MAP | t)", "assessors takes no significance test, found t"),
    ],
)
def test_formulas_that_mean_nothing(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as error:
        parse(text)
    assert error.value.message == message


def test_the_hint_names_exactly_the_measures_that_are_accepted() -> None:
    """Every measure of the lexicon, and every family at a cutoff, is in the list or is rejected."""
    with pytest.raises(FormulaError) as error:
        assessors(Judged @ 10)
    assert error.value.hint is not None
    named = set(error.value.hint.removeprefix("such as ").split(", "))
    assert {"MAP", "MAP@10", "P@10", "DCG@10", "RBP"} <= named
    for measure in chain.from_iterable(LAWFUL.values()):
        if measure.quantised != "required" and (not isinstance(measure, Cut) or measure.at in {1}):
            text = str(measure).replace("@1", "@10")
            try:
                assessors(measure)
            except FormulaError:
                assert text not in named
            else:
                assert text in named


def test_measures_that_are_of_no_documents() -> None:
    with pytest.raises(FormulaError, match=r"^assessors: expected a quantisation for MAep"):
        assessors(MAep)
    with pytest.raises(FormulaError, match=r"^assessors: expected no quantisation, found Gen5"):
        assessors(nxCG @ 10, Gen5)  # type: ignore[arg-type]


# --- where it runs


def compare(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = assessors(MAP, sets=1300)
    here = experiment.answer(sample(), RunOptions())
    monkeypatch.setattr(set_scores, "WORK", 1)
    steps: list[tuple[str, int, int]] = []
    there = experiment.answer(sample(), RunOptions(executor=executor, progress=lambda *step: steps.append(step)))
    assert [step for step in steps if step[0] == "assessment sets"] == [("assessment sets", done, 3) for done in range(4)]
    assert here.tables.keys() == there.tables.keys()
    for name, table in here.tables.items():
        assert table.equals(there.tables[name]), name


def test_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadPoolExecutor(3) as executor:
        compare(executor, monkeypatch)


@pytest.mark.slow
def test_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        compare(executor, monkeypatch)
