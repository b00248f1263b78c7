"""Long tables of scores whose column ``higher_is_better`` states the direction of each measure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inexmetrics import CollectionError, given, ranks, run, scores_from


class TestDirectionsInALongTable:
    ROWS = "run,qid,metric,Higher_Is_Better,value\na,1,wer,false,.1\na,2,wer,False,.2\nb,1,wer,0,.3\nb,2,wer,false,.5\n"

    def read(self, tmp_path: Path, text: str) -> Path:
        path = tmp_path / "scores.csv"
        path.write_text(text)
        return path

    def test_are_those_of_the_experiment(self, tmp_path: Path) -> None:
        scores = scores_from(self.read(tmp_path, self.ROWS))
        assert scores.directions == {"wer": "lower"}
        assert run(ranks(given("wer")), scores).table["run_id"].to_list() == ["a", "b"]
        with pytest.raises(CollectionError, match="whose lower scores are better, as the source of the scores states"):
            run(ranks(given("wer", better="higher")), scores)

    def test_hold_without_the_name_of_a_measure(self, tmp_path: Path) -> None:
        path = self.read(tmp_path, self.ROWS.replace("metric,", "").replace("wer,", ""))
        assert run(ranks(given("loss")), scores_from(path)).table["run_id"].to_list() == ["a", "b"]
        assert scores_from(path, "loss").directions == {"loss": "lower"}

    def test_are_not_read_where_they_are_ignored_or_missing(self, tmp_path: Path) -> None:
        path = self.read(tmp_path, self.ROWS)
        assert scores_from(path, ignore="Higher_Is_Better").directions == {}
        empty = re.sub(r"wer,\w+,", "wer,,", self.ROWS)
        assert scores_from(self.read(tmp_path, empty)).directions == {}

    @pytest.mark.parametrize(
        ("cell", "expected"), [("true", "expected one direction for wer, found true and false"), ("maybe", "expected true or false")]
    )
    def test_must_be_one_of_two(self, tmp_path: Path, cell: str, expected: str) -> None:
        path = self.read(tmp_path, self.ROWS.replace("a,1,wer,false", f"a,1,wer,{cell}"))
        with pytest.raises(CollectionError, match=expected):
            scores_from(path)
