"""Random files: mutations of valid files by lines, words and bytes, read by the package and by a slow reference reader.

If the slow reader of `tests.reference.files` supports the format, both readers reject a file or both accept it, with equal rows.
"""

from __future__ import annotations

import gzip
import random
import re
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from inexmetrics import Assessments, CollectionError, CollectionWarning, Runs, Scores, Structure, Topics
from inexmetrics.reading.formats import Format
from inexmetrics.reading.recognise import recognised
from tests.faults.matrix import KINDS, Kind
from tests.fuzz.deadline import deadline
from tests.fuzz.formulas import NUMBERS, ODD
from tests.reference.files import READERS, Beside, Row, links, matrix, scores_by_row

__all__ = ["campaign"]

SECONDS: Final = 10.0
"""Maximum CPU seconds for a file of a few lines."""
TOKEN: Final = re.compile(rb"[ \t\n,;]|[^ \t\n,;<>\"'=]+|.", re.DOTALL)
TRIED: Final = tuple(kind for kind in KINDS if not kind.frames)
WHOLE: Final[dict[str, Callable[[bytes], list[Row] | None]]] = {
    "links in CSV": links,
    "a score matrix in CSV": matrix,
    "scores row by row in CSV": scores_by_row,
}
"""Slow readers of tables that are not recognised by a format."""
BYTES: Final = (
    b"\xff",
    b"\xe9",
    b"\0",
    b"\xef\xbb\xbf",
    b"\x1f\x8b",
    b"\r",
    b"\v",
    b"\f",
    b"\xc2\xa0",
    b'"',
    b"'",
    b"#",
    b"//",
    b"\\",
    b"&amp;",
    b"<!--",
    b"]]>",
)

Edit: TypeAlias = Callable[[list[bytes], random.Random], list[bytes]]


def _swapped(pieces: list[bytes], chance: random.Random) -> list[bytes]:
    one, other = (chance.randrange(len(pieces)) for _ in range(2))
    pieces[one], pieces[other] = pieces[other], pieces[one]
    return pieces


def _deleted(pieces: list[bytes], chance: random.Random) -> list[bytes]:
    first = chance.randrange(len(pieces))
    return pieces[:first] + pieces[first + chance.choice((1, 1, 1, 2, 6)) :]


def _repeated(pieces: list[bytes], chance: random.Random) -> list[bytes]:
    first = chance.randrange(len(pieces))
    last = first + chance.choice((1, 1, 2, 6))
    return pieces[:last] + pieces[first:last] * chance.choice((1, 1, 1, 2, 60)) + pieces[last:]


def _replaced(pieces: list[bytes], chance: random.Random) -> list[bytes]:
    """Returns a replacement for a word: another word of the file, a number, or an unusual word."""
    known = [place for place, piece in enumerate(pieces) if piece.strip(b" \t\n,;<>\"'=")]
    if not known:
        return pieces
    pieces[chance.choice(known)] = chance.choice(
        (pieces[chance.choice(known)], pieces[chance.choice(known)], _number(chance), _odd(chance))
    )
    return pieces


def _number(chance: random.Random) -> bytes:
    found = chance.choice(
        (*NUMBERS, "3.0", "+3", "-0", "1e0", "9007199254740992", "-9223372036854775808", "-9223372036854775809", "1e301", "0x1", "1d5", "X")
    )
    return found.encode()


def _odd(chance: random.Random) -> bytes:
    return chance.choice((chance.choice(ODD).encode(errors="replace"), chance.choice(BYTES), chance.randbytes(chance.choice((1, 1, 2, 9)))))


def _inserted(pieces: list[bytes], chance: random.Random) -> list[bytes]:
    first = chance.randrange(len(pieces) + 1)
    return [*pieces[:first], chance.choice((_number(chance), _odd(chance), b" ", b"\t", b"\n", b",", b"\r\n")), *pieces[first:]]


def _of_lines(pieces: list[bytes], chance: random.Random) -> list[bytes]:
    """Returns lines that are swapped, repeated, deleted, or have other line ends."""
    lines = b"".join(pieces).split(b"\n")
    one, other = (chance.randrange(len(lines)) for _ in range(2))
    match chance.randrange(6):
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            lines.insert(one, lines[other])
        case 2:
            del lines[one]
        case 3:
            return [b"\r\n".join(lines)]
        case 4:
            lines[one] = lines[one].replace(b" ", chance.choice((b"\t", b"  ", b" \t")))
        case _:
            lines.insert(one, chance.choice((b"", b" ", b"# a comment", b"\t")))
    return [b"\n".join(lines)]


def _of_bytes(pieces: list[bytes], chance: random.Random) -> list[bytes]:
    content = b"".join(pieces)
    first = chance.randrange(len(content) + 1)
    return [content[:first], _odd(chance), content[first + chance.randrange(4) :]]


def _cut(pieces: list[bytes], chance: random.Random) -> list[bytes]:
    content = b"".join(pieces)
    return [content[: chance.randrange(len(content) + 1)]]


def _spliced(pieces: list[bytes], chance: random.Random) -> list[bytes]:
    """Inserts a line of another kind of data."""
    other = chance.choice(TRIED).sound.split(b"\n")
    lines = b"".join(pieces).split(b"\n")
    return [b"\n".join([*lines[: (first := chance.randrange(len(lines) + 1))], chance.choice(other), *lines[first:]])]


EDITS: Final[Sequence[Edit]] = (
    _swapped, _deleted, _deleted, _repeated, _replaced, _replaced, _replaced, _replaced, _inserted, _of_lines, _of_lines, _of_bytes, _cut, _spliced,
)  # fmt: skip


def file(seed: int, number: int) -> tuple[Kind, bytes, bytes]:
    """Returns the kind of data of a number, its file, and the unpacked content if the file is compressed."""
    chance = random.Random(f"{seed}:{number}")
    kind = TRIED[number % len(TRIED)]
    content = kind.sound
    for _ in range(chance.choice((1, 1, 1, 1, 2, 3))):
        pieces = TOKEN.findall(content)
        content = b"".join(chance.choice(EDITS)(pieces, chance)) if pieces else _odd(chance)
    packed = gzip.compress(content, mtime=0) if chance.random() < 0.05 else content
    if packed is not content and chance.random() < 0.5:
        packed = b"".join(_of_bytes([packed], chance))
        try:
            content = gzip.decompress(packed)
        except (OSError, EOFError, zlib.error):
            content = b"\0"  # which is refused as well
    return kind, packed, content


def rows_of(read: object) -> list[Row]:
    """Returns the rows of a reader of the package, in the form of the slow readers."""
    match read:
        case Runs():
            columns = ("run_id", "topic_id", "doc_id", "path", "start", "length", "rank", "score")
            return read.results.with_columns(pl.col("run_id", "topic_id").cast(pl.String)).select(columns).rows()
        case Assessments():
            tables = [read.grades, read.assessors, read.documents, read.passages, read.elements]
            return [row for table in tables if table is not None for row in table.rows()]
        case Structure():
            return read.elements.rows()
        case Topics():
            return [(topic.topic_id, topic.title) for topic in read.values()]
        case Scores():
            (values,) = read.matrices.values()
            return [
                (run, topic, "undefined" if np.isnan(value) else value)
                for run, scores in zip(read.runs, values.tolist(), strict=True)
                for topic, value in zip(read.topics, scores, strict=True)
            ]
        case pl.DataFrame():
            return read.select("doc_id", "to_doc_id", "probability").rows()
        case _:
            raise AssertionError(f"expected what a reader returns, found {read!r}")


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Sorts rows whose order has no meaning; integers and floats are equal only to the last bit."""
    return sorted(rows, key=repr)


def outcomes(kind: Kind, path: Path, content: bytes) -> tuple[str, list[str]]:
    """Returns the outcome of a file, and the rules that it violates."""
    read: object = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        try:
            with deadline(SECONDS):
                try:
                    read = kind.read(path)
                except CollectionError as error:
                    if not str(error) or len(str(error)) > 50_000:
                        return "refused", [f"a message of {len(str(error))} characters"]
                slow = WHOLE.get(kind.name) if kind.format is None else _slow(kind, path)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # which is what is looked for
            return "broken", [f"{type(error).__name__}: {error}"]
    outcome = "refused" if read is None else "read"
    if slow is None or kind.name.endswith(("indexed", "Parquet", "JSON Lines")):
        return f"{outcome}, not compared", []
    try:
        expected = slow(content)
    except Beside:
        return f"{outcome}, not compared", []
    if read is None or expected is None:
        wrong = [] if (read is None) == (expected is None) else [f"{'refused' if read is None else 'read'}, and slowly {expected!r:.500}"]
        return f"{outcome} by both", wrong
    found = [row[1:] for row in rows_of(read)] if kind.name == "an XML document" else rows_of(read)
    if in_order(found) != in_order(expected):
        return "read by both", [f"{in_order(found)!r:.1000}", f"and slowly {in_order(expected)!r:.1000}"]
    return "read by both", []


def _slow(kind: Kind, path: Path) -> Callable[[bytes], list[Row] | None] | None:
    """Returns the slow reader of the file's recognised format, which rejects files of other formats and kinds of data."""
    assert kind.format is not None
    try:
        format_ = recognised(path, kind.format.kind)
    except CollectionError:
        format_ = "an unreadable file"
    return READERS.get(format_) if isinstance(format_, Format) and format_.kind == kind.format.kind else lambda _: None


def campaign(seed: int, numbers: Iterable[int]) -> Iterator[tuple[int, str, list[str], str]]:
    """Yields each number with the outcome of its file, the violated rules, and the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for number in numbers:
            kind, packed, content = file(seed, number)
            path.write_bytes(packed)
            outcome, wrong = outcomes(kind, path, content)
            yield number, outcome, wrong, f"{kind.name}: {packed!r}"
