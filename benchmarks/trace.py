"""Counts the functions, files and calls between subpackages that are needed to answer three questions.

``python -m benchmarks.trace`` evaluates each question once, so that everything is loaded, and counts during the second evaluation: distinct functions of
the package that are called, the files that contain them, and calls from one subpackage into another. ``--functions``
also lists the functions by file, each with the number of its calls, and ``--calls`` lists the functions that are called from another subpackage.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Final, NamedTuple

import inexmetrics
from inexmetrics import MAP, from_frames, run, scores
from inexmetrics.cli import main as command

PACKAGE = Path(inexmetrics.__file__).parent
QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 1}}
RUN = {"bm25": {"1": {"a": 3.0, "x": 2.0, "c": 1.0}, "2": {"x": 2.0, "d": 1.0}}}


class Function(NamedTuple):
    """A function of the package, its file relative to the package, and the calling function, if the caller is in the package."""

    code: CodeType
    file: str
    caller: Function | None


def in_python() -> None:
    """``run(scores(MAP), from_frames(…))`` on seven lines of data."""
    run(scores(MAP), from_frames(QRELS, RUN))


def on_files() -> None:
    """``inexmetrics "scores(MAP)" --assessments qrels --runs bm25`` on the same data in TREC's formats."""
    with TemporaryDirectory() as folder:
        qrels, bm25 = Path(folder, "qrels"), Path(folder, "bm25")
        qrels.write_text("".join(f"{topic} 0 {document} {grade}\n" for topic, of in QRELS.items() for document, grade in of.items()))
        lines = (
            f"{topic} Q0 {document} {rank} {score} bm25\n"
            for topic, of in RUN["bm25"].items()
            for rank, (document, score) in enumerate(of.items(), start=1)
        )
        bm25.write_text("".join(lines))
        quietly("scores(MAP)", "--assessments", str(qrels), "--runs", str(bm25))


def on_the_sample() -> None:
    """``inexmetrics "agreement(BinExh, Gen5, measure=MAep)"`` on the built-in sample."""
    quietly("agreement(BinExh, Gen5, measure=MAep)")


def quietly(*arguments: str) -> None:
    """Run the command line in this process, and check that it succeeds."""
    with redirect_stdout(io.TextIOWrapper(io.BytesIO())), redirect_stderr(io.StringIO()):
        code = command(arguments)
    assert code == 0, arguments


QUESTIONS: Final[Mapping[str, Callable[[], None]]] = {"python": in_python, "files": on_files, "sample": on_the_sample}


def place(code: CodeType) -> str | None:
    """Returns the file of a function, relative to the package; None for functions of other packages, and for bodies of classes and comprehensions."""
    path = Path(code.co_filename)
    return str(path.relative_to(PACKAGE)) if path.is_relative_to(PACKAGE) and not code.co_name.startswith("<") else None


def calls(question: Callable[[], None]) -> Counter[Function]:
    """Counts the calls of each function during a question, by caller."""
    found: Counter[Function] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        here = place(frame.f_code) if event == "call" else None
        if here is not None:
            caller = frame.f_back
            while caller is not None and place(caller.f_code) is None:
                caller = caller.f_back
            above = None if caller is None else Function(caller.f_code, place(caller.f_code) or "", None)
            found[Function(frame.f_code, here, above)] += 1

    sys.setprofile(note)
    try:
        question()
    finally:
        sys.setprofile(None)
    return found


def room(file: str) -> str:
    return file.split("/", maxsplit=1)[0]


def main(arguments: list[str]) -> None:
    for name, question in QUESTIONS.items():
        question()
        found = calls(question)
        between = Counter({each: count for each, count in found.items() if each.caller and room(each.caller.file) != room(each.file)})
        functions, files = {each.code: each.file for each in found}, {each.file for each in found}
        print(f"{name}: {len(functions)} functions in {len(files)} files, {between.total()} changes of room")
        rooms: Counter[tuple[str, str]] = Counter()
        for each, count in between.items():
            assert each.caller is not None
            rooms[room(each.caller.file), room(each.file)] += count
        print("  " + ", ".join(f"{caller} -> {callee}: {count}" for (caller, callee), count in rooms.most_common()))
        if "--functions" in arguments:
            times: Counter[CodeType] = Counter()
            for each, count in found.items():
                times[each.code] += count
            for file in sorted(files):
                inside = [f"{code.co_name} {times[code]}" for code, of in functions.items() if of == file]
                print(f"  {file}: {', '.join(inside)}")
        if "--calls" in arguments:
            for each, count in between.most_common():
                assert each.caller is not None
                print(f"  {count} {each.caller.file}:{each.caller.code.co_name} -> {each.file}:{each.code.co_name}")


if __name__ == "__main__":
    main(sys.argv[1:])
