"""The score of mutation testing: the share of mutants killed, with its interval."""

from __future__ import annotations

import math

HEAD = f"{'module':<48} {'mutants':>7} {'tried':>6} {'equal':>6} {'killed':>6} {'left':>5}  score (95 % interval)"


def interval(killed: int, of: int) -> tuple[float, float]:
    """Returns Wilson's 95 % interval for a share."""
    if not of:
        return 0.0, 1.0
    z = 1.959964
    share, spread = killed / of, z * z / of
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / of + spread / (4 * of)) / (1 + spread)
    return middle - half, middle + half


def line(name: str, row: dict[str, int]) -> str:
    low, high = interval(row["killed"], row["tried"] - row["equal"])
    share = 100 * row["killed"] / max(1, row["tried"] - row["equal"])
    figures = " ".join(f"{row[key]:>{width}}" for key, width in (("mutants", 7), ("tried", 6), ("equal", 6), ("killed", 6), ("left", 5)))
    return f"{name.removeprefix('inexmetrics/'):<48} {figures}  {share:5.1f} % ({100 * low:.0f}-{100 * high:.0f})"
