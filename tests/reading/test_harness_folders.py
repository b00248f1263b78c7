"""Result folders of evaluation harnesses: MTEB, lm-evaluation-harness and Inspect."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from inexmetrics import CollectionError, CollectionWarning, Scores, run, scores_from
from inexmetrics.cli import main
from inexmetrics.reading.scores.harnesses import Folder, Score
from inexmetrics.reading.scores.sources import HARNESSES

REAL = Path(__file__).parents[2] / "docs" / "files" / "mteb"
"""Main scores of MTEB, reduced; docs/files/mteb-source.txt gives their source."""


def write(file: Path, value: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value))


def task(name: str, splits: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    scores = {
        split: [{"hf_subset": subset, "main_score": score, "other": 0.1} for subset, score in subsets.items()]
        for split, subsets in splits.items()
    }
    return {"task_name": name, "scores": scores, "mteb_version": "2.1.0"}


def of(tmp_path: Path, harness: str = "mteb") -> Scores:
    return scores_from(f"{harness}:{tmp_path}", missing="zero")


def test_a_folder_without_its_prefix(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": []}
    write(tmp_path / "logs" / "2026-01-01_t.json", log)
    write(tmp_path / "out" / "org__a" / "results_2026-01-01T00-00-00.json", results("org/a", {"arc": {"alias": "arc", "acc,none": 0.5}}))
    sample = {"doc_id": 0, "doc": {"question": "?"}, "target": "a", "acc": 1.0}
    (tmp_path / "samples").mkdir()
    for task in ("arc", "boolq"):
        lines = [json.dumps(sample | {"doc_id": number}) + "\n" for number in range(2)]
        (tmp_path / "samples" / f"samples_{task}_2026-01-01T00-00-00.jsonl").write_text("".join(lines))
    for folder, harness in (
        (REAL, "mteb"),
        (tmp_path / "logs", "inspect"),
        (tmp_path / "out", "lm-eval"),
        (tmp_path / "samples", "lm-eval"),
    ):
        assert main(['ranks(given("acc"))', "--scores", str(folder)]) == 1
        named = f"{harness}:{folder} (--scores {harness}:{folder}) reads them\n"
        assert capsys.readouterr().err == f"error: {folder}: expected scores by topic, found results of a harness; {named}"
    read = scores_from(tmp_path / "samples" / "samples_arc_2026-01-01T00-00-00.jsonl", topics="doc_id", measures="acc")
    assert read.matrix("acc").tolist() == [[1.0, 1.0]]


def test_real_results_of_mteb() -> None:
    whole = scores_from(f"mteb:{REAL}")
    assert len(whole.runs) == 8
    assert "intfloat/multilingual-e5-small" in whole.runs
    assert len(whole.topics) == 7
    with pytest.warns(CollectionWarning, match="4 runs of 8 without a score on some topics are excluded"):
        complete = whole.complete("drop-runs")
    # EmotionClassification has the splits test (.47575) and validation (.48235)
    large = complete.only("intfloat/multilingual-e5-large", ["EmotionClassification", "STS12"])
    assert large.matrix("main_score").tolist() == [[0.47575, 0.8001977936978489]]
    with pytest.raises(
        CollectionError, match=r"expected a score for every run on every topic, found 7 missing scores \(run GritLM/GritLM-7B"
    ):
        run('scores(given("main_score"))', whole)


def test_the_main_score_of_a_task_is_the_mean_of_its_subsets_on_test(tmp_path: Path) -> None:
    write(tmp_path / "org__a" / "rev1" / "X.json", task("X", {"test": {"en": 0.5, "de": 0.25}, "dev": {"en": 0.9, "de": 0.9}}))
    write(tmp_path / "org__b" / "rev1" / "X.json", task("X", {"test": {"en": 1.0, "de": 0.5}}))
    found = of(tmp_path)
    assert (found.runs, found.topics, found.warnings) == (("org/a", "org/b"), ("X",), ())
    assert found.matrix("main_score").tolist() == [[0.375], [0.75]]


def test_the_description_of_a_model_names_it(tmp_path: Path) -> None:
    write(tmp_path / "some_folder" / "1" / "X.json", task("X", {"test": {"en": 0.5}}))
    write(tmp_path / "some_folder" / "1" / "model_meta.json", {"name": "org/sub__name", "revision": "1"})
    assert of(tmp_path).runs == ("org/sub__name",)


@pytest.mark.parametrize("named", ["", "org__a", "org__a/rev1", "org__a/rev1/X.json"])
def test_a_folder_at_any_level(tmp_path: Path, named: str) -> None:
    write(tmp_path / "org__a" / "rev1" / "X.json", task("X", {"test": {"en": 0.5}}))
    assert of(tmp_path / named).runs == ("org/a",)


def test_models_without_organisation_or_revision(tmp_path: Path) -> None:
    write(tmp_path / "a" / "X.json", task("X", {"test": {"en": 0.5}}))
    write(tmp_path / "b" / "rev1" / "X.json", task("X", {"test": {"en": 0.5}}))
    write(tmp_path / "deep" / "c" / "rev1" / "X.json", task("X", {"test": {"en": 0.5}}))
    assert of(tmp_path).runs == ("a", "b", "c")


def test_models_are_compared_on_the_subsets_that_all_have(tmp_path: Path) -> None:
    write(tmp_path / "a" / "r" / "X.json", task("X", {"test": {"en": 0.5, "de": 0.1}}))
    write(tmp_path / "b" / "r" / "X.json", task("X", {"test": {"en": 0.25}}))
    write(tmp_path / "a" / "r" / "Y.json", task("Y", {"test": {"en": 0.5}}))
    write(tmp_path / "b" / "r" / "Y.json", task("Y", {"test": {"fr": 0.25}}))
    with pytest.warns(CollectionWarning) as warned:
        found = of(tmp_path)
    texts = [str(warning.message) for warning in warned]
    assert any(
        "X: the models have results for different subsets (2 in total), and are scored by the mean of the 1 subset that all models have (en)"
        in text
        for text in texts
    )
    assert any(
        "Y: the models have results for different subsets (2 in total), and are not scored, because no subset is common to all models"
        in text
        for text in texts
    )
    assert found.topics == ("X",)
    assert found.matrix("main_score").tolist() == [[0.5], [0.25]]


def test_splits(tmp_path: Path) -> None:
    for model, dev in (("a", 0.5), ("b", 0.25)):
        write(tmp_path / model / "r" / "X.json", task("X", {"dev": {"en": dev}}))
    write(tmp_path / "a" / "r" / "Y.json", task("Y", {"test": {"en": 0.5}}))
    write(tmp_path / "b" / "r" / "Y.json", task("Y", {"dev": {"en": 0.5}, "train": {"en": 0.5}}))
    with pytest.warns(CollectionWarning) as warned:
        found = of(tmp_path)
    texts = " ".join(str(warning.message) for warning in warned)
    assert "X: the split test is missing, and the split dev is used instead" in texts
    assert "Y.json: skipped: expected the split test, or the same single split of all models, found dev, train" in texts
    assert found.matrix("main_score").tolist() == [[0.5, 0.5], [0.25, 0.0]]


def test_revisions_are_runs_of_their_own(tmp_path: Path) -> None:
    for revision, score in (("0123456789abcdef", 0.5), ("fedcba9876543210", 0.25)):
        write(tmp_path / "org__a" / revision / "X.json", task("X", {"test": {"en": score}}))
    with pytest.warns(CollectionWarning, match="org/a: each of the 2 revisions is read as a run"):
        found = of(tmp_path)
    assert found.runs == ("org/a@01234567", "org/a@fedcba98")
    assert found.matrix("main_score").tolist() == [[0.5], [0.25]]


def test_every_file_that_is_not_understood_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a" / "r" / "X.json", task("X", {"test": {"en": 0.5}}))
    write(tmp_path / "a" / "r" / "old.json", {"mteb_dataset_name": "Old", "test": {"ndcg_at_10": 0.5}})
    write(tmp_path / "a" / "r" / "nan.json", task("N", {"test": {"en": float("nan")}}))
    write(tmp_path / "a" / "r" / "text.json", task("T", {"test": {"en": "high"}}))
    (tmp_path / "a" / "r" / "broken.json").write_text("{")
    (tmp_path / "README.md").write_text("# results")
    with pytest.warns(CollectionWarning) as warned:
        assert of(tmp_path).topics == ("X",)
    texts = sorted(str(warning.message) for warning in warned)
    assert len(texts) == 5
    for name in ("README.md", "broken.json", "nan.json", "old.json", "text.json"):
        assert any(name in text and "skipped: expected" in text for text in texts)


@pytest.mark.parametrize("harness", ["mteb", "lm-eval"])
@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_a_folder_without_results(tmp_path: Path, harness: str) -> None:
    (tmp_path / "other.txt").write_text("x")
    with pytest.raises(CollectionError, match=f"{harness}:.*: expected results of {harness}, found none"):
        of(tmp_path, harness)
    with pytest.raises(CollectionError, match="expected a file or folder, found nothing with this name"):
        of(tmp_path / "absent", harness)


def results(model: str, tasks: Mapping[str, Mapping[str, object]], **more: object) -> dict[str, object]:
    return {"results": tasks, "model_name": model, "config": {"model": "hf", "model_args": f"pretrained={model},dtype=auto"}, **more}


def samples(file: Path, rows: list[dict[str, object]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps({"doc": {"q": "?"}, "target": "x", "resps": [["x"]], **row}) + "\n" for row in rows))


@pytest.mark.filterwarnings("ignore:topics with the same .* are treated as independent:inexmetrics.CollectionWarning")
def test_samples_of_lm_eval(tmp_path: Path) -> None:
    for model, scores in (("org__a", (1.0, 0.0)), ("org__b", (1.0, 1.0))):
        date = "2024-07-01T10-20-30.123456"
        write(tmp_path / model / f"results_{date}.json", results(model.replace("__", "/"), {"arc": {"alias": "arc", "acc,none": 0.5}}))
        samples(
            tmp_path / model / f"samples_arc_{date}.jsonl",
            [
                {"doc_id": place, "filter": "none", "metrics": ["acc", "brier"], "acc": score, "brier": [1]}
                for place, score in enumerate(scores)
            ],
        )
        rows: list[dict[str, object]] = [
            {"doc_id": 0, "filter": name, "metrics": ["exact_match"], "exact_match": score}
            for name, score in (("strict-match", scores[1]), ("flexible-extract", 1.0))
        ]
        samples(tmp_path / model / f"samples_gsm_8k_{date}.jsonl", rows)
    with pytest.warns(CollectionWarning, match=r"metrics without a finite number for a sample are ignored \(brier\)"):
        found = scores_from(f"lm-eval:{tmp_path}", clusters="task")
    assert found.runs == ("org/a", "org/b")
    assert found.topics == ("arc/0", "arc/1", "gsm_8k/0")
    assert found.clusters == {"task": ("arc", "arc", "gsm_8k")}
    assert [name for name, _ in found.conditions] == ["acc", "exact_match,strict-match", "exact_match,flexible-extract"]
    assert found.matrix("acc")[:, :2].tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert found.matrix("exact_match,strict-match")[:, 2].tolist() == [0.0, 1.0]
    with pytest.warns(CollectionWarning, match="1 topic is undefined under acc and excluded: gsm_8k/0"):
        assert run('significance(given("acc"))', found).table.height == 1


def test_older_samples_have_no_list_of_metrics(tmp_path: Path) -> None:
    samples(tmp_path / "org__a" / "samples_arc_2024-01-01T00-00-00.jsonl", [{"doc_id": 7, "acc": True, "acc_norm": 0.5, "arguments": []}])
    found = of(tmp_path, "lm-eval")
    assert (found.runs, found.topics) == (("org/a",), ("arc/7",))
    assert found.matrix("acc").tolist() == [[1.0]]
    assert found.matrix("acc_norm").tolist() == [[0.5]]


def test_results_of_lm_eval_without_samples(tmp_path: Path) -> None:
    tasks: dict[str, dict[str, object]] = {
        "mmlu": {"alias": "mmlu", "acc,none": 0.6},
        "mmlu_law": {"alias": " - law", "acc,none": 0.5, "acc_stderr,none": 0.1, "sample_len": 10},
        "mmlu_art": {"acc,none": 0.7, "acc_stderr,none": "N/A"},
        "gsm8k": {"exact_match,strict-match": 0.25},
    }
    group = {"mmlu": ["mmlu_law", "mmlu_art"], "gsm8k": []}
    write(tmp_path / "x" / "results_2024-01-01T00-00-00.1.json", results("org/a", {"gsm8k": {"exact_match,strict-match": 0.1}}))
    write(tmp_path / "x" / "results_2024-02-01T00-00-00.1.json", results("org/a", tasks, group_subtasks=group))
    write(tmp_path / "y" / "results_2024-01-01T00-00-00.1.json", {"results": tasks, "groups": {"mmlu": {}}})
    with pytest.warns(CollectionWarning, match=r"results_2024-01-01T00-00-00.1.json: ignored, .*results_2024-02-01.* is later"):
        found = of(tmp_path, "lm-eval")
    assert (found.runs, found.topics) == (("org/a", "y"), ("gsm8k", "mmlu_art", "mmlu_law"))
    assert found.matrix("acc")[0, 1:].tolist() == [0.7, 0.5]
    assert found.matrix("exact_match,strict-match")[:, 0].tolist() == [0.25, 0.25]


def test_tasks_without_samples_are_named(tmp_path: Path) -> None:
    write(tmp_path / "a" / "results_2024-01-01T00-00-00.1.json", results("a", {"arc": {"acc,none": 0.5}, "boolq": {"acc,none": 0.5}}))
    samples(tmp_path / "a" / "samples_arc_2024-01-01T00-00-00.1.jsonl", [{"doc_id": 0, "acc": 1.0}])
    (tmp_path / "a" / "notes.txt").write_text("x")
    with pytest.warns(CollectionWarning) as warned:
        assert of(tmp_path, "lm-eval").topics == ("arc/0",)
    texts = " ".join(str(warning.message) for warning in warned)
    assert "1 task without samples is ignored (boolq of a)" in texts
    assert "notes.txt: skipped: expected results or samples of lm-evaluation-harness" in texts


def test_a_broken_sample(tmp_path: Path) -> None:
    file = tmp_path / "a" / "samples_arc_2024-01-01T00-00-00.jsonl"
    samples(file, [{"doc_id": 0, "acc": 1.0}])
    file.write_text(file.read_text() + "{broken\n")
    with pytest.raises(CollectionError, match=r"samples_arc.*jsonl:2: expected a JSON object, found"):
        of(tmp_path, "lm-eval")


def log(model: str, created: str, status: str = "success", task_name: str = "capitals") -> SimpleNamespace:
    def sample(name: object, epoch: int, values: dict[str, object]) -> SimpleNamespace:
        return SimpleNamespace(
            error=None, id=name, epoch=epoch, scores={scorer: SimpleNamespace(value=value) for scorer, value in values.items()}
        )

    return SimpleNamespace(
        status=status,
        eval=SimpleNamespace(model=model, task=task_name, created=created),
        samples=[
            sample("q1", 1, {"match": "C", "two": {"length": 3, "ok": True}}),
            sample("q1", 2, {"match": "I", "two": {"length": 5, "ok": False}}),
            sample(2, 1, {"match": "P", "two": {"length": 1, "ok": True}}),
            sample(3, 1, {}),
        ],
    )


def test_logs_of_inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a stand-in for inspect_ai, whose own reader has these names
    logs = {
        "a1.eval": log("openai/gpt", "2026-01-01"),
        "a2.eval": log("openai/gpt", "2026-01-02"),
        "b.json": log("b", "2026-01-01"),
        "c.eval": log("c", "2026-01-01", "error"),
    }
    package, of_logs, of_scorers = ModuleType("inspect_ai"), ModuleType("inspect_ai.log"), ModuleType("inspect_ai.scorer")

    def read_eval_log(path: str) -> SimpleNamespace:
        return logs[Path(path).name]

    of_logs.read_eval_log = read_eval_log  # type: ignore[attr-defined]
    of_scorers.value_to_float = lambda: {"C": 1.0, "I": 0.0, "P": 0.5}.__getitem__  # type: ignore[attr-defined]
    package.log, package.scorer = of_logs, of_scorers  # type: ignore[attr-defined]
    for module in (package, of_logs, of_scorers):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    for name in (*logs, "notes.txt"):
        (tmp_path / name).write_text("")
    with pytest.warns(CollectionWarning) as warned:
        found = scores_from(f"inspect:{tmp_path}", clusters="task")
    texts = " ".join(str(warning.message) for warning in warned)
    assert f"a1.eval: ignored, because {tmp_path}/a2.eval is later" in texts
    assert "c.eval: skipped: expected a log with the status success, found the status error" in texts
    assert "notes.txt: skipped, because inspect_ai cannot read it: 'notes.txt'" in texts
    assert "1 sample without a score by each scorer" in texts
    assert "scores of several epochs of a sample are averaged" in texts
    assert (found.runs, found.topics) == (("b", "openai/gpt"), ("capitals/2", "capitals/q1"))
    assert found.matrix("match").tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert found.matrix("two/length")[0].tolist() == [1.0, 4.0]
    assert found.matrix("two/ok")[1].tolist() == [1.0, 0.5]
    assert set(found.clusters["task"]) == {"capitals"}


def test_inspect_ai_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(CollectionError, match=r'logs of Inspect need the package inspect_ai: pip install "inexmetrics\[inspect\]"'):
        of(tmp_path, "inspect")


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['scores(given("main_score"))', "--scores", f"mteb:{REAL}", "--missing", "drop-topics", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 9
    assert "3 topics of 7 with missing scores are excluded" in err
    assert main(["check", "--scores", f"mteb:{REAL}", "--missing", "drop-runs"]) == 0
    assert "7 topics, 4 runs" in capsys.readouterr().out


def test_with_other_files(tmp_path: Path) -> None:
    more = tmp_path / "more.csv"
    more.write_text("run_id,topic_id,score\nmine,STS12,0.5\n")
    with pytest.warns(CollectionWarning, match="mine: 6 of 7 topics"):
        found = scores_from([f"mteb:{REAL}", more], missing="zero")
    assert "mine" in found.runs
    assert "intfloat/multilingual-e5-base" in found.runs


def test_subsets_are_compared_among_the_selected_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model with one subset does not decide on which subsets other models are compared."""
    of_models = {"o__a": {"da": 0.5, "nl": 0.25, "sv": 0.75}, "o__b": {"da": 0.25, "nl": 0.5, "sv": 0.25}, "o__c": {"nl": 0.125}}
    for name, subsets in of_models.items():
        write(tmp_path / name / "r1" / "Intent.json", task("Intent", {"test": subsets}))
    with pytest.warns(CollectionWarning, match="the mean of the 1 subset that all models have"):
        assert of(tmp_path).matrix("x").ravel().tolist() == [0.25, 0.5, 0.125]
    chosen = scores_from(f"mteb:{tmp_path}", only_runs=["o/a", "o/b"])
    assert chosen.matrix("x").ravel().tolist() == [0.5, 1 / 3]
    assert chosen.warnings == ()
    asked = ['scores(given("x"))', "--scores", f"mteb:{tmp_path}", "--format", "csv", "--strict"]
    assert main([*asked, "--only-runs", "o/a", "o/b"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["o/a", "o/b"]
    assert main([*asked[:-1], "--only-runs", "o/d"]) == 1
    assert "unknown run 'o/d'" in capsys.readouterr().err


def test_systems_are_joined_before_topics_are_dropped(tmp_path: Path) -> None:
    for revision, tasks in {"r1": ("T1", "T2"), "r2": ("T2", "T3")}.items():
        for name in tasks:
            write(tmp_path / "o__a" / revision / f"{name}.json", task(name, {"test": {"default": 0.5}}))
    for name in ("T1", "T2"):
        write(tmp_path / "o__b" / "r1" / f"{name}.json", task(name, {"test": {"default": 0.25}}))
    with pytest.warns(CollectionWarning):
        found = scores_from(f"mteb:{tmp_path}", systems="(.*?)(?:@.*)?", missing="drop-topics")
    assert (found.runs, found.topics) == (("o/a", "o/b"), ("T1", "T2"))
    with pytest.warns(CollectionWarning):
        chosen = scores_from(f"mteb:{tmp_path}", systems="(.*?)(?:@.*)?", only_runs="o/a")
    assert chosen.topics == ("T1", "T2", "T3")


def test_a_file_whose_text_or_numbers_cannot_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path / "mteb" / "o__m" / "r" / "Good.json", task("Good", {"test": {"default": 0.5}}))
    write(tmp_path / "mteb" / "o__m" / "r" / "Bad.json", task("\ud800T", {"test": {"default": 0.5}}))
    write(tmp_path / "mteb" / "o__m" / "r" / "Big.json", task("Big", {"test": {"default": 10**400}}))
    with pytest.warns(CollectionWarning, match=r"Ba?i?g?d?.json: skipped: expected") as caught:
        assert of(tmp_path / "mteb").topics == ("Good",)
    assert sorted(str(warning.message).rpartition(".json")[0][-3:] for warning in caught) == ["Bad", "Big"]
    write(tmp_path / "lm" / "m" / "results_2026-01-01T00-00-00.json", results("m", {"t": {"acc,none": 10**400}}))
    with pytest.raises(CollectionError, match=r"found none; 1 warning, such as: .*results_2026.*1 task without a finite number under acc"):
        of(tmp_path / "lm", "lm-eval")
    samples(tmp_path / "ls" / "m" / "samples_t.jsonl", [{"doc_id": 1, "\ud800": 0.5}])
    with pytest.raises(CollectionError, match=r"samples_t.jsonl:1: expected a sample with a doc_id in UTF-8 text"):
        of(tmp_path / "ls", "lm-eval")


@pytest.mark.parametrize("lost", [float("nan"), None, "N/A"])
def test_a_task_without_a_number_for_any_model_is_named(lost: object, tmp_path: Path) -> None:
    for name, score in (("m1", 0.5), ("m2", 0.25)):
        write(tmp_path / name / "results_2026-01-01T00-00-00.json", results(name, {"t1": {"acc,none": score}, "t2": {"acc,none": lost}}))
    with pytest.warns(CollectionWarning, match=r"1 task without a finite number under acc for any model is not read \(t2\)"):
        found = of(tmp_path, "lm-eval")
    assert found.topics == ("t1",)
    write(tmp_path / "m1" / "results_2026-01-01T00-00-00.json", results("m1", {"t1": {"acc,none": 0.5}, "t2": {"acc,none": 0.75}}))
    with pytest.raises(CollectionError, match=r"found 1 missing score \(run m2: topic t2 under acc\)"):
        scores_from(f"lm-eval:{tmp_path}").matrix("acc")


def test_the_direction_of_a_metric_is_that_of_the_files(tmp_path: Path) -> None:
    for name, ppl in (("good", 8.5), ("bad", 28.5)):
        tasks = {
            topic: {"ppl,none": ppl * (1 + place**2), "acc,none": 1 / (ppl + 3 * place**2)} for place, topic in enumerate(("w", "l", "c"))
        }
        stated = {topic: {"ppl": False, "acc": True} for topic in tasks}
        write(tmp_path / name / "results_2026-01-01T00-00-00.json", results(name, tasks, higher_is_better=stated))
    found = scores_from(f"lm-eval:{tmp_path}")
    assert dict(found.directions) == {"ppl": "lower", "acc": "higher"}
    for measure in ("ppl", "acc"):
        assert run(f'ranks(given("{measure}"))', found).table["run_id"].to_list() == ["good", "bad"]
    with pytest.raises(ValueError, match="lower scores are better, as the source of the scores states"):
        run('ranks(given("ppl", better="higher"))', found)
    write(
        tmp_path / "odd" / "results_2026-01-01T00-00-00.json", results("odd", {"w": {"ppl,none": 9}}, higher_is_better={"w": {"ppl": True}})
    )
    with pytest.raises(
        CollectionError, match=r"results_2026-01-01T00-00-00.json: ppl: expected .* scores to be better, as other files or tasks state"
    ):
        scores_from(f"lm-eval:{tmp_path}")


def test_every_text_of_a_harness_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for row in (("m\ud801", "t", "t", None, 0.5), ("m", "t\ud801", "t", None, 0.5), ("m", "t", "t", "acc\ud801", 0.5)):

        def made(folder: Folder, row: Score = row) -> list[Score]:
            return [row]

        monkeypatch.setitem(HARNESSES, "mteb", made)
        with pytest.raises(CollectionError, match=r"^mteb:.*: expected text that UTF-8 can encode, found other text$"):
            of(tmp_path)
