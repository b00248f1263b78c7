"""Encoded rankings: each result is stored as the index of its judged item, so that measures are computed by array operations.

Strings are processed only once: each batch of runs is joined with the assessments, and results are stored as integer codes. The gains under
a quantisation are then looked up with one `take`. All conditions with the same quantisation share these gains.
"""

from inexmetrics.ranking.gains import GainMatrix
from inexmetrics.ranking.judged_runs import JudgedRuns, Unit, batches
from inexmetrics.ranking.recall_base import JudgedItems

__all__ = ["GainMatrix", "JudgedItems", "JudgedRuns", "Unit", "batches"]
