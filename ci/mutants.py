#!/usr/bin/env python3
"""mutants.py PACKAGE TESTS FILES: runs the mutants of cargo-mutants, all compiled at once.

PACKAGE is a crate of the workspace, TESTS the packages whose tests must notice them, FILES a regular
expression of its files. What is committed is tested.

The mutants of a function become arms of a `match` on a number, which the environment variable KEYLANE_MUTANT
sets; those that do not compile are left out. Each test says which functions it reaches, and runs alone for
their mutants, the fastest first, until one fails or a minute has passed. A test that takes eight times as
long, and ten seconds at least, has failed.

Prints what was not noticed, and fails below 95 %. Constants are left out, since no environment reaches them,
and so are functions with the name of one that a constant calls. `const` is removed from the other functions.
"""

import bisect
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / "target" / "mutants" / "tree"
ENVIRONMENT = dict(
    os.environ,
    RUSTFLAGS="--cap-lints=warn",
    CARGO_TARGET_DIR=str(TREE.parent / "target"),
    CARGO_TERM_COLOR="never",
    # The arms of a function share a frame.
    RUST_MIN_STACK=str(512 << 20),
    KEYLANE_SEED="7",
)
BUDGET = 60  # seconds of tests for one mutant

# What the mutated crate calls: the number of the mutant that runs, or 0. With KEYLANE_REACHED, the numbers of
# the functions that run are written to that file.
MODULE = """
extern crate std;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::io::Write as _;
static REACHED: [AtomicBool; 8192] = [const { AtomicBool::new(false) }; 8192];
static MUTANT: std::sync::OnceLock<Option<u32>> = std::sync::OnceLock::new();
pub(crate) fn at(function: usize) -> u32 {
    let number = || std::env::var("KEYLANE_MUTANT").ok().map(|number| number.parse().unwrap());
    if let Some(number) = *MUTANT.get_or_init(number) {
        return number;
    }
    if !REACHED[function].swap(true, Relaxed) {
        if let Ok(path) = std::env::var("KEYLANE_REACHED") {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
            file.unwrap().write_all(std::format!("{function}\\n").as_bytes()).unwrap();
        }
    }
    0
}
"""

CONST = re.compile(r"^(\s*(?:pub(?:\([^)]*\))?\s+)?)const(\s+(?:unsafe\s+)?fn\s+(\w+))", re.MULTILINE)
# rustfmt ends the line that begins a function's body with its brace.
BODY = re.compile(r"\{$", re.MULTILINE)


def output(command, folder=TREE):
    run = subprocess.run(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=True)
    return run.stdout


def within(span, other):
    return other[0] <= span[0] and span[1] <= other[1]


class Source:
    """A file with all its mutants."""

    def __init__(self, text, mutants, functions, constant):
        self.text, self.functions, self.constant = text, functions, constant
        self.lines = [0]
        for line in text.split("\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)
        self.mutants = collections.defaultdict(list)
        for mutant in mutants:
            self.mutants[self.span(mutant["function"]["span"])].append(mutant)

    def span(self, span):
        return tuple(self.lines[at["line"] - 1] + at["column"] - 1 for at in (span["start"], span["end"]))

    def with_arms(self, start, end, outer=None):
        """Returns a part of the text, with the functions in it."""
        inside = [s for s in self.mutants if within(s, (start, end)) and s != outer]
        inside = sorted(s for s in inside if not any(o != s and within(s, o) for o in inside))
        parts, at = [], start
        for span in inside:
            parts += [self.text[at : span[0]], self.function(span)]
            at = span[1]
        return "".join(parts) + self.text[at:end]

    def function(self, span):
        first, last = BODY.search(self.text, *span).start(), span[1] - 1
        signature = self.text[span[0] : first]
        const = CONST.search(signature)
        if const and const[3] in self.constant:
            return self.text[slice(*span)]
        self.functions.append(span)
        number, arms = len(self.functions), []
        for mutant in self.mutants[span]:
            start, end = self.span(mutant["span"])
            if first < start and end <= last:
                mutant["reached by"] = number
                changed = self.text[first + 1 : start] + mutant["replacement"] + " " + self.text[end:last]
                arms.append(f"/*M{mutant['id']}*/ {mutant['id']} => {{ {changed} }}\n")
        # An arm for each mutant in each inlined copy would be too much for the compiler.
        signature = signature.replace("#[inline(always)]", "#[inline]")
        signature = CONST.sub(r"\1\2", signature)
        arms.append(f"/*M0*/ _ => {{ {self.with_arms(first + 1, last, span)} }}")
        return f"{signature}{{ match crate::mutants::at({number}) {{\n{''.join(arms)} }} }}"


def write(crate, mutants, constant):
    """Writes the crate with these mutants, but for those of functions with a name in `constant`."""
    output(["git", "checkout", "--quiet", "--", "crates"])
    functions, files = [], collections.defaultdict(list)
    for mutant in mutants:
        mutant.pop("reached by", None)
        files[mutant["file"]].append(mutant)
    for file, of_file in files.items():
        source = Source((TREE / file).read_text(), of_file, functions, constant)
        (TREE / file).write_text(source.with_arms(0, len(source.text)))
    library = TREE / crate / "src" / "lib.rs"
    first = re.compile(r"^(?:pub )?mod \w+;", re.MULTILINE)
    library.write_text(first.sub(r"mod mutants;\n\g<0>", library.read_text(), count=1))
    library.with_name("mutants.rs").write_text(MODULE)


def refused(mutants, packages, constant):
    """Returns the numbers of mutants that do not compile, and adds to `constant` what constants call."""
    check = ["cargo", "check", "--tests", "--message-format=json", *packages]
    result = subprocess.run(check, cwd=TREE, env=ENVIRONMENT, capture_output=True, text=True)
    if result.returncode == 0:
        return set()
    values = {mutant["id"] for mutant in mutants if mutant["genre"] == "FnValue"}
    numbers, others, known = set(), set(), set(constant)
    for line in result.stdout.splitlines():
        message = json.loads(line).get("message") or {}
        if (message.get("code") or {}).get("code") == "E0015":
            called = re.search(r"(\w+)(::<[^<>]*>)?`", message["message"])
            if called and called[1] not in known:
                constant.add(called[1])
                continue
        for span in message.get("spans", []) if message.get("level") == "error" else []:
            while span and not (TREE / span["file_name"]).exists():
                span = (span["expansion"] or {}).get("span")
            if not span or not span["is_primary"]:
                continue
            marks = [
                (found.start(), int(found[1]))
                for found in re.finditer(rb"/\*M(\d+)\*/", (TREE / span["file_name"]).read_bytes())
            ]
            at = bisect.bisect([place for place, _ in marks], span["byte_start"]) - 1
            if at >= 0 and marks[at][1]:
                numbers.add(marks[at][1])
                continue
            # An arm before has given the `match` another type.
            before = [number for _, number in marks[:max(at, 0)]]
            while before and before[-1]:
                others.add(before.pop())
    # A closure that is returned has another type in each arm.
    numbers = numbers | others & values or others
    assert numbers or constant > known, result.stderr
    return numbers


def on_two_threads(work, items):
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, items))


def passes(test, seconds, **variables):
    program, folder, name = test
    environment = dict(ENVIRONMENT, CARGO_MANIFEST_DIR=folder, **variables)
    limits = ["prlimit", "--core=0", f"--as={12 << 30}", "timeout", "--signal=KILL", str(seconds)]
    command = [*limits, program, "--exact", name, "--test-threads=1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.run(command, cwd=folder, env=environment, **quiet).returncode == 0


def tests(packages):
    """Builds the tests, and returns each with its seconds and the functions that it reaches."""
    found, result = [], {}
    build = ["cargo", "test", "--quiet", "--no-run", "--message-format=json", "--tests", *packages]
    for line in output(build).splitlines():
        message = json.loads(line)
        program = message.get("executable")
        if not program or not message["profile"]["test"]:
            continue
        every, ignored = (set(output([program, "--list", *only]).split("\n")) for only in ([], ["--ignored"]))
        names = sorted(line[:-6] for line in every - ignored if line.endswith(": test"))
        found += [(program, os.path.dirname(message["manifest_path"]), name) for name in names]

    def try_it(test):
        with tempfile.NamedTemporaryFile() as reached:
            start = time.monotonic()
            if passes(test, 900, KEYLANE_REACHED=reached.name):
                result[test] = time.monotonic() - start, set(map(int, reached.read().split()))
            else:
                print("fails without a mutant:", test[2], flush=True)

    on_two_threads(try_it, found)
    return result


def main():
    package, packages, pattern = sys.argv[1:]
    packages = [argument for name in packages.split(",") for argument in ("--package", name)]
    program = output(["ci/cpus/fetch.sh", "trixie", "cargo-mutants", "cargo-mutants"], ROOT).strip()
    if not TREE.exists():
        subprocess.run(["git", "clone", "--quiet", ROOT, TREE], check=True)
    output(["git", "fetch", "--quiet", ROOT, "HEAD"])
    output(["git", "reset", "--quiet", "--hard", "FETCH_HEAD"])
    output(["git", "clean", "-fdq", "crates"])
    mutants = json.loads(output([program, "mutants", "--package", package, "--list", "--json", "--diff"]))
    crate = f"crates/{package}"
    files = re.compile(f"(?={crate}/src/)(?!.*tests.rs$).*?(?:{pattern})")
    mutants = [mutant for mutant in mutants if mutant["function"] and files.match(mutant["file"])]
    for number, mutant in enumerate(mutants, 1):
        mutant["id"] = number
        mutant["name"] = f"{mutant['file']}: {mutant['diff'].split(chr(10))[1][4:]}"
    constant = set()
    while True:
        write(crate, mutants, constant)
        known = len(constant)
        bad = refused(mutants, packages, constant)
        if not bad and len(constant) == known:
            break
        mutants = [mutant for mutant in mutants if mutant["id"] not in bad]
    mutants = [mutant for mutant in mutants if "reached by" in mutant]
    of_function, killers = collections.defaultdict(list), collections.defaultdict(collections.Counter)
    all_tests = tests(packages)
    for test, (_, reached) in all_tests.items():
        for function in reached:
            of_function[function].append(test)
    missed = []

    def try_mutant(mutant):
        function, start = mutant["reached by"], time.monotonic()
        first = killers[function]
        for test in sorted(of_function[function], key=lambda test: (-first[test], all_tests[test][0])):
            if not passes(test, max(10, 8 * all_tests[test][0]), KEYLANE_MUTANT=str(mutant["id"])):
                first[test] += 1
                return
            if time.monotonic() - start > BUDGET:
                break
        missed.append(mutant["name"])
        print("not noticed:" if of_function[function] else "no test:", mutant["name"], flush=True)

    on_two_threads(try_mutant, mutants)
    noticed = 1 - len(missed) / len(mutants)
    print(f"{len(mutants)} mutants, {100 * noticed:.1f} % noticed")
    sys.exit(noticed < 0.95)


main()
