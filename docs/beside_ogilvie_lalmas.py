"""Numbers of Ogilvie & Lalmas (2006), compared with numbers computed on the sample."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Final

import polars as pl

from docs.beside_forms import compared, markdown
from docs.pictures import answered
from inexmetrics import Collection, CollectionWarning, from_frames, run, sample

__all__ = ["ogilvie_lalmas", "ogilvie_lalmas_2004", "ogilvie_lalmas_cuts", "ogilvie_lalmas_tests"]


def ogilvie_lalmas() -> str:
    """Returns the agreement between conclusions that section 4.2 states for INEX 2005, and the number of conclusions under the strict quantisation."""
    agreed = answered("agreement(MAep + nxCG@25 ~ Gen5 + BinExh + GenLifted | bootstrap | BY)").table
    without = answered("agreement(MAep + nxCG@25 ~ without_too_small(BinExh) + Gen5 | bootstrap | BY)").table
    found = answered("significance(MAep + nxCG@25 ~ Strict5 | bootstrap | BY)").tables["summary"]

    def f1(measure: str, predictor: str) -> float:
        (value,) = agreed.filter(measure=measure, predictor=predictor, truth="GenLifted")["f1"]
        return float(value)

    def share(measure: str) -> float:
        (value,) = found.filter(measure=measure)["share"]
        return float(value)

    return compared([
        ("F1 of `Gen5` and `GenLifted`, nxCG@25", "0.9", f1("nxCG@25", "Gen5")),
        ("F1 of `Gen5` and `GenLifted`, MAep", "0.9", f1("MAep", "Gen5")),
        ("F1 of `BinExh` and `GenLifted`, nxCG@25", "0.87", f1("nxCG@25", "BinExh")),
        ("F1 of `BinExh` and `GenLifted`, MAep", "0.93", f1("MAep", "BinExh")),
        ("F1 of `without_too_small(BinExh)` and `Gen5`, nxCG@25", "0.88", without.filter(measure="nxCG@25")["f1"].item()),
        ("F1 of `without_too_small(BinExh)` and `Gen5`, MAep", "0.93", without.filter(measure="MAep")["f1"].item()),
        ("significantly different pairs under `Strict5`, nxCG@25", "15 %", share("nxCG@25")),
        ("significantly different pairs under `Strict5`, MAep", "35 %", share("MAep")),
    ])  # fmt: skip


def ogilvie_lalmas_cuts() -> str:
    """Returns the share of significantly different pairs, and the agreement between quantisations, under nxCG at three rank cutoffs."""
    cuts = ("nxCG@10", "nxCG@25", "nxCG@50")
    asked = f"{' + '.join(cuts)} ~ Gen5 + BinExh + GenLifted | bootstrap | BY"
    found = answered(f"significance({asked})").tables["summary"]
    agreed = answered(f"agreement({asked})").table
    lines = [
        (
            f"significantly different pairs under `{name}`",
            *(f"{found.filter(measure=cut, quantisation=name)['share'].item():.0%}".replace("%", " %") for cut in cuts),
        )
        for name in ("Gen5", "BinExh", "GenLifted")
    ]
    lines += [
        (
            f"F1 of `{name}` and `GenLifted`",
            *(f"{agreed.filter(measure=cut, predictor=name, truth='GenLifted')['f1'].item():.2f}" for cut in cuts),
        )
        for name in ("Gen5", "BinExh")
    ]
    return markdown(("", *cuts), lines)


FOUND_MORE: Final = (
    ("MAep", "Gen5", "2.1"),
    ("MAep", "Strict5", "64"),
    ("nxCG@10", "Gen5", "20"),
    ("nxCG@25", "Gen5", "8.8"),
    ("nxCG@50", "Gen5", "3.7"),
)
"""Section 3.3: mean ratio of the number of differences found by the bootstrap to the number found by each other test."""
ERRS_LESS: Final = {"Gen5": "8.3 to 14 %", "Strict5": "23 to 27 %"}
"""Section 3.3: ratio of the bootstrap's error rate to the error rates of the other tests under MAep."""


def ogilvie_lalmas_tests() -> str:
    """Returns a comparison of the bootstrap with the three other tests on 50 splits of the topics."""
    lines = []
    for measure, quantisation, printed in FOUND_MORE:
        bootstrap, *others = answered(f"error_rate({measure} ~ {quantisation}, splits=50)").table.iter_rows(named=True)
        ratios = sorted(bootstrap["error_rate"] / other["error_rate"] for other in others if other["error_rate"])
        times = {name: len(others) * bootstrap[name] / sum(other[name] for other in others) for name in ("rejected", "both_halves")}
        lines.append(
            (
                f"{measure} ~ {quantisation}",
                printed,
                f"{times['rejected']:.1f}",
                f"{times['both_halves']:.1f}",
                ERRS_LESS[quantisation] if measure == "MAep" else "",
                f"{100 * ratios[0]:.0f} to {100 * ratios[-1]:.0f} %" if ratios else "",
            )
        )
    heads = (
        "",
        "rejections (paper)",
        "rejections (computed)",
        "rejections on both halves of the topics (computed)",
        "error rate (paper)",
        "error rate (computed)",
    )
    return markdown(heads, lines)


QUANTISATIONS_2004: Final = ("Strict4", "Gen4", "SOG", "AnyRel", "E3S321", "E3S32", "E321S3", "E32S3")


@cache
def graded_as_in_2004() -> Collection:
    """Return the sample on the scale of INEX 2004: exhaustivity "too small", 1 and 2 becomes 1, 2 and 3; specificity is rounded up to thirds."""
    elements = sample().assessments.elements
    if elements is None:
        raise ValueError("expected assessments of elements")
    judged = elements.filter(pl.col("exhaustivity").cast(pl.String) != "0").select(
        "topic_id",
        "doc_id",
        "path",
        "size",
        exhaustivity=pl.col("exhaustivity").cast(pl.String).replace_strict({"?": "1", "1": "2", "2": "3"}),
        specificity=(3 * pl.col("specificity")).ceil().clip(1) / 3,
    )
    return from_frames(judged, sample().runs, sample().structure, scale="inex2004")


def ogilvie_lalmas_2004() -> str:
    """Returns Table 3 and section 4.1: agreement between the quantisations of INEX 2004, and the number of pairs that differ significantly under each."""
    asked = f"inex_eval ~ {' + '.join(QUANTISATIONS_2004)} | bootstrap | BY"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)  # the warning about the bootstrap's resolution also applies to the other tables
        agreed = run(f"agreement({asked})", graded_as_in_2004()).table
        found = run(f"significance({asked})", graded_as_in_2004()).tables["summary"]

    def of(column: str, first: str, second: str) -> float:
        rows = agreed.filter(pl.col("predictor").is_in([first, second]), pl.col("truth").is_in([first, second]))
        swapped = {"precision": "recall", "recall": "precision"} if rows["predictor"].item() != first else {}
        return float(rows[swapped.get(column, column)].item())

    def share(name: str) -> float:
        return float(found.filter(quantisation=name)["share"].item())

    printed = {"Strict4": "51 %", "Gen4": "79 %", "SOG": "77 %"}
    table = compared([
        ("F1 of `Gen4` and `SOG`", "0.95", of("f1", "Gen4", "SOG")),
        ("F1 of `Gen4` and `Strict4`", "0.75", of("f1", "Gen4", "Strict4")),
        ("F1 of `SOG` and `Strict4`", "0.73", of("f1", "SOG", "Strict4")),
        ("precision of `Gen4` as a predictor of `Strict4`", "0.61", of("precision", "Gen4", "Strict4")),
        ("recall of `Gen4` as a predictor of `Strict4`", "0.96", of("recall", "Gen4", "Strict4")),
        ("precision of `SOG` as a predictor of `Strict4`", "0.60", of("precision", "SOG", "Strict4")),
        ("recall of `SOG` as a predictor of `Strict4`", "0.92", of("recall", "SOG", "Strict4")),
        ("F1 of `AnyRel` and `Gen4`", "0.97", of("f1", "AnyRel", "Gen4")),
        ("F1 of `AnyRel` and `SOG`", "0.94", of("f1", "AnyRel", "SOG")),
        *((f"significantly different pairs under `{name}`", text, share(name)) for name, text in printed.items()),
    ])  # fmt: skip
    others = [(f"`{name}`", f"{share(name):.0%}".replace("%", " %")) for name in QUANTISATIONS_2004 if name not in printed]
    return f"{table}\n\n{markdown(('', 'significantly different pairs (computed)'), others)}"
