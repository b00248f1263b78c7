"""Fewer judgements, and judges on trial: agreement over pool depths of 70 runs, and the grades of 34 judges against one, from files."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.generated import Campaign
from benchmarks.timing import in_turn, whole_process

JUDGES, TOPICS, JUDGED = 34, 25, 4400
"""As the judges of the LLMJudge challenge, each of whom graded the same documents."""

DEPTHS = """
import polars as pl
from inexmetrics import Collection, from_frames, read_runs, run
collection = Collection(from_frames(pl.read_parquet({elements!r})).assessments, read_runs({runs!r}))
run("agreement(MAP ~ 1 + pooled(1500) | bootstrap(b=100))", collection)  # imports are not timed
start = time.perf_counter()
run("agreement(MAP ~ pooled(100) + pooled(50) + pooled(20) + pooled(10) + pooled(5) + pooled(1))", collection)
report(time.perf_counter() - start)
"""


def graded_by_many(path: Path) -> str:
    """Writes qrels of many judges, whose grades from 0 to 3 stand the nearer to the first one's, the earlier the judge; its formula."""
    random = np.random.Generator(np.random.PCG64(2024))
    topics = np.sort(random.integers(0, TOPICS, JUDGED))
    truth = random.choice(4, JUDGED, p=[0.5, 0.2, 0.2, 0.1])
    parts = []
    for judge in range(JUDGES + 1):
        other = np.clip(truth + random.integers(-1, 2, JUDGED), 0, 3)
        grades = np.where(random.random(JUDGED) < judge / (JUDGES + 1), other, truth)
        parts.append(pl.DataFrame({"topic": topics, "assessor": f"judge{judge}", "doc": [f"d{n}" for n in range(JUDGED)], "grade": grades}))
    pl.concat(parts).write_csv(path, separator=" ", include_header=False)
    on_trial = " + ".join(f'assessor("judge{judge}")' for judge in range(1, JUDGES + 1))
    return f'judges({on_trial}, truth=assessor("judge0"))'


def judgements_left_out(made: Campaign) -> Iterator[tuple[str, str, str]]:
    [spent] = in_turn([DEPTHS.format(elements=str(made.elements), runs=str(made.runs))])
    yield "agreement(MAP) over 6 pool depths, 70 runs x 34 topics x 1500", f"{spent.median:.2f} s", "below 3 s"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judges.qrels"
        formula = graded_by_many(path)
        spent = whole_process([sys.executable, "-m", "inexmetrics", formula, "--assessments", str(path), "--format", "csv"])
    yield f"judges without runs, {JUDGES} judges x {JUDGED} judgements, whole process", f"{spent.median:.2f} s", "below 3 s"
