"""Executors and drivers that are killed while they work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lookalike
import lookalike.spark
from lookalike.distributed.counts import LostRows
from lookalike.spark import SparkResult, Stage
from test_distributed import table_of, traps

from . import driver
from .cluster import PATIENCE, Cluster, children, wait_until
from .conftest import write
from .same import check

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Stored = Callable[..., "DataFrame"]


def test_an_executor_is_killed_with_its_worker(
    cluster: Cluster, session: SparkSession, stored: Stored, tmp_path: Path
) -> None:
    table = table_of(traps())
    killed: list[int] = []
    context = session.sparkContext

    def kill() -> None:
        tracker = context.statusTracker()

        def tasks_run() -> bool:
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            return any(stage and stage.numActiveTasks for stage in stages)

        wait_until(tasks_run)
        killed.append(cluster.kill_worker(cluster.workers[0], context.applicationId))

    killer = threading.Thread(target=kill)

    def report(stage: Stage) -> None:
        if stage.name == "pairs":
            # While the tasks run that compute the matches.
            killer.start()

    work = str(tmp_path / "work")
    try:
        found = lookalike.spark.dedup(stored(table), work=work, row="row", threshold=0.6, progress=report)
        killer.join(PATIENCE)
    finally:
        cluster.start_worker()
    assert killed == [1]
    check(found, lookalike.dedup(table, threshold=0.6))


def test_a_driver_is_killed_and_another_one_goes_on(
    cluster: Cluster, session: SparkSession, tmp_path: Path
) -> None:
    table = table_of(traps())
    work, documents = tmp_path / "work", write(table, tmp_path / "documents")
    settings = {"threshold": 0.6}
    call = {"documents": str(documents), "work": str(work), "settings": settings, "output": str(tmp_path)}

    def dedup(**keywords: Any) -> tuple[SparkResult, list[Stage]]:
        stages: list[Stage] = []
        rows = session.read.parquet(str(documents))
        found = lookalike.spark.dedup(rows, work=str(work), row="row", progress=stages.append, **settings, **keywords)
        return found, stages

    # An earlier run has finished all stages. The one that is killed does not resume, so it writes them again.
    _, earlier = dedup()
    finished = _killed_while_writing(cluster, call, work, "decisions", before="pairs")
    assert finished[-1] == "pairs" and len(finished) < len(earlier)

    found, stages = dedup(resume=True)
    assert [stage.name for stage in stages] == [stage.name for stage in earlier]
    assert [stage.name for stage in stages if stage.resumed] == finished
    check(found, lookalike.dedup(table, **settings))

    found, stages = dedup(resume=True)
    assert all(stage.resumed for stage in stages)
    check(found, lookalike.dedup(table, **settings))


def test_stages_of_other_calls_are_not_read(stored: Stored, tmp_path: Path) -> None:
    class Ended(Exception):
        pass

    def first_stage(documents: DataFrame, **keywords: Any) -> Stage:
        """The first stage of a call, which ends after it."""
        stages: list[Stage] = []

        def report(stage: Stage) -> None:
            stages.append(stage)
            raise Ended

        with pytest.raises(Ended):
            lookalike.spark.dedup(documents, work=str(tmp_path / "work"), progress=report, **keywords)
        return stages[0]

    table = table_of(["one two three four five six"])
    documents, others = stored(table), stored(table, "others")
    assert not first_stage(documents, row="row").resumed
    assert first_stage(documents, row="row", resume=True).resumed
    assert not first_stage(documents, row="row", threshold=0.7, resume=True).resumed
    assert not first_stage(documents, resume=True).resumed
    assert not first_stage(others, row="row", resume=True).resumed
    assert not first_stage(documents, row="row").resumed


def test_stages_of_another_number_of_documents_are_refused(session: SparkSession, tmp_path: Path) -> None:
    texts = ["one two three four five six", "seven eight nine ten eleven twelve"]
    # No files tell these apart.
    one, two = (session.createDataFrame(table_of(texts[:number])) for number in (1, 2))
    work = str(tmp_path / "work")

    def stop(_: Stage) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lookalike.spark.dedup(one, work=work, row="row", progress=stop)
    with pytest.raises(lookalike.DataError, match="of 1 documents, and there are 2"):
        lookalike.spark.dedup(two, work=work, row="row", resume=True)


@pytest.mark.parametrize("name", ["signed", "units", "decisions", "found"])
def test_files_of_a_stage_that_vanish_are_noticed(session: SparkSession, tmp_path: Path, name: str) -> None:
    table = table_of(traps())
    work, documents = tmp_path / "work", write(table, tmp_path / "documents")

    def dedup(report: Callable[[Stage], None], *, resume: bool) -> SparkResult:
        rows = session.read.parquet(str(documents))
        return lookalike.spark.dedup(rows, work=str(work), row="row", progress=report, threshold=0.6, resume=resume)

    def lose(done: Stage) -> None:
        if done.name == name:
            max(work.glob(f"*/{name}/*.parquet"), key=lambda path: path.stat().st_size).unlink()

    with pytest.raises(LostRows):
        dedup(lose, resume=False)
    # What was made of a stage that lacked rows is not gone on from.
    stages: list[Stage] = []
    found = dedup(stages.append, resume=True)
    assert not any(stage.resumed for stage in stages)
    check(found, lookalike.dedup(table, threshold=0.6))


def _killed_while_writing(cluster: Cluster, call: dict[str, Any], work: Path, name: str, before: str) -> list[str]:
    """Starts a driver, and kills it while tasks write a stage, the one after `before`; the stages that it finished."""
    command = [sys.executable, driver.__file__, json.dumps(call)]
    process = subprocess.Popen(command, env=cluster.environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    finished = []
    for line in process.stdout:
        finished.append(line.strip())
        if finished[-1] == before:
            break
    wait_until(lambda: any(work.glob(f"*/{name}/_temporary")))
    # With its virtual machine, which is the driver of Spark and would otherwise abort the job in good order.
    machines = children(process.pid)
    assert machines
    for killed in [*machines, process.pid]:
        os.kill(killed, signal.SIGKILL)
    process.wait()
    assert any(work.glob(f"*/{name}/_temporary"))
    process.stdout.close()
    return finished
