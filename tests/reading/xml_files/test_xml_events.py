"""XML is parsed safely: declarations of a DTD are never expanded, and rejected by name if they could be expanded."""

from __future__ import annotations

import time

import pytest

from inexmetrics import CollectionError
from inexmetrics.reading.xml_documents import XmlEvents

BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE lolz [\n<!ENTITY lol "lol">\n'
    + "".join(f'<!ENTITY lol{n} "{f"&lol{n - 1 if n > 1 else str()};" * 10}">\n' for n in range(1, 10))
    + "]>\n<a>&lol9;</a>"
)


def heard(content: str | bytes, *, counts_text: bool = False) -> list[str]:
    events = XmlEvents("a.xml", counts_text=counts_text)
    told: list[str] = []
    events.opened = lambda tag, attributes: told.append(f"<{tag}{''.join(f' {name}={value}' for name, value in attributes.items())}>")
    events.closed = lambda tag: told.append(f"</{tag}>")
    events.text = told.append
    events.unexpanded = lambda name: told.append(f"&{name};")
    events.parse(content.encode() if isinstance(content, str) else content)
    return told


def test_events_come_in_order() -> None:
    assert heard('<a><b c="1">x &lt; y</b><!-- z --><?pi?><![CDATA[<]]></a>') == ["<a>", "<b c=1>", "x < y", "</b>", "<", "</a>"]


def test_a_dtd_outside_the_file_is_not_fetched() -> None:
    assert heard('<!DOCTYPE a SYSTEM "http://nowhere.invalid/a.dtd"><a>caf&eacute;</a>') == ["<a>", "caf", "&eacute;", "</a>"]


def test_predefined_entities_are_not_redefined() -> None:
    assert heard('<!DOCTYPE a [<!ENTITY lt "lessthan"><!ENTITY amp "and">]><a>x &lt; &amp; y</a>') == ["<a>", "x < & y", "</a>"]


def test_text_that_is_only_counted_may_be_declared_but_is_not_expanded() -> None:
    declared = '<!DOCTYPE a [<!ENTITY e "text"><!ENTITY pic SYSTEM "p.gif" NDATA gif>]><a>&e;</a>'
    assert heard(declared, counts_text=True) == ["<a>", "&e;", "</a>"]
    with pytest.raises(CollectionError) as caught:
        heard(declared)
    assert str(caught.value) == "a.xml:1: the entity 'e' is rejected: entities are never expanded"


@pytest.mark.parametrize("counts_text", [False, True])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            BOMB.replace('<!ENTITY lol "lol">\n', ""),
            "a.xml:3: the entity 'lol1' is rejected: it contains other entities, which are never expanded",
        ),
        (
            '<!DOCTYPE a [\n<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>',
            "a.xml:2: the external entity 'e' (file:///etc/passwd) is rejected: nothing outside the file is read",
        ),
        (
            '<!DOCTYPE a [<!ENTITY % e SYSTEM "http://nowhere.invalid/">%e;]><a/>',
            "a.xml:1: the external entity 'e' (http://nowhere.invalid/) is rejected: nothing outside the file is read",
        ),
        ("<a>\n<b></a>", "a.xml:2: expected well-formed XML, found an error: mismatched tag"),
        ("<a>&e;</a>", "a.xml:1: expected well-formed XML, found an error: undefined entity"),
        ("", "a.xml:1: expected well-formed XML, found the end of the file before the end of the root element"),
        ('<?xml version="1.0" encoding="martian"?><a/>', "a.xml:1: expected a known encoding, found an error: unknown encoding: martian"),
    ],
)
def test_what_is_refused_is_named(content: str, message: str, *, counts_text: bool) -> None:
    with pytest.raises(CollectionError) as caught:
        heard(content, counts_text=counts_text)
    assert str(caught.value) == message


def test_an_entity_bomb_is_refused() -> None:
    with pytest.raises(CollectionError, match="the entity 'lol' is rejected"):
        heard(BOMB)
    with pytest.raises(CollectionError, match="the entity 'lol1' is rejected"):
        heard(BOMB, counts_text=True)


def test_latin_letters_are_read_as_declared() -> None:
    assert heard('<?xml version="1.0" encoding="ISO-8859-1"?><a>café</a>'.encode("latin-1")) == ["<a>", "café", "</a>"]
    with pytest.raises(CollectionError, match="found the byte 0xe9, which is invalid in the encoding of the file"):
        heard("<a>café</a>".encode("latin-1"))


def test_attributes_are_those_that_elements_have() -> None:
    """A default in a DTD could give each of a million short elements a very long attribute."""
    events = XmlEvents("a.xml")
    given: list[dict[str, str]] = []
    events.opened = lambda _, attributes: given.append(attributes)
    events.parse(b'<!DOCTYPE a [<!ATTLIST b c CDATA "by default">]><a><b/><b c="its own"/></a>')
    assert given == [{}, {}, {"c": "its own"}]


def test_text_of_many_ampersands_is_looked_through_once() -> None:
    declared = b'<!DOCTYPE a [<!ENTITY e "' + b"&#38;" * 100_000 + b'">]><a/>'
    begun = time.process_time()
    XmlEvents("a.xml", counts_text=True).parse(declared)
    assert time.process_time() - begun < 2
