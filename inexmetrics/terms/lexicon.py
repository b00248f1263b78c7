"""The names in the formula language, the terms made from users' functions, and the names of measures in other programs.

Each name in the formula language is declared in one place. A decorated user function becomes a term of the formula language. The term has
the function's name, which is declared only in the current process.
"""

from __future__ import annotations

import importlib
import inspect
import keyword
import pickle
import re
import sys
from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from operator import attrgetter
from types import MappingProxyType
from typing import ClassVar, Final, Self, TypeVar, cast

from inexmetrics.common import errors, messages, public_names
from inexmetrics.terms import docstrings
from inexmetrics.terms.term import Term

__all__ = [
    "MEASURES_ELSEWHERE",
    "CustomTerm",
    "Entry",
    "Lexicon",
    "declared",
    "is_measure_elsewhere",
    "lexicon",
    "like_a_measure",
    "measure_here",
    "without_parameters",
    "word",
]

MEASURES_ELSEWHERE: Final[Mapping[str, str]] = {
    # names in trec_eval; k is any cutoff
    "map": "MAP",
    "P_k": "P@k",
    "recall_k": "R@k",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "ndcg_cut_k": "nDCG@k",
    "map_cut_k": "MAP@k",
    "success_k": "Success@k",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "rbp": "RBP(p=0.9)",
    "rbp_resid": "RBPresidual(p=0.9)",
    # names in ir_measures
    "AP": "MAP",
    "Bpref": "bpref",
    "nDCG(dcg='exp-log2')": 'nDCG(gains="exponential")',
    "nDCG(dcg='log2')": "nDCG",
}
"""The name in inexmetrics for each measure name of trec_eval or ir_measures; k is a cutoff."""

_ELSEWHERE: Final = re.compile(
    r"(P|recall|ndcg_cut|success|map_cut|relative_P|iprec_at_recall|Rprec_mult)_[\d.]+|set_[A-Za-z_]+[\d.]*|11pt_avg|"
    r"(gm_)?(map|bpref)|ndcg(_rel)?|num_(q|ret|rel|rel_ret|nonrel_judged_ret)|recip_rank|Rprec|infAP|G|binG|Rndcg|yaap|utility|"
    r"runid|relstring|AP|MAP|RR|MRR|nDCG|[A-Za-z]\w*(\(.*\))?@\d+"
)


def measure_here(name: str) -> str:
    """Returns the name in inexmetrics for a measure name of trec_eval or ir_measures; unknown names are returned unchanged.

    Examples:
        >>> [measure_here(name) for name in ("map", "P_10", "ndcg_cut_5", "iprec_at_recall_0.10")]
        ['MAP', 'P@10', 'nDCG@5', 'iprec_at_recall_0.10']
        >>> [measure_here(name) for name in ("AP", "AP(rel=2)", "AP@10", "nDCG@5")]
        ['MAP', 'MAP(rel=2)', 'MAP@10', 'nDCG@5']
        >>> [measure_here(name) for name in ("set_F", "rbp", "nDCG(dcg='exp-log2')@10")]
        ['SetF', 'RBP(p=0.9)', 'nDCG(gains="exponential")@10']
    """
    if name in MEASURES_ELSEWHERE:
        return MEASURES_ELSEWHERE[name]
    uncut, at, cutoff = name.partition("@")
    if at and (uncut in MEASURES_ELSEWHERE or uncut.partition("(")[0] in MEASURES_ELSEWHERE):
        return f"{measure_here(uncut)}@{cutoff}"
    stem, _, cutoff = name.rpartition("_")
    if cutoff.isdecimal() and f"{stem}_k" in MEASURES_ELSEWHERE:
        return MEASURES_ELSEWHERE[f"{stem}_k"].replace("@k", f"@{cutoff}")
    word, bracket, parameters = name.partition("(")
    if word in MEASURES_ELSEWHERE and re.fullmatch(r"rel=\d+\)", parameters):
        return f"{MEASURES_ELSEWHERE[word]}{bracket}{parameters}"
    return name


_OF_EVALUATOR: Final = re.compile(r"(MAgP)(\(.*\))?|gP(\(.*\))?@(\d+)")


def without_parameters(name: str) -> str | None:
    """Returns the name that INEX's evaluator prints for a measure whose parameters it does not print; None for other measures.

    Examples:
        >>> [without_parameters(name) for name in ("MAgP(beta=0.25)", "gP@10", "gR@10")]
        ['AgP', 'gP[10]', None]
    """
    found = _OF_EVALUATOR.fullmatch(name)
    return None if found is None else "AgP" if found[1] else f"gP[{found[4]}]"


def is_measure_elsewhere(name: str) -> bool:
    """Returns whether trec_eval prints values with this name, or ir_measures has a measure with this name.

    Examples:
        >>> [is_measure_elsewhere(name) for name in ("map", "P_10", "iprec_at_recall_0.10", "401", "topic")]
        [True, True, True, False, False]
    """
    return _ELSEWHERE.fullmatch(name) is not None


_KNOWN: Final = {"precision", "recall"} | {
    re.sub(r"[(@].*", "", name).lower() for known in MEASURES_ELSEWHERE.items() for name in known if re.match(r"\w{2}", name)
}
"""Names of measures without parameters and cutoff, here and in other tools (the first two in BEIR), in lower case."""


_PLAIN: Final = frozenset({
    "hit", "hits", "hitrate", "f1", "em", "exactmatch", "bleu", "rouge", "rouge1", "rouge2", "rougel", "rougelsum", "meteor", "chrf",
    "faithfulness", "groundedness", "answerrelevancy", "answerrelevance", "responserelevancy", "answercorrectness", "answersimilarity",
    "semanticsimilarity", "factualcorrectness", "contextrecall", "contextprecision", "contextrelevancy", "contextrelevance",
    "contextentityrecall", "contextutilization", "contextualrecall", "contextualprecision", "contextualrelevancy",
})  # fmt: skip
"""Names of measures of results, texts and generated answers in other tools, in lower case and without signs and cutoff."""


def like_a_measure(name: str) -> bool:
    """Returns whether a name is that of a measure in another tool, in any case; a name before a cutoff must be known, because runs have revisions.

    Examples:
        >>> [
        ...     like_a_measure(name)
        ...     for name in ("NDCG@10", "ndcg_at_10", "P_5", "mrr", "Hit Rate@5", "Answer Relevancy")
        ... ]
        [True, True, True, True, True, True]
        >>> [like_a_measure(name) for name in ("Q10", "nq", "bert@2", "p", "NDCG@10 (nq)")]
        [False, False, False, False, False]
    """
    uncut, at, cutoff = name.partition("@")
    if at and not re.fullmatch(r"[\d.]+", cutoff):
        return False
    if re.sub(r"[\W_]", "", uncut.lower()).removesuffix("score") in _PLAIN:
        return True
    word = uncut.partition("(")[0].lower()
    if at and word not in _KNOWN | {"p", "r"}:
        return False
    forms = (name, name.lower(), *([name.upper()] if len(word) > 1 else []))
    return word in _KNOWN or any(is_measure_elsewhere(re.sub(r"_at_(?=\d+$)", "@", each)) for each in forms)


M = TypeVar("M", bound=Callable[..., Term])


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry of the lexicon: a name of the formula language, the class of the terms with this name, and the function that makes the terms.

    Attributes:
        word: The name.
        sort: The kind of the terms with this name, as a Python class.
        value: The term that the name denotes without arguments, or None if the name must be called with arguments.
        make: The class or function that makes a term from arguments.
    """

    word: str
    sort: type[Term]
    value: Term | None
    make: Callable[..., Term]

    @property
    def needed(self) -> tuple[str, ...]:
        """Names of the required arguments; empty if the name can be used without arguments.

        If every argument is optional but at least one argument must be given, the only name is that of the first argument.
        """
        if self.value is not None:
            return ()
        declared = inspect.signature(self.make).parameters.values()
        return tuple(parameter.name for parameter in declared if parameter.default is parameter.empty) or (next(iter(declared)).name,)

    @property
    def head(self) -> str:
        """The name as users write it, with the required arguments in parentheses if there are any."""
        return f"{self.word}({', '.join(self.needed)})" if self.needed else self.word

    @property
    def summary(self) -> str:
        """First line of the documentation of the name."""
        return self.documentation.split("\n", 1)[0]

    @property
    def documentation(self) -> str:
        """The documentation: the docstring of the class or function that makes the terms."""
        return inspect.getdoc(self.make) or ""


class Lexicon:
    """The names in the formula language. Names can be added but not replaced, except by a repeated cell of an interactive session.

    Args:
        modules: The module that declares each name of the package; a module is loaded when one of the names that it declares is first used.
    """

    __slots__ = ("_entries", "_modules")

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._entries: dict[str, Entry] = {}
        self._modules = modules

    def add(self, word: str, sort: type[Term], value: Term | None, make: Callable[..., Term]) -> None:
        """Adds a name. Raises `ValueError` if the name exists."""
        taken = self.find(word)
        if taken is not None and not _same_cell(taken.make, make):
            raise ValueError(f"the name {word!r} is already used by {messages.with_article(taken.sort.category)}; choose another name")
        self._entries[word] = Entry(word, sort, value, make)

    def find(self, word: str) -> Entry | None:
        """Returns the entry for a name, or None if the name is unknown."""
        if word not in self._entries and word in self._modules:
            importlib.import_module(self._modules[word])
        return self._entries.get(word)

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Returns all entries by name. Loads every module that declares a name of the formula language."""
        for module in dict.fromkeys(self._modules.values()):
            importlib.import_module(module)
        return MappingProxyType(self._entries)

    def of(self, *sorts: type[Term]) -> tuple[Entry, ...]:
        """Returns the entries of the given classes of terms; names that can be used without arguments come before other names."""
        fitting = (entry for entry in self.entries.values() if issubclass(entry.sort, sorts))
        return tuple(sorted(fitting, key=lambda entry: (entry.value is None, entry.sort.__module__)))


def _same_cell(old: Callable[..., Term], new: Callable[..., Term]) -> bool:
    """Returns whether two functions or classes have the same name in an interactive session, such as a notebook, whose cells may run again."""
    same = old.__module__ == new.__module__ == "__main__" and old.__qualname__ == new.__qualname__
    return same and not hasattr(sys.modules["__main__"], "__file__")


lexicon: Final = Lexicon(public_names.module_of_name())


def word(text: str, sort: type[Term] | None = None) -> Callable[[M], M]:
    """Returns a decorator that gives a name to a class of terms, or to a function that makes terms of the class `sort`.

    For example, ``@word("MAP")`` decorates a class, and ``@word("agreement", Agreement)`` a function. If a class is decorated, the
    decorator is written on the line above ``@dataclass(frozen=True, slots=True, repr=False)``. If all parameters have defaults, the name
    without parentheses is the term with the default values. In formulas, functions and classes with required arguments are called with
    parentheses.
    """

    def declare(make: M) -> M:
        made: object = make if sort is None else sort
        if not (isinstance(made, type) and issubclass(made, Term)):
            raise TypeError(f"{make.__name__} is not a term")
        if make.__module__ != made.__module__ and made.word != text:
            # Unpickling imports only the module of the class.
            raise TypeError(
                f"the class {made.__name__} is called by a function of another module: expected {made.__name__}.word = {text!r}"
            )
        made.word = text
        if made.__doc__:  # python -OO removes docstrings
            made.__doc__ = docstrings.of_class(made)
        if sort is not None and make.__doc__:
            make.__doc__ = docstrings.of_function(make, made)
        must_be_called = sort is not None or any(declared.default is MISSING for declared in fields(made) if "kind" in declared.metadata)
        lexicon.add(text, made, None if must_be_called else made(), make)
        return make

    return declare


F = TypeVar("F", bound=Callable[..., object])
W = TypeVar("W", bound="CustomTerm")


class CustomTerm(Term, ABC):
    """A term made from a user's function. Each custom term has its own class, in which the user's function is a static method."""

    __slots__ = ()

    function: ClassVar[Callable[..., object]]
    """The decorated function."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[str, str], CustomTerm], tuple[str, str]]:
        """Pickles the term by name, as Python pickles functions. Unpickling imports the module that declares the term."""
        module, name = type(self).__module__, type(self).__qualname__
        if _find(module, name) is not self:
            raise pickle.PicklingError(
                f"the {self.category} {self.word} cannot be pickled: expected the name {name} in the module {module}; "
                "define it at the top level of a module, with the same name as its function"
            )
        return _recall, (module, name)


def declared(base: type[W], function: F, check: Callable[[F, str], None]) -> W:
    """Makes a term from a user's function and declares the term's name in the formula language.

    Args:
        base: Base class of the term: a class of quantisations, or a class of measures without parameters.
        function: The user's function; its name is the term's name, and its docstring is the term's documentation.
        check: A function that raises `FormulaError` if the user's function is unsuitable; the arguments of the check are the user's
            function and the function's name.

    Raises:
        ValueError: The name already exists in the formula language.
        FormulaError: The name is not a valid identifier, or the function is unsuitable.
    """
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        raise errors.FormulaError(f"{base.category}: expected a function, found a Python {type(function).__name__}")
    if not name.isidentifier() or keyword.iskeyword(name) or not name.replace("_", "a").isalnum():
        raise errors.FormulaError(f"{base.category}: expected a function whose name is a word of letters, digits and '_', found {name}")
    check(function, name)
    namespace = {
        "function": staticmethod(function),
        "word": name,
        "__doc__": inspect.getdoc(function) or f"{name}, a {base.category} of your own.",
        "__module__": function.__module__,
        "__qualname__": function.__qualname__,
    }
    sort = dataclass(frozen=True, slots=True, repr=False)(cast("type[W]", type(name, (base,), namespace)))
    sort.__doc__ = docstrings.of_class(sort)
    value = sort()
    lexicon.add(name, sort, value, sort)
    return value


def _find(module: str, name: str) -> object:
    """Returns the object with a dotted name in a module, or None if the module is not loaded or does not define the name."""
    try:
        return attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError):
        return None


def _recall(module: str, name: str) -> CustomTerm:
    """Returns the term that a module declares; imports the module if necessary."""
    importlib.import_module(module)
    value = _find(module, name)
    if not isinstance(value, CustomTerm):
        raise pickle.UnpicklingError(f"expected the module {module} to declare {name}, as in the process that sent the task")
    return value
