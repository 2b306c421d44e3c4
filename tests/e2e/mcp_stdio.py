"""Cases of mcp_stdio.sh: a server of the conformance fixtures over pipes. Prints one ok / not ok line per case."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

SERVER = sys.argv[1]
MAX_MESSAGE = 8 << 20
bad = 0


def case(name, ok, why=""):
    global bad
    print(("ok - " if ok else "not ok - ") + name)
    if not ok:
        bad = 1
        print("  " + str(why)[:400])
    sys.stdout.flush()


class Client:
    """The program and its lines."""

    def __init__(self, handshake=True):
        self.p = subprocess.Popen(
            [SERVER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if handshake:
            self.ask(0, "initialize", {
                "protocolVersion": "2025-11-25",
                "capabilities": {"sampling": {}, "elicitation": {}},
                "clientInfo": {"name": "test", "version": "1"}})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def raw(self, data):
        self.p.stdin.write(data)
        self.p.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def request(self, id, method, params=None):
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def call(self, id, name, arguments=None, **more):
        self.request(id, "tools/call", {"name": name, "arguments": arguments or {}, **more})

    def read(self):
        line = self.p.stdout.readline()
        return json.loads(line) if line else None

    def until(self, id):
        """The answer of that id, and what came before it."""
        before = []
        while True:
            m = self.read()
            if m is None or m.get("id") == id and "method" not in m:
                return m, before
            before.append(m)

    def ask(self, id, method, params=None):
        self.request(id, method, params)
        return self.until(id)[0]

    def end(self, timeout=15):
        """Ends the input; the rest of the output, standard error and the exit code."""
        out, err = self.p.communicate(timeout=timeout)
        return out, err, self.p.returncode


def conversation():
    c = Client()
    tools = c.ask(1, "tools/list")["result"]["tools"]
    case("tools are listed", any(t["name"] == "test_simple_text" for t in tools), tools)
    c.call(2, "test_simple_text")
    m, _ = c.until(2)
    case("a tool answers", m["result"]["content"][0]["text"].startswith("This is"), m)
    c.call("p", "test_tool_with_progress", _meta={"progressToken": "t"})
    m, before = c.until("p")
    case("progress comes before the answer",
         [n["params"]["progress"] for n in before] == [0, 50, 100], before)
    c.call(3, "test_sampling", {"prompt": "hello"})
    question = c.read()
    c.send({"jsonrpc": "2.0", "id": question["id"], "result": {
        "role": "assistant", "content": {"type": "text", "text": "an answer"}, "model": "m"}})
    m, _ = c.until(3)
    case("the client is asked in the middle of a call", "an answer" in str(m), m)
    out, err, code = c.end()
    case("the end of the input ends the program", code == 0 and out == b"" and err == b"", (out, err, code))


def both_eras():
    c = Client(handshake=False)
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities": {}}}
    m = c.ask(1, "server/discover", meta)
    case("a stateless client needs no handshake", m["result"]["resultType"] == "complete", m)
    c.request(2, "subscriptions/listen",
              {"notifications": {"resourceSubscriptions": ["test://watched-resource"]}, **meta})
    m = c.read()
    case("a stream of changes begins with its acknowledgement",
         m["method"] == "notifications/subscriptions/acknowledged", m)
    c.call(3, "test_trigger_resource_change", **meta)
    m, before = c.until(3)
    case("a change is told", any(n["method"] == "notifications/resources/updated" for n in before), before)
    c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
    m = c.ask(4, "tools/list", meta)
    case("a stream that is cancelled is not answered", m["id"] == 4, m)
    began = time.monotonic()
    c.request(5, "subscriptions/listen", {"notifications": {}, **meta})
    c.read()
    out, err, code = c.end()
    case("an open stream does not hold the end up", code == 0 and time.monotonic() - began < 0.9,
         time.monotonic() - began)


HOSTILE = [
    (b"", None),
    (b"   \t ", None),
    (b"\r", None),
    (b"x", -32700),
    (b"\xff\xfe\x00", -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"p\xc3\x28ing"}', -32700),
    (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700),
    (b"[" * 100000, -32700),
    (b"[]", -32600),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    (b"null", -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":7}', -32600),
    (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32600),
    (b'{"jsonrpc":"2.0","id":7,"method":"ping\\u0000"}', -32601),
    (b'{"jsonrpc":"2.0","id":7,"method":"' + b"m" * 100000 + b'"}', -32601),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"' + b"n" * 100000 + b'"}}', -32602),
    (b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}', -32600),
    (b'{"jsonrpc":"2.0","method":"notifications/cancelled"}', None),
    (b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}', None),
    (b'{"jsonrpc":"2.0","method":"no/such","params":{"a":"' + b"\\u0041" * 1000 + b'"}}', None),
    (b'{"jsonrpc":"2.0","id":"argus-1","result":{}}', None),
    (b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}', None),
]


def hostile():
    c = Client()
    wrong = []
    for line, code in HOSTILE:
        c.raw(line + b"\n")
        if code is not None:
            m = c.read()
            if not m or m.get("error", {}).get("code") != code:
                wrong.append((line[:60], m))
        m = c.ask("after", "ping")
        if m != {"jsonrpc": "2.0", "id": "after", "result": {}}:
            wrong.append((line[:60], "ping", m))
            break
    case("hostile lines are answered, and the next one is served", not wrong, wrong)
    c.raw(b'{"jsonrpc":"2.0","id":1,"me')
    time.sleep(0.1)
    c.raw(b'thod":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n{"json')
    first, second = c.read(), c.read()
    c.raw(b'rpc":"2.0","id":3,"method":"ping"}\r\n')
    third = c.read()
    case("lines come in pieces and together", [first["id"], second["id"], third["id"]] == [1, 2, 3],
         (first, second, third))
    c.end()


def long_lines():
    c = Client()
    text = "y" * (MAX_MESSAGE - 200)
    c.call(1, "no_such_tool", {"x": text})
    m, _ = c.until(1)
    case("a line of almost 8 MiB is read", m["error"]["code"] == -32602, m)
    thread = threading.Thread(target=c.raw, args=(b"z" * (MAX_MESSAGE + 300000),))
    thread.start()
    m = c.read()
    thread.join()
    case("a longer one is refused before it ends", m["id"] is None and m["error"]["code"] == -32600, m)
    c.raw(b"z" * 5000000 + b'\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    m = c.read()
    case("and skipped to its end", m == {"jsonrpc": "2.0", "id": 2, "result": {}}, m)
    with open("/proc/%d/status" % c.p.pid) as f:
        rss = next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))
    # Sanitizers keep what was freed: their programs are larger.
    case("and what it took is given back", rss < 20000 or "asan" in open("/proc/%d/maps" % c.p.pid).read(), rss)
    c.end()


def many_at_once():
    c = Client()
    began = time.monotonic()
    for i in range(30):
        c.call(i + 100, "test_tool_with_progress")
    answers = [c.read() for _ in range(30)]
    took = time.monotonic() - began
    case("thirty calls run beside each other",
         sorted(a["id"] for a in answers) == list(range(100, 130)) and took < 2.5, took)
    time.sleep(0.2)  # a call counts as under way until a moment behind its answer
    for i in range(60):
        c.call(i + 200, "test_tool_with_progress")
    answers = {a["id"]: a["result"] for a in (c.read() for _ in range(60))}
    refused = [a for a in answers.values() if a["isError"]]
    case("and one too many is told to wait",
         len(answers) == 60 and 1 <= len(refused) <= 28 and "under way" in refused[0]["content"][0]["text"],
         (len(answers), len(refused)))
    out = c.end()
    case("and all end", out[2] == 0 and out[0] == b"", out)


def cancelled():
    c = Client()
    c.call(1, "test_elicitation", {"message": "?"})
    question = c.read()
    c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    taken_back = c.read()
    m = c.ask(2, "ping")
    case("a cancelled call takes its question back and is not answered",
         taken_back.get("params", {}).get("requestId") == question["id"] and m["id"] == 2, (taken_back, m))
    c.call(3, "test_elicitation", {"message": "?"})
    c.read()
    began = time.monotonic()
    out, err, code = c.end()
    took = time.monotonic() - began
    case("the end of the input in the middle of a call cancels it after a moment",
         code == 0 and 0.5 < took < 4 and b'"id":3' not in out.replace(b" ", b""), (out, code, took))


def one_shot():
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
              "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
             {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "test_tool_with_logging"}}]
    data = "\n".join(json.dumps(l) for l in lines).encode()  # no line break at the end
    p = subprocess.run([SERVER], input=data, capture_output=True, timeout=15)
    ids = [json.loads(l).get("id") for l in p.stdout.splitlines()]
    case("what is piped in is answered before the end", ids[-1] == 2 and p.returncode == 0, (ids, p.stderr))
    p = subprocess.run([SERVER], input=b'{"jsonrpc":"2.0","id":', capture_output=True, timeout=15)
    case("half a line at the end is an error", json.loads(p.stdout)["error"]["code"] == -32700, p.stdout)
    p = subprocess.run([SERVER], input=b"", capture_output=True, timeout=15)
    case("no input, no output", p.stdout == b"" and p.returncode == 0, p)


def client_gone():
    c = Client()
    c.p.stdout.close()
    began = time.monotonic()
    try:
        c.call(1, "test_tool_with_logging")
    except BrokenPipeError:
        pass  # it has seen it before it was asked
    code = c.p.wait(timeout=15)
    case("a client that does not read any more ends the program", code == 0 and time.monotonic() - began < 3, code)

    # It reads nothing, and the pipe is full.
    c = Client()
    for i in range(3000):
        c.request(i, "tools/list")
        if i == 0:
            c.read()
        if i > 40:
            break
    time.sleep(0.3)
    c.p.stdin.close()
    code = c.p.wait(timeout=15)
    case("one that never reads does not hold the end up", code == 0, code)


def signals():
    for sig in (signal.SIGTERM, signal.SIGINT):
        c = Client()
        c.call(1, "test_elicitation", {"message": "?"})
        c.read()
        began = time.monotonic()
        c.p.send_signal(sig)
        code = c.p.wait(timeout=15)
        case("%s ends it" % sig.name, code in (0, 130) and time.monotonic() - began < 3, code)


for fn in (conversation, both_eras, hostile, long_lines, many_at_once, cancelled, one_shot, client_gone, signals):
    try:
        fn()
    except Exception as e:  # the other cases shall run
        case(fn.__name__, False, repr(e))
sys.exit(bad)
