"""Examples of the documentation: finds them in the pages, runs them, and compares their output with the pages.

A ``console`` block contains commands after ``$``, which may continue after ``>``, and the standard output of each command. A ``python`` block runs
in the namespace of its page, in order. Lines ``# prints: text`` contain the lines that the block prints; a long line may continue on the next line.
Lines ``# warns: text`` contain the warnings of the block that it does not print; on the command line, warnings are part of the output.
``python docs/examples.py`` checks every page, or the pages given as paths; ``--write`` writes the current output into the pages, also after ``# prints:``
without text. A block that shows output has one such line for each printed line.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from unittest import mock

from inexmetrics import Collection, CollectionWarning, Result, Scores
from inexmetrics.cli import main
from inexmetrics.collection.origin import origin_of
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.conditions import Measured

ROOT = Path(__file__).resolve().parent.parent
AT_ROOT = frozenset({ROOT / "README.md", ROOT / "docs" / "tutorial.md"})
"""Pages whose commands run in the repository's root."""
PRINTS = re.compile(r"# prints: ?(.*(?:\n# {9}\S.*)*)$", re.MULTILINE)
WARNS = re.compile(r"^# warns: .*\n(?:# {8}\S.*\n)*", re.MULTILINE)
WIDEST = 100
"""Number of characters of a line that a window of 1280 pixels shows completely; the width of the terminal for commands, beyond which lines are continued."""
WORDS = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")
"""Pattern of the words of a command, with their quotes."""
BLOCK = re.compile(r"^```(?P<language>console|python)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code of a page, and the position of its text in the page."""

    page: Path
    language: str
    text: str
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line of the page on which the block's text begins."""
        return self.page.read_text().count("\n", 0, self.start) + 1


def pages() -> tuple[Path, ...]:
    """Returns the pages whose examples are run."""
    return (ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")))


def blocks(page: Path) -> tuple[Block, ...]:
    """Returns the blocks of code of a page, in order."""
    return tuple(
        Block(page, found["language"], found["text"], found.start("text"), found.end("text")) for found in BLOCK.finditer(page.read_text())
    )


def commands(block: Block) -> Iterator[str]:
    """Returns the commands of a console block."""
    return (line.removeprefix("$ ") for line in joined(block.text).splitlines() if line.startswith("$ "))


def joined(text: str) -> str:
    """Returns the text with each command on one line."""
    return re.sub(r" \\\n> +", " ", text)


def typed(command: str) -> str:
    """Returns a command as the page shows it; a long command continues on the next line, before an option or a pipe."""
    lines, line = [], "$"
    for part in _parts(command) if len(command) > WIDEST - 2 else [command]:
        if line not in {"$", ">  "} and len(f"{line} {part} \\") > WIDEST:
            lines.append(f"{line} \\")
            line = ">  "
        line = f"{line} {part}"
    return "\n".join([*lines, line])


def _parts(command: str) -> list[str]:
    """Returns a command's words, grouped by option and by side of a pipe."""
    parts: list[str] = []
    for word in WORDS.findall(command):
        if not parts or word == "|" or word.startswith("--"):
            parts.append(word)
        else:
            parts[-1] += f" {word}"
    return parts


def printed(command: str, folder: Path) -> str:
    """Returns the standard output of a command line; `inexmetrics` is the program of this environment, run in this process before any pipe.

    Raises:
        RuntimeError: The command failed, or its output lacks a warning that the program gives.
    """
    words, rest, text, told = WORDS.findall(command), command, None, ""
    if words[0] == "inexmetrics" and not {">", ";", "&", "2>&1", "--use"} & {*words}:
        asked = list(takewhile(lambda word: word != "|", words))
        text, told = answered(shlex.split(" ".join(asked))[1:])
        rest = " ".join(words[len(asked) + 1 :])
        if not rest:
            return _whole(command, text, told)
    path = os.pathsep.join((str(Path(sys.prefix) / "bin"), os.environ.get("PATH", os.defpath)))
    done = subprocess.run(
        rest,
        shell=True,
        input=text,
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        env={**os.environ, "PATH": path, "COLUMNS": str(WIDEST)},
    )
    if done.returncode != 0 or re.search("(?m)^error", done.stderr):  # a pipe hides the exit code of the first program
        raise RuntimeError(f"{command}\nexits {done.returncode}: {done.stderr}")
    return _whole(command, done.stdout, told + done.stderr)


def _whole(command: str, output: str, told: str) -> str:
    """Returns what a command prints, if it contains every warning on standard error."""
    if hidden := [warning for warning in warned(told) if warning not in _squeezed(output)]:
        raise RuntimeError(f"{command}\nhides {'; '.join(hidden)}\n(docs/commands.py gives an entry of the reference another command)")
    return output


def warned(told: str) -> list[str]:
    """Returns the warnings on standard error, each on one line; continued lines are indented."""
    return [_squeezed(found) for found in re.findall(r"^(warning: .*(?:\n {2}.*)*)$", told, re.MULTILINE)]


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def answered(arguments: list[str]) -> tuple[str, str]:
    """Returns the standard output and the standard error of the program, run in this process because starting one takes longer than the command.

    The command ``check`` exits with 1 if it finds errors, which is what it is asked for.
    """
    out, told = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told), mock.patch.dict(os.environ, COLUMNS=str(WIDEST)):
        code = main(arguments)
    if code not in ((0, 1) if arguments[0] == "check" else (0,)):
        raise RuntimeError(f"{shlex.join(arguments)}\nexits {code}: {told.getvalue()}")
    out.flush()
    out.seek(0)
    return out.read(), told.getvalue()


_FOUND: dict[tuple[object, ...], Result] = {}
"""Results by experiment, evaluator, data, and what a result says of its data."""


@contextlib.contextmanager
def each_once() -> Iterator[None]:
    """Computes each result once, for a page's Python code, its command, its picture, and all other pages."""
    computed = Measured.result

    def result(asked: Measured[Result], source: Collection | Scores, setting: RunOptions) -> Result:
        key = asked, setting.compat, source.fingerprint, source.warnings, repr(origin_of(source))
        if key not in _FOUND:
            _FOUND[key] = computed(asked, source, setting)
        return _FOUND[key]

    with mock.patch.object(Measured, "result", result):
        yield


def shown(block: Block, folder: Path) -> str:
    """Returns the console block with the current output of its commands; commands that only prepare (pip, ...) keep the output shown."""
    lines = []
    for command in commands(block):
        output = printed(command, folder).rstrip("\n")
        lines += [typed(command), *([output] if output else [])]
    return "\n".join(lines) + "\n"


def runs(block: Block) -> bool:
    """Returns whether the block's commands are run; installing commands are not run."""
    return all(command.startswith(("inexmetrics ", "cat ", "head ")) for command in commands(block))


def printed_by(block: Block, namespace: dict[str, object]) -> tuple[list[str], list[str]]:
    """Returns the lines that a block of Python prints in the page's namespace, and the other warnings that it gives."""
    written = io.StringIO()
    with (
        contextlib.redirect_stdout(written),
        warnings.catch_warnings(record=True) as told,
        mock.patch.dict(os.environ, COLUMNS=str(WIDEST)),
    ):
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", CollectionWarning)
        exec(compile("\n" * (block.line - 1) + block.text, str(block.page), "exec"), namespace)
    lines = [line.rstrip() for line in written.getvalue().splitlines()]
    texts = dict.fromkeys(_squeezed(str(each.message)) for each in told)
    return lines, [text for text in texts if text not in _squeezed(" ".join(lines))]


def check_python(block: Block, namespace: dict[str, object]) -> None:
    """Runs a block of Python in the page's namespace, and compares its output and its warnings with the page.

    Raises:
        AssertionError: The block prints other lines, or hides a warning.
    """
    expected = [re.sub(r"\n# +", " ", said) for said in PRINTS.findall(block.text)]
    got, told = printed_by(block, namespace)
    if expected and got != expected:
        raise AssertionError(f"{block.page}:{block.line}: expected {expected}, found {got}")
    if "".join(WARNS.findall(block.text)) != _warnings(told):
        raise AssertionError(f"{block.page}:{block.line}: expected lines # warns: for {told}")


def renewed(block: Block, namespace: dict[str, object]) -> str:
    """Returns the block of Python with its current output, and with its warnings at the end; a block that does not show output shows only warnings.

    Raises:
        AssertionError: The block shows output, and the number of printed lines differs.
    """
    (lines, told), places = printed_by(block, namespace), len(PRINTS.findall(block.text))
    if places and places != len(lines):
        raise AssertionError(
            f"{block.page}:{block.line}: expected a line # prints: for each printed line, found {places} lines for {lines}"
        )
    now = iter(lines)
    text = PRINTS.sub(lambda _: _said(next(now)), block.text) if places else block.text
    return WARNS.sub("", text) + _warnings(told)


def _warnings(told: list[str]) -> str:
    return "".join(f"{_said(text, '# warns: ')}\n" for text in told)


def _said(line: str, begin: str = "# prints: ") -> str:
    whole = f"{begin}{line}".rstrip()
    return (
        whole if len(whole) <= WIDEST else textwrap.fill(whole, 92, subsequent_indent=f"#{' ' * (len(begin) - 1)}", break_on_hyphens=False)
    )


def check(page: Path) -> None:
    """Runs every example of a page; raises an error if an example fails or its output has changed."""
    for wrong in _run(page)[1]:
        raise wrong


def namespace(page: Path) -> Mapping[str, object]:
    """Returns the names that are defined after a page's Python code has run."""
    return _run(page)[0]


@cache
def _run(page: Path) -> tuple[Mapping[str, object], Sequence[AssertionError]]:
    """Runs every example of a page, once in a process, and returns the names that are then defined, and errors of changed output."""
    names: dict[str, object] = {"__name__": "__example__"}
    wrong: list[AssertionError] = []
    with each_once(), tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        prepare(Path(name), page)
        for block in blocks(page):
            try:
                if block.language == "python":
                    check_python(block, names)
                elif runs(block) and (now := shown(block, Path(name))) != block.text:
                    raise AssertionError(f"{page}:{block.line}: the commands now print\n{now}")
            except AssertionError as error:
                wrong.append(error)
    return names, wrong


def prepare(folder: Path, page: Path) -> None:
    """Copies the files that pages use: into ``docs/files`` of the folder if the page's commands run in the repository's root, otherwise into the folder."""
    at_root = page in AT_ROOT
    shutil.copytree(ROOT / "docs" / "files", folder / "docs" / "files" if at_root else folder, dirs_exist_ok=True)


def write(page: Path) -> None:
    """Writes the current output of a page's commands and programs into the page."""
    text, kept = page.read_text(), 0
    parts = []
    namespace: dict[str, object] = {"__name__": "__example__"}
    with each_once(), tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        prepare(Path(name), page)
        for block in blocks(page):
            now = renewed(block, namespace) if block.language == "python" else shown(block, Path(name)) if runs(block) else block.text
            parts += [text[kept : block.start], now]
            kept = block.end
    page.write_text("".join([*parts, text[kept:]]))


def format_pages(chosen: Iterable[Path], *, check: bool = True) -> None:
    """Formats the Python code of pages with the line length of pages; the code of the reference is from docstrings.

    Raises:
        CalledProcessError: With `check`: a page is not formatted.
    """
    formatter = [sys.executable, "-m", "ruff", "format", "--quiet", "--isolated", "--line-length", str(WIDEST)]
    written = [page for page in chosen if page.parent.name != "reference"]
    if written:
        subprocess.run([*formatter, *(["--check"] if check else []), *written], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Checks or renews the examples of the documentation.")
    parser.add_argument("pages", nargs="*", type=Path, help="pages to visit; all of them by default")
    parser.add_argument("--write", action="store_true", help="write what the examples print now into the pages")
    options = parser.parse_args()
    chosen = [page.resolve() for page in options.pages] or pages()
    if unknown := sorted(map(str, set(chosen) - set(pages()))):
        parser.error(f"not pages of the documentation: {', '.join(unknown)}")
    format_pages(chosen, check=not options.write)
    for each in chosen:
        (write if options.write else check)(each)
