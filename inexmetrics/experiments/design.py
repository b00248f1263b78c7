"""Compares plans by cost, power and agreement with the truth; a plan consists of a condition and a number of topics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import add
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from inexmetrics.collection import Collection, origin
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import errors, messages
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import one_scale
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.common_topics import CommonTopics
from inexmetrics.experiments.conditions import check_estimated, many
from inexmetrics.experiments.findings import Row, comma_list, in_parentheses, percentage
from inexmetrics.experiments.plans import cost_text, doubts_about_plans, judged_by, preference, ratio, tau_text
from inexmetrics.experiments.power import PROBABILITY, deviation_of_pairs, power_note, without_power
from inexmetrics.experiments.tables import Column, OfCondition, TableOf
from inexmetrics.experiments.tested import Tested, check_squares, p_value_note
from inexmetrics.inference.conclusions import Overlap, hypotheses_of, overlap
from inexmetrics.inference.power import effect_size, power_of_t, unbeaten
from inexmetrics.judgements import cheap_judge, incomplete, weighted
from inexmetrics.judgements.base import Judgements, OfDocuments
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.report import Figure, Printed, changes
from inexmetrics.scoring.condition import Condition, crossed
from inexmetrics.terms import Integer, Number, OneOrMore, Optional, TermOf, parameter, required, word

__all__ = ["Design", "DesignResult", "design"]

DRAWS: Final = 50
"""Number of random topic samples on which the conclusions of a plan are compared with the conclusions from the reference judgements."""
ALPHA: Final = 0.05
"""Significance level of the t test whose power is computed."""
FEW_FOUND: Final = 0.1  # a plan with a lower recall misses nearly all of the truth's conclusions
MANY: Final = 10
"""Smallest ratio of two costs that is printed without decimals."""
HALF: Final = "if the plan uses more than half of the topics"


class Plans(OfCondition):
    """The cost, the power, and the agreement with the truth of each plan. A plan combines a condition with a number of topics."""

    topics = Column.count("the number of topics", at_least=2)
    share = Column(
        float, "the share of the pooled documents that is judged, as under `weighted`; 1 if all are judged", at_least=0, at_most=1, asked=True,
        option="share",
    )  # fmt: skip
    judgements = Column(
        float,
        "the number of judgements: the mean number of documents judged per topic under the condition, times the number of topics",
        at_least=0,
    )
    cost = Column(float, "the cost of the topics and the judgements", at_least=0)
    sd = Column(
        float,
        "the standard deviation over topics of the differences between two runs, as in `power`",
        "with fewer than two topics",
        at_least=0,
    )
    power = Column.share(
        "the probability that one uncorrected t test finds a true difference of the requested size",
        "if the data have fewer than two topics",
    )
    precision = Column.share(
        f"the share of the plan's significant differences that the truth confirms on other topics, over {DRAWS} draws of topics",
        f"{HALF}, or if the plan finds no significant difference and the truth finds at least one",
    )
    recall = Column.share(
        "the share of the truth's significant differences that the plan finds",
        f"{HALF}, or if the truth finds no significant difference and the plan finds at least one",
    )
    f1 = Column.share("the harmonic mean of precision and recall; 0 if precision or recall is null", HALF)
    best = Column(
        bool,
        "whether no other plan under the measure is better. A plan is better if its f1 is higher at no higher cost, or if it costs less "
        "and its f1 is not lower. If f1 is null, power is compared instead",
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DesignResult(Result):
    """The result of `design`: plans with their costs, power and agreement with the truth."""

    experiment: Design
    design = TableOf(Plans)
    unlike: tuple[tuple[tuple[str, str, float], float | None], ...] = ()
    """Kendall's tau of the judgements that do not rank the runs as the truth does significantly better than chance."""

    def figure(self) -> Figure:
        from inexmetrics.report.charts.topics import design_figure  # charts are imported only when a chart is drawn

        return design_figure(self.tables, self.experiment.power)

    def printed(self) -> Iterator[Printed]:
        yield Printed("design", self.table, breaks=changes(self.table, "measure", "quantisation"))

    @property
    def tested(self) -> str:
        asked = self.experiment
        hypotheses = hypotheses_of(math.comb(self.origin.compared, 2), asked.test)
        return f"conclusions: {p_value_note(asked.test, asked.corrected_by, hypotheses)}; power: {power_note(ALPHA, 2, self.origin.unit)}"

    @property
    def finding(self) -> str:
        asked = self.experiment
        rows = [row for row in self.table.rows(named=True) if row["sd"]]
        if not rows:
            return without_power(self.table["sd"], self.origin.unit)
        agreeing = [row for row in rows if judged_by(row) not in dict(self.unlike)]
        if not agreeing:
            taus = ", ".join(filter(None, dict.fromkeys(tau_text(tau) for _, tau in self.unlike)))
            return (
                f"The rankings of the {self.origin.unit}s by the plans do not agree with the truth's significantly better than "
                f"chance{in_parentheses(taus)}, so that no power is known to be that of finding true differences."
            )
        wanted = (
            f"a power of {percentage(asked.power)} (one uncorrected t test) to find a difference of {messages.canonical(asked.difference)}"
        )
        doubted = dict.fromkeys(row["quantisation"] for row in rows if row not in agreeing and row["power"] >= asked.power)
        only, left_out = "", ""
        if doubted:
            only = f" and a ranking of the {self.origin.unit}s that agrees with the truth's beyond chance"
            left_out = f" Plans by {comma_list([*doubted])} have that power, but no such ranking."
        enough = [row for row in agreeing if row["power"] >= asked.power]
        if not enough:
            most = max(agreeing, key=lambda row: (row["power"], -row["cost"]))
            return (
                f"No plan has {wanted}{only}. The highest power is {percentage(most['power'])}, with {self._plan(most)}; "
                f"{self._agreeing(most)}.{left_out}"
            )
        cheapest = min(enough, key=preference)
        others = left_out or self._others(cheapest, enough)
        return f"The cheapest plan with {wanted}{only} is {self._plan(cheapest)}; {self._agreeing(cheapest)}.{others}"

    def _agreeing(self, row: Row) -> str:
        """Describes the agreement between a plan's conclusions and the conclusions from the reference judgements on other topics."""
        if row["f1"] is None:
            needed = f"it requires {2 * row['topics']} topics and the data contain {self.origin.topics}"
            return f"its agreement with the truth's conclusions is undefined, because {needed}"
        ratios = f"precision {ratio(row['precision'])}, recall {ratio(row['recall'])}, F1 {ratio(row['f1'])}"
        missed = ", so that it misses nearly all of them" * (row["recall"] < FEW_FOUND)
        return f"compared with the truth's conclusions on other topics, its conclusions have {ratios}{missed}"

    def _plan(self, row: Row) -> str:
        return f"{messages.plural(row['topics'], 'topic')} {self._judged(row)} at a cost of {cost_text(row['cost'])}"

    def _judged(self, row: Row) -> str:
        """Describes how the topics of a plan are judged, and names the measure if the experiment has several measures."""
        judged = "by all judgements" if row["quantisation"] == messages.canonical(None) else f"by {row['quantisation']}"
        if row.get("share", 1.0) < 1.0:
            judged = f"{judged} on a weighted sample of {percentage(row['share'])} of the pooled documents"
        return judged if len(self.experiment.measures) == 1 else f"{judged} under {row['measure']}"

    def _others(self, cheapest: Row, enough: list[Row]) -> str:
        """Returns the sentence that compares the cost of the cheapest plan with the cost of another plan that has sufficient power.

        The other plan has the same measure, but another quantisation, another selection of judgements, or another share of documents. If
        plans with all reference judgements qualify, the cheapest is used. Otherwise, the cheapest plan with any other judgements is
        used. The sentence is empty if no plan qualifies.
        """
        truth = messages.canonical(self.experiment.truth), 1.0
        others = [row for row in enough if judged_by(row)[1:] != judged_by(cheapest)[1:] and row["measure"] == cheapest["measure"]]
        of_truth = [row for row in others if judged_by(row)[1:] == truth]
        if not others:
            return ""
        other = min(of_truth or others, key=preference)
        by = f" A plan {self._judged(other)} with sufficient power"
        has = f"power {percentage(other['power'])}, F1 {ratio(other['f1'])}"
        if not cheapest["cost"]:
            return f"{by} costs {cost_text(other['cost'])} ({has})."
        factor = other["cost"] / cheapest["cost"]
        times = messages.canonical(round(factor, 0 if round(factor, 1) >= MANY else 1))
        return f"{by} costs {'as much' if times == '1' else f'{times} times as much'} ({has})."


@dataclass(frozen=True, slots=True)
class _Truth(Optional[Criterion]):
    """The parameter for the reference judgements, which are treated as the truth; the value 1 or None selects all judgements."""

    def expects(self) -> str:
        return 'the judgements that are the truth, as in truth=assessor("human"), or 1 for all'

    def accept(self, value: object) -> Criterion | None:
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value == 1):
            return None
        if isinstance(value, Criterion):
            return value
        raise self.refused(value)


class Plan(NamedTuple):
    """A plan under one measure.

    Attributes:
        criterion: The quantisation or the selection of judgements, without the sample of documents.
        cost: The cost of judging a document.
        topics: The number of topics.
        share: The share of the pooled documents that is judged; None if all judgements are used.
    """

    criterion: Criterion | None
    cost: float
    topics: int
    share: float | None = None


@word("design")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Design(Tested[DesignResult]):
    """Finds the cheapest plan with sufficient power: how many topics to judge, by whom or to what pool depth, and at what cost.

    A plan combines a number of topics with a condition, such as an assessor's judgements or a pool of some depth. The data determine the
    number of judged documents per topic and the standard deviation of the differences between runs. The power for any number of topics is
    computed from this standard deviation, as in `power`.

    If a plan uses at most half of the topics, its conclusions are compared with the conclusions from the reference judgements. The plan's
    topics are drawn at random 50 times, and on each draw the reference judgements are used only on the remaining topics. The experiment
    ``agreement(M ~ topics(n, Q) + truth, draws=50, fresh=True)`` makes the same comparison.

    With ``share=s``, each plan that selects no documents is also made with a weighted sample of the share s of the pooled documents, as
    under `weighted`. Many topics judged in part can then be compared with few topics judged as a whole, and with pools. On each draw of
    topics, the documents are drawn again. The judgements of `judge` are treated as free of cost.

    Power is the probability that a single t test at .05, without a correction, detects a difference of the given size between the means of
    two runs under the condition of the plan. The p-values of the compared conclusions are corrected with `correction` (default: `BY`).
    Power does not show whether the plan's judgements lead to the right conclusions; precision, recall and F1 show this.

    Formula:
        judgements = n J
        cost = n c_t + n J c_j
        where
            n: the number of topics
            J: the number of documents judged under the condition, divided by the number of topics with judged documents; with a share, the
                share of the number of pooled documents, divided by the number of topics with pooled documents
            c_t: the cost of a topic, `topic_cost`
            c_j: the cost of judging a document under the condition, `cost`

    Args:
        truth: The reference judgements, which are treated as the truth; 1 (in a formula) or None (in Python) selects all judgements.
        cost: The cost of judging one document under each quantisation or selection of judgements, in the order of the formula; must be at
            least 0. A document that several members of a jury judge is counted only once. Therefore give the sum of the members' costs as
            the cost of a jury.
        topics: The number of topics (at least 2) of a plan, or a tuple of several numbers for several plans.
        difference: The true difference between the means of two runs that a plan should detect; must be above 0.
        power: The minimum power of a plan. The finding reports the cheapest plan with at least this power.
        topic_cost: The cost of one topic without its judgements, at least 0.
        share: The share of the pooled documents that is judged, above 0 and at most 1, or a tuple of several shares. Each plan is made with
            these shares, in addition to all judgements. The measures must be linear in gains. If None, no documents are sampled.
        judge: The judgements of a cheap judge that stand for the documents that are not judged; only used with `share`.

    Raises:
        FormulaError: The number of costs differs from the number of conditions, a condition already selects topics, or scores under a
            measure cannot be estimated from a share of the documents.
        CollectionError: The data are scores by topic, or a condition does not have any judgements.

    Notes:
        * Independence: future topics are treated as independent draws from the same population as the topics in the data.
        * Number of topics: sd, precision and recall are estimated from the topics in the data. With few topics, the choice of the cheapest
          plan is uncertain.
        * Power: On TREC-7, the power that is computed for pairs of average variance was compared with the share of resampled sets of topics
          on which the test finds the difference. With 25 or more topics the two differ by at most 2 percentage points; with 10 topics, the
          actual power is up to 3 points higher. For pairs of runs that vary less than the average pair, the actual power is higher; for
          others, lower.
        * Power and F1: Judgements under which scores vary little over topics give a high power even if they favour the wrong runs. The
          finding therefore names no plan whose ranking of the runs does not agree with the truth's significantly better than chance:
          Kendall's tau of the means, on all topics judged under both, is at most 1.645 standard deviations and a correction for continuity
          above 0. With fewer than 5 runs, the finding names no plan whose tau is at most 0, and a warning names the others' judgements.

    Source: Sakai (2018), chapter 6, on the number of topics; Webber, Moffat & Zobel (2008).

    Examples:
        >>> from inexmetrics import MAP, assessor, design, run, sample
        >>> plans = design(
        ...     MAP,
        ...     (assessor("second"), assessor("first")),
        ...     truth=assessor("first"),
        ...     cost=(0.1, 1),
        ...     topics=(25, 50),
        ... )

        The second assessor judged 2040 documents on 29 topics, so 25 topics need 25 * 2040 / 29 = 1758.6 judgements, which cost .1 each:

        >>> found = run(plans, sample()).table.row(0, named=True)
        >>> round(found["judgements"], 1), round(found["cost"], 1), round(found["power"], 4), found["best"]
        (1758.6, 175.9, 0.4826, True)
    """

    truth: Criterion | None = field(metadata=required(_Truth(TermOf(Criterion)), 'assessor("human")'))
    cost: float | tuple[float, ...] = field(metadata=required(OneOrMore(Number(at_least=0.0), repeated=True), "0.01"))
    topics: int | tuple[int, ...] = parameter((10, 25, 50, 100), OneOrMore(Integer(2)))
    difference: float = parameter(0.05, Number(above=0.0))
    power: float = parameter(0.8, PROBABILITY)
    topic_cost: float = parameter(0.0, Number(at_least=0.0))
    share: float | tuple[float, ...] | None = parameter(None, Optional(OneOrMore(Number(above=0.0, at_most=1.0))))
    judge: Criterion | None = parameter(None, cheap_judge.JUDGE)

    def __post_init__(self) -> None:
        Tested.__post_init__(self)
        self.check_quantised([self.truth])
        costs = many(self.cost)
        if len(costs) != len(self.quantisations):
            raise errors.FormulaError(
                f"{self.word}: cost: expected {messages.plural(len(self.quantisations), 'number')}, one for each condition, found {len(costs)}",
                hint=f"as in cost={messages.canonical(costs[:1] * len(self.quantisations))}",
            )
        for criterion in (*self.quantisations, self.truth):
            if incomplete.topics_of(criterion) is not None:
                raise errors.FormulaError(
                    f"{self.word}: expected conditions that do not draw topics, found {criterion}",
                    hint="numbers of topics are an option, as in topics=(10, 25)",
                )

        if self.share is None and self.judge is not None:
            raise errors.FormulaError(f"{self.word}: judge: expected share= in addition, found none", hint="as in share=(0.25, 0.5)")
        for plan in self.plans:
            if plan.share is not None:
                check_estimated(self.word, self.measures, weighted.WeightedSample(plan.share, plan.criterion, self.judge))

    @property
    def plans(self) -> list[Plan]:
        """Returns the plans under one measure, in formula order; the plans with a share follow those with all judgements."""
        costs = [*zip(self.quantisations, many(self.cost), strict=True)]
        shares = [None, *(() if self.share is None else (share for share in many(self.share) if share < 1.0))]
        return [
            Plan(criterion, cost, topics, share)
            for criterion, cost in costs
            for share in (shares if _of_documents(criterion) is None else [None])
            for topics in many(self.topics)
        ]

    @property
    def conditions(self) -> tuple[Condition[Measure], ...]:
        """Returns, for each measure, the conditions of all plans, followed by the condition of the reference judgements."""
        fewer = [
            incomplete.OnTopics(
                plan.topics, plan.criterion if plan.share is None else weighted.WeightedSample(plan.share, plan.criterion, self.judge)
            )
            for plan in self.plans
        ]
        return crossed(self.measures, (*fewer, self.truth))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> DesignResult:
        if isinstance(source, Scores):
            raise errors.CollectionError(
                f"{self.word}: expected assessments, found scores by topic; design counts judgements, and power(…) computes the number of topics"
            )
        each = len(self.plans) + 1
        half = [place for place, plan in enumerate(self.plans) if 2 * plan.topics <= len(source.topics)]
        pairs = [(first + place, first + each - 1) for first in range(0, each * len(self.measures), each) for place in half]
        common = CommonTopics(self, source, pairs, setting, fresh=True)
        check_squares(self.word, common.on_all_topics)
        shared = [Overlap(0, 0, 0)] * len(pairs)
        for draw in range(DRAWS if pairs else 0):
            found = [overlap(predictor[1].rejected, truth[1].rejected) for predictor, truth in common.pairs(draw)]
            shared = [*map(add, shared, found)]
        by_plan = dict(zip((plan for plan, _ in pairs), shared, strict=True))
        firsts = range(0, each * len(self.measures), each)
        parts = [self._plans(first, common, by_plan, source) for first in firsts]
        planned = [
            (
                messages.canonical(plan.criterion),
                plan.share,
                common.on_all_topics[first + place],
                common.on_all_topics[first + each - 1],
            )
            for first in firsts
            for place, plan in enumerate(self.plans)
            if plan.criterion != self.truth
        ]
        unlike, doubts = doubts_about_plans(self.word, planned)
        truths = [common.on_all_topics[first + each - 1] for first in firsts]
        warnings = (
            *common.warnings(),
            *one_scale.scale_warnings(self.word, truths, "difference", [self.difference], least=one_scale.SMALL),
            *doubts,
        )
        return DesignResult(self, {"design": Plans.concat(parts)}, origin.origin_of(source), setting.compat, warnings, unlike=unlike)

    def _plans(self, first: int, common: CommonTopics, shared: dict[int, Overlap], source: Collection) -> pl.DataFrame:
        """Returns the rows of table ``design`` for one measure; `first` is the index of the measure's first condition."""
        rows: list[dict[str, object]] = []
        for place, plan in enumerate(self.plans, first):
            scores = common.on_all_topics[place]
            condition = self.conditions[place].on_all_topics
            judged = condition.judged_per_topic(source)
            if judged == 0.0:
                raise errors.CollectionError(f"{self.word}: expected judgements under {condition}, found none")
            judgements = plan.topics * judged
            sd = deviation_of_pairs(scores)
            found = shared.get(place)
            rows.append({
                "measure": scores.measure, "quantisation": messages.canonical(plan.criterion), "topics": plan.topics,
                **({} if self.share is None else {"share": plan.share or 1.0}), "judgements": judgements,
                "cost": plan.topics * self.topic_cost + judgements * plan.cost, "sd": sd,
                "power": None if sd is None else power_of_t(effect_size(self.difference, sd), plan.topics, ALPHA, 2),
                "precision": found and found.precision, "recall": found and found.recall, "f1": found and found.f1,
            })  # fmt: skip
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        costs, powers, ratios = (np.array(columns[name], dtype=np.float64) for name in ("cost", "power", "f1"))
        best = np.where(np.isnan(ratios), unbeaten(costs, powers), unbeaten(costs, ratios))
        return Plans.frame(**columns, best=best)


def _of_documents(criterion: Criterion | None) -> OfDocuments | None:
    """Returns the selection of documents, such as a pool, that a criterion contains; None without one."""
    judgements = None if criterion is None else criterion.parts[0]
    chain = judgements.chain if isinstance(judgements, Judgements) else ()
    return next((choice for choice in chain if isinstance(choice, OfDocuments)), None)


design: Final = Design
