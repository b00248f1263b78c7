"""Encoded rankings: every result as the index of its judged item, so that measures are arithmetic on arrays.

Strings are processed once. Each batch of runs is joined with the assessments into codes; every quantisation is then one
`take` from its gains, shared by all conditions that need it.
"""

from inexmetrics.ranking.batching import batches
from inexmetrics.ranking.gains import GainMatrix
from inexmetrics.ranking.judged_runs import JudgedRuns, Unit
from inexmetrics.ranking.recall_base import JudgedItems

__all__ = ["GainMatrix", "JudgedItems", "JudgedRuns", "Unit", "batches"]
