#!/usr/bin/env python3
"""Artifacts with the real program, its files and a client of MCP (see artifacts.sh)."""
import json
import os
import sqlite3
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from both_stores import Now, begin, case, other_store, sql  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import has, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

ARGUS = os.environ["ARGUS"]
ENV = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "USER": "ann", "MAX_QUERIES_PER_MINUTE": "1000"}
IDS = {}


def plant():
    ENV.update(HOME=Now.folder, ARGUS_STORE=Now.uri, ARGUS_DATABASE="sqlite:" + path("shop.db"))
    with sqlite3.connect(path("shop.db")) as db:
        db.executescript("""
            create table sales(region text not null, revenue int not null);
            insert into sales values ('North',30),('South',12),('East',9);
            """)


def argus(*args, want=0, text=None, env=None):
    p = subprocess.run([ARGUS, *args], capture_output=True, text=True, input=text, env=env or ENV, check=False,
                       timeout=60)
    same("exit code of %s: %s%s" % (" ".join(args), p.stdout, p.stderr), p.returncode, want)
    return p


def path(name):
    return os.path.join(Now.folder, name)


def read(name):
    with open(path(name), encoding="utf-8", newline="") as f:
        return f.read()


def tool(name, arguments):
    """One call of a client that starts its own server."""
    messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
                 "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}}]
    p = argus("mcp", text="\n".join(json.dumps(m) for m in messages) + "\n")
    answers = [json.loads(line) for line in p.stdout.splitlines()]
    return [a for a in answers if a.get("id") == 2][0]["result"]["structuredContent"]


def create(name, kind, code, **more):
    r = tool("create_artifact", dict({"title": name, "artifact_type": kind, "code": code}, **more))
    same("status", (r["data"]["status"], r["data"]["render_url"]), ("created", None))
    IDS[name] = r["data"]["artifact_id"]


@case("a chart, a report and a page are saved and listed")
def _():
    create("Revenue", "plotly", json.dumps({"data": [{"type": "bar", "name": "Revenue", "x": ["North", "South"], "y": [30, 12]}],
                                            "layout": {"xaxis": {"title": "Region"}}}),
           source_queries=[{"name": "sales", "sql": "SELECT * FROM sales"}])
    create("Report", "markdown", "# Sales\n\nText\n\n| region | revenue |\n|---|---|\n| North | 30 |\n| South | 12 |\n")
    create("Page", "html", "<h1 onclick='x()'>Hi {{who}}</h1><script>alert(1)</script>", data={"who": "<b>Ann</b>"})
    listed = json.loads(argus("artifact", "list", "-o", "json").stdout)["artifacts"]
    same("titles", sorted(a["title"] for a in listed), ["Page", "Report", "Revenue"])
    has(argus("artifact", "list", "--search", "REV").stdout, IDS["Revenue"][:18])
    r = tool("create_artifact", {"title": "x", "artifact_type": "chart", "code": "x"})
    same("of no kind", (r["success"], r["status"]), (False, "error"))
    has(r["message"], "want react, plotly, html, markdown or svg")
    r = tool("create_artifact", {"title": "\u200b", "artifact_type": "markdown", "code": "x"})
    has(r["message"], "title: is blank")
    r = tool("create_artifact", {"title": "x", "artifact_type": "markdown", "code": "x" * 600000})
    has(r["message"], "code: ")
    same("nothing of them is kept", len(json.loads(argus("artifact", "list", "-o", "json").stdout)["artifacts"]), 3)


@case("show draws text, bars and live rows at 80 and 120 columns")
def _():
    for columns in ("80", "120"):
        out = argus("artifact", "show", IDS["Revenue"][:18], env=dict(ENV, COLUMNS=columns)).stdout
        has(out, "\u2588")
        has(out, "Region  Revenue")
        has(out, "East          9")
        has(out, "not checked")
        same("no line is longer", max(len(line) for line in out.splitlines()) <= int(columns), True)
        out = argus("artifact", "show", IDS["Report"], env=dict(ENV, COLUMNS=columns)).stdout
        has(out, "North        30")
    has(argus("artifact", "show", IDS["Page"], "--code").stdout, "<script>alert(1)</script>")
    with sqlite3.connect(path("shop.db")) as db:
        db.execute("insert into sales values ('West', 77)")
    has(argus("artifact", "refresh", IDS["Revenue"]).stdout, "77")
    argus("artifact", "show", "0190ffff", want=1)


@case("a new version; a diff line by line")
def _():
    r = tool("update_artifact", {"artifact_id": IDS["Report"], "code": "# Sales\n\nOther text\n", "title": "Report 2"})["data"]
    same("version", (r["version"], r["status"], r["previous_version_id"]), (2, "updated", IDS["Report"]))
    same("again", tool("update_artifact", {"artifact_id": IDS["Report"], "code": "# Sales\n\nOther text\n"})["data"]["changed"],
         False)
    out = argus("artifact", "diff", IDS["Report"]).stdout
    for part in ("-Text", "+Other text", "-Report", "+Report 2", " # Sales"):
        has(out, part)
    has(argus("artifact", "show", IDS["Report"], "--version", "1").stdout, "1 of 2")
    argus("artifact", "diff", IDS["Report"], "x", want=2)
    argus("artifact", "show", IDS["Report"], "--version", "9", want=1)


@case("data, code and a page as files; nothing in a page runs")
def _():
    argus("artifact", "export", IDS["Revenue"], path("sales.csv"), "--query", "sales")
    same("CSV", read("sales.csv"), "region,revenue\r\nNorth,30\r\nSouth,12\r\nEast,9\r\nWest,77\r\n")
    argus("artifact", "export", IDS["Revenue"], path("all.json"))
    same("JSON", json.loads(read("all.json"))["sales"][3], {"region": "West", "revenue": 77})
    argus("artifact", "export", IDS["Revenue"], path("code.txt"))
    same("code", json.loads(read("code.txt"))["data"][0]["y"], [30, 12])
    has(argus("artifact", "export", IDS["Revenue"], path("x.html"), want=1).stderr, "drawn by a script")
    p = argus("artifact", "export", IDS["Page"], path("page.html"))
    has(p.stderr, "2 elements or attributes were left out")
    page = read("page.html")
    same("runs nothing", ("<script" in page, "onclick" in page), (False, False))
    has(page, "<h1>Hi &lt;b&gt;Ann&lt;/b&gt;</h1>")
    has(page, "default-src 'none'")
    has(argus("artifact", "export", IDS["Revenue"], path("x.csv"), "--query", "no", want=1).stderr, "sales")


@case("everything comes back from an export, into another store; what is broken does not")
def _():
    other = dict(ENV, ARGUS_STORE=other_store("other"))
    for name in ("all.zip", "folder"):
        argus("artifact", "export", "--all", path(name))
    argus("artifact", "import", path("all.zip"), env=other)
    has(argus("artifact", "import", path("folder"), env=other).stderr, "0 versions added, 4 as before")
    argus("artifact", "export", "--all", path("again.zip"), env=other)
    with zipfile.ZipFile(path("all.zip")) as a, zipfile.ZipFile(path("again.zip")) as b:
        same("files", {n: a.read(n) for n in a.namelist()}, {n: b.read(n) for n in b.namelist()})
    with zipfile.ZipFile(path("up.zip"), "w") as z:
        z.writestr("../artifact.json", "{}")
    has(argus("artifact", "import", path("up.zip"), want=1).stderr, "..")
    code = os.path.join(path("folder"), IDS["Report"], "v2.code")
    with open(code, "a", encoding="utf-8") as f:
        f.write("more")
    has(argus("artifact", "import", path("folder"), want=1).stderr, "version 2: sha256")
    os.remove(code)
    has(argus("artifact", "import", path("folder"), want=1).stderr, "its .code file is missing")


@case("renamed, deleted, brought back; every call is in the audit table")
def _():
    argus("artifact", "rename", IDS["Page"], "Start")
    argus("artifact", "rename", IDS["Page"], " ", want=1)
    argus("artifact", "delete", IDS["Page"])
    argus("artifact", "show", IDS["Page"], want=1)
    has(argus("artifact", "list", "--deleted").stdout, "Start")
    argus("artifact", "undelete", IDS["Page"])
    has(argus("artifact", "list").stdout, "Start")
    log = argus("log", "--limit", "1000", "-o", "json").stdout
    for name in ("create_artifact", "query_artifact", "delete_artifact", "export_artifacts"):
        has(log, name)


@case("what was deleted 30 days ago is removed by a purge, whatever runs that keeps")
def _():
    argus("artifact", "delete", IDS["Page"])
    argus("purge", "--older-than", "400")
    argus("artifact", "undelete", IDS["Page"])
    argus("artifact", "delete", IDS["Page"])
    sql("update artifacts set deleted_at = deleted_at - 2678400000 where deleted_at > 0")
    argus("purge", "--older-than", "400")
    same("rows", sql("select count(*) from artifacts where deleted_at > 0"), ["0"])
    argus("artifact", "undelete", IDS["Page"], want=1)


@case("in a conversation without a model")
def _():
    p = argus("chat", text="/artifact\n/artifact show %s\n/artifact nothing\n" % IDS["Report"])
    has(p.stdout, "Report")
    has(p.stdout, "Other text")
    has(p.stderr, "want list, show ID or export ID FILE")


begin(plant)
run_cases()
