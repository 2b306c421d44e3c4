#!/usr/bin/env python3
"""Knowledge and artifacts over argus serve: every route by a viewer, an analyst and an admin; on both stores.

1. Knowledge of each kind is added, found, changed and removed; SQL that the database does not understand is refused.
2. A contradicted learning is set aside and comes back.
3. An artifact shows versions and live data, is renamed, deleted, undeleted and exported as a page that runs nothing.
4. Each role may what the commands let it; nobody sees another project."""
import json
import subprocess
import sys

import serve
from serve import DIR, Server, argus, ask, check

K = "/api/projects/shop/knowledge"
A = "/api/projects/shop/artifacts"
FIELDS = {
    "entry": {"content": "The fiscal year begins in March of each year."},
    "table": {"description": "One row for each customer that ever bought."},
    "metric": {"definition": "how many customers there are", "sql": "SELECT count(*) AS n FROM customers", "unit": "customers"},
    "learning": {"category": "other", "tables": ["customers"]},
    "golden": {"expected": "3", "mode": "contains"},
    "recipe": {"description": "Counts the customers.", "steps": [{"prompt_template": "How many customers are there?"}]},
}
NAMES = {"table": "customers", "learning": "Names of customers are given names alone."}


def call(server, token, method, path, body=None):
    r = ask(server, method, path, body, token=token)
    text = r.r.read().decode()
    return r.status, json.loads(text) if text and "json" in r.headers.get("content-type", "") else text


def mcp(server, token, tool, arguments):
    headers = {"Accept": "application/json, text/event-stream"}
    first = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
             "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
    r = ask(server, "POST", "/mcp", first, token=token, **headers)
    r.r.read()
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": dict(arguments, project_id="shop")}}
    text = ask(server, "POST", "/mcp", body, token=token, Mcp_Session_Id=r.headers["mcp-session-id"], **headers).r.read().decode()
    return json.loads(text)["result"]["structuredContent"]["data"]


def knowledge(server, tokens):
    admin, analyst, viewer = tokens
    kinds = argus_kinds(server, admin)
    for kind in kinds:
        name, body = NAMES.get(kind, kind + " one"), {"fields": FIELDS[kind]}
        path = "%s/%s/%s" % (K, kind, name.replace(" ", "%20"))
        got = [call(server, viewer, "POST", "%s/%s" % (K, kind), dict(body, name=name))[0]]
        status, made = call(server, admin, "POST", "%s/%s" % (K, kind), dict(body, name=name))
        got += [status, call(server, admin, "POST", "%s/%s" % (K, kind), dict(body, name=name))[0], call(server, viewer, "GET", path)[0] if kind != "recipe" else 200,
                call(server, viewer, "PUT", path, body)[0], call(server, admin, "PUT", path, body)[0]]
        hidden = kind == "recipe"  # of its author, until it is shared
        check("%s: a viewer reads, an admin adds once and changes" % kind, got == [403, 201, 409, 200, 404 if hidden else 403, 200], (got, made))
        check("%s: the reply is what was saved" % kind, isinstance(made, dict) and made.get("name") == name and made["version"] == 1, made)
        listed = call(server, admin, "GET", "%s?kind=%s" % (K, kind))[1]["knowledge"]
        check("%s: it is in the list of its kind" % kind, [o["name"] for o in listed] == [name], listed)
    found = call(server, viewer, "GET", K + "?q=fiscal")[1]["knowledge"]
    check("words find it", [o["name"] for o in found] == ["entry one"], found)
    learning = [o for o in call(server, admin, "GET", K + "?kind=learning")[1]["knowledge"]][0]
    review = "%s/learning/%s/review" % (K, learning["id"])
    got = [call(server, viewer, "POST", review, {"right": False})[0], call(server, analyst, "POST", review, {})[0]]
    status, after = call(server, analyst, "POST", review, {"right": False, "why": "there are surnames"})
    check("a contradicted learning is set aside", got == [403, 400] and status == 200 and after["status"] == "review", (got, after))
    check("and is used again when a person says so", call(server, analyst, "POST", review, {"right": True})[1].get("status") == "active")
    bad = [("metric", {"name": "x", "fields": dict(FIELDS["metric"], sql="SELECT nope FROM customers")}, "nope"),
           ("metric", {"name": "x", "fields": dict(FIELDS["metric"], sql="DELETE FROM customers")}, ""),
           ("entry", {"name": "", "fields": FIELDS["entry"]}, "title"), ("entry", {"name": "x", "fields": {"colour": "red"}}, "colour"),
           ("entry", {"name": "x", "fields": "text"}, ""), ("learning", {"name": "19 characters only."[:19], "fields": {}}, "20")]
    got = [(call(server, admin, "POST", "%s/%s" % (K, kind), body), word) for kind, body, word in bad]
    check("what is wrong is refused with the field", all(s == 400 and w in r["detail"] for (s, r), w in got), got)
    got = [call(server, admin, m, p)[0] for m, p in (("GET", K + "/king/x"), ("GET", K + "/entry/x"), ("DELETE", K + "/entry/x"), ("GET", K + "?kind=king"),
                                                     ("GET", "/api/projects/secret/knowledge"), ("GET", "/api/projects/%00/knowledge"))]
    check("what is not there is not found", got == [404, 404, 404, 400, 404, 404], got)
    for kind in kinds:
        path = "%s/%s/%s" % (K, kind, NAMES.get(kind, kind + " one").replace(" ", "%20"))
        got = [call(server, t, "DELETE", path)[0] for t in (viewer, admin, admin)]
        check("%s: it is removed once, not by a viewer" % kind, got == [404 if kind == "recipe" else 403, 204, 404], got)


def argus_kinds(server, token):
    hint = call(server, token, "GET", K + "/king/x")[1]["hint"]
    return hint.split(", ")


def artifacts(server, tokens):
    admin, analyst, viewer = tokens
    made = mcp(server, analyst, "create_artifact", {"title": "Customers", "artifact_type": "html", "code": "<h1>{{n}}</h1><script>alert(1)</script>",
                                                   "source_queries": [{"name": "n", "sql": "SELECT name FROM customers ORDER BY name"}]})
    mcp(server, analyst, "update_artifact", {"artifact_id": made["artifact_id"], "code": "<h2>{{n}}</h2>"})
    one = "%s/%s" % (A, made["artifact_id"])
    status, listed = call(server, viewer, "GET", A)
    check("a viewer lists artifacts", status == 200 and [a["title"] for a in listed["artifacts"]] == ["Customers"] and listed["total"] == 1, listed)
    check("none of another name", call(server, viewer, "GET", A + "?q=orders")[1]["total"] == 0)
    check("the newest version, and one that is named", [call(server, viewer, "GET", one + v)[1]["code"][:4] for v in ("", "?version=1")] == ["<h2>", "<h1>"])
    check("the versions", [v["version"] for v in call(server, viewer, "GET", one + "/versions")[1]["versions"]] == [2, 1])
    data = [call(server, viewer, "POST", one + "/query-data")[1] for _ in range(2)]
    check("live data, kept for a minute", [d["results"][0]["cached"] for d in data] == [False, True] and
          data[0]["data"] == {"n": [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cy"}]}, data)
    r = ask(server, "GET", one + "/export?as=html&version=1", token=viewer)
    page = r.r.read().decode()
    check("a page that runs nothing", r.status == 200 and "Ann" in page and "<script" not in page and "attachment" in r.headers["content-disposition"] and
          "sandbox" in r.headers["content-security-policy"], page)
    check("the code as it was written", "<script>" in call(server, viewer, "GET", one + "/export?as=code&version=1")[1])
    got = [call(server, t, m, p, b)[0] for t, m, p, b in (
        (viewer, "PATCH", one, {"title": "X"}), (viewer, "DELETE", one, None), (analyst, "PATCH", one, {"title": ""}), (analyst, "PATCH", one, {"title": "Buyers"}),
        (analyst, "DELETE", one, None), (viewer, "GET", one, None), (viewer, "POST", one + "/undelete", None), (analyst, "POST", one + "/undelete", None),
        (analyst, "POST", one + "/undelete", None), (viewer, "GET", one, None))]
    check("renamed, deleted and brought back by whom it may", got == [403, 403, 400, 200, 204, 404, 403, 200, 409, 200], got)
    got = [call(server, viewer, m, p)[0] for m, p in (("GET", one + "?version=9"), ("GET", one + "?version=x"), ("GET", A + "/nothing"), ("GET", one + "/export?as=exe"),
                                                      ("GET", "/api/projects/secret/artifacts"))]
    check("what is not there is not found", got == [404, 400, 404, 400, 404], got)


def calls(server, tokens):
    admin, analyst, viewer = tokens
    path = "/api/projects/shop/calls"
    whole = call(server, admin, "GET", path + "?limit=200")[1]["calls"]
    check("an admin sees whose calls there were", {"root", "ann", "vi"} <= {c["user"] for c in whole} and whole == sorted(whole, key=lambda c: -c["row"]), whole[:3])
    own = call(server, viewer, "GET", path + "?user=root")[1]["calls"]
    check("others see their own", own and {c["user"] for c in own} == {"vi"}, own[:3])
    some = call(server, admin, "GET", path + "?tool=create_artifact&user=ann")[1]["calls"]
    check("calls of one tool", [(c["tool"], c["user"], c["outcome"]) for c in some] == [("create_artifact", "ann", "ok")], some)
    pages, cursor = [], ""
    while cursor is not None and len(pages) < 1000:
        page = call(server, admin, "GET", "%s?limit=40%s" % (path, cursor and "&cursor=" + cursor))[1]
        pages += [c["row"] for c in page["calls"]]
        cursor = page["next"]
    check("pages are the whole list", pages == [c["row"] for c in whole] and len(pages) > 40, (len(pages), len(whole)))
    got = [call(server, admin, "GET", path + "?cursor=x")[0], call(server, admin, "GET", "/api/projects/secret/calls")[0], call(server, admin, "POST", "/api/calls/check", {})[0]]
    check("a wrong cursor, another project, and a check by who is no superuser", got == [400, 404, 403], got)


def on(name, store, model):
    print("# " + name)
    for project in ("shop", "secret"):
        argus(store, model, "project", "add", project, "--source", "sqlite:%s/shop.db" % DIR)
    tokens = []
    for user, role in (("root", "admin"), ("ann", "analyst"), ("vi", "viewer")):
        argus(store, model, "project", "grant", "shop", user, role)
        tokens.append(argus(store, model, "token", "create", "--user", user, "--role", role).splitlines()[0])
    serve.MORE["ARGUS_MAX_QUERIES_PER_MINUTE"] = "none"
    server = Server(store, model)
    knowledge(server, tokens)
    artifacts(server, tokens)
    calls(server, tokens)
    log = subprocess.run([serve.ARGUS, "log", "-o", "json", "--project", "shop", "--limit", "500"], capture_output=True, text=True, env=serve.env(store, model), check=False)
    check("each call is in the audit table", "root" in log.stdout and "vi" in log.stdout, log.stderr)
    check("it ends with 0", server.stop() == 0, server.said())
    serve.MORE["ARGUS_MAX_QUERIES_PER_MINUTE"] = "1"
    server = Server(store, model)
    r = [ask(server, "GET", K, token=tokens[0]) for _ in range(2)][1]
    check("one call too many is 429, with the time to wait", r.status == 429 and 1 <= int(r.headers["retry-after"]) <= 60, (r.status, r.headers))
    server.stop()


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
