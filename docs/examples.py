"""The examples of the documentation: found in its pages, run, and held against what the pages show.

A ``console`` block holds commands after ``$``, which go on after ``>``, and what each prints on standard output. A ``python`` block runs
in the page's own namespace, in order; a line ``# prints: text`` says what the block's printed lines are, each of which may go on below.
``python docs/examples.py`` checks every page, or those given as paths; ``--write`` writes what is printed now into them.
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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

from inexmetrics.cli import main

ROOT = Path(__file__).resolve().parent.parent
AT_ROOT = frozenset({ROOT / "README.md", ROOT / "docs" / "tutorial.md"})
"""Pages for those who stand at the repository's root."""
PRINTS = re.compile(r"# prints: (.*(?:\n# {9}\S.*)*)$", re.MULTILINE)
WIDEST = 100
"""Signs of a line that a window of 1280 pixels shows whole: the program prints as on a terminal of so many columns, and what is longer goes on below."""
WORDS = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")
"""The words of a command, with their quotes."""
BLOCK = re.compile(r"^```(?P<language>console|python)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code of a page, and where its text stands in it."""

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
    """The pages whose examples are run."""
    return (ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")))


def blocks(page: Path) -> tuple[Block, ...]:
    """The blocks of code of a page, in order."""
    return tuple(
        Block(page, found["language"], found["text"], found.start("text"), found.end("text")) for found in BLOCK.finditer(page.read_text())
    )


def commands(block: Block) -> Iterator[str]:
    """The commands of a console block."""
    return (line.removeprefix("$ ") for line in joined(block.text).splitlines() if line.startswith("$ "))


def joined(text: str) -> str:
    """The text with each command in one line."""
    return re.sub(r" \\\n> +", " ", text)


def typed(command: str) -> str:
    """A command as the page shows it: one that is too long goes on below, from an option or a pipe on."""
    lines, line = [], "$"
    for part in _parts(command) if len(command) > WIDEST - 2 else [command]:
        if line not in {"$", ">  "} and len(f"{line} {part} \\") > WIDEST:
            lines.append(f"{line} \\")
            line = ">  "
        line = f"{line} {part}"
    return "\n".join([*lines, line])


def _parts(command: str) -> list[str]:
    """A command's words, those of each option and of each side of a pipe together."""
    parts: list[str] = []
    for word in WORDS.findall(command):
        if not parts or word == "|" or word.startswith("--"):
            parts.append(word)
        else:
            parts[-1] += f" {word}"
    return parts


def printed(command: str, folder: Path) -> str:
    """What a command line prints on standard output; `inexmetrics` is this environment's."""
    asked, _, first = command.partition(" | head -")
    if asked.startswith("inexmetrics ") and not {"|", ">", ";", "&"} & set(asked.split()) and "--use" not in asked:
        lines = answered(shlex.split(asked)[1:]).splitlines(keepends=True)
        return "".join(lines[: int(first)] if first else lines)
    path = os.pathsep.join((str(Path(sys.prefix) / "bin"), os.environ.get("PATH", os.defpath)))
    done = subprocess.run(
        command,
        shell=True,
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        env={**os.environ, "PATH": path, "COLUMNS": str(WIDEST)},
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command}\nexits {done.returncode}: {done.stderr}")
    return done.stdout


def answered(arguments: list[str]) -> str:
    """What the program prints, run in this process: a process of its own takes longer to start than to answer."""
    out, told = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told), mock.patch.dict(os.environ, COLUMNS=str(WIDEST)):
        code = main(arguments)
    if code != 0:
        raise RuntimeError(f"{shlex.join(arguments)}\nexits {code}: {told.getvalue()}")
    out.flush()
    out.seek(0)
    return out.read()


def shown(block: Block, folder: Path) -> str:
    """The console block as its commands print it now; commands that only prepare (pip, ...) keep what is shown."""
    lines = []
    for command in commands(block):
        output = printed(command, folder).rstrip("\n")
        lines += [typed(command), *([output] if output else [])]
    return "\n".join(lines) + "\n"


def runs(block: Block) -> bool:
    """Whether the block's commands are run: those that install are not."""
    return all(command.startswith(("inexmetrics ", "cat ", "head ")) for command in commands(block))


def printed_by(block: Block, namespace: dict[str, object]) -> list[str]:
    """The lines that a block of Python prints, run in the page's namespace."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written), warnings.catch_warnings(), mock.patch.dict(os.environ, COLUMNS=str(WIDEST)):
        warnings.simplefilter("ignore")
        exec(compile("\n" * (block.line - 1) + block.text, str(block.page), "exec"), namespace)
    return [line.rstrip() for line in written.getvalue().splitlines()]


def check_python(block: Block, namespace: dict[str, object]) -> None:
    """Runs a block of Python in the page's namespace; compares what it prints with its `# prints:` lines."""
    expected, got = [re.sub(r"\n# +", " ", said) for said in PRINTS.findall(block.text)], printed_by(block, namespace)
    if expected and got != expected:
        raise AssertionError(f"{block.page}:{block.line}: expected {expected}, found {got}")


def renewed(block: Block, namespace: dict[str, object]) -> str:
    """The block of Python with what it prints now; one that shows none, or prints another number of lines, as it stands."""
    lines = printed_by(block, namespace)
    if len(PRINTS.findall(block.text)) != len(lines):
        return block.text
    now = iter(lines)
    return PRINTS.sub(lambda _: _said(next(now)), block.text)


def _said(line: str) -> str:
    whole = f"# prints: {line}"
    return whole if len(whole) <= WIDEST else textwrap.fill(whole, 92, subsequent_indent=f"#{' ' * 9}", break_on_hyphens=False)


def check(page: Path) -> None:
    """Runs every example of a page; raises where one fails, or shows what is no longer so."""
    namespace: dict[str, object] = {"__name__": "__example__"}
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        prepare(Path(name), page)
        for block in blocks(page):
            if block.language == "python":
                check_python(block, namespace)
            elif runs(block) and shown(block, Path(name)) != block.text:
                raise AssertionError(f"{page}:{block.line}: the commands now print\n{shown(block, Path(name))}")


@cache
def namespace(page: Path) -> Mapping[str, object]:
    """The names that a page's Python leaves behind."""
    names: dict[str, object] = {"__name__": "__example__"}
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        prepare(Path(name), page)
        for block in blocks(page):
            if block.language == "python":
                printed_by(block, names)
            elif runs(block):
                shown(block, Path(name))
    return names


def prepare(folder: Path, page: Path) -> None:
    """Puts the files that a page speaks of into the folder it runs in, which stands for the repository's root where it says so."""
    at_root = page in AT_ROOT
    shutil.copytree(ROOT / "docs" / "files", folder / "docs" / "files" if at_root else folder, dirs_exist_ok=True)


def write(page: Path) -> None:
    """Writes what the page's commands and programs print now into the page."""
    text, kept = page.read_text(), 0
    parts = []
    namespace: dict[str, object] = {"__name__": "__example__"}
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        prepare(Path(name), page)
        for block in blocks(page):
            now = renewed(block, namespace) if block.language == "python" else shown(block, Path(name)) if runs(block) else block.text
            parts += [text[kept : block.start], now]
            kept = block.end
    page.write_text("".join([*parts, text[kept:]]))


def format_pages(chosen: Iterable[Path], *, check: bool = True) -> None:
    """Formats the Python of pages in lines that a page shows whole; that of the reference is of docstrings.

    Raises:
        CalledProcessError: A page is not formatted, and the formatting only checked.
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
