"""A job for spark-submit: removes the near-duplicates of Parquet files or JSON lines.

    spark-submit spark_job.py INPUT OUTPUT WORK [--text text] [--id id] [--threshold 0.8] [--keep first] [--resume]

INPUT, OUTPUT and WORK are paths or URLs that all nodes reach (`s3a://…`, `hdfs://…`, a shared directory). Below OUTPUT are

    documents   the rows of INPUT that stay (Parquet)
    kept        their ids
    ledger      each removed document, its witness, the rule, and the counts of shared and own elements
    pairs       the pairs that caused a removal
    clusters    documents that are in a cluster with another one
    summary     the numbers of the run, one line of JSON

WORK holds the stages of the run, from which `--resume` goes on, and can be removed afterwards. Ids have to be distinct.

Where lookalike is not installed on the nodes, it goes along with the job; `docs/how-to/spark.md` has other ways
(the wheel is that of `make wheel`: it is not published yet):

    pip install --no-deps --target site out/dist/*.whl && tar czf site.tar.gz -C site .
    spark-submit --archives site.tar.gz#site --conf spark.executorEnv.PYTHONPATH=./site spark_job.py …
"""

import argparse
import json

from pyspark.sql import DataFrame, SparkSession

import lookalike.spark


def read(session: SparkSession, options: argparse.Namespace) -> DataFrame:
    """The documents."""
    if options.format == "parquet":
        return session.read.parquet(options.input)
    # Always with a schema: without one Spark reads all lines once more, to find it.
    schema = options.schema or f"`{options.id}` string, `{options.text}` string"
    return session.read.schema(schema).json(options.input)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("work")
    parser.add_argument("--format", choices=["parquet", "jsonl"], default="parquet")
    parser.add_argument("--schema", help='columns of JSON lines, as "id string, text string, score double"')
    parser.add_argument("--text", default="text", help="column of texts")
    parser.add_argument("--id", default="id", help="column of ids")
    parser.add_argument("--threshold", default="0.8")
    parser.add_argument("--keep", default="first", help="which duplicate to keep")
    parser.add_argument("--resume", action="store_true", help="go on from the stages in WORK")
    options = parser.parse_args()

    session = SparkSession.builder.appName("lookalike").getOrCreate()
    documents = read(session, options)
    result = lookalike.spark.dedup(
        documents,
        work=options.work,
        text=options.text,
        id=options.id,
        threshold=options.threshold,
        keep=options.keep,
        resume=options.resume,
        progress=True,
    )
    tables = {
        "documents": result.filter(documents),
        "kept": result.kept,
        "ledger": result.ledger,
        "pairs": result.pairs,
        "clusters": result.clusters,
    }
    for name, rows in tables.items():
        rows.write.mode("overwrite").parquet(f"{options.output}/{name}")
    summary = session.createDataFrame([(json.dumps(result.summary),)], "summary string")
    summary.coalesce(1).write.mode("overwrite").text(f"{options.output}/summary")
    print(result)
    session.stop()


if __name__ == "__main__":
    main()
