"""Statements of Trotman & Jenkinson (ADCS 2007) that a program can recompute, and their experiments on crowd judgements."""

from __future__ import annotations

import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    MAP,
    Assessments,
    AssessorsResult,
    Collection,
    CollectionWarning,
    P,
    assessor_agreement,
    assessors,
    from_frames,
    nDCG,
    pool,
    pool_coverage,
    read_assessments,
    run,
    sample,
)
from inexmetrics.report.charts.drawing import specification
from inexmetrics.simulations.assessor_sets import BLOCK, AssessorJudgements, SetProbabilities, baselines

TABLE_1 = """
304 135 3 19 | 310 91 4 17 | 314 130 4 26 | 319 78 4 19 | 321 132 3 8 | 327 78 5 7 | 329 86 5 13 | 355 83 3 9
364 56 5 17 | 385 87 4 5 | 403 113 4 16 | 404 104 4 30 | 405 99 4 3 | 406 67 5 25 | 407 132 3 7
"""
TOPICS = [tuple(map(int, row.split())) for row in TABLE_1.replace("\n", "|").split("|") if row]


@pytest.fixture(scope="module")
def several() -> pl.DataFrame:
    """Returns assessors who assess and dispute as many documents as in Table 1."""
    rows = []
    for topic, documents, count, disputed in TOPICS:
        for assessor, document in product(range(count), range(documents)):
            # of the disputed documents the first 1, 2 .. count-1 assessors find one relevant; of the others a third are, to all
            relevant = assessor <= document % (count - 1) if document < disputed else document % 3 == 0
            rows.append((str(topic), f"{topic}-{assessor}", f"d{document:03d}", float(relevant)))
    return pl.DataFrame(rows, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")


def test_table_1(several: pl.DataFrame) -> None:
    found = assessor_agreement(Assessments(assessors=several))
    columns = ["topic_id", "documents", "assessors", "disagreements"]
    assert found.disagreement.select(columns).rows() == [(str(topic), *counts) for topic, *counts in TOPICS]
    total = found.disagreement_overall.row(0, named=True)
    assert (total["topics"], total["documents"], total["assessors"], total["disagreements"]) == (15, 1471, 60, 221)
    assert round(total["mean_documents"], 2) == 98.07
    # of topic 405 the assessors agree on 96 of 99
    assert found.disagreement.filter(topic_id="405")["agreement"][0] == 96 / 99


def test_as_assessors_are_added_the_intersection_falls_and_the_union_grows(several: pl.DataFrame) -> None:
    overlap = assessor_agreement(Assessments(assessors=several)).overlap
    for _, rows in overlap.group_by("topic_id"):
        assert (rows["mean_intersection"].diff().drop_nulls() < 0).all()
        assert (rows["mean_union"].diff().drop_nulls() > 0).all()


def test_outcomes_of_topic_405(several: pl.DataFrame) -> None:
    """Section 3.4: the three disputed documents can be given to four assessors in 64 ways, but there are 2^3 = 8 outcomes; all are drawn."""
    of_405 = several.filter(topic_id="405")
    opinions = AssessorJudgements.of(of_405, baselines(of_405))
    assert opinions.disputed == 3
    assert 4**opinions.disputed == 64
    (drawn,) = opinions.chances.drawn(0, 0)
    assert drawn.shape == (99, BLOCK)
    assert len(np.unique(drawn, axis=1).T) == 2**3 == 8
    # 1, 2 and 3 of 4 assessors find them relevant
    assert isinstance(opinions.chances, SetProbabilities)
    assert opinions.chances.shares[:3, 0].tolist() == [0.25, 0.5, 0.75]


def test_outcomes_of_all_topics(several: pl.DataFrame) -> None:
    opinions = AssessorJudgements.of(several, baselines(several))
    assert opinions.disputed == 221
    assert f"{2**opinions.disputed:.2e}" == "3.37e+66"


def test_a_difference_as_a_share_of_the_best_score() -> None:
    """Section 1: a difference of .025 (between .02 and .03) is 7 % of the best MAP, .36."""
    assert round(0.025 / 0.36, 3) == 0.069


def test_experiments_on_the_sample() -> None:
    """The built-in sample is simulated; the paper's conclusions hold on it."""
    result = run(assessors(MAP, sets=2000), sample())
    row = result.tables["summary"].row(0, named=True)
    assert row["mean_rho"] > 0.97
    assert row["min_rho"] > 0.9
    assert row["threshold_bucket"] <= 0.05
    # experiment 3: what is not stable among the ten best runs is not significant either
    unstable = result.tables["leaders"].filter(pl.col("unstable"))
    assert unstable.height > 0
    assert (unstable["p_value"] > 0.05).all()


def test_pools_of_the_sample_as_inex_makes_them() -> None:
    runs = sample().runs
    assert runs is not None
    pooled = pool(runs, 50)
    assert pooled["topic_id"].unique(maintain_order=True).to_list() == list(sample().topics)
    sizes = pooled.group_by("topic_id").agg(pl.len(), pl.col("round").max())
    assert sizes["len"].min() is not None
    assert (sizes["len"] >= 50).all()
    # against sets of names
    grades = sample().assessments.grades
    assert grades is not None
    for row in pool_coverage(pooled, sample().assessments).iter_rows(named=True):
        inside = set(pooled.filter(topic_id=row["topic_id"])["doc_id"])
        judged = grades.filter(topic_id=row["topic_id"])
        relevant = set(judged.filter(pl.col("grade") > 0)["doc_id"])
        assert row["coverage"] == len(inside & set(judged["doc_id"])) / len(inside)
        assert row["recall"] == len(inside & relevant) / len(relevant)


# --- crowd judgements: 250 topics, 7 workers a document


def crowd(shared: Path, runs: int, topics: int) -> Collection:
    """Returns the crowd's judgements, assigned to seven workers by a seed, and simulated runs that follow the share of relevant votes."""
    counts = pl.read_csv(shared / "crowd_counts.csv.gz", schema_overrides={"topic": pl.String, "doc": pl.String})
    assert counts.height == 23_554
    counts = counts.filter(pl.col("topic").is_in(counts["topic"].unique(maintain_order=True).head(topics).to_list()))
    random = np.random.Generator(np.random.PCG64(2018))
    said: list[tuple[str, str, str, float]] = []
    for topic, document, asked, relevant in counts.iter_rows():
        said += [
            (topic, f"w{worker}", document, float(place < relevant)) for place, worker in enumerate(random.permutation(asked).tolist())
        ]
    found: list[tuple[str, str, str, float]] = []
    for (topic,), rows in counts.group_by("topic", maintain_order=True):
        share = (rows["n_relevant"] / rows["n_assessors"]).to_numpy()
        beliefs = random.normal(size=(runs // 4 + 1, len(share)))  # runs of one group have much in common
        for number in range(runs):
            noise = 0.7 * beliefs[number // 4] + 0.7 * random.normal(size=len(share))
            score = np.round(0.2 + 0.6 * number / runs, 6) * share + 0.5 * noise
            found += [
                (f"run{number:02d}", str(topic), document, value) for document, value in zip(rows["doc"], score.tolist(), strict=True)
            ]
    judgements = pl.DataFrame(said, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row").sort("topic_id", "assessor")
    return from_frames(judgements, pl.DataFrame(found, schema=["run_id", "topic_id", "doc_id", "score"], orient="row"))


def is_sound(result: AssessorsResult, runs: int, sets: int) -> None:
    """Checks the properties of the experiment's tables, and of its four figures."""
    pairs = runs * (runs - 1) // 2
    tables = result.tables
    assert tables["correlations"].height == sets
    tied = tables["switches"]["switch_probability"].null_count()
    assert tables["switches"].height == pairs == tables["buckets"]["pairs"].sum() + tied
    row = tables["summary"].row(0, named=True)
    assert row["min_rho"] <= row["mean_rho"] <= 1
    assert row["mean_rho"] > 0.6
    # the more runs differ, the less often they switch; large differences never do
    switched = tables["buckets"]["switch_probability"].to_list()
    assert switched[0] == max(switched) > 0.05
    assert switched[-1] == 0.0
    assert 0 < row["threshold_line"] < tables["buckets"]["upper"].max()
    assert 0 < row["threshold_bucket"] < tables["buckets"]["upper"].max()
    panels: Any = specification(result)["concat"]
    rho, every, bucketed, best = (panel["data"]["values"] for panel in panels)
    assert sum(bar["sets"] for bar in rho) == sets
    assert 0 < len(every) <= pairs - tied, "pairs beyond the last that any set switches are counted in words"
    assert 0 < len(bucketed) <= tables["buckets"].height
    assert len(best) == tables["leaders"].drop_nulls("switch_probability").height <= 45


def test_on_crowd_judgements(shared: Path) -> None:
    collection = crowd(shared, runs=16, topics=40)
    total = assessor_agreement(collection).disagreement_overall.row(0, named=True)
    assert total["topics"] == 40
    assert 0 < total["kappa"] < total["pairwise_agreement"] < 1
    for measure in (MAP, P @ 10, nDCG @ 10):
        is_sound(run(assessors(measure, sets=500), collection), 16, 500)


@pytest.mark.slow
def test_on_all_crowd_judgements(shared: Path) -> None:
    collection = crowd(shared, runs=24, topics=250)
    found = assessor_agreement(collection)
    total = found.disagreement_overall.row(0, named=True)
    assert (total["topics"], total["documents"], total["assessors"]) == (250, 23_554, 1752)  # 8 workers in two topics
    with pytest.warns(CollectionWarning, match="2 assessors judged too few documents of a topic"):
        result = run(assessors(MAP, sets=500), collection)
    is_sound(result, 24, 500)


# --- from a file of raw votes to the tables and figures


def runs_of_votes(several: pl.DataFrame) -> pl.DataFrame:
    """Returns eight runs that follow the share of votes to a decreasing degree."""
    random = np.random.Generator(np.random.PCG64(2007))
    votes = several.group_by("topic_id", "doc_id").agg(pl.col("grade").mean()).sort("topic_id", "doc_id")
    rows = [
        votes.select(pl.lit(f"run{number}").alias("run_id"), "topic_id", "doc_id").with_columns(
            score=pl.Series((1 - number / 10) * votes["grade"].to_numpy() + 0.4 * random.random(votes.height))
        )
        for number in range(8)
    ]
    return pl.concat(rows)


def test_from_raw_votes_with_gaps_to_table_1_and_the_figures(several: pl.DataFrame, tmp_path: Path) -> None:
    """Section 3.1: the file also has assessors who judged less than half of a topic, and documents that not all assessors got to.

    Both are left out, so that Table 1 and Figures 2 to 5 are those of the judgements that are left in the paper.
    """
    lines = [f"{topic} {assessor} {document} {grade:g}\n" for topic, assessor, document, grade in several.iter_rows()]
    late = [f"{topic} {topic}-late d{number:03d} {number % 2}\n" for topic, documents, *_ in TOPICS[:4] for number in range(documents // 3)]
    further = [f"{topic} {topic}-1 x{number:03d} {number % 2}\n" for topic, *_ in TOPICS[5:] for number in range(7)]
    (tmp_path / "raw.qrels").write_text("".join([*late, *lines, *further]))
    (tmp_path / "clean.qrels").write_text("".join(lines))
    runs = runs_of_votes(several)
    found = {}
    for name in ("raw", "clean"):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            whole = from_frames(read_assessments(tmp_path / f"{name}.qrels"), runs)
            found[name] = run(assessors(MAP, sets=300), whole)
        texts = [str(warning.message) for warning in told]
        assert any("4 assessors judged too few documents of a topic" in text for text in texts) == (name == "raw")
        assert any("70 of 1541 documents were not judged by all assessors of the topic" in text for text in texts) == (name == "raw")
    total = found["raw"].tables["disagreement_overall"].row(0, named=True)
    assert (total["documents"], total["assessors"], total["disagreements"]) == (1471, 60, 221)
    columns = ["topic_id", "documents", "assessors", "disagreements"]
    assert found["raw"].tables["disagreement"].select(columns).rows() == [(str(topic), *counts) for topic, *counts in TOPICS]
    for figure, table in {"2": "correlations", "3": "switches", "4": "buckets", "5": "leaders"}.items():
        assert found["raw"].tables[table].equals(found["clean"].tables[table]), figure
    assert found["raw"].tables["summary"].equals(found["clean"].tables["summary"])
    assert 0.5 < found["raw"].tables["summary"]["mean_rho"][0] < 1
