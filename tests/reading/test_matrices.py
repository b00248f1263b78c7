"""Scores from matrices and long tables: recognised, joined and rejected inputs."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inexmetrics import CollectionError, CollectionWarning, Scores, scores_from
from inexmetrics.collection.condition_names import UNNAMED
from inexmetrics.reading import table_files as spreadsheets
from inexmetrics.reading.column_types import WHITE
from tests.by_hand import offered


def messages(error: pytest.ExceptionInfo[CollectionError]) -> list[str]:
    return [str(problem) for problem in error.value.problems]


def file(folder: Path, text: str, name: str = "scores.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


class TestMatrix:
    def test_topics_are_counted_where_no_column_names_them(self, tmp_path: Path) -> None:
        scores = scores_from(file(tmp_path, "b,a\n" + "".join(f"{n * n / 128},{n / 32}\n" for n in range(11))))
        assert scores.runs == ("a", "b")
        assert scores.topics == ("1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9")
        # Topic 10 is the tenth row, n = 9.
        assert scores.matrices[UNNAMED][:, 1].tolist() == [9 / 32, 81 / 128]
        assert scores.warnings == ()
        assert scores.order == "file; no topic column"

    @pytest.mark.parametrize("heading", ["topic", "topic_id", "query_id", "qid", "Topic", '"QID"', "task", "sample_id"])
    def test_a_first_column_of_topics(self, tmp_path: Path, heading: str) -> None:
        scores = scores_from(file(tmp_path, f"{heading},r\n402,0.5\n401,0.25\n"), "MAP")
        assert scores.topics == ("401", "402")
        assert scores.matrix("MAP").tolist() == [[0.25, 0.5]]

    @pytest.mark.parametrize("separator", [",", ";", "\t"])
    def test_separators_quotes_line_ends_and_marks(self, tmp_path: Path, separator: str) -> None:
        path = tmp_path / "s.csv"
        path.write_bytes("\r\n".join(["\ufeff" + separator.join(['"x"', '"a b"']), separator.join(["1e-1", " .5 "]), "", ""]).encode())
        scores = scores_from(path)
        assert scores.runs == ("a b", "x")
        assert scores.matrices[UNNAMED].tolist() == [[0.5], [0.1]]

    @pytest.mark.parametrize("cell", ["0,5", "50 %", "0.5*", ".5†", "0.5 ± 0.1", "0.50 (0.1)", "1,000.5"])
    def test_numbers_written_otherwise(self, cell: str) -> None:
        with pytest.raises(CollectionError, match=r"a \(numbers such as " + re.escape(f'"{cell}"') + r"\), .*; write \.?\d"):
            scores_from({"topic": ["1", "2"], "a": [cell, cell], "b": [0.5, 0.75]})
        with pytest.raises(CollectionError, match="run a: expected a finite number, found " + re.escape(f'"{cell}"')):
            scores_from({"topic": ["1", "2"], "a": [cell, "1"], "b": [0.5, 0.75]})

    def test_a_table_without_columns(self) -> None:
        with pytest.raises(CollectionError, match=r"expected scores of topics \(rows\) and runs \(columns\), found 0 runs and 0 topics"):
            scores_from(pl.DataFrame())

    @pytest.mark.parametrize("words", [["True", "False"], ["true", "FALSE"], [True, False], ["TRUE", "0"], ["1", " false "]])
    def test_true_and_false(self, words: list[object], tmp_path: Path) -> None:
        assert scores_from({"topic": ["1", "2"], "a": words, "b": [0.5, 0.75]}).matrix("x").tolist()[0] == [1, 0]
        path = file(tmp_path, "topic,a\n" + "".join(f"{n},{word}\n" for n, word in enumerate(words)))
        assert scores_from(path).matrix("x").tolist() == [[1, 0]]

    @pytest.mark.parametrize("heading", ["measure", "metric", "Measure"])
    def test_rows_of_one_run_with_a_column_of_measures(self, heading: str) -> None:
        scores = scores_from({"query_id": ["1", "2"], heading: ["AP", "AP"], "value": [0.5, 0.75]})
        assert (scores.runs, scores.conditions, scores.topics) == (("run",), (("MAP", "1"),), ("1", "2"))

    def test_compressed_files(self, tmp_path: Path) -> None:
        path = tmp_path / "s.csv.gz"
        path.write_bytes(gzip.compress(b"a\n0.5\n"))
        assert scores_from(path).matrices[UNNAMED].tolist() == [[0.5]]

    def test_frames_and_arrays(self) -> None:
        frame = pl.DataFrame({"qid": [7, 8], "a": [0.5, 0.25], "b": [1, 0]})
        assert scores_from(frame, "P@10").matrix("P@10").tolist() == [[0.5, 0.25], [1.0, 0.0]]
        array = scores_from(np.array([[0.5, 1.0], [0.25, 0.0], [0.125, 0.5]]))
        assert (array.runs, array.topics) == (("1", "2"), ("1", "2", "3"))
        assert array.matrices[UNNAMED].tolist() == [[0.5, 0.25, 0.125], [1.0, 0.0, 0.5]]
        with pytest.raises(CollectionError, match=r"^scores: expected an array of topics x runs, found one of 1 dimension$"):
            scores_from(np.zeros(3))

    def test_a_name_for_the_measure(self, tmp_path: Path) -> None:
        path = file(tmp_path, "a\n0.5\n")
        assert scores_from(path, "nxCG@25", "Gen5").conditions == (("nxCG@25", "Gen5"),)
        assert scores_from(path, 'given("ERR@20")').conditions == (("ERR@20", "1"),)
        with pytest.raises(CollectionError, match=r"^expected a measure with the quantisation, found only the quantisation$"):
            scores_from(path, quantisation="Gen5")

    def test_a_text_that_names_the_quantisation_too(self, tmp_path: Path) -> None:
        assert scores_from(file(tmp_path, "a\n0.5\n"), "MAep ~ Gen5").conditions == (("MAep", "Gen5"),)

    def test_a_topic_undefined_for_all_runs(self, tmp_path: Path) -> None:
        scores = scores_from(file(tmp_path, "qid,a,b\n1,0.5,0.25\n2,,\n"))
        assert np.isnan(scores.matrices[UNNAMED][:, 1]).all()

    def test_wrong_cells_are_all_told_with_their_lines(self, tmp_path: Path) -> None:
        path = file(tmp_path, "qid,a,b\n1,x,0.5\n2,NaN,inf\n\n3,0.5,-\n")
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert messages(error) == [
            f'{path}:2: run a: expected a finite number, found "x"; missing_values="x" (--missing-values x) reads it as a missing score',
            f'{path}:3: run a: expected a finite number, found "NaN"; missing_values="NaN" (--missing-values NaN) reads it as a missing score',
            f'{path}:3: run b: expected a finite number, found "inf"; missing_values="inf" (--missing-values inf) reads it as a missing score',
            f'{path}:5: run b: expected a finite number, found "-"; missing_values="-" (--missing-values -) reads it as a missing score',
        ]

    def test_a_score_for_some_runs_only(self, tmp_path: Path) -> None:
        path = file(tmp_path, "qid,a,b\n1,0.5,0.5\n2,,1\n")
        scores = scores_from(path)
        assert repr(scores) == "Scores(2 runs, 2 topics, 1 missing score)"
        with pytest.raises(CollectionError) as error:
            scores.matrix("MAP")
        assert messages(error) == [
            f"{path}: expected a score for every run on every topic, found 1 missing score (run a: topic 2); "
            'missing="drop-topics" (--missing drop-topics) excludes 1 of 2 topics, missing="drop-runs" (--missing drop-runs) excludes 1 of 2 runs, '
            "and Scores.only (--only-runs, --only-topics) selects runs and topics by name"
        ]

    @pytest.mark.parametrize(
        ("text", "line", "expected"),
        [
            ("a,b,a\n1,2,3\n", 1, "expected each column once, found a twice"),
            ("a,b\n1,2\n1,2,3\n", 3, "expected 2 values as in the header, found 3"),
            ("a,b\n1\n", 2, "expected 2 values as in the header, found 1"),
            ('a,b\n"1,2\n', 2, "expected a closing quote, found the end of the file"),
            ("qid,a\n,1\n", 2, "qid: expected an identifier, found nothing"),
            ("qid,a\n7,1\n7,1\n", 3, "topic 7: expected one score for run a and topic 7, found a second one (the first is on line 2)"),
        ],
    )
    def test_malformed_files(self, tmp_path: Path, text: str, line: int, expected: str) -> None:
        path = file(tmp_path, text)
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert messages(error) == [f"{path}:{line}: {expected.format(path=path)}"]

    @pytest.mark.parametrize(("text", "found"), [("", "nothing"), ("a,b\n", "only a header")])
    def test_empty_files(self, tmp_path: Path, text: str, found: str) -> None:
        path = file(tmp_path, text)
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert messages(error) == [f"{path}: expected a header and rows, found {found}"]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("<html>\n</html>\n", "XML"),
            ("301 Q0 doc1 1 2.5 bm25\n301 Q0 doc2 2 1.5 bm25\n", "a TREC run (6 columns)"),
            ("301\t0\tdoc1\t1\n301\t0\tdoc2\t0\n", "TREC qrels"),
        ],
    )
    def test_files_of_another_kind(self, tmp_path: Path, text: str, found: str) -> None:
        path = file(tmp_path, text)
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert messages(error) == [
            f"{path}: expected scores by topic (CSV, JSON, Parquet or the output of trec_eval -q, ir_measures -q or INEX's evaluator -q), found {found}"
        ]
        (tmp_path / "right.csv").write_text("topic,a,b\n1,0.5,0.25\n")
        with pytest.warns(CollectionWarning, match="skipped: expected scores by topic, found none"):
            assert scores_from(tmp_path).runs == ("a", "b")

    def test_runs_named_by_numbers(self, tmp_path: Path) -> None:
        assert scores_from(file(tmp_path, "topic\t0\t1\t2\n7\t0.5\t0.25\t0\n")).runs == ("0", "1", "2")

    def test_a_series_is_no_frame(self) -> None:
        pandas = pytest.importorskip("pandas")
        with pytest.raises(CollectionError, match=r"^scores: expected a data frame, or rows with named values, found a Python Series$"):
            scores_from(pandas.Series([0.5, 0.25]))

    def test_a_header_that_is_missing(self, tmp_path: Path) -> None:
        path = file(tmp_path, "0.25,0.5\n0.125,0.5\n")
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert messages(error) == [
            f"{path}:1: expected a header with the names of the columns, found numbers; header=False (--no-header) reads a table without headings"
        ]

    def test_other_bytes(self, tmp_path: Path) -> None:
        path = tmp_path / "s.csv"
        path.write_bytes(b"a\n1\n\xff\n")
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert messages(error) == [f"{path}:3: expected UTF-8 text, found the byte 0xff; save the file as UTF-8"]

    def test_problems_of_all_files_are_told(self, tmp_path: Path) -> None:
        first, second = file(tmp_path, "a\nx\n0.5\n", "1.csv"), file(tmp_path, "b\ny\n0.5\n", "2.csv")
        with pytest.raises(CollectionError) as error:
            scores_from([first, second])
        assert messages(error) == [
            f'{first}:2: run a: expected a finite number, found "x"; missing_values="x" (--missing-values x) reads it as a missing score',
            f'{second}:2: run b: expected a finite number, found "y"; missing_values="y" (--missing-values y) reads it as a missing score',
        ]


QUESTIONS = "{},A,B,C,D,E\n" + "".join(f"{{}}{number},0.5,0.25,0.125,0,1\n" for number in range(1, 31))
"""A matrix of five runs, with a given heading of the topic column and a given prefix of the topics."""
UNNAMED_FIRST = (
    f"expected a column of topics ({offered('topic_id')}) or of runs ({offered('run_id')}), found {{0}} ({{1}}) and A, B, C, D, E; "
    "runs={2} (--runs-column {3}) reads {0} as runs, and A, B, C, D, E as topics; "
    "topics={2} (--topics-column {3}) reads {0} as topics, and A, B, C, D, E as runs"
)


def questions(heading: str, prefix: str = "") -> str:
    return QUESTIONS.format(heading, *[prefix] * 30)


class TestColumnOfTopics:
    def test_a_column_of_text_with_another_heading(self, tmp_path: Path) -> None:
        path = file(tmp_path, questions("question", "T"))
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        expected = UNNAMED_FIRST.format("the column question", '"T1", "T2", "T3"', '"question"', "question")
        assert messages(error)[0].startswith(f"{path}:1: {expected}; ")
        assert messages(error)[0].endswith(
            'topics="question", measures=("A", "B", "C", "D", "E") (--topics-column question --measures A B C D E) reads A, B, C, D, E as measures'
        )
        scores = scores_from(path, topics="question")
        assert (scores.runs, len(scores.topics), scores.order) == (tuple("ABCDE"), 30, "file")
        assert "T15" in scores.topics
        assert scores_from(path, runs="question").topics == tuple("ABCDE")
        assert scores_from(path, topics="question", measures="B").matrix("B").tolist() == [[0.25] * 30]

    @pytest.mark.parametrize(
        ("heading", "named", "shell"), [("", "the column without a heading", "''"), ("Unnamed: 0", "the column Unnamed: 0", "'Unnamed: 0'")]
    )
    @pytest.mark.parametrize("prefix", ["", "T"])
    def test_a_first_column_without_a_heading_is_never_read_in_one_way(
        self, tmp_path: Path, heading: str, named: str, shell: str, prefix: str
    ) -> None:
        path = file(tmp_path, questions(heading, prefix))
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        first = ", ".join(f'"{prefix}{number}"' for number in (1, 2, 3))
        assert messages(error) == [f"{path}:1: " + UNNAMED_FIRST.format(named, first, f'"{heading}"', shell)]
        scores = scores_from(path, topics=heading)
        assert (scores.runs, len(scores.topics)) == (tuple("ABCDE"), 30)
        assert scores_from(path, runs=heading).topics == tuple("ABCDE")
        measured = scores_from(path, measures=("A", "C"))  # rows are topics, since columns are measures
        assert (measured.runs, measured.conditions, len(measured.topics)) == (("scores",), (("A", "1"), ("C", "1")), 30)

    @pytest.mark.parametrize("column", [[401, 402, 403], [3, 1, 2], [7, 7, 9]])
    def test_numbers_that_name_topics_are_doubted(self, column: list[object], tmp_path: Path) -> None:
        frame = pl.DataFrame({"A": [0.5, 0.25, 0.75], "B": [0.0, 0.125, 1.0], "x": column})
        frame.write_parquet(tmp_path / "s.parquet")
        for source in (frame, tmp_path / "s.parquet"):
            with pytest.raises(
                CollectionError, match=r'expected scores, found .*x \((values from|each number|different whole).*ignore="x" .*keep="x"'
            ):
                scores_from(source)
            assert scores_from(source, keep="x").runs == ("A", "B", "x")
        if len(set(column)) == 3:
            assert scores_from(frame, topics="x").topics == tuple(sorted(map(str, column)))

    @pytest.mark.parametrize("column", [[0, 1, 1], [1, 0, 0], [0.5, 1, 0], [1, 1, 1]])
    def test_without_a_column_of_topics(self, column: list[float]) -> None:
        scores = scores_from(pl.DataFrame({"A": [0.5, 0.25, 0.8], "x": column}))
        assert (scores.runs, scores.topics, scores.order) == (("A", "x"), ("1", "2", "3"), "file; no topic column")

    @pytest.mark.parametrize("heading", ["Model", "system", "RUN_ID"])
    def test_systems_in_rows(self, heading: str) -> None:
        board = pl.DataFrame({heading: ["a", "b"], "easy": [0.5, 0.75], "hard": [0.25, 0.5]})
        scores = scores_from(board)
        assert (scores.runs, scores.topics) == (("a", "b"), ("easy", "hard"))
        assert (scores.read[0].format, scores.read[0].columns) == ("a matrix with runs in rows", (("run_id", heading),))
        turned = scores_from(board.transpose(include_header=True, header_name="topic", column_names=heading))
        assert (turned.fingerprint, turned.read[0].format) == (scores.fingerprint, "a matrix with topics in rows")

    def test_no_column_of_topics_is_stated(self) -> None:
        frame = pl.DataFrame({"A": [0.5, 0.25], "x": [0.25, 0.5]})
        scores = scores_from(frame, topics=False)
        assert (scores.runs, scores.topics, scores.order) == (("A", "x"), ("1", "2"), "file; no topic column")
        with pytest.raises(
            CollectionError, match=r"expected runs in all columns \(topics=False, --no-topics-column\), found the column of topics qid$"
        ):
            scores_from(frame.with_columns(qid=pl.lit("q")), topics=False)

    def test_one_that_is_not_there(self) -> None:
        with pytest.raises(
            CollectionError, match=r"^scores: expected a column named qestion .topics., found question, A; did you mean question[?]$"
        ):
            scores_from(pl.DataFrame({"question": [1], "A": [0.5]}), topics="qestion")

    def test_several(self) -> None:
        frame = pl.DataFrame({"topic": [7, 8], "qid": [1, 2], "A": [0.5, 0.25]})
        with pytest.raises(
            CollectionError, match=r'^scores: expected one column of topic_id, found qid, topic; columns={"qid": "topic_id"} \('
        ):
            scores_from(frame)
        scores = scores_from(frame, topics="qid", ignore="topic")
        assert (scores.runs, scores.topics) == (("A",), ("1", "2"))

    @pytest.mark.parametrize(("heading", "named"), [("", "without a heading"), ("Unnamed: 0", "Unnamed: 0")])
    def test_an_index_beside_it_numbers_the_rows(self, tmp_path: Path, heading: str, named: str) -> None:
        scores = scores_from(file(tmp_path, f"{heading},qid,A\n0,401,0.5\n1,402,0.25\n"))
        assert (scores.runs, scores.topics) == (("A",), ("401", "402"))
        assert scores.read[0].notes == (f"the column {named} numbers the rows and is not read",)
        other = file(tmp_path, f"{heading},qid,A\n7,401,0.5\n3,402,0.25\n")
        with pytest.raises(CollectionError, match=r"expected a heading for each column, found .* beside qid, .*--ignore"):
            scores_from(other)
        assert scores_from(other, ignore=heading).runs == ("A",)

    @pytest.mark.parametrize(
        ("text", "options"),
        [
            ("question,model,ndcg\nq1,A,0.5\nq1,B,0.25\n", {"topics": "question", "columns": {"ndcg": "score"}}),
            ("qid,model,ndcg\nq1,A,0.5\nq1,B,0.25\n", {"columns": {"ndcg": "score"}}),
            (
                "judge,item,verdict\nA,q1,.5\nB,q1,.25\nA,q2,1\nB,q2,1\n",
                {"columns": {"judge": "run_id", "item": "topic_id", "verdict": "score"}},
            ),
        ],
    )
    def test_long_tables_with_other_headings(self, tmp_path: Path, text: str, options: dict[str, object]) -> None:
        path = file(tmp_path, text)
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        for name, value in options.items():
            assert f"{name}={value}".replace("'", '"').replace("topics=question", 'topics="question"') in messages(error)[0]
        assert scores_from(path, **options).runs == ("A", "B")  # type: ignore[arg-type]  # options by name

    def test_the_index_of_a_pandas_frame(self) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"A": [0.5, 0.25], "B": [0.25, 1.0]}, index=["q7", "q8"])
        for index, shown in ((None, ""), ("q", "q")):
            named = frame.rename_axis(index)
            with pytest.raises(CollectionError, match=rf'runs="{shown}" .* as runs, and A, B as topics; topics="{shown}" '):
                scores_from(named)
            scores = scores_from(named, topics=shown)
            assert (scores.runs, scores.topics, scores.order) == (("A", "B"), ("q7", "q8"), "file")
            assert scores_from(named, runs=shown).topics == ("A", "B")
        assert scores_from(frame.rename_axis("qid")).topics == ("q7", "q8")
        assert scores_from(frame.rename_axis("model")).runs == ("q7", "q8")
        assert scores_from(frame.reset_index(drop=True)).order == "file; no topic column"
        split = frame.to_dict(orient="split")
        assert scores_from(split, topics="").topics == ("q7", "q8")


class TestSizes:
    def test_scores_up_to_1e300(self, tmp_path: Path) -> None:
        assert scores_from(pl.DataFrame({"qid": [1, 2], "A": [1e300, -1e300]})).matrices[UNNAMED].tolist() == [[1e300, -1e300]]
        path = file(tmp_path, "qid,A,B\n1,0.5,1e301\n2,-1.1e300,0.5\n")
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert messages(error) == [
            f'{path}:2: run B: expected a score of at most 1e300 in absolute value, found "1e301"',
            f'{path}:3: run A: expected a score of at most 1e300 in absolute value, found "-1.1e300"',
        ]
        long = pl.DataFrame({"run": ["a"], "qid": [1], "score": [1e308]})
        with pytest.raises(
            CollectionError, match=r"^scores: row 0: score: expected a score of at most 1e300 in absolute value, found 1e[+]308$"
        ):
            scores_from(long)


class TestLong:
    text = "run_id,topic_id,measure,quantisation,score\nb,1,MAP,1,0.5\na,1,MAP,1,1\na,1,nxCG@25,Gen5,0.25\nb,1,nxCG@25,Gen5,0.125\n"

    def test_conditions_in_the_order_met(self, tmp_path: Path) -> None:
        scores = scores_from(file(tmp_path, self.text))
        assert scores.conditions == (("MAP", "1"), ("nxCG@25", "Gen5"))
        assert scores.matrix("nxCG@25", "Gen5").tolist() == [[0.25], [0.125]]

    def test_columns_of_other_names_and_what_may_be_left_out(self) -> None:
        frame = pl.DataFrame({"system": ["a", "a"], "query_id": [1, 1], "measure": ["MAP", 'given("ERR@20")'], "score": [0.5, 0.25]})
        assert scores_from(frame).conditions == (("MAP", "1"), ("ERR@20", "1"))
        assert scores_from(frame.drop("measure").head(1)).conditions == (UNNAMED,)
        assert scores_from(frame.drop("measure").head(1), "RR").conditions == (("RR", "1"),)

    def test_only_one_measure_of_those_named(self, tmp_path: Path) -> None:
        path = file(tmp_path, self.text)
        assert scores_from(path, "MAP").conditions == (("MAP", "1"),)
        assert scores_from(path, "nxCG@25", "Gen5").conditions == (("nxCG@25", "Gen5"),)
        with pytest.raises(CollectionError, match=r"^expected scores of RR, found scores of MAP, nxCG@25 ~ Gen5$"):
            scores_from(path, "RR")
        with pytest.raises(CollectionError, match=r"^expected scores of MAP ~ Gen5, found scores of MAP, nxCG@25 ~ Gen5$"):
            scores_from(path, "MAP", "Gen5")

    def test_a_quantisation_needs_a_measure(self) -> None:
        frame = pl.DataFrame({"run_id": ["a"], "topic_id": ["1"], "quantisation": ["Gen5"], "score": [0.5]})
        with pytest.raises(
            CollectionError, match=r"^expected a measure .*, found a quantisation without a measure; a column measure, or measure="
        ):
            scores_from(frame)
        assert scores_from(frame, "MAep").conditions == (("MAep", "Gen5"),)

    def test_parquet(self, tmp_path: Path) -> None:
        scores = Scores(("a", "b"), ("1", "2"), {("MAP", "1"): np.array([[0.5, math.nan], [0.25, math.nan]])})
        scores.frame.write_parquet(tmp_path / "s.parquet")
        assert scores_from(tmp_path / "s.parquet").fingerprint == scores.fingerprint

    def test_an_absent_row_is_a_missing_score(self) -> None:
        frame = pl.DataFrame({"run_id": ["a", "a", "b"], "topic_id": ["1", "2", "1"], "measure": "MAP", "score": [0.5, 0.25, 1.0]})
        empty = pl.concat([frame, pl.DataFrame({"run_id": "b", "topic_id": "2", "measure": "MAP", "score": None}, schema=frame.schema)])
        for table in (frame, empty):
            with pytest.raises(CollectionError, match=r"found 1 missing score \(run b: topic 2 under MAP\)"):
                scores_from(table).matrix("MAP")
            with pytest.warns(CollectionWarning) as caught:
                scores = scores_from(table, missing="zero")
            text = "1 missing score of run b counts as 0, the best score if lower scores are better (2) under MAP"
            assert [str(warning.message) for warning in caught] == [text]
            assert caught[0].filename == __file__
            assert scores.warnings == (text,)
            assert scores.matrix("MAP").tolist() == [[0.5, 0.25], [1.0, 0.0]]

    def test_a_topic_that_no_run_has_under_a_measure_is_undefined(self) -> None:
        frame = pl.DataFrame(
            {"run_id": ["a", "a", "a"], "topic_id": ["1", "2", "1"], "measure": ["MAP", "MAP", "RR"], "score": [0.5, 0.25, 1.0]}
        )
        scores = scores_from(frame)
        assert scores.warnings == ()
        assert math.isnan(scores.matrix("RR")[0, 1])

    def test_a_run_without_any_score_under_a_measure_is_an_error_where_it_is_used(self) -> None:
        frame = pl.DataFrame(
            {"run_id": ["a", "b", "a"], "topic_id": ["1", "1", "1"], "measure": ["MAP", "MAP", "RR"], "score": [0.5, 0.25, 1.0]}
        )
        scores = scores_from(frame)
        assert scores.matrix("MAP").tolist() == [[0.5], [0.25]]
        with pytest.raises(CollectionError, match=r"^expected a score .*, found 1 missing score \(run b: all topics under RR\)"):
            scores.matrix("RR")

    def test_wrong_rows(self, tmp_path: Path) -> None:
        path = file(tmp_path, "run_id,topic_id,measure,score\na,1,MAP,x\n,1,MAP,0.5\nb,1,MAP,0.5\nb,1,MAP,0.25\n")
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert messages(error) == [
            f'{path}:2: topic 1: score: expected a finite number, found "x"; missing_values="x" (--missing-values x) reads it as a missing score',
            f"{path}:3: topic 1: run_id: expected an identifier, found nothing",
        ]
        with pytest.raises(CollectionError) as error:
            scores_from(file(tmp_path, "run_id,topic_id,measure,score\nb,1,MAP,0.5\nb,1,MAP,0.25\n"))
        assert messages(error) == [
            f"{path}: expected one score of each run for each topic, found several; if they are several runs of a system, "
            'number the runs in a column, such as seed, and systems="run_id", columns={"seed": "run_id"} (--systems run_id --columns seed=run_id) '
            "averages the runs of each system",
            f"{path}:3: topic 1: expected one score for run b and topic 1 under MAP, found a second one (the first is on line 2)",
        ]


class TestJoining:
    whole = pl.DataFrame(
        {
            "run_id": ["a", "a", "b", "b"] * 2,
            "topic_id": ["1", "2"] * 4,
            "measure": ["MAP"] * 4 + ["RR"] * 4,
            "score": [0.5, 0.25, 0.125, 1.0, 0.0, 1.0, 0.5, 0.25],
        }
    )

    @given(st.permutations(range(8)), st.integers(1, 7))
    def test_shards_join_to_the_same_scores(self, rows: list[int], cut: int) -> None:
        shuffled = self.whole[rows]
        joined = scores_from([shuffled[:cut], shuffled[cut:]])
        assert joined.fingerprint == scores_from(self.whole).fingerprint

    def test_files_and_folders(self, tmp_path: Path) -> None:
        self.whole[:4].write_csv(tmp_path / "1.csv")
        self.whole[4:].write_parquet(tmp_path / "2.parquet")
        expected = scores_from(self.whole).fingerprint
        assert scores_from(tmp_path).fingerprint == expected
        assert scores_from([tmp_path / "2.parquet", str(tmp_path / "1.csv")]).fingerprint == expected

    def test_files_of_a_folder_without_scores_are_skipped_and_named(self, tmp_path: Path) -> None:
        self.whole.write_csv(tmp_path / "scores.csv")
        readme = file(tmp_path, "# About\n\nThese are scores, of 2 runs.\n", "README.md")
        with pytest.warns(CollectionWarning, match=r"README.md: skipped: expected scores by topic, found none$"):
            scores = scores_from(tmp_path)
        assert scores.fingerprint == scores_from(self.whole).fingerprint
        assert scores.warnings == (f"{readme}: skipped: expected scores by topic, found none",)
        with pytest.raises(CollectionError) as error:
            scores_from(readme)
        assert messages(error) == [f"{readme}: expected a header and rows, found only a header"]

    def test_a_folder_without_scores(self, tmp_path: Path) -> None:
        with pytest.raises(CollectionError, match=rf"^{re.escape(str(tmp_path))}: expected scores by topic, found no file$"):
            scores_from(tmp_path)
        file(tmp_path, "# About\n\nThese are scores.\n", "README.md")
        with pytest.raises(CollectionError, match=r"^expected scores by topic, found 1 file without, such as .*README.md$"):
            scores_from(tmp_path)
        with pytest.raises(CollectionError, match=r"gone.csv: expected a file or folder, found nothing with this name$"):
            scores_from(tmp_path / "gone.csv")

    def test_a_broken_parquet_file(self, tmp_path: Path) -> None:
        (tmp_path / "s.parquet").write_bytes(b"PAR1 and no more")
        with pytest.raises(CollectionError, match=r"s.parquet: expected a readable Parquet file, found: "):
            scores_from(tmp_path / "s.parquet")

    def test_matrices_of_other_runs(self, tmp_path: Path) -> None:
        scores = scores_from([file(tmp_path, "a\n0.5\n1\n", "1.csv"), file(tmp_path, "b\n0.25\n0\n", "2.csv")])
        assert scores.matrices[UNNAMED].tolist() == [[0.5, 1.0], [0.25, 0.0]]

    def test_counted_topics_of_other_numbers_do_not_match(self, tmp_path: Path) -> None:
        with pytest.raises(CollectionError) as error:
            scores_from([file(tmp_path, "a\n0.5\n1\n", "1.csv"), file(tmp_path, "b\n0.25\n", "2.csv")])
        found = f"1 in {tmp_path / '2.csv'} and 2 in {tmp_path / '1.csv'}"
        assert messages(error) == [
            f"expected the same number of topics in all matrices without names of topics, found {found}; add a column headed topic"
        ]

    def test_a_score_in_two_tables(self) -> None:
        with pytest.raises(CollectionError) as error:
            scores_from([self.whole, self.whole[:1]])
        assert messages(error) == [
            "scores 2: row 0: expected one score for run a and topic 1 under MAP, found a second one (the first is in row 0 of scores 1)"
        ]

    def test_topics_that_are_no_texts(self) -> None:
        for topics in (pl.Series([object()], dtype=pl.Object), pl.Series([["1"]]), pl.Series([b"1"])):
            expected = r"text or integers, found a column of type|a string or a number, found '\[\"1\"\]'"
            with pytest.raises(CollectionError, match=rf"^scores: topic: expected ({expected})"):
                scores_from(pl.DataFrame({"topic": topics, "x": [0.5]}))

    def test_something_else(self) -> None:
        with pytest.raises(CollectionError, match=r"^scores: expected a data frame, or rows with named values, found a Python int$"):
            scores_from(3)  # type: ignore[arg-type]  # refused by mypy too
        with pytest.raises(CollectionError, match=r"^expected at least one path or table, found none$"):
            scores_from([])


@pytest.mark.parametrize(("name", "runs"), [("trec5_ap.csv", 61), ("trec6_ap.csv", 74), ("trec7_ap.csv", 103)])
def test_the_trec_matrices(shared: Path, name: str, runs: int) -> None:
    scores = scores_from(shared / name, "MAP")
    assert (len(scores.runs), len(scores.topics)) == (runs, 50)
    lines = (shared / name).read_text().splitlines()
    header = lines[0].split(",")
    # Cell by cell against the file: row n is topic n.
    for number, line in enumerate(lines[1:], start=1):
        column = scores.matrix("MAP")[:, scores.topics.index(str(number))]
        assert dict(zip(scores.runs, column.tolist(), strict=True)) == dict(zip(header, map(float, line.split(",")), strict=True))


@given(
    st.lists(st.lists(st.text(st.sampled_from("ab1. \t\xa0\x1c"), max_size=3), min_size=2, max_size=2), min_size=2, max_size=4),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_tidy_tables_are_what_the_csv_module_reads(rows: list[list[str]], end: str) -> None:
    text = "h1,h2" + end + end.join(",".join(row) for row in rows) + end
    expected = [[cell.strip(WHITE) for cell in row] for row in csv.reader(io.StringIO(text, newline="")) if row]
    assume(any(map(any, expected[1:])))
    for written in (text, text.replace("h1", '"h1"', 1)):  # quotes lead to the module csv
        table = spreadsheets.table_of(written.encode(), "a.csv")
        assert table.frame.columns == expected[0]
        assert [list(row) for row in table.frame.fill_null("").rows()] == list(filter(any, expected[1:]))
        assert table.lines is not None
        assert [text.split("\n")[line - 1].strip("\r") for line in table.lines] == [
            ",".join(row) for row in rows if any(cell.strip(WHITE) for cell in row)
        ]
