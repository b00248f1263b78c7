"""Document measures equal those of ir_measures, on arbitrary runs."""

from __future__ import annotations

import ir_measures
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from inexmetrics import MAP, RR, Measure, SetF, SetP, SetR
from inexmetrics.common.options import RunOptions
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of
from tests.peers.test_trec_eval import GRADES, Grades, collected
from tests.profiles import up_to

RANKED = st.dictionaries(
    st.sampled_from(["1", "2", "30"]), st.lists(st.sampled_from("abcdefghijklmno"), unique=True, min_size=1), min_size=1
).map(lambda lists: {topic: {name: -float(rank) for rank, name in enumerate(names)} for topic, names in lists.items()})
"""Runs without ties, which the programs behind ir_measures break in different ways."""


@given(grades=GRADES, scores=RANKED, rel=st.sampled_from([1, 2]))
@up_to(60)
def test_cut_and_set_measures(grades: Grades, scores: dict[str, dict[str, float]], rel: int) -> None:
    assume(grades.keys() & scores.keys())
    theirs: dict[Measure, ir_measures.Measure] = {
        MAP(rel=rel) @ 3: ir_measures.AP(rel=rel) @ 3,
        RR(rel=rel) @ 1: ir_measures.RR(rel=rel) @ 1,
        RR(rel=rel) @ 3: ir_measures.RR(rel=rel) @ 3,
        SetP(rel=rel): ir_measures.SetP(rel=rel),
        SetR(rel=rel): ir_measures.SetR(rel=rel),
        SetF(rel=rel): ir_measures.SetF(rel=rel),
        SetF(rel=rel, beta=2): ir_measures.SetF(rel=rel, beta=4.0),
        SetP(rel=rel, judged_only=True): ir_measures.SetP(rel=rel, judged_only=True),
        SetF(rel=rel, judged_only=True): ir_measures.SetF(rel=rel, judged_only=True),
    }
    found = scores_of(collected(grades, scores), [Condition(measure) for measure in theirs], RunOptions())
    expected = {(metric.measure, metric.query_id): metric.value for metric in ir_measures.iter_calc(list(theirs.values()), grades, scores)}
    for measure, other in theirs.items():
        (row,) = found.matrix(str(measure))
        # what is undefined here counts 0 there
        of_topics = [expected.get((other, topic), 0.0) for topic in found.topics]
        np.testing.assert_allclose(np.nan_to_num(row), of_topics, rtol=0, atol=1e-12, err_msg=str(measure))
