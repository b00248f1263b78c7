"""Reading tables of links."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, read_links
from inexmetrics.reading.structures import links_of

ROWS = [("a", "/x[1]/y[2]", "b", None, 0.5), ("a", "/x[1]/y[2]", "c", None, 0.25), ("a", None, "b", "/x[1]/y[1]", 1.0)]
TEXT = "doc_id\tpath\tto_doc_id\tto_path\tprobability\na\t/x[1]/y[2]\tb\t\t0.5\na\t/x[1]/y[2]\tc\t\t0.25\na\t/x[1]\tb\t/x[1]/y[1]\t1\n"


@pytest.mark.parametrize("name", ["links.tsv", "links.csv", "links.tsv.gz", "links.parquet"])
def test_formats(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    text = TEXT.replace("\t", ",") if name.endswith("csv") else TEXT
    if name.endswith("parquet"):
        read_frame = pl.DataFrame(ROWS, schema=["doc_id", "path", "to_doc_id", "to_path", "probability"], orient="row")
        read_frame.write_parquet(path)
    else:
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert read_links(path).rows() == ROWS


def test_links_without_probabilities_are_equally_likely() -> None:
    table = [{"doc_id": "a", "to_doc_id": "b"}, {"doc_id": "a", "to_doc_id": "c"}, {"doc_id": "b", "to_doc_id": "a"}]
    assert links_of(table, "web")["probability"].to_list() == [0.5, 0.5, 1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("doc_id,to\na,b\n", "{path}: expected a column named to_doc_id, found doc_id, to"),
        ("doc_id,to_doc_id\na,\n", "{path}:2: to_doc_id: expected an identifier, found nothing"),
        ("doc_id,path,to_doc_id,to_path\na,/x/y,b,/x\na,,b,p[1]\n", '{path}:3: to_path: expected a path that starts with /, found "p[1]"'),
        (
            "doc_id,to_doc_id\na,b\na,b\n",
            "{path}:3: expected one link for document a, target document b, found a second one (the first is on line 2)",
        ),
        ("doc_id,to_doc_id,probability\na,b,1.5\n", '{path}:2: probability: expected a probability above 0 and at most 1, found "1.5"'),
        ("doc_id,to_doc_id,probability\na,b,often\n", '{path}:2: probability: expected a probability above 0 and at most 1, found "often"'),
        ("doc_id,to_doc_id,probability\na,b,nan\n", '{path}:2: probability: expected a probability above 0 and at most 1, found "nan"'),
        ("", "{path}: expected a header and rows, found nothing"),
    ],
)
def test_what_is_no_link(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text(text)
    with pytest.raises(CollectionError) as caught:
        read_links(path)
    assert str(caught.value) == message.format(path=path)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match=r"expected a file or folder, found nothing with this name"):
        read_links(tmp_path / "nowhere")
    (tmp_path / "one.csv").write_text("doc_id,to_doc_id\na,b\n")
    with pytest.raises(CollectionError, match=r"^expected a file of links, found the folder"):
        read_links(tmp_path)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(CollectionError, match=r"expected a readable Parquet file, found: "):
        read_links(tmp_path / "bad.parquet")
