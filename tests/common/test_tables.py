"""Tables as text and JSON: expected layouts at two widths, escapes, and invariants."""

from __future__ import annotations

import json
import math
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.common.tables import json_text, text_table

QUANTISATIONS = ("Gen5", "without_too_small(Gen5)", "without_too_small(BinExh)")
AGREEMENT = pl.DataFrame(
    {
        "measure": ["MAep", "MAep", "nxCG@25"],
        "predictor": [first for first, _ in combinations(QUANTISATIONS, 2)],
        "truth": [second for _, second in combinations(QUANTISATIONS, 2)],
        "pairs": [870, 870, 870],
        "n_predictor": [312, 0, 280],
        "n_truth": [350, 12, 301],
        "n_both": [300, 0, 266],
        "precision": [300 / 312, None, 0.95],
        "recall": [300 / 350, 0.0, 266 / 301],
        "f1": [0.9063444, 0.0, 0.9156626],
    }
)


def test_a_wide_page_breaks_headings_before_anything_else() -> None:
    assert text_table(AGREEMENT, width=120).splitlines() == [
        "                                                                           n_     n_    n_",
        "measure  predictor                truth                      pairs  predictor  truth  both  precision  recall      f1",
        "-------  -----------------------  -------------------------  -----  ---------  -----  ----  ---------  ------  ------",
        "MAep     Gen5                     without_too_small(Gen5)      870        312    350   300     0.9615  0.8571  0.9063",
        "MAep     Gen5                     without_too_small(BinExh)    870          0     12     0          -  0.0000  0.0000",
        "nxCG@25  without_too_small(Gen5)  without_too_small(BinExh)    870        280    301   266     0.9500  0.8837  0.9157",
    ]


def test_a_narrow_page_wraps_terms_at_the_words_within_them() -> None:
    assert text_table(AGREEMENT, width=80).splitlines() == [
        "                                           n_    n_   n_",
        "measure predictor  truth      pairs predictor truth both precision recall     f1",
        "------- ---------- ---------- ----- --------- ----- ---- --------- ------ ------",
        "MAep    Gen5       without_     870       312   350  300    0.9615 0.8571 0.9063",
        "                   too_small",
        "                   (Gen5)",
        "MAep    Gen5       without_     870         0    12    0         - 0.0000 0.0000",
        "                   too_small",
        "                   (BinExh)",
        "nxCG@25 without_   without_     870       280   301  266    0.9500 0.8837 0.9157",
        "        too_small  too_small",
        "        (Gen5)     (BinExh)",
    ]


def test_headings_of_a_table_of_many_numbers_reach_over_their_neighbours() -> None:
    names = ("opponent_mean", "difference", "low", "high", "effect_size", "statistic", "p_value", "p_adjusted")
    frame = pl.DataFrame({"opponent": ["group07-b"], **dict.fromkeys(names, 0.0506), "significant": [True]})
    assert text_table(frame, width=69).splitlines() == [
        "                                                          significant",
        "   opponent_mean                 effect_size       p_value        |",
        "opponent   | difference    low   high   | statistic  | p_adjusted |",
        "--------- ------ ------ ------ ------ ------ ------ ------ ------ ---",
        "group07-b 0.0506 0.0506 0.0506 0.0506 0.0506 0.0506 0.0506 0.0506 yes",
    ]
    for width in range(69, 130):
        lines = text_table(frame, width=width).splitlines()
        assert max(map(len, lines)) <= width
        words = {word for name in frame.columns for word in name.replace("_", "_ ").split()}
        assert set(" ".join(lines[:-2]).replace("_", "_ ").replace("|", " ").split()) == words  # none is broken within


def test_a_heading_over_another_column_leaves_that_column_its_bar() -> None:
    rows = pl.DataFrame(
        {"better": ["the-first-of-all-runs"], "worse": ["the-second-of-the-runs"], "difference": [0.25], "p_adjusted": [0.5]}
    )
    lines = text_table(rows.with_columns(pl.Series("significant", [True])), 64).splitlines()
    assert lines[:4] == [
        "                                                     significant",
        "                                                p_adjusted |",
        "better                worse              difference      | |",
        "--------------------- ---------------------- ------ ------ -----",
    ]


def test_a_heading_of_two_words_is_broken_between_them() -> None:
    frame = pl.DataFrame({"a": ["x"] * 2, "[next_low, next_high]": ["[0.1000, 0.2000]"] * 2})
    assert [line.split() for line in text_table(frame, width=20).splitlines()[:2]] == [["[next_low,"], ["a", "next_high]"]]


def test_where_there_is_room_columns_stand_as_wide_as_they_are() -> None:
    assert text_table(AGREEMENT, width=123).splitlines()[0].split() == AGREEMENT.columns


@pytest.mark.parametrize("width", [60, 66, 72, 80, 100, 120, 160])
def test_a_table_keeps_to_its_width(width: int) -> None:
    rows = AGREEMENT.drop("n_both", "n_truth")
    assert max(map(len, text_table(rows, width=width).splitlines())) <= width


def test_values_by_type() -> None:
    frame = pl.DataFrame(
        {
            "run_id": ["a", "b"],
            "topics": [29, None],
            "difference": [0.123456, -0.00001],
            "score": [math.nan, 1.0],
            "significant": [True, False],
            "level": [0.01, 0.5],
        },
        schema_overrides={"run_id": pl.Enum(["a", "b"])},
    )
    assert text_table(frame).splitlines() == [
        "run_id  topics  difference   score  significant  level",
        "------  ------  ----------  ------  -----------  -----",
        "a           29      0.1235       -  yes           0.01",
        "b            -      0.0000  1.0000  no            0.50",
    ]


def test_levels_are_as_short_as_they_all_can_be() -> None:
    assert text_table(pl.DataFrame({"level": [0.1, 1.0]})).splitlines()[2:] == ["  0.1", "  1.0"]
    assert text_table(pl.DataFrame({"level": [1 / 3, None]})).splitlines()[2:] == ["0.3333", "     -"]


def test_p_values_too_small_to_show() -> None:
    frame = pl.DataFrame({"p_value": [0.0, 0.00001, 0.00005, 0.04]})
    assert text_table(frame).splitlines()[2:] == ["<0.0001", "<0.0001", " 0.0001", " 0.0400"]


@pytest.mark.parametrize(
    ("smallest", "shown"), [(1 / 10_000, "<0.0001"), (1 / 100_000, "<0.0001"), (1 / 2000, "<0.0005"), (1 / 3000, "<0.0004")]
)
def test_a_p_value_of_0_is_below_what_its_test_can_tell(smallest: float, shown: str) -> None:
    frame = pl.DataFrame({"p_value": [0.0]})
    assert text_table(frame, smallest_p={"p_value": smallest}).splitlines()[2] == shown


def test_rows_past_the_limit_are_counted() -> None:
    frame = pl.DataFrame({"run_id": list("abc")})
    assert text_table(frame, limit=1).splitlines()[2:] == ["a", "... and 2 more rows"]
    assert text_table(frame, limit=2).splitlines()[2:] == ["a", "b", "... and 1 more row"]
    assert text_table(frame, limit=None).splitlines()[2:] == ["a", "b", "c"]


def test_no_rows_and_no_columns() -> None:
    assert text_table(pl.DataFrame(schema={"run_id": pl.String})) == "run_id\n------\n(no rows)"
    assert text_table(pl.DataFrame()) == "(no columns)"


def test_control_characters_never_reach_the_terminal() -> None:
    frame = pl.DataFrame({"run_id": ["a\x1b[31m\n\tb"]})
    assert text_table(frame).splitlines()[2:] == [r"a\x1b[31m\n\tb"]


def test_wide_letters_take_two_columns() -> None:
    frame = pl.DataFrame({"run_id": ["日本", "é"], "n": [1, 2]})
    assert text_table(frame).splitlines()[2:] == ["日本    1", "é       2"]


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=5), st.integers(30, 140))
def test_no_sign_of_a_text_is_lost_in_wrapping(texts: list[str], width: int) -> None:
    printable = [text for text in texts if text.isprintable() and text.isascii() and " " not in text] or ["x"]
    frame = pl.DataFrame({"run_id": printable, "other": printable})
    lines = text_table(frame, width=width).splitlines()[2:]
    shown = "".join("".join(line.split()) for line in lines)
    assert sorted(shown) == sorted("".join(printable) * 2)


def test_json_is_full_and_null_where_undefined() -> None:
    document = {"a": 0.1 + 0.2, "b": [math.nan, math.inf, None], "c": {}, "d": {"rows": [{"x": 1, "ü": "é"}]}, "e": []}
    text = json_text(document)
    assert text.endswith("}\n")
    assert text.isascii()
    assert json.loads(text) == {"a": 0.30000000000000004, "b": [None, None, None], "c": {}, "d": {"rows": [{"x": 1, "ü": "é"}]}, "e": []}
    assert list(json.loads(text)) == list(document)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_json_round_trip(document: dict[str, object]) -> None:
    assert json.loads(json_text(document)) == document


def test_each_row_of_a_json_table_stands_on_a_line() -> None:
    rows = [{"run_id": run, "mean": 0.5} for run in "ab"]
    assert [line.strip() for line in json_text({"tables": {"scores": rows}}).splitlines() if "run_id" in line] == [
        '{"run_id": "a", "mean": 0.5},',
        '{"run_id": "b", "mean": 0.5}',
    ]
