"""The page about guarantees, generated from the figures that `benchmarks.promises` has measured."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from benchmarks.known_boards import Design

__all__ = ["page", "wilson"]

PROMISED: Final = 0.05
HEAD: Final = """---
description: The guarantee of every test, correction and confidence interval, and how often each guarantee held on simulated leaderboards.
---
# What tests and intervals guarantee

A statistical test with a correction guarantees a maximum rate of *false claims*, that is, significant differences between runs that do not truly differ. Confidence intervals with a confidence level of 95 % contain the true value in 95 % of repeated samples, if scores are normally distributed or if there are many topics. This page reports how often the guarantees held on simulated leaderboards whose true means are known.
A leaderboard is a table of the scores of several runs on several topics. Both the simulation and this page are produced by `python -m benchmarks.promises`.

The main results are:

* `t` with `BY`, `t` with `Holm`, and `stepdown` stay within the guaranteed rate of false claims if the differences between equally good runs have symmetric distributions.
  Of the three, `stepdown` finds the most significant pairs. (`t` with `BY` is the default of `significance`, `agreement` and `judges`; `t` with `Holm` is the default of `ranks`, and is also used by `versus(… | Holm)`.)
* `tukey` stays within the guaranteed rate of false claims if the scores of equally good runs have equal variances. If the variances are very different, `tukey` rejects too often.
* If runs have equal means but scores of very different skewness, tests of means reject too often: `t` with `BY` makes a false claim on up to 14 % of the leaderboards,
  and `stepdown` on up to 36 %. `t(floor=0.5)` makes fewer false claims if some runs hardly vary, and the tests emit a warning if claims depend on these runs (see [When a test warns](#when-a-test-warns)). `wilcoxon` and `sign` are not tests of means:
  they also reject if two runs have equal means but distributions that differ in another way.
* `bootstrap` is the test of Ogilvie & Lalmas (2006). With few topics, `bootstrap` with the correction `Holm` makes false claims more often than guaranteed. The smallest possible
  p-value of the bootstrap is 1/b. If 1/b is above the smallest threshold of the correction, the bootstrap finds few differences, and a warning suggests a larger b.
* If topics form clusters, use a test that takes the clusters into account: `t(clusters=…)`, `randomisation(clusters=…)` or `stepdown(clusters=…)`.

## What is guaranteed {: #what-is-promised }

| test, correction or interval | guarantee at alpha = 0.05 |
|---|---|
| `unadjusted` | Each true null hypothesis is rejected with a probability of at most 5 %. The number of false claims about a leaderboard is not bounded |
| `Holm`, `Bonferroni` | The probability of making any false claim about a leaderboard is at most 5 %, whatever the dependence between the tests |
| `BH` | At most 5 % of the rejections are expected to be false if the tests are independent or positively dependent |
| `BY` | At most 5 % of the rejections are expected to be false, whatever the dependence between the tests. If no two runs differ, the probability of making any false claim about a leaderboard is at most 5 % |
| `tukey` | The probability of making any false claim about a leaderboard is at most 5 % if the scores of equally good runs have the same distribution |
| `stepdown` | The probability of making any false claim about a leaderboard is at most 5 % if the differences between equally good runs have symmetric distributions |
| `t`, `randomisation` | The p-values are valid for independent topics if the differences have symmetric distributions (`randomisation`), or if the differences are normally distributed or there are many topics (`t`) |
| `wilcoxon`, `sign` | The p-values are valid for independent topics. The hypotheses, however, are not about means but about the ranks of differences (`wilcoxon`) or the number of topics on which a run is better (`sign`) |
| `bootstrap` | The p-values are valid if there are many topics, but too small if there are few |
| `clusters=` | The guarantee is the same as without `clusters=`, but it requires independent clusters instead of independent topics |
| intervals that use Student's t distribution: all intervals for means, and the intervals for differences with `t`, `randomisation`, `wilcoxon` or `sign` | If scores (for differences: the differences) are normally distributed, or if there are many topics, each interval contains the true value with a probability of 95 %. With few topics and skewed scores, the probability is lower |
| intervals for differences with `bootstrap` | If there are many topics, each interval contains the true value with a probability of 95 % |
| intervals for differences with `tukey` or `stepdown` | If the assumptions of the test are met, all intervals for a leaderboard contain their true values simultaneously with a probability of 95 % |

A false claim is a rejection for two runs with equal true means, or a rejection in the wrong direction. If a leaderboard contains no true differences, the share of leaderboards with a
false claim is an estimate of both the familywise error rate and the false discovery rate.
"""
WARNED: Final = ("t | BY", "t | Holm", "versus, t | Holm")
"""The rules whose warnings are counted on the page."""
WARNING: Final = """
## When a test warns {: #when-a-test-warns }

`t`, `randomisation` and `stepdown` assume that the differences between equally good runs have normal or symmetric distributions. A run that scores near 0 on all topics of the sample does not show
how much its scores vary. Each of the three tests emits a warning if a significant difference is lost with [`t(floor=0.5)`](choose-a-test.md#skewed-differences), which raises small variances of runs.
To estimate the error rate of a test on your own scores, use [`calibration(given("AP"), null="means")`](reference/calibration.md).

In the table below, the first number in each cell is the percentage of leaderboards on which a false claim is made. The second number is the percentage of leaderboards on which a false claim is made
and no warning is emitted. The third number is the percentage of leaderboards with a warning.

"""
END: Final = """
On the centred TREC-5, TREC-6 and TREC-7 leaderboards, all runs have the same mean, but their scores are as skewed as those of the real runs. Some of the real runs score near 0 on most topics. On the original
TREC-5, TREC-6 and TREC-7 leaderboards, `t` with `BY` warns as well: with `t(floor=0.5)`, 810 of 814, 1249 of 1277, and 3046 of 3066 significant differences remain.
"""


CALIBRATION: Final = """
## What calibration estimates {: #calibration }

On real scores, the true rate of false claims is unknown, and [`calibration(…)`](reference/calibration.md) estimates it. With `null="means"`, the experiment simulates leaderboards whose runs have equal means, from the scores
of one leaderboard. The table compares the estimates for `t` with `BY` with the true percentage of leaderboards with a false claim, for leaderboards whose topics are drawn from a population. On average, the estimates
differ from the true percentage by less than 4 percentage points; percentages near 1 are overestimated. The estimate from a single leaderboard is uncertain: the last column shows how much it varies from leaderboard to leaderboard.
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


def page(designs: Sequence[Design], kept: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page as Markdown."""
    there = [design for design in designs if design.name in kept]
    return HEAD + "".join(
        "\n".join(part) + "\n"
        for part in (
            _designs(there),
            _claims(there, kept),
            _shares(there, kept),
            _warnings(there, kept),
            _calibrated(there, kept),
            _coverage(there, kept),
        )
    )


def _designs(designs: Iterable[Design]) -> Iterator[str]:
    yield "\n## The leaderboards {: #the-boards }\n"
    yield (
        "Some designs are *hard tests*, because equally good runs have very different distributions. On the centred TREC leaderboards, the same 50 topics are drawn again and again, so that rare topics occur too often or not at all; "
        '`t` makes more false claims there than on new topics. The true error rate of a test on skewed scores is better shown by the design "the sample\'s generator", whose 29 topics are drawn from 400.\n'
    )
    yield "| leaderboards | method of simulation |\n|---|---|"
    for design in designs:
        yield f"| {design.name}{' (hard test)' if design.hard else ''} | {design.said} |"


def _claims(designs: Sequence[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "\n## False claims\n"
    yield (
        "The tables below show the percentage of leaderboards on which a false claim is made, followed by Wilson's 95 % interval in parentheses. If the whole interval is above 5 %, the numbers are **bold**. "
        "A rule is a combination of a test and a correction. `versus` compares the first run with all other runs. Without a correction (`unadjusted`), the percentage of leaderboards with a false claim is not limited. "
        "`BY` and `BH` limit the percentage of leaderboards with a false claim only if no runs truly differ."
    )
    rules = dict.fromkeys(each["rule"] for design in designs for each in kept[design.name]["claims"])
    names = [design.name for design in designs]
    for start in range(0, len(names), 4):
        some = names[start : start + 4]
        counted = {name: {each["rule"]: each for each in kept[name]["claims"]} for name in some}
        shown = [rule for rule in rules if any(rule in counted[name] for name in some)]
        yield ""
        yield "| rule | " + " | ".join(some) + " |"
        yield "|---|" + "---:|" * len(some)
        for rule in shown:
            cells = (_share(counted[name].get(rule)) for name in some)
            yield f"| {_code(rule)} | " + " | ".join(cells) + " |"
    yield ""
    yield from (f"* {line}" for line in _boards(names, kept))


def _boards(names: Sequence[str], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Returns the numbers of leaderboards to which each rule is applied."""
    most = max(kept[name]["boards"] for name in names)
    usual = min(kept[name]["boards"] for name in names)
    more = [f'{kept[name]["boards"]} for the design "{name}"' for name in names if kept[name]["boards"] > usual]
    yield (
        f"For each design, the percentages are computed from {usual} simulated leaderboards"
        + (f" ({' and '.join(more)})" if most > usual else "")
        + "."
    )
    fewer: dict[tuple[str, int], list[str]] = {}
    for name in names:
        for each in kept[name]["claims"]:
            if each["boards"] < kept[name]["boards"]:
                fewer.setdefault((each["rule"], each["boards"]), []).append(name)
    for (rule, boards), some in fewer.items():
        quoted = "; ".join(f'"{name}"' for name in some)
        yield f"{_code(rule)} was applied to only {boards} leaderboards of {'each of these designs:' if len(some) > 1 else 'the design'} {quoted}."


def _shares(designs: Iterable[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "\n## False rejections\n"
    yield "`BY` and `BH` guarantee that, averaged over leaderboards, at most 5 % of the rejections are false. The table shows the percentage of false rejections for leaderboards on which some runs truly differ:\n"
    yield "| leaderboards | rule | percentage of false rejections |\n|---|---|---:|"
    for design in designs:
        for each in kept[design.name]["claims"]:
            if each["false_share"] is not None and not each["rule"].startswith("versus"):
                yield f"| {design.name} | {_code(each['rule'])} | {100 * each['false_share']:.2f} % |"


def _code(rule: str) -> str:
    """Returns a rule as a cell of a table."""
    return f"<code>{rule.replace('|', '&#124;')}</code>"


def _share(counts: Mapping[str, Any] | None) -> str:
    if counts is None:
        return "-"
    low, high = wilson(counts["false"], counts["boards"])
    text = f"{100 * counts['false'] / counts['boards']:.1f} ({100 * low:.0f} to {100 * high:.0f})"
    return f"**{text}**" if low > PROMISED else text


def _warnings(designs: Iterable[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield WARNING.rstrip("\n")
    yield ""
    yield "| leaderboards | " + " | ".join(map(_code, WARNED)) + " |"
    yield "|---|" + "---:|" * len(WARNED)
    for design in designs:
        counted = {each["rule"]: each for each in kept[design.name]["claims"]}
        # If topics are in clusters, the rules for clusters apply.
        found = [counted.get(re.sub("^(t|randomisation|stepdown)", r'\1(clusters="c")', rule), counted[rule]) for rule in WARNED]
        cells = (
            "{:.1f}, {:.1f}, {:.1f}".format(*(100 * each[name] / each["boards"] for name in ("false", "silent", "warned")))
            for each in found
        )
        yield f"| {design.name} | " + " | ".join(cells) + " |"
    yield END.rstrip("\n")


def _calibrated(designs: Iterable[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield CALIBRATION.rstrip("\n")
    yield "\n| leaderboards | true percentage | estimate of `calibration` | standard deviation of the estimates |\n|---|---:|---:|---:|"
    for design in designs:
        if (found := kept[design.name].get("calibrated")) is not None:
            error = 200 * math.sqrt(found["truth"] * (1 - found["truth"]) / found["boards"])
            truth, estimate, spread = (100 * found[name] for name in ("truth", "estimate", "spread"))
            yield f"| {design.name} | {truth:.1f} ± {error:.1f} | {estimate:.1f} | {spread:.1f} |"


def _coverage(designs: Iterable[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "\n## Intervals\n"
    yield "The table shows the percentage of 95 % intervals that contain the true value, ± 2 standard errors over the simulated leaderboards. For simultaneous intervals, the table shows the percentage of leaderboards on which all intervals contain their true values."
    yield "\n| leaderboards | interval | number of leaderboards | coverage |\n|---|---|---:|---:|"
    for design in designs:
        for each in kept[design.name]["coverage"]:
            yield f"| {design.name} | {each['interval']} | {each['boards']} | {100 * each['share']:.1f} ± {200 * each['error']:.1f} |"
