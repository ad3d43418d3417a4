"""Keylane beside hmac, hashlib, cryptography, PyNaCl and PyCryptodome.

    pip install -r requirements.txt
    python bench.py [--report docs/benchmarks/CPU.md] [--rounds 21] [CASE...]

CASE is a part of a case's name. The report becomes the last part of its CPU's page; every library's figures stand
beside the page.
"""

from __future__ import annotations

import argparse
import json
import platform
import shlex
import ssl
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from timeit import Timer

import keylane
from cases import Case, Way, all_cases
from cryptography.hazmat.backends.openssl import backend

OURS = "keylane"
HEADING = "\n## Python\n"
SAMPLE_SECONDS = 0.002
# Ratios between these, 0.99 to 1.01 when rounded, are level: a run does not tell less apart.
LEVEL = (0.985, 1.015)


@dataclass(frozen=True)
class Row:
    """One case: the median time of a call in seconds, by library, and how far the rounds spread, in shares of that."""

    case: Case
    seconds: dict[str, float]
    spread: dict[str, float]

    @property
    def best_rival(self) -> str | None:
        rivals = [library for library in self.seconds if library != OURS]
        return min(rivals, key=self.seconds.__getitem__, default=None)

    @property
    def ratio(self) -> float | None:
        return self.seconds[OURS] / self.seconds[self.best_rival] if self.best_rival else None


def timer(way: Way) -> Timer:
    """Times the thread's CPU time, so that other programs on a busy machine are not measured."""
    return Timer(way.code, globals=dict(way.names), timer=time.thread_time)


def measure(case: Case, rounds: int) -> Row:
    expected = case.ways[0].result()
    for way in case.ways:
        if way.result() != expected:
            sys.exit(f"{case.name}: {way.library} and {case.ways[0].library} disagree")
    timers = [timer(way) for way in case.ways]
    calls = [calls_in_a_sample(each) for each in timers]
    samples: list[list[float]] = [[] for _ in timers]
    for start in range(rounds):
        for i in rotated(range(len(timers)), start):
            samples[i].append(timers[i].timeit(calls[i]) / calls[i])
    row = Row(case, {}, {})
    for way, times in zip(case.ways, samples):
        low, median, high = statistics.quantiles(times, n=4)
        # A library may have several ways to the same result: the quickest counts.
        if median < row.seconds.get(way.library, float("inf")):
            row.seconds[way.library], row.spread[way.library] = median, (high - low) / median
    return row


def calls_in_a_sample(each: Timer) -> int:
    calls = 1
    while (taken := each.timeit(calls)) < SAMPLE_SECONDS / 2:
        calls *= 2
    return max(1, round(calls * SAMPLE_SECONDS / taken))


def rotated(items: Sequence[int], start: int) -> list[int]:
    start %= len(items)
    return [*items[start:], *items[:start]]


def duration(seconds: float) -> str:
    for factor, unit in [(1e9, "ns"), (1e6, "µs"), (1e3, "ms")]:
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def ratio_cell(row: Row) -> str:
    if row.ratio is None:
        return ""
    return f"**{row.ratio:.2f}**" if row.ratio >= LEVEL[1] else f"{row.ratio:.2f}"


def summary(rows: Sequence[Row]) -> str:
    ratios = [row.ratio for row in rows if row.ratio is not None]
    ahead = sum(ratio < LEVEL[0] for ratio in ratios)
    behind = sum(ratio >= LEVEL[1] for ratio in ratios)
    return (
        f"Of {len(ratios)} rows, Keylane is faster than the best rival in {ahead}, level within 1 % in "
        f"{len(ratios) - ahead - behind}, slower in {behind}."
    )


def table(rows: Sequence[Row]) -> str:
    lines = ["| | Keylane | best rival | ratio |", "|---|---|---|---|"]
    for row in rows:
        rival = f"{row.best_rival} {duration(row.seconds[row.best_rival])}" if row.best_rival else ""
        lines.append(f"| {row.case.name} | {duration(row.seconds[OURS])} | {rival} | {ratio_cell(row)} |")
    return "\n".join(lines) + "\n"


def write(page: Path, text: str, rows: Sequence[Row]) -> None:
    before, _, _ = page.read_text().partition(HEADING)
    page.write_text(before + text)
    lines = [f"{json.dumps(row.case.name)}: {json.dumps(row.seconds)}" for row in rows]
    figures_of(page).write_text("{\n" + ",\n".join(lines) + "\n}\n")


def figures_of(page: Path) -> Path:
    return page.with_name(f"{page.stem}-python.json")


def noise(rows: Sequence[Row]) -> str:
    spreads = sorted(spread for row in rows for spread in row.spread.values())
    half, most = spreads[len(spreads) // 2], spreads[len(spreads) * 9 // 10]
    return (
        f"the middle half of the rounds lies within {half:.1%} in half of all cells, within {most:.1%} in nine of ten"
    )


def what_runs() -> str:
    chosen: dict[str, list[str]] = {}
    for found in keylane.backends():
        if found.chosen:
            since = f" from {found.from_messages} messages" if found.from_messages > 1 else ""
            chosen.setdefault(found.primitive, []).append(found.name + since)
    return "; ".join(f"{primitive}: {', '.join(names)}" for primitive, names in chosen.items())


def markdown(rows: Sequence[Row], rounds: int, seconds: float, page: Path) -> str:
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], check=True, capture_output=True, text=True)
    libraries = [
        f"hmac and hashlib ({platform.python_implementation()} {platform.python_version()}, {ssl.OPENSSL_VERSION})",
        f"cryptography {version('cryptography')} ({backend.openssl_version_text()})",
        f"pynacl {version('PyNaCl')}",
        f"pycryptodome {version('pycryptodome')}",
    ]
    return f"""{HEADING}
- Date: {datetime.now(timezone.utc).date()}
- Commit: {commit.stdout.strip()}
- Made: in {seconds:.0f} s by `{shlex.join(["python", *sys.argv])}`: CPU time of one thread, medians of {rounds}
  interleaved rounds. All libraries gave the same results before they were timed. Where a library has several ways,
  its quickest.
- Noise: {noise(rows)}
- Keylane runs here: {what_runs()}
- Libraries: {"; ".join(libraries)}; [figures of all]({figures_of(page).name})

{summary(rows)} Times are those of one call, or of a whole batch. Ratio: below 1, Keylane is faster.

{table(rows)}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, metavar="PAGE", help="write the part of a CPU's page")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="a part of a case's name")
    arguments = parser.parse_args()
    start = time.monotonic()
    rows = []
    for case in all_cases():
        if arguments.cases and not any(part in case.name for part in arguments.cases):
            continue
        row = measure(case, arguments.rounds)
        rows.append(row)
        rival = f"{row.best_rival} {duration(row.seconds[row.best_rival])}" if row.best_rival else ""
        print(f"{case.name:36} {duration(row.seconds[OURS]):>9}   {rival:24} {ratio_cell(row)}", flush=True)
    print(summary(rows))
    if arguments.report:
        text = markdown(rows, arguments.rounds, time.monotonic() - start, arguments.report)
        write(arguments.report, text, rows)


if __name__ == "__main__":
    main()
