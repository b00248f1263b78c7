"""Code shared by experiments with significance tests: base class, columns of differences, and warnings about the tests."""

from __future__ import annotations

import math
import re
from abc import ABC
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple, cast

import numpy as np
import polars as pl

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.messages import canonical, enumerate_names, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import R_co
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.experiments.conditions import Measured
from inexmetrics.experiments.findings import in_parentheses, p_text, part_of
from inexmetrics.inference import floored_claims, means, paired_t
from inexmetrics.inference.base import LEVEL_ROUNDING, Correction, SignificanceTest
from inexmetrics.inference.bootstrap import Bootstrap
from inexmetrics.inference.conclusions import Conclusions, Pairs, conclude
from inexmetrics.inference.corrections import BY, Unadjusted, unadjusted
from inexmetrics.judgements.incomplete import topics_of
from inexmetrics.quantisations.base import Criterion
from inexmetrics.report.text import NOT_CORRECTED
from inexmetrics.terms import Optional, TermOf, parameter

__all__ = [
    "Caution",
    "Tested",
    "cautions",
    "check_draws_topics",
    "check_several_runs",
    "check_squares",
    "check_tests_of_pairs",
    "coarse",
    "combined",
    "corrected_note",
    "count_hypotheses",
    "difference_columns",
    "not_resampled",
    "others_of_kind",
    "p_of",
    "p_value_note",
    "smallest_p_values",
    "uncorrected",
    "with_correction",
]

LARGEST_SQUARED: Final = 1e150
"""Largest absolute score for which squares can be summed without overflow."""


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Tested(Measured[R_co], ABC):
    """An experiment that tests all pairs of runs and corrects the p-values for the number of hypotheses.

    Args:
        test: The significance test.
        correction: The correction; by default `BY`, or `unadjusted` if the test is `tukey` or `stepdown`.
    """

    none_means = MappingProxyType({"correction": BY})
    finds_better = True
    counts_overstated: ClassVar[bool] = False
    """Whether the experiment counts the claims of one condition that another speaks against."""

    test: SignificanceTest = parameter(paired_t.t, TermOf(SignificanceTest))
    correction: Correction | None = parameter(None, Optional(TermOf(Correction)))

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        object.__setattr__(self, "correction", self.corrected_by)
        if self.test.simultaneous and not isinstance(self.corrected_by, Unadjusted):
            raise FormulaError(
                f"{self.word}: correction: expected unadjusted, found {self.correction}",
                hint=f"the p-values of {self.test} are already corrected; write | {self.test} alone",
            )

    @property
    def corrected_by(self) -> Correction:
        """The correction that the experiment uses: the given correction, or the default correction."""
        return self._correction_if_none if self.correction is None else self.correction

    @property
    def _correction_if_none(self) -> Correction:
        return unadjusted if self.test.simultaneous else cast("Correction", self.none_means["correction"])

    def concluded(
        self, condition: ConditionScores, setting: RunOptions, pairs: Pairs = "directed"
    ) -> tuple[Conclusions, tuple[Caution, ...]]:
        """Returns the conclusions of the tests of all pairs of runs under a condition, and warnings if tests may be anti-conservative."""
        test = self.test.on_clusters(condition.clusters)
        conclusions = conclude(condition.scores, test, self.corrected_by, setting, pairs)
        better, worse = np.nonzero(~np.isnan(conclusions.p_values))
        found = conclusions.p_values[better, worse], conclusions.rejected[better, worse]
        return conclusions, cautions((test, self.corrected_by), condition, (better, worse), found, setting)

    def _arguments(self) -> Iterator[tuple[str, object, object]]:
        for name, default, value in Measured._arguments(self):
            yield name, self._correction_if_none if name == "correction" else default, value


def check_tests_of_pairs(word: str, tests: Iterable[SignificanceTest]) -> None:
    """Raises `FormulaError` if a test compares all runs at once; used by experiments that compare single pairs of runs."""
    for test in tests:
        if test.simultaneous:
            raise FormulaError(
                f"{word}: expected a test of one pair of runs, found {test}, which compares all runs at once",
                hint="write t, or use the experiment significance or ranks",
            )


def check_draws_topics(word: str, tests: Iterable[SignificanceTest]) -> None:
    """Raises `FormulaError` for a test with ``clusters=``; called by experiments that draw topics independently of each other."""
    for test in tests:
        if test.clusters is not None:
            raise FormulaError(
                f"{word}: expected a test without clusters, found {test}", hint="topics are drawn independently; omit clusters="
            )


def difference_columns(
    scores: FloatArray, first: IntArray, second: IntArray, *, test: SignificanceTest, interval: float, setting: RunOptions
) -> dict[str, pl.Series]:
    """Returns columns difference, low, high, effect_size; the difference is the mean of the first run minus the mean of the second run.

    low and high are the ends of the test's confidence interval for the difference. effect_size is the mean of the differences divided by
    their standard deviation over topics (Cohen's d_z), or null if this standard deviation is at most 1e-12. Undefined values are null.
    """
    difference, deviation = means.mean_differences(scores, first, second), means.deviations(scores, first, second, setting)
    low, high = test.intervals(scores, first, second, interval, setting, deviation=deviation)
    effect = np.divide(difference, deviation, out=np.full(len(first), np.nan), where=deviation > means.TOLERANCE)
    columns = {"difference": difference, "low": low, "high": high, "effect_size": effect}
    return {name: pl.Series(name, values, nan_to_null=True) for name, values in columns.items()}


def smallest_p_values(test: SignificanceTest, *columns: str) -> dict[str, float]:
    """Returns, for each column of p-values, the bound that is printed instead of a p-value of 0; see `Result.smallest_p`."""
    return dict.fromkeys(columns, test.resolution) if test.resolution else {}


def p_value_note(
    test: SignificanceTest, correction: Correction, hypotheses: int, *, margin: float | None = None, equivalences: int = 0
) -> str:
    """Returns the line under a table of p-values: the test, its tails, the number of hypotheses, the correction and its alpha.

    With a margin, the line also contains the number of equivalence tests.

    Examples:
        >>> from inexmetrics import Holm, t, unadjusted
        >>> p_value_note(t(tails=1), Holm, 90)
        't, one-tailed; 90 hypotheses, corrected by Holm at alpha = 0.05'
        >>> p_value_note(t(floor=0.5), Holm, 45)
        't with floor 0.5, two-tailed; 45 hypotheses, corrected by Holm at alpha = 0.05'
        >>> p_value_note(t, unadjusted(alpha=0.1), 1)
        't, two-tailed; 1 hypothesis, not corrected, alpha = 0.1'
    """
    tails = "two-tailed" if test.two_tailed else "one-tailed"
    floor = f" with floor {canonical(test.floor)}" if isinstance(test, paired_t.PairedT) and test.floor else ""
    corrected = corrected_note(correction, hypotheses)
    if test.simultaneous:
        corrected = f"{count_hypotheses(hypotheses)}, corrected by the test at alpha = {canonical(correction.alpha)}"
    within = "" if margin is None else f"; within {canonical(margin)}: two one-sided t tests, {corrected_note(correction, equivalences)}"
    return f"{test.word}{floor}, {tails}; {corrected}{within}"


def p_of(test: SignificanceTest, p_value: float, *, below: bool = False, alpha: float | None = None) -> str:
    """Formats a p-value for a sentence about means; the sentence names any test but the two-tailed t test.

    Examples:
        >>> from inexmetrics import sign, t
        >>> p_of(t, 0.0412), p_of(t(tails=1), 0.0412), p_of(sign, 0.0412)
        ('p = 0.041', 'p = 0.041 by a one-tailed t test', 'p = 0.041 by a two-tailed sign test')
    """
    tails = "two" if test.two_tailed else "one"
    usual = isinstance(test, paired_t.PairedT) and test.two_tailed and not test.floor
    return p_text(p_value, below=below, alpha=alpha) + ("" if usual else f" by a {tails}-tailed {test.word} test")


def with_correction(p_value: str, correction: Correction, hypotheses: int) -> str:
    """Returns the text of an adjusted p-value, followed by the correction if it applies to several hypotheses.

    Examples:
        >>> from inexmetrics import Holm
        >>> with_correction("p = 0.012", Holm, 3), with_correction("p = 0.012", Holm, 1)
        ('p = 0.012, corrected by Holm', 'p = 0.012')
    """
    corrected = hypotheses > 1 and not isinstance(correction, Unadjusted)
    return f"{p_value}, corrected by {correction.word}" if corrected else p_value


def uncorrected(correction: Correction) -> str | None:
    """Returns the text *not corrected* if the correction is `unadjusted`, and None otherwise; see `Result.same_p`."""
    return NOT_CORRECTED if isinstance(correction, Unadjusted) else None


def corrected_note(correction: Correction, hypotheses: int) -> str:
    """Formats the number of hypotheses, their correction, and alpha."""
    corrected = "not corrected," if isinstance(correction, Unadjusted) else f"corrected by {correction.word} at"
    return f"{count_hypotheses(hypotheses)}, {corrected} alpha = {canonical(correction.alpha)}"


def count_hypotheses(count: int) -> str:
    """Formats the number of hypotheses."""
    return plural(count, "hypothesis", nouns="hypotheses")


class Caution(NamedTuple):
    """A warning about a test under one condition.

    Attributes:
        text: The complete warning.
        kind: The warning without its numbers and names. Warnings of one kind are combined.
        sure: Maximum number of differences that a finding may call true despite the warning.
        doubts_claims: Whether claims of equivalence or non-inferiority are made despite the warning.
        unconfirmed: Positions of the rejected hypotheses that a requirement treats as not rejected.
    """

    text: str
    kind: str
    sure: float = math.inf
    doubts_claims: bool = False
    unconfirmed: tuple[int, ...] = ()


def cautions(
    rule: tuple[SignificanceTest, Correction],
    condition: ConditionScores,
    hypotheses: tuple[IntArray, IntArray],
    found: tuple[FloatArray, BoolArray],
    setting: RunOptions,
) -> tuple[Caution, ...]:
    """Returns warnings if a test cannot reject any hypothesis under a correction, or may be anti-conservative for the given scores.

    Args:
        rule: The test, with its clusters, and the correction.
        condition: The scores under one condition.
        hypotheses: For each hypothesis of the family, the indices of the better run and of the worse run under the hypothesis.
        found: The p-value of each hypothesis before correction, and whether the hypothesis is rejected.
        setting: The executor and the progress function of the computation.
    """
    test, correction = rule
    texts = (*coarse(test, correction, condition.scores.shape[1], len(found[1])), *test.cautions(condition.scores, *hypotheses, found[0]))
    if isinstance(test, Bootstrap):
        step = correction.first_step(len(found[1]))
        texts += test.few_at(condition.scores, step, f"{_stated_step(correction, len(found[1]))}, {step:.3g},")
    warnings = [Caution(text, re.sub(r"\d+", "", text)) for text in texts]
    stages, claims = f"{test}" if test.simultaneous else f"{test} | {correction}", int(np.count_nonzero(found[1]))
    if condition.runs_vary:
        warnings.append(Caution(condition.of_these_runs, "runs vary", 0))
    if test.not_means and claims:
        pairs = [runs[found[1]] for runs in hypotheses]
        by_means = paired_t.t(tails=2 if test.two_tailed else 1).p_values(condition.scores, pairs[0], pairs[1], setting)
        if unlike := int(np.count_nonzero(by_means > correction.alpha)):
            # a one-tailed test may reject the hypothesis against the means, which tables of differences do not show
            nouns = ("significant difference", None) if test.two_tailed else ("rejected hypothesis", "rejected hypotheses")
            text = (
                f"{stages} under {condition.text}: {part_of(unlike, claims, *nouns)} {'is' if unlike == 1 else 'are'} not "
                f"{'significant' if test.two_tailed else 'rejected'} by t, even without a correction; {test.word} compares {test.not_means}, not means; write t or randomisation for a claim about means"
            )
            warnings.append(Caution(text, f"{stages}: not means"))
    unvaried = floored_claims.lost_without_spread(condition.scores, rule, hypotheses, found)
    if unvaried is not None:
        units = plural(test.units(condition.scores).shape[1], "topic" if test.clusters is None else "cluster")
        same = part_of(unvaried.claims, claims, "significant difference")
        warnings.append(
            Caution(
                f"{stages} under {condition.text}: {same} {'is' if unvaried.claims == 1 else 'are'} the same on all {units}, and p is then 0 for any "
                f"number of them; by the sign test, p = {unvaried.p_value:.3g}, and {unvaried.remaining or 'none'} of {claims} remain significant; "
                f"write {unvaried.instead}, or add {units.split()[1]}",
                f"{stages}: no spread",
                0,
                unconfirmed=unvaried.lost,
            )
        )
    lost = floored_claims.lost_with_floor(condition.scores, rule, hypotheses, found, setting)
    if lost is not None:
        names = [condition.runs[run] for run in lost.raised.tolist()]
        with_floor = paired_t.t(tails=2 if test.two_tailed else 1, clusters=test.clusters, floor=floored_claims.FLOOR)
        kind = f"{stages} under {condition.text}: significant differences depend on runs whose scores vary little on these topics"
        warnings.append(
            Caution(
                f"{kind} ({enumerate_names(names)}; {len(names)} of {plural(len(condition.runs), 'run')}); with "
                f"{with_floor}, {lost.remaining or 'none'} of {claims} remain significant",
                stages,
                lost.remaining,
            )
        )
    return tuple(warnings)


def combined(cautions: Iterable[Caution]) -> tuple[str, ...]:
    """Returns the texts of warnings; warnings of one kind become the first of them, with the number of the others.

    Examples:
        >>> combined([Caution("found 1 cluster", "found"), Caution("found 2 clusters", "found")])
        ('found 1 cluster (1 more of this kind, with other numbers)',)
    """
    kinds: dict[str, dict[str, None]] = {}
    for caution in cautions:
        kinds.setdefault(caution.kind, {})[caution.text] = None
    return tuple(first + in_parentheses(others_of_kind(len(others))) for first, *others in kinds.values())


def others_of_kind(count: int) -> str:
    """Formats the number of further warnings of a kind; empty if there are no others."""
    return f"{count} more of this kind, with other numbers" if count else ""


def coarse(test: SignificanceTest, correction: Correction, topics: int, hypotheses: int) -> tuple[str, ...]:
    """Returns a warning if the smallest possible p-value of the test with this number of topics is too large for a rejection.

    The smallest possible p-value is compared with the correction's first step: the largest p-value at which the correction rejects a single
    hypothesis. If the test uses random resamples, the warning also states a sufficient number of resamples, if there is one.
    """
    over, units = plural(topics, "topic"), topics
    if test.grouping is not None:
        units = len(test.grouping.sizes)
        over = plural(units, "cluster")
    smallest, step = test.smallest_p_value(units), correction.first_step(hypotheses) * LEVEL_ROUNDING
    if smallest <= step:
        return ()
    enough = test.enough(units, step)
    remedy = "" if enough is None else f"; b={enough} would do"
    above = _stated_step(correction, hypotheses)
    return (f"the smallest p-value of {test} over {over} is {smallest:.3g}, above {above}, {step:.3g}{remedy}",)


def _stated_step(correction: Correction, hypotheses: int) -> str:
    """Returns the level at which a correction tests the first hypothesis, in words."""
    return "alpha" if isinstance(correction, Unadjusted) else f"the first step of {correction} for {count_hypotheses(hypotheses)}"


def not_resampled(word: str, criteria: Iterable[Criterion | None], draws: int | None = None) -> FormulaError | None:
    """Returns the error about ``resamples=`` if conditions or draws use different topics, which cannot share simulated topic sets, or None."""
    found = {
        (choice and choice.n, choice and choice.seed): canonical(criterion) for criterion in criteria for choice in [topics_of(criterion)]
    }
    if len(found) > 1:
        return FormulaError(f"{word}: resamples: expected all conditions on the same topics, found {' and '.join([*found.values()][:2])}")
    if (draws or 1) > 1 and found.keys() != {(None, None)}:
        return FormulaError(
            f"{word}: resamples: expected a single draw of topics, found draws={draws}",
            hint="omit draws= for the intervals of one draw, or omit resamples= for a table of the draws",
        )
    return None


def check_several_runs(word: str, runs: tuple[str, ...]) -> None:
    """Raises `CollectionError` if there are fewer than two runs."""
    if len(runs) < 2:
        only = f" ({runs[0]}); if a column names the runs, --columns COLUMN=run_id states it" if runs else ""
        raise CollectionError(f"{word}: expected at least two runs to compare, found {len(runs)}{only}")


def check_squares(word: str, conditions: Iterable[ConditionScores]) -> None:
    """Raises `CollectionError` for scores with an absolute value above 1e150, because their squares may sum to infinity."""
    for condition in conditions:
        largest = float(np.abs(condition.scores).max(initial=0.0))
        if largest > LARGEST_SQUARED:
            raise CollectionError(
                f"{word}: expected scores of at most {LARGEST_SQUARED:g} in absolute value, found {largest:g} under {condition.text}; "
                "squares of larger scores may be infinite, so divide all scores by the same number"
            )
