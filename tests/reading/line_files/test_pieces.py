"""A large file that is read in pieces gives the same runs, warnings and errors as the same file read as a whole."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import CollectionError, Runs, read_runs
from inexmetrics.reading import result_tables, table_files
from inexmetrics.reading import run_files as pieces
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.line_files.run_lines import read_run_lines
from inexmetrics.reading.parts import Part
from inexmetrics.reading.recognise import Source, sources
from tests.profiles import up_to

PLAIN = "".join(f"{topic} Q0 d{(7 * topic + rank) % 50} {rank} {9 - rank / 8} r\n" for topic in (9, 10, 2, 1) for rank in range(1, 30))
SHORT = "".join(line for line in PLAIN.splitlines(keepends=True) if int(line.split()[3]) < 8)
FILES = {
    "plain": SHORT,
    "without a last line end": SHORT.rstrip(),
    "ties": "".join(f"{topic} Q0 d{rank} {rank} {rank // 3} r\n" for topic in "213" for rank in range(9)),
    "topics that come again": SHORT + "9 Q0 again 1 3 r\n",
    "topics in turn": "".join(f"{rank % 3} Q0 d{rank} {rank} {-rank} r\n" for rank in range(24)),
    "ties in turn": "".join(f"{rank % 4} Q0 d{rank * 7 % 24} {rank} {-(rank // 9)} r\n" for rank in range(24)),
    "ranks in turn that contradict scores": "".join(f"{rank % 3} Q0 d{rank} {rank} {rank % 5 / 4} r\n" for rank in range(24)),
    "finer scores in turn": "".join(f"{rank % 3} Q0 d{rank} {rank} {rank / 2 ** (rank // 8)} r\n" for rank in range(24)),
    "offsets in turn": "".join(f"{rank % 3} Q0 d{rank % 4} {rank} 1 r {rank * 10} 5\n" for rank in range(24)),
    "passages repeated in turn": "".join(f"{rank % 3} Q0 d{rank % 4} {rank} 1 r 10 5\n" for rank in range(24)),
    "paths in turn": "".join(f"{rank % 3} Q0 d {rank} 1 r /a[1]/s[{rank + 1}]\n" for rank in range(24)),
    "one topic": "".join(f"1 Q0 d{rank} {rank} {-rank} r\n" for rank in range(24)),
    "one result for each topic": "".join(f"{topic} Q0 d 1 1 r\n" for topic in range(24)),
    "finer scores at the end": SHORT + "3 Q0 a 1 0.000123 r\n3 Q0 b 2 0.1 r\n",
    "large scores": SHORT + "3 Q0 a 1 1e17 r\n3 Q0 b 2 2.5e17 r\n",
    "large ranks": SHORT + "3 Q0 a 100000 2 r\n",
    "comments": f"# by hand\n{SHORT}# and again\n3 Q0 a 1 2 r\n",
    "blank lines": f"{SHORT}\n\n3 Q0  a\t1 2 r\n\n",
    "marks": f"\ufeff{SHORT}\ufeff3 Q0 a 1 2 r\n",
    "offsets": "".join(f"{topic} Q0 d{rank % 4} {rank} 1 r {rank * 10} 5\n" for topic in "312" for rank in range(9)),
    "repeated passages": "".join(f"{topic} Q0 d{rank % 4} {rank} 1 r 10 5\n" for topic in "312" for rank in range(9)),
    "paths": "".join(f"{topic} Q0 d {rank} 1 r /a[1]/s[{rank + 1}]\n" for topic in "312" for rank in range(9)),
}
WRONG = {
    "a short line": PLAIN + "3 Q0 a 1 2\n4 Q0 a 1 2 r\n",
    "no number": PLAIN + "3 Q0 a 1 high r\n" + PLAIN.replace(" r\n", " s\n"),
    "another run": PLAIN + "3 Q0 a 1 2 s\n4 Q0 a 1 2 r\n",
    "a result twice": PLAIN + "3 Q0 a 1 2 r\n3 Q0 a 2 1 r\n",
    "scores that a float rounds": PLAIN + "3 Q0 a 1 9007199254740993 r\n3 Q0 b 2 9007199254740992 r\n",
    "no text": PLAIN + "3 Q0 \0 1 2 r\n",
}


def read(file: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Runs, list[str]]:
    monkeypatch.setattr(pieces, "PIECE", size)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return read_runs(file), [str(warning.message) for warning in caught]


@pytest.mark.parametrize(("packed", "sizes"), [(False, (1, 40, 200)), (True, (40,))])
@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_pieces_are_read_like_the_whole(
    text: str, packed: bool, sizes: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "r.run"
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    expected, told = read(file, 1 << 23, monkeypatch)
    for size in sizes:
        found, warned = read(file, size, monkeypatch)
        assert found.results.equals(expected.results, null_equal=True)
        assert (found.orders, found.files, found.warnings, found.read) == (
            expected.orders,
            expected.files,
            expected.warnings,
            expected.read,
        )
        assert (found.decimals, found.packed["rank"].dtype, warned) == (expected.decimals, expected.packed["rank"].dtype, told)


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_problems_keep_their_lines(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "r.run"
    file.write_text(text)
    told = set()
    for size in (1 << 23, 40, 333):
        with pytest.raises(CollectionError) as raised:
            read(file, size, monkeypatch)
        told.add(str(raised.value))
    assert len(told) == 1


COLUMNS = ["topic_id", "q", "doc_id", "rank", "score", "run_id", "start", "length"]
AS_TABLES = {
    name: text
    for name, text in (FILES | WRONG).items()
    if name not in ("comments", "blank lines", "marks", "a short line", "paths", "paths in turn")
}


@pytest.mark.parametrize("kind", [pl.String(), pl.Categorical()], ids=["text", "categories"])
@pytest.mark.parametrize("text", AS_TABLES.values(), ids=AS_TABLES)
def test_parts_of_tables_are_read_like_the_whole(text: str, kind: pl.DataType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run in Parquet is read a few topics at a time; a table of several runs, or with a problem, is read as a whole."""
    lines = [line.split() for line in text.splitlines()]
    table = pl.DataFrame(lines, schema=COLUMNS[: len(lines[0])], orient="row").drop("q").cast({"doc_id": kind, "rank": pl.Int64})
    table = table if "high" in text or "993" in text else table.cast({"score": pl.Float64})
    file = tmp_path / "r.parquet"
    table.with_columns(pl.col(name).cast(pl.Int64) for name in COLUMNS[6:] if name in table.columns).write_parquet(file)
    monkeypatch.setattr(pieces, "PIECE", 10)

    def answer() -> tuple[object, ...]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                runs = read_runs(file)
            except CollectionError as error:
                return (str(error),)
        rows = runs.results.with_columns(pl.col("run_id", "topic_id", "doc_id").cast(pl.String)).rows()
        return rows, runs.orders, runs.files, runs.warnings, runs.read, runs.decimals, [str(warning.message) for warning in caught]

    expected = answer()
    monkeypatch.setattr(result_tables, "LARGE", 5)
    monkeypatch.setattr(result_tables, "WHOLE", 5)
    for size in (1, 10, 40):
        monkeypatch.setattr(result_tables, "PIECE", size)
        assert answer() == expected


def test_a_large_table_of_one_run_is_never_in_memory_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, heights = tmp_path / "r.parquet", []
    rows = [(str(topic), f"d{rank}", -rank) for topic in range(20) for rank in range(10)]
    pl.DataFrame(rows, schema=["topic_id", "doc_id", "score"], orient="row").write_parquet(file)
    read = table_files.ParquetTable.read

    def counted(table: table_files.ParquetTable, query: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        found = read(table, query)
        heights.append(found.height)
        return found

    monkeypatch.setattr(table_files.ParquetTable, "read", counted)
    monkeypatch.setattr(pieces, "PIECE", 10)
    monkeypatch.setattr(result_tables, "LARGE", 50)
    monkeypatch.setattr(result_tables, "PIECE", 30)
    assert len(read_runs(file).results) == 200
    assert max(heights) == 30


def test_a_damaged_file_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "r.run.gz"
    file.write_bytes(gzip.compress(PLAIN.encode())[:-9])
    with pytest.raises(CollectionError, match=r"expected a readable file, found: [^;\n]*$"):
        read(file, 30, monkeypatch)


def test_large_files_keep_their_place_among_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "c"):
        (tmp_path / f"{name}.run").write_text(f"1 Q0 d1 1 2 {name}\n")
    (tmp_path / "b.run").write_text(PLAIN)
    expected, _ = read(tmp_path, 1 << 23, monkeypatch)
    found, _ = read(tmp_path, 300, monkeypatch)
    assert found.results.equals(expected.results)
    with ThreadPoolExecutor(2) as pool:
        assert read_runs(tmp_path, executor=pool).results.equals(expected.results)


def test_each_piece_is_short_and_holds_whole_topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 1000)
    file = tmp_path / "r.run"
    file.write_text(PLAIN)
    (source,) = sources(file, "runs", Findings())
    parts = list(pieces.divided(source))
    assert len(parts) > 2
    texts = [part.content().decode() for part in parts]
    assert "".join(texts) == PLAIN
    topics = [{line.split()[0] for line in text.splitlines()} for text in texts]
    assert sum(map(len, topics)) == len(set().union(*topics))
    assert [part.before for part in parts] == [PLAIN[: PLAIN.index(text)].count("\n") for text in texts]


ROW = st.tuples(st.sampled_from("123"), st.sampled_from("abcdefgh"), st.integers(-3, 3))


@given(rows=st.lists(ROW, min_size=1, max_size=30, unique_by=lambda row: row[:2]), size=st.integers(1, 200), group=st.booleans())
@up_to(60)
def test_the_size_of_the_pieces_changes_nothing(
    rows: list[tuple[str, str, int]], size: int, group: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("pieces") / "r.run"
    rows = sorted(rows, key=lambda row: row[0]) if group else rows
    file.write_text("".join(f"{topic} Q0 {name} {rank} {score} r\n" for rank, (topic, name, score) in enumerate(rows)))
    with pytest.MonkeyPatch.context() as monkeypatch:
        whole, pieced = read(file, 1 << 23, monkeypatch), read(file, size, monkeypatch)
    assert pieced[0].results.equals(whole[0].results)
    assert pieced[1] == whole[1]


def test_a_file_with_topics_in_turn_is_never_read_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "r.run"
    file.write_text("".join(f"{rank % 3} Q0 d{rank} {rank} {-(rank // 4)} r\n" for rank in range(600)))
    expected, told = read(file, 1 << 23, monkeypatch)
    taken = []

    def counted(source: Source) -> Part:
        taken.append(source.part)
        return read_run_lines(source)

    monkeypatch.setattr("inexmetrics.reading.run_files.read_run_lines", counted)
    found, warned = read(file, 400, monkeypatch)
    assert (found.results.equals(expected.results), warned) == (True, told)
    assert len(taken) > 10
    assert None not in taken


def test_a_result_repeated_in_another_piece_is_named_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "r.run"
    file.write_text("".join(f"{rank % 3} Q0 d{rank % 150} {rank} {-rank} r\n" for rank in range(152)))
    with pytest.raises(CollectionError) as raised:
        read(file, 400, monkeypatch)
    assert [problem.line for problem in raised.value.problems] == [151, 152]


def test_the_results_of_many_large_runs_are_not_copied_to_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abcd":  # the topics of PLAIN are in no order
        (tmp_path / f"{name}.run").write_text(PLAIN.replace(" r\n", f" {name}\n"))
    found, _ = read(tmp_path, 300, monkeypatch)
    assert found.results.equals(read(tmp_path, 1 << 23, monkeypatch)[0].results)
    chunks = {found.packed[column].n_chunks() for column in ("document", "rank", "score")}
    assert len(chunks) == 1
    assert chunks.pop() >= 4
