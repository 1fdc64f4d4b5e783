"""A client of the service that ``lookalike serve`` starts; the standard library is all it needs.

>>> from lookalike.client import Client
>>> client = Client("http://127.0.0.1:7070")                                    # doctest: +SKIP
>>> client.put("doc-17", {"text": "a document"}, unless_duplicate=0.8)          # doctest: +SKIP
{'outcome': 'added', 'commit': 12}
>>> client.query(text="a document, or nearly")["matches"][0]["id"]              # doctest: +SKIP
'doc-17'

Questions and answers are the JSON of the service, as ``/openapi.json`` describes it.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from lookalike._errors import LookalikeError

_JSON, _LINES, _MESSAGE = "application/json", "application/x-ndjson", "message/rfc822"

# How often a cluster is read again that changed between its parts.
_TRIES = 10

# Seconds at most before a request is sent again.
_LONGEST_PAUSE = 60.0

# Connections that were idle for longer are not used again: the service closes them.
_IDLE = 5.0

# What passes: more questions than are answered at the same time, a commit that is being made.
_PASSING = (429, 503)


class ServiceError(LookalikeError):
    """A request that the service refused, or could not answer.

    Attributes
    ----------
    status : int
        The status of the answer.
    code : str
        A stable name of the failure: ``"no_such_document"``, ``"deadline"``, ``"scope"``, …
    """

    def __init__(self, message: str, code: str = "failed", status: int = 0) -> None:
        super().__init__(message, code)
        self.status = status

    def __reduce__(self) -> tuple[type[ServiceError], tuple[str, str, int]]:  # type: ignore[override]
        return type(self), (str(self), self.code, self.status)


class Client:
    """A client of a service; may be used by many threads, each of which has a connection of its own.

    Parameters
    ----------
    url : str
        Where the service is: ``http://HOST:PORT`` or ``https://HOST:PORT``, perhaps with a path before the service's.
    token : str, optional
        The token, if the service asks for one.
    deadline : float, optional
        Seconds that an answer may take; the service's own (one second) if it is left out.
    retries : int
        How often a request is sent again that the service was too busy for (429, 503), after the time that it names.
    timeout : float
        Seconds without a byte after which a connection is given up.
    context : ssl.SSLContext, optional
        Which certificates are trusted; those of the system if it is left out.

    Raises
    ------
    ServiceError
        By each method, with the problem that the service names. OSError where it cannot be reached.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        deadline: float | None = None,
        retries: int = 3,
        timeout: float = 60.0,
        context: ssl.SSLContext | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address of a service: http://HOST:PORT or https://HOST:PORT")
        if retries < 0 or (deadline is not None and not 0 < deadline <= 600):
            raise ValueError("retries is 0 or more, and deadline a number of seconds up to 600")
        self._parts, self._context = parts, context
        self._retries, self._timeout = retries, timeout
        self._head = {"authorization": f"Bearer {token}"} if token else {}
        if deadline is not None:
            self._head["deadline-ms"] = str(max(1, round(deadline * 1000)))
        self._own = threading.local()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection of this thread; those of others are closed with their threads."""
        connection: HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()

    # Questions.

    def query(self, **question: Any) -> Any:
        """The documents that a question finds: ``text``, ``id``, ``url`` or ``cluster``, and perhaps ``ask``, ``threshold``,
        ``limit``, ``site``, ``since``, ``before``, ``sweep``, ``kept``, ``passages``."""
        return self._json("POST", "/v1/query", question)

    def query_all(self, questions: Iterable[Mapping[str, Any]], batch: int = 100) -> Iterator[Any]:
        """The answers to many questions, in their order; a bad question is answered by its ``problem``."""
        for part in _parts(questions, batch):
            yield from self._json("POST", "/v1/query/batch", part)

    def document(self, id: str) -> Any:
        """A stored document."""
        return self._json("GET", _path("documents", id))

    def cluster(self, id: str) -> Iterator[Any]:
        """The documents of the cluster of a document, the kept one among them, all of one commit."""
        for _ in range(_TRIES):
            try:
                return iter(self._cluster(id))
            except ServiceError as error:
                if error.code != "changed":
                    raise
        raise ServiceError("the index changes faster than the cluster is read; try again", "changed", 409)

    def _cluster(self, id: str) -> list[Any]:
        part = self._json("GET", _path("clusters", id))
        members: list[Any] = part["members"]
        while len(members) < part["size"] and part["members"]:
            part = self._json("GET", _path("clusters", id, {"from": len(members), "commit": part["commit"]}))
            members += part["members"]
        return members

    def explain(self, id: str, other: str) -> Any:
        """How two stored documents compare: measures, passages in common, differences."""
        return self._json("GET", _path("documents", id, "explain", {"other": other}))

    def collapse(self, items: Iterable[Mapping[str, str]], **settings: Any) -> Any:
        """The groups of a ranked list of up to 1,000 ids or texts: near-duplicates behind the first of them."""
        return self._json("POST", "/v1/collapse", {"items": list(items), **settings})["groups"]

    def stats(self) -> Any:
        """Figures of the index."""
        return self._json("GET", "/v1/stats")

    # Changes.

    def put(
        self,
        id: str,
        document: Mapping[str, Any],
        *,
        unless_duplicate: float | str | None = None,
        only_new: bool = False,
        sweep: str | None = None,
        date: str | None = None,
    ) -> Any:
        """Adds or replaces a document, durably. ``outcome`` says which, or that it is a ``duplicate`` of another one; with
        `only_new`, one that is there is an error (412)."""
        query = {"unless_duplicate": unless_duplicate, "sweep": sweep, "date": date}
        head = {"if-none-match": "*"} if only_new else {}
        return self._json("PUT", _path("documents", id, query), document, head)

    def delete(self, id: str) -> Any:
        """Deletes a document, durably."""
        return self._json("DELETE", _path("documents", id))

    def add(
        self,
        documents: Iterable[Mapping[str, Any]],
        *,
        unless_duplicate: float | str | None = None,
        only_new: bool = False,
        sweep: str | None = None,
        date: str | None = None,
        answers: str = "all",
    ) -> Iterator[Any]:
        """Adds a stream of documents of any length, each with an ``id``, and gives an answer for each when it is durable, and the
        counts at the end. With ``answers="problems"``, those of documents that were added or replaced are left out.

        Documents are read no faster than they are made durable. The answers have to be read: `for answer in client.add(…)`.
        """
        query = {"unless_duplicate": unless_duplicate, "only_new": "true" if only_new else None, "sweep": sweep, "date": date}
        path = _path("documents", {**query, "answers": answers})
        # Of its own, as it is used in both directions at once.
        connection = self._connect()
        failed: list[BaseException] = []
        over = threading.Event()

        def send() -> None:
            try:
                for document in documents:
                    line = _encoded(document) + b"\n"
                    if over.is_set():
                        return
                    connection.send(b"%x\r\n%s\r\n" % (len(line), line))
                connection.send(b"0\r\n\r\n")
            except (OSError, HTTPException):
                # The service has ended the stream; its answer says why.
                pass
            except BaseException as error:  # noqa: BLE001: raised where the answers are read
                failed.append(error)
                with suppress(OSError, HTTPException):
                    # No chunk begins so: the service ends the stream, with what it has.
                    connection.send(b"!\r\n")

        try:
            connection.putrequest("POST", self._parts.path.rstrip("/") + path)
            for name, value in {**self._head, "content-type": _LINES, "transfer-encoding": "chunked"}.items():
                connection.putheader(name, value)
            connection.endheaders()
            # What is sent after the end must not begin another request.
            connection.auto_open = 0
            sender = threading.Thread(target=send, daemon=True)
            sender.start()
            try:
                response = connection.getresponse()
                if response.status != 200:
                    raise _problem(response.status, response.read())
                for line in response:
                    yield json.loads(line)
            except (OSError, HTTPException):
                if not failed:
                    raise
            if failed:
                raise failed[0]
            sender.join()
        finally:
            over.set()
            connection.close()

    # Sweeps of a crawl.

    def sweeps(self) -> Any:
        """The sweeps, with their numbers of documents."""
        return self._json("GET", "/v1/sweeps")["sweeps"]

    def add_sweep(self, name: str, date: str | None = None) -> Any:
        """Enters a sweep."""
        return self._json("PUT", _path("sweeps", name, {"date": date}))

    def remove_sweep(self, name: str) -> Any:
        """Removes a sweep and its documents."""
        return self._json("DELETE", _path("sweeps", name))

    def diff(self, earlier: str, later: str, **settings: Any) -> tuple[dict[str, int], list[Any]]:
        """What became of every page from one sweep to another: the numbers of pages, and those that changed."""
        lines = self._send("GET", _path("sweeps", earlier, "diff", later, settings)).splitlines()
        *pages, counts = [_decoded(line) for line in lines] or [_decoded(b"")]
        return counts["counts"], pages

    def history(self, url: str) -> Any:
        """The versions of a page in all sweeps."""
        return self._json("GET", _path("urls", url, "history"))["versions"]

    def holders(self, url: str, threshold: float | str | None = None) -> Any:
        """Sites with documents that contain a page."""
        return self._json("GET", _path("urls", url, "holders", {"threshold": threshold}))["holders"]

    def site_history(self, site: str | None = None) -> Any:
        """How the pages of a site, or of all sites, changed from sweep to sweep."""
        return self._json("GET", _path("history", {"site": site}))["sweeps"]

    def revisit(self, site: str | None = None, limit: int | None = None) -> Any:
        """Pages in the order in which to visit them again."""
        return self._json("GET", _path("revisit", {"site": site, "limit": limit}))["pages"]

    # The filter of messages.

    def filter(self, message: bytes | str) -> Any:
        """The verdict on a mail message (bytes), or on a text."""
        return self._json("POST", "/v1/filter", *_message(message))

    def report(self, message: bytes | str, report: str, reporter: str) -> Any:
        """Reports a message as ``"spam"`` or ``"ham"``, or takes that back (``"revoke"``)."""
        return self._json("POST", _path("reports", {"report": report, "reporter": reporter}), *_message(message))

    # The connection.

    def _connect(self) -> HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return HTTPSConnection(host, port, timeout=self._timeout, context=self._context)
        return HTTPConnection(host, port, timeout=self._timeout)

    def _json(self, method: str, path: str, body: Any = None, head: Mapping[str, str] | None = None) -> Any:
        return _decoded(self._send(method, path, body, head))

    def _send(self, method: str, path: str, body: Any = None, head: Mapping[str, str] | None = None) -> bytes:
        given = {**self._head, **(head or {})}
        if body is not None and not isinstance(body, bytes):
            body = _encoded(body)
            given["content-type"] = _JSON
        for attempt in range(self._retries + 1):
            response, answer = self._once(method, path, body, given)
            if 200 <= response.status < 300:
                return answer
            if response.status not in _PASSING or attempt == self._retries:
                raise _problem(response.status, answer)
            time.sleep(_pause(response.headers.get("retry-after")))
        raise AssertionError("a request is sent at least once")

    def _once(self, method: str, path: str, body: bytes | None, head: Mapping[str, str]) -> tuple[HTTPResponse, bytes]:
        own = self._own
        connection = getattr(own, "connection", None)
        is_used = connection is not None and time.monotonic() - own.used <= _IDLE
        if connection is None or not is_used:
            self.close()
            connection = own.connection = self._connect()
        try:
            try:
                connection.request(method, self._parts.path.rstrip("/") + path, body, dict(head))
            except OSError:
                # The service may have refused it before it was sent.
                if connection.sock is None:
                    raise
            response = connection.getresponse()
            answer = response.read()
        except BaseException as error:
            # It may be in the middle of an answer.
            connection.close()
            own.connection = None
            if is_used and isinstance(error, (ConnectionError, HTTPException)):
                # The service, or a proxy, has closed it meanwhile. All requests may be sent again.
                return self._once(method, path, body, head)
            raise
        own.used = time.monotonic()
        return response, answer


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def _decoded(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except ValueError:
        raise ServiceError(f"this is no answer of the service: {answer[:200].decode(errors='replace')}", "no_service") from None


def _pause(retry_after: str | None) -> float:
    """Seconds before a request is sent again."""
    try:
        return min(max(float(retry_after or 1), 0.0), _LONGEST_PAUSE)
    except ValueError:
        # A date.
        return 1.0


def _path(*parts: str | Mapping[str, Any]) -> str:
    """A path of names, with the parameters that are given."""
    if wrong := [part for part in parts if not isinstance(part, (str, Mapping))]:
        raise TypeError(f"a name is a str, and not {wrong[0]!r}")
    names = [quote(part, safe="") for part in parts if isinstance(part, str)]
    given = {name: value for part in parts if isinstance(part, Mapping) for name, value in part.items() if value is not None}
    return "/v1/" + "/".join(names) + (f"?{urlencode(given)}" if given else "")


def _parts(items: Iterable[Mapping[str, Any]], size: int) -> Iterator[list[Mapping[str, Any]]]:
    part: list[Mapping[str, Any]] = []
    for item in items:
        part.append(item)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def _message(message: bytes | str) -> tuple[Any, dict[str, str]]:
    if isinstance(message, bytes):
        return message, {"content-type": _MESSAGE}
    return {"text": message}, {}


def _problem(status: int, answer: bytes) -> ServiceError:
    try:
        problem = json.loads(answer)
        return ServiceError(str(problem["detail"]), str(problem["code"]), status)
    except (ValueError, KeyError, TypeError):
        # Of a proxy in front of the service.
        return ServiceError(f"status {status}: {answer[:200].decode(errors='replace')}", "failed", status)
