"""Tests whether measures rank simulated runs of known quality in the expected order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.origin import origin_of
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import errors, messages
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import findings, result_forms
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.conditions import QUANTISATIONS, Measured
from inexmetrics.experiments.tables import LEVEL, MEASURE, Column, Table, TableOf
from inexmetrics.experiments.tested import count_hypotheses
from inexmetrics.inference.means import TOLERANCE, differences, mean_differences
from inexmetrics.inference.paired_t import t
from inexmetrics.measures.base import Curved
from inexmetrics.report import Figure, Printed, changes
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import curves_of
from inexmetrics.simulations.passage_runs import PARTS, RANKINGS, run_of, runs_of_parts
from inexmetrics.terms import Term, required, word

if TYPE_CHECKING:
    from inexmetrics.report.paper_tables import PaperTable

__all__ = ["Fidelity", "FidelityResult", "fidelity"]

SIMULATED: Final = tuple((parts, ranking) for parts in PARTS for ranking in RANKINGS)
"""The simulated runs, in the order of the tables; each run is a pair: the kind of document parts, and the ranking."""
WORSE_PARTS: Final = {"S": ("SL", "SS"), "SL": ("SLD",), "SS": ("SST",)}
"""For each kind of document parts, the kinds that are expected to have the next lower score."""
WORSE_RANKINGS: Final = {"R": ("RS", "RI"), "RS": ("RSI",), "RI": ("RSI",)}
"""For each ranking, the rankings that are expected to have the next lower score."""


def expected_orderings() -> tuple[tuple[str, str], ...]:
    """Returns 36 pairs of simulated runs in breadth-first order; the first run of a pair is expected to be better than the second run.

    Examples:
        >>> len(expected_orderings()), expected_orderings()[:4]
        (36, (('SR', 'SLR'), ('SR', 'SSR'), ('SR', 'SRS'), ('SR', 'SRI')))
    """
    reached = [("S", "R")]
    orderings = []
    for parts, ranking in reached:
        worse = [(next_parts, ranking) for next_parts in WORSE_PARTS.get(parts, ())]
        worse += [(parts, next_ranking) for next_ranking in WORSE_RANKINGS.get(ranking, ())]
        orderings += [(run_of(parts, ranking), run_of(*other)) for other in worse]
        reached += [other for other in worse if other not in reached]
    return tuple(orderings)


PARTS_COLUMN: Final = Column(str, "the parts of relevant documents that the run returns", choices=PARTS)
RANKING_COLUMN: Final = Column(str, "the ranking of the documents", choices=RANKINGS)


class MeansOfParts(Table):
    """The mean score of each simulated run, sorted by measure, then by parts and ranking."""

    parts = PARTS_COLUMN
    ranking = RANKING_COLUMN
    measure = MEASURE
    mean = Column(float, "the mean score over topics", "if the measure is defined for no topic")


class Orderings(Table):
    """The 36 expected orderings of two runs under each measure; run SLDRSI, for example, has the parts SLD and the ranking RSI."""

    expected_better = Column(str, "the run expected to be better")
    expected_worse = Column(str, "the run expected to be worse")
    measure = MEASURE
    difference = Column(
        float,
        "the mean of the run expected to be better minus the mean of the run expected to be worse",
        "where the measure is defined for no topic",
    )
    wins = Column.count("the number of topics on which the run expected to be better has the higher score")
    ties = Column.count("the number of topics on which the two runs have equal scores")
    losses = Column.count("the number of topics on which the run expected to be better has the lower score")
    p_value = Column.share("the p-value of the two-sided paired t test", "if the two runs have equal scores on every topic")
    upheld = Column(
        bool, "whether the difference is at least -1e-12: the pair is in the expected order, or tied", "if the difference is null"
    )


class CurvesOfParts(Table):
    """The curve of each simulated run, averaged over topics, for measures that have a curve (see `curve`)."""

    parts = PARTS_COLUMN
    ranking = RANKING_COLUMN
    measure = MEASURE
    level = LEVEL
    value = Column(float, "the mean over topics", "if the measure is defined for no topic")


ABBREVIATIONS: Final = (
    "S: highlighted passages, SL: smallest element around each passage, SLD: documents, SS: largest elements inside each passage, "
    "SST: childless elements inside each passage; R: relevant documents, RS: R with the first two exchanged, RI: R after a non-relevant "
    "document, RSI: RS after a non-relevant document"
)
"""Explanation of the names of simulated runs. A name combines the kind of the retrieved parts of documents with the ranking of documents."""
ABOVE: Final = pl.col("difference") > TOLERANCE
TIED: Final = pl.col("difference").abs() <= TOLERANCE
BELOW: Final = pl.col("difference") < -TOLERANCE
ALPHA: Final = 0.05
REVERSED: Final = BELOW & (pl.col("p_value") <= ALPHA)
"""Reversals that the t test finds significant."""
SIGNIFICANTLY: Final = f"significantly (p at most {ALPHA}, not corrected)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FidelityResult(Result):
    """The result of `fidelity`: scores of simulated runs. Table ``curves`` exists only if a measure has a curve."""

    experiment: Fidelity
    means = TableOf(MeansOfParts)
    orderings = TableOf(Orderings)
    curves = TableOf(CurvesOfParts)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.simulated import fidelity_figure  # imported only when a chart is drawn

        return fidelity_figure(self.tables, self.experiment.axes)

    def printed(self) -> Iterator[Printed]:
        means = self.tables["means"].pivot(on="ranking", index=["measure", "parts"], values="mean", maintain_order=True)
        yield Printed("means", means, f"columns: ranking; {ABBREVIATIONS}", breaks=changes(means, "measure"))
        orderings = self.tables["orderings"]
        yield Printed("orderings", orderings.sort("upheld", maintain_order=True), "those not upheld first")

    def _paper_table(self, table: str | None) -> PaperTable:
        from inexmetrics.report.papers import paper_table  # imported here because only this method uses it

        paper = paper_table(self, table)
        if table is not None:
            return paper
        names = [str(ranking) for ranking in RANKINGS]
        wide = paper.frame.pivot(on="ranking", values="mean", maintain_order=True)
        return replace(paper, frame=wide.select(pl.exclude(names), *names), spans=(("Ranking", tuple(names)),))

    @property
    def finding(self) -> str:
        orderings = self.tables["orderings"].drop_nulls("difference")
        counts = {
            findings.named_condition(str(measure)): [rows.filter(outcome).height for outcome in (ABOVE, TIED, BELOW, REVERSED)]
            for (measure,), rows in orderings.group_by("measure", maintain_order=True)
        }
        if not counts:
            return "No measure is defined for any topic."
        pairs = len(expected_orderings())
        if len(counts) == 1:
            [(measure, numbers)] = counts.items()
            above, tied, below, clearly = (count or "none" for count in numbers)
            ordered = f"puts {above} of the {pairs} pairs of simulated runs in the expected order"
            reversals = f"reverses {below}" + (f", {clearly} {SIGNIFICANTLY}" if numbers[2] else "")
            return f"By its means, {measure} {ordered}, ties {tied} and {reversals}."
        in_order, reversed_pairs = (
            f"{min(of)} to {max(of)}" if min(of) < max(of) else f"{of[0] or 'none'}"
            for of in ([numbers[place] for numbers in counts.values()] for place in (0, 2))
        )
        by_means = f"By its means, each measure puts {in_order} of the {pairs} pairs of simulated runs in the expected order, and reverses {reversed_pairs}"
        clear = sorted({numbers[3] for numbers in counts.values()})
        least, most = (
            findings.comma_list(named) if len(named) <= result_forms.FEW else messages.plural(len(named), "measure")
            for named in ([name for name, numbers in counts.items() if numbers[3] == end] for end in (clear[0], clear[-1]))
        )
        if len(clear) == 1:
            return (
                f"{by_means}, {clear[0] or 'none'} {SIGNIFICANTLY}." if any(numbers[2] for numbers in counts.values()) else f"{by_means}."
            )
        ends = f"largest under {most} ({clear[-1]}), and smallest under {least} ({clear[0] or 'none'})"
        return f"{by_means}. The number reversed {SIGNIFICANTLY} is {ends}."

    @property
    def tested(self) -> str:
        return f"t, two-tailed; {count_hypotheses(len(expected_orderings()))}, not corrected"


@word("fidelity")
@dataclass(frozen=True, slots=True, repr=False)
class Fidelity(Measured[FidelityResult]):
    """Tests whether measures rank simulated runs in the expected order; the runs combine five kinds of document parts with four rankings.

    The runs are simulated from the highlighted passages and the structure of a collection; the collection's own runs are ignored. Each run
    retrieves one of five kinds of parts of the relevant documents. S: the document's highlighted passages. SL: for each passage, the
    smallest element that contains the passage. SLD: the whole document. SS: for each passage, the largest elements inside the passage. SST:
    for each passage, the elements inside the passage that do not have child elements. There are four rankings. R: relevant documents by
    decreasing number of highlighted characters. RS: the ranking R with the first two documents exchanged. RI: the ranking R, preceded by a
    document that is not relevant. RSI: the ranking RS, preceded by a document that is not relevant. In the same ranking, parts S are
    expected to score at least as high as SL and SS, SL at least as high as SLD, and SS at least as high as SST. With the same parts,
    ranking R is expected to score at least as high as RS and RI, and RS and RI at least as high as RSI. These expectations give 36 expected
    orderings of two runs.

    Args:
        measure: A measure that does not need a quantisation, or several measures in a tuple.
        quantisation: Always None, because the simulated runs do not have gains.

    Raises:
        FormulaError: A measure needs a quantisation, or a term is repeated or in the wrong position.

    Notes:
        * Independence: the p-value of an ordering treats the topics as independent draws.
        * Ties: if a measure gives the same mean to the two runs of an expected ordering, the ordering counts as upheld, although the
          measure does not distinguish the runs. Column `ties` counts the topics with equal scores.
        * Parts: Parts are in document order. Each assessed passage is a part of its own, even if two passages touch. An element without
          text is not a part, but its parent counts as having a child element. A passage outside all elements has no smallest element
          that contains it. The length of a whole document is taken from the assessments, otherwise from the structure. A document
          without parts keeps its rank.
        * Orderings: An expected ordering is upheld if the difference of the two means is at least -1e-12. The p-value is two-sided,
          whichever run has the higher mean.
        * Order of documents: Documents with equal numbers of highlighted characters are ordered by length, the shorter first, then by
          their passages, and by name only if their judgements are the same. The irrelevant document of a topic is the assessed document
          without highlighted text that has the median length (of two, the shorter); it is retrieved whole. If the topic lacks one, an
          empty document is used. The paper specifies neither rule.
        * Runs: The data description of the result does not mention the collection's runs.
        * Findings: In the paper and on the built-in sample, `MAgP` distinguishes all kinds of parts and `MAP` none. `MAgPsize` is higher
          for RSI than for RI on every topic on which both exchanged documents are retrieved perfectly.

    Source: Pehcevski & Thom (2007), section 4, figures 3 and 4, tables 1 and 2.

    Examples:
        >>> from inexmetrics import MAP, fidelity
        >>> fidelity(MAP)
        fidelity(MAP)

        The run with only the highlighted passages of the relevant documents (S R) scores 1. With a document that is not relevant at rank 1
        (S RI), the score is lower:

        >>> import polars as pl
        >>> from inexmetrics import MAgP, run, sample
        >>> means = run(fidelity(MAgP), sample()).means.filter(pl.col("parts") == "S")
        >>> dict(means.select("ranking", pl.col("mean").round(4)).iter_rows())
        {'R': 1.0, 'RS': 1.0, 'RI': 0.8269, 'RSI': 0.8269}
    """

    quantisation: None = field(default=None, metadata=required(QUANTISATIONS))

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        for quantisation in self.quantisations:
            if quantisation is not None:
                raise errors.FormulaError(f"{self.word}: expected no quantisation, found {quantisation}", hint="write the measures alone")
        for measure in self.measures:
            if measure.quantised == "required":
                raise errors.FormulaError(
                    f"{self.word}: expected measures without a quantisation, found {measure}",
                    hint="simulated runs retrieve passages, which lack gains: use measures of text or of documents",
                )

    def answer(self, source: Collection | Scores, setting: RunOptions) -> FidelityResult:
        needed = f"{self.word}: expected assessments with highlighted passages, and a structure"
        if isinstance(source, Scores):
            raise errors.CollectionError(f"{needed}, found scores by topic")
        if source.assessments.documents is None:
            raise errors.CollectionError(f"{needed}, found assessments of {' and '.join(source.kinds) or 'nothing'}")
        if source.structure is None:
            raise errors.CollectionError(f"{needed}, found no structure")
        simulated = source.with_runs(runs_of_parts(source.assessments, source.structure))
        found = scored(self, simulated, setting)
        parts, rankings = zip(*SIMULATED, strict=True)
        places = [found.runs.index(run_of(*names)) for names in SIMULATED]
        tables: dict[str, pl.DataFrame] = {
            "means": MeansOfParts.concat(
                MeansOfParts.frame(parts=parts, ranking=rankings, measure=condition.measure, mean=condition.means[places])
                for condition in found.conditions
            ),
            "orderings": Orderings.concat(_orderings(condition, setting) for condition in found.conditions),
        }
        if curved := [measure for measure in self.measures if isinstance(measure, Curved)]:
            curves = curves_of(simulated, [Condition(measure) for measure in curved], setting)
            tables["curves"] = CurvesOfParts.concat(
                CurvesOfParts.frame(
                    parts=np.repeat(parts, len(measure.levels)).tolist(),
                    ranking=np.repeat(rankings, len(measure.levels)).tolist(),
                    measure=str(measure),
                    level=measure.levels * len(SIMULATED),
                    value=curves.curves[Condition(measure).texts][places].reshape(-1),
                )
                for measure in curved
            )
        return FidelityResult(self, tables, origin_of(source.with_runs(None)), setting.compat, found.warnings)


def _orderings(condition: ConditionScores, setting: RunOptions) -> pl.DataFrame:
    names = expected_orderings()
    first, second = (np.array([condition.runs.index(pair[side]) for pair in names]) for side in (0, 1))
    apart = differences(condition.scores, first, second)
    wins, losses = np.count_nonzero(apart > 0.0, axis=1), np.count_nonzero(apart < 0.0, axis=1)
    difference = pl.Series(mean_differences(condition.scores, first, second), nan_to_null=True)
    p_values = t.p_values(condition.scores, first, second, setting)
    return Orderings.frame(
        expected_better=[better for better, _ in names],
        expected_worse=[worse for _, worse in names],
        measure=condition.measure,
        difference=difference,
        wins=wins,
        ties=condition.topics_defined - wins - losses,
        losses=losses,
        p_value=np.where(wins + losses > 0, p_values, np.nan),
        upheld=difference >= -TOLERANCE,
    )


fidelity: Final = Fidelity
