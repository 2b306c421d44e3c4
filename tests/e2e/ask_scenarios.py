"""Section 5 of the reference: the 25 acceptance scenarios of `argus ask`, on the real program with a scripted model (or one
that plays by policy) and the project's API; then what users do with the command beside them ("ask/…").
"""
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import ask_rules
from ask_rig import (API_KEY, ARGUS, CASES, FILES, HERE, MODEL_KEY, ROOT, SLOW, Rig, Skip, Wrong, body_turn, call, case, free_port,
                     has, read_bytes, run_cases, same, script, sha256, turn, want)

WIKI = os.path.join(ROOT, "examples", "wiki")
TABLES = os.path.join(ROOT, "tests", "cases", "ask")
REQUIRED = ["read_file", "list_files", "query_api"]


def wiki_rig():
    return Rig(files=None, copy_of=WIKI)


def table(name):
    with open(os.path.join(TABLES, name), encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]


# --- servers that only scenarios need


class Python:
    """a Python server that prints "port N" """

    def __init__(self, *args, cwd=None, **env):
        self.p = subprocess.Popen([sys.executable] + list(args), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, env=dict(PATH=os.environ.get("PATH", ""), PYTHONDONTWRITEBYTECODE="1", **env))
        word, _, got = self.p.stdout.readline().partition(" ")
        want(word == "port", "it does not start:", args)
        self.port = int(got)

    def stop(self):
        self.p.kill()
        self.p.wait()
        self.p.stdout.close()


class Policy(Python):
    """the model that plays by policy; looks like a Model to the rig"""

    tap = None

    def __init__(self, folder):
        self.log = os.path.join(folder, "policy%d.log" % len(os.listdir(folder)))
        super().__init__(os.path.join(ROOT, "tests", "fake", "policy_model.py"), "--log", self.log)
        self.base = "http://127.0.0.1:%d/v1" % self.port
        self.begin = 0

    def mark(self):
        self.begin = os.path.getsize(self.log) if os.path.exists(self.log) else 0

    def requests(self):
        data = read_bytes(self.log)[self.begin:] if os.path.exists(self.log) else b""
        return [json.loads(x)["request"] for x in data.splitlines()]

    def stop(self):
        super().stop()
        return None, read_bytes(self.log) if os.path.exists(self.log) else b""


def policy(rig):
    m = Policy(rig.serverdir)
    rig.models.append(m)
    rig.model_ = m
    rig.env.update(LLM_API_BASE_URL=m.base, LLM_API_MODEL="policy-model")
    return m


def harbor(rig):
    """the API of examples/wiki itself"""
    server = Python("-m", "app", cwd=os.path.join(WIKI, "backend"), LMS_API_KEY=API_KEY, APP_PORT="0")
    rig.servers.append(server)
    rig.api_ = server
    rig.env["AGENT_API_BASE_URL"] = "http://127.0.0.1:%d" % server.port
    return server


# --- 1, 2: the command line, a plain answer


@case("5/1", "no argument, an empty one, blanks: usage, exit 1, nothing on stdout")
def no_question():
    with Rig() as rig:
        rig.model()
        for args in ([], [""], ["   "], ["\t\n "], ["", " "], ["--"], ["--", ""], ["--no-api"], ["--offline"]):
            r = rig.run("ask", *args, code=1)
            same("stdout", r.out, "")
            has(r.err, "QUESTION", "stderr")
        same("requests of the model", rig.model_.requests(), [])


@case("5/2", "a plain answer: one line of JSON, no calls, one request with the tools")
def plain():
    with Rig() as rig:
        rig.model("It is 42.")
        rig.api()
        r = rig.ask("What is it?", verbose=False)
        same("answer", (r.answer["answer"], r.calls, r.answer["status"]), ("It is 42.", [], "ok"))
        same("first keys", list(r.answer)[:3], ["answer", "source", "tool_calls"])
        same("requests", len(r.requests), 1)
        q = r.requests[0]
        same("model", q["model"], "fake-1")
        same("question", q["messages"][-1], {"role": "user", "content": "What is it?"})
        same("roles", [m["role"] for m in q["messages"]], ["system", "user"])
        names = [t["function"]["name"] for t in q["tools"]]
        same("the three tools first", names[:3], REQUIRED)
        for t in q["tools"]:
            schema = t["function"]["parameters"]
            same("type", (t["type"], schema["type"]), ("function", "object"))
            want(set(schema["required"]) <= set(schema["properties"]), schema)
            want(len(t["function"]["description"]) > 60, t)
        same("choice", q.get("tool_choice", "auto"), "auto")
        want(not q.get("stream"), "it asks for a stream")
        same("stderr without -v", r.err, "")
        log = rig.model_.lines()[0]
        same("where", (log["method"], log["path"]), ("POST", "/v1/chat/completions"))
        same("keys on the wire", rig.model_.tap.bytes().lower().count(b"\r\nauthorization: bearer %s\r\n" % MODEL_KEY.lower().encode()), 1)


@case("5/2", "a base with a slash at its end, without /v1, with a path")
def bases():
    for of, path in ((lambda b: b + "/", "/v1/chat/completions"), (lambda b: b[:-3], "/v1/chat/completions"),
                     (lambda b: b[:-3] + "/", "/v1/chat/completions"),
                     (lambda b: b[:-3] + "/proxy/v1", "/proxy/v1/chat/completions")):
        with Rig() as rig:
            rig.model("Yes.")
            r = rig.ask("x", env={"LLM_API_BASE_URL": of(rig.model_.base)})
            same("answer", r.answer["answer"], "Yes.")
            same("path", rig.model_.lines()[0]["path"], path)


# --- 3-6: documentation and citations


@case("5/3", "a question about the docs: list, read, answer; the section far down reaches the model")
def docs():
    with wiki_rig() as rig:
        end = "Under Settings, Branches: protect the branch with a rule.\n\nSource: wiki/github.md#protect-a-branch"
        rig.model([call("list_files", path="wiki")], [call("read_file", path="wiki/github.md", offset=300)], end=end)
        r = rig.ask("How do I protect a branch?")
        same("calls", [c["tool"] for c in r.calls], ["list_files", "read_file"])
        has(r.calls[0]["result"].split("\n"), "github.md")
        want("branch" in r.answer["answer"] and "protect" in r.answer["answer"], r.answer)
        same("source", r.answer["source"], "wiki/github.md#protect-a-branch")
        text = read_bytes(rig.file("wiki/github.md")).decode()
        at = text.index("### Protect a branch")
        want(at > 15000, "the section begins at", at)
        section = text[at:text.index("\n#", at + 1)]
        has(r.tool_messages()[-1][1], section, "what the model read")
        c = r.answer["citations"][0]
        same("citation", (c["path"], c["anchor"], c["title"]), ("wiki/github.md", "protect-a-branch", "Protect a branch"))
        lines = text.split("\n")
        same("its line", lines[c["line"] - 1], "### Protect a branch")
        want(c["quote"] and c["quote"] in "\n".join(lines[c["line"] - 1:c["last_line"]]), c)
        same("its hash", c["sha256"], sha256(text))
        r.check_told()


@case("5/3", "a file of more than 15,000 characters is read whole, with the default settings")
def docs_whole():
    with Rig() as rig:
        filler = "".join("## Section %d\n\nText of section %d, some words to fill it up.\n\n" % (i, i) for i in range(270))
        text = "# Long\n\n" + filler + "## Protect a branch\n\nGo to settings: omega-6620.\n"
        want(15234 < len(text) - 50 < 32000, len(text))
        rig.put("wiki/long.md", text)
        r = rig.use(call("read_file", path="wiki/long.md"), end="So.\nSource: wiki/long.md#protect-a-branch")
        same("result", r.calls[0]["result"], text)
        same("source", r.answer["source"], "wiki/long.md#protect-a-branch")


@case("5/4", "every heading of the wiki has the anchor of the oracle")
def slugs():
    wanted = {}
    for line in table("wiki_headings.cases"):
        path, at, anchor, _ = line.split("\t")
        wanted.setdefault(path, []).append((int(at), anchor))
    want(sum(map(len, wanted.values())) > 500, "the table is short")
    with wiki_rig() as rig:
        paths = sorted(os.path.relpath(os.path.join(d, n), rig.root) for d, _, names in os.walk(rig.file("wiki"))
                       for n in names if n.endswith(".md"))
        same("pages", paths, sorted(wanted))
        r = rig.use(*[call("outline", path=p) for p in paths])
        got = {}
        for p, c in zip(paths, r.calls):
            want("… " not in c["result"][-40:], "the outline is cut: " + c["result"][-60:])
            rows = [re.match(r"\s*(\d+)\s.*#(\S+)$", line) for line in c["result"].split("\n") if line.strip()]
            want(all(rows), c["result"])
            got[p] = [(int(m.group(1)), m.group(2)) for m in rows]
        for p in paths:
            same("anchors of " + p, [x for x in got[p] if x not in wanted[p]] + [x for x in wanted[p] if x not in got[p]], [])
        # Links from page to page, fenced code left out: each leads to an anchor of the program's, but one.
        broken, nlink = [], 0
        for p in paths:
            text = re.sub(r"(?ms)^\s*(```+|~~~+).*?^\s*\1\s*$", "", read_bytes(rig.file(p)).decode())
            for target, anchor in re.findall(r"\]\(([\w./-]*)#([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
                if "://" in target:
                    continue
                nlink += 1
                to = os.path.normpath(os.path.join(os.path.dirname(p), target)) if target else p
                if anchor not in [a for _, a in got.get(to, [])]:
                    broken.append("%s -> %s#%s" % (p, to, anchor))
        want(nlink > 100, "only %d links" % nlink)
        same("broken links", broken, ["wiki/deployment.md -> wiki/backups.md#restore-from-yesterday"])


@case("5/5", "an anchor that does not exist is mended or dropped, and told")
def phantom():
    with wiki_rig() as rig:
        real = {line.split("\t")[2] for line in table("wiki_headings.cases") if line.startswith("wiki/git.md\t")}
        for cited, best in (("wiki/git.md#resolving-merge-conflicts", "wiki/git.md#resolve-a-merge-conflict"),
                            ("wiki/git.md#zzz-nothing-like-it-at-all", None),
                            ("wiki/git.md#Resolve-A-Merge-Conflict", "wiki/git.md#resolve-a-merge-conflict")):
            rig.model([call("read_file", path="wiki/git.md")], end="Keep one side (see %s).\n\nSource: %s" % (cited, cited))
            r = rig.ask("x")
            has(r.answer["answer"], "Keep one side")
            source = r.answer["source"]
            path, _, anchor = source.partition("#")
            same("path", path, "wiki/git.md")
            want(not anchor or anchor in real, source)
            if best:
                same("mended", source, best)
            for word in re.findall(r"wiki/[\w.-]+#([\w-]+)", r.answer["answer"]):
                want(word in real, "the answer cites #" + word)
            has(r.err, cited.partition("#")[2], "the note on stderr")
        # The page of the seed: never read, it is no source either.
        r = rig.use(call("read_file", path="wiki/git.md"),
                    end="Keep one side.\n\nSource: wiki/git-workflow.md#resolving-merge-conflicts")
        want("git-workflow" not in r.answer["source"] and "git-workflow" not in json.dumps(r.answer["citations"]), r.answer)
        has(r.err, "git-workflow", "the note on stderr")


@case("5/6", "a file that was not read is no source")
def unread():
    with Rig() as rig:
        r = rig.use(call("read_file", path="wiki/a.md"), end="It is there.\nSource: wiki/b.md#protect-a-branch")
        want("wiki/b.md" not in r.answer["source"], r.answer["source"])
        want(all(c["path"] != "wiki/b.md" for c in r.answer["citations"]), r.answer["citations"])
        has(r.err, "wiki/b.md", "the note on stderr")
        # A listing, an outline of something else, a search are no reading; a read that failed neither.
        for c in (call("list_files", path="wiki"), call("read_file", path="wiki/b.md/"), call("outline", path="wiki/a.md")):
            r = rig.use(c, end="There.\nSource: wiki/b.md")
            want("wiki/b.md" not in r.answer["source"], c, r.answer["source"])
        for text in ("Source: /etc/passwd", "Source: ../r-secret/x", "Source: .env.agent.secret", "Source: https://evil.test/a.md"):
            r = rig.use(call("read_file", path="wiki/a.md"), end="There.\n" + text)
            want(r.answer["source"] in ("", "wiki/a.md"), text, r.answer["source"])


# --- 7-10: the API, and both together


@case("5/7", "counting: the model sees 257 though the list is cut, and 0 of an empty one")
def counting():
    with Rig() as rig:
        rig.api()
        r = rig.use(call("query_api", method="GET", path="/learners/"), end="There are 257 learners.")
        got = json.loads(r.calls[0]["result"])
        same("length", (got["status_code"], got["array_length"], got["truncated"]), (200, 257, True))
        want(got["bytes"] > 25000 and isinstance(got["body"], str), str(got)[-300:])
        has(r.tool_messages()[-1][1], '"array_length":257', "what the model read")
        want(ask_rules.holds({"numeric_range": [257, 257]}, r.answer["answer"]), r.answer)
        # Whole elements only.
        ids = [x["id"] for x in json.loads(got["body"].rstrip(", \n") + ("" if got["body"].endswith("]") else "]"))]
        same("elements shown", ids, list(range(1, len(ids) + 1)))
        same("source", r.answer["source"], "API endpoint GET /learners/")


@case("5/7", "counting by policy: 257 and 0 are answered, nothing is made up")
def counting_policy():
    for rows in (257, 0):
        with wiki_rig() as rig:
            api = rig.api("--rows", str(rows))
            policy(rig)
            r = rig.ask("How many learners are enrolled in total?")
            want(ask_rules.holds({"numeric_range": [rows, rows]}, r.answer["answer"]), rows, r.answer["answer"])
            want("query_api" in [c["tool"] for c in r.calls], r.calls)
            has([x["path"] for x in api.requests()], "/learners/")
            if not rows:
                want("student" not in r.answer["answer"], r.answer["answer"])


@case("5/8", "auth false: no Authorization header, status 401")
def no_auth():
    with Rig() as rig:
        api = rig.api()
        r = rig.use(call("query_api", method="GET", path="/items/", auth=False), end="401.\nSource: API endpoint GET /items/")
        same("status", json.loads(r.calls[0]["result"])["status_code"], 401)
        x = api.requests()[0]
        want(not x["authorization"] and "authorization" not in x["head"].lower(), x["head"])
        same("source", r.answer["source"], "API endpoint GET /items/")
        r = rig.use(call("query_api", method="GET", path="/items/"))
        x = api.requests()[1]
        same("with it", x["authorization_sha256"], sha256("Bearer " + API_KEY))


@case("5/9", "a bug: reproduced through the API, found in the source")
def bug():
    with wiki_rig() as rig:
        rig.api()
        end = ("ZeroDivisionError: the rate is divided by a count that is zero.\n"
               "Source: backend/app/routers/analytics.py")
        rig.model([call("query_api", method="GET", path="/analytics/completion-rate?lab=lab-99")],
                  [call("read_file", path="backend/app/routers/analytics.py")], end=end)
        r = rig.ask("Why does the completion rate of lab-99 fail?")
        same("tools", [c["tool"] for c in r.calls], ["query_api", "read_file"])
        same("status", r.calls[0]["status"], 500)
        has(r.calls[0]["result"], "ZeroDivisionError")
        has(r.answer["answer"], "ZeroDivisionError")
        has(r.answer["source"], "analytics.py")
        same("the file", r.calls[1]["result"], read_bytes(rig.file("backend/app/routers/analytics.py")).decode())


@case("5/10", "a comparison by policy: etl.py and a router reach the model within ten calls")
def comparison():
    with wiki_rig() as rig:
        harbor(rig)
        policy(rig)
        r = rig.ask("Compare how the ETL code handles failures with how the pipeline router of the API handles them.")
        want(len(r.calls) <= 10, len(r.calls))
        told = [t for _, t in r.tool_messages()]
        for path in ("backend/app/etl.py", "backend/app/routers/pipeline.py"):
            text = read_bytes(rig.file(path)).decode()
            want(any(text in t for t in told), path + " did not reach the model")
        r.check_told()


# --- 11-13: budgets and odd replies


@case("5/11", "ten calls: no more run, the last request has no tools, a warning, the summary is the answer")
def ten_calls():
    with Rig() as rig:
        raw = "".join(turn(call("read_file", path="wiki/a.md", limit=i + 1)) for i in range(10))
        rig.model(raw=raw + "otherwise\n  text In short: it is A.\n")
        r = rig.ask("x")
        same("calls", len(r.calls), 10)
        same("requests", len(r.requests), 11)
        for q in r.requests[:10]:
            want(q.get("tools"), "no tools are offered")
        want("tools" not in r.requests[10] or r.requests[10].get("tool_choice") == "none", "tools in the last request")
        want("tools" not in r.requests[10], "the last request carries tools")
        same("answer", (r.answer["answer"], r.answer["status"]), ("In short: it is A.", "partial"))
        has(r.answer["why"], "10")
        has(r.err, "10 tool calls", "the warning")
        r.check_told()
    # A model that never stops: the eleventh is not run.
    with Rig() as rig:
        rig.model(raw=turn(call("read_file", path="wiki/a.md"), head="repeat when not last \"cannot call tools\"") +
                  "otherwise\n  text Enough.\n")
        r = rig.ask("x")
        same("calls", (len(r.calls), len(r.requests), r.answer["answer"]), (10, 11, "Enough."))


@case("5/11", "a batch of 12: 10 run, 12 tool messages in order")
def batch():
    with Rig() as rig:
        rig.model([call("read_file", path="wiki/a.md", limit=i + 1) for i in range(12)], end="In short: A.")
        r = rig.ask("x")
        same("calls", [c["args"]["limit"] for c in r.calls], list(range(1, 11)))
        same("requests", len(r.requests), 2)
        want("tools" not in r.requests[1], "the last request carries tools")
        told = r.tool_messages()
        same("tool messages", len(told), 12)
        for _, text in told[10:]:
            want("budget" in text and "alpha" not in text, text)
        ids = [c["id"] for m in r.requests[1]["messages"] for c in m.get("tool_calls") or []]
        same("ids in order", [i for i, _ in told], ids)
        same("one assistant message", sum(m["role"] == "assistant" for m in r.requests[1]["messages"]), 1)
        r.check_told(unanswered=2)
        same("answer", (r.answer["answer"], r.answer["status"]), ("In short: A.", "partial"))


@case("5/11", "a batch that crosses the limit in the middle of a run; --budget 1; refused calls count")
def crossing():
    with Rig() as rig:
        rig.model([call("read_file", path="../x")] * 1 + [call("nothing"), ("read_file", "{broken")],
                  [call("read_file", path="wiki/a.md", limit=i + 1) for i in range(12)], end="In short.")
        r = rig.ask("x")
        same("calls", (len(r.calls), len(r.requests)), (10, 3))
        same("the first three were refused", [c["ok"] for c in r.calls[:4]], [False, False, False, True])
        r.check_told(unanswered=5)
    with Rig() as rig:
        rig.model([call("read_file", path="wiki/a.md"), call("read_file", path="wiki/b.md")], end="In short.")
        r = rig.ask("x", "--budget", "1")
        same("calls", (len(r.calls), len(r.requests), r.answer["status"]), (1, 2, "partial"))
        r.check_told(unanswered=1)


@case("5/11", "exactly ten calls and then an answer")
def exactly_ten():
    with Rig() as rig:
        rig.model(*[[call("read_file", path="wiki/a.md", limit=i + 1)] for i in range(9)], end="It is A.")
        r = rig.ask("x")
        same("nine", (len(r.calls), r.answer["status"]), (9, "ok"))


@case("5/12", "a summary that is empty, or calls tools again: the model's last words, never a tool's result")
def summaries():
    first = turn("I look at page A.", call("read_file", path="wiki/a.md"))
    more = "".join(turn(call("read_file", path="wiki/a.md", limit=i + 1)) for i in range(9))
    for last, wanted in ((turn("", words=("null_content",)), "I look at page A."),
                         (turn("   "), "I look at page A."),
                         (body_turn({"role": "assistant", "content": None, "tool_calls": [
                             {"id": "z", "type": "function", "function": {"name": "read_file",
                                                                         "arguments": '{"path":"wiki/b.md"}'}}]}),
                          "I look at page A."),
                         (body_turn({"role": "assistant", "content": "Half of it.", "tool_calls": [
                             {"id": "z", "type": "function", "function": {"name": "read_file",
                                                                         "arguments": '{"path":"wiki/b.md"}'}}]}),
                          "Half of it.")):
        with Rig() as rig:
            rig.model(raw=first + more + last)
            r = rig.ask("x")
            same("answer", (r.answer["answer"], r.answer["status"]), (wanted, "partial"))
            same("calls", len(r.calls), 10)
            want("beta-4410" not in r.out, "an eleventh call was run")
    with Rig() as rig:
        rig.model(raw=turn(call("read_file", path="wiki/a.md")) + more + body_turn({"role": "assistant", "content": None},
                                                                                  finish="stop"))
        r = rig.ask("x")
        same("nothing was ever said", (r.answer["answer"], r.answer["status"]), ("", "partial"))


def odd_reply(name, *turns, calls=(), answer="Done.", status="ok"):
    def f():
        with Rig() as rig:
            rig.model(*turns)
            r = rig.ask("x")
            same("answer", (r.answer["answer"], r.answer["status"]), (answer, status))
            same("calls", [(c["tool"], c["ok"]) for c in r.calls], list(calls))
            r.check_told() if calls else None
    CASES.append(("5/13", name, f))


READ_A = {"name": "read_file", "arguments": '{"path":"wiki/a.md"}'}


def message(content, *functions, ids=True):
    calls = [dict({"type": "function", "function": f}, **({"id": "c%d" % i} if ids else {})) for i, f in enumerate(functions)]
    return {"role": "assistant", "content": content, "tool_calls": calls}


odd_reply("content null, and no calls", body_turn({"role": "assistant", "content": None}, finish="stop"), answer="",
          status="partial")
odd_reply("no content, no tool_calls", body_turn({"role": "assistant"}, finish="stop"), answer="", status="partial")
odd_reply("tool_calls null", body_turn({"role": "assistant", "content": "Hm.", "tool_calls": None}, finish="stop"),
          answer="Hm.")
odd_reply("tool_calls empty", body_turn({"role": "assistant", "content": "Hm.", "tool_calls": []}, finish="stop"),
          answer="Hm.")
odd_reply("content in parts", body_turn({"role": "assistant", "content": [{"type": "text", "text": "Two "},
                                                                         {"type": "text", "text": "parts."}]},
                                        finish="stop"), answer="Two parts.")
odd_reply("content null beside a call", body_turn(message(None, READ_A)), calls=[("read_file", True)])
odd_reply("no content beside a call", body_turn({k: v for k, v in message(None, READ_A).items() if k != "content"}),
          calls=[("read_file", True)])
odd_reply("arguments as an object", body_turn(message(None, dict(READ_A, arguments={"path": "wiki/a.md"}))),
          calls=[("read_file", True)])
odd_reply("arguments that are no JSON", body_turn(message(None, dict(READ_A, arguments="{path: wiki"), READ_A)),
          calls=[("read_file", False), ("read_file", True)])
odd_reply("arguments empty, null and missing",
          body_turn(message(None, dict(READ_A, arguments=""), dict(READ_A, arguments=None), {"name": "read_file"})),
          calls=[("read_file", False)] * 3)
odd_reply("no ids", body_turn(message(None, READ_A, dict(READ_A, arguments='{"path":"wiki/b.md"}'), ids=False)),
          calls=[("read_file", True)] * 2)
odd_reply("unknown members everywhere", body_turn(dict(message("", READ_A), reasoning="hm", annotations=[], refusal=None),
                                                  service_tier="x", system_fingerprint=None),
          calls=[("read_file", True)])
odd_reply("finish_reason says stop beside a call", body_turn(message(None, READ_A), finish="stop"),
          calls=[("read_file", True)])
odd_reply("finish_reason length", body_turn({"role": "assistant", "content": "It is"}, finish="length"), answer="It is",
          status="partial")
odd_reply("finish_reason content_filter", body_turn({"role": "assistant", "content": ""}, finish="content_filter"), answer="",
          status="partial")


# --- 14, 15: a model that fails


def failing(name, *words, text="x", within=8, told="", head="repeat", flags=("--deadline", "6"), tap=True):
    def f():
        with Rig() as rig:
            rig.model(raw=turn(text, words=words, head=head), tap=tap)
            begin = time.monotonic()
            r = rig.ask("x", *flags, code=1)
            took = time.monotonic() - begin
            want(took < within * SLOW, "it took %.1f s" % took)
            has(r.err.lower(), told.lower(), "stderr")
            want("127.0.0.1" in r.err or "model" in r.err, r.err)
    CASES.append(("5/14", name, f))


failing("a model server that says 400, with what it says", "status 400", "error max_tokens is too large", told="max_tokens is too large")
failing("a model server that says 401", "status 401", "error no such key", told="401")
failing("a model server that says 404", "status 404", "error no such model", told="404")
failing("a model server that says 500 each time", "status 500", "error out of memory", told="500", within=9)
failing("a model server that says 429 each time", "status 429", "header Retry-After: 1", "error slow down", told="429")
failing("a model server that asks for patience beyond the deadline", "status 429", "header Retry-After: 3000", "error quota",
        told="429", within=7)
failing("a model server that never answers", "hang", told="", within=8)
failing("a model server that says half of its answer and no more", "hang_after 60", within=8)
failing("a model server that is no model server", "body <html><h1>It works!</h1></html>", "header Content-Type: text/html",
        told="")
failing("a model server whose answer is another JSON", 'body {"hello":"world"}', told="")
failing("a model server whose answer has no choices", 'body {"choices":[]}', told="")
failing("a model server whose choice has no message", 'body {"choices":[{"index":0}]}', told="")
failing("a model server that cuts its answer", "cut 100", told="")
failing("a model server that resets the connection", "reset 50", told="", tap=False)
failing("a model server that closes without a byte", "drop", told="", tap=False)


@case("5/14", "a model server that is not there")
def dead_model():
    with Rig() as rig:
        begin = time.monotonic()
        r = rig.ask("x", "--deadline", "6", code=1, env={"LLM_API_BASE_URL": "http://127.0.0.1:%d/v1" % free_port(),
                                                         "LLM_API_MODEL": "m"})
        want(time.monotonic() - begin < 9 * SLOW, "it took long")
        has(r.err, "127.0.0.1")
        has(r.err, "refused")
        r = rig.ask("x", "--deadline", "6", code=1, env={"LLM_API_BASE_URL": "http://no-such-host.invalid/v1",
                                                         "LLM_API_MODEL": "m"})
        has(r.err, "no-such-host.invalid")


@case("5/14", "429 with Retry-After: 1, then an answer: waited for, exit 0")
def retried():
    with Rig() as rig:
        rig.model(turn("x", words=("status 429", "header Retry-After: 1", "error slow down")), "It is 42.")
        begin = time.monotonic()
        r = rig.ask("x")
        took = time.monotonic() - begin
        same("answer", (r.answer["answer"], r.answer["status"], len(r.requests)), ("It is 42.", "ok", 2))
        want(0.9 < took < 6 * SLOW, "it took %.2f s" % took)
    with Rig() as rig:  # in the middle of the work
        rig.model([call("read_file", path="wiki/a.md")], turn("x", words=("status 503", "error busy")),
                  turn("x", words=("drop",)), "It is A.", tap=False)
        r = rig.ask("x")
        same("answer", (r.answer["answer"], len(r.calls)), ("It is A.", 1))


@case("5/14", "a model server that dies in the middle: exit 1, nothing on stdout")
def dies():
    with Rig() as rig:
        rig.model(raw=turn(call("read_file", path="wiki/a.md")) + turn("x", words=("status 401", "error key expired"),
                                                                       head="repeat"))
        r = rig.ask("x", code=1)
        has(r.err, "key expired")


@case("5/15", "a slow model: printed before the deadline, marked partial")
def slow_model():
    with Rig() as rig:
        rig.model(raw=turn("Looking.", call("read_file", path="wiki/a.md"), words=("wait 2000",),
                           head="repeat when not last \"cannot call tools\"") +
                  turn("Half of it: alpha.", words=("wait 2000",), head="repeat"))
        begin = time.monotonic()
        r = rig.ask("x", "--deadline", "8")
        took = time.monotonic() - begin
        want(took < 8 + 1.0 * SLOW, "it took %.2f s" % took)
        same("answer", (r.answer["answer"], r.answer["status"]), ("Half of it: alpha.", "partial"))
        want("time" in r.answer["why"] and "time" in r.err, r.answer["why"], r.err)
        want("tools" not in r.requests[-1], "the last request carries tools")


@case("5/15", "a model that falls silent: its last words, before the deadline, marked partial")
def silent_model():
    with Rig() as rig:
        rig.model(raw=turn("I look at page A.", call("read_file", path="wiki/a.md")) + turn("x", words=("hang",), head="repeat"))
        begin = time.monotonic()
        r = rig.ask("x", "--deadline", "3")
        took = time.monotonic() - begin
        want(took < 3 + 1.0 * SLOW, "it took %.2f s" % took)
        same("answer", (r.answer["answer"], r.answer["status"]), ("I look at page A.", "partial"))


@case("5/15", "a slow API leaves the model its time")
def slow_api():
    with Rig() as rig:
        rig.api("--rows", "1")
        rig.model([call("query_api", method="GET", path="/hostile/hang")], end="The API does not answer.")
        begin = time.monotonic()
        r = rig.ask("x", "--deadline", "6")
        took = time.monotonic() - begin
        want(took < 6 + 1.0 * SLOW, "it took %.2f s" % took)
        same("answer", r.answer["answer"], "The API does not answer.")
        has(r.calls[0]["result"], "rror")


@case("5/15", "20 s per turn and no option: printed before 60 s, marked partial")
def long_one():
    if not os.environ.get("ARGUS_LONG"):
        raise Skip("in the long tier only (./run test --long)")
    with Rig() as rig:
        rig.model(raw=turn("Looking.", call("read_file", path="wiki/a.md"), words=("wait 20000",),
                           head="repeat when not last \"cannot call tools\"") +
                  turn("Half of it.", words=("wait 20000",), head="repeat"))
        begin = time.monotonic()
        r = rig.ask("x")
        took = time.monotonic() - begin
        want(took < 60, "it took %.1f s" % took)
        want(r.answer["status"] == "partial" and r.answer["answer"] in ("Half of it.", "Looking."), r.answer)


# --- 16: where settings come from


def lines_of(**names):
    return "".join("%s=%s\n" % x for x in names.items())


def env_case(name, files, env=None, model="fake-1", key=MODEL_KEY, code=0, told="", flags=("--no-api",), first=None):
    """files: name -> text with {BASE}; the model server must have been asked for `model` with `key`"""
    def f():
        with Rig(secrets=False) as rig:
            m = rig.model("Yes.")
            fill = lambda s: s.replace("{BASE}", m.base) if isinstance(s, str) else s.replace(b"{BASE}", m.base.encode())
            for n in ("LLM_API_BASE_URL", "LLM_API_MODEL"):
                del rig.env[n]
            for n, text in files.items():
                rig.put(n, fill(text))
            r = rig.ask("x", *flags, code=code, env={k: v and fill(v) for k, v in (env or {}).items()})
            for word in [told] if isinstance(told, str) else told:
                has(r.err, word, "stderr")
            if code:
                same("requests of the model", m.requests(), [])
                return
            same("model", m.requests()[0]["model"], model)
            sent = m.tap.bytes()
            want(re.search(rb"(?i)\r\nauthorization: Bearer %s\r\n" % re.escape(key.encode()), sent), sent)
            if key != MODEL_KEY:
                rig.said = [x.replace(key.encode(), b"") for x in rig.said]
    CASES.append(("5/16", name, f))


FULL = lines_of(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1")
OLD = lines_of(LLM_API_KEY=MODEL_KEY, LLM_API_BASE="{BASE}", LLM_MODEL="fake-1")
env_case("all in .env.agent.secret", {".env.agent.secret": FULL})
env_case("the older names in the file", {".env.agent.secret": OLD})
env_case("no file, all in the environment", {}, dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1"))
env_case("no file, the older names in the environment", {},
         dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE="{BASE}", LLM_MODEL="fake-1"))
env_case("the environment beats the file", {".env.agent.secret": lines_of(
    LLM_API_KEY="sk-wrong-key-00112233", LLM_API_BASE_URL="http://127.0.0.1:9/v1", LLM_API_MODEL="wrong")},
    dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1"))
env_case("an older name in the environment beats the newer one in the file", {".env.agent.secret": lines_of(
    LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="http://127.0.0.1:9/v1", LLM_API_MODEL="wrong")},
    dict(LLM_API_BASE="{BASE}", LLM_MODEL="fake-1"))
env_case("of both names in one place the newer one counts", {".env.agent.secret": FULL + lines_of(
    LLM_API_BASE="http://127.0.0.1:9/v1", LLM_MODEL="wrong")})
env_case("of both names in the environment the newer one counts", {},
         dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1", LLM_API_BASE="http://127.0.0.1:9/v1",
              LLM_MODEL="wrong"))
env_case("which of the names was used is told with -v", {".env.agent.secret": OLD}, told=["LLM_API_BASE", "LLM_MODEL"])
env_case("half in the file, half in the environment", {".env.agent.secret": lines_of(LLM_API_KEY=MODEL_KEY)},
         dict(LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1"))
env_case("an empty variable of the environment counts as none", {".env.agent.secret": FULL}, dict(LLM_API_MODEL="", LLM_API_KEY=" "))
env_case("CRLF", {".env.agent.secret": FULL.replace("\n", "\r\n")})
env_case("a byte-order mark", {".env.agent.secret": b"\xef\xbb\xbf" + FULL.encode()})
env_case("no line end at the end", {".env.agent.secret": FULL.rstrip("\n")})
env_case("quotes, double and single", {".env.agent.secret": 'LLM_API_KEY="%s"\nLLM_API_BASE_URL=\'{BASE}\'\nLLM_API_MODEL="fake-1"'
                                       % MODEL_KEY})
env_case("export, blanks, comments, empty lines", {".env.agent.secret":
         "# the model\n\n  export LLM_API_KEY = %s  \nexport LLM_API_BASE_URL={BASE}\n   # more\nno line of ours\n\n"
         "\tLLM_API_MODEL\t=\tfake-1\t\n" % MODEL_KEY})
env_case("a value with = in it", {".env.agent.secret": FULL.replace(MODEL_KEY, "sk-a=b==canary-77"), }, key="sk-a=b==canary-77")
env_case("a file that is missing does not matter", {}, dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1",
                                                            LMS_API_KEY=API_KEY), flags=("--api-base", "http://127.0.0.1:9"))
for missing, names in (("LLM_API_KEY", ["LLM_API_KEY"]), ("LLM_API_BASE_URL", ["LLM_API_BASE_URL"]),
                       ("LLM_API_MODEL", ["LLM_API_MODEL"])):
    rest = "".join(x for x in FULL.splitlines(True) if not x.startswith(missing + "="))
    env_case("%s alone is missing in the file" % missing, {".env.agent.secret": rest}, code=1,
             told=names + [".env.agent.secret"])
    env_case("%s is a placeholder" % missing, {".env.agent.secret": rest + "%s=<put yours here>\n" % missing}, code=1, told=names)
    env_case("%s is empty" % missing, {".env.agent.secret": rest + "%s=\n" % missing}, code=1, told=names)
env_case("all are missing", {}, code=1, told=["LLM_API", ".env.agent.secret"])
env_case("LMS_API_KEY alone is missing", {".env.agent.secret": FULL}, code=1, told=["LMS_API_KEY", ".env.docker.secret"],
         flags=("--api-base", "http://127.0.0.1:9"))
env_case("LMS_API_KEY is a placeholder", {".env.agent.secret": FULL, ".env.docker.secret": "LMS_API_KEY=<key>\n"}, code=1,
         told="LMS_API_KEY", flags=("--api-base", "http://127.0.0.1:9"))


@case("5/16", "keys of the API: environment before file, ARGUS_API_KEY and LMS_API_KEY, each sent as it is")
def api_keys():
    for files, env in ((".env.docker.secret", {}), (".env", {}), (None, {"LMS_API_KEY": API_KEY}),
                       (None, {"ARGUS_API_KEY": API_KEY}), ("wrong", {"LMS_API_KEY": API_KEY})):
        with Rig(secrets=False) as rig:
            rig.put(".env.agent.secret", "LLM_API_KEY=%s\n" % MODEL_KEY)
            if files:
                rig.put(files if files[0] == "." else ".env.docker.secret", "LMS_API_KEY=%s\n"
                        % (API_KEY if files[0] == "." else "wrong-key-12345678"))
            api = rig.api()
            rig.env.update(env)
            r = rig.use(call("query_api", method="GET", path="/items/1"))
            same("status", r.calls[0]["status"], 200)
            same("header", api.requests()[0]["authorization_sha256"], sha256("Bearer " + API_KEY))


@case("5/16", "where the API is: flag, ARGUS_API_BASE_URL, AGENT_API_BASE_URL, default")
def api_bases():
    dead = "http://127.0.0.1:%d" % free_port()
    for flags, env in (([], {"AGENT_API_BASE_URL": "{API}"}), ([], {"ARGUS_API_BASE_URL": "{API}"}),
                       (["--api-base", "{API}"], {"AGENT_API_BASE_URL": dead, "ARGUS_API_BASE_URL": dead})):
        with Rig() as rig:
            api = rig.api()
            del rig.env["AGENT_API_BASE_URL"]
            fill = lambda s: s.replace("{API}", api.url)
            rig.env.update({k: fill(v) for k, v in env.items()})
            r = rig.use(call("query_api", method="GET", path="/items/1"), flags=[fill(f) for f in flags])
            same("status", r.calls[0]["status"], 200)
    with Rig() as rig:
        rig.api_ = "the default"
        r = rig.use(call("query_api", method="GET", path="/items/1"))
        has(r.calls[0]["result"], "localhost:42002")


# --- 17: an API that is away


@case("5/16", "argus.yaml: the group ask")
def yaml():
    with Rig() as rig:
        rig.put("argus.yaml", "ask:\n  ask_calls: 2\n  api: false\n  read_bytes: 2048\n")
        rig.put("wiki/long.md", "a line\n" * 1000)
        rig.model([call("read_file", path="wiki/long.md"), call("list_files", path="."), call("list_files", path="wiki")])
        r = rig.run("ask", "x").parse()
        same("calls", len(r.calls), 2)
        want(len(r.calls[0]["result"]) < 3000, len(r.calls[0]["result"]))
        want("query_api" not in [t["function"]["name"] for t in r.requests[0]["tools"]], "query_api is offered")


@case("5/17", "an API that is down, slow, or wants another key: the model is told, exit 0")
def api_away():
    with Rig() as rig:
        rig.env["AGENT_API_BASE_URL"] = "http://127.0.0.1:%d" % free_port()
        rig.api_ = "down"
        r = rig.use(call("query_api", method="GET", path="/items/"), end="The API is down.")
        has(r.calls[0]["result"], "refused")
        same("ok", r.calls[0]["ok"], False)
        has(r.tool_messages()[-1][1], "refused")
    with Rig() as rig:
        rig.api("--rows", "1", "--delay", "20000")
        r = rig.use(call("query_api", method="GET", path="/items/"), end="It is slow.", flags=("--deadline", "9"))
        want("time" in r.calls[0]["result"].lower() or "answer" in r.calls[0]["result"], r.calls[0]["result"])
        same("ok", r.calls[0]["ok"], False)
    with Rig() as rig:
        rig.api(key="another-key-11223344")
        r = rig.use(call("query_api", method="GET", path="/items/"), end="401.")
        same("status", r.calls[0]["status"], 401)
    with Rig() as rig:
        rig.env["AGENT_API_BASE_URL"] = "http://no-such-host.invalid"
        rig.api_ = "nowhere"
        r = rig.use(call("query_api", method="GET", path="/items/"), end="Nowhere.")
        has(r.calls[0]["result"], "no-such-host.invalid")


# --- 18: the table of section 4


@case("5/18", "every row of section 4 has a case")
def all_rows():
    text = read_bytes(os.path.join(TABLES, "security.txt")).decode() + read_bytes(os.path.join(HERE, "ask_security.py")).decode()
    have = {int(n) for n in re.findall(r"4\.[123]/(\d+)", text)}
    same("rows without a case", sorted(set(range(1, 58)) - have), [])


# --- 19: what is reported is what happened


@case("5/19", "hashes and texts of what was read and asked are true, in order")
def integrity():
    with Rig() as rig:
        api = rig.api()
        rig.put("wiki/many.md", "".join("line %d\n" % i for i in range(1, 9001)))
        rig.put("wiki/latin.md", b"caf\xe9 au lait\n# T\xeate\n")
        calls = [call("read_file", path="wiki/a.md"), call("query_api", method="GET", path="/items/1"),
                 call("read_file", path="wiki/many.md", offset=100, limit=50), call("read_file", path="wiki/many.md"),
                 call("query_api", method="GET", path="/learners/"), call("query_api", method="GET", path="/items/9999"),
                 call("read_file", path="wiki/missing.md"), call("outline", path="wiki/b.md"),
                 call("read_file", path="wiki/latin.md"),
                 call("query_api", method="POST", path="/items/", body='{"title":"t"}')]
        r = rig.use(*calls, end="Done.\nSource: wiki/a.md#merge-a-branch")
        for (tool, args), c in zip(calls, r.calls):
            same("call", (c["tool"], c["args"]), (tool, args))
            same("hash of the result", c["sha256"], sha256(c["result"]))
            if "file" in c:
                data = read_bytes(rig.file(c["file"]["path"]))
                same("hash of the file", c["file"]["sha256"], sha256(data))
        same("whole file", r.calls[0]["result"].encode(), read_bytes(rig.file("wiki/a.md")))
        c = r.calls[2]
        same("lines", (c["file"]["first_line"], c["file"]["last_line"], c["file"]["lines"]), (100, 149, 9000))
        want(c["result"].startswith("".join("line %d\n" % i for i in range(100, 150))), c["result"][:100])
        c = r.calls[3]
        shown = "".join("line %d\n" % i for i in range(1, c["file"]["last_line"] + 1))
        want(c["file"]["last_line"] > 3000 and c["result"].startswith(shown + "["), c["file"])
        want("file" not in r.calls[6] and not r.calls[6]["ok"], r.calls[6])
        asked = api.requests()
        same("requests and the API's log", [c["request"] for c in r.calls if c["tool"] == "query_api"],
             ["%s %s" % (x["method"], x["target"]) for x in asked])
        same("statuses", [json.loads(c["result"])["status_code"] for c in r.calls if c["tool"] == "query_api"],
             [200, 200, 404, 201])
        same("bytes and the API's log", json.loads(r.calls[4]["result"])["bytes"] > 20000, True)
        cited = r.answer["citations"][0]
        same("citation", (cited["sha256"], cited["line"]), (sha256(read_bytes(rig.file("wiki/a.md"))), 5))


# --- 20, 21: judged


@case("5/20", "our judge agrees with the evaluator's table of at least 60 pairs")
def judge():
    p = subprocess.run([sys.executable, os.path.join(HERE, "ask_rules.py")], capture_output=True, text=True)
    same("exit code", p.returncode, 0)
    good = sum(x.startswith("ok") for x in p.stdout.splitlines())
    with open(os.path.join(TABLES, "eval_rules.json"), encoding="utf-8") as f:
        pairs = json.load(f)
    want(len(pairs) >= 60 and good, len(pairs), p.stdout[:500])
    sound = [x for x in pairs if isinstance(x.get("holds"), bool)]
    want(len(sound) >= 50, len(sound))
    wrong = [x for x in sound if "rule" in x and ask_rules.holds(x["rule"], x["text"]) != x["holds"]]
    same("pairs judged otherwise", wrong, [])


@case("5/21", "15 of 15 questions about the example, with exact sources, by policy")
def benchmark():
    with open(os.path.join(TABLES, "questions.json"), encoding="utf-8") as f:
        questions = json.load(f)
    same("questions", len(questions), 15)
    bad = []
    with wiki_rig() as rig:
        harbor(rig)
        m = policy(rig)
        for q in questions:
            m.mark()
            try:
                r = rig.ask(q["question"], verbose=False)
                used = [c["tool"] for c in r.calls]
                want(len(used) <= 10, "%d calls" % len(used))
                want(ask_rules.holds(q["answer"], r.answer["answer"]), "answer:", r.answer["answer"])
                want(ask_rules.holds(q["source"], r.answer["source"]), "source:", r.answer["source"])
                want(set(q["tools"]) <= set(used), "tools:", used)
                for path in q.get("reads", []):
                    want(any(path in c["args"].get("path", "") and c["ok"] for c in r.calls if c["tool"] == "read_file"),
                         path, "was not read")
                r.check_told()
            except Wrong as e:
                bad.append("%s: %s" % (q["id"], e))
    want(not bad, "%d of %d:\n%s" % (len(bad), len(questions), "\n".join(bad)))


@case("5/21", "questions made of headings: at least 95 % have the exact source, by policy")
def sections():
    rows = [line.split("\t") for line in table("wiki_headings.cases")]
    titles = [t for _, _, _, t in rows]
    # A heading that stands once, has a text of its own and says something.
    rows = [(p, a, t) for p, _, a, t in rows if titles.count(t) == 1 and len(re.findall(r"\w{3,}", t)) >= 3]
    if not os.environ.get("ARGUS_LONG"):
        rows = rows[::6 if SLOW == 1 else 30]
    wrong = []
    with wiki_rig() as rig:
        m = policy(rig)
        for path, anchor, title in rows:
            m.mark()
            r = rig.ask('What does the wiki say about "%s"?' % title, "--no-api", verbose=False)
            if r.answer["source"] != "%s#%s" % (path, anchor):
                wrong.append("%s: %s, want %s#%s" % (title, r.answer["source"], path, anchor))
    want(len(wrong) <= 0.05 * len(rows), "%d of %d have another source:\n%s" % (len(wrong), len(rows), "\n".join(wrong)))


# --- 22-25: where it runs


@case("5/22", "standard input that never ends is not waited for")
def open_stdin():
    with Rig() as rig:
        rig.model("Yes.")
        read, write = os.pipe()
        begin = time.monotonic()
        r = rig.ask("x", stdin=read, timeout=20)
        took = time.monotonic() - begin
        os.close(read), os.close(write)
        want(took < 5 * SLOW, "it took %.1f s" % took)
        same("answer", r.answer["answer"], "Yes.")
        r = rig.run("ask", "--offline", "merge a branch", stdin=subprocess.PIPE)
        same("offline", json.loads(r.out)["mode"], "offline")


@case("5/23", "standard output closed, full, or a pipe that nobody reads: a failure, no half answer")
def bad_stdout():
    with Rig() as rig:
        rig.put("wiki/big.md", "words " * 5000)
        for end in ("Yes.", "Y" * 300000):
            rig.model(raw=turn(call("read_file", path="wiki/big.md"), head="repeat when not \"tool_call_id\"") +
                      "otherwise\n  text %s\n" % end)
            with open("/dev/full", "wb") as full:
                r = rig.run("ask", "x", "--no-api", "-v", code=1, stdout=full)
            has(r.err, "output", "stderr")
            r = rig.run("ask", "x", "--no-api", "-v", code=1, stdout=None, preexec_fn=lambda: os.close(1))
            want(r.err.strip(), "nothing is said")
            read, write = os.pipe()
            os.close(read)
            p = rig.start("ask", "x", "--no-api", "-v", stdout=write)
            os.close(write)
            err = p.communicate(timeout=60)[1]
            rig.said.append(err)
            want(p.returncode not in (0, -signal.SIGPIPE), "exit code", p.returncode)
        rig.run("ask", "--offline", "merge a branch", code=1, stdout=open("/dev/full", "wb"))
        # A standard error that is closed or full hurts nobody.
        p = rig.start("ask", "x", "--no-api", "-vv")
        p.stderr.close()
        out = p.stdout.read()
        p.wait(60)
        same("with stderr closed", (p.returncode, json.loads(out)["answer"][:1]), (0, "Y"))


MS_RDONLY, MS_REMOUNT, MS_BIND, CLONE_NEWNS, CLONE_NEWUSER = 1, 32, 4096, 0x20000, 0x10000000


@case("5/24", "a file system that cannot be written: the same answer, nothing kept, told")
def read_only_fs():
    libc = ctypes.CDLL(None, use_errno=True)
    with Rig() as rig:
        rig.model([call("read_file", path="wiki/a.md")], end="It is A.\nSource: wiki/a.md#merge-a-branch")
        del rig.env["ARGUS_STORE"]
        flags = ["--no-api", "-vv"]
        if os.geteuid() == 0:
            # In a name space of the child's own: the whole project and home become read-only.
            def locked():
                for call_, args in (("unshare", (CLONE_NEWNS,)), ("mount", (b"none", b"/", None, 0x44000, None)),
                                    ("mount", (rig.tmp.encode(), rig.tmp.encode(), None, MS_BIND, None)),
                                    ("mount", (None, rig.tmp.encode(), None, MS_BIND | MS_REMOUNT | MS_RDONLY, None))):
                    if getattr(libc, call_)(*args):
                        os._exit(77)
                os.chdir(rig.root)
                try:
                    open("x", "w")
                    os._exit(78)
                except OSError:
                    pass
            p = rig.start("ask", "Where?", *flags, preexec_fn=locked)
            r = None
            try:
                r = rig.finish(p)
            except Wrong:
                if p.returncode in (77, 78):
                    raise Skip("no name space with a read-only mount can be made here")
                raise
        else:
            for folder in (rig.root, rig.path("home"), rig.path("tmp"), rig.path("store")):
                os.chmod(folder, 0o555)
            r = rig.run("ask", "Where?", *flags)
        r.parse()
        same("answer", (r.answer["answer"], r.answer["source"]), ("It is A.", "wiki/a.md#merge-a-branch"))
        has(r.err, "kept in memory", "stderr")


@case("5/24", "a store on a full disk: the same answer")
def full_disk():
    with Rig() as rig:
        os.symlink("/dev/full", rig.path("store", "full.db"))
        rig.model([call("read_file", path="wiki/a.md")], end="It is A.")
        # A store that was asked for is wanted: then it is an error.
        r = rig.ask("x", "--store", rig.path("store", "full.db"), code=1)
        has(r.err, "full.db")


@case("5/24", "no home, no state folder: the answer comes, the store is in memory")
def no_home():
    with Rig() as rig:
        rig.model(end="Yes.")
        r = rig.ask("x", env={"HOME": None, "XDG_STATE_HOME": None, "ARGUS_STORE": None})
        same("answer", r.answer["answer"], "Yes.")
        r = rig.ask("x", env={"HOME": "/nonexistent", "XDG_STATE_HOME": None, "ARGUS_STORE": None})
        same("answer", r.answer["answer"], "Yes.")
        r = rig.ask("x", env={"PATH": None, "HOME": None, "XDG_STATE_HOME": None, "TMPDIR": None, "LC_ALL": None})
        same("answer", r.answer["answer"], "Yes.")


@case("5/24", "a path with blanks and other scripts, no git: the same answer")
def odd_places():
    answers = []
    for place in ("plain", "with blanks in it", "żółć Проект 日本", "quote'\"$HOME`x", "-dash", "new\nline"):
        with Rig(files=None, secrets=False) as rig:
            folder = os.path.join(rig.tmp, place)
            os.makedirs(os.path.join(folder, "wiki"))
            shutil.rmtree(rig.root, ignore_errors=True)
            for name, text in (("README.md", "# X\n"), ("wiki/a.md", FILES["wiki/a.md"])):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(text)
            rig.root = folder
            rig.put(".env.agent.secret", "LLM_API_KEY=%s\n" % MODEL_KEY)
            r = rig.use(call("read_file", path="wiki/a.md"), call("search_files", query="green button"),
                        end="It is A.\nSource: wiki/a.md#merge-a-branch")
            same("root", r.answer["root"], folder)
            answers.append((r.answer["answer"], r.answer["source"], r.results))
            # The same from elsewhere.
            r = rig.use(call("read_file", path="wiki/a.md"), call("search_files", query="green button"), cwd="/",
                        flags=("--root", folder), end="It is A.\nSource: wiki/a.md#merge-a-branch")
            answers.append((r.answer["answer"], r.answer["source"], r.results))
    for a in answers[1:]:
        same("answer", a, answers[0])


@case("5/24", "from a folder below, the project is found; --root wins")
def below():
    with Rig() as rig:
        r = rig.use(call("read_file", path="wiki/a.md"), cwd=rig.file("backend/app"))
        same("root", r.answer["root"], rig.root)
        has(r.calls[0]["result"], "alpha-7731")
        rig.env["LLM_API_KEY"] = MODEL_KEY
        r = rig.use(call("read_file", path="a.md"), flags=("--root", "wiki"))
        same("root", r.answer["root"], rig.file("wiki"))
        has(r.calls[0]["result"], "alpha-7731")
        for bad in ("missing", "README.md", ""):
            r = rig.ask("x", "--root", bad, code=None)
            want(r.code == 1 or bad == "", bad, r.code)


@case("5/25", "200 questions in a row: no files left behind, the store holds them all")
def many():
    n = 200 if SLOW == 1 else 40
    with Rig() as rig:
        m = rig.model(raw=turn(call("read_file", path="wiki/a.md"), call("search_files", query="green"),
                               call("query_api", method="GET", path="/items/1"),
                               head="repeat when not \"tool_call_id\"") + "otherwise\n  text Yes.\n", tap=False)
        rig.api()
        env, bad, lock, todo = rig.environ(), [], threading.Lock(), list(range(n))

        def work():
            while True:
                with lock:
                    if not todo:
                        return
                    i = todo.pop()
                p = subprocess.run([ARGUS, "ask", "Question %d" % i], cwd=rig.root, env=env, stdin=subprocess.DEVNULL,
                    capture_output=True)
                with lock:
                    rig.said += [p.stdout, p.stderr]
                    try:
                        d = json.loads(p.stdout)
                        if p.returncode or d["answer"] != "Yes." or len(d["tool_calls"]) != 3 or p.stderr:
                            bad.append((p.returncode, p.stdout[:300], p.stderr[:300]))
                    except ValueError:
                        bad.append((p.returncode, p.stdout[:300], p.stderr[:300]))
        threads = [threading.Thread(target=work) for _ in range(3)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        want(not bad, "%d of %d failed: %s" % (len(bad), n, bad[:3]))
        same("requests", len(m.requests()), 2 * n)
        same("left in TMPDIR", os.listdir(rig.path("tmp")), [])
        same("left beside the store", sorted(x for x in os.listdir(rig.path("store")) if not x.startswith("argus.db")), [])
        same("left in the home", [x for x in os.listdir(rig.path("home"))], [])
        same("in the project", sorted(os.listdir(rig.root)), sorted({n.split("/")[0] for n in FILES} |
                                                                     {".env.agent.secret", ".env.docker.secret"}))
        runs = json.loads(rig.run("runs", "-n", "1000", "-o", "json").out)["runs"]
        same("runs", len(runs), n)


@case("5/25", "descriptors and memory of one process do not grow with the number of calls")
def descriptors():
    """100 calls, files and API, in one process: as many descriptors before the last reply as before the third"""
    with Rig() as rig:
        rig.api()
        calls = []
        for i in range(24):
            calls += [call("read_file", path="wiki/a.md", limit=i + 1), call("query_api", method="GET", path="/items/%d" % (i + 1)),
                      call("search_files", query="green button %d" % i), call("list_files", path="wiki" + "/" * i)]
        seen = []
        rig.model(calls[:4], turn(call("outline", path="wiki/a.md"), words=("wait 400",)), calls[4:50], calls[50:],
                  turn("Done.", words=("wait 400",)))
        p = rig.start("ask", "x", "--budget", "100")
        for n in (2, 5):
            until = time.monotonic() + 30 * SLOW
            while len(rig.model_.requests()) < n and p.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            time.sleep(0.05)
            fds = [os.readlink("/proc/%d/fd/%s" % (p.pid, x)) for x in os.listdir("/proc/%d/fd" % p.pid)]
            with open("/proc/%d/statm" % p.pid) as f:
                seen.append((len(fds), int(f.read().split()[1]) * resource.getpagesize() >> 20, fds))
        r = rig.finish(p)
        same("exit code", r.code, 0)
        want(seen[1][0] <= seen[0][0], "%d descriptors, then %d: %s" % (seen[0][0], seen[1][0], seen[1][2]))
        want(seen[1][1] - seen[0][1] < 8 * SLOW, "%d MB, then %d" % (seen[0][1], seen[1][1]))


# --- what users do besides


@case("ask/words", "words are joined; --, dashes, long and broken questions")
def questions():
    with Rig() as rig:
        rig.model()
        for args, wanted in ((["How", "do I", "merge?"], "How do I merge?"), (["--", "-v is what?"], "-v is what?"),
                             (["--", "--no-api", "what"], "--no-api what"), (["What is", "--", "-x"], "What is -x"), (["-v is what?"], "-v is what?"),
                             (["żółć 日本 😀"], "żółć 日本 😀"), (["a\nb\tc"], "a\nb\tc"), (["q" * 30000], "q" * 30000)):
            r = rig.run("ask", "--no-api", *args)
            d = json.loads(r.out)
            same("question", r.requests[-1]["messages"][-1]["content"], wanted)
            same("question", d["question"], wanted)
        for args, told in ((["q" * 40960], "32768"), ([b"bad \xff\xfe bytes"], "UTF-8"),
                           (["--unknown", "x"], "--unknown"), (["x", "--budget", "0"], "budget"),
                           (["x", "--budget", "many"], "budget"), (["x", "--deadline", "0"], "deadline"),
                           (["x", "--format", "xml"], "format"), (["x", "--record", "a", "--replay", "b"], "replay"),
                           (["x", "--model"], "model")):
            n = len(rig.model_.requests())
            p = subprocess.run([ARGUS.encode(), b"ask"] +
                               [a if isinstance(a, bytes) else a.encode() for a in args], cwd=rig.root, env=rig.environ(),
                               stdin=subprocess.DEVNULL, capture_output=True)
            same("exit code of %.60r" % (args,), (p.returncode, p.stdout), (1, b""))
            has(p.stderr.decode("utf-8", "replace"), told, "stderr")
            same("requests", len(rig.model_.requests()), n)
        r = rig.run("ask", "--help")
        has(r.out, "--read-only")


@case("ask/no-api", "--no-api offers no query_api and needs no key; a call of it all the same is an error")
def no_api():
    with Rig() as rig:
        os.remove(rig.file(".env.docker.secret"))
        r = rig.use(call("query_api", method="GET", path="/items/"), flags=("--no-api",))
        names = [t["function"]["name"] for t in r.requests[0]["tools"]]
        want("query_api" not in names and "read_file" in names, names)
        want("query_api" not in r.requests[0]["messages"][0]["content"], "the prompt tells of query_api")
        want(r.calls[0]["result"].startswith("Error"), r.calls[0])


@case("ask/offline", "--offline needs no model, no key, no network; the source is true")
def offline():
    with Rig(secrets=False) as rig:
        other = rig.listener()
        r = rig.run("ask", "--offline", "How do I protect a branch?", "-vv",
                    env={"LLM_API_BASE_URL": "http://127.0.0.1:%d/v1" % other.port,
                         "AGENT_API_BASE_URL": "http://127.0.0.1:%d" % other.port}).parse()
        same("source", (r.answer["source"], r.answer["mode"], r.calls), ("wiki/b.md#protect-a-branch", "offline", []))
        same("nothing was asked", other.came, [])
        r = rig.run("ask", "--offline", "--format", "text", "How do I protect a branch?")
        has(r.out, "(#protect-a-branch)")
        r = rig.run("ask", "--offline", "zyxwv qqqqq").parse()
        same("nothing found", (r.answer["source"], r.answer["status"]), ("", "partial"))
        # No secret is found by its words.
        with Rig() as other_rig:
            for q in ("canary Postgres password", "LLM_API_KEY LMS_API_KEY", "BEGIN RSA PRIVATE KEY", "machine login password"):
                other_rig.run("ask", "--offline", q, "-vv")


@case("ask/formats", "text and Markdown for people")
def formats():
    with Rig() as rig:
        for form in ("text", "markdown"):
            rig.model([call("read_file", path="wiki/a.md")], end="It is **A**.\n\nSource: wiki/a.md#merge-a-branch")
            r = rig.run("ask", "x", "--no-api", "--format", form)
            has(r.out, "It is **A**.")
            has(r.out, "wiki/a.md")
            has(r.out, "merge-a-branch")
            want(not r.out.startswith("{"), r.out)


@case("ask/sandbox", "required, auto and off give the same answer; -vv says what holds")
def sandbox():
    got = {}
    for mode in ("required", "auto", "off"):
        with Rig() as rig:
            rig.api()
            r = rig.use(call("read_file", path="wiki/a.md"), call("query_api", method="GET", path="/items/1"),
                        call("search_files", query="green"), env={"ARGUS_SANDBOX": mode}, question="x",
                        end="A.\nSource: wiki/a.md")
            got[mode] = (r.answer["answer"], r.answer["source"], r.results)
            if mode == "off":
                want("landlock" not in r.err, r.err)
            else:
                has(r.err, "landlock", "the log")
                want(re.search(r"files limited, ports \w+; seccomp on", r.err), r.err)
            r = rig.use(call("read_file", path="wiki/a.md"), flags=("--set", "sandbox=" + mode))
            has(r.calls[0]["result"], "alpha-7731")
            if mode != "off":
                r = rig.run("ask", "--offline", "merge a branch", "-vv", env={"ARGUS_SANDBOX": mode})
                has(r.err, "landlock")
    same("answers", (got["auto"], got["off"]), (got["required"], got["required"]))


@case("ask/ctrl-c", "Ctrl-C: 130 at once, nothing on stdout, the run is kept as cancelled")
def ctrl_c():
    for turns, n, why in (([turn("x", words=("hang",))], 1, "the first reply"),
                          ([[call("read_file", path="wiki/a.md")], turn("x", words=("hang",))], 2, "the second reply"),
                          ([[call("query_api", method="GET", path="/hostile/hang")]], 1, "the API"),
                          ([turn("x", words=("status 429", "header Retry-After: 30", "error wait"))], 1, "a retry")):
        with Rig() as rig:
            rig.model(*turns)
            api = rig.api()
            p = rig.start("ask", "x")
            until = time.monotonic() + 20 * SLOW
            while time.monotonic() < until and p.poll() is None and (
                    len(rig.model_.requests()) < n or (why == "the API" and not api.requests())):
                time.sleep(0.01)
            time.sleep(0.1)
            begin = time.monotonic()
            p.send_signal(signal.SIGINT)
            r = rig.finish(p, 20)
            same("waiting for %s: exit code, stdout" % why, (r.code, r.out), (130, ""))
            want(time.monotonic() - begin < 1.5 * SLOW, "it took long")
            runs = json.loads(rig.run("runs", "-o", "json").out)["runs"]
            same("status", [x["status"] for x in runs], ["cancelled"])


@case("ask/descriptors", "standard input, output or error closed from the start: no byte goes where it does not belong")
def closed_from_the_start():
    for closed in ((0,), (2,), (0, 2), (1,), (0, 1), (0, 1, 2), (1, 2)):
        with Rig() as rig:
            api = rig.api()
            rig.model([call("read_file", path="wiki/a.md"), call("query_api", method="GET", path="/items/1")],
                      [call("search_files", query="green"), call("list_files", path=".")], end="It is A.\nSource: wiki/a.md")
            out = os.open(rig.path("home", "out"), os.O_RDWR | os.O_CREAT, 0o600)

            def prepare():
                for fd in closed:
                    os.close(fd)

            p = rig.start("ask", "x", "-vv", stdout=out, preexec_fn=prepare)
            os.close(out)
            r = rig.finish(p)
            text = read_bytes(rig.path("home", "out"))
            if 1 in closed:
                same("with %s closed: exit code, output" % (closed,), (r.code, text), (1, b""))
            else:
                same("with %s closed: exit code" % (closed,), r.code, 0)
                same("answer", json.loads(text)["answer"], "It is A.")
            same("requests of the model", len(rig.model_.requests()), 3)
            same("requests of the API", [x["target"] for x in api.requests()], ["/items/1"])
            for data in [rig.model_.tap.bytes()] + [read_bytes(rig.path("store", n)) for n in os.listdir(rig.path("store"))]:
                want(b'"event":"sandbox"' not in data, "a line of the log in a connection or the store")
            runs = json.loads(rig.run("runs", "-o", "json").out)["runs"]
            same("runs", len(runs), 1)


@case("ask/killed", "kill -9 while the model is silent: the store is whole, the next question works")
def killed():
    with Rig() as rig:
        rig.model([call("read_file", path="wiki/a.md")], turn("x", words=("hang",)))
        p = rig.start("ask", "x", "--no-api")
        until = time.monotonic() + 20 * SLOW
        while len(rig.model_.requests()) < 2 and p.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        p.kill()
        p.communicate()
        r = rig.use(call("read_file", path="wiki/b.md"), end="B.")
        same("answer", r.answer["answer"], "B.")
        rig.run("runs")


def answered(rig, end="Click the green button.\n\nSource: wiki/a.md#merge-a-branch"):
    return rig.use(call("read_file", path="wiki/a.md"), call("read_file", path="wiki/b.md"), end=end)


@case("ask/runs", "argus runs and argus show know the question")
def shown():
    with Rig() as rig:
        r = answered(rig)
        out = rig.run("runs").out
        has(out, "Where is it?", "argus runs")
        runs = json.loads(rig.run("runs", "-o", "json").out)["runs"]
        same("runs", (len(runs), runs[0]["id"]), (1, r.answer["run"]))
        has(rig.run("show", "last").out, "green button", "argus show")
        same("show as JSON", json.loads(rig.run("show", "last", "-o", "json").out), r.answer)
        same("by its id", json.loads(rig.run("show", r.answer["run"], "-o", "json").out)["run"], r.answer["run"])


@case("ask/verify", "argus verify: of the last run, of a file, after changes")
def verify():
    with Rig() as rig:
        r = answered(rig)
        path = rig.path("home", "answer.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(r.out)
        for what in ("last", r.answer["run"], path):
            out = rig.run("verify", what).out
            has(out, "confirmed", "verify " + what)
        d = json.loads(rig.run("verify", path, "-o", "json").out)
        want("false" not in [x.get("result") for x in d.get("items", [])], d)
        # The cited file changes elsewhere, at the heading, and goes.
        text = FILES["wiki/a.md"]
        rig.put("wiki/a.md", text + "\nMore.\n")
        has(rig.run("verify", path, code=1).out, "changed")
        rig.put("wiki/a.md", text.replace("## Merge a branch", "## Something else"))
        rig.run("verify", path, code=1)
        os.remove(rig.file("wiki/a.md"))
        has(rig.run("verify", path, code=1).out, "gone")
        rig.run("verify", "last", code=1)
        rig.put("wiki/a.md", text)
        rig.run("verify", path)
        # Somebody edits the answer.
        for change in (lambda a: a["tool_calls"][0].update(result="another text"),
                       lambda a: a.update(source="wiki/b.md#protect-nothing"),
                       lambda a: a["citations"][0].update(quote="nobody wrote this sentence")):
            a = json.loads(r.out)
            change(a)
            with open(path, "w", encoding="utf-8") as f:
                json.dump(a, f)
            rig.run("verify", path, code=1)
        p = rig.start("verify", "-", stdin=subprocess.PIPE)
        out, err = p.communicate(r.out_bytes)
        rig.said += [out, err]
        same("verify -", p.returncode, 0)


@case("ask/verify", "argus verify of an answer with API calls and of an offline one")
def verify_more():
    with Rig() as rig:
        rig.api()
        rig.use(call("query_api", method="GET", path="/items/1"), end="One.\nSource: API endpoint GET /items/1")
        out = rig.run("verify", "last").out
        has(out, "not checkable")
        rig.run("ask", "--offline", "How do I protect a branch?")
        rig.run("verify", "last")


@case("ask/record", "--record, then --replay without a server: the same answer; no key in the file")
def record():
    with Rig() as rig:
        rig.model([call("read_file", path="wiki/a.md")], end="A.\nSource: wiki/a.md")
        r = rig.ask("x", "--record", rig.path("home", "x.rec"))
        rig.model_.stop()
        rig.env["LLM_API_BASE_URL"] = rig.model_.base
        again = rig.run("ask", "x", "--no-api", "--replay", rig.path("home", "x.rec")).parse()
        for name in ("answer", "source", "tool_calls", "citations", "status"):
            same(name, again.answer[name], r.answer[name])
        # A recording that cannot be written is a failure, and a failure prints nothing.
        rig.model([call("read_file", path="wiki/a.md")], end="A.")
        for bad in ("/dev/full", rig.path("home", "missing", "x.rec"), rig.root):
            r = rig.ask("x", "--record", bad, code=1)
        r = rig.run("ask", "another question", "--no-api", "--replay", rig.path("home", "x.rec"), code=1)
        same("stdout", r.out, "")


@case("ask/repeat", "a call that is made again is answered from before, the third time with a word")
def repeat():
    with Rig() as rig:
        rig.model(*[[call("read_file", path="wiki/a.md")]] * 4, end="A.")
        r = rig.ask("x")
        same("second", r.calls[1]["result"], r.calls[0]["result"])
        for c in r.calls[2:]:
            has(c["result"], "already have this")
        same("answer", (r.answer["answer"], r.answer["status"]), ("A.", "ok"))


if __name__ == "__main__":
    run_cases(sys.argv[1:])
