"""The sample, written in every format and read again, gives every measure with the same bits."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from inexmetrics import (
    Collection,
    CollectionWarning,
    from_frames,
    group_by_document,
    read_assessments,
    read_runs,
    read_structure,
    run,
    sample,
)

OF_TEXT = "scores(MAiP + iP@0.01 + char_f1 + MAgP + MAgPsize + iGP + MAP + nDCG@10 + RR + MAEPRUM)"
OF_ELEMENTS = 'scores(MAep + MAep(task="focused") + nxCG@10 + iMAep + inex_eval + MAEPRUM + MAP ~ Gen5 + BinExh)'


def grouped() -> Collection:
    part = sample().only(runs=["group01-a", "group01-b"])
    assert part.runs is not None
    return Collection(part.assessments, group_by_document(part.runs), part.structure)


def write_runs(results: pl.DataFrame, folder: Path) -> None:
    """Writes each run as a FOL run, an XPath run and a submission, in folders with these names."""
    for kind in ("fol", "xpath", "xml"):
        (folder / kind).mkdir()
    for (run_id,), rows in results.cast({"run_id": pl.String, "topic_id": pl.String}).group_by("run_id", maintain_order=True):
        lines: dict[str, list[str]] = {"fol": [], "xpath": [], "xml": [f'<inex-submission run-id="{run_id}">']}
        for place, row in enumerate(rows.iter_rows(named=True), start=1):
            six = f"{row['topic_id']} Q0 {row['doc_id']} {place} {row['score']!r} {run_id}"
            lines["fol"].append(f"{six} {row['start']} {row['length']}")
            lines["xpath"].append(f"{six} {row['path']}")
            told = f"<file>{row['doc_id']}</file><path>{row['path']}</path><rsv>{row['score']!r}</rsv>"
            lines["xml"].append(f'<topic topic-id="{row["topic_id"]}"><result>{told}</result></topic>')
        lines["xml"].append("</inex-submission>")
        for kind, written in lines.items():
            (folder / kind / str(run_id)).write_text("\n".join(written) + "\n")


def write_assessments(collection: Collection, folder: Path) -> None:
    """Writes elements, passages, grades and judgements by assessors as INEX XML, FOL qrels and qrels."""
    folder.mkdir()
    judged = collection.assessments
    assert judged.elements is not None
    assert judged.documents is not None
    assert judged.passages is not None
    assert judged.grades is not None
    assert judged.assessors is not None
    passages = judged.passages.group_by("topic_id", "doc_id", maintain_order=True).agg(
        written=pl.format("{}:{}", "start", "length").str.join(" ")
    )
    lines = []
    for topic, doc, relchars, docchars, bep, written in judged.documents.join(passages, on=["topic_id", "doc_id"], how="left").iter_rows():
        lines.append(f"{topic} Q0 {doc} {relchars} {docchars}" + (f" {-1 if bep is None else bep} {written}" if written else ""))
    (folder / "fol").write_text("\n".join(lines) + "\n")
    (folder / "grades").write_text("".join(f"{topic} 0 {doc} {grade!r}\n" for topic, doc, grade in judged.grades.iter_rows()))
    (folder / "named").write_text("".join(f"{' '.join(row[:3])} {row[3]!r}\n" for row in judged.assessors.iter_rows()))
    for (topic,), rows in judged.elements.group_by("topic_id", maintain_order=True):
        written = []
        for row in rows.iter_rows(named=True):
            told = {"path": row["path"], "exhaustivity": row["exhaustivity"], "specificity": repr(row["specificity"]), "size": row["size"]}
            named = " ".join(f'{name}="{value}"' for name, value in told.items())
            written.append(f'<file collection="c" name="{row["doc_id"]}"><element {named}/></file>')
        (folder / f"{topic}.xml").write_text(f'<assessments topic="{topic}" version="2">{"".join(written)}</assessments>')


@pytest.mark.filterwarnings(f"ignore:.*contradicts? the ranking:{CollectionWarning.__module__}.{CollectionWarning.__name__}")
def test_files_of_every_kind_give_the_same_bits(tmp_path: Path) -> None:
    here = grouped()
    assert here.runs is not None
    assert here.structure is not None
    write_runs(here.runs.results, tmp_path)
    write_assessments(here, tmp_path / "judged")
    here.structure.elements.write_csv(tmp_path / "structure.tsv", separator="\t")
    here.structure.elements.write_parquet(tmp_path / "structure.parquet")
    judged = read_assessments(tmp_path / "judged")
    places = [read_structure(tmp_path / f"structure.{kind}") for kind in ("tsv", "parquet")]
    assert {
        Collection(held, None, structure).fingerprint for held in (judged, here.assessments) for structure in (*places, here.structure)
    } == {here.with_runs(None).fingerprint}
    by_text, by_element = run(OF_TEXT, here).tables["per_topic"], run(OF_ELEMENTS, here).tables["per_topic"]
    for kind, structure in (("xpath", places[0]), ("xml", places[1])):
        read = Collection(judged, read_runs(tmp_path / kind), structure)
        assert run(OF_TEXT, read).tables["per_topic"].equals(by_text), kind
        assert run(OF_ELEMENTS, read).tables["per_topic"].equals(by_element), kind
    assert run(OF_TEXT, Collection(judged, read_runs(tmp_path / "fol"))).tables["per_topic"].equals(by_text)
    framed = from_frames(judged, here.runs.results, here.structure.elements, order="file")
    assert framed.fingerprint == here.fingerprint
    assert run(OF_ELEMENTS, framed).tables["per_topic"].equals(by_element)
