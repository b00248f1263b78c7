"""Every argument is either accepted, or rejected with a message that says what was expected and what was found."""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

import inexmetrics
from inexmetrics import (
    MAP,
    Collection,
    CollectionWarning,
    Family,
    FormulaError,
    Gen5,
    MAep,
    MAiP,
    P,
    Runs,
    Term,
    evaluator,
    from_frames,
    keep_first,
    parse,
    pool,
    run,
    scores,
    scores_from,
    significance,
    t,
)
from inexmetrics.formula.hints import example_formula
from inexmetrics.terms.lexicon import Entry
from inexmetrics.terms.term import parameters, terms_within
from tests.examples import own

WRONG = [
    5,
    -1,
    1.5,
    float("nan"),
    True,
    "x",
    b"x",
    None,
    object(),
    (1, 2),
    [],
    {},
    np.zeros(3),
    np.array("x"),
    pl.LazyFrame({"a": [1]}),
    pl.DataFrame({"a": [1]}),
    MAP,
    Gen5,
    t,
    P,
    int,
]

JUDGED = {"1": {"a": 1, "b": 0}}
RETRIEVED = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}
COLLECTION = from_frames(JUDGED, RETRIEVED)
CHUNKS = pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "start": [0], "length": [5]})
HIGHLIGHTED = from_frames(CHUNKS, CHUNKS)
assert COLLECTION.runs is not None
RUNS: Runs = COLLECTION.runs
SCORES = scores_from(pl.DataFrame({"topic": ["1"], "x": [0.5], "y": [0.4]}), "MAP")
MEANS = run(scores(MAP), COLLECTION)
CLAIMS = run(significance(MAP), scores_from(pl.DataFrame({"topic": ["1", "2", "3"], "x": [0.5, 0.6, 0.8], "y": [0.4, 0.3, 0.2]}), "MAP"))
MADE = evaluator(MAP, JUDGED)
WORDS = own(Term)


class Call(NamedTuple):
    """A function, and valid arguments of this function."""

    function: Callable[..., object]
    arguments: dict[str, object]


def call(function: Callable[..., object], **arguments: object) -> Call:
    return Call(function, arguments)


def calls(folder: Path) -> dict[str, Call]:
    """Returns every public function that is not a word, and the methods that users call."""
    (folder / "a.qrels").write_text("1 0 a 1\n")
    (folder / "a.run").write_text("1 Q0 a 1 2 x\n")
    (folder / "places.tsv").write_text("doc_id\tpath\tstart\tlength\na\t/a[1]\t0\t5\n")
    (folder / "topics.tsv").write_text("1\thoney\n")
    (folder / "links.csv").write_text("doc_id,to_doc_id\na,b\n")
    functions: dict[str, dict[str, object]] = {
        "assessor_agreement": {"assessments": from_frames({"ann": JUDGED, "bob": JUDGED}).assessments},
        "evaluator": {"measures": "MAP + nDCG@10", "judgements": JUDGED},
        "from_frames": {"assessments": JUDGED, "runs": RETRIEVED},
        "inex_eval_report": {"experiment": scores(MAiP), "collection": HIGHLIGHTED},
        "locate_quotations": {"texts": {"a": "honey"}, "quotations": {"topic_id": ["1"], "quotation": ["honey"]}},
        "parse": {"text": "MAP", "sort": Term},
        "plan": {"runs": RUNS, "measure": P @ 2, "budget": 2, "judge": JUDGED, "judged": {"1": {"a": 1}}},
        "pool": {"runs": RUNS, "n": 1},
        "pool_coverage": {"pooled": pool(RUNS, 1), "assessments": COLLECTION.assessments},
        "read_assessments": {"path": folder / "a.qrels"},
        "read_links": {"path": folder / "links.csv"},
        "read_runs": {"path": folder / "a.run"},
        "read_structure": {"path": folder / "places.tsv"},
        "read_topics": {"path": folder / "topics.tsv"},
        "retrieve": {"documents": {"doc_id": ["a"], "text": ["honey"]}, "topics": {"1": "honey"}},
        "run": {"experiment": scores(MAP), "collection": COLLECTION},
        "schema_of": {"table": "per_topic"},
        "scores_from": {"source": pl.DataFrame({"topic": ["1"], "x": [0.5]})},
        "write_runs": {"runs": RUNS.only("x"), "path": folder / "x.run", "format": "trec"},
    }
    return {name: Call(getattr(inexmetrics, name), arguments) for name, arguments in functions.items()} | {
        "Collection": call(Collection, assessments=COLLECTION.assessments),
        "Collection.by_system": call(COLLECTION.by_system, systems={"all": ["x", "y"]}),
        "Collection.only": call(COLLECTION.only),
        "Collection.with_runs": call(COLLECTION.with_runs, runs=RUNS),
        "Evaluator.means": call(MADE.means, run=RETRIEVED["x"]),
        "Evaluator.per_topic": call(MADE.per_topic, run=RETRIEVED["x"]),
        "Preparation": call(keep_first(1), runs=RUNS),
        "Runs.only": call(RUNS.only),
        "Scores.by_system": call(SCORES.by_system, systems={"all": [*SCORES.runs]}),
        "Scores.only": call(SCORES.only),
        "Scores.matrix": call(SCORES.matrix, measure="MAP"),
        "SignificanceResult.true_at_least": call(CLAIMS.true_at_least, rows=pl.col("significant")),
        "Result.named": call(MEANS.named),
        "Result.schema": call(MEANS.schema, table="per_topic"),
        "Result.to_text": call(MEANS.to_text),
        "Result.to_metrics": call(MEANS.to_metrics),
        "Result.to_markdown": call(MEANS.to_markdown),
        "Result.to_latex": call(MEANS.to_latex),
        "Result.save": call(MEANS.save, path=folder / "x.svg"),
        "Result.report": call(MEANS.report, path=folder / "x.html"),
    }


SAYS = ("expected ", "unknown ", "is written twice", "concerns character")
"""Pattern of the part of an error that describes what was found."""


def refused(function: Callable[[], object], where: str) -> None:
    """Checks that a wrong argument raises a `ValueError` with a message of the package; accepted arguments need no message."""
    message = message_of(function)
    assert message is None or any(says in message for says in SAYS), f"{where}: {message}"


def message_of(function: Callable[[], object]) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)  # arguments may be accepted with a warning
            function()
    except ValueError as error:
        return str(error)
    return None


def test_of_functions_and_methods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where a text that is taken for a path is written
    known = calls(tmp_path)
    functions = {name for name in inexmetrics.__all__ if inspect.isfunction(getattr(inexmetrics, name))}
    assert functions - {entry.word for entry in WORDS} - {"links", "measure", "quantisation", "sample"} <= known.keys()
    for name, (function, arguments) in known.items():
        function(**arguments)
        for argument in inspect.signature(function).parameters:
            for value in WRONG:
                if argument == "stemmer" and callable(value):
                    continue  # a function from terms to terms, whose errors are its own
                refused(partial(function, **{**arguments, argument: value}), f"{name}({argument}={value!r})")


def valid(entry: Entry) -> tuple[list[object], dict[str, object]]:
    """Returns arguments of a word's function, by position and by name: those in the word's example formula."""
    formula = example_formula(entry, parse)
    assert formula is not None
    term = next(found for found in terms_within(parse(formula)) if isinstance(found, entry.sort))
    positional: list[object] = []
    named: dict[str, object] = {}
    for name, parameter in inspect.signature(entry.make).parameters.items():
        if name == "terms":  # of `agreement`, whose attributes have other names
            positional += [MAep, (Gen5, inexmetrics.BinExh)]
        elif parameter.kind is parameter.VAR_POSITIONAL:
            positional += getattr(term, name)
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            positional.append(getattr(term, name))
        elif parameter.default is parameter.empty:
            named[name] = getattr(term, name)
    return positional, named


@pytest.mark.parametrize("entry", WORDS, ids=lambda entry: entry.word)
def test_of_words(entry: Entry) -> None:
    made = getattr(inexmetrics, entry.word)
    if isinstance(made, Term):
        change: Callable[..., object] = getattr(inexmetrics, entry.word)
        for name in parameters(type(made)):
            for value in WRONG:
                refused(partial(change, **{name: value}), f"{entry.word}({name}={value!r})")
        if isinstance(made, Family):
            for value in WRONG:
                refused(partial(operator.matmul, made, value), f"{entry.word}@{value!r}")
        return
    first, others = valid(entry)
    made(*first, **others)
    for place in range(len(first)):
        for value in WRONG:
            refused(partial(made, *first[:place], value, *first[place + 1 :], **others), f"{entry.word}, argument {place + 1}: {value!r}")
    for name, parameter in inspect.signature(made).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY:
            for value in WRONG:
                refused(partial(made, *first, **{**others, name: value}), f"{entry.word}({name}={value!r})")


def test_the_second_argument_of_an_experiment_says_what_it_may_be() -> None:
    with pytest.raises(FormulaError) as caught:
        scores(MAP, 1)  # type: ignore[arg-type]  # a mistake
    assert str(caught.value) == (
        "scores: quantisation: expected a quantisation or a selection of judgements, found 1\n"
        "  hint: omit it, or write None, if there is no quantisation"
    )


def test_one_topic_is_one_topic() -> None:
    """A text is one name, not one name per letter."""
    both = from_frames({"1": {"a": 1}, "2": {"a": 1}, "12": {"a": 1}}, {"x": {topic: {"a": 1.0} for topic in ("1", "2", "12")}})
    assert both.runs is not None
    assert both.runs.only(topics="12").results["topic_id"].cast(pl.String).to_list() == ["12"]


def test_columns_of_scores_by_name() -> None:
    assert scores_from({"topic": ["1", "2"], "x": [0.5, 0.25]}, "MAP").matrix("MAP").tolist() == [[0.5, 0.25]]
