"""Measures whether every test, correction and interval keeps its guarantee, on leaderboards with known true values, and writes the page about it.

    python -m benchmarks.promises [--boards 200] [--only DESIGN…] [--tests TEST…] [--resume] [--write] [--check]

The figures of a design are stored in `benchmarks/promises.json` immediately. ``--resume`` measures only the designs without figures for this number of
leaderboards. ``--write`` writes the page from the stored figures, without measuring; ``--check`` tests whether the page is current.
`tukey`, which takes the longest, is applied only to a fifth of the leaderboards. 200 leaderboards take 10
minutes of CPU time.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from benchmarks.known_boards import DESIGNS, Board, Design
from benchmarks.promises_page import page
from inexmetrics import BH, BY, Correction, Holm, SignificanceTest, bootstrap, randomisation, sign, stepdown, t, tukey, unadjusted, wilcoxon
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.tested import coarse
from inexmetrics.inference.conclusions import conclude, corrected, hypotheses
from inexmetrics.inference.error_rates import claims_on_boards
from inexmetrics.inference.floored_claims import lost_with_floor
from inexmetrics.inference.means import means, observed_pairs, sample_deviations, student_margins

__all__ = ["FIGURES", "PAGE", "Claims", "Coverage", "main", "measured"]

ROOT: Final = Path(__file__).resolve().parents[1]
FIGURES: Final = ROOT / "benchmarks" / "promises.json"
PAGE: Final = ROOT / "docs" / "promises.md"
HERE: Final = RunOptions()
LEVEL: Final = 0.95
MIXTURES: Final = 20
"""Number of simulated leaderboards from which `calibration` estimates the share of false claims on one leaderboard."""
SOME: Final = 30
"""Number of real runs that are drawn at random, as on the simulated leaderboards from TREC."""


Rule: TypeAlias = tuple[SignificanceTest, tuple[Correction, ...]]
"""A test, and the corrections that are combined with the test."""
RULES: Final[tuple[Rule, ...]] = (
    (t, (BY, Holm, BH, unadjusted)),
    (t(floor=0.5), (BY, Holm)),
    (wilcoxon, (BY, Holm)),
    (sign, (BY, Holm)),
    (randomisation, (BY, Holm)),
    (bootstrap, (BY, Holm, unadjusted)),
    (tukey, (unadjusted,)),
    (stepdown, (unadjusted,)),
)
CLUSTERED: Final[tuple[Rule, ...]] = (
    (t(clusters="c"), (BY, Holm)),
    (randomisation(clusters="c"), (BY, Holm)),
    (bootstrap(clusters="c"), (BY, Holm)),
    (stepdown(clusters="c"), (unadjusted,)),
)
INTERVALS: Final[tuple[SignificanceTest, ...]] = (t, bootstrap, tukey, stepdown)
CLUSTERED_INTERVALS: Final[tuple[SignificanceTest, ...]] = (t(clusters="c"), bootstrap(clusters="c"), stepdown(clusters="c"))


@dataclass(frozen=True, slots=True)
class Claims:
    """Numbers of leaderboards on which a rule claims a difference that does not exist, and on which it warns.

    Attributes:
        rule: The stages of the formula.
        boards: Number of leaderboards to which the rule was applied.
        false: Number of leaderboards with a false claim.
        warned: Number of leaderboards with a warning.
        silent: Number of leaderboards with a false claim and without a warning.
        false_share: Mean share of false claims among the rejections on a leaderboard, 0 for a leaderboard without rejections; None if no two runs differ,
            because it then equals the share of leaderboards with a false claim.
    """

    rule: str
    boards: int
    false: int
    warned: int
    silent: int
    false_share: float | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage of 95 % intervals.

    Attributes:
        interval: Name of the intervals.
        boards: Number of leaderboards.
        share: Share of intervals that contain the true value; for simultaneous intervals, share of leaderboards whose intervals all contain it.
        error: Standard error of this share over leaderboards.
    """

    interval: str
    boards: int
    share: float
    error: float


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The share of leaderboards with a false claim of the default test, and its estimate by `calibration`.

    Attributes:
        boards: Number of leaderboards from which the true share is computed.
        truth: The true share.
        estimates: Number of estimates, each from the scores of one leaderboard.
        estimate: The mean of the estimates.
        spread: The standard deviation of the estimates.
    """

    boards: int
    truth: float
    estimates: int
    estimate: float
    spread: float


@dataclass(frozen=True, slots=True)
class Smoothed:
    """The share of false claims of the default test that `calibration` estimates on real scores, whose true share is unknown.

    Attributes:
        runs: Number of runs.
        boards: Number of simulated leaderboards.
        share: The estimate for all runs.
        some: The number of runs that are drawn at random.
        share_of_some: The mean estimate for so many runs.
    """

    runs: int
    boards: int
    share: float
    some: int
    share_of_some: float


class _Family(NamedTuple):
    """Hypotheses that are corrected together: the better runs, the worse runs, the p-values, and which hypotheses are false."""

    better: IntArray
    worse: IntArray
    p_values: FloatArray
    untrue: BoolArray


def measured(design: Design, boards: int, before: Mapping[str, Any] | None = None, tests: Collection[str] = ()) -> dict[str, Any]:
    """Return the false claims and the coverage on leaderboards of a design.

    With `tests`, only the rules of these tests are measured. The other rules, and the coverage, are those of the measurement `before`.
    """
    made = list(design.boards(boards))
    partial = before is not None and before["boards"] == boards and bool(tests)
    claims = {each.rule: asdict(each) for each in _claims(made, tests if partial else ())}
    kept = {each["rule"]: each for each in before["claims"]} if before is not None and partial else {}
    coverage = before["coverage"] if before is not None and partial else [asdict(each) for each in _coverage(design, made)]
    return {
        "design": design.name,
        "boards": boards,
        "claims": sorted((kept | claims).values(), key=lambda each: _place(each["rule"])),
        "coverage": coverage,
        **({"calibrated": asdict(_calibrated(design, boards))} if design.population else {}),
        **({"smoothed": asdict(_smoothed(design.scores(), boards))} if design.scores else {}),
    }


def _place(rule: str) -> int:
    """Returns the place of a rule on the page: the place of its test in `RULES`, then in `CLUSTERED`."""
    tests = [str(test) for test, _ in RULES + CLUSTERED]
    return tests.index("t" if rule.startswith("versus") else rule.partition(" | ")[0])


def _calibrated(design: Design, boards: int) -> Calibrated:
    """Returns the share of false claims of the default test on many leaderboards, and as `calibration` estimates it from each of others."""
    many = [conclude(board.scores, t, BY, HERE).rejected.any() for board in design.boards(20 * boards, seed=1)]
    shares = [_estimate(board.scores, MIXTURES, place) for place, board in enumerate(design.boards(5 * boards, seed=2))]
    return Calibrated(len(many), float(np.mean(many)), len(shares), float(np.mean(shares)), float(np.std(shares)))


def _smoothed(scores: FloatArray, boards: int) -> Smoothed:
    """Returns the estimates of `calibration` for the default test on the scores of real runs."""
    some = [np.random.default_rng((3, place)).choice(len(scores), SOME, replace=False) for place in range(boards)]
    shares = [_estimate(scores[rows], MIXTURES, place) for place, rows in enumerate(some)]
    return Smoothed(len(scores), 5 * boards, _estimate(scores, 5 * boards, 0), SOME, float(np.mean(shares)))


def _estimate(scores: FloatArray, boards: int, seed: int) -> float:
    """Returns the share of false claims of the default test that `calibration` estimates from the scores of one leaderboard."""
    return claims_on_boards(scores, ((t, BY),), boards, seed, null="means", setting=HERE)[0].found / boards


def _claims(made: Sequence[Board], tests: Collection[str] = ()) -> Iterator[Claims]:
    """Returns the false claims of each rule; with `tests`, of the rules of these tests, with any parameters."""
    null = np.ptp(made[0].true) == 0
    for asked, corrections in RULES + (CLUSTERED if made[0].clusters else ()):
        if tests and asked.word not in tests:
            continue
        found: dict[str, list[tuple[float, bool]]] = {}
        for board in _tried(asked, made):
            test = asked.on_clusters({"c": board.clusters})
            better, worse = hypotheses(board.scores, test)
            p_values = test.p_values(board.scores, better, worse, HERE)
            untrue = board.true[better] <= board.true[worse] + 1e-9
            of_first = (better == 0) | (worse == 0)
            for correction in corrections:
                families = {_stages(asked, correction): _Family(better, worse, p_values, untrue)}
                if asked == t and correction == Holm:
                    families["versus, t | Holm"] = _Family(better[of_first], worse[of_first], p_values[of_first], untrue[of_first])
                for name, family in families.items():
                    found.setdefault(name, []).append(_said(board, test, correction, family))
        for name, said in found.items():
            yield Claims(
                rule=name,
                boards=len(said),
                false=sum(share > 0 for share, _ in said),
                warned=sum(warned for _, warned in said),
                silent=sum(share > 0 and not warned for share, warned in said),
                false_share=None if null else sum(share for share, _ in said) / len(said),
            )


def _tried(test: SignificanceTest, made: Sequence[Board]) -> Sequence[Board]:
    """Returns the leaderboards to which a test is applied: a fifth of them for `tukey`, which takes ten times as long as other tests."""
    return made[: math.ceil(len(made) / 5)] if test == tukey else made


def _stages(test: SignificanceTest, correction: Correction) -> str:
    return str(test) if test.simultaneous else f"{test} | {correction}"


def _said(board: Board, test: SignificanceTest, correction: Correction, family: _Family) -> tuple[float, bool]:
    """Returns the share of false claims among the rejections of a family of hypotheses, and whether the rule warns."""
    rejected = correction.rejects(corrected(family.p_values, test, correction))
    share = int(np.count_nonzero(rejected & family.untrue)) / max(int(np.count_nonzero(rejected)), 1)
    lost = lost_with_floor(board.scores, (test, correction), (family.better, family.worse), (family.p_values, rejected), HERE)
    return share, bool(
        lost
        or test.cautions(board.scores, family.better, family.worse, family.p_values)
        or coarse(test, correction, board.scores.shape[1], len(rejected))
    )


def _coverage(design: Design, made: Sequence[Board]) -> Iterator[Coverage]:
    """Returns the coverage of intervals for differences, by test, and for means if the true means are known."""
    for test in INTERVALS + (CLUSTERED_INTERVALS if made[0].clusters else ()):
        held = []
        for board in _tried(test, made):
            better, worse = observed_pairs(board.scores)
            low, high = test.on_clusters({"c": board.clusters}).intervals(board.scores, better, worse, LEVEL, HERE)
            true = board.true[better] - board.true[worse]
            inside = (low <= true + 1e-12) & (true <= high + 1e-12)
            held.append(float(inside.all() if test.simultaneous else inside.mean()))
        yield _share(f"differences, {test}" + (", simultaneous" if test.simultaneous else ""), held)
    if design.means:
        margins = [student_margins(sample_deviations(board.scores), board.scores.shape[1], LEVEL) for board in made]
        off = [np.abs(means(board.scores) - board.true) for board in made]
        yield _share("means, Student's t", [float(np.mean(far <= margin)) for far, margin in zip(off, margins, strict=True)])


def _share(name: str, held: Sequence[float]) -> Coverage:
    spread = float(np.std(held, ddof=1)) / math.sqrt(len(held)) if len(held) > 1 else math.nan
    return Coverage(name, len(held), float(np.mean(held)), spread)


def main(arguments: Sequence[str], figures: Path = FIGURES, written: Path = PAGE) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promises", description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", type=int, default=200, help="boards of each design")
    parser.add_argument("--only", nargs="+", metavar="DESIGN", help="the designs to measure, by their names; all others keep their figures")
    parser.add_argument("--tests", nargs="+", default=(), metavar="TEST", help="the tests to measure; figures of others are kept")
    parser.add_argument("--resume", action="store_true", help="measure the designs that have no figures of so many boards")
    parser.add_argument("--write", action="store_true", help="measure nothing: write the page from the figures that are kept")
    parser.add_argument("--check", action="store_true", help="measure nothing: tell whether the page is what the figures make")
    asked = parser.parse_args(arguments)
    kept = {each["design"]: each for each in json.loads(figures.read_text("utf-8"))} if figures.exists() else {}
    if not (asked.write or asked.check):
        for design in DESIGNS:
            wanted = (
                design.name in asked.only if asked.only else not (asked.resume and kept.get(design.name, {}).get("boards") == asked.boards)
            )
            if wanted and design.there:
                begun = time.process_time()
                kept[design.name] = measured(design, asked.boards, kept.get(design.name), asked.tests)
                print(f"{design.name}: {time.process_time() - begun:.0f} s", flush=True)
                figures.write_text(json.dumps([kept[each.name] for each in DESIGNS if each.name in kept], indent=1) + "\n", "utf-8")
    text = page(DESIGNS, kept)
    if asked.check:
        same = written.exists() and written.read_text("utf-8") == text
        print("the page is what the figures make" if same else f"{written}: expected what the figures make; write it by --write")
        return 0 if same else 1
    written.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
