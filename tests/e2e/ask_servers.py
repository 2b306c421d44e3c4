"""Servers for the tests of `argus ask`: the scripted model behind a tap that keeps raw bytes, the API that misbehaves, the
model that plays by policy; and the words in which a script says what a model replies (tests/fake/README.md).
"""
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from ask_want import API_KEY, FAKE_API, FAKE_MODEL, ROOT, read_bytes, want

# --- servers


WIKI = os.path.join(ROOT, "examples", "wiki")


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
        """whole lines of the log: the last one may be under way"""
        whole = read_bytes(self.log).rpartition(b"\n")[0]
        return [json.loads(x) for x in whole.decode("utf-8", "surrogatepass").splitlines()]

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
        data = read_bytes(self.log)[self.begin:].rpartition(b"\n")[0]
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
