"""Measures whose lower scores are better by their names are asked about: beside others they are an error, alone a warning."""

from __future__ import annotations

import re
import shlex
import warnings
from pathlib import Path

import numpy as np
import pytest

from inexmetrics import CollectionError, CollectionWarning, given, ranks, run, scores, scores_from
from inexmetrics.cli import main
from inexmetrics.collection.condition_names import LOWER, lower_by_name, lower_by_part
from inexmetrics.common.options import Direction
from inexmetrics.reading.names import named_otherwise

SYSTEMS: dict[str, list[object]] = {"model": ["ash", "bay", "elm"], "deen": [0.31, 0.36, 0.42], "news": [0.5, 0.44, 0.62]}
TER: list[object] = [0.52, 0.61, 0.47]


def error_of(table: dict[str, list[object]], **options: object) -> str:
    with pytest.raises(CollectionError) as error:
        scores_from(table, **options)  # type: ignore[arg-type]  # options by name
    return str(error.value)


HARMS = ("toxicity", "toxic rate", "harmful", "harmfulness", "unsafe", "hallucinations", "refusal", "refused", "abstention")
FORMS = ("{}", "{} (%)", "mean {}", "word_{}_rate")


@pytest.mark.parametrize(
    ("place", "word"), [*enumerate([*sorted(LOWER - {"latency", "cost", "tokens", "ttft", "price", "time", "seconds"}), *HARMS])]
)
def test_beside_others(place: int, word: str) -> None:
    assert [form for form in FORMS if not lower_by_name(form.format(word.upper()))] == []
    name = FORMS[place % len(FORMS)].format(word.upper())
    message = error_of(SYSTEMS | {name: TER})
    assert f"found {name} (lower is better, by name), beside deen, news; " in message
    assert scores_from(SYSTEMS | {name: TER}, ignore=name).topics == ("deen", "news")
    assert name in scores_from(SYSTEMS | {name: TER}, keep=name).topics


def test_the_options_of_the_error_rank_the_lowest_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.csv"
    path.write_text("model,deen,ter\nash,.31,.52\nbay,.36,.61\nelm,.42,.47\n")
    assert main(['scores(given("quality"))', "--scores", str(path)]) == 1
    message = capsys.readouterr().err
    formula = re.findall(r'given\("ter", better="lower"\)', message)[0]
    assert "(--only-topics ter)" in message
    assert main([f"ranks({formula})", "--scores", str(path), "--only-topics", "ter", "--format", "csv"]) == 0
    assert [line.partition(",")[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["elm", "ash", "bay"]


def test_columns_beside_questions_may_be_measures(tmp_path: Path) -> None:
    asked: dict[str, list[object]] = {"question_id": ["q1", "q2"], "deen": [0.3, 0.4], "news": [0.5, 0.25], "ter": [0.5, 0.75]}
    message = error_of(asked)
    assert 'measures=("deen", "news", "ter") (--measures deen news ter) reads them as measures' in message
    found = scores_from(asked, measures=("deen", "news", "ter"))
    assert run(scores(given("ter", better="lower")), found).warnings == ()


def test_only_such_columns_are_measures() -> None:
    message = error_of({"question_id": ["q1", "q2"], "wer": [0.3, 0.4], "cer": [0.1, 0.2]})
    assert "wer, cer (the name of a measure)" in message


class TestWithoutADirection:
    """A formula or a source must state the direction of such a measure; otherwise a warning names both directions."""

    def test_the_measure(self) -> None:
        found = scores_from({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 0.5}})
        warned = 'under given("test loss"), higher scores are taken as better, although lower scores are usually better; '
        ways = 'write given("test loss", better="lower"), or given("test loss", better="higher") to confirm'
        with pytest.warns(CollectionWarning, match=f"^{re.escape(warned + ways)}$"):
            run(scores(given("test loss")), found)
        for better in ("lower", "higher"):
            assert run(scores(given("test loss", better=better)), found).warnings == ()

    def test_all_topics(self) -> None:
        found = scores_from({"model": ["a", "b"], "wikippl": [8.5, 9.25], "ppl": [12.5, 10.0]}, keep=("ppl", "wikippl"))
        with pytest.warns(CollectionWarning, match="although lower scores of ppl are usually better") as caught:  # wikippl is one word
            run(scores(given("quality")), found)
        assert 'ignore="ppl" (--ignore ppl) in place of keep= excludes it, the name "ppl ↑" in the table confirms' in str(caught[0].message)
        assert run(scores(given("cost", better="lower")), found).warnings == ()
        found = scores_from({"model": ["a", "b"], "wikippl": [8.5, 9.25], "ppl ↑": [12.5, 10.0]})
        assert run(scores(given("quality")), found).warnings == ()
        found = scores_from({"model": ["a", "b"], "word_ppl": [8.5, 9.25], "byte_ppl": [1.5, 1.25]})
        with pytest.warns(CollectionWarning, match="although lower scores of byte_ppl, word_ppl are usually better"):
            run(scores(given("quality")), found)

    @pytest.mark.parametrize(("sign", "better"), [("↑", "higher"), ("(lower is better)", "lower")])
    def test_the_heading_of_a_renamed_column(self, sign: str, better: Direction) -> None:
        table: dict[str, list[object]] = {"run": ["a", "b"] * 2, "qid": ["1", "1", "2", "2"], f"TER {sign}": [0.5, 0.25, 0.75, 0.5]}
        found = scores_from(table, columns={f"TER {sign}": "score"})
        assert found.directions == {"": better}
        assert run(scores(given("TER")), found).warnings == ()
        assert run(scores(given("TER", better=better)), found).warnings == ()
        with pytest.raises(CollectionError, match=f"expected a measure whose {better} scores are better, as the source"):
            run(scores(given("TER", better="lower" if better == "higher" else "higher")), found)
        named = scores_from(table, columns={f"TER {sign}": "TER ~ Gen5"})
        assert named.directions == {"TER": better}

    @pytest.mark.parametrize("loss", ["WER", "test loss", "latency (ms)"])
    def test_a_run_that_is_kept(self, loss: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "board.csv"
        path.write_text(f"task,tern,gull,{loss}\nt1,.5,.52,.2\nt2,.6,.31,.3\nt3,.4,.55,.25\n")
        asked = ['ranks(given("accuracy"))', "--scores", str(path)]
        assert main([*asked, "--keep", loss]) == 0
        assert f"although lower scores of {loss} are usually better" in capsys.readouterr().err
        assert main([*asked, "--ignore", loss]) == 0
        assert "lower" not in capsys.readouterr().err

    @pytest.mark.parametrize("name", ["elapsed_time", "c4 perplexity", "VoxCeleb (EER)"])
    def test_a_part_of_the_name(self, name: str) -> None:
        found = scores_from({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 0.5}})
        with pytest.warns(CollectionWarning, match="although lower scores are usually better"):
            run(scores(given(name)), found)

    @pytest.mark.parametrize("first", [0, 1])
    @pytest.mark.parametrize("name", ["preference", "rank"])
    def test_ranks_on_each_topic(self, first: int, name: str) -> None:
        places = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3], [1, 3, 2]]
        table = {run: {f"q{topic}": place[at] - 1 + first for topic, place in enumerate(places)} for at, run in enumerate("uvw")}
        with pytest.warns(CollectionWarning, match=f'although the scores of each topic are ranks; write given\\("{name}", better="lower"'):
            run(ranks(given(name)), scores_from(table))
        assert run(ranks(given(name, better="higher")), scores_from(table)).warnings == ()
        assert run(ranks(given(name, better="lower")), scores_from(table)).table["run_id"].to_list()[0] == "u"
        table["u"]["q1"] = 3 - table["u"]["q1"]  # a tie
        assert run(ranks(given(name)), scores_from(table)).warnings == ()

    def test_two_runs_or_few_topics_may_have_such_scores(self) -> None:
        wins = {"u": dict.fromkeys("abcdefghijkl", 1), "v": {topic: 0 if topic < "i" else 1 for topic in "abcdefghijkl"}}
        stars = {"u": {"a": 1, "b": 2}, "v": {"a": 2, "b": 1}, "w": {"a": 3, "b": 1}}
        for table in (wins, stars):
            assert run(ranks(given("quality")), scores_from(table)).warnings == ()

    def test_a_source_that_states_it(self) -> None:
        rows = {"run_id": ["a", "b"], "topic_id": ["1", "1"], "measure": ["wer", "wer"], "score": [0.5, 0.25]}
        found = scores_from(rows | {"higher_is_better": [False, False]})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert run(scores(given("wer")), found).table["run_id"].to_list() == ["b", "a"]


class TestHeadingsThatStateADirection:
    """An arrow or words in a heading state the direction of a measure, or of all tasks of a board."""

    LOWER = ("TED ↓", "AMI (lower is better)", "Calls ⬇️")

    @pytest.mark.parametrize("heading", LOWER)
    def test_beside_others(self, heading: str) -> None:
        message = error_of(SYSTEMS | {heading: TER})
        assert f"found {heading} (lower is better, by name), beside deen, news; " in message
        marked = {"model": SYSTEMS["model"], "deen ↑": SYSTEMS["deen"], "wer ↑ (higher is better)": SYSTEMS["news"]}
        assert run(ranks(given("quality")), scores_from(marked)).table["run_id"].to_list() == ["elm", "ash", "bay"]

    def test_whole_numbers_are_asked_about_their_direction_first(self) -> None:
        percent = {"model": [*"abcd"], "arc": [31.5, 42.25, 55.75, 61.5], "boolq": [52.5, 61.75, 70.25, 58.5]}
        assert "found EER (lower is better, by name), beside arc, boolq" in error_of(percent | {"EER": [30, 12, 7, 2]})

    def test_kept_beside_others(self) -> None:
        kept = scores_from(SYSTEMS | {"TED ↓": TER}, keep="TED ↓")
        said = 'under given\\("x"\\), higher scores are taken as better, although the headings of TED ↓ state the opposite'
        with pytest.warns(CollectionWarning, match=said):
            run(ranks(given("x")), kept)

    def test_of_all_tasks(self) -> None:
        board = scores_from({"model": ["a", "b"]} | {name: [12.5 + place, 8.25] for place, name in enumerate(self.LOWER)})
        found = run(ranks(given("x")), board)
        assert found.table["run_id"].to_list() == ["b", "a"]
        assert "lower is better: x" in str(found)
        with pytest.raises(CollectionError, match="whose lower scores are better, as the source of the scores states"):
            run(ranks(given("x", better="higher")), board)

    def test_of_a_measure(self) -> None:
        asked = scores_from(
            {"question_id": ["1", "2"], "model": ["a", "a"], "ppl ↓": [9.5, 8.25], "F1 ↑": [0.5, 0.75]}, measures=("ppl ↓", "F1 ↑")
        )
        assert asked.directions == {"ppl ↓": "lower", "F1 ↑": "higher"}


def test_each_option_of_the_error_leads_to_a_ranking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns of error rates beside columns of tasks: whoever follows any of the options needs one more try."""
    path = tmp_path / "board.csv"
    path.write_text("model,arc,boolq,WER,CER (%)\nash,31.5,60.2,52.4,21.5\nbay,36.1,58.8,61.3,30.25\nelm,42.7,71.4,47.9,18.5\n")
    assert main(['ranks(given("quality"))', "--scores", str(path)]) == 1
    message = capsys.readouterr().err
    formula = re.findall(r'given\("[^"]*", better="lower"\)', message)[0]
    options = re.findall(r"\((--[^()]*(?:\([^()]*\)[^()]*)*)\)", message)
    assert len(options) == 3
    for words in map(shlex.split, options):
        asked = formula if words[0] == "--only-topics" else 'given("quality")'
        assert main([f"ranks({asked})", "--scores", str(path), *words, "--format", "csv"]) == 0
        first = capsys.readouterr().out.splitlines()[1]
        assert first.startswith("bay" if words[0] == "--keep" else "elm")


@pytest.mark.parametrize("name", ["lossy", "error analysis", "weight loss", "terrier", "mean", "word", "rate", "401"])
def test_other_names(name: str) -> None:
    assert not lower_by_name(name)


PARTS = [
    "CommonVoice CER",
    "common_voice_cer",
    "dev-other|WER",
    "VoxCeleb (EER)",
    "enwik8 (byte_perplexity)",
    "PPL on C4",
    "nuScenes [val loss]",
]
PARTS += ["StereoSet bias", "lambada_ppl", "Forecasts: CRPS", "XSTest refusal rate (%)", "AlpacaEval harmfulness", "Depth - RMSE (val)"]
TASKS = [
    "ARC-C",
    "BBQ",
    "BoolQ",
    "BOLD",
    "C-Eval",
    "CNN/DM",
    "COPA",
    "CrowS-Pairs",
    "DROP",
    "FEVER",
    "FiQA",
    "GSM8K",
    "HaluEval",
    "HaluBench",
    "HumanEval",
    "IFEval",
    "LAMBADA",
    "MATH",
    "MBPP",
    "MMLU-Pro",
    "MS_MARCO",
    "MuSR",
    "NarrativeQA",
    "OpenBookQA",
    "PIQA",
    "QuAC",
    "RealToxicityPrompts",
    "SciFact",
    "SimpleQA",
    "SQuAD",
    "STS-B",
    "StereoSet",
    "SuperGLUE",
    "TabFact",
    "TimeDial",
    "ToxiGen",
    "Touche-2020",
    "TREC-COVID",
    "TriviaQA",
    "TruthfulQA",
    "WiC",
    "Winobias",
    "Winogender",
    "WinoGrande",
    "WMT14",
    "XSum",
    "date_understanding",
    "error_detection",
    "salient_translation_error_detection",
    "temporal_sequences",
    "time_arithmetic",
    "timedial",
    "bias_in_bios",
    "social_bias_frames",
    "hate_speech",
    "noise_robustness",
    "cost_of_living",
    "toxicity_detection",
    "hallucination_detection",
    "loss_aversion",
    "distance_reasoning",
    "refusal_detection",
    "ToxicChat",
    "toxic",
    "harmless",
    "abstract reasoning",
    "price_estimation",
    "terra",
    "p10",
    "NDCG@10",
    "map_cut_10",
    "ms",
    "en",
    "de",
]
TASKS += [
    "Bias in Bios",
    "Date Understanding",
    "Time Arithmetic",
    "Error Detection",
    "MATH Lvl 5",
    "Tokens/s wins",
    "what is the cost of a new car in bern",
]


@pytest.mark.parametrize("heading", PARTS)
def test_a_part_of_a_heading_beside_others(heading: str) -> None:
    board: dict[str, list[object]] = {
        "model": ["ash", "bay", "elm"],
        "qa": [31.5, 36.25, 42.75],
        "nli": [50.5, 44.25, 61.75],
        heading: [52.5, 61.25, 47.75],
    }
    assert f"found {heading} (lower is better, by name), beside nli, qa; " in error_of(board)
    assert scores_from(board, keep=heading).topics == tuple(sorted(("qa", "nli", heading)))
    measured = {"question_id": board["qa"]} | {name: cells for name, cells in board.items() if name != "model"}
    assert heading in error_of(measured | {"question_id": ["q1", "q2", "q3"]})


@pytest.mark.parametrize("heading", ["p99 (ms)", "latency per request", "Cost/1k pages", "time to answer", "P50 [s]"])
def test_times_and_costs(heading: str) -> None:
    board: dict[str, list[object]] = {
        "model": ["ash", "bay", "elm"],
        "qa": [31.5, 36.25, 42.75],
        "nli": [50.5, 44.25, 61.75],
        heading: [52.5, 61.25, 47.75],
    }
    assert f"found {heading} (by name), which is probably not scores" in error_of(board)


def test_names_of_tasks_are_not_doubted() -> None:
    random = np.random.default_rng(4)
    board: dict[str, list[object]] = {"model": ["ash", "bay", "elm"]} | {
        name: random.uniform(20, 70, 3).round(2).tolist() for name in TASKS
    }
    assert not [name for name in TASKS if lower_by_part(name) or named_otherwise(name, "topics")]
    assert len(scores_from(board).topics) == len(TASKS)


def test_runs_may_be_named_after_losses() -> None:
    models: dict[str, list[object]] = {
        "model": ["tas-b", "tas-b-margin-mse", "MAE-large", "bm25"],
        "qa": [0.31, 0.36, 0.42, 0.2],
        "nli": [0.5, 0.44, 0.61, 0.3],
    }
    assert len(scores_from(models).runs) == 4
