#!/usr/bin/python3
"""try.py SITE: the page docs/try.html in Chromium, as on a telephone, computes what Python does, without a network
once it is loaded. It asks no other machine for anything, its console has no error, and it does not scroll sideways."""

import functools
import hashlib
import hmac
import http.server
import itertools
import pathlib
import random
import re
import sys
import tempfile
import threading

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

CHROMIUM = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
# Outside of the page there is nothing, whoever asks.
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
FAULTS = """
const names = performance.getEntriesByType("resource").map(({ name }) => name);
const faults = names.filter((name) => !name.startsWith(location.origin) && !name.startsWith("data:"));
return document.documentElement.scrollWidth > 390 ? [...faults, "the page scrolls sideways"] : faults;
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def compute(browser, file):
    """Returns what the page gets wrong about files that end in its pieces and between them, and about one that is
    too large for WebCrypto."""
    find = lambda name: browser.find_element(By.NAME, name)
    enabled = lambda _: find("compute").is_enabled()
    ready = lambda: WebDriverWait(browser, 60).until(enabled, "Keylane is not there")
    ready()
    network = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", network)
    names = [option.text for option in find("hash").find_elements(By.TAG_NAME, "option")]
    cases = itertools.product(names, ["", "schlüssel"], [0, 2**22, 2**23 + 5])
    faults, large = [], 2**29 + 1
    for name, key, size in [*cases, ("sha256", "", large)]:
        content = random.Random(size).randbytes(2**22) * (size // 2**22) + bytes(size % 2**22)
        file.write_bytes(content)
        find("file").send_keys(str(file))
        find("hash").send_keys(name)
        find("key").clear()
        find("key").send_keys(key)
        find("compute").click()
        ready()
        digest = hmac.new(key.encode(), content, name) if key else hashlib.new(name, content)
        said = browser.find_element(By.TAG_NAME, "output").text
        web = "left out" if size == large else "the same result"
        if not re.fullmatch(f"{digest.hexdigest()}\\nKeylane: .*\\nWebCrypto: .*{web}.*", said):
            faults.append(f"{name} of {size} bytes, key {key!r}: {said}")
    return faults


def main(site):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = webdriver.ChromeOptions()
    for argument in [*CHROMIUM, ALONE]:
        options.add_argument(argument)
    screen = {"width": 390, "height": 844, "pixelRatio": 1, "mobile": True}
    options.add_experimental_option("mobileEmulation", {"deviceMetrics": screen})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(service=Service("chromedriver"), options=options)
    with browser, tempfile.TemporaryDirectory() as folder:
        browser.get(f"http://127.0.0.1:{server.server_port}/docs/try.html")
        faults = compute(browser, pathlib.Path(folder, "file")) + browser.execute_script(FAULTS)
        faults += [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    print(*faults, f"docs/try.html: {len(faults)} faults", sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
