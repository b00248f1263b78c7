"""Coded rankings: every result as the number of the judged item it is, so that measures are arithmetic on arrays.

Strings are met once. Each batch of runs is joined with the assessments into codes; every quantisation is then one
`take` from its gains, shared by all conditions that ask for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final, Literal, TypeAlias, TypeVar

import numpy as np
import polars as pl

from inexmetrics.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.coding import Judged, Places, first_occurrences, holds_documents_only
from inexmetrics.collection import Collection, Lists, assessed_documents, assessed_elements, check_quantisation, lists
from inexmetrics.errors import CollectionError
from inexmetrics.focused import focused_graded
from inexmetrics.graded import Graded, in_decreasing_order
from inexmetrics.quantisations.base import Quantisation

__all__ = ["Evidence", "Graded", "Unit", "batches"]

Unit: TypeAlias = Literal["results", "documents"]
"""What stands at the ranks of a list: results as they were retrieved, or documents, each at its first occurrence."""

BATCH: Final = 1 << 20
"""Ranks of all lists of a batch, their padding included: what keeps its arrays near the processor's caches."""
KEPT_VIEWS: Final = 4

V = TypeVar("V")
