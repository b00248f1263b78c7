"""Castitles (NEXI): the words inside about(), each once, with warnings about what retrieval ignores, and errors for what is no castitle."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import CollectionError, CollectionWarning, read_topics, retrieve
from inexmetrics.retrieval.castitle import Castitle, words_of_castitles

TEXTS = {"doc_id": ["a", "b", "c"], "text": ["article about sec", "honey queen", "none"]}
CASTITLE = '//article[about(.,honey)]//sec[about(.,"queen nest")]'


def castitle_file(folder: Path, *castitles: str) -> Path:
    topics = "".join(
        f'<inex_topic topic_id="{number}"><title>wax</title><castitle>{text.replace("<", "&lt;")}</castitle></inex_topic>\n'
        for number, text in enumerate(castitles, start=1)
    )
    path = folder / "topics.xml"
    path.write_text(f"<inex-topics>\n{topics}</inex-topics>\n")
    return path


def test_the_words_of_a_castitle_are_the_query_and_its_syntax_is_not(tmp_path: Path) -> None:
    """Document a contains the words article, about and sec, which are syntax; document b contains words of the query."""
    path = castitle_file(tmp_path, CASTITLE)
    with pytest.warns(CollectionWarning) as told:
        runs = retrieve(TEXTS, path, unit="articles", field="castitle")
    assert [str(warning.message) for warning in told] == [
        "1 castitle asks for structure, which retrieval ignores; the query is the words inside about(): topic 1 //article[about(.)]//sec[about(.)]"
    ]
    by_words = retrieve(TEXTS, {"1": "honey queen nest"}, unit="articles")
    assert runs.results["doc_id"].to_list() == ["b"]
    assert runs.results.equals(by_words.results)
    assert [str(warning) for warning in runs.warnings] == [str(told[0].message)]


@pytest.mark.parametrize(
    ("text", "words", "unwanted", "outline", "asks"),
    [
        ("//*[about(., honey)]", "honey", "", "//*[about(.)]", False),
        ("//*[about(., bees) AND about(., Bees wax)]", "bees wax", "", "//*[about(.) AND about(.)]", False),
        ("//*[ (about(.,a) or about(., b)) and about(.,c) ]", "a b c", "", "//*[(about(.) or about(.)) and about(.)]", False),
        ('//article[about(., +"queen bees" -"honey jar" -wax)]', "queen bees", '"honey jar" wax', "//article[about(.)]", True),
        ("//*[about(.//(sec|p), nests)]", "nests", "", "//*[about(.//(sec|p))]", True),
        ("//*[about(., nests) and .//yr >= 1998]", "nests", "", "//*[about(.) and .//yr >= 1998]", True),
        ('//*[about(., "comma, (bracket)" x)]', "comma bracket x", "", "//*[about(.)]", False),
        ("//*[about(., valentine's day, in (some) towns)]", "valentine s day in some towns", "", "//*[about(.)]", False),
        ("//article[about(., a)]//p", "a", "", "//article[about(.)]//p", True),
    ],
)
def test_castitles_by_hand(text: str, words: str, unwanted: str, outline: str, asks: bool) -> None:
    found = Castitle.of(text)
    assert (" ".join(found.words), " ".join(found.unwanted), found.outline, found.asks_for_structure) == (words, unwanted, outline, asks)


@given(st.lists(st.lists(st.sampled_from(["bees", "wax", "Wax", "nest"]), min_size=1, max_size=4), min_size=1, max_size=4))
def test_the_query_is_the_set_of_the_words_of_all_clauses(clauses: list[list[str]]) -> None:
    text = "".join(f"//sec[about(.//p, {' '.join(words)})]" for words in clauses)
    found = Castitle.of(text).words
    assert {word.casefold() for word in found} == {word.casefold() for words in clauses for word in words}
    assert len(found) == len({word.casefold() for word in found})


def test_what_is_not_part_of_the_query_is_named_with_its_count() -> None:
    castitles = {str(number): f"//p{number}[about(., a -b{number})]" for number in range(9)}
    words, problems = words_of_castitles({**castitles, "x": ""})
    assert words == {**dict.fromkeys(castitles, "a"), "x": ""}
    assert [str(problem) for problem in problems] == [
        "9 castitles ask for structure, which retrieval ignores; the query is the words inside about(): topic 0 //p0[about(.)], "
        "topic 1 //p1[about(.)], topic 2 //p2[about(.)], topic 3 //p3[about(.)], topic 4 //p4[about(.)] and 4 more",
        "9 castitles have words after a minus, which are not part of the query: topic 0 -b0, topic 1 -b1, topic 2 -b2, topic 3 -b3, "
        "topic 4 -b4 and 4 more",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("honey", "expected a castitle with a clause about(path, words), found 'honey'; field='title' uses the title"),
        ("//p[about(.,honey]", "expected a closing bracket of about(), found '//p[about(.,honey]'"),
        ("//p[about(honey)]", "expected a path, a comma and words in about(), found 'honey'"),
        ('//p[about(.,"honey)]', "expected a closing quotation mark of about(), found '//p[about(.,\"honey)]'"),
        ("//p[about(.,honey)", "expected a castitle with as many '[' as ']', found '//p[about(.,honey)'"),
    ],
)
def test_what_is_no_castitle_is_an_error(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(CollectionError) as caught:
        retrieve(TEXTS, castitle_file(tmp_path, "//*[about(., honey)]", text), field="castitle")
    assert str(caught.value) == f"topic 2: {said}"
    with pytest.raises(CollectionError):  # a query that is said to be a castitle is read as a castitle, wherever it comes from
        retrieve(TEXTS, {"topic_id": ["1"], "castitle": [text]}, field="castitle")


def test_many_topics_without_a_clause_are_one_message(tmp_path: Path) -> None:
    with pytest.raises(CollectionError) as caught:
        retrieve(TEXTS, castitle_file(tmp_path, *["honey"] * 20), field="castitle")
    assert str(caught.value).count("\n") < 6
    assert len(caught.value.problems) == 20


def test_the_castitles_of_inex_2009(shared: Path) -> None:
    topics = read_topics(shared / "inex2009-topics.xml.gz")
    found = {topic_id: Castitle.of(topic.castitle) for topic_id, topic in topics.items() if topic.castitle}
    assert len(found) == 115
    assert sum(castitle.asks_for_structure for castitle in found.values()) == 82
    assert found["2009007"].unwanted == ('"natural disaster"',)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        runs = retrieve({"doc_id": ["x"], "text": ["article sec p about"]}, topics, field="castitle", unit="articles")
    assert runs.results["topic_id"].to_list() == []
