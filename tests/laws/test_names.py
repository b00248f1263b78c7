"""Law of names: what runs, documents, topics and assessors are called changes no score.

Everything is renamed so that the lexicographic order of the names is reversed. Where an experiment or a condition draws at random, the draw
goes through topics or documents in the order of their names; these words are listed, and their law is that names in the same order change
nothing.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np
import polars as pl
import pytest

import inexmetrics.vocabulary  # noqa: F401  # declares every word
from inexmetrics import (
    Assessments,
    Collection,
    CollectionWarning,
    Preparation,
    Result,
    Scores,
    from_frames,
    parse,
    run,
    sample,
    scores_from,
)
from inexmetrics.judgements.base import Judgements
from inexmetrics.quantisations.base import DocumentQuantisation, Quantisation
from tests.examples import EXAMPLES, own
from tests.laws.test_measures import KNOWN_BY_SCORES, LAWFUL, quantisation_of

TOLERANCE: Final = 1e-9
"""Means add up topics in the order of their names, so that the last bits may differ."""
Name = Callable[[str], str]


def reversed_text(text: str) -> str:
    """Returns a text whose lexicographic order among texts of the same length is reversed."""
    return "".join(chr(0x7E - (ord(character) - 0x21)) if character.isascii() and character.isalnum() else character for character in text)


@dataclass(frozen=True)
class Renaming:
    """New names by old name, for runs, documents, topics and assessors.

    Attributes:
        runs: Names of runs; runs of one group, whose name is before a hyphen, stay in one group.
        documents: Names of documents.
        topics: Names of topics.
        assessors: Names of assessors.
    """

    runs: Mapping[str, str]
    documents: Mapping[str, str]
    topics: Mapping[str, str]
    assessors: Mapping[str, str]

    @property
    def all(self) -> dict[str, str]:
        return {**self.runs, **self.documents, **self.topics, **self.assessors}

    def formula(self, text: str) -> str:
        """Returns a formula in which the names in quotes are replaced."""
        return re.sub(r'"([^"]+)"', lambda quoted: f'"{self.all.get(quoted[1], quoted[1])}"', text)

    def collection(self, collection: Collection) -> Collection:
        """Returns the same collection with other names; rows stay in their order."""
        names = {"run_id": self.runs, "doc_id": self.documents, "topic_id": self.topics, "assessor": self.assessors}

        def renamed(frame: pl.DataFrame) -> pl.DataFrame:
            columns = [pl.col(name).cast(pl.String).replace(names[name]) for name in names if name in frame.columns]
            return frame.with_columns(columns)

        judged, runs, structure = collection.assessments, collection.runs, collection.structure
        assert runs is not None
        assert structure is not None
        tables = {kind: renamed(frame) for kind, frame in judged.tables.items()}
        assessments = Assessments(**tables, topics=tuple(self.topics[topic] for topic in judged.topics))  # type: ignore[arg-type]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            return from_frames(assessments, renamed(runs.results), renamed(structure.elements), order="file")


@cache
def original() -> Collection:
    """Returns some runs and topics of the sample."""
    whole = sample()
    assert whole.runs is not None
    return whole.only(runs=[name for name in whole.runs.run_ids if name[:7] in {"group01", "group02", "group07"}], topics=whole.topics[:14])


def renaming(change: Callable[[list[str], str], dict[str, str]]) -> Renaming:
    """Returns new names for the sample; `change` renames a sorted list of names, and takes a prefix."""
    whole = original()
    assert whole.runs is not None
    assert whole.structure is not None
    documents = {*whole.runs.results["doc_id"].cast(pl.String), *whole.structure.elements["doc_id"]}
    for frame in whole.assessments.tables.values():
        documents.update(frame["doc_id"])
    groups = change(sorted({name.partition("-")[0] for name in whole.runs.run_ids}), "g")
    members = change(sorted({name.partition("-")[2] for name in whole.runs.run_ids}), "m")
    runs = {name: f"{groups[name.partition('-')[0]]}-{members[name.partition('-')[2]]}" for name in whole.runs.run_ids}
    return Renaming(
        runs, change(sorted(documents), "d"), change(sorted(whole.topics), "t"), change(sorted(whole.assessments.assessor_names), "a")
    )


@cache
def backwards() -> tuple[Renaming, Collection]:
    names = renaming(lambda old, prefix: {name: f"{prefix}{99999 - place}" for place, name in enumerate(old)})
    return names, names.collection(original())


@cache
def in_order(*kept: str) -> tuple[Renaming, Collection]:
    """Returns other names in the same order; the kinds of names that are in `kept` are unchanged."""
    names = renaming(lambda old, prefix: {name: f"{prefix}{10000 + place}x" for place, name in enumerate(old)})
    names = replace(names, **{kind: {name: name for name in getattr(names, kind)} for kind in kept})
    return names, names.collection(original())


def quietly(formula: str, collection: Collection | Scores) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return run(formula, collection)


def without_ties(table: pl.DataFrame) -> pl.DataFrame:
    """Returns a table in which the runs of a pair with equal means are ordered by their first names, as its documentation says."""
    signed = [name for name in ("difference", "difference_truth", "difference_predictor", "difference_judge") if name in table.columns]
    if not {"better", "worse"} <= {*table.columns} or not signed:
        return table
    by = "difference_truth" if "difference_truth" in signed else signed[0]
    turned = (pl.col(by).abs() <= TOLERANCE) & (pl.col("better") > pl.col("worse"))
    swapped = [pl.when(turned).then(one).otherwise(other).alias(other) for one, other in (("better", "worse"), ("worse", "better"))]
    return table.with_columns(*swapped, *(pl.when(turned).then(-pl.col(name)).otherwise(name).alias(name) for name in signed))


def comparable(table: pl.DataFrame, back: Mapping[str, str]) -> pl.DataFrame:
    """Returns a table with its first names, sorted by all that is no float."""
    texts = [name for name, dtype in table.schema.items() if dtype == pl.String]
    named = table.with_columns(pl.col(name).replace(back) for name in texts)
    quoted = pl.col(texts).map_elements(
        lambda text: re.sub(r'"([^"]+)"', lambda found: f'"{back.get(found[1], found[1])}"', text), return_dtype=pl.String
    )
    named = without_ties(named.with_columns(quoted) if texts else named)
    exact = [name for name, dtype in table.schema.items() if dtype != pl.Float64]
    return named.sort(exact or named.columns, nulls_last=True)


def differences(one: Result, other: Result, back: Mapping[str, str]) -> list[str]:
    """Returns the columns that differ, apart from rounding and the order of rows, with their first values that do."""
    assert list(one.tables) == list(other.tables)
    found = []
    for name, table in one.tables.items():
        first, second = comparable(table, {}), comparable(other.tables[name], back)
        if first.schema != second.schema or first.height != second.height:
            found.append(f"{name}: {first.height} and {second.height} rows, {first.columns} and {second.columns}")
            continue
        for column, dtype in first.schema.items():
            here, there = first[column], second[column]
            if dtype == pl.Float64:
                one_way, other_way = (each.fill_null(np.nan).to_numpy() for each in (here, there))
                apart = ~np.isclose(one_way, other_way, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
                apart |= here.is_null().to_numpy() != there.is_null().to_numpy()
            else:
                apart = np.array([one != other for one, other in zip(here, there, strict=True)], dtype=bool)
            if apart.any():
                row = int(apart.argmax())
                found.append(f"{name}: {column}: {here[row]} and, with other names, {there[row]}")
    return found


def in_datasets(collection: Collection, topics: Mapping[str, str]) -> Scores:
    """Returns scores whose topics, given by their first names and names, belong to the datasets x, y and z in turn."""
    rows = quietly("scores(MAP + P@10 + MAP(rel=2))", collection).tables["per_topic"]
    of_topic = {name: "xyz"[place % 3] for place, (_, name) in enumerate(sorted(topics.items()))}
    return scores_from(rows.with_columns(dataset=pl.col("topic_id").replace_strict(of_topic)), clusters="dataset")


def unlike(formula: str, renamed: tuple[Renaming, Collection]) -> list[str]:
    """Returns the tables of a formula's result that differ when everything has another name."""
    names, collection = renamed
    back = {new: old for old, new in names.all.items()}
    source = in_datasets(collection, names.topics) if "within=" in formula else collection
    return differences(of_original(formula), quietly(names.formula(formula), source), back)


def check_like(formula: str, renamed: tuple[Renaming, Collection]) -> None:
    """Checks that no table of a formula's result depends on names."""
    found = unlike(formula, renamed)
    assert not found, (
        f"columns that depend on the names of runs, topics, documents or assessors: {'; '.join(found)}. Of several that are tied, a table "
        "shows all or none; an experiment that draws topics or documents is named in SEEDED"
    )


@cache
def of_original(formula: str) -> Result:
    """Returns the result of a formula with the first names, which is compared with those of several renamings."""
    whole = original()
    return quietly(formula, in_datasets(whole, {name: name for name in whole.topics}) if "within=" in formula else whole)


MEASURED = [
    f"scores({measure}{'' if quantisation_of(measure) is None else f' ~ {quantisation_of(measure)}'})"
    for word, measures in LAWFUL.items()
    if word not in KNOWN_BY_SCORES
    for measure in measures
]


@pytest.mark.parametrize("formula", MEASURED)
def test_names_change_no_score_of_a_measure(formula: str) -> None:
    check_like(formula, backwards())


CONDITIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "assessor": ('MAP ~ assessor("third")',),
    "jury": ('MAP ~ jury("second", "first", "third", by="median")', 'nDCG ~ jury("first", "fourth", by="majority")'),
    "pooled": ("MAP ~ pooled(3)", "MAP + nDCG@10 ~ pooled(documents=5)", "MAep ~ pooled(quantisation=Gen5, documents=2)"),
    "sampled": ("MAP ~ sampled(0.3)", 'MAP ~ sampled(0.3, assessor("second"), seed=1)'),
    "topics": ("MAP ~ topics(5)",),
    "weighted": ("P@10 ~ weighted(0.4)", 'nDCG@5 ~ weighted(0.4, judge=assessor("second"))'),
}
"""Conditions of each word that selects judgements."""
DRAWN: Final = {
    "sampled": "documents are drawn in lexicographic order",
    "topics": "topics are drawn in lexicographic order",
    "weighted": "documents are drawn in lexicographic order of topics and documents",
}
"""Conditions that draw at random, and the order in which they draw."""


def test_every_condition_has_an_example() -> None:
    # estimated reads a file that names its documents and the fingerprint of its runs
    assert {entry.word for entry in own(Judgements)} - {"estimated"} == CONDITIONS.keys()


@pytest.mark.parametrize(("word", "condition"), [(word, text) for word, texts in CONDITIONS.items() for text in texts])
def test_names_change_no_score_of_a_condition(word: str, condition: str) -> None:
    renamed = in_order() if word in DRAWN else backwards()
    check_like(f"scores({condition})", renamed)


QUANTISATIONS = [
    entry.word for entry in own(Quantisation) if isinstance(entry.value, Quantisation) and not isinstance(entry.value, DocumentQuantisation)
]
OF_2004: Final = {"Strict4", "Gen4", "SOG", "AnyRel", "E3S321", "E3S32", "E321S3", "E32S3"}
"""Quantisations that need the scale of INEX 2004 where judgements are on that scale; the sample's elements have the scale of 2005."""


def test_names_change_no_gain_of_a_quantisation() -> None:
    terms = [
        *(word for word in QUANTISATIONS if word not in OF_2004),
        "without_too_small(BinExh)",
        "min_size(BinExh, 200)",
        "threshold(Gen5, 0.5)",
    ]
    assert len(terms) > 6
    check_like(f"scores(MAep + inex_eval ~ {' + '.join(terms)})", backwards())
    check_like("scores(MAEPRUM ~ votes + by_grade(3))", backwards())


PREPARATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "best_entry": ('best_entry("first")', 'best_entry("best")'),
    "drop_query": ("drop_query",),
    "group_by_document": ("group_by_document", 'group_by_document(order="document")'),
    "keep_characters": ("keep_characters(3000)",),
    "keep_first": ("keep_first(20)",),
    "remove_overlap": ('remove_overlap("child")', 'remove_overlap("section")', 'remove_overlap("correlation")'),
}


def test_every_preparation_has_an_example() -> None:
    assert {entry.word for entry in own(Preparation)} == PREPARATIONS.keys()


@pytest.mark.parametrize("preparation", [text for texts in PREPARATIONS.values() for text in texts])
def test_names_change_no_prepared_run(preparation: str) -> None:
    names, collection = backwards()
    prepared = []
    for whole in (original(), collection):
        assert whole.runs is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            prepared.append(parse(preparation, Preparation)(whole.runs, structure=whole.structure).results)
    back = {new: old for old, new in names.all.items()}
    told = ["run_id", "topic_id", "doc_id"]
    first, second = (
        frame.with_columns(pl.col(told).cast(pl.String).replace(change)).sort("run_id", "topic_id", maintain_order=True)
        for frame, change in zip(prepared, ({}, back), strict=True)
    )
    assert first.equals(second)


SEEDED: Final = {
    "assessors": "documents are drawn in lexicographic order of topics and documents",
    "calibration": "topics of the boards are drawn in lexicographic order",
    "degradation": "the elements of a topic move by random numbers that the name of the topic selects, in lexicographic order of documents",
    "design": "topics(n) is drawn in lexicographic order",
    "error_rate": "topics are split in lexicographic order",
}
"""Experiments whose random draws go through topics or documents in the order of their names."""
RESAMPLED: Final = ("bootstrap", "stepdown", "tukey", "randomisation", "resamples", "topics(", "sampled(", "weighted(")
"""Words in formulas that draw topics or documents in lexicographic order."""
FORMULAS = [(word, formula) for word, formulas in EXAMPLES.items() for formula in formulas]


@pytest.mark.parametrize(("word", "formula"), FORMULAS)
def test_names_change_no_number_of_an_experiment(word: str, formula: str) -> None:
    seeded = word in SEEDED or any(name in formula for name in RESAMPLED)
    renamed = backwards() if not seeded else in_order("topics") if word == "degradation" else in_order()
    check_like(formula, renamed)


def test_ties_of_scores_are_broken_as_trec_eval_breaks_them() -> None:
    """The exception: documents with equal scores in runs that are ordered by score are ordered by their names, in descending order."""
    for relevant, other, mean in (("b", "a", 1.0), ("a", "b", 0.5)):
        tied = from_frames({"1": {relevant: 1, other: 0}}, {"x": {"1": {"a": 0.5, "b": 0.5}}})
        assert run("scores(MAP)", tied).table["mean"].to_list() == [mean]
