"""Nested dictionaries of scores: by run and topic, by topic and measure, and the tables that pandas writes by column or by row."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, scores_from

BY_TOPIC = {"t1": {"map": 0.1, "P_5": 0.2}, "t2": {"map": 0.3, "P_5": 0.6}}


class TestMeasuresInTheirKeys:
    @pytest.mark.parametrize("names", [("map", "ndcg"), ("NDCG@10", "Recall@100"), ("mrr_at_10", "P_5"), ("recip_rank",)])
    def test_are_not_topics_or_runs_in_silence(self, names: tuple[str, ...]) -> None:
        of_topics = {"t1": dict.fromkeys(names, 0.25), "t2": dict.fromkeys(names, 0.5)}
        with pytest.raises(CollectionError, match=r"names? of (a )?measures?; measures=.* reads \{topic: \{measure: score\}\}"):
            scores_from(of_topics)
        turned = {name: {"t1": 0.25, "t2": 0.5} for name in names}
        with pytest.raises(CollectionError, match=r"names? of (a )?measures?; measures=.* reads \{measure: \{topic: score\}\}"):
            scores_from(turned)

    def test_are_read_as_the_options_of_the_message_say(self, tmp_path: Path) -> None:
        path = tmp_path / "bm25.json"
        path.write_text(json.dumps(BY_TOPIC))
        with pytest.raises(CollectionError, match=re.escape('measures=("map", "P_5") (--measures map P_5)')):
            scores_from(path)
        read = scores_from(path, measures=("map", "P_5"))
        assert (read.runs, read.topics) == (("bm25",), ("t1", "t2"))
        assert {name: matrix.tolist() for (name, _), matrix in read.matrices.items()} == {"MAP": [[0.1, 0.3]], "P@5": [[0.2, 0.6]]}
        turned = {measure: {topic: of[measure] for topic, of in BY_TOPIC.items()} for measure in ("map", "P_5")}
        assert {name for name, _ in scores_from(turned, measures=("map", "P_5")).matrices} == {"MAP", "P@5"}
        assert scores_from(BY_TOPIC, keep=("map", "P_5")).runs == ("t1", "t2")

    def test_topics_with_cutoff_like_endings_are_topics(self) -> None:
        assert scores_from({"a": {"q_10": 0.5, "q_11": 0.1}, "b": {"q_10": 0.25, "q_11": 0.3}}).topics == ("q_10", "q_11")


class TestTablesOfPandas:
    @pytest.mark.parametrize("orient", ["columns", "index", "split", "records"])
    @pytest.mark.parametrize("topics", [["x", "y"], [301, 302], [1, 2]])
    def test_are_read_by_their_headings(self, tmp_path: Path, orient: str, topics: list[object]) -> None:
        columns: dict[str, list[object]] = {"qid": topics, "bm25": [0.5, 0.25], "dense": [0.125, 0.75]}
        records = [{name: values[row] for name, values in columns.items()} for row in (0, 1)]
        written = {
            "columns": {name: {str(row): value for row, value in enumerate(values)} for name, values in columns.items()},
            "index": {str(row): record for row, record in enumerate(records)},
            "split": {"columns": list(columns), "index": [0, 1], "data": [list(record.values()) for record in records]},
            "records": records,
        }
        path = tmp_path / "scores.json"
        path.write_text(json.dumps(written[orient]))
        read = scores_from(path)
        assert (read.runs, read.topics) == (("bm25", "dense"), tuple(map(str, topics)))
        assert read.matrices["", ""].tolist() == [[0.5, 0.25], [0.125, 0.75]]

    def test_with_rows_left_out_are_read_too(self) -> None:
        table = {"system": {"4": "a", "9": "b"}, "t1": {"4": 0.5, "9": 0.25}, "t2": {"4": 0.5, "9": 1.0}}
        assert scores_from(table).runs == ("a", "b")

    def test_a_column_of_text_is_asked_about(self) -> None:
        with pytest.raises(CollectionError, match='runs="who"'):
            scores_from({"who": {"0": "a", "1": "b"}, "t1": {"0": 0.5, "1": 0.25}})

    def test_numbered_topics_of_runs_are_topics(self) -> None:
        assert scores_from({"a": {"0": 0.5, "1": 0.25}, "b": {"0": 0.75, "1": 0.5}}).topics == ("0", "1")


class TestListsAndRecordsAsCells:
    def test_do_not_make_a_run_vanish(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.jsonl"
        path.write_text('{"topic": "1", "a": 0.5, "b": 0.1, "c": [0.5]}\n{"topic": "2", "a": 0.25, "b": 0.4, "c": {"score": 1}}\n')
        with pytest.raises(CollectionError, match=re.escape('c (lists, such as "[0.5]")')) as caught:
            scores_from(path)
        assert "--ignore c" in str(caught.value)
        assert scores_from(path, ignore="c").runs == ("a", "b")

    def test_are_an_error_in_frames(self) -> None:
        frame = pl.DataFrame({"run": ["r", "s"], "t1": [0.5, 0.25], "t2": [[0.5], [0.25]]})
        with pytest.raises(CollectionError, match="t2 \\(lists"):
            scores_from(frame)
        assert scores_from(frame, ignore="t2").topics == ("t1",)
        with pytest.raises(CollectionError, match="expected numbers or texts, found lists or records"):
            scores_from(frame, keep="t2")
        scored = frame.select("run", "t1").with_columns(topic=pl.Series(["1", "1"]), score="t1", notes=pl.Series([[1], [2]]))
        assert scores_from(scored.drop("t1")).runs == ("r", "s")

    def test_are_the_cause_if_nothing_else_is_there(self) -> None:
        with pytest.raises(CollectionError, match="found 0 runs and 2 topics; a, b contain lists or records"):
            scores_from(pl.DataFrame({"topic": ["1", "2"], "a": [[0.5], [0.25]], "b": [[1], [2]]}))


def test_yes_and_no_are_not_only_missing_scores() -> None:
    with pytest.raises(CollectionError, match="write true or 1 for yes, and false or 0 for no, or missing_values="):
        scores_from(pl.DataFrame({"run": ["a", "a"], "topic": ["1", "2"], "score": ["yes", "no"]}))
