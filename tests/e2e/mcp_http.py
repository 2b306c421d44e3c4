#!/usr/bin/env python3
"""Acceptance of `argus mcp --http`: who may do what, and what holds when things go wrong (see mcp_http.sh)."""
import http.client
import json
import os
import resource
import sqlite3
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp_http_rig import ACCEPT, REVISION, Refused, Server, Session  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import case, has, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

ROOT, DIR, SOCKET, PORT = sys.argv[1:5]
ARGUS = os.environ["ARGUS"]
STORE = os.path.join(DIR, "store.db")
ENV = {"PATH": os.environ["PATH"], "HOME": DIR, "LANG": "C.UTF-8", "ARGUS_STORE": STORE}
SQL = ["create_artifact", "describe_table", "execute_sql", "explain_query", "get_metadata", "list_artifacts",
       "list_tables", "query", "run_recipe", "save_as_recipe", "save_learning", "search_knowledge", "update_artifact"]
AUDIT = ["aggregate", "audit_collection", "get_stats", "run_query", "schema_sample"]
SLOW = "SELECT count(*) FROM generate_series(1, 3000000000) g /* %s */"
TOKENS = {}
SERVER = []


def argus(*args, code=0, env=None, text=None):
    p = subprocess.run([ARGUS, *args], capture_output=True, text=True, env=env or ENV, input=text or "", check=False)
    same("exit code of argus %s: %s" % (" ".join(args), p.stderr), p.returncode, code)
    return p.stdout


def psql(sql, database="shop"):
    p = subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", database, "-X", "-A", "-t", "-v",
                        "ON_ERROR_STOP=1", "-c", sql], capture_output=True, text=True, check=False)
    if p.returncode:
        raise AssertionError(p.stderr)
    return p.stdout.strip()


def running(mark):
    return int(psql("select count(*) from pg_stat_activity where query like '%%%s */%%' and state = 'active' and pid <> "
                    "pg_backend_pid()" % mark))


def until(what, fn, seconds=8.0):
    end = time.monotonic() + seconds
    while not fn():
        if time.monotonic() > end:
            raise AssertionError("not within %g s: %s" % (seconds, what))
        time.sleep(0.05)


def token(name, *options):
    TOKENS[name] = json.loads(argus("token", "create", "--name", name, "-o", "json", *options))["token"]
    return TOKENS[name]


def log(*options):
    return json.loads(argus("log", "-o", "json", "-n", "1000", *options))["calls"]


def refused(what, status, fn):
    try:
        fn()
    except Refused as e:
        same("status of " + what, e.status, status)
        return e
    raise AssertionError("%s: it was let in" % what)


def server():
    return SERVER[0]


def session(name):
    return Session(server(), TOKENS[name])


def plant():
    psql("create database shop", "postgres")
    psql("create table users(id int primary key, name text); insert into users values (1, 'ann'), (2, 'bob')")
    for name in ("lite", "other"):
        db = sqlite3.connect(os.path.join(DIR, name + ".db"))
        db.executescript("create table notes(id integer primary key, body text); insert into notes(body) values "
                         "('of %s')" % name)
        db.close()
    with open(os.path.join(DIR, "password"), "w", encoding="utf-8") as f:
        f.write("secret\n")
    ENV["DB_CREDENTIAL_KEY"] = argus("project", "key").strip()
    argus("project", "add", "shop", "--source", "postgresql://postgres@127.0.0.1:%s/shop" % PORT, "--password-file",
          os.path.join(DIR, "password"), "max_queries_per_minute=100000")
    argus("project", "add", "lite", "--source", "sqlite:" + os.path.join(DIR, "lite.db"), "max_queries_per_minute=100000")
    argus("project", "add", "other", "--source", "sqlite:" + os.path.join(DIR, "other.db"))
    argus("project", "add", "docs", "documents=" + os.path.join(ROOT, "examples/shop"),
          "root=" + os.path.join(ROOT, "examples/wiki"))
    argus("project", "add", "slow", "--source", "sqlite:" + os.path.join(DIR, "lite.db"), "max_queries_per_minute=3")
    for user, project, role in (("ann", "shop", "admin"), ("ann", "lite", "analyst"), ("ann", "docs", "analyst"),
                                ("bob", "lite", "viewer"), ("bob", "docs", "viewer"), ("eve", "other", "admin"),
                                ("ann", "slow", "viewer"), ("bob", "slow", "viewer")):
        argus("project", "grant", project, user, role)
    token("ann", "--user", "ann", "--role", "admin")
    token("ann-shop", "--user", "ann", "--role", "admin", "--project", "shop")
    token("ann-sql", "--user", "ann", "--role", "admin", "--scope", "sql")
    token("ann-audit", "--user", "ann", "--role", "admin", "--scope", "audit")
    token("ann-ask", "--user", "ann", "--role", "admin", "--scope", "ask")
    token("ann-viewer", "--user", "ann", "--role", "viewer")
    token("bob", "--user", "bob", "--role", "admin")
    token("eve", "--user", "eve", "--role", "admin")
    SERVER.append(Server([ARGUS, "mcp", "--http", "--port", "0"], ENV))


@case("tools are those of the projects and of the token's scopes")
def _():
    for name, want in (("ann", SQL + AUDIT + ["ask_project"]), ("ann-shop", SQL), ("ann-sql", SQL), ("ann-audit", AUDIT),
                       ("ann-ask", ["ask_project"]), ("eve", SQL)):
        same("tools of " + name, session(name).tools(), sorted(want))


@case("a tool that is not listed for a caller cannot be called either")
def _():
    for name, tool, args in (("ann-sql", "run_query", {"project_id": "docs", "collection": "orders", "filter": {}}),
                             ("ann-audit", "query", {"project_id": "lite", "sql": "SELECT 1"}),
                             ("ann-sql", "ask_project", {"project_id": "docs", "question": "What?"})):
        a = session(name).call(tool, args)
        same("%s of %s is refused" % (tool, name), "error" in a or a["result"].get("isError"), True)


@case("several projects need project_id; one does not; the answer says which")
def _():
    e = session("ann").tool("query", sql="SELECT 1")["error"]
    same("code", e["code"], "NOT_FOUND")
    has(e["message"], "project_id is needed")
    has(e["hint"], "docs, lite, shop, slow")
    r = session("ann-shop").tool("query", sql="SELECT name FROM users ORDER BY id")
    same("one", (r["data"]["rows"], r["project_id"]), ([["ann"], ["bob"]], "shop"))
    r = session("ann").tool("query", sql="SELECT body FROM notes", project_id="lite")
    same("named", (r["data"]["rows"], r["project_id"]), ([["of lite"]], "lite"))


@case("a project of somebody else is not found, word for word like one that does not exist")
def _():
    s = session("ann")
    words = []
    for name in ("other", "nosuch"):
        for tool, args in (("query", {"sql": "SELECT 1"}), ("list_tables", {}), ("describe_table", {"table_name": "notes"}),
                           ("audit_collection", {}), ("ask_project", {"question": "What?"})):
            e = s.tool(tool, project_id=name, **args)["error"]
            same("code of " + tool, e["code"], "NOT_FOUND")
            words.append(json.dumps(e).replace(name, "X"))
    same("words", len(set(words)), 1)
    errors = [s.request("resources/read", {"uri": "argus://%s/tables/main.notes" % n})["error"] for n in ("other", "nosuch")]
    same("resources", errors[0]["code"], -32002)
    same("their words", json.dumps(errors[0]).replace("other", "nosuch"), json.dumps(errors[1]))
    same("eve's own", session("eve").tool("query", sql="SELECT body FROM notes")["data"]["rows"], [["of other"]])


@case("a token that names one project does not reach the user's others")
def _():
    same("code", session("ann-shop").tool("query", sql="SELECT 1", project_id="lite")["error"]["code"], "NOT_FOUND")


@case("a viewer reads documents but cannot audit: neither by membership nor by the token's ceiling")
def _():
    for name in ("bob", "ann-viewer"):
        s = session(name)
        e = s.tool("audit_collection", project_id="docs", collection="orders")["error"]
        same("code", e["code"], "PERMISSION_DENIED")
        has(e["message"], "analyst")
        same("he reads", "error" in s.tool("get_stats", project_id="docs", collection="orders", field="_id",
                                           operation="count"), False)


@case("every tool: structuredContent fits outputSchema, in success and failure")
def _():
    s = session("ann")
    for tool, args in (("list_tables", {}), ("describe_table", {"table_name": "notes"}), ("get_metadata", {}),
                       ("query", {"sql": "SELECT 1"}), ("explain_query", {"sql": "SELECT * FROM notes"}),
                       ("execute_sql", {"query": "SELECT 1"})):
        same(tool, s.tool(tool, project_id="lite", **args).get("error"), None)
    for tool, args in (("describe_table", {"table_name": "nots"}), ("query", {"sql": "DROP TABLE notes"}),
                       ("explain_query", {"sql": "SELEC"}), ("execute_sql", {"query": "SELECT nope FROM notes"})):
        same(tool, bool(s.tool(tool, project_id="lite", **args)["error"]), True)
    for tool, args in (("schema_sample", {}), ("run_query", {"filter": {}, "limit": 1}),
                       ("get_stats", {"field": "_id", "operation": "count"}),
                       ("aggregate", {"pipeline": [{"$count": "n"}]}), ("audit_collection", {})):
        same(tool, s.tool(tool, project_id="docs", collection="orders", **args).get("error"), None)
    same("ask", "error" in s.tool("ask_project", project_id="docs", question="How are pages stored?", offline=True), False)
    has(s.tool("ask_project", project_id="lite", question="What?")["error"]["message"], "no folder for questions")


@case("without a token: 401 with WWW-Authenticate, whose address tells where to ask; /health answers")
def _():
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    headers = {"Content-Type": "application/json", "Accept": ACCEPT}
    for extra, word in (({}, "resource_metadata"), ({"Authorization": "Bearer argus_" + "x" * 43}, "invalid_token"),
                        ({"Authorization": "Basic eA=="}, "invalid_request"), ({"Authorization": "Bearer"}, "invalid_")):
        status, h, _ = server().plain("POST", "/mcp", dict(headers, **extra), body)
        same("status with %s" % extra, status, 401)
        has(h["WWW-Authenticate"], word)
    address = "http://127.0.0.1:%d" % server().port
    has(h["WWW-Authenticate"], address + "/.well-known/oauth-protected-resource")
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        status, _, text = server().plain("GET", path)
        same("status of " + path, status, 200)
        same("resource", json.loads(text)["resource"], address + "/mcp")
    same("health", server().plain("GET", "/health")[0], 200)
    same("status without a token", server().plain("GET", "/status")[0], 401)
    same("a token in the address is no token", server().plain("POST", "/mcp?access_token=" + TOKENS["ann"], headers,
                                                              body)[0], 401)


@case("GET /status shows the documents that stay loaded")
def _():
    def documents():
        status, _, text = server().plain("GET", "/status", {"Authorization": "Bearer " + TOKENS["ann"]})
        same("status", status, 200)
        return json.loads(text)["documents"]
    call = {"filter": {}, "limit": 1, "collection": "orders", "project_id": "docs"}
    session("ann").tool("run_query", **call)
    before = documents()
    same("limit", before["limit_bytes"], 512 << 20)
    same("something is held", before["collections"] >= 1 and 0 < before["bytes"] <= before["limit_bytes"], True)
    session("ann").tool("run_query", **call)
    after = documents()
    same("another hit, no load", (after["hits"] - before["hits"], after["loads"] - before["loads"]), (1, 0))


@case("a foreign Host or Origin is refused with 403, before anything is run")
def _():
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    good = {"Content-Type": "application/json", "Accept": ACCEPT, "Authorization": "Bearer " + TOKENS["ann"]}
    for name, value in (("Host", "evil.example"), ("Host", "evil.example:%d" % server().port),
                        ("Origin", "http://evil.example"), ("Origin", "null"), ("Origin", "http://localhost.evil.example")):
        same("%s: %s" % (name, value), server().plain("POST", "/mcp", dict(good, **{name: value}), body)[0], 403)


@case("a session belongs to its token: another user, another token, no token are refused")
def _():
    s = session("ann")
    s.tools()
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/list"})
    for name in ("bob", "eve"):
        e = refused("ann's session with the token of " + name, 404, lambda n=name: Session(
            server(), TOKENS[n], s.id).request("tools/list"))
        same("nothing is told", "query" in e.body, False)
        status, _, _ = server().plain("DELETE", "/mcp", {"Authorization": "Bearer " + TOKENS[name], "Mcp-Session-Id": s.id,
                                                         "MCP-Protocol-Version": REVISION})
        same("nor ended", status, 404)
        status, _, _ = server().plain("GET", "/mcp", {"Authorization": "Bearer " + TOKENS[name], "Mcp-Session-Id": s.id,
                                                      "Accept": "text/event-stream", "MCP-Protocol-Version": REVISION})
        same("nor read", status, 404)
    same("no token", server().plain("POST", "/mcp", {"Content-Type": "application/json", "Accept": ACCEPT,
                                                     "Mcp-Session-Id": s.id}, body)[0], 401)
    same("it still lives", "query" in s.tools(), True)
    status, _, _ = server().plain("DELETE", "/mcp", dict(s.headers()))
    same("its owner ends it", status in (200, 202, 204), True)
    refused("an ended session", 404, s.tools)


@case("two calls at once in one session: the slow one does not keep the other")
def _():
    s = session("ann-shop")
    got = {}

    def slow():
        got["slow"] = s.tool("query", sql="SELECT count(*) FROM generate_series(1, 15000000) g /* beside */")
    s.tools()
    t = threading.Thread(target=slow)
    t.start()
    until("the slow one runs", lambda: running("beside") == 1)
    same("the other", s.tool("query", sql="SELECT 2")["data"]["rows"], [[2]])
    same("the slow one still runs", running("beside"), 1)
    t.join(60)
    same("the slow one", got["slow"]["data"]["rows"], [[15000000]])


@case("the client hangs up in the middle of a query: it is ended in PostgreSQL, and recorded")
def _():
    s = session("ann-shop")
    c = s.begin(s.message("tools/call", {"name": "query", "arguments": {"sql": SLOW % "hung"}}))
    until("it runs", lambda: running("hung") == 1)
    c.close()
    until("it is ended", lambda: running("hung") == 0)
    until("it is recorded", lambda: [r["outcome"] for r in log() if "hung" in r["sql"]] == ["CANCELLED"])
    same("the session works", s.tool("query", sql="SELECT 3")["data"]["rows"], [[3]])


@case("notifications/cancelled from another connection ends the statement")
def _():
    s = session("ann-shop")
    m = s.message("tools/call", {"name": "query", "arguments": {"sql": SLOW % "told"}})
    c = s.begin(m)
    until("it runs", lambda: running("told") == 1)
    s.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": m["id"]}})
    until("it is ended", lambda: running("told") == 0)
    c.close()


@case("another user cannot cancel it, though he knows the session and the id")
def _():
    s = session("ann-shop")
    m = s.message("tools/call", {"name": "query", "arguments": {"sql": SLOW % "kept"}})
    c = s.begin(m)
    until("it runs", lambda: running("kept") == 1)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": m["id"]}}
    refused("in her session", 404, lambda: Session(server(), TOKENS["bob"], s.id).post(cancel))
    session("bob").post(cancel)
    time.sleep(0.5)
    same("it runs on", running("kept"), 1)
    c.close()
    until("it is ended", lambda: running("kept") == 0)


@case("audit_collection tells its progress over the stream, under the client's own token")
def _():
    s = session("ann")
    a = s.call("audit_collection", {"project_id": "docs", "collection": "orders"}, {"progressToken": "p-1"})
    same("it is well", a["result"].get("isError", False), False)
    told = [n["params"] for n in s.notifications if n["method"] == "notifications/progress"]
    same("there is some", len(told) > 0, True)
    same("the token", set(p["progressToken"] for p in told), {"p-1"})
    steps = [p["progress"] for p in told]
    same("it grows", steps, sorted(set(steps)))
    same("findings", len(a["result"]["structuredContent"]["findings"]) > 0, True)


@case("the limit a minute is one user's: the other goes on")
def _():
    a, b = session("ann"), session("bob")
    codes = [a.tool("query", project_id="slow", sql="SELECT 1").get("error", {}).get("code") for _ in range(5)]
    same("ann", codes, [None, None, None, "RATE_LIMITED", "RATE_LIMITED"])
    same("bob", b.tool("query", project_id="slow", sql="SELECT 1")["success"], True)
    same("ann elsewhere", a.tool("query", project_id="lite", sql="SELECT 1")["success"], True)


@case("a project that is disabled or changed is so for clients that are connected")
def _():
    s = session("bob")
    same("before", s.tool("query", project_id="lite", sql="SELECT 1")["success"], True)
    argus("project", "set", "lite", "excluded_tables=notes")
    until("excluded", lambda: not s.tool("query", project_id="lite", sql="SELECT * FROM notes")["success"])
    argus("project", "set", "lite", "--disable")
    until("gone", lambda: s.tool("query", project_id="lite", sql="SELECT 1").get("error", {}).get("code") == "NOT_FOUND")
    argus("project", "set", "lite", "--enable", "excluded_tables=")
    until("back", lambda: s.tool("query", project_id="lite", sql="SELECT * FROM notes")["success"])


@case("expired and revoked tokens, and lost roles, are refused with the next request; what is open under them ends")
def _():
    names = {}
    for name in ("dies", "gone"):
        made = json.loads(argus("token", "create", "--user", "bob", "--role", "viewer", "--name", name, "-o", "json"))
        names[name] = made["id"]
        TOKENS[name] = made["token"]
    kept = {name: session(name) for name in names}
    ann = session("ann")
    TOKENS["leaver"] = json.loads(argus("token", "create", "--user", "ann", "--role", "admin", "--name", "leaver", "-o",
                                        "json"))["token"]
    leaver = session("leaver")
    leaver_id = [t["id"] for t in json.loads(argus("token", "list", "-o", "json"))["tokens"] if t["name"] == "leaver"][0]
    listening = http.client.HTTPConnection("127.0.0.1", server().port, timeout=30)
    listening.request("GET", "/mcp", headers=leaver.headers())
    stream = listening.getresponse()
    same("a listening stream", stream.status, 200)
    call = leaver.begin({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {
        "name": "query", "arguments": {"project_id": "shop", "sql": SLOW % "leaver"}, "_meta": {"progressToken": 1}}})
    plain = leaver.begin({"jsonrpc": "2.0", "id": 78, "method": "tools/call", "params": {
        "name": "query", "arguments": {"project_id": "shop", "sql": SLOW % "leaver"}}})
    until("the leaver's queries run", lambda: running("leaver") == 2)
    same("ann before", ann.tool("query", project_id="slow", sql="SELECT 1").get("error", {}).get("code"), "RATE_LIMITED")
    db = sqlite3.connect(STORE, timeout=10)
    db.execute("update tokens set expires_at = ? where id = ?", (int(time.time() * 1000) - 1000, names["dies"]))
    db.commit()
    db.close()
    argus("token", "revoke", names["gone"])
    argus("project", "revoke", "slow", "ann")
    argus("token", "revoke", leaver_id)
    for name, s in kept.items():
        def is_refused(s=s):
            try:
                s.tools()
                return False
            except Refused as e:
                return e.status == 401
        same(name + " is refused", is_refused(), True)
    same("ann lost it", ann.tool("query", project_id="slow", sql="SELECT 1")["error"]["code"], "NOT_FOUND")
    stream.read()  # until its end
    listening.close()
    same("the call has no answer", b'"id":77' in call.getresponse().read(), False)
    call.close()
    answer = plain.getresponse()
    same("a plain call is refused", (answer.status, b"revoked" in answer.read()), (401, True))
    has(answer.headers["WWW-Authenticate"], "invalid_token")
    plain.close()
    until("the leaver's queries have ended", lambda: running("leaver") == 0)
    for name in names:
        e = refused("a new session of " + name, 401, lambda n=name: session(n))
        has(e.headers["WWW-Authenticate"], "invalid_token")


@case("query reports progress to a client that asks for it: that it waits, and for how long it runs")
def _():
    s = session("ann-shop")
    before = len(s.notifications)
    a = s.call("query", {"sql": "SELECT count(*) FROM generate_series(1, 12000000) g /* progress */"}, {"progressToken": "p1"})
    same("answer", a["result"]["structuredContent"]["data"]["rows"], [[12000000]])
    got = [n["params"] for n in s.notifications[before:] if n["method"] == "notifications/progress"]
    same("some came", len(got) >= 1, True)
    same("of this call", {p["progressToken"] for p in got}, {"p1"})
    has(got[-1]["message"], "running for")
    values = [p["progress"] for p in got]
    same("they grow", values, sorted(set(values)))


@case("a store that cannot be written (its disk is full): nothing is run, and all is well when it can be again")
def _():
    s = session("ann-shop")
    pid = server().process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    same("before", s.tool("query", sql="SELECT 'before full'")["success"], True)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        got = []
        for _ in range(3):
            got.append(s.tool("query", sql="SELECT 'while full'"))
            same("no answer without a row", got[-1]["success"], False)
        e = got[-1]["error"]
        same("code", (e["code"], e["retryable"]), ("UNAVAILABLE", True))
        has(e["message"], "audit table")
        for tool, args in (("list_tables", {}), ("explain_query", {"sql": "SELECT 1"})):
            same("code of " + tool, s.tool(tool, **args)["error"]["code"], "UNAVAILABLE")
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
    until("well again", lambda: s.tool("query", sql="SELECT 'after full'")["success"])
    until("recorded", lambda: any("after full" in r["sql"] and r["outcome"] == "ok" for r in log()))
    rows = [r for r in log() if "while full" in r["sql"]]
    same("what ran and what was refused while it was full is recorded", len(rows), len(got))
    same("outcomes", set(r["outcome"] for r in rows), {"UNAVAILABLE"})
    same("what had run was withheld", sum(r["detail"] == "the answer was withheld" for r in rows) <= 1, True)
    argus("log", "--verify")


@case("SIGTERM with calls under way: it ends within seconds, statements too, and everything is recorded")
def _():
    s = session("ann-shop")
    connections = [s.begin(s.message("tools/call", {"name": "query", "arguments": {"sql": SLOW % "term"}}))
                   for _ in range(3)]
    until("they run", lambda: running("term") == 3)
    code, seconds = server().stop()
    same("within seconds (%.1f)" % seconds, seconds < 8, True)
    same("exit code", code in (0, 130, 143), True)
    until("they are ended", lambda: running("term") == 0)
    for c in connections:
        c.close()
    rows = [r for r in log() if "term */" in r["sql"]]
    same("recorded", [r["outcome"] for r in rows], ["CANCELLED"] * 3)
    argus("log", "--verify")
    same("who", {(r["user"], r["project"]) for r in rows}, {("ann", "shop")})
    words = "".join(server().stderr) + json.dumps(log())
    same("no token in any word", [n for n, t in TOKENS.items() if t in words], [])
    with open(STORE, "rb") as f:
        data = f.read()
    same("nor in the store", [n for n, t in TOKENS.items() if t.encode() in data], [])


def main():
    plant()
    try:
        run_cases()
    finally:
        if server().process.poll() is None:
            server().process.kill()


main()
