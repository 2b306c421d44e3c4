#!/usr/bin/env python3
"""kill -9 behind every commit of a turn (see chat_kill.sh): on PostgreSQL and SQLite, each with a store of both kinds.

AG_FAULT=store.commit:N! ends the program right behind its Nth commit. The turn asks the model three times, has a statement that
fails and one that mends it. N counts up until the turn ends by itself. Each time the thread goes on: its answer, its queries and
its text are those of a turn that nobody killed; the audit table has each statement once, and so has the log of the PostgreSQL
that was asked. Only a statement that was under way, whose result no event has, may be there twice, and the model is not asked
again for what the log has.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from both_stores import Now, new_store  # noqa: E402  pylint: disable=wrong-import-position
from chat_policy import Model  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import case, has, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

DIR, SOCKET, PORT = sys.argv[1:4]
ARGUS = os.environ["ARGUS"]
MODEL = Model()
ENV = {"PATH": os.environ["PATH"], "HOME": DIR, "LANG": "C.UTF-8", "USER": "ann", "LLM_API_BASE": MODEL.url,
       "LLM_MODEL": "policy", "LLM_API_KEY": "none"}
LITE = os.path.join(DIR, "shop.db")
SOURCES = {"postgres": "postgresql://postgres@/shop?host=%s&port=%s" % (SOCKET, PORT), "sqlite": "sqlite:" + LITE}
QUESTION = "How many items were sold?"
WRONG, RIGHT = "SELECT SUM(quantty) AS n FROM order_items", "SELECT SUM(quantity) AS n FROM order_items"
SHOP = """create table order_items(id integer primary key, quantity integer);
insert into order_items values (1, 3), (2, 4), (3, 5);"""
# Behind a commit of each kind of row: fewer would mean that events are not committed as they happen.
LEAST = 8
# Rows that are ready at the same time share a commit, so that a turn has one commit more or less each time: around the last N goes
# back and forth until this many turns ended before their Nth commit.
UNREACHED = 4


def psql(sql, database):
    return subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", database, "-X", "-A", "-t", "-q", "-v",
                           "ON_ERROR_STOP=1"], input=sql, capture_output=True, text=True, check=True).stdout


def plant():
    psql("create database shop;", "postgres")
    psql("alter database shop set log_statement = 'all';", "postgres")
    psql(SHOP + "analyze;", "shop")
    with sqlite3.connect(LITE) as db:
        db.executescript(SHOP)


def chat(engine, store, *options, fault=None, text=None):
    env = dict(ENV, AG_FAULT=fault) if fault else ENV
    return subprocess.run([ARGUS, "chat", SOURCES[engine], "--store", store, "--set", "max_queries_per_minute=100000", *options],
                          capture_output=True, text=True, env=env, input=text, check=False, timeout=120)


class Log:
    """What the database was asked: its own log, from here on."""

    def __init__(self):
        self.path = os.path.join(DIR, "pg", "log")
        self.at = os.path.getsize(self.path)

    def runs(self, statement):
        with open(self.path, encoding="utf-8", errors="replace") as f:
            f.seek(self.at)
            text = f.read()
        # A question for the cost is no run of it.
        return len([line for line in re.findall(r"LOG: +(?:statement|execute [^:]*): (.*)", text)
                    if statement in line and not re.search(r"\bexplain\b", line, re.I)])


def events(store, kind):
    """The types of the events that are committed, in order; [] when there is no run yet."""
    query = "SELECT type FROM %sevents ORDER BY seq"
    if kind == "SQLite":
        if not os.path.exists(store):
            return []
        with sqlite3.connect(store) as db:
            known = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchone()
            return [r[0] for r in db.execute(query % "")] if known else []
    name = re.search(r"/([a-z0-9_]+)\?", store).group(1)
    if psql("select to_regclass('argus.events');", name).strip() == "":
        return []
    return psql(query % "argus." + ";", name).split()


def calls(store):
    p = subprocess.run([ARGUS, "log", "--store", store, "-o", "json"], capture_output=True, text=True, env=ENV, check=True)
    return [r["sql"] for r in json.loads(p.stdout)["calls"] if r["tool"] == "execute_sql" and r["outcome"] != "began"]


def shape(turn):
    return {"answer": turn["answer"], "status": turn["status"], "figures": [f["verdict"] for f in turn["figures"]],
            "queries": [(q["sql"], q["ok"], q.get("rows")) for q in turn["queries"]]}


def one(engine, kind, name, n, whole):
    """The turn, killed behind commit n, and what follows. None: it ended by itself. name: of the store, a new one each time."""
    store = new_store("kill_%s_%d" % (engine, name), kind)
    log, asked = Log(), len(MODEL.requests)
    p = chat(engine, store, "-q", QUESTION, "-o", "json", fault="store.commit:%d!" % n)
    if p.returncode == 0:
        same("the turn that ended by itself", shape(json.loads(p.stdout)), whole)
        return None
    same("exit code: " + p.stderr, p.returncode, -9)
    committed = events(store, kind)
    under_way = committed.count("tool_input") - committed.count("tool_output")
    again = chat(engine, store, "--continue", text="")
    if "there is no thread" in again.stderr:
        same("no event was lost", committed, [])
        again = chat(engine, store, "-q", QUESTION, "-o", "json")
    same("exit code: " + again.stderr, again.returncode, 0)
    threads = json.loads(chat(engine, store, "--threads", "-o", "json").stdout)["threads"]
    same("threads and turns", [t["turns"] for t in threads], [1])
    shown = chat(engine, store, "--thread", threads[0]["id"], text="").stdout
    has(shown, "12 items were sold. I corrected the query after an error.")
    done = calls(store)
    same("the audit table has both: %r" % done, sorted(set(done)), sorted((WRONG, RIGHT)))
    same("twice, behind %r: %r" % (committed, done), len(done) - 2 <= under_way, True)
    if engine == "postgres":
        same("the server ran the right one", 1 <= log.runs(RIGHT) <= 1 + under_way, True)
    same("the model was asked once for each reply", len(MODEL.requests) - asked <= 3 + 1, True)
    follow = chat(engine, store, "--continue", "-q", "How many items were sold?", "-o", "json")
    same("the next question: " + follow.stderr, follow.returncode, 0)
    same("its answer", json.loads(follow.stdout)["answer"], whole["answer"])
    return committed


def add(engine, kind):
    @case("%s, store %s: kill -9 behind every commit of a turn, then the thread goes on" % (engine, kind))
    def _():
        Now.folder, Now.store = os.path.join(DIR, "%s-%s" % (engine, kind)), kind
        os.makedirs(Now.folder)
        p = chat(engine, os.path.join(Now.folder, "whole.store"), "-q", QUESTION, "-o", "json")
        same("exit code: " + p.stderr, p.returncode, 0)
        whole = shape(json.loads(p.stdout))
        same("the turn", [q[1] for q in whole["queries"]], [False, True])
        seen, kills, turns, n, ended = set(), 0, 0, 0, 0
        while ended < UNREACHED:
            n, turns = n + 1, turns + 1
            got = one(engine, kind, turns, n, whole)
            if got is None:
                ended += 1
                n = max(0, n - 2)
            else:
                seen.add(tuple(got))
                kills += 1
        print("# %s, store %s: %d kills, behind %d states of the log" % (engine, kind, kills, len(seen)))
        same("kills", kills >= LEAST, True)
        types = {t for log in seen for t in log}
        for wanted in ("run_started", "tool_input", "tool_output", "proposal", "usage", "verdict", "critique", "run_finished"):
            same("an event %s was committed before some kill: %r" % (wanted, types), wanted in types, True)


plant()
for an_engine in SOURCES:
    for a_kind in ("SQLite", "PostgreSQL"):
        add(an_engine, a_kind)
run_cases()
