"""The word `assessor`: a quantisation by the judgements of one assessor alone."""

from __future__ import annotations

import polars as pl
import pytest

from inexmetrics import MAP, MAep, agreement, parse, scores
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.scales import ANY_SCALE
from inexmetrics.experiments.agreement import Agreement
from inexmetrics.judgements.assessor import assessor
from inexmetrics.measures.characters import MAiP
from inexmetrics.quantisations.combinators import min_size, threshold, without_too_small
from inexmetrics.quantisations.inex2004 import Gen4
from inexmetrics.quantisations.inex2005 import BinExh, Gen5
from inexmetrics.terms.lexicon import lexicon

ASSESSED = pl.DataFrame({"e": [2.0, 1.0, None], "s": [0.5, 0.9, 0.6], "size": [100, 19, 20]})


def test_it_prints_as_it_parses() -> None:
    text = 'agreement(MAP ~ assessor("llm") + assessor("human") + assessor("crowd"))'
    made = agreement(MAP, (assessor("llm"), assessor("human"), assessor("crowd")))
    assert str(made) == text
    assert parse(text, Agreement) == made
    assert str(parse("scores(MAep ~ assessor('llm', quantisation=Gen5))")) == 'scores(MAep ~ assessor("llm", Gen5))'
    two = 'agreement(assessor("a", Gen5), assessor("b", Gen5), measure=MAep)'
    assert str(parse(two)) == two
    assert str(assessor('the "second"')) == r'assessor("the \"second\"")'


def test_it_quantises_as_its_quantisation_does() -> None:
    by = assessor("llm", Gen5)
    assert ASSESSED.select(gain=by.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list() == [0.5, 0.45, 0.0]
    assert (by.scales, by.needs_exhaustivity, by.needs_size) == (Gen5.scales, True, False)
    assert assessor("llm", min_size(BinExh, 20)).needs_size
    assert assessor("llm", Gen4).scales == Gen4.scales
    assert by.quantises


def test_a_name_alone_quantises_nothing() -> None:
    by = assessor("llm")
    assert not by.quantises
    assert (by.scales, by.needs_exhaustivity, by.needs_size) == (ANY_SCALE, False, False)
    with pytest.raises(FormulaError, match=r'^expected a quantisation of elements, found assessor\("llm"\), which names an assessor alone'):
        by.gain(pl.col("e"), pl.col("s"), pl.col("size"))


def test_what_is_made_from_it_names_its_assessor() -> None:
    inside = threshold(without_too_small(assessor("llm", Gen5)), 0.5)
    assert inside.assessor == "llm"
    assert Gen5.assessor is None
    assert ASSESSED.select(gain=inside.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list() == [1.0, 0.0, 0.0]
    assert parse(f"scores(MAep ~ {inside})") == scores(MAep, inside)


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
        == f'{word}: quantisation: expected a quantisation of elements, found assessor("a"), which names an assessor alone'
    )
    assert caught.value.hint == 'write assessor("a", Gen5)'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("assessor()", "expected a name in quotes, found nothing"),
        ("assessor(1)", "name: expected a name in quotes, found 1"),
        ('assessor("")', 'name: expected a name in quotes, found ""'),
        ('assessor("a", MAep)', "quantisation: expected a quantisation, found the measure MAep"),
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
    assert caught.value.message == 'scores: expected a quantisation for MAep, found assessor("a"), which names an assessor alone'
    assert caught.value.hint == "name one after '~', as in MAep ~ assessor(\"a\", Gen5)"


def test_measures_of_text_are_told_the_assessor_and_no_quantisation() -> None:
    assert str(scores(MAiP, assessor("a"))) == 'scores(MAiP ~ assessor("a"))'
    with pytest.raises(FormulaError) as caught:
        scores(MAiP, assessor("a", Gen5))
    assert caught.value.message == 'scores: expected no quantisation for MAiP, found assessor("a", Gen5)'
    assert caught.value.hint == 'write MAiP ~ assessor("a")'


def test_it_is_a_word_that_must_be_called() -> None:
    assert lexicon.entries["assessor"].value is None
    assert lexicon.entries["assessor"].sort.sort == "quantisation"
