"""lookalike's Python package on documents that are in memory: `dedup`, or `cluster`, of a table, a frame or a list.

    lookalike_table.py INPUT.parquet OUTPUT --call dedup|cluster --form pyarrow|polars|list|none

Loads the documents, calls, and prints as JSON what each of the two cost this process. `none` only loads. Of `cluster`
it writes the pairs and their clusters for the other tools' judge, of `dedup` the numbers of the removed rows.
"""
import argparse
import gc
import json
import resource
import sys
from pathlib import Path

import lookalike
import pyarrow
import pyarrow.parquet


def cost() -> float:
    """Seconds of work of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def memory() -> tuple:
    """The memory of this process now, and the most since `forget_peak`, in bytes; the most ever without /proc."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return most, most
    said = {name: value for name, _, value in (line.partition(":") for line in lines)}
    return int(said["VmRSS"].split()[0]) * 1024, int(said["VmHWM"].split()[0]) * 1024


def forget_peak() -> None:
    """Gives back what loading has left over, so that what follows is the memory of the documents and of the call."""
    gc.collect()
    pyarrow.default_memory_pool().release_unused()
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


def loaded(path: Path, form: str):
    """The documents, and the bytes that they have as Arrow tables do."""
    if form == "polars":
        import polars

        frame = polars.read_parquet(path)
        return frame, frame.estimated_size()
    table = pyarrow.parquet.read_table(path)
    if form == "list":
        return table.to_pylist(), table.nbytes
    return table, table.nbytes


def write(result, output: Path) -> None:
    pairs, clusters = pyarrow.table(result.pairs), pyarrow.table(result.clusters)
    with Path(f"{output}.links").open("w", encoding="utf-8") as file:
        ids = zip(pairs["a_id"].to_pylist(), pairs["b_id"].to_pylist())
        file.writelines(f"{a}\t{b}\n" for a, b in ids)
    with output.open("w", encoding="utf-8") as file:
        rows = zip(clusters["id"].to_pylist(), clusters["cluster"].to_pylist())
        file.writelines(f"{name}\t{cluster}\n" for name, cluster in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--call", choices=["dedup", "cluster"], default="dedup")
    parser.add_argument("--form", choices=["pyarrow", "polars", "list", "none"], default="pyarrow")
    options = parser.parse_args()
    began = cost()
    documents, size = loaded(options.input, options.form)
    said = {"documents_bytes": size, "loading_cpu": cost() - began, "peak": memory()[1]}
    if options.form != "none":
        forget_peak()
        before = memory()[0]
        began = cost()
        call = lookalike.cluster if options.call == "cluster" else lookalike.dedup
        # As the command names the file, so that both give the same digest.
        result = call(documents, id="id", threshold=0.8, name=str(options.input))
        said |= {"call_cpu": cost() - began, "loaded": before, "peak": memory()[1]}
        said |= {"removed": len(result.ledger), "pairs": len(result.pairs), "digest": result.summary["digest"]}
        if options.call == "cluster":
            write(result, options.output)
    print(json.dumps(said))


if __name__ == "__main__":
    main()
