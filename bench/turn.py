#!/usr/bin/env python3
"""One scripted turn as a whole process: start, ask a model, one tool call, ask again, report, exit.

Argus and a bare loop on node do the same against the same scripted server on loopback, in turn, so that both meet
the same noise. Printed are medians of wall time, processor time and the largest resident size, and the ratio. The
aim for Argus is below 15 ms and 16 MB.

Then a turn of the analyst: two calls of the model, one query of the example shop in SQLite, the thread kept in a store
that is a file. The aim is at most 20 ms of processor time and 20 MB. Beside it the same turn on the AI SDK, whose messages
go to a SQLite file, and on LangGraph JS with its SQLite checkpointer (turn/*.mjs; npm, by the lock file, fetched and built
once into .cache/). They run what the model sends, unguarded, and prove no figure. The bare loop asks the model as often, but
reads a file of three lines in the place of the query and keeps nothing: it is a lower bound.
"""
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PEERS = {"aisdk": "AI SDK, SQLite", "langgraph": "LangGraph JS, SQLite"}
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40

SCRIPT = """answer repeat when last "not sampled yet"
  json {"reasoning":"The schema first.","action":"schema_sample","action_input":{"sample_size":10},"confidence":0.9}
  usage 900 60
answer repeat
  json {"reasoning":"Nothing else to do.","action":"conclude","action_input":{},"confidence":0.9}
  usage 950 40
"""

ANALYST = """answer repeat when not last "Result r1"
  tool execute_sql {"query":"SELECT status, COUNT(*) AS orders FROM orders GROUP BY status ORDER BY orders DESC"}
  usage 1900 60
answer repeat
  text 325 orders were delivered.
  usage 2000 40
"""
QUESTION = "How many orders were delivered?"


def run(argv, env, out):
    """One process; returns wall ms, cpu ms, resident KB and whether it went well."""
    start = time.monotonic()
    with open(out, "wb") as f:
        p = subprocess.Popen(argv, env=env, stdout=f, stderr=subprocess.DEVNULL, cwd=os.path.dirname(out))
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    wall = (time.monotonic() - start) * 1000
    return wall, (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss, p.returncode == 0


def median(rows, i):
    return statistics.median(r[i] for r in rows)


def line(name, rows):
    print("%-26s %7.1f ms wall %7.1f ms cpu %8.1f MB" % (
        name, median(rows, 0), median(rows, 1), median(rows, 2) / 1024))


def check(path, what, ok):
    with open(path, "rb") as f:
        got = json.load(f)
    if not ok(got):
        sys.exit("turn: %s did not do its turn: %s" % (what, json.dumps(got)[:300]))


class Fake:
    """the scripted server, for as long as the block runs; its value is the address"""

    def __init__(self, script, path):
        with open(path, "w", encoding="utf-8") as f:
            f.write(script)
        self.path, self.server = path, None

    def __enter__(self):
        self.server = subprocess.Popen([os.environ["FAKE_MODEL"], "--script", self.path], stdout=subprocess.PIPE,
                                       text=True)
        return "http://127.0.0.1:%s" % self.server.stdout.readline().split()[1]

    def __exit__(self, *_):
        self.server.terminate()
        self.server.communicate()


def compare(name, mine, theirs):
    line(name, mine)
    if theirs:
        line("node, a bare loop", theirs)
        print("ratio argus / node: %.2f wall, %.2f cpu, %.2f memory" % tuple(
            median(mine, i) / median(theirs, i) for i in range(3)))
    failed = sum(not r[3] for r in mine + theirs)
    if failed:
        sys.exit("turn: %d processes failed" % failed)


def audit_turn(argus, node, work):
    data, out = os.path.join(work, "three.ndjson"), os.path.join(work, "out.json")
    with open(data, "w", encoding="utf-8") as f:
        f.writelines('{"_id":%d,"name":"n%d","n":%d}\n' % (i, i, i) for i in range(3))
    mine, theirs = [], []
    with Fake(SCRIPT, os.path.join(work, "turn.script")) as base:
        env = environment(work, base)
        cmd = [argus, "audit", data, "--planner", "llm", "--run-evaluator", "none", "--store", "memory:",
               "--output", "json", "--quiet"]
        for _ in range(ROUNDS):
            mine.append(run(cmd, env, out))
            check(out, "argus", lambda r: [s["action"] for s in r["run_trace"]] == ["schema_sample", "conclude"]
                  and r["status"] == "ok" and r["total_input_tokens"] == 1850)
            if node:
                theirs.append(run([node, os.path.join(HERE, "turn.mjs"), base, data], env, out))
                check(out, "node", lambda r: r == {"action": "conclude", "documents": 3})
    compare("argus, one turn", mine, theirs)
    return theirs


def environment(work, base):
    return {"PATH": os.environ.get("PATH", ""), "HOME": work, "LLM_API_BASE": base, "LLM_MODEL": "m",
            "LLM_API_KEY": "none"}


def is_analyst_turn(r):
    q = r["queries"]
    return (r["status"] == "ok" and r["usage"]["model_calls"] == 2 and len(q) == 1 and q[0]["ok"]
            and q[0]["rows"][0] == ["delivered", 325] and [f["verdict"] for f in r["figures"]] == ["cell"])


def build_sqlite(node, home, log):
    """better-sqlite3 for the node of the packages, by their headers; no program of others is downloaded."""
    npm = os.path.realpath(shutil.which("npm"))
    gyp = os.path.join(os.path.dirname(npm), "..", "node_modules", "node-gyp", "bin", "node-gyp.js")
    if not os.path.exists(gyp):
        gyp = os.path.join(os.path.dirname(npm), "..", "..", "node-gyp", "bin", "node-gyp.js")
    subprocess.run([node, gyp, "rebuild", "--release", "--nodedir=" + os.path.dirname(os.path.dirname(node))],
                   cwd=os.path.join(home, "node_modules", "better-sqlite3"), stdout=log, stderr=log, timeout=1200, check=False)


def peers(work, programs=tuple(PEERS), where="turn"):
    """(node, folder) of the packages of turn/, fetched and built once; None when they cannot be had. The folder gets the programs
    of bench/WHERE."""
    home = os.path.join(ROOT, ".cache", "bench-turn")
    node = os.path.join(home, "node_modules", "node-linux-%s" % ("arm64" if os.uname().machine == "aarch64" else "x64"),
                        "bin", "node")
    built = os.path.join(home, "node_modules", "better-sqlite3", "build", "Release", "better_sqlite3.node")
    os.makedirs(home, exist_ok=True)
    with open(os.path.join(work, "npm.log"), "wb") as log:
        if not os.path.exists(node) and shutil.which("npm"):
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(os.path.join(HERE, "turn", name), home)
            subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=home, stdout=log, stderr=log,
                           timeout=600, check=False)
        if os.path.exists(node) and not os.path.exists(built):
            build_sqlite(node, home, log)
    if not os.path.exists(node) or not os.path.exists(built):
        return None
    for name in programs:
        shutil.copy(os.path.join(HERE, where, name + ".mjs"), home)
    return node, home


def is_peer_turn(r):
    return r == {"answer": "325 orders were delivered.", "first": ["delivered", 325], "steps": 2}


def analyst_turn(argus, work, theirs):
    shop, store, out = (os.path.join(work, n) for n in ("shop.db", "shop.store", "chat.json"))
    others = peers(work)
    rows = {name: [] for name in PEERS}
    with sqlite3.connect(shop) as db, open(os.path.join(HERE, "../examples/shop-sql/shop.sql"), encoding="utf-8") as f:
        db.executescript(f.read())
    mine = []
    with Fake(ANALYST, os.path.join(work, "chat.script")) as base:
        env = environment(work, base)
        cmd = [argus, "chat", "sqlite:" + shop, "--store", store, "--output", "json"]
        turn = cmd + ["--set", "max_queries_per_minute=100000", "-q", QUESTION]
        run(turn, env, out) # makes the store
        for i in range(-1, ROUNDS): # the first time is for the caches
            got = run(turn, env, out)
            check(out, "argus chat", is_analyst_turn)
            mine += [got] if i >= 0 else []
            for name in PEERS if others else ():
                got = run([others[0], os.path.join(others[1], name + ".mjs"), base, shop,
                           os.path.join(work, name + ".db"), "thread-%d" % i, QUESTION], env, out)
                check(out, PEERS[name], is_peer_turn)
                rows[name] += [got] if i >= 0 else []
        run(cmd + ["--threads"], env, out)
        check(out, "the store of argus chat", lambda r: len(r["threads"]) == ROUNDS + 2)
    compare("argus, an analyst turn", mine, theirs)
    for name in PEERS if others else ():
        line(PEERS[name], rows[name])
        print("ratio argus / %s: %.3f wall, %.3f cpu, %.3f memory" % (
            name, *(median(mine, i) / median(rows[name], i) for i in range(3))))
    if not others:
        print("skip - the AI SDK and LangGraph JS could not be fetched and built (npm, a C++ compiler)")


def main():
    argus, node = os.environ["ARGUS"], shutil.which("node")
    work = tempfile.mkdtemp(prefix="argus-turn-")
    try:
        theirs = audit_turn(argus, node, work)
        if not node:
            print("node is not installed: nothing to compare with (apt-get install nodejs)")
        analyst_turn(argus, work, theirs)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
