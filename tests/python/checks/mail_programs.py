"""Mail servers of the system, with configurations and directories of their own."""
import contextlib
import functools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from checks.harness import Checks, HERE, until

PROGRAMS = ("postfix", "rspamd", "rspamc", "swaks", "miltertest", "procmail", "maildrop", "sieve-test")
# Postfix is not in the path of every user.
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))


@functools.cache
def missing() -> tuple:
    """The programs that are not there, after what can be installed was."""
    absent = lambda: tuple(name for name in PROGRAMS if not shutil.which(name, path=PATH))  # noqa: E731
    if absent() and os.getuid() == 0 and shutil.which("apt-get"):
        done = subprocess.run([HERE.parent / "mail_programs.sh"], capture_output=True, text=True)
        if done.returncode:
            print(f"   mail servers: {done.stderr.strip()[-500:]}", flush=True)
    return absent()


def can_run(c: Checks, part: str) -> bool:
    """Whether the programs are there, and the user may start them. Where CI is set, root has to have them."""
    is_root = os.getuid() == 0
    if absent := missing() or (() if is_root else ("the rights of root",)):
        print(f"   {part}: left out: {', '.join(absent)} (tests/mail_programs.sh)", flush=True)
        c.check(f"{part}: the programs are installed where CI is set", not (is_root and os.environ.get("CI")), absent)
        return False
    return True


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def open_folder():
    """A directory that the users of mail servers may enter."""
    folder = Path(tempfile.mkdtemp(prefix="lookalike-mail-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


MAIN = """compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/maillog
maillog_file_prefixes = {folder}
mail_owner = postfix
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.example.org
mydestination =
local_recipient_maps =
alias_maps =
alias_database =
mynetworks = 127.0.0.0/8
smtpd_recipient_restrictions = permit_mynetworks, reject
smtpd_client_connection_count_limit = 0
virtual_mailbox_domains = example.org
virtual_mailbox_maps = static:box/
virtual_mailbox_base = {folder}
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
message_size_limit = 20000000
milter_default_action = accept
milter_connect_timeout = 3s
milter_command_timeout = 3s
milter_content_timeout = 3s
"""

SERVICES = """127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
showq unix n - n - - showq
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


class Postfix:
    """A running Postfix, which delivers all mail for example.org into a Maildir."""

    def __init__(self, folder: Path, port: int):
        self.folder, self.port = folder, port
        self.new = folder / "box" / "new"

    def command(self, *arguments: str) -> subprocess.CompletedProcess:
        program, *rest = arguments
        command = [shutil.which(program, path=PATH), "-c", str(self.folder / "conf"), *rest]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": PATH})

    def send(self, data: bytes, *options: str) -> subprocess.CompletedProcess:
        """Hands over a message with swaks."""
        path = self.folder / "sent.eml"
        path.write_bytes(data)
        command = ["swaks", "--server", f"127.0.0.1:{self.port}", "--from", "a@example.net", "--to", "b@example.org", "--data", f"@{path}", *options]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)

    def delivered(self, data: bytes) -> bytes:
        """A message as it is delivered; empty if it is not."""
        before = set(self.new.glob("*"))
        sent = self.send(data)
        if sent.returncode:
            return b""
        found = until(lambda: set(self.new.glob("*")) - before)
        return found.pop().read_bytes() if found else b""

    def stop(self) -> None:
        """Ends the master, which is a child of what was started, and with it its other processes."""
        path = self.folder / "queue/pid/master.pid"
        number = int(path.read_text()) if path.is_file() else 0
        for signal_ in (signal.SIGTERM, signal.SIGKILL) if number else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal_)
            if until(lambda: not Path(f"/proc/{number}").exists(), 30):
                return

    def log(self) -> str:
        return (self.folder / "maillog").read_text(errors="replace")[-3000:]


@contextmanager
def postfix(**settings: str):
    """Starts Postfix; `settings` are of main.cf."""
    with open_folder() as folder:
        port = free_port()
        for name in ("conf", "queue", "data", "box"):
            (folder / name).mkdir()
        shutil.chown(folder / "data", "postfix")
        shutil.chown(folder / "box", 65534, 65534)
        more = "".join(f"{name} = {value}\n" for name, value in settings.items())
        (folder / "conf/main.cf").write_text(MAIN.format(folder=folder) + more)
        (folder / "conf/master.cf").write_text(SERVICES.format(port=port))
        server = Postfix(folder, port)
        command = [shutil.which("postfix", path=PATH), "-c", str(folder / "conf")]
        variables = {**os.environ, "PATH": PATH}
        with open(folder / "started", "wb") as out:
            process = subprocess.Popen([*command, "start-fg"], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=variables)
            try:
                if not until(lambda: listens(port) or process.poll() is not None) or process.poll() is not None:
                    raise AssertionError((folder / "started").read_text() + server.log())
                yield server
            finally:
                server.stop()
                process.terminate()
                process.wait(60)
