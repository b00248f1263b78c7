from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from benchmarks.sample.collections import DATA, SAMPLE, SAMPLE_SEED, Shape, coded, simulated, write
from inexmetrics.simulations.sample import TABLES, decoded, read

SMALL = Shape(documents=80, topics=3, systems=2, results=40)


@pytest.fixture(scope="module")
def anew() -> dict[str, pl.DataFrame]:
    return coded(SAMPLE, SAMPLE_SEED)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_the_packaged_sample_is_made_anew_bit_for_bit(anew: dict[str, pl.DataFrame], name: str) -> None:
    assert_frame_equal(anew[name], read(DATA)[name], check_exact=True)


def test_the_packaged_sample_is_small() -> None:
    assert {file.name for file in DATA.iterdir()} == {f"{name}.parquet" for name in TABLES}
    assert sum(file.stat().st_size for file in DATA.iterdir()) < 2_000_000


def test_tables_are_read_as_they_were_written(tmp_path: Path) -> None:
    tables = coded(SMALL, seed=3)
    write(tables, tmp_path / "new")
    again = read(tmp_path / "new")
    assert list(again) == list(TABLES)
    for name in TABLES:
        assert_frame_equal(again[name], tables[name], check_exact=True)


def test_a_collection_of_another_shape() -> None:
    collection = simulated(SMALL, seed=3)
    assert collection.topics == ("202", "203", "204")
    assert collection.runs is not None
    assert collection.runs.run_ids[:3] == ("group01-a", "group01-b", "group02-a")
    assert collection.runs.results.height == 20 * 3 * 40
    assert collection.fingerprint == decoded(coded(SMALL, seed=3)).fingerprint
    assert collection.fingerprint != simulated(SMALL, seed=4).fingerprint


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((63, 1, 1, 1, 1), "expected 64 to 180000 documents, found 63"),
        ((120, 1, 1, 1, 2), "expected 128 to 180000 documents, found 120"),
        ((200, 799, 1, 1, 1), "expected 1 to 798 topics, found 799"),
        ((200, 1, 0, 1, 1), "expected 1 to 26 systems, found 0"),
        ((200, 1, 1, 10_001, 1), "expected 1 to 10000 results, found 10001"),
        ((200, 1, 1, 1, 0), "expected 1 to 2000 density, found 0"),
    ],
)
def test_a_shape_out_of_bounds_is_refused(numbers: tuple[int, int, int, int, int], message: str) -> None:
    documents, topics, systems, results, density = numbers
    with pytest.raises(ValueError, match=f"^{message}$"):
        Shape(documents, topics, systems, results, density)
