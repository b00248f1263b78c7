"""Encoded rankings: every result is the index of its judged item, so that measures are arithmetic on arrays.

Strings are processed once: each batch of runs is joined with the assessments into integer codes. The gains under a quantisation are then
looked up with one `take`. All conditions with the same quantisation share these gains.
"""

from inexmetrics.ranking.gains import GainMatrix
from inexmetrics.ranking.judged_runs import JudgedRuns, Unit, batches
from inexmetrics.ranking.recall_base import JudgedItems

__all__ = ["GainMatrix", "JudgedItems", "JudgedRuns", "Unit", "batches"]
