"""Files of scores: measures in columns, JSON, files without headings, and selections before scores are compared."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, run, scores_from
from inexmetrics.cli import main
from inexmetrics.cli.arguments import Data
from inexmetrics.cli.sources import python_of
from inexmetrics.common.messages import option

ROWS = [("a", "q1", 1.0), ("a", "q2", 0.5), ("b", "q1", 0.0), ("b", "q2", 0.25)]
MATRIX = [[1.0, 0.5], [0.0, 0.25]]


def written(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def means(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, float]:
    assert main([*arguments, "--format", "json"]) == 0
    return {row["run_id"]: row["mean"] for row in json.loads(capsys.readouterr().out)["tables"]["scores"]}


class TestMeasures:
    """A row is a topic, a column a measure, and a file a run."""

    text = "query_id,faithfulness,mrr,answer\nq1,1.0,0.5,long\nq2,0.5,1,short\nq3,0.2,0.25,short\nq4,0.75,1,\n"

    def test_one_file(self, tmp_path: Path) -> None:
        found = scores_from(written(tmp_path, self.text, "base.csv"), measures=("faithfulness", "mrr"))
        assert (found.runs, found.topics) == (("base",), ("q1", "q2", "q3", "q4"))
        assert found.conditions == (("faithfulness", "1"), ("mrr", "1"))
        assert found.matrix("mrr").tolist() == [[0.5, 1, 0.25, 1]]
        layout = found.read[0]
        assert layout.format == "a table of measures"
        assert dict(layout.columns) == {"topic_id": "query_id", "the measure faithfulness": "faithfulness", "the measure mrr": "mrr"}
        assert layout.notes == ("not read: answer",)

    def test_several_files_are_several_runs(self, tmp_path: Path) -> None:
        paths = [written(tmp_path, self.text.replace("0.2,", f"{place}.5,"), f"{name}.csv") for place, name in enumerate(("x", "y"))]
        with pytest.raises(CollectionError) as error:
            scores_from(paths, ignore="answer")
        assert "expected one score of each run for each topic, found 8 second scores (" in str(error.value)
        assert 'measures=("faithfulness", "mrr") (--measures faithfulness mrr) reads these columns as measures' in str(error.value)
        found = scores_from(paths, measures="faithfulness")
        assert found.matrix("faithfulness").tolist() == [[1.0, 0.5, 0.5, 0.75], [1.0, 0.5, 1.5, 0.75]]
        assert run('versus("y", given("faithfulness"))', found).table["difference"].item() == 0.25

    def test_files_of_the_same_name_are_named(self, tmp_path: Path) -> None:
        paths = [tmp_path / folder / "scores.csv" for folder in ("old", "new")]
        for path in paths:
            path.parent.mkdir()
            written(path.parent, self.text, path.name)
        with pytest.raises(CollectionError) as error:
            scores_from(paths, measures="mrr")
        ways = 'rename the files, or tables as in {"NAME": table}, or add a column run_id'
        assert f"found {paths[0]} and {paths[1]} for run scores; {ways}" in str(error.value)

    def test_a_column_of_runs_names_the_runs(self) -> None:
        table = pl.DataFrame(ROWS, schema=["model", "topic", "f1"], orient="row")
        assert scores_from(table, measures="f1").matrix("f1").tolist() == MATRIX
        assert scores_from({"x": table.drop("model")[:2], "y": table.drop("model")[2:]}, measures="f1").matrix("f1").tolist() == MATRIX

    @pytest.mark.parametrize(
        ("formula", "mean"),
        [('scores(given("faithfulness"))', 0.6125), ("scores(RR)", 0.6875), ('scores(given("mrr"))', 0.6875), ("ranks(RR)", None)],
    )
    def test_a_formula_states_it(self, formula: str, mean: float | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = written(tmp_path, self.text, "base.csv")
        other = written(tmp_path, self.text, "other.csv")
        if mean is None:
            assert main([formula, "--scores", str(path), str(other), "--format", "csv"]) == 0
            return
        assert means(capsys, formula, "--scores", str(path)) == {"base": mean}
        assert main([formula, "--scores", str(path), "--report", str(tmp_path / "r.html")]) == 0
        column = "faithfulness" if "faith" in formula else "mrr"
        assert f"measures=[&quot;{column}&quot;]" in (tmp_path / "r.html").read_text()

    def test_another_formula_asks(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = written(tmp_path, self.text, "base.csv")
        assert main(['scores(given("faithfulnes"))', "--scores", str(path), "--ignore", "answer"]) == 1
        assert 'did you mean given("faithfulness")?' in capsys.readouterr().err
        assert main(['scores(given("faithfulness"))', "--scores", str(path), "--topics-column", "query_id", "--keep", "mrr", "answer"]) == 0

    def test_without_a_column_of_topics(self, tmp_path: Path) -> None:
        text = "question,app_id,Groundedness\nwhy?,v1,0.5\nhow?,v1,1\nwhy?,v2,0.25\nhow?,v2,0.75\n"
        path = written(tmp_path, text, "records.csv")
        with pytest.raises(CollectionError) as error:
            scores_from(path, measures="Groundedness")
        expected = (
            'measures="Groundedness", topics="question", columns={"app_id": "run_id"} (--measures Groundedness --topics-column question '
        )
        assert expected in str(error.value)
        found = scores_from(path, measures="Groundedness", topics="question", columns={"app_id": "run_id"})
        assert found.matrix("Groundedness").tolist() == [[1, 0.5], [0.75, 0.25]]

    def test_a_column_that_is_missing(self, tmp_path: Path) -> None:
        with pytest.raises(CollectionError, match=r"expected a column named faithfull \(measures\), .*did you mean faithfulness[?]"):
            scores_from(written(tmp_path, self.text, "base.csv"), measures="faithfull")


class TestJson:
    records = tuple({"run_id": name, "topic_id": topic, "score": score} for name, topic, score in ROWS)
    split: Mapping[str, object] = {"columns": ["topic_id", "a", "b"], "data": [["q1", 1, 0], ["q2", 0.5, 0.25]]}
    nested: Mapping[str, object] = {"a": {"q1": 1, "q2": 0.5}, "b": {"q1": 0, "q2": 0.25}}
    deep: Mapping[str, object] = {
        "a": {"q1": {"ok": True, "cost": 3}, "q2": {"ok": 0.5, "cost": 2}},
        "b": {"q1": {"ok": False, "cost": 1}, "q2": {"ok": 0.25, "cost": 0}},
    }

    @pytest.mark.parametrize("shape", ["lines", "array", "nested", "split", "indexed", "wide"])
    def test_shapes(self, shape: str, tmp_path: Path) -> None:
        wide = [{"topic": "q1", "a": 1, "b": 0}, {"topic": "q2", "a": 0.5, "b": 0.25}]
        text = {
            "lines": "\n".join(map(json.dumps, self.records)),
            "array": json.dumps(self.records, indent=1),
            "nested": json.dumps(self.nested),
            "split": json.dumps(self.split),
            "indexed": json.dumps({**self.split, "index": [0, 1]}),
            "wide": "\n".join(map(json.dumps, wide)) + "\n",
        }[shape]
        for name in ("s.json", "s.jsonl"):
            found = scores_from(written(tmp_path, text, name))
            assert (found.runs, found.topics, found.matrix("x").tolist()) == (("a", "b"), ("q1", "q2"), MATRIX)

    def test_the_same_values_in_python(self) -> None:
        for source in (list(self.records), self.nested, self.split, {**self.split, "index": [0, 1]}):
            assert scores_from(source).matrix("x").tolist() == MATRIX
        tables = {name: [{"topic": topic, "score": score} for run_id, topic, score in ROWS if run_id == name] for name in "ab"}
        assert scores_from(tables).matrix("x").tolist() == MATRIX

    def test_records_below_runs_and_topics(self, tmp_path: Path) -> None:
        path = written(tmp_path, json.dumps(self.deep), "s.json")
        for source in (path, self.deep):
            with pytest.raises(CollectionError, match=r'columns={"ok": "score"} .*measures=\("ok", "cost"\) \(--measures ok cost\)'):
                scores_from(source)
            assert scores_from(source, columns={"ok": "score"}).matrix("x").tolist() == MATRIX
            assert scores_from(source, measures=("ok", "cost")).matrix("cost").tolist() == [[3, 2], [1, 0]]

    @pytest.mark.parametrize("form", ["lines", "array", "python"])
    def test_paths_into_records(self, form: str, tmp_path: Path) -> None:
        records = [{"model": {"id": name}, "sample_id": topic, "evaluation": {"score": score, "by": ["x"]}} for name, topic, score in ROWS]
        text = "\n".join(map(json.dumps, records)) if form == "lines" else json.dumps(records)
        source = records if form == "python" else written(tmp_path, text, "s.json")
        found = scores_from(source, columns={"model.id": "run_id", "evaluation.score": "score"})
        assert found.matrix("x").tolist() == MATRIX
        assert dict(found.read[0].columns) == {"run_id": "model.id", "score": "evaluation.score", "topic_id": "sample_id"}

    def test_a_path_is_recommended(self, tmp_path: Path) -> None:
        records = [{"model_id": name, "sample_id": topic, "evaluation": {"score": score}} for name, topic, score in ROWS]
        path = written(tmp_path, json.dumps(records), "s.json")
        hint = r"\(--columns model_id=run_id evaluation.score=score\) reads values of records"
        with pytest.raises(CollectionError, match=hint):
            scores_from(path)
        assert scores_from(path, columns={"model_id": "run_id", "evaluation.score": "score"}).matrix("x").tolist() == MATRIX

    @pytest.mark.parametrize("name", ["judge.csv", "judge.jsonl"])
    def test_a_table_of_three_columns_without_known_headings(self, name: str, tmp_path: Path) -> None:
        table = pl.DataFrame(ROWS, schema=["generator_2", "instruction", "preference"], orient="row").with_columns(output=pl.lit("x"))
        path = written(tmp_path, table.write_csv() if name.endswith("csv") else table.write_ndjson(), name)
        with pytest.raises(CollectionError, match=r"--columns generator_2=run_id instruction=topic_id preference=score\) reads"):
            scores_from(path)
        columns = {"generator_2": "run_id", "instruction": "topic_id", "preference": "score"}
        assert scores_from(path, columns=columns).matrix("x").tolist() == MATRIX

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('{"a": {"q1": 1}, "a": {"q2": 1}}', "expected distinct names in a JSON object, found 'a' twice"),
            ('{"experiment": "scores(MAP)", "parts": {}}', "expected scores in JSON .*, found an object with experiment, parts"),
            ("[1, 2]", "expected scores in JSON .*, found an array"),
            ('{"a": {"q1": 1, "q2": "high"}}', 'topic q2: row 1: score: expected a finite number, found "high"'),
            ('{"a": {"q1": ' + "9" * 400 + "}}", "expected a whole number below 9007199254740992"),
            ('{"columns": ["topic", "a"], "data": [["q1"]]}', "expected 2 values in each row of data, as in columns, found a row of 1"),
            ("[" * 100_000, "expected a JSON object"),
            ('{"run_id": "a", "topic_id": "1", "score": 1}\n{"run_id": 3', "s.json:2: expected a JSON object, found"),
        ],
    )
    def test_other_json(self, text: str, message: str, tmp_path: Path) -> None:
        with pytest.raises(CollectionError, match=message):
            scores_from(written(tmp_path, text, "s.json"))


class TestWithoutHeadings:
    @pytest.mark.parametrize("separator", [",", "\t", ";", "  "])
    def test_the_first_column_is_the_topics(self, separator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = written(tmp_path, "".join(separator.join(row) + "\n" for row in (("q1", "1", "0"), ("q2", "0.5", "0.25"))), "s.txt")
        found = scores_from(path, header=False)
        assert (found.runs, found.topics, found.matrix("x").tolist()) == (("column_2", "column_3"), ("q1", "q2"), MATRIX)
        assert scores_from(path, header=False, columns={"2": "a", "3": "b"}).runs == ("a", "b")
        asked = ['scores(given("x"))', "--scores", str(path)]
        assert means(capsys, *asked, "--no-header", "--columns", "2=runA") == {"runA": 0.75, "column_3": 0.125}
        long = written(tmp_path, "".join(separator.join(map(str, row)) + "\n" for row in ROWS), "long.txt")
        columns = {"1": "run_id", "2": "topic_id", "3": "score"}
        assert scores_from(long, header=False, columns=columns).matrix("x").tolist() == MATRIX

    def test_errors(self, tmp_path: Path) -> None:
        path = written(tmp_path, "q1,1,0\nq2,0.5,x\n", "s.csv")
        with pytest.raises(CollectionError, match=r's.csv:2: run column_3: expected a finite number, found "x"'):
            scores_from(path, header=False)
        with pytest.raises(CollectionError, match=r"expected numbers of the 3 columns, found 4"):
            scores_from(path, header=False, columns={"4": "a"})
        with pytest.raises(CollectionError, match=r"expected the number of a column, as in 2=bm25, .*, found q"):
            scores_from(path, header=False, columns={"q": "a"})
        with pytest.raises(CollectionError, match=r"expected text files for header=False \(--no-header\), found a table in memory"):
            scores_from(pl.DataFrame({"topic": ["1"], "a": [0.5]}), header=False)
        numbers = written(tmp_path, "401,.5,.25\n402,.25,.5\n", "n.csv")
        with pytest.raises(CollectionError, match=r"found numbers; header=False \(--no-header\) reads a table without headings"):
            scores_from(numbers)

    def test_headings_are_no_scores(self, tmp_path: Path) -> None:
        path = written(tmp_path, "frage;ql;splade\nf1;0.5;0.125\nf2;0.25;0.75\n", "h.csv")
        ask = r"h.csv:1: expected scores on the first line .*, found frage, ql, splade; without this option, the line is read as headings"
        with pytest.raises(CollectionError, match=ask):
            scores_from(path, header=False)
        assert scores_from(path, topics="frage").runs == ("ql", "splade")
        failed = written(tmp_path, "f1,failed,\nf2,0.25,0.75\n", "f.csv")
        assert scores_from(failed, header=False, missing_values="failed").topics == ("f1", "f2")


class TestSelection:
    def test_runs_and_topics(self) -> None:
        table = {"topic": ["q1", "q2", "q3"], "a": [0.5, None, 0.25], "b": [0.25, 0.5, 0.75], "c": [0.5, 1, 0.5]}
        found = scores_from(table, only_runs=("b", "c"), only_topics="q2", missing="error")
        assert (found.runs, found.topics) == (("b", "c"), ("q2",))
        with pytest.warns(CollectionWarning, match=r"1 topic of 3 .* is excluded \(q2\)"):
            assert scores_from(table, only_runs=("a", "b"), missing="drop-topics").topics == ("q1", "q3")
        with pytest.raises(CollectionError, match=r"unknown run 'd'"):
            scores_from(table, only_runs="d")

    def test_as_python(self) -> None:
        data = Data(
            scores=(Path("a.csv"),),
            only_runs=("a", "b"),
            only_topics=("q1",),
            missing="drop-topics",
            missing_values=(-1, "failed"),
            keep=("Average",),
            measures=("f1",),
            header=False,
        )
        assert python_of(data) == (
            "from inexmetrics import scores_from\n\n"
            'collection = scores_from("a.csv", measures=["f1"], keep=["Average"], missing="drop-topics", missing_values=[-1, "failed"], '
            'header=False, only_runs=["a", "b"], only_topics=["q1"])'
        )


class TestLinesThatBeginWithAHash:
    """A line of a text file that begins with # may be a comment or a name, so it is neither read nor skipped in silence."""

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("topic,ash,elm\nq1,.5,.25\n#q2,.75,.5\n", "#q2"),  # a topic
            ("model\tq1\tq2\nash\t.5\t.25\n  # elm\t.75\t.5\n", "# elm"),  # a run
            ("run_id;topic_id;score\n#ash;q1;.5\nash;q1;.25\n", "#ash"),
            ("#ash,elm\n.5,.25\n.75,.5\n", "#ash"),  # a heading
            ("#ash\n.5\n.75\n", "#ash"),  # the only column
        ],
    )
    def test_a_name_is_doubted(self, text: str, name: str, tmp_path: Path) -> None:
        path = tmp_path / "s.csv"
        path.write_text(text)
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert str(error.value) == (
            f"{path}: expected scores, found {name} (begins with #, as comments do), which is probably not scores; "
            f"{option(ignore=[name])} excludes it, {option(keep=[name])} reads it as scores"
        )
        kept = scores_from(path, keep=name)
        assert name in kept.topics or name in kept.runs

    def test_a_comment_has_another_number_of_values(self, tmp_path: Path) -> None:
        path = tmp_path / "s.csv"
        path.write_text("topic,ash,elm\n# by hand\nq1,.5,.25\n")
        with pytest.raises(CollectionError, match=r"s\.csv:2: expected 3 values as in the header, found 1"):
            scores_from(path)

    def test_above_the_heading_they_are_comments(self, tmp_path: Path) -> None:
        path = tmp_path / "s.csv"
        path.write_text("# scores of 2024\n# made, by hand\n\ntopic,ash,elm\nq1,.5,.25\n")
        read = scores_from(path)
        assert read.runs == ("ash", "elm")
        assert read.read[0].notes == ("lines that begin with # are comments",)
        for above in ("", "# scores of 2024\n"):  # the heading itself is no comment
            path.write_text(f"{above}#,system,law\n1,ash,.5\n2,elm,.25\n")
            with pytest.raises(CollectionError, match="if a title stands above the header" if above else r"found # \(by name\)"):
                scores_from(path)

    def test_many_are_one_message(self, tmp_path: Path) -> None:
        path = tmp_path / "s.csv"
        path.write_text("topic,ash\n" + "".join(f"#q{n},.{n}\n" for n in range(1, 8)))
        with pytest.raises(CollectionError, match=r"found #q1, #q2, #q3, #q4, #q5 and 2 more \(begins with #"):
            scores_from(path)

    def test_each_way_to_settle_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "s.csv"
        text = "topic,ash,elm\nq1,.5,.25\n#q2,.75,.5\nq3,.125,1\n"
        path.write_text(text)
        assert main(["check", "--scores", str(path)]) == 1
        assert "#q2 (begins with #, as comments do)" in " ".join(capsys.readouterr().out.split())
        assert scores_from(path, keep="#q2").topics == ("#q2", "q1", "q3")
        assert scores_from(path, ignore="#q2").topics == ("q1", "q3")
        path.write_text(text.replace("#q2", "no. 2"))
        assert scores_from(path).topics == ("no. 2", "q1", "q3")
        path.write_text(text.replace("#q2,.75,.5\n", ""))
        assert scores_from(path).topics == ("q1", "q3")
        path.write_text(text.replace("topic", "#topic").replace("#q2", "q2"))
        assert scores_from(path, topics="#topic").topics == ("q1", "q2", "q3")

    @pytest.mark.parametrize("separator", [",", " "])
    def test_without_headings(self, separator: str, tmp_path: Path) -> None:
        path = tmp_path / "s.txt"
        path.write_text("q1,.5,.25\n#q2,.75,.5\n".replace(",", separator))
        with pytest.raises(CollectionError, match=r"s\.txt: expected scores, found #q2 \(begins with #"):
            scores_from(path, header=False)
        assert scores_from(path, header=False, keep="#q2").topics == ("#q2", "q1")

    def test_a_hash_elsewhere(self, tmp_path: Path) -> None:
        path = tmp_path / "s.csv"
        path.write_text('topic,a#,#b\n"q\n#1",.5,.25\nq#2,.75,.5\n')
        read = scores_from(path)
        assert (read.runs, read.topics) == (("#b", "a#"), ("q\n#1", "q#2"))
        path.write_text("#,Model,q1,q2\n1,ash,.5,.25\n2,elm,.75,.5\n")
        with pytest.raises(CollectionError, match=r'found # \(by name\), which is probably not scores; ignore="#"'):
            scores_from(path)


def test_the_documentation_fits_on_a_screen_or_two() -> None:
    text = scores_from.__doc__ or ""
    assert len(text) <= 3000
    for name in inspect.signature(scores_from).parameters:
        assert f"\n        {name}: " in text
    assert "\n    Returns:\n" in text


def test_values_that_mean_no_score_are_numbers_or_words() -> None:
    table = {"topic": ["q1", "q2", "q3"], "a": [0.5, -1, 0.25], "b": [0.25, 0.5, 0.75]}
    for wrong in ((None,), (True,), {"a": 1}):
        with pytest.raises(CollectionError, match=r'missing_values: expected numbers or words, as in \(-1, "failed"\), found'):
            scores_from(table, missing_values=wrong)  # type: ignore[arg-type]


class TestRepeatedScores:
    def test_the_way_on_comes_first(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        paths = [tmp_path / f"{name}.csv" for name in ("tern", "gull", "lark")]
        for path in paths:
            path.write_text("qid,wit,tact\n" + "".join(f"{topic},.{topic + 1},.5\n" for topic in range(40)))
        assert main(["check", "--scores", *map(str, paths)]) == 1
        first, second, last = capsys.readouterr().out.splitlines()
        assert first.endswith('measures=("wit", "tact") (--measures wit tact) reads these columns as measures')
        assert "found 160 second scores (" in second
        assert second.endswith(" and 77 more)")
        assert last == "2 errors, 0 warnings"

    def test_a_repeated_row_is_one_problem(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "board.csv"
        header = ",".join(["model", *(f"task {number}" for number in range(9))])
        path.write_text(
            header + "".join(f"\n{name},{','.join(f'.{row}{column}' for column in range(9))}" for row, name in enumerate("uvwxyu"))
        )
        assert main(["check", "--scores", str(path), "--runs-column", "model"]) == 1
        first, second, last = capsys.readouterr().out.splitlines()
        assert "(--systems model) in place of a column of runs averages the rows with the same name" in first
        assert second == (
            f"error: {path}:7: topic task 0: expected one score for run u and topic task 0, found a second one (the first is on line 2), "
            "and 8 further second scores in the row"
        )
        assert last == "2 errors, 0 warnings"


class TestIgnoredPatterns:
    text = "model,sea,sea_err,sky,sky_err,sky (n)\nu,.5,.01,.25,.02,7\nv,.75,.03,.5,.01,9\nu2,.25,.02,.75,.03,8\n"

    @pytest.mark.parametrize("patterns", [(".*_err", "sky (n)"), ("s.._err", r".* \(.\)"), ("sea_err", "sky[ _].*")])
    def test_columns(self, patterns: tuple[str, ...], tmp_path: Path) -> None:
        path = written(tmp_path, self.text, "b.csv")
        found = scores_from(path, runs="model", ignore=patterns)
        assert (found.topics, found.read[0].notes) == (("sea", "sky"), ("not read: sea_err, sky_err, sky (n)",))

    def test_runs_topics_and_names_in_other_options(self, tmp_path: Path) -> None:
        path = written(tmp_path, self.text, "b.csv")
        found = scores_from(path, runs="model", ignore=("u.?", "sk.*|.*_err"), keep="sky")
        assert (found.runs, found.topics) == (("v",), ("sea", "sky"))
        assert scores_from(path, topics="model", ignore=("u.?", "sk.*|.*_err")).topics == ("v",)
        nested = {"u": {"t1": 0.5, "map": 0.25}, "v": {"t1": 0.25, "map": 0.5}}
        assert scores_from(nested, ignore="ma.").topics == ("t1",)

    @pytest.mark.parametrize(
        ("pattern", "hint"),
        [("*_err", r"; did you mean .*_err?"), (".*_eror", ""), ("(se", "; did you mean sea?"), ("sea_er[", "; did you mean sea_err?")],
    )
    def test_a_pattern_that_matches_nothing(self, pattern: str, hint: str, tmp_path: Path) -> None:
        with pytest.raises(CollectionError) as error:
            scores_from(written(tmp_path, self.text, "b.csv"), runs="model", ignore=pattern)
        assert f"expected a name, or a regular expression that matches names (ignore), found {pattern} and the names model, " in str(
            error.value
        )
        assert str(error.value).endswith(hint or " more")
