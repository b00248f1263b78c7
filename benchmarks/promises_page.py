"""The page about guarantees, generated from the figures that `benchmarks.promises` has measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from benchmarks.known_boards import Design

__all__ = ["page", "wilson"]

Figures: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The figures of each design, by its name."""

PROMISED: Final = 0.05
WARNED: Final = ("t | BY", "t | Holm", "versus, t | Holm", "randomisation | Holm", "stepdown")
"""The rules whose warnings are counted on the page."""
OTHERS: Final = ("t(floor=0.5) | BY", "wilcoxon | Holm", "sign | Holm", "bootstrap | Holm", "tukey")
"""Further rules of the table."""

SHOWN: Final = (0, 5, 20)
"""Percentages whose intervals the page shows."""

HEAD: Final = """---
description: The guarantee of every test, correction and confidence interval, and how often each guarantee held on simulated leaderboards.
---
# What tests and intervals guarantee

A *false claim* is a significant difference between two runs with equal true means, or in the wrong direction.
This page lists what each test and interval guarantees, and when. Simulated leaderboards with known true means show how often the guarantees held.
`python -m benchmarks.promises` runs the simulation and writes this page from `benchmarks/promises.json`.

## What is guaranteed {: #what-is-promised }

| alpha = 0.05 | guarantee | condition |
|---|---|---|
| `unadjusted` | Each true null hypothesis is rejected with a probability of at most 5 %. The number of false claims is not bounded. | valid p-values |
| `Holm`, `Bonferroni` | A leaderboard has a false claim with a probability of at most 5 %. | valid p-values, however dependent |
| `BY` | At most 5 % of the rejections are expected to be false; without true differences, also that of `Holm`. | valid p-values, however dependent |
| `BH` | that of `BY` | valid p-values, independent or positively dependent |
| `t` | valid p-values | normally distributed differences, or many topics |
| `randomisation` | valid p-values, otherwise often too small | symmetrically distributed differences between equally good runs |
| `stepdown` | that of `Holm` | that of `randomisation`, eight topics |
| `tukey` | that of `Holm` | The scores of equally good runs have the same distribution. |
| `wilcoxon`, `sign` | valid p-values | Not about means: runs with equal means may differ in the ranks or signs of their differences. |
| `bootstrap` | valid p-values, otherwise often too small | many topics |
| `clusters=` | that of the test | Clusters, instead of topics, are independent; for `t` and `bootstrap`, their sizes are similar. |
| `meta` | that of its correction, over datasets | differences that are not skewed, or [many topics for each dataset](reference/meta.md) |

## How often the guarantees held {: #the-boards }

Each cell is the percentage of leaderboards with a false claim, in **bold** if Wilson's 95 % interval lies above 5 %. If a rule of the first five columns warned, the percentages with a false claim but no warning, and with a warning, follow. `versus` compares the first run with all others.
Rows in *italics* are hard tests: equally good runs have very different distributions.

"""
WARNING: Final = """
## When a test warns {: #when-a-test-warns }

* If a run scores near 0 on all topics of a sample, its variance is not visible. `t`, `randomisation` and `stepdown` warn if a significant difference is lost with [`t(floor=0.5)`](choose-a-test.md#skewed-differences).
* On the original leaderboards of TREC-5, TREC-6 and TREC-7, `t` with `BY` warns: with the floor, 810 of 814, 1249 of 1277 and 3046 of 3066 significant differences remain.
"""
CALIBRATION: Final = """
## What calibration estimates {: #calibration }

On real scores, the rate of false claims is unknown. [`calibration(…, null="means")`](reference/calibration.md) estimates it on leaderboards with equal means, simulated from one leaderboard. Rates near 1 % are overestimated, because differences look more skewed by chance; high rates are underestimated, because rare topics may be missing. On average, the estimate for `t` with `BY` is within 3 points of the truth:

| leaderboards | truth | mean estimate | standard deviation of estimates |
|---|---:|---:|---:|
"""
INTERVALS: Final = """
## Intervals

Under its condition, an interval contains the true value with 95 % probability; simultaneous intervals contain those of all pairs at once. Measured (±: the
widest 95 % interval of a percentage):

| interval | condition | hard tests | others | ± |
|---|---|---:|---:|---:|
"""
CONDITIONS: Final = {
    "differences, t": "normally distributed differences, or many topics",
    "differences, bootstrap": "many topics",
    "differences, tukey, simultaneous": "that of the test",
    "differences, stepdown, simultaneous": "that of the test",
    "means, Student's t": "normally distributed scores, or many topics",
}
"""The condition of each kind of interval."""


def wilson(found: int, boards: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    Examples:
        >>> [round(end, 3) for end in wilson(10, 200)]
        [0.027, 0.09]
    """
    z = 1.959963984540054
    share, spread = found / boards, z * z / boards
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / boards + spread / boards / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


def page(designs: Sequence[Design], kept: Figures) -> str:
    """Return the page as Markdown."""
    there = [design for design in designs if design.name in kept]
    counted = {design.name: {each["rule"]: each for each in kept[design.name]["claims"]} for design in there}
    parts = (
        _table(there, counted),
        _designs(there, kept),
        _rates(there, counted),
        _of_stepdown(there, counted),
        _calibrated(there, kept),
        _coverage(there, kept),
    )
    table, boards, rates, unwarned, calibrated, coverage = ("".join(f"{line}\n" for line in part) for part in parts)
    return f"{HEAD}{table}\n{boards}{rates}{WARNING}{unwarned}{CALIBRATION}{calibrated}{INTERVALS}{coverage}"


def _table(designs: Iterable[Design], counted: Figures) -> Iterator[str]:
    rules = (*WARNED, *OTHERS)
    yield f"| leaderboards | {' | '.join(map(_code, rules))} |"
    yield f"|---|{'---:|' * len(rules)}"
    for design in designs:
        cells = (_cell(_of_clusters(counted[design.name], rule), warned=rule in WARNED) for rule in rules)
        yield f"| {f'*{design.name}*' if design.hard else design.name} | {' | '.join(cells)} |"


def _of_clusters(counted: Mapping[str, Mapping[str, Any]], rule: str) -> Mapping[str, Any] | None:
    """Returns the figures of a rule; those of the rule for clusters, if topics are in clusters and the rule exists."""
    test, bar, correction = rule.partition(" | ")
    return counted.get(f'{test}(clusters="c"){bar}{correction}', counted.get(rule))


def _cell(counts: Mapping[str, Any] | None, *, warned: bool) -> str:
    if counts is None:
        return "-"
    false, silent, said = (f"{100 * counts[name] / counts['boards']:.1f}" for name in ("false", "silent", "warned"))
    text = f"**{false}**" if wilson(counts["false"], counts["boards"])[0] > PROMISED else false
    return f"{text}; {silent}; {said}" if warned and counts["warned"] else text


def _intervals(boards: int, percentages: Iterable[int]) -> str:
    """Returns percentages of leaderboards with their intervals."""
    shown = [(percent, wilson(percent * boards // 100, boards)) for percent in percentages if percent * boards % 100 == 0]
    return ", ".join(f"{percent} ({100 * low:.1f} to {100 * high:.1f})" for percent, (low, high) in shown)


def _code(rule: str) -> str:
    """Returns a rule as a cell of a table."""
    return f"<code>{rule.replace('|', '&#124;')}</code>"


def _designs(designs: Sequence[Design], kept: Figures) -> Iterator[str]:
    usual = min(kept[design.name]["boards"] for design in designs)
    more = [f'{kept[design.name]["boards"]} for "{design.name}"' for design in designs if kept[design.name]["boards"] > usual]
    others = f" ({', '.join(more)})" if more else ""
    yield f"* Each percentage is of {usual} leaderboards{others}; `tukey` was applied to a fifth of them."
    few = max(usual // 5, 1)
    yield f"* Wilson's intervals: {_intervals(usual, SHOWN)}; of `tukey`: {_intervals(few, SHOWN)}."
    for said in dict.fromkeys(design.said for design in designs):
        sizes = {design.name: design.size for design in designs if design.said == said}
        same = len(set(sizes.values())) == 1
        names = ", ".join(f"*{name}*" if same else f"*{name}* ({size})" for name, size in sizes.items())
        yield f"* {names}{f' ({next(iter(sizes.values()))})' if same else ''}: {said}."


def _rates(designs: Sequence[Design], counted: Figures) -> Iterator[str]:
    """Yields what the table does not show: tests without clusters, and the share of false rejections."""
    for design in designs:
        claims = counted[design.name]
        if design.name == "clusters":
            found = ", ".join(f"{_percent(claims[rule])} for `{rule.replace(' | ', '` with `')}`" for rule in ("t | BY", "t | Holm"))
            using = dict.fromkeys(f"`{rule.partition('(')[0]}`" for rule in claims if '(clusters="c")' in rule)
            yield f"* *{design.name}*: the columns of {', '.join(using)} use `clusters=`, those of `t(floor=0.5)`, `versus` and other tests do not. Without it: {found}."
        if claims["t | BY"]["false_share"] is not None:
            rules = ("t | BY", "t | Holm", "t | BH", "t | unadjusted", "stepdown")
            found = ", ".join(f"`{rule.replace(' | ', '` with `')}` {100 * claims[rule]['false_share']:.2f} %" for rule in rules)
            yield f"* *{design.name}*: `BY` and `BH` bound the share of false rejections, not of leaderboards. Shares: {found}."


def _of_stepdown(designs: Iterable[Design], counted: Figures) -> Iterator[str]:
    """Yields how often `stepdown` makes a false claim on skewed scores, and why its warning does not prevent it."""
    hard = [counted[design.name]["stepdown"] for design in designs if design.hard]
    if not hard:
        return
    false, silent = ([100 * counts[name] / counts["boards"] for counts in hard] for name in ("false", "silent"))
    yield (
        f"* With `stepdown`, {min(false):.1f} to {max(false):.1f} % of the hard leaderboards have a false claim, {min(silent):.1f} to {max(silent):.1f} % "
        "without a warning: few topics do not show skewness."
    )


def _percent(counts: Mapping[str, Any]) -> str:
    return f"{100 * counts['false'] / counts['boards']:.1f} %"


def _calibrated(designs: Iterable[Design], kept: Figures) -> Iterator[str]:
    for design in designs:
        if (found := kept[design.name].get("calibrated")) is not None:
            truth, estimate, spread = (100 * found[name] for name in ("truth", "estimate", "spread"))
            error = 200 * math.sqrt(found["truth"] * (1 - found["truth"]) / found["boards"])
            of_estimate = 2 * spread / math.sqrt(found["estimates"])
            yield f"| *{design.name}* | {truth:.1f} ± {error:.1f} % | {estimate:.1f} ± {of_estimate:.1f} % | {spread:.1f} |"
    smoothed = ((design.name.partition(",")[0], kept[design.name].get("smoothed")) for design in designs)
    there = {name: found for name, found in smoothed if found is not None}
    if there:
        said = "; ".join(
            f"{name} {100 * found['share']:.1f} % ({found['runs']} runs), {100 * found['share_of_some']:.1f} % ({found['some']} random runs)"
            for name, found in there.items()
        )
        yield f"\nMore runs make more false claims possible. Estimates on real scores: {said}."


def _coverage(designs: Sequence[Design], kept: Figures) -> Iterator[str]:
    """Yields the condition and the measured coverage of each kind of interval, as ranges over the leaderboards, and what else uses t."""
    found: dict[tuple[str, bool], list[float]] = {}
    errors: dict[str, float] = {}
    for design in designs:
        for each in kept[design.name]["coverage"]:
            # Without clusters=, the condition of an interval is not met where topics are in clusters.
            if not any("clusters" in name["interval"] for name in kept[design.name]["coverage"]):
                found.setdefault((each["interval"], design.hard), []).append(100 * each["share"])
                errors[each["interval"]] = max(errors.get(each["interval"], 0.0), 196 * each["error"])
    for name in dict.fromkeys(interval for interval, _ in found):
        spans = [_span(found.get((name, hard), [])) for hard in (False, True)]
        yield f"| {name} | {CONDITIONS[name]} | {spans[1]} % | {spans[0]} % | {errors[name]:.1f} |"
    yield "\n`randomisation`, `wilcoxon` and `sign` have the intervals of `t`. With few topics and skewed scores, those of `t` and of means are too narrow."


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f}" if values else "-"
