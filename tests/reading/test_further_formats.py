"""Comments, files of MS MARCO, words as grades, and the formats of other tools that are rejected by their names."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import Collection, CollectionError, from_frames, read_assessments, read_runs, run, scores_from

JUDGED = "a 0 x 1\na 0 y 0\nb 0 x 2\n"
ROWS = [("a", "x", 1.0), ("a", "y", 0.0), ("b", "x", 2.0)]
FOUND = "a Q0 y 1 4.0 r\na Q0 x 2 3.0 r\nb Q0 x 1 2.0 r\n"


def written(folder: Path, text: str, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


class TestComments:
    def test_lines_that_begin_with_a_hash_are_comments(self, tmp_path: Path) -> None:
        lines = JUDGED.splitlines()
        judged = read_assessments(written(tmp_path, "\n".join(["# by hand", lines[0], "#a 0 z 1", *lines[1:], "#"])))
        assert judged.grades is not None
        assert judged.grades.rows() == ROWS
        assert judged.read[0].notes == ("lines that begin with # are comments",)
        lines = FOUND.splitlines()
        found = read_runs(written(tmp_path, "\r\n".join(["#", "# ir_metadata.start", *lines[:2], "# x", lines[2], ""])))
        assert found.results.equals(read_runs(written(tmp_path, FOUND, "other")).results)

    def test_a_hash_inside_a_line_is_a_character(self, tmp_path: Path) -> None:
        judged = read_assessments(written(tmp_path, "a 0 x#1 1\na 0 #2 1\n"))
        assert judged.grades is not None
        assert judged.grades["doc_id"].to_list() == ["x#1", "#2"]
        assert judged.read[0].notes == ()

    def test_line_numbers_count_comments(self, tmp_path: Path) -> None:
        with pytest.raises(CollectionError, match=r'file:3: topic a: grade: expected a finite number, found "x"'):
            read_assessments(written(tmp_path, "# one\na 0 y 0\na 0 x x\na 0 z 1\na 0 w 1\n"))

    def test_a_long_header_of_comments(self, tmp_path: Path) -> None:
        assert read_runs(written(tmp_path, "# metadata: value\n" * 2000 + FOUND)).run_ids == ("r",)

    def test_the_line_of_a_fault_below_a_header_of_comments(self, tmp_path: Path) -> None:
        with pytest.raises(CollectionError, match=r"file:6: topic a: .*document y.*first is on line 4"):
            read_runs(written(tmp_path, "# one\n# two\n\na Q0 y 1 4.0 r\na Q0 z 2 3.0 r\na Q0 y 3 2.0 r\n"))

    def test_many_small_runs_with_comments(self, tmp_path: Path) -> None:
        files = [written(tmp_path, f"# run {number}\na Q0 x 1 1.5 r{number}\n", f"{number}.run") for number in range(70)]
        found = read_runs(files)
        assert len(found.run_ids) == 70
        assert [layout.notes for layout in found.read] == [("lines that begin with # are comments",)]
        assert len(found.read[0].tables) == 70

    def test_passages_and_their_runs(self, tmp_path: Path) -> None:
        judged = read_assessments(written(tmp_path, "# fol\na Q0 x 5 90 10 10:5\n"))
        found = read_runs(written(tmp_path, "# fol\na Q0 x 1 1.5 r 10 5\n", "run"))
        assert run("scores(char_f1)", Collection(judged, found)).table["mean"].to_list() == [1.0]

    def test_only_comments(self, tmp_path: Path) -> None:
        with pytest.raises(CollectionError, match="found only comments"):
            read_runs(written(tmp_path, "# nothing\n# else\n"))


class TestMsMarco:
    def test_ranks(self, tmp_path: Path) -> None:
        found = read_runs(written(tmp_path, "1\t11\t1\n1\t10\t2\n2\t12\t1\n", "dev.tsv"))
        assert found.run_ids == ("dev",)
        assert found.order == "rank"
        judged = read_assessments(written(tmp_path, "1 0 10 1\n2 0 12 1\n"))
        assert run("scores(RR@10)", Collection(judged, found)).table["mean"].to_list() == [0.75]

    def test_ranks_decide_the_order_and_not_the_lines(self, tmp_path: Path) -> None:
        found = read_runs(written(tmp_path, "q x 2\nq y 0\nq z 1\n"))
        assert found.results["doc_id"].to_list() == ["y", "z", "x"]

    @pytest.mark.parametrize(("text", "found"), [("q x 9\nq y 8\n", "ranks from 8"), ("q x 1\nq y 1\n", "a rank twice")])
    def test_other_numbers_are_no_ranks(self, text: str, found: str, tmp_path: Path) -> None:
        with pytest.raises(
            CollectionError, match=f"file: topic q: expected the ranks .*, found {found}; if the column contains scores, add"
        ):
            read_runs(written(tmp_path, text))

    def test_pairs_are_relevant(self, tmp_path: Path) -> None:
        for gap in ("\t", " "):
            judged = read_assessments(written(tmp_path, f"q1{gap}x\nq1{gap}y\nq2{gap}x\n"))
            assert judged.grades is not None
            assert judged.grades.rows() == [("q1", "x", 1.0), ("q1", "y", 1.0), ("q2", "x", 1.0)]
            assert judged.read[0].notes == ("all documents named are relevant",)
        with pytest.raises(CollectionError, match="found a second one"):
            read_assessments(written(tmp_path, "q1 x\nq1 x\n"))
        with pytest.raises(CollectionError, match="found text that starts with"):
            read_runs(written(tmp_path, "q1 x\nq1 y\n"))

    def test_a_run_without_its_name(self, tmp_path: Path) -> None:
        with pytest.raises(CollectionError, match=r"expected 6 columns \(topic_id Q0 doc_id rank score run_id\), found 5"):
            read_runs(written(tmp_path, "q Q0 x 1 7\nq Q0 y 2 6\n"))


class TestWords:
    @pytest.mark.parametrize(("yes", "no"), [("yes", "no"), ("Yes", "NO"), ("True", "False"), ("TRUE", "no"), ("Relevant", "irrelevant")])
    def test_words_are_grades(self, yes: str, no: str, tmp_path: Path) -> None:
        table = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "b"], "grade": [yes, no]})
        path = tmp_path / "a.csv"
        table.write_csv(path)
        for judged in (read_assessments(path), from_frames(table).assessments):
            assert judged.grades is not None
            assert judged.grades["grade"].to_list() == [1.0, 0.0]
            assert judged.read[0].notes == ("yes, true or relevant read as 1, no, false or irrelevant as 0",)

    def test_by_assessor(self) -> None:
        table = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "a"], "assessor": ["x", "y"], "label": ["no", "yes"]})
        judged = from_frames(table).assessments.assessors
        assert judged is not None
        assert judged["grade"].to_list() == [0.0, 1.0]

    @pytest.mark.parametrize(
        ("values", "wrong"),
        [
            (["yes", "2"], ["yes"]),
            (["yes", "perhaps"], ["perhaps"]),
            (["relevant", "0", "partly"], ["partly"]),
            (["ja", "nein"], ["ja", "nein"]),
        ],
    )
    def test_other_words_are_errors(self, values: list[str], wrong: list[str]) -> None:
        with pytest.raises(CollectionError) as told:
            from_frames(pl.DataFrame({"topic_id": "1", "doc_id": list("abc")[: len(values)], "grade": values}))
        way = (
            "" if "ja" in wrong else "; the words for grades are yes, true, relevant, no, false, irrelevant, beside no numbers but 1 and 0"
        )
        expected = [f'grade: expected a finite number, found "{word}"{way}' for word in wrong]
        assert [problem.message.partition(": ")[2] for problem in told.value.problems] == [
            f"row {values.index(word)}: {text}" for word, text in zip(wrong, expected, strict=True)
        ]

    def test_scores_are_no_words(self) -> None:
        with pytest.raises(CollectionError, match='score: expected a finite number, found "yes"'):
            from_frames({"1": {"a": 1}}, pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "score": ["yes"]}))


class TestRejected:
    @pytest.mark.parametrize(
        ("content", "named", "way"),
        [
            (b"20 x 0 1 0.0417\n20 y 1 1 1\n", "found prels", r"awk '{print \$1, 0, \$2, \$3}'$"),
            (b"20 x -1 2 1e-3\n", "found prels", r"awk '{print \$1, 0, \$2, \$3}'$"),
            (b"0001 0 x L2\n0001 0 y L0\n", "found NTCIR's qrels", r"awk '{print \$1, 0, \$3, substr\(\$4, 2\)}'$"),
            (b"0001 x L2\n0001 y L0\n", "found NTCIR's qrels", r"awk '{print \$1, 0, \$2, substr\(\$3, 2\)}'$"),
            (b'{"evalId": "e", "results": {"results": []}}', "found promptfoo's output", r"--columns vars\.question=topic_id$"),
            (b'[{"instance_id": "i", "stats": []}]', "found HELM's statistics by instance", "jq -c"),
            (b"PK\3\4....", "found an archive of Inspect logs", "--scores inspect:FOLDER"),
            (b"\x04\x22\x4d\x18....", "found a file compressed with lz4", "only gzip and Zstandard are supported$"),
        ],
    )
    def test_the_format_is_named_with_the_way_on(self, content: bytes, named: str, way: str, tmp_path: Path) -> None:
        path = tmp_path / "a.eval"
        path.write_bytes(content)
        with pytest.raises(CollectionError, match=f"{named}.*{way}"):
            read_assessments(path)

    def test_documents_of_numbers_are_no_prels(self, tmp_path: Path) -> None:
        assert read_assessments(written(tmp_path, "20 Q0 17 0 90\n20 Q0 18 0 70\n")).kinds == ("passages",)

    def test_subtopics_are_named_and_no_list_is_shortened(self, tmp_path: Path) -> None:
        judged = "".join(f"1 {subtopic} x {int(subtopic == 5)}\n" for subtopic in range(7))
        collection = Collection(read_assessments(written(tmp_path, judged)), read_runs(written(tmp_path, "1 Q0 x 1 1.5 r\n", "run")))
        names = ", ".join(f'"{subtopic}"' for subtopic in range(7))
        with pytest.raises(CollectionError) as found:
            run("scores(MAP)", collection)
        hint = f'MAP ~ jury({names}, by="max")'
        after = hint.removeprefix("MAP ")
        assert f"if these are the subtopics of a topic, write {after} after the measure; if they are assessors" in str(found.value)
        assert run(f"scores({hint})", collection).table["mean"].to_list() == [1.0]

    def test_scores_of_other_tools_are_named(self, tmp_path: Path) -> None:
        for content, named in (('{"evalId": "e", "results": {}}', "promptfoo"), ('[{"instance_id": "i", "stats": []}]', "HELM")):
            with pytest.raises(CollectionError, match=f"expected scores in JSON .*, found {named}'s .*jq -c"):
                scores_from(written(tmp_path, content, "scores.json"))

    def test_statistics_of_helm_are_read_with_stated_columns(self, tmp_path: Path) -> None:
        values = {("m1", "gsm"): 0.25, ("m1", "mmlu"): 0.5, ("m2", "gsm"): 0.75, ("m2", "mmlu"): 1.0}
        rest = {"count": 40, "sum": 10.0, "sum_squared": 10.0, "min": 0, "max": 1, "variance": 0.1, "stddev": 0.3}
        rows = [
            {"model": model, "task": task, "name": {"name": name, "split": split}, **rest, "mean": mean * part}
            for (model, task), mean in values.items()
            for name, split, part in (("exact_match", "test", 1), ("exact_match", "valid", 0.5), ("num_bytes", "test", 0.1))
        ]
        path = written(tmp_path, "\n".join(map(json.dumps, rows)), "stats.jsonl")
        with pytest.raises(CollectionError, match=r"found HELM's statistics of a run; .*jq -c .*--columns mean=score name\.name=measure"):
            scores_from(path)
        columns = {"mean": "score", "name.name": "measure", "task": "topic_id", "name.split": "topic_id"}
        found = scores_from(path, columns=columns)
        assert found.topics == ("gsm/test", "gsm/valid", "mmlu/test", "mmlu/valid")
        assert found.only(topics=("gsm/test", "mmlu/test")).matrix("exact_match").tolist() == [[0.25, 0.5], [0.75, 1.0]]
        bare = [{name: value for name, value in row.items() if name not in ("model", "task")} for row in rows]
        with pytest.raises(CollectionError, match=r"found HELM's statistics of a run; .*jq -c .* \+ \.name\.split"):
            scores_from(written(tmp_path, json.dumps(bare), "stats.json"))
