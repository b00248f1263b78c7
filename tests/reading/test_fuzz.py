"""Damaged files: an error of the data or the right numbers, never a traceback and never other numbers."""

from __future__ import annotations

import gzip
import math
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inexmetrics.collection import Assessments, Runs
from inexmetrics.common.errors import CollectionError, CollectionWarning
from inexmetrics.reading.assessments import read_assessments
from inexmetrics.reading.check import check
from inexmetrics.reading.run_files import read_runs
from inexmetrics.reading.structures import read_structure

RUN = "".join(f"{topic} Q0 doc{rank} {rank} {3 - rank / 2} bm25\n" for topic in (1, 2) for rank in (1, 2, 3))
FOL_RUN = "1 Q0 a 1 9.5 fol 0 12\n1 Q0 a 2 8.5 fol 40 2\n2 Q0 b 1 7.5 fol 3 3\n"
XPATH_RUN = "1 Q0 a 1 9.5 x /a[1]/p[2]\n1 Q0 b 2 8.5 x /a[1]\n2 Q0 b 1 7.5 x /a[1]/p[1] /a[1]/p[3]\n"
QRELS = "1 0 a 2\n1 0 b 0\n2 0 a 1\n2 0 c 0.5\n"
FOL_QRELS = "1 Q0 a 12 99 5 5:9 20:3\n1 Q0 b 0 50\n2 Q0 a 7 99 0 0:7\n"
SUBMISSION = (
    '<?xml version="1.0" encoding="ISO-8859-1"?>\n<inex-submission run-id="s" task="CO"><topic topic-id="1">'
    "<result><file>a</file><path>/a[1]/p[2]</path><rank>1</rank><rsv>2.5</rsv></result>\n"
    '<result><file>b</file><fol offset="3" length="5"/><rsv>1.5</rsv></result></topic></inex-submission>\n'
)
INEX2004 = "<assessments topic='1'><file file='a'>\n<path path='/a[1]' exhaustiveness='2' specificity='3'/>\n<path path='/a[1]/b[1]'/></file></assessments>"
INEX2005 = '<assessments topic="1" version="2"><file name="a">\n<element path="/a[1]" exhaustivity="?" size="90" rsize="30"/></file><file name="b"/></assessments>'
STRUCTURE = "doc_id\tpath\tstart\tlength\na\t/a[1]\t0\t9\na\t/a[1]/b[1]\t3\t5\n"
DOCUMENT = '<!DOCTYPE a [<!ENTITY e "text">]><a>one<b>&amp;&e;<![CDATA[<]]></b><b/></a>'

edits = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 3),
        st.one_of(
            st.binary(max_size=3),
            st.sampled_from([b" ", b"\t", b"\n", b"\r\n", b"\0", b"nan", b"-", b"1e999", b"<", b"&", b'"', b":", b"9" * 20, b"\xff"]),
        ),
    ),
    min_size=1,
    max_size=4,
)
fuzzed = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


def damaged(text: str, changes: list[tuple[float, int, bytes]]) -> bytes:
    content = text.encode()
    for place, removed, put in changes:
        start = int(place * (len(content) + 1))
        content = content[:start] + put + content[start + removed :]
    return content


def quietly(read: Callable[[Path], object], path: Path) -> object:
    """What a reader returns, or None if it refuses the file; any other error is a failure."""
    with warnings.catch_warnings(), suppress(CollectionError):
        warnings.simplefilter("ignore", CollectionWarning)
        return read(path)
    return None


@pytest.mark.parametrize(
    "text", [RUN, FOL_RUN, XPATH_RUN, QRELS, FOL_QRELS, SUBMISSION, INEX2004, INEX2005, STRUCTURE, DOCUMENT], ids=lambda text: text[:12]
)
@fuzzed
@given(edits)
def test_no_damage_breaks_a_reader(tmp_path: Path, text: str, changes: list[tuple[float, int, bytes]]) -> None:
    path = tmp_path / "file"
    for content in (damaged(text, changes), damaged(gzip.compress(text.encode(), mtime=0).decode("latin-1"), changes)):
        path.write_bytes(content)
        for reader in (read_runs, read_assessments, read_structure):
            quietly(reader, path)
            quietly(lambda file, reader=reader: reader(file, strict=False), path)  # type: ignore[misc]  # bound at once
        check(path, path, path)


def words(content: bytes) -> list[list[str]]:
    """The words of every line that has any, as trec_eval divides them."""
    lines = [line.split() for line in content.decode().removeprefix("\ufeff").encode().split(b"\n")]
    return [[word.decode() for word in line] for line in lines if line]


@fuzzed
@given(edits)
def test_a_run_that_is_read_is_what_is_written(tmp_path: Path, changes: list[tuple[float, int, bytes]]) -> None:
    path = tmp_path / "file"
    path.write_bytes(damaged(RUN, changes))
    runs = quietly(read_runs, path)
    assume(isinstance(runs, Runs) and runs.orders and set(runs.orders.values()) == {"score"})
    assert isinstance(runs, Runs)
    read = runs.results.select(pl.col("topic_id").cast(pl.String), "doc_id", "rank", "score").rows()
    lines = words(path.read_bytes())
    assert all(len(line) == 6 for line in lines)
    assert sorted(read) == sorted((line[0], line[2], int(line[3]), float(line[4])) for line in lines)
    assert len({line[5] for line in lines}) == 1
    assert all(math.isfinite(row[3]) for row in read)


@fuzzed
@given(edits)
def test_qrels_that_are_read_are_what_is_written(tmp_path: Path, changes: list[tuple[float, int, bytes]]) -> None:
    path = tmp_path / "file"
    path.write_bytes(damaged(QRELS, changes))
    judged = quietly(read_assessments, path)
    assume(isinstance(judged, Assessments))
    assert isinstance(judged, Assessments)
    held = judged.grades if judged.assessors is None else judged.assessors
    assert held is not None
    lines = words(path.read_bytes())
    assert all(len(line) == 4 for line in lines)
    assert held.select("topic_id", "doc_id", "grade").rows() == [(line[0], line[2], float(line[3])) for line in lines]


@fuzzed
@given(edits)
def test_passages_that_are_read_are_what_is_written(tmp_path: Path, changes: list[tuple[float, int, bytes]]) -> None:
    path = tmp_path / "file"
    path.write_bytes(damaged(FOL_QRELS, changes))
    judged = quietly(read_assessments, path)
    assume(isinstance(judged, Assessments) and judged.documents is not None)
    assert isinstance(judged, Assessments)
    assert judged.documents is not None
    assert judged.passages is not None
    lines = words(path.read_bytes())
    assert judged.documents.select("topic_id", "doc_id", "relchars", "docchars").rows() == [
        (line[0], line[2], int(line[3]), int(line[4])) for line in lines
    ]
    passages = [(line[0], line[2], *(int(number) for number in word.split(":"))) for line in lines for word in line[6:]]
    assert judged.passages.rows() == passages
