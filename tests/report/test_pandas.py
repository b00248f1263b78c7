"""Results as pandas frames: the same values as polars' own conversion, without pyarrow."""

from __future__ import annotations

import subprocess
import sys

import pytest

from inexmetrics import Experiment, Result, parse, run, sample

pandas = pytest.importorskip("pandas")
FEW = sample().only(runs=["group01-a", "group02-a", "group03-a"])
FORMULAS = ("scores(MAep ~ Strict5)", "significance(MAP)", "ranks(MAP)", "curve(MAP)", "agreement(MAP + P@10)")


def result_of(formula: str) -> Result:
    return run(parse(formula, Experiment), FEW)


@pytest.mark.filterwarnings("ignore:scores. one topic contributes more than a third:inexmetrics.CollectionWarning")
@pytest.mark.parametrize("formula", FORMULAS)
def test_every_table_is_that_of_polars(formula: str) -> None:
    pytest.importorskip("pyarrow")
    result = result_of(formula)
    for name, table in result.tables.items():
        frame, expected = result.to_pandas(name), table.to_pandas()
        assert list(frame.columns) == list(expected.columns)
        nothing = [column.name for column in table if column.null_count() == table.height]
        assert frame[nothing].isna().all(axis=None)
        pandas.testing.assert_frame_equal(frame.drop(columns=nothing), expected.drop(columns=nothing))


def test_the_first_table_unless_named() -> None:
    result = result_of("significance(MAP)")
    pandas.testing.assert_frame_equal(result.to_pandas(), result.to_pandas("pairs"))
    with pytest.raises(ValueError, match=r"^expected the name of a table \(pairs, summary, runs\), found 'pair'; did you mean pairs\?$"):
        result.to_pandas("pair")


def without(package: str) -> subprocess.CompletedProcess[str]:
    """Returns the output of a process that cannot import a package."""
    code = f"""
import sys
sys.modules[{package!r}] = None
from inexmetrics import run, sample
frame = run("significance(MAP)", sample()).to_pandas()
print(list(frame.columns)[:3], len(frame))
"""
    return subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False, timeout=120)


def test_without_pyarrow() -> None:
    assert without("pyarrow").stdout == "['measure', 'quantisation', 'better'] 435\n"


def test_without_pandas() -> None:
    assert without("pandas").stderr.endswith("ImportError: to_pandas needs the package pandas: pip install pandas\n")
