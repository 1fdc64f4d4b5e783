"""Dolma: its paragraph filter, a Bloom filter that has seen each line; one that it has seen before gets a span in an attribute file.

The filter has room for the lines of the input at one false positive in 10,000. Documents are not cut: that is the mixer's part.
OUTPUT is a directory: `attributes` has the spans.
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path

from common import CORES, batches, parsed, parser


def main() -> None:
    options = parser(__doc__).parse_args()
    work: Path = options.output
    shutil.rmtree(work, ignore_errors=True)
    documents = work / "documents"
    documents.mkdir(parents=True)
    files = [(documents / f"{at}.jsonl").open("wb") for at in range(CORES)]
    lines = 0
    for at, batch in enumerate(batches(options.input)):
        files[at % CORES].writelines(batch)
        lines += sum(text.count("\n") + 1 for text in parsed(batch)[1])
    for file in files:
        file.close()
    given = {
        "documents": [f"{documents}/*.jsonl"],
        "dedupe": {"name": "repeated", "paragraphs": {"attribute_name": "repeated"}, "skip_empty": True},
        "bloom_filter": {
            "file": str(work / "filter"), "read_only": False, "estimated_doc_count": lines, "desired_false_positive_rate": 1e-4,
            "size_in_bytes": 0,
        },
        "processes": CORES,
    }
    file = work / "given.json"
    file.write_text(json.dumps(given))
    subprocess.run([Path(sys.executable).parent / "dolma", "-c", file, "dedupe"], check=True)


if __name__ == "__main__":
    main()
