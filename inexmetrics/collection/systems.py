"""Systems with several runs each, such as one run for each seed, and means over the runs of each system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.errors import CollectionError, OptionError, Problem
from inexmetrics.common.frozen import Frozen, freeze
from inexmetrics.common.messages import describe, did_you_mean, enumerate_names, plural
from inexmetrics.common.patterns import check_pattern, first_groups
from inexmetrics.terms.parameter_types import Made, Texts, argument

__all__ = ["GivenSystems", "Systems"]

GivenSystems: TypeAlias = str | Mapping[str, str | Sequence[str]]
"""Mapping from each system to its runs, or a regular expression whose first group matches the name of the system."""


GIVEN: Final = Made((str, Mapping), "a mapping from each system to its runs, or a regular expression")


@dataclass(frozen=True, slots=True, eq=False)
class Systems(Frozen):
    """Assignment of runs to systems.

    Attributes:
        of_runs: System of each run, by run name in lexicographic order.
    """

    of_runs: Mapping[str, str]

    def __post_init__(self) -> None:
        freeze(self, "of_runs")

    @classmethod
    def of(cls, given: GivenSystems, runs: Sequence[str]) -> Self:
        """Returns the system of each of the given runs, in lexicographic order of the runs.

        Args:
            given: Mapping from each system to its runs, or a regular expression whose first group matches the name of the system. The
                expression is matched against the whole name of a run or, if this fails, against a part of the name.
            runs: Names of the runs.

        Raises:
            CollectionError: A run does not belong to exactly one system, a system lacks runs, a named run does not exist, or the pattern is
                invalid.

        Examples:
            >>> Systems.of("(.*)-s[0-9]", ["bm25-s1", "bm25-s2", "lm-s1"]).counts
            {'bm25': 2, 'lm': 1}
        """
        argument("systems", GIVEN, given)
        found = _match_pattern(given, runs) if isinstance(given, str) else _match_lists(given, runs)
        if without := [run for run in runs if not found.get(run)]:
            how = f"the pattern {describe(given)} to find" if isinstance(given, str) else "systems= to name"
            text = f"expected {how} the system of every run, found {plural(len(without), 'run')} of {len(runs)} without a system"
            raise CollectionError(f"{text}: {enumerate_names(without)}; a system may have a single run")
        return cls({run: found[run] for run in sorted(runs)})

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the systems, in lexicographic order."""
        return tuple(sorted(set(self.of_runs.values())))

    @property
    def counts(self) -> dict[str, int]:
        """Number of runs of each system; the keys are the names of the systems in lexicographic order."""
        return dict(sorted(Counter(self.of_runs.values()).items()))

    @property
    def codes(self) -> IntArray:
        """Index of the system of each run in `names`, shape (R,)."""
        places = {name: place for place, name in enumerate(self.names)}
        return np.array([places[system] for system in self.of_runs.values()], dtype=np.int64)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Warnings about systems with a single run."""
        counts = self.counts
        single = [system for system, count in counts.items() if count == 1]
        if not single:
            return ()
        if len(single) == len(counts):
            text = f"{'the system' if len(counts) == 1 else f'each of the {len(counts)} systems'} has one run: nothing is averaged"
        else:
            text = f"{len(single)} of {len(counts)} systems {'has' if len(single) == 1 else 'have'} one run, others up to {max(counts.values())}"
            others = [system for system, count in counts.items() if count > 1]
            fewer = (
                f"{enumerate_names(others)} {'has' if len(others) == 1 else 'have'} several"
                if len(others) < len(single)
                else enumerate_names(single)
            )
            text += f" ({fewer}); means of fewer runs vary more"
        return (Problem(text, severity="warning"),)

    def chosen(self, names: str | Iterable[str] | None) -> tuple[str, ...]:
        """Returns the runs that are selected by their own name or by the name of their system; None selects all runs.

        A name shared by a system and a run refers to the system.

        Raises:
            CollectionError: A name is neither the name of a system nor the name of a run.
        """
        if names is None:
            return tuple(self.of_runs)
        wanted = dict.fromkeys(argument("runs", Texts("names of systems or runs"), names))
        systems = self.names
        if unknown := [name for name in wanted if name not in systems and name not in self.of_runs]:
            hints = [did_you_mean(name, [*systems, *self.of_runs]) or f"expected one of {enumerate_names(systems)}" for name in unknown]
            raise CollectionError(Problem(f"unknown system {name!r}; {hint}") for name, hint in zip(unknown, hints, strict=True))
        if not wanted:
            raise CollectionError("expected the name of a system, found none")
        return tuple(run for run, system in self.of_runs.items() if system in wanted or (run in wanted and run not in systems))

    def only(self, runs: Iterable[str]) -> Systems:
        """Returns the systems of only the given runs."""
        kept = set(runs)
        return Systems({run: system for run, system in self.of_runs.items() if run in kept})

    def averaged(self, values: FloatArray) -> FloatArray:
        """Returns means over the runs of each system. NaN values are ignored; if all values are NaN, the mean is NaN.

        Args:
            values: Values of the R runs, shape (R, ...). For S systems, the returned means have the shape (S, ...).

        Examples:
            >>> scores = np.array([[0.25, np.nan], [0.75, 0.5], [1.0, 0.0]])
            >>> Systems.of({"a": ["a1", "a2"], "b": "b1"}, ["a1", "a2", "b1"]).averaged(scores).tolist()
            [[0.5, 0.5], [1.0, 0.0]]
        """
        there, codes = ~np.isnan(values), self.codes
        sums = np.zeros((len(self.names), *values.shape[1:]))
        counts = np.zeros(sums.shape, dtype=np.int64)
        np.add.at(sums, codes, np.where(there, values, 0.0))  # values are added in the order of the runs
        np.add.at(counts, codes, there)
        means: FloatArray = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        return means

    def __str__(self) -> str:
        counts = self.counts.values()
        low, high = min(counts), max(counts)
        return f"{plural(len(counts), 'system')} of {plural(high, 'run') if low == high else f'{low} to {high} runs'} each"


def _match_pattern(pattern: str, runs: Sequence[str]) -> dict[str, str]:
    """Returns the system of each run whose name matches the pattern."""
    try:
        groups = check_pattern(pattern)
    except ValueError as error:
        raise OptionError(f"systems: expected a regular expression, found {describe(pattern)}: {error}") from None
    if not groups:
        raise OptionError(
            "systems: expected a column of the score table, or a regular expression whose first group in parentheses is the system of a run, "
            f"found {describe(pattern)}; write parentheses, as in (.*)-s[0-9]+"
        )
    return first_groups(pattern, runs)


def _match_lists(given: Mapping[str, str | Sequence[str]], runs: Sequence[str]) -> dict[str, str]:
    """Returns the system of each listed run."""
    if not all(argument("systems", Texts("names of systems"), given)):
        raise CollectionError('systems: expected a name for every system, found ""')
    problems: list[str] = []
    found: dict[str, str] = {}
    for system, listed in given.items():
        for run in argument(f"systems: {system}", Texts("names of runs"), listed):
            if run not in runs:
                hint = did_you_mean(run, runs) or f"there are {enumerate_names(runs)}"
                problems.append(f"system {system}: unknown run {run!r}; {hint}")
            elif found.setdefault(run, system) != system:
                problems.append(f"run {run}: expected one system, found {found[run]} and {system}")
    problems += [f"system {system}: expected at least one run, found none" for system, listed in given.items() if not listed]
    if problems:
        raise CollectionError(Problem(text) for text in problems)
    return found
