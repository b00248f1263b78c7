"""The page of benchmarks is generated only from the table of benchmarks and the measurements."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from benchmarks.measured import FIGURES, Measured, read
from benchmarks.page import PAGE, main
from benchmarks.rendered import asked, page
from benchmarks.works import GROWING, SECTIONS, WORKS
from benchmarks.works.base import Growth, Work
from benchmarks.works.starting import first_formula
from tests.every import every

TEXT = PAGE.read_text()


def test_the_page_is_made_of_the_figures() -> None:
    assert page(read(FIGURES)) == TEXT, "run python -m benchmarks.page --write"


@every([work for work in WORKS if not work.by_trec_eval], lambda work: work.name)
def test_every_work_has_a_row_or_was_not_measured(work: Work) -> None:
    what = work.what.replace("|", r"\|")
    if work.name not in read(FIGURES).rows:
        assert f"`{work.name}`" in TEXT.partition("\n* not measured yet: ")[2].partition("\n")[0]
        return
    names = (work.name, f"{work.name.partition('-')[0]}-…")  # measures that reach the same bound share a row
    ends = [f" (`{name}`) |" for name in names]
    [line] = [line for line in TEXT.splitlines() if any(end in line and what in line.partition(end)[0].removeprefix("| ") for end in ends)]
    [bound] = re.findall(r"`\) \| (.*?) ?\| ", line)
    assert re.fullmatch(re.escape(asked(work.bound)) + r"(; open|; missed [\d.]+x)?", bound)
    section = next(each for each in SECTIONS if work in each.works)
    above = TEXT.partition(f"\n## {section.title}\n")[2].partition("\n| task ")[0]
    assert f"| {work.beside.removeprefix('is ')}" in line or f"The usual baseline {work.beside}." in above
    limited = [names for names, limits in re.findall(r"^\* (`.*?`): (.*)$", TEXT, re.MULTILINE) if limits == work.limits]
    assert any(f"`{work.name}`" in names.split(", ") for names in limited) == ("; missed " in line)
    assert work.limits.endswith(".")


@every(GROWING, lambda growth: growth.name)
def test_every_growth_has_a_row(growth: Growth) -> None:
    assert [line for line in TEXT.splitlines() if line.startswith(f"| `{growth.name}` |")]


def test_what_was_not_measured_is_said() -> None:
    text = page(Measured())
    [line] = [line for line in text.splitlines() if line.startswith("* not measured yet: ")]
    assert line.count("`") == 2 * len([work for work in WORKS if not work.by_trec_eval])
    assert text.count("| — | — |\n") == len(GROWING)


@pytest.mark.slow
def test_trec_eval_is_measured_if_it_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that prints like trec_eval, computed by pytrec_eval, stands for the C program, which few machines have."""
    program = tmp_path / "trec_eval"
    program.write_text(
        f"#!{sys.executable}\nimport sys, pytrec_eval\nqrels, run = sys.argv[-2:]\n"
        'means = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(open(qrels)), {"map", "ndcg_cut_10"}).evaluate(\n'
        "    pytrec_eval.parse_run(open(run))).values()\n"
        'for name in ("map", "ndcg_cut_10"):\n'
        '    print(f"{name} all {sum(topic[name] for topic in means) / len(means):.4f}")\n'
    )
    program.chmod(0o755)
    options = ["--only", "files-trec-eval", "--tiny", "--folder", str(tmp_path / "data"), "--into", str(tmp_path / "page")]
    assert main([*options]) == 0
    assert "files-trec-eval" not in (tmp_path / "page" / PAGE.name).read_text()
    assert main([*options, "--trec-eval", str(program)]) == 0
    written = (tmp_path / "page" / PAGE.name).read_text()
    assert " (`files-trec-eval`) |" in written
    assert "| the C program trec_eval as its Makefile compiles it" in written
    program.write_text(program.read_text().replace(":.4f", "+.01:.4f"))
    assert main([*options, "--trec-eval", str(program)]) == 1
    assert "Not equal to tolerance" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*options, "--trec-eval", str(tmp_path / "absent")])


def test_no_figures_are_of_works_that_are_gone() -> None:
    measured = read(FIGURES)
    assert [*measured.rows] == [work.name for work in WORKS if work.name in measured.rows]
    assert [*measured.growth] == [growth.name for growth in GROWING if growth.name in measured.growth]


def test_the_first_command_is_the_readme_s() -> None:
    """The page and the benchmark name the command that README shows first, whatever it is."""
    assert first_formula('pip install . && inexmetrics "scores(MAP)"\ninexmetrics "ranks(MAP)"') == "scores(MAP)"
    with pytest.raises(ValueError, match="README: expected a command"):
        first_formula("no command")
    formula = first_formula((PAGE.parents[1] / "README.md").read_text())
    assert f"| README's first command, `{formula}` (`first-command`) |" in TEXT
