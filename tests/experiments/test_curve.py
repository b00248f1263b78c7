from __future__ import annotations

import pytest

from inexmetrics import (
    MAP,
    BinExh,
    Collection,
    CollectionError,
    Curve,
    FormulaError,
    Gen5,
    MAep,
    MAnxCG,
    P,
    Scores,
    curve,
    from_frames,
    iMAep,
    inex_eval,
    nxCG,
    run,
    scores,
)
from inexmetrics.common.options import RunOptions

TENTHS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


@pytest.fixture
def documents() -> Collection:
    """Two topics, two runs: a finds the relevant documents at ranks 1 and 3 of topic 1, and at rank 2 of topic 2."""
    return from_frames(
        {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d1": 0, "d2": 1}},
        {
            "a": {"1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "2": {"d1": 2.0, "d2": 1.0}},
            "b": {"1": {"d3": 3.0, "d1": 2.0}, "2": {"d2": 2.0}},
        },
    )


def test_interpolated_precision(documents: Collection) -> None:
    result = curve(MAP).answer(documents, RunOptions())
    table = result.table
    assert table.columns == ["run_id", "measure", "quantisation", "level", "value"]
    assert table["run_id"].to_list() == ["a"] * 11 + ["b"] * 11
    assert table["level"].to_list() == pytest.approx(TENTHS * 2)
    assert set(table["measure"]) == {"MAP"}
    assert set(table["quantisation"]) == {"1"}
    # topic 1: 1 up to recall 1/2, then 2/3; topic 2: 1/2 throughout
    assert table["value"].to_list() == pytest.approx([(1 + 1 / 2) / 2] * 6 + [(2 / 3 + 1 / 2) / 2] * 5 + [1.0] * 11)
    lines = result.to_text(width=80).splitlines()
    assert "measure: MAP; best mean of the curve first; columns: level" in lines
    assert lines[-4].split() == ["run_id", *(f"{tenth / 10:.1f}" for tenth in range(11))]
    assert lines[-2].split() == ["b", *["1.000"] * 11]  # the better curve is above the first run's
    assert lines[-1].startswith("a ")


def test_scores_hold_no_curves(small: Scores) -> None:
    with pytest.raises(
        CollectionError, match=r"^curve: expected assessments and runs, found scores by topic, from which curves cannot be computed$"
    ):
        curve(MAP).answer(small, RunOptions())


def test_only_some_measures_have_a_curve() -> None:
    with pytest.raises(FormulaError) as caught:
        curve((MAP, P @ 10))
    assert caught.value.message == "curve: expected a measure that has a curve, found P@10"
    assert caught.value.hint is not None
    for word in ("MAP", "MAep", "iMAep", "inex_eval", "nxCG@k"):
        assert word in caught.value.hint
    with pytest.raises(FormulaError, match=r"^curve: expected a rank of at most 10000, found nxCG@10001$"):
        curve(nxCG @ 10001, Gen5)


@pytest.fixture
def elements() -> Collection:
    """Two topics: run a gains 0, .5, 1 on the first and 1 on the second; ideal lists gain 1, .5, .5 and 1."""
    return from_frames(
        {"topic_id": ["1", "1", "1", "2"], "doc_id": ["x", "y", "z", "x"], "specificity": [1, 0.5, 0.5, 1]},
        {"a": {"1": {"n": 3.0, "y": 2.0, "x": 1.0}, "2": {"x": 1.0}}, "b": {"1": {"n": 1.0}, "2": {"n": 2.0, "x": 1.0}}},
    )


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ("xxr rxx xrx", "m2 has the highest curve by MAP at all 11 recall levels. "),
        (
            "rxs rsx rsx",
            "no run alone has the highest curve by MAP at any of the 11 recall levels; several share the highest value (at 6, all runs). ",
        ),
        ("rxs rsx xrs", "m2 has the highest curve by MAP at 5 of the 11 recall levels; at 6, several share the highest value. "),
        (
            "rsx rsx rsx",
            "no run alone has the highest curve by MAP at any of the 11 recall levels; several share the highest value (all runs). ",
        ),
    ],
)
def test_a_shared_level_is_no_win(lists: str, said: str) -> None:
    """Each run has its list of the documents r and s, of which the judgements contain those in the lists, and of x, y and z."""
    relevant = {each: 1 for each in "rs" if each in lists}
    runs = {
        f"m{place}": {"q": {each if each in "rs" else f"x{rank}": -float(rank) for rank, each in enumerate(order)}}
        for place, order in enumerate(lists.split(), 1)
    }
    finding = run(curve(MAP), from_frames({"q": relevant}, runs)).finding
    assert finding.startswith(f"Of 3 runs, {said}")


def test_cumulated_gain_by_rank(elements: Collection) -> None:
    result = curve(nxCG @ 4, BinExh).answer(elements, RunOptions())
    assert list(result.tables) == ["curve", "gains"]
    assert result.table["level"].to_list() == [1.0, 2.0, 3.0, 4.0] * 2
    # run a, topic 1: 0/1, .5/1.5, 1.5/2, 1.5/2, topic 2: 1; run b, topic 1: 0, topic 2: 0, 1, 1, 1
    by_hand = [(0 + 1) / 2, (1 / 3 + 1) / 2, (3 / 4 + 1) / 2, (3 / 4 + 1) / 2, 0.0, 1 / 2, 1 / 2, 1 / 2]
    assert result.table["value"].to_list() == pytest.approx(by_hand)
    gains = result.tables["gains"]
    assert gains.columns == ["run_id", "measure", "quantisation", "rank", "xcg", "xci"]
    assert gains["rank"].to_list() == [1, 2, 3, 4] * 2
    assert gains["xcg"].to_list() == [0.5, 0.75, 1.25, 1.25, 0.0, 0.5, 0.5, 0.5]
    assert gains["xci"].to_list() == [1.0, 1.25, 1.5, 1.5] * 2
    assert set(gains["measure"]) == {"nxCG@4"}
    assert result.finding == (
        "Of 2 runs, a has the highest curve by nxCG@4 under BinExh at all 4 ranks. "
        "The mean of all curves goes from 0.250 at rank 1 to 0.688 at rank 4."
    )
    assert "measure: nxCG@4; quantisation: BinExh; xCG of runs; ideal: xCI; columns: rank" in result.to_text(width=80)


def test_the_last_point_is_the_measure_and_the_mean_of_all_is_its_mean_over_ranks(elements: Collection) -> None:
    asked = (nxCG @ 3, MAnxCG @ 3)
    table = curve(asked, BinExh).answer(elements, RunOptions()).table
    means = scores(asked, BinExh).answer(elements, RunOptions()).table
    for run_id in ("a", "b"):
        last = table.filter(run_id=run_id, measure="nxCG@3", level=3.0)["value"].item()
        assert last == pytest.approx(means.filter(run_id=run_id, measure="nxCG@3")["mean"].item())
        of_ranks = table.filter(run_id=run_id, measure="MAnxCG@3")["value"].mean()
        assert of_ranks == pytest.approx(means.filter(run_id=run_id, measure="MAnxCG@3")["mean"].item())


def test_topics_without_gains_are_in_neither_gain() -> None:
    judged = {"topic_id": ["1", "2"], "doc_id": ["x", "x"], "specificity": [1, 0]}
    collection = from_frames(judged, {"a": {"1": {"x": 1.0}, "2": {"x": 1.0}}})
    result = curve(nxCG @ 1, BinExh).answer(collection, RunOptions())
    assert result.tables["gains"].select("xcg", "xci").row(0) == (1.0, 1.0)
    assert sum("undefined" in warning for warning in result.warnings) == 1


def test_measures_of_recall_have_no_gains(documents: Collection) -> None:
    assert list(curve(MAP).answer(documents, RunOptions()).tables) == ["curve"]


def test_actual_and_ideal_gains_are_drawn(elements: Collection) -> None:
    figure = str(curve(nxCG @ 4, BinExh).answer(elements, RunOptions()).figure())
    assert "cumulated gain, xCG" in figure
    assert "ideal, xCI" in figure


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (curve(MAP), "curve(MAP)"),
        (curve((inex_eval, MAep, iMAep), (Gen5, BinExh)), "curve(inex_eval + MAep + iMAep ~ Gen5 + BinExh)"),
    ],
)
def test_canonical_text(experiment: Curve, text: str) -> None:
    assert str(experiment) == text
