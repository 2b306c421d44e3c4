#!/usr/bin/env python3
"""SQLite under `argus mcp`: no statement takes the server down, or keeps it from ending (see mcp_sqlite.sh)."""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp_client import Client  # noqa: E402  pylint: disable=wrong-import-position
from mcp_http_rig import Server, Session  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import case, has, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

DIR = sys.argv[1]
ARGUS = os.environ["ARGUS"]
with open(ARGUS, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()
TMP = os.path.join(DIR, "tmp")
ENV = {"PATH": os.environ["PATH"], "HOME": DIR, "LANG": "C.UTF-8", "TMPDIR": TMP, "OPENAI_API_KEY": "a secret of the parent"}
CONFIG = os.path.join(DIR, "argus.yaml")
DEADLINE = 2
LATE = 20  # seconds; the machine may be busy

OVERFLOW = "select count(*) from docs where docs match 'a'||replace(hex(zeroblob(%d)),'00',' NOT a')"
OBJECT = ("(select json_group_object('%s'||value, value) from (with recursive r(value) as (select 1 union all select value+1 "
          "from r where value<100000) select value from r))")
PATCH = "select length(json_patch(%s, %s))" % (OBJECT % "k", OBJECT % "j")
LONG = "select count(*) from docs where docs match 'a'||replace(hex(zeroblob(300000)),'00',' OR a')"
INSTR = "select instr(hex(zeroblob(8000000)), hex(zeroblob(2000000))||'1')"
BAD = [OVERFLOW % 20000, OVERFLOW % 150000, PATCH, LONG, INSTR,
       "with recursive r(x) as (select 1 union all select x+1 from r) select count(*) from r"]


def setup():
    os.mkdir(TMP)
    path = os.path.join(DIR, "shop.db")
    db = sqlite3.connect(path)
    db.executescript("create virtual table docs using fts5(t); insert into docs values ('hello a'); "
                     "create table users(id integer primary key, name text); insert into users values (1, 'ann');")
    db.close()
    with open(CONFIG, "w", encoding="utf-8") as f:
        f.write("store: %s/store.db\nsql:\n  max_queries_per_minute: none\nprojects:\n  shop:\n    source: sqlite:%s\n"
                "    max_query_timeout_seconds: %d\n" % (DIR, path, DEADLINE))
    subprocess.run([ARGUS, "project", "grant", "shop", "ann", "admin", "--config", CONFIG], env=ENV, check=True,
                   capture_output=True)


def token():
    p = subprocess.run([ARGUS, "token", "create", "--user", "ann", "--role", "admin", "-o", "json", "--config", CONFIG],
                       capture_output=True, text=True, env=ENV, check=True)
    return json.loads(p.stdout)["token"]


def serve():
    return Server([ARGUS, "mcp", "--http", "--port", "0", "--config", CONFIG], ENV)


def children(pid):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, encoding="latin-1") as f:
                    fields = f.read().rpartition(")")[2].split()
                if int(fields[1]) == pid and fields[0] != "Z":
                    found.append(int(name))
            except OSError:
                pass
    return found


def until(what, fn, seconds=LATE):
    end = time.monotonic() + seconds
    while not fn():
        if time.monotonic() > end:
            raise AssertionError("not within %g s: %s" % (seconds, what))
        time.sleep(0.02)


def rows(session, sql):
    answer = session.tool("query", sql=sql)
    same("success of %s: %s" % (sql[:80], json.dumps(answer)[:400]), answer["success"], True)
    return answer["data"]["rows"]


@case("one user's statements that crash SQLite or never end; another user's are answered all the while")
def _():
    server = serve()
    bad, good = Session(server, token()), Session(server, token())
    answers = []

    def run():
        for sql in BAD:
            began = time.monotonic()
            answers.append((sql, bad.tool("query", sql=sql), time.monotonic() - began))

    thread = threading.Thread(target=run)
    thread.start()
    n = 0
    while thread.is_alive() or n < 20:
        same("a plain statement", rows(good, "SELECT name FROM users"), [["ann"]])
        n += 1
    thread.join()
    for sql, answer, took in answers:
        if took > DEADLINE + LATE:
            raise AssertionError("%s took %g s" % (sql[:80], took))
        if not answer["success"] and answer["error"]["code"] not in ("VALIDATION_ERROR", "QUERY_TIMEOUT"):
            raise AssertionError("%s: %s" % (sql[:80], answer["error"]))
    same("the overflow", answers[1][1]["success"], False)
    same("the endless one", answers[-1][1]["error"]["code"], "QUERY_TIMEOUT")
    same("the server runs", server.process.poll(), None)
    same("exit", server.stop()[0], 0)


@case("SIGTERM in the middle of a statement that does not stop: the server ends, and its children")
def _():
    server = serve()
    session = Session(server, token())
    held = session.begin(session.message("tools/call", {"name": "query", "arguments": {"sql": INSTR.replace("8000", "8001")}}))
    until("a child", lambda: children(server.process.pid))
    pids = children(server.process.pid)
    code, took = server.stop()
    held.close()
    same("exit", code, 0)
    if took > LATE:
        raise AssertionError("it took %g s" % took)
    until("its children end", lambda: not any(os.path.exists("/proc/%d" % p) for p in pids))
    same("temporary folders", [n for n in os.listdir(TMP) if n.startswith("argus-sqlite-")], [])


@case("a server that is killed takes its children with it, also out of a statement that does not stop")
def _():
    server = serve()
    session = Session(server, token())
    held = session.begin(session.message("tools/call", {"name": "query", "arguments": {"sql": INSTR}}))
    until("a child", lambda: children(server.process.pid))
    pids = children(server.process.pid)
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    held.close()
    until("its children end", lambda: not any(os.path.exists("/proc/%d/exe" % p) for p in pids))


@case("a child has no secret, no descriptor and no name of its own; one that is killed is replaced")
def _():
    server = serve()
    session = Session(server, token())
    rows(session, "SELECT 1")
    pid = children(server.process.pid)[0]
    with open("/proc/%d/cmdline" % pid, "rb") as f:
        same("command line", f.read(), b"argus\0__sqlite-child\0")
    if os.geteuid() == 0:  # it is not dumpable
        with open("/proc/%d/environ" % pid, "rb") as f:
            same("environment", [v for v in f.read().split(b"\0") if v and not v.startswith((b"TZ=", b"LD_LIBRARY_PATH="))], [])
        # With a sanitizer the child keeps standard error, for its reports.
        own = [fd for fd in os.listdir("/proc/%d/fd" % pid) if fd != "2" or not SANITIZED]
        links = [os.readlink("/proc/%d/fd/%s" % (pid, fd)) for fd in own]
        same("descriptors", sorted(x.split(":")[0] for x in links if x not in ("/dev/null", os.path.join(DIR, "shop.db"))),
             ["pipe"])
    os.kill(pid, signal.SIGKILL)
    same("after it was killed", rows(session, "SELECT 2"), [[2]])
    same("exit", server.stop()[0], 0)


@case("the program's file is replaced and removed while the server runs: it goes on to start itself")
def _():
    copy = os.path.join(DIR, "argus-copy")
    shutil.copy(ARGUS, copy)
    c = Client([copy, "mcp", "--config", CONFIG], env=ENV)
    os.rename(copy, copy + ".old")
    with open(copy, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\nexit 9\n")
    os.chmod(copy, 0o755)
    same("replaced", c.tool("query", sql="SELECT 3")["data"]["rows"], [[3]])
    os.unlink(copy + ".old")
    os.kill(children(c.process.pid)[0], signal.SIGKILL)
    same("removed", c.tool("query", sql="SELECT 4")["data"]["rows"], [[4]])
    c.close()


@case("nobody starts a child by hand")
def _():
    p = subprocess.run([ARGUS, "__sqlite-child"], capture_output=True, text=True, env=ENV, check=False)
    same("exit", p.returncode, 2)
    has(p.stderr, "for Argus itself")


setup()
run_cases()
