#!/usr/bin/env python3
"""Tools of other MCP servers in conversations of argus serve; the other servers are real ones: argus mcp over HTTP and over stdio.

1. A conversation of a project that an entry names may call its tools, and only theirs; another project's may not.
2. Each turn has a client of its own, which ends with it.
3. A server that is away, slow or wrong is left out, and the answer comes all the same. The turns after it do not wait for such a
   server; it is asked again beside them, and used again when it answers.
4. An entry that cannot work ends the start."""
import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import serve
from serve import ARGUS, DIR, Server, argus, ask, check, wait, words

serve.SCRIPT = """
answer repeat when last "Ask the other server"
  tool other__execute_sql {"project_id":"default","query":"SELECT word FROM words"}
answer repeat when last "Ask it that came back"
  tool silent2__execute_sql {"project_id":"default","query":"SELECT word FROM words"}
answer repeat when last "Ask the command"
  tool command__execute_sql {"project_id":"default","query":"SELECT word FROM words"}
answer repeat when last "Write there"
  tool other__create_artifact {"title":"x"}
answer repeat when "elsewhere-1"
  text The word is elsewhere-1.
""" + serve.SCRIPT


HELD = []


def settings(text):
    with open(DIR + "/argus.yaml", "w", encoding="utf-8") as f:
        f.write("mcp_servers:\n" + text)


def question(server, token, text, thread, project):
    r = ask(server, "POST", "/api/chat/", serve.question(text, thread, projectId=project), token)
    lines = r.rest()
    return words(lines), [c for c in lines if isinstance(c, dict) and c["type"].startswith("tool-")]


def arrived(listener):
    """How many connections came to a server that says nothing; they stay open."""
    listener.setblocking(False)
    try:
        while True:
            HELD.append(listener.accept()[0])
    except BlockingIOError:
        return len(HELD)


def children(server):
    """Commands that the server runs, its own processes left out."""
    out = subprocess.run(["ps", "--ppid", str(server.p.pid), "-o", "args="], capture_output=True, text=True, check=False).stdout
    return [x for x in out.splitlines() if " mcp " in x]


def on(name, store, model):
    print("# " + name)
    if not os.path.exists(DIR + "/words.db"):
        with sqlite3.connect(DIR + "/words.db") as db:
            db.execute("CREATE TABLE words (word TEXT)")
            db.execute("INSERT INTO words VALUES ('elsewhere-1')")
    for project in ("shop", "secret"):
        argus(store, model, "project", "add", project, "--source", "sqlite:%s/shop.db" % DIR)
        argus(store, model, "project", "grant", project, "ann", "analyst")
    token = argus(store, model, "token", "create", "--user", "ann", "--role", "analyst").splitlines()[0]
    with open(DIR + "/other.log", "w", encoding="utf-8") as f:
        other = subprocess.Popen([ARGUS, "mcp", "sqlite:%s/words.db" % DIR, "--http", "--port", "0", "--no-auth", "--store", DIR + "/other-%s.db" % name],
                                 stderr=f, stdout=f, cwd="/", env=dict(serve.env(store, model), HOME=DIR + "/other"))
    line = wait(lambda: [x for x in open(DIR + "/other.log", encoding="utf-8") if x.startswith("listening on")])
    url = line[0].split()[-1]
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        gone = "http://127.0.0.1:%d/mcp" % s.getsockname()[1]
    HELD.clear()
    deaf = socket.socket()
    deaf.bind(("127.0.0.1", 0))
    deaf.listen(8)
    entry = "  other:\n    url: %s\n    tools: [execute_sql]\n    projects: [shop]\n" % url
    command = "  command:\n    command: [%s, mcp, 'sqlite:%s/words.db', --store, 'memory:']\n    tools: [execute_sql]\n    projects: [shop]\n" % (ARGUS, DIR)
    away = "  away:\n    url: %s\n    projects: [shop]\n" % gone
    silent = "  silent:\n    url: http://127.0.0.1:%d/mcp\n    projects: [shop]\n" % deaf.getsockname()[1]
    broken = "  broken:\n    command: [/bin/false]\n    projects: [shop]\n"
    strange = "  strange:\n    url: %s\n    tools: [no_such_tool]\n    projects: [shop]\n" % url
    unnamed = "  unnamed:\n    url: %s\n" % gone
    serve.MORE["ARGUS_LOG_LEVEL"] = "warn"
    options = ("--questions", "0", "--config", DIR + "/argus.yaml")
    settings(entry + command + unnamed)
    a = Server(store, model, *options)
    said, calls = question(a, token, "Ask the other server", "t-1", "shop")
    check("a conversation calls a tool of another server, over HTTP", said == "The word is elsewhere-1.", (said, calls, a.said()))
    check("the call and what it gave are shown", any("elsewhere-1" in json.dumps(c) for c in calls), calls)
    said, calls = question(a, token, "Ask the command", "t-2", "shop")
    check("and over standard input and output", said == "The word is elsewhere-1.", (said, calls, a.said()))
    check("its process ends with the turn", wait(lambda: not children(a), 10), children(a))
    said, calls = question(a, token, "Ask the other server", "t-3", "secret")
    check("a project that the entry does not name has not its tools", "elsewhere-1" not in said + json.dumps(calls), (said, calls))
    said, calls = question(a, token, "Write there", "t-4", "shop")
    check("a tool that the entry does not name is not offered", "artifact_id" not in json.dumps(calls), calls)
    check("an entry without projects is not asked at all", "unnamed" not in a.said(), a.said())
    told = []

    def one(i):
        told.append(question(a, token, "Ask the other server", "many-%d" % i, "shop")[0])
    threads = [threading.Thread(target=one, args=(i,)) for i in range(12)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check("twelve at once do so", told == ["The word is elsewhere-1."] * 12, (told, a.said()[-900:]))
    a.stop()
    settings(entry + away + broken + strange)
    b = Server(store, model, *options)
    began = time.time()
    said, _ = question(b, token, "Ask the other server", "t-5", "shop")
    check("servers that are away, broken or wrong are left out", said == "The word is elsewhere-1." and time.time() - began < 10, (said, b.said()))
    check("and the log says which, and why", all(("server %s: " % x) in b.said() for x in ("away", "broken", "strange")), b.said())
    other.terminate()
    other.wait()
    said, _ = question(b, token, "How many customers are there?", "t-6", "shop")
    check("one that went away later is missed by nobody who does not need it", said == "There are 3 customers.", (said, b.said()))
    b.stop()
    settings(silent)
    c = Server(store, model, *options)
    began = time.time()
    said, _ = question(c, token, "How many customers are there?", "t-7", "shop")
    check("one that says nothing is waited for for five seconds", said == "There are 3 customers." and 4 < time.time() - began < 12, (said, time.time() - began))
    began = time.time()
    told = [question(c, token, "How many customers are there?", "t-8-%d" % i, "shop")[0] for i in range(3)]
    check("the turns after it do not wait", told == ["There are 3 customers."] * 3 and time.time() - began < 3, (told, time.time() - began, c.said()))
    time.sleep(1.2)
    began = time.time()
    said, _ = question(c, token, "How many customers are there?", "t-9", "shop")
    asked = wait(lambda: arrived(deaf) >= 2, 5)
    check("the server is asked again a second later, and the turn does not wait for that", asked and said == "There are 3 customers." and time.time() - began < 3,
          (said, time.time() - began, c.said()))
    began = time.time()
    check("it ends with 0, and at once, with a probe under way", c.stop() == 0 and time.time() - began < 4, (time.time() - began, c.said()))
    deaf.close()
    both_silent = socket.socket()
    both_silent.bind(("127.0.0.1", 0))
    both_silent.listen(8)
    port = both_silent.getsockname()[1]
    settings("".join("  silent%d:\n    url: http://127.0.0.1:%d/mcp\n    tools: [execute_sql]\n    projects: [shop]\n" % (i, port) for i in range(4)))
    e = Server(store, model, *options)
    began = time.time()
    said, _ = question(e, token, "How many customers are there?", "t-10", "shop")
    check("four that say nothing cost no more than one", said == "There are 3 customers." and 4 < time.time() - began < 9, (said, time.time() - began))
    both_silent.close()
    with open(DIR + "/back.log", "w", encoding="utf-8") as f:
        back = subprocess.Popen([ARGUS, "mcp", "sqlite:%s/words.db" % DIR, "--http", "--port", str(port), "--no-auth", "--store", DIR + "/back-%s.db" % name],
                                stderr=f, stdout=f, cwd="/", env=dict(serve.env(store, model), HOME=DIR + "/other"))
    wait(lambda: [x for x in open(DIR + "/back.log", encoding="utf-8") if x.startswith("listening on")])

    def is_back():
        time.sleep(0.5)
        return "elsewhere-1" in json.dumps(question(e, token, "Ask it that came back", "t-11-%d" % time.time_ns(), "shop")[1])
    check("one that answers again is used again", wait(is_back, 30), e.said())
    check("it ends with 0", e.stop() == 0, e.said())
    back.terminate()
    back.wait()
    for text, said in (("  x:\n    url: ftp://x\n    projects: [shop]\n", "does not begin with http"), ("  x:\n    project: [shop]\n    url: http://x\n", "did you mean"),
                       ("  x:\n    url: http://x\n    token_env: ARGUS_NOT_SET\n    projects: [shop]\n", "is not set"), ("  x:\n    projects: [shop]\n", "either command or url")):
        settings(text)
        r = subprocess.run([ARGUS, "serve", "--port", "0", *options], capture_output=True, text=True, env=serve.env(store, model), cwd=DIR, timeout=30, check=False)
        check("an entry that cannot work ends the start: " + said, r.returncode in (1, 2) and said in r.stderr, r.stderr)
    os.remove(DIR + "/argus.yaml")
    d = Server(store, model)
    ask(d, "GET", "/api/auth/me", token=token)
    for path in ("/api/threads", "/api/projects", "/api/tokens"):
        ask(d, "GET", path, token=token)
    d.stop()
    del serve.MORE["ARGUS_LOG_LEVEL"]


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
