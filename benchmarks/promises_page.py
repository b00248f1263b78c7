"""The page of promises, generated from the figures that `benchmarks.promises` has measured."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from benchmarks.known_boards import Design

__all__ = ["page", "wilson"]

PROMISED: Final = 0.05
HEAD: Final = """---
description: What every test, correction and confidence interval promises, and how often each kept its promise on boards whose truth is known.
---
# What tests and intervals promise

A test with a correction promises something about *false claims*: differences that it calls significant and that are not there. A confidence interval
promises to contain the true value. This page says what each promises, and how often it kept the promise on boards of runs whose truth is known.
`python -m benchmarks.promises` measures the figures and writes the page.

In short:

* `t` with `BY` (the default of `significance`, `agreement` and `judges`) and `t` with `Holm` (`ranks`, and `versus(… | Holm)`) keep their promise wherever
  the differences of equal runs are symmetric. So does `stepdown`, which settles the most pairs.
* `tukey` keeps its promise where the scores of equal runs have equal variances. Where their variances differ much, it rejects too often.
* Where runs of equal means have scores of very unequal skewness, tests of means reject too often: `t` with `BY` on 4 to 14 % of such boards,
  `stepdown` on 16 to 36 %. These tests warn on nearly all such boards: see [when a test warns](#when-a-test-warns). `wilcoxon` and `sign` do not test
  means, and find the other differences.
* `bootstrap`, the test of Ogilvie & Lalmas (2006), does not keep the promise of `Holm` on few topics. Where its smallest
  p-value, 1/b, is above the first step of a correction, it finds little, and a warning names the b that would do.
* Topics in clusters need a test of clusters: `t(clusters=…)`, `randomisation(clusters=…)` or `stepdown(clusters=…)`.

## What is promised

| rule | promise at alpha = 0.05 |
|---|---|
| `unadjusted` | each true hypothesis is rejected with a probability of at most 5 %; nothing is promised about a whole board |
| `Holm`, `Bonferroni` | a board has a false claim with a probability of at most 5 %, whatever the tests' dependence |
| `BH` | on average at most 5 % of the rejections are false, if the tests are independent or depend positively |
| `BY` | the same, whatever the tests' dependence; where no two runs differ, a board has a false claim with a probability of at most 5 % |
| `tukey` | a board has a false claim with a probability of at most 5 %, if the scores of equal runs have the same distribution |
| `stepdown` | a board has a false claim with a probability of at most 5 %, if the differences of equal runs are symmetric |
| `t`, `randomisation` | p-values that are true where topics are independent draws: `t` for normal differences or many topics, `randomisation` for symmetric ones |
| `wilcoxon`, `sign` | the same, for ranks of differences (`wilcoxon`) and for the number of topics on which a run is ahead (`sign`), not for means |
| `bootstrap` | p-values that become true as topics become many; too small on few |
| `clusters=` | the same with clusters in place of topics |
| intervals of means; of differences by `t`, `randomisation`, `wilcoxon` and `sign` (Student's t) | each contains the true value with a probability of 95 % |
| intervals of differences by `bootstrap` | the same as topics become many |
| intervals of differences by `tukey` and `stepdown` | all of a board contain their true values at once with a probability of 95 % |

A false claim is a rejection between two runs of equal true mean, or in the wrong direction. On boards where no two runs differ, the share of boards with a false
claim is both the family-wise error rate and the false discovery rate.
"""
WARNED: Final = ("t | BY", "t | Holm", "versus, t | Holm", "randomisation | BY", "randomisation | Holm", "stepdown")
"""The rules whose warnings are counted on the page."""
SKEW: Final = """
## When a test warns {: #when-a-test-warns }

`t`, `randomisation`, `tukey` and `stepdown` take the differences of equal runs to be normal or symmetric. They warn if they claim a difference and most of
the claims do not survive a correction for skewness. The correction is Hall's (1992):

u = t - a t² / 3 + a² t³ / 27 - a / 6, with a = g / √n

Here n is the number of topics and g the skewness of the board: the root mean square of the skewness over all tested pairs, minus the value that normal
differences show by chance. Many topics, small skewness and large differences therefore raise no warning. [`calibration(…, null="means")`](experiments.md#calibration-which-test-keeps-its-promise)
then counts how often the test errs on your own scores.

Boards with a false claim, and boards with a false claim and without a warning, per cent:

"""
END: Final = """
The centred boards of TREC-5 to -7 keep the skewness of real runs, some of which are near 0 on most topics, but all means are made equal. On the real boards of
TREC-5, TREC-6 and TREC-7, `t` with `BY` does not warn; `t` with `Holm` warns on those of TREC-5 and TREC-6.
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
        for part in (_designs(there), _claims(there, kept), _shares(there, kept), _skew(there, kept), _coverage(there, kept))
    )


def _designs(designs: Iterable[Design]) -> Iterator[str]:
    yield "\n## The boards\n"
    yield "| boards | how they are made |\n|---|---|"
    for design in designs:
        yield f"| {design.name} | {design.said} |"


def _claims(designs: Sequence[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "\n## False claims\n"
    yield (
        "Boards with a false claim, per cent, with Wilson's 95 % interval; **bold** where the whole interval is above 5 %. "
        "`versus` compares the first run with all others. Rules are the stages of a formula. `unadjusted` promises nothing about boards, and neither do `BY` and `BH` "
        "where some runs differ."
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
    more = [f"{kept[name]['boards']} of {name}" for name in names if kept[name]["boards"] > usual]
    yield f"{usual} boards of each design" + (f"; {', '.join(more)}" if most > usual else "") + "."
    fewer: dict[tuple[str, int], list[str]] = {}
    for name in names:
        for each in kept[name]["claims"]:
            if each["boards"] < kept[name]["boards"]:
                fewer.setdefault((each["rule"], each["boards"]), []).append(name)
    for (rule, boards), some in fewer.items():
        yield f"{_code(rule)} on {boards} boards of {'; '.join(some)}."


def _shares(designs: Iterable[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "\n## False rejections\n"
    yield "`BY` and `BH` promise no more than 5 % on average over boards. On boards on which some runs differ:\n"
    yield "| boards | rule | false rejections |\n|---|---|---:|"
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


def _skew(designs: Iterable[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield SKEW.rstrip("\n")
    yield ""
    yield "| boards | " + " | ".join(map(_code, WARNED)) + " |"
    yield "|---|" + "---:|" * len(WARNED)
    for design in designs:
        counted = {each["rule"]: each for each in kept[design.name]["claims"]}
        # If topics are in clusters, the rules for clusters apply.
        found = [counted.get(re.sub("^(t|randomisation|stepdown)", r'\1(clusters="c")', rule), counted[rule]) for rule in WARNED]
        cells = ("{:.1f}, {:.1f}".format(*(100 * each[name] / each["boards"] for name in ("false", "silent"))) for each in found)
        yield f"| {design.name} | " + " | ".join(cells) + " |"
    yield END.rstrip("\n")


def _coverage(designs: Iterable[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "\n## Intervals\n"
    yield "95 % intervals that contain the true value, per cent, ± 2 standard errors over boards."
    yield "\n| boards | interval | boards | contain the true value |\n|---|---|---:|---:|"
    for design in designs:
        for each in kept[design.name]["coverage"]:
            yield f"| {design.name} | {each['interval']} | {each['boards']} | {100 * each['share']:.1f} ± {200 * each['error']:.1f} |"
