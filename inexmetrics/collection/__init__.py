"""Test collections: assessments, the judged runs, and the structure of the documents. All objects are immutable."""

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.assessors import judged_by, judgements_by_assessor
from inexmetrics.collection.collection import Collection
from inexmetrics.collection.derived_judgements import assessed_as_wholes, assessed_documents, assessed_elements
from inexmetrics.collection.runs import Lists, Order, Runs
from inexmetrics.collection.structure import Structure, extents

__all__ = [
    "Assessments",
    "Collection",
    "Lists",
    "Order",
    "Runs",
    "Structure",
    "assessed_as_wholes",
    "assessed_documents",
    "assessed_elements",
    "extents",
    "judged_by",
    "judgements_by_assessor",
]
