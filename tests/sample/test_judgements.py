from __future__ import annotations

import numpy as np

from benchmarks.sample.documents import Documents
from benchmarks.sample.judgements import HIGHLY, SOMEWHAT, TOO_SMALL, Judgements, judgements, opinions, saturated


def test_equal_seeds_give_equal_judgements_and_topics_differ(trees: Documents, judged: list[Judgements]) -> None:
    again = judgements(trees, seed=11, topic=2, density=1)
    assert again.exhaustivity.tolist() == judged[2].exhaustivity.tolist()
    assert again.entries == judged[2].entries
    assert len({judgement.passages.start.tobytes() for judgement in judged}) == len(judged)


def test_exhaustivity_is_given_where_text_is_highlighted_and_never_falls_towards_the_root(
    trees: Documents, judged: list[Judgements]
) -> None:
    for judgement in judged:
        assert np.array_equal(judgement.exhaustivity > 0, judgement.highlighted > 0)
        assert np.all(judgement.exhaustivity <= judgement.exhaustivity[trees.parent])
        assert set(judgement.exhaustivity.tolist()) == {0, TOO_SMALL, SOMEWHAT, HIGHLY}


def test_too_small_is_now_and_then_said_of_large_elements(judged: list[Judgements]) -> None:
    sizes = np.concatenate([judgement.highlighted[judgement.exhaustivity == TOO_SMALL] for judgement in judged])
    assert np.median(sizes) < 100
    assert 0.01 < (sizes > 300).mean() < 0.3


def test_relevant_and_misleading_documents_are_different_ones(judged: list[Judgements]) -> None:
    for judgement in judged:
        assert not set(judgement.passages.document.tolist()) & set(judgement.decoys.document.tolist())
        assert 8 <= len(set(judgement.passages.document.tolist())) <= 33
        assert 14 <= len(set(judgement.decoys.document.tolist())) <= 30


def test_density_multiplies_the_documents(trees: Documents) -> None:
    once, twice = (judgements(trees, seed=11, topic=0, density=density) for density in (1, 2))
    assert 2 * len(set(once.passages.document.tolist())) == len(set(twice.passages.document.tolist()))


def test_best_entry_points_are_at_passages(judged: list[Judgements]) -> None:
    at_the_first = []
    for judgement in judged:
        passages = judgement.passages
        assert set(judgement.entries) == set(passages.document.tolist())
        for document, entry in judgement.entries.items():
            starts = passages.start[passages.document == document].tolist()
            assert entry in starts
            at_the_first.append(entry == starts[0])
    assert 0.6 < np.mean(at_the_first) < 1


def test_other_assessors_agree_imperfectly(trees: Documents, judged: list[Judgements]) -> None:
    roots = trees.first[:-1]
    for topic, judgement in enumerate(judged):
        found = opinions(judgement, roots, 11, topic)
        assert found.shape == (4, 120)
        assert np.array_equal(found[0], judgement.highlighted[roots] > 0)
        agreement = (found[1:] == found[0]).mean(axis=1)
        assert np.all((agreement > 0.6) & (agreement < 1))
        assert len({row.tobytes() for row in found}) == 4


def test_saturated_text() -> None:
    assert saturated(np.array([0, 500, 1500]), 500.0).tolist() == [0.0, 0.5, 0.75]
