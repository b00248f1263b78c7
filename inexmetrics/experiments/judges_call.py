"""The function `judges`, which accepts judges with or without a measure."""

from __future__ import annotations

from typing import overload

from inexmetrics.common.errors import FormulaError
from inexmetrics.experiments.conditions import MEASURES, QUANTISATIONS, Measures, many
from inexmetrics.experiments.judges import Judges
from inexmetrics.experiments.on_trial import OnTrial
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.paired_t import t
from inexmetrics.judgements.alignment import DocumentChoice
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import word

__all__ = ["judges"]


@overload
def judges(
    measure: Measures,
    quantisation: OnTrial,
    /,
    *,
    test: SignificanceTest = ...,
    correction: Correction | None = ...,
    truth: Criterion,
    top: int = ...,
    documents: DocumentChoice = ...,
    resamples: int = ...,
    seed: int = ...,
    interval: float = ...,
) -> Judges: ...


@overload
def judges(
    measure: OnTrial,
    /,
    *,
    truth: Criterion,
    top: int = ...,
    documents: DocumentChoice = ...,
    resamples: int = ...,
    seed: int = ...,
    interval: float = ...,
) -> Judges: ...


@word("judges", Judges)
def judges(
    measure: Measures | OnTrial,
    quantisation: OnTrial | None = None,
    *,
    test: SignificanceTest = t,
    correction: Correction | None = None,
    truth: Criterion,
    top: int = 10,
    documents: DocumentChoice = "common",
    resamples: int = 0,
    seed: int = 0,
    interval: float = 0.95,
) -> Judges:
    """Compares judges under measures, ``judges(M, (assessor("a"), …), truth=assessor("human"))``, or by their grades alone.

    To compare only grades, write ``judges((assessor("a"), …), truth=assessor("human"))``.

    Args:
        measure: A measure, or several measures in a tuple. To compare only grades, pass the judges as the first argument.
        quantisation: The term that selects the judgements of a judge, such as ``assessor("a")``; for several judges, a tuple of terms.
        test: The significance test.
        correction: The correction; by default `BY`, or `unadjusted` if the test is `tukey` or `stepdown`.
        truth: The reference assessor.
        top: Number of best runs for which column top_shared compares the judge with the truth.
        documents: Whether rankings and conclusions use only the judgements of documents that both the judge and the truth judged
            (``"common"``) or all judgements (``"all"``). The grades of documents that both judged are always compared.
        resamples: Number of topic sets for the intervals; 0 for no intervals. With fewer than 200, a warning is issued.
        seed: Seed of the random number generator for the topic sets of the intervals.
        interval: Confidence level of the intervals.

    Returns:
        The experiment ``judges(M + … ~ assessor("a") + … | test | correction, truth=assessor("human"))``. `run` executes this experiment
        and returns a `JudgesResult`.

    Raises:
        FormulaError: The term of a judge or of the truth does not name an assessor or occurs twice, or the judges and the truth have
            different quantisations. Also raised if a measure lacks the quantisation that it needs, or if a term is in the wrong position.
    """
    if quantisation is not None and isinstance(measure, Criterion):
        raise FormulaError(
            f"judges: expected a measure as the first argument, found {measure}",
            hint='judges are joined by +, as in judges(assessor("a") + assessor("b"), truth=assessor("human"))',
        )
    without = quantisation is None and all(isinstance(term, Criterion) for term in many(measure))
    measures, on_trial = ((), measure) if without else (MEASURES.accept_as("judges: measure", measure), quantisation)
    return Judges(
        measures,
        QUANTISATIONS.accept_as("judges: quantisation", on_trial),
        test=test,
        correction=correction,
        truth=truth,
        top=top,
        documents=documents,
        resamples=resamples,
        seed=seed,
        interval=interval,
    )
