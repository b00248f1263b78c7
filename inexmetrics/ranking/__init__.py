"""Coded rankings: every result as the number of the judged item it is, so that measures are arithmetic on arrays.

Strings are met once. Each batch of runs is joined with the assessments into codes; every quantisation is then one
`take` from its gains, shared by all conditions that ask for it.
"""

from inexmetrics.ranking.batching import batches
from inexmetrics.ranking.gains import GainMatrix
from inexmetrics.ranking.judged_runs import JudgedRuns, Unit
from inexmetrics.ranking.recall_base import JudgedItems

__all__ = ["GainMatrix", "JudgedItems", "JudgedRuns", "Unit", "batches"]
