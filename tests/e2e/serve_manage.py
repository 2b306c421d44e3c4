#!/usr/bin/env python3
"""Managing a project over argus serve, by a viewer, an analyst and an admin; on both stores.

1. A recipe runs with values: of statements, of a model; its run is shown, stopped and gone on with; others' runs are not seen.
2. Golden questions are asked, one evaluation at a time; what was right, and was right before, is listed.
3. The dictionary is shown in pages, and read again.
4. Jobs and schedules are made, changed and seen by admins of the project alone."""
import json
import sqlite3
import sys

import serve
from serve import DIR, Server, argus, ask, check, wait

P = "/api/projects/shop"
R = P + "/recipe-runs"
NAMES = {"description": "Names that begin with a letter.", "is_shared": True,
         "variables": [{"name": "letter", "type": "select", "label": "First letter", "options": ["A", "B"], "default": "A"},
                       {"name": "least", "type": "number", "label": "Least id", "default": 0}],
         "steps": [{"prompt_template": "Which names begin with {{letter}}?",
                    "sql": "SELECT name FROM customers WHERE name LIKE {{letter}} || '%' AND id > {{least}}"}]}
ASKED = {"description": "Asks a model.", "is_shared": True, "steps": [{"prompt_template": "How many customers are there?"}]}
SLOW = {"description": "Takes its time.", "is_shared": True,
        "steps": [{"prompt_template": "How many customers are there?"}, {"prompt_template": "Spell slowly"}]}


def call(server, token, method, path, body=None, **headers):
    r = ask(server, method, path, body, token=token, **headers)
    text = r.r.read().decode()
    return r.status, json.loads(text) if text and "json" in r.headers.get("content-type", "") else text


def add(server, token, kind, name, fields):
    status, made = call(server, token, "POST", "%s/knowledge/%s" % (P, kind), {"name": name, "fields": fields})
    check("%s %s is added" % (kind, name), status == 201, made)


def ended(server, token, path, state="status", going=("pending", "running")):
    return wait(lambda: [x for x in [call(server, token, "GET", path)[1]] if x[state] not in going], 60)[0]


def recipes(server, tokens):
    admin, analyst, viewer = tokens
    for name, fields in (("Names", NAMES), ("Asked", ASKED), ("Slow", SLOW), ("Private", dict(ASKED, is_shared=False))):
        add(server, analyst, "recipe", name, fields)
    status, run = call(server, viewer, "POST", R, {"recipe": "Names", "values": {"letter": "B"}})
    check("a viewer begins a run", status == 202 and run["recipe"] == "Names" and run["user"] == "vi", (status, run))
    done = ended(server, viewer, "%s/%s" % (R, run["run"]))
    step = done["steps"][0]
    check("it has its answer, and the values in its statement", done["status"] == "completed" and "Bob" in step["response"] and "'B'" in step["sql"] and
          done["values"] == {"letter": "B", "least": "0"}, done)
    status, run = call(server, analyst, "POST", R, {"recipe": "asked"})
    done = ended(server, analyst, "%s/%s" % (R, run["run"]))
    check("a model answers a step", done["status"] == "completed" and "3 customers" in done["steps"][0]["response"] and
          done["steps"][0]["tools_used"] == ["execute_sql"], done)
    bad = [({"recipe": "Names", "values": {"letter": "C"}}, 400, "letter"), ({"recipe": "Names", "values": {"least": "many"}}, 400, "least"),
           ({"recipe": "Names", "values": {"other": 1}}, 400, "other"), ({"recipe": "Names", "values": []}, 400, "values"), ({"values": {}}, 400, "recipe"),
           ({"recipe": "Nothing"}, 404, "Nothing"), ({"recipe": "Names", "more": 1}, 400, "more")]
    got = [(call(server, viewer, "POST", R, body), status, word) for body, status, word in bad]
    check("a wrong value is refused by its name", all(r[0] == s and w in r[1]["detail"] for r, s, w in got), got)
    check("a recipe that is not shared is its author's", [call(server, t, "POST", R, {"recipe": "Private"})[0] for t in (viewer, analyst)] == [404, 202])
    key = {"Idempotency_Key": "run-1"}
    twice = [call(server, viewer, "POST", R, {"recipe": "Names"}, **key) for _ in range(2)]
    check("the same key runs it once", twice[0] == twice[1] and twice[0][0] == 202, twice)
    own, all_runs = [call(server, t, "GET", R + "?limit=200")[1]["runs"] for t in (viewer, admin)]
    check("others see their own runs, an admin all", {r["user"] for r in own} == {"vi"} and {r["user"] for r in all_runs} == {"vi", "ann"} and len(own) == 2, all_runs)
    pages, cursor = [], ""
    while cursor is not None:
        page = call(server, admin, "GET", "%s?limit=2%s" % (R, cursor and "&cursor=" + cursor))[1]
        pages += [r["run"] for r in page["runs"]]
        cursor = page["next"]
    check("pages are the whole list", pages == [r["run"] for r in all_runs], pages)
    check("runs of one recipe", {r["recipe"] for r in call(server, admin, "GET", R + "?recipe=Asked")[1]["runs"]} == {"Asked"})
    other = [r for r in all_runs if r["user"] == "ann"][0]["run"]
    ended(server, analyst, "%s/%s" % (R, other))
    got = [call(server, viewer, m, "%s/%s%s" % (R, other, p))[0] for m, p in (("GET", ""), ("POST", "/stop"), ("POST", "/resume"))]
    got += [call(server, admin, "POST", "%s/%s/resume" % (R, other))[0], call(server, analyst, "POST", "%s/%s/resume" % (R, other))[0],
            call(server, analyst, "POST", "%s/%s/stop" % (R, other))[0], call(server, admin, "GET", R.replace("shop", "secret"))[0], call(server, admin, "GET", R + "/zz")[0]]
    check("another's run is not there, and one that ended is neither stopped nor gone on with", got == [404, 404, 404, 403, 409, 409, 404, 404], got)
    stops(server, tokens)


def stops(server, tokens):
    analyst = tokens[1]
    run = call(server, analyst, "POST", R, {"recipe": "Slow"})[1]["run"]
    path = "%s/%s" % (R, run)
    check("the second step is under way", wait(lambda: call(server, analyst, "GET", path)[1]["steps"][1]["status"] == "running"))
    check("it cannot be gone on with twice", call(server, analyst, "POST", path + "/resume")[0] == 409)
    check("it is stopped", call(server, analyst, "POST", path + "/stop")[0] == 202)
    done = ended(server, analyst, path)
    check("the step before it is kept", [s["status"] for s in done["steps"]] == ["completed", "cancelled"], done)
    first = done["steps"][0]["turn"]
    check("it goes on", call(server, analyst, "POST", path + "/resume")[0] == 202)
    done = ended(server, analyst, path, going=("pending", "running", "cancelled"))
    check("and the first step is not asked again", done["status"] == "completed" and done["steps"][0]["turn"] == first and "papa" in done["steps"][1]["response"], done)


def evaluations(server, tokens):
    admin, analyst, viewer = tokens
    E = P + "/evaluations"
    status, got = call(server, analyst, "POST", E, {})
    check("without golden questions nothing is asked", status == 400 and "golden" in got["detail"], got)
    add(server, analyst, "golden", "How many customers are there?", {"mode": "contains", "expected": "3"})
    add(server, analyst, "golden", "How many customers were there?", {"mode": "exact", "expected": "4", "tags": ["past"]})
    got = [call(server, t, "POST", E, b)[0] for t, b in ((viewer, {}), (analyst, {"tag": 1}), (analyst, {"tag": "none"}), (analyst, {"more": 1}))]
    check("a viewer does not ask them, and a wrong body is refused", got == [403, 400, 400, 400], got)
    status, e = call(server, analyst, "POST", E, {})
    check("they are asked", status == 202 and e["status"] == "running" and e["questions"] == 2 and e["user"] == "ann", e)
    done = ended(server, viewer, "%s/%s" % (E, e["id"]), going=("running",))
    check("one is right, the other says why it is not", done["status"] == "done" and (done["right"], done["asked"], done["accuracy"]) == (1, 2, 0.5) and
          [bool(r["why"]) for r in done["results"]] == [not r["ok"] for r in done["results"]] and done["model"] == "m", done)
    status, e = call(server, admin, "POST", E, {"tag": "past"})
    done = ended(server, viewer, "%s/%s" % (E, e["id"]), going=("running",))
    check("one tag, and what it was before", done["questions"] == 1 and done["accuracy_before"] == 0 and done["results"][0]["ok_before"] is False, done)
    listed = call(server, viewer, "GET", E + "?limit=1")[1]
    rest = call(server, viewer, "GET", E + "?limit=1&cursor=" + listed["next"])[1]
    check("the newest first, in pages", [x["tag"] for x in listed["evaluations"] + rest["evaluations"]] == ["past", ""] and rest["next"] is None and
          "results" not in listed["evaluations"][0], (listed, rest))
    add(server, analyst, "golden", "Spell slowly, please", {"mode": "contains", "expected": "papa"})
    e = call(server, analyst, "POST", E, {})[1]["id"]
    got = [call(server, analyst, "POST", E, {})[0], call(server, viewer, "POST", "%s/%s/stop" % (E, e))[0], call(server, analyst, "POST", "%s/%s/stop" % (E, e))[0]]
    check("one at a time; an analyst stops it, a viewer does not", got == [409, 403, 202], got)
    done = ended(server, viewer, "%s/%s" % (E, e), going=("running",))
    got = [call(server, analyst, "POST", "%s/%s/stop" % (E, e))[0], call(server, analyst, "GET", E + "/zz")[0], call(server, analyst, "GET", E.replace("shop", "secret"))[0]]
    check("then it is stopped", done["status"] == "cancelled" and got == [409, 404, 404], (done, got))


def dictionary(server, tokens):
    admin, analyst, viewer = tokens
    D = P + "/dictionary"
    status, d = call(server, viewer, "GET", D)
    table = d["tables"][0]
    check("a viewer sees tables and columns", status == 200 and table["name"] == "customers" and [c["name"] for c in table["columns"]] == ["id", "name"] and d["next"] is None, d)
    with sqlite3.connect(DIR + "/shop.db") as db:
        db.execute("CREATE TABLE IF NOT EXISTS later (x INTEGER)")
    before = call(server, viewer, "GET", D)[1]["table_count"]
    got = [call(server, t, "POST", D + "/refresh", {})[0] for t in (viewer, analyst)]
    page = call(server, viewer, "GET", D + "?limit=1")[1]
    rest = call(server, viewer, "GET", D + "?limit=1&cursor=" + page["next"])[1]
    check("the database is read again, not for a viewer", got == [403, 200] and before in (1, 2) and page["table_count"] == 2, (got, page))
    check("in pages", [t["name"] for t in page["tables"] + rest["tables"]] == ["customers", "later"] and rest["next"] is None, (page, rest))
    got = [call(server, admin, "GET", D + "?cursor=x")[0], call(server, admin, "GET", D.replace("shop", "secret"))[0], call(server, admin, "POST", D.replace("shop", "secret") + "/refresh", {})[0]]
    check("a wrong cursor, and another project", got == [400, 404, 404], got)


def jobs(server, store, model, tokens):
    admin, analyst, viewer = tokens
    J = "/api/jobs"
    body = {"project": "shop", "kind": "recipe", "what": "Names", "values": {"letter": "B"}}
    wrong = [(dict(body, what="Nothing"), 404), (dict(body, values={"letter": "C"}), 400), (dict(body, kind="other"), 400), (dict(body, kind="audit"), 400),
             ({"kind": "recipe"}, 400), (dict(body, project="secret"), 404), (dict(body, more=1), 400)]
    got = [call(server, admin, "POST", J, b)[0] for b, _ in wrong] + [call(server, t, "POST", J, body)[0] for t in (analyst, viewer)]
    check("a job that cannot be done is refused, and one of who is no admin", got == [s for _, s in wrong] + [403, 403], got)
    key = {"Idempotency_Key": "job-1"}
    twice = [call(server, admin, "POST", J, body, **key) for _ in range(2)]
    job = twice[0][1]
    check("a recipe is queued once", twice[0] == twice[1] and twice[0][0] == 201 and job["state"] == "queued" and job["project"] == "shop" and "Names" in job["what"], twice)
    one = "%s/%s" % (J, job["id"])
    got = [call(server, t, m, one + p)[0] for t, m, p in ((viewer, "GET", ""), (analyst, "POST", "/cancel"), (admin, "POST", "/retry"), (admin, "GET", ""))]
    check("who is no admin does not see it, and it is not run again before it ended", got == [404, 404, 409, 200], got)
    check("it is cancelled", call(server, admin, "POST", one + "/cancel")[1]["state"] == "cancelled" and call(server, admin, "POST", one + "/cancel")[0] == 409)
    check("and run again", call(server, admin, "POST", one + "/retry")[1]["state"] == "queued")
    argus(store, model, "worker", "--drain")
    done = call(server, admin, "GET", one)[1]
    check("a worker does it", done["state"] == "done" and done["attempts"] == 1 and done["result"]["status"] == "completed", done)
    again = call(server, admin, "POST", one + "/retry")[1]
    check("what is done is queued once more, as another job", again["id"] != job["id"] and again["state"] == "queued" and again["payload"] == job["payload"], again)
    listed = call(server, admin, "GET", J + "?limit=1")[1]
    rest = call(server, admin, "GET", J + "?limit=1&cursor=" + listed["next"])[1]
    check("the newest first, in pages", [x["id"] for x in listed["jobs"] + rest["jobs"]] == [again["id"], job["id"]] and rest["next"] is None, (listed, rest))
    got = [call(server, admin, "GET", J + q)[0] for q in ("?state=none", "?cursor=x", "/none")]
    check("a wrong state, cursor and id", got == [400, 400, 404], got)
    check("by state and project", [len(call(server, admin, "GET", J + q)[1]["jobs"]) for q in ("?state=done", "?project=secret", "?kind=audit")] == [1, 0, 0])
    check("others see none", call(server, viewer, "GET", J)[1]["jobs"] == [] and call(server, analyst, "GET", J)[1]["jobs"] == [])
    schedules(server, store, model, tokens, body)


def schedules(server, store, model, tokens, body):
    admin, analyst, viewer = tokens
    S = "/api/schedules"
    new = dict(body, name="monday", cron="0 7 * * mon", zone="Europe/Berlin")
    wrong = [(dict(new, cron="61 7 * * mon"), 400), (dict(new, zone="Nowhere/Here"), 400), (dict(new, name="a b"), 400), (dict(new, values={"letter": "C"}), 400),
             ({k: v for k, v in new.items() if k != "cron"}, 400), (dict(new, project="secret"), 404)]
    got = [call(server, admin, "POST", S, b)[0] for b, _ in wrong] + [call(server, t, "POST", S, new)[0] for t in (analyst, viewer)]
    check("a schedule that can never run is refused, and one of who is no admin", got == [s for _, s in wrong] + [403, 403], got)
    status, made = call(server, admin, "POST", S, new)
    check("it is made, once", status == 201 and made["next_at"] and not made["paused"] and made["last_job"] is None and call(server, admin, "POST", S, new)[0] == 409, made)
    one = S + "/monday"
    changed = call(server, admin, "PATCH", one, {"cron": "* * * * *", "zone": "UTC"})[1]
    check("when it is due is changed", changed["cron"] == "* * * * *" and changed["zone"] == "UTC" and changed["next_at"] != made["next_at"], changed)
    paused = call(server, admin, "PATCH", one, {"paused": True})[1]
    check("it is paused, and goes on", paused["paused"] and paused["next_at"] is None and call(server, admin, "PATCH", one, {"paused": False})[1]["next_at"])
    got = [call(server, t, m, p, b)[0] for t, m, p, b in ((admin, "PATCH", one, {"cron": "x"}), (admin, "PATCH", one, {"paused": "x"}), (viewer, "PATCH", one, {"paused": True}),
                                                         (analyst, "DELETE", one, None), (admin, "DELETE", S + "/none", None))]
    check("wrong changes, and changes of who is no admin", got == [400, 400, 404, 404, 404], got)
    check("others see none", call(server, viewer, "GET", S)[1]["schedules"] == [])
    check("the list has it", [c["name"] for c in call(server, admin, "GET", S)[1]["schedules"]] == ["monday"])
    check("it is removed once", [call(server, admin, "DELETE", one)[0] for _ in range(2)] == [204, 404])


def settings(server, store, model, tokens):
    got = [call(server, t, "GET", "/api/settings")[0] for t in tokens]
    check("who is no superuser does not see the settings", got == [403, 403, 403], got)
    argus(store, model, "user", "create", "boss", "--superuser")
    boss = argus(store, model, "token", "create", "--user", "boss", "--role", "admin").splitlines()[0]
    status, page = call(server, boss, "GET", "/api/settings?limit=200")
    by = {x["key"]: x for x in page["settings"]}
    check("a superuser sees each with where it comes from", status == 200 and by["store"]["place"] == "environment" and by["store"]["where"] and
          by["log_level"]["place"] == "default" and by["log_level"]["help"] and page["next"] is None, page["settings"][:3])
    check("a password is not among them", "key-of-the-test" not in json.dumps(page))
    check("a superuser sees the jobs of all projects", len(call(server, boss, "GET", "/api/jobs")[1]["jobs"]) == 2)


def project_settings(store, model, tokens):
    """What an administrator of a project changes, and what not."""
    admin, analyst, viewer = tokens
    at = "/api/projects/shop/settings"
    serve.MORE["ARGUS_MAX_QUERIES_PER_HOUR"] = "5000"
    server = Server(store, model)
    got = [call(server, t, m, at + p, b)[0] for t in (analyst, viewer) for m, p, b in (("GET", "", None), ("PUT", "/max_rows_per_query", {"value": "2"}), ("DELETE", "/max_rows_per_query", None))]
    check("only an administrator sees and changes a project's settings", got == [403] * 6, got)
    by = {s["key"]: s for s in call(server, admin, "GET", at + "?limit=200")[1]["settings"]}
    check("each says where its value comes from", by["max_rows_per_query"]["place"] == "default" and by["max_rows_per_query"]["value"] == "500" and by["max_queries_per_hour"]["place"] == "server" and
          by["max_queries_per_hour"]["value"] == "5000" and "ARGUS_MAX_QUERIES_PER_HOUR" in by["max_queries_per_hour"]["where"] and all(s["help"] for s in by.values()), by)
    check("no secret, and the guard's rules are shown only", "documents_secret" not in by and not by["allowed_tables"]["may_change"] and by["max_rows_per_query"]["may_change"], by.keys())
    page = call(server, admin, "GET", at + "?limit=3")[1]
    check("page by page", len(page["settings"]) == 3 and page["next"] and call(server, admin, "GET", at + "?limit=3&cursor=" + page["next"])[1]["settings"][0]["key"] not in [s["key"] for s in page["settings"]], page)
    status, got = call(server, admin, "PUT", at + "/max_rows_per_query", {"value": " 2 "})
    check("a limit is set", status == 200 and (got["value"], got["place"], got["by_default"]) == ("2", "project", "500"), got)
    status, got = call(server, admin, "PUT", at + "/system_prompt", {"value": "Call customers clients.\nAlways."})
    check("and instructions", status == 200 and got["value"] == "Call customers clients.\nAlways.", got)
    kept = argus(store, model, "project", "show", "shop", "-o", "json")
    check("they are the project's own settings", '"max_rows_per_query":2' in kept.replace(" ", "") and "clients" in kept, kept)
    wrong = [("max_rows_per_query", "0", 400), ("max_rows_per_query", "10001", 400), ("max_rows_per_query", "many", 400), ("max_rows_per_query", "2.5", 400), ("max_rows_per_query", "-1", 400),
             ("max_query_timeout_seconds", "301", 400), ("max_query_timeout_seconds", "nan", 400), ("max_queries_per_hour", "5001", 400), ("max_queries_per_hour", "5000", 200), ("system_prompt", "x" * 32769, 400),
             ("root", "/etc", 403), ("api_base", "http://169.254.169.254", 403), ("documents", "/etc", 403), ("documents_secret", "x", 404), ("allowed_functions", "pg_read_file", 403),
             ("allowed_tables", "secrets", 403), ("sensitive_words", "x", 403), ("readonly_role", "postgres", 403), ("model", "dear", 403), ("max_connections", "1000", 403), ("colour", "red", 404), ("source", "sqlite:/etc", 404)]
    got = [call(server, admin, "PUT", "%s/%s" % (at, k), {"value": v})[0] for k, v, _ in wrong]
    check("nothing that reaches further, and no limit wider than the server's", got == [w for _, _, w in wrong], list(zip(wrong, got)))
    got = [call(server, admin, "PUT", at + "/max_rows_per_query", b)[0] for b in ({}, {"value": ""}, {"value": "  "}, {"value": 5}, {"value": "5", "colour": 1})]
    check("wrong bodies", got == [400] * 5, got)
    call(server, admin, "PUT", at + "/max_queries_per_day", {"value": "1"})
    got = [call(server, analyst, "GET", "/api/projects/shop/knowledge")[0] for _ in range(3)]
    check("a limit of calls counts", got[-1] == 429, got)
    call(server, admin, "GET", "/api/projects/shop/knowledge")
    status, got = call(server, admin, "DELETE", at + "/max_queries_per_day")
    check("one that is too narrow can be taken back", status == 200 and (got["value"], got["place"]) == ("none", "default"), got)
    check("and does not count any more", call(server, analyst, "GET", "/api/projects/shop/knowledge")[0] == 200)
    for key in ("max_rows_per_query", "system_prompt", "max_queries_per_hour"):
        call(server, admin, "DELETE", "%s/%s" % (at, key))
    again = {s["key"]: s for s in call(server, admin, "GET", at + "?limit=200")[1]["settings"]}
    check("without values all is as before", again == by, [(again[k], by[k]) for k in by if again[k] != by[k]])
    log = argus(store, model, "log", "-o", "json", "--project", "shop", "--limit", "500")
    check("each change is in the audit table, with its value", all(t in log for t in ("set_project_setting", "reset_project_setting", "max_rows_per_query=2")), log[:500])
    check("it ends with 0", server.stop() == 0, server.said())
    del serve.MORE["ARGUS_MAX_QUERIES_PER_HOUR"]


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
    recipes(server, tokens)
    evaluations(server, tokens)
    dictionary(server, tokens)
    check("it ends with 0", server.stop() == 0, server.said())
    log = argus(store, model, "log", "-o", "json", "--project", "shop", "--limit", "500")
    check("each run is in the audit table", '"run_recipe"' in log, log)
    server = Server(store, model, "--questions", "0", "--workers", "0")
    jobs(server, store, model, tokens)
    settings(server, store, model, tokens)
    server.stop()
    project_settings(store, model, tokens)
    server = Server(store, model, "--questions", "1")
    got = [call(server, tokens[1], "POST", R, {"recipe": "Names"})[0] for _ in range(2)]
    check("a run counts as a question: one too many is 429", got == [202, 429], got)
    server.stop()


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
