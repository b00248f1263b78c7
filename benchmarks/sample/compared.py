"""Compares the scores of the sample's runs with the scores of runs of TREC, as the table on the page about the sample.

``python -m benchmarks.sample.compared trec5_ap.csv trec6_ap.csv trec7_ap.csv`` writes the table to the page. Each file contains the average
precision of one run in each column, and of one topic in each line after the heading.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from inexmetrics import CollectionWarning, run, sample, scores_from
from inexmetrics.common.arrays import FloatArray

__all__ = ["PAGE", "SHOWN", "row", "rows_of_the_sample", "rows_of_trec", "with_table"]

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "sample.md"
SHOWN: Final = (
    "MAP",
    "MAep ~ Gen5",
    "MAep ~ GenLifted",
    "MAep ~ BinExh",
    "nxCG@10 ~ Gen5",
    "MAiP",
    "MAgP",
    "P@10",
    "nDCG@10",
    "char_f1",
    "char_rec",
)
"""Measures of the table's lines for the sample, with their quantisations."""
HEAD: Final = (
    "| scores | best mean | lowest mean / best mean | SD / mean of the means | skewness of differences: median | skewness of differences: highest tenth "
    "| pairs that differ significantly |\n|---|---|---|---|---|---|---|\n"
)


def row(name: str, scores: FloatArray) -> str:
    """Returns a line of the table.

    Args:
        name: What was scored.
        scores: Scores of shape (runs, topics).
    """
    means = scores.mean(axis=1)
    first, second = np.triu_indices(len(scores), 1)
    differences = scores[first] - scores[second]
    centred = differences - differences.mean(axis=1, keepdims=True)
    variances = (centred**2).mean(axis=1)
    differ = variances > 1e-24  # the differences of tied runs have no skewness
    skewness = np.abs((centred[differ] ** 3).mean(axis=1) / variances[differ] ** 1.5)
    frame = pl.DataFrame({"topic": np.arange(scores.shape[1]), **{f"run{number}": row for number, row in enumerate(scores)}})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)  # scores of TREC depend on runs that hardly vary
        claimed = run('significance(given("x"))', scores_from(frame, measure="x")).tables["summary"]["share"].item()
    cells = (
        f"{means.max():.3f}",
        f"{means.min() / means.max():.2f}",
        f"{means.std(ddof=1) / means.mean():.2f}",
        f"{np.median(skewness):.2f}",
        f"{np.quantile(skewness, 0.9):.2f}",
        f"{100 * claimed:.0f} %",
    )
    return f"| {name} | {' | '.join(cells)} |\n"


def rows_of_trec(files: Iterable[Path]) -> Iterator[str]:
    """Returns a line for each file, named after it."""
    for file in files:
        frame = pl.read_csv(file)
        year = file.name.partition("_")[0].removeprefix("trec")
        yield row(f"TREC-{year}, average precision: {frame.width} runs, {frame.height} topics", frame.to_numpy().T)


def rows_of_the_sample() -> Iterator[str]:
    """Returns a line for each measure of the sample's runs."""
    for shown in SHOWN:
        table = run(f"scores({shown})", sample()).tables["per_topic"]
        matrix = table.pivot("topic_id", index="run_id", values="score").drop("run_id")
        yield row(f"sample, `{shown}`", matrix.to_numpy())


def with_table(text: str, rows: Iterable[str]) -> str:
    """Returns the page's text with these lines in place of those of its table."""
    before, _, rest = text.partition(HEAD)
    if not rest:
        raise ValueError(f"expected a table with the heading\n{HEAD}")
    lines = rest.splitlines(keepends=True)
    after = next((number for number, line in enumerate(lines) if not line.startswith("| ")), len(lines))
    return before + HEAD + "".join(rows) + "".join(lines[after:])


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(), [*rows_of_trec(map(Path, sys.argv[1:])), *rows_of_the_sample()]))
