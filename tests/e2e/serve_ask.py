#!/usr/bin/env python3
"""Questions about files over argus serve, on both stores.

1. A question is answered by a model and by the index; its events, its answer and the lines that it cites are read.
2. It is stopped, ends by its deadline, and is interrupted by kill -9. A model that refuses is told as it is.
3. Each user sees his own questions only; roles and scopes hold; wrong input is refused and changes nothing.
4. An administrator chooses folders and APIs that the settings allow, and no others: no link leads out, and no other host is asked.
5. No key is in an answer, in cited lines, in the log or in the store."""
import http.server
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading

import serve
from serve import DIR, Server, argus, ask, check, wait

A = "/api/ask"
NOBODY = "00000000-0000-7000-8000-000000000000"
KEY = "sk-live-0123456789abcdef0123456789abcdef"
serve.SCRIPT = """
answer repeat when last "Which port"
  tool read_file {"path":"docs/run.md"}
answer repeat when last "number 8031"
  text "The port is 8031.\\n\\nSource: docs/run.md#ports"
answer repeat when last "How many items"
  tool query_api {"method":"GET","path":"/items"}
answer repeat when last "status_code"
  text "There are 3 items.\\n\\nSource: API: GET /items"
answer repeat when last "Delete the items"
  tool query_api {"method":"DELETE","path":"/items"}
answer repeat when last "is not sent"
  text "That is not allowed."
answer repeat when last "Read the hidden files"
  tool read_file {"path":".env.agent.secret"}
  tool read_file {"path":"docs/link.md"}
  tool read_file {"path":"../outside/secret.txt"}
answer repeat when last "Think long"
  hang
answer repeat when last "Refuse me"
  status 401
  error no such key
otherwise
  text I do not know.
"""
RUN = "# Run it\n\nRead this first.\n\n## Ports\n\nThe server listens on number 8031.\nThe key is %s here.\n\n## Backups\n\nA backup is made each night at two o'clock.\n" % KEY


def call(server, token, method, path, body=None, **headers):
    r = ask(server, method, path, body, token=token, **headers)
    text = r.r.read().decode()
    return r.status, json.loads(text) if text and "json" in r.headers.get("content-type", "") else text


def put_question(server, token, text, **more):
    return call(server, token, "POST", A, dict({"project": "docs", "question": text}, **more))


def over(server, token, one):
    def state():
        got = call(server, token, "GET", "%s/%s" % (A, one))[1]
        return got if got.get("status") != "running" else None
    return wait(state, 70) or {}


def answered(server, token, text, **more):
    status, made = put_question(server, token, text, **more)
    check("\"%s\" begins as 202, running" % text, status == 202 and made["status"] == "running", made)
    return over(server, token, made["id"])


def plant():
    shutil.rmtree(DIR + "/roots", ignore_errors=True)
    os.makedirs(DIR + "/roots/shop/docs")
    os.makedirs(DIR + "/outside", exist_ok=True)
    files = {"roots/shop/docs/run.md": RUN, "roots/shop/.env.agent.secret": "LLM_API_KEY=%s\n" % KEY, "outside/secret.txt": "the outside secret\n",
             "roots/file.txt": "no folder\n"}
    for name, text in files.items():
        with open(DIR + "/" + name, "w", encoding="utf-8") as f:
            f.write(text)
    os.symlink(DIR + "/outside/secret.txt", DIR + "/roots/shop/docs/link.md")
    os.symlink(DIR + "/outside", DIR + "/roots/escape")


class Api(http.server.BaseHTTPRequestHandler):
    asked = []

    def do_GET(self):
        Api.asked.append(("GET", self.path, dict(self.headers)))
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://169.254.169.254/latest/meta-data/")
            self.end_headers()
            return
        text = b'[{"id":1},{"id":2},{"id":3}]' if self.path == "/items" else b"{}"
        self.send_response(200 if self.path == "/items" else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_DELETE = do_GET

    def log_message(self, *args):
        pass


def answers(server, tokens):
    analyst, viewer = tokens["ann"], tokens["vi"]
    got = answered(server, viewer, "Which port does it use?")
    a = got.get("answer", {})
    check("a model's answer with its checked citation", got["status"] == "ok" and a.get("source") == "docs/run.md#ports" and a["mode"] == "model" and
          [c["path"] for c in a["citations"]] == ["docs/run.md"] and a["citations"][0]["line"] == 5, got)
    check("with the call that led there", [(c["tool"], c["args"]["path"], c["ok"]) for c in a["tool_calls"]] == [("read_file", "docs/run.md", True)], a)
    check("the folder's place on the server is not told", a["root"] == "shop" and DIR not in json.dumps(got), got)
    one = got["id"]
    page = call(server, viewer, "GET", "%s/%s/events" % (A, one))[1]
    kinds = [e["type"] for e in page["events"]]
    check("its events from beginning to end", kinds[0] == "run_started" and kinds[-1] == "run_finished" and "tool_input" in kinds, kinds)
    tool = [e for e in page["events"] if e["type"] == "tool_input"][0]
    check("an event names the tool and what it reads", tool["tool"] == "read_file" and json.loads(tool["args"]) == {"path": "docs/run.md"}, tool)
    rest = call(server, viewer, "GET", "%s/%s/events?after=%d" % (A, one, page["last"]))[1]
    check("and none after the last", rest["events"] == [] and rest["last"] == page["last"], rest)
    lines(server, viewer, one)
    got = answered(server, analyst, "When is a backup made?", offline=True)
    check("without a model the index answers", got["status"] == "ok" and got["answer"]["mode"] == "offline" and "two o'clock" in got["answer"]["answer"] and
          got["answer"]["citations"][0]["anchor"] == "backups", got)
    got = answered(server, viewer, "Read the hidden files")
    said = json.dumps(got)
    check("no secret and nothing outside of the folder is read", [c["ok"] for c in got["answer"]["tool_calls"]] == [False] * 3 and KEY not in said and
          "the outside secret" not in said, got)


def lines(server, viewer, one):
    status, got = call(server, viewer, "GET", "%s/%s/citations/1?context=1" % (A, one))
    check("the cited lines with those around them", status == 200 and got["line"] == 5 and got["first"] == 4 and got["lines"][1] == "## Ports" and
          not got["is_changed"] and got["of"] == 12, got)
    check("a key in them is not shown", KEY not in json.dumps(got) and any("The key is" in x for x in got["lines"]), got)
    got = [call(server, viewer, "GET", "%s/%s/citations/%s" % (A, one, n))[0] for n in ("0", "2", "x", "1?context=101", "1?context=-1", "..%2F1")]
    check("what is no citation is not read", got == [404, 404, 404, 400, 400, 404], got)
    path = DIR + "/roots/shop/docs/run.md"
    with open(path, "w", encoding="utf-8") as f:
        f.write("another line\n" + RUN)
    check("a changed file is told", call(server, viewer, "GET", "%s/%s/citations/1" % (A, one))[1]["is_changed"] is True)
    os.unlink(path)
    os.symlink(DIR + "/outside/secret.txt", path)
    status, got = call(server, viewer, "GET", "%s/%s/citations/1" % (A, one))
    check("a link in its place, which leads out, is refused", status == 403 and "the outside secret" not in json.dumps(got), got)
    os.unlink(path)
    check("a file that is gone is 404", call(server, viewer, "GET", "%s/%s/citations/1" % (A, one))[0] == 404)
    os.rename(DIR + "/roots/shop", DIR + "/roots/away")
    status, got = call(server, viewer, "GET", "%s/%s/citations/1" % (A, one))
    check("a folder that is gone, in words without its path", status == 404 and "is gone" in got["detail"] and DIR not in json.dumps(got), got)
    status, got = put_question(server, viewer, "Which port does it use?")
    check("and nothing is asked about it", status == 409 and "is gone" in got["detail"], got)
    os.rename(DIR + "/roots/away", DIR + "/roots/shop")
    with open(path, "w", encoding="utf-8") as f:
        f.write(RUN)


def ends(server, tokens):
    viewer, analyst = tokens["vi"], tokens["ann"]
    one = put_question(server, viewer, "Think long and hard")[1]["id"]
    check("a question under way is in the list", wait(lambda: [q["status"] for q in call(server, viewer, "GET", A + "?project=docs")[1]["questions"] if q["id"] == one]) == ["running"])
    check("nobody else stops it", call(server, analyst, "POST", "%s/%s/stop" % (A, one), {})[0] == 404)
    status, got = call(server, viewer, "POST", "%s/%s/stop" % (A, one), {})
    check("it is stopped", status == 202 and got["is_stopping"], got)
    got = over(server, viewer, one)
    check("and is over", got.get("status") == "cancelled", got)
    check("it is not stopped twice", call(server, viewer, "POST", "%s/%s/stop" % (A, one), {})[0] == 409)
    got = answered(server, viewer, "Think long, but not for ever", seconds=2)
    check("a deadline ends it", got.get("status") in ("partial", "failed") and got["why"], got)
    got = answered(server, viewer, "Refuse me")
    check("a model that refuses is told", got.get("status") in ("partial", "failed") and "401" in got["why"] + json.dumps(got.get("answer", {})), got)


def rights(server, tokens, store, model):
    viewer, analyst, stranger, admin = (tokens[u] for u in ("vi", "ann", "sam", "ada"))
    mine = call(server, viewer, "GET", A + "?project=docs")[1]["questions"]
    one = mine[0]["id"]
    got = [call(server, t, "GET", "%s/%s%s" % (A, one, p))[0] for t in (analyst, admin, stranger) for p in ("", "/events", "/citations/1")]
    check("a question is its user's alone", got == [404] * 9, got)
    check("an id's beginning finds nothing", call(server, viewer, "GET", "%s/%s" % (A, one[:13]))[0] == 404)
    got = [call(server, viewer, "GET", "%s/%s" % (A, x))[0] for x in (NOBODY, "nothing", "%2e%2e%2fetc")]
    check("nor does another", got == [404] * 3, got)
    got = [call(server, stranger, "GET", A + "?project=docs")[0], call(server, stranger, "GET", A + "/setup?project=docs")[0],
           call(server, stranger, "POST", A, {"project": "docs", "question": "Which port?"})[0]]
    check("to a stranger there is no such project", got == [404] * 3, got)
    sql = argus(store, model, "token", "create", "--user", "ann", "--role", "analyst", "--scope", "sql").splitlines()[0]
    check("a token for SQL alone is refused", call(server, sql, "GET", A + "?project=docs")[0] == 403)
    check("nobody without a token", call(server, None, "GET", A + "?project=docs")[0] == 401)
    wrong = [{"question": ""}, {"question": " \n "}, {"question": "x" * (32 * 1024 + 1)}, {"question": 5}, {}, {"question": "Which port?", "colour": "red"},
             {"question": "Which port?", "seconds": 0}, {"question": "Which port?", "seconds": 3601}, {"question": "Which port?", "offline": "yes"}]
    got = [call(server, viewer, "POST", A, dict({"project": "docs"}, **b))[0] for b in wrong]
    check("wrong requests begin nothing", got == [422] * 9, got)
    check("a page of another origin begins nothing", call(server, viewer, "POST", A, {"project": "docs", "question": "Which port?"}, Origin="https://evil.example")[0] == 403)
    pages, cursor = [], ""
    while cursor is not None and len(pages) < 20:
        page = call(server, viewer, "GET", "%s?project=docs&limit=2%s" % (A, cursor and "&cursor=" + cursor))[1]
        pages += [q["id"] for q in page["questions"]]
        cursor = page["next"]
    check("pages of two are the whole list, newest first", pages == [q["id"] for q in mine] and len(pages) > 4 and pages == sorted(pages, reverse=True), pages)
    check("a cursor of another list is 400", call(server, viewer, "GET", A + "?project=docs&cursor=x")[0] == 400)
    key = {"Idempotency_Key": "once-%s" % store[-3:].replace("/", "-")}
    got = [call(server, viewer, "POST", A, {"project": "docs", "question": "Once only", "offline": True}, **key)[1]["id"] for _ in range(2)]
    check("with a key it is asked once", got[0] == got[1], got)
    over(server, viewer, got[0])


def chooses(server, tokens, api):
    viewer, analyst, admin = (tokens[u] for u in ("vi", "ann", "ada"))
    seen = call(server, viewer, "GET", A + "/setup?project=docs")[1]
    check("who may not choose does not see the paths", seen["has_folder"] and not seen["can_choose"] and not seen["folder"] and seen["folders"] == [], seen)
    seen = call(server, admin, "GET", A + "/setup?project=docs")[1]
    check("an administrator sees what is allowed", seen["can_choose"] and seen["folders"] == [DIR + "/roots"] and seen["apis"] == [api] and seen["has_model"], seen)

    def choose(token, folder="", api_base="", project="docs"):
        return call(server, token, "PUT", A + "/setup", {"project": project, "folder": folder, "api_base": api_base})
    check("others choose nothing", [choose(t, DIR + "/roots/shop")[0] for t in (viewer, analyst)] == [403, 403])
    bad = ["/etc", "/", DIR, DIR + "/outside", DIR + "/roots/escape", DIR + "/roots/../outside", DIR + "/roots/shop/../../outside", DIR + "/roots/none", "/none/at/all",
           DIR + "/rootsy", "/proc/self/root" + DIR + "/outside"]
    got = [choose(admin, f) for f in bad]
    check("no folder outside of the allowed ones, in the same words whether it is there", {g[0] for g in got} == {403} and len({g[1]["detail"] for g in got}) == 1, got)
    got = [choose(admin, f)[0] for f in ("roots/shop", DIR + "/roots/file.txt", DIR + "/roots\0/etc", "x" * 5000)]
    check("nor what is no folder", got == [400, 400, 400, 422], got)
    bad = ["http://169.254.169.254/latest", "http://[fd00:ec2::254]/", "http://localhost:22", "http://127.0.0.1:1", "http://[::1]:80", "https://example.com", "http://2130706433:80",
           api.replace("127.0.0.1", "user@127.0.0.1"), api.replace("http:", "https:"), api + "0", "file:///etc/passwd", "gopher://127.0.0.1", "127.0.0.1", api.replace("http", "HTTP") + "@evil.example/"]
    got = [choose(admin, DIR + "/roots/shop", u)[0] for u in bad]
    check("no address but the allowed one", set(got) <= {400, 403}, list(zip(bad, got)))
    check("all that changed nothing", call(server, admin, "GET", A + "/setup?project=docs")[1] == seen)
    status, got = choose(admin, DIR + "/roots/shop/", api)
    check("what is allowed is chosen, without links", status == 200 and got["folder"] == DIR + "/roots/shop" and got["api_base"] == api, got)
    got = answered(server, analyst, "How many items are there?")
    check("the API is read", got["status"] == "ok" and got["answer"]["tool_calls"][0]["status"] == 200 and "3 items" in got["answer"]["answer"], got)
    got = answered(server, analyst, "Delete the items")
    check("and is never written to", ("DELETE" not in [a[0] for a in Api.asked]) and not got["answer"]["tool_calls"][0]["ok"], (got, Api.asked))
    check("it got no key", all("authorization" not in {k.lower() for k in a[2]} for a in Api.asked) and Api.asked, Api.asked)
    # What was allowed and chosen leads elsewhere later.
    os.rename(DIR + "/roots/shop", DIR + "/roots/moved")
    os.symlink(DIR + "/outside", DIR + "/roots/shop")
    status, got = put_question(server, analyst, "Which port?")
    check("a folder that became a link out is refused", status == 409 and DIR not in json.dumps(got), got)
    os.unlink(DIR + "/roots/shop")
    os.rename(DIR + "/roots/moved", DIR + "/roots/shop")
    status, got = choose(admin)
    check("and it is taken away again", status == 200 and not got["has_folder"] and not got["has_api"], got)
    check("then there is nothing to ask", put_question(server, analyst, "Which port?")[0] == 409)
    check("a project of argus.yaml is not changed", choose(tokens["root"], project="fixed")[0] in (404, 409))
    choose(admin, DIR + "/roots/shop")


def killed(store, model, tokens):
    server = Server(store, model)
    one = put_question(server, tokens["vi"], "Think long until the end")[1]["id"]
    wait(lambda: call(server, tokens["vi"], "GET", "%s/%s/events" % (A, one))[1]["last"] > 0)
    other = Server(store, model)
    status, got = call(other, tokens["vi"], "POST", "%s/%s/stop" % (A, one), {})
    check("another process sees it, and says that it cannot stop it", status == 409 and "another process" in got["detail"], got)
    server.p.send_signal(signal.SIGKILL)
    server.p.wait()
    got = wait(lambda: [g for g in [call(other, tokens["vi"], "GET", "%s/%s" % (A, one))[1]] if g["status"] != "running"], 20)
    check("after kill -9 it is interrupted, and said to be", got and got[0]["status"] == "interrupted", got)
    two = put_question(other, tokens["vi"], "Think long while it stops")[1]["id"]
    wait(lambda: call(other, tokens["vi"], "GET", "%s/%s/events" % (A, two))[1]["last"] > 0)
    check("a server that stops ends its questions", other.stop() == 0, other.said())


def limits(store, model, tokens):
    server = Server(store, model, "--questions", "2")
    got = [put_question(server, tokens["ann"], "When is a backup made?", offline=True)[0] for _ in range(3)]
    check("above the limit of questions it is 429", got == [202, 202, 429], got)
    server.stop()


def secrets(store, model, server_log):
    log = subprocess.run([serve.ARGUS, "log", "-o", "json", "--project", "docs", "--limit", "500"], capture_output=True, text=True, env=serve.env(store, model), check=False)
    check("what was done is in the audit table", all(t in log.stdout for t in ("ask_project", "read_cited_lines", "choose_ask_folder")), log.stderr)
    if store.startswith("/"):
        with sqlite3.connect(store) as db:
            kept = "\n".join(str(r) for t in ("events", "reports", "runs") for r in db.execute("SELECT * FROM " + t))
    else:
        kept = "".join(subprocess.run(["psql", store, "-X", "-A", "-t", "-c", "SELECT * FROM argus.%s" % t], capture_output=True, text=True, check=True).stdout for t in ("events", "reports", "runs"))
    check("no key is in the store, nor what is outside", kept and KEY not in kept and "the outside secret" not in kept)
    check("nor in the log of the server", KEY not in server_log and "key-of-the-test" not in server_log)


def on(name, store, model):
    print("# " + name)
    plant()
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    api = "http://127.0.0.1:%d" % httpd.server_port
    serve.MORE.update(XDG_STATE_HOME=DIR + "/state-" + name, ARGUS_MAX_QUERIES_PER_MINUTE="none", ARGUS_ASK_FOLDERS=DIR + "/roots", ARGUS_ASK_APIS=api,
                      SECRET_KEY=KEY, LLM_API_KEY=KEY)
    argus(store, model, "project", "add", "docs", "root=%s/roots/shop" % DIR)
    argus(store, model, "project", "add", "other")
    tokens = {}
    for user, role, project in (("ann", "analyst", "docs"), ("vi", "viewer", "docs"), ("ada", "admin", "docs"), ("sam", "analyst", "other"), ("root", "admin", "other")):
        argus(store, model, "project", "grant", project, user, role)
        tokens[user] = argus(store, model, "token", "create", "--user", user, "--role", role).splitlines()[0]
    server = Server(store, model)
    answers(server, tokens)
    ends(server, tokens)
    rights(server, tokens, store, model)
    chooses(server, tokens, api)
    check("it ends with 0", server.stop() == 0, server.said())
    killed(store, model, tokens)
    limits(store, model, tokens)
    secrets(store, model, server.said())
    httpd.shutdown()


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
