"""Every claim of the pages about trec_eval: values on real judgements with real and generated runs, means, and the measures that differ.

`pytrec_eval` computes trec_eval's values. If the environment variable INEXMETRICS_TREC_EVAL contains the path of the program trec_eval, its
values are compared, too.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from inexmetrics import (
    MAP,
    RBP,
    RR,
    Collection,
    CollectionWarning,
    Measure,
    P,
    R,
    RBPresidual,
    Rprec,
    SetF,
    SetP,
    SetR,
    Success,
    bpref,
    from_frames,
    infAP,
    nDCG,
    read_assessments,
    read_runs,
    run,
    scores,
)
from inexmetrics.common.options import RunOptions
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of

Grades = dict[str, dict[str, int]]
Retrieved = dict[str, dict[str, float]]

EXACT: Mapping[Measure, str] = {bpref: "bpref", infAP: "infAP", Rprec: "Rprec", Success @ 5: "success_5", Success @ 10: "success_10"}
"""Measures whose values are bit-identical."""
CLOSE: Mapping[Measure, str] = {
    MAP: "map", MAP @ 100: "map_cut_100", RR: "recip_rank", P @ 10: "P_10", P @ 100: "P_100", R @ 100: "recall_100",
    nDCG: "ndcg", nDCG @ 10: "ndcg_cut_10", SetP: "set_P", SetR: "set_recall", SetF: "set_F",
}  # fmt: skip
ASKED = {"bpref", "infAP", "Rprec", "success.5,10", "map", "map_cut.100", "recip_rank", "P.10,100", "recall.100", "ndcg", "ndcg_cut.10"}
ASKED |= {"set_P", "set_recall", "set_F"}
TREC_EVAL = os.environ.get("INEXMETRICS_TREC_EVAL")


def collected(grades: Grades, retrieved: Retrieved) -> Collection:
    with warnings.catch_warnings(action="ignore", category=CollectionWarning):
        return from_frames(grades, retrieved, order="score")


def generated(grades: Grades, seed: int) -> Retrieved:
    """Returns a run with judged and unjudged documents, with ties, with lists of different lengths, and without some topics."""
    draw = random.Random(seed)
    found: Retrieved = {}
    for topic in sorted(grades):
        judged = sorted(grades[topic])
        documents = draw.sample(judged, min(len(judged), draw.randint(0, 120))) + [
            f"unjudged-{number}" for number in range(draw.randint(0, 40))
        ]
        listed = {doc: round(draw.gauss(grades[topic].get(doc, 0), 2), draw.choice((0, 1, 5))) for doc in documents}
        if listed and (draw.random() < 0.95 or not found):
            found[topic] = listed
    return found


def assert_equal(grades: Grades, retrieved: Retrieved) -> int:
    """Compares the values by topic, and the means over all topics; returns the number of values."""
    expected = pytrec_eval.RelevanceEvaluator(grades, ASKED).evaluate(retrieved)
    collection = collected(grades, retrieved)
    found = scores_of(collection, [Condition(measure) for measure in (*EXACT, *CLOSE)], RunOptions())
    with warnings.catch_warnings(action="ignore", category=CollectionWarning):
        means = run(scores((*EXACT, *CLOSE), undefined="zero"), collection).table
    for measure, name in {**EXACT, **CLOSE}.items():
        (row,) = found.matrix(str(measure))
        there = [expected.get(topic, {}).get(name, 0.0) for topic in found.topics]
        relevant = [max(grades[topic].values()) >= 1 for topic in found.topics]
        assert (~np.isnan(row)).tolist() == relevant, name
        np.testing.assert_allclose(np.nan_to_num(row), there, rtol=0, atol=0.0 if measure in EXACT else 1e-12, err_msg=name)
        assert means.filter(measure=str(measure))["mean"].item() == pytest.approx(sum(there) / len(there), abs=1e-12)
    return len(found.topics) * len({**EXACT, **CLOSE})


LONE = "ignore:.*p8028. expected a grade from 0 to 3, as all other 4422 are, found 10"
"""A real judge's single grade off the scale, of which reading warns."""


def qrels_of(path: Path) -> Grades:
    grades: Grades = {}
    for topic, doc, grade in read_assessments(path).tables["grades"].select("topic_id", "doc_id", "grade").iter_rows():
        grades.setdefault(str(topic), {})[str(doc)] = int(grade)
    return grades


def test_the_page_claims_what_is_tested() -> None:
    page = (Path(__file__).parents[2] / "docs" / "other-tools.md").read_text().partition("{: #trec_eval }")[2]
    exact, _, rest = page.partition(" are bit-identical to trec_eval.")
    close, said, _ = rest.partition(" agree within 1e-12.")
    assert said
    for claimed, tested in ((exact, EXACT), (close, CLOSE)):
        names = re.findall(r"`(\S+)`", claimed)
        assert {*names} == {re.sub(r"@\d+$", "@k", str(measure)) for measure in tested}, "docs/other-tools.md names them"


@pytest.mark.filterwarnings(LONE)
def test_generated_runs_on_real_judgements(shared: Path) -> None:
    paths = [shared / "trec_eval_qrels.test", *sorted((shared / "llmjudge").glob("*.qrels.gz"))]
    compared = sum(assert_equal(qrels_of(path), generated(qrels_of(path), seed)) for seed, path in enumerate(paths))
    assert compared > 10_000


def test_real_rankings_of_every_tenth_judge(shared: Path) -> None:
    human = qrels_of(shared / "llmjudge" / "human.qrels.gz")
    runs = read_runs(sorted((shared / "llmjudge" / "rankings").iterdir())[::10], order="score").results
    for (_,), part in runs.group_by("run_id", maintain_order=True):
        retrieved: Retrieved = {}
        for topic, doc, score in part.select("topic_id", "doc_id", "score").iter_rows():
            retrieved.setdefault(str(topic), {})[str(doc)] = float(score)
        assert_equal(human, retrieved)


@pytest.mark.parametrize("seed", range(25))
def test_generated_judgements_and_runs(seed: int) -> None:
    """Some topics have no relevant document, some grades are negative, and some topics are missing from the run."""
    draw = random.Random(1000 + seed)
    grades = {
        f"t{topic}": {"nonrelevant": 0, **{f"d{doc:02}": draw.choice((-1, 0, 0, 1, 1, 2, 3)) for doc in range(draw.randint(0, 60))}}
        for topic in range(draw.randint(2, 30))
    }
    assert_equal(grades, generated(grades, seed))


def test_topics_without_relevant_documents_count_as_zero_there() -> None:
    grades, retrieved = {"1": {"a": 1, "b": 0}, "2": {"b": 0}}, {"1": {"a": 1.0}, "2": {"b": 1.0}}
    by_topic = pytrec_eval.RelevanceEvaluator(grades, {"map"}).evaluate(retrieved)
    assert [by_topic[topic]["map"] for topic in "12"] == [1.0, 0.0]
    with warnings.catch_warnings(action="ignore", category=CollectionWarning):
        found = {
            rule: run(f'scores(MAP, undefined="{rule}")', collected(grades, retrieved)).table["mean"].item()
            for rule in ("excluded", "zero")
        }
    assert found == {"excluded": 1.0, "zero": 0.5}


class TestWhatDiffers:
    """Values of trec_eval 10.0, printed by ``trec_eval -m rbp -m rbp_resid`` for these judgements and runs."""

    def mean(self, measure: Measure, grades: Grades, *listed: str) -> float:
        retrieved = {"1": {doc: float(-rank) for rank, doc in enumerate(listed)}}
        mean: float = run(scores(measure), collected(grades, retrieved)).table["mean"].item()
        return mean

    def test_rbp_weighs_grades_there(self) -> None:
        # trec_eval: 0.1405, with gains 1 and 1/2; here, both documents are relevant: .1 (1 + .81)
        assert self.mean(RBP(p=0.9), {"1": {"a": 2, "b": 0, "c": 1}}, "a", "b", "c") == pytest.approx(0.181)
        assert pytest.approx(0.1 * (1 + 0.81 / 2), abs=1e-12) == 0.1405

    def test_the_default_persistence(self) -> None:
        assert str(RBP(p=0.8)) == "RBP"
        assert str(RBPresidual(p=0.8)) == "RBPresidual"

    def test_the_residual_past_the_end_of_a_judged_list(self) -> None:
        # trec_eval: 0.0000, because no result is unjudged; here p^L
        assert self.mean(RBPresidual(p=0.9), {"1": {"a": 1, "c": 0}}, "c", "a") == pytest.approx(0.81)

    def test_the_residual_of_a_list_with_an_unjudged_result(self) -> None:
        # trec_eval: 0.8290, and 0.3333 by unj.3: the document of grade -1 is unjudged
        assert self.mean(RBPresidual(p=0.9), {"1": {"a": 1, "b": -1, "c": 0}}, "b", "a", "c") == pytest.approx(0.829, abs=5e-5)

    def test_the_residual_of_a_topic_without_results(self) -> None:
        grades, retrieved = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
        with warnings.catch_warnings(action="ignore", category=CollectionWarning):
            of_topics = run(scores(RBPresidual(p=0.9)), collected(grades, retrieved)).named("per_topic")["score"].to_list()
        assert of_topics == [pytest.approx(0.9), 1.0]  # trec_eval -c: 0 on both topics


@pytest.mark.skipif(TREC_EVAL is None, reason="INEXMETRICS_TREC_EVAL does not contain the path of trec_eval")
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings(LONE)
def test_the_program_itself(seed: int, shared: Path, tmp_path: Path) -> None:
    assert TREC_EVAL is not None
    paths = [shared / "trec_eval_qrels.test", *sorted((shared / "llmjudge").glob("*.qrels.gz"))]
    grades = qrels_of(paths[7 * seed])
    retrieved = generated(grades, seed)
    (tmp_path / "q").write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, docs in grades.items() for doc, grade in docs.items()))
    (tmp_path / "r").write_text(
        "".join(f"{topic} Q0 {doc} 1 {score} r\n" for topic, docs in retrieved.items() for doc, score in docs.items())
    )
    asked = [word for name in sorted(ASKED) for word in ("-m", name)]
    printed = subprocess.run(
        [TREC_EVAL, "-c", "-q", *asked, str(tmp_path / "q"), str(tmp_path / "r")], capture_output=True, text=True, check=True
    )
    values = {(name, topic): float(value) for name, topic, value in (line.split() for line in printed.stdout.splitlines())}
    found = scores_of(collected(grades, retrieved), [Condition(measure) for measure in (*EXACT, *CLOSE)], RunOptions())
    for measure, name in {**EXACT, **CLOSE}.items():
        (row,) = found.matrix(str(measure))
        # Before version 10, trec_eval does not print a topic without results, which -c counts as 0 in the mean.
        there = [values[name, topic] if topic in retrieved else 0.0 for topic in found.topics]
        np.testing.assert_allclose(np.nan_to_num(row), there, rtol=0, atol=5.1e-5, err_msg=name)
