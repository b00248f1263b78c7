"""The function `agreement`, which accepts measures and quantisations in the orders in which people write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from inexmetrics.common import errors, messages
from inexmetrics.experiments.agreement import Agreement
from inexmetrics.experiments.conditions import MEASURES, QUANTISATIONS, Measures, Quantisations
from inexmetrics.experiments.pairing import Paired
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.paired_t import t
from inexmetrics.judgements.alignment import DocumentChoice
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import word

__all__ = ["agreement"]


# fmt: off
@overload
def agreement(
    *quantisations: Criterion | None, measure: Measures, test: SignificanceTest = ..., correction: Correction | None = ...,
    of: Paired | None = ..., resamples: int = ..., seed: int = ..., interval: float = ...,
    margin: float | None = ..., at_least: float | None = ..., draws: int | None = ..., fresh: bool = ...,
    documents: DocumentChoice = ...,
) -> Agreement: ...

@overload
def agreement(
    measure: Sequence[Measure], quantisation: Quantisations = ..., /, *, test: SignificanceTest = ..., correction: Correction | None = ...,
    of: Paired | None = ..., resamples: int = ..., seed: int = ..., interval: float = ...,
    margin: float | None = ..., at_least: float | None = ..., draws: int | None = ..., fresh: bool = ...,
    documents: DocumentChoice = ...,
) -> Agreement: ...

@overload
def agreement(
    measure: Measures, quantisation: Sequence[Criterion | None], /, *, test: SignificanceTest = ..., correction: Correction | None = ...,
    of: Paired | None = ..., resamples: int = ..., seed: int = ..., interval: float = ...,
    margin: float | None = ..., at_least: float | None = ..., draws: int | None = ..., fresh: bool = ...,
    documents: DocumentChoice = ...,
) -> Agreement: ...
# fmt: on


@word("agreement", Agreement)
def agreement(
    *terms: Measures | Quantisations,
    measure: Measures | None = None,
    test: SignificanceTest = t,
    correction: Correction | None = None,
    of: Paired | None = None,
    resamples: int = 0,
    seed: int = 0,
    interval: float = 0.95,
    margin: float | None = None,
    at_least: float | None = None,
    draws: int | None = None,
    fresh: bool = False,
    documents: DocumentChoice = "all",
) -> Agreement:
    """Compares conditions: ``agreement(Q1, Q2, …, measure=M)``, ``agreement(M, (Q1, Q2, …))`` or ``agreement((M1, M2, …), Q)``.

    M and Q are one term or several terms in a tuple.

    Args:
        *terms: Either two or more quantisations, or the measures followed by the quantisations. Each quantisation is used as the predictor
            of every quantisation that is listed after it.
        measure: A measure, or several measures in a tuple.
        test: The significance test.
        correction: The correction; by default `BY`, or `unadjusted` if the test is `tukey` or `stepdown`.
        of: Which conditions are paired: conditions with the same measure (``"quantisations"``, the default with several quantisations),
            conditions with the same quantisation (``"measures"``, the default with at most one quantisation), or all conditions
            (``"conditions"``).
        resamples: Number of topic sets for the intervals; 0 for no intervals. With fewer than 1,000, the limits depend visibly on the seed.
            With fewer than 200, a warning is issued, and the finding does not state them.
        seed: Seed of the random number generator for the topic sets of the intervals.
        interval: Confidence level of the intervals.
        margin: The difference of means below which two runs are treated as equivalent; must be above 0. With a margin, pairs of runs that
            are equivalent within the margin under both conditions have the verdict `equivalent`; the test must be `t`.
        at_least: A rejection under the predictor counts only if the means of the two runs differ by at least this number, which must be
            above 0. If None, every rejection under the predictor counts.
        draws: Number of draws for each condition that contains `topics` or `weighted`. If None, topics are drawn only once, and table ``draws``
            (one row per draw) is omitted.
        fresh: Whether the tests under the truth use only topics that the predictor does not use.
        documents: Which judgements are used if two conditions name different assessors. ``"all"`` uses all judgements, and ``"common"``
            only those of documents that both assessors judged. Applies to topics that both assessors judged.

    Returns:
        The experiment ``agreement(M + … ~ Q + … | test | correction, of=…)``. `run` executes this experiment and returns an
        `AgreementResult`.

    Raises:
        FormulaError: Fewer than two terms can be paired, the measure is missing, or a term is repeated or in the wrong position. Also
            raised if a margin is given with a test other than `t`. Also raised if ``draws`` or ``fresh`` is given and the conditions lack
            the term `topics` that the argument requires. Also raised if ``resamples`` is given and the conditions use different topics.
    """
    measures: object = measure
    quantisations: object = terms or None
    if measure is None:
        if not terms or len(terms) > 2 or terms[0] is None or isinstance(terms[0], Criterion):
            found = f"{len(terms)} arguments" if len(terms) > 2 else messages.describe(terms[0] if terms else None)
            raise errors.FormulaError(
                f"agreement: expected a measure as the first argument, or measure=M, found {found}",
                hint="as in agreement(MAep, (Gen5, BinExh)), agreement(Gen5, BinExh, measure=MAep) or agreement((MAP, RR))",
            )
        measures, quantisations = terms if len(terms) == 2 else (terms[0], None)
    return Agreement(
        MEASURES.accept_as("agreement: measure", measures),
        QUANTISATIONS.accept_as("agreement: quantisation", quantisations),
        test=test,
        correction=correction,
        of=of,
        resamples=resamples,
        seed=seed,
        interval=interval,
        margin=margin,
        at_least=at_least,
        draws=draws,
        fresh=fresh,
        documents=documents,
    )
