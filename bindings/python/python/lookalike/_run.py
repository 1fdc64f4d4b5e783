"""Files in, a directory of results out: what the command does, with the same bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from os import PathLike, fspath
from types import TracebackType
from typing import Any, Literal

from lookalike import _lookalike
from lookalike._compare import Comparison
from lookalike._lookalike import Table
from lookalike._options import ReclusterKeywords, SettingsKeywords, Unpack
from lookalike._progress import Progress, is_cancelled, reporter
from lookalike._resources import size, thread_count
from lookalike._run_options import RunOptions
from lookalike._settings import Settings, given_settings, shows
from lookalike._summary import Summary

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]
TableFormat = Literal["parquet", "tsv", "jsonl"]


class Run:
    """Files, directories or globs in, a directory of results out; the bytes are those of the command.

    Memory is bounded: what does not fit goes to temporary files. A run that was killed goes on with ``resume=True``.

    Parameters
    ----------
    inputs : path, glob or sequence of them
        JSONL, Parquet, CSV, text, HTML, mail, compressed or not; also URLs (``s3://``, ``gs://``, ``az://``,
        ``https://``), as strings: a ``pathlib.Path`` would change them.
    output : path
        The directory of the results. It appears when they are complete. Also a URL (``s3://``, ``gs://``, ``az://``).
    settings : Settings, optional
        What decides; or any keyword of :class:`Settings`.
    against : as `inputs`, optional
        A collection, or an index, of which nothing is removed and which takes precedence.
    against_only : bool
        Remove only what is in `against`.
    force : bool
        Replace an earlier result.
    tables : {"parquet", "tsv", "jsonl"}
        Form of the tables.
    mark : str, optional
        Write all documents with added columns whose names begin so, and remove nothing.
    add_counts : bool
        Add ``duplicates`` and ``duplicates_by_source`` to kept documents: how many documents :meth:`dedup` removed for
        each, in all and by input (a JSON object as text).
    passages : int, optional
        Then cut every run of at least this many words that stands twice out of what :meth:`dedup` keeps, but for its
        first copy, as the command ``lookalike passages`` does: its tables and its report are in ``passages/``.
    attributes : bool
        Write ``attributes/``: for each input a JSONL file with one line for each of its records, in order.
    report : bool
        Write ``report.html``.
    report_size : int or str
        Bytes of data in ``report.html`` itself, as ``"20MB"``; more go to files beside it.
    copy_files : bool
        Copy kept files that hold one document each, instead of listing them.
    strict : bool
        Stop at the first bad record.
    skip_unreadable : bool
        Go on where an input cannot be read to its end.
    near_misses : str or float, optional
        Write the table ``near_misses``: the pairs that miss the threshold by at most this.
    max_loss : str or float, optional
        The most that may be removed, ``"30%"``, ``0.3`` or 0, of all documents and of each input with at least 100. A
        run that would remove more raises and removes nothing. By default 98 % of all, if there are more than 1000.
    max_cluster : int or str, optional
        The largest cluster, in documents or as ``"2%"`` of all.
    junit : path, optional
        Write the outcome of :meth:`dedup` to this file as JUnit XML, also if it raises because of `max_loss` or
        `max_cluster`: a test case for these and one for each removed document.
    max_pairs : int
        Most pairs that :meth:`cluster` lists.
    threads, memory, scratch
        As of :func:`dedup`. With `scratch`, or if memory is too small, checkpoints are written.
    resume : bool
        Continue from the checkpoints of an earlier run of the same job.

    Examples
    --------
    >>> import lookalike, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("a rose is a rose is a rose")
    >>> _ = (folder / "b.txt").write_text("A rose is a rose is a rose!")
    >>> summary = lookalike.Run(folder / "*.txt", folder / "out").dedup()
    >>> summary["kept"], summary["removed"]["lexically_equivalent"]
    (1, 1)
    >>> lookalike.open_run(folder / "out").ledger.to_pylist()[0]["rule"]
    'lexically_equivalent'
    """

    @shows(SettingsKeywords)
    def __init__(
        self,
        inputs: Paths,
        output: str | PathLike[str],
        *,
        settings: Settings | None = None,
        against: Paths = (),
        against_only: bool = False,
        force: bool = False,
        tables: TableFormat = "parquet",
        mark: str | None = None,
        add_counts: bool = False,
        passages: int | None = None,
        attributes: bool = False,
        report: bool = True,
        report_size: int | str = "20MB",
        copy_files: bool = False,
        strict: bool = False,
        skip_unreadable: bool = False,
        near_misses: str | float | None = None,
        max_loss: str | float | None = None,
        max_cluster: int | str | None = None,
        junit: str | PathLike[str] | None = None,
        max_pairs: int = 10_000_000,
        threads: int | None = None,
        memory: int | str | None = None,
        scratch: str | PathLike[str] | None = None,
        resume: bool = False,
        **keywords: Unpack[SettingsKeywords],
    ) -> None:
        self.settings = given_settings(settings, keywords)
        self._options = RunOptions(
            inputs=_listed(inputs),
            against=_listed(against),
            against_only=against_only,
            output=fspath(output),
            force=force,
            tables=tables,
            report=report,
            report_size=size(report_size),
            mark=mark,
            add_counts=add_counts,
            passages=passages,
            attributes=attributes,
            copy_files=copy_files,
            strict=strict,
            skip_unreadable=skip_unreadable,
            near_misses=None if near_misses is None else str(near_misses),
            max_loss=None if max_loss is None else str(max_loss),
            max_cluster=None if max_cluster is None else str(max_cluster),
            junit=None if junit is None else fspath(junit),
            max_pairs=max_pairs,
            threads=thread_count(threads),
            memory=None if memory is None else size(memory),
            scratch=None if scratch is None else fspath(scratch),
            resume=resume,
        )

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Nothing is open between calls.
        pass

    def dedup(self, *, progress: Progress = None) -> Summary:
        """Writes kept and removed documents, the evidence for every removal, clusters, pairs and a report."""
        return self._run(False, self.settings, progress)

    def cluster(self, *, progress: Progress = None) -> Summary:
        """Writes all pairs that reach the threshold, and the clusters that they form; removes nothing.

        As of the command, clusters are the connected components of the pairs, unless the settings `linkage` or
        `contained_only` say otherwise.
        """
        return self._run(True, self.settings, progress)

    def _run(self, list_pairs: bool, settings: Settings, progress: Progress) -> Summary:
        told = _lookalike.run(
            self._options,
            settings.to_json(),
            list_pairs=list_pairs,
            progress=reporter(progress, files=True),
            cancelled=is_cancelled(),
        )
        return Summary(*told)

    def plan(
        self,
        *,
        cluster: bool = False,
        sample: int | str | None = None,
        quick: bool = False,
        seed: int = 1,
        recall: float = 1.0,
        labels: str | PathLike[str] | None = None,
        progress: Progress = None,
    ) -> Summary:
        """Predicts from a sample what the run would find, take and cost; nothing is written.

        Parameters
        ----------
        cluster : bool
            Predict :meth:`cluster` instead of :meth:`dedup`.
        sample : int or str, optional
            Bytes of the sample; by default one in 96 of the inputs, 4 to 64 MiB.
        quick : bool
            Read the sample only, and not all documents once to count copies and to estimate removal.
        seed : int
            Another one takes another sample.
        recall : float
            Least recall of the methods that are recommended.
        labels : str or path, optional
            File of labelled pairs or clusters, as for `evaluate`: rules that keep what is labelled otherwise are
            recommended by it, as by the field `label_field`.
        """
        settings = self.settings
        told = _lookalike.plan(
            self._options,
            settings.to_json(),
            list_pairs=cluster,
            sample=None if sample is None else size(sample),
            quick=quick,
            seed=seed,
            recall=recall,
            labels=None if labels is None else fspath(labels),
            progress=reporter(progress, files=True),
            cancelled=is_cancelled(),
        )
        return Summary(*told)

    def __repr__(self) -> str:
        return f"<lookalike.Run: {', '.join(self._options.inputs)} to {self._options.output}>"


class OpenRun:
    """The directory of a finished run; made by :func:`open_run`. Tables are read when they are asked for."""

    def __init__(self, output: str | PathLike[str]) -> None:
        self.path = fspath(output)
        try:
            with open(f"{self.path}/summary.json", encoding="utf-8") as file:
                #: The content of ``summary.json``.
                self.summary: dict[str, Any] = json.load(file)
        except FileNotFoundError as error:
            from lookalike._errors import InputError

            message = f"{self.path}: there is no summary.json; is it the directory of a finished run?"
            raise InputError(message, "run") from error

    @cached_property
    def settings(self) -> Settings:
        """The settings of the run."""
        return Settings.from_json(json.dumps(self.summary["settings"]["job"]["settings"]))

    @cached_property
    def ledger(self) -> Table:
        """Every removed document with its witness, the rule, and the counts."""
        return _lookalike.read_table(self.path, "ledger")

    @cached_property
    def pairs(self) -> Table:
        """The pairs that were listed."""
        return _lookalike.read_table(self.path, "pairs")

    @cached_property
    def clusters(self) -> Table:
        """Every document that is in a cluster with another one."""
        return _lookalike.read_table(self.path, "clusters")

    @cached_property
    def near_misses(self) -> Table:
        """The pairs just below the threshold, of a run with ``near_misses=``."""
        return _lookalike.read_table(self.path, "near_misses")

    @cached_property
    def documents(self) -> Table:
        """Of a run that listed all pairs: what :meth:`recluster` needs to know of each document."""
        return _lookalike.read_table(self.path, "documents")

    @cached_property
    def problems(self) -> Table:
        """Records and files that could not be used; there is no such table without any."""
        return _lookalike.read_table(self.path, "problems")

    def explain(self, a: str, b: str, *, extract: str | Sequence[str] = ()) -> Comparison:
        """Why two documents were matched, or were not: each by id, or as ``FILE:RECORD``. Reads the inputs again.

        Commands of the run's ``extract`` are started again only if they are given here, too.
        """
        commands = [extract] if isinstance(extract, str) else list(extract)
        return Comparison(_lookalike.explain(self.path, a, b, commands))

    def undo(
        self,
        output: str | PathLike[str],
        documents: Sequence[str] = (),
        *,
        clusters: Sequence[int] = (),
        force: bool = False,
        progress: Progress = None,
    ) -> Summary:
        """Restores removed documents into a copy of the result of :meth:`Run.dedup`.

        Parameters
        ----------
        output : path
            The directory of the new result.
        documents : sequence of str
            Removed documents, by id or as ``FILE:RECORD``.
        clusters : sequence of int
            Clusters of which all removed documents are restored, by their numbers in :attr:`clusters`.
        """
        told = _lookalike.undo(
            self.path, fspath(output), list(documents), list(clusters), force=force, progress=reporter(progress, files=True),
            cancelled=is_cancelled(),
        )
        return Summary(*told)

    @shows(ReclusterKeywords)
    def recluster(
        self,
        output: str | PathLike[str],
        *,
        force: bool = False,
        tables: TableFormat = "parquet",
        report: bool = True,
        report_size: int | str = "20MB",
        progress: Progress = None,
        **changes: Unpack[ReclusterKeywords],
    ) -> Summary:
        """Clusters a run of :meth:`Run.cluster` anew, by other settings, without reading documents again.

        Parameters
        ----------
        output : path
            The directory of the new result.
        report, report_size
            As of :class:`Run`.
        **changes
            ``threshold`` (not below that of the run), ``measure``, ``linkage``, ``witness``, ``keep``,
            ``contained_only``.
        """
        unknown = sorted(set(changes) - ReclusterKeywords.__optional_keys__)
        if unknown:
            raise TypeError(f"recluster() takes {', '.join(ReclusterKeywords.__annotations__)}, not {unknown[0]!r}")
        told = _lookalike.recluster(
            self.path,
            self.settings.replace(**changes).to_json(),
            fspath(output),
            force=force,
            tables=tables,
            report=report,
            report_size=size(report_size),
            progress=reporter(progress, files=True),
            cancelled=is_cancelled(),
        )
        return Summary(*told)

    def __enter__(self) -> OpenRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # No file is open; the tables that were read are memory of their own.
        pass

    def __repr__(self) -> str:
        return f"<lookalike.OpenRun: {self.path}>"


def open_run(output: str | PathLike[str]) -> OpenRun:
    """Opens the directory of a finished run, of this package or of the command.

    Raises
    ------
    InputError
        A directory without a finished run.
    """
    return OpenRun(output)


def _listed(paths: Paths) -> list[str]:
    if isinstance(paths, (str, PathLike)):
        return [fspath(paths)]
    return [fspath(path) for path in paths]
