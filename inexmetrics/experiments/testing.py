"""What experiments that test say of their tests: of p-values too small to be known, and of tests too coarse to conclude."""

from __future__ import annotations

from inexmetrics.foundation.errors import CollectionError
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.bootstrap import Bootstrap

__all__ = ["check_several_runs", "coarse", "unresolved"]


def unresolved(test: SignificanceTest) -> float | None:
    """What a p-value of 0 is below: 1/b for a bootstrap of b samples; None for tests that never give 0."""
    return 1 / test.b if isinstance(test, Bootstrap) else None


def coarse(test: SignificanceTest, correction: Correction, topics: int, hypotheses: int) -> tuple[str, ...]:
    """A warning if no p-value that the test can give over so many topics is small enough to be rejected on its own."""
    smallest, step = test.smallest_p_value(topics), correction.first_step(hypotheses)
    if smallest <= step:
        return ()
    over = f"{topics} topic{'' if topics == 1 else 's'}"
    among = f"{hypotheses} hypothes{'i' if hypotheses == 1 else 'e'}s"
    return (f"the smallest p-value of {test} over {over} is {smallest:.3g}, above the first step of {correction} for {among}, {step:.3g}",)


def check_several_runs(word: str, runs: tuple[str, ...]) -> None:
    """Refuses to compare runs where there are not two."""
    if len(runs) < 2:
        raise CollectionError(f"{word}: expected at least two runs to compare, found {len(runs)}")
