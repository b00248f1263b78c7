"""Tables that are not read as they are: votes, grades of several assessors side by side, and lists or JSON in cells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inexmetrics import CollectionError, read_assessments, read_runs, scores_from


@pytest.mark.parametrize("first", ["prompt", "question_id", "battle"])
def test_votes_between_two_models_are_no_scores(first: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(f"{first},Model_A,Model_B,winner\n1,tern,gull,model_a\n2,gull,lark,tie\n")
    with pytest.raises(
        CollectionError, match=r"votes between two models \(model_a, model_b, winner\); write a row for each topic and model"
    ):
        scores_from(path)


def test_grades_of_several_assessors_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("qid,docno,ann,bob,comment\n1,d1,2,0,clear\n1,d2,1,1,\n")
    with pytest.raises(CollectionError, match="if ann, bob are assessors, write a row for each grade, with columns assessor and grade"):
        read_assessments(path)
    path.write_text("qid,docno,assessor,grade\n1,d1,ann,2\n1,d1,bob,0\n")
    assert read_assessments(path).assessors is not None


class TestListsAndJson:
    chunks = ({"docid": "a", "start": 0, "end": 4}, {"docid": "b", "start": 7, "end": 9})

    @pytest.mark.parametrize("groups", [list(chunks), [[each] for each in chunks]])
    def test_lists_within_records(self, groups: list[object], tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        path.write_text(json.dumps({"qid": "1", "found": groups}) + "\n")
        with pytest.raises(CollectionError, match=r'found contains lists or JSON: in JSON Lines, columns=\{"found.NAME": "doc_id"\}'):
            read_runs(path)
        columns = {"found.docid": "doc_id", "found.start": "start", "found.end": "end"}
        read = read_runs(path, columns=columns, order="file").results
        assert read.select("doc_id", "start", "length").rows() == [("a", 0, 4), ("b", 7, 2)]

    def test_json_in_a_cell(self, tmp_path: Path) -> None:
        path = tmp_path / "gold.csv"
        cell = json.dumps(list(self.chunks)).replace('"', '""')
        path.write_text(f'question,spans\nwho?,"{cell}"\n')
        with pytest.raises(CollectionError) as error:
            read_assessments(path)
        assert 'columns={"question": "topic_id"} (--columns question=topic_id)' in str(error.value)
        assert "spans contains lists or JSON: in JSON Lines, columns=" in str(error.value)
        assert '"spans": "' not in str(error.value)
