"""Documents with other texts, and without some rows, in the form that the caller has them in."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import Any, NamedTuple, TypeVar

from lookalike._documents import listed
from lookalike._errors import DataError
from lookalike._libraries import library_of, native
from lookalike._lookalike import Array

Given = TypeVar("Given")


class Edit(NamedTuple):
    """A change of a text: bytes of UTF-8 from `start` to before `end`, which are `text`, become `put`."""

    start: int
    end: int
    put: str
    text: str


class Changes(NamedTuple):
    """What changes in documents."""

    #: The field that holds the text.
    field: str
    #: Number of rows.
    rows: int
    #: Edits of a row, ascending.
    edits: dict[int, list[Edit]]
    #: For each row whether it stays.
    mask: Array


def refuse_files(data: object) -> None:
    """Documents in files are read and written by the command."""
    several = isinstance(data, Sequence) and not isinstance(data, (str, bytes, bytearray))
    first = data[0] if several and len(data) else data  # type: ignore[index,arg-type]
    if isinstance(first, PathLike):
        raise TypeError(
            f"{first!r} is a file: the command `lookalike passages FILE --output DIR` reads files and writes their"
            " documents without the copies; or read it into a table"
        )


def changed(data: Given, changes: Changes) -> Given:
    """The documents with other texts, without the rows that are removed. What does not change is not copied.

    Raises
    ------
    DataError
        Documents that are not those of the call.
    TypeError
        Documents in a form of which no other can be made.
    """
    refuse_files(data)
    one = {"pyarrow": _of_pyarrow, "polars": _of_polars, "pandas": _of_pandas}.get(library_of(data))
    documents: Any = data
    if one is None and isinstance(documents, Mapping):
        one = _of_columns
    elif one is None and isinstance(documents, (list, tuple)):
        one = _of_items
    if one is None or hasattr(documents, "collect_schema") and hasattr(documents, "collect"):
        raise TypeError(
            f"a {type(data).__name__} cannot be cut: give a table or column of pyarrow, polars or pandas, a list of"
            " texts or of records, or columns by name"
        )
    made: Given = one(documents, changes)
    return made


def _check_rows(rows: int, changes: Changes) -> None:
    if rows != changes.rows:
        raise DataError(f"these are {rows} documents, and those of the call were {changes.rows}", "input_changed")


def _no_column(changes: Changes) -> DataError:
    return DataError(
        f"there is no column {changes.field!r} to cut; if text= names a field inside of a struct, give the rows as"
        " records (dictionaries)",
        "missing_field",
    )


def _of_fixed_size(kind: Any) -> TypeError:
    return TypeError(f"{kind}: lists of a fixed size cannot be cut; cast the column to one of lists of any size")


def _edited(text: Any, row: int, changes: Changes) -> Any:
    """A text after its edits, or a list of tokens without those that go."""
    if not isinstance(text, (str, bytes, type(None))):
        return _shorter(text, row, changes)
    read = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    parts, at = [], 0
    for edit in changes.edits[row]:
        if not isinstance(read, bytes) or read[edit.start : edit.end] != edit.text.encode():
            raise DataError(f"row {row} has another text than in the call", "input_changed")
        parts += [read[at : edit.start], edit.put.encode()]
        at = edit.end
    made = b"".join([*parts, (read or b"")[at:]])
    return made.decode() if isinstance(text, str) else made


def _shorter(tokens: Any, row: int, changes: Changes) -> Any:
    """A list without the elements that go. Edits are of its text, in which each element is a line."""
    starts, at = [], 0
    for token in tokens:
        starts.append(at)
        at += len(str(token).replace("\\", "\\\\").replace("\n", "\\n").encode("utf-8", "surrogatepass")) + 1
    numbers = {start: number for number, start in enumerate([*starts, at])}
    stay: list[int] = []
    last = 0
    for edit in changes.edits[row]:
        first, end = numbers.get(edit.start), numbers.get(edit.end)
        if first is None or end is None or edit.text.count("\n") != end - first:
            raise DataError(f"row {row} has another list than in the call", "input_changed")
        stay += range(last, first)
        last = end
    stay += range(last, len(starts))
    return tokens[stay] if hasattr(tokens, "dtype") else type(tokens)(tokens[number] for number in stay)


def _new_texts(texts: Sequence[Any], changes: Changes) -> list[Any]:
    """The texts of the rows with edits after these: `texts` has one for each."""
    return [_edited(text, row, changes) for row, text in zip(sorted(changes.edits), texts, strict=True)]


def _of_pyarrow(data: Any, changes: Changes) -> Any:
    pa: Any = sys.modules["pyarrow"]
    _check_rows(len(data), changes)
    mask = native(changes.mask, "pyarrow")
    try:
        if not changes.edits:
            return data.filter(mask)
        if isinstance(data, (pa.Array, pa.ChunkedArray)):
            return _arrow_column(data, changes, pa).filter(mask)
        at = data.schema.get_field_index(changes.field)
        if at < 0:
            raise _no_column(changes)
        column = _arrow_column(data.column(at), changes, pa)
        return data.set_column(at, data.schema.field(at), column).filter(mask)
    except pa.ArrowNotImplementedError as error:
        raise TypeError(f"pyarrow selects no rows of such a column ({error}); cast it, as string_view to large_string") from error


def _arrow_column(column: Any, changes: Changes, pa: Any) -> Any:
    kind = column.type
    if pa.types.is_fixed_size_list(kind):
        raise _of_fixed_size(kind)
    plain = column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column
    rows = sorted(changes.edits)
    new = _new_texts(plain.take(pa.array(rows)).to_pylist(), changes)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        parts = plain.chunks if isinstance(plain, pa.ChunkedArray) else [plain]
        return pa.concat_arrays([*parts, pa.array(new, kind)]).take(pa.array(_order(len(plain), rows)))
    which = [row in changes.edits for row in range(len(plain))]
    replaced = import_module("pyarrow.compute").replace_with_mask
    made = replaced(plain, pa.array(which), pa.array(new, plain.type))
    return made if plain is column else made.dictionary_encode().cast(kind)


def _of_polars(data: Any, changes: Changes) -> Any:
    pl: Any = sys.modules["polars"]
    if not isinstance(data, (pl.DataFrame, pl.Series)):
        raise TypeError("a lazy frame has no rows yet; call .collect()")
    _check_rows(len(data), changes)
    mask = native(changes.mask, "polars")
    if not changes.edits:
        return data.filter(mask)
    if isinstance(data, pl.Series):
        return _polars_column(data, changes, pl).filter(mask)
    if changes.field not in data.columns:
        raise _no_column(changes)
    return data.with_columns(_polars_column(data[changes.field], changes, pl)).filter(mask)


def _polars_column(column: Any, changes: Changes, pl: Any) -> Any:
    if isinstance(column.dtype, pl.Array):
        raise _of_fixed_size(column.dtype)
    plain = column if column.dtype in (pl.Binary, pl.List) else column.cast(pl.String)
    rows = sorted(changes.edits)
    new = pl.Series(column.name, _new_texts(plain.gather(rows).to_list(), changes), plain.dtype)
    made = pl.concat([plain, new]).gather(_order(len(plain), rows))
    return made if made.dtype == column.dtype else made.cast(column.dtype)


def _order(count: int, rows: Sequence[int]) -> list[int]:
    """Where the values of all rows are, if new ones for these stand behind them."""
    order = list(range(count))
    for number, row in enumerate(rows, count):
        order[row] = number
    return order


def _of_pandas(data: Any, changes: Changes) -> Any:
    pd: Any = sys.modules["pandas"]
    _check_rows(len(data), changes)
    mask = native(changes.mask, "pandas")
    if not changes.edits:
        return data[mask]
    if isinstance(data, pd.Series):
        return _pandas_column(data, changes, pd)[mask]
    if changes.field not in data.columns:
        raise _no_column(changes)
    return data.assign(**{changes.field: _pandas_column(data[changes.field], changes, pd)})[mask]


def _pandas_column(column: Any, changes: Changes, pd: Any) -> Any:
    made = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column.copy()
    rows = sorted(changes.edits)
    new = _new_texts(column.iloc[rows].tolist(), changes)
    if all(isinstance(text, (str, bytes)) for text in new):
        made.iloc[rows] = new
        return made
    # A list of lists would be taken for a table.
    values = made.tolist()
    for row, tokens in zip(rows, new, strict=True):
        values[row] = tokens
    return pd.Series(values, index=made.index, name=made.name, dtype=made.dtype)


def _of_columns(data: Mapping[str, Any], changes: Changes) -> dict[str, list[Any]]:
    columns = {name: listed(values) for name, values in data.items()}
    for values in columns.values():
        _check_rows(len(values), changes)
    if changes.edits:
        if changes.field not in columns:
            raise _no_column(changes)
        columns[changes.field] = list(columns[changes.field])
        for row in changes.edits:
            columns[changes.field][row] = _edited(columns[changes.field][row], row, changes)
    stays = changes.mask.to_pylist()
    return {
        name: [value for value, one in zip(values, stays, strict=True) if one] for name, values in columns.items()
    }


def _of_items(data: Sequence[Any], changes: Changes) -> Sequence[Any]:
    if any(not isinstance(item, (str, Mapping)) and item is not None for item in data):
        raise TypeError("a list that is cut has texts or records; concatenate Arrow batches to a table")
    _check_rows(len(data), changes)
    made = []
    for row, (item, stays) in enumerate(zip(data, changes.mask.to_pylist(), strict=True)):
        if stays and row in changes.edits:
            record = isinstance(item, Mapping)
            item = _with_text(item, changes.field, row, changes) if record else _edited(item, row, changes)
        if stays:
            made.append(item)
    return tuple(made) if isinstance(data, tuple) else made


def _with_text(record: Mapping[str, Any], path: str, row: int, changes: Changes) -> dict[str, Any]:
    """A copy of a record with another text, which may be in a record in the record."""
    if path in record:
        return {**record, path: _edited(record[path], row, changes)}
    head, _, rest = path.partition(".")
    inner = record.get(head) if rest else None
    if not isinstance(inner, Mapping):
        raise DataError(f"row {row} has no field {changes.field!r} any more", "input_changed")
    return {**record, head: _with_text(inner, rest, row, changes)}
