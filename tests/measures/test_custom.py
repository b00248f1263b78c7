"""Custom measures: the arguments of the function, its valid return values, and pickling."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from inexmetrics import (
    Assessments,
    BinExh,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Judged,
    Measure,
    P,
    Runs,
    char_prec,
    char_rec,
    evaluator,
    from_frames,
    measure,
    run,
    sample,
    scores,
    threshold,
)
from inexmetrics.collection.schemas import ELEMENTS, RESULTS
from inexmetrics.common.arrays import FloatArray
from inexmetrics.ranking import JudgedRuns, batches
from inexmetrics.terms.lexicon import lexicon


@pytest.fixture
def evidence() -> JudgedRuns:
    """Returns topics 1 (gains .5 and .25), 2 (gain 1) and 3 (nothing relevant); run a answers all topics, b only topic 1."""
    judged = [("1", "d", 0.5), ("1", "e", 0.25), ("2", "d", 1.0), ("3", "d", 0.0)]
    elements = pl.DataFrame([(topic, doc, None, "2" if s else "0", s, 100) for topic, doc, s in judged], schema=ELEMENTS, orient="row")
    retrieved = [("a", "1", "x"), ("a", "1", "e"), ("a", "1", "d"), ("a", "2", "d"), ("a", "3", "d"), ("b", "1", "d")]
    names = {"run_id": pl.Enum(["a", "b"]), "topic_id": pl.Enum(["1", "2", "3"])}
    results = pl.DataFrame([(*row, None, None, None, None, None) for row in retrieved], schema={**names, **RESULTS}, orient="row")
    assessments = Assessments(elements=elements, scale="inex2005", topics=("1", "2", "3"))
    with pytest.warns(CollectionWarning, match="missing"):
        collection = Collection(assessments, Runs.of(results, {"a": "file", "b": "file"}))
    (batch,) = batches(collection)
    return batch


def evaluated(of: Measure, evidence: JudgedRuns) -> list[list[float]]:
    scores: list[list[float]] = of.evaluate(evidence, BinExh).tolist()
    return scores


def test_a_function_is_given_gains_by_rank_and_ideal_gains(evidence: JudgedRuns) -> None:
    calls: list[tuple[list[float], list[float]]] = []

    @measure
    def first_of_best(gains: NDArray[np.float64], ideal: NDArray[np.float64]) -> float:
        """The first gain, of the best."""
        calls.append((gains.tolist(), ideal.tolist()))
        return float(gains[0] / ideal[0])

    scores = evaluated(first_of_best, evidence)
    # Topic 1: x gains 0; b has d first, .5 of .5. Topic 2: 1 of 1; b does not answer. Topic 3 is undefined.
    np.testing.assert_array_equal(scores, [[0.0, 1.0, np.nan], [1.0, 0.0, np.nan]])
    assert calls == [([0.0, 0.25, 0.5], [0.5, 0.25]), ([0.5], [0.5, 0.25]), ([1.0], [1.0])]
    assert first_of_best.quantised == "required"
    assert lexicon.entries["first_of_best"].summary == "The first gain, of the best."


def test_values() -> None:
    @measure
    def mine(gains: FloatArray, ideal: FloatArray) -> float:
        return 0.0

    assert isinstance(mine, Measure)
    assert str(mine) == repr(mine) == "mine"
    assert lexicon.entries["mine"].value == mine == copy.deepcopy(mine)
    assert hash(mine) == hash(copy.copy(mine))
    assert mine.cut_rank is None
    with pytest.raises(pickle.PicklingError, match=r"^the measure mine cannot be pickled"):
        pickle.dumps(mine)


def test_numbers_of_any_kind_are_scores(evidence: JudgedRuns) -> None:
    @measure
    def relevant_results(gains: FloatArray, ideal: FloatArray) -> float:
        return int((gains > 0).sum())

    @measure
    def greatest(gains: FloatArray, ideal: FloatArray) -> float:
        found: float = gains.max()
        return found

    @measure
    def finds_any(gains: FloatArray, ideal: FloatArray) -> float:
        found: float = gains.max() > 0
        return found

    assert evaluated(finds_any, evidence)[0][:2] == [1.0, 1.0]
    assert evaluated(relevant_results, evidence)[0][:2] == [2.0, 1.0]
    assert evaluated(greatest, evidence)[0][:2] == [0.5, 1.0]


def test_scores_that_are_no_finite_numbers(evidence: JudgedRuns) -> None:
    @measure
    def undefined(gains: FloatArray, ideal: FloatArray) -> float:
        return float("nan") if len(gains) == 1 else 0.0

    @measure
    def endless(gains: FloatArray, ideal: FloatArray) -> float:
        return float("inf")

    def says(gains: FloatArray, ideal: FloatArray) -> str:
        return "good"

    def forgets(gains: FloatArray, ideal: FloatArray) -> None:
        return None

    cases = {
        undefined: r"^topic 1: undefined: expected a finite number as the score for run b, found nan$",
        endless: r"^topic 1: endless: expected a finite number as the score for run a, found inf$",
        measure(says): r'^topic 1: says: expected a finite number as the score for run a, found "good"$',  # type: ignore[arg-type]  # the mistake that is tested
        measure(forgets): r"^topic 1: forgets: expected a finite number as the score for run a, found nothing$",  # type: ignore[arg-type]  # the mistake that is tested
    }
    for of, message in cases.items():
        with pytest.raises(CollectionError, match=message):
            of.evaluate(evidence, BinExh)


def test_a_measure_of_documents_has_the_same_scores_in_a_loop() -> None:
    @measure(of="documents")
    def unjudged_and_found(grades: FloatArray, judged: FloatArray) -> float:
        """Twice the unjudged documents and the relevant ones, divided by all that were judged."""
        return float((2 * np.isnan(grades).sum() + (grades > 0).sum()) / len(judged))

    judgements = {"1": {"a": 2, "b": 0, "c": -1}, "2": {"a": 1}, "3": {"b": 1}}
    ranked = {"1": {"x": 3.0, "a": 2.0, "c": 1.0}, "2": {"a": 1.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluator((unjudged_and_found, P @ 2), judgements).per_topic(ranked)
        whole = run(scores((unjudged_and_found, P @ 2)), from_frames(judgements, {"x": ranked})).tables["per_topic"]
    assert found == {
        "1": {"unjudged_and_found": 2.5, "P@2": 0.5},
        "2": {"unjudged_and_found": 1.0, "P@2": 0.5},
        "3": {"unjudged_and_found": 0.0, "P@2": 0.0},
    }
    assert {(topic, name): score for topic, of in found.items() for name, score in of.items()} == {
        (topic, name): score for topic, name, score in whole.select("topic_id", "measure", "score").iter_rows()
    }


def test_functions_that_fail(evidence: JudgedRuns) -> None:
    @measure
    def second(gains: FloatArray, ideal: FloatArray) -> float:
        return float(gains[1])

    with pytest.raises(
        CollectionError, match=r"^topic 1: second: expected a score for run b, found IndexError: index 1 is out of bounds"
    ) as caught:
        second.evaluate(evidence, BinExh)
    assert isinstance(caught.value.__cause__, IndexError)


def test_gains_cannot_be_changed(evidence: JudgedRuns) -> None:
    @measure
    def careless(gains: FloatArray, ideal: FloatArray) -> float:
        gains[0] = 1.0
        return 1.0

    with pytest.raises(
        CollectionError, match=r"careless: expected a score for run a, found ValueError: assignment destination is read-only$"
    ):
        careless.evaluate(evidence, BinExh)


def test_a_quantisation_is_needed(evidence: JudgedRuns) -> None:
    @measure
    def gainful(gains: FloatArray, ideal: FloatArray) -> float:
        return 1.0

    with pytest.raises(FormulaError, match=r"^expected a quantisation for gainful, found none"):
        gainful.evaluate(evidence, None)


def test_functions_of_other_arguments() -> None:
    def of_gains(gains: FloatArray) -> float:
        return 0.0

    def of_three(gains: FloatArray, ideal: FloatArray, at: int) -> float:
        return 0.0

    def of_lists(gains: Sequence[str], ideal: FloatArray) -> float:
        return 0.0

    with pytest.raises(
        FormulaError, match=r"^of_gains: expected a function of two arrays, gains and ideal, found too many positional arguments$"
    ):
        measure(of_gains)  # type: ignore[arg-type]  # the mistake that is tested
    with pytest.raises(
        FormulaError, match=r"^of_three: expected a function of two arrays, gains and ideal, found missing a required argument: 'at'$"
    ):
        measure(of_three)  # type: ignore[arg-type]  # the mistake that is tested
    assert isinstance(measure(of_lists), Measure)  # type: ignore[arg-type]  # a mistake that only a type checker sees


CELL = """
@measure(of="documents")
def covered(grades, judged):
    return {}

"""


def test_a_cell_of_an_interactive_session_may_run_again() -> None:
    start = (
        "import warnings; warnings.simplefilter('ignore')\nfrom inexmetrics import *\nd = from_frames({'1': {'a': 1}}, {'1': {'a': 2.0}})\n"
    )
    cells = [CELL.format(value) + "print(run('scores(covered)', d).table['mean'].item())\n" for value in ("0.25", "0.25", "0.75")]
    told = subprocess.run([sys.executable, "-i"], input=start + "\n".join(cells), capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["0.25", "0.25", "0.75"]


def test_nothing_is_said_of_what_an_own_measure_is_among_relevant_documents() -> None:
    def seen(grades: FloatArray, judged: FloatArray) -> float:
        return float(judged.sum())

    own = measure(of="documents")(seen)
    with pytest.warns(CollectionWarning, match=r"unjudged: seen ranks only relevant documents$"):
        run(scores(own), from_frames({"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}))


def test_names() -> None:
    def MyMeasure(gains: FloatArray, ideal: FloatArray) -> float:
        return 0.0

    measure(MyMeasure)
    with pytest.raises(ValueError, match=r"^the name 'MyMeasure' is already used by a measure; choose another name$"):
        measure(MyMeasure)
    with pytest.raises(
        FormulaError, match=r"^measure: expected a function whose name is a word of letters, digits and '_', found <lambda>$"
    ):
        measure(lambda gains, ideal: 0.0)


FEW = sample().only(runs=["group01-a", "group02-a"])


class TestOfDocuments:
    """Document c was not judged, and d has a negative grade."""

    GRADES: ClassVar = {"1": {"a": 2, "b": 0, "d": -1, "e": 1, "f": 0}, "2": {"a": 0}}
    FOUND: ClassVar = {"r": {"1": {"c": 5.0, "a": 4.0, "b": 3.0, "d": 2.0}, "2": {"a": 1.0}}, "s": {"1": {"e": 1.0}}}

    def test_grades_by_rank_and_all_grades_of_the_topic(self) -> None:
        calls: list[tuple[list[float], list[float]]] = []

        @measure(of="documents")
        def last_grade(grades: FloatArray, judged: FloatArray) -> float:
            calls.append((grades.tolist(), judged.tolist()))
            return float(np.nan_to_num(grades)[-1] / judged[0])

        with pytest.warns(CollectionWarning):
            found = run(scores(last_grade), from_frames(self.GRADES, self.FOUND))
        assert found.table.select("run_id", "mean", "topics").rows() == [("s", 0.5, 1), ("r", 0.0, 1)]
        np.testing.assert_equal(calls, [([np.nan, 2.0, 0.0, np.nan], [2.0, 1.0, 0.0, 0.0]), ([1.0], [2.0, 1.0, 0.0, 0.0])])
        assert last_grade.quantised == "optional"

    def test_equal_to_measures_of_the_package(self) -> None:
        @measure(of="documents")
        def precision_of_five(grades: FloatArray, judged: FloatArray) -> float:
            return float((np.nan_to_num(grades[:5]) >= 1).sum() / 5)

        @measure(of="documents")
        def judged_of_five(grades: FloatArray, judged: FloatArray) -> float:
            return float((~np.isnan(grades[:5])).mean())

        own = run(scores((precision_of_five, judged_of_five), None), FEW).tables["per_topic"]["score"]
        theirs = run(scores((P @ 5, Judged @ 5)), FEW).tables["per_topic"]["score"]
        np.testing.assert_allclose(own.to_numpy(), theirs.to_numpy(), atol=1e-12)
        own = run(scores(precision_of_five, threshold(BinExh, 0.5)), FEW).tables["per_topic"]["score"]
        theirs = run(scores(P @ 5, threshold(BinExh, 0.5)), FEW).tables["per_topic"]["score"]
        np.testing.assert_allclose(own.to_numpy(), theirs.to_numpy(), atol=1e-12)

    def test_errors_name_function_run_and_topic(self) -> None:
        @measure(of="documents")
        def seventh(grades: FloatArray, judged: FloatArray) -> float:
            return float(grades[6])

        with (
            pytest.warns(CollectionWarning),
            pytest.raises(CollectionError, match=r"^topic 1: seventh: expected a score for run r, found IndexError: index 6"),
        ):
            run(scores(seventh), from_frames(self.GRADES, self.FOUND))


class TestOfResults:
    """In document a, the characters 10 to 20 and 50 to 60 are highlighted; document x was not assessed."""

    EVIDENCE: ClassVar = {"topic_id": ["1", "1"], "doc_id": ["a", "a"], "start": [10, 50], "length": [10, 10], "docchars": [100, 100]}

    def test_what_each_result_shows(self) -> None:
        calls: list[tuple[list[float], list[float], list[float], float]] = []

        @measure(of="results")
        def new_share(highlighted: FloatArray, new: FloatArray, sizes: FloatArray, total: float) -> float:
            calls.append((highlighted.tolist(), new.tolist(), sizes.tolist(), total))
            return float(np.nansum(new) / total)

        lists = {"topic_id": ["1"] * 4, "doc_id": ["a", "x", "a", "a"], "start": [0, 0, 15, None], "length": [17, 40, 10, None]}
        found = run(scores((new_share, char_rec)), from_frames(self.EVIDENCE, lists, whole_documents=True))
        np.testing.assert_equal(calls, [([7.0, np.nan, 5.0, 20.0], [7.0, np.nan, 3.0, 10.0], [17.0, 40.0, 10.0, 100.0], 20.0)])
        assert found.table["mean"].to_list() == [1.0, 1.0]
        assert new_share.quantised == "never"

    def test_equal_to_measures_of_the_package(self) -> None:
        @measure(of="results")
        def own_recall(highlighted: FloatArray, new: FloatArray, sizes: FloatArray, total: float) -> float:
            return float(np.nansum(new) / total)

        @measure(of="results")
        def own_precision(highlighted: FloatArray, new: FloatArray, sizes: FloatArray, total: float) -> float:
            return float(np.nansum(new) / sizes.sum())

        own = run(scores((own_precision, own_recall)), FEW).tables["per_topic"]["score"]
        theirs = run(scores((char_prec(repeated="counts"), char_rec)), FEW).tables["per_topic"]["score"]
        np.testing.assert_allclose(own.to_numpy(), theirs.to_numpy(), atol=1e-12)

    def test_functions_of_other_arguments(self) -> None:
        def of_two(highlighted: FloatArray, sizes: FloatArray) -> float:
            return 0.0

        expected = "three arrays and a number, highlighted, new, sizes and total"
        with pytest.raises(FormulaError, match=rf"^of_two: expected a function of {expected}, found too many positional arguments$"):
            measure(of="results")(of_two)  # type: ignore[arg-type]  # the mistake that is tested

    def test_other_kinds(self) -> None:
        with pytest.raises(FormulaError, match=r'^measure: of: expected "gains" or "documents" or "results", found "chunks"$'):
            measure(of="chunks")  # type: ignore[call-overload]  # the mistake that is tested


def test_own_measures_of_documents_on_any_scale_are_ranked_and_tested() -> None:
    """Measures of documents were refused as measures of coverage; conclusions do not depend on the scale."""

    def share(grades: FloatArray, judged: FloatArray) -> float:
        return float(np.sum(np.nan_to_num(grades[:10]) >= 1.0) / 10.0)

    def percent(grades: FloatArray, judged: FloatArray) -> float:
        return 100.0 * share(grades, judged)

    first, second = (measure(of="documents")(function) for function in (share, percent))
    data = sample().only(runs=[f"group0{number}-a" for number in range(1, 7)])
    for formula in (
        "ranks({})",
        "significance({} | t | Holm, margin={})",
        'versus("group02-a", {}, margin={})',
        "error_rate({}, splits=5)",
    ):
        found, other = (run(formula.format(of, margin), data) for of, margin in ((first, 0.06), (second, 6)))
        for name, table in found.tables.items():
            alike = pl.col(pl.Boolean, pl.String, pl.Int64).exclude("measure")
            assert table.select(alike).equals(other.tables[name].select(alike))
    means = (run(scores(of), data).table.select("mean", "low", "high").to_numpy() for of in (second, first))
    assert next(means) == pytest.approx(100.0 * next(means))
    planned = f'design({second} ~ assessor("second"), truth=assessor("first"), cost=1, topics=9)'
    with pytest.warns(CollectionWarning, match=r"^design: difference=0.05 is less than 1/500 of the range of the scores in percent"):
        run(planned, data)
