"""A measure of our own."""

import numpy as np
from numpy.typing import NDArray

from inexmetrics import measure


@measure(of="documents")
def unjudged_share(grades: NDArray[np.float64], judged: NDArray[np.float64]) -> float:
    """The share of documents that were not judged."""
    return float(np.isnan(grades).mean())
