"""A call in its process: signals, cancellation, progress, threads, fork, streams that break off."""

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
from lookalike._resources import thread_count

#: Settings that make a call run through other phases.
CALLS = {
    "dedup": {},
    "ignore_common": {"ignore_common": 50},
    "lexicon": {"method": "imatch", "verify": "none"},
}


@pytest.fixture(scope="module")
def many() -> dict[str, list[str]]:
    # Enough for a call to last for several looks at signals.
    return {"text": [f"{text} {copy}" for copy in range(8) for text in variants(15_000, seed=4)]}


def seen(documents: object, settings: dict[str, object]) -> list[str]:
    """The phases of a call that progress was reported of."""
    phases: list[str] = []
    lookalike.dedup(documents, progress=lambda step: phases.append(step.phase), **settings)
    return list(dict.fromkeys(phases))


@pytest.fixture(scope="module")
def fewer(many: dict[str, list[str]]) -> dict[str, list[str]]:
    return {"text": many["text"][:15_000]}


class Stop(Exception):
    pass


@pytest.mark.parametrize("settings", CALLS)
def test_an_exception_of_the_callback_ends_the_call_in_every_phase(many, settings: str) -> None:
    phases = seen(many, CALLS[settings])
    assert phases
    for phase in phases:
        before = threads()

        def stop(step: lookalike.Step) -> None:
            if step.phase == phase:
                raise Stop(phase)

        try:
            lookalike.dedup(many, progress=stop, **CALLS[settings])
        except Stop as stopped:
            assert stopped.args == (phase,)
        # A phase that ends between two reports is not seen: the call then ends with its answer.
        assert settled(before)
    assert lookalike.dedup(many, **CALLS[settings]).kept()


@pytest.mark.parametrize("settings", CALLS)
def test_ctrl_c_ends_the_call_in_every_phase(many, settings: str) -> None:
    phases = seen(many, CALLS[settings])
    interrupted = 0
    for phase in phases:
        before, reports = threads(), []

        def interrupt(step: lookalike.Step) -> None:
            reports.append(step.phase)
            if step.phase == phase and reports.count(phase) == 1:
                # The handler runs on this thread, soon after this function.
                threading.Timer(0.001, os.kill, (os.getpid(), signal.SIGINT)).start()

        try:
            lookalike.dedup(many, progress=interrupt, **CALLS[settings])
            time.sleep(0.05)  # The signal, if the call was faster.
        except KeyboardInterrupt:
            interrupted += 1
        assert settled(before)
    assert interrupted > 0
    assert lookalike.dedup(many, **CALLS[settings]).kept()


def test_ctrl_c_while_a_generator_waits() -> None:
    released = threading.Event()

    def documents() -> Iterator[str]:
        yield "a b c d e f"
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        released.wait(0.3)
        while True:
            yield "a b c d e f"

    with pytest.raises(KeyboardInterrupt):
        lookalike.dedup(documents())
    assert released.set() is None and lookalike.dedup(["a"]).kept().to_pylist() == [0]


def test_a_scope_is_cancelled_from_another_thread() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "a b c d e f"

    ended: list[type[BaseException]] = []
    started = threading.Event()

    def call(scopes: list[lookalike.CancelScope]) -> None:
        with lookalike.cancel_scope() as scope:
            scopes.append(scope)
            started.set()
            try:
                lookalike.dedup(endless())
            except lookalike.Cancelled as error:
                assert error.code == "cancelled"
                ended.append(type(error))

    scopes: list[lookalike.CancelScope] = []
    thread = threading.Thread(target=call, args=(scopes,))
    thread.start()
    assert started.wait(60)
    assert not scopes[0].cancelled
    scopes[0].cancel()
    thread.join(60)
    assert not thread.is_alive() and ended == [lookalike.Cancelled] and scopes[0].cancelled


def test_a_stream_that_breaks_off_gives_no_answer() -> None:
    def broken() -> Iterator[str]:
        yield from ["a b c d e f"] * 3000
        raise RuntimeError("the cable was cut")

    with pytest.raises(lookalike.DataError, match="the cable was cut") as raised:
        lookalike.dedup(broken())
    assert raised.value.code == "source" and isinstance(raised.value.__cause__, RuntimeError)


def test_steps_tell_how_far_a_call_is(many) -> None:
    steps: list[lookalike.Step] = []
    lookalike.dedup(many, progress=steps.append)
    assert steps and {type(step) for step in steps} == {lookalike.Step}
    assert all(a.seconds <= b.seconds for a, b in zip(steps, steps[1:]))
    assert len({step.phase for step in steps}) >= 1
    lookalike.dedup(many, progress=True)


class Slow(list):  # type: ignore[type-arg]
    """A list that takes longer than two steps are apart: steps come while it is read."""

    def __iter__(self) -> Iterator[str]:
        for number, text in enumerate(super().__iter__()):
            if number == 5000:
                time.sleep(0.5)
            yield text


def test_steps_of_documents_in_memory_are_documents_of_documents(fewer) -> None:
    pa = pytest.importorskip("pyarrow")
    texts = fewer["text"]
    assert len(texts) > 5000

    def reading(documents, **options) -> list[lookalike.Step]:
        steps: list[lookalike.Step] = []
        lookalike.dedup(documents, progress=steps.append, threads=1, **options)
        return [step for step in steps if step.phase == "reading"]

    for documents, total in [
        (Slow(texts), len(texts)), (iter(Slow(texts)), None), (fewer, len(texts)), (pa.table(fewer), len(texts)),
        (pa.array(texts), len(texts)), ([pa.record_batch(fewer)], None),
    ]:  # fmt: skip
        steps = reading(documents)
        assert {step.total for step in steps} <= {total}
        assert all(step.done == step.documents <= len(texts) for step in steps)
        # Of the others there are steps only where reading takes long enough.
        assert steps or not isinstance(documents, Slow)
    assert {step.total for step in reading(Slow(texts[:6000]), against=texts[6000:])} == {len(texts)}


class Bar:
    """What of tqdm is used."""

    shown: list[Bar] = []

    def __init__(self, desc: str, total: int | None, unit_scale: bool, leave: bool, unit: str = "it") -> None:
        self.desc, self.total, self.unit, self.n, self.closed, self.postfix = f"{desc}: ", total, unit, 0, False, {}
        Bar.shown.append(self)

    def set_postfix(self, refresh: bool, **values: int) -> None:
        self.postfix = values

    def refresh(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def test_bars_show_documents_of_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    import types

    from lookalike import _progress

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(Bar, "shown", [])
    report = _progress.reporter(True, 1000)
    assert report is not None
    report("reading", 10, None, 10)
    report("reading", 900, None, 900)
    report("comparing", 5, 40, 0)
    reading, comparing = Bar.shown
    assert (reading.total, reading.n, reading.unit, reading.closed, reading.postfix) == (1000, 900, " documents", True, {})
    assert (comparing.total, comparing.n, comparing.unit, comparing.postfix) == (40, 5, "it", {"documents": 0})
    report = _progress.reporter(True, files=True)
    assert report is not None
    report("reading", 5_000, 1_000_000, 7)
    assert (Bar.shown[-1].total, Bar.shown[-1].unit, Bar.shown[-1].postfix) == (1_000_000, "B", {"documents": 7})


def test_progress_without_tqdm_is_lines(capsys, monkeypatch) -> None:
    from lookalike import _progress

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(_progress.time, "monotonic", iter([10, 10.5, 11.5, 11.7]).__next__)
    report = _progress.reporter(True)
    for done in [0, 50, 60]:
        report("reading", done, 100, 1000 + done)
    assert capsys.readouterr().err == "lookalike: reading 50 %, 1,050 documents, 2 s\n"


def threads() -> int:
    return len(os.listdir("/proc/self/task")) if sys.platform == "linux" else threading.active_count()


def settled(number: int) -> bool:
    """Whether there are so many threads, once timers of a test have ended."""
    for _ in range(200):
        if threads() <= number:
            return True
        time.sleep(0.01)
    return False


def test_no_thread_is_left(fewer) -> None:
    before = threads()
    for _ in range(3):
        lookalike.dedup(fewer, threads=4)
        lookalike.cluster(fewer, threads=4, threshold=0.5)
    assert settled(before)


def test_threads_call_at_the_same_time(fewer) -> None:
    expected = lookalike.dedup(fewer).summary["digest"]
    digests: list[str] = []
    workers = [threading.Thread(target=lambda: digests.append(lookalike.dedup(fewer).summary["digest"])) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert digests == [expected] * 6


def test_python_runs_beside_a_call(many) -> None:
    """The interpreter's lock is free: another thread goes on while the call runs."""
    counts = [0]
    running = threading.Event()
    running.set()

    def count() -> None:
        while running.is_set():
            counts[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    within: list[int] = []
    lookalike.dedup(many, progress=lambda step: within.append(counts[0]))
    running.clear()
    thread.join()
    assert within and counts[0] > within[0]


def digest_of(texts: dict[str, list[str]]) -> tuple[str, int]:
    return lookalike.dedup(texts).summary["digest"], thread_count(None)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes(fewer, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    expected, _ = digest_of(fewer)
    with multiprocessing.get_context(method).Pool(2) as pool:
        # One thread in each of several processes, unless it is said.
        assert pool.map(digest_of, [fewer] * 3) == [(expected, 1)] * 3


def test_the_number_of_threads_can_be_said_outside(fewer, monkeypatch) -> None:
    monkeypatch.setenv("LOOKALIKE_NUM_THREADS", "3")
    assert (thread_count(None), thread_count(1)) == (3, 1)
    assert lookalike.dedup(fewer).kept()
    monkeypatch.setenv("LOOKALIKE_NUM_THREADS", "many")
    with pytest.raises(lookalike.SettingsError, match="LOOKALIKE_NUM_THREADS"):
        lookalike.dedup(fewer)


def test_importing_does_little() -> None:
    code = (
        "import sys, threading, lookalike; "
        "assert threading.active_count() == 1; "
        "heavy = {'pyarrow', 'numpy', 'pandas', 'polars', 'tqdm', 'pyspark'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_another_interpreter_of_the_process_is_refused() -> None:
    interpreters = pytest.importorskip("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    code = (
        "try:\n    import lookalike\n"
        "except ImportError as error:\n    assert 'subinterpreters' in str(error), error\n"
        "else:\n    raise AssertionError('it was imported')\n"
    )
    made = interpreters.create()
    try:
        failed = interpreters.run_string(made, code)
    finally:
        interpreters.destroy(made)
    assert failed is None and lookalike.dedup(["a"]).kept()


def test_results_pickle(fewer, tmp_path) -> None:
    result = lookalike.dedup(fewer)
    again = pickle.loads(pickle.dumps(result))
    assert again.summary == result.summary and again.settings == result.settings
    assert again.ledger.to_pydict() == result.ledger.to_pydict()
    assert again.kept().to_pylist() == result.kept().to_pylist() and len(again) == len(result)
    for name, written in [("a", result), ("b", again)]:
        written.write(tmp_path / name, tables="jsonl")
    assert (tmp_path / "a/ledger.jsonl").read_bytes() == (tmp_path / "b/ledger.jsonl").read_bytes()
    with_problems = lookalike.dedup([*fewer["text"], None])
    assert pickle.loads(pickle.dumps(with_problems)).problems.to_pylist() == with_problems.problems.to_pylist()
