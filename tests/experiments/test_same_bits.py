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


@pytest.mark.filterwarnings("ignore:the smallest p-value of bootstrap")
@pytest.mark.parametrize(
    ("formula", "digests"),
    [
        ("scores(MAP)", {"scores": "3010baf20e57db89", "per_topic": "d6b1a6b489d647b3"}),
        ("scores(MAgP + iP@0.01)", {"scores": "c74d4925bce6421b", "per_topic": "18ca223220dc5461"}),
        ("scores(MAep ~ Gen5)", {"scores": "4518e38e29a8887f", "per_topic": "806b62aee8c908a5"}),
        ("scores(EPRUM@0.5 ~ BinExh)", {"scores": "87739e44f8534a41", "per_topic": "ca885c8a87ae5df3"}),
        ("agreement(MAep ~ Gen5 + BinExh | bootstrap)", {"agreement": "206cc783d3dfed06"}),
        ("degradation(MAep ~ Gen5, moves=(0, 0.5))", {"degradation": "74323673f24e514c"}),
        ("assessors(MAP, sets=50)", {"switches": "8907106176e165f8", "leaders": "0444d72cd5eabdde", "summary": "13f3053a06a35b67"}),
        ("fidelity(MAgP + MAP)", {"means": "76e5cf13f84512d1", "orderings": "a6f454d2e3b71018"}),
    ],
)
def test_what_the_package_computes_has_the_same_bits(formula: str, digests: dict[str, str]) -> None:
    result = run(formula, sample())
    assert {name: digest(result.tables[name]) for name in digests} == digests


def test_what_scipy_computes_is_equal_but_for_last_digits() -> None:
    first = run("scores(MAP)", sample()).table.row(0, named=True)
    np.testing.assert_allclose([first["low"], first["high"]], [0.39924180997236103, 0.6391235637807051], rtol=1e-12)
    orderings = run("fidelity(MAgP + MAgPsize + MAP)", sample()).tables["orderings"]
    np.testing.assert_allclose(orderings["p_value"][:2], [1.0734988943634647e-11, 9.92768766201697e-07], rtol=1e-12)
