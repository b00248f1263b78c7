"""Reads assessments from files and from data sets of ir_datasets: judged elements, passages and documents.

The highlighted passages of INEX 2005 and 2006 are converted from paths of elements to character offsets.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.assessors import by_assessor
from inexmetrics.collection.consistency import validate_all
from inexmetrics.collection.layout import Layout
from inexmetrics.collection.structure import GIVEN_STRUCTURE, UNRESOLVED, Structure, extents
from inexmetrics.common.elements import WHOLE, Scale, place
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings
from inexmetrics.common.messages import did_you_mean, enumerate_names, install_command, plural, shortened, with_hint
from inexmetrics.common.options import refuse_fork
from inexmetrics.reading.checker import PLACE, Checked, Unchecked
from inexmetrics.reading.files import Paths, listed, named_paths, shown_path
from inexmetrics.reading.findings import Findings, about, located, shown
from inexmetrics.reading.formats import Format
from inexmetrics.reading.judgement_tables import PAIR, Judged, JudgementChoices, highlights, read_judgement_tables
from inexmetrics.reading.line_files.qrels import read_fol_qrels, read_qrels
from inexmetrics.reading.recognise import Source, sources
from inexmetrics.reading.sheets import read_sheet
from inexmetrics.reading.stated_columns import OF_JUDGEMENTS, check_used, stated_columns
from inexmetrics.reading.table_files import table_in
from inexmetrics.reading.tabular import tabular
from inexmetrics.terms.parameter_types import Optional, argument, flags

if TYPE_CHECKING:
    from inexmetrics.reading.inex_xml import JudgedElements

__all__ = ["assessments_of_files", "gather_assessments", "read_assessments"]


def placed_highlights(
    judged: JudgedElements, structure: Structure, others: Collection[str], findings: Findings, *, merge_passages: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns the judged documents and their highlighted passages as tables with the columns of `DOCUMENTS` and of `PASSAGES`.

    Args:
        judged: The judgements in INEX assessment files.
        structure: The offsets of the elements of documents.
        others: Topics whose passages were read from other files, and which are excluded.
        findings: The object to which problems are added: passages and entry points that are not in the structure, overlapping passages, and
            passages whose lengths in the file and in the structure are different.
        merge_passages: Whether passages that overlap or touch are merged; otherwise overlap is an error.
    """
    wanted = ~pl.col("topic_id").is_in(list(others))
    files = judged.files.unique(PAIR, keep="first", maintain_order=True)
    relevant = judged.elements.filter((pl.col("exhaustivity").cast(pl.String) != "0").fill_null(True) & (pl.col("specificity") > 0))
    unknown = files.join(relevant, on=PAIR, how="semi", maintain_order="left").join(judged.passages, on=PAIR, how="anti")
    if not unknown.is_empty():  # if a document has relevant elements but no passages, its highlighted text is unknown
        message = f"{plural(unknown.height, 'document')} with relevant elements but no highlighted passages: only their elements are read"
        findings.warnings.append(Problem(message, severity="warning"))
    files = files.join(unknown, on=PAIR, how="anti", maintain_order="left").filter(wanted)
    passages = _placed(judged.passages.filter(wanted), structure, "passage", findings)
    # The lengths differ if the structure and the assessments belong to different copies of the documents.
    other = passages.filter(pl.col("size") != pl.col("length"))
    for row in other.head(1).iter_rows(named=True):
        message = (
            f"{plural(other.height, 'passage', 'has', 'have')} a different length in the structure than in the file, such as "
            f"{shown(row['path'])} with {plural(row['length'], 'character')} instead of {row['size']}; the structure may be from a different copy "
            "of the documents"
        )
        findings.warnings.append(Problem(message, file=row["file"], line=row["line"], topic_id=row["topic_id"], severity="warning"))
    entries = _placed(judged.entries.filter(wanted), structure, "best entry point", findings)
    lengths = structure.elements.filter(place(pl.col("path")) == WHOLE).select("doc_id", docchars="length").unique("doc_id")
    rows = (
        files.join(passages.select(*PAIR, "start", "length", "file", "line"), on=PAIR, how="left", maintain_order="left")
        .join(lengths, on="doc_id", how="left", maintain_order="left")
        .join(entries.unique(PAIR, keep="first").select(*PAIR, bep="start"), on=PAIR, how="left", maintain_order="left")
        .with_columns(
            *(pl.coalesce(f"{name}_right", name).alias(name) for name in ("file", "line")),
            row=pl.int_range(pl.len(), dtype=pl.Int64),
            relchars=pl.lit(None, pl.Int64),
        )
    )
    return highlights(Checked(rows, []), findings, merge_passages=merge_passages)


def _placed(named: pl.DataFrame, structure: Structure, noun: str, findings: Findings) -> pl.DataFrame:
    """Adds start and length to items that are given by a path; an item that is not in the structure is excluded, with an error."""
    unplaced = named.select("doc_id", "path", *(pl.lit(None, pl.Int64).alias(name) for name in ("start", "length")))
    placed = named.hstack(extents(unplaced, Assessments(), structure))
    lost = pl.col("start") == UNRESOLVED
    for row in placed.filter(lost).iter_rows(named=True):
        findings.rows.append(located(row, f"expected a {noun} in the structure, found {shown(row['path'])}"))
    return placed.filter(~lost)


SCALES: dict[Format, Scale] = {Format.INEX2004: "inex2004", Format.INEX2005: "inex2005"}
DATASET: Final = "irds:"
"""Prefix of the name of a data set of ir_datasets, in place of the path of a file."""
REASON: Final = 200
"""Maximum number of characters of a message of ir_datasets that an error message quotes."""


def read_assessments(
    path: Paths | Mapping[str, Paths],
    *,
    structure: Structure | None = None,
    strict: bool = True,
    merge_passages: bool = False,
    grades: tuple[float, float] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Assessments:
    r"""Reads assessments: INEX 2004 and 2005 elements (XML), FOL qrels, TREC qrels, qrels of several assessors, and tables.

    Formats are recognised by content, and files of different formats may be read together; ``.gz`` and ``.zst`` files are decompressed. The
    second column of qrels (``topic iteration doc grade``) is read as names of assessors if any value is a name, or if the same topic and
    document occur with different values in this column.

    A table is a CSV file, a JSON Lines file or a Parquet file. A CSV file has a header, and its values are separated by commas, tabs or
    semicolons. The columns of tables of evidence, graded documents and assessed elements are described under `from_frames`.

    A path that consists of ``irds:`` and the identifier of a data set reads the judgements with ir_datasets, which downloads the data set
    if necessary: ``read_assessments("irds:beir/scifact/test")``. The package ir_datasets is installed by the extra ``datasets``.

    If a structure with the offsets of elements is given, both the assessed elements and the highlighted passages of INEX 2005 and 2006 are
    read; without a structure, only the assessed elements are read. For a topic with passages in FOL qrels or tables, only
    these passages are read, and the highlighted passages of INEX 2005 and 2006 are ignored.

    Args:
        path: A file, a folder, or a list of files and folders. A folder is read with its subfolders. In a folder, files without assessments
            are skipped, and a warning names them. An ``irds:…`` name can be given in place of a file. For several assessors, a dictionary
            that maps the name of each assessor to a path in any of these forms.
        structure: The offsets of the elements of the assessed documents; needed only for highlighted passages of INEX 2005 and 2006.
        strict: Whether an invalid row is an error; otherwise the row is dropped with a warning.
        merge_passages: Whether highlighted passages of the same topic and document are merged if they overlap or touch. The characters of
            merged passages are counted once, and the best entry point is kept. Without merging, overlapping passages are an error.
        grades: The lowest and the highest grade of graded documents; other grades are errors. If None, any grade is valid.
        columns: For each column of the user's tables whose name is not recognised, the name in this package, as in ``{"frage":
            "topic_id"}``. A name with points, such as ``metadata.start_index``, is a path into nested records. A table that lacks a named
            column is read without it, but at least one table must have the column. Several columns of the names of runs, topics or
            documents are joined by slashes.

    Returns:
        The assessments. The attribute `warnings` contains the warnings, which are also emitted as `CollectionWarning`.

    Raises:
        CollectionError: The input is invalid. The error lists all problems with file and line: malformed rows, grades outside their scale,
            an exhaustivity of 0 with a specificity above 0, repeated judgements, assessments of both INEX 2004 and 2005, passages that are
            not in the structure, files of other formats, unknown data sets, and data sets without judgements.

    Notes:
        * Elements of size 0: Assessed elements of size 0 are dropped, and a warning gives their number.
        * Passages that are written as paths: The offsets of passages that are written as paths are looked up in the structure; a
          passage that it lacks is an error. FOL qrels that are also read replace the passages of their topics.
        * Documents without a passage: In a file with passages, a document may have relevant elements but no passages. Its highlighted
          text is unknown, so only its elements are read.
        * Total length of passages: In a table, the total length of a document's highlighted passages must equal its `relchars`, if
          given, and must not exceed its `docchars`, as in FOL qrels.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".qrels") as file:
        ...     _ = file.write("1 0 a 2\n1 0 b 0\n2 0 c 1\n")
        ...     file.flush()
        ...     assessments = read_assessments(file.name)
        >>> assessments.kinds, assessments.topics
        (('documents',), ('1', '2'))
    """
    refuse_fork("read_assessments")
    argument("structure", Optional(GIVEN_STRUCTURE), structure)
    flags(strict=strict, merge_passages=merge_passages)
    stated = stated_columns(columns, OF_JUDGEMENTS)
    found = assessments_of_files(path, JudgementChoices(structure, strict, merge_passages, grades, stated))
    check_used(stated, found.read)
    return found


def assessments_of_files(path: Paths | Mapping[str, Paths], choices: JudgementChoices) -> Assessments:
    """Reads assessments as `read_assessments` does; stated columns that no table has are ignored."""
    findings = Findings()
    assessments = gather_assessments(path, findings, choices)
    warnings = findings.settled(choices.strict)
    if assessments is None:
        raise CollectionError("expected assessments of at least one topic, found none")
    validate_all(assessments)
    emit_warnings(warnings)
    return replace(assessments, warnings=warnings, read=findings.read)


def gather_assessments(paths: Paths | Mapping[str, Paths], findings: Findings, choices: JudgementChoices) -> Assessments | None:
    """Returns the assessments read from the paths, or None if nothing valid was found; problems are added to `findings`."""
    if isinstance(paths, Mapping) and not paths:
        raise CollectionError("expected the assessments of at least one assessor, found none")
    of_assessors = {name: listed(given) for name, given in paths.items()} if isinstance(paths, Mapping) else {"": listed(paths)}
    by_files: dict[frozenset[Path], str] = {}
    for assessor, named in of_assessors.items():
        if (other := by_files.setdefault(frozenset(Path(path).absolute() for path in named), assessor)) != assessor:
            text = f"expected other files for each assessor, found the same for {enumerate_names([other, assessor])}"
            way = "if a file has a column for each, write a row for each grade, with columns assessor and grade (polars: unpivot)"
            raise CollectionError(f"{text}; {way}", file=named_paths(named))
    gathered = {assessor: _gathered(named, findings, choices) for assessor, named in of_assessors.items()}
    held = {assessor: judged for assessor, judged in gathered.items() if judged is not None}
    found: Assessments | None = None
    with findings:
        found = by_assessor(held) if held and isinstance(paths, Mapping) else held.get("")
        choices.refuse_ungraded(found)
    return found


def _gathered(paths: Paths, findings: Findings, choices: JudgementChoices) -> Assessments | None:
    """Returns the assessments read from the paths of one assessor, or of files that name their assessors; None if nothing valid was found."""
    given = [(path, shown_path(path).replace(os.sep, "/")) for path in listed(paths)]
    datasets = [written for _, written in given if written.startswith(DATASET)]
    named = [path for path, written in given if not written.startswith(DATASET)]
    files = sources(named, "assessments", findings, choices.columns) if named or not datasets else []

    def of(*formats: Format) -> list[Source]:
        return [file for file in files if file.format in formats]

    findings.layouts += [Layout("assessments", (file.name,), file.format.called) for file in of(*SCALES, Format.SHEET)]
    scales = [known for known in SCALES if of(known)]
    if len(scales) > 1:
        found = " and ".join(f"{of(known)[0].name} ({known.called})" for known in scales)
        findings.files.append(Problem(f"expected all elements to be assessed on the same scale, found {found}"))
    inex = None
    if scales:
        from inexmetrics.reading.inex_xml import read_elements  # loaded only for XML

        inex = read_elements(of(scales[0]), findings)
    judged = Judged(on_scale=choices.grades is not None)
    judged.parts["grades"], judged.parts["assessors"] = read_qrels(of(Format.QRELS, Format.PAIRS), findings, choices.grade)
    if fol := of(Format.FOL_QRELS):  # each line is a judgement of its own
        lines = Checked(read_fol_qrels(fol, findings), [])
        judged.highlighted(*highlights(lines, findings, ["row"], merge_passages=choices.merge_passages))
    with findings:
        tables = [table for source in of(Format.JUDGEMENT_TABLE) if (table := table_in(source, findings)) is not None]
        for dataset in datasets:
            with findings, about(dataset):
                tables.append(_judgements_in(dataset))
        read_judgement_tables(tables, judged, findings, choices)
    if inex is not None:
        for of_table in judged.parts["elements"]:
            text = "expected assessed elements in XML files or in tables, found both"
            findings.files.append(Problem(text, file=of_table["file"][0]))
        judged.parts["elements"] = [inex.elements]
        if not inex.passages.is_empty() and choices.structure is not None:
            others = {topic for part in judged.parts["documents"] for topic in part["topic_id"].unique()}
            judged.highlighted(*placed_highlights(inex, choices.structure, others, findings, merge_passages=choices.merge_passages))
    sheets = [sheet for source in of(Format.SHEET) if (sheet := read_sheet(source, findings, choices.grade)) is not None]
    if len(sheets) > 1:
        names = enumerate_names([sheet.source for sheet in sheets])
        message = f"expected one sheet of documents to judge for each assessor, found {len(sheets)}: {names}; a second plan takes the first with --judged, and parts of one sheet are joined to one file"
        findings.files.append(Problem(message))
    judged.on_scale |= bool(sheets)  # the sheet states the scale, or its plan does
    nowhere = {name: pl.lit(None, dtype) for name, dtype in PLACE.items()}
    judged.parts["grades"] += [sheet.graded.with_columns(**nowhere).with_columns(file=pl.lit(sheet.source)) for sheet in sheets]
    scale, topics = (None, ()) if inex is None else (SCALES[scales[0]], inex.topics)  # a topic may have a file without judgements
    held = replace(judged.assessments(findings, scale, topics), sheets={"": sheets[0]} if sheets else {})
    return held if held.topics else None


def _judgements_in(written: str) -> Unchecked:
    try:
        import ir_datasets  # imported here, because the package is optional and slow to import
    except ImportError:
        raise CollectionError(f"data sets need the package ir_datasets: {install_command('datasets')}") from None
    name = written.removeprefix(DATASET)
    try:
        dataset = ir_datasets.registry[name]
    except KeyError:
        hint = did_you_mean(name, ir_datasets.registry)
        raise CollectionError(with_hint(f"expected a data set of ir_datasets, found {shortened(repr(name))}", hint)) from None
    if not dataset.has_qrels():
        parts = sorted(part for part in ir_datasets.registry if part.startswith(f"{name}/") and ir_datasets.registry[part].has_qrels())
        hint = f"; data sets with judgements: {enumerate_names(parts)}" if parts else ""
        raise CollectionError(f"expected a data set with judgements (qrels), found one without{hint}")
    try:
        rows = list(dataset.qrels)
    except Exception as error:  # catches all errors, because ir_datasets may fail to download, decompress or parse the data set
        said = next((part for part in error.args if isinstance(part, str)), None) or str(error) or type(error).__name__
        raise CollectionError(f"expected judgements, found an error from ir_datasets: {shortened(said, REASON)}") from error
    if rows and hasattr(rows[0], "subtopic_id"):
        raise CollectionError("expected judgements for topics, found judgements for subtopics (subtopic_id)")
    return Unchecked(tabular(rows, "qrels"), written, role="assessments")
