"""Columns, topics and runs that are computed from others are doubted: averages of every sort, of all or of some, and ranks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, Scores, scores_from
from inexmetrics.collection.condition_names import UNNAMED
from inexmetrics.common.arrays import FloatArray
from inexmetrics.reading.doubts import doubts_of
from inexmetrics.reading.scores.derived import computed
from inexmetrics.reading.scores.scales import scale_warnings
from tests.profiles import rounds

TASKS: dict[str, list[float]] = {
    "law": [31.4, 62.7, 44.1, 78.9, 25.3, 57.2, 49.6],
    "news": [73.2, 21.5, 39.8, 56.6, 84.1, 12.4, 66.3],
    "chat": [18.7, 47.9, 92.2, 33.1, 61.5, 75.8, 28.4],
    "code": [66.1, 34.6, 27.3, 81.7, 45.9, 53.5, 71.2],
    "math": [12.9, 58.3, 63.4, 41.6, 29.7, 88.8, 35.1],
}
MODELS = ["ash", "bay", "elm", "fir", "oak", "yew", "box"]
Statistic = Callable[[list[float]], float]


def of_tasks(how: Statistic, names: tuple[str, ...] = tuple(TASKS), digits: int = 2) -> list[float]:
    return [round(how([TASKS[name][row] for name in names]), digits) for row in range(len(MODELS))]


def doubted(name: str, values: list[float], after: str = "math") -> str:
    """Returns the reason for which a column is doubted; it stands after a column of tasks."""
    columns: dict[str, list[object]] = {"model": list(MODELS)}
    for task, scores in TASKS.items():
        columns[task] = list(scores)
        if task == after:
            columns[name] = list(values)
    board = pl.DataFrame(columns, strict=False)
    with pytest.raises(CollectionError) as error:
        scores_from(board)
    assert f"found {name} (" in str(error.value)
    assert scores_from(board, ignore=name).topics == tuple(sorted(TASKS))
    assert name in scores_from(board, keep=name).topics
    return str(error.value).partition(f"{name} (")[2].partition(")")[0]


class TestStatistics:
    @pytest.mark.parametrize("scale", [1, 0.01, 100])
    @pytest.mark.parametrize(
        ("how", "words"),
        [
            (statistics.fmean, "mean"),
            (statistics.median, "median"),
            (statistics.geometric_mean, "geometric mean"),
            (statistics.harmonic_mean, "harmonic mean"),
            (max, "maximum"),
            (min, "minimum"),
            (sum, "sum"),
            (statistics.stdev, "sample standard deviation"),
            (statistics.pstdev, "standard deviation"),
        ],
    )
    def test_of_all_others(self, how: Statistic, words: str, scale: float) -> None:
        by = {1: "", 0.01: " divided by 100", 100: " times 100"}[scale]
        values = of_tasks(lambda scores: scale * how(scores), digits=4 if scale < 1 else 2)
        found = [*computed(np.array([*TASKS.values(), values]), [*TASKS, "x"], "topics")]
        assert [(each.row, each.reason, each.certain) for each in found] == [(5, f"the {words} of the other topics{by}", True)]
        reason = doubted("x", values)
        assert reason == found[0].reason or reason.startswith("values from")  # also beyond the scale of the others

    @pytest.mark.parametrize(("digits", "cut"), [(0, False), (1, False), (0, True), (1, True)])
    def test_rounded_and_cut(self, digits: int, cut: bool) -> None:
        unit = 10.0**-digits
        values = (
            [float(np.floor(value / unit) * unit) for value in of_tasks(statistics.fmean, digits=6)]
            if cut
            else of_tasks(statistics.fmean, digits=digits)
        )
        assert doubted("Ø", [round(value, digits) for value in values]) == "the mean of the other topics"

    @pytest.mark.parametrize(
        ("names", "after", "words"),
        [
            (("law", "news"), "news", "law, news"),
            (("news", "chat", "code"), "code", "news to code"),
            (("chat", "code", "math"), "news", "chat to math"),
        ],
    )
    @pytest.mark.parametrize(("how", "said"), [(statistics.fmean, "mean"), (statistics.geometric_mean, "geometric mean"), (max, "maximum")])
    def test_of_neighbours(self, names: tuple[str, ...], after: str, words: str, how: Statistic, said: str) -> None:
        assert doubted("x", of_tasks(how, names), after) == f"the {said} of {words}"

    def test_several_averages_at_once(self) -> None:
        first, second = of_tasks(statistics.fmean, ("law", "news")), of_tasks(statistics.fmean, ("chat", "code", "math"))
        board = {"model": MODELS} | {"law": TASKS["law"], "news": TASKS["news"], "A": first, "chat": TASKS["chat"], "code": TASKS["code"]}
        board |= {"math": TASKS["math"], "B": second, "all of it": of_tasks(statistics.fmean)}
        with pytest.raises(CollectionError) as error:
            scores_from(board)
        assert "A (the mean of law, news), B (the mean of chat to math), all of it (the mean of the other topics)" in str(error.value)
        assert "between its bounds" not in str(error.value)  # neither of two tasks is the higher one for all models

    def test_the_middle_of_two_bounds_may_be_the_score(self) -> None:
        widths = (3.1, 2.2, 4.7, 2.9, 5.3, 3.8, 2.4)
        board: dict[str, list[str] | list[float]] = {"model": MODELS}
        for name, sign in (("span a", -1), ("span b", 1)):
            board[name] = [round(value + sign * width, 1) for value, width in zip(TASKS["law"], widths, strict=True)]
        board |= {"law": TASKS["law"], "math": TASKS["math"], "chat": TASKS["chat"]}
        with pytest.raises(CollectionError) as error:
            scores_from(board)
        way = """ignore=("span a", "span b"), keep="law" (--ignore 'span a' 'span b' --keep law) reads law between its bounds"""
        assert way in str(error.value)
        assert scores_from(board, ignore=("span a", "span b"), keep="law").topics == ("chat", "law", "math")

    def test_a_weighted_mean(self) -> None:
        random = np.random.default_rng(5)
        tasks = np.round(random.random((4, 14)), 3)
        weighted = np.round(0.5 * tasks[0] + 0.3 * tasks[1] + 0.2 * tasks[3], 3)
        assert [(found.row, found.reason) for found in computed(np.vstack([tasks, weighted]), [*"abcd", "x"], "topics")] == [
            (4, "a weighted mean of a, b, d")
        ]
        apart = np.round((tasks[0] + tasks[2]) / 2, 3)  # no neighbours
        assert [found.reason for found in computed(np.vstack([tasks, apart]), [*"abcd", "x"], "topics")] == ["a weighted mean of a, c"]
        noise = np.round(weighted + random.normal(0, 0.02, 14), 3)
        assert not [*computed(np.vstack([tasks, noise]), [*"abcd", "x"], "topics")]

    @pytest.mark.parametrize(("weights", "models"), [((0.7, 0.3), 8), ((0.5, 0.3, 0.2), 10), ((0.4, 0.3, 0.2, 0.1), 12)])
    @pytest.mark.parametrize("scale", [1, 100])
    def test_a_weighted_mean_of_few_tasks_in_two_decimals(self, weights: tuple[float, ...], models: int, scale: int) -> None:
        tasks = np.round(scale * np.random.default_rng(21).uniform(0.2, 0.9, (len(weights), models)), 2)
        weighted = np.round(np.array(weights) @ tasks, 2)
        names = [*"abcd"[: len(weights)], "x"]
        assert [(found.row, found.reason) for found in computed(np.vstack([tasks, weighted]), names, "topics")] == [
            (len(weights), f"a weighted mean of {', '.join(names[:-1])}")
        ]
        assert not [*computed(np.vstack([tasks, weighted[::-1]]), names, "topics")]

    @pytest.mark.parametrize("huge", [1e6, 1e15, 1e300])
    def test_a_huge_score_is_no_evidence(self, huge: float) -> None:
        """One column in which two rows are huge and equal does not make one the maximum of the others, if other columns disagree."""
        random = np.random.default_rng(1)
        tasks = np.round(random.uniform(0.1, 0.9, (4, 8)), 2)
        tasks[3] = random.integers(1, 4, 8)
        near = np.round(tasks.max(axis=0) + random.uniform(-0.4, 0.4, 8), 2)
        tasks[3, 2] = near[2] = huge
        with np.errstate(all="ignore"):
            assert not [*computed(np.vstack([tasks, near]), [*"abcd", "x"], "topics")]
        tasks[3] = np.round(random.uniform(0.1, 0.9, 8), 2)
        exact = tasks.max(axis=0)
        with np.errstate(all="ignore"):
            found = [*computed(np.vstack([tasks, exact]), [*"abcd", "x"], "topics")]
        assert [each.reason for each in found] == ["the maximum of the other topics"]

    @pytest.mark.parametrize("models", [2, 3])
    def test_the_mean_of_two_or_three_scores_is_a_warning(self, models: int) -> None:
        tasks = np.array([[0.512, 0.253, 0.713], [0.624, 0.751, 0.404], [0.807, 0.656, 0.548]])[:, :models]
        of_all = np.round(tasks.mean(axis=0), 3)
        found = [*computed(np.vstack([tasks, of_all]), [*"abcx"], "topics")]
        assert [(each.row, each.reason, each.certain) for each in found] == [(3, "the mean of the other topics", False)]
        assert not [*computed(np.vstack([tasks, of_all + 0.01]), [*"abcx"], "topics")]

    def test_a_copy_of_a_column_says_nothing_about_weights(self) -> None:
        random = np.random.default_rng(8)
        tasks = np.round(random.random((4, 14)), 3)
        board = np.vstack([tasks, np.round(0.5 * tasks[0] + 0.3 * tasks[1] + 0.2 * tasks[3], 3)])
        assert [found.row for found in computed(board.repeat(3, axis=1), [*"abcdx"], "topics")] == [4]
        assert not [*computed(board[:, :6].repeat(5, axis=1), [*"abcdx"], "topics")]
        alternating = random.random((9, 2)).repeat(34, axis=1)  # 9 rows in a plane are combinations of each other
        assert not [*computed(alternating, [*"abcdefghi"], "runs")]

    @pytest.mark.parametrize("name", ["Mean win rate", "Avg. rank", "Overall win_rate"])
    def test_mean_ranks_and_win_rates_by_name(self, name: str) -> None:
        assert doubted(name, [28.4, 41.7, 55.2, 61.3, 47.9, 33.1, 70.6]) == "by name"

    def test_a_copy_is_no_mean(self) -> None:
        board = {"model": MODELS} | TASKS | {"again": TASKS["law"]}
        with pytest.warns(CollectionWarning, match="again: the scores equal those of law"):
            assert "again" in scores_from(board).topics


class TestDifferences:
    TOPICS: ClassVar[dict[str, list[object]]] = {"qid": [f"q{place}" for place in range(9)]}
    RUNS: ClassVar[dict[str, list[float]]] = {
        "lm": [0.31, 0.62, 0.44, 0.78, 0.25, 0.57, 0.49, 0.13, 0.66],
        "tf": [0.73, 0.21, 0.39, 0.56, 0.84, 0.12, 0.66, 0.24, 0.47],
        "rm": [0.85, 0.74, 0.51, 0.97, 0.88, 0.63, 0.79, 0.36, 0.71],
    }

    @pytest.mark.parametrize(("of", "less"), [("tf", "lm"), ("rm", "lm"), ("rm", "tf")])
    @pytest.mark.parametrize("runs", [("lm", "tf", "rm"), ("rm", "lm"), ("rm", "tf"), ("lm", "tf")])
    def test_of_two_runs(self, of: str, less: str, runs: tuple[str, ...]) -> None:
        if not {of, less} <= {*runs}:
            return
        gains = [round(first - second, 2) for first, second in zip(self.RUNS[of], self.RUNS[less], strict=True)]
        table = self.TOPICS | {name: self.RUNS[name] for name in runs} | {"gain": gains}
        with pytest.raises(CollectionError) as error:
            scores_from(table)
        assert f"found gain ({of} minus {less}), which is" in str(error.value)
        assert scores_from(table, ignore="gain").runs == tuple(sorted(runs))

    def test_which_run_is_better(self) -> None:
        wins = [int(first > second) for first, second in zip(self.RUNS["lm"], self.RUNS["tf"], strict=True)]
        with pytest.raises(CollectionError, match=r"found who \(only 0 and 1, where others are from 0.12 to 0.97\), which is"):
            scores_from(self.TOPICS | self.RUNS | {"who": wins})
        for cells in ([0] * 9, [1] * 9, [0, 1, 0.5] * 3):  # a run without any success, a perfect run, scores
            assert "who" in scores_from(self.TOPICS | self.RUNS | {"who": cells}).runs
        recall = {name: [round(score) if place % 4 else score for place, score in enumerate(cells)] for name, cells in self.RUNS.items()}
        assert "who" in scores_from(self.TOPICS | recall | {"who": wins}).runs


class TestRanks:
    @pytest.mark.parametrize(
        ("values", "reason"),
        [
            ([3, 1, 5, 0, 6, 2, 4], "each number from 0 to 6 once"),
            ([3, 1, 5, 7, 6, 2, 4], "each number from 1 to 7 once"),
            ([1, 2, 2, 4, 5, 5, 7], "ranks from 1 to 7 with ties"),
            ([1, 3, 3, 4, 6, 6, 7], "ranks from 1 to 7 with ties"),
            ([1, 2.5, 2.5, 4, 5.5, 5.5, 7], "ranks from 1 to 7 with ties"),
            ([1, 2, 2, 3, 4, 4, 5], "ranks from 1 to 5 with ties"),
        ],
    )
    def test_beside_fractions(self, values: list[float], reason: str) -> None:
        assert doubted("Platz", values) == reason

    def test_stars_and_tables_of_ranks(self) -> None:
        assert scores_from({"topic": list("uvwx"), "a": [1, 2, 2, 4], "b": [2, 1, 4, 3], "c": [4, 3, 1, 2]}).runs == ("a", "b", "c")
        assert scores_from({"topic": list("uvw"), "a": [1, 2, 2], "b": [2, 3, 1], "c": [5, 3, 4]}).runs == ("a", "b", "c")


def of_ability(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Returns scores from 0 to 1 of runs of different ability on topics of different difficulty."""
    logits = random.normal(0, 1, shape[0])[:, None] + random.normal(0, 1.5, shape[1]) + random.normal(0, 0.5, shape)
    return np.asarray(1 / (1 + np.exp(-logits)))


SOUND: dict[str, Callable[[np.random.Generator, tuple[int, int]], FloatArray]] = {
    "three decimals": lambda random, shape: np.round(of_ability(random, shape), 3),
    "percent": lambda random, shape: np.round(100 * of_ability(random, shape), 1),
    "two decimals": lambda random, shape: np.asarray(random.integers(0, 101, shape) / 100),
    "0 and 1": lambda random, shape: (random.random(shape) < of_ability(random, shape)).astype(np.float64),
    "stars": lambda random, shape: np.round(1 + 4 * of_ability(random, shape)),
    "precision at 10": lambda random, shape: random.binomial(10, of_ability(random, shape)) / 10,
    "seconds": lambda random, shape: np.asarray(np.exp(random.normal(5, 1, shape)).round(1), dtype=np.float64),
    "gains": lambda random, shape: np.asarray(np.exp(random.normal(-1, 0.8, shape)).round(3), dtype=np.float64),
}


@pytest.mark.parametrize("kind", SOUND)
def test_sound_boards_are_seldom_doubted(kind: str) -> None:
    """At most .5 % of random boards of at least three rows and columns raise an error."""
    random = np.random.default_rng(7)
    wrong, shapes, count = 0, ((3, 5), (5, 5), (4, 12), (12, 8)), rounds(25)
    for shape in shapes:
        for _ in range(count):
            names = [tuple(f"{letter}{number:02}" for number in range(size)) for letter, size in zip("rt", shape, strict=True)]
            scores = Scores(names[0], names[1], {UNNAMED: SOUND[kind](random, shape)})
            certain = any(doubt.certain for doubt in doubts_of(scores, ()))
            try:
                scale_warnings(scores, (), None, codes=True)
            except CollectionError:
                certain = True
            wrong += certain
    assert wrong <= max(1, 0.005 * count * len(shapes))


def test_scores_around_zero_are_read_as_fast_as_others() -> None:
    """A geometric mean of numbers below 0 is undefined: there is nothing to compare."""
    random = np.random.default_rng(5)
    above = random.normal(size=(40, 30)).round(6)
    seconds = []
    for scores in (np.abs(above), above - above.mean(axis=0)):
        began = time.process_time()
        for _ in range(3):
            scores_from({"topic": [f"q{place}" for place in range(30)]} | {f"r{place}": row.tolist() for place, row in enumerate(scores)})
        seconds.append(time.process_time() - began)
    assert seconds[1] <= 5 * seconds[0] + 0.5


def test_few_runs_on_many_topics_are_read_in_a_moment() -> None:
    """Beside a score without decimals, the scores of many topics are near to statistics of others, which says nothing."""
    random = np.random.default_rng(8)
    runs = {f"r{place}": [1.0, 0.0, *random.random(58).tolist()] for place in range(2)}
    began = time.process_time()
    found = scores_from({"topic": [f"q{place}" for place in range(60)]} | runs)
    assert time.process_time() - began < 2.0
    assert found.matrix("score").shape == (2, 60)


def test_scores_of_less_than_a_millionth_are_no_whole_numbers() -> None:
    random = np.random.default_rng(0)
    runs = {"a": [0.0] * 120, "b": [3e-7, *random.uniform(-0.01, 0.01, 119).tolist()]}
    began = time.process_time()
    assert scores_from({"topic": [f"q{place}" for place in range(120)]} | runs).runs == ("a", "b")
    assert time.process_time() - began < 2.0


def test_scores_whose_squares_exceed_a_float_are_read() -> None:
    random = np.random.default_rng(4)
    runs = {f"r{place}": (1e155 * random.random(12)).tolist() for place in range(4)}
    found = scores_from({"topic": [f"q{place}" for place in range(12)]} | runs)
    assert found.matrix("score").max() > 1e153
