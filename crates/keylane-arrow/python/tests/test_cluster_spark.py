"""Spark with two worker processes: the result, a killed executor, errors, and what is on the disk afterwards."""

import datetime
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import pyspark
from data import KEY, token, tokens_of
from pyspark import cloudpickle
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import arrow_udf, col

from keylane import arrow

SCHEMA = "id bigint, customer string"
# Where local-cluster's workers have their folders: logs and files of shuffles.
WORKERS = Path(pyspark.__file__).parent / "work"
SUBMIT = "--master local[2] --conf spark.sql.parquet.compression.codec=zstd pyspark-shell"
# The workers cannot import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def work(folder: Path) -> Path:
    path = folder / "spark"
    (path / "events").mkdir(parents=True)
    return path


@pytest.fixture(scope="module")
def spark(work: Path) -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    shutil.rmtree(WORKERS, ignore_errors=True)
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{work / 'events'}",
        "spark.eventLog.compress": "false",
        "spark.local.dir": str(work / "local"),
        # It would remove a shuffle's files when Java collects what refers to them, before they are searched.
        "spark.cleaner.referenceTracking": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.files.maxPartitionBytes": "4m",
        "spark.sql.parquet.compression.codec": "zstd",
    }
    session = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=settings).getOrCreate()
    yield session
    session.stop()


def tokens(people: DataFrame, ring: arrow.KeyRing, name: str, flag: Path | None = None) -> DataFrame:
    """Returns the token of each e-mail address. The first task to find no flag kills its executor half-way."""

    def of_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for i, batch in enumerate(batches):
            if flag is not None and i == 3:
                kill_executor(flag)
            customer = pa.array(arrow.token(batch["email"], ring[name]))
            yield pa.record_batch({"id": batch["id"], "customer": customer})

    return people.mapInArrow(of_batches, SCHEMA)


def kill_executor(flag: Path) -> None:
    try:
        flag.touch(exist_ok=False)
    except FileExistsError:
        return
    process = os.getpid()
    # Python's worker, its daemon, the executor.
    while "CoarseGrainedExecutorBackend" not in Path(f"/proc/{process}/cmdline").read_text():
        status = Path(f"/proc/{process}/status").read_text()
        process = int(status.split("PPid:")[1].split()[0])
    os.kill(process, signal.SIGKILL)


def test_map_in_arrow_with_a_killed_executor(
    spark: SparkSession, ring: arrow.KeyRing, people: Path, work: Path, want: dict[int, str | None]
) -> None:
    flag = work / "killed"
    result = tokens(spark.read.parquet(str(people)), ring, "customers", flag)
    result.write.parquet(str(work / "tokens"))
    assert flag.exists()
    assert dict(tokens_of(work / "tokens")) == want


def test_an_arrow_udf(
    spark: SparkSession, ring: arrow.KeyRing, people: Path, work: Path, want: dict[int, str | None]
) -> None:
    @arrow_udf("string")  # type: ignore[call-overload, untyped-decorator, unused-ignore]
    def customer(email: pa.Array) -> pa.Array:
        return pa.array(arrow.token(email, ring["customers"]))

    result = spark.read.parquet(str(people)).select("id", customer(col("email")).alias("customer"))
    result.write.parquet(str(work / "udf"))
    assert dict(tokens_of(work / "udf")) == want
    # With a shuffle, whose files are on the disk.
    repeated = result.groupBy("customer").count().where("count > 1").collect()
    assert sum(row["count"] for row in repeated if row["customer"]) > 1000


def test_a_wrong_key_name(spark: SparkSession, ring: arrow.KeyRing, people: Path) -> None:
    with pytest.raises(PythonException, match="the key ring has no key named `custmers`"):
        tokens(spark.read.parquet(str(people)), ring, "custmers").collect()


def test_a_worker_without_the_key_file(spark: SparkSession, people: Path, tmp_path: Path) -> None:
    path = tmp_path / "gone.key"
    path.write_bytes(os.urandom(32))
    ring = arrow.KeyRing({"customers": path})
    result = tokens(spark.read.parquet(str(people)), ring, "customers")
    path.unlink()
    with pytest.raises(Exception, match="no key in the file .*gone.key"):
        result.collect()


def test_nothing_that_spark_wrote_holds_the_key(
    spark: SparkSession, work: Path, leaks: Callable[[Path], list[Path]]
) -> None:
    names = {file.name for folder in (work, WORKERS) for file in folder.rglob("*")}
    for kind in ("stderr", "shuffle_", "part-", "events_"):
        assert any(name.startswith(kind) for name in names), (kind, sorted(names))
    assert leaks(work) == []
    assert leaks(WORKERS) == []


def test_the_example_pseudonymises_a_folder_and_finds_one_person(tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    people = {
        "email": ["ada@example.org", None, "bob@example.org"],
        "phone": ["+44 1", "+44 2", None],
        "born": pa.array([datetime.date(1985, 3, 2), None, datetime.date(2001, 1, 1)]),
        "country": ["GB", "DE", "FR"],
    }
    pq.write_table(pa.table(people), tmp_path / "people" / "part.parquet", compression="zstd")
    for name in ("email", "phone", "born"):
        (tmp_path / f"{name}.key").write_bytes(KEY)
    example = Path(__file__).parents[1] / "examples" / "pseudonymise.py"

    def run(*arguments: object) -> str:
        command = [sys.executable, example, tmp_path, *arguments]
        # Not in the cluster of this process.
        environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": SUBMIT}
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    run("run", tmp_path / "people", tmp_path / "pseudonyms")
    rows = pq.read_table(tmp_path / "pseudonyms").to_pylist()
    assert [row["email"] for row in rows] == [token(email) for email in people["email"]]
    assert [row["phone"] for row in rows] == [token(phone) for phone in people["phone"]]
    assert [row["country"] for row in rows] == people["country"]
    assert run("born", tmp_path / "pseudonyms", "ada@example.org").strip() == "1985-03-02"
    assert run("born", tmp_path / "pseudonyms", "eve@example.org").strip() == "None"
