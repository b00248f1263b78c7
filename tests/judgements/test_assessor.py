"""The word `assessor`: only the judgements of one assessor, quantised or not; and nested selections of judgements."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl
import pytest

from inexmetrics import (
    MAP,
    Agreement,
    Assessments,
    BinExh,
    FormulaError,
    Gen5,
    MAep,
    MAiP,
    Runs,
    agreement,
    assessor,
    min_size,
    parse,
    scores,
    threshold,
    without_too_small,
)
from inexmetrics.judgements.base import INSIDE, Judgements
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import lexicon
from inexmetrics.terms.parameter_types import Integer
from inexmetrics.terms.term import parameter, required

ASSESSED = pl.DataFrame({"e": [2.0, 1.0, None], "s": [0.5, 0.9, 0.6], "size": [100, 19, 20]})


def test_it_prints_as_it_parses() -> None:
    text = 'agreement(MAP ~ assessor("llm") + assessor("human") + assessor("crowd"))'
    made = agreement(MAP, (assessor("llm"), assessor("human"), assessor("crowd")))
    assert str(made) == text
    assert parse(text, Agreement) == made
    assert str(parse("scores(MAep ~ assessor('llm', quantisation=Gen5))")) == 'scores(MAep ~ assessor("llm", Gen5))'
    two = 'agreement(MAep ~ assessor("a", Gen5) + assessor("b", Gen5))'
    assert str(parse('agreement(assessor("a", Gen5), assessor("b", Gen5), measure=MAep)')) == str(parse(two)) == two
    assert str(assessor('the "second"')) == r'assessor("the \"second\"")'


def test_it_parts_into_judgements_and_a_quantisation() -> None:
    assert assessor("llm", Gen5).parts == (assessor("llm"), Gen5)
    assert assessor("llm", min_size(BinExh, 20)).parts == (assessor("llm"), min_size(BinExh, 20))
    assert assessor("llm").parts == (assessor("llm"), None)
    assert Gen5.parts == (None, Gen5)


def test_what_is_made_from_it_is_of_its_judgements() -> None:
    inside = threshold(without_too_small(assessor("llm", Gen5)), 0.5)
    judgements, quantisation = inside.parts
    assert (judgements, quantisation) == (assessor("llm"), threshold(without_too_small(Gen5), 0.5))
    assert ASSESSED.select(gain=inside.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list() == [1.0, 0.0, 0.0]
    assert parse(f"scores(MAep ~ {inside})") == scores(MAep, inside)
    assert scores(MAep, inside).conditions[0].quantisation == quantisation
    assert str(scores(MAep, inside).conditions[0]) == f"MAep ~ {inside}"


@dataclass(frozen=True, slots=True, repr=False)
class FirstTopic(Judgements):
    """A selection of judgements in which another selection may be nested."""

    topics: int = field(metadata=required(Integer(at_least=1)))
    quantisation: Criterion | None = parameter(None, INSIDE)

    @property
    def label(self) -> str:
        return f"first {self.topics}"

    @property
    def manner(self) -> str:
        return "for the first topics"

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        assert assessments.grades is not None
        return Assessments(grades=assessments.grades.filter(pl.col("topic_id").is_in(assessments.topics[: self.topics])))


def test_choices_of_judgements_nest() -> None:
    outer = FirstTopic(1, assessor("human", Gen5))
    assert outer.parts == (FirstTopic(1, assessor("human")), Gen5)
    assert str(FirstTopic(1, Gen5)) == "(1, Gen5)"
    several = Assessments(
        assessors=pl.DataFrame(
            {"topic_id": ["1", "1", "2"], "assessor": ["llm", "human", "human"], "doc_id": ["d", "d", "e"], "grade": [1.0, 0.0, 1.0]}
        )
    )
    read = outer.read(several, None)
    assert read.grades is not None
    assert (read.topics, read.grades["grade"].to_list()) == (("1",), [0.0])
    with pytest.raises(FormulaError, match="names no assessor"):
        assessor("a", FirstTopic(1, assessor("b")))


def test_an_assessor_is_a_name_in_python_too() -> None:
    with pytest.raises(FormulaError, match=r"^assessor: name: expected a name in quotes, found 3$"):
        assessor(3)  # type: ignore[arg-type]  # the mistake that is tested
    with pytest.raises(FormulaError, match=r"^assessor: quantisation: expected a quantisation or a selection of judgements, found 3$"):
        assessor("a", 3)  # type: ignore[arg-type]  # the mistake that is tested


def test_one_assessor_at_a_time() -> None:
    with pytest.raises(FormulaError) as caught:
        assessor("a", assessor("b"))
    assert caught.value.message == 'assessor: expected a quantisation that names no assessor, found assessor("b")'
    assert caught.value.hint == 'several assessors are joined by +, as in MAP ~ assessor("a") + assessor("b")'
    with pytest.raises(FormulaError, match="names no assessor, found threshold"):
        assessor("a", threshold(assessor("b", Gen5), 0.5))


@pytest.mark.parametrize("text", ['threshold(assessor("a"), 0.5)', 'without_too_small(assessor("a"))', 'min_size(assessor("a"), 9)'])
def test_a_name_alone_cannot_be_combined(text: str) -> None:
    word = text.partition("(")[0]
    with pytest.raises(FormulaError) as caught:
        parse(f"scores(MAep ~ {text})")
    assert (
        caught.value.message
        == f'{word}: quantisation: expected a quantisation of elements, found assessor("a"), which only selects an assessor'
    )
    assert caught.value.hint == 'write assessor("a", Gen5)'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("assessor()", "assessor: name is required: expected a name in quotes, found nothing"),
        ("assessor(1)", "name: expected a name in quotes, found 1"),
        ('assessor("")', 'name: expected a name in quotes, found ""'),
        ('assessor("a", MAep)', "quantisation: expected a quantisation or a selection of judgements, found the measure MAep"),
        ('assessor("a", Gen5, BinExh)', "takes at most 2 arguments, found 3"),
    ],
)
def test_wrong_arguments(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(f"scores(MAP ~ {text})")
    assert message in caught.value.message


def test_measures_that_need_a_quantisation_need_one_of_elements() -> None:
    with pytest.raises(FormulaError) as caught:
        scores((MAP, MAep), assessor("a"))
    assert caught.value.message == 'scores: expected a quantisation for MAep, found assessor("a"), which only selects an assessor'
    assert caught.value.hint == "name one after '~', as in MAep ~ assessor(\"a\", Gen5)"


def test_measures_of_text_are_told_the_assessor_and_no_quantisation() -> None:
    assert str(scores(MAiP, assessor("a"))) == 'scores(MAiP ~ assessor("a"))'
    with pytest.raises(FormulaError) as caught:
        scores(MAiP, assessor("a", Gen5))
    assert caught.value.message == 'scores: expected no quantisation for MAiP, found assessor("a", Gen5)'
    assert caught.value.hint == 'write MAiP ~ assessor("a")'


def test_it_is_a_word_that_must_be_called() -> None:
    assert lexicon.entries["assessor"].value is None
    assert lexicon.entries["assessor"].sort.category == "quantisation"
