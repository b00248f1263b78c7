"""Statements of Piwowarski & Dupret (SIGIR 2006) that a program can recompute."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import EPRUM, MAP, BinExh, Collection, EPRUMk, Measure, Navigation, Quantisation, from_frames, links, run, scores
from inexmetrics.cli import main
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.measures.user_models import expected_ranks
from inexmetrics.ranking import JudgedItems
from inexmetrics.ranking.navigation.expected_precision import survivals
from inexmetrics.ranking.navigation.ideals import ideal_documents
from tests.reference import eprum as reference


def web(*ends: tuple[str, str, float], steps: int = 1) -> Navigation:
    @links(steps=steps)
    def recorded() -> pl.DataFrame:
        """Where readers went."""
        return pl.DataFrame(ends, schema=["doc_id", "to_doc_id", "probability"], orient="row")

    return recorded


def collection(relevant: str, retrieved: str) -> Collection:
    """Returns documents named by one letter."""
    ranked = {doc: float(-rank) for rank, doc in enumerate(retrieved)}
    return from_frames({"1": {doc: int(doc in relevant) for doc in {*relevant, *retrieved}}}, {"run": {"1": ranked}})


def score(measure: Measure, found: Collection, quantisation: Quantisation | None = None) -> float:
    return float(run(scores(measure, quantisation), found).table["mean"].item())


@pytest.mark.parametrize(("wanted", "expected"), [(1, 1.0), (2, 0.5), (3, 0.0)])
def test_the_list_of_section_2(wanted: int, expected: float) -> None:
    """Relevant documents are at ranks 1 and 4, and a third is not retrieved: precision 1, .5 and 0."""
    assert score(EPRUM @ (wanted / 3), collection("adz", "abcde")) == expected


FIGURE_1 = {"a": "", "b": "b", "c": "f", "d": "fi", "e": "gh"}
"""The ranking of the figure, and the elements that the user sees from each rank; b, f, g and h are ideal."""


def test_the_session_of_figure_1() -> None:
    """One user, whose steps are all certain: F = 0, 1, 2, 2 and 4 ideal elements are seen after ranks 1 to 5."""
    led = [[Fraction(x in seen) for x in "bfgh"] for seen in FIGURE_1.values()]
    assert [sum(reference.seen(led, k, 4)) for k in range(1, 6)] == [0, 1, 2, 2, 4]

    paths = {"a": "/a[1]"} | {x: f"/a[1]/{x}[1]" for x in "bcdefghi"}

    @links
    def session() -> pl.DataFrame:
        """Where the user went within the document."""
        ways = [("d", paths[x], "d", paths[y], 1.0) for x, seen in FIGURE_1.items() for y in seen if y != x]
        return pl.DataFrame(ways, schema=["doc_id", "path", "to_doc_id", "to_path", "probability"], orient="row")

    elements = {"topic_id": ["1"] * 9, "doc_id": ["d"] * 9, "path": list(paths.values())}
    judged = pl.DataFrame(elements | {"specificity": [float(x in "bfgh") for x in "abcdefghi"]})
    found = from_frames(judged, {name: column[:5] for name, column in elements.items()})
    # The best list is e, b, c: 2, 3 and 4 ideal elements after ranks 1, 2 and 3. So the ranks of ML* for 1 to 4 are 1, 1, 2 and 3.
    best = [0, 1, 1, 2, 3]
    for k, seen in enumerate((0, 1, 2, 2, 4), start=1):
        assert score(EPRUMk(navigation=session) @ k, found, BinExh) == pytest.approx(best[seen] / k)
    # The first, second, third and fourth ideal element are found at ranks 2, 3, 5 and 5.
    for wanted, rank in enumerate((2, 3, 5, 5), start=1):
        assert score(EPRUM(navigation=session) @ (wanted / 4), found, BinExh) == pytest.approx(best[wanted] / rank)


def test_figure_2() -> None:
    """Half of the users of x go to y, and 80 % of them on to z; 30 % go to z, and 12 % of them on to y."""
    recorded = web(("x", "y", 0.5), ("x", "z", 0.3), ("y", "z", 0.8), ("z", "y", 0.12), steps=2)
    found = collection("yz", "x")
    ideals = ideal_documents(JudgedItems(found))
    schema = {"topic": pl.Int32(), "doc_id": pl.String(), "path": pl.String(), "start": pl.Int64(), "length": pl.Int64()}
    points = pl.DataFrame([(0, "x", None, None, None)], schema=schema, orient="row")
    routes = recorded.routes(points, ideals)
    reaching = dict(zip(ideals.frame["doc_id"].gather(routes.ideals).to_list(), routes.chances.tolist(), strict=True))
    assert reaching == pytest.approx({"y": 0.5 + 0.3 * 0.12, "z": 0.3 + 0.5 * 0.8})
    assert reaching == pytest.approx({"y": 0.536, "z": 0.7})
    # Section 3.3: both, by the simplifying hypothesis; as recorded; and by direct navigation alone.
    assert reaching["y"] * reaching["z"] == pytest.approx(0.3752)
    assert pytest.approx(0.436) == 0.5 * 0.8 + 0.3 * 0.12
    assert pytest.approx(0.15) == 0.5 * 0.3
    # One rank leads to both with .3752; the best list, y then z, has shown both after 1 + (1 - .8) ranks.
    assert score(EPRUM(navigation=recorded) @ 1, found) == pytest.approx(1.2 * 0.3752)


def test_figure_3() -> None:
    """The ranks lead 40, 60 and 100 % of users to a; .4, .76 and 1 of the users have then seen it."""
    led = [[Fraction(2, 5)], [Fraction(3, 5)], [Fraction(1)]]
    assert [reference.seen(led, k, 1) for k in (1, 2, 3)] == [[Fraction(2, 5)], [Fraction(19, 25)], [Fraction(1)]]
    to_a = web(("c", "a", 0.4), ("d", "a", 0.6))
    found = collection("a", "cda")
    for k, expected in ((1, 0.4), (2, 0.76), (3, 1.0)):
        assert score(EPRUMk(navigation=to_a) @ k, found) == pytest.approx(expected / k)


TABLE_1 = [[Fraction(2, 5), Fraction(2, 5)], [Fraction(3, 5), Fraction(2, 5)], [Fraction(1), Fraction(0)]]
"""The elements (a and b) to which ranks 1 (c), 2 (d) and 3 (a) lead."""


def scenarios() -> Iterator[tuple[str, Fraction]]:
    """Yields the ranks at which a and b are first seen, and the share of users."""
    for a, b in product((1, 2, 3), (1, 2, None)):
        chance = Fraction(1)
        for x, rank in ((0, a), (1, b)):
            for k, chances in enumerate(TABLE_1, start=1):
                if rank is None or k < rank:
                    chance *= 1 - chances[x]
                elif k == rank:
                    chance *= chances[x]
        yield f"a at {a}, b at {b}", chance


def test_the_nine_scenarios_of_table_1() -> None:
    assert {ranks: float(100 * share) for ranks, share in scenarios()} == {
        "a at 1, b at 1": 16.0,
        "a at 1, b at 2": 9.6,
        "a at 1, b at None": 14.4,
        "a at 2, b at 1": 14.4,
        "a at 2, b at 2": 8.64,
        "a at 2, b at None": 12.96,
        "a at 3, b at 1": 9.6,
        "a at 3, b at 2": 5.76,
        "a at 3, b at None": 8.64,
    }
    assert sum(share for _, share in scenarios()) == 1


@pytest.mark.parametrize(("wanted", "achieved", "precision"), [(1, 0.8056, 0.8056), (2, 0.3744, 0.7488)])
def test_the_key_example_of_section_4(wanted: int, achieved: float, precision: float) -> None:
    """The paper prints .81, and .74 for twice the rounded .37."""
    assert reference.achieved(TABLE_1, 2, wanted) == pytest.approx(Fraction(achieved))
    assert reference.simulated(TABLE_1, 2, wanted) == reference.achieved(TABLE_1, 2, wanted)
    navigation = web(("c", "a", 0.4), ("c", "b", 0.4), ("d", "a", 0.6), ("d", "b", 0.4))
    found = collection("ab", "cda")
    assert score(EPRUM(navigation=navigation) @ (wanted / 2), found) == pytest.approx(precision)
    # "far superior to the standard precision-recall estimates (0.333 and 0)"
    assert score(EPRUM @ (wanted / 2), found) == pytest.approx([1 / 3, 0.0][wanted - 1])


def lengths(order: str) -> list[Fraction]:
    """Returns P(F_k < 2) after each rank of the ranking a, b, c, in which a leads to b and c with .9 each."""
    ways = {"a": [Fraction(9, 10)] * 2, "b": [Fraction(1), Fraction(0)], "c": [Fraction(0), Fraction(1)]}
    return [reference.fewer([ways[point] for point in order], k, 2, 2) for k in range(1, len(order) + 1)]


def test_the_ideal_list_of_section_5() -> None:
    almost = web(("a", "b", 0.9), ("a", "c", 0.9))
    found = collection("bc", "abc")
    # 81 % see both after the first rank, 9 % after the second, 10 % after the third
    assert [float(one - other) for one, other in zip([Fraction(1), *lengths("abc")], lengths("abc"), strict=False)] == [0.81, 0.09, 0.1]
    efforts = expected_ranks(ideal_documents(JudgedItems(found)), almost, RunOptions(), False)
    np.testing.assert_allclose(efforts[0], [[0.0, 1.0, 1.29]])
    assert 1 + sum(lengths("bc")) == 2
    # A list that may repeat would do better under hypothesis 3.1; no list that the search returns repeats.
    assert 1 + sum(lengths("aabc")) == pytest.approx(Fraction("1.2199"))
    assert 1 + sum(lengths("a" * 30)) == pytest.approx(Fraction("1.2121"), abs=1e-4)
    # E[1/ML] is not 1/E[ML]: a list that leaves something to chance may pass 1, if only itself would do as well.
    assert score(EPRUM(navigation=almost) @ 1, found) == pytest.approx(1.29 * (0.81 + 0.09 / 2 + 0.1 / 3))


def normal_law(chances: FloatArray, need: int) -> float:
    """Returns P(F < need) by the normal distribution, with continuity correction."""
    deviation = math.sqrt(float((chances * (1 - chances)).sum()))
    return 0.5 * (1 + math.erf((need - 0.5 - float(chances.sum())) / deviation / math.sqrt(2)))


@pytest.mark.parametrize(
    ("chances", "least", "most"), [(np.full(10, 0.5), 0.0005, 0.003), (np.full(10, 0.05), 0.05, 0.1), (np.full(50, 0.05), 0.02, 0.05)]
)
def test_what_the_normal_law_would_have_cost(chances: FloatArray, least: float, most: float) -> None:
    """Section 5 considers ten elements enough for the normal approximation, which is true for probabilities of 1/2, but not for unlikely elements."""
    (law,) = survivals(chances[:, None], [len(chances)], len(chances))
    error = max(abs(1.0 - float(law[need - 1, 0]) - normal_law(chances, need)) for need in range(1, len(chances) + 1))
    assert least < error < most


def test_without_navigation_it_is_average_precision() -> None:
    """Section 2: TREC's precision at natural recall points."""
    found = collection("acfz", "abcdef")
    assert score(MAP, found) == pytest.approx((1 / 1 + 2 / 3 + 3 / 6) / 4)
    assert [score(EPRUM @ (wanted / 4), found) for wanted in (1, 2, 3, 4)] == pytest.approx([1, 2 / 3, 3 / 6, 0])


# ------------------------------------------------------------------------------------------------ from files to Figures 3 and 4

LINKS = '''import polars as pl

from inexmetrics import links


@links
def figure_3_of_a_file() -> pl.DataFrame:
    """Reads the links that readers follow."""
    return pl.read_csv({path!r})
'''


def test_from_files_to_figure_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Links, qrels and a run in files; 40, 60 and 100 % of the users are led to a by ranks 1 to 3."""
    (tmp_path / "links.csv").write_text("doc_id,to_doc_id,probability\nc,a,0.4\nd,a,0.6\n")
    (tmp_path / "model.py").write_text(LINKS.format(path=str(tmp_path / "links.csv")))
    (tmp_path / "judged.qrels").write_text("7 0 a 1\n7 0 c 0\n7 0 d 0\n")
    (tmp_path / "list.run").write_text("7 Q0 c 1 3.0 list\n7 Q0 d 2 2.0 list\n7 Q0 a 3 1.0 list\n")
    measures = " + ".join(f"EPRUMk(navigation=figure_3_of_a_file)@{k}" for k in (1, 2, 3))
    files = ["--assessments", str(tmp_path / "judged.qrels"), "--runs", str(tmp_path / "list.run"), "--use", str(tmp_path / "model.py")]
    assert main([f"scores({measures})", *files, "--format", "json"]) == 0
    means = {row["measure"]: row["mean"] for row in json.loads(capsys.readouterr().out)["tables"]["scores"]}
    assert [k * means[f"EPRUMk(navigation=figure_3_of_a_file)@{k}"] for k in (1, 2, 3)] == pytest.approx([0.4, 0.76, 1.0])


def test_from_files_to_figure_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Articles and assessments of INEX 2005 in files; nine runs that are more and more disturbed, under EPRUM and under EP/GR.

    Both are 1 where nothing moves. From m = .7 on and at a recall of .7, EP/GR is almost null and EPRUM is not.
    """
    random = np.random.Generator(np.random.PCG64(2006))
    for part in ("articles", "judged"):
        (tmp_path / part).mkdir()
    sections, paragraphs, letters = 3, 5, 40
    body = "".join(f"<sec>{''.join(f'<p>{chr(97 + p) * letters}</p>' for p in range(paragraphs))}</sec>" for _ in range(sections))
    for article in range(8):
        (tmp_path / "articles" / f"a{article}.xml").write_text(f"<article><bdy>{body}</bdy></article>")
    for topic in range(301, 309):
        files = []
        for article in range(8):
            chosen = random.random((sections, paragraphs)) < 0.2
            elements = []
            for s in range(sections):
                if found := int(chosen[s].sum()):
                    size, path = letters * paragraphs, f"/article[1]/bdy[1]/sec[{s + 1}]"
                    elements.append(f'<element path="{path}" exhaustivity="1" size="{size}" rsize="{found * letters}"/>')
                    elements += [
                        f'<element path="{path}/p[{p + 1}]" exhaustivity="2" size="{letters}" rsize="{letters}"/>'
                        for p in np.flatnonzero(chosen[s]).tolist()
                    ]
            files.append(f'<file collection="ieee" name="a{article}">{"".join(elements)}</file>')
        (tmp_path / "judged" / f"{topic}.xml").write_text(f'<assessments topic="{topic}" version="2">{"".join(files)}</assessments>\n')
    formula = "degradation(MAEPRUM(navigation=hierarchy) + iMAep ~ Gen5)"
    files = ["--assessments", str(tmp_path / "judged"), "--structure", str(tmp_path / "articles")]
    assert main([formula, *files, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["degradation"]
    values = {(row["measure"], row["move"], row["level"]): row["value"] for row in rows}
    eprum, gain = "MAEPRUM(navigation=hierarchy)", "iMAep"
    moves = sorted({move for _, move, _ in values})
    assert moves == pytest.approx([number / 10 for number in range(10)])
    assert len(values) == 2 * 10 * 101
    for measure in (eprum, gain):
        falling = [values[measure, move, None] for move in moves]
        assert falling[0] == pytest.approx(1.0)
        assert falling[-1] < falling[4] < falling[0]
    at = next(level for _, _, level in values if level is not None and abs(level - 0.7) < 1e-9)
    for move in moves[7:]:
        assert values[gain, move, at] < 0.001
        assert values[eprum, move, at] > 0.05
