"""Campaigns read from files and scored, as whole processes."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.generated import Campaign, campaign, one_run
from benchmarks.works.base import INEXMETRICS, Bound, Data, Section, Whole, Work, program
from inexmetrics import CollectionWarning, read_runs, write_runs

__all__ = ["FILES", "LARGE", "same_means", "seventy", "written"]

LARGE: Final = ("140x34x1500", "700x34x1500", "1x6980x1000", "1000x250x1000")
"""Folders of data that are read only by large benchmarks."""


def written(data: Data, runs: int, topics: int, results: int) -> Campaign:
    """Returns the campaign of this size, whose files are written if they do not exist."""
    return campaign(data.folder / f"{runs}x{topics}x{results}", runs, topics, results)


def seventy(data: Data) -> Campaign:
    """Returns a campaign of 70 runs x 34 topics x 1500 results, or a tiny campaign."""
    return sized(70, data)


def sized(runs: int, data: Data) -> Campaign:
    """Returns a campaign of this number of runs, with 34 topics and 1500 results; a tiny campaign has a tenth of the runs, and few topics and results."""
    return written(data, data.count(runs, runs // 10), data.count(34, 3), data.count(1500, 60))


def thousand(data: Data) -> Campaign:
    """Returns a campaign of 1,000 runs x 250 topics x 1000 results, or a tiny campaign."""
    return written(data, data.count(1000, 20), data.count(250, 5), data.count(1000, 40))


def table_4(data: Data) -> Campaign:
    """Returns a campaign with the numbers of runs and topics of the paper."""
    return written(data, data.count(55, 4), data.count(29, 3), data.count(1500, 60))


def files(made: Callable[[Data], Campaign], data: Data) -> Sequence[Path]:
    """Returns all files of a campaign."""
    of = made(data)
    return [of.qrels, of.elements, *sorted(of.runs.iterdir())]


def scores(made: Callable[[Data], Campaign], data: Data) -> list[str]:
    of = made(data)
    return [*INEXMETRICS, "scores(MAP + nDCG@10)", "--assessments", str(of.qrels), "--runs", str(of.runs), "--format", "csv"]


def converted(runs: Path) -> Path:
    """Returns the file of the runs in a folder in Parquet, which is written if it does not exist."""
    file = runs.parent / "runs.parquet"
    if not file.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            write_runs(read_runs(runs), file, "parquet")
    return file


def scores_of_parquet(data: Data) -> list[str]:
    of = seventy(data)
    return [*INEXMETRICS, "scores(MAP + nDCG@10)", "--assessments", str(of.qrels), "--runs", str(converted(of.runs)), "--format", "csv"]


def parquet_files(data: Data) -> Sequence[Path]:
    """Returns the files of the judgements, and of the runs in Parquet and as text."""
    return [*files(seventy, data), converted(seventy(data).runs)]


def by_pytrec_eval(runs: int, data: Data) -> list[str]:
    of = sized(runs, data)
    return program("pytrec_eval_means", of.qrels, of.runs)


def by_trec_eval(data: Data) -> list[str]:
    of = seventy(data)
    return program("trec_eval_means", str(data.trec_eval), of.qrels, of.runs)


def one(data: Data) -> Path:
    """Returns the folder of a single run on 6,980 topics with 1000 results each, which is written if it does not exist."""
    topics, results = data.count(6980, 20), data.count(1000, 40)
    return data.once(f"1x{topics}x{results}", partial(one_run, topics=topics, results=results))


def scores_of_one(data: Data, *, parquet: bool = False) -> list[str]:
    folder = one(data)
    runs = converted(folder / "runs") if parquet else folder / "runs"
    files = ["--assessments", str(folder / "assessments.qrels"), "--runs", str(runs)]
    return [*INEXMETRICS, "scores(MAP + nDCG@10)", *files, "--format", "csv"]


def one_by_pytrec_eval(data: Data) -> list[str]:
    return program("pytrec_eval_means", one(data) / "assessments.qrels", one(data) / "runs")


def one_by_trec_eval(data: Data) -> list[str]:
    return program("trec_eval_means", str(data.trec_eval), one(data) / "assessments.qrels", one(data) / "runs")


def files_of_one(data: Data) -> Sequence[Path]:
    return [one(data) / "assessments.qrels", *(one(data) / "runs").iterdir(), converted(one(data) / "runs")]


def divided(runs: int, data: Data) -> list[str]:
    return program("loading", *sorted(sized(runs, data).runs.iterdir()))


def counted(made: Callable[[Data], Campaign], data: Data) -> list[str]:
    return ["wc", "-l", *map(str, sorted(made(data).runs.iterdir()))]


def same_means(ours: str, theirs: str, atol: float = 0.0) -> None:
    """Checks that two tables of means have the same runs and measures, and the same means within rounding."""
    tables = [{(row["run_id"], row["measure"]): float(row["mean"]) for row in csv.DictReader(io.StringIO(text))} for text in (ours, theirs)]
    if tables[0].keys() != tables[1].keys():
        raise RuntimeError("expected means of the same runs and measures, found others")
    np.testing.assert_allclose([tables[0][key] for key in tables[1]], list(tables[1].values()), rtol=1e-9, atol=atol)


def all_of_table_4(data: Data) -> list[str]:
    of = table_4(data)
    formula = "agreement(nxCG@10 + nxCG@25 + nxCG@50 + MAep ~ Strict5 + FullySpec + Gen5 + GenLifted + BinExh)"
    return [*INEXMETRICS, formula, "--assessments", str(of.elements), "--runs", str(of.runs), "--format", "csv"]


def read_only(data: Data) -> list[str]:
    of = table_4(data)
    return program("reading", of.elements, of.runs)


FILES: Final = Section(
    "From files to scores",
    "The tasks compute MAP and nDCG@10 from text, by default for 34 topics x 1500 results. As in submitted runs, one score in fourteen is tied, ranks contradict scores "
    "in one ranking in ten, and one file in three is unsorted. A baseline that computes means prints the same means.",
    (
        Work(
            "files",
            "70 runs, 270 MB",
            "is pytrec_eval-terrier",
            Bound(faster=1.5, megabytes=350, of="cold"),
            "The task spends a quarter of its CPU time splitting lines, and another quarter loading libraries.",
            Whole(partial(scores, seventy), partial(by_pytrec_eval, 70), partial(files, seventy), same_means),
        ),
        Work(
            "files-trec-eval",
            "the same",
            "is the C program trec_eval as its Makefile compiles it, without optimisation, with one process per run",
            Bound(longer=0.42, clock="cpu"),
            "Loading libraries and splitting lines with polars takes half of the time. With `-O3`, trec_eval takes two thirds of its time. "
            "It prints four decimals, which are equal to those of inexmetrics.",
            Whole(partial(scores, seventy), by_trec_eval, partial(files, seventy), partial(same_means, atol=5.1e-5)),
            by_trec_eval=True,
        ),
        Work(
            "files-divided",
            "the same",
            "the floor with polars (imports, `read_csv` of the lines)",
            Bound(),
            "Any program that reads these files with polars takes at least as long as this baseline.",
            Whole(partial(scores, seventy), partial(divided, 70), partial(files, seventy)),
        ),
        Work(
            "files-parquet",
            "the same in Parquet by `inexmetrics convert`, 23 MB",
            "the text files",
            Bound(seconds=1.5, megabytes=400, clock="cpu"),
            "A third of the CPU time is for loading libraries, and a quarter for decoding the file. polars keeps a second copy of document names.",
            Whole(scores_of_parquet, partial(scores, seventy), parquet_files, same_means),
        ),
        Work(
            "files-one",
            "one run of 6,980 topics x 1000 results, 240 MB; names rarely repeat, as on MS MARCO",
            "is pytrec_eval-terrier",
            Bound(longer=1, megabytes=900, clock="cpu"),
            "The task spends almost half of its CPU time splitting lines. The file is read in pieces.",
            Whole(scores_of_one, one_by_pytrec_eval, files_of_one, partial(same_means, atol=1e-9)),
            repeats=2,
            large=True,
        ),
        Work(
            "files-one-trec-eval",
            "the same run",
            "is the C program trec_eval as its Makefile compiles it",
            Bound(longer=1, megabytes=900, clock="cpu"),
            "The slowest steps are those of the task `files-one`.",
            Whole(scores_of_one, one_by_trec_eval, files_of_one, partial(same_means, atol=5.1e-5)),
            repeats=2,
            large=True,
            by_trec_eval=True,
        ),
        Work(
            "files-one-parquet",
            "the same run in Parquet by `inexmetrics convert`, 70 MB",
            "the text file",
            Bound(longer=1, megabytes=900, clock="cpu"),
            "Checking and hashing the names of documents takes most of the CPU time. The file is read in pieces.",
            Whole(partial(scores_of_one, parquet=True), scores_of_one, files_of_one, same_means),
            repeats=2,
            large=True,
        ),
        Work(
            "files-140",
            "140 runs, 540 MB",
            "is pytrec_eval-terrier",
            Bound(faster=1.5, megabytes=450, of="cold"),
            "The slowest steps are those of the task `files`. Each additional run needs 10 bytes of memory per result.",
            Whole(partial(scores, partial(sized, 140)), partial(by_pytrec_eval, 140), partial(files, partial(sized, 140)), same_means),
            repeats=1,
            large=True,
        ),
        Work(
            "files-700",
            "700 runs, 2.7 GB",
            "`wc -l`",
            Bound(seconds=15, megabytes=700, of="cold"),
            "Most of the time is for splitting lines, most of the memory for the results.",
            Whole(partial(scores, partial(sized, 700)), partial(counted, partial(sized, 700)), partial(files, partial(sized, 700))),
            repeats=1,
            large=True,
        ),
        Work(
            "files-1000",
            "1,000 runs x 250 topics x 1000 results, 17.8 GB",
            "`wc -l`",
            # CPU time per result is at most a fifth longer than that of the task `files-700`: 23.6 s for 33.3 million results.
            Bound(seconds=199, megabytes=1300, clock="cpu"),
            "Most of the time is for splitting lines. Of the 2.3 GB of results, 1.8 GB are in temporary files; 3 million names are in memory.",
            Whole(partial(scores, thousand), partial(counted, thousand), partial(files, thousand)),
            repeats=1,
            large=True,
        ),
        Work(
            "table-4",
            "Table 4 of Ogilvie & Lalmas: 55 runs x 29 topics",
            "reading alone",
            Bound(seconds=3, of="cold"),
            "The task spends most of its time reading the files and performing the 20 bootstrap tests, each for 2,970 directed pairs.",
            Whole(all_of_table_4, read_only, partial(files, table_4)),
        ),
    ),
)
