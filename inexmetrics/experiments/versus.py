"""Compares one run, or several runs, with each of the other runs."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, Final

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import condition_scores, margins, one_scale, run_groups
from inexmetrics.experiments import opponents as comparing
from inexmetrics.experiments import tested as testing
from inexmetrics.experiments.conditions import Measured, many
from inexmetrics.experiments.shown_intervals import INTERVAL, ResultWithIntervals
from inexmetrics.experiments.tables import TableOf
from inexmetrics.inference import conclusions, corrections, paired_t
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.report import Figure, Printed, changes, condition_tables, in_parts, narrowing, stated
from inexmetrics.report.forms import lead
from inexmetrics.terms import Integer, OneOrMore, Optional, Term, TermOf, Text, parameter, required, word

__all__ = ["Versus", "VersusResult", "versus"]


SIGNS: Final = "* significantly better, - not significantly; opponents in the order of table versus"
"""Meaning of the cells of the grid, and the order of its columns, in every printed form."""
ROWS: Final = 2
"""Number of rows of the grid for one run under one condition."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VersusResult(ResultWithIntervals):
    """The result of `versus`: comparisons of runs with their opponents.

    Attributes:
        doubted: Whether a warning doubts a claim of equivalence or non-inferiority.
        unconfirmed: The comparisons in which the run is significantly better, but not by the sign test, because the difference is the same on
            all topics.
    """

    experiment: Versus
    doubted: bool = False
    unconfirmed: comparing.Unconfirmed = frozenset()
    versus = TableOf(comparing.Comparisons)
    statistics = TableOf(comparing.Statistics)
    grid = TableOf(comparing.Grid)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.versus import versus_figure  # imported only when a chart is drawn

        corrected = self.same_p or f"corrected by {self.experiment.correction.word}"
        return versus_figure(self.shown, self.experiment.interval, corrected, self.experiment.margin, self.origin.lower)

    def printed(self) -> Iterator[Printed]:
        # Each column compares the runs with ten opponents. If the table is too wide, the opponents with the lowest means are omitted.
        grid = self.tables["grid"]
        names, opponents = grid.columns[:4], grid.columns[4:]
        varied = [name for name in names if grid[name].n_unique() > 1]
        tens = [opponents[start : start + 10] for start in range(0, len(opponents), 10)]
        rows = _in_tens(grid, varied)
        said = f"{SIGNS}; {stated(grid, *names)}"
        named = grid.height <= ROWS  # the grid of one run under one condition repeats the column significant
        forms = []
        for count in range(len(tens), 0, -1):
            left = [_from_to([tens[count][0], opponents[-1]])] if count < len(tens) else []
            frame = rows.select(*varied, *map(_from_to, tens[:count]))
            forms.append(Printed("grid", frame, said, constants=False, breaks=changes(rows, *varied[:-1]), without=(*left,), named=named))
        yield narrowing(forms)
        parts = (part.with_row_index("#", 1) for part in condition_tables(self.shown["versus"], "run_id"))
        yield from in_parts("versus", parts, self.without_interval("versus"))

    def as_printed(self, table: str | None = None) -> pl.DataFrame:
        # A dash beside a dash would be one long dash in LaTeX.
        shown = self.as_asked(table)
        return _in_tens(shown, shown.columns[:4], " ") if table == "grid" else shown

    @property
    def notes(self) -> Mapping[str, str]:
        return {**self.reasons(), "grid": SIGNS}

    def unmet(self, requirement: comparing.Requirement) -> pl.DataFrame:
        """Returns the rows of table ``versus`` for which a requirement is not met; empty if the requirement is met for every opponent.

        Args:
            requirement: With ``"better"``, the run must be significantly better than the opponent; a difference that is the same on all
                topics must be significant by the sign test, too. With ``"not_worse"`` or ``"equivalent"``, the value in the column of this
                name must be true, and the experiment must have a margin.

        Raises:
            FormulaError: The requirement is unknown, or needs a margin that the experiment lacks.
        """
        comparing.check_requirement(requirement, self.experiment.margin)
        return comparing.rows_unmet(self.table, requirement, self.origin.lower, self.unconfirmed)

    @property
    def finding(self) -> str:
        asked = self.experiment
        found = comparing.finding_of_comparisons(
            self.shown["versus"],
            asked.test,
            asked.correction,
            asked.condition_noun,
            interval=asked.interval,
            unit=self.origin.unit,
            lower=self.origin.lower,
        )
        margin, rows = asked.margin, self.table.drop_nulls("mean").rows(named=True)
        if margin is None or not rows:
            return found
        if len(rows) == 1:
            return found + margins.of_two_runs(rows[0], margin, asked.correction.alpha, doubted=self.doubted)
        same, not_worse = (sum(row[name] for row in rows) for name in ("equivalent", "not_worse"))
        return (
            f"{found} Of the {len(rows)} comparisons, {same or 'none'} {'show' if same > 1 else 'shows'} that the two are {margins.within(margin)}, and "
            f"{not_worse or 'none'} {'show' if not_worse > 1 else 'shows'} that the {self.origin.unit} is not worse by {messages.canonical(margin)} or more."
        )

    @property
    def smallest_p(self) -> Mapping[str, float]:
        return testing.smallest_p_values(self.experiment.test, "p_value")

    @property
    def same_p(self) -> str | None:
        return testing.uncorrected(self.experiment.correction)

    @property
    def tested(self) -> str:
        comparisons, asked = next(condition_tables(self.table)).height, self.experiment
        return testing.p_value_note(asked.test, asked.correction, comparisons, margin=asked.margin, equivalences=comparisons)


def _in_tens(grid: pl.DataFrame, kept: Sequence[str], between: str = "") -> pl.DataFrame:
    """Returns the grid with a column for each ten opponents; the opponents follow the four columns of names, of which some are kept."""
    opponents = grid.columns[4:]
    tens = [opponents[start : start + 10] for start in range(0, len(opponents), 10)]
    return grid.select(*kept, *(pl.concat_str(ten, separator=between, ignore_nulls=True).alias(_from_to(ten)) for ten in tens))


def _from_to(places: Sequence[str]) -> str:
    return f"{places[0]}-{places[-1]}" if len(places) > 1 else places[0]


@dataclass(frozen=True, repr=False)
class _OfRun(Term, ABC):
    """Base class of experiments about particular runs; the names of these runs are written before the formula.

    Args:
        run: The run's name, or a tuple of the names of several runs; each run in a tuple is compared with all runs outside the tuple.
    """

    # Python does not allow two base classes with nonempty slots, and `Measured` has slots. The slot for `run` is created in the subclass.
    __slots__ = ()
    run: str | tuple[str, ...] = field(metadata=required(OneOrMore(Text()), '"bm25"'))


@word("versus")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Versus(Measured[VersusResult], _OfRun):
    """Compares a run with every other run: the difference between their means, and whether the difference is significant.

    With a two-tailed test, the tested hypothesis is that the run and the opponent differ. With a one-tailed test, the tested hypothesis is
    that the run with the higher mean is better (ties are broken by run_id). The correction applies to the p-values of all comparisons under
    a condition. If several runs are given in a tuple, each run is compared with the same opponents: all runs that are not in the tuple, or
    the `top` best of these runs by mean. The comparisons of all given runs form one family of hypotheses: for example, two runs that are
    each compared with ten opponents give 20 hypotheses.

    Each difference is the run's score minus the opponent's score. Intervals and effect sizes are computed from these differences. The
    statistic and the p-value are those of the tested direction.

    With ``margin=m``, two one-sided t tests are made for each opponent. These tests show whether the run is equivalent to the opponent (the
    means differ by less than m) and whether the run is non-inferior (its mean is lower by less than m; column ``not_worse``). The p-values
    for equivalence with the opponents form one family of hypotheses, and the p-values for non-inferiority form another family. If nearly all
    differences are equal, neither may be claimed; if nearly all are within the margin, a warning says so (see `significance`).

    With ``best_of="([^-]+)-.*"``, runs belong to groups, such as participants. The regular expression matches the whole name of each run,
    and its first capturing group gives the name of the run's group. In each group, only the run with the highest mean under the condition
    is an opponent (ties are broken by run_id). The other runs of the given run's own group are not opponents. The correction applies only
    to the comparisons with these opponents. The opponents are chosen by their scores on the topics of the test, so p-values are
    anti-conservative if the opponent has the higher mean.

    Args:
        test: The significance test.
        correction: The correction.
        top: The number of opponents: the runs with the highest means are chosen. None uses all opponents. As the opponents are chosen by
            the scores that are tested, the test rejects too often; a warning says so.
        interval: The confidence level of ``low`` and ``high``.
        margin: The difference of means below which two runs are treated as equivalent; must be above 0. With a margin, the run is also
            tested for equivalence with each opponent and for non-inferiority to each opponent; the test must be `t`.
        best_of: A regular expression, such as ``"([^-]+)-.*"``. The part of a run's name that matches the first pair of parentheses is the
            name of the run's group. The opponents are then the best runs of the other groups.

    Raises:
        FormulaError: A measure lacks the quantisation that it needs, a term is repeated or in the wrong position, or a margin is given with
            a test other than `t`.

    Notes:
        * Independence: topics are treated as independent draws; with ``clusters=``, clusters are treated as independent draws. The run and
          its opponent are compared on the same topics. Runs are fixed: conclusions about systems
          with several runs hold for these runs; if they differ notably, a warning says so.
        * Many opponents: the default `unadjusted` does not correct for the number of opponents. Use a correction if you test several
          opponents and report whichever of them differ significantly from the run.
        * One-tailed tests: the run with the higher mean is tested as the better run, so the direction depends on the tested scores. If the
          two runs do not differ, a one-tailed test therefore rejects with up to twice the nominal probability.
        * Ties: if an opponent has the same mean as the run, the first of the two by run_id is tested as the better run.
        * Direction of the tests: In Cherukuri's tables, a first test asks whether the group's own run is better than each opponent, and
          "significance test II" whether each opponent with a higher mean is better. The two lines of table ``grid`` are these two
          tests.
        * Opponents: Opponents are sorted by their means. Several runs of your own are not compared with each other.
        * Cherukuri's tables: Table ``statistics`` has the sums from which t is computed; D is the run's score minus the opponent's. Table
          ``grid`` has a column for each opponent, from best to worst: ``*`` marks a significantly better run, in the first line the run
          itself, in the second the opponent.
        * Regular expressions: In a formula, write ``[0-9]`` for a digit, because a backslash escapes the next character.

    Source: Cherukuri (2010), Table 7, Figures 8 to 15, Tables 8 to 12 and A1 to A17; Schuirmann (1987), on margins.

    Examples:
        >>> from inexmetrics import MAP, versus
        >>> versus("run1", MAP)
        versus("run1", MAP)
        >>> versus(("child", "section"), MAP, top=10)
        versus(("child", "section"), MAP, top=10)
        >>> versus("umd-1", MAP, top=10, best_of="([^-]+)-.*")
        versus("umd-1", MAP, top=10, best_of="([^-]+)-.*")

        Run 1 leads by .3, .4 and .2, so t = .3 / (.1 / sqrt(3)) = 5.1962. With two degrees of freedom, p = .0351:

        >>> import numpy as np
        >>> from inexmetrics import run, scores_from
        >>> board = scores_from(np.array([[0.4, 0.1], [0.6, 0.2], [0.5, 0.3]]))
        >>> row = run(versus("2", MAP), board).table.row(0, named=True)
        >>> (
        ...     row["opponent"],
        ...     round(row["difference"], 4),
        ...     round(row["statistic"], 4),
        ...     round(row["p_value"], 4),
        ... )
        ('1', -0.3, 5.1962, 0.0351)
    """

    finds_better = True

    leading: ClassVar[tuple[str, ...]] = ("run",)
    test: SignificanceTest = parameter(paired_t.t, TermOf(SignificanceTest))
    correction: Correction = parameter(corrections.unadjusted, TermOf(Correction))
    top: int | None = parameter(None, Optional(Integer(1)))
    interval: float = parameter(0.95, INTERVAL)
    margin: float | None = parameter(None, margins.MARGIN)
    best_of: str | None = parameter(None, run_groups.BEST_OF)

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        testing.check_tests_of_pairs(self.word, [self.test])
        margins.check_margin(self.word, self.test, self.margin)

    def answer(self, source: Collection | Scores, setting: RunOptions) -> VersusResult:
        found = condition_scores.scored(self, source, setting)
        ours = many(self.run)
        for name in ours:
            if name not in found.runs:
                hint = messages.did_you_mean(name, found.runs)
                runs = f"{self.word}: expected the name of a run ({messages.enumerate_names(found.runs)})"
                raise errors.CollectionError(messages.with_hint(f"{runs}, found {messages.canonical(name)}", hint))
        testing.check_several_runs(self.word, found.runs)
        others = len(found.runs) - len(ours)
        if not others:
            raise errors.CollectionError(f"{self.word}: expected a run other than {', '.join(ours)} to compare with, found none")
        found = run_groups.best_of_groups(self.word, found, self.best_of, ours)
        others = len(found.runs) - len(ours)
        opponents = others if self.top is None else min(self.top, others)
        warnings: list[testing.Caution] = []
        against = [[comparing.Against.of(condition, self.test, run, ours, opponents) for run in ours] for condition in found.conditions]
        tested, unconfirmed = [], set[tuple[str, ...]]()
        for family in against:
            of_family, warned = self._test_runs(family, setting)
            for places in [caution.unconfirmed for caution in warned if caution.unconfirmed]:
                unconfirmed |= {*comparing.keys(pl.concat(of_family)[list(places)].filter(lead(found.origin.lower) > 0.0))}
            tested += of_family
            warnings += warned
        tables: dict[str, pl.DataFrame] = {
            "versus": comparing.Comparisons.concat(tested),
            "statistics": comparing.Statistics.concat(each.statistics() for family in against for each in family),
            "grid": comparing.Grid.concat(
                each.grid(table["significant"]) for each, table in zip(chain.from_iterable(against), tested, strict=True)
            ),
        }
        unlike = one_scale.scale_warnings(self.word, found.conditions, "margin", [self.margin])
        chosen = ((each.condition.text, each.names_of_opponents) for each, *_ in against) if opponents < others else ()
        best = run_groups.chosen_by_scores(f"top: the best {f'{opponents} of' if opponents > 1 else 'of'} {others} opponents", chosen)
        said, doubted = (*found.warnings, *best, *unlike, *testing.combined(warnings)), any(caution.doubts_claims for caution in warnings)
        return VersusResult(self, tables, found.origin, setting.compat, said, doubted, frozenset(unconfirmed))

    def _test_runs(
        self, family: Sequence[comparing.Against], setting: RunOptions
    ) -> tuple[list[pl.DataFrame], tuple[testing.Caution, ...]]:
        """Returns table ``versus`` for each run under one condition, and warnings; the p-values of all runs are corrected together."""
        p_values = [each.test.p_values(each.condition.scores, *each.directions, setting) for each in family]
        adjusted = conclusions.corrected(np.concatenate(p_values), self.test, self.correction)
        better, worse = (np.concatenate(runs) for runs in zip(*(each.directions for each in family), strict=True))
        rule, tested = (family[0].test, self.correction), (np.concatenate(p_values), self.correction.rejects(adjusted))
        warnings = testing.cautions(rule, family[0].condition, (better, worse), tested, setting)
        within: dict[str, FloatArray | BoolArray] = {}
        if self.margin is not None:
            ours = np.concatenate([np.full_like(each.opponents, each.run) for each in family])
            opponents = np.concatenate([each.opponents for each in family])
            one_sided = margins.compared_within(self.test, family[0].condition, ours, opponents, margin=self.margin, setting=setting)
            within = margins.equivalence_columns(self.correction, one_sided)
            within["not_worse"] = self.correction.rejected(one_sided.non_inferior[1])
            rule = self.test, self.correction
            warnings = (*warnings, *margins.doubts(rule, family[0].condition, (ours, opponents), self.margin, one_sided, not_worse=True))
        tables = []
        for each, found, rows in zip(family, p_values, np.split(np.arange(len(adjusted)), len(family)), strict=True):
            columns = {name: values[rows] for name, values in within.items()}
            tables.append(each.tested(self.correction, self.interval, setting, p_values=found, adjusted=adjusted[rows], within=columns))
        return tables, warnings


versus: Final = Versus
