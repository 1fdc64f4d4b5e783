"""Cases of `--against`, of defaults at the command and of methods that cannot sign a document."""
import json

from checks.cases import Case


def jsonl(**documents: str) -> str:
    return "".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in documents.items())


def words(start: int, count: int = 30) -> str:
    return " ".join(f"w{at}" for at in range(start, start + count))


def no_rows_of_others(run):
    """No pair and no cluster of documents of the other collection alone."""
    pairs = [row for row in run.table("pairs") if row["a_id"][0] == row["b_id"][0] == "o"]
    members = [row for row in run.table("clusters") if row["id"][0] == "o" and row["leader_id"] != row["id"]]
    return f"{pairs} {members}" if pairs or members else None


def no_estimates(run):
    wrong = [row for row in run.table("ledger") if row.get("resemblance_low") is not None or row.get("resemblance") is not None]
    return f"{wrong}" if wrong else None


CHAIN = jsonl(a=words(0), b=words(4), c=words(8))

CASES = [
    Case("pairs against files", "copies in the other collection", {"new.jsonl": jsonl(n1=words(0), n2=words(100)), "old.jsonl": jsonl(o1=words(0), o2=words(0), o3=words(50), o4=words(50))},
         ["dedup", "new.jsonl", "--against", "old.jsonl"], kept=1, removed={"identical": 1}, check=no_rows_of_others),
    Case("pairs against files", "only copies in the other collection", {"new.jsonl": jsonl(n1=words(100)), "old.jsonl": jsonl(o1=words(0), o2=words(0).upper())},
         ["dedup", "new.jsonl", "--against", "old.jsonl"], kept=1, removed={}, check=no_rows_of_others),
    Case("linkage", "dedup by leaders", {"a.jsonl": CHAIN}, ["dedup", "a.jsonl", "-t", "0.6"], kept=2),
    Case("linkage", "cluster by components", {"a.jsonl": CHAIN}, ["cluster", "a.jsonl", "-t", "0.6"], kept=1),
    Case("linkage", "cluster by leaders where containment is asked for", {"a.jsonl": CHAIN}, ["cluster", "a.jsonl", "-t", "0.6", "--contained-only", "0.1"], kept=2),
    Case("no signature", "byte-identical documents under one shingle", {"a.jsonl": jsonl(a="two words", b="two words", c=words(0))},
         ["dedup", "a.jsonl", "--method", "minhash-lsh:short=ignore", "--verify", "sketch", "--short-documents", "ignore"], check=no_estimates),
]
