"""The evaluator's report as its definition reads: one run, one topic, one result after the other, in plain Python.

Text is a set of characters, represented by an integer whose bits are the characters of a document. ``compat`` follows the
official evaluator in each of its departures from the published definitions; ``assessed_topics`` is its option -c.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Literal, TypeAlias

Task: TypeAlias = Literal["focused", "thorough", "f", "bep", "t2i"]
UNRESOLVED = (-1, -1)
FOCUSED_POINTS = {"0.00": 0, "0.01": 1, "0.05": 5, "0.10": 10}
RANKS = (1, 2, 3, 5, 10, 25, 50)


class RefusedError(ValueError):
    """A run that the evaluator does not evaluate."""


@dataclass(frozen=True)
class Document:
    relchars: int
    docchars: int
    bep: int | None = None
    passages: Sequence[tuple[int, int]] = ()

    @property
    def highlighted(self) -> int:
        return union(characters(*passage) for passage in self.passages)


NOTHING = Document(0, 0)


@dataclass(frozen=True)
class Result:
    doc: str
    start: int
    length: int

    @property
    def resolved(self) -> bool:
        return (self.start, self.length) != UNRESOLVED


Assessed: TypeAlias = Mapping[str, Mapping[str, Document]]
Run: TypeAlias = Mapping[str, Sequence[Result]]


@dataclass(frozen=True)
class Evaluator:
    """The evaluator with its options."""

    task: Task
    compat: bool
    beta: float = 0.25
    n: int = 500
    tolerance: int = 300
    per_topic: bool = True
    assessed_topics: bool | None = None

    def report(self, run_id: str, file: str, assessed: Assessed, run: Run) -> str:
        every = not self.compat if self.assessed_topics is None else self.assessed_topics
        topics = sorted(assessed) if every else sorted(set(assessed) & set(run))
        found = {topic: self.topic(assessed[topic], run.get(topic, ())) for topic in topics}
        lines = [f'<eval run-id="{run_id}" file="{file}">']
        if self.per_topic:
            lines += [line(name, topic, value) for topic in topics for name, value in found[topic].items() if not hidden(name)]
        averaged = [topic for topic in topics if self.compat or highlighted_characters(assessed[topic])]
        lines.append(line("num_q", "all", len(averaged)))
        for name in found[topics[0]]:
            if name in COUNTERS:
                value: float = sum(int(found[topic][name]) for topic in topics)
                if self.compat and self.task in {"f", "bep", "t2i"} and name == "num_rel":
                    value = sum(relevant_documents(assessed[topic]) for topic in assessed)
                if self.compat and self.task in {"f", "bep", "t2i"} and name == "rel_size":
                    value = sum(highlighted_characters(assessed[topic]) for topic in assessed)
                lines.append(line(name, "all", value))
        means = {name: mean([found[topic][name] for topic in averaged]) for name in found[topics[0]] if name not in COUNTERS}
        order = [*(name for name in means if not hidden(name)), *(name for name in means if hidden(name))]
        if "AgP" in order:
            order = ["AgP", *(name for name in order if name != "AgP")]
        lines += [line({"AiP": "MAiP", "AgP": "MAgP"}.get(name, name), "all", means[name]) for name in order]
        return "\n".join([*lines, "</eval>"]) + "\n"

    def topic(self, assessed: Mapping[str, Document], results: Sequence[Result]) -> dict[str, float]:
        return self.characters(assessed, results) if self.task in {"focused", "thorough"} else self.in_context(assessed, results)

    # -------------------------------------------------------------------------------------------- focused, thorough

    def sizes(self, assessed: Mapping[str, Document], results: Sequence[Result]) -> list[tuple[int, int]]:
        """For each result, the characters that it counts, and the highlighted characters among them."""
        seen: dict[str, int] = {}
        sizes = []
        for result in results:
            document = assessed.get(result.doc, NOTHING)
            before = seen.get(result.doc, 0)
            if not result.resolved:
                follows = self.compat and self.task == "thorough" and document.relchars > 0
                sizes.append((0 if follows else 18, 0))
                continue
            text = characters(result.start, result.length)
            if self.task == "focused":
                inside = result.length == 0 and before >> result.start & 1 == 1
                if before & text or (self.compat and inside):
                    raise RefusedError
            unseen = text & ~before
            whole = self.compat and document.relchars == 0
            sizes.append(((text if whole else unseen).bit_count(), (unseen & document.highlighted).bit_count()))
            seen[result.doc] = before | text
        return sizes

    def characters(self, assessed: Mapping[str, Document], results: Sequence[Result]) -> dict[str, float]:
        trel = highlighted_characters(assessed)
        sizes = self.sizes(assessed, results)
        curve = [0.0] * 101
        read = relevant = 0
        for size, rsize in sizes:
            read, relevant = read + size, relevant + rsize
            for level in range(101):
                if trel and read and self.reached(relevant, trel, level):
                    curve[level] = max(curve[level], relevant / read)
        found = counted(assessed, results, read, relevant)
        documents = f1_of(found["num_rel_ret"], found["num_ret"], found["num_rel"])
        text = f1_of(relevant, read, trel)
        found |= dict(zip(("art_prec", "art_rec", "art_f1"), documents, strict=True))
        found |= dict(zip(("char_prec", "char_rec", "char_f1"), text, strict=True))
        found |= {f"iP[{name}]": curve[level] for name, level in FOCUSED_POINTS.items()}
        found["AiP"] = sum_upwards(curve) / 101
        found |= {f"ircl_prn.{level / 100:.2f}": curve[level] for level in range(101)}
        return found if trel or self.compat else undefined(found)

    def reached(self, relevant: int, trel: int, level: int) -> bool:
        return math.floor(100 * (relevant / trel)) >= level if self.compat else 100 * relevant >= level * trel

    # -------------------------------------------------------------------------------------------- in context

    def in_context(self, assessed: Mapping[str, Document], results: Sequence[Result]) -> dict[str, float]:
        parts: dict[str, list[Result]] = {}
        last = None
        for result in results:
            if result.doc in parts and result.doc != last:
                raise RefusedError
            parts.setdefault(result.doc, []).append(result)
            last = result.doc
        nrel = relevant_documents(assessed)
        summed = agp = 0.0
        hits = rank = 0
        gp, gr, curve = [0.0], [0], [0.0] * 11
        for doc, retrieved in parts.items():
            document = assessed.get(doc, NOTHING)
            summed += self.score(document, retrieved)
            rank += 1
            hits += document.relchars > 0
            gp.append(summed / rank)
            gr.append(hits)
            agp += gp[-1] if document.relchars > 0 else 0.0
            for level in range(11):
                if nrel and 10 * hits >= level * nrel:
                    curve[level] = max(curve[level], gp[-1])
        sizes = [size for doc, retrieved in parts.items() for size in self.sizes_of(assessed.get(doc, NOTHING), retrieved)]
        entered = self.task == "bep"
        found = counted(assessed, results, 0 if entered else sum(a for a, _ in sizes), 0 if entered else sum(b for _, b in sizes))
        for k in RANKS:
            beyond = gp[-1] if self.compat else summed / k
            found[f"gP[{k}]"] = gp[k] if k <= rank else beyond
            found[f"gR[{k}]"] = gr[min(k, rank)] / nrel if nrel else math.nan
        found["AgP"] = agp / nrel if nrel else math.nan
        found |= {f"ircl_prn.{level / 10:.2f}": curve[level] for level in range(11)}
        return found if nrel or self.compat else undefined(found)

    def sizes_of(self, document: Document, retrieved: Sequence[Result]) -> list[tuple[int, int]]:
        seen = 0
        sizes = []
        for result in retrieved:
            if not result.resolved:
                sizes.append((18, 0))
                continue
            text = characters(result.start, result.length)
            if seen & text or (self.compat and result.length == 0 and seen >> result.start & 1 == 1):
                raise RefusedError
            seen |= text
            sizes.append((text.bit_count(), (text & document.highlighted).bit_count()))
        return sizes

    def score(self, document: Document, retrieved: Sequence[Result]) -> float:
        if self.task == "bep":
            if len(retrieved) > 1:
                raise RefusedError
            entry = None if self.compat and not document.passages else document.bep
            if document.relchars == 0 or entry is None or not retrieved[0].resolved:
                return 0.0
            away = abs(retrieved[0].start - entry)
            return (self.n - away) / self.n if away <= self.n else 0.0
        sizes = self.sizes_of(document, retrieved)
        if document.relchars == 0:
            return 0.0
        if self.task == "f":
            size, rsize = sum(a for a, _ in sizes), sum(b for _, b in sizes)
            if rsize == 0:
                return 0.0
            p, r, b = rsize / size, rsize / document.relchars, self.beta
            return (1 + b * b) * p * r / (b * b * p + r)
        return self.to_irrelevance(document, retrieved)

    def to_irrelevance(self, document: Document, retrieved: Sequence[Result]) -> float:
        parts = [range(part.start, part.start + part.length) for part in retrieved if part.resolved]
        shown = set(chain(*parts))
        highlighted = set(chain(*(range(start, start + length) for start, length in document.passages)))
        # The retrieved parts in document order, then what is left of the document.
        rest = (place for place in range(document.docchars) if place not in shown)
        read = relevant = 0
        for place in chain(*sorted(parts, key=lambda part: (part.start, part.stop)), rest):
            read += 1
            relevant += place in highlighted
            if read - relevant == self.tolerance:
                break
        return relevant / read if read else 0.0


COUNTERS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")


def characters(start: int, length: int) -> int:
    """The characters of a stretch of text."""
    return ((1 << length) - 1) << start


def union(texts: object) -> int:
    """All characters of several texts."""
    whole = 0
    for text in texts:  # type: ignore[attr-defined]  # any iterable of integers
        whole |= text
    return whole


def highlighted_characters(assessed: Mapping[str, Document]) -> int:
    return sum(document.relchars for document in assessed.values())


def relevant_documents(assessed: Mapping[str, Document]) -> int:
    return sum(document.relchars > 0 for document in assessed.values())


def counted(assessed: Mapping[str, Document], results: Sequence[Result], read: int, relevant: int) -> dict[str, float]:
    retrieved = {result.doc for result in results}
    return {
        "num_ret": len(retrieved),
        "num_rel": relevant_documents(assessed),
        "num_rel_ret": sum(assessed.get(doc, NOTHING).relchars > 0 for doc in retrieved),
        "ret_size": read,
        "rel_size": highlighted_characters(assessed),
        "rel_ret_size": relevant,
    }


def f1_of(both: float, retrieved: float, relevant: float) -> tuple[float, float, float]:
    """Precision, recall and their harmonic mean; recall is undefined if nothing is relevant."""
    p = both / retrieved if retrieved else 0.0
    r = both / relevant if relevant else math.nan
    return p, r, 2.0 * p * r / (p + r) if p > 0.0 else 0.0


def undefined(found: Mapping[str, float]) -> dict[str, float]:
    """Returns the counters, without measures."""
    return {name: value if name in COUNTERS else math.nan for name, value in found.items()}


def sum_upwards(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


def mean(values: Sequence[float]) -> float:
    return sum_upwards(values) / len(values) if values else math.nan


def hidden(name: str) -> bool:
    """Returns whether a line is printed only for all topics."""
    return name.startswith("ircl_prn")


def line(name: str, topic: str, value: float) -> str:
    return f"{name}{chr(9) * (2 if len(name) < 8 else 1)}{topic}\t{java(value)}"


def java(value: float) -> str:
    """Formats a number as Java does."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if value == 0.0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, _ = Decimal(repr(value)).normalize().as_tuple()
    fraction = "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{digits[0]}.{fraction}E{Decimal(repr(value)).adjusted()}"
