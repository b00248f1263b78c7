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

HEAD: Final = """---
description: The guarantee of every test, correction and confidence interval, and how often each guarantee held on simulated leaderboards.
---
# What tests and intervals guarantee

A *false claim* is a significant difference between two runs with equal true means, or a significant difference in the wrong direction.
This page states what each test, correction and interval guarantees, and under which condition. A simulation shows how often the guarantees held, on leaderboards (scores of several runs on several topics) whose true means are known.
`python -m benchmarks.promises` runs the simulation and writes this page; `benchmarks/promises.json` contains all figures.

## What is guaranteed {: #what-is-promised }

With alpha = 0.05:

* `unadjusted`: each true null hypothesis is rejected with a probability of at most 5 %. The number of false claims about a leaderboard is not bounded.
* `Holm`, `Bonferroni`: the probability of any false claim about a leaderboard is at most 5 %, whatever the dependence between the tests.
* `BH`: at most 5 % of the rejections are expected to be false if the tests are independent or positively dependent. `BY`: the same, whatever the dependence. If no two runs differ, this bounds the probability of any false claim.
* `t`: p-values are valid if the differences are normally distributed, or if there are many topics. `randomisation` and `stepdown`: p-values are valid if the differences between equally good runs have symmetric distributions, otherwise too small. With valid p-values, `stepdown` bounds the probability of any false claim.
* `tukey`: the probability of any false claim is at most 5 % if the scores of equally good runs have the same distribution.
* `wilcoxon`, `sign`: p-values are valid, but the hypotheses are not about means. Two runs with equal means may differ in the ranks or the signs of their differences.
* `bootstrap`: p-values are valid if there are many topics, and too small if there are few. The smallest p-value is 1/b; if it is above the first step of the correction, a warning suggests a larger b.
* `clusters=`: the same guarantees, for independent clusters instead of independent topics.

## How often the guarantees held {: #the-boards }

Each cell is the percentage of leaderboards with a false claim. It is **bold** if Wilson's 95 % interval lies above 5 %. If a rule of the first five columns warned, two numbers follow: the percentage with a false claim and no warning, and the percentage with a warning. `versus` compares the first run with all others.
Rows in *italics* are hard tests: equally good runs have very different distributions.

"""
WARNING: Final = """
## When a test warns {: #when-a-test-warns }

* A run that scores near 0 on all topics of the sample does not show how much its scores vary. `t`, `randomisation` and `stepdown` warn if a significant difference is lost with [`t(floor=0.5)`](choose-a-test.md#skewed-differences), which raises small variances of runs. `randomisation` also warns if b is too small for the correction.
* On the original TREC-5, TREC-6 and TREC-7 leaderboards, `t` with `BY` warns: with `t(floor=0.5)`, 810 of 814, 1249 of 1277, and 3046 of 3066 significant differences remain.
"""
CALIBRATION: Final = """
## What calibration estimates {: #calibration }

* On real scores the true rate of false claims is unknown. [`calibration(…, null="means")`](reference/calibration.md) estimates it from one leaderboard, on simulated leaderboards with equal means.
* The estimate comes from the differences of the sample, which look more skewed than they are by chance, and less skewed if rare topics are missing. Rates near 1 % are therefore overestimated, and high rates underestimated. On average, the estimate for `t` with `BY` is within 3 percentage points of the truth:
"""


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
    return f"{HEAD}{table}\n{boards}{rates}{WARNING}{unwarned}{CALIBRATION}{calibrated}\n## Intervals\n\n{coverage}"


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


def _code(rule: str) -> str:
    """Returns a rule as a cell of a table."""
    return f"<code>{rule.replace('|', '&#124;')}</code>"


def _designs(designs: Sequence[Design], kept: Figures) -> Iterator[str]:
    usual = min(kept[design.name]["boards"] for design in designs)
    more = [f'{kept[design.name]["boards"]} for "{design.name}"' for design in designs if kept[design.name]["boards"] > usual]
    others = f" ({', '.join(more)})" if more else ""
    yield f"* Each percentage is of {usual} leaderboards{others}; `tukey` was applied to a fifth of them."
    for design in designs:
        yield f"* *{design.name}*: {design.said}."


def _rates(designs: Sequence[Design], counted: Figures) -> Iterator[str]:
    """Yields what the table does not show: tests without clusters, and the share of false rejections."""
    for design in designs:
        claims = counted[design.name]
        if any("clusters" in rule for rule in claims):
            found = ", ".join(f"{_percent(claims[rule])} for `{rule.replace(' | ', '` with `')}`" for rule in ("t | BY", "t | Holm"))
            yield f"* *{design.name}*: the tests in the table use `clusters=`, as far as they have it. Without it, false claims are frequent: {found}."
        if claims["t | BY"]["false_share"] is not None:
            rules = ("t | BY", "t | Holm", "t | BH", "t | unadjusted", "stepdown")
            found = ", ".join(f"`{rule.replace(' | ', '` with `')}` {100 * claims[rule]['false_share']:.2f} %" for rule in rules)
            yield f"* *{design.name}*: `BY` and `BH` bound the share of the rejections that are false, not the leaderboards with a false claim. The shares were: {found}."


def _of_stepdown(designs: Iterable[Design], counted: Figures) -> Iterator[str]:
    """Yields how often `stepdown` makes a false claim on skewed scores, and why its warning does not prevent it."""
    hard = [counted[design.name]["stepdown"] for design in designs if design.hard]
    if not hard:
        return
    false, silent = ([100 * counts[name] / counts["boards"] for counts in hard] for name in ("false", "silent"))
    yield (
        f"* With `stepdown`, {min(false):.0f} to {max(false):.0f} % of the hard leaderboards have a false claim, {min(silent):.0f} to {max(silent):.0f} % "
        "without a warning: few topics do not show skewness. A warning of pairs that only `stepdown` claims would nearly always come."
    )


def _percent(counts: Mapping[str, Any]) -> str:
    return f"{100 * counts['false'] / counts['boards']:.1f} %"


def _calibrated(designs: Iterable[Design], kept: Figures) -> Iterator[str]:
    for design in designs:
        if (found := kept[design.name].get("calibrated")) is not None:
            truth, estimate, spread = (100 * found[name] for name in ("truth", "estimate", "spread"))
            error = 200 * math.sqrt(found["truth"] * (1 - found["truth"]) / found["boards"])
            of_estimate = 2 * spread / math.sqrt(found["estimates"])
            yield (
                f"* *{design.name}*: truth {truth:.1f} ± {error:.1f} %, mean estimate {estimate:.1f} ± {of_estimate:.1f} % "
                f"(standard deviation between leaderboards {spread:.1f})."
            )
    smoothed = ((design.name.partition(",")[0], kept[design.name].get("smoothed")) for design in designs)
    there = {name: found for name, found in smoothed if found is not None}
    if there:
        said = "; ".join(
            f"{name} {100 * found['share']:.1f} % with its {found['runs']} runs, {100 * found['share_of_some']:.1f} % with {found['some']} random ones"
            for name, found in there.items()
        )
        yield f"* The more runs, the more pairs can be claimed falsely. Estimates on real scores, whose truth is unknown: {said}."


def _coverage(designs: Sequence[Design], kept: Figures) -> Iterator[str]:
    """Yields the condition and the measured coverage of each kind of interval, as ranges over the leaderboards."""
    yield (
        "* Intervals that use Student's t distribution (all intervals of means, and those of differences with `t`, `randomisation`, `wilcoxon` or `sign`) contain the true value with a probability of 95 % "
        "if scores (of differences: the differences) are normally distributed, or if there are many topics. With few topics and skewed scores, the probability is lower."
    )
    yield "* Intervals of differences with `bootstrap` do so if there are many topics. Those with `tukey` and `stepdown` hold for all pairs at once, if the condition of the test is met."
    found: dict[tuple[str, bool], list[float]] = {}
    for design in designs:
        for each in kept[design.name]["coverage"]:
            # Without clusters=, the condition of an interval is not met where topics are in clusters.
            if not any("clusters" in name["interval"] for name in kept[design.name]["coverage"]):
                found.setdefault((each["interval"], design.hard), []).append(100 * each["share"])
    for name in dict.fromkeys(interval for interval, _ in found):
        spans = [_span(found.get((name, hard), [])) for hard in (False, True)]
        yield f"* Measured, {name}: {spans[1]} % on the hard tests; {spans[0]} % on the others."


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f}" if values else "-"
