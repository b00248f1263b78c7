"""How far a question is passed on: functions, files and changes of room of ``scores(MAP)`` on seven lines of data.

``python -m benchmarks.trace`` runs the question once, so that everything is loaded, and counts the second time: distinct functions of
the package that are called, the files that they stand in, and calls that lead from one room (a folder of the package) into another.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

import inexmetrics
from inexmetrics import MAP, from_frames, run, scores

PACKAGE = Path(inexmetrics.__file__).parent
QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 1}}
RUN = {"bm25": {"1": {"a": 3.0, "x": 2.0, "c": 1.0}, "2": {"x": 2.0, "d": 1.0}}}


def question() -> None:
    """Two topics' judgements and results, read and scored."""
    run(scores(MAP), from_frames(QRELS, RUN))


def place(code: CodeType) -> str | None:
    """The file of a function, below the package; None for others' functions, and for bodies of classes and comprehensions."""
    path = Path(code.co_filename)
    return str(path.relative_to(PACKAGE)) if path.is_relative_to(PACKAGE) and not code.co_name.startswith("<") else None


def calls() -> Counter[tuple[CodeType, str, str | None]]:
    """Each function that the question calls, its file, and the file of the package's function that called it, if any did."""
    found: Counter[tuple[CodeType, str, str | None]] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        here = place(frame.f_code) if event == "call" else None
        if here is not None:
            caller = frame.f_back
            while caller is not None and place(caller.f_code) is None:
                caller = caller.f_back
            found[frame.f_code, here, None if caller is None else place(caller.f_code)] += 1

    sys.setprofile(note)
    try:
        question()
    finally:
        sys.setprofile(None)
    return found


def room(file: str) -> str:
    return file.split("/", maxsplit=1)[0]


def main() -> None:
    question()
    found = calls()
    changes = Counter(
        (room(caller), room(file)) for _, file, caller in found.elements() if caller is not None and room(caller) != room(file)
    )
    print(f"{len({code for code, _, _ in found})} functions in {len({file for _, file, _ in found})} files")
    print(f"{changes.total()} calls change room, between {len(changes)} pairs of rooms:")
    for (caller, callee), count in changes.most_common():
        print(f"  {caller} -> {callee}: {count}")


if __name__ == "__main__":
    main()
