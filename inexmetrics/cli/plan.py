"""The command ``plan``, which writes which documents to judge next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

from inexmetrics.cli import console, results
from inexmetrics.cli.arguments import Planning, UsageError
from inexmetrics.collection import Assessments, Runs, assessed_documents, judged_by, judgements_by_assessor
from inexmetrics.collection.sheets import Sheet
from inexmetrics.common.errors import CollectionError, Problem, summaries
from inexmetrics.common.files import write_files
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.formula import parse
from inexmetrics.judgements.estimated import UNNAMED
from inexmetrics.measures.base import Measure
from inexmetrics.reading import assessments, findings, judgement_tables
from inexmetrics.reading.files import Paths
from inexmetrics.reading.formats import Format
from inexmetrics.reading.recognise import Source, recognised
from inexmetrics.reading.rules import BOUNDED_GRADE
from inexmetrics.reading.run_files import RunChoices, runs_of_files
from inexmetrics.reading.sheets import read_sheet
from inexmetrics.scoring.planning import planned, scale_of_plan, sheet_text
from inexmetrics.simulations.sample import sample

__all__ = ["plan_documents"]


def plan_documents(request: Planning) -> int:
    """Writes which documents to judge next, and prints the cost of the plan to standard error. Returns the exit code."""
    if request.budget < 2 or request.seed < 0:
        name, least = ("--budget", 2) if request.budget < 2 else ("--seed", 0)
        raise UsageError(f"{name}: expected an integer of at least {least}, found {request.budget if least else request.seed}")
    for path in request.judged:
        if "=" in str(path) and not path.exists():
            raise UsageError(
                f"--judged: expected a file without a name, found {path}; write --judged {shlex.quote(str(path).partition('=')[2])}"
            )
    measure = parse(request.measure, Measure)
    _refuse_graded(request.output)
    runs = _runs(request)
    given = _read(request, request.data.assessments) if request.data.assessments else None
    judge_name, judge = _judge(request, given)
    judged = _read(request, request.judged) if request.judged else None
    found = planned(runs, measure, budget=request.budget, judge=judge, judged=judged, seed=request.seed)
    sheet = found.sheet
    grades = request.data.grades or scale_of_plan(measure, judge, judged)
    text = sheet_text(runs, measure, found, seed=request.seed, judge=judge_name, grades=grades)
    if request.output is None:
        results.print_bytes(text.encode())
    else:
        write_files({request.output: text.encode()})
    new = sheet.filter(pl.col("grade").is_null())
    if given is not None and (known := _known_to_others(request, given, judge_name, new)):
        console.print_error(f"warning: {known}")
    before = sheet.height - new.height
    for warning in found.warnings:
        console.print_error(f"warning: {warning}")
    unused = 0 if judged is None else assessed_documents(judged).filter(pl.col("grade") >= 0.0).height - before
    console.print_error(
        f"{plural(new.height, 'document')} to judge for {plural(new['topic_id'].n_unique(), 'topic')}"
        + (f"; {before} judged before" if before else "")
        + (f"; {plural(unused, 'other judged document', 'has', 'have')} no weight under {measure}" if unused else "")
        + (
            f"; these are all {plural(found.pooled, 'document')} of the pool"
            if sheet.height == found.pooled
            else f"; the pool has {found.pooled:,} documents"
        )
        + (f"; {request.output}: fill in the column grade" if request.output else "")
    )
    return 0


def _runs(request: Planning) -> Runs:
    data = request.data
    if not data.runs:
        built_in = sample().runs
        assert built_in is not None  # the sample has runs
        console.print_error("no --runs: the documents are those of the built-in simulated sample")
        return built_in
    with console.watched(request.progress) as progress:
        setting = RunOptions(progress=progress)
        runs = runs_of_files(data.runs, setting, RunChoices(**data.keywords("read_runs")))
    _show(runs.warnings)
    return runs


def _judge(request: Planning, found: Assessments | None) -> tuple[str | None, Assessments | None]:
    """Returns the name and the judgements of the cheap judge among the judgements that are given; None without a judge."""
    if found is None:
        if request.judge is not None:
            raise UsageError("--judge: expected --assessments in addition, found none")
        return None, None
    names = found.assessor_names
    if not names and request.judge is None:
        return UNNAMED, found
    if request.judge is None and len(names) > 1:
        raise UsageError(f"--judge: expected the name of the cheap judge, one of {enumerate_names(names)}, found none")
    name = names[0] if request.judge is None else request.judge
    if name not in names and "(" in name:
        raise UsageError(f"--judge: expected the name of one assessor ({enumerate_names(names)}), found {name}; a plan has one judge")
    return name, judged_by(found, name)


def _known_to_others(request: Planning, given: Assessments, judge: str | None, new: pl.DataFrame) -> str | None:
    """Returns the warning about new documents that assessors other than the cheap judge have judged; None if there are none."""
    if not given.assessor_names:
        return None
    graded = judgements_by_assessor(given).filter((pl.col("assessor") != judge) & (pl.col("grade") >= 0.0))
    known = graded.join(new, on=["topic_id", "doc_id"], how="semi")
    if known.is_empty():
        return None
    names = known["assessor"].unique().sort().to_list()
    files = request.data.assessments
    paths = [str(files[name]) for name in names if name in files] if isinstance(files, Mapping) else []
    count = known.select("topic_id", "doc_id").n_unique()
    way = f"--judged {shlex.quote(paths[0])}" if len(names) == len(paths) == 1 else "--judged FILE, with one assessor's judgements,"
    return (
        f"{count:,} of the {plural(new.height, 'document')} to judge {'is' if count == 1 else 'are'} judged by {enumerate_names(names)} already; "
        f"{way} keeps those grades and spends the budget on other documents"
    )


def _read(request: Planning, paths: Paths | Mapping[str, Paths]) -> Assessments:
    found = assessments.assessments_of_files(paths, judgement_tables.JudgementChoices(**request.data.keywords("read_assessments")))
    _show(found.warnings)
    return found


def _refuse_graded(path: Path | None) -> None:
    """Raises an error unless a file may be overwritten: it does not exist, or it is a sheet without any grade."""
    if path is None or not path.exists():
        return
    try:
        form = recognised(path, "assessments")
    except CollectionError:
        form = "an unreadable file"
    sheet: Sheet | None = None if form is not Format.SHEET else read_sheet(Source(path, Format.SHEET), findings.Findings(), BOUNDED_GRADE)
    if sheet is None or not sheet.untouched:
        what = "a sheet in which people have filled in grades" if sheet is not None else "another file"
        raise CollectionError(Problem(f"--output: expected a new file, found {what}, which is not overwritten", file=str(path)))


def _show(warnings: Iterable[Problem]) -> None:
    for text in summaries(warnings):
        console.print_error(f"warning: {text}")
