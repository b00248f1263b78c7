from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.error_rate import ErrorRate, Errors, Intervals, error_rate, intervals
from inexmetrics.formula.evaluation import run
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.classical import sign, t, wilcoxon
from inexmetrics.inference.halves import halves
from inexmetrics.measures.documents import MAP
from inexmetrics.measures.effort_precision import MAep
from inexmetrics.quantisations.inex2005 import Gen5

COLUMNS = ["measure", "quantisation", "test", "rejected", "errors", "error_rate", "both_halves", "ratio_to_bootstrap"]


def of(*rows: list[float]) -> Scores:
    topics = tuple(f"t{number:02}" for number in range(1, len(rows[0]) + 1))
    return Scores(tuple("abcdef"[: len(rows)]), topics, {("MAP", "1"): np.array(rows)})


def test_what_both_halves_say_is_no_error() -> None:
    # a is ahead of b by .25 on every topic: each split rejects once, rightly, and again on the second half
    table = (
        error_rate(MAP, tests=(bootstrap(b=500), t(tails=1)), splits=7)
        .answer(of([0.5, 0.75, 1.0, 0.25], [0.25, 0.5, 0.75, 0.0]), RunOptions())
        .table
    )
    assert table.columns == COLUMNS
    assert table.rows() == [("MAP", "1", "bootstrap(b=500)", 7, 0, 0.0, 7, None), ("MAP", "1", "t(tails=1)", 7, 0, 0.0, 7, None)]


def test_what_the_other_half_refutes_is_an_error() -> None:
    # a is ahead on t1 and t2, b as far on t3 and t4. A first half of {t1, t2} concludes a > b, one of {t3, t4} b > a, and
    # the other half says the opposite; halves of one topic each way conclude nothing.
    splits = 40
    pure = sum(halves(4, 0, split)[0].tolist() in ([0, 1], [2, 3]) for split in range(splits))
    assert 0 < pure < splits
    source = of([0.75, 0.75, 0.25, 0.25], [0.25, 0.25, 0.75, 0.75])
    table = error_rate(MAP, tests=(bootstrap(b=500), t(tails=1)), splits=splits).answer(source, RunOptions()).table
    assert table.select(COLUMNS[3:]).rows() == [(pure, pure, 1.0, 0, 1.0)] * 2


def test_without_rejections_there_is_no_rate() -> None:
    result = error_rate(MAP, tests=(bootstrap(b=500), sign), splits=5).answer(
        of([0.5, 0.75, 1.0, 0.25], [0.25, 0.5, 0.75, 0.0]), RunOptions()
    )
    # two topics a half: the smallest p of the two-tailed sign test is 1/2
    assert result.table.select(COLUMNS[3:]).rows() == [(5, 0, 0.0, 5, None), (0, 0, None, 0, None)]
    assert result.warnings == (
        "the smallest p-value of sign over 2 topics is 0.5, above the first step of unadjusted for 2 hypotheses, 0.05",
    )


def test_wilsons_intervals_by_hand() -> None:
    # z = 1.959964; no error in 5 rejections: from 0 to z^2 / (5 + z^2)
    source = of([0.5, 0.75, 1.0, 0.25], [0.25, 0.5, 0.75, 0.0])
    result = error_rate(MAP, tests=(bootstrap(b=500), sign), splits=5).answer(source, RunOptions())
    right, without = Intervals.validate(result.tables["intervals"]).rows()
    assert right[:3] == ("MAP", "1", "bootstrap(b=500)")
    assert right[3:] == pytest.approx((0.0, 0.434482), abs=1e-6)
    assert without == ("MAP", "1", "sign", None, None)


def test_wilsons_interval_of_errors_by_hand() -> None:
    # 2 of 10: (.2 + z^2/20 -+ z sqrt(.016 + z^2/400)) / (1 + z^2/10) = (.392073 -+ .313617) / 1.384146
    counted = Errors.frame(
        measure="MAP", quantisation="1", test=["t"], rejected=[10], errors=[2], error_rate=[0.2], both_halves=[3], ratio_to_bootstrap=None
    )
    assert intervals(counted).select("low", "high").row(0) == pytest.approx((0.056682, 0.509838), abs=1e-6)


def test_rates_are_held_against_the_bootstrap_wherever_it_stands() -> None:
    random = np.random.default_rng(5)
    source = of(*(random.random((6, 12)) + np.linspace(0, 0.2, 6)[:, None]).tolist())
    table = error_rate(MAP, tests=(t(tails=1), bootstrap(b=500), wilcoxon), splits=20, seed=3).answer(source, RunOptions()).table
    rate = dict(zip(table["test"], table["error_rate"], strict=True))
    assert rate["bootstrap(b=500)"] > 0
    ratios = [rate[test] / rate["bootstrap(b=500)"] for test in table["test"]]
    assert table["ratio_to_bootstrap"].to_list() == ratios
    assert ratios[1] == 1.0


def test_without_a_bootstrap_there_is_no_ratio(small: Scores) -> None:
    table = error_rate(MAep, Gen5, tests=(t(tails=1), wilcoxon(tails=1)), splits=4).answer(small, RunOptions()).table
    assert table["ratio_to_bootstrap"].to_list() == [None, None]


def test_an_executor_gives_the_same_bytes() -> None:
    source = of(*np.random.default_rng(1).random((5, 9)).tolist())
    experiment = error_rate(MAP, tests=(bootstrap(b=500), t(tails=1)), splits=6)
    with ThreadPoolExecutor(2) as pool:
        assert run(experiment, source, executor=pool).to_json() == run(experiment, source).to_json()


def test_progress_is_told_by_split() -> None:
    told: list[tuple[str, int, int]] = []
    setting = RunOptions(progress=lambda what, done, total: told.append((what, done, total)))
    error_rate(MAP, tests=t(tails=1), splits=3).answer(of([0.5, 0.75, 1.0, 0.25], [0.25, 0.5, 0.75, 0.0]), setting)
    assert [(done, total) for _, done, total in told] == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (error_rate(MAP), "error_rate(MAP)"),
        (
            error_rate(MAep, Gen5, tests=(bootstrap, t(tails=1), wilcoxon(tails=1), sign(tails=1)), splits=50, seed=0),
            "error_rate(MAep ~ Gen5)",
        ),
        (
            error_rate(MAep, Gen5, tests=(t(tails=1), wilcoxon(tails=1)), splits=4),
            "error_rate(MAep ~ Gen5, tests=(t(tails=1), wilcoxon(tails=1)), splits=4)",
        ),
        (
            error_rate(MAep, Gen5, tests=(t(tails=1), wilcoxon(tails=1)), seed=4),
            "error_rate(MAep ~ Gen5, tests=(t(tails=1), wilcoxon(tails=1)), seed=4)",
        ),
        (error_rate(MAP, tests=t), "error_rate(MAP, tests=(t,))"),
    ],
)
def test_canonical_text(experiment: ErrorRate, text: str) -> None:
    assert str(experiment) == text


def test_wrong_parts_are_refused(small: Scores) -> None:
    with pytest.raises(FormulaError, match=r"^error_rate: tests: t is written twice$"):
        error_rate(MAP, tests=(t, t))
    with pytest.raises(FormulaError, match=r"^error_rate: splits: expected an integer from 1 to 1000000, found 0$"):
        error_rate(MAP, splits=0)
    alone = Scores(("a",), small.topics, {("MAP", "1"): small.matrices["MAP", "1"][:1]})
    with pytest.raises(CollectionError, match=r"^error_rate: expected at least two runs to compare, found 1$"):
        error_rate(MAP).answer(alone, RunOptions())
