"""Analysis of variance: the variance of scores between runs and between topics, and the residual, from one score per run and topic.

If systems have several runs each, the variance between the runs of a system and the interaction between systems and topics are separate
components.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.means import TOLERANCE, means

__all__ = ["Anova", "Components", "NestedAnova", "Source", "anova", "nested_anova"]


@dataclass(frozen=True, slots=True)
class Source:
    """Source of variance: its degrees of freedom, and the sum of squared deviations."""

    df: int
    sum_of_squares: float

    @property
    def mean_square(self) -> float | None:
        """Sum of squares divided by the degrees of freedom; None without degrees of freedom."""
        return self.sum_of_squares / self.df if self.df else None

    def f_ratio(self, error: Source) -> tuple[float, float] | None:
        """Returns F and its p-value, given the source of the error.

        The result is None if a mean square is missing, or if the mean square of the error is at most 1e-12.
        """
        if self.mean_square is None or error.mean_square is None or error.mean_square <= TOLERANCE:
            return None
        from scipy.special import fdtrc  # takes 0.3 s to import

        ratio = self.mean_square / error.mean_square
        return ratio, float(fdtrc(self.df, error.df, ratio))


@dataclass(frozen=True, slots=True)
class Components:
    """Components of the variance of a score; each is at least 0.

    Attributes:
        system: Variance between systems; between runs if each system has a single run.
        topic: Variance between topics.
        interaction: Variance of the effects of topics on single systems; 0 with one run of each system, where the residual contains it.
        run: Variance between the runs of a system; 0 with one run of each system.
        residual: Remaining variance.
    """

    system: float
    topic: float
    interaction: float
    run: float
    residual: float

    def residual_of(self, repeats: int) -> float:
        """Returns the residual variance of the score of a system on a topic, averaged over `repeats` runs of the system."""
        return self.interaction + self.residual / repeats

    def reliability(self, topics: float, repeats: int = 1) -> tuple[float | None, float | None]:
        """Returns the reliabilities E rho^2 and Phi of mean scores, given the numbers of topics and of runs per system.

        A reliability is None if it is undefined (0/0).

        Examples:
            >>> Components(system=0.5, topic=1.0, interaction=1.0, run=0.25, residual=1.0).reliability(4, 2)
            (0.5, 0.4)
        """
        residual, run = self.residual_of(repeats), self.run / repeats
        return _share(self.system, residual / topics + run), _share(self.system, (self.topic + residual) / topics + run)

    def deviation(self, repeats: int = 1) -> float:
        """Returns the standard deviation over topics of the difference between two systems, each averaged over `repeats` runs."""
        return math.sqrt(2 * self.residual_of(repeats))

    def topics_with(self, repeats: int, topics: int, others: int) -> float | None:
        """Returns the number of topics on which `repeats` runs per system are as reliable as `others` runs on `topics` topics.

        The result is None if no number of topics is sufficient.
        """
        wanted = self.residual_of(others) / topics + self.run / others - self.run / repeats
        needed = self.residual_of(repeats)
        return float(topics) if needed <= TOLERANCE and abs(wanted) <= TOLERANCE else needed / wanted if wanted > 0 else None


@dataclass(frozen=True, slots=True)
class Anova:
    """Analysis of variance of k runs on n topics, with one score each: between runs, between topics, and the residual.

    The residual contains the interaction between runs and topics.
    """

    run: Source
    topic: Source
    residual: Source

    @property
    def components(self) -> Components | None:
        """Variance components: residual MS_res, run (MS_run - MS_res) / n, topic (MS_topic - MS_res) / k; None with one run or topic."""
        run, topic, residual = self.run.mean_square, self.topic.mean_square, self.residual.mean_square
        if run is None or topic is None or residual is None:
            return None
        variances = (run - residual) / (self.topic.df + 1), (topic - residual) / (self.run.df + 1)
        return Components(_variance(variances[0]), _variance(variances[1]), 0.0, 0.0, _variance(residual))


@dataclass(frozen=True, slots=True)
class NestedAnova:
    """Analysis of variance of s systems with r runs each on n topics: topics are crossed with runs, and runs are nested in systems.

    Attributes:
        system: Variation between systems.
        topic: Variation between topics.
        interaction: Interaction between systems and topics.
        run: Variation between the runs of a system.
        residual: Remaining variation.
    """

    system: Source
    topic: Source
    interaction: Source
    run: Source
    residual: Source

    @property
    def components(self) -> Components | None:
        """Variance components that equate the mean squares with their expectations; None with a single system, topic or run per system.

        Formula:
            E MS_residual = e
            E MS_run = e + n v_run
            E MS_interaction = e + r v_interaction
            E MS_topic = e + r v_interaction + r s v_topic
            E MS_system = e + r v_interaction + n v_run + n r v_system
        """
        squares = [source.mean_square for source in (self.system, self.topic, self.interaction, self.run, self.residual)]
        system, topic, interaction, run, residual = (math.nan if square is None else square for square in squares)
        if None in squares:
            return None
        topics, systems = self.topic.df + 1, self.system.df + 1
        repeats = self.run.df // systems + 1
        return Components(
            system=_variance((system - interaction - run + residual) / (topics * repeats)),
            topic=_variance((topic - interaction) / (repeats * systems)),
            interaction=_variance((interaction - residual) / repeats),
            run=_variance((run - residual) / topics),
            residual=_variance(residual),
        )


def anova(scores: FloatArray) -> Anova:
    """Computes the analysis of variance of finite scores over runs and topics, with at least one run and one topic.

    Source: Bodoff & Li (2007), Test theory for assessing IR test collections, SIGIR; Urbano, Marrero & Martín (2013),
    On the measurement of test collection reliability, SIGIR.

    Examples:
        >>> found = anova(np.array([[0.5, 0.75], [0.25, 0.0]]))
        >>> found.run, found.topic
        (Source(df=1, sum_of_squares=0.25), Source(df=1, sum_of_squares=0.0))
        >>> found.residual, found.components.system
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


def nested_anova(scores: FloatArray) -> NestedAnova:
    """Computes the analysis of variance of finite scores of systems, runs and topics, shape (systems, runs, topics).

    Source: Brennan (2001), Generalizability Theory, chapter 3.

    Examples:
        >>> found = nested_anova(np.array([[[0.5, 1.0], [0.5, 0.5]], [[0.0, 0.25], [0.0, 0.25]]]))
        >>> found.system, found.run
        (Source(df=1, sum_of_squares=0.5), Source(df=2, sum_of_squares=0.0625))
        >>> found.components.run, found.components.residual
        (0.0, 0.03125)
    """
    systems, repeats, topics = scores.shape
    of_runs, of_cells = means(scores), means(scores.swapaxes(1, 2))
    of_systems, of_topics = means(of_cells), means(of_cells.T)
    whole = means(of_systems)
    interactions = of_cells - of_systems[:, None] - of_topics + whole
    residuals = scores - of_runs[:, :, None] - of_cells[:, None] + of_systems[:, None, None]
    return NestedAnova(
        Source(systems - 1, topics * repeats * _squares(of_systems - whole)),
        Source(topics - 1, systems * repeats * _squares(of_topics - whole)),
        Source((systems - 1) * (topics - 1), repeats * _squares(interactions)),
        Source(systems * (repeats - 1), topics * _squares(of_runs - of_systems[:, None])),
        Source(systems * (repeats - 1) * (topics - 1), _squares(residuals)),
    )


def _variance(estimate: float) -> float:
    """Returns an estimated variance; 0 if it is at most 1e-12."""
    return estimate if estimate > TOLERANCE else 0.0


def _share(part: float, rest: float) -> float | None:
    """Returns the ratio of a variance to the sum of this variance and the other variance; None if both are 0."""
    return part / (part + rest) if part + rest > 0 else None


def _squares(values: FloatArray) -> float:
    """Returns the sum of squares, added in order."""
    return float(np.add.accumulate(np.square(values).ravel())[-1])
