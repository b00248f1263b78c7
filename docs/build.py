"""Builds the documentation's site into ``site/``: ``python docs/build.py``. With ``--serve``, the script then serves the site.

The steps are checks that every change must pass: the page of promises, generated pages, the gallery with its downloads, pictures, the strict build, and the
check of all links.
``--write`` first writes every other file that is derived from the package: outputs in the pages, printed results, messages and the schema of results.
``--check`` ends with an error instead of changing a page or a picture.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import http.server
import os
import subprocess
import sys
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DERIVED: Final = (
    ("-m", "tests.experiments.test_json_schema"),
    ("-m", "tests.report.test_printed"),
    ("-m", "tests.faults.matrix"),
    ("docs/examples.py", "--write"),
)
"""Arguments of the Python interpreter for each step of ``--write``, in order."""
STEPS: Final = (
    ("-m", "benchmarks.promises", "--write"),
    ("docs/generate.py",),
    ("docs/gallery.py",),
    ("docs/pictures.py",),
    ("-m", "zensical", "build", "--strict", "--clean"),
    ("docs/check_site.py", "site"),
)
"""Arguments of the Python interpreter for each step, in order."""
CHECKS: Final = (("-m", "benchmarks.promises", "--check"), *((*step, "--check") for step in STEPS[1:4]), *STEPS[4:])
"""The steps that change no page: outdated files are errors."""


def build(steps: Sequence[tuple[str, ...]] = STEPS) -> None:
    """Run every step in the repository's root, and list the changed files; if a step fails, the program ends with the step's exit code."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}
    before = _contents()
    for step in steps:
        if code := subprocess.run([sys.executable, *step], cwd=ROOT, env=environment, check=False).returncode:
            sys.exit(code)
    changed = sorted(str(path.relative_to(ROOT)) for path, content in _contents().items() if before.get(path) != content)
    sys.stdout.write(f"changed files: {', '.join(changed) or 'none'}\n")


def _contents() -> dict[Path, bytes]:
    """Return a hash of each file that a step may write, except the site and the downloads of its gallery."""
    found = (path for folder in ("docs", "tests") for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc")
    files = (path for path in found if path.parent != ROOT / "docs" / "gallery" / "files")
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in (*files, ROOT / "mkdocs.yml")}


class SiteHandler(http.server.SimpleHTTPRequestHandler):
    """Serves the files of a site, and its own page for addresses that lead to no file, as hosts of static sites do."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Sends the site's page for missing addresses with the status 404, and the plain message for other errors."""
        lost = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not lost.is_file():
            super().send_error(code, message, explain)
            return
        body = lost.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def serve(port: int) -> None:
    """Serve ``site/`` on this machine only, until interrupted."""
    handler = functools.partial(SiteHandler, directory=ROOT / "site")
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        sys.stdout.write(f"serving site/ at http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C ends it)\n")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stdout.write("\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Builds the site of the documentation.")
    parser.add_argument("--serve", action="store_true", help="serve the site after it is built")
    parser.add_argument("--port", type=int, default=8000, help="the port to serve at, 8000 by default")
    parser.add_argument(
        "--write", action="store_true", help="first write the outputs in the pages, printed results, messages and the schema of results"
    )
    parser.add_argument("--check", action="store_true", help="end with an error instead of changing a page or a picture")
    options = parser.parse_args()
    if options.check and options.write:
        parser.error("expected --write or --check, found both")
    build(CHECKS if options.check else (*DERIVED, *STEPS) if options.write else STEPS)
    if options.serve:
        serve(options.port)
