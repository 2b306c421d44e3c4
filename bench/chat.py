#!/usr/bin/env python3
"""What a turn of a conversation over HTTP costs: `argus serve` beside the AI SDK's route and LangGraph JS on node.

A turn is a question of a new chat: two calls of a model, one SQL query of the example shop (a SQLite file) between them, the
answer as a stream, all of it persisted. The model (chat_model.c) answers at once; real HTTP clients (chat_load.c) ask over
connections that stay open; model, clients, servers and database share the machine. The limits of Argus are off; token, guard,
audit row, lease, event log and proof of figures are on. The others run what the model sends, unguarded, for anybody, and keep
messages alone. LangGraph's route waits for whole replies of the model.

Printed are turns per second, the time of a turn and the CPU of the server per turn (of all its processes; a PostgreSQL server is
not counted), at 1, 8, 64 and 1,000 chats at once, on a SQLite store and on PostgreSQL, whose commits wait for the disk. Then
memory with 1,000 turns waiting for the model, and what an idle chat costs whose connection stays open.
"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import turn

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
RIG = os.path.join(ROOT, "tests", "real", "postgres.sh")
SECONDS = float(os.environ.get("CHAT_SECONDS", "2"))
CHATS = tuple(int(n) for n in os.environ.get("CHAT_CHATS", "1,8,64,1000").split(","))
IDLE = 1000
TICK = os.sysconf("SC_CLK_TCK")


def family(pid):
    """A process and those that it started."""
    found, known = [pid], {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, encoding="ascii") as f:
                    known.setdefault(int(f.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
            except OSError:
                pass
    for p in found:
        found += known.get(p, [])
    return found


def cpu(pid):
    """Seconds of it and of its children, those that ended as well."""
    total = 0
    for p in family(pid):
        with open("/proc/%d/stat" % p, encoding="ascii") as f:
            total += sum(int(x) for x in f.read().rsplit(")", 1)[1].split()[11:15])
    return total / TICK


def resident_mb(pid):
    total = 0
    for p in family(pid):
        with open("/proc/%d/smaps_rollup" % p, encoding="ascii") as f:
            total += next(int(line.split()[1]) for line in f if line.startswith("Pss:"))
    return total / 1024


class Server:
    def __init__(self, name, argv, env, port, token="none", path="/api/chat"):
        self.name, self.port, self.token, self.path, self.ntime = name, port, token, path, 0
        self.log = open(os.path.join(env["HOME"], "server.log"), "ab")
        self.process = subprocess.Popen(argv, env=env, stdout=self.log, stderr=self.log, cwd=env["HOME"])

    def load(self, chats, seconds, once=False):
        self.ntime += 1
        p = subprocess.Popen([os.environ["LOAD"], str(self.port), self.path, self.token, str(chats), str(seconds),
                              "%s-%d" % (self.name.replace(" ", "-").replace(",", ""), self.ntime), *(("once",) if once else ())],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if p.stdout.readline() != "ready\n":
            sys.exit("chat: the load of %s could not begin" % self.name)
        p.stdin.write("\n")
        p.stdin.flush()
        return p

    def measure(self, chats, seconds):
        before = cpu(self.process.pid)
        p = self.load(chats, seconds)
        line = p.stdout.readline()
        used = cpu(self.process.pid) - before
        p.stdin.close()
        if p.wait() or not line:
            sys.exit("chat: the load of %s failed" % self.name)
        got = json.loads(line)
        print("%-24s %6d chats %8.0f turns/s  p50 %8.1f ms  p99 %8.1f ms  %6.2f ms CPU/turn" % (
            self.name, chats, got["per_second"], got["p50_ms"], got["p99_ms"], used * 1e3 / got["turns"]), flush=True)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def wait_for(port, process):
    import socket
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    sys.exit("chat: a server does not listen")


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def argus(work, base, shop, store, name):
    env = dict(turn.environment(work, base), ARGUS_STORE=store, ARGUS_MAX_REQUESTS_PER_MINUTE="none",
               ARGUS_MAX_ANONYMOUS_PER_MINUTE="none", LANG="C.UTF-8")
    program = os.environ["ARGUS"]

    def say(*args):
        return subprocess.run([program, *args], env=env, cwd=work, check=True, capture_output=True, text=True).stdout
    say("project", "add", "shop", "--source", "sqlite:" + shop, "--set", "max_queries_per_minute=1000000000")
    say("project", "grant", "shop", "ann", "analyst")
    token = say("token", "create", "--user", "ann", "--role", "analyst").split()[0]
    port = free_port()
    s = Server(name, [program, "serve", "--port", str(port), "--questions", "0", "--quiet"], env, port, token)
    wait_for(port, s.process)
    return s


def others(work, base, shop, store, found, name, label):
    port = free_port()
    s = Server(label, [found[0], os.path.join(found[1], name + ".mjs"), base, shop, store, str(port)],
               turn.environment(work, base), port)
    wait_for(port, s.process)
    return s


def levels(server):
    p = server.load(8, 0.5)  # for the caches
    p.stdout.readline()
    p.stdin.close()
    if p.wait():
        sys.exit("chat: %s does not answer" % server.name)
    for chats in CHATS:
        server.measure(chats, SECONDS)


def waiting(server, model):
    """Memory with 1,000 turns that wait for the model, and then with as many idle chats."""
    model.send_signal(signal.SIGUSR1)
    p = server.load(IDLE, 0, True)
    time.sleep(4)
    print("%-24s %.0f MB with %d turns running" % (server.name, resident_mb(server.process.pid), IDLE), flush=True)
    model.send_signal(signal.SIGUSR2)
    p.stdout.readline()
    before = resident_mb(server.process.pid)
    p.stdin.close()
    p.wait()
    time.sleep(1)
    print("%-24s %.0f bytes for an idle chat with an open connection; %.0f MB without any" % (
        server.name, max(0, before - resident_mb(server.process.pid)) * 1048576 / IDLE, resident_mb(server.process.pid)), flush=True)


def run(work, base, model, shop, pg):
    found = turn.peers(work, ("aisdk_serve", "langgraph_serve"), "chat")
    stores = [("SQLite", lambda name: os.path.join(work, name + ".store"))]
    if pg:
        stores.append(("PostgreSQL", lambda name: "postgresql://postgres@/%s?host=%s&port=%s" % (name, *pg)))
    for what, uri in stores:
        names = ["argus"] + (["aisdk_serve", "langgraph_serve"] if found else [])
        for name in names:
            if what == "PostgreSQL":
                subprocess.run(["psql", "-h", pg[0], "-p", pg[1], "-U", "postgres", "-d", "postgres", "-Xq", "-c",
                                "CREATE DATABASE %s TEMPLATE template0 ENCODING 'UTF8'" % name], check=True)
            if name == "argus":
                s = argus(work, base, shop, uri(name), "argus, " + what)
            else:
                s = others(work, base, shop, uri(name), found, name,
                           {"aisdk_serve": "AI SDK, ", "langgraph_serve": "LangGraph JS, "}[name] + what)
            try:
                levels(s)
                if what == "SQLite" and name == "argus":
                    waiting(s, model)
            finally:
                s.stop()
    if not found:
        print("skip - the AI SDK and LangGraph JS could not be fetched and built (npm, a C++ compiler)")


def main():
    work = tempfile.mkdtemp(prefix="argus-bench-chat-")
    os.chmod(work, 0o755)
    shop = os.path.join(work, "shop.db")
    with sqlite3.connect(shop) as db, open(os.path.join(HERE, "../examples/shop-sql/shop.sql"), encoding="utf-8") as f:
        db.executescript(f.read())
    started = subprocess.run([RIG, "start", os.path.join(work, "pg")], capture_output=True, text=True, check=False,
                             env=dict(os.environ, ARGUS_POSTGRES_DURABLE="1"))
    model = subprocess.Popen([os.environ["MODEL"]], stdout=subprocess.PIPE, text=True)
    try:
        run(work, "http://127.0.0.1:%s" % model.stdout.readline().strip(), model, shop,
            None if started.returncode else started.stdout.split())
    finally:
        model.terminate()
        model.wait()
        if not started.returncode:
            subprocess.run([RIG, "stop", os.path.join(work, "pg")], check=False)
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
