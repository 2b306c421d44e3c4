"""The acceptance scenarios of a conversation, each by its number, on PostgreSQL and SQLite as data and with both as the store;
a server that is killed inside a statement of a turn; what a turn writes. Part of chat.py, which brings the rig.
"""
import json
import os
import sqlite3
import subprocess
import threading
import time

from chat_policy import PATIENT, STUBBORN, WORDS
from mcp_client import Client
from mcp_want import case, has, same

ROWS_OF_A_TURN = 3 # beyond its events, and beyond what the audit table keeps of its calls


def register(rig):
    """Adds the cases. rig: the module chat."""
    stores = {"sqlite": os.path.join(rig.DIR, "scenarios.store"),
              "postgres": "postgresql://postgres@/scenarios?host=%s&port=%s" % (rig.SOCKET, rig.PORT)}
    rig.psql("create database scenarios;", "postgres")

    def run(source, store, *options, text=None):
        p = subprocess.run([rig.ARGUS, "chat", source, "--store", stores[store], "--set", "max_queries_per_minute=100000",
                            *options], capture_output=True, text=True, env=rig.ENV, input=text, check=False, timeout=120)
        same("exit code of %s: %s" % (options, p.stderr), p.returncode, 0)
        return p.stdout

    def ask(source, store, question, *options):
        return json.loads(run(source, store, "-q", question, "-o", "json", *options))

    def everywhere(name):
        def add(f):
            for engine, source in rig.SOURCES.items():
                for store in stores:
                    case("%s, store %s: %s" % (engine, store, name))(lambda s=source, t=store: f(s, t))
        return add

    def last_request():
        return rig.MODEL.requests[-1]["messages"]

    def results(messages):
        return [rig_text(m) for m in messages if m["role"] == "tool"]

    def rig_text(message):
        content = message["content"] or ""
        return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)

    @everywhere("scenario 14: a column that does not exist comes back with class, guidance and the failed SQL")
    def _(source, store):
        a = ask(source, store, "How many items were sold?")
        result = results(last_request())[0] if "quantty" in results(last_request())[0] else ""
        for part in ("class column_not_found", "SELECT SUM(quantty) AS n FROM order_items", "retry 1 of 3", "describe_table"):
            has(result, part, "the first result")
        same("queries", [q.get("class") for q in a["queries"]], ["column_not_found", None])
        same("status", a["status"], "ok")

    @everywhere("scenarios 15 and 17: after three retries it explains; the next question begins at retry 0")
    def _(source, store):
        a = ask(source, store, STUBBORN)
        same("status", a["status"], "partial")
        same("statements that failed", len(a["queries"]), 4)
        has(a["answer"], "I tried 4 times", "the explanation")
        for i in range(3):
            has(json.dumps(last_request()), "retry %d of 3" % (i + 1), "the results")
        b = ask(source, store, "How many items were sold?", "--thread", a["thread"])
        same("status", b["status"], "ok")
        has(results(last_request())[-2], "retry 1 of 3", "the first failure of the next question")

    @everywhere("scenario 16: a row with the word error in it is no failure")
    def _(source, store):
        a = ask(source, store, WORDS)
        same("one statement, that is right", [q["ok"] for q in a["queries"]], [True])
        same("no guidance", "retry" in results(last_request())[-1], False)
        has(a["answer"], "syntax error", "the answer")

    @everywhere("scenario 18: of a long thread at most 20 messages are sent, and no result without its call")
    def _(source, store):
        run(source, store, text="How many items were sold?\nHow many products are there?\n" * 6)
        sent = last_request()
        same("the system message is first, and alone", [m["role"] == "system" for m in sent].index(False), 1)
        same("at most 20 beside it", len(sent) - 1 <= 20, True)
        same("many all the same", len(sent) - 1 > 14, True)
        called = set()
        for m in sent:
            called |= {c["id"] for c in m.get("tool_calls") or []}
            if m["role"] == "tool":
                same("the call of a result", m["tool_call_id"] in called, True)

    @everywhere("a turn is its events and at most %d rows" % ROWS_OF_A_TURN)
    def _(source, store):
        a = ask(source, store, "How many customers are there?")
        before = count(store)
        ask(source, store, "How many items were sold?", "--thread", a["thread"])
        more = {k: v - before.get(k, 0) for k, v in count(store).items() if v != before.get(k, 0)}
        same("events", more.pop("events") > 10, True)
        same("the audit table has rows of both calls", 2 <= more.pop("ledger") <= 6, True)
        same("rows: %r" % more, sum(more.values()) <= ROWS_OF_A_TURN, True)

    def count(store):
        if store == "sqlite":
            with sqlite3.connect(stores[store]) as db:
                # Tables of the full-text index hold pages.
                names = [n for (n,) in db.execute("select name from sqlite_schema where type = 'table'") if "words" not in n]
                return {n: db.execute('select count(*) from "%s"' % n).fetchone()[0] for n in names}
        out = subprocess.run(
            ["psql", "-h", rig.SOCKET, "-p", rig.PORT, "-U", "postgres", "-d", "scenarios", "-X", "-A", "-t", "-c",
             "select table_name, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from argus.%I', "
             "table_name), true, true, '')))[1] from information_schema.tables where table_schema = 'argus' and "
             "table_type = 'BASE TABLE'"], capture_output=True, text=True, check=True).stdout
        return {k: int(v) for k, v in (line.split("|") for line in out.split())}

    def planted(source, name, sql):
        """A further database on the engine of `source`, made once."""
        made = planted.made.get((source, name))
        if made:
            return made
        if source.startswith("sqlite:"):
            path = os.path.join(rig.DIR, name + ".db")
            with sqlite3.connect(path) as db:
                db.executescript(sql)
            made = "sqlite:" + path
        else:
            rig.psql("create database %s;" % name, "postgres")
            rig.psql(sql, name)
            made = "postgresql://postgres@/%s?host=%s&port=%s" % (name, rig.SOCKET, rig.PORT)
        planted.made[source, name] = made
        return made

    planted.made = {}

    @everywhere("scenario 28: 15 tables are shown with their columns, 16 are a list and describe_table")
    def _(source, store):
        for n in (15, 16):
            sql = "".join("create table t%d(id integer primary key, c%d integer);\n" % (i, i) for i in range(1, n + 1))
            run(planted(source, "wide%d" % n, sql), store, "-q", "How many customers are there?")
            system = rig_text(last_request()[0])
            has(system, "t%d (table" % n, "the dictionary")
            same("columns of %d tables are inline" % n, ("- c%d integer" % n) in system.lower(), n == 15)
            same("a list says so", "describe_table" in system and "too many to show their columns" in system, n == 16)

    @everywhere("scenario 29: a column password_hash has no sample values, for a model, a person or a client")
    def _(source, store):
        secret = planted(source, "secret", "create table customers(id integer primary key, city text, password_hash text);\n"
                         "insert into customers values (1, 'Lisbon', 'CANARY-7fa1'), (2, 'Porto', 'CANARY-90bd');\n")
        before = len(rig.MODEL.requests)
        said = run(secret, store, "-q", "How many customers are there?")
        system = rig_text(last_request()[0])
        has(system, "password_hash", "the dictionary")
        has(system, "Lisbon", "the dictionary")
        said += run(secret, store, text="/tables customers\n")
        c = Client([rig.ARGUS, "mcp", secret, "--store", stores[store]], dict(rig.ENV, MAX_QUERIES_PER_MINUTE="100000"))
        described = json.dumps(c.tool("describe_table", table_name="customers")) + json.dumps(c.tool("get_metadata"))
        c.close()
        has(described, "Lisbon", "what a client sees")
        same("a sample of it", "CANARY" in json.dumps(rig.MODEL.requests[before:]) + said + described, False)

    @case("postgres: argus init makes a project in under a minute, and it answers")
    def _():
        home = os.path.join(rig.DIR, "init")
        os.makedirs(home)
        options = {"capture_output": True, "text": True, "env": rig.ENV, "cwd": home, "check": False, "timeout": 60}
        begun = time.monotonic()
        p = subprocess.run([rig.ARGUS, "init", rig.SOURCES["postgres"], "-p", "shop", "--store", "i.store", "-o", "json"],
                           **options)
        same("exit code of init: " + p.stderr, p.returncode, 0)
        made = json.loads(p.stdout)
        same("tables and columns", (made["tables"], made["columns"]), (4, 15))
        same("questions that it can answer", len(made["questions"]) >= 3, True)
        p = subprocess.run([rig.ARGUS, "chat", "-p", "shop", "--store", "i.store", "-q", "How many customers are there?"],
                           **options)
        same("exit code of chat: " + p.stderr, p.returncode, 0)
        has(p.stdout, "There are 60 customers.", "the answer")
        same("in under a minute", time.monotonic() - begun < 60, True)

    def server(what):
        subprocess.run(["sh", os.path.join(rig.ROOT, "tests/real/postgres.sh"), what, os.path.join(rig.DIR, "pg")],
                       check=True, capture_output=True)

    def statements_under_way():
        return subprocess.run(
            ["psql", "-h", rig.SOCKET, "-p", rig.PORT, "-U", "postgres", "-X", "-A", "-t", "-c",
             "select count(*) from pg_stat_activity where datname = 'shop' and state = 'active' and query ~ 'pairs'"],
            capture_output=True, text=True, check=True).stdout.strip()

    for kept in stores:
        @case("postgres, store %s: the server is killed inside a statement, and the turn goes on" % kept)
        def _(kept=kept):
            source = rig.SOURCES["postgres"]
            a = ask(source, kept, "How many customers are there?")
            rig.MODEL.server.hold = threading.Event()
            p = subprocess.Popen([rig.ARGUS, "chat", source, "--store", stores[kept], "--thread", a["thread"], "-q", PATIENT,
                                  "-o", "json", "--set", "max_queries_per_minute=100000"], env=rig.ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                end = time.monotonic() + 30
                while statements_under_way() == "0" and time.monotonic() < end:
                    time.sleep(0.05)
                if p.poll() is not None:
                    raise AssertionError("it ended: %r" % (p.communicate(),))
                same("the statement is under way: %s" % results(last_request()), statements_under_way(), "1")
                server("crash")
                server("again")
                rig.MODEL.server.hold.set()
                out, err = p.communicate(timeout=120)
            finally:
                rig.MODEL.server.hold.set()
                p.kill()
            same("exit code: " + err, p.returncode, 0)
            turn = json.loads(out)
            same("the first statement failed, the next one ran", [q["ok"] for q in turn["queries"]], [False, True])
            same("its class", turn["queries"][0]["class"], "connection")
            has(turn["answer"], "There are 60", "the answer")
            b = ask(source, kept, "How many products are there?", "--thread", a["thread"])
            same("turns of the thread", [t["turns"] for t in json.loads(run(source, kept, "--threads", "-o", "json"))["threads"]
                                         if t["id"] == a["thread"]], [3])
            same("status", b["status"], "ok")
            has(run(source, kept, "--thread", a["thread"], text=""), "There are 60 after all.", "the thread, read again")
