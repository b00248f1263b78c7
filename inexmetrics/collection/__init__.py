"""A test collection: assessments, the runs they judge, and the structure of the documents; all immutable."""

from inexmetrics.collection.derived_judgements import assessed_documents, assessed_elements, check_quantisation
from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.offsets import extents
from inexmetrics.collection.assessors import judged_by, opinions
from inexmetrics.collection.runs import Lists, Order, Runs, lists
from inexmetrics.collection.structure import Structure
from inexmetrics.collection.collection import Collection

__all__ = [
    "Assessments",
    "Collection",
    "Lists",
    "Order",
    "Runs",
    "Structure",
    "assessed_documents",
    "assessed_elements",
    "check_quantisation",
    "extents",
    "judged_by",
    "lists",
    "opinions",
]
