"""Terms of the formula language: their parameters, their names, and terms added by users. What declares a term is imported from here."""

from inexmetrics.terms.lexicon import CustomTerm, Entry, Lexicon, word
from inexmetrics.terms.parameter_types import Bool, Choice, Integer, ListOf, Made, Number, OneOrMore, Optional, Text, Texts, argument, flags
from inexmetrics.terms.term import Term, TermOf, parameter, parameters, required, terms_within

__all__ = [
    "Bool", "Choice", "CustomTerm", "Entry", "Integer", "Lexicon", "ListOf", "Made", "Number", "OneOrMore", "Optional", "Term", "TermOf", "Text",
    "Texts", "argument", "flags", "parameter", "parameters", "required", "terms_within", "word",
]  # fmt: skip
