"""Tables of results for papers; constant columns are stated in the caption, and values that rows share become headings of blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.common import messages, public_names
from inexmetrics.common.cells import MISSING, in_few_decimals
from inexmetrics.common.tables import DESCRIPTIVE, NO_QUANTISATION, constant_cells, constant_columns, rests_on_tests, same_p_values
from inexmetrics.report.forms import CONDITION, Reportable, caption_of, spread_levels
from inexmetrics.report.paper_tables import PaperTable, escaped, heading

__all__ = ["conditions_beside", "facts", "levels_beside_each_other", "paper_table"]

SHARED: Final = ((*CONDITION, "predictor", "judge", "truth", "run_id"), CONDITION, ("measure",))
"""Sets of columns, in the order in which they are tried. The values of the columns in a set may become headings of blocks of rows."""
REJECTED: Final = frozenset({"n_predictor", "n_judge", "n_truth", "n_both"})
"""Columns with numbers of rejected hypotheses, which share the heading "Rejected by"."""

PLAIN: Final = {"run_id": "run", "topic_id": "topic", "p_value": "p-value", "e_rho2": "E rho^2"}
"""Words that replace column names in captions."""


def paper_table(
    result: Reportable, name: str | None = None, places: Sequence[int] | None = None, said: str = "", *, identified: bool = True
) -> PaperTable:
    """Returns a table of a result laid out for a paper.

    Args:
        result: The result.
        name: The table's name; None for the first table of the result.
        places: The positions of the rows to show; None for all rows.
        said: A sentence of the caption about the chosen rows.
        identified: Whether a single row contains what identifies it, such as its measure; otherwise the caption does.
    """
    frame = result.as_printed(name)
    if places is not None:
        frame = frame[list(places)]
    name = next(iter(result.tables)) if name is None else name
    stated = result.stated[name]
    constant = [column for column in (constant_columns(frame) if identified else frame.columns) if column in DESCRIPTIVE]
    in_caption = (
        identified and frame.height == 1 and not DESCRIPTIVE.isdisjoint(frame.columns) and not DESCRIPTIVE.issuperset(frame.columns)
    )
    rows = frame.drop(constant)
    unused = {
        "quantisation": messages.canonical(None),
        "measure": None,
        "low": None,
        "high": None,
    }  # a column that does not apply has this value in all rows
    rows = rows.drop(column for column, value in unused.items() if column in rows.columns and set(rows[column]) == {value})
    if result.same_p is not None and same_p_values(rows):
        rows = rows.drop("p_adjusted")
    blocks = next(filter(None, (_blocks(rows, keys) for keys in SHARED)), ())
    # The numbers of topics and runs of the data are not repeated, because `facts` states them. In a table with a column `power`, the column
    # `topics` contains the number of topics of a planned test. The caption states this number.
    counts = set() if "power" in frame.columns else {"topics", "runs"}
    unsaid = {name for name in counts & {*constant} if frame[name][0] == getattr(result.origin, name)}
    cells = constant_cells(frame, [name for name in constant if name not in unsaid], result.smallest_p)
    once = [
        f"{heading(column)}: {escaped(cell)}" for column, cell in cells.items() if cell != MISSING and (column, cell) != NO_QUANTISATION
    ]
    once[1:] = [part[0].lower() + part[1:] for part in once[1:]]
    caption = (
        escaped(_in_words(caption_of(stated, frame))),
        *(f"{escaped(text[0].upper() + text[1:])}." for text in (said, _in_words(result.notes.get(name, ""))) if text),
        *([f"{'; '.join(once)}."] if once else []),
        *([] if "measure" in stated.columns() else [f"Formula: {escaped(messages.printable(str(result.experiment)))}."]),
        *facts(result, result.tested_in(frame.columns) if rests_on_tests(frame) else None),
    )
    spans: list[tuple[str, tuple[str, ...]]] = []
    if {"low", "high"} <= set(rows.columns):
        share = getattr(result.experiment, "interval", None)
        confidence = f"{messages.canonical(round(share * 100, 10))}\\,\\% " if isinstance(share, float) else ""
        spans.append((f"{confidence}interval", ("low", "high")))
    spans += [("Rejected by", rejected)] if (rejected := tuple(name for name in rows.columns if name in REJECTED)) else []
    return PaperTable(
        frame=rows,
        label=result.experiment.word if name == next(iter(result.tables)) else f"{result.experiment.word}-{name.replace('_', '-')}",
        caption=caption,
        columns=frozenset(stated.columns()),
        spans=tuple(spans),
        blocks=blocks,
        gap="tier" if "tier" in rows.columns and not blocks and rows["tier"].is_sorted() else None,
        source=source(result),
        narrower=paper_table(result, name, places, said, identified=False) if in_caption else None,
        warnings=result.warnings,
    )


def conditions_beside(
    result: Reportable, frame: pl.DataFrame, title: str, *, best: bool = False, without: tuple[str, ...] = ()
) -> PaperTable:
    """Returns a table with one column for each condition that occurs in the result's first table; the columns are grouped by measure.

    `side_by_side` computes the frame. With `best`, the best number in each column is bold. `without` contains the names of omitted
    columns, which a comment in the LaTeX source lists.
    """
    asked = result.table.select(CONDITION).unique(maintain_order=True)
    measures = asked["measure"].unique(maintain_order=True).to_list()
    each, lower = asked.height // len(measures), result.origin.lower
    caption = [title, *facts(result)]
    if each == 1:
        caption[1:1] = [f"Quantisation: {escaped(only)}." for only in {*asked["quantisation"]} - {messages.canonical(None)}]
        frame = frame.rename(dict(zip(frame.columns[1:], measures, strict=True)))
    conditions = tuple(frame.columns[1:])
    spans = [(escaped(measure), conditions[place * each :][:each]) for place, measure in enumerate(measures)]
    return PaperTable(
        frame=frame,
        label=result.experiment.word,
        caption=tuple(caption),
        columns=frozenset(frame.columns[:1]),
        spans=tuple(spans) if each > 1 else (),
        bold=frozenset(conditions if best else ()),
        falling=frozenset(
            conditions[place * each + at] for place, measure in enumerate(measures) if measure in lower for at in range(each)
        ),
        source=source(result),
        without=without,
        warnings=result.warnings,
    )


def levels_beside_each_other(paper: PaperTable, points: int = 11) -> PaperTable:
    """Returns a table with at most `points` levels per curve, and one column per level; the table of a single curve has a row per level."""
    narrower = levels_beside_each_other(paper, 6) if points > 6 else None
    levels = paper.frame["level"].unique().sort().to_list()
    chosen = spread_levels(levels, points)
    at = "recall" if levels[-1] <= 1.0 < len(levels) else "rank" if levels[0] == 1.0 else "level"
    left_out = (
        (f"{len(chosen)} of {len(levels)} {'ranks' if at == 'rank' else 'recall levels' if at == 'recall' else 'levels'}.",)
        if len(chosen) < len(levels)
        else ()
    )
    rows = paper.frame.filter(pl.col("level").is_in(chosen))
    paper = replace(paper, frame=rows, caption=(*paper.caption, *left_out))
    if set(rows.columns) == {"level", "value"}:
        return paper
    paper = replace(paper, narrower=narrower)
    names = dict(zip(chosen, in_few_decimals(chosen), strict=True))
    wide = rows.with_columns(pl.col("level").replace_strict(names, return_dtype=pl.String)).pivot(on="level", values="value")
    others = [name for name in rows.columns if name not in {"level", "value"}]
    return replace(paper, frame=wide.select(*others, *names.values()), spans=((f"Value at {at}", tuple(names.values())),))


def source(result: Reportable) -> str:
    """Returns the formula, the evaluator whose rules are applied, and the version, for a comment in the LaTeX source."""
    compat = "" if result.compat is None else f", compat={result.compat}"
    return f"{result.experiment}{compat}; inexmetrics {public_names.__version__}"


def _in_words(text: str) -> str:
    """Returns a text in which words replace the names of columns."""
    return re.sub(r"\b[a-z]+(?:_[a-z0-9]+)+\b", lambda found: PLAIN.get(found[0], found[0].replace("_", " ")), text)


def facts(result: Reportable, tested: str | None = None) -> Iterator[str]:
    """Yields the sentences of a caption that describe the data and the tests on which the table is based."""
    followed = "" if result.compat is None else f"; computed as {escaped(result.compat)} does"
    yield f"{escaped(str(result.origin))}{followed}."
    if tested is not None:
        text = escaped(tested.replace("p_differs: ", "difference of the differences: "))
        yield f"Test: {text}.".replace("alpha = ", r"$\alpha$ = ").replace("Test: F tests", "$F$ tests")


def _blocks(frame: pl.DataFrame, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the columns of `keys` whose values can be headings of blocks, or an empty tuple.

    A block consists of the rows with equal values in these columns. The rows of a block must be contiguous, blocks must have at least two
    rows on average, and the table must contain other columns.
    """
    found = tuple(key for key in keys if key in frame.columns and (key != "run_id" or "opponent" in frame.columns))
    if not found or len(found) == frame.width:
        return ()
    shared = frame.select(pl.struct(found).alias("block"))["block"]
    count = shared.n_unique()
    contiguous = len(shared.rle_id().unique()) == count
    return found if contiguous and count * 2 <= frame.height else ()
