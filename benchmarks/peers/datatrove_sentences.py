"""datatrove: its sentence deduplication with the settings of C4, spans of three sentences, the first of which stays.

Three stages on a worker for each core: hashes of all spans, those that come again, and the documents without them. Documents of which
fewer than 50 words or three sentences are left are dropped, as by default. OUTPUT is a directory: `kept` has the documents.
"""
import shutil
from pathlib import Path

from common import CORES, parser
from datatrove.pipeline.dedup import SentDedupConfig, SentenceDedupFilter, SentenceDedupSignature, SentenceFindDedups
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.utils.typeshelper import Languages
from datatrove_stages import run, shards


def main() -> None:
    options = parser(__doc__).parse_args()
    work: Path = options.output
    shutil.rmtree(work, ignore_errors=True)
    shards(options.input, work / "in")
    config = SentDedupConfig(n_sentences=3, split_sentences=True)
    source, signatures, repeats, kept = (str(work / name) for name in ("in", "signatures", "repeats", "kept"))
    read = JsonlReader(source, id_key="id")
    sign = SentenceDedupSignature(output_folder=signatures, config=config, finder_workers=CORES, language=Languages.english)
    run([read, sign], CORES, work / "logs1")
    run([SentenceFindDedups(data_folder=signatures, output_folder=repeats, config=config)], CORES, work / "logs2")
    cut = SentenceDedupFilter(data_folder=repeats, config=config, language=Languages.english)
    run([read, cut, JsonlWriter(kept, compression=None)], CORES, work / "logs3")


if __name__ == "__main__":
    main()
