"""How far the scores of each run spread over topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inexmetrics.extend import (
    RUN_ID,
    Collection,
    Column,
    Figure,
    Measured,
    OfCondition,
    Result,
    RunOptions,
    Scores,
    TableOf,
    dots,
    scored,
    word,
)


class RunSpread(OfCondition):
    """The spread of each run's scores, by run_id."""

    run_id = RUN_ID
    deviation = Column(float, "the standard deviation of the scores over topics")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SpreadResult(Result):
    """The result of `spread`."""

    experiment: Spread
    spread = TableOf(RunSpread)

    @property
    def finding(self) -> str:
        widest = self.table.sort("deviation").row(-1, named=True)
        return f"The scores of {widest['run_id']} spread most ({widest['deviation']:.3f})."

    def figure(self) -> Figure:
        return dots(self.table, "deviation", "standard deviation of each run's scores")


@word("spread")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Spread(Measured[SpreadResult]):
    """How far the scores of each run spread over topics."""

    def answer(self, source: Collection | Scores, setting: RunOptions) -> SpreadResult:
        found, tables = scored(self, source, setting), []
        for each in found.conditions:
            deviation = np.std(each.scores, axis=1, ddof=1)
            tables.append(RunSpread.frame(**each.names, run_id=each.runs, deviation=deviation))
        spread = {"spread": RunSpread.concat(tables)}
        return SpreadResult(self, spread, found.origin, setting.compat, found.warnings)


spread = Spread
