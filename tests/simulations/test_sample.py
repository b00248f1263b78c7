from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest

from inexmetrics import Collection, Runs, sample
from inexmetrics.collection import schemas


@pytest.fixture(scope="module")
def runs(collection: Collection) -> Runs:
    assert collection.runs is not None
    return collection.runs


@pytest.fixture(scope="module")
def structure(collection: Collection) -> pl.DataFrame:
    assert collection.structure is not None
    return collection.structure.elements


@pytest.fixture(scope="module")
def tables(collection: Collection) -> dict[str, pl.DataFrame]:
    return collection.assessments.tables


def share(answers: pl.Series) -> float:
    """Returns the share of rows for which an expression is true."""
    return float(answers.to_numpy().mean())


def test_shape(collection: Collection, runs: Runs, structure: pl.DataFrame) -> None:
    assert len(collection.topics) == 29
    assert list(collection.topics) == sorted(collection.topics, key=int)
    assert len(runs.run_ids) == 30
    assert len({run_id.split("-")[0] for run_id in runs.run_ids}) == 10
    assert structure["doc_id"].n_unique() == 450
    assert collection.kinds == ("elements", "passages", "documents", "assessors")
    assert collection.assessments.scale == "inex2005"
    assert collection.warnings == ()
    assert collection.order == "file"


def test_it_is_loaded_once() -> None:
    assert sample() is sample()


def test_columns_are_those_of_data_that_is_read(runs: Runs, structure: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> None:
    expected = {
        "elements": schemas.ELEMENTS,
        "documents": schemas.DOCUMENTS,
        "passages": schemas.PASSAGES,
        "grades": schemas.GRADES,
        "assessors": schemas.ASSESSORS,
    }
    assert {name: dict(frame.schema) for name, frame in tables.items()} == expected
    assert dict(structure.schema) == schemas.STRUCTURE
    run_id, topic_id = (runs.results.schema[name] for name in ("run_id", "topic_id"))
    assert isinstance(run_id, pl.Enum)
    assert isinstance(topic_id, pl.Enum)
    assert run_id.categories.to_list() == list(runs.run_ids)
    assert topic_id.categories.to_list() == sorted(topic_id.categories.to_list())
    assert dict(runs.results.drop("run_id", "topic_id").schema) == schemas.RESULTS


def test_results_are_grouped_ranked_and_different(runs: Runs) -> None:
    results = runs.results
    assert results.select("run_id", "topic_id").equals(results.select("run_id", "topic_id").sort("run_id", "topic_id"))
    lists = results.group_by("run_id", "topic_id", maintain_order=True).agg(
        ranked=(pl.col("rank") == pl.int_range(1, pl.len() + 1)).all(),
        best=(pl.col("score").first() == pl.col("score").max()),
        different=pl.struct("doc_id", "path").n_unique(),
    )
    assert lists.height == 870
    assert lists["ranked"].all()
    assert lists["best"].all()
    assert lists["different"].unique().to_list() == [250]


def test_results_stand_where_the_structure_says(runs: Runs, structure: pl.DataFrame) -> None:
    placed = runs.results.join(structure, on=["doc_id", "path", "start", "length"], how="semi")
    assert placed.height == runs.results.height


def test_results_suit_every_task(runs: Runs) -> None:
    """Documents are in the order of their best results, each once, and results are not nested."""
    documents = runs.results.with_columns(pl.struct("run_id", "topic_id", "doc_id").rle_id().alias("stay"))
    stays = documents.group_by("run_id", "topic_id", "doc_id", "stay", maintain_order=True).agg(pl.col("score").first(), pl.len())
    assert stays.height == stays.select("run_id", "topic_id", "doc_id").n_unique()
    assert (stays["len"] > 3).any()
    rises = stays.with_columns(pl.col("score").diff().over("run_id", "topic_id").fill_null(0).alias("rise"))
    assert (rises["rise"] <= 0).all()
    end = (pl.col("start") + pl.col("length")).shift(1, fill_value=0).over("stay")
    assert documents.sort("stay", "start", "length").select((pl.col("start") >= end).all()).item()


def test_judged_documents_add_up(tables: dict[str, pl.DataFrame], structure: pl.DataFrame) -> None:
    documents, passages = tables["documents"], tables["passages"]
    highlighted = passages.group_by("topic_id", "doc_id").agg(pl.col("length").sum())
    summed = documents.join(highlighted, on=["topic_id", "doc_id"], how="left").with_columns(pl.col("length").fill_null(0))
    assert (summed["relchars"] == summed["length"]).all()
    assert passages.join(documents, on=["topic_id", "doc_id"], how="anti").is_empty()
    roots = structure.filter(pl.col("path") == "/article[1]").select("doc_id", "length")
    lengths = documents.join(roots, on="doc_id")
    assert (lengths["docchars"] == lengths["length"]).all()
    assert (documents["bep"].is_null() == (documents["relchars"] == 0)).all()
    assert (documents["bep"].drop_nulls() < documents.filter(pl.col("relchars") > 0)["docchars"]).all()
    assert 0.5 < share(documents["relchars"] == 0) < 0.9
    assert documents.select("topic_id", "doc_id").is_duplicated().sum() == 0


def test_elements_are_those_that_passages_meet(tables: dict[str, pl.DataFrame], structure: pl.DataFrame) -> None:
    met = (
        tables["passages"]
        .join(structure, on="doc_id", suffix="_of_element")
        .with_columns(
            rsize=pl.min_horizontal(pl.col("start") + pl.col("length"), pl.col("start_of_element") + pl.col("length_of_element"))
            - pl.max_horizontal("start", "start_of_element")
        )
        .filter(pl.col("rsize") > 0)
        .group_by("topic_id", "doc_id", "path")
        .agg(pl.col("rsize").sum(), size=pl.col("length_of_element").first())
    )
    elements = tables["elements"]
    joined = elements.join(met, on=["topic_id", "doc_id", "path"], how="full", suffix="_met")
    assert joined.height == elements.height == met.height
    assert (joined["size"] == joined["size_met"]).all()
    assert (joined["specificity"] == joined["rsize"] / joined["size"]).all()
    assert elements.select("topic_id", "doc_id", "path").is_duplicated().sum() == 0
    by_topic = elements.group_by("topic_id").len()
    assert by_topic.filter(pl.col("len").is_between(60, 400)).height == 29


def test_parents_are_at_least_as_exhaustive(tables: dict[str, pl.DataFrame]) -> None:
    elements = tables["elements"].select("topic_id", "doc_id", "path", pl.col("exhaustivity").to_physical().alias("code"))
    children = elements.filter(pl.col("path") != "/article[1]").with_columns(parent=pl.col("path").str.replace(r"/[^/]+$", ""))
    pairs = children.join(elements, left_on=["topic_id", "doc_id", "parent"], right_on=["topic_id", "doc_id", "path"], suffix="_of_parent")
    assert pairs.height == children.height
    assert (pairs["code"] <= pairs["code_of_parent"]).all()


def test_too_small_is_abused_now_and_then(tables: dict[str, pl.DataFrame]) -> None:
    small = tables["elements"].filter(pl.col("exhaustivity") == "?")
    assert 0.2 < small.height / tables["elements"].height < 0.5
    assert 0.02 < share(small["size"] > 400) < 0.2


def test_grades_follow_the_exhaustivity_of_the_article(tables: dict[str, pl.DataFrame]) -> None:
    grades = tables["grades"].join(tables["documents"], on=["topic_id", "doc_id"], how="left")
    assert grades.height == tables["documents"].height
    assert ((grades["grade"] > 0) == (grades["relchars"] > 0)).all()
    assert set(grades["grade"]) == {0.0, 1.0, 2.0}
    highly = grades.filter(pl.col("grade") == 2.0).height
    roots = tables["elements"].filter(pl.col("path") == "/article[1]")
    assert highly == roots.filter(pl.col("exhaustivity") == "2").height


def test_assessors_judge_the_same_documents_and_agree_on_most(tables: dict[str, pl.DataFrame]) -> None:
    opinions = tables["assessors"].pivot("assessor", index=["topic_id", "doc_id"], values="grade")
    assert opinions.columns == ["topic_id", "doc_id", "first", "second", "third", "fourth"]  # the baseline is the first in the table
    assert opinions.null_count().sum_horizontal().item() == 0
    grades = opinions.join(tables["grades"], on=["topic_id", "doc_id"])
    assert grades.height == opinions.height
    assert ((grades["first"] > 0) == (grades["grade"] > 0)).all()
    for name in ("second", "third", "fourth"):
        assert 0.75 < share(opinions[name] == opinions["first"]) < 0.9


def test_the_best_results_were_assessed(runs: Runs, tables: dict[str, pl.DataFrame]) -> None:
    first = runs.results.filter(pl.col("rank") <= 10).select(pl.col("topic_id").cast(pl.String), "doc_id")
    assert first.join(tables["documents"], on=["topic_id", "doc_id"], how="semi").height > 0.9 * first.height


def test_loading_needs_no_slow_library() -> None:
    program = (
        "import sys; from inexmetrics.simulations.sample import sample; sample();"
        "print([name for name in ('pandera', 'scipy.stats', 'pandas', 'altair') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
