"""Whether one condition leads to the conclusions of another: the rejections that they share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Final, overload

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import MEASURES, QUANTISATIONS, Measured, Measures
from inexmetrics.experiments.scored import scored
from inexmetrics.experiments.testing import check_several_runs, coarse
from inexmetrics.foundation.errors import FormulaError
from inexmetrics.foundation.setting import Setting
from inexmetrics.foundation.wording import described, spelled
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.conclusions import conclude, overlap
from inexmetrics.inference.corrections import BY
from inexmetrics.language.lexicon import lexicon
from inexmetrics.language.terms import Of, parameter
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.score_matrices import Scores

__all__ = ["Agreement", "AgreementResult", "agreement"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgreementResult(Result):
    """Agreement of conclusions: table ``agreement``, one row for each measure and pair of quantisations."""

    experiment: Agreement

    @property
    def precision(self) -> float | None:
        """Share of the predictor's rejections that are the truth's too; None if it has none and the truth has some.

        Raises:
            ValueError: The table has several rows.
        """
        value: float | None = self._row("precision")["precision"]
        return value

    @property
    def recall(self) -> float | None:
        """Share of the truth's rejections that the predictor makes; None if it has none and the predictor has some.

        Raises:
            ValueError: The table has several rows.
        """
        value: float | None = self._row("recall")["recall"]
        return value

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if one of them is undefined.

        Raises:
            ValueError: The table has several rows.
        """
        value: float = self._row("f1")["f1"]
        return value

    def _row(self, wanted: str) -> dict[str, Any]:
        """The only row; a number wanted of several is refused."""
        if self.table.height != 1:
            raise ValueError(f"expected a single pair of conditions for .{wanted}, found {self.table.height}: see .table")
        return self.table.row(0, named=True)


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(Measured[AgreementResult]):
    """Does one condition lead to the conclusions of another: the rejections shared by each pair of quantisations.

    R(Q) is the set of directed hypotheses *run i is better than run j* that are rejected under a measure and Q (a
    two-tailed test has that of the higher mean only). For an earlier quantisation that predicts and a later one that is
    the truth,

        precision = |R(predictor) ∩ R(truth)| / |R(predictor)|
        recall = |R(predictor) ∩ R(truth)| / |R(truth)|
        F1 = 2PR / (P + R)

    Where both sets are empty, all three are 1; where one is, its ratio is null and F1 is 0.

    Table ``agreement`` (measure, predictor, truth, pairs, n_predictor, n_truth, n_both, precision, recall, f1): one row
    for each measure and each pair of quantisations in the order written, where pairs counts the pairs of runs.

    Args:
        measures: The measures.
        quantisations: Two or more quantisations; None for none.
        test: The significance test, over the topics for which the measure is defined.
        correction: The rule for many comparisons, over all hypotheses of a condition: both directions of every pair of
            runs, or one a pair if the test is two-tailed.

    References:
        Ogilvie & Lalmas (2006), section 3.4 and Tables 3 and 4.

    Examples:
        >>> from inexmetrics import BinExh, Gen5, GenLifted, MAep, agreement
        >>> agreement(Gen5, BinExh, measure=MAep)
        agreement(Gen5, BinExh, measure=MAep)
        >>> agreement(MAep, (Gen5, GenLifted, BinExh))
        agreement(MAep ~ Gen5 + GenLifted + BinExh)
    """

    word: ClassVar[str] = "agreement"
    test: SignificanceTest = parameter(bootstrap, Of(SignificanceTest))
    correction: Correction = parameter(BY, Of(Correction))

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        if len(self.quantisations) < 2:
            raise FormulaError(f"{self.word}: expected two or more quantisations, found {spelled(self.quantisations[0])} alone")

    def __str__(self) -> str:
        if len(self.measures) > 1 or len(self.quantisations) > 2:
            return Measured.__str__(self)
        predictor, truth = self.quantisations
        written = [f"measure={self.measures[0]}"]
        written += [f"{name}={spelled(value)}" for name, default, value in self._arguments() if name in self.stages and value != default]
        return f"{self.word}({spelled(predictor)}, {spelled(truth)}, {', '.join(written)})"

    def answer(self, source: Collection | Scores, setting: Setting) -> AgreementResult:
        found = scored(self, source, setting)
        runs = len(found.runs)
        check_several_runs(self.word, found.runs)
        concluded = [conclude(condition.scores, self.test, self.correction, setting) for condition in found.conditions]
        rejected = [conclusions.rejected for conclusions in concluded]
        warnings = list(found.warnings)
        for condition, conclusions in zip(found.conditions, concluded, strict=True):
            warnings += coarse(self.test, self.correction, condition.topics_defined, conclusions.hypotheses)
        rows = []
        each = len(self.quantisations)
        for first in range(0, len(rejected), each):
            for predictor, truth in combinations(range(first, first + each), 2):
                shared = overlap(rejected[predictor], rejected[truth])
                rows.append(
                    {
                        "measure": found.conditions[first].measure,
                        "predictor": found.conditions[predictor].quantisation,
                        "truth": found.conditions[truth].quantisation,
                        "pairs": runs * (runs - 1) // 2,
                        "n_predictor": shared.n_predictor,
                        "n_truth": shared.n_truth,
                        "n_both": shared.n_both,
                        "precision": shared.precision,
                        "recall": shared.recall,
                        "f1": shared.f1,
                    }
                )
        table = pl.DataFrame(rows, schema_overrides=RATIOS)
        return AgreementResult(self, {"agreement": table}, found.origin, setting.compat, tuple(dict.fromkeys(warnings)))


RATIOS: Final = dict.fromkeys(("precision", "recall", "f1"), pl.Float64)
"""Columns that may hold nothing but nulls, and are numbers even so."""


@overload
def agreement(
    *quantisations: Quantisation | None, measure: Measures, test: SignificanceTest = ..., correction: Correction = ...
) -> Agreement: ...
@overload
def agreement(
    measure: Measures, quantisation: tuple[Quantisation | None, ...], /, *, test: SignificanceTest = ..., correction: Correction = ...
) -> Agreement: ...
def agreement(
    *terms: Measures | tuple[Quantisation | None, ...] | Quantisation | None,
    measure: Measures | None = None,
    test: SignificanceTest = bootstrap,
    correction: Correction = BY,
) -> Agreement:
    """Asks whether one quantisation leads to the conclusions of another.

    Either ``agreement(Q1, Q2, …, measure=M)``, or ``agreement(M, (Q1, Q2, …))``, M being a measure or several in a tuple.

    Args:
        *terms: Quantisations, the earlier predicting the later; or the measures, then the quantisations in a tuple.
        measure: A measure, or several in a tuple.
        test: The significance test.
        correction: The rule for many comparisons.

    Returns:
        The experiment ``agreement(M + … ~ Q + … | test | correction)``; `run` answers it with an `AgreementResult`.

    Raises:
        FormulaError: There are not two quantisations, no measure, or a term is repeated or out of place.
    """
    measures: object = measure
    quantisations: object = terms
    if measure is None:
        if len(terms) != 2 or isinstance(terms[0], Quantisation):
            found = described(terms[0]) if terms else "nothing"
            raise FormulaError(
                f"agreement: expected a measure and two or more quantisations, found {found}{' first' if len(terms) > 1 else ''}",
                hint="write agreement(Q1, Q2, measure=M) or agreement(M, (Q1, Q2))",
            )
        measures, quantisations = terms
    return Agreement(MEASURES.accept(measures), QUANTISATIONS.accept(quantisations), test, correction)


lexicon.add("agreement", Agreement, None, agreement)
