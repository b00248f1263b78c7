"""Estimates how often significance tests reject on leaderboards without true differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, get_args

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.condition_names import condition_text
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import errors, messages
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import condition_scores, findings, tested
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured, many
from inexmetrics.experiments.tables import Column, OfCondition, TableOf
from inexmetrics.inference import all_pairs, conclusions, corrections, paired_t
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.error_rates import Claims, Errors, Null, claims_on_boards, clopper_pearson, wilson
from inexmetrics.report import CONDITION, Figure, Printed, changes
from inexmetrics.terms import Choice, Integer, ListOf, TermOf, parameter, word

__all__ = ["Calibration", "CalibrationResult", "calibration"]

TESTS: Final[tuple[SignificanceTest, ...]] = (paired_t.t, bootstrap, all_pairs.stepdown)
NO_INTERVAL: Final = "without claims, or with one leaderboard, if a part of its claims has the wrong direction"
NAMED: Final = 4
"""Maximum number of tests that a finding names individually."""


class FalseClaims(OfCondition):
    """The number of null leaderboards on which each test rejects any hypothesis, under each condition."""

    test = Column(str, "the significance test, as written in a formula")
    correction = Column(str, "the correction. The correction is unadjusted if the test itself corrects for multiple comparisons")
    boards = Column.count("the number of null leaderboards", at_least=1)
    found = Column.count("the number of null leaderboards on which the test rejects any hypothesis")
    share = Column.share("found / boards", "with fewer than two topics, because no test can then reject")
    low = Column.share("the lower end of the share's 95 % interval (Wilson)", "if the share is null")
    high = Column.share("the upper end of the share's 95 % interval (Wilson)", "if the share is null")
    nominal = Column.share("alpha, the maximum error rate of a valid test with a valid correction")


class Signs(OfCondition):
    """The direction and the size of the significant differences on leaderboards whose runs keep their means, under each condition."""

    test = Column(str, "the significance test, as written in a formula")
    correction = Column(str, "the correction. The correction is unadjusted if the test itself corrects for multiple comparisons")
    boards = Column.count("the number of simulated leaderboards", at_least=1)
    claims = Column.count("the number of significant differences on all leaderboards")
    wrong_direction = Column.share(
        "the share of the claims for which the run that is found to be better is truly not better", "without claims"
    )
    low = Column.share(
        "the lower end of the share's 95 % interval, with leaderboards as observations; exact if the share is 0 or 1", NO_INTERVAL
    )
    high = Column.share(
        "the upper end of the share's 95 % interval, with leaderboards as observations; exact if the share is 0 or 1", NO_INTERVAL
    )
    exaggeration = Column(
        float,
        "the mean absolute difference of the claims, divided by their mean absolute true difference",
        "without claims, or if their true differences are 0",
        at_least=0,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationResult(Result):
    """The result of `calibration`: significant differences on simulated leaderboards whose true differences are known."""

    experiment: Calibration
    calibration = TableOf(FalseClaims)
    signs = TableOf(Signs, first=True)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.rates import calibration_figure, signs_figure  # charts are imported only when a chart is drawn

        return signs_figure(self.tables) if "signs" in self.tables else calibration_figure(self.tables)

    def printed(self) -> Iterator[Printed]:
        yield Printed(next(iter(self.tables)), self.table, breaks=changes(self.table, *CONDITION))

    @property
    def finding(self) -> str:
        if "signs" in self.tables:
            return _finding_of_signs(self.table, self.origin.unit)
        rows = self.table.drop_nulls("share").rows(named=True)
        if not rows:
            return "No test can find a difference on fewer than two topics."
        conditions = len({(row["measure"], row["quantisation"]) for row in rows})
        # For each test: the highest share, the names of the test and its correction, and the range of shares over the conditions.
        rules: list[tuple[float, str, str]] = []
        for test in dict.fromkeys(row["test"] for row in rows):
            low, high = findings.extremes([row for row in rows if row["test"] == test], lambda row: row["share"])
            corrected = "" if low["correction"].startswith("unadjusted") else f" with {low['correction']}"
            least, most = (findings.percentage(row["share"]) if row["share"] else "none" for row in (low, high))
            rules.append((high["share"], f"{test}{corrected}", least if least == most else f"{least} to {most}"))
        rules.sort(key=lambda rule: -rule[0])
        promised = f" (nominal: {messages.canonical(round(100 * rows[0]['nominal'], 10))} %)"
        (_, name, shares), *others = rules if len(rules) <= NAMED else [rules[0], rules[-1]]
        found = [f"{name} finds a difference on {shares}{promised}", *(f"{name} on {shares}" for _, name, shares in others)]
        between = f"; the other {messages.plural(len(rules) - 2, 'test', many='lie')} between" if len(rules) > NAMED else ""
        under = "" if conditions == 1 else f" under {messages.plural(conditions, self.experiment.condition_noun)}"
        boards = messages.plural(rows[0]["boards"], "leaderboard")
        return f"On {boards} without true differences{under}, {', '.join(found)}{between}."


def _finding_of_signs(signs: pl.DataFrame, unit: str) -> str:
    """Returns the finding on directions and sizes: for one test, both; for several tests, the tests with the extreme shares."""
    rows = signs.drop_nulls("wrong_direction").rows(named=True)
    on = f"On {messages.plural(signs['boards'][0], 'leaderboard')} with the {unit}s' own means"
    if not rows:
        return f"{on}, no test finds a difference."
    low, high = findings.extremes(rows, lambda row: row["wrong_direction"])
    several = signs.n_unique(CONDITION) > 1
    told, between = [], findings.others_between(len(rows), "test" if not several else "case")
    if low is high and len(rows) > 1:
        equal = f"in {findings.all_of(len(rows), 'case')}" if several else f"of {findings.all_of(len(rows), 'test')}"
        told, between = [f"{_of_thousand(low['wrong_direction'])} claims {equal}"], ""
    for row in () if told else (high,) if low is high else (high, low):
        corrected = "" if row["correction"].startswith("unadjusted") else f" with {row['correction']}"
        under_ = f" under {condition_text(row['measure'], row['quantisation'])}" if several else ""
        told.append(f"{_of_thousand(row['wrong_direction'])} claims of {row['test']}{corrected}{under_}")
    limit = ""
    if not high["wrong_direction"]:  # no claim of any test has the wrong direction
        limit = f" (at most {_of_thousand(max(row['high'] for row in rows))}, with 95 % confidence)"
    found = f"{on}, {' and '.join(told)} have the wrong direction{limit}{between}"
    if not (sized := [row for row in rows if row["exaggeration"] is not None]):
        return f"{found}; the true differences are 0."
    sizes = [f"{row['exaggeration']:.2f}" for row in findings.extremes(sized, lambda row: row["exaggeration"])]
    exaggerated = sizes[0] if sizes[0] == sizes[1] else f"{sizes[0]} to {sizes[1]}"
    return f"{found}; claimed differences are {exaggerated} times the true ones."


def _of_thousand(share: float) -> str:
    """Formats a share as a number per 1,000, with three significant digits.

    Examples:
        >>> _of_thousand(0.0004938), _of_thousand(1.0)
        ('0.494 per 1,000', '1,000 per 1,000')
    """
    return f"{float(f'{1000 * share:.3g}'):,g} per 1,000"


@word("calibration")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Calibration(Measured[CalibrationResult]):
    """Estimates how often significance tests reject on leaderboards without true differences, simulated from the given scores.

    A leaderboard without true differences (a null leaderboard) is made from the scores themselves. With ``null="runs"``, the runs' scores
    for each topic are permuted independently of other topics. After the permutation, no run is truly better than another. All other
    properties of the scores are unchanged (their distribution, ties, easy and hard topics). With ``null="means"``, the mean of each run is
    subtracted from its scores, and each new topic is a random mixture of two of the topics. The true means are then equal, and each run
    keeps its own variance, its correlations with other runs, and most of its skewness. Every significant difference on a null leaderboard
    is a false rejection. On each null leaderboard, all pairs of runs are tested, and the p-values are corrected, as in `significance`.
    Suppose that a test with its correction makes any false rejection with a probability of at most alpha. Then the expected share of null
    leaderboards with a rejection is also at most alpha. The interval shows the uncertainty of the observed share.

    With ``null="none"``, leaderboards are simulated as with ``null="means"``, but each run keeps its mean. The true differences are then
    those of the given scores. Table ``signs`` states for how many significant differences the direction is wrong, and by how much
    significant differences exaggerate the true differences. On real leaderboards, these are the errors that matter, because two runs are
    hardly ever exactly equal.

    All tests without ``clusters=`` use the same null leaderboards. For a test with ``clusters=``, separate null leaderboards are simulated,
    on which all topics of a cluster share one permutation, or whole clusters are mixed. Clusters can be mixed only if they have equal sizes. Tests with a built-in correction (`tukey`, `stepdown`) use the alpha of the
    parameter `correction`. With `unadjusted`, the probability of any false rejection among many hypotheses may exceed alpha.

    Permuted runs are exchangeable, so the differences between runs are symmetric. With ``null="means"``, the runs have equal means but may
    differ in variance and skewness. The page on what tests guarantee compares this estimate with the truth on populations of topics.

    Formula:
        share = f / b
        column = sqrt(u) Z_i + sqrt(1 - u) Z_j
        where
            f: the number of null leaderboards on which any hypothesis is rejected
            b: the number of null leaderboards
            column: the scores of all runs on a new topic, minus the runs' true means
            Z_i: the scores of all runs on topic i, minus their means
            Z_j: the same for topic j; i and j are drawn with replacement
            j: a topic of the data
            u: a uniform random number between 0 and 1

    Args:
        tests: The significance tests, one test or several tests in a tuple.
        correction: The correction; for tests with a built-in correction, only the alpha of this parameter is used.
        boards: Number of null leaderboards.
        seed: Seed of the random number generator for the null leaderboards.
        null: The true means of the leaderboards: ``"runs"`` for exchangeable runs, whose scores are permuted; ``"means"`` for runs with
            equal means; ``"none"`` for runs with the means of the given scores.

    Undefined: With fewer than two topics, share, low and high are undefined.

    Raises:
        CollectionError: Clusters of different sizes, with a test that has ``clusters=``, and with ``null="means"`` or ``null="none"``.

    Notes:
        * Independence: with ``null="runs"``, scores are permuted between runs within each topic, so the null leaderboards do not preserve
          dependence between similar runs. With the other choices, they do.
        * Number of boards: suppose that a test rejects at least one hypothesis on 5 % of 200 simulated leaderboards. The confidence
          interval for this share is then about .03 to .09. With more leaderboards, the interval is narrower.
        * Ties: with ``null="runs"``, scores that are equal are also equal on every null leaderboard.
        * Mixtures: If topics were drawn with replacement instead, rare topics would be missing or repeated too often, and the estimate
          would be too high.
        * Few rejections: A share below the nominal rate is no fault, but a test that never rejects is useless. Also look at what the test
          finds in the real scores.

    Examples:
        >>> from inexmetrics import Holm, MAP, bootstrap, calibration, run, sample, t
        >>> calibration(MAP, tests=(t, bootstrap), correction=Holm, boards=50)
        calibration(MAP, tests=(t, bootstrap), correction=Holm, boards=50)

        >>> result = run(calibration(MAP, tests=t, boards=100), sample())
        >>> result.table.select("found", "share", "nominal").row(0)
        (1, 0.01, 0.05)
    """

    finds_better = True

    stages: ClassVar[tuple[str, ...]] = ()
    tests: SignificanceTest | tuple[SignificanceTest, ...] = parameter(TESTS, ListOf(TermOf(SignificanceTest)))
    correction: Correction = parameter(corrections.BY, TermOf(Correction))
    boards: int = parameter(200, Integer(1, 1_000_000))
    seed: int = parameter(0, Integer(0))
    null: Null = parameter("runs", Choice(get_args(Null)))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> CalibrationResult:
        found = condition_scores.scored(self, source, setting)
        tested.check_several_runs(self.word, found.runs)
        warnings, parts = list(found.warnings), []
        alone = corrections.unadjusted(alpha=self.correction.alpha)  # the correction for tests with a built-in correction
        for condition in found.conditions:
            tests = [test.on_clusters(condition.clusters) for test in many(self.tests)]
            if self.null != "runs":
                self._check_sizes(tests)
            rules = [(test, alone if test.simultaneous else self.correction) for test in tests]
            for test, correction in rules:
                warnings += tested.coarse(
                    test, correction, condition.topics_defined, len(conclusions.hypotheses(condition.scores, test)[0])
                )
            claims = claims_on_boards(condition.scores, rules, self.boards, self.seed, null=self.null, setting=setting)
            shared: dict[str, str | list[str]] = {
                **condition.names,
                "test": [str(test) for test in many(self.tests)],
                "correction": [str(correction) for _, correction in rules],
            }
            parts.append((self._signs if self.null == "none" else self._false)(shared, claims, rated=condition.topics_defined >= 2))
        tables = {"signs": Signs.concat(parts)} if self.null == "none" else {"calibration": FalseClaims.concat(parts)}
        return CalibrationResult(self, tables, found.origin, setting.compat, tuple(dict.fromkeys(warnings)))

    def _check_sizes(self, tests: Sequence[SignificanceTest]) -> None:
        """Raises `CollectionError` if the clusters of a test have different sizes, because they cannot be mixed."""
        for test in tests:
            if test.grouping is not None and len(set(sizes := test.grouping.sizes.tolist())) > 1:
                raise errors.CollectionError(
                    f"{self.word}: null={messages.canonical(self.null)}: expected clusters of equal size, found clusters of {min(sizes)} to {max(sizes)} "
                    f'topics in the column {test.clusters}; null="runs" has no such condition'
                )

    def _false(self, shared: Mapping[str, str | list[str]], claims: Sequence[Claims], *, rated: bool) -> pl.DataFrame:
        """Returns the rows of table ``calibration`` under one condition."""
        ends = [wilson(each.found, self.boards) if rated else (None, None) for each in claims]
        return FalseClaims.frame(
            **shared,
            boards=[self.boards] * len(claims),
            found=[each.found for each in claims],
            share=[each.found / self.boards if rated else None for each in claims],
            low=[low for low, _ in ends],
            high=[high for _, high in ends],
            nominal=[self.correction.alpha] * len(claims),
        )

    def _signs(self, shared: Mapping[str, str | list[str]], claims: Sequence[Claims], *, rated: bool) -> pl.DataFrame:
        """Returns the rows of table ``signs`` under one condition."""
        ends = [_ends(each.wrong) if rated else (None, None) for each in claims]
        return Signs.frame(
            **shared,
            boards=[self.boards] * len(claims),
            claims=[each.claims for each in claims],
            wrong_direction=[each.wrong.error_rate for each in claims],
            low=[low for low, _ in ends],
            high=[high for _, high in ends],
            exaggeration=[each.exaggeration for each in claims],
        )


def _ends(wrong: Errors) -> tuple[float | None, float | None]:
    """Returns the interval of the share of claims in the wrong direction.

    If no claim, or each claim, has the wrong direction, the leaderboards do not show how much the share varies. The interval is then the
    exact one of independent claims.
    """
    if wrong.rejected and wrong.errors in {0, wrong.rejected}:
        return clopper_pearson(wrong.errors, wrong.rejected)
    return wrong.interval(0.95)


calibration: Final = Calibration
