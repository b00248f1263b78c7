from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from pandera.errors import SchemaErrors

from inexmetrics import ScoresResult
from inexmetrics.common.schema import Values
from inexmetrics.experiments.scores_tables import Means, PerTopic
from inexmetrics.experiments.tables import Column, Table, TableOf, tables_of


class Shares(Table):
    """A table of every type."""

    run_id = Column(str, "the run")
    kind = Column(str, "one of two", choices=("a", "b"))
    pairs = Column(int, "pairs of runs", at_least=1)
    share = Column(float, "a share", "without pairs", at_least=0, at_most=1)
    sure = Column(bool, "whether it is")


class Grid(Table):
    """A table with as many columns as there are opponents."""

    run_id = Column(str, "the run")
    numbered = Column(str, "the verdict", choices=("*", "-"))


def shares() -> pl.DataFrame:
    return Shares.frame(run_id=["x", "y"], kind="a", pairs=np.array([1, 2]), share=np.array([0.5, np.nan]), sure=[True, False])


def test_frames_have_the_columns_and_types_stated_and_null_for_nan() -> None:
    assert shares().schema == {"run_id": pl.String, "kind": pl.String, "pairs": pl.Int64, "share": pl.Float64, "sure": pl.Boolean}
    assert shares().rows() == [("x", "a", 1, 0.5, True), ("y", "a", 2, None, False)]
    assert Shares.concat([]).schema == shares().schema
    assert Shares.frame(run_id=[], kind=[], pairs=[], share=[], sure=[]).schema == shares().schema
    assert Shares.frame(run_id=["x"], kind="b", pairs=3, share=None, sure=True)["share"].dtype == pl.Float64


@pytest.mark.parametrize(
    "share",
    [
        np.array([0.5, np.nan]), np.array([0.5, np.nan], np.float32), [0.5, np.nan], (0.5, None), [0.5, np.float64("nan")],
        pl.Series([0.5, np.nan]), pl.Series([0.5, None]), np.nan, np.float64("nan"), np.array(np.nan), None,
    ],
    ids=repr,
)  # fmt: skip
def test_nan_becomes_null_in_whatever_holds_it(share: Values) -> None:
    frame = Shares.frame(run_id=["x", "y"], kind=np.array("a"), pairs=np.array(3), share=share, sure=True)
    assert frame["share"].to_list() in [[0.5, None], [None, None]]
    assert frame.drop("share").rows() == [("x", "a", 3, True), ("y", "a", 3, True)]
    if not isinstance(share, np.ndarray) and np.iterable(share):
        rows = Shares.of_rows((name, "a", 3, value, True) for name, value in zip("xy", share, strict=True))
        assert rows.equals(frame)


def test_columns_are_refused_that_are_missing_superfluous_or_of_another_type() -> None:
    with pytest.raises(ValueError, match=r"^Shares: expected the columns run_id, kind, pairs, share, sure, found run_id$"):
        Shares.frame(run_id=["x"])
    for wrong in (
        shares().drop("sure"),
        shares().with_columns(more=1),
        shares().select(*reversed(shares().columns)),
        shares().with_columns(pl.col("pairs").cast(pl.Int32)),
    ):
        with pytest.raises(ValueError, match=r"^Shares: expected the columns"):
            Shares.typed(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        pl.col("share") + 0.6,
        pl.col("share") - 0.6,
        pl.lit(float("nan")).alias("share"),
        pl.lit("c").alias("kind"),
        pl.col("pairs") - 1,
        pl.lit(None, dtype=pl.String).alias("run_id"),
        pl.col("pairs").cast(pl.Float64),
    ],
)
def test_values_are_refused_that_are_not_as_stated(wrong: pl.Expr) -> None:
    assert Shares.obeyed_by(shares())
    assert Shares.validate(shares()).equals(shares())
    assert not Shares.obeyed_by(shares().with_columns(wrong))
    with pytest.raises(SchemaErrors):
        Shares.validate(shares().with_columns(wrong))


def test_numbered_columns_are_as_many_as_there_are() -> None:
    verdicts = Grid.frame(run_id=["x"], **{"1": ["*"], "2": ["-"]})
    assert Grid.validate(verdicts).columns == ["run_id", "1", "2"]
    assert list(Grid.columns()) == ["run_id"]
    with pytest.raises(SchemaErrors):
        Grid.validate(Grid.frame(run_id=["x"], **{"1": ["+"]}))


def test_a_column_says_what_it_holds() -> None:
    share = Shares.columns()["share"]
    assert (share.type_text, share.text) == ("number from 0 to 1", "a share; null without pairs")
    assert Shares.columns()["pairs"].type_text == "integer of at least 1"
    assert Shares.columns()["kind"].type_text == "text: a, b"
    assert Column(float, "how long", unit="characters").text == "how long; in characters"


class Widened(Table):
    """A table with a column that an option adds."""

    run_id = Column(str, "the run")
    same = Column(bool, "whether it is the same", option="margin")


def test_a_table_has_the_column_of_an_option_only_where_it_is_given() -> None:
    plain, widened = Widened.frame(run_id=["x"]), Widened.frame(run_id=["x"], same=[True])
    assert Widened.validate(plain).columns == ["run_id"]
    assert Widened.validate(widened).columns == ["run_id", "same"]
    assert Widened.concat([widened, widened]).height == 2
    assert Widened.concat([]).columns == list(Widened.dtypes()) == ["run_id"]
    assert list(Widened.columns()) == ["run_id", "same"]
    assert Widened.columns()["same"].text == "whether it is the same; only with margin="
    with pytest.raises(ValueError, match=r"^Widened: expected the columns"):
        Widened.typed(widened.select("same", "run_id"))


def test_results_know_their_tables() -> None:
    assert tables_of(ScoresResult) == {"scores": Means, "per_topic": PerTopic}
    assert isinstance(ScoresResult.per_topic, TableOf)
