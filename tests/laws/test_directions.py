"""A measure whose lower scores are better leads to the conclusions of its negated scores, and keeps the signs of its scores."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import polars.selectors as cs
import pytest

from inexmetrics import CollectionError, FormulaError, Result, Scores, Scoring, Significance, given, parse, run, scores, scores_from, versus
from inexmetrics.experiments.opponents import rows_unmet
from inexmetrics.report.charts.drawing import specification
from tests.examples import EXAMPLES
from tests.experiments.test_findings import ASKED

pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")

FORMULAS = (
    *ASKED,
    'significance({m} + {o} | t | Holm, best_of="([a-c]).*")',
    'significance({m} | t(tails=1) | Holm, pairs="observed")',
    "significance({m} | wilcoxon)",
    "significance({m} | randomisation(b=200))",
    "significance({m} | tukey(b=99))",
    "significance({m} | stepdown(b=99))",
    'significance({m} | t(clusters="dataset"), margin=1)',
    "agreement({m} ~ topics(5) + 1, draws=2, fresh=True, at_least=0.5)",
    'agreement({m} + {o} ~ topics(6) + 1, of="conditions", margin=3)',
    'meta({m}, within="dataset")',
    'meta({m} + {o}, within="dataset")',
    'versus("a", {m}, margin=3)',
    'versus("c", {m} | bootstrap(b=99) | Holm)',
    'correlation({m} + {o}, method="spearman", top=4)',
    "ranks({m} | wilcoxon | Holm)",
    "power({m}, difference=(0.5, 2), topics=(5, 9))",
    'calibration({m}, tests=t, boards=5, null="means")',
)
OTHERS = tuple(f"{word}({{m}})" for word in EXAMPLES if not any(formula.startswith(f"{word}(") for formula in FORMULAS))
"""Other experiments, which may not be evaluated on scores, or not on a measure alone."""
LOWER, HIGHER = 'given("m", better="lower")', 'given("m")'


def board(seed: int = 5) -> Scores:
    """Returns scores of five runs on twelve topics under the measures m and o; the runs b and c have equal means under m."""
    rng = np.random.default_rng(seed)
    m = rng.integers(0, 40, (5, 12)) / 4 + np.array([[0.0], [3.0], [3.0], [6.0], [1.0]])
    m[2] = m[1][::-1]
    m[:, 7] = np.nan  # the measure is undefined on one topic
    o = rng.integers(0, 5, (5, 12)) / 4
    of_topic = tuple("xyz"[place // 4] for place in range(12))
    return Scores(
        ("a", "b", "b2", "c", "c2"),
        tuple(f"t{place:02}" for place in range(12)),
        {("m", "1"): m, ("o", "1"): o},
        clusters={"dataset": of_topic},
    )


def negated(source: Scores) -> Scores:
    matrices = {texts: -matrix if texts[0] == "m" else matrix for texts, matrix in source.matrices.items()}
    return Scores(source.runs, source.topics, matrices, clusters=source.clusters)


def asked(formula: str, m: str) -> str:
    return formula.format(m=m, o='given("o")')


def same(table: pl.DataFrame, of_negated: pl.DataFrame, result: Result, name: str) -> None:
    """Checks a table of lower-is-better scores against the table of the negated scores."""
    renamed = of_negated.with_columns(
        pl.col(column).cast(pl.String).str.replace_all(HIGHER, LOWER, literal=True)
        for column, dtype in of_negated.schema.items()
        if dtype == pl.String
    )
    assert table.columns == renamed.columns
    declared = result.stated[name].columns(table.columns)
    for column in table.columns:
        found, expected = table[column].to_list(), renamed[column].to_list()
        other = declared[column].negated
        if not other:
            assert found == expected, (
                f"{column} of {name} changes with the sign of the scores: declare negated=, also at the other end of a range"
            )
            continue
        about = renamed["measure"].to_list() if declared[column].of == "measure" else renamed[declared[column].of].to_list()
        measures = renamed["measure"].to_list() if "measure" in renamed.columns else [None] * renamed.height
        signs = [-1.0 if LOWER in f"{text} {measure}" else 1.0 for text, measure in zip(about, measures, strict=True)]
        ends = renamed[other].to_list()
        for value, sign, here, there in zip(found, signs, expected, ends, strict=True):
            wanted = here if sign > 0 or there is None else -there
            assert value == wanted, f'{column} of {name}: expected what negated="{other}" declares of negated scores'
            assert value != 0.0 or sign > 0 or math.copysign(1.0, value) == 1.0, "a negative zero"


def odd(table: pl.DataFrame, of_negated: pl.DataFrame) -> Iterator[str]:
    """Yields the columns of numbers whose values change their signs with all scores."""
    for column in table.select(cs.float()).columns:
        values, others = (sorted(each[column].drop_nulls().to_list()) for each in (table, of_negated))
        if values != others and values == sorted(0.0 - value for value in others):
            yield column


@pytest.mark.parametrize("formula", dict.fromkeys((*FORMULAS, *OTHERS)))
def test_conclusions_are_those_of_the_negated_scores(formula: str) -> None:
    source = board()
    try:
        higher = run(asked(formula, HIGHER), source)
    except (CollectionError, FormulaError):
        assert formula in OTHERS
        return
    result, of_negated = run(asked(formula, LOWER), source), run(asked(formula, HIGHER), negated(source))
    assert list(result.tables) == list(of_negated.tables)
    for name, table in result.tables.items():
        same(table, of_negated.tables[name], result, name)
        if "{o}" not in formula:
            for column in odd(higher.tables[name], of_negated.tables[name]):
                assert result.stated[name].columns(table.columns)[column].negated, (
                    f"{column} of {name} has the sign of the scores: declare negated="
                )
    of_one_scale = [warning for warning in of_negated.warnings if "overstated differences were not tested" in warning]  # of one direction
    assert [*(warning.replace(LOWER, HIGHER) for warning in result.warnings), *of_one_scale] == list(of_negated.warnings)
    assert result.origin.lower == (LOWER,)
    assert "lower is better: m" in str(result)
    again = pickle.loads(pickle.dumps(result))
    assert all(again.tables[name].equals(table) for name, table in result.tables.items())


@pytest.mark.parametrize("formula", ["ranks({m})", "ranks({m} + {o})", "agreement({m} + {o} | t)", 'versus("a", {m})', "reliability({m})"])
def test_findings_without_scores_are_those_of_the_negated_scores(formula: str) -> None:
    source = board()
    finding = run(asked(formula, LOWER), source).finding
    assert finding.replace(LOWER, HIGHER) == run(asked(formula, HIGHER), negated(source)).finding


def test_findings_name_the_lowest_mean_as_the_best() -> None:
    source = Scores(("a", "b", "c"), ("1", "2"), {("m", "1"): np.array([[4.0, 6.0], [7.0, 9.0], [1.0, 2.0]]), ("o", "1"): np.ones((3, 2))})
    assert run(asked("scores({m})", LOWER), source).finding.startswith(
        f"Of 3 runs, c has the lowest mean {LOWER}, 1.500; the highest is 8.000"
    )
    assert "the best mean" in run(asked("scores({m} + {o})", LOWER), source).finding
    assert "between a and b, is -3.000" in run(asked("significance({m})", LOWER), source).finding


def orders(spec: object) -> Iterator[list[object]]:
    """Yields the orders of rows and columns in a chart."""
    if isinstance(spec, dict):
        for name, value in spec.items():
            if name in ("sort", "domain") and isinstance(value, list) and all(isinstance(each, str) for each in value):
                yield value
            yield from orders(value)
    elif isinstance(spec, list):
        for each in spec:
            yield from orders(each)


def verdicts(spec: object) -> Iterator[tuple[object, object]]:
    """Yields the opponent and the verdict of each row of data that has both."""
    if isinstance(spec, dict):
        if "verdict" in spec and "opponent" in spec:
            yield spec["opponent"], spec["verdict"]
        for value in spec.values():
            yield from verdicts(value)
    elif isinstance(spec, list):
        for each in spec:
            yield from verdicts(each)


@pytest.mark.parametrize(
    "formula",
    [
        "scores({m} + {o})", "ranks({m})", "significance({m} + {o})", "agreement({m} + {o})", 'versus("a", {m} + {o})',
        "correlation({m} + {o}, top=4)", 'meta({m}, within="dataset")',
    ],
)  # fmt: skip
def test_charts_have_the_orders_and_verdicts_of_the_negated_scores(formula: str) -> None:
    source = board()
    drawn, of_negated = (
        json.loads(
            json.dumps(specification(run(asked(formula, m), of))).replace('better=\\\\\\"lower', "").replace(m.replace('"', '\\"'), "M")
        )
        for m, of in ((LOWER, source), (HIGHER, negated(source)))
    )
    assert list(orders(drawn)) == list(orders(of_negated))
    assert list(verdicts(drawn)) == list(verdicts(of_negated))


def test_a_gate_goes_by_the_direction() -> None:
    source = Scores(("a", "b", "c"), ("1", "2", "3"), {("m", "1"): np.array([[4.0, 4.1, 4.2], [7.0, 7.2, 7.3], [1.0, 1.1, 1.3]])})
    result = run(versus("a", given("m", better="lower")), source)
    assert result.unmet("better")["opponent"].to_list() == ["c"]
    assert rows_unmet(run(versus("a", given("m")), source).table, "better", (), frozenset())["opponent"].to_list() == ["b"]


def test_the_lowest_mean_is_bold_and_marks_say_lower() -> None:
    source = board()
    result, alone = (run(parse(asked(formula, LOWER), Scoring), source) for formula in ("scores({m} + {o})", "scores({m})"))
    marks, of_alone = (
        run(parse(asked(formula, LOWER), Significance), source) for formula in ("significance({m} + {o})", "significance({m})")
    )
    best = min(result.table.filter(measure=LOWER)["mean"].to_list())
    assert rf"\textbf{{{best:.4f}}}" in result.to_latex()
    assert "the best in bold" in result.to_latex()
    assert "significantly better than the runs with these letters" in result.to_text() + result.to_markdown(marks=marks)
    assert "the lowest in bold" in alone.to_latex()
    assert "significantly lower than the runs with these letters" in alone.to_markdown(marks=of_alone)


class TestStatedBySource:
    def source(self) -> Scores:
        plain = board()
        return Scores(plain.runs, plain.topics, plain.matrices, clusters=plain.clusters, directions={"m": "lower"})

    @pytest.mark.parametrize("formula", ["ranks({m})", "scores({m} + {o})", "agreement({m} + {o})", 'versus("a", {m})'])
    def test_a_stated_direction_is_used_and_said(self, formula: str) -> None:
        stated, written = run(asked(formula, HIGHER), self.source()), run(asked(formula, LOWER), board())
        for name, table in stated.tables.items():
            numbers = [column for column, dtype in table.schema.items() if dtype.is_numeric()]
            assert table.select(numbers).equals(written.tables[name].select(numbers))
        assert "lower is better: m" in str(stated)
        assert json.loads(stated.to_json())["collection"]["lower_is_better"] == [HIGHER]

    def test_another_direction_is_an_error(self) -> None:
        with pytest.raises(CollectionError, match=r'given\("m", better="higher"\): expected a measure whose lower scores are better'):
            run(scores(given("m", better="higher")), self.source())
        run(scores(given("o", better="higher")), self.source())

    def test_parts_of_the_scores_keep_the_direction(self) -> None:
        source = self.source()
        for part in (
            source.only(runs=["a", "b", "c"]),
            source.by_system({"x": ["a", "b"], "y": ["b2", "c", "c2"]}),
            source.complete("drop-topics"),
        ):
            assert run(scores(given("m")), part).origin.lower == (HIGHER,)
        assert source.fingerprint != board().fingerprint

    def test_a_direction_of_an_unknown_measure_is_an_error(self) -> None:
        plain = board()
        with pytest.raises(CollectionError, match='expected the direction of a measure with scores, found the direction of "q"'):
            Scores(plain.runs, plain.topics, plain.matrices, directions={"q": "lower"})

    def test_written_scores_are_read_with_their_direction(self, tmp_path: Path) -> None:
        run(asked("scores({m})", LOWER), board()).named("per_topic").write_csv(tmp_path / "part.csv")
        read = scores_from(tmp_path / "part.csv")
        assert read.directions == {"m": "lower"}
        assert run('ranks(given("m"))', read).table["mean"].is_sorted()

    def test_two_tables_that_disagree_are_an_error(self, tmp_path: Path) -> None:
        for run_id, better in (("a", "lower"), ("b", "higher")):
            name = f'given("loss", better="{better}")'
            pl.DataFrame({"run_id": run_id, "topic_id": ["1", "2"], "measure": name, "score": [1.0, 2.0]}).write_csv(
                tmp_path / f"{run_id}.csv"
            )
        with pytest.raises(CollectionError, match="expected lower scores of loss to be better"):
            scores_from([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_text_of_a_direction() -> None:
    for text in ('given("x", better="lower")', 'given("x", better="higher")', 'given("x")'):
        assert str(parse(text)) == text
    with pytest.raises(FormulaError, match='expected "higher" or "lower"'):
        given("x", better="smaller")  # type: ignore[arg-type]
