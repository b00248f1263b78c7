"""Codes: which judged item each result is, and where each result stands in the ranked list of its run and topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.arrays import IndexArray, IntArray
from inexmetrics.columns import ROOT

__all__ = ["Lists", "document_codes", "element_codes", "first_occurrences"]
