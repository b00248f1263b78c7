"""Commands that the reference shows with an entry: the same question as the entry's example in Python, on the command line.

A command runs in a copy of ``docs/files``. What it prints stands in the page, where ``docs/examples.py`` checks and renews it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import inexmetrics
from inexmetrics import Correction, Experiment, Measure, Quantisation, SignificanceTest, parse
from inexmetrics.formula.hints import example_formula
from inexmetrics.measures.base import Uncut
from inexmetrics.terms.lexicon import Entry, lexicon
from inexmetrics.terms.parameter_types import Integer

__all__ = ["COMMANDS", "commands_of"]

OF_2004: Final = "--assessments topic-127.xml --runs paths.xml "
"""Options of a command whose quantisation is defined on the scale of INEX 2004."""

COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "agreement": ('inexmetrics "agreement(BinExh, Gen5, measure=MAep)"',),
    "assessors": ('inexmetrics "assessors(MAP)" --table summary',),
    "calibration": ("inexmetrics 'calibration(given(\"accuracy\"))' --scores board.csv",),
    "correlation": ("inexmetrics 'correlation(MAep + nxCG@25 ~ Gen5 + BinExh, of=\"runs\", method=\"kendall\")'",),
    "curve": ('inexmetrics "curve(MAP ~ BinExh)" | head -12',),
    "degradation": ('inexmetrics "degradation(MAEPRUM(navigation=hierarchy) + iMAep ~ Gen5)" | head -22',),
    "design": ("inexmetrics 'design(MAP ~ pooled(3) + 1, truth=1, cost=(1, 1), topics=(7, 14, 200))'",),
    "disagreement": ('inexmetrics \'disagreement("group07-c", "group01-a", P@5 ~ assessor("second") + assessor("first"))\'',),
    "error_rate": ('inexmetrics "error_rate(MAep ~ Gen5, splits=10)" --no-progress',),
    "fidelity": ('inexmetrics "fidelity(MAgP + MAgPsize + MAP)" | head -17',),
    "judges": ("inexmetrics 'judges(MAP ~ assessor(\"second\"), truth=assessor(\"first\"))' --table judges",),
    "meta": ("inexmetrics 'meta(given(\"accuracy\"), within=\"family\")' --scores families.csv --only-runs amber basil cedar",),
    "power": ('inexmetrics "power(MAep ~ Gen5, difference=(0.01, 0.02), topics=(29, 34, 50, 100))"',),
    "ppi": (
        "inexmetrics 'ppi(MAP ~ assessor(\"llm\"), truth=assessor(\"human\"))' --scores two-judges.csv",
    ),
    "ranks": ('inexmetrics "ranks(MAep ~ Gen5 | tukey)" | head -24',),
    "reliability": ('inexmetrics "reliability(MAep ~ Gen5, topics=(34, 100))"',),
    "scores": ('inexmetrics "scores(MAep + nxCG@10 ~ Gen5)" | head -13',),
    "significance": ('inexmetrics "significance(MAep ~ Gen5 | t | Holm)" | head -12', 'inexmetrics "significance(MAP | Holm, margin=0.05)" | head -12'),
    "versus": ("inexmetrics 'versus(\"group01-a\", MAep ~ Gen5 | t | Holm)' --table versus | head -14",),
    "read_assessments": ("inexmetrics check --assessments small.qrels",),
    "read_runs": ('inexmetrics "scores(MAP)" --assessments small.qrels --runs a.run b.run',),
    "from_frames": ("inexmetrics 'scores(char_rec)' --assessments answers.csv --runs four-chunkers.jsonl",),
    "scores_from": ("inexmetrics 'ranks(given(\"accuracy\"))' --scores board.csv | head -12",),
    "inex_eval_report": ('inexmetrics "scores(MAgP)" --assessments honey.qrels --runs honey.run --format inex_eval --only-topics 301',),
    "sample": ('inexmetrics "scores(MAP)" | head -10',),
    "given": ("inexmetrics 'ranks(given(\"accuracy\"))' --scores board.csv | head -5",),
    "links": ("inexmetrics 'scores(EPRUM(navigation=clicks)@0.5)' --use web.py --assessments figure3.qrels --runs figure3.run | head -4",),
    "measure": ("inexmetrics 'scores(unjudged_share)' --use unjudged.py --assessments small.qrels --runs a.run | head -4",),
    "quantisation": ("inexmetrics 'scores(MAep ~ AnySpec)' --use words.py --assessments topic-7.xml --runs sections.xml | head -4",),
    "parse": ("inexmetrics 'agreement(BinExh,Gen5,measure=MAep)' | head -2",),
    "plan": ("inexmetrics plan 'P@2' --runs a.run b.run --budget 4",),
    "read_links": ("head -3 clicks.csv", "inexmetrics 'scores(EPRUM(navigation=clicks)@0.5)' --use web.py --assessments figure3.qrels --runs figure3.run | head -4"),
    "read_structure": ("head -3 structure.csv", "inexmetrics convert --runs sections.xml --structure structure.csv --format fol"),
    "read_topics": ("cat garden.tsv", "inexmetrics retrieve --documents garden --topics garden.tsv | head -3"),
    "retrieve": ("inexmetrics retrieve --documents garden --topics garden.tsv --unit articles",),
    "schema_of": ("inexmetrics schema | head -3",),
    "write_runs": ("inexmetrics convert --runs sections.xml --structure structure.csv --format fol",),
    "Assessments": ("inexmetrics check --assessments honey.qrels",),
    "Collection": ("inexmetrics check --assessments small.qrels --runs a.run b.run",),
    "CollectionError": ("inexmetrics check --assessments small.qrels --runs a.run broken.run | head -1",),
    "CollectionWarning": ("inexmetrics check --assessments small.qrels --runs graded.run | tail -2",),
    "Correction": ("inexmetrics list corrections | head -5",),
    "Cut": ("inexmetrics 'scores(nxCG@25 ~ Gen5)' | head -5",),
    "Experiment": ("inexmetrics explain power | head -5",),
    "Family": ("inexmetrics explain nxCG | head -4",),
    "FormulaError": ("inexmetrics 'ranks(MPA)' 2>&1 | head -4",),
    "Measure": ("inexmetrics explain nDCG | head -5",),
    "Navigation": ("inexmetrics list navigations | head -5",),
    "Preparation": ("inexmetrics list preparations | head -5",),
    "Problem": ("inexmetrics check --assessments small.qrels --runs a.run broken.run | head -1",),
    "Quantisation": ("inexmetrics explain Gen5 | head -5",),
    "Result": ("inexmetrics 'ranks(MAP)' --where 'rank <= 3' --format csv",),
    "Runs": ("inexmetrics check --assessments small.qrels --runs a.run b.run",),
    "Scores": ("inexmetrics check --scores board.csv",),
    "SignificanceTest": ("inexmetrics list tests | head -5",),
    "Structure": ("inexmetrics check --assessments topic-7.xml --runs sections.xml --structure structure.csv",),
    "Term": ("inexmetrics explain MAP | head -4",),
    "Topic": ("cat garden.tsv", "inexmetrics retrieve --documents garden --topics garden.tsv | head -3"),
    "Topics": ("cat garden.tsv", "inexmetrics retrieve --documents garden --topics garden.tsv | head -3"),
    "assessor": ("inexmetrics 'scores(MAP ~ assessor(\"second\"))' | head -5",),
    "jury": ("inexmetrics 'scores(P@2 ~ jury(\"ann\", \"bob\", \"eve\"))' --assessments voted.csv --runs voted.run | head -4",),
    "topics": ("inexmetrics 'scores(P@10 ~ topics(20, seed=1))' | head -5",),
    "pooled": ("inexmetrics 'scores(MAP ~ pooled(3))' | head -5",),
    "sampled": ("inexmetrics 'scores(MAP ~ sampled(0.5, seed=1))' | head -5",),
    "weighted": ("inexmetrics 'scores(P@10 ~ weighted(0.25))' | head -8",),
    "keep_first": ("inexmetrics 'scores(MAP)' --prepare 'keep_first(10)' | head -5",),
    "keep_characters": ("inexmetrics 'scores(char_prec)' --prepare 'keep_characters(4000)' | head -5",),
    "drop_query": ("inexmetrics 'scores(MAP)' --prepare drop_query | head -7",),
    "group_by_document": ("inexmetrics 'scores(MAgP)' --prepare group_by_document | head -5",),
    "remove_overlap": ("inexmetrics 'scores(MAep ~ Gen5)' --prepare 'remove_overlap(\"child\")' | head -5",),
    "best_entry": ("inexmetrics 'scores(MAep ~ Gen5)' --prepare 'best_entry(\"best\")' | head -5",),
    "without_too_small": ("inexmetrics 'scores(MAep ~ without_too_small(Gen5))' | head -5",),
    "min_size": ("inexmetrics 'scores(MAep ~ min_size(Gen5, 200))' | head -5",),
    "threshold": ("inexmetrics 'scores(MAep ~ threshold(Gen5, 0.1))' | head -5",),
    "by_grade": ("inexmetrics 'scores(EPRUM@0.5 ~ by_grade(3))' --assessments graded.qrels --runs graded.run | head -4",),
    "votes": ("inexmetrics 'scores(EPRUM@0.5 ~ votes)' --assessments voted.csv --runs voted.run | head -4",),
    "distance": ("inexmetrics 'scores(MAEPRUM(navigation=distance(0.01)) ~ Gen5)' --assessments topic-7.xml --runs sections.xml --structure structure.csv | head -4",),
    "bep": ("inexmetrics 'scores(MAEPRUM(navigation=bep(1000)))' --assessments honey.qrels --runs honey.run --only-topics 301 | head -4",),
    "tolerance": ("inexmetrics 'scores(MAEPRUM(navigation=tolerance(100)))' --assessments honey.qrels --runs honey.run --only-topics 301 | head -4",),
    "either": ("inexmetrics 'scores(MAEPRUM(navigation=either(hierarchy, none)) ~ Gen5)' | head -5",),
    "hierarchy": ("inexmetrics 'scores(MAEPRUM(navigation=hierarchy) ~ Gen5)' | head -5",),
    "none": ("inexmetrics 'scores(MAEPRUM(navigation=none) ~ Gen5)' | head -11",),
    "inex_eval": ("inexmetrics 'scores(inex_eval ~ Gen5)' | head -8",),
    "Strict5": ("inexmetrics 'scores(MAep ~ Strict5)' | head -11",),
    "randomisation": ("inexmetrics 'significance(MAP | randomisation | Holm)' | head -6",),
    "bootstrap": ("inexmetrics 'significance(MAP | bootstrap(b=20000) | Holm)' | head -9",),
    "estimated": ("inexmetrics 'scores(P@2 ~ estimated(\"ann\"))' --assessments ann=graded-plan.csv llm=small.qrels --runs a.run b.run | head -5",),
    "run": ('inexmetrics "scores(P@2)" --assessments small.qrels --runs a.run b.run',),
}  # fmt: skip
"""Commands that show an entry of the reference on the command line; other words are shown by a command of their kind."""


def commands_of(name: str) -> tuple[str, ...]:
    """Returns the commands of an entry: its own, or a command that shows a word as its kind is used; none if there is no command."""
    if name in COMMANDS or name not in inexmetrics.__all__:
        return COMMANDS.get(name, ())
    found = lexicon.find(name)
    formula, options = ("", "") if found is None else _usual(found)
    lines = 12 if formula.startswith(f"{name}(") else 4 if options else 6 if "significance" in formula else 5
    return (f"inexmetrics '{formula}' {options}| head -{lines}",) if formula else ()


def _usual(entry: Entry) -> tuple[str, str]:
    """Returns a formula that shows a word as its kind is used, and the options of its command."""
    word, value = entry.word, entry.value
    if issubclass(entry.sort, Experiment):
        return example_formula(entry, parse) or "", ""
    if isinstance(value, SignificanceTest):
        return f"significance(MAP | {word})", ""
    if isinstance(value, Correction):
        return f"significance(P@10 | t | {word})", ""  # under MAP, lenient corrections have a warning that `head` would hide
    if isinstance(value, Quantisation):
        return f"scores(MAep ~ {word})", "" if "inex2005" in value.scales else OF_2004
    if isinstance(value, Measure | Uncut):
        cut = "" if isinstance(value, Measure) else "@10" if isinstance(value.cuts, Integer) else "@0.1"
        return f"scores({word}{cut}{' ~ Gen5' if value.quantised == 'required' else ''})", ""
    return "", ""
