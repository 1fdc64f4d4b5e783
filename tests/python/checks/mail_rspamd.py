"""rspamd: its module asks the service, and rspamc and its proxy ask the service in its place."""
import json
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

from checks.harness import Checks, HERE, until
from checks.mail_programs import PATH, can_run, free_port, listens, open_folder, postfix
from checks.mail_servers import verdict_of
from checks.milter import OFFER, OTHER, created, mail, reported
from checks.service import serving

MODULE = HERE.parent.parent / "packaging" / "rspamd" / "lookalike.lua"
# What rspamd reads: only what is used here.
SETTINGS = """options {{ pidfile = "{folder}/rspamd.pid"; filters = []; cache_file = "{folder}/symcache"; dns {{ nameserver = ["127.0.0.1:9"]; timeout = 0.1s; }} }}
logging {{ type = "file"; filename = "{folder}/log"; level = "info"; }}
modules {{ path = "{folder}/plugins"; }}
actions {{ reject = 15; add_header = 6; greylist = null; }}
{more}
"""
WORKER = 'worker "normal" {{ bind_socket = "127.0.0.1:{port}"; count = 1; }}\n'
PROXY = """worker "rspamd_proxy" {{
  bind_socket = "127.0.0.1:{port}"; count = 1; milter = yes; timeout = 60s;
  upstream "local" {{ default = yes; hosts = "127.0.0.1:{upstream}"; compression = no; }}
}}
"""


def rspamc(port: int, raw: bytes, *options: str) -> subprocess.CompletedProcess:
    command = ["rspamc", "-h", f"127.0.0.1:{port}", "-t", "60", *options]
    return subprocess.run(command, input=raw, capture_output=True, timeout=120)


def checked(port: int, raw: bytes, *options: str) -> dict:
    done = rspamc(port, raw, "--json", *options)
    try:
        return json.loads(done.stdout[done.stdout.index(b"{"):])
    except ValueError:
        return {"problem": (done.stdout + done.stderr).decode(errors="replace")}


@contextmanager
def rspamd(port: int, more: str):
    """Starts rspamd with settings of its own, and the module of packaging/."""
    with open_folder() as folder:
        (folder / "plugins").mkdir()
        shutil.copy(MODULE, folder / "plugins")
        path = folder / "rspamd.conf"
        path.write_text(SETTINGS.format(folder=folder, more=more))
        folder.chmod(0o777)
        command = ["rspamd", "-f", "-u", "_rspamd", "-g", "_rspamd", "-c", str(path)]
        with open(folder / "started", "wb") as out:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={**os.environ, "PATH": PATH})
            try:
                if not until(lambda: listens(port) or process.poll() is not None) or process.poll() is not None:
                    log = folder / "log"
                    raise AssertionError((folder / "started").read_text() + (log.read_text() if log.exists() else ""))
                yield folder
            finally:
                process.terminate()
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    process.kill()


def mail_rspamd(c: Checks) -> None:
    if not can_run(c, "rspamd"):
        return
    index = created(c, "rspamd.index")
    reported(c, index, "spam", mail("offer", OFFER))
    reported(c, index, "spam", mail("few", OFFER[::-1]), ("ann",))
    reported(c, index, "ham", mail("legitimate", OTHER), ("ann",))
    with serving(c, index, "--read-only") as service:
        as_rspamd(c, index, service.port)
        behind_the_proxy(c, service.port)
        asked_by_rspamd(c, service.port)
    without_the_service(c)


MESSAGES = (("offer", OFFER, "SPAM"), ("few", OFFER[::-1], "UNSURE"), ("legitimate", OTHER, "HAM"), ("lunch", "shall we meet at noon", None))
PATIENT = ("--header", "deadline-ms=60000")


def as_rspamd(c: Checks, index: Path, port: int) -> None:
    """rspamc takes the service for rspamd."""
    for name, text, kind in MESSAGES:
        raw = mail(name, text).encode()
        answer = checked(port, raw, *PATIENT)
        symbols = {f"LOOKALIKE_{kind}"} if kind else set()
        c.check(f"rspamc: {name}: its symbol", set(answer.get("symbols", {"?"})) == symbols, answer)
        action, score = ("add header", 6) if kind == "SPAM" else ("no action", 0)
        c.check(f"rspamc: {name}: its action", (answer.get("action"), answer.get("score"), answer.get("message-id")) == (action, score, f"{name}@example.org"), answer)
        done = c.run("filter", "--prototypes", index, "--header", stdin=raw.decode())
        value = done.stdout.splitlines()[0].removeprefix("X-Lookalike: ")
        c.check(f"rspamc: {name}: the value of the command", answer["milter"]["add_headers"]["X-Lookalike"]["value"] == value, (answer, value))
        if kind:
            c.check(f"rspamc: {name}: its options", answer["symbols"][f"LOOKALIKE_{kind}"]["options"] == value.split("; ")[1:], answer)
    said = rspamc(port, mail("offer", OFFER).encode(), *PATIENT).stdout.decode()
    wanted = ("Action: add header", "Spam: true", "Score: 6.00 / 6.00", "Symbol: LOOKALIKE_SPAM (6.00)", "match=offer@example.org")
    c.check("rspamc: prints it", all(part in said for part in wanted), said)
    marked = rspamc(port, mail("offer", OFFER).encode(), "--mime", *PATIENT).stdout
    c.check("rspamc: marks the message", b"X-Spam" in marked and marked.endswith(OFFER.encode() + b"\n"), marked[:500])
    for name, raw in (("no message", b"hello"), ("bytes", bytes(range(256)) * 100), ("long", b"Subject: a\n\n" + b"a word " * 2_000_000)):
        answer = checked(port, raw, *PATIENT)
        c.check(f"rspamc: {name}: nothing is done", answer.get("action") == "no action", answer)
    answer = checked(port, mail("offer", OFFER).encode(), "-z")
    c.check("rspamc: what is compressed is refused", "symbols" not in answer, answer)


def behind_the_proxy(c: Checks, service: int) -> None:
    """Postfix asks rspamd's proxy, and that the service."""
    port = free_port()
    with rspamd(port, PROXY.format(port=port, upstream=service)) as folder, postfix(smtpd_milters=f"inet:127.0.0.1:{port}", milter_content_timeout="60s") as server:
        forged = b"X-Lookalike: ham\n" + mail("offer", OFFER).encode()
        # The time for an answer is that of the service.
        found = until(lambda: (raw := server.delivered(forged)) and verdict_of(raw).startswith("spam") and raw)
        c.check("proxy: spam is marked, and delivered", found, server.log() + (folder / "log").read_text()[-2000:])
        found = until(lambda: verdict_of(server.delivered(mail("lunch", "shall we meet at noon").encode())) == "none")
        c.check("proxy: other mail as well", found, server.log())


def asked_by_rspamd(c: Checks, service: int) -> None:
    """The module of packaging/ asks the service."""
    port = free_port()
    section = f'lookalike {{ url = "http://127.0.0.1:{service}/v1/filter"; timeout = 60; max_size = 100000; }}\n'
    with rspamd(port, WORKER.format(port=port) + section) as folder:
        for name, text, kind in MESSAGES:
            answer = checked(port, mail(name, text).encode())
            found = {symbol: one["score"] for symbol, one in answer.get("symbols", {}).items() if symbol.startswith("LOOKALIKE")}
            wanted = {f"LOOKALIKE_{kind}": 6 if kind == "SPAM" else 0} if kind else {}
            c.check(f"module: {name}: its symbol", found == wanted and answer.get("action") == ("add header" if kind == "SPAM" else "no action"), (answer, (folder / "log").read_text()[-2000:]))
            if kind:
                first = answer["symbols"].get(f"LOOKALIKE_{kind}", {}).get("options", [""])[0]
                c.check(f"module: {name}: its options", first == f"match={name}@example.org", answer)
        answer = checked(port, b"Subject: a\n\n" + OFFER.encode() + b" a" * 60_000)
        c.check("module: a long message is not asked about", "action" in answer and not [name for name in answer["symbols"] if name.startswith("LOOKALIKE")], answer)


def without_the_service(c: Checks) -> None:
    """rspamd goes on without symbols."""
    port, closed = free_port(), free_port()
    section = f'lookalike {{ url = "http://127.0.0.1:{closed}/v1/filter"; timeout = 1; }}\n'
    with rspamd(port, WORKER.format(port=port) + section) as folder:
        answer = checked(port, mail("offer", OFFER).encode())
        c.check("module: without the service", answer.get("action") == "no action" and not answer["symbols"], answer)
        c.check("module: says so in the log", "lookalike: no verdict" in (folder / "log").read_text(), (folder / "log").read_text()[-1000:])
