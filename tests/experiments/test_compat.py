"""With `compat`, means are over the topics that a run answers, and pairs of runs use all topics."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    MAP,
    Assessments,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    MAgP,
    MAiP,
    Scores,
    char_prec,
    char_rec,
    curve,
    iGP,
    iP,
    read_assessments,
    read_runs,
    run,
    scores,
    significance,
    t,
    versus,
)
from inexmetrics.collection.schemas import DOCUMENTS, PASSAGES
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.condition_scores import scored
from tests.by_hand import collected

LEFT_OUT = 'compat="inex_eval": 2 topics missing from run some are excluded from its means (2, 4)'
SCORED_0 = "2 topics missing from run some are scored 0 where defined (2, 4)"
pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    """Returns topics 1, 2 and 3 with 10 highlighted characters each, and topic 4 without; run `all` answers all topics, run `some` answers 1 and 3.

    Precision in characters is 10/10, 10/20, 10/40 and 0 for `all`; for `some`, 10/40 on topic 1 and 10/20 on topic 3.
    """
    (tmp_path / "all").write_text("1 Q0 a 1 1 all 0 10\n2 Q0 a 1 1 all 0 20\n3 Q0 a 1 1 all 0 40\n4 Q0 b 1 1 all 0 5\n")
    (tmp_path / "some").write_text("1 Q0 a 1 1 some 0 40\n3 Q0 a 1 1 some 0 20\n")
    documents = [(topic, "a", 10, 90, 0) for topic in "123"] + [("4", "b", 0, 9, None)]
    assessments = Assessments(
        documents=pl.DataFrame(documents, schema=DOCUMENTS, orient="row"),
        passages=pl.DataFrame([(topic, "a", 0, 10) for topic in "123"], schema=PASSAGES, orient="row"),
    )
    return collected(assessments, read_runs(tmp_path))


def test_means_run_over_the_topics_answered(collection: Collection) -> None:
    result = run(scores(char_prec, interval=0.8), collection, compat="inex_eval")
    assert result.table.select("run_id", "topics", "mean").rows() == [
        ("all", 4, (1.0 + 0.5 + 0.25 + 0.0) / 4),
        ("some", 2, (0.25 + 0.5) / 2),
    ]
    # the intervals are over these topics, too: sd of .25 and .5 is .25/sqrt 2, t(.9, 1) = 3.07768; no precision is below 0
    assert result.table.select("low", "high").row(1) == pytest.approx((0.0, 0.375 + 3.077683537175254 * 0.125))
    whole = run(scores(char_prec), collection, compat="inex_eval")
    assert whole.table.select("low", "high").row(1) == (0.0, 1.0)  # t(.975, 1) = 12.7062
    assert result.tables["per_topic"].select("run_id", "topic_id", "score").rows() == [
        ("all", "1", 1.0), ("all", "2", 0.5), ("all", "3", 0.25), ("all", "4", 0.0), ("some", "1", 0.25), ("some", "3", 0.5),
    ]  # fmt: skip
    assert result.compat == "inex_eval"
    assert result.warnings[-1] == LEFT_OUT
    assert SCORED_0 not in result.warnings


def test_by_default_they_run_over_all_defined_topics(collection: Collection) -> None:
    result = run(scores(char_prec), collection)
    assert result.table.select("run_id", "topics", "mean").rows() == [("all", 3, 1.75 / 3), ("some", 3, 0.75 / 3)]
    assert result.tables["per_topic"].height == 8
    assert LEFT_OUT not in result.warnings
    assert SCORED_0 in result.warnings


def test_a_mean_with_an_undefined_topic_is_null(collection: Collection) -> None:
    result = run(scores(char_rec), collection, compat="inex_eval")
    assert result.table.select("run_id", "topics", "mean", "low").rows() == [("some", 2, 1.0, 1.0), ("all", 4, None, None)]
    assert result.tables["per_topic"].filter(pl.col("topic_id") == "4")["score"].to_list() == [None]
    assert "1 topic is undefined under char_rec: 4" in result.warnings
    assert "1 topic is undefined under char_rec and excluded: 4" in run(scores(char_rec), collection).warnings


def test_pairs_of_runs_are_compared_over_all_topics(collection: Collection) -> None:
    found = run(versus("all", char_prec), collection, compat="inex_eval")
    assert found.table.select("mean", "opponent_mean").rows() == [(1.75 / 4, 0.75 / 4)]
    pairs = run(significance(char_rec, test=t), collection, compat="inex_eval")
    assert pairs.table["difference"].to_list() == [pytest.approx(1.0 - 2 / 3)]  # topic 4, undefined, is left out for both
    assert not any("excluded from its means" in warning for warning in (*found.warnings, *pairs.warnings))
    assert SCORED_0 in found.warnings


def test_curves_run_over_the_topics_answered(collection: Collection) -> None:
    found = run(curve((MAiP, iGP)), collection, compat="inex_eval")
    points = {(run_id, measure): of["value"].to_list() for (run_id, measure), of in found.table.group_by("run_id", "measure")}
    assert points["all", "MAiP"] == [1.75 / 4] * 101
    assert points["some", "MAiP"] == [0.75 / 2] * 101
    assert len(points["some", "iGP"]) == 11
    assert points["some", "iGP"][0] == pytest.approx((2 * 0.25 / 1.25 + 2 * 0.5 / 1.5) / 2)
    assert found.warnings[-1] == LEFT_OUT
    published = run(curve(MAiP), collection)
    assert published.table["value"].to_list() == [1.75 / 3] * 101 + [0.75 / 3] * 101


def test_a_run_that_answers_all_is_left_nothing_out(collection: Collection) -> None:
    result = run(scores(MAiP), collection.only(runs="all"), compat="inex_eval")
    assert LEFT_OUT not in result.warnings


def test_means_are_those_of_the_evaluator_to_the_last_bit(shared: Path) -> None:
    means = {}
    for line in gzip.decompress((shared / "golden" / "thorough_1.t.q.txt.gz").read_bytes()).decode().splitlines():
        name, topic, value = (line.split() + [""] * 3)[:3]
        if topic == "all":
            means[name] = float(value)
    thorough = Collection(read_assessments(shared / "inex2009-2010.qrels.gz"), read_runs(shared / "thorough_1.fol.run.gz"))
    measure, at = MAiP(overlap="unseen"), iP(overlap="unseen")
    result = run(scores((measure, at @ 0, at @ 0.01, at @ 0.05, at @ 0.1, char_prec, char_rec)), thorough, compat="inex_eval")
    names = ["MAiP", "iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "char_prec", "char_rec"]
    assert result.table["mean"].to_list() == [means[name] for name in names]
    assert set(result.table["topics"]) == {60}
    drawn = run(curve(measure), thorough, compat="inex_eval")
    assert drawn.table["value"].to_list() == [means[f"ircl_prn.{level / 100:.2f}"] for level in range(101)]


def test_scores_of_answered_topics_join_again(collection: Collection) -> None:
    found = scored(scores(MAiP), collection, RunOptions(compat="inex_eval"))
    assert found.answered is not None
    assert found.answered.tolist() == [[True] * 4, [True, False, True, False]]
    assert scored(scores(MAiP), collection, RunOptions()).answered is None


class TestWhatDoesNotFit:
    def test_measures_that_read_no_text(self, collection: Collection) -> None:
        for experiment in (scores((MAiP, MAP)), curve((MAiP, MAP)), versus("all", (MAgP, MAP))):
            with pytest.raises(FormulaError, match=r'^compat="inex_eval" applies only to character and in-context measures, not to MAP$'):
                run(experiment, collection, compat="inex_eval")

    def test_scores_that_were_computed_before(self) -> None:
        given = Scores(("a",), ("1",), {("MAiP", "1"): np.array([[0.5]])})
        message = '^scores: expected assessments and runs, found scores by topic; compat="inex_eval" changes how measures are computed$'
        with pytest.raises(CollectionError, match=message):
            run(scores(MAiP), given, compat="inex_eval")

    def test_what_is_left_out_is_warned_of(self, collection: Collection) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error", CollectionWarning)
            with pytest.raises(CollectionWarning, match="excluded from its means"):
                run(scores(MAiP), collection, compat="inex_eval")
