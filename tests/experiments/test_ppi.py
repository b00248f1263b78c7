from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_1samp

from inexmetrics import (
    BH,
    BY,
    MAP,
    Bonferroni,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Gen5,
    Holm,
    MAep,
    P,
    Ppi,
    PpiResult,
    Scores,
    assessor,
    from_frames,
    nDCG,
    parse,
    pooled,
    ppi,
    run,
    sample,
    sampled,
    scores,
    scores_from,
    significance,
    t,
)
from inexmetrics.cli import main
from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.prediction_powered import prediction_powered
from tests.experiments.test_findings import check_plain

LLM, HUMAN = assessor("llm"), assessor("human")
MEANS = [
    "run_id",
    "measure",
    "judge",
    "topics",
    "topics_truth",
    "mean",
    "low",
    "high",
    "mean_judge",
    "mean_truth",
    "low_truth",
    "high_truth",
    "weight",
]
PAIRS = ["measure", "judge", "better", "worse", "difference", "low", "high", "p_value", "p_adjusted", "significant"]


def board(by: Mapping[str, FloatArray], measure: str = "MAP") -> Scores:
    """Scores, runs x topics, by assessor; NaN where undefined."""
    rows = [
        (f"r{place}", f"t{topic:03}", measure, f'assessor("{name}")', None if np.isnan(score) else float(score))
        for name, matrix in by.items()
        for place, row in enumerate(matrix)
        for topic, score in enumerate(row)
    ]
    return scores_from(pl.DataFrame(rows, schema=["run_id", "topic_id", "measure", "quantisation", "score"], orient="row"))


def noisy(runs: int, topics: int, good: int, seed: int = 0, noise: float = 0.05) -> dict[str, FloatArray]:
    """Returns scores of different runs: by a person on the first topics, and by a lenient program on all topics."""
    random = np.random.default_rng(seed)
    true = np.clip(random.beta(2, 4, (1, topics)) + random.normal(0, 0.08, (runs, 1)) + random.normal(0, 0.1, (runs, topics)), 0, 1)
    human = true.copy()
    human[:, good:] = np.nan
    return {"human": human, "llm": 0.2 + 0.8 * true + random.normal(0, noise, true.shape)}


def quietly(experiment: Ppi, source: Collection | Scores) -> PpiResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return run(experiment, source)


@cache
def partly() -> Collection:
    """Returns the sample with 12 topics of the first assessor, and all topics of the others."""
    judged = sample().assessments.assessors
    assert judged is not None
    some = np.random.default_rng(1).permutation(sorted(judged["topic_id"].unique()))[:12].tolist()
    kept = judged.filter((pl.col("assessor") != "first") | pl.col("topic_id").is_in(some))
    return Collection(from_frames(kept).assessments, sample().runs)


# --- numbers


def test_means_and_pairs_are_those_of_the_arrays() -> None:
    by = noisy(6, 60, 15)
    result = run(ppi(MAP, LLM, correction=BH, truth=HUMAN, interval=0.9), board(by))
    assert (result.means.columns, result.pairs.columns) == (MEANS, PAIRS)
    good, cheap, more = by["human"][:, :15], by["llm"][:, :15], by["llm"][:, 15:]
    found = prediction_powered(good, cheap, more)
    margin = found.margins(0.9, "t")
    for row in result.means.iter_rows(named=True):
        place = int(row["run_id"][1:])
        assert (row["judge"], row["topics"], row["topics_truth"], row["weight"]) == ("llm", 60, 15, pytest.approx(found.weight[place]))
        assert (row["mean"], row["low"], row["high"]) == pytest.approx(
            (found.mean[place], *(found.mean[place] + [-margin[place], margin[place]]))
        )
        assert (row["mean_judge"], row["mean_truth"]) == pytest.approx((by["llm"][place].mean(), good[place].mean()))
        alone = ttest_1samp(good[place], 0.0).confidence_interval(0.9)
        assert (row["low_truth"], row["high_truth"]) == pytest.approx((alone.low, alone.high))
    assert result.means["mean"].is_sorted(descending=True)
    assert result.pairs.height == 15
    for row in result.pairs.iter_rows(named=True):
        i, j = int(row["better"][1:]), int(row["worse"][1:])
        pair = prediction_powered(*(scored[[i]] - scored[[j]] for scored in (good, cheap, more)))
        half = pair.margins(0.9, "t")[0]
        assert row["difference"] > 0
        assert (row["difference"], row["low"], row["high"]) == pytest.approx((pair.mean[0], pair.mean[0] - half, pair.mean[0] + half))
        assert row["p_value"] == pytest.approx(pair.p_values("t")[0])
    assert result.pairs["p_value"].is_sorted()
    assert result.pairs["p_adjusted"].to_numpy() == pytest.approx(BH.adjusted(result.pairs["p_value"].to_numpy()))
    assert result.pairs["significant"].to_list() == (result.pairs["p_adjusted"] <= 0.05).to_list()


def test_the_summary_counts_what_the_truth_alone_finds() -> None:
    by = noisy(8, 80, 20)
    result = run(ppi(MAP, LLM, correction=Holm, truth=HUMAN), board(by))
    [row] = result.summary.to_dicts()
    alone = run(significance(MAP, test=t(tails=2), correction=Holm), scores_from(by["human"][:, :20].T))
    assert (row["pairs"], row["significant_truth"]) == (28, int(alone.pairs["significant"].sum()))
    assert row["significant"] == int(result.pairs["significant"].sum()) > row["significant_truth"]
    widths = result.means.select(
        ((pl.col("high") - pl.col("low")) / 2).mean(), ((pl.col("high_truth") - pl.col("low_truth")) / 2).mean()
    ).row(0)
    assert (row["margin"], row["margin_truth"]) == pytest.approx(widths)


def test_a_collection_and_its_scores_give_the_same() -> None:
    asked = ppi((MAP, nDCG @ 10), (assessor("second"), assessor("third")), truth=assessor("first"))
    result = run(asked, partly())
    assert result.warnings == ()
    assert result.summary.select("measure", "judge", "topics", "topics_truth").rows() == [
        (measure, judge, 29, 12) for measure in ("MAP", "nDCG@10") for judge in ("second", "third")
    ]
    of_topics = quietly_scored()
    again = run(asked, of_topics)
    for name, table in result.tables.items():
        assert table.equals(again.tables[name])


def quietly_scored() -> Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        found = run(scores((MAP, nDCG @ 10), (assessor("first"), assessor("second"), assessor("third"))), partly())
        return scores_from(found.per_topic)


def test_the_true_mean_of_all_topics_is_met_in_the_sample() -> None:
    """The first assessor judged all 29 topics: the means by 12 of these topics and the second assessor are closer to the true means than the second assessor's means."""
    result = run(ppi(MAP, assessor("second"), truth=assessor("first")), partly()).means
    true = dict(run(scores(MAP, assessor("first")), sample()).table.select("run_id", "mean").iter_rows())
    off = {
        name: np.abs(result[name].to_numpy() - [true[name] for name in result["run_id"]]).mean()
        for name in ("mean", "mean_judge", "mean_truth")
    }
    assert off["mean"] < min(off["mean_judge"], off["mean_truth"])
    assert all(row["low"] < true[row["run_id"]] < row["high"] for row in result.filter(pl.col("mean") > 0.1).iter_rows(named=True))


def test_normal_quantiles_are_narrower() -> None:
    by = board(noisy(4, 60, 12))
    student, normal = (run(ppi(MAP, LLM, truth=HUMAN, quantiles=name), by).means for name in ("t", "normal"))
    assert student["mean"].equals(normal["mean"])
    ratio = (normal["high"] - normal["low"]) / (student["high"] - student["low"])
    # The variances of the 12 topics divide by 12 or 11, those of the 48 others by 48 or 47.
    most = 1.959963984540054 / 2.200985160082949 * np.sqrt(np.array([11 / 12, 47 / 48]))
    assert ratio.is_between(most[0] - 1e-12, most[1] + 1e-12).all()


def test_equal_runs_stand_by_their_names() -> None:
    by = {name: np.repeat(matrix[:1], 3, axis=0) for name, matrix in noisy(1, 40, 12).items()}
    result = run(ppi(MAP, LLM, truth=HUMAN), board(by))
    assert result.pairs.select("better", "worse", "difference", "low", "high", "p_value").rows() == [
        (better, worse, 0.0, 0.0, 0.0, 1.0) for better, worse in (("r0", "r1"), ("r0", "r2"), ("r1", "r2"))
    ]
    assert result.means["run_id"].to_list() == ["r0", "r1", "r2"]
    assert result.finding.endswith("; none of the 3 pairs of runs differs significantly.")


def verdicts(right: Sequence[int], good: int = 14, topics: int = 40) -> dict[str, FloatArray]:
    """Returns verdicts of a person, each run right on its first topics, and of a program that errs on every third topic."""
    human = (np.arange(topics) < np.array(right)[:, None]).astype(np.float64)
    llm = np.where(np.arange(topics) % 3 == 1, 1 - human, human)
    human[:, good:] = np.nan
    return {"human": human, "llm": llm}


@pytest.mark.parametrize(
    ("right", "none", "said"),
    [
        ((6, 9, 7), [], "known to ±0.286 instead of ±0.294 (95 % interval, on average); "),
        (
            (6, 14, 9, 0, 13),
            ["r1", "r3"],
            "the means of 3 of the 5 runs are known to ±0.241 instead of ±0.246 (95 % interval, on average; no interval for the other 2, whose "
            "scores are equal); ",
        ),
        ((14, 14, 0), ["r0", "r1", "r2"], "26 more by llm, no mean has an interval, because the scores of each run are equal; "),
    ],
)
def test_equal_scores_have_no_interval(right: Sequence[int], none: list[str], said: str) -> None:
    result = quietly(ppi(MAP, LLM, truth=HUMAN), board(verdicts(right)))
    check_plain(result)
    assert said in result.finding
    for low, high in (("low", "high"), ("low_truth", "high_truth")):
        assert sorted(result.means.filter(pl.col(low).is_null() & pl.col(high).is_null())["run_id"]) == none
    others = result.means.drop_nulls().select(((pl.col("high") - pl.col("low")) / 2).mean()).item()
    assert bool(none) == ("no interval if all scores are equal" in " ".join(result.to_text().split()))
    if others is None:
        assert result.summary.select("margin", "margin_truth").row(0) == (None, None)
    # Verdicts of few wrong topics have intervals that are cut at 1.
    elif 13 not in right:
        assert result.summary["margin"].item() == pytest.approx(others)


def test_findings_of_several_count_means_without_an_interval() -> None:
    for right, said in (
        ((6, 14, 9), "; 2 means have no interval, because all scores of the run are equal."),
        ((14, 0), "No mean has an interval, "),
    ):
        by = verdicts(right)
        asked = ppi(MAP, (LLM, assessor("b")), truth=HUMAN)
        result = quietly(asked, board({**by, "b": 1 - by["llm"]}))
        check_plain(result)
        assert said in result.finding


@pytest.mark.parametrize(
    ("right", "good", "equal", "rare"),
    [
        ((3, 9, 7), 14, 12, []),
        ((2, 9, 12), 14, 12, ["r0", "r2"]),
        ((14, 0, 1), 14, 12, ["r0", "r1", "r2"]),
        ((2, 8, 5), 10, 9, []),
        ((1, 9, 5), 10, 9, ["r0", "r1"]),
        ((5, 25, 20), 30, 26, []),
        ((4, 26, 20), 30, 26, ["r0", "r1"]),
    ],
)
def test_runs_whose_scores_hardly_differ_are_named(right: Sequence[int], good: int, equal: int, rare: list[str]) -> None:
    found = quietly(ppi(MAP, LLM, truth=HUMAN), board(verdicts(right, good))).warnings
    said = f"MAP: under human, the scores of {len(rare)} runs ({', '.join(rare)}) are equal on at least {equal} of {good} topics; "
    assert [text for text in found if "are equal on" in text] == ([f"{said}intervals of such means may be much too narrow"] if rare else [])


# --- topics


def test_topics_that_the_judge_lacks_are_left_out_and_counted() -> None:
    by = noisy(3, 50, 14)
    by["llm"][:, :2] = np.nan
    result = quietly(ppi(MAP, LLM, truth=HUMAN), board(by))
    assert "MAP: 2 topics are defined under human and not under llm, and excluded" in result.warnings
    assert result.means.select("topics", "topics_truth").row(0) == (48, 12)
    kept = {name: matrix[:, 2:] for name, matrix in by.items()}
    expected = run(ppi(MAP, LLM, truth=HUMAN), board(kept))
    for name in ("mean", "mean_truth", "mean_judge", "low_truth", "weight"):
        assert result.means[name].to_list() == pytest.approx(expected.means[name].to_list())


def test_topics_in_which_people_found_nothing_do_not_count_as_not_judged() -> None:
    """On topics 20 to 29, people judged the documents and found none relevant; a program found one. Topics 30 to 49 are judged by the program alone."""
    grades: list[tuple[str, str, int, str]] = []
    ranked: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    for topic in range(50):
        relevant = [f"d{topic % 3}", f"d{3 + topic % 4}"]
        for document in (f"d{number}" for number in range(8)):
            grades.append((str(topic), document, int(document in relevant or (20 <= topic < 30 and document == "d7")), "llm"))
            if topic < 30:
                grades.append((str(topic), document, int(document in relevant and topic < 20), "human"))
        ranked["a"][str(topic)] = {f"d{number}": 8.0 - number for number in range(8)}
        ranked["b"][str(topic)] = {f"d{number}": float(number * 5 % 8) for number in range(8)}
    judged = pl.DataFrame(grades, schema=["topic_id", "doc_id", "grade", "assessor"], orient="row")
    asked = ppi(MAP, LLM, truth=HUMAN)
    with pytest.warns(CollectionWarning, match=r'10 topics are undefined under MAP ~ assessor\("human"\) and excluded: 20, 21'):
        found = run(asked, from_frames(judged, ranked))
    assert found.means.select("topics", "topics_truth").unique().rows() == [(40, 20)]
    without = judged.filter(~pl.col("topic_id").cast(pl.Int64).is_between(20, 29))
    expected = run(
        asked, from_frames(without, {name: {k: v for k, v in of.items() if not 20 <= int(k) < 30} for name, of in ranked.items()})
    )
    for name in ("means", "pairs", "summary"):
        assert found.tables[name].equals(expected.tables[name])


def test_few_topics() -> None:
    with pytest.warns(CollectionWarning, match="MAP: found 9 topics of human; with fewer than 10, intervals are too narrow"):
        run(ppi(MAP, LLM, truth=HUMAN), board(noisy(3, 50, 9)))
    with pytest.raises(CollectionError, match="ppi: expected at least 3 topics for which MAP is defined under both llm and human, found 2"):
        quietly(ppi(MAP, LLM, truth=HUMAN), board(noisy(3, 50, 2)))
    assert quietly(ppi(MAP, LLM, truth=HUMAN), board(noisy(3, 50, 3))).means["topics_truth"].to_list() == [3] * 3


def test_a_judge_without_further_topics_adds_nothing() -> None:
    with pytest.warns(
        CollectionWarning, match="MAP: all topics of second are also topics of first, so the judgements of second add nothing"
    ):
        result = run(ppi(MAP, assessor("second"), truth=assessor("first")), sample())
    assert set(result.means["weight"]) == {0.0}
    assert result.means["mean"].to_list() == pytest.approx(result.means["mean_truth"].to_list())
    assert result.finding.startswith("second judged only the 29 topics that first judged, and adds nothing: the means are known to ±0.0")


def test_one_run() -> None:
    result = run(ppi(MAP, LLM, truth=HUMAN), board(noisy(1, 60, 12)))
    assert result.means.height == 1
    assert result.pairs.is_empty()
    assert result.finding.count(";") == 0
    assert "also: pairs (0 rows)" in str(result)


def test_a_matrix_without_names_has_no_judges() -> None:
    with pytest.raises(CollectionError, match=r"expected a single condition, found 2: .*; the scores do not name their measure"):
        run(ppi(MAP, LLM, truth=HUMAN), scores_from(np.random.default_rng(0).random((20, 3))))


def test_real_scores_by_a_coarse_judge(shared: Path) -> None:
    """A quarter of the runs of TREC-7: 20 topics by average precision, and all topics by average precision in tenths."""
    matrix = pl.read_csv(shared / "trec7_ap.csv").select(pl.selectors.float()).to_numpy().T[::4]
    human = matrix.copy()
    human[:, 20:] = np.nan
    result = run(ppi(MAP, LLM, truth=HUMAN), board({"human": human, "llm": matrix.round(1)}))
    [row] = result.summary.to_dicts()
    assert row["margin"] < row["margin_truth"]
    check_plain(result)
    assert result.means["weight"].to_numpy().mean() > 0.5


# --- words


def test_findings_of_two_runs() -> None:
    by = noisy(2, 100, 20)
    for gap, noise, said in (
        (0.3, 0.01, "the two runs differ significantly, as by the 20 topics alone."),
        (0.0, 0.01, "the two runs do not differ significantly, as by the 20 topics alone."),
        (0.05, 0.15, "the two runs differ significantly, unlike by the 20 topics alone."),
    ):
        random = np.random.default_rng(4)
        human = by["llm"] * 0
        human[1] = by["llm"][0]
        human[0] = human[1] + gap + random.normal(0, noise, 100)
        part = human.copy()
        part[:, 20:] = np.nan
        result = run(ppi(MAP, LLM, truth=HUMAN), board({"human": part, "llm": human + random.normal(0, 0.001, human.shape)}))
        check_plain(result)
        assert result.finding.endswith(said)


def test_findings() -> None:
    by = noisy(12, 250, 25, seed=3)
    result = run(ppi(MAP, LLM, truth=HUMAN), board(by))
    [row] = result.summary.to_dicts()
    check_plain(result)
    assert result.finding == (
        f"With 25 topics judged by human and 225 more by llm, the means of runs are known to ±{row['margin']:.3f} instead of "
        f"±{row['margin_truth']:.3f} (95 % interval, on average); {row['significant']} of the 66 pairs of runs differ significantly, "
        f"{row['significant_truth']} by the 25 topics alone."
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ppi(MAP, (assessor("second"), assessor("third")), truth=assessor("first")),
            "Of 2 judges, second narrows the intervals of first most on these topics: ",
        ),
        (ppi((MAP, P @ 10), assessor("second"), truth=assessor("first")), "Of 2 measures, second under "),
        (ppi((MAP, P @ 10), (assessor("second"), assessor("third")), truth=assessor("first")), "Of 4 conditions, "),
    ],
)
def test_findings_of_several(asked: Ppi, said: str) -> None:
    whole = quietly(asked, sample())  # the judges judged only the topics that the truth judged
    noun = said.split()[2].rstrip(",")
    assert whole.finding == f"Of {len(whole.summary)} {noun}, none narrows the intervals of first on these topics."
    result = run(asked, partly())
    check_plain(result)
    assert result.finding.startswith(said)
    rows = result.summary.with_columns(ratio=pl.col("margin") / pl.col("margin_truth")).sort("ratio").to_dicts()
    most, least = rows[0], rows[-1]
    assert f"known to ±{most['margin']:.3f} instead of ±{most['margin_truth']:.3f}" in result.finding
    assert (
        f"and {most['significant']} pairs differ significantly instead of {most['significant_truth']}; {least['judge']}" in result.finding
    )
    assert result.finding.endswith(f"{least['significant']} instead of {least['significant_truth']}).")


def test_a_finding_of_several_under_which_as_many_pairs_differ() -> None:
    two = partly().only(runs=("group06-b", "group07-b"))
    result = run(ppi((MAP, P @ 10), assessor("second"), truth=assessor("first")), two)
    check_plain(result)
    assert result.summary["significant"].to_list() == result.summary["significant_truth"].to_list() == [1, 1]
    assert ", and 1 pair differs significantly either way; " in result.finding
    assert result.finding.endswith(", 1 either way).")


@pytest.mark.parametrize("width", [80, 120])
def test_the_text_fits_the_screen(width: int) -> None:
    for measures in (MAP, (MAP, P @ 10)):
        lines = run(ppi(measures, assessor("second"), truth=assessor("first")), partly()).to_text(width=width).splitlines()
        assert len(lines) <= 60
        assert max(map(len, lines[1:])) <= width
    alone = run(ppi(MAP, assessor("second"), truth=assessor("first")), partly()).to_text(width=width)
    assert "prediction-powered differences by Student's t, two-tailed; 435 hypotheses, corrected by BY" in alone.replace("\n", " ")


def test_the_chart_has_three_means_of_every_run() -> None:
    result = run(ppi(MAP, assessor("second"), truth=assessor("first")), partly())
    _, figure = result.figure()
    assert figure.names == ["MAP ~ second"]
    [view] = figure.views
    values = view["data"]["values"]  # type: ignore[index]
    assert len(values) == 3 * 30
    drawn = {(value["run_id"], value["way"]): value["mean"] for value in values}
    for row in result.means.iter_rows(named=True):
        assert [drawn[row["run_id"], way] for way in ("both", "truth alone", "judge alone")] == [
            row["mean"],
            row["mean_truth"],
            row["mean_judge"],
        ]


# --- formulas


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (ppi(MAP, LLM, truth=HUMAN), 'ppi(MAP ~ assessor("llm"), truth=assessor("human"))'),
        (
            ppi((MAP, nDCG), (LLM, assessor("b")), correction=Bonferroni, truth=HUMAN, interval=0.9, quantiles="normal"),
            'ppi(MAP + nDCG ~ assessor("llm") + assessor("b") | Bonferroni, truth=assessor("human"), interval=0.9, quantiles="normal")',
        ),
        (
            ppi(MAep, pooled(9, assessor("a", Gen5)), correction=BY(alpha=0.1), truth=sampled(0.5, assessor("c", Gen5))),
            'ppi(MAep ~ pooled(9, assessor("a", Gen5)) | BY(alpha=0.1), truth=sampled(0.5, assessor("c", Gen5)))',
        ),
    ],
)  # fmt: skip
def test_it_prints_as_it_parses(made: Ppi, text: str) -> None:
    assert str(made) == text
    assert parse(text, Ppi) == made


def test_other_spellings() -> None:
    for spelling in (
        "ppi(MAP, assessor('llm'), truth=assessor('human'))",
        "ppi(measure=MAP, quantisation=assessor('llm'), truth=assessor('human'), quantiles='t', correction=BY)",
        "ppi(MAP ~ assessor('llm') | BY(alpha=.05), interval=.95, truth=assessor('human'))",
    ):
        assert str(parse(spelling)) == 'ppi(MAP ~ assessor("llm"), truth=assessor("human"))'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('ppi(MAP, truth=assessor("a"))', "ppi: expected judgements of a named assessor, found none"),
        ('ppi(MAP ~ 1, truth=assessor("a"))', "ppi: expected judgements of a named assessor, found none"),
        ('ppi(MAP ~ Gen5, truth=assessor("a"))', "ppi: expected judgements of a named assessor, found Gen5"),
        ('ppi(MAP ~ assessor("a"))', 'ppi: truth= is required: expected an assessor as the truth, as in truth=assessor("human"), found nothing'),
        ('ppi(MAP ~ assessor("b"), truth="a")', 'ppi: truth: expected an assessor as the truth, as in truth=assessor("human"), found "a"'),
        ('ppi(MAP ~ assessor("a"), truth=assessor("a"))', 'ppi: expected judges other than the truth, found assessor("a") as a judge and as the truth'),
        ('ppi(MAP ~ assessor("b") | t, truth=assessor("a"))', "ppi takes no significance test, found t"),
        ('ppi(MAP ~ assessor("b"), truth=assessor("a"), quantiles="z")', 'ppi: quantiles: expected "t" or "normal", found "z"'),
        ('ppi(MAP ~ assessor("b"), truth=assessor("a"), interval=1)', "ppi: interval: expected a number above 0 and below 1, found 1"),
        ('ppi(assessor("b"), truth=assessor("a"))', 'expected a measure, found the quantisation assessor("b")'),
        ('ppi(MAep ~ assessor("b"), truth=assessor("a"))', 'ppi: expected a quantisation for MAep, found assessor("b"), which only selects an assessor'),
    ],
)  # fmt: skip
def test_wrong_formulas(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert caught.value.message == message


def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    partly_judged = partly().assessments.assessors
    assert partly_judged is not None
    files = []
    for name in ("first", "second"):
        rows = partly_judged.filter(assessor=name).select(pl.format("{} 0 {} {}", "topic_id", "doc_id", pl.col("grade").cast(pl.Int64)))
        (tmp_path / f"{name}.qrels").write_text("\n".join(rows.to_series()) + "\n")
        files.append(f"{name}={tmp_path / name}.qrels")
    documents = sample().runs
    assert documents is not None
    (tmp_path / "a.run").write_text("".join(f"{topic} Q0 {doc} {rank} {-rank} a\n" for topic, doc, rank in ranked(0)))
    (tmp_path / "b.run").write_text("".join(f"{topic} Q0 {doc} {rank} {-rank} b\n" for topic, doc, rank in ranked(1)))
    data = ["--assessments", *files, "--runs", str(tmp_path / "a.run"), str(tmp_path / "b.run"), "--strict", "--format", "csv"]
    assert main(['ppi(MAP ~ assessor("second"), truth=assessor("first"))', *data]) == 0
    header, *rows_shown = capsys.readouterr().out.splitlines()
    assert header == ",".join(MEANS)
    assert len(rows_shown) == 2
    assert main(['ppi(MAP ~ assessor("third"), truth=assessor("first"))', *data]) == 1
    assert "unknown assessor 'third'" in capsys.readouterr().err


def ranked(turn: int) -> Sequence[tuple[str, str, int]]:
    """Returns the second assessor's documents of each topic in another order."""
    judged = partly().assessments.assessors
    assert judged is not None
    found: list[tuple[str, str, int]] = []
    for (topic,), part in judged.filter(assessor="second").group_by("topic_id", maintain_order=True):
        docs = part["doc_id"].sort(descending=bool(turn)).to_list()[:40]
        found += [(str(topic), doc, rank) for rank, doc in enumerate(docs, start=1)]
    return found
