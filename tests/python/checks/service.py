"""The HTTP service: answers and changes against brute force over the texts; limits, tokens, streams, stops and kills."""
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

from checks.harness import Checks
from checks.inputs import write_jsonl

NDJSON = {"content-type": "application/x-ndjson"}
VOCABULARY = [f"{start}{end}" for start in ("ba", "ce", "di", "fo", "gu", "li") for end in ("la", "mon", "ris", "tu", "x")]


class Service:
    """A running service."""

    def __init__(self, process: subprocess.Popen, port: int):
        self.process, self.port = process, port
        # What it says after its first line, as it comes.
        self.said: list[str] = []

    def ask(self, method: str, path: str, body=None, headers=None) -> tuple:
        """Status, head and body: parsed if it is JSON."""
        if body is not None and not isinstance(body, (bytes, str)):
            body, headers = json.dumps(body), {"content-type": "application/json", **(headers or {})}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            content, head = response.read(), dict(response.getheaders())
        finally:
            connection.close()
        is_json = "json" in head.get("content-type", "") and "ndjson" not in head.get("content-type", "")
        return response.status, head, json.loads(content) if is_json else content

    def post(self, path: str, body: object, **headers: str) -> tuple:
        status, _, answer = self.ask("POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        return status, answer

    def stream(self, documents: list, **query: object) -> tuple:
        """Status and lines."""
        path = "/v1/documents" + ("?" + urlencode(query) if query else "")
        lines = "".join(one if isinstance(one, str) else json.dumps(one) + "\n" for one in documents)
        status, _, content = self.ask("POST", path, lines.encode(), NDJSON)
        return status, [json.loads(line) for line in content.decode().splitlines()] if status == 200 else content

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=120)


def serving(c: Checks, index: Path, *options: object):
    return running(c, index.name, "serve", index, "--listen", "127.0.0.1:0", *options)


@contextmanager
def running(c: Checks, name: str, *arguments: object):
    """A service that a command starts."""
    command = [c.binary, *arguments]
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.PIPE, text=True)
    told = process.stderr.readline()
    port = re.search(r"https?://127\.0\.0\.1:(\d+)", told)
    if not port:
        process.kill()
        raise AssertionError(told + process.stderr.read())
    service = Service(process, int(port[1]))
    # It must not fill the pipe.
    rest = threading.Thread(target=lambda: service.said.extend(process.stderr), daemon=True)
    rest.start()
    try:
        yield service
    finally:
        if process.poll() is None:
            process.terminate()
        c.check(f"{name}: the service ends", process.wait(120) in (0, -signal.SIGKILL), process.returncode)


def created(c: Checks, name: str, *options: object) -> Path:
    index = c.work / name
    done = c.run("index", "create", index, "--quiet", *options)
    c.check(f"{name}: is created", done.returncode == 0, done.stderr)
    return index


def shingles(text: str) -> set:
    words = re.findall("[a-z]+", text.lower())
    return {tuple(words[at:at + 5]) for at in range(len(words) - 4)}


def collection(seed: int, n: int) -> dict:
    """Texts of 5 to 60 words with edited copies, parts and wholes of each other."""
    rng, texts = random.Random(seed), {}
    for number in range(n):
        words = [rng.choice(VOCABULARY) for _ in range(rng.randint(5, 60))]
        if texts and rng.random() < 0.6:
            words = rng.choice(list(texts.values())).split()
            for _ in range(rng.randint(0, 3)):
                words[rng.randrange(len(words))] = rng.choice(VOCABULARY)
            if rng.random() < 0.3:
                words = words[:max(5, len(words) // 2)]
            if rng.random() < 0.3:
                words += [rng.choice(VOCABULARY) for _ in range(rng.randint(1, 40))]
        texts[f"d/{number} é"] = " ".join(words)
    return texts


def values(query: set, document: set) -> dict:
    shared = len(query & document)
    return {"resembles": shared / len(query | document), "containing": shared / len(query), "contained-in": shared / len(document)}


def expected(texts: dict, query: set, ask: str, threshold: float, leave_out: str | None = None) -> list:
    """Ids and shared shingles of all documents that answer a question, in no order."""
    found = []
    for name, text in texts.items():
        document = shingles(text)
        if name != leave_out and values(query, document)[ask] >= threshold:
            found.append((name, len(query & document)))
    return sorted(found)


def got(answer: dict) -> list:
    return sorted((one["id"], one["shared"]) for one in answer["matches"])


def service_answers(c: Checks) -> None:
    texts = collection(1, 250)
    index = created(c, "answers.index")
    path = c.work / "answers.jsonl"
    write_jsonl(path, [{"id": name, "text": text} for name, text in texts.items()])
    c.check("answers: are added", c.run("index", "add", index, path, "--quiet").returncode == 0)
    rng = random.Random(2)
    with serving(c, index, "-j", 2) as service:
        questions = []
        for number, (name, text) in enumerate(rng.sample(list(texts.items()), 60)):
            ask, threshold = rng.choice(("resembles", "containing", "contained-in")), rng.choice((0.3, 0.5, 0.8, 1))
            subject = {"id": name} if number % 2 else {"text": text}
            question = {**subject, "ask": ask, "threshold": threshold}
            questions.append((question, expected(texts, shingles(text), ask, threshold, name if number % 2 else None)))
        answers = []
        for question, wanted in questions:
            status, answer = service.post("/v1/query", question)
            answers.append(answer)
            c.check(f"answers: {question}", status == 200 and got(answer) == wanted, f"{answer} {wanted}")
        status, batch = service.post("/v1/query/batch", [question for question, _ in questions])
        c.check("answers: a batch is the answers", status == 200 and batch == answers, batch)
        mixed = [questions[0][0], {"id": "nobody"}, {"text": "a", "threshold": 7}, questions[1][0], {"txt": "a"}, ["a"], 7]
        status, batch = service.post("/v1/query/batch", mixed)
        codes = [one.get("problem", {}).get("status") for one in batch]
        c.check("answers: a bad question of a batch is one problem", codes == [None, 404, 400, None, 400, 400, 400], batch)
        for question, _ in questions[:3]:
            subject = ("--id", question["id"]) if "id" in question else (question["text"],)
            done = c.run("query", index, *subject, "--ask", question["ask"], "--threshold", question["threshold"], "--format", "json")
            c.check("answers: the command answers the same", json.loads(done.stdout) == service.post("/v1/query", question)[1], done)

        for name in rng.sample(list(texts), 10):
            at = "/v1/documents/" + quote(name, safe="")
            status, _, document = service.ask("GET", at)
            c.check("document: is there", (status, document["id"], document["text"]) == (200, name, texts[name]), document)
            status, _, cluster = service.ask("GET", at + "/cluster")
            c.check("cluster: all name one kept document", {one["cluster"] for one in cluster["matches"]} <= {document["cluster"]}, cluster)
            counts = [(one["shared"], one["size"]) for one in cluster["matches"]]
            wanted = [(len(shingles(texts[name]) & shingles(texts[one["id"]])), len(shingles(texts[one["id"]]))) for one in cluster["matches"]]
            c.check("cluster: has its counts", counts == wanted, (counts, wanted))
            other = rng.choice(list(texts))
            status, _, compared = service.ask("GET", f"{at}/explain?" + urlencode({"other": other}))
            shared = compared["measures"]["shared"]
            c.check("explain: has the counts", shared == len(shingles(texts[name]) & shingles(texts[other])), compared["measures"])

        ranked = rng.sample(list(texts), 40)
        items = [{"id": name} for name in ranked] + [{"id": "nobody"}, {"id": "given", "text": texts[ranked[0]]}]
        status, groups = service.post("/v1/collapse", {"items": items, "threshold": "0.5"})
        done = c.run("collapse", "-", "--index", index, "--threshold", "0.5", "--format", "json", stdin="".join(json.dumps(one) + "\n" for one in items))
        c.check("collapse: as the command", status == 200 and groups == json.loads(done.stdout), (groups, done.stdout, done.stderr))

        refused = [
            ("POST", "/v1/query", {"txt": "a"}, 400), ("POST", "/v1/query", {"text": "a", "id": "b"}, 400), ("POST", "/v1/query", [1], 400),
            ("POST", "/v1/query", {"id": "nobody"}, 404), ("POST", "/v1/query", {"text": "a", "ask": "guess"}, 400),
            ("POST", "/v1/query/batch", [{"text": "a"}] * 1001, 400), ("GET", "/v1/documents/nobody", None, 404),
            ("GET", "/v1/documents/%FF", None, 400), ("GET", "/v1/documents/nobody/explain", None, 400), ("GET", "/nowhere", None, 404),
            ("GET", "/v1/query", None, 405), ("POST", "/v1/collapse", {"items": [{"text": "a"}]}, 400),
        ]
        for method, path, body, status in refused:
            found, head, answer = service.ask(method, path, body)
            told = head.get("content-type") == "application/problem+json" and answer.get("detail") and answer.get("code") and answer.get("status") == status
            c.check(f"refused: {method} {path}", found == status and told, (found, head, answer))
        for value in ("0", "-1", "x", "600001", "1.5"):
            c.check(f"refused: deadline {value}", service.post("/v1/query", {"text": "a"}, deadline_ms=value)[0] == 400)
        status, answer = service.post("/v1/query", {"text": " ".join(texts.values()), "ask": "contained-in", "threshold": 0.1, "passages": True}, deadline_ms="1")
        c.check("deadline: an answer is whole or none", status == 503 and answer["code"] == "deadline", (status, answer))
        status, _, described = service.ask("GET", "/openapi.json")
        c.check("description: has the endpoints", status == 200 and {"/v1/query", "/v1/documents/{id}", "/v1/filter"} <= set(described["paths"]))
        status, _, figures = service.ask("GET", "/metrics")
        c.check("metrics: are there", b'lookalike_requests_total{method="POST",path="/v1/query",status="200"}' in figures, figures[:500])
        c.check("ready: with the last commit", service.ask("GET", "/readyz")[2] == {"commit": 1, "documents": len(texts)})


def left_out(kept: dict, name: str, text: str, threshold: float) -> list:
    """The documents that a document matches, of another id."""
    document = shingles(text)
    return sorted(other for other, sets in kept.items() if other != name and len(document & sets) >= threshold * len(document | sets))


def kept_of(service: Service, stored: dict) -> dict:
    """The shingles of the stored documents that are kept."""
    documents = {name: service.ask("GET", "/v1/documents/" + quote(name, safe=""))[2] for name in stored}
    return {name: shingles(stored[name]) for name, document in documents.items() if document["kept"]}


def service_changes(c: Checks) -> None:
    rng, texts = random.Random(3), list(collection(4, 300).values())
    index, stored = created(c, "changes.index"), {}
    with serving(c, index) as service:
        commit = 0
        for step in range(150):
            name = f"n{rng.randrange(40)}/x y"
            at = "/v1/documents/" + quote(name, safe="")
            if rng.random() < 0.25:
                status, _, answer = service.ask("DELETE", at)
                wanted = (200, "deleted") if stored.pop(name, None) is not None else (404, None)
                c.check(f"changes: step {step} deletes", (status, answer.get("outcome")) == wanted, (status, answer, wanted))
            else:
                text, unless, only_new = rng.choice(texts), rng.choice((None, None, "0.6")), rng.random() < 0.2
                headers = {"if-none-match": "*"} if only_new else {}
                # Before the change, which may alter what is kept.
                matched = left_out(kept_of(service, stored), name, text, 0.6) if unless else []
                status, _, answer = service.ask("PUT", at + (f"?unless_duplicate={unless}" if unless else ""), {"text": text}, headers)
                if only_new and name in stored:
                    wanted = (412, None)
                elif matched:
                    wanted = (200, "duplicate")
                    of = answer.get("duplicate", {"id": None, "shared": None})
                    c.check(f"changes: step {step} names the document it matches", of["id"] in matched, (answer, matched))
                    c.check(f"changes: step {step} has its counts", of["shared"] == len(shingles(text) & shingles(stored.get(of["id"], ""))), answer)
                else:
                    wanted = (200, "replaced") if name in stored else (201, "added")
                    stored[name] = text
                c.check(f"changes: step {step} puts", (status, answer.get("outcome")) == wanted, (status, answer, wanted))
            if status < 300:
                c.check(f"changes: step {step} has a later commit", answer["commit"] >= commit, (answer, commit))
                commit = answer["commit"]
            status, _, document = service.ask("GET", at)
            found = document.get("text") if status == 200 else None
            c.check(f"changes: step {step} is seen at once", found == stored.get(name), (document, stored.get(name)))
        ready = service.ask("GET", "/readyz")[2]
        c.check("changes: all of them and no others", ready["documents"] == len(stored), ready)

        status, _, answer = service.ask("PUT", "/v1/documents/a", {"id": "b", "text": "one"})
        c.check("changes: another id is refused", status == 400, answer)
        for body in ({"no": "text"}, {"text": 7}):
            status, _, answer = service.ask("PUT", "/v1/documents/a", body)
            c.check("changes: no text is refused", status == 422 and answer["detail"], (status, answer))
        c.check("changes: a bad threshold is refused", service.ask("PUT", "/v1/documents/a?unless_duplicate=2", {"text": "a"})[0] in (400, 422))

        lines = [
            {"id": "s1", "text": texts[0]}, "\n", "{broken\n", {"text": "no id"}, {"id": "s2", "text": texts[0]},
            {"id": "s1", "text": texts[1]}, {"id": "long", "text": "a " * (5 << 20)}, {"id": "s3", "text": texts[2]},
        ]
        status, answers = service.stream(lines)
        told = [(one.get("line"), one.get("outcome") or ("problem" if "problem" in one else None)) for one in answers]
        wanted = [(1, "added"), (3, "problem"), (4, "problem"), (5, "added"), (6, "replaced"), (7, "problem"), (8, "added"), (None, None)]
        c.check("stream: each line is answered", status == 200 and told == wanted, answers)
        sums = {"lines": 7, "added": 3, "replaced": 1, "exists": 0, "duplicates": 0, "problems": 3}
        c.check("stream: the last line has the counts", sums.items() <= answers[-1].items(), answers[-1])
        status, answers = service.stream([{"id": "s1", "text": texts[0]}, {"id": "s9", "text": texts[5]}], only_new="true", answers="problems")
        c.check("stream: only what is new", [one.get("outcome") for one in answers] == ["exists", None], answers)
        many = [{"id": f"m{number}", "text": texts[number % len(texts)]} for number in range(5000)]
        status, answers = service.stream(many)
        c.check("stream: many lines", status == 200 and [one.get("line") for one in answers] == [*range(1, 5001), None], answers[-1:])
        commits = {one["commit"] for one in answers[:-1]}
        c.check("stream: in groups", len(commits) < 200, len(commits))
        status, answers = service.stream(many, answers="problems")
        c.check("stream: sent again, it is replaced", answers == [{**answers[-1], "lines": 5000, "added": 0, "replaced": 5000, "problems": 0}], answers)
        c.check("stream: an empty one", service.stream([]) == (200, [{"lines": 0, "added": 0, "replaced": 0, "exists": 0, "duplicates": 0, "problems": 0, "commit": 0}]))

        def put(number: int) -> tuple:
            status, _, answer = service.ask("PUT", f"/v1/documents/p{number}", {"text": texts[number % len(texts)]})
            return status, service.ask("GET", f"/v1/documents/p{number}")[0], answer
        with ThreadPoolExecutor(16) as pool:
            done = list(pool.map(put, range(300)))
        c.check("changes: side by side, each is there at once", all(one[:2] == (201, 200) for one in done), [one for one in done if one[:2] != (201, 200)][:3])
        refused = c.run("index", "add", index, "-", stdin="")
        c.check("changes: a second writer is refused", refused.returncode == 1 and "another" in refused.stderr, refused.stderr)
    checked = c.run("index", "check", index, "--deep")
    c.check("changes: the index is sound", checked.returncode == 0, checked.stderr + checked.stdout)
    added = c.run("index", "add", index, "-", stdin=json.dumps({"id": "later", "text": texts[0]}) + "\n")
    c.check("changes: after the service another may write", added.returncode == 0, added.stderr)


SECRET = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"


def service_limits(c: Checks) -> None:
    index = created(c, "limits.index")
    refused = c.run("serve", index, "--listen", "0.0.0.0:0")
    c.check("tokens: needed beyond this machine", refused.returncode == 2 and "--tokens" in refused.stderr, refused.stderr)
    for address in ("nowhere", "127.0.0.1", "127.0.0.1:99999", "host.invalid:1"):
        refused = c.run("serve", index, "--listen", address)
        c.check(f"listen: {address} is refused", refused.returncode == 1 and address in refused.stderr, refused.stderr)
    refused = c.run("serve", c.work / "nowhere.index")
    c.check("serve: no index", refused.returncode == 1 and "nowhere.index" in refused.stderr, refused.stderr)
    tokens = c.work / "tokens.txt"
    for text, reason in (("secret read me\n", ":1:"), ("# none\n", "no token"), (f"{SECRET} all me\n", "`all`")):
        tokens.write_text(text, encoding="utf-8")
        refused = c.run("serve", index, "--tokens", tokens)
        c.check(f"tokens: {text!r} is refused", refused.returncode == 1 and reason in refused.stderr, refused.stderr)
    tokens.write_text(f"# of the tests\n{SECRET} read loader one\n", encoding="utf-8")
    with serving(c, index, "--tokens", tokens) as service:
        for given, method, path, status in (
            ({}, "GET", "/v1/stats", 401), ({"authorization": "Bearer wrong"}, "GET", "/v1/stats", 401),
            ({"authorization": "Basic secret"}, "GET", "/v1/stats", 401), ({"authorization": f"Bearer {SECRET}"}, "GET", "/v1/stats", 401),
            ({"authorization": "Bearer secret"}, "GET", "/v1/stats", 200), ({"authorization": "bearer secret"}, "GET", "/v1/stats", 200),
            ({"authorization": "Bearer secret"}, "DELETE", "/v1/documents/a", 403), ({}, "GET", "/healthz", 200), ({}, "GET", "/metrics", 401),
        ):
            found, head, answer = service.ask(method, path, None, given)
            c.check(f"tokens: {given} {method} {path}", found == status and (found != 401 or "www-authenticate" in head), (found, answer))

    with serving(c, index) as service:
        for headers, status in (
            ({"host": "evil.example"}, 403), ({"host": "localhost:1"}, 200), ({"host": "[::1]"}, 200), ({"host": "127.0.0.1.evil.example"}, 403),
            ({"origin": "https://evil.example"}, 403), ({"origin": "null"}, 403), ({"origin": "http://localhost:7070"}, 200),
        ):
            found = service.ask("GET", "/readyz", None, headers)
            c.check(f"host: {headers}", found[0] == status, found)
        status, _, answer = service.ask("POST", "/v1/query", json.dumps({"text": "a"}), {"content-type": "text/plain"})
        c.check("body: of another type", status == 415, answer)
        status, _, answer = service.ask("POST", "/v1/query", b'{"text": "\xff"}', {"content-type": "application/json"})
        c.check("body: no UTF-8", status == 400, answer)
        long = json.dumps({"text": "a" * (9 << 20)})
        try:
            status, _, answer = service.ask("POST", "/v1/query", long, {"content-type": "application/json"})
        except (BrokenPipeError, ConnectionResetError):
            # It answers before it has read all, and closes.
            status = 413
        c.check("body: too long", status == 413, answer)
        deep = "[" * 100_000
        c.check("body: deep", service.ask("POST", "/v1/query", deep, {"content-type": "application/json"})[0] == 400)
        for garbage in (b"\x16\x03\x01\x02\x00\x01\x00\x01", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 1000, b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
                        b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 10_000 + b"\r\n", b"POST /v1/query HTTP/1.1\r\ncontent-length: -1\r\n\r\n"):
            with service.connect() as connection:
                try:
                    connection.sendall(garbage)
                    answer = connection.recv(1000)
                except (BrokenPipeError, ConnectionResetError):
                    answer = b""
                c.check(f"garbage: {garbage[:20]!r}", answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer)
        slow = service.connect()
        slow.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n")
        body = service.connect()
        body.sendall(b"POST /v1/query HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{")
        gone = service.connect()
        gone.sendall(b"POST /v1/documents HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ncontent-length: 100000\r\n\r\n")
        gone.sendall(json.dumps({"id": "gone", "text": "a document before the client goes away"}).encode() + b"\n{\"id\"")
        gone.close()
        answer = slow.recv(1000)
        c.check("slow: a head that does not end", answer == b"" or answer.startswith(b"HTTP/1.1 408"), answer)
        c.check("slow: a body that does not come", body.recv(1000).startswith(b"HTTP/1.1 408"))
        c.check("service: goes on", service.ask("GET", "/readyz")[0] == 200)
        slow.close(), body.close()

    with serving(c, index, "--max-connections", 3) as service:
        held = [service.connect() for _ in range(3)]
        for connection in held:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
            c.check("connections: those that fit are answered", connection.recv(1000).startswith(b"HTTP/1.1 200"))
        with service.connect() as one_more:
            c.check("connections: one more is refused", one_more.recv(1000).startswith(b"HTTP/1.1 503"))
        for connection in held:
            connection.close()

    with serving(c, index, "--read-only") as service:
        for method, path, body in (("PUT", "/v1/documents/a", {"text": "a"}), ("DELETE", "/v1/documents/a", None)):
            status, _, answer = service.ask(method, path, body)
            c.check(f"read only: {method}", status == 403 and answer["code"] == "read_only", answer)
        c.check("read only: a stream", service.stream([{"id": "a", "text": "a"}])[0] == 403)
        added = c.run("index", "add", index, "-", stdin=json.dumps({"id": "other", "text": "a document of another process"}) + "\n")
        c.check("read only: another process writes", added.returncode == 0, added.stderr)
        status, _, document = service.ask("GET", "/v1/documents/other")
        c.check("read only: its commit is seen", status == 200, document)


def service_stops(c: Checks) -> None:
    """Stops while requests are answered."""
    index = created(c, "stops.index")
    with serving(c, index) as service:
        stream = service.connect()
        stream.sendall(b"POST /v1/documents HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n")
        line = json.dumps({"id": "before", "text": "a document before the stop"}).encode() + b"\n"
        stream.sendall(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        received = b""
        while b'"added"' not in received and (part := stream.recv(1000)):
            received += part
        service.process.send_signal(signal.SIGTERM)
        while part := stream.recv(1000):
            received += part
        c.check("stops: a stream is told where to go on", b'"line":2' in received and b"being stopped" in received, received)
        c.check("stops: with its counts", b'"added":1' in received, received)
        c.check("stops: cleanly", service.process.wait(60) == 0)
    with serving(c, index) as service:
        c.check("stops: what was answered is there", service.ask("GET", "/v1/documents/before")[0] == 200)

    # The filter: three reporters make a message spam.
    offer = " ".join(VOCABULARY * 4)
    mail = f"Subject: offer\nMessage-ID: <1@a.example>\n\n{offer}\n".encode()
    with serving(c, index) as service:
        for number, reporter in enumerate(("ann", "bob", "carl"), 1):
            status, _, answer = service.ask("POST", f"/v1/reports?report=spam&reporter={reporter}", mail, {"content-type": "message/rfc822"})
            c.check("reports: are counted", status == 200 and answer["reports"]["spam"] == number, answer)
        status, _, verdict = service.ask("POST", "/v1/filter", mail, {"content-type": "message/rfc822"})
        c.check("filter: spam", status == 200 and verdict["verdict"] == "spam" and verdict["passages"], verdict)
        status, verdict = service.post("/v1/filter", {"text": "shall we meet at noon"})
        c.check("filter: none", status == 200 and verdict["verdict"] == "none", verdict)
        status, _, answer = service.ask("POST", "/v1/reports?report=revoke&reporter=bob", mail, {"content-type": "message/rfc822"})
        c.check("reports: are taken back", status == 200 and answer["reports"]["spam"] == 2, answer)
        for path in ("/v1/reports?report=maybe&reporter=a", "/v1/reports?report=spam&reporter=", "/v1/reports?report=spam"):
            c.check(f"reports: {path} is refused", service.ask("POST", path, mail, {"content-type": "message/rfc822"})[0] == 400)


def service_kills(c: Checks) -> None:
    """Kills under load: what was acknowledged is there, and a group is there whole or not at all."""
    index, acknowledged, deleted = created(c, "kills.index"), {}, set()
    texts = list(collection(6, 50).values())
    for round_ in range(100 if os.environ.get("LOOKALIKE_LONG") else 6):
        with serving(c, index) as service:
            missing = [name for name in list(acknowledged)[-200:] if service.ask("GET", f"/v1/documents/{name}")[0] != 200]
            there = [name for name in deleted if service.ask("GET", f"/v1/documents/{name}")[0] == 200]
            c.check(f"kills: round {round_} lost nothing", not missing and not there, (missing, there))
            enough = threading.Event()

            def load(worker: int) -> None:
                for number in range(10_000):
                    name = f"k{round_}-{worker}-{number}"
                    try:
                        if service.ask("PUT", f"/v1/documents/{name}", {"text": texts[number % len(texts)]})[0] == 201:
                            acknowledged[name] = round_
                        if number % 7 == 3 and service.ask("DELETE", f"/v1/documents/{name}")[0] == 200:
                            deleted.add(name)
                            del acknowledged[name]
                        elif number % 7 == 3:
                            acknowledged.pop(name, None)
                    except (OSError, http.client.HTTPException):
                        # A delete that was not answered may be durable.
                        if number % 7 == 3:
                            acknowledged.pop(name, None)
                        return
                    if number == 20 + 5 * round_:
                        enough.set()
            workers = [threading.Thread(target=load, args=(worker,)) for worker in range(4)]
            for worker in workers:
                worker.start()
            enough.wait(60)
            service.process.kill()
            for worker in workers:
                worker.join()
    checked = c.run("index", "check", index, "--deep")
    c.check("kills: the index is sound", checked.returncode == 0, checked.stderr + checked.stdout)
    done = c.run("index", "stats", index, "--format", "json")
    c.check("kills: some were acknowledged", len(acknowledged) > 100 and json.loads(done.stdout)["documents"] >= len(acknowledged), done.stdout[:300])
