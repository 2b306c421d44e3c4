#!/usr/bin/env python3
"""Knowledge, learnings and golden questions with the real program, its files and a model (see knowledge.sh)."""
import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from xml.etree import ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chat_policy import Model  # noqa: E402  pylint: disable=wrong-import-position
from both_stores import Now, begin, case, other_store  # noqa: E402  pylint: disable=wrong-import-position
from mcp_http_rig import Server, Session  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import has, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

ARGUS = os.environ["ARGUS"]
MODEL = Model()
# Of a limit beyond 1024 each process takes a hundredth in advance.
ENV = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "USER": "ann", "LLM_API_BASE": MODEL.url,
       "LLM_MODEL": "policy", "LLM_API_KEY": "none", "MAX_QUERIES_PER_MINUTE": "1000"}


def plant():
    ENV.update(HOME=Now.folder, ARGUS_STORE=Now.uri, ARGUS_DATABASE="sqlite:" + path("shop.db"))
    with sqlite3.connect(path("shop.db")) as db:
        db.executescript("""
            create table customers(id integer primary key, name text not null, region text not null);
            create table products(id integer primary key, name text, category text, price numeric(8,2));
            insert into customers values (1,'Ann','North'),(2,'Bob','South'),(3,'Cem','North');
            insert into products values (1,'Ball','Toys',3.5),(2,'Atlas','Books',20);
            """)


def argus(*args, want=0, text=None, env=None):
    p = subprocess.run([ARGUS, *args], capture_output=True, text=True, input=text, env=env or ENV, check=False,
                       timeout=60)
    same("exit code of %s: %s%s" % (" ".join(args), p.stdout, p.stderr), p.returncode, want)
    return p


def path(name):
    return os.path.join(Now.folder, name)


def listed(kind):
    return json.loads(argus("knowledge", "list", kind, "-o", "json").stdout)["knowledge"]


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write(text)
    return path(name)


@case("what is written down is listed, found, changed and removed")
def _():
    argus("knowledge", "add", "entry", "Active user", "content=Logged in within 30 days.", "tables=customers")
    argus("knowledge", "add", "table", "products", "description=What is sold", "column_notes.price=In euros",
          "related_tables=customers: there is none")
    argus("knowledge", "add", "metric", "Customers", "definition=All customers", "unit=people",
          "sql=SELECT COUNT(*) AS n FROM customers", "caveats=also inactive ones",
          "tables=customers", "caveats=not tests")
    same("caveats", listed("metric")[0]["fields"]["caveats"], ["also inactive ones", "not tests"])
    same("found", [o["name"] for o in json.loads(
        argus("knowledge", "search", "euro", "-o", "json").stdout)["knowledge"]], ["products"])
    has(argus("knowledge", "show", "metric", "customers").stdout, "SELECT COUNT(*) AS n FROM customers")
    argus("knowledge", "edit", "metric", "CUSTOMERS", "unit=", "caveats=none")
    same("changed", listed("metric")[0]["fields"],
         {"definition": "All customers", "sql": "SELECT COUNT(*) AS n FROM customers", "caveats": ["none"],
          "tables": ["customers"]})
    argus("knowledge", "remove", "entry", "active user")
    same("removed", listed("entry"), [])
    has(argus("knowledge", "add", "metric", "customers", "definition=x", "sql=SELECT 1", want=1).stderr,
        "the metric \"Customers\" exists already")


@case("bad input is one sentence that names the field, and nothing is saved")
def _():
    for args, says in (
            (["add", "metric", "Sum", "definition=x", "sql=SELECT SUM(total) FROM products"],
             "metric \"Sum\": sql: no such column: total"),
            (["add", "metric", "Sum", "definition=x", "sql=DELETE FROM products"], "metric \"Sum\": sql: "),
            (["add", "learning", "nineteen characters", "category=other", "tables=a"],
             "description: want 20 characters or more, got 19"),
            (["add", "learning", "twenty characters ok", "category=chart", "tables=a"], "category: want one of"),
            (["add", "entry", "A", "contents=x"], "there is no field \"contents\""),
            (["add", "golden", "How many?", "mode=fuzzy", "expected=1"], "mode: want one of exact"),
            (["add", "golden", "How many?", "mode=row_count", "expected=-3"], "expected: want a number of rows"),
            (["add", "entry", "\u200b\u2060", "content=x"], "title: has no visible character"),
            (["add", "entry", "A", "nothing"], "want FIELD=VALUE"),
            (["import", write("bad.md", "---\nname: [\n---\nx")], "bad.md:3:1: not YAML: "),
            (["import", path("nowhere")], "nowhere"),
            (["show", "entry", "Active"], "there is no entry \"Active\"")):
        p = argus("knowledge", *args, want=1)
        has(p.stderr, says)
        same("lines of " + p.stderr, len(p.stderr.splitlines()) <= 2, True)
    with zipfile.ZipFile(path("up.zip"), "w") as z:
        z.writestr("entries/a.md", "---\nname: good\n---\nx")
        z.writestr("../b.md", "---\nname: bad\n---\nx")
    has(argus("knowledge", "import", path("up.zip"), want=1).stderr, "\"../b.md\" is no safe name")
    same("nothing", [len(listed(k)) for k in ("entry", "metric", "learning", "golden")], [0, 1, 0, 0])


@case("a folder and an archive of another packer bring everything back")
def _():
    before = listed("metric") + listed("table")
    argus("knowledge", "export", path("out"))
    argus("knowledge", "export", path("out.zip"))
    has(argus("knowledge", "import", path("out")).stderr, "0 added, 0 changed, 2 as before")
    with zipfile.ZipFile(path("out.zip")) as z:
        same("whole", z.testzip(), None)
        files = {n: z.read(n) for n in z.namelist()}
    with zipfile.ZipFile(path("again.zip"), "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in files.items():
            z.writestr(name, text)
    for o in before:
        argus("knowledge", "remove", o["kind"], o["name"])
    has(argus("knowledge", "import", path("again.zip")).stderr, "2 added, 0 changed, 0 as before")
    after = listed("metric") + listed("table")
    for a, b in zip(before, after):
        a.pop("version"), b.pop("version")
        same("unchanged", b, a)


RECIPE = """---
kind: recipe
name: "Weekly: äö"
variables:
- {name: region, type: select, label: Region, options: [North, "South: 2"], default: North}
- {name: n, type: number, label: "How many?", default: 10}
- {name: yes, type: boolean, label: "Yes", default: true}
- {name: day, type: date, label: Day, default: 2024-02-29}
- {name: who, type: string, label: Who, default: ""}
steps:
- prompt_template: "Who is in {{region}}?\\n- and {{who}}"
  sql: |-
    SELECT name FROM customers WHERE region = {{region}}
      -- a comment
    LIMIT {{n}}
  description: "# no heading"
- prompt_template: "On {{day}}, {{yes}}?"
  expected_tool: execute_sql
is_shared: true
---

---
Not front matter: {a}
"""


@case("every kind survives an export and an import into another store, as files and as an archive")
def _():
    argus("knowledge", "add", "entry", "Café: 100 % #1", "content=---\nnot: front matter\n---\n\n# x\n\u2028\U0001f600 \\ \" '",
          "tables=customers", "tables=products")
    argus("knowledge", "add", "table", "customers", "description=true", "use_cases=null", "use_cases=- a: b",
          "data_quality_notes=2024-01-01", "owner=~", "refresh_frequency=0x1F", "column_notes.name=[a, b]", "column_notes.region=!tag",
          "related_tables=products: customers.id = products.id", "related_tables=orders")
    argus("knowledge", "add", "metric", "1e3", "definition=  several\n\n  lines\t", "unit=%", "caveats=no", "caveats=*all", "source=me",
          "sql=SELECT COUNT(*) AS n -- '''\nFROM customers", "tables=customers")
    argus("knowledge", "add", "golden", "How many?\nReally?", "mode=approximate", "expected=1.50", "tolerance=0.001", "tags=a", "tags=1",
          "sql=SELECT 1")
    for text, more in (("Regions are written with a capital letter", ["original_sql=SELECT 1", "corrected_sql=SELECT 2;"]),
                       ("Prices: in euros, — \"net\" of tax", [])):
        argus("knowledge", "add", "learning", text, "category=other", "tables=customers", *more)
    review = [o for o in listed("learning") if "Regions" in o["name"]][0]["id"]
    argus("learnings", "review", review[:8], "wrong", "--why", "not: since May")
    argus("recipe", "import", write("weekly.md", RECIPE))

    def everything(env=None):
        found = json.loads(argus("knowledge", "list", "-o", "json", env=env).stdout)["knowledge"]
        for o in found:
            del o["version"], o["confidence_now"]
        return found
    was = everything()
    same("kinds", sorted({o["kind"] for o in was}), ["entry", "golden", "learning", "metric", "recipe", "table"])
    same("one waits", [o["status"] for o in was if o["id"] == review], ["review"])
    for form in ("every.zip", "every"):
        argus("knowledge", "export", path(form))
        other = dict(ENV, ARGUS_STORE=other_store("other_" + form.replace(".", "_")))
        has(argus("knowledge", "import", path(form), env=other).stderr, "%d added, 0 changed, 0 as before" % len(was))
        for a, b in zip(was, everything(other)):
            same("%s in %s" % (a["kind"], form), b, a)
        has(argus("knowledge", "import", path(form), env=other).stderr, "0 added, 0 changed, %d as before" % len(was))
        same("it waits there, too", "Regions are written" in argus("prompt", "default", env=other).stdout, False)
        has(argus("prompt", "default", env=other).stdout, "Prices: in euros")
    for o in was:
        argus("knowledge", "remove", o["kind"], o["id"])
    same("gone", everything(), [])
    argus("knowledge", "import", path("every"))
    same("here again", everything(), was)
    for o in was:
        if o["name"] not in ("Customers", "products"):
            argus("knowledge", "remove", o["kind"], o["id"])


# Each tool that argus mcp serves: the least role that may call it, and a call that is right.
LEARNING = {"description": "Regions have four names, no more", "category": "other", "tables": ["customers"]}
CHART = {"title": "Regions", "artifact_type": "markdown", "code": "# Regions"}
RIGHTS = [
    ("query", "viewer", {"sql": "SELECT 1"}),
    ("execute_sql", "viewer", {"query": "SELECT 1"}),
    ("explain_query", "viewer", {"sql": "SELECT 1"}),
    ("list_tables", "viewer", {}),
    ("list_tables", "analyst", {"refresh": True}),
    ("describe_table", "viewer", {"table_name": "customers"}),
    ("get_metadata", "viewer", {}),
    ("search_knowledge", "viewer", {"query": "customers"}),
    ("run_recipe", "viewer", {"name": "Counted"}),
    ("list_artifacts", "viewer", {}),
    ("save_learning", "analyst", LEARNING),
    ("save_as_recipe", "analyst", {"name": "Own", "description": "d", "variables": [], "steps": [{"prompt_template": "x"}]}),
    ("create_artifact", "analyst", CHART),
    ("update_artifact", "analyst", {"title": "Regions"}),
]


@case("a viewer, an analyst and an admin may call the tools of their role; who is no member finds no project")
def _():
    argus("recipe", "import", write("counted.md", "---\nkind: recipe\nname: Counted\nsteps:\n- prompt_template: how many\n"
                                    "  sql: SELECT COUNT(*) AS n FROM customers\nis_shared: true\n---\n\nd\n"))
    roles = ["stranger", "viewer", "analyst", "admin"]
    tokens = {}
    for role in roles:
        if role != "stranger":
            argus("project", "grant", "default", "its-" + role, role)
        tokens[role] = argus("token", "create", "--user", "its-" + role, "--role", "admin").stdout.strip()
    server = Server([ARGUS, "mcp", "--http", "--port", "0"], ENV)
    try:
        admin = Session(server, tokens["admin"])
        same("tools", admin.tools(), sorted({name for name, _, _ in RIGHTS}))
        made = admin.tool("create_artifact", **dict(CHART, title="Of an admin"))
        same("the artifact of an admin: %s" % made, made["success"], True)
        chart = made["data"]["artifact_id"]
        for role in roles:
            before = [len(listed(kind)) for kind in ("learning", "recipe")]
            session = Session(server, tokens[role])
            for name, least, arguments in RIGHTS:
                given = dict(arguments, project_id="default")
                if name == "update_artifact":
                    given.update(artifact_id=chart, code="# By " + role)
                if name == "save_as_recipe":
                    given.update(name="Of " + role)
                answer = session.call(name, given)["result"]
                said = "%s as %s: %s" % (name, role, json.dumps(answer.get("structuredContent", answer)))
                same(said, answer.get("isError", False), roles.index(role) < roles.index(least))
                if role == "stranger":
                    has(said, "there is no project \\\"default\\\"")
                elif answer.get("isError"):
                    has(said, "needs the role analyst")
            if role in ("stranger", "viewer"):
                same("what a %s left" % role, [len(listed(kind)) for kind in ("learning", "recipe")], before)
        history = json.loads(argus("artifact", "list", "-o", "json").stdout)["artifacts"]
        same("versions", [a["version"] for a in history if a["id"] == chart], [3])
    finally:
        server.stop()
    for o in listed("recipe") + listed("learning"):
        argus("knowledge", "remove", o["kind"], o["id"])


@case("dbt adds what is missing, and never replaces what a person wrote")
def _():
    f = write("schema.yml", """
models:
- name: products
  description: from dbt
  columns: [{name: price, description: from dbt}, {name: name, description: as on the box}]
semantic_models:
- {name: c, model: ref('customers'), measures: [{name: m, agg: count_distinct, expr: region}]}
metrics:
- {name: customers, type: simple, type_params: {measure: m}}
- {name: regions, label: Regions, type: simple, type_params: {measure: m}}
- {name: share, type: ratio}
""")
    p = argus("knowledge", "import", f)
    has(p.stderr, "metric Customers stays as it was written here")
    has(p.stderr, "left out: metric share: its type is not \"simple\"")
    notes = listed("table")[0]["fields"]
    same("notes", (notes["description"], notes["column_notes"]),
         ("What is sold", {"price": "In euros", "name": "as on the box"}))
    same("metrics", [(m["name"], m["fields"]["sql"]) for m in listed("metric")],
         [("Customers", "SELECT COUNT(*) AS n FROM customers"),
          ("Regions", "SELECT COUNT(DISTINCT region) AS regions\nFROM customers")])
    has(argus("knowledge", "import", f).stderr, "0 added, 0 changed")
    with sqlite3.connect(path("shop.db")) as db:
        db.execute("alter table customers rename column region to area")
    try:
        p = argus("knowledge", "check", want=3)
        has(p.stdout, "ok      Customers")
        has(p.stdout, "broken  Regions: no such column: region")
    finally:
        with sqlite3.connect(path("shop.db")) as db:
            db.execute("alter table customers rename column area to region")
    argus("knowledge", "remove", "metric", "Regions")


@case("a conversation: a figure names its metric, /why too; an error offers a learning; /learn, /metric and /golden")
def _():
    p = argus("chat", text="How many customers are there?\n/why\n/golden\nHow many products are there?\n"
              "/learn The table of products is called products\n/metric Products: All products\n/metric\n"
              "/golden row_count\n/golden\n/metric\n")
    has(p.stdout, "There are 3 customers.")
    has(p.stdout, "metric Customers as it is defined")
    has(p.stdout, "(metric Customers)")
    has(p.stderr, "golden ")
    has(p.stderr, "an error was corrected; /learn TEXT keeps what to do next time")
    has(p.stderr, ": saved, confidence 50%")
    has(p.stderr, "metric Products: SELECT COUNT(*) AS n FROM products")
    has(p.stderr, "the golden \"How many products are there?\" exists already")
    lesson = listed("learning")[0]
    same("lesson", (lesson["fields"]["category"], lesson["fields"]["tables"], lesson["fields"]["original_sql"]),
         ("naming", ["products"], "SELECT COUNT(*) AS n FROM product"))
    golden = {o["name"]: o["fields"] for o in listed("golden")}
    same("golden", golden["How many customers are there?"],
         {"mode": "exact", "expected": "[[3]]", "sql": "SELECT COUNT(*) AS n FROM customers"})
    same("golden", golden["How many products are there?"]["expected"], "1")
    request = json.dumps(MODEL.requests[-1])
    has(request, "verified metric")
    a = json.loads(argus("chat", "-q", "How many products are there?", "-o", "json").stdout)
    same("learnings of the answer", [x["text"] for x in a["learnings"]], ["The table of products is called products"])
    same("metric of the figure", [f.get("metric") for f in a["figures"] if f["verdict"] == "cell"], ["Products"])
    same("it was used", listed("learning")[0]["uses"] >= 1, True)


@case("a learning waits for its review, and is forgotten")
def _():
    key = listed("learning")[0]["id"][:8]
    argus("learnings", "review", key, "wrong", "--why", "it was renamed")
    has(argus("learnings", "review").stdout, "it was renamed")
    same("not in the prompt", "The table of products is called" in argus("prompt", "default").stdout, False)
    argus("learnings", "review", key, "right")
    has(argus("prompt", "default").stdout, "The table of products is called")
    has(argus("learnings", "review", key, "maybe", want=2).stderr, "want right or wrong")
    argus("learnings", "forget", key)
    has(argus("learnings", "list").stderr, "nothing was learnt yet")


@case("argus eval: right, wrong, an error, accuracy, history, JUnit, exit code 3")
def _():
    argus("knowledge", "add", "golden", "How many regions are there?", "mode=approximate", "expected=2.01",
          "tolerance=0.01", "tags=smoke")
    argus("knowledge", "add", "golden", "What is the highest price?", "mode=exact", "expected=21")
    argus("knowledge", "add", "golden", "Which region has most customers?", "mode=contains",
          "expected=[\"north\"]", "tags=smoke")
    argus("knowledge", "add", "golden", "Which category has most products?", "mode=structure",
          "expected=category, n")
    r = json.loads(argus("eval", "default", "--junit", path("eval.xml"), "-o", "json").stdout)
    wrong = [x["question"] for x in r["results"] if not x["ok"]]
    same("wrong", wrong, ["What is the highest price?"])
    same("counts", (r["questions"], r["right"], round(r["accuracy"], 2), r["model"]), (6, 5, 0.83, "policy"))
    has([x["why"] for x in r["results"] if not x["ok"]][0], "the last result has 1 row: [[20]]")
    same("tokens and time", (r["tokens"] > 0, r["latency_ms"] > 0), (True, True))
    suite = ElementTree.parse(path("eval.xml")).getroot()
    same("junit", (suite.get("tests"), suite.get("failures"), suite.get("errors"), len(suite.findall("testcase"))),
         ("6", "1", "0", 6))
    same("nothing was learnt", listed("learning"), [])
    argus("knowledge", "edit", "golden", "What is the highest price?", "expected=20")
    p = argus("eval", "default", "--min-accuracy", "100%")
    has(p.stdout, "What is the highest price? (was wrong)")
    has(p.stdout, "6 of 6 right, 100% (before: 83%)")
    has(argus("eval", "default", "--tag", "smoke").stdout, "2 of 2 right")
    argus("knowledge", "edit", "golden", "What is the highest price?", "expected=9")
    has(argus("eval", "default", "--min-accuracy", "0.9", want=3).stdout, "What is the highest price? (was right)")
    lines = argus("eval", "default", "--history").stdout.splitlines()
    same("history", [line.split()[2] for line in lines], ["83%", "100%", "100%", "83%"])
    has(argus("eval", "default", "--min-accuracy", "2", want=2).stderr, "want a share like 0.9 or 90%")
    has(argus("eval", "default", "--tag", "none", want=1).stderr, "has no golden question with that tag")


@case("an answer of a thread becomes a golden question with one command; a recording answers in the place of the model")
def _():
    a = json.loads(argus("chat", "-q", "How many products are toys?", "-o", "json").stdout)
    argus("eval", "default", "--add", a["turn"], "--mode", "approximate")
    argus("knowledge", "edit", "golden", "How many products are toys?", "tags=toys")
    argus("eval", "default", "--tag", "toys", "--record", path("eval.rec"))
    away = dict(ENV, LLM_API_BASE="http://127.0.0.1:9/v1")
    has(argus("eval", "default", "--tag", "toys", "--replay", path("eval.rec"), env=away).stdout, "1 of 1 right")
    p = argus("eval", "default", "--tag", "toys", "--min-accuracy", "0.5", want=3, env=away)
    has(p.stdout, "error")
    has(argus("eval", "default", "--add", "0000", want=1).stderr, "no turn of this project begins with")


begin(plant)
run_cases()
