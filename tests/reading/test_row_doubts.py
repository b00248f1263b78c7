"""Rows without offsets among rows with offsets, and texts whose lengths contradict their offsets, are counted in every format."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import Collection, CollectionError, CollectionWarning, from_frames, read_assessments, read_runs, run
from inexmetrics.cli import main

Rows = list[dict[str, object]]
GOLD: Rows = [{"topic_id": "q", "doc_id": "d", "start": 20, "end": 60, "docchars": 900}]
BOTH: Rows = [*GOLD, {"topic_id": "q", "doc_id": "e", "start": None, "end": None, "docchars": 500}]
CHUNKS: Rows = [
    {"topic_id": "q", "doc_id": "d", "start": 700, "end": 800, "score": 3.0},
    {"topic_id": "q", "doc_id": "d", "start": None, "end": None, "score": 2.0},
    {"topic_id": "q", "doc_id": "e", "start": None, "end": None, "score": 1.0},
]
CITED: Rows = [{"topic_id": "q", "doc_id": "d", "start": 20, "end": 60}]
COUNTED = "found no offsets in some results of run {}: 2 of 3 results count as whole documents"


def as_csv(rows: Rows, path: Path) -> None:
    pl.DataFrame(rows).write_csv(path)


def as_lines(rows: Rows, path: Path) -> None:
    path.write_text("".join(json.dumps({name: value for name, value in row.items() if value is not None}) + "\n" for row in rows))


def as_parquet(rows: Rows, path: Path) -> None:
    pl.DataFrame(rows).write_parquet(path)


@pytest.mark.parametrize("write", [as_csv, as_lines, as_parquet])
def test_single_results_without_offsets_are_counted(write: Callable[[Rows, Path], None], tmp_path: Path) -> None:
    write(BOTH, tmp_path / "gold")
    write(CHUNKS, tmp_path / "chunks")
    collection = Collection(read_assessments(tmp_path / "gold"), read_runs(tmp_path / "chunks"))
    with pytest.warns(CollectionWarning, match=COUNTED.format("chunks")):
        result = run("scores(char_rec)", collection)
    assert any(COUNTED.format("chunks") in warning for warning in result.warnings)
    confirmed = Collection(read_assessments(tmp_path / "gold"), read_runs(tmp_path / "chunks", whole_documents=True))
    assert run("scores(char_rec)", confirmed).table["mean"].to_list() == [1.0]


def test_in_memory_and_beside_other_runs() -> None:
    runs = {"a": CHUNKS, "b": CHUNKS[:1], "c": [{"topic_id": "q", "doc_id": "d", "score": 1.0}]}
    collection = from_frames(BOTH, {name: pl.DataFrame(rows) for name, rows in runs.items()})
    with pytest.warns(CollectionWarning) as found:
        run("scores(char_rec)", collection)
    texts = [str(warning.message) for warning in found]
    assert any(COUNTED.format("a") in text for text in texts)
    assert any("found no offsets in run c: 1 result counts as a whole document" in text for text in texts)
    with pytest.warns(CollectionWarning) as found:
        run("scores(char_rec)", collection.only(runs=["a", "b"]))
    assert not any("run c" in str(warning.message) for warning in found)
    assert run("scores(char_rec)", collection.only(runs="b")).warnings == ()


def test_unknown_positions_are_not_whole_documents() -> None:
    unknown = [CHUNKS[0], {**CHUNKS[1], "start": -1, "end": -1}]
    with pytest.warns(CollectionWarning, match="1 result has an unknown position, and shows nothing highlighted"):
        result = run("scores(char_rec)", from_frames(GOLD, unknown))
    assert not any("no offsets" in warning for warning in result.warnings)


class TestEvidence:
    def test_documents_without_evidence_are_said(self) -> None:
        gold = [*GOLD, {**GOLD[0], "doc_id": "e", "start": None, "end": None}]
        collection = from_frames(gold)
        assert collection.warnings == ()
        assert collection.read[0].notes == ("1 row without offsets read as judged not relevant",)

    @pytest.mark.parametrize("more", [{"grade": 1}, {"text": "some words"}, {"page_content": "some words"}])
    def test_evidence_without_offsets_is_warned_of(self, more: dict[str, object]) -> None:
        full = {name: value if name == "grade" else "x" * 40 for name, value in more.items()}
        gold = [{**GOLD[0], **full}, {**GOLD[0], "doc_id": "e", "start": None, "end": None, **more}]
        with pytest.warns(CollectionWarning, match=r"^assessments: 1 row has a grade above 0 or a text, but lacks offsets; a row without"):
            from_frames(gold)

    def test_a_grade_of_0_is_no_evidence(self) -> None:
        gold = [{**GOLD[0], "grade": 2}, {**GOLD[0], "doc_id": "e", "start": None, "end": None, "grade": 0}]
        assert from_frames(gold).warnings == ()


class TestTexts:
    @staticmethod
    def chunks(texts: list[str], lengths: list[int], name: str = "text") -> pl.DataFrame:
        count = len(texts)
        return pl.DataFrame(
            {
                "topic_id": ["q"] * count,
                "doc_id": ["d"] * count,
                "start": [100 * number for number in range(count)],
                "length": lengths,
                "score": [float(count - number) for number in range(count)],
                name: texts,
            }
        )

    @pytest.mark.parametrize("name", ["text", "content", "page_content", "contents", "body"])
    def test_tokens(self, name: str, tmp_path: Path) -> None:
        chunks = self.chunks(["one two three four", "five six seven", "eight"], [4, 3, 5], name)
        message = f"the text in column {name} has another length than its offsets in 2 of 3 rows, such as 18 characters for a length of 4"
        with pytest.warns(CollectionWarning, match=rf"{message}; offsets in tokens\?$"):
            from_frames(GOLD, chunks)
        for file, write in (("c.csv", chunks.write_csv), ("c.jsonl", chunks.write_ndjson), ("c.parquet", chunks.write_parquet)):
            write(tmp_path / file)
            with pytest.warns(CollectionWarning, match=message):
                read_runs(tmp_path / file)
        with pytest.warns(CollectionWarning, match=message):
            from_frames(chunks.drop("score"))

    def test_bytes(self) -> None:
        texts = ["Grüße", "plain", "Öl"]
        with pytest.warns(
            CollectionWarning,
            match=r"in 2 of 3 rows, such as 5 characters for a length of 7; offsets in bytes\? count characters of the text$",
        ):
            from_frames(GOLD, self.chunks(texts, [len(text.encode()) for text in texts]))

    @pytest.mark.parametrize(
        ("unit", "called"), [("utf16", "UTF-16 units, as in JavaScript"), ("lines", r"a file with the line ends \r\n")]
    )
    @pytest.mark.parametrize("column", ["length", "end", "start"])
    def test_other_units(self, unit: str, called: str, column: str) -> None:
        def counted(text: str) -> int:
            return len(text.encode("utf-16-le")) // 2 if unit == "utf16" else len(text) + text.count("\n")

        book = "".join(f"Chapter {n * n}: a{' 🐝' * (n % 4)} bee{chr(10) * (n % 3 > 0)} or {n % 7 * 'two '}more. " for n in range(60))
        texts = [book[at : at + 97] for at in range(0, len(book), 97)]
        starts = [counted(book[:at]) for at in range(0, len(book), 97)]
        rows = self.chunks(texts, [*map(counted, texts)]).with_columns(start=pl.Series(starts))
        rows = rows.with_columns(end=pl.col("start") + pl.col("length")).drop({"length", "end"} - {column})
        message = rf"offsets in {re.escape(called)}\? count characters of the text"
        with pytest.warns(CollectionWarning, match=message):
            from_frames(CITED, rows)
        with pytest.warns(CollectionWarning, match=message):
            from_frames(rows.drop("score"))
        right = rows.with_columns(start=pl.Series(range(0, len(book), 97))).drop("length", "end", strict=False)
        assert from_frames(CITED, right).warnings == ()
        assert from_frames(CITED, right.with_columns(length=pl.col("text").str.len_chars())).warnings == ()

    @pytest.mark.parametrize(("by", "found"), [(3, True), (30, True), (0, False), (-2, False), (-30, True)])
    def test_texts_longer_and_shorter_than_their_passages(self, by: int, found: bool) -> None:
        rows = self.chunks(["y" * (150 + by + number % 2) for number in range(7)], [151] * 7)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = [str(warning) for warning in from_frames(CITED, rows).warnings]
        assert bool(told) is found
        assert not found or ("in 7 of 7 rows, such as" in told[0] and told[0].endswith("; offsets in another version of the text?"))

    @pytest.mark.parametrize(
        "change",
        [
            str.strip,
            lambda text: " ".join(text.split()),
            lambda text: "\n".join(map(str.strip, text.split("\n"))),
            lambda text: f"{text[:25]}…",
            lambda text: f"{text[:20]} [...] {text[-20:]}",
            lambda text: f"...{text.strip()}...",
        ],
    )
    @pytest.mark.parametrize("column", ["length", "end"])
    def test_texts_without_white_space_or_parts_are_no_doubt(self, change: Callable[[str], str], column: str) -> None:
        texts = [f"  Zeile {n}:  ein 🐝 Gruß,{n % 4 * ' und noch'} einer\n   und die {n * n}. Wiese \n" for n in range(25)]
        rows = self.chunks([*map(change, texts)], [*map(len, texts)]).with_columns(end=pl.col("start") + pl.col("length"))
        assert from_frames(CITED, rows.drop({"length", "end"} - {column})).warnings == ()

    def test_characters_and_stripped_blanks_are_no_doubt(self) -> None:
        texts = ["Grüße aus der Ferne", "a text without its last blank", "short"]
        assert from_frames(GOLD, self.chunks(texts, [len(text) for text in texts])).warnings == ()
        assert from_frames(GOLD, self.chunks(texts, [len(text) + 1 for text in texts])).warnings == ()

    def test_a_few_rows_are_no_doubt(self) -> None:
        texts = ["x" * 50] * 5
        assert from_frames(GOLD, self.chunks(texts, [50, 50, 50, 3, 3])).warnings == ()

    @pytest.mark.parametrize("name", ["quote", "quotation", "excerpt", "text", "content"])
    def test_evidence_under_each_heading(self, name: str) -> None:
        quotes = ["nine words", "of evidence were cited", "here"]
        gold = self.chunks(quotes, [2, 4, 1], name).drop("score")
        with pytest.warns(CollectionWarning, match=rf"the text in column {name} has another length than its offsets in 3 of 3 rows"):
            from_frames(gold)
        assert from_frames(gold.with_columns(length=pl.col(name).str.len_chars())).warnings == ()

    def test_a_quotation_beside_the_text_of_its_document(self) -> None:
        gold = self.chunks(["cited"], [5], "quote").drop("score").with_columns(content=pl.lit("a long document " * 20))
        assert from_frames(gold).warnings == ()

    @pytest.mark.parametrize("role", ["evidence", "results"])
    def test_inclusive_ends(self, role: str) -> None:
        texts = ["first cited words", "second words", "the third ones ", "four"]
        rows = self.chunks(texts, [len(text) - 1 for text in texts]).with_columns(end=pl.col("start") + pl.col("length")).drop("length")
        message = r"in 4 of 4 rows, such as 17 characters for a length of 16; end is exclusive: if .*, add 1 to each end$"
        with pytest.warns(CollectionWarning, match=message):
            from_frames(rows.drop("score")) if role == "evidence" else from_frames(GOLD, rows)
        exclusive = rows.with_columns(end=pl.col("end") + 1)
        assert from_frames(exclusive.drop("score")).warnings == from_frames(GOLD, exclusive).warnings == ()
        stripped = exclusive.with_columns(end=pl.col("end") + 1)  # the blank after each text is not in the text
        assert from_frames(stripped.drop("score")).warnings == ()


BOOK = "".join(
    f"Line {number} of the café's menu: soup, tea & cake, n°{number * number}.{chr(10) if number % 3 else '  '}" for number in range(90)
)


class TestTextsOfNeighbours:
    """Two passages of a document that share characters have the same text there."""

    @staticmethod
    def windows(size: int = 120, step: int = 90, document: str = "menu.pdf") -> Rows:
        starts = range(0, len(BOOK) - size, step)
        return [
            {
                "qid": "q0",
                "docno": document,
                "start_index": start,
                "page_content": BOOK[start : start + size],
                "page": start // 800,
            }
            for start in starts
        ]

    @staticmethod
    def changed(rows: Rows, **changes: Callable[[str, int], object]) -> Rows:
        """Returns the rows with new values, which depend on the text and the start."""
        return [
            {**row, **{name: change(str(row["page_content"]), int(str(row["start_index"]))) for name, change in changes.items()}}
            for row in rows
        ]

    def found(self, rows: Rows) -> str:
        with pytest.warns(CollectionWarning) as found:
            from_frames([{"qid": "q0", "docno": "menu.pdf", "start": 3, "end": 40}], rows, order="file")
        [text] = [str(each.message) for each in found if "the same text" in str(each.message)]
        return text

    def silent(self, rows: Rows) -> bool:
        return from_frames([{"qid": "q0", "docno": "menu.pdf", "start": 3, "end": 40}], rows, order="file").warnings == ()

    def test_offsets_within_pages(self) -> None:
        text = self.found(self.changed(self.windows(), start_index=lambda _, start: start % 800))
        assert "expected passages with the same text at the same characters, found others in 53 of 53 passages, such as " in text
        assert "if offsets are counted within a page or a part (page), its number is needed in doc_id, such as a.pdf#3," in text

    def test_pages_as_documents_are_no_doubt(self) -> None:
        rows = self.changed(self.windows(), start_index=lambda _, start: start % 800, docno=lambda _, start: f"menu.pdf#{start // 800}")
        gold = [{"qid": "q0", "docno": "menu.pdf#0", "start": 3, "end": 40}]
        assert from_frames(gold, rows, order="file").warnings == ()

    def test_offsets_in_bytes(self) -> None:
        assert self.found(self.changed(self.windows(), start_index=lambda _, start: len(BOOK[:start].encode()))).endswith(
            "; offsets in bytes? count characters of the text"
        )

    def test_offsets_in_tokens(self) -> None:
        assert "in tokens or bytes" in self.found(self.changed(self.windows(size=200), start_index=lambda _, start: start // 5))

    def test_passages_without_shared_characters_are_no_doubt(self) -> None:
        assert self.silent(self.windows(size=80, step=80))

    def test_white_space_is_no_doubt(self) -> None:
        assert self.silent(self.windows())
        assert self.silent([*self.windows(), *self.windows(size=75, step=70)[1:]])
        changes: list[Callable[[str], str]] = [
            str.strip,
            str.lstrip,
            lambda text: " ".join(text.split()),
            lambda text: text.replace("\n", " "),
        ]
        for change in changes:
            assert self.silent([{**row, "page_content": change(str(row["page_content"]))} for row in self.windows()])

    def test_one_contradiction_is_counted(self) -> None:
        rows = self.windows()
        rows[5] = {**rows[5], "page_content": str(rows[5]["page_content"]).replace("soup", "fish")}
        assert "found others in 2 of 53 passages, such as " in self.found(rows)

    def test_files_and_large_tables(self, tmp_path: Path) -> None:
        rows = self.changed(self.windows(step=2), start_index=lambda _, start: start % 700)
        many = [{**row, "docno": f"m{number}"} for number in range(8) for row in rows]
        (tmp_path / "chunks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in many))
        with pytest.warns(CollectionWarning) as found:
            read_runs(tmp_path / "chunks.jsonl", order="file")
        assert any(re.search(r"found others in \d+ of \d+ passages in the first 10000 rows, such as", str(each.message)) for each in found)

    def test_evidence(self) -> None:
        gold: Rows = [
            {"qid": "a", "docno": "d", "start": 5, "quote": "some evidence", "end": 18},
            {"qid": "b", "docno": "d", "start": 5, "quote": "another piece", "end": 18},
        ]
        with pytest.warns(CollectionWarning, match=r"others in 2 of 2 passages, such as 'some evidence' and 'another piece' from 5 of d"):
            from_frames(gold)


class TestLengthsOfTexts:
    """LangChain states the start and the text of a chunk, and neither its end nor its length."""

    chunks: Rows = [  # noqa: RUF012
        {"qid": "q", "metadata": {"source": "d", "start_index": 20}, "page_content": "Grüße an alle, die dies lesen und ruhen"},
        {"qid": "q", "metadata": {"source": "d", "start_index": -1}, "page_content": "not found"},
    ]
    columns = {"metadata.source": "doc_id", "metadata.start_index": "start"}  # noqa: RUF012

    @pytest.mark.parametrize("write", [as_lines, as_parquet])
    def test_in_files(self, write: Callable[[Rows, Path], None], tmp_path: Path) -> None:
        write(self.chunks, tmp_path / "chunks")
        found = read_runs(tmp_path / "chunks", columns=self.columns, order="file")
        assert found.results.select("doc_id", "start", "length").rows() == [("d", 20, 39), ("d", -1, 9)]
        assert dict(found.read[0].columns)["length"] == "the length of page_content"

    def test_in_memory_and_in_csv(self, tmp_path: Path) -> None:
        flat = pl.DataFrame({"qid": ["q"], "docno": ["d"], "start_index": [3], "text": ["words"], "score": [1.0]})
        collection = from_frames(GOLD, flat)
        assert collection.runs is not None
        assert collection.runs.results["length"].to_list() == [5]
        flat.write_csv(tmp_path / "c.csv")
        assert read_runs(tmp_path / "c.csv").results["length"].to_list() == [5]

    def test_evidence(self) -> None:
        gold = pl.DataFrame({"qid": ["q", "q"], "docno": ["d", "e"], "start": [3, None], "text": ["words", None]})
        judged = from_frames(gold).assessments.passages
        assert judged is not None
        assert judged.rows() == [("q", "d", 3, 5)]

    nested: Rows = [  # noqa: RUF012
        {
            "frage": "q",
            "found": [{"meta": {"file": "d", "from": 40 * n}, "body_of": f" part {'no ' * n}", "score": 9.5 - n} for n in range(3)],
        }
    ]
    paths = {"frage": "topic_id", "found.meta.file": "doc_id", "found.meta.from": "start", "found.score": "score"}  # noqa: RUF012

    @pytest.mark.parametrize("home", ["memory", "file"])
    @pytest.mark.parametrize("role", ["runs", "assessments"])
    def test_a_stated_text_in_a_list_of_records(self, home: str, role: str, tmp_path: Path) -> None:
        as_lines(self.nested, tmp_path / "n.jsonl")
        stated = {**self.paths, "found.body_of": "text"}
        if role == "runs":
            runs = (
                from_frames(GOLD, self.nested, columns=stated).runs if home == "memory" else read_runs(tmp_path / "n.jsonl", columns=stated)
            )
            assert runs is not None
            found, [layout] = runs.results.select("start", "length").rows(), runs.read
        else:
            stated.pop("found.score")
            judged = (
                from_frames(self.nested, columns=stated).assessments
                if home == "memory"
                else read_assessments(tmp_path / "n.jsonl", columns=stated)
            )
            assert judged.passages is not None
            found, [layout] = judged.passages.select("start", "length").rows(), judged.read
        assert found == [(0, 6), (40, 9), (80, 12)]
        assert dict(layout.columns)["text"] == "found.body_of"

    def test_the_option_that_an_error_recommends(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rows = [{**row, "found": [{**one, "content": one["body_of"]} for one in row["found"]]} for row in self.nested]  # type: ignore[attr-defined]
        as_lines(rows, tmp_path / "n.jsonl")
        gold = tmp_path / "gold.csv"
        as_csv(CITED, gold)
        command = ["scores(char_rec)", "--assessments", str(gold), "--runs", str(tmp_path / "n.jsonl"), "--columns"]
        command += [f"{theirs}={ours}" for theirs, ours in self.paths.items()]
        assert main(command) == 1
        way = re.search(r"\(--columns ([^ )]+)\) reads the length of the text", capsys.readouterr().err)
        assert way is not None
        assert main([*command, way[1], "--format", "json"]) == 0

    def test_white_space_of_a_stated_text_counts(self, tmp_path: Path) -> None:
        pl.DataFrame({"qid": ["q"], "docno": ["d"], "start": [3], "passage": ["  five "]}).write_csv(tmp_path / "c.csv")
        assert read_runs(tmp_path / "c.csv", columns={"passage": "text"}).results["length"].to_list() == [7]
        pl.DataFrame({"qid": ["q"], "docno": ["d"], "start": [3], "text": ["five"]}).write_parquet(tmp_path / "c.parquet")
        assert read_runs(tmp_path / "c.parquet", columns={"text": "text"}).results["length"].to_list() == [4]

    def test_a_start_without_a_text_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="expected a column named length, end or text in addition to start"):
            from_frames(pl.DataFrame({"qid": ["q"], "docno": ["d"], "start": [3]}))


@pytest.mark.parametrize("column", ["start", "begin", "end", "length"])
@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("others", [(), (12,), (None, 31)])
def test_truth_values_are_no_offsets(column: str, value: bool, others: tuple[int | None, ...], tmp_path: Path) -> None:
    offsets = {"start": 4, "end": 40} if column == "end" else {"start": 4, "length": 9}
    offsets = {column if name == "start" and column == "begin" else name: each for name, each in offsets.items()}
    rows: Rows = [{"qid": "q", "docno": f"d{n}", **offsets, column: each} for n, each in enumerate((value, *others))]
    as_lines(rows, tmp_path / "r.jsonl")
    for read in (lambda: from_frames(rows), lambda: from_frames(GOLD, rows), lambda: read_runs(tmp_path / "r.jsonl")):
        with pytest.raises(CollectionError, match=rf"{column}: expected .*, found (true and false|\"?{value})"):
            read()
