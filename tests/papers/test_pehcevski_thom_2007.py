"""Statements of Pehcevski & Thom (2007) that a program can recompute, and the same relations between the simulated runs of the sample."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
import pytest

from docs.beside_pehcevski_thom import TABLE_2
from inexmetrics import MAP, FidelityResult, MAgP, MAgPsize, fidelity, from_frames, gP, gR, gRsize, run, sample, scores
from inexmetrics.cli import main

PARTS: Final = ("S", "SL", "SLD", "SS", "SST")
RANKINGS: Final = ("R", "RS", "RI", "RSI")
MEASURES: Final = ("gP@1", "gP@2", "gP@10", "gR@1", "gR@2", "gR@10", "MAgP", "gRsize@1", "gRsize@2", "gRsize@10", "MAgPsize", "MAP")

# Table 1: the measures in the order of its columns; the runs in that of its lines.
TABLE_1 = """
    1.0000 1.0000 0.9763 0.0419 0.0838 0.3722 1.0000 0.2403 0.3661 0.7194 1.0000 1.0000
    1.0000 1.0000 0.9763 0.0419 0.0838 0.3722 1.0000 0.2403 0.3661 0.7194 1.0000 1.0000
    0.0000 0.5000 0.8833 0.0000 0.0419 0.3420 0.8954 0.0000 0.2403 0.6952 0.7647 0.8954
    0.0000 0.5000 0.8833 0.0000 0.0419 0.3420 0.8954 0.0000 0.1258 0.6952 0.7838 0.8954
    0.8584 0.8506 0.7830 0.0419 0.0838 0.3722 0.7976 0.2403 0.3661 0.7194 0.8314 1.0000
    0.8427 0.8506 0.7830 0.0419 0.0838 0.3722 0.7969 0.1258 0.3661 0.7194 0.8262 1.0000
    0.0000 0.4292 0.7136 0.0000 0.0419 0.3420 0.7113 0.0000 0.2403 0.6952 0.6289 0.8954
    0.0000 0.4213 0.7136 0.0000 0.0419 0.3420 0.7110 0.0000 0.1258 0.6952 0.6428 0.8954
    0.7935 0.7280 0.5664 0.0419 0.0838 0.3722 0.5352 0.2403 0.3661 0.7194 0.6719 1.0000
    0.6624 0.7280 0.5664 0.0419 0.0838 0.3722 0.5278 0.1258 0.3661 0.7194 0.6422 1.0000
    0.0000 0.3968 0.5241 0.0000 0.0419 0.3420 0.4700 0.0000 0.2403 0.6952 0.4931 0.8954
    0.0000 0.3312 0.5241 0.0000 0.0419 0.3420 0.4664 0.0000 0.1258 0.6952 0.4926 0.8954
    0.9578 0.9489 0.8693 0.0419 0.0838 0.3722 0.8687 0.2403 0.3661 0.7194 0.9194 1.0000
    0.9400 0.9489 0.8693 0.0419 0.0838 0.3722 0.8680 0.1258 0.3661 0.7194 0.9140 1.0000
    0.0000 0.4789 0.7905 0.0000 0.0419 0.3420 0.7742 0.0000 0.2403 0.6952 0.6966 0.8954
    0.0000 0.4700 0.7905 0.0000 0.0419 0.3420 0.7739 0.0000 0.1258 0.6952 0.7117 0.8954
    0.4942 0.4715 0.4518 0.0419 0.0838 0.3722 0.4589 0.2403 0.3661 0.7194 0.4722 1.0000
    0.4488 0.4715 0.4518 0.0419 0.0838 0.3722 0.4578 0.1258 0.3661 0.7194 0.4660 1.0000
    0.0000 0.2469 0.4118 0.0000 0.0419 0.3420 0.4093 0.0000 0.2403 0.6952 0.3578 0.8954
    0.0000 0.2243 0.4118 0.0000 0.0419 0.3420 0.4088 0.0000 0.1258 0.6952 0.3642 0.8954"""
MISPRINTS = {("SRS", "gRsize@1"): 0.1258, ("SSTRI", "gP@2"): 0.2471}

Means = Mapping[tuple[str, str], float]
"""Means by run and measure."""


def printed_means(*, corrected: bool) -> Means:
    rows = [[float(value) for value in line.split()] for line in TABLE_1.strip().splitlines()]
    runs = [parts + ranking for parts in PARTS for ranking in RANKINGS]
    printed = {(name, measure): value for name, row in zip(runs, rows, strict=True) for measure, value in zip(MEASURES, row, strict=True)}
    return {**printed, **MISPRINTS} if corrected else printed


def printed_orderings() -> pl.DataFrame:
    """Returns Table 2 with the column names of the library."""
    rows = []
    for place, measure in enumerate(("MAgP", "MAgPsize")):
        for line in re.sub(r"(?<= )-(?=\s)", "nan", TABLE_2).strip().splitlines():
            better, worse, *cells = line.split()
            difference, wins, ties, losses, p_value = cells[5 * place : 5 * place + 5]
            rows.append((better, worse, measure, float(difference) / 100, int(wins), int(ties), int(losses), float(p_value)))
    names = ["expected_better", "expected_worse", "measure", "difference", "wins", "ties", "losses", "p_value"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(pl.col("p_value").fill_nan(None))


@pytest.fixture(scope="module")
def on_sample() -> FidelityResult:
    measures = (gP @ 1, gP @ 2, gP @ 10, gR @ 1, gR @ 2, gR @ 10, MAgP, gRsize @ 1, gRsize @ 2, gRsize @ 10, MAgPsize, MAP)
    assert tuple(map(str, measures)) == MEASURES
    return run(fidelity(measures), sample())


def own_means(result: FidelityResult) -> Means:
    rows = result.tables["means"].iter_rows()
    return {(parts + ranking, measure): mean for parts, ranking, measure, mean in rows}


def violations(means: Means, rounding: float) -> set[tuple[str, str]]:
    """Returns the runs and measures for which a table of means violates the relations that hold for any collection."""
    found = set()

    def equal(at: tuple[str, str], value: float) -> None:
        if abs(means[at] - value) > rounding:
            found.add(at)

    for parts in PARTS:
        for measure in ("MAP", "gR@1", "gR@2", "gR@10", "gRsize@1", "gRsize@2", "gRsize@10"):
            for ranking in RANKINGS:  # documents are all that counts
                equal((parts + ranking, measure), means["SLD" + ranking, measure])
        # A swap of the first two documents changes nothing from rank 2 on.
        for measure in ("gP@2", "gP@10", "gR@1", "gR@2", "gR@10", "gRsize@2", "gRsize@10"):
            equal((parts + "RS", measure), means[parts + "R", measure])
        for swapped in ("", "S"):
            before, after = f"{parts}R{swapped}I", f"{parts}R{swapped}"
            for measure in ("gP@1", "gR@1", "gRsize@1"):
                equal((before, measure), 0.0)
            equal((before, "gP@2"), means[after, "gP@1"] / 2)
            equal((before, "gR@2"), means[after, "gR@1"])
            equal((before, "gRsize@2"), means[after, "gRsize@1"])
    for ranking in RANKINGS:  # the parts are perfect, so that AgP is average precision
        equal(("S" + ranking, "MAgP"), means["S" + ranking, "MAP"])
    return found


def test_relations_of_table_1() -> None:
    """The relations show exactly two misprints, together with values that must equal a misprinted value."""
    assert violations(printed_means(corrected=False), rounding=1.01e-4) == {*MISPRINTS, ("SRSI", "gRsize@2")}
    assert violations(printed_means(corrected=True), rounding=1.01e-4) == set()


def test_the_sample_has_these_relations(on_sample: FidelityResult) -> None:
    assert violations(own_means(on_sample), rounding=1e-12) == set()


def test_table_2_is_of_the_differences_of_table_1() -> None:
    """The values are rounded twice to four places, then once to the printed digits; the differences are signed, not absolute."""
    means = printed_means(corrected=True)
    table = printed_orderings()
    assert table.height == 72
    for row in table.iter_rows(named=True):
        difference = means[row["expected_better"], row["measure"]] - means[row["expected_worse"], row["measure"]]
        printed = row["difference"]
        unit = 0.01 if printed == 0 or abs(printed) >= 0.01 else 0.001 if abs(printed) >= 0.001 else 0.0001
        assert abs(difference - printed) <= unit / 2 + 1.01e-4, row
    assert table["difference"].min() == -0.02


@pytest.mark.parametrize("whose", ["paper", "sample"])
def test_relations_of_table_2(whose: str, on_sample: FidelityResult) -> None:
    own = on_sample.tables["orderings"].filter(pl.col("measure").is_in(["MAgP", "MAgPsize"]))
    table, topics = (printed_orderings(), 114) if whose == "paper" else (own.drop("upheld"), 29)
    assert set(table.select(pl.sum_horizontal("wins", "ties", "losses")).to_series()) == {topics}
    tied = table.filter(pl.col("ties") == topics)
    assert tied["p_value"].is_null().all()
    assert (tied["difference"] == 0).all()
    assert table.filter(pl.col("ties") < topics)["p_value"].null_count() == 0
    rows = {tuple(names): tuple(counts) for *names, _, wins, ties, losses, _ in table.iter_rows() for counts in [(wins, ties, losses)]}
    for parts in PARTS:
        # Behind a document that is not relevant, the swap changes AgP by half as much on each topic.
        assert rows[parts + "RI", parts + "RSI", "MAgP"] == rows[parts + "R", parts + "RS", "MAgP"]
        # A document that is not relevant costs every topic something.
        assert rows[parts + "R", parts + "RI", "MAgP"] == rows[parts + "RS", parts + "RSI", "MAgPsize"] == (topics, 0, 0)


def test_a_p_value_that_must_equal_another(on_sample: FidelityResult) -> None:
    """Differences halved on every topic have the same t, but the paper prints .4904 and .4896 for the two orderings of SST."""
    p_values = {
        tuple(names): p_value
        for *names, p_value in printed_orderings().select("expected_better", "measure", "expected_worse", "p_value").rows()
    }
    assert {parts: p_values[parts + "RI", "MAgP", parts + "RSI"] for parts in ("SL", "SLD", "SS")} == {
        parts: p_values[parts + "R", "MAgP", parts + "RS"] for parts in ("SL", "SLD", "SS")
    }
    assert p_values["SSTRI", "MAgP", "SSTRSI"] != p_values["SSTR", "MAgP", "SSTRS"]
    own = on_sample.tables["orderings"].filter(measure="MAgP").select("expected_better", "expected_worse", "p_value").rows()
    own_p = {(better, worse): p_value for better, worse, p_value in own}
    for parts in ("SL", "SLD", "SS", "SST"):
        assert own_p[parts + "RI", parts + "RSI"] == pytest.approx(own_p[parts + "R", parts + "RS"], rel=1e-9)


def test_the_orderings_are_the_papers(on_sample: FidelityResult) -> None:
    names = ["expected_better", "expected_worse", "measure"]
    own = on_sample.tables["orderings"].filter(pl.col("measure").is_in(["MAgP", "MAgPsize"]))
    assert own.select(names).equals(printed_orderings().select(names))


def test_footnote_1() -> None:
    """Behind the first document, a document that is not relevant does not reverse the order: equation 8 gives 0.85 and 0.783.

    As the first document it does: 0.6 and 0.633. The documents a, b and c have .5, .3 and .2 of the text.
    """
    shares = {"a": 50, "b": 30, "c": 20}
    marked = [("1", doc, 0, length, 100) for doc, length in shares.items()] + [("1", "z", None, None, 100)]
    passages = pl.DataFrame(marked, schema=["topic_id", "doc_id", "start", "length", "docchars"], orient="row")
    lists = {"first": "zabc", "first, swapped": "zbac", "second": "azbc", "second, swapped": "bzac"}
    found = [(name, "1", doc, 0, shares.get(doc, 100), float(-rank)) for name, docs in lists.items() for rank, doc in enumerate(docs)]
    runs = pl.DataFrame(found, schema=["run_id", "topic_id", "doc_id", "start", "length", "score"], orient="row")
    means = dict(run("scores(MAgPsize)", from_frames(passages, runs)).table.select("run_id", "mean").iter_rows())
    # the shares of the text times gP at the ranks of a, b and c
    by_hand = {"first": (0.5 / 2 + 0.3 * 2 / 3 + 0.2 * 3 / 4), "first, swapped": (0.3 / 2 + 0.5 * 2 / 3 + 0.2 * 3 / 4)}
    by_hand |= {"second": 0.5 + 0.3 * 2 / 3 + 0.2 * 3 / 4, "second, swapped": 0.3 + 0.5 * 2 / 3 + 0.2 * 3 / 4}
    assert means == pytest.approx(by_hand)
    assert {name: round(mean, 3) for name, mean in means.items()} == {
        "first": 0.6, "first, swapped": 0.633, "second": 0.85, "second, swapped": 0.783,
    }  # fmt: skip


def test_equation_11_equals_agp_where_all_is_retrieved() -> None:
    """gR' of the whole list is 1 there; with one of two documents missing, eq. 11 is its share of the text times the mean gP."""
    marked = pl.DataFrame({"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [60, 20], "docchars": [100, 100]})
    rows = [("both", "z"), ("both", "b"), ("both", "a"), ("one", "a")]
    found = [(name, "1", doc, 0, 80, float(-rank)) for rank, (name, doc) in enumerate(rows)]
    runs = pl.DataFrame(found, schema=["run_id", "topic_id", "doc_id", "start", "length", "score"], orient="row")
    table = run("scores(MAgP + MAgPsize11)", from_frames(marked, runs)).table
    mean = {(name, measure): value for name, measure, value in table.select("run_id", "measure", "mean").iter_rows()}
    assert mean["both", "MAgPsize11"] == pytest.approx(mean["both", "MAgP"])
    f = 2 * (60 / 80) * 1 / (60 / 80 + 1)
    assert mean["one", "MAgP"] == pytest.approx(f / 2)
    assert mean["one", "MAgPsize11"] == pytest.approx(60 / 80 * f)


def test_gp_past_the_end_of_a_list() -> None:
    """SR has gP[10] = .9763 = 1113/1140: 114 topics have 1113 relevant documents in their first ten ranks, and all are perfect."""
    assert round(1113 / 1140, 4) == 0.9763
    # 107 topics with ten documents and more, and seven with 43 among them: 6 of 6 and one of 7.
    counts = [10] * 107 + [6] * 6 + [7]
    assert (len(counts), sum(counts)) == (114, 1113)
    marked = [(f"{topic:03d}", f"d{number}", 0, 10) for topic, count in enumerate(counts) for number in range(count)]
    passages = pl.DataFrame(marked, schema=["topic_id", "doc_id", "start", "length"], orient="row")
    perfect = run(scores(gP @ 10), from_frames(passages, passages))
    assert perfect.table["mean"].item() == pytest.approx(1113 / 1140, abs=1e-12)


def test_shares_of_text_by_hand() -> None:
    """Section 4's finding in three documents with .5, .3 and .2 of the text: eq. 8 prefers the swap after a document that is not relevant."""
    shares = {"a": 50, "b": 30, "c": 20}
    marked = [("1", doc, 0, length, 100) for doc, length in shares.items()] + [("1", "z", None, None, 100)]
    passages = pl.DataFrame(marked, schema=["topic_id", "doc_id", "start", "length", "docchars"], orient="row")
    structure = pl.DataFrame({"doc_id": list(shares), "path": "/article[1]", "start": 0, "length": 100})
    result = run("fidelity(MAgP + MAgPsize + MAgPsize11)", from_frames(passages, structure=structure))
    found = {(ranking, measure): mean for parts, ranking, measure, mean in result.table.iter_rows() if parts == "S"}
    # 1/2, 2/3 and 3/4 at the ranks of the relevant documents
    for measure, before, swapped in (("MAgP", 23 / 36, 23 / 36), ("MAgPsize", 0.6, 19 / 30), ("MAgPsize11", 23 / 36, 23 / 36)):
        assert [found["RI", measure], found["RSI", measure]] == pytest.approx([before, swapped])
    assert np.allclose([found[ranking, measure] for ranking in ("R", "RS") for measure in ("MAgP", "MAgPsize", "MAgPsize11")], 1)


# ------------------------------------------------------------------------------------------------ from files to Tables 1 and 2


def test_from_a_file_of_passages_to_tables_1_and_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Assessments in the format of INEX 2006 and XML documents give the runs, Table 1 (20 runs) and Table 2 (36 orderings and their tests).

    Document a has its second and third paragraph highlighted, b its first, and z nothing. Every paragraph has 10 characters.
    """
    (tmp_path / "articles").mkdir()
    for name, paragraphs in {"a": 4, "b": 2, "z": 3}.items():
        text = "".join(f"<p>{'x' * 10}</p>" for _ in range(paragraphs))
        (tmp_path / "articles" / f"{name}.xml").write_text(f"<article><bdy>{text}</bdy></article>")
    topics = ["401", "402", "403"]
    lines = [f"{topic} Q0 a 20 40 10 10:20\n{topic} Q0 b 10 20 0 0:10\n{topic} Q0 z 0 30\n" for topic in topics]
    (tmp_path / "inex.qrels").write_text("".join(lines))
    files = ["--assessments", str(tmp_path / "inex.qrels"), "--structure", str(tmp_path / "articles")]
    assert main(["fidelity(MAgP + MAgPsize + MAP + gP@1)", *files, "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    means = {(row["parts"] + row["ranking"], row["measure"]): row["mean"] for row in tables["means"]}
    assert len(means) == 20 * 4
    # S: exactly the highlighted text; SLD: F of a is 2 (1/2) 1 / (3/2) = 2/3, and of b as well
    assert means["SR", "MAgP"] == means["SR", "gP@1"] == means["SR", "MAP"] == 1.0
    assert means["SLDR", "MAgP"] == pytest.approx(2 / 3)
    # the smallest element around both paragraphs of a is its body, and that around the paragraph of b the paragraph
    assert means["SLR", "gP@1"] == pytest.approx(2 / 3)
    assert means["SLR", "MAgP"] == pytest.approx((2 / 3 + (2 / 3 + 1) / 2) / 2)
    assert means["SLRS", "MAgP"] == pytest.approx((1 + (2 / 3 + 1) / 2) / 2)
    assert means["SSR", "MAgP"] == means["SSTR", "MAgP"] == 1.0
    # z first: gP is 0, 1/2 and 2/3
    assert means["SRI", "MAgP"] == means["SRI", "MAP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    # eq. 8: a has 2/3 of the text
    assert means["SRI", "MAgPsize"] == pytest.approx(2 / 3 * 1 / 2 + 1 / 3 * 2 / 3)
    assert means["SRSI", "MAgPsize"] == pytest.approx(1 / 3 * 1 / 2 + 2 / 3 * 2 / 3)
    orderings = {(row["expected_better"], row["expected_worse"], row["measure"]): row for row in tables["orderings"]}
    assert len(orderings) == 36 * 4
    assert {(one, other) for one, other, _ in orderings} == {(row[0], row[1]) for row in printed_orderings().rows()}
    swapped = orderings["SRI", "SRSI", "MAgPsize"]  # section 4: the swap is preferred behind a document that is not relevant
    assert (swapped["wins"], swapped["ties"], swapped["losses"], swapped["upheld"]) == (0, 0, 3, False)
    assert orderings["SRI", "SRSI", "MAgP"]["ties"] == 3
    assert all(row["upheld"] for (_, _, measure), row in orderings.items() if measure == "MAP")
