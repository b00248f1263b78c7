"""`evaluator`: the numbers of `run(scores(…))` to the last bit, the same checks, and scores of other programs."""

from __future__ import annotations

import math
import pickle
import random
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pytest
import pytrec_eval

from inexmetrics import (
    ERR,
    MAP,
    RBP,
    RR,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Measure,
    P,
    R,
    Rprec,
    Success,
    bpref,
    evaluator,
    from_frames,
    infAP,
    nDCG,
    run,
    scores,
)

MEASURES: Final[tuple[Measure, ...]] = (
    MAP, MAP(rel=2), MAP @ 3, P @ 5, P(judged_only=True) @ 5, R @ 5, RR, nDCG, nDCG @ 4, nDCG(gains="exponential") @ 10, Rprec, Success @ 2,
    ERR @ 5, RBP(p=0.9), bpref, infAP,
)  # fmt: skip

Judged = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]


def collection(seed: int) -> tuple[Judged, Ranked]:
    """Random judgements and a random run, with ties, unjudged documents and topics that one of the two lacks."""
    draw = random.Random(seed)
    topics = [f"q{number}" for number in range(draw.randint(1, 6))]
    judged = {topic: {f"d{draw.randrange(30)}": draw.choice([-1, 0, 0, 1, 2, 3]) for _ in range(draw.randint(1, 20))} for topic in topics}
    ranked = {
        topic: {f"d{draw.randrange(40)}": draw.choice([draw.random(), draw.randrange(5), -0.0]) for _ in range(draw.randint(1, 30))}
        for topic in [*topics[draw.randint(0, 1) :], "elsewhere"]
    }
    return judged, {**ranked, topics[-1]: {"d1": 1.0, "d2": 1.0}}


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_every_bit_is_that_of_run(seed: int) -> None:
    judged, ranked = collection(seed)
    whole = run(scores(MEASURES), from_frames(judged, {"x": ranked}))
    made = evaluator(MEASURES, judged)
    for _ in range(2):  # the first call computes what later calls share
        found = made.per_topic(ranked)
        assert set(found) == set(judged)
        for topic, measure, score in whole.tables["per_topic"].select("topic_id", "measure", "score").iter_rows():
            if score is None:
                assert math.isnan(found[topic][measure])
            else:
                assert found[topic][measure] == score, (topic, measure)
        means = made.means(ranked)
        for measure, mean in whole.table.select("measure", "mean").iter_rows():
            assert (mean is None and math.isnan(means[measure])) or means[measure] == mean


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_the_values_of_pytrec_eval() -> None:
    theirs = {"map": "MAP", "recip_rank": "RR", "ndcg_cut_10": "nDCG@10", "P_5": "P@5", "Rprec": "Rprec"}
    for seed in range(40, 60):
        judged, ranked = collection(seed)
        judged = {topic: {name: max(grade, 0) for name, grade in grades.items()} for topic, grades in judged.items()}
        made = evaluator("MAP + RR + nDCG@10 + P@5 + Rprec", judged)
        found = made.per_topic(ranked)
        known = pytrec_eval.RelevanceEvaluator(judged, {"map", "recip_rank", "ndcg_cut.10", "P.5", "Rprec"})
        for topic, values in known.evaluate({topic: {d: float(s) for d, s in docs.items()} for topic, docs in ranked.items()}).items():
            for name, value in values.items():
                ours = found[topic][theirs[name]]
                assert ours == pytest.approx(value, abs=1e-12) or (math.isnan(ours) and not any(judged[topic].values()))


def test_conditions_of_assessors() -> None:
    judged = {"llm": {"1": {"a": 1, "b": 0}}, "human": {"1": {"a": 0, "b": 1}}}
    ranked = {"1": {"a": 2.0, "b": 1.0}}
    made = evaluator('RR ~ assessor("llm") + assessor("human")', judged)
    for _ in range(2):
        assert made.means(ranked) == {'RR ~ assessor("llm")': 1.0, 'RR ~ assessor("human")': 0.5}


def test_every_call_warns_about_topics_as_the_data_do() -> None:
    judged, ranked = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}, {"1": {"a": 1.0}, "4": {"a": 1.0, "b": 0.5}, "3": {}}
    made = evaluator("MAP", judged)
    told: list[list[str]] = []
    for work in (lambda: made.means(ranked), lambda: made.per_topic(ranked), lambda: from_frames(judged, ranked)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            work()
        told.append([str(warning.message) for warning in caught])
        assert all(warning.filename == __file__ and warning.category is CollectionWarning for warning in caught)
    assert told[0] == told[1] == told[2]
    assert told[0][0] == "1 topic of the runs has no assessments and is ignored, with 2 results (4)"
    assert told[0][1] == "2 topics missing from run run are scored 0 where defined (2, 3)"


def test_a_run_on_all_topics_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluator("MAP + nDCG@1", {"1": {"a": 1}}).means({"1": {"b": 1.0, "a": 1.0}}) == {"MAP": 0.5, "nDCG@1": 0.0}


@pytest.mark.parametrize(
    "ranked",
    [
        {"1": {"a": math.nan}},
        {"1": {"a": math.inf}},
        {"1": {"a": "high"}},
        {"1": {"a": 2**53 + 1, "b": 2**53}},
        {"1": {"a": 10**309, "b": 0.5}},
        {"1": {"a": 2e300, "b": 0.5}},
        {"1": {"a": "1,5"}},
        {"1": {1: 0.5, "1": 0.25}},
        {"1": {"": 1.0}},
        {"1": {"\ud800": 1.0}},
        {"other": {"a": 1.0}},
        {},
        {"1": [1.0]},
        {"1": {"a": {"b": 1.0}}},
        {"1": {"a": True, "b": math.nan}},
        {"2": {"a": math.nan}, "1": {"a": 1.0}},
    ],
)
def test_the_checks_are_those_of_the_data(ranked: dict[str, dict[str, float]]) -> None:
    made = evaluator("MAP", {"1": {"a": 1}})
    with pytest.raises(CollectionError) as expected:
        from_frames({"1": {"a": 1}}, {"run": ranked}, order="score")
    with pytest.raises(CollectionError) as found:
        made.means(ranked)
    assert str(found.value) == str(expected.value)


RANKS: Final = "are ([01], .*), … in each topic, as ranks are"
RISING: Final = "never fall down the rows of a topic"


@pytest.mark.parametrize("seed", range(60))
def test_scores_that_may_be_ranks_or_distances_raise_the_doubts_of_the_data(seed: int) -> None:
    draw = random.Random(seed)
    kind = draw.choice(["ranks", "ranks", "rising", "any"])
    names: list[list[object]] = [
        [f"w {number}" for number in range(draw.choice([1, 2, 3, 5]))] if draw.random() < 0.7 else [*range(draw.choice([1, 2, 4]))]
        for _ in range(draw.choice([1, 1, 2, 3]))
    ]
    first = draw.choice([0, 1, 1, 2])
    makers: dict[str, Callable[[int], float]] = {
        "ranks": lambda place: place + first,
        "rising": lambda place: 0.5 * place + draw.choice([0, 0.25]),
        "any": lambda _: draw.randrange(4),
    }
    values = makers[kind]
    ranked: dict[str, dict[object, float]] = {
        f"t{topic}": {name: values(place) for place, name in enumerate(of_topic)} for topic, of_topic in enumerate(names)
    }
    judged = {topic: {"w 0": 1, "0": 1} for topic in ranked}

    def doubts(work: Callable[[], object]) -> tuple[list[str], list[bool]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                work()
            except CollectionError as error:
                return re.findall(RANKS, str(error)), []
        return [], [bool(re.search(RISING, str(warning.message))) for warning in caught]

    assert doubts(lambda: evaluator("RR", judged).means(ranked)) == doubts(lambda: from_frames(judged, {"mine": ranked}))  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        means = evaluator("RR", judged, order="score").means(ranked)  # type: ignore[arg-type]
    assert means == {"RR": run(scores(RR), from_frames(judged, {"mine": ranked}, order="score")).table["mean"].item()}


def test_ranks_as_scores_name_the_ways_on() -> None:
    with pytest.raises(
        CollectionError, match=r'evaluator\(…, order="score"\) reads scores; ranks and distances are read as scores if their signs'
    ):
        evaluator("RR", {"k": {"v": 1}}).means({"k": {"v": 0, "w": 1, "x": 2}})
    assert evaluator("RR", {"k": {"v": 1}}).means({"k": {"v": -0, "w": -1, "x": -2}}) == {"RR": 1.0}
    with pytest.raises(ValueError, match="order"):
        evaluator("RR", {"k": {"v": 1}}, order="rank")  # type: ignore[arg-type]


def test_a_run_without_assessed_documents_is_warned_about_whatever_its_names() -> None:
    for name in ("passage 7", "passage7", "a\nb", 7):
        with pytest.warns(CollectionWarning, match="^1 run retrieved no assessed document: run$") as caught:
            assert evaluator("RR", {"k": {"v": 1}}).means({"k": {name: 0.5}}) == {"RR": 0.0}  # type: ignore[dict-item]
        assert len(caught) == 1
    made = evaluator('RR ~ assessor("a") + assessor("b")', {"a": {"k": {"v": 1}}, "b": {"k": {"w": 1}}})
    with pytest.warns(CollectionWarning, match="no document assessed by b: run"):
        assert made.means({"k": {"v": 0.5}})['RR ~ assessor("a")'] == 1.0


class Found(dict[Any, Any]):
    pass


@pytest.mark.parametrize(
    "ranked",
    [
        {"k": {"a title": 0.5, "another\ttitle": 0.25, "no title": 2.0}},
        {"k": {"a title": True, "another\ttitle": False, "no title": True}},
        {"k": {4: 0.5, "a title": np.int64(3), "\u00e9t\u00e9": np.float32(0.1)}},
        Found({"k": Found({"4": 0.5, "a title": 0.25})}),
    ],
)
def test_names_and_scores_of_other_types_are_read_without_tables(
    ranked: dict[str, dict[str, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = {"k": {"a title": 1, "4": 2, "no title": 0}}
    expected = run(scores((nDCG, RR)), from_frames(judged, {"mine": ranked}, order="score"))
    made = evaluator("nDCG + RR", judged, order="score")
    monkeypatch.setattr("inexmetrics.formula.loops.from_frames", None)
    assert list(made.means(ranked).values()) == expected.table["mean"].to_list()


@pytest.mark.parametrize("score", ["0.25", Decimal("0.25"), np.float16(0.25)])
def test_scores_of_rare_types_are_read_through_tables(score: float) -> None:
    assert evaluator("RR", {"k": {"v": 1}}).means({"k": {"w": 0.5, "v": score}}) == {"RR": 0.5}


def test_equal_scores_are_ordered_by_name_in_any_number() -> None:
    draw = random.Random(3)
    for count in range(1, 40):
        ranked = {"1": {f"d{draw.randrange(99)}": float(draw.randrange(max(count // 3, 1))) for _ in range(count)}}
        judged = {"1": {name: draw.randrange(3) for name in ranked["1"]} | {"other": 1}}
        expected = run(scores(nDCG), from_frames(judged, {"run": ranked})).table["mean"].item()
        assert evaluator("nDCG", judged).means(ranked) == {"nDCG": expected}


def test_a_copy_in_another_process_scores_runs_of_any_length() -> None:
    made = evaluator("MAP + nDCG@2", {"1": {"a": 2, "b": 1}, "2": {"c": 1}})
    copied = pickle.loads(pickle.dumps(made))
    for count in (3, 2, 3):
        ranked = {topic: dict(zip("xab" if topic == "1" else "ycz", (0.75, 0.5, 0.25)[:count], strict=False)) for topic in ("1", "2")}
        assert copied.per_topic(ranked) == made.per_topic(ranked)
        assert made.per_topic(ranked)["1"]["MAP"] == pytest.approx(0.25 if count == 2 else 7 / 12, abs=1e-15)


@pytest.mark.parametrize("large", [1e17, -1e17, np.float32(1e17), 2**53 - 1])
def test_large_scores_are_read_without_tables(large: float, monkeypatch: pytest.MonkeyPatch) -> None:
    made = evaluator("RR", {"k": {"v": 1}})
    monkeypatch.setattr("inexmetrics.formula.loops.from_frames", None)
    assert made.means({"k": {"w": 0.5, "v": large}}) == {"RR": 1.0 if large > 0 else 0.5}


def test_names_with_blanks_and_numpy_scores_are_read_in_full() -> None:
    made = evaluator("RR", {"1": {"a b": 1, "c": 0}})
    for _ in range(2):
        assert made.means({"1": {"c": float(np.float64(0.5)), "a b": np.float64(0.25)}}) == {"RR": 0.5}


def test_what_is_no_measure_of_documents_is_refused() -> None:
    for text in ("MAiP", "MAP ~ Gen5", "MAP ~ pooled(3)", 'P(unit="results")@3', "MAP ~ topics(2)", "EPRUM@0.5"):
        with pytest.raises(FormulaError, match="expected measures of documents"):
            evaluator(text, {"1": {"a": 1}})


def test_a_wrong_formula_is_marked_in_its_own_text() -> None:
    with pytest.raises(FormulaError) as error:
        evaluator("MAP + nDCG@", {"1": {"a": 1}})
    assert error.value.source == "MAP + nDCG@"
    with pytest.raises(FormulaError) as error:
        evaluator("MAP + ndcg@10", {"1": {"a": 1}})
    assert error.value.source is not None
    assert error.value.source[error.value.start : error.value.end] == "ndcg@10"
    assert error.value.hint == "did you mean nDCG@10?"
