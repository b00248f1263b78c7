"""Analysis of variance of scores.

The analysis of variance estimates the variance of scores between runs and between topics, and the residual variance, from one score per run
and topic. If systems have several runs each, the variance between the runs of a system and the interaction between systems and topics are
separate components.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.inference.means import TOLERANCE, means

__all__ = ["Anova", "Components", "NestedAnova", "Source", "anova", "nested_anova", "runs_vary"]


@dataclass(frozen=True, slots=True)
class Source:
    """Source of variance: its degrees of freedom, and the sum of squared deviations.

    Attributes:
        df: Degrees of freedom.
        sum_of_squares: Sum of squared deviations.
        noise: Maximum variance that is a rounding error of the scores, and is treated as 0.
    """

    df: int
    sum_of_squares: float
    noise: float = field(default=0.0, repr=False, compare=False)

    @property
    def mean_square(self) -> float | None:
        """Sum of squares divided by the degrees of freedom; None without degrees of freedom."""
        return self.sum_of_squares / self.df if self.df else None

    def certain(self, variance: float) -> float:
        """Returns an estimated variance; 0 if it is at most the rounding error of the scores."""
        return variance if variance > self.noise else 0.0

    def f_ratio(self, error: Source) -> tuple[float, float] | None:
        """Returns the F statistic and its p-value, given the source of variance that is used as the error term.

        The result is None if a mean square is missing, or if the mean square of the error is a rounding error.
        """
        if self.mean_square is None or error.mean_square is None or error.mean_square <= error.noise:
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
        interaction: Variance of the interaction between systems and topics; 0 if each system has a single run, because the residual then
            contains the interaction.
        run: Variance between the runs of a system; 0 if each system has a single run.
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
        """Returns the number of topics with which `repeats` runs per system reach a given reliability E rho^2.

        The given reliability is the reliability with `others` runs per system and `topics` topics. The result is None if no number of
        topics is sufficient.
        """
        wanted = self.residual_of(others) / topics + self.run / others - self.run / repeats
        needed = self.residual_of(repeats)
        return float(topics) if needed == wanted == 0.0 else needed / wanted if wanted > 0 else None


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
        of_runs, of_topics, rest = (self.residual.certain(variance) for variance in (*variances, residual))
        return Components(of_runs, of_topics, 0.0, 0.0, rest)

    def reliability_interval(self, topics: int, interval: float = 0.95) -> tuple[float | None, float | None]:
        """Returns the confidence interval of the reliability E rho^2 of means over a number of topics.

        The interval is exact for the observed number of topics if scores are normally distributed. Its ends are at least 0. For another
        number of topics, the ends are converted by the Spearman-Brown formula. Both ends are None if F is undefined.

        Formula:
            low = max(0, 1 - F_((1 + c) / 2) / F)
            high = max(0, 1 - F_((1 - c) / 2) / F)
            e' = m e / (1 + (m - 1) e)
            where
                F: the mean square of runs divided by the mean square of the residual
                F_(q): the q-quantile of the F distribution with k - 1 and (k - 1) (n - 1) degrees of freedom
                c: the confidence level
                e: an end of the interval; e' is the end for another number of topics
                m: this number of topics divided by n
                n: the observed number of topics
                k: the number of runs

        Source: Feldt (1965); Shrout & Fleiss (1979).

        Examples:
            Six runs on four topics, with mean squares of 11.24 and 1.02:

            >>> found = Anova(Source(5, 56.208), Source(3, 97.458), Source(15, 15.292))
            >>> [round(end, 3) for end in found.reliability_interval(4)]
            [0.676, 0.986]
            >>> [round(end, 3) for end in found.reliability_interval(8)]
            [0.806, 0.993]
        """
        found = self.run.f_ratio(self.residual)
        if found is None:
            return None, None
        from scipy.special import fdtri  # takes 0.3 s to import

        more = topics / (self.topic.df + 1)

        def end(share: float) -> float:
            of_these = max(0.0, 1.0 - float(fdtri(self.run.df, self.residual.df, share)) / found[0]) if found[0] else 0.0
            return more * of_these / (1.0 + (more - 1.0) * of_these)

        return end((1 + interval) / 2), end((1 - interval) / 2)


@dataclass(frozen=True, slots=True)
class NestedAnova:
    """Analysis of variance of s systems with r runs each on n topics: topics are crossed with runs, and runs are nested in systems.

    Attributes:
        system: Variation between systems.
        topic: Variation between topics.
        interaction: Interaction between systems and topics.
        run: Variation between the runs of the same system.
        residual: Remaining variation.
    """

    system: Source
    topic: Source
    interaction: Source
    run: Source
    residual: Source

    @property
    def components(self) -> Components | None:
        """Variance components, estimated by equating mean squares with their expectations; None with one system, topic or run per system.

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
            system=self.residual.certain((system - interaction - run + residual) / (topics * repeats)),
            topic=self.residual.certain((topic - interaction) / (repeats * systems)),
            interaction=self.residual.certain((interaction - residual) / repeats),
            run=self.residual.certain((run - residual) / topics),
            residual=self.residual.certain(residual),
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
    residuals, noise = scores - of_runs[:, None] - of_topics + whole, _noise(scores)
    return Anova(
        Source(runs - 1, topics * _squares(of_runs - whole), noise),
        Source(topics - 1, runs * _squares(of_topics - whole), noise),
        Source((runs - 1) * (topics - 1), _squares(residuals), noise),
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
    noise = _noise(scores)
    return NestedAnova(
        Source(systems - 1, topics * repeats * _squares(of_systems - whole), noise),
        Source(topics - 1, systems * repeats * _squares(of_topics - whole), noise),
        Source((systems - 1) * (topics - 1), repeats * _squares(interactions), noise),
        Source(systems * (repeats - 1), topics * _squares(of_runs - of_systems[:, None]), noise),
        Source(systems * (repeats - 1) * (topics - 1), _squares(residuals), noise),
    )


def _noise(scores: FloatArray) -> float:
    """Returns the maximum variance that is a rounding error: 1e-12 of the squared range of the scores, or 1e-24 of the largest square.

    Both grow with the scale of the scores, so that no result depends on it.
    """
    width, largest = float(np.ptp(scores)), TOLERANCE * float(np.abs(scores).max())
    return max(TOLERANCE * width * width, largest * largest)


NOTABLE: Final = 0.1
"""Share of the variance of a system's mean over topics above which the variance over runs is not negligible: with this share, t rejects at a level
of .05 for equally good systems on 6 % of the leaderboards with many topics, if other runs are drawn, too."""


def runs_vary(single: FloatArray, systems: IntArray, averaged: FloatArray) -> bool:
    """Returns whether the means of the systems would be notably different with other runs, such as other seeds.

    For each system with several runs, the variance between the means of the runs is estimated, without the part that topics explain, and
    divided by the number of runs. The mean of these variances is compared with the variance of a system's mean over topics.

    Args:
        single: Scores of single runs, shape (R, U); NaN if a run lacks a score.
        systems: Index of the system of each run, shape (R,).
        averaged: Scores of the systems, shape (S, U).

    Examples:
        Both runs of the second system differ by the same amount on each topic:

        >>> systems, codes = np.array([[0.1, 0.3, 0.2], [0.2, 0.3, 0.4]]), np.array([0, 0, 1, 1])
        >>> runs = np.repeat(systems, 2, axis=0) + np.array([[0], [0], [-0.1], [0.1]])
        >>> runs_vary(runs, codes, systems)
        True
    """
    topics = averaged.shape[1]
    if topics < 2 or len(averaged) < 2:
        return False
    found = []
    with np.errstate(over="ignore", invalid="ignore"):  # of scores whose squares are infinite, nothing is said
        for system in range(len(averaged)):
            runs = single[systems == system]
            runs = runs[:, ~np.isnan(runs).any(axis=0)]
            if min(runs.shape) >= 2:
                parts = anova(runs)  # runs x topics of one system
                found.append(((parts.run.mean_square or 0.0) - (parts.residual.mean_square or 0.0)) / runs.size)
        between, within = sum(found) / max(len(found), 1), (anova(averaged).residual.mean_square or 0.0) / topics
    return bool(between > max(NOTABLE * within, _noise(averaged)))


def _share(part: float, rest: float) -> float | None:
    """Returns the share of the first variance in the sum of two variances; None if both are 0."""
    return part / (part + rest) if part + rest > 0 else None


def _squares(values: FloatArray) -> float:
    """Returns the sum of squares, added in order."""
    return float(np.add.accumulate(np.square(values).ravel())[-1])
