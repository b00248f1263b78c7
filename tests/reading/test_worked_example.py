"""The hand-written example, end to end: offsets, paths and ranges give the same scores against highlighted passages."""

from __future__ import annotations

import warnings
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import (
    Collection,
    CollectionError,
    CollectionWarning,
    MAgP,
    MAiP,
    Runs,
    ScoresResult,
    char_prec,
    char_rec,
    iP,
    read_assessments,
    read_runs,
    read_structure,
    run,
    scores,
)
from inexmetrics.cli.check import check

MEASURES = (char_prec, char_rec, iP @ 0.01, iP @ 0.7, MAiP, MAgP)

SUBMISSION = """<inex-submission participant-id="9" run-id="example" task="Focused" query="automatic" result-type="passage">
<topic-fields title="yes" castitle="no" description="no" narrative="no"/>
<topic topic-id="903">
<result><file>an/1995/a1004</file><passage start="/article[1]/bdy[1]/sec[2]/ss1[1]/p[1]/text()[1].0" end="/article[1]/bdy[1]/sec[2]/ss1[1]/p[1]/text()[1].97"/><rank>1</rank></result>
<result><file>an/1995/a1004</file><fol offset="492" length="59"/><rank>2</rank></result>
<result><file>an/1995/a1004</file><path>/article[1]/bdy[1]/sec[2]/ss1[2]</path><rank>3</rank></result>
<result><file>co/2000/r7108</file><passage start="/article[1]/bdy[1]/sec[2]/p[1]" end="/article[1]/bdy[1]/sec[2]/p[1]"/><rank>4</rank></result>
</topic>
<topic topic-id="904">
<result><file>co/2000/r7108</file><passage start="/article[1]/bdy[1]/sec[1]/st[1]" end="/article[1]/bdy[1]/sec[1]/p[2]"/><rank>1</rank></result>
<result><file>an/1995/a1004</file><path>/article[1]/bdy[1]</path><rank>2</rank></result>
</topic></inex-submission>"""


@pytest.fixture(scope="module")
def example(shared: Path) -> Path:
    return shared / "inex2005-example"


def scored(example: Path, runs: Runs, *, structure: str | None = None) -> ScoresResult:
    places = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)  # the folder of documents holds a DTD
        if structure is not None:
            places = read_structure(example / structure)
    return run(scores(MEASURES), Collection(read_assessments(example / "topics-903-904.fol.qrels"), runs, places))


def by_topic(result: ScoresResult) -> dict[tuple[str, str], float]:
    rows = result.tables["per_topic"].select("topic_id", "measure", "score").iter_rows()
    return {(topic, measure): score for topic, measure, score in rows}


# Topic 903, 237 characters highlighted in a1004: 394:97 492:59 560:81. The results 394:97, 492:59, 552:144 and 289:92 of
# another document have 97, 59, 81 and 0 of them. Topic 904, 69 in a1004 (158:69) and 148 in r7108 (57:103 336:45):
# 44:233 of r7108 has 103, 36:663 of a1004 has 69.
EXPECTED = {
    ("903", "char_prec"): 237 / (97 + 59 + 144 + 92),
    ("903", "char_rec"): 1.0,
    ("903", "iP@0.01"): 97 / 97,
    ("903", "iP@0.7"): 237 / (97 + 59 + 144),  # 156 of 237 are a recall of .658
    ("903", "MAiP"): (66 * 1.0 + 35 * 237 / 300) / 101,  # levels 0 to .65, and the others
    ("903", "MAgP"): 2 * (237 / 300) * 1.0 / (237 / 300 + 1.0),  # the one relevant document, first
    ("904", "char_prec"): (103 + 69) / (233 + 663),
    ("904", "char_rec"): (103 + 69) / (69 + 148),
    ("904", "iP@0.01"): 103 / 233,
    ("904", "iP@0.7"): 172 / 896,
    ("904", "MAiP"): (48 * 103 / 233 + 32 * 172 / 896) / 101,  # to .47 (103 of 217), to .79 (172 of 217), none beyond
    # F of r7108: 2*103/(233+148); of a1004: 2*69/(663+69); AgP = (gP[1] + gP[2]) / 2
    ("904", "MAgP"): (206 / 381 + (206 / 381 + 138 / 732) / 2) / 2,
}


def test_offsets_by_hand(example: Path) -> None:
    found = by_topic(scored(example, read_runs(example / "runs" / "example-fol.run")))
    assert found == {key: pytest.approx(value, rel=1e-14) for key, value in EXPECTED.items()}


@pytest.mark.parametrize("structure", ["structure.tsv", "docs", "parquet"])
def test_paths_and_ranges_are_the_same_results(example: Path, tmp_path: Path, structure: str) -> None:
    if structure == "parquet":
        pl.read_csv(example / "structure.tsv", separator="\t").write_parquet(tmp_path / "structure.parquet")
        structure = str(tmp_path / "structure.parquet")
    (tmp_path / "ranges.xml").write_text(SUBMISSION)
    offsets = by_topic(scored(example, read_runs(example / "runs" / "example-fol.run")))
    for file in (example / "runs" / "example-xpath.run", tmp_path / "ranges.xml"):
        assert by_topic(scored(example, read_runs(file), structure=structure)) == offsets


def test_the_submission_of_elements_by_hand(example: Path) -> None:
    found = by_topic(scored(example, read_runs(example / "runs" / "submission-2005.xml"), structure="structure.tsv"))
    # 903: ss1[1] 377:174 has 97 + 59, p[1] 560:136 has 81, p[2] 228:127 and sec[1] 44:233 of r7108 have none.
    assert found["903", "char_prec"] == pytest.approx(237 / (174 + 136 + 127 + 233), rel=1e-14)
    # 904: p[1] 57:103 and sec[2] 279:102 of r7108 have 103 and 45, sec[1] 37:319 of a1004 has 69; fig[1] has no text.
    assert found["904", "char_prec"] == pytest.approx(217 / (103 + 102 + 319), rel=1e-14)
    assert found["904", "char_rec"] == 1.0
    # S of r7108: P = 148/205, R = 1; of a1004: P = 69/319, R = 1.
    first, second = 2 * 148 / (205 + 148), 2 * 69 / (319 + 69)
    assert found["904", "MAgP"] == pytest.approx((first + (first + second) / 2) / 2, rel=1e-14)


def test_paths_need_a_structure(example: Path) -> None:
    with pytest.raises(CollectionError, match="expected a structure with the offsets of 6 elements of the runs, such as"):
        scored(example, read_runs(example / "runs" / "example-xpath.run"))


def test_check_names_what_the_structure_lacks(example: Path, tmp_path: Path) -> None:
    text = (example / "runs" / "example-xpath.run").read_text()
    (tmp_path / "x.run").write_text(text.replace("sec[2]/ss1[1]", "sec[2]/ss1[9]"))
    problems = check(example / "topics-903-904.fol.qrels", tmp_path / "x.run", example / "structure.tsv").problems
    assert [str(problem) for problem in problems] == [
        f"{tmp_path / 'x.run'}: 2 elements of run example are not in the structure: "
        "such as /article[1]/bdy[1]/sec[2]/ss1[9]/p[1] of document an/1995/a1004 in topic 903"
    ]
    assert problems[0].severity == "warning"
    assert check(example / "topics-903-904.fol.qrels", example / "runs" / "example-xpath.run", example / "structure.tsv").problems == ()


@pytest.mark.parametrize("place", ["X", "-1", "/article[1]/bdy[1]/sec[9]"])
def test_an_unknown_place_is_18_characters_and_told(example: Path, tmp_path: Path, place: str) -> None:
    lines = (example / "runs" / "example-xpath.run").read_text().splitlines()
    lines[0] = " ".join([*lines[0].split()[:6], place])
    (tmp_path / "x.run").write_text("\n".join(lines) + "\n")
    with pytest.warns(CollectionWarning) as caught:
        result = scored(example, read_runs(tmp_path / "x.run"), structure="structure.tsv")
    assert by_topic(result)["903", "char_prec"] == pytest.approx((59 + 81) / (18 + 59 + 144 + 92), rel=1e-14)
    assert [str(warning.message).partition(": ")[0] for warning in caught] == [
        "1 result has an unknown position, and shows nothing highlighted (run example)"
    ]
