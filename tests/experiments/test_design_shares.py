"""The experiment `design` with shares of documents."""

from __future__ import annotations

import warnings

import pytest

from inexmetrics import (
    DCG,
    Collection,
    Design,
    DesignResult,
    FormulaError,
    Holm,
    P,
    agreement,
    design,
    estimated,
    from_frames,
    parse,
    plan,
    pooled,
    run,
    topics,
    weighted,
)
from inexmetrics.experiments.findings import percentage
from inexmetrics.quantisations.base import Criterion
from inexmetrics.report.charts.drawing import specification
from tests.judgements.test_weighted import HUMAN, LLM, random_collection

TEXT = (
    'design(P@3 ~ assessor("human") + pooled(2, assessor("human")) | Holm, truth=assessor("human"), cost=(1, 1), topics=(4, 8), '
    'share=(0.25, 0.5), judge=assessor("llm"))'
)


@pytest.fixture(scope="module")
def collection() -> Collection:
    return random_collection(11, runs=4, topics=16)[0]


@pytest.fixture(scope="module")
def result(collection: Collection) -> DesignResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run(parse(TEXT, Design), collection)


def test_it_prints_as_it_parses() -> None:
    assert str(parse(TEXT)) == TEXT
    asked = design(
        P @ 3,
        (HUMAN, pooled(2, HUMAN)),
        correction=Holm,
        truth=HUMAN,
        cost=(1, 1),
        topics=(4, 8),
        share=(0.25, 0.5),
        judge=LLM,
    )
    assert asked == parse(TEXT)


def test_pools_stand_beside_shares(result: DesignResult) -> None:
    rows = result.table.select("quantisation", "share", "topics").rows()
    whole, pool = 'assessor("human")', 'pooled(2, assessor("human"))'
    assert rows == [(whole, share, number) for share in (1.0, 0.25, 0.5) for number in (4, 8)] + [(pool, 1.0, 4), (pool, 1.0, 8)]


def test_a_share_costs_its_part_of_the_pool(result: DesignResult, collection: Collection) -> None:
    assert collection.runs is not None
    first = collection.runs.results.group_by("run_id", "topic_id", maintain_order=True).head(3)
    pool = first.select("topic_id", "doc_id").unique().height / 16
    found = {
        (row["share"], row["topics"]): row["judgements"] for row in result.table.rows(named=True) if "pooled" not in row["quantisation"]
    }
    assert found[1.0, 8] == 8 * 12  # people judged all twelve documents of each topic
    assert found[0.25, 8] == pytest.approx(8 * 0.25 * pool)
    assert found[0.5, 4] == pytest.approx(4 * 0.5 * pool)


@pytest.mark.parametrize(
    ("criterion", "part"), [(weighted(0.25, HUMAN), 0.25), (weighted(0.5, HUMAN, judge=LLM), 0.5), (estimated("people"), None)]
)
@pytest.mark.filterwarnings("ignore")
def test_a_sample_costs_its_judgements_alone(criterion: Criterion, part: float | None, collection: Collection) -> None:
    """A sample that the formula names costs as much as its documents, although all documents of the pool have a value."""
    assert collection.runs is not None
    everything = plan(collection.runs, P @ 3, budget=100_000)
    sheet = plan(collection.runs, P @ 3, budget=37).with_columns(grade=1.0)
    judged = collection.assessments.assessors
    assert judged is not None
    human, llm = (judged.filter(assessor=name).drop("assessor") for name in ("human", "llm"))
    source = from_frames({"human": human, "llm": llm, "people": sheet}, collection.runs)
    table = run(design(P @ 3, criterion, truth=HUMAN, cost=2, topics=(4, 8)), source).table
    expected = sheet.height / 16 if part is None else part * everything.height / 16
    assert table["judgements"].to_list() == pytest.approx([4 * expected, 8 * expected])
    assert table["cost"].to_list() == pytest.approx([8 * expected, 16 * expected])


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_conclusions_are_those_of_agreement(result: DesignResult, collection: Collection, share: float) -> None:
    asked = agreement(P @ 3, (topics(8, weighted(share, HUMAN, judge=LLM)), HUMAN), correction=Holm, draws=50, fresh=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shared = run(asked, collection).table.select("precision", "recall", "f1").row(0)
    assert result.table.filter(share=share, topics=8).select("precision", "recall", "f1").row(0) == shared


def test_the_finding_says_the_share(collection: Collection) -> None:
    asked = design(P @ 3, HUMAN, truth=HUMAN, cost=1, topics=400, share=0.5, difference=0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(asked, collection).finding
    assert f'400 topics by assessor("human") on a weighted sample of {percentage(0.5)} of the pooled documents' in found
    assert 'A plan by assessor("human") with sufficient power costs' in found


def test_without_shares_nothing_changes(collection: Collection) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(design(P @ 3, HUMAN, truth=HUMAN, cost=1, topics=(4, 8)), collection).table
    assert "share" not in found.columns


def test_a_share_of_1_is_the_whole(collection: Collection) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(design(DCG @ 3, HUMAN, truth=HUMAN, cost=1, topics=4, share=1), collection).table
    assert found["share"].to_list() == [1.0]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("design(MAP, truth=1, cost=1, share=0.5)", "expected a measure that is linear in gains under weighted(0.5), found MAP"),
        ("design(P@10, truth=1, cost=1, share=0)", "share: expected a number above 0 and of at most 1"),
        ('design(P@10, truth=1, cost=1, judge=assessor("llm"))', "judge: expected share= in addition, found none"),
        (
            "design(P@10 ~ Gen5, truth=Gen5, cost=1, share=0.5)",
            "expected a selection of judgements of whole documents, found a quantisation",
        ),
    ],
)
def test_wrong_plans(formula: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(formula)
    assert message in str(caught.value)


def test_the_chart_names_the_share(result: DesignResult) -> None:
    drawn = str(specification(result))
    assert 'assessor("human") (share 0.25)' in drawn
