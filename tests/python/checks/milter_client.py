"""A mail server's side of the milter protocol, in plain Python."""
import re
import signal
import socket
import struct
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

from checks.harness import Checks

# What Postfix offers: all actions, all steps that may be left out.
OFFERED = (6, 0x1FF, 0x1FFFFF)


class Client:
    """A connection to a milter."""

    def __init__(self, where: str, timeout: float = 60):
        kind, _, address = where.partition(":")
        if kind == "unix":
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            self.socket.connect(address)
        else:
            host, _, port = address.rpartition(":")
            self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout=timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, command: bytes, data: bytes = b"") -> None:
        self.socket.sendall(struct.pack(">I", 1 + len(data)) + command + data)

    def exactly(self, n: int) -> bytes:
        got = b""
        while len(got) < n:
            part = self.socket.recv(n - len(got))
            if not part:
                raise EOFError(f"{len(got)} of {n} bytes")
            got += part
        return got

    def receive(self) -> tuple:
        """The command and the data of a packet."""
        (length,) = struct.unpack(">I", self.exactly(4))
        packet = self.exactly(length)
        return packet[:1], packet[1:]

    def ask(self, command: bytes, data: bytes = b"") -> tuple:
        self.send(command, data)
        return self.receive()

    def negotiate(self, offered: tuple = OFFERED) -> tuple:
        """Version, actions and steps that are wanted."""
        command, data = self.ask(b"O", struct.pack(">III", *offered))
        assert command == b"O", command
        return struct.unpack(">III", data)

    def is_closed(self) -> bool:
        """Whether the other side closed the connection without another answer."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def message(self, fields: list, body: bytes, chunk: int = 65535) -> list:
        """Hands over a message, and returns the packets that answer its end."""
        answers = [self.ask(b"M", b"<a@example.org>\0"), self.ask(b"R", b"<b@example.org>\0"), self.ask(b"T")]
        answers += [self.ask(b"L", name.encode() + b"\0" + value.encode() + b"\0") for name, value in fields]
        answers.append(self.ask(b"N"))
        assert {command for command, _ in answers} == {b"c"}, answers
        for at in range(0, len(body), chunk):
            command, _ = self.ask(b"B", body[at:at + chunk])
            if command == b"s":
                break
            assert command == b"c", command
        self.send(b"E")
        done = [self.receive()]
        while done[-1][0] in (b"i", b"h", b"m", b"q"):
            done.append(self.receive())
        return done


def field_of(answers: list) -> str:
    """The value of the header field that is inserted."""
    return next((data[4:].split(b"\0")[1].decode() for command, data in answers if command == b"i"), "")


class Milter:
    """A running milter."""

    def __init__(self, process: subprocess.Popen, where: str):
        self.process, self.where = process, where
        # Lines of its standard error, complete once it ended.
        self.log: list = []

    def connect(self, timeout: float = 60) -> Client:
        return Client(self.where, timeout)

    def judge(self, fields: list, body: bytes) -> list:
        """The answers to a message on a connection of its own."""
        with self.connect() as client:
            client.negotiate()
            answers = client.message(fields, body)
            client.send(b"Q")
            return answers


@contextmanager
def milter(c: Checks, index: Path, *options: object, listen: str = "inet:127.0.0.1:0"):
    """Starts a milter, which gives a verdict however busy the machine is unless `options` have a deadline."""
    patient = () if "--deadline" in options else ("--deadline", 60_000)
    command = [c.binary, "milter", index, "--listen", listen, *patient, *options]
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.PIPE, text=True)
    told = process.stderr.readline()
    found = re.search(r" at ((?:inet|unix):[^\s\",]+)", told)
    if not found:
        process.kill()
        raise AssertionError(told + process.stderr.read())
    service = Milter(process, found[1])
    # What it says later must not fill the pipe.
    reading = threading.Thread(target=lambda: service.log.extend(process.stderr), daemon=True)
    reading.start()
    try:
        yield service
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        c.check(f"{index.name}: the milter ends", process.wait(60) in (0, -signal.SIGKILL), process.returncode)
        reading.join(60)
