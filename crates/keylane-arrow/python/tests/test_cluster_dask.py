"""Dask with two worker processes: the result, a killed worker, errors, and what is on the disk afterwards."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import dask
import dask.dataframe as dd
import pandas as pd
import pytest
from data import tokens_of
from distributed import Client, LocalCluster

from keylane import arrow

RESULT = {"id": "int64", "customer": "string[pyarrow]"}


@pytest.fixture(scope="module")
def work(folder: Path) -> Path:
    path = folder / "dask"
    path.mkdir()
    return path


@pytest.fixture(scope="module")
def client(work: Path) -> Iterator[Client]:
    os.chdir(work)
    settings = {"temporary-directory": str(work), "distributed.scheduler.allowed-failures": 3}
    with (
        dask.config.set(settings),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        with Client(cluster) as client:
            yield client


def tokens(part: pd.DataFrame, ring: arrow.KeyRing, name: str, flag: str | None = None) -> pd.DataFrame:
    """Returns the token of each e-mail address. The first worker to find no flag dies."""
    if flag is not None and len(part) > 0:
        try:
            Path(flag).touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
    customer = arrow.token(part["email"], ring[name]).astype(RESULT["customer"])
    return pd.DataFrame({"id": part["id"], "customer": customer})


def test_a_killed_worker(
    client: Client, ring: arrow.KeyRing, people: Path, work: Path, want: dict[int, str | None]
) -> None:
    frame = dd.read_parquet(people)
    result = frame.map_partitions(tokens, ring, "customers", str(work / "killed"), meta=RESULT)
    result.to_parquet(work / "tokens")
    assert (work / "killed").exists()
    assert dict(tokens_of(work / "tokens")) == want


def test_a_wrong_key_name(client: Client, ring: arrow.KeyRing, people: Path) -> None:
    with pytest.raises(KeyError, match="no key named `custmers`"):
        dd.read_parquet(people).map_partitions(tokens, ring, "custmers", meta=RESULT).compute()


def test_nothing_that_dask_wrote_or_logged_holds_the_key(
    client: Client, work: Path, leaks: Callable[[Path], list[Path]]
) -> None:
    logs = {**client.get_worker_logs(), "scheduler": client.get_scheduler_logs()}
    (work / "logs").write_text(repr(logs))
    assert len(logs) == 3
    assert leaks(work) == []
