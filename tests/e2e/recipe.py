#!/usr/bin/env python3
"""Recipes with the real program: values, files, runs, roles of commands, jobs, a kill in the middle, a conversation (see recipe.sh).
Each case runs on a store in SQLite and on one in PostgreSQL."""
import json
import os
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chat_policy import Model  # noqa: E402  pylint: disable=wrong-import-position
from mcp_client import Client  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import CASES, has, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

DIR, SOCKET, PORT = sys.argv[1:4]
ARGUS = os.environ["ARGUS"]
MODEL = Model()
LITE = os.path.join(DIR, "shop.db")
STORES = {"SQLite": os.path.join(DIR, "store.db"),
          "PostgreSQL": "postgresql://postgres@/recipe?host=%s&port=%s" % (SOCKET, PORT)}
now_on = ["SQLite"]

WEEKLY = """---
kind: recipe
name: Weekly
variables:
- name: region
  type: select
  label: Region
  options: [North, South]
  default: North
- name: who
  type: string
  label: Who
  default: "nobody"
- name: n
  type: number
  label: How many
  default: 10
steps:
- prompt_template: Who is in {{region}}, and {{who}}?
  sql: |-
    SELECT name FROM customers WHERE region = {{region}} OR name = {{who}}
    ORDER BY name LIMIT {{n}}
- prompt_template: How many customers are there?
  expected_tool: execute_sql
is_shared: true
---

Who was there in a week.
"""

# Each step takes a while, so that a kill meets one that is under way.
SLOW = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 400000) SELECT COUNT(*) AS n, %d AS step FROM c"


def case(name):
    def add(fn):
        for store in STORES:
            def run(store=store):
                now_on[0] = store
                fn()
            CASES.append((name + ", " + store, run))
        return fn
    return add


def env(**more):
    e = {"PATH": os.environ["PATH"], "HOME": DIR, "LANG": "C.UTF-8", "USER": "ann", "LLM_API_BASE": MODEL.url,
         "LLM_MODEL": "policy", "LLM_API_KEY": "none", "ARGUS_STORE": STORES[now_on[0]],
         "ARGUS_CONFIG": os.path.join(DIR, "argus.yaml"), "MAX_QUERIES_PER_MINUTE": "100000"}
    e.update(more)
    return e


def argus(*args, want=0, text=None, **more):
    p = subprocess.run([ARGUS, *args, "--config", path("argus.yaml")], capture_output=True, text=True, input=text, env=env(**more), check=False, timeout=60)
    same("exit code of %s: %s%s" % (" ".join(args), p.stdout, p.stderr), p.returncode, want)
    return p


def path(name):
    return os.path.join(DIR, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write(text)
    return path(name)


def loaded(*args, **more):
    return json.loads(argus(*args, "-o", "json", **more).stdout)


def statements(like):
    """How often statements with this text ran to their end, by the audit table."""
    calls = loaded("log", "-t", "execute_sql", "--limit", "1000")["calls"]
    return [c["outcome"] for c in calls if like in json.dumps(c)]


def plant():
    with sqlite3.connect(LITE) as db:
        db.executescript("""
            create table customers(id integer primary key, name text not null, region text not null);
            insert into customers values (1,'Ann','North'),(2,'Bob','South'),(3,'Cem','North'),(4,'O''Neil','West');
            """)
    write("argus.yaml", "projects:\n  shop:\n    source: sqlite:%s\n" % LITE)
    subprocess.run(["createdb", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-E", "UTF8", "-T", "template0", "recipe"], check=True)


@case("a recipe is read, listed and shown")
def _():
    argus("recipe", "import", write("weekly.md", WEEKLY))
    has(argus("recipe", "list").stdout, "Weekly")
    p = argus("recipe", "show", "weekly").stdout
    has(p, "Who is in {{region}}, and {{who}}?")
    has(p, "select: North, South")
    same("fields", loaded("recipe", "show", "Weekly")["fields"]["variables"][2],
         {"name": "n", "type": "number", "label": "How many", "default": "10"})


@case("what is wrong is one sentence that names the field, and nothing is kept")
def _():
    for old, new, message in (
            ("{{region}}, and", "{{regoin}}, and", "step 1: prompt_template: uses {{regoin}}, which is no variable"),
            ("type: number", "type: money", "variable 3: type: want one of string, number, date, boolean, select; got \"money\""),
            ("  options: [North, South]\n", "", "variable 1 (region): options: is missing"),
            ("default: North", "default: East", "variable 1 (region): default: want one of North, South; got \"East\""),
            ("= {{region}}", "= '{{region}}'", "step 1: sql: {{region}} is within quotes or a comment"),
            ("SELECT name FROM", "DELETE FROM", "step 1: sql: Only queries are allowed, not DELETE"),
            ("SELECT name", "SELECT nam", "step 1: sql: "),
            ("kind: recipe", "kind: [", "not YAML")):
        p = argus("recipe", "import", write("bad.md", WEEKLY.replace("name: Weekly", "name: Bad").replace(old, new)), want=1)
        has(p.stderr, message)
    same("names", [r["name"] for r in loaded("recipe", "list")["recipes"]], ["Weekly"])


@case("values are checked, defaults fill gaps, and a value is data")
def _():
    for args, message in ((["region=East"], "region: want one of North, South; got \"East\""),
                          (["n=ten"], "n: want a number like 12 or -3.5, got \"ten\""),
                          (["regin=North"], "did you mean \"region\"?"), (["region"], "want NAME=VALUE, got \"region\""),
                          (["n=1", "n=2"], "n: comes twice")):
        has(argus("recipe", "run", "Weekly", *args, want=1).stderr, message)
    r = loaded("recipe", "run", "Weekly")
    same("default", r["steps"][0]["response"], "| name |\n| --- |\n| Ann |\n| Cem |")
    same("step 2", (r["steps"][1]["response"].split(".")[0], r["steps"][1]["tools_used"], r["steps"][1]["success"]),
         ("There are 4 customers", ["execute_sql"], True))
    same("run", (r["status"], r["values"], r["user"]), ("completed", {"region": "North", "who": "nobody", "n": "10"}, "ann"))
    r = loaded("recipe", "run", "Weekly", "region=South", "--var", "who=O'Neil", "n=1")
    same("a quote", r["steps"][0]["response"], "| name |\n| --- |\n| Bob |")
    r = loaded("recipe", "run", "Weekly", "region=South", "who=x' OR 1=1 -- {{n}}")
    same("SQL in a value", r["steps"][0]["response"], "| name |\n| --- |\n| Bob |")
    has(r["steps"][0]["prompt"], "\"x' OR 1=1 -- \\u007b{n\\u007d}\"")


@case("runs are listed and shown with every step")
def _():
    runs = loaded("recipe", "runs", "Weekly")["runs"]
    same("runs", [r["status"] for r in runs], ["completed"] * 3)
    one = loaded("recipe", "show", "--run", runs[0]["run"][:8])
    same("the newest first", one, runs[0])
    has(argus("recipe", "show", "--run", one["run"][:8]).stdout, "There are 4 customers")
    has(argus("recipe", "runs", "-n", "1").stdout, "2/2")
    has(argus("recipe", "show", "--run", "ffffffff", want=1).stderr, "there is no run \"ffffffff\"")
    argus("recipe", "show", want=2)


@case("a step that fails ends the run, which goes on there")
def _():
    p = argus("recipe", "run", "Weekly", want=1, LLM_API_BASE="http://127.0.0.1:9/v1")
    has(p.stderr, "step 2 failed")
    run = loaded("recipe", "runs")["runs"][0]
    same("steps", [s["status"] for s in run["steps"]], ["completed", "failed"])
    before = len(statements("FROM customers WHERE region"))
    argus("recipe", "resume", run["run"][:8])
    again = loaded("recipe", "show", "--run", run["run"])
    same("status", again["status"], "completed")
    same("step 1 stays", again["steps"][0], run["steps"][0])
    same("its statement ran once", len(statements("FROM customers WHERE region")), before)
    same("its turn went on", again["steps"][1]["turn"], run["steps"][1]["turn"])
    has(argus("recipe", "resume", run["run"][:8], want=1).stderr, "is complete")


@case("a recipe survives its files, and argus knowledge has it, too")
def _():
    was = loaded("recipe", "show", "Weekly")
    argus("recipe", "export", path("out.md"), "Weekly")
    has(argus("recipe", "export", "-", "Weekly").stdout, "kind: recipe")
    for kind, target in (("recipe", "folder-" + now_on[0]), ("knowledge", now_on[0] + ".zip")):
        argus(kind, "export", path(target))
        argus("recipe", "delete", "Weekly")
        same("gone", loaded("recipe", "list")["recipes"], [])
        argus(kind, "import", path(target))
        now = loaded("recipe", "show", "Weekly")
        same("the same", {k: now[k] for k in now if k != "version"}, {k: was[k] for k in was if k != "version"})
    has(argus("recipe", "import", path("out.md")).stderr, "0 added, 0 changed, 1 as before")


@case("a person changes one in an editor or from a file")
def _():
    argus("recipe", "edit", "Weekly", EDITOR="sed -i s/week/month/")
    same("text", loaded("recipe", "show", "Weekly")["fields"]["description"], "Who was there in a month.")
    p = argus("recipe", "edit", "Weekly", want=1, EDITOR="sed -i s/{{region}}/{{regoin}}/")
    has(p.stderr, "uses {{regoin}}")
    os.unlink(p.stderr.split("your text is in ")[1].split(";")[0])
    has(argus("recipe", "edit", "Weekly", EDITOR="true").stderr, "nothing was changed")
    argus("recipe", "edit", "Weekly", "--file", path("weekly.md"))
    same("text", loaded("recipe", "show", "Weekly")["fields"]["description"], "Who was there in a week.")
    p = argus("recipe", "edit", "Weekly", "--file", write("other.md", WEEKLY.replace("Weekly", "Daily")), want=1)
    has(p.stderr, "name: want the recipe \"Weekly\", got recipe \"Daily\"")


@case("a job runs one, and a schedule queues it")
def _():
    for what, message in ((["shop/Weekly", "--var", "region=East"], "region: want one of North, South"),
                          (["shop/Never"], "there is no recipe \"Never\""), (["shop"], "want PROJECT/RECIPE"),
                          (["none/Weekly"], "none")):
        has(argus("jobs", "add", "recipe", *what, want=1).stderr, message)
    has(argus("jobs", "add", "shop", "--var", "x=1", want=1).stderr, "takes no values")
    job = argus("jobs", "add", "recipe", "shop/Weekly", "--var", "region=South").stdout.strip()
    argus("schedule", "add", "each", "0 7 * * mon", "recipe", "shop/weekly", "--var", "region=South")
    same("schedule", loaded("schedule", "list")["schedules"][0]["what"], "recipe shop/Weekly region=South".split(" ", 1)[1])
    argus("worker", "--drain")
    j = loaded("jobs", "show", job)
    same("job", (j["state"], j["kind"], j["what"], j["result"]["status"]), ("done", "recipe", "shop/Weekly region=South", "completed"))
    r = loaded("recipe", "show", "--run", j["result"]["run"])
    same("its thread is the job's run", r["thread"], j["run"])
    same("answers", [s["response"].split(".")[0] for s in r["steps"]],
         ["| name |\n| --- |\n| Bob |", "There are 4 customers"])


def slow(name, n):
    steps = "".join("- prompt_template: step %d\n  sql: %s\n" % (i, SLOW % i) for i in range(1, n + 1))
    argus("recipe", "import", "--no-check", write("slow.md", "---\nkind: recipe\nname: %s\nsteps:\n%sis_shared: true\n---\n\nSlow\n" % (name, steps)))


def kill_when(p, line):
    """kill -9 as soon as the program says that this step has begun."""
    for text in p.stdout:
        if text.startswith(line):
            break
    p.send_signal(signal.SIGKILL)
    p.communicate()


def check_once(n, killed):
    """Statements that gave a result ran once; the one that was under way may have begun twice."""
    for i in range(1, n + 1):
        ran = [o for o in statements("%d AS step" % i) if o == "ok"]
        same("statement %d" % i, len(ran) <= (2 if i in killed else 1) and len(ran) >= 1, True)


@case("a run that was killed goes on where it stopped, without a statement twice")
def _():
    slow("Slow", 5)
    p = subprocess.Popen([ARGUS, "recipe", "run", "Slow", "--config", path("argus.yaml")], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, env=env())
    kill_when(p, "3/5")
    run = loaded("recipe", "runs", "Slow")["runs"][0]
    same("as it was left", (run["status"], [s["status"] for s in run["steps"]]),
         ("running", ["completed", "completed", "running", "pending", "pending"]))
    argus("recipe", "resume", run["run"][:8])
    again = loaded("recipe", "show", "--run", run["run"])
    same("status", again["status"], "completed")
    same("the first two stay", again["steps"][:2], run["steps"][:2])
    same("results", [s["response"].splitlines()[2] for s in again["steps"]], ["| 400000 | %d |" % i for i in range(1, 6)])
    same("turns", len({s["turn"] for s in again["steps"]}), 5)
    check_once(5, {3})


@case("a worker that was killed loses nothing of its run")
def _():
    slow("Slow job", 4)
    job = argus("jobs", "add", "recipe", "shop/Slow job").stdout.strip()
    p = subprocess.Popen([ARGUS, "worker", "--drain", "--config", path("argus.yaml")], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, text=True, env=env())
    while True:
        runs = loaded("recipe", "runs", "Slow job")["runs"]
        if runs and runs[0]["steps"][1]["status"] != "pending":
            break
    p.send_signal(signal.SIGKILL)
    p.wait()
    argus("worker", "--drain")
    j = loaded("jobs", "show", job)
    same("job", (j["state"], j["result"]["status"], j["result"]["steps"]), ("done", "completed", 4))
    runs = loaded("recipe", "runs", "Slow job")["runs"]
    same("one run", len(runs), 1)
    same("results", [s["response"].splitlines()[2] for s in runs[0]["steps"]], ["| 400000 | %d |" % i for i in range(1, 5)])


@case("a conversation lists, runs and saves them")
def _():
    lines = ["/recipe", "How many customers are there?", "/recipe save Count 1 thing=customers", "/recipe save Count 1 x=nothing",
             "/recipe save Asked 1", "/recipe run asked", "/recipe run Count thing=5 y=1", "/recipe run", "/recipe sing"]
    p = argus("chat", "-p", "shop", text="\n".join(lines) + "\n")
    has(p.stdout, "Weekly")
    has(p.stderr, "Count, 1 step")
    has(p.stderr, "x: no question has \"nothing\"")
    has(p.stdout, "1/1 How many customers are there?\nThere are 4 customers.")
    has(p.stderr, "y: the recipe has no such variable")
    has(p.stderr, "/recipe: want a name")
    has(p.stderr, "/recipe: want list, run")
    o = loaded("recipe", "show", "Count")["fields"]
    same("variable", o["variables"], [{"name": "thing", "type": "string", "label": "thing", "default": "customers"}])
    same("step", o["steps"], [{"prompt_template": "How many {{thing}} are there?"}])
    same("not shared", o.get("is_shared"), None)


@case("a client of MCP saves one and runs it")
def _():
    c = Client([ARGUS, "mcp", "--config", path("argus.yaml")], env())

    def tool(of, **arguments):
        return c.request("tools/call", {"name": of, "arguments": arguments})["result"]["structuredContent"]

    bad = tool("save_as_recipe", name="Remote", description="d", variables=[], steps=[{"prompt_template": "{{x}}"}])
    same("refused", (bad["success"], bad["error"]["code"]), (False, "VALIDATION_ERROR"))
    has(bad["error"]["message"], "step 1: prompt_template: uses {{x}}")
    bad = tool("save_as_recipe", name="Remote", description="d", variables=[],
                 steps=[{"prompt_template": "a", "sql": "DELETE FROM customers"}])
    has(bad["error"]["message"], "step 1: sql: Only queries are allowed")
    ok = tool("save_as_recipe", name="Remote", description="d", is_shared=True,
                variables=[{"name": "region", "type": "select", "label": "R", "options": ["North", "South"]}],
                steps=[{"prompt_template": "Who is in {{region}}?", "sql": "SELECT name FROM customers WHERE region = {{region}}"},
                       {"prompt_template": "How many customers are there?"}])
    same("saved", (ok["data"]["name"], ok["data"]["step_count"], ok["data"]["variable_names"]), ("Remote", 2, ["region"]))
    has(tool("run_recipe", name="Remote")["error"]["message"], "region: is missing")
    has(tool("run_recipe", name="Remot")["error"]["hint"], "Remote")
    r = tool("run_recipe", name="remote", values={"region": "South"})["data"]["recipe_run"]
    same("steps", [s["response"].split(".")[0] for s in r["steps"]],
         ["| name |\n| --- |\n| Bob |", "There are 4 customers"])
    c.close()


plant()
run_cases()
