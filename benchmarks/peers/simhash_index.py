"""simhash (PyPI): 64-bit Simhash of word 5-grams; SimhashIndex; what differs in at most --distance bits is linked.

Signing runs in a process for each core.
"""
import logging

from common import on_all_cores, parsed, parser, shingles, write
from simhash import Simhash, SimhashIndex


def signed(lines: list) -> tuple:
    ids, texts = parsed(lines)
    return ids, [Simhash(shingles(text)).value for text in texts]


def links(values: list, distance: int):
    sketches = [(str(at), Simhash(value)) for at, value in enumerate(values)]
    index = SimhashIndex(sketches, k=distance)
    for one, (_, sketch) in enumerate(sketches):
        for other in map(int, index.get_near_dups(sketch)):
            if other < one:
                yield one, other


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--distance", type=int, required=True)
    options = options.parse_args()
    logging.getLogger("simhash").setLevel(logging.ERROR)
    ids, values = [], []
    for names, made in on_all_cores(signed, options.input):
        ids += names
        values += made
    write(options.output, ids, links(values, options.distance))


if __name__ == "__main__":
    main()
