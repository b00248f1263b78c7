"""How many examples hypothesis draws for a law, in all tests and in the quick ones."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from hypothesis import HealthCheck, settings

__all__ = ["ALL", "FEW", "rounds", "seen_in_all", "up_to"]

ALL: Final = 80
FEW: Final = 8
"""Examples of a law, without and with ``--quick``, if the law does not state another number."""

MEASURED: Final = (HealthCheck.too_slow,)
"""Checks of hypothesis that measure time, and therefore depend on what else the machine does."""

settings.register_profile("all", max_examples=ALL, deadline=None, derandomize=True, suppress_health_check=MEASURED)
settings.register_profile("quick", settings.get_profile("all"), max_examples=FEW)


def up_to(count: int, suppress: Collection[HealthCheck] = ()) -> settings:
    """Returns settings with this number of examples of a law, and fewer in proportion with ``--quick``."""
    return settings(max_examples=rounds(count), suppress_health_check=[*MEASURED, *suppress])


def rounds(count: int) -> int:
    """Returns how often a test draws at random: this often in all tests, less in proportion with ``--quick``."""
    return max(1, count * settings().max_examples // ALL)


def seen_in_all(count: int) -> int:
    """Returns how often all examples show something at least; with ``--quick``, the few examples need not show it."""
    return count if settings().max_examples >= ALL else 0
