"""Preparations: rankings computed by hand, slow implementations on random rankings, the record in runs, and bad input."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Preparation,
    Runs,
    Structure,
    from_frames,
    group_by_document,
    keep_characters,
    keep_first,
    parse,
    remove_overlap,
    run,
    sample,
)
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.preparation.overlap import GroupOrder, Strategy
from tests.profiles import up_to
from tests.reference.preparation import Result, by_document, first_characters, in_document_order, without_overlap

STRATEGIES: tuple[Strategy, ...] = ("child", "section", "correlation")
GROUP_ORDERS: tuple[GroupOrder, ...] = ("rank", "document")
Lists = Mapping[str, Mapping[str, Sequence[Result]]]


def runs_of(lists: Lists) -> Runs:
    """Returns runs with the results of each topic, by run."""
    topics = sorted({topic for of_run in lists.values() for topic in of_run})
    rows = [
        (run, topic, result.doc, result.path, result.start, result.length, None, result.score)
        for run in sorted(lists)
        for topic in sorted(lists[run])
        for result in lists[run][topic]
    ]
    schema = {"run_id": pl.Enum(sorted(lists)), "topic_id": pl.Enum(topics), **RESULTS}
    return Runs.of(pl.DataFrame(rows, schema=schema, orient="row"), dict.fromkeys(sorted(lists), "file"))


def quietly(runs: Runs, strategy: Strategy, structure: Structure | None = None) -> Runs:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return remove_overlap(runs, strategy, structure=structure)


def kept(results: Sequence[Result], strategy: Strategy, structure: Structure | None = None) -> list[int]:
    """Returns the positions of the kept results, whose scores are their positions."""
    numbered = runs_of({"r": {"1": results}})
    numbered = Runs.of(numbered.results.with_columns(rank=pl.int_range(pl.len(), dtype=pl.Int64)), numbered.orders)
    return quietly(numbered, strategy, structure).results["rank"].to_list()


# ------------------------------------------------------------------------------------------------ worked by hand

BODY = [
    Result("d", "/article[1]/bdy[1]/sec[1]", score=3.0),
    Result("d", "/article[1]/bdy[1]/sec[1]/p[2]", score=2.5),
    Result("e", "/article[1]", score=2.0),
    Result("d", "/article[1]", score=9.0),
    Result("d", "/article[1]/bdy[1]/sec[10]", score=1.0),
]


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("child", [1, 2, 4]),  # sec[1] holds p[2], the article all three; sec[10] is not in sec[1]
        ("section", [0, 4]),  # both articles go; then sec[1] at 3.0 before its p[2] at 2.5
        ("correlation", [2, 3]),  # the article of d, at 9.0, takes all that is in it
    ],
)
def test_elements(strategy: Strategy, expected: list[int]) -> None:
    assert kept(BODY, strategy) == expected


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("child", [1, 3]),  # 0:100 holds the others; 10:20 (to 30) and 25:10 share 25..30, and 25:10 scores more
        ("section", [1, 2]),  # there are no paths, so nothing is an article
        ("correlation", [1, 2]),  # 0:100 scores most; the entry point at 5, of length 0, overlaps nothing
    ],
)
def test_passages(strategy: Strategy, expected: list[int]) -> None:
    passages = [
        Result("d", start=10, length=20, score=1.0),
        Result("d", start=5, length=0, score=0.5),
        Result("d", start=0, length=100, score=4.0),
        Result("d", start=25, length=10, score=2.0),
    ]
    assert kept(passages, strategy) == expected


def test_a_strategy_that_needs_paths_says_that_there_are_none() -> None:
    without = runs_of({"r": {"7": [Result("d", start=3, length=6, score=2.0), Result("d", start=4, length=9, score=1.0)]}})
    for strategy in STRATEGIES:
        with pytest.warns(CollectionWarning) as said:
            remove_overlap(without, strategy)
        none = 'remove_overlap("section") found no paths, and selects as remove_overlap("correlation") does'
        assert [none in str(each.message) for each in said].count(True) == (strategy == "section")
    with pytest.warns(CollectionWarning) as said:
        remove_overlap(
            runs_of({"r": {"7": [Result("d", "/article[1]", score=2.0), Result("d", "/article[1]/p[1]", score=1.0)]}}), "section"
        )
    assert not any("no paths" in str(each.message) for each in said)


def test_a_list_without_scores_is_gone_through_as_it_stands() -> None:
    unscored = [Result("d", "/a[1]/s[1]"), Result("d", "/a[1]"), Result("d", "/a[1]/s[1]/p[1]", score=9.0)]
    assert kept(unscored, "correlation") == [0]


def test_lists_are_apart() -> None:
    part, whole = Result("d", "/a[1]/s[1]", score=1.0), Result("d", score=2.0)
    runs = runs_of({"x": {"1": [part], "2": [part, whole]}, "y": {"1": [whole]}})
    left = quietly(runs, "correlation").results
    assert left.select(pl.col("run_id", "topic_id").cast(pl.String), "path").rows() == [
        ("x", "1", "/a[1]/s[1]"),
        ("x", "2", None),
        ("y", "1", None),
    ]


def test_ends_of_articles_and_bodies() -> None:
    paths = [
        "/article[1]",
        "/article",
        "/books[1]/article[2]",
        "/article[1]/bdy[1]",
        "/article[1]/body[2]",
        "/article[1]/antibody[1]",
        None,
    ]
    results = [Result(f"d{number}", path, score=1.0) for number, path in enumerate(paths)]
    assert kept(results, "section") == [5, 6]  # a whole document has no path that ends in its article


STRUCTURE = Structure(
    pl.DataFrame(
        [
            ("d", "/a[1]", 0, 100),
            ("d", "/a[1]/s[1]", 10, 30),
            ("d", "/a[1]/s[2]", 40, 30),
            ("d", "/a[1]/s[3]", 70, 30),
            ("d", "/a[1]/s[3]/f[1]", 80, 0),
        ],
        schema={"doc_id": pl.String, "path": pl.String, "start": pl.Int64, "length": pl.Int64},
        orient="row",
    )
)


def test_elements_and_passages_meet_in_the_structure() -> None:
    results = [
        Result("d", start=35, length=10, score=5.0),  # characters 35 to 45: in s[1] and in s[2]
        Result("d", "/a[1]/s[1]", score=4.0),
        Result("d", "/a[1]/s[2]", score=3.0),
        Result("d", "/a[1]/s[3]", score=2.0),
        Result("d", "/a[1]/s[3]/f[1]", score=1.0),  # of no text
        Result("d", "/a[1]/s[4]", score=1.0),  # nowhere
    ]
    assert kept(results, "correlation", STRUCTURE) == [0, 3, 4, 5]
    with pytest.warns(CollectionWarning) as caught:
        left = remove_overlap(runs_of({"r": {"1": results}}), "correlation", structure=STRUCTURE)
    told = [
        'remove_overlap("correlation") dropped 2 of 6 results, in 1 run',
        'remove_overlap("correlation") found 1 element that the structure lacks, and treated each as not overlapping any result',
    ]
    assert [str(warning.message) for warning in caught] == told
    assert [str(warning) for warning in left.warnings] == told
    assert left.prepared == ('remove_overlap("correlation")',)


def test_a_range_is_all_between_its_ends() -> None:
    results = [Result("d", "/a[1]/s[1] /a[1]/s[3]", score=1.0), Result("d", "/a[1]/s[2]", score=1.0), Result("d", "/a[1]", score=1.0)]
    assert kept(results, "child", STRUCTURE) == [1]
    assert kept(results, "correlation", STRUCTURE) == [0]


@pytest.mark.parametrize("other", [Result("d", start=3, length=4), Result("d", "/a[1]/s[2] /a[1]/s[3]")])
def test_without_a_structure_elements_are_not_compared_with_what_they_cannot_be(other: Result) -> None:
    results = [Result("e", "/a[1]/s[9]"), Result("e", start=1, length=1), other, Result("d", "/a[1]/s[1]")]
    count = 2 if other.path is None else 3
    with pytest.raises(CollectionError) as caught:
        remove_overlap(runs_of({"r": {"7": results}}), "child")
    assert str(caught.value) == (
        f"remove_overlap: expected a structure with the offsets of {count} elements, found none; offsets are needed to compare elements with passages or ranges of the same document, "
        "such as /a[1]/s[9] of document e in run r, topic 7"
    )


# ------------------------------------------------------------------------------------------------ against slow forms

PATHS = st.sampled_from(
    [None, "/a[1]", "/a[1]/bdy[1]", *(f"/a[1]/bdy[1]/s[{number}]" for number in (1, 2, 11)), "/a[1]/bdy[1]/s[1]/p[1]", "/a[1]/bdy[1]/s-[1]"]
)
SCORES = st.sampled_from([3.0, 2.0, 1.0, -1.0])
elements = st.builds(Result, doc=st.sampled_from("de"), path=PATHS, score=SCORES | st.none())
passages = st.builds(Result, doc=st.sampled_from("de"), start=st.integers(0, 12), length=st.integers(0, 6), score=SCORES)
lost = st.builds(Result, doc=st.sampled_from("de"), start=st.just(-1), length=st.just(-1), score=SCORES)
wholes = st.builds(Result, doc=st.sampled_from("de"), score=SCORES)
lists = st.lists(elements, max_size=9) | st.lists(passages | lost | wholes, max_size=9)


by_topic = st.dictionaries(st.sampled_from(["1", "2", "10"]), lists, max_size=3)


@given(st.dictionaries(st.sampled_from("rstuv"), by_topic, min_size=1))
@up_to(40)
def test_preparations_are_those_of_the_definitions(written: dict[str, dict[str, list[Result]]]) -> None:
    runs = runs_of(written)

    def chosen(places: Callable[[Sequence[Result]], list[int]]) -> pl.DataFrame:
        return runs_of(
            {run: {topic: [of_run[topic][place] for place in places(of_run[topic])] for topic in of_run} for run, of_run in written.items()}
        ).results

    for strategy in STRATEGIES:
        expected = chosen(lambda results, strategy=strategy: without_overlap(results, strategy))  # type: ignore[misc]  # bound at once
        assert quietly(runs, strategy).results.drop("topic_id").equals(expected.drop("topic_id"))
    assert group_by_document(runs).results.drop("topic_id").equals(chosen(by_document).drop("topic_id"))
    if all(result.start is not None or result.is_whole for lists in written.values() for results in lists.values() for result in results):
        # offsets are known, so that no structure is needed
        expected = chosen(in_document_order)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            grouped = group_by_document(runs, order="document")
        assert grouped.results.drop("topic_id").equals(expected.drop("topic_id"))
    for n in (1, 3, 100):
        cut = chosen(lambda results, n=n: list(range(len(results)))[:n])  # type: ignore[misc]  # bound at once
        assert keep_first(runs, n).results.drop("topic_id").equals(cut.drop("topic_id"))


@given(by_topic)
@up_to(40)
def test_what_is_left_does_not_overlap_and_stays_as_it_is(of_run: dict[str, list[Result]]) -> None:
    runs = runs_of({"r": of_run})
    for strategy in STRATEGIES:
        once = quietly(runs, strategy)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # nothing is dropped again, so nothing is told
            warnings.filterwarnings("ignore", message=".* found no paths", category=CollectionWarning)
            again = remove_overlap(once, strategy)
        assert again.results.equals(once.results)
        assert again.prepared == (*once.prepared, *once.prepared)


def test_places_far_apart_are_compared_exactly() -> None:
    far = 2**53
    results = [
        Result("d", start=far - 2, length=far, score=1.0),
        Result("d", start=far, length=3, score=2.0),
        Result("d", start=0, length=far - 2, score=1.0),
    ]
    many = {f"{number:04}": results for number in range(600)}
    assert quietly(runs_of({"r": many}), "child").results.height == 1200
    assert quietly(runs_of({"r": many}), "correlation").results["start"].to_list() == [far, 0] * 600


# ------------------------------------------------------------------------------------------------ what runs record, bad input


def test_runs_record_what_was_done_in_order() -> None:
    runs = runs_of({"r": {"1": BODY}})
    before = runs.results.clone()
    done = keep_first(group_by_document(quietly(runs, "child")), 100)
    assert done.prepared == ('remove_overlap("child")', "group_by_document", "keep_first(100)")
    assert [str(warning) for warning in done.warnings] == ['remove_overlap("child") dropped 2 of 5 results, in 1 run']
    assert runs.results.equals(before)
    assert runs.prepared == ()


def test_no_results_are_prepared_too() -> None:
    empty = runs_of({"r": {"1": []}})
    assert keep_characters(keep_first(group_by_document(remove_overlap(empty, "child")), 1), 1).results.height == 0


@pytest.mark.parametrize(("n", "found"), [(0, "0"), (-3, "-3"), (True, "True"), (2.5, "2.5"), ("5", '"5"'), (None, "nothing")])
def test_a_wrong_number(n: int, found: str) -> None:
    runs = runs_of({"r": {"1": BODY}})
    for make in (lambda: keep_first(runs, n), lambda: keep_first(n)):
        with pytest.raises(FormulaError) as caught:
            make()
        assert str(caught.value) == f"keep_first: n: expected an integer of at least 1, found {found}"
    with pytest.raises(FormulaError, match=f"keep_characters: n: expected an integer from 1 to 1000000000000, found {found}"):
        keep_characters(runs, n)


HINT = '\n  hint: did you mean "child"?'


@pytest.mark.parametrize(("strategy", "found"), [("childs", f'"childs"{HINT}'), ("", '""'), (3, "3"), (None, "nothing")])
def test_a_wrong_strategy(strategy: Strategy, found: str) -> None:
    with pytest.raises(FormulaError) as caught:
        remove_overlap(runs_of({"r": {"1": BODY}}), strategy)
    assert str(caught.value) == f'remove_overlap: strategy: expected "child" or "section" or "correlation", found {found}'


def test_what_is_prepared_are_runs() -> None:
    with pytest.raises(CollectionError, match=r"^keep_first\(3\): expected runs, found a Python Collection$"):
        keep_first(sample(), 3)  # type: ignore[call-overload]
    with pytest.raises(CollectionError, match=r"^group_by_document: expected runs, found a Python Collection$"):
        group_by_document(sample())  # type: ignore[call-overload]
    with pytest.raises(CollectionError, match=r"^structure: expected a structure as read_structure makes it, found 3$"):
        keep_characters(runs_of({"r": {"1": BODY}}), 3, structure=3)  # type: ignore[call-overload]


# ------------------------------------------------------------------------------------------------ terms


def test_a_preparation_is_a_term_and_a_function() -> None:
    runs = runs_of({"r": {"1": BODY}})
    for term, applied in [
        (keep_first(2), keep_first(runs, 2)),
        (keep_first(n=2), keep_first(runs, n=2)),
        (remove_overlap("section"), quietly(runs, "section")),
        (group_by_document, group_by_document(runs)),
        (group_by_document(order="rank"), group_by_document(runs, order="rank")),
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            prepared = term(runs)
        assert prepared.results.equals(applied.results)
        assert prepared.prepared == applied.prepared == (str(term),)
        assert parse(applied.prepared[0], Preparation) == term
    assert keep_first(2) == parse("keep_first(n=2)")
    assert len({keep_first(2), keep_first(3), keep_characters(2), group_by_document, parse("group_by_document")}) == 4
    assert repr(remove_overlap("child")) == 'remove_overlap("child")'


# ------------------------------------------------------------------------------------------------ document order


def test_document_order_by_hand() -> None:
    """Inside d: the whole document first, then the longer of two results that begin at 10; documents stay in the order of their first results."""
    written = [
        Result("d", start=10, length=2),
        Result("e", start=5, length=1),
        Result("d", start=10, length=9),
        Result("e", start=0, length=1),
        Result("d"),
        Result("d", start=3, length=4),
    ]
    runs = runs_of({"r": {"1": written}})
    grouped = group_by_document(runs, order="document")
    expected = [("d", None), ("d", 3), ("d", 10), ("d", 10), ("e", 0), ("e", 5)]
    assert grouped.results.select("doc_id", "start").rows() == expected
    assert grouped.results["length"].to_list() == [None, 4, 9, 2, 1, 1]
    assert grouped.prepared == ('group_by_document(order="document")',)
    assert group_by_document(grouped, order="document").results.equals(grouped.results)
    assert group_by_document(runs).results["start"].to_list() == [10, 10, None, 3, 5, 0]


def test_document_order_is_that_of_the_structure_and_not_of_the_paths_as_text() -> None:
    paths = [f"/article[1]/p[{number}]" for number in (10, 2, 1)]
    runs = runs_of({"r": {"1": [Result("d", path=path) for path in (*paths, "/article[1]/q[1]", "/article[1]")]}})
    rows = [("d", "/article[1]", 0, 100), *(("d", path, start, 10) for path, start in zip(paths, (90, 10, 0), strict=True))]
    structure = Structure(pl.DataFrame(rows, ["doc_id", "path", "start", "length"], orient="row"))
    with pytest.warns(CollectionWarning, match="found 1 element that the structure lacks, and placed each after the other results"):
        grouped = group_by_document(runs, order="document", structure=structure)
    assert grouped.results["path"].to_list() == ["/article[1]", paths[2], paths[1], paths[0], "/article[1]/q[1]"]
    with pytest.raises(CollectionError) as caught:
        group_by_document(runs, order="document")
    assert str(caught.value) == (
        'group_by_document(order="document"): expected offsets or a structure, found 4 elements without an offset, such as /article[1]/p[10] of '
        "document d in run r, topic 1; --structure names a structure"
    )
    alone = runs_of({"r": {"1": [Result("d", path=paths[0]), Result("e", path=paths[0])]}})
    assert group_by_document(alone, order="document").results["doc_id"].to_list() == ["d", "e"]  # single results need no offset


def test_what_the_order_inside_a_document_does_to_the_measures() -> None:
    """100 of 200 characters are relevant, from 100 on. The relevant half is found first, or second in document order."""
    judged = pl.DataFrame({"topic_id": ["1"], "doc_id": ["d"], "start": [100], "length": [100], "docchars": [200]})
    found = pl.DataFrame({"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "start": [100, 0], "length": [100, 100], "score": [2.0, 1.0]})
    whole = from_frames(judged, found)
    assert whole.runs is not None
    rank, document = (
        run("scores(iP@0.01 + MAgP)", Collection(whole.assessments, group_by_document(whole.runs, order=order))).table["mean"].to_list()
        for order in GROUP_ORDERS
    )
    assert rank == [1.0, 2 / 3]  # precision 100/100 after the first result; F of precision 100/200 and recall 1
    assert document == [0.5, 2 / 3]


# ------------------------------------------------------------------------------------------------ characters


def first(results: Sequence[Result], n: int, structure: Structure | None = None) -> list[tuple[str, str | None, int | None, int | None]]:
    left = keep_characters(runs_of({"r": {"1": results}}), n, structure=structure)
    return left.results.select("doc_id", "path", "start", "length").rows()


CHUNKS = [
    Result("d", start=0, length=30),
    Result("d", start=20, length=30),  # 10 of its characters stood in the first
    Result("e", start=5, length=0),
    Result("e", start=5, length=40),
]


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, [("d", None, 0, 1)]),
        (29, [("d", None, 0, 29)]),
        (30, [("d", None, 0, 30)]),
        (31, [("d", None, 0, 30), ("d", None, 20, 1)]),
        (60, [("d", None, 0, 30), ("d", None, 20, 30)]),  # repeated text counts again
        (75, [("d", None, 0, 30), ("d", None, 20, 30), ("e", None, 5, 15)]),  # the empty chunk is dropped
        (100, [("d", None, 0, 30), ("d", None, 20, 30), ("e", None, 5, 40)]),
        (10**12, [("d", None, 0, 30), ("d", None, 20, 30), ("e", None, 5, 40)]),
    ],
)
def test_the_first_characters(n: int, expected: list[tuple[object, ...]]) -> None:
    assert first(CHUNKS, n) == expected


def test_elements_and_documents_have_the_structure_s_lengths() -> None:
    # s[1] is 10:30, the range from s[2] to s[3] 40:60, the whole document 0:100.
    results = [Result("d", "/a[1]/s[1]"), Result("d", "/a[1]/s[3]/f[1]"), Result("d", "/a[1]/s[2] /a[1]/s[3]"), Result("d")]
    whole = [("d", "/a[1]/s[1]", None, None), ("d", "/a[1]/s[2] /a[1]/s[3]", None, None)]
    assert first(results, 25, STRUCTURE) == [("d", None, 10, 25)]  # the path would name all 30
    assert first(results, 90, STRUCTURE) == whole
    assert first(results, 91, STRUCTURE) == [*whole, ("d", None, 0, 1)]
    assert first(results, 190, STRUCTURE) == [*whole, ("d", None, None, None)]


@pytest.mark.parametrize(
    ("unknown", "structure", "named"),
    [
        (Result("d", "/a[1]/s[1]"), None, "/a[1]/s[1] of document d"),
        (Result("d"), None, "document d"),
        (Result("e"), STRUCTURE, "document e"),
        (Result("d", "/a[1]/s[9]"), STRUCTURE, "/a[1]/s[9] of document d"),
        (Result("d", start=-1, length=-1), STRUCTURE, "document d"),
    ],
)
def test_a_length_that_is_not_known(unknown: Result, structure: Structure | None, named: str) -> None:
    with pytest.raises(CollectionError) as caught:
        keep_characters(runs_of({"r": {"1": CHUNKS, "7": [unknown, unknown]}}), 5, structure=structure)
    assert str(caught.value) == (
        "keep_characters(5): expected results of known length (passages, or elements and documents of a structure), "
        f"found 2 results of unknown length, such as {named} in run r, topic 7"
    )


@given(
    st.dictionaries(st.sampled_from(["r", "s"]), st.dictionaries(st.sampled_from(["1", "2"]), st.lists(passages, max_size=9)), min_size=1),
    st.integers(1, 40),
)
def test_the_first_characters_are_read_one_by_one(written: dict[str, dict[str, list[Result]]], n: int) -> None:
    runs = runs_of(written)
    expected = runs_of({run: {topic: first_characters(of_run[topic], n) for topic in of_run} for run, of_run in written.items()})
    left = keep_characters(runs, n)
    assert left.results.drop("topic_id").equals(expected.results.drop("topic_id"))
    assert left.results.group_by("run_id", "topic_id").agg(pl.col("length").sum())["length"].max() in {None, *range(n + 1)}
    assert keep_characters(left, n).results.equals(left.results)


def test_lengths_whose_sum_passes_every_integer() -> None:
    far = [Result("d", start=0, length=2**53)] * 1500
    assert first(far, 10**12) == [("d", None, 0, 10**12)]
