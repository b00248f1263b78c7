"""Makes the measures of this package available in ir_measures; importing the module registers the measures with ir_measures.

The module needs the package ir_measures: ``pip install "inexmetrics[ir-measures]"``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import ir_measures
import polars as pl
from ir_measures.measures.base import Agg, ParamInfo, registry

from inexmetrics.collection.assessments import Assessments
from inexmetrics.common import errors, messages
from inexmetrics.experiments.scores import ScoresResult, Scoring
from inexmetrics.formula import parse
from inexmetrics.formula.evaluation import run as run_experiment
from inexmetrics.measures.base import Cut, Measure, Uncut
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.reading.frames import AssessmentTables, RunTables, from_frames
from inexmetrics.terms import Entry, Integer, TermOf, parameters
from inexmetrics.terms.lexicon import lexicon
from inexmetrics.terms.term import defaults

__all__ = ["InexMeasure", "InexProvider", "measure", "metrics_of", "provider"]

CONDITION: Final = "quantisation"
"""Name of the parameter that contains the part of a formula after ``~``."""


class DefinedMean(Agg):
    """The mean over the topics for which a measure is defined (not NaN); NaN if the measure is undefined for all topics."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def add(self, value: float) -> None:
        if not math.isnan(value):
            self.values.append(value)

    def result(self) -> float:
        return math.fsum(self.values) / len(self.values) if self.values else math.nan


class InexMeasure(ir_measures.Measure):
    """A measure of this package for use in ir_measures; it has parameters, a cutoff after ``@``, and a text that ir_measures can parse.

    The parameter ``quantisation`` contains, as text, the part of a formula that follows ``~``, as in ``nxCG(quantisation='Gen5')@25``. The
    value is NaN for a topic for which the measure is undefined, and the mean excludes the topic.

    Args:
        word: The name of the measure in formulas.
        params: The parameters of the measure. Terms, such as quantisations, may be passed as objects or as text.

    Raises:
        FormulaError: The name is unknown, or a parameter does not exist. `validate_params` checks the values of parameters
            before anything is computed.

    Examples:
        >>> from inexmetrics import Gen5
        >>> InexMeasure("nxCG", quantisation=Gen5) @ 25
        nxCG(quantisation='Gen5')@25
    """

    DEFAULT = math.nan

    def __init__(self, word: str, **params: object) -> None:
        entry = lexicon.find(word)
        if entry is None or not issubclass(entry.sort, Measure | Uncut):
            raise errors.FormulaError(f"expected the name of a measure, found {word!r}", hint=messages.did_you_mean(word, measure_words()))
        self.__name__ = word
        self.NAME = f"inexmetrics.{word}"  # distinguishes the measure from ir_measures' own measure of the same name
        known = self.SUPPORTED_PARAMS
        for name in params:
            if name not in known:
                raise errors.FormulaError(f"{word} has no parameter {name!r}", hint=messages.did_you_mean(name, known))
        kinds = {**parameters(entry.sort), CONDITION: TermOf(Quantisation)}
        given = {name: value for name, value in params.items() if name != CONDITION or value is not None}
        for name, value in given.items():  # values are normalised, so that equal measures have the same text
            if isinstance(kinds.get(name), TermOf):
                given[name] = str(value)
            elif isinstance(value, float) and value.is_integer():
                given[name] = int(value)
        super().__init__(**given)  # type: ignore[no-untyped-call]

    @property
    def AT_PARAM(self) -> str:  # type: ignore[override]  # noqa: N802 - ir_measures' name
        """The name of the parameter that ``@`` sets: ``cutoff`` for ranks, ``recall`` for recall levels."""
        value = lexicon.entries[self.__name__].value
        return "recall" if isinstance(value, Uncut) and not isinstance(value.cuts, Integer) else "cutoff"

    @property
    def SUPPORTED_PARAMS(self) -> dict[str, ParamInfo]:  # type: ignore[override]  # noqa: N802 - ir_measures' name
        """The parameters of the measure, with their defaults."""
        sort = lexicon.entries[self.__name__].sort
        given = dict.fromkeys((*parameters(sort), self.AT_PARAM, CONDITION))
        texts = {name: str(value) if isinstance(parameters(sort)[name], TermOf) else value for name, value in defaults(sort).items()}
        return {name: ParamInfo(default=default) for name, default in {**given, **texts}.items()}  # type: ignore[no-untyped-call]

    @property
    def formula(self) -> str:
        """The measure and its quantisation as a formula.

        Examples:
            >>> InexMeasure("nxCG", quantisation="Gen5", cutoff=25).formula
            'nxCG@25 ~ Gen5'
        """
        kinds = parameters(lexicon.entries[self.__name__].sort)
        written = [
            f"{name}={value if isinstance(kinds[name], TermOf) else messages.canonical(value)}"
            for name, value in self.params.items()
            if name in kinds
        ]
        text = f"{self.__name__}({', '.join(written)})" if written else self.__name__
        if self.AT_PARAM in self.params:
            text += f"@{messages.canonical(self.params[self.AT_PARAM])}"
        return f"{text} ~ {self.params[CONDITION]}" if CONDITION in self.params else text

    def experiment(self) -> Scoring:
        """Returns the experiment that computes the measure for each topic.

        Raises:
            FormulaError: A parameter is invalid, or the measure lacks a cutoff or a quantisation.
        """
        return parse(f"scores({self.formula})", Scoring)

    def validate_params(self) -> None:
        self.experiment()

    def aggregator(self) -> DefinedMean:
        return DefinedMean()

    def __call__(self, **kwargs: object) -> InexMeasure:
        return InexMeasure(self.__name__, **{**self.params, **kwargs})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InexMeasure) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash((InexMeasure, repr(self)))  # differs from the hash of ir_measures' own measure of the same name


class InexEvaluator(ir_measures.Evaluator):
    """Scores runs under measures of this package, after reading the judgements once."""

    def __init__(self, measures: Iterable[InexMeasure], assessments: Assessments) -> None:
        self.experiments = {measure: measure.experiment() for measure in measures}
        self.assessments = assessments
        super().__init__(list(self.experiments), assessments.topics)

    def _iter_calc(self, run: RunTables) -> Iterator[ir_measures.Metric]:
        collection = from_frames(self.assessments, run)
        for measure, experiment in self.experiments.items():
            for topic, score in _group_by_topic(run_experiment(experiment, collection).tables["per_topic"]):
                yield ir_measures.Metric(topic, measure, score)


class InexProvider(ir_measures.Provider):
    """Makes the measures of this package available in ir_measures.

    `from_frames` reads and checks judgements and runs, and raises an error for every invalid row. ir_measures passes on the additional
    columns of named tuples and pandas frames, so passages (`start`, `length`) and elements (`path`, `exhaustivity`, `specificity`) can also
    be evaluated.
    """

    NAME = "inexmetrics"

    def supports(self, measure: ir_measures.Measure) -> bool:
        measure.validate_params()  # type: ignore[no-untyped-call]
        return isinstance(measure, InexMeasure)

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: AssessmentTables) -> InexEvaluator:
        return InexEvaluator([measure for measure in measures if isinstance(measure, InexMeasure)], from_frames(qrels).assessments)

    def run_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        return ["query_id", "doc_id"]  # which further columns are required depends on the kind of judgements

    def qrel_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        return ["query_id", "doc_id"]


def measure(measure: Measure, quantisation: Quantisation | None = None) -> InexMeasure:
    """Returns a measure of this package as a measure of ir_measures.

    Args:
        measure: The measure.
        quantisation: The quantisation or selection of judgements; None for a measure without a quantisation.

    Raises:
        FormulaError: The measure lacks the quantisation that it needs, or does not accept a quantisation.

    Examples:
        >>> from inexmetrics import Gen5, MAP, nxCG
        >>> measure(nxCG @ 25, Gen5), measure(MAP(rel=2))
        (nxCG(quantisation='Gen5')@25, MAP(rel=2))
    """
    term, cut = (measure.family, measure.at) if isinstance(measure, Cut) else (measure, None)
    standing = defaults(type(term))
    given: dict[str, object] = {name: getattr(term, name) for name in parameters(type(term))}
    made = InexMeasure(term.word, **{name: value for name, value in given.items() if value is not None and value != standing.get(name)})
    if cut is not None:
        made = made(**{made.AT_PARAM: cut})
    if quantisation is not None:
        made = made(quantisation=quantisation)
    made.validate_params()
    return made


def metrics_of(result: ScoresResult, run: str | None = None) -> list[ir_measures.Metric]:
    """Returns the scores by topic as `Metric` tuples of ir_measures, which ir_measures can aggregate; undefined scores are NaN.

    Args:
        result: The result of the experiment `scores`.
        run: The name of a run; None for all runs.

    Raises:
        ValueError: The result does not contain the run.

    Examples:
        >>> from inexmetrics import MAP, from_frames, run, scores
        >>> qrels, found = {"1": {"a": 1, "b": 1}}, {"1": {"x": 2.0, "a": 1.0}}
        >>> metrics_of(run(scores(MAP), from_frames(qrels, found)))
        [Metric(query_id='1', measure=MAP, value=0.25)]
    """
    result.to_metrics(run)  # raises an error if the run is empty or unknown
    rows = result.tables["per_topic"]
    metrics: list[ir_measures.Metric] = []
    for (text, under), part in rows.group_by("measure", "quantisation", maintain_order=True):
        made = measure(parse(str(text), Measure), None if under == "1" else parse(str(under), Quantisation))
        kept = part if run is None else part.filter(pl.col("run_id") == run)
        metrics += [ir_measures.Metric(topic, made, score) for topic, score in _group_by_topic(kept)]
    return metrics


def measure_words() -> Mapping[str, Entry]:
    """Returns the measures, and families of measures, that can be used without parameters, by name."""
    return {entry.word: entry for entry in lexicon.of(Measure, Uncut) if entry.value is not None}


def _group_by_topic(per_topic: pl.DataFrame) -> Iterator[tuple[str, float]]:
    return per_topic.select("topic_id", pl.col("score").fill_null(math.nan)).iter_rows()


provider: Final = InexProvider()  # type: ignore[no-untyped-call]

if provider.NAME not in ir_measures.providers.registry:
    ir_measures.providers.register(provider)  # type: ignore[no-untyped-call]
    ir_measures.DefaultPipeline.providers.append(provider)
    for word in measure_words():
        if word not in registry:  # ir_measures has its own MAP, P and nDCG
            ir_measures.measures.register(InexMeasure(word))  # type: ignore[no-untyped-call]
