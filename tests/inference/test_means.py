from __future__ import annotations

import numpy as np

from inexmetrics.inference.means import means, means_among, ranking


def test_means_are_added_in_the_order_of_topics_and_divided_once() -> None:
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert means(scores).tolist() == [0.6000000000000001 / 3, 0.6 / 3]


def test_means_do_not_depend_on_how_scores_lie_in_memory() -> None:
    scores = np.random.default_rng(0).random((5, 300))
    assert np.array_equal(means(scores), means(np.asfortranarray(scores)))
    assert np.array_equal(means(scores)[:1], means(scores[:1]))


def test_there_is_no_mean_without_topics() -> None:
    assert np.isnan(means(np.empty((2, 0)))).tolist() == [True, True]
    assert np.isnan(means(np.empty((2, 3, 0)))).tolist() == [[True] * 3] * 2


def test_means_among_are_over_the_last_axis_and_there_is_none_where_nothing_is_chosen() -> None:
    scores = np.array([[[0.5, 1.0, 0.75], [0.25, np.nan, 0.75]], [[0.0, 0.5, np.nan], [np.nan] * 3]])
    found = means_among(scores, np.array([[[True] * 3, [True, False, True]], [[False, True, False], [False] * 3]]))
    np.testing.assert_array_equal(found, [[0.75, 0.5], [0.5, np.nan]])


def test_means_that_are_equal_but_for_rounding_stand_in_the_order_of_names() -> None:
    assert ranking(np.array([0.0, 1e-12])).tolist() == [0, 1]
    assert ranking(np.array([0.0, 1.1e-12])).tolist() == [1, 0]
    assert ranking(np.array([0.0, 2e-12, 1e-12, np.nan])).tolist() == [0, 1, 2, 3], "each is equal to the next lower one"
