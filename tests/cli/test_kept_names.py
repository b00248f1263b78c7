"""Commands that read only scores keep the names of judged documents alone; their answers equal those with all names."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import inexmetrics.vocabulary  # noqa: F401  # declares every word
from inexmetrics import Collection, CollectionWarning, Cut, Experiment, Measure, parse, read_assessments, read_runs, run
from inexmetrics.cli import main
from inexmetrics.collection import document_names
from inexmetrics.collection.document_names import NamesNeededError
from inexmetrics.common.options import RunOptions
from inexmetrics.measures.base import Uncut
from inexmetrics.measures.document_measures import OfDocuments
from inexmetrics.reading import result_tables, run_files
from tests.examples import own

OF_DOCUMENTS = [entry.value for entry in own(Measure, Uncut) if isinstance(entry.value, OfDocuments)]
MEASURES = [str(Cut(value, 3) if isinstance(value, Uncut) else value) for value in OF_DOCUMENTS]
MEASURES += ["Judged@3", "RBPresidual"]
"""The measures of whole documents; families at a cutoff."""
QUESTIONS = [
    "ranks(MAP + P@3)",
    "significance(MAP | t)",
    'versus("b", MAP)',
    "correlation(MAP + nDCG@3)",
    "reliability(MAP)",
    "power(MAP)",
]
"""Experiments that read only scores."""


def files(folder: Path, seed: int, *, runs: int = 4) -> tuple[Path, Path]:
    """Writes judgements and runs with ties, unjudged documents, unjudged topics and documents that are topics."""
    draw = random.Random(seed)
    topics = [str(number) for number in range(1, 9)]
    documents = [f"d{number}" for number in range(60)] + topics[:2]
    judged = [f"{topic} 0 {doc} {draw.choice([0, 0, 1, 2])}\n" for topic in topics[:-1] for doc in draw.sample(documents, 20)]
    (folder / "qrels").write_text("".join(judged))
    (folder / "runs").mkdir()
    for name in "abcdefgh"[:runs]:
        lines = [
            f"{topic} Q0 {doc} {rank} {draw.randint(1, 9)} {name}\n"
            for topic in topics
            for rank, doc in enumerate(draw.sample(documents, 15), start=1)
        ]
        (folder / "runs" / f"{name}.txt").write_text("".join(lines))
    return folder / "qrels", folder / "runs"


def as_table(folder: Path, kind: str) -> Path:
    """Writes the runs in a folder to one table, whose names of documents are texts, categories or choices."""
    rows = [line.split() for file in sorted(folder.iterdir()) for line in file.read_text().splitlines()]
    header = ["topic_id", "q", "doc_id", "rank", "score", "run_id"]
    table = pl.DataFrame(rows, schema=header, orient="row").drop("q", "rank").cast({"score": pl.Float64})
    path = folder.parent / f"table.{kind.partition(' ')[0]}"
    if kind == "csv":
        table.write_csv(path)
    else:
        names: dict[str, pl.DataType] = {"text": pl.String(), "categories": pl.Categorical(), "choices": pl.Enum(table["doc_id"].unique())}
        table.cast({"doc_id": names[kind.split()[1]]}).write_parquet(path)
    return path


TABLES = ["csv", "parquet text", "parquet categories", "parquet choices"]


def answered(formula: str, paths: tuple[Path, Path], capsys: pytest.CaptureFixture[str], *options: str) -> tuple[str, str]:
    """Returns what a command prints on standard output and on standard error."""
    assert main([formula, "--assessments", str(paths[0]), "--runs", str(paths[1]), *options]) == 0
    return capsys.readouterr()


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize(
    ("formula", "seed"),
    [*((f"scores({' + '.join(MEASURES)})", seed) for seed in range(3)), *((formula, 3) for formula in QUESTIONS)],
)
def test_answers_do_not_depend_on_the_names_that_are_kept(
    formula: str, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = files(tmp_path, seed)
    command, _ = answered(formula, paths, capsys, "--format", "json")
    whole = run(parse(formula, Experiment), Collection(read_assessments(paths[0]), read_runs(paths[1])))
    assert command.rstrip() == whole.to_json().rstrip()


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("together", [False, True])
def test_answers_of_tables_do_not_depend_on_the_names_that_are_kept(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, together: bool
) -> None:
    """Also if the rows of a run are divided, and the table is read in several batches."""
    qrels, runs = files(tmp_path, 11)
    table = as_table(runs, kind)
    if not together and kind != "csv":
        pl.read_parquet(table).sort("topic_id").write_parquet(table)
    monkeypatch.setattr(result_tables, "PART", 130)
    formula = f"scores({' + '.join(MEASURES)})"
    command, _ = answered(formula, (qrels, table), capsys, "--format", "json")
    whole = run(parse(formula, Experiment), Collection(read_assessments(qrels), read_runs(table)))
    assert command.rstrip() == whole.to_json().rstrip()


@pytest.mark.parametrize("kind", TABLES)
def test_repeated_documents_of_tables_are_found_although_unjudged(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, runs = files(tmp_path, 4)
    judged = {tuple(line.split()[::2]) for line in qrels.read_text().splitlines()}
    file = runs / "c.txt"
    lines = file.read_text().splitlines()
    fields = (line.split() for line in lines)
    topic, doc = next((topic, doc) for topic, _, doc, *_ in fields if (topic, doc) not in judged)
    file.write_text("\n".join([*lines, f"{topic} Q0 {doc} 99 0.5 c"]) + "\n")
    assert main(["scores(MAP)", "--assessments", str(qrels), "--runs", str(as_table(runs, kind))]) == 1
    found = capsys.readouterr().err
    assert f"expected one result for run c, topic {topic}, document {doc}, found a second one" in found.replace('"', "")


def test_passages_in_a_table_keep_all_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Passages of two unjudged documents do not overlap."""
    (tmp_path / "q").write_text("1 0 x 1\n1 0 y 0\n")
    rows = "topic_id,doc_id,start,length,score\n1,a,0,5,3\n1,b,2,5,2\n1,x,0,5,1\n"
    (tmp_path / "r.csv").write_text(rows)
    out, err = answered("scores(MAP)", (tmp_path / "q", tmp_path / "r.csv"), capsys, "--format", "json")
    whole = run(parse("scores(MAP)", Experiment), Collection(read_assessments(tmp_path / "q"), read_runs(tmp_path / "r.csv")))
    assert out.rstrip() == whole.to_json().rstrip()
    assert "overlap" not in err
    with pytest.raises(NamesNeededError):
        run_files.runs_of_files(tmp_path / "r.csv", RunOptions(), run_files.RunChoices(), kept=pl.Series(["x", "y"]))


def test_a_run_is_read_in_pieces_and_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A topic whose lines are in several places of a large file needs the names of tied documents, so that the runs are read again."""
    paths = files(tmp_path, 7)
    for file in paths[1].iterdir():
        lines = file.read_text().splitlines(keepends=True)
        random.Random(1).shuffle(lines)
        file.write_text("".join(lines))
    whole = answered("scores(MAP + P@3)", paths, capsys, "--table", "per_topic", "--format", "csv")
    monkeypatch.setattr(run_files, "PIECE", 400)
    assert answered("scores(MAP + P@3)", paths, capsys, "--table", "per_topic", "--format", "csv") == whole


@pytest.mark.parametrize("seed", range(8))
def test_repeated_documents_are_found_although_unjudged(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the hashes by which unjudged documents are told apart are equal."""

    def alike(texts: pl.Series) -> document_names.Hashes:
        return np.array([hash(text) & 0xFF for text in texts], dtype=np.uint64), np.array([hash(text) for text in texts]).view(np.uint64)

    if seed % 2:
        monkeypatch.setattr(document_names, "_hashed", alike)
    paths = files(tmp_path, seed)
    file = paths[1] / "b.txt"
    answered("scores(MAP)", paths, capsys)
    lines = file.read_text().splitlines()
    line = random.Random(seed).randrange(len(lines))
    topic, _, doc, *_ = lines[line].split()
    file.write_text("\n".join([*lines, f"{topic} Q0 {doc} 99 0.5 b"]) + "\n")
    assert main(["scores(MAP)", "--assessments", str(paths[0]), "--runs", str(paths[1])]) == 1
    found = capsys.readouterr().err
    assert f"expected one result for run b, topic {topic}, document {doc}, found a second one" in found.replace('"', "")


def test_a_warning_that_needs_names_is_given_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names outside ASCII are compared in normal form, for which all names are needed."""
    (tmp_path / "q").write_text("1 0 caf\u00e9 1\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 cafe\u0301 1 2.0 a\n1 Q0 b 2 1.0 a\n2 Q0 b 1 1.0 a\n")
    out, err = answered("scores(MAP)", (tmp_path / "q", tmp_path / "r"), capsys)
    assert err.count("only after Unicode normalisation") == 1
    assert err.count("1 topic of the runs has no assessments") == 1
    assert out.count("MAP") >= 1


def test_a_report_has_the_fingerprint_of_all_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths, target = files(tmp_path, 3), tmp_path / "r.html"
    answered("scores(MAP)", paths, capsys, "--report", str(target))
    with pytest.warns(CollectionWarning):
        whole = Collection(read_assessments(paths[0]), read_runs(paths[1]))
    assert whole.fingerprint in target.read_text()


def test_workers_score_runs_without_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = files(tmp_path, 5)
    alone = answered("scores(MAP + nDCG@3)", paths, capsys, "--format", "csv")
    assert answered("scores(MAP + nDCG@3)", paths, capsys, "--format", "csv", "--workers", "2") == alone
