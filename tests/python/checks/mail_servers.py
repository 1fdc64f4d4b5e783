"""Real mail programs: Postfix and miltertest with the milter. They are installed where they are missing (tests/mail_programs.sh)."""
import json
import os
import random
import signal
import subprocess
from pathlib import Path

from checks.filter import words
from checks.harness import Checks, until
from checks.mail_programs import PATH, can_run, postfix
from checks.milter import OFFER, OTHER, created, mail, reported
from checks.milter_client import milter


def mail_servers(c: Checks) -> None:
    if not can_run(c, "mail servers"):
        return
    index = created(c, "servers.index")
    behind_postfix(c, index)
    spam_in_postfix(c, index)
    with_miltertest(c, index)


def split(raw: bytes) -> tuple:
    """Fields of a header without what the mail server adds, and the body."""
    header, _, body = raw.partition(b"\n\n")
    added = (b"Return-Path:", b"X-Original-To:", b"Delivered-To:", b"Received:", b"Message-Id:", b"Date:", b"From:", b"To:")
    fields = header.replace(b"\n ", b" ").replace(b"\n\t", b" ").split(b"\n")
    return [field for field in fields if not field.startswith(added)], body


def verdict_of(raw: bytes) -> str:
    """What the only field of ours says; the fields if there is another number."""
    ours = [field for field in split(raw)[0] if field.lower().startswith(b"x-lookalike:")]
    return ours[0].decode().removeprefix("X-Lookalike: ") if len(ours) == 1 else str(ours)


# Messages that a mail server passes on as they are, but for fields of ours.
ODD = {
    "no header": b"hello\n",
    "no body": b"Subject: a\n",
    "fields of ours": b"X-Lookalike: ham\nSubject: a\nX-LOOKALIKE: ham\n more\nX-Lookalike : ham\nX-Lookalike-Else: kept\n\nhello\n",
    "a long field": b"Subject: " + b"a " * 30_000 + b"\n\nhello\n",
    "many fields": b"".join(b"X-%d: a\n" % number for number in range(500)) + b"\nhello\n",
    "dots": b"Subject: a\n\n.\n..\n.a\n",
    "bytes": b"Subject: \xff\xfe a\nX-A: \x80\n\n" + bytes(byte for byte in range(1, 256) if byte not in (10, 13)) + b"\n",
    "a megabyte": b"Subject: a\n\n" + b"a word in a line of some words\n" * 33_000,
    "broken MIME": b"Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/plain; charset=nowhere\n\nhello\n",
}


def behind_postfix(c: Checks, index: Path) -> None:
    """The field is there, the rest is as it was; mail is delivered whatever happens to the milter."""
    offer = mail("offer", OFFER).encode()
    with milter(c, index, "--max-message", "3MB") as service:
        where = service.where
        with postfix(smtpd_milters=where) as server:
            for name, raw in ODD.items():
                found = server.delivered(raw)
                fields, body = split(found)
                c.check(f"postfix: {name}: has a verdict", verdict_of(found) in ("none", "error"), found[:500] or server.log())
                header, _, wanted = raw.partition(b"\n\n") if name != "no header" else (b"", b"", raw)
                if name not in ("bytes", "no body"):
                    c.check(f"postfix: {name}: the body is as it was", body.rstrip(b"\n") == wanted.rstrip(b"\n"), body[:300])
                kept = [field for field in fields if not field.lower().startswith(b"x-lookalike:")]
                if name in ("fields of ours", "many fields"):
                    c.check(f"postfix: {name}: the others are as they were", kept == [field for field in header.split(b"\n") if not field.lower().startswith((b"x-lookalike:", b"x-lookalike :", b" "))], kept)
            c.check("postfix: too long for a verdict", verdict_of(server.delivered(b"Subject: a\n\n" + b"a b\n" * 1_000_000)) == "error; reason=too-long")
            said = [verdict_of(server.delivered(offer)).split(";")[0]]
            for reporter in ("ann", "bob", "carl"):
                reported(c, index, "spam", mail("offer", OFFER), (reporter,))
                said.append(verdict_of(server.delivered(offer)).split(";")[0])
            c.check("postfix: reports count from the next message on", said == ["none", "unsure", "unsure", "spam"], said)
            service.process.send_signal(signal.SIGSTOP)
            c.check("postfix: delivers what a late milter does not answer", verdict_of(server.delivered(offer)) == "[]", server.log())
            service.process.send_signal(signal.SIGCONT)
            c.check("postfix: asks it again", until(lambda: verdict_of(server.delivered(offer)).startswith("spam")), server.log())
            service.process.kill()
            service.process.wait()
            c.check("postfix: delivers without the milter", verdict_of(server.delivered(offer)) == "[]", server.log())
            with milter(c, index, listen=where):
                c.check("postfix: finds it again", verdict_of(server.delivered(offer)).startswith("spam"), server.log())
    path = c.work / "postfix.sock"
    with milter(c, index, listen=f"unix:{path}"):
        # Its directory and the file are to be reached by Postfix.
        c.work.chmod(0o755)
        path.chmod(0o666)
        with postfix(smtpd_milters=f"unix:{path}") as server:
            c.check("postfix: by a socket of the file system", verdict_of(server.delivered(offer)).startswith("spam"), server.log())


def spam_in_postfix(c: Checks, index: Path) -> None:
    spam, other = mail("offer", OFFER).encode(), mail("other", OTHER).encode()
    with milter(c, index, "--reject") as service, postfix(smtpd_milters=service.where) as server:
        sent = server.send(spam)
        c.check("postfix: refuses spam if asked", sent.returncode != 0 and "550 5.7.1 This message matches" in sent.stdout, sent.stdout[-500:])
        c.check("postfix: and takes the rest", verdict_of(server.delivered(other)) == "none", server.log())
    with milter(c, index, "--quarantine") as service, postfix(smtpd_milters=service.where) as server:
        c.check("postfix: takes spam", server.send(spam).returncode == 0)
        queued = lambda: [json.loads(line) for line in server.command("postqueue", "-j").stdout.splitlines()]  # noqa: E731
        held = until(queued)
        c.check("postfix: puts spam on hold if asked", [one["queue_name"] for one in held] == ["hold"], held or server.log())
        name = held[0]["queue_id"] if held else "none"
        kept = server.command("postcat", "-q", name).stdout
        c.check("postfix: with its field", "X-Lookalike: spam; " in kept, kept[:500])
        c.check("postfix: and delivers the rest", verdict_of(server.delivered(other)) == "none" and len(queued()) == 1)
        server.command("postsuper", "-H", name)
        server.command("postqueue", "-f")
        c.check("postfix: delivers what is released", until(lambda: len(list(server.new.glob("*"))) == 2), server.log())


CONVERSATION = """
-- An error of a script is not printed.
raise = error
function error(what)
    mt.echo(what)
    raise(what)
end
function ask(done, what)
    if done ~= nil then error(what .. ": " .. done) end
end
function begin()
    local conn = mt.connect(SOCKET, 20, 0.1)
    if conn == nil then error "connects" end
    return conn
end
function header(conn, subject)
    ask(mt.mailfrom(conn, "<a@example.org>", "SIZE=10"), "mail")
    ask(mt.rcptto(conn, "<b@example.org>"), "rcpt")
    ask(mt.data(conn), "data")
    ask(mt.header(conn, "Subject", subject), "header")
end
function finish(conn, value, what)
    ask(mt.eom(conn), "end")
    if mt.getreply(conn) ~= SMFIR_CONTINUE then error(what .. ": reply " .. mt.getreply(conn)) end
    if not mt.eom_check(conn, MT_HDRINSERT, "X-Lookalike", value, 0) then error(what .. ": no field " .. value) end
    if mt.eom_check(conn, MT_BODYCHANGE) or mt.eom_check(conn, MT_QUARANTINE) then error(what .. ": more") end
end

-- Steps of its own, several messages, one that is given up.
conn = begin()
ask(mt.negotiate(conn, 6, nil, nil), "negotiates")
if not mt.test_action(conn, SMFIF_ADDHDRS) or not mt.test_action(conn, SMFIF_CHGHDRS) then error "actions" end
if mt.test_action(conn, SMFIF_QUARANTINE) or mt.test_action(conn, SMFIF_CHGBODY) then error "more actions" end
ask(mt.conninfo(conn, "client.example.org", "192.0.2.1"), "client")
ask(mt.macro(conn, SMFIC_CONNECT, "j", "mx.example.org"), "macro")
ask(mt.helo(conn, "client.example.org"), "helo")
ask(mt.unknown(conn, "XYZZY"), "unknown")
header(conn, "offer")
ask(mt.eoh(conn), "end of header")
ask(mt.bodystring(conn, OFFER), "body")
finish(conn, SPAM, "spam")
if mt.eom_check(conn, MT_HDRDELETE) then error "nothing to remove" end
header(conn, "other")
ask(mt.header(conn, "X-Lookalike", "ham"), "forged")
ask(mt.header(conn, "x-lookalike", ""), "forged")
ask(mt.eoh(conn), "end of header")
ask(mt.bodystring(conn, OTHER), "body")
finish(conn, "none", "forged")
if not mt.eom_check(conn, MT_HDRDELETE, "X-Lookalike") then error "is not removed" end
header(conn, "offer")
ask(mt.eoh(conn), "end of header")
ask(mt.abort(conn), "abort")
header(conn, "other")
ask(mt.eoh(conn), "end of header")
ask(mt.bodystring(conn, OTHER), "body")
finish(conn, "none", "after one that was given up")
header(conn, "random")
ask(mt.bodyrandom(conn, 200000), "random body")
finish(conn, "error; reason=too-long", "too long")
mt.disconnect(conn)

-- What a script leaves out is filled in, of an unknown kind of client; an abrupt end.
conn = begin()
ask(mt.conninfo(conn, nil, "unspec"), "client")
ask(mt.bodystring(conn, OTHER), "body")
finish(conn, "none", "filled in")
mt.disconnect(conn, false)

-- An old mail server.
conn = begin()
ask(mt.negotiate(conn, 2, SMFI_V2_ACTS, SMFI_V2_PROT), "negotiates as of old")
ask(mt.conninfo(conn, "localhost", "127.0.0.1"), "client")
ask(mt.mailfrom(conn, "<a@example.org>"), "mail")
ask(mt.rcptto(conn, "<b@example.org>"), "rcpt")
ask(mt.header(conn, "Subject", "offer"), "header")
ask(mt.eoh(conn), "end of header")
ask(mt.bodystring(conn, OFFER), "body")
finish(conn, SPAM, "spam of old")
mt.disconnect(conn)
"""


def with_miltertest(c: Checks, index: Path) -> None:
    """Conversations that miltertest leads."""
    done = c.run("filter", "--prototypes", index, "--header", stdin=mail("offer", OFFER))
    spam = done.stdout.partition("\n")[0].removeprefix("X-Lookalike: ")
    script = c.work / "conversation.lua"
    script.write_text(CONVERSATION)
    with milter(c, index, "--max-message", "100kB") as service:
        _, host, port = service.where.split(":")
        given = {"SOCKET": f"inet:{port}@{host}", "OFFER": OFFER, "OTHER": OTHER, "SPAM": spam}
        options = [part for name, value in given.items() for part in ("-D", f"{name}={value}")]
        done = subprocess.run(["miltertest", *options, "-s", str(script)], capture_output=True, text=True, timeout=120, env={**os.environ, "PATH": PATH})
        c.check("miltertest: a conversation", done.returncode == 0, done.stdout + done.stderr)
        wrong = subprocess.run(["miltertest", *options, "-D", "SPAM=ham", "-s", str(script)], capture_output=True, text=True, timeout=120)
        c.check("miltertest: sees another value", wrong.returncode != 0 and "no field ham" in wrong.stdout + wrong.stderr, wrong.stdout + wrong.stderr)
