"""Writes runs: one file per run, as FOL, TREC or XPath lines or as an INEX submission; or one Parquet file for all runs."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import GIVEN_RUNS, ORDERS, Runs
from inexmetrics.collection.structure import GIVEN_STRUCTURE, UNKNOWN, UNRESOLVED, Structure, extents
from inexmetrics.common.arrays import in_ranges
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings
from inexmetrics.common.files import COMPRESSED, UNCOMPRESSED, write_files
from inexmetrics.common.messages import and_more, describe, plural
from inexmetrics.common.options import RunFormat
from inexmetrics.terms.parameter_types import PATH, Choice, Optional, argument

__all__ = ["FORMATS", "RunFormat", "contents_of", "files_of", "format_of", "write_runs"]

OneRunFormat: TypeAlias = Literal["fol", "trec", "xpath", "inex"]
"""Formats in which a file contains a single run."""
FORMATS: Final = get_args(RunFormat)
CALLED: Final[dict[OneRunFormat, str]] = {"fol": "a FOL run", "trec": "a TREC run", "xpath": "an XPath run", "inex": "an INEX submission"}
PLACES: Final[dict[OneRunFormat, str]] = {
    "fol": "an offset and a length",
    "trec": "no place in a document",
    "xpath": "a path",
    "inex": "a path, or an offset and a length",
}
"""For each format, the kind of position within the document that every result must have."""
ENDINGS: Final[dict[OneRunFormat, str]] = {"fol": "fol", "trec": "run", "xpath": "xpath", "inex": "xml"}
PARQUET: Final = ".parquet"
"""Extension of Parquet files."""

WHITE: Final = r"[ \x00\t\r\n\x0b\x0c]|^$"
"""Matches names that cannot be written in a line because they are empty or contain NUL or white space, which separates columns."""
RANGE: Final = r"[\x00\t\r\n\x0b\x0c]|^$| .* | $"
"""Matches paths that cannot be written in a run file: they are empty, end in a space, or contain several spaces, NUL or other white space.
A path may contain one space, which separates the two paths of a range."""
OTHERWISE: Final = r"^[<{\x{feff}]"
"""Matches line beginnings that would cause readers to treat the file as XML or JSON."""
UNWRITABLE: Final = r"[\x00-\x1f\x{fffe}\x{ffff}]|^\s|\s$|^$"
"""Matches names that cannot be written in XML, because they contain characters that XML forbids or changes."""
LIST: Final = ("run_id", "topic_id", "doc_id")
EXTENT: Final = (*LIST, "start", "length")
PACKED: Final = frozenset({"path", "start", "length", "rank", "score"})
"""Columns that a Parquet file omits if they do not contain any value."""
ALL: Final = ""
"""Dictionary key of the single file, for formats that write all runs to one file."""
SHOWN: Final = 3
"""Maximum number of results that are named in an error message."""


def write_runs(runs: Runs, path: str | os.PathLike[str], format: RunFormat | None = None, structure: Structure | None = None) -> None:  # noqa: A002
    r"""Writes each run to its own file, from which `read_runs` reads the same results.

    * ``"fol"`` writes eight columns: TREC's six columns, followed by the offset and the length of each result. The offsets of elements and
      whole documents are read from the structure, unless the results already have offsets.
    * ``"xpath"`` writes TREC's six columns and the path of each result, or two paths for a range. A passage or a whole document is written
      as the element in the structure with the same offset and length, or as the outermost of several such elements. If several results of a
      topic have the same offset and length, each result is written as a different element.
    * ``"inex"`` writes an INEX submission, in which a result has a path, a range of paths, or an offset and a length.
    * ``"trec"`` writes TREC's six columns, for results that are whole documents. Because readers sort TREC runs by score, a
      `CollectionWarning` reports the number of results that are not in score order.
    * ``"parquet"`` writes all runs to one file, with every column of their results and the order of each run. Reading Parquet takes about
      half the CPU time of reading text. Names are stored as codes, and the name of a document is stored only once per topic for all runs.

    The format determines whether the path or the offset is written for a result that has both. If ranks are missing, the results are
    numbered from 1. If a ranking of n results has no scores, the scores n, n - 1, ..., 1 are written. If an error occurs while a file is
    written, no incomplete file remains.

    Args:
        runs: The runs.
        path: For Parquet, a file; for other formats, a file for a single run, or an existing folder for several runs. In a folder, each
            file is named after its run, with the extension ``.fol``, ``.run``, ``.xpath`` or ``.xml``. A name that begins with a point is an
            error, because readers skip hidden files.
        format: The file format; None selects Parquet if the path ends in ``.parquet``, and otherwise FOL.
        structure: The offsets of the documents' elements. For Parquet, a structure is an error, because Parquet files store paths and
            offsets unchanged.

    Raises:
        CollectionError: The format cannot represent a result (the error names the result) or a name with white space. A ranking contains a
            document or an element twice. The path for several runs is not a folder, the path for a Parquet file is a folder, or a
            path has the extension of a compressed file.
        OSError: A file cannot be written.

    Examples:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from inexmetrics import read_runs, retrieve, write_runs
        >>> texts = {"doc_id": ["a", "b"], "start": [6, 0], "text": ["honey", "wax"]}
        >>> runs = retrieve(texts, {"1": "honey"})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_runs(runs, f"{folder}/mine.fol")
        ...     print(Path(folder, "mine.fol").read_text().rstrip())
        ...     print(read_runs(f"{folder}/mine.fol").results.equals(runs.results))
        1 Q0 a 1 0.6931471805599453 lnu-ltu 6 5
        True
    """
    place = Path(argument("path", PATH, path))
    chosen, unlike = format_of(place, argument("format", Optional(Choice(FORMATS)), format))
    contents, warnings = contents_of(runs, chosen, structure)
    files = files_of(runs, place, chosen)
    emit_warnings((*unlike, *warnings))
    write_files({file: contents[run_id] for run_id, file in files.items()})


def format_of(path: Path | None, given: RunFormat | None) -> tuple[RunFormat, tuple[Problem, ...]]:
    """Returns the format in which runs are written to a path, and a warning if the path has the extension of another format.

    Raises:
        CollectionError: The path has the extension of a compressed file.

    Examples:
        >>> format_of(Path("runs.parquet"), None), format_of(Path("mine.fol"), None)
        (('parquet', ()), ('fol', ()))
    """
    ending = "" if path is None or path.is_dir() else path.suffix.lower()
    if ending in COMPRESSED:
        raise CollectionError(f"{path}: expected a name without {ending}; {UNCOMPRESSED}")
    named = ending == PARQUET
    if given is None:
        return ("parquet" if named else "fol"), ()
    if not ending or named == (given == "parquet"):
        return given, ()
    text = f"expected {'Parquet' if named else 'text'} for this extension, found the format {given}"
    return given, (Problem(text, file=str(path), severity="warning"),)


def files_of(runs: Runs, path: Path, format_: RunFormat) -> dict[str, Path]:
    """Returns the file of each run, or the single file of all runs. Raises `CollectionError` if a path or a run's name is invalid."""
    if format_ == "parquet":
        if path.is_dir():
            raise CollectionError(f"{path}: expected a file, found a folder; a Parquet file contains all runs")
        return {ALL: path}
    if not path.is_dir():
        if len(runs.run_ids) != 1:
            raise CollectionError(f"{path}: expected a single run or an existing folder, found {plural(len(runs.run_ids), 'run')}")
        return {runs.run_ids[0]: path}
    files = {run_id: path / f"{run_id}.{ENDINGS[format_]}" for run_id in runs.run_ids}
    for run_id, file in files.items():
        if file.parent != path or "\0" in run_id:
            raise CollectionError(f"run {run_id}: expected the name of the run to be a valid file name")
        if file.name.startswith("."):
            way = 'format="parquet" (--format parquet) writes all runs to one file'
            raise CollectionError(
                f"run {run_id}: expected a name without a first point, because hidden files of a folder are not read; {way}"
            )
    return files


def contents_of(runs: Runs, format_: RunFormat, structure: Structure | None) -> tuple[dict[str, bytes], tuple[Problem, ...]]:
    """Returns the content of each run's file, and warnings. Raises `CollectionError` if the format is unknown or cannot represent a run."""
    argument("write_runs", GIVEN_RUNS, runs)
    argument("format", Choice(FORMATS), format_)
    argument("structure", Optional(GIVEN_STRUCTURE), structure)
    if format_ == "parquet":
        if structure is not None:
            raise CollectionError(
                "structure: expected no structure for Parquet, found one; Parquet files store paths and offsets unchanged"
            )
        return {ALL: _parquet(runs)}, ()
    results = runs.results.with_columns(pl.col("run_id", "topic_id").cast(pl.String))
    # finds names that would change if they were written to a run file and read back
    in_line = {"topic": rf"{WHITE}|{OTHERWISE}", "path": RANGE}
    for what, names in (
        ("run", pl.Series(list(runs.run_ids), dtype=pl.String)),
        ("topic", results["topic_id"]),
        ("document", results["doc_id"]),
        ("path", results["path"]),
    ):
        pattern = in_line.get(what, WHITE)
        if format_ == "inex":
            pattern = f"{UNWRITABLE}|{RANGE}" if what == "path" else UNWRITABLE
        wrong = names.filter(names.str.contains(pattern))
        if len(wrong):
            expected = "only printable characters" if format_ == "inex" else "no white space or NUL, nor < or { at its beginning,"
            raise CollectionError(f"{CALLED[format_]}: expected {expected} in the name of a {what}, found {describe(wrong[0])}")
    results = _places(results, format_, structure)
    if format_ != "fol":
        _refuse_repeated(results, format_)
    if format_ != "inex":
        results = _numbered(results, format_)
    found = {run_id: part for (run_id,), part in results.partition_by("run_id", as_dict=True, maintain_order=True).items()}
    parts = {run_id: found.get(run_id, results.clear()) for run_id in runs.run_ids}
    texts = {run_id: _submission(run_id, part) if format_ == "inex" else _lines(run_id, part, format_) for run_id, part in parts.items()}
    return {run_id: text.encode() for run_id, text in texts.items()}, tuple(_reordered(results)) if format_ == "trec" else ()


def _parquet(runs: Runs) -> bytes:
    """Returns all runs as Parquet, sorted by topic and then by run, so that each row group stores the name of a document once."""
    lists = runs.lists
    by_topic = np.lexsort((lists.runs, lists.topics))
    rows = in_ranges(lists.firsts[by_topic], lists.lengths[by_topic])
    table = runs.at(rows)
    repeated = ["doc_id"] if 2 * table["doc_id"].n_unique() <= table.height else []  # other names are read faster as text
    table = table.with_columns(pl.col("run_id", "topic_id", *repeated).cast(pl.String).cast(pl.Categorical))
    lacking = [column.name for column in table if column.null_count() == table.height and column.name in PACKED]
    written = io.BytesIO()
    table.drop(lacking).write_parquet(written, metadata={ORDERS: json.dumps(dict(runs.orders))})
    return written.getvalue()


def _places(results: pl.DataFrame, format_: OneRunFormat, structure: Structure | None) -> pl.DataFrame:
    """Returns the results with the positions that the format requires, which are either paths or offsets."""
    unknown = results["start"] == UNRESOLVED
    if format_ == "fol":
        known = results if structure is None else extents(results, Assessments(), structure)
        results = results.with_columns(known["start"], known["length"])
        return _all_placed(results, (results["length"] >= 0) != unknown.fill_null(value=False), format_, structure)
    results = results if structure is None else results.with_columns(_elements(results, structure))
    if format_ == "trec":
        return _all_placed(
            results,
            results.select((place(pl.col("path")) == WHOLE) & (pl.col("path").is_not_null() | pl.col("start").is_null())).to_series(),
            format_,
            structure,
        )
    if format_ == "xpath":
        results = results.with_columns(
            pl.when(unknown & (results["length"] < 0)).then(pl.coalesce("path", pl.lit("X"))).otherwise("path").alias("path")
        )
        return _all_placed(results, results["path"].is_not_null(), format_, structure)
    return _all_placed(results, results["path"].is_not_null() | (results["start"] >= 0), format_, structure)


def _elements(results: pl.DataFrame, structure: Structure) -> pl.Series:
    """Returns the paths of the results; a missing path is replaced by the path of an element with the same extent, or by null.

    If several results for a topic have the same extent, a different element is assigned to each result, starting with the outermost
    element.
    """
    # Of two nonempty elements with the same extent, one contains the other. Empty elements with the same extent may be siblings, which
    # remain in the order of the structure.
    depth = pl.when(pl.col("length") > 0).then(pl.col("path").str.count_matches("/", literal=True))
    elements = structure.elements.sort(depth, maintain_order=True)
    roots = elements.filter(place(pl.col("path")) == WHOLE).unique("doc_id", keep="first", maintain_order=True)
    root = pl.when(pl.col("start").is_null()).then(pl.col("root"))
    named = results.join(roots.select("doc_id", root="path"), on="doc_id", how="left", maintain_order="left").select(
        *EXTENT, path=pl.coalesce("path", root)
    )
    named = named.with_row_index("row")
    unnamed = named.filter(pl.col("path").is_null() & (pl.col("start") >= 0)).drop("path")
    taken = named.filter(pl.col("path").is_not_null()).select(*LIST, place(pl.col("path")).alias("place"))
    free = (
        unnamed.select(EXTENT)
        .unique(maintain_order=True)
        .join(elements.with_columns(place=place(pl.col("path"))), on=["doc_id", "start", "length"], maintain_order="left_right")
        .join(taken, on=[*LIST, "place"], how="anti", maintain_order="left")
    )
    here = pl.int_range(pl.len()).over(EXTENT).alias("number")
    found = unnamed.with_columns(here).join(free.with_columns(here), on=[*EXTENT, "number"], maintain_order="left")
    return named.update(found.select("row", "path"), on="row", how="left", maintain_order="left")["path"]


def _refuse_repeated(results: pl.DataFrame, format_: OneRunFormat) -> None:
    """Raises `CollectionError` if a ranking contains a document or an element twice, because every reader rejects repeated results."""
    placed = results.filter(pl.when(pl.col("path").is_null()).then(pl.col("start").is_null()).otherwise(pl.col("path") != "X"))
    if format_ == "trec":
        placed = placed.with_columns(path=pl.lit(None, pl.String))
    repeated = placed.filter(~pl.struct(*LIST, place(pl.col("path")).alias("place")).is_first_distinct())
    if not repeated.is_empty():
        run_id, topic_id, doc_id, path = repeated.select(*LIST, "path").row(0)
        found = f"found {plural(repeated.height, 'repeated result')}, such as {path or 'the whole'} of document {doc_id} in run {run_id}, topic {topic_id}"
        raise CollectionError(f"{CALLED[format_]}: expected each result once in a topic, {found}")


def _all_placed(results: pl.DataFrame, right: pl.Series, format_: OneRunFormat, structure: Structure | None) -> pl.DataFrame:
    """Returns the results if each result has the position that the format requires; otherwise raises `CollectionError`."""
    wrong = results.filter(~right.fill_null(False))
    if wrong.is_empty():
        return results
    shown = [
        f"{path or ('the whole' if start is None or (start, length) == (0, UNKNOWN) else f'{start}:{length}')} of document {doc_id} in run {run_id}, topic {topic_id}"
        for run_id, topic_id, doc_id, path, start, length in wrong.head(SHOWN)
        .select("run_id", "topic_id", "doc_id", "path", "start", "length")
        .iter_rows()
    ]
    text = f"{CALLED[format_]}: expected results that have {PLACES[format_]}, found {plural(wrong.height, 'result')} of another kind"
    hint = (
        "; a structure may have it (structure=read_structure(path), --structure PATH)"
        if structure is None
        else "; the structure has no element of this extent, or no unused one"
    )
    raise CollectionError(f"{text}: {and_more(shown, wrong.height)}{hint}")


def _numbered(results: pl.DataFrame, format_: OneRunFormat) -> pl.DataFrame:
    """Fills in missing ranks and scores. Raises `CollectionError` if only some results of a ranking have scores."""
    topic = ["run_id", "topic_id"]
    scored = pl.col("score").is_not_null()
    half = results.filter(~scored & scored.any().over(topic))
    if not half.is_empty():
        run_id, topic_id, doc_id = half.select("run_id", "topic_id", "doc_id").row(0)
        found = f"found {plural(half.height, 'result')} without, such as document {doc_id} in run {run_id}, topic {topic_id}"
        raise CollectionError(f"{CALLED[format_]}: expected a score for every result of a ranking, or for none, {found}")
    here = pl.int_range(pl.len()).over(topic)
    return results.with_columns(
        rank=pl.coalesce("rank", here + 1), score=pl.coalesce("score", (pl.len().over(topic) - here).cast(pl.Float64))
    )


def _reordered(results: pl.DataFrame) -> Iterator[Problem]:
    """Returns a warning for each run whose results are not in score order."""
    topic = ["run_id", "topic_id"]
    sorted_ = results.sort([*topic, "score", "doc_id"], descending=[False, False, True, True], maintain_order=True)
    moved = (
        results.select("run_id", moved=pl.Series(results["doc_id"] != sorted_["doc_id"]))
        .group_by("run_id", maintain_order=True)
        .agg(pl.col("moved").sum())
    )
    for run_id, count in moved.filter(pl.col("moved") > 0).iter_rows():
        wording = f"run {run_id}: {plural(count, 'result', 'is', 'are')} not in score order, with ties by document descending"
        yield Problem(f'{wording}; TREC runs are read in that order unless order="file" is given', severity="warning")


def _lines(run_id: str, results: pl.DataFrame, format_: OneRunFormat) -> str:
    """Formats a run as lines with columns."""
    if results.is_empty():
        raise CollectionError(
            f"{CALLED[format_]}: expected at least one result for run {run_id}, found none; only results contain the name of the run"
        )
    places = {"fol": [pl.col("start"), pl.col("length")], "xpath": [pl.col("path")]}.get(format_, [])
    line = pl.concat_str("topic_id", pl.lit("Q0"), "doc_id", "rank", "score", "run_id", *places, separator=" ")
    return "\n".join([*results.select(line).to_series(), ""])


def _submission(run_id: str, results: pl.DataFrame) -> str:
    """Formats a run as an INEX submission."""
    from xml.sax.saxutils import escape, quoteattr  # imported only here, because importing xml.sax.saxutils also loads urllib

    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<inex-submission run-id={quoteattr(run_id)}>"]
    for (topic_id,), found in results.group_by("topic_id", maintain_order=True):
        lines.append(f"<topic topic-id={quoteattr(str(topic_id))}>")
        columns = "doc_id", "path", "start", "length", "rank", "score"
        for doc_id, path, start, length, rank, score in found.select(columns).iter_rows():
            if path is None:
                where = f'<fol offset="{start}" length="{length}"/>'
            elif " " in path:
                where = "<passage start={} end={}/>".format(*map(quoteattr, path.split(" ")))
            else:
                where = f"<path>{escape(path)}</path>"
            numbers = "".join(f"<{tag}>{value!r}</{tag}>" for tag, value in (("rank", rank), ("rsv", score)) if value is not None)
            lines.append(f"<result><file>{escape(doc_id)}</file>{where}{numbers}</result>")
        lines.append("</topic>")
    return "\n".join([*lines, "</inex-submission>", ""])
