#!/usr/bin/env python3
"""Conversations with a database, as a user has them (see chat.sh): each case on PostgreSQL and on SQLite."""
import json
import os
import pty
import random
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chat_policy import HARDER, QUESTIONS, STUBBORN, Model  # noqa: E402  pylint: disable=wrong-import-position
import chat_scenarios  # noqa: E402  pylint: disable=wrong-import-position
from mcp_http_rig import Server  # noqa: E402  pylint: disable=wrong-import-position
import mcp_want  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import case, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

DIR, SOCKET, PORT = sys.argv[1:4]
ARGUS = os.environ["ARGUS"]
ROOT = os.environ.get("ARGUS_SOURCE_ROOT", ".")
MODEL = Model()
ENV = {"PATH": os.environ["PATH"], "HOME": DIR, "LANG": "C.UTF-8", "USER": "ann", "LLM_API_BASE": MODEL.url,
       "LLM_MODEL": "policy", "LLM_API_KEY": "none"}
NO_MODEL = {k: v for k, v in ENV.items() if not k.startswith("LLM")}
LITE = os.path.join(DIR, "shop.db")
SOURCES = {"postgres": "postgresql://postgres@/shop?host=%s&port=%s" % (SOCKET, PORT), "sqlite": "sqlite:" + LITE}

SCHEMA = """
create table customers(id integer primary key, name text not null, region text not null);
create table products(id integer primary key, name text not null, category text, price numeric(8,2));
create table orders(id integer primary key, customer_id integer not null references customers(id), status text,
  ordered_on date);
create table order_items(id integer primary key, order_id integer references orders(id),
  product_id integer references products(id), quantity integer)
"""


def rows():
    rnd = random.Random(18)
    yield from ("insert into customers values (%d, 'Customer %d', '%s')" %
                (i, i, rnd.choice(["North", "South", "East", "West"])) for i in range(1, 61))
    yield from ("insert into products values (%d, 'Product %d', '%s', %.2f)" %
                (i, i, rnd.choice(["Toys", "Books", "Tools"]), rnd.randint(100, 9000) / 100) for i in range(1, 21))
    yield from ("insert into orders values (%d, %d, '%s', '%s')" %
                (i, rnd.randint(1, 50), rnd.choice(["paid", "open", "refunded"]) if i % 40 else "",
                 "%d-%02d-%02d" % (rnd.choice([2024, 2025]), rnd.randint(1, 12), rnd.randint(1, 28)))
                for i in range(1, 301))
    yield "update orders set status = null where status = ''"
    yield from ("insert into order_items values (%d, %d, %d, %d)" %
                (i, rnd.randint(1, 300), rnd.randint(1, 20), rnd.randint(1, 5)) for i in range(1, 801))


# The statements that the policy should come to.
RIGHT = {
    "How many orders were paid?": "SELECT COUNT(*) FROM orders WHERE status = 'paid'",
    "Which region has most customers?":
        "SELECT region, COUNT(*) AS n FROM customers GROUP BY region ORDER BY n DESC, region LIMIT 1",
    "How many products are there?": "SELECT COUNT(*) FROM products",
    "What is the highest price?": "SELECT MAX(price) FROM products",
    "Which category has most products?":
        "SELECT category, COUNT(*) AS n FROM products GROUP BY category ORDER BY n DESC, category LIMIT 1",
    "How many items were sold?": "SELECT SUM(quantity) FROM order_items",
    "How many orders has customer 7?": "SELECT COUNT(*) FROM orders WHERE customer_id = 7",
    "What is the lowest id of an order?": "SELECT MIN(id) FROM orders",
    "How many orders has the North?": "SELECT COUNT(*) FROM orders JOIN customers ON customers.id = customer_id "
                                      "WHERE region = 'North'",
    "Which product was sold most?":
        "SELECT products.name, SUM(quantity) AS n FROM order_items JOIN products ON products.id = product_id "
        "GROUP BY products.name ORDER BY n DESC, products.name LIMIT 1",
    "How many customers have no order?": "SELECT COUNT(*) FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
    "What is the average quantity, rounded?": "SELECT round(AVG(quantity)) FROM order_items",
    "How many open orders has each region?":
        "SELECT region, COUNT(*) AS n FROM orders JOIN customers ON customers.id = orders.customer_id "
        "WHERE status = 'open' GROUP BY region ORDER BY region",
}


# What the policy should come to for the harder ones; the refused, the empty and the ambiguous ones have no such statement.
RIGHT_HARDER = {
    question: (first.replace("orderd_on", "ordered_on").replace("FROM customer c", "FROM customers c").replace("quantty", "quantity")
               .replace("statuss", "status").replace("ordres", "orders").replace("custmer_id", "customer_id"))
    for question, (first, _) in HARDER.items() if first and first.startswith("SELECT") and "2030" not in first and ";" not in first}


def has(what, text, part):
    mcp_want.has(text, part, what)


def psql(sql, database="shop"):
    p = subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", database, "-X", "-q", "-v",
                        "ON_ERROR_STOP=1"], input=sql, capture_output=True, text=True, check=False)
    if p.returncode:
        raise AssertionError(p.stderr)


def plant():
    data = SCHEMA + ";\n" + ";\n".join(rows()) + ";\n"
    psql("create database shop;", "postgres")
    psql("begin;\n" + data + "commit; analyze;")
    with sqlite3.connect(LITE) as db:
        db.executescript(data)


def truth(sql):
    with sqlite3.connect(LITE) as db:
        return db.execute(sql).fetchone()


def store_uri(name):
    """A file of that name; "postgres:NAME" is a database."""
    if name.startswith("postgres:"):
        return "postgresql://postgres@/%s?host=%s&port=%s" % (name[9:], SOCKET, PORT)
    return os.path.join(DIR, name + ".store")


def chat(engine, *options, store=None, text=None, env=None):
    return subprocess.run([ARGUS, "chat", SOURCES[engine], "--store", store_uri(store or engine),
                           "--set", "max_queries_per_minute=100000", *options], capture_output=True, text=True,
                          env=env or ENV, input=text, check=False, timeout=120)


def ask(engine, question, *options, **kw):
    p = chat(engine, "-q", question, "--output", "json", *options, **kw)
    same("exit code of %r: %s" % (question, p.stderr), p.returncode, 0)
    return json.loads(p.stdout)


def both(name):
    """A case on each engine."""
    def add(f):
        for engine in SOURCES:
            case("%s: %s" % (engine, name))(lambda engine=engine: f(engine))
    return add


def twenty(engine, store):
    same("questions", len(QUESTIONS), 20)
    for question, (first, answer) in QUESTIONS.items():
        a = ask(engine, question, store=store)
        if question.startswith("Delete"):
            same("answer", a["answer"], answer)
            same("class", a["queries"][0]["class"], "refused")
            continue
        # SQLite takes a column that is not grouped: no error, so nothing to mend.
        wrong = question in RIGHT and not (engine == "sqlite" and "category" in question)
        values = ["{:g}".format(v) if isinstance(v, float) else v for v in truth(RIGHT[question] if wrong else first)]
        has("answer to %r (%s)" % (question, a["queries"]), a["answer"], answer.format(*values))
        same("status of %r" % question, a["status"], "ok")
        if wrong:
            has("answer to %r" % question, a["answer"], "I corrected the query after an error.")
            same("ok of the first query of %r" % question, a["queries"][0]["ok"], False)
        last = [x for x in a["queries"] if x["tool"] == "execute_sql"][-1]
        same("the last query of %r is whole" % question, (last["ok"], last["truncated"]), (True, False))
        same("%r names its tables" % question, len(last["tables"]) > 0, True)


@both("a model of policy completes twenty questions, and corrects itself")
def _(engine):
    twenty(engine, engine)


@both("ten harder questions: windows, joins, dates, nulls, nothing found, two meanings, refusals")
def _(engine):
    same("questions", (len(HARDER), len(RIGHT_HARDER)), (10, 6))
    for question, (first, answer) in HARDER.items():
        a = ask(engine, question)
        if first is None or "2030" in first:
            same("answer to %r" % question, (a["answer"], a["status"]), (answer, "ok"))
            same("queries of %r" % question, [(q["ok"], q["rows"]) for q in a["queries"]], [(True, [])] if first else [])
            continue
        if question not in RIGHT_HARDER:
            same("answer to %r" % question, a["answer"], answer)
            same("%r is refused: %r" % (question, a["queries"]), {q["class"] for q in a["queries"]}, {"refused"})
            continue
        has("answer to %r (%s)" % (question, a["queries"]), a["answer"], answer.format(*truth(RIGHT_HARDER[question])))
        has("answer to %r" % question, a["answer"], "I corrected the query after an error.")
        same("%r: the first fails, the last holds" % question, [q["ok"] for q in a["queries"]], [False, True])
    same("orders and prices are still there", truth("SELECT COUNT(*), MIN(price) > 0 FROM orders, products"), (6000, 1))


@both("the same twenty questions with a store in PostgreSQL")
def _(engine):
    psql("create database twenty_%s;" % engine, "postgres")
    twenty(engine, "postgres:twenty_" + engine)
    p = chat(engine, "--threads", "-o", "json", store="postgres:twenty_" + engine)
    same("threads", len(json.loads(p.stdout)["threads"]), 20)


@both("after three retries it explains, and the next question has its own")
def _(engine):
    a = ask(engine, STUBBORN)
    same("status", a["status"], "partial")
    has("answer", a["answer"], "I tried 4 times")
    same("classes", [q.get("class") for q in a["queries"]], ["column_not_found"] * 4)
    b = ask(engine, "How many orders were paid?", "--continue")
    same("status", b["status"], "ok")
    same("thread", b["thread"], a["thread"])
    has("the retry", json.dumps(MODEL.requests[-1]), "retry 1 of 3")


@both("a conversation on a pipe: commands, a question, the same thread")
def _(engine):
    p = chat(engine, store="pipe-" + engine,
             text="/tables\n/sql select count(*) as n from orders\nHow many orders are open?\n/why\n/threads\n/nope\n")
    same("exit code: " + p.stderr, p.returncode, 0)
    has("tables", p.stdout, "order_items (4 columns)")
    has("rows", p.stdout, "300")
    has("answer", p.stdout, "orders are open.")
    has("sources", p.stdout, "where status = 'open'")
    has("the figure's cell", p.stdout, ": r1, row 1, n")
    has("threads", p.stdout, "1 question")
    has("unknown", p.stderr, "/help lists them")
    again = chat(engine, "--continue", store="pipe-" + engine, text="")
    has("the thread is shown again", again.stdout, "orders are open.")


@both("a turn that is killed goes on with --continue, and only the statement under way may run again")
def _(engine):
    MODEL.server.delay = 0.15
    done = 0
    try:
        for i in range(12):
            store = "kill-%s-%d" % (engine, i)
            p = subprocess.Popen([ARGUS, "chat", SOURCES[engine], "--store", os.path.join(DIR, store + ".store"), "-q",
                                  "Which product was sold most?"], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(0.05 + 0.05 * i)
            p.send_signal(signal.SIGKILL)
            p.communicate()
            again = chat(engine, "--continue", store=store, text="")
            if "there is no thread" in again.stderr:
                continue
            same("exit code: " + again.stderr, again.returncode, 0)
            has("answer", again.stdout, "Product")
            done += 1
            log = subprocess.run([ARGUS, "log", "--store", os.path.join(DIR, store + ".store"), "-o", "json"],
                                 capture_output=True, text=True, env=ENV, check=True)
            sent = [r["sql"] for r in json.loads(log.stdout)["calls"] if r["tool"] == "execute_sql"
                    and r["outcome"] != "began"]
            # The result of the one that was under way may not have reached the log.
            same("at most one statement was run again: %r" % sent, len(sent) - len(set(sent)) <= 1, True)
    finally:
        MODEL.server.delay = 0
    same("some were killed in the middle", done > 3, True)


def on_terminal(options, steps):
    """A conversation on a terminal: types each text when the one before it has appeared. What the terminal showed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(ARGUS, [ARGUS, "chat", *options], dict(ENV, TERM="xterm", COLUMNS="100", NO_COLOR="1"))
    shown = b""
    for wanted, text in steps:
        end = time.time() + 30
        while wanted.encode() not in shown:
            if time.time() > end:
                os.kill(pid, signal.SIGKILL)
                raise AssertionError("%r does not appear: %r" % (wanted, shown[-1500:]))
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    shown += os.read(fd, 65536)
                except OSError:
                    break
        shown = shown[shown.find(wanted.encode()):] if text else shown
        if text:
            os.write(fd, text.encode())
            time.sleep(0.1)
    # To its end: a terminal that goes away before would hang up on it.
    end = time.time() + 30
    while time.time() < end and select.select([fd], [], [], 30)[0]:
        try:
            if not os.read(fd, 65536):
                break
        except OSError:
            break
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@case("on a terminal lines are edited, Ctrl-C stops the question alone, and history is kept")
def _():
    store = os.path.join(DIR, "terminal", "t.store")
    options = [SOURCES["sqlite"], "--store", store]
    code = on_terminal(options, [("4 tables", "How many orders are openX\x7f?\r"), ("Sources:", "/why\r"),
                                 ("turn ", "/tables gr\u00fc\u00dfe\r"), ("no table \"gr\u00fc\u00dfe\"", "/quit\r"),
                                 ("/quit", "")])
    same("exit code", code, 0)
    MODEL.server.delay = 5
    try:
        begun = time.time()
        code = on_terminal(options, [("4 tables", "How many products are there?\r"), ("products are there?", "\x03"),
                                     ("argus: stopped", "/sql select 40 + 2 as n\r"), ("1 row", "/quit\r"),
                                     ("/quit", "")])
    finally:
        MODEL.server.delay = 0
    same("exit code", code, 0)
    same("Ctrl-C waits for nothing", time.time() - begun < 5, True)
    code = on_terminal(options, [("4 tables", "\x1b[A\x1b[A\r"), ("42", "/quit\r"), ("/quit", "")])
    same("exit code", code, 0)
    same("rights of the history", oct(os.stat(os.path.join(DIR, "terminal", "chat_history")).st_mode & 0o777), "0o600")


@both("an overloaded provider is asked once more, and that is said")
def _(engine):
    MODEL.server.failures = [529]
    p = chat(engine, "-q", "How many customers are there?")
    same("exit code: " + p.stderr, p.returncode, 0)
    has("note", p.stderr, "it is asked once more")
    MODEL.server.failures = [529, 529]
    p = chat(engine, "-q", "How many customers are there?")
    same("exit code", p.returncode, 1)
    has("error", p.stderr, "(2 attempts)")
    same("stdout", p.stdout, "")


@case("postgres: a database that restarts in the middle of a conversation")
def _():
    a = ask("postgres", "How many customers are there?")
    subprocess.run(["sh", os.path.join(ROOT, "tests/real/postgres.sh"), "crash", os.path.join(DIR, "pg")], check=True,
                   capture_output=True)
    p = chat("postgres", "-q", "How many customers are there?", "--continue")
    same("exit code", p.returncode, 0)
    same("no figure", "60" in p.stdout, False)
    subprocess.run(["sh", os.path.join(ROOT, "tests/real/postgres.sh"), "again", os.path.join(DIR, "pg")], check=True,
                   capture_output=True)
    b = ask("postgres", "How many customers are there?", "--continue")
    same("thread", b["thread"], a["thread"])
    has("answer", b["answer"], "60")


@case("postgres: threads in a store of PostgreSQL")
def _():
    psql("create database store;", "postgres")
    store = ["--store", "postgresql://postgres@/store?host=%s&port=%s" % (SOCKET, PORT)]

    def one(*options):
        p = subprocess.run([ARGUS, "chat", SOURCES["sqlite"], *store, *options], capture_output=True, text=True, env=ENV,
                           input="", check=False, timeout=60)
        same("exit code: " + p.stderr, p.returncode, 0)
        return p.stdout
    a = json.loads(one("-q", "How many orders were paid?", "-o", "json"))
    b = json.loads(one("-q", "How many customers are there?", "-o", "json", "--continue"))
    same("thread", b["thread"], a["thread"])
    c = json.loads(one("-q", "How many products are there?", "-o", "json", "--branch", a["turn"]))
    same("a branch is another thread", c["thread"] != a["thread"], True)
    threads = json.loads(one("--threads", "-o", "json"))["threads"]
    same("threads", [(t["id"], t["turns"]) for t in threads], [(c["thread"], 2), (a["thread"], 2)])
    has("the thread is shown", one("--thread", a["thread"][:18]), "There are 60 customers.")


@case("sqlite: MCP_SERVER_URL runs the statements elsewhere, for the project that the user names")
def _():
    config = os.path.join(DIR, "served.yaml")
    with open(config, "w", encoding="utf-8") as f:
        f.write("store: %s\nprojects:\n  shop:\n    source: %s\n  other:\n    source: sqlite:%s\n"
                % (os.path.join(DIR, "served.store"), SOURCES["sqlite"], os.path.join(DIR, "other.db")))
    sqlite3.connect(os.path.join(DIR, "other.db")).execute("create table t(a int)").connection.close()
    server = subprocess.Popen([ARGUS, "mcp", "--config", config, "--http", "--port", "0", "--no-auth"], env=ENV,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        url = ""
        while "http://" not in url:
            url = server.stderr.readline()
            same("the server starts", server.poll(), None)
        url = url[url.index("http://"):].split()[0].rstrip(".,;")
        env = dict(ENV, MCP_SERVER_URL=url if url.endswith("/mcp") else url.rstrip("/") + "/mcp")

        def served(*options, project="shop"):
            return subprocess.run([ARGUS, "chat", "-p", project, "--store", os.path.join(DIR, "client.store"), "-q",
                                   "How many customers are there?", *options], capture_output=True, text=True, env=env,
                                  check=False, timeout=60)
        p = served("-o", "json")
        same("exit code: " + p.stderr, p.returncode, 0)
        a = json.loads(p.stdout)
        same("answer", a["answer"], "There are 60 customers.")
        same("rows", a["queries"][0]["rows"], [[60]])
        tools = {t["function"]["name"]: t["function"]["parameters"] for t in MODEL.requests[-1]["tools"]}
        same("tools", sorted(tools), ["compute", "describe_table", "execute_sql", "explain_query", "get_metadata",
                                      "list_tables"])
        same("the project is hidden", [n for n, t in tools.items() if "project_id" in json.dumps(t)], [])
        p = served("-o", "json", project="other")
        same("exit code: " + p.stderr, p.returncode, 0)
        same("the other project has no such table", json.loads(p.stdout)["queries"][0]["class"], "table_not_found")
        here = os.path.join(DIR, "here.yaml")
        with open(here, "w", encoding="utf-8") as f:
            f.write("projects:\n  shop:\n    source: sqlite:%s\n" % os.path.join(DIR, "other.db"))
        p = subprocess.run([ARGUS, "chat", "--config", here, "-p", "shop", "--store", os.path.join(DIR, "client.store")],
                           input="/sql select count(*) as n from customers\n", capture_output=True, text=True, env=env, check=False, timeout=60)
        same("/sql runs there as well: " + p.stderr, "60" in p.stdout, True)
    finally:
        server.kill()
        server.communicate()
    p = served()
    same("exit code", p.returncode, 1)
    has("a server that is away", p.stderr, "argus: ")


@case("sqlite: a project without rights, at a server that asks for a token")
def _():
    config = os.path.join(DIR, "rights.yaml")
    with open(config, "w", encoding="utf-8") as f:
        f.write("store: %s\nprojects:\n  shop:\n    source: %s\n  other:\n    source: %s\n"
                % (os.path.join(DIR, "rights.store"), SOURCES["sqlite"], SOURCES["sqlite"]))

    def argus(*args):
        return subprocess.run([ARGUS, *args, "--config", config], env=ENV, capture_output=True, text=True, check=True).stdout.strip()
    argus("project", "grant", "shop", "ann", "viewer")
    argus("project", "grant", "other", "bob", "admin")
    tokens = {user: argus("token", "create", "--user", user) for user in ("ann", "bob")}
    server = Server([ARGUS, "mcp", "--config", config, "--http", "--port", "0"], ENV)
    try:
        def asked(token):
            env = dict(ENV, MCP_SERVER_URL="http://127.0.0.1:%d/mcp" % server.port)
            env.update({"ARGUS_MCP_TOKEN": token} if token else {})
            return subprocess.run([ARGUS, "chat", "-p", "shop", "--store", os.path.join(DIR, "rights-client.store"), "-q",
                                   "How many customers are there?", "-o", "json"], capture_output=True, text=True, env=env,
                                  check=False, timeout=60)
        p = asked(tokens["ann"])
        same("exit code: " + p.stderr, p.returncode, 0)
        same("a member's answer", json.loads(p.stdout)["answer"], "There are 60 customers.")
        p = asked(tokens["bob"])
        same("exit code: " + p.stderr, p.returncode, 0)
        a = json.loads(p.stdout)
        has("who is no member finds no project", a["queries"][0]["error"], "there is no project \"shop\"")
        same("rows", [q.get("rows") for q in a["queries"] if q["ok"]], [])
        for token, what in (("", "set ARGUS_MCP_TOKEN"), ("argus_nonsense", "the token in ARGUS_MCP_TOKEN is not good there")):
            p = asked(token)
            same("exit code", (p.returncode, p.stdout), (1, ""))
            has("a token %r" % token, p.stderr, what)
    finally:
        server.stop()


@case("without a model /sql works, and it is said what to set")
def _():
    env = {k: v for k, v in ENV.items() if not k.startswith("LLM")}
    p = chat("sqlite", store="nomodel", text="/sql select 40 + 2 as n\nHow many?\n", env=env)
    same("exit code", p.returncode, 1)
    has("rows", p.stdout, "42")
    has("what to set", p.stderr, "ANTHROPIC_API_KEY")


def demo(*options, text=None, env=None, store="demo"):
    return subprocess.run([ARGUS, "chat", "--demo", "--store", os.path.join(DIR, store + ".store"), "--set",
                           "max_queries_per_minute=100000", *options], capture_output=True, text=True,
                          env=env or NO_MODEL, input=text, check=False, timeout=60)


def demo_json(question, *options, **kw):
    p = demo("-q", question, "--output", "json", *options, **kw)
    same("exit code of %r: %s" % (question, p.stderr), p.returncode, 0)
    return json.loads(p.stdout)


def demo_questions():
    """those that it names when it does not know one"""
    return re.findall(r"^- `(.*)`$", demo_json("What is love?")["answer"], re.M)


@case("the demo answers each question that it names, from rows of the shop, and is marked")
def _():
    questions = demo_questions()
    same("questions", len(questions) >= 5, True)
    with sqlite3.connect(":memory:") as db, open(os.path.join(ROOT, "examples/shop-sql/shop.sql"),
                                                 encoding="utf-8") as f:
        db.executescript(f.read())
        for q in questions:
            a = demo_json(q)
            same("mark of %r" % q, (a["demo"], a["model"], a["status"]), (True, "argus-demo-script", "ok"))
            same("doubt of %r" % q, (a["doubt"], a["replaced"]), ("", []))
            last = [x for x in a["queries"] if x["tool"] == "execute_sql"][-1]
            same("rows of %r" % q, [list(r) for r in db.execute(last["sql"])], last["rows"])
            has("answer to %r" % q, a["answer"], str(last["rows"][0][-1]))
            same("proven figures of %r" % q, {f["verdict"] for f in a["figures"]} - {"exempt"}, {"cell"})
    a = demo_json("which COUNTRY has the most customers")
    same("a mistake is corrected", [x["ok"] for x in a["queries"]], [False, True])
    p = demo("-q", questions[0])
    has("the mark on the terminal", p.stdout, "demo: a script wrote this answer, no model was asked")


@case("the demo knows the questions that argus init --demo names")
def _():
    home = os.path.join(DIR, "demo-init")
    os.makedirs(home)
    p = subprocess.run([ARGUS, "init", "--demo", "--store", os.path.join(home, "s.store"), "--output", "json"],
                       capture_output=True, text=True, env=NO_MODEL, cwd=home, check=False, timeout=60)
    same("exit code of init: " + p.stderr, p.returncode, 0)
    named = json.loads(p.stdout)["questions"]
    same("questions are named", len(named) > 2, True)
    same("named but unknown", set(named) - set(demo_questions()), set())


@case("the demo says what it does not know, goes on with its thread, and runs /sql")
def _():
    p = demo(text="How many customers are there?\nAnd in Berlin?\n/sql select 40 + 2 as n\n", store="talk")
    same("exit code: " + p.stderr, p.returncode, 0)
    for part in ("There are 477 customers.", "does not know this question", "42"):
        has("the conversation", p.stdout, part)
    a = demo_json("How many order items are there?", "--continue", store="talk")
    b = demo_json("And now?", "--thread", a["thread"], store="talk")
    same("thread", b["thread"], a["thread"])
    has("an unknown question behind a known one", b["answer"], "does not know this question")
    same("its statements", b["queries"], [])
    p = demo("-q", "How many customers are there?", "--continue", "--set", "max_queries_per_minute=1", store="talk")
    has("a statement that was refused: " + p.stderr, p.stdout, "did not run, so there is no answer")


@case("the demo takes no model's place: only when it is asked for")
def _():
    dead = dict(NO_MODEL, LLM_API_BASE="http://127.0.0.1:9/v1", LLM_MODEL="m", LLM_API_KEY="k")
    p = chat("sqlite", "-q", "How many customers are there?", env=dead, store="dead")
    same("exit code of a dead model", p.returncode, 1)
    same("no answer is made up", p.stdout, "")
    before = len(MODEL.requests)
    same("a model that is set", demo_json("How many customers are there?", env=ENV)["demo"], True)
    same("requests to it", len(MODEL.requests), before)
    same("a model's answer has no mark", "demo" in ask("sqlite", "How many customers are there?"), False)
    for option in ("sqlite:x.db", "--model=m", "--project=p", "--record=f", "--replay=f"):
        p = demo("-q", "x", option)
        same("exit code with %s: %s" % (option, p.stderr), p.returncode, 2)
        has("error with " + option, p.stderr, "beside it")


@case("bad input has one sentence with what to do")
def _():
    def bad(code, words, *options, env=None, args=None):
        p = subprocess.run([ARGUS, "chat", *(args or [SOURCES["sqlite"]]), "--store", os.path.join(DIR, "bad.store"),
                            *options], capture_output=True, text=True, env=env or ENV, input="", check=False, timeout=60)
        same("exit code of %s: %s" % (options, p.stderr), p.returncode, code)
        for word in words:
            has("error of %s" % (options,), p.stderr, word)
        same("stdout of %s" % (options,), p.stdout, "")
    bad(1, ["no thread of this project begins with", "--threads"], "--thread", "0190abcd", "-q", "x")
    bad(1, ["no turn of this project begins with"], "--branch", "0190abcd", "-q", "x")
    bad(1, ["there is no thread of this project yet"], "--continue", "-q", "x")
    bad(1, ["10001 characters", "at most 10000"], "-q", "x" * 10001)
    bad(2, ["want a question, got blanks"], "-q", " ")
    bad(2, ["choose one"], "--continue", "--thread", "0190", "-q", "x")
    bad(1, ["No such file"], "-q", "x", args=["sqlite:/nowhere/x.db"])
    bad(1, ["no project"], "-q", "x", "-p", "nothing", args=[])
    bad(1, ["no model is set", "ANTHROPIC_API_KEY"], "-q", "x",
        env={k: v for k, v in ENV.items() if not k.startswith("LLM")})
    other = ask("sqlite", "How many customers are there?")
    p = chat("sqlite", "--thread", other["thread"], "-q", "x", env=dict(ENV, USER="bob"))
    same("exit code", p.returncode, 1)
    has("another's thread is unknown", p.stderr, "no thread of this project begins with")


plant()
chat_scenarios.register(sys.modules[__name__])
run_cases()
