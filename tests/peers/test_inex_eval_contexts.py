"""Documents in context equal the output of the official INEX evaluator, version 3.1, for real files, to the last bit."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from inexmetrics import Collection, CollectionWarning, MAgP, Measure, gP, gR, iGP, read_assessments, read_runs
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import means
from inexmetrics.measures.base import Curved
from inexmetrics.measures.in_context import GeneralisedPrecision
from inexmetrics.ranking import JudgedRuns, batches

RANKS = (1, 2, 3, 5, 10, 25, 50)
SHOWN = ("gP", "gR", "AgP")


def printed(path: Path) -> Mapping[tuple[str, str], float]:
    """What the evaluator printed, by name and topic."""
    with gzip.open(path, "rt") as file:
        rows = [line.split() for line in file if not line.startswith("<")]
    return {(name, topic): float(value) for name, topic, value in rows}


def evidence_of(assessments: Path, runs: Path) -> JudgedRuns:
    """What the evaluator sees of a run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        collection = Collection(read_assessments(assessments), read_runs(runs))
    (evidence,) = batches(collection, RunOptions(compat="inex_eval"))
    return evidence


OneScore = tuple[GeneralisedPrecision, Measure, Curved]
"""Generalised precision, its average and its curve, with the same document score."""


@pytest.mark.parametrize(
    ("files", "measures"),
    [
        (("inex2009-2010", "ric_1", "ric_1.r"), (gP(beta=0.25), MAgP(beta=0.25), iGP(beta=0.25))),
        (("inex2009-2010", "ric_1", "ric_1.i"), (gP(score="t2i"), MAgP(score="t2i"), iGP(score="t2i", tolerance=300))),
        (("bic", "bic_1", "bic_1.b"), (gP(score="bep"), MAgP(score="bep"), iGP(score="bep", n=500))),
    ],
    ids=["-r", "-i", "-b"],
)
def test_every_value_has_the_evaluator_s_bits(shared: Path, files: tuple[str, str, str], measures: OneScore) -> None:
    assessments, run, golden = files
    precision, average, interpolated = measures
    wanted = printed(shared / "golden" / f"{golden}.q.txt.gz")
    evidence = evidence_of(shared / f"{assessments}.qrels.gz", shared / f"{run}.fol.run.gz")
    answered = [topic for topic in evidence.topics if ("num_ret", topic) in wanted]
    places = [evidence.topics.index(topic) for topic in answered]
    assert len(answered) == 60
    shown: dict[str, Measure] = {"AgP": average}
    for rank in RANKS:
        shown |= {f"gP[{rank}]": precision @ rank, f"gR[{rank}]": gR @ rank}
    assert {name for name, _ in wanted if name.startswith(SHOWN)} == set(shown)
    for name, measure in shown.items():
        scores = measure.evaluate(evidence, None)[:, places]
        np.testing.assert_array_equal(scores[0], [wanted[name, topic] for topic in answered], err_msg=name)
        assert means(scores)[0] == wanted["MAgP" if name == "AgP" else name, "all"], name
    curve = interpolated.curve(evidence, None)[0, places]
    assert means(curve.T).tolist() == [wanted[f"ircl_prn.{level:.2f}", "all"] for level in interpolated.levels]


def two_lines(shared: Path, folder: Path, *lines: str) -> tuple[JudgedRuns, int]:
    """A run of a few results on topic 2009001, and the place of that topic."""
    path = folder / "two.run"
    path.write_text("".join(f"2009001 Q0 {doc} 1 1 two {place}\n" for doc, _, place in (line.partition(" ") for line in lines)))
    evidence = evidence_of(shared / "inex2009-2010.qrels.gz", path)
    return evidence, evidence.topics.index("2009001")


def test_past_the_end_of_a_list_the_last_precision_stands(shared: Path, tmp_path: Path) -> None:
    evidence, topic = two_lines(shared, tmp_path, "851 1205 3431", "999999999 0 100")
    precisions = [(gP(beta=0.25) @ rank).evaluate(evidence, None)[0, topic] for rank in RANKS]
    assert precisions == [0.9377934272300469] + [0.46889671361502344] * 6
    assert MAgP(beta=0.25).evaluate(evidence, None)[0, topic] == 0.04262697396500213


def test_a_place_that_is_not_known_takes_a_rank(shared: Path, tmp_path: Path) -> None:
    evidence, topic = two_lines(shared, tmp_path, "999999999 -1 -1", "851 1205 3431")
    first, second = ((gP(beta=0.25) @ rank).evaluate(evidence, None)[0, topic] for rank in (1, 2))
    assert (first, second) == (0.0, 0.46889671361502344)
