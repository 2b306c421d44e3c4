#!/usr/bin/env python3
"""Checks the scripted model server from outside (behind fake_model.sh).

usage: fake_model_check.py PROGRAM FOLDER

Each case starts a server with a script of its own. Reads the wire itself where it matters: a cut after byte 57 must be a
cut after byte 57.
"""
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time

PROGRAM, FOLDER = sys.argv[1], sys.argv[2]
HELLO = [{"role": "user", "content": "hi"}]


class Server:
    def __init__(self, script, *args):
        self.log = os.path.join(FOLDER, "log")
        path = os.path.join(FOLDER, "script")
        with open(path, "w", encoding="utf-8") as f:
            f.write(script)
        self.p = subprocess.Popen([PROGRAM, "--script", path, "--log", self.log] + list(args),
                                  stdout=subprocess.PIPE, text=True)
        word, _, port = self.p.stdout.readline().partition(" ")
        assert word == "port", word
        self.port = int(port)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.p.send_signal(signal.SIGTERM)
        code = self.p.wait(20)
        self.p.stdout.close()
        if not exc[0]:
            assert code == 0, "exit code %d" % code

    def lines(self):
        with open(self.log, encoding="utf-8") as f:
            return [json.loads(x) for x in f]

    def post(self, path, body, headers=None):
        """-> status, headers (lower case), body; what came before a cut is in the body"""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        h = {"Content-Type": "application/json", "Authorization": "Bearer secret-key"}
        if path.endswith("/messages"):
            h = {"Content-Type": "application/json", "x-api-key": "secret-key",
                 "anthropic-version": "2023-06-01"}
        h.update(headers or {})
        c.request("POST", path, body if isinstance(body, (str, bytes)) else json.dumps(body), h)
        r = c.getresponse()
        try:
            data = r.read()
        except http.client.IncompleteRead as e:
            data = e.partial
        c.close()
        return r.status, {k.lower(): v for k, v in r.getheaders()}, data

    def chat(self, text="hi", path="/v1/chat/completions", **more):
        body = {"model": "m", "messages": [{"role": "user", "content": text}]}
        body.update(more)
        status, headers, data = self.post(path, body)
        return status, headers, data

    def messages(self, text="hi", **more):
        body = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": text}]}
        body.update(more)
        return self.post("/v1/messages", body)

    def raw(self, request, seconds=20):
        """All bytes until the server closes, and whether it was reset."""
        s = socket.create_connection(("127.0.0.1", self.port), timeout=seconds)
        s.sendall(request)
        data = b""
        try:
            while True:
                more = s.recv(65536)
                if not more:
                    return data, "closed"
                data += more
        except ConnectionResetError:
            return data, "reset"
        except socket.timeout:
            return data, "silent"
        finally:
            s.close()


def request_bytes(body, path="/v1/chat/completions", head=""):
    b = json.dumps(body).encode()
    return ("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            "anthropic-version: 1\r\n%sContent-Length: %d\r\n\r\n" % (path, head, len(b))).encode() + b


def unchunk(data):
    """Body bytes of a response that may be cut anywhere, chunk sizes, and whether the end was there."""
    head, _, rest = data.partition(b"\r\n\r\n")
    body, sizes = b"", []
    while True:
        size, sep, rest = rest.partition(b"\r\n")
        if not sep:
            return head, body, sizes, False
        n = int(size, 16)
        if n == 0:
            return head, body, sizes, rest.startswith(b"\r\n")
        sizes.append(n)
        body += rest[:n]
        rest = rest[n + 2:]


def events(data):
    """[(name, data)] of an event stream with any line ends."""
    text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    found = []
    for block in text.split("\n\n"):
        name, lines = "", []
        for line in block.split("\n"):
            if line.startswith("event:"):
                name = line[6:].strip()
            elif line.startswith("data:"):
                lines.append(line[5:].lstrip(" "))
        if lines:
            found.append((name, "\n".join(lines)))
    return found


def chunks(data):
    """Parsed chunks of an OpenAI stream; [DONE] must be last."""
    ev = [d for _, d in events(data)]
    assert ev[-1] == "[DONE]", ev[-1]
    return [json.loads(d) for d in ev[:-1]]


def delta_text(parsed, member="content"):
    return "".join(c["choices"][0]["delta"].get(member) or "" for c in parsed if c["choices"])


def equal(got, want):
    assert got == want, "got %r, want %r" % (got, want)


# ---------------------------------------------------------------- content of both protocols

RICH = """
answer repeat
  thinking Let me see.
  text Grüße, "you"
  tool run_query {"filter":{"email":null}}
  tool run_query {"filter":{"email":"ä"}}
  usage 100 20 cached 60 cache_write 10 thinking 5
  tool_parts 3
  deltas 4
"""
ARGS = ['{"filter":{"email":null}}', '{"filter":{"email":"ä"}}']


def openai_whole():
    with Server(RICH) as s:
        status, headers, data = s.chat(path="/some/base/v1/chat/completions")
        d = json.loads(data)
        m = d["choices"][0]["message"]
        equal((status, headers["content-type"]), (200, "application/json"))
        equal((d["object"], d["model"], m["role"], m["content"]),
              ("chat.completion", "m", "assistant", 'Grüße, "you"'))
        equal(m["reasoning_content"], "Let me see.")
        equal([t["function"]["arguments"] for t in m["tool_calls"]], ARGS)
        assert m["tool_calls"][0]["id"] != m["tool_calls"][1]["id"]
        equal(d["choices"][0]["finish_reason"], "tool_calls")
        equal((d["usage"]["prompt_tokens"], d["usage"]["completion_tokens"],
               d["usage"]["prompt_tokens_details"]["cached_tokens"],
               d["usage"]["completion_tokens_details"]["reasoning_tokens"]), (100, 20, 60, 5))


def openai_stream():
    with Server(RICH) as s:
        status, headers, data = s.chat(stream=True, stream_options={"include_usage": True})
        c = chunks(data)
        equal((status, headers["content-type"], headers["transfer-encoding"]),
              (200, "text/event-stream; charset=utf-8", "chunked"))
        equal(c[0]["choices"][0]["delta"]["role"], "assistant")
        equal(delta_text(c), 'Grüße, "you"')
        equal(delta_text(c, "reasoning_content"), "Let me see.")
        calls = {}
        for x in c:
            for t in (x["choices"][0]["delta"].get("tool_calls") or []) if x["choices"] else []:
                calls.setdefault(t["index"], [t.get("id"), t["function"].get("name"), []])
                calls[t["index"]][2].append(t["function"]["arguments"])
        equal(["".join(v[2]) for v in calls.values()], ARGS)
        equal([v[1] for v in calls.values()], ["run_query"] * 2)
        assert all(len(p.encode()) <= 3 for v in calls.values() for p in v[2])
        equal(c[-2]["choices"][0]["finish_reason"], "tool_calls")
        equal((c[-1]["choices"], c[-1]["usage"]["total_tokens"], c[0]["usage"]), ([], 120, None))
        c = chunks(s.chat(stream=True)[2])
        assert all("usage" not in x and x["choices"] for x in c)


def anthropic_whole():
    with Server(RICH) as s:
        status, _, data = s.messages()
        d = json.loads(data)
        equal((status, d["type"], d["role"], d["stop_reason"]),
              (200, "message", "assistant", "tool_use"))
        equal([b["type"] for b in d["content"]], ["thinking", "text", "tool_use", "tool_use"])
        assert d["content"][0]["signature"]
        equal(d["content"][3]["input"], {"filter": {"email": "ä"}})
        equal(d["usage"], {"input_tokens": 30, "cache_creation_input_tokens": 10,
                           "cache_read_input_tokens": 60, "output_tokens": 20})


def anthropic_stream():
    with Server(RICH) as s:
        ev = events(s.messages(stream=True)[2])
        parsed = [(n, json.loads(d)) for n, d in ev]
        assert all(n == d["type"] for n, d in parsed)
        names = [n for n, _ in parsed]
        equal(names[:3] + names[-2:], ["message_start", "content_block_start", "ping",
                                       "message_delta", "message_stop"])
        equal((names.count("content_block_start"), names.count("content_block_stop")), (4, 4))
        got = {}
        for n, d in parsed:
            if n == "content_block_delta":
                for k in ("text", "thinking", "partial_json", "signature"):
                    key = d["index"], k
                    got[key] = got.get(key, "") + d["delta"].get(k, "")
        equal(got[0, "thinking"], "Let me see.")
        assert got[0, "signature"]
        equal([got[1, "text"], got[2, "partial_json"], got[3, "partial_json"]],
              ['Grüße, "you"'] + ARGS)
        equal(parsed[-2][1]["delta"]["stop_reason"], "tool_use")
        equal(parsed[-2][1]["usage"]["output_tokens"], 20)


def json_answers():
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
              "additionalProperties": False}
    with Server('answer repeat\n  json {"a":1}\n') as s:
        d = json.loads(s.chat(response_format={"type": "json_schema", "json_schema": {
            "name": "x", "schema": schema, "strict": True}})[2])
        equal(d["choices"][0]["message"]["content"], '{"a":1}')
        d = json.loads(s.chat(tools=[{"type": "function", "function": {
            "name": "out", "parameters": schema}}], tool_choice={
                "type": "function", "function": {"name": "out"}})[2])
        equal(d["choices"][0]["message"]["tool_calls"][0]["function"],
              {"name": "out", "arguments": '{"a":1}'})
        equal(d["choices"][0]["finish_reason"], "stop")
        tool = {"name": "out", "input_schema": schema}
        d = json.loads(s.messages(tools=[tool], tool_choice={"type": "tool", "name": "out"})[2])
        equal((d["content"][0]["name"], d["content"][0]["input"]), ("out", {"a": 1}))
        d = json.loads(s.messages(tools=[tool], tool_choice={"type": "any"})[2])
        equal(d["content"][0]["type"], "tool_use")
        d = json.loads(s.messages(tools=[tool])[2])
        equal(d["content"][0], {"type": "text", "text": '{"a":1}'})


def failures():
    with Server("""
answer
  status 429
  header Retry-After: 1
answer
  status 529
  error too much
answer
  status 200
  body {"error":
      {"message":"odd"}}
answer repeat
  text part
  error_in_stream out of memory
""") as s:
        status, headers, data = s.chat()
        equal((status, headers["retry-after"]), (429, "1"))
        assert json.loads(data)["error"]["type"] == "rate_limit_exceeded"
        status, _, data = s.messages()
        d = json.loads(data)
        equal((status, d["type"], d["error"]), (529, "error", {"type": "overloaded_error",
                                                                "message": "too much"}))
        equal(s.chat()[2], b'{"error":\n{"message":"odd"}}')
        ev = events(s.messages(stream=True)[2])
        equal((ev[-1][0], json.loads(ev[-1][1])["error"]["message"]), ("error", "out of memory"))
        ev = events(s.chat(stream=True)[2])
        equal(json.loads(ev[-1][1])["error"]["type"], "server_error")
        equal([s.messages()[0], s.chat()[0]], [529, 500])


def refusals():
    tool = {"type": "function", "function": {"name": "t", "parameters": {"type": "object"}}}
    call = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}]}
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "t",
                                             "input": {}}]}
    loose = {"type": "object", "properties": {"a": {}}}
    with Server("answer repeat\n  text x\n") as s:
        for more, want in [
                ({"messages": []}, "messages"), ({"model": ""}, "model"),
                ({"messages": [{"role": "bot", "content": "x"}]}, "role"),
                ({"messages": HELLO + [call] + HELLO}, "must be followed by tool"),
                ({"messages": HELLO + [call]}, "tool_calls"),
                ({"messages": [{"role": "tool", "tool_call_id": "c1", "content": "x"}]},
                 "preceding"),
                ({"stream_options": {"include_usage": True}}, "stream"),
                ({"tool_choice": "auto"}, "tools"), ({"temperature": 3}, "temperature"),
                ({"tools": [tool], "tool_choice": {"type": "function",
                                                   "function": {"name": "z"}}}, "no such"),
                ({"response_format": {"type": "json_schema", "json_schema": {
                    "name": "x", "schema": loose, "strict": True}}}, "additionalProperties"),
                ({"max_tokens": 1, "max_completion_tokens": 1}, "both")]:
            status, _, data = s.chat(**more)
            assert status == 400 and want in json.loads(data)["error"]["message"], (more, data)
        equal(s.chat(messages=HELLO + [call, {"role": "tool", "tool_call_id": "c1",
                                              "content": "r"}], tools=[tool])[0], 200)
        for more, want in [
                ({"max_tokens": 0}, "max_tokens"),
                ({"messages": [{"role": "assistant", "content": "x"}]}, "first message"),
                ({"messages": [{"role": "user", "content": ""}]}, "non-empty"),
                ({"messages": HELLO + [use] + HELLO}, "tool_result"),
                ({"temperature": 1.5}, "temperature"),
                ({"tools": [{"name": "a b", "input_schema": {"type": "object"}}]}, "name"),
                ({"thinking": {"type": "enabled", "budget_tokens": 5000}}, "budget"),
                ({"system": [{"type": "text", "text": ""}]}, "system")]:
            status, _, data = s.messages(**more)
            assert status == 400 and want in json.loads(data)["error"]["message"], (more, data)
        equal(s.messages(messages=HELLO + [use, {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "r"}]}])[0], 200)
        equal(s.post("/v1/messages", {}, {"anthropic-version": ""})[0], 400)
        equal(s.post("/v1/chat/completions", "{")[0], 400)
        equal(s.post("/v1/nothing", {})[0], 404)
        equal(s.post("/v1/models", {})[0], 405)


# ---------------------------------------------------------------- which answer

def choosing():
    with Server("""
models a b
answer on models when not "x"
  status 401
answer model large
  text large
answer when "alpha" when not "beta"
  text alpha only
answer times 2 when system "be brief"
  text brief
answer when last "question"
  text asked last
answer streamed
  text "streamed "
otherwise
  text rest
answer
  text plain
""") as s:
        def say(text="hi", **more):
            return json.loads(s.chat(text, **more)[2])["choices"][0]["message"]["content"]

        equal(say("alpha beta"), "plain")
        equal(say("alpha"), "alpha only")
        equal(say("alpha"), "rest")
        equal(say(model="large"), "large")
        brief = [{"role": "system", "content": "be \"very\" brief, be brief"}] + HELLO
        equal([say(messages=brief) for _ in range(3)], ["brief", "brief", "rest"])
        equal(json.loads(s.messages(system="be brief")[2])["content"][0]["text"], "rest")
        equal(say(messages=[{"role": "user", "content": "question"},
                            {"role": "assistant", "content": "x"}] + HELLO), "rest")
        equal(say("a question"), "asked last")
        equal(delta_text(chunks(s.chat(stream=True)[2])), "streamed ")
        c = http.client.HTTPConnection("127.0.0.1", s.port, timeout=20)
        got = []
        for _ in range(2):
            c.request("GET", "/v1/models")
            r = c.getresponse()
            got.append((r.status, r.read()))
        equal(got[0][0], 401)
        equal([m["id"] for m in json.loads(got[1][1])["data"]], ["a", "b"])
        c.request("GET", "/fake/state")
        equal(json.loads(c.getresponse().read())["unused"], [])
        c.request("POST", "/fake/script", "answer\n  text new\n")
        equal(c.getresponse().read(), b'{"ok":true}')
        equal((say(), s.chat()[0]), ("new", 500))
        c.request("POST", "/fake/script", "answer\n  txt new\n")
        r = c.getresponse()
        equal((r.status, json.loads(r.read())["error"]),
              (400, 'script:2: unknown word "txt" in an answer; did you mean "text"?'))


def script_errors():
    for script, want in [
            ("text x\n", ':1: unknown word "text"'), ("answer\n  txet x\n", 'mean "text"?'),
            ("  text x\n", ":1: indented, but not below an answer"),
            ("answer\n  json {\"a\":\n\n    1]\n", ":2: json"),
            ("answer often\n", ':1: unknown "often"'), ("answer when x\n", ":1: want: when"),
            ("answer\n  cut\n", "want: cut BYTES"), ("answer\n  cut 5\n  reset 6\n", ":3: reset"),
            ("answer\n  crlf now\n", "takes no value"), ("answer\n  wait 5\n    6\n", "one line"),
            ("chaos 0.9 cut, 0.2 drop\n", "shares of 1"), ("chaos 0.1 status 200\n", "400..599"),
            ("answer\n  text \"open\n", ":2: text"), ("answer\n  usage 5 5 cached 6\n", ":2: usage"),
            ("answer\n  tool x nothing\n", ":2: tool")]:
        path = os.path.join(FOLDER, "broken")
        with open(path, "w", encoding="utf-8") as f:
            f.write(script)
        p = subprocess.run([PROGRAM, "--script", path], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, timeout=20)
        assert p.returncode == 2 and path in p.stderr and want in p.stderr, (script, p.stderr)
    equal(subprocess.run([PROGRAM, "--prot", "1"], stderr=subprocess.DEVNULL).returncode, 2)


# ---------------------------------------------------------------- the wire

def cuts():
    body = {"model": "m", "messages": HELLO, "stream": True}
    for how, end in (("cut", "closed"), ("reset", "reset")):
        with Server("answer\n  text some text to cut\nanswer repeat\n  text some text to cut\n"
                    "  %s each\n" % how) as s:
            whole = s.chat(stream=True)[2]
            for n in range(len(whole) + 1):
                data, ended = s.raw(request_bytes(body))
                head, got, _, complete = unchunk(data)
                assert b" 200 " in head and ended == end and not complete, (n, data)
                equal(len(got), n)
            equal(len(s.chat(stream=True)[2]), len(whole))
            lines = s.lines()
            equal((lines[58]["bytes"], lines[58]["answer"]), (57, 3))
    with Server("answer repeat\n  text abc\n  cut each_then_whole\n  framing length\n") as s:
        got = [len(s.raw(request_bytes({"model": "m", "messages": HELLO}, head="Connection: close\r\n"))
                   [0].partition(b"\r\n\r\n")[2]) for _ in range(6)]
        equal(got[0::2], [0, 1, 2])
        assert min(got[1::2]) > 100
    with Server("answer\n  text abc\n  cut 99999\nanswer\n  drop\n") as s:
        equal(unchunk(s.raw(request_bytes(body, head="Connection: close\r\n"))[0])[3], True)
        equal(s.raw(request_bytes(body)), (b"", "closed"))


def pieces():
    body = {"model": "m", "messages": HELLO, "stream": True}
    with Server("answer\n  text Hello, world\n  pieces 1\nanswer\n  text Hello, world\n"
                "  delay 20\n  pieces events\nanswer\n  text abc\n  wait 200\n  framing close\n"
                "answer\n  text abcd\n  close\n") as s:
        data, _ = s.raw(request_bytes(body, head="Connection: close\r\n"))
        head, got, sizes, complete = unchunk(data)
        equal((set(sizes), complete), ({1}, True))
        equal(delta_text(chunks(got)), "Hello, world")
        start = time.monotonic()
        head, got, sizes, _ = unchunk(s.raw(request_bytes(body, head="Connection: close\r\n"))[0])
        equal(len(sizes), len(events(got)))
        assert time.monotonic() - start >= 0.02 * (len(sizes) - 1)
        start = time.monotonic()
        data, ended = s.raw(request_bytes(body))
        assert time.monotonic() - start >= 0.2 and ended == "closed"
        assert b"chunked" not in data and data.endswith(b"data: [DONE]\n\n"), data
        data, ended = s.raw(request_bytes(body))
        assert ended == "closed" and b"connection: close" not in data.lower()


def silence():
    body = request_bytes({"model": "m", "messages": HELLO})
    with Server("answer\n  text x\n  hang\nanswer\n  text x\n  hang_after 7\nanswer\n  text x\n") as s:
        equal(s.raw(body, 1), (b"", "silent"))
        data, ended = s.raw(body, 1)
        equal((len(data.partition(b"\r\n\r\n")[2]), ended), (7, "silent"))
        equal(s.chat()[0], 200)
        end, left = time.monotonic() + 10, []
        while len(left) < 2 and time.monotonic() < end:
            time.sleep(0.02)
            left = [x for x in s.lines() if x.get("left")]
        equal([(x["n"], x["bytes"]) for x in left], [(1, 0), (2, 7)])


def habits():
    def stream(script, **more):
        with Server("answer\n  text abc\n" + script) as s:
            return s.chat(stream=True, **more)[2]

    data = stream("  crlf\n  bom\n  tight\n  comments\n")
    assert data.startswith(b"\xef\xbb\xbf: ") and b"\r\ndata:{" in data
    assert b"\n" not in data.replace(b"\r\n", b"")
    equal(delta_text(chunks(data)), "abc")
    assert b"\n" not in stream("  cr\n")
    assert b"DONE" not in stream("  no_done\n")
    assert stream("  no_last_newline\n").endswith(b"[DONE]")
    assert b'"finish_reason":"' not in stream("  no_finish\n")
    assert b'"choices":[],' in stream("  empty_choices\n")
    assert b"vendor_note" in stream("  unknown_events\n")
    assert b"x_vendor" in stream("  unknown_members\n")
    assert b'"content":[{"type":"text","text":"abc"}]' in stream("  parts_content\n")
    assert b"prompt_tokens" not in stream("  no_usage\n", stream_options={"include_usage": True})
    calls = '  tool a {"x":1}\n  tool b {"y":2}\n'
    assert b'"arguments":{"x":1}' in stream(calls + "  object_arguments\n")
    assert b'"index":1' not in stream(calls + "  no_index\n")
    assert b'"id":"call_' not in stream(calls + "  no_ids\n")
    assert b'"delta":{"content":null,"tool_calls"' in stream(calls + "  null_content\n")
    assert b'"content":' not in stream(calls + "  absent_content\n").split(b"finish_reason")[-3]
    turns = [c["choices"][0]["delta"]["tool_calls"][0]["index"]
             for c in chunks(stream(calls + "  tool_parts 2\n  interleave\n"))
             if c["choices"][0]["delta"].get("tool_calls")]
    equal(turns, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1][:len(turns)])


def requests():
    body = json.dumps({"model": "m", "messages": HELLO}).encode()
    ask = request_bytes({"model": "m", "messages": HELLO})
    last = request_bytes({"model": "m", "messages": HELLO}, head="Connection: close\r\n")
    with Server("answer repeat\n  text x\n") as s:
        data, _ = s.raw(ask + ask + last)
        equal(data.count(b"HTTP/1.1 200"), 3)
        c = socket.create_connection(("127.0.0.1", s.port), timeout=20)
        for i in range(len(last)):
            c.sendall(last[i:i + 1])
        assert c.recv(65536).startswith(b"HTTP/1.1 200")
        c.close()
        head = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Type: application/json\r\nConnection: close\r\n"
        chunked = b"".join(b"%x;ext=1\r\n%s\r\n" % (len(body[i:i + 7]), body[i:i + 7])
                           for i in range(0, len(body), 7)) + b"0\r\nTrailer: x\r\n\r\n"
        data, _ = s.raw(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunked)
        assert data.startswith(b"HTTP/1.1 200"), data
        c = socket.create_connection(("127.0.0.1", s.port), timeout=20)
        c.sendall(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        equal(c.recv(65536), b"HTTP/1.1 100 Continue\r\n\r\n")
        c.sendall(body)
        assert c.recv(65536).startswith(b"HTTP/1.1 200")
        c.close()
        data, ended = s.raw(b"POST /v1/chat/completions HTTP/1.0\r\nContent-Type: application/json\r\n"
                            b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert data.startswith(b"HTTP/1.1 200") and ended == "closed"
        for broken, status in [
                (b"nonsense\r\n\r\n", 400), (b"GET / HTTP/2.0\r\n\r\n", 400),
                (head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
                (head + b"Content-Length: x\r\n\r\n", 400), (head + b"A : b\r\n\r\n", 400),
                (head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
                (head + b"Content-Length: 99999999999\r\n\r\n", 413),
                (b"GET /" + b"x" * 70000, 431)]:
            data, ended = s.raw(broken)
            assert data.startswith(b"HTTP/1.1 %d " % status), (broken[-60:], data)


def the_log():
    with Server("answer repeat\n  text x\n") as s:
        s.chat("line\nbreak")
        s.messages()
        s.post("/v1/chat/completions", '{"model":"m",\n"messages":[{"role":"user","content":"x"}]}',
               {"Authorization": "Bearer other-key"})
        s.post("/v1/chat/completions", {"model": "m", "messages": HELLO}, {"Authorization": ""})
        lines = s.lines()
        equal([x["n"] for x in lines], [1, 2, 3, 4])
        equal([x["key_header"] for x in lines][:2], ["authorization", "x-api-key"])
        equal(lines[0]["key_hash"], lines[1]["key_hash"])
        assert lines[0]["key_hash"] != lines[2]["key_hash"]
        equal(lines[0]["request"]["messages"][0]["content"], "line\nbreak")
        equal((lines[1]["path"], lines[1]["method"], lines[1]["answer"], lines[1]["status"]),
              ("/v1/messages", "POST", 1, 200))
        with open(s.log, encoding="utf-8") as f:
            assert "secret-key" not in f.read()


# ---------------------------------------------------------------- chaos and many

def chaos_run(seed):
    """What 200 requests met: status, or how the body was."""
    with Server("answer repeat\n  text a text of some length\n"
                "chaos 0.1 cut, 0.1 garbage, 0.1 status 529, 0.05 drop, 0.05 delay 1\n",
                "--seed", str(seed)) as s:
        for _ in range(200):
            s.raw(request_bytes({"model": "m", "messages": HELLO, "stream": True},
                                head="Connection: close\r\n"))
        return [(x.get("chaos"), x["status"], x["bytes"]) for x in s.lines()]


def chaos():
    one = chaos_run(7)
    equal(chaos_run(7), one)
    assert chaos_run(8) != one
    count = {k: sum(x[0] == k for x in one) for k in ("cut", "garbage", "status", "drop", "delay")}
    assert all(count.values()) and 40 <= sum(count.values()) <= 120, count
    with Server("answer\n  text the only one\nchaos 1 status 503\n") as s:
        equal([s.chat()[0] for _ in range(3)], [503] * 3)
        equal([x["answer"] for x in s.lines()], [None] * 3)


def many():
    """500 connections, all open at once, each with a slow answer."""
    body = {"model": "m", "messages": HELLO, "stream": True}
    with Server("answer repeat\n  text one of many streams\n  delay 2\n  wait 200\n") as s:
        start, data, waiting = time.monotonic(), {}, {}
        for _ in range(500):
            c = socket.create_connection(("127.0.0.1", s.port), timeout=20)
            c.sendall(request_bytes(body, head="Connection: close\r\n"))
            waiting[c.fileno()] = c
            data[c.fileno()] = b""
        poll = select.poll()
        for fd in waiting:
            poll.register(fd, select.POLLIN)
        while waiting and time.monotonic() - start < 30:
            for fd, _ in poll.poll(1000):
                more = waiting[fd].recv(65536)
                data[fd] += more
                if not more:
                    poll.unregister(fd)
                    waiting.pop(fd).close()
        assert not waiting, "%d without an end" % len(waiting)
        for d in data.values():
            equal(delta_text(chunks(unchunk(d)[1])), "one of many streams")
        equal(len(s.lines()), 500)


CASES = [openai_whole, openai_stream, anthropic_whole, anthropic_stream, json_answers, failures,
         refusals, choosing, script_errors, cuts, pieces, silence, habits, requests, the_log, chaos,
         many]


def main():
    bad = False
    for case in CASES:
        try:
            case()
            print("ok - " + case.__name__.replace("_", " "))
        except Exception as e:  # every case is heard
            bad = True
            print("not ok - %s: %s: %s" % (case.__name__.replace("_", " "), type(e).__name__, e))
            tb = e.__traceback__
            while tb.tb_next and tb.tb_next.tb_frame.f_code.co_filename == __file__:
                tb = tb.tb_next
            print("  line %d" % tb.tb_lineno)
        sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
