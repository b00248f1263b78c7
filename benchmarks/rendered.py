"""The page of what was measured, made of the table of works and of their figures alone."""

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
    "![CPU seconds by number of runs, topics, results per topic and resamples, on logarithmic axes]"
    "(<pictures/benchmarks-growth.svg> 'python -m benchmarks.page')"
)
HEAD: Final = """\
---
description: Time and memory of inexmetrics, compared with pytrec_eval or with a necessary part of the task, and the growth of time with the size of the data.
---
<!-- Written by `python -m benchmarks.page` from benchmarks/works and benchmarks/measured.json; change them there. -->
# Benchmarks: time and memory

{answer}"""
METHOD: Final = """
## How it was measured

Each task is compared with another program for the same task, or with a necessary part of the task. The task and its comparison are measured alternately.
The column *bound reached* gives the target for an idle machine and whether the task reaches this target. The figures were measured on these machines and versions:

"""
HOW: Final = """\

* *Cold* is the first run in a fresh process, after its input files were dropped from the kernel's cache.
* *Warm* is the median of the runs after the first run. If the task is a command, each run is a whole process.
* Times are wall times. The CPU time of all processors (user and system) is in parentheses. Other programs on the machine change wall time a lot, but CPU time only a little.
* *Memory* is the peak memory of the process, including libraries and data (1 MB is 10^6 bytes).
* *Ratio* is the time of the comparison divided by the time of the task, for wall time and (in parentheses) for CPU time. A ratio of 5 means that the task is five times as fast as the comparison.
* Linear algebra uses one thread (`OMP_NUM_THREADS=1`), resampling uses up to four threads, and polars chooses the number of threads for reading.
* The machine is rented, and its speed varies by a factor of up to 1.6. Within one measurement, this affects the task and its comparison equally.
* A bound on time is *open* if the task missed the bound while the load of the machine was above {busy:g}.

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

{picture}Times are the CPU time of one call: the median of three calls after a warm-up call. The *exponent* is the slope of the least-squares line on
logarithmic axes. With exponent 1, twice the data take twice as long; with exponent 2, four times as long. Constant costs lower the exponent. The exponent of the *last
step*, between the two largest sizes, is less affected by constant costs. Both exponents describe only the range of sizes in the table.

| task | grows | range | other sizes | seconds | exponent | last step | name |
|---|---|---:|---|---:|---:|---:|---|
"""
BUSY: Final = 3.0
"""A load of the machine above which others' programs run beside what is measured, which itself takes up to two processors."""
UNMEASURED: Final = "—"
SPACE: Final = "\N{NO-BREAK SPACE}"
"""Between a figure and its unit, which stay on one line."""


def page(measured: Measured) -> str:
    """Return the page, in Markdown: the answer, the tasks, and how they were measured."""
    parts = [HEAD.format(answer=_answer(measured))]
    for section in SECTIONS:
        parts += _section(section, measured)
    parts += [GROWTH.format(picture=f"{PICTURE}\n\n" if measured.growth else "")]
    parts += [f"{_growth_row(growth, measured.growth.get(growth.name))}\n" for growth in GROWING]
    return "".join([*parts, METHOD, *_occasions(measured), HOW.format(busy=BUSY)])


def _answer(measured: Measured) -> str:
    """Sentences on the first command and on reading and scoring files."""
    first, files = measured.rows.get("first-command"), measured.rows.get("files")
    if first is None or files is None:
        return ""
    return (
        f"The README's first command takes {_time(first.ours.cold.wall)}. MAP and nDCG@10 of 70 runs x 34 topics x 1500 results, 270 MB of text, take "
        f"{_time(files.ours.cold.wall)} and {files.ours.peak / 1e6:.0f}{SPACE}MB of memory: {_times(files.beside.cold.wall / files.ours.cold.wall)} times as fast "
        "as pytrec_eval. Both times are of cold processes. [How it was measured](#how-it-was-measured) explains the columns of the tables.\n"
    )


def _occasions(measured: Measured) -> Iterator[str]:
    """When and on what: one line for each machine with its versions."""
    there: dict[tuple[str, str], list[Occasion]] = {}
    occasions = [*(row.occasion for row in measured.rows.values()), *(grown.occasion for grown in measured.growth.values())]
    for occasion in sorted(occasions, key=lambda occasion: occasion.when):
        there.setdefault((occasion.machine, occasion.versions), []).append(occasion)
    if not there:
        yield "* nothing was measured yet\n"
    for (machine, versions), of_it in there.items():
        days = [occasion.when for occasion in of_it]
        loads = [occasion.load for occasion in of_it]
        on = f"{days[0]} to {days[-1]} UTC" if days[0] != days[-1] else f"{days[0]} UTC"
        yield f"* {machine}, {versions}: {on}, {len(of_it)} of {len(MEASURABLE)} rows, load of the machine before each row {min(loads)} to {max(loads)}\n"


def _section(section: Section, measured: Measured) -> Iterator[str]:
    yield f"\n## {section.title}\n\n{section.text}\n\n"
    yield "| task | bound reached | cold | warm | memory | ratio: cold / warm |\n|---|---|---:|---:|---:|---:|\n"
    works = [work for work in section.works if work.name in measured.rows or not work.by_trec_eval]
    for work in works:
        yield f"{_row(work, measured.rows.get(work.name))}\n"
    yield "\nThe following list gives the comparison of each task, and the part of the task that limits its speed:\n\n"
    for work in works:
        yield f"* `{work.name}`, compared with {_beside(work, measured.rows.get(work.name))}. {work.limits}\n"


def _row(work: Work, row: Row | None) -> str:
    what = f"{work.what} (`{work.name}`)"
    if row is None:
        return _cells(what, _verdict(work.bound, UNMEASURED), *[UNMEASURED] * 4)
    seconds = (_seconds(row.ours.cold), _seconds(row.ours.warm))
    memory = f"{row.ours.peak / 1e6:.0f}{SPACE}MB"
    return _cells(what, _verdict(work.bound, reached(work.bound, row)), *seconds, memory, f"{_ratio(row, 'cold')} / {_ratio(row, 'warm')}")


def _verdict(bound: Bound, said: str) -> str:
    """Whether what is asked is reached, and what that is."""
    return f"{said} ({asked(bound)})" if asked(bound) else ""


def _beside(work: Work, row: Row | None) -> str:
    """What stands beside a work, and what it took."""
    if row is None:
        return work.beside
    return f"{work.beside}: {_seconds(row.beside.cold)} cold, {_seconds(row.beside.warm)} warm"


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


def _seconds(spent: Spent) -> str:
    return f"{_time(spent.wall)} ({_time(spent.cpu)})"


def _time(seconds: float) -> str:
    """Seconds, or milliseconds below a tenth of one, in three digits at most."""
    if seconds < 0.1:
        return f"{seconds * 1000:.{0 if seconds >= 0.01 else 1}f}{SPACE}ms"
    return f"{seconds:.{0 if seconds >= 100 else 1 if seconds >= 10 else 2}f}{SPACE}s"


def _times(ratio: float) -> str:
    return f"{ratio:.{0 if ratio >= 100 else 1 if ratio >= 1 else 2}f}"


def _run(side: Side, of: str) -> Spent:
    return side.cold if of == "cold" else side.warm


def _ratio(row: Row, of: str) -> str:
    """How many times as fast as what stands beside it, by the clock and by processors."""
    ours, beside = _run(row.ours, of), _run(row.beside, of)
    by_processors = _times(beside.cpu / ours.cpu) if ours.cpu else UNMEASURED
    return f"{_times(beside.wall / ours.wall)}{SPACE}({by_processors})"


def asked(bound: Bound) -> str:
    """What is to be reached, in words.

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
    """Whether it is, and by how much it is missed where it is not; open where that is about seconds of a machine that was busy then. Nothing where nothing is asked.

    Examples:
        >>> from dataclasses import replace
        >>> side = Side(Spent(2.0, 2.0), Spent(1.0, 1.0), 400_000_000)
        >>> row = Row(side, Side(Spent(8.0, 8.0), Spent(8.0, 8.0), 0), Occasion("", 0.0, "", ""))
        >>> (
        ...     reached(Bound(seconds=1.5, of="cold"), row),
        ...     reached(Bound(faster=5), row),
        ...     reached(Bound(megabytes=200), row),
        ... )
        ('no: 1.3 times', 'yes', 'no: 2.0 times')
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
    return "open" if busy and missed not in of_memory else f"no: {missed:.1f} times"
