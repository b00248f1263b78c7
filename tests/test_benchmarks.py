"""The benchmark command: every benchmark runs on tiny data, and the output contains the measurements."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks import calls, page, rendered, timing
from benchmarks.figure import Growths, exponent
from benchmarks.measured import Grown, Measured, Occasion, Row, kept, read
from benchmarks.rendered import asked, reached
from benchmarks.timing import Side, Spent, forget, launched, side
from benchmarks.works import GROWING, MEASURABLE, WORKS
from benchmarks.works.base import Bound, Data, Inside, Whole, Work
from benchmarks.works.files import same_means
from benchmarks.works.gains import from_memory

OCCASION = Occasion("2026-01-02 03:04", 0.5, "a machine", "versions")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    return Data(tmp_path_factory.mktemp("data"), tiny=True)


def row(ours: float, beside: float, megabytes: int = 100) -> Row:
    """Returns a measurement in which the cold run takes twice as long."""
    first, second = (Side(Spent(2 * wall, 2 * wall), Spent(wall, wall), megabytes * 10**6) for wall in (ours, beside))
    return Row(first, second, OCCASION)


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize("name", [each.name for each in MEASURABLE if not isinstance(getattr(each, "way", None), Whole)])
def test_calls_of_a_work_run(name: str, data: Data) -> None:
    if module := next((work.module for work in WORKS if work.name == name), ""):
        pytest.importorskip(module)
    found = calls.timed(calls.stages(name, data), 1)
    assert all(len(seconds) == 2 and min(wall for wall, _ in seconds) >= 0 for seconds in found.values())
    sizes = {each.name: [*map(str, each.sizes)] for each in GROWING}
    assert [*found] == sizes.get(name, ["ours", "beside"])


@pytest.mark.parametrize("work", [work for work in WORKS if isinstance(work.way, Whole)], ids=lambda work: work.name)
def test_files_of_a_command_are_there(work: Work, data: Data) -> None:
    assert isinstance(work.way, Whole)
    files = work.way.files(data)
    forget(files)
    assert all(file.stat().st_size > 0 for file in files)
    named = {Path(argument) for command in (work.way.ours(data), work.way.beside(data)) for argument in command if argument.startswith("/")}
    assert all(path.exists() for path in named)
    assert {Path(sys.executable)} < named or not files


@pytest.mark.filterwarnings("ignore:.* of the first 10 results, .* were judged:inexmetrics.CollectionWarning")
def test_both_sides_of_frames_find_the_same(data: Data) -> None:
    ours, beside = (stage()() for stage in from_memory(data))
    assert isinstance(ours, pl.DataFrame)
    assert isinstance(beside, dict)
    found = {(run, measure): mean for run, measure, mean in ours.select("run_id", "measure", "mean").iter_rows()}
    assert found == pytest.approx({(run, measure): mean for run, means in beside.items() for measure, mean in means.items()}, rel=1e-12)


def test_other_means_are_told() -> None:
    table = "run_id,measure,mean\na,MAP,0.5\nb,MAP,0.25\n"
    same_means(table, "run_id,measure,mean\nb,MAP,0.25\na,MAP,0.5\n")
    with pytest.raises(AssertionError):
        same_means(table, table.replace("0.25", "0.2501"))
    with pytest.raises(RuntimeError, match="the same runs and measures"):
        same_means(table, table.replace("b,", "c,"))


def test_what_a_process_took() -> None:
    program = (
        "import time; held = bytearray(50_000_000); start = time.process_time()\nwhile time.process_time() < start + 0.2: pass\nprint(7)"
    )
    ran = launched([sys.executable, "-c", program])
    assert ran.printed == "7\n"
    assert ran.spent.cpu >= 0.2
    assert ran.spent.wall >= 0.2
    assert 50_000_000 <= ran.peak < 90_000_000, "the memory of this process counts too"


def test_a_process_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="ValueError: no"):
        launched([sys.executable, "-c", "raise ValueError('no')"])
    with pytest.raises(RuntimeError, match="No such file"):
        launched(["no-such-program"])


def test_a_process_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(timing, "LONGEST", 1.0)
    written = tmp_path / "process"
    program = f"import os, pathlib, time; pathlib.Path({str(written)!r}).write_text(str(os.getpid())); time.sleep(600)"
    with pytest.raises(RuntimeError, match="did not end in 1 s"):
        launched([sys.executable, "-c", program])
    begun = time.monotonic()
    while Path("/proc", written.read_text()).exists():
        assert time.monotonic() < begun + 30
        time.sleep(0.05)


def test_the_first_run_is_the_cold_one() -> None:
    runs = [Spent(wall, 10 * wall) for wall in (9.0, 3.0, 1.0, 2.0)]
    assert side(runs[0], runs[1:], 5) == Side(Spent(9.0, 90.0), Spent(2.0, 10.0), 5)


def test_data_stand_there_whole_or_not_at_all(tmp_path: Path) -> None:
    def fails(path: Path) -> None:
        path.write_text("half")
        raise KeyboardInterrupt

    of = Data(tmp_path, tiny=True)
    with pytest.raises(KeyboardInterrupt):
        of.once("table.csv", fails)
    made = of.once("table.csv", lambda path: path.write_text("whole"))
    assert made == of.once("table.csv", fails)
    assert made.read_text() == "whole"
    assert [*made.parent.iterdir()] == [made]


@pytest.mark.parametrize(
    ("bound", "said", "ours", "verdict"),
    [
        (Bound(), "", 1.0, ""),
        (Bound(seconds=2), "2 s", 1.0, "met"),
        (Bound(seconds=0.05, of="cold"), "cold 50 ms", 0.05, "missed 2.0x"),
        (Bound(faster=5), "ratio 5", 2.0, "met"),
        (Bound(faster=5, megabytes=50), "ratio 5, 50 MB", 2.0, "missed 2.0x"),
        (Bound(longer=2), "ratio 0.5", 30.0, "missed 1.5x"),
        (Bound(more=1, of="cold"), "cold 1 s more", 10.5, "met"),
    ],
)
def test_bounds(bound: Bound, said: str, ours: float, verdict: str) -> None:
    assert asked(bound) == said
    assert reached(bound, row(ours, 10.0)) == verdict


def test_measures_that_reach_the_same_bound_share_a_row_and_others_do_not() -> None:
    context = [work for work in WORKS if work.name.startswith("context-")]
    slowest, *others = context
    fast = {work.name: row(0.1 + place / 100, 0.09) for place, work in enumerate(others)}
    lines = rendered.page(Measured({slowest.name: row(1.2, 0.09), **fast}, {})).splitlines()
    alone, together = (line for line in lines if line.startswith("|") and "(`context-" in line)
    assert f"(`{slowest.name}`) | 0.6 s; missed 2.0x | 1.20" in alone
    assert together.startswith(f"| {', '.join(work.what for work in others)} (`context-…`) | 0.6 s | 0.10 to")
    assert f"to {0.1 + (len(others) - 1) / 100:.2f}" in together
    assert together.endswith("| 0.090 | 100 |")


def test_a_bound_may_be_on_cpu_time() -> None:
    waited = replace(row(2.0, 10.0), ours=Side(Spent(4.0, 1.0), Spent(2.0, 0.5), 0))
    assert reached(Bound(seconds=1), waited) == "missed 2.0x"
    assert reached(Bound(seconds=1, clock="cpu"), waited) == "met"
    assert reached(Bound(seconds=0.25, clock="cpu"), waited) == "missed 2.0x"
    assert reached(Bound(longer=0.04, clock="cpu"), waited) == "missed 1.2x"
    assert asked(Bound(seconds=1, clock="cpu")) == "CPU 1 s"


def test_a_bound_is_open_that_is_missed_on_a_busy_machine() -> None:
    busy = replace(row(2.0, 10.0), occasion=replace(OCCASION, load=9.0))
    assert reached(Bound(seconds=1), busy) == "open"
    assert reached(Bound(seconds=3, megabytes=100), busy) == "met"
    assert reached(Bound(seconds=1, megabytes=50), busy) == "missed 2.0x"
    assert reached(Bound(), busy) == ""


def test_figures_are_read_as_they_were_kept(tmp_path: Path) -> None:
    measured = Measured({"import": row(0.5, 0.25)}, {"files-by-runs": Grown({8: 0.5, 16: 1.25}, OCCASION)})
    kept(measured, tmp_path / "measured.json")
    assert read(tmp_path / "measured.json") == measured
    assert read(tmp_path / "none.json") == Measured()


def test_exponents() -> None:
    sizes = np.array([1, 10, 100])
    assert exponent(dict(zip(sizes.tolist(), (3 * sizes**1.5).tolist(), strict=True))) == pytest.approx((1.5, 3.0))


def test_the_picture_has_a_panel_for_each_size() -> None:
    growths = Growths({each.name: Grown({size: 0.001 * size for size in each.sizes}, OCCASION) for each in GROWING})
    _, panels = growths.figure()
    assert panels.names == ["runs", "topics", "results per topic", "samples"]
    assert growths.table["exponent"].to_list() == pytest.approx([1.0] * growths.table.height)


def command(folder: Path, *arguments: str) -> int:
    return page.main([*arguments, "--tiny", "--into", str(folder / "into"), "--folder", str(folder / "data")])


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Measures the named benchmark, keeps other measurements, and writes the page."""
    into = tmp_path / "into"
    assert command(tmp_path, "--only", "files") == 0
    first = read(into / "measured.json")
    assert [*first.rows] == ["files"]
    assert min(first.rows["files"].ours.warm.cpu, first.rows["files"].beside.warm.cpu, first.rows["files"].ours.peak) > 0
    assert command(tmp_path, "--only", "files", "bootstrap", "bootstrap-by-samples", "--resume") == 0
    second = read(into / "measured.json")
    assert second.rows == {**first.rows, "bootstrap": second.rows["bootstrap"]}
    assert [*second.growth["bootstrap-by-samples"].cpu] == [2000, 4000, 8000, 16000, 32000]
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["files", "bootstrap", "bootstrap-by-samples"]
    assert command(tmp_path, "--check") == 0
    (into / "benchmarks.md").write_text("another page")
    assert command(tmp_path, "--check") == 1
    assert capsys.readouterr().err == "out of date: benchmarks.md; run python -m benchmarks.page --write\n"
    assert command(tmp_path, "--write") == 0
    assert command(tmp_path, "--check") == 0


def test_the_page_is_made_of_the_figures_as_they_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "measured", lambda *_: row(1.6749999, 1.0))  # 1.67 or, once rounded for the file, 1.68
    assert command(tmp_path, "--only", "import") == 0
    assert command(tmp_path, "--check") == 0


def test_a_work_that_fails_keeps_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(*_: object) -> Row:
        raise RuntimeError("expected a process that ends well, found another")

    into = tmp_path / "into"
    into.mkdir()
    kept(Measured({"gone": row(2.0, 1.0), "import": row(0.5, 0.25)}), into / "measured.json")
    monkeypatch.setattr(page, "measured", fails)
    assert command(tmp_path, "--only", "import", "list") == 1
    assert [*read(into / "measured.json").rows] == ["import"]
    assert capsys.readouterr().err.startswith("import: expected a process that ends well")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "further-MAP@10"], "expected the name of a work, found further-MAP@10; did you mean"),
        (["--tiny"], "figures of tiny data are not for the documentation"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        page.main(arguments)
    assert message in capsys.readouterr().err


def test_names_are_told_apart() -> None:
    names = [each.name for each in MEASURABLE]
    assert len({*names}) == len(names)
    assert {isinstance(work.way, Whole | Inside) for work in WORKS} == {True}
