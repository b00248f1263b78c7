"""The page of benchmarks, generated only from the table of benchmarks and their measurements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks.figure import exponent
from benchmarks.measured import Grown, Measured, Occasion, Row
from benchmarks.timing import Side, Spent
from benchmarks.works import GROWING, MEASURABLE, SECTIONS
from benchmarks.works.base import Bound, Growth, Section, Work

__all__ = ["asked", "page", "reached"]

PICTURE: Final = (
    "![CPU time against the number of runs, topics, results per topic and resamples, on logarithmic axes]"
    "(<pictures/benchmarks-growth.svg> 'python -m benchmarks.page')"
)
HEAD: Final = """\
---
description: Time and memory of inexmetrics, compared with pytrec_eval or with a necessary part of the task, and the increase of time with the size of the data.
search: {{exclude: true}}
---
<!-- Written by `python -m benchmarks.page` from benchmarks/works and benchmarks/measured.json; change them there. -->
# Benchmarks: time and memory

{answer}"""
METHOD: Final = """
## How it was measured

Each task is run alternately with a baseline: another program that performs the same task, or a part of the task that cannot be avoided.
The measurements were made on the following machines and versions:

"""
HOW: Final = """\

* The column *bound* says whether the task meets its target for an idle machine, and if not, by what factor it misses the target. A *ratio* is the time of the baseline divided by that of the task.
* Times are wall times: of the first run in a new process after the input files were dropped from the kernel's cache, if the bound is *cold*, and else the median of later runs (*warm*).
* The column *memory* has the peak memory of the process, with libraries and data (1 MB is 10^6 bytes).
* Linear algebra uses one thread (`OMP_NUM_THREADS=1`), resampling up to four, and reading as many as polars chooses.
* If a time limit was exceeded while the load average was above {busy:g}, the bound is *open*, because the cause may be the load.

```text
python -m benchmarks.page                    # measure all tasks and write this page: about ten minutes
python -m benchmarks.page --only bootstrap   # measure one or several tasks, by name
python -m benchmarks.page --resume           # measure the tasks that were not measured today
python -m benchmarks.page --trec-eval PATH   # also compare with the C program trec_eval
python -m benchmarks.page --large            # include tasks of several gigabytes, and remove their files
```
"""
GROWTH: Final = """
## How seconds grow

{picture}Each time is the CPU time of one call, the median of three. The *exponent* is the slope of the line through the times on logarithmic axes: with 1, doubling the size doubles
the time; with 2, it multiplies the time by four. The column *last step* has the exponent of the two largest sizes, which fixed costs affect least.

| task | varied size | range | other sizes | seconds | exponent | last step | name |
|---|---|---:|---|---:|---:|---:|---|
"""
BUSY: Final = 3.0
"""Load of the machine above which other programs slow down the measured processes, which use up to two processors."""
UNMEASURED: Final = "—"
SPACE: Final = "\N{NO-BREAK SPACE}"
"""Space between a number and its unit, which prevents a line break."""


def page(measured: Measured) -> str:
    """Return the page, in Markdown: the summary, the tasks, and the method of measurement."""
    parts = [HEAD.format(answer=_answer(measured))]
    for section in SECTIONS:
        parts += _section(section, measured)
    parts += [GROWTH.format(picture=f"{PICTURE}\n\n" if measured.growth else "")]
    parts += [f"{_growth_row(growth, measured.growth.get(growth.name))}\n" for growth in GROWING]
    return "".join([*parts, METHOD, *_occasions(measured), HOW.format(busy=BUSY)])


def _answer(measured: Measured) -> str:
    """Returns sentences on the first command and on reading and scoring files."""
    first, files = measured.rows.get("first-command"), measured.rows.get("files")
    if first is None or files is None:
        return ""
    return (
        f"The first command in the README takes {_time(first.ours.cold.wall)}. Computing MAP and nDCG@10 for 70 runs, 34 topics and 1500 results per topic (270 MB of text) takes "
        f"{_time(files.ours.cold.wall)} and {files.ours.peak / 1e6:.0f}{SPACE}MB of memory. inexmetrics is {_times(files.beside.cold.wall / files.ours.cold.wall)} times as fast as pytrec_eval "
        "on this task. All of these times are for cold processes. The columns of the tables are explained in [How it was measured](#how-it-was-measured).\n"
    )


def _occasions(measured: Measured) -> Iterator[str]:
    """Yields the dates and machines of the measurements: one line for each machine with its versions."""
    there: dict[tuple[str, str], list[Occasion]] = {}
    occasions = [*(row.occasion for row in measured.rows.values()), *(grown.occasion for grown in measured.growth.values())]
    for occasion in sorted(occasions, key=lambda occasion: occasion.when):
        there.setdefault((occasion.machine, occasion.versions), []).append(occasion)
    if not there:
        yield "* nothing has been measured yet\n"
    for (machine, versions), of_it in there.items():
        days = [occasion.when for occasion in of_it]
        loads = [occasion.load for occasion in of_it]
        on = f"from {days[0]} to {days[-1]} UTC" if days[0] != days[-1] else f"at {days[0]} UTC"
        load = f"{min(loads)}" if min(loads) == max(loads) else f"{min(loads)} to {max(loads)}"
        yield f"* {machine}, {versions}: {len(of_it)} of {len(MEASURABLE)} rows, measured {on}; load of the machine before each measurement: {load}\n"


def _section(section: Section, measured: Measured) -> Iterator[str]:
    yield f"\n## {section.title}\n\n{section.text}\n\n"
    yield "| task | bound | time | baseline | memory |\n|---|---|---:|---|---:|\n"
    works = [work for work in section.works if work.name in measured.rows or not work.by_trec_eval]
    missed = []
    for work in works:
        row = measured.rows.get(work.name)
        yield f"{_row(work, row)}\n"
        if row is not None and reached(work.bound, row).startswith("no"):
            missed.append(f"* `{work.name}`: {work.limits}\n")
    if missed:
        yield "\nWhat limits the tasks that miss their bounds:\n\n"
        yield from missed


def _row(work: Work, row: Row | None) -> str:
    what, beside = f"{work.what} (`{work.name}`)", work.beside.removeprefix("is ")
    if row is None:
        return _cells(what, _verdict(work.bound, UNMEASURED), UNMEASURED, beside, UNMEASURED)
    of = work.bound.of
    memory = f"{row.ours.peak / 1e6:.0f}{SPACE}MB"
    return _cells(
        what,
        _verdict(work.bound, reached(work.bound, row)),
        _time(_run(row.ours, of).wall),
        f"{beside}: {_time(_run(row.beside, of).wall)}",
        memory,
    )


def _verdict(bound: Bound, said: str) -> str:
    """Returns whether a bound is reached, with the bound."""
    return f"{said} ({asked(bound)})" if asked(bound) else ""


def _growth_row(growth: Growth, grown: Grown | None) -> str:
    sizes = f"{growth.sizes[0]:,} to {growth.sizes[-1]:,}"
    if grown is None:
        return _cells(growth.what, growth.along, sizes, growth.rest, *[UNMEASURED] * 3, f"`{growth.name}`")
    first, *_, last = grown.cpu.values()
    powers = (exponent(grown.cpu)[0], exponent(dict([*grown.cpu.items()][-2:]))[0])
    seconds = f"{_time(first)} to {_time(last)}"
    return _cells(growth.what, growth.along, sizes, growth.rest, seconds, *(f"{power:.2f}" for power in powers), f"`{growth.name}`")


def _cells(*cells: str) -> str:
    escaped = [cell.replace("|", r"\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def _time(seconds: float) -> str:
    """Formats seconds, or milliseconds below 0.1 s, with at most three digits."""
    if seconds < 0.1:
        return f"{seconds * 1000:.{0 if seconds >= 0.01 else 1}f}{SPACE}ms"
    return f"{seconds:.{0 if seconds >= 100 else 1 if seconds >= 10 else 2}f}{SPACE}s"


def _times(ratio: float) -> str:
    return f"{ratio:.{0 if ratio >= 100 else 1 if ratio >= 1 else 2}f}"


def _run(side: Side, of: str) -> Spent:
    return side.cold if of == "cold" else side.warm


def asked(bound: Bound) -> str:
    """Returns a bound in words.

    Examples:
        >>> asked(Bound(faster=5, megabytes=350, of="cold"))
        'ratio ≥ 5, ≤ 350 MB, cold'
        >>> asked(Bound())
        ''
    """
    said = [
        f"ratio ≥ {bound.faster:g}" if bound.faster is not None else "",
        f"ratio ≥ {1 / bound.longer:g}" if bound.longer is not None else "",
        f"≤ {_bound(bound.seconds)}" if bound.seconds is not None else "",
        f"≤ {_bound(bound.more)} more" if bound.more is not None else "",
        f"≤ {bound.megabytes} MB" if bound.megabytes is not None else "",
    ]
    said = [each for each in said if each]
    return f"{', '.join(said)}, {bound.of}" if said else ""


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
        ('no: missed by a factor of 1.3', 'yes', 'no: missed by a factor of 2.0')
        >>> reached(Bound(seconds=0.5), replace(row, occasion=Occasion("", 8.5, "", "")))
        'open'
    """
    ours, beside = _run(row.ours, bound.of).wall, _run(row.beside, bound.of).wall
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
        return "yes"
    return "open" if busy and missed not in of_memory else f"no: missed by a factor of {missed:.1f}"
