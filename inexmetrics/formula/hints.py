"""Hints about common mistakes in formulas, and names that other tools and papers use for terms of the formula language.

The names are also the source of docs/other-tools.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import alternatives, canonical, did_you_mean, shortened
from inexmetrics.experiments.base import Experiment
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.measures.base import Measure, Uncut
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import MEASURES_ELSEWHERE, Entry, Lexicon, lexicon, measure_here
from inexmetrics.terms.parameter_types import Choice, Integer, ListOf, Number, OneOrMore, Optional, ParameterType, Text
from inexmetrics.terms.term import TermOf, accepts, example_arguments, examples, parameters

__all__ = [
    "ELSEWHERE",
    "NOT_HERE",
    "OTHERWISE",
    "comma_hint",
    "cut_hint",
    "dotted",
    "elsewhere",
    "example_call",
    "example_formula",
    "example_of",
    "experiment_hint",
    "few",
    "hyphenated",
    "name_here",
    "otherwise",
    "parameter_hint",
    "quoted_hint",
    "text_due",
    "text_hint",
    "uncut_hint",
    "unquoted_hint",
    "word_hint",
]

ELSEWHERE: Final[Mapping[str, tuple[str, ...]]] = {
    **{name: (text,) for name, text in MEASURES_ELSEWHERE.items()},
    # MTEB, BEIR, ranx, and tools for retrieval-augmented generation
    "r-precision": ("Rprec",),
    "MRR": ("RR",),
    "precision": ("P@k", "char_prec"),
    "recall": ("R@k", "char_rec"),
    "F1": ("F@k", "char_f1"),
    "IoU": ("char_iou",),
    "hit": ("Success@k",),
    "hit_rate": ("Success@k",),
    "compare": ("significance",),
    # INEX
    "AiP": ("MAiP",),
    "AgP": ("MAgP",),
    "BEPD": ('MAgP(score="bep", a=0.1)',),
    "strict": ("Strict4", "Strict5"),
    "generalised": ("Gen4", "Gen5"),
    "generalized": ("Gen4", "Gen5"),
    # scipy, R, statsmodels
    "ttest": ("t",),
    "ttest_rel": ("t",),
    "permutation": ("randomisation",),
    "t_test": ("t",),
    "permutation_test": ("randomisation",),
    "fdr_bh": ("BH",),
    "fdr_by": ("BY",),
}
"""Maps names in other tools to the corresponding terms of the formula language, several if a name is ambiguous. Case is ignored, and a
cutoff is recognised after each name of a measure that has cutoffs here."""

NOT_HERE: Final = (
    "Accuracy", "alpha_nDCG", "BPM", "Compat", "ERR_IA", "GMAP", "gm_map", "infNDCG", "INST", "nERR_IA", "NRBP", "recall_cap", "SDCG", "SERR",
    "set_map",
)  # fmt: skip
"""Names of measures that other tools provide but the formula language does not."""

_RANK_CORRELATION: Final = 'correlation(MAP + P@10, of="runs", method="kendall") computes {}'
OTHERWISE: Final[Mapping[str, str]] = {
    "alpha": "corrections have alpha, as in significance(MAP | t | Holm(alpha=0.01))",
    "alternative": "t(tails=2) is two-sided, and t(tails=1) one-sided",
    "anova": "reliability(MAP) computes the analysis of variance",
    "baseline": 'versus("bm25", MAP | t | Holm) compares the other runs with a baseline',
    "cohen": "judges computes Cohen's kappa; significance and versus have Cohen's d as effect_size",
    "cohen_kappa": 'judges(assessor("llm"), truth=assessor("human")) computes kappa',
    "effect_size": "significance and versus have the column effect_size",
    "fdr": "corrections such as BH and BY control the false discovery rate",
    "fleiss": "assessors(MAP) computes Fleiss' kappa",
    "hits": "P@10 computes the number of hits among the first 10, divided by 10",
    "hole": "Judged@10 is the judged share of the first 10 results; holes are the others",
    "kappa": 'judges(assessor("llm"), truth=assessor("human")) computes kappa, and assessors(MAP) computes Fleiss\' kappa',
    "kendall": _RANK_CORRELATION.format("Kendall's tau"),
    "kendalltau": _RANK_CORRELATION.format("Kendall's tau"),
    "krippendorff": 'judges(assessor("llm"), truth=assessor("human")) computes Krippendorff\'s alpha',
    "pearson": 'correlation(MAP + P@10, method="pearson") computes Pearson\'s r',
    "pearsonr": 'correlation(MAP + P@10, method="pearson") computes Pearson\'s r',
    "plan": 'plan is a command, as in: inexmetrics plan "P@10" --runs runs/ --budget 500 --output batch.csv',
    "quotation": "locate_quotations, in Python, finds the offsets of quoted evidence",
    "quotations": "locate_quotations, in Python, finds the offsets of quoted evidence",
    "spearman": 'correlation(MAP + P@10, method="spearman") computes Spearman\'s rho',
    "spearmanr": 'correlation(MAP + P@10, method="spearman") computes Spearman\'s rho',
    "tau": _RANK_CORRELATION.format("Kendall's tau"),
    "iprec": "curve(MAP) computes interpolated precision at eleven levels of recall",
    "iprec_at_recall": "curve(MAP) computes interpolated precision at eleven levels of recall",
}
"""Maps a name in another tool to a hint, if no single term of the formula language corresponds to the name. The hint states which
formula or function gives the result. Keys are in lower case, without a number at the end."""

_FOLDED: Final = {name.lower(): texts for name, texts in ELSEWHERE.items()}
_STEMS: Final = {re.sub("(_cut)?_k$", "", name): texts for name, texts in _FOLDED.items()}
"""Maps the names of measures in other tools, without a cutoff and in lower case, to terms."""
_WITH_CUTOFF: Final = re.compile(r"(.+?)(?:_at_|_cut_|_|@|)([1-9][0-9]*)")
"""Pattern of all names with a cutoff in other tools: ``ndcg_cut_10``, ``ndcg_at_10``, ``ndcg_10``, ``ndcg@10`` and ``ndcg10``."""


def name_here(name: str) -> tuple[str, ...]:
    """Returns the terms that correspond to a name in another tool; an empty tuple if the name is unknown.

    Examples:
        >>> name_here("P_10"), name_here("Recall"), name_here("MAep")
        (('P@10',), ('R@k', 'char_rec'), ())
        >>> name_here("MRR@10"), name_here("recall_at_5"), name_here("ndcg20"), name_here("dcg_5")
        (('RR@10',), ('R@5',), ('nDCG@20',), ('DCG@5',))
    """
    name = name.lower()
    if name in _FOLDED:
        return _FOLDED[name]
    if (found := _WITH_CUTOFF.fullmatch(name)) is None:
        return ()
    stem, cutoff = found.groups()
    cut = {entry.word.lower(): entry.word for entry in lexicon.of(Uncut) if isinstance(entry.sort.cuts, Integer)}
    own = [cut[stem]] if stem in cut and stem != "f" else []  # F2 is a mean of precision and recall, without a cutoff
    known = (text.removesuffix("@k") for text in _STEMS.get(stem, ()))
    return tuple(f"{word}@{cutoff}" for word in dict.fromkeys([*own, *known]) if word in cut.values())


def elsewhere(name: str, fitting: Collection[str] | None = None) -> str | None:
    """Returns a hint with the terms that correspond to a name in another tool and fit, or else that in `OTHERWISE`; None for an unknown name."""
    meant = [text for text in name_here(name) if fitting is None or re.split("[@(]", text)[0] in fitting]
    return f"did you mean {alternatives(meant)}?" if meant else otherwise(name)


def otherwise(name: str) -> str | None:
    """Returns the hint in `OTHERWISE` for a name in another tool, or None for an unknown name; case and a number at the end are ignored.

    Examples:
        >>> otherwise("IPrec")
        'curve(MAP) computes interpolated precision at eleven levels of recall'
    """
    return OTHERWISE.get(re.sub(r"[_0-9]+$", "", name.lower()))


def hyphenated(text: str) -> str | None:
    """Returns a hint about a name in another tool that contains a hyphen, at the start of a text.

    Examples:
        >>> hyphenated("R-Precision + MAP")
        'did you mean Rprec?'
    """
    name = re.match(r"[\w-]+", text)
    return elsewhere(name[0]) if name else None


def dotted(word: str, number: str) -> str | None:
    """Returns a hint about a measure name of trec_eval with a number after a point, as in trec_eval's option ``-m``.

    Examples:
        >>> dotted("ndcg_cut", ".10")
        'did you mean nDCG@10?'
    """
    return elsewhere(f"{word}_{number.removeprefix('.')}")


CONDITIONS: Final = ("MAep ~ Gen5 + BinExh", "MAep + iMAep", 'MAP ~ assessor("llm")', "MAP")
"""Conditions of example formulas, of which each experiment accepts one."""
NUMBERS: Final = {"one": "1", "two": "2", "three": "3"}
"""Digits for numbers that are written as words, as in "two-tailed"."""
MOST_NAMED: Final = 6
"""Maximum number of names that a hint lists."""


def word_hint(word: str, fitting: Sequence[str], written: Callable[[str], str] = str) -> str | None:
    """Suggests a valid name in place of an unknown name, which may be a name in another tool, a misspelt name, or a name in the data.

    Args:
        word: The unknown name.
        fitting: The valid names.
        written: Function that returns a valid name as users write it, such as an example of its call.
    """
    if word.lower() in ("true", "false"):
        return None if word.istitle() else f"did you mean {word.capitalize()}?"
    if word in ("None", "null", "NULL"):
        return "omit a parameter to use its default value"
    if text := elsewhere(word, fitting):
        return text
    if re.sub(r"(_at)?_[0-9]+$", "", word.lower()) in {name.lower() for name in NOT_HERE}:
        return f'{word} is not a measure here; for scores computed elsewhere, write given("{word}")' if "given" in fitting else None
    return did_you_mean(word, fitting, written) or name_hint(word, fitting)


def unquoted_hint(value: object, fitting: Sequence[str]) -> str | None:
    """Suggests a term in place of a quoted string: the same name without quotes, or a term that refers to a name in the data."""
    if not isinstance(value, str):
        return None
    return f"write {value} without quotes" if value in fitting else name_hint(value, fitting)


def name_hint(word: str, fitting: Sequence[str]) -> str | None:
    """Suggests the term for a name that is a column of scores or an assessor in the data."""
    meant = {"given": "a column of scores computed elsewhere", "assessor": "the judgements of an assessor of this name"}
    match [called for called in meant if called in fitting]:
        case [called]:
            return f'for {meant[called]}, write {called}("{shortened(word)}")'
        case _:  # `given` and `assessor` are either both valid here or both invalid
            return None


def uncut_hint(value: object) -> str | None:
    """Suggests adding a cutoff to a family of measures."""
    if not isinstance(value, Uncut) or isinstance(value, Measure):
        return None
    return f"add a cutoff, as in {shortened(str(value))}@{10 if isinstance(value.cuts, Integer) else 0.1}"


def cut_hint(value: object, at: object, families: Sequence[Entry]) -> str | None:
    """Suggests an alternative to a cutoff if the measure does not accept one: the parameter `budget`, or measures that accept the cutoff."""
    if isinstance(value, Measure) and isinstance(at, int) and "budget" in parameters(type(value)):
        return f"to stop after {at} characters, write {value.word}(budget={at})"
    fitting = [entry.word for entry in families if entry.sort.cuts is not None and accepts(entry.sort.cuts, at)]
    return f"one of {', '.join(fitting)}" if fitting else None


def experiment_hint(value: object) -> str | None:
    """Suggests an experiment with the given measure, where an experiment is expected. For a family of measures, suggests a cutoff."""
    if not isinstance(value, Measure):
        return uncut_hint(value)
    return f"put an experiment around it, as in scores({shortened(str(value))}{' ~ Gen5' if value.quantised == 'required' else ''})"


def example_of(entry: Entry) -> str:
    """Returns a term with example values of its required arguments, as written in formulas."""
    if entry.value is not None:
        return entry.word
    kinds, stated = parameters(entry.sort), examples(entry.sort)
    needed = [name for name in entry.needed if name in kinds]
    return f"{entry.word}({', '.join(stated.get(name) or _example(kinds[name]) for name in needed)})"


def example_formula(entry: Entry, valid: Callable[[str], object], *conditions: str) -> str | None:
    """Returns an example formula that contains the name of the entry, or None if every candidate formula is invalid.

    Args:
        entry: The entry.
        valid: Returns whether a formula is valid, or raises `FormulaError`.
        conditions: The conditions that an experiment tries before others.
    """
    from inexmetrics.measures.navigation import Navigation  # imported here, because most requests need no example

    term = example_of(entry)
    if issubclass(entry.sort, Uncut) and not issubclass(entry.sort, Measure):
        term = f"{term}@{10 if isinstance(entry.sort.cuts, Integer) else 0.1}"
    if issubclass(entry.sort, Criterion):
        tried = [f"scores({measure} ~ {term})" for measure in ("MAep", "MAP", "P@10")]  # P@10: judgements that estimate
    elif issubclass(entry.sort, (Measure, Uncut)):
        tried = [f"scores({term} ~ Gen5)", f"scores({term})"]
    elif issubclass(entry.sort, Navigation):
        tried = [f"scores(MAEPRUM(navigation={term}) ~ Gen5)"]
    elif issubclass(entry.sort, (SignificanceTest, Correction)):
        tried = [f"significance(MAep ~ Gen5 | {term})"]
    elif issubclass(entry.sort, Experiment):
        tried = [f"{entry.word}({example_arguments(entry.sort, each)})" for each in (*conditions, *CONDITIONS)]
    else:
        tried = [term]
    for text in tried:
        with suppress(FormulaError):
            if valid(text):
                return text
    return None


def example_call(entry: Entry, valid: Callable[[str], object]) -> str:
    """Returns an example of a call of a term, as `example_formula` for an experiment, but with the conditions that most formulas have."""
    usual = ("MAP + P@10", "MAP", 'MAP ~ assessor("llm") + assessor("human")')
    return (example_formula(entry, valid, *usual) if issubclass(entry.sort, Experiment) else None) or example_of(entry)


def _example(kind: ParameterType[object]) -> str:
    """Returns an example value of a parameter's type."""
    match kind:
        case TermOf(sort):
            return "Gen5" if issubclass(sort, Criterion) else "MAP"
        case Choice(choices):
            return canonical(choices[0])
        case ListOf():
            return '"a", "b"'
        case Text() | OneOrMore(Text()):
            return '"name"'
        case _:
            return "0.5" if isinstance(kind, Number) else "100"


def comma_hint(value: object) -> str | None:
    """Suggests the operator that must replace a comma before a value."""
    if isinstance(value, Measure | Uncut):
        return "measures are joined by +, as in MAP + P@10"
    if isinstance(value, Criterion):
        return "quantisations come after ~ and are joined by +, as in MAep ~ Gen5 + BinExh"
    if isinstance(value, SignificanceTest | Correction):
        return f"tests and corrections come after |, as in | {shortened(str(value))}"
    return None


def text_due(kind: ParameterType[object]) -> Text | Choice[str] | None:
    """Returns the type of quoted strings that a parameter accepts, or None if the parameter does not accept quoted strings."""
    match _present(kind):
        case Text() | OneOrMore(Text()):
            return Text()
        case Choice() as choice:
            return choice
        case _:
            return None


def parameter_hint(name: str, names: Iterable[str], call: str = "") -> str | None:
    """Suggests a replacement for an unknown parameter: a formula with the same purpose, a similar name, or the list of valid names.

    Args:
        name: The unknown parameter.
        names: The valid names.
        call: Text of the call, which may be that of another tool.
    """
    names, here = list(names), measure_here(call := call.replace('"', "'"))
    return (
        f"did you mean {here}?"
        if here != call
        else otherwise(name) or did_you_mean(name, names) or (f"its parameters are {', '.join(names)}" if names else None)
    )


def few(entries: Sequence[Entry]) -> str | None:
    """Lists the valid names if there are at most six; otherwise returns None."""
    return f"one of {', '.join(entry.head for entry in entries)}" if 1 < len(entries) <= MOST_NAMED else None


def quoted_hint(word: str, due: Text | Choice[str]) -> str | None:
    """Suggests a quoted string in place of a name without quotes."""
    if isinstance(due, Choice) and word not in due.choices:
        return did_you_mean(word, due.choices, canonical)
    return f'write "{shortened(word)}"'


def text_hint(value: object, kind: ParameterType[object], lexicon: Lexicon) -> str | None:
    """Suggests the number or the name to write, without quotes, in place of a quoted string."""
    if not isinstance(value, str):
        return None
    match _present(kind):
        case Integer() | Number() if (number := NUMBERS.get(value.lower().partition("-")[0], value)).replace(".", "", 1).isdigit():
            return f"write {number}" if accepts(kind, float(number)) else None
        case TermOf(sort) if value in {entry.word for entry in lexicon.of(sort)}:
            return f"write {value} without quotes"
        case _:
            return None


def _present(kind: ParameterType[object]) -> ParameterType[object]:
    """Returns X if the parameter type is `Optional(X)`; otherwise returns the type unchanged."""
    return kind.kind if isinstance(kind, Optional) else kind
