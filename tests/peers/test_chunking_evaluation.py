"""Character measures that count repeated text, compared with Chroma's chunking_evaluation."""

from __future__ import annotations

import polars as pl
import pytest

from inexmetrics import char_iou, char_prec, char_rec, from_frames, run, scores

# Start and end of each span of evidence, all in document h; document, start and end of each chunk, best first.
QUESTIONS: dict[str, tuple[list[tuple[int, int]], list[tuple[str, int, int]]]] = {
    "1": ([(900, 1100), (2100, 2200)], [("h", 800, 1200), ("f", 0, 400), ("h", 1000, 1400), ("h", 2000, 2400)]),
    "2": ([(120, 377), (410, 1003), (1500, 1571)], [("h", 0, 400), ("h", 200, 600), ("h", 400, 800), ("h", 600, 1000)]),
    "3": ([(50, 60)], [("h", 60, 260), ("h", 0, 50), ("h", 55, 58), ("h", 53, 58)]),
    "4": ([(10, 210), (310, 337)], [("h", 0, 1000), ("h", 5, 1005), ("f", 10, 210)]),
    "5": ([(700, 950)], [("f", 700, 950), ("h", 0, 250)]),
    "6": ([(33, 97), (131, 200), (201, 205)], [("h", 90, 140), ("h", 30, 95), ("h", 120, 203)]),
}

# IoU, recall and precision as `BaseEvaluation._scores_from_dataset_and_retrievals(question_metadatas, counts)` returns them, counts
# being all chunks of each question (chunking_evaluation at commit 35440b84; its functions of ranges and this one, run by themselves).
CHUNKING_EVALUATION = {
    "1": (0.1875, 1.0, 0.1875),
    "2": (0.505973715651135, 0.9196525515743756, 0.529375),
    "3": (0.019011406844106463, 0.5, 0.01937984496124031),
    "4": (0.10318181818181818, 1.0, 0.10318181818181818),
    "5": (0.0, 0.0, 0.0),
    "6": (0.675, 0.9854014598540146, 0.6818181818181818),
}


def test_its_values() -> None:
    measures = (char_iou(repeated="counts"), char_rec(repeated="counts"), char_prec(repeated="counts"))
    evidence = [(question, "h", *span) for question, (spans, _) in QUESTIONS.items() for span in spans]
    chunks = [(question, *chunk) for question, (_, found) in QUESTIONS.items() for chunk in found]
    collection = from_frames(
        pl.DataFrame(evidence, schema=["query_id", "doc_id", "start", "end"], orient="row"),
        pl.DataFrame(chunks, schema=["query_id", "doc_id", "start", "end"], orient="row"),
    )
    table = run(scores(measures), collection).per_topic
    for place, measure in enumerate(measures):
        found = dict(table.filter(measure=str(measure)).select("topic_id", "score").iter_rows())
        assert found == pytest.approx({question: values[place] for question, values in CHUNKING_EVALUATION.items()}, rel=1e-15)
