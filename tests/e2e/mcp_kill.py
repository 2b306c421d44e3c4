"""Kills `argus mcp` with SIGKILL under load, over HTTP and over stdio, and looks for every answered call in the audit table.

A call counts as answered when the client has read the whole answer. Each call has a number in its statement, so that its row
is found after the kill. See mcp_kill.sh."""
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

from mcp_want import case, has, run_cases, same

DIR = sys.argv[1]
ARGUS = os.environ["ARGUS"]
ROUNDS = int(os.environ.get("KILL_ROUNDS", "3"))
CLIENTS = 6
REVISION = "2025-06-18"
ENV = {"PATH": os.environ.get("PATH", ""), "HOME": DIR, "LANG": "C.UTF-8"}
STORE = os.path.join(DIR, "store.db")
CONFIG = os.path.join(DIR, "argus.yaml")
NUMBER = re.compile(r"SELECT (\d+) AS number")


def setup():
    source = os.path.join(DIR, "data.db")
    db = sqlite3.connect(source)
    db.execute("create table t (a integer)")
    db.commit()
    db.close()
    with open(CONFIG, "w", encoding="utf-8") as f:
        f.write("store: %s\nsql:\n  max_queries_per_minute: none\nprojects:\n  shop:\n    source: sqlite:%s\n" % (STORE, source))


def argus(*args):
    p = subprocess.run([ARGUS, *args], capture_output=True, text=True, env=ENV, check=False)
    same("argus %s: %s%s" % (" ".join(args), p.stdout, p.stderr), p.returncode, 0)
    return p.stdout


def call_of(number):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
        "name": "query", "arguments": {"sql": "SELECT %d AS number" % number}}})


HELLO = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "kill", "version": "1"}}})


def is_success(answer):
    return '"success":true' in answer.replace('\\"', '"')


class Http:
    """One keep-alive connection with its session; a thread calls until the connection ends."""

    def __init__(self, port, token, first):
        self.port, self.token, self.next, self.session = port, token, first, ""
        self.answered, self.refused, self.rest = [], 0, b""
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head, _ = self.post(HELLO)
        self.session = re.search(r"(?i)mcp-session-id: (\S+)", head).group(1)
        self.thread = threading.Thread(target=self.run)

    def post(self, body):
        head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n" % (self.port, self.token)
        head += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        if self.session:
            head += "Mcp-Session-Id: %s\r\nMCP-Protocol-Version: %s\r\n" % (self.session, REVISION)
        self.socket.sendall((head + "Content-Length: %d\r\n\r\n%s" % (len(body), body)).encode())
        data = self.rest
        while b"\r\n\r\n" not in data:
            data += self.more()
        head, _, body = data.partition(b"\r\n\r\n")
        size = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
        while len(body) < size:
            body += self.more()
        self.rest = body[size:]
        return head.decode(), body[:size].decode()

    def more(self):
        got = self.socket.recv(65536)
        if not got:
            raise OSError("closed")
        return got

    def run(self):
        try:
            while True:
                _, answer = self.post(call_of(self.next))
                if is_success(answer):
                    self.answered.append(self.next)
                else:
                    self.refused += 1
                self.next += 1
        except OSError:
            self.socket.close()


class Stdio:
    """A server of its own; `deep` calls are under way at once."""

    def __init__(self, first, deep):
        self.next, self.deep, self.answered, self.refused = first, deep, [], 0
        self.process = subprocess.Popen([ARGUS, "mcp", "--config", CONFIG, "--project", "shop"], env=ENV,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.write(HELLO)
        self.process.stdout.readline()
        self.thread = threading.Thread(target=self.run)

    def write(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def begin(self):
        self.write(call_of(self.next))
        self.next += 1

    def run(self):
        try:
            for _ in range(self.deep):
                self.begin()
            while True:
                line = self.process.stdout.readline()
                if not line.endswith(b"\n"):
                    return
                if is_success(line.decode()):
                    self.answered.append(json.loads(line)["id"])
                else:
                    self.refused += 1
                self.begin()
        except OSError:
            return


def start_http(token):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    p = subprocess.Popen([ARGUS, "mcp", "--http", "--port", str(port), "--config", CONFIG], env=ENV,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return p, port
        except OSError:
            time.sleep(0.02)
    p.kill()
    p.wait()
    raise AssertionError("the server does not listen")


def recorded():
    db = sqlite3.connect(STORE)
    rows = [r[0] for r in db.execute("select sql from ledger where outcome = 'ok'")]
    db.close()
    return set(int(m.group(1)) for m in map(NUMBER.match, rows) if m)


def check(clients, what):
    answered = set()
    for c in clients:
        answered.update(c.answered)
    lost = answered - recorded()
    print("# %s: %d answered, %d without a row" % (what, len(answered), len(lost)), flush=True)
    same("refused calls", sum(c.refused for c in clients), 0)
    same("there was a load", len(answered) > 50, True)
    same("answered calls without a row", len(lost), 0)
    argus("log", "--verify", "--store", STORE)


def kill_rounds(make):
    """make() returns the processes to kill and their clients; all of them are killed at one random moment a round."""
    everybody = []
    for _ in range(ROUNDS):
        processes, clients = make(len(everybody))
        for c in clients:
            c.thread.start()
        time.sleep(random.uniform(0.15, 0.6))
        for p in processes:
            os.kill(p.pid, signal.SIGKILL)
        for p in processes:
            p.wait()
        for c in clients:
            c.thread.join()
        everybody += clients
    return everybody


@case("HTTP: kill -9 under load leaves a row of every answered call")
def _():
    argus("project", "grant", "shop", "ann", "viewer", "--config", CONFIG)
    words = argus("token", "create", "--user", "ann", "--project", "shop", "--role", "viewer", "--config", CONFIG)
    token = next(w for w in words.split() if w.startswith("argus_"))

    def make(n):
        p, port = start_http(token)
        return [p], [Http(port, token, 1000000 * (n + i + 1)) for i in range(CLIENTS)]

    check(kill_rounds(make), "http, %d kills" % ROUNDS)


@case("stdio: kill -9 of three servers of one store leaves a row of every answered call")
def _():
    def make(n):
        clients = [Stdio(1000000000 + 1000000 * (n + i), 1 + 4 * i) for i in range(3)]
        return [c.process for c in clients], clients

    check(kill_rounds(make), "stdio, %d kills of 3 servers" % ROUNDS)


SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT max(i) FROM n"


def listed(outcome):
    return json.loads(argus("log", "--outcome", outcome, "-o", "json", "--store", STORE))["calls"]


@case("a call that runs is listed as running, and as interrupted when its process was killed")
def _():
    same("nothing before", [r for r in listed("running") + listed("interrupted") if "RECURSIVE" in r["sql"]], [])
    c = Stdio(2000000000, 1)
    c.write(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                        "params": {"name": "query", "arguments": {"sql": SLOW}}}))
    began = time.monotonic()
    while not listed("running"):
        same("it is listed soon", time.monotonic() - began < 10, True)
    rows = listed("running")
    same("running", [(r["tool"], r["sql"], r["project"]) for r in rows], [("query", SLOW, "shop")])
    same("not interrupted", [r for r in listed("interrupted") if r["row"] == rows[0]["row"]], [])
    c.process.kill()
    c.process.wait()
    same("after the kill", [r["row"] for r in listed("interrupted") if r["sql"] == SLOW], [rows[0]["row"]])
    same("running after the kill", listed("running"), [])
    has(argus("log", "--store", STORE), "interrupted")
    argus("log", "--verify", "--store", STORE)


@case("a call that is cancelled has one line, with its end")
def _():
    c = Stdio(2100000000, 1)
    c.write(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                        "params": {"name": "query", "arguments": {"sql": SLOW + " /* cancelled */"}}}))
    while not listed("running"):
        time.sleep(0.02)
    c.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}))
    began = time.monotonic()
    while listed("running"):
        same("it ends soon", time.monotonic() - began < 10, True)
    calls = json.loads(argus("log", "-n", "1000", "-o", "json", "--store", STORE))["calls"]
    rows = [r for r in calls if "/* cancelled */" in r["sql"]]
    same("its rows", [(r["outcome"], "began_row" in r) for r in rows], [("CANCELLED", True)])
    c.process.stdin.close()
    same("exit code", c.process.wait(), 0)


setup()
run_cases()
