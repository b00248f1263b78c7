r"""A strict parser of LaTeX tables, for tests: environments, braces, and columns of every row."""

from __future__ import annotations

import re

__all__ = ["read_table"]

COMMAND = re.compile(r"\\(?:[a-zA-Z]+|.)", re.DOTALL)


def read_table(text: str) -> list[list[str]]:
    """Returns the cells of a table's rows, including headings; a cell over several columns is repeated for each column.

    Raises:
        AssertionError: Environments or braces are not balanced, a row has the wrong number of columns, or a special character is not escaped.
    """
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    assert not any(re.search(r"(?<!\\)[%#]", line) for line in lines)
    open_ones: list[str] = []
    for mark, name in re.findall(r"\\(begin|end)\{(\w+)\}", "\n".join(lines)):
        if mark == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert open_ones == []
    (begun,) = (found for line in lines if (found := re.fullmatch(r"\\begin\{(tabular|longtable)\}\{(.*)\}", line)))
    count = len(begun[2].replace("@{}", ""))
    assert set(begun[2].replace("@{}", "")) <= set("lr")
    inside = lines[lines.index(begun[0]) + 1 : lines.index(rf"\end{{{begun[1]}}}")]
    rows = []
    for line in inside:
        bare = COMMAND.sub("", line)
        assert bare.count("{") == bare.count("}"), line
        assert bare.count("$") % 2 == 0, line
        if line.endswith(r"\\") and not line.startswith((r"\caption", r"\label")):
            cells = _cells(line.removesuffix(r"\\").rstrip(" "))
            assert len(cells) == count, f"{len(cells)} cells for {count} columns: {line}"
            rows.append(cells)
        else:
            assert re.fullmatch(
                r"(\\(toprule|midrule|bottomrule|addlinespace|end\w+)|(\\cmidrule\(lr\)\{\d+-\d+\})+|\\(caption|label).*)", line
            ), line
    assert rows
    return rows


def _cells(row: str) -> list[str]:
    cells = []
    for part in re.split(r"(?<!\\)&", row):
        over = re.match(r"\s*\\multicolumn\{(\d+)\}\{[lcr]\}", part)
        cells += [part.strip()] * (int(over[1]) if over else 1)
    return cells
