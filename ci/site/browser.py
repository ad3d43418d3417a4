#!/usr/bin/python3
"""browser.py SITE [PICTURES]: every page of the book in Chromium, as on a telephone: nothing is wider than the
screen but what scrolls in a box of its own, text is large enough, the console has no error, nothing comes from
another machine, and search finds what it should. PICTURES is a folder for screenshots, of the telephone and of
a desk."""

import functools
import http.server
import pathlib
import re
import sys
import tempfile
import threading

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

WIDTH = 390
CHROMIUM = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
# Outside of the page there is nothing, whoever asks.
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
FAULTS = """
const scrolls = e => e.localName != "main" && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
const faults = [];
for (const e of document.querySelectorAll("main, main *")) {
  const box = e.getBoundingClientRect(), name = `<${e.localName}> ${e.textContent.trim().slice(0, 40)}`;
  if (box.right > innerWidth + 1 && box.width && e.localName != "main" && !scrolls(e.parentElement)) faults.push("too wide: " + name);
  const direct = [...e.childNodes].some(node => node.nodeType == 3 && node.data.trim());
  if (direct && parseFloat(getComputedStyle(e).fontSize) < 11.9 && e.localName != "button") faults.push("small: " + name);
}
const width = arguments[0];
if (innerWidth != width || document.documentElement.scrollWidth > width) faults.push("the page scrolls sideways");
for (const { name } of performance.getEntriesByType("resource"))
  if (!name.startsWith(location.origin) && !name.startsWith("data:")) faults.push("from elsewhere: " + name);
return faults;
"""
SEARCH = """
document.getElementById("mdbook-search-toggle").click();
const bar = document.getElementById("mdbook-searchbar");
bar.value = arguments[0];
bar.dispatchEvent(new Event("input", { bubbles: true }));
bar.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
"""
FOUND = 'return document.getElementById("mdbook-searchresults").textContent'


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def visit(here, pages, width, pictures):
    """Returns what is wrong with the pages."""
    options = webdriver.ChromeOptions()
    for argument in [*CHROMIUM, ALONE]:
        options.add_argument(argument)
    screen = {"width": width, "height": 844, "pixelRatio": 1, "mobile": width == WIDTH}
    options.add_experimental_option("mobileEmulation", {"deviceMetrics": screen})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    faults = []
    with webdriver.Chrome(service=Service("chromedriver"), options=options) as browser:
        for page in pages:
            browser.get(here + page)
            errors = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
            faults += [f"{page}: {fault}" for fault in browser.execute_script(FAULTS, width) + errors]
            if pictures:
                browser.save_screenshot(f"{pictures}/{width}-{page.replace('/', '-')}.png")
        for word, page in [("hmac", "hmac"), ("seal_many", "which aead?")]:
            browser.get(here)
            browser.execute_script(SEARCH, word)
            found = lambda _: page in browser.execute_script(FOUND).lower()
            WebDriverWait(browser, 60).until(found, f"search does not find {word}")
    return faults


def main(site, pictures=None):
    site = pathlib.Path(site).resolve()
    # Under the name that it has on the web.
    folder = tempfile.TemporaryDirectory()
    pathlib.Path(folder.name, "keylane").symlink_to(site)
    handler = functools.partial(Quiet, directory=folder.name)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_port}/keylane/"
    pages = sorted(str(page.relative_to(site)) for page in site.rglob("*.html"))
    # Of rustdoc's pages the first of each crate: the others have the same layout.
    shown = re.compile(r"(?!api/|toc\.html).*|api/\w+/index\.html")
    pages = [page for page in pages if shown.fullmatch(page)]
    faults = [fault for width in (WIDTH, 1280) for fault in visit(here, pages, width, pictures)]
    print(*faults, f"{len(pages)} pages, {len(faults)} faults", sep="\n")
    return bool(faults) or len(pages) < 40


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
