"""Scores that differ as they are written, and would tie as floats, are errors of run files that are ranked by score."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import CollectionError, from_frames, read_runs
from inexmetrics.cli import main
from inexmetrics.reading.formats import Format
from inexmetrics.reading.line_files import run_lines
from inexmetrics.reading.line_files.lines import tidy
from inexmetrics.reading.line_files.run_lines import FORMATS
from inexmetrics.reading.result_doubts import rounded_ties
from tests.profiles import up_to

pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
REMEDY = r'order="rank" or "file" \(--order rank, --order file\) orders the results without their scores'


def trec(*rows: tuple[str, str, str], run: str = "r", end: str = "") -> str:
    return "".join(f"{topic} Q0 {doc} {rank} {score} {run}{end}\n" for rank, (topic, doc, score) in enumerate(rows, start=1))


PAIRS = [
    ("1e-400", "1e-401"),
    ("0.30000000000000000001", "0.3"),
    ("0.0", "-3e-9999"),
    ("12.3456789012345678901", "12.3456789012345678902"),
]


@pytest.mark.parametrize("ending", ["run", "run.gz", "csv", "jsonl of texts", "jsonl of numbers", "tabs", "blanks"])
@pytest.mark.parametrize(("high", "low"), PAIRS)
def test_they_are_errors(high: str, low: str, ending: str, tmp_path: Path) -> None:
    rows = (("q1", "a", "99"), ("q1", "b", high), ("q1", "c", low), ("q2", "a", high))
    text = trec(*rows)
    path = tmp_path / f"x.{ending.split(maxsplit=1)[0]}"
    match ending:
        case "csv":
            path.write_text("run_id,topic_id,doc_id,score\n" + "".join(f"r,{topic},{doc},{score}\n" for topic, doc, score in rows))
        case "jsonl of texts":
            path.write_text("".join(f'{{"run_id":"r","topic_id":"{t}","doc_id":"{d}","score":"{s}"}}\n' for t, d, s in rows))
        case "jsonl of numbers":
            path.write_text("".join(f'{{"run_id":"r","topic_id":"{t}","doc_id":"{d}","score":{s}}}\n' for t, d, s in rows))
        case "run.gz":
            path.write_bytes(gzip.compress(text.encode()))
        case "tabs":
            path.write_text(text.replace(" ", "\t"))
        case "blanks":
            path.write_text(text.replace("Q0 ", "Q0   "))
        case _:
            path.write_text(text)
    line = {"csv": 4}.get(ending, 3)
    with pytest.raises(
        CollectionError, match=rf":{line}: topic q1: .*expected scores that a float can distinguish, found .*which would tie; {REMEDY}"
    ):
        read_runs(path)
    assert read_runs(path, order="file").results["doc_id"].to_list() == ["a", "b", "c", "a"]


@pytest.mark.parametrize(("high", "low"), PAIRS)
@pytest.mark.parametrize(
    "form",
    [
        '{{"q1": {{"a": 99, "b": {high}, "c": {low}}}}}',
        '[{{"qid": 1, "docno": "a", "score": {high}}}, {{"qid": 1, "docno": "b", "score": {low}}}]',
    ],
)
def test_numbers_in_other_forms_of_json(form: str, high: str, low: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(form.format(high=high, low=low))
    with pytest.raises(CollectionError, match=rf"expected scores that a float can distinguish, found .*which would tie; {REMEDY}"):
        read_runs(path)
    assert read_runs(path, order="file").order == "file"
    path.write_text(form.format(high="0.50", low="5e-1"))
    assert read_runs(path).order == "score"


def test_another_order_and_other_rankings(tmp_path: Path) -> None:
    same = tmp_path / "same.run"
    same.write_text(trec(("q1", "a", "0.50"), ("q1", "b", "0.5"), ("q1", "c", "5e-1"), ("q2", "a", "1e-400"), ("q3", "a", "1e-401")))
    assert read_runs(same).results["doc_id"].to_list() == ["c", "b", "a", "a", "a"]
    apart = tmp_path / "apart.run"  # the two scores are not adjacent, and the file is not in the order of its scores
    apart.write_text(trec(("q1", "a", "1e-400"), ("q2", "b", "1"), ("q1", "c", "7"), ("q1", "b", "1e-401")))
    with pytest.raises(
        CollectionError, match=r"apart\.run:4: topic q1: expected scores that a float can distinguish, found '1e-401' and '1e-400'"
    ):
        read_runs(apart)
    assert read_runs(apart, order="rank").results["doc_id"].to_list() == ["a", "c", "b", "b"]


def test_many_are_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(f"q{topic}", doc, score) for topic in range(40) for doc, score in (("a", "1e-400"), ("b", "1e-500"))]
    (tmp_path / "a.run").write_text(trec(*rows))
    (tmp_path / "a.qrels").write_text("".join(f"q{topic} 0 a 1\n" for topic in range(40)))
    assert main(["scores(MAP)", "--assessments", str(tmp_path / "a.qrels"), "--runs", str(tmp_path / "a.run")]) == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) < 8
    assert "40" in said


def test_decimals_of_a_frame_are_finer_than_a_float() -> None:
    digits = pl.Series(["2.000000000000000000003", "2.000000000000000000001", "1"]).cast(pl.Decimal(30, 21))
    frame = pl.DataFrame({"topic_id": "q1", "doc_id": ["a", "b", "c"], "score": digits})
    with pytest.raises(CollectionError, match=r"runs: row 1: expected scores that a float can distinguish, found '2\.000"):
        from_frames({"q1": {"a": 1}}, frame)
    apart = from_frames({"q1": {"a": 1}}, frame.with_columns(score=pl.Series(["2.5", "4.25", "1"]).cast(pl.Decimal(10, 2)))).runs
    assert apart is not None
    assert apart.results["doc_id"].to_list() == ["b", "a", "c"]


def test_small_files_that_are_read_together(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.run").write_text(trec(("q1", "x", "1e-400"), ("q1", "y", "1e-401" if name == "b" else "0.1e-399"), run=name))
    with pytest.raises(CollectionError, match=r"b\.run:2: topic q1"):
        read_runs(tmp_path)


NUMBERS = st.sampled_from(["0.5", "0.50", "0.5000000000000000000001", "1e-400", "2e-400", "0", "0e5", "7", "3.0000000000000000000009", "3"])


@up_to(200)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("12"), NUMBERS), max_size=12))
def test_the_definition(rows: list[tuple[str, str, str]]) -> None:
    """An error is about a ranking with two scores that are equal as floats and different as numbers."""
    expected = {
        (run, topic, float(one))
        for place, (run, topic, one) in enumerate(rows)
        for other_run, other_topic, other in rows[:place]
        if (run, topic) == (other_run, other_topic) and float(one) == float(other) and Decimal(one) != Decimal(other)
    }
    schema = {"run_id": pl.String, "topic_id": pl.String, "text": pl.String}
    frame = pl.DataFrame(rows, schema, orient="row").with_columns(score=pl.col("text").cast(pl.Float64))
    found = rounded_ties(frame.drop("text"), frame["text"].gather)
    assert {(rows[row][0], rows[row][1], float(rows[row][2])) for row, _ in found} == expected


def test_a_tie_after_many_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(trec(*(("q1", f"d{place}", "1e-400") for place in range(9)), ("q1", "z", "1e-401")))
    with pytest.raises(CollectionError, match=r"a\.run:10: topic q1"):
        read_runs(tmp_path / "a.run")


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["q1", "301", "é"]),
        st.text("aé[/", min_size=1, max_size=9),
        st.integers(0, 20_000),
        st.sampled_from(["0", "-1.5", "2e3", "0.1234567890123456789"]),
    ),
    min_size=1,
)


@up_to(200)
@given(ROWS, st.booleans(), st.sampled_from(["", " /p[3]", " /p[1] /p[22]"]))
def test_scores_are_kept_as_they_are_written(rows: list[tuple[str, str, int, str]], ended: bool, paths: str) -> None:
    texts = [f"{topic} Q0 {doc} {rank} {score} r{paths}" for topic, doc, rank, score in rows]
    found = tidy(("\n".join(texts) + "\n" * ended).encode(), FORMATS[Format.XPATH_RUN if paths else Format.TREC_RUN])
    assert found is not None
    assert found.written["score"].to_list() == [score for *_, score in rows]
    assert found.frame["score"].to_list() == [float(score) for *_, score in rows]


def test_texts_of_short_scores_are_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats tell numbers of 15 digits apart, so that no ties are looked for."""

    def unasked(*_: object) -> pl.Series:
        raise AssertionError("expected no comparison of texts")

    monkeypatch.setattr(run_lines, "rounded_ties", unasked)
    path = tmp_path / "short.run"
    path.write_text(trec(("q1", "a", "0.12345678901234"), ("q1", "b", "0.12345678901234"), ("q1", "c", "-0.5"), ("q1", "d", "-.50")))
    assert read_runs(path).results["score"].to_list() == [0.12345678901234, 0.12345678901234, -0.5, -0.5]
    path.write_text(trec(("q1", "a", "0.1234567890123456"), ("q1", "b", "0.1234567890123456")))
    with pytest.raises(AssertionError, match="expected no comparison"):
        read_runs(path)
