#!/usr/bin/env python3
"""Nothing in, the time from a Ctrl-C to the end of a call in each of its phases out, as a table.

    interrupt.py [--documents N] [--times N]

Needs the Python package (`pip install ./bindings/python`, built for release), and a machine that does nothing else. The
documents are made up: half of them are slightly edited copies of others. A call is run once to learn its phases; then, for
each phase, it is run again, and the process sends itself SIGINT at a random moment of the phase. What is printed is the time
until KeyboardInterrupt comes out of the call, and the number of signals that came before the call had ended.
"""
import argparse
import os
import random
import signal
import threading
import time

CALLS = {
    "dedup": {},
    "cluster": {},
    "dedup, ignore_common": {"ignore_common": 50},
    "dedup, imatch": {"method": "imatch", "verify": "none"},
    "dedup, components": {"linkage": "components", "threshold": 0.6},
    "evaluate": {},
}


def texts(number: int) -> list[str]:
    chance = random.Random(1)
    words = [f"w{n}" for n in range(100_000)]
    made: list[str] = []
    for _ in range(number):
        if made and chance.random() < 0.5:
            edited = chance.choice(made).split()
            edited[chance.randrange(len(edited))] = chance.choice(words)
            made.append(" ".join(edited))
        else:
            made.append(" ".join(chance.choices(words, k=chance.randrange(20, 400))))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--times", type=int, default=5, help="signals in each phase")
    options = parser.parse_args()
    import lookalike

    documents = {"text": texts(options.documents)}
    chance = random.Random(2)
    worst = 0.0
    print(f"{'call':<22} {'phase':<18} {'lasts s':>8} {'signals':>8} {'median ms':>10} {'most ms':>8}")
    for name, settings in CALLS.items():

        def call(progress: object) -> None:
            if name == "evaluate":
                lookalike.evaluate(documents, ["exact", "minhash-lsh"], progress=progress)
            elif name == "cluster":
                lookalike.cluster(documents, progress=progress)
            else:
                lookalike.dedup(documents, progress=progress, **settings)

        begun: dict[str, float] = {}
        call(lambda step: begun.setdefault(step.phase, step.seconds))
        starts = [*begun.values(), time.monotonic()]
        for at, phase in enumerate(begun):
            lasts = max(0.0, starts[at + 1] - starts[at]) if at + 1 < len(begun) else 0.05
            waits: list[float] = []
            for _ in range(options.times):
                sent: list[float] = []

                def interrupt() -> None:
                    sent.append(time.monotonic())
                    os.kill(os.getpid(), signal.SIGINT)

                def watch(step: lookalike.Step) -> None:
                    if step.phase == phase and not timers:
                        timers.append(threading.Timer(chance.random() * lasts, interrupt))
                        timers[0].start()

                timers: list[threading.Timer] = []
                try:
                    call(watch)
                    for timer in timers:
                        timer.cancel()
                        timer.join()
                except KeyboardInterrupt:
                    if sent:
                        waits.append(1000 * (time.monotonic() - sent[0]))
            waits.sort()
            middle = f"{waits[len(waits) // 2]:>10.0f} {waits[-1]:>8.0f}" if waits else f"{'–':>10} {'–':>8}"
            worst = max([worst, *waits])
            print(f"{name:<22} {phase:<18} {lasts:>8.2f} {len(waits):>8} {middle}", flush=True)
    print(f"most: {worst:.0f} ms, at a load of {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
