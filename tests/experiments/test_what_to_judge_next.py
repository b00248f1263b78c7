"""What weighted samples find for their cost, on real and on simulated boards."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    DCG,
    Assessments,
    Collection,
    Holm,
    Measure,
    P,
    agreement,
    assessor,
    group_by_document,
    pooled,
    read_assessments,
    read_runs,
    run,
    scores,
    significance,
    topics,
    weighted,
)
from inexmetrics.judgements.weighted_samples import pool_of
from inexmetrics.measures.linear import LinearScore
from inexmetrics.quantisations.base import Criterion
from tests.judgements.test_weighted import quietly

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

HUMAN, LLM = assessor("human"), assessor("llm")
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LLMJUDGE = DATA / "llmjudge"
DRAWS = 40
BOARDS = 60
RELEVANT = P(rel=2) @ 10


def found_and_others(collection: Collection, measure: Measure, criterion: Criterion) -> tuple[float, float, int]:
    """Returns the mean numbers of conclusions found and of others, over draws, and the number of conclusions of full judging."""
    shared = run(agreement(measure, (criterion, HUMAN), correction=Holm, draws=DRAWS), collection).table.row(0, named=True)
    found = shared["n_both"] / DRAWS
    return found, shared["n_predictor"] / DRAWS - found, shared["n_truth"] // DRAWS


@cache
def llmjudge() -> Collection:
    if not LLMJUDGE.is_dir():
        pytest.skip(f"the labels of LLMJudge are not in {LLMJUDGE}")
    files = {"human": LLMJUDGE / "human.qrels.gz", "llm": LLMJUDGE / "willia-umbrela1.qrels.gz"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Collection(read_assessments(files), read_runs(sorted((LLMJUDGE / "rankings").iterdir())))


def test_half_of_the_judgements_of_llmjudge() -> None:
    found, others, whole = found_and_others(llmjudge(), RELEVANT, weighted(0.48, HUMAN, judge=LLM))
    by_topics, _, _ = found_and_others(llmjudge(), RELEVANT, topics(12, HUMAN))
    assert whole == 31
    assert found >= 13
    assert others <= 3
    assert found >= 2 * by_topics


def test_half_of_the_graded_judgements_of_llmjudge() -> None:
    found, _, whole = found_and_others(llmjudge(), DCG @ 10, weighted(0.48, HUMAN, judge=LLM))
    assert whole == 45
    assert found >= 24


def test_a_judge_of_pure_noise_costs_nothing() -> None:
    collection = llmjudge()
    judged = collection.assessments.assessors
    assert judged is not None
    noise = np.random.default_rng(0).integers(0, 4, judged.height).astype(np.float64)
    noisy = judged.with_columns(grade=pl.when(pl.col("assessor") == "llm").then(pl.Series(noise)).otherwise("grade"))
    with_noise, _, whole = found_and_others(
        Collection(Assessments(assessors=noisy), collection.runs), RELEVANT, weighted(0.48, HUMAN, judge=LLM)
    )
    alone, _, _ = found_and_others(collection, RELEVANT, weighted(0.48, HUMAN))
    assert with_noise / whole >= alone / whole - 0.03


def permuted(collection: Collection, generator: np.random.Generator) -> Collection:
    """Returns a board without differences: in each topic, the rankings are dealt to the runs at random."""
    assert collection.runs is not None
    results = collection.runs.results
    names = np.array(collection.runs.run_ids)
    dealt = pl.concat(
        pl.DataFrame({"run_id": names, "topic_id": topic, "other": names[generator.permutation(len(names))]}) for topic in collection.topics
    )
    rows = results.with_columns(pl.col("run_id", "topic_id").cast(pl.String)).join(dealt, on=["run_id", "topic_id"])
    return quietly(collection.assessments, rows.select("topic_id", "doc_id", "rank", "score", run_id="other"))


def test_boards_without_differences() -> None:
    generator = np.random.default_rng(8)
    asked = significance(RELEVANT, (weighted(0.24, HUMAN, judge=LLM), weighted(0.48, HUMAN, judge=LLM)), correction=Holm)
    boards = (run(asked, permuted(llmjudge(), generator)).pairs for _ in range(BOARDS))
    claims = pl.concat(pairs.group_by("quantisation").agg(pl.col("significant").any()) for pairs in boards)
    assert claims.height == 2 * BOARDS
    assert claims.group_by("quantisation").agg(pl.col("significant").sum())["significant"].max() <= 0.075 * BOARDS  # type: ignore[operator]


RUNS, GROUPS, DEPTH, CANDIDATES = 16, 4, 10, 100


def simulated(generator: np.random.Generator, count: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns judgements by people and by a judge, and the rankings of 16 runs in four groups of equal quality.

    Runs r and q have the same mean quality if r % 4 == q % 4; the quality of every run varies with the topic. The errors of all runs have a
    part in common. The errors of the first eight runs have a further part in common, with which the judge sides, so that the judge favours
    these runs, and a shallow pool holds more of their documents.
    """
    relevant = generator.random((count, CANDIDATES)) < generator.beta(2, 6, count)[:, None]
    for_all, for_half = generator.standard_normal((2, count, CANDIDATES))
    errors = generator.standard_normal((RUNS, count, CANDIDATES))
    errors[: RUNS // 2] = np.sqrt(0.6) * for_half + np.sqrt(0.4) * errors[: RUNS // 2]
    errors = np.sqrt(0.4) * for_all + np.sqrt(0.6) * errors
    quality = (1.2 + 0.24 * (np.arange(RUNS) % GROUPS))[:, None] + 0.4 * generator.standard_normal((RUNS, count))
    ranked = np.argsort(-(quality[..., None] * relevant + errors), axis=2)[..., :DEPTH]
    opinion = (2.2 * (relevant - 0.5) + 0.4 * for_half + generator.standard_normal((count, CANDIDATES)) > 0.0).astype(np.float64)
    names = [f"t{topic:03}" for topic in range(count)]
    grid = pl.DataFrame(
        {"topic_id": np.repeat(names, CANDIDATES), "doc_id": pl.Series(np.tile(np.arange(CANDIDATES), count)).cast(pl.String)}
    )
    judged = pl.concat(
        grid.with_columns(assessor=pl.lit(name), grade=pl.Series(grades.reshape(-1)))
        for name, grades in (("human", relevant.astype(np.float64)), ("llm", opinion))
    )
    lists = pl.DataFrame(
        {
            "run_id": np.repeat([f"r{number:02}" for number in range(RUNS)], count * DEPTH),
            "topic_id": np.tile(np.repeat(names, DEPTH), RUNS),
            "doc_id": pl.Series(ranked.reshape(-1)).cast(pl.String),
        }
    )
    return judged, lists


def claims_on(collection: Collection, criterion: Criterion) -> tuple[int, int]:
    """Returns the number of true pairs claimed in the right direction, and the number of claims about runs of equal quality."""
    pairs = run(significance(P @ DEPTH, criterion, correction=Holm), collection).pairs.filter("significant")
    better, worse = (pairs[side].str.slice(1).cast(pl.Int64) % GROUPS for side in ("better", "worse"))
    return int((better > worse).sum()), int((better == worse).sum())


def pooled_documents(collection: Collection) -> int:
    """Returns the number of documents that full judging costs."""
    score = LinearScore.of(P @ DEPTH)
    assert score is not None
    assert collection.runs is not None
    return pool_of(collection.runs, score, collection.topics).documents.height


def test_many_topics_in_part_beat_few_topics_as_a_whole_and_pools() -> None:
    generator = np.random.default_rng(41)
    boards, true_pairs = 24, 96
    few, many, pools = [], [], []
    for _ in range(boards):
        judged, lists = simulated(generator, 200)
        collection = quietly(judged, lists)
        first = collection.only(topics=collection.topics[:50])
        whole, all_documents = pooled_documents(first), pooled_documents(collection)
        few.append(claims_on(first, HUMAN))
        many.append(claims_on(collection, weighted(whole / all_documents, HUMAN, judge=LLM)))
        pools.append(claims_on(collection, pooled(1, HUMAN)))
        retrieved = lists.group_by("run_id", "topic_id", maintain_order=True).head(1)
        assert retrieved.select("topic_id", "doc_id").unique().height <= whole  # the pool costs no more
    found_few, found_many = (sum(true for true, _ in found) / boards / true_pairs for found in (few, many))
    print(
        f"few {found_few:.3f} many {found_many:.3f}; boards with a false claim: {[sum(false > 0 for _, false in found) for found in (few, many, pools)]}"
    )
    assert found_many >= 1.4 * found_few
    assert sum(false > 0 for _, false in many) <= 0.075 * boards
    assert sum(false > 0 for _, false in pools) > 0.3 * boards


def inex() -> Collection:
    """Returns ten runs on the assessed topics of INEX 2009 and 2010: two runs of documents, and eight fusions of their reciprocal ranks."""
    files = [DATA / name for name in ("inex2009-2010.qrels.gz", "indri_docs.run.gz", "bert_1.fol.run.gz")]
    if not all(file.exists() for file in files):
        pytest.skip(f"the data of INEX 2009 and 2010 are not in {DATA}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = read_assessments(files[0])
        both = [group_by_document(read_runs(file)).results for file in files[1:]]
    first, second = (
        results.with_columns(pl.col("topic_id").cast(pl.String)).unique(["topic_id", "doc_id"], keep="first", maintain_order=True)
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("topic_id")).select("topic_id", "doc_id", "rank")
        for results in both
    )  # fmt: skip
    answered = set(first["topic_id"]) & set(second["topic_id"])
    joined = first.join(second, on=["topic_id", "doc_id"], how="full", coalesce=True, suffix="_2").filter(
        pl.col("topic_id").is_in(answered)
    )
    rows = []
    for number in range(10):
        share = number / 9
        one, two = (pl.lit(weight) / (20 + pl.col(name)) for weight, name in ((1 - share, "rank"), (share, "rank_2")))
        rows.append(
            joined.select("topic_id", "doc_id", run_id=pl.lit(f"f{number}"), score=one.fill_null(0.0) + two.fill_null(0.0)).filter(
                pl.col("score") > 0
            )
        )
    return quietly(judged.only(sorted(answered & set(judged.topics))), pl.concat(rows))


def test_means_of_runs_of_inex() -> None:
    collection = inex()
    number = len(collection.topics)

    def errors(criteria: list[Criterion]) -> float:
        table = run(scores(DCG @ 10, (*criteria, None)), collection).table
        truth = table.filter(quantisation="1").select("run_id", truth="mean")
        gaps = table.filter(pl.col("quantisation") != "1").join(truth, on="run_id").select(pl.col("mean") - pl.col("truth"))
        return float(np.sqrt(np.mean(gaps.to_series().to_numpy() ** 2)))

    of_documents = errors([weighted(0.35, seed=seed) for seed in range(DRAWS)])
    of_topics = errors([topics(round(0.35 * number), seed=seed) for seed in range(DRAWS)])
    print(f"{number} topics: documents {of_documents:.4f}, topics {of_topics:.4f}, ratio {of_documents / of_topics:.2f}")
    assert of_documents <= 0.8 * of_topics
