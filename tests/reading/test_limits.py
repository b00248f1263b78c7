"""Files made to exhaust memory or time give one clear error; large real files are read."""

from __future__ import annotations

import gzip
import re
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, from_frames, read_assessments, read_links, read_runs, read_structure, run, scores_from
from inexmetrics.reading.files import content
from inexmetrics.reading.findings import SMALL, check_lines

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_what_unpacks_to_many_times_its_size_is_refused(
    pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.qrels"
    held = b"1 0 d1 1\n" * (SMALL // 9 + 1)
    path.write_bytes(pack(held))
    size = path.stat().st_size
    begun = time.process_time()
    with pytest.raises(CollectionError) as caught:
        read_assessments(path)
    expected = f"expected a file that unpacks to at most 100 times the file's size, which is {size} bytes, found more"
    assert str(caught.value) == f"{path}: {expected}; INEXMETRICS_MAX_RATIO sets another limit"
    assert time.process_time() - begun < 2
    monkeypatch.setenv("INEXMETRICS_MAX_RATIO", "1000000")
    assert content(path) == held
    monkeypatch.setenv("INEXMETRICS_MAX_UNPACKED", str(len(held) - 1))
    with pytest.raises(
        CollectionError, match=f"expected a file that unpacks to at most {len(held) - 1} bytes, found more; INEXMETRICS_MAX_UNPACKED"
    ):
        content(path)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_usual_files_unpack_whole(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    held = b"".join(b"%d Q0 d%d %d %d.5 r\n" % (row % 50, row, row, -row) for row in range(100_000))
    (tmp_path / "a.run").write_bytes(pack(held) + pack(b"51 Q0 d 1 1 r\n"))  # of several parts, as they come of >>
    assert content(tmp_path / "a.run") == held + b"51 Q0 d 1 1 r\n"


def test_lines_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INEXMETRICS_MAX_LINE", "100")
    fol = "1 Q0 a 0 100\n1 Q0 d 6 100 0 " + " ".join(f"{start}:1" for start in range(0, 30, 5)) + "\n"
    (tmp_path / "good.qrels").write_text(fol)
    assert read_assessments(tmp_path / "good.qrels").topics == ("1",)
    (tmp_path / "long.qrels").write_text(fol + "1 Q0 e 50 100 0 " + " ".join(f"{start}:1" for start in range(50)) + "\n")
    message = "expected lines of at most 100 bytes, found a longer one; INEXMETRICS_MAX_LINE sets another limit"
    with pytest.raises(CollectionError) as caught:
        read_assessments(tmp_path / "long.qrels")
    assert str(caught.value) == f"{tmp_path / 'long.qrels'}:3: {message}"
    (tmp_path / "wide.csv").write_text("topic," + ",".join(f"run{number}" for number in range(50)) + "\n")
    for read in (scores_from, read_links):
        with pytest.raises(CollectionError) as caught:
            read(tmp_path / "wide.csv")
        assert str(caught.value) == f"{tmp_path / 'wide.csv'}:1: {message}"


@pytest.mark.parametrize(
    ("held", "line"),
    [(b"", None), (b"12345\n12345", None), (b"123456", 1), (b"1\n\n123456\n1", 3), (b"12345\n" * 50 + b"123456", 51), (b"\n" * 100, None)],
)
def test_the_longest_line_is_found(held: bytes, line: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INEXMETRICS_MAX_LINE", "5")
    assert max(map(len, held.split(b"\n"))) > 5 or line is None
    if line is None:
        check_lines(held, "a")
    else:
        with pytest.raises(CollectionError, match=f"^a:{line}: "):
            check_lines(held, "a")


def test_equal_rows_end_in_few_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INEXMETRICS_MAX_ERRORS", "1000")
    path = tmp_path / "a.qrels"
    path.write_text("1 0 d1 1\n" * 1001)
    with pytest.raises(CollectionError) as caught:
        read_assessments(path)
    assert len(caught.value.problems) == 1000
    path.write_text("1 0 d1 1\n" * 1002)
    with pytest.raises(CollectionError) as caught:
        read_assessments(path, strict=False)
    first, second = caught.value.problems[:2]
    assert str(first) == f"{path}:1002: expected at most 1000 wrong rows, found more; INEXMETRICS_MAX_ERRORS sets another limit"
    assert second.message == "expected one grade for topic 1, document d1, found a second one (the first is on line 1)"


@pytest.mark.parametrize(
    ("row", "expected"),
    [("1 0 d1 1\n", "one grade for topic 1, document d1"), ("1 0 d1 -inf\n", "a finite number")],
    ids=["equal", "wrong"],
)
def test_errors_of_equal_rows_are_not_written_out(row: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INEXMETRICS_MAX_ERRORS", "10")
    path = tmp_path / "a.qrels"
    path.write_text(row * 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(CollectionError, match="expected at most 10 wrong rows, found more") as caught:
            read_assessments(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(caught.value.problems) == 11
    assert expected in caught.value.problems[1].message
    assert peak < 64e6  # python's objects and numpy's arrays; the errors of all rows would take 500 MB


@pytest.mark.parametrize(("row", "read"), [(b"1 0 d1 1\n", read_assessments), (b"1 Q0 d1 1 1.0 r\n", read_runs)], ids=["qrels", "run"])
@pytest.mark.parametrize("level", [1, 9])
def test_millions_of_equal_rows_are_not_unpacked(level: int, row: bytes, read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "rows.gz"
    with gzip.open(path, "wb", level) as file:
        for _ in range(100):
            file.write(row * 50_000)
    tracemalloc.start()
    try:
        with pytest.raises(CollectionError, match="expected a file that unpacks to at most 100 times the file's size"):
            read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < max(SMALL, 100 * path.stat().st_size) + (8 << 20)  # what may be unpacked, and the pieces that it is unpacked in


@pytest.mark.parametrize("read", [read_links, scores_from])
def test_tables_of_equal_rows_end_in_few_errors(read: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INEXMETRICS_MAX_ERRORS", "10")
    path = tmp_path / "a.csv"
    head, row = ("doc_id,to_doc_id\n", "a,b\n") if read is read_links else ("topic,r,s\n", "1,0.5,0.25\n")
    path.write_text(head + row * 100)
    with pytest.raises(CollectionError, match="expected at most 10 wrong rows, found more"):
        read(path)


PLACES = pl.DataFrame({"doc_id": ["a", "a", "b"], "path": ["/a[1]", "/a[1]/b[1]", "/a[1]"], "start": [0, 1, 0], "length": [9, 3, 5]})
LINKS = pl.DataFrame({"doc_id": ["a", "b"], "to_doc_id": ["b", "a"], "probability": [1.0, 0.5]})
SCORES = pl.DataFrame({"topic": ["1", "2"], "r": [0.5, 0.25], "s": [0.5, 0.75]})


TABLES = pytest.mark.parametrize(
    ("read", "frame"), [(read_structure, PLACES), (read_links, LINKS), (scores_from, SCORES)], ids=["structure", "links", "scores"]
)


@TABLES
def test_cut_parquet_is_refused_by_name(read: Callable[[Path], object], frame: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "cut.parquet"
    frame.write_parquet(path)
    held = path.read_bytes()
    for size in range(5, len(held), 31):
        path.write_bytes(held[:size])
        with pytest.raises(CollectionError, match=rf"^{re.escape(str(path))}: expected a readable Parquet file, found: '"):
            read(path)


@TABLES
def test_a_panic_of_the_parquet_reader_is_an_error(
    read: Callable[[Path], object], frame: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some damaged files make polars panic, which is not an Exception; which files do so differs between versions."""
    path = tmp_path / "damaged.parquet"
    frame.write_parquet(path)

    def panicking(*_: object, **__: object) -> pl.DataFrame:
        raise pl.exceptions.PanicException("index out of bounds\nand more")

    assert not issubclass(pl.exceptions.PanicException, Exception)
    monkeypatch.setattr(pl, "scan_parquet", panicking)
    with pytest.raises(CollectionError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: expected a readable Parquet file, found: 'index out of bounds'"


def test_interruptions_pass_the_reader_of_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    LINKS.write_parquet(tmp_path / "links.parquet")
    for leaving in (KeyboardInterrupt, SystemExit):

        def interrupted(*_: object, leaving: type[BaseException] = leaving) -> pl.LazyFrame:
            raise leaving

        monkeypatch.setattr(pl, "scan_parquet", interrupted)
        with pytest.raises(leaving):
            read_links(tmp_path / "links.parquet")


def test_a_small_parquet_file_stands_for_no_enormous_table(tmp_path: Path) -> None:
    path = tmp_path / "links.parquet"
    pl.select(pl.repeat("a", 3_000_000).alias("doc_id"), pl.repeat("b", 3_000_000).alias("to_doc_id")).write_parquet(path)
    assert path.stat().st_size < 100_000
    with pytest.raises(CollectionError, match=r"links.parquet: expected a table that unpacks to at most 100 times the file's size"):
        read_links(path)


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_a_small_parquet_file_stands_for_no_enormous_texts(dtype: type[pl.DataType], tmp_path: Path) -> None:
    path = tmp_path / "links.parquet"
    rows, long = 20_000, "a" * 10_000
    pl.select(pl.repeat(long, rows).cast(dtype).alias("doc_id"), pl.int_range(rows).cast(pl.String).alias("to_doc_id")).write_parquet(path)
    assert path.stat().st_size < 200_000
    with pytest.raises(CollectionError, match=r"links.parquet: expected a table that unpacks to at most 100 times the file's size"):
        read_links(path)


def test_lists_in_parquet_are_not_unpacked(tmp_path: Path) -> None:
    LINKS.with_columns(more=pl.lit([0] * 1000)).write_parquet(tmp_path / "links.parquet")
    assert read_links(tmp_path / "links.parquet").select(LINKS.columns).equals(LINKS)


def test_digits_are_those_of_ascii(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("903 Q0 d1 3 100 0 0:3\n903 Q0 d2 3 100 0 \N{ARABIC-INDIC DIGIT THREE}:3\n")
    with pytest.raises(CollectionError) as caught:
        read_assessments(tmp_path / "a.qrels")
    assert [(problem.line, problem.message) for problem in caught.value.problems] == [
        (2, "expected passages as offset:length, found '\N{ARABIC-INDIC DIGIT THREE}:3'")
    ]
    (tmp_path / "a.run").write_text("1 Q0 d1 \N{ARABIC-INDIC DIGIT ONE} 1.0 r\n")
    with pytest.raises(CollectionError, match='rank: expected an integer, found "\N{ARABIC-INDIC DIGIT ONE}"'):
        read_runs(tmp_path / "a.run")


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="names of files are text there")
def test_a_name_that_is_no_utf8_is_shown_escaped(tmp_path: Path) -> None:
    odd = Path(str(tmp_path / "bad\udcffname.run"))
    odd.write_text("1 Q0 d1 1 2.0 r\n1 Q0 d2 2 1.0 r\n")
    runs = read_runs([odd])
    assert runs.run_ids == ("r",)
    assert runs.files == {"r": f"{tmp_path}/bad\\xffname.run"}
    odd.write_text("1 Q0 d1 1 x r\n1 Q0 d2 2 1.0 r\n1 Q0 d2 2 1.0 r\n")
    with pytest.raises(CollectionError) as caught:
        read_runs(tmp_path)
    assert str(caught.value.problems[0]).startswith(f"{tmp_path}/bad\\xffname.run:1: topic 1: score: expected a finite number")
    (tmp_path / "bad\udcffname.run").write_text("<a><b>x</b></a>")
    assert read_structure(tmp_path).elements["doc_id"].unique().to_list() == ["bad\\xffname.run"]
    (tmp_path / "bad\udcffname.run").write_text("topic,r,s\n1,0.5,inf\n")
    with pytest.raises(CollectionError, match=r"bad\\xffname.run:2: "):
        scores_from(odd)


@pytest.mark.parametrize("space", ["\v", "\f"])
@pytest.mark.parametrize("elsewhere", [" ", "  "])
def test_all_white_space_divides_in_every_file(space: str, elsewhere: str, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(f"1 Q0 d{space}1 1 2.0 r\n1 Q0{elsewhere}d2 2 1.0 r\n", newline="")
    with pytest.raises(CollectionError, match=r"a.run:1: topic 1: expected 6 columns .*, found 7"):
        read_runs(tmp_path / "a.run")


def test_a_root_element_that_comes_late_is_no_missing_one(tmp_path: Path) -> None:
    (tmp_path / "late.xml").write_text("<!-- " + "x" * 70_000 + " --><a>one</a>")
    with pytest.raises(CollectionError, match="found XML whose root element does not start within its first 65536 bytes"):
        read_structure(tmp_path / "late.xml")


def test_errors_across_tables_name_one(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("run_id,topic_id,measure,score\na,1,MAP,0.5\na,1,RR,0.5\n")
    (tmp_path / "b.csv").write_text("run_id,topic_id,measure,score\nb,1,RR,0.5\n")
    with pytest.raises(CollectionError) as caught:
        scores_from([tmp_path / "a.csv", tmp_path / "b.csv"]).matrix("MAP")
    assert str(caught.value).startswith(f"{tmp_path / 'b.csv'}: expected a score for every run on every topic, found 1 missing score")


@pytest.mark.parametrize("size", ["1e301", "-1.7e308"])
def test_no_sum_of_grades_overflows(size: str, tmp_path: Path) -> None:
    """Earlier, nDCG was 0 for a run with two of three documents of the grade 1e308."""
    (tmp_path / "a.qrels").write_text(f"1 0 a 1\n1 0 b {size}\n")
    expected = "expected a grade of at most 1e300 in absolute value, found"
    with pytest.raises(CollectionError, match=rf"a\.qrels:2: topic 1: grade: {expected}"):
        read_assessments(tmp_path / "a.qrels")
    with pytest.raises(CollectionError, match=rf"^assessments: row 1: grade: {expected}"):
        from_frames({"1": {"a": 1.0, "b": float(size)}}, {"r": {"1": {"a": 1.0}}})
    large = from_frames({"1": dict.fromkeys("abc", 1e300)}, {"r": {"1": {"b": 2.0, "a": 1.0}}})
    small = from_frames({"1": dict.fromkeys("abc", 1.0)}, {"r": {"1": {"b": 2.0, "a": 1.0}}})
    found, expected_score = (run("scores(nDCG)", collection).tables["per_topic"]["score"].item() for collection in (large, small))
    assert found == pytest.approx(expected_score)
