"""Location of quoted evidence in texts."""

from __future__ import annotations

import json
import unicodedata
import warnings
from pathlib import Path
from typing import Final

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import CollectionError, CollectionWarning, char_rec, from_frames, locate_quotations, run, scores
from tests.by_hand import offered

MANUAL: Final = Path(__file__).parents[2] / "docs" / "files" / "manual.jsonl"
TEXT: Final = (
    "Riders said \u201cthe station\u2019s lock \u2014 a new one \u2014 opens\u201d.\n\n  Fares: 3 euros ... a day. The lock opens. "
    "Na\u00efve co\u00adoperation of\u00a0efficient people. The art of parties; art."
)


def quoted(quotation: str, texts: str = TEXT) -> str | int:
    """Returns the text that is found for a quotation, or the number of places if it is not exactly one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        found = locate_quotations({"d": texts}, [{"topic_id": "1", "doc_id": "d", "quotation": quotation}])
    if found.passages.is_empty():
        places: int = found.unlocated["places"].item()
        return places
    start, length = found.passages.select("start", "length").row(0)
    return texts[start : start + length]


@pytest.mark.parametrize(
    ("quotation", "expected"),
    [
        ("Fares: 3 euros", "Fares: 3 euros"),
        ("fares:\n3  EUROS", "Fares: 3 euros"),
        ("said \"the station's lock", "said \u201cthe station\u2019s lock"),
        ("lock - a new one - opens", "lock \u2014 a new one \u2014 opens"),
        ("\u00abFares: 3 euros\u00bb", "Fares: 3 euros"),
        ("opens.' Fares", "opens\u201d.\n\n  Fares"),
        ("3 euros ... a day", "3 euros ... a day"),
        ("Fares: \u2026 The lock", "Fares: 3 euros ... a day. The lock"),
        ('"Riders said [...] a new one (...) a day..."', TEXT[: TEXT.index(". The lock")]),
        ("...Fares: . . . a day.", "Fares: 3 euros ... a day."),
        ("nai\u0308ve cooperation", "Na\u00efve co\u00adoperation"),
        ("of e\ufb03cient people", "of\u00a0efficient people"),
        ("na\u00efve coop", "Na\u00efve co\u00adop"),
        ("the art", "The art"),
        ("nowhere", 0),
        ("lock opens ... Fares", 0),
        ("...", 0),
        ("lock", 2),
        ("art", 2),
    ],
)
def test_how_quotations_are_read(quotation: str, expected: str | int) -> None:
    found = quoted(quotation)
    if quotation.startswith("opens"):
        assert found == 0  # the full stop is inside of the quotation's marks and outside of the text's
    else:
        assert found == expected


PAGE: Final = "Re-entry is poss-\nible: 50 \u20ac a seat \U0001f44b\U0001f3fd. Re\u0301sume\u0301s e\u0301galite\u0301s; well - known."


@pytest.mark.parametrize(
    ("quotation", "expected"),
    [
        ("possible", "poss-\nible"),
        ("poss-ible: 50", "poss-\nible: 50"),
        ("poss- ible", "poss-\nible"),
        ("reentry is \u2026 possible", "Re-entry is poss-\nible"),
        ("well-known", 0),
        ("\u20ac", "\u20ac"),
        ("\U0001f44b", "\U0001f44b\U0001f3fd"),
        ("\u00e9galite", "e\u0301galite\u0301"),
        ("r\u00e9sum\u00e9", "Re\u0301sume\u0301"),
        ("seat ... \u00e9galite", "seat \U0001f44b\U0001f3fd. Re\u0301sume\u0301s e\u0301galite\u0301"),
    ],
)
def test_hyphens_within_words_and_marks(quotation: str, expected: str | int) -> None:
    assert quoted(quotation, PAGE) == expected


def test_of_texts_between_fragments_the_shortest_is_taken() -> None:
    assert quoted("wax ... honey", "wax and wax and honey") == "wax and honey"
    assert quoted("wax ... honey", "wax and honey, wax or honey") == 2


@given(st.text("aB \u00e9\u00df\n.\u2019\u2026-", min_size=1, max_size=30), st.data())
def test_every_part_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    """A quotation with other capitalisation, spacing or normalisation is found; if it occurs once, the found text equals the quotation."""
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    if not any(character.isalnum() for character in part) or "." in part or "\u2026" in part:
        return
    found = quoted(unicodedata.normalize("NFD", part.upper().replace(" ", "\n\n")), text)
    assert found != 0
    if isinstance(found, str):
        plain = ["".join(unicodedata.normalize("NFKD", each).casefold().split()).strip("\u2019") for each in (part, found)]
        assert plain[0] == plain[1]


def test_the_manual() -> None:
    """Evidence from the manual's pages is found at its position, also if quoting changes its form."""
    pages = [json.loads(line) for line in MANUAL.read_text().splitlines()]
    evidence = pl.read_csv(MANUAL.with_name("answers.csv")).drop_nulls("start")
    texts = {page["doc_id"]: page["text"] for page in pages}
    rows = [
        {"topic_id": topic, "doc_id": doc_id, "quotation": texts[doc_id][start:end]}
        for topic, doc_id, start, end in evidence.select("query_id", "doc_id", "start", "end").iter_rows()
    ]
    expected = evidence.select("query_id", "doc_id", "start", pl.col("end") - pl.col("start")).rows()
    for change in (
        str,
        str.lower,
        lambda text: text.replace(" ", "\n"),
        lambda text: f"\u201c{text}\u201d",
        lambda text: f"... {text} ...",
    ):
        found = locate_quotations(pages, [{**row, "quotation": change(row["quotation"])} for row in rows])
        assert found.passages.rows() == expected
        assert found.unlocated.is_empty()
        assert found.warnings == ()
    anywhere = locate_quotations(pl.DataFrame(pages), pl.DataFrame(rows).drop("doc_id"))
    assert anywhere.passages.rows() == expected


def test_what_is_not_in_one_place_is_named_by_its_row() -> None:
    quotations = pl.DataFrame(
        [("1", "a", "honey"), ("1", "b", "honey"), ("2", None, "honey"), ("2", "c", "honey"), ("3", None, "wax"), ("3", "b", None)],
        schema=["qid", "docno", "quote"],
        orient="row",
    )
    with pytest.warns(CollectionWarning) as caught:
        found = locate_quotations({"a": "honey and honey", "b": "honey and wax"}, quotations)
    assert found.passages.rows() == [("1", "b", 0, 5), ("3", "b", 10, 3), ("3", "b", None, None)]
    assert found.unlocated.rows() == [(0, "1", "a", "honey", 2), (2, "2", None, "honey", 3), (3, "2", "c", "honey", 0)]
    assert [str(problem) for problem in found.warnings] == [
        "quotations: row 0: topic 1: expected the quotation once in document a, found it 2 times (at offsets 0, 10): 'honey'",
        "quotations: row 2: topic 2: expected the quotation once in the texts, found it 3 times (at offsets a:0, a:10, b:0): 'honey'",
        "quotations: row 3: topic 2: expected a text of document c, found none",
    ]
    assert [str(warning.message) for warning in caught] == [str(problem) for problem in found.warnings]
    assert repr(found) == "Quotations(3 passages, 3 not located)"
    with pytest.warns(
        CollectionWarning, match=r"^in 5 places: quotations: .*|^quotations: expected each once in its document, found 5 nowhere"
    ):
        locate_quotations({"a": "x"}, [{"topic_id": "1", "doc_id": "a", "quotation": f"y{number}"} for number in range(5)])


def test_quotations_are_evidence() -> None:
    rows = [("1", "a", "honey"), ("1", "a", "HONEY"), ("1", "a", "and wax"), ("1", "b", "")]
    found = locate_quotations(
        {"a": "honey and wax", "b": "pollen"}, pl.DataFrame(rows, schema=["topic_id", "doc_id", "text"], orient="row")
    )
    chunks = pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "start": [0], "end": [6], "score": [1.0]})
    assert run(scores(char_rec), from_frames(found.passages, chunks)).table["mean"].item() == pytest.approx(5 / 12)


def test_tables_that_are_none_are_errors() -> None:
    right = {"topic_id": ["1"], "quotation": ["x"]}
    for texts, quotations, message in (
        (
            {"a": "x"},
            {"topic_id": ["1"], "words": ["x"]},
            f"quotations: expected a column named {offered('quotation')}, found topic_id, words",
        ),
        ({"a": "x"}, {"quotation": ["x"]}, "quotations: expected a column named topic_id"),
        ({"a": "x"}, {"topic_id": ["1", ""], "quotation": ["x", "y"]}, "quotations: row 1: topic_id: expected an identifier, found"),
        ({"a": "x"}, {"topic_id": ["1"], "quotation": [None]}, "quotations: row 0: quotation: expected text, or a document, found"),
        ({"doc_id": ["a"]}, right, "texts: expected a column named text"),
        ([{"doc_id": "a", "text": "x"}] * 2, right, "texts: row 1: expected one text for document a, found a second one"),
        (3, right, "texts: expected a data frame, or rows with named values"),
    ):
        with pytest.raises(CollectionError, match=message):
            locate_quotations(texts, quotations)  # type: ignore[arg-type]
