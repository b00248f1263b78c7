"""Equal numbers under the lowest and the newest versions of numpy, polars and scipy: this file is one of those that run with the lowest.

The digests are those that numpy 2.0.0 and 2.4.6, scipy 1.13.0 and 1.17.1, polars 1.32.0 and 2.1.0 give.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import polars as pl
import pytest

from inexmetrics import run, sample

OF_SCIPY = {"low", "high", "p_value"}
"""Columns whose last digits are those of scipy's t distribution."""


def digest(table: pl.DataFrame) -> str:
    """Returns the first 16 digits of a hash of a table's floats, bit by bit, without columns computed by scipy."""
    floats = [name for name, dtype in table.schema.items() if dtype == pl.Float64 and name not in OF_SCIPY]
    return sha256(b"".join(table[name].fill_null(-1.0).to_numpy().tobytes() for name in floats)).hexdigest()[:16]


@pytest.mark.filterwarnings("ignore:the smallest p-value of bootstrap", "ignore:scores. one topic contributes more than a third")
@pytest.mark.parametrize(
    ("formula", "digests"),
    [
        ("scores(MAP)", {"scores": "b56b12ac4fbb22ac", "per_topic": "17a4d6affa47ffec"}),
        ("scores(MAgP + iP@0.01)", {"scores": "ae7a2f1d5b20e241", "per_topic": "876dfc11e2c9eb29"}),
        ("scores(MAep ~ Gen5)", {"scores": "8bb4c7dcf896f4b1", "per_topic": "6bc6c47084f422a7"}),
        ("scores(EPRUM@0.5 ~ BinExh)", {"scores": "4bafbeb664a0470e", "per_topic": "6202a2bab0e8397c"}),
        ("agreement(MAep ~ Gen5 + BinExh | bootstrap)", {"agreement": "a5c0a132d5111543"}),
        ("degradation(MAep ~ Gen5, moves=(0, 0.5))", {"degradation": "1b057e0edc1b1061"}),
        ("assessors(MAP, sets=50)", {"switches": "e05f93e536577578", "leaders": "7ef126a58cc0eeea", "summary": "c28bdfb0e8210df0"}),
        ("fidelity(MAgP + MAP)", {"means": "99f7884f8ef0f052", "orderings": "82ffe5f452181198"}),
    ],
)
def test_what_the_package_computes_has_the_same_bits(formula: str, digests: dict[str, str]) -> None:
    result = run(formula, sample())
    assert {name: digest(result.tables[name]) for name in digests} == digests


def test_what_scipy_computes_is_equal_but_for_last_digits() -> None:
    first = run("scores(MAP)", sample()).table.row(0, named=True)
    np.testing.assert_allclose([first["low"], first["high"]], [0.36359132476539546, 0.5326452188064795], rtol=1e-12)
    orderings = run("fidelity(MAgP + MAgPsize + MAP)", sample()).tables["orderings"]
    np.testing.assert_allclose(orderings["p_value"][:2], [5.748499452331631e-10, 3.491716962081825e-07], rtol=1e-12)
