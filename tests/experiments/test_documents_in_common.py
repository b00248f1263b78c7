"""Judgements of documents that one of two assessors judged and the other did not: counted, dropped or an error."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from inexmetrics import Collection, CollectionError, FormulaError, P, assessor, from_frames, judges, parse, run
from inexmetrics.cli import main
from inexmetrics.cli.check import check

# On topics 1 to 4, both judge a; b was judged by llm alone on topics 1 and 2 (human gave it -1 on topic 2), c by human alone on topic 3.
ROWS = [
    *((topic, name, "a", 1) for topic in "1234" for name in ("llm", "human")),
    *((topic, "llm", "b", 1) for topic in "12"),
    ("2", "human", "b", -1),
    ("3", "human", "c", 1),
    ("4", "llm", "b", 1),
    ("4", "human", "b", 0),
    ("5", "llm", "b", 1),
]
ORDERS = {"x": "abc", "y": "bca", "z": "cba"}


def judged(*further: tuple[str, str, str, int]) -> Collection:
    table = pl.DataFrame([*ROWS, *further], schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
    runs = {name: {topic: {doc: 3.0 - rank for rank, doc in enumerate(docs)} for topic in "12345"} for name, docs in ORDERS.items()}
    return from_frames(table, runs)


pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")


def scored(documents: str) -> tuple[dict[str, tuple[float, float]], str]:
    """Returns the two differences under P@1 of x and each other run, and the warnings."""
    result = run(f'agreement(P@1 ~ assessor("llm") + assessor("human"), documents="{documents}")', judged())
    found = {}
    for row in result.tables["differences"].iter_rows(named=True):
        if "x" in (row["better"], row["worse"]):
            sign = 1 if row["better"] == "x" else -1
            other = row["worse"] if sign == 1 else row["better"]
            found[other] = (sign * row["difference_predictor"], sign * row["difference_truth"])
    return found, "\n".join(result.warnings)


def test_all_documents_are_used_and_counted() -> None:
    found, said = scored("all")
    # Under llm, x finds a on the four topics and y finds b on topics 1, 2 and 4; under human, y finds nothing and z finds c on topic 3.
    assert found == {"y": (1 / 4, 1.0), "z": (1.0, 3 / 4)}
    assert (
        "agreement: human judged 5 of the 7 documents that llm judged on the 4 common topics, and 1 other; the others count as not relevant under human; "
        'these gaps raise n_opposite and n_overstated, which documents="common" prevents' in said
    )


def test_judgements_of_one_alone_are_dropped() -> None:
    found, said = scored("common")
    # Topic 4 alone has a second document that both judged, which llm finds relevant.
    assert found == {"y": (3 / 4, 1.0), "z": (1.0, 1.0)}
    assert "3 judgements of documents that only one of two assessors judged are dropped" in said
    assert 'documents="all" keeps them' in said


def test_judges_compare_common_documents_unless_asked() -> None:
    common = run(judges(P @ 1, assessor("llm"), truth=assessor("human")), judged())
    every = run(judges(P @ 1, assessor("llm"), truth=assessor("human"), documents="all"), judged())
    assert "3 judgements of documents that only one of two assessors judged are dropped" in "\n".join(common.warnings)
    assert "human judged 5 of the 7 documents" in "\n".join(every.warnings)
    favours = [dict(result.favoured.select("run_id", "favour").iter_rows()) for result in (common, every)]
    # Shifts of the means of x, y, z: 0, 1/4, 0 and 0, 3/4, -1/4
    assert favours[0] == pytest.approx({"x": -1 / 12, "y": 1 / 6, "z": -1 / 12})
    assert favours[1] == pytest.approx({"x": -1 / 6, "y": 3 / 4 - 1 / 6, "z": -1 / 4 - 1 / 6})


def test_documents_that_only_another_assessor_judged_are_counted() -> None:
    """Topic 4 has b of both; llm alone judged b on topics 1 and 2. The warning counts the first ten results, here all of them."""
    said = "\n".join(run('scores(P@1 ~ assessor("human"))', judged()).warnings)
    assert (
        "assessor human: 2 of the 7 documents that llm judged among the first 10 results of the runs are not judged by human; "
        "most measures count an unjudged document as not relevant"
    ) in said
    of_llm = "\n".join(run('significance(P@1 ~ pooled(3, assessor("llm")))', judged()).warnings)
    assert "assessor llm: 1 of the 6 documents that human judged among the first 10 results of the runs is not judged by llm" in of_llm
    for formula in ('correlation(P@1 ~ assessor("human") + assessor("llm"))', 'scores(P@1 ~ jury("human", "llm"))'):
        assert "first 10 results" not in "\n".join(run(formula, judged()).warnings)


@pytest.mark.parametrize(
    "formula", ["scores(P@1 ~ {})", "significance(P@1 ~ {})", "ranks(P@2 ~ {})", 'versus("y", P@1 ~ {})', "power(P@1 ~ {})"]
)
@pytest.mark.parametrize("conditions", ['assessor("llm") + assessor("human")', 'assessor("human") + pooled(3, assessor("llm"))'])
def test_each_of_several_assessors_is_named(formula: str, conditions: str) -> None:
    said = "\n".join(run(formula.format(conditions), judged()).warnings)
    assert said.count("assessor human: 2 of the 7 documents that llm judged among the first 10 results") == 1
    assert said.count("assessor llm: 1 of the 6 documents that human judged among the first 10 results") == 1


def test_an_assessor_beside_another_experiment_condition_is_named() -> None:
    """Pairs of measures under one assessor are not compared by document, so that each assessor's gaps are counted."""
    said = "\n".join(run('agreement(P@1 + P@2 ~ assessor("llm") + assessor("human"), of="measures")', judged()).warnings)
    assert "assessor human: 2 of the 7 documents" in said
    compared = "\n".join(run('agreement(P@1 ~ assessor("llm") + assessor("human"), documents="all")', judged()).warnings)
    assert "first 10 results" not in compared


def test_ppi_is_an_error_unless_asked() -> None:
    asked = 'ppi(P@1 ~ assessor("llm"), truth=assessor("human"))'
    with pytest.raises(CollectionError, match=r'human judged 5 of the 7 .* use estimated\(…\) .*documents="all"'):
        run(asked, judged())
    assert "ppi: human judged 5 of the 7 documents" in "\n".join(run(f'{asked[:-1]}, documents="all")', judged()).warnings)
    assert str(parse(f'{asked[:-1]}, documents="all")')) == f'{asked[:-1]}, documents="all")'
    with pytest.raises(FormulaError, match="documents"):
        parse(f'{asked[:-1]}, documents="common")')


def test_selections_of_documents_differ_by_intention() -> None:
    """A pool of one assessor's judgements is compared with all judgements of this assessor, and documents are not dropped."""
    for text in (
        'agreement(P@1 ~ pooled(1, assessor("llm")) + assessor("llm"), documents="common")',
        'agreement(P@1 ~ sampled(0.5, assessor("llm")) + assessor("llm"))',
        'agreement(P@1 ~ jury("llm", "human") + jury("llm", "human", by="mean"))',
        'agreement(P@1 + P@2 ~ assessor("llm"))',
    ):
        assert "judged on" not in "\n".join(run(text, judged()).warnings)
    pooled = run('agreement(P@1 ~ pooled(1, assessor("llm")) + assessor("human"), documents="common")', judged())
    plain = run('agreement(P@1 ~ assessor("llm") + assessor("human"), documents="common")', judged())
    assert pooled.tables["differences"]["difference_truth"].to_list() == plain.tables["differences"]["difference_truth"].to_list()


def test_correlation_of_several_measures_counts_the_documents_once() -> None:
    found = run('correlation(P@1 + P@2 ~ assessor("llm") + assessor("human"))', judged())
    assert "\n".join(found.warnings).count("human judged 5 of the 7 documents that llm judged") == 1


def test_correlation_counts_the_documents() -> None:
    found = run('correlation(P@1 ~ assessor("llm") + assessor("human"))', judged())
    assert "correlation: human judged 5 of the 7 documents that llm judged" in "\n".join(found.warnings)


@pytest.mark.parametrize("word", ["agreement", "judges"])
def test_equal_documents_change_nothing(word: str) -> None:
    rows = [
        (topic, name, doc, int((place + shift) % 3 == 0))
        for place, topic in enumerate("12345")
        for shift, name in enumerate(("llm", "human"))
        for doc in "abc"
    ]
    table = pl.DataFrame(rows, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
    runs = {name: {topic: {doc: 3.0 - rank for rank, doc in enumerate(docs)} for topic in "12345"} for name, docs in ORDERS.items()}
    asked = {
        "agreement": 'agreement(MAP ~ assessor("llm") + assessor("human")',
        "judges": 'judges(MAP ~ assessor("llm"), truth=assessor("human")',
    }
    one, other = (run(f'{asked[word]}, documents="{documents}")', from_frames(table, runs)) for documents in ("common", "all"))
    assert one.warnings == other.warnings
    assert all(one.tables[name].equals(other.tables[name]) for name in one.tables)


def test_check_counts_the_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "judged.csv"
    pl.DataFrame(ROWS, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row").write_csv(file)
    said = "3 of 8 documents were not judged by all assessors of their topics (llm judged 7, human judged 6)"
    assert [str(problem.message) for problem in check(file).problems] == [said]
    assert main(["check", "--assessments", str(file)]) == 0
    assert f"warning: {said}" in capsys.readouterr().out
