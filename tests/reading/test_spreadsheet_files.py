"""Files of scores as spreadsheet programs write them: notations of numbers, titles, empty rows and encodings."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import ClassVar

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


@pytest.mark.parametrize(
    ("cell", "advice"),
    [
        ("50,1", "write 50.1"),
        ("-0,123", "write -0.123"),
        ("1,250", "write 1.250 or 1250"),
        ("1,250.5", "write 1250.5"),
        ("1.250,5", "write 1250.5"),
        ("1,250,000", "write 1250000"),
        ("50,1 %", "write 50.1"),
        ("8.25±0.5", "write 8.25"),
        ("8,25 ± 0,5", "write 8.25"),
        ("31% (4)", "write 31"),
        ("0.64 +/- 0.02 %", "write 0.64"),
        ("\N{MINUS SIGN}0.75", "write -0.75"),
        (".62†", "write .62"),
        ("1.250.000", "write 1250000"),
    ],
)
def test_numbers_in_other_notations(path: Path, cell: str, advice: str) -> None:
    expected = f'expected a finite number, found "{cell}"; {advice}'
    assert error_of(path, f'topic,a,b\n1,0.5,1\n2,"{cell}",0.5\n') == f"{path}:3: run a: {expected}"
    assert error_of(path, f'run_id,topic_id,score\na,1,"{cell}"\n') == f"{path}:2: topic 1: score: {expected}"


class TestWholeColumns:
    """A column whose numbers are all in a notation that is not read is not taken for text."""

    FORMS: ClassVar[dict[str, tuple[str, str]]] = {
        # the form of a cell, and the first cell, 61.5, with the advice
        "{}%": ("61.5%", "write 61.5"),
        "{} %": ("61.5 %", "write 61.5"),
        "{} ± 2.5": ("61.5 ± 2.5", "write 61.5"),
        "{}*": ("61.5*", "write 61.5"),
        "{} (0.5)": ("61.5 (0.5)", "write 61.5"),
        ",": ("61,5", "write 61.5"),
        ",%": ("61,5%", "write 61.5"),
    }

    def cell(self, form: str, number: float) -> str:
        return f"{number}".replace(".", ",") + form[1:] if form.startswith(",") else form.format(number)

    @pytest.mark.parametrize("form", [form for form in FORMS if form not in ("{}%", "{} %")])
    @pytest.mark.parametrize("names", ["topic", "model"])
    def test_all_columns(self, path: Path, form: str, names: str) -> None:
        cells = [self.cell(form, number) for number in (61.5, 24.25, 80.75, 33.5)]
        shown, advice = self.FORMS[form]
        found = f'found sea, sky (numbers such as "{shown}"), which cannot be read as numbers; {advice}'
        text = f"{names};sea;sky\nq1;{cells[0]};{cells[1]}\nq2;{cells[2]};{cells[3]}\n"
        assert error_of(path, text) == f"{path}:2: expected scores, {found}"

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("names", ["topic", "model"])
    def test_one_column(self, path: Path, form: str, names: str) -> None:
        cells = [self.cell(form, number) for number in (61.5, 24.25)]
        shown, advice = self.FORMS[form]
        text = f"{names};sea;sky\nq1;0.5;NA\nq2;0.25;{cells[0]}\nq3;0.75;{cells[1]}\n"
        found = f'found sky (numbers such as "{shown}"), which cannot be read as numbers; {advice}'
        assert error_of(path, text) == f'{path}:3: expected scores, {found}, ignore="sky" (--ignore sky) excludes it'
        assert len(scores_from(path, ignore="sky").topics) == (3 if names == "topic" else 1)
        with pytest.raises(CollectionError, match=r"(run|topic) sky: expected"):
            scores_from(path, keep="sky")
        selected = scores_from(path, only_runs="sea") if names == "topic" else scores_from(path, only_topics="sea")
        assert selected.warnings == ()

    def test_several_notations_and_other_doubts(self, path: Path) -> None:
        text = "model;sea;sky;sun;Rank\nash;4%;7 ± 1;.5;1\nbay;9%;8 ± 2;.25;2\n"
        message = error_of(path, text)
        assert "found Rank (by name), which is probably not scores, and sea (numbers such as" in message
        assert "write 4, write 7, ignore=" in message
        assert "--ignore Rank sea sky" in message

    def test_without_a_heading_of_the_list(self, path: Path) -> None:
        message = error_of(path, "name,sea,sky\nash,4%*,7%*\nbay,9%*,8%*\n")
        assert 'runs="name" (--runs-column name) reads the column name as runs, and sea, sky as topics' in message
        with pytest.raises(CollectionError, match=r"sea, sky \(numbers such as .*; write 4$"):
            scores_from(path, runs="name")

    @pytest.mark.parametrize("sign", ["%", " %", "\N{NO-BREAK SPACE}%"])
    def test_percentages_beside_percentages_are_numbers(self, path: Path, sign: str) -> None:
        signed = f"model,sea,sky,sun\nash,31.5{sign},52.25,7{sign}\nbay,-4.25{sign},61.75,80.5{sign}\n"
        path.write_text(signed)
        found = scores_from(path)
        assert found.matrix("x").tolist() == [[31.5, 52.25, 7.0], [-4.25, 61.75, 80.5]]
        assert found.read[0].notes == ("percent signs in sea, sun not read",)
        path.write_text(signed.replace(sign, ""))
        assert scores_from(path).fingerprint == found.fingerprint
        one = signed.replace(f"80.5{sign}", "80.5")  # a column whose cells do not agree
        assert 'expected a finite number, found "7' in error_of(path, one)

    def test_percentages_alone_in_long_tables_and_as_measures(self, path: Path) -> None:
        path.write_text("run_id,topic_id,score\na,1,0.5%\na,2,75%\nb,1,2%\nb,2,7.5%\n")
        assert scores_from(path).matrix("x").tolist() == [[0.5, 75.0], [2.0, 7.5]]
        path.write_text("question_id,recall,faith\n1,0.5,62%\n2,0.25,75%\n")
        assert scores_from(path, measures=("recall", "faith")).matrix("faith").tolist() == [[62.0, 75.0]]

    def test_words_beside_percentages_are_missing_only_if_it_is_stated(self, path: Path) -> None:
        text = "model,sea,sky\nash,31.5%,52.25\nbay,NA,61.75\nelm,40%,50.5\n"
        assert 'sea (numbers such as "31.5%"), which cannot be read as numbers' in error_of(path, text)
        with pytest.warns(CollectionWarning, match=r"1 run of 3 without a score on some topics is excluded \(bay\)"):
            found = scores_from(path, missing_values="NA", missing="drop-runs")
        assert found.matrix("x").tolist() == [[31.5, 52.25], [40.0, 50.5]]

    @pytest.mark.parametrize("other", ["0.5,0.25", "1,0"])
    def test_percentages_beside_fractions_are_doubted(self, path: Path, other: str) -> None:
        first, second = other.split(",")
        message = error_of(path, f"model,sea,sky\nash,{first},61.5%\nbay,{second},52%\n")
        assert 'sky (numbers such as "61.5%"), which cannot be read as numbers; write 61.5' in message

    def test_names_with_percent_signs(self, path: Path) -> None:
        message = error_of(path, "cut,sea,sky\n10%,.5,.75\n20%,.25,.5\n")
        assert 'topics="cut" (--topics-column cut) reads cut as topics' in message
        assert scores_from(path, topics="cut").topics == ("10%", "20%")

    @pytest.mark.parametrize("cells", [("4.0.1", "4.1.2"), ("2025-01", "2025-02"), ("7B", "8B"), ("MIT", "9%x")])
    def test_other_text(self, path: Path, cells: tuple[str, str]) -> None:
        message = error_of(path, f"topic,sea,sky\nash,.5,{cells[0]}\nbay,.25,{cells[1]}\n")
        assert f'sky (text, such as "{cells[0]}"), which is probably not scores; ignore="sky"' in message


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


@pytest.mark.parametrize("end", ["", ",", ",,,", ';;""'])
@pytest.mark.parametrize("table", ["system,law,news\np,.5,.25\n{}q,.25,.75\n{}", "system,topic,score\np,1,.5\n{0}q,1,.75\n{0}{0}"])
def test_rows_and_columns_that_contain_nothing(path: Path, table: str, end: str) -> None:
    separator = ";" if ";" in end else ","
    lines = table.replace(",", separator).format(*[f"{separator * 2}\n"] * 2).splitlines()
    path.write_text("".join(line + end + "\n" for line in lines))
    assert scores_from(path).runs == ("p", "q")
    path.write_text(path.read_text().replace(f"q{separator}", separator, 1))
    with pytest.raises(CollectionError, match=rf"{path}:4: .*expected an identifier, found nothing"):
        scores_from(path)
    assert "found only a header and empty rows" in error_of(path, f"system,law{end}\n,{end}\n".replace(",", separator))


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


@pytest.mark.parametrize("rows", [["qid,ash,bay", "u,0.75,0.5", "w,0.5,0.25"], ["system,qid,score", "u,7,0.5", "w,7,0.25"]])
def test_an_empty_column_without_a_heading_is_not_read(rows: list[str], path: Path) -> None:
    path.write_text("\n".join(rows))
    expected = scores_from(path)
    path.write_text("\n".join(f"{line}," for line in rows))
    found = scores_from(path)
    assert (found.runs, found.topics, found.read[0].notes) == (expected.runs, expected.topics, expected.read[0].notes)


def test_headers_of_pandas_and_tables_in_markdown(path: Path) -> None:
    assert "found f1 twice; write the lines of the header in one" in error_of(path, ",f1,f1\nrun,u,v\nqid,,\na,0.5,0.25\n")
    text = "| qid | ash |\n|:---|---:|\n| a | 0.5 |\n"
    assert "found a table in Markdown; write commas between the cells" in error_of(path, text)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_commas_in_names_do_not_separate(path: Path, separator: str) -> None:
    path.write_text("topic;law, civil;news, sport, arts\r\n1, a;0.5;0.25\r\n2;0.75;1\r\n".replace(";", separator), newline="")
    read = scores_from(path)
    assert (read.runs, read.topics) == (("law, civil", "news, sport, arts"), ("1, a", "2"))
    path.write_text("1, b;0,5;0,25\n2;0,75;1,5\n".replace(";", separator))
    with pytest.raises(CollectionError, match=r'found column_2, column_3 .numbers such as "0,5".*; write 0\.5$'):
        scores_from(path, header=False)
