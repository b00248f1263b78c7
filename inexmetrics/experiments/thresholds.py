"""Agreement of two conditions if the predictor claims only differences of at least a threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.experiments.paired_conclusions import Paired, PairedConclusions
from inexmetrics.experiments.tables import Column
from inexmetrics.inference.conclusions import Overlap
from inexmetrics.inference.means import TOLERANCE

__all__ = ["Thresholds", "thresholds_of"]


class Thresholds(Paired):
    """Precision, recall and F1 of each pair of conditions, if the predictor claims only differences of at least a threshold.

    The thresholds are 0 and the sizes of the differences that are significant under the predictor. At a threshold between two sizes,
    precision, recall and F1 equal those at the larger size. The table exists only with `at_least`.
    """

    at_least = Column(float, "the threshold: the predictor claims differences of at least this size", at_least=0)
    n_predictor = Column.count("the number of hypotheses rejected under the predictor with at least this difference")
    n_both = Column.count("the number of these hypotheses that are also rejected under the truth")
    precision = Column.share("n_both / n_predictor", "if n_predictor is 0 and the truth has rejections")
    recall = Column.share("n_both / n_truth", "if the truth has no rejections and n_predictor is not 0")
    f1 = Column.share("the harmonic mean of precision and recall; 0 if precision or recall is null")


def thresholds_of(draws: Sequence[PairedConclusions]) -> pl.DataFrame:
    """Returns the rows of table ``thresholds`` for a pair of conditions, over all its draws of topics.

    The first threshold is 0. The other thresholds are the sizes of the differences that are significant under the predictor.
    """
    sizes: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for pair in draws:
        (predictor, predicted), (_, true) = pair.predictor, pair.truth
        differences = np.abs(predictor.means[:, None] - predictor.means)
        for which, of_draw in zip((predicted.rejected, predicted.rejected & true.rejected), sizes, strict=True):
            of_draw.append(differences[which])
    rejected, shared = (np.sort(np.concatenate(of_draws)) for of_draws in sizes)
    n_truth = sum(int(pair.truth[1].rejected.sum()) for pair in draws)
    thresholds = np.append(0.0, rejected[np.diff(rejected, prepend=0.0) > TOLERANCE])
    found = [
        Overlap(len(rejected) - claimed, n_truth, len(shared) - both)
        for claimed, both in zip(*(np.searchsorted(of, thresholds - TOLERANCE).tolist() for of in (rejected, shared)), strict=True)
    ]
    return Thresholds.frame(
        **draws[0].names,
        at_least=thresholds,
        n_predictor=[each.n_predictor for each in found],
        n_both=[each.n_both for each in found],
        precision=[each.precision for each in found],
        recall=[each.recall for each in found],
        f1=[each.f1 for each in found],
    )
