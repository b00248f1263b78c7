"""Files of scores as spreadsheet programs write them: notations of numbers, titles, empty rows and encodings."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from inexmetrics import CollectionError, CollectionWarning, scores_from


def error_of(path: Path, content: str | bytes) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CollectionError) as error:
        scores_from(path)
    return str(error.value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scores.csv"


POINT = ", with a decimal point and without thousands separators"


@pytest.mark.parametrize(
    ("cell", "advice"),
    [
        ("50.1%", "write 50.1 without the percent sign"),
        ("50,1", f"write 50.1{POINT}"),
        ("-0,123", f"write -0.123{POINT}"),
        ("1,250", f"write 1.250 or 1250{POINT}"),
        ("1,250.5", f"write 1250.5{POINT}"),
        ("1.250,5", f"write 1250.5{POINT}"),
        ("1,250,000", f"write 1250000{POINT}"),
        ("50,1 %", f"write 50.1 without the percent sign{POINT}"),
    ],
)
def test_numbers_in_other_notations(path: Path, cell: str, advice: str) -> None:
    expected = f'expected a finite number, found "{cell}"; {advice}'
    assert error_of(path, f'topic,a,b\n1,0.5,1\n2,"{cell}",0.5\n') == f"{path}:3: run a: {expected}"
    assert error_of(path, f'run_id,topic_id,score\na,1,"{cell}"\n') == f"{path}:2: topic 1: score: {expected}"


class TestThousands:
    @pytest.mark.parametrize("text", ["topic;a;b\n1;903;1.250\n2;500;800\n", "run_id;topic_id;score\na;1;1.250\na;2;903\n"])
    def test_dots_that_probably_separate_thousands(self, path: Path, text: str) -> None:
        path.write_text(text)
        with pytest.warns(CollectionWarning) as caught:
            scores_from(path)
        expected = f"{path}:2: found 1.250 beside 903, and the dot is read as a decimal point; if the dot separates thousands, write 1250"
        assert expected in [str(warning.message) for warning in caught]

    @pytest.mark.parametrize(
        "text",
        [
            "topic,a,b\n1,903,1.250\n2,500,800\n",
            "topic;a;b\n1;903;1.25\n2;500;1.250\n",
            "topic;a;b\n1;903;0.250\n2;500;1.250\n",
            "topic;a;b\n401;3;1.250\n402;2;1.125\n",
        ],
    )
    def test_other_dots(self, path: Path, text: str) -> None:
        path.write_text(text)
        assert scores_from(path).warnings == ()


TITLE = "if a title stands above the header, delete the line of the title"


def test_a_title_above_the_header(path: Path) -> None:
    assert error_of(path, "My board,,\ntopic,a,b\n1,0.5,0.25\n") == (
        f'{path}:1: expected a name for each column, found 2 columns without a name in the header "My board,,"; {TITLE}'
    )
    assert error_of(path, "My board\ntopic,a,b\n1,0.5,0.25\n") == (
        f'{path}:1: expected 1 value as in the header "My board", found 3 in each other line; {TITLE}'
    )


@pytest.mark.parametrize(("text", "line"), [("topic,a,b\n1,.5,.25\n2,.5,.5\n,,\n", 4), ("run,topic,score\na,1,.5\n,,\na,2,.5\n", 3)])
def test_an_empty_row(path: Path, text: str, line: int) -> None:
    assert error_of(path, text).startswith(f"{path}:{line}: ")
    assert "expected an identifier, found nothing" in error_of(path, text)


def test_names_that_differ_in_spaces(path: Path) -> None:
    assert error_of(path, "topic,b,b \n1,.5,.25\n") == (
        f"{path}:1: expected each column once, found b twice; spaces around a name are ignored, so rename one of the columns"
    )


@pytest.mark.parametrize(("encoding", "byte"), [("utf-16", "0xff"), ("latin-1", "0xe9")])
def test_other_encodings(path: Path, encoding: str, byte: str) -> None:
    found = error_of(path, "topic,é,b\n1,.5,.25\n".encode(encoding))
    assert found == f"{path}:1: expected UTF-8 text, found the byte {byte}; save the file as UTF-8"


def test_a_spreadsheet(path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    for name in ("board.xlsx", "board.csv"):
        found = error_of(path.with_name(name), content.getvalue())
        assert (
            found == f"{path.with_name(name)}: expected a text file, found a spreadsheet or another Office document; save the sheet as CSV"
        )
