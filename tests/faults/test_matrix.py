"""Every defect of every kind of data gives the recorded message, and all messages satisfy common rules."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import inexmetrics
from inexmetrics import CollectionError, read_assessments, read_links, read_runs, read_structure, read_topics, scores_from
from inexmetrics.cli.check import check
from inexmetrics.reading.formats import Format
from inexmetrics.reading.recognise import Source, recognised
from tests.faults.matrix import KINDS, LONGEST_LINE, MESSAGES, OF_BYTES, Kind, all_cells, contents, outcome, without, written

ROOT = Path(__file__).resolve().parents[2]
FILES = [kind for kind in KINDS if not kind.frames]


def test_messages_are_those_written_down_and_say_which_file_what_was_expected_and_what_found() -> None:
    """`python -m tests.faults.matrix` writes the messages again; read the changes before you commit them.

    One test has both rules, because the table takes seconds, in each process that computes it.
    """
    of_files = {kind.name for kind in FILES}
    wrong = [
        (name, called, line)
        for name, cells in all_cells().items()
        for called, told, _ in cells
        if name in of_files and not told.startswith("= ")
        for line in told.split("\n")
        if not is_clear(line)
    ]
    assert wrong == []
    # polars 1.32 writes "parquet" in small letters in one of the messages that ours quote.
    told = "run python -m tests.faults.matrix, and read the changes of messages.txt"
    assert written().replace("A parquet file", "A Parquet file").splitlines() == MESSAGES.read_text().splitlines(), told


@pytest.mark.slow
def test_check_says_the_same_and_what_is_not_strict_drops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One test after the other has all kinds, because both compare with the same table."""
    monkeypatch.setenv("INEXMETRICS_MAX_LINE", str(LONGEST_LINE))
    given = {read_assessments: "assessments", read_runs: "runs", read_structure: "structure"}
    file = tmp_path / "FILE"
    wrong: list[tuple[str, ...]] = []
    for place, kind in enumerate(FILES):
        if kind.read not in given:
            continue
        strictly = {cell.called: cell.problems for cell in all_cells()[kind.name]}
        for number, (called, content) in enumerate(contents(kind), start=place):
            if called in OF_BYTES and number % 6:  # bytes are read alike in all formats: each kind has every sixth of these defects
                continue
            file.write_bytes(content)
            problems = strictly[called]
            found = check(**{given[kind.read]: file}).problems  # type: ignore[arg-type]  # one of three
            told = tuple(without(tmp_path, str(problem)) for problem in found if problem.severity == "error")
            if problems and ": " in problems[0] and told != problems:  # that nothing is left to read is an error of the reader alone
                wrong.append((kind.name, called, "check", *told, "instead of", *problems))
            lenient = outcome(lambda kind=kind: kind.read(file, strict=False))  # type: ignore[misc]  # bound at once; these three have it
            if ("dropped: " in lenient) != bool(problems) if lenient.startswith("= ") else not problems:
                wrong.append((kind.name, called, "strict=False", lenient, *problems))
    assert wrong == []


def is_clear(line: str) -> bool:
    """Returns whether a line of a message names the file, and says in few words what was expected and what was found."""
    return (
        re.match(r"(FILE|other|empty|pipe)(:\d+)?: |expected a file of links, found the folder", line) is not None
        and re.search("expected .*, found:? .|is rejected: ", line) is not None
        and len(line) < 500
        and "Error" not in line
        and "Exception" not in line
    )


def test_every_format_is_tried(tmp_path: Path) -> None:
    """Every format has a kind of data here, and each kind is recognised as its format."""
    assert {kind.format for kind in KINDS} - {None} == set(Format)
    for kind in KINDS:
        if kind.format is not None:
            (tmp_path / "file").write_bytes(kind.sound)
            given = "documents" if kind.format is Format.DOCUMENT else kind.format.kind
            assert recognised(tmp_path / "file", given) is kind.format


@pytest.mark.parametrize("sound", [b'{"1": {"a": 2.5}}\n', b'{"1": {"x": 2.5}}\n', b"1\n", b"1"])
def test_a_file_of_one_line_has_the_defects_that_fit_it(sound: bytes) -> None:
    made = dict(contents(Kind("a line", read_runs, sound)))
    assert made.pop("without a defect") == sound
    assert len(made) >= 20
    assert sound not in made.values()
    assert ("a NUL character in a word" in made) == (b"a" in sound)
    assert "only the first line" not in made or not sound.endswith(b"\n")


def test_every_reader_is_tried() -> None:
    readers = {name for name in inexmetrics.__all__ if name.startswith("read_") or name.endswith("_from")} | {"from_frames", "retrieve"}
    of_frames = {"from_frames", "retrieve"}  # which the table calls in functions of its own
    assert readers - of_frames == {kind.read.__name__ for kind in KINDS} & readers
    assert readers <= set(inexmetrics.__all__)


MANY = 50


@pytest.mark.parametrize(
    ("read", "head", "sound", "wrong"),
    [
        (read_runs, "", "1 Q0 s{0} {0} 1.5 r", "1 Q0 d{0} {0} x r"),
        (read_runs, "", "1 Q0 s{0} {0} 1.5 r", "1 Q0 d{0} {0} nan r"),
        (read_runs, "", "1 Q0 s{0} {0} 1.5 r", "1 Q0 d{0} {0} 1.5"),
        (read_runs, "", "1 Q0 s{0} {0} 1.5 r", "1 Q0 s1 1 1.5 r"),
        (read_runs, "", "1 Q0 s{0} {0} 1.5 r", "1 Q0 d{0} {0} 1.5 r{0}"),
        (read_runs, "", "1 Q0 s{0} {0} 1.5 r 0 5", "1 Q0 d{0} {0} 1.5 r -5 {0}"),
        (read_runs, "", "1 Q0 s{0} {0} 1.5 r /a[1]", "1 Q0 d{0} {0} 1.5 r a[{0}]"),
        (read_assessments, "", "1 0 s{0} 1", "1 0 d{0} x{0}"),
        (read_assessments, "", "1 0 s{0} 1", "1 0 s1 1"),
        (read_assessments, "", "1 Q0 s{0} 1 9 0 0:1", "1 Q0 d{0} 5 9 0 0:4"),
        (read_assessments, "query_id,doc_id,grade", "1,s{0},1", "1,d{0},x{0}"),
        (read_assessments, "query_id,doc_id,grade", "1,s{0},1", "1,d{0}"),
        (read_assessments, "query_id,doc_id,start,end", "1,s{0},0,5", "1,d{0},9,5"),
        (read_assessments, "", '{{"qid": 1, "docno": "s{0}", "label": 1}}', "{{{0}"),
        (read_structure, "doc_id\tpath\tstart\tlength", "d\t/b[{0}]\t{0}\t5", "d\t/a[{0}]\t-{0}\t5"),
        (read_topics, "topic_id\tquery", "{0}\tbees", "1\tbees"),
        (read_links, "doc_id,to_doc_id,probability", "s,s{0},1", "a,b{0},{0}"),
        (scores_from, "topic,a,b", "{0},0.5,1", "s{0},0.5,x"),
    ],
)
def test_many_of_a_kind_are_one_message_with_their_number(
    read: Callable[[Path], object], head: str, sound: str, wrong: str, tmp_path: Path
) -> None:
    rows = [template.format(number) for template in (sound, wrong) for number in range(2 if template is wrong else 1, MANY + 2)]
    (tmp_path / "file").write_text("".join(f"{row}\n" for row in [head, *rows] if row))
    with pytest.raises(CollectionError) as caught:
        read(tmp_path / "file")
    assert re.match(rf"in {MANY} places: expected [^\n]*, found [^\n]*and 47 more\)?(; [^\n]*)?$", str(caught.value)), str(caught.value)


@pytest.mark.skipif(sys.platform == "win32" or (os.geteuid() == 0 and not hasattr(os, "setuid")), reason="permissions of POSIX")
@pytest.mark.parametrize("option", ["--assessments", "--runs", "--structure"])
def test_a_file_that_may_not_be_read(option: str, common: Path) -> None:
    """Run in a process of a user who is not root, because root may read everything."""
    (common / "secret").write_text("1 0 a 1\n")
    (common / "secret").chmod(0)
    (common / "open").write_text("1 0 a\n")
    program = (
        "import os, sys\nfrom inexmetrics.cli import main\n"
        f"main(['check', {option!r}, 'open'])\n"  # loads what another user may not load
        "if os.geteuid() == 0:\n    os.setuid(65534)\n"
        f"sys.exit(main(['check', {option!r}, 'secret']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=common,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "secret: expected a readable file, found: Permission denied" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_vanishes_between_two_looks_at_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("1 0 a 1\n")
    monkeypatch.setattr("inexmetrics.reading.line_files.lines.tidy", lambda *_: None)

    def gone(source: Source) -> bytes:
        source.path.unlink()
        raise CollectionError(f"{source.path}: expected a readable file, found: No such file or directory")

    monkeypatch.setattr(Source, "content", gone)
    assert (
        outcome(lambda: read_assessments(tmp_path / "file"), tmp_path) == "file: expected a readable file, found: No such file or directory"
    )
