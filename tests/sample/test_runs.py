from __future__ import annotations

import numpy as np
import pytest

from benchmarks.sample.documents import Documents
from benchmarks.sample.judgements import Judgements
from benchmarks.sample.runs import GROUPS, Retrieved, in_context, pooled, retrieved
from inexmetrics.common.arrays import IntArray


@pytest.fixture(scope="module")
def lists(trees: Documents, judged: list[Judgements]) -> list[Retrieved]:
    return [retrieved(trees, judgement, seed=11, topic=topic, systems=2, results=100) for topic, judgement in enumerate(judged)]


def test_equal_seeds_give_equal_runs(trees: Documents, judged: list[Judgements], lists: list[Retrieved]) -> None:
    again = retrieved(trees, judged[3], seed=11, topic=3, systems=2, results=100)
    assert np.array_equal(again.element, lists[3].element)
    assert np.array_equal(again.score, lists[3].score)


def test_results_are_different_elements_by_falling_score_ties_in_document_order(lists: list[Retrieved]) -> None:
    ties = 0
    for results in lists:
        assert results.element.shape == results.score.shape == (2 * len(GROUPS), 100)
        assert all(len(set(row)) == 100 for row in results.element.tolist())
        steps = np.diff(results.score, axis=1)
        assert np.all(steps <= 0)
        assert np.all(np.diff(results.element, axis=1)[steps == 0] > 0)
        ties += int((steps == 0).sum())
    assert ties > 0


def test_shorter_lists_are_the_beginnings_of_longer_ones(trees: Documents, judged: list[Judgements], lists: list[Retrieved]) -> None:
    # With so few documents all are considered, whatever the number of results.
    few = retrieved(trees, judged[0], seed=11, topic=0, systems=2, results=30)
    assert np.array_equal(few.element, lists[0].element[:, :30])


def test_a_list_ends_where_the_documents_end(trees: Documents, judged: list[Judgements]) -> None:
    everything = retrieved(trees, judged[0], seed=11, topic=0, systems=1, results=99_999)
    assert everything.element.shape == (len(GROUPS), len(trees.path))


def test_better_groups_find_more_highlighted_text(trees: Documents, judged: list[Judgements], lists: list[Retrieved]) -> None:
    def share(group: int) -> float:
        rows = slice(2 * group, 2 * group + 2)
        return float(
            np.mean([(judgement.highlighted[found.element[rows]] > 0).mean() for judgement, found in zip(judged, lists, strict=True)])
        )

    by_quality = sorted(range(len(GROUPS)), key=lambda group: GROUPS[group].quality)
    assert share(by_quality[-1]) > 2 * share(by_quality[0])
    assert np.corrcoef([GROUPS[group].quality for group in by_quality], [share(group) for group in by_quality])[0, 1] > 0.8


def test_in_context_the_best_of_elements_in_one_another_is_left_by_document(trees: Documents) -> None:
    """Of document 3 its second element, then a child of it, which goes; of document 1 the root; of 3 another leaf; of 1 a leaf, which goes."""
    third, first = int(trees.first[3]), int(trees.first[1])
    inner = next(element for element in range(third + 2, int(trees.first[4])) if trees.parent[element] == third + 1)
    apart = int(trees.first[4]) - 1
    assert trees.parent[apart] not in {third + 1, inner}
    found = Retrieved(np.array([[third + 1, inner, first, apart, first + 5]]), np.array([[9, 8, 7, 6, 5]]))
    left = in_context(trees, found, 4)
    assert left.element.tolist() == [[third + 1, apart, first, -1]]
    assert left.score.tolist() == [[9, 6, 7, 0]]
    assert in_context(trees, found, 1).element.tolist() == [[third + 1]]


def flat(element: list[list[int]]) -> Retrieved:
    return Retrieved(np.array(element), np.zeros((len(element), len(element[0])), dtype=np.int64))


@pytest.mark.parametrize(
    ("n", "expected"),
    [(1, [4, 7]), (2, [4, 7]), (3, [4, 5, 7]), (4, [4, 5, 7, 9]), (99, [4, 5, 7, 9])],
)
def test_pool_is_read_rank_by_rank(trees: Documents, n: int, expected: list[int]) -> None:
    """The first results name documents 7 and 4, the second 4 and 5, the third 7 and 9."""
    root: IntArray = trees.first
    runs = flat([[root[7], root[4] + 1, root[7] + 2], [root[4], root[5], root[9]]])
    assert pooled(trees, runs, n).tolist() == expected
