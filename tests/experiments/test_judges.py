from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import (
    MAP,
    Agreement,
    BinExh,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Gen5,
    Judges,
    JudgesResult,
    MAep,
    agreement,
    assessor,
    from_frames,
    judges,
    nDCG,
    parse,
    pooled,
    run,
    sample,
    sampled,
    scores_from,
    sign,
    t,
    tukey,
    unadjusted,
)
from inexmetrics.cli import main
from inexmetrics.collection.assessors import by_assessor, judged_by
from inexmetrics.experiments.findings import with_short_names
from inexmetrics.experiments.judges_findings import finding_of_conclusions, finding_of_grades
from inexmetrics.experiments.paired_conclusions import OF_UNCONFIRMED

COLUMNS = [
    "measure",
    "judge",
    "truth",
    "topics",
    "judged",
    "kappa",
    "kappa_weighted",
    "alpha",
    "tau",
    "tau_ap",
    "n_judge",
    "n_truth",
    "n_both",
    "precision",
    "recall",
    "f1",
    "top_shared",
    "n_opposite",
    "n_overstated",
    "n_open",
    "n_same_direction",
    "precision_high",
]


def quietly(experiment: Judges, collection: Collection) -> JudgesResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return run(experiment, collection)


def judged(*rows: tuple[str, str, str, float]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")


# The truth's grades down, the judge's across: 0: 2 1 0; 1: 0 1 1; 2: 1 0 2. Document h is judged by one alone, and i by the other.
ANN = dict(zip("abcdefgh", (0, 0, 0, 1, 1, 2, 2, 2), strict=True))
BOB = dict(zip("abcdefgi", (0, 0, 1, 1, 2, 2, 0, 2), strict=True))
SMALL = judged(*(("1", "ann", doc, grade) for doc, grade in ANN.items()), *(("1", "bob", doc, grade) for doc, grade in BOB.items()))


# --- by hand


def test_grades_by_hand() -> None:
    result = run(judges(assessor("bob"), truth=assessor("ann")), from_frames(SMALL))
    assert result.judges.columns == COLUMNS
    row = result.judges.row(0, named=True)
    assert (row["measure"], row["judge"], row["truth"], row["topics"], row["judged"]) == (None, "bob", "ann", 1, 7)
    # 4 of 7 alike; bob gave 3, 2, 2 and ann 3, 2, 2 of the grades 0, 1, 2: p_e = (9 + 4 + 4) / 49
    assert row["kappa"] == pytest.approx((4 / 7 - 17 / 49) / (1 - 17 / 49))
    # (i-j)^2: observed 1 + 1 + 4 = 6; expected (1 (6 + 6 + 4 + 4) + 4 (6 + 6)) / 7 = 68/7
    assert row["kappa_weighted"] == pytest.approx(1 - 6 / (68 / 7))
    # Of 14 grades 6, 4, 4: delta_01 = 5^2, delta_12 = 4^2, delta_02 = 9^2
    observed, expected = 2 * (25 + 16 + 81), 2 * (24 * 25 + 16 * 16 + 24 * 81)
    assert row["alpha"] == pytest.approx(1 - 13 * observed / expected)
    assert [row[name] for name in COLUMNS[8:]] == [None] * 14
    assert result.grades.rows() == [
        ("bob", "ann", 0.0, 0.0, 2), ("bob", "ann", 0.0, 2.0, 1), ("bob", "ann", 1.0, 0.0, 1), ("bob", "ann", 1.0, 1.0, 1),
        ("bob", "ann", 2.0, 1.0, 1), ("bob", "ann", 2.0, 2.0, 1),
    ]  # fmt: skip
    assert result.tested is None


RANKED = {"x": "abc", "y": "bac", "z": "cab"}


def ranked(rows: pl.DataFrame) -> Collection:
    """Returns the judgements with three runs that retrieve a, b and c in different orders on every topic."""
    scores = {topic: {doc: -float(rank) for rank, doc in enumerate("abc")} for topic in rows["topic_id"].unique()}
    order = {name: dict(zip(docs, "abc", strict=True)) for name, docs in RANKED.items()}
    return from_frames(
        rows, {name: {topic: {doc: of[order[name][doc]] for doc in "abc"} for topic, of in scores.items()} for name in RANKED}
    )


@pytest.mark.filterwarnings(r"ignore:t\(tails=1\) . BY under MAP ~ .* significant differences are the same on all [26] topics")
def test_rankings_and_conclusions_by_hand() -> None:
    """On every topic, a is the only relevant document for the truth, b for ann, and a for eve."""
    relevant = {"truth": "a", "ann": "b", "eve": "a"}
    rows = [(topic, name, doc, float(doc == relevant[name])) for topic in "123456" for name in relevant for doc in "abc"]
    result = run(judges(MAP, (assessor("ann"), assessor("eve")), test=t(tails=1), truth=assessor("truth"), top=1), ranked(judged(*rows)))
    ann, eve = result.judges.iter_rows(named=True)
    assert (ann["topics"], ann["judged"]) == (6, 18)
    # The truth: x 1, y 1/2, z 1/2; ann: x 1/2, y 1, z 1/3. tau-b: of the pairs xy, xz, yz the second is alike, the first is not, and the
    # third is tied by the truth: (1 - 1) / sqrt(3 * 2) = 0.
    assert ann["tau"] == pytest.approx(0.0)
    # ann's order is y, x, z, and the truth's x, y, z or x, z, y: C(2) = 0, C(3) = 2 or 1
    assert ann["tau_ap"] == pytest.approx(2 / 2 * (0 / 1 + 1.5 / 2) - 1)
    # Without any variance p is 0: the truth finds x above y and z; ann finds y above x and z, and x above z
    assert [ann[name] for name in ("n_judge", "n_truth", "n_both")] == [3, 2, 1]
    # y above x is the opposite of the truth's x above y. Of y above z, the truth says that the two are equal: E - D is 2/3 on every topic.
    assert [ann[name] for name in OF_UNCONFIRMED] == [1, 1, 0, 0, 1 / 3]
    assert (ann["precision"], ann["recall"], ann["f1"], ann["top_shared"]) == (1 / 3, 1 / 2, pytest.approx(0.4), 0.0)
    assert [eve[name] for name in ("kappa", "kappa_weighted", "alpha", "tau", "tau_ap", "f1", "top_shared")] == pytest.approx([1.0] * 7)
    favour = "favour: two-tailed t, 3 hypotheses, corrected by BY at alpha = 0.05"
    overstated = "overstated: two-tailed t, 3 hypotheses, corrected by BY at alpha = 0.05"
    assert result.tested == f"t, one-tailed; 6 hypotheses, corrected by BY at alpha = 0.05; {overstated}; {favour}"
    assert result.finding.startswith(
        "Of 2 judges, the judge eve has the highest F1 with the truth (truth), a lead that resamples=1000 would test: it finds both significant differences"
    )


@pytest.mark.filterwarnings(r"ignore:t\(tails=1\) . BY under MAP ~ .* significant differences are the same on all [26] topics")
def test_the_best_runs_of_few_runs_are_all_and_show_nothing() -> None:
    rows = [(topic, name, doc, float(doc == "a")) for topic in "12" for name in ("ann", "bob") for doc in "ab"]
    row = run(judges(MAP, assessor("ann"), test=t(tails=1), truth=assessor("bob")), ranked(judged(*rows)))
    assert row.judges["top_shared"].to_list() == [None]


# --- as other experiments have it


def test_conclusions_and_rankings_are_those_of_agreement_and_correlation() -> None:
    names = ("second", "third", "fourth")
    asked = judges((MAP, nDCG @ 10), tuple(assessor(name) for name in names), test=t(tails=1), truth=assessor("first"))
    result = run(asked, sample())
    assert [(row["measure"], row["judge"]) for row in result.judges.iter_rows(named=True)] == [
        (measure, name) for measure in ("MAP", "nDCG@10") for name in names
    ]
    for row in result.judges.iter_rows(named=True):
        measure, judge, truth = parse(row["measure"]), assessor(row["judge"]), assessor("first")
        pair: Agreement = parse(f"agreement({measure} ~ {judge} + {truth} | t(tails=1))", Agreement)
        shared = run(pair, sample()).table.row(0, named=True)
        assert (row["n_judge"], row["n_truth"], row["n_both"]) == (shared["n_predictor"], shared["n_truth"], shared["n_both"])
        assert (row["precision"], row["recall"], row["f1"]) == (shared["precision"], shared["recall"], shared["f1"])
        for column, method in (("tau", "kendall"), ("tau_ap", "tau_ap")):
            ranked = run(f'correlation({measure} ~ {judge} + {truth}, of="runs", method="{method}")', sample())
            assert row[column] == ranked.table["coefficient"][0]
    assert result.grades.group_by("judge", maintain_order=True).agg(pl.col("count").sum()).rows() == [
        (name, result.judges.filter(judge=name)["judged"][0]) for name in names
    ]


def test_a_two_tailed_test_and_another_correction() -> None:
    row = run(judges(MAP, assessor("second"), test=tukey, truth=assessor("first")), sample()).judges.row(0, named=True)
    shared = run(agreement(assessor("second"), assessor("first"), measure=MAP, test=tukey), sample()).table.row(0, named=True)
    assert (row["n_judge"], row["n_truth"], row["n_both"]) == (shared["n_predictor"], shared["n_truth"], shared["n_both"])


def test_a_judge_who_judges_as_the_truth_does() -> None:
    twice = by_assessor({name: judged_by(sample().assessments, "first") for name in ("a", "b")})
    row = quietly(judges(MAP, assessor("a"), test=t(tails=1), truth=assessor("b")), Collection(twice, sample().runs)).judges.row(
        0, named=True
    )
    assert [row[name] for name in ("kappa", "kappa_weighted", "alpha", "tau", "tau_ap", "precision", "recall", "f1", "top_shared")] == (
        pytest.approx([1.0] * 9)
    )
    assert [row[name] for name in OF_UNCONFIRMED] == [0, 0, 0, 0, 1.0]


def test_a_choice_of_an_assessor_s_judgements_is_a_judge() -> None:
    result = quietly(
        judges(MAP, (sampled(0.5, assessor("second")), assessor("second")), test=t(tails=1), truth=pooled(20, assessor("first"))), sample()
    )
    assert result.judges["judge"].to_list() == ['sampled(0.5, assessor("second"))', "second"]
    assert set(result.judges["truth"]) == {'pooled(20, assessor("first"))'}
    half, whole = result.judges["judged"].to_list()
    assert half < 0.6 * whole
    alone = run(judges(sampled(0.5, assessor("second")), truth=assessor("second")), sample()).judges.row(0, named=True)
    assert alone["kappa"] == 1.0
    judgements = sample().assessments.assessors
    assert judgements is not None
    sizes = judgements.filter(assessor="second").group_by("topic_id").len()["len"]
    assert alone["judged"] == sum(math.ceil(0.5 * size - 1e-9) for size in sizes)


def test_assessors_of_elements_are_compared_by_their_documents() -> None:
    elements = sample().assessments.elements
    assert elements is not None
    other = elements.with_columns(pl.col("specificity") * 0.5)
    named = by_assessor({"a": from_frames(elements).assessments, "b": from_frames(other).assessments})
    collection = Collection(named, sample().runs)
    result = quietly(judges(MAep, assessor("a", Gen5), test=t(tails=1), truth=assessor("b", Gen5)), collection)
    # Elements were assessed in relevant documents alone: each has grade 1 by both.
    assert result.judges["kappa"].to_list() == [None]
    assert result.grades.select("judge_grade", "truth_grade").rows() == [(1.0, 1.0)]
    assert result.judges["tau"].to_list() == pytest.approx([1.0])


# --- what is undefined


def test_judges_who_share_no_document_are_warned_of() -> None:
    apart = from_frames(judged(("1", "ann", "a", 1.0), ("1", "ann", "c", 0.0), ("1", "bob", "b", 1.0), ("1", "cyd", "a", 0.0)))
    with pytest.warns(CollectionWarning, match="no document was judged by both bob and ann"):
        result = run(judges((assessor("bob"), assessor("cyd")), truth=assessor("ann")), apart)
    assert result.judges.select(COLUMNS[3:8]).rows() == [(0, 0, None, None, None), (1, 1, 0.0, 0.0, 0.0)]
    assert result.grades.rows() == [("cyd", "ann", 0.0, 1.0, 1)]
    alone = quietly(judges(assessor("bob"), truth=assessor("ann")), apart)
    assert alone.finding == "No document was judged both by ann and by bob."
    assert alone.grades.is_empty()


def test_grades_that_the_truth_never_gives_are_reported_once_a_judge() -> None:
    rows = [("1", name, doc, grade) for name in ("ann", "bob", "cyd") for doc, grade in zip("abcd", (0.0, 1.0, 2.0, 3.0), strict=True)]
    rows += [("2", "bob", "a", 10.0), ("2", "bob", "b", 5.0), ("2", "bob", "c", 5.0), ("2", "bob", "d", 2.0)]
    found = quietly(judges((assessor("bob"), assessor("cyd")), truth=assessor("ann")), from_frames(judged(*rows)))
    assert found.warnings == ("judge bob gives grades that the truth never gives: 5 (2 documents), 10 (1 document)",)


def test_one_grade_only() -> None:
    same = ranked(judged(*(("1", name, doc, 1.0) for name in ("ann", "bob") for doc in "abc")))
    result = run(judges(assessor("bob"), truth=assessor("ann")), same)
    assert result.judges.select("judged", "kappa", "kappa_weighted", "alpha").row(0) == (3, None, None, None)
    assert result.finding == "Neither ann nor bob gave more than one grade, so that agreement beyond chance is undefined."
    row = quietly(judges(MAP, assessor("bob"), test=t(tails=1), truth=assessor("ann")), same).judges.row(0, named=True)
    assert (row["n_judge"], row["n_truth"], row["n_both"], row["precision"], row["recall"], row["f1"]) == (0, 0, 0, 1.0, 1.0, 1.0)
    assert row["tau"] is None  # all runs have the same mean


def test_a_judge_who_finds_nothing_relevant() -> None:
    rows = [(topic, name, doc, float(doc == "a" and name == "ann")) for topic in "12345" for name in ("ann", "bob") for doc in "abc"]
    collection = ranked(judged(*rows))
    result = quietly(judges(MAP, assessor("bob"), test=t(tails=1), truth=assessor("ann")), collection)
    row = result.judges.row(0, named=True)
    assert [row[name] for name in ("topics", "tau", "tau_ap", "n_judge", "precision", "recall", "f1", "top_shared")] == [
        0, None, None, 0, None, 0.0, 0.0, None,
    ]  # fmt: skip
    assert row["kappa"] == 0.0
    assert any("5 topics are undefined" in warning for warning in result.warnings)
    nowhere = "(MAP is defined on 0 of the 5 topics under both)."
    assert result.finding == f"bob finds none of the {row['n_truth']} significant differences that ann finds {nowhere}"
    turned = quietly(judges(MAP, assessor("ann"), test=t(tails=1), truth=assessor("bob")), collection)
    claims = "Of the 2 significant differences of ann, bob confirms none and leaves 2 open, none of them in the same direction."
    assert turned.finding == f"ann finds {row['n_truth']} significant differences, and bob none {nowhere} {claims}"


def test_the_one_difference_that_a_judge_misses_is_said_as_one() -> None:
    row = {"measure": "MAP", "judge": "bob", "truth": "ann", "n_judge": 2, "n_truth": 1, "n_both": 0, "f1": 0.0, "tau": None}
    row |= {"topics": 5, "n_opposite": 0, "n_overstated": 1, "n_open": 1, "n_same_direction": 0}
    said = finding_of_conclusions([row], 5)
    assert said == (
        "bob does not find the one significant difference that ann finds. Of the 2 significant differences of bob, ann confirms none, "
        "finds 1 overstated and leaves 1 open, none of them in the same direction."
    )
    assert finding_of_conclusions([row | {"n_both": 1, "n_overstated": 0, "f1": 0.67}], 5).startswith(
        "bob finds the one significant difference that ann finds"
    )


def test_judges_that_agree_equally_well_are_named_together() -> None:
    row = {"measure": "MAP", "judge": "bob", "truth": "ann", "n_judge": 3, "n_truth": 4, "n_both": 2, "f1": 4 / 7, "tau": 0.5, "topics": 5}
    row |= {"n_opposite": 0, "n_overstated": 0, "n_open": 1, "n_same_direction": 1}
    eve, dan = row | {"judge": "eve"}, row | {"judge": "dan", "tau": 0.25}
    for rows in ([row, eve, dan], [dan, eve, row]):
        names = " and ".join(str(each["judge"]) for each in rows if each is not dan)
        best = f"Of 3 judges, {names} have the highest F1 with the truth (ann), 0.571 (Kendall's tau of the means 0.500)"
        assert finding_of_conclusions(rows, 5) == f"{best}, a lead that resamples=1000 would test."
        assert finding_of_conclusions(rows, 5, intervals=None) == f"{best}."  # the experiment has no intervals
    assert finding_of_conclusions([row, row | {"measure": "P@10"}], 5).startswith(
        "Under 2 measures, bob under MAP and bob under P@10 have the same F1 with the truth (ann)"
    )
    four = [row | {"judge": name} for name in ("bob", "eve", "dan", "ida")]
    assert finding_of_conclusions(four, 5).startswith("Of 4 judges, 4 of them have the same F1 with the truth (ann)")


def test_only_a_judge_that_the_intervals_tell_apart_agrees_best() -> None:
    row = {"measure": "MAP", "judge": "bob", "truth": "ann", "n_judge": 8, "n_truth": 6, "n_both": 5, "f1": 5 / 7, "tau": 0.5, "topics": 5}
    row |= {"n_opposite": 1, "n_overstated": 2, "n_open": 0, "n_same_direction": 0}
    eve = row | {"judge": "eve", "n_judge": 3, "n_both": 2, "f1": 4 / 9, "n_opposite": 0, "n_overstated": 0, "n_open": 1}
    against = " Of those of eve, ann finds none opposite or overstated."

    def said(*ends: tuple[float, float]) -> str:
        sure = zip(("bob", "eve"), ends, strict=False)
        of = {"measure": "MAP", "truth": "ann", "statistic": "f1"}
        intervals = [of | {"judge": name, "low": low, "high": high} for name, (low, high) in sure]
        finding = finding_of_conclusions([eve, row], 5, intervals=intervals)
        assert finding.endswith(f"finds the opposite of 1 and finds 2 overstated.{against}")
        return finding.partition(": it finds")[0]

    assert said() == "Of 2 judges, the judge bob has the highest F1 with the truth (ann), a lead that resamples=1000 would test"
    near = "Of 2 judges, the judge bob has the highest F1 with the truth (ann), but the intervals do not tell it from eve (F1 0.444)"
    assert said((0.5, 0.9), (0.2, 0.6)) == near
    assert said((0.6, 0.9), (0.2, 0.5)) == "Of 2 judges, the judge bob agrees best with the truth (ann) in conclusions"


@pytest.mark.parametrize(
    ("tau", "runs", "agrees"),
    [
        (0.2, 19, False),
        (0.4, 19, True),
        (0.6, 6, False),
        (0.6, 4, False),
        (1.0, 4, False),
        (1.0, 3, False),
        (1.0, 2, False),
        (1.0, 5, True),
        (-0.1, 0, False),
        (0.3, 0, True),
    ],
)
def test_a_ranking_by_chance_does_not_lead(tau: float, runs: int, agrees: bool) -> None:
    row = {"measure": "MAP", "judge": "bob", "truth": "ann", "n_judge": 0, "n_truth": 4, "n_both": 0, "f1": 0.0, "tau": tau, "topics": 5}
    row |= {"n_opposite": 0, "n_overstated": 0, "n_open": 0, "n_same_direction": 0}
    rows = [row, row | {"judge": "eve", "tau": tau - 0.1}]
    few = f" with only {runs} to rank" if 2 <= runs <= 4 else ""
    end = (
        f"ranking by bob has the highest Kendall's tau of the means ({tau:.3f}), a lead that resamples=1000 would test."
        if agrees
        else f"rankings do not agree significantly better than chance{few} (Kendall's tau of the means at most {tau:.3f})."
    )
    assert finding_of_conclusions(rows, 5, runs=runs).endswith(f" The {end}")
    if agrees:
        of = {"measure": "MAP", "truth": "ann", "statistic": "tau", "low": tau - 0.05, "high": tau + 0.02}
        near, far = ([of | {"judge": "bob"}, of | {"judge": "eve", "high": high}] for high in (tau - 0.05, tau - 0.06))
        assert finding_of_conclusions(rows, 5, runs=runs, intervals=near).endswith(
            f" The ranking by bob has the highest Kendall's tau of the means ({tau:.3f}), but the intervals do not tell it from eve (tau {tau - 0.1:.3f})."
        )
        assert finding_of_conclusions(rows, 5, runs=runs, intervals=far).endswith(
            f" The ranking by bob agrees best (Kendall's tau of the means {tau:.3f})."
        )
    chance = "" if agrees or not runs else f", not significantly better than chance{few}"
    assert f"(Kendall's tau of the means {tau:.3f}{chance})" in finding_of_conclusions([row], 5, runs=runs).replace("(0 %, ", "(")


def test_more_best_runs_than_runs_are_warned_of() -> None:
    rows = [(topic, name, doc, float(doc == "a")) for topic in "12" for name in ("ann", "bob") for doc in "ab"]
    found = [quietly(judges(MAP, assessor("ann"), truth=assessor("bob"), top=top), ranked(judged(*rows))) for top in (1, 10, 99)]
    runs = found[0].origin.runs
    told = [[warning for warning in result.warnings if "top_shared" in warning] for result in found]
    assert told == [[], [], [f"judges: top_shared is null, because there are only {runs} runs and top=99"]]
    assert [result.table["top_shared"].item() for result in found] == [1.0, None, None]
    at_all = quietly(judges(MAP, assessor("ann"), truth=assessor("bob"), top=runs), ranked(judged(*rows)))
    assert at_all.table["top_shared"].item() is None, "every run is among the best"


def test_a_judge_without_conclusions_on_either_side_is_not_compared() -> None:
    """Of a judge of few documents, neither the judge nor the truth finds anything: F1 is 1 by definition, and shows nothing."""
    row = {"measure": "MAP", "judge": "bob", "truth": "ann", "n_judge": 3, "n_truth": 4, "n_both": 2, "f1": 4 / 7, "tau": 0.5, "topics": 5}
    row |= {"n_opposite": 0, "n_overstated": 0, "n_open": 1, "n_same_direction": 1}
    silent = row | {"judge": "eve", "n_judge": 0, "n_truth": 0, "n_both": 0, "f1": 1.0, "tau": 0.9}
    assert finding_of_conclusions([silent, row], 5).startswith(
        "Of 2 judges, only the judge bob can be compared with the truth (ann) in conclusions: it"
    )
    assert finding_of_conclusions([silent, silent | {"judge": "dan", "tau": 0.1}], 5) == (
        "None of the 2 judges shares a significant difference with the truth (ann): the judges find none, and ann none: F1 is 1, because "
        "there was nothing to find. The ranking by eve has the highest Kendall's tau of the means (0.900), a lead that resamples=1000 would test."
    )


def test_only_grades_that_the_intervals_tell_apart_agree_best() -> None:
    graded = {"truth": "ann", "kappa": 0.4, "alpha": 0.5, "judged": 20, "topics": 2}
    rows = [graded | {"judge": "bob"}, graded | {"judge": "eve"}, graded | {"judge": "dan", "kappa": 0.1}]
    lead = "Of 3 judges, the grades of bob and eve have the highest Cohen's kappa with those of ann (0.400)"
    lowest = "; those of dan have the lowest (kappa 0.100)."
    assert finding_of_grades(rows) == f"{lead}, a lead that resamples=1000 would test{lowest}"
    ends = [{"judge": row["judge"], "truth": "ann", "statistic": "kappa", "low": 0.3, "high": 0.5} for row in rows]
    assert finding_of_grades(rows, ends) == f"{lead}, but the intervals do not tell them from dan (kappa 0.100){lowest}"
    assert finding_of_grades(rows, [*ends[:2], ends[2] | {"high": 0.2}]) == (
        "Of 3 judges, the grades of bob and eve agree best with those of ann (Cohen's kappa 0.400), those of dan least (kappa 0.100)."
    )
    assert finding_of_grades(rows[:2]) == "Of 2 judges, the grades of bob and eve have the same Cohen's kappa with those of ann (0.400)."


@pytest.mark.parametrize(("topics", "best"), [(1, "max"), (3, "max"), (4, "zoe")])
def test_a_judge_of_few_topics_is_not_named_as_the_best(topics: int, best: str) -> None:
    """Zoe judged as the truth does on some topics, and Max on all seven topics with faults."""
    relevant = {"ann": "aaaaaaa", "zoe": "a" * topics, "max": "aabbaba"}
    source = ranked(
        judged(*((str(n), name, doc, float(doc == one)) for name in relevant for n, one in enumerate(relevant[name]) for doc in "abc"))
    )
    both = (assessor("max"), assessor("zoe"))
    those = "among those on at least 4 topics, " if best == "max" else ""
    of_grades = quietly(judges(both, truth=assessor("ann")), source)
    grades = f"only the grades of {best} can be compared" if those else f"the grades of {best} have the highest Cohen's kappa"
    assert of_grades.finding.startswith(f"Of 2 judges, {those}{grades} with those of ann (")
    found = quietly(judges(MAP, both, truth=assessor("ann")), source)
    led = (
        "can be compared with the truth (ann) in conclusions"
        if those
        else "has the highest F1 with the truth (ann), a lead that resamples=1000 would test"
    )
    assert found.finding.startswith(f"Of 2 judges, {those}{'only ' if those else ''}the judge {best} {led}: it finds ")
    nothing = quietly(judges(MAP, both, test=sign, correction=unadjusted(alpha=0.001), truth=assessor("ann")), source)
    chance = r"not agree significantly better than chance with only 3 to rank \(Kendall's tau of the means"
    rests = rf" {those}the (ranking by {best} does {chance}|rankings do {chance} at most) [-.0-9]+\)\."
    assert re.fullmatch(rests, nothing.finding.partition("there was nothing to find.")[2], re.IGNORECASE)


def test_a_truth_that_differs_between_judges_is_warned_of() -> None:
    """Eve judged one document of each topic: on it alone, the truth finds nothing."""
    relevant = {"truth": "a", "ann": "a", "eve": "b"}
    rows = [
        (topic, name, doc, float(doc == relevant[name]))
        for topic in "123456"
        for name in relevant
        for doc in "abc"
        if name != "eve" or doc == "b"
    ]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = run(judges(MAP, (assessor("ann"), assessor("eve")), truth=assessor("truth")), ranked(judged(*rows)))
    said = "judges: each judge is compared on the topics and documents that it shares with truth; under MAP, truth finds 0 to 2 significant differences there"
    assert any(said in str(each.message) for each in told)
    assert result.finding.startswith("Of 2 judges, among those on at least 3 topics, only the judge ann can be compared with")


def test_judges_that_share_nothing_with_the_truth_do_not_agree_best() -> None:
    row = {"measure": "MAP", "judge": "bob", "truth": "ann", "n_judge": 15, "n_truth": 0, "n_both": 0, "f1": 0.0, "tau": 0.25, "topics": 5}
    row |= {"n_opposite": 1, "n_overstated": 3, "n_open": 11}
    nothing = {"judge": "eve", "n_judge": 0, "n_opposite": 0, "n_overstated": 0, "n_open": 0, "n_truth": 2, "tau": 0.5}
    assert finding_of_conclusions([row, row | nothing], 5) == (
        "None of the 2 judges shares a significant difference with the truth (ann): the judges find 0 to 15, and ann 0 to 2. "
        "Of those of a judge, ann finds 0 to 4 opposite or overstated and leaves 0 to 11 open. "
        "The ranking by eve has the highest Kendall's tau of the means (0.500), a lead that resamples=1000 would test."
    )
    assert finding_of_conclusions([row, row | {"measure": "P@10", "tau": None}], 5) == (
        "bob does not share a significant difference with the truth (ann) under any of 2 measures: bob finds 15, and ann none. "
        "Of those of bob, ann finds 4 opposite or overstated and leaves 11 open. "
        "The ranking by bob under MAP agrees with that of ann (Kendall's tau of the means 0.250)."
    )


def test_other_scales_are_compared_as_they_stand() -> None:
    """A scale of 0 to 100 is compared with a scale of 0 to 2: each grade is replaced by its position among all grades of both."""
    rows = [("1", "ann", doc, grade) for doc, grade in zip("abcd", (-1.0, 0.0, 1.0, 2.0), strict=True)]
    rows += [("1", "bob", doc, grade) for doc, grade in zip("abcd", (0.0, 50.0, 99.0, 100.0), strict=True)]
    row = quietly(judges(assessor("bob"), truth=assessor("ann")), from_frames(judged(*rows))).judges.row(0, named=True)
    assert row["judged"] == 3, "a negative grade is no judgement"
    # Places 0: 0, 1: 1, 2: 2, 50: 3, 99: 4, 100: 5; differences 3, 3, 3, over all pairs of one with the other
    expected = sum((i - j) ** 2 for i in (0, 1, 2) for j in (3, 4, 5)) / 3
    assert row["kappa_weighted"] == pytest.approx(1 - (9 + 9 + 9) / expected)


# --- formulas


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (judges(MAP, (assessor("a"), assessor("b")), truth=assessor("c")), 'judges(MAP ~ assessor("a") + assessor("b"), truth=assessor("c"))'),
        (judges(assessor("a"), truth=assessor("c")), 'judges(assessor("a"), truth=assessor("c"))'),
        (judges((assessor("a"), assessor("b")), truth=assessor("c")), 'judges(assessor("a") + assessor("b"), truth=assessor("c"))'),
        (
            judges((MAP, nDCG), assessor("a"), test=t(tails=1), truth=assessor("c"), top=5),
            'judges(MAP + nDCG ~ assessor("a") | t(tails=1), truth=assessor("c"), top=5)',
        ),
        (judges(MAP, assessor("a"), test=tukey, truth=assessor("c")), 'judges(MAP ~ assessor("a") | tukey, truth=assessor("c"))'),
        (
            judges(MAep, pooled(9, assessor("a", Gen5)), truth=assessor("c", Gen5)),
            'judges(MAep ~ pooled(9, assessor("a", Gen5)), truth=assessor("c", Gen5))',
        ),
    ],
)  # fmt: skip
def test_it_prints_as_it_parses(made: Judges, text: str) -> None:
    assert str(made) == text
    assert parse(text, Judges) == made


def test_other_spellings() -> None:
    text = 'judges(MAP ~ assessor("a") + assessor("b"), truth=assessor("c"))'
    for spelling in (
        "judges(MAP, (assessor('a'), assessor('b')), truth=assessor('c'))",
        "judges(measure=MAP, quantisation=(assessor('a'), assessor('b')), truth=assessor('c'), top=10)",
        "judges(MAP ~ assessor('a') + assessor('b') | BY | t, truth=assessor('c'))",
    ):
        assert str(parse(spelling)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('judges(MAP, truth=assessor("a"))', "judges: expected judgements of a named assessor, found none"),
        ('judges(MAP ~ 1, truth=assessor("a"))', "judges: expected judgements of a named assessor, found none"),
        ('judges(given("g1"), truth=given("g2"))', "judges: expected judgements of named assessors, found scores"),
        ('judges(MAP ~ pooled(3), truth=assessor("a"))', "judges: expected judgements of a named assessor, found pooled(3)"),
        ('judges(MAP ~ assessor("a"), truth=Gen5)', "judges: expected judgements of a named assessor, found Gen5"),
        (
            'judges(MAP ~ assessor("a"))',
            'judges: truth= is required: expected an assessor as the truth, as in truth=assessor("human"), found nothing',
        ),
        (
            'judges(MAP ~ assessor("a"), truth="b")',
            'judges: truth: expected an assessor as the truth, as in truth=assessor("human"), found "b"',
        ),
        (
            'judges(MAP ~ assessor("a"), truth=assessor("a"))',
            'judges: expected judges other than the truth, found assessor("a") as a judge and as the truth',
        ),
        (
            'judges(MAP ~ assessor("a", Gen5) + assessor("a", BinExh), truth=assessor("c", Gen5))',
            "judges: expected each judge once, found a twice",
        ),
        (
            'judges(MAep ~ assessor("a", Gen5), truth=assessor("c"))',
            'judges: expected the truth under the quantisation of the judges, found assessor("a", Gen5) and assessor("c")',
        ),
        (
            'judges(MAep ~ assessor("a"), truth=assessor("c"))',
            'judges: expected a quantisation for MAep, found assessor("a"), which only selects an assessor',
        ),
        (
            'judges(assessor("a") | t(tails=1), truth=assessor("c"))',
            "judges: expected only judges and truth, found t(tails=1)",
        ),
        (
            'judges(assessor("a"), truth=assessor("c"), top=3)',
            "judges: expected only judges and truth, found 3",
        ),
        (
            'judges(assessor("a", Gen5), truth=assessor("c", Gen5))',
            "judges: expected only judges and truth, found Gen5",
        ),
        (
            'judges(assessor("a"), assessor("b"), truth=assessor("c"))',
            'judges: expected a measure as the first argument, found assessor("a")',
        ),
        ('judges(MAP ~ assessor("a"), truth=assessor("c"), top=0)', "judges: top: expected an integer of at least 1, found 0"),
        ('scores(assessor("a"))', 'expected a measure, found the quantisation assessor("a")'),
    ],
)
def test_wrong_formulas(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ('judges(given("g1"), truth=given("g2"))', 'agreement(given("g1") + given("g2"))'),
        ('judges(given("g1") + given("g2"), truth=assessor("g3"))', 'agreement(given("g1") + given("g2") + given("g3"))'),
        ('judges(MAP ~ assessor("g1"), truth=given("g2"))', 'agreement(given("g1") + given("g2"))'),
    ],
)
def test_judges_of_scores(text: str, formula: str) -> None:
    with pytest.raises(FormulaError, match="expected judgements of named assessors, found scores") as caught:
        parse(text)
    assert caught.value.hint == f"write {formula}"
    assert str(parse(formula)) == formula


def test_quantisations_of_judges_that_differ_in_python() -> None:
    with pytest.raises(FormulaError, match="expected the truth under the quantisation of the judges"):
        judges(MAep, assessor("a", Gen5), truth=assessor("c", BinExh))


# --- data


def test_an_unknown_judge_is_probably_another() -> None:
    with pytest.raises(CollectionError, match="unknown assessor 'secnd'; did you mean second"):
        run(judges(MAP, assessor("secnd"), truth=assessor("first")), sample())


def test_runs_and_grades_are_needed() -> None:
    with pytest.raises(
        CollectionError, match="judges: expected runs, found only assessments; to compare grades, which needs no runs, omit the measure"
    ):
        run(judges(MAP, assessor("bob"), truth=assessor("ann")), from_frames(SMALL))
    with pytest.raises(CollectionError, match=r"pooled\(3.*\): expected runs to pool, found only assessments"):
        run(judges(pooled(3, assessor("bob")), truth=assessor("ann")), from_frames(SMALL))
    scored = scores_from(run("scores(MAP)", sample()).tables["per_topic"])
    with pytest.raises(CollectionError, match=r"judges: expected assessments, found scores by topic; agreement.* compares scores"):
        run(judges(MAP, assessor("bob"), truth=assessor("ann")), scored)
    with pytest.raises(CollectionError, match="expected at least two runs"):
        run(judges(MAP, assessor("second"), truth=assessor("first")), sample().only(runs="group01-a"))


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['judges(assessor("second") + assessor("third"), truth=assessor("first"))', "--format", "csv"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header == ",".join(COLUMNS)
    assert len(rows) == 2
    assert main(['judges(assessor("other"), truth=assessor("first"))']) == 1
    assert "unknown assessor 'other'" in capsys.readouterr().err


@pytest.mark.parametrize("measure", ["MAP ~ ", ""])
def test_the_chart_shows_every_judge(measure: str) -> None:
    result = run(f'judges({measure}assessor("second") + assessor("third"), truth=assessor("first"))', sample())
    _, spec = result.figure()
    assert str(spec).count("'second'") >= str(spec).count("'third'") > 0


def test_votes_of_a_crowd_as_others_compare_them(shared: Path) -> None:
    """Thirds of a crowd's votes as grades against its majority.

    With c the counts, g = c["n_relevant"] // 3 and h = (c["n_relevant"] >= 4).cast(int), by scikit-learn 1.9.1 and krippendorff 0.9.0:
    cohen_kappa_score(g, h), the same with weights="quadratic", krippendorff.alpha([g, h], level_of_measurement="ordinal").
    """
    counts = pl.read_csv(shared / "crowd_counts.csv.gz").select(
        topic_id=pl.col("topic").cast(pl.String), doc_id=pl.col("doc").cast(pl.String), votes="n_relevant"
    )
    thirds = counts.select("topic_id", "doc_id", assessor=pl.lit("thirds"), grade=pl.col("votes") // 3)
    majority = counts.select("topic_id", "doc_id", assessor=pl.lit("majority"), grade=(pl.col("votes") >= 4).cast(pl.Int64))
    both = from_frames(pl.concat([thirds, majority]))
    row = quietly(judges(assessor("thirds"), truth=assessor("majority")), both).judges.row(0, named=True)
    assert (row["topics"], row["judged"]) == (250, 23_554)
    assert (row["kappa"], row["kappa_weighted"], row["alpha"]) == pytest.approx(
        (0.5370298643324776, 0.6419113014694636, 0.6618963989111541), abs=1e-12
    )


def test_a_truth_that_is_a_formula_is_written_in_full() -> None:
    truth = 'estimated("nurses", judge=assessor("Mixtral-8x22B-Instruct-v0.1"))'
    row = {"measure": "P@3", "judge": "m" * 50, "truth": truth, "n_judge": 2, "n_truth": 3, "n_both": 2, "f1": 0.8, "tau": 0.5, "topics": 9}
    finding = with_short_names(finding_of_conclusions([row], 9), [pl.DataFrame([row])])
    assert f"that {truth} finds" in finding
    assert f"{'m' * 18}...{'m' * 19} finds" in finding
