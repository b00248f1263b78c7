"""Mixed valid and invalid rows of run files and FOL qrels: the accepted rows are those that a slow reader of single lines accepts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from inexmetrics import CollectionError, CollectionWarning, read_assessments, read_runs
from inexmetrics.reading.formats import Format
from inexmetrics.reading.recognise import recognised
from tests.profiles import up_to
from tests.reference.files import Row, fol_row, judgement, stretch, submitted, without_repeats, xpath_row

COLUMNS = ("topic_id", "doc_id", "path", "start", "length", "rank", "score")
fuzzed = up_to(35, suppress=[HealthCheck.function_scoped_fixture])


def quietly(read: Callable[[], object]) -> object:
    """Returns the data that a reader returns; None if it rejects the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        try:
            return read()
        except CollectionError:
            return None


def results(file: Path, *, strict: bool, ends: bool = False) -> list[Row] | None:
    """Returns the results of a file, in the order read; None if the file is rejected."""
    runs = quietly(lambda: read_runs(file, strict=strict, order="file", end_offsets=ends))
    return None if runs is None else runs.results.with_columns(pl.col("topic_id").cast(pl.String)).select(COLUMNS).rows()  # type: ignore[attr-defined]  # it is Runs


def check_lines(file: Path, lines: list[list[str]], read: Callable[[Sequence[str]], Row | None], *, ends: bool = False) -> None:
    """Compares the results of a run file with those of the slow reader of its lines."""
    accepted = [read(words) for words in lines]
    rows = [row for row in accepted if row is not None]
    expected = sorted(without_repeats(rows), key=lambda row: str(row[0]))  # by topic; a topic's rows as they stand
    assert (results(file, strict=False, ends=ends) or []) == expected
    sound = len(rows) == len(lines) and len(expected) == len(rows)
    assert results(file, strict=True, ends=ends) == (expected if sound else None)


def mostly(right: list[str], wrong: list[str]) -> st.SearchStrategy[str]:
    """Returns mostly valid words, and some invalid words."""
    return st.integers(0, 11).flatmap(lambda die: st.sampled_from(wrong if die == 11 else right))


HEAD = [
    st.sampled_from(["1", "2", "10"]),
    st.just("Q0"),
    st.sampled_from(["a", "b", "c"]),
    mostly(["1", "2", "+3"], ["1.5", "x"]),
    mostly(["1", "2.5", "-1e-5"], ["nan", "inf", "1e999", "y"]),
    st.just("r"),
]
OFFSETS = mostly(["0", "7", "35336", "-1", "X", "9007199254740992"], ["-2", "12x", "9007199254740993"])
PATHS = mostly(["/a[1]", "/a[1]/p[2]", "/a[1]/p[1]/text()[1].5", "X", "-1"], ["a[1]"])
SPACES = st.sampled_from([" ", "\t", "  "])


def lines_with(places: st.SearchStrategy[str]) -> st.SearchStrategy[list[list[str]]]:
    """Returns lines of runs with one or two positions, some with a missing or an additional word."""
    columns = st.tuples(*HEAD).map(list)
    ends = st.lists(places, min_size=1, max_size=2) | st.lists(places, min_size=2, max_size=2) | st.lists(places, max_size=3)
    return st.lists(st.tuples(columns, ends).map(lambda parts: [*parts[0], *parts[1]]), min_size=1, max_size=8)


def file_of(folder: Path, lines: list[list[str]], space: str) -> Path:
    (folder / "file").write_text("".join(f"{space.join(words)}\n" for words in lines))
    return folder / "file"


@pytest.mark.parametrize("ends", [False, True])
@fuzzed
@given(lines_with(OFFSETS), SPACES)
def test_fol_runs(tmp_path: Path, ends: bool, lines: list[list[str]], space: str) -> None:
    file = file_of(tmp_path, lines, space)
    assume(recognised(file) is Format.FOL_RUN)
    check_lines(file, lines, lambda words: fol_row(words, ends=ends), ends=ends)


@fuzzed
@given(lines_with(PATHS), SPACES)
def test_xpath_runs(tmp_path: Path, lines: list[list[str]], space: str) -> None:
    file = file_of(tmp_path, lines, space)
    assume(recognised(file) is Format.XPATH_RUN)
    check_lines(file, lines, xpath_row)


PASSAGES = mostly(["0:5", "5:5", "20:3", "7:0", "3:4", "30:9"], ["5-5", "x:1", "-1:3"])


@st.composite
def judged_lines(draw: st.DrawFn) -> list[str]:
    """Returns a line of FOL qrels, whose number of highlighted characters mostly equals that of its passages."""
    passages = draw(st.lists(PASSAGES, max_size=3))
    total = sum(passage[1] for passage in map(stretch, passages) if passage is not None)
    relchars = draw(mostly([str(total)], ["0", "99", "-1", "x"]))
    line = [draw(st.sampled_from(["1", "2"])), "Q0", draw(st.sampled_from("abcdef")), relchars, draw(mostly(["50"], ["12", "y"]))]
    has_entry = draw(st.booleans())
    return [*line, draw(mostly(["5", "-1", "0"], ["-2", "b"])), *passages] if passages or has_entry else line


@fuzzed
@given(st.lists(judged_lines(), min_size=1, max_size=8), SPACES)
def test_fol_qrels(tmp_path: Path, lines: list[list[str]], space: str) -> None:
    file = file_of(tmp_path, lines, space)
    assume(recognised(file) is Format.FOL_QRELS)
    told = [judgement(words) for words in lines]
    documents: dict[Row, Row] = {}
    passages: list[Row] = []
    for found in told:
        if found is not None and found[0][:2] not in documents:
            documents[found[0][:2]] = found[0]
            passages += found[1]
    judged = quietly(lambda: read_assessments(file, strict=False))
    if not documents:
        assert judged is None
    else:
        assert judged.documents.rows() == list(documents.values())  # type: ignore[attr-defined]  # they are Assessments
        assert judged.passages.rows() == passages  # type: ignore[attr-defined]
    sound = len(documents) == len(lines)
    assert (quietly(lambda: read_assessments(file)) is not None) == sound


@pytest.mark.parametrize("space", ["\v", "\f"])
def test_white_space_of_any_kind_divides_columns(tmp_path: Path, space: str) -> None:
    """As in trec_eval, also at the start of a line."""
    (tmp_path / "file").write_text(f"{space}1 0 a 2\n1 0 b 0\n")
    assert read_assessments(tmp_path / "file").topics == ("1",)


# ------------------------------------------------------------------------------------------------ submissions

FILES = st.sampled_from(["<file>a</file>", "<file> b&amp;c </file>", "<file/>", "", "<file>a</file><file>b</file>"])
WHERE = st.sampled_from(
    [
        "<path>/a[1]</path>",
        "<path>/a[1]/p[2]</path>",
        "<path>a[1]</path>",
        '<fol offset="3" length="5"/>',
        '<fol offset="-3" length="5"/>',
        '<fol offset="3"/>',
        '<passage start="/a[1]/text()[1].2" end="/a[1]/text()[1].9"/>',
        '<passage start="/a[1]" end="/a[1]"/>',
        '<passage start="/a[1]"/>',
        "",
        '<path>/a[1]</path><fol offset="3" length="5"/>',
    ]
)
RANKS = st.sampled_from(["", "<rank>1</rank>", "<rank>0</rank>", "<rank>one</rank>", "<rank/>"])
VALUES = st.sampled_from(["", "<rsv>0.5</rsv>", "<rsv> 2 </rsv>", "<rsv>nan</rsv>", "<rsv>high</rsv>"])
RESULTS = st.builds(lambda *parts: f"<result>{''.join(parts)}</result>\n", FILES, WHERE, RANKS, VALUES)


@fuzzed
@given(
    st.lists(
        st.tuples(st.sampled_from(["1", "2", "10"]), st.lists(RESULTS, max_size=4)), min_size=1, max_size=3, unique_by=lambda told: told[0]
    )
)
def test_submissions(tmp_path: Path, topics: list[tuple[str, list[str]]]) -> None:
    written = "".join(f'<topic topic-id="{topic}">\n{"".join(inside)}</topic>\n' for topic, inside in topics)
    text = f'<?xml version="1.0"?>\n<inex-submission run-id="r" task="Focused">\n{written}</inex-submission>'
    (tmp_path / "file").write_text(text)
    elements = [(topic.get("topic-id", ""), result) for topic in ElementTree.fromstring(text) for result in topic]
    told = [submitted(result, topic) for topic, result in elements]
    rows = [row for row in told if row is not None]
    expected = sorted(without_repeats(rows), key=lambda row: str(row[0]))
    assert (results(tmp_path / "file", strict=False) or []) == expected
    if elements:
        sound = len(expected) == len(elements)
        assert results(tmp_path / "file", strict=True) == (expected if sound else None)
