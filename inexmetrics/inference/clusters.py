"""Clusters of topics, such as the tasks of one family, and the values by cluster from which tests are computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import did_you_mean, enumerate_names, with_hint
from inexmetrics.inference.means import means

__all__ = ["Grouping", "grouping_of"]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Clusters of topics.

    Attributes:
        codes: Cluster of each topic, counted from 0.
    """

    codes: tuple[int, ...]

    @property
    def sizes(self) -> IntArray:
        """Number of topics in each cluster."""
        return np.bincount(np.array(self.codes, dtype=np.int64))

    def sums(self, scores: FloatArray) -> FloatArray:
        """Returns, for each run, the sums of its scores over the topics of each cluster, added in topic order, shape (runs, clusters)."""
        sums = np.zeros((len(scores), len(self.sizes)))
        for topic, cluster in enumerate(self.codes):
            sums[:, cluster] += scores[:, topic]
        return sums

    def values(self, scores: FloatArray) -> FloatArray:
        """Returns one value per run and cluster, shape (runs, clusters); the t test of these values is the t test on clusters.

        The mean of the values of a run is the mean score of the run over topics. If the standard error of the difference between two runs
        is computed from these values, it equals the clustered standard error of the mean difference over topics, for clusters of any size.
        If all clusters have the same size, each value is the mean score of the run over the topics of the cluster.

        Formula:
            value_c = mean(X) + (S_c - m_c mean(X)) C / n
            where
                X: the run's scores by topic
                S_c: the sum of X in cluster c
                m_c: the number of topics in cluster c
                C: the number of clusters
                n: the number of topics

        Examples:
            >>> Grouping((0, 0, 1)).values(np.array([[0.5, 0.0, 0.1]])).round(4).tolist()
            [[0.2667, 0.1333]]
        """
        sums, sizes, topics = self.sums(scores), self.sizes, len(self.codes)
        mean = means(scores)[:, None]
        values: FloatArray = mean + (sums - sizes * mean) * (len(sizes) / max(topics, 1))
        return values


def grouping_of(test: str, column: str, clusters: Mapping[str, tuple[str, ...]]) -> Grouping:
    """Returns the clusters of topics that a column contains; `test` is the name of the test in error messages.

    Raises:
        CollectionError: The scores do not have a column with this name.
    """
    if column not in clusters:
        there = enumerate_names(list(clusters)) or "none"
        hint = did_you_mean(column, clusters)
        text = f"{test}: expected a column named {column} next to the scores, with the cluster of each topic, found {there}"
        raise CollectionError(with_hint(text, hint))
    _, codes = np.unique(np.array(clusters[column], dtype=np.str_), return_inverse=True)
    return Grouping(tuple(codes.tolist()))
