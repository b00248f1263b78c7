"""Scores that are computed in batches of another size, for the tests of what a batch may not change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from inexmetrics import Collection, Measure
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.options import RunOptions
from inexmetrics.ranking import judged_runs as batching
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of

__all__ = ["same_bits_in_batches"]


def same_bits_in_batches(collection: Collection, conditions: Sequence[Condition[Measure]], size: int) -> tuple[Scores, Scores]:
    """Returns the scores in one batch and in batches of a size, in cells; checks that they are the same bits."""
    whole = scores_of(collection, conditions, RunOptions())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batching, "BATCH", size)
        parts = scores_of(collection, conditions, RunOptions())
    for texts, matrix in whole.matrices.items():
        np.testing.assert_array_equal(matrix, parts.matrices[texts])
    return whole, parts
