"""Estimates how often significance tests reject on leaderboards without true differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, get_args

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.messages import canonical, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured, many, scored
from inexmetrics.experiments.findings import extremes, percentage
from inexmetrics.experiments.tables import Column, OfCondition, TableOf
from inexmetrics.experiments.tested import check_draws_topics, check_several_runs, coarse
from inexmetrics.inference.all_pairs import stepdown
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.classical import t
from inexmetrics.inference.conclusions import hypotheses
from inexmetrics.inference.corrections import BY, unadjusted
from inexmetrics.inference.error_rates import Null, boards_with_findings, wilson
from inexmetrics.report.charts.parts import Figure
from inexmetrics.report.forms import CONDITION, changes
from inexmetrics.report.text import Printed
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Choice, Integer, ListOf
from inexmetrics.terms.term import TermOf, parameter

__all__ = ["Calibration", "CalibrationResult", "calibration"]

TESTS: Final[tuple[SignificanceTest, ...]] = (t, bootstrap, stepdown)
NAMED: Final = 4
"""Maximum number of tests that a finding names individually."""


class Claims(OfCondition):
    """The number of null leaderboards on which each test rejects any hypothesis, under each condition."""

    test = Column(str, "the significance test, as written in a formula")
    correction = Column(str, "the correction. The correction is unadjusted if the test itself corrects for multiple comparisons")
    boards = Column.count("the number of null leaderboards", at_least=1)
    found = Column.count("the number of null leaderboards on which the test rejects any hypothesis")
    share = Column.share("found / boards", "with fewer than two topics, because no test can then reject")
    low = Column.share("the lower end of the share's 95 % interval (Wilson)", "if the share is null")
    high = Column.share("the upper end of the share's 95 % interval (Wilson)", "if the share is null")
    nominal = Column.share("alpha, the maximum error rate of a valid test with a valid correction")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationResult(Result):
    """The result of `calibration`: rejections of tests on leaderboards without true differences."""

    experiment: Calibration
    calibration = TableOf(Claims)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.rates import calibration_figure  # charts are imported only when a chart is drawn

        return calibration_figure(self.tables)

    def printed(self) -> Iterator[Printed]:
        yield Printed("calibration", self.table, breaks=changes(self.table, *CONDITION))

    @property
    def finding(self) -> str:
        rows = self.table.drop_nulls("share").rows(named=True)
        if not rows:
            return "No test can find a difference on fewer than two topics."
        conditions = len({(row["measure"], row["quantisation"]) for row in rows})
        # For each test: the highest share, the names of the test and its correction, and the range of shares over the conditions.
        rules: list[tuple[float, str, str]] = []
        for test in dict.fromkeys(row["test"] for row in rows):
            low, high = extremes([row for row in rows if row["test"] == test], lambda row: row["share"])
            corrected = "" if low["correction"].startswith("unadjusted") else f" with {low['correction']}"
            least, most = (percentage(row["share"]) if row["share"] else "none" for row in (low, high))
            rules.append((high["share"], f"{test}{corrected}", least if least == most else f"{least} to {most}"))
        rules.sort(key=lambda rule: -rule[0])
        promised = f" (nominal: {canonical(round(100 * rows[0]['nominal'], 10))} %)"
        (_, name, shares), *others = rules if len(rules) <= NAMED else [rules[0], rules[-1]]
        found = [f"{name} finds a difference on {shares}{promised}", *(f"{name} on {shares}" for _, name, shares in others)]
        between = f"; the other {plural(len(rules) - 2, 'test', many='lie')} between" if len(rules) > NAMED else ""
        under = "" if conditions == 1 else f" under {plural(conditions, self.experiment.condition_noun)}"
        boards = plural(rows[0]["boards"], "leaderboard")
        return f"On {boards} without true differences{under}, {', '.join(found)}{between}."


@word("calibration")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Calibration(Measured[CalibrationResult]):
    """Estimates how often significance tests reject on leaderboards without true differences, simulated from the given scores.

    A leaderboard without true differences (a null leaderboard) is made from the scores themselves. With ``null="runs"``, the runs' scores
    for each topic are permuted independently of other topics. After the permutation, no run is truly better than another. All other
    properties of the scores are unchanged (their distribution, ties, easy and hard topics). With ``null="means"``, the mean of each run is
    subtracted from its scores, and the differences are drawn from the topics with replacement. The true means are then equal, and each run
    keeps its own distribution. Every significant difference on a null leaderboard is a false rejection. On each null leaderboard, all pairs
    of runs are tested, and the p-values are corrected, as in `significance`. Suppose that a test with its correction makes any false
    rejection with a probability of at most alpha. Then the expected share of null leaderboards with a rejection is also at most alpha. The
    interval shows the uncertainty of the observed share.

    All tests without ``clusters=`` use the same null leaderboards. For a test with ``clusters=``, separate null leaderboards are simulated,
    on which all topics of a cluster share one permutation. Tests with a built-in correction (`tukey`, `stepdown`) use the alpha of the
    parameter `correction`. With `unadjusted`, the probability of any false rejection among many hypotheses may exceed alpha.

    Permuted runs are exchangeable, so the differences between runs are symmetric. With ``null="means"``, the runs have equal means but may
    differ in variance and skewness. With ``null="means"``, topics are drawn independently of each other, so a test with ``clusters=``
    raises an error.

    Formula:
        share = f / b
        where
            f: the number of null leaderboards on which any hypothesis is rejected
            b: the number of null leaderboards

    Args:
        tests: The significance tests, one test or several tests in a tuple.
        correction: The correction; for tests with a built-in correction, only the alpha of this parameter is used.
        boards: Number of null leaderboards.
        seed: Seed of the random number generator for the null leaderboards.
        null: The null hypothesis of the leaderboards: ``"runs"`` for exchangeable runs, whose scores are permuted, or ``"means"`` for runs
            with equal means.

    Undefined: With fewer than two topics, share, low and high are undefined.

    Notes:
        * Independence: scores are permuted between runs within each topic, so the null leaderboards do not preserve dependence between
          similar runs.
        * Number of boards: suppose that a test rejects at least one hypothesis on 5 % of 200 simulated leaderboards. The confidence
          interval for this share is then about .03 to .09. With more leaderboards, the interval is narrower.
        * Ties: scores that are equal are also equal on every null leaderboard.

    Examples:
        >>> from inexmetrics import Holm, MAP, bootstrap, calibration, run, sample, t
        >>> calibration(MAP, tests=(t, bootstrap), correction=Holm, boards=50)
        calibration(MAP, tests=(t, bootstrap), correction=Holm, boards=50)

        >>> result = run(calibration(MAP, tests=t, boards=100), sample())
        >>> result.table.select("found", "share", "nominal").row(0)
        (0, 0.0, 0.05)
    """

    stages: ClassVar[tuple[str, ...]] = ()
    tests: SignificanceTest | tuple[SignificanceTest, ...] = parameter(TESTS, ListOf(TermOf(SignificanceTest)))
    correction: Correction = parameter(BY, TermOf(Correction))
    boards: int = parameter(200, Integer(1, 1_000_000))
    seed: int = parameter(0, Integer(0))
    null: str = parameter("runs", Choice(get_args(Null)))

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        if self.null == "means":
            check_draws_topics(self.word, many(self.tests))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> CalibrationResult:
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        warnings, parts = list(found.warnings), []
        alone = unadjusted(alpha=self.correction.alpha)  # the correction for tests with a built-in correction
        for condition in found.conditions:
            tests = [test.on_clusters(condition.clusters) for test in many(self.tests)]
            rules = [(test, alone if test.simultaneous else self.correction) for test in tests]
            for test, correction in rules:
                warnings += coarse(test, correction, condition.topics_defined, len(hypotheses(condition.scores, test)[0]))
            null: Null = "means" if self.null == "means" else "runs"
            counts = boards_with_findings(condition.scores, rules, self.boards, self.seed, null=null, setting=setting).tolist()
            rated = condition.topics_defined >= 2
            ends = [wilson(count, self.boards) if rated else (None, None) for count in counts]
            parts.append(
                Claims.frame(
                    **condition.names,
                    test=[str(test) for test in many(self.tests)],
                    correction=[str(correction) for _, correction in rules],
                    boards=[self.boards] * len(counts),
                    found=counts,
                    share=[count / self.boards if rated else None for count in counts],
                    low=[low for low, _ in ends],
                    high=[high for _, high in ends],
                    nominal=[self.correction.alpha] * len(counts),
                )
            )
        tables = {"calibration": Claims.concat(parts)}
        return CalibrationResult(self, tables, found.origin, setting.compat, tuple(dict.fromkeys(warnings)))


calibration: Final = Calibration
