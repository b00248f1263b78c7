"""Meta-analysis of runs over several datasets: the mean difference between each pair of runs in a random-effects model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.cells import decimal, decimals_of
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical, enumerate_names, enumerate_texts, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.conditions import Measured
from inexmetrics.experiments.findings import part_of
from inexmetrics.experiments.meta_findings import ALPHA, over_conditions, over_one_pair, over_pairs
from inexmetrics.experiments.shown_intervals import INTERVAL, ResultWithIntervals
from inexmetrics.experiments.tables import HIGH, LOW, P_ADJUSTED, P_VALUE, SIGNIFICANT, Column, OfCondition, TableOf
from inexmetrics.experiments.tested import check_several_runs, check_squares, corrected_note, uncorrected
from inexmetrics.inference import corrections, dataset_weights
from inexmetrics.inference.base import Correction, grouping_of
from inexmetrics.inference.means import TOLERANCE, deviations, mean_differences, student_margins
from inexmetrics.inference.random_effects import random_effects
from inexmetrics.inference.student import student_quantile
from inexmetrics.report import CONDITION, Figure, Printed, across, changes, condition_tables, in_parts
from inexmetrics.terms import TermOf, Text, parameter, required, word

__all__ = ["Meta", "MetaResult", "meta"]

FEWEST: Final = 2
"""Minimum number of datasets. It is also the minimum number of topics per dataset, because a variance needs two topics."""
FEW_PAIRS: Final = 30
"""Maximum number of pairs of runs whose differences on each dataset are printed."""


class OverDatasets(OfCondition):
    """The mean difference over datasets between each pair of runs, the better run first; sorted by p_value, better, worse."""

    better = Column(str, "the run that is better according to the mean difference over datasets")
    worse = Column(str, "the run that is worse according to the mean difference over datasets")
    datasets = Column.count("the number of datasets", at_least=FEWEST)
    difference = Column(
        float, "the mean difference over datasets, the better run minus the worse run (random-effects model)", negated="difference"
    )
    low = Column(
        float,
        "the lower end of the confidence interval for this mean difference (Hartung & Knapp), within the range of the measure if it has one",
        negated="high",
    )
    high = Column(
        float,
        "the upper end of the confidence interval for this mean difference (Hartung & Knapp), within the range of the measure if it has one",
        negated="low",
    )
    low_prediction = Column(
        float,
        "the lower end of the prediction interval of the true difference on one more dataset, within the range of the measure if it has one",
        "with 2 datasets",
        negated="high_prediction",
    )
    high_prediction = Column(
        float,
        "the upper end of the prediction interval of the true difference on one more dataset, within the range of the measure if it has one",
        "with 2 datasets",
        negated="low_prediction",
    )
    tau2 = Column(float, "the variance of the true differences between datasets (DerSimonian & Laird)", at_least=0)
    i2 = Column.share("I2: of the variance between datasets, the share that is not due to the sampling of topics")
    p_value = P_VALUE
    p_adjusted = P_ADJUSTED
    significant = SIGNIFICANT


class OfDataset(OfCondition):
    """The difference between each pair of runs on each dataset; pairs in the order of table ``meta``, datasets in lexicographic order."""

    better = Column(str, "the run that is better according to the mean difference over datasets")
    worse = Column(str, "the run that is worse according to the mean difference over datasets")
    dataset = Column(str, "the dataset")
    topics = Column.count("the number of topics of the dataset for which the measure is defined", at_least=FEWEST)
    difference = Column(float, "the mean of the better run minus the mean of the worse run on the dataset", negated="difference")
    low = LOW
    high = HIGH


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MetaResult(ResultWithIntervals):
    """The result of `meta`: differences between runs over several datasets."""

    experiment: Meta
    meta = TableOf(OverDatasets)
    datasets = TableOf(OfDataset)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.versus import meta_figure  # imported only when a chart is drawn

        return meta_figure(self.shown, self.experiment.interval)

    def printed(self) -> Iterator[Printed]:
        yield from in_parts("meta", condition_tables(self.shown["meta"]), self.without_interval("meta"))
        of_datasets = self.tables["datasets"]
        if self.table.height > FEW_PAIRS:
            return
        index = (*CONDITION, "better", "worse")
        wide = across(of_datasets, "dataset", index, map(decimal, of_datasets["difference"], decimals_of(of_datasets)["difference"]))
        yield Printed(
            "datasets",
            wide,
            "differences; columns: dataset",
            breaks=changes(wide, *CONDITION),
            right=tuple(wide.columns[4:]),
            without=("topics", "low", "high"),
        )

    @property
    def finding(self) -> str:
        conditions = [part.rows(named=True) for part in condition_tables(self.table)]
        heterogeneous = np.concatenate([self._heterogeneity(part) for part in condition_tables(self.datasets)])
        varying = int(np.count_nonzero(heterogeneous <= ALPHA))
        if len(conditions) > 1:
            return over_conditions(conditions, self.experiment.condition_noun, self.origin.unit, varying)
        if len(conditions[0]) > 1:
            return over_pairs(conditions[0], self.origin.unit, varying)
        row, asked = self.shown["meta"].row(0, named=True), self.experiment
        return over_one_pair(row, asked.interval, asked.correction.alpha, float(heterogeneous[0]))

    def _heterogeneity(self, rows: pl.DataFrame) -> FloatArray:
        """Returns p-values of the hypotheses that the true difference of a pair does not vary between datasets, under one condition."""
        columns = (rows[name].to_numpy().reshape(-1, rows["dataset"].n_unique()) for name in ("difference", "low", "high", "topics"))
        difference, low, high, topics = columns
        quantiles = [student_quantile(count - 1, (1 + self.experiment.interval) / 2) for count in topics[0].tolist()]
        return dataset_weights.varying(difference, np.square((high - low) / 2 / quantiles), topics)

    @property
    def same_p(self) -> str | None:
        return uncorrected(self.experiment.correction)

    @property
    def tested(self) -> str:
        pairs = next(condition_tables(self.table)).height
        return f"two-tailed t test with Hartung and Knapp's variance; {corrected_note(self.experiment.correction, pairs)}"


@word("meta")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Meta(Measured[MetaResult]):
    """Estimates the mean difference between each pair of runs over several datasets, and reports which differences are significant.

    Topics belong to datasets, such as the test collections of a benchmark; a column of a score matrix names the dataset of each topic. The
    conclusions of `significance` generalise to similar topics. The conclusions of `meta` generalise to similar datasets, because each
    dataset is treated as one draw and the true difference between two runs may vary from dataset to dataset. Therefore a significant
    difference needs several datasets as well as many topics. With only two datasets, the quantile of Student's t is 12.7.

    The confidence interval is for the mean difference over all similar datasets. The prediction interval is for the true difference on one
    more dataset. I2 is a share of the variance between datasets: the share that is not explained by the sampling of topics.

    The hypothesis that D is 0 is tested with a two-tailed t test. The statistic is D / s, with J - 1 degrees of freedom. The p-values of
    all pairs of runs are corrected together.

    The formulas treat the variances sd_j^2 / n_j as known, although they are estimated. With few topics per dataset, the test may therefore
    be anti-conservative, the more so the more datasets there are; a warning says so. If differences are skewed, datasets with a small
    variance, which weigh most, also differ less or more than others. The mean difference D is then biased; a warning counts the pairs.

    Args:
        correction: The correction.
        within: The column of a score matrix that names each topic's dataset.
        interval: The confidence level of the intervals.

    Undefined: The standard deviation of a dataset with fewer than 2 topics is undefined, so the dataset is excluded, with a warning. With 2
        datasets, low_prediction and high_prediction are undefined.

    Raises:
        CollectionError: The column is missing, fewer than two datasets have at least two topics, or there are fewer than two runs.

    Computed: A standard deviation below 1e-12 is replaced by 1e-12. Results are then close to the values that they approach as the standard
        deviation goes to 0. If the variance tau2 between datasets is 0, a dataset with a replaced standard deviation has a much larger
        weight than the other datasets; a warning names the dataset, also if its difference is 0. If the standard error s is 0, the p-value is 1 if the mean difference D
        is also 0, and 0 otherwise.

    Formula:
        w_j = n_j / sd_j^2
        Q = sum_(j) w_j (D_j - (sum_(i) w_i D_i) / (sum_(i) w_i))^2
        tau2 = max(0, (Q - (J - 1)) / (sum_(j) w_j - (sum_(j) w_j^2) / (sum_(j) w_j)))
        I2 = max(0, (Q - (J - 1)) / Q)
        u_j = 1 / (sd_j^2 / n_j + tau2)
        D = (sum_(j) u_j D_j) / (sum_(j) u_j)
        s^2 = max(1, q) / (sum_(j) u_j)
        q = (sum_(j) u_j (D_j - D)^2) / (J - 1)
        low, high = D -+ t_(J-1) s
        low_prediction, high_prediction = D -+ t_(J-2) sqrt(tau2 + s^2)
        where
            J: the number of datasets
            i: the index of a dataset; j is also the index of a dataset
            n_j: the number of topics of dataset j
            D_j: the mean difference between the two runs over the topics of dataset j
            sd_j: the standard deviation of the two runs' differences over the topics of dataset j, with n_j - 1 in its denominator
            w_j: the weight of dataset j if true differences did not vary between datasets
            Q: the weighted sum of squared deviations of the differences D_j from their weighted mean
            tau2: the variance of the true differences between datasets (DerSimonian and Laird)
            u_j: the weight of dataset j
            D: the mean difference over datasets
            s: the standard error of D (Hartung and Knapp; Sidik and Jonkman)
            q: the variation of the differences D_j, relative to their variances. If q is below 1, s^2 is the variance for known weights
            t_(v): the quantile of Student's distribution with v degrees of freedom

    Notes:
        * Independence: datasets are treated as independent draws from all datasets of interest, and the topics of a dataset as independent
          draws.
        * Number of datasets: with few datasets tau2 is uncertain, and intervals are wide.
        * Heterogeneity: I2 is an estimate, which is above 0 for a third to a half of all pairs of runs whose true differences do not vary.
          The finding therefore says whether Welch's test finds that they vary (p <= .05). If true differences do not vary, it does so in
          5 % of cases with 6 datasets of 10 normally distributed scores, but in 8 % with 3 scores each, and in 29 % with 20 datasets of 3.
        * Ties: for a pair of runs with equal means, the run that is first by run_id is listed as the better run.
        * Other programs: metafor and statsmodels divide by 0 if the variance of a dataset is 0.
        * Error rates: For two equally good runs with normally distributed scores, p <= .05 occurs in 1 % (20 topics per dataset) to 8 % (3
          topics) of cases with 6 datasets if true differences do not vary, and in 4 to 5 % if they vary twice as much between datasets as
          between topics. With 20 datasets of 3 topics, the rates are 8 % and 4 %. A warning of too few topics comes where true differences
          that do not vary have a rate above 5 %: with 6 datasets of at most 4 topics, or 20 of at most 13.
        * Skewed scores: On 200 simulated leaderboards of 20 equally good runs with lognormal scores, `meta` with `BY` makes a false claim on
          16 % (10 datasets of 10 topics), 93 % (20 of 10) and 18 % (20 of 50); with scores of TREC-7, on 8, 30 and 2 %. The warning came
          on at least 96 % of each of these kinds of leaderboards, and on at most 1 % with normally distributed scores. It comes less
          often for two runs: if their scores are lognormal with equal means and sigma .2 and 1.2, there was a false claim on 46 %
          (5 datasets of 5 topics), 27 % (5 of 10) and 10 % (5 of 30) of 100 simulated leaderboards, and the warning on 26, 63 and 74 %.
          With fewer than 5 topics per dataset, skewness is not tested. On the leaderboards of 20 runs,
          ``significance(… | t(clusters="dataset") | BY)`` makes a false claim on at most 5 %.
        * Measures that are computed from judgements have no column of datasets: save the table of `scores`, add the column, and read the
          file with `scores_from`.
        * Chart: For each measure, the two pairs of runs with the smallest p-values, and two of the pairs that vary most between datasets.

    Source: DerSimonian & Laird (1986); Hartung & Knapp (2001); Knapp & Hartung (2003), on max(1, q); Welch (1951), on heterogeneity; Sidik & Jonkman (2002); Higgins,
        Thompson & Spiegelhalter (2009).

    Examples:
        On each of three datasets of 8 topics, run a leads over run b: by .1 and .3 in turn, by .2 and .4, and by .5 and .7. Each variance
        is (.08 / 7) / 8 = .001429, and each weight 700. D = .3667, Q = 700 * .08667 = 60.67, tau2 = (60.67 - 2) / 1400 = .0419, I2 = 58.67
        / 60.67, s^2 = .08667 / 6 = .01444, and D / s = 3.051 has p = .0927 with 2 degrees of freedom:

        >>> import polars as pl
        >>> from inexmetrics import given, meta, run, scores_from
        >>> board = pl.DataFrame(
        ...     {
        ...         "topic": [str(topic) for topic in range(24)],
        ...         "dataset": ["x"] * 8 + ["y"] * 8 + ["z"] * 8,
        ...         "a": [0.3, 0.5] * 4 + [0.4, 0.6] * 4 + [0.7, 0.9] * 4,
        ...         "b": [0.2] * 24,
        ...     }
        ... )
        >>> scores = scores_from(board, clusters="dataset")
        >>> found = run(meta(given("accuracy"), within="dataset"), scores).meta.row(0, named=True)
        >>> [round(found[name], 4) for name in ("difference", "tau2", "i2", "p_value")]
        [0.3667, 0.0419, 0.967, 0.0927]
        >>> [round(found[name], 4) for name in ("low", "high")]
        [-0.1504, 0.8838]
    """

    finds_better = True

    stages = ("correction",)

    correction: Correction = parameter(corrections.BY, TermOf(Correction))
    within: str = field(metadata=required(Text(), '"dataset"'))
    interval: float = parameter(0.95, INTERVAL)

    @property
    def clusters(self) -> str:
        """Name of the column that contains each topic's dataset, and that is read together with the scores."""
        return self.within

    def answer(self, source: Collection | Scores, setting: RunOptions) -> MetaResult:
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        check_squares(self.word, found.conditions)
        warnings, over, of_each = [*found.warnings, *(each.of_these_runs for each in found.conditions if each.runs_vary)], [], []
        for condition in found.conditions:
            parts, excluded = _parts(condition, self)
            table, datasets, doubts = _tables(condition, parts, self, setting)
            over.append(table)
            of_each.append(datasets)
            warnings += [f"{condition.text}: {text}" for text in (*excluded, *doubts)]
        tables: dict[str, pl.DataFrame] = {"meta": OverDatasets.concat(over), "datasets": OfDataset.concat(of_each)}
        return MetaResult(self, tables, found.origin, setting.compat, tuple(dict.fromkeys(warnings)))


meta: Final = Meta


def _parts(condition: ConditionScores, asked: Meta) -> tuple[dict[str, FloatArray], tuple[str, ...]]:
    """Returns the scores on each dataset, with datasets in lexicographic order, and a warning that names excluded datasets."""
    grouping_of(asked.word, asked.within, condition.clusters)  # raises an error that lists the available columns if the column is missing
    named = np.array(condition.clusters[asked.within], dtype=np.str_)
    parts = {name: np.ascontiguousarray(condition.scores[:, named == name]) for name in sorted(set(named.tolist()))}
    small = [name for name, scores in parts.items() if scores.shape[1] < FEWEST]
    large = {name: scores for name, scores in parts.items() if name not in small}
    if len(large) < FEWEST:
        raise CollectionError(
            f"{asked.word}: expected at least {FEWEST} datasets in the column {asked.within} with {FEWEST} topics each for which "
            f"{condition.text} is defined, found {len(large)}{f' ({enumerate_names(list(large))})' if large else ''}"
        )
    excluded = plural(len(small), "dataset", "with a single topic is", "with a single topic are")
    return large, (f"{excluded} excluded ({enumerate_names(small)})",) if small else ()


def _tables(
    condition: ConditionScores, parts: Mapping[str, FloatArray], asked: Meta, setting: RunOptions
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """Returns tables ``meta`` and ``datasets`` of a condition, and warnings about the weights of datasets."""
    first, second = (indices.astype(np.int64) for indices in np.triu_indices(len(condition.runs), 1))
    differences = np.stack([mean_differences(scores, first, second) for scores in parts.values()])
    spread = np.stack([deviations(scores, first, second, setting) for scores in parts.values()])
    topics = np.array([scores.shape[1] for scores in parts.values()])
    variances = np.square(spread) / topics[:, None]
    effects = random_effects(differences, variances)
    p_values = effects.p_values()
    adjusted = asked.correction.adjusted(p_values)
    backward = effects.difference < 0.0
    better, worse = np.where(backward, second, first), np.where(backward, first, second)
    order = np.lexsort((worse, better, p_values))  # the order of runs is lexicographic, so that sorting by index sorts by run_id
    names = pl.Series(condition.runs, dtype=pl.String)
    runs = {"better": names.gather(better[order]), "worse": names.gather(worse[order])}
    size, margins, predicted = np.abs(effects.difference), effects.margins(asked.interval), effects.prediction_margins(asked.interval)
    columns = {
        "difference": size,
        "low": size - margins,
        "high": size + margins,
        "low_prediction": size - predicted,
        "high_prediction": size + predicted,
        "tau2": effects.tau2,
        "i2": effects.i2,
        "p_value": p_values,
        "p_adjusted": adjusted,
        "significant": asked.correction.rejects(adjusted),
    }
    over = OverDatasets.frame(
        **condition.names, **runs, datasets=[len(parts)] * len(order), **{name: values[order] for name, values in columns.items()}
    )
    around = np.stack([student_margins(of, int(count), asked.interval) for of, count in zip(spread, topics, strict=True)])[:, order].T
    of_each = np.where(backward, -differences, differences)[:, order].T
    datasets = OfDataset.frame(
        **condition.names,
        **{side: [run for run in of_pairs for _ in parts] for side, of_pairs in runs.items()},
        dataset=[*parts] * len(order),
        topics=np.tile(topics, len(order)),
        difference=of_each.ravel(),
        low=(of_each - around).ravel(),
        high=(of_each + around).ravel(),
    )
    constant = (spread <= TOLERANCE) & ((spread > TOLERANCE) | (differences != 0.0)).any(axis=0)  # not pairs that are alike everywhere
    biased = dataset_weights.skewed([*parts.values()], (first, second), variances, effects.tau2, setting)
    return over, datasets, _doubts(condition, parts, asked, constant, biased)


def _doubts(condition: ConditionScores, parts: Mapping[str, FloatArray], asked: Meta, constant: BoolArray, biased: BoolArray) -> list[str]:
    """Returns warnings about the weights of datasets.

    Args:
        condition: The condition.
        parts: The scores on each dataset.
        asked: The experiment.
        constant: Whether the difference of each pair of runs is the same on all topics of each dataset, shape (datasets, pairs).
        biased: Whether skewed differences bias the mean difference of each pair.
    """
    warnings, topics = [], np.array([scores.shape[1] for scores in parts.values()])
    equally = f"significance({condition.text} | t(clusters={canonical(asked.within)}) | {asked.correction}) weights all topics equally"
    if dataset_weights.too_few_topics(topics):
        warnings.append(
            f"the {len(topics)} datasets have {_span(topics)} topics each, too few for reliable variances: if true differences hardly vary "
            f"between datasets, p-values are too small and intervals too narrow"
        )
    if constant.any():
        concerned = [name for name, pairs in zip(parts, constant, strict=True) if pairs.any()]
        count = plural(int(constant.any(axis=0).sum()), "pair of runs", "differs", "differ", nouns="pairs of runs")
        warnings.append(
            f"{count} by the same amount, or not at all, on every topic of a dataset, so that this dataset outweighs others "
            f"({enumerate_texts(concerned)}); {equally}"
        )
    if biased.any():
        count = part_of(int(biased.sum()), len(biased), "pair of runs", "pairs of runs")
        warnings.append(
            f"differences are skewed for {count}, and datasets have few topics, so that the weights of datasets depend on their differences: "
            f"p-values are too small and intervals miss too often; {equally}"
        )
    return warnings


def _span(topics: IntArray) -> str:
    """Returns the least and the highest number of topics."""
    least, most = int(topics.min()), int(topics.max())
    return f"{least}" if least == most else f"{least} to {most}"
