"""Pseudonymises a Parquet folder with Spark: `email` and `phone` become tokens, `born` is sealed.

    python pseudonymise.py KEYS run INPUT OUTPUT
    python pseudonymise.py KEYS born OUTPUT ada@example.org

KEYS is a folder of email.key, phone.key and born.key, each from `keylane keygen`. Every worker reads them from
there: mount it on all machines, or name variables of the environment in their place.
"""

import argparse
import datetime
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from keylane import arrow


def pseudonymise(spark: SparkSession, ring: arrow.KeyRing, source: str, target: str) -> None:
    """Writes the pseudonymised rows. Spark shows the progress of its tasks."""
    people = spark.read.parquet(source)
    kinds = {"email": StringType(), "phone": StringType(), "born": BinaryType()}
    fields = [StructField(f.name, kinds.get(f.name, f.dataType)) for f in people.schema.fields]

    def of_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # The ring was pickled by the places of its keys, which were read when the task began.
        for batch in batches:
            columns = {name: batch[name] for name in batch.schema.names}
            for name in ("email", "phone"):
                columns[name] = pa.array(arrow.token(columns[name], ring[name]))
            columns["born"] = pa.array(arrow.seal(columns["born"], ring["born"], "born"))
            yield pa.record_batch(columns)

    people.mapInArrow(of_batches, StructType(fields)).write.parquet(target)


def born(spark: SparkSession, ring: arrow.KeyRing, folder: str, email: str) -> datetime.date | None:
    """Returns the date of birth of the person with this e-mail address, if there is one."""
    token = pa.array(arrow.token(pa.array([email]), ring["email"]))[0].as_py()
    rows = spark.read.parquet(folder).where(f"email = '{token}'").select("born").collect()
    sealed = pa.array([bytes(row["born"]) for row in rows if row["born"] is not None], pa.binary())
    dates: list[datetime.date] = pa.array(arrow.open(sealed, ring["born"], "born", type="Date32")).to_pylist()
    return dates[0] if dates else None


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("keys", type=Path)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("input")
    run.add_argument("output")
    find = commands.add_parser("born")
    find.add_argument("folder")
    find.add_argument("email")
    arguments = parser.parse_args()
    ring = arrow.KeyRing({name: arguments.keys / f"{name}.key" for name in ("email", "phone", "born")})
    builder = SparkSession.builder.appName("pseudonymise")
    spark = builder.config("spark.ui.showConsoleProgress", "true").getOrCreate()
    if arguments.command == "run":
        pseudonymise(spark, ring, arguments.input, arguments.output)
    else:
        print(born(spark, ring, arguments.folder, arguments.email))
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())
