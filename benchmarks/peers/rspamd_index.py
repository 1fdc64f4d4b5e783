"""rspamd: its fuzzy storage, which stores 32 minima of word 3-grams of a text; an answer is a document with most of them.

Runs Debian's rspamd and redis-server on loopback, with nothing of rspamd's but its check of fuzzy hashes. Documents are
given to its controller as messages of plain text, and questions to its scanner: so an answer costs the reading of a message
as well. It names the best match only, by the first digits of its digest. An answer counts if rspamd gives it a probability
of at least 0.8, which is the share of equal minima.
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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import parsed
from datasketch_index import redis_server
from index_common import arguments, measure

THRESHOLD = 0.8
CONNECTIONS = 8
# Of a digest, in an answer.
DIGITS = 10
STARTING = 30
CONFIGURATION = """
options {{ filters = "fuzzy_check"; pidfile = "{place}/pid"; dns {{ nameserver = "127.0.0.1:9"; timeout = 0.1s; retransmits = 1; }} max_message = 100mb;
  dynamic_conf = "{place}/dynamic"; rrd = ""; hs_cache_dir = "{place}"; stats_file = "{place}/stats"; }}
logging {{ type = "file"; filename = "{place}/log"; level = "warning"; }}
redis {{ servers = "127.0.0.1:{redis}"; }}
worker "fuzzy" {{ bind_socket = "127.0.0.1:{fuzzy}"; count = 1; backend = "redis"; servers = "127.0.0.1:{redis}"; expire = 90d;
  sync = 0.2s; allow_update = ["127.0.0.1"]; }}
worker "normal" {{ bind_socket = "127.0.0.1:{normal}"; count = 1; mime = true; }}
worker "controller" {{ bind_socket = "127.0.0.1:{controller}"; count = 1; secure_ip = "127.0.0.1"; password = "q1"; enable_password = "q1"; }}
fuzzy_check {{ min_bytes = 0; min_length = 0; text_multiplier = 1.0; timeout = 10s; retransmits = 0;
  rule "index" {{ servers = "127.0.0.1:{fuzzy}"; algorithm = "fasthash"; symbol = "INDEX"; mime_types = ["*"]; max_score = 1.0;
    read_only = no; skip_unknown = no; short_text_direct_hash = no; fuzzy_map = {{ INDEX {{ flag = 1; max_score = 1.0; }} }} }} }}
"""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def message(text: str) -> bytes:
    head = "From: a@example.org\r\nSubject: s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    return head.encode() + text.encode()


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


@contextlib.contextmanager
def rspamd(redis: int):
    """Its scanner and controller."""
    program = shutil.which("rspamd")
    if not program:
        sys.exit("rspamd is not installed (Debian: apt-get install --no-install-recommends rspamd)")
    ports = {name: free_port() for name in ("fuzzy", "normal", "controller")}
    with tempfile.TemporaryDirectory() as place:
        configuration = Path(place) / "rspamd.conf"
        configuration.write_text(CONFIGURATION.format(place=place, redis=redis, **ports), encoding="utf-8")
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


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def unsigned(lines: list) -> tuple:
    """rspamd makes the sketches."""
    return parsed(lines)


def main() -> None:
    options = arguments(__doc__)
    with redis_server() as (redis, client), rspamd(redis) as ports, ThreadPoolExecutor(CONNECTIONS) as pool:
        controllers = [Server(ports["controller"]) for _ in range(CONNECTIONS)]
        scanner, named = Server(ports["normal"]), {}

        def add(connection, part):
            for name, text in part:
                done = connection.post("/fuzzyadd", message(text), {"Flag": "1", "Weight": "1", "Password": "q1"})
                if not done.get("success"):
                    raise RuntimeError(f"not added: {done}")
                for digest in done["hashes"]:
                    # Equal texts have one digest.
                    named.setdefault(digest[:DIGITS], []).append(name)

        def insert(ids, texts):
            rows = list(zip(ids, texts))
            list(pool.map(add, controllers, [rows[at::CONNECTIONS] for at in range(CONNECTIONS)]))

        def finish():
            # The storage writes what it was given at intervals.
            time.sleep(2)
            return client.info("memory")["used_memory"]

        def ask(text):
            found = scanner.post("/checkv2", message(text), {}).get("symbols", {})
            matches = [one.split(":") for symbol in found.values() for one in symbol.get("options", [])]
            right = [digest for _, digest, probability, *_ in matches if float(probability) >= THRESHOLD]
            return [name for digest in right for name in named[digest[:DIGITS]]]

        measure(options, unsigned, insert, ask, finish)


if __name__ == "__main__":
    main()
