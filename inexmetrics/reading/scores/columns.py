"""Reads the columns of a table of scores: scores, names of rows, clusters and systems; advice on notations of numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import describe, option, shortened
from inexmetrics.common.options import Direction
from inexmetrics.reading.checker import Checked, Unchecked, checked
from inexmetrics.reading.column_types import Column
from inexmetrics.reading.doubts import Doubt
from inexmetrics.reading.findings import located
from inexmetrics.reading.rules import BOUNDED, RUN, SCORE, TOPIC
from inexmetrics.reading.scores.column_facts import floats
from inexmetrics.reading.scores.stated import NAMES, Stated
from inexmetrics.terms.lexicon import measure_here

__all__ = [
    "DIRECTED",
    "clusters_in",
    "directions_in",
    "few_words",
    "names_in",
    "notated",
    "plain_cells",
    "row_numbers",
    "runs_of_systems",
    "scores_in",
    "texts",
    "thousands",
    "truth_values",
    "with_advice",
    "without_percent_signs",
]

Pairs: TypeAlias = list[tuple[str, str]]
"""Pairs of a topic and its cluster, or of a run and its system."""
_SPACES: Final = " \N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}'"
_DIGITS: Final = rf"\d{{1,3}}(?:[.,]\d{{3}})+(?:[.,]\d+)?|\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d+)?|\d*[.,]?\d+"
MINUS: Final = "\N{MINUS SIGN}"
_INTERVAL: Final = rf"\s*[-+]?(?:{_DIGITS})\s*%?\s*"
_ERROR: Final = rf"\s*(?:(?:±|\+/?[-\u2212]|\\pm)\s*(?:{_DIGITS})|\(\s*(?:{_DIGITS})\s*%?\s*\)|[\[(]{_INTERVAL}[,;\u2013-]{_INTERVAL}[\])])"
NUMBER: Final = rf"([-+\u2212]?)({_DIGITS})\s*%?(?:{_ERROR})?\s*%?(?:\s*[*†‡§]+)?"
"""Regular expression for a number in any notation: its sign, its digits, a percent sign, its error, a percent sign, and marks of significance."""
SHARE: Final = r"(\d{1,9})\s*/\s*([1-9]\d{0,8})"
"""Regular expression for a share in two numbers, such as 3/5."""

RIGHT: Final = "write numbers for words, such as 1 for a right answer and 0 for a wrong one"
"""Advice about words in place of scores."""
PERCENTAGE: Final = r"^([-+]?(?:\d+\.?\d*|\.\d+))\s*%$"
"""Regular expression for a percentage, whose first group is the number."""


def notated(table: Unchecked, columns: Sequence[str]) -> dict[str, Doubt]:
    """Returns the doubts about columns whose numbers are all in notations that are not read; words without digits may be beside them.

    There is one example and one advice for each notation.

    Args:
        table: The table.
        columns: Columns of text.
    """
    found: dict[str, Doubt] = {}
    examples: dict[str, tuple[str, int]] = {}
    for name in columns:
        cells = table.frame[name].cast(pl.String).str.strip_chars()
        digits = cells.str.contains(r"\d").fill_null(value=False)
        if digits.any() and cells.filter(digits).str.contains(f"^(?:{NUMBER}|{SHARE})$").all():
            row = digits.arg_max() or 0
            cell, row = examples.setdefault(re.sub(r"[\s\d.+-]", "", str(cells[row])), (str(cells[row]), row))
            line = None if table.lines is None else int(table.lines[row])
            found[name] = Doubt(name, f"numbers such as {describe(cell)}", text=True, advice=_advice(cell), line=line)
    return found


def without_percent_signs(table: Unchecked, stated: Stated, columns: Iterable[str], beside: Sequence[str] = ()) -> Unchecked:
    """Returns a table in which percentages such as ``71.3%`` are numbers, with a note, in columns of which all scores have the sign.

    Beside a column of scores from 0 to 1 they are left as they are, because the scales differ.

    Args:
        table: The table.
        stated: The options of the caller, which may name words that mean no score.
        columns: The columns of scores that may contain percentages.
        beside: The columns of scores on the same scale.
    """
    found: dict[str, pl.Series] = {}
    schema = table.frame.schema
    for name in [name for name in columns if isinstance(schema[name], NAMES)]:
        scores = _written(table.frame[name], stated)
        if len(scores) and scores.str.contains(PERCENTAGE).all():
            found[name] = table.frame[name].cast(pl.String).str.strip_chars().str.replace(PERCENTAGE, "$1")
    others = (floats(table.frame[name]).drop_nulls() for name in beside if found and name not in found)
    if not found or any(len(numbers) and numbers.is_between(0, 1).all() for numbers in others):
        return table
    note = f"percent signs in {', '.join(found)} not read"
    return replace(table, frame=table.frame.with_columns(**found), notes=(*table.notes, note))


def _written(cells: pl.Series, stated: Stated) -> pl.Series:
    """Returns the texts in a column without blanks around them, apart from empty ones and those that mean no score; none of other columns."""
    texts = pl.DataFrame({"text": cells.cast(pl.String) if isinstance(cells.dtype, NAMES) else []}, schema={"text": pl.String})
    scores = texts.select(stated.without_missing_values(pl.col("text").str.strip_chars(), pl.String()))["text"]
    return scores.filter(scores != "")


def few_words(cells: pl.Series, stated: Stated, most: int = 5) -> str:
    """Returns how to write scores of which all are one of at most `most` words, such as PASS and FAIL; empty for other cells.

    Words are repeated, because different texts may be anything. Words that mean no score are left out.

    Examples:
        >>> (
        ...     few_words(pl.Series(["PASS", "FAIL", "PASS", None]), Stated()),
        ...     few_words(pl.Series(["PASS", "0.5"]), Stated()),
        ... )
        ('write 1 for the better of "FAIL" and "PASS", and 0 for the other', '')
        >>> few_words(pl.Series(["good", "bad", "fair"] * 2), Stated())
        'write a number for each of "bad", "fair" and "good", and nothing for a word that means no score'
    """
    words = _written(cells, stated)
    different = words.unique().sort()
    repeated = len(words) > 2 if len(different) == 2 else len(words) >= 2 * len(different)
    if not 2 <= len(different) <= most or not repeated or different.str.contains(r"(?i)\d|^[-+]?(inf|nan)").any():
        return ""
    *first, last = (describe(shortened(word, 40)) for word in different)
    named = f"{', '.join(first)} and {last}"
    if len(different) == 2:
        return f"write 1 for the better of {named}, and 0 for the other"
    return f"write a number for each of {named}, and nothing for a word that means no score"


def with_advice(problems: Iterable[Problem], cells: pl.Series, stated: Stated) -> list[Problem]:
    """Returns errors for invalid values with advice: how to write the number or the words, or how to read the word as a missing score.

    Args:
        problems: The errors.
        cells: The cells of all columns with errors.
        stated: The options of the caller.
    """
    words = _written(cells, stated)
    most = 2 * floats(words).count() < len(words)  # then words are scores, and no sign of missing ones
    scale = few_words(cells, stated) or (RIGHT if most else "")
    return [_with_advice(problem, scale, {*words}) for problem in problems]


def _with_advice(problem: Problem, scale: str, words: Collection[str]) -> Problem:
    found = re.search(r'expected a finite number, found "(.*)"$', problem.message)
    if found is None:
        return problem
    cell = re.sub(r"\\(?:x(..)|u(....))", lambda code: chr(int(code[1] or code[2], 16)), found[1])  # messages escape special spaces
    missing = f"{option(missing_values=[found[1]])} reads it as a missing score"
    if found[1].strip().lower() in ("yes", "no"):
        missing = f"write true or 1 for yes, and false or 0 for no, or {missing}"
    elif scale and found[1] in words:
        missing = scale
    advice = _advice(cell) or ("" if re.search(r"\d", found[1]) else missing)
    return replace(problem, message=f"{problem.message}; {advice}") if advice else problem


def _advice(cell: str) -> str:
    """Returns how to write the number in a cell; empty if the cell is not a number in a known notation.

    Examples:
        >>> (
        ...     _advice("59,3 %"),
        ...     _advice("7.25 ± 0.5"),
        ...     _advice("v2"),
        ...     _advice("3/8"),
        ...     _advice("0.85 [0.80, 0.90]"),
        ... )
        ('write 59.3', 'write 7.25', '', 'write 0.375', 'write 0.85')
        >>> _advice("1,250.5"), _advice("1,250")
        ('write 1250.5', 'write 1.250 or 1250')
    """
    if share := re.fullmatch(SHARE, cell):
        return f"write {int(share[1]) / int(share[2]):.6g}"
    if (number := re.fullmatch(NUMBER, cell)) is None:
        return ""
    sign, digits = number[1].replace(MINUS, "-"), re.sub(f"[{_SPACES}]", "", number[2])
    whole, decimals = digits.replace(",", ""), digits.replace(".", "").replace(",", ".") if "," in digits else digits
    if re.fullmatch(r"[1-9]\d{0,2},\d{3}", digits):  # the comma in 1,250 may separate decimals or thousands
        return f"write {sign}{decimals} or {sign}{whole}"
    if digits.count(",") > 1 or 0 <= digits.find(",") < digits.find("."):
        return f"write {sign}{whole}"
    return f"write {sign}{decimals.replace('.', '') if decimals.count('.') > 1 else decimals}"


def thousands(table: Unchecked, columns: Sequence[str]) -> Iterator[Problem]:
    """Yields a warning if dots in numbers are probably thousands separators; only files with semicolons between columns are checked."""
    if table.separator != ";":
        return
    cells = pl.concat(
        [table.frame[name].cast(pl.String).str.strip_chars().rename("cell").to_frame().with_row_index("row") for name in columns]
    ).drop_nulls()
    dotted = cells.filter(pl.col("cell").str.contains(".", literal=True))
    large = cells.filter(pl.col("cell").str.contains(r"^[-+]?\d+$") & (pl.col("cell").cast(pl.Float64, strict=False).abs() > 100))
    if dotted.height and large.height and dotted["cell"].str.contains(r"^[-+]?[1-9]\d{0,2}\.\d{3}$").all():
        row, cell = dotted.sort("row", maintain_order=True).row(0)
        text = f"found {cell} beside {large['cell'][0]}, and the dot is read as a decimal point; if the dot separates thousands, write {cell.replace('.', '')}"
        line = None if table.lines is None else int(table.lines[row])
        yield Problem(text, file=table.what, line=line, severity="warning")


TRUE_OR_FALSE: Final = {"true": "1", "false": "0"}
DIRECTED: Final = "higher_is_better"
"""Heading, in lower case, of a column that states the direction of the measure of each score."""
NO_CLUSTER: Final = r"(?i)^(-{1,3}|\?|n\.?a\.?|n/a|<na>|nan|none|null|missing)$"
"""Regular expression for words that mark a missing cluster."""


def scores_in(table: Unchecked, stated: Stated, columns: Sequence[str], what: str, rows: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Returns the checked scores in columns of a table, with one row for each score: the name of its column, its position, and `rows`.

    Args:
        table: The table.
        stated: The options of the caller.
        columns: The columns that contain scores.
        what: A noun for the contents of a column, for messages.
        rows: Names of the rows, such as topics, by the name of the new column.

    Raises:
        CollectionError: A cell does not contain a score.
    """
    frame, height = table.frame, table.frame.height
    by_type: dict[pl.DataType, list[str]] = {}
    for name, dtype in frame.select(columns).schema.items():
        by_type.setdefault(pl.String() if isinstance(dtype, pl.Enum | pl.Categorical) else dtype, []).append(name)
    parts: list[pl.DataFrame] = []
    problems: list[Problem] = []
    lines = None if table.lines is None else pl.Series(table.lines, dtype=pl.Int64)

    def read(names: Sequence[str], dtype: pl.DataType, called: str) -> Checked:
        cells = pl.concat([frame[name].cast(dtype).rename("score") for name in names]).to_frame()
        plain = cells.select(plain_cells(pl.col("score"), dtype, stated).alias("score"))
        repeated = None if lines is None else pl.concat([lines] * len(names)).to_numpy()
        return checked(Unchecked(plain, table.what, repeated, {"score": called}), [SCORE], [BOUNDED])

    for dtype, names in by_type.items():
        found = read(names, dtype, what)
        for place in dict.fromkeys(row // height for row, _ in found.wrong):
            problems += read([names[place]], dtype, f"{what} {names[place]}").problems
        if not problems:
            of_names = pl.Series(names).gather(pl.int_range(len(names), eager=True).repeat_by(height).explode())
            named = [pl.concat([series] * len(names)).alias(name) for name, series in rows.items()]
            parts.append(found.rows.with_columns(of_names.alias("column"), pl.col("row") % height, *named))
    if problems:
        cells = pl.concat([pl.Series(dtype=pl.String), *(frame[name].cast(pl.String).rename("") for name in texts(frame, columns))])
        raise CollectionError(sorted(with_advice(problems, cells, stated), key=lambda problem: problem.line or 0))
    order = pl.Enum(list(columns))
    whole = pl.concat(parts)
    return whole if len(parts) == 1 else whole.sort(pl.col("column").cast(order), "row", maintain_order=True)


def plain_cells(cells: pl.Expr, dtype: pl.DataType, stated: Stated) -> pl.Expr:
    """Returns cells in which values that mean no score are null, and the words true and false are 1 and 0."""
    cells = stated.without_missing_values(cells, dtype)
    if dtype != pl.String:
        return cells
    words = cells.str.strip_chars().str.to_lowercase()
    return pl.when(words.is_in([*TRUE_OR_FALSE])).then(words.replace(TRUE_OR_FALSE)).otherwise(cells)


def row_numbers(height: int) -> pl.Series:
    """Returns the numbers of the rows, from 1, as names of topics or runs."""
    return pl.Series([str(number) for number in range(1, height + 1)], dtype=pl.String)


def names_in(table: Unchecked, column: str, of: Column) -> pl.Series:
    """Returns the identifiers in a column."""
    return _column(table, column, of, column or of.name).valid()[of.name]


def _column(table: Unchecked, name: str, column: Column, called: str) -> Checked:
    """Checks one column; `called` is the name of the column in messages."""
    return checked(replace(table, frame=table.frame[name].to_frame(column.name), called={column.name: called}), [column])


def clusters_in(table: Unchecked, topics: pl.Series, columns: Iterable[str]) -> dict[str, Pairs]:
    """Returns the distinct pairs (topic, cluster) in each column of clusters."""
    found = {}
    for name in columns:
        if name in table.frame.columns:
            read = _column(table, name, TOPIC, name).valid()
            for row in read.filter(pl.col("topic_id").str.contains(NO_CLUSTER)).iter_rows(named=True):
                at = row | {"topic_id": topics[row["row"]]}
                raise CollectionError(located(at, f"{name}: expected a cluster, found {describe(row['topic_id'])}"))
            of_topics = read["topic_id"]
            found[name] = pl.DataFrame([topics.alias("topic"), of_topics.alias("cluster")]).unique(maintain_order=True).rows()
    return found


def runs_of_systems(table: Unchecked, runs: pl.Series, column: str | None, *, numbered: bool = False) -> tuple[pl.Series, Pairs]:
    """Returns the name of the run of each row, and the distinct pairs of a run and its system; no pairs if the table lacks the column.

    If runs of several systems have the same name, such as a seed, the name of each run is preceded by the name of its system. If
    `numbered`, the runs do not have names; each row is a separate run, and the runs of each system are numbered.
    """
    if column is None or column not in table.frame.columns:
        return runs, []
    system = names_in(table, column, RUN)
    rows = pl.DataFrame([runs.alias("run"), system.alias("system")])
    if numbered:
        rows = rows.with_columns(run=pl.int_range(1, pl.len() + 1).over("system").cast(pl.String))
    if numbered or rows.group_by("run").agg(pl.col("system").n_unique())["system"].max() != 1:
        rows = rows.with_columns(run=pl.concat_str("system", pl.lit(" "), "run"))
    return rows["run"], rows.unique(maintain_order=True).rows()


def texts(frame: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """Returns the columns that contain text but not a single number, true or false."""
    schema = frame.schema
    names = [name for name in columns if isinstance(schema[name], NAMES)]
    words = pl.col(names).cast(pl.String).str.strip_chars().str.to_lowercase()
    numbers = words.replace(TRUE_OR_FALSE).cast(pl.Float64, strict=False)
    if not names:
        return []
    written = frame.select((words != "").any() & numbers.is_null().all()).row(0)
    return [name for name, text in zip(names, written, strict=True) if text]


def truth_values(frame: pl.DataFrame, columns: Sequence[str]) -> dict[str, str]:
    """Returns the columns with true or false, each with the reason for a doubt, if most columns are without, and have other numbers than 0 and 1.

    Examples:
        >>> truth_values(
        ...     pl.DataFrame({"open": [True, False], "law": [0.5, 0.25], "news": [1.0, 0.75]}),
        ...     ["open", "law", "news"],
        ... )
        {'open': 'the word true beside numbers'}
    """
    words = frame.select(pl.col(columns).cast(pl.String).str.extract(r"(?i)^\s*(true|false)\s*$"))
    found = {cells.name: str(cells.drop_nulls()[0]) for cells in words if cells.count()}
    numbers = [floats(frame[name]).drop_nulls() for name in columns if name not in found] if found else []
    if 2 * len(found) >= len(columns) or all(each.is_in([0.0, 1.0]).all() for each in numbers):
        return {}
    return {name: f"the word {word} beside numbers" for name, word in found.items()}


def directions_in(measures: pl.Series, stated: pl.Series, what: str) -> dict[str, Direction]:
    """Returns the direction of each measure that a column of true and false states; the key of unnamed measures is empty.

    Args:
        measures: The measure of each score.
        stated: For each score, whether higher scores are better; a missing value states nothing.
        what: The name of the table in messages.

    Raises:
        CollectionError: A value is neither true nor false, or a measure has two directions.

    Examples:
        >>> directions_in(pl.Series(["wer", "f1"]), pl.Series([False, True]), "scores")
        {'wer': 'lower', 'f1': 'higher'}
    """
    words = stated.cast(pl.String).str.strip_chars().str.to_lowercase()
    found: dict[str, Direction] = {}
    named = pl.DataFrame([measures.fill_null("").alias("measure"), words.replace(TRUE_OR_FALSE).alias("higher")])
    for measure, higher in named.drop_nulls().filter(pl.col("higher") != "").unique(maintain_order=True).iter_rows():
        if higher not in TRUE_OR_FALSE.values():
            raise CollectionError(f"{stated.name}: expected true or false, found {describe(higher)}", file=what)
        direction: Direction = "higher" if higher == "1" else "lower"
        if found.setdefault(measure_here(measure), direction) != direction:
            of = f" for {measure}" if measure else ""
            raise CollectionError(f"{stated.name}: expected one direction{of}, found true and false", file=what)
    return found
