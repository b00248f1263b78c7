from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, FormulaError, MAgP, Runs, best_entry, from_frames, parse, read_structure, run, sample, scores

COLUMNS = ["topic_id", "doc_id", "start", "length"]


def runs_of(rows: list[tuple[str, str, int | None, int | None]], topics: Sequence[str] = ("1", "2")) -> Runs:
    frame = pl.DataFrame(rows, schema={"topic_id": pl.String, "doc_id": pl.String, "start": pl.Int64, "length": pl.Int64}, orient="row")
    runs = from_frames({topic: {"a": 1} for topic in topics}, {"x": frame}, order="file").runs
    assert runs is not None
    return runs


def test_one_result_of_each_document_by_hand() -> None:
    runs = runs_of([("1", "a", 40, 5), ("1", "b", 7, 5), ("1", "a", 9, 5), ("1", "b", 7, 2), ("1", "c", None, None), ("2", "a", 3, 5)])
    best = best_entry(runs, "best").results.select(COLUMNS).rows()
    assert best == [("1", "a", 40, 5), ("1", "b", 7, 5), ("1", "c", None, None), ("2", "a", 3, 5)]
    first = best_entry(runs, "first").results.select(COLUMNS).rows()
    assert first == [("1", "a", 9, 5), ("1", "b", 7, 5), ("1", "c", None, None), ("2", "a", 3, 5)], (
        "documents keep the order of their best results"
    )


@pytest.mark.parametrize("choice", ["best", "first"])
def test_as_the_definition_reads_on_random_lists(choice: str) -> None:
    draw = random.Random(3)
    topics = [f"{number:03d}" for number in range(500)]
    lists = {topic: [(draw.choice("abcd"), draw.randrange(5)) for _ in range(draw.randrange(1, 12))] for topic in topics}
    lists = {topic: list(dict.fromkeys(results)) for topic, results in lists.items()}
    expected = []
    for topic, results in lists.items():
        for document in dict.fromkeys(name for name, _ in results):
            offsets = [start for name, start in results if name == document]
            expected.append((topic, document, offsets[0] if choice == "best" else min(offsets)))
    runs = runs_of([(topic, name, start, 1) for topic, results in lists.items() for name, start in results], topics)
    found = parse(f'best_entry("{choice}")')(runs)  # type: ignore[operator]
    assert found.results.select("topic_id", "doc_id", "start").rows() == expected
    assert found.prepared == (f'best_entry("{choice}")',)


@pytest.mark.filterwarnings("ignore:scores. one topic contributes more than a third")
def test_such_runs_are_those_that_best_in_context_measures_read() -> None:
    """Best-in-context measures reject a document that is returned twice; the preparation returns each document once."""
    whole = sample()
    assert whole.runs is not None
    prepared = best_entry(whole.runs, "first", structure=whole.structure)
    names = prepared.results.select("run_id", "topic_id", "doc_id").rows()
    assert len(set(names)) == len(names) < whole.runs.results.height
    assert [key for key, _ in groupby(names, key=lambda row: row[:2])] == sorted({row[:2] for row in names})
    result = run(scores(MAgP(score="bep")), from_frames(whole.assessments, prepared, structure=whole.structure))
    assert max(result.table["mean"].to_list()) > 0.05


def test_paths_need_a_structure_to_say_which_is_first(tmp_path: Path) -> None:
    table = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "a"], "path": ["/article[1]/p[2]", "/article[1]/p[1]"]})
    runs = from_frames({"1": {"a": 1}}, {"x": table}, order="file").runs
    assert runs is not None
    assert best_entry(runs, "best").results["path"].to_list() == ["/article[1]/p[2]"]
    with pytest.raises(CollectionError, match="expected a structure"):
        best_entry(runs, "first")
    (tmp_path / "structure.tsv").write_text(
        "doc_id\tpath\tstart\tlength\na\t/article[1]\t0\t9\na\t/article[1]/p[1]\t0\t4\na\t/article[1]/p[2]\t4\t5\n"
    )
    structure = read_structure(tmp_path / "structure.tsv")
    assert best_entry(runs, "first", structure=structure).results["path"].to_list() == ["/article[1]/p[1]"]


def test_another_choice_is_an_error() -> None:
    with pytest.raises(FormulaError, match=r'^best_entry: choice: expected "best" or "first", found "last"'):
        parse('best_entry("last")')
