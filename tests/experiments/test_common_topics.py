"""Two conditions are compared on the topics that were judged under both conditions."""

from __future__ import annotations

import re
import warnings
from functools import cache

import polars as pl
import pytest

from inexmetrics import (
    Collection,
    CollectionError,
    CollectionWarning,
    Gen5,
    MAep,
    Result,
    Scores,
    Strict5,
    agreement,
    from_frames,
    run,
    sample,
    scores_from,
)

TOPICS = sample().topics


@cache
def partly_judged(**topics: int) -> Collection:
    """Returns the sample in which some assessors judged only the first topics, and the others judged all topics."""
    judged = sample().assessments.assessors
    assert judged is not None
    for name, count in topics.items():
        judged = judged.filter((pl.col("assessor") != name) | pl.col("topic_id").is_in(TOPICS[:count]))
    return Collection(from_frames(judged).assessments, sample().runs)


def answered(formula: str, collection: Collection | Scores) -> tuple[Result, list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        result = run(formula, collection)
    kinds = "excluded", "undefined", "different topics"
    return result, [warning for warning in result.warnings if any(kind in warning for kind in kinds)]


JUDGES = 'judges(MAP + nDCG@10 ~ assessor("second") + assessor("third"), truth=assessor("first"))'


def test_judges_of_all_topics_are_compared_on_those_of_the_truth() -> None:
    found, warned = answered(JUDGES, partly_judged(first=12))
    only, _ = answered(JUDGES, sample().only(topics=TOPICS[:12]))
    assert found.table["topics"].to_list() == [12] * 4
    defined = r", (MAP|nDCG@10) is defined on 12 of the 29 topics under both(?=\))"
    assert re.sub(defined, "", found.finding, count=1) == only.finding != found.finding
    for name in ("judges", "grades"):
        assert found.tables[name].equals(only.tables[name])
    names = ", ".join(TOPICS[12:17])
    assert warned == [
        "judges: a pair of conditions is compared on the topics judged under both; excluded: "
        + "; ".join(
            f'17 topics of {measure} ~ assessor("second"), {measure} ~ assessor("third") not judged under {measure} ~ assessor("first") '
            f"({names} and 12 more)"
            for measure in ("MAP", "nDCG@10")
        )
    ]


def test_each_pair_of_conditions_has_its_own_topics() -> None:
    formula = 'agreement(MAP ~ assessor("first") + assessor("second") + assessor("third"))'
    found, warned = answered(formula, partly_judged(first=12, second=20))
    for pair, count in ((("first", "second"), 12), (("first", "third"), 12), (("second", "third"), 20)):
        predictor, truth = (f'assessor("{name}")' for name in pair)
        only, _ = answered(f"agreement(MAP ~ {predictor} + {truth})", sample().only(topics=TOPICS[:count]))
        for name, table in found.tables.items():
            assert table.filter(predictor=predictor, truth=truth).equals(only.tables[name]), (name, pair)
    assert len(warned) == 1
    for counted in (
        '8 topics of MAP ~ assessor("second") not judged under MAP ~ assessor("first")',
        '17 topics of MAP ~ assessor("third") not judged under MAP ~ assessor("first")',
        '9 topics of MAP ~ assessor("third") not judged under MAP ~ assessor("second")',
    ):
        assert counted in warned[0]
    text = str(found)
    assert "columns: truth" not in text, "a condition has several counts, one for each pair"
    assert "n_both" in text


def test_a_topic_that_was_judged_and_is_undefined_stays_under_the_other_condition() -> None:
    result = run(agreement(Strict5, Gen5, measure=MAep), sample())
    gen5 = run("significance(MAep ~ Gen5)", sample()).tables["summary"].row(0, named=True)
    assert gen5["topics"] == len(TOPICS)
    assert result.table["n_truth"].to_list() == [gen5["significant"]]
    assert not any("excluded" in warning for warning in result.warnings)


def test_a_topic_without_a_judgement_in_the_sample_is_not_judged() -> None:
    """On topic 1, the run retrieves no judged document, so that its pool is empty."""
    grades = pl.DataFrame(
        [("1", "z", 1.0), *((str(topic), doc, float(doc == "a")) for topic in range(2, 8) for doc in "ab")],
        schema=["topic_id", "doc_id", "grade"],
        orient="row",
    )
    runs = {
        name: {str(topic): {doc: float(-place) for place, doc in enumerate(docs)} for topic in range(1, 8)}
        for name, docs in (("x", "ab"), ("y", "ba"))
    }
    collection = from_frames(grades, runs)
    found, warned = answered("agreement(MAP ~ pooled(2) + 1)", collection)
    only, _ = answered("agreement(MAP ~ pooled(2) + 1)", collection.only(topics=[str(topic) for topic in range(2, 8)]))
    assert found.tables["differences"].equals(only.tables["differences"])
    assert warned == [
        "agreement: a pair of conditions is compared on the topics judged under both; excluded: 1 topic of MAP not judged under MAP ~ pooled(2) (1)"
    ]


def test_a_topic_without_a_score_is_undefined() -> None:
    columns = ["run_id", "topic_id", "measure", "score"]
    rows = [(name, str(topic), "all", value + topic**3 / 1000) for name, value in (("x", 0.3), ("y", 0.2)) for topic in range(6)]
    rows += [(name, topic, "some", value) for name, topic, _, value in rows if topic < "3"]
    found, warned = answered('agreement(given("some") + given("all"))', scores_from(pl.DataFrame(rows, schema=columns, orient="row")))
    assert found.tables["differences"]["difference_truth"].to_list() == pytest.approx([0.1])
    assert warned == [
        "conditions have scores for different topics, and each uses its own; without scores: 3 of 6 topics under some (3, 4, 5); "
        'missing="drop-topics" (--missing drop-topics) excludes topics that lack scores under any condition'
    ]


ANSWERS = pl.DataFrame(
    [
        {"item": f"n{item}", "system": name, "model": 20 * good + item**2 % 7 + item * good % 3, "people": people if item % 4 else None}
        for name, good in (("x", 3), ("y", 2), ("z", 6))
        for item in range(20)
        for people in (20 * good + item**3 % 5 + item * good % 4,)
    ]
)
GRADERS = {"item": "topic_id", "system": "run_id", "model": 'mark ~ assessor("model")', "people": 'mark ~ assessor("people")'}


@pytest.mark.parametrize(
    "formula",
    [
        'agreement(given("mark") ~ assessor("model") + assessor("people"))',
        'significance(given("mark") ~ assessor("model") + assessor("people"))',
        'versus("x", given("mark") ~ assessor("model") + assessor("people"))',
        'scores(given("mark") ~ assessor("model") + assessor("people"))',
        'correlation(given("mark") ~ assessor("model") + assessor("people"))',
    ],
)
def test_topics_without_scores_under_one_condition_are_dropped(formula: str) -> None:
    """Dropping the topics gives the tables of scores without them, and the warning without the option names it."""
    lacking = [f"n{item}" for item in range(0, 20, 4)]
    _, warned = answered(formula, scores_from(ANSWERS, columns=GRADERS))
    assert [text for text in warned if "topics" in text] == [
        'conditions have scores for different topics, and each uses its own; without scores: 5 of 20 topics under mark ~ assessor("people") '
        '(n0, n12, n16, n4, n8); missing="drop-topics" (--missing drop-topics) excludes topics that lack scores under any condition'
    ]
    found, warned = answered(formula, scores_from(ANSWERS, columns=GRADERS, missing="drop-topics"))
    assert [text for text in warned if "topics" in text] == [
        "5 topics of 20 with missing scores are excluded (n0, n12, n16, n4, n8); scores are missing under "
        'mark ~ assessor("people") (5 topics)'
    ]
    only, _ = answered(formula, scores_from(ANSWERS.filter(~pl.col("item").is_in(lacking)), columns=GRADERS))
    assert all(table.equals(only.tables[name]) for name, table in found.tables.items())
    assert found.origin.topics == 15


def test_dropped_topics_depend_on_the_formula() -> None:
    board = scores_from(ANSWERS, columns=GRADERS, missing="drop-topics")
    assert board.warnings == ()
    alone, warned = answered('scores(given("mark") ~ assessor("model"))', board)
    assert (alone.origin.topics, warned) == (20, [])
    alone, warned = answered('scores(given("mark") ~ assessor("people"))', board)
    assert (alone.origin.topics, warned) == (
        15,
        ["5 topics of 20 with missing scores are excluded (n0, n12, n16, n4, n8)"],
    )


def test_a_truth_may_have_fewer_topics_although_topics_are_dropped() -> None:
    table = ANSWERS.with_columns(pl.when((pl.col("item") != "n3") | (pl.col("system") != "y")).then("model").alias("model"))
    formula = 'ppi(given("mark"), assessor("model"), truth=assessor("people"))'
    with pytest.raises(CollectionError, match=r"found 1 missing score \(run y: topic n3"):
        run(formula, scores_from(table, columns=GRADERS))
    found, _ = answered(formula, scores_from(table, columns=GRADERS, missing="drop-topics"))
    assert found.tables["means"].select("topics", "topics_truth").unique().rows() == [(19, 14)]


def test_topics_of_which_none_has_all_scores() -> None:
    columns = ["run_id", "topic_id", "measure", "score"]
    rows = [(name, str(topic), "even" if topic % 2 == 0 else "odd", 0.5) for name in "xy" for topic in range(6)]
    board = scores_from(pl.DataFrame(rows, schema=columns, orient="row"), missing="drop-topics")
    with pytest.raises(
        CollectionError,
        match=r'^each topic has missing scores under even \(3 topics\), odd \(3 topics\); without missing="drop-topics"',
    ):
        run('scores(given("even") + given("odd"))', board)


def test_the_error_counts_the_topics_that_would_be_dropped() -> None:
    table = ANSWERS.with_columns(pl.when((pl.col("item") != "n3") | (pl.col("system") != "y")).then("model").alias("model"))
    both = 'scores(given("mark") ~ assessor("model") + assessor("people"))'
    with pytest.raises(CollectionError, match=r"\(--missing drop-topics\) excludes 6 of 20 topics"):
        run(both, scores_from(table, columns=GRADERS))
    board = scores_from(table, columns=GRADERS, missing="drop-topics")
    assert answered(both, board)[0].origin.topics == 14
    with pytest.raises(CollectionError, match=r'Scores.complete\("drop-topics"\) excludes 1 of 20 topics'):
        board.matrix("mark", 'assessor("model")')
    with pytest.warns(CollectionWarning, match=r"^1 topic of 20 with missing scores is excluded \(n3\)"):
        whole = board.complete("drop-topics")
    assert whole.matrix("mark", 'assessor("model")').shape == (3, 19)


def test_topics_that_both_measures_lack_are_no_difference() -> None:
    rows = [(name, str(topic), value + topic**3 / 1000) for name, value in (("x", 0.3), ("y", 0.2)) for topic in range(6)]
    scores = pl.DataFrame(rows, schema=["run_id", "item", "fluent"], orient="row").with_columns(sound=pl.col("fluent") ** 2)
    lacking = scores.with_columns(
        pl.when(pl.col("item").is_in(gone)).then(None).otherwise(pl.col(name)).alias(name)
        for name, gone in (("fluent", ["0", "1"]), ("sound", ["1", "2", "4"]))
    )
    read = scores_from(lacking, topics="item", runs="run_id", measures=["fluent", "sound"])
    formula = 'agreement(given("fluent") + given("sound"))'
    text = "without scores: 1 of 6 topics under fluent (0); 2 of 6 topics under sound (2, 4); missing="
    apart, undefined = answered(formula, read)[1]
    assert undefined == "1 topic is undefined under fluent, sound and excluded: 1"
    assert text in apart
    for same in (read.only(topics=["3", "5"]), scores_from(scores, topics="item", runs="run_id", measures=["fluent", "sound"])):
        assert not any("different topics" in warning for warning in answered(formula, same)[1])
    drawn = answered('agreement(given("fluent") ~ topics(2) + topics(3))', read)[1]
    assert not any("different topics" in warning for warning in drawn)


@pytest.mark.parametrize("formula", ['agreement(MAP ~ assessor("a") + assessor("b"))', 'judges(MAP ~ assessor("a"), truth=assessor("b"))'])
def test_conditions_without_a_common_topic_are_rejected(formula: str) -> None:
    rows = [("1", "a", "d", 1.0), ("2", "b", "d", 1.0)]
    judged = pl.DataFrame(rows, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
    collection = from_frames(judged, {name: {"1": {"d": 1.0}, "2": {"d": 1.0}} for name in "xy"})
    with pytest.raises(
        CollectionError, match=r'expected topics that were judged under both MAP ~ assessor\("a"\) and MAP ~ assessor\("b"\), found none'
    ):
        run(formula, collection)
