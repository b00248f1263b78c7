"""Literal implementation of the choice of plans: plans that no other plan dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Plan(NamedTuple):
    """A plan's cost, power and F1."""

    cost: float
    power: float | None
    f1: float | None


def best(plans: Sequence[Plan]) -> list[bool]:
    """Returns whether no other plan has at most its cost and at least its f1 (power, if f1 is null), one of the two strictly better."""
    return [_worth(plan, plan) is not None and not any(_beats(other, plan) for other in plans) for plan in plans]


def _worth(plan: Plan, judged_as: Plan) -> float | None:
    return plan.power if judged_as.f1 is None else plan.f1


def _beats(other: Plan, plan: Plan) -> bool:
    theirs, own = _worth(other, plan), _worth(plan, plan)
    if theirs is None or own is None or other.cost > plan.cost or theirs < own:
        return False
    return other.cost < plan.cost or theirs > own
