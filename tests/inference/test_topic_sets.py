"""Intervals over resampled topic sets."""

from __future__ import annotations

import numpy as np
import pytest

from inexmetrics.inference.topic_sets import TopicSets


@pytest.mark.parametrize("smallest", [0.0, -1.0])
def test_intervals_end_where_the_statistic_ends(smallest: float) -> None:
    """The standard deviation is 1/2, and the quantile of Student's distribution with 24 degrees of freedom is 2.0639."""
    found = TopicSets(3, 0, 0.95).ends(0.5, np.array([0.0, 0.5, 1.0]), topics=25, smallest=smallest)
    margin = 2.0638986 / 2
    ends = (max(smallest, 0.5 - margin), 1.0, max(smallest, 0.5 - np.sqrt(2) * margin), 1.0)
    assert tuple(found) == pytest.approx(ends, abs=1e-7)
