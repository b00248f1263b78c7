"""Degradation: disturbed ideal runs, and the decrease of measures."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    EPRUM,
    MAEPRUM,
    MAP,
    RR,
    BinExh,
    Collection,
    CollectionError,
    CollectionWarning,
    Degradation,
    FormulaError,
    FullySpec,
    Gen5,
    GenLifted,
    MAep,
    MAnxCG,
    Measure,
    P,
    Scores,
    Strict5,
    assessor,
    degradation,
    distance,
    from_frames,
    given,
    hierarchy,
    iMAep,
    inex_eval,
    nDCG,
    nxCG,
    parse,
    run,
    sample,
    threshold,
)
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.degradation import MOVES
from inexmetrics.measures.base import Curved
from inexmetrics.ranking import JudgedItems
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import curves_of, scores_of
from inexmetrics.simulations.degraded_runs import disturbed

COLUMNS = {"move": pl.Float64, "measure": pl.String, "quantisation": pl.String, "level": pl.Float64, "value": pl.Float64}

STRUCTURE = pl.DataFrame(
    [
        ("d", "/a[1]", 0, 100),
        ("d", "/a[1]/s[1]", 0, 60),
        ("d", "/a[1]/s[1]/p[1]", 0, 60),
        ("d", "/a[1]/s[2]", 60, 40),
        ("e", "/a[1]", 0, 10),
    ],
    schema=["doc_id", "path", "start", "length"],
    orient="row",
)
ASSESSED = pl.DataFrame(
    [
        ("1", "d", "/a[1]", "1", 0.6, 100),
        ("1", "d", "/a[1]/s[1]", "2", 1.0, 60),
        ("1", "e", "/a[1]", "2", 0.5, 10),
        ("2", "d", "/a[1]/s[2]", "1", 0.9, 40),
        ("3", "d", "/a[1]", "0", 0.0, 100),
    ],
    schema=["topic_id", "doc_id", "path", "exhaustivity", "specificity", "size"],
    orient="row",
)


@pytest.fixture
def small() -> Collection:
    """Three topics, the last without anything relevant; no runs."""
    return from_frames(ASSESSED, structure=STRUCTURE)


def of_measures(result_table: pl.DataFrame) -> dict[tuple[str, str], list[float]]:
    """Returns the values of each condition, in the order of the moves."""
    own = result_table.filter(pl.col("level").is_null())
    return {(str(m), str(q)): of["value"].to_list() for (m, q), of in own.group_by("measure", "quantisation", maintain_order=True)}


ALL = (MAep, iMAep, nxCG @ 10, MAnxCG @ 5, inex_eval, MAP, RR, nDCG, nDCG @ 10)


def test_undisturbed_runs_are_ideal_to_every_measure() -> None:
    """With probability 0, everything is 1, at every level of every curve, by definition."""
    greedy = (MAep(ideal="greedy"), nxCG(ideal="greedy", task="focused") @ 3)
    asked = degradation((*ALL, *greedy), (Gen5, Strict5, BinExh, threshold(GenLifted, 0.5)), moves=0)
    table = asked.answer(sample(), RunOptions()).table
    assert table["value"].to_list() == pytest.approx([1.0] * table.height, abs=1e-12)
    assert table["measure"].n_unique() == len(ALL) + len(greedy)


def test_measures_fall() -> None:
    result = run(degradation((iMAep, MAep, MAP, nDCG), (Gen5, BinExh)), sample())
    for values in of_measures(result.table).values():
        assert len(values) == len(MOVES) == 10
        assert values[0] == pytest.approx(1.0)
        assert values == sorted(values, reverse=True)
        assert values[-1] < 0.6
    low = result.table.filter((pl.col("move") == 0.8) & (pl.col("measure") == "iMAep") & (pl.col("level") > 0.7))
    assert low["value"].to_numpy().max() < 0.1, "effort-precision is near 0 at high recall where runs are much disturbed (Figure 4)"


def test_readers_who_navigate_still_find_what_effort_precision_misses() -> None:
    """Figure 4 of Piwowarski & Dupret: beyond recall .6, only EPRUM remains above 0 for strongly disturbed runs."""
    readers = MAEPRUM(navigation=hierarchy)
    table = run(degradation((readers, MAEPRUM, iMAep), Gen5, moves=(0, 0.7, 0.8, 0.9)), sample()).table
    found = of_measures(table)
    assert [values[0] for values in found.values()] == pytest.approx([1.0] * 3)
    assert all(values == sorted(values, reverse=True) for values in found.values())
    beyond = table.filter((pl.col("move") > 0) & (pl.col("level") > 0.6))
    values = {str(measure): of["value"].to_numpy() for (measure,), of in beyond.group_by("measure")}
    assert values["iMAep"].max() < 0.2
    assert values["iMAep"].mean() < 0.01
    assert values[str(readers)].min() > 0.009
    strongly = beyond.filter(pl.col("move") > 0.75)
    assert (strongly.filter(measure="iMAep")["value"] == 0).all()
    assert table.filter(pl.col("move") == 0)["value"].to_numpy() == pytest.approx(1.0), "at every level"


def test_siblings_by_hand() -> None:
    """One of two sections is ideal. If it is replaced by its sibling, users who go on to siblings find it with probability .25, and others find nothing."""
    judged = pl.DataFrame({"topic_id": ["1"], "doc_id": ["d"], "path": ["/a[1]/s[2]"], "specificity": [1.0]})
    one = from_frames(judged, structure=STRUCTURE)
    measures = (MAEPRUM(navigation=hierarchy(siblings=0.25)), MAEPRUM(navigation=hierarchy), MAep)
    found = of_measures(run(degradation(measures, BinExh, moves=(0, 1), axis="siblings"), one).table)
    assert list(found.values()) == [[1.0, 0.25], [1.0, 0.0], [1.0, 0.0]]


def test_users_who_go_on_to_siblings_see_a_smooth_degradation() -> None:
    """Section 7: with siblings, EPRUM falls as smoothly when siblings replace ideal elements."""
    measures = (MAEPRUM(navigation=hierarchy(siblings=0.5)), MAep)
    part = sample().only(topics=["202", "203", "207", "208"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ideal lists that are searched for
        found = list(of_measures(run(degradation(measures, FullySpec, axis="siblings"), part).table).values())
    browsing, exact = found
    assert all(later <= before for values in found for before, later in pairwise(values))
    assert exact[0] == 1.0
    assert browsing[0] > 0.9, "not 1: the best list of users who go on to siblings is another one"
    assert browsing[-1] > 2 * exact[-1]


def test_searched_ideal_lists_are_warned_of() -> None:
    part = sample().only(topics=sample().topics[:2])
    with pytest.warns(CollectionWarning, match="^the ideal lists of 2 topics are approximate"):
        result = run(degradation((MAEPRUM(navigation=distance(0.01)), EPRUM(navigation=distance(0.01)) @ 1), BinExh, moves=0.5), part)
    conditions = "MAEPRUM(navigation=distance(0.01)) ~ BinExh, EPRUM(navigation=distance(0.01))@1 ~ BinExh"
    assert f"the ideal lists of 2 topics are approximate (more than 16 candidates) under {conditions}: 202, 203" in result.warnings


def test_the_table() -> None:
    result = run(degradation((nxCG @ 10, MAP), (Gen5, BinExh), moves=(0.5, 0)), sample())
    table = result.tables["degradation"]
    assert dict(table.schema) == COLUMNS
    own, curves = table[:8], table[8:]
    assert own["level"].null_count() == 8
    assert own.select("measure", "quantisation", "move").rows() == [
        (measure, quantisation, move) for measure in ("nxCG@10", "MAP") for quantisation in ("Gen5", "BinExh") for move in (0.5, 0.0)
    ]
    assert set(curves["measure"]) == {"MAP"}
    tenths = [level / 10 for level in range(11)]
    assert curves.select("quantisation", "move", "level").rows() == [
        (quantisation, move, level) for quantisation in ("Gen5", "BinExh") for move in (0.5, 0.0) for level in tenths
    ]
    lines = result.to_text(width=80).splitlines()
    assert lines[:2] == ["degradation(nxCG@10 + MAP ~ Gen5 + BinExh, moves=(0.5, 0))", str(result.origin)]
    assert lines.count("move  nxCG@10 ~ Gen5  nxCG@10 ~ BinExh  MAP ~ Gen5  MAP ~ BinExh") == 1
    assert lines.count("curve; measure: MAP; quantisation: BinExh; columns: level") == 1


def test_by_hand(small: Collection) -> None:
    """If every move is made, every element ends at a root or a leaf; the values follow from its direction."""
    ideals = JudgedItems(small).ideal_elements(Gen5, "paths")
    # Topic 1: the section, gain 1, before document e, gain .5; the article, gain .3, is no winner. Topic 2: .45.
    assert ideals.sort("topic_id", "gain", descending=[False, True]).rows() == [
        ("1", "d", "/a[1]/s[1]", 1.0),
        ("1", "e", "/a[1]", 0.5),
        ("2", "d", "/a[1]/s[2]", 0.45),
    ]
    assert small.structure is not None
    seen = set()
    for seed in range(12):
        runs = disturbed(ideals, small.structure, (1.0,), seed)
        first, second, third = runs.results["path"].to_list()
        assert second == "/a[1]", "e has nowhere to go"
        seen.add((first, third))
        # Up: the article gains its own .3. Down: the paragraph was not assessed and gains nothing.
        gain = {"/a[1]": 0.3, "/a[1]/s[1]/p[1]": 0.0}[first]
        # Up: not assessed on this topic. Down: nothing below it, it stays.
        found = {"/a[1]": 0.0, "/a[1]/s[2]": 1.0}[third]
        with pytest.warns(CollectionWarning, match="1 topic is undefined"):
            table = run(degradation((nxCG @ 1, nxCG @ 2, P @ 1), Gen5, moves=1, seed=seed), small).table
        topic_1 = (gain / 1.0, (gain + 0.5) / 1.5, float(gain > 0))
        assert table["value"].to_list() == pytest.approx([(value + found) / 2 for value in topic_1])
    assert len(seen) == 4


def test_gains_that_only_rounding_tells_apart_stand_by_document(small: Collection) -> None:
    rows = [("1", "d", "/a[1]/s[2]", "1", 0.3, 40), ("1", "e", "/a[1]", "2", 0.2, 10)]  # .2 both, of which (1 + 1) / 3 * .3 is a bit below
    ideals = JudgedItems(from_frames(pl.DataFrame(rows, ASSESSED.schema, orient="row"))).ideal_elements(GenLifted, "paths")
    assert ideals["gain"].n_unique() == 2
    assert small.structure is not None
    assert disturbed(ideals, small.structure, (0.0,), 0).results["doc_id"].to_list() == ["d", "e"]


@pytest.mark.parametrize("measure", [MAep, MAep(task="focused"), MAep(ideal="greedy"), nxCG @ 10], ids=str)
def test_gain_measures_are_of_the_focused_task(measure: Measure) -> None:
    """The values equal those of the focused measure on the same runs, scored like other runs."""
    collection = sample()
    ideal = "greedy" if "greedy" in str(measure) else "paths"
    assert collection.structure is not None
    runs = disturbed(
        JudgedItems(collection).ideal_elements(Gen5, "greedy" if ideal == "greedy" else "paths"), collection.structure, (0.4,), 7
    )
    result = run(degradation(measure, Gen5, moves=0.4, seed=7), collection).table
    written = {
        "MAep": MAep(task="focused"),
        'MAep(ideal="greedy")': MAep(task="focused", ideal="greedy"),
        "nxCG@10": nxCG(task="focused") @ 10,
    }
    held = written.get(str(measure), measure)
    matrix = scores_of(collection.with_runs(runs), [Condition(held, Gen5)], RunOptions()).matrix(str(held), "Gen5")
    assert set(result["measure"]) == {str(measure)}
    assert result.filter(pl.col("level").is_null())["value"].to_list() == pytest.approx([matrix.mean()])
    if isinstance(held, Curved):
        curves = curves_of(collection.with_runs(runs), [Condition(held, Gen5)], RunOptions()).curves[str(held), "Gen5"]
        assert result.drop_nulls("level")["value"].to_list() == curves[0].tolist()


def test_runs_and_other_judgements_are_not_read(small: Collection) -> None:
    whole = sample()
    alone = whole.with_runs(None)
    with_runs, without = (run("degradation(MAep ~ Gen5, moves=(0, 0.5))", collection) for collection in (whole, alone))
    assert with_runs.to_json() == without.to_json()
    assert with_runs.origin.runs == 0


def test_topics_without_ideal_elements_are_left_out_and_counted(small: Collection) -> None:
    with pytest.warns(CollectionWarning) as caught:
        result = run(degradation((MAP, MAep), (Gen5, Strict5), moves=0), small)
    assert [str(warning.message) for warning in caught] == [
        "1 topic is undefined under MAP ~ Gen5, MAep ~ Gen5 and excluded: 3",
        "2 topics are undefined under MAP ~ Strict5, MAep ~ Strict5 and excluded: 2, 3",
    ]
    assert set(result.table["value"]) == {1.0}


def test_nothing_ideal_at_all(small: Collection) -> None:
    with pytest.warns(CollectionWarning, match="1 topic is undefined under MAep ~ Gen5 and excluded: 3"):
        result = run("degradation(MAep ~ Gen5, moves=(0, 0.5))", small.only(topics="3"))
    assert result.table.height == 2 + 2 * 100
    assert result.table["value"].null_count() == result.table.height


def test_topics_fall_by_themselves() -> None:
    """The mean over all topics equals the mean of topics evaluated one by one, because no topic changes the draws of another topic."""
    whole = sample().only(topics=sample().topics[:4])
    asked = degradation((iMAep, MAP), Gen5, moves=(0.3, 0.8))
    parts = [of_measures(run(asked, whole.only(topics=topic)).table) for topic in whole.topics]
    for condition, values in of_measures(run(asked, whole).table).items():
        means = [sum(part[condition][number] for part in parts) / 4 for number in range(2)]
        assert values == pytest.approx(means, abs=1e-12)


def test_by_the_judgements_of_an_assessor(small: Collection) -> None:
    both = from_frames({"ann": small.assessments, "bob": from_frames(ASSESSED.filter(topic_id="2")).assessments}, structure=STRUCTURE)
    asked = degradation((MAep, MAP), (assessor("ann", Gen5), assessor("bob", Gen5)), moves=(0.0, 0.6), seed=2)
    with pytest.warns(CollectionWarning) as caught:
        found = of_measures(run(asked, both).table)
    assert 'under MAep ~ assessor("bob", Gen5), MAP ~ assessor("bob", Gen5) and excluded: 1, 3' in "\n".join(
        str(warning.message) for warning in caught
    )
    with pytest.warns(CollectionWarning):
        alone = of_measures(run(degradation((MAep, MAP), Gen5, moves=(0.0, 0.6), seed=2), small).table)
    assert {name: found[name, 'assessor("ann", Gen5)'] for name in ("MAep", "MAP")} == {
        name: alone[name, "Gen5"] for name in ("MAep", "MAP")
    }


def test_the_same_bits_in_small_batches_and_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    part = sample().only(topics=sample().topics[:6])
    asked = degradation((iMAep, MAP, MAEPRUM(navigation=hierarchy)), (Gen5, BinExh), moves=(0.2, 0.6, 0.9), seed=5)
    whole = run(asked, part).table
    with ThreadPoolExecutor(2) as pool:
        assert run(asked, part, executor=pool).table.equals(whole)
    monkeypatch.setattr("inexmetrics.ranking.judged_runs.BATCH", 50)
    assert run(asked, part).table.equals(whole)


def test_canonical_text() -> None:
    assert str(degradation((MAep, nxCG @ 10), Gen5)) == "degradation(MAep + nxCG@10 ~ Gen5)"
    assert str(degradation(MAep, Gen5, moves=MOVES, seed=0)) == "degradation(MAep ~ Gen5)"
    for text in (
        "degradation(MAep ~ Gen5, moves=(0, 0.5), seed=3)",
        "degradation(MAep ~ Gen5, moves=(0.5,))",
        'degradation(MAep ~ Gen5, axis="siblings")',
    ):
        assert str(parse(text, Degradation)) == text
    assert parse("degradation(MAep ~ Gen5, moves=0.5)") == degradation(MAep, Gen5, moves=0.5)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "degradation(MAP)",
            "degradation: expected a quantisation of elements for MAP, found none",
            "only elements can be moved; name a quantisation after '~', as in MAP ~ Gen5",
        ),
        (
            'degradation(MAP ~ Gen5 + assessor("x"))',
            "degradation: expected a quantisation of elements for MAP, found none",
            "only elements can be moved; name a quantisation after '~', as in MAP ~ assessor(\"x\", Gen5)",
        ),
        (
            'degradation(P@10 ~ estimated("x"))',
            "degradation: expected a quantisation of elements for P@10, found none",
            "only elements can be moved; name a quantisation after '~', as in P@10 ~ Gen5",
        ),
        ("degradation(MAep)", "degradation: expected a quantisation for MAep, found none", "name one after '~', as in MAep ~ Gen5"),
        (
            "degradation(MAiP)",
            "degradation: expected a measure with a quantisation, found MAiP",
            "the quantisation determines the ideal elements; for measures of highlighted text, use fidelity",
        ),
        (
            "degradation(MAep ~ Gen5, moves=(0, 1.5))",
            "degradation: moves: expected a number of at least 0 and of at most 1, found 1.5",
            None,
        ),
        ("degradation(MAep ~ Gen5, moves=(0, 0))", "degradation: moves: 0 is written twice", None),
        ("degradation(MAep ~ Gen5, seed=0.5)", "degradation: seed: expected an integer of at least 0, found 0.5", None),
        ("degradation(MAep ~ Gen5 | t)", "degradation takes no significance test, found t", None),
    ],
)
def test_what_cannot_be_asked(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_data_that_cannot_answer(small: Collection) -> None:
    asked = degradation(MAep, Gen5)
    with pytest.raises(
        CollectionError, match=r"^degradation: expected a structure, found none; elements are moved within the trees of documents$"
    ):
        run(asked, from_frames(ASSESSED))
    with pytest.raises(CollectionError, match=r"^degradation: expected assessments and a structure, found scores by topic$"):
        run(asked, Scores(("a",), ("1",), {("MAep", "Gen5"): np.zeros((1, 1))}))
    with pytest.raises(CollectionError, match=r"topic 1: expected all ideal elements in the structure, found 1 of 3 missing, such as e"):
        run(asked, from_frames(ASSESSED, structure=STRUCTURE.filter(doc_id="d")))
    with pytest.raises(FormulaError, match="applies only to character and in-context measures, not to MAep"):
        run(asked, small, compat="inex_eval")
    with pytest.raises(CollectionError, match="expected scores, found assessments and runs"):
        run(degradation(given("ERR"), Gen5), small)
