"""Properties of every measure of the lexicon."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inexmetrics.vocabulary  # noqa: F401  # declares every word
from inexmetrics import Collection, Cut, GenLifted, Measure, Quantisation, evaluator, from_frames, run, scores
from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.base import Uncut
from inexmetrics.scoring.condition import Condition
from inexmetrics.terms.lexicon import lexicon
from inexmetrics.terms.parameter_types import Integer
from tests.examples import own
from tests.laws import texts
from tests.profiles import seen_in_all, up_to

KNOWN_BY_SCORES = {"given"}
NOT_ONE_FOR_THE_IDEAL = {
    # precision and recall at a rank depend on how much there is to find
    *("P", "R", "F", "EPRUMk", "gP", "gR", "gRsize"),
    # the ideal run here goes on to elements that are not relevant
    *("SetP", "SetF"),
    # readers who stop by chance leave something of 1 unread; infAP adds a little to what it counts; a residual is no quality
    *("ERR", "RBP", "infAP", "RBPresidual"),
    # the sum of discounted gains is not divided by that of the ideal list
    "DCG",
}
NOT_REACHED = {"DCG", "ERR", "RBP", "RBPresidual"}
"""Measures whose scores only approach one of their bounds: gains are unbounded, and readers of a list of any length may go on or stop."""

CUTS = (1, 3, 50), (0.01, 0.5, 1.0)
LAWFUL: dict[str, list[Measure]] = {
    str(value): [
        *([value] if isinstance(value, Measure) else []),
        *([Cut(value, at) for at in CUTS[not isinstance(value.cuts, Integer)]] if isinstance(value, Uncut) else []),
    ]
    for entry in own(Measure, Uncut)
    if isinstance(value := entry.value, Measure | Uncut)
}
"""The measures of each word: families at three cutoffs, and without a cutoff if that is valid."""
STATED = {word for word in LAWFUL if "Undefined:" in inspect.getsource(lexicon.entries[word].sort)}
"""Measures whose own docstring states when they are undefined; others are defined for every topic with something relevant."""
ONE_WHERE_ALL_IS_READ = {"MAP"}
"""Measures that, with a cutoff, depend on the number of relevant items."""


def quantisation_of(measure: Measure) -> Quantisation | None:
    return None if measure.quantised == "never" else GenLifted


def quantisations_of(word: str) -> set[Quantisation | None]:
    """Returns the quantisations with which the measures of a word are computed here."""
    first = LAWFUL[word][0]
    return {quantisation_of(first), None} if first.quantised == "optional" else {quantisation_of(first)}


@cache
def all_matrices(of_text: bool, quantisation: Quantisation | None, collection: Collection) -> Mapping[Measure, FloatArray]:
    """Returns the scores of all measures of text, or of elements, runs x topics, in lexicographic order; NaN where undefined."""
    words = [word for word in LAWFUL if LAWFUL[word][0].reads_text == of_text and quantisation in quantisations_of(word)]
    measures = {str(measure): measure for word in words for measure in LAWFUL[word]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = run(scores(tuple(measures.values()), quantisation), collection).tables["per_topic"].sort("run_id", "topic_id")
    runs = table["run_id"].n_unique()
    return {
        measures[name]: rows["score"].to_numpy().reshape(runs, -1)
        for (name, *_), rows in table.partition_by("measure", as_dict=True).items()
    }


def matrices(word: str, quantisation: Quantisation | None, collection: Collection) -> Mapping[Measure, FloatArray]:
    """Returns the scores of the measures of a word; all measures are computed in one call, which takes the time of few."""
    found = all_matrices(LAWFUL[word][0].reads_text, quantisation, collection)
    return {measure: found[measure] for measure in LAWFUL[word]}


@st.composite
def elements(draw: st.DrawFn) -> pl.DataFrame:
    """Returns assessed elements of a few topics; each topic has a highly relevant element."""
    rows = []
    for topic in range(draw(st.integers(1, 4))):
        rows.append((f"t{topic}", "d0", "/article[1]", "2", 1.0, 900))
        for place in range(draw(st.integers(0, 8))):
            e = draw(st.sampled_from(["0", "?", "1", "2"]))
            s = 0.0 if e == "0" else draw(st.sampled_from([0.25, 0.5, 1.0]))
            rows.append((f"t{topic}", f"d{1 + place // 3}", f"/article[1]/sec[{1 + place}]", e, s, 100))
    names = ["topic_id", "doc_id", "path", "exhaustivity", "specificity", "size"]
    return pl.DataFrame(rows, schema=names, orient="row")


def ideal_run(assessed: pl.DataFrame) -> pl.DataFrame:
    """Returns all assessed elements by decreasing gain under GenLifted; documents are in the same order."""
    e = pl.col("exhaustivity").replace_strict({"0": -1.0, "?": 0.0, "1": 1.0, "2": 2.0}, return_dtype=pl.Float64)
    gain = (e + 1) * pl.col("specificity")
    return (
        assessed.with_columns(gain.alias("gain"))
        .sort("topic_id", "gain", descending=[False, True], maintain_order=True)
        .select(pl.lit("ideal").alias("run_id"), "topic_id", "doc_id", "path")
    )


@st.composite
def collections(draw: st.DrawFn) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns assessments, and runs that return some assessed and some other elements in any order."""
    assessed = draw(elements())
    rows = []
    for name in ("a", "b"):
        for topic in assessed["topic_id"].unique().sort():
            known = assessed.filter(topic_id=topic).select("doc_id", "path").rows()
            found = draw(st.lists(st.sampled_from([*known, ("d9", "/article[1]"), ("d9", "/article[1]/sec[1]")]), unique=True, max_size=10))
            rows += [(name, topic, doc_id, path) for doc_id, path in found]
        rows.append((name, assessed["topic_id"][0], "d8", "/article[1]"))
    return assessed, pl.DataFrame(rows, schema=["run_id", "topic_id", "doc_id", "path"], orient="row").unique(maintain_order=True)


def quietly(assessed: pl.DataFrame, runs: pl.DataFrame) -> Collection:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return from_frames(assessed, runs)


@dataclass(frozen=True)
class Drawn:
    """Judgements and runs that hypothesis drew, and collections made of them; all measures are computed on the same ones.

    Attributes:
        whole: The judgements and the runs.
        turned: The same with topics and runs in another order, and judgements upside down.
        topics: The part of each topic with results of two runs, by the topic's number.
        ideal: The judgements, and a run that is ideal for them.
    """

    whole: Collection
    turned: Collection
    topics: Mapping[int, Collection]
    ideal: Collection


@cache
def drawn(*, of_text: bool) -> tuple[Drawn, ...]:
    """Returns the examples of the laws: of highlighted text, or of elements."""
    found: list[Drawn] = []

    @up_to(8)
    @given(texts.collections() if of_text else collections())
    def collect(tables: tuple[pl.DataFrame, pl.DataFrame]) -> None:
        assessed, runs = tables
        whole = quietly(assessed, runs)
        turned = quietly(assessed.reverse(), runs.sort("run_id", "topic_id", descending=True, maintain_order=True))
        topics = {
            number: whole.only(topics=[topic])
            for number, topic in enumerate(whole.topics)
            if runs.filter(topic_id=topic)["run_id"].n_unique() == 2
        }
        found.append(Drawn(whole, turned, topics, quietly(assessed, (texts.ideal_run if of_text else ideal_run)(assessed))))

    collect()
    return tuple(found)


def examples_of(word: str) -> tuple[Drawn, ...]:
    return drawn(of_text=LAWFUL[word][0].reads_text)


@pytest.mark.parametrize("word", LAWFUL)
def test_scores_are_within_their_bounds_and_depend_on_no_order_of_rows(word: str) -> None:
    for quantisation in quantisations_of(word):
        for example in examples_of(word):
            turned = matrices(word, quantisation, example.turned)
            for measure, once in matrices(word, quantisation, example.whole).items():
                lowest, highest = measure.bounds or (0.0, 1.0)
                undefined = np.isnan(once)
                assert (undefined | ((once >= lowest) & (once <= highest + 1e-12))).all(), f"{measure}: {once} not within {measure.bounds}"
                assert (undefined.all(axis=0) == undefined.any(axis=0)).all(), f"{measure}: {once} is undefined for some runs of a topic"
                assert word in STATED or not undefined.any(), f"{measure}: {once}; its docstring needs Undefined:"
                np.testing.assert_array_equal(turned[measure], once, str(measure))


@pytest.mark.parametrize("word", sorted({*LAWFUL} - NOT_REACHED))
def test_some_scores_are_the_bounds(word: str) -> None:
    found: list[float] = []
    for quantisation in quantisations_of(word):
        for example in examples_of(word):
            for collection in (example.whole, example.ideal):
                for matrix in matrices(word, quantisation, collection).values():
                    found += matrix[~np.isnan(matrix)].tolist()
    lowest, highest = LAWFUL[word][0].bounds or (0.0, 1.0)
    if seen_in_all(1):
        told = f"{word}: state the bounds of its scores, which are {min(found)} to {max(found)} here, or name it in NOT_REACHED"
        assert min(found) == lowest, told
        assert max(found) >= highest - 1e-12, told


@pytest.mark.parametrize("word", LAWFUL)
def test_only_discounted_gains_without_a_normaliser_are_unbounded(word: str) -> None:
    unbounded = any(math.inf in (measure.bounds or (math.inf,)) for measure in LAWFUL[word])
    assert unbounded == (word in {"DCG"}), f"{word}: if it has no highest score, name it here; otherwise state the bounds of its scores"


@pytest.mark.parametrize("word", LAWFUL)
def test_which_measures_tell_results_that_were_not_judged_from_others(word: str) -> None:
    reads = any(measure.reads_pool for measure in LAWFUL[word])
    told = f"{word}: name the measures that distinguish unjudged results here"
    assert reads == (word in {"bpref", "infAP", "RBPresidual", "Judged"}), told


@pytest.mark.parametrize("word", [word for word in LAWFUL if word not in NOT_ONE_FOR_THE_IDEAL])
def test_the_ideal_run_scores_1(word: str) -> None:
    for example in examples_of(word):
        found = matrices(word, quantisation_of(LAWFUL[word][0]), example.ideal)
        for measure, matrix in found.items():
            if isinstance(measure, Cut) and word in ONE_WHERE_ALL_IS_READ:
                continue
            where = "ONE_WHERE_ALL_IS_READ" if isinstance(measure, Cut) and measure.uncut in found else "NOT_ONE_FOR_THE_IDEAL"
            told = f"{measure}: if this is right, name {word} in {where}"
            np.testing.assert_allclose(matrix[~np.isnan(matrix)], 1.0, atol=1e-12, err_msg=told)


@pytest.mark.parametrize("word", LAWFUL)
def test_a_topic_scores_by_itself(word: str) -> None:
    """The score of a topic does not depend on other topics, and a part of a collection has the same scores as the whole collection."""
    quantisation = quantisation_of(LAWFUL[word][0])
    for example in examples_of(word):
        whole = matrices(word, quantisation, example.whole)
        for number, part in example.topics.items():
            for measure, found in matrices(word, quantisation, part).items():
                np.testing.assert_array_equal(found[:, 0], whole[measure][:, number], str(measure))


RANKED_DOCUMENTS = {
    word: ranked
    for word, of_word in LAWFUL.items()
    if (ranked := [measure for measure in of_word if Condition(measure).unit == "documents"]) and "EPRUM" not in word
}
"""The measures that `evaluator` computes; EPRUM needs to know the documents that are not judged."""


@pytest.mark.parametrize("measures", [[*chain.from_iterable(RANKED_DOCUMENTS.values())]], ids=["-".join(RANKED_DOCUMENTS)])
@given(data=st.data())
@up_to(30)
def test_in_a_loop_every_measure_of_documents_has_the_bits_of_an_experiment(measures: list[Measure], data: st.DataObject) -> None:
    """Documents without judgements, negative grades, tied scores, and topics that only the run or only the judgements have."""
    names = st.sampled_from([f"d{number}" for number in range(12)])
    judged = data.draw(st.dictionaries(st.sampled_from("1234"), st.dictionaries(names, st.integers(-1, 3), min_size=1), min_size=1))
    ranked = data.draw(st.dictionaries(st.sampled_from("12345"), st.dictionaries(names, st.sampled_from([-0.0, 0.0, 0.5, 0.1, 3.25]))))
    ranked[min(judged)] = {"d1": 0.5, "d0": 0.5, **ranked.get(min(judged), {})}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluator(measures, judged).per_topic(ranked)
        whole = run(scores(tuple(measures)), from_frames(judged, {"run": ranked})).tables["per_topic"]
    expected = {(topic, measure): score for topic, measure, score in whole.select("topic_id", "measure", "score").iter_rows()}
    assert {key: None if math.isnan(found[key[0]][key[1]]) else found[key[0]][key[1]] for key in expected} == expected
    assert len(measures) > 20


def test_what_is_known_only_by_its_scores_is_all_that_is_left_out() -> None:
    assert {entry.word for entry in own(Measure) if entry.value is None} == KNOWN_BY_SCORES
