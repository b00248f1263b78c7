"""The words `pooled` and `sampled`: only the judgements of some documents."""

from __future__ import annotations

import math
import pickle
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    MAEPRUM,
    MAP,
    Assessments,
    BinExh,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Gen5,
    Judged,
    MAep,
    MAgP,
    MAiP,
    Measure,
    RBPresidual,
    Result,
    Scores,
    agreement,
    assessor,
    bpref,
    degradation,
    fidelity,
    from_frames,
    inex_eval,
    infAP,
    keep_first,
    nDCG,
    parse,
    pool,
    pooled,
    run,
    sample,
    sampled,
    scores,
    scores_from,
    significance,
    threshold,
)
from inexmetrics.judgements.base import Judgements
from inexmetrics.quantisations.base import Criterion
from tests.profiles import up_to

RUNS: dict[object, dict[str, dict[str, float]]] = {
    "x": {"1": {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0}, "2": {"e": 2.0, "f": 1.0}},
    "y": {"1": {"d": 5.0, "c": 4.0, "b": 3.0, "a": 2.0}, "2": {"g": 2.0, "e": 1.0}},
}
QRELS = {"1": {"a": 1, "b": 1, "c": 0, "d": 1}, "2": {"e": 0, "f": 1, "g": 0}}


def quietly(experiment: str, collection: Collection | Scores) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return run(experiment, collection)


def kept(judgements: Judgements, collection: Collection) -> Assessments:
    return judgements.read(collection.assessments, collection.runs)


def pairs(assessments: Assessments) -> list[tuple[str, str]]:
    return [(topic, doc) for topic, doc in assessments.judged.iter_rows()]


# --- terms


@pytest.mark.parametrize(
    "text",
    [
        "agreement(MAP ~ 1 + pooled(10) + sampled(0.2))",
        'scores(MAP ~ pooled(10, assessor("llm")))',
        'scores(MAP ~ sampled(0.5, pooled(10, assessor("a"))) + sampled(0.5, seed=3))',
        "scores(MAep ~ sampled(0.5, Gen5, seed=3) + pooled(3, threshold(Gen5, 0.5)))",
        "scores(MAep ~ threshold(pooled(3, Gen5), 0.5))",
        'scores(MAP ~ assessor("a", sampled(0.25)))',
    ],
)
def test_they_print_as_they_parse(text: str) -> None:
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


def test_defaults_and_whole_numbers_are_left_out() -> None:
    assert str(parse("scores(MAP ~ sampled(1.0, seed=0))")) == "scores(MAP ~ sampled(1))"
    assert str(parse("scores(MAP ~ pooled(depth=1e1))")) == "scores(MAP ~ pooled(10))"
    assert sampled(0.5, None, 3) == sampled(0.5, seed=3) != sampled(0.5)


def test_they_part_into_judgements_and_a_quantisation() -> None:
    inside = sampled(0.5, pooled(10, assessor("a", Gen5)), seed=2)
    assert inside.parts == (sampled(0.5, pooled(10, assessor("a")), seed=2), Gen5)
    assert inside.chain == (assessor("a"), pooled(10, assessor("a")), inside)
    assert threshold(pooled(3, Gen5), 0.5).parts == (pooled(3), threshold(Gen5, 0.5))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("scores(MAP ~ pooled(0))", "pooled: depth: expected an integer of at least 1, found 0", None),
        ("scores(MAP ~ pooled(2.5))", "pooled: depth: expected an integer of at least 1, found 2.5", None),
        ("scores(MAP ~ pooled)", "pooled needs arguments, found none", "as in pooled(100)"),
        ("scores(MAP ~ pooled(documents=0))", "pooled: documents: expected an integer of at least 1, found 0", None),
        (
            "scores(MAP ~ pooled(3, documents=2))",
            "pooled: expected a depth or a number of documents, found both",
            "write pooled(10) or pooled(documents=100)",
        ),
        (
            "scores(MAP ~ pooled())",
            "pooled: expected a depth or a number of documents, found neither",
            "write pooled(10) or pooled(documents=100)",
        ),
        ("scores(MAP ~ sampled(0))", "sampled: share: expected a number above 0 and of at most 1, found 0", None),
        ("scores(MAP ~ sampled(1.5))", "sampled: share: expected a number above 0 and of at most 1, found 1.5", None),
        ("scores(MAP ~ sampled(20))", "sampled: share: expected a number above 0 and of at most 1, found 20", None),
        (
            "scores(MAP ~ sampled(0.2, MAP))",
            "sampled: quantisation: expected a quantisation or a selection of judgements, found the measure MAP",
            None,
        ),
        (
            "scores(MAep ~ pooled(10))",
            "scores: expected a quantisation for MAep, found pooled(10), which only selects judgements",
            "name one after '~', as in MAep ~ pooled(10, Gen5)",
        ),
        (
            'scores(MAep ~ sampled(0.5, assessor("a"), seed=2))',
            'scores: expected a quantisation for MAep, found sampled(0.5, assessor("a"), seed=2), which only selects judgements',
            "name one after '~', as in MAep ~ sampled(0.5, assessor(\"a\", Gen5), seed=2)",
        ),
        (
            "scores(MAiP ~ pooled(10, Gen5))",
            "scores: expected no quantisation for MAiP, found pooled(10, Gen5)",
            "write MAiP ~ pooled(10)",
        ),
        (
            'scores(MAP ~ assessor("a", pooled(3, assessor("b"))))',
            'assessor: expected a quantisation that names no assessor, found pooled(3, assessor("b"))',
            'several assessors are joined by +, as in MAP ~ assessor("a") + assessor("b")',
        ),
    ],
)
def test_wrong_formulas(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_seed_is_no_negative_number() -> None:
    with pytest.raises(FormulaError, match="sampled: seed: expected an integer of at least 0, found -1"):
        sampled(0.2, seed=-1)


# --- pools


def test_a_pool_of_a_size_is_that_of_the_function_pool() -> None:
    collection = from_frames(QRELS, RUNS)
    assert collection.runs is not None
    judged = set(pairs(kept(pooled(100), collection)))
    for size in range(1, 6):
        entered = set(pool(collection.runs, size).select("topic_id", "doc_id").rows())
        assert pairs(kept(pooled(documents=size), collection)) == sorted(entered & judged)


def test_a_pool_of_a_size_takes_whole_rounds_whatever_the_names_of_the_runs() -> None:
    """The first round adds a and b. If the pool ended after one document, the name of the run would decide which run scores 1."""
    for x, y in (("x", "y"), ("z", "y")):
        collection = from_frames({"1": {"a": 1, "b": 1}}, {x: {"1": {"a": 2.0}}, y: {"1": {"b": 2.0}}})
        result = run(scores(MAP, pooled(documents=1)), collection)
        assert dict(result.table.select("run_id", "mean").iter_rows()) == {x: 0.5, y: 0.5}
        assert str(result.origin).startswith("1 topic, 2 runs; pools of at least 1: 2 documents a topic; ")


def test_the_line_of_topics_and_runs_reports_the_sizes_of_pools() -> None:
    collection = from_frames(QRELS, RUNS)
    for size, said in ((1, "2 documents"), (3, "3 to 4 documents"), (9, "3 to 4 documents")):
        assert f"; pools of at least {size}: {said} a topic; " in str(quietly(f"scores(MAP ~ pooled(documents={size}))", collection).origin)
    both = quietly("scores(MAP ~ pooled(documents=1) + pooled(documents=3) + pooled(2))", collection)
    assert both.origin.facts == ("pools of at least 1: 2 documents a topic", "pools of at least 3: 3 to 4 documents a topic")
    assert pickle.loads(pickle.dumps(both)).origin.facts == both.origin.facts
    assert both.origin.facts[0] in str(both)
    assert not quietly("scores(MAP ~ pooled(2))", collection).origin.facts


def test_a_pool_of_a_size_prints_as_it_parses() -> None:
    for text in ("pooled(documents=5)", 'pooled(quantisation=assessor("a", Gen5), documents=5)'):
        assert str(parse(f"scores(MAep ~ {text})" if "Gen5" in text else f"scores(MAP ~ {text})")).endswith(f"{text})")
    assert pooled(documents=5) != pooled(5)


def test_a_pool_by_hand() -> None:
    collection = from_frames(QRELS, RUNS)
    assert pairs(kept(pooled(1), collection)) == [("1", "a"), ("1", "d"), ("2", "e"), ("2", "g")]
    assert pairs(kept(pooled(2), collection)) == [("1", "a"), ("1", "b"), ("1", "c"), ("1", "d"), ("2", "e"), ("2", "f"), ("2", "g")]
    with pytest.warns(CollectionWarning, match=r"1 topic is undefined under MAP ~ pooled\(1\) and excluded: 2"):
        result = run(scores(MAP, pooled(1)), collection)
    # x: a at 1, d at 4 of the two that are left; y: d at 1, a at 4
    assert result.table["mean"].to_list() == [(1 + 2 / 4) / 2, (1 + 2 / 4) / 2]
    assert result.table["topics"].to_list() == [1, 1]


def test_the_pool_is_that_of_the_runs_as_they_are_given() -> None:
    collection = from_frames(QRELS, RUNS)
    assert pairs(kept(pooled(1), collection.only(runs="x"))) == [("1", "a"), ("2", "e")]
    assert collection.runs is not None
    shorter = Collection(collection.assessments, keep_first(2)(collection.runs))
    assert pairs(kept(pooled(100), shorter)) == pairs(kept(pooled(2), collection))


def test_results_are_counted_and_not_documents() -> None:
    """Two elements of one document at the top fill a pool of depth 2, so that the next document is not pooled."""
    elements = pl.DataFrame(
        {
            "topic_id": "1", "doc_id": ["d", "d", "e"], "path": ["/a[1]/s[1]", "/a[1]/s[2]", "/a[1]"],
            "exhaustivity": ["2", "1", "2"], "specificity": [1.0, 0.5, 1.0],
        }
    )  # fmt: skip
    found = pl.DataFrame({"run_id": "x", "topic_id": "1", "doc_id": ["d", "d", "e"], "path": ["/a[1]/s[1]", "/a[1]/s[2]", "/a[1]"]})
    collection = from_frames(elements, found)
    read = kept(pooled(2), collection).elements
    assert read is not None
    assert read["path"].to_list() == ["/a[1]/s[1]", "/a[1]/s[2]"]  # all that was judged of the document stays
    assert kept(pooled(3), collection).elements is not None


def test_a_pool_needs_runs() -> None:
    with pytest.raises(CollectionError, match=r"pooled\(3\): expected runs to pool, found only assessments"):
        pooled(3).read(from_frames(QRELS).assessments, None)


# --- samples

STORED = {
    # print(sorted(np.random.Generator(np.random.PCG64(np.random.SeedSequence(7, spawn_key=(place,)))).choice(n, k, replace=False)))
    # with numpy 2.4.6, for (place, n, k) = (0, 10, 3), (1, 4, 2), (2, 1, 1)
    "1": "d2 d7 d9",
    "3": "x y",
    "5": "only",
}


def judged_in_three_topics() -> Collection:
    judged = {"1": [f"d{n}" for n in range(10)], "3": ["w", "x", "y", "z"], "5": ["only"]}
    return from_frames({topic: dict.fromkeys(reversed(documents), 1) for topic, documents in judged.items()})


def test_stored_draws() -> None:
    found = kept(sampled(0.3, seed=7), judged_in_three_topics()).judged
    assert {str(topic): " ".join(part["doc_id"]) for (topic,), part in found.group_by("topic_id", maintain_order=True)} == STORED


@pytest.mark.parametrize(("share", "sizes"), [(0.3, [3, 2, 1]), (0.1, [1, 1, 1]), (0.31, [4, 2, 1]), (1, [10, 4, 1]), (1e-300, [0, 0, 0])])
def test_how_many_documents_are_drawn(share: float, sizes: list[int]) -> None:
    found = kept(sampled(share), judged_in_three_topics()).judged
    assert [found.filter(topic_id=topic).height for topic in "135"] == sizes


def test_a_topic_draws_alike_whatever_the_others_hold() -> None:
    less = judged_in_three_topics().assessments
    assert less.grades is not None
    changed = Assessments(grades=less.grades.filter((pl.col("topic_id") != "1") | (pl.col("doc_id") > "d4")), topics=less.topics)
    drawn = sampled(0.5).read(changed, None).judged
    assert drawn.filter(topic_id="3").equals(sampled(0.5).read(less, None).judged.filter(topic_id="3"))
    # A topic keeps its place though nothing is judged in it.
    none = Assessments(grades=less.grades.filter(pl.col("topic_id") != "1"), topics=less.topics)
    assert sampled(0.5).read(none, None).judged.equals(sampled(0.5).read(less, None).judged.filter(pl.col("topic_id") != "1"))


def test_seeds_and_runs() -> None:
    collection = sample()
    drawn = [pairs(kept(sampled(0.5, seed=seed), collection)) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert pairs(kept(sampled(0.5), collection.only(runs="group01-a"))) == drawn[0] == pairs(kept(sampled(0.5), collection.with_runs(None)))


def test_graded_documents_that_are_not_drawn_stay_in_the_pool() -> None:
    """They are unjudged, as grades of -1 in the files of a sampled pool are: only `infAP` distinguishes them from documents outside the pool."""
    judged = {str(topic): {f"d{n}": float((n * topic) % 3 == 1) for n in range(12)} | {"s": -1.0} for topic in (1, 2)}
    found = {"up": {f"d{n}": n / 7 for n in reversed(range(12))}, "down": {f"d{n}": -n / 7 for n in range(9)} | {"x": 3.5}}
    runs = {run_id: dict.fromkeys("12", ranked) for run_id, ranked in found.items()}
    collection = from_frames(judged, runs)
    part = sampled(0.5, seed=2)
    drawn = kept(part, collection).judged
    assert drawn.height == 12
    assert "s" not in drawn["doc_id"], "an unjudged document is not drawn"
    there = {(topic, document) for topic, document in drawn.iter_rows()}
    marked = {topic: {d: grade if (topic, d) in there else -1.0 for d, grade in grades.items()} for topic, grades in judged.items()}
    alone = {topic: {d: grade for d, grade in grades.items() if (topic, d) in there} for topic, grades in judged.items()}
    for measure in (infAP, MAP, bpref, Judged @ 5, RBPresidual, nDCG, MAP(judged_only=True)):
        scored = run(scores(measure, part), collection).table["mean"].to_list()
        assert scored == run(scores(measure), from_frames(marked, runs)).table["mean"].to_list()
        assert (scored == run(scores(measure), from_frames(alone, runs)).table["mean"].to_list()) == (measure != infAP)


def test_an_assessor_whose_documents_were_not_drawn_judged_nothing() -> None:
    judged = {"topic_id": ["1"] * 3, "assessor": ["ann", "ann", "bob"], "doc_id": ["a", "b", "b"], "grade": [1, 0, 1]}
    of_seeds = [sampled(0.5, seed=seed).read(from_frames(judged).assessments, None) for seed in range(9)]
    assert {tuple(of.assessors.sort("doc_id", "assessor")["grade"]) for of in of_seeds if of.assessors is not None} == {
        (1.0, -1.0),  # of bob, nothing is left
        (-1.0, 0.0, 1.0),
    }


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_samples_of_elements_have_no_pool() -> None:
    for part, said in ((sampled(0.5, BinExh), True), (sampled(0.5), False)):
        found = run(scores(infAP, part), sample()).warnings
        text = f"infAP ~ {part}: the documents that were not drawn count as outside the pool, so that infAP does not estimate average precision"
        assert any(warning.startswith(text) for warning in found) == said


def test_what_is_judged_of_a_document_stays_together() -> None:
    whole = sample().assessments
    part = sampled(0.4).read(whole, None)
    assert part.topics == whole.topics
    assert part.scale == whole.scale
    for name, table in whole.tables.items():
        expected = table.join(part.judged, on=["topic_id", "doc_id"], how="semi", maintain_order="left")
        graded = part.tables[name].filter(pl.col("grade") >= 0.0) if "grade" in table.columns else part.tables[name]
        assert graded.equals(expected)
        assert 0 < expected.height < table.height
    for topic in whole.topics:
        judged = whole.judged.filter(topic_id=topic).height
        assert part.judged.filter(topic_id=topic).height == math.ceil(0.4 * judged - 1e-9)


def test_the_scale_stays_that_of_all_judgements() -> None:
    """If no chosen judgement is a 3, elements of INEX 2004 would otherwise look like elements of INEX 2005."""
    elements = pl.DataFrame(
        {
            "topic_id": "1", "doc_id": ["d", "e", "f"], "path": "/a[1]", "exhaustivity": ["3", "1", "1"], "specificity": [1.0, 1 / 3, 1 / 3],
        }
    )  # fmt: skip
    found = pl.DataFrame({"run_id": "x", "topic_id": "1", "doc_id": ["e", "f"], "path": "/a[1]"})
    assert quietly("scores(MAep ~ pooled(1, AnyRel))", from_frames(elements, found)).table["mean"].to_list() == [1.0]


# --- nesting


def test_they_nest_and_the_inner_one_chooses_first() -> None:
    rows = [("1", name, doc, grade) for name, grade in (("ann", 1.0), ("bob", 0.0)) for doc in "abcd"] + [("1", "ann", "z", 1.0)]
    judged = pl.DataFrame(rows, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
    collection = from_frames(judged, {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}})
    of_bob = kept(sampled(0.5, pooled(3, assessor("bob"))), collection)
    assert of_bob.grades is not None
    assert set(of_bob.judged["doc_id"]) < set("abc")
    assert of_bob.judged.height == 2  # of three, not of four or five
    assert sorted(of_bob.grades["grade"]) == [-1.0, 0.0, 0.0]
    # Assessors named around a sample judge the same documents, those that any of them judged.
    both = [pairs(kept(assessor(name, sampled(0.8)), collection)) for name in ("ann", "bob")]
    assert len(both[0]) == 4
    assert both[1] == [pair for pair in both[0] if pair[1] != "z"]


# --- every measure, as if the others had not been judged


def as_read_anew(judgements: Judgements, collection: Collection) -> Collection:
    """Returns the collection with only the tables of the chosen judgements."""
    chosen = kept(judgements, collection)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return Collection(replace(chosen, dropped=None), collection.runs, collection.structure)


@pytest.mark.parametrize("choice", [pooled(2), sampled(0.3), sampled(0.6, pooled(4), seed=5)], ids=str)
@pytest.mark.parametrize(
    ("measure", "quantisation"),
    [(MAP, None), (nDCG @ 10, None), (MAiP, None), (MAgP, None), (MAep, Gen5), (inex_eval, BinExh), (MAep(task="focused"), Gen5), (MAEPRUM, BinExh)],
    ids=str,
)  # fmt: skip
def test_measures_read_the_judgements_that_stay(measure: Measure, quantisation: Criterion | None, choice: Judgements) -> None:
    part = sample().only(topics=sample().topics[:6], runs=["group01-a", "group03-a", "group07-c"])
    around = parse(f"scores({measure} ~ {choice if quantisation is None else choice.quantised_by(str(quantisation))})")
    alone = scores(measure, quantisation)
    found = quietly(str(around), part).tables["per_topic"].drop("quantisation")
    assert found.equals(quietly(str(alone), as_read_anew(choice, part)).tables["per_topic"].drop("quantisation"))
    assert not found.equals(quietly(str(alone), part).tables["per_topic"].drop("quantisation"))


def test_the_length_of_a_document_that_is_no_longer_judged_stays_known() -> None:
    """The length is a property of the document: retrieved whole, the document counts as irrelevant text of this length."""
    judged = pl.DataFrame(
        {"topic_id": "1", "doc_id": ["a", "b"], "start": [0, None], "length": [30, None], "docchars": [40, 60]},
        schema_overrides={"start": pl.Int64, "length": pl.Int64},
    )
    collection = from_frames(judged, {"x": {"1": {"a": 3.0}}, "y": {"1": {"b": 3.0, "a": 2.0}}})
    assert kept(pooled(1), collection.only(runs="x")).lengths.sort("doc_id").rows() == [("a", 40), ("b", 60)]
    only_a = next(seed for seed in range(20) if pairs(kept(sampled(0.5, seed=seed), collection)) == [("1", "a")])
    found = quietly(f'scores(char_prec + MAgP + MAgP(score="bep", a=1) ~ sampled(0.5, seed={only_a}))', collection).table
    assert found.filter(run_id="y", measure="char_prec")["mean"].to_list() == [30 / 100]


# --- experiments

EXPERIMENTS = (
    "significance(MAP ~ pooled(5) | Holm)",
    "agreement(MAP ~ 1 + pooled(10) + sampled(0.2))",
    "ranks(MAP ~ pooled(3))",
    "power(MAP ~ sampled(0.5))",
    "reliability(MAP ~ sampled(0.5))",
    "error_rate(MAP ~ sampled(0.5), tests=(t, sign), splits=3)",
    'versus("group03-a", MAP ~ pooled(5, assessor("third")))',
    "curve(MAP + MAiP ~ pooled(2))",
    "correlation(MAP ~ pooled(2) + sampled(0.3))",
    "degradation(MAep ~ sampled(0.5, Gen5), moves=(0.5,))",
)


@pytest.mark.parametrize("text", EXPERIMENTS)
def test_experiments_run_and_print_as_they_were_written(text: str) -> None:
    result = quietly(text, sample())
    assert str(result).startswith(text + "\n")
    assert result.table.height


def test_a_whole_sample_and_a_bottomless_pool_of_all_that_is_retrieved_change_nothing() -> None:
    result = run(agreement(MAP, (None, sampled(1))), sample())
    assert (result.precision, result.recall, result.f1) == (1.0, 1.0, 1.0)
    table = run(scores(MAP, (None, sampled(1), pooled(1500))), sample()).table
    assert len({tuple(of["mean"]) for _, of in table.group_by("quantisation")}) <= 2


def test_simulated_runs_have_no_pool() -> None:
    with pytest.raises(FormulaError, match=r"degradation: expected judgements that do not depend on runs.*found pooled\(3, Gen5\)"):
        degradation(MAep, pooled(3, Gen5))
    with pytest.raises(FormulaError, match=r"fidelity: expected no quantisation, found sampled\(0.5\)"):
        parse("fidelity(MAP ~ sampled(0.5))")
    assert str(fidelity(MAP)) == "fidelity(MAP)"


def test_scores_by_topic_cannot_be_judged_anew() -> None:
    matrix = scores_from(np.array([[0.4, 0.5, 0.1], [0.6, 0.5, 0.2]]))
    for source in (matrix, scores_from(np.array([[0.4, 0.5, 0.1], [0.6, 0.5, 0.2]]), MAP)):
        with pytest.raises(
            CollectionError,
            match=r"MAP ~ pooled\(10\): expected assessments and runs, to compute scores under the chosen judgements, found scores",
        ):
            run(significance(MAP, pooled(10)), source)
    # What was scored so and written down is read back.
    saved = scores_from(quietly("scores(MAP ~ pooled(10))", sample()).tables["per_topic"])
    assert quietly("significance(MAP ~ pooled(10))", saved).table.height == 435


def test_runs_that_retrieve_nothing_judged_are_warned_of() -> None:
    collection = from_frames(QRELS, {**RUNS, "z": {"1": {"q": 1.0}, "2": {"q": 1.0}}})
    drawn = next(seed for seed in range(30) if ("1", "b") in pairs(kept(sampled(0.2, seed=seed), collection)))
    found = quietly(f"scores(MAP ~ sampled(0.2, pooled(2), seed={drawn}))", collection)
    assert any(
        warning.startswith("1 run retrieved no document assessed in the pool of depth 2, in a sample of 0.2: z")
        for warning in found.warnings
    )


@up_to(25)
@given(share=st.floats(0.01, 1), seed=st.integers(0, 5), depth=st.integers(1, 6))
def test_what_is_chosen_is_a_part_of_what_was_judged(share: float, seed: int, depth: int) -> None:
    collection = sample().only(topics=sample().topics[:3])
    everything = set(pairs(collection.assessments))
    drawn, deep, deeper = (set(pairs(kept(choice, collection))) for choice in (sampled(share, seed=seed), pooled(depth), pooled(depth + 1)))
    assert drawn <= everything
    assert deep <= deeper <= everything
    assert set(pairs(kept(sampled(share, pooled(depth), seed=seed), collection))) <= deep


def test_samples_are_the_same_where_polars_counts_rows_in_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """polars' runtimes for old processors and for large tables count rows in 64 bits."""
    here = run("scores(MAP ~ sampled(0.6))", sample()).to_json()
    search = pl.Series.search_sorted
    monkeypatch.setattr(
        pl.Series, "search_sorted", lambda column, values, side: pl.Series(np.asarray(search(column, values, side)), dtype=pl.UInt64)
    )
    assert run("scores(MAP ~ sampled(0.6, seed=1))", sample()).table.height == 30
    assert run("scores(MAP ~ sampled(0.6))", sample()).to_json() == here
