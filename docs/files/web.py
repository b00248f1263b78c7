"""Links of one's own: where readers went from the documents of a small collection."""

import polars as pl

from inexmetrics import links, read_links


@links
def clicks() -> pl.DataFrame:
    """Where readers went, as the log of a site tells it."""
    return read_links("clicks.csv")
