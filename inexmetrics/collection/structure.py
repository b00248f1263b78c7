"""The structure of documents: offsets and lengths of their elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import plural
from inexmetrics.terms.parameter_types import Made

__all__ = ["GIVEN_STRUCTURE", "Structure"]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Structure(Frozen):
    """Offset and length of each element in each document.

    Attributes:
        elements: One row for each element (`StructureTable`): doc_id, path, start and length in characters.
        warnings: Warnings from reading the files.
    """

    elements: pl.DataFrame
    warnings: tuple[Problem, ...] = ()

    def check_holds(self, relevant: pl.DataFrame) -> None:
        """Raises an error unless the structure contains the elements of all documents with highlighted text.

        Args:
            relevant: Documents with highlighted text: columns topic_id and doc_id.

        Raises:
            CollectionError: Documents are missing from the structure; the error names the documents and their topics.
        """
        lacking = relevant.join(self.elements, on="doc_id", how="anti", maintain_order="left")
        if not lacking.is_empty():
            raise CollectionError(
                Problem(
                    f"expected the elements of document {row['doc_id']}, which has highlighted text, found none in the structure",
                    topic_id=row["topic_id"],
                    kind="expected the elements of documents with highlighted text, found {count} documents that the structure lacks",
                    detail=f"document {row['doc_id']}",
                )
                for row in lacking.iter_rows(named=True)
            )

    def __repr__(self) -> str:
        return f"Structure({plural(self.elements.height, 'element')} of {plural(self.elements['doc_id'].n_unique(), 'document')})"


GIVEN_STRUCTURE: Final = Made(Structure, "a structure as read_structure makes it")
"""Type of arguments that are structures."""
