"""Base classes of experiments and their results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final, Generic, NamedTuple, Self, TypeVar, get_type_hints

from inexmetrics.collection import Collection
from inexmetrics.collection.origin import Origin
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import frozen, messages, public_names
from inexmetrics.common.options import RunOptions
from inexmetrics.common.tables import json_text
from inexmetrics.experiments.result_forms import ResultForms
from inexmetrics.terms import Term

__all__ = ["Experiment", "ExperimentOf", "Metric", "Origin", "R_co", "Result", "result_of"]

if TYPE_CHECKING:
    import pandas
    from pandera.polars import DataFrameSchema

    from inexmetrics.report.chosen_rows import ChosenRows

SCHEMA: Final = "inexmetrics-result/1.0"
"""Name and version of the JSON Schema of results; the second number increases if properties are added."""
R_co = TypeVar("R_co", bound="Result", covariant=True)


class Experiment(Term, ABC):
    """A question about runs and judgements; the base class of all experiments.

    `Experiment` is not a generic class, so that after ``isinstance(term, Experiment)`` a type checker infers that `run` returns a `Result`.

    Examples:
        >>> from inexmetrics import Experiment, parse, run, sample
        >>> asked = parse("ranks(MAP)", Experiment)
        >>> run(asked, sample()).table.height
        30
    """

    __slots__ = ()

    category: ClassVar[str] = "experiment"
    reads_names: ClassVar[bool] = True
    """Whether the experiment may ask for the names of unjudged documents, beside the scores."""

    @property
    def topics_drawn(self) -> int | None:
        """The number of topics that every condition draws; None if conditions differ, or use all topics."""
        return None

    def result(self, source: Collection | Scores, setting: RunOptions) -> Result:
        """Returns the experiment's result, in which scores and differences have the signs of the scores; see `answer`."""
        return self.answer(self.used(source), setting).completed()

    def used(self, source: Collection | Scores) -> Collection | Scores:
        """Returns the part of the data that the experiment uses."""
        return source

    def facts(self, source: Collection) -> tuple[str, ...]:
        """Returns facts about the judgements that the conditions select, for the line of topics and runs above the result."""
        del source
        return ()

    def shares(self, source: Collection) -> Mapping[str, float]:
        """Returns the share of the judgements that each condition uses, by its text; empty unless the experiment compares shares."""
        del source
        return {}

    @abstractmethod
    def answer(self, source: Collection | Scores, setting: RunOptions) -> Result:
        """Returns the experiment's result, in which scores are negated if lower scores are better.

        Warnings are stored in the result, not emitted.

        Raises:
            FormulaError: The setting is incompatible with the experiment's measures.
            CollectionError: The data lack something that the experiment needs.
        """


class ExperimentOf(Experiment, ABC, Generic[R_co]):
    """Base class of the experiments whose results are instances of `R_co`."""

    __slots__ = ()

    if TYPE_CHECKING:

        def result(self, source: Collection | Scores, setting: RunOptions) -> R_co: ...

    @abstractmethod
    def answer(self, source: Collection | Scores, setting: RunOptions) -> R_co: ...


class Metric(NamedTuple):
    """A score of one run on one topic, with the field names of ir_measures' ``Metric``.

    Attributes:
        query_id: The topic's id.
        measure: The measure and its quantisation, as in a formula.
        value: The score of the run on the topic.
    """

    query_id: str
    measure: str
    value: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result(ResultForms, ABC):
    """The result of an experiment; the base class of all results.

    The printed form of a result contains the formula that reproduces the experiment, the numbers of topics and runs, the ranking order of
    results, the finding, and the first table. Printed numbers, and numbers in Markdown and LaTeX, have four decimals; the tables and the
    JSON form have full precision.

    Attributes:
        experiment: The experiment that produced the result.
        tables: All tables of the result, by name.
        origin: The data from which the result was computed.
        compat: The evaluator whose deviations from the definitions were reproduced, or None.
        warnings: Warnings about the data, with counts.

    Notes:
        * Equality: Two terms are equal if they print the same text. Collections, runs, scores and results are compared by identity:
          compare two collections by `fingerprint`, and two results by `tables`.

    Examples:
        >>> from inexmetrics import run, sample
        >>> result = run("ranks(MAP)", sample())
        >>> list(result.tables), result.table.row(0, named=True)["run_id"]
        (['ranks', 'summary'], 'group07-b')
        >>> result.finding.partition(";")[0]
        '12 of the 30 runs could be the best by MAP'
    """

    experiment: Experiment

    def __post_init__(self) -> None:
        frozen.freeze(self, "tables")
        object.__setattr__(self, "warnings", tuple(map(messages.printable, self.warnings)))
        origin = replace(self.origin, drawn=self.experiment.topics_drawn)
        if (source := origin.collection) is not None:
            origin = replace(origin, facts=self.experiment.facts(source), shares=self.experiment.shares(source))
        object.__setattr__(self, "origin", origin)

    def completed(self) -> Self:
        """Returns the result as users see it: with the signs of the scores themselves, where the experiment compared negated scores."""
        if not self.origin.lower:
            return self
        tables = {name: self.stated[name].with_own_signs(table, self.origin.lower) for name, table in self.tables.items()}
        return replace(self, tables=tables)

    def to_dict(self) -> dict[str, object]:
        """Returns the result as a dict of plain values: schema, experiment, version, data, warnings, finding, and rows of the tables."""
        return {
            "schema": SCHEMA,
            "experiment": str(self.experiment),
            "version": public_names.__version__,
            "collection": {
                "topics": self.origin.topics,
                "runs": self.origin.runs,
                **({} if self.origin.systems is None else {"systems": len(self.origin.systems.names)}),
                "assessments": list(self.origin.assessments),
                "fingerprint": self.origin.fingerprint,
                "source": self.origin.name or None,
                **({"lower_is_better": list(self.origin.lower)} if self.origin.lower else {}),
                "read": [layout.as_dict() for layout in self.origin.read],
            },
            "order": self.origin.order,
            "compat": self.compat,
            "prepare": list(self.origin.prepare),
            "warnings": list(self.warnings),
            "finding": self.finding,
            "tables": {name: table.to_dicts() for name, table in self.tables.items()},
        }

    def to_json(self) -> str:
        """Returns the result as a JSON object: full-precision numbers, null for undefined values; equal results give identical bytes."""
        return json_text(self.to_dict())

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """Returns a table as a pandas DataFrame, by default the first table. pyarrow is not needed.

        Raises:
            ImportError: pandas is not installed.
            ValueError: The result does not have a table of this name.
        """
        from inexmetrics.report.formats import pandas_frame  # imported here because only this method uses it

        return pandas_frame(self.named(table))

    def to_metrics(self) -> list[Metric]:
        """Returns the scores by topic as `Metric` tuples in the form of ir_measures.

        Raises:
            ValueError: The result does not have scores by topic.
        """
        raise ValueError(
            f"expected a result with scores by topic, such as the result of scores, found the result of {self.experiment.word}"
        )

    def where(self, condition: str, table: str | None = None) -> ChosenRows:
        """Returns the rows of a table that satisfy a condition, to print (`to_text`, `to_markdown`, `to_latex`) or as a frame (`table`).

        On the command line: ``--where CONDITION``.

        Args:
            condition: A condition on the columns of the table, in the SQL of polars. Texts are in single quotes; double quotes around
                anything but the name of a column are understood, too. A word in double quotes that is both the name of a column and a
                text of the table is an error.
            table: The table's name; the first table if not given.

        Raises:
            ValueError: The result does not have a table of this name, or the condition is not SQL, names an unknown column, or has a word in
                double quotes that is both a column and a text.

        Examples:
            >>> import polars as pl
            >>> from inexmetrics import MAP, run, sample, significance
            >>> result = run(significance(MAP), sample())
            >>> chosen = result.where("better = 'group10-b' AND NOT significant")
            >>> chosen.table.height == result.table.filter(~pl.col("significant"), better="group10-b").height
            True
        """
        from inexmetrics.report.chosen_rows import chosen_rows  # imported here because only this method uses it

        return chosen_rows(self, condition, table)

    def schema(self, table: str | None = None) -> DataFrameSchema:
        """Returns the pandera schema of a table, by default of the first table, with exactly the columns that the table has.

        Raises:
            ValueError: The result does not have a table of this name.

        Examples:
            >>> from inexmetrics import MAP, run, sample, scores
            >>> result = run(scores(MAP), sample())
            >>> result.schema("per_topic").validate(result.tables["per_topic"]).columns
            ['run_id', 'topic_id', 'measure', 'quantisation', 'score']
        """
        columns = self.named(table).columns
        return self.stated[table or next(iter(self.tables))].pandera(columns)


def result_of(experiment: type[Experiment]) -> type[Result]:
    """Returns the result class of an experiment class."""
    made: type[Result] = get_type_hints(experiment.answer)["return"]
    return made
