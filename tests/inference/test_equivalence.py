"""Tests against a margin if scores do not vary, or if there are too few topics."""

from __future__ import annotations

import numpy as np
import pytest

from inexmetrics import t
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.equivalence import one_sided_tests


@pytest.mark.parametrize(
    ("margin", "not_below", "not_above"),
    [(0.5, 0.0, 0.0), (0.25, 0.0, 1.0), (0.125, 0.0, 1.0)],  # the mean difference is 1/4: within, at the end of and beyond the margin
)
def test_a_difference_that_is_the_same_on_all_topics(margin: float, not_below: float, not_above: float) -> None:
    scores = np.array([[0.75, 0.5, 0.25], [0.5, 0.25, 0.0]])
    found = one_sided_tests(t, scores, np.array([0]), np.array([1]), margin=margin, setting=RunOptions())
    assert (found.not_below.tolist(), found.not_above.tolist()) == ([not_below], [not_above])


def test_one_topic_shows_nothing() -> None:
    found = one_sided_tests(t, np.array([[0.75], [0.5], [0.0]]), np.array([0, 1]), np.array([1, 2]), margin=0.5, setting=RunOptions())
    assert (found.not_below.tolist(), found.not_above.tolist()) == ([1.0, 1.0], [1.0, 1.0])
