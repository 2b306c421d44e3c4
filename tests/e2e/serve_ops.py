#!/usr/bin/env python3
"""Running argus serve, on both stores.

1. Each request has a line in the access log, whose id is the answer's X-Request-Id; no secret and no query is in it.
2. SIGHUP opens the log again, applies the settings that can change and names those that cannot.
3. A request with an Idempotency-Key is done once, by whichever process, and answered again."""
import concurrent.futures
import json
import os
import signal
import sys
import urllib.parse

import serve
from serve import DIR, Server, argus, ask, check, post, wait

LOG = DIR + "/access.log"
SETTINGS = DIR + "/argus.yaml"


def lines(path=LOG):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [json.loads(x) for x in f.read().splitlines()]


def settings(**serve_group):
    with open(SETTINGS, "w", encoding="utf-8") as f:
        f.write("serve:\n" + "".join("  %s: %s\n" % x for x in dict({"access_log": LOG}, **serve_group).items()))


def logged(server, ann):
    tries = [("GET", "/api/threads?q=hidden-word", None, ann, "/api/threads", 200, "ann"),
             ("GET", "/api/threads/hidden-id", None, ann, "/api/threads/{id}", 404, "ann"),
             ("PATCH", "/api/threads/hidden-id", {"title": ""}, ann, "/api/threads/{id}", 400, "ann"),
             ("GET", "/api/threads", None, "argus_hidden-token", "/api/threads", 401, None),
             ("POST", "/api/auth/login", {"username": "ann", "password": "hidden-password"}, None, "/api/auth/login", 401, None),
             ("GET", "/hidden-path", None, None, None, 404, None),
             ("GET", "/healthz", None, None, "/healthz", 200, None)]
    before, ids = len(lines()), []
    for method, path, body, token, *_ in tries:
        ids.append(ask(server, method, path, body, token).headers["x-request-id"])
    got = wait(lambda: len(lines()) >= before + len(tries) and lines()[before:])
    got.sort(key=lambda x: ids.index(x["request"]) if x["request"] in ids else -1)  # a line may wait while others pass it
    check("each request is a line", [[x[k] for k in ("method", "route", "status", "user")] for x in got] ==
          [[t[0], t[4], t[5], t[6]] for t in tries], got)
    check("its id is the answer's X-Request-Id", [x["request"] for x in got] == ids and len(set(ids)) == len(ids), (ids, got))
    check("bytes, time and address are there", all(x["bytes"] >= 3 and 0 <= x["ms"] < 60000 and x["from"] == "127.0.0.1" and
                                                   x["time"].startswith("20") for x in got), got)
    r = ask(server, "GET", "/api/threads/nothing", token=ann)
    check("a problem's reference is the end of the id", r.headers["x-request-id"].endswith(r.json()["reference"]))
    n = len(lines())
    r = post(server, ann, "How many customers are there?", "stream-1")
    r.rest()
    r.close()
    line = wait(lambda: [x for x in lines()[n:] if x["request"] == r.headers["x-request-id"]])
    check("a stream is a line when it has ended, with all its bytes", line and line[0]["route"] == "/api/chat/" and
          line[0]["bytes"] > 1000 and "cut" not in line[0], line)
    r = post(server, ann, "Spell slowly", "stream-2")
    r.chunk()
    r.close()
    line = wait(lambda: [x for x in lines()[n:] if x["request"] == r.headers["x-request-id"]])
    check("a reader that leaves is told as such", line and line[0].get("cut") is True, line)
    with open(LOG, encoding="utf-8") as f:
        text = f.read()
    check("no secret, no query, no id and no unknown path is in it", "hidden" not in text and ann not in text, text)


def hang_up(server):
    before = server.said().count("SIGHUP")
    server.p.send_signal(signal.SIGHUP)
    wait(lambda: server.said().count("SIGHUP") > before)
    return [x for x in server.said().splitlines() if "SIGHUP" in x][-1]


def reloaded(server, ann):
    os.rename(LOG, LOG + ".1")
    settings()
    said = hang_up(server)
    check("nothing has changed", said == "SIGHUP: nothing has changed that can change now", said)
    ask(server, "GET", "/healthz")
    check("a log that was moved away is opened again", wait(lambda: [x["route"] for x in lines()] == ["/healthz"]), lines())
    settings(max_requests_per_minute=2)
    with open(SETTINGS, "a", encoding="utf-8") as f:
        f.write("sql:\n  max_queries_per_minute: 7\n")
    said = hang_up(server)
    check("what changed is said, and what needs a restart", said == "SIGHUP: nothing has changed that can change now; not before a restart: "
          "max_queries_per_minute", said)
    check("it ends with 0", server.stop() == 0, server.said())


def limits(store, model):
    """The environment wins over the file, so this server has no such variable."""
    settings(max_requests_per_minute=100)
    serve.UNSET.append("ARGUS_MAX_REQUESTS_PER_MINUTE")
    server = Server(store, model)
    token = argus(store, model, "token", "create", "--user", "ann", "--role", "analyst").splitlines()[0]
    r = [ask(server, "GET", "/api/threads", token=token).status for _ in range(4)]
    settings(max_requests_per_minute=2)
    said = hang_up(server)
    check("a limit is applied at once", said == "SIGHUP: max_requests_per_minute 100 -> 2" and r == [200] * 4 and
          ask(server, "GET", "/api/threads", token=token).status == 429, (said, r))
    with open(SETTINGS, "w", encoding="utf-8") as f:
        f.write("serve:\n  max_requests_per_minute: many\n")
    said = hang_up(server)
    check("a mistake leaves the settings as they are", "stay as they are" in said and "many" in said and
          ask(server, "GET", "/api/threads", token=token).status == 429, said)
    settings(access_log=DIR + "/no/such/folder/log")
    said = hang_up(server)
    check("a log that cannot be opened goes where it went", "no/such/folder" in said, said)
    n = len(lines())
    ask(server, "GET", "/healthz")
    check("and has its lines", wait(lambda: len(lines()) > n), lines())
    settings(access_log="none")
    said = hang_up(server)
    n = len(lines())
    ask(server, "GET", "/healthz")
    check("none: no line any more", server.stop() == 0 and len(lines()) == n and "access_log" in said, said)
    serve.UNSET.clear()


def put(server, key, title, token, path="/api/projects/shop/knowledge/entry"):
    r = ask(server, "POST", path, {"name": title, "fields": {"content": "Something that is known, and said at some length."}}, token, Idempotency_Key=key)
    return r.status, r.r.read().decode(), r.headers.get("idempotent-replayed")


def keys(server, other, ann, bob):
    first, again, elsewhere = put(server, "k1", "one", ann), put(server, "k1", "one", ann), put(other, "k1", "one", ann)
    check("the first answer again, from another process, too", first[0] == 201 and first[2] is None and
          again == elsewhere == first[:2] + ("true",), (first, again, elsewhere))
    check("the same key with another body is 422", put(server, "k1", "two", ann)[0] == 422)
    check("or at another path", put(server, "k1", "one", ann, "/api/projects/shop/knowledge/metric")[0] == 422)
    check("a key is the user's own", put(server, "k1", "three", bob)[0] == 201)
    check("without a key the work is tried again", put(server, None, "one", ann)[0] == 409)
    check("what was refused gives its key back", [put(server, "k2", "", ann)[0], put(server, "k2", "four", ann)[0]] == [400, 201])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda i: put((server, other)[i % 2], "k3", "five", ann), range(16)))
    check("of sixteen at once one does it, and each has its answer or is told to wait", [g[0] for g in got if g[0] != 409] and
          {g[1] for g in got if g[0] == 201} == {put(server, "k3", "five", ann)[1]} and {g[0] for g in got} <= {201, 409} and
          len([g for g in got if g[0] == 201 and g[2] is None]) == 1, got)
    names = [o["name"] for o in ask(server, "GET", "/api/projects/shop/knowledge", token=ann).json()["knowledge"]]
    check("nothing was made twice", sorted(names) == ["five", "four", "one", "three"], names)
    got = [post_key(server, ann, "k4") for _ in range(2)]
    check("a question is asked once", [g[0] for g in got] == [200, 409] and
          len(ask(server, "GET", "/api/threads/with-key/messages", token=ann).json()["messages"]) == 2, got)
    got = [ask(server, "DELETE", "/api/threads/with-key", token=ann, Idempotency_Key="k5") for _ in range(2)]
    check("an answer without a body is given again", [(r.status, r.headers.get("idempotent-replayed")) for r in got] == [(204, None), (204, "true")])
    got = [put(server, k, "six", ann)[0] for k in ("x" * 256, "with blank")]
    check("a key has bounds", got == [400] * 2, got)
    r = ask(server, "POST", "/api/auth/login", {"username": "ann", "password": "x"}, Idempotency_Key="k6")
    check("logging in takes none", r.status == 400 and "no Idempotency-Key" in r.json()["detail"])
    check("a read does not look at it", ask(server, "GET", "/api/threads", token=ann, Idempotency_Key="k1").status == 200)


def pages(server, token, path, name, key, limit=1):
    """All entries of a list, and how many pages it had."""
    got, n, cursor = [], 0, ""
    while n < 100:
        r = ask(server, "GET", "%s?limit=%d%s" % (path, limit, cursor and "&cursor=" + urllib.parse.quote(cursor)), token=token).json()
        got += [e[key] for e in r[name]]
        n, cursor = n + 1, r["next"]
        if not cursor:
            break
    return got, n


def lists(server, ann, root):
    for path, name, key, token in (("/api/projects/shop/knowledge", "knowledge", "name", ann), ("/api/threads", "threads", "id", ann), ("/api/tokens", "tokens", "id", ann),
                                   ("/api/projects", "projects", "id", root), ("/api/projects/shop/members", "members", "user", root), ("/api/users", "users", "name", root)):
        whole = [e[key] for e in ask(server, "GET", path, token=token).json()[name]]
        got, n = pages(server, token, path, name, key)
        check("%s: its pages make the whole" % path, got == whole and len(whole) >= 1 and n in (len(whole), len(whole) + 1), (got, whole, n))
        check("%s: a cursor that is none of it" % path, ask(server, "GET", path + "?cursor=nothing", token=token).status == 400)
    for _ in range(3):
        post(server, ann, "Say hello", "three-turns").rest()
    got, n = pages(server, ann, "/api/threads/three-turns/messages", "messages", "id", 2)
    check("messages: the last turns, then those before", n == 2 and len(got) == len(set(got)) == 6, (got, n))


def post_key(server, token, key):
    r = ask(server, "POST", "/api/chat/", serve.question("Say hello", "with-key"), token, Idempotency_Key=key)
    if r.status == 200:
        r.rest()
    return r.status, r.headers


def secrets(store, model):
    """A token is made once; its text is not in the store. Only a person who has logged in makes one."""
    serve.MORE["ARGUS_MAX_LOGIN_FAILURES"] = "none"
    server = Server(store, model)
    link = wait(lambda: "/setup#" in server.said() and server.said()).split("/setup#")[1].split()[0]
    r = ask(server, "POST", "/api/auth/setup", {"token": link, "password": "correct horse"})
    cookie = r.headers["set-cookie"].split(";")[0]
    r = [ask(server, "POST", "/api/tokens", {"name": "once"}, Cookie=cookie, Idempotency_Key="t1") for _ in range(2)]
    made = ask(server, "GET", "/api/tokens", Cookie=cookie).json()["tokens"]
    check("a token is made once, and its text is given once", [x.status for x in r] == [201, 409] and
          len([t for t in made if t["name"] == "once"]) == 1, ([x.status for x in r], made))
    text = r[0].json()["token"]
    server.stop()
    serve.MORE.clear()
    if store.startswith("postgresql:"):
        return
    found = [f for f in os.listdir(DIR) if f.startswith("store.db") and text.encode() in open(os.path.join(DIR, f), "rb").read()]
    check("its text is not in the store", not found, found)


def on(name, store, model):
    print("# " + name)
    argus(store, model, "project", "add", "shop", "--source", "sqlite:%s/shop.db" % DIR)
    argus(store, model, "project", "grant", "shop", "ann", "analyst")
    argus(store, model, "project", "grant", "shop", "bob", "analyst")
    ann, bob = [argus(store, model, "token", "create", "--user", u, "--role", "analyst").splitlines()[0] for u in ("ann", "bob")]
    if os.path.exists(LOG):
        os.remove(LOG)
    settings()
    server = Server(store, model)
    other = Server(store, model)
    keys(server, other, ann, bob)
    other.stop()
    root = argus(store, model, "token", "create", "--user", "admin", "--role", "admin").splitlines()[0]
    for i in range(2):
        post(server, ann, "Say hello", "thread-%d" % i).rest()
        ask(server, "POST", "/api/users", {"name": "user-%d" % i}, root)
        argus(store, model, "project", "add", "shop-%d" % i, "--source", "sqlite:%s/shop.db" % DIR)
    lists(server, ann, root)
    secrets(store, model)
    os.remove(LOG)
    hang_up(server)
    logged(server, ann)
    reloaded(server, ann)
    limits(store, model)
    os.remove(SETTINGS)


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
