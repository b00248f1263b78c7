"""Results beyond a number of bytes are in temporary files: the same data, the same scores, and memory that does not grow with the runs."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import Collection, CollectionError, Runs, read_assessments, read_runs, run, write_runs
from inexmetrics.cli import main
from inexmetrics.common import disk
from inexmetrics.reading import parts

pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
RUNS, TOPICS, RESULTS = 12, 4, 20
FORMULA = "scores(MAP + nDCG@10)"


def lines(run_id: str, decimals: int, first_rank: int) -> str:
    random = np.random.default_rng(len(run_id) + decimals)
    written = []
    for topic in range(TOPICS):
        documents, scores = random.permutation(2 * RESULTS)[:RESULTS], np.sort(random.random(RESULTS))[::-1]
        for rank, (document, score) in enumerate(zip(documents.tolist(), scores.tolist(), strict=True), first_rank):
            written.append(f"{topic} Q0 d{document} {rank} {score:.{decimals}f} {run_id}\n")
    return "".join(written)


@pytest.fixture(params=["digits differ", "floats", "large ranks"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Qrels and a folder of runs, whose names alternate with those of their files."""
    folder, qrels = tmp_path / "runs", tmp_path / "qrels"
    folder.mkdir()
    for number in range(RUNS):
        decimals = 17 if request.param == "floats" and number % 3 == 0 else 2 + number % 2
        ranks = 40_000 if request.param == "large ranks" and number == 5 else 1
        (folder / f"{number:02d}.run").write_text(lines(f"r{7 * number % RUNS:02d}", decimals, ranks))
    qrels.write_text("".join(f"{topic} 0 d{document} {document % 3}\n" for topic in range(TOPICS) for document in range(0, 40, 3)))
    return qrels, folder


@contextmanager
def small_memory(kept: int = 1000) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, "MEMORY", kept)
        patch.setattr(disk, "SIZE", 1 << 13)
        yield


def on_disk(runs: Runs) -> list[str]:
    """Returns the names of the columns with results in files."""
    stored = [range(at, at + len(held)) for held in disk.MAPS for at in [np.frombuffer(held, np.uint8).ctypes.data]]

    def is_stored(chunk: pl.Series) -> bool:
        return any(chunk.to_numpy(allow_copy=False).ctypes.data in there for there in stored)

    columns = [column for column in runs.packed if column.dtype.is_numeric() and not column.null_count()]
    return [column.name for column in columns if any(map(is_stored, column.get_chunks()))]


def read(files: tuple[Path, Path], executor: Executor | None = None) -> tuple[Runs, Collection]:
    qrels, folder = files
    runs = read_runs(folder, executor=executor)
    return runs, Collection(read_assessments(qrels), runs)


any_files = pytest.mark.parametrize("files", ["floats"], indirect=True)


@pytest.mark.parametrize("kept", [0, 1000, 5000])
def test_the_same_data_scores_and_warnings(kept: int, files: tuple[Path, Path]) -> None:
    runs, whole = read(files)
    with small_memory(kept):
        stored, collection = read(files)
    assert on_disk(runs) == []
    assert on_disk(stored) == ["document", "rank", "score"]
    assert stored.packed.equals(runs.packed)
    assert stored.packed.schema == runs.packed.schema
    assert stored.results.equals(runs.results)
    assert stored.decimals == runs.decimals
    assert (stored.warnings, collection.warnings) == (runs.warnings, whole.warnings)
    assert collection.fingerprint == whole.fingerprint
    assert run(FORMULA, collection).to_json() == run(FORMULA, whole).to_json()
    names, topics = ["r01", "r05"], ["1", "2"]
    assert collection.only(names, topics).fingerprint == whole.only(names, topics).fingerprint


def test_runs_that_alternate_between_tables(files: tuple[Path, Path], tmp_path: Path) -> None:
    runs, whole = read(files)
    for place in range(3):
        write_runs(runs.only(runs.run_ids[place::3]), tmp_path / f"{place}.parquet", "parquet")
    tables = sorted(tmp_path.glob("*.parquet"))
    with small_memory():
        stored = read_runs(tables)
    assert on_disk(stored) == ["document", "rank", "score"]
    assert Collection(whole.assessments, stored).fingerprint == whole.fingerprint
    assert stored.results.equals(read_runs(tables).results)


@any_files
@pytest.mark.parametrize(
    "pool", [partial(ThreadPoolExecutor, 2), partial(ProcessPoolExecutor, 2, get_context("spawn"))], ids=["threads", "processes"]
)
def test_executors(pool: Callable[[], Executor], files: tuple[Path, Path]) -> None:
    _, whole = read(files)
    with pool() as executor, small_memory():
        stored, collection = read(files, executor)
        assert on_disk(stored) == ["document", "rank", "score"]
        assert collection.fingerprint == whole.fingerprint
        tested = "significance(MAP | bootstrap)"
        assert run(tested, collection, executor=executor).to_json() == run(tested, whole).to_json()


@any_files
def test_pickled_and_copied_runs_have_their_results(files: tuple[Path, Path]) -> None:
    runs, _ = read(files)
    with small_memory():
        stored, _ = read(files)
    pickled, copied = pickle.loads(pickle.dumps(stored)), copy.deepcopy(stored)
    del stored
    assert on_disk(pickled) == []
    assert pickled.results.equals(runs.results)
    assert copied.results.equals(runs.results)


def test_positions_stay_in_memory(tmp_path: Path) -> None:
    written = "1 Q0 d 1 3.5 r 0 10\n1 Q0 d 2 2.5 r X X\n1 Q0 e 3 1.5 r 5 9\n"
    (tmp_path / "1.fol").write_text(written)
    (tmp_path / "2.fol").write_text(written.replace(" r ", " s ").replace("X", "7"))
    whole = read_runs(tmp_path)
    with small_memory(0):
        stored = read_runs(tmp_path)
    assert stored.packed.equals(whole.packed)
    assert {"document", "rank", "score"} <= {*on_disk(stored)}


@any_files
def test_a_folder_of_temporary_files_that_cannot_be_written_is_one_error(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, folder = files
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    assert read_runs(folder).packed.height == RUNS * TOPICS * RESULTS  # which needs no file
    with small_memory():
        with pytest.raises(
            CollectionError, match=r"^expected room in the folder .*/none\) for the results beyond 0 MB, found: No such file"
        ):
            read_runs(folder)
        assert main([FORMULA, "--assessments", str(qrels), "--runs", str(folder)]) == 1
    told = capsys.readouterr().err
    assert told.startswith("error: expected room in the folder of temporary files")
    assert told.endswith("found: No such file or directory; the environment variable TMPDIR names another folder\n")
    assert told.count("\n") == 1


@any_files
def test_more_results_than_a_table_has_rows(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST", RUNS * TOPICS * RESULTS)
    read(files)
    monkeypatch.setattr(parts, "MOST", RUNS * TOPICS * RESULTS - 1)
    with pytest.raises(CollectionError, match=r"^expected at most 959 results, found more; score the files in several parts"):
        read(files)


LIMITED = """
import resource, sys
from inexmetrics import read_runs
from inexmetrics.common import disk
disk.MEMORY = 0
resource.setrlimit(resource.RLIMIT_FSIZE, (disk.SIZE // 2, resource.RLIM_INFINITY))
read_runs(sys.argv[1])
"""


@any_files
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is that of Linux")
def test_a_limit_of_file_sizes_is_one_error(files: tuple[Path, Path]) -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED, str(files[1])], capture_output=True, text=True, check=False, timeout=60)
    assert "CollectionError: expected room in the folder of temporary files" in done.stderr
    assert "found: File too large; the environment variable TMPDIR names another folder" in done.stderr


@any_files
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted as on Linux")
def test_files_are_deleted_with_the_runs(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))

    def opened() -> list[str]:
        targets = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
        return [target for target in targets if target.startswith(str(place))]

    with small_memory():
        stored = read_runs(files[1])
    assert opened()
    assert not [*place.iterdir()]
    del stored
    assert not opened()


PEAK = """
import resource, sys
import numpy, polars
from inexmetrics import Collection, read_assessments, read_runs, run
from inexmetrics.common import disk

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

disk.MEMORY = 10**6
qrels, folder = sys.argv[1:]
run("scores(MAP + nDCG@10)", Collection(read_assessments(qrels), read_runs(f"{folder}/000.run")))
floor = peak()
collection = Collection(read_assessments(qrels), read_runs(folder))
collection.fingerprint
run("scores(MAP + nDCG@10)", collection)
print(peak() - floor)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted as on Linux")
def test_four_times_the_runs_need_the_same_memory(tmp_path: Path) -> None:
    topics, results, qrels = 30, 1000, tmp_path / "qrels"
    random = np.random.default_rng(1)
    ranked = [
        (topic, rank, document) for topic in range(topics) for rank, document in enumerate(random.permutation(2000)[:results].tolist())
    ]
    written = "".join(f"{topic} Q0 d{document} {rank} {results - rank} r000\n" for topic, rank, document in ranked).encode()
    qrels.write_text("".join(f"{topic} 0 d{document} {document % 2}\n" for topic in range(topics) for document in range(50)))
    peaks = []
    for runs in (40, 160):
        folder = tmp_path / str(runs)
        folder.mkdir()
        for number in range(runs):
            (folder / f"{number:03d}.run").write_bytes(written.replace(b"r000", b"r%03d" % number))
        done = subprocess.run(
            [sys.executable, "-c", PEAK, str(qrels), str(folder)], capture_output=True, text=True, check=True, timeout=300
        )
        peaks.append(int(done.stdout))
        for file in folder.iterdir():
            file.unlink()
    assert peaks[1] <= 1.3 * peaks[0]
