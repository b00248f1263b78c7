from __future__ import annotations

from pathlib import Path

import pytest

from inexmetrics import CollectionError, CollectionWarning, run, scores_from
from inexmetrics.reading.line_files.score_outputs import TREC_EVAL, program_of

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def printed(run_id: str | None, values: dict[str, dict[str, str]]) -> str:
    """What trec_eval -q prints: "%-22s\\t%s\\t%s\\n"."""
    rows = [(measure, topic, value) for measure, topics in values.items() for topic, value in topics.items()]
    rows += [("runid", "all", run_id)] if run_id is not None else []
    return "".join(f"{measure:<22}\t{topic}\t{value}\n" for measure, topic, value in rows)


def test_several_files_of_one_run_each(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(printed("alpha", {"map": {"1": "0.5000", "2": "0.2500", "all": "0.3750"}}))
    (tmp_path / "b.txt").write_text(printed(None, {"map": {"1": "1.0000", "2": "0.0000"}}))
    scores = scores_from([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert scores.runs == ("alpha", "b")
    assert scores.topics == ("1", "2")
    assert scores.matrix("MAP").tolist() == [[0.5, 0.25], [1.0, 0.0]]
    assert scores.warnings == ()
    assert run('versus("alpha", MAP)', scores).table["opponent"].to_list() == ["b"]


@pytest.mark.parametrize(
    ("of_all", "told"),
    [
        ({"num_q": {"all": "3"}, "map": {"all": "0.3000"}}, r"num_q of 3 topics, found 2, and map of 0.3000 over .*, found a mean of 0.4500 over 2;"),
        ({"map": {"all": "0.3000"}}, r"^\S+/c.txt: expected map of 0.3000 over all topics, found a mean of 0.4500 over 2; topics without results"),
        ({"num_q": {"all": "4"}}, r"^\S+/c.txt: expected num_q of 4 topics, found 2; topics without results are not printed but count 0 under -c"),
        ({"num_q": {"all": "2"}, "map": {"all": "0.4500"}}, ""),
        ({"map": {"all": "0.4501"}}, ""),
    ],
)  # fmt: skip
def test_lines_over_all_topics_that_those_by_topic_contradict(of_all: dict[str, dict[str, str]], told: str, tmp_path: Path) -> None:
    values = {"map": {"7": "0.6000", "9": "0.3000"}, "Rprec": {"7": "0.5000", "9": "0.2500"}}
    (tmp_path / "c.txt").write_text(printed("r", values) + printed(None, of_all))
    if told:
        with pytest.warns(CollectionWarning, match=told):
            read = scores_from(tmp_path / "c.txt")
    else:
        read = scores_from(tmp_path / "c.txt")
    assert read.matrix("MAP").tolist() == [[0.6, 0.3]]


def test_the_output_of_trec_eval_itself() -> None:
    path = DATA / "trec_eval_out.test.aq"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    scores = scores_from(path)
    assert scores.runs == ("STANDARD",)
    assert scores.topics == ("301", "302", "303")
    # its lines "map all 0.1785", "P_10 all 0.3000", "recip_rank all 0.4064"
    assert scores.matrix("MAP").mean() == pytest.approx(0.1785, abs=1e-4)
    assert scores.matrix("P@10").mean() == pytest.approx(0.3, abs=1e-4)
    assert scores.matrix("RR").mean() == pytest.approx(0.4064, abs=1e-4)


def test_one_run_a_file_as_a_long_table(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"run,topic,score\n{name},1,0.5\n{name},2,0.25\n")
    scores = scores_from(tmp_path)
    assert scores.runs == ("a", "b")
    assert run('scores(given("accuracy"))', scores).table["mean"].to_list() == [0.375, 0.375]


def test_the_same_run_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(printed("same", {"map": {"1": "0.5000"}}))
    with pytest.raises(CollectionError, match="score for run same and topic 1"):
        scores_from([tmp_path / "a", tmp_path / "b"])


def test_wrong_lines_are_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(printed("a", {"map": {"1": "0.5000", "2": "x"}}))
    with pytest.raises(CollectionError, match=r"a:2: .*expected a finite number.*found"):
        scores_from(tmp_path / "a")
    (tmp_path / "b").write_text(printed("b", {"map": {"1": "0.5000"}}) + "done\n")
    with pytest.raises(CollectionError, match=r"b:3: expected a measure, a topic and a value.*found 'done'"):
        scores_from(tmp_path / "b")


def test_means_alone_are_no_scores_by_topic(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(printed("a", {"map": {"all": "0.5000"}}))
    with pytest.raises(CollectionError, match="a: expected scores by topic, as trec_eval -q prints them, found only means over all topics"):
        scores_from(tmp_path / "a")


@pytest.mark.parametrize("text", ["topic\ta\tb\n", "401\t0.5\t0.25\n", "", "run,topic,score\n"])
def test_other_tables_are_not_taken_for_it(text: str) -> None:
    assert program_of(text.encode()) != TREC_EVAL
