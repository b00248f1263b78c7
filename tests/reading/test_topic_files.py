"""Topics: the formats of all years, entities that a DTD redefines, titles in reports, and errors in files."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from inexmetrics import CollectionError, CollectionWarning, Topic, Topics, read_assessments, read_topics
from inexmetrics.cli import main

DIALECTS = {
    "2002": """<?xml version="1.0" encoding="ISO-8859-1"?>
        <!DOCTYPE INEX-Topic SYSTEM "inex-topics.dtd">
        <INEX-Topic topic-id="05" query-type="CAS" ct-no="012">
        <Title><te>tig</te><cw>QBIC</cw>
          <ce>bibl</ce></Title><Description>Titles of articles &eacute; la QBIC.</Description><Narrative>n</Narrative><Keywords>k</Keywords>
        </INEX-Topic>""",
    "2003": """<inex_topic topic_id="61" query_type="CAS" ct_no="8"><title>//article[about(.,'clustering') and @y &gt; 3]</title>
        <description>d</description><narrative>n</narrative></inex_topic>""",
    "2005": """<inex_topic topic_id="202" query_type="CO+S" ct_no="1"><InitialTopicStatement>s</InitialTopicStatement><title>t</title>
        <castitle>//article[about(., t)]</castitle><parent>no</parent><description/><narrative>n</narrative></inex_topic>""",
    "2007": '<inex-topic topic-id="414"><title/><castitle> </castitle></inex-topic>',
    "2010": '<inex-topic-file><topic id="2010001" ct_no="3"><title>a</title></topic><topic ct_no="4"><title>b</title></topic></inex-topic-file>',
}
READ = {
    "2002": [Topic("05", "tig QBIC bibl", None, "Titles of articles &eacute; la QBIC.")],
    "2003": [Topic("61", "//article[about(.,'clustering') and @y > 3]", None, "d")],
    "2005": [Topic("202", "t", "//article[about(., t)]")],
    "2007": [Topic("414")],
    "2010": [Topic("2010001", "a"), Topic("4", "b")],
}


@pytest.mark.parametrize("year", DIALECTS)
def test_dialects(tmp_path: Path, year: str) -> None:
    (tmp_path / "t.xml").write_text(DIALECTS[year])
    topics = read_topics(tmp_path / "t.xml")
    assert list(topics.values()) == READ[year]
    assert list(topics) == [topic.topic_id for topic in READ[year]]


def test_all_years_of_a_folder_and_what_is_skipped(tmp_path: Path) -> None:
    for year, text in DIALECTS.items():
        (tmp_path / f"{year}.xml").write_text(text)
    (tmp_path / "a.qrels").write_text("1 0 d 1\n")
    with pytest.warns(CollectionWarning) as caught:
        topics = read_topics(tmp_path)
    message = f"{tmp_path}: 1 file is skipped; expected topics (INEX files, or a tab-separated table with the columns topic_id and query), found a.qrels (TREC qrels)"
    assert [str(warning.message) for warning in caught] == [message]
    assert [str(warning) for warning in topics.warnings] == [message]
    assert [*topics] == ["05", "61", "202", "414", "2010001", "4"]
    assert repr(topics) == "Topics(6 topics)"
    assert [*pickle.loads(pickle.dumps(topics)).values()] == [*topics.values()]


def test_entities_that_the_file_redefines_keep_their_meaning(shared: Path) -> None:
    topics = read_topics(shared / "inex2009-topics.xml.gz")
    assert len(topics) == 115
    assert topics["2009001"] == Topic("2009001", "Nobel prize", "//article[about(., Nobel prize)]", "information about Nobel prize")
    assert all(topic.title for topic in topics.values())
    assert not [topic for topic in topics.values() if "lessthan" in str(topic) or "ampersand" in str(topic)]


def test_topics_are_no_assessments(shared: Path) -> None:
    with pytest.raises(CollectionError, match="found INEX topics"):
        read_assessments(shared / "inex2009-topics.xml.gz")


def refused(*paths: Path) -> list[str]:
    """Returns the problems of files in one folder, without the folder's name."""
    with pytest.raises(CollectionError) as caught:
        read_topics(paths)
    return [str(problem).replace(f"{paths[0].parent}/", "") for problem in caught.value.problems]


def test_what_is_wrong_is_told_by_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        '<inex-topic-file>\n<topic id="7"><title>a</title></topic>\n<topic id=" "/>\n<topic/>\n<topic id="7"/></inex-topic-file>'
    )
    (tmp_path / "b.xml").write_text('<inex-topic-file><topic id="7"><title>b</title></topic></inex-topic-file>')
    (tmp_path / "c.xml").write_text('<inex-topic-file><topic id="8"></inex-topic-file>')
    (tmp_path / "d.run").write_text("1 Q0 d 1 1.0 r\n")
    assert refused(*(tmp_path / name for name in ("a.xml", "b.xml", "c.xml", "d.run"))) == [
        "d.run: expected topics (INEX files, or a tab-separated table with the columns topic_id and query), found a TREC run (6 columns)",
        "c.xml:1: expected well-formed XML, found an error: mismatched tag",
        "a.xml:3: expected a topic with a topic_id, id or ct_no, found a topic with id",
        "a.xml:4: expected a topic with a topic_id, id or ct_no, found a topic without attributes",
        "a.xml:5: topic 7: expected one entry for topic 7, found a second one (the first is on line 2)",
        "b.xml:1: topic 7: expected one entry for topic 7, found a second one (the first is at a.xml:2)",
    ]
    with pytest.warns(CollectionWarning, match="dropped: expected"):
        topics = read_topics([tmp_path / "a.xml", tmp_path / "b.xml"], strict=False)
    assert topics["7"].title == "a"


def test_a_file_without_topics_and_dangerous_ones(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<inex-topic-file/>")
    assert refused(tmp_path / "a.xml") == ["expected at least one topic, found none"]
    (tmp_path / "a.xml").write_text(
        '<!DOCTYPE inex_topic [<!ENTITY x SYSTEM "/etc/passwd">]><inex_topic topic_id="1"><title>&x;</title></inex_topic>'
    )
    assert refused(tmp_path / "a.xml") == ["a.xml:1: the external entity 'x' (/etc/passwd) is rejected: nothing outside the file is read"]
    bomb = '<!DOCTYPE inex_topic [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]><inex_topic topic_id="1"><title>&b;</title></inex_topic>'
    (tmp_path / "a.xml").write_text(bomb)
    assert refused(tmp_path / "a.xml") == ["a.xml:1: the entity 'a' is rejected: entities are never expanded"]


def test_titles_stand_in_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.xml").write_text(
        '<inex-topic-file><topic id="1"><title>bees &amp; &lt;wasps></title></topic><topic id="2"/></inex-topic-file>'
    )
    (tmp_path / "a.qrels").write_text("1 0 d 1\n2 0 d 1\n3 0 d 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d 1 1.0 r\n2 Q0 d 1 1.0 r\n3 Q0 d 1 1.0 r\n")
    question = ["scores(MAP)", "--assessments", str(tmp_path / "a.qrels"), "--runs", str(tmp_path / "a.run")]
    assert main([*question, "--topics", str(tmp_path / "t.xml"), "--report", str(tmp_path / "r.html")]) == 0
    page = (tmp_path / "r.html").read_text()
    assert '<td>1 <span class="title">bees &amp; &lt;wasps&gt;</span></td>' in page
    assert "<td>2</td>" in page
    assert "<td>3</td>" in page
    capsys.readouterr()
    assert main([*question, "--topics", str(tmp_path / "t.xml")]) == 2
    message = (
        "error: --topics: expected --report in addition, found none; only the report shows the titles of topics\nsee inexmetrics --help\n"
    )
    assert capsys.readouterr().err == message
    assert main([*question, "--topics", str(tmp_path / "a.run"), "--report", str(tmp_path / "s.html")]) == 1
    assert (
        capsys.readouterr().err
        == f"error: {tmp_path / 'a.run'}: expected topics (INEX files, or a tab-separated table with the columns topic_id and query), found a TREC run (6 columns)\n"
    )
    assert not (tmp_path / "s.html").exists()


def test_topics_look_like_a_mapping() -> None:
    topics = Topics((Topic("7", "bees"),))
    assert dict(topics) == {"7": Topic("7", "bees")}
    with pytest.raises(KeyError):
        topics["8"]


def test_tables_of_queries(tmp_path: Path) -> None:
    (tmp_path / "plain.tsv").write_text("1\tbees & wasps\r\n\n2\t\n")
    (tmp_path / "headed.tsv").write_text("docs\tquery\tQID\tdescription\n7\thoney\t3\tof bees\n")
    topics = read_topics([tmp_path / "plain.tsv", tmp_path / "headed.tsv"])
    assert [*topics.values()] == [Topic("1", "bees & wasps"), Topic("2"), Topic("3", "honey", description="of bees")]
    (tmp_path / "odd.tsv").write_text("Qid\x1d\tquery \x1f\tQuery\n5\tnectar\twax\n")
    assert [*read_topics(tmp_path / "odd.tsv").values()] == [Topic("5", "nectar")]
    (tmp_path / "twice.tsv").write_text("qid\tquery\tquery\n7\thoney\tbees\n")
    with pytest.raises(CollectionError, match=r"twice.tsv:1: expected each column once, found query twice$"):
        read_topics(tmp_path / "twice.tsv")
    (tmp_path / "bad.tsv").write_text("1\thoney\n2\twax\tcomb\n\tnectar\n1\tagain\n")
    assert refused(tmp_path / "bad.tsv") == [
        "bad.tsv:2: expected 2 values (topic_id, query), found 3",
        "bad.tsv:3: topic_id: expected an identifier, found nothing",
        "bad.tsv:4: topic 1: expected one entry for topic 1, found a second one (the first is on line 1)",
    ]
