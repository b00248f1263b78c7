"""Measures the time and memory of retrieval on generated articles: ``python -m benchmarks.retrieval [FOLDER]``.

Writes (once) 20,000 XML articles of 15 kB, whose words follow a Zipf distribution. Prints, for the first 5,000, 10,000 and 20,000 articles,
the time and memory for indexing them, and for ranking 1,500 elements of the best 500 articles for 100 topics.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.timing import launched
from inexmetrics.common.options import silent
from inexmetrics.reading.findings import Findings
from inexmetrics.retrieval.documents import index_of
from inexmetrics.retrieval.index import Analysis
from inexmetrics.retrieval.retrieve import Search, retrieved

ARTICLES, TOPICS = 20_000, 100
SIZES = (5_000, 10_000, ARTICLES)
VOCABULARY = 200_000
SECTIONS, PARAGRAPHS, WORDS = 6, 7, 62


def vocabulary() -> list[str]:
    """Returns words of two to eight letters: numbers in base 6."""
    letters = "etaoin"
    return [
        "".join(letters[number // 6**place % 6] for place in range(1 + int(math.log(number, 6)))) for number in range(6, VOCABULARY + 6)
    ]


def articles(folder: Path) -> Path:
    """Returns the folder of the articles, which are written if they do not exist."""
    made = folder / "articles"
    if (made / f"{ARTICLES - 1:05d}.xml").exists():
        return made
    made.mkdir(parents=True, exist_ok=True)
    words = vocabulary()
    random = np.random.default_rng(2)
    for number in range(ARTICLES):
        size = SECTIONS * PARAGRAPHS * WORDS + 100
        drawn = iter([words[rank] for rank in (VOCABULARY ** random.random(size) - 1).astype(np.int64).tolist()])
        text = partial(_words, drawn)
        sections = [
            f"<sec>\n<st>{text(4)}</st>\n"
            + "\n".join(f"<p>{text(WORDS - 10)} <it>{text(2)}</it> {text(8)}.</p>" for _ in range(PARAGRAPHS))
            + "\n</sec>"
            for _ in range(SECTIONS)
        ]
        (made / f"{number:05d}.xml").write_text(
            f"<article>\n<title>{text(5)}</title>\n<bdy>{text(20)}\n" + "\n".join(sections) + "\n</bdy></article>\n"
        )
    return made


def _words(drawn: Iterator[str], count: int) -> str:
    """Returns the next words of an article."""
    return " ".join(islice(drawn, count))


def queries() -> dict[str, str]:
    """Returns topics of two to five words, neither the most frequent nor the rarest words."""
    words = vocabulary()
    random = np.random.default_rng(3)
    ranks = (200 * 200 ** random.random((TOPICS, 5))).astype(np.int64)
    return {f"{topic:03d}": " ".join(words[rank] for rank in ranks[topic, : 2 + topic % 4]) for topic in range(TOPICS)}


def measure(made: Path, count: int) -> dict[str, float]:
    """Returns the CPU seconds for one size, in this process; CPU time is hardly affected by other programs."""
    files = [made / f"{number:05d}.xml" for number in range(count)]
    start = time.process_time()
    index = index_of(files, Analysis(), Findings(), silent)
    indexed = time.process_time()
    runs = retrieved(index, queries(), Search(), Findings(), silent)
    done = time.process_time()
    size = sum(file.stat().st_size for file in files)
    return {
        "bytes": size,
        "index": indexed - start,
        "retrieval": done - indexed,
        "results": runs.results.height,
        "elements": index.elements.height,
    }


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.gettempdir()) / "inexmetrics-benchmarks"
    made = articles(folder)
    if len(sys.argv) > 2:
        sys.stdout.write(json.dumps(measure(made, int(sys.argv[2]))))
        return
    print("| articles | elements | indexing | an article | 100 topics | peak memory |\n|---|---|---|---|---|---|")
    for count in SIZES:
        command = [sys.executable, "-m", "benchmarks.retrieval", str(folder), str(count)]
        ran = launched(command)
        found = json.loads(ran.printed)
        cells = (
            f"{count:,} ({found['bytes'] / 1e6:.0f} MB)",
            f"{found['elements']:,.0f}",
            f"{found['index']:.0f} s (bound at 20,000: 180 s)",
            f"{found['index'] / count * 1000:.2f} ms",
            f"{found['retrieval']:.1f} s (bound: 20 s)",
            f"{ran.peak / 1e9:.2f} GB (bound: 2 GB)",
        )
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
