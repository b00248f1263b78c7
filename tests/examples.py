"""Example formulas of all words, used by every test of all corrections, significance tests or experiments."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Final

import polars as pl

import inexmetrics
from inexmetrics import Collection, CollectionWarning, Correction, Result, Scores, SignificanceTest, Term, run, sample, scores_from
from inexmetrics.terms.lexicon import Entry, lexicon

__all__ = [
    "CLUSTERS",
    "CORRECTIONS",
    "EVERY",
    "EXAMPLES",
    "FEW",
    "FIRST",
    "TESTS",
    "UNDEFINED",
    "answered",
    "own",
    "quietly",
    "sample_in_datasets",
    "source_of",
]


def own(*sorts: type[Term]) -> tuple[Entry, ...]:
    """Return the package's own words of some classes; tests may have declared other words in this process."""
    return tuple(entry for entry in lexicon.of(*sorts) if entry.word in inexmetrics.__all__)


CORRECTIONS: dict[str, Correction] = {entry.word: entry.value for entry in own(Correction) if isinstance(entry.value, Correction)}
"""Every correction by its word."""
CLUSTERS = ("a", "a", "b", "c", "c", "c", "d", "e", "e", "f", "g", "g", "h", "h", "h", "i", "i")
"""Clusters of 17 topics."""


def _variants(test: SignificanceTest) -> tuple[SignificanceTest, ...]:
    """Returns a two-tailed and a one-tailed test, over topics and over clusters, if available; tests with random samples draw few samples."""
    names = {name for name, _, _ in test._arguments()}
    few = test._changed({"b": 3300}) if "b" in names else test
    found = [few, *([few._changed({"tails": 1})] if "tails" in names else [])]
    if "clusters" in names:
        found += [each._changed({"clusters": "c"}).on_clusters({"c": CLUSTERS}) for each in found]
    return tuple(found)


TESTS: dict[str, SignificanceTest] = {
    str(variant): variant
    for entry in own(SignificanceTest)
    if isinstance(entry.value, SignificanceTest)
    for variant in _variants(entry.value)
}
"""Every significance test in its variants, by its text."""

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "agreement": (
        "agreement(Gen5, BinExh, measure=MAep)",
        "agreement(MAep + nxCG@25 ~ Gen5 + GenLifted + BinExh + Strict5 + FullySpec)",
        "agreement(MAep + nxCG@10 ~ Strict5 + Gen5, resamples=9)",
        'agreement(MAep + nxCG@10 + nxCG@25 ~ Gen5 + BinExh, of="conditions", resamples=9)',
        "agreement(MAP + MAgP + P@10)",
        "agreement(Gen5, BinExh, measure=MAep, correction=Holm, margin=0.02, at_least=0.01)",
        "agreement(MAP + P@10 ~ topics(5) + topics(9) + 1, draws=3, fresh=True)",
        "agreement(MAP ~ topics(9) + 1, margin=0.1, at_least=0.05, draws=2)",
        'agreement(MAP ~ assessor("second") + assessor("first"), documents="common")',
        'agreement(P@10 ~ weighted(0.5, assessor("first"), judge=assessor("second")) + assessor("first"), draws=2)',
    ),
    "assessors": (
        "assessors(MAP, sets=20)",
        'assessors(MAP, sets=50, baseline="third", top=2)',
        'assessors(P@10, sets=20, documents="all")',
    ),
    "calibration": (
        "calibration(MAP, tests=(t, sign), correction=unadjusted, boards=3)",
        "calibration(MAP + P@10, tests=(t, tukey(b=99)), boards=9)",
        'calibration(MAP, tests=(randomisation(b=99),), boards=9, null="means")',
        'calibration(DCG@10 + MAP, tests=(t(floor=0.5), stepdown(b=99)), boards=9, null="none")',
    ),
    "correlation": (
        "correlation(MAep + nxCG@25 ~ Gen5)",
        "correlation(MAP + P@10 + MAgP + RR)",
        'correlation(MAP + MAiP, of="runs", method="kendall")',
    ),
    "curve": ("curve(MAep ~ Gen5)", "curve(inex_eval + MAep ~ Gen5)", "curve(MAP + MAiP + iGP)", "curve(nxCG@10 ~ Gen5)"),
    "degradation": ("degradation(iMAep ~ Gen5, moves=(0, 0.8))", "degradation(MAep + nxCG@10 ~ Gen5 + BinExh, moves=(0, 0.25))"),
    "design": (
        'design(MAP ~ assessor("second") + assessor("first"), truth=assessor("first"), cost=(0.1, 1), topics=(7, 60))',
        "design(MAP + P@10 ~ pooled(3) + 1, truth=1, cost=(1, 2), topics=(7, 14, 60))",
        'design(nDCG@10 ~ jury("second", "third"), truth=assessor("first"), cost=0, topics=2)',
        'design(DCG@10, truth=1, cost=1, topics=7, share=(0.5, 1), judge=assessor("second"))',
    ),
    "disagreement": (
        'disagreement("group07-a", "group01-a", P@10 ~ assessor("second") + assessor("first"))',
        'disagreement("group01-a", "group02-a", MAP ~ pooled(5, assessor("first")) + assessor("third") | bootstrap(b=99))',
        'disagreement("group01-a", "group02-a", MAep ~ BinExh + Gen5)',
        'disagreement("group07-a", "group01-a", DCG@10 ~ jury("second", "third", by="max") + assessor("first"))',
    ),
    "error_rate": ("error_rate(MAep ~ Gen5, tests=(t, sign), splits=3)", "error_rate(MAP + P@10, tests=(t, sign(tails=1)), splits=2)"),
    "fidelity": ("fidelity(MAgP)", "fidelity(MAP + MAiP)", "fidelity(iGP)"),
    "judges": (
        'judges(MAP ~ assessor("second"), truth=assessor("first"))',
        'judges(MAP + P@10 ~ assessor("second") + assessor("third"), truth=assessor("first"))',
        'judges(assessor("second") + assessor("third"), truth=sampled(0.1, assessor("first")))',
        'judges(MAP ~ jury("second", "third", by="max"), truth=assessor("first"), documents="all", resamples=9)',
    ),
    "meta": ('meta(MAP + P@10, within="dataset")', 'meta(MAP + P@10 | Holm, within="dataset", interval=0.5)'),
    "power": ("power(MAP)", "power(MAP + P@10, difference=(0.05, 0.1))", "power(DCG@10 | BY)"),
    "ppi": (
        'ppi(MAP ~ assessor("second"), truth=topics(12, assessor("first")))',
        'ppi(MAP + nDCG@10 ~ assessor("second") + assessor("third") | Holm, truth=assessor("first"), interval=0.5, quantiles="normal")',
        'ppi(P@10 ~ assessor("second"), truth=topics(12, assessor("first")), documents="all")',
    ),
    "ranks": ("ranks(MAP)", "ranks(MAP + MAgP)", 'ranks(MAP | tukey(b=99), best_of="([^-]+)-.*")'),
    "reliability": ("reliability(MAP)", "reliability(MAP + P@10, topics=(10, 29))"),
    "scores": (
        "scores(MAep + MAP ~ Gen5)",
        "scores(MAP)",
        'scores(MAep + nxCG(task="focused")@25 ~ Gen5 + without_too_small(BinExh) + GenLifted)',
        "scores(MAgP + MAiP)",
        'scores(DCG@10 + DCG(gains="exponential")@5 ~ 1 + weighted(0.25, judge=assessor("second"), seed=3))',
        'scores(MAP(rel=2), undefined="zero")',
    ),
    "significance": (
        "significance(MAep ~ Gen5 + BinExh)",
        "significance(MAP + P@10)",
        "significance(MAep ~ Gen5 | wilcoxon | BH)",
        "significance(MAP, margin=0.02)",
        "significance(DCG@10 | t(floor=0.5))",
        'significance(MAP | stepdown(b=99), best_of="([^-]+)-.*")',
    ),
    "versus": (
        'versus("group01-a", MAep ~ Gen5)',
        'versus("group01-a", MAP + MAgP)',
        'versus("group01-a", MAP, margin=0.1, best_of="([^-]+)-.*")',
        'versus(("group01-a", "group02-a"), MAP | bootstrap(b=500) | Holm, top=5)',
    ),
}
"""Formulas of every experiment for the sample (`source_of`), which show each of its tables and options. The first formula is computed and drawn quickly."""
UNDEFINED: Final[tuple[str, ...]] = (
    "agreement(MAP + MAP(rel=9) + MAiP, resamples=3)",
    "agreement(MAP + MAP(rel=9) + MAiP, margin=0.1)",
    "calibration(MAP + MAP(rel=9), tests=(t, tukey(b=99)), boards=3)",
    'calibration(MAP + MAP(rel=9), tests=(t, tukey(b=99)), boards=3, null="none")',
    'correlation(MAP + MAP(rel=9), of="runs", method="kendall")',
    "design(MAP + MAP(rel=9) ~ 1 + pooled(3), truth=1, cost=(1, 1), topics=(7, 60))",
    'disagreement("group01-a", "group02-a", MAP(rel=9) ~ assessor("second") + assessor("first"))',
    'judges(MAP + MAP(rel=9) ~ assessor("second") + assessor("third"), truth=assessor("first"))',
    'meta(MAP(rel=2), within="dataset", interval=0.5)',
    "power(MAP(rel=9))",
    "ranks(MAP + MAP(rel=9) | tukey(b=99))",
    'ranks(MAP + MAP(rel=9), best_of="([^-]+)-.*")',
    "reliability(MAP(rel=9))",
    "scores(MAP(rel=9))",
    'scores(MAP + MAP(rel=9), undefined="zero")',
    "significance(MAP(rel=9))",
    "significance(MAP + MAP(rel=9), margin=0.1)",
    'significance(MAP + MAP(rel=9), best_of="([^-]+)-.*")',
    'versus("group01-a", MAP + MAP(rel=9), margin=0.1)',
    'versus(("group01-a", "group02-a"), MAP + MAP(rel=9) | bootstrap(b=500) | Holm, top=5)',
)
"""Formulas for the sample with a measure that is undefined on all topics, because nothing is relevant at rel=9."""
FIRST: Final = tuple(formulas[0] for formulas in EXAMPLES.values())
"""One formula of every experiment."""
EVERY: Final = tuple(chain.from_iterable(EXAMPLES.values()))
"""Every formula of `EXAMPLES`."""
FEW: Final = ("group01-a", "group02-a", "group07-a", "group07-b", "group07-c", "group10-c")
"""Runs of the sample, including all runs that formulas name, for tests whose time grows with the number of runs."""


@cache
def sample_in_datasets() -> Scores:
    """Return scores of the sample's runs under three measures; its topics belong to the datasets x, y and z in turn."""
    rows = run("scores(MAP + P@10 + MAP(rel=2))", sample()).named("per_topic")
    topics = rows["topic_id"].unique().sort().to_list()
    of_topic = {topic: "xyz"[place % 3] for place, topic in enumerate(topics)}
    return scores_from(rows.with_columns(dataset=pl.col("topic_id").replace_strict(of_topic)), clusters="dataset")


def source_of(formula: str) -> Collection | Scores:
    """Return the sample, or its scores in datasets for a formula that needs datasets."""
    return sample_in_datasets() if "within=" in formula else sample()


@cache
def answered(formula: str, *, few: bool = False) -> Result:
    """Return the result of a formula on its source, or on few of its runs, computed once for all tests; its warnings are not emitted."""
    return quietly(formula, source_of(formula).only(runs=FEW) if few else source_of(formula))


def quietly(formula: str, source: Collection | Scores | None = None) -> Result:
    """Return the result of a formula on data, by default the sample; its warnings are not emitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return run(formula, sample() if source is None else source)
