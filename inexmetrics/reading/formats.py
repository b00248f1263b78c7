"""The formats of files."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

__all__ = ["Format", "Kind"]

Kind: TypeAlias = Literal["assessments", "runs", "structure", "documents", "topics"]


class Format(Enum):
    """The formats of files, each with a name for messages and with the kind of data that files of this format contain."""

    INEX2004 = ("INEX 2004 assessments", "assessments")
    INEX2005 = ("INEX 2005 assessments", "assessments")
    FOL_QRELS = ("FOL qrels", "assessments")
    QRELS = ("TREC qrels", "assessments")
    SUBMISSION = ("an INEX submission", "runs")
    TREC_RUN = ("a TREC run (6 columns)", "runs")
    FOL_RUN = ("a FOL run (8 columns)", "runs")
    XPATH_RUN = ("an XPath run (7 columns)", "runs")
    PAIRS = ("relevant documents (2 columns: topic, document)", "assessments")
    RANKS = ("a run of ranks (3 columns: topic, document, rank)", "runs")
    SHEET = ("a sheet of documents to judge", "assessments")
    JUDGEMENT_TABLE = ("a table of judgements", "assessments")
    RESULT_TABLE = ("a table of results", "runs")
    TSV_STRUCTURE = ("a table of the structure", "structure")
    STRUCTURE_TABLE = ("a table of elements", "structure")
    DOCUMENT = ("an XML document", "structure")
    TOPICS = ("INEX topics", "topics")
    TOPIC_TABLE = ("a table of topics", "topics")

    def __init__(self, called: str, kind: Kind) -> None:
        self.called = called
        self.kind = kind
