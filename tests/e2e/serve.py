#!/usr/bin/env python3
"""argus serve: conversations over HTTP, with a scripted model server, on both stores.

1. A turn is streamed in the order of the protocol; a reload shows the same.
2. Wrong requests are refused with the right status, as problem+json.
3. A thread belongs to the first who used its id; anybody else finds nothing there.
4. A reader that leaves changes nothing; whoever comes back reads from the beginning, from another process too.
5. Stop ends a turn, from another process too. kill -9 interrupts a turn, which then goes on.
6. A model that breaks off, and a store that is away, are told as they are."""
import http.client
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import openapi_answers

ROOT, DIR, SOCKET, PORT = sys.argv[1:5]
ARGUS, FAKE = os.environ["ARGUS"], os.environ["FAKE_MODEL"]
failed = []
DOCUMENT = openapi_answers.Document(ARGUS)
MORE = {}  # further variables of the programs
UNSET = []  # those that they do not have
SCRIPT = """
answer repeat when last "How many customers"
  thinking I count them.
  tool execute_sql {"query":"SELECT count(*) AS n FROM customers"}
answer repeat when last "Say hello"
  text Hello.
answer repeat when "SELECT count(*) AS n FROM customers" when not last "Spell slowly" when not last "Break off"
  text There are 3 customers.
answer repeat when last "Spell slowly"
  text alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa
  deltas 5
  pieces events
  delay 60
answer repeat when last "Break off"
  text This answer breaks off in the middle of its words and never comes to an end of any kind.
  deltas 8
  pieces events
  delay 30
  cut 1500
otherwise
  text Hello.
"""


def check(name, ok, why=""):
    print("%s - %s" % ("ok" if ok else "not ok", name), flush=True)
    if not ok:
        failed.append(name)
        print("  " + str(why)[-2500:].replace("\n", "\n  "))


def wait(until, seconds=30):
    end = time.time() + seconds
    while time.time() < end:
        got = until()
        if got:
            return got
        time.sleep(0.02)
    return None


class Model:
    def __init__(self):
        with open(DIR + "/script", "w", encoding="utf-8") as f:
            f.write(SCRIPT)
        self.p = subprocess.Popen([FAKE, "--script", DIR + "/script", "--port-file", DIR + "/model.port", "--log",
                                   DIR + "/model.log"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        wait(lambda: os.path.exists(DIR + "/model.port") and os.path.getsize(DIR + "/model.port"))
        with open(DIR + "/model.port", encoding="utf-8") as f:
            self.url = "http://127.0.0.1:%s" % f.read().strip()


def env(store, model):
    e = {"PATH": os.environ["PATH"], "HOME": DIR, "LANG": "C.UTF-8", "ARGUS_STORE": store, "LLM_API_BASE": model.url,
         "LLM_MODEL": "m", "LLM_API_KEY": "key-of-the-test", "ARGUS_MAX_REQUESTS_PER_MINUTE": "none",
         "ARGUS_MAX_ANONYMOUS_PER_MINUTE": "none"}
    e.update(MORE)
    e = {k: v for k, v in e.items() if k not in UNSET}
    e.update((k, os.environ[k]) for k in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS") if k in os.environ)
    return e


def argus(store, model, *args):
    r = subprocess.run([ARGUS, *args], capture_output=True, text=True, env=env(store, model), cwd=DIR, stdin=subprocess.DEVNULL)
    if r.returncode:
        raise SystemExit("argus %s: %s" % (" ".join(args), r.stderr))
    return r.stdout.strip()


class Server:
    count = 0

    def __init__(self, store, model, *options):
        Server.count += 1
        self.log = DIR + "/serve-%d.log" % Server.count
        with open(self.log, "w", encoding="utf-8") as f:
            self.p = subprocess.Popen([ARGUS, "serve", "--port", "0", *(options or ("--questions", "0"))], stdout=f, stderr=f, env=env(store, model), cwd=DIR,
                                      stdin=subprocess.DEVNULL)
        line = wait(lambda: [x for x in self.said().splitlines() if x.startswith("listening on")] or self.p.poll() is not None)
        if line is True or not line:
            raise SystemExit(self.said())
        self.port = int(line[0].rsplit(":", 1)[1])

    def said(self):
        with open(self.log, encoding="utf-8") as f:
            return f.read()

    def stop(self):
        self.p.send_signal(signal.SIGTERM)
        return self.p.wait(60)


class Reply:
    def __init__(self, conn, r):
        self.conn, self.r, self.status = conn, r, r.status
        self.pairs = r.getheaders()
        self.headers = {k.lower(): v for k, v in self.pairs}
        self.lines = []

    def json(self):
        return json.loads(self.r.read())

    def chunk(self):
        """The next part of a stream, "[DONE]", or None at its end."""
        while True:
            line = self.r.readline()
            if not line:
                return None
            if line.startswith(b"data: "):
                text = line[6:].decode().strip()
                return text if text == "[DONE]" else json.loads(text)

    def rest(self):
        while True:
            c = self.chunk()
            if c is None:
                return self.lines
            self.lines.append(c)

    def close(self):
        self.r.close()
        self.conn.close()


def ask(server, method, path, body=None, token=None, **headers):
    conn = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    h = {"Content-Type": "application/json"} if body is not None else {}
    if token:
        h["Authorization"] = "Bearer " + token
    h.update((k.replace("_", "-"), v) for k, v in headers.items())
    if body is not None and not isinstance(body, (str, bytes)):
        body = json.dumps(body)
    conn.request(method, path, body, {k: v for k, v in h.items() if v is not None})
    reply = Reply(conn, conn.getresponse())
    if path.startswith("/api/") and "event-stream" not in reply.headers.get("content-type", ""):
        text = reply.r.read()
        reply.r = io.BytesIO(text)
        fault = DOCUMENT.fault(method, path, reply.status, reply.headers.get("content-type", ""), text)
        if fault:
            check("%s %s: the answer %d is as the document says" % (method, path, reply.status), False, "%s\n%s" % (fault, text.decode()))
    return reply


def documented():
    """The last check of a suite: what it asked is in the OpenAPI document, and the answers were as that says."""
    routes = {c.rsplit(" ", 1)[0] for c in DOCUMENT.checked}
    note = "" if openapi_answers.jsonschema else "; their members were not looked at: python3-jsonschema is not installed"
    check("answers of %d routes fit the OpenAPI document%s" % (len(routes), note), len(routes) >= 4, DOCUMENT.checked)


def question(text, thread=None, **more):
    return dict({"messages": [{"role": "user", "parts": [{"type": "text", "text": text}]}]}, **({"id": thread} if thread else {}), **more)


def post(server, token, text, thread=None, **more):
    return ask(server, "POST", "/api/chat/", question(text, thread, **more), token)


def types(lines):
    return [c if isinstance(c, str) else c["type"] for c in lines]


def words(lines):
    return "".join(c["delta"] for c in lines if isinstance(c, dict) and c["type"] == "text-delta")


def messages(server, token, thread):
    return ask(server, "GET", "/api/threads/%s/messages" % thread, token=token)


def streams(server, ann):
    r = post(server, ann, "How many customers are there?", "a thread/1".replace(" ", "-"))
    check("a thread's id may have a slash, when it is encoded", r.status == 200, r.status)
    lines = r.rest()
    want = ["start", "start-step", "reasoning-start", "reasoning-delta", "reasoning-end", "tool-input-available",
            "tool-output-available", "finish-step", "start-step", "text-start", "text-delta", "text-end", "data-answer",
            "finish-step", "finish", "[DONE]"]
    got = [t for i, t in enumerate(types(lines)) if i == 0 or t != types(lines)[i - 1] or not t.endswith("-delta")]
    check("the order of a turn with a call", got == want, got)
    check("text has one id, another than reasoning", len({c["id"] for c in lines if isinstance(c, dict) and
                                                          c["type"].startswith("text-")}) == 1)
    call = [c for c in lines if isinstance(c, dict) and "toolCallId" in c]
    check("a call has its real input and output", call[0]["input"] == {"query": "SELECT count(*) AS n FROM customers"} and
          call[1]["output"]["rows"] == [[3]] and call[0]["toolCallId"] == call[1]["toolCallId"], call)
    check("the headers", r.headers.get("x-vercel-ai-ui-message-stream") == "v1" and
          r.headers["content-type"].startswith("text/event-stream") and "no-cache" in r.headers["cache-control"], r.headers)
    r = messages(server, ann, "a-thread%2F1")
    body = r.json()
    parts = body["messages"][1]["parts"]
    check("a reload shows the same", r.status == 200 and body["messages"][1]["id"] == lines[0]["messageId"] and
          [p["type"] for p in parts] == ["step-start", "reasoning", "tool-execute_sql", "step-start", "text", "data-answer"] and
          parts[4]["text"] == "There are 3 customers." and parts[2]["output"] == call[1]["output"] and
          body["messages"][0]["parts"][0]["text"] == "How many customers are there?", body)
    again = post(server, ann, "Say hello", "a-thread/1").rest()
    check("a second turn is another message", again[0]["messageId"] != lines[0]["messageId"] and words(again) == "Hello.", again)
    check("and both are in the thread", len(messages(server, ann, "a-thread%2F1").json()["messages"]) == 4)
    for name, body in (("content", {"messages": [{"role": "user", "content": "Say hello"}]}),
                       ("one message", {"message": {"role": "user", "parts": [{"type": "text", "text": "Say"}, {"type": "text", "text": "hello"}]}}),
                       ("projectId in data", {"messages": [{"content": "Say hello"}], "data": {"projectId": "shop", "threadId": "old-form"}})):
        lines = ask(server, "POST", "/api/chat", body, ann).rest()
        check("a body with " + name, words(lines) == "Hello.", lines)


def wrong(server, ann):
    many = "x" * 10001
    cases = [("no token", 401, lambda: ask(server, "POST", "/api/chat/", question("Hi"))),
             ("a wrong token", 401, lambda: ask(server, "POST", "/api/chat/", question("Hi"), "argus_" + "0" * 43)),
             ("another method", 405, lambda: ask(server, "GET", "/api/chat/", token=ann)),
             ("broken JSON", 400, lambda: ask(server, "POST", "/api/chat/", '{"messages":[', ann)),
             ("no JSON", 415, lambda: ask(server, "POST", "/api/chat/", "messages=1", ann, Content_Type="text/plain")),
             ("a list", 400, lambda: ask(server, "POST", "/api/chat/", "[]", ann)),
             ("no messages", 400, lambda: ask(server, "POST", "/api/chat/", {}, ann)),
             ("messages that are none", 400, lambda: ask(server, "POST", "/api/chat/", {"messages": [1]}, ann)),
             ("a last message of the assistant", 400,
              lambda: ask(server, "POST", "/api/chat/", {"messages": [{"role": "assistant", "content": "Hi"}]}, ann)),
             ("a blank question", 400, lambda: post(server, ann, "  \n")),
             ("10,001 characters", 400, lambda: post(server, ann, many)),
             ("an id with a blank", 400, lambda: post(server, ann, "Hi", "a b")),
             ("an id of 129 characters", 400, lambda: post(server, ann, "Hi", "i" * 129)),
             ("a project of others", 403, lambda: post(server, ann, "Hi", projectId="secret")),
             ("a project that there is not", 403, lambda: post(server, ann, "Hi", projectId="none")),
             ("a page of another origin", 403, lambda: ask(server, "POST", "/api/chat/", question("Hi"), ann, Origin="https://evil.example")),
             ("another Host", 403, lambda: ask(server, "GET", "/api/threads", token=ann, Host="evil.example")),
             ("8 MiB and a byte", 413, lambda: ask(server, "POST", "/api/chat/", b"{", ann, Content_Length="8388609")),
             ("a thread that there is not", 404, lambda: messages(server, ann, "nothing")),
             ("a wrong cursor", 400, lambda: ask(server, "GET", "/api/threads?cursor=x", token=ann)),
             ("a title of 201 characters", 400, lambda: ask(server, "PATCH", "/api/threads/old-form", {"title": "t" * 201}, ann))]
    for name, status, work in cases:
        r = work()
        body = r.r.read().decode()
        is_told = r.headers.get("content-type") == "application/problem+json" and json.loads(body)["status"] == status and \
            len(json.loads(body)["reference"]) == 8
        check("%s: %d" % (name, status), r.status == status and is_told, (r.status, r.headers, body))
    r = post(server, ann, "y" * 10000)
    check("10,000 characters are taken", r.status == 200 and words(r.rest()) == "Hello.", r.status)


def owners(server, ann, bob):
    post(server, ann, "Say hello", "mine").rest()
    before = messages(server, ann, "mine").json()["messages"]
    tries = [post(server, bob, "Say hello", "mine"), messages(server, bob, "mine"), ask(server, "GET", "/api/chat/mine/stream", token=bob),
             ask(server, "POST", "/api/chat/mine/stop", {}, bob), ask(server, "PATCH", "/api/threads/mine", {"title": "x"}, bob),
             ask(server, "DELETE", "/api/threads/mine", token=bob), ask(server, "GET", "/api/threads/mine", token=bob),
             ask(server, "POST", "/api/threads/mine/branch", {"turn": before[1]["id"]}, bob)]
    check("another user's thread is not there, on any route", [r.status for r in tries] == [404] * 8, [r.status for r in tries])
    check("and is as it was", messages(server, ann, "mine").json()["messages"] == before)
    r = ask(server, "PATCH", "/api/threads/mine", {"title": "Greetings"}, ann)
    check("a thread is renamed", r.status == 200 and r.json()["title"] == "Greetings")
    r = ask(server, "POST", "/api/threads/mine/viewed", {}, ann).json()
    check("and viewed", r["unread"] is False and r["viewed_at"], r)
    found = ask(server, "GET", "/api/threads?q=greet", token=ann).json()["threads"]
    check("it is found by its title", [t["id"] for t in found] == ["mine"], found)
    check("the other user finds nothing", ask(server, "GET", "/api/threads", token=bob).json()["threads"] == [])
    page, ids = ask(server, "GET", "/api/threads?limit=2", token=ann).json(), []
    while True:
        ids += [t["id"] for t in page["threads"]]
        if not page["next"]:
            break
        page = ask(server, "GET", "/api/threads?limit=2&cursor=" + page["next"], token=ann).json()
    check("pages list each thread once", len(ids) == len(set(ids)) >= 4 and ids[0] == "mine", ids)
    r = ask(server, "POST", "/api/threads/mine/branch", {"turn": before[1]["id"]}, ann)
    made = r.json()
    check("a branch is a thread of its own", r.status == 201 and len(messages(server, ann, made["id"]).json()["messages"]) == 2, made)
    check("a thread is deleted", ask(server, "DELETE", "/api/threads/mine", token=ann).status == 204 and
          messages(server, ann, "mine").status == 404 and post(server, ann, "Say hello", "mine").status == 404)


def edit(server, token, thread, message, text, **more):
    body = {"id": thread, "messageId": message, "message": {"id": message, "role": "user", "parts": [{"type": "text", "text": text}]}}
    return ask(server, "POST", "/api/chat", dict(body, **more), token)


def asked(server, token, thread, version=""):
    rows = ask(server, "GET", "/api/threads/%s/messages?version=%s" % (thread, version), token=token).json()["messages"]
    return [m["parts"][0]["text"] for m in rows if m["role"] == "user"]


def replaced(server, other, ann):
    for text in ("Say hello", "Say more", "Say most"):
        post(server, ann, text, "edited").rest()
    old = [m["id"] for m in messages(server, ann, "edited").json()["messages"]]
    lines = edit(server, ann, "edited", old[2], "Say less").rest()
    check("an edited question is answered", words(lines) == "Hello.", lines)
    check("it stands in the place of the old one", asked(server, ann, "edited") == ["Say hello", "Say less"], asked(server, ann, "edited"))
    check("another process sees the same", asked(other, ann, "edited") == ["Say hello", "Say less"])
    check("the old version is kept, with what followed", asked(server, ann, "edited", old[3]) == ["Say hello", "Say more", "Say most"])
    r = edit(other, ann, "edited", old[2], "Say nothing")
    text = r.r.read().decode()
    check("the second of two editors is refused: 409", r.status == 409 and "changed meanwhile" in text, text)
    r = edit(server, ann, "edited", "nothing", "Say hello", trigger="regenerate-message")
    check("a message that there is not is another question", r.status == 200 and words(r.rest()) == "Hello.", r.status)
    r = ask(server, "POST", "/api/chat", dict(question("Say hello", "edited"), messageId="absent", trigger="regenerate-message"), ann)
    check("an answer that there is not is not replaced: 404", r.status == 404, r.status)
    check("a version that there is not: 404", ask(server, "GET", "/api/threads/edited/messages?version=1", token=ann).status == 404)
    # Both name the same turn at the same time: one of them is refused, whichever process serves it.
    last = messages(server, ann, "edited").json()["messages"][-2]["id"]
    both = [None, None]

    def run(i, where):
        r = edit(where, ann, "edited", last, "Say hello %d" % i)
        both[i] = (r.status, r.rest() if r.status == 200 else r.r.read())
    threads = [threading.Thread(target=run, args=x) for x in ((0, server), (1, other))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    won = [i for i in (0, 1) if both[i][0] == 200]
    check("of two who edit at once one is refused", sorted(b[0] for b in both) == [200, 409], both)
    check("and the thread has the other's question", asked(server, ann, "edited")[-1] == "Say hello %d" % won[0], asked(server, ann, "edited"))


def feedback(server, other, ann, bob, boss):
    post(server, ann, "Say hello", "rated").rest()
    turn = messages(server, ann, "rated").json()["messages"][1]["id"]
    path = "/api/threads/rated/turns/%s/feedback" % turn
    r = ask(server, "PUT", path, {"verdict": "down", "reason": "too short"}, ann)
    check("feedback is taken", r.status == 200 and r.json()["verdict"] == "down", r.status)
    r = ask(other, "PUT", path, {"verdict": "up"}, ann)
    check("and changed, in another process", r.status == 200)
    said = messages(server, ann, "rated").json()["messages"][1]["metadata"]["feedback"]
    check("the answer has it", said == {"verdict": "up", "reason": ""}, said)
    cases = [("a verdict that there is not: 400", 400, "PUT", path, {"verdict": "sideways"}, ann),
             ("a reason of 1,001 characters: 400", 400, "PUT", path, {"verdict": "up", "reason": "x" * 1001}, ann),
             ("the thread of somebody else: 404", 404, "PUT", path, {"verdict": "up"}, bob),
             ("a turn that there is not: 404", 404, "PUT", path[:-len("/feedback") - 1] + "x/feedback", {"verdict": "up"}, ann),
             ("the list is for admins: 403", 403, "GET", "/api/projects/shop/feedback", None, ann),
             ("a list of a verdict that there is not: 400", 400, "GET", "/api/projects/shop/feedback?verdict=x", None, boss),
             ("a cursor of another list: 400", 400, "GET", "/api/projects/shop/feedback?cursor=1", None, boss)]
    for name, status, method, where, body, who in cases:
        r = ask(server, method, where, body, who)
        check("feedback, " + name, r.status == status, (r.status, r.r.read()))
    rows = ask(server, "GET", "/api/projects/shop/feedback", token=boss).json()["feedback"]
    check("an admin lists it", [(f["user"], f["verdict"], f["question"]) for f in rows] == [("ann", "up", "Say hello")], rows)
    check("it is taken back", ask(server, "DELETE", path, token=ann).status == 204 and
          "metadata" not in messages(server, ann, "rated").json()["messages"][1])


def statements(server, ann):
    r = ask(server, "POST", "/api/chat", dict(question("/sql select 41 + 1 as n", "typed"), sql="select 41 + 1 as n"), ann)
    lines = r.rest()
    out = [c for c in lines if isinstance(c, dict) and c["type"] == "tool-output-available"]
    check("a statement is run without a model", len(out) == 1 and out[0]["output"]["rows"] == [[42]], lines)
    r = ask(server, "POST", "/api/chat", dict(question("/sql drop", "typed"), sql="drop table customers"), ann)
    lines = r.rest()
    check("the guard looks at it", "tool-output-error" in types(lines) and "tool-output-available" not in types(lines), lines)
    r = ask(server, "POST", "/api/chat", dict(question("/sql long", "typed"), sql="x" * 10001), ann)
    check("a statement of 10,001 characters: 400", r.status == 400)


def under_way(server, other, ann):
    whole = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa"
    r = post(server, ann, "Spell slowly", "slow")
    while r.chunk()["type"] != "text-delta":
        pass
    check("a second question waits for the first: 409", post(other, ann, "Say hello", "slow").status == 409)
    r.close()
    near, far = ask(server, "GET", "/api/chat/slow/stream", token=ann), ask(other, "GET", "/api/chat/slow/stream", token=ann)
    lines, more = near.rest(), far.rest()
    check("who comes back reads from the beginning", words(lines) == whole and types(lines)[0] == "start" and lines[-1] == "[DONE]", lines)
    check("from another process, too", words(more) == whole and more[0] == lines[0] and types(more)[-3:] == types(lines)[-3:], more)
    check("when it is over there is nothing: 204",
          [ask(server, "GET", p, token=ann).status for p in ("/api/chat/slow/stream", "/api/chat//slow/stream")] == [204, 204])
    check("the next question may come by another process, and the one after by the first",
          [words(post(at, ann, "Say hello", "slow").rest()) for at in (other, server)] == ["Hello."] * 2)
    check("the reader that left lost nothing", words(lines) == messages(server, ann, "slow").json()["messages"][1]["parts"][1]["text"])
    for name, where in (("", server), (" by another process", other)):
        thread = "stopped" + name.replace(" ", "-")
        r = post(server, ann, "Spell slowly", thread)
        while r.chunk()["type"] != "text-delta":
            pass
        check("stop%s is taken" % name, ask(where, "POST", "/api/chat/%s/stop" % thread, {}, ann).status == 202)
        lines = r.rest()
        check("stop%s ends the turn" % name, "abort" in types(lines) and lines[-1] == "[DONE]" and len(words(lines)) < len(whole) - 10, lines)
        check("and the thread goes on", words(post(server, ann, "Say hello", thread).rest()) == "Hello.")


def broken(server, ann):
    lines = post(server, ann, "Break off", "broken").rest()
    kinds = types(lines)
    check("a model that breaks off: the words so far, then the error", words(lines).startswith("This answer") and
          kinds[-4:] == ["error", "finish-step", "finish", "[DONE]"], lines)
    check("text is closed before", kinds.index("error") > max(i for i, k in enumerate(kinds) if k == "text-end"), kinds)
    check("and the next turn works", words(post(server, ann, "Say hello", "broken").rest()) == "Hello.")


def killed(store, model, ann):
    server = Server(store, model)
    r = post(server, ann, "Spell slowly", "killed")
    while r.chunk()["type"] != "text-delta":
        pass
    server.p.kill()
    server.p.wait()
    r.close()
    server = Server(store, model)
    lines = ask(server, "GET", "/api/chat/killed/stream", token=ann).rest()
    check("a turn that kill -9 interrupted goes on", words(lines).endswith("oscar papa") and lines[-1] == "[DONE]", lines)
    body = messages(server, ann, "killed").json()["messages"]
    check("it is one turn of the thread", len(body) == 2 and body[1]["id"] == lines[0]["messageId"], body)
    r = post(server, ann, "Spell slowly", "graceful")
    r.chunk()
    server.p.send_signal(signal.SIGTERM)
    lines = r.rest()
    check("SIGTERM lets answers end", words(lines).endswith("oscar papa") and lines[-1] == "[DONE]" and server.p.wait(60) == 0,
          (lines[-3:], server.said()))


def limits(store, model, ann, bob):
    server = Server(store, model, "--questions", "2")
    codes = [(r.status, r.headers, r.rest()) for r in (post(server, ann, "Say hello", "limit-%d" % i) for i in range(3))]
    check("the third question of a minute is 429", [c[0] for c in codes] == [200, 200, 429], codes)
    h = codes[2][1]
    check("with the time to wait", 1 <= int(h.get("retry-after", 0)) <= 60 and h.get("x-ratelimit-limit") == "2" and
          h.get("x-ratelimit-remaining") == "0", h)
    check("other users are not affected", post(server, bob, "Say hello", "limit-of-bob").status == 200)
    r = ask(server, "GET", "/")
    page = r.r.read().decode()
    check("a page is at /, built in or not, and may use nothing of another host",
          r.status == 200 and "<title>Argus</title>" in page and r.headers["content-security-policy"].startswith("default-src 'self';")
          and "frame-ancestors 'none'" in r.headers["content-security-policy"] and r.headers["x-content-type-options"] == "nosniff",
          [r.status, r.headers, page])
    again = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    again.request("GET", "/", headers={"If-None-Match": r.headers.get("etag", "*")})
    check("and is not sent twice", again.getresponse().status in ((304,) if "etag" in r.headers else (200,)))
    check("a file that is not there is 404", ask(server, "GET", "/assets/none.js").status == 404)
    r = [ask(server, "GET", path, token=token) for path, token in (("/healthz", None), ("/readyz", None), ("/metrics", ann), ("/metrics", None))]
    check("alive, ready, measured; numbers need a token", [x.status for x in r] == [200, 200, 200, 401], [x.status for x in r])
    text = r[2].r.read().decode()
    check("the numbers are those of the questions", "\nargus_turns_total 3\n" in text and "\nargus_turns_limited_total 1\n" in text, text)
    server.stop()


def pg(what):
    subprocess.run(["sh", ROOT + "/tests/real/postgres.sh", what, DIR + "/pg"], check=True, stdout=subprocess.DEVNULL)


def away(server, ann):
    pg("crash")
    check("which is not ready then, but alive", [ask(server, "GET", p).status for p in ("/readyz", "/healthz")] == [503, 200])
    r = messages(server, ann, "slow")
    body = r.r.read().decode()
    check("a store that is away is 503, never an empty history", r.status == 503 and "messages" not in body, (r.status, body))
    pg("again")
    check("and later it is there", wait(lambda: messages(server, ann, "slow").status == 200))


def on(name, store, model):
    print("# " + name)
    for project in ("shop", "secret"):
        argus(store, model, "project", "add", project, "--source", "sqlite:%s/shop.db" % DIR)
    argus(store, model, "project", "grant", "shop", "ann", "analyst")
    argus(store, model, "project", "grant", "shop", "bob", "analyst")
    argus(store, model, "project", "grant", "shop", "boss", "admin")
    ann, bob, boss = (argus(store, model, "token", "create", "--user", u, "--role", role).splitlines()[0]
                      for u, role in (("ann", "analyst"), ("bob", "analyst"), ("boss", "admin")))
    server, other = Server(store, model), Server(store, model)
    streams(server, ann)
    wrong(server, ann)
    owners(server, ann, bob)
    replaced(server, other, ann)
    feedback(server, other, ann, bob, boss)
    statements(server, ann)
    under_way(server, other, ann)
    broken(server, ann)
    killed(store, model, ann)
    limits(store, model, ann, bob)
    if name == "PostgreSQL":
        away(server, ann)
    check("both servers end with 0", [s.stop() for s in (server, other)] == [0, 0], server.said() + other.said())
    check("no key and no token is in what they said", "key-of-the-test" not in server.said() and ann not in server.said())


def main():
    return on_both(on)


def on_both(on):
    with sqlite3.connect(DIR + "/shop.db") as db:
        db.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)")
        db.executemany("INSERT INTO customers (name) VALUES (?)", [("Ann",), ("Bob",), ("Cy",)])
    model = Model()
    try:
        on("SQLite", DIR + "/store.db", model)
        if PORT != "-":
            subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", "postgres", "-Xq", "-c",
                            "CREATE DATABASE served TEMPLATE template0 ENCODING 'UTF8'"], check=True)
            on("PostgreSQL", "postgresql://postgres:secret@127.0.0.1:%s/served" % PORT, model)
    finally:
        model.p.terminate()
        model.p.wait()
    documented()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
