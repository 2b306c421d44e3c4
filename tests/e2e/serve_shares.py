#!/usr/bin/env python3
"""Share links of argus serve, on both stores.

1. A conversation, an artifact and a run of a recipe are shared by whom it may; the link shows a fixed copy to whom it is for.
2. Unknown, expired, revoked, foreign and deleted: one and the same 404.
3. Openings are counted; lists have pages; the token is neither in the store nor in a log.
4. Nothing of other conversations, no thoughts and no key are in a copy.
5. Openings of one address are limited."""
import datetime
import json
import re
import sqlite3
import subprocess
import sys
import time

import serve
from serve import DIR, PORT, SOCKET, Server, argus, ask, check
from serve_users import PASSWORD, cookie_of, setup
from serve_work import call, mcp

S = "/api/projects/shop/shares"
LOG = DIR + "/shares-access.log"
made_tokens = []


def soon(seconds):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def share(server, who, kind, thing, audience="public", **more):
    r = ask(server, "POST", S, dict({"kind": kind, "thing": thing, "audience": audience}, **more), **who)
    got = r.json()
    if r.status == 201:
        made_tokens.append(got["token"])
    return r.status, got


def opened(server, token, who=None):
    """Opens a link: as nobody, or as somebody. The reference of a refusal differs each time."""
    path, who = ("/api/shared/members", who) if who is not None else ("/api/shared", {})
    r = ask(server, "POST", path, {"token": token}, **who)
    got = r.json()
    got.pop("reference", None)
    headers = {k: v for k, v in r.headers.items() if k not in ("date", "x-request-id", "content-length")}
    return r.status, got, headers


def chat(server, token, name, text):
    body = {"id": name, "message": {"id": "u", "role": "user", "parts": [{"type": "text", "text": text}]}, "project": "shop"}
    return serve.ask(server, "POST", "/api/chat", body, token).rest()


class World:
    def __init__(self, server, store, model):
        self.server = server
        serve.wait(lambda: "/setup#" in server.said())
        self.admin = {"Cookie": cookie_of(setup(server, server.said().split("/setup#")[1].split()[0], PASSWORD))}
        self.guest = self.person("guest")
        for user, role in (("root", "admin"), ("ann", "analyst"), ("vi", "viewer"), ("bob", "analyst")):
            argus(store, model, "project", "grant", "shop", user, role)
            setattr(self, user, {"token": argus(store, model, "token", "create", "--user", user, "--role", role).splitlines()[0]})
        self.out = {"token": argus(store, model, "token", "create", "--user", "out").splitlines()[0]}
        argus(store, model, "project", "grant", "secret", "out", "admin")
        chat(server, self.ann["token"], "shared-thread", "How many customers are there?")
        chat(server, self.ann["token"], "other-thread", "Say hello")
        self.chart = mcp(server, self.ann["token"], "create_artifact",
                         {"title": "Customers", "artifact_type": "html", "code": "<h1>{{n}}</h1><script>alert(1)</script>",
                          "source_queries": [{"name": "n", "sql": "SELECT name FROM customers ORDER BY name"}]})["artifact_id"]

    def person(self, name):
        link = ask(self.server, "POST", "/api/users", {"name": name}, **self.admin).json()["link_token"]
        return {"Cookie": cookie_of(setup(self.server, link, PASSWORD))}


def threads(w):
    status, made = share(w.server, w.ann, "thread", "shared-thread")
    check("a conversation is shared by its user", status == 201 and re.fullmatch(r"[\w-]{43}", made["token"]) and made["path"] == "/s/" + made["token"] and
          (made["state"], made["opens"], made["audience"], made["expires_at"]) == ("active", 0, "public", None), made)
    got = [share(w.server, who, "thread", "shared-thread")[0] for who in (w.bob, w.root, w.out)] + [share(w.server, w.ann, "thread", "no-such-thread")[0]]
    check("by nobody else, not even an admin", got == [404, 404, 404, 404], got)
    status, seen, headers = opened(w.server, made["token"])
    text = json.dumps(seen)
    parts = [p for m in seen["content"]["messages"] for p in m["parts"]]
    check("everybody reads it", status == 200 and (seen["kind"], seen["by"], seen["newest"]) == ("thread", "ann", False) and
          [m["role"] for m in seen["content"]["messages"]] == ["user", "assistant"] and "There are 3 customers." in text, seen)
    check("with its SQL, its result and what it rests on", any(p["type"] == "tool-execute_sql" and p["input"]["query"].startswith("SELECT count") and
          p["output"]["rows"] == [[3]] for p in parts) and any(p["type"] == "data-answer" for p in parts), parts)
    check("without thoughts and without other conversations", "I count them" not in text and "Hello." not in text and "key-of-the-test" not in text, text)
    check("nothing keeps it", headers.get("cache-control") == "no-store" and headers.get("referrer-policy") == "no-referrer" and
          "noindex" in headers.get("x-robots-tag", "") and "set-cookie" not in headers, headers)
    chat(w.server, w.ann["token"], "shared-thread", "Say hello")
    check("a later answer is not in the copy", opened(w.server, made["token"])[1]["content"] == seen["content"])
    one = [s for s in call(w.server, w.ann["token"], "GET", S + "?kind=thread&thing=shared-thread")[1]["shares"]]
    check("openings are counted, with the last time", [(s["opens"], s["opened_at"] is not None) for s in one] == [(2, True)] and "token" not in one[0] and
          "path" not in one[0], one)
    return made


def artifacts(w):
    got = [share(w.server, who, "artifact", w.chart)[0] for who in (w.vi, w.bob, w.out)]
    check("an artifact is shared by its author or an admin", got == [403, 403, 404] and share(w.server, w.root, "artifact", w.chart)[0] == 201, got)
    newest, first = share(w.server, w.ann, "artifact", w.chart)[1], share(w.server, w.ann, "artifact", w.chart, version=1)[1]
    one = opened(w.server, newest["token"])[1]
    a = one["content"]["artifacts"][0]
    check("it is drawn from the copy alone", one["newest"] and "Ann" in a["code"] and "<script" not in a["code"] and a["version"] == 1 and
          [(s["name"], s["row_count"]) for s in a["sources"]] == [("n", 3)], one)
    with sqlite3.connect(DIR + "/shop.db") as db:
        db.execute("INSERT INTO customers (name) VALUES ('Dee')")
    check("new rows of the database are not in the copy", opened(w.server, newest["token"])[1]["content"] == one["content"])
    mcp(w.server, w.ann["token"], "update_artifact", {"artifact_id": w.chart, "code": "<h2>{{n}}</h2>"})
    second = opened(w.server, newest["token"])[1]["content"]["artifacts"][0]
    check("a link to the newest version copies a new one", second["version"] == 2 and "Dee" in second["code"], second)
    check("a link to a version stays", opened(w.server, first["token"])[1]["content"]["artifacts"][0]["version"] == 1)
    with sqlite3.connect(DIR + "/shop.db") as db:
        db.execute("DELETE FROM customers WHERE name = 'Dee'")
    path = "/api/projects/shop/artifacts/" + w.chart
    ask(w.server, "DELETE", path, **w.ann).close()
    got = [opened(w.server, newest["token"])[0]]
    ask(w.server, "POST", path + "/undelete", {}, **w.ann).close()
    check("a deleted artifact is not shown until it is back", got + [opened(w.server, newest["token"])[0]] == [404, 200], got)


def runs(w):
    recipe = {"description": "Names that begin with a letter.", "is_shared": True,
              "variables": [{"name": "letter", "type": "select", "label": "First letter", "options": ["A", "B"], "default": "A"}],
              "steps": [{"prompt_template": "Which names begin with {{letter}}?", "sql": "SELECT name FROM customers WHERE name LIKE {{letter}} || '%'"}]}
    path, token = "/api/projects/shop/recipe-runs", w.ann["token"]
    status, made = call(w.server, token, "POST", "/api/projects/shop/knowledge/recipe", {"name": "Names", "fields": recipe})
    check("a recipe is added", status == 201, made)
    run = call(w.server, token, "POST", path, {"recipe": "Names", "values": {"letter": "B"}})[1]["run"]
    serve.wait(lambda: call(w.server, token, "GET", "%s/%s" % (path, run))[1]["status"] == "completed")
    got = [share(w.server, who, "recipe_run", run)[0] for who in (w.bob, w.vi, w.out, w.root, w.ann)]
    check("a run is shared by who ran it or an admin", got == [404, 404, 404, 201, 201], got)
    seen = opened(w.server, made_tokens[-1])[1]
    text = json.dumps(seen["content"]["messages"])
    check("a shared run has its values, its questions and its answers", (seen["kind"], seen["title"], seen["content"]["run"]["values"], seen["content"]["run"]["status"]) ==
          ("recipe_run", "Names", {"letter": "B"}, "completed") and "Which names begin with B?" in text and "Bob" in text and "How many customers" not in text, seen)
    slow = {"description": "Takes its time.", "steps": [{"prompt_template": "Spell slowly"}]}
    call(w.server, token, "POST", "/api/projects/shop/knowledge/recipe", {"name": "Slow", "fields": slow})
    run = call(w.server, token, "POST", path, {"recipe": "Slow"})[1]["run"]
    check("one that is under way is not", share(w.server, w.ann, "recipe_run", run)[0] == 409)
    call(w.server, token, "POST", "%s/%s/stop" % (path, run), {})
    of_runs = call(w.server, token, "GET", S + "?kind=recipe_run")[1]["shares"]
    check("links of runs are listed", [s["kind"] for s in of_runs] == ["recipe_run"], of_runs)


def audiences(w):
    inside = share(w.server, w.ann, "thread", "shared-thread", "project")[1]["token"]
    named = share(w.server, w.ann, "thread", "shared-thread", "users", users=["guest", "bob"])[1]
    check("the named users are listed", named["users"] == ["guest", "bob"], named)
    who = (None, w.vi, w.bob, w.ann, w.guest, w.out)
    got = [[opened(w.server, t, x)[0] for x in who] for t in (inside, named["token"])]
    check("members of the project, or who is named", got == [[404, 200, 200, 200, 404, 404], [404, 404, 200, 200, 200, 404]], got)
    check("without signing in, the members' address is 401 for every token",
          [ask(w.server, "POST", "/api/shared/members", {"token": t}).status for t in (inside, "A" * 43)] == [401, 401])
    r = ask(w.server, "POST", "/api/shared", {"token": inside}, **w.guest)
    check("the public address reads no cookie", r.status == 404 and "set-cookie" not in r.headers, r.headers)
    foreign = ask(w.server, "POST", "/api/shared/members", {"token": inside}, Origin="https://example.com", **w.guest)
    check("no page of another site opens one with a cookie", foreign.status == 403, foreign.status)


def same_404(w, made, store):
    expiring = share(w.server, w.ann, "thread", "shared-thread", expires_at=soon(1.2))[1]
    check("a link is good until it expires", opened(w.server, expiring["token"])[0] == 200)
    revoked = share(w.server, w.ann, "thread", "shared-thread")[1]
    got = [ask(w.server, "DELETE", "%s/%s" % (S, revoked["id"]), **x).status for x in (w.bob, w.out, w.ann, w.ann)]
    check("revoked by who made it, and by nobody else", got == [404, 404, 204, 204], got)
    time.sleep(1.3)
    want = opened(w.server, "A" * 43)
    inside = share(w.server, w.ann, "thread", "shared-thread", "project")[1]["token"]
    same = {"revoked": opened(w.server, revoked["token"]), "expired": opened(w.server, expiring["token"]), "for others": opened(w.server, inside),
            "no token": opened(w.server, "x"), "an id": opened(w.server, made["id"]), "empty": opened(w.server, "")}
    check("every link that does not work gets the same 404", want[0] == 404 and all(x == want for x in same.values()), (want, same))
    pages = [ask(w.server, "GET", "/s/" + t) for t in (made["token"], revoked["token"], "B" * 43)]
    bodies = {p.r.read() for p in pages}
    check("the page is the same for every token", len(bodies) == 1 and all(p.status == 200 and p.headers["cache-control"] == "no-store" and
          "noindex" in p.headers["x-robots-tag"] and "no-referrer" in p.headers.get("referrer-policy", "") for p in pages), pages[0].headers)
    check("an address that cannot be one is 404", ask(w.server, "GET", "/s/x").status == 404)
    listed = {s["id"]: s["state"] for s in call(w.server, w.ann["token"], "GET", S + "?limit=200")[1]["shares"]}
    check("the list says what became of each", (listed[revoked["id"]], listed[expiring["id"]], listed[made["id"]]) == ("revoked", "expired", "active"), listed)
    left = rows(store, "SELECT share FROM share_copies WHERE share = '%s'" % revoked["id"])
    check("a revoked link has no copy any more", left == [], left)


def rows(store, statement):
    if not store.startswith("postgresql"):
        with sqlite3.connect(store) as db:
            return [str(r[0]) for r in db.execute(statement)]
    return subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", "served", "-X", "-A", "-t", "-q", "-c",
                           "set search_path = argus; " + statement], check=True, capture_output=True, text=True).stdout.splitlines()


def lists(w):
    whole = call(w.server, w.root["token"], "GET", S + "?limit=200")[1]["shares"]
    pages, cursor = [], ""
    while cursor is not None and len(pages) < 1000:
        page = call(w.server, w.root["token"], "GET", "%s?limit=3%s" % (S, cursor and "&cursor=" + cursor))[1]
        pages += [s["id"] for s in page["shares"]]
        cursor = page["next"]
    check("an admin sees all, in pages", pages == [s["id"] for s in whole] and {s["user"] for s in whole} == {"ann", "root"} and len(pages) > 6, (pages, len(whole)))
    own = call(w.server, w.vi["token"], "GET", S)[1]["shares"]
    of_root = call(w.server, w.ann["token"], "GET", S + "?limit=200")[1]["shares"]
    check("others see their own", own == [] and {s["user"] for s in of_root} == {"ann"}, (own, of_root))
    of_chart = call(w.server, w.root["token"], "GET", S + "?kind=artifact&thing=" + w.chart)[1]["shares"]
    check("of one thing", len(of_chart) == 3 and {s["thing"] for s in of_chart} == {w.chart}, of_chart)
    got = [call(w.server, x["token"], "GET", p)[0] for x, p in ((w.out, S), (w.ann, S + "?cursor=x"), (w.ann, S + "?kind=king"), (w.ann, "/api/projects/secret/shares"))]
    check("what is not there is not found", got == [404, 400, 400, 404], got)
    check("an admin revokes a link of others", ask(w.server, "DELETE", "%s/%s" % (S, of_chart[0]["id"]), **w.root).status == 204)


def refused(w):
    bad = [{"kind": "king"}, {"audience": "all"}, {"audience": "users"}, {"audience": "users", "users": []}, {"users": ["bob"]}, {"audience": "users", "users": ["x"] * 51},
           {"audience": "users", "users": [""]}, {"expires_at": "tomorrow"}, {"expires_at": "2020-01-01T00:00:00Z"}, {"version": 1}, {"thing": ""}, {"colour": "red"}]
    got = [share(w.server, w.ann, **dict({"kind": "thread", "thing": "shared-thread"}, **b)) if "colour" not in b else
           (ask(w.server, "POST", S, dict({"kind": "thread", "thing": "shared-thread", "audience": "public"}, **b), **w.ann).status, {}) for b in bad]
    check("wrong wishes are refused", all(g[0] == 400 for g in got), got)
    body = {"kind": "thread", "thing": "shared-thread", "audience": "public"}
    first, again = [ask(w.server, "POST", S, body, Idempotency_Key="k1", **w.ann) for _ in range(2)]
    made_tokens.append(first.json()["token"])
    check("a key makes one link, and its token is not given again", (first.status, again.status) == (201, 409) and b"token\"" not in again.r.read(), again.status)


def gone(w, made, store, model):
    calls = call(w.server, w.root["token"], "GET", "/api/projects/shop/calls?limit=200")[1]["calls"]
    tools = {c["tool"] for c in calls}
    check("each step is in the audit table", {"create_share_link", "list_share_links", "revoke_share_link", "open_share_link"} <= tools, tools)
    check("an opening by nobody has no user", "" in {c["user"] for c in calls if c["tool"] == "open_share_link"}, calls[:3])
    argus(store, model, "project", "revoke", "shop", "ann")
    check("a maker who lost the project shares nothing", opened(w.server, made["token"])[0] == 404)
    argus(store, model, "project", "grant", "shop", "ann", "analyst")
    check("until the access is back", opened(w.server, made["token"])[0] == 200)
    check("a deleted conversation is not shown", ask(w.server, "DELETE", "/api/threads/shared-thread", **w.ann).status == 204 and opened(w.server, made["token"])[0] == 404)
    left = rows(store, "SELECT share FROM share_copies WHERE share = '%s'" % made["id"])
    check("and none of its copies is left", left == [], left)


def kept(store, server):
    with open(LOG, encoding="utf-8") as f:
        text = f.read() + server.said()
    if store.startswith("postgresql"):
        text += subprocess.run(["pg_dump", "-h", SOCKET, "-p", PORT, "-U", "postgres", "served"], check=True, capture_output=True, text=True).stdout
    else:
        for name in (store, store + "-wal"):
            try:
                with open(name, "rb") as f:
                    text += f.read().decode("latin-1")
            except FileNotFoundError:
                pass
    check("openings are in the access log", '"route":"/api/shared"' in text)
    check("no token is in the store or in a log", len(made_tokens) > 8 and not [t for t in made_tokens if t in text])


def on(name, store, model):
    print("# " + name)
    made_tokens.clear()
    for project in ("shop", "secret"):
        argus(store, model, "project", "add", project, "--source", "sqlite:%s/shop.db" % DIR)
    serve.MORE.update({"ARGUS_MAX_QUERIES_PER_MINUTE": "none", "ARGUS_ACCESS_LOG": LOG})
    server = Server(store, model)
    w = World(server, store, model)
    made = threads(w)
    artifacts(w)
    runs(w)
    audiences(w)
    same_404(w, made, store)
    lists(w)
    refused(w)
    gone(w, made, store, model)
    check("it ends with 0", server.stop() == 0, server.said())
    kept(store, server)
    serve.MORE["ARGUS_MAX_ANONYMOUS_PER_MINUTE"] = "3"
    server = Server(store, model)
    got = [ask(server, "POST", "/api/shared", {"token": "A" * 43}) for _ in range(4)]
    check("one address opens so many a minute", [r.status for r in got] == [404, 404, 404, 429] and int(got[3].headers["retry-after"]) >= 1, [r.status for r in got])
    server.stop()
    del serve.MORE["ARGUS_MAX_ANONYMOUS_PER_MINUTE"]


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
