"""The sample's scores with its topics in three datasets, for experiments that need a column of datasets."""

from __future__ import annotations

from functools import cache

import polars as pl

from inexmetrics import Collection, Scores, run, sample, scores_from

__all__ = ["sample_in_datasets", "source_of"]

SCORED = "scores(MAP + P@10 + MAP(rel=2))"


@cache
def sample_in_datasets() -> Scores:
    """Return scores of the sample's runs under three measures; its 30 topics belong to the datasets x, y and z in turn."""
    rows = run(SCORED, sample()).named("per_topic")
    topics = rows["topic_id"].unique().sort().to_list()
    of_topic = {topic: "xyz"[place % 3] for place, topic in enumerate(topics)}
    return scores_from(rows.with_columns(dataset=pl.col("topic_id").replace_strict(of_topic)), clusters="dataset")


def source_of(formula: str) -> Collection | Scores:
    """Return the sample, or its scores in datasets for a formula that asks for these."""
    return sample_in_datasets() if "within=" in formula else sample()
