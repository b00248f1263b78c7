"""Only reads assessments and runs: ``python -m benchmarks.peers.reading ASSESSMENTS RUNS``."""

from __future__ import annotations

import sys
from pathlib import Path

from inexmetrics import read_assessments, read_runs

if __name__ == "__main__":
    assessments, runs = map(Path, sys.argv[1:])
    read_assessments(assessments)
    read_runs(runs)
