"""The number of decimals of a column whose numbers are all small."""

from __future__ import annotations

import polars as pl
import pytest

from inexmetrics import run, scores_from

SHARES = {"long": [0.4, 0.7, 0.2], "short": [0.5, 0.4, 0.9]}


def yields(unit: float) -> pl.DataFrame:
    each = {"long": [2.25, 3.0, 3.75], "short": [0.5, 0.25, 0.75]}
    return pl.DataFrame({"topic": ["q1", "q2", "q3"], **{run_id: [unit * value for value in values] for run_id, values in each.items()}})


@pytest.mark.parametrize(
    ("unit", "means"),
    [(0.1, ("0.3000", "0.0500")), (0.001, ("0.00300", "0.00050")), (0.0001, ("0.000300", "0.000050")), (1e-7, ("3.00e-07", "5.00e-08"))],
)
def test_all_forms_show_three_digits_of_the_largest_number(unit: float, means: tuple[str, str]) -> None:
    data = scores_from(yields(unit), topics="topic")
    wide = run('scores(given("yield"))', data)
    ranks = run('ranks(given("yield"))', data)
    for text in (wide.to_text(), wide.to_markdown(), wide.to_latex(), ranks.to_text(), ranks.to_markdown(), ranks.to_latex()):
        for mean in means:
            assert f" {mean} " in f"{text} ".replace("\n", " ").replace(r"\textbf{", " ").replace("}", " "), text


def test_the_columns_of_one_measure_share_decimals_and_p_values_keep_four() -> None:
    units = {"yield": 0.0001, "share": 1.0}
    values = {"yield": yields(1.0), "share": pl.DataFrame(SHARES)}
    rows = [
        {"run": name, "topic": f"q{place}", **{measure: units[measure] * values[measure][name][place] for measure in units}}
        for name in SHARES
        for place in range(3)
    ]
    data = scores_from(pl.DataFrame(rows), runs="run", topics="topic", measures=("yield", "share"))
    found = run('significance(given("yield") + given("share"))', data)
    lines = [line.strip("| ").split(" | ") for line in found.to_markdown("pairs").splitlines() if line.startswith("| given")]
    heads = found.to_markdown("pairs").splitlines()[0].strip("| ").split(" | ")
    shown = {row[heads.index("measure")]: dict(zip(heads, row, strict=True)) for row in lines}
    assert [len(shown['given("yield")'][name].lstrip("-")) for name in ("difference", "low", "high", "p_value")] == [8, 8, 8, 6]
    assert [len(shown['given("share")'][name].lstrip("-")) for name in ("difference", "low", "high", "p_value")] == [6, 6, 6, 6]
