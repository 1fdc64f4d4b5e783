"""Web servers on the loopback interface that misbehave as told, for the checks of inputs by URL."""
import http.client
import threading
import time
import urllib.parse
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SLOW = 0.05


class Files(BaseHTTPRequestHandler):
    """Serves `server.files`. The first part of the path says how: /ranges/NAME, /whole/NAME, ..."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def plain(self, status: int, content: bytes = b"", **headers) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Transfer_Encoding" not in headers:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def do_GET(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        how, _, name = urllib.parse.unquote(url.path).lstrip("/").partition("/")
        content = self.server.files.get(name)
        span = self.headers.get("Range")
        with self.server.lock:
            times = self.server.asked[self.path, span] = self.server.asked.get((self.path, span), 0) + 1
            every = self.server.asked[how] = self.server.asked.get(how, 0) + 1
        if how == "denied":
            return self.plain(403)
        if how == "broken":
            return self.plain(503)
        if content is None or how == "missing":
            return self.plain(404)
        if how == "signed" and url.query != "sig=a%2Fb":
            return self.plain(403)
        if how == "busy" and times <= 2:
            return self.plain(503)
        if how == "chunked":
            self.plain(200, Transfer_Encoding="chunked")
            for at in range(0, len(content), 100_000):
                piece = content[at:at + 100_000]
                if times == 1 and at >= len(content) // 2:
                    self.close_connection = True
                    return None
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            return self.wfile.write(b"0\r\n\r\n")
        tag = f'"{len(content)}-{every > 3 if how == "changing" else 0}"'
        if span is None or how in ("whole", "cutwhole"):
            if how == "cutwhole" and times == 1:
                return self.cut(200, content, {"ETag": tag})
            return self.plain(200, content, ETag=tag)
        first, _, last = span.removeprefix("bytes=").partition("-")
        first, last = int(first), min(int(last or len(content)), len(content) - 1)
        if first > last:
            return self.plain(416)
        part = content[first:last + 1]
        headers = {"Content-Range": f"bytes {first}-{last}/{len(content)}"}
        if how != "untagged":
            headers["ETag"] = tag
        if how in ("cut", "untagged") and times == 1 or how == "short" and last - first > 1:
            return self.cut(206, part, headers)
        if how == "wrong" and last > 1:
            part = part[:-1]
        return self.plain(206, part, **headers)

    def do_HEAD(self) -> None:
        self.plain(405)

    def cut(self, status: int, content: bytes, headers: dict) -> None:
        """Sends half of what was announced and closes the connection."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[:len(content) // 2])
        self.close_connection = True


class Elsewhere(Files):
    """A store that sends every request to `server.elsewhere`, or whose listing has no end; a web server whose files have moved."""

    def do_GET(self) -> None:
        self.server.seen.append(dict(self.headers))
        url = urllib.parse.urlsplit(self.path)
        if "list-type" in url.query:
            key = "<Contents><Key>a/one.jsonl</Key><Size>9</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
            page = f"<ListBucketResult><Name>docs</Name><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>{key}</ListBucketResult>"
            return self.plain(200, page.encode(), Content_Type="application/xml")
        if self.server.elsewhere and url.path.startswith("/ranges/"):
            return self.plain(302, Location=f"{self.server.elsewhere}{url.path}")
        return super().do_GET()

    do_HEAD = do_GET


class Proxy(BaseHTTPRequestHandler):
    """Passes requests on to `server.target`, except for those that `server.fault` answers."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def passed_on(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = urllib.parse.unquote(self.path)
        with self.server.lock:
            self.server.seen.append((self.command, path))
            fault = self.server.fault(self.command, path, len(self.server.seen)) if self.server.fault else None
        if isinstance(fault, float):
            time.sleep(fault)
            fault = None
        if isinstance(fault, tuple):
            status, content = fault
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            return self.wfile.write(content)
        target = http.client.HTTPConnection(*self.server.target, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        target.request(self.command, self.path, body=body, headers=headers)
        answer = target.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "server", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", answer.getheader("Content-Length") or str(len(content)))
        self.end_headers()
        if fault == "cut":
            content = content[:len(content) // 2]
            self.close_connection = True
        return self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = passed_on


def faults_on(part: str, fault, every: int = 1, first: int = 0):
    """A function for `fault` of a :class:`Proxy`: it answers GET requests whose path contains `part`, after the `first`
    ones; with `every`, of the requests for each path only every N-th."""
    asked: Counter = Counter()

    def fault_of(method: str, path: str, _: int):
        if method != "GET" or part not in path:
            return None
        # Requests of several threads come in any order: counted by object, none meets a fault again and again.
        asked[path] += 1
        return fault if asked.total() > first and asked[path] % every == 0 else None

    return fault_of


class Server(ThreadingHTTPServer):
    """Clients that go away are no errors."""

    daemon_threads = True

    def handle_error(self, *_):
        pass


@contextmanager
def serving(handler: type, **attributes):
    """A server on a free port; gives it with `url`."""
    server = Server(("127.0.0.1", 0), handler)
    server.lock, server.asked, server.seen = threading.Lock(), {}, []
    for name, value in attributes.items():
        setattr(server, name, value)
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
