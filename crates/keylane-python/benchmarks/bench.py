"""Keylane beside hmac, hashlib, cryptography, PyNaCl and PyCryptodome.

    pip install -r requirements.txt
    python bench.py [--report docs/benchmarks] [--rounds 21] [CASE...]

CASE is a part of a case's name. The report is called after the CPU.
"""

from __future__ import annotations

import argparse
import platform
import re
import shlex
import ssl
import statistics
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
RIVALS = ["hmac", "hashlib", "cryptography", "pynacl", "pycryptodome"]
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


def cpu_name() -> str:
    """Returns the name that the CPU gives itself and, where that says little, its family."""
    try:
        info = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in info.splitlines())}
    if "model name" not in fields:
        return platform.machine()
    family, model = int(fields.get("cpu family", 0)), int(fields.get("model", 0))
    generation = amd_generation(family, model) if fields.get("vendor_id") == "AuthenticAMD" else None
    return f"{fields['model name']} ({generation or f'family {family}, model {model}'})"


def amd_generation(family: int, model: int) -> str | None:
    """Intel's names tell the generation by themselves."""
    if family == 23:
        return "Zen" if model < 0x30 else "Zen 2"
    if family == 25:
        return "Zen 4" if 0x10 <= model < 0x20 or 0x60 <= model < 0x80 or 0xA0 <= model < 0xB0 else "Zen 3"
    return "Zen 5" if family == 26 else None


def slug(name: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))


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
        f"Of {len(ratios)} rows, Keylane is ahead of the best rival in {ahead}, level within 1 % in "
        f"{len(ratios) - ahead - behind}, behind in {behind}."
    )


def table(rows: Sequence[Row]) -> str:
    lines = [f"| case | {OURS} | best rival | ratio | {' | '.join(RIVALS)} |", "|---" * (4 + len(RIVALS)) + "|"]
    for row in rows:
        rivals = [duration(row.seconds[name]) if name in row.seconds else "" for name in RIVALS]
        cells = [row.case.name, duration(row.seconds[OURS]), row.best_rival or "", ratio_cell(row), *rivals]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


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


def markdown(rows: Sequence[Row], rounds: int, seconds: float) -> str:
    made = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    libraries = [
        f"keylane ({version('keylane')})",
        f"hmac and hashlib ({platform.python_implementation()} {platform.python_version()}, {ssl.OPENSSL_VERSION})",
        f"cryptography ({version('cryptography')}, {backend.openssl_version_text()})",
        f"pynacl ({version('PyNaCl')})",
        f"pycryptodome ({version('pycryptodome')})",
    ]
    return f"""\
# Keylane for Python beside other libraries: {cpu_name()}

- Made: {made}, in {seconds:.0f} s
- Command: `{shlex.join(["python", *sys.argv])}`
- How: one thread, its CPU time; {rounds} interleaved rounds a case, the starting library rotating; the median of the
  rounds. All libraries gave the same results before they were timed. Where a library has several ways, its quickest.
- Noise: {noise(rows)}
- Keylane runs here: {what_runs()}
- Libraries: {"; ".join(libraries)}

{summary(rows)}

Time of one call, or of a whole batch. Ratio: Keylane's time over the best rival's; below 1, Keylane is ahead.

{table(rows)}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="write FOLDER/CPU-python.md")
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
        path = arguments.report / f"{slug(cpu_name())}-python.md"
        path.write_text(markdown(rows, arguments.rounds, time.monotonic() - start))
        print(path)


if __name__ == "__main__":
    main()
