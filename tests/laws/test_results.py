"""What holds of every experiment's result: its tables are as its class states them, value by value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest

from inexmetrics import Experiment, parse, run
from inexmetrics.experiments.base import result_of
from inexmetrics.experiments.tables import tables_of
from tests.datasets import source_of
from tests.laws.strategies import own

FORMULAS: Final[Mapping[str, tuple[str, ...]]] = {
    "agreement": (
        "agreement(MAep + nxCG@25 ~ Gen5 + BinExh | t)",
        "agreement(MAP + MAiP | t(tails=2) | Holm)",
        "agreement(MAP + MAP(rel=9) | t)",
        "agreement(MAP + MAP(rel=9) + MAiP | t, resamples=3)",
        "agreement(MAP + MAP(rel=9) + MAiP, margin=0.1)",
    ),
    "assessors": ("assessors(MAP, sets=200)", 'assessors(P@1, sets=3, baseline="third", top=2)'),
    "calibration": ("calibration(MAP + MAP(rel=9), tests=(t, tukey(b=99)), boards=3)",),
    "correlation": ("correlation(MAP + MAiP + P@10)", 'correlation(MAP + MAP(rel=9), of="runs", method="kendall")'),
    "curve": ("curve(inex_eval + MAep ~ Gen5)", "curve(MAP + MAiP + iGP)"),
    "degradation": ("degradation(MAep + nxCG@25 ~ Gen5 + BinExh, moves=(0, 0.5))",),
    "error_rate": ("error_rate(MAP, splits=3)", "error_rate(MAP, tests=(t, sign(tails=2)), splits=2)"),
    "fidelity": ("fidelity(MAgP + MAP)", "fidelity(MAgPsize)"),
    "judges": (
        'judges(MAP + MAP(rel=9) ~ assessor("second") + assessor("third") | t, truth=assessor("first"))',
        'judges(assessor("second"), truth=sampled(0.1, assessor("first")))',
    ),
    "meta": ('meta(MAP + P@10 | Holm, within="dataset")', 'meta(MAP(rel=2), within="dataset", interval=0.5)'),
    "ppi": (
        'ppi(MAP + nDCG@10 ~ assessor("second") + assessor("third") | Holm, truth=assessor("first"))',
        'ppi(MAP ~ assessor("second"), truth=assessor("first"), quantiles="normal", interval=0.5)',
    ),
    "power": ("power(MAP, difference=(0.05, 0.1))", "power(MAP(rel=9))"),
    "ranks": ("ranks(MAP + MAgP)", "ranks(MAP + MAP(rel=9) | tukey(b=99))", 'ranks(MAP + MAP(rel=9), best_of="([^-]+)-.*")'),
    "reliability": ("reliability(MAP + MAgP)", "reliability(MAP(rel=9))"),
    "scores": ("scores(MAP + MAep ~ Gen5)", "scores(MAP(rel=9))", "scores(MAgP + MAiP)"),
    "significance": (
        "significance(MAP)",
        "significance(MAP(rel=9) | t)",
        "significance(MAep ~ Gen5 | wilcoxon(tails=2) | BH)",
        "significance(MAP + MAP(rel=9), margin=0.1)",
        'significance(MAP + MAP(rel=9), best_of="([^-]+)-.*")',
    ),
    "versus": (
        'versus("group01-a", MAP)',
        'versus("group01-a", MAP + MAP(rel=9), margin=0.1)',
        'versus("group01-a", MAP + MAP(rel=9), best_of="([^-]+)-.*")',
        'versus(("group01-a", "group02-a"), MAP + MAP(rel=9) | bootstrap(b=500) | Holm, top=5)',
    ),
}


def test_every_experiment_is_here() -> None:
    assert set(FORMULAS) == {entry.word for entry in own(Experiment)}


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")  # nothing is relevant at rel=9
@pytest.mark.parametrize("formula", [formula for formulas in FORMULAS.values() for formula in formulas])
def test_the_tables_are_as_stated(formula: str) -> None:
    experiment: Experiment = parse(formula, Experiment)
    result = run(experiment, source_of(formula))
    assert type(result) is result_of(type(experiment))
    stated = tables_of(type(result))
    assert [name for name in stated if name in result.tables] == list(result.tables)
    for name, table in result.tables.items():
        stated[name].validate(table)
        assert getattr(result, name) is table
    for model in stated.values():
        assert model.__doc__
        assert all(column.meaning for column in model.columns().values())
