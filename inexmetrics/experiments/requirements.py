"""Requirements for a run against each of its opponents, for a build that stops if they are not met."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias, get_args

import polars as pl

from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical, plural
from inexmetrics.experiments.findings import in_parentheses, interval_text, number, p_text, under
from inexmetrics.report.formats import Case
from inexmetrics.report.forms import CONDITION
from inexmetrics.terms.parameter_types import Choice

__all__ = ["Requirement", "cases_of", "check_requirement", "rows_unmet", "unmet_text"]

Requirement: TypeAlias = Literal["better", "not_worse", "equivalent"]
"""The possible requirements for a run against every opponent."""
SHOWN: Final = {"better": "significantly better than", "not_worse": "shown to be not worse than", "equivalent": "shown to be the same as"}
"""The requirements in words."""


def check_requirement(requirement: str, margin: float | None) -> None:
    """Raises `FormulaError` for a requirement that is unknown, or that needs a margin and has none."""
    Choice(get_args(Requirement)).accept_as("requirement", requirement)
    if requirement != "better" and margin is None:
        raise FormulaError(
            f"expected a margin for the requirement {requirement}, found none", hint="add one to the formula, as in margin=0.02"
        )


def rows_unmet(rows: pl.DataFrame, requirement: Requirement) -> pl.DataFrame:
    """Returns the rows of table ``versus`` for which the requirement is not met."""
    return rows.filter(~_holds(requirement))


def _holds(requirement: Requirement) -> pl.Expr:
    """Returns whether a row of table ``versus`` meets the requirement; without defined topics, it does not."""
    ahead = pl.col("significant") & (pl.col("difference") > 0.0).fill_null(value=False)
    return ahead if requirement == "better" else pl.col(requirement)


def unmet_text(rows: pl.DataFrame, requirement: Requirement) -> str | None:
    """Returns one line that names the opponents for which the requirement is not met; None if it is met for all."""
    unmet = rows_unmet(rows, requirement)
    if unmet.is_empty():
        return None
    several = any(rows[name].n_unique() > 1 for name in ("run_id", *CONDITION))
    parts = []
    for _, part in unmet.group_by("run_id", *CONDITION, maintain_order=True):
        first = part.row(0, named=True)
        case = f"{first['run_id']} by {under(first)}: " if several else ""
        parts.append(case + ", ".join(part["opponent"]))
    count = f"{unmet.height} of {plural(rows.height, 'comparison')}"
    return f"required: {requirement}; it is not met in {count}: {'; '.join(parts)}"


def cases_of(rows: pl.DataFrame, requirement: Requirement, margin: float | None, interval: float) -> Iterator[Case]:
    """Returns a test case for each row of table ``versus``, which fails if the requirement is not met."""
    within = "" if margin is None or requirement == "better" else f" within {canonical(margin)}"
    for row in rows.with_columns(_holds(requirement).alias("holds")).rows(named=True):
        name = f"{row['run_id']} is {SHOWN[requirement]} {row['opponent']}{within}"
        if row["holds"]:
            yield Case(under(row), name)
        elif row["difference"] is None:
            yield Case(under(row), name, requirement, "the measure is defined for no topic")
        else:
            p_value = {"better": row["p_adjusted"], "equivalent": row.get("p_equivalent")}.get(requirement)
            sure = in_parentheses(interval_text(row["low"], row["high"], interval), "" if p_value is None else p_text(p_value))
            yield Case(under(row), name, requirement, f"the difference of the means is {number(row['difference'])}{sure}")
