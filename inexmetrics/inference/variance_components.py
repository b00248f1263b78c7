"""How scores vary: over runs, over topics, and over what is left, from a table with one score of every run on every topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.means import TOLERANCE, means

__all__ = ["Anova", "Source", "anova", "share_of_runs"]


@dataclass(frozen=True, slots=True)
class Source:
    """A source of variance: its degrees of freedom, and the sum of squared deviations."""

    df: int
    sum_of_squares: float

    @property
    def mean_square(self) -> float | None:
        """Sum of squares over degrees of freedom; None without any."""
        return self.sum_of_squares / self.df if self.df else None


@dataclass(frozen=True, slots=True)
class Anova:
    """The analysis of variance of k runs x n topics, one score each: between runs, between topics, and what neither explains.

    No interaction is told apart from this residual.
    """

    run: Source
    topic: Source
    residual: Source

    @property
    def var_residual(self) -> float | None:
        """The residual's variance, MS_res; None with one run or one topic, 0 where it is at most 1e-12."""
        mean_square = self.residual.mean_square
        return None if mean_square is None else mean_square if mean_square > TOLERANCE else 0.0

    @property
    def var_run(self) -> float | None:
        """The variance of runs, (MS_run - MS_res) / n, not below 0."""
        return self._component(self.run, self.topic.df + 1)

    @property
    def var_topic(self) -> float | None:
        """The variance of topics, (MS_topic - MS_res) / k, not below 0."""
        return self._component(self.topic, self.run.df + 1)

    def _component(self, source: Source, repetitions: int) -> float | None:
        if source.mean_square is None or self.residual.mean_square is None:
            return None
        component = (source.mean_square - self.residual.mean_square) / repetitions
        return component if component > TOLERANCE else 0.0

    def f_ratio(self, source: Source) -> tuple[float, float] | None:
        """F of a source against the residual, and its p-value; None where the residual's variance is 0 or there is none."""
        if not self.var_residual or source.mean_square is None or self.residual.mean_square is None:
            return None
        from scipy.special import fdtrc  # takes 0.3 s to import

        ratio = source.mean_square / self.residual.mean_square
        return ratio, float(fdtrc(source.df, self.residual.df, ratio))


def anova(scores: FloatArray) -> Anova:
    """Analyses the variance of finite scores over runs and topics, at least one of each.

    Source: Bodoff & Li (2007), Test theory for assessing IR test collections, SIGIR; Urbano, Marrero & Martín (2013),
    On the measurement of test collection reliability, SIGIR.

    Examples:
        >>> found = anova(np.array([[0.5, 0.75], [0.25, 0.0]]))
        >>> found.run, found.topic
        (Source(df=1, sum_of_squares=0.25), Source(df=1, sum_of_squares=0.0))
        >>> found.residual, found.var_run
        (Source(df=1, sum_of_squares=0.0625), 0.09375)
    """
    runs, topics = scores.shape
    of_runs, of_topics = means(scores), means(scores.T)
    whole = means(of_runs)
    residuals = scores - of_runs[:, None] - of_topics + whole
    return Anova(
        Source(runs - 1, topics * _squares(of_runs - whole)),
        Source(topics - 1, runs * _squares(of_topics - whole)),
        Source((runs - 1) * (topics - 1), _squares(residuals)),
    )


def share_of_runs(runs: float, error: float) -> float | None:
    """Return the share of the variance of runs in the sum of it and the error variance; None where both are 0."""
    return runs / (runs + error) if runs + error > 0 else None


def _squares(values: FloatArray) -> float:
    """The sum of squares, added in order."""
    return float(np.add.accumulate(np.square(values).ravel())[-1])
