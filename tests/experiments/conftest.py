"""Small score matrices on which tests can be computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from inexmetrics import Scores

# Means .65, .4, .45. Differences of a and b: .4 .2 .2 .2; of a and c: .2 .4 -.2 .4; of c and b: .2 -.2 .4 -.2.
MIXED = [[0.8, 0.6, 0.7, 0.5], [0.4, 0.4, 0.5, 0.3], [0.6, 0.2, 0.9, 0.1]]
# a is ahead of b, and b ahead of c, on every topic.
ORDERED = [[0.8, 0.6, 0.7, 0.5], [0.4, 0.4, 0.5, 0.3], [0.3, 0.3, 0.4, 0.2]]
# Nobody is ahead of anybody.
LEVEL = [[0.5, 0.25, 0.5, 0.25]] * 3
# Undefined on the third topic, where a stands highest; elsewhere as MIXED.
GAP = [[0.8, 0.6, np.nan, 0.5], [0.4, 0.4, np.nan, 0.3], [0.6, 0.2, np.nan, 0.1]]


@pytest.fixture
def small() -> Scores:
    """Scores of the runs a, b, c on four topics, under several conditions."""
    matrices = {
        ("MAP", "1"): MIXED,
        ("P@10", "1"): ORDERED,
        ("MAep", "Gen5"): MIXED,
        ("MAep", "BinExh"): ORDERED,
        ("MAep", "FullySpec"): LEVEL,
        ("MAep", "Strict5"): GAP,
    }
    return Scores(
        runs=("a", "b", "c"),
        topics=("t1", "t2", "t3", "t4"),
        matrices={condition: np.array(rows, dtype=np.float64) for condition, rows in matrices.items()},
    )
