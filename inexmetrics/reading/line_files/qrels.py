"""Reads qrels, which contain the judgement of one document on each line: TREC qrels, and FOL qrels of INEX with highlighted passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import polars as pl

from inexmetrics.collection.schemas import DOCUMENTS, FURTHEST, PASSAGES
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading import rules
from inexmetrics.reading.checker import Rule, Unchecked, checked
from inexmetrics.reading.column_types import WORDS_READ, only_words
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.formats import Format
from inexmetrics.reading.line_files.lines import LineFormat, read_lines, tokens
from inexmetrics.reading.passages import MERGING, merged, overlapping
from inexmetrics.reading.recognise import Source

__all__ = ["Highlighted", "read_fol_qrels", "read_qrels"]

QRELS: Final = LineFormat({"topic_id": pl.String, "assessor": pl.String, "doc_id": pl.String, "grade": pl.Float64}, 4)
PAIRS: Final = LineFormat({"topic_id": pl.String, "doc_id": pl.String}, 2)
"""Columns of the judgements of MS MARCO without grades, which name the relevant documents only."""
ITERATION: Final = re.compile(r"q0|[+-]?[0-9]+(\.[0-9]+)?", re.IGNORECASE)
"""Regular expression for the second column of qrels if the column does not contain names of assessors."""
COUNTS: Final = {"relchars": 3, "docchars": 4, "bep": 5}
"""Columns of FOL qrels that contain numbers, each with its position in the line."""
NO_ENTRY_POINT: Final = -1
"""Value that marks a document without an entry point in FOL qrels."""


def read_qrels(
    sources: Sequence[Source], findings: Findings, grade: Rule = rules.BOUNDED_GRADE
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Reads TREC qrels; returns one table for the files with a single assessor, and one table for the files with several assessors.

    The second column of a file is read as names of assessors if any value is a name, or if the same topic and document occur with different
    values in this column. Otherwise the second column is an iteration (`0`, `Q0`, or the number of a round), and is ignored.

    A file of two columns, `topic doc`, names relevant documents, whose grade is 1.

    Args:
        sources: The files.
        findings: The object to which the problems of invalid rows are added; invalid rows are dropped.
        grade: The condition that a valid grade satisfies.

    Returns:
        Two tables: the judgements from files with a single assessor, and the judgements from files with several assessors. Each table has
        the columns topic_id, assessor, doc_id, grade and the columns of `PLACE`. A table is None if no file is of its kind.
    """
    single: list[pl.DataFrame] = []
    several: list[pl.DataFrame] = []
    for source in sources:
        read = read_lines(source, PAIRS if source.format is Format.PAIRS else QRELS, findings)
        if source.format is Format.PAIRS:
            relevant = read.frame.with_columns(assessor=pl.lit("0"), grade=pl.lit(1.0))
            single.append(checked(Unchecked(relevant, source.name, read.numbers), rules.ASSESSORS, [grade]).valid())
            continue
        found = checked(Unchecked(read.frame, source.name, read.numbers), rules.ASSESSORS, [grade])
        findings.rows.extend(found.problems)
        if only_words(read.frame["grade"]):
            layout = findings.layouts.pop()
            findings.layouts.append(replace(layout, notes=(*layout.notes, WORDS_READ)))
        assessors = found.rows["assessor"].unique()
        by_several = not all(map(ITERATION.fullmatch, assessors))
        if len(assessors) > 1 and not by_several:
            judgements = pl.struct("topic_id", "doc_id", "assessor").n_unique()
            by_several = found.rows.select(judgements > pl.struct("topic_id", "doc_id").n_unique()).item()
        (several if by_several else single).append(found.rows)
    return (pl.concat(single) if single else None), (pl.concat(several) if several else None)


@dataclass(frozen=True, slots=True, eq=False)
class Highlighted:
    """Judged documents and their highlighted passages.

    Attributes:
        documents: The judged documents, with the columns of `DOCUMENTS`, file, line and row; row is the number of the document among all
            documents.
        passages: The highlighted passages, with the columns of `PASSAGES` and the column row, which is the number of the passage's
            document.
    """

    documents: pl.DataFrame
    passages: pl.DataFrame


def read_fol_qrels(sources: Sequence[Source], findings: Findings, *, merge_passages: bool = False) -> Highlighted:
    """Reads the documents and passages of FOL qrels; an invalid row is excluded, and its problem is added to `findings`.

    Each row contains the number of highlighted characters and the length of the document. If text is highlighted, the row also contains the
    best entry point (-1 if missing) and the passages. If a row has an entry point but no passages, the positions of its highlighted
    characters are unknown, and only their number is read. With `merge_passages`, passages that overlap or touch are merged, so that their
    characters are counted once.
    """
    documents, passages = [], []
    read = 0
    for source in sources:
        part = _fol_qrels(source, findings, merge_passages=merge_passages)
        # Documents are identified by numbers, because file and line would be ambiguous for a file that is given twice.
        rows = part.documents.select("line", row=read + pl.int_range(pl.len(), dtype=pl.Int64))
        documents.append(part.documents.with_columns(rows["row"]))
        passages.append(part.passages.join(rows, on="line", how="left", maintain_order="left").select(*PASSAGES, "row"))
        read += rows.height
    return Highlighted(pl.concat(documents), pl.concat(passages))


def _fol_qrels(source: Source, findings: Findings, *, merge_passages: bool) -> Highlighted:
    """Returns the judged documents and their passages in one file, with line numbers."""
    words = tokens(source, findings).with_columns(pl.lit(source.name).alias("file"), _word(0).alias("topic_id"), _word(2).alias("doc_id"))
    written = (
        words.with_columns(pl.col("tokens").list.slice(6).alias("written")).filter(pl.col("written").list.len() > 0).explode("written")
    )
    numbers = written.with_columns(pl.col("written").str.extract_groups(r"^([0-9]{1,18}):([0-9]{1,18})$").alias("numbers"))
    passages = numbers.with_columns(
        pl.col("numbers").struct[place].cast(pl.Int64).alias(name) for place, name in enumerate(("start", "length"))
    )
    end = pl.col("start") + pl.col("length")
    sums = passages.group_by("line").agg(
        pl.col("length").sum().alias("highlighted"),
        pl.col("written").filter(pl.col("start").is_null()).first().alias("unreadable"),
        end.max().alias("end"),
    )
    readable = passages.filter(pl.col("start").is_not_null())
    passages = merged(readable, ["line"]) if merge_passages else readable
    overlaps = overlapping(passages, ["line"]).select(pl.col("line").unique(), overlapping=True)
    summed = passages.group_by("line").agg(pl.col("length").sum().alias("merged"))
    known = words.with_columns(_word(place).cast(pl.Int64, strict=False).alias(name) for name, place in COUNTS.items())
    for part in (sums, overlaps, summed):
        known = known.join(part, on="line", how="left", maintain_order="left")
    rows = known.with_columns(_fault().alias("fault"))
    for row in rows.filter(pl.col("fault").is_not_null()).iter_rows(named=True):
        findings.rows.append(Problem(_message(row), file=source.name, line=row["line"], topic_id=row["topic_id"]))
    good = rows.filter(pl.col("fault").is_null())
    past = good.filter(pl.col("end") > pl.col("docchars")).height
    if past:
        message = f"passages of {plural(past, 'document')} end past the document's end"
        kind = "passages in {count} files end past the document's end"
        findings.warnings.append(Problem(message, file=source.name, severity="warning", kind=kind, detail=plural(past, "document")))
    documents = good.with_columns(pl.when(pl.col("bep") >= 0).then("bep").alias("bep"), relchars=pl.coalesce("merged", "relchars"))
    right = passages.join(good.select("line"), on="line", how="semi", maintain_order="left")
    return Highlighted(documents.select(*DOCUMENTS, "file", "line"), right.select(*PASSAGES, "line"))


def _word(place: int) -> pl.Expr:
    return pl.col("tokens").list.get(place, null_on_oob=True)


def _fault() -> pl.Expr:
    """Returns an expression over rows of FOL qrels. Its value is null for a valid row, and the kind of problem for an invalid row."""
    count = pl.col("tokens").list.len()
    relchars, docchars, bep = (pl.col(name) for name in COUNTS)
    faults = {
        "columns": count < len(COUNTS) + 2,
        "relchars": relchars.is_null() | ~relchars.is_between(0, FURTHEST),
        "docchars": docchars.is_null() | ~docchars.is_between(0, FURTHEST),
        "bep": (count > 5) & (bep.is_null() | ~bep.is_between(NO_ENTRY_POINT, FURTHEST)),
        "passage": pl.col("unreadable").is_not_null(),
        "far": pl.col("end") > FURTHEST,
        "overlap": pl.col("overlapping"),
        # A row with an entry point but no passages has highlighted text at unknown positions.
        "sum": pl.when(count > 6)
        .then((relchars != pl.col("highlighted")) & (relchars != pl.col("merged")))
        .otherwise((count == 5) & (relchars > 0)),
        "beyond": pl.coalesce("merged", relchars) > docchars,
    }
    return pl.coalesce(pl.when(wrong).then(pl.lit(fault)) for fault, wrong in faults.items())


def _message(row: dict[str, Any]) -> str:
    """Returns the error message for an invalid row of FOL qrels, with the expected and the found values."""
    words: list[str] = row["tokens"]
    fault: str = row["fault"]
    match fault:
        case "columns":
            return f"expected at least 5 columns (topic_id Q0 doc_id relchars docchars), found {len(words)}: {shown(' '.join(words))}"
        case "passage":
            return f"expected passages as offset:length, found {shown(row['unreadable'])}"
        case "far":
            return f"expected passages that end at {FURTHEST} at most, found {shown(' '.join(words[6:]))}"
        case "overlap":
            return f"expected passages that do not overlap, found {shown(' '.join(words[6:]))}{MERGING}"
        case "beyond":
            return f"expected relchars of at most docchars ({row['docchars']}), found {row['relchars']}"
        case "sum":
            return f"expected relchars to be the sum of the passages' lengths ({row['highlighted'] or 0}), found {row['relchars']}"
        case _:
            return (
                f"{fault}: expected an integer from {NO_ENTRY_POINT if fault == 'bep' else 0} to {FURTHEST}, "
                f"found {shown(words[COUNTS[fault]])}"
            )
