"""The statistics that the package and its tests use, of float64."""

from typing import Literal, NamedTuple

from numpy.typing import ArrayLike

from inexmetrics.common.arrays import FloatArray

_Alternative = Literal["two-sided", "less", "greater"]

class _Result(NamedTuple):
    statistic: FloatArray
    pvalue: FloatArray

class _Interval(NamedTuple):
    low: FloatArray
    high: FloatArray

class _TtestResult(_Result):
    def confidence_interval(self, confidence_level: float = 0.95) -> _Interval: ...

class _Proportion(NamedTuple):
    low: float
    high: float

class _BinomTestResult:
    def proportion_ci(self, confidence_level: float = 0.95, method: Literal["exact", "wilson", "wilsoncc"] = "exact") -> _Proportion: ...

class _T:
    def ppf(self, q: ArrayLike, df: ArrayLike) -> FloatArray: ...
    def cdf(self, x: ArrayLike, df: ArrayLike) -> FloatArray: ...

class _NoncentralT:
    def sf(self, x: ArrayLike, df: ArrayLike, nc: ArrayLike) -> FloatArray: ...

nct: _NoncentralT
t: _T

def binomtest(k: int, n: int, p: float = 0.5, alternative: _Alternative = "two-sided") -> _BinomTestResult: ...
def false_discovery_control(ps: ArrayLike, *, method: Literal["bh", "by"] = "bh") -> FloatArray: ...
def kendalltau(x: ArrayLike, y: ArrayLike, *, method: Literal["auto", "exact", "asymptotic"] = "auto") -> _Result: ...
def kurtosis(a: ArrayLike, axis: int = 0) -> FloatArray: ...
def pearsonr(x: ArrayLike, y: ArrayLike) -> _Result: ...
def rankdata(a: ArrayLike, *, axis: int | None = None) -> FloatArray: ...
def skew(a: ArrayLike, axis: int = 0) -> FloatArray: ...
def spearmanr(a: ArrayLike, b: ArrayLike) -> _Result: ...
def ttest_1samp(a: ArrayLike, popmean: float, axis: int = 0, *, alternative: _Alternative = "two-sided") -> _TtestResult: ...
def ttest_rel(a: ArrayLike, b: ArrayLike, axis: int = 0, *, alternative: _Alternative = "two-sided") -> _TtestResult: ...
def wilcoxon(
    x: ArrayLike,
    *,
    zero_method: Literal["wilcox", "pratt", "zsplit"] = "wilcox",
    correction: bool = False,
    alternative: _Alternative = "two-sided",
    method: Literal["auto", "exact", "asymptotic", "approx"] = "auto",
    axis: int | None = 0,
) -> _Result: ...
