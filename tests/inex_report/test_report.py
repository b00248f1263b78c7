"""The evaluator's report, compared with the evaluator's own output and with its definition on many small collections."""

from __future__ import annotations

import gzip
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    MAP,
    Assessments,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    MAgP,
    MAiP,
    Measure,
    Runs,
    Scores,
    Scoring,
    assessor,
    char_f1,
    char_iou,
    char_prec,
    curve,
    gP,
    gR,
    iGP,
    inex_eval_report,
    iP,
    read_assessments,
    read_runs,
    scores,
)
from inexmetrics.collection.schemas import DOCUMENTS, PASSAGES, RESULTS
from inexmetrics.common.options import Compat, RunOptions
from inexmetrics.experiments.conditions import Measures
from inexmetrics.inex_report.report import evaluated
from inexmetrics.ranking import judged_runs as batching
from tests.by_hand import collected
from tests.profiles import seen_in_all, up_to
from tests.reference.evaluator import UNRESOLVED, Assessed, Document, Evaluator, RefusedError, Result, Run, Task

FORMULAS: Mapping[Task, Scoring] = {
    "focused": scores(MAiP),
    "thorough": scores(MAiP(overlap="unseen")),
    "f": scores(MAgP(beta=0.25)),
    "bep": scores(MAgP(score="bep")),
    "t2i": scores(MAgP(score="t2i")),
}
GOLDEN: Mapping[str, tuple[Task, str]] = {
    "bert_1.f.q.txt.gz": ("focused", "inex2009-2010"),
    "bert_1.t.q.txt.gz": ("thorough", "inex2009-2010"),
    "thorough_1.t.q.txt.gz": ("thorough", "inex2009-2010"),
    "ric_1.r.q.txt.gz": ("f", "inex2009-2010"),
    "ric_1.i.q.txt.gz": ("t2i", "inex2009-2010"),
    "bic_1.b.q.txt.gz": ("bep", "bic"),
}


def golden(path: Path) -> str:
    held = path.read_bytes()
    return (gzip.decompress(held) if path.suffix == ".gz" else held).decode()


def figures(report: str) -> list[tuple[str, str, float]]:
    """Returns the lines of a report: name, topic and value, as numbers."""
    lines = [line.split() for line in report.splitlines() if not line.startswith("<")]
    return [(name, topic, float(value)) for name, topic, value in lines]


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
class TestOfficialOutput:
    @pytest.mark.parametrize("name", GOLDEN)
    def test_each_line_is_the_evaluators(self, shared: Path, name: str) -> None:
        task, qrels = GOLDEN[name]
        run = shared / f"{name.split('.', maxsplit=1)[0]}.fol.run.gz"
        collection = Collection(read_assessments(shared / f"{qrels}.qrels.gz"), read_runs(run))
        expected = golden(shared / "golden" / name)
        report = inex_eval_report(FORMULAS[task], collection, compat="inex_eval", per_topic=True)
        assert figures(report) == figures(expected)
        assert report == expected

    def test_by_default_all_topics_are_averaged(self, shared: Path) -> None:
        """The default corresponds to the evaluator's option -c; on this run, the evaluator otherwise agrees with the published definitions."""
        collection = Collection(read_assessments(shared / "inex2009-2010.qrels.gz"), read_runs(shared / "bert_1.fol.run.gz"))
        assert inex_eval_report(scores(MAiP), collection) == golden(shared / "golden" / "bert_1.f.c.txt")

    @pytest.mark.parametrize("name", GOLDEN)
    def test_so_is_each_line_of_the_reference(self, shared: Path, name: str) -> None:
        task, qrels = GOLDEN[name]
        file = f"{name.split('.', maxsplit=1)[0]}.fol.run"
        run_id, run = read_plainly(shared / f"{file}.gz")
        report = Evaluator(task, compat=True).report(run_id, file, judged_plainly(shared / f"{qrels}.qrels.gz"), run)
        assert report == golden(shared / "golden" / name)


@cache
def judged_plainly(path: Path) -> Assessed:
    """Reads FOL assessments without the package."""
    assessed: dict[str, dict[str, Document]] = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        topic, _, doc, relchars, docchars, entry, *passages = line.split()
        pairs = [tuple(map(int, passage.split(":"))) for passage in passages]
        assessed.setdefault(topic, {})[doc] = Document(
            int(relchars), int(docchars), int(entry), [(start, length) for start, length in pairs]
        )
    return assessed


@cache
def read_plainly(path: Path) -> tuple[str, Run]:
    """Reads a FOL run without the package."""
    run: dict[str, list[Result]] = {}
    run_id = ""
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        topic, _, doc, _, _, run_id, start, length = line.split()
        run.setdefault(topic, []).append(Result(doc, int(start), int(length)))
    return run_id, run


def reported(formula: Scoring, collection: Collection, compat: Compat | None = None, *, per_topic: bool = False) -> str:
    """Returns the report, without emitting warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return inex_eval_report(formula, collection, compat=compat, per_topic=per_topic)


# ------------------------------------------------------------------------------------------------ small collections


def collection_of(assessed: Assessed, runs: Mapping[str, Run]) -> Collection:
    """Returns a collection in the form of the reference implementation."""
    documents = [(topic, doc, held.relchars, held.docchars, held.bep) for topic, docs in assessed.items() for doc, held in docs.items()]
    passages = [(topic, doc, *passage) for topic, docs in assessed.items() for doc, held in docs.items() for passage in held.passages]
    rows = [
        (run, topic, result.doc, None, result.start, result.length, None, None)
        for run in sorted(runs)
        for topic in sorted(runs[run])
        for result in runs[run][topic]
    ]
    topics = sorted({topic for run in runs.values() for topic in run})
    schema = {"run_id": pl.Enum(sorted(runs)), "topic_id": pl.Enum(topics), **RESULTS}
    assessments = Assessments(
        documents=pl.DataFrame(documents, schema=DOCUMENTS, orient="row"),
        passages=pl.DataFrame(passages, schema=PASSAGES, orient="row"),
        topics=tuple(assessed),
    )
    files = {run: f"folder/{run}.run.gz" for run in runs}
    read = Runs.of(pl.DataFrame(rows, schema=schema, orient="row"), dict.fromkeys(sorted(runs), "file"))
    return collected(assessments, replace(read, files=files))


@dataclass(frozen=True)
class Case:
    """A collection, a task with its parameters, and the options of the report."""

    assessed: Assessed
    runs: Mapping[str, Run]
    evaluator: Evaluator

    @property
    def formula(self) -> Scoring:
        evaluator = self.evaluator
        match evaluator.task:
            case "focused" | "thorough":
                return FORMULAS[evaluator.task]
            case "f":
                return scores(MAgP(beta=evaluator.beta))
            case "bep":
                return scores(MAgP(score="bep", n=evaluator.n))
            case "t2i":
                return scores(MAgP(score="t2i", tolerance=evaluator.tolerance))

    def report(self) -> str | None:
        """Returns the package's report; None if a run is rejected."""
        compat: Compat | None = "inex_eval" if self.evaluator.compat else None
        try:
            return reported(self.formula, collection_of(self.assessed, self.runs), compat, per_topic=self.evaluator.per_topic)
        except CollectionError:
            return None

    def reference(self) -> str | None:
        try:
            return "".join(self.evaluator.report(run, f"{run}.run", self.assessed, self.runs[run]) for run in sorted(self.runs))
        except RefusedError:
            return None


BOUNDS = st.sampled_from([0, 1, 2, 3, 10, 12, 28, 29, 30, 57, 58, 60, 99, 100, 101, 130])
"""Offsets; for some of them, recall of 100 highlighted characters differs in floating point from the exact value."""
DOCS = ("a", "b", "c", "d")


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Returns documents with passages, with one passage that covers the document, without passages, or only with an entry point."""
    entry = draw(st.none() | BOUNDS)
    kind = draw(st.sampled_from(["passages", "passages", "hundred", "none", "entry"]))
    if kind == "hundred":
        return Document(100, 140, entry, [(0, 100)])
    if kind == "entry":
        return Document(draw(st.integers(1, 9)), 140, entry)
    if kind == "none":
        return Document(0, 140)
    bounds = sorted(draw(st.lists(BOUNDS, min_size=2, max_size=6, unique=True)))
    passages = [(start, end - start) for start, end in zip(bounds[::2], bounds[1::2], strict=False)]
    return Document(sum(length for _, length in passages), 140, entry, passages)


@st.composite
def results(draw: st.DrawFn, task: Task) -> list[Result]:
    """Returns rankings, mostly valid for most tasks, with overlap rarely or often."""
    retrieved: list[Result] = []
    for _ in range(draw(st.integers(1, 8))):
        doc = draw(st.sampled_from([*DOCS, "x", "y"]))
        start, end = sorted((draw(BOUNDS), draw(BOUNDS)))
        place = UNRESOLVED if draw(st.integers(0, 7)) == 0 else (start, end - start)
        retrieved.append(Result(doc, *place))
    if task == "thorough":
        return retrieved
    if draw(st.integers(0, 5)):
        retrieved = apart(retrieved)
    if task != "focused" and draw(st.integers(0, 5)):
        first = list(dict.fromkeys(result.doc for result in retrieved))
        retrieved.sort(key=lambda result: first.index(result.doc))
    if task == "bep" and draw(st.integers(0, 5)):
        retrieved = list({result.doc: result for result in retrieved}.values())
    return retrieved


def apart(retrieved: Sequence[Result]) -> list[Result]:
    """Returns the results that do not overlap an earlier result."""
    kept: list[Result] = []
    for result in retrieved:
        meets = (
            result.doc == other.doc and result.start < other.start + other.length and other.start < result.start + max(result.length, 1)
            for other in kept
            if result.resolved and other.resolved
        )
        if not any(meets):
            kept.append(result)
    return kept


@st.composite
def cases(draw: st.DrawFn, task: Task, compat: bool) -> Case:
    """Returns up to six runs of up to three topics; in half of the cases none that is rejected, because a rejected run hides the others."""
    topics = draw(st.lists(st.sampled_from(["1", "10", "2", "9"]), min_size=1, max_size=3, unique=True))
    assessed = {topic: draw(st.dictionaries(st.sampled_from(DOCS), documents(), min_size=1, max_size=4)) for topic in topics}
    runs = {
        run: {topic: draw(results(task)) for topic in draw(st.lists(st.sampled_from(topics), min_size=1, unique=True))}
        for run in "pqrstu"[: draw(st.integers(1, 6))]
    }
    evaluator = Evaluator(
        task,
        compat,
        beta=draw(st.sampled_from([0.25, 1.0, 0.0])),
        n=draw(st.sampled_from([500, 20, 1])),
        tolerance=draw(st.sampled_from([300, 5, 1])),
        per_topic=draw(st.booleans()),
    )
    case = Case(assessed, runs, evaluator)
    accepted = {run: of_run for run, of_run in runs.items() if replace(case, runs={run: of_run}).reference() is not None}
    with_rejected: bool = draw(st.booleans())
    return case if with_rejected or not accepted else replace(case, runs=accepted)


@pytest.mark.parametrize("compat", [True, False], ids=["compat", "published"])
@pytest.mark.parametrize("task", FORMULAS)
def test_the_report_is_what_its_definition_says(task: Task, compat: bool) -> None:
    accepted = 0

    @up_to(16)
    @given(cases(task, compat))
    def compare(case: Case) -> None:
        nonlocal accepted
        expected = case.reference()
        accepted += expected is not None
        assert case.report() == expected

    compare()
    assert accepted >= seen_in_all(8)


@up_to(16)
@given(cases("thorough", True) | cases("f", True), st.integers(1, 20))
def test_the_size_of_a_batch_changes_no_bit(case: Case, size: int) -> None:
    whole = case.report()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batching, "BATCH", size)
        assert case.report() == whole


# ------------------------------------------------------------------------------------------------ by hand

HUNDRED: Assessed = {"1": {"a": Document(100, 140, 0, [(0, 100)])}}
"""One document, whose first 100 characters of 140 are highlighted."""
TWO: Assessed = {
    "1": {"a": Document(10, 40, 5, [(5, 10)]), "b": Document(30, 60, None, [(0, 30)])},
    "2": {"c": Document(4, 9, 0, [(0, 4)])},
}
"""Topic 1: two relevant documents, 10 and 30 characters highlighted; topic 2: one, with 4."""


def values(formula: Scoring, assessed: Assessed, run: Run, compat: Compat | None = None, topic: str = "all") -> dict[str, float]:
    """Returns the numbers in a report for a topic, by name."""
    report = reported(formula, collection_of(assessed, {"r": run}), compat, per_topic=topic != "all")
    return {name: value for name, of_topic, value in figures(report) if of_topic == topic}


class TestByHand:
    def test_focused(self) -> None:
        # a: 20 characters, 10 of them highlighted; then 20 of the 30 of b, in 30: P 10/20, 30/50; R 10/40, 30/40.
        found = values(scores(MAiP), TWO, {"1": [Result("a", 0, 20), Result("b", 10, 30)]}, "inex_eval", "1")
        assert found | {"num_ret": 2, "num_rel": 2, "num_rel_ret": 2, "ret_size": 50, "rel_size": 40, "rel_ret_size": 30} == found
        assert (found["art_prec"], found["art_rec"], found["art_f1"]) == (1.0, 1.0, 1.0)
        assert (found["char_prec"], found["char_rec"]) == (30 / 50, 30 / 40)
        assert found["char_f1"] == 2.0 * 0.6 * 0.75 / (0.6 + 0.75)
        assert [found[f"iP[{level}]"] for level in ("0.00", "0.01", "0.05", "0.10")] == [30 / 50] * 4
        assert found["AiP"] == pytest.approx(76 * 0.6 / 101)

    def test_in_context(self) -> None:
        # a: P 10/20, R 1, F = 2/3. x: 0. b: P 20/30, R 20/30, F = 2/3.
        run = {"1": [Result("a", 0, 20), Result("x", 0, 5), Result("b", 10, 30)]}
        found = values(scores(MAgP), TWO, run, "inex_eval", "1")
        assert found["ret_size"] == 55
        assert found["rel_ret_size"] == 30
        assert [found[f"gP[{rank}]"] for rank in (1, 2, 3, 5)] == pytest.approx([2 / 3, 1 / 3, 4 / 9, 4 / 9])
        assert [found[f"gR[{rank}]"] for rank in (1, 2, 3, 50)] == [0.5, 0.5, 1.0, 1.0]
        assert found["AgP"] == pytest.approx((2 / 3 + 4 / 9) / 2)
        assert [found_all for name, found_all in values(scores(MAgP), TWO, run, "inex_eval").items() if "ircl" in name] == pytest.approx(
            [2 / 3] * 6 + [4 / 9] * 5
        )

    def test_best_in_context_counts_no_characters(self) -> None:
        found = values(scores(MAgP(score="bep", n=10)), TWO, {"1": [Result("a", 8, 20)]}, "inex_eval", "1")
        assert (found["ret_size"], found["rel_size"], found["rel_ret_size"]) == (0, 40, 0)
        assert found["gP[1]"] == (10 - 3) / 10

    def test_two_line_runs_on_real_assessments(self, shared: Path) -> None:
        assessed = judged_plainly(shared / "inex2009-2010.qrels.gz")
        run = {"2009001": [Result("851", 1205, 3431), Result("999999999", 0, 100)]}
        found = values(scores(MAgP(beta=0.25)), assessed, run, "inex_eval", "2009001")
        assert found["gP[1]"] == 0.9377934272300469
        assert [found[f"gP[{rank}]"] for rank in (2, 3, 5, 10, 25, 50)] == [0.46889671361502344] * 6
        assert found["AgP"] == 0.04262697396500213
        found = values(scores(MAiP), assessed, {"2009001": [Result("851", -1, -1), Result("21201", 133, 538)]}, "inex_eval", "2009001")
        assert (found["ret_size"], found["iP[0.00]"], found["AiP"]) == (556, 0.9676258992805755, 0.00958045444832253)


class TestDepartures:
    """Effects of compat, each on a collection in which it changes the result."""

    @pytest.mark.parametrize("found", [29, 57, 58])
    def test_levels_that_floating_point_misses(self, found: int) -> None:
        run = {"1": [Result("a", 0, found)]}
        name = f"ircl_prn.{found / 100:.2f}"
        assert values(scores(MAiP), HUNDRED, run)[name] == 1.0
        assert values(scores(MAiP), HUNDRED, run, "inex_eval")[name] == 0.0
        assert values(scores(MAiP), HUNDRED, run, "inex_eval")[f"ircl_prn.{(found - 1) / 100:.2f}"] == 1.0

    def test_repeated_text_of_irrelevant_documents(self) -> None:
        run = {"1": [Result("a", 0, 10), Result("x", 0, 20), Result("x", 10, 20), Result("a", 0, 10)]}
        thorough = scores(MAiP(overlap="unseen"))
        assert values(thorough, HUNDRED, run)["ret_size"] == 10 + 20 + 10
        assert values(thorough, HUNDRED, run, "inex_eval")["ret_size"] == 10 + 20 + 20

    def test_unresolved_paths_of_relevant_documents(self) -> None:
        run = {"1": [Result("a", -1, -1), Result("x", -1, -1)]}
        thorough = scores(MAiP(overlap="unseen"))
        assert values(thorough, HUNDRED, run)["ret_size"] == 36
        assert values(thorough, HUNDRED, run, "inex_eval")["ret_size"] == 18
        assert values(scores(MAiP), HUNDRED, run, "inex_eval")["ret_size"] == 36

    def test_past_the_end_of_the_list(self) -> None:
        run = {"1": [Result("a", 0, 100)]}
        assert values(scores(MAgP), HUNDRED, run)["gP[10]"] == 1 / 10
        assert values(scores(MAgP), HUNDRED, run, "inex_eval")["gP[10]"] == 1.0

    def test_topics_averaged(self) -> None:
        run = {"2": [Result("c", 0, 4)]}
        published, evaluator = values(scores(MAiP), TWO, run), values(scores(MAiP), TWO, run, "inex_eval")
        assert (published["num_q"], published["num_rel"], published["MAiP"]) == (2, 3, 0.5)
        assert (evaluator["num_q"], evaluator["num_rel"], evaluator["MAiP"]) == (1, 1, 1.0)
        in_context = values(scores(MAgP), TWO, run, "inex_eval")
        assert (in_context["num_q"], in_context["num_rel"], in_context["rel_size"], in_context["MAgP"]) == (1, 3, 44, 1.0)

    def test_topics_without_highlighted_text(self) -> None:
        assessed = {**HUNDRED, "2": {"b": Document(0, 9)}}
        run = {"1": [Result("a", 0, 100)], "2": [Result("b", 0, 9)]}
        published, evaluator = values(scores(MAiP), assessed, run), values(scores(MAiP), assessed, run, "inex_eval")
        assert (published["num_q"], published["ret_size"], published["MAiP"], published["char_rec"]) == (1, 109, 1.0, 1.0)
        assert (evaluator["num_q"], evaluator["MAiP"], evaluator["char_prec"], evaluator["char_f1"]) == (2, 0.5, 0.5, 0.5)
        assert math.isnan(evaluator["char_rec"])
        assert math.isnan(evaluator["art_rec"])
        in_context = values(scores(MAgP), assessed, run, "inex_eval")
        assert in_context["gP[1]"] == 0.5
        assert math.isnan(in_context["gR[1]"])
        assert math.isnan(in_context["MAgP"])
        lines = values(scores(MAgP), assessed, run, None, "2")
        assert all(math.isnan(value) == (name[:1] in {"g", "A"}) for name, value in lines.items())

    def test_entry_points_without_passages(self) -> None:
        assessed = {"1": {"a": Document(7, 90, 20)}}
        run = {"1": [Result("a", 20, 5)]}
        best = scores(MAgP(score="bep"))
        assert values(best, assessed, run)["MAgP"] == 1.0
        evaluator = values(best, assessed, run, "inex_eval")
        assert (evaluator["MAgP"], evaluator["num_rel_ret"], evaluator["rel_size"]) == (0.0, 1, 7)

    def test_results_without_characters_inside_others(self) -> None:
        run = {"1": [Result("a", 0, 10), Result("a", 4, 0)]}
        assert values(scores(MAiP), HUNDRED, run)["ret_size"] == 10
        with pytest.raises(CollectionError, match="overlap"):
            values(scores(MAiP), HUNDRED, run, "inex_eval")


class TestJudges:
    """Reports on the highlighting of one of several assessors."""

    @pytest.fixture
    def judged(self, tmp_path: Path) -> Collection:
        (tmp_path / "ann").write_text("1 Q0 a 10 90 0 0:10\n2 Q0 b 20 90 5 5:20\n")
        (tmp_path / "bob").write_text("1 Q0 a 20 90 0 0:20\n")
        (tmp_path / "run").write_text("1 Q0 a 1 2.0 fol 0 20\n1 Q0 b 2 1.0 fol 0 5\n")
        both = read_assessments({"ann": tmp_path / "ann", "bob": tmp_path / "bob"})
        return collected(both, read_runs(tmp_path / "run"))

    def test_each_is_that_of_their_assessments_alone(self, judged: Collection, tmp_path: Path) -> None:
        for name in ("ann", "bob"):
            alone = collected(read_assessments(tmp_path / name), read_runs(tmp_path / "run"))
            for measure in (MAiP, MAgP):
                report = reported(scores(measure, assessor(name)), judged, "inex_eval", per_topic=True)
                assert report == reported(scores(measure), alone, "inex_eval", per_topic=True)

    def test_there_is_one_report_at_a_time(self, judged: Collection) -> None:
        with pytest.raises(FormulaError) as caught:
            inex_eval_report(scores(MAiP, (assessor("ann"), assessor("bob"))), judged)
        message = 'scores: expected one assessor for the evaluator\'s report, found assessor("ann"), assessor("bob")'
        assert caught.value.message == message

    def test_errors_name_the_judge(self, judged: Collection, tmp_path: Path) -> None:
        (tmp_path / "run").write_text("1 Q0 a 1 2.0 fol 0 20\n1 Q0 a 2 1.0 fol 5 5\n")
        again = collected(judged.assessments, read_runs(tmp_path / "run"))
        with pytest.raises(CollectionError, match="assessor bob: "):
            inex_eval_report(scores(MAiP, assessor("bob")), again)


class TestLayout:
    def test_blocks_lines_and_files(self) -> None:
        lists = {"1": [Result("a", 0, 50)]}
        collection = collection_of(HUNDRED, {"q": lists, "p": lists})
        lines = inex_eval_report(scores(MAgP), collection, per_topic=True).splitlines()
        half = len(lines) // 2
        assert lines[0] == '<eval run-id="p" file="p.run">'
        assert lines[half] == '<eval run-id="q" file="q.run">'
        assert lines[half - 1] == lines[-1] == "</eval>"
        assert lines[1:7] == [
            "num_ret\t\t1\t1", "num_rel\t\t1\t1", "num_rel_ret\t1\t1", "ret_size\t1\t50", "rel_size\t1\t100", "rel_ret_size\t1\t50",
        ]  # fmt: skip
        assert lines[7:9] == [f"gP[1]\t\t1\t{2 / 3}", "gR[1]\t\t1\t1.0"]
        assert lines[21] == f"AgP\t\t1\t{2 / 3}"
        assert lines[22] == "num_q\t\tall\t1"
        assert lines[half - 2] == f"ircl_prn.1.00\tall\t{2 / 3}"
        assert inex_eval_report(scores(MAgP), collection).splitlines()[1] == "num_q\t\tall\t1"

    @pytest.mark.parametrize(
        ("measures", "alike"),
        [
            (char_prec, MAiP),
            ((iP @ 0.01, char_f1), MAiP),
            ((char_f1, iP(overlap="unseen") @ 0.3), MAiP(overlap="unseen")),
            (gR @ 10, MAgP),
            ((gR @ 10, gP(score="bep", n=20) @ 3), MAgP(score="bep", n=20)),
            (iGP(score="t2i", tolerance=5), MAgP(score="t2i", tolerance=5)),
        ],
    )
    def test_measures_tell_the_task(self, measures: Measures, alike: Measure) -> None:
        collection = collection_of(TWO, {"r": {"1": [Result("a", 7, 20), Result("b", 10, 30)], "2": [Result("c", 1, 5)]}})
        assert inex_eval_report(scores(measures), collection) == inex_eval_report(scores(alike), collection)

    @pytest.mark.parametrize(
        ("experiment", "message"),
        [
            (scores(MAP), "scores: expected character or in-context measures for the evaluator's report, found MAP"),
            (
                scores(char_prec(budget=9)),
                "scores: expected char_prec, char_rec or char_f1 for the evaluator's report, found char_prec(budget=9)",
            ),
            (scores(char_iou), "scores: expected char_prec, char_rec or char_f1 for the evaluator's report, found char_iou"),
            (
                scores((MAiP, MAgP, char_prec)),
                "scores: expected measures of one task for the evaluator's report, found measures of 2 tasks: the focused task (MAiP, char_prec); "
                "the task in context of MAgP (MAgP)",
            ),
            (
                scores((MAiP, iP(overlap="unseen") @ 0.1)),
                "scores: expected measures of one task for the evaluator's report, found measures of 2 tasks: the focused task (MAiP); "
                'the thorough task (iP(overlap="unseen")@0.1)',
            ),
            (
                scores((MAgP, gP(beta=0.25) @ 5)),
                "scores: expected measures of one task for the evaluator's report, found measures of 2 tasks: the task in context of MAgP (MAgP); "
                "the task in context of MAgP(beta=0.25) (gP(beta=0.25)@5)",
            ),
            (curve(MAiP), "inex_eval_report: expected scores of measures, such as scores(MAiP), found the experiment curve(MAiP)"),
        ],
    )
    def test_what_has_no_report(self, experiment: Scoring, message: str) -> None:
        with pytest.raises(FormulaError) as caught:
            inex_eval_report(experiment, collection_of(HUNDRED, {"r": {"1": [Result("a", 0, 1)]}}))
        assert caught.value.message == message

    def test_there_must_be_runs_and_passages(self) -> None:
        judged = collection_of(HUNDRED, {"r": {"1": [Result("a", 0, 1)]}})
        with pytest.raises(CollectionError, match=r"^scores: expected runs, found only assessments$"):
            inex_eval_report(scores(MAiP), Collection(judged.assessments))
        with pytest.raises(
            CollectionError, match=r"^scores: expected assessments and runs for the evaluator's report, found scores by topic$"
        ):
            evaluated(scores(MAiP), Scores(("a",), ("1",), {("MAiP", "1"): np.array([[0.5]])}), RunOptions())
        graded = Assessments(grades=pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [1.0]}))
        assert judged.runs is not None
        collection = collected(graded, judged.runs)
        with pytest.raises(
            CollectionError, match=r"^expected assessments with highlighted passages, found assessments of another kind: documents$"
        ):
            inex_eval_report(scores(MAiP), collection)

    def test_what_should_be_known_is_told(self) -> None:
        collection = collection_of(TWO, {"r": {"2": [Result("c", -1, -1)]}})
        with pytest.warns(CollectionWarning) as told:
            inex_eval_report(scores(MAiP), collection, compat="inex_eval")
        assert [str(warning.message) for warning in told] == [
            "1 result has an unknown position, and shows nothing highlighted (run r): MAiP",
            'compat="inex_eval": 1 topic missing from run r is excluded from its means (1)',
        ]
        without = collection_of({**HUNDRED, "2": {"b": Document(0, 9)}}, {"r": {"1": [Result("a", 0, 9)], "2": [Result("b", 0, 9)]}})
        with pytest.warns(CollectionWarning, match=r"^1 topic without highlighted text excluded from the means: 2$"):
            inex_eval_report(scores(MAiP), without)
