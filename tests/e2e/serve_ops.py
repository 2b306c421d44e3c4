#!/usr/bin/env python3
"""Running argus serve, on both stores.

1. Each request has a line in the access log, whose id is the answer's X-Request-Id; no secret and no query is in it.
2. SIGHUP opens the log again, applies the settings that can change and names those that cannot."""
import json
import os
import signal
import sys

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


def on(name, store, model):
    print("# " + name)
    argus(store, model, "project", "add", "shop", "--source", "sqlite:%s/shop.db" % DIR)
    argus(store, model, "project", "grant", "shop", "ann", "analyst")
    ann = argus(store, model, "token", "create", "--user", "ann", "--role", "analyst").splitlines()[0]
    if os.path.exists(LOG):
        os.remove(LOG)
    settings()
    server = Server(store, model)
    logged(server, ann)
    reloaded(server, ann)
    limits(store, model)
    os.remove(SETTINGS)


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
