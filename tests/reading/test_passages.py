"""Definition of passages in frames and files; merging of passages that overlap or touch."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Assessments, CollectionError, CollectionWarning, from_frames, read_assessments, run
from inexmetrics.cli import main
from inexmetrics.cli.check import check
from inexmetrics.reading.judgement_tables import merged, overlapping

nan = float("nan")


class Span(NamedTuple):
    query_id: str
    doc_id: str
    start: float | None = None
    length: float | None = None
    end: float | None = None


def messages(error: pytest.ExceptionInfo[CollectionError]) -> list[str]:
    return [str(problem) for problem in error.value.problems]


WRONG = [
    ({"start": [0, None], "end": [50, 544]}, "start: expected an integer in every row that has an end, found nothing"),
    ({"start": [0, None], "length": [50, 544]}, "start: expected an integer in every row that has a length, found nothing"),
    ({"start": [0, None], "length": [50, 0]}, "start: expected an integer in every row that has a length, found nothing"),
    ({"start": [0, 10], "length": [50, None]}, "length: expected an integer in every row that has a start, found nothing"),
    ({"start": [0, 10], "length": [50, 30], "end": [50, 41]}, "end: expected the sum of start and length, found 41"),
    ({"start": [0, 10], "end": [50, 9]}, "end: expected a passage that ends after its start, found 9"),
]


@pytest.mark.parametrize(("columns", "message"), WRONG)
class TestWhatMakesAPassage:
    def test_in_polars(self, columns: Mapping[str, Sequence[int | None]], message: str) -> None:
        with pytest.raises(CollectionError) as error:
            from_frames(pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["b", "a"], **columns}))
        assert messages(error) == [f"assessments: row 1: {message}"]

    def test_in_pandas(self, columns: Mapping[str, Sequence[int | None]], message: str) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"query_id": ["1", "1"], "doc_id": ["b", "a"], **columns})
        with pytest.raises(CollectionError) as error:
            from_frames(frame)
        assert messages(error) == [f"assessments: row 1: {message}"]

    def test_in_dictionaries_and_named_tuples(self, columns: Mapping[str, Sequence[int | None]], message: str) -> None:
        rows = [
            {
                "query_id": "1",
                "doc_id": "ba"[row],
                **{name: nan if values[row] is None else values[row] for name, values in columns.items()},
            }
            for row in (0, 1)
        ]
        with pytest.raises(CollectionError) as error:
            from_frames(rows)
        assert messages(error) == [f"assessments: row 1: {message}"]
        spans = [Span("1", "ba"[row], **{name: values[row] for name, values in columns.items()}) for row in (0, 1)]
        with pytest.raises(CollectionError) as error:
            from_frames(spans)
        assert messages(error) == [f"assessments: row 1: {message}"]

    def test_of_runs(self, columns: Mapping[str, Sequence[int | None]], message: str) -> None:
        with pytest.raises(CollectionError) as error:
            from_frames({"1": {"a": 1}}, pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["b", "a"], **columns}))
        assert messages(error) == [f"runs: row 1: {message}"]

    def test_of_which_nothing_is_left_where_not_strict(self, columns: Mapping[str, Sequence[int | None]], message: str) -> None:
        with pytest.warns(match=f"^dropped: assessments: row 1: {message}$"):
            judged = from_frames(pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["b", "a"], **columns}), strict=False).assessments
        assert judged.documents is not None
        assert judged.documents["doc_id"].to_list() == ["b"], "it does not become a document that is not relevant"


@pytest.mark.parametrize("column", ["end", "length"])
def test_a_column_of_starts_is_needed(column: str) -> None:
    table = pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], column: [5]})
    with pytest.raises(CollectionError, match=r"^assessments: expected a column named start or offset, found query_id, doc_id"):
        from_frames(table)
    with pytest.raises(CollectionError, match=r"^runs: expected a column named start or offset, found query_id, doc_id"):
        from_frames({"1": {"a": 1}}, table)


def test_an_end_and_a_length_that_agree() -> None:
    table = pl.DataFrame(
        {
            "query_id": "1",
            "doc_id": ["a", "b", "c", "d"],
            "start": [5, 0, 1, None],
            "length": [10, None, 4, None],
            "end": [15, 7, None, None],
        }
    )
    judged = from_frames(table).assessments
    assert judged.passages is not None
    assert judged.documents is not None
    assert judged.passages.rows() == [("1", "a", 5, 10), ("1", "b", 0, 7), ("1", "c", 1, 4)]
    assert judged.documents.select("doc_id", "relchars").rows() == [("a", 10), ("b", 7), ("c", 4), ("d", 0)]


@pytest.mark.parametrize("extent", [{"length": [-1]}, {"end": [-1]}, {"length": [-1], "end": [-1]}])
def test_a_place_that_is_not_known(extent: Mapping[str, list[int]]) -> None:
    runs = from_frames({"1": {"a": 1}}, pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "start": [-1], **extent})).runs
    assert runs is not None
    assert runs.results.select("start", "length").rows() == [(-1, -1)]
    with pytest.raises(CollectionError, match=r"^runs: row 0: end: expected -1 in every row with the start -1 \(.*\), found 7$"):
        from_frames({"1": {"a": 1}}, pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "start": [-1], "end": [7]}))


@pytest.mark.parametrize("stated", [{"length": 90}, {"text": "x" * 90}, {"length": 90, "end": -1}])
def test_a_known_length_at_an_unknown_place_counts(stated: Mapping[str, object]) -> None:
    lost = {"topic_id": "1", "doc_id": "a", "start": -1, **stated}
    found = (
        {**lost, "start": 20} | ({"length": 30} if "length" in stated else {"text": "x" * 30}) | ({"end": 50} if "end" in stated else {})
    )
    collection = from_frames([{"topic_id": "1", "doc_id": "a", "start": 20, "length": 30, "docchars": 400}], [lost, found])
    every = "char_prec + char_rec(budget=100, repeated='counts') + char_rec(budget=100) + iP@0.5 + gP(beta=0)@1 + gP(score='t2i', tolerance=15)@1"
    with pytest.warns(CollectionWarning, match="1 result has an unknown position, and shows nothing highlighted"):
        means = run(f"scores({every})".replace("'", '"'), collection).table["mean"]
    # The chunk at 20 to 49 is evidence. A budget of 100 shows 10 of its characters; tolerance to irrelevance does not end before it.
    assert means.to_list() == pytest.approx([30 / 120, 10 / 30, 10 / 30, 30 / 120, 30 / 120, 30 / 45])


def test_texts_at_unknown_places_without_a_text() -> None:
    rows = [{"topic_id": "1", "doc_id": name, "start": -1, "text": text} for name, text in (("a", None), ("b", "words"))]
    runs = from_frames({"1": {"a": 1}}, rows).runs
    assert runs is not None
    assert runs.results["length"].to_list() == [-1, 5]


spans = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(0, 12)), max_size=12)


@given(spans)
def test_merged_passages_are_the_same_characters_once(written: list[tuple[str, int, int]]) -> None:
    table = pl.DataFrame(written, schema={"doc_id": pl.String, "start": pl.Int64, "length": pl.Int64}, orient="row")
    made = merged(table, ["doc_id"])
    for name in "ab":
        characters = {at for doc_id, start, length in written if doc_id == name for at in range(start, start + length)}
        of_document = made.filter(pl.col("doc_id") == name)
        assert of_document["start"].is_sorted()
        ends = [start + length for _, start, length in of_document.rows()]
        assert all(end < start for end, start in zip(ends, of_document["start"].to_list()[1:], strict=False)), "none touches the next"
        assert {at for _, start, length in of_document.rows() for at in range(start, start + length)} == characters
        assert of_document["length"].sum() == len(characters)
    assert merged(made, ["doc_id"]).equals(made)
    assert overlapping(made, ["doc_id"]).is_empty()


ROWS = [(0, 50), (40, 50), (90, 10), (150, 5), (150, 5), (140, 30)]
"""0-100 as three passages that overlap and touch, and 140-170 as three passages, one of them repeated."""


def passages(judged: Assessments) -> list[tuple[object, ...]]:
    assert judged.passages is not None
    return judged.passages.rows()


def test_merged_in_frames() -> None:
    table = pl.DataFrame(
        {"query_id": "1", "doc_id": "a", "start": [start for start, _ in ROWS], "length": [length for _, length in ROWS], "bep": 7}
    ).with_columns(docchars=pl.lit(200))
    with pytest.raises(CollectionError) as error:
        from_frames(table)
    assert messages(error) == [
        "assessments: row 1: expected passages that do not overlap, found a passage from 40 after a passage to 50; "
        "merge_passages=True (--merge-passages) merges overlapping passages",
        "assessments: row 3: expected passages that do not overlap, found a passage from 150 after a passage to 170; "
        "merge_passages=True (--merge-passages) merges overlapping passages",
        "assessments: row 4: expected one passage for topic 1, document a, start 150, length 5, found a second one (the first is in row 3 of assessments); "
        "merge_passages=True (--merge-passages) merges overlapping passages",
    ]
    judged = from_frames(table, merge_passages=True).assessments
    assert passages(judged) == [("1", "a", 0, 100), ("1", "a", 140, 30)]
    assert judged.documents is not None
    assert judged.documents.rows() == [("1", "a", 130, 200, 7)]


def test_merged_passages_and_what_is_written_of_them() -> None:
    table = pl.DataFrame({"query_id": "1", "doc_id": "a", "start": [0, 40], "length": [50, 50]})
    for relchars in (90, 100):
        judged = from_frames(table.with_columns(relchars=pl.lit(relchars)), merge_passages=True).assessments
        assert judged.documents is not None
        assert judged.documents["relchars"].to_list() == [90]
    with pytest.raises(CollectionError, match=r"relchars: expected the sum of the passages' lengths \(100\), found 80"):
        from_frames(table.with_columns(relchars=pl.lit(80)), merge_passages=True)
    assert from_frames(table.with_columns(docchars=pl.lit(90)), merge_passages=True).kinds == ("passages",)
    with pytest.raises(CollectionError, match="at most 89 highlighted characters, the length of the document, found 90"):
        from_frames(table.with_columns(docchars=pl.lit(89)), merge_passages=True)


def test_touching_passages_stay_as_they_are_unless_merged() -> None:
    table = pl.DataFrame({"query_id": "1", "doc_id": "a", "start": [0, 40], "end": [40, 50]})
    assert len(passages(from_frames(table).assessments)) == 2
    assert passages(from_frames(table, merge_passages=True).assessments) == [("1", "a", 0, 50)]


@pytest.mark.parametrize("relchars", [90, 100])
def test_merged_in_qrels(tmp_path: Path, relchars: int) -> None:
    file = tmp_path / "fol.qrels"
    file.write_text(f"1 Q0 a {relchars} 200 7 0:50 40:50\n1 Q0 b 0 90\n2 Q0 a 3 200 -1 5:3\n")
    assert [str(problem) for problem in check(file).problems][:1] == [
        f"{file}:1: topic 1: expected passages that do not overlap, found a passage from 40 after a passage to 50; "
        "merge_passages=True (--merge-passages) merges overlapping passages"
    ]
    assert check(file, merge_passages=True).problems == ()
    judged = read_assessments(file, merge_passages=True)
    assert passages(judged) == [("1", "a", 0, 90), ("2", "a", 5, 3)]
    assert judged.documents is not None
    assert judged.documents.rows() == [("1", "a", 90, 200, 7), ("1", "b", 0, 90, None), ("2", "a", 3, 200, None)]


def test_merged_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fol.qrels").write_text("1 Q0 a 100 200 7 0:50 40:50\n")
    (tmp_path / "fol.run").write_text("1 Q0 a 1 1.0 r 0 45\n")
    command = ["scores(char_rec)", "--assessments", str(tmp_path / "fol.qrels"), "--runs", str(tmp_path / "fol.run"), "--format", "csv"]
    assert main(command) == 1
    assert "merge_passages=True (--merge-passages) merges overlapping passages" in capsys.readouterr().err
    assert main([*command, "--merge-passages"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split(",")[4] == "0.5"
    assert main(["check", *command[1:5]]) == 1
    assert main(["check", *command[1:5], "--merge-passages"]) == 0


def test_a_dictionary_of_columns() -> None:
    columns: dict[str, list[str | int | None]] = {"query_id": ["1", "1"], "doc_id": ["a", "b"], "start": [0, None], "end": [50, None]}
    chunks: dict[str, list[str | int]] = {"query_id": ["1"], "doc_id": ["a"], "start": [10], "end": [20]}
    collection = from_frames(columns, chunks)
    same = from_frames(pl.DataFrame(columns), pl.DataFrame(chunks))
    assert collection.fingerprint == same.fingerprint
    assert from_frames({"x": columns}).assessments.assessor_names == ("x",)
    runs = from_frames(columns, {"bm25": chunks, "lm": pl.DataFrame(chunks)}).runs
    assert runs is not None
    assert runs.run_ids == ("bm25", "lm")
    series = {name: pl.Series(values) for name, values in chunks.items()}
    assert from_frames(columns, series).fingerprint == same.fingerprint
    with pytest.raises(
        CollectionError, match=r"^assessments: expected the same number of values in each column, found 2 in query_id, 1 in doc_id$"
    ):
        from_frames({"query_id": ["1", "2"], "doc_id": ["a"]})
    with pytest.raises(CollectionError, match=r"^assessments: expected a column named topic_id.*, found doc_id, start, end$"):
        from_frames({"doc_id": ["a"], "start": [0], "end": [5]})


SENTENCES = (
    "Der Fuß über dem Ästchen",
    "plain words",
    "Größe und Maß",
    "ein Öl",
    "Übermaß",
    "noch ein Satz",
    "die Blüte",
    "Tür an Tür, süß",
)


@pytest.mark.parametrize("between", ["", " ", "\n\n"])
@pytest.mark.parametrize("unit", ["characters", "bytes"])
@pytest.mark.parametrize("lengths", [False, True])
def test_starts_in_bytes(between: str, unit: str, lengths: bool) -> None:
    rows, start = [], 0
    for place, text in enumerate(SENTENCES * 2):
        row = {"query_id": "1", "doc_id": "buch", "start": start, "text": f"{text} {place}", "score": 100.0 - place}
        rows.append(row | ({"length": len(f"{text} {place}")} if lengths else {}))
        written = f"{text} {place}{between}"
        start += len(written if unit == "characters" else written.encode())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from_frames(pl.DataFrame({"topic_id": ["1"], "doc_id": ["buch"], "start": [0], "length": [9]}), rows)
    told = [str(warning.message) for warning in caught if "bytes" in str(warning.message)]
    if unit == "characters":
        assert told == []
    else:
        (text,) = told
        assert "of 11 passages fit the texts in column text in another unit, and not in characters; offsets in bytes?" in text


def test_starts_of_passages_that_are_not_next_to_each_other() -> None:
    rows = [
        {"query_id": "1", "doc_id": "ab"[place % 2], "start": 60 * place + 7 * (place % 5), "text": text, "score": 9.0 - place}
        for place, text in enumerate(SENTENCES)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_frames(pl.DataFrame({"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [9, 9]}), rows)
