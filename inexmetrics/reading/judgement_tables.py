"""Reads tables of judgements, in memory or in files, by the kind that their columns state; checks highlighted passages, and merges those that overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, Literal, TypeAlias

import polars as pl
import polars.selectors as cs

from inexmetrics.collection.assessments import Assessments, scale_of
from inexmetrics.collection.schemas import DOCUMENTS, ELEMENTS, EXHAUSTIVITY, FURTHEST, MODELS, PASSAGES
from inexmetrics.collection.structure import Structure
from inexmetrics.common.elements import Scale
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import canonical, enumerate_names, option, plural
from inexmetrics.reading import column_types, passage_texts, rules, stated_columns
from inexmetrics.reading.checker import PLACE, Checked, Rule, Unchecked, checked
from inexmetrics.reading.findings import Findings, located
from inexmetrics.reading.scores.column_facts import distinguishing, failed_rows

__all__ = ["NAMING", "PAIR", "Judged", "JudgementChoices", "highlights", "read_judgement_tables"]

PAIR: Final = ("topic_id", "doc_id")

MERGING: Final = "; merge_passages=True (--merge-passages) merges overlapping passages"
"""Advice at the end of error messages about overlapping passages."""


def overlapping(passages: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Returns each passage that overlaps an earlier passage of its document; passages are ordered by start, then by length.

    Args:
        passages: A table of passages with start, length and the columns in `keys`; other columns are kept.
        keys: The columns that identify a document.

    Returns:
        The overlapping passages, ordered by start, with an additional column ``reached``, the largest end of the earlier passages.

    Examples:
        >>> table = pl.DataFrame({"doc_id": ["a", "a", "a"], "start": [5, 0, 3], "length": [4, 5, 1]})
        >>> overlapping(table, ["doc_id"]).rows()
        [('a', 3, 1, 5)]
    """
    return _reached(passages, keys).filter(pl.col("start") < pl.col("reached"))


def merged(passages: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Merges passages that overlap or touch.

    Args:
        passages: A table of passages with start, length and the columns in `keys`. In all other columns, a merged passage has the values of
            the first of its passages.
        keys: The columns that identify a document.

    Returns:
        A table with the same columns; documents keep the order of their first passages, and the passages of a document are ordered by
        start.

    Examples:
        >>> table = pl.DataFrame(
        ...     {"doc_id": ["a", "a", "b", "a"], "start": [5, 0, 7, 20], "length": [4, 5, 1, 2]}
        ... )
        >>> merged(table, ["doc_id"]).rows()
        [('a', 0, 9), ('a', 20, 2), ('b', 7, 1)]
    """
    apart = (pl.col("start") > pl.col("reached")).fill_null(value=True)
    numbered = _reached(passages, keys).with_columns(passage=apart.cum_sum().over(keys), end=pl.col("start") + pl.col("length"))
    others = [name for name in passages.columns if name not in {*keys, "start", "length"}]
    made = numbered.group_by(*keys, "passage", maintain_order=True).agg(
        pl.col("start", *others).first(), length=pl.col("end").max() - pl.col("start").first()
    )
    order = passages.select(keys).unique(maintain_order=True).with_row_index("met")
    return made.join(order, on=keys, how="left", nulls_equal=True).sort("met", "start", maintain_order=True).select(passages.columns)


def _reached(passages: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Sorts passages by start, then by length, and adds a column with the largest end of the earlier passages of the same document."""
    end = pl.col("start") + pl.col("length")
    return passages.sort("start", "length", maintain_order=True).with_columns(reached=end.cum_max().shift(1).over(keys))


USUAL: Final = 5
"""Minimum number of documents with the highest grade but one, if a single higher grade is doubted."""
TIMES: Final = 3
"""Largest ratio of a single grade to all others that is not doubted."""
COUNTS: Final = ("relchars", "docchars", "bep")
"""Columns with numbers of characters of a document."""


def highlights(
    found: Checked, findings: Findings, keys: Sequence[str] = PAIR, *, merge_passages: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns the judged documents with their numbers of highlighted characters, and the highlighted passages.

    Excludes rows that contradict each other, and adds their problems to `findings`: passages that overlap, different counts
    for a document, and a number of highlighted characters that differs from the passages' total or exceeds the document's length.

    Args:
        found: Rows with topic_id, doc_id, start, length, relchars, docchars, bep and the columns of `PLACE`. A row without a start judges its
            document. Several passages may share a row of the file.
        findings: The object to which the problems of `found` and warnings are added.
        keys: The columns that identify the judgement of a document.
        merge_passages: Whether passages that overlap or touch are merged; otherwise overlap is an error.

    Returns:
        A table with the columns of `DOCUMENTS` and `PLACE`, and a table with the columns of `PASSAGES` and of_document, as in `Judged`.
    """
    start, length, placed = pl.col("start"), pl.col("length"), pl.col("start").is_not_null()
    relchars, docchars = (pl.col(f"{name} of the document") for name in ("relchars", "docchars"))
    far = f"expected a passage that ends at {FURTHEST} at most, found one from {{start}} with {{length}} characters"
    found.leave_out(found.rows.filter(start + length > FURTHEST), far)
    # Nulls are removed by a filter, because in polars 1.32 drop_nulls().first() over groups may return a value from another group.
    found.rows = found.rows.with_columns(
        *(pl.col(name).filter(pl.col(name).is_not_null()).first().over(keys).alias(f"{name} of the document") for name in COUNTS),
        written=pl.when(placed.any().over(keys)).then(length.sum().over(keys)),
    )
    for name in COUNTS:
        other = found.rows.filter(pl.col(name) != pl.col(f"{name} of the document"))
        found.leave_out(other, f"{name}: expected {{{name} of the document}} as in another row, found {{{name}}}")
    passages = found.rows.filter(placed)
    if merge_passages:
        passages = merged(passages, keys)
    else:
        found.leave_out(
            overlapping(passages, keys),
            f"expected passages that do not overlap, found a passage from {{start}} after a passage to {{reached}}{MERGING}",
        )
    total = passages.group_by(keys).agg(length.sum().alias("highlighted"))
    unlike, longer = (relchars != pl.col("written")) & (relchars != pl.col("highlighted")), pl.coalesce("highlighted", relchars) > docchars
    of_unlike = "relchars: expected the sum of the passages' lengths ({written}), found {relchars of the document}"
    of_longer = "expected at most {docchars of the document} highlighted characters, the length of the document, found {highlighted}"
    for wrong, message in ((unlike, of_unlike), (longer, of_longer)):
        summed = found.rows.join(total, on=keys, how="left", maintain_order="left").filter(wrong)
        summed = summed.with_columns(highlighted=pl.coalesce("highlighted", relchars))
        found.leave_out(summed.unique(["file", "row"], keep="first", maintain_order=True), message)
    passages = passages.join(found.rows, on=["file", "row"], how="semi", maintain_order="left")
    late = passages.filter(start + length > docchars).group_by("file", maintain_order=True).len()
    for file, count in late.iter_rows():
        kind = "passages in {count} files end past the document's end"
        text = f"{plural(count, 'passage', 'ends', 'end')} past the document's end"
        findings.warnings.append(Problem(text, file=file, severity="warning", kind=kind, detail=plural(count, "passage")))
    findings.rows.extend(found.problems)
    total = passages.group_by(keys).agg(length.sum().alias("highlighted"))
    documents = (
        found.rows.group_by(keys, maintain_order=True)
        .agg(*(pl.col(f"{name} of the document").first().alias(name) for name in COUNTS), pl.col(*{*PAIR, *PLACE} - {*keys}).first())
        .join(total, on=keys, how="left", maintain_order="left")
        # The sum of the lengths of the passages takes precedence over a given number of highlighted characters.
        .with_columns(relchars=pl.coalesce("highlighted", "relchars", pl.lit(0, pl.Int64)))
    )
    placed_as = documents.select(*keys, of_document=pl.struct("file", "row"))
    passages = passages.join(placed_as, on=keys, how="left", maintain_order="left")
    return documents.select(*DOCUMENTS, *PLACE), passages.select(*PASSAGES, "of_document")


JudgementKind: TypeAlias = Literal["elements", "passages", "documents", "assessors", "grades"]


def judgement_kind(table: Unchecked) -> JudgementKind:
    """Returns the kind of judgements in a table, which depends on its columns."""
    there = table.own.keys()
    if there & {"specificity", "exhaustivity"}:
        return "elements"
    if "start" in there or (there & {"length", "end"} and not there & {"relchars", "grade"}):
        return "passages"
    if "relchars" in there:
        return "documents"
    return "assessors" if "assessor" in there else "grades"


@dataclass(frozen=True, slots=True)
class JudgementChoices:
    """The keywords of `read_assessments` and `from_frames` that determine how judgements are read, under their names there."""

    structure: Structure | None = None
    strict: bool = True
    merge_passages: bool = False
    grades: tuple[float, float] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    scale: Scale | None = None

    def __post_init__(self) -> None:
        rules.grade_rule(self.grades)  # raises an error if the scale is invalid

    @property
    def grade(self) -> Rule:
        """The condition that a valid grade satisfies."""
        return rules.grade_rule(self.grades)

    def refuse_ungraded(self, judged: Assessments | None) -> None:
        """Raises `CollectionError` if a scale of grades was given, but no documents were graded."""
        if self.grades is not None and judged is not None and judged.grades is None and judged.assessors is None:
            kinds = enumerate_names(judged.kinds) or "none"
            raise CollectionError(f"grades: expected graded documents, found judgements of other kinds: {kinds}")


NOUNS: Final = {"elements": "assessment", "documents": "judgement", "grades": "grade", "assessors": "grade"}
"""A noun for a row of each table of judgements but passages, by its name in `Assessments`."""
NAMING: Final = "a dictionary {name: judgements} (--assessments NAME=PATH) reads the judgements of several assessors separately"
"""Advice in error messages about a judgement that occurs in two files or tables."""


@dataclass(slots=True)
class Judged:
    """The valid judgements in files and tables, before repeated judgements are excluded.

    Attributes:
        parts: For each table in `Assessments`, its parts with the columns of `PLACE`; of two judgements, the first in this order is kept.
            Passages have a column of_document in place of these columns: the file and the row of the judgement of the document.
        advice: Advice in error messages about a document with two grades.
        on_scale: Whether the caller states the scale of the grades.
    """

    parts: dict[str, list[pl.DataFrame]] = field(default_factory=lambda: {name: [] for name in MODELS})
    advice: str = ""
    on_scale: bool = False

    def highlighted(self, documents: pl.DataFrame, passages: pl.DataFrame) -> None:
        """Adds the tables that `highlights` returns."""
        self.parts["documents"].append(documents)
        self.parts["passages"].append(passages)

    def assessments(self, findings: Findings, scale: Scale | None, topics: tuple[str, ...] = ()) -> Assessments:
        """Returns the judgements; the problem of each repeated judgement is added to `findings`.

        Args:
            findings: The object to which problems are added.
            scale: The scale of exhaustivity; if None, it is determined by the values.
            topics: Topics that may be without judgements.
        """
        made: dict[str, pl.DataFrame] = {}
        for name, noun in NOUNS.items():
            if self.parts[name]:
                columns = (*MODELS[name].columns(), *PLACE)
                found = Checked(pl.concat([part.select(columns) for part in self.parts[name]]), [])
                advice, remedy = ("", "") if name == "assessors" else (self.advice, NAMING)
                found.once(MODELS[name].unique, noun, advice=advice, remedy=remedy)
                made[name] = found.told(findings)
                if "grade" in columns and not self.on_scale:
                    by = made[name].partition_by("assessor") if name == "assessors" else [made[name]]
                    findings.warnings += [problem for graded in by if (problem := _lone_grade(graded)) is not None]
        if self.parts["passages"]:
            there = made["documents"].select(of_document=pl.struct("file", "row"))
            made["passages"] = pl.concat(self.parts["passages"]).join(there, on="of_document", how="semi", maintain_order="left")
        elements, documents, passages, grades, assessors = (
            made[name].select(list(model.columns())) if name in made else None for name, model in MODELS.items()
        )
        return Assessments(elements, documents, passages, grades, assessors, scale, topics)


def read_judgement_tables(tables: Sequence[Unchecked], judged: Judged, findings: Findings, choices: JudgementChoices) -> None:
    """Adds the valid judgements in tables to `judged`.

    The problems of invalid rows, and warnings about valid rows, are added to `findings`. If no scale of exhaustivity was given, it is
    inferred from the values.

    Raises:
        CollectionError: A table lacks required columns, has two columns that may contain its grades, or contains passages or elements
            judged by several assessors.
    """
    by_kind: dict[JudgementKind, list[Unchecked]] = {}
    for table in (_of_completed_calls(table, findings) for table in tables):
        kind = judgement_kind(table)
        if kind != "assessors" and "assessor" in table.own and table.frame[table.own["assessor"]].n_unique() > 1:
            text = f"expected {kind} by one assessor, found several assessors in the column assessor; give a dictionary with one table for each assessor"
            raise CollectionError(text, file=table.what)
        _refuse_two_grades(table)
        by_kind.setdefault(kind, []).append(table)
        layout = table.layout("assessments", "a table of judgements", stated_columns.OF_JUDGEMENTS)
        if kind == "passages" and (count := _lacking_start(table)):
            layout = replace(layout, notes=(*layout.notes, f"{plural(count, 'row')} without offsets read as judged not relevant"))
        findings.layouts.append(layout)
    # If a document occurs in several tables, tables of passages take precedence.
    for kind, given in sorted(by_kind.items(), key=lambda of_kind: of_kind[0] != "passages"):
        if kind == "passages":
            judged.highlighted(*highlights(_evidence(given, findings, choices), findings, merge_passages=choices.merge_passages))
        elif kind == "elements":
            judged.parts[kind].append(_elements(given, choices.scale, findings))
        else:
            declared = {"documents": rules.DOCUMENTS, "grades": rules.GRADES, "assessors": rules.ASSESSORS}[kind]
            of_rows = rules.DOCUMENT_RULES if kind == "documents" else [choices.grade]
            found = Checked.joined([checked(table, declared, of_rows) for table in given])
            judged.parts[kind].append(found.told(findings))
    for name in (name for table in by_kind.get("grades", ()) for name in _telling_apart(table)):
        judged.advice = judged.advice or f"; {option(columns={name: 'assessor'})} reads {name} as names of assessors"
    if choices.scale is not None and "elements" not in by_kind:
        raise CollectionError("scale applies only to assessed elements; expected the columns exhaustivity and specificity, found neither")


def _of_completed_calls(table: Unchecked, findings: Findings) -> Unchecked:
    """Returns the rows of a table without grades of failed calls, and without the columns that say so; judges write 0 as their grade.

    A warning counts the rows.
    """
    if "grade" not in table.own:
        return table
    way = "without the column {}, all rows are read"
    taken, grades = {*table.own.values()}, [table.own["grade"]]
    lost, said = failed_rows(table, taken, grades, findings, noun="grade", way=lambda columns: way.format(enumerate_names(columns)))
    kept = table.filtered(~lost) if lost.any() else table
    return replace(kept, frame=kept.frame.drop(said))


def _telling_apart(table: Unchecked) -> list[str]:
    """Returns the unknown columns that distinguish several grades of a document, such as the names of assessors."""
    keys, frame = [table.own[name] for name in PAIR], table.frame.select(~(cs.nested() | cs.object()))
    free = [name for name in table.passed_over if name in frame.columns]
    if not free or not frame.select(keys).is_duplicated().any():
        return []
    return [name for name in distinguishing(frame, free, keys) if frame[name].is_duplicated().any()]


def _refuse_two_grades(table: Unchecked) -> None:
    """Raises `CollectionError` if the grades are in a column ``score``, and another column may contain grades too."""
    score = table.own.get("grade", "")
    others = [name for name, value in table.passed_over.items() if _may_grade(value)] if score.lower() == "score" else []
    if others:
        ways = " or ".join(option(columns={name: "grade"}) for name in (others[0], score))
        found = enumerate_names([score, *others])
        raise CollectionError(f"expected one column of grades, found {found}; {ways} states the column", file=table.what)


def _may_grade(value: object) -> bool:
    """Returns whether an example of a column's values is a number, or a word that means 1 or 0."""
    return str(value).strip().lower() in column_types.YES_OR_NO or bool(list(stated_columns.numbers_below("", value)))


def _lone_grade(rows: pl.DataFrame) -> Problem | None:
    """Returns a warning about a single grade far above all others, which may be a typing error; in a thinning tail, a gap means nothing."""
    top = rows.filter(pl.col("grade") == pl.col("grade").max())
    others = rows.filter(pl.col("grade") < pl.col("grade").max())["grade"].to_numpy()
    if top.height != 1 or len({*others}) < 2 or (others == others.max()).sum() < USUAL or top["grade"][0] <= TIMES * others.max():
        return None
    row, (lowest, highest, grade) = top.row(0, named=True), map(canonical, (others.min(), others.max(), top["grade"][0]))
    text = f"document {row['doc_id']}: expected a grade from {lowest} to {highest}, as all other {len(others)} are, found {grade}"
    return replace(located(row, f"{text}; grades=({lowest}, {grade}) (--grades {lowest} {grade}) confirms it"), severity="warning")


def _lacking_start(table: Unchecked) -> int:
    """Returns the number of rows of a table of passages without a start."""
    starts = table.frame[table.own["start"]] if "start" in table.own else pl.Series([])
    return (starts.fill_nan(None) if starts.dtype.is_float() else starts).null_count()


def _evidence(tables: Sequence[Unchecked], findings: Findings, choices: JudgementChoices) -> Checked:
    """Returns the passages in tables, with a row without offsets for each document that was judged not relevant."""
    parts = []
    for table in tables:
        part = checked(table, *rules.evidence(table))
        part.rows = part.rows.with_columns(rules.PASSAGE_LENGTH)
        findings.warnings += [*passage_texts.other_units(table), *passage_texts.text_warnings(table, part.rows)]
        findings.warnings += _without_offsets(table, part.rows)
        parts.append(part)
    found = Checked.joined(parts)
    found.once((*PAIR, "start", "length"), "passage", pl.col("start").is_null())
    if not choices.merge_passages:
        pages = ((table, name) for table in tables if (name := passage_texts.part_in(table)) is not None)
        advice = "".join(f"; {passage_texts.joining_parts(*page)}" for page in islice(pages, 1)) + MERGING
        found.once((*PAIR, "start", "length"), "passage", pl.col("start").is_not_null(), advice=advice)
    return found


def _without_offsets(table: Unchecked, rows: pl.DataFrame) -> list[Problem]:
    """Returns a warning about rows that lack offsets, but have a grade above 0 or a text, and are probably evidence."""
    lacks = rows["start"].is_null()
    evidence = rows["grade"].fill_null(0) > 0 if "grade" in rows.columns else pl.Series([False]).new_from_index(0, rows.height)
    text = passage_texts.column_of_texts(table)
    if text is not None and table.frame.height == rows.height:
        evidence |= table.frame[text].is_not_null()
    count = int((lacks & evidence).sum())
    if not count:
        return []
    verb = plural(count, "row", "has a grade above 0 or a text, but lacks offsets", "have a grade above 0 or a text, but lack offsets")
    return [Problem(f"{verb}; a row without offsets judges its document not relevant", file=table.what, severity="warning")]


def _elements(tables: Sequence[Unchecked], scale: Scale | None, findings: Findings) -> pl.DataFrame:
    """Reads tables of assessed elements; elements of size 0 are excluded, and a warning gives their number."""
    asked = [table for table in tables if "exhaustivity" in table.own]
    if scale is None:
        texts = [checked(table, (rules.EXHAUSTIVITY,)).rows.select("exhaustivity") for table in asked]
        scale = scale_of(pl.concat(texts)) if texts else "inex2005"
    found = Checked.joined([checked(table, *rules.elements(scale)) for table in tables])
    if scale == "inex2004":
        found.rows = found.rows.with_columns(specificity=(pl.col("specificity") * 3).round() / 3)
    rows = found.told(findings)
    for file, count in rows.filter(pl.col("size") == 0).group_by("file", maintain_order=True).len().iter_rows():
        message = plural(count, "assessed element", "of size 0 is ignored", "of size 0 are ignored")
        findings.warnings.append(Problem(message, file=file, severity="warning"))
    kept = rows.filter(pl.col("size").is_null() | (pl.col("size") != 0))
    return kept.with_columns(pl.col("exhaustivity").cast(EXHAUSTIVITY)).select(*ELEMENTS, *PLACE)
