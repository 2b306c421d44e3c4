#!/usr/bin/env python3
"""OpenTelemetry traces of argus serve, by a collector that is written here, on both stores.

1. A question is one trace: request, turn, model calls, tool, statement; ids, parents and times fit, and the model server gets it.
2. No question, statement, row, key or name of a person is in a span.
3. The standard's variables hold: sampler, headers, service, resource; a parent's decision is followed.
4. A collector that is away, slow, refuses or talks nonsense delays neither an answer nor a stop; what it lost is counted."""
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import serve
from serve import DIR, Server, argus, ask, check, post, wait, words


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that had enough is no error here."""


class Place:
    """A server on loopback whose answer is answer(handler, body)."""
    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_POST(self):
                answer(self, self.rfile.read(int(self.headers.get("Content-Length") or 0)))

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def reply(handler, status, body=b"{}", **headers):
    handler.send_response(status)
    for k, v in headers.items():
        handler.send_header(k.replace("_", "-"), v)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


class Collector(Place):
    def __init__(self):
        self.requests, self.status, self.delay = [], 200, 0
        self.lock = threading.Lock()
        super().__init__(self.take)

    def take(self, handler, body):
        time.sleep(self.delay)
        status = self.status.pop(0) if isinstance(self.status, list) and self.status else self.status if isinstance(self.status, int) else 200
        with self.lock:
            self.requests.append((handler.path, dict(handler.headers), json.loads(body), status))
        reply(handler, status, Content_Type="application/json")

    def spans(self):
        with self.lock:
            return [dict(s, resource=attributes(r["resource"])) for _, _, doc, status in self.requests if status == 200
                    for r in doc["resourceSpans"] for sc in r["scopeSpans"] for s in sc["spans"]]

    def text(self):
        with self.lock:
            return json.dumps([x[2] for x in self.requests])


def attributes(thing):
    return {a["key"]: a["value"].get("stringValue", a["value"].get("intValue")) for a in thing["attributes"]}


class ModelFront(Place):
    """Passes everything on to the scripted model, and notes the trace."""
    def __init__(self, model):
        self.parents = []

        def pass_on(handler, body):
            self.parents.append(handler.headers.get("traceparent"))
            rq = urllib.request.Request(model.url + handler.path, body, {"Content-Type": "application/json", "Authorization": handler.headers["Authorization"]})
            with urllib.request.urlopen(rq) as r:
                reply(handler, 200, r.read(), Content_Type=r.headers["Content-Type"])
        super().__init__(pass_on)


def settings(collector, **more):
    for k in [k for k in serve.MORE if k.startswith("OTEL_")]:
        del serve.MORE[k]
    serve.MORE.update({"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100"})
    serve.MORE.update(("OTEL_" + k, v) for k, v in more.items())


def question(server, token, text, thread, **headers):
    r = ask(server, "POST", "/api/chat/", serve.question(text, thread), token, **headers)
    return words(r.rest())


def one_trace(store, model, token):
    collector, front = Collector(), ModelFront(model)
    serve.MORE["LLM_API_BASE"] = front.url
    settings(collector, EXPORTER_OTLP_HEADERS="x-api-key=secret%20of%20the%20test,x-other=1", SERVICE_NAME="argus test",
             RESOURCE_ATTRIBUTES="deployment.environment.name=test%2Done,service.name=not this")
    a = Server(store, model)
    parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    said = question(a, token, "How many customers are there?", "hidden-thread-1", traceparent=parent)
    check("the answer is as ever", said == "There are 3 customers.", said)
    spans = wait(lambda: [s for s in collector.spans() if s["traceId"] == parent[3:35]] if any(s["name"].startswith("POST") for s in collector.spans()) else None) or []
    by = {}
    for s in spans:
        by.setdefault(s["name"].split(" ")[0], []).append(s)
    got = sorted((s["name"], s["kind"]) for s in spans)
    check("a question is one trace, which goes on from the request's traceparent", got == [
        ("POST /api/chat/", 2), ("SELECT sqlite", 3), ("chat m", 3), ("chat m", 3), ("execute_tool execute_sql", 1), ("invoke_agent analyst", 1)], got)
    ids = {s["spanId"]: s for s in spans}
    request, turn, tool, sql = by["POST"][0], by["invoke_agent"][0], by["execute_tool"][0], by["SELECT"][0]
    check("each span is part of the right one", request["parentSpanId"] == parent[36:52] and turn["parentSpanId"] == request["spanId"] and
          tool["parentSpanId"] == turn["spanId"] and sql["parentSpanId"] == tool["spanId"] and
          all(c["parentSpanId"] == turn["spanId"] for c in by["chat"]), spans)
    check("ids are as the standard has them", all(re.fullmatch("[0-9a-f]{32}", s["traceId"]) and re.fullmatch("[0-9a-f]{16}", s["spanId"]) and
                                                  int(s["spanId"], 16) for s in spans) and len(ids) == len(spans))
    times = {k: (int(s["startTimeUnixNano"]), int(s["endTimeUnixNano"])) for k, s in ids.items()}
    now = time.time() * 1e9
    wrong = [s["name"] for s in spans if not now - 60e9 < times[s["spanId"]][0] <= times[s["spanId"]][1] < now + 1e9 or
             (s["parentSpanId"] in times and not (times[s["parentSpanId"]][0] <= times[s["spanId"]][0] + 2e6 and
                                                  times[s["spanId"]][1] <= times[s["parentSpanId"]][1] + 5e7))]
    check("each lies within its parent", not wrong, (wrong, times))
    chats = sorted(times[c["spanId"]] for c in by["chat"])
    check("one after the other", chats[0][1] <= times[tool["spanId"]][0] + 2e6 and times[tool["spanId"]][1] <= chats[1][0] + 2e6, (chats, times))
    check("with the attributes of the conventions", attributes(request)["http.route"] == "/api/chat/" and attributes(request)["http.response.status_code"] == "200" and
          attributes(sql).items() >= {"db.system.name": "sqlite", "db.operation.name": "SELECT", "db.response.returned_rows": "1"}.items() and
          attributes(by["chat"][0]).items() >= {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.provider.name": "openai"}.items() and
          int(attributes(by["chat"][0])["gen_ai.usage.output_tokens"]) > 0 and attributes(tool)["gen_ai.tool.name"] == "execute_sql", spans)
    heard = [p.split("-") for p in front.parents]
    check("the model server gets the trace and the span of its call", sorted(p[2] for p in heard) == sorted(c["spanId"] for c in by["chat"]) and
          all(p[0] == "00" and p[1] == parent[3:35] and p[3] == "01" for p in heard), front.parents)
    path, headers, _, _ = collector.requests[0]
    check("the collector gets the headers of the settings", path == "/v1/traces" and headers["x-api-key"] == "secret of the test" and headers["x-other"] == "1" and
          headers["Content-Type"] == "application/json", headers)
    check("and who it is", request["resource"].items() >= {"service.name": "argus test", "deployment.environment.name": "test-one"}.items(), request["resource"])
    ask(a, "GET", "/api/threads/hidden-id-2?q=hidden-word", token=token)
    ask(a, "POST", "/api/auth/login", {"username": "hidden-user", "password": "hidden-password"})
    ask(a, "GET", "/hidden-path")
    mcp = {"Accept": "application/json, text/event-stream"}
    hello = ask(a, "POST", "/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}, token, **mcp)
    called = ask(a, "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "execute_sql", "arguments": {
        "project_id": "shop", "query": "SELECT hidden_column FROM customers"}}}, token, Mcp_Session_Id=hello.headers["mcp-session-id"], **mcp)
    check("a client of MCP calls a tool", called.status == 200, called.r.read())
    ask(a, "GET", "/api/auth/me", token=token)
    wait(lambda: any(s["name"] == "GET" for s in collector.spans()) and any(s["name"] == "SELECT sqlite" and s["status"] for s in collector.spans()), 10)
    text = collector.text()
    check("nothing that anybody typed, no row, no key and no name is in it", not any(x in text for x in (
        "hidden", "How many", "customers", "Ann", "ann\"", "key-of-the-test", token, "secret of the test")), text[-3000:])
    failed = [s for s in collector.spans() if s["name"] == "SELECT sqlite" and s["status"].get("code") == 2]
    check("a statement that failed says of what kind that was", failed and attributes(failed[0])["error.type"], [s for s in collector.spans() if "SELECT" in s["name"]])

    def is_in_request():
        posts = [s["spanId"] for s in collector.spans() if s["name"] == "POST /mcp"]
        return any(s.get("parentSpanId") in posts and s["name"] == "execute_tool execute_sql" for s in collector.spans())

    # The request ends after its tool.
    check("a tool that a client of MCP calls is part of its request", wait(is_in_request, 10), [s["name"] for s in collector.spans()])
    metrics = ask(a, "GET", "/metrics", token=token).r.read().decode()
    sent = int(re.search(r"^argus_spans_exported_total (\d+)", metrics, re.M).group(1))
    check("/metrics counts what was sent", sent >= 10 and "argus_spans_dropped_total 0" in metrics, metrics)
    began = time.time()
    check("what is left goes out when the server stops", a.stop() == 0 and time.time() - began < 5)
    check("and its secrets stay out of what it says", "secret of the test" not in a.said())
    front.close()
    del serve.MORE["LLM_API_BASE"]
    return collector


def audit_run(store, model, token, collector):
    with open(DIR + "/goods.ndjson", "w", encoding="utf-8") as f:
        f.write("".join('{"a":%d,"hidden":"hidden-%d"}\n' % (i, i) for i in range(50)))
    argus(store, model, "jobs", "add", DIR + "/goods.ndjson")
    n = len(collector.spans())
    subprocess.run([serve.ARGUS, "worker", "--drain"], env=serve.env(store, model), cwd=DIR, capture_output=True, check=True, stdin=subprocess.DEVNULL)
    jobs = [s for s in collector.spans()[n:] if s["name"] == "job audit"]
    tools = [s for s in collector.spans()[n:] if s["name"].startswith("execute_tool")]
    check("a run of an audit is a trace, with its tools", len(jobs) == 1 and tools and all(t["traceId"] == jobs[0]["traceId"] for t in tools),
          [s["name"] for s in collector.spans()[n:]])
    check("without what is in the data", "hidden" not in collector.text())


def sampled(store, model, token):
    collector = Collector()
    settings(collector, TRACES_SAMPLER="parentbased_traceidratio", TRACES_SAMPLER_ARG="0")
    a = Server(store, model)
    for flags in ("01", "00"):
        ask(a, "GET", "/api/threads", token=token, traceparent="00-%s-00f067aa0ba902b7-%s" % (flags * 16, flags))
    ask(a, "GET", "/api/threads", token=token)
    wrong = ["", "00", "00-" + "0" * 32 + "-00f067aa0ba902b7-01", "00-" + "a" * 32 + "-" + "0" * 16 + "-01", "ff-" + "a" * 32 + "-00f067aa0ba902b7-01",
             "00-" + "A" * 32 + "-00f067aa0ba902b7-01", "00-" + "a" * 32 + "-00f067aa0ba902b7-01-more", "00-" + "a" * 32 + "-00f067aa0ba902b7-0g", "0" * 5000]
    for header in wrong:
        ask(a, "GET", "/api/threads", token=token, traceparent=header)
    a.stop()
    got = {s["traceId"] for s in collector.spans()}
    check("the decision of a parent is followed, and no wrong one is a parent", got == {"01" * 16}, got)
    settings(collector, TRACES_SAMPLER="traceidratio", TRACES_SAMPLER_ARG="0.5")
    b = Server(store, model)
    for _ in range(200):
        ask(b, "GET", "/healthz")
    b.stop()
    n = len(collector.spans()) - 1
    check("about half of the traces are taken", 60 <= n <= 140, n)
    settings(collector, TRACES_SAMPLER="always_off")
    c = Server(store, model)
    ask(c, "GET", "/healthz", traceparent="00-" + "a" * 32 + "-00f067aa0ba902b7-01")
    c.stop()
    check("or none", len(collector.spans()) - 1 == n)
    for more in ({"SDK_DISABLED": "true"}, {"TRACES_EXPORTER": "none"}):
        settings(collector, **more)
        d = Server(store, model)
        ask(d, "GET", "/healthz")
        d.stop()
    check("or nothing at all", len(collector.spans()) - 1 == n)
    for more, words_ in (({"TRACES_SAMPLER": "sometimes"}, "no such sampler"), ({"TRACES_SAMPLER": "traceidratio", "TRACES_SAMPLER_ARG": "2"}, "0 to 1"),
                         ({"EXPORTER_OTLP_PROTOCOL": "grpc"}, "http/json"), ({"EXPORTER_OTLP_ENDPOINT": "collector:4317"}, "like http"),
                         ({"EXPORTER_OTLP_HEADERS": "secret-value"}, "NAME=VALUE"), ({"EXPORTER_OTLP_HEADERS": "a=b%0d%0ac: d"}, "control character"),
                         ({"EXPORTER_OTLP_TIMEOUT": "soon"}, "milliseconds")):
        settings(collector, **more)
        r = subprocess.run([serve.ARGUS, "serve", "--port", "0"], capture_output=True, text=True, env=serve.env(store, model), cwd=DIR, timeout=30, check=False)
        check("a variable that cannot work ends the start: " + words_, r.returncode == 1 and words_ in r.stderr and "secret-value" not in r.stderr, r.stderr)
    collector.close()


def lost(server, token):
    text = ask(server, "GET", "/metrics", token=token).r.read().decode()
    return int(re.search(r"^argus_spans_dropped_total (\d+)", text, re.M).group(1))


def broken(store, model, token):
    def run(name, collector, most_ms=1500):
        settings(collector)
        a = Server(store, model)
        slowest, said = 0, ""
        for i in range(5):
            began = time.time()
            said = question(a, token, "How many customers are there?", "broken-%s-%d" % (name.replace(" ", "-"), i))
            slowest = max(slowest, time.time() - began)
        check("answers come as ever: " + name, said == "There are 3 customers." and slowest * 1000 < most_ms, (said, slowest))
        return a

    def stops(a, name):
        began = time.time()
        check("the server stops: " + name, a.stop() == 0 and time.time() - began < 6, time.time() - began)

    gone = Collector()
    gone.close()
    a = run("a collector that is away", gone)
    check("what it lost is counted", wait(lambda: lost(a, token) > 5, 20), lost(a, token))
    check("and said once", wait(lambda: True) and a.said().count("traces_dropped") <= 1, a.said())
    stops(a, "a collector that is away")
    slow = Collector()
    slow.delay = 30
    stops(run("a collector that is slow", slow), "a collector that is slow")
    wrong = Collector()
    wrong.status = 500
    a = run("a collector that fails", wrong)
    check("a batch that it refuses is not sent again", wait(lambda: lost(a, token) > 5, 20) and
          len({json.dumps(r[2]) for r in wrong.requests}) == len(wrong.requests), lost(a, token))
    stops(a, "a collector that fails")
    busy = Collector()
    busy.status = [503, 429, 200]
    settings(busy)
    a = Server(store, model)
    ask(a, "GET", "/healthz")
    check("a batch for which it is busy is sent again", wait(lambda: busy.spans(), 20) and [r[3] for r in busy.requests[:3]] == [503, 429, 200], [r[3] for r in busy.requests])
    stops(a, "a collector that was busy")
    flood = Collector()
    flood.delay = 3
    settings(flood)
    a = Server(store, model)
    for _ in range(4000):
        ask(a, "GET", "/healthz").close()
    check("a queue that is full drops, and counts", wait(lambda: lost(a, token) > 100, 20), lost(a, token))
    a.p.send_signal(signal.SIGTERM)
    check("and the server still stops", a.p.wait(20) == 0)

    def nonsense(handler, body):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + b"x" * 70000)
    strange = Place(nonsense)
    stops(run("a collector that talks nonsense", strange), "a collector that talks nonsense")


def on(name, store, model):
    print("# " + name)
    argus(store, model, "project", "add", "shop", "--source", "sqlite:%s/shop.db" % DIR)
    argus(store, model, "project", "grant", "shop", "ann", "analyst")
    token = argus(store, model, "token", "create", "--user", "ann", "--role", "analyst").splitlines()[0]
    collector = one_trace(store, model, token)
    settings(collector)
    audit_run(store, model, token, collector)
    if name == "SQLite":  # these do not ask the store
        sampled(store, model, token)
        broken(store, model, token)
    for k in [k for k in serve.MORE if k.startswith("OTEL_")]:
        del serve.MORE[k]


if __name__ == "__main__":
    os.environ.pop("OTEL_EXPORTER_OTLP_ENDPOINT", None)
    sys.exit(serve.on_both(on))
