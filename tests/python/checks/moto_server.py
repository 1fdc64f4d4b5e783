"""An S3 server on the loopback interface: moto, in a virtual environment of its own below out/."""
import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
from contextlib import contextmanager
from pathlib import Path

from checks.harness import HERE, Checks

ENVIRONMENT = HERE.parent.parent / "out/moto"
REQUIREMENT = "moto[server]==5.2.5"


class Bucket:
    """Objects of one bucket, by requests of the standard library."""

    def __init__(self, port: int, name: str):
        self.port, self.name = port, name
        self.ask("PUT", "")

    def ask(self, method: str, key: str, body: bytes | None = None, query: str = "", **more: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        # Names the service; moto does not verify it.
        signature = "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
        connection.request(method, f"/{self.name}/{urllib.parse.quote(key)}{query}", body, {"Authorization": signature, **more})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def put(self, key: str, content: bytes, **more: str) -> None:
        status, said = self.ask("PUT", key, content, **more)
        assert status == 200, said

    def put_tree(self, folder: Path, prefix: str) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.put(f"{prefix}/{path.relative_to(folder)}", path.read_bytes())

    def keys(self, prefix: str = "") -> list:
        found, after = [], ""
        while True:
            query = f"?list-type=2&prefix={urllib.parse.quote(prefix)}{after}"
            said = self.ask("GET", "", query=query)[1].decode()
            found += [urllib.parse.unquote(key) for key in re.findall(r"<Key>(.*?)</Key>", said)]
            token = re.search(r"<NextContinuationToken>(.*?)</NextContinuationToken>", said)
            if not token:
                return found
            after = f"&continuation-token={urllib.parse.quote(token[1])}"

    def uploads(self) -> int:
        return self.ask("GET", "", query="?uploads")[1].decode().count("<UploadId>")

    def get_tree(self, prefix: str, folder: Path) -> Path:
        for key in self.keys(prefix + "/"):
            path = folder / key.removeprefix(prefix + "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.ask("GET", key)[1])
        return folder


def installed() -> Path | None:
    """The interpreter of the environment; None if it cannot be made."""
    python = ENVIRONMENT / "bin/python"
    done = ENVIRONMENT / "installed"
    if done.is_file() and done.read_text() == REQUIREMENT:
        return python
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", ENVIRONMENT],
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", REQUIREMENT],
    ):
        if subprocess.run([str(part) for part in command]).returncode:
            return None
    done.write_text(REQUIREMENT)
    return python


@contextmanager
def moto():
    """The port of a running server, with no objects; None if there is none."""
    python = installed()
    if python is None:
        yield None
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(python), "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


def is_missing(c: Checks, part: str, port: int | None) -> bool:
    """Whether there is no server: then a part of the checks is skipped, and fails where CI is set."""
    if port is None:
        print(f"SKIPPED: {part}: moto cannot be installed", flush=True)
        c.check(f"{part}: moto is installed where CI is set", not os.environ.get("CI"))
    return port is None


def environment(url: str) -> dict:
    """Variables with which the command asks this server."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return variables | {
        "AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1",
        # No machine of a cloud: nothing outside of this one is asked.
        "AWS_METADATA_ENDPOINT": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
    }
