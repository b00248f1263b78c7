"""May one judge stand in for another: how alike they grade documents, rank runs, and conclude which runs differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, TypeAlias, overload

import numpy as np
import polars as pl

from inexmetrics.collection import Collection, assessed_documents
from inexmetrics.collection.origin import origin_of
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.errors import CollectionError, FormulaError, summaries
from inexmetrics.common.messages import canonical
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, check_compat, scored
from inexmetrics.experiments.conditions import MEASURES, QUANTISATIONS, Measures, many
from inexmetrics.experiments.judges_findings import finding_of_conclusions, finding_of_grades
from inexmetrics.experiments.on_trial import JUDGE, TRUTH, TRUTH_TERM, Assessors, check_judges, conditions_of, judgements_of, name_of
from inexmetrics.experiments.tables import Column, Table, TableOf
from inexmetrics.experiments.tested import Tested, check_several_runs, correction_of
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.classical import t
from inexmetrics.inference.conclusions import Conclusions, hypotheses_of, overlap
from inexmetrics.inference.corrections import BY
from inexmetrics.inference.correlations import correlate
from inexmetrics.inference.kappa import cohen_kappa, krippendorff_alpha
from inexmetrics.inference.rankings import tau_ap, top_shared
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.report.charts.layout import Figure
from inexmetrics.report.forms import across, changes
from inexmetrics.report.text import Printed
from inexmetrics.scoring.condition import Condition
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, ListOf
from inexmetrics.terms.term import parameter, required

__all__ = ["Judges", "JudgesResult", "judges"]

WITHOUT_RUNS: Final = "without a measure"
OF_GRADES: Final = ("judge", "truth", "judged", "kappa", "kappa_weighted", "alpha")
OF_RANKINGS: Final = ("tau", "tau_ap", "top_shared")
OF_CONCLUSIONS: Final = ("n_judge", "n_truth", "n_both", "false_discoveries", "precision", "recall", "f1")


class Trials(Table):
    """How near each judge comes to the truth, by measure, then by judge, in the order written."""

    measure = Column(str, "the measure, as formulas write it", WITHOUT_RUNS)
    judge = JUDGE
    truth = TRUTH
    topics = Column.count(
        "the topics for which the measure is defined under both; without a measure, those of which both judged a document"
    )
    judged = Column.count("the pairs of a topic and a document that both judged")
    kappa = Column.coefficient("Cohen's kappa of their grades", "where they judged nothing both, or gave one grade only")
    kappa_weighted = Column.coefficient("the same, disagreements weighted by the square of the places between the grades", "likewise")
    alpha = Column.coefficient("Krippendorff's alpha of their grades, as an ordinal scale", "likewise")
    tau = Column.coefficient("Kendall's tau-b of the runs' means", f"{WITHOUT_RUNS}, and where one ranks no run above another")
    tau_ap = Column.coefficient("tau_AP of the runs' means, the truth's being the true ranking", f"{WITHOUT_RUNS} or defined topics")
    n_judge = Column.count("the hypotheses that are rejected by the judge's judgements", WITHOUT_RUNS)
    n_truth = Column.count("those that are rejected by the truth's", WITHOUT_RUNS)
    n_both = Column.count("those that are rejected by both", WITHOUT_RUNS)
    precision = Column.share("n_both / n_judge", f"{WITHOUT_RUNS}, and where the truth alone rejects any")
    recall = Column.share("n_both / n_truth", f"{WITHOUT_RUNS}, and where the judge alone rejects any")
    f1 = Column.share("the harmonic mean of precision and recall; 0 where one of them is null", WITHOUT_RUNS)
    false_discoveries = Column.count("n_judge - n_both", WITHOUT_RUNS)
    top_shared = Column.share(
        "the share of the truth's best runs that are among the judge's best as many", f"{WITHOUT_RUNS} or defined topics"
    )


class Grades(Table):
    """How many documents were given each pair of grades, by judge in the order written, then by grades; pairs that occur."""

    judge = JUDGE
    truth = TRUTH
    judge_grade = Column(float, "the judge's grade")
    truth_grade = Column(float, "the truth's grade")
    count = Column.count("the pairs of a topic and a document that were given these", at_least=1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgesResult(Result):
    """Judges on trial."""

    experiment: Judges
    judges = TableOf(Trials)
    grades = TableOf(Grades)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.judges import judges_figure  # charts are loaded when one is drawn

        return judges_figure(self.tables)

    def printed(self) -> Iterator[Printed]:
        yield Printed("judges", self.table.select(OF_GRADES).unique(maintain_order=True))
        if self.experiment.measures:
            parts = changes(self.table, "measure")
            yield Printed("judges", self.table.select("measure", "judge", "topics", *OF_RANKINGS), breaks=parts)
            yield Printed("judges", self.table.select("measure", "judge", *OF_CONCLUSIONS), breaks=parts)
        grades = ("judge_grade", "truth_grade")
        rows = self.tables["grades"].with_columns(
            pl.Series(name, map(canonical, self.tables["grades"][name]), dtype=pl.String) for name in grades
        )
        counts = across(rows, "truth_grade", ("judge", "judge_grade"), map(str, rows["count"]))
        in_order = counts.select("judge", "judge_grade", *sorted(counts.columns[2:], key=float))
        said = "documents, a column for each grade of the truth"
        yield Printed("grades", in_order, said, breaks=changes(counts, "judge"), right=tuple(in_order.columns[1:]))

    @property
    def finding(self) -> str:
        rows = self.table.rows(named=True)
        return finding_of_conclusions(rows) if self.experiment.measures else finding_of_grades(rows)

    @property
    def tested(self) -> str | None:
        if not self.experiment.measures:
            return None
        return self.experiment.note(hypotheses_of(math.comb(self.origin.runs, 2), self.experiment.test))


@dataclass(frozen=True, slots=True)
class _NoneOrMore(ListOf[Measure]):
    """Measures, or none at all."""

    def accept(self, value: object) -> tuple[Measure, ...]:
        return () if value == () else ListOf.accept(self, value)


@dataclass(frozen=True, slots=True, repr=False)
class Judges(Tested[JudgesResult]):
    """May one judge stand in for another: a model for a person, a crowd for an expert, the second assessor for the first?

    Each judge is set against the one who is taken for the truth, in three ways.

    Grades: the documents of a topic that both judged, with the grades they gave. kappa is Cohen's, kappa_weighted the same
    with disagreements weighted by the square of the places between the two grades among all that either gave, and alpha
    Krippendorff's for an ordinal scale. Grades are compared as they are: scales that differ disagree. Who assessed passages or
    elements gave 1 to a document with anything relevant in it, else 0.

    Rankings: the runs by their mean under the judge and under the truth. tau is Kendall's tau-b; tau_ap weighs swaps near the top
    of the judge's ranking more (`correlation`); top_shared is the share of the truth's best runs, as many as ``top``, that are among
    the judge's best as many.

    Conclusions: the hypotheses *run i is better than run j* that are rejected by the judge's judgements and by the truth's, as
    `agreement` has it: precision, recall and F1 of the first for the second, and the false discoveries, those that the truth
    does not confirm. Means and tests of each run over the topics for which the measure is defined under that judge.

    Without a measure, and without runs, the grades alone are compared.

    Source: Cohen (1960); Cohen (1968); Krippendorff (2004); Yilmaz, Aslam & Robertson (2008).

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import MAP, assessor, judges, run, sample, t
        >>> judges(MAP, (assessor("a"), assessor("b")), truth=assessor("c"))
        judges(MAP ~ assessor("a") + assessor("b"), truth=assessor("c"))
        >>> judges(assessor("a"), truth=assessor("c"))
        judges(assessor("a"), truth=assessor("c"))
        >>> found = run(judges(MAP, assessor("second"), test=t, truth=assessor("first")), sample()).judges
        >>> found.select(
        ...     pl.col("kappa", "tau").round(4), "n_judge", "n_truth", "n_both", "false_discoveries"
        ... ).row(0)
        (0.5871, 0.8713, 156, 212, 154, 2)
    """

    measure_optional = True

    measures: tuple[Measure, ...] = field(metadata=required(_NoneOrMore(MEASURES.kind), called="measure"))
    truth: Criterion = field(kw_only=True, metadata=required(TRUTH_TERM))
    top: int = parameter(10, Integer(1))

    def __post_init__(self) -> None:
        Tested.__post_init__(self)
        check_judges(self.word, self.quantisations, self.truth)
        if not self.measures:
            needless = [value for name, default, value in self._arguments() if name in {*self.stages, "top"} and value != default]
            if needless or self.truth.parts[1] is not None:
                raise FormulaError(
                    f"{self.word}: expected judges and truth alone without a measure, found {canonical([*needless, self.truth.parts[1]][0])}",
                    hint="grades are compared; for rankings and conclusions name a measure before '~'",
                )

    @property
    def conditions(self) -> tuple[Condition[Measure], ...]:
        """Every measure under every judge, then under the truth."""
        return conditions_of(self.measures, self.quantisations, self.truth)

    def answer(self, source: Collection | Scores, setting: RunOptions) -> JudgesResult:
        if isinstance(source, Scores):
            raise CollectionError(f"{self.word}: expected assessments, whose grades are compared, found scores by topic")
        comparisons = list(self._comparisons(source))
        rows: list[list[object]]
        if self.measures:
            rows, warnings = self._trials(comparisons, source, setting)
        else:
            check_compat(self, setting)
            rows, warnings = [each.row(None, each.topics, {}) for each in comparisons], [*summaries(source.warnings)]
        nothing = [f"{each.judge} and {each.truth} judged no document both" for each in comparisons if not each.judged]
        tables: dict[str, pl.DataFrame] = {
            "judges": Trials.of_rows(rows),
            "grades": Grades.of_rows(row for each in comparisons for row in each.grades()),
        }
        return JudgesResult(self, tables, origin_of(source), setting.compat, tuple(dict.fromkeys((*warnings, *nothing))))

    def _comparisons(self, source: Collection) -> Iterator[_Comparison]:
        """The grades of each judge against those of the truth."""
        of_truth = self._documents(self.truth, source)
        for judge in self.quantisations:
            yield _Comparison.of(name_of(self.word, judge), self._documents(judge, source), name_of(self.word, self.truth), of_truth)

    def _documents(self, judge: Criterion | None, source: Collection) -> pl.DataFrame:
        """The documents that a judge judged, with their grades."""
        judgements = judgements_of(self.word, judge)
        chosen = judgements.read(source.assessments, source.runs)
        with judgements.naming():
            return assessed_documents(chosen)

    def _trials(self, comparisons: Sequence[_Comparison], source: Collection, setting: RunOptions) -> tuple[list[list[object]], list[str]]:
        """The rows of table ``judges`` with what the judges say of the runs, and the warnings."""
        if source.runs is None:
            raise CollectionError(f"{self.word}: expected runs, found assessments alone; without a measure, the grades are compared")
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        warnings, rows = list(found.warnings), []
        of_measure = len(comparisons) + 1
        for first in range(0, len(found.conditions), of_measure):
            concluded: list[Concluded] = []
            for condition in found.conditions[first : first + of_measure]:
                conclusions, warned = self.concluded(condition, setting)
                concluded.append((condition, conclusions))
                warnings += warned
            *judges, truth = concluded
            for comparison, judge in zip(comparisons, judges, strict=True):
                topics = int((judge[0].defined & truth[0].defined).sum())
                rows.append(comparison.row(truth[0].measure, topics, _of_runs(judge, truth, self.top)))
        return rows, warnings


Concluded: TypeAlias = tuple[ConditionScores, Conclusions]
"""What runs scored under a condition, and what was concluded of them."""


def _of_runs(judge: Concluded, truth: Concluded, top: int) -> dict[str, float | None]:
    """How alike a judge and the truth rank runs, and what they conclude of them."""
    predicted, true = judge[0].means, truth[0].means
    shared = overlap(judge[1].rejected, truth[1].rejected)
    conclusions = {
        "n_judge": shared.n_predictor,
        "n_truth": shared.n_truth,
        "n_both": shared.n_both,
        "precision": shared.precision,
        "recall": shared.recall,
        "f1": shared.f1,
        "false_discoveries": shared.n_predictor - shared.n_both,
    }
    if not (judge[0].topics_defined and truth[0].topics_defined):
        return {**conclusions, "tau": None, "tau_ap": None, "top_shared": None}
    return {
        **conclusions,
        "tau": correlate(predicted, true, "kendall").coefficient,
        "tau_ap": tau_ap(predicted, true),
        "top_shared": top_shared(predicted, true, top),
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Comparison:
    """The grades that a judge and the truth gave to the documents that both judged. K grades that either gave to one of them.

    Attributes:
        judge: The judge on trial.
        truth: The judge who is taken for the truth.
        topics: The topics of which both judged a document.
        scale: The grades, K, in order.
        counts: Documents by the place of the judge's grade and that of the truth's, K x K.
    """

    judge: str
    truth: str
    topics: int
    scale: FloatArray
    counts: IntArray

    @classmethod
    def of(cls, judge: str, by_judge: pl.DataFrame, truth: str, by_truth: pl.DataFrame) -> Self:
        """From the documents that each judged: topic_id, doc_id and grade."""
        both = by_judge.join(by_truth, on=["topic_id", "doc_id"], how="inner", suffix="_of_truth", maintain_order="left")
        given = both.select("grade", "grade_of_truth").to_numpy()
        scale, places = np.unique(given, return_inverse=True)
        counts = np.zeros((len(scale), len(scale)), dtype=np.int64)
        np.add.at(counts, tuple(places.reshape(given.shape).T), 1)
        return cls(judge, truth, both["topic_id"].n_unique(), scale, counts)

    @property
    def judged(self) -> int:
        """How many documents both judged, those of different topics apart."""
        return int(self.counts.sum())

    def row(self, measure: str | None, topics: int, of_runs: Mapping[str, float | None]) -> list[object]:
        """The row of table ``judges`` under a measure, or without one."""
        values: dict[str, object] = {
            "measure": measure,
            "judge": self.judge,
            "truth": self.truth,
            "topics": topics,
            "judged": self.judged,
            "kappa": cohen_kappa(self.counts),
            "kappa_weighted": cohen_kappa(self.counts, weighted=True),
            "alpha": krippendorff_alpha(self.counts),
            **of_runs,
        }
        return [values.get(name) for name in Trials.columns()]

    def grades(self) -> Iterator[tuple[str, str, float, float, int]]:
        """The rows of table ``grades``."""
        for by_judge, by_truth in np.argwhere(self.counts).tolist():
            yield self.judge, self.truth, float(self.scale[by_judge]), float(self.scale[by_truth]), int(self.counts[by_judge, by_truth])


@overload
def judges(
    measure: Measures,
    quantisation: Assessors,
    /,
    *,
    test: SignificanceTest = ...,
    correction: Correction | None = ...,
    truth: Criterion,
    top: int = ...,
) -> Judges: ...
@overload
def judges(measure: Assessors, /, *, truth: Criterion, top: int = ...) -> Judges: ...
@word("judges", Judges)
def judges(
    measure: Measures | Assessors,
    quantisation: Assessors | None = None,
    *,
    test: SignificanceTest = t,
    correction: Correction | None = None,
    truth: Criterion,
    top: int = 10,
) -> Judges:
    """Asks whether judges may stand in for another one.

    Either ``judges(M, (assessor("a"), …), truth=assessor("human"))``, or, to compare grades alone,
    ``judges((assessor("a"), …), truth=assessor("human"))``.

    Args:
        measure: A measure, or several in a tuple; or the judges, where none is named.
        quantisation: The judges on trial: an assessor's judgements, or those of several in a tuple.
        test: The significance test.
        correction: The rule for many comparisons; `BY` if not given, `unadjusted` with `tukey` and `stepdown`.
        truth: The judge who is taken for the truth.
        top: How many of the best runs are compared.

    Returns:
        The experiment ``judges(M + … ~ assessor("a") + … | test | correction, truth=assessor("human"))``; `run` answers it with a
        `JudgesResult`.

    Raises:
        FormulaError: A judge or the truth names no assessor, or is repeated; judges and truth differ in their quantisation; a
            measure lacks the quantisation it needs; or a term is out of place.
    """
    if quantisation is not None and isinstance(measure, Criterion):
        raise FormulaError(
            f"judges: expected a measure first, found {measure}", hint='judges are joined by +, as in assessor("a") + assessor("b")'
        )
    without = quantisation is None and all(isinstance(term, Criterion) for term in many(measure))
    measures, on_trial = ((), measure) if without else (MEASURES.accept_as("judges: measure", measure), quantisation)
    return Judges(
        measures, QUANTISATIONS.accept_as("judges: quantisation", on_trial), test, correction_of(test, correction, BY), top, truth=truth
    )
