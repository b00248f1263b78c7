"""Commands and charts that the reference shows with an entry: the same question as the entry's example in Python, on the command line.

A command runs in a copy of ``docs/files``. What it prints stands in the page, where ``docs/examples.py`` checks and renews it.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from docs.examples import ROOT, blocks, joined, prepare, printed, typed
from inexmetrics import Experiment
from inexmetrics.cli.catalogue import example_formula
from inexmetrics.terms.lexicon import lexicon

__all__ = ["CHARTS", "COMMANDS", "KEYWORDS", "Chart", "charts", "command_lines", "console", "keywords"]

REFERENCE: Final = ROOT / "docs" / "reference"

COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "agreement": ('inexmetrics "agreement(BinExh, Gen5, measure=MAep)"',),
    "assessors": ('inexmetrics "assessors(MAP)" --table summary',),
    "calibration": ("inexmetrics 'calibration(given(\"accuracy\"))' --scores board.csv",),
    "correlation": ("inexmetrics 'correlation(MAep + nxCG@25 ~ Gen5 + BinExh, of=\"runs\", method=\"kendall\")'",),
    "curve": ('inexmetrics "curve(MAP ~ BinExh)" | head -12',),
    "degradation": ('inexmetrics "degradation(MAEPRUM(navigation=hierarchy) + iMAep ~ Gen5)" | head -22',),
    "design": ("inexmetrics 'design(MAP ~ pooled(3) + 1, truth=1, cost=(1, 1), topics=(7, 14, 200))'",),
    "disagreement": ('inexmetrics \'disagreement("group07-c", "group01-a", P@5 ~ assessor("second") + assessor("first"))\'',),
    "error_rate": ('inexmetrics "error_rate(MAep ~ Gen5, splits=10)" --no-progress',),
    "fidelity": ('inexmetrics "fidelity(MAgP + MAgPsize + MAP)" | head -17',),
    "judges": ("inexmetrics 'judges(MAP ~ assessor(\"second\"), truth=assessor(\"first\"))' --table judges",),
    "meta": ("inexmetrics 'meta(given(\"accuracy\"), within=\"family\")' --scores families.csv --only-runs amber basil cedar",),
    "power": ('inexmetrics "power(MAep ~ Gen5, difference=(0.01, 0.02), topics=(29, 34, 50, 100))"',),
    "ppi": (
        "inexmetrics 'ppi(MAP ~ assessor(\"llm\"), truth=assessor(\"human\"))' --scores two-judges.csv",
    ),
    "ranks": ('inexmetrics "ranks(MAep ~ Gen5 | tukey)" | head -24',),
    "reliability": ('inexmetrics "reliability(MAep ~ Gen5, topics=(34, 100))"',),
    "scores": ('inexmetrics "scores(MAep + nxCG@10 ~ Gen5)" | head -13',),
    "significance": ('inexmetrics "significance(MAep ~ Gen5 | t | Holm)" | head -12', 'inexmetrics "significance(MAP | Holm, margin=0.05)" | head -12'),
    "versus": ("inexmetrics 'versus(\"group01-a\", MAep ~ Gen5 | t | Holm)' --table versus | head -14",),
    "read_assessments": ("inexmetrics check --assessments small.qrels",),
    "read_runs": ('inexmetrics "scores(MAP)" --assessments small.qrels --runs a.run b.run',),
    "from_frames": ("inexmetrics 'scores(char_rec)' --assessments answers.csv --runs four-chunkers.jsonl",),
    "scores_from": ("inexmetrics 'ranks(given(\"accuracy\"))' --scores board.csv | head -12",),
    "inex_eval_report": ('inexmetrics "scores(MAgP)" --assessments honey.qrels --runs honey.run --format inex_eval',),
    "sample": ('inexmetrics "scores(MAP)" | head -10',),
    "run": ('inexmetrics "scores(P@2)" --assessments small.qrels --runs a.run b.run',),
}  # fmt: skip
"""Commands that show an entry of the reference on the command line; for other experiments, the command is an example that is made from their parameters."""


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
"""Charts of the experiments, the first of which shows the experiment's usual question; for other experiments, the chart is of the same example."""


def charts(word: str) -> tuple[Chart, ...]:
    """Returns the charts of an experiment."""
    return CHARTS.get(word) or tuple(Chart(lexicon.entries[word].summary.rstrip("."), word, formula) for formula in _formulas(word))


def command_lines(name: str) -> tuple[str, ...]:
    """Returns the commands that show an entry on the command line; a name that is not an experiment may have none."""
    return COMMANDS.get(name) or tuple(f"inexmetrics {shlex.quote(formula)} | head -12" for formula in _formulas(name))


def _formulas(name: str) -> tuple[str, ...]:
    """Returns the formula that shows an experiment without a command or chart of its own; none for other names."""
    entry = lexicon.entries.get(name)
    formula = example_formula(entry) if entry is not None and issubclass(entry.sort, Experiment) else None
    return () if formula is None else (formula,)


def console(name: str, page: Path) -> Iterator[str]:
    """Yields the block with the commands of an entry: what the entry's page shows that they print, or what they print now."""
    if asked := command_lines(name):
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
