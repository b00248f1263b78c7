"""Runs that are written to files and read again."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    MAP,
    Collection,
    CollectionError,
    CollectionWarning,
    Runs,
    Structure,
    from_frames,
    read_runs,
    read_structure,
    retrieve,
    run,
    sample,
    scores,
    write_runs,
)
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.retrieval.run_files import FORMATS, RunFormat
from tests.profiles import up_to

ROW = {"run_id": pl.String(), "topic_id": pl.String(), **RESULTS}
NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Zs", "Cc", "Cf"]), min_size=1, max_size=6).filter(
    lambda name: name[0] not in "<{"
)
SCORES = st.floats(-1e300, 1e300)
PATHS = st.sampled_from(["/article[1]", "/article[1]/p[2]", "/a[1]/b[1] /a[1]/c[3]", "/a[1]/text()[1].5"])


def runs_of(rows: Sequence[Mapping[str, object]], run_id: str = "r") -> Runs:
    """Returns a run of rows in the given order, with topics in order."""
    frame = pl.DataFrame([{"run_id": run_id, "topic_id": "1", **row} for row in rows], schema=ROW)
    runs, topics = sorted(frame["run_id"].unique()), sorted(frame["topic_id"].unique())
    frame = frame.with_columns(pl.col("run_id").cast(pl.Enum(runs)), pl.col("topic_id").cast(pl.Enum(topics)))
    return Runs.of(frame.sort("run_id", "topic_id", maintain_order=True), dict.fromkeys(runs, "file"))


def written(runs: Runs, folder: Path, format_: RunFormat, structure: Structure | None = None) -> Runs:
    path = folder / "a.run"
    write_runs(runs, path, format_, structure)
    return read_runs(path, order="file")


def refused(runs: Runs, path: Path, format_: str, structure: Structure | None = None) -> str:
    with pytest.raises(CollectionError) as error:
        write_runs(runs, path, format_, structure)  # type: ignore[arg-type]
    return str(error.value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@up_to(30)
@given(
    st.lists(st.tuples(NAMES, NAMES, SCORES), min_size=1, max_size=6, unique_by=lambda row: row[:2]),
    NAMES,
    st.sampled_from(FORMATS),
    st.data(),
)
def test_runs_are_read_as_they_were(
    folder: Path, rows: list[tuple[str, str, float]], run_id: str, format_: RunFormat, data: st.DataObject
) -> None:
    """Tested with arbitrary names and numbers."""
    found: list[dict[str, object]] = []
    for topic_id, doc_id, score in rows:
        row: dict[str, object] = {"topic_id": topic_id, "doc_id": doc_id, "score": score, "rank": data.draw(st.integers(0, 2000))}
        if format_ == "fol" or (format_ == "inex" and data.draw(st.booleans())):
            row |= {"start": data.draw(st.integers(0, 2**53)), "length": 7}
        elif format_ != "trec":
            row["path"] = data.draw(PATHS)
        found.append(row)
    runs = runs_of(found, run_id)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        back = written(runs, folder, format_)
    assert back.results.equals(runs.results)
    assert back.run_ids == runs.run_ids


DOCUMENT = "<article>One <sec><p>two</p></sec><sec>three</sec></article>"


@pytest.fixture
def structure(tmp_path: Path) -> Structure:
    (tmp_path / "d.xml").write_text(DOCUMENT)
    return read_structure(tmp_path / "d.xml")


def test_places_become_others_where_the_structure_allows(tmp_path: Path, structure: Structure) -> None:
    elements = runs_of(
        [{"doc_id": "d", "path": path} for path in ("/article[1]", "/article[1]/sec[1]", "/article[1]/sec[1] /article[1]/sec[2]")]
    )
    passages = written(elements, tmp_path, "fol", structure)
    assert passages.results.select("path", "start", "length").rows() == [(None, 0, 12), (None, 4, 3), (None, 4, 8)]
    assert written(passages.only(topics=["1"]), tmp_path, "inex").results.select("start", "length").rows() == [(0, 12), (4, 3), (4, 8)]
    two = runs_of([{"doc_id": "d", "start": 0, "length": 12}, {"doc_id": "d", "start": 4, "length": 3}])
    paths = ["/article[1]", "/article[1]/sec[1]"]  # of the section and its only child, the outer one
    assert written(two, tmp_path, "xpath", structure).results["path"].to_list() == paths
    whole = runs_of([{"doc_id": "d"}])
    for format_, expected in (
        ("fol", (None, 0, 12)),
        ("xpath", ("/article[1]", None, None)),
        ("inex", ("/article[1]", None, None)),
        ("trec", (None, None, None)),
    ):
        assert written(whole, tmp_path, format_, structure).results.select("path", "start", "length").row(0) == expected  # type: ignore[arg-type]
    assert written(runs_of([{"doc_id": "d", "start": 0, "length": 12}]), tmp_path, "trec", structure).results["doc_id"].to_list() == ["d"]


def test_a_place_that_is_not_known_stays_so(tmp_path: Path) -> None:
    lost = runs_of([{"doc_id": "d", "start": -1, "length": -1}, {"doc_id": "d", "start": 3, "length": 0}])
    assert written(lost, tmp_path, "fol").results.select("start", "length").rows() == [(-1, -1), (3, 0)]
    lost = runs_of([{"doc_id": "d", "start": -1, "length": -1}, {"doc_id": "d", "path": "/a[1]"}])
    assert written(lost, tmp_path, "xpath").results.select("path", "start").rows() == [(None, -1), ("/a[1]", None)]


def test_ranks_and_scores_that_are_missing(tmp_path: Path) -> None:
    rows = [{"topic_id": topic_id, "doc_id": doc_id, "start": 0, "length": 9} for topic_id, doc_id in (("1", "a"), ("1", "b"), ("2", "a"))]
    assert written(runs_of(rows), tmp_path, "fol").results.select("rank", "score").rows() == [(1, 2.0), (2, 1.0), (1, 1.0)]
    assert written(runs_of(rows), tmp_path, "inex").results.select("rank", "score").rows() == [(None, None)] * 3
    message = refused(runs_of([*rows[:2], rows[2] | {"topic_id": "1", "score": 3.0}]), tmp_path / "a", "fol")
    assert message == (
        "a FOL run: expected a score for every result of a ranking, or for none, found 2 results without, such as document a in run r, topic 1"
    )


def test_results_that_a_format_cannot_hold_are_named(tmp_path: Path, structure: Structure) -> None:
    path = tmp_path / "a.run"
    whole, element, passage, lost = (
        {"doc_id": "d"},
        {"doc_id": "d", "path": "/article[1]/sec[9]"},
        {"doc_id": "d", "start": 1, "length": 2},
        {"doc_id": "d", "start": -1, "length": -1},
    )
    hint = "; a structure may have it (structure=read_structure(path), --structure PATH)"
    known = "; the structure has no element of this extent, or no unused one"
    elsewhere = {"doc_id": "e"}
    fol, trec, xpath, inex = (
        f"{called}: expected results that have {has}, found"
        for called, has in (
            ("a FOL run", "an offset and a length"),
            ("a TREC run", "no place in a document"),
            ("an XPath run", "a path"),
            ("an INEX submission", "a path, or an offset and a length"),
        )
    )
    assert refused(runs_of([whole, element, passage]), path, "fol") == (
        f"{fol} 2 results of another kind: the whole of document d in run r, topic 1, /article[1]/sec[9] of document d in run r, topic 1{hint}"
    )
    assert (
        refused(runs_of([element]), path, "fol", structure)
        == f"{fol} 1 result of another kind: /article[1]/sec[9] of document d in run r, topic 1{known}"
    )
    assert (
        refused(runs_of([elsewhere]), path, "fol", structure)
        == f"{fol} 1 result of another kind: the whole of document e in run r, topic 1{known}"
    )
    assert refused(runs_of([passage]), path, "trec") == f"{trec} 1 result of another kind: 1:2 of document d in run r, topic 1{hint}"
    assert refused(runs_of([element]), path, "trec", structure).endswith(known)
    assert (
        refused(runs_of([passage]), path, "xpath", structure)
        == f"{xpath} 1 result of another kind: 1:2 of document d in run r, topic 1{known}"
    )
    far = runs_of([{"doc_id": "d", "start": -1, "length": 9}])
    for format_, told in (("fol", fol), ("xpath", xpath)):
        assert refused(far, path, format_) == f"{told} 1 result of another kind: -1:9 of document d in run r, topic 1{hint}"
    assert refused(runs_of([lost]), path, "inex") == f"{inex} 1 result of another kind: -1:-1 of document d in run r, topic 1{hint}"
    assert not path.exists()


def test_names_that_a_format_cannot_hold_are_named(tmp_path: Path) -> None:
    assert (
        refused(runs_of([{"doc_id": "a b"}]), tmp_path / "a", "trec")
        == 'a TREC run: expected no white space or NUL, nor < or { at its beginning, in the name of a document, found "a b"'
    )
    assert (
        refused(runs_of([{"doc_id": "d"}], "my run"), tmp_path / "a", "trec")
        == 'a TREC run: expected no white space or NUL, nor < or { at its beginning, in the name of a run, found "my run"'
    )
    assert written(runs_of([{"doc_id": "a b", "path": "/a[1]"}], "my run"), tmp_path, "inex").run_ids == ("my run",)
    message = 'an INEX submission: expected only printable characters in the name of a topic, found "1\\t"'
    assert refused(runs_of([{"topic_id": "1\t", "doc_id": "d", "path": "/a[1]"}]), tmp_path / "a", "inex") == message
    for format_, path in (("inex", "/a[1]\x01"), ("inex", "/a[1]\u3000"), ("inex", "/a[1] "), ("xpath", "/a[1] "), ("xpath", "/a[1]\x00")):
        assert " in the name of a path, found " in refused(runs_of([{"doc_id": "d", "path": path}]), tmp_path / "a", format_)
    assert "name of a document" in refused(runs_of([{"doc_id": "d\x00"}]), tmp_path / "a", "trec")


def test_an_order_that_scores_do_not_give_is_warned_of(tmp_path: Path) -> None:
    """A TREC run is read by score, with ties by document descending; these two results are in the opposite order."""
    runs = runs_of(
        [{"doc_id": "a", "score": 2.0, "rank": 1}, {"doc_id": "b", "score": 2.0, "rank": 2}, {"doc_id": "c", "score": 1.0, "rank": 3}]
    )
    with pytest.warns(
        CollectionWarning,
        match=r"run r: 2 results are not in score order, .*; TREC runs are read in that order unless order=\"file\" is given",
    ):
        write_runs(runs, tmp_path / "a.run", "trec")
    assert read_runs(tmp_path / "a.run", order="file").results.equals(runs.results)


def test_several_runs_go_into_a_folder(tmp_path: Path) -> None:
    both = from_frames({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}).runs
    assert both is not None
    message = f"{tmp_path / 'no'}: expected a single run or an existing folder, found 2 runs"
    assert refused(both, tmp_path / "no", "trec") == message
    write_runs(both, tmp_path, "trec")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["x.run", "y.run"]
    assert read_runs(tmp_path).results.select("run_id", "doc_id", "score").equals(both.results.select("run_id", "doc_id", "score"))
    assert refused(runs_of([{"doc_id": "a"}], "../x"), tmp_path, "trec") == "run ../x: expected the name of the run to be a valid file name"
    assert "because hidden files of a folder are not read" in refused(runs_of([{"doc_id": "a"}], ".x"), tmp_path, "trec")
    write_runs(runs_of([{"doc_id": "a"}], ".x"), tmp_path / ".x.run", "trec")
    assert read_runs(tmp_path / ".x.run").run_ids == (".x",)
    assert refused(both, tmp_path, "csv") == 'format: expected "fol" or "trec" or "xpath" or "inex" or "parquet", found "csv"'


def test_what_is_retrieved_is_read_as_it_was(tmp_path: Path) -> None:
    articles = tmp_path / "articles"
    articles.mkdir()
    (articles / "d.xml").write_text("<article>One <sec>and <p>two</p></sec><sec>three</sec></article>")
    (articles / "e.xml").write_text("<article>four <p>two</p></article>")
    for unit in ("elements", "articles", "leaves"):
        runs = retrieve(articles, {"1": "two three", "2": "one"}, unit=unit)
        assert written(runs, tmp_path, "fol").results.equals(runs.results.with_columns(pl.lit(None, pl.String).alias("path")))
        nowhere = runs.results.with_columns(pl.lit(None, pl.Int64).alias(name) for name in ("start", "length"))
        assert written(runs, tmp_path, "xpath").results.equals(nowhere)
        assert written(runs, tmp_path, "inex").results.equals(nowhere)


TEXTS = st.sampled_from(["", " ", "honey", "honey bee", "wax"])
TREES = st.recursive(TEXTS, lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=8)


def xml_of(tree: str | list[object], tag: str = "article") -> str:
    inner = tree if isinstance(tree, str) else "".join(xml_of(part, "p" if isinstance(part, str) else "sec") for part in tree)  # type: ignore[arg-type]
    return f"<{tag}>{inner}</{tag}>"


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@up_to(20)
@given(trees=st.lists(TREES, min_size=1, max_size=3), data=st.data())
def test_elements_of_equal_extent_are_written_once_each(
    tmp_path_factory: pytest.TempPathFactory, trees: list[str | list[object]], data: st.DataObject
) -> None:
    """For any documents, every written file can be read; elements in document order are equal after reading."""
    folder = tmp_path_factory.mktemp("equal")
    (folder / "docs").mkdir()
    for number, tree in enumerate(trees):
        (folder / "docs" / f"d{number}.xml").write_text(xml_of(tree))
    structure = read_structure(folder / "docs")
    elements = structure.elements.select("doc_id", "path").rows(named=True)
    kept = elements if data.draw(st.booleans()) else data.draw(st.permutations(elements))
    runs = runs_of([{**row, "score": float(len(kept) - at), "rank": at} for at, row in enumerate(kept)])
    passages = written(runs, folder, "fol", structure)
    back = written(passages, folder, "xpath", structure)
    assert sorted(back.results.select("doc_id", "path").rows()) == sorted((row["doc_id"], row["path"]) for row in elements)
    assert written(back, folder, "fol", structure).results.equals(passages.results)
    if kept == elements:
        assert back.results.equals(runs.results)
    assert written(passages, folder, "inex", structure).results.height == len(elements)
    for unit in ("elements", "leaves"):
        found = retrieve(folder / "docs", {"1": "honey bee", "2": "wax"}, unit=unit, articles=9)
        if found.results.height:
            assert written(written(found, folder, "fol"), folder, "xpath", structure).results.height == found.results.height


def test_a_repeated_extent_without_a_further_element_is_refused(tmp_path: Path, structure: Structure) -> None:
    section = {"doc_id": "d", "start": 4, "length": 3}
    back = written(runs_of([section] * 2), tmp_path, "xpath", structure)
    assert back.results["path"].to_list() == ["/article[1]/sec[1]", "/article[1]/sec[1]/p[1]"]
    one: list[Mapping[str, object]] = [{"doc_id": "d", "path": "/article[1]/sec[1]"}, section]
    assert written(runs_of(one), tmp_path, "xpath", structure).results["path"].to_list() == back.results["path"].to_list()
    path = tmp_path / "none"
    message = "an XPath run: expected results that have a path, found 1 result of another kind: 4:3 of document d in run r, topic 1; "
    assert refused(runs_of([section, section, section]), path, "xpath", structure).startswith(message)
    submission = written(runs_of([section, section, section]), tmp_path, "inex", structure).results
    assert submission["path"].to_list() == [*back.results["path"], None]
    whole = [{"doc_id": "d"}, {"doc_id": "d", "path": "/article[1]"}]
    for format_, called in (("trec", "a TREC run"), ("xpath", "an XPath run"), ("inex", "an INEX submission")):
        message = f"{called}: expected each result once in a topic, found 1 repeated result, such as "
        assert refused(runs_of(whole), path, format_, structure).startswith(message)
    assert not path.exists()


def test_the_outermost_element_comes_first_in_any_table(tmp_path: Path) -> None:
    rows = [("d", "/a[1]/b[1]/c[1]", 0, 5), ("d", "/a[1]/b[1]", 0, 5), ("d", "/a[1]", 0, 9)]
    pl.DataFrame(rows, schema=["doc_id", "path", "start", "length"], orient="row").write_csv(tmp_path / "s.tsv", separator="\t")
    passage = {"doc_id": "d", "start": 0, "length": 5}
    found = written(runs_of([passage]), tmp_path, "xpath", read_structure(tmp_path / "s.tsv"))
    assert found.results["path"].to_list() == ["/a[1]/b[1]"]


def test_runs_read_from_parquet_have_the_same_results_in_the_same_order(tmp_path: Path) -> None:
    collection = sample()
    assert collection.runs is not None
    write_runs(collection.runs, tmp_path / "r.parquet", "parquet")
    with pytest.warns(CollectionWarning, match="contradict the ranking"):
        read = read_runs(tmp_path / "r.parquet")
    again = Collection(collection.assessments, read, collection.structure)
    assert again.fingerprint == collection.fingerprint
    assert run(scores(MAP), again).tables["per_topic"].equals(run(scores(MAP), collection).tables["per_topic"])
