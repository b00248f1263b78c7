"""Why two conditions differ on a pair of runs."""

from __future__ import annotations

import json
import pickle
import warnings
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_1samp

from inexmetrics import (
    DCG,
    MAP,
    RBP,
    BinExh,
    Collection,
    CollectionError,
    CollectionWarning,
    Disagreement,
    DisagreementResult,
    FormulaError,
    Gen5,
    MAep,
    Measure,
    P,
    agreement,
    assessor,
    bootstrap,
    disagreement,
    from_frames,
    nDCG,
    parse,
    run,
    sample,
    scores,
    scores_from,
    t,
)
from inexmetrics.cli import main
from tests.experiments.test_unconfirmed import llmjudge

pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
LLM, HUMAN = assessor("llm"), assessor("human")


def collection(grades: list[tuple[str, str, str, int]], orders: dict[str, dict[str, str]]) -> Collection:
    """Returns judgements by (topic, assessor, document, grade), and runs that rank one-letter documents."""
    table = pl.DataFrame(grades, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
    runs = {name: {topic: {doc: 99.0 - rank for rank, doc in enumerate(docs)} for topic, docs in of.items()} for name, of in orders.items()}
    return from_frames(table, runs)


def at_random(seed: int, topics: int = 6, holes: float = 0.1, highest: int = 2) -> Collection:
    """Returns random judgements of 12 documents, some of which only one assessor judged, and three random runs."""
    random = np.random.default_rng(seed)
    letters, names = "abcdefghijkl", [f"t{topic}" for topic in range(topics)]
    grades = [
        (topic, name, doc, int(random.integers(0, highest + 1)))
        for topic, name, doc in product(names, ("llm", "human"), letters)
        if random.random() > holes
    ]
    grades += [(topic, name, "z", 1) for topic, name in product(names, ("llm", "human"))]  # no topic is undefined
    orders = {name: {topic: "".join(random.permutation(list(letters))[:8]) for topic in names} for name in ("x", "y", "other")}
    return collection(grades, orders)


def test_by_hand() -> None:
    """Run x finds a and b, and run y finds c and d. P@2 is half of the number of relevant documents."""
    grades = [
        *(("1", "llm", doc, grade) for doc, grade in zip("abcd", (1, 1, 0, 0), strict=True)),
        *(("1", "human", doc, grade) for doc, grade in zip("abcd", (1, 0, 0, 1), strict=True)),
        *(("2", "llm", doc, grade) for doc, grade in zip("abcd", (1, 1, 0, 1), strict=True)),
        *(("2", "human", doc, grade) for doc, grade in zip("abcd", (1, 1, 0, 1), strict=True)),
        *(("3", "llm", doc, grade) for doc, grade in zip("abcd", (0, 1, 1, 1), strict=True)),
        *(("3", "human", doc, grade) for doc, grade in zip("abd", (1, 1, 1), strict=True)),  # human did not judge c
    ]
    topics = dict.fromkeys("123", "ab"), dict.fromkeys("123", "cd")
    result = run(disagreement("x", "y", P @ 2, (LLM, HUMAN)), collection(grades, {"x": topics[0], "y": topics[1]}))
    # E is 1, 1/2, -1/2 and D is 0, 1/2, 1/2.
    assert result.topics.rows() == [("1", 1.0, 0.0, 1.0, 0.5), ("3", -0.5, 0.5, -1.0, 0.5), ("2", 0.5, 0.5, 0.0, 0.0)]
    assert result.documents.rows() == [
        ("1", "b", 1.0, 0.0, 0.5), ("1", "d", 0.0, 1.0, 0.5), ("3", "a", 0.0, 1.0, -0.5), ("3", "c", 1.0, None, -0.5)
    ]  # fmt: skip
    assert result.cells.rows() == [(1.0, 0.0, 1, 0.5), (1.0, None, 1, -0.5), (0.0, 1.0, 2, 0.0)]
    row = result.summary.row(0, named=True)
    assert (row["better"], row["worse"]) == ("x", "y")
    assert (row["difference_judge"], row["difference_truth"]) == pytest.approx((1 / 3, 1 / 3))
    p_values = [float(ttest_1samp(of, 0.0).pvalue) for of in ([1, 0.5, -0.5], [0, 0.5, 0.5], [1, 0, -1])]
    assert [row[name] for name in ("p_judge", "p_truth", "p_differs")] == pytest.approx(p_values)
    assert (row["verdict"], row["rests_on_topics"], row["rests_on_judgements"]) == ("neither", None, None)
    assert result.finding.endswith("and 3 documents judged differently and 1 document judged by only one of the two contribute to it.")
    assert any("human judged 11 of the 12 documents that llm judged" in warning for warning in result.warnings)


@pytest.mark.parametrize("measure", [P @ 5, P(rel=2) @ 3, RBP, RBP(p=0.5, rel=2), DCG @ 5, DCG(gains="exponential") @ 3])
@pytest.mark.parametrize("seed", range(4))
def test_contributions_to_linear_measures_add_up(measure: Measure, seed: int) -> None:
    found = run(disagreement("x", "y", measure, (LLM, HUMAN)), at_random(seed))
    assert found.documents["doc_id"].null_count() == 0
    sums = dict(found.documents.group_by("topic_id").agg(pl.col("contribution").sum()).iter_rows())
    for topic, shift in found.topics.drop_nulls("shift").select("topic_id", "shift").iter_rows():
        assert sums.get(topic, 0.0) == pytest.approx(shift, abs=1e-12)


def test_contributions_are_weights_times_gains() -> None:
    """RBP: (w_ad - w_bd) (g - h), with weights .2 * .8^(rank - 1), computed document by document."""
    source = at_random(9)
    found = run(disagreement("x", "y", RBP, (LLM, HUMAN)), source)
    row = found.summary.row(0, named=True)
    assert source.runs is not None
    assert source.assessments.assessors is not None
    relevant = {(r["topic_id"], r["assessor"], r["doc_id"]): r["grade"] >= 1 for r in source.assessments.assessors.iter_rows(named=True)}
    weights: dict[tuple[str, str, str], float] = {}
    for (name, topic), part in source.runs.results.group_by("run_id", "topic_id", maintain_order=True):
        for rank, doc in enumerate(part["doc_id"]):
            weights[str(name), str(topic), doc] = 0.2 * 0.8**rank
    expected = {}
    for topic in source.topics:
        for doc in "abcdefghijkl":
            apart = weights.get((row["better"], topic, doc), 0.0) - weights.get((row["worse"], topic, doc), 0.0)
            gains = relevant.get((topic, "llm", doc), False) - relevant.get((topic, "human", doc), False)
            if abs(apart * gains) > 1e-12:
                expected[topic, doc] = apart * gains
    assert {(topic, doc): value for topic, doc, value in found.documents.select("topic_id", "doc_id", "contribution").iter_rows()} == (
        pytest.approx(expected, abs=1e-12)
    )


@pytest.mark.parametrize("measure", [MAP, nDCG @ 5, nDCG])
def test_contributions_to_other_measures_are_single_changes(measure: Measure) -> None:
    """For every document, the judge's grade is replaced by the truth's, and both runs are scored again."""
    source = at_random(3, topics=2)
    found = run(disagreement("x", "y", measure, (LLM, HUMAN)), source)
    row, assessors = found.summary.row(0, named=True), source.assessments.assessors
    assert assessors is not None
    by_llm, by_human = (assessors.filter(assessor=name).drop("assessor") for name in ("llm", "human"))

    def difference(judged: pl.DataFrame, topic: str) -> float:
        found = run(scores(measure), from_frames(judged, source.runs)).per_topic.filter(topic_id=topic)
        of_run = dict(found.select("run_id", "score").iter_rows())
        return float(of_run[row["better"]] - of_run[row["worse"]])

    for topic in source.topics:
        part = found.documents.filter(topic_id=topic)
        given = dict(part.drop_nulls("doc_id").select("doc_id", "contribution").iter_rows())
        for doc in "abcdefghijklz":
            this = (pl.col("topic_id") == topic) & (pl.col("doc_id") == doc)
            changed = pl.concat([by_llm.filter(~this), by_human.filter(this)])
            assert given.get(doc, 0.0) == pytest.approx(difference(by_llm, topic) - difference(changed, topic), abs=1e-12)
        shift = found.topics.filter(topic_id=topic)["shift"][0]
        assert part["contribution"].sum() == pytest.approx(shift, abs=1e-12)  # with the row of the remainder


def test_documents_come_before_remainders() -> None:
    documents = run(disagreement("x", "y", nDCG @ 5, (LLM, HUMAN)), at_random(3)).documents
    explained = documents.height - documents["doc_id"].null_count()
    assert 0 < explained < documents.height
    for part in (documents.head(explained), documents.tail(documents.height - explained)):
        assert part["doc_id"].is_null().n_unique() == 1
        assert part["contribution"].abs().round(12).is_sorted(descending=True)


def test_documents_that_act_on_the_ideal_ranking_alone() -> None:
    """Runs x and y find a, b and c, d. Only the ideal ranking of nDCG@1 sees the judgements of b, d and e; b and d are below the cutoff."""
    grades = {"a": (2, 1), "b": (0, 3), "c": (1, 1), "d": (0, 2), "e": (0, 3)}
    rows = [(topic, name, doc, grades[doc][name == "human"]) for topic, name, doc in product("123", ("llm", "human"), "abcde")]
    of = collection(rows, {"x": dict.fromkeys("123", "ab"), "y": dict.fromkeys("123", "cd")})
    found = run(disagreement("x", "y", nDCG @ 1, (LLM, HUMAN)), of)
    assert set(found.documents["doc_id"].drop_nulls()) == {"a", "b", "e"}  # with d at 2, as with a, the ideal is the same
    assert found.unretrieved == 6
    assert found.finding.endswith(
        "6 of the 9 documents are not the first result of either run: their judgements change only the ideal ranking or the number "
        "of relevant documents."
    )
    assert pickle.loads(pickle.dumps(found)).finding == found.finding
    whole = run(disagreement("x", "y", nDCG, (LLM, HUMAN)), of)
    assert whole.unretrieved == 3
    assert "3 of the 12 documents are retrieved by neither run" in whole.finding
    assert run(disagreement("x", "y", P(rel=2) @ 1, (LLM, HUMAN)), of).unretrieved == 0


@pytest.mark.parametrize("measure", [P @ 5, nDCG @ 5])
def test_the_finding_says_that_its_tests_are_not_corrected(measure: Measure) -> None:
    result = run(disagreement("x", "y", measure, (LLM, HUMAN)), at_random(0, topics=12))
    said = "not corrected for the choice of this pair)"
    assert said in result.finding
    assert said in " ".join(result.to_text().split())
    assert said in json.loads(result.to_json())["finding"]


def test_the_summary_is_agreement_s() -> None:
    for seed in range(3):
        source = at_random(seed, topics=12)
        summary = run(disagreement("y", "x", P @ 5, (LLM, HUMAN)), source).summary.row(0, named=True)
        [pair] = run(agreement(LLM, HUMAN, measure=P @ 5), source.only(runs=["x", "y"])).differences.rows(named=True)
        assert [
            summary[name] for name in ("better", "worse", "difference_judge", "difference_truth", "p_judge", "p_truth", "p_differs")
        ] == [pair[name] for name in ("better", "worse", "difference_predictor", "difference_truth", "p_predictor", "p_truth", "p_differs")]


@pytest.mark.parametrize("test", ["bootstrap(b=100)", "bootstrap(b=9000)", "wilcoxon"])
def test_its_test_is_warned_of_as_that_of_agreement(test: str) -> None:
    source = at_random(4, topics=7).only(runs=["x", "y"])
    of_test, both = test.partition("(")[0], 'assessor("llm"), assessor("human")'
    by_word = [
        {text for text in run(asked, source).warnings if text.startswith(of_test)}
        for asked in (
            f'disagreement("y", "x", P@5 ~ assessor("llm") + assessor("human") | {test})',
            f"agreement({both}, measure=P@5, test={test}, correction=unadjusted)",
        )
    ]
    assert by_word[0] == by_word[1] != set()


def test_a_quantisation_explains_nothing_by_documents() -> None:
    result = run(disagreement("group01-a", "group02-a", MAep, (BinExh, Gen5)), sample())
    assert result.documents["doc_id"].null_count() == result.documents.height
    assert result.documents.select("topic_id", "contribution").sort("topic_id").rows() == [
        (topic, pytest.approx(shift)) for topic, shift in result.topics.select("topic_id", "shift").sort("topic_id").iter_rows() if shift
    ]
    assert result.summary["p_differs"].to_list() == [None]
    assert result.cells.is_empty()


def test_elements_are_replaced_document_by_document() -> None:
    elements = sample().assessments.elements
    assert elements is not None
    other = elements.with_columns(pl.when(pl.col("topic_id") == "202").then(pl.col("specificity") * 0.5).otherwise("specificity"))
    both = {"llm": from_frames(other).assessments, "human": from_frames(elements).assessments}
    source = from_frames(both, sample().runs)
    asked = disagreement("group01-a", "group02-a", MAep, (assessor("llm", BinExh), assessor("human", BinExh)))
    result = run(asked, source)
    assert set(result.documents["topic_id"]) <= {"202"}
    judged = other.filter(topic_id="202")["doc_id"].unique()
    assert set(result.documents["doc_id"].drop_nulls()) <= set(judged)
    assert result.documents["contribution"].sum() == pytest.approx(result.topics.filter(topic_id="202")["shift"][0], abs=1e-12)


# --- on how little a conclusion rests


def changed(grades: dict[tuple[str, str], int], flips: tuple[tuple[str, str], ...], orders: dict[str, dict[str, str]]) -> bool:
    """Returns whether x is still significantly better than y under P@2 after some judgements were changed."""
    now = {key: 1 - grade if key in flips else grade for key, grade in grades.items()}
    of_runs = [[sum(now.get((topic, doc), 0) for doc in docs[:2]) / 2 for topic, docs in orders[name].items()] for name in ("x", "y")]
    return significantly_above_0(tuple(sorted(one - other for one, other in zip(*of_runs, strict=True))))


@cache
def significantly_above_0(differences: tuple[float, ...]) -> bool:
    """Returns whether the mean of the differences is significantly above 0."""
    if np.ptp(differences) < 1e-12:
        return differences[0] > 0
    return bool(np.mean(differences) > 0 and ttest_1samp(differences, 0.0).pvalue <= 0.05)


def test_changed_judgements_are_an_upper_bound_of_the_fewest() -> None:
    random, boards, equal = np.random.default_rng(0), 0, 0
    names = [f"t{topic}" for topic in range(6)]
    while boards < 25:
        orders = {"x": dict.fromkeys(names, "ab"), "y": dict.fromkeys(names, "cd")}
        grades = {(topic, doc): int(random.random() < (0.8 if doc in "ab" else 0.2)) for topic, doc in product(names, "abcd")}
        grades |= {(topic, "e"): 1 for topic in names}  # no topic is undefined
        if not changed(grades, (), orders):
            continue
        boards += 1
        rows = [(topic, name, doc, grade) for (topic, doc), grade in grades.items() for name in ("llm", "human")]
        found = run(disagreement("x", "y", P @ 2, (LLM, HUMAN)), collection(rows, orders)).summary.row(0, named=True)
        keys = [key for key in grades if key[1] in "abcd"]
        fewest = next(count for count in range(1, 9) if any(not changed(grades, flips, orders) for flips in combinations(keys, count)))
        assert found["verdict"] == "both"
        assert found["rests_on_judgements"] >= fewest
        equal += found["rests_on_judgements"] == fewest
    assert equal >= 20


def test_rests_on_the_truth_or_else_on_the_judge() -> None:
    topics = [f"t{topic}" for topic in range(8)]
    noise = [0, 0, 0, 0, 0, 0, 0, 1]
    rows = [(topic, "llm", doc, int(doc in "ab")) for topic in topics for doc in "abcdz"]
    rows += [
        (topic, "human", doc, int((doc in "ac") or (doc == "b" and bool(extra))))
        for topic, extra in zip(topics, noise, strict=True)
        for doc in "abcdz"
    ]
    orders = {"x": dict.fromkeys(topics, "ab"), "y": dict.fromkeys(topics, "cd")}
    by_llm = run(disagreement("x", "y", P @ 2, (LLM, HUMAN)), collection(rows, orders)).summary.row(0, named=True)
    assert by_llm["verdict"] == "overstated"
    assert by_llm["rests_on_topics"] == 7  # E is 1 on every topic
    assert by_llm["rests_on_judgements"] is not None
    turned = run(disagreement("x", "y", P @ 2, (HUMAN, LLM)), collection(rows, orders)).summary.row(0, named=True)
    assert (turned["verdict"], turned["rests_on_topics"]) == ("truth", 7)


def test_elements_and_systems_have_no_changed_judgements() -> None:
    result = run(disagreement("group01-a", "group10-c", MAep, (BinExh, Gen5)), sample()).summary.row(0, named=True)
    assert result["rests_on_judgements"] is None
    systems = sample().by_system("(group[0-9]+)-.*")
    found = run(disagreement("group01", "group07", MAP, (assessor("second"), assessor("first"))), systems)
    assert found.summary["rests_on_judgements"].to_list() == [None]
    sums = found.documents.group_by("topic_id").agg(pl.col("contribution").sum())
    shifts = found.topics.join(sums, on="topic_id", how="left").with_columns(pl.col("contribution").fill_null(0.0))
    assert shifts.select((pl.col("shift") - pl.col("contribution")).abs().max()).item() < 1e-12


# --- formulas and data


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (disagreement("a", "b", MAP, (LLM, HUMAN)), 'disagreement("a", "b", MAP ~ assessor("llm") + assessor("human"))'),
        (disagreement("a", "b", MAep, (BinExh, Gen5), test=bootstrap), 'disagreement("a", "b", MAep ~ BinExh + Gen5 | bootstrap)'),
        (disagreement("a", "b", P @ 10, (LLM, HUMAN), test=t(tails=1)), 'disagreement("a", "b", P@10 ~ assessor("llm") + assessor("human") | t(tails=1))'),
    ],
)  # fmt: skip
def test_it_prints_as_it_parses(made: Disagreement, text: str) -> None:
    assert str(made) == text
    assert parse(text, Disagreement) == made


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('disagreement("a", "a", MAep ~ Gen5 + BinExh)', '"a" is written twice'),
        ('disagreement("a", "b", MAP ~ assessor("c"))', "disagreement: expected one measure and two conditions, found 1 measure and 1 condition"),
        ('disagreement("a", "b", MAP + RBP ~ assessor("c") + 1)', "disagreement: expected one measure and two conditions, found 2 measures and 2 conditions"),
        (
            'disagreement("a", "b", P@5 ~ weighted(0.5, assessor("c")) + assessor("c"))',
            'disagreement: expected judgements of documents, found weighted(0.5, assessor("c")), which estimates scores from a sample',
        ),
        ('disagreement("a", "b", MAP ~ assessor("c") + 1 | Holm)', "disagreement: correction: expected unadjusted, found Holm"),
        ('disagreement("a", "b", MAP ~ assessor("c") + 1 | tukey)', "disagreement: expected a test of one pair of runs, found tukey, which compares all runs at once"),
    ],
)  # fmt: skip
def test_wrong_formulas(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert caught.value.message == message


def test_a_run_with_itself() -> None:
    with pytest.raises(FormulaError, match='disagreement: expected two different runs, found "a" twice'):
        disagreement("a", "a", MAP, (LLM, HUMAN))


def test_wrong_data() -> None:
    with pytest.raises(CollectionError, match=r"disagreement: expected the name of a run .* found \"w\""):
        run(disagreement("x", "w", MAP, (LLM, HUMAN)), at_random(0))
    scored = scores_from(run("scores(MAP)", sample()).tables["per_topic"])
    with pytest.raises(CollectionError, match="disagreement: expected assessments and runs, found scores by topic"):
        run(disagreement("group01-a", "group02-a", MAP, (LLM, HUMAN)), scored)


def test_one_topic_and_equal_conditions() -> None:
    one = run(disagreement("x", "y", MAP, (LLM, HUMAN)), at_random(1, topics=1))
    assert one.summary["verdict"].to_list() == ["neither"]
    rows = [(topic, name, doc, int(doc == "a")) for topic, name, doc in product("123", ("llm", "human"), "abcd")]
    same = run(
        disagreement("x", "y", MAP, (LLM, HUMAN)), collection(rows, {"x": dict.fromkeys("123", "ab"), "y": dict.fromkeys("123", "cd")})
    )
    assert same.documents.is_empty()
    assert same.topics["shift"].to_list() == [0.0] * 3
    assert same.finding.endswith("The difference is the same on each topic.")
    assert same.summary["verdict"].to_list() == ["both"]


def test_topics_without_scores_under_one_condition_are_said() -> None:
    """On two of six topics both judges find the same; on the others only the model finds anything relevant."""
    rows = [
        (str(topic), name, doc, float(doc == "a" and (name == "llm" or topic < 2)))
        for topic in range(6)
        for name in ("llm", "human")
        for doc in "ab"
    ]
    runs = {
        name: {str(topic): {doc: 0.5 if doc == best else 0.25 for doc in "ab"} for topic in range(6)}
        for name, best in (("x", "a"), ("y", "b"))
    }
    collection = from_frames(pl.DataFrame(rows, ["topic_id", "assessor", "doc_id", "grade"], orient="row"), runs)
    with pytest.warns(CollectionWarning, match="undefined under"):
        found = run(disagreement("x", "y", MAP, (assessor("llm"), assessor("human"))), collection)
    assert found.finding.endswith("The difference is the same on each topic with scores under both; 4 topics have scores under one only.")
    said = '6 topics under MAP ~ assessor("llm"), 2 topics under MAP ~ assessor("human"), 2 under both'
    assert any(said in text for text in found.warnings)


def test_nothing_relevant_under_one_condition() -> None:
    rows = [(topic, name, doc, int(doc == "a" and name == "llm")) for topic, name, doc in product("123", ("llm", "human"), "abcd")]
    found = run(
        disagreement("x", "y", MAP, (LLM, HUMAN)), collection(rows, {"x": dict.fromkeys("123", "ab"), "y": dict.fromkeys("123", "cd")})
    )
    assert found.topics.rows() == [(topic, 1.0, None, None, None) for topic in "123"]
    assert found.documents.is_empty()
    assert found.finding == 'MAP is undefined for all topics under assessor("human"), so that x and y cannot be compared.'


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    text = 'disagreement("group07-c", "group01-a", P@10 ~ assessor("second") + assessor("first"))'
    assert main([text, "--table", "documents", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "topic_id,doc_id,judge_grade,truth_grade,contribution"
    assert main([text.replace("group07-c", "group07-z")]) == 1
    assert 'found "group07-z"' in capsys.readouterr().err


def test_labels_of_the_llmjudge_challenge(shared: Path) -> None:
    """Contributions add up on real labels, of which the two sides disagree on about half."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        asked = disagreement("Olz-exp", "prophet-setting2", P(rel=2) @ 10, (assessor("umbrela1"), HUMAN))
        found: DisagreementResult = run(asked, llmjudge(shared, umbrela1="willia-umbrela1"))
    sums = found.documents.group_by("topic_id").agg(pl.col("contribution").sum())
    shifts = found.topics.drop_nulls("shift").join(sums, on="topic_id", how="left").with_columns(pl.col("contribution").fill_null(0.0))
    assert shifts.height == 24
    assert shifts.select((pl.col("shift") - pl.col("contribution")).abs().max()).item() < 1e-12
    assert found.cells["documents"].sum() == found.documents.height
