"""A few seconds of `python -m tests.fuzz`, and the inputs with which it has found errors."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from inexmetrics import parse, read_runs
from tests.faults.matrix import KINDS
from tests.fuzz import files, formulas
from tests.fuzz.deadline import Hang, deadline

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="clocks and limits of Linux")


@pytest.mark.slow
@pytest.mark.parametrize("campaign", [formulas.campaign, files.campaign], ids=["formulas", "files"])
def test_nothing_is_broken(campaign: object) -> None:
    number = 4_000 if campaign is formulas.campaign else 600
    tally: Counter[str] = Counter()
    for place, outcome, wrong, shown in campaign(20, range(number)):  # type: ignore[operator]  # it is a campaign
        tally[outcome] += 1
        assert not wrong, (place, shown, wrong)
    # Of each outcome there is a good part, or the laws would hold of nothing.
    assert all(found > number / 25 for found in tally.values()), tally
    assert len(tally) == (2 if campaign is formulas.campaign else 4)


def test_it_is_a_command() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "formulas", "--count", "20"]
    done = subprocess.run(command, cwd=Path(__file__).resolve().parents[2], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("seed 1, formulas 0 to 19:\n  BROKEN: 0\n")


FOUND = [
    ("a table of topics", b"topic_id\t\xaf"),  # raised StopIteration
    ("a structure in TSV", b"doc_id\tpath\tstart\tlength\t\xff"),
    ("grades in TSV", b"query_id\tdoc_id\trelevance\n1\ta\t2\n1\t\x1cb\t0\n"),  # was another document than with a quote anywhere
    ("a FOL run", b"1 Q0 a 1 9.5 r 0 12\n2 Q0 a -9223372036854775808 7.5 r 3 3\n"),
]
"""Files with which errors have been found."""


@pytest.mark.parametrize(("name", "content"), FOUND)
def test_what_was_found(name: str, content: bytes, tmp_path: Path) -> None:
    kind = next(kind for kind in KINDS if kind.name == name)
    (tmp_path / "file").write_bytes(content)
    outcome, wrong = files.outcomes(kind, tmp_path / "file", content)
    assert (outcome != "broken", wrong) == (True, [])


def test_what_was_found_in_formulas() -> None:
    nested = "without_too_small(" * 59 + "Gen5" + ")" * 59
    # Each was repeated in a message of more than a thousand characters.
    for found in (f"agreement({nested} + GenLifted, measure=char_prec)", f'scores(MAP ~ threshold(assessor("{"x" * 60_000}"), 1))'):
        meaningful, wrong = formulas.mistakes(found)
        assert (meaningful, wrong) == (False, [])


def test_seeds_mean_something() -> None:
    for seed in formulas.SEEDS:
        parse(seed)


def test_every_kind_of_file_is_mutated() -> None:
    tried = {files.file(1, number)[0].name for number in range(len(files.TRIED))}
    assert tried == {kind.name for kind in KINDS if not kind.frames}


def test_numbers_name_inputs() -> None:
    assert [formulas.formula(3, number) for number in range(50)] == [formulas.formula(3, number) for number in range(50)]
    assert formulas.formula(3, 7) != formulas.formula(4, 7)
    assert files.file(3, 7)[1] == files.file(3, 7)[1]


def forever() -> None:
    while True:
        pass


def test_a_hang_is_found() -> None:
    with pytest.raises(Hang, match=r"expected an end within 0\.05 CPU seconds"), deadline(0.05):
        forever()


def test_other_numbers_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that loses a row is detected by the comparison with the slow reader."""
    kind = next(kind for kind in KINDS if kind.name == "a TREC run")
    (tmp_path / "file").write_bytes(kind.sound)
    assert files.outcomes(kind, tmp_path / "file", kind.sound) == ("read by both", [])
    runs = read_runs(tmp_path / "file")
    monkeypatch.setattr(files, "rows_of", lambda _: runs.results.rows()[1:])
    outcome, wrong = files.outcomes(kind, tmp_path / "file", kind.sound)
    assert outcome == "read by both"
    assert wrong
