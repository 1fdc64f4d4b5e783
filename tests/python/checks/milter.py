"""The milter: verdicts over the protocol, odd packets, slow and many connections, limits, stops."""
import json
import random
import signal
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks.filter import REPORTERS, words
from checks.harness import Checks
from checks.milter_client import OFFERED, Client, field_of, milter as running

OFFER = " ".join(words(random.Random(11), 120))
OTHER = " ".join(words(random.Random(12), 120))


def fields(subject: str, *more: tuple) -> list:
    return [("From", "a@example.org"), ("Subject", subject), ("Message-ID", "<m@example.org>"), *more]


def mail(subject: str, body: str) -> str:
    return f"From: a@example.org\nSubject: {subject}\nMessage-ID: <{subject}@example.org>\n\n{body}\n"


def reported(c: Checks, index: Path, kind: str, text: str, reporters: tuple = REPORTERS) -> None:
    for reporter in reporters:
        done = c.run("filter", "report", kind, "--prototypes", index, "--reporter", reporter, "--input-format", "eml", "-q", stdin=text)
        c.check("milter: is reported", done.returncode == 0, done.stderr)


def created(c: Checks, name: str) -> Path:
    index = c.work / name
    c.check(f"{name}: is created", c.run("index", "create", index, "-q").returncode == 0)
    return index


def milter(c: Checks) -> None:
    index = created(c, "milter.index")
    verdicts(c, index)
    spam_is_refused_if_asked(c, index)
    odd_packets(c, index)
    limits(c, index)
    sockets(c, index)
    stops(c, index)


def verdicts(c: Checks, index: Path) -> None:
    """Equal to those of the command, by the last commit of another process; fields of the same name are removed."""
    body = OFFER.encode() + b"\r\n"
    with running(c, index) as service, service.connect() as client:
        version, actions, steps = client.negotiate()
        c.check("milter: takes what it needs of what is offered", (version, actions, steps) == (6, 0x11, 0x400), (version, actions, steps))
        c.check("milter: answers the client", client.ask(b"C", b"localhost\0" + b"4" + struct.pack(">H", 25) + b"127.0.0.1\0")[0] == b"c")
        c.check("milter: answers its name", client.ask(b"H", b"localhost\0")[0] == b"c")
        client.send(b"D", b"Mi\0abc\0")
        said = [field_of(client.message(fields("offer"), body))]
        for reporter in REPORTERS:
            reported(c, index, "spam", mail("offer", OFFER), (reporter,))
            said.append(field_of(client.message(fields("offer"), body)))
        kinds = [value.split(";")[0] for value in said]
        c.check("milter: every report counts from the next message on", kinds == ["none", "unsure", "unsure", "spam"], said)
        done = c.run("filter", "--prototypes", index, "--header", stdin=mail("offer", OFFER))
        c.check("milter: the value is that of the command", f"X-Lookalike: {said[-1]}\n" == done.stdout.splitlines(True)[0], (said, done.stdout[:200]))
        answers = client.message(fields("other", ("X-Lookalike", "ham"), ("x-lookalike", "ham\n more"), ("X-Lookalike-Else", "kept")), OTHER.encode())
        removed = [data for command, data in answers if command == b"m"]
        wanted = [struct.pack(">I", number) + b"X-Lookalike\0\0" for number in (2, 1)]
        c.check("milter: what others wrote is removed", removed == wanted, answers)
        inserted = [data for command, data in answers if command == b"i"]
        c.check("milter: its own is the first", inserted == [struct.pack(">I", 0) + b"X-Lookalike\0none\0"] and answers[-1] == (b"c", b""), answers)
        # A message that is given up, and one of another connection of the mail server.
        client.ask(b"M", b"<a@example.org>\0")
        client.ask(b"L", b"Subject\0offer\0")
        client.ask(b"B", body)
        client.send(b"A")
        c.check("milter: what was given up is forgotten", field_of(client.message(fields("other"), OTHER.encode())) == "none")
        client.send(b"K")
        client.ask(b"C", b"localhost\0U")
        c.check("milter: goes on with another connection", field_of(client.message(fields("offer"), body)).startswith("spam"))
        c.check("milter: a body at its end", client.ask(b"L", b"Subject\0offer\0")[0] == client.ask(b"N")[0] == b"c")
        client.send(b"E", body)
        c.check("milter: a body with the end of the message", client.receive()[1].split(b"\0")[-2].startswith(b"spam") and client.receive()[0] == b"c")
        c.check("milter: no mail", field_of(client.message([], b"")) == "error; reason=unreadable")
        c.check("milter: bytes of no charset", field_of(client.message([("Subject", "a")], bytes(range(256)) * 9)) in ("none", "error; reason=unreadable"))
        c.check("milter: the version of an older mail server", Client(service.where).negotiate((2, 0x3F, 0x7F)) == (2, 0x11, 0))
        c.check("milter: the version of a newer one", Client(service.where).negotiate((7, 0x3FF, 0xFFFFFFFF)) == (6, 0x11, 0x400))
    with running(c, index, "--header", "X-Verdict") as service:
        answers = service.judge(fields("offer", ("X-Lookalike", "ham"), ("X-verdict", "ham")), body)
        c.check("milter: another name of the field", [data[4:14] for _, data in answers[:2]] == [b"X-Verdict\0"] * 2 and len(answers) == 3, answers)


def spam_is_refused_if_asked(c: Checks, index: Path) -> None:
    spam, none = (fields("offer"), OFFER.encode()), (fields("other"), OTHER.encode())
    unsure = " ".join(words(random.Random(13), 120))
    reported(c, index, "spam", mail("unsure", unsure), REPORTERS[:1])
    with running(c, index, "--reject") as service:
        answers = service.judge(*spam)
        c.check("milter: spam is refused", [command for command, _ in answers] == [b"y"] and answers[0][1].startswith(b"550 5.7.1 "), answers)
        for one in (none, (fields("unsure"), unsure.encode())):
            c.check("milter: and nothing else", [command for command, _ in service.judge(*one)] == [b"i", b"c"])
    with running(c, index, "--quarantine") as service:
        answers = service.judge(*spam)
        c.check("milter: spam is put on hold", [command for command, _ in answers] == [b"i", b"q", b"c"], answers)
        c.check("milter: and nothing else is", [command for command, _ in service.judge(*none)] == [b"i", b"c"])
        with service.connect() as client:
            client.send(b"O", struct.pack(">III", 6, 0x11, 0))
            c.check("milter: a mail server that cannot put on hold", client.is_closed())
    done = c.run("milter", index, "--reject", "--quarantine")
    c.check("milter: one of the two", done.returncode == 2, done.stderr)


def odd_packets(c: Checks, index: Path) -> None:
    """Bytes that are no packets close the connection, and nothing else."""
    options = struct.pack(">I", 13) + b"O" + struct.pack(">III", *OFFERED)
    rng = random.Random(14)
    packet = lambda command, data=b"": struct.pack(">I", 1 + len(data)) + command + data  # noqa: E731
    odd = {
        "no length": b"\0\0\0\0", "a long one": b"\xff\xff\xff\xff", "one byte more than the longest": struct.pack(">I", (1 << 20) + 2),
        "HTTP": b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n", "TLS": b"\x16\x03\x01\x02\0\x01\0\x01", "a command before the options": packet(b"M", b"<a>\0"),
        "short options": packet(b"O", b"\0\0\0\6"), "no actions": packet(b"O", struct.pack(">III", 6, 0, 0)), "an unknown command": options + packet(b"z"),
        "a field without its end": options + packet(b"L", b"Subject\0offer"), "a field without a value": options + packet(b"L", b"Subject\0"),
        "a field without a name": options + packet(b"L", b"\0a\0"), "an empty field": options + packet(b"L"),
        **{f"noise {number}": rng.randbytes(400) for number in range(20)},
        **{f"noise after the options {number}": options + rng.randbytes(400) for number in range(20)},
    }
    with running(c, index) as service:
        for name, sent in odd.items():
            with service.connect() as client:
                try:
                    client.socket.sendall(sent)
                    client.socket.shutdown(socket.SHUT_WR)
                    while client.socket.recv(1000):
                        pass
                    closed = True
                except (ConnectionResetError, BrokenPipeError):
                    closed = True
                except OSError as error:
                    closed = error
                c.check(f"milter: {name}", closed is True, closed)
        # Connections that end at each byte of a conversation.
        talk = options + packet(b"M", b"<a>\0") + packet(b"L", b"Subject\0offer\0") + packet(b"N") + packet(b"B", OFFER.encode()[:100]) + packet(b"E")
        for end in range(len(talk)):
            with service.connect() as client:
                client.socket.sendall(talk[:end])
        with service.connect() as client:
            for byte in talk:
                client.socket.sendall(bytes([byte]))
            answers = [client.receive() for _ in range(7)]
            c.check("milter: byte by byte", [command for command, _ in answers] == [b"O", b"c", b"c", b"c", b"c", b"i", b"c"], answers)
        with service.connect() as client:
            client.socket.sendall(talk * 3)
            answers = [client.receive()[0] for _ in range(21)]
            c.check("milter: all at once", answers == [b"O", b"c", b"c", b"c", b"c", b"i", b"c"] * 3, answers)
        with service.connect() as half, service.connect() as other:
            half.socket.sendall(options + b"\0\0")
            half.receive()
            other.negotiate()
            c.check("milter: a packet that does not end holds no other connection", field_of(other.message(fields("offer"), OFFER.encode())).startswith("spam"))
            c.check("milter: and is closed", half.is_closed())
        c.check("milter: goes on", field_of(service.judge(fields("offer"), OFFER.encode())).startswith("spam"))


def limits(c: Checks, index: Path) -> None:
    with running(c, index, "--max-message", "100kB") as service, service.connect() as client:
        client.negotiate()
        c.check("milter: as long as may be", field_of(client.message(fields("offer"), OFFER.encode() + b"\r\n" * 40_000)).startswith("spam"))
        answers = client.message(fields("offer", ("X-Lookalike", "ham")), b"a " * 60_000)
        c.check("milter: longer", field_of(answers) == "error; reason=too-long" and [command for command, _ in answers] == [b"m", b"i", b"c"], answers)
        answers = client.message(fields("offer", *((f"X-{number}", "a" * 90_000) for number in range(3))), b"a")
        c.check("milter: a longer header", field_of(answers) == "error; reason=too-long", answers)
        c.check("milter: the next one", field_of(client.message(fields("offer"), OFFER.encode())).startswith("spam"))
        with service.connect() as old:
            old.negotiate((6, 0x11, 0))
            answers = old.message(fields("offer"), b"a " * 200_000)
            c.check("milter: longer, where no body can be skipped", field_of(answers) == "error; reason=too-long", answers)
    # Millions of words take longer than a millisecond.
    with running(c, index, "--deadline", "1") as service, service.connect() as client:
        client.negotiate()
        long = " ".join(words(random.Random(15), 20_000)).encode() * 20
        c.check("milter: too late for a verdict", field_of(client.message(fields("offer"), long)) == "error; reason=deadline")
    with running(c, index, "--max-connections", "3") as service:
        held = [service.connect() for _ in range(3)]
        for client in held:
            client.negotiate()
        with service.connect() as one_more:
            c.check("milter: a connection more is closed", one_more.is_closed())
        for client in held:
            c.check("milter: those that fit are answered", field_of(client.message(fields("offer"), OFFER.encode())).startswith("spam"))
            client.socket.close()

    with running(c, index) as service:
        def judge(number: int) -> bool:
            spam = number % 2 == 0
            answers = service.judge(fields("offer" if spam else "other"), (OFFER if spam else OTHER).encode())
            return field_of(answers).startswith("spam" if spam else "none")
        with ThreadPoolExecutor(16) as pool:
            c.check("milter: side by side", all(pool.map(judge, range(300))))


def sockets(c: Checks, index: Path) -> None:
    path = c.work / "milter.sock"
    where = f"unix:{path}"
    with running(c, index, listen=where) as service:
        c.check("milter: a socket of the file system", field_of(service.judge(fields("offer"), OFFER.encode())).startswith("spam"))
        second = c.run("milter", index, "--listen", where)
        c.check("milter: a socket in use", second.returncode == 1 and str(path) in second.stderr, second.stderr)
        c.check("milter: is left alone", path.is_socket() and service.connect().negotiate()[0] == 6)
    c.check("milter: its file is removed", not path.exists())
    with running(c, index, listen=where) as service:
        service.process.kill()
    c.check("milter: the file that a kill leaves", path.is_socket())
    with running(c, index, listen=where) as service:
        c.check("milter: is replaced", field_of(service.judge(fields("other"), OTHER.encode())) == "none")
    path.write_text("a file of somebody")
    done = c.run("milter", index, "--listen", where)
    c.check("milter: no other file is", done.returncode == 1 and path.read_text() == "a file of somebody", done.stderr)
    done = c.run("milter", index, "--listen", "inet:0.0.0.0:0")
    c.check("milter: other machines", done.returncode == 2 and "--allow-remote" in done.stderr, done.stderr)
    with running(c, index, "--allow-remote", listen="inet:0.0.0.0:0") as service:
        with Client("inet:127.0.0.1:" + service.where.rpartition(":")[2]) as client:
            c.check("milter: other machines, if asked", client.negotiate()[0] == 6)
    for listen in ("7072", "inet:7072", "unix:", "local:/run/a"):
        done = c.run("milter", index, "--listen", listen)
        c.check(f"milter: no socket {listen}", done.returncode == 2 and "inet:HOST:PORT" in done.stderr, done.stderr)
    done = c.run("milter", c.work / "nowhere.index")
    c.check("milter: no index", done.returncode == 1 and "nowhere.index" in done.stderr, done.stderr)


def stops(c: Checks, index: Path) -> None:
    """Between messages a connection is closed; a message that has begun is answered."""
    with running(c, index, "--log", "json") as service, service.connect() as idle, service.connect() as busy:
        idle.negotiate()
        busy.negotiate()
        busy.ask(b"M", b"<a@example.org>\0")
        service.process.send_signal(signal.SIGTERM)
        c.check("milter: a connection between messages is closed", idle.is_closed())
        # Its sender is all that was known of it.
        busy.ask(b"L", b"Message-ID\0<message>\0")
        answers = [busy.ask(b"N")[0], busy.ask(b"B", OFFER.encode())[0], busy.ask(b"E")]
        c.check("milter: a message that has begun is answered", answers[:2] == [b"c", b"c"] and b"spam" in answers[2][1], answers)
        c.check("milter: and then closed", busy.receive()[0] == b"c" and busy.is_closed())
        c.check("milter: stops", service.process.wait(60) == 0, service.process.returncode)
    logged = [json.loads(line) for line in service.log]
    wanted = {"event": "mail", "id": "message", "verdict": "spam", "match": "offer@example.org", "answer": "accept"}
    found = [line for line in logged if line["event"] == "mail"]
    c.check("milter: logs a message", len(found) == 1 and wanted.items() <= found[0].items() and found[0]["seconds"] < 60, logged)
    with running(c, index) as service:
        with service.connect() as client:
            client.negotiate()
            client.ask(b"L", b"Subject\0offer\0")
            service.process.kill()
            c.check("milter: a kill closes the connection", client.is_closed())
