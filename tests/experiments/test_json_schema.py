"""The JSON Schema of results: ``python -m tests.experiments.test_json_schema`` records additions to the schema."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from jsonschema import Draft202012Validator, ValidationError

from inexmetrics import Collection, Experiment, Scores, from_frames, parse, run, sample, scores_from
from inexmetrics.cli import main
from tests.examples import EVERY, UNDEFINED, answered

RECORDED = Path(__file__).parent / "schema.json"
"""The schema without its descriptions, which may be rewritten."""


def printed_schema(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["schema"]) == 0
    printed: dict[str, object] = json.loads(capsys.readouterr().out)
    return printed


def without_descriptions(part: object) -> object:
    match part:
        case dict():
            return {key: without_descriptions(value) for key, value in part.items() if key != "description" or not isinstance(value, str)}
        case list():
            return [without_descriptions(value) for value in part]
        case _:
            return part


def lost(old: object, new: object, path: str = "") -> Iterator[str]:
    """Returns the paths at which a schema changes or lacks a part of an older schema."""
    match old, new:
        case dict(), dict():
            for key, value in old.items():
                if key in new:
                    yield from lost(value, new[key], f"{path}/{key}")
                else:
                    yield f"{path}/{key}"
        case list(), list():
            yield from (f"{path}: {value}" for value in old if value not in new)
        case _:
            if old != new:
                yield path


def test_the_schema_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    schema = printed_schema(capsys)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == json.loads(run("scores(MAP)", sample()).to_json())["schema"]


def test_a_later_version_only_adds(capsys: pytest.CaptureFixture[str]) -> None:
    gone = list(lost(json.loads(RECORDED.read_text()), without_descriptions(printed_schema(capsys))))
    assert gone == [], "a later version of the schema only adds: programs read these properties of the JSON"


def test_what_was_added_is_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    recorded, now = json.loads(RECORDED.read_text()), without_descriptions(printed_schema(capsys))
    assert list(lost(now, recorded)) == [], "record what was added: python -m tests.experiments.test_json_schema"


def test_changes_and_removals_are_found() -> None:
    old = {"properties": {"a": {"type": "string"}, "b": {"minimum": 0}}, "required": ["a"]}
    added = {"properties": {"a": {"type": "string"}, "b": {"minimum": 0}, "c": {}}, "required": ["a", "c"]}
    assert list(lost(old, added)) == []
    assert list(lost(added, old)) == ["/properties/c", "/required: c"]
    assert list(lost(old, {**old, "properties": {"a": {"type": "integer"}}})) == ["/properties/a/type", "/properties/b"]


@pytest.fixture(scope="module")
def schema() -> dict[str, object]:
    """Returns the printed schema, printed once."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["schema"]) == 0
    printed: dict[str, object] = json.loads(out.getvalue())
    return printed


@pytest.mark.parametrize("formula", [*EVERY, *UNDEFINED, "scores(ERR@20 ~ Strict5)"])
def test_every_result_is_valid_and_all_its_columns_are_described(formula: str, schema: dict[str, object]) -> None:
    """Results on few runs have all tables and columns, and fewer rows; the first rows of each table are validated."""
    experiment = parse(formula, Experiment)
    document = json.loads(answered(formula, few=True).to_json())
    document["tables"] = {name: rows[:40] for name, rows in document["tables"].items()}
    Draft202012Validator(schema).validate(document)
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    described = definitions[experiment.word]["properties"]
    for name, rows in document["tables"].items():
        row = described[name]["items"]
        plain = [column for column in rows[0] if not (column.isdecimal() and "patternProperties" in row)] if rows else []
        assert set(plain) <= set(row["properties"])


def test_every_order_that_a_result_states_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    judged = {"1": {"d": 1}, "2": {"d": 1}}
    rows = pl.DataFrame({"query_id": ["1", "2"], "doc_id": ["d", "d"]})
    frames = {"score": rows.with_columns(score=pl.lit(1.0)), "rank": rows.with_columns(rank=pl.lit(1)), "file": rows}
    sources: list[Collection | Scores] = [from_frames(judged, {name: frame}) for name, frame in frames.items()]
    sources.append(from_frames(judged, frames))
    board = {"a": [0.1, 0.2], "b": [0.2, 0.3]}
    sources += [scores_from(pl.DataFrame(board), topics=False), scores_from(pl.DataFrame({"topic": ["1", "2"], **board}), measure="MAP")]
    stated = {json.loads(run("scores(MAP)", source).to_json())["order"] for source in sources}
    without_runs = run('judges(assessor("second"), truth=assessor("first"))', sample().with_runs(None))
    stated.add(json.loads(without_runs.to_json())["order"])
    assert stated == {
        "score",
        "rank",
        "file",
        "file (file); rank (rank); score (score)",
        "file; no topic column; measure named by the formula",
        "",
    }
    properties = printed_schema(capsys)["properties"]
    assert isinstance(properties, dict)
    described = properties["order"]["description"]
    parts = {re.sub(r" \(.*\)", "", part) for order in stated for part in order.split("; ")}
    assert all(part in described for part in parts)
    assert described.endswith("empty without runs")


@pytest.mark.parametrize(
    ("name", "value"),
    [("run_id", None), ("topics", "29"), ("mean", "high"), ("topics", -1)],
)
def test_a_wrong_row_is_not_valid(name: str, value: object, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run("scores(MAP)", sample()).to_json())
    document["tables"]["scores"][0][name] = value
    with pytest.raises(ValidationError):
        Draft202012Validator(printed_schema(capsys)).validate(document)


def test_a_missing_table_is_not_valid(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run("scores(MAP)", sample()).to_json())
    del document["tables"]["scores"]
    with pytest.raises(ValidationError):
        Draft202012Validator(printed_schema(capsys)).validate(document)


if __name__ == "__main__":
    from inexmetrics.experiments.json_schema import result_schema

    now = without_descriptions(result_schema())
    gone = list(lost(json.loads(RECORDED.read_text()), now)) if RECORDED.exists() else []
    if gone:
        raise SystemExit(f"a later version of the schema only adds; changed or removed: {', '.join(gone)}")
    RECORDED.write_text(f"{json.dumps(now, indent=1)}\n")
