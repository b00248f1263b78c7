"""Which documents to judge next: `plan`, its files, and `estimated`, which reads them back."""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    DCG,
    MAP,
    RBP,
    Assessments,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Measure,
    P,
    Runs,
    agreement,
    assessor,
    estimated,
    from_frames,
    jury,
    nDCG,
    parse,
    plan,
    read_assessments,
    run,
    scores,
    topics,
)
from inexmetrics.cli import main
from inexmetrics.cli.check import check
from inexmetrics.collection.sheets import BEFORE, DRAWN, PILOT
from inexmetrics.scoring.planning import Planned, sheet_text
from tests.judgements.test_weighted import quietly, random_collection

LINEAR = (P @ 3, P(rel=2) @ 2, RBP(p=0.5), DCG @ 3, DCG(gains="exponential") @ 2)


def collection_of(seed: int = 0) -> tuple[Collection, Runs, pl.DataFrame, pl.DataFrame]:
    """Returns a collection, its runs, and the grades by people and by a judge."""
    collection, _ = random_collection(seed)
    judged, runs = collection.assessments.assessors, collection.runs
    assert judged is not None
    assert runs is not None
    human, llm = (judged.filter(assessor=name).drop("assessor") for name in ("human", "llm"))
    return collection, runs, human, llm


def graded(sheet: pl.DataFrame, human: pl.DataFrame) -> pl.DataFrame:
    """Returns the sheet with the grades of people."""
    return sheet.drop("grade").join(human, on=["topic_id", "doc_id"], how="left", maintain_order="left").select(sheet.columns)


def joined(human: pl.DataFrame, llm: pl.DataFrame, runs: Runs) -> Collection:
    return quietly({"human": human, "llm": llm}, runs)


def test_the_table_of_a_plan() -> None:
    _, runs, _, _ = collection_of()
    sheet = plan(runs, P @ 3, budget=20)
    assert sheet.columns == ["topic_id", "doc_id", "grade", "probability", "stage"]
    assert sheet["grade"].null_count() == sheet.height
    assert abs(sheet.height - 20) <= 1
    assert sheet.filter(stage=PILOT).height == 3  # 15 % of 20
    assert set(sheet.filter(stage=PILOT)["probability"]) == {1.0}
    assert sheet["probability"].is_between(0, 1, closed="right").all()
    assert sheet.select("topic_id", "doc_id").rows() == sorted(sheet.select("topic_id", "doc_id").rows())
    assert sheet.equals(plan(runs, P @ 3, budget=20))
    assert not sheet.equals(plan(runs, P @ 3, budget=20, seed=1))


@pytest.mark.parametrize("measure", [*LINEAR, nDCG @ 8], ids=str)
@pytest.mark.filterwarnings("ignore:.*undefined under", "ignore:.*divided by the ideal", "ignore:.*are not judged by human")
def test_a_budget_of_all_documents_is_full_judging(measure: Measure) -> None:
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, measure, budget=10_000), human)
    assert set(sheet["probability"]) == {1.0}
    found = run(scores(measure, estimated("human", judge=assessor("llm"))), joined(sheet, llm, runs)).tables["per_topic"]["score"]
    # the ideal list of nDCG knows the pool alone, which holds all documents that the runs retrieve
    full = run(scores(measure, assessor("human")), joined(human.join(sheet, on=["topic_id", "doc_id"], how="semi"), llm, runs))
    assert found.to_list() == full.tables["per_topic"]["score"].fill_null(0.0).to_list()


@pytest.mark.slow
@pytest.mark.parametrize("measure", LINEAR, ids=str)
def test_the_mean_of_the_estimates_over_many_plans_is_the_score(measure: Measure) -> None:
    """Plans with 40 seeds: the mean of the estimates is within four standard errors of the score."""
    collection, runs, human, llm = collection_of(1)
    estimates = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(40):
            sheet = graded(plan(runs, measure, budget=25, seed=seed), human)
            table = run(scores(measure, estimated("human", judge=assessor("llm"))), joined(sheet, llm, runs)).table
            estimates.append(table.sort("run_id")["mean"].to_numpy())
        full = run(scores(measure, assessor("human")), collection).tables["per_topic"].with_columns(pl.col("score").fill_null(0.0))
    truth = full.group_by("run_id").agg(pl.col("score").mean()).sort("run_id")["score"].to_numpy()
    found = np.array(estimates)
    errors = (found.mean(axis=0) - truth) / (found.std(axis=0, ddof=1) / np.sqrt(len(found)))
    assert (np.abs(errors) < 4).all()


def test_a_second_plan_takes_what_is_judged_as_certain() -> None:
    _, runs, human, llm = collection_of()
    first = graded(plan(runs, DCG @ 3, budget=10), human)
    second = plan(runs, DCG @ 3, budget=15, judge=llm, judged=first)
    before = second.filter(stage=BEFORE)
    assert before.select("topic_id", "doc_id", "grade").equals(first.select("topic_id", "doc_id", "grade"))
    assert set(before["probability"]) == {1.0}
    new = second.filter(pl.col("stage") != BEFORE)
    assert abs(new.height - 15) <= 1
    assert new["grade"].null_count() == new.height
    assert second.filter(stage=PILOT).is_empty()  # ten judged documents are more than 15 % of 25
    qrels = {topic: dict(part.select("doc_id", "grade").iter_rows()) for (topic,), part in first.group_by("topic_id", maintain_order=True)}
    assert plan(runs, DCG @ 3, budget=15, judge=llm, judged=qrels).equals(second)


def test_a_judge_may_have_a_name(tmp_path: Path) -> None:
    collection, runs, human, llm = collection_of()
    first = graded(plan(runs, P @ 3, budget=10), human)
    path = tmp_path / "cheap.csv"
    llm.write_csv(path)
    named = plan(runs, P @ 3, budget=9, judge=read_assessments({"gpt": path}), judged=first)
    assert named.equals(plan(runs, P @ 3, budget=9, judge=llm, judged=first))
    with pytest.raises(CollectionError, match=r'judge: .*found those by 2 \(human, llm\); .*judge=read_assessments\(\{"human": "FILE"\}\)'):
        plan(runs, P @ 3, budget=9, judge=collection.assessments, judged=first)


def test_a_judge_without_effect_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, runs, _, llm = collection_of()
    with pytest.warns(
        CollectionWarning, match=r"the judge has no effect on this plan.*; plan a pilot of 2 documents \(15 % of 9\), grade it"
    ):
        assert plan(runs, P @ 3, budget=9, judge=llm).equals(plan(runs, P @ 3, budget=9))
    path = tmp_path / "cheap.csv"
    (tmp_path / "x.run").write_text("t0 Q0 d1 1 2 x\nt0 Q0 d2 2 1 x\nt1 Q0 d1 1 2 x\n")
    path.write_text("topic_id,doc_id,grade\nt0,d1,1\nt1,d1,0\n")
    asked = ["plan", "P@2", "--runs", str(tmp_path / "x.run"), "--budget"]
    assert main([*asked, "40", "--assessments", f"gpt={path}"]) == 0
    assert "plan a pilot of 2 documents (15 % of 3)" in " ".join(capsys.readouterr().err.split())  # three documents are pooled
    assert main([*asked, "2", "--assessments", f"gpt={path}"]) == 0
    shown = capsys.readouterr()
    assert "warning: the judge has no effect on this plan" in shown.err
    assert "of 3 pooled documents" in shown.out
    assert "the pool has 3 documents" in shown.err
    assert main([*asked, "30"]) == 0
    shown = capsys.readouterr()
    assert "has no effect" not in shown.err
    assert "these are all 3 documents of the pool" in shown.err
    assert "all 3 pooled documents" in shown.out


def test_documents_without_a_grade_are_not_judged_yet() -> None:
    _, runs, human, llm = collection_of()
    first = graded(plan(runs, DCG @ 3, budget=10), human)
    partly = first.with_columns(grade=pl.when(pl.int_range(pl.len()) < 4).then("grade"))
    assert plan(runs, DCG @ 3, budget=10, judge=llm, judged=partly).filter(stage=BEFORE).height == 4


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda runs: plan(runs, MAP, budget=10), "plan: expected a measure that is linear in gains, found MAP"),
        (lambda runs: plan(runs, P, budget=10), "plan: expected a measure that is linear in gains, found P"),  # type: ignore[arg-type]
        (lambda runs: plan(runs, P @ 3, budget=1), "budget: expected an integer of at least 2, found 1"),
        (lambda runs: plan(runs, P @ 3, budget=10, seed=-1), "seed: expected an integer"),
        (lambda _: plan("runs", P @ 3, budget=10), 'runs: expected runs, found "runs"'),  # type: ignore[arg-type]
        (lambda runs: plan(runs, P @ 3, budget=10, judged={"t0": {"d1": "x"}}), "judged: "),
        (lambda runs: plan(runs, P @ 3, budget=10, judge="llm"), "judge: "),  # also where it has no effect yet
        (lambda runs: plan(runs, P @ 3, budget=10, judge=collection_of()[0].assessments), "judge: "),
    ],
)
def test_wrong_plans(asked: object, message: str) -> None:
    _, runs, _, _ = collection_of()
    with pytest.raises((CollectionError, FormulaError)) as caught:
        asked(runs)  # type: ignore[operator]
    assert message in str(caught.value)


def written(folder: Path, sheet: pl.DataFrame, runs: Runs, measure: Measure, name: str = "batch.csv") -> Path:
    path = folder / name
    path.write_text(sheet_text(runs, measure, Planned(sheet, sheet.height, ()), seed=0, judge="llm"))
    return path


def read(path: Path, llm: pl.DataFrame, runs: Runs) -> Collection:
    human = read_assessments({"human": path})
    return quietly({"human": human, "llm": llm}, runs) if not human.sheets else Collection(_with(human, llm), runs)


def _with(human: Assessments, llm: pl.DataFrame) -> Assessments:
    both = pl.concat(
        [judged.with_columns(assessor=pl.lit(name)) for name, judged in (("human", human.assessors), ("llm", llm)) if judged is not None],
        how="diagonal",
    )
    return Assessments(assessors=both.select("topic_id", "assessor", "doc_id", "grade"), sheets=human.sheets)


AS_SPREADSHEETS_SAVE: dict[str, Callable[[str], str]] = {
    "as written": lambda text: text,
    "quoted lines, padded": lambda text: "".join(
        (f'"{line}",,,,' if line.startswith("#") else line) + "\r\n" for line in text.replace('"', '""').splitlines()
    ),
    "semicolons": lambda text: "".join(
        (line + ";;;;" if line.startswith("#") else line.replace(",", ";")) + "\n" for line in text.splitlines()
    ),
    "decimal commas and empty rows": lambda text: (
        "\ufeff"
        + "".join(
            (f"{line};;;;" if line.startswith("#") else line.replace(",", ";").replace(".", ",")) + "\r\n" for line in text.splitlines()
        )
        + ";;;;\r\n" * 3
    ),
    "probabilities as cells show them": lambda text: re.sub(r"(0\.\d{9})\d+", r"\1", text),
    "tabs and a byte order mark": lambda text: (
        "\ufeff" + "".join((line if line.startswith("#") else line.replace(",", "\t")) + "\n" for line in text.splitlines())
    ),
    "without the lines above": lambda text: "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("#")),
}


@pytest.mark.parametrize("way", AS_SPREADSHEETS_SAVE)
def test_files_are_read_as_spreadsheets_save_them(way: str, tmp_path: Path) -> None:
    _, runs, human, llm = collection_of()
    measure = DCG(gains="exponential") @ 2
    sheet = graded(plan(runs, measure, budget=20), human)
    path = written(tmp_path, sheet, runs, measure)
    path.write_text(AS_SPREADSHEETS_SAVE[way](path.read_text()))
    asked = scores(measure, estimated("human", judge=assessor("llm")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, in_memory = run(asked, read(path, llm, runs)), run(asked, joined(sheet, llm, runs))
    assert found.table["mean"].to_list() == pytest.approx(in_memory.table["mean"].to_list(), rel=1e-7 if "cells" in way else 0.0)
    held = read_assessments({"human": path}).sheets["human"]
    assert held.facts.get("measure") == (None if way == "without the lines above" else str(measure))


@pytest.mark.parametrize("way", AS_SPREADSHEETS_SAVE)
def test_a_file_that_does_not_state_its_plan_is_warned_of(way: str, tmp_path: Path) -> None:
    _, runs, human, llm = collection_of()
    path = written(tmp_path, graded(plan(runs, P @ 3, budget=20), human), runs, P @ 3)
    path.write_text(AS_SPREADSHEETS_SAVE[way](path.read_text()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(scores(P @ 3, estimated("human", judge=assessor("llm"))), read(path, llm, runs)).warnings
    assert not any("lacks the lines that begin with #" in text for text in found)  # the probabilities show that the plan is the right one
    before = plan(runs, P @ 3, budget=10, judge=llm, judged=graded(plan(runs, P @ 3, budget=8), human))
    other = graded(plan(runs.only(["r0", "r1"]), P @ 3, budget=20), human)
    for sheet in (graded(before, human), other):  # their probabilities depend on more than these runs
        path = written(tmp_path, sheet, runs, P @ 3)
        path.write_text(AS_SPREADSHEETS_SAVE[way](path.read_text()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run(scores(P @ 3, estimated("human", judge=assessor("llm"))), read(path, llm, runs)).warnings
        assert any("lacks the lines that begin with #" in text for text in found) == (way == "without the lines above")


def test_changes_of_a_file_without_the_lines_of_its_plan_are_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lists = {
        f"r{run}": {f"t{topic}": {f"d{place * (run + 2) % 41}": 41.0 - place for place in range(41)} for topic in range(12)}
        for run in range(5)
    }
    with warnings.catch_warnings(action="ignore"):
        runs = from_frames({"t0": {"d0": 1}}, lists).runs
    assert runs is not None
    words = pl.col("doc_id").str.slice(1).cast(pl.Int64) % 3 == 0
    filled = plan(runs, DCG @ 8, budget=130).with_columns(grade=pl.when(words).then(1.0).otherwise(0.0))
    sheet = plan(runs, DCG @ 8, budget=90, judged=filled.head(40)).with_columns(grade=pl.when(words).then(1.0).otherwise(0.0))
    changed = {
        "": sheet,
        "grades are above 0: were other rows removed?": sheet.filter(words),
        "no probability has more than 3 decimals: were they rounded?": sheet.with_columns(pl.col("probability").round(2)),
        "documents, but": sheet.gather_every(2),
    }
    path = tmp_path / "bare.csv"
    for doubt, table in changed.items():
        table.write_csv(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = " ".join(run(scores(DCG @ 8, estimated("ida")), from_frames(read_assessments({"ida": path}), runs)).warnings)
        assert "measure, runs, rows and probabilities were not verified; if rows were removed" in said
        assert doubt in said
        assert ("were" in said.partition("the estimates are wrong")[2]) == bool(doubt)
    assert main(["check", "--assessments", f"ida={path}"]) == 0
    assert "so that its rows and probabilities cannot be verified" in capsys.readouterr().out


def test_grades_in_a_sheet_may_be_words(tmp_path: Path) -> None:
    _, runs, human, _ = collection_of()
    numbers = graded(plan(runs, P @ 4, budget=18), human).with_columns(pl.col("grade").clip(0, 1))
    first, second = (tmp_path / "a.csv", tmp_path / "b.csv")
    for path, sheet in (
        (first, numbers),
        (second, numbers.with_columns(grade=pl.when(pl.col("grade") > 0).then(pl.lit("Yes")).otherwise(pl.lit("no")))),
    ):
        sheet.write_csv(path)
    held = [read_assessments({"eva": path}).sheets["eva"].documents for path in (first, second)]
    assert held[0].equals(held[1])


def test_a_file_that_lacks_documents_of_its_plan_is_an_error(tmp_path: Path) -> None:
    _, runs, human, _ = collection_of()
    path = written(tmp_path, graded(plan(runs, P @ 3, budget=20), human), runs, P @ 3)
    lines = path.read_text().splitlines(keepends=True)
    for kept, found in (
        (lines[:-7], "13 rows; join the parts that several people graded to one file, "),
        ([*lines, lines[-1]], "21 rows; with"),
    ):
        path.write_text("".join(kept))
        with pytest.raises(CollectionError, match=f"expected the 20 documents that the plan states, found {found}"):
            read_assessments({"human": path})


def test_a_sample_that_is_not_estimated_is_warned_of(tmp_path: Path) -> None:
    _, runs, human, llm = collection_of()
    path = written(tmp_path, graded(plan(runs, P @ 3, budget=20), human), runs, P @ 3)
    asked = [scores(P @ 3, assessor("human")), scores(P @ 3, estimated("human")), scores(P @ 3, assessor("llm"))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [run(each, read(path, llm, runs)).warnings for each in asked]
        alone = run(scores(P @ 3), Collection(read_assessments(path), runs)).warnings
    said = [any("a sample of documents that plan drew" in text for text in each) for each in (*found, alone)]
    assert said == [True, False, False, True]
    again = path.with_name("again.csv")
    again.write_bytes(path.read_bytes())
    both = Collection(read_assessments({"eva": path, "ole": again}), runs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = [text.endswith("; a jury has no estimate") for text in run(scores(P @ 3, jury("eva", "ole")), both).warnings]
    assert said == [True, True]


@pytest.mark.parametrize(
    ("share", "judge", "said"),
    [
        (1.0, "llm", []),
        (0.92, "llm", []),
        (0.85, "llm", ["the judge graded "]),
        (1.0, "gpt", ["the sheet was planned with the judge llm, and the formula names the judge gpt"]),
        (0.0, "gpt", ["the judge graded 1 of ", "the sheet was planned with the judge llm, and the formula names the judge gpt"]),
    ],
)
def test_a_judge_that_does_not_help_is_warned_of(share: float, judge: str, said: list[str], tmp_path: Path) -> None:
    _, runs, human, _ = collection_of()
    pool = plan(runs, P @ 3, budget=9999)
    path = written(tmp_path, graded(plan(runs, P @ 3, budget=20), human), runs, P @ 3)
    pool.head(max(1, round(share * pool.height))).select("topic_id", "doc_id", grade=pl.lit(1)).write_csv(tmp_path / "judge.csv")
    collection = Collection(read_assessments({"ida": path, judge: tmp_path / "judge.csv"}), runs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(scores(P @ 3, estimated("ida", judge=assessor(judge))), collection).warnings
    doubts = [text.partition(": ")[2] for text in found if "the judge " in text]
    assert len(doubts) == len(said)
    assert all(map(str.startswith, doubts, said))


def test_ways_on_for_fewer_runs_and_topics(tmp_path: Path) -> None:
    _, runs, human, _ = collection_of()
    every, some = (
        written(tmp_path, graded(plan(runs, P @ 3, budget=budget), human), runs, P @ 3, f"{budget}.csv") for budget in (9999, 20)
    )
    fewer = runs.only(["r1", "r3"])
    pooled = plan(fewer, P @ 3, budget=9999).height
    for path, of_runs, kept, way in (
        (every, fewer, None, f'all {pooled} pooled documents of these runs are judged: write assessor("eva")'),
        (some, fewer, None, f'inexmetrics plan "P@3" --judged {some} --runs RUNS --budget N'),
        (
            some,
            runs,
            ["t0", "t1"],
            "of its 20 documents are on the selected topics: score all topics, or draw topics in the formula, as in topics(",
        ),
    ):
        collection = Collection(read_assessments({"eva": path}), of_runs)
        with pytest.raises(CollectionError) as caught:
            run(scores(P @ 3, estimated("eva")), collection if kept is None else collection.only(topics=kept))
        assert way in str(caught.value)
    whole = Collection(read_assessments({"eva": every}), fewer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(scores(P @ 3, assessor("eva")), whole).table.height == 2
        assert run(scores(P @ 3, topics(2, estimated("eva"))), Collection(read_assessments({"eva": some}), runs)).table.height == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--judged", "ann=done.csv"], "--judged: expected a file without a name, found ann=done.csv; write --judged done.csv"),
        (["--judge", 'jury("a","b")'], '--judge: expected the name of one assessor (a, b), found jury("a","b"); a plan has one judge'),
        (["--judge", "c"], "unknown assessor 'c'; expected one of a, b"),
        (["--judge", "a"], ""),
    ],
)
def test_options_of_a_plan_that_take_no_name_or_one(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.run").write_text("t0 Q0 d1 1 2 x\nt0 Q0 d2 2 1 x\nt1 Q0 d1 1 2 x\n")
    for name in ("a", "b", "done"):
        Path(f"{name}.csv").write_text("topic_id,doc_id,grade\nt0,d1,1\nt1,d1,0\n")
    code = main(["plan", "P@2", "--runs", "x.run", "--budget", "2", "--assessments", "a=a.csv", "b=b.csv", *options])
    assert (code == 0) == (not said)
    assert said in capsys.readouterr().err


def test_what_a_file_states_above_its_table(tmp_path: Path) -> None:
    _, runs, _, _ = collection_of()
    lines = written(tmp_path, plan(runs, nDCG @ 3, budget=20), runs, nDCG @ 3).read_text().splitlines()
    stated = [line for line in lines if line.startswith("#")]
    for wanted in ("# measure: nDCG@3", "# runs: r0 r1 r2 r3", "# seed: 0", "# judge: llm"):
        assert wanted in stated
    assert any(line.startswith("# note: each topic is divided by the ideal list that is known before") for line in stated)
    assert any(line.startswith("# cost: 20 new judgements; 3 of them drawn uniformly; 0 judged before") for line in stated)
    assert lines[len(stated)] == "topic_id,doc_id,grade,probability,stage"


@pytest.mark.filterwarnings("ignore:.*on most topics, scores are expected gains")
def test_topics_without_a_drawn_document_are_kept(tmp_path: Path) -> None:
    found = {run: {f"t{topic}": {f"d{(topic + run_number) % 7}": 1.0} for topic in range(9)} for run_number, run in enumerate("xyz")}
    collection = quietly({f"t{topic}": {f"d{topic % 7}": topic % 2} for topic in range(9)}, found)
    runs = collection.runs
    assert runs is not None
    sheet = plan(runs, P @ 1, budget=5)
    assert sheet["topic_id"].n_unique() < 9
    path = written(tmp_path, sheet.with_columns(grade=1.0), runs, P @ 1)
    held = read_assessments({"human": path})
    assert held.topics == tuple(f"t{topic}" for topic in range(9))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(scores(P @ 1, estimated("human")), Collection(held, runs)).table["topics"].to_list() == [9, 9, 9]


def wrong(path: Path, llm: pl.DataFrame, runs: Runs, measure: Measure = P @ 3) -> str:
    collection = read(path, llm, runs)
    with pytest.raises(CollectionError) as caught:
        run(scores(measure, estimated("human", judge=assessor("llm"))), collection)
    return str(caught.value)


def test_everything_that_is_wrong_with_a_sheet_is_said_at_once(tmp_path: Path) -> None:
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, P @ 3, budget=20), human).with_columns(grade=pl.when(pl.int_range(pl.len()) >= 3).then("grade"))
    others = runs.only(["r0", "r1"])
    message = wrong(written(tmp_path, sheet, others, P @ 5), llm, runs)
    assert "expected a sheet that was planned for P@3, found a sheet for P@5" in message
    assert "expected a sheet that was planned for these 4 runs, found a sheet for 2 runs, without r2, r3" in message
    assert (
        f'inexmetrics plan "P@3" --judged {tmp_path / "batch.csv"} --runs RUNS --budget N plans for these and keeps the grades' in message
    )
    assert "expected a grade for each of 20 documents to judge, found 3 without" in message
    assert "17 of 20 documents graded (85.0 %)" in message


def test_documents_outside_the_pool_without_stated_runs(tmp_path: Path) -> None:
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, P @ 3, budget=20), human)
    strange = pl.concat([sheet, sheet.head(2).with_columns(doc_id=pl.lit("elsewhere") + pl.col("doc_id"))])
    path = tmp_path / "batch.csv"
    strange.write_csv(path)
    assert "expected documents that at least one run retrieves within the cutoff of P@3, found 2 others, such as elsewhere" in wrong(
        path, llm, runs
    )


def test_wrong_rows_of_a_file_are_named(tmp_path: Path) -> None:
    _, runs, human, _ = collection_of()
    sheet = graded(plan(runs, P @ 3, budget=20), human)
    path = tmp_path / "batch.csv"
    bad = pl.concat([sheet, sheet.head(3)]).with_row_index()
    bad.with_columns(probability=pl.when(pl.col("index").is_in([5, 6])).then(1.5).otherwise("probability")).drop("index").write_csv(path)
    with pytest.raises(CollectionError) as caught:
        read_assessments({"human": path})
    message = str(caught.value)
    assert message.count("expected one row for topic t0, document ") == 3
    assert message.count('probability: expected a probability above 0 and at most 1, found "1.5"') == 2
    assert len(caught.value.problems) == 5


def test_a_grade_outside_the_scale_is_refused(tmp_path: Path) -> None:
    _, runs, human, _ = collection_of()
    path = written(tmp_path, graded(plan(runs, P @ 3, budget=20), human).with_columns(grade=7.0), runs, P @ 3)
    with pytest.raises(CollectionError, match=r"in 20 places: expected a grade from 0 to 3, found"):
        read_assessments({"human": path}, grades=(0, 3))


@pytest.mark.parametrize(("highest", "valid"), [(3.0, False), (7.0, True), (10.5, True)])
def test_the_scale_that_the_plan_states_holds_unless_another_is_stated(highest: float, valid: bool, tmp_path: Path) -> None:
    _, runs, human, _ = collection_of()
    sheet = graded(plan(runs, P @ 3, budget=20), human).with_columns(grade=pl.when(pl.int_range(pl.len()) == 4).then(7.0).otherwise(1.0))
    path = tmp_path / "batch.csv"
    path.write_text(sheet_text(runs, P @ 3, Planned(sheet, sheet.height, ()), seed=0, grades=(0, highest)))
    if valid:
        assert read_assessments({"human": path}).sheets["human"].graded["grade"].max() == 7.0
        return
    with pytest.raises(
        CollectionError, match=r"batch.csv:\d+: .*expected a grade from 0 to 3 as the plan states \(grades=, --grades state an"
    ):
        read_assessments({"human": path})
    assert read_assessments({"human": path}, grades=(0, 7)).sheets["human"].graded["grade"].max() == 7.0


@pytest.mark.parametrize(("measure", "stated"), [("DCG@3", "# grades: 0 to 3"), ("P@3", None), ("DCG@3 --grades 0 4", "# grades: 0 to 4")])
def test_a_plan_states_the_scale_of_graded_judgements(measure: str, stated: str | None, tmp_path: Path) -> None:
    _, runs, _, llm = collection_of()
    lists = runs.results
    for (run_id,), part in lists.group_by("run_id"):
        part.select("topic_id", pl.lit("Q0").alias("q0"), "doc_id", pl.lit(1).alias("rank"), "score", "run_id").write_csv(
            tmp_path / f"{run_id}.run", separator=" ", include_header=False
        )
    llm.write_csv(tmp_path / "llm.csv")
    name, *options = measure.split()
    asked = ["plan", name, "--runs", *map(str, tmp_path.glob("*.run")), "--assessments", f"llm={tmp_path / 'llm.csv'}", *options]
    assert main([*asked, "--budget", "20", "--output", str(tmp_path / "sheet.csv")]) == 0
    lines = [line for line in (tmp_path / "sheet.csv").read_text().splitlines() if line.startswith("# grades")]
    assert lines == ([stated] if stated else [])


@pytest.mark.parametrize("named", [True, False])
def test_a_plan_names_documents_that_others_have_judged(named: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, runs, human, llm = collection_of()
    for (run_id,), part in runs.results.group_by("run_id"):
        part.select("topic_id", pl.lit("Q0").alias("q0"), "doc_id", pl.lit(1).alias("rank"), "score", "run_id").write_csv(
            tmp_path / f"{run_id}.run", separator=" ", include_header=False
        )
    known = human.head(human.height // 2)
    if named:
        known.write_csv(tmp_path / "people.csv")
        llm.write_csv(tmp_path / "cheap.csv")
        given = [f"cheap={tmp_path / 'cheap.csv'}", f"people={tmp_path / 'people.csv'}"]
    else:
        both = [table.with_columns(assessor=pl.lit(name)) for name, table in (("cheap", llm), ("people", known))]
        pl.concat([table.select(sorted(table.columns)) for table in both]).write_csv(tmp_path / "both.csv")
        given = [str(tmp_path / "both.csv")]
    asked = ["plan", "P@3", "--runs", *map(str, tmp_path.glob("*.run")), "--assessments", *given, "--judge", "cheap", "--budget", "20"]
    assert main([*asked, "--output", str(tmp_path / "sheet.csv")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    sheet = pl.read_csv(tmp_path / "sheet.csv", comment_prefix="#", schema_overrides={"topic_id": pl.String, "doc_id": pl.String})
    count = sheet.join(known, on=["topic_id", "doc_id"], how="semi").height
    assert 1 < count < 20
    assert f"warning: {count} of the 20 documents to judge are judged by people already; --judged " in said
    if named:
        assert f"--judged {tmp_path / 'people.csv'} keeps those grades" in said
        assert main([*asked, "--judged", str(tmp_path / "people.csv"), "--output", str(tmp_path / "next.csv")]) == 0
        said = " ".join(capsys.readouterr().err.split())
        assert "already" not in said
        kept = pl.read_csv(tmp_path / "next.csv", comment_prefix="#").filter(stage=BEFORE).height
        assert 0 < kept < known.height
        assert f"; {kept} judged before; {known.height - kept} other judged documents have no weight under P@3; " in said


def test_a_sheet_in_memory_is_named_and_says_that_its_plan_is_unknown() -> None:
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, P @ 3, budget=20), human)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result, other = (
            run(scores(measure, estimated("human")), from_frames({"human": sheet, "llm": llm}, runs)) for measure in (P @ 3, P @ 5)
        )
    said = 'estimated("human"): the table in memory does not state the plan, so that measure, runs, rows and'
    assert [said in " ".join(each.warnings) for each in (result, other)] == [False, True]
    held = json.loads(result.to_json())["collection"]["read"]
    assert ["assessor human"] in [layout["tables"] for layout in held if layout["format"] == "a sheet of documents to judge"]


def test_documents_drawn_with_very_small_probabilities_are_counted() -> None:
    """The probability of one document is at the bound of a very small one, and those of two are below it."""
    names, probabilities = ["a", "b", "c", "d", "e"], [1.0, 0.02, 0.019, 0.004, 0.5]
    stages = [PILOT, DRAWN, DRAWN, DRAWN, DRAWN]
    sheet = pl.DataFrame({"topic_id": "t", "doc_id": names, "grade": 1.0, "probability": probabilities, "stage": stages})
    found = {"x": {"t": {name: 2.5 - place for place, name in enumerate(names)}}, "y": {"t": {"a": 1.0}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run(scores(P @ 5, estimated("human")), from_frames({"human": sheet}, found))
    said = "2 documents were drawn with a probability below 0.02 (the smallest is 0.004)"
    assert [said in text for text in result.warnings if "probability below" in text] == [True]


def test_documents_that_were_judged_before_the_plan_count_with_their_grades() -> None:
    sheet = pl.DataFrame(
        {"topic_id": "t", "doc_id": ["a", "b", "c"], "grade": [1.0, 0.0, 1.0], "probability": 1.0, "stage": [BEFORE, BEFORE, PILOT]}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run(scores(P @ 3, estimated("human")), from_frames({"human": sheet}, {"x": {"t": {"a": 3.0, "b": 2.0, "c": 1.0}}}))
    assert result.table["mean"].to_list() == [2 / 3]


@pytest.mark.parametrize(("times", "valid"), [(2.0, True), (2.5, False)])
def test_graded_gains_need_a_judge_on_the_scale_of_the_sheet(times: float, *, valid: bool) -> None:
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, DCG @ 3, budget=10_000), human)
    asked = scores(DCG @ 3, estimated("human", judge=assessor("llm")))
    of_judge = llm.with_columns(pl.col("grade") * times)
    if valid:
        assert run(asked, joined(sheet, of_judge, runs)).table.equals(run(asked, joined(sheet, llm, runs)).table)
    else:
        with pytest.raises(CollectionError, match=r"grades up to 7\.5 by the judge and up to 3 by people"):
            run(asked, joined(sheet, of_judge, runs))


def test_the_ideal_list_of_ndcg_is_known_before_documents_are_drawn() -> None:
    """Grades of drawn documents change estimated DCG, but not the DCG of the ideal list. Grades of the pilot change both."""
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, nDCG @ 3, budget=30), human)

    def estimates(*stages: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns DCG@3, and the DCG@3 of ideal lists, if all documents of these stages are relevant."""
        changed = sheet.with_columns(grade=pl.when(pl.col("stage").is_in(stages)).then(2.0).otherwise("grade"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables = [run(scores(measure, estimated("human")), joined(changed, llm, runs)).tables for measure in (DCG @ 3, nDCG @ 3)]
        found, normalised = (table["per_topic"]["score"].to_numpy() for table in tables)
        return found, np.divide(found, normalised, out=np.full_like(found, np.nan), where=normalised != 0.0)

    (found, ideal), (after, same), (_, other) = (estimates(), estimates(DRAWN), estimates(PILOT))
    assert not np.allclose(after, found)
    both = ~np.isnan(ideal + same)
    assert both.sum() > 5
    np.testing.assert_allclose(same[both], ideal[both])
    assert not np.allclose(other, ideal, equal_nan=True)


@pytest.mark.filterwarnings("ignore:.*on most topics, scores are expected gains")
def test_a_sheet_in_memory_covers_the_topics_of_its_runs() -> None:
    found = {run: {f"t{topic}": {f"d{(topic + place) % 7}": 1.0} for topic in range(9)} for place, run in enumerate("xyz")}
    runs = quietly({"t0": {"d0": 1}}, found).runs
    assert runs is not None
    sheet = plan(runs, P @ 1, budget=5).with_columns(grade=1.0)
    assert sheet["topic_id"].n_unique() < 9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(scores(P @ 1, estimated("human")), from_frames({"human": sheet}, runs)).table["topics"].to_list() == [9, 9, 9]


def test_an_assessor_without_a_sheet() -> None:
    collection, _, _, _ = collection_of()
    with pytest.raises(
        CollectionError, match=r"expected a sheet of documents that plan wrote, given as the judgements of human, found none"
    ):
        run(scores(P @ 3, estimated("human")), collection)


def test_two_sheets_for_one_assessor(tmp_path: Path) -> None:
    _, runs, human, _ = collection_of()
    for number in (1, 2):
        written(tmp_path, graded(plan(runs, P @ 3, budget=20, seed=number), human), runs, P @ 3, f"batch{number}.csv")
    with pytest.raises(CollectionError, match="expected one sheet of documents to judge for each assessor, found 2"):
        read_assessments({"human": [tmp_path / "batch1.csv", tmp_path / "batch2.csv"]})


def test_check_says_how_far_people_are(tmp_path: Path) -> None:
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, P @ 3, budget=20), human)
    partly = sheet.with_columns(grade=pl.when(pl.int_range(pl.len()) < 5).then("grade"))
    llm.write_csv(tmp_path / "llm.csv")
    # that the judge has judged more documents is intended
    problems = check({"human": written(tmp_path, partly, runs, P @ 3), "llm": tmp_path / "llm.csv"}).problems
    assert [problem.severity for problem in problems] == ["warning"]
    assert "human: 5 of 20 documents graded (25.0 %)" in problems[0].message
    assert not check({"human": written(tmp_path, sheet, runs, P @ 3)}).problems


EXPERIMENTS = (
    'ranks(P@3 ~ estimated("human", judge=assessor("llm")))',
    'versus("r0", P@3 ~ estimated("human", judge=assessor("llm")))',
    'significance(P@3 ~ estimated("human", judge=assessor("llm")) | t | Holm)',
    'agreement(P@3 ~ assessor("llm") + estimated("human", judge=assessor("llm")))',
    'judges(P@3 ~ assessor("llm"), truth=estimated("human", judge=assessor("llm")))',
    'reliability(P@3 ~ estimated("human"))',
    'power(P@3 ~ estimated("human"))',
    'correlation(P@3 ~ estimated("human") + assessor("llm"))',
    'calibration(P@3 ~ estimated("human"), boards=5)',
)


@pytest.mark.parametrize("formula", EXPERIMENTS)
def test_every_experiment_takes_estimates(formula: str) -> None:
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, P @ 3, budget=30), human)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run(formula, joined(sheet, llm, runs))
    assert result.table.height
    assert str(parse(formula)) == str(result.experiment)


def kappas(drawn: Sequence[tuple[str, str, float, float, int]], llm: dict[str, dict[str, int]], formula: str) -> tuple[object, ...]:
    """Returns kappa, kappa_weighted and alpha of `llm` and a sheet of documents."""
    names = ["topic_id", "doc_id", "grade", "probability", "stage"]
    judged: dict[str, object] = {name: pl.DataFrame(drawn, schema=names, orient="row") for name in ("human", "other")}
    found = {"x": {topic: dict.fromkeys(of_topic, 1.0) for topic, of_topic in llm.items()}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run(formula, quietly({**judged, "llm": llm}, found))
    return result.table.select("judged", "kappa", "kappa_weighted", "alpha").row(0)


def test_a_drawn_document_counts_in_kappa_as_often_as_1_divided_by_its_probability() -> None:
    sheet = [("1", "a", 1.0, 1.0, 1), ("1", "b", 0.0, 0.25, 2), ("1", "c", 2.0, 0.5, 2), ("2", "d", 0.0, 1.0, 0)]
    llm = {"1": {"a": 1, "b": 1, "c": 2}, "2": {"d": 0}}
    whole = [(topic, f"{name}{place}", grade, 1.0, 0) for topic, name, grade, chance, _ in sheet for place in range(int(1 / chance))]
    repeated = {"1": {name: 2 if name[0] == "c" else 1 for _, name, *_ in whole if name[0] != "d"}, "2": {"d0": 0}}
    of_sample = kappas(sheet, llm, 'judges(assessor("llm"), truth=estimated("human"))')
    of_whole = kappas(whole, repeated, 'judges(assessor("llm"), truth=assessor("human"))')
    assert of_sample[0] == 4
    assert of_sample[1:] == pytest.approx(of_whole[1:], abs=1e-12)
    # of 8 documents, 4 have the grades 1 and 0; kappa = (4/8 - (1/8 * 5/8 + 5/8 * 1/8 + 2/8 * 2/8)) / (1 - (...))
    by_chance = (1 * 5 + 5 * 1 + 2 * 2) / 64
    assert of_sample[1] == pytest.approx((4 / 8 - by_chance) / (1 - by_chance), abs=1e-12)
    assert kappas(sheet, llm, 'judges(assessor("llm"), truth=assessor("human"))')[1] != of_sample[1]


def test_two_people_who_grade_the_same_sample_are_compared_and_different_samples_are_refused() -> None:
    sheet = [("1", "a", 1.0, 1.0, 1), ("1", "b", 0.0, 0.25, 2), ("2", "c", 2.0, 0.5, 2)]
    llm = {"1": {"a": 1, "b": 1}, "2": {"c": 2}}
    assert kappas(sheet, llm, 'judges(estimated("human"), truth=estimated("other"))') == (3, 1.0, 1.0, 1.0)
    names = ["topic_id", "doc_id", "grade", "probability", "stage"]
    people = {"human": pl.DataFrame(sheet, schema=names, orient="row"), "other": pl.DataFrame(sheet[1:], schema=names, orient="row")}
    people["other"] = people["other"].with_columns(probability=pl.lit(0.75))
    with pytest.raises(CollectionError, match=r"expected at most one sample of documents for .*, found two; the probability"):
        run('judges(estimated("human"), truth=estimated("other"))', quietly(people, {"x": {"1": {"a": 1.0}, "2": {"c": 1.0}}}))


def test_a_simulated_sample_is_not_the_truth_of_kappa_in_silence() -> None:
    _, runs, human, llm = collection_of()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run('judges(P@3 ~ assessor("llm"), truth=weighted(0.5, assessor("human")))', joined(human, llm, runs))
    assert any("compare all grades of weighted" in text for text in result.warnings)


def test_the_estimates_are_those_of_the_simulation() -> None:
    """With the pilot judged before, plan and `weighted` differ only in the seeds of the draw; both find the same certain documents' gains."""
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, P @ 3, budget=1000), human)
    collection = joined(sheet, llm, runs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run(agreement(P @ 3, (estimated("human"), assessor("human"))), collection)
    assert set(result.tables["differences"]["verdict"]) <= {"both", "neither"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*drawn with a probability below 0.02")
def test_1000_topics_30_runs_and_100_documents_are_planned_in_three_seconds() -> None:
    generator = np.random.default_rng(0)
    lists = 30 * 1000
    documents = np.argsort(generator.random((lists, 300)), axis=1)[:, :100]
    frame = pl.DataFrame(
        {
            "run_id": np.repeat([f"r{run:02}" for run in range(30)], 1000 * 100),
            "topic_id": np.tile(np.repeat([f"t{topic:04}" for topic in range(1000)], 100), 30),
            "doc_id": pl.Series(documents.reshape(-1)).cast(pl.String),
        }
    )
    judged = pl.DataFrame({"topic_id": [f"t{topic:04}" for topic in range(1000)], "doc_id": "1", "grade": 1})
    runs = quietly(judged, frame).runs
    assert runs is not None
    start = time.process_time()
    sheet = plan(runs, DCG @ 100, budget=20_000)
    assert time.process_time() - start < 3.0
    assert abs(sheet.height - 20_000) <= 1
    assert sheet.filter(stage=DRAWN).height + sheet.filter(stage=PILOT).height == sheet.height
