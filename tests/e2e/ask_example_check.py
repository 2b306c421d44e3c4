"""Checks of examples/wiki and of tests/fake/policy_model.py; run by ask_example.sh."""
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.environ["SOURCE_ROOT"]
WIKI = os.path.join(ROOT, "examples", "wiki")
CASES = os.path.join(ROOT, "tests", "cases", "ask")
FAKE = os.path.join(ROOT, "tests", "fake")
sys.path.insert(0, FAKE)
import policy_text  # noqa: E402

KEY = "key-of-a-test"
QUESTION = "How do I water the ficus?"
bad = 0


def case(name, wrong=""):
    global bad
    print("%s - %s" % ("not ok" if wrong else "ok", name))
    if wrong:
        bad = 1
        print("  %s" % str(wrong)[:2000])


def same(name, got, wanted):
    case(name, "" if got == wanted else "got %r, want %r" % (got, wanted))


class Server:
    def __init__(self, command, cwd=None, **env):
        self.p = subprocess.Popen(command, cwd=cwd, env=dict(os.environ, **env), stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.p.stdout.readline().split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.p.terminate()
        self.p.wait(20)
        self.p.stdout.close()

    def call(self, method, path, body=None, key=KEY):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"Authorization": "Bearer " + key} if key else {})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


# --- the API does what the wiki and the questions say ---

def check_api():
    p = subprocess.run([sys.executable, "-m", "unittest", "discover", "-s", "backend/tests", "-t", "backend"], cwd=WIKI,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    case("the example's own tests pass", p.stdout if p.returncode else "")
    with Server([sys.executable, "-m", "app"], os.path.join(WIKI, "backend"), LMS_API_KEY=KEY, APP_PORT="0") as s:
        for path, key, wanted in [
                ("/items/", None, 401), ("/items/", "other", 401), ("/items/", KEY, 200), ("/items", KEY, 307),
                ("/items/3", KEY, 200), ("/items/999", KEY, 404), ("/health", None, 200), ("/openapi.json", None, 200),
                ("/analytics/scores?lab=lab-99", KEY, 200), ("/analytics/scores?lab=lab-08", KEY, 200),
                ("/analytics/scores", KEY, 422), ("/analytics/scores?lab=lab-77", KEY, 404), ("/nothing", KEY, 404)]:
            same("GET %s %s" % (path, "with the key" if key == KEY else "without"), s.call("GET", path, key=key)[0], wanted)
        same("DELETE is not allowed", s.call("DELETE", "/items/")[0], 405)
        same("items", len(json.loads(s.call("GET", "/items/")[2])), 44)
        learners = s.call("GET", "/learners/")[2]
        same("learners", len(json.loads(learners)), 257)
        case("learners are about 25 KB", "" if 24000 < len(learners) < 26000 else len(learners))
        for name, path, kind in [("rate", "completion-rate?lab=lab-99", "ZeroDivisionError"),
                                 ("top", "top-learners?lab=lab-08", "TypeError")]:
            status, _, body = s.call("GET", "/analytics/" + path)
            body = json.loads(body)
            same("planted bug: " + name, (status, body.get("type")), (500, kind))
            where = re.fullmatch(r"(.*):(\d+) in (\w+)", body["traceback"][-1])
            line = read(os.path.join(WIKI, "backend", where[1])).split("\n")[int(where[2]) - 1]
            case("planted bug: %s is where it says" % name, "" if "analytics.py" in where[1] and re.search(r"/|sort", line) else line)
        broken = [lab for lab in range(1, 13) for path in ("completion-rate", "top-learners", "scores")
                  if s.call("GET", "/analytics/%s?lab=lab-%02d" % (path, lab))[0] != 200]
        same("other labs have answers", broken, [8])
        s.call("POST", "/pipeline/sync")
        again = json.loads(s.call("POST", "/pipeline/sync")[2])
        same("a second sync adds nothing", (again["new"], again["updated"], again["skipped"]), (0, 73, 2))


# --- the wiki ---

def rows(name):
    for line in read(os.path.join(CASES, name)).splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def check_wiki():
    pages, wanted = {}, {}
    for name in sorted(os.listdir(os.path.join(WIKI, "wiki"))):
        text = read(os.path.join(WIKI, "wiki", name))
        pages["wiki/" + name] = policy_text.headings(
            enumerate(re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.S).split("\n"), 1))
    for path, line, anchor, title in rows("wiki_headings.cases"):
        wanted.setdefault(path, []).append((int(line), anchor, title))
    for path in sorted(set(pages) | set(wanted)):
        got = [(h.line, h.anchor, h.title) for h in pages.get(path, ())]
        differ = sorted(set(got) ^ set(wanted.get(path, ())))
        case("headings of %s" % path, differ)
    anchors = {p: {a for _, a, _ in hs} for p, hs in wanted.items()}
    broken = []
    for path in pages:
        text = re.sub(r"^(```|~~~).*?^\1", lambda m: "\n" * m[0].count("\n"), read(os.path.join(WIKI, path)), flags=re.S | re.M)
        for n, line in enumerate(text.split("\n"), 1):
            for target in re.findall(r"\]\(([^)\s:]+)\)", re.sub(r"(?<!\[)`[^`]*`(?!\])", "", line)):
                page, _, anchor = target.partition("#")
                page = os.path.normpath(os.path.join(os.path.dirname(path), page)) if page else path
                if not os.path.exists(os.path.join(WIKI, page)) or anchor and anchor not in anchors.get(page, ()):
                    broken.append("%s:%d %s" % (path, n, target))
    same("one link is broken, on purpose", broken, ["wiki/deployment.md:29 backups.md#restore-from-yesterday"])
    wrong = [(q, w) for q, places in rows("offline_wiki.cases") for w in places.split("|")
             if not os.path.isfile(os.path.join(WIKI, w.partition("#")[0])) or "#" in w and
             w.partition("#")[2] not in anchors[w.partition("#")[0]]]
    same("each expected place exists", wrong, [])


# --- the model double ---

TOOLS = [{"type": "function", "function": {"name": n, "description": n, "parameters": {"type": "object"}}}
         for n in ("read_file", "list_files")]


def ask(s, messages, **more):
    status, headers, data = s.call("POST", "/v1/chat/completions", dict({"model": "m", "messages": messages}, **more))
    return status, headers, data


def reply(s, messages, **more):
    return json.loads(ask(s, messages, **more)[2])["choices"][0]["message"]


def streamed(s, messages, **more):
    """the same as one message, put together from the events"""
    data = ask(s, messages, stream=True, **more)[2].decode()
    events = [x[6:] for x in data.split("\n\n") if x.startswith("data: ")]
    text, calls, ends = "", {}, []
    for e in events[:-1]:
        for choice in json.loads(e)["choices"]:
            text += choice["delta"].get("content") or ""
            ends += [choice["finish_reason"]] if choice["finish_reason"] else []
            for c in choice["delta"].get("tool_calls", []):
                f = calls.setdefault(c["index"], {"name": "", "arguments": ""})
                f["name"] += c["function"].get("name", "")
                f["arguments"] += c["function"].get("arguments", "")
    return text, [calls[i] for i in sorted(calls)], ends, events[-1]


def play(s, files, question=QUESTION, tools=TOOLS):
    """the conversation until the model answers; files: of an invented project"""
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": question}]
    for _ in range(15):
        m = reply(s, messages, tools=tools)
        if not m.get("tool_calls"):
            return m["content"], messages
        messages.append(m)
        for c in m["tool_calls"]:
            path = json.loads(c["function"]["arguments"])["path"]
            if c["function"]["name"] == "list_files":
                names = sorted({f[len(path) + 1:].split("/")[0] for f in files if f.startswith(path + "/")})
                result = "\n".join(names) or "Error: no such folder: " + path
            else:
                result = files.get(path, "Error: no such file: " + path)
            messages.append({"role": "tool", "tool_call_id": c["id"], "content": result})
    return None, messages


def check_model():
    log = os.path.join(tempfile.mkdtemp(), "log")
    files = {"docs/plants.md": "# Plants\n\n## Water the ficus\n\nOne glass on Mondays.\n\n## Cut the hedge\n\nIn March.\n"}
    with Server([sys.executable, os.path.join(FAKE, "policy_model.py"), "--log", log]) as s:
        text, messages = play(s, files)
        case("another wiki: fact and source", "" if text and "One glass" in text and
             text.endswith("Source: docs/plants.md#water-the-ficus") else text)
        other = dict(files)
        other["docs/plants.md"] = other["docs/plants.md"].replace("One glass on Mondays", "Never")
        text, _ = play(s, other)
        case("it says what the file says", "" if "Never" in text and "glass" not in text else text)
        text, _ = play(s, {"docs/plants.md": "# Plants\n\n## Cut the hedge\n\nIn March.\n"}, "Who repairs the submarine?")
        case("it does not know what no file says", "" if "cannot find" in text and "Source:" not in text else text)
        text, _ = play(s, {})
        case("it does not know anything by itself", "" if "cannot find" in text else text)
        begin = [{"role": "user", "content": QUESTION}]
        text, calls, ends, last = streamed(s, begin, tools=TOOLS)
        whole = reply(s, begin, tools=TOOLS)["tool_calls"]
        same("a streamed call is the same call", calls, [{k: c["function"][k] for k in ("name", "arguments")} for c in whole])
        same("a stream ends as it should", (text, ends, last), ("", ["tool_calls"], "[DONE]"))
        text, calls, ends, _ = streamed(s, messages, tools=TOOLS)
        same("a streamed answer is the same answer", (text, calls, ends), (reply(s, messages, tools=TOOLS)["content"], [], ["stop"]))
        m = reply(s, messages[:-1] + [dict(messages[-1], content="Error: not run, the budget of tool calls is used up")], tools=TOOLS)
        case("budget used up: no more calls", "" if not m.get("tool_calls") and m["content"] else m)
        m = reply(s, begin)
        case("no tools offered: no calls", "" if not m.get("tool_calls") and "cannot find" in m["content"] else m)
        half = begin + [{"role": "assistant", "content": None, "tool_calls": whole}]
        tool = {"role": "tool", "tool_call_id": whole[0]["id"], "content": "x"}
        for name, wrong in [("an open call", half), ("a tool message without its call", begin + [tool]),
                            ("a second answer to one call", half + [tool, tool]), ("no user message", [{"role": "system", "content": "s"}])]:
            same("refused: " + name, ask(s, wrong, tools=TOOLS)[0], 400)
        same("refused: messages is no list", ask(s, "x")[0], 400)
        same("another address", s.call("POST", "/v1/other", {})[0], 400)
        same("models", json.loads(s.call("GET", "/v1/models")[2])["data"][0]["id"], "policy-model")
        lines = [json.loads(x) for x in read(log).splitlines()]
        case("the log: whole requests, numbered, without the key", "" if [x["n"] for x in lines] == list(range(1, len(lines) + 1)) and
             lines[0]["request"]["messages"][1]["content"] == QUESTION and KEY not in read(log) else lines[0])
    os.unlink(log)
    os.rmdir(os.path.dirname(log))


check_api()
check_wiki()
check_model()
sys.exit(bad)
