"""The living index: documents that are added, replaced and deleted, and asked about."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import timedelta
from functools import cached_property
from os import PathLike, fspath
from types import TracebackType
from typing import Any, Literal

from lookalike import _lookalike
from lookalike._documents import Documents, Opener, opener
from lookalike._index_export import Export
from lookalike._index_passages import PassageMatches
from lookalike._index_query import About, Ask, Matches, Question, question
from lookalike._index_settings import index_json
from lookalike._index_sweeps import Sweeps
from lookalike._index_writer import Added, Committed, Deleted, IndexWriter, Paths, inputs_listed
from lookalike._lookalike import Table
from lookalike._options import TextKeywords, Unpack
from lookalike._progress import Progress
from lookalike._resources import Options, options, thread_count
from lookalike._result import Result
from lookalike._settings import (
    COLUMNS,
    Linkage,
    Settings,
    Threshold,
    given_settings,
    has_sections,
    shows,
    with_columns,
)
from lookalike._summary import Summary


class Index:
    """A collection that is kept in a directory: documents are added, replaced and deleted, and any question about them
    is answered exactly, at any threshold.

    Made by :meth:`create` and :meth:`open`. After any history it holds what :func:`dedup` over its documents would
    find. One process writes at a time; any number of processes and threads read, also meanwhile. Every call is about
    the last commit when it begins, so that there is nothing to refresh.

    An index pickles by its path, and a process that was forked opens it again by itself.

    Examples
    --------
    >>> import lookalike, pathlib, tempfile
    >>> index = lookalike.Index.create(pathlib.Path(tempfile.mkdtemp()) / "poems.index", shingle=3)
    >>> added = index.add([
    ...     {"id": "fish", "text": "one fish two fish red fish blue fish"},
    ...     {"id": "rose", "text": "a rose is a rose is a rose"},
    ... ])
    >>> added.documents
    2
    >>> found = index.query("She said: a rose is a rose is a rose.", ask="contained-in", threshold=0.9)
    >>> found[0].id, found[0].document_in_query, found[0].shared, found[0].size
    ('rose', 1.0, 3, 3)
    >>> index.delete("rose").deleted, len(index), "rose" in index
    (1, 1, False)
    """

    #: The directory.
    path: str

    def __init__(self, path: str | PathLike[str]) -> None:
        # Absolute, for processes with another working directory.
        self.path = os.path.abspath(fspath(path))
        self._reader = _lookalike.IndexReader(self.path)

    @classmethod
    @shows(TextKeywords)
    def create(
        cls,
        path: str | PathLike[str],
        *,
        settings: Settings | None = None,
        method: str | Sequence[str] = (),
        lexicon: str | PathLike[str] | None = None,
        lexicon_checksum: str | None = None,
        no_text: bool = False,
        lean: Threshold | None = None,
        passages: int | None = None,
        sample: Documents | None = None,
        ttl: int | str | timedelta | None = None,
        threads: int | None = None,
        progress: Progress = None,
        **keywords: Unpack[TextKeywords],
    ) -> Index:
        """Creates an empty index in a directory that does not exist.

        Parameters
        ----------
        path : path
            The directory.
        settings : Settings, optional
            How texts become features, and which documents are kept; or any keyword of :class:`Settings`. A `text` of
            several fields is one of them: ``text="question,answer"``.
        method : str or sequence of str
            Methods of the papers whose keys and sketches are stored too, for ``query(…, ask=method)``.
        lexicon, lexicon_checksum : optional
            Document frequencies for them; the index has a copy.
        no_text : bool
            Store feature sets in place of texts: no passages, and no export.
        lean : float or str, optional
            The lowest threshold of the questions of a lean index, which posts only what these need and refuses others.
        passages : int, optional
            The fewest words of a passage that :meth:`query_passages` finds; 50 are usual. By default the index has no
            answers about passages.
        sample : as `data` of :func:`dedup`, optional
            Of a lean index: documents like those that will be added, some ten thousand are best. It makes questions
            about pages of a template fast, and changes no answer. Names of columns are keywords.
        ttl : int, str or timedelta, optional
            Documents are deleted so long after they were added: seconds, ``"90d"``, ``"12h"``.
        threads, progress
            As of :func:`dedup`, for reading the sample.

        Raises
        ------
        SettingsError
            Settings that an index cannot have.
        InputError
            A directory that exists; a lexicon that cannot be read.
        """
        # Those of the sample; columns of documents are named where they are added, as index_json says.
        deciding: dict[str, Any] = dict(keywords)
        columns = {} if sample is None else {name: deciding.pop(name) for name in COLUMNS if name in deciding}
        given = given_settings(settings, deciding)
        fields, named = with_columns(given, columns)
        if has_sections(fields):
            given = given.replace(text=fields.text)
        value = index_json(
            given,
            method=method,
            lexicon=lexicon,
            lexicon_checksum=lexicon_checksum,
            no_text=no_text,
            lean=lean,
            passages=passages,
            ttl=ttl,
        )
        limits = options(threads=threads, memory=None, scratch=None, progress=progress)
        source = None if sample is None else opener(sample, fields, "sample", named)
        _lookalike.create_index(os.path.abspath(fspath(path)), value, limits, source, fields.to_json())
        return cls(path)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Index:
        """Opens an index.

        Raises
        ------
        InputError
            A directory without an index, or with one of another version.
        """
        return cls(path)

    @cached_property
    def settings(self) -> Settings:
        """How texts become features, and which documents are kept."""
        return Settings.from_json(json.dumps(json.loads(self._reader.settings())["documents"]))

    @property
    def last_commit(self) -> int:
        """The number of the last commit."""
        return self._reader.size()[1]

    def __len__(self) -> int:
        """Number of documents."""
        return self._reader.size()[0]

    def __contains__(self, id: object) -> bool:
        """Whether a document has this id."""
        return isinstance(id, str) and self._reader.has(id)

    def get(self, id: str) -> dict[str, Any] | None:
        """The document with an id, of several sweeps the last; None if there is none."""
        found = self._reader.document(id).to_pylist()
        return found[0] if found else None

    def documents(self) -> Table:
        """All documents with their texts, in the order in which their ids were first added.

        In memory; :meth:`export_documents` writes those of a larger index.
        """
        return self._reader.documents()

    def stats(self) -> Summary:
        """Documents, kept documents, segments, and bytes by what they hold; ``index.stats()["kept"]`` is a number."""
        data, rows = self._reader.stats()
        return Summary(data, rows, [])

    def query(
        self,
        text: str | None = None,
        /,
        *,
        id: str | None = None,
        url: str | None = None,
        ask: Ask = "resembles",
        threshold: Threshold | None = None,
        limit: int | None = None,
        site: str | None = None,
        since: object = None,
        before: object = None,
        sweep: str | None = None,
        kept: bool = False,
        passages: bool = False,
    ) -> Matches:
        """The documents that resemble a text or a stored document, contain it, or are contained in it.

        Parameters
        ----------
        text : str
            The text that is asked about; or `id` or `url`, which name a stored document.
        id, url : str
            A stored document, which is no part of its own answer. Of several with the address, the one found last.
        ask : str
            ``"resembles"`` (|Q∩D| / |Q∪D|), ``"containing"`` (|Q∩D| / |Q|: documents that contain the query),
            ``"contained-in"`` (|Q∩D| / |D|: documents that the query contains), ``"cosine"``, ``"cluster"`` (the
            documents of its cluster), or a method of the index.
        threshold : float or str, optional
            What the measure has to reach; by default the threshold of the index.
        limit : int, optional
            The best so many; the search ends when no better one can come.
        site : str, optional
            Only documents of this host, or of hosts below this domain.
        since, before : date or str, optional
            Only documents with this date or a later one; with an earlier one.
        sweep : str, optional
            Only documents of this sweep.
        kept : bool
            Only documents that duplicate no other one.
        passages : bool
            Return the passages in common too.

        Returns
        -------
        Matches
            A sequence of :class:`Match`, the best first, with the counts that prove each.

        Raises
        ------
        SettingsError
            A question that the index cannot answer: a method that it does not have, a lean index.
        DataError
            A stored document that is not in the index.

        Examples
        --------
        >>> import lookalike, pathlib, tempfile
        >>> index = lookalike.Index.create(pathlib.Path(tempfile.mkdtemp()) / "poems.index")
        >>> _ = index.add([{"id": n, "text": "a rose is a rose is a rose" + n * " is a rose"} for n in range(3)])
        >>> index.query(id="0", threshold=0.1).ids()
        ['1', '2']
        >>> print(index.query("a rose is a rose is a rose", limit=1))
        id  resemblance  query in it  it in query  shared  size  kept  url
        0   1.0000       1.0000       1.0000       3       3     kept
        1 of 3 documents
        """
        about = About.one("query", text, id, url)
        asked = question(
            ask=ask,
            threshold=threshold,
            limit=limit,
            site=site,
            since=since,
            before=before,
            sweep=sweep,
            kept=kept,
            passages=passages,
        )
        return Matches(json.loads(self._reader.ask(about, asked)))

    def query_passages(
        self,
        text: str | None = None,
        /,
        *,
        id: str | None = None,
        url: str | None = None,
        limit: int | None = None,
        site: str | None = None,
        since: object = None,
        before: object = None,
        sweep: str | None = None,
        kept: bool = False,
    ) -> PassageMatches:
        """The documents that have a passage of a text or of a stored document: every run of words that both have in
        common, if it has as many words as the setting `passages` of the index, or more, with its places in both.

        Parameters
        ----------
        text : str
            The text that is asked about; or `id` or `url`, which name a stored document.
        id, url : str
            A stored document, which is no part of its own answer. Of several with the address, the one found last.
        limit : int, optional
            The most documents that are listed: those with most words in common. The others are counted.
        site, since, before, sweep, kept
            As of :meth:`query`.

        Returns
        -------
        PassageMatches
            A sequence of :class:`PassageMatch`, the documents with most words of the text first.

        Raises
        ------
        SettingsError
            An index that was created without passages.
        DataError
            A stored document that is not in the index.

        Examples
        --------
        >>> import lookalike, pathlib, tempfile
        >>> index = lookalike.Index.create(pathlib.Path(tempfile.mkdtemp()) / "poems.index", passages=5)
        >>> _ = index.add([{"id": "rose", "text": "He said: a rose is a rose is a rose."}])
        >>> text = "To be a rose is a rose."
        >>> found = index.query_passages(text)
        >>> found
        rose: 5 of 7 words, in 2 passages
        >>> start, end = found[0].passages[0].query_bytes
        >>> text.encode()[start:end].decode()
        'a rose is a rose'
        """
        about = About.one("query_passages", text, id, url)
        asked = question(limit=limit, site=site, since=since, before=before, sweep=sweep, kept=kept)
        return PassageMatches(json.loads(self._reader.find_passages(about, asked)))

    def query_batch(
        self,
        data: Documents,
        /,
        *,
        ask: Ask = "resembles",
        threshold: Threshold | None = None,
        limit: int | None = None,
        site: str | None = None,
        since: object = None,
        before: object = None,
        sweep: str | None = None,
        kept: bool = False,
        name: str = "queries",
        strict: bool = False,
        threads: int | None = None,
        progress: Progress = None,
        **columns: Any,
    ) -> Table:
        """Asks the same question about each of several documents, on all cores, of one commit.

        Parameters
        ----------
        data : as of :func:`dedup`
            The documents. One that is stored too is a part of its answer, unlike that of ``query(id=…)``.
        ask, threshold, limit, site, since, before, sweep, kept
            As of :meth:`query`; `limit` is that of each document.
        name : str
            What errors call the documents.
        strict : bool
            Raise at the first document without a text, which else has no row.
        threads, progress
            As of :func:`dedup`.
        **columns
            Names of columns: ``text="content"``, ``id="key"``.

        Returns
        -------
        Table
            A row for each match: ``query`` (the row number of the document in `data`, from 0) and ``query_id``, then
            the fields of :class:`Match`, with ``query_size`` for the features of the document. In the order of the
            documents, the best match of each first.

        Examples
        --------
        >>> import lookalike, pathlib, tempfile
        >>> index = lookalike.Index.create(pathlib.Path(tempfile.mkdtemp()) / "poems.index")
        >>> _ = index.add([{"id": "rose", "text": "a rose is a rose is a rose"}])
        >>> table = index.query_batch(["to be or not to be", "A rose is a rose is a rose!"])
        >>> [(row["query"], row["id"], row["shared"]) for row in table.to_pylist()]
        [(1, 'rose', 3)]
        """
        asked = question(
            ask=ask,
            threshold=threshold,
            limit=limit,
            site=site,
            since=since,
            before=before,
            sweep=sweep,
            kept=kept,
        )
        limits = options(threads=threads, memory=None, scratch=None, progress=progress, strict=strict)
        return self._batch(self._reader.ask_all, data, name, columns, asked, limits)

    def query_passages_batch(
        self,
        data: Documents,
        /,
        *,
        limit: int | None = None,
        site: str | None = None,
        since: object = None,
        before: object = None,
        sweep: str | None = None,
        kept: bool = False,
        name: str = "queries",
        strict: bool = False,
        threads: int | None = None,
        progress: Progress = None,
        **columns: Any,
    ) -> Table:
        """Asks which documents have a passage of each of several documents, on all cores, of one commit.

        Parameters
        ----------
        data : as of :func:`dedup`
            The documents that are asked about.
        limit, site, since, before, sweep, kept
            As of :meth:`query_passages`.
        name, strict, threads, progress, **columns
            As of :meth:`query_batch`.

        Returns
        -------
        Table
            A row for each passage: `query` (place of the document that was asked about, from 0), `query_id`, `id`, `url`,
            `date`, `sweep`, `kept`, `words`, `query_word`, `query_start`, `query_end`, `document_word`,
            `document_start`, `document_end`.

        Examples
        --------
        >>> import lookalike, pathlib, tempfile
        >>> index = lookalike.Index.create(pathlib.Path(tempfile.mkdtemp()) / "poems.index", passages=4)
        >>> _ = index.add([{"id": "rose", "text": "A rose is what it was."}])
        >>> table = index.query_passages_batch(["to be or not to be", "She knows what a rose is what"])
        >>> [(row["query"], row["id"], row["words"], row["query_word"]) for row in table.to_pylist()]
        [(1, 'rose', 4, 3)]
        """
        asked = question(limit=limit, site=site, since=since, before=before, sweep=sweep, kept=kept)
        limits = options(threads=threads, memory=None, scratch=None, progress=progress, strict=strict)
        return self._batch(self._reader.find_passages_of_all, data, name, columns, asked, limits)

    def _batch(
        self,
        ask: Callable[[Opener | list[str], str, Question, Options], Table],
        data: Documents,
        name: str,
        columns: dict[str, Any],
        asked: Question,
        limits: Options,
    ) -> Table:
        fields, named = _columns(self.settings, columns)
        return ask(opener(data, fields, name, named), fields.to_json(), asked, limits)

    def add(
        self,
        data: Documents,
        /,
        *,
        name: str | None = None,
        unless_duplicate: Threshold | None = None,
        sweep: str | None = None,
        sweep_date: object = None,
        commit_every: int | None = None,
        ttl: int | str | timedelta | None = None,
        strict: bool = False,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: Progress = None,
        **columns: Any,
    ) -> Added:
        """Adds documents; one with a known id replaces it. When this returns, they survive a crash.

        Parameters
        ----------
        data : as of :func:`dedup`
            The documents, which have a column of ids.
        name : str, optional
            With a name, documents without ids are called ``NAME:RECORD``, and replace those of the same name.
        unless_duplicate : float or str, optional
            Add a document only if it matches no kept one at this threshold, by the measure of the index.
        sweep, sweep_date : optional
            The crawl to which the documents belong, and its date if it is new: ids are unique in a sweep, and earlier
            sweeps keep theirs.
        commit_every : int, optional
            Commit whenever so many documents were read; by default once at the end.
        ttl : int, str or timedelta, optional
            Delete the documents so long after; by default as the index was created.
        strict : bool
            Raise at the first document that cannot be used, instead of counting it.
        threads, progress
            As of :func:`dedup`.
        memory : int or str, optional
            Documents before they are written to a file, ``"1GiB"``.
        **columns
            Names of columns: ``text="content"``, ``id="key"``.

        Returns
        -------
        Added

        Raises
        ------
        ResourceError
            Another writer has the index (``code == "index_locked"``).
        DataError
            A missing column, or a stream that broke off: nothing after the last commit was added.
        """
        return self._added(
            (data, name),
            columns,
            threads,
            unless_duplicate=unless_duplicate,
            sweep=sweep,
            sweep_date=sweep_date,
            commit_every=commit_every,
            ttl=ttl,
            strict=strict,
            memory=memory,
            progress=progress,
        )

    def add_files(
        self,
        inputs: Paths,
        /,
        *,
        unless_duplicate: Threshold | None = None,
        sweep: str | None = None,
        sweep_date: object = None,
        commit_every: int | None = None,
        ttl: int | str | timedelta | None = None,
        strict: bool = False,
        skip_unreadable: bool = False,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: Progress = None,
        **columns: Any,
    ) -> Added:
        """Adds the documents of files, directories or globs, as ``lookalike index add``.

        Parameters
        ----------
        inputs : path, glob or several of them
            JSONL, Parquet, CSV, text, HTML, mail, compressed or not. Documents without ids are called ``FILE:RECORD``.
        skip_unreadable : bool
            Go on where an input cannot be read to its end.
        unless_duplicate, sweep, sweep_date, commit_every, ttl, strict, threads, memory, progress
            As of :meth:`add`.
        **columns
            Names of columns or fields, ``format`` and ``max_record``, as of :class:`Settings`.
        """
        return self._added(
            inputs_listed(inputs),
            columns,
            threads,
            unless_duplicate=unless_duplicate,
            sweep=sweep,
            sweep_date=sweep_date,
            commit_every=commit_every,
            ttl=ttl,
            strict=strict,
            skip_unreadable=skip_unreadable,
            memory=memory,
            progress=progress,
        )

    def _added(
        self,
        source: tuple[Documents, str | None] | list[str],
        columns: dict[str, Any],
        threads: int | None,
        **how: Any,
    ) -> Added:
        with closing(self.writer(threads=threads)) as writer:
            told = writer._add(source, columns, **how)
        return Added(**{name: told[name] for name in Added._fields})

    def delete(
        self,
        ids: str | Iterable[str] = (),
        /,
        *,
        urls: str | Iterable[str] = (),
        before: object = None,
        site: str | None = None,
        dry_run: bool = False,
    ) -> Deleted:
        """Deletes documents, of every sweep. When this returns, that is durable.

        Parameters
        ----------
        ids : str or iterable of str
            Ids.
        urls : str or iterable of str
            Addresses.
        before : date or str, optional
            Documents with an earlier date.
        site : str, optional
            The documents of a host, or of hosts below a domain.
        dry_run : bool
            Only count the documents.
        """
        with closing(self.writer()) as writer:
            deleted = writer._delete(ids, urls, before, site, dry_run=dry_run)
            if not dry_run:
                writer.commit()
        return deleted

    def writer(self, *, threads: int | None = None) -> IndexWriter:
        """Begins several changes that become one commit: ``with index.writer() as writer: …``.

        Raises
        ------
        ResourceError
            Another writer has the index (``code == "index_locked"``).
        """
        return IndexWriter(self.path, self.settings, threads)

    def merge(self, *others: Index, threads: int | None = None) -> list[Committed]:
        """Adds all documents of other indexes with the same settings, a commit for each; those with a known id replace
        it. Their postings are copied, and no text is read.

        Raises
        ------
        InputError
            An index with other settings, which names the first that differs.
        """
        with closing(self.writer(threads=threads)) as writer:
            return [writer._merge(other._reader) for other in others]

    def compact(self, *, threads: int | None = None) -> None:
        """Merges all segments into as few as the format holds, without deleted documents.

        Documents whose time has come (``ttl=``) are deleted before, as by every writer.
        """
        with closing(self.writer(threads=threads)) as writer:
            writer._compact()

    def copy(self, to: str | PathLike[str]) -> Index:
        """Copies the index as it is after its last commit, also while another process writes it, and opens the copy.

        The copy is an index of its own: a backup, or what readers on other machines ask. Its commits count from 1.

        Parameters
        ----------
        to : path
            The copy, which must not exist; it is there whole or not at all.
        """
        _lookalike.copy_index(fspath(self.path), fspath(to))
        return Index(to)

    @staticmethod
    def repair(
        path: str | PathLike[str], output: str | PathLike[str] | None = None, *, threads: int | None = None
    ) -> dict[str, Any]:
        """Makes a new index of all that can be read of a damaged one, which is not changed.

        Parameters
        ----------
        path : path
            The damaged index.
        output : path, optional
            Where the new one is made; by default in the place of the damaged one, which is kept as ``PATH.damaged``.
        threads
            As of :func:`dedup`.

        Returns
        -------
        dict
            What was found and lost, as of ``lookalike index repair --format json``.
        """
        made = _lookalike.repair_index(fspath(path), None if output is None else fspath(output), thread_count(threads))
        found: dict[str, Any] = json.loads(made)
        return found

    def check(self, *, deep: bool = False, threads: int | None = None) -> list[str]:
        """What is wrong with the files: checksums, order, references. Nothing, if the list is empty.

        Parameters
        ----------
        deep : bool
            Also make every set from its text and look it up, and make every decision again.
        """
        return self._reader.check(deep, thread_count(threads))

    def dedup(
        self,
        *,
        linkage: Linkage = "leaders",
        witness: Literal["first", "best"] = "first",
        threads: int | None = None,
        progress: Progress = None,
    ) -> Result:
        """What :func:`dedup` over :meth:`documents` returns; row numbers are those of that table.

        The index knows the matches: nothing is compared again.

        Parameters
        ----------
        linkage, witness
            As of :class:`Settings`.
        threads, progress
            As of :func:`dedup`.
        """
        return self._result(Export(False, linkage, witness, "parquet", False), threads, None, progress)

    def cluster(
        self,
        *,
        linkage: Linkage = "components",
        witness: Literal["first", "best"] = "first",
        max_pairs: int = 10_000_000,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Result:
        """What :func:`cluster` over :meth:`documents` returns: all pairs, and the clusters that they form.

        Parameters
        ----------
        linkage, witness
            As of :class:`Settings`.
        max_pairs : int
            Most pairs that are listed.
        threads, progress
            As of :func:`dedup`.
        """
        return self._result(Export(True, linkage, witness, "parquet", False), threads, max_pairs, progress)

    def _result(self, export: Export, threads: int | None, max_pairs: int | None, progress: Progress) -> Result:
        answer = self._reader.answer(export, _limits(threads, progress, max_pairs))
        decided = Settings.from_json(json.dumps(json.loads(answer.summary())["settings"]["job"]["settings"]))
        return Result(answer, settings=decided)

    def export(
        self,
        output: str | PathLike[str],
        *,
        pairs: bool = False,
        linkage: Linkage | None = None,
        witness: Literal["first", "best"] = "first",
        force: bool = False,
        tables: Literal["parquet", "tsv", "jsonl"] = "parquet",
        max_pairs: int = 10_000_000,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Summary:
        """Writes the tables of a run over the documents to a directory, as ``lookalike index export``.

        Parameters
        ----------
        output : path
            The directory, which must not exist unless `force` is True.
        pairs : bool
            List all pairs and clusters, as :meth:`cluster`; otherwise the ledger, as :meth:`dedup`.
        linkage, witness
            As of :meth:`dedup` and :meth:`cluster`.
        force : bool
            Replace an earlier result.
        tables : {"parquet", "tsv", "jsonl"}
            Form of the tables.
        max_pairs, threads, progress
            As of :meth:`cluster`.
        """
        export = Export(pairs, linkage, witness, tables, force)
        return Summary(*self._reader.export(fspath(output), export, _limits(threads, progress, max_pairs)))

    def export_documents(
        self,
        output: str | PathLike[str],
        *,
        add_counts: bool = False,
        force: bool = False,
        progress: Progress = None,
    ) -> int:
        """Writes the documents as JSONL, in the order of :meth:`documents`, and returns their number.

        Parameters
        ----------
        output : path
            A file whose name ends with ``.jsonl``, or a directory for ``documents.jsonl``.
        add_counts : bool
            Kept documents alone, with the fields ``duplicates``, how many documents each stands for, and
            ``duplicates_by_source``, a JSON object of these numbers by sweep.
        force : bool
            Replace it.
        progress
            As of :func:`dedup`.
        """
        return self._reader.export_documents(fspath(output), force, add_counts, _limits(None, progress, None))

    @property
    def sweeps(self) -> Sweeps:
        """The crawls of the index, and what became of their pages."""
        return Sweeps(self._reader, self.writer)

    def close(self) -> None:
        """Releases the files. Calls that are running go on; later ones raise."""
        self._reader.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __fspath__(self) -> str:
        """The directory: an index can be given where a path of one is taken, as to :class:`Run`."""
        return self.path

    def __reduce__(self) -> tuple[type[Index], tuple[str]]:
        return Index, (self.path,)

    def __repr__(self) -> str:
        return f"<lookalike.Index: {self.path}>"


def _columns(settings: Settings, columns: dict[str, Any]) -> tuple[Settings, list[str]]:
    unknown = sorted(set(columns) - set(COLUMNS))
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no argument, and no name of a column: {', '.join(COLUMNS)}")
    return settings.replace(**columns), list(columns.values())


def _limits(threads: int | None, progress: Progress, max_pairs: int | None) -> Options:
    return options(threads=threads, memory=None, scratch=None, progress=progress, max_pairs=max_pairs)
