"""Section 5 of the reference: acceptance scenarios 1 to 13 and 17 to 21 of `argus ask`, on the real program; 14 and 15 are in
ask_failures.py, 16 and 22 to 25 in ask_users.py.
"""
import glob
import json
import os
import re
import subprocess
import sys

import ask_rules
import ask_failures  # noqa: F401 its cases
from ask_want import API_KEY, ARGUS, HERE, MODEL_KEY, ROOT, SLOW, Wrong, free_port, has, read_bytes, same, sha256, want
from ask_servers import WIKI, body_turn, call, harbor, policy, turn
from ask_rig import CASES, Rig, case, run_cases

TABLES = os.path.join(ROOT, "tests", "cases", "ask")
REQUIRED = ["read_file", "list_files", "query_api"]


def wiki_rig():
    return Rig(files=None, copy_of=WIKI)


def table(name):
    with open(os.path.join(TABLES, name), encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]

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
        same("it asks for a stream", q.get("stream"), True)
        same("stderr without -v", r.err, "")
        log = rig.model_.lines()[0]
        same("where", (log["method"], log["path"]), ("POST", "/v1/chat/completions"))
        same("keys on the wire", rig.model_.tap.bytes().lower().count(b"\r\nauthorization: bearer %s\r\n" % MODEL_KEY.lower().encode()), 1)


AGENT = os.path.join(ROOT, "examples", "agent.py")


@case("agent.py", "examples/agent.py is two lines, and `python agent.py QUESTION` answers as graders expect")
def agent_py():
    with Rig() as rig:
        lines = read_bytes(AGENT).decode().splitlines()
        same("lines of code", len([x for x in lines if x.strip() and not x.startswith("#")]), 2)
        rig.put("agent.py", read_bytes(AGENT))
        rig.api()
        rig.put("bin/README", "")
        os.symlink(ARGUS, rig.file("bin/argus"))
        in_path = {"PATH": rig.file("bin") + ":" + os.environ["PATH"]}
        for env in ({"ARGUS": ARGUS, "PATH": os.environ["PATH"]}, in_path):
            def run(*args):
                return subprocess.run([sys.executable, "agent.py"] + list(args), cwd=rig.root, env=rig.environ(env),
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True)
            rig.model([call("read_file", path="wiki/a.md"), call("query_api", method="GET", path="/items/")],
                      end="It is 42.\nSource: wiki/a.md#merge-a-branch")
            r = run("What is it?")
            answer = json.loads(r.stdout)
            same("exit code", r.returncode, 0)
            same("answer", (answer["answer"], answer["source"]), ("It is 42.", "wiki/a.md#merge-a-branch"))
            same("calls", [c["tool"] for c in answer["tool_calls"]], ["read_file", "query_api"])
            want(all(isinstance(c["args"], dict) and isinstance(c["result"], str) for c in answer["tool_calls"]), answer)
            rig.model("Dashes.")
            same("a question with a dash", json.loads(run("--offline is what?").stdout)["question"], "--offline is what?")
            for args in ([], [""]):
                r = run(*args)
                same("no question", (r.returncode, r.stdout), (1, ""))
                has(r.stderr, "QUESTION", "stderr")


@case("tools/list_files", "a folder that was listed is the source; verify lists it again")
def folder_source():
    with Rig() as rig:
        rig.model([call("list_files", path="wiki/")], end="It has a.md and b.md.\nSource: wiki/")
        r = rig.ask("Which files are in the wiki?")
        same("source", (r.answer["source"], r.answer["citations"]), ("wiki", []))
        same("folder", r.calls[0]["folder"], "wiki")
        rig.put("answer.json", r.out)
        v = rig.run("verify", rig.file("answer.json"), code=0)
        has(v.out, "the folder has the same names")
        rig.put("wiki/new.md", "# New\n")
        has(rig.run("verify", rig.file("answer.json"), code=None).out, "the folder has other names now")


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


odd_reply("content null, and no calls", body_turn({"role": "assistant", "content": None}, finish="stop"))
odd_reply("no content, no tool_calls", body_turn({"role": "assistant"}, finish="stop"))
odd_reply("nothing, twice", *2 * [body_turn({"role": "assistant", "content": ""}, finish="stop")], answer="",
          status="partial")
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

# --- 17: an API that is away


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
    paths = [os.path.join(TABLES, "security.txt")] + glob.glob(os.path.join(HERE, "ask_security*.py"))
    text = "".join(read_bytes(p).decode() for p in paths)
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
        r = rig.use(*calls, end="Done.\nSource: wiki/a.md#merge-a-branch", flags=("--api-methods", "POST"))
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


if __name__ == "__main__":
    run_cases(sys.argv[1:])
