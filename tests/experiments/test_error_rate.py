from __future__ import annotations

import math
import statistics
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from inexmetrics import (
    MAP,
    CollectionError,
    ErrorRate,
    FormulaError,
    Gen5,
    MAep,
    Scores,
    bootstrap,
    error_rate,
    run,
    sign,
    t,
    unadjusted,
    wilcoxon,
)
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.error_rate import ErrorRateIntervals
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.error_rates import Errors as HalvesErrors
from inexmetrics.inference.error_rates import halves

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
    assert result.warnings[1:] == ("the smallest p-value of sign over 2 topics is 0.5, above alpha, 0.05",)


def test_each_split_is_one_observation_of_the_rate() -> None:
    """The error rate is a ratio of two sums over splits, linearised; its standard error is that of a mean over splits."""
    random = np.random.default_rng(5)
    source = of(*(random.random((6, 12)) + np.linspace(0, 0.2, 6)[:, None]).tolist())
    result = error_rate(MAP, tests=t(tails=1), splits=12, seed=3).answer(source, RunOptions())
    rejected, errors = [], []
    for split in range(12):
        first, second = (source.matrices["MAP", "1"][:, half] for half in halves(12, 3, split))
        found = conclude(first, t(tails=1), unadjusted, RunOptions()).rejected
        rejected.append(int(found.sum()))
        errors.append(int((found & (second.mean(axis=1)[:, None] <= second.mean(axis=1))).sum()))
    rate = sum(errors) / sum(rejected)
    assert result.table["error_rate"].to_list() == [rate]
    residuals = [(e - rate * r) / (sum(rejected) / 12) for e, r in zip(errors, rejected, strict=True)]
    margin = 2.200985160082949 * statistics.stdev(residuals) / math.sqrt(12)  # R: qt(.975, 11)
    assert 0 < margin < rate
    table = ErrorRateIntervals.validate(result.tables["intervals"])
    assert table.select("low", "high").row(0) == pytest.approx((rate - margin, rate + margin))


def test_intervals_end_at_0_and_1() -> None:
    assert HalvesErrors(4, 3, 0, by_split=((1, 1), (1, 1), (1, 1), (1, 0))).interval(0.95) == (0.0, 1.0)


@pytest.mark.parametrize(
    "errors",
    [
        HalvesErrors(0, 0, 0, by_split=((0, 0), (0, 0))),
        HalvesErrors(5, 1, 0, by_split=((5, 1),)),
        HalvesErrors(9, 0, 0, by_split=((4, 0), (5, 0))),
        HalvesErrors(4, 4, 0, by_split=((2, 2), (2, 2))),
    ],
)
def test_without_rejections_or_variation_there_is_no_interval(errors: HalvesErrors) -> None:
    assert errors.interval(0.95) == (None, None)


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
    with pytest.raises(CollectionError, match=r"^error_rate: expected at least two runs to compare, found 1 \("):
        error_rate(MAP).answer(alone, RunOptions())
