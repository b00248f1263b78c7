"""Examples of pages: what they print and the warnings that they give are checked and written."""

from __future__ import annotations

import subprocess
from pathlib import Path
from unittest import mock

import pytest

from docs import examples


def block(tmp_path: Path, code: str) -> examples.Block:
    """Returns the only block of a page, whose code begins on line 4."""
    page = tmp_path / "a-page.md"
    page.write_text(f"# A page\n\n```python\n{code}```\n")
    [found] = examples.blocks(page)
    return found


def test_output_is_written_where_the_page_shows_it(tmp_path: Path) -> None:
    long = "word " * 30
    found = block(tmp_path, f"print('a')\nprint()\nprint({long!r})\n# prints: old\n# prints:\n# prints:\n")
    now = examples.renewed(found, {})
    assert now.startswith(f"print('a')\nprint()\nprint({long!r})\n# prints: a\n# prints:\n# prints: word word")
    assert max(map(len, now.splitlines()[3:])) <= examples.WIDEST
    examples.check_python(block(tmp_path, now), {})


def test_a_block_without_prints_lines_shows_no_output(tmp_path: Path) -> None:
    found = block(tmp_path, "print('a')\n")
    assert examples.renewed(found, {}) == found.text
    examples.check_python(found, {})


@pytest.mark.parametrize("shown", ["# prints:\n", "# prints: \n", "# prints: b\n", "# prints: a\n# prints: a\n"])
def test_other_output_is_an_error(tmp_path: Path, shown: str) -> None:
    with pytest.raises(AssertionError, match=r"a-page\.md:4: expected \["):
        examples.check_python(block(tmp_path, f"print('a')\n{shown}"), {})


@pytest.mark.parametrize("code", ["print('a')\nprint('b')\n# prints: a\n", "print('a')\n# prints: a\n# prints: b\n", "x = 1\n# prints:\n"])
def test_a_wrong_number_of_lines_is_not_written(tmp_path: Path, code: str) -> None:
    with pytest.raises(AssertionError, match=r"a-page\.md:4: expected a line # prints: for each printed line, found \d lines for \["):
        examples.renewed(block(tmp_path, code), {})


WARNING: str = "import warnings\nfrom inexmetrics import CollectionWarning\nwarnings.warn('3 topics are strange', CollectionWarning)\n"


def test_a_block_shows_its_warnings(tmp_path: Path) -> None:
    found = block(tmp_path, f"{WARNING}print('a')\n# prints: b\n# warns: gone\n#        for good\n")
    now = examples.renewed(found, {})
    assert now == f"{WARNING}print('a')\n# prints: a\n# warns: 3 topics are strange\n"
    examples.check_python(block(tmp_path, now), {})


@pytest.mark.parametrize("shown", ["", "# warns: 2 topics are strange\n"])
def test_a_hidden_or_another_warning_is_an_error(tmp_path: Path, shown: str) -> None:
    with pytest.raises(AssertionError, match=r"a-page\.md:4: expected lines # warns: for \['3 topics are strange'\]"):
        examples.check_python(block(tmp_path, f"{WARNING}{shown}"), {})


def test_a_warning_that_the_block_prints_is_shown_once(tmp_path: Path) -> None:
    code = f"{WARNING}print(('3 topics are strange',))\n# prints: ('3 topics are strange',)\n"
    assert examples.renewed(block(tmp_path, code), {}) == code


def test_a_command_whose_warning_the_page_would_hide_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2.5 r\n")
    command = "inexmetrics 'scores(MAP)' --assessments q.qrels --runs r.run"
    assert "warning: 1 topic missing from run r is scored 0 where defined (2)" in examples.printed(command, tmp_path)
    for hiding in (f"{command} | head -2", f"{command} --format csv", f"{command} | tail -1"):
        with pytest.raises(RuntimeError, match=r"hides warning: 1 topic missing from run r is scored 0 where defined \(2\)"):
            examples.printed(hiding, tmp_path)


def test_only_what_follows_a_pipe_is_a_process_of_its_own(tmp_path: Path) -> None:
    asked = "inexmetrics 'significance(P@5 | wilcoxon)' --table summary"
    with mock.patch.object(subprocess, "run", wraps=subprocess.run) as started:
        whole = examples.printed(asked, tmp_path).splitlines()
        assert not started.called
        shown = examples.printed(f"{asked} | sed -n 2,3p | tr '|' / | cut -c 1-9", tmp_path)
    assert shown == "".join(f"{line[:9]}\n" for line in whole[1:3])
    assert [call.args for call in started.call_args_list] == [("sed -n 2,3p | tr '|' / | cut -c 1-9",)]
    with pytest.raises(RuntimeError, match="exits 1"):
        examples.printed(f"{asked} | grep nowhere", tmp_path)
    with pytest.raises(RuntimeError, match="error: "):  # although the program after the pipe exits 0
        examples.printed(f"{asked} --use nowhere.py | head -3", tmp_path)


def test_a_result_that_is_computed_once_says_how_its_own_data_were_prepared(tmp_path: Path) -> None:
    asked = "inexmetrics 'scores(P@5)'"
    with examples.each_once():
        shown = [examples.printed(f"{asked}{options} | sed -n 2p", tmp_path) for options in ("", " --prepare group_by_document", "")]
    assert [text.rstrip().endswith("; order: file; prepared: group_by_document") for text in shown] == [False, True, False]
