"""Checks that results have the same bits on every kind of machine and with every kind of executor.

``python -m benchmarks.same_bits`` evaluates every formula of `benchmarks.same_results` again under each variation in the table below, each in
a separate process, and compares the bytes with those of the first process, which is not varied. ``--only WORD…`` selects variations
whose names contain a word, and ``--sample`` selects formulas that do not need real data. ``--python PATH…`` adds other interpreters, in
which the dependencies are installed, and ``--keep FOLDER`` keeps the results in this folder.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib
import importlib.util
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Final
from unittest.mock import patch

import numpy as np

from benchmarks.same_results import GENERATED, REAL, SOURCES, compare, write

ROOT: Final = Path(__file__).resolve().parents[1]
SIZES: Final = (
    "inference.expected_quantiles.DIFFERENCES",
    "inference.means.CELLS",
    "inference.prediction_powered.CELLS",
    "inference.resampling.CHUNK",
    "inference.bootstrap.CHUNK",
    "inference.resampling.RUNS",
    "inference.resampling.SUMS",
    "inference.resampling.WORK",
    "inference.resampling.NEAR",
    "inference.resampling.WEIGHTS",
    "inference.all_pairs.CHUNK",
    "experiments.assessors.set_scores.WORK",
    "ranking.judged_runs.BATCH",
    "ranking.focused.PAIRS",
    "ranking.navigation.ideal_lists.BLOCK",
    "retrieval.flex.BATCH",
    "retrieval.index.BATCH",
    "common.elementary.BLOCK",
)
"""Constants that determine the size of batches; the constants of resampling remain multiples of its blocks of resamples."""
BY_SCORE: Final = ("indri_docs.run.gz", "trec_eval_results.test", "inex2009-2010.qrels.gz", "bic.qrels.gz", "trec_eval_qrels.test")
"""Files in which the order of lines has no meaning."""
SLOW_LIBRARY: Final = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL"


@dataclass(frozen=True, slots=True)
class Variation:
    """A variation of the environment.

    Attributes:
        name: Its name in the table.
        environment: Environment variables of the evaluating process.
        way: The name of the change in that process, one of `WAYS`.
        arguments: Arguments of the interpreter.
        warned_alike: Whether warnings are the same; if not, warnings name other lines.
        there: Whether this machine supports the variation.
    """

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    way: str = "as it is"
    arguments: tuple[str, ...] = ()
    warned_alike: bool = True
    there: bool = True


def threads(blas: int) -> dict[str, str]:
    return {"OMP_NUM_THREADS": str(blas), "OPENBLAS_NUM_THREADS": str(blas)}


def without(*levels: str) -> dict[str, str]:
    """Returns an environment in which numpy ignores the instruction sets whose names contain one of the levels; without levels, all of them."""
    found = [str(name) for name in np.show_config(mode="dicts")["SIMD Extensions"].get("found", ())]
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(name for name in found if not levels or any(level in name for level in levels))}


def here(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def forked() -> bool:
    return "fork" in multiprocessing.get_all_start_methods()


LINUX: Final = sys.platform == "linux"
OLD: Final = {**without(), "OPENBLAS_CORETYPE": "Prescott"}

VARIATIONS: Final = (
    Variation("nothing, once more"),
    *(Variation(f"polars on {count} threads", {"POLARS_MAX_THREADS": str(count)}) for count in (1, 2, 4)),
    *(Variation(f"BLAS on {count} threads", threads(count)) for count in (2, 4)),
    Variation("two threads as executor", way="threads"),
    Variation("two spawned processes", way="spawn"),
    Variation("3 spawned processes, parts of a tenth of the size", way="spawn, small parts"),
    Variation("two forked processes", way="fork", there=forked()),
    Variation("a dask cluster of two workers", way="dask", there=here("distributed")),
    Variation("parts of a tenth of the size", way="small parts"),
    Variation("parts of ten times the size", way="large parts"),
    Variation("files with their lines shuffled", way="shuffled", warned_alike=False, there=REAL.is_dir()),
    *(Variation(f"hash seed {seed}", {"PYTHONHASHSEED": seed}) for seed in ("1", "4242")),
    Variation("Turkish locale, time of Kiritimati", {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Kiritimati"}),
    Variation("locale C, without UTF-8", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    Variation("memory filled with other bytes", {"MALLOC_PERTURB_": "165", "PYTHONMALLOC": "malloc"}, there=LINUX),
    Variation("python -OO", arguments=("-OO",)),
    Variation("numpy without AVX-512", without("AVX512", "X86_V4")),
    Variation("numpy without AVX2 and above", without()),
    *(Variation(f"OpenBLAS for {core}", {"OPENBLAS_CORETYPE": core}) for core in ("Prescott", "Haswell", "SkylakeX")),
    Variation("both: a processor of 2008", OLD),
    Variation("the C library without AVX2 and FMA", {"GLIBC_TUNABLES": SLOW_LIBRARY}, there=LINUX),
)


@contextmanager
def of_dask() -> Iterator[Executor]:
    from distributed import Client, LocalCluster  # type: ignore[import-not-found,import-untyped,unused-ignore]

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
        yield client.get_executor()


def of_parts(factor: float) -> Iterator[tuple[ModuleType, str, int]]:
    """Yields the modules and names of the sizes of batches, and their sizes multiplied by a factor."""
    import inexmetrics.vocabulary  # noqa: F401  # loads every module

    for name in SIZES:
        module, _, constant = f"inexmetrics.{name}".rpartition(".")
        whole = importlib.import_module(module)
        size = int(getattr(whole, constant) * factor)
        yield whole, constant, max(size - size % 500, 500) if constant == "CHUNK" else max(size, 1)


@contextmanager
def in_parts(factor: float) -> Iterator[None]:
    """Changes the sizes of batches."""
    with contextlib.ExitStack() as until_done:
        for changed in of_parts(factor):
            until_done.enter_context(patch.object(*changed))
        yield


def resize(factor: float) -> None:
    """Changes the sizes of batches until the process ends."""
    for changed in of_parts(factor):
        setattr(*changed)


def processes(method: str) -> Executor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method))


@contextmanager
def processes_in_parts(factor: float) -> Iterator[Executor]:
    """Returns three processes with changed sizes of batches, which are changed here too."""
    context = multiprocessing.get_context("spawn")
    with in_parts(factor), ProcessPoolExecutor(3, mp_context=context, initializer=resize, initargs=(factor,)) as pool:
        yield pool


WAYS: Final[dict[str, Callable[[], AbstractContextManager[Executor | None]]]] = {
    "as it is": nullcontext,
    "threads": partial(ThreadPoolExecutor, 2),
    "spawn": partial(processes, "spawn"),
    "spawn, small parts": partial(processes_in_parts, 0.1),
    "fork": partial(processes, "fork"),
    "dask": of_dask,
    "small parts": partial(in_parts, 0.1),
    "large parts": partial(in_parts, 10.0),
    "shuffled": nullcontext,
}
"""Changes in the evaluating process, by name; files are shuffled before the process starts."""


def shuffled(folder: Path) -> Path:
    """Returns a copy of the real data with shuffled lines in the files in which the order of lines has no meaning."""
    shutil.copytree(REAL, folder)
    order = random.Random(34)
    for name in BY_SCORE:
        path = folder / name
        packed = path.suffix == ".gz"
        content = path.read_bytes()
        lines = (gzip.decompress(content) if packed else content).splitlines(keepends=True)
        order.shuffle(lines)
        path.write_bytes(gzip.compress(b"".join(lines), mtime=0) if packed else b"".join(lines))
    return folder


def answered(variation: Variation, python: Path, folder: Path, *, only_sample: bool, few: bool = False) -> str | None:
    """Runs a process that writes its results; returns the end of its error output, if the process failed."""
    environment = {**os.environ, **threads(1), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **variation.environment}
    with tempfile.TemporaryDirectory() as scratch:
        if variation.way == "shuffled":
            environment["REAL_DATA"] = str(shuffled(Path(scratch) / "data"))
        command = [str(python), *variation.arguments, "-m", "benchmarks.same_bits", "--answer", variation.way, "--keep", str(folder)]
        command += [*(["--sample"] if only_sample else []), *(["--few"] if few else [])]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip()[-400:]


def answer(way: str, folder: Path, sources: Collection[str], *, few: bool = False) -> bool:
    """Writes the results with one change, in this process."""
    if way == "fork":  # before polars has threads, because a forked process would lack them
        with WAYS[way]() as executor:
            assert executor is not None
            list(executor.map(abs, range(8)))
            return write(folder, executor, sources, few=few)
    with WAYS[way]() as executor:
        return write(folder, executor, sources, few=few)


def stripped(folder: Path) -> None:
    """Removes the warnings, which name lines, from results."""
    for path in folder.glob("*.json"):
        held = json.loads(path.read_text())
        if isinstance(held, dict):
            held.pop("warnings", None)
            path.write_text(json.dumps(held))


def compared(first: Path, other: Path, variation: Variation) -> bool:
    """Returns whether two folders of results are equal, and prints the differences."""
    if variation.warned_alike:
        return compare(first, other)
    with tempfile.TemporaryDirectory() as scratch:
        before = Path(shutil.copytree(first, Path(scratch) / "before"))
        after = Path(shutil.copytree(other, Path(scratch) / "after"))
        stripped(before)
        stripped(after)
        return compare(before, after)


def table(variations: Sequence[tuple[Variation, Path]], kept: Path, *, only_sample: bool, few: bool) -> int:
    """Evaluates the formulas under each variation and prints one row per variation; returns the number of variations with other results."""
    first = kept / "first"
    if problem := answered(Variation("nothing"), Path(sys.executable), first, only_sample=only_sample, few=few):
        sys.exit(problem)
    rows, unequal = [], 0
    for number, (variation, python) in enumerate(variations, start=1):
        if not variation.there:
            rows.append((variation.name, "not here"))
            continue
        other = kept / f"{number:02d}"
        print(f"== {variation.name}", flush=True)
        problem = answered(variation, python, other, only_sample=only_sample, few=few)
        same = problem is None and compared(first, other, variation)
        unequal += not same
        rows.append((variation.name, "equal" if same else problem or "differs"))
    print(f"\n| varied | the bytes of {len(list(first.glob('*.json')))} results |\n|---|---|")
    print("\n".join(f"| {name} | {found} |" for name, found in rows))
    return unequal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="WORD", help="take the variations whose names have one of these words")
    parser.add_argument("--sample", action="store_true", help="ask only what needs no real data")
    parser.add_argument("--few", action="store_true", help="ask two formulas of each experiment")
    parser.add_argument("--python", nargs="+", type=Path, default=[], metavar="PATH", help="other interpreters")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the answers are left")
    parser.add_argument("--answer", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not (options.sample or REAL.is_dir()):
        sys.exit(f"real data is not here: expected the folder {REAL}, or --sample")
    if options.answer:
        warnings.simplefilter("ignore")
        return 0 if answer(options.answer, options.keep, GENERATED if options.sample else SOURCES, few=options.few) else 1
    wanted = [
        variation
        for variation in VARIATIONS
        if options.only is None or any(word.lower() in variation.name.lower() for word in options.only)
    ]
    asked = [(variation, Path(sys.executable)) for variation in wanted]
    asked += [(Variation(str(python)), python) for python in options.python]
    with tempfile.TemporaryDirectory() as scratch:
        return 1 if table(asked, options.keep or Path(scratch), only_sample=options.sample, few=options.few) else 0


if __name__ == "__main__":
    sys.exit(main())
