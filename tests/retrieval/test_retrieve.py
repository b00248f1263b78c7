"""Retrieval: results and errors."""

from __future__ import annotations

import gzip
import math
import time
import warnings
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import (
    Collection,
    CollectionError,
    CollectionWarning,
    MAiP,
    Runs,
    from_frames,
    read_topics,
    remove_overlap,
    retrieve,
    run,
    scores,
)
from inexmetrics.collection.schemas import Results
from inexmetrics.retrieval.index import analysis_of

ARTICLES = {
    "bees": "<article><title>Bees</title><bdy>About bees <sec><st>Honey</st><p>Bees make honey from nectar.</p></sec> and wax.</bdy></article>",
    "wasps": "<article><title>Wasps</title><bdy><sec><p>Wasps make paper nests.</p></sec></bdy></article>",
    "ants": "<article><title>Ants</title><bdy><sec><p>Ants farm aphids for honeydew.</p></sec></bdy></article>",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "articles"
    made.mkdir()
    for doc_id, xml in ARTICLES.items():
        (made / f"{doc_id}.xml").write_text(xml)
    return made


def found(runs: Runs) -> list[tuple[str, str | None]]:
    return runs.results.select("doc_id", "path").rows()


def refused(*arguments: object, **options: object) -> str:
    with pytest.raises(CollectionError) as error:
        retrieve(*arguments, **options)  # type: ignore[arg-type]
    return str(error.value)


def test_elements_by_hand(folder: Path) -> None:
    """ "Honey" is in two of nine leaves: the section's title, with one term, and its paragraph, with five terms."""
    runs = retrieve(folder, {"1": "honey"})
    leaves = [1, 2, 1, 5, 2, 1, 4, 1, 5]  # different terms of each
    pivot = sum(leaves) / len(leaves)
    ltu = math.log(len(leaves) / 2) / (0.8 * pivot + 0.2)
    expected = {
        "/article[1]/bdy[1]/sec[1]/st[1]": ltu / (0.8 * pivot + 0.2),
        "/article[1]/bdy[1]/sec[1]/p[1]": ltu / (0.8 * pivot + 0.2 * 5),
        "/article[1]/bdy[1]/sec[1]": ltu * (1 + math.log(2)) / (1 + math.log(6 / 5)) / (0.8 * pivot + 0.2 * 5),
        "/article[1]/bdy[1]": ltu * (1 + math.log(2)) / (1 + math.log(10 / 8)) / (0.8 * pivot + 0.2 * 8),
        "/article[1]": ltu * (1 + math.log(2)) / (1 + math.log(11 / 8)) / (0.8 * pivot + 0.2 * 8),
    }
    assert dict(runs.results.select("path", "score").iter_rows()) == pytest.approx(expected, rel=1e-12)
    assert runs.results.select("path", "start", "length").rows()[:2] == [
        ("/article[1]/bdy[1]/sec[1]", 15, 33),
        ("/article[1]/bdy[1]/sec[1]/st[1]", 15, 5),
    ]
    assert runs.results["rank"].to_list() == [1, 2, 3, 4, 5]
    Results.validate(runs.at())
    assert (runs.run_ids, runs.order, runs.warnings) == (("lnu-ltu",), "rank", ())


def test_units_and_tags(folder: Path) -> None:
    assert found(retrieve(folder, {"1": "wax"}, unit="articles")) == [("bees", "/article[1]")]
    assert found(retrieve(folder, {"1": "honey"}, unit="leaves", tags="p")) == [("bees", "/article[1]/bdy[1]/sec[1]/p[1]")]
    assert found(retrieve(folder, {"1": "wax"}, unit="leaves")) == []  # text between tags is never returned
    assert found(retrieve(folder, {"1": "wax"}, tags=["bdy", "sec"])) == [("bees", "/article[1]/bdy[1]")]
    assert found(retrieve(folder, {"1": "make"}, tags=["p"], results=1)) == [("wasps", "/article[1]/bdy[1]/sec[1]/p[1]")]
    assert {doc_id for doc_id, _ in found(retrieve(folder, {"1": "make honeydew ants"}, articles=1))} == {"ants"}


def test_elements_that_dissolve_score_as_their_parent_without_the_tags(tmp_path: Path) -> None:
    def scored(bees: str, **options: list[str]) -> list[tuple[str, int, int, float]]:
        (tmp_path / "bees.xml").write_text(bees)
        (tmp_path / "wasps.xml").write_text("<p>wasps make paper</p>")
        return retrieve(tmp_path, {"1": "honey hive"}, **options).results.select("path", "start", "length", "score").rows()  # type: ignore[arg-type]

    plain = scored("<p>bees make honey in the hive</p>")
    formatted = "<p>bees make <b>honey</b> in the <i>hive</i></p>"
    assert scored(formatted, keep_tags=["p"]) == plain
    assert scored(formatted)[0][-1] > 2 * plain[0][-1]  # b and i are leaves of one term
    assert scored("<p>bees make <b>h</b>oney in the <i>hi<b/>ve</i></p>", keep_tags=["p"]) == plain
    # the text of the note is no text of p, but counts in its length
    [(path, start, length, score)] = scored("<p>bees make <note>wax, <b>honey</b></note>honey in the hive</p>", drop_tags=["note"])
    assert (path, start, length, score) == ("/p[1]", 0, 37, plain[0][-1])


def test_paths_and_offsets_after_cleaning_are_those_of_the_document(tmp_path: Path) -> None:
    text = "<article>one <note>two</note><it><p>three</p></it><p>bees</p></article>"
    (tmp_path / "a.xml").write_text(text)
    (tmp_path / "b.xml").write_text("<article/>")
    runs = retrieve(tmp_path, {"1": "bees three two"}, unit="leaves", drop_tags="note", keep_tags=["p"])
    assert set(runs.results.select("path", "start", "length").rows()) == {("/article[1]/it[1]/p[1]", 7, 5), ("/article[1]/p[1]", 12, 4)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tags": "st", "keep_tags": ["sec", "p"]}, 'tags: expected tags of the indexed elements, found "st"'),
        ({"keep_tags": ["seck"]}, 'keep_tags: expected tags of the documents, found "seck"; did you mean sec?'),
        ({"drop_tags": ["note"]}, 'drop_tags: expected tags of the documents, found "note"'),
        ({"drop_tags": []}, "drop_tags: expected the names of elements, found none"),
        ({"keep_tags": 3}, "keep_tags: expected the names of elements, found 3"),
        ({"drop_tags": "p", "keep_tags": ["p", "sec"]}, 'drop_tags: expected tags that keep_tags does not name, found "p" in both options'),
    ],
)
def test_tags_that_cannot_be_cleaned_are_errors(folder: Path, options: dict[str, object], message: str) -> None:
    assert refused(folder, {"1": "honey"}, **options) == message


def test_the_root_cannot_be_dropped_and_a_table_has_no_tags(folder: Path) -> None:
    found = refused(folder, {"1": "honey"}, drop_tags="article")
    assert 'ants.xml: drop_tags: expected tags of elements inside the root, found the tag of the root, "article"' in found
    table = {"doc_id": ["a"], "text": ["<p>honey</p>"]}
    assert refused(table, {"1": "honey"}, keep_tags="p") == "keep_tags: expected XML documents, found a table of texts; omit keep_tags"


def test_an_only_child_and_its_parent_are_both_returned(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><s><p>honey</p></s>wax</a>")
    runs = retrieve(tmp_path, {"1": "honey"})
    assert [path for _, path in found(runs)] == ["/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]"]
    assert runs.results["score"][0] == runs.results["score"][1]


def test_equal_scores_stand_by_document_whatever_their_files_are_called(tmp_path: Path) -> None:
    (tmp_path / "z").mkdir()
    for name in ("b", "a", "z/a"):
        (tmp_path / f"{name}.xml").write_text("<p>honey</p>")
    (tmp_path / "c.xml").write_text("<p>wax</p>")
    assert [doc_id for doc_id, _ in found(retrieve(tmp_path, {"1": "honey"}))] == ["a", "b", "z/a"]


def test_chunks_are_the_leaves_of_their_document() -> None:
    chunks = pl.DataFrame(
        {"doc_id": ["a", "b", "a"], "start": [0, 0, 30], "text": ["bees make honey", "wax candles", "honey on bread"]},
    )
    for table in (chunks, chunks.with_columns(length=pl.Series([15, 11, 14])), chunks.with_columns(end=pl.Series([15, 11, 44]))):
        for unit in ("elements", "leaves"):
            runs = retrieve(table, {"1": "honey bees"}, unit=unit)
            assert runs.results.select("doc_id", "path", "start", "length").rows() == [("a", None, 0, 15), ("a", None, 30, 14)]
    assert retrieve(chunks, {"1": "honey"}, unit="articles").results.select("doc_id", "path", "start").rows() == [("a", None, None)]


def test_what_is_retrieved_is_evaluated_without_a_structure(folder: Path) -> None:
    evidence = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["bees", "wasps"], "start": [20, None], "length": [28, None]})
    with pytest.warns(CollectionWarning, match="dropped"):
        runs = remove_overlap(retrieve(folder, {"1": "honey"}), "child")
    collection = from_frames(evidence)
    assert 0 < run(scores(MAiP), Collection(collection.assessments, runs)).table["mean"].item() <= 1


def test_topics_of_every_kind(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "t.xml").write_text(
        '<topics><topic id="1"><title>honey</title><description>wax</description></topic></topics>'.replace("topics", "inex-topic-file")
    )
    (tmp_path / "t.tsv").write_text("1\thoney\n")
    (tmp_path / "h.tsv").write_text("query_id\tquery\tdescription\n1\thoney\twax\n")
    expected = retrieve(folder, {"1": "honey"}).results
    frame = pl.DataFrame({"qid": [1], "text": ["honey"]})
    for topics in (
        tmp_path / "t.xml",
        str(tmp_path / "t.tsv"),
        [tmp_path / "h.tsv"],
        read_topics(tmp_path / "h.tsv"),
        frame,
        [{"topic_id": "1", "query": "honey"}],
    ):
        assert retrieve(folder, topics).results.equals(expected)
    wax = retrieve(folder, {"1": "wax"}).results
    assert retrieve(folder, tmp_path / "t.xml", field="description").results.equals(wax)
    assert retrieve(folder, tmp_path / "h.tsv", field="description").results.equals(wax)
    assert retrieve(folder, frame.with_columns(question=pl.lit("wax")), field="question").results.equals(wax)


def test_a_list_of_stop_words_may_have_many_empty_lines(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("the\n  # a remark\nof" + "\n" * 100_000)
    begun = time.process_time()
    assert analysis_of(tmp_path / "words.txt", None).stop_words == {"the", "of"}
    assert time.process_time() - begun < 2


def test_stop_words_and_stemming_are_recorded(folder: Path, tmp_path: Path) -> None:
    words = tmp_path / "smart.txt"
    words.write_text("# a list\nthe\nBees | not a stop word elsewhere\n")
    with pytest.warns(CollectionWarning, match=r"topic 1: expected terms that the documents have, found none in \"bees\""):
        runs = retrieve(folder, {"1": "bees", "2": "honey"}, stop_words=words)
    assert runs.run_ids == ("lnu-ltu-stop",)
    assert str(runs.warnings[-1]) == f"run lnu-ltu-stop: 2 stop words from {words} removed"
    assert runs.results["topic_id"].unique().to_list() == ["2"]
    runs = retrieve(folder, {"1": "farms"}, stemmer=lambda term: term.removesuffix("s"), run_id="mine")
    assert found(runs)
    assert (runs.run_ids, str(runs.warnings[-1])) == (("mine",), "run mine: terms stemmed by lambda")


def test_a_stemmer_by_name(folder: Path) -> None:
    pytest.importorskip("snowballstemmer")
    runs = retrieve(folder, {"1": "nesting"}, stemmer="english", stop_words=["from"])
    assert runs.run_ids == ("lnu-ltu-stop-english",)
    assert {doc_id for doc_id, _ in found(runs)} == {"wasps"}
    assert refused(folder, {"1": "honey"}, stemmer="inglish").endswith("did you mean english?")


def test_broken_documents_are_named(folder: Path) -> None:
    (folder / "broken.xml").write_text("<article>\n<p>bees</article>")
    (folder / "sub").mkdir()
    with gzip.open(folder / "ants.xml.gz", "wb") as file:
        file.write(b"<article>other ants</article>")
    message = refused(folder, {"1": "honey"})
    assert (
        f"{folder / 'ants.xml.gz'}: expected each document once, found 'ants' a second time (the first is in {folder / 'ants.xml'})"
        in message
    )
    assert f"{folder / 'broken.xml'}:2: expected well-formed XML, found an error: mismatched tag" in message


def test_what_is_no_document_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / "notes.run").write_text("1 Q0 d 1 1.0 r\n")
    with pytest.warns(CollectionWarning, match=r"1 file is skipped; expected XML documents, found notes.run \(a TREC run \(6 columns\)\)"):
        assert found(retrieve(folder, {"1": "wax"}, unit="articles"))
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty", {"1": "honey"}) == f"{tmp_path / 'empty'}: expected XML documents, found no file"
    assert refused(folder / "notes.run", {"1": "honey"}) == f"{folder / 'notes.run'}: expected XML documents, found a TREC run (6 columns)"
    assert refused(pl.DataFrame({"doc_id": [], "text": []}), {"1": "honey"}) == "documents: expected at least one document, found none"
    assert refused([{"docno": "a"}], {"1": "honey"}) == "documents: expected a column named text, contents or body, found docno"
    assert "documents: row 1: expected one text for document a, found a second one (the first is in row 0" in refused(
        [{"doc_id": "a", "text": "x"}, {"doc_id": "a", "text": "y"}], {"1": "honey"}
    )


def test_topics_without_known_terms_are_named(folder: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        runs = retrieve(folder, {"1": "zebra?", "2": ""})
    assert [str(warning.message) for warning in caught] == [
        'topic 1: expected terms that the documents have, found none in "zebra?": no results',
        "topic 2: expected a query, found none: no results",
    ]
    assert runs.results.is_empty()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "element"}, 'unit: expected "elements" or "articles" or "leaves", found "element"; did you mean "elements"?'),
        ({"articles": 0}, "articles: expected an integer of at least 1, found 0"),
        ({"results": True}, "results: expected an integer of at least 1, found True"),
        ({"slope": 1.5}, "slope: expected a number from 0 to 1, found 1.5"),
        ({"slope": float("nan")}, "slope: expected a number from 0 to 1, found nan"),
        ({"run_id": "a b"}, 'run_id: expected a name of printable characters without white space, found "a b"'),
        ({"run_id": "\udcff"}, 'run_id: expected a name of printable characters without white space, found "\\udcff"'),
        ({"tags": []}, "tags: expected the names of elements, found none"),
        ({"tags": ["secs"]}, 'tags: expected tags of the indexed elements, found "secs"; did you mean sec?'),
        ({"stemmer": 7}, "stemmer: expected a name or a function from terms to terms, found 7"),
    ],
)
def test_options_of_other_values_are_refused(folder: Path, options: dict[str, object], message: str) -> None:
    assert refused(folder, {"1": "honey"}, **options) == message


def test_topics_of_other_kinds_are_refused(folder: Path) -> None:
    assert refused(folder, {}) == "topics: expected at least one topic, found none"
    assert refused(folder, {"1": 7}) == "topics: topic 1: expected the text of a query, found 7"
    assert refused(folder, pl.DataFrame({"topic_id": ["1"]})) == "topics: expected a column named query, text or title, found topic_id"
    assert refused(folder, {1: "honey", "1": "wax"}) == "topics: expected each topic once, found 1 as text and as an integer"
    assert refused(folder, {None: "honey"}) == "topics: expected strings or integers as names of topics, found a Python NoneType"
    assert refused(folder, {"\ud800": "honey"}) == r"topic_id: expected text that UTF-8 can encode, found '\ud800'"


def test_articles_of_score_0_are_searched_for_elements(tmp_path: Path) -> None:
    """A term in every article has weight 0 among articles, but a positive weight among leaves."""
    (tmp_path / "a.xml").write_text("<a><p>honey</p><p>wax</p></a>")
    assert found(retrieve(tmp_path, {"1": "honey"}, unit="articles")) == []
    assert [path for _, path in found(retrieve(tmp_path, {"1": "honey"}))] == ["/a[1]/p[1]", "/a[1]"]


def test_white_space_comments_and_entities(tmp_path: Path) -> None:
    """White space, comments and entities are part of the text, but do not change a score."""
    tidy, spaced = tmp_path / "tidy", tmp_path / "spaced"
    for folder, xml in (
        (tidy, "<a><p>honey bees</p><p>wax</p></a>"),
        (spaced, "<a>\n <p>ho<!-- not this -->ney&#x20;bees</p>\n <p>wax</p>\n</a>"),
    ):
        folder.mkdir()
        (folder / "a.xml").write_text(xml)
    first, second = (retrieve(folder, {"1": "honey"}).results for folder in (tidy, spaced))
    assert first.select("path", "score").equals(second.select("path", "score"))
    assert second.select("start", "length").rows() == [(2, 10), (0, 18)]
    (tidy / "b.xml").write_text("<!DOCTYPE a SYSTEM 'a.dtd'><a>caf&eacute;s</a>")
    assert retrieve(tidy, {"1": "s"}).results.select("doc_id", "length").rows() == [("b", 5)]
