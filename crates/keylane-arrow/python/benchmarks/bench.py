"""Times keylane.arrow beside what people use today, and writes a report with plots.

    pip install --requirement requirements.txt keylane[arrow]
    python bench.py --report ../../../../docs/benchmarks/columns.md

The part in Rust is `examples/rows.rs`, which cargo builds twice: as it is, and for a CPU without SHA instructions.
Rivals that take more than 200 ns a row are timed on fewer rows. Medians of interleaved rounds.
"""

import argparse
import hashlib
import hmac
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib
import polars as pl
import polars_hash as plh
import pyarrow as pa
import pyarrow.parquet as pq
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

from keylane import arrow

matplotlib.use("svg")
from matplotlib import pyplot

KEY = bytes([7]) * 32
TEXT = "A key that is no secret, of 32 B"
CRATE = Path(__file__).parents[2]
MASKED = '--cfg keylane_mask --cfg sha2_backend="soft"'
PEAK = """
import resource, sys, pyarrow as pa, pyarrow.parquet as pq
from keylane import arrow
key = arrow.KeyRing(keys={"a": bytes(32)})["a"]
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for batch in pq.ParquetFile(sys.argv[1]).iter_batches(65536, columns=["text"]):
    pa.array(arrow.hmac(batch["text"], key))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base)
"""


def texts(rows: int) -> pa.Array:
    """Returns strings of 8 to 40 bytes."""

    def text(i: int) -> str:
        number = (i * 0x9E3779B97F4A7C15) % 2**64
        return f"{number:020}{number:020}"[: 8 + (number >> 40) % 33]

    return pa.array([text(i) for i in range(rows)])


def interleaved(cases: dict[str, tuple[int, Callable[[], object]]], rounds: int) -> dict[str, float]:
    """Returns nanoseconds per row of each case, which has its number of rows."""
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, (rows, run) in cases.items():
            start = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - start) * 1e9 / rows)
    return {name: statistics.median(list) for name, list in times.items()}


def in_rust(rows: int, masked: bool) -> dict[str, float]:
    """Runs examples/rows.rs."""
    environment = dict(os.environ)
    command = ["cargo", "run", "--release", "--quiet", "--example", "rows"]
    if masked:
        environment |= {"RUSTFLAGS": MASKED, "KEYLANE_MASK": "sha-ni"}
        command += ["--target-dir", "target/masked"]
    lines = subprocess.run(
        [*command, "--", str(rows)], cwd=CRATE, env=environment, check=True, text=True, stdout=subprocess.PIPE
    ).stdout.splitlines()
    return {name: float(figure) for name, figure in (line.split("\t") for line in lines)}


def in_python(rows: int, rounds: int) -> dict[str, float]:
    """Columns of Python: Polars, pyarrow, and functions that are called for each row."""
    key = arrow.KeyRing(keys={"a": KEY})["a"]
    text_key = arrow.KeyRing(keys={"a": TEXT.encode()})["a"]
    column = texts(rows)
    few = column[: rows // 20]
    batches = [column[i : i + 65536] for i in range(0, rows, 65536)]
    series, some = pl.Series("a", column), pl.Series("a", few)
    siv = AESGCMSIV(KEY)

    def polars_hash() -> pl.DataFrame:
        return series.to_frame().select(plh.col("a").chash.hmac_sha256(key=TEXT))

    def tokens(series: pl.Series) -> pl.Series:
        return pl.Series(arrow.token(series, text_key, length=32))

    assert polars_hash()["a"][:9].to_list() == [
        hmac.digest(TEXT.encode(), text.as_py().encode(), "sha256").hex() for text in column[:9]
    ]
    return interleaved(
        {
            "keylane.arrow.hmac": (rows, lambda: [arrow.hmac(batch, key) for batch in batches]),
            "keylane.arrow.token": (rows, lambda: [arrow.token(batch, key, length=32) for batch in batches]),
            "Polars, keylane.arrow.token": (
                rows,
                lambda: series.to_frame().select(pl.col("a").map_batches(tokens, return_dtype=pl.String)),
            ),
            "Polars, polars-hash": (rows, polars_hash),
            "Polars, hmac row by row": (
                len(few),
                lambda: some.map_elements(lambda s: hmac.digest(KEY, s.encode(), hashlib.sha256), pl.Binary),
            ),
            "keylane.arrow.seal": (
                rows,
                lambda: [arrow.seal(batch, key, "a", deterministic=True) for batch in batches],
            ),
            "Polars, cryptography row by row": (
                len(few),
                lambda: some.map_elements(lambda s: siv.encrypt(bytes(12), s.encode(), b"a"), pl.Binary),
            ),
        },
        rounds,
    )


def in_spark(rows: int, rounds: int) -> dict[str, float]:
    """From Parquet to Parquet with two worker processes."""
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import functions as f

    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = Path(tempfile.mkdtemp())
    (folder / "key").write_bytes(KEY)
    (folder / "in").mkdir()
    column = texts(rows)
    for i in range(8):
        part = column[i * rows // 8 : (i + 1) * rows // 8]
        pq.write_table(pa.table({"text": part}), folder / "in" / f"{i}.parquet")
    spark = (
        SparkSession.builder.master("local-cluster[2,1,2048]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")
        .getOrCreate()
    )
    ring = arrow.KeyRing({"a": folder / "key"})

    def of_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.record_batch({"mac": pa.array(arrow.hmac(batch["text"], ring["a"])).cast(pa.binary())})

    @f.udf("binary")
    def row_by_row(text: str) -> bytes:
        return hmac.digest(KEY, text.encode(), "sha256")

    def written(result: DataFrame) -> Callable[[], None]:
        return lambda: result.write.mode("overwrite").parquet(str(folder / "out"))

    frame = spark.read.parquet(str(folder / "in"))
    text = f.col("text").cast("binary")
    cases = {
        "Spark, keylane.arrow.hmac": (rows, written(frame.mapInArrow(of_batches, "mac binary"))),
        "Spark, its hmac": (rows, written(frame.select(f.hmac(f.lit(KEY), text).alias("mac")))),
        "Spark, its sha2": (rows, written(frame.select(f.sha2(text, 256).alias("mac")))),
        "Spark, no function": (rows, written(frame.select(text.alias("mac")))),
        "Spark, Python UDF": (rows, written(frame.select(row_by_row("text").alias("mac")))),
    }
    written(frame.select("text"))()
    times = interleaved(cases, rounds)
    spark.stop()
    shutil.rmtree(folder)
    return times


def memory(rows: int) -> int:
    """Returns how much memory batches of 65,536 rows take, in KiB, beside Python's and the modules'."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        pq.write_table(pa.table({"text": texts(rows)}), path, row_group_size=65536)
        command = [sys.executable, "-c", PEAK, str(path)]
        return int(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout)


def plot(groups: dict[str, dict[str, float]], path: Path) -> None:
    """Draws a bar for each case, a panel for each group."""
    heights = [len(cases) for cases in groups.values()]
    figure, panels = pyplot.subplots(
        len(groups),
        figsize=(8, 0.32 * sum(heights) + 0.7 * len(groups)),
        height_ratios=heights,
        layout="tight",
    )
    for panel, (title, cases) in zip(panels, groups.items(), strict=True):
        names = list(reversed(cases))
        figures = [cases[name] for name in names]
        colors = [
            "#1f6feb"
            if "eylane" in name or name.split(",")[0] in ("hmac", "seal") and "Rust" not in name
            else "#9aa4ad"
            for name in names
        ]
        panel.set_xscale("log")
        panel.bar_label(
            panel.barh(names, figures, color=colors), [f"{figure:.0f}" for figure in figures], padding=3
        )
        panel.set_title(f"{title}: ns per row", fontsize=10, loc="left")
        panel.spines[["top", "right"]].set_visible(False)
        panel.margins(x=0.15)
    matplotlib.rcParams["svg.hashsalt"] = "keylane"
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Runs the benchmarks and writes the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--report", type=Path, required=True)
    arguments = parser.parse_args()
    rows, rounds = arguments.rows, arguments.rounds
    spark = in_spark(rows, rounds)
    used = memory(rows)
    # The others on one core.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    groups = {
        "Rust": in_rust(rows, masked=False),
        "Rust, without SHA instructions": in_rust(rows, masked=True),
        "Python": in_python(rows, rounds),
        "Spark, from Parquet to Parquet on two workers": spark,
    }
    rust, masked, python, spark = groups.values()
    bars = [
        ("HMAC beside RustCrypto row by row", rust["hmac, RustCrypto"] / rust["hmac"], 1.5, 2.5),
        ("the same without SHA instructions", masked["hmac, RustCrypto"] / masked["hmac"], 3, 6),
        (
            "HMAC in Polars beside polars-hash",
            python["Polars, polars-hash"] / python["Polars, keylane.arrow.token"],
            1.5,
            2.5,
        ),
        (
            "HMAC beside a Python function",
            python["Polars, hmac row by row"] / python["keylane.arrow.hmac"],
            30,
            100,
        ),
        (
            "sealing beside `cryptography`",
            python["Polars, cryptography row by row"] / python["keylane.arrow.seal"],
            20,
            60,
        ),
        ("Spark beside its `hmac`", spark["Spark, its hmac"] / spark["Spark, keylane.arrow.hmac"], 1.5, 3),
    ]
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    picture = arguments.report.with_suffix(".svg")
    plot(groups, picture)
    command = f"`bench.py --rows {rows} --rounds {rounds}`"
    text = [
        "# Columns",
        "",
        f"{cpu}, {platform.python_implementation()} {platform.python_version()}, {command} of "
        "`crates/keylane-arrow/python/benchmarks`: strings of 8 to 40 bytes, medians of interleaved rounds. Rust and",
        "Python on one core, Spark with two worker processes.",
        "",
        f"![nanoseconds per row]({picture.name})",
        "",
        "| | times faster | bar | goal |",
        "|---|---|---|---|",
        *(f"| {name} | {ratio:.1f} | {bar} | {goal} |" for name, ratio, bar, goal in bars),
        "",
        f"Batches of 65,536 rows from a Parquet file: {used / 1024:.0f} MiB beside what Python and the modules take.",
        "",
    ]
    for title, cases in groups.items():
        text += [
            f"| {title} | ns per row |",
            "|---|---|",
            *(f"| {name} | {figure:.1f} |" for name, figure in cases.items()),
            "",
        ]
    arguments.report.write_text("\n".join(text))
    print("\n".join(text))


if __name__ == "__main__":
    main()
