"""All benchmarks with their bounds, from which the page is generated."""

from __future__ import annotations

from typing import Final

from benchmarks.works.base import Growth, Section, Work
from benchmarks.works.files import FILES
from benchmarks.works.gains import MEMORY
from benchmarks.works.growing import GROWING
from benchmarks.works.inference import INFERENCE
from benchmarks.works.judgements import JUDGEMENTS
from benchmarks.works.shapes import SHAPES
from benchmarks.works.starting import STARTING
from benchmarks.works.text import TEXT

__all__ = ["GROWING", "MEASURABLE", "SECTIONS", "WORKS"]

SECTIONS: Final[tuple[Section, ...]] = (STARTING, FILES, SHAPES, MEMORY, TEXT, JUDGEMENTS, INFERENCE)
WORKS: Final[tuple[Work, ...]] = tuple(work for section in SECTIONS for work in section.works)
MEASURABLE: Final[tuple[Work | Growth, ...]] = (*WORKS, *GROWING)
