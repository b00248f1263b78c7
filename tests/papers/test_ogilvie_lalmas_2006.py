"""Statements of Ogilvie & Lalmas (CIKM 2006) that a program can recompute, through the public interface."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pytest
from scipy import stats

from inexmetrics import (
    BinExh,
    FullySpec,
    Gen5,
    GenLifted,
    MAep,
    Quantisation,
    Scores,
    agreement,
    bootstrap,
    correlation,
    given,
    run,
    sample,
    scores_from,
    significance,
    t,
)
from inexmetrics.cli import main
from inexmetrics.common.arrays import FloatArray

# Of 435 pairs, BY asks for more than 10,000 resamples, which a warning says; the paper's procedure has so many.
pytestmark = pytest.mark.filterwarnings("ignore:the smallest p-value of bootstrap")


def two_groups(reverse: bool) -> FloatArray:
    """Returns 40 runs x 40 topics: 20 good and 20 poor runs, almost equal within a group; the order within a group can be reversed."""
    random = np.random.Generator(np.random.PCG64(40))
    # Within a group, runs differ by 0.0001 in the mean and by far more from topic to topic.
    noise = random.uniform(-0.1, 0.1, (40, 40))
    noise -= noise.mean(axis=1, keepdims=True)
    places = np.arange(20)[:: -1 if reverse else 1]
    means = np.concatenate([0.8 - 0.0001 * places, 0.2 - 0.0001 * places])
    return means[:, np.newaxis] + noise


def long(matrix: FloatArray, quantisation: str) -> pl.DataFrame:
    runs, topics = matrix.shape
    return pl.DataFrame(
        {
            "run_id": np.repeat([f"r{number:02d}" for number in range(runs)], topics),
            "topic_id": np.tile([f"{number:02d}" for number in range(topics)], runs),
            "measure": "MAep",
            "quantisation": quantisation,
            "score": matrix.ravel(),
        }
    )


@pytest.fixture(scope="module")
def groups() -> Scores:
    return scores_from([long(two_groups(reverse=False), "Gen5"), long(two_groups(reverse=True), "BinExh")])


@pytest.mark.parametrize(
    ("method", "coefficient", "p_value"),
    [  # 400 pairs across the groups agree, 380 within them disagree: tau = 20/780
        ("kendall", 1 / 39, 0.8157),
        # Reversed within a group, the 20 rank differences are 19, 17 .. -19: sum of squares 2 x 2660, rho = 1 - 6 x 5320 / (40 x 1599)
        ("spearman", 267 / 533, 0.00099358),
    ],
)
def test_rank_correlations_of_equivalent_conditions_are_low(
    groups: Scores, method: Literal["kendall", "spearman"], coefficient: float, p_value: float
) -> None:
    """Section 3.4: two groups of 20 systems, in reverse order within each group."""
    row = run(correlation(MAep, (Gen5, BinExh), of="runs", method=method), groups).table.row(0, named=True)
    assert row["coefficient"] == pytest.approx(coefficient, abs=1e-12)
    assert row["p_value"] == pytest.approx(p_value, abs=5e-5 if method == "kendall" else 5e-9)


def test_comparing_conclusions_finds_them_equivalent(groups: Scores) -> None:
    """Section 3.4: the conclusions are the 400 differences between the groups, under both conditions."""
    result = run(agreement(Gen5, BinExh, measure=MAep, test=bootstrap), groups)
    row = result.table.row(0, named=True)
    assert (row["pairs"], row["n_predictor"], row["n_truth"], row["n_both"]) == (780, 400, 400, 400)
    assert (result.precision, result.recall, result.f1) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(("positive", "expected"), [(1, 0.3624), (2, 0.1273), (3, 0.0433)])
def test_the_bootstrap_rejects_on_few_topics(positive: int, expected: float) -> None:
    """A run is ahead on k of 34 topics and equal on the others: p tends to (1 - k/34)^34, the probability of drawing none of the k topics."""
    ahead = np.zeros(34)
    ahead[:positive] = 0.5
    matrix = pl.DataFrame({"topic": [f"{number:02d}" for number in range(34)], "a": ahead, "b": np.zeros(34)})
    pairs = run(significance(given("x"), test=bootstrap), scores_from(matrix, measure="x")).table
    exact = (1 - positive / 34) ** 34
    assert exact == pytest.approx(expected, abs=5e-5)
    assert pairs["better"].item() == "a"
    assert pairs["p_value"].item() == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 10_000))


@pytest.mark.parametrize(("runs", "pairs"), [(70, 2415), (55, 1485)])
def test_numbers_of_pairs(runs: int, pairs: int) -> None:
    """Section 2.3: 70 runs in 2004, 55 in 2005."""
    random = np.random.Generator(np.random.PCG64(1))
    matrix = pl.DataFrame({"topic": ["1", "2", "3"], **{f"r{number:02d}": random.random(3) for number in range(runs)}})
    summary = run(significance(given("x"), test=t(tails=1)), scores_from(matrix, measure="x")).tables["summary"]
    assert summary["pairs"].item() == pairs


@pytest.mark.parametrize(("better", "worse"), [(("Gen5", "GenLifted"), ("FullySpec", "Strict5"))])
def test_the_sample_tells_the_papers_story(better: tuple[str, str], worse: tuple[str, str]) -> None:
    """Section 4.2: Gen5 and GenLifted agree; FullySpec recalls Strict5's differences and predicts many more."""
    good = run(f"agreement({better[0]}, {better[1]}, measure=MAep, test=bootstrap)", sample()).table.row(0, named=True)
    poor = run(f"agreement({worse[0]}, {worse[1]}, measure=MAep, test=bootstrap)", sample()).table.row(0, named=True)
    assert good["f1"] > poor["f1"] + 0.1
    assert poor["recall"] > poor["precision"]


# ------------------------------------------------------------------------------------------------ from files to Table 4

FOUR: tuple[Quantisation, ...] = (Gen5, GenLifted, BinExh, FullySpec)


def write_files(folder: Path, topics: int = 16, runs: int = 6) -> None:
    """Writes assessments of INEX 2005 and submissions, in which later runs put fewer relevant elements first."""
    random = np.random.Generator(np.random.PCG64(2005))
    for part in ("judged", "runs"):
        (folder / part).mkdir()
    submitted: dict[int, list[str]] = {number: [] for number in range(runs)}
    for topic in range(201, 201 + topics):
        lines, gains = [], {}
        for article in range(30):
            elements = []
            for section in range(1, 4):
                size = int(random.integers(50, 2000))
                rsize = int(size * random.choice([0.0, 0.3, 0.6, 1.0], p=[0.4, 0.2, 0.2, 0.2]))
                grade = random.choice(["?", "1", "2"]) if rsize else "0"
                path = f"/article[1]/bdy[1]/sec[{section}]"
                gains[f"a{article}", path] = rsize / size
                elements.append(f'<element path="{path}" exhaustivity="{grade}" size="{size}" rsize="{rsize}"/>')
            lines.append(f'<file collection="ieee" name="a{article}">{"".join(elements)}</file>')
        (folder / "judged" / f"{topic}.xml").write_text(
            f'<assessments pool="{topic}" topic="{topic}" version="2">\n' + "\n".join(lines) + "\n</assessments>\n"
        )
        for number, results in submitted.items():
            noisy = {item: gain + random.normal(0, 0.2 + 0.25 * number) for item, gain in gains.items()}
            ranked = sorted(noisy, key=lambda item: -noisy[item])
            told = "".join(
                f"<result><file>{file}</file><path>{path}</path><rank>{rank}</rank><rsv>{1 - rank / 100}</rsv></result>\n"
                for rank, (file, path) in enumerate(ranked, start=1)
            )
            results.append(f'<topic topic-id="{topic}">\n{told}</topic>\n')
    for number, results in submitted.items():
        head = f'<inex-submission participant-id="{number}" run-id="run{number}" task="CO.Thorough" query="automatic">\n'
        (folder / "runs" / f"run{number}.xml").write_text(f"{head}{''.join(results)}</inex-submission>\n")


def test_from_assessments_and_submissions_to_table_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Table 4 has precision, recall and F1 of each pair of quantisations for nxCG@25 and MAep.

    They are recomputed from the scores by topic, with scipy's t test and the definition of reject(Q) in section 3.4.
    """
    write_files(tmp_path)
    files = ["--assessments", str(tmp_path / "judged"), "--runs", str(tmp_path / "runs")]
    formula = "agreement(nxCG@25 + MAep ~ Gen5 + GenLifted + BinExh + FullySpec | t(tails=1) | BY)"
    assert main([formula, *files, "--format", "json"]) == 0
    table = json.loads(capsys.readouterr().out)["tables"]["agreement"]
    names = [str(quantisation) for quantisation in FOUR]
    rows = [(measure, one, other) for measure in ("nxCG@25", "MAep") for one, other in itertools.combinations(names, 2)]
    assert [(row["measure"], row["predictor"], row["truth"]) for row in table] == rows
    assert main(["scores(nxCG@25 + MAep ~ Gen5 + GenLifted + BinExh + FullySpec)", *files, "--format", "json"]) == 0
    scored = pl.DataFrame(json.loads(capsys.readouterr().out)["tables"]["per_topic"])
    rejected = {}
    for (measure, quantisation), scores in scored.group_by("measure", "quantisation"):
        by_run = {str(name): part.sort("topic_id")["score"].to_numpy() for (name,), part in scores.group_by("run_id")}
        pairs = list(itertools.permutations(sorted(by_run), 2))
        p_values = [stats.ttest_rel(by_run[better], by_run[worse], alternative="greater").pvalue for better, worse in pairs]
        adjusted = stats.false_discovery_control(p_values, method="by")
        rejected[measure, quantisation] = {pair for pair, p in zip(pairs, adjusted, strict=True) if p <= 0.05}
    assert all(0 < len(pairs) < 15 for pairs in rejected.values())
    for row in table:
        predictor, truth = (rejected[row["measure"], row[side]] for side in ("predictor", "truth"))
        both = len(predictor & truth)
        assert (row["n_predictor"], row["n_truth"], row["n_both"]) == (len(predictor), len(truth), both)
        assert [row["precision"], row["recall"]] == pytest.approx([both / len(predictor), both / len(truth)])
        assert row["f1"] == pytest.approx(2 * both / (len(predictor) + len(truth)))
