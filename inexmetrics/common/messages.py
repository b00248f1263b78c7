"""Formatting of values, names and counts in messages, and hints about misspelt words."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Number
from typing import Final

__all__ = [
    "INDEX",
    "LONGEST_NAME",
    "alternatives",
    "and_more",
    "canonical",
    "column_names",
    "describe",
    "did_you_mean",
    "enumerate_names",
    "enumerate_texts",
    "filled",
    "filled_formula",
    "install_command",
    "option",
    "percentage",
    "plural",
    "printable",
    "shortened",
    "told_apart",
    "with_article",
    "with_hint",
]

SHOWN_NAMES: Final = 5
INDEX: Final = "the index of the frame"
NO_HEADING: Final = "the column without a heading"
QUOTED_SPACE: Final = "\ue000"
"""Character that stands for a space in a quoted word while lines are wrapped."""
LONGEST_NAME: Final = 40
"""Maximum number of characters of an identifier, such as the text of a question, in a message."""
LONGEST_QUOTED: Final = 60
"""Maximum number of characters of a text that an error message quotes."""

FLAGS: Final[Mapping[str, str]] = {"topics": "topics-column", "runs": "runs-column"}
"""Options of the command line whose names differ from the arguments of `scores_from`."""


def and_more(shown: Sequence[str], total: int, separator: str = ", ") -> str:
    """Joins the items that are shown, and appends how many more items there are; `total` is the number of all items."""
    return separator.join(shown) + (f" and {total - len(shown)} more" if total > len(shown) else "")


def enumerate_names(names: Sequence[str]) -> str:
    """Joins the first five names, each shortened as far as they differ, and appends the number of remaining names.

    Examples:
        >>> enumerate_names([f"{'a model with a long name ' * 2}{size}b" for size in (7, 70)])
        'a model with a lon...with a long name 7b, a model with a lon...ith a long name 70b'
    """
    shown = names[:SHOWN_NAMES]
    short = told_apart(shown)
    return and_more([short[name] for name in shown], len(names))


def column_names(names: Sequence[str], unnamed: str = NO_HEADING) -> str:
    """Joins the names of columns as `enumerate_names` does; a column without a heading is called so, or `unnamed`.

    Examples:
        >>> column_names(["", "question", "score"])
        'the column without a heading, question, score'
    """
    return enumerate_names([name or unnamed for name in names])


def enumerate_texts(texts: Sequence[str]) -> str:
    """Joins the first five texts in full, such as formulas or a name with a count, and appends the number of remaining texts."""
    return and_more(texts[:SHOWN_NAMES], len(texts))


def alternatives(names: Sequence[str]) -> str:
    """Joins names with commas and "or".

    Examples:
        >>> (
        ...     alternatives(["qid"]),
        ...     alternatives(["qid", "topic"]),
        ...     alternatives(["qid", "query_id", "topic"]),
        ... )
        ('qid', 'qid or topic', 'qid, query_id or topic')
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def plural(count: int, noun: str, one: str = "", many: str = "", *, nouns: str | None = None) -> str:
    """Formats a count and its noun, followed by a phrase that depends on whether the count is 1.

    Args:
        count: Number.
        noun: Singular noun.
        one: Text that follows the noun if the count is 1, such as "is".
        many: Text that follows the noun if the count is not 1, such as "are".
        nouns: Plural noun; by default, the singular noun followed by s.

    Examples:
        >>> plural(1, "run"), plural(2, "topic"), plural(0, "hypothesis", nouns="hypotheses")
        ('1 run', '2 topics', '0 hypotheses')
        >>> plural(1, "topic", "is", "are") + " scored 0"
        '1 topic is scored 0'
    """
    words = (noun, one) if count == 1 else (nouns or f"{noun}s", many)
    return " ".join(filter(None, (str(count), *words)))


def with_article(noun: str) -> str:
    """Returns a noun with its indefinite article: *an experiment*, *a measure*."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def install_command(extra: str) -> str:
    """Returns the commands that install an optional extra of the package from PyPI and from a clone of the repository."""
    return f'pip install "inexmetrics[{extra}]" (in a clone of the repository: pip install ".[{extra}]")'


def describe(value: object) -> str:
    """Describes a value for an error message, by its text and, if the value is a term, its category."""
    if value is None:
        return "nothing"
    if isinstance(value, Number) and hasattr(value, "item"):
        value = value.item()  # converts a numpy number into a Python number
    if isinstance(value, (str, bool, int, float)):
        return shortened(canonical(value))
    if isinstance(value, tuple):
        return f"{len(value)} values in parentheses"
    category = getattr(value, "category", None)
    return (
        f"the {category} {shortened(str(value))}"
        if isinstance(category, str) and not isinstance(value, type)
        else f"a Python {type(value).__name__}"
    )


def canonical(value: object) -> str:
    """Formats a value as in formulas: integers without a decimal point, strings in double quotes, terms as printed."""
    if value is None:
        return "1"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, int):
        # Python cannot format integers with thousands of digits. No parameter accepts such integers.
        return str(value) if abs(value) < 10**30 else "a number of more than 30 digits"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    if isinstance(value, tuple):
        return "(" + ", ".join(canonical(item) for item in value) + ("," if len(value) == 1 else "") + ")"
    return str(value)


def percentage(part: float, whole: float = 1.0) -> str:
    """Formats a share as a percentage without decimals; a share strictly between 0 and 1 is never printed as 0 % or 100 %.

    Examples:
        >>> percentage(216, 243), percentage(0.005), percentage(999, 1000)
        ('89 %', 'under 1 %', 'over 99 %')
    """
    share = part / whole
    if 0.0 < share <= 0.005:
        return "under 1 %"
    if 0.995 <= share < 1.0:
        return "over 99 %"
    return f"{round(100 * share)} %"


def option(**given: str | Iterable[str] | Mapping[str, str]) -> str:
    """Returns the text of options, in Python and, in parentheses, on the command line; both can be copied.

    Examples:
        >>> print(option(runs="Model", ignore=["size", "release date"]))
        runs="Model", ignore=("size", "release date") (--runs-column Model --ignore size 'release date')
        >>> print(option(columns={"judge": "run_id"}))
        columns={"judge": "run_id"} (--columns judge=run_id)
        >>> print(option(missing_values=["--"]))
        missing_values="--" (--missing-values=--)
    """
    python, shell = [], []
    for name, value in given.items():
        words: Sequence[str]
        if isinstance(value, str):
            words, text = [value], canonical(value)
        elif isinstance(value, Mapping):
            words = [f"{theirs}={ours}" for theirs, ours in value.items()]
            text = f"{{{', '.join(f'{canonical(theirs)}: {canonical(ours)}' for theirs, ours in value.items())}}}"
        else:
            words = list(value)
            text = canonical(words[0] if len(words) == 1 else tuple(words))
        python.append(f"{name}={text}")
        flag = f"--{FLAGS.get(name, name).replace('_', '-')}"
        dashed = any(word.startswith("-") and word != "-" for word in words)  # such words would be read as options
        shell.append(shlex.join([f"{flag}={word}" for word in words] if dashed else [flag, *words]))
    return f"{', '.join(python)} ({' '.join(shell)})"


def shortened(text: str, most: int = LONGEST_QUOTED) -> str:
    """Shortens a text to at most `most` characters for an error message; a shortened text ends with an ellipsis.

    Examples:
        >>> shortened("Gen5", 8), shortened("without_too_small", 8)
        ('Gen5', 'witho...')
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def told_apart(names: Iterable[str], most: int = LONGEST_NAME) -> dict[str, str]:
    """Shortens long names to about `most` characters, so that different names remain different.

    The middle of a name is omitted. Names that would then be equal keep the place of their first difference. If they are still equal, the
    names become longer.

    Examples:
        >>> told_apart(["bm25", "dense-retriever-checkpoint-700-final"], 20)
        {'bm25': 'bm25', 'dense-retriever-checkpoint-700-final': 'dense-re...700-final'}
        >>> base = "dense-retriever-checkpoint-{}-of-the-last-experiment"
        >>> [*told_apart([base.format(700), base.format(800)], 20).values()]
        ['dense...-700-of-t...', 'dense...-800-of-t...']
    """
    known = dict.fromkeys(names)
    while True:
        short = {name: name if len(name) <= most else f"{name[: (most - 4) // 2]}...{name[-(most - 2) // 2 :]}" for name in known}
        alike: dict[str, list[str]] = {}
        for name, text in short.items():
            alike.setdefault(text, []).append(name)
        for several in (together for together in alike.values() if len(together) > 1):
            differ = (place for place, signs in enumerate(zip(*several, strict=False)) if len({*signs}) > 1)
            first = max(next(differ, min(map(len, several))) - 1, 0)
            for name in several:
                short[name] = f"{name[: most // 4]}...{shortened(name[first:], most - most // 4 - 3)}"
        if len({*short.values()}) == len(known):
            return short
        most += 8


def did_you_mean(text: str, candidates: Iterable[str], written: Callable[[str], str] = str) -> str | None:
    """Returns a hint with the candidate that is most similar to a misspelt word, or None if no candidate is similar.

    Args:
        text: The misspelt word.
        candidates: The valid words.
        written: Function that returns a candidate as users write it.
    """
    import difflib  # imported here, because only mistakes need it

    by_folded = {candidate.lower(): candidate for candidate in reversed(list(candidates))}
    found = difflib.get_close_matches(text.lower(), list(by_folded), n=1, cutoff=0.6)
    return f"did you mean {written(by_folded[found[0]])}?" if found else None


def with_hint(message: str, hint: str | None) -> str:
    """Appends a hint, if any, to an error message after a semicolon."""
    return f"{message}; {hint}" if hint else message


def printable(text: str) -> str:
    """Replaces the control characters in a string, which a terminal would interpret, with escape sequences."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def filled(text: str, width: int = 120, indent: str = "") -> str:
    """Wraps a paragraph into lines of at most the given width.

    A line is never broken between a number and its per cent sign, or in a short quoted text, which may be copied.

    A line is not broken before ``::`` and ``##[`` either, because build services treat lines that begin with these signs as commands.

    Args:
        text: Paragraph.
        width: Maximum width of a line in characters; values below 40 are treated as 40.
        indent: Indentation of all lines except the first.

    Examples:
        >>> print(filled("Gen5 finds 216 of the 243 differences (89 %).", 44))
        Gen5 finds 216 of the 243 differences
        (89 %).
        >>> print(filled('ignore=("Rank", "Latency p95 of all calls") excludes them', 40))
        ignore=("Rank",
        "Latency p95 of all calls") excludes
        them
    """
    joined = re.sub(r"(?<=\d) (?=%)| (?=::|##\[)", "\N{NO-BREAK SPACE}", text)
    # a quoted word of a command or a formula stays on one line, so that it can be copied
    joined = re.sub(r"""(?<=[ (=])(['"])[^'"\n]{1,60}\1(?=[ ),;])""", lambda word: word[0].replace(" ", QUOTED_SPACE), joined)
    lines = textwrap.fill(joined, max(width, 40), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    lines = lines.replace(QUOTED_SPACE, " ")
    return re.sub(r"(?<=\d)\N{NO-BREAK SPACE}(?=%)|\N{NO-BREAK SPACE}(?=::|##\[)", " ", lines)


def filled_formula(text: str, width: int) -> str:
    """Wraps a formula into lines of at most the given width (at least 40); a quoted text stays on one line.

    Examples:
        >>> print(
        ...     filled_formula(
        ...         'agreement(MAP ~ assessor("the second one") + assessor("b"), of="quantisations")', 44
        ...     )
        ... )
        agreement(MAP ~ assessor("the second one")
            + assessor("b"), of="quantisations")
    """
    if len(text) <= width:
        return text
    parts = re.findall(r"(?:[+~|] )?" + r"""(?:"(?:[^"\\]|\\.)*"|[^" ])+""", text)
    lines = [""]
    for part in parts:
        if len(lines[-1]) + 1 + len(part) > max(width, 40) and lines[-1].strip():
            lines.append(f"    {part}")
        else:
            lines[-1] += f" {part}" if lines[-1] else part
    return "\n".join(lines)
