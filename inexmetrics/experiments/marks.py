"""Markers, such as letters and daggers, that show significant differences next to the means of runs in a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import polars as pl

from inexmetrics.collection.condition_names import condition_text
from inexmetrics.experiments.findings import named_run
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.report.forms import CONDITION, lead

if TYPE_CHECKING:
    from inexmetrics.experiments.significance import SignificanceResult
    from inexmetrics.experiments.versus import VersusResult

__all__ = ["NO_MARKS", "Mark", "Marks", "Tests", "marks_of"]

Tests: TypeAlias = "SignificanceResult | VersusResult"
"""Results of tests whose significant differences can be marked in a table of means."""
HIGHEST: Final = {"higher": "highest", "lower": "lowest", "better": "best"}
LETTERED: Final = 12
"""Maximum number of runs, or of baselines, that markers can identify by letters."""
FEW_LETTERS: Final = 5
"""Maximum number of letters of a marker; in a longer marker, consecutive letters are written as a range."""
SIGNS: Final = {"^": "Letters above a mean", "_": "Letters below a mean", "†": r"$\dagger$", "‡": r"$\ddagger$"}
"""Maps the first character of a marker, as written in text and Markdown, to the name of this kind of marker in LaTeX captions.

In text and Markdown, markers that consist of letters begin with ^ (letters above the mean) or _ (letters below the mean).
"""


class Mark(NamedTuple):
    """The marker next to a mean in a table, such as the letters bc or a dagger.

    Attributes:
        over: The superscript, which consists of letters or of a dagger.
        under: The subscript, which consists of letters.
    """

    over: str = ""
    under: str = ""

    @property
    def text(self) -> str:
        """The marker for text and Markdown, such as ``^bc`` or ``†``."""
        return " ".join(f"{sign}{marks}" if marks[0].isascii() else marks for sign, marks in zip("^_", self, strict=True) if marks)

    @property
    def latex(self) -> str:
        """The marker in LaTeX mathematics, such as ``^{bc}``."""
        over = self.over.replace("†", r"\dagger").replace("‡", r"\ddagger")
        return "".join(f"{sign}{{{marks}}}" for sign, marks in (("^", over), ("_", self.under)) if marks)


class Marks(NamedTuple):
    """The markers of a table of means.

    Attributes:
        letters: The letter of each run in table order, or an empty text for a run without a letter. Empty if the markers do not use
            letters.
        above: Maps each condition (measure and quantisation) to the markers of its means, in run order.
        meaning: The meaning of each marker.
    """

    letters: tuple[str, ...]
    above: Mapping[tuple[str, str], list[Mark]]
    meaning: Mapping[str, str]

    @property
    def text(self) -> str:
        """The meaning of the markers, for text and Markdown."""
        return "; ".join(f"{sign}: {said}" for sign, said in self.meaning.items())

    @property
    def latex(self) -> str:
        """The meaning of the markers, as sentences of a LaTeX caption."""
        from inexmetrics.report.paper_tables import escaped  # loaded only for LaTeX

        return " ".join(f"{SIGNS[sign]}: {escaped(said)}." for sign, said in self.meaning.items())


NO_MARKS: Final = Marks((), {}, {})


def marks_of(means: pl.DataFrame, runs: list[str], tests: Tests) -> Marks:
    """Returns the markers for a table of means, based on tests of the same runs under the same conditions.

    If all pairs of up to twelve runs were tested, each mean is marked with the letters of the runs whose means are significantly lower.
    With more than twelve runs, a dagger marks means that are significantly lower than the highest mean. If runs were tested against one
    baseline, a dagger marks means that are significantly higher than the baseline's mean, and a double dagger marks means that are
    significantly lower. If runs were tested against several baselines, superscript letters name the baselines with significantly lower
    means, and subscript letters name the baselines with significantly higher means.

    Args:
        means: The table whose means are marked.
        runs: The runs in display order.
        tests: The result of `significance` or `versus`.

    Raises:
        ValueError: The runs or conditions of the tests differ from those of the means.
    """
    above = _significantly_above(tests)
    tested = {run for each in above.values() for pair in each for run in pair}
    if tested != set(runs):
        odd = sorted(tested ^ set(runs))[0]
        raise ValueError(f"marks: expected tests of the same runs as the means, found run {odd} in only one of the two results")
    conditions: list[tuple[str, str]] = means.select(CONDITION).unique(maintain_order=True).rows()
    missing = [condition for condition in conditions if condition not in above]
    if missing:
        raise ValueError(f"marks: expected tests under {condition_text(*missing[0])}, found none: {tests.experiment}")
    higher = {key: {pair for pair, significant in above[key].items() if significant} for key in conditions}
    lower = {measure in tests.origin.lower for measure, _ in conditions}
    said = ("better", "worse") if len(lower) > 1 else ("lower", "higher") if True in lower else ("higher", "lower")
    if "versus" in tests.tables:
        return _against(tests.table["run_id"].unique(maintain_order=True).to_list(), runs, higher, said)
    if len(runs) <= LETTERED:
        letters = dict(zip(runs, ascii_lowercase, strict=False))
        marks = {
            key: [Mark(_letters(letters[other] for other in runs if (run, other) in pairs)) for run in runs]
            for key, pairs in higher.items()
        }
        return Marks(tuple(letters.values()), marks, {"^": f"significantly {said[0]} than the runs with these letters"})
    best = {key: means.filter(measure=key[0], quantisation=key[1])["run_id"][0] for key in conditions}
    daggers = {key: [Mark("†" if (best[key], run) in pairs else "") for run in runs] for key, pairs in higher.items()}
    return Marks((), daggers, {"†": f"significantly {said[1]} than the {HIGHEST[said[0]]} mean of the column"})


def _against(baselines: list[str], runs: list[str], higher: Mapping[tuple[str, str], set[tuple[str, str]]], said: tuple[str, str]) -> Marks:
    """Returns the markers from tests of runs against baselines; `said` are the words for a better and a worse mean."""
    better, worse = said
    if len(baselines) == 1:
        (baseline,) = baselines
        daggers = {
            key: [Mark("†" if (run, baseline) in pairs else "‡" if (baseline, run) in pairs else "") for run in runs]
            for key, pairs in higher.items()
        }
        return Marks((), daggers, {"†": f"significantly {better} than {named_run(baseline)}", "‡": f"significantly {worse}"})
    if len(baselines) > LETTERED:
        raise ValueError(f"marks: expected at most {LETTERED} baselines, found {len(baselines)}")
    letters = dict(zip((run for run in runs if run in baselines), ascii_lowercase, strict=False))
    marks = {
        key: [
            Mark(
                _letters(letter for baseline, letter in letters.items() if (run, baseline) in pairs),
                _letters(letter for baseline, letter in letters.items() if (baseline, run) in pairs),
            )
            for run in runs
        ]
        for key, pairs in higher.items()
    }
    meaning = {"^": f"significantly {better} than the runs with these letters", "_": f"significantly {worse}"}
    return Marks(tuple(letters.get(run, "") for run in runs), marks, meaning)


def _significantly_above(tests: Tests) -> dict[tuple[str, str], dict[tuple[str, str], bool]]:
    """Returns, by condition, whether the runs of each tested pair differ significantly; the first run of a pair has the higher mean."""
    if "versus" in tests.tables:
        ahead = lead(tests.origin.lower) > 0
        rows = tests.table.with_columns(
            better=pl.when(ahead).then("run_id").otherwise("opponent"), worse=pl.when(ahead).then("opponent").otherwise("run_id")
        )
    else:
        rows = tests.tables.get("pairs", pl.DataFrame())
    if not {*CONDITION, "better", "worse", "significant"} <= set(rows.columns):
        raise ValueError(f"marks: expected the result of significance or versus, found the result of {tests.experiment.word}")
    found: dict[tuple[str, str], dict[tuple[str, str], bool]] = {}
    higher = pl.col("significant") & (pl.col("difference").abs() > TOLERANCE)  # a difference of 0 is never marked
    for measure, quantisation, better, worse, significant in rows.select(*CONDITION, "better", "worse", higher).iter_rows():
        found.setdefault((measure, quantisation), {})[better, worse] = significant
    return found


def _letters(letters: Iterable[str]) -> str:
    """Joins letters; if there are more than five letters, three or more consecutive letters are written as a range, such as c-g.

    Examples:
        >>> _letters("abd"), _letters("acdefgj"), _letters("cdefghijkl")
        ('abd', 'a,c-g,j', 'c-l')
    """
    row = "".join(letters)
    if len(row) <= FEW_LETTERS:
        return row
    parts = ["".join(letter for _, letter in group) for _, group in groupby(enumerate(row), lambda item: ord(item[1]) - item[0])]
    return ",".join(part if len(part) < 3 else f"{part[0]}-{part[-1]}" for part in parts)
