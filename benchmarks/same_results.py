"""Checks whether every result is bit-identical before and after a change of the code.

``python -m benchmarks.same_results FOLDER`` writes the JSON tables of every experiment of the lexicon, with every word that an
experiment accepts, on the sample and on the real data of ``../shared/data`` (or of the folder in the environment variable
``REAL_DATA``). ``python -m benchmarks.same_results BEFORE AFTER`` compares two of these folders; if bytes differ, it prints
the numeric differences. `benchmarks.same_bits` instead varies the environment, which must not change results.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from inexmetrics import (
    Collection,
    MAgP,
    MAiP,
    P,
    Scores,
    Scoring,
    from_frames,
    group_by_document,
    inex_eval_report,
    keep_characters,
    keep_first,
    plan,
    read_assessments,
    read_runs,
    read_structure,
    remove_overlap,
    retrieve,
    run,
    sample,
    scores,
    scores_from,
)
from inexmetrics.common.options import Compat
from tests.examples import CORRECTIONS, EVERY, TESTS, sample_in_datasets

REAL: Final = Path(os.environ.get("REAL_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Source: TypeAlias = Callable[[], Collection | Scores]


def real_runs(name: str, *, qrels: str = "inex2009-2010.qrels.gz") -> Source:
    """Returns a run with the assessments of INEX 2009 and 2010."""
    return cache(lambda: Collection(read_assessments(REAL / qrels), read_runs(REAL / name)))


@cache
def trec() -> Collection:
    """Returns the test data of trec_eval."""
    return Collection(read_assessments(REAL / "trec_eval_qrels.test"), read_runs(REAL / "trec_eval_results.test"))


def matrix(name: str) -> Source:
    """Returns the average precision of TREC's runs; the rows of the file are topics without names."""

    def read() -> Scores:
        values = pl.read_csv(REAL / name)
        return scores_from(values.insert_column(0, pl.Series("topic", [str(401 + row) for row in range(values.height)])), "MAP")

    return cache(read)


def example(assessments: str, submission: str) -> Source:
    """Returns the hand-written examples of INEX's files."""
    folder = REAL / "inex2005-example"
    places = cache(lambda: read_structure(folder / "structure.tsv"))
    return cache(lambda: Collection(read_assessments(folder / assessments), read_runs(folder / "runs" / submission), places()))


@cache
def crowd() -> Collection:
    """Returns judgements of seven workers on the documents of 60 topics, and 12 runs that retrieve the documents found relevant; later runs are better."""
    counts = pl.read_csv(REAL / "crowd_counts.csv.gz", schema_overrides={"topic": pl.String, "doc": pl.String})
    counts = counts.filter(pl.col("topic").is_in(counts["topic"].unique(maintain_order=True).head(60).to_list()))
    judgements = counts.with_columns(worker=pl.int_ranges(1, pl.col("n_assessors") + 1)).explode("worker")
    share = (counts["n_relevant"] / counts["n_assessors"]).to_numpy()
    random = np.random.Generator(np.random.PCG64(2018))
    found = [
        counts.select(run_id=pl.lit(f"run{number:02d}"), topic_id="topic", doc_id="doc").with_columns(
            score=pl.Series(np.round(share * (0.2 + number / 12) + random.random(len(share)), 3))
        )
        for number in range(12)
    ]
    said = judgements.select(
        topic_id="topic",
        assessor=pl.format("worker {}", "worker"),
        doc_id="doc",
        grade=(pl.col("worker") <= pl.col("n_relevant")).cast(pl.Int64),
    )
    return from_frames(said, pl.concat(found))


@cache
def few_topics() -> Collection:
    """Returns six topics of the sample, for measures whose ideal lists take long to find."""
    return sample().only(topics=sorted(sample().topics)[::5])


@cache
def by_group() -> Collection:
    """Returns the sample with groups as systems, each with three runs."""
    return sample().by_system("(group[0-9]+)-.*")


@cache
def prepared() -> Collection:
    """Returns the sample's runs grouped by document, without overlapping elements."""
    whole = sample()
    assert whole.runs is not None
    return Collection(whole.assessments, group_by_document(remove_overlap(whole.runs, "correlation")), whole.structure)


@cache
def cut_short() -> Collection:
    """Returns the sample's runs truncated after a number of results, and after a number of characters."""
    whole = sample()
    assert whole.runs is not None
    return Collection(whole.assessments, keep_characters(keep_first(whole.runs, 60), 20_000, structure=whole.structure), whole.structure)


@cache
def planned() -> Collection:
    """Returns three runs of the sample, and a plan for P@10 with the first assessor's grades as the judgements of "people"."""
    part = sample().only(runs=("group01-a", "group05-a", "group07-a"))
    there = part.assessments.assessors
    assert part.runs is not None
    assert there is not None
    first, second = (there.filter(assessor=name).select("topic_id", "doc_id", "grade") for name in ("first", "second"))
    sheet = plan(part.runs, P @ 10, budget=200)
    graded = (
        sheet.drop("grade")
        .join(first, on=["topic_id", "doc_id"], how="left", maintain_order="left")
        .with_columns(pl.col("grade").fill_null(0))
    )
    return from_frames({"people": graded, "second": second}, part.runs)


@cache
def deep() -> Collection:
    """Returns rankings of 6000 results, longer than real rankings, with grades that are not integers."""
    random = np.random.Generator(np.random.PCG64(2025))
    topics, depth = ("1", "2", "3"), 6000
    names = [f"d{number:05d}" for number in range(depth)]
    grades = {topic: {name: int(random.integers(1, 9)) / 4 for name in names[:: 7 + place]} for place, topic in enumerate(topics)}
    found = {
        f"run{number}": {topic: dict(zip(names, random.permutation(depth).tolist(), strict=True)) for topic in topics}
        for number in range(4)
    }
    return from_frames(grades, found)


@cache
def retrieved() -> Collection:
    """Returns retrieval results on generated texts with random judgements."""
    random = np.random.Generator(np.random.PCG64(1996))
    words = [f"w{number}" for number in range(400)]
    texts = [
        {"doc_id": f"d{number:03d}", "text": " ".join(words[int(place)] for place in 400 * random.random(20 + number) ** 2)}
        for number in range(300)
    ]
    queries = {str(topic): " ".join(words[int(place)] for place in 100 * random.random(2 + topic % 4)) for topic in range(1, 21)}
    runs = [retrieve(texts, queries, unit="articles", slope=slope, run_id=f"slope-{slope}") for slope in (0.1, 0.2, 0.5)]
    grades = {topic: {f"d{place:03d}": 1 for place in np.flatnonzero(random.random(300) < 0.1).tolist()} for topic in queries}
    return from_frames(grades, pl.concat([run.results.cast({"run_id": pl.String, "topic_id": pl.String}) for run in runs]), order="score")


SOURCES: Final[dict[str, Source]] = {
    "sample": sample,
    "sample cut short": cut_short,
    "sample in datasets": sample_in_datasets,
    "sample by group": by_group,
    "sample of few topics": few_topics,
    "sample planned": planned,
    "deep": deep,
    "retrieved": retrieved,
    "sample by document": prepared,
    "focused": real_runs("bert_1.fol.run.gz"),
    "in context": real_runs("ric_1.fol.run.gz"),
    "best in context": real_runs("bic_1.fol.run.gz", qrels="bic.qrels.gz"),
    "thorough": real_runs("thorough_1.fol.run.gz"),
    "documents": real_runs("indri_docs.run.gz"),
    "trec_eval": trec,
    "trec5": matrix("trec5_ap.csv"),
    "trec7": matrix("trec7_ap.csv"),
    "2004": example("assessments-2004", "submission-2004.xml"),
    "2005": example("assessments-2005", "submission-2005.xml"),
    "2005 as FOL": example("topics-903-904.fol.qrels", "example-fol.run"),
    "2005 as paths": example("topics-903-904.fol.qrels", "example-xpath.run"),
    "crowd": crowd,
}

GENERATED: Final = frozenset({*(name for name in SOURCES if name.startswith("sample")), "deep", "retrieved"})
"""Sources that do not need real data."""

DOCUMENTS = "MAP + P@5 + P@10 + R@100 + RR + nDCG + nDCG@10 + MAP(rel=2)"
LISTS = 'MAP@100 + RR@10 + F@10 + F(beta=0.5)@10 + SetP + SetR + SetF + nDCG(gains="exponential")@10'
GAINS = "nxCG@10 + nxCG@25 + MAnxCG@50 + MAep + iMAep + inex_eval"
QUANTISATIONS = "Gen5 + GenLifted + BinExh + Strict5 + FullySpec + without_too_small(BinExh) + min_size(Gen5, 200) + threshold(Gen5, 0.5)"
OF_2004 = "Gen4 + Strict4 + SOG + AnyRel + E3S32 + E3S321 + E32S3 + E321S3"
CHARACTERS = "iP@0 + iP@0.01 + iP@0.1 + MAiP + char_prec + char_rec + char_f1"
IN_CONTEXT = "MAgP + MAgP(beta=0.25) + MAgPsize + MAgPsize11 + gP@5 + gR@5 + gRsize@5 + iGP"
BEST_ENTRIES = 'MAgP(score="bep", n=1000) + gP(score="bep", n=500)@10'
OF_READING = "RBP + RBP(p=0.99) + ERR@5 + ERR@1000 + Rprec + Success@5 + bpref + infAP + Judged@10 + RBPresidual + RBPresidual(p=0.95)"
WALKERS = "MAEPRUM(navigation=either(hierarchy, tolerance(500))) + EPRUMk(navigation=distance(0.001))@10 + MAEPRUM(navigation=none)"
READERS = "MAEPRUM + MAEPRUM(navigation=hierarchy) + MAEPRUM(navigation=distance(500)) + EPRUM(navigation=hierarchy)@0.5"

QUESTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("sample", f"scores({DOCUMENTS})"),
    ("sample", f"scores({LISTS})"),
    ("sample", f"scores({GAINS} ~ {QUANTISATIONS})"),
    ("sample", f"scores({CHARACTERS})"),
    ("sample", f"scores({READERS} ~ BinExh)"),
    ("sample", f"scores({OF_READING} + char_iou)"),
    ("sample of few topics", f"scores({WALKERS} ~ Gen5)"),
    ("sample", 'scores(MAP ~ 1 + assessor("second") + assessor("fourth"))'),
    *(("sample in datasets" if "within=" in formula else "sample", formula) for formula in EVERY),
    *(("sample", f"significance(MAep ~ Gen5 | {test} | unadjusted)") for test in TESTS.values() if not test.clusters),
    *(("sample", f"significance(MAep ~ Gen5 | t | {correction})") for correction in CORRECTIONS),
    *(
        ("sample", f'correlation({measures}, of="{points}", method="{method}")')
        for measures in ("MAep + nxCG@25 + iMAep ~ Gen5 + Strict5",)
        for points in ("topics", "runs")
        for method in ("pearson", "spearman", "kendall")
    ),
    ("sample", "agreement(MAP ~ 1 + pooled(10) + sampled(0.3))"),
    ("sample", 'agreement(MAP ~ jury("second", "third") + jury("second", "third", by="mean") + assessor("first"))'),
    ("sample", "design(MAP ~ pooled(3) + 1, truth=1, cost=(1, 1), topics=(7, 14, 60))"),
    ("sample", "agreement(MAP ~ topics(9) + topics(14, pooled(10)) + 1, draws=5, fresh=True)"),
    ("sample", "scores(MAEPRUM ~ votes + by_grade(2))"),
    ("sample by group", "reliability(MAep + nxCG@10 ~ Gen5, repeats=(1, 2))"),
    ("sample by group", "power(MAP, repeats=(1, 3, 5))"),
    ("sample by group", "agreement(MAep ~ Gen5 + BinExh)"),
    ("sample by group", "curve(MAP)"),
    ("sample by group", "assessors(MAP, sets=200)"),
    ("sample", "assessors(MAP, sets=1000)"),
    ("sample cut short", f"scores({CHARACTERS} + MAP)"),
    ("sample planned", 'significance(P@10 ~ estimated("people", judge=assessor("second")))'),
    ("deep", f"scores({DOCUMENTS.replace('rel=2', 'rel=1.5')} + {OF_READING})"),
    ("retrieved", f"scores({DOCUMENTS.replace(' + MAP(rel=2)', '')} + {OF_READING})"),
    ("trec7", 'power(given("MAP"), topics=(10, 50))'),
    ("sample by document", f"scores({IN_CONTEXT})"),
    ("sample by document", "significance(MAgP)"),
    ("sample by document", "curve(iGP)"),
    ("focused", f"scores({CHARACTERS} + MAP)"),
    ("focused", "curve(MAiP)"),
    ("in context", f"scores({IN_CONTEXT} + {CHARACTERS} + MAP)"),
    ("in context", "curve(iGP + MAiP)"),
    ("best in context", f"scores({BEST_ENTRIES})"),
    ("thorough", 'scores(MAiP(overlap="unseen") + iP(overlap="unseen")@0.01)'),
    ("documents", f"scores({DOCUMENTS.replace(' + MAP(rel=2)', '')})"),
    ("documents", "curve(MAP)"),
    ("trec_eval", f"scores({DOCUMENTS.replace(' + MAP(rel=2)', '')})"),
    *((source, question) for source in ("trec5", "trec7") for question in ("significance(MAP)", "significance(MAP | t(tails=2) | Holm)")),
    ("trec7", "significance(MAP | wilcoxon | BH)"),
    ("trec7", "error_rate(MAP, splits=5)"),
    ("trec5", 'versus("run7", MAP)'),
    ("2004", f"scores({GAINS} ~ {OF_2004})"),
    ("2005", f"scores({GAINS} ~ {QUANTISATIONS})"),
    ("2005 as FOL", f"scores({CHARACTERS} + MAgP + MAgPsize)"),
    ("2005 as paths", f"scores({CHARACTERS} + MAgP + MAgPsize)"),
    ("crowd", f'scores({DOCUMENTS.replace(" + MAP(rel=2)", "")} ~ assessor("worker 1") + assessor("worker 5"))'),
    ("crowd", "assessors(MAP, sets=500)"),
    ("crowd", 'significance(MAP ~ assessor("worker 3"))'),
)
AS_INEX_EVAL: Final[tuple[tuple[str, str], ...]] = (
    ("sample", f"scores({CHARACTERS})"),
    ("sample by document", f"scores({IN_CONTEXT})"),
    ("focused", f"scores({CHARACTERS})"),
    ("focused", "curve(MAiP)"),
    ("in context", f"scores({IN_CONTEXT})"),
    ("best in context", f"scores({BEST_ENTRIES})"),
    ("thorough", 'scores(MAiP(overlap="unseen") + iP(overlap="unseen")@0.01)'),
    ("2005 as FOL", f"scores({CHARACTERS} + MAgP + MAgPsize)"),
)
"""Formulas that are also evaluated with ``compat="inex_eval"``."""

REPORTS: Final[tuple[tuple[str, Scoring], ...]] = (
    ("focused", scores(MAiP)),
    ("thorough", scores(MAiP(overlap="unseen"))),
    ("in context", scores(MAgP(beta=0.25))),
    ("best in context", scores(MAgP(score="bep", n=500))),
)
"""Runs for which the report of INEX's evaluator is printed."""


def answers(
    executor: Executor | None = None, sources: Container[str] = SOURCES, *, few: bool = False
) -> Iterator[tuple[str, Callable[[], str]]]:
    """Returns the formulas for some sources, by name, and the functions that evaluate them; with `few`, two formulas of each experiment."""
    asked = Counter[str]()
    for compat, questions in ((None, QUESTIONS), ("inex_eval", AS_INEX_EVAL)):
        for source, question in questions:
            if source in sources and not (few and asked[question.partition("(")[0]] >= 2):
                asked[question.partition("(")[0]] += 1
                name = f"{source} {question}" if compat is None else f"{source} {question} {compat}"
                yield name, partial(result, source, question, "inex_eval" if compat else None, executor)
    for source, experiment in REPORTS:
        if source in sources:
            yield f"{source} {experiment} report", partial(report, source, experiment)


def result(source: str, question: str, compat: Compat | None, executor: Executor | None = None) -> str:
    return run(question, SOURCES[source](), compat=compat, executor=executor).to_json()


def report(source: str, experiment: Scoring) -> str:
    collection = SOURCES[source]()
    assert isinstance(collection, Collection)
    return json.dumps(inex_eval_report(experiment, collection, compat="inex_eval", per_topic=True).splitlines(), indent=0)


@dataclass(frozen=True, slots=True)
class Difference:
    """Two different numbers at the same position."""

    before: float
    after: float

    @property
    def size(self) -> float:
        """The relative difference of the two numbers; infinite if only one number is finite."""
        if not (math.isfinite(self.before) and math.isfinite(self.after)):
            return math.inf
        return abs(self.before - self.after) / max(abs(self.before), abs(self.after), sys.float_info.min)


def write(folder: Path, executor: Executor | None = None, sources: Container[str] = SOURCES, *, few: bool = False) -> bool:
    """Writes the results of formulas, each to a file with the formula's name; returns whether all formulas were evaluated without error."""
    folder.mkdir(parents=True, exist_ok=True)
    errors = 0
    for name, answer in answers(executor, sources, few=few):
        start = time.perf_counter()
        try:
            text = answer()
        except ValueError as error:
            errors += 1
            text = json.dumps({"error": str(error)})
            print(f"{name}: {error}")
        (folder / f"{file_name(name)}.json").write_text(text.replace(f"{REAL}/", ""))  # warnings name files, whose folder may differ
        print(f"{time.perf_counter() - start:6.2f} s  {name}", flush=True)
    return errors == 0


def file_name(question: str) -> str:
    """Returns the name of a result's file: the words of the formula, and a hash that distinguishes long formulas."""
    return f"{re.sub('[^A-Za-z0-9]+', '-', question)[:80]}-{zlib.crc32(question.encode()):08x}"


def compare(before: Path, after: Path) -> bool:
    """Prints the files with different bytes, and their numeric differences; returns whether all files are equal."""
    names = sorted({path.name for folder in (before, after) for path in folder.glob("*.json")})
    same = 0
    for name in names:
        texts = [path.read_text() if (path := folder / name).exists() else None for folder in (before, after)]
        if texts[0] == texts[1]:
            same += 1
        elif None in texts:
            print(f"{name}: only in {before if texts[1] is None else after}")
        else:
            described(name, *(json.loads(text) for text in texts if text is not None))
    print(f"{same} of {len(names)} files are equal, byte for byte")
    return same == len(names) > 0


def described(name: str, before: Json, after: Json) -> None:
    """Prints the differences between two results: the columns with different numbers, their count and largest difference, and all other differences."""
    numbers: dict[str, list[float]] = {}
    others: Counter[str] = Counter()
    for place, found in differences("", before, after):
        if isinstance(found, Difference):
            numbers.setdefault(place, []).append(found.size)
        else:
            others[f"{place}: {found}"] += 1
    print(name)
    for place, sizes in numbers.items():
        exponents = Counter(math.ceil(math.log10(size)) if size < math.inf else size for size in sizes)
        spread = ", ".join(f"{count} below 1e{exponent}" for exponent, count in sorted(exponents.items()))
        print(f"  {place}: {len(sizes)} numbers differ, at most by {max(sizes):.1e} of their size ({spread})")
    for text, count in others.most_common(10):
        print(f"  {text} ({count} times)")
    if not numbers and not others:
        print("  the same values, written otherwise")


def differences(place: str, before: Json, after: Json) -> Iterator[tuple[str, Difference | str]]:
    """Returns the positions at which two results differ, without row numbers, and the differing values."""
    match before, after:
        case dict(), dict():
            for key in {**before, **after}:
                if key not in before or key not in after:
                    yield f"{place}.{key}", f"only {'before' if key in before else 'after'}"
                else:
                    yield from differences(f"{place}.{key}", before[key], after[key])
        case list(), list():
            if len(before) != len(after):
                yield place, f"{len(before)} before, {len(after)} after"
            for old, new in zip(before, after, strict=False):
                yield from differences(place, old, new)
        case ((int() | float()), (int() | float())) if not isinstance(before, bool) and not isinstance(after, bool):
            if before != after:
                yield place, Difference(before, after)
            elif math.copysign(1, before) != math.copysign(1, after):
                yield place, f"{before} before, {after} after"
        case _:
            texts = (json.dumps(before), json.dumps(after))  # True equals 1 in Python, but not in JSON
            if texts[0] != texts[1]:
                yield place, f"{texts[0][:100]} before, {texts[1][:100]} after"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of the results; with AFTER, of those before a change")
    parser.add_argument("after", type=Path, nargs="?", help="the folder of those after it")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.after is not None:
        return 0 if compare(options.folder, options.after) else 1
    if not REAL.is_dir():
        sys.exit(f"real data is not here: expected the folder {REAL}")
    return 0 if write(options.folder) else 1


if __name__ == "__main__":
    sys.exit(main())
