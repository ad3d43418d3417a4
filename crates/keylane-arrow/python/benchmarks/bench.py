"""Times keylane.arrow beside what people use today, and writes a report with plots.

    pip install --requirement requirements.txt ../../../.. ..
    python bench.py --report ../../../../docs/benchmarks/columns.md

The part in Rust is `examples/rows.rs`, which cargo builds twice: as it is, and for a CPU without SHA instructions.
Rivals that take more than 200 ns a row are timed on fewer rows. Medians of interleaved rounds. With `--figures`,
parts are measured in turns: each part whose figures are in that file is not measured again.
"""

import argparse
import hashlib
import hmac
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import duckdb
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
# What is drawn in grey.
RIVALS = ("RustCrypto", "polars-hash", "row by row", "Spark, its", "Spark, no", "Python UDF")
MASKED = '--cfg keylane_mask --cfg sha2_backend="soft"'
PEAK = """
import sys, pyarrow as pa, pyarrow.parquet as pq
from keylane import arrow

def kibibytes(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))

key = arrow.KeyRing(keys={"a": bytes(32)})["a"]
open("/proc/self/clear_refs", "w").write("5")  # the peak so far is forgotten
base = kibibytes("VmRSS")
for batch in pq.ParquetFile(sys.argv[1]).iter_batches(65536, columns=["text"]):
    if "read" not in sys.argv:
        pa.array(arrow.hmac(batch["text"], key))
print(kibibytes("VmHWM") - base)
"""


def texts(rows: int) -> pa.Array:
    """Returns strings of 8 to 40 bytes."""

    def text(i: int) -> str:
        number = (i * 0x9E3779B97F4A7C15) % 2**64
        return f"{number:020}{number:020}"[: 8 + (number >> 40) % 33]

    return pa.array([text(i) for i in range(rows)])


def interleaved(cases: Mapping[str, tuple[int, Callable[[], object]]], rounds: int) -> dict[str, float]:
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

    def polars(function: Callable[[pl.Series], object], kind: type[pl.DataType]) -> Callable[[], object]:
        column = pl.col("a").map_batches(lambda a: pl.Series(function(a)), return_dtype=kind)  # type: ignore[arg-type]
        return lambda: series.to_frame().select(column)

    def customer(email: pa.ChunkedArray) -> pa.Array:
        return pa.chunked_array(arrow.token(email, text_key, length=32)).combine_chunks()

    sealed = [pa.array(arrow.seal(batch, key, "a", deterministic=True)) for batch in batches]
    connection = duckdb.connect()
    connection.create_function("customer", customer, ["VARCHAR"], "VARCHAR", type="arrow")  # type: ignore[call-overload]
    connection.register("people", pa.table({"text": column}))
    query = "SELECT customer(text) FROM people"
    assert polars_hash()["a"][:9].to_list() == [
        hmac.digest(TEXT.encode(), text.as_py().encode(), "sha256").hex() for text in column[:9]
    ]
    return interleaved(
        {
            "keylane.arrow.hmac": (rows, lambda: [arrow.hmac(batch, key) for batch in batches]),
            "keylane.arrow.token": (rows, lambda: [arrow.token(batch, key, length=32) for batch in batches]),
            "Polars, keylane.arrow.token": (
                rows,
                polars(lambda a: arrow.token(a, text_key, length=32), pl.String),
            ),
            "Polars, polars-hash": (rows, polars_hash),
            "Polars, keylane.arrow.hmac": (rows, polars(lambda a: arrow.hmac(a, key), pl.Binary)),
            "Polars, hmac row by row": (
                len(few),
                lambda: some.map_elements(lambda s: hmac.digest(KEY, s.encode(), hashlib.sha256), pl.Binary),
            ),
            "keylane.arrow.seal": (
                rows,
                lambda: [arrow.seal(batch, key, "a", deterministic=True) for batch in batches],
            ),
            "keylane.arrow.open": (
                rows,
                lambda: [arrow.open(batch, key, "a", deterministic=True) for batch in sealed],
            ),
            "Polars, keylane.arrow.seal": (
                rows,
                polars(lambda a: arrow.seal(a, key, "a", deterministic=True), pl.Binary),
            ),
            "Polars, cryptography row by row": (
                len(few),
                lambda: some.map_elements(lambda s: siv.encrypt(bytes(12), s.encode(), b"text:a"), pl.Binary),
            ),
            "DuckDB, keylane.arrow.token": (rows, lambda: connection.sql(query).to_arrow_table()),
        },
        rounds,
    )


def in_spark(rows: int, rounds: int) -> dict[str, float]:
    """From Parquet to Parquet with two worker processes."""
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import functions as f

    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = Path(tempfile.mkdtemp())
    (folder / "key").touch(mode=0o600)
    (folder / "key").write_bytes(KEY)
    (folder / "in").mkdir()
    column = texts(rows)
    for i in range(8):
        part = column[i * rows // 8 : (i + 1) * rows // 8]
        pq.write_table(pa.table({"text": part}), folder / "in" / f"{i}.parquet", compression="zstd")
    spark = (
        SparkSession.builder.master("local-cluster[2,1,2048]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")
        .config("spark.sql.parquet.compression.codec", "zstd")
        .getOrCreate()
    )
    ring = arrow.KeyRing({"a": folder / "key"})

    def of_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.record_batch({"mac": pa.array(arrow.hmac(batch["text"], ring["a"])).cast(pa.binary())})

    def tokens(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.record_batch({"token": pa.array(arrow.token(batch["text"], ring["a"]))})

    def sealed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.record_batch({"sealed": pa.array(arrow.seal(batch["text"], ring["a"], "text"))})

    @f.udf("binary")
    def row_by_row(text: str) -> bytes:
        return hmac.digest(KEY, text.encode(), "sha256")

    def written(result: DataFrame) -> Callable[[], None]:
        return lambda: result.write.mode("overwrite").parquet(str(folder / "out"))

    frame = spark.read.parquet(str(folder / "in"))
    text = f.col("text").cast("binary")
    cases = {
        "Spark, keylane.arrow.hmac": (rows, written(frame.mapInArrow(of_batches, "mac binary"))),
        "Spark, keylane.arrow.token": (rows, written(frame.mapInArrow(tokens, "token string"))),
        "Spark, keylane.arrow.seal": (rows, written(frame.mapInArrow(sealed, "sealed binary"))),
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


def memory(rows: int) -> dict[str, float]:
    """Returns the MiB that batches of 65,536 rows take, read and hashed, beside Python's and the modules'."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        pq.write_table(pa.table({"text": texts(rows)}), path, row_group_size=65536)
        command = [sys.executable, "-c", PEAK, str(path)]
        return {
            what: int(subprocess.run([*command, what], check=True, text=True, stdout=subprocess.PIPE).stdout) / 1024
            for what in ("read", "hashed")
        }


def sizes(rows: int) -> dict[str, float]:
    """Returns the bytes that a row takes in a Parquet file."""
    key = arrow.KeyRing(keys={"a": KEY})["a"]
    text = texts(rows)
    columns: dict[str, pa.Array] = {"the strings": text, "hmac": pa.array(arrow.hmac(text, key))}
    for form in ("hex", "base64url", "int64"):
        columns[f"token, {form}"] = pa.array(arrow.token(text, key, form=form))
    columns["seal, deterministic"] = pa.array(arrow.seal(text, key, "a", deterministic=True))
    columns["seal, random"] = pa.array(arrow.seal(text, key, "a"))
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        for name, column in columns.items():
            for codec in ("snappy", "zstd"):
                pq.write_table(pa.table({"a": column}), path, compression=codec, use_dictionary=False)
                found[f"{name} ({codec})"] = path.stat().st_size / rows
    return found


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
        colors = ["#9aa4ad" if any(rival in name for rival in RIVALS) else "#1f6feb" for name in names]
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
    parser.add_argument("--figures", type=Path, help="where to keep the figures of parts, as JSON")
    parser.add_argument("--only", choices=["spark", "memory", "sizes", "rust", "masked", "python"])
    arguments = parser.parse_args()
    rows, rounds = arguments.rows, arguments.rounds
    parts: dict[str, Callable[[], dict[str, float]]] = {
        "spark": lambda: in_spark(rows, rounds),
        "memory": lambda: memory(rows),
        "sizes": lambda: sizes(rows // 10),
        # These on one core.
        "rust": lambda: in_rust(rows, masked=False),
        "masked": lambda: in_rust(rows, masked=True),
        "python": lambda: in_python(rows, rounds),
    }
    kept = arguments.figures and arguments.figures.exists()
    figures: dict[str, dict[str, float]] = json.loads(arguments.figures.read_text()) if kept else {}
    for name, measure in parts.items():
        if name in figures or arguments.only not in (None, name):
            continue
        if name in ("rust", "masked", "python"):
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        figures[name] = measure()
        if arguments.figures:
            arguments.figures.write_text(json.dumps(figures))
    if arguments.only:
        print(json.dumps(figures[arguments.only], indent=1))
        return
    groups = {
        "Rust": figures["rust"],
        "Rust, without SHA instructions": figures["masked"],
        "Python": figures["python"],
        "Spark, from Parquet to Parquet on two workers, elapsed": figures["spark"],
    }
    rust, masked, python, spark = groups.values()
    bars = [
        ("HMAC beside RustCrypto row by row", rust["hmac, RustCrypto"] / rust["hmac"], 1.5, 2.5),
        ("the same without SHA instructions", masked["hmac, RustCrypto"] / masked["hmac"], 3, 6),
        (
            "token in Polars beside polars-hash",
            python["Polars, polars-hash"] / python["Polars, keylane.arrow.token"],
            1.5,
            2.5,
        ),
        (
            "HMAC in Polars beside a Python function",
            python["Polars, hmac row by row"] / python["Polars, keylane.arrow.hmac"],
            30,
            100,
        ),
        (
            "sealing in Polars beside `cryptography`",
            python["Polars, cryptography row by row"] / python["Polars, keylane.arrow.seal"],
            20,
            60,
        ),
        ("Spark beside its `hmac`", spark["Spark, its hmac"] / spark["Spark, keylane.arrow.hmac"], 1.5, 3),
    ]
    facts = dict(map(str.strip, line.split(":", 1)) for line in open("/proc/cpuinfo") if ":" in line)
    cpu = f"{facts['model name']} (family {facts['cpu family']}, model {facts['model']})"
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
        cwd=CRATE,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    ).stdout.strip()
    picture = arguments.report.with_suffix(".svg")
    plot(groups, picture)
    command = f"`bench.py --rows {rows} --rounds {rounds}`"
    about = (
        f"{cpu}, {platform.python_implementation()} {platform.python_version()}, commit {commit}, {command} of "
        "`crates/keylane-arrow/python/benchmarks`: strings of 8 to 40 bytes, medians of interleaved rounds. Rust and "
        "Python on one core, Spark with two worker processes of one core each, Parquet compressed by Zstandard. Rivals "
        f"that work row by row in Polars have {rows // 20:,} rows. Bold: below the bar."
    )
    text = [
        "# Columns",
        "",
        *textwrap.wrap(about, 120, break_on_hyphens=False),
        "",
        f"![nanoseconds per row]({picture.name})",
        "",
        "| | times faster | bar | goal |",
        "|---|---|---|---|",
        *(
            f"| {name} | {f'{ratio:.1f}' if ratio >= bar else f'**{ratio:.1f}**'} | {bar} | {goal} |"
            for name, ratio, bar, goal in bars
        ),
        "",
        f"Reading the rows from a Parquet file in batches of 65,536 takes {figures['memory']['read']:.1f} MiB of memory; "
        f"with HMAC of each batch, {figures['memory']['hashed']:.1f} MiB.",
        "",
    ]
    for title, cases in groups.items():
        text += [
            f"| {title} | ns per row |",
            "|---|---|",
            *(f"| {name} | {figure:.1f} |" for name, figure in cases.items()),
            "",
        ]
    text += [
        "| bytes of a row in Parquet | Snappy | Zstandard |",
        "|---|---|---|",
        *(
            f"| {name} | {figures['sizes'][f'{name} (snappy)']:.1f} | {figures['sizes'][f'{name} (zstd)']:.1f} |"
            for name in dict.fromkeys(name.split(" (")[0] for name in figures["sizes"])
        ),
        "",
    ]
    arguments.report.write_text("\n".join(text))
    print("\n".join(text))


if __name__ == "__main__":
    main()
