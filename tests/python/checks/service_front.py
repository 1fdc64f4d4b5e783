"""A front of four services against one index with all documents, and against brute force over the texts."""
import hashlib
import http.client
import json
import random
import re
import socket
import threading
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from math import sqrt
from pathlib import Path
from urllib.parse import quote, urlencode

from checks.harness import Checks
from checks.inputs import write_jsonl
from checks.service import SECRET, Service, collection, created, running, serving, shingles

SHARDS = 4
# What a shard decides about its own documents only, and numbers of commits.
OF_SHARD = {"kept", "cluster", "commit", "commits", "cost", "hint"}


def shard_of(name: str, shards: int = SHARDS) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest()[:16], 16) % shards


class Proxy:
    """Passes connections on to a service, which may end and come back at another port."""

    def __init__(self):
        self.target, self.slow, self.open = 0, False, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            self.open += [client, server]
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self.relay, args=pair, daemon=True).start()

    def relay(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while part := source.recv(1 << 16):
                if not self.slow:
                    sink.sendall(part)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self) -> None:
        for end in (self.listener, *self.open):
            end.close()


@contextmanager
def fronting(c: Checks, urls: list, *options: object):
    with running(c, "front", "front", *urls, "--listen", "127.0.0.1:0", *options) as front:
        yield front


@contextmanager
def four(c: Checks, name: str, *settings: object):
    """A front of four services, one service with all documents, and the services."""
    with ExitStack() as stack:
        shards = [stack.enter_context(serving(c, created(c, f"{name}-{number}.index", *settings))) for number in range(SHARDS)]
        one = stack.enter_context(serving(c, created(c, f"{name}-one.index", *settings)))
        yield stack.enter_context(fronting(c, [f"http://127.0.0.1:{shard.port}" for shard in shards])), one, shards


def value(ask: str, query: set, document: set) -> float | Fraction:
    shared = len(query & document)
    if ask == "cosine":
        return shared / sqrt(len(query) * len(document))
    return Fraction(shared, {"resembles": len(query | document), "containing": len(query), "contained-in": len(document)}[ask])


def wanted(texts: dict, query: set, ask: str, threshold: str, leave_out: str | None) -> list:
    """The ids of the documents that answer a question, in the order of a front."""
    places = {name: place for place, name in enumerate(texts)}
    found = []
    for name, text in texts.items():
        document = shingles(text)
        of_pair = value(ask, query, document)
        reaches = of_pair * of_pair >= Fraction(threshold) ** 2 - Fraction(1, 10**12) if ask == "cosine" else of_pair >= Fraction(threshold)
        if name != leave_out and reaches:
            found.append((-round(of_pair, 12) if ask == "cosine" else -of_pair, shard_of(name), places[name], name))
    return [name for *_, name in sorted(found)]


def pairs(answer: dict) -> dict:
    """The matches by id, without what a shard decides for itself."""
    return {one["id"]: {key: of for key, of in one.items() if key not in OF_SHARD} for one in answer["matches"]}


def rest(answer: dict) -> dict:
    return {key: of for key, of in answer.items() if key not in {*OF_SHARD, "matches", "documents", "total", "total_exact"}}


def front_answers(c: Checks) -> None:
    texts, rng = collection(21, 250), random.Random(22)
    sites = [f"https://{'ab'[number % 2]}.example/{number}" for number in range(len(texts))]
    documents = [
        {"id": name, "text": text, "url": site, "title": f"title of {name}", "date": f"20{10 + number % 9}-05-01"}
        for number, ((name, text), site) in enumerate(zip(texts.items(), sites, strict=True))
    ]
    with four(c, "lean", "--lean", "0.3") as (front, one, _):
        # A lean index refuses what it does not answer, and so does its front.
        for service in (front, one):
            c.check("front lean: are added", service.stream(documents)[1][-1]["added"] == len(texts))
        for ask in ("resembles", "containing"):
            found = [service.post("/v1/query", {"text": "a b c d e f", "ask": ask, "threshold": 0.5}) for service in (front, one)]
            c.check(f"front lean: {ask}", found[0][0] == found[1][0] and found[0][1].get("detail") == found[1][1].get("detail"), found)
    with four(c, "answers-all", "--passages", 8) as (front, one, shards):
        for service in (front, one):
            status, answers = service.stream(documents)
            c.check("front: are added", status == 200 and answers[-1]["added"] == len(texts), answers[-1])
            c.check("front: in order", [line.get("line") for line in answers] == [*range(1, len(texts) + 1), None], answers[:3])
        sizes = [shard.ask("GET", "/readyz")[2]["documents"] for shard in shards]
        c.check("front: each has its documents", sizes == [sum(shard_of(name) == number for name in texts) for number in range(SHARDS)], sizes)
        questions = []
        for number in range(160):
            name = rng.choice(list(texts))
            subject = {"id": name} if number % 2 else {"text": texts[name]}
            ask = rng.choice(("resembles", "containing", "contained-in", "cosine"))
            question = {**subject, "ask": ask, "threshold": rng.choice(("0.2", "0.3", "0.5", "0.8", "1"))}
            if number % 5 == 4:
                question["limit"] = rng.randint(1, 6)
            if number % 7 == 6:
                question |= rng.choice(({"site": "a.example"}, {"since": "2014-01-01"}, {"before": "2016-05-01", "since": "2012"}))
            if number % 11 == 10:
                question |= {"passages": True, "key": {"n": [number, None]}}
            questions.append(question)
        answers = []
        for question in questions:
            name = question.get("id")
            status, answer = front.post("/v1/query", question)
            other = one.post("/v1/query", question)[1]
            if not c.check(f"front: {question} is answered", status == 200, answer):
                continue
            answers.append(answer)
            c.check(f"front: {question} has the fields of one index", rest(answer) == rest(other), (answer, other))
            found = [match["id"] for match in answer["matches"]]
            if "limit" not in question:
                totals = (answer["total"], answer["total_exact"])
                c.check(f"front: {question} as one index", pairs(answer) == pairs(other) and totals == (other["total"], True), (answer, other))
            else:
                full = one.post("/v1/query", {key: of for key, of in question.items() if key != "limit"})[1]
                scores = [sorted(match["shared"] / match["size"] for match in part["matches"]) for part in (answer, other)]
                counts = len(found) == len(other["matches"]) and len(found) <= answer["total"] <= full["total"]
                c.check(f"front: {question} has as many", counts and (not answer["total_exact"] or answer["total"] == full["total"]), (answer, full))
                c.check(f"front: {question} has matches of one index", pairs(answer).items() <= pairs(full).items(), (scores, answer, other))
            if not {"site", "since", "before"} & set(question):
                expected = wanted(texts, shingles(question.get("text") or texts[name]), question["ask"], question["threshold"], name)
                c.check(f"front: {question} by brute force", found == expected[:question.get("limit")], (found, expected))
            c.check(f"front: {question} hints", ("hint" in answer) == ("hint" in other), (answer, other))
        status, batch = front.post("/v1/query/batch", questions)
        c.check("front: a batch is the answers", status == 200 and batch == answers, batch)
        mixed = [questions[0], {"id": "nobody"}, {"text": "a", "threshold": 7}, questions[1], {"txt": "a"}, ["a"], 7]
        status, batch = front.post("/v1/query/batch", mixed)
        status, of_one = one.post("/v1/query/batch", mixed)
        c.check("front: a bad question of a batch is one problem", [answer.get("problem") for answer in batch] == [answer.get("problem") for answer in of_one], batch)

        for name in rng.sample(list(texts), 30):
            for limit in (None, 3):
                question = {**rng.choice(({"text": texts[name]}, {"id": name})), "ask": "passages", "limit": limit}
                answer, other = (service.post("/v1/query", question)[1] for service in (front, one))
                c.check(f"front: {question}", {**rest(answer), "total": answer["total"]} == {**rest(other), "total": other["total"]}, (answer, other))
                found = [(-document["words_in_common"], shard_of(document["id"]), list(texts).index(document["id"])) for document in answer["documents"]]
                same = [document["words_in_common"] for document in answer["documents"]] == [document["words_in_common"] for document in other["documents"]]
                c.check(f"front: {question} in order", found == sorted(found) and same, (answer, other))

        for name in rng.sample(list(texts), 15):
            at = "/v1/documents/" + quote(name, safe="")
            document, of_one = (service.ask("GET", at)[2] for service in (front, one))
            c.check("front: a document", {**document, "kept": 0, "cluster": 0, "commit": 0} == {**of_one, "kept": 0, "cluster": 0, "commit": 0}, (document, of_one))
            other = rng.choice(list(texts))
            compared = [service.ask("GET", f"{at}/explain?" + urlencode({"other": other})) for service in (front, one)]
            c.check("front: explain", compared[0][0] == 200 and compared[0][2] == compared[1][2], compared)
        items = [{"id": name} for name in rng.sample(list(texts), 60)] + [{"id": "nobody"}, {"id": "given", "text": texts["d/7 é"]}]
        for measure in ("resemblance", "containment"):
            groups = [service.post("/v1/collapse", {"items": items, "threshold": "0.5", "measure": measure}) for service in (front, one)]
            c.check(f"front: collapse by {measure}", groups[0] == groups[1] and groups[0][0] == 200, groups)

        stats, of_one = (service.ask("GET", "/v1/stats")[2] for service in (front, one))
        c.check("front: figures", (stats["documents"], stats["settings"], len(stats["shards"])) == (len(texts), of_one["settings"], SHARDS), stats)
        c.check("front: sums", stats["postings"] == sum(shard["postings"] for shard in stats["shards"]), stats)
        c.check("front: ready", front.ask("GET", "/readyz")[2]["documents"] == len(texts))
        c.check("front: alive", front.ask("GET", "/healthz")[0] == 200)
        figures = front.ask("GET", "/metrics")[2]
        c.check("front: metrics", b'lookalike_requests_total{method="POST",path="/v1/query",status="200"}' in figures, figures[:500])
        c.check("front: metrics have the documents", f"lookalike_documents {len(texts)}\n".encode() in figures, figures[:500])
        described = front.ask("GET", "/openapi.json")[2]
        c.check("front: its description", "/v1/query" in described["paths"] and "/v1/filter" not in described["paths"], list(described["paths"]))

        refused = [
            ("POST", "/v1/query", {"text": "a", "kept": True}, 501, "kept"), ("POST", "/v1/query", {"text": "a", "ask": "cluster"}, 501, "cluster"),
            ("POST", "/v1/query", {"cluster": "d/1 é"}, 501, "cluster"), ("POST", "/v1/query", {"url": sites[0]}, 501, "`id`"),
            ("POST", "/v1/query", {"text": "a", "ask": "minhash"}, 501, "method"), ("GET", "/v1/clusters/a", None, 501, "/v1/clusters/{id}"),
            ("POST", "/v1/filter", {"text": "a"}, 501, "/v1/filter"), ("POST", "/v1/reports", {"text": "a"}, 501, "/v1/reports"),
            ("PUT", "/v1/sweeps/a", None, 501, "/v1/sweeps/{name}"), ("GET", "/v1/revisit", None, 501, "/v1/revisit"),
            ("POST", "/v1/query", {"txt": "a"}, 400, "txt"), ("POST", "/v1/query", {"id": "nobody"}, 404, "nobody"),
            ("POST", "/v1/query", {"text": "a", "sweep": "none"}, 404, "none"), ("GET", "/v1/documents/nobody", None, 404, "nobody"),
            ("DELETE", "/v1/documents/nobody", None, 404, ""), ("GET", "/nowhere", None, 404, ""), ("GET", "/v1/query", None, 405, ""),
        ]
        for method, path, body, status, told in refused:
            found, _, answer = front.ask(method, path, body)
            c.check(f"front: {method} {path} {body} is refused", found == status == answer["status"] and told in answer["detail"], (found, answer))


def kept_of(services: list, stored: dict) -> set:
    """The stored documents that their shards keep."""
    return {name for name in stored if services[shard_of(name)].ask("GET", "/v1/documents/" + quote(name, safe=""))[2]["kept"]}


def front_changes(c: Checks) -> None:
    rng, texts, stored = random.Random(23), list(collection(24, 300).values()), {}
    with four(c, "changes") as (front, one, shards):
        for step in range(150):
            name = f"n{rng.randrange(40)}/x y"
            at = "/v1/documents/" + quote(name, safe="")
            if rng.random() < 0.25:
                found, expected = (service.ask("DELETE", at) for service in (front, one))
                c.check(f"front changes: step {step} deletes", found[0] == expected[0] == (200 if name in stored else 404), found)
                stored.pop(name, None)
                continue
            text, unless, only_new = rng.choice(texts), rng.choice((None, None, "0.6")), rng.random() < 0.2
            query, document = (f"?unless_duplicate={unless}" if unless else ""), shingles(text)
            matched = {other for other in kept_of(shards, stored) if other != name and value("resembles", document, shingles(stored[other])) >= Fraction("0.6")} if unless else set()
            status, _, answer = front.ask("PUT", at + query, {"text": text}, {"if-none-match": "*"} if only_new else {})
            if only_new and name in stored:
                expected = (412, None)
            elif matched:
                expected = (200, "duplicate")
                of = answer.get("duplicate", {"id": None})
                c.check(f"front changes: step {step} names a kept document", of["id"] in matched, (answer, matched))
                counts = [len(document & shingles(stored.get(of["id"], ""))), len(document), len(shingles(stored.get(of["id"], "")))]
                c.check(f"front changes: step {step} has its counts", [of.get(key) for key in ("shared", "size", "other_size")] == counts, answer)
            else:
                expected = (200, "replaced") if name in stored else (201, "added")
                stored[name] = text
                one.ask("PUT", at, {"text": text})
            c.check(f"front changes: step {step} puts", (status, answer.get("outcome")) == expected, (status, answer, expected))
            if step % 10 == 0:
                answer, other = (service.post("/v1/query", {"text": text, "threshold": 0.3})[1] for service in (front, one))
                c.check(f"front changes: step {step} asks", pairs(answer) == pairs(other), (answer, other))
        for body in ({"no": "text"}, {"text": 7}):
            found = [service.ask("PUT", "/v1/documents/a", body) for service in (front, one)]
            c.check("front changes: no text is refused", found[0][0] == found[1][0] == 422 and found[0][2] == found[1][2], found)
        status, _, answer = front.ask("PUT", "/v1/documents/a?unless_duplicate=2", {"text": "a b c d e f"})
        c.check("front changes: a bad threshold is refused", status in (400, 422), answer)

        lines = [
            {"id": "s1", "text": texts[0]}, "\n", "{broken\n", {"text": "no id"}, {"id": "s2", "text": texts[0]}, {"id": 17, "text": texts[3]},
            {"id": "s1", "text": texts[1]}, {"id": "long", "text": "a " * (5 << 20)}, {"id": "s3", "text": texts[2]}, {"id": "s4"},
        ]
        status, answers = front.stream(lines)
        told = [(line.get("line"), line.get("outcome") or ("problem" if "problem" in line else None)) for line in answers]
        expected = [(1, "added"), (3, "problem"), (4, "problem"), (5, "added"), (6, "added"), (7, "replaced"), (8, "problem"), (9, "added"), (10, "problem"), (None, None)]
        c.check("front stream: each line is answered", status == 200 and told == expected, answers)
        sums = {"lines": 9, "added": 4, "replaced": 1, "exists": 0, "duplicates": 0, "problems": 4}
        c.check("front stream: the last line has the counts", sums.items() <= answers[-1].items(), answers[-1])
        c.check("front stream: a number is an id", front.ask("GET", "/v1/documents/17")[0] == 200)
        status, answers = front.stream([{"id": "s1", "text": texts[0]}, {"id": "s9", "text": texts[5]}], only_new="true", answers="problems")
        c.check("front stream: only what is new", [line.get("outcome") for line in answers] == ["exists", None], answers)
        many = [{"id": f"m{number}", "text": texts[number % len(texts)]} for number in range(5000)]
        status, answers = front.stream(many)
        c.check("front stream: many lines", status == 200 and [line.get("line") for line in answers] == [*range(1, 5001), None], answers[-1:])
        status, answers = front.stream(many, answers="problems")
        c.check("front stream: sent again, it is replaced", (answers[-1]["lines"], answers[-1]["replaced"], answers[-1]["problems"]) == (5000, 5000, 0), answers)
        status, answers = front.stream([])
        c.check("front stream: an empty one", status == 200 and answers[-1]["lines"] == 0, answers)
        c.check("front stream: no duplicates", front.stream(many[:2], unless_duplicate="0.5")[0] == 400)
        # Of a sweep that only one shard has.
        sweeps = [{"id": f"w{number}", "text": texts[number], "url": f"https://w.example/{number}"} for number in range(5) if shard_of(f"w{number}") == 1][:1]
        for service in (front, one):
            service.stream(sweeps, sweep="june", date="2024-06-01")
        question = {"text": sweeps[0]["text"], "sweep": "june", "threshold": 0.5} if sweeps else {"text": "a"}
        found = [service.post("/v1/query", question) for service in (front, one)]
        c.check("front sweeps: a sweep of one shard", found[0][0] == 200 and pairs(found[0][1]) == pairs(found[1][1]), found)
        listed = [service.ask("GET", "/v1/sweeps")[2] for service in (front, one)]
        c.check("front sweeps: are listed", listed[0] == listed[1], listed)


def front_failures(c: Checks) -> None:
    texts = collection(25, 60)
    indexes = [created(c, f"failures-{number}.index") for number in range(SHARDS)]
    proxies = [Proxy() for _ in range(SHARDS)]
    question = {"text": texts["d/3 é"], "threshold": 0.3}
    with ExitStack() as stack:
        shards = [stack.enter_context(serving(c, index)) for index in indexes]
        for proxy, shard in zip(proxies, shards, strict=True):
            proxy.target = shard.port
        front: Service = stack.enter_context(fronting(c, [proxy.url for proxy in proxies]))
        front.stream([{"id": name, "text": text} for name, text in texts.items()])
        status, before = front.post("/v1/query", question)
        c.check("front failures: answers", status == 200 and before["matches"], before)

        proxies[2].slow = True
        status, answer = front.post("/v1/query", question, deadline_ms="300")
        c.check("front failures: a slow shard is named", (status, answer["code"]) == (503, "deadline") and proxies[2].url in answer["detail"], (status, answer))
        status, batch = front.post("/v1/query/batch", [question, question], deadline_ms="300")
        told = [one.get("problem", {}).get("code") for one in batch]
        c.check("front failures: also in a batch", status == 200 and told == ["deadline", "deadline"], batch)
        proxies[2].slow = False
        answer = front.post("/v1/query", question)
        c.check("front failures: answers again", answer == (200, before), answer)

        # A stream while a shard is killed: its lines are problems that name it, the others are added.
        connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=120)
        connection.putrequest("POST", "/v1/documents")
        connection.putheader("content-type", "application/x-ndjson")
        connection.putheader("transfer-encoding", "chunked")
        connection.endheaders()

        def send(number: int) -> None:
            line = json.dumps({"id": f"k{number}", "text": texts["d/3 é"]}).encode() + b"\n"
            connection.send(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        for number in range(20):
            send(number)
        response = connection.getresponse()
        first = [json.loads(response.readline()) for _ in range(20)]
        c.check("front failures: a stream begins", all(line.get("outcome") == "added" for line in first), first)
        shards[1].process.kill()
        shards[1].process.wait()
        for number in range(20, 60):
            send(number)
        connection.send(b"0\r\n\r\n")
        later = [json.loads(line) for line in response.read().splitlines()]
        named = [shard_of(f"k{number}") == 1 for number in range(20, 60)]
        told = ["problem" in line and proxies[1].url in line["problem"] for line in later[:-1]]
        c.check("front failures: the lines of a shard that is killed", told == named and any(named), later)
        c.check("front failures: the others are added", later[-1]["added"] == 20 + named.count(False), later[-1])
        connection.close()

        mine = next(name for name in texts if shard_of(name) == 1)
        other = next(name for name in texts if shard_of(name) == 0)
        for method, path, body in (
            ("POST", "/v1/query", question), ("GET", "/v1/documents/" + quote(mine, safe=""), None), ("GET", "/v1/stats", None),
            ("PUT", "/v1/documents/" + quote(mine, safe=""), {"text": "a"}), ("GET", "/readyz", None), ("POST", "/v1/query", {"id": other}),
        ):
            status, _, answer = front.ask(method, path, body)
            c.check(f"front failures: {method} {path} names the shard that is gone", status == 503 and proxies[1].url in answer["detail"], (status, answer))
        status, _, document = front.ask("GET", "/v1/documents/" + quote(other, safe=""))
        c.check("front failures: documents of other shards are there", status == 200, document)

        shards[1] = stack.enter_context(serving(c, indexes[1]))
        proxies[1].target = shards[1].port
        status, answer = front.post("/v1/query", {**question, "since": None})
        left = {name: of for name, of in pairs(answer).items() if not re.fullmatch(r"k\d+", name)} if status == 200 else answer
        c.check("front failures: answers once it is back", left == pairs(before), (answer, before))

        stream = front.connect()
        stream.sendall(b"POST /v1/documents HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n")
        line = json.dumps({"id": "before", "text": "a document before the stop"}).encode() + b"\n"
        stream.sendall(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        received = b""
        while b'"added"' not in received and (part := stream.recv(1000)):
            received += part
        front.process.terminate()
        while part := stream.recv(1000):
            received += part
        c.check("front failures: a stream is told where to go on", b'"line":2' in received and b"being stopped" in received and b'"added":1' in received, received)
        c.check("front failures: stops cleanly", front.process.wait(60) == 0)
        c.check("front failures: what was answered is there", shards[shard_of("before")].ask("GET", "/v1/documents/before")[0] == 200)
        stream.close()
    for proxy in proxies:
        proxy.close()


def front_refusals(c: Checks) -> None:
    first, second = created(c, "refusals-0.index"), created(c, "refusals-1.index", "--threshold", "0.7")
    tokens, token = c.work / "shard-tokens.txt", c.work / "shard.token"
    tokens.write_text(f"{SECRET} read,write front\n", encoding="utf-8")
    token.write_text("secret\n", encoding="utf-8")
    with ExitStack() as stack:
        services = [stack.enter_context(serving(c, index)) for index in (first, second)]
        urls = [f"http://127.0.0.1:{service.port}" for service in services]
        done = c.run("front", *urls, "--listen", "127.0.0.1:0")
        told = done.returncode == 1 and "documents.threshold" in done.stderr and all(url in done.stderr for url in urls)
        c.check("front refusals: different settings are named", told and '"0.7"' in done.stderr, done.stderr)
        for url in ("127.0.0.1:1", "https://127.0.0.1:1", "http://127.0.0.1:1"):
            done = c.run("front", url, "--listen", "127.0.0.1:0")
            c.check(f"front refusals: {url}", done.returncode == 1 and url in done.stderr, done.stderr)
        done = c.run("front", urls[0], "--listen", "0.0.0.0:0")
        c.check("front refusals: tokens beyond this machine", done.returncode == 2 and "--tokens" in done.stderr, done.stderr)
        # Documents that another order of the URLs put there.
        third = stack.enter_context(serving(c, created(c, "refusals-2.index")))
        urls = [urls[0], f"http://127.0.0.1:{third.port}"]
        text = "one two three four five six seven"
        with fronting(c, urls) as front:
            c.check("front refusals: is added", front.ask("PUT", "/v1/documents/a", {"text": text})[0] == 201)
        with fronting(c, urls[::-1]) as front:
            status, answer = front.post("/v1/query", {"text": text})
            c.check("front refusals: another order of the URLs", (status, answer["code"]) == (500, "misplaced") and "`a`" in answer["detail"], (status, answer))
        guarded = stack.enter_context(serving(c, created(c, "refusals-3.index"), "--tokens", tokens))
        url = f"http://127.0.0.1:{guarded.port}"
        done = c.run("front", url, "--listen", "127.0.0.1:0")
        c.check("front refusals: no token for a shard", done.returncode == 1 and url in done.stderr and "--shard-token-file" in done.stderr, done.stderr)
        with fronting(c, [url], "--shard-token-file", token) as front:
            c.check("front refusals: with its token", front.ask("PUT", "/v1/documents/a", {"text": text})[0] == 201)
        with fronting(c, [url], "--shard-token-file", token, "--tokens", tokens) as front:
            c.check("front refusals: tokens of the front", front.ask("GET", "/v1/stats")[0] == 401)
            c.check("front refusals: one that is known", front.ask("GET", "/v1/stats", None, {"authorization": "Bearer secret"})[0] == 200)
            c.check("front refusals: a scope that it has not", front.ask("POST", "/v1/reports", None, {"authorization": "Bearer secret"})[0] == 403)
