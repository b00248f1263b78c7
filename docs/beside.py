"""Tables that compare printed values of a paper with values that this library computes: from the paper's own numbers, the sample or real data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from docs.beside_forms import compared, markdown, minus
from docs.beside_ogilvie_lalmas import ogilvie_lalmas, ogilvie_lalmas_2004, ogilvie_lalmas_cuts, ogilvie_lalmas_tests
from docs.beside_pehcevski_thom import (
    WHOLE,
    pehcevski_thom,
    pehcevski_thom_2009,
    pehcevski_thom_orderings,
    pehcevski_thom_ranks,
    pehcevski_thom_top,
)
from docs.pictures import answered
from inexmetrics import (
    EPRUM,
    MAiP,
    assessor,
    assessor_agreement,
    from_frames,
    given,
    iP,
    judges,
    links,
    pool,
    pool_coverage,
    run,
    sample,
    scores,
    scores_from,
    t,
    versus,
)
from inexmetrics.common.arrays import FloatArray

__all__ = ["REAL", "TABLES", "WHOLE"]


# Of Cherukuri, 2010


def cherukuri_measures() -> str:
    """Returns Table 5: the evaluator's output for a query, computed from six text lengths."""
    retrieved, relevant, found = 75493, 260694, 15223
    best, sustained = (4077, 4081), (15223, 68903)
    passages = [("2009001", "first", 0, best[0]), ("2009001", "second", 0, found - best[0]), ("2009001", "missed", 0, relevant - found)]
    results = [("first", 0, best[1]), ("second", 0, sustained[1] - best[1]), ("none", 0, retrieved - sustained[1])]
    collection = from_frames(
        pl.DataFrame(passages, schema=["topic_id", "doc_id", "start", "length"], orient="row"),
        pl.DataFrame([("2009001", *result) for result in results], schema=["topic_id", "doc_id", "start", "length"], orient="row"),
    )
    here = dict(run(scores((iP @ 0.01, iP @ 0.05, iP @ 0.1, MAiP)), collection).table.select("measure", "mean").iter_rows())
    printed = {"iP@0.01": "0.9990198480764518", "iP@0.05": "0.22093377646836856", "iP@0.1": "0.0", "MAiP": "0.028532423782439392"}
    return markdown(("", "value (paper)", "value (computed)"), [(name, value, repr(here[name])) for name, value in printed.items()])


def _differing(mean: float, sum_of_squares: float, n: int = 68) -> FloatArray:
    """Returns differences on n topics with the given mean and the given sum of squared deviations from the mean."""
    differences: FloatArray = mean + np.sqrt(sum_of_squares / n) * np.resize([1.0, -1.0], n)
    return differences


def cherukuri_t() -> str:
    """Returns Table 7: Student's t between two methods on 68 queries, from the sum and the spread of the differences."""
    topics = [f"{number:03d}" for number in range(68)]
    ours = {"topic": topics, "UMD": [0.5] * 68, "663": 0.5 - _differing(1.39276029 / 68, 15.6978612)}
    result = run(versus("UMD", given("iP@0.01"), test=t(tails=1)), scores_from(pl.DataFrame(ours), measure="iP@0.01"))
    row = result.tables["statistics"].row(0, named=True)
    return compared([
        ("sum of differences", "1.39276029", row["sum"]),
        ("mean difference", "0.02048177", row["mean"]),
        ("sum of squared deviations", "15.6978612", row["sum_of_squares"]),
        ("t", "0.3489269", row["t"]),
    ])  # fmt: skip


GRIDS: Final = {
    "Figure 8: focused task of 2008, section strategy (Table A1)": (
        (0.697, 0.732, 0.773, 0.777, 0.820, 0.857, 0.899, 0.939, 0.996, 1.225),
        "----------",
    ),
    "Figure 10: relevant-in-context task of 2008, section strategy (Table A7)": (
        (0.381, 0.550, 0.669, 0.696, 0.932, 1.377, 1.820, 1.828, 1.883, 1.857),
        "------****",
    ),
    "Figure 12: relevant-in-context task of 2009, correlation strategy (Table A10)": (
        (0.381, 0.579, 0.906, 1.262, 1.644, 1.704, 1.773, 1.781, 1.820, 1.828),
        "-----*****",
    ),
    "Figure 14: thorough task of 2009, all elements (Table A13)": (
        (0.024, 0.050, 0.067, 0.122, 0.269, 0.385, 0.612, 1.293, 1.704, 1.781),
        "--------**",
    ),
}
"""For each line of a figure: Student's t against ten opponents, as an appendix prints the values, and the printed line."""


def cherukuri_grids() -> str:
    """Returns lines of Figures 8 to 14, from the values of t that the appendices print."""
    lines = []
    topics = [f"{number:03d}" for number in range(68)]  # with equal scores on every fourth topic
    ours = np.resize([0.7, 0.7, 0.3, 0.3], 68)  # scores that vary over topics, as those of a run do
    for figure, (values, printed) in GRIDS.items():
        spread = {f"P{place:02d}": ours - _differing(0.1 * value / np.sqrt(68 * 67), 0.01) for place, value in enumerate(values)}
        frame = pl.DataFrame({"topic": topics, "UMD": ours, **spread})
        grid = run(versus("UMD", given("x"), test=t(tails=1), top=10), scores_from(frame, measure="x", keep=topics)).tables["grid"]
        (cells,) = grid.filter(better="run").drop("measure", "quantisation", "run_id", "better").rows()
        lines.append((figure, f"`{printed}`", f"`{''.join(cells)}`"))
    return markdown(("", "line (paper)", "line (computed)"), lines)


# Of Trotman & Jenkinson, 2007


def trotman_jenkinson() -> str:
    """Returns the statements of sections 4.1 to 4.3 about rankings of systems under other assessors."""
    result = answered("assessors(MAP)")
    row = result.tables["summary"].row(0, named=True)
    leaders = result.tables["leaders"].filter("unstable")
    apart = leaders.filter(pl.col("p_value") <= 0.05).height
    differing = result.tables["leaders"].filter(pl.col("p_value") <= 0.05).height
    runs, assessments = sample().runs, sample().assessments
    if runs is None:
        raise ValueError("expected runs")
    judged = assessor_agreement(sample()).disagreement_overall["mean_documents"].item()
    crossover = pool_coverage(pool(runs, round(judged / 5)), assessments).select(pl.col("coverage").mean()).item()
    return markdown(
        ("", "INEX 2006 (paper)", "sample (computed)"),
        [
            ("mean of Spearman's rho", "0.986", f"{row['mean_rho']:.3f}"),
            ("lowest rho", "above 0.95", f"{row['min_rho']:.3f}"),
            ("share of rankings with rho above .98", "89 %", f"{row['share_above_0_98']:.0%}".replace("%", " %")),
            ("lower edge of the first bucket from which on the mean switch probability is below 5 %", "", f"{row['threshold_bucket']:.2f}"),
            ("MAP difference at which a line fitted to the buckets falls to 5 %", "0.02 to 0.03", f"{row['threshold_line']:.4f}"),
            ("unstable pairs among the ten best runs", "10 of 45", f"{leaders.height} of {result.tables['leaders'].height}"),
            ("unstable pairs that differ significantly", "0", str(apart)),
            ("significantly different pairs among the ten best runs", "6 of 45", f"{differing} of {result.tables['leaders'].height}"),
            (
                "share of the documents in a smaller pool that are also in the assessed pool, which is five times as large",
                "98 %",
                f"{crossover:.1%}".replace("%", " %"),
            ),
        ],
    )


def trotman_jenkinson_crowd(data: Path) -> str:
    """Returns the counts of Table 1 for a crowd of assessors: documents, assessors, and documents on which the assessors disagree."""
    counts = pl.read_csv(data / "crowd_counts.csv.gz", schema_overrides={"topic": pl.String, "doc": pl.String})
    said = [
        (topic, f"worker {place + 1}", document, float(place < relevant))
        for topic, document, asked, relevant in counts.iter_rows()
        for place in range(asked)
    ]
    judged = pl.DataFrame(said, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row").sort("topic_id", "assessor")
    row = assessor_agreement(from_frames(judged)).disagreement_overall.row(0, named=True)
    return markdown(
        ("", "INEX 2006 (paper)", "crowd (computed)"),
        [
            ("topics", "15", f"{row['topics']}"),
            ("documents", "1471", f"{row['documents']}"),
            ("assessors per topic", "3 to 5", " to ".join(str(count) for count in sorted(set(counts["n_assessors"])))),
            ("documents on which assessors disagree", "221", f"{row['disagreements']}"),
            (
                "share of documents on which assessors disagree",
                f"{221 / 1471:.1%}".replace("%", " %"),
                f"{row['disagreements'] / row['documents']:.1%}".replace("%", " %"),
            ),
        ],
    )


# Of judges


def judges_crowd(data: Path) -> str:
    """Returns the agreement between the majority grades of a crowd and a judge who requires fewer or more votes."""
    counts = pl.read_csv(data / "crowd_counts.csv.gz", schema_overrides={"topic": pl.String, "doc": pl.String}).filter(n_assessors=7)
    judged = pl.concat(
        counts.select(topic_id="topic", doc_id="doc", assessor=pl.lit(f"{votes}"), grade=(pl.col("n_relevant") >= votes).cast(pl.Float64))
        for votes in range(1, 8)
    )
    relevant = dict(judged.group_by("assessor").agg(pl.col("grade").mean()).iter_rows())
    truth = assessor("4")
    table = run(judges(tuple(assessor(str(votes)) for votes in (1, 2, 3, 5, 6, 7)), truth=truth), from_frames(judged)).table
    return markdown(
        ("votes of 7", "relevant", "Cohen's kappa", "Krippendorff's alpha"),
        [
            (str(row["judge"]), f"{relevant[row['judge']]:.0%}".replace("%", " %"), f"{row['kappa']:.2f}", minus(row["alpha"]))
            for row in table.iter_rows(named=True)
        ],
    )


# Of Piwowarski & Dupret, 2006


def piwowarski_dupret() -> str:
    """Returns Table 1 and Figure 3, computed from the probabilities that the paper gives."""
    ends = [("c", "a", 0.4), ("c", "b", 0.4), ("d", "a", 0.6), ("d", "b", 0.4)]

    @links
    def clicks() -> pl.DataFrame:
        """Returns the links that users of Figure 3 follow."""
        return pl.DataFrame(ends, schema=["doc_id", "to_doc_id", "probability"], orient="row")

    figure = from_frames({"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, {"run": {"1": {"c": 3.0, "d": 2.0, "a": 1.0}}})
    asked = (EPRUM(navigation=clicks) @ 0.5, EPRUM(navigation=clicks) @ 1, EPRUM @ 0.5, EPRUM @ 1)
    here = dict(run(scores(asked), figure).table.select("measure", "mean").iter_rows())
    first, both, plain, neither = (here[str(measure)] for measure in asked)
    return compared([
        ("precision at recall 1, with navigation", "0.81", first),
        ("precision at recall 2, with navigation", "0.74", both),
        ("expected value of A/ML at recall 2", "0.37", both / 2),
        ("precision at recall 1, without navigation", "0.333", plain),
        ("precision at recall 2, without navigation", "0", neither),
    ])  # fmt: skip


def piwowarski_dupret_correlation() -> str:
    """Returns the correlation of section 7 with effort-precision, for all scores and for the 48 highest scores."""
    result = answered('correlation(MAEPRUM(navigation=hierarchy) + MAep(task="focused") ~ Gen5, top=48)')
    parts = dict(result.tables["parts"].select("part", "coefficient").iter_rows())
    return compared([
        ("Pearson's r for all runs and topics", "0.75", result.table["coefficient"].item()),
        ("Pearson's r for the 48 highest points", "0.9", parts["top"]),
        ("Pearson's r for the other points", "0.65", parts["others"]),
    ])  # fmt: skip


TABLES: Final[Mapping[str, Callable[[], str]]] = {
    made.__name__: made
    for made in (
        ogilvie_lalmas, ogilvie_lalmas_2004, ogilvie_lalmas_cuts, ogilvie_lalmas_tests, pehcevski_thom, pehcevski_thom_orderings,
        pehcevski_thom_ranks, pehcevski_thom_top, cherukuri_measures, cherukuri_t, cherukuri_grids, trotman_jenkinson, piwowarski_dupret,
        piwowarski_dupret_correlation,
    )
}  # fmt: skip
"""Tables that compare with the papers, by name."""
REAL: Final[Mapping[str, Callable[[Path], str]]] = {
    made.__name__: made for made in (pehcevski_thom_2009, trotman_jenkinson_crowd, judges_crowd)
}
"""Tables computed from a folder of real data, by name."""
