"""Selections of tests: what a change selects, what is quick, and merged tests that report every failing case."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

from tests.every import every
from tests.examples import EVERY, FIRST, UNDEFINED
from tests.profiles import ALL, FEW, up_to
from tests.selection import MANY, ROOT, Above, above, changed_since, few_of_many, is_quick

RANKS = "inexmetrics/experiments/ranks.py"


@pytest.fixture(scope="module")
def of_ranks() -> Above:
    return above([RANKS], ROOT)


@pytest.mark.slow
def test_a_change_of_an_experiment_selects_its_tests_and_those_that_visit_all_words(of_ranks: Above) -> None:
    assert {
        RANKS,
        "tests/experiments/test_ranks.py",
        "tests/laws/test_terms.py",
        "tests/docs/test_pages.py",
        "tests/cli/test_main.py",
    } <= of_ranks.files
    assert not {name for name in of_ranks.files if name.startswith(("tests/ranking/", "tests/collection/test_dec", "tests/common/test_f"))}


@pytest.mark.slow
def test_tests_of_all_examples_are_selected_by_their_formula(of_ranks: Above) -> None:
    visited = "tests/report/test_every_column_is_shown.py"
    assert visited in of_ranks.by_formulas
    assert of_ranks.includes(visited, ["ranks(MAP)"])
    assert not of_ranks.includes(visited, ["scores(MAP)"])
    assert of_ranks.includes("tests/experiments/test_ranks.py", ["scores(MAP)"])
    assert not of_ranks.includes("tests/ranking/test_ranking.py", [])


def test_a_change_below_selects_what_imports_it_through_other_files() -> None:
    files = above(["inexmetrics/inference/corrections.py"], ROOT).files
    assert {"tests/inference/test_corrections.py", "tests/laws/test_corrections.py", RANKS, "tests/experiments/test_ranks.py"} <= files
    assert above(["inexmetrics/ranking/retrieved.py"], ROOT).files >= {"tests/measures/test_documents.py", "tests/peers/test_trec_eval.py"}
    assert "tests/reading/test_topics.py" not in files


def test_shared_code_of_tests_data_and_pages_select_what_uses_them() -> None:
    assert {"tests/measures/test_documents.py"} <= above(["tests/reference/documents.py"], ROOT).files | above(
        ["tests/by_hand.py"], ROOT
    ).files
    assert "tests/experiments/test_json_schema.py" in above(["tests/experiments/schema.json"], ROOT).files
    of_page = above(["docs/judges.md"], ROOT).files
    assert {"tests/docs/test_pages.py", "tests/docs/test_site.py"} <= of_page
    assert not {name for name in of_page if name.startswith(("inexmetrics/", "tests/measures/"))}
    assert above(["stubs/scipy/nothing.pyi"], ROOT).files == {"stubs/scipy/nothing.pyi", "tests/test_selection.py"}, "which names it"
    assert above(["pyproject.toml"], ROOT).files > {"tests/ranking/test_ranking.py", RANKS}


def test_new_and_changed_files_differ_from_a_revision(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--quiet")
    for name in ("kept", "changed", "gone", ".gitignore"):
        (tmp_path / name).write_text("ignored\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "first")
    (tmp_path / "changed").write_text("2")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_text("")
    (tmp_path / "ignored").write_text("")
    assert changed_since(tmp_path, "HEAD") == {"changed", "gone", "new"}
    git("add", "--all")
    git("commit", "--quiet", "--message", "second")
    assert changed_since(tmp_path, "HEAD") == frozenset()
    assert changed_since(tmp_path, "HEAD~1") == {"changed", "gone", "new"}
    with pytest.raises(pytest.UsageError, match=r"--changed=nowhere: fatal: .*nowhere"):
        changed_since(tmp_path, "nowhere")


class TestQuick:
    @pytest.mark.slow
    def test_of_hours(self, request: pytest.FixtureRequest) -> None:
        assert not is_quick(request.node)

    @pytest.mark.parametrize("formula", [FIRST[0], EVERY[1], UNDEFINED[0], "scores(R@7)"])
    def test_of_formulas(self, formula: str, request: pytest.FixtureRequest) -> None:
        assert is_quick(request.node) == (formula in FIRST or formula not in EVERY + UNDEFINED)

    @pytest.mark.parametrize("case", range(13))
    def test_few_cases_of_many_are_chosen(self, case: int, request: pytest.FixtureRequest) -> None:
        """With `--quick`, only the chosen cases are here."""
        here = [item for item in request.session.items if item.name.startswith("test_few_cases_of_many_are_chosen[")]
        chosen = [f"test_few_cases_of_many_are_chosen[{place}]" for place in (0, 4, 8)]
        assert [item.name for item in few_of_many(here)] == (chosen if len(here) >= MANY else [item.name for item in here])
        assert request.config.getoption("quick") <= (case in (0, 4, 8))

    def test_of_others(self, request: pytest.FixtureRequest) -> None:
        assert is_quick(request.node)

    def test_laws_have_fewer_examples_in_proportion(self) -> None:
        of_profile = settings().max_examples
        assert of_profile in {ALL, FEW}
        assert [up_to(count).max_examples for count in (1, 60, 500)] == [max(1, count * of_profile // ALL) for count in (1, 60, 500)]


def test_a_merged_test_reports_every_failing_case() -> None:
    @every([1, 2, 3, 4, 5], name=lambda case: f"case {case}")
    def test_numbers(case: int) -> None:
        """Numbers are odd."""
        assert case % 2, f"{case} is even"
        if case == 5:
            raise KeyError("five")

    with pytest.raises(AssertionError) as raised:
        test_numbers()
    first, *failed = [line for line in str(raised.value).splitlines() if re.match(r"\d|case", line)]
    assert first == "3 of 5 cases fail:"
    assert [line.partition(":")[0] for line in failed] == ["case 2", "case 4", "case 5"]
    assert failed[2] == "case 5: KeyError: 'five'"
    assert (test_numbers.__name__, test_numbers.__doc__) == ("test_numbers", "Numbers are odd.")


def test_a_merged_test_of_nothing_fails() -> None:
    with pytest.raises(AssertionError, match="expected cases, found none"):
        every([])(lambda _: None)()
