"""Agreement for only the large differences of the predictor."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from inexmetrics import AgreementResult, CollectionWarning, FormulaError, parse, run, sample
from inexmetrics.experiments.tables import tables_of

PLAIN = "agreement(MAep ~ Gen5 + GenLifted + BinExh)"
ASKED = "agreement(MAep ~ Gen5 + GenLifted + BinExh, at_least=0.02)"


def test_small_differences_make_no_claim() -> None:
    """Compared with the definition, computed from the differences of the agreement without thresholds."""
    plain, asked = run(PLAIN, sample()), run(ASKED, sample())
    for row in asked.table.iter_rows(named=True):
        pairs = plain.tables["differences"].filter(predictor=row["predictor"], truth=row["truth"])
        large = pl.col("difference_predictor").abs() >= 0.02
        found = pl.col("verdict").is_in(["predictor", "both", "opposite"])
        assert row["n_predictor"] == pairs.filter(large & found).height > 0
        assert row["n_both"] == pairs.filter(large & (pl.col("verdict") == "both")).height
        assert row["n_truth"] == plain.table.filter(predictor=row["predictor"], truth=row["truth"])["n_truth"][0]
        assert row["precision"] == row["n_both"] / row["n_predictor"]
        assert row["recall"] == row["n_both"] / row["n_truth"]
        verdicts = asked.tables["differences"].filter(predictor=row["predictor"], truth=row["truth"])
        expected = pairs.with_columns(
            verdict=pl.when(large).then("verdict").otherwise(pl.col("verdict").replace({"both": "truth", "predictor": "neither"}))
        )
        assert verdicts.equals(expected)
    assert asked.finding.endswith(" Under the predictor, differences of less than 0.02 do not count as significant.")


def test_the_table_has_every_threshold() -> None:
    asked = run(ASKED, sample())
    table = asked.tables["thresholds"]
    assert tables_of(AgreementResult)["thresholds"].validate(table).height > 300
    part = table.filter(predictor="Gen5", truth="BinExh")
    thresholds = part["at_least"].to_list()
    assert thresholds[0] == 0
    assert (np.diff(thresholds) > 0).all()
    plain = run("agreement(Gen5, BinExh, measure=MAep)", sample()).table
    columns = ["n_predictor", "n_both", "precision", "recall", "f1"]
    assert part.select(columns).row(0) == plain.select(columns).row(0)
    for place in (1, 40, part.height - 1):
        row = run(f"agreement(Gen5, BinExh, measure=MAep, at_least={thresholds[place]!r})", sample()).table
        assert part.select(columns).row(place) == row.select(columns).row(0)
    with pytest.warns(CollectionWarning) as told:
        nothing = run("agreement(Gen5, BinExh, measure=MAep, at_least=0.5)", sample()).table
    text = "agreement: at_least=0.5 is larger than the range of the scores in MAep ~ "
    assert [str(warning.message)[: len(text)] for warning in told] == [text] * 2
    assert nothing.select(columns).row(0) == (0, 0, None, 0.0, 0.0)


@pytest.mark.filterwarnings("ignore:agreement. resamples=")
def test_intervals_are_of_the_claims() -> None:
    whole, large = (run(f"agreement(Gen5, BinExh, measure=MAep, resamples=20{more})", sample()) for more in ("", ", at_least=0.02"))
    assert large.tables["intervals"]["value"].to_list() == list(large.table.select("precision", "recall", "f1").row(0))
    assert not large.tables["intervals"]["low"].equals(whole.tables["intervals"]["low"])


def test_texts_and_charts() -> None:
    text = "agreement(Gen5, BinExh, measure=MAep, at_least=0.02)"
    assert str(parse(text)) == text
    assert "thresholds" not in run(PLAIN, sample()).tables
    notes, panels = run(ASKED, sample()).figure()
    assert notes[1] == "dashed: the threshold asked for, 0.02"
    assert str(panels).count("step-before") == 3
    with pytest.raises(FormulaError, match="at_least: expected a number above 0, found 0"):
        parse(text.replace("0.02", "0"))
