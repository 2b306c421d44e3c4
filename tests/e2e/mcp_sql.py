#!/usr/bin/env python3
"""The acceptance scenarios of guarded SQL through the MCP server (see mcp_sql.sh)."""
import json
import os
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp_client import Client  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import case, has, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

DIR, SOCKET, PORT = sys.argv[1:4]
ARGUS = os.environ["ARGUS"]
CANARY = "canary-of-the-test-7391"
ENV = {"PATH": os.environ["PATH"], "HOME": DIR, "LANG": "C.UTF-8"}


def psql(sql, database="shop"):
    p = subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", database, "-X", "-A", "-t", "-v",
                        "ON_ERROR_STOP=1", "-c", sql], capture_output=True, text=True, check=False)
    if p.returncode:
        raise AssertionError(p.stderr)
    return p.stdout.strip()


def plant():
    psql("create database shop", "postgres")
    psql("""
      create table users(id int primary key, name text not null, password_hash text, joined timestamptz);
      insert into users values (1, 'ann', '%s', '2026-01-02 03:04:05+00'), (2, 'bob', null, null);
      create table user_roles(user_id int references users(id), role text);
      create table orders(id serial primary key, user_id int, total numeric(12,2));
      insert into orders(user_id, total) select 1 + g %% 2, g * 1.10 from generate_series(1, 700) g;
      create table payments(id int, card text); insert into payments values (1, '%s');
      create view pay as select id from payments;
      create schema other; create table other.t(id int);
      create table t(id int); insert into t values (1);
      create table big(id int, doc text);
      insert into big select g, repeat('x', 100000) from generate_series(1, 60) g;
      create table huge(v text); insert into huge values (repeat('x', 64000000));
      comment on table users is 'People who buy';
    """ % (CANARY, CANARY))


def config(name, **settings):
    path = os.path.join(DIR, name + ".yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write("store: %s\nprojects:\n  shop:\n    source: postgresql://postgres@/shop?host=%s&port=%s\n"
                % (os.path.join(DIR, name + ".db"), SOCKET, PORT))
        settings.setdefault("max_queries_per_minute", 100000)
        for key, value in settings.items():
            f.write("    %s: %s\n" % (key, json.dumps(value)))
    return path


def client(name, env=None, **settings):
    return Client([ARGUS, "mcp", "--config", config(name, **settings)], env=env or ENV)


def refused(c, sql, code="VALIDATION_ERROR"):
    r = c.tool("query", sql=sql)
    same("success of " + sql[:80], r["success"], False)
    same("code of " + sql[:80], r["error"]["code"], code)
    same("isError", c.is_error, True)
    return r["error"]


def log(name, *options):
    p = subprocess.run([ARGUS, "log", "--store", os.path.join(DIR, name + ".db"), "-o", "json", *options],
                       capture_output=True, text=True, env=ENV, check=False)
    same("exit code of argus log: " + p.stderr, p.returncode, 0)
    return json.loads(p.stdout)


@case("1: a plain query has a limit of cap + 1, its table, and is not truncated")
def _():
    c = client("one")
    r = c.tool("query", sql="SELECT id FROM users")
    same("success", r["success"], True)
    has(r["data"]["sql_executed"], "LIMIT 501")
    same("tables", r["data"]["tables_accessed"], ["users"])
    same("rows", sorted(r["data"]["rows"]), [[1], [2]])
    same("truncated", r["data"]["truncated"], False)
    same("no warnings", r.get("warnings"), None)
    same("project", r["project_id"], "shop")
    same("exit", c.close(), 0)


@case("2: rows beyond the cap: cut, proven, one warning that names the cap; exactly the cap is not cut")
def _():
    c = client("two", max_rows_per_query=700)
    r = c.tool("query", sql="SELECT id FROM orders")
    same("row_count", (r["data"]["row_count"], r["data"]["truncated"]), (700, False))
    c.close()
    c = client("two", max_rows_per_query=699)
    r = c.tool("query", sql="SELECT id FROM orders")
    same("row_count", (r["data"]["row_count"], r["data"]["truncated"]), (699, True))
    same("warnings", len(r["warnings"]), 1)
    has(r["warnings"][0], "699")
    flat = c.tool("execute_sql", query="SELECT id FROM orders")
    same("flat", (flat["row_count"], flat["truncated"], flat["error"], len(flat["caveats"])), (699, True, None, 1))
    c.close()


@case("3: DROP TABLE is refused, nothing runs, and the audit table has it")
def _():
    c = client("three")
    e = refused(c, "DROP TABLE users")
    has(e["message"], "Only SELECT")
    c.close()
    same("users are there", psql("select count(*) from users"), "2")
    rows = log("three")["calls"]
    same("rows of the audit table", len(rows), 1)
    same("its outcome", (rows[0]["outcome"], rows[0]["verdict"], rows[0]["rule"]),
         ("VALIDATION_ERROR", "deny", "forbidden_statement"))


@case("4: two statements are refused, and told so")
def _():
    c = client("four")
    has(refused(c, "SELECT 1; SELECT 2")["message"].lower(), "multiple")
    same("a trailing semicolon is fine", c.tool("query", sql="SELECT 1;")["success"], True)
    c.close()


@case("5: a CTE that writes is refused")
def _():
    c = client("five")
    refused(c, "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone")
    same("users are there", psql("select count(*) from users"), "2")
    c.close()


@case("6: an excluded table through a CTE of its name is refused")
def _():
    c = client("six", excluded_tables=["t"])
    refused(c, "WITH t AS (SELECT * FROM public.t) SELECT * FROM t")
    same("the CTE alone", c.tool("query", sql="WITH t AS (SELECT 1 AS a) SELECT a FROM t")["success"], True)
    c.close()


@case("7: a table that is not on the list is refused by name")
def _():
    c = client("seven", allowed_tables=["users", "orders"])
    has(refused(c, "SELECT * FROM users u JOIN payments p ON p.id = u.id")["message"], "payments")
    same("the others", c.tool("query", sql="SELECT count(*) FROM users u JOIN orders o ON o.user_id = u.id")["data"]
         ["rows"], [[700]])
    c.close()


@case("8: a table in both lists is refused; a view over an excluded table as well")
def _():
    c = client("eight", allowed_tables=["users", "payments", "pay"], excluded_tables=["payments"])
    refused(c, "SELECT * FROM payments")
    refused(c, "SELECT * FROM pay")
    c.close()


@case("9, 10: own limits: at most what was asked, at most the cap")
def _():
    c = client("nine", max_rows_per_query=100)
    for sql, n in (("SELECT id FROM orders FETCH FIRST 5 ROWS ONLY", 5), ("SELECT id FROM orders LIMIT 0", 0),
                   ("SELECT id FROM orders LIMIT 7", 7), ("SELECT id FROM orders LIMIT 100", 100)):
        r = c.tool("query", sql=sql)["data"]
        same(sql, (r["row_count"], r["truncated"]), (n, False))
    for limit in ("ALL", "10000", "50 + 300", "NULL", "(SELECT 400)", "'900'::int"):
        r = c.tool("query", sql="SELECT id FROM orders LIMIT " + limit)["data"]
        same(limit, (r["row_count"], r["truncated"]), (100, True))
    r = c.tool("query", sql="SELECT id FROM orders ORDER BY id OFFSET 650")["data"]
    same("offset", (r["row_count"], r["truncated"], r["rows"][0]), (50, False, [651]))
    c.close()


@case("11: an unclosed literal, 300 and 100,000 parentheses, 10 MB, NUL: refused cleanly or answered")
def _():
    c = client("eleven")
    refused(c, "SELECT 'abc")
    refused(c, "SELECT /* abc")
    r = c.tool("query", sql="SELECT " + "(" * 300 + "1" + ")" * 300)
    same("300 parentheses", r["success"] or r["error"]["code"] == "VALIDATION_ERROR", True)
    refused(c, "SELECT " + "(" * 30000 + "1" + ")" * 30000)
    refused(c, "SELECT " + "(" * 100000 + "1" + ")" * 100000)
    refused(c, "SELECT '" + "x" * 5000000 + "'")
    refused(c, "SELECT " + "+".join(["1"] * 20000))
    refused(c, "SELECT 1\0 ")
    same("and it still answers", c.tool("query", sql="SELECT 1")["data"]["rows"], [[1]])
    same("exit", c.close(), 0)


@case("values whose size only the planner can bound: small ones run, large ones are refused before they run")
def _():
    c = client("planned")
    for sql in ("SELECT user_id, repeat('#', (count(*) / 10)::int) FROM orders GROUP BY 1",
                "SELECT user_id, array_agg(id ORDER BY id) FROM orders GROUP BY 1",
                "SELECT string_agg(doc, '') FROM big WHERE id < 3",
                "SELECT ARRAY(SELECT id FROM orders)"):
        same(sql, c.tool("query", sql=sql)["success"], True)
    cross = "generate_series(1, 1000) a, generate_series(1, 1000) b, generate_series(1, 1000) c"
    beyond = ", ".join("generate_series(1, 900000) g%d" % i for i in range(4))  # more rows than 64 bits count
    for sql in ("SELECT array_agg(a) FROM " + cross, "SELECT string_agg(a::text, '') FROM " + cross,
                "SELECT string_agg('a', '') FROM " + cross, "SELECT array_agg(g1) FROM " + beyond,
                "SELECT ARRAY(SELECT a FROM " + cross + ")", "SELECT array_agg(a) OVER () FROM " + cross,
                "SELECT repeat('a', count(*)::int) FROM " + cross,
                "SELECT string_agg(repeat('a', 60000), '') FROM generate_series(1, 100000)",
                "SELECT jsonb_agg(o) FROM orders o, orders p, orders q"):
        e = refused(c, sql, "TOO_COSTLY")
        has(e["message"], "huge_value")
    c.close()


@case("12: a query past its time is ended on the server; the connection works again")
def _():
    c = client("twelve", max_query_timeout_seconds=0.5, max_connections=1)
    began = time.monotonic()
    e = refused(c, "SELECT count(*) FROM generate_series(1, 1000000000) g /* slow */", "QUERY_TIMEOUT")
    same("in time", time.monotonic() - began < 5, True)
    same("class", e["class"], "timeout")
    same("nothing runs", psql("select count(*) from pg_stat_activity where query like '%slow%' and state = 'active' and "
                              "pid <> pg_backend_pid()"), "0")
    same("the same connection", c.tool("query", sql="SELECT 1")["data"]["rows"], [[1]])
    c.close()


@case("12: notifications/cancelled ends the statement on the server, and there is no answer")
def _():
    c = client("cancel")
    c.tool("query", sql="SELECT 1")
    ident = c.begin("tools/call", {"name": "query", "arguments": {
        "sql": "SELECT count(*) FROM generate_series(1, 3000000000) g /* cancelled */"}})
    running = "select count(*) from pg_stat_activity where query like '%cancelled */%' and state = 'active' and pid <> " \
              "pg_backend_pid()"
    for _ in range(100):
        if psql(running) == "1":
            break
        time.sleep(0.05)
    same("it runs", psql(running), "1")
    c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident, "reason": "test"}})
    for _ in range(100):
        if psql(running) == "0":
            break
        time.sleep(0.05)
    same("it is ended", psql(running), "0")
    same("another call", c.tool("query", sql="SELECT 2")["data"]["rows"], [[2]])
    same("no answer came", ident in c.answers, False)
    c.close()
    same("outcome in the audit table", [r["outcome"] for r in log("cancel")["calls"] if "cancelled" in r["sql"]],
         ["CANCELLED"])


@case("12: the client goes away: the statement is ended on the server")
def _():
    c = client("gone")
    c.begin("tools/call", {"name": "query", "arguments": {
        "sql": "SELECT count(*) FROM generate_series(1, 3000000000) g /* left */"}})
    running = "select count(*) from pg_stat_activity where query like '%left */%' and state = 'active' and pid <> " \
              "pg_backend_pid()"
    for _ in range(100):
        if psql(running) == "1":
            break
        time.sleep(0.05)
    same("it runs", psql(running), "1")
    c.process.stdin.close()
    c.process.wait(20)
    for _ in range(60):
        if psql(running) == "0":
            break
        time.sleep(0.05)
    same("it is ended", psql(running), "0")


@case("13: describe_table with a wrong name suggests the right ones")
def _():
    c = client("thirteen")
    r = c.tool("describe_table", table_name="usr")
    same("code", r["error"]["code"], "NOT_FOUND")
    has(r["error"]["detail"], "users")
    has(r["error"]["detail"], "user_roles")
    r = c.tool("describe_table", table_name="USERS")
    same("any case", r["data"]["name"], "users")
    same("comment", r["data"]["comment"], "People who buy")
    c.close()


@case("29: no sample values of a column whose name says that it is secret, nor of an excluded table")
def _():
    c = client("samples", excluded_tables=["payments"])
    r = c.tool("describe_table", table_name="users")["data"]
    column = next(x for x in r["columns"] if x["name"] == "password_hash")
    same("samples", column.get("sample_values", []), [])
    same("others have", len(next(x for x in r["columns"] if x["name"] == "name")["sample_values"]), 2)
    everything = json.dumps(c.tool("get_metadata")) + json.dumps(c.tool("list_tables"))
    same("canary", CANARY in everything + json.dumps(r), False)
    same("payments", "payments" in everything, False)
    c.close()


@case("30: a database that is down: after 5 failures calls fail at once, with the time to wait")
def _():
    path = os.path.join(DIR, "down.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write("store: %s/down.db\nprojects:\n  down:\n    source: postgresql://nobody@127.0.0.1:1/none\n" % DIR)
    c = Client([ARGUS, "mcp", "--config", path], env=ENV)
    for _ in range(5):
        same("code", c.tool("query", sql="SELECT 1")["error"]["code"], "CONNECTION_ERROR")
    e = c.tool("query", sql="SELECT 1")["error"]
    same("code", e["code"], "UNAVAILABLE")
    same("retry", 0 < e["retry_after_seconds"] <= 30, True)
    c.close()


@case("38: the limit a minute: refused with the time to wait, shared by two processes, others unaffected")
def _():
    a, b = client("rate", max_queries_per_minute=6), client("rate", max_queries_per_minute=6)
    got = [(a if i % 2 else b).tool("query", sql="SELECT %d" % i) for i in range(8)]
    same("let through", sum(r["success"] for r in got), 6)
    e = next(r["error"] for r in got if not r["success"])
    same("code", e["code"], "RATE_LIMITED")
    same("retry", 0 < e["retry_after_seconds"] <= 60, True)
    a.close()
    b.close()
    same("recorded", sum(r["outcome"] == "RATE_LIMITED" for r in log("rate")["calls"]), 2)


@case("39: the password of a settings file comes from a variable and appears nowhere")
def _():
    path = os.path.join(DIR, "secret.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write("store: %s/secret.db\nprojects:\n  shop:\n    source: postgresql://postgres@127.0.0.1:%s/shop\n"
                "    password_env: ARGUS_SHOP_PASSWORD\n" % (DIR, PORT))
    c = Client([ARGUS, "mcp", "--config", path, "-v", "-v"], env=dict(ENV, ARGUS_SHOP_PASSWORD="secret"))
    same("it works", c.tool("query", sql="SELECT 1")["success"], True)
    c.close()
    c = Client([ARGUS, "mcp", "--config", path, "-v", "-v"], env=dict(ENV, ARGUS_SHOP_PASSWORD=CANARY))
    e = c.tool("query", sql="SELECT 1")["error"]
    same("code", e["code"], "CONNECTION_ERROR")
    has(e["message"], "authentication")
    c.close()
    with open(os.path.join(DIR, "secret.db"), "rb") as f:
        same("store", CANARY.encode() in f.read(), False)
    same("words", CANARY in json.dumps(e) + "".join(c.stderr), False)
    with open(path, "a", encoding="utf-8") as f:
        f.write("  open:\n    source: postgresql://postgres:%s@127.0.0.1:%s/shop\n" % (CANARY, PORT))
    p = subprocess.run([ARGUS, "mcp", "--config", path], env=dict(ENV, ARGUS_SHOP_PASSWORD="secret"), input="",
                       capture_output=True, text=True, check=False)
    same("a password in the file is refused", p.returncode, 1)
    same("and not repeated", CANARY in p.stderr + p.stdout, False)


@case("a byte cap cuts between rows, says so, and what comes fits")
def _():
    c = client("bytes", max_result_bytes=1000000)

    def memory(what):
        with open("/proc/%d/status" % c.process.pid, encoding="ascii") as f:
            return next(int(x.split()[1]) for x in f if x.startswith(what))

    c.tool("query", sql="SELECT 1")
    before = memory("VmRSS")
    r = c.tool("query", sql="SELECT id, doc FROM big ORDER BY id")
    same("cut", (r["data"]["truncated"], r["data"]["truncated_by"]), (True, "bytes"))
    same("rows", 1 <= r["data"]["row_count"] <= 10, True)
    same("whole rows", [len(x[1]) for x in r["data"]["rows"]], [100000] * r["data"]["row_count"])
    has(r["data"]["how_to_go_on"], "OFFSET")
    r = c.tool("query", sql="SELECT v FROM huge")
    same("one huge value", (r["data"]["row_count"], r["data"]["truncated"]), (0, True))
    more = memory("VmHWM") - before
    same("memory stays small (%d KB more)" % more, more < 32000, True)
    c.close()


@case("project_id: another project is not found, whether it exists or not")
def _():
    c = client("scope")
    for name in ("other", "shop2", "../shop"):
        e = c.tool("query", sql="SELECT 1", project_id=name)["error"]
        same("code", e["code"], "NOT_FOUND")
    same("one's own", c.tool("query", sql="SELECT 1", project_id="shop")["success"], True)
    c.close()
    same("recorded", sorted(r["detail"] for r in log("scope")["calls"] if r["outcome"] == "NOT_FOUND"),
         ["../shop", "other", "shop2"])


@case("errors carry class, SQLSTATE, position and a hint")
def _():
    c = client("errors")
    for sql, cls, state in (("SELECT nope FROM users", "column_not_found", "42703"),
                            ("SELECT * FROM nope", "table_not_found", "42P01"),
                            ("SELECT 1/0", None, "22012"),
                            ("SELECT 'a'::int", None, "22P02"),
                            ("SELECT name, count(*) FROM users", None, "42803")):
        e = c.tool("query", sql=sql)["error"]
        same("sqlstate of " + sql, e.get("sqlstate"), state)
        same("code of " + sql, e["code"], "VALIDATION_ERROR")
        if cls:
            same("class of " + sql, e["class"], cls)
        same("hint of " + sql, bool(e.get("hint")), True)
    c.close()


@case("values: exact numbers, times, arrays, JSON, bytes")
def _():
    c = client("values")
    r = c.tool("query", sql="""SELECT 9007199254740993::bigint, 12.10::numeric(10,2),
        12345678901234567890.123::numeric, 'NaN'::float8, true, null, date '2026-02-03',
        timestamp '2026-02-03 04:05:06.789', array[1,null,3], array['a,b','c"d'], '{"a": [1, {"b": null}]}'::jsonb,
        '\\xdead'::bytea, 'é', '7f1de7ad-26a2-4a2d-8d5b-2d4f2a1e1b7f'::uuid""")["data"]
    same("row", r["rows"][0], ["9007199254740993", 12.10, "12345678901234567890.123", "NaN", True, None, "2026-02-03",
                               "2026-02-03T04:05:06.789", [1, None, 3], ["a,b", 'c"d'], {"a": [1, {"b": None}]},
                               "\\xdead", "é", "7f1de7ad-26a2-4a2d-8d5b-2d4f2a1e1b7f"])
    c.close()


@case("the audit table is a chain: argus log --verify holds, and sees a changed row")
def _():
    c = client("chain")
    for i in range(30):
        c.tool("query", sql="SELECT %d" % i)
    c.close()
    store = os.path.join(DIR, "chain.db")
    p = subprocess.run([ARGUS, "log", "--verify", "--store", store], capture_output=True, text=True, env=ENV, check=False)
    same("verify: " + p.stdout + p.stderr, p.returncode, 0)
    db = sqlite3.connect(store)
    table = next(r[0] for r in db.execute("select name from sqlite_master where type = 'table' and sql like "
                                         "'%fingerprint%'"))
    db.execute("update %s set sql = 'SELECT 99' where seq = 7" % table)
    db.commit()
    db.close()
    p = subprocess.run([ARGUS, "log", "--verify", "--store", store], capture_output=True, text=True, env=ENV, check=False)
    same("a changed row", p.returncode, 1)
    has(p.stdout + p.stderr, "7")


@case("SQLite: the same tools, the same refusals")
def _():
    path = os.path.join(DIR, "file.db")
    db = sqlite3.connect(path)
    db.executescript("create table users(id integer primary key, name text); insert into users(name) values ('ann'), "
                     "('bob'); create table payments(id integer primary key, card text); create view pay as select * from payments;"
                     "create virtual table pay_text using fts5(card, content='payments', content_rowid='id');"
                     "create virtual table pay_old using fts4(card, content=\"payments\");"
                     "create virtual table pay_words using fts5vocab(pay_text, 'row'); create virtual table notes using "
                     "fts5(body); create virtual table words using fts5vocab(notes, 'row'); insert into notes values ('x');")
    db.close()
    before = sorted(os.listdir(DIR))
    with open(os.path.join(DIR, "file.yaml"), "w", encoding="utf-8") as f:
        f.write("store: %s/file-store.db\nprojects:\n  file:\n    source: sqlite:%s\n    excluded_tables: [payments]\n"
                "    max_rows_per_query: 1\n" % (DIR, path))
    c = Client([ARGUS, "mcp", "--config", os.path.join(DIR, "file.yaml")], env=ENV)
    r = c.tool("query", sql="SELECT id, name FROM users ORDER BY id")
    same("rows", (r["data"]["rows"], r["data"]["truncated"]), ([[1, "ann"]], True))
    for sql in ("DELETE FROM users", "SELECT * FROM payments", "SELECT * FROM pay", "ATTACH '/tmp/x.db' AS x",
                "PRAGMA writable_schema=1", "SELECT load_extension('x')", "SELECT * FROM sqlite_master",
                "SELECT 1; SELECT 2", "SELECT 'abc", "CREATE TABLE x(a)", "SELECT * FROM pragma_table_info('users')",
                "SELECT card FROM pay_text", "SELECT rowid FROM pay_text WHERE pay_text MATCH 'x'", "SELECT * FROM pay_old",
                "SELECT * FROM pay_words"):
        refused(c, sql)
    same("other text indexes", [c.tool("query", sql=sql)["data"]["rows"] for sql in (
        "SELECT body FROM notes WHERE notes MATCH 'x'", "SELECT term FROM words")], [[["x"]], [["x"]]])
    c.close()
    new = set(os.listdir(DIR)) - set(before)
    same("nothing is written beside the file", [n for n in new if n.startswith("file.db")], [])


def main():
    plant()
    run_cases()


main()
