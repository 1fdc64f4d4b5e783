"""rspamd's fuzzy storage on loopback: Debian's rspamd and redis-server, with nothing of rspamd's but its check of fuzzy hashes.

Standard library only.
"""
import contextlib
import http.client
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STARTING = 120
CONFIGURATION = """
options {{ filters = "fuzzy_check"; pidfile = "{place}/pid"; dns {{ nameserver = "127.0.0.1:9"; timeout = 0.1s; retransmits = 1; }} max_message = 100mb;
  dynamic_conf = "{place}/dynamic"; rrd = ""; hs_cache_dir = "{place}"; stats_file = "{place}/stats"; }}
logging {{ type = "file"; filename = "{place}/log"; level = "warning"; }}
redis {{ servers = "127.0.0.1:{redis}"; }}
worker "fuzzy" {{ bind_socket = "127.0.0.1:{fuzzy}"; count = 1; backend = "redis"; servers = "127.0.0.1:{redis}"; expire = 90d;
  sync = 0.2s; allow_update = ["127.0.0.1"]; }}
worker "normal" {{ bind_socket = "127.0.0.1:{normal}"; count = 1; mime = true; }}
worker "controller" {{ bind_socket = "127.0.0.1:{controller}"; count = 1; secure_ip = "127.0.0.1"; password = "q1"; enable_password = "q1"; }}
fuzzy_check {{ {check} timeout = 10s; retransmits = 0;
  rule "index" {{ servers = "127.0.0.1:{fuzzy}"; symbol = "INDEX"; mime_types = ["*"]; max_score = 1.0;
    read_only = no; skip_unknown = no; {rule} fuzzy_map = {{ INDEX {{ flag = 1; max_score = 1.0; }} }} }} }}
"""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextlib.contextmanager
def redis_server():
    """A server that keeps nothing on disk, on a free port."""
    program, port = shutil.which("redis-server"), free_port()
    if not program:
        sys.exit("redis-server is not installed (Debian: apt-get install redis-server)")
    with tempfile.TemporaryDirectory() as place:
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", place]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            until = time.monotonic() + STARTING
            while not listens(port) and time.monotonic() < until:
                time.sleep(0.05)
            yield port
        finally:
            server.terminate()
            server.wait()


def message(text: str, subject: str = "s") -> bytes:
    subject = " ".join(subject.split()) or "s"
    head = f"From: a@example.org\r\nSubject: {subject}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    return head.encode(errors="replace") + text.encode(errors="replace")


class Server:
    """A connection to a worker of rspamd."""

    def __init__(self, port: int):
        self.port, self.open = port, None

    def post(self, path: str, body: bytes, headers: dict) -> dict:
        for attempt in (0, 1):
            self.open = self.open or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                self.open.request("POST", path, body, headers)
                answer = self.open.getresponse()
                content = answer.read()
            except (http.client.HTTPException, OSError):
                # Closed by the server since the last request.
                self.open = None
                if attempt:
                    raise
                continue
            if answer.will_close:
                self.open = None
            if answer.status == 404 and b"No content" in content:
                # It makes no sketch of a short text.
                return {"success": True, "hashes": []}
            if answer.status != 200:
                raise RuntimeError(f"{path}: {answer.status}: {content[:200]!r}")
            return json.loads(content)
        raise RuntimeError("not reached")


def add(controller: Server, mail: bytes) -> list:
    """Adds a message to the storage; the digests of its parts."""
    done = controller.post("/fuzzyadd", mail, {"Flag": "1", "Weight": "1", "Password": "q1"})
    if not done.get("success"):
        raise RuntimeError(f"not added: {done}")
    return done["hashes"]


def found(scanner: Server, mail: bytes) -> list:
    """The best match of each part of a message: the first digits of its digest, and the probability."""
    symbols = scanner.post("/checkv2", mail, {}).get("symbols", {})
    options = [one.split(":") for symbol in symbols.values() for one in symbol.get("options", [])]
    return [(digest, float(probability)) for _, digest, probability, *_ in options]


@contextlib.contextmanager
def rspamd(redis: int, check: str, rule: str):
    """Its scanner and controller; `check` and `rule` are settings of the check and of its rule."""
    program = shutil.which("rspamd")
    if not program:
        sys.exit("rspamd is not installed (Debian: apt-get install --no-install-recommends rspamd)")
    ports = {name: free_port() for name in ("fuzzy", "normal", "controller")}
    with tempfile.TemporaryDirectory() as place:
        configuration = Path(place) / "rspamd.conf"
        configuration.write_text(CONFIGURATION.format(place=place, redis=redis, check=check, rule=rule, **ports), encoding="utf-8")
        server = subprocess.Popen([program, "-f", "-i", "-c", str(configuration)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + STARTING
            for port in (ports["normal"], ports["controller"]):
                while not listens(port):
                    if server.poll() is not None or time.monotonic() > until:
                        log = Path(place) / "log"
                        sys.exit(f"rspamd did not start: {log.read_text(errors='replace')[-1500:] if log.exists() else server.poll()}")
                    time.sleep(0.1)
            yield ports
        finally:
            server.terminate()
            server.wait()
