"""datasketch: MinHashLSH of word 5-grams, 128 permutations, bands and rows as it chooses for 0.8; an answer is what shares a
band and has an estimate of at least 0.8.

In memory, or with --redis in a Redis server of this driver's own on loopback: then sketches for the estimate stay
in memory, since its Redis storage keeps bands only.
"""
import contextlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np
from common import parsed, shingles
from datasketch import MinHash, MinHashLSH
from index_common import arguments, measure

PERMUTATIONS, THRESHOLD = 128, 0.8


def signed(lines: list) -> tuple:
    ids, texts = parsed(lines)
    return ids, sketches_of(texts)


def sketches_of(texts: list):
    sets = [[shingle.encode() for shingle in set(shingles(text))] for text in texts]
    return np.stack([sketch.hashvalues for sketch in MinHash.bulk(sets, num_perm=PERMUTATIONS)])


@contextlib.contextmanager
def redis_server():
    """A server that keeps nothing on disk, on a free port."""
    program = shutil.which("redis-server")
    if not program:
        sys.exit("redis-server is not installed (Debian: apt-get install redis-server)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as place:
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", place]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            import redis

            client = redis.Redis(port=port)
            for _ in range(200):
                with contextlib.suppress(redis.exceptions.ConnectionError):
                    client.ping()
                    break
                time.sleep(0.05)
            yield port, client
        finally:
            server.terminate()
            server.wait()


def run(options, storage, used) -> None:
    like = MinHash(num_perm=PERMUTATIONS)
    shared = {"permutations": like.permutations, "scheme": like.scheme}
    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, storage_config=storage)
    stored = {}

    def insert(ids, values):
        with index.insertion_session() as session:
            for name, row in zip(ids, values):
                stored[name] = MinHash(num_perm=PERMUTATIONS, hashvalues=row, **shared)
                session.insert(name, stored[name], check_duplication=False)

    def ask(text):
        sketch = MinHash(num_perm=PERMUTATIONS, hashvalues=sketches_of([text])[0], **shared)
        return [name for name in index.query(sketch) if sketch.jaccard(stored[name]) >= THRESHOLD]

    measure(options, signed, insert, ask, used)


def main() -> None:
    options = arguments(__doc__, lambda parser: parser.add_argument("--redis", action="store_true"))
    if not options.redis:
        run(options, None, lambda: 0)
        return
    with redis_server() as (port, client):
        storage = {"type": "redis", "basename": b"index", "redis": {"host": "127.0.0.1", "port": port}}
        run(options, storage, lambda: client.info("memory")["used_memory"])


if __name__ == "__main__":
    main()
