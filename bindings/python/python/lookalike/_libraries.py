"""Row numbers and masks in the form that the library of the documents takes."""

from __future__ import annotations

import sys
from typing import Any

from lookalike._lookalike import Array

#: Libraries with arrays of their own, by which their tables are filtered.
_LIBRARIES = ("pyarrow", "polars", "pandas")


def library_of(data: object) -> str:
    """The library that a table is of; empty for all others."""
    root = type(data).__module__.partition(".")[0]
    return root if root in _LIBRARIES else ""


def table_of(column: Any, name: str) -> Any:
    """A table of one column, which is not copied, if the object is a column of a library; else None."""
    library, kind = library_of(column), type(column).__name__
    if library == "polars" and kind == "Series":
        return column.alias(name).to_frame()
    if library == "pandas" and kind == "Series":
        return column.to_frame(name)
    module: Any = sys.modules.get(library)
    if library == "pyarrow" and isinstance(column, (module.Array, module.ChunkedArray)):
        return module.table({name: column})
    return None


def native(array: Array, library: str) -> Any:
    """An array of this library, which the caller has imported."""
    module: Any = sys.modules.get(library)
    if module is None:
        return array
    if library == "pyarrow":
        return module.array(array)
    if library == "polars":
        return module.Series(array)
    return array.to_numpy()
