"""Tables that were read in one of two possible ways without a word: they are now asked about, or the reading is stated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, Runs, from_frames, read_assessments, read_runs, run, scores_from

BOTH = pl.DataFrame({"topic_id": ["t", "u"], "doc_id": ["x", "z"], "grade": [0, 1]})
JUDGED = pl.DataFrame({"topic_id": ["t", "t"], "doc_id": ["x", "y"], "grade": [0, 1]})


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def ranking(runs: Runs) -> list[str]:
    return runs.results["doc_id"].to_list()


class TestNumbersBelowRecords:
    HITS = (
        {"qid": "t", "docno": "x", "info": {"similarity": 0.3, "source": "a.pdf"}},
        {"qid": "t", "docno": "y", "info": {"similarity": 0.8, "source": "b.pdf"}},
    )
    ASKED = re.escape("found other columns of numbers (info.similarity); the results are ranked in the order of the rows")

    def test_scores_in_nested_records_are_named(self, written: Callable[[str, str], Path]) -> None:
        with pytest.warns(CollectionWarning, match=self.ASKED):
            found = read_runs(written("hits.jsonl", lines(*self.HITS)))
        assert ranking(found) == ["x", "y"]

    def test_the_advice_reads_them(self, written: Callable[[str, str], Path]) -> None:
        found = read_runs(written("hits.jsonl", lines(*self.HITS)), columns={"info.similarity": "score"})
        assert ranking(found) == ["y", "x"]

    def test_frames_and_parquet_are_read_alike(self, tmp_path: Path) -> None:
        frame = pl.DataFrame(self.HITS)
        frame.write_parquet(tmp_path / "hits.parquet")
        with pytest.warns(CollectionWarning, match=self.ASKED):
            read_runs(tmp_path / "hits.parquet")
        with pytest.warns(CollectionWarning, match=self.ASKED):
            from_frames(JUDGED, frame)

    def test_numbers_that_are_read_already_are_not_named(self, written: Callable[[str, str], Path]) -> None:
        chunks = [{"qid": "t", "docno": "x", "where": {"from": 0, "to": 5}}, {"qid": "t", "docno": "y", "where": {"from": 7, "to": 9}}]
        found = read_runs(written("chunks.jsonl", lines(*chunks)), columns={"where.from": "start", "where.to": "end"})
        assert found.results["length"].to_list() == [5, 2]


class TestLists:
    ANSWER = ({"qid": "t", "hits": [{"id": "x", "s": 3.0}, {"id": "y", "s": 2.0}]}, {"qid": "u", "hits": [{"id": "z", "s": 1.0}]})

    def test_a_position_that_drops_items_is_an_error(self, written: Callable[[str, str], Path]) -> None:
        with pytest.raises(
            CollectionError, match="a position that drops 1 item of hits in 1 record; a path without the position reads each"
        ):
            read_runs(written("hits.jsonl", lines(*self.ANSWER)), columns={"hits.0.id": "doc_id"})

    def test_a_path_without_a_position_reads_all(self, written: Callable[[str, str], Path]) -> None:
        found = read_runs(written("hits.jsonl", lines(*self.ANSWER)), columns={"hits.id": "doc_id", "hits.s": "score"})
        assert found.results.select("topic_id", "doc_id", "score").rows() == [("t", "x", 3.0), ("t", "y", 2.0), ("u", "z", 1.0)]
        assert "each item of hits is a row" in found.read[0].notes

    @pytest.mark.parametrize("kind", ["rows", "frame", "lazy", "parquet"])
    def test_all_tables_are_read_as_json_is(self, kind: str, tmp_path: Path) -> None:
        frame, path = pl.DataFrame(self.ANSWER), tmp_path / "hits.parquet"
        frame.write_parquet(path)
        tables: dict[str, list[object] | pl.DataFrame | pl.LazyFrame] = {"rows": list(self.ANSWER), "frame": frame, "lazy": frame.lazy()}

        def read(**columns: str) -> Runs:
            named = {f"hits.{theirs}": ours for theirs, ours in columns.items()}
            if kind == "parquet":
                return read_runs(path, columns=named)
            found = from_frames(BOTH, tables[kind], columns=named).runs
            assert found is not None
            return found

        found = read(id="doc_id", s="score")
        assert found.results.select("topic_id", "doc_id", "score").rows() == [("t", "x", 3.0), ("t", "y", 2.0), ("u", "z", 1.0)]
        with pytest.raises(CollectionError, match="drops 1 item of hits"):
            read(**{"0.id": "doc_id"})

    def test_lists_of_names_are_rows_of_a_frame(self) -> None:
        frame = pl.DataFrame({"qid": ["t", "u"], "ids": [["x", "y"], ["z"]]})
        found = from_frames(BOTH, frame, columns={"ids": "doc_id"}).runs
        assert found is not None
        assert found.results.select("topic_id", "doc_id").rows() == [("t", "x"), ("t", "y"), ("u", "z")]

    def test_lists_that_are_ignored_are_no_rows(self, written: Callable[[str, str], Path]) -> None:
        board = [{"topic": f"q{n}", "bm25": 0.5 + n / 16, "lm": 0.75 - n / 8, "tags": ["x", "y"]} for n in range(3)]
        path = written("board.jsonl", lines(*board))
        for source in (path, board, pl.DataFrame(board)):
            assert repr(scores_from(source, ignore="tags")) == "Scores(2 runs, 3 topics)"

    def test_scores_in_lists_of_parquet_files(self, tmp_path: Path) -> None:
        cases = [
            {"topic": f"q{n}", "answers": [{"by": "bm25", "m": {"f1": 0.5 + n * n / 16}}, {"by": "lm", "m": {"f1": n / 8}}]}
            for n in range(3)
        ]
        pl.DataFrame(cases).write_parquet(tmp_path / "cases.parquet")
        found = scores_from(tmp_path / "cases.parquet", columns={"answers.by": "run_id", "answers.m.f1": "score"})
        assert next(iter(found.matrices.values())).tolist() == [[0.5, 0.5625, 0.75], [0.0, 0.125, 0.25]]

    def test_lists_within_lists_are_read(self, written: Callable[[str, str], Path]) -> None:
        nested = {"qid": "t", "groups": [{"hits": ["x", "y"]}, {"hits": []}, {"hits": ["z"]}]}
        found = read_runs(written("a.json", json.dumps([nested])), columns={"groups.hits": "doc_id"})
        assert ranking(found) == ["x", "y", "z"]

    def test_positions_of_pairs_are_no_drop(self, written: Callable[[str, str], Path]) -> None:
        pair = {"qid": "t", "gold": [["x", 2]], "span": [3, 9]}
        path = written("gold.jsonl", lines(pair))
        columns = {"gold.0.0": "doc_id", "gold.0.1": "grade"}
        assert read_assessments(path, columns=columns).grades is not None
        spans = read_assessments(path, columns={"gold.0.0": "doc_id", "span.0": "start", "span.1": "end"})
        assert spans.passages is not None
        assert spans.passages.select("start", "length").rows() == [(3, 6)]

    def test_lists_beside_each_other_are_refused(self, written: Callable[[str, str], Path]) -> None:
        both = {"qid": "t", "ids": ["x", "y"], "values": [2, 1]}
        with pytest.raises(CollectionError, match=r"expected paths through one list.*found ids, values"):
            read_runs(written("both.jsonl", lines(both)), columns={"ids": "doc_id", "values": "score"})

    def test_scores_are_read_as_judgements_and_results_are(self, written: Callable[[str, str], Path]) -> None:
        ash, elm = (
            {"m": name, "items": [{"q": "q1", "v": value}, {"q": "q2", "v": 0.25}]} for name, value in (("ash", 0.5), ("elm", 0.75))
        )
        path = written("graded.jsonl", lines(ash, elm))
        columns = {"m": "run_id", "items.q": "topic_id", "items.v": "score"}
        found = scores_from(path, columns=columns)
        assert found.matrix("MAP").tolist() == [[0.5, 0.25], [0.75, 0.25]]
        assert "each item of items is a row" in found.read[0].notes
        with pytest.raises(CollectionError, match=r"graded\.jsonl: columns: .* drops 2 items of items in 2 records"):
            scores_from(path, columns={"m": "run_id", "items.0.q": "topic_id", "items.0.v": "score"})


class TestRanksAsScores:
    ASKED = r'the values of score are 1, 2, 3, … in each topic, as ranks are.*columns=\{"score": "rank"\}'

    @pytest.mark.parametrize("text", ['{"t": {"y": 1, "x": 2}, "u": {"z": 1, "w": 2}}', '{"bm25": {"t": {"y": 1, "x": 2, "z": 3}}}'])
    def test_dictionaries_of_ranks_are_asked_about(self, written: Callable[[str, str], Path], text: str) -> None:
        path = written("places.json", text)
        with pytest.raises(CollectionError, match=self.ASKED):
            read_runs(path)
        assert ranking(read_runs(path, columns={"score": "rank"}))[0] == "y"
        assert ranking(read_runs(path, order="score"))[0] != "y"

    def test_columns_are_asked_about_under_their_own_names(self, written: Callable[[str, str], Path]) -> None:
        path = written("places.csv", "qid,docno,wert\nt,y,1\nt,x,2\nu,z,1\nu,w,2\n")
        with pytest.raises(CollectionError, match=r"the values of wert are 1, 2, 3.*\(--columns wert=rank\)"):
            read_runs(path, columns={"wert": "score"})

    def test_memory_is_read_as_files_are(self) -> None:
        places = {"t": {"y": 1, "x": 2, "z": 3}}
        with pytest.raises(CollectionError, match=self.ASKED):
            from_frames(JUDGED, places)
        by_rank = from_frames(JUDGED, {"mine": places}, columns={"score": "rank"})
        assert run("scores(RR)", by_rank).tables["scores"]["mean"].to_list() == [1.0]

    @pytest.mark.parametrize(
        "scores",
        [
            {"y": 3, "x": 2, "z": 1},
            {"y": 3, "x": 1, "z": 2},
            {"y": 1, "x": 0, "z": 2},
            {"y": 1.0, "x": 2.0},
            {"y": 1.0, "x": 2.5, "z": 3.0},
            {"y": 2, "x": 3, "z": 4},
        ],
    )
    def test_other_scores_are_no_ranks(self, scores: dict[str, float]) -> None:
        found = from_frames(JUDGED, {"t": scores})
        assert found.runs is not None
        assert ranking(found.runs) == sorted(scores, key=lambda doc: -scores[doc])

    @pytest.mark.parametrize(
        ("scores", "numbers"),
        [({"y": 0, "x": 1, "z": 2}, "0, 1, 2"), ({"z": 1, "x": 2, "y": 3}, "1, 2, 3")],
    )
    def test_ranks_from_nought_or_one_down_the_rows_are_asked_about(self, scores: dict[str, float], numbers: str) -> None:
        with pytest.raises(CollectionError, match=f"the values of score are {numbers}, … in each topic"):
            from_frames(JUDGED, {"t": scores})
        found = from_frames(JUDGED, {"t": scores}, columns={"score": "rank"}).runs
        assert found is not None
        assert ranking(found) == sorted(scores, key=scores.__getitem__)

    def test_scores_that_rise_down_the_rows_are_warned_about(self, written: Callable[[str, str], Path]) -> None:
        rows = [(topic, f"d{place}", 0.5 * place + 0.25) for topic in ("t", "u") for place in range(5)]
        heading, text = "qid,docno,nearness\n", "".join(f"{topic},{doc},{number}\n" for topic, doc, number in rows)
        path = written("near.csv", heading + text)
        with pytest.warns(
            CollectionWarning, match=r"if higher values of nearness are better, columns=\{.*\} \(--columns nearness=score\) reads scores"
        ):
            read_runs(path)
        with pytest.warns(CollectionWarning, match="never fall down the rows of a topic.*--order file") as caught:
            assert ranking(read_runs(path, columns={"nearness": "score"}))[0] == "d4"
        assert len(caught) == 1
        assert ranking(read_runs(path, order="file"))[0] == "d0"
        assert ranking(read_runs(path, columns={"nearness": "score"}, order="score"))[0] == "d4"
        read_runs(
            written("falling.csv", heading + "".join(f"{topic},{doc},{-number}\n" for topic, doc, number in rows)),
            columns={"nearness": "score"},
        )

    def test_places_under_another_name_are_offered_as_ranks(self, written: Callable[[str, str], Path]) -> None:
        path = written("places.csv", "qid,docno,place\nt,a,3\nt,b,1\nt,c,2\nu,a,7\n")
        with pytest.warns(CollectionWarning, match=r"if they are ranks, columns=\{.*\} \(--columns place=rank\) reads ranks"):
            read_runs(path)
        assert ranking(read_runs(path, columns={"place": "rank"})) == ["b", "c", "a", "a"]

    def test_ranks_in_one_topic_alone_say_nothing(self, written: Callable[[str, str], Path]) -> None:
        path = written("run.json", '{"t": {"y": 1.0, "x": 2.0, "z": 3.0}, "u": {"a": 1.0, "b": 1.0, "c": 7.0}}')
        assert ranking(read_runs(path))[0] == "z"

    def test_one_run_of_ranks_among_runs_of_scores_is_named(self) -> None:
        with pytest.raises(CollectionError, match="run 'beta': the values of score"):
            from_frames(JUDGED, {"alpha": {"t": {"x": 0.5, "y": 0.25}}, "beta": {"t": {"x": 1.0, "y": 2.0, "z": 3.0}}})


class TestGrades:
    def test_two_columns_that_may_be_grades_are_asked_about(self, written: Callable[[str, str], Path]) -> None:
        path = written("pool.csv", "qid,pid,score,usable\nt,x,.81,no\nt,y,.44,yes\n")
        with pytest.raises(CollectionError, match=r"expected one column of grades, found score, usable; .*--columns usable=grade"):
            read_assessments(path)
        for column, grades in (("usable", [0.0, 1.0]), ("score", [0.81, 0.44])):
            found = read_assessments(path, columns={column: "grade"})
            assert found.grades is not None
            assert found.grades["grade"].to_list() == grades

    def test_one_file_is_not_that_of_two_assessors(self, written: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
        path = written("both.csv", "qid,docno,ann,bot\nt,x,0,2\nt,y,1,0\n")
        monkeypatch.chdir(path.parent)
        with pytest.raises(CollectionError, match=r"found the same for ann, bot; if a file has a column for each, write a row"):
            read_assessments({"ann": path, "bot": [path.name]}, columns={"bot": "grade"})
        rows = pl.read_csv(path).unpivot(index=["qid", "docno"], variable_name="assessor", value_name="grade")
        rows.write_csv(path)
        assert read_assessments(path).assessor_names == ("ann", "bot")

    def test_columns_of_text_are_no_grades(self, written: Callable[[str, str], Path]) -> None:
        found = read_assessments(written("beir.tsv", "query-id\tcorpus-id\tscore\tnote\nt\tx\t2\tsee y\n"))
        assert found.grades is not None
        assert found.grades["grade"].to_list() == [2.0]

    @pytest.mark.parametrize("words", ["true,1,FALSE,0", "yes,1.0,no,0"])
    def test_words_and_the_numbers_that_they_mean_are_read_together(self, written: Callable[[str, str], Path], words: str) -> None:
        rows = "".join(f"t,{doc},{word}\n" for doc, word in zip("abcd", words.split(","), strict=True))
        found = read_assessments(written("mixed.csv", f"qid,docno,rel\n{rows}"))
        assert found.grades is not None
        assert found.grades["grade"].to_list() == [1.0, 1.0, 0.0, 0.0]
        assert found.read[0].notes == ("yes, true or relevant read as 1, no, false or irrelevant as 0",)

    def test_words_beside_other_numbers_are_refused(self, written: Callable[[str, str], Path]) -> None:
        with pytest.raises(CollectionError, match='expected a finite number, found "yes"'):
            read_assessments(written("mixed.csv", "qid,docno,rel\nt,a,yes\nt,b,2\n"))

    def test_words_in_qrels_are_grades(self, written: Callable[[str, str], Path]) -> None:
        found = read_assessments(written("words.qrels", "t 0 a Yes\nt 0 b no\nt 0 c 1\n"))
        assert found.grades is not None
        assert found.grades["grade"].to_list() == [1.0, 0.0, 1.0]
        assert found.read[0].notes == ("yes, true or relevant read as 1, no, false or irrelevant as 0",)


class TestCommentsAboveHeadings:
    def test_comments_above_a_heading_are_stated(self, written: Callable[[str, str], Path]) -> None:
        found = read_assessments(written("test.tsv", "# split: test\n\n# seed 3\nquery-id\tcorpus-id\tscore\n#1\tx\t2\n"))
        assert found.grades is not None
        assert found.grades.rows() == [("#1", "x", 2.0)]
        assert found.read[0].notes == ("lines that begin with # are comments",)

    def test_messages_count_the_comments(self, written: Callable[[str, str], Path]) -> None:
        with pytest.raises(CollectionError, match=r"test\.csv:4: topic t: rel: expected a finite number"):
            read_assessments(written("test.csv", "# split\nqid,docno,rel\nt,a,1\nt,b,much\n"))

    def test_runs_are_read_alike(self, written: Callable[[str, str], Path]) -> None:
        found = read_runs(written("a.csv", "#made by hand\nqid,docno,score\nt,a,1.5\n"))
        assert ranking(found) == ["a"]


class TestDistances:
    """A column of distances is recommended as scores in no format, unless higher values are better."""

    ROWS = tuple({"qid": topic, "docno": f"{topic}{place}", "near": {"by": 0.5 * place + 0.25}} for topic in "tu" for place in range(3))
    FLAT = tuple({"qid": row["qid"], "docno": row["docno"], "near": row["near"]["by"]} for row in ROWS)  # type: ignore[index]  # a record

    @pytest.mark.parametrize("rows", [ROWS, FLAT])
    def test_every_format_states_the_condition(self, rows: tuple[dict[str, object], ...], written: Callable[[str, str], Path]) -> None:
        frame = pl.DataFrame(list(rows))
        frame.write_parquet(written("hits.parquet", ""))
        path = "near.by" if rows is self.ROWS else "near"
        for read in (
            lambda: read_runs(written("hits.jsonl", lines(*rows))),
            lambda: read_runs(written("hits.json", json.dumps(rows))),
            lambda: read_runs(written("hits.jsonl", "").with_name("hits.parquet")),
            lambda: from_frames(JUDGED.vstack(JUDGED.with_columns(topic_id=pl.lit("u"))), frame),
        ):
            with pytest.warns(
                CollectionWarning, match=rf"if higher values of {path} are better, columns=.* \(--columns {path}=score\) .* distances are"
            ):
                read()

    @pytest.mark.parametrize(
        ("name", "falls"),
        [
            *((name, True) for name in ("distance", "meta.cosine_distance", "loss", "L2", "dist")),
            *((name, False) for name in ("similarity", "meta.relevance", "dot", "district")),
        ],
    )
    def test_a_stated_column_whose_name_says_that_lower_is_better(
        self, name: str, falls: bool, written: Callable[[str, str], Path]
    ) -> None:
        record, _, last = name.rpartition(".")
        values = [{last: value} for value in (0.7, 0.2, 0.4)]
        rows = [{"qid": "t", "docno": f"d{n}", **({record: value} if record else value)} for n, value in enumerate(values)]
        path = written("near.jsonl", lines(*rows))
        with pytest.warns(CollectionWarning) as told:
            read_runs(path)
        assert (f"--columns {name}=score" in str(told[0].message)) != falls  # the option is offered for similarities only
        if falls:
            with pytest.warns(
                CollectionWarning, match=rf"^{re.escape(str(path))}: the highest {name} is ranked first, but lower values .* -1"
            ):
                assert ranking(read_runs(path, columns={name: "score"})) == ["d0", "d2", "d1"]
        for order in ("score",) if falls else (None, "score"):
            assert ranking(read_runs(path, columns={name: "score"}, order=order)) == ["d0", "d2", "d1"]


class TestRanksOfEqualScores:
    """Ranks that contradict the order of a large share of results are a warning, also if the scores are equal."""

    def test_scores_that_say_nothing(self, written: Callable[[str, str], Path]) -> None:
        path = written("flat.run", "".join(f"t Q0 d{place} {place} 1.0 flat\n" for place in range(1, 6)))
        with pytest.warns(CollectionWarning, match=r'with equal scores contradict .*; order="rank" \(--order rank\) follows the ranks'):
            assert ranking(read_runs(path)) == ["d5", "d4", "d3", "d2", "d1"]
        assert ranking(read_runs(path, order="rank")) == ["d1", "d2", "d3", "d4", "d5"]

    def test_a_few_ties_are_no_warning(self, written: Callable[[str, str], Path]) -> None:
        scores = [9.5, 9.25, 8.5, 8.5, *(8 - place / 4 for place in range(16))]
        path = written("few.run", "".join(f"t Q0 d{place:02} {place} {score} few\n" for place, score in enumerate(scores, start=1)))
        assert read_runs(path).warnings == ()


class TestAnotherScore:
    """A second column of scores, such as that of a reranker, may be the one that ranks the results."""

    TABLE: Final = "topic_id,doc_id,score,{name}\nt,x,0.9,0.1\nt,y,0.2,0.7\n"

    @pytest.mark.parametrize("name", ["fused_score", "cross encoder score", "rerankerScore"])
    def test_is_named_with_the_options(self, name: str, tmp_path: Path) -> None:
        path = tmp_path / "r.csv"
        path.write_text(self.TABLE.format(name=name))
        with pytest.warns(CollectionWarning, match=rf'the ranking is by score, found also {name}; columns={{"{name}": "score"}}'):
            read_runs(path)
        assert ranking(read_runs(path, order="score")) == ["x", "y"]
        assert ranking(read_runs(path, columns={name: "score"})) == ["y", "x"]

    @pytest.mark.parametrize("name", ["underscore", "scored", "cost"])
    def test_other_columns_are_none(self, name: str, tmp_path: Path) -> None:
        path = tmp_path / "r.csv"
        path.write_text(self.TABLE.format(name=name))
        assert ranking(read_runs(path)) == ["x", "y"]


def test_records_in_memory_may_lack_values_as_in_json_lines(tmp_path: Path) -> None:
    records = [
        {"question_id": "1", "model": "a", "score": 0.5},
        {"question_id": "2", "model": "a", "score": 0.25, "error": None},
        {"question_id": "1", "model": "b", "score": 1.0},
        {"model": "b", "question_id": "2", "score": 0.0},
    ]
    path = tmp_path / "scores.jsonl"
    path.write_text(lines(*records))
    assert scores_from(records, "quality").fingerprint == scores_from(path, "quality").fingerprint
    retrieved = [{"topic_id": "t", "doc_id": "x", "score": 0.5}, {"topic_id": "t", "doc_id": "y", "scroe": 0.25}]
    with pytest.raises(CollectionError, match=r"row 1: score: expected a score, found nothing; other results of the run have a score"):
        from_frames(JUDGED, retrieved)


class TestAnotherMeasure:
    """A table with one score in each row may contain further measures, of which one may be meant."""

    @pytest.fixture
    def table(self, tmp_path: Path) -> Path:
        path = tmp_path / "calls.csv"
        path.write_text("item_id,system,score,solved,cost\n1,a,0.75,true,3\n2,a,0.5,false,5\n1,b,0.25,true,1\n2,b,0.5,true,2\n")
        return path

    def test_the_measure_of_a_formula_is_a_column_that_was_not_read(self, table: Path) -> None:
        found = scores_from(table)
        assert found.read[0].notes == ("not read: solved, cost",)
        with pytest.raises(CollectionError, match=r'expected scores of solved, .* not read; measures="solved" \(--measures solved\) reads'):
            run('scores(given("solved"))', found)
        with pytest.raises(CollectionError, match=r"expected scores of sovled, .*; did you mean solved\?"):
            run('scores(given("sovled"))', found)
        assert run('scores(given("quality"))', found).table["mean"].to_list() == [0.625, 0.375]

    def test_the_measure_of_a_formula_is_a_number_in_records(self, tmp_path: Path) -> None:
        rows = [(item, name, value) for item in ("i", "j") for name, value in (("a", 0.5), ("b", 0.25))]
        records = [{"item_id": item, "system": name, "score": 1, "parts": {"tone": value, "ok": True}} for item, name, value in rows]
        (path := tmp_path / "calls.jsonl").write_text(lines(*records))
        for source in (path, pl.DataFrame(records), records):
            found = scores_from(source)
            assert found.read[0].notes == ("not read: parts",)
            with pytest.raises(
                CollectionError, match=r'of parts.tone, .*parts.tone not read; measures="parts.tone" \(--measures parts.tone\) reads'
            ):
                run('scores(given("parts.tone"))', found)
            stated = scores_from(source, measures="parts.tone")
            assert run('scores(given("parts.tone"))', stated).table["mean"].to_list() == [0.5, 0.25]

    def test_a_stated_measure_is_another_column(self, table: Path) -> None:
        with pytest.raises(
            CollectionError, match=r'expected scores of cost in the column score, found also a column cost; measures="cost"'
        ):
            scores_from(table, "cost")
        assert scores_from(table, "cost", ignore="cost").matrix('given("cost")').tolist() == [[0.75, 0.5], [0.25, 0.5]]

    def test_a_column_named_score_is_one_of_several_measures(self, table: Path) -> None:
        found = scores_from(table, measures=("score", "solved"))
        assert (found.matrix("score").tolist(), found.matrix("solved").tolist()) == ([[0.75, 0.5], [0.25, 0.5]], [[1.0, 0.0], [1.0, 1.0]])


def test_a_column_of_scores_without_any_score(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    path.write_text(lines(*({"topic_id": "t", "doc_id": doc_id, "score": None} for doc_id in "yx")))
    with pytest.warns(CollectionWarning, match=r"score: expected scores, found none in run 'found'; results are then ranked in the order"):
        read_runs(path)
    assert ranking(read_runs(path, order="file")) == ["y", "x"]


@pytest.mark.parametrize("heading", ["page_content", "text", "contents"])
def test_white_space_around_a_text_counts(heading: str, tmp_path: Path) -> None:
    path, text = tmp_path / "found.csv", "  two words \n"
    path.write_text(f'topic_id,doc_id,start,{heading},score\n t ,x,5,"{text}",1\n')
    found = read_runs(path)
    assert found.results.select("topic_id", "length").row(0) == ("t", len(text))
