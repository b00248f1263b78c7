"""The output of INEX's evaluator with -q, and the library's own report in that format, as scores by topic."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from inexmetrics import CollectionError, CollectionWarning, read_assessments, read_runs, run, scores_from
from inexmetrics.cli import main
from inexmetrics.collection import Collection

BLOCK = """<eval run-id="{run}" file="{run}.fol">
num_ret\t\t1\t3
iP[0.01]\t1\t{first}
AiP\t\t1\t0.25
gR[10]\t\t1\t0.5
gP[10]\t\t1\t4.368794326241135E-4
AgP\t\t1\t0.125
num_ret\t\t2\t3
iP[0.01]\t2\tNaN
AiP\t\t2\tNaN
gR[10]\t\t2\tNaN
gP[10]\t\t2\t0.0
AgP\t\t2\tNaN
num_q\t\tall\t2
iP[0.01]\tall\t{first}
ircl_prn.0.00\tall\t0.5
</eval>
"""


def text(**firsts: str) -> str:
    return "".join(BLOCK.format(run=name, first=first) for name, first in firsts.items())


def test_two_runs_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text(text(umd="1.0", other="0.5"))
    found = scores_from(tmp_path / "out.txt")
    assert (found.runs, found.topics) == (("other", "umd"), ("1", "2"))
    assert {measure for measure, _ in found.matrices} == {"iP@0.01", "MAiP", "gR@10", "gP[10]", "AgP"}
    assert found.matrix("iP@0.01")[:, 0].tolist() == [0.5, 1.0]
    assert found.matrix("gP[10]").tolist() == [[4.368794326241135e-4, 0.0]] * 2
    with pytest.warns(CollectionWarning, match="1 topic is undefined under iP@0.01 and excluded: 2"):
        scored = run("scores(iP@0.01)", found)
    assert scored.table.select("run_id", "topics", "mean").rows() == [("umd", 1, 1.0), ("other", 1, 0.5)]


def test_the_formula_states_the_parameters_that_the_output_does_not(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text(text(umd="1.0").replace("NaN", "0.0"))
    found = scores_from(tmp_path / "out.txt")
    told = "the output of INEX's evaluator does not state the parameters of its measures; the formula states them: "
    for formula, read, mean in (
        ("scores(MAgP(beta=0.25))", "AgP as MAgP(beta=0.25)", 0.0625),
        ('scores(gP(score="bep", n=1000)@10)', 'gP[10] as gP(score="bep", n=1000)@10', 4.368794326241135e-4 / 2),
    ):
        with pytest.warns(CollectionWarning, match=re.escape(told + read)):
            assert run(formula, found).table["mean"].to_list() == [mean]
    assert run('scores(given("AgP"))', found).table["mean"].to_list() == [0.0625]
    with pytest.raises(CollectionError, match=r"expected scores of gP@5, found scores of"):
        run("scores(gP@5)", found)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            text(a="1.0").replace("AiP\t\t1\t0.25", "AiP 1 0.25"),
            "a:4: expected a measure, a topic and a value, separated by tabs, or </eval>, found ",
        ),
        (text(a="1.0").replace("</eval>\n", ""), "a:1: expected </eval> after the scores of run 'a', found the end of the file"),
        (text(a="1.0") + "AiP\t\t3\t0.5\n", 'a:18: expected <eval run-id="…" file="…">, found '),
        (text(a="x"), "a:3: .*expected a finite number"),
        (text(a="Infinity"), "a:3: .*expected a finite number"),
        (text(a="1.0", b="1.0").replace('"b"', '"a"'), "expected one score of each run for each topic, found 10 second scores"),
        ('<eval run-id="a" file="b">\nnum_q\t\tall\t2\n</eval>\n', "a: expected scores by topic, as INEX's evaluator prints them with -q"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "a").write_text(content)
    with pytest.raises(CollectionError, match=re.escape(said).replace(re.escape(".*"), ".*")):
        scores_from(tmp_path / "a")


def test_the_evaluators_own_output_gives_the_librarys_scores(shared: Path) -> None:
    """The stored output was written by version 3.1 of the evaluator; the scores of the same runs are computed with compat."""
    for name, measure in (("bert_1.f.q", "iP@0.01"), ("ric_1.r.q", "MAgP(beta=0.25)")):
        board = scores_from(shared / "golden" / f"{name}.txt.gz")
        run_file = shared / f"{name.partition('.')[0]}.fol.run.gz"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            whole = Collection(read_assessments(shared / "inex2009-2010.qrels.gz"), read_runs(run_file))
            computed = run(f"scores({measure})", whole.only(topics=board.topics), compat="inex_eval").tables["per_topic"]
        printed = board.matrix(measure)
        assert printed.shape == (1, 60)
        assert computed.sort("topic_id")["score"].to_list() == printed[0].tolist()


def test_from_the_report_to_a_comparison_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The thesis's pipeline: assessments and runs, then the evaluator's file, then a test of one run against the others."""
    (tmp_path / "a.qrels").write_text("".join(f"{topic} Q0 d {10 + topic} 100 0 0:{10 + topic}\n" for topic in range(1, 7)))
    for name, extra in (("one", 1), ("two", 7)):
        lines = [f"{topic} Q0 d 1 1 {name} 0 {10 + topic * extra}\n" for topic in range(1, 7)]
        (tmp_path / f"{name}.fol").write_text("".join(lines))
    given = ["--assessments", str(tmp_path / "a.qrels"), "--runs", str(tmp_path / "one.fol"), str(tmp_path / "two.fol")]
    report = tmp_path / "report.txt"
    assert main(["scores(iP@0.01)", *given, "--format", "inex_eval", "--table", "per_topic", "--output", str(report)]) == 0
    formula = 'versus("one", iP@0.01 | t(tails=1))'
    capsys.readouterr()
    assert main([formula, "--scores", str(report), "--format", "csv"]) == 0
    from_report = capsys.readouterr().out
    assert main([formula, *given, "--format", "csv"]) == 0
    assert capsys.readouterr().out == from_report
    assert from_report.splitlines()[1].startswith("iP@0.01,1,one,two,1.0,")
