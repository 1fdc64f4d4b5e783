"""An index in several threads and processes: readers beside a writer, crashes, forks, pickles, signals."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import lookalike
from conftest import variants

TEXT = "one fish two fish red fish blue fish black fish old fish new fish"


def numbered(first: int, number: int) -> list[dict[str, str]]:
    return [{"id": f"d{row}", "text": text} for row, text in enumerate(variants(number, seed=first), first)]


@pytest.fixture
def index(tmp_path: Path) -> lookalike.Index:
    return lookalike.Index.create(tmp_path / "i")


def asked_in_worker(index: lookalike.Index) -> tuple[int, list[str]]:
    return len(index), index.query(TEXT, threshold=0.1).ids()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_ask_an_index_that_was_pickled(index: lookalike.Index, method: str, monkeypatch, tmp_path) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    index.add([{"id": "fish", "text": TEXT}, *numbered(0, 50)])
    monkeypatch.chdir(tmp_path)
    relative = lookalike.Index.open("i")
    monkeypatch.chdir("/")
    assert pickle.loads(pickle.dumps(relative)).path == index.path
    expected = asked_in_worker(index)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(asked_in_worker, [index, relative] * 2) == [expected] * 4


def in_child(work: object) -> str:
    """What a function returns or raises in a forked process, as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            told = repr(work())  # type: ignore[operator]
        except BaseException as error:
            told = f"{type(error).__name__} {getattr(error, 'code', '')}: {error}"
        os.write(writing, told.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return told


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


@needs_fork
def test_a_forked_process_reads_for_itself_and_does_not_write(index: lookalike.Index) -> None:
    index.add([{"id": "fish", "text": TEXT}])
    assert in_child(lambda: (len(index), index.query(TEXT).ids())) == "(1, ['fish'])"
    with index.writer() as writer:
        writer.add([{"id": "rose", "text": "a rose is a rose is a rose"}])
        told = in_child(lambda: writer.add([{"id": "other", "text": "to be or not to be"}]))
        assert told.startswith("ResourceError forked: this writer belongs to the process")
        # Neither the end of the object nor closing it there touches what the parent writes.
        assert in_child(writer.close) == "None"
        told = in_child(lambda: index.add([{"id": "other", "text": "to be or not to be"}]))
        assert told.startswith("ResourceError index_locked:") and f"({os.getpid()})" in told
    assert sorted(index.documents()["id"].to_pylist()) == ["fish", "rose"]
    assert index.check(deep=True) == []


@needs_fork
def test_a_lock_ends_with_its_writer_while_a_forked_process_lives(index: lookalike.Index) -> None:
    reading, writing = os.pipe()
    with index.writer() as writer:
        writer.add([{"id": "fish", "text": TEXT}])
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.read(reading, 1)
            os._exit(0)
    try:
        assert index.add([{"id": "rose", "text": "a rose is a rose is a rose"}]).documents == 2
    finally:
        os.close(writing)
        os.waitpid(child, 0)
        os.close(reading)


def test_there_is_one_writer(index: lookalike.Index, tmp_path: Path) -> None:
    with index.writer() as writer:
        with pytest.raises(lookalike.ResourceError, match="this process has a writer of this index already") as raised:
            index.add([{"id": "fish", "text": TEXT}])
        assert raised.value.code == "index_locked"
        code = f"import lookalike; lookalike.Index.open({str(tmp_path / 'i')!r}).delete('fish')"
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert f"another process ({os.getpid()}) writes to this index" in ended.stderr
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(writer)
    index.add([{"id": "fish", "text": TEXT}])


def test_a_reader_sees_the_commits_of_another_process(index: lookalike.Index) -> None:
    code = (
        "import sys, lookalike\n"
        "index = lookalike.Index.open(sys.argv[1])\n"
        "for number in range(3):\n"
        "    sys.stdin.readline()\n"
        f"    added = index.add([{{'id': f'd{{number}}', 'text': '{TEXT}'}}])\n"
        "    print(added.commit, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, index.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdin is not None and writer.stdout is not None
        for number in range(3):
            assert len(index) == number and len(index.query(TEXT)) == number
            writer.stdin.write("go\n")
            writer.stdin.flush()
            commit = int(writer.stdout.readline())
            assert index.last_commit >= commit and index.query(TEXT).commit >= commit
        assert len(index) == 3
    assert writer.returncode == 0


def test_killing_a_writer_loses_nothing_that_was_acknowledged(index: lookalike.Index) -> None:
    code = (
        "import sys, lookalike\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from conftest import variants\n"
        "index = lookalike.Index.open(sys.argv[1])\n"
        "start = len(index)\n"
        "texts = variants(4000, seed=start + 1)\n"
        "for at in range(0, 4000, 10):\n"
        "    rows = [{'id': f'd{start + at + n}', 'text': text} for n, text in enumerate(texts[at:at + 10])]\n"
        "    added = index.add(rows, threads=1)\n"
        "    print(added.commit, added.documents, flush=True)\n"
    )
    arguments = [sys.executable, "-c", code, index.path, str(Path(__file__).parent)]
    for round in range(4):
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            acknowledged = 0
            for _ in range(3 + 5 * round):
                acknowledged = int(writer.stdout.readline().split()[1])
            # At some moment of a later commit.
            time.sleep(0.003 * round)
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().splitlines()
            if rest and rest[-1].count(" ") == 1:
                acknowledged = int(rest[-1].split()[1])
        found = len(index)
        # A commit may be durable and not acknowledged yet; never a part of one.
        assert found in (acknowledged, acknowledged + 10)
        assert index.documents()["id"].to_pylist() == [f"d{n}" for n in range(found)]
        assert index.check(deep=True) == []


def test_threads_ask_at_the_same_time_while_documents_are_added(index: lookalike.Index) -> None:
    index.add([{"id": "fish", "text": TEXT}, *numbered(0, 300)])
    questions = variants(40, seed=3)
    # The texts of later documents are of other words.
    expected = [index.query(text, threshold=0.3).ids() for text in questions]
    batch = index.query_batch(questions, threshold=0.3).to_pydict()
    failures: list[object] = []

    def ask() -> None:
        for _ in range(3):
            found = [index.query(text, threshold=0.3).ids() for text in questions]
            table = index.query_batch(questions, threshold=0.3, threads=2)
            if found != expected or table.to_pydict() != batch:
                failures.append(found)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(5):
        index.add([{"id": f"x{number}-{n}", "text": f"x{number} y{n} z v u t s r q p"} for n in range(20)])
    for thread in threads:
        thread.join()
    assert not failures and len(index) == 401


def test_no_thread_is_left(index: lookalike.Index, tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("counts the threads of /proc")

    def count() -> int:
        return len(os.listdir("/proc/self/task"))

    before = count()
    index.add(numbered(0, 300), threads=3)
    index.add(numbered(100, 100), sweep="s", threads=3)
    index.query(TEXT, threshold=0.1, passages=True)
    index.query_batch(variants(300, seed=1), threads=3)
    index.dedup(threads=3)
    index.cluster(threads=3)
    index.sweeps.diff("s", "s", threads=3)
    index.sweeps.revisit(threads=3)
    lookalike.collapse([f"d{n}" for n in range(100)], index=index, threads=3)
    other = lookalike.Index.create(tmp_path / "other")
    other.merge(index, threads=3)
    other.delete("d1")
    other.compact(threads=3)
    assert other.check(deep=True, threads=3) == []
    for _ in range(200):
        if count() <= before:
            break
        time.sleep(0.01)
    assert count() <= before


def endless() -> Iterator[dict[str, str]]:
    number = 0
    while True:
        number += 1
        yield {"id": f"e{number}", "text": f"{number} a b c d e f g"}


def test_ctrl_c_ends_adding_and_leaves_the_last_commit(index: lookalike.Index) -> None:
    index.add([{"id": "fish", "text": TEXT}])
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        index.add(endless())
    timer.join()
    assert index.documents()["id"].to_pylist() == ["fish"]
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt), index.writer() as writer:
        writer.delete("fish")
        writer.add(endless())
    timer.join()
    assert "fish" in index
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        index.query_batch(endless())
    timer.join()
    # And the index can be written again.
    assert index.add([{"id": "rose", "text": "a rose is a rose is a rose"}]).documents == 2
    assert index.check(deep=True) == []


def test_a_scope_cancels(index: lookalike.Index) -> None:
    with lookalike.cancel_scope() as scope:
        scope.cancel()
        for call in [lambda: index.add([{"id": "a", "text": TEXT}]), lambda: index.query_batch([TEXT]), index.dedup]:
            with pytest.raises(lookalike.Cancelled):
                call()
    assert len(index) == 0


def test_a_stream_that_breaks_off_adds_nothing(index: lookalike.Index) -> None:
    def broken() -> Iterator[dict[str, str]]:
        yield from numbered(0, 3000)
        raise RuntimeError("the cable was cut")

    with pytest.raises(lookalike.DataError, match="the cable was cut") as raised:
        index.add(broken())
    assert isinstance(raised.value.__cause__, RuntimeError) and len(index) == 0
    with pytest.raises(lookalike.DataError):
        index.add(broken(), commit_every=1000)
    # What was committed before stays: whole groups.
    assert 0 < len(index) <= 3000
    with pytest.raises(lookalike.DataError, match="the cable was cut"):
        index.query_batch(broken())


def test_a_writer_is_used_by_one_call_at_a_time(index: lookalike.Index) -> None:
    with index.writer() as writer:

        def nested() -> Iterator[dict[str, str]]:
            yield {"id": "a", "text": TEXT}
            writer.delete("a")

        with pytest.raises(lookalike.DataError) as raised:
            writer.add(nested())
        assert getattr(raised.value.__cause__, "code", None) == "writer_in_use"
        writer.rollback()
