"""Results as text, files, charts and HTML. What a result states about its own tables and its chart is imported from here."""

from inexmetrics.report.charts.parts import Figure
from inexmetrics.report.forms import CONDITION, across, changes, condition_tables, in_parts, narrowing, numbered, side_by_side, stated
from inexmetrics.report.text import Printed

__all__ = [
    "CONDITION", "Figure", "Printed", "across", "changes", "condition_tables", "in_parts", "narrowing", "numbered", "side_by_side", "stated",
]  # fmt: skip
