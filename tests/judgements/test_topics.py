"""The word `topics`: runs scored on a random sample of the topics."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    BH,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Gen5,
    Result,
    Scores,
    agreement,
    assessor,
    from_frames,
    parse,
    pooled,
    run,
    sample,
    sampled,
    scores_from,
    t,
    threshold,
    topics,
)
from inexmetrics import given as scores_given
from inexmetrics.quantisations.base import Criterion
from inexmetrics.report.charts.drawing import specification
from tests.examples import quietly
from tests.profiles import up_to
from tests.reference.experiments import Rows, counts_of_draws, drawn

SAMPLE = sample()
BH_LEVEL = Fraction(2, 5)


def contained(result: Result) -> list[str]:
    """Returns the warnings that a truth contains its predictor."""
    return [text for text in result.warnings if "contains topics" in text]


def board(matrix: list[list[float]], names: list[str] | None = None) -> Scores:
    """Scores of the runs r0, r1, … on topics, without a measure's name."""
    columns = names or [str(number) for number in range(len(matrix[0]))]
    order = sorted(range(len(columns)), key=columns.__getitem__)
    rows = np.array(matrix, dtype=np.float64)[:, order]
    return Scores(tuple(f"r{number:02}" for number in range(len(matrix))), tuple(sorted(columns)), {("acc", "1"): rows})


# --- terms


@pytest.mark.parametrize(
    "text",
    [
        "scores(MAP ~ topics(10))",
        "scores(MAP ~ topics(10, seed=3) + 1)",
        "scores(MAP ~ topics(10, pooled(10)))",
        'scores(MAP ~ assessor("llm", topics(10)))',
        "scores(MAep ~ threshold(topics(10, Gen5), 0.5))",
        "agreement(MAP ~ topics(25) + 1, draws=12, fresh=True)",
        "agreement(MAP ~ topics(25) + topics(10) + 1, draws=12, fresh=True)",
    ],
)
def test_it_prints_as_it_parses(text: str) -> None:
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


def test_both_forms_of_an_agreement_are_one() -> None:
    assert str(parse("agreement(topics(25), 1, measure=MAP, draws=3)")) == "agreement(MAP ~ topics(25) + 1, draws=3)"


def test_without_its_topics_a_condition_is_what_is_left() -> None:
    assert topics(10).on_all_topics is None
    assert topics(10, Gen5).on_all_topics == Gen5
    assert assessor("a", topics(10, Gen5)).on_all_topics == assessor("a", Gen5)
    assert sampled(0.5, pooled(3, topics(10))).on_all_topics == sampled(0.5, pooled(3))
    assert threshold(topics(10, Gen5), 0.5).on_all_topics == threshold(Gen5, 0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scores(MAP ~ topics(1))", "topics: n: expected an integer of at least 2, found 1"),
        ("scores(MAP ~ topics)", "topics needs arguments, found none"),
        (
            "scores(MAP ~ topics(5, topics(10)))",
            "topics: expected a quantisation or a selection of judgements, found another selection of topics, topics(10)",
        ),
        ("agreement(MAP ~ 1 + pooled(3), draws=5)", "agreement: draws: expected conditions that draw topics or documents, found none"),
        ("agreement(MAP ~ 1 + pooled(3), fresh=True)", "agreement: fresh: expected conditions that draw topics, found none"),
        (
            "agreement(MAP ~ 1 + topics(5), fresh=True)",
            "agreement: fresh: expected topics(n) in every condition but the last, found 1",
        ),
        (
            'agreement(MAP + P@5 ~ 1 + topics(7), fresh=True, of="conditions")',
            "agreement: fresh: expected topics(n) in every condition but the last, found 1",
        ),
        (
            "agreement(MAP + P@5 ~ topics(7), fresh=True)",
            "agreement: fresh: expected a pair of conditions on different topics, found only pairs on the same topics",
        ),
        (
            'agreement(MAP + P@5 ~ topics(7) + 1, fresh=True, of="measures")',
            "agreement: fresh: expected a pair of conditions on different topics, found only pairs on the same topics",
        ),
        (
            'agreement(MAP ~ topics(7, assessor("a")) + topics(7, assessor("b")), fresh=True)',
            "agreement: fresh: expected a pair of conditions on different topics, found only pairs on the same topics",
        ),
        ("agreement(MAP ~ topics(5) + 1, draws=0)", "agreement: draws: expected an integer from 1 to 1000000, found 0"),
        ("agreement(MAP ~ topics(5) + 1, fresh=1)", "agreement: fresh: expected True or False, found 1"),
        (
            "agreement(MAP ~ topics(5) + 1, resamples=9)",
            "agreement: resamples: expected all conditions on the same topics, found topics(5) and 1",
        ),
        (
            'judges(MAP ~ topics(5, assessor("a")), truth=assessor("b"), resamples=9)',
            'judges: resamples: expected all conditions on the same topics, found topics(5, assessor("a")) and assessor("b")',
        ),
    ],
)
def test_what_does_not_fit_is_rejected(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert caught.value.message == message


def test_fresh_topics_of_all_conditions_are_those_that_the_predictor_does_not_use() -> None:
    """With of="conditions", the truth is each condition on all topics, and every predictor draws topics."""
    few = SAMPLE.only(runs=["group01-a", "group04-b", "group07-c", "group10-a"])
    pairs = quietly('agreement(MAP + P@5 ~ topics(12, seed=4) + 1 | Holm, draws=3, fresh=True, of="conditions")', few).table
    assert pairs.select("predictor", "truth").rows() == [
        ("MAP ~ topics(12, seed=4)", "MAP"),
        ("MAP ~ topics(12, seed=4)", "P@5"),
        ("P@5 ~ topics(12, seed=4)", "P@5"),
    ]
    for row, measure in ((pairs.row(0), "MAP"), (pairs.row(2), "P@5")):
        alone = quietly(f"agreement({measure} ~ topics(12, seed=4) + 1 | Holm, draws=3, fresh=True)", few).table
        assert alone.row(0)[3:] == row[3:]


def test_as_many_topics_as_there_are_is_an_error_of_the_data() -> None:
    for source in (SAMPLE, board([[0.1] * 29] * 2)):
        with pytest.raises(CollectionError, match=r"topics\(29\): expected more than 29 topics to draw from, found 29"):
            run('scores(given("acc") ~ topics(29))' if isinstance(source, Scores) else "scores(MAP ~ topics(29))", source)


# --- scores


@pytest.mark.parametrize("measure", ["MAP", "Judged@10", "RBPresidual", "MAep", "MAgP", "EPRUM@0.5"])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_topics_drawn_have_their_scores_and_the_others_none(measure: str, seed: int) -> None:
    quantisation = "Gen5" if measure == "MAep" else "1"
    inside = "" if quantisation == "1" else f", {quantisation}"
    whole = quietly(f"scores({measure} ~ {quantisation})").tables["per_topic"]
    part = quietly(f"scores({measure} ~ topics(6{inside}, seed={seed}))").tables["per_topic"]
    chosen = drawn(SAMPLE.topics, 6, seed)
    expected = whole.with_columns(score=pl.when(pl.col("topic_id").is_in(chosen)).then("score"))
    columns = ["run_id", "topic_id", "score"]
    assert part.select(columns).sort(columns[:2]).equals(expected.select(columns).sort(columns[:2]))


def test_undefined_topics_are_counted_only_among_those_drawn() -> None:
    """Strict5 is undefined on some topics; topics that were not drawn need no warning."""
    undefined = SAMPLE.topics[:5]
    judged = SAMPLE.assessments.grades
    assert judged is not None
    without = judged.with_columns(grade=pl.when(pl.col("topic_id").is_in(undefined)).then(0.0).otherwise("grade"))
    collection = Collection(replace(SAMPLE.assessments, grades=without), SAMPLE.runs)
    chosen = set(drawn(SAMPLE.topics, 6, 0))
    missing = [topic for topic in undefined if topic in chosen]
    warned = [text for text in quietly("scores(MAP ~ topics(6))", collection).warnings if "undefined" in text]
    assert len(missing) in range(1, 5)
    assert warned == [
        f"{len(missing)} topic{'s are' if len(missing) > 1 else ' is'} undefined under MAP ~ topics(6) and excluded: {', '.join(missing)}"
    ]


def test_inner_choices_see_the_topics_they_would_see_without() -> None:
    """A sample of documents is drawn from all topics, and so are an assessor's judgements."""
    for inner in ("sampled(0.5, seed=3)", "pooled(3)", 'assessor("second")'):
        whole = quietly(f"scores(MAP ~ {inner})").tables["per_topic"].filter(pl.col("topic_id").is_in(drawn(SAMPLE.topics, 9, 0)))
        part = quietly(f"scores(MAP ~ topics(9, {inner}))").tables["per_topic"].drop_nulls("score")
        assert part["score"].to_list() == whole["score"].to_list()
    assert (
        quietly('scores(MAP ~ assessor("second", topics(9)))').table["mean"].to_list()
        == quietly('scores(MAP ~ topics(9, assessor("second")))').table["mean"].to_list()
    )


def test_curves_are_means_over_the_topics_drawn() -> None:
    chosen = drawn(SAMPLE.topics, 6, 0)
    expected = quietly("curve(MAep ~ Gen5)", SAMPLE.only(topics=chosen)).table["value"].to_list()
    assert quietly("curve(MAep ~ topics(6, Gen5))").table["value"].to_list() == pytest.approx(expected, abs=1e-12)


def test_grades_are_compared_on_the_topics_drawn() -> None:
    chosen = drawn(SAMPLE.topics, 6, 0)
    formula = 'judges({}, truth=assessor("first"))'
    whole = quietly(formula.format('assessor("second")'), SAMPLE.only(topics=chosen)).table.row(0, named=True)
    part = quietly(formula.format('topics(6, assessor("second"))')).table.row(0, named=True)
    assert {**part, "judge": "second"} == whole


def test_degradation_moves_the_ideal_elements_of_the_topics_drawn() -> None:
    result = quietly("degradation(MAep ~ topics(6, Gen5), moves=(0, 0.5))")
    chosen = drawn(SAMPLE.topics, 6, 0)
    assert result.table["value"][0] == 1.0
    assert not [text for text in result.warnings if "undefined" in text and not any(topic in text for topic in chosen)]


def test_ppi_learns_from_the_topics_drawn() -> None:
    found = quietly('ppi(MAP ~ assessor("second"), truth=topics(12, assessor("first")))').table
    assert (found["topics"][0], found["topics_truth"][0]) == (29, 12)


# --- scores by topic


def test_scores_by_topic_are_restricted() -> None:
    rng = np.random.default_rng(0)
    given_scores = board(rng.random((3, 12)).tolist())
    means = quietly('scores(given("acc") ~ topics(4, seed=1) + 1)', given_scores).table
    chosen = [given_scores.topics.index(topic) for topic in drawn(given_scores.topics, 4, 1)]
    matrix = given_scores.matrix("acc")
    expected = matrix[:, chosen].mean(axis=1)
    found = dict(means.filter(pl.col("quantisation") != "1").select("run_id", "mean").iter_rows())
    assert [found[name] for name in given_scores.runs] == pytest.approx(expected.tolist(), abs=1e-12)
    assert means["topics"].unique().sort().to_list() == [4, 12]


def test_scores_without_a_name_answer_a_measure_on_all_and_on_some_topics(tmp_path: Path) -> None:
    file = tmp_path / "board.csv"
    file.write_text("topic,a,b\n" + "".join(f"{n},0.{n},0.{9 - n}\n" for n in range(1, 9)))
    assert quietly('agreement(given("acc") ~ topics(4) + 1)', scores_from(file)).table.height == 1
    with pytest.raises(CollectionError, match=r"expected a single condition, found 2: .*; the scores do not name their measure"):
        run('scores(given("acc") + given("f1") ~ topics(4) + 1)', scores_from(file))


def test_scores_on_some_topics_can_be_read_again() -> None:
    for formula in ("scores(MAP ~ topics(6))", "significance(MAP ~ topics(6) | Holm)", "agreement(MAP ~ topics(6) + topics(6, pooled(3)))"):
        per_topic = quietly("scores(MAP ~ topics(6) + topics(6, pooled(3)))").tables["per_topic"]
        again = quietly(formula, scores_from(per_topic))
        assert again.table.equals(quietly(formula).table)


# --- agreement


def test_the_truth_keeps_its_topics() -> None:
    whole = quietly("significance(MAP)").tables["summary"]["significant"][0]
    result = quietly("agreement(MAP ~ topics(20) + 1)")
    assert result.table.select("n_truth").item() == whole
    [warned] = contained(result)
    assert warned.startswith("agreement: the truth contains topics of the predictor, so that the two agree better")
    assert warned.endswith("(MAP ~ topics(20) and MAP); fresh=True tests the truth on the other topics")


def test_conditions_on_the_same_topics_share_them_without_a_warning() -> None:
    assert not contained(quietly("agreement(MAP ~ topics(20, pooled(3)) + topics(20))"))


def test_a_fresh_truth_has_the_other_topics() -> None:
    chosen = drawn(SAMPLE.topics, 10, 2)
    others = [topic for topic in SAMPLE.topics if topic not in chosen]
    result = quietly("agreement(MAP ~ topics(10, seed=2) + 1, fresh=True)")
    assert result.table["n_predictor"][0] == quietly("significance(MAP)", SAMPLE.only(topics=chosen)).tables["summary"]["significant"][0]
    assert result.table["n_truth"][0] == quietly("significance(MAP)", SAMPLE.only(topics=others)).tables["summary"]["significant"][0]
    assert not contained(result)
    with pytest.raises(
        CollectionError,
        match=r"expected a topic that is used for MAP ~ topics\(2\) but not for MAP ~ topics\(28\), found none",
    ):
        run("agreement(MAP ~ topics(28) + topics(2), fresh=True)", SAMPLE)


def test_a_fresh_truth_draws_no_topics_itself() -> None:
    both = quietly("agreement(MAP ~ topics(10) + topics(10, pooled(3)) + 1, draws=2, fresh=True)")
    assert both.table.select("predictor", "truth").rows() == [("topics(10)", "1"), ("topics(10, pooled(3))", "1")]
    for row, predictor in zip(both.table.rows(named=True), ("topics(10)", "topics(10, pooled(3))"), strict=True):
        single = quietly(f"agreement(MAP ~ {predictor} + 1, draws=2, fresh=True)").table.row(0, named=True)
        assert {name: row[name] for name in ("n_predictor", "n_truth", "n_both")} == {
            name: single[name] for name in ("n_predictor", "n_truth", "n_both")
        }
    assert quietly("agreement(MAP ~ topics(10) + topics(14) + 1, draws=2)").table.height == 3
    assert quietly("agreement(MAP ~ topics(10) + topics(14), draws=2, fresh=True)").table.height == 1


def test_draws_are_single_agreements_added_up() -> None:
    formula = "agreement(MAP ~ topics(14, seed={}) + 1, margin=0.05{})"
    result = quietly(formula.format(3, ", draws=4, fresh=True"))
    single = [quietly(formula.format(3 + draw, ", fresh=True")) for draw in range(4)]
    row = result.table.row(0, named=True)
    for name in ("pairs", "n_predictor", "n_truth", "n_both", "n_equivalent"):
        assert row[name] == sum(each.table[name][0] for each in single)
    assert row["precision"] == row["n_both"] / row["n_predictor"]
    assert row["f1"] == 2 * row["n_both"] / (row["n_predictor"] + row["n_truth"])
    draws = result.tables["draws"]
    assert draws["draw"].to_list() == [0, 1, 2, 3]
    for name in ("n_predictor", "n_truth", "n_both", "precision", "recall", "f1"):
        assert draws[name].to_list() == [each.table[name][0] for each in single]
    differences = result.tables["differences"]
    assert differences.columns[-1] == "draw"
    for draw, each in enumerate(single):
        columns = ["better", "worse", "difference_predictor", "difference_truth", "p_predictor", "p_truth", "verdict"]
        assert differences.filter(draw=draw).select(columns).equals(each.tables["differences"].select(columns))


def test_thresholds_are_those_of_all_draws() -> None:
    result = quietly("agreement(MAP ~ topics(20) + 1, draws=3, at_least=0.1)")
    thresholds, row = result.tables["thresholds"], result.table.row(0, named=True)
    differences = result.tables["differences"].filter(pl.col("verdict").is_in(["both", "predictor", "opposite"]))
    at = thresholds.filter(pl.col("at_least") >= 0.1).row(0, named=True)
    assert (at["n_predictor"], at["n_both"]) == (row["n_predictor"], row["n_both"])
    assert row["n_predictor"] == differences.height
    assert thresholds["recall"][0] >= row["recall"]


@up_to(25)
@given(st.data())
def test_draws_as_they_are_defined(data: st.DataObject) -> None:
    runs, count = data.draw(st.integers(2, 4)), data.draw(st.integers(6, 12))
    names = data.draw(st.lists(st.text("ab1290", min_size=1, max_size=3), min_size=count, max_size=count, unique=True))
    scores = st.integers(0, 10).map(lambda tenths: tenths / 10)
    matrix = data.draw(st.lists(st.lists(scores, min_size=count, max_size=count), min_size=runs, max_size=runs))
    n, seed, draws = data.draw(st.integers(2, count - 1)), data.draw(st.integers(0, 99)), data.draw(st.integers(1, 3))
    fresh = data.draw(st.booleans())
    rows: Rows = {f"r{number:02}": dict(zip(names, of_run, strict=True)) for number, of_run in enumerate(matrix)}
    formula = f'agreement(given("acc") ~ topics({n}, seed={seed}) + 1 | sign(tails=1) | BH(alpha=0.4), draws={draws}, fresh={fresh})'
    found = quietly(formula, board(matrix, names)).tables["draws"].select("n_predictor", "n_truth", "n_both").rows()
    expected = counts_of_draws(rows, rows, n, range(seed, seed + draws), fresh=fresh, correction="BH", alpha=BH_LEVEL)
    assert found == expected


def test_a_test_that_warns_in_every_draw_warns_once() -> None:
    rng = np.random.default_rng(3)
    uneven = board((rng.uniform(0, 1, (14, 20)) * np.linspace(0.05, 1, 14)[:, None]).tolist())
    result = quietly('agreement(given("acc") ~ topics(8) + 1 | unadjusted, draws=6, fresh=True)', uneven)
    assert sum("significant differences depend on runs" in text for text in result.warnings) == 1


def test_the_finding_counts_draws() -> None:
    found = quietly("agreement(MAP ~ topics(14) + 1, draws=5, fresh=True)")
    row = found.table.row(0, named=True)
    assert found.finding.startswith(
        f"Over 5 draws of topics, MAP under topics(14) finds {row['n_both']} of the {row['n_truth']} significant differences "
        "that MAP on the other topics finds"
    )
    assert found.tested is not None
    assert found.tested.startswith("t, two-tailed; 435 hypotheses, ")


def test_the_draws_of_one_condition_alone_name_themselves() -> None:
    asked = agreement(scores_given("acc"), (topics(4), None), draws=2, fresh=True)
    result = run(asked, board(np.random.default_rng(1).random((3, 9)).tolist()))
    assert result.draws["predictor"].to_list() == ["topics(4)"] * 2


@pytest.mark.slow
def test_few_topics_of_trec_7(shared: Path) -> None:
    """Half of the topics predict all topics, which contain them, much better than the other half of the topics (mean of many draws)."""
    ap = scores_from(shared / "trec7_ap.csv", topics=False)
    condition = (topics(25), None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        whole, other = (
            run(agreement(scores_given("AP"), condition, test=t(tails=1), correction=BH, draws=40, fresh=fresh), ap)
            for fresh in (False, True)
        )
    assert [whole.precision, whole.f1] == pytest.approx([0.974, 0.874], abs=0.03)
    assert [other.precision, other.f1] == pytest.approx([0.796, 0.805], abs=0.03)


@pytest.mark.parametrize("pairs", ["topics(2) + 1", "topics(2) + topics(3) + 1"])
@pytest.mark.parametrize("fresh", [False, True])
def test_findings_on_boards_of_equal_runs(pairs: str, fresh: bool) -> None:
    formula = f'agreement(given("acc") ~ {pairs} | t | unadjusted, draws=3, fresh={fresh})'
    for rows in ([[0.5] * 6] * 3, [[0.9] * 6, [0.5] * 5 + [0.6], [0.1] * 6]):
        result = quietly(formula, board(rows))
        assert result.finding.startswith("Over 3 draws of topics, ")
        assert result.finding.endswith(".")
        assert specification(result)


@pytest.mark.parametrize(
    ("formula", "stated"),
    [
        ("ranks(MAP ~ topics(10))", "10 of 29 topics, "),
        ("scores(MAP + P@5 ~ topics(10, seed=3))", "10 of 29 topics, "),
        ("agreement(MAP + P@5 ~ topics(10))", "10 of 29 topics, "),
        ("agreement(MAP ~ topics(10) + 1, fresh=True)", "29 topics, "),
        ("agreement(MAP ~ topics(10) + topics(12))", "29 topics, "),
        ("ranks(MAP)", "29 topics, "),
    ],
)
def test_a_result_on_some_topics_says_on_how_many(formula: str, stated: str) -> None:
    result = quietly(formula)
    assert result.to_text().splitlines()[1].startswith(stated)
    assert stated in result.to_markdown()
    assert stated in result.to_latex()
    assert (stated == "29 topics, ") == ("of 29 topics" not in result.to_markdown())
    assert stated in str(pickle.loads(pickle.dumps(result)))
    assert result.to_dict()["collection"]["topics"] == 29  # type: ignore[index]


@pytest.mark.parametrize("experiment", ["scores", "ranks"])
def test_means_of_two_topics_are_shown_without_an_interval(experiment: str) -> None:
    shown = " ".join(quietly(f"{experiment}(MAP ~ topics(2))").to_text(experiment).split())
    assert "no interval" in shown
    assert "±" not in shown
    assert "low: -" not in shown


def graded_in_part() -> pl.DataFrame:
    """Returns grades of three systems on 40 questions, of which an expert graded every fourth."""
    random = np.random.default_rng(12)
    rows = [(f"q{question:02}", name, *random.integers(0, 5, 2).tolist()) for question in range(40) for name in "xyz"]
    table = pl.DataFrame(rows, schema=["topic_id", "run_id", "model", "expert"], orient="row")
    return table.with_columns(pl.when(pl.col("topic_id").str.slice(1).cast(pl.Int64) % 4 == 0).then("expert").alias("expert"))


def test_topics_without_scores_that_may_be_drawn_are_a_warning() -> None:
    columns = {judge: f'mark ~ assessor("{judge}")' for judge in ("model", "expert")}
    formula = 'scores(given("mark") ~ topics(6, assessor("expert")))'
    text = 'topics(6, assessor("expert")) draws from 40 topics, of which 30 have no scores under mark ~ assessor("expert"); missing="drop-topics" (--missing drop-topics) excludes them'
    found = quietly(formula, scores_from(graded_in_part(), columns=columns))
    assert text in found.warnings
    assert found.table["topics"].unique().to_list() != [6]
    found = quietly(formula, scores_from(graded_in_part(), columns=columns, missing="drop-topics"))
    assert found.table["topics"].unique().to_list() == [6]
    assert [warning for warning in found.warnings if "draws from" in warning] == []
    assert quietly(formula.replace("expert", "model"), scores_from(graded_in_part(), columns=columns)).warnings == ()


def test_topics_without_judgements_that_may_be_drawn_are_a_warning() -> None:
    judged = [
        (str(topic), "d", grade, name)
        for topic in range(9)
        for name, grade in (("model", 1), ("expert", 1))
        if name == "model" or topic < 7
    ]
    grades = pl.DataFrame(judged, schema=["topic_id", "doc_id", "grade", "assessor"], orient="row")
    collection = from_frames(grades, {"r": {str(topic): {"d": 1.0} for topic in range(9)}})
    warned = quietly('scores(MAP ~ topics(4, assessor("expert")))', collection).warnings
    assert 'topics(4, assessor("expert")) draws from 9 topics, of which 2 have no judgements under MAP ~ assessor("expert")' in warned
    assert not any("draws from" in text for text in quietly('scores(MAP ~ topics(4, assessor("model")))', collection).warnings)


def test_each_draw_of_documents_is_another_sample() -> None:
    """Draw d of `sampled` is the sample of seed + d, also inside `topics`; the truth stays as it is."""
    found = quietly("agreement(P@10 ~ sampled(0.4, seed=5) + 1 | t | Holm, draws=3)").tables["draws"]
    alone = [quietly(f"agreement(P@10 ~ sampled(0.4, seed={5 + draw}) + 1 | t | Holm)").table for draw in range(3)]
    names = ["n_predictor", "n_truth", "n_both"]
    assert found.select(names).rows() == [table.select(names).row(0) for table in alone]
    assert found["n_predictor"].n_unique() > 1
    inner = parse("topics(14, sampled(0.4, seed=5))", Criterion).redrawn(2)
    assert str(inner) == "topics(14, sampled(0.4, seed=7))"
    assert parse("sampled(1, seed=5)", Criterion).redrawn(2) == parse("sampled(1, seed=5)", Criterion)
