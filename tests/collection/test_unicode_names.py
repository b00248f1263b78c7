"""Names of documents that are equal only after Unicode normalisation."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final

import pytest

from inexmetrics import CollectionWarning, from_frames
from inexmetrics.cli import main

if TYPE_CHECKING:
    from pathlib import Path

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"
WARNING: Final = (
    r"^1 document name of the runs equals a judged one only after Unicode normalisation, such as 'cafe\\u0301'; "
    r"as written they match no judgement: write the names of both in one form \(NFC\)$"
)


def test_names_in_two_forms_are_counted() -> None:
    with pytest.warns(CollectionWarning, match=WARNING):
        from_frames({"1": {COMPOSED: 1, "b": 0}}, {"1": {DECOMPOSED: 2.0, "b": 1.0, "\u00fc": 0.5}})
    with pytest.warns(CollectionWarning, match=WARNING):
        from_frames({"human": {"1": {COMPOSED: 1, "b": 0}}}, {"1": {DECOMPOSED: 2.0, "b": 1.0}})


def test_names_that_match_or_differ_otherwise_are_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_frames({"1": {COMPOSED: 1, DECOMPOSED: 1, "b": 0}}, {"1": {DECOMPOSED: 2.0, "b": 1.0}})
        from_frames({"1": {"b": 0}}, {"1": {DECOMPOSED: 2.0, COMPOSED: 1.5, "b": 1.0}})
        from_frames({"1": {COMPOSED: 1, "b": 0}}, {"1": {"cafe": 2.0, "b": 1.0}})


def test_check_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text(f"1 0 {COMPOSED} 1\n1 0 b 0\n", encoding="utf-8")
    (tmp_path / "r").write_text(f"1 Q0 {DECOMPOSED} 1 2.0 r\n1 Q0 b 2 1.0 r\n", encoding="utf-8")
    assert main(["check", "--assessments", str(tmp_path / "q"), "--runs", str(tmp_path / "r")]) == 0
    assert "warning: 1 document name of the runs equals a judged one only after" in capsys.readouterr().out
