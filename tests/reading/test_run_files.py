"""Runs from files: formats, the chosen order and contradictions to it, and every problem with its file and line."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, Runs, read_runs
from inexmetrics.cli.check import check
from inexmetrics.collection.consistency import validated
from inexmetrics.collection.runs import Order
from inexmetrics.collection.schemas import RESULTS, Results
from inexmetrics.reading.files import Paths

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def written(folder: Path, text: str, name: str = "a.run") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def rows(runs: Runs, *columns: str) -> list[tuple[object, ...]]:
    return runs.results.with_columns(pl.col("run_id", "topic_id").cast(pl.String)).select(columns or pl.all()).rows()


def refused(paths: Paths, *, order: Order | None = None, end_offsets: bool = False) -> list[str]:
    with pytest.raises(CollectionError) as caught:
        read_runs(paths, order=order, end_offsets=end_offsets)
    return [f"{problem.line}: topic {problem.topic_id}: {problem.message}" for problem in caught.value.problems]


def quietly(paths: Paths, *, order: Order | None = None, strict: bool = True) -> Runs:
    """Reads runs, without emitting their warnings."""
    with pytest.warns(CollectionWarning):
        return read_runs(paths, order=order, strict=strict)


def by_score(lines: list[list[str]]) -> Iterator[list[str]]:
    """Returns the lines of a TREC run in the order of trec_eval: by topic, score descending, then document descending."""
    for topic in sorted({line[0] for line in lines}):
        of_topic = sorted((line for line in lines if line[0] == topic), key=lambda line: line[2], reverse=True)
        yield from sorted(of_topic, key=lambda line: -float(line[4]))


def test_a_trec_run_is_in_the_order_of_its_scores(shared: Path) -> None:
    runs = read_runs(shared / "trec_eval_results.test")
    assert (runs.run_ids, runs.order, runs.warnings) == (("STANDARD",), "score", ())
    assert dict(runs.results.schema) == {
        "run_id": pl.Enum(["STANDARD"]),
        "topic_id": pl.Enum(["301", "302", "303"]),
        **RESULTS,
    }
    lines = [line.split() for line in (shared / "trec_eval_results.test").read_text().splitlines()]
    assert lines != list(by_score(lines))
    assert rows(runs) == [("STANDARD", line[0], line[2], None, None, None, int(line[3]), float(line[4])) for line in by_score(lines)]


def test_tied_scores_are_in_the_order_of_trec_eval(shared: Path) -> None:
    runs = read_runs(shared / "indri_docs.run.gz")
    lines = [line.split() for line in gzip.decompress((shared / "indri_docs.run.gz").read_bytes()).decode().splitlines()]
    assert rows(runs, "topic_id", "doc_id") == [(line[0], line[2]) for line in by_score(lines)]
    ranks = [int(line[3]) for line in by_score(lines)]
    falls = sum(after < before for before, after in pairwise(ranks)) - 119  # between topics they fall, too
    assert falls > 0
    assert runs.warnings == ()
    there = (
        f"the ranks of {falls} of 12000 results with equal scores contradict the ranking, which is by score, ties by document descending"
    )
    problems = check(runs=shared / "indri_docs.run.gz").problems
    assert [problem.message for problem in problems] == [f'{there}; order="rank" (--order rank) follows the ranks']


@pytest.mark.parametrize(("name", "results", "topics"), [("bert_1", 18693, 60), ("ric_1", 12226, 60), ("bic_1", 6000, 60)])
def test_fol_runs_are_in_the_order_of_the_file(shared: Path, name: str, results: int, topics: int) -> None:
    runs = read_runs(shared / f"{name}.fol.run.gz")
    lines = [line.split() for line in gzip.decompress((shared / f"{name}.fol.run.gz").read_bytes()).decode().splitlines()]
    assert (runs.results.height, runs.results["topic_id"].n_unique(), runs.order) == (results, topics, "file")
    by_topic = sorted(lines, key=lambda line: line[0])
    assert lines != by_topic
    assert rows(runs, "topic_id", "doc_id", "start", "length") == [(line[0], line[2], int(line[6]), int(line[7])) for line in by_topic]


def test_a_passage_may_be_retrieved_again(shared: Path) -> None:
    with pytest.warns(CollectionWarning, match=r"^3 passages are repeated in the same topic [(]\S+gz:465, \S+gz:4932, \S+gz:9253[)]$"):
        runs = read_runs(shared / "thorough_1.fol.run.gz")
    assert (runs.run_ids, runs.results.height) == (("thor_1",), 10680)


def test_the_xpath_example(shared: Path) -> None:
    runs = read_runs(shared / "inex2005-example" / "runs" / "example-xpath.run")
    assert (runs.run_ids, runs.order) == (("example",), "file")
    assert rows(runs)[3:5] == [
        ("example", "903", "co/2000/r7108", "/article[1]/bdy[1]/sec[2]/p[1]", None, None, 4, 3997.0),
        ("example", "904", "co/2000/r7108", "/article[1]/bdy[1]/sec[1]", None, None, 1, 4000.0),
    ]


def test_two_paths_are_a_range(tmp_path: Path) -> None:
    text = "1 Q0 a 1 3 r /x[1]/p[1] /x[1]/p[3]\n1 Q0 a 2 2 r /x[1]/p[2]\n1 Q0 a 3 1 r /x[1]/p[9] /x[1]/p[9]\n"
    for file in (written(tmp_path, text), written(tmp_path, text.replace(" /x[1]/p[3]", ""), "b.run")):
        expected = ["/x[1]/p[1] /x[1]/p[3]" if file.name == "a.run" else "/x[1]/p[1]", "/x[1]/p[2]", "/x[1]/p[9]"]
        assert read_runs(file).results["path"].to_list() == expected


def test_an_entry_point_has_length_0_and_a_place_may_be_unknown(tmp_path: Path) -> None:
    file = written(tmp_path, "1 Q0 a 1 4 r 30\n1 Q0 b 2 3 r 0\n")
    assert rows(read_runs(file), "start", "length") == [(30, 0), (0, 0)]
    mixed = written(tmp_path, "1 Q0 a 1 4 r 30 5\n1 Q0 b 2 3 r 7\n1 Q0 a 3 2 r -1 -1\n1 Q0 a 4 1 r -1 -1\n")
    assert rows(read_runs(mixed), "start", "length") == [(30, 5), (7, 0), (-1, -1), (-1, -1)]


def test_the_eighth_column_may_be_where_the_passage_ends(tmp_path: Path) -> None:
    file = written(tmp_path, "1 Q0 a 1 4 r 30 35\n1 Q0 b 2 3 r 7 7\n1 Q0 c 3 2 r -1 -1\n")
    assert rows(read_runs(file, end_offsets=True), "start", "length") == [(30, 5), (7, 0), (-1, -1)]
    wrong = written(tmp_path, "1 Q0 a 1 4 r 30 29\n1 Q0 a 2 3 r 30 31\n")
    assert refused(wrong, end_offsets=True) == ["1: topic 1: end: expected a passage that ends after its start, found 29"]
    plain = written(tmp_path, "1 Q0 a 1 4 r\n")
    assert refused(plain, end_offsets=True) == ["None: topic None: expected FOL runs with an end offset in column 8, found no FOL runs"]


MESSY = [
    "1 Q0 a 1 2.5 r\n1 Q0 b 2 1.5 r\n2 Q0 a 1 9 r\n",
    "1\tQ0\ta\t1\t2.5\tr\n1\tQ0\tb\t2\t1.5\tr\n2\tQ0\ta\t1\t9\tr\n",
    "1 Q0 a 1 2.5 r\r\n1 Q0 b 2 1.5 r\r\n2 Q0 a 1 9 r\r\n",
    "1  Q0\ta  1   2.5 r\n\n1 Q0 b 2 1.5 r \n  2 Q0 a 1 9 r\t\n\n\n",
    "\ufeff1 Q0 a 1 2.5 r\n1 Q0 b 2 1.5 r\n2 Q0 a 1 9 r",
    "1 Q0 a\t 1 2.5 r\n1 Q0 b 2 1.5 r\n2 Q0 a 1 9 r\n",
    "1 Q0 a 1 2.5 r\t\n1 Q0 b 2 1.5 r\n2 Q0 a 1 9 r\n",
    "1 Q0 a +1 +2.5e0 r\n1 Q0 b 02 1.50 r\n2 Q0 a 1 9. r\n",
]


@pytest.mark.parametrize("text", MESSY)
def test_white_space_says_nothing(tmp_path: Path, text: str) -> None:
    expected = [("r", "1", "a", 1, 2.5), ("r", "1", "b", 2, 1.5), ("r", "2", "a", 1, 9.0)]
    assert rows(read_runs(written(tmp_path, text)), "run_id", "topic_id", "doc_id", "rank", "score") == expected
    packed = tmp_path / "b.run"
    packed.write_bytes(gzip.compress(text.encode()))
    assert rows(read_runs(packed), "run_id", "topic_id", "doc_id", "rank", "score") == expected
    packed.write_bytes(zstd.compress(text.encode()))
    assert rows(read_runs(packed), "run_id", "topic_id", "doc_id", "rank", "score") == expected


def test_quotes_are_letters(tmp_path: Path) -> None:
    file = written(tmp_path, '1 Q0 "a 1 2.5 r\n1 Q0 b" 2 1.5 r\n')
    assert read_runs(file).results["doc_id"].to_list() == ['"a', 'b"']


def test_runs_and_topics_are_in_string_order(tmp_path: Path) -> None:
    written(tmp_path, "2 Q0 a 1 9 z\n10 Q0 a 1 9 z\n2 Q0 b 2 8 z\n", "1.run")
    written(tmp_path, "10 Q0 b 1 9 m\n1 Q0 a 1 9 m\n", "2.run")
    written(tmp_path, "1 Q0 c 1 9 b /x[1]\n", "3.run")
    runs = read_runs(tmp_path)
    assert runs.run_ids == ("b", "m", "z")
    assert rows(runs, "run_id", "topic_id", "doc_id", "path") == [
        ("b", "1", "c", "/x[1]"),
        ("m", "1", "a", None),
        ("m", "10", "b", None),
        ("z", "10", "a", None),
        ("z", "2", "a", None),
        ("z", "2", "b", None),
    ]
    assert dict(runs.orders) == {"b": "file", "m": "score", "z": "score"}
    assert runs.results["topic_id"].dtype == pl.Enum(["1", "10", "2"])


def test_many_files_and_one_by_one_are_the_same(tmp_path: Path) -> None:
    for name in "abc":
        written(
            tmp_path, "".join(f"{topic} Q0 {name}{rank} {rank} {-rank} {name}\n" for topic in (1, 2) for rank in (1, 2, 3)), f"{name}.run"
        )
    together = read_runs(tmp_path)
    written(tmp_path, (tmp_path / "b.run").read_text().replace(" Q0 ", "  Q0 "), "b.run")
    assert read_runs([tmp_path / "c.run", tmp_path / "b.run", tmp_path / "a.run"]).results.equals(together.results)


@pytest.mark.parametrize(
    ("order", "documents", "told"),
    [
        (
            None,
            "b c a e d",
            ["the rank of 1 of 5 results contradicts the ranking, which is by score, ties by document descending"],
        ),
        (
            "score",
            "b c a e d",
            ["the rank of 1 of 5 results contradicts the ranking, which is by score, ties by document descending"],
        ),
        (
            "file",
            "a b c d e",
            [
                "the ranks of 2 of 5 results contradict the ranking, which is by file",
                "the score of 1 of 5 results contradicts the ranking, which is by file",
            ],
        ),
        ("rank", "c a b e d", ["the score of 1 of 5 results contradicts the ranking, which is by rank"]),
    ],
)
def test_the_order_is_as_asked_and_what_contradicts_it_is_counted(
    tmp_path: Path, order: Order | None, documents: str, told: list[str]
) -> None:
    # Scores fall from b to a; c and b are tied, and so are d and e of topic 2.
    text = "1 Q0 a 2 1 r\n1 Q0 b 3 3 r\n1 Q0 c 1 2 r\n2 Q0 d 5 7 r\n2 Q0 e 4 7 r\n"
    file = written(tmp_path, text)
    runs = quietly(file, order=order)
    assert " ".join(runs.results["doc_id"]) == documents
    assert runs.order == (order or "score")
    assert [str(warning) for warning in runs.warnings] == [f"{file}: {message}" for message in told]


@pytest.mark.parametrize(
    ("head", "row", "foot"),
    [
        ("", "1 Q0 {doc} {rank} 0.5 r\n", ""),
        ("", "1 Q0 {doc} {rank} 0.5 r 0 5\n", ""),
        ("", "1 Q0 {doc} {rank} 0.5 r /a[1]\n", ""),
        ("topic_id,doc_id,rank\n", "1,{doc},{rank}\n", ""),
        ("", '{{"qid": 1, "docno": "{doc}", "rank": {rank}}}\n', ""),
        (
            '<inex-submission run-id="r"><topic topic-id="1">',
            "<result><file>{doc}</file><path>/a[1]</path><rank>{rank}</rank></result>",
            "</topic></inex-submission>",
        ),
    ],
)
def test_ranks_may_be_of_either_sign_in_lines_and_xml(tmp_path: Path, head: str, row: str, foot: str) -> None:
    ranks = {"a": 3, "b": 0, "c": -2, "d": -(2**53)}
    text = head + "".join(row.format(doc=doc, rank=rank) for doc, rank in ranks.items()) + foot
    path = written(tmp_path, text)
    if "Q0" in row or "<" in row:
        assert rows(read_runs(path, order="rank"), "doc_id", "rank") == [("d", -(2**53)), ("c", -2), ("b", 0), ("a", 3)]
        return
    for order in ("rank", None):  # a table may mark results without a rank
        with pytest.raises(CollectionError, match=r"rank: expected an integer of at least 0 \(leave out results .*\), found .*-2"):
            read_runs(path, order=order)
    assert quietly(path, order="file").order == "file"


@pytest.mark.parametrize("write", ["write_csv", "write_ndjson", "write_parquet"])
def test_equal_ranks_in_a_table_are_counted(write: str, tmp_path: Path) -> None:
    table = pl.DataFrame({"qid": ["t"] * 4 + ["u"], "docid": ["k", "l", "m", "m", "k"], "rank": [7, 7, 9, 9, 7], "begin": [0, 0, 0, 40, 0]})
    getattr(table.with_columns(stop=pl.col("begin") + 5), write)(tmp_path / "r")
    with pytest.warns(CollectionWarning, match=r"r: rank: 2 results have the rank of another document of the topic, .*--order file"):
        read_runs(tmp_path / "r")
    for confirmed in ("file", "rank"):
        assert read_runs(tmp_path / "r", order=confirmed).warnings == ()


def test_an_order_needs_its_column(shared: Path, tmp_path: Path) -> None:
    submissions = [shared / "inex2005-example" / "runs" / f"submission-{year}.xml" for year in (2004, 2005)]
    ranks, scores = refused(submissions[0], order="rank"), refused(submissions[1], order="score")
    assert (len(ranks), ranks[0]) == (9, "5: topic 901: rank: expected an integer, found nothing")
    assert (len(scores), scores[0].partition(": ")[2]) == (8, "topic 903: rsv: expected a finite number, found nothing")
    with pytest.raises(CollectionError, match=r'^order: expected "file" or "rank" or "score", found "size"$'):
        read_runs(written(tmp_path, "1 Q0 a 1 2.5 r\n"), order="size")  # type: ignore[arg-type]  # a mistake


def test_every_malformed_line_is_told(tmp_path: Path) -> None:
    text = (
        "1 Q0 a 1 9 r\n"  # right
        "1 Q0 b 2 8\n"
        "1 Q0 c three 7 r\n"
        "1 Q0 d 4 six r\n"
        "1 Q0 e 5 nan r\n"
        "1 Q0 f 6 -inf r\n"
        "1 Q0 g 7 1e999 r\n"
        "1 Q0 h 8 3 other\n"
        "2 Q0 a 1.5 3 r\n"
        "2 Q0 a 1 3 r\n"  # right
        "2 Q0 b 2 2 r surplus\n"
        "2 Q0 a 3 1 r\n"
    )
    file = written(tmp_path, text)
    assert refused(file) == [
        "2: topic 1: expected 6 columns (topic_id Q0 doc_id rank score run_id), found 5: '1 Q0 b 2 8'",
        '3: topic 1: rank: expected an integer, found "three"',
        '4: topic 1: score: expected a finite number, found "six"',
        '5: topic 1: score: expected a finite number, found "nan"',
        '6: topic 1: score: expected a finite number, found "-inf"',
        '7: topic 1: score: expected a finite number, found "1e999"',
        "8: topic 1: expected only run 'r' in this file, as on earlier lines, found run 'other'",
        '9: topic 2: rank: expected an integer, found "1.5"',
        "11: topic 2: expected 6 columns (topic_id Q0 doc_id rank score run_id), found 7: '2 Q0 b 2 2 r surplus'",
        "12: topic 2: expected one result for run r, topic 2, document a, found a second one (the first is on line 10)",
    ]
    runs = quietly(file, strict=False)
    assert rows(runs, "topic_id", "doc_id") == [("1", "a"), ("2", "a")]
    assert len(runs.warnings) == 10
    assert all(warning.severity == "warning" and warning.message.startswith("dropped: ") for warning in runs.warnings)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 b 2 1 r x 5", 'start: expected an integer of at least -1, found "x"'),
        ("1 Q0 b 2 1 r 5 x", 'length: expected an integer of at least -1, found "x"'),
        ("1 Q0 b 2 1 r -2 5", "start: expected an integer of at least -1, found -2"),
        ("1 Q0 b 2 1 r 5 -1", "length: expected an integer of at least 0, found -1"),
        (
            "1 Q0 b 2 1 r 5 9007199254740993",
            "length: expected an integer of at most 9007199254740992 in absolute value, found 9007199254740993",
        ),
        (
            "1 Q0 b 2 1 r 5 5 5",
            "expected 7 or 8 columns (topic_id Q0 doc_id rank score run_id start length), found 9: '1 Q0 b 2 1 r 5 5 5'",
        ),
        ("1 Q0 b 2 1 r", "expected 7 or 8 columns (topic_id Q0 doc_id rank score run_id start length), found 6: '1 Q0 b 2 1 r'"),
    ],
)
def test_a_passage_that_is_none(tmp_path: Path, line: str, message: str) -> None:
    good = "1 Q0 a 1 2 r 0 9\n"
    assert refused(written(tmp_path, f"{good}{line}\n")) == [f"2: topic 1: {message}"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 b 2 1 r x[1]", 'path: expected a path that starts with /, found "x[1]"'),
        ("1 Q0 b 2 1 r /x[1] x[1]", 'path: expected a path that starts with /, found "/x[1] x[1]"'),
        (
            "1 Q0 a 2 1 r /x[1]",
            "expected one result for run r, topic 1, document a, path /x[1], found a second one (the first is on line 1)",
        ),
    ],
)
def test_an_element_that_is_none(tmp_path: Path, line: str, message: str) -> None:
    assert refused(written(tmp_path, f"1 Q0 a 1 2 r /x[1]\n{line}\n")) == [f"2: topic 1: {message}"]


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        (["1 Q0 a 1 9 r", "1 Q0 b 2 8 r r", "1 Q0 c 3 7 r"], {2: 7}),  # all that is read of the second line is valid
        (["1 Q0 a 1 9 r", "1 Q0 b 2 8 r r", "1 Q0 c 3 7"], {2: 7, 3: 5}),  # as many blanks as if all lines had six columns
        (["1 Q0 a 1 9 r", "1 Q0 b 2 8 r", "1 Q0 c 3 7 r x y"], {3: 8}),
        (["1 Q0 a 1 9 r", "1 a 1 9 r", "1 Q0 c 3 7 r"], {2: 5}),
    ],
)
@pytest.mark.parametrize("end", ["\n", ""])
def test_the_number_of_columns_is_checked_although_one_is_not_read(
    tmp_path: Path, lines: list[str], wrong: dict[int, int], end: str
) -> None:
    found = refused(written(tmp_path, "\n".join(lines) + end))
    assert [text.split(" (")[0] for text in found] == [f"{line}: topic 1: expected 6 columns" for line in wrong]
    assert [text.split("found ")[1].split(":")[0] for text in found] == [str(columns) for columns in wrong.values()]


def test_a_missing_optional_column_does_not_hide_a_surplus_one(tmp_path: Path) -> None:
    lines = ["1 Q0 a 1 9 r /x[1]/p[1] /x[1]/p[2]", "1 Q0 b 2 8 r /x[1]", "1 Q0 c 3 7 r /x[1]/p[1] /x[1]/p[1] more"]
    (found,) = refused(written(tmp_path, "\n".join(lines) + "\n"))
    assert found.startswith("3: topic 1: expected 7 or 8 columns")
    assert "found 9" in found


@pytest.mark.parametrize("blank", [" ", "\t", "  ", "\t ", "\t\t"])
@pytest.mark.parametrize("change", ["\n", "\r\n", " \n", "\n\n", "\t\n"])
def test_white_space_never_changes_what_is_read(tmp_path: Path, blank: str, change: str) -> None:
    plain = "".join(f"{topic} Q0 d{rank} {rank} {9.5 - rank} r\n" for topic in (1, 2) for rank in range(1, 7))
    expected = rows(read_runs(written(tmp_path, plain)), "topic_id", "doc_id", "rank", "score")
    for text in (plain.replace(" ", blank), plain.replace("d3 ", f"d3{blank}")):
        for place in (1, 5, 12):  # one line with another end
            lines = text.splitlines()
            changed = "\n".join(lines[:place]) + change + "\n".join(lines[place:])
            assert rows(read_runs(written(tmp_path, changed)), "topic_id", "doc_id", "rank", "score") == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 a 1 2.5 team B", "expected 6 columns (topic_id Q0 doc_id rank score run_id), found 7: '1 Q0 a 1 2.5 team B'"),
        ("1 Q0 a 1 2.5", "expected 6 columns (topic_id Q0 doc_id rank score run_id), found 5: '1 Q0 a 1 2.5'"),
        ("1 Q0 a 2.5 1 bm25", 'rank: expected an integer, found "2.5"'),
    ],
)
def test_a_run_whose_lines_are_all_wrong_alike_is_told_what_they_lack(tmp_path: Path, line: str, message: str) -> None:
    """Earlier, such a file was read as text, and ignored in a folder."""
    path = written(tmp_path, f"{line}\n", "wrong.run")
    written(tmp_path, "1 Q0 a 1 2.5 bm25\n", "right.run")
    for given in (path, tmp_path):
        with pytest.raises(CollectionError) as caught:
            read_runs(given)
        assert [str(problem) for problem in caught.value.problems] == [f"{path}:1: topic 1: {message}"]


def test_repeated_results_are_told_by_their_lines_in_any_order(tmp_path: Path) -> None:
    text = "2 Q0 a 1 1 r\n1 Q0 a 1 1 r\n1 Q0 b 2 3 r\n2 Q0 b 2 3 r\n1 Q0 a 3 9 r\n2 Q0 a 3 8 r\n"
    for written_text in (text, text.replace(" Q0 ", "  Q0  ")):
        file = written(tmp_path, written_text)
        assert refused(file) == [
            "5: topic 1: expected one result for run r, topic 1, document a, found a second one (the first is on line 2)",
            "6: topic 2: expected one result for run r, topic 2, document a, found a second one (the first is on line 1)",
        ]
        runs = quietly(file, strict=False)
        assert rows(runs, "topic_id", "doc_id", "score") == [("1", "b", 3.0), ("1", "a", 1.0), ("2", "b", 3.0), ("2", "a", 1.0)]


def test_a_run_is_in_one_file(tmp_path: Path) -> None:
    one, other = written(tmp_path, "1 Q0 a 1 2 r\n"), written(tmp_path, "1 Q0 b 1 2 r\n", "b.run")
    with pytest.raises(CollectionError) as caught:
        read_runs(tmp_path)
    way = "rename the run in one of the files, or write both files in one if they are parts of one run"
    assert str(caught.value) == f"{other}: expected each run in one file, found run 'r' also in {one}; {way}"
    assert quietly(tmp_path, strict=False).results["doc_id"].to_list() == ["a"]


def test_a_run_file_is_read_once_even_if_it_is_named_twice(tmp_path: Path) -> None:
    file = written(tmp_path, "1 Q0 a 1 2 r\n")
    (tmp_path / "folder").mkdir()
    for again in (file, tmp_path / "folder" / ".." / file.name, tmp_path):
        (name,) = refused([file, again])
        assert name == "None: topic None: expected each file once, found this file twice"
    with pytest.warns(CollectionWarning, match="dropped: expected each file once"):
        assert rows(read_runs([file, file], strict=False), "topic_id", "doc_id") == [("1", "a")]


def test_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    bad = written(tmp_path, "1 Q0 a 1 x a\n1 Q0 b 1 2 a\n")
    worse = written(tmp_path, "<inex-submission run-id='b'><topic></inex-submission>", "b.xml")
    with pytest.raises(CollectionError) as caught:
        read_runs([bad, worse, tmp_path / "c.run"])
    assert [str(problem) for problem in caught.value.problems] == [
        f"{tmp_path / 'c.run'}: expected a file or folder, found nothing with this name",
        f"{worse}:1: expected well-formed XML, found an error: mismatched tag",
        f"{worse}:1: expected a topic with a topic-id, found a topic without one",
        f'{bad}:1: topic 1: score: expected a finite number, found "x"',
    ]


def test_a_run_of_nothing_but_bad_results_has_none(tmp_path: Path) -> None:
    runs = quietly(written(tmp_path, "1 Q0 a 1 nan r\n"), strict=False)
    assert (runs.run_ids, runs.results.height, dict(runs.results.schema)["doc_id"]) == (("r",), 0, pl.String())


def test_latin_letters_are_told(tmp_path: Path) -> None:
    file = tmp_path / "a.run"
    file.write_bytes("1 Q0 a 1 2 r\n1 Q0 é 2 1 r\n".encode("latin-1"))
    assert refused(file) == ["2: topic None: expected UTF-8 text, found the byte 0xe9; save the file as UTF-8"]


def test_how_many_files_are_read_ahead_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rankings, problems and their lines do not depend on the number of files that are parsed in advance."""
    for run in range(5):
        lines = [f"{topic} Q0 d{run}{rank} {rank + 1} {9.5 - rank} run{run}" for topic in (1, 2, 3) for rank in range(run % 3 + 1)]
        (tmp_path / f"run{run}.txt").write_text("\n".join(lines) + "\n")
    together = read_runs(tmp_path)
    monkeypatch.setattr("inexmetrics.reading.parts.CORES", 3)
    assert read_runs(tmp_path).results.equals(together.results)
    (tmp_path / "run3.txt").write_text("1 Q0 a 1 9 run3\n1  Q0\tb 2 x run3\n")
    with pytest.raises(CollectionError, match=r"run3\.txt:2: .*found \"x\"") as apart:
        read_runs(tmp_path)
    monkeypatch.undo()
    with pytest.raises(CollectionError) as at_once:
        read_runs(tmp_path)
    assert str(apart.value) == str(at_once.value)


def test_files_are_read_elsewhere_alike(tmp_path: Path) -> None:
    written(tmp_path, "1 Q0 b 1 1.5 z\n1 Q0 a 2 1.5 z\n2 Q0 a 1 3 z\n", "first.run")
    written(tmp_path, "2 Q0 c 1 3 a 10 5\n2 Q0 c 2 4 a 10 5\n", "second.run")
    written(tmp_path, "1 Q0 a 1 3 x /a[1]\n1 Q0 b 1 3 x /a[1]\n1 Q0 q\n", "third.run")
    expected = quietly(tmp_path, strict=False)
    pools = ThreadPoolExecutor(2), ProcessPoolExecutor(2, get_context("spawn"))
    for pool in pools:
        with pool, pytest.warns(CollectionWarning):
            runs = read_runs(tmp_path, strict=False, executor=pool)
        assert runs.results.equals(expected.results, null_equal=True)
        assert (runs.orders, runs.files, runs.warnings) == (expected.orders, expected.files, expected.warnings)
        assert runs.names.names.to_list() == expected.names.names.to_list()
    assert [warning.line for warning in expected.warnings] == [3, None, None]


def test_workers_find_files_that_are_named_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of a cluster have different working directories; errors give the file name as the caller wrote it."""
    for run in ("first", "second"):
        written(tmp_path, "".join(f"1 Q0 d{rank} 1 {-rank} {run}\n" for rank in range(20_000)), f"{run}.run")
    monkeypatch.chdir(tmp_path)
    with ProcessPoolExecutor(2, get_context("spawn"), os.chdir, (tmp_path.anchor,)) as pool:
        there, here = read_runs(["first.run", "second.run"], executor=pool), read_runs(["first.run", "second.run"])
        assert (there.results.equals(here.results), there.files) == (True, here.files)
        Path("cut.run.gz").write_bytes(gzip.compress(Path("first.run").read_bytes())[:-9])
        for executor in (pool, None):
            with pytest.raises(CollectionError, match=r"^cut\.run\.gz: expected a readable file"):
                read_runs(["cut.run.gz", "second.run"], executor=executor)


def test_a_result_takes_few_bytes_however_long_its_document_is_named(tmp_path: Path) -> None:
    names = [f"document/{'x' * 80}/{number}" for number in range(2000)]
    for run in "abc":
        written(tmp_path, "".join(f"1 Q0 {name} {rank} {-rank} {run}\n" for rank, name in enumerate(names)), f"{run}.run")
    runs = read_runs(tmp_path)
    columns = ("document", "rank", "score")  # the others are empty, and take no memory; run and topic are held once a list
    assert [runs.packed[name].estimated_size() / runs.packed.height for name in columns] == pytest.approx([4, 2, 4], abs=0.2)
    assert len(runs.names) == len(names)
    assert [len(column) for column in (runs.lists.runs, runs.lists.topics, runs.lists.lengths)] == [3, 3, 3]
    assert runs.results["doc_id"].to_list() == names * 3
    assert runs.results["doc_id"].dtype == pl.String


@pytest.mark.parametrize(
    ("others", "decimals"),
    [
        (["7", "6", "-5"], 4),
        (["214748.3647", "0.5"], 4),
        (["214748.3648"], None),  # 2147483648 units, more than 32 bits have
        (["0.000000001"], None),  # nor is 9.1234 so many units of the ninth decimal
        (["0.30000000000000004"], None),
        (["-0.0"], None),
        (["1e300"], None),
    ],
)
def test_scores_are_read_to_the_last_bit_and_held_in_half_the_bytes_where_they_can_be(
    tmp_path: Path, others: list[str], decimals: int | None
) -> None:
    for run, written_scores in (("a", ["9.1234", "8.02", "-0.5"]), ("b", others)):
        written(tmp_path, "".join(f"1 Q0 d{rank} {rank} {score} {run}\n" for rank, score in enumerate(written_scores)), f"{run}.run")
    runs = read_runs(tmp_path, order="file")
    assert runs.decimals == decimals
    assert runs.packed["score"].dtype == (pl.Float64 if decimals is None else pl.Int32)
    expected = np.array([float(score) for score in ["9.1234", "8.02", "-0.5", *others]])
    assert runs.results["score"].to_numpy().tobytes() == expected.tobytes()
    assert runs.only(runs="b").results["score"].to_numpy().tobytes() == expected[3:].tobytes()


@pytest.mark.parametrize("highest", [1, 127, 128, 32767, 32768, 2**31 - 1, 2**31, 2**53, 2**63 - 1])
def test_ranks_of_any_size_stand_in_one_table(tmp_path: Path, highest: int) -> None:
    written(tmp_path, "1 Q0 a 1 2 small\n1 Q0 b 2 1 small\n", "small.run")
    written(tmp_path, f"1 Q0 a {-highest} 2 large\n1 Q0 b {highest} 1 large\n", "large.run")
    runs = read_runs(tmp_path)
    assert runs.results["rank"].to_list() == [-highest, highest, 1, 2]
    assert runs.results["rank"].dtype == pl.Int64
    assert runs.only(runs="small").results["rank"].to_list() == [1, 2]
    validated(Results, runs.at())


@pytest.mark.parametrize("space", ["\v", "\f", "\t"])
def test_white_space_in_the_column_without_a_meaning_divides_words(tmp_path: Path, space: str) -> None:
    path = tmp_path / "a.run"
    path.write_text(f"1 a{space}Q0 d1 1 2.5 bm25\n1 Q0 d2 2 2.0 bm25\n")
    with pytest.raises(CollectionError, match=r"a\.run:1: topic 1: expected 6 columns"):
        read_runs(path)
