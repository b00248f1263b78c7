"""Looks at the built site in headless Chromium: what a search finds, and which pages are wider than the window.

``python docs/browser.py site`` checks every page at the width of a phone and of a desktop. The checks run as a script of the site itself, which
sends what it finds back to the server that serves the site.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Final, cast

from docs.build import SiteHandler

__all__ = ["PROGRAM", "WIDTHS", "pages_of", "searched", "too_wide"]

PROGRAM: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""The browser; None if none is installed."""
WIDTHS: Final = (390, 1280)
"""Widths of the window in pixels: a phone and a desktop."""
PROBE: Final = "/probe.html"
SECONDS: Final = 600
"""Time after which a browser that has not answered is given up."""
SEARCH: Final = """
const data = await (await fetch("/search.json")).json();
const worker = new Worker("/assets/javascripts/workers/WORKER");
const ask = message => new Promise(done => { worker.onmessage = event => done(event.data); worker.postMessage(message); });
await ask({ type: 0, data });
const filter = { input: { type: "operator", data: { operator: "and", operands: [] } }, aggregation: { input: [] } };
const found = {};
for (const query of ASKED) {
  const answer = await ask({ type: 2, data: { input: query, filter } });
  found[query] = [...new Set(answer.data.items.map(item => data.items[item.id].location.split("#")[0]))];
}
return found;
"""
"""Asks the search as the site's own page does, by the same worker and index; the pages of the answers in their order."""
WIDE: Final = """
const found = {};
const settled = frame => new Promise(done => frame.contentWindow.requestAnimationFrame(() => setTimeout(done)));
const look = page => new Promise(done => {
  const frame = document.createElement("iframe");
  frame.style = "height: 800px; border: 0";
  frame.style.width = `${WIDTHS[0]}px`;
  frame.onload = async () => {
    for (const width of WIDTHS) {
      frame.style.width = `${width}px`;
      await settled(frame);
      const root = frame.contentDocument.documentElement;
      if (root.scrollWidth > width) (found[page] ??= {})[width] = root.scrollWidth - width;
    }
    frame.remove();
    done();
  };
  frame.src = page;
  document.body.append(frame);
});
for (const page of ASKED) await look(page);
return found;
"""
"""Opens each page once in a frame, gives the frame each width, and measures by how many pixels the page is wider."""


def searched(site: Path, queries: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Returns the pages of the site that its search finds for each query, best first.

    Raises:
        RuntimeError: The browser did not answer.
    """
    (worker,) = (site / "assets" / "javascripts" / "workers").glob("search.*.js")
    found = _told(site, SEARCH.replace("WORKER", worker.name).replace("ASKED", json.dumps(list(queries))))
    return cast("Mapping[str, Sequence[str]]", found)


def too_wide(site: Path, pages: Sequence[str], widths: Sequence[int] = WIDTHS) -> Mapping[str, Mapping[str, int]]:
    """Returns the pages that are wider than a window, with the number of pixels for each width.

    Raises:
        RuntimeError: The browser did not answer.
    """
    script = WIDE.replace("WIDTHS", json.dumps(list(widths))).replace("ASKED", json.dumps([f"/{page}" for page in pages]))
    return cast("Mapping[str, Mapping[str, int]]", _told(site, script))


def pages_of(site: Path) -> tuple[str, ...]:
    """Returns the addresses of all pages of the site, below its root."""
    return tuple(sorted(str(path.parent.relative_to(site)).removeprefix(".") + "/" for path in site.rglob("index.html")))


def _told(site: Path, script: str) -> object:
    """Returns what a script finds that runs in a page of the site."""
    if PROGRAM is None:
        raise RuntimeError("expected Chromium, found none: apt-get install --no-install-recommends chromium")
    answers: Queue[str] = Queue()
    with _served(site, script, answers) as address, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}")
        browser = subprocess.Popen([PROGRAM, *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            answer = json.loads(answers.get(timeout=SECONDS))
        except Empty:
            raise RuntimeError(f"the browser gave no answer in {SECONDS} seconds") from None
        finally:
            browser.terminate()
            browser.wait()
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["found"]


@contextmanager
def _served(site: Path, script: str, answers: Queue[str]) -> Iterator[str]:
    """Serves the site with a page that runs a script and sends what it returns; yields the address of this page."""
    send = 'answer => fetch("/", { method: "POST", body: JSON.stringify(answer) })'
    page = f"<!doctype html><body><script>(async () => {{{script}}})().then(found => ({{ found }}), error => ({{ error: String(error) }})).then({send})</script>"

    class Probe(SiteHandler):
        """Serves the page with the script, and takes its answer."""

        def do_GET(self) -> None:
            if self.path != PROBE:
                super().do_GET()
                return
            body = page.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            answers.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Writes nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Probe, directory=site)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}{PROBE}"
        server.shutdown()


if __name__ == "__main__":
    built = Path(sys.argv[1]).resolve()
    wide = too_wide(built, pages_of(built))
    sys.stdout.write("".join(f"{page}: wider than the window by {pixels}\n" for page, pixels in wide.items()))
    sys.exit(1 if wide else 0)
