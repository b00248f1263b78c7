"""Meaning of formulas: the terms of valid texts, and the errors of invalid texts."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from inexmetrics import (
    BH,
    MAP,
    RBP,
    Agreement,
    BinExh,
    Experiment,
    FormulaError,
    Gen5,
    GenLifted,
    MAep,
    Measure,
    P,
    Quantisation,
    Term,
    agreement,
    bootstrap,
    correlation,
    error_rate,
    given,
    iP,
    min_size,
    nDCG,
    nxCG,
    parse,
    scores,
    significance,
    t,
    threshold,
    unadjusted,
    versus,
    wilcoxon,
    without_too_small,
)
from inexmetrics.formula.hints import NOT_HERE
from inexmetrics.terms.lexicon import Entry, lexicon
from tests.examples import own

SAME: list[tuple[str, Term]] = [
    ("Gen5", Gen5),
    ("Gen5()", Gen5),
    ("Gen5(normalise=True)", Gen5),
    ("nxCG @ 25", nxCG @ 25),
    ("nxCG(task='focused')@10.0", nxCG(task="focused") @ 10),
    ("nDCG", nDCG),
    ("nDCG@10", nDCG @ 10),
    ("P(rel=2)@10", P(rel=2) @ 10),
    ("bootstrap(seed=7, b=2e3)", bootstrap(b=2000, seed=7)),
    ("min_size(without_too_small(BinExh), n=200)", min_size(without_too_small(BinExh), 200)),
    ("threshold(at=0.5, quantisation=Gen5)", threshold(Gen5, 0.5)),
    ("scores(MAP)", scores(MAP)),
    ("scores(MAP ~ 1)", scores(MAP)),
    ("scores(MAP ~ 1 + BinExh)", scores(MAP, (None, BinExh))),
    ("scores((MAep, nxCG@25), Gen5)", scores((MAep, nxCG @ 25), Gen5)),
    ("scores((MAep) + (nxCG@25) ~ (Gen5))", scores((MAep, nxCG @ 25), Gen5)),
    ("scores(measure=MAep, quantisation=(Gen5, BinExh))", scores(MAep, (Gen5, BinExh))),
    ("significance(MAP | BH | t(tails=1))", significance(MAP, test=t(tails=1), correction=BH)),
    ("significance(MAP, test=t(tails=1), correction=BH)", significance(MAP, test=t(tails=1), correction=BH)),
    ("significance(MAP | t(tails=1), correction=BH)", significance(MAP, test=t(tails=1), correction=BH)),
    ("agreement(Gen5, BinExh, measure=MAep)", agreement(Gen5, BinExh, measure=MAep)),
    ("agreement(MAep ~ Gen5 + BinExh)", agreement(Gen5, BinExh, measure=MAep)),
    ("agreement(MAep, (Gen5, BinExh))", agreement(Gen5, BinExh, measure=MAep)),
    ("agreement(Gen5 + GenLifted, BinExh, measure=(MAep, nxCG@25))", agreement((MAep, nxCG @ 25), (Gen5, GenLifted, BinExh))),
    (
        "agreement(MAep + nxCG@25 ~ Gen5 + GenLifted | wilcoxon(tails=1))",
        agreement((MAep, nxCG @ 25), (Gen5, GenLifted), test=wilcoxon(tails=1)),
    ),
    ("versus('run1', MAP | t(tails=1) | unadjusted)", versus("run1", MAP, test=t(tails=1), correction=unadjusted)),
    ("versus('run1', MAep ~ Gen5)", versus("run1", MAep, Gen5)),
    ("error_rate(MAep ~ Gen5, tests=(t(tails=1), wilcoxon), splits=4)", error_rate(MAep, Gen5, tests=(t(tails=1), wilcoxon), splits=4)),
    ("error_rate(MAep ~ Gen5, tests=t(tails=1))", error_rate(MAep, Gen5, tests=(t(tails=1),))),
    ('correlation(MAep + nxCG@25 ~ Gen5, of="runs")', correlation((MAep, nxCG @ 25), Gen5, of="runs")),
]


@pytest.mark.parametrize(("text", "term"), SAME, ids=[text for text, _ in SAME])
def test_texts_and_terms(text: str, term: Term) -> None:
    assert parse(text) == term
    assert type(parse(text)) is type(term)
    assert parse(str(term)) == term


MARKED = [  # ⟨ and ⟩ stand around what the carets must mark; then the message, and a part of the hint
    ("⟨Gen6⟩", "unknown word 'Gen6'", "did you mean Gen5?"),
    ("agreement(Gen5, ⟨BinEhx⟩, measure=MAep)", "unknown word 'BinEhx'", "did you mean BinExh?"),
    ("scores(⟨AP⟩)", "unknown word 'AP'", "did you mean MAP?"),
    ("agreement(MAP ~ topics(9) + 1, fresh=⟨true⟩)", "unknown word 'true'", "did you mean True?"),
    ("scores(⟨ndcg@10⟩)", "unknown word 'ndcg'", "did you mean nDCG@10?"),
    ("scores(⟨P_10⟩)", "unknown word 'P_10'", "did you mean P@10?"),
    ("scores(P⟨.10⟩)", "expected ',' or ')', found '.10'", "did you mean P@10?"),
    ("scores(ndcg_cut⟨.10⟩)", "expected ',' or ')', found '.10'", "did you mean nDCG@10?"),
    ("scores(⟨map_cut_10⟩)", "unknown word 'map_cut_10'", "did you mean MAP@10?"),
    ("scores(iprec_at_recall_0⟨.10⟩)", "expected ',' or ')', found '.10'", "curve(MAP) computes interpolated precision"),
    ("scores(⟨IPrec⟩@0.1)", "unknown word 'IPrec'", "curve(MAP) computes interpolated precision"),
    ("scores(MAP ⟨P⟩@10)", "expected ',' or ')', found 'P'", "measures are joined by +, as in MAP + P@10"),
    ("scores(⟨ndcg_cut_5⟩)", "unknown word 'ndcg_cut_5'", "did you mean nDCG@5?"),
    ("scores(⟨precision⟩)", "unknown word 'precision'", "did you mean P@k or char_prec?"),
    ("scores(⟨Recall@5⟩)", "unknown word 'Recall'", "did you mean R@5?"),
    ("scores(⟨mrr@10⟩)", "unknown word 'mrr'", "did you mean RR@10?"),
    ("scores(⟨ndcg@20⟩ + MAP)", "unknown word 'ndcg'", "did you mean nDCG@20?"),
    ("scores(⟨P5⟩)", "unknown word 'P5'", "did you mean P@5?"),
    ("scores(⟨map100⟩)", "unknown word 'map100'", "did you mean MAP@100?"),
    ("scores(⟨MAPP⟩@5)", "unknown word 'MAPP'", "did you mean MAP?"),
    ("scores(⟨F1⟩)", "unknown word 'F1'", "did you mean F@k or char_f1?"),
    ("significance(MAP | ⟨ttest⟩)", "unknown word 'ttest'", "did you mean t?"),
    ("significance(MAP | t(tails=1) | ⟨fdr_by⟩)", "unknown word 'fdr_by'", "did you mean BY?"),
    ("scores(MAep ~ ⟨strict⟩)", "unknown word 'strict'", "did you mean Strict4 or Strict5?"),
    ("significance(MAP | t | ⟨holm⟩)", "unknown word 'holm'", "did you mean Holm?"),
    ("significance(MAP | t | ⟨fdr⟩)", "unknown word 'fdr'", "corrections such as BH and BY control the false discovery rate"),
    ('significance(MAP | t(tails=⟨"two"⟩))', 't: tails: expected an integer from 1 to 2, found "two"', "write 2"),
    ('significance(MAP | t(tails=⟨"two-sided"⟩))', 't: tails: expected an integer from 1 to 2, found "two-sided"', "write 2"),
    ('significance(MAP | Holm(alpha=⟨"0.01"⟩))', 'Holm: alpha: expected a number above 0 and below 1, found "0.01"', "write 0.01"),
    ('significance(MAP | t(⟨alternative="less"⟩))', "t has no parameter 'alternative'", "t(tails=2) is two-sided"),
    ("scores(⟨kappa⟩)", "unknown word 'kappa'", "computes kappa"),
    ("⟨kendall⟩(MAP + P@10)", "unknown word 'kendall'", 'method="kendall") computes Kendall\'s tau'),
    ("significance(MAP | ⟨cohen⟩)", "unknown word 'cohen'", "Cohen's d as effect_size"),
    ("⟨quotation⟩(MAP)", "unknown word 'quotation'", "locate_quotations, in Python"),
    ('significance(MAP, ⟨baseline="a"⟩)', "significance has no parameter 'baseline'", 'versus("bm25", MAP | t | Holm) compares'),
    ("scores(⟨ttest⟩)", "unknown word 'ttest'", 'for a column of scores computed elsewhere, write given("ttest")'),
    ("ranks(⟨score⟩)", "unknown word 'score'", 'for a column of scores computed elsewhere, write given("score")'),
    ("judges(truth=⟨llm⟩)", "unknown word 'llm'", 'for the judgements of an assessor of this name, write assessor("llm")'),
    ("judges(MAP ~ ⟨llm⟩)", "unknown word 'llm'", 'for the judgements of an assessor of this name, write assessor("llm")'),
    (
        f"scores(⟨{NOT_HERE[0]}⟩)",
        f"unknown word '{NOT_HERE[0]}'",
        f'{NOT_HERE[0]} is not a measure here; for scores computed elsewhere, write given("{NOT_HERE[0]}")',
    ),
    ("scores(⟨hit_rate@5⟩)", "unknown word 'hit_rate'", "did you mean Success@5?"),
    ("scores(⟨success_5⟩)", "unknown word 'success_5'", "did you mean Success@5?"),
    (f"significance(MAP | ⟨{NOT_HERE[0]}⟩)", f"unknown word '{NOT_HERE[0]}'", None),
    ("ERR(max_grade=⟨0⟩)@20", "ERR: max_grade: expected a number above 0 and of at most 100, found 0", None),
    ("RBP(p=⟨1⟩)", "RBP: p: expected a number above 0 and below 1, found 1", None),
    ("bpref(⟨judged_only=True⟩)", "bpref has no parameter 'judged_only'", "its parameters are rel"),
    ("⟨zzzzzz⟩", "unknown word 'zzzzzz'", None),
    ("BY(⟨alfa=1⟩)", "BY has no parameter 'alfa'", "did you mean alpha?"),
    ("BY(alpha=⟨2⟩)", "BY: alpha: expected a number above 0 and below 1, found 2", None),
    ("bootstrap(b=⟨0⟩)", "bootstrap: b: expected an integer from 1 to 10000000, found 0", None),
    ("bootstrap(⟨2000⟩)", "bootstrap takes its parameters by name", "write b=2000"),
    ("P(⟨10⟩)", "P takes its parameters by name", "write P@10 or P(rel=10)"),
    ("nDCG(⟨10⟩)", "nDCG takes its parameters by name", "write nDCG@10"),
    ("iP(⟨0.01⟩)", "iP takes its parameters by name", "write iP@0.01"),
    ("R(⟨20⟩)@30", "R takes its parameters by name", "write rel=20"),
    ("F(⟨3⟩) @ 8", "F takes its parameters by name", "write rel=3 or beta=3"),
    ("RBP(⟨0.7⟩)", "RBP takes its parameters by name", "write rel=0.7 or p=0.7"),
    ("RR(⟨True⟩)@3", "RR takes its parameters by name", "write judged_only=True"),
    ("MAP(⟨Gen5⟩)", "MAP takes its parameters by name", "its parameters are rel"),
    ("DCG(⟨exponential⟩)@7", "DCG takes its parameters by name", 'write gains="exponential"'),
    ("Judged(⟨10⟩)", "Judged takes no parameters", "write Judged@10"),
    ('nxCG(⟨"focused"⟩)', "nxCG takes its parameters by name", 'write task="focused"'),
    ("t(tails=⟨3⟩)", "t: tails: expected an integer from 1 to 2, found 3", None),
    ('RR(rel=⟨"2"⟩)', 'RR: rel: expected a number above 0, found "2"', "write 2"),
    ("BinExh(⟨x=1⟩)", "BinExh takes no parameters", None),
    ("nxCG@⟨0⟩", "nxCG@: expected an integer of at least 1, found 0", None),
    ("nxCG@⟨0.5⟩", "nxCG@: expected an integer of at least 1, found 0.5", None),
    ("nxCG@⟨Gen5⟩", "expected a number after '@', found Gen5", None),
    (
        "⟨char_f1⟩@400",
        "expected a family of measures before '@', found the measure char_f1",
        "to stop after 400 characters, write char_f1(budget=400)",
    ),
    ("RR@⟨0⟩", "RR@: expected an integer of at least 1, found 0", None),
    ("⟨Rprec⟩@10", "expected a family of measures before '@', found the measure Rprec", "one of nxCG, "),
    ("MAP(⟨10⟩)", "MAP takes its parameters by name", "write MAP@10"),
    ('scores(⟨"accuracy"⟩)', 'expected a measure, found "accuracy"', 'for a column of scores computed elsewhere, write given("accuracy")'),
    ('scores(⟨"MAP"⟩)', 'expected a measure, found "MAP"', "write MAP without quotes"),
    (
        'scores(MAP ~ ⟨"llm"⟩)',
        'expected a quantisation or a selection of judgements, found "llm"',
        'for the judgements of an assessor of this name, write assessor("llm")',
    ),
    ("⟨Gen5⟩@0.3", "expected a family of measures before '@', found the quantisation Gen5", "one of iP"),
    ("⟨min_size⟩", "min_size needs arguments, found none", "as in min_size(Gen5, 100)"),
    ("⟨scores⟩", "scores needs arguments, found none", "write scores(MAP + P@10)"),
    ("⟨versus⟩", "versus needs arguments, found none", 'write versus("bm25", MAP + P@10)'),
    ("min_size(BinExh⟨)⟩", "min_size: n is required: expected an integer of at least 0, found nothing", None),
    ("design(MAP⟨)⟩", "design: truth= and cost= are required, found nothing", 'write truth=assessor("human"), cost=0.01'),
    (
        "design(MAP, truth=1⟨)⟩",
        "design: cost= is required: expected a number of at least 0, or several in parentheses, found nothing",
        "write cost=0.01",
    ),
    ("meta(MAP⟨)⟩", "meta: within= is required: expected a name in quotes, found nothing", 'write within="dataset"'),
    ("topics(⟨)⟩", "topics: n is required: expected an integer of at least 2, found nothing", "as in topics(25)"),
    ("versus(⟨)⟩", "versus: run and measure are required, found nothing", 'as in versus("bm25", MAP + P@10)'),
    ("min_size(BinExh, 1, ⟨2⟩)", "min_size takes at most 2 arguments, found 3", None),
    ("min_size(BinExh, 1, ⟨n=2⟩)", "n is given twice", None),
    ("min_size(⟨BY⟩, 1)", "min_size: quantisation: expected a quantisation, found the correction BY", None),
    ("without_too_small(⟨nxCG⟩)", "without_too_small: quantisation: expected a quantisation, found the family of measures nxCG", "nxCG@10"),
    ("scores(⟨⟩)".replace("⟨⟩)", "⟨)⟩"), "scores: expected a measure, found nothing", None),
    ("scores(⟨nxCG⟩ ~ Gen5)", "expected a measure, found the family of measures nxCG", "add a cutoff, as in nxCG@10"),
    ("scores(⟨Gen5⟩)", "expected a measure, found the quantisation Gen5", None),
    ("scores(MAP, ⟨P@10⟩)", "expected a quantisation or a selection of judgements, found the measure P@10", "measures are joined by +"),
    (
        "scores(MAep, ⟨nxCG@10⟩ ~ Gen5)",
        "expected a quantisation or a selection of judgements, found the measure nxCG@10",
        "measures are joined by +",
    ),
    ("scores(⟨MAep ~ Gen5⟩, RR ~ BinExh)", "'~' is only valid in an experiment's formula", "joined by +"),
    ("scores(MAep ~ Gen5, ⟨BinExh⟩)", "scores: expected the end of the formula, found the quantisation BinExh", "joined by +"),
    (
        "significance(MAP | t(tails=1), ⟨BY⟩)",
        "significance: expected the end of the formula, found the correction BY",
        "come after |, as in | BY",
    ),
    (
        "versus('a', MAP ~ Gen5, ⟨t(tails=1)⟩)",
        "versus: expected the end of the formula, found the significance test t(tails=1)",
        "come after |, as in | t(tails=1)",
    ),
    (
        "significance(MAP, ⟨t(tails=1)⟩)",
        "expected a quantisation or a selection of judgements, found the significance test t(tails=1)",
        "come after |, as in | t(tails=1)",
    ),
    ("ranks(RR ~ ⟨bh⟩)", "unknown word 'bh'", "tests and corrections come after |, as in | BH"),
    (
        "power(RR, ⟨0.03⟩)",
        "expected a quantisation or a selection of judgements, found 0.03",
        "write difference=0.03, power=0.03 or alpha=0.03",
    ),
    ("versus('a', MAP | ⟨permutation⟩)", "unknown word 'permutation'", "did you mean randomisation?"),
    ("agreement(RR ~ Gen5 + BinExh, ⟨alpha=0.1⟩)", "agreement has no parameter 'alpha'", "significance(MAP | t | Holm(alpha=0.01))"),
    ("scores(nDCG(⟨dcg='exp-log2'⟩)@7)", "nDCG has no parameter 'dcg'", 'did you mean nDCG(gains="exponential")?'),
    ("⟨plan⟩(RR)", "unknown word 'plan'", "plan is a command"),
    ("scores(MAP ~ ⟨2⟩)", "expected a quantisation or a selection of judgements, found 2", None),
    ("scores(MAep ~ Gen5 | ⟨bootstrap⟩)", "scores takes no significance test, found bootstrap", None),
    ("power(MAP | ⟨wilcoxon⟩)", "power takes no significance test, found wilcoxon", None),
    ("error_rate(MAP | ⟨stepdown⟩)", "error_rate takes no significance test, found stepdown", None),
    (
        "error_rate(MAP | ⟨wilcoxon(tails=1)⟩)",
        "error_rate takes no significance test, found wilcoxon(tails=1)",
        "write error_rate(MAP, tests=wilcoxon(tails=1))",
    ),
    (
        "calibration(nDCG@7 | ⟨stepdown⟩ | Holm)",
        "calibration takes no significance test, found stepdown",
        "write calibration(nDCG@7 | Holm, tests=stepdown)",
    ),
    ("significance(MAP | t(tails=1) | ⟨wilcoxon⟩)", "expected one significance test, found two: t(tails=1) and wilcoxon", None),
    ("significance(MAP | t(tails=1), ⟨test=t(tails=1)⟩)", "test is given twice", None),
    (
        'judges(assessor("b"), truth=assessor("a"), ⟨measure=P@10⟩)',
        'measure is given twice: by its position, as assessor("b"), and by its name',
        None,
    ),
    ("significance(MAP | ⟨Gen5⟩)", "expected a significance test or a correction after '|', found the quantisation Gen5", None),
    ("agreement(Gen5, BinExh, measure=⟨Gen5⟩)", "expected a measure, found the quantisation Gen5", None),
    ("agreement(Gen5, BinExh, ⟨measur=MAep⟩)", "agreement has no parameter 'measur'", "did you mean measure?"),
    ("agreement(Gen5, BinExh, measure=MAep, test=⟨BY⟩)", "agreement: test: expected a significance test, found the correction BY", None),
    ("agreement(Gen5, ⟨Gen5⟩, measure=MAep)", "Gen5 is written twice", None),
    ("scores(MAep + ⟨MAep⟩ ~ Gen5)", "MAep is written twice", None),
    ("⟨scores(MAep)⟩", "scores: expected a quantisation for MAep, found none", "name one after '~'"),
    ("versus(⟨run1⟩, MAP)", "versus: run: expected a name in quotes, found run1", 'write "run1"'),
    ("versus(⟨1⟩, MAP)", "versus: run: expected a name in quotes, found 1", None),
    ("scores(MAP ~ assessor(⟨anna⟩))", "assessor: name: expected a name in quotes, found anna", 'write "anna"'),
    ("scores(MAiP(overlap=⟨unseen⟩))", 'MAiP: overlap: expected "refuse" or "unseen", found unseen', 'write "unseen"'),
    ("scores(MAiP(overlap=⟨unsen⟩))", 'MAiP: overlap: expected "refuse" or "unseen", found unsen', 'did you mean "unseen"?'),
    ('scores(MAiP(overlap=⟨"Unseen"⟩))', 'MAiP: overlap: expected "refuse" or "unseen", found "Unseen"', 'did you mean "unseen"?'),
    ("correlation(MAP + RR, of=⟨runs⟩)", 'correlation: of: expected "topics" or "runs", found runs', 'write "runs"'),
    (
        'scores(MAEPRUM(navigation=⟨"hierarchy"⟩))',
        'MAEPRUM: navigation: expected a navigation model, found "hierarchy"',
        "write hierarchy without quotes",
    ),
    ('scores(MAEPRUM(navigation=⟨"up"⟩))', 'MAEPRUM: navigation: expected a navigation model, found "up"', None),
    ('significance(MAP, test=⟨"t"⟩)', 'significance: test: expected a significance test, found "t"', "write t without quotes"),
    ("⟨MAep ~ Gen5⟩", "expected '~' inside an experiment, found it outside", "scores(MAep ~ Gen5)"),
    ("⟨MAP + P@10⟩", "expected '+' inside an experiment, found it outside", "as in scores(MAP + P@10)"),
    ("⟨Gen5 + BinExh⟩", "expected '+' inside an experiment, found it outside", None),
    ("⟨7⟩", "expected a term, such as a measure or an experiment", None),
    ("⟨(Gen5, BinExh)⟩", "expected a term, such as a measure or an experiment", None),
    ("scores(⟨scores(MAP)⟩)", "expected a measure, found the experiment scores(MAP)", None),
]


@pytest.mark.parametrize(("marked", "message", "hint"), MARKED, ids=[marked for marked, _, _ in MARKED])
def test_errors_are_shown_where_they_are(marked: str, message: str, hint: str | None) -> None:
    source = marked.replace("⟨", "").replace("⟩", "")
    with pytest.raises(FormulaError) as caught:
        parse(source)
    assert caught.value.message == message
    assert source[caught.value.start : caught.value.end] == marked[marked.index("⟨") + 1 : marked.index("⟩")]
    assert (caught.value.hint is None) if hint is None else (hint in str(caught.value.hint))


def test_the_class_asked_for() -> None:
    assert isinstance(parse("agreement(Gen5, BinExh, measure=MAep)", Agreement), Agreement)
    assert isinstance(parse("nxCG@25", Measure), Measure)
    with pytest.raises(FormulaError, match=r"expected the experiment agreement, found the measure MAep\n    MAep\n    \^\^\^\^"):
        parse("MAep", Agreement)
    with pytest.raises(FormulaError, match="expected a quantisation, found the measure MAep"):
        parse("MAep", Quantisation)


def test_python_refuses_the_same_mistakes() -> None:
    with pytest.raises(FormulaError, match="expected an integer from 1 to 10000000, found 0"):
        bootstrap(b=0)
    with pytest.raises(FormulaError, match="is written twice"):
        scores((MAP, MAP))
    with pytest.raises(FormulaError, match="expected a measure, found 2 values in parentheses"):
        scores(((MAP, P @ 10), MAep))  # type: ignore[arg-type]  # mypy refuses it as well
    with pytest.raises(FormulaError, match="expected a quantisation for MAep"):
        scores(MAep)
    with pytest.raises(FormulaError, match="expected a measure"):
        agreement(Gen5, GenLifted, measure=BinExh)  # type: ignore[call-overload]  # mypy refuses it as well


@pytest.mark.parametrize(
    ("term", "value", "hint"),
    [
        (P, 10, "write P@10 or P(rel=10)"),
        (RBP, 0.7, "write rel=0.7 or p=0.7"),
        (iP, 0.01, "write iP@0.01"),
        (bootstrap, 2000, "write b=2000 or seed=2000"),
        (nxCG, "focused", 'write task="focused"'),
    ],
)
def test_python_refuses_parameters_without_a_name_as_formulas_do(term: Callable[..., Term], value: object, hint: str) -> None:
    with pytest.raises(FormulaError, match="takes its parameters by name") as caught:
        term(value)
    assert caught.value.hint == hint


def test_several_may_stand_in_a_list() -> None:
    assert scores([MAep, nxCG @ 10], [Gen5, GenLifted]) == parse("scores(MAep + nxCG@10 ~ Gen5 + GenLifted)")


@pytest.mark.parametrize(
    ("value", "found"),
    [(None, "nothing"), (b"MAP", "a Python bytes"), (3, "3"), (MAP, "the measure MAP"), (["MAP"], "a Python list")],
)
def test_what_is_no_text_is_no_formula(value: str, found: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(value)
    assert str(caught.value) == f"expected the text of a formula, found {found}"


MANY = 5_000


def listed(template: str, joint: str, count: int = MANY) -> str:
    return joint.join(template.format(i + 1) for i in range(count))


@pytest.mark.parametrize(
    "source",
    [
        "scores(" + listed('given("{}")', " + ") + ")",
        f"scores({listed('nxCG@{}', '+')} ~ {listed('min_size(Gen5,{})', '+', 2_000)})",
        f"curve(MAP ~ {listed('threshold(Gen5,{}e-5)', '+', 4_000)})",
        f"agreement({listed('threshold(Gen5, {}e-5)', ', ', 3_000)}, measure=MAep)",
        f"error_rate(MAP, tests=({listed('bootstrap(b={})', ',')}))",
        f"degradation(MAep ~ Gen5, moves=({listed('{}e-5', ',', 10_000)}))",
        f"agreement({listed('nxCG@{}', '+')} ~ {listed('min_size(Gen5,{})', '+', 2_000)}, of='conditions')",
        f"t({listed('a{}=1', ', ', 8_000)})",
        f"scores(MAP, {listed('a{}=1', ', ', 8_000)})",
        f"scores({listed('MAP', '+', 20_000)})",
    ],
    ids=lambda source: source[:20],
)
def test_long_formulas_take_time_as_they_are_long(source: str) -> None:
    """Each of these formulas took from 5 to 80 seconds when every term was compared with every other term."""
    assert len(source) <= 100_000
    begun = time.process_time()
    with suppress(FormulaError):
        parse(source)
    assert time.process_time() - begun < 4


def test_messages_repeat_no_long_text() -> None:
    name = "x" * 50_000
    for source in (
        name,
        f"nxCG@{name}",
        f"scores({name})",
        f"t({name}=1)",
        f"scores(MAP, {name}=1)",
        f't("{name}")',
        f"t({name}=1, {name}=2)",
        f"{name} ~ Gen5",
        f"versus({name}, MAP)",
        f'given("{name}")',
        f'scores(MAP, given("{name}"))',
        f'significance(MAP | bootstrap(clusters="{name}") | bootstrap(clusters="{name}1"))',
        f'significance(MAP | t(tails=1), bootstrap(clusters="{name}"))',
        f'scores(MAP | bootstrap(clusters="{name}"))',
    ):
        with pytest.raises(FormulaError) as caught:
            parse(source, Experiment)
        assert len(str(caught.value)) < 500
    with pytest.raises(FormulaError, match="is written twice") as caught:
        scores((given(name), given(name)))
    assert len(str(caught.value)) < 200


REQUIRED = {
    entry: names
    for entry in own(Experiment)
    if (names := [each.name for each in inspect.signature(entry.make).parameters.values() if each.kind is each.KEYWORD_ONLY and each.default is each.empty])
}  # fmt: skip


@pytest.mark.parametrize(("entry", "missing"), REQUIRED.items(), ids=lambda value: value.word if isinstance(value, Entry) else "")
def test_every_option_that_an_experiment_requires_is_named_if_it_is_missing(entry: Entry, missing: list[str]) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(f'{entry.word}(MAP ~ assessor("a"))')
    named = " and ".join(f"{name}=" for name in missing)
    assert caught.value.message.startswith(f"{entry.word}: {named} {'is' if len(missing) == 1 else 'are'} required")


def test_the_hint_about_missing_arguments_can_be_copied() -> None:
    words = [entry.word for entry in lexicon.of(Term) if entry.needed and not issubclass(entry.sort, Experiment)]
    assert {"keep_first", "pooled", "either", "by_grade"} <= {*words}
    for word in words:
        with pytest.raises(FormulaError, match="needs arguments") as caught:
            parse(word)
        parse(str(caught.value.hint).removeprefix("as in "))
