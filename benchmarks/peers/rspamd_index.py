"""rspamd: its fuzzy storage, which stores 32 minima of word 3-grams of a text; an answer is a document with most of them.

Runs Debian's rspamd and redis-server on loopback, with nothing of rspamd's but its check of fuzzy hashes. Documents are
given to its controller as messages of plain text, and questions to its scanner: so an answer costs the reading of a message
as well. It names the best match only, by the first digits of its digest. An answer counts if rspamd gives it a probability
of at least 0.8, which is the share of equal minima.
"""
import time
from concurrent.futures import ThreadPoolExecutor

from common import parsed
from datasketch_index import redis_server
from index_common import arguments, measure
from rspamd_server import Server, add, found, message, rspamd

THRESHOLD = 0.8
CONNECTIONS = 8
# Of a digest, in an answer.
DIGITS = 10
CHECK, RULE = "min_bytes = 0; min_length = 0; text_multiplier = 1.0;", 'algorithm = "fasthash"; short_text_direct_hash = no;'


def unsigned(lines: list) -> tuple:
    """rspamd makes the sketches."""
    return parsed(lines)


def main() -> None:
    options = arguments(__doc__)
    with redis_server() as (redis, client), rspamd(redis, CHECK, RULE) as ports, ThreadPoolExecutor(CONNECTIONS) as pool:
        controllers = [Server(ports["controller"]) for _ in range(CONNECTIONS)]
        scanner, named = Server(ports["normal"]), {}

        def add_all(connection, part):
            for name, text in part:
                for digest in add(connection, message(text)):
                    # Equal texts have one digest.
                    named.setdefault(digest[:DIGITS], []).append(name)

        def insert(ids, texts):
            rows = list(zip(ids, texts))
            list(pool.map(add_all, controllers, [rows[at::CONNECTIONS] for at in range(CONNECTIONS)]))

        def finish():
            # The storage writes what it was given at intervals.
            time.sleep(2)
            return client.info("memory")["used_memory"]

        def ask(text):
            right = [digest for digest, probability in found(scanner, message(text)) if probability >= THRESHOLD]
            return [name for digest in right for name in named[digest[:DIGITS]]]

        measure(options, unsigned, insert, ask, finish)


if __name__ == "__main__":
    main()
