"""Common formulas on the sample need no warning; a warning fails the test."""

from __future__ import annotations

import pytest

from inexmetrics import Collection, run

MEASURES = (
    *(f"{measure} ~ {quantisation}" for measure in ("MAep", "nxCG@10") for quantisation in ("Gen5", "GenLifted", "BinExh", "FullySpec")),
    *("MAP", "MAiP", "MAgP", "P@10", "nDCG@10", "char_f1", "char_rec"),
)
EXPERIMENTS = ("scores({})", "ranks({})", "significance({})", "significance({} | Holm)", 'versus("group07-a", {} | Holm)')


@pytest.mark.parametrize("measure", MEASURES)
def test_scores_and_conclusions_of_a_measure(measure: str, collection: Collection) -> None:
    for experiment in EXPERIMENTS:
        assert run(experiment.format(measure), collection).warnings == ()


@pytest.mark.parametrize("predictor", ["BinExh", "FullySpec"])
def test_the_first_command(predictor: str, collection: Collection) -> None:
    assert run(f"agreement({predictor}, Gen5, measure=MAep)", collection).warnings == ()
