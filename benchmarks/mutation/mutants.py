"""Generates the mutants of a module: its source with one small error each, as a syntax tree.

The operators imitate typical errors of numeric code: a shifted boundary, the opposite sign, the opposite extreme, a constant
that is off by one, a missing assignment. Docstrings, messages, annotations and guards for type checkers are not changed.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Continue: ast.Break, ast.Break: ast.Continue,
}  # fmt: skip
NAMES = {
    one: other
    for pair in (
        "minimum maximum", "min max", "fmin fmax", "nanmin nanmax", "argmin argmax", "any all", "floor ceil", "zeros ones",
        "zeros_like ones_like", "cumsum cumprod", "sum max", "mean sum", "first last", "head tail", "log log2", "logical_and logical_or",
        "intersect1d union1d", "any_horizontal all_horizontal", "min_horizontal max_horizontal", "cum_sum cum_max",
    )
    for one, other in (pair.split(), pair.split()[::-1])
} | {"sum": "max", "max": "min", "mean": "sum", "nan": "inf"}  # fmt: skip
UNTOUCHED = {"threads", "slots", "frozen", "repr", "eq", "init", "total", "strict", "copy"}
"""Keywords that do not affect numbers."""
SIDES = {"left": "right", "right": "left", "greater": "less", "two-sided": "greater"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One error in a module: its place, its text, and the syntax tree with the error."""

    place: str
    """Qualified name of the function or class; empty for the module itself."""
    change: str
    line: int
    """The line on which the statement begins."""
    declared: bool
    """Whether the code runs when the module is imported: a constant, a default, a decorator's argument."""
    tree: ast.Module


@dataclass(frozen=True, slots=True)
class _Site:
    path: tuple[ast.AST, ...]
    """Path in the syntax tree from the module to the changed node."""
    declared: bool

    @property
    def node(self) -> ast.AST:
        return self.path[-1]

    @property
    def place(self) -> str:
        return ".".join(node.name for node in self.path if isinstance(node, ast.FunctionDef | ast.ClassDef))

    @property
    def statement(self) -> ast.stmt:
        return next(node for node in reversed(self.path) if isinstance(node, ast.stmt))

    @property
    def shown(self) -> ast.AST:
        """The smallest part around the change that is understandable without its context."""
        for node in reversed(self.path):
            if isinstance(node, ast.stmt) or (isinstance(node, ast.expr) and len(ast.unparse(node)) >= 12):
                return node
        raise AssertionError("a statement holds every expression")


def _without(node: ast.AST, fields: tuple[str, ...]) -> Iterator[tuple[str, ast.AST]]:
    for name, value in ast.iter_fields(node):
        if name in fields:
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield name, part


def _sites(path: tuple[ast.AST, ...], declared: bool) -> Iterator[_Site]:
    """Yields all nodes below the end of a path that are not annotations, docstrings, messages or type checks."""
    node = path[-1]
    if isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom | ast.Constant | ast.JoinedStr):
        if isinstance(node, ast.Constant):
            yield _Site(path, declared)
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.keyword) and node.arg in UNTOUCHED:
        return
    if isinstance(node, ast.UnaryOp) and isinstance(above := path[-2], ast.Call) and ast.unparse(above.func).endswith(".reshape"):
        return  # numpy treats every length below 0 as unknown
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return
    yield _Site(path, declared)
    for name, part in _without(node, ("annotation", "returns", "type_params", "type_ignores", "ctx")):
        inside = declared and not (isinstance(node, ast.FunctionDef) and name == "body")
        yield from _sites((*path, part), inside)


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the possible replacements of a node: each is a new node with an error."""
    changed = copy.deepcopy(node)
    match changed:
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() if type(changed.op) in OPERATORS:
            changed.op = OPERATORS[type(changed.op)]()  # type: ignore[assignment]
            yield changed
        case ast.Compare():
            for index, operator in enumerate(changed.ops):
                other = copy.deepcopy(changed)
                other.ops[index] = OPERATORS[type(operator)]()  # type: ignore[call-overload]
                yield other
        case ast.UnaryOp():
            yield changed.operand
        case ast.Constant(value=value):
            yield from (ast.Constant(other) for other in _values(value))
        case ast.Attribute() if changed.attr in NAMES:
            changed.attr = NAMES[changed.attr]
            yield changed
        case ast.Name(id="min" | "max" | "any" | "all"):
            changed.id = NAMES[changed.id]
            yield changed
        case ast.If() | ast.IfExp() | ast.While() if not isinstance(changed.test, ast.Compare):  # comparisons have separate mutants
            changed.test = ast.UnaryOp(ast.Not(), changed.test)
            yield changed
        case ast.Continue() | ast.Break():
            yield OPERATORS[type(changed)]()
        case _:
            pass
    if isinstance(node, ast.Expr) or (isinstance(node, ast.Assign | ast.AugAssign) and not _binds(node)):
        yield ast.Pass()


def _values(value: object) -> Iterator[bool | float | str]:
    """Yields other values of a constant: the opposite value, no tolerance, one more, the other side."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield 0.0 if 0 < value < 1e-5 else value + 1
    elif isinstance(value, str) and value in SIDES:
        yield SIDES[value]


def _binds(node: ast.Assign | ast.AugAssign) -> bool:
    """Returns whether a name would be undefined without the assignment."""
    return isinstance(node, ast.Assign) and any(not isinstance(target, ast.Subscript) for target in node.targets)


def _header(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0].removesuffix(":")


def _replaced(tree: ast.AST, old: ast.AST, new: ast.AST) -> ast.AST:
    """Returns a copy of a tree in which one node is replaced; all other nodes are shared."""
    if tree is old:
        return ast.copy_location(new, old)
    if not any(node is old for node in ast.walk(tree)):
        return tree
    changed = copy.copy(tree)
    for name, value in ast.iter_fields(tree):
        if isinstance(value, list):
            setattr(changed, name, [_replaced(part, old, new) if isinstance(part, ast.AST) else part for part in value])
        elif isinstance(value, ast.AST):
            setattr(changed, name, _replaced(value, old, new))
    return changed


def mutants(source: str) -> list[Mutant]:
    """Returns all mutants of a module, in the order of its lines; mutants with the same text in one function are numbered."""
    tree = ast.parse(source)
    found: list[Mutant] = []
    alike: Counter[tuple[str, str]] = Counter()
    for site in _sites((tree,), declared=True):
        for new in _replacements(site.node):
            mutated = _replaced(tree, site.node, new)
            assert isinstance(mutated, ast.Module)
            ast.fix_missing_locations(mutated)
            change = f"{_header(site.shown)} → {_header(_replaced(site.shown, site.node, new))}"
            alike[site.place, change] += 1
            if (number := alike[site.place, change]) > 1:
                change += f" ({number})"
            found.append(Mutant(site.place, change, site.statement.lineno, site.declared, mutated))
    return found


def sample(every: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Returns some mutants at random. Each has a fixed random number, so that changes of other code hardly change the sample.

    The number depends on the seed, the place and the change, but not on the file and the line.
    """

    def number(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.place} {mutant.change}".encode()).digest()

    drawn = set(sorted(map(number, every))[:count])
    return [mutant for mutant in every if number(mutant) in drawn]


def code_by_place(source: str) -> dict[str, str]:
    """Returns the code of each function and class by its place, and of the module, without docstrings, imports and nested definitions."""
    found: dict[str, str] = {}

    def add(node: ast.Module | ast.ClassDef | ast.FunctionDef, place: str) -> None:
        within = [part for part in node.body if isinstance(part, ast.ClassDef | ast.FunctionDef)]
        own = copy.copy(node)
        own.body = [part for part in node.body if part not in within and not isinstance(part, ast.Import | ast.ImportFrom)]
        own.body = [part for part in own.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
        found[place] = ast.dump(own)
        for part in within:
            add(part, f"{place}.{part.name}".removeprefix("."))

    add(ast.parse(source), "")
    return found
