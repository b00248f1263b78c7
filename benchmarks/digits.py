"""Writes a leaderboard of systems with several runs each, on real data: the systems search for images of the same handwritten digit.

        python -m benchmarks.digits        writes docs/files/digits.csv, an example file of the documentation

The images are the 1,797 digits of 8 x 8 pixels of scikit-learn (Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine
Learning Repository, 1998; CC BY 4.0). Each topic is an image. The other images are ranked by the cosine similarity between their representation and that of the topic, and images of
the same digit are relevant. The score is average precision. Every system has random components, so the runs of a system differ only in their seeds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IntArray

__all__ = ["SYSTEMS", "board"]

FILE: Final = Path(__file__).parents[1] / "docs" / "files" / "digits.csv"
SEEDS: Final = 3
TOPICS_OF_A_DIGIT: Final = 4
TRAINED: Final = 200
"""Number of images with known digits, on which a representation is trained; these images are not topics."""


def _projected(images: FloatArray, _: IntArray, seed: int, size: int) -> FloatArray:
    """Returns random linear projections of the images."""
    from sklearn.random_projection import GaussianRandomProjection  # type: ignore[import-untyped]

    return np.asarray(GaussianRandomProjection(size, random_state=seed).fit_transform(images))


def _factors(images: FloatArray, _: IntArray, seed: int, size: int) -> FloatArray:
    """Returns the factors of a non-negative matrix factorisation with a random start."""
    from sklearn.decomposition import NMF  # type: ignore[import-untyped]

    return np.asarray(NMF(size, init="random", random_state=seed, max_iter=300).fit_transform(images))


def _trees(images: FloatArray, _: IntArray, seed: int, size: int) -> FloatArray:
    """Returns the leaves of random trees in which the images fall."""
    from sklearn.ensemble import RandomTreesEmbedding  # type: ignore[import-untyped]

    return np.asarray(RandomTreesEmbedding(size, random_state=seed, sparse_output=False).fit_transform(images))


def _network(images: FloatArray, digits: IntArray, seed: int, size: int) -> FloatArray:
    """Returns the hidden layer of a network that was trained to classify a few images by digit."""
    from sklearn.neural_network import MLPClassifier  # type: ignore[import-untyped]

    network = MLPClassifier((size,), random_state=seed, max_iter=400).fit(images[-TRAINED:], digits[-TRAINED:])
    return np.asarray(np.maximum(0.0, images @ network.coefs_[0] + network.intercepts_[0]))


SYSTEMS: Final[dict[str, tuple[Callable[[FloatArray, IntArray, int, int], FloatArray], int]]] = {
    "projection-8": (_projected, 8),
    "projection-16": (_projected, 16),
    "projection-32": (_projected, 32),
    "factors-8": (_factors, 8),
    "factors-16": (_factors, 16),
    "trees-20": (_trees, 20),
    "trees-100": (_trees, 100),
    "network-16": (_network, 16),
    "network-64": (_network, 64),
}
"""The representation of each system, and its size."""


def board(systems: Iterable[str] = SYSTEMS) -> pl.DataFrame:
    """Return the average precision of every run of some systems on every topic: one row per run, with the columns system and seed."""
    from sklearn.datasets import load_digits  # type: ignore[import-untyped]

    images, digits = load_digits(return_X_y=True)
    images, digits = np.asarray(images) / 16, np.asarray(digits)
    topics = np.concatenate([np.flatnonzero(digits == digit)[:TOPICS_OF_A_DIGIT] for digit in range(10)])
    rows = []
    for system in systems:
        represent, size = SYSTEMS[system]
        for seed in range(1, SEEDS + 1):
            with warnings.catch_warnings(action="ignore"):  # 300 iterations are enough for a board
                vectors = represent(images, digits, seed, size)
            scores = {f"{digits[topic]}-{topic}": round(_average_precision(vectors, digits, topic), 3) for topic in topics.tolist()}
            rows.append({"system": system, "seed": seed, **scores})
    return pl.DataFrame(rows)


def _average_precision(vectors: FloatArray, digits: IntArray, topic: int) -> float:
    lengths = np.linalg.norm(vectors, axis=1) + 1e-12
    likeness = vectors @ vectors[topic] / lengths
    order = np.argsort(-likeness, kind="stable")
    relevant = digits[order[order != topic]] == digits[topic]
    precision = np.cumsum(relevant) / np.arange(1, len(relevant) + 1)
    return float(precision[relevant].mean())


if __name__ == "__main__":
    board().write_csv(FILE)
