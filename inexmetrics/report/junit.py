"""Test cases as a JUnit file, which build servers read and show."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from inexmetrics.common.messages import printable

__all__ = ["Case", "junit"]

NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may contain."""


class Case(NamedTuple):
    """A test case.

    Attributes:
        group: What it belongs to, such as the measure.
        name: What is tested.
        kind: The kind of failure; empty where it passed.
        message: Why it failed; empty where it passed.
    """

    group: str
    name: str
    kind: str = ""
    message: str = ""


def junit(suite: str, text: str, cases: Iterable[Case]) -> bytes:
    """Return a JUnit file of one suite; the same bytes for the same cases, as it holds no time.

    Examples:
        >>> print(
        ...     junit("s", "one of two", [Case("MAP", "a"), Case("MAP", "b", "better", "behind")]).decode()
        ... )
        <?xml version='1.0' encoding='utf-8'?>
        <testsuites name="inexmetrics" tests="2" failures="1" errors="0">
          <testsuite name="s" tests="2" failures="1" errors="0" skipped="0">
            <testcase classname="MAP" name="a" />
            <testcase classname="MAP" name="b">
              <failure type="better" message="behind" />
            </testcase>
            <system-out>one of two</system-out>
          </testsuite>
        </testsuites>
        <BLANKLINE>
    """
    cases = list(cases)
    counts = {"tests": str(len(cases)), "failures": str(sum(bool(case.kind) for case in cases)), "errors": "0"}
    root = ET.Element("testsuites", {"name": "inexmetrics", **counts})
    held = ET.SubElement(root, "testsuite", {"name": _safe(suite), **counts, "skipped": "0"})
    for case in cases:
        element = ET.SubElement(held, "testcase", {"classname": _safe(case.group), "name": _safe(case.name)})
        if case.kind:
            ET.SubElement(element, "failure", {"type": case.kind, "message": _safe(case.message)})
    ET.SubElement(held, "system-out").text = _safe(text)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _safe(text: str) -> str:
    """Return the text with escapes in place of what a reader of XML rejects or a terminal executes."""
    return NOT_XML.sub("\ufffd", printable(text))
