"""What the tests of `argus ask` share: a project full of secrets in a folder of its own, a scripted model, the project's
API, the real program; and, after each case, the search for keys in everything that was written anywhere.

A model server is tests/fake/fake_model behind a tap that keeps the raw bytes of each request; the API is
tests/fake/fake_api.py. Nothing of the caller's environment reaches the program but the place of its files.
"""
import base64
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

ARGUS = os.path.abspath(os.environ["ARGUS"])
FAKE_MODEL = os.path.abspath(os.environ["FAKE_MODEL"])
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
FAKE_API = os.path.join(ROOT, "tests", "fake", "fake_api.py")
# What a sanitizer or valgrind adds to its environment stays.
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS")

# Characters that base64, percent-encoding and JSON write otherwise are in both keys.
MODEL_KEY = "sk-canary-M0del+7Qz/4tXw9Lr2VbN8=eYc5gH1"
API_KEY = "lms-canary-Ap1+kD3/0uHs6Jf4ZqT1=wBm9GxR2"
# What only stands in files that must not be read.
SECRETS = {
    "the database's password": "canary-Postgres-hB72kLq0XzWv5nTd",
    "the private key": "canaryIdRsaMIIEowIBAAKCAQEA9xTq2Zb",
    "the token of .git/config": "canary-GitConfig-ghp_u83Jd0aPq7Ls",
    "a file beside the project": "canary-Outside-3mKz81QpWv70LtXe",
    "a password of .netrc": "canary-Netrc-Vb81nQ0zLpWk27Hs",
}


class Wrong(Exception):
    """what a check wanted and did not get"""


class Skip(Exception):
    """why a case cannot run here"""


def want(condition, *why):
    if not condition:
        raise Wrong(" ".join(str(w)[:3000] for w in why))


def same(what, got, wanted):
    want(got == wanted, "%s: got %.1500r, want %.1500r" % (what, got, wanted))


def has(text, part, what="text"):
    want(part in text, "%s has no %r: %.2500s" % (what, part, text))


def sha256(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# A build with a sanitizer takes its time.
SLOW = 4 if b"__asan_init" in read_bytes(ARGUS) or b"__tsan_init" in read_bytes(ARGUS) else 1


# --- keys that must be nowhere


def spellings(secret):
    """the ways in which a secret could be written, with the name of each"""
    raw = secret.encode()
    yield "as it is", raw
    yield "its first half", raw[:len(raw) // 2]
    yield "its second half", raw[-(len(raw) // 2):]
    yield "backwards", raw[::-1]
    yield "in hex", raw.hex().encode()
    yield "in HEX", raw.hex().upper().encode()
    yield "percent-encoded", urllib.parse.quote(secret, safe="").encode()
    yield "percent-encoded but /", urllib.parse.quote(secret).encode()
    yield "percent-encoded whole", "".join("%%%02X" % b for b in raw).encode()
    yield "with \\/", secret.replace("/", "\\/").encode()
    yield "with \\u", "".join("\\u%04x" % b for b in raw).encode()
    for shift in range(3):  # base64 of it wherever it begins in a longer text
        for name, f in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            text = f(b"\0" * shift + raw)
            # Without the characters that neighbours have a part in.
            yield "in %s, shifted %d" % (name, shift), text[(0, 2, 3)[shift]:len(text) // 4 * 4 - 4]


FORBIDDEN = [("%s %s" % (name, how), text)
             for name, secret in [("the model's key", MODEL_KEY), ("the API's key", API_KEY)] + list(SECRETS.items())
             for how, text in spellings(secret)]
PASSWD = next((x for x in read_bytes("/etc/passwd").splitlines() if x.startswith(b"root:")), b"root:x:0:0")
FORBIDDEN.append(("a line of /etc/passwd", PASSWD))


def search(what, data, extra=()):
    for name, text in FORBIDDEN + list(extra):
        at = data.find(text)
        want(at < 0, "%s in %s: …%r…" % (name, what, data[max(0, at - 60):at + 60]))


# --- servers


class Tap:
    """A port before another one that keeps what clients send."""

    def __init__(self, port):
        self.to, self.lock, self.sent, self.closed = port, threading.Lock(), [], False
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                client.close()
                continue
            data = bytearray()
            with self.lock:
                self.sent.append(data)
            threading.Thread(target=self.pump, args=(client, server, data), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, None), daemon=True).start()

    def pump(self, source, to, data):
        try:
            while True:
                piece = source.recv(65536)
                if not piece:
                    break
                if data is not None:
                    with self.lock:
                        data += piece
                to.sendall(piece)
        except OSError:
            pass
        # Shut both ways: when one side is gone the other learns it.
        for s in (source, to):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if data is None:
            source.close(), to.close()

    def bytes(self):
        with self.lock:
            return b"\n".join(bytes(x) for x in self.sent)

    def stop(self):
        if self.closed:
            return
        self.closed = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


class Listener:
    """A port that nobody should come to: what came, if anything."""

    def __init__(self, answer=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"):
        self.came, self.answer = [], answer
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            client.settimeout(1)
            try:
                self.came.append(client.recv(65536))
                client.sendall(self.answer)
            except OSError:
                self.came.append(b"?")
            client.close()

    def stop(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


class Model:
    """fake_model with a script, behind a tap"""

    def __init__(self, folder, script, tap=True, port=0):
        n = len(os.listdir(folder))
        self.log = os.path.join(folder, "model%d.log" % n)
        path = os.path.join(folder, "model%d.script" % n)
        with open(path, "wb") as f:
            f.write(script if isinstance(script, bytes) else script.encode())
        self.p = subprocess.Popen([FAKE_MODEL, "--script", path, "--log", self.log, "--port", str(port)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.p.stdout.readline()
        word, _, got = line.partition(" ")
        want(word == "port", "the model server does not start:", line, self.p.stdout.read() if word != "port" else "")
        self.tap = Tap(int(got)) if tap else None
        self.port = self.tap.port if tap else int(got)
        self.base = "http://127.0.0.1:%d/v1" % self.port

    def lines(self):
        return [json.loads(x) for x in read_bytes(self.log).decode("utf-8", "surrogatepass").splitlines()]

    def requests(self):
        """bodies of the requests for an answer, in order"""
        return [x["request"] for x in self.lines() if "request" in x]

    def stop(self):
        """what its clients sent: (raw bytes or None, log)"""
        if self.p:
            self.p.send_signal(signal.SIGTERM)
            self.p.wait(20)
            self.p.stdout.close()
            self.p = None
        if self.tap:
            self.tap.stop()
        return self.tap.bytes() if self.tap else None, read_bytes(self.log) if os.path.exists(self.log) else b""


class Lenient:
    """A model server that takes any request and any answer, also such as fake_model refuses to give or to take."""

    tap = None

    def __init__(self, messages):
        self.asked, self.messages, self.raw, self.log = [], list(messages), b"", os.devnull
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.base = "http://127.0.0.1:%d/v1" % self.port
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(client,), daemon=True).start()

    def talk(self, client):
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                piece = client.recv(65536)
                if not piece:
                    return client.close()
                data += piece
            head, _, data = data.partition(b"\r\n\r\n")
            lengths = [x.partition(b":")[2] for x in head.split(b"\r\n") if x.lower().startswith(b"content-length:")]
            while len(data) < int(lengths[0]):
                data += client.recv(65536)
            body, data = data[:int(lengths[0])], data[int(lengths[0]):]
            self.raw += head + b"\r\n\r\n" + body
            self.asked.append(json.loads(body))
            message = self.messages.pop(0) if self.messages else {"role": "assistant", "content": "?"}
            text = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(text)
                           + text)

    def requests(self):
        return list(self.asked)

    def stop(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()
        return self.raw, b""


class Api:
    """fake_api.py; one process serves many cases, each sees its own part of the log"""

    def __init__(self, *options, key=API_KEY):
        self.dir = tempfile.mkdtemp(prefix="api")
        self.log = os.path.join(self.dir, "log")
        self.key, self.begin = key, 0
        self.p = subprocess.Popen([sys.executable, FAKE_API, "--log", self.log, "--key", key] + list(options),
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        word, _, got = self.p.stdout.readline().partition(" ")
        want(word == "port", "the API does not start:", word)
        self.port = int(got)
        self.url = "http://127.0.0.1:%d" % self.port

    def mark(self):
        self.begin = os.path.getsize(self.log)

    def lines(self):
        data = read_bytes(self.log)[self.begin:]
        return [json.loads(x) for x in data.decode().splitlines()]

    def requests(self):
        """what was asked, without the description that argus looks for by itself"""
        return [x for x in self.lines() if x["event"] == "request" and not x["target"].endswith("/openapi.json")]

    def stop(self):
        self.p.terminate()
        self.p.wait(20)
        self.p.stdout.close()
        shutil.rmtree(self.dir)


class Pool:
    """API servers that are used again"""

    def __init__(self):
        self.free, self.all, self.lock = queue.LifoQueue(), [], threading.Lock()

    def take(self):
        try:
            api = self.free.get_nowait()
        except queue.Empty:
            api = Api()
            with self.lock:
                self.all.append(api)
        api.mark()
        return api

    def give(self, api):
        self.free.put(api)

    def stop(self):
        for api in self.all:
            api.stop()


POOL = Pool()


# --- what a model says


def call(name, args=None, **more):
    """one tool call; text instead of an object goes as it is"""
    return (name, args if args is not None else more)


def text_word(word, text):
    return "  %s %s\n" % (word, json.dumps(text))


def turn(*blocks, words=(), head=""):
    """one reply: texts and calls"""
    out = "answer %s\n" % head
    for b in blocks:
        if isinstance(b, str):
            out += text_word("text", b)
        elif isinstance(b[1], str):
            out += "  tool_raw %s %s\n" % (json.dumps(b[0]), json.dumps(b[1]))
        else:
            out += "  tool %s %s\n" % (json.dumps(b[0]), json.dumps(b[1]))
    return out + "".join("  %s\n" % w for w in words)


def script(*turns, end="Done."):
    """replies one after the other; what is no turn yet becomes one; then `end`, as often as asked"""
    out = ""
    for t in turns:
        out += t if isinstance(t, str) and t.startswith("answer") else turn(*(t if isinstance(t, list) else [t]))
    return out + ("otherwise\n" + text_word("text", end) if end is not None else "")


def body_turn(message, finish="tool_calls", **more):
    """a reply whose JSON is ours: {"content":…,"tool_calls":[…]} of any shape; raw text instead of an object as it is"""
    if not isinstance(message, str):
        message = json.dumps(message)
    more = "".join(",%s:%s" % (json.dumps(k), json.dumps(v)) for k, v in more.items())
    raw = ('{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":%s,'
           '"finish_reason":"%s"}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}%s}'
           % (message, finish, more))
    return "answer\n" + text_word("body", raw) + "  header Content-Type: application/json\n"


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
            raw = re.sub(rb"(?i)\r\nauthorization: Bearer %s\r\n" % re.escape(MODEL_KEY.encode()), b"\r\n", raw)
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
