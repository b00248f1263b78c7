"""Measures the benchmarks, and writes their page: ``python -m benchmarks.page``; `docs/benchmarks.md` describes the options.

The figures of each benchmark are stored immediately, so that ``--resume`` continues an interrupted run. A benchmark that fails
keeps its old figures, and the run continues. Data are generated once, in ``--folder``; the data of ``--large`` are removed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeVar

from benchmarks.measure import grown, measured
from benchmarks.measured import FIGURES, Measured, Occasion, kept, read
from benchmarks.rendered import page
from benchmarks.works import MEASURABLE
from benchmarks.works.base import Data, Growth, Work
from benchmarks.works.files import LARGE
from inexmetrics.common.messages import did_you_mean

__all__ = ["PAGE", "main"]

T = TypeVar("T")

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "benchmarks.md"


def options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="the works or growths to measure; all others keep their figures")
    parser.add_argument("--resume", action="store_true", help="measure what has no figures of today")
    parser.add_argument("--large", action="store_true", help="measure also what needs gigabytes of files")
    parser.add_argument(
        "--trec-eval",
        type=Path,
        metavar="PATH",
        help="the C program trec_eval, as its Makefile compiles it: measure also what is compared with it",
    )
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "inexmetrics-benchmarks", help="of generated data")
    parser.add_argument("--into", type=Path, help="a folder for page and figures, in place of the documentation's")
    parser.add_argument("--tiny", action="store_true", help="tiny data, to try the command; needs --into")
    parser.add_argument("--write", action="store_true", help="measure nothing: write the page from the figures that are kept")
    parser.add_argument("--check", action="store_true", help="measure nothing: tell whether the page is what the figures make")
    asked = parser.parse_args(arguments)
    if asked.trec_eval is not None and shutil.which(asked.trec_eval) is None:
        parser.error(f"--trec-eval: expected a program, found {asked.trec_eval}")
    names = [each.name for each in MEASURABLE]
    for name in asked.only or ():
        if name not in names:
            parser.error(f"expected the name of a work, found {name}; {did_you_mean(name, names) or ', '.join(names)}")
    if asked.tiny and asked.into is None:
        parser.error("figures of tiny data are not for the documentation: name a folder with --into")
    return asked


def chosen(asked: argparse.Namespace, held: Measured) -> Iterator[Work | Growth]:
    """Returns the benchmarks to be measured, in the order of the page."""
    today = f"{datetime.now(UTC):%Y-%m-%d}"

    def fresh(occasion: Occasion | None) -> bool:
        return occasion is not None and occasion.when.startswith(today)

    for each in MEASURABLE:
        found = held.rows.get(each.name) or held.growth.get(each.name)
        named = each.name in asked.only if asked.only else asked.large or isinstance(each, Growth) or not each.large
        if isinstance(each, Work) and each.by_trec_eval and asked.trec_eval is None:
            continue
        if isinstance(each, Work) and each.module and find_spec(each.module) is None:
            continue
        if named and not (asked.resume and found is not None and fresh(found.occasion)):
            yield each


def added(held: Measured, each: Work | Growth, data: Data) -> Measured:
    """Returns the earlier measurements, updated by the new measurements."""
    if isinstance(each, Growth):
        return in_order(replace(held, growth={**held.growth, each.name: grown(each, data)}))
    return in_order(replace(held, rows={**held.rows, each.name: measured(each, data)}))


def in_order(held: Measured) -> Measured:
    """Returns the measurements in the order of the page, without deleted benchmarks."""

    def those(found: Mapping[str, T]) -> dict[str, T]:
        return {each.name: found[each.name] for each in MEASURABLE if each.name in found}

    return Measured(those(held.rows), those(held.growth))


def draw() -> None:
    """Draws the page's picture again, if its data have changed."""
    from docs import pictures  # pictures reads every page, and the figures that this module has written

    for each in pictures.included():
        if each.page == PAGE and not pictures.current(each):
            each.file.write_text(pictures.picture(each))


def main(arguments: Sequence[str]) -> int:
    asked = options(arguments)
    figures, target = (FIGURES, PAGE) if asked.into is None else (asked.into / FIGURES.name, asked.into / PAGE.name)
    held = in_order(read(figures))
    if asked.check:
        same = target.exists() and target.read_text() == page(held)
        if not same:
            print(f"out of date: {target.name}; run python -m benchmarks.page --write", file=sys.stderr)
        return 0 if same else 1
    figures.parent.mkdir(parents=True, exist_ok=True)
    failed = []
    data = Data(asked.folder, asked.tiny, asked.trec_eval)
    try:
        for each in () if asked.write else tuple(chosen(asked, held)):
            start = time.perf_counter()
            try:
                held = added(held, each, data)
            except (RuntimeError, AssertionError) as error:
                failed.append(each.name)
                print(f"{each.name}: {error}", file=sys.stderr)
            else:
                kept(held, figures)
            print(f"{time.perf_counter() - start:6.1f} s  {each.name}", flush=True)
    finally:
        for name in LARGE:
            shutil.rmtree(data.folder / name, ignore_errors=True)
    kept(held, figures)
    target.write_text(page(read(figures)))  # read the stored figures, which have fewer digits than the measured figures
    if asked.into is None and held.growth:
        draw()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
