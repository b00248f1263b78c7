from __future__ import annotations

import copy
import json
import pickle

import polars as pl
import pytest

from inexmetrics import (
    MAP,
    BinExh,
    CollectionError,
    Experiment,
    FormulaError,
    Gen5,
    MAep,
    P,
    Scores,
    Strict5,
    agreement,
    bootstrap,
    correlation,
    curve,
    error_rate,
    from_frames,
    parse,
    run,
    scores,
    significance,
    t,
    unadjusted,
    versus,
)
from inexmetrics.common.options import RunOptions
from inexmetrics.common.public_names import __version__
from inexmetrics.experiments.tables import tables_of

TILDE = r"\textasciitilde{}"

EVERY: tuple[Experiment, ...] = (
    scores(MAep, (Gen5, Strict5)),
    significance((MAP, P @ 10), test=bootstrap(b=500)),
    agreement(Gen5, BinExh, measure=MAep, test=t, correction=unadjusted),
    error_rate(MAP, tests=(bootstrap(b=500), t), splits=3),
    versus("b", MAP, test=t),
    correlation((MAP, P @ 10), of="runs"),
)


@pytest.mark.parametrize("experiment", EVERY, ids=lambda experiment: experiment.word)
def test_laws_of_results(experiment: Experiment, small: Scores) -> None:
    result = experiment.answer(small, RunOptions())
    assert experiment.answer(small, RunOptions()).to_json() == result.to_json()
    assert parse(str(experiment), Experiment).answer(small, RunOptions()).to_json() == result.to_json()
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert type(again) is type(result)
        assert again.to_json() == result.to_json()
        assert str(again) == str(result)
    assert str(result).split("\n")[:3] == [str(experiment), str(result.origin), ""]
    assert str(result).split("\n\n")[1].replace("\n", " ") == result.finding
    assert str(result.origin).startswith(f"{result.origin.topics} topics, {result.origin.runs} runs; order: {small.order}")
    assert result.table is next(iter(result.tables.values()))
    stated = tables_of(type(result))
    for name, frame in result.tables.items():
        stated[name].validate(frame)
    assert result.to_markdown().startswith("| ")
    latex = result.to_latex().splitlines()
    _, *under, outer = latex[latex.index(r"\end{tabular}") :]
    assert outer in {r"\end{table}", r"\end{table*}"}
    escaped = [
        warning.replace("~", TILDE).replace('"', r"\char34{}").replace("--", "-{}-").replace("|", r"\textbar{}")
        for warning in result.warnings
    ]
    warned = [rf"\par\smallskip{{\footnotesize Warning: {text}.\par}}" for text in escaped]
    assert under == warned


@pytest.mark.parametrize("experiment", EVERY, ids=lambda experiment: experiment.word)
def test_parse_gives_the_experiment_back(experiment: Experiment) -> None:
    assert parse(str(experiment)) == experiment
    assert hash(parse(str(experiment))) == hash(experiment)
    assert parse(str(experiment), type(experiment)) == experiment


def test_json_says_what_it_was_computed_from(small: Scores) -> None:
    document = json.loads(scores(MAep, Strict5).result(small, RunOptions()).to_json())
    assert list(document) == [
        "schema",
        "experiment",
        "version",
        "collection",
        "order",
        "compat",
        "prepare",
        "warnings",
        "finding",
        "tables",
    ]
    assert document["experiment"] == "scores(MAep ~ Strict5)"
    assert document["version"] == __version__
    assert document["collection"] == {
        "topics": 4,
        "runs": 3,
        "assessments": ["scores"],
        "fingerprint": small.fingerprint,
        "source": None,
        "read": [],
    }
    assert (document["order"], document["compat"], document["prepare"]) == (small.order, None, [])
    assert document["finding"] == "Of 3 runs, a has the highest mean MAep under Strict5, 0.633; the lowest is 0.300."
    assert list(document["tables"]) == ["scores", "per_topic"]
    # in full, and null where undefined
    assert document["tables"]["scores"][0] == {
        "run_id": "a",
        "measure": "MAep",
        "quantisation": "Strict5",
        "topics": 3,
        "mean": (0.8 + 0.6 + 0.5) / 3,
        "low": pytest.approx(1.9 / 3 - 4.302652729911275 * (0.07 / 9) ** 0.5),  # t(.975, 2) and sd^2 / 3
        "high": 1.0,  # 1.0128, clipped to the range of the measure
    }
    assert document["tables"]["per_topic"][2]["score"] is None


def test_tables_are_read_only(small: Scores) -> None:
    result = scores(MAP).answer(small, RunOptions())
    with pytest.raises(TypeError):
        result.tables["scores"] = pl.DataFrame()  # type: ignore[index]
    with pytest.raises(AttributeError):
        result.compat = None  # type: ignore[misc]


def test_an_unknown_table_is_refused(small: Scores) -> None:
    result = scores(MAP).answer(small, RunOptions())
    for write in (result.to_markdown, result.to_latex):
        with pytest.raises(
            ValueError, match=r"^expected the name of a table \(scores, per_topic\), found 'per_topics'; did you mean per_topic\?$"
        ):
            write("per_topics")


def test_metrics_need_scores_by_topic(small: Scores) -> None:
    with pytest.raises(
        ValueError, match=r"^expected a result with scores by topic, such as the result of scores, found the result of versus$"
    ):
        versus("b", MAP).answer(small, RunOptions()).to_metrics()


def test_what_is_known_of_the_data_is_told(small: Scores) -> None:
    told = Scores(small.runs, small.topics, small.matrices, warnings=("2 rows without a score were dropped",))
    # It was warned of when the scores were read, so it is in the result and not warned of again.
    result = run(scores(MAP), told)
    assert result.warnings == ("2 rows without a score were dropped",)


@pytest.mark.parametrize("experiment", [*EVERY, curve(MAP)], ids=lambda experiment: experiment.word)
def test_runs_are_due(experiment: Experiment) -> None:
    without = from_frames({"1": {"d1": 1, "d2": 0}})
    with pytest.raises(CollectionError, match=rf"^{experiment.word}: expected runs, found only assessments$"):
        experiment.answer(without, RunOptions())


@pytest.mark.parametrize("experiment", [*EVERY, curve(MAP)], ids=lambda experiment: experiment.word)
def test_compat_is_never_ignored(experiment: Experiment, small: Scores) -> None:
    with pytest.raises(FormulaError, match=r'^compat="inex_eval" applies only to character and in-context measures, not to M'):
        experiment.answer(small, RunOptions(compat="inex_eval"))


def test_the_origin_of_a_collection() -> None:
    collection = from_frames(
        {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1}}, {"a": {"1": {"d1": 1.0}, "2": {"d1": 1.0}}, "b": {"1": {"d2": 1.0}, "2": {"d1": 2.0}}}
    )
    result = scores(MAP).answer(collection, RunOptions())
    origin = result.origin
    assert (origin.topics, origin.runs, origin.assessments, origin.order, origin.prepare) == (2, 2, ("documents",), "score", ())
    assert origin.fingerprint == collection.fingerprint
    again = pickle.loads(pickle.dumps(origin))
    assert again.fingerprint == collection.fingerprint
    assert len(pickle.dumps(origin)) < 1000  # the data stay behind
