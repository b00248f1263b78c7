"""Examples of words, in one place: every test that asks all corrections, significance tests or experiments takes them from here."""

from __future__ import annotations

import inexmetrics.vocabulary  # noqa: F401  # declares every word
from inexmetrics import Correction, SignificanceTest
from tests.laws.strategies import own

__all__ = ["CLUSTERS", "CORRECTIONS", "TESTS"]

CORRECTIONS: dict[str, Correction] = {entry.word: entry.value for entry in own(Correction) if isinstance(entry.value, Correction)}
"""Every correction by its word."""
CLUSTERS = ("a", "a", "b", "c", "c", "c", "d", "e", "e", "f", "g", "g", "h", "h", "h", "i", "i")
"""Clusters of 17 topics."""


def _variants(test: SignificanceTest) -> tuple[SignificanceTest, ...]:
    """A test with two tails and with one, over topics and over clusters, as far as it has them; of random samples, with few."""
    names = {name for name, _, _ in test._arguments()}
    few = test._changed({"b": 3300}) if "b" in names else test
    found = [few, *([few._changed({"tails": 1})] if "tails" in names else [])]
    if "clusters" in names:
        found += [each._changed({"clusters": "c"}).on_clusters({"c": CLUSTERS}) for each in found]
    return tuple(found)


TESTS: dict[str, SignificanceTest] = {
    str(variant): variant
    for entry in own(SignificanceTest)
    if isinstance(entry.value, SignificanceTest)
    for variant in _variants(entry.value)
}
"""Every significance test in its variants, by its text."""
