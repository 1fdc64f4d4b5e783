"""The service over TLS, and files that change while it runs: certificates and tokens.

The certificates are self-signed, for 127.0.0.1, and made for these tests alone:
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj "/CN=first of the tests" \
    -addext "subjectAltName=IP:127.0.0.1,DNS:localhost" -keyout first.key -out first.crt
"""
import hashlib
import shutil
import socket
import ssl
from pathlib import Path

from checks.harness import HERE, Checks, until
from checks.service import created, serving

CERTIFICATES = HERE / "checks" / "certificates"


def copied(name: str, to: Path) -> list:
    """A certificate and its key under the names that the service was given."""
    for kind in ("crt", "key"):
        # In one step, as tools that renew certificates do.
        part = to / f"service.{kind}.part"
        shutil.copyfile(CERTIFICATES / f"{name}.{kind}", part)
        part.replace(to / f"service.{kind}")
    return [to / "service.crt", to / "service.key"]


def answered_with(port: int, name: str) -> bool:
    """Whether the service shows this certificate, and answers."""
    trust = ssl.create_default_context(cafile=CERTIFICATES / f"{name}.crt")
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as plain, trust.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
            secure.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            return secure.recv(1000).startswith(b"HTTP/1.1 200")
    except ssl.SSLCertVerificationError:
        return False


def service_tls(c: Checks) -> None:
    index, folder = created(c, "tls.index"), c.work / "tls"
    folder.mkdir()
    files = copied("first", folder)
    with serving(c, index, "--tls", *files) as service:
        c.check("tls: answers", answered_with(service.port, "first"))
        c.check("tls: with its own certificate only", not answered_with(service.port, "second"))
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            trust = ssl.create_default_context(cafile=CERTIFICATES / "first.crt")
            trust.minimum_version = trust.maximum_version = version
            with service.connect() as plain, trust.wrap_socket(plain, server_hostname="localhost") as secure:
                c.check(f"tls: {version.name}", secure.version() == version.name.replace("_", ".", 1).replace("1_", "1."), secure.version())
        for garbage in (b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n", b"\0" * 100, b"\x16\x03\x01\xff\xff" + b"\1" * 70_000):
            with service.connect() as plain:
                try:
                    plain.sendall(garbage)
                    answer = plain.recv(1000)
                except (BrokenPipeError, ConnectionResetError):
                    answer = b""
                c.check(f"tls: no HTTP in the clear {garbage[:10]!r}", not answer.startswith(b"HTTP"), answer)
        with service.connect() as silent:
            # It says nothing, and is closed after the time for a head.
            c.check("tls: a silent client is closed", silent.recv(1000) == b"")
        with service.connect():
            copied("second", folder)
            c.check("tls: a new certificate is used", until(lambda: answered_with(service.port, "second")))
        (folder / "service.crt").write_text("-----BEGIN CERTIFICATE-----\nhalf of i")
        c.check("tls: a broken one is told", until(lambda: any("service.crt" in line and "is used until" in line for line in service.said)), service.said)
        c.check("tls: and the last one stays", answered_with(service.port, "second"))
        copied("first", folder)
        c.check("tls: and the mended one is used", until(lambda: answered_with(service.port, "first")))
    (folder / "none.pem").write_text("nothing\n")
    for name, pair, told in (("a key of another", [CERTIFICATES / "first.crt", CERTIFICATES / "second.key"], "first.crt and"),
                             ("no certificate", [folder / "none.pem", CERTIFICATES / "first.key"], "none.pem"),
                             ("no key", [CERTIFICATES / "first.crt", folder / "none.pem"], "the key"),
                             ("no file", [folder / "missing.pem", CERTIFICATES / "first.key"], "missing.pem")):
        done = c.run("serve", index, "--listen", "127.0.0.1:0", "--tls", *pair)
        c.check(f"tls: {name} is refused", done.returncode != 0 and told in done.stderr and "panic" not in done.stderr, done.stderr)


def service_tokens(c: Checks) -> None:
    """A file of tokens that changes."""
    index, tokens = created(c, "changed-tokens.index"), c.work / "changed-tokens.txt"

    def line(token: str, scopes: str) -> str:
        return f"{hashlib.sha256(token.encode()).hexdigest()} {scopes} {token}\n"

    tokens.write_text(line("old", "read"))
    with serving(c, index, "--tokens", tokens) as service:
        def status(token: str) -> int:
            return service.ask("GET", "/v1/stats", None, {"authorization": f"Bearer {token}"})[0]

        c.check("changed tokens: as it starts", (status("old"), status("new")) == (200, 401))
        tokens.write_text(line("new", "read"))
        c.check("changed tokens: the new one is known", until(lambda: status("new") == 200))
        c.check("changed tokens: the old one is not", status("old") == 401)
        tokens.write_text("# nothing\n")
        c.check("changed tokens: an empty file is told", until(lambda: any("no token in it" in line for line in service.said)), service.said)
        c.check("changed tokens: and changes nothing", (status("new"), status("other")) == (200, 401))
        tokens.write_text(line("new", "write"))
        c.check("changed tokens: scopes change", until(lambda: status("new") == 403))
