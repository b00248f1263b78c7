"""Tables of judgements: which kind of judgements a table holds, and what must hold of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from inexmetrics.collection.assessments import Assessments, scale_of
from inexmetrics.collection.columns import ASSESSORS, DOCUMENTS, ELEMENTS, EXHAUSTIVITY, GRADES, PASSAGES
from inexmetrics.foundation.errors import CollectionError, Problem
from inexmetrics.foundation.names import counted
from inexmetrics.foundation.wording import described
from inexmetrics.quantisations.base import Scale
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.sheets import Sheet

__all__ = ["judged"]

VALUES: dict[Scale, tuple[str, ...]] = {"inex2004": ("0", "1", "2", "3"), "inex2005": ("0", "?", "1", "2")}
YEARS: dict[Scale, str] = {"inex2004": "INEX 2004", "inex2005": "INEX 2005"}
COUNTS = ("relchars", "docchars", "bep")
NEAR = 0.005
"""How far a specificity of INEX 2004 may lie from a third: it may have been written with two decimals."""


def judged(sheets: Sequence[Sheet], scale: Scale | None, findings: Findings, topics: Sequence[str] = ()) -> Assessments:
    """Judgements from tables of different kinds, without the rows that are wrong, which are told in the findings.

    Args:
        sheets: The tables, each of its own kind.
        scale: The scale of the elements' exhaustivity; None finds it out.
        findings: Where wrong rows, and what should be known of the others, are told.
        topics: Topics assessed, with or without a judgement.

    Raises:
        CollectionError: A table holds no judgements, or those of the same kind as another.
    """
    if scale is not None and scale not in VALUES:
        raise CollectionError(f'scale: expected "inex2004" or "inex2005", found {described(scale)}')
    tables: dict[str, pl.DataFrame] = {}
    for sheet in sheets:
        made, told = _taken(sheet, scale)
        for name, frame in made.items():
            if name in tables:
                raise CollectionError(f"{sheet.what}: expected one table of each kind of judgements, found {name} a second time")
            tables[name] = frame
        findings.rows += sheet.found
        findings.notices += told
    if scale is not None and "elements" not in tables:
        raise CollectionError("scale is that of assessed elements; expected columns exhaustivity and specificity, found none")
    return Assessments(**tables, scale=scale, topics=tuple(topics), notices=(), judges={})


def _taken(sheet: Sheet, scale: Scale | None) -> tuple[dict[str, pl.DataFrame], list[Problem]]:
    """The tables that a sheet of judgements makes, by its columns, and what is to be told of them."""
    if sheet.has("specificity") or sheet.has("exhaustivity"):
        elements, told = _elements(sheet, scale)
        return {"elements": elements}, told
    if sheet.has("start"):
        documents, passages, told = _passages(sheet)
        return {"documents": documents, "passages": passages}, told
    if sheet.has("relchars"):
        return {"documents": _documents(sheet)}, []
    sheet.need("grade")
    return ({"assessors": _grades(sheet, ASSESSORS)} if sheet.has("assessor") else {"grades": _grades(sheet, GRADES)}), []


def _grades(sheet: Sheet, columns: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Graded documents, by topic or by topic and assessor."""
    sheet.need(*columns)
    keys = [name for name in columns if name != "grade"]
    frame = sheet.rows({**{key: sheet.ids(key) for key in keys}, "grade": sheet.numbers("grade")})
    return sheet.without_repeats(frame, keys, "grade").select(list(columns))


def _documents(sheet: Sheet) -> pl.DataFrame:
    """Documents with their highlighted characters."""
    sheet.need("topic_id", "doc_id")
    columns = {"topic_id": sheet.ids("topic_id"), "doc_id": sheet.ids("doc_id"), "relchars": sheet.integers("relchars", missing=False)}
    columns |= {name: sheet.integers(name) for name in ("docchars", "bep")}
    sheet.refuse("relchars", columns["relchars"] > columns["docchars"], "no more highlighted characters than the document has")
    return sheet.without_repeats(sheet.rows(columns), ("topic_id", "doc_id"), "judgement").select(list(DOCUMENTS))


def _passages(sheet: Sheet) -> tuple[pl.DataFrame, pl.DataFrame, list[Problem]]:
    """Documents with their highlighted characters, the passages that these stand in, and how many of them end too late."""
    sheet.need("topic_id", "doc_id", "start")
    start, length = sheet.passages()
    columns = {"topic_id": sheet.ids("topic_id"), "doc_id": sheet.ids("doc_id"), "start": start, "length": length}
    columns |= {name: sheet.integers(name) for name in COUNTS}
    document = ("topic_id", "doc_id")
    frame = sheet.without_repeats(sheet.rows(columns), (*document, "start", "length"), "passage")
    told = frame.with_columns(pl.col(name).drop_nulls().first().over(document).alias(f"{name} of the document") for name in COUNTS)
    for name in COUNTS:
        other = told.filter(pl.col(name) != pl.col(f"{name} of the document"))
        sheet.refuse_rows(
            other["row"].to_list(),
            [
                f"{name}: expected {row[f'{name} of the document']} as in another row, found {row[name]}"
                for row in other.iter_rows(named=True)
            ],
        )
    passages = told.filter(pl.col("start").is_not_null()).with_columns((pl.col("start") + pl.col("length")).alias("end"))
    before = passages.sort("start", "end", "row").with_columns(pl.col("end").cum_max().shift(1).over(document).alias("end before"))
    overlapping = before.filter(pl.col("start") < pl.col("end before"))
    sheet.refuse_rows(
        overlapping["row"].to_list(),
        [
            f"expected passages that do not overlap, found one from {row['start']} after one to {row['end before']}"
            for row in overlapping.iter_rows(named=True)
        ],
    )
    _refuse_sums(sheet, told)
    kept = sheet.rows(columns).join(frame.select("row"), on="row", how="semi", maintain_order="left")
    late = passages.join(kept.select("row"), on="row", how="semi").filter(pl.col("end") > pl.col("docchars of the document")).height
    end = "ends" if late == 1 else "end"
    notices = [Problem(f"{sheet.what}: {counted(late, 'passage')} {end} past the document's end", severity="warning")] if late else []
    documents = kept.group_by(document, maintain_order=True).agg(
        # Passages tell it themselves, as far as there are any.
        pl.when(pl.col("start").is_null().all())
        .then(pl.col("relchars").drop_nulls().first())
        .otherwise(pl.col("length").sum())
        .fill_null(0)
        .alias("relchars"),
        *(pl.col(name).drop_nulls().first() for name in ("docchars", "bep")),
    )
    return documents.select(list(DOCUMENTS)), kept.filter(pl.col("start").is_not_null()).select(list(PASSAGES)), notices


def _refuse_sums(sheet: Sheet, told: pl.DataFrame) -> None:
    """Refuses the documents whose highlighted characters are not those of their passages, or more than the document has."""
    relchars, docchars = (pl.col(f"{name} of the document") for name in ("relchars", "docchars"))
    document = ("topic_id", "doc_id")
    summed = told.with_columns(
        highlighted=pl.when(pl.col("start").is_not_null().any().over(document)).then(pl.col("length").sum().over(document))
    )
    other = summed.filter(relchars != pl.col("highlighted"))
    beyond = summed.filter(pl.coalesce("highlighted", relchars) > docchars)
    for wrong, expected in (
        (other, "relchars: expected the sum of the passages' lengths, which is {highlighted}, found {relchars of the document}"),
        (beyond, "expected no more highlighted characters than the {docchars of the document} of the document, found {highlighted}"),
    ):
        sheet.refuse_rows(wrong["row"].to_list(), [expected.format(**row) for row in wrong.iter_rows(named=True)])


def _elements(sheet: Sheet, scale: Scale | None) -> tuple[pl.DataFrame, list[Problem]]:
    """Assessed elements, and how many empty ones were left out."""
    sheet.need("topic_id", "doc_id", "specificity")
    e = sheet.texts("exhaustivity")
    scale = scale or scale_of(pl.DataFrame({"exhaustivity": e}))
    s = sheet.numbers("specificity", 0.0, 1.0)
    if sheet.has("exhaustivity"):
        values = VALUES[scale]
        sheet.refuse("exhaustivity", ~e.is_in(values), f"{', '.join(values[:-1])} or {values[-1]} (the scale of {YEARS[scale]})")
        sheet.refuse("specificity", (e == "0") & (s > 0), "0 where exhaustivity is 0")
    if scale == "inex2004":
        sheet.refuse("specificity", ((s * 3).round() - s * 3).abs() > 3 * NEAR, "0, 1/3, 2/3 or 1 (the scale of INEX 2004, divided by 3)")
        sheet.refuse("specificity", (e != "0") & (s == 0), "1/3, 2/3 or 1 where exhaustivity is above 0")
        s = (s * 3).round() / 3
    columns = {"topic_id": sheet.ids("topic_id"), "doc_id": sheet.ids("doc_id"), "path": sheet.paths()}
    columns |= {"exhaustivity": e, "specificity": s, "size": sheet.integers("size")}
    frame = sheet.without_repeats(sheet.rows(columns), ("topic_id", "doc_id", "path"), "assessment")
    empty = int((frame["size"] == 0).sum())
    told = (
        [
            Problem(
                f"{sheet.what}: {counted(empty, 'assessed element')} of size 0 {'is' if empty == 1 else 'are'} left out", severity="warning"
            )
        ]
        if empty
        else []
    )
    elements = frame.filter(pl.col("size").is_null() | (pl.col("size") != 0)).with_columns(pl.col("exhaustivity").cast(EXHAUSTIVITY))
    return elements.select(list(ELEMENTS)), told
