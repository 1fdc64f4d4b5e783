"""A standalone Spark cluster on loopback: a master and workers, each a process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

#: Seconds after which something that was started is given up.
PATIENCE = 300

#: Short-lived processes: cheaper to start, and no threads but the first compiler's.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

_CONNECT = "org.apache.spark.sql.connect.service"

_LOG = f"""\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{{HH:mm:ss}} %p %c{{1}}: %m%n%ex
# Addresses, from which ports are read.
logger.master.name = org.apache.spark.deploy.master.Master
logger.master.level = info
logger.worker.name = org.apache.spark.deploy.worker.Worker
logger.worker.level = info
logger.connect.name = {_CONNECT}
logger.connect.level = info
# What tests do to workers and drivers is no news.
logger.scheduler.name = org.apache.spark.scheduler.TaskSchedulerImpl
logger.scheduler.level = off
"""

_DEFAULTS = f"""\
spark.ui.enabled false
spark.ui.showConsoleProgress false
spark.driver.host localhost
spark.driver.bindAddress 127.0.0.1
spark.driver.memory 1g
spark.driver.extraJavaOptions {JAVA}
spark.executor.extraJavaOptions {JAVA}
spark.executor.memory 768m
spark.executor.cores 1
spark.cores.max 2
spark.sql.shuffle.partitions 3
spark.sql.session.timeZone UTC
"""


class Cluster:
    """A master and two workers.

    Executors have one core, and an application gets one on each worker. A worker has room for those of two applications,
    because tests start drivers beside the session that they share.
    """

    def __init__(self, folder: Path, *, workers: int = 2) -> None:
        self._folder, self._started = folder, 0
        conf = folder / "conf"
        conf.mkdir(parents=True)
        (conf / "log4j2.properties").write_text(_LOG)
        #: What drivers need in their environment.
        self.environment = {
            **os.environ,
            "SPARK_HOME": str(_spark_home()),
            "SPARK_CONF_DIR": str(conf),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_HOSTNAME": "localhost",
            "SPARK_LOCAL_DIRS": str(folder / "local"),
            # The Connect server takes it, too, and needs that much.
            "SPARK_DAEMON_MEMORY": "1g",
            "SPARK_DAEMON_JAVA_OPTS": JAVA,
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.workers: list[subprocess.Popen[bytes]] = []
        #: The address of the master.
        self._master, self.address = self._daemon("master", r"Starting Spark master at (spark://\S+)")
        (conf / "spark-defaults.conf").write_text(f"spark.master {self.address}\n{_DEFAULTS}")
        for _ in range(workers):
            self.start_worker()

    def start_worker(self) -> None:
        """Starts one more worker, and waits until the master knows it."""
        work = ["--work-dir", str(self._folder / f"work-{self._started}")]
        room = ["--cores", "2", "--memory", "3g"]
        worker, _ = self._daemon("worker", r"(Successfully registered) with master", *room, *work, self.address)
        self.workers.append(worker)

    def start_connect(self) -> tuple[subprocess.Popen[bytes], str]:
        """Starts a server of Spark Connect; returns it and its address."""
        server = ["org.apache.spark.deploy.SparkSubmit", "--class", f"{_CONNECT}.SparkConnectServer"]
        bound = ("spark.connect.grpc.binding.address=127.0.0.1", "spark.connect.grpc.binding.port=0")
        options = [part for setting in bound for part in ("--conf", setting)]
        process, found = self._start("connect", r"server started at: (\S+)", *server, *options, "spark-internal")
        return process, f"sc://{found}"

    def kill_worker(self, worker: subprocess.Popen[bytes], application: str) -> int:
        """Kills a worker and its executors at once; returns how many of them an application had."""
        executors = {process: _command_line(process) for process in children(worker.pid)}
        for process in [worker.pid, *executors]:
            os.kill(process, signal.SIGKILL)
        worker.wait()
        self.workers.remove(worker)
        return sum(application in arguments for arguments in executors.values())

    def submit(self, *arguments: str | Path, environment: dict[str, str] | None = None) -> str:
        """Runs ``spark-submit``; returns what it printed."""
        command = [_spark_home() / "bin/spark-submit", *arguments]
        ended = subprocess.run(
            command, env=environment or self.environment, text=True, capture_output=True, timeout=PATIENCE
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    def stop(self) -> None:
        """Ends all processes; executors end with their worker."""
        for process in [*self.workers, self._master]:
            process.terminate()
        for process in [*self.workers, self._master]:
            process.wait(PATIENCE)

    def _daemon(self, kind: str, ready: str, *arguments: str) -> tuple[subprocess.Popen[bytes], str]:
        """A master or a worker, on free ports."""
        name = f"org.apache.spark.deploy.{kind}.{kind.capitalize()}"
        ports = ["--host", "localhost", "--port", "0", "--webui-port", "0"]
        return self._start(kind, ready, name, *ports, *arguments)

    def _start(self, kind: str, ready: str, *arguments: str) -> tuple[subprocess.Popen[bytes], str]:
        """A Java process, and what it says when it is ready."""
        self._started += 1
        log = self._folder / f"{kind}-{self._started}.log"
        command = [str(_spark_home() / "bin/spark-class"), *arguments]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )
        found: list[str] = []

        def says_so() -> bool:
            found[:] = re.findall(ready, log.read_text())
            assert process.poll() is None, log.read_text()
            return bool(found)

        wait_until(says_so)
        return process, found[0]


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < PATIENCE, "given up"
        time.sleep(0.02)


def children(process: int) -> list[int]:
    """The processes that a process started."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                # After the name, which may have spaces: state, parent.
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == process:
                found.append(int(folder.name))
    return found


def _command_line(process: int) -> list[str]:
    return Path(f"/proc/{process}/cmdline").read_text().split("\0")


def _spark_home() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent
