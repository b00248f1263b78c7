"""The site around the pages: navigation, descriptions for search engines, copied commands, and citation."""

from __future__ import annotations

import html
import re
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest

from docs.examples import ROOT, WIDEST, Block, blocks, commands, format_pages, pages, typed
from inexmetrics import __version__
from tests.every import every

DOCS: Final = ROOT / "docs"
SETTINGS: Final = (ROOT / "mkdocs.yml").read_text()
NAVIGATED: Final = re.findall(r'^ +- "?(?P<name>[^"\n]+?)"?: (?P<path>[\w/-]+\.md)$', SETTINGS, re.MULTILINE)
DESCRIBED: Final = re.compile(r"\A---\n(?:\w+: .*\n)*?description: (?P<text>.+)\n(?:\w+: .*\n)*---\n")
PROMPT: Final = re.compile(r"\s*\S*[$#%]\s")
"""Pattern of the start of a line that highlighters may treat as a prompt with a command."""
OUTPUT: Final = re.compile(r"\s*\S*[#%]\s")
"""Pattern of the start of such a line that ``prompts.js`` shows as output, because no page has these prompts."""
WRITTEN: Final = [page for page in pages() if page.is_relative_to(DOCS)]


def heading(page: Path) -> str:
    """Returns the first heading, without code marks and anchor."""
    found = re.search(r"^# (?P<written>.*?)(?: \{: #[\w.-]+ \})?$", page.read_text(), re.MULTILINE)
    assert found is not None, page
    return found["written"].strip("`")


@pytest.mark.parametrize(("name", "path"), NAVIGATED, ids=[path for _, path in NAVIGATED])
def test_a_page_has_one_name(name: str, path: str) -> None:
    assert name == heading(DOCS / path)


def test_pages_stand_under_six_tabs_each_of_which_begins_with_an_overview() -> None:
    assert "    - navigation.tabs\n" in SETTINGS
    tabs = re.findall(r"^  - (\w+):\n      - ([\w/]*index\.md)$", SETTINGS, re.MULTILINE)
    assert [name for name, _ in tabs] == ["Start", "Guide", "Gallery", "Reference", "Evidence", "About"]
    assert len(re.findall(r"^  - \w+:$", SETTINGS.partition("\nnav:\n")[2], re.MULTILINE)) == len(tabs)


@pytest.mark.parametrize("overview", ["guide/index.md", "gallery/index.md", "evidence/index.md", "about/index.md"])
def test_an_overview_leads_to_every_page_of_its_tab(overview: str) -> None:
    tab = re.split(r"^  - \w+:$", SETTINGS.partition("\nnav:\n")[2].partition("\nvalidation:")[0], flags=re.MULTILINE)
    of_tab = next(part for part in tab if f" {overview}\n" in part)
    text = (DOCS / overview).read_text()
    linked = {(DOCS / overview).parent.joinpath(link).resolve() for link in re.findall(r"\]\(([\w./-]+\.md)", text)}
    pages_of_tab = {(DOCS / path).resolve() for path in re.findall(r": ([\w/-]+\.md)$", of_tab, re.MULTILINE)}
    assert pages_of_tab <= linked


def test_old_addresses_lead_to_pages() -> None:
    moved = re.findall(r"^        ([\w/-]+\.md): ([\w/-]+\.md)$", SETTINGS, re.MULTILINE)
    assert moved
    for old, new in moved:
        assert not (DOCS / old).exists()
        assert (DOCS / new).is_file()


@every(WRITTEN, lambda page: page.stem)
def test_a_page_describes_itself(page: Path) -> None:
    found = DESCRIBED.match(page.read_text())
    assert found is not None, "expected a description between two lines of three dashes, above the heading"
    text = found["text"].strip('"')
    assert 20 <= len(text) <= 300, f"a description of {len(text)} characters, expected 20 to 300"
    assert ": " not in text or found["text"].startswith('"'), "a colon is YAML's; quote the text"


def test_descriptions_differ() -> None:
    texts = [found["text"] for page in WRITTEN if (found := DESCRIBED.match(page.read_text()))]
    assert sorted(set(texts)) == sorted(texts)


@every(WRITTEN, lambda page: page.stem)
def test_what_is_printed_is_not_copied(page: Path) -> None:
    """The copy button copies lines with a prompt, as the highlighter recognises them; no line of output may look like a prompt with ``$``."""
    for block in blocks(page):
        if block.language == "console":
            shown = [line for line in block.text.splitlines() if not line.startswith(("$ ", ">   "))]
            assert [line for line in shown if PROMPT.match(line) and not OUTPUT.match(line)] == [], f"{page}:{block.line}"
            assert list(commands(block)), f"{page}:{block.line}"


@every(WRITTEN, lambda page: page.stem)
def test_what_is_typed_is_seen_whole(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python":
            assert [line for line in block.text.splitlines() if len(line) > WIDEST] == [], f"{page}:{block.line}"
        else:
            assert [typed(command) for command in commands(block) if typed(command) not in block.text] == [], f"{page}:{block.line}"


@pytest.mark.skipif(find_spec("ruff") is None, reason="ruff is not installed")
def test_python_is_formatted() -> None:
    format_pages(pages(), check=True)


def test_a_long_command_goes_on_below() -> None:
    command = f"inexmetrics 'significance(MAP | t)' --assessments {'a' * 40} --runs {'b' * 40} | head -3"
    shown = typed(command)
    assert shown.splitlines() == [
        f"$ inexmetrics 'significance(MAP | t)' --assessments {'a' * 40} \\",
        f">   --runs {'b' * 40} | head -3",
    ]
    assert list(commands(Block(Path(), "console", f"{shown}\nprinted\n", 0, 0))) == [command]


def test_the_copy_button_reads_what_the_highlighter_writes() -> None:
    styles = (DOCS / "stylesheets" / "extra.css").read_text()
    spans = re.search(r"line_spans: (\w+)", SETTINGS)
    assert spans is not None
    assert f'span[id^="{spans[1]}"]:not(:has(.gp))' in styles


def test_lines_of_output_that_look_like_prompts_of_root_are_shown_as_output() -> None:
    script = (DOCS / "javascripts" / "prompts.js").read_text()
    assert "\nextra_javascript:\n  - javascripts/prompts.js\n" in SETTINGS
    demoted = re.search(r"/(.+)/\.test\(prompt\.textContent\)", script)
    assert demoted is not None
    for prompt in ("% ", "# "):
        assert OUTPUT.match(f"{prompt}text")
        assert re.search(demoted[1], prompt)
    for prompt in ("$ ", "> ", ">>> "):
        assert not re.search(demoted[1], prompt)


def test_nothing_is_fetched_for_letters_and_signs() -> None:
    """Fonts are those of the reader's system; logo and favicon are files of the site."""
    assert "  font: false\n" in SETTINGS
    for part in ("logo", "favicon"):
        named = re.search(rf"^  {part}: (.+)$", SETTINGS, re.MULTILINE)
        assert named is not None
        assert ElementTree.parse(DOCS / named[1]).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_formulas_have_a_font_of_the_site_with_all_their_characters() -> None:
    styles = (DOCS / "stylesheets" / "extra.css").read_text()
    addresses = re.findall(r'url\("([^"]+)"\)', styles)
    assert addresses
    assert [each for each in addresses if not (DOCS / "stylesheets" / each).is_file()] == []
    listed = re.search(r'--unicodes="([^"]+)"', (DOCS / "fonts" / "README.txt").read_text())
    assert listed is not None
    ranges = [(int(part.split("-")[0], 16), int(part.split("-")[-1], 16)) for part in listed[1].split(",")]
    reference = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    shown = html.unescape(re.sub("<[^>]+>", "", "".join(re.findall(r"<math.*?</math>", reference, re.DOTALL))))
    assert shown
    assert {sign for sign in shown if not any(first <= ord(sign) <= last for first, last in ranges)} == set()


def luminance(colour: tuple[float, ...]) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("scheme", "pages"), [("default", ("#ffffff", "#f5f5f5", "#edf3f2")), ("slate", ("#0b0c0f", "#14161f", "#13211f"))]
)
def test_links_and_faint_text_have_contrast(scheme: str, pages: tuple[str, ...]) -> None:
    """The contrast is at least 4.5 to 1 (WCAG AA) on the page, on code, and on the active entry of the navigation."""

    def parts(colour: str) -> tuple[float, ...]:
        return tuple(int(colour[place : place + 2], 16) / 255 for place in range(1, len(colour), 2))

    styles = (DOCS / "stylesheets" / "colours.css").read_text()
    stated = dict(re.findall(r"--([\w-]+): (#\w+);", styles.partition(f'[data-md-color-scheme="{scheme}"]')[2].partition("}")[0]))
    for name in ("md-typeset-a-color", "md-accent-fg-color", "md-default-fg-color--light"):
        *ink, alpha = (*parts(stated[name]), 1.0)[:4]
        for page in map(parts, pages):
            seen = tuple(alpha * above + (1 - alpha) * below for above, below in zip(ink, page, strict=True))
            dark, light = sorted((luminance(seen), luminance(page)))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (name, page)


def test_the_page_of_a_missing_address_leads_on() -> None:
    lost = (DOCS / "overrides" / "404.html").read_text()
    linked = re.findall(r"{{ '([\w/]*)' \| url }}", lost)
    assert len(linked) >= 4
    for address in linked:
        assert (DOCS / f"{address.rstrip('/')}.md").is_file() or (DOCS / address / "index.md").is_file()


def test_pages_say_to_other_sites_what_they_are() -> None:
    head = (DOCS / "overrides" / "main.html").read_text()
    assert {"og:title", "og:description", "og:type", "og:image"} <= set(re.findall(r'property="(og:\w+)"', head))
    assert (DOCS / "images" / "social.png").read_bytes().startswith(b"\x89PNG")


def test_no_address_of_the_project_is_named_before_it_exists() -> None:
    """The steps of a release name the files in which addresses are entered."""
    assert "urls" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not re.search(r"^(site_url|repo_url):", SETTINGS, re.MULTILINE)
    for page in [*pages(), ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "CITATION.cff"]:
        assert not re.search(r"https?://[\w./-]*inexmetrics", page.read_text()), page


@pytest.mark.parametrize("name", ["README.md", "SECURITY.md"])
def test_links_of_a_clone_lead_to_its_files(name: str) -> None:
    linked = re.findall(r"\]\(([^)#]+)", (ROOT / name).read_text())
    assert [link for link in linked if not link.startswith("https://") and not (ROOT / link).is_file()] == []
    assert any(link.startswith("docs/") for link in linked)


def test_the_version_is_everywhere_the_same() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {__version__}\n" in citation
    assert f"version = {{{__version__}}}" in (DOCS / "citing.md").read_text()
    assert f"\ncopyright: inexmetrics {__version__} " in SETTINGS


def test_the_citation_has_what_its_format_requires() -> None:
    """cff-version 1.2.0 requires these four fields, and an author that is an entity has a name."""
    citation = (ROOT / "CITATION.cff").read_text()
    keys = re.findall(r"^([\w-]+):", citation, re.MULTILINE)
    assert keys[0] == "cff-version"
    assert "cff-version: 1.2.0\n" in citation
    assert {"message", "title", "authors"} <= set(keys)
    assert len(keys) == len(set(keys))
    assert re.search(r"^authors:\n  - name: \w", citation, re.MULTILINE)
