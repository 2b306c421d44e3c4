#!/usr/bin/env python3
"""Acceptance of the tools beside SQL, and of resources, prompts and completion (see mcp_tools.sh). The documents of the shop are
its files, or those of the server at SHOP_URI (mongo_suites.sh)."""
import json
import os
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp_client import Client  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import case, has, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

ROOT, DIR = sys.argv[1:3]
ARGUS = os.environ["ARGUS"]
SHOP = os.environ.get("SHOP_URI", ROOT + "/examples/shop")
ENV = {"PATH": os.environ["PATH"], "HOME": DIR, "LANG": "C.UTF-8"}
CLIENT = []


def client():
    return CLIENT[0]


def tool(name, **arguments):
    return client().tool(name, **arguments)


def docs(name, **arguments):
    return tool(name, project_id="docs", **arguments)


def failed(name, code, **arguments):
    r = tool(name, **arguments)
    same("success of " + name, r.get("success"), False)
    same("code of %s: %s" % (name, r["error"]["message"]), r["error"]["code"], code)
    same("isError", client().is_error, True)
    return r["error"]


def request(method, **params):
    return client().request(method, params)


def some_order():
    with open(os.path.join(ROOT, "examples/shop/orders.ndjson"), encoding="utf-8") as f:
        return json.loads(f.readline())


def plant():
    db = sqlite3.connect(os.path.join(DIR, "lite.db"))
    db.executescript("""
      create table users(id integer primary key, name text not null, password_hash text);
      insert into users(name, password_hash) values ('ann', 'canary-1'), ('b|b', 'canary-2');
      create table user_roles(user_id integer references users(id), role text);
      insert into user_roles values (1, 'owner');
      create table "odd name"("a b" int);
      create view named as select name from users;
      create table payments(card text); insert into payments values ('canary-3');
    """)
    db.close()
    path = os.path.join(DIR, "argus.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write("store: %s/store.db\nprojects:\n  docs:\n    documents: %s\n  files:\n    root: %s/examples/wiki\n"
                "  kept:\n    documents: %s/kept\n  lite:\n    source: sqlite:%s/lite.db\n    excluded_tables: [payments]\n"
                % (DIR, SHOP, ROOT, DIR, DIR))
    os.mkdir(os.path.join(DIR, "kept"))
    write_old(os.path.join(DIR, "kept", "big.ndjson"), 40000, 100)
    CLIENT.append(Client([ARGUS, "mcp", "--config", path], env=ENV))


WRITING = ("save_learning", "save_as_recipe", "run_recipe", "create_artifact", "update_artifact")


@case("a local client sees every tool, all but five read only, with schemas; the server tells what it can")
def _():
    hello = client().hello["result"]
    same("name", hello["serverInfo"]["name"], "argus")
    for part in ("tools", "resources", "prompts", "completions"):
        same(part, part in hello["capabilities"], True)
    tools = request("tools/list")["result"]["tools"]
    same("names", sorted(t["name"] for t in tools), sorted([
        "query", "execute_sql", "list_tables", "describe_table", "get_metadata", "explain_query", "schema_sample",
        "run_query", "get_stats", "aggregate", "audit_collection", "ask_project", "search_knowledge", "save_learning",
        "save_as_recipe", "run_recipe", "create_artifact", "update_artifact", "list_artifacts"]))
    for t in tools:
        same("read only: " + t["name"], t["annotations"]["readOnlyHint"], t["name"] not in WRITING)
        same("schemas of " + t["name"], (t["inputSchema"]["type"], t["outputSchema"]["type"]), ("object", "object"))
        same("help of " + t["name"], bool(t["description"]), True)


@case("schema_sample: the fields of a collection")
def _():
    r = docs("schema_sample", collection="orders")
    same("sampled", r["documents_sampled"], 200)
    same("fields", set(some_order()) <= {f["path"] for f in r["fields"]}, True)
    same("sampled", docs("schema_sample", collection="orders", sample_size=17)["documents_sampled"], 17)


@case("run_query: documents that match, and how many there are")
def _():
    r = docs("run_query", collection="orders", filter={}, limit=2)
    same("counts", (r["matched_count"], r["returned_count"], len(r["documents"]), r["truncated"]), (5400, 2, 2, True))
    want = some_order()
    r = docs("run_query", collection="orders", filter={"_id": want["_id"]}, projection={"order_no": 1})
    same("the document", (r["documents"], r["truncated"]), ([{"_id": want["_id"], "order_no": want["order_no"]}], False))
    r = docs("run_query", collection="orders", filter={"_id": "there is none"})
    same("none", (r["matched_count"], r["documents"]), (0, []))


def write_old(path, n, age):
    """n documents, written so long ago that the server trusts the file's state."""
    with open(path + ".new", "w", encoding="utf-8") as f:
        for i in range(n):
            f.write(json.dumps({"n": i, "text": "x" * 50}) + "\n")
    then = time.time() - age
    os.utime(path + ".new", (then, then))
    os.rename(path + ".new", path)


def bytes_read():
    with open("/proc/%d/io" % client().process.pid, encoding="ascii") as f:
        return int(f.readline().split()[1])


@case("documents stay loaded between calls; a changed file is read again, and a new file of the folder is seen")
def _():
    def count(collection):
        return tool("get_stats", project_id="kept", collection=collection, field="n", operation="count")["value"]
    big = os.path.join(DIR, "kept", "big.ndjson")
    size = os.path.getsize(big)
    same("documents", count("big"), 40000)
    before = bytes_read()
    for _ in range(5):
        same("documents", count("big"), 40000)
    same("the file was not read again", bytes_read() - before < size / 10, True)
    write_old(big, 30000, 200)
    same("after a change", count("big"), 30000)
    write_old(os.path.join(DIR, "kept", "more.ndjson"), 7, 200)
    same("a new collection", count("more"), 7)
    before = bytes_read()
    same("the other one", count("big"), 30000)
    same("the other one was not read again", bytes_read() - before < size / 10, True)
    os.unlink(big)
    e = failed("get_stats", "NOT_FOUND", project_id="kept", collection="big", field="n", operation="count")
    has(e["hint"], "more")


@case("get_stats and aggregate count exactly, each in its own way")
def _():
    for status in ("delivered", "cancelled"):
        n = docs("run_query", collection="orders", filter={"status": status}, limit=1)["matched_count"]
        r = docs("get_stats", collection="orders", field="_id", operation="count", filter={"status": status})
        same("get_stats", r["value"], n)
        r = docs("aggregate", collection="orders", pipeline=[{"$match": {"status": status}}, {"$count": "n"}])
        same("aggregate", r["results"], [{"n": n}] if n else [])
    same("all", docs("get_stats", collection="orders", field="_id", operation="count")["value"], 5400)


@case("stages that write and code are refused; so are broken filters and fields that are not")
def _():
    for stage in ({"$out": "x"}, {"$merge": {"into": "x"}}, {"$out": {"db": "a", "coll": "b"}}):
        e = failed("aggregate", "PERMISSION_DENIED", project_id="docs", collection="orders", pipeline=[stage])
        has(e["message"] + e.get("hint", ""), list(stage)[0])
    failed("aggregate", "PERMISSION_DENIED", project_id="docs", collection="orders",
           pipeline=[{"$match": {"$where": "1"}}])
    failed("aggregate", "VALIDATION_ERROR", project_id="docs", collection="orders", pipeline=[{"$nosuch": 1}])
    failed("run_query", "PERMISSION_DENIED", project_id="docs", collection="orders", filter={"$where": "sleep(1)"})
    failed("run_query", "VALIDATION_ERROR", project_id="docs", collection="orders", filter={"a": {"$nosuch": 1}})
    same("no file is made", sorted(os.listdir(os.path.join(ROOT, "examples/shop"))), BEFORE)


@case("errors name what there is: collections, projects, arguments")
def _():
    e = failed("run_query", "NOT_FOUND", project_id="docs", collection="order", filter={})
    has(e["hint"], "customers, orders, products")
    e = failed("run_query", "VALIDATION_ERROR", project_id="docs", filter={})
    has(e["message"], "collection is needed")
    e = failed("run_query", "NOT_FOUND", collection="orders", filter={})
    has(e["hint"], "docs, files, kept, lite")
    e = failed("run_query", "NOT_FOUND", project_id="lite", collection="orders", filter={})
    has(e["message"], "no documents")
    e = failed("query", "NOT_FOUND", project_id="docs", sql="SELECT 1")
    has(e["message"], "no database")
    for arguments in ({"project_id": "docs", "collection": "orders", "operation": "count"},
                      {"project_id": "docs", "collection": "orders", "field": "_id", "operation": "sum"},
                      {"project_id": "docs", "collection": "orders", "field": 7, "operation": "count"},
                      {"project_id": ["docs"]}):
        a = request("tools/call", name="get_stats", arguments=arguments)
        same("refused: %s" % arguments, "error" in a or a["result"]["isError"], True)
        has(json.dumps(a), "operation" if arguments.get("operation") == "sum" else "field")
    a = request("tools/call", name="get_stat", arguments={})
    has(json.dumps(a), "get_stat")
    same("an unknown tool", a["error"]["code"], -32602)


@case("audit_collection: a report whose findings have evidence; it is a resource afterwards")
def _():
    r = docs("audit_collection", collection="orders")
    same("findings", len(r["findings"]) > 3, True)
    for f in r["findings"]:
        same("evidence of %s" % f.get("field"), bool(f["evidence_query"]) and f["affected_count"] > 0, True)
    same("references to what another collection does not have", [f["field"] for f in r["findings"] if f["category"] == "referential"],
         ["items[].sku"])
    items = request("resources/list")["result"]["resources"]
    uri = next(i["uri"] for i in items if i["uri"].startswith("argus://reports/"))
    body = request("resources/read", uri=uri)["result"]["contents"][0]
    same("type", body["mimeType"], "application/json")
    same("the same report", json.loads(body["text"]), r)


@case("ask_project without a model: the best section, with a source that is verified")
def _():
    r = tool("ask_project", project_id="files", question="How do I resolve a merge conflict?", offline=True)
    same("answer", len(r["answer"]) > 20, True)
    path = r["source"].split("#")[0]
    same("the source is a file of the root", os.path.isfile(os.path.join(ROOT, "examples/wiki", path)), True)
    failed("ask_project", "NOT_FOUND", project_id="lite", question="What?")


@case("the dictionary of an SQLite file: tables, keys, views; nothing of secrets or excluded tables")
def _():
    names = [t["name"] for t in tool("list_tables", project_id="lite")["data"]["tables"]]
    same("tables", sorted(names), ["named", "odd name", "user_roles", "users"])
    d = tool("describe_table", project_id="lite", table_name="USERS")["data"]
    same("columns", [c["name"] for c in d["columns"]], ["id", "name", "password_hash"])
    has(json.dumps(tool("describe_table", project_id="lite", table_name="user_roles")["data"]), "references")
    everything = json.dumps([tool("get_metadata", project_id="lite"), d])
    same("canaries", "canary" in everything, False)
    same("payments", "payments" in everything, False)
    e = failed("describe_table", "NOT_FOUND", project_id="lite", table_name="user")
    has(e["detail"], "users")
    e = failed("describe_table", "NOT_FOUND", project_id="lite", table_name="payments")
    same("an excluded table is not there", "payments" in e.get("detail", ""), False)
    plan = tool("explain_query", project_id="lite", sql="SELECT * FROM users WHERE id = 1")
    has(json.dumps(plan["data"]["rows"]), "SEARCH")


@case("resources: every table, as Markdown; what is none is not found")
def _():
    items = [i for i in request("resources/list")["result"]["resources"] if "/tables/" in i["uri"]]
    same("uris", sorted(i["uri"] for i in items),
         ["argus://lite/tables/main." + n for n in ("named", "odd%20name", "user_roles", "users")])
    for i in items:
        body = request("resources/read", uri=i["uri"])["result"]["contents"][0]
        same("uri and type", (body["uri"], body["mimeType"]), (i["uri"], "text/markdown"))
        has(body["text"], "# " + i["name"])
    text = request("resources/read", uri="argus://lite/tables/main.users")["result"]["contents"][0]["text"]
    has(text, "b\\|b")
    same("canaries", "canary" in text, False)
    for uri in ("argus://lite/tables/main.payments", "argus://lite/tables/main.nosuch", "argus://nosuch/tables/main.users",
                "argus://lite", "argus://reports/../../etc/passwd", "argus://reports/nosuch", "file:///etc/passwd", ""):
        same("code of %r" % uri, request("resources/read", uri=uri)["error"]["code"] in (-32002, -32602), True)


@case("templates, prompts with and without their argument, completion of projects and tables")
def _():
    names = [t["uriTemplate"] for t in request("resources/templates/list")["result"]["resourceTemplates"]]
    same("templates", names, ["argus://reports/{run}", "argus://{project}/tables/{table}"])
    prompts = request("prompts/list")["result"]["prompts"]
    for p in prompts:
        argument = p["arguments"][0]["name"]
        got = request("prompts/get", name=p["name"], arguments={argument: "100% of %s {x}"})["result"]
        has(got["messages"][0]["content"]["text"], "100% of %s {x}")
        same("without it", request("prompts/get", name=p["name"])["error"]["code"], -32602)
        has(request("prompts/get", name=p["name"], arguments={})["error"]["message"], argument)
    same("an unknown prompt", request("prompts/get", name="nosuch", arguments={})["error"]["code"], -32602)
    ref = {"type": "ref/resource", "uri": "argus://{project}/tables/{table}"}
    for argument, value, context, want in (
            ("project", "l", None, ["lite"]), ("project", "", None, ["docs", "files", "kept", "lite"]), ("project", "x", None, []),
            ("table", "us", {"project": "lite"}, ["main.user_roles", "main.users"]),
            ("table", "main.users", {"project": "lite"}, ["main.users"]), ("table", "us", {"project": "nosuch"}, []),
            ("table", "pay", {"project": "lite"}, [])):
        params = {"ref": ref, "argument": {"name": argument, "value": value}}
        if context:
            params["context"] = {"arguments": context}
        got = client().request("completion/complete", params)["result"]["completion"]["values"]
        same("completion of %s %r" % (argument, value), sorted(got), want)


@case("it ends with its input; every call is in the audit table with a code, the refused ones too")
def _():
    same("exit", client().close(), 0)
    p = subprocess.run([ARGUS, "log", "--store", DIR + "/store.db", "-o", "json", "-n", "1000"], capture_output=True,
                       text=True, env=ENV, check=False)
    rows = json.loads(p.stdout)["calls"]
    same("outcomes", sorted(set(r["outcome"] for r in rows)), ["NOT_FOUND", "PERMISSION_DENIED", "VALIDATION_ERROR", "ok"])
    for name in ("run_query", "get_stats", "aggregate", "schema_sample", "audit_collection", "ask_project", "resources",
                 "describe_table", "explain_query"):
        same("rows of " + name, any(r["tool"] == name and r["outcome"] == "ok" for r in rows), True)
    p = subprocess.run([ARGUS, "log", "--verify", "--store", DIR + "/store.db"], capture_output=True, text=True, env=ENV,
                       check=False)
    same("verify: " + p.stdout + p.stderr, p.returncode, 0)
    same("nothing else is said", "".join(client().stderr), "")


BEFORE = sorted(os.listdir(os.path.join(ROOT, "examples/shop")))


def main():
    plant()
    run_cases()


main()
