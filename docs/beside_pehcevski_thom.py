"""Tables of Pehcevski & Thom (2007), compared with the sample and with INEX 2009 and 2010."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import polars as pl

from docs.beside_forms import Compared, compared, markdown, minus
from docs.pictures import answered
from inexmetrics import (
    MAP,
    MAgP,
    MAgPsize,
    correlation,
    fidelity,
    from_frames,
    read_assessments,
    run,
    sample,
    scores,
    significance,
    t,
    unadjusted,
)

__all__ = [
    "TABLE_2",
    "WHOLE",
    "pehcevski_thom",
    "pehcevski_thom_2009",
    "pehcevski_thom_orderings",
    "pehcevski_thom_ranks",
    "pehcevski_thom_top",
]

RUNS: Final = tuple(f"{parts} {ranking}" for parts in ("S", "SL", "SLD", "SS", "SST") for ranking in ("R", "RS", "RI", "RSI"))
BEST: Final = tuple(f"`{parts} R`" for parts in ("S", "SL", "SLD", "SS", "SST"))
TABLE_1: Final = {
    "MAgP": (1.0, 1.0, 0.8954, 0.8954, 0.7976, 0.7969, 0.7113, 0.7110, 0.5352, 0.5278, 0.4700, 0.4664, 0.8687, 0.8680, 0.7742, 0.7739, 0.4589, 0.4578, 0.4093, 0.4088),
    "MAgPsize": (1.0, 1.0, 0.7647, 0.7838, 0.8314, 0.8262, 0.6289, 0.6428, 0.6719, 0.6422, 0.4931, 0.4926, 0.9194, 0.9140, 0.6966, 0.7117, 0.4722, 0.4660, 0.3578, 0.3642),
    "MAP": (1.0, 1.0, 0.8954, 0.8954) * 5,
}  # fmt: skip
"""Table 1: the three overall measures of the twenty simulated runs, on 114 topics of INEX 2006."""


def _simulated(means: pl.DataFrame, measures: Iterable[str]) -> Mapping[tuple[str, str], float]:
    return {(f"{parts} {ranking}", name): mean for parts, ranking, name, mean in means.rows() if name in measures}


def table_1() -> Compared:
    """Returns Table 1 with the corresponding values of the sample."""
    here = _simulated(answered("fidelity(MAgP + MAgPsize + MAP)").tables["means"], TABLE_1)
    heads = ("run", *(f"{name} ({source})" for name in TABLE_1 for source in ("paper", "computed")))
    return Compared(
        heads,
        [
            (f"`{name}`", *(f"{value:.4f}" for of, line in TABLE_1.items() for value in (line[place], here[name, of])))
            for place, name in enumerate(RUNS)
        ],
    )


def pehcevski_thom() -> str:
    """Returns the runs of Table 1 with the best ranking, and the two that show the flaw of MAgPsize."""
    return table_1().shown({*BEST, "`S RI`", "`S RSI`"})


def pehcevski_thom_2009(data: Path) -> str:
    """Returns, on INEX 2009 and 2010, the two of the five sets of parts that do not need a structure: passages and whole documents.

    Raises:
        ValueError: A perfect run, which is not in the table, does not score 1.
    """
    judged = read_assessments(data / "inex2009-2010.qrels.gz")
    documents = judged.documents
    if documents is None:
        raise ValueError("expected assessments with highlighted passages")
    lengths = documents.group_by("doc_id").agg(pl.col("docchars").max())
    whole = lengths.select("doc_id", path=pl.lit("/article[1]"), start=pl.lit(0), length=pl.col("docchars"))
    collection = from_frames(judged, structure=whole)
    here = _simulated(run(fidelity((MAgP, MAgPsize, MAP)), collection).tables["means"], TABLE_1)
    if any(abs(here[perfect, name] - 1) > 1e-12 for perfect in ("S R", "S RS") for name in TABLE_1):
        raise ValueError("expected a mean of 1 for S R and S RS")
    heads = ("run", *(f"{name} ({source})" for name in TABLE_1 for source in ("paper", "computed")))
    return markdown(
        heads,
        [
            (f"`{name}`", *(f"{value:.4f}" for of, line in TABLE_1.items() for value in (line[place], here[name, of])))
            for place, name in enumerate(RUNS)
            if name.split()[0] == "SLD" or name in ("S RI", "S RSI")
        ],
    )


AT_RANKS: Final = ("gP@1", "gP@2", "gP@10", "gR@1", "gR@2", "gR@10", "gRsize@1", "gRsize@2", "gRsize@10")
TABLE_1_AT_RANKS: Final = """
1.0000 1.0000 0.9763 0.0419 0.0838 0.3722 0.2403 0.3661 0.7194
1.0000 1.0000 0.9763 0.0419 0.0838 0.3722 0.2403 0.3661 0.7194
0.0000 0.5000 0.8833 0.0000 0.0419 0.3420 0.0000 0.2403 0.6952
0.0000 0.5000 0.8833 0.0000 0.0419 0.3420 0.0000 0.1258 0.6952
0.8584 0.8506 0.7830 0.0419 0.0838 0.3722 0.2403 0.3661 0.7194
0.8427 0.8506 0.7830 0.0419 0.0838 0.3722 0.1258 0.3661 0.7194
0.0000 0.4292 0.7136 0.0000 0.0419 0.3420 0.0000 0.2403 0.6952
0.0000 0.4213 0.7136 0.0000 0.0419 0.3420 0.0000 0.1258 0.6952
0.7935 0.7280 0.5664 0.0419 0.0838 0.3722 0.2403 0.3661 0.7194
0.6624 0.7280 0.5664 0.0419 0.0838 0.3722 0.1258 0.3661 0.7194
0.0000 0.3968 0.5241 0.0000 0.0419 0.3420 0.0000 0.2403 0.6952
0.0000 0.3312 0.5241 0.0000 0.0419 0.3420 0.0000 0.1258 0.6952
0.9578 0.9489 0.8693 0.0419 0.0838 0.3722 0.2403 0.3661 0.7194
0.9400 0.9489 0.8693 0.0419 0.0838 0.3722 0.1258 0.3661 0.7194
0.0000 0.4789 0.7905 0.0000 0.0419 0.3420 0.0000 0.2403 0.6952
0.0000 0.4700 0.7905 0.0000 0.0419 0.3420 0.0000 0.1258 0.6952
0.4942 0.4715 0.4518 0.0419 0.0838 0.3722 0.2403 0.3661 0.7194
0.4488 0.4715 0.4518 0.0419 0.0838 0.3722 0.1258 0.3661 0.7194
0.0000 0.2469 0.4118 0.0000 0.0419 0.3420 0.0000 0.2403 0.6952
0.0000 0.2243 0.4118 0.0000 0.0419 0.3420 0.0000 0.1258 0.6952
"""
"""Table 1: the measures at document ranks, in the order of the runs."""
TABLE_2: Final = """
SR SLR +20 112 2 0 2.2e-16 +17 112 2 0 2.2e-16
SR SSR +13 112 2 0 2.2e-16 +8 112 2 0 2.2e-16
SR SRS 0 0 114 0 - 0 0 114 0 -
SR SRI +10 114 0 0 2.2e-16 +24 114 0 0 2.2e-16
SLR SLDR +26 113 1 0 2.2e-16 +16 113 1 0 2.2e-16
SLR SLRS +0.07 52 13 49 0.6023 +0.5 52 13 49 0.2962
SLR SLRI +9 114 0 0 2.2e-16 +20 114 0 0 2.2e-16
SSR SSTR +41 114 0 0 2.2e-16 +45 114 0 0 2.2e-16
SSR SSRS +0.07 43 29 42 0.4146 +0.5 43 29 42 0.0963
SSR SSRI +9 114 0 0 2.2e-16 +22 114 0 0 2.2e-16
SRS SLRS +20 112 2 0 2.2e-16 +17 112 2 0 2.2e-16
SRS SSRS +13 112 2 0 2.2e-16 +9 112 2 0 2.2e-16
SRS SRSI +10 114 0 0 2.2e-16 +22 114 0 0 2.2e-16
SRI SLRI +18 112 2 0 2.2e-16 +14 112 2 0 2.2e-16
SRI SSRI +12 112 2 0 2.2e-16 +7 112 2 0 2.2e-16
SRI SRSI 0 0 114 0 - -2 0 0 114 5.9e-13
SLDR SLDRS +0.7 67 8 39 0.0004 +3 67 8 39 5.9e-05
SLDR SLDRI +7 114 0 0 2.2e-16 +18 114 0 0 2.2e-16
SLRS SLDRS +27 113 1 0 2.2e-16 +18 113 1 0 2.2e-16
SLRS SLRSI +9 114 0 0 2.2e-16 +18 114 0 0 2.2e-16
SLRI SLDRI +24 113 1 0 2.2e-16 +14 113 1 0 2.2e-16
SLRI SLRSI +0.03 52 13 49 0.6023 -1 25 0 89 2.4e-06
SSTR SSTRS +0.1 60 0 54 0.4904 +1 60 0 54 0.2141
SSTR SSTRI +5 114 0 0 2.2e-16 +11 114 0 0 2.2e-16
SSRS SSTRS +41 114 0 0 2.2e-16 +45 114 0 0 2.2e-16
SSRS SSRSI +9 114 0 0 2.2e-16 +20 114 0 0 2.2e-16
SSRI SSTRI +36 114 0 0 2.2e-16 +34 114 0 0 2.2e-16
SSRI SSRSI +0.03 43 29 42 0.4146 -1 12 0 102 1.9e-09
SRSI SLRSI +18 112 2 0 2.2e-16 +14 112 2 0 2.2e-16
SRSI SSRSI +12 112 2 0 2.2e-16 +7 112 2 0 2.2e-16
SLDRS SLDRSI +6 114 0 0 2.2e-16 +15 114 0 0 2.2e-16
SLDRI SLDRSI +0.4 67 8 39 0.0004 +0.05 46 0 68 0.8790
SLRSI SLDRSI +24 113 1 0 2.2e-16 +15 113 1 0 2.2e-16
SSTRS SSTRSI +5 114 0 0 2.2e-16 +10 114 0 0 2.2e-16
SSTRI SSTRSI +0.05 60 0 54 0.4896 -1 48 0 66 0.0189
SSRSI SSTRSI +36 114 0 0 2.2e-16 +35 114 0 0 2.2e-16
"""
"""Table 2: for each ordering, the difference in per cent, the topics for, tied and against, and the p-value, under MAgP and MAgPsize."""


def table_1_at_ranks() -> Compared:
    """Returns the measures of Table 1 at document ranks, as printed and computed on the sample."""
    here = _simulated(answered(f"fidelity({' + '.join(AT_RANKS)})").tables["means"], AT_RANKS)
    printed = [line.split() for line in TABLE_1_AT_RANKS.strip().splitlines()]
    return Compared(
        ("run", *AT_RANKS),
        [
            (f"`{name}`", *(f"{value} / {here[name, measure]:.4f}" for measure, value in zip(AT_RANKS, line, strict=True)))
            for name, line in zip(RUNS, printed, strict=True)
        ],
    )


def pehcevski_thom_ranks() -> str:
    """Returns gP for the runs with the best ranking; recall does not depend on the parts."""
    return table_1_at_ranks().shown(BEST, without=AT_RANKS[3:])


def table_2() -> Compared:
    """Returns Table 2: 36 expected orderings, as printed and computed on the sample."""
    table = answered("fidelity(MAgP + MAgPsize + MAP)").tables["orderings"]
    here = {(row["expected_better"], row["expected_worse"], row["measure"]): row for row in table.iter_rows(named=True)}
    lines = []
    for better, worse, *printed in map(str.split, TABLE_2.strip().splitlines()):
        cells = [f"`{better}` > `{worse}`"]
        for name, (difference, wins, ties, losses, p) in (("MAgP", printed[:5]), ("MAgPsize", printed[5:])):
            row = here[better, worse, name]
            decimals = len(difference.partition(".")[2])
            cells += [
                f"{difference.replace('-', minus(-1)[0])} / {_of_hundred(row['difference'], decimals)}",
                f"{wins} {ties} {losses} / {row['wins']} {row['ties']} {row['losses']}",
                f"{p} / {'-' if row['p_value'] is None else format(row['p_value'], '.2g')}",
            ]
        lines.append(cells)
    return Compared(
        ("expected", *(f"{name}, {what}" for name in ("MAgP", "MAgPsize") for what in ("difference in %", "> = <", "p"))), lines
    )


def pehcevski_thom_orderings() -> str:
    """Returns, without p-values, the step from passages to elements, and orderings of RI and RSI, of which MAgPsize reverses the first two in the paper."""
    parts = ("S", "SS", "SLD")
    return table_2().shown(
        {"`SR` > `SLR`", "`SR` > `SSR`", *(f"`{kind}RI` > `{kind}RSI`" for kind in parts)}, without={"MAgP, p", "MAgPsize, p"}
    )


WHOLE: Final[Mapping[str, Callable[[], Compared]]] = {"table-1": table_1, "table-1-at-ranks": table_1_at_ranks, "table-2": table_2}
"""The whole tables of which the page shows a few rows, by the name of the file to download."""


def _of_hundred(difference: float, decimals: int) -> str:
    """Return a difference in per cent, with its sign, with as many decimals as printed in the paper."""
    text = minus(100 * difference, f"+.{decimals}f")
    return text if float(f"{100 * difference:.{decimals}f}") else "0"


def pehcevski_thom_top() -> str:
    """Returns the comparison of section 5: the ranks of the 20 best runs under MAP and MAgP, and the number of their pairs that differ significantly."""
    means = run(scores(MAgP), sample()).table
    top = sample().only(runs=means.top_k(20, by="mean")["run_id"].to_list())
    tau = run(correlation((MAP, MAgP), of="runs", method="kendall"), top).table["coefficient"].item()
    found = run(significance((MAP, MAgP), test=t, correction=unadjusted), top).tables["summary"]
    differing = dict(found.select("measure", "significant").iter_rows())
    return compared([
        ("Kendall's tau of MAP and MAgP", "0.6740", tau),
        ("significantly different pairs (of 190) under MAgP", "112", differing["MAgP"]),
        ("significantly different pairs (of 190) under MAP", "95", differing["MAP"]),
    ])  # fmt: skip
