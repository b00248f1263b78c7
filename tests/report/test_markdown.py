"""Tables as Markdown: escapes, and notes below the table."""

from __future__ import annotations

import polars as pl

from inexmetrics.report.formats import markdown_table


def test_signs_of_markup_are_escaped() -> None:
    frame = pl.DataFrame({"run_id": ["a|b_c", "_x_* &lt; & $y^2$"], "mean": [0.5, None]})
    assert markdown_table(frame).splitlines() == [
        "| run_id | mean |",
        "| :--- | ---: |",
        r"| a\|b_c | 0.5000 |",
        r"| \_x\_\* \&lt; & \$y^2\$ | - |",
    ]


def test_what_holds_of_every_row_is_said_once_below() -> None:
    frame = pl.DataFrame({"run_id": ["a", "b"], "measure": "MAP", "p_value": [0.0, 0.5]})
    assert markdown_table(frame, smallest_p={"p_value": 1 / 2000}, facts="29 topics", note="t, one-tailed").splitlines() == [
        "| run_id | p_value |",
        "| :--- | ---: |",
        r"| a | \<0.0005 |",
        "| b | 0.5000 |",
        "",
        "measure: MAP; 29 topics",
        "",
        "t, one-tailed",
    ]
    assert markdown_table(frame.drop("p_value"), note="t, one-tailed").splitlines()[-1] == "measure: MAP"
    assert markdown_table(frame.head(1)).splitlines()[0] == "| run_id | measure | p_value |"


def test_levels_that_four_decimals_do_not_tell_apart_stand_as_they_were_asked_for() -> None:
    frame = pl.DataFrame({"move": [0.00001, 0.00002, 0.5], "value": [1.0, 0.75, 0.5]})
    assert [line.split()[1] for line in markdown_table(frame).splitlines()[2:]] == ["1e-05", "2e-05", "0.5"]
