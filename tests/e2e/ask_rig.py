"""What the tests of `argus ask` share: a project full of secrets in a folder of its own, the real program run in it with the
servers of ask_servers.py, and, after each case, the search for keys in everything that was written anywhere.

Nothing of the caller's environment reaches the program but the place of its files.
"""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from ask_want import API_KEY, ARGUS, KEPT, MODEL_KEY, SECRETS, Skip, Wrong, read_bytes, same, search, sha256, want
from ask_servers import POOL, Api, Lenient, Listener, Model, script

# --- the project

FILES = {
    "README.md": "# Harbor\n\nA platform that never was. Start at [the wiki](wiki/a.md).\n",
    "wiki/a.md": "# Page A\n\nText of page A.\n\n## Merge a branch\n\nClick the green button: alpha-7731.\n",
    "wiki/b.md": "# Page B\n\nText of page B: beta-4410.\n\n## Protect a branch\n\nUnder Settings, Branches.\n",
    "notes..md": "# Notes with dots\n\nTwo dots are no crime: dots-2207.\n",
    "backend/app/main.py": "from fastapi import FastAPI\n\napp = FastAPI()\nPORT = 8000\n",
    "docker-compose.yml": "services:\n  app:\n    ports: ['42002:8000']\n",
    ".env.agent.example": "LLM_API_KEY=<your-key>\nLLM_API_BASE_URL=<base>\nLLM_API_MODEL=<model>\n",
    ".gitignore": "*.secret\n.env\nbuild/\n",
    ".git/config": "[remote \"origin\"]\n\turl = https://u:%s@example.org/r.git\n" % SECRETS["the token of .git/config"],
    ".git/HEAD": "ref: refs/heads/main\n",
    "id_rsa": "-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----\n" % SECRETS["the private key"],
    "server.pem": "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n" % SECRETS["the private key"],
    ".netrc": "machine example.org login u password %s\n" % SECRETS["a password of .netrc"],
    ".env": "DB_PASSWORD=%s\n" % SECRETS["the database's password"],
    ".ENV.agent.secret": "DB_PASSWORD=%s\n" % SECRETS["the database's password"],
}
OUTSIDE = "# Outside\n\n%s\n" % SECRETS["a file beside the project"]


class Run:
    """one run of the program, and what it did"""

    def __init__(self, code, out, err, requests):
        self.code, self.out_bytes, self.err_bytes, self.requests = code, out, err, requests
        self.out, self.err = out.decode("utf-8"), err.decode("utf-8", "replace")
        self.answer = None

    def parse(self):
        """stdout is one JSON object on one line"""
        want(self.out.endswith("\n") and self.out.count("\n") == 1, "stdout is not one line:", self.out, self.err)
        self.answer = json.loads(self.out)
        same("type of stdout", type(self.answer), dict)
        for name, kind in (("answer", str), ("source", str), ("tool_calls", list)):
            same("type of " + name, type(self.answer.get(name)), kind)
        for c in self.answer["tool_calls"]:
            want(isinstance(c["tool"], str) and isinstance(c["result"], str) and "args" in c, c)
            same("hash of a result", c["sha256"], sha256(c["result"]))
        self.calls = self.answer["tool_calls"]
        self.results = [c["result"] for c in self.calls]
        return self

    def tool_messages(self, n=-1):
        """(id, text) of the tool messages in the n-th request"""
        return [(m.get("tool_call_id"), m["content"] if isinstance(m["content"], str) else
                 "".join(p.get("text", "") for p in m["content"]))
                for m in self.requests[n]["messages"] if m["role"] == "tool"]

    def check_told(self, unanswered=0):
        """What stdout reports is what the model read: same texts, same order, each id answered right behind its call."""
        messages = self.requests[-1]["messages"]
        told, i = [], 0
        while i < len(messages):
            m = messages[i]
            i += 1
            if m["role"] != "assistant" or not m.get("tool_calls"):
                want(m["role"] != "tool", "a tool message without a call", m)
                continue
            for c in m["tool_calls"]:
                want(i < len(messages) and messages[i]["role"] == "tool", "a call without an answer", c)
                same("id of a tool message", messages[i]["tool_call_id"], c["id"])
                told.append((c["function"]["name"], messages[i]["content"]))
                i += 1
        # A name that no tool can have is told as one that a strict server takes.
        same("calls told and reported", told[:len(self.calls)],
             [(re.sub("[^A-Za-z0-9_-]", "_", c["tool"][:64]) or "unnamed", c["result"]) for c in self.calls])
        same("calls told beyond those reported", len(told) - len(self.calls), unanswered)


class Rig:
    """a project, servers, and the program run in it; leaving it searches for keys"""

    def __init__(self, files=FILES, secrets=True, copy_of=None, prefix="ask"):
        self.tmp = os.path.realpath(tempfile.mkdtemp(prefix=prefix))
        self.root = os.path.join(self.tmp, "r")
        self.serverdir = os.path.join(self.tmp, "servers")
        self.store = os.path.join(self.tmp, "store", "argus.db")
        self.servers, self.apis, self.models, self.said = [], [], [], []
        self.extra = []  # more that must be nowhere: (name, bytes)
        self.api_ = self.model_ = None
        for d in ("tmp", "home", "servers", "store", "r-secret"):
            os.mkdir(os.path.join(self.tmp, d))
        self.put("../r-secret/x", OUTSIDE)
        if copy_of:
            shutil.copytree(copy_of, self.root, symlinks=True)
        for name, text in (files or {}).items():
            self.put(name, text)
        if secrets:
            self.put(".env.agent.secret", "LLM_API_KEY=%s\n" % MODEL_KEY)
            self.put(".env.docker.secret", "POSTGRES_PASSWORD=%s\nLMS_API_KEY=%s\n"
                     % (SECRETS["the database's password"], API_KEY))
        self.env = {k: os.environ[k] for k in KEPT if k in os.environ}
        self.env.update(HOME=self.path("home"), XDG_STATE_HOME=self.path("home/state"), LC_ALL="C.UTF-8",
                        TMPDIR=self.path("tmp"), ARGUS_STORE=self.store)

    def __enter__(self):
        return self

    def __exit__(self, kind, *exc):
        try:
            self.stop_servers(check=not kind)
            if not kind:
                self.search_keys()
        finally:
            for folder, _, _ in os.walk(self.tmp):
                if not os.access(folder, os.W_OK):
                    os.chmod(folder, 0o700)
            shutil.rmtree(self.tmp, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.tmp, *names)

    def file(self, name):
        return os.path.join(self.root, name)

    def put(self, name, text):
        path = os.path.normpath(os.path.join(self.root, name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return path

    # --- servers

    def model(self, *turns, end="Done.", raw=None, tap=True):
        """a scripted model; LLM_API_BASE… in the environment, its key in .env.agent.secret"""
        m = Model(self.serverdir, raw if raw is not None else script(*turns, end=end), tap=tap)
        self.models.append(m)
        self.model_ = m
        self.env.update(LLM_API_BASE_URL=m.base, LLM_API_MODEL="fake-1")
        return m

    def lenient(self, *messages):
        m = Lenient(messages)
        self.models.append(m)
        self.model_ = m
        self.env.update(LLM_API_BASE_URL=m.base, LLM_API_MODEL="fake-1")
        return m

    def api(self, *options, key=None):
        """the project's API; with options one of its own, else one that others used before"""
        if options or key:
            api = Api(*options, key=key or API_KEY)
            self.servers.append(api)
        else:
            api = POOL.take()
            self.apis.append(api)
        self.api_ = api
        self.env["AGENT_API_BASE_URL"] = api.url
        return api

    def listener(self):
        x = Listener()
        self.servers.append(x)
        return x

    def stop_servers(self, check):
        seen = [m.stop() for m in self.models]
        apis = [(api, api.lines()) for api in self.apis + [s for s in self.servers if isinstance(s, Api)]]
        for s in self.servers:
            s.stop()
        for api in self.apis:
            POOL.give(api)
        self.models, self.servers, self.apis = [], [], []
        for raw, log in seen if check else ():
            self.check_model(raw, log)
        for api, lines in apis if check else ():
            self.check_api(api, lines)

    # --- the program

    def start(self, *args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=None, env=None, **more):
        return subprocess.Popen([ARGUS] + list(args), cwd=cwd or self.root, env=self.environ(env),
                                stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, **more)

    def environ(self, env=None):
        return {k: v for k, v in dict(self.env, **(env or {})).items() if v is not None}

    def finish(self, p, timeout=120):
        try:
            out, err = p.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            self.said += [out, err]
            raise Wrong("argus did not end within %d s: %s" % (timeout, err.decode("utf-8", "replace")[-2000:]))
        out = out or b""
        self.said += [out, err]
        want(b"Sanitizer" not in err and b"runtime error:" not in err, err.decode("utf-8", "replace"))
        want(p.returncode in (0, 1, 2, 3, 130), "the program ended with %d:" % p.returncode,
             err.decode("utf-8", "replace"))
        requests = self.model_.requests() if self.model_ and os.path.exists(self.model_.log) else []
        return Run(p.returncode, out, err, requests)

    def run(self, *args, code=0, **more):
        """argus ARGS, as it is"""
        timeout = more.pop("timeout", 120)
        r = self.finish(self.start(*args, **more), timeout)
        want(code is None or r.code == code, "exit %d, want %s: %s" % (r.code, code, r.err[-2500:] or r.out))
        return r

    def ask(self, question="Where is it?", *flags, code=0, verbose=True, **more):
        """argus ask: the run, with its answer when the exit code is 0; else stdout must be empty"""
        flags = list(flags)
        if verbose:
            flags.append("-vv")
        if not self.api_ and not any(f in flags for f in ("--no-api", "--api-base")):
            flags.append("--no-api")
        r = self.run("ask", question, *flags, code=code, **more)
        if r.code == 0:
            return r.parse()
        same("stdout of a failure", r.out, "")
        want(r.err.strip(), "a failure says nothing")
        return r

    def use(self, *calls, budget=100, end="Done.", said=None, question="Where is it?", flags=(), **more):
        """the model makes these calls, one reply each, and says `end`; what came of them"""
        self.model(*[[c] for c in calls], end=end)
        r = self.ask(question, "--budget", str(budget), *flags, **more)
        same("calls", [c["tool"] for c in r.calls], [c[0] for c in calls])
        same("answer", r.answer["answer"], re.sub(r"\n+Source:.*", "", end) if said is None else said)
        r.check_told()
        return r

    # --- keys

    def check_model(self, raw, log):
        """a model server sees its own key, in the one header, and no other secret"""
        if raw is not None:
            raw = re.sub(rb"(?i)\r\n(authorization: Bearer|x-api-key:) %s\r\n" % re.escape(MODEL_KEY.encode()), b"\r\n", raw)
            search("the raw requests to the model", raw, self.extra)
        search("the requests to the model", log, self.extra)

    def check_api(self, api, lines):
        for x in lines:
            head = x.get("head", "").encode("latin-1")
            own = rb"(?:%s|%s)" % (re.escape(API_KEY.encode()), re.escape(api.key.encode()))
            head, n = re.subn(rb"(?i)\r\nauthorization: Bearer %s(?=\r\n|$)" % own, b"", head)
            want(n <= 1, "the key came twice:", head)
            search("a request to the API", head, self.extra)

    def search_keys(self):
        for data in self.said:
            search("what the program printed", data, self.extra)
        # The program writes nothing into the project, only what the tests put there.
        for top in ("home", "tmp", "store"):
            for folder, _, names in os.walk(self.path(top)):
                for path in (os.path.join(folder, n) for n in names):
                    if os.path.isfile(path) and not os.path.islink(path):
                        search("the file " + path[len(self.tmp):], read_bytes(path), self.extra)
        self.search_store()

    def search_store(self):
        """cells of the store, should SQLite have cut a text over pages"""
        if not os.path.isfile(self.store):
            return
        db = sqlite3.connect("file:%s?mode=ro" % urllib.parse.quote(self.store), uri=True)
        try:
            for (table,) in db.execute("select name from sqlite_master where type='table' and sql not like "
                                       "'create virtual%'").fetchall():
                for row in db.execute('select * from "%s"' % table):
                    for cell in row:
                        if isinstance(cell, (str, bytes)):
                            search("the store's table " + table,
                                   cell if isinstance(cell, bytes) else cell.encode("utf-8", "surrogatepass"),
                                   self.extra)
        finally:
            db.close()

# --- cases

CASES = []


def case(row, name):
    """a function that is one case of a row: "4.1/22" """
    def add(f):
        CASES.append((row, name, f))
        return f
    return add


def one(row, name, f):
    begin = time.monotonic()
    try:
        f()
        said = "ok - %s %s" % (row, name)
    except Skip as e:
        said = "skip - %s %s: %s" % (row, name, e)
    except Exception as e:  # whatever it was, the other cases run
        said = "not ok - %s %s\n  %s: %s" % (row, name, type(e).__name__, str(e)[:4000].replace("\n", "\n  "))
        if not isinstance(e, Wrong) or os.environ.get("ASK_TRACE"):
            at = e.__traceback__
            while at:
                said += "\n  at %s:%d" % (at.tb_frame.f_code.co_filename, at.tb_lineno)
                at = at.tb_next
    if os.environ.get("ASK_TIMES"):
        said += "  [%.2f s]" % (time.monotonic() - begin)
    return said


def run_cases(argv):
    """all, or those whose row or name begins with a word of argv; several at a time, printed in order"""
    chosen = [c for c in CASES if not argv or any(c[0] == a or c[0].startswith(a + "/") or a in c[1] for a in argv)]
    bad = 0
    with ThreadPoolExecutor(int(os.environ.get("ASK_JOBS", "5"))) as pool:
        for said in pool.map(lambda c: one(*c), chosen):
            bad = bad or said.startswith("not ok")
            print(said, flush=True)
    POOL.stop()
    sys.exit(1 if bad or not chosen else 0)
