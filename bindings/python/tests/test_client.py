"""The client of the service: against a model of documents, and against what the command says."""

from __future__ import annotations

import http.client
import json
import pickle
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import served, shingles, variants

from lookalike.client import Client, ServiceError


@pytest.fixture
def service(tmp_path: Path, command: str) -> Iterator[str]:
    index = tmp_path / "served.index"
    subprocess.run([command, "index", "create", index, "--quiet"], check=True)
    with served(command, index) as url:
        yield url


def test_documents_and_questions(service: str) -> None:
    texts = variants(200)
    with Client(service) as client:
        answers = list(client.add({"id": f"d/{at} é", "text": text} for at, text in enumerate(texts)))
        assert [answer["outcome"] for answer in answers[:-1]] == ["added"] * 200
        assert answers[-1]["added"] == 200
        questions = [{"text": text, "threshold": 0.5} for text in texts[:150]]
        for text, answer in zip(texts, client.query_all(questions, batch=40)):
            found = {match["id"] for match in answer["matches"]}
            own = shingles(text)
            wanted = {f"d/{at} é" for at, other in enumerate(texts) if len(own & shingles(other)) >= 0.5 * len(own | shingles(other))}
            assert found == wanted
        assert client.query(id="d/3 é", threshold=0.5)["commit"] == answers[-1]["commit"]
        assert client.document("d/7 é")["text"] == texts[7]
        kept = client.document("d/7 é")["cluster"]
        assert {member["id"] for member in client.cluster("d/7 é") if member["kept"]} == {kept}
        assert client.explain("d/1 é", "d/2 é")["measures"]["shared"] == len(shingles(texts[1]) & shingles(texts[2]))
        assert client.collapse([{"id": "d/1 é"}, {"id": "again", "text": texts[1]}])[0]["behind"][0]["id"] == "again"
        long = variants(300, seed=3)
        new = next(text for text in long if len(text.split()) > 40)
        assert client.put("new", {"text": new})["outcome"] == "added"
        left_out = client.put("other", {"text": new}, unless_duplicate=0.8)
        assert (left_out["outcome"], left_out["duplicate"]["resemblance"]) == ("duplicate", 1)
        with pytest.raises(ServiceError, match="already") as refused:
            client.put("new", {"text": new}, only_new=True)
        assert (refused.value.status, refused.value.code) == (412, "exists")
        assert client.delete("new")["outcome"] == "deleted"
        with pytest.raises(ServiceError) as unknown:
            client.document("new")
        assert pickle.loads(pickle.dumps(unknown.value)).status == unknown.value.status == 404
        assert client.stats()["documents"] == 200


def test_sweeps(service: str) -> None:
    client = Client(service)
    text = "one fish two fish red fish blue fish black fish old fish new fish"
    client.add_sweep("may", "2024-05-01")
    for sweep, url in (("may", "http://a.example/fish"), ("june/2", "http://a.example/animals/fish")):
        client.put(url, {"text": text, "url": url}, sweep=sweep)
    assert [(sweep["name"], sweep["documents"]) for sweep in client.sweeps()] == [("may", 1), ("june/2", 1)]
    counts, pages = client.diff("may", "june/2", only="moved")
    assert (counts["moved"], pages[0]["new_url"]) == (1, "http://a.example/animals/fish")
    assert [version["change"] for version in client.history("http://a.example/fish")] == ["new", "gone"]
    assert client.holders("http://a.example/fish", 0.9)[0]["site"] == "a.example"
    assert client.remove_sweep("june/2")["deleted"] == 1


def test_messages(service: str) -> None:
    client = Client(service)
    offer = " ".join(f"offer{at}" for at in range(60))
    message = f"Subject: offer\nMessage-ID: <1@a.example>\n\n{offer}\n".encode()
    for reporter in ("ann", "bob", "carl"):
        client.report(message, "spam", reporter)
    assert client.filter(message)["verdict"] == "spam"
    assert client.filter("shall we meet at noon")["verdict"] == "none"


def test_a_stream_may_be_longer_than_what_is_buffered(service: str) -> None:
    """Both sides would wait for each other, were the answers not read while lines are sent."""
    client = Client(service)
    # Answers of some MB: all but the first are duplicates, each with what it matches.
    lines = ({"id": f"d{at}-{'x' * 200}", "text": "a rose is a rose is a rose is a rose"} for at in range(20_000))
    answers = list(client.add(lines, unless_duplicate=0.8, answers="problems"))
    assert (answers[-1]["lines"], answers[-1]["duplicates"], len(answers)) == (20_000, 19_999, 20_000)


def test_an_error_of_the_documents_is_raised(service: str) -> None:
    def documents() -> Iterator[Any]:
        yield {"id": "a", "text": "a rose"}
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        list(Client(service).add(documents()))
    with pytest.raises(TypeError):
        list(Client(service).add([{"id": "b", "text": object()}]))


def test_a_consumer_that_stops_ends_the_stream(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client, go, taken = Client(service), threading.Event(), []
    connects: list[int] = []
    connect = http.client.HTTPConnection.connect
    monkeypatch.setattr(http.client.HTTPConnection, "connect", lambda self: (connects.append(1), connect(self))[1])

    def documents() -> Iterator[Any]:
        for at in range(100):
            if at == 1:
                go.wait(60)
            taken.append(at)
            yield {"id": str(at), "text": "a rose"}

    answers = client.add(documents())
    assert next(answers)["outcome"] == "added"
    answers.close()  # type: ignore[attr-defined]
    go.set()
    assert client.stats()["documents"] == 1
    assert len(connects) == 2 and len(taken) <= 3


def test_refusals_are_told_and_do_no_harm_to_the_next_request(tmp_path: Path, command: str) -> None:
    index = tmp_path / "read.index"
    subprocess.run([command, "index", "create", index, "--quiet"], check=True)
    with served(command, index, "--read-only") as url:
        client = Client(url)
        for size in (1, 100_000, 3_000_000, 30_000_000) * 3:
            with pytest.raises(ServiceError, match="only reads") as refused:
                client.put("x", {"text": "a" * size})
            assert refused.value.code == "read_only"
            assert client.stats()["documents"] == 0
        with pytest.raises(ServiceError) as long:
            client.query(text="a " * 15_000_000)
        assert long.value.status == 413


def test_a_cluster_is_of_one_commit(service: str) -> None:
    client = Client(service, deadline=60)
    text = "one fish two fish red fish blue fish black fish old fish new fish"
    list(client.add({"id": f"c{at}", "text": text} for at in range(1500)))
    first = client._json("GET", "/v1/clusters/c7?limit=5")
    client.delete("c3")
    with pytest.raises(ServiceError, match="later commit") as changed:
        client._json("GET", f"/v1/clusters/c7?from=5&commit={first['commit']}")
    assert changed.value.status == 409
    assert {member["id"] for member in client.cluster("c7")} == {f"c{at}" for at in range(1500) if at != 3}


def test_what_is_no_service_is_told() -> None:
    with pytest.raises(TypeError):
        Client("http://127.0.0.1:1").put(5, {"text": "a"})  # type: ignore[arg-type]
    for settings in ({"retries": -1}, {"deadline": float("inf")}, {"deadline": 0}):
        with pytest.raises(ValueError, match="retries"):
            Client("http://127.0.0.1:1", **settings)  # type: ignore[arg-type]


def test_threads_and_connections_that_were_closed(service: str) -> None:
    client = Client(service)
    wrong: list[Any] = []

    def work(worker: int) -> None:
        for at in range(30):
            client.put(f"{worker}-{at}", {"text": f"text {worker} {at}"})
            if client.document(f"{worker}-{at}")["text"] != f"text {worker} {at}":
                wrong.append((worker, at))

    workers = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong and client.stats()["documents"] == 120


def test_busy_services_are_asked_again() -> None:
    answers = [(429, {"retry-after": "0"}, {"detail": "busy", "code": "too_many"})] * 2 + [(200, {}, {"documents": 1})]

    class Busy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, head, body = answers.pop(0)
            content = json.dumps(body).encode() if isinstance(body, dict) else body
            self.send_response(status)
            for name, value in {**head, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Busy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        assert Client(url).stats() == {"documents": 1}
        answers[:] = [(429, {"retry-after": "0"}, {"detail": "busy", "code": "too_many"})] * 2
        with pytest.raises(ServiceError, match="busy") as busy:
            Client(url, retries=1).stats()
        assert busy.value.code == "too_many"
        answers[:] = [(429, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, {"detail": "busy", "code": "x"}), (200, {}, {"documents": 2})]
        assert Client(url).stats() == {"documents": 2}
        for status, body in ((200, b"<html>"), (301, b""), (204, b"")):
            answers[:] = [(status, {}, body)]
            with pytest.raises(ServiceError):
                Client(url).stats()
        answers[:] = [(502, {}, b"<html>bad gateway")]
        with pytest.raises(ServiceError, match="502: <html>bad gateway"):
            Client(url).stats()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("url", ["localhost:7070", "ftp://localhost", "", "http://"])
def test_addresses(url: str) -> None:
    with pytest.raises(ValueError, match="no address of a service"):
        Client(url)
