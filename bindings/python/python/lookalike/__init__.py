"""Finds the near-duplicate documents in any collection, and proves each one.

>>> import lookalike
>>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose is a rose!"]
>>> result = lookalike.dedup(texts)
>>> result.kept().to_pylist()
[0, 1]
>>> result.ledger.to_pylist()[0]["rule"]
'lexically_equivalent'

:func:`dedup` and :func:`cluster` take tables of pyarrow, Polars, pandas, DuckDB and Hugging Face datasets, lists and
generators, and return a :class:`Result`: row numbers, a mask, and tables with the evidence for each decision. The
module ``lookalike.polars`` registers expressions of Polars.
"""

from lookalike._collapse import Behind, Group, collapse
from lookalike._compare import Comparison, compare
from lookalike._decontaminate import Contamination, decontaminate
from lookalike._dedup import cluster, dedup
from lookalike._documents import Documents
from lookalike._errors import Cancelled, DataError, InputError, LookalikeError, ResourceError, SettingsError
from lookalike._evaluate import Evaluation, evaluate
from lookalike._lexicon import Lexicon
from lookalike._lookalike import Array, Table, __version__, refuse_subinterpreters
from lookalike._index import Index
from lookalike._index_passages import CommonPassage, PassageMatch, PassageMatches
from lookalike._index_query import Match, Matches
from lookalike._index_sweeps import Sweep, SweepDiff, Sweeps
from lookalike._index_writer import Added, Committed, Deleted, IndexWriter, Staged
from lookalike._message_filter import MessageFilter, Reported, Verdict
from lookalike._methods import Method, Parameter, methods
from lookalike._minhash import MinHash
from lookalike._minhash_lsh import MinHashLSH
from lookalike._passages import Passages, passages
from lookalike._progress import CancelScope, Progress, Step, cancel_scope
from lookalike._result import Result
from lookalike._run import OpenRun, Run, open_run
from lookalike._settings import Settings
from lookalike._signer import Signatures, Signer
from lookalike._summary import Summary

refuse_subinterpreters()

#: Changes when the bytes of a result may change. Engines that run on several machines refuse a mix.
core_version = __version__

__all__ = [
    "Added",
    "Array",
    "Behind",
    "CancelScope",
    "Cancelled",
    "CommonPassage",
    "Committed",
    "Comparison",
    "Contamination",
    "DataError",
    "Deleted",
    "Documents",
    "Evaluation",
    "Group",
    "Index",
    "IndexWriter",
    "InputError",
    "Lexicon",
    "LookalikeError",
    "Match",
    "Matches",
    "MessageFilter",
    "Method",
    "MinHash",
    "MinHashLSH",
    "OpenRun",
    "Parameter",
    "PassageMatch",
    "PassageMatches",
    "Passages",
    "Progress",
    "Reported",
    "ResourceError",
    "Result",
    "Run",
    "Settings",
    "SettingsError",
    "Signatures",
    "Signer",
    "Staged",
    "Step",
    "Summary",
    "Sweep",
    "SweepDiff",
    "Sweeps",
    "Table",
    "Verdict",
    "__version__",
    "cancel_scope",
    "cluster",
    "collapse",
    "compare",
    "core_version",
    "decontaminate",
    "dedup",
    "evaluate",
    "methods",
    "open_run",
    "passages",
]
