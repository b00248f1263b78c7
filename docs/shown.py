"""What the reference shows with an entry beside its docstring: charts, commands with what they print, and words for the search.

A command runs in a copy of ``docs/files``. What it prints stands in the page, where ``docs/examples.py`` checks and renews it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from docs.commands import commands_of
from docs.examples import ROOT, blocks, joined, prepare, printed, typed
from inexmetrics.formula import parse
from inexmetrics.formula.hints import example_formula
from inexmetrics.terms.lexicon import lexicon

__all__ = ["CHARTS", "KEYWORDS", "Chart", "charts", "console", "keywords"]

REFERENCE: Final = ROOT / "docs" / "reference"

KEYWORDS: Final[Mapping[str, str]] = {
    "agreement": "cheaper judgements, same conclusions, replicate",
    "calibration": "false positives, error rate of a test",
    "corrections": "multiple testing, multiple comparisons, FDR, FWER, Benjamini-Hochberg",
    "documents": "nDCG@10, P@10, MRR, MAP, recall@100, trec_eval measures",
    "extend": "custom measure, custom experiment, plugin, own words",
    "from_frames": "load pandas, polars, Arrow, DataFrame, dictionaries, ranx, pytrec_eval, ir_measures",
    "judges": "LLM as a judge, agreement of judges, kappa",
    "power": "how many topics, sample size, number of queries",
    "ranks": "leaderboard, tiers, ties, best run",
    "read_assessments": "load qrels, import, open, relevance judgements",
    "read_runs": "load TREC run files, import, open results",
    "result": "export LaTeX, CSV, JSON, Markdown, save figure, PDF, plot, notebook",
    "scores": "evaluate runs, means, error bars, confidence interval",
    "scores_from": "load CSV of scores, leaderboard, score matrix, lm-eval-harness, Inspect, MTEB",
    "significance": "p_adjusted, p-value, paired t-test, significance test, which runs differ",
    "tests": "bootstrap, permutation test, t-test, Wilcoxon",
    "versus": "baseline, compare with a baseline, improvement over",
}
"""Words that people type into the search for a page of the reference, and that the page itself does not say in this form."""


def keywords(page: str) -> str:
    """Returns the hidden line with the keywords of a page of the reference; empty if it has none."""
    return f"<p hidden>{KEYWORDS[page]}</p>\n" if page in KEYWORDS else ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of an experiment.

    Attributes:
        alt: What is to be seen.
        file: The name of the picture in ``docs/pictures``, without its ending.
        source: The formula on the sample, or the command, from which it is drawn.
    """

    alt: str
    file: str
    source: str


CHARTS: Final[Mapping[str, tuple[Chart, ...]]] = {
    "scores": (Chart("Means of runs with their intervals, and the scores of topics", "scores", "scores(MAep + nxCG@10 ~ Gen5)"),),
    "significance": (Chart("Matrix of runs: a cell is coloured if one run of the pair is significantly better than the other", "significance", "significance(MAep ~ Gen5 | t | Holm)"),),
    "ranks": (Chart("Range of possible ranks of each run, grouped by tier", "ranks", "ranks(MAep ~ Gen5 | tukey)"),),
    "agreement": (
        Chart("Differences between runs under BinExh against those under Gen5, and their significance", "agreement", "agreement(BinExh, Gen5, measure=MAep)"),
        Chart("Precision and recall against the threshold on the difference", "thresholds", "agreement(BinExh, Gen5, measure=MAep, at_least=0.02)"),
    ),
    "power": (Chart("Power against the number of topics, with the number of topics at which power reaches 80 %", "power", "power(MAep ~ Gen5, difference=(0.01, 0.02), topics=(29, 34, 50, 100))"),),
    "design": (Chart("Power and F1 of each plan against its cost", "design", 'design(MAP ~ assessor("second") + assessor("third") + assessor("first"), truth=assessor("first"), cost=(0.1, 0.2, 1), topics=(5, 10, 14, 25, 50, 100))'),),
    "reliability": (Chart("Reliability against the number of topics", "reliability", "reliability(MAep ~ Gen5, topics=(34, 100))"),),
    "error_rate": (Chart("Error rates of four tests with their intervals", "error_rate", "error_rate(MAep ~ Gen5, splits=10)"),),
    "calibration": (Chart("Share of leaderboards on which each test finds a significant difference, with the nominal error rate as a line", "calibration-board", 'inexmetrics "calibration(given(\\"accuracy\\"))" --scores board.csv'),),
    "meta": (Chart("Differences between four pairs of systems on each dataset and over all datasets", "meta-families", 'inexmetrics "meta(given(\\"accuracy\\"), within=\\"family\\")" --scores families.csv'),),
    "versus": (Chart("Differences between one run and all other runs, with their significance", "versus", 'versus("group01-a", MAep ~ Gen5 | t | Holm)'),),
    "fidelity": (
        Chart("Pairs of simulated runs whose expected order is confirmed, tied or reversed", "fidelity", "fidelity(MAgP + MAgPsize)"),
        Chart("Curves of simulated runs that retrieve five sets of parts of documents", "fidelity-curves", "fidelity(iGP)"),
    ),
    "curve": (
        Chart("Precision of each run against recall", "curve", "curve(MAP ~ BinExh)"),
        Chart("Normalised cumulated gain of each run against the rank, and cumulated gain of the run and of the ideal list", "curve-gains", "curve(nxCG@25 ~ Gen5)"),
    ),
    "correlation": (Chart("Correlation coefficients between conditions", "correlation", 'correlation(MAep + nxCG@25 ~ Gen5 + BinExh, of="runs", method="kendall")'),),
    "degradation": (Chart("Scores of ideal runs with increasing disturbance", "degradation", "degradation(MAEPRUM(navigation=hierarchy) + iMAep ~ Gen5)"),),
    "assessors": (Chart("Variation of the ranking of runs with the assessors of topics", "assessors", "assessors(MAP)"),),
    "judges": (Chart("Conclusions that a judge finds and misses, and correlation between the rankings of runs under the judge and under the truth", "judges-two", 'judges(MAP ~ assessor("second") + assessor("third") | t, truth=assessor("first"))'),),
    "disagreement": (Chart("Shift of each topic between two assessors, with the contributions of documents as parts of a bar", "disagreement", 'disagreement("group07-c", "group01-a", P@10 ~ assessor("second") + assessor("first"))'),),
    "ppi": (Chart("Means of runs, estimated from both kinds of judgements together and from each kind separately, with intervals", "ppi-two", 'inexmetrics "ppi(MAP ~ assessor(\\"llm\\"), truth=assessor(\\"human\\"))" --scores two-judges.csv'),),
}  # fmt: skip
"""Charts of the experiments, the first of which shows the experiment's usual question; for other experiments, the chart is of an example that is made from their parameters."""


def charts(word: str) -> tuple[Chart, ...]:
    """Returns the charts of an experiment."""
    if word in CHARTS:
        return CHARTS[word]
    entry = lexicon.entries[word]
    formula = example_formula(entry, parse)
    return () if formula is None else (Chart(entry.summary.rstrip("."), word, formula),)


def console(name: str, page: Path) -> Iterator[str]:
    """Yields the block with the commands of an entry: what the entry's page shows that they print, or what they print now."""
    if asked := commands_of(name):
        known = _known(page)
        lines = [line for command in asked for line in (typed(command), known.get(command) or _printed(command))]
        text = "\n".join(line.rstrip("\n") for line in lines if line)
        yield f"On the command line:\n\n```console\n{text}\n```\n"


def _known(page: Path) -> Mapping[str, str]:
    """Returns what a page shows that each of its commands prints."""
    found: dict[str, str] = {}
    for block in blocks(page) if page.exists() else ():
        if block.language == "console":
            parts = joined(block.text).split("$ ", 1)[-1].split("\n$ ")
            found |= {command: output for command, _, output in (part.partition("\n") for part in parts)}
    return found


@cache
def _printed(command: str) -> str:
    with tempfile.TemporaryDirectory() as name, chdir(name):
        prepare(Path(name), REFERENCE / "index.md")
        return printed(command, Path(name))
