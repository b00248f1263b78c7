"""Work whose size the input does not bound is refused beyond a bound, before it begins."""

from __future__ import annotations

import time

import numpy as np
import pytest

from inexmetrics import CollectionError, CollectionWarning, Scores, locate_quotations, run


def test_draws_of_many_pairs() -> None:
    board = Scores(tuple(f"r{run_id:03}" for run_id in range(200)), tuple("abcdefgh"), {("x", "1"): np.arange(1600.0).reshape(200, 8) % 7})
    started = time.process_time()
    message = r"agreement: expected at most 10,000,000 differences .*, found 19,900,000 of 200 runs and 1000 draws; give fewer draws, or fewer runs"
    with pytest.raises(CollectionError, match=message):
        run('agreement(given("x") ~ topics(4) + 1, draws=1000, fresh=True)', board)
    assert time.process_time() - started < 5


def test_splits_of_many_pairs() -> None:
    scores = np.random.default_rng(4).random((400, 700))
    board = Scores(tuple(f"r{run_id:03}" for run_id in range(400)), tuple(f"{topic:03}" for topic in range(700)), {("x", "1"): scores})
    started = time.process_time()
    message = r"error_rate: expected at most 5,000,000,000 differences .*, found 11,172,000,000 of 400 runs, 700 topics and 100 splits; give splits=44, or"
    with pytest.raises(CollectionError, match=message):
        run('error_rate(given("x"), splits=100)', board)
    assert time.process_time() - started < 5


def test_quotations_of_many_fragments() -> None:
    texts = {"d": "word " * 20_000}
    with pytest.raises(
        CollectionError, match="row 1: quotation: expected at most 100 fragments with omitted text between them, found 2000"
    ):
        locate_quotations(
            texts, {"topic_id": ["1", "1"], "doc_id": ["d", "d"], "quotation": ["word ... word", " ... ".join(["word"] * 2000)]}
        )


def test_fragments_that_occur_often() -> None:
    text = "clover and bees or " * 45_000 + "the last word"
    rows = [{"topic_id": "1", "doc_id": "d", "quotation": quoted} for quoted in ("bees ... last word", "bees ... or ... and ... absent")]
    started = time.process_time()
    with pytest.warns(CollectionWarning, match="found it nowhere"):
        found = locate_quotations({"d": text}, rows)
    assert time.process_time() - started < 10
    assert found.passages["start"].to_list() == [text.rindex("bees")]
