#!/usr/bin/env python3
"""A model that plays by policy: an OpenAI-compatible server whose answers are made from the tool results of the request and
from nothing else. It remembers nothing between requests. README.md is the manual, policy_plan.py what it does.

usage: policy_model.py [--port N] [--port-file FILE] [--log FILE] [--delay MS]
"""
import argparse
import hashlib
import json
import os
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from policy_plan import Plan, is_error  # noqa: E402

MAX_BODY = 64 << 20
MODEL = "policy-model"


class Refused(Exception):
    """a request that real servers refuse as well"""


def text_of(content):
    if isinstance(content, list):
        return "".join(p.get("text", "") for p in content if isinstance(p, dict))
    return content or ""


def history(messages):
    """question, [(tool, arguments, result)] as the request shows them; checks what providers check"""
    question, calls, results, open_ids = None, [], {}, []
    for i, m in enumerate(messages):
        role = m.get("role")
        if open_ids and role != "tool":
            raise Refused("messages[%d]: calls without an answer: %s" % (i, ", ".join(open_ids)))
        if role == "user" and question is None:
            question = text_of(m.get("content"))
        elif role == "assistant":
            for c in m.get("tool_calls") or []:
                if not c.get("id") or c["id"] in results or c["id"] in open_ids:
                    raise Refused("messages[%d]: an id is missing or there twice" % i)
                open_ids.append(c["id"])
                calls.append((c["id"], c["function"]["name"], c["function"]["arguments"]))
        elif role == "tool":
            if m.get("tool_call_id") not in open_ids:
                raise Refused("messages[%d]: answers no call: %r" % (i, m.get("tool_call_id")))
            open_ids.remove(m["tool_call_id"])
            results[m["tool_call_id"]] = text_of(m.get("content"))
    if open_ids:
        raise Refused("calls without an answer: " + ", ".join(open_ids))
    if question is None:
        raise Refused("no user message")
    made = []
    for call, name, arguments in calls:
        try:
            made.append((name, json.loads(arguments), results[call]))
        except ValueError:
            made.append((name, None, results[call]))
    return question, made


def decide(request):
    """(text, [(tool, arguments)]): the plan is played again from its beginning; a call that the request shows has its
    result from there, the first that is not there is what is asked for now"""
    question, made = history(request["messages"])
    tools = [t["function"] for t in request.get("tools") or [] if t.get("type") == "function"]
    may_call = bool(tools) and request.get("tool_choice") != "none"
    # Without tools the plan is played with those that were used.
    plan = Plan(question, tools or [{"name": n} for n in sorted({name for name, _, _ in made})])
    steps, left, results = plan.run(), list(made), None
    try:
        while True:
            wanted = steps.send(results)
            results, missing = [], []
            for name, args in wanted:
                at = next((i for i, c in enumerate(left) if c[0] == name and c[1] == args), None)
                if at is None:
                    missing.append((name, args))
                else:
                    results.append(left.pop(at)[2])
            if missing:
                if not may_call or any("budget" in r and is_error(r) for _, _, r in made):
                    return plan.best(), []
                return None, missing
    except StopIteration as end:
        return end.value, []


def message_of(request, n):
    text, calls = decide(request)
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": "call_%d_%d" % (n, i), "type": "function",
             "function": {"name": name, "arguments": json.dumps(args, ensure_ascii=False)}}
            for i, (name, args) in enumerate(calls)]
    return message, "tool_calls" if calls else "stop"


def usage_of(request, message):
    return_tokens = len(json.dumps(message)) // 4
    prompt = len(json.dumps(request["messages"], ensure_ascii=False).encode()) // 4
    return {"prompt_tokens": prompt, "completion_tokens": return_tokens, "total_tokens": prompt + return_tokens}


def chunks(request, message, finish, head):
    """the events of a stream: texts in pieces of about 40 characters, arguments in pieces of 12"""
    def event(delta, finish=None):
        return dict(head, object="chat.completion.chunk", choices=[{"index": 0, "delta": delta, "finish_reason": finish}])

    yield event({"role": "assistant", "content": "" if message["content"] is not None else None})
    text = message["content"] or ""
    for i in range(0, len(text), 40):
        yield event({"content": text[i:i + 40]})
    for i, call in enumerate(message.get("tool_calls", [])):
        f = call["function"]
        yield event({"tool_calls": [{"index": i, "id": call["id"], "type": "function",
                                     "function": {"name": f["name"], "arguments": ""}}]})
        for j in range(0, len(f["arguments"]), 12):
            yield event({"tool_calls": [{"index": i, "function": {"arguments": f["arguments"][j:j + 12]}}]})
    yield event({}, finish)
    if (request.get("stream_options") or {}).get("include_usage"):
        yield dict(head, object="chat.completion.chunk", choices=[], usage=usage_of(request, message))


class Log:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8") if path else None
        self.lock, self.n = threading.Lock(), 0

    def number(self):
        with self.lock:
            self.n += 1
            return self.n

    def write(self, line):
        if self.file:
            with self.lock:
                self.file.write(json.dumps(line, ensure_ascii=False) + "\n")
                self.file.flush()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log, delay_s = None, 0.0
    disable_nagle_algorithm = True

    def do_GET(self):
        if self.path.split("?")[0].endswith("/models"):
            self.send_json(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "tests"}]})
        else:
            self.send_json(404, {"error": {"message": "no such address", "type": "invalid_request_error"}})

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if 0 <= length <= MAX_BODY else b""
        n, request, message, status = self.log.number(), None, None, 200
        try:
            if not self.path.split("?")[0].endswith("/chat/completions"):
                raise Refused("no such address: " + self.path)
            request = json.loads(body)
            if not isinstance(request, dict) or not isinstance(request.get("messages"), list):
                raise Refused("messages: want a list")
            message, finish = message_of(request, n)
        except (ValueError, RecursionError, Refused) as e:
            status, error = 400, "%s: %s" % (type(e).__name__, e)
        except Exception as e:  # a request of another shape, or a mistake in a plan: never a silent end
            status, error = 400 if isinstance(e, (KeyError, TypeError, AttributeError)) else 500, "%s: %s" % (type(e).__name__, e)
        # The line is there before the answer leaves.
        self.log.write(self.line(n, body, request, message, status))
        if self.delay_s:
            time.sleep(self.delay_s)
        if message is None:
            self.send_json(status, {"error": {"message": error, "type": "invalid_request_error"}})
            return
        head = {"id": "chatcmpl-%d" % n, "created": int(time.time()), "model": request.get("model", MODEL)}
        if request.get("stream"):
            self.send_stream(chunks(request, message, finish, head))
        else:
            self.send_json(200, dict(head, object="chat.completion", usage=usage_of(request, message),
                                     choices=[{"index": 0, "message": message, "finish_reason": finish}]))

    def line(self, n, body, request, message, status):
        key = self.headers.get("Authorization") or ""
        return {"n": n, "method": self.command, "path": self.path, "key_header": "authorization" if key else None,
                "key_hash": hashlib.sha256(key.encode("latin-1")).hexdigest()[:16] if key else None,
                "status": status,
                "body_bytes": len(body), "request": request if request is not None else body.decode("utf-8", "replace"),
                "reply": message}

    def send_json(self, status, value):
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_stream(self, events):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for data in [json.dumps(e, ensure_ascii=False) for e in events] + ["[DONE]"]:
            line = ("data: %s\n\n" % data).encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *args):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file")
    parser.add_argument("--log")
    parser.add_argument("--delay", type=int, default=0, metavar="MS", help="before each answer")
    args = parser.parse_args()
    Handler.log, Handler.delay_s = Log(args.log), args.delay / 1000
    server = ThreadingHTTPServer(("127.0.0.1", args.port), Handler)
    server.daemon_threads = True
    port = server.server_address[1]
    if args.port_file:
        with open(args.port_file + ".part", "w") as f:
            f.write("%d\n" % port)
        os.rename(args.port_file + ".part", args.port_file)
    print("port %d" % port, flush=True)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    try:
        server.serve_forever(poll_interval=0.05)
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
