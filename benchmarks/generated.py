"""Generates data with the size of an evaluation campaign: 70 runs, 34 topics, 1500 results, 500-3000 judged elements per topic.

Run files are similar to those of participants: scores have four decimals, so that one score in fourteen is tied; in one ranking of ten, the ranks
contradict the scores, and the lines are ordered by rank; one ranking of seven is short; in every third file, the
topics are unordered.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

RUNS, TOPICS, RESULTS = 70, 34, 1500
CANDIDATES = 12_000
PASSAGES = 8_841_823
"""Number of passages of MS MARCO."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """Files of a generated campaign: a folder of run files, TREC qrels, and the same judgements with exhaustivity and specificity."""

    runs: Path
    qrels: Path
    elements: Path


def identifiers(random: np.random.Generator, count: int) -> list[str]:
    """Returns element identifiers of about 60 bytes, as in INEX's collections."""
    journals = np.array(["an", "cg", "co", "cs", "dt", "ex", "ic", "it", "mi", "mu", "pc", "pd", "so", "tc", "td", "tk", "tp", "ts"])
    texts: set[str] = set()
    while len(texts) < count:
        j, year, article, section, subsection, paragraph = random.integers(0, (18, 8, 9000, 9, 9, 99))
        texts.add(
            f"{journals[j]}/{1995 + year}/{journals[j][0]}{1000 + article}/article[1]/bdy[1]/sec[{1 + section}]/ss1[{1 + subsection}]/p[{paragraph:03d}]"
        )
    return sorted(texts)


def campaign(folder: Path, runs: int = RUNS, topics: int = TOPICS, results: int = RESULTS) -> Campaign:
    """Writes a campaign's files, unless they exist."""
    made = Campaign(folder / "runs", folder / "assessments.qrels", folder / "elements.parquet")
    if made.elements.exists():
        return made
    made.runs.mkdir(parents=True, exist_ok=True)
    random = np.random.Generator(np.random.PCG64(2006))
    pools = [np.array(identifiers(random, CANDIDATES)) for _ in range(topics)]
    judged = [random.permutation(CANDIDATES)[: random.integers(500, 3001)] for _ in range(topics)]
    quality = random.random(runs)
    attraction = [np.zeros(CANDIDATES) for _ in range(topics)]
    frames = []
    for topic, chosen in enumerate(judged):
        exhaustivity = random.choice(np.array(["0", "?", "1", "2"]), len(chosen), p=[0.4, 0.2, 0.25, 0.15])
        specificity = np.where(
            exhaustivity == "0", 0.0, np.where(random.random(len(chosen)) < 0.4, 1.0, np.round(random.random(len(chosen)), 3))
        )
        attraction[topic][chosen] = 0.3 + specificity
        frames.append(
            pl.DataFrame(
                {
                    "topic_id": f"{200 + topic}",
                    "doc_id": pools[topic][chosen],
                    "exhaustivity": exhaustivity,
                    "specificity": specificity,
                    "size": random.integers(20, 5000, len(chosen)),
                }
            )
        )
    elements = pl.concat(frames)
    relevance = pl.col("exhaustivity").replace_strict({"0": 0, "?": 1, "1": 1, "2": 2}, return_dtype=pl.Int64)
    qrels = elements.select("topic_id", pl.lit(0), "doc_id", relevance.alias("grade"))
    qrels.write_csv(made.qrels, separator=" ", include_header=False)
    for run in range(runs):
        parts = []
        for topic in random.permutation(topics) if run % 3 == 0 else range(topics):
            noise = random.gumbel(size=CANDIDATES)
            length = int(random.integers(results // 15, results)) if random.random() < 1 / 7 else results
            best = np.argsort(-(noise + (1 + 4 * quality[run]) * attraction[topic]), kind="stable")[:length]
            scores = np.round(8 + 2 * np.sort(random.random(length))[::-1], 4)
            # A result that moves to another rank keeps its score, and a few results move far.
            order = np.argsort(np.arange(length) + random.exponential(5, length), kind="stable") if random.random() < 0.1 else slice(None)
            parts.append(
                pl.DataFrame(
                    {
                        "topic_id": f"{200 + topic}",
                        "q0": "Q0",
                        "doc_id": pools[topic][best][order],
                        "rank": np.arange(1, length + 1),
                        "score": scores[order],
                        "run_id": f"run{run:03d}",
                    }
                )
            )
        pl.concat(parts).write_csv(made.runs / f"run{run:03d}.txt", separator=" ", include_header=False, float_precision=4)
    elements.write_parquet(made.elements)
    return made


def one_run(folder: Path, topics: int, results: int) -> None:
    """Writes qrels and a single run on many topics, with names of documents that rarely repeat: the size of a run on MS MARCO's passages."""
    (folder / "runs").mkdir(parents=True)
    random = np.random.Generator(np.random.PCG64(2006))
    names = np.sort(random.choice(1_100_000, topics, replace=False))
    with (folder / "runs" / "bm25.txt").open("w") as run, (folder / "assessments.qrels").open("w") as qrels:
        for topic in names.tolist():
            documents = random.choice(PASSAGES, results, replace=False).tolist()
            scores = np.sort(random.normal(10.0, 3.0, results))[::-1].tolist()
            run.writelines(
                f"{topic} Q0 {document} {rank} {score:.4f} bm25\n"
                for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
            )
            qrels.write(f"{topic} 0 {documents[int(random.integers(0, results // 4))]} 1\n")
