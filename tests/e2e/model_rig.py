"""What model_audit_check.py and model_failures_check.py share: a scripted model server (tests/fake/README.md), the real
program in a folder and an environment of its own, and scripts of what models say.

Nothing of the caller's environment reaches the program but the place of its files: no key, no address, no settings.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ARGUS = os.path.abspath(os.environ["ARGUS"])
FAKE_MODEL = os.path.abspath(os.environ["FAKE_MODEL"])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
# A key as servers give them, and words that must be nowhere but on the wire.
CHAT_KEY = "sk-proj-Chat0Aq3fKq81mZzT7"
MSGS_KEY = "sk-ant-Msgs9fKq81Zq81xkTT0"
# What a sanitizer or valgrind adds to its environment stays.
KEPT = ("PATH", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS")


class Wrong(Exception):
    """what a check wanted and did not get"""


def want(condition, *why):
    if not condition:
        raise Wrong(" ".join(str(w)[:2000] for w in why))


def same(what, got, wanted):
    want(got == wanted, "%s: got %r, want %r" % (what, got, wanted))


class Server:
    def __init__(self, script, port=0, name="model"):
        self.dir = tempfile.mkdtemp(prefix=name)
        self.log = os.path.join(self.dir, "log")
        path = os.path.join(self.dir, "script")
        with open(path, "w", encoding="utf-8") as f:
            f.write(script)
        self.p = subprocess.Popen([FAKE_MODEL, "--script", path, "--log", self.log, "--port", str(port)],
                                  stdout=subprocess.PIPE, text=True)
        word, _, got = self.p.stdout.readline().partition(" ")
        want(word == "port", "the model server does not start:", word)
        self.port = int(got)
        self.url = "http://127.0.0.1:%d" % self.port

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.stop(check=not exc[0])
        shutil.rmtree(self.dir)

    def stop(self, check=True):
        if self.p is None:
            return
        self.p.send_signal(signal.SIGTERM)
        code = self.p.wait(20)
        self.p.stdout.close()
        self.p = None
        if check:
            same("exit code of the model server", code, 0)

    def log_bytes(self):
        with open(self.log, "rb") as f:
            return f.read()

    def asked(self):
        """the requests, one object each; a line that is being written is not one yet"""
        lines = [json.loads(x) for x in self.log_bytes().rpartition(b"\n")[0].splitlines()]
        return [x for x in lines if "request" in x]


class Rig:
    """a folder with a store, an argus.yaml and a copy of example data, and the program run in it"""

    def __init__(self, *examples):
        self.dir = tempfile.mkdtemp(prefix="rig")
        self.env = {k: os.environ[k] for k in KEPT if k in os.environ}
        self.env.update(HOME=self.dir, XDG_STATE_HOME=os.path.join(self.dir, "state"), LC_ALL="C.UTF-8",
                        ARGUS_STORE=self.path("store.db"), ARGUS_AS_OF="2026-01-01", USER="ann",
                        ARGUS_CHAT_KEY=CHAT_KEY, ARGUS_MSGS_KEY=MSGS_KEY)
        for name in examples:
            shutil.copy(os.path.join(ROOT, "examples", "shop", name), self.dir)
        self.said = []  # all that the program wrote

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        shutil.rmtree(self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def yaml(self, server, more="", **models):
        """models by name -> extra lines; "msgs…" speaks the Messages API"""
        text = "models:\n"
        for name, lines in models.items():
            msgs = name.startswith("msgs")
            text += "  %s:\n    base_url: %s\n    model: %s-1\n" % (name, server.url, name)
            text += "    provider: %s\n" % ("anthropic" if msgs else "openai")
            text += "    key_env: %s\n" % ("ARGUS_MSGS_KEY" if msgs else "ARGUS_CHAT_KEY")
            text += "    input_price: 1\n    output_price: 2\n"
            text += "".join("    %s\n" % x for x in lines.split("; ") if x)
        self.write("argus.yaml", text + more)

    def start(self, *args, **env):
        return subprocess.Popen([ARGUS] + list(args), cwd=self.dir, env=dict(self.env, **env),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, p, code=None, timeout=100):
        out, err = p.communicate(timeout=timeout)
        self.said += [out, err]
        self.out, self.err = out.decode(), err.decode()
        want(p.returncode in (0, 1, 2, 3, 130), "the program ended with %d:" % p.returncode, self.err)
        want("Sanitizer" not in self.err and "runtime error" not in self.err, self.err)
        if code is not None:
            want(p.returncode == code, "exit %d, want %d: %s" % (p.returncode, code, self.err or self.out))
        return p.returncode

    def run(self, *args, code=0, **env):
        self.finish(self.start(*args, **env), code)
        return self.out

    def audit(self, *args, code=0, **env):
        """-> the report"""
        return json.loads(self.run("audit", "-o", "json", "--planner", "llm", *args, code=code, **env))

    def shown(self, run="last"):
        return json.loads(self.run("show", run, "-o", "json"))


def step(action, reasoning="next", confidence=0.9, **action_input):
    return json.dumps({"reasoning": reasoning, "action": action, "action_input": action_input,
                       "confidence": confidence})


def finding(field, category, severity, count, query, share=None, of=1500, confidence=0.9):
    return step("write_finding", field=field, category=category, severity=severity,
                description="%s shows a defect" % field, hypothesis="a writer that does not check",
                evidence_query=query, affected_count=count,
                affected_pct=count / of if share is None else share, confidence=confidence)


def answer(text, *words, head=""):
    """one answer: JSON objects as they are, other text as text; further words in deeper lines"""
    is_json = text.startswith("{")
    lines = ["answer" + (" " + head if head else ""), "  %s %s" % ("json" if is_json else "text", text)]
    return "\n".join(lines + ["  " + w for w in words]) + "\n"


PLANNER = 'when system "You plan the steps"'
SELF = 'when system "a model like you"'
JUDGE = 'when system "independent judge"'


def plan(steps, *words, head=""):
    return "".join(answer(s, *words, head=(head + " " + PLANNER).strip()) for s in steps)


FIELDS = ["email", "age", "newsletter", "occupation", "birth_date", "satisfaction", "first_name", "legacy_id",
          "last_name", "phone", "points", "vip", "customer_id"]


def without_ids(value):
    """ids, times, durations and names of models out; everything else stays"""
    out = ("id", "run_at", "duration_seconds", "call_id", "query_call_id", "evaluation_id", "target_id",
           "timestamp", "latency_ms", "finding_id", "previous_run_id", "previous_run_at")
    if isinstance(value, dict):
        return {k: without_ids(v) for k, v in value.items() if k not in out}
    if isinstance(value, list):
        return [without_ids(v) for v in value]
    return value


def user_text(request):
    """what the last message of a request says"""
    content = request["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


def system_text(request):
    system = request.get("system")
    if system is None:
        system = request["messages"][0]["content"]
    return system if isinstance(system, str) else "".join(p.get("text", "") for p in system)


def iteration(request):
    """of the planner's prompt, 0 for others"""
    m = re.search(r"^Iteration (\d+)", user_text(request), re.M)
    return int(m.group(1)) if m else 0


def run_cases(cases, only=()):
    """each case is a function; its first line of text is its name"""
    bad = 0
    for case in cases:
        name = case.__doc__.strip().splitlines()[0]
        if only and case.__name__ not in only:
            continue
        try:
            case()
            print("ok - %s" % name, flush=True)
        except Exception as e:  # whatever it was, the other cases run
            bad = 1
            print("not ok - %s" % name)
            print("  %s: %s" % (type(e).__name__, str(e)[:3000].replace("\n", "\n  ")), flush=True)
            if not isinstance(e, Wrong):
                line = e.__traceback__
                while line:
                    print("  at %s:%d" % (line.tb_frame.f_code.co_filename, line.tb_lineno))
                    line = line.tb_next
    sys.exit(bad)
