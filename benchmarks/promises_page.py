"""The page of promises, made from the figures that `benchmarks.promises` has measured."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from benchmarks.known_boards import Design

__all__ = ["page", "wilson"]

PROMISED: Final = 0.05
HEAD: Final = """---
description: The guarantee of every test, correction and confidence interval, and how often each kept its guarantee on boards whose true means are known.
---
# What tests and intervals promise

A test with a correction guarantees a maximum rate of *false claims*: significant differences between runs that do not truly differ. A 95 % confidence interval
guarantees to contain the true value with a probability of 95 %. This page calls such guarantees promises, and reports how often tests and intervals kept their promises on boards with known true means. A board
is a table of the scores of several runs on several topics. `python -m benchmarks.promises` simulates the boards and writes this page.

In short:

* `t` with `BY` (the default of `significance`, `agreement` and `judges`) and `t` with `Holm` (the default of `ranks`, and `versus(… | Holm)`) keep their promise if
  the differences between equal runs are symmetric. `stepdown` keeps its promise under the same condition, and finds the most significant pairs.
* `tukey` keeps its promise if the scores of equal runs have equal variances. If the variances differ much, `tukey` rejects too often.
* If runs have equal means but scores of very unequal skewness, tests of means reject too often: `t` with `BY` makes a false claim on 4 to 14 % of the boards,
  and `stepdown` on 16 to 36 %. The tests give a warning on nearly all of these boards: see [when a test warns](#when-a-test-warns). `wilcoxon` and `sign` do not test
  means, so they also reject if distributions with equal means differ in another way.
* `bootstrap`, the test of Ogilvie & Lalmas (2006), does not keep the promise of `Holm` with few topics. If the smallest possible
  p-value of the bootstrap, 1/b, is above the smallest threshold of a correction, the bootstrap finds few differences, and a warning names a sufficient b.
* If topics form clusters, use a test with clusters: `t(clusters=…)`, `randomisation(clusters=…)` or `stepdown(clusters=…)`.

## What is promised

| rule | promise at alpha = 0.05 |
|---|---|
| `unadjusted` | each true null hypothesis is rejected with a probability of at most 5 %; the number of false claims on a whole board is not bounded |
| `Holm`, `Bonferroni` | a board has a false claim with a probability of at most 5 %, under any dependence between the tests |
| `BH` | at most 5 % of the rejections are expected to be false, if the tests are independent or positively dependent |
| `BY` | at most 5 % of the rejections are expected to be false, under any dependence between the tests; if no two runs differ, a board has a false claim with a probability of at most 5 % |
| `tukey` | a board has a false claim with a probability of at most 5 %, if the scores of equal runs have the same distribution |
| `stepdown` | a board has a false claim with a probability of at most 5 %, if the differences between equal runs are symmetric |
| `t`, `randomisation` | p-values are valid for independent topics: for `t`, if differences are normal or topics are many; for `randomisation`, if differences are symmetric |
| `wilcoxon`, `sign` | p-values are valid for independent topics, but the hypotheses concern ranks of differences (`wilcoxon`) or the number of topics on which a run is better (`sign`), not means |
| `bootstrap` | p-values are valid if topics are many, and too small if topics are few |
| `clusters=` | the promise of the test without `clusters=`, with independent clusters in place of independent topics |
| intervals of means; intervals of differences by `t`, `randomisation`, `wilcoxon` and `sign` (Student's t) | each interval contains the true value with a probability of 95 % |
| intervals of differences by `bootstrap` | each interval contains the true value with a probability of 95 % if topics are many |
| intervals of differences by `tukey` and `stepdown` | all intervals of a board contain their true values simultaneously with a probability of 95 % |

A false claim is a rejection for two runs of equal true mean, or a rejection in the wrong direction. On boards without true differences, the share of boards with a false
claim estimates both the familywise error rate and the false discovery rate.
"""
WARNED: Final = ("t | BY", "t | Holm", "versus, t | Holm", "randomisation | BY", "randomisation | Holm", "stepdown")
"""The rules whose warnings the page counts."""
SKEW: Final = """
## When a test warns {: #when-a-test-warns }

`t`, `randomisation`, `tukey` and `stepdown` assume that the differences between equal runs are normal or symmetric. These tests give a warning if they find significant differences and most of
the significant differences are not significant after a correction for skewness. The correction is that of Hall (1992):

u = t - a t² / 3 + a² t³ / 27 - a / 6, with a = g / √n

In the formula n is the number of topics and g is the skewness of the board: the root mean square of the skewness over all tested pairs, minus the value that normal
differences show by chance. Therefore tests do not warn if topics are many, the skewness is small, or differences are large. After a warning, [`calibration(…, null="means")`](experiments.md#calibration-which-test-keeps-its-promise)
estimates how often the test errs on your own scores.

The first number of each cell is the percentage of boards with a false claim. The second number is the percentage of boards with a false claim but without a warning.

"""
END: Final = """
The centred boards of TREC-5, TREC-6 and TREC-7 keep the skewness of real runs, but the means of all runs are made equal. Some of the real runs score near 0 on most topics. On the real boards of
TREC-5, TREC-6 and TREC-7, `t` with `BY` does not warn; `t` with `Holm` warns on the real boards of TREC-5 and TREC-6.
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
        "The tables give the percentage of boards with a false claim, with Wilson's 95 % interval in parentheses. Numbers are **bold** if the whole interval is above 5 %. "
        "`versus` compares the first run with all other runs. A rule is the test and the correction of a formula. `unadjusted` does not bound the percentage of boards with a false claim. "
        "`BY` and `BH` bound this percentage only on boards without true differences."
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
    """On how many boards each rule is tried."""
    most = max(kept[name]["boards"] for name in names)
    usual = min(kept[name]["boards"] for name in names)
    more = [f"{kept[name]['boards']} boards of {name}" for name in names if kept[name]["boards"] > usual]
    yield (
        f"The percentages are computed from {usual} boards of each design"
        + (f", but from {' and '.join(more)}" if most > usual else "")
        + "."
    )
    fewer: dict[tuple[str, int], list[str]] = {}
    for name in names:
        for each in kept[name]["claims"]:
            if each["boards"] < kept[name]["boards"]:
                fewer.setdefault((each["rule"], each["boards"]), []).append(name)
    for (rule, boards), some in fewer.items():
        yield f"{_code(rule)} was applied to {boards} boards of each of these designs: {'; '.join(some)}."


def _shares(designs: Iterable[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "\n## False rejections\n"
    yield "`BY` and `BH` promise that on average over boards at most 5 % of the rejections are false. The table gives this percentage for boards on which some runs differ:\n"
    yield "| boards | rule | false rejections |\n|---|---|---:|"
    for design in designs:
        for each in kept[design.name]["claims"]:
            if each["false_share"] is not None and not each["rule"].startswith("versus"):
                yield f"| {design.name} | {_code(each['rule'])} | {100 * each['false_share']:.2f} % |"


def _code(rule: str) -> str:
    """A rule in a cell of a table."""
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
        # Where topics are in clusters, the rules of clusters are meant.
        found = [counted.get(re.sub("^(t|randomisation|stepdown)", r'\1(clusters="c")', rule), counted[rule]) for rule in WARNED]
        cells = ("{:.1f}, {:.1f}".format(*(100 * each[name] / each["boards"] for name in ("false", "silent"))) for each in found)
        yield f"| {design.name} | " + " | ".join(cells) + " |"
    yield END.rstrip("\n")


def _coverage(designs: Iterable[Design], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "\n## Intervals\n"
    yield "The table gives the percentage of 95 % intervals that contain the true value, ± 2 standard errors over boards."
    yield "\n| boards | interval | boards | contain the true value |\n|---|---|---:|---:|"
    for design in designs:
        for each in kept[design.name]["coverage"]:
            yield f"| {design.name} | {each['interval']} | {each['boards']} | {100 * each['share']:.1f} ± {200 * each['error']:.1f} |"
