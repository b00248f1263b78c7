"""The page of benchmarks, generated only from the table of benchmarks and their measurements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from benchmarks.figure import exponent
from benchmarks.measured import Grown, Measured, Occasion, Row
from benchmarks.timing import Side, Spent
from benchmarks.works import GROWING, MEASURABLE, SECTIONS, WORKS
from benchmarks.works.base import Bound, Growth, Section, Work

__all__ = ["asked", "page", "reached"]

PICTURE: Final = (
    "![CPU time against the number of runs, topics, results per topic and resamples, on logarithmic axes]"
    "(<pictures/benchmarks-growth.svg> 'python -m benchmarks.page')"
)
HEAD: Final = """\
---
description: Time and memory of inexmetrics, compared with pytrec_eval or with a necessary part of the task, and the growth of time.
search: {{exclude: true}}
---
<!-- Written by `python -m benchmarks.page` from benchmarks/works and benchmarks/measured.json. -->
# Benchmarks: time and memory

{answer}"""
METHOD: Final = """
## How it was measured

Each task is run alternately with a baseline, another program that performs the task or a necessary part of it.

"""
HOW: Final = """\

* *bound*: the greatest time and memory, or the least *ratio* of the baseline's time to the task's. A bound is met unless the cell says *missed*, by a factor, or *open*: a time
  missed at a load average above {busy:g}.
* *seconds*: the median wall time of the runs after the first. *cold*: the first run in a new process, with no input file in the kernel's cache. *CPU*: the user and
  system time, at its minimum over later runs, because other programs only lengthen it.
* *MB*: the peak memory of the process, in 10^6 bytes.
* Threads: one for linear algebra, up to four for resampling, polars' own number for reading.

```text
python -m benchmarks.page                    # measures all tasks in ten minutes, and writes this page
python -m benchmarks.page --help             # lists options: --only NAME, --resume, --trec-eval PATH, --large
```
"""
GROWTH: Final = """
## How seconds grow

{picture}Each time is the median CPU time of three calls. Doubling the size multiplies it by 2 to the power of the *exponent*. Fixed costs affect the
*last step*, the exponent of the two largest sizes, least. Results are per topic; samples are resamples.

{tasks}

| task | sizes | seconds | exponent (last step) |
|---|---|---:|---:|
"""
BUSY: Final = 3.0
"""Load of the machine above which other programs slow down the measured processes, which use up to two processors."""
UNMEASURED: Final = "—"
SHARED: Final = 3
"""Number of rows with the same baseline from which the text above their table names it."""
SPACE: Final = "\N{NO-BREAK SPACE}"
"""Space between a number and its unit, which prevents a line break."""


def page(measured: Measured) -> str:
    """Return the page, in Markdown: the summary, the tasks, and the method of measurement."""
    parts = [HEAD.format(answer=_answer(measured))]
    for section in SECTIONS:
        parts += _section(section, measured)
    tasks = {f"* `{growth.name.partition('-')[0]}-…`: {growth.what}": None for growth in GROWING}
    parts += [GROWTH.format(picture=f"{PICTURE}\n\n" if measured.growth else "", tasks="\n".join(tasks))]
    parts += [f"{_growth_row(growth, measured.growth.get(growth.name))}\n" for growth in GROWING]
    return "".join([*parts, METHOD, *_occasions(measured), *_unmeasured(measured), HOW.format(busy=BUSY)])


def _answer(measured: Measured) -> str:
    """Returns sentences on the first command and on reading and scoring files."""
    first, files = measured.rows.get("first-command"), measured.rows.get("files")
    if first is None or files is None:
        return ""
    return (
        f"The first command in the README takes {_number(first.ours.cold.wall)}{SPACE}s. MAP and nDCG@10 for 70 runs x 34 topics x 1500 results (270 MB) take "
        f"{_number(files.ours.cold.wall)}{SPACE}s and {files.ours.peak / 1e6:.0f}{SPACE}MB of memory; pytrec_eval takes {_times(files.beside.cold.wall / files.ours.cold.wall)} times as long. "
        "All processes are cold. [How it was measured](#how-it-was-measured) explains the columns.\n"
    )


def _occasions(measured: Measured) -> Iterator[str]:
    """Yields the dates and machines of the measurements: one line for each machine with its versions, and for each version of this library."""
    there: dict[tuple[str, str], list[Occasion]] = {}
    said = ""
    occasions = [*(row.occasion for row in measured.rows.values()), *(grown.occasion for grown in measured.growth.values())]
    for occasion in sorted(occasions, key=lambda occasion: occasion.when):
        there.setdefault((occasion.machine, occasion.versions), []).append(occasion)
    for (machine, versions), of_it in there.items():
        days = [occasion.when for occasion in of_it]
        loads = [occasion.load for occasion in of_it]
        on = f"{days[0]} to {days[-1]} UTC" if days[0] != days[-1] else f"{days[0]} UTC"
        load = f"{min(loads)}" if min(loads) == max(loads) else f"{min(loads)} to {max(loads)}"
        library, _, others = versions.partition(", ")
        if said != (said := f"* {machine}, {others}\n"):
            yield said
        yield f"    * {library}: {len(of_it)} of {len(MEASURABLE)} rows, {on}, load average {load}\n"


def _unmeasured(measured: Measured) -> Iterator[str]:
    """Yields a line with the names of the tasks that were not measured, except tasks that need trec_eval."""
    names = [f"`{work.name}`" for work in WORKS if work.name not in measured.rows and not work.by_trec_eval]
    if names:
        yield f"* not measured yet: {', '.join(names)}\n"


def _section(section: Section, measured: Measured) -> Iterator[str]:
    rows = {work: measured.rows[work.name] for work in section.works if work.name in measured.rows}
    if not rows:
        return
    usual, number = Counter(work.beside for work in rows).most_common(1)[0]
    shared = usual if number >= SHARED else None
    said = f" The usual baseline {shared}." if shared else ""
    yield f"\n## {section.title}\n\n{section.text}{said}\n\n"
    yield "| task | bound | seconds | baseline | MB |\n|---|---|---:|---|---:|\n"
    missed: dict[str, list[str]] = {}
    for works in _alike(rows):
        yield f"{_row(works, rows, named=works[0].beside != shared)}\n"
        for work in works:
            if reached(work.bound, rows[work]).startswith("missed"):
                missed.setdefault(work.limits, []).append(f"`{work.name}`")
    if missed:
        yield "\nMissed bounds:\n\n"
        yield from (f"* {', '.join(names)}: {limits}\n" for limits, names in missed.items())


def _alike(rows: Mapping[Work, Row]) -> list[list[Work]]:
    """Returns the tasks of each row of a table: measures that reach the same bound share a row, with ranges of times."""
    found: dict[object, list[Work]] = {}
    for work, row in rows.items():
        measure = re.fullmatch("`[^`]*`", work.what) and reached(work.bound, row) == "met"
        found.setdefault((_stem(work), work.bound, work.beside) if measure else work.name, []).append(work)
    return [*found.values()]


def _stem(work: Work) -> str:
    return work.name.partition("-")[0]


def _row(works: Sequence[Work], rows: Mapping[Work, Row], *, named: bool) -> str:
    """Returns a row of a table; its baseline is named unless the text above the table does so."""
    first, name = works[0], works[0].name if len(works) == 1 else f"{_stem(works[0])}-…"
    ours, beside = (
        [_run(side, first.bound) for side in sides] for sides in zip(*((rows[work].ours, rows[work].beside) for work in works), strict=True)
    )
    memory = [f"{rows[work].ours.peak / 1e6:.0f}" for work in works]
    baseline = first.beside.removeprefix("is ") if named else ""
    return _cells(
        f"{', '.join(work.what for work in works)} (`{name}`)",
        _verdict(first.bound, reached(first.bound, rows[first])),
        _span(ours),
        f"{baseline}: {_span(beside)}".removeprefix(": "),
        _range(sorted(memory, key=int)),
    )


def _span(seconds: Sequence[float]) -> str:
    """Returns a time, or the shortest and the longest time."""
    return _range([_number(each) for each in sorted(seconds)])


def _range(sorted_texts: Sequence[str]) -> str:
    return " to ".join(dict.fromkeys((sorted_texts[0], sorted_texts[-1])))


def _verdict(bound: Bound, said: str) -> str:
    """Returns a bound, with the verdict unless it is met."""
    return asked(bound) if said in ("", "met") else f"{asked(bound)}; {said}"


def _growth_row(growth: Growth, grown: Grown | None) -> str:
    name, sizes = f"`{growth.name}`", f"{growth.sizes[0]:,} to {growth.sizes[-1]:,}"
    if grown is None:
        return _cells(name, sizes, *[UNMEASURED] * 2)
    first, *_, last = grown.cpu.values()
    whole, step = exponent(grown.cpu)[0], exponent(dict([*grown.cpu.items()][-2:]))[0]
    return _cells(name, sizes, _span([first, last]), f"{whole:.2f} ({step:.2f})")


def _cells(*cells: str) -> str:
    escaped = [cell.replace("|", r"\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def _number(seconds: float) -> str:
    """Formats seconds with at most three significant digits, to a tenth of a millisecond."""
    digits = next((digits for least, digits in ((100, 0), (10, 1), (0.1, 2), (0.01, 3)) if seconds >= least), 4)
    return f"{seconds:.{digits}f}"


def _times(ratio: float) -> str:
    return f"{ratio:.{0 if ratio >= 100 else 1 if ratio >= 1 else 2}f}"


def _run(side: Side, bound: Bound) -> float:
    """Returns the time of a side that a bound is about."""
    spent: Spent = side.cold if bound.of == "cold" else side.warm
    return spent.cpu if bound.clock == "cpu" else spent.wall


def asked(bound: Bound) -> str:
    """Returns a bound in words.

    Examples:
        >>> asked(Bound(faster=5, megabytes=350, of="cold"))
        'cold ratio 5, 350 MB'
        >>> asked(Bound())
        ''
    """
    said = [
        f"ratio {bound.faster:g}" if bound.faster is not None else "",
        f"ratio {1 / bound.longer:.2g}" if bound.longer is not None else "",
        _bound(bound.seconds) if bound.seconds is not None else "",
        f"{_bound(bound.more)} more" if bound.more is not None else "",
        f"{bound.megabytes} MB" if bound.megabytes is not None else "",
    ]
    said = [each for each in said if each]
    of = [*(["cold"] if bound.of == "cold" else []), *(["CPU"] if bound.clock == "cpu" else [])]
    return " ".join([*of, ", ".join(said)]) if said else ""


def _bound(seconds: float) -> str:
    return f"{seconds:g} s" if seconds >= 0.1 else f"{seconds * 1000:g} ms"


def reached(bound: Bound, row: Row) -> str:
    """Returns whether a bound is reached, and the factor by which it is missed; "open" if a bound on time was missed on a busy machine; empty without a bound.

    Examples:
        >>> from dataclasses import replace
        >>> side = Side(Spent(2.0, 2.0), Spent(1.0, 1.0), 400_000_000)
        >>> row = Row(side, Side(Spent(8.0, 8.0), Spent(8.0, 8.0), 0), Occasion("", 0.0, "", ""))
        >>> (
        ...     reached(Bound(seconds=1.5, of="cold"), row),
        ...     reached(Bound(faster=5), row),
        ...     reached(Bound(megabytes=200), row),
        ... )
        ('missed 1.3x', 'met', 'missed 2.0x')
        >>> reached(Bound(seconds=0.5), replace(row, occasion=Occasion("", 8.5, "", "")))
        'open'
    """
    ours, beside = _run(row.ours, bound), _run(row.beside, bound)
    by_clock = [
        share
        for share in (
            None if bound.seconds is None else ours / bound.seconds,
            None if bound.faster is None else bound.faster * ours / beside,
            None if bound.longer is None else ours / (bound.longer * beside),
            None if bound.more is None else (ours - beside) / bound.more,
        )
        if share is not None
    ]
    of_memory = [] if bound.megabytes is None else [row.ours.peak / (1e6 * bound.megabytes)]
    busy = row.occasion.load > BUSY
    missed = max(of_memory if busy and max(of_memory, default=0) > 1 else [*by_clock, *of_memory], default=None)
    if missed is None:
        return ""
    if missed <= 1:
        return "met"
    return "open" if busy and missed not in of_memory else f"missed {missed:.1f}x"
