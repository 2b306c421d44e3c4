#!/usr/bin/env python3
"""The API of a project, for tests of `argus ask`: a small REST server, and one that does all a server must not do.

usage: fake_api.py [--port N] [--host ADDRESS] [--port-file FILE] [--log FILE] [--key KEY] [--rows N] [--delay MS]

tests/fake/README.md lists every path. Raw sockets, one thread per connection: http.server is too polite to lie about a
length, and would hide what bytes really came. Reading order: Log, read_request, ROUTES, HOSTILE, serve_request.
"""
import argparse
import hashlib
import json
import os
import random
import signal
import socket
import struct
import sys
import threading
import time
import urllib.parse
import zlib

MAX_HEAD = 1 << 20
GIGABYTE = 1 << 30
REASONS = {200: "OK", 201: "Created", 204: "No Content", 302: "Found", 307: "Temporary Redirect",
           401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed",
           422: "Unprocessable Entity", 500: "Internal Server Error"}


class Log:
    """One JSON object a line, on the disk before the answer leaves."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="ascii") if path else None
        self.lock = threading.Lock()
        self.number = 0

    def write(self, **entry):
        with self.lock:
            if self.file:
                self.file.write(json.dumps(entry) + "\n")
                self.file.flush()

    def next(self):
        with self.lock:
            self.number += 1
            return self.number


class Left(Exception):
    """The client is gone."""


class Connection:
    def __init__(self, sock, number):
        self.sock, self.number = sock, number
        self.rest = b""
        self.sent = 0

    def receive(self):
        try:
            return self.sock.recv(65536)
        except OSError:
            return b""

    def send(self, data):
        view = memoryview(data)
        while view:
            try:
                n = self.sock.send(view)
            except OSError:
                raise Left()
            self.sent += n
            view = view[n:]

    def wait_until_left(self):
        """Nothing more is sent; over when the client closes."""
        while self.receive():
            pass
        raise Left()

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Request:
    def __init__(self, head, body):
        self.head, self.body = head, body
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        self.method = words[0]
        self.target = words[1] if len(words) > 1 else ""
        self.headers = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if colon:
                self.headers.setdefault(name.strip().lower(), value.strip())
        path, _, query = self.target.partition("?")
        self.path = urllib.parse.unquote(path)
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))

    def number(self, name, default):
        try:
            return int(self.query.get(name, default))
        except ValueError:
            return default


def read_request(conn, log):
    """The next request of a connection; None when the client left or sent no request."""
    data = conn.rest
    while b"\r\n\r\n" not in data and len(data) < MAX_HEAD:
        piece = conn.receive()
        if not piece:
            if data:
                log.write(event="no_request", connection=conn.number, head=data.decode("latin-1"))
            return None
        data += piece
    head, _, data = data.partition(b"\r\n\r\n")
    request = Request(head, b"")
    try:
        length = int(request.headers.get("content-length", "0"))
    except ValueError:
        length = 0
    while len(data) < length:
        piece = conn.receive()
        if not piece:
            break
        data += piece
    request.body, conn.rest = data[:length], data[length:]
    return request


# --- the API as it should be


class Error(Exception):
    def __init__(self, status, detail):
        super().__init__(str(detail))
        self.status, self.detail = status, detail


class Data:
    """What the API is about, in memory."""

    def __init__(self, nlearner):
        self.lock = threading.Lock()
        self.items = {}
        for i in range(1, 45):
            is_lab = i % 4 == 1
            self.items[i] = {"id": i, "type": "lab" if is_lab else "task",
                             "title": "Lab %02d" % (i // 4 + 1) if is_lab else "Task %d" % i,
                             "parent_id": None if is_lab else i - (i - 1) % 4}
        self.next_item = 45
        self.learners = [{"id": i, "external_id": "student-%05d" % i,
                          "student_group": "b23-cs-%02d" % (i % 6),
                          "enrolled_at": "2026-02-%02dT09:00:00" % (i % 28 + 1)}
                         for i in range(1, nlearner + 1)]
        self.nsync = 0


def page(request, rows):
    """?limit= and ?offset=; without them all."""
    offset = max(0, request.number("offset", 0))
    limit = request.number("limit", -1)
    return rows[offset:] if limit < 0 else rows[offset:offset + limit]


def one(table, text):
    try:
        return table[int(text)]
    except (ValueError, KeyError):
        raise Error(404, "Item not found")


def fields(request):
    try:
        value = json.loads(request.body)
    except ValueError:
        raise Error(422, [{"type": "json_invalid", "loc": ["body"], "msg": "JSON decode error"}])
    if not isinstance(value, dict):
        raise Error(422, [{"type": "dict_type", "loc": ["body"], "msg": "Input should be an object"}])
    return value


def need_lab(request):
    if "lab" not in request.query:
        raise Error(422, [{"type": "missing", "loc": ["query", "lab"], "msg": "Field required"}])
    if request.query["lab"] not in ("lab-01", "lab-02", "lab-99"):
        raise Error(404, "No such lab")
    return request.query["lab"]


def list_items(data, request, _):
    return 200, page(request, list(data.items.values()))


def read_item(data, request, text):
    return 200, one(data.items, text)


def make_item(data, request, _):
    value = fields(request)
    if "title" not in value:
        raise Error(422, [{"type": "missing", "loc": ["body", "title"], "msg": "Field required"}])
    item = {"id": data.next_item, "type": value.get("type", "task"), "title": value["title"],
            "parent_id": value.get("parent_id")}
    data.items[data.next_item] = item
    data.next_item += 1
    return 201, item


def change_item(data, request, text):
    item = one(data.items, text)
    item.update({k: v for k, v in fields(request).items() if k in item and k != "id"})
    return 200, item


def remove_item(data, request, text):
    del data.items[one(data.items, text)["id"]]
    return 204, None


def list_learners(data, request, _):
    return 200, page(request, data.learners)


def page_of_learners(data, request, _):
    return 200, {"items": page(request, data.learners), "total": len(data.learners)}


def list_interactions(data, request, _):
    rows = [{"id": i, "learner_id": i % max(1, len(data.learners)) + 1, "item_id": i % 44 + 1,
             "kind": "attempt"} for i in range(1, 121)]
    return 200, page(request, rows)


def completion_rate(data, request, _):
    lab = need_lab(request)
    if lab == "lab-99":  # nobody has begun it: the bug that a question is about
        raise Error(500, "ZeroDivisionError: division by zero")
    return 200, {"lab": lab, "completion_rate": 71.4, "passed": 25, "total": 35}


def top_learners(data, request, _):
    lab = need_lab(request)
    if lab == "lab-99":
        raise Error(500, "TypeError: '<' not supported between instances of 'NoneType' and 'float'")
    return 200, [{"learner_id": i, "avg_score": 100.0 - i} for i in range(1, 11)]


def scores(data, request, _):
    need_lab(request)
    return 200, [{"bucket": "%d-%d" % (low, low + 24), "count": low} for low in range(1, 100, 25)]


def sync(data, request, _):
    data.nsync += 1
    return 200, {"new_records": 3, "syncs": data.nsync}


# path ("{}" = one name): {method: function}
ROUTES = {
    "/items/": {"GET": list_items, "POST": make_item},
    "/items/{}": {"GET": read_item, "PUT": change_item, "PATCH": change_item, "DELETE": remove_item},
    "/learners/": {"GET": list_learners},
    "/page/learners/": {"GET": page_of_learners},
    "/interactions/": {"GET": list_interactions},
    "/analytics/completion-rate": {"GET": completion_rate},
    "/analytics/top-learners": {"GET": top_learners},
    "/analytics/scores": {"GET": scores},
    "/pipeline/sync": {"POST": sync},
}


def query(name, kind, required=False):
    schema = {"type": kind} if required else {"anyOf": [{"type": kind}, {"type": "null"}]}
    return {"name": name, "in": "query", "required": required, "schema": schema}


def operation(summary, *params, **more):
    return dict({"summary": summary, "parameters": list(params),
                 "responses": {"200": {"description": "Successful Response"}}}, **more)


def body(name):
    return {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/" + name}}}}


PAGE = (query("limit", "integer"), query("offset", "integer"))
ITEM_ID = {"name": "item_id", "in": "path", "required": True, "schema": {"type": "integer"}}
LAB = query("lab", "string", True)
OPENAPI = {
    "openapi": "3.1.0",
    "info": {"title": "Learning Management Service", "version": "0.1.0"},
    "paths": {
        "/items/": {"get": operation("Get Items", *PAGE),
                    "post": operation("Create Item", requestBody=body("ItemCreate"))},
        "/items/{item_id}": {"parameters": [ITEM_ID], "get": operation("Get Item"),
                             "put": operation("Update Item", requestBody=body("ItemCreate")),
                             "delete": operation("Delete Item")},
        "/learners/": {"get": operation("Get Learners", *PAGE)},
        "/page/learners/": {"get": operation("Get Learners, with their number", *PAGE)},
        "/interactions/": {"get": operation("Get Interactions", *PAGE)},
        "/analytics/completion-rate": {"get": operation("Completion rate of a lab", LAB)},
        "/analytics/top-learners": {"get": operation("Best learners of a lab", LAB)},
        "/analytics/scores": {"get": operation("Scores of a lab in four groups", LAB)},
        "/pipeline/sync": {"post": operation("Load new data")},
        "/status": {"get": operation("Is the service up?")},
    },
    "components": {"schemas": {"ItemCreate": {
        "type": "object", "required": ["title"],
        "properties": {"title": {"type": "string"}, "type": {"type": "string"},
                       "parent_id": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}}},
}


def find_route(path):
    """(functions by method, the name in the path); ({}, None) when there is none."""
    if path in ROUTES:
        return ROUTES[path], None
    head, _, name = path.rpartition("/")
    return (ROUTES.get(head + "/{}", {}), name) if name else ({}, None)


def serve_api(conn, request, options, data):
    """The answer of a well-behaved server: (status, headers, body)."""
    path = request.path[4:] if request.path.startswith("/api/") else request.path
    try:
        if path == "/openapi.json":
            return 200, {}, OPENAPI
        if path == "/status":
            return 200, {}, {"status": "ok"}
        if path + "/" in ROUTES:
            where = "http://%s%s/" % (request.headers.get("host", ""), request.path)
            return 307, {"Location": where}, None
        functions, name = find_route(path)
        if not functions:
            raise Error(404, "Not Found")
        key = request.headers.get("authorization")
        if key != "Bearer " + options.key:
            raise Error(401, "Invalid API key" if key else "Not authenticated")
        function = functions.get("GET" if request.method == "HEAD" else request.method)
        if not function:
            raise Error(405, "Method Not Allowed")
        with data.lock:
            status, value = function(data, request, name)
        return status, {}, value
    except Error as e:
        return e.status, {"WWW-Authenticate": "Bearer"} if e.status == 401 else {}, {"detail": e.detail}


def respond(conn, request, status, headers, value):
    text = b"" if value is None else json.dumps(value, separators=(",", ":")).encode()
    lines = ["HTTP/1.1 %d %s" % (status, REASONS.get(status, "Status"))]
    lines += ["%s: %s" % h for h in headers.items()]
    if value is not None:
        lines.append("Content-Type: application/json")
    if status != 204:
        lines.append("Content-Length: %d" % len(text))
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
    conn.send(head if request.method == "HEAD" else head + text)


# --- and as it should not be: each function sends what it likes; the connection is closed behind it

JSON_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
ELEMENT = b'{"id":%d,"name":"row %d"}'


def whole(conn, text, head=JSON_HEAD):
    conn.send(head + b"Content-Length: %d\r\n\r\n" % len(text) + text)


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def elements(first, n):
    return b",".join(ELEMENT % (i, i) for i in range(first, first + n))


def never_ends(conn, request):
    conn.send(CHUNKED + chunk(b"["))
    i, pause = 0, request.number("ms", 0) / 1000
    while True:
        conn.send(chunk(elements(i, 500) + b","))
        i += 500
        time.sleep(pause)


def gigabyte(conn, request):
    block = chunk(elements(100000, 2000) + b",")
    conn.send(CHUNKED + chunk(b"["))
    for _ in range(GIGABYTE // len(block)):
        conn.send(block)
    conn.send(chunk(b"0]") + b"0\r\n\r\n")


def slow(conn, request):
    text = b"[" + elements(0, 100) + b"]"
    conn.send(JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(text))
    for i in range(len(text)):
        conn.send(text[i:i + 1])
        time.sleep(request.number("ms", 50) / 1000)


def hang(conn, request):
    conn.wait_until_left()


def hang_body(conn, request):
    text = b"[" + elements(0, 100) + b"]"
    conn.send(JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(text))
    conn.send(text[:request.number("bytes", 100)])
    conn.wait_until_left()


def bad_chunk(conn, request):
    conn.send(CHUNKED + chunk(b'[{"id":1},') + b"zz\r\n{}]\r\n0\r\n\r\n")


def lying_length(conn, request):
    text = b"[" + elements(0, 100) + b"]"
    text = text[:request.number("has", 200)]
    conn.send(JSON_HEAD + b"Content-Length: %d\r\n\r\n" % request.number("says", 400) + text)


def header_1mb(conn, request):
    conn.send(b"HTTP/1.1 200 OK\r\n")
    if "lines" in request.query:
        for i in range(20000):
            conn.send(b"X-Line-%d: %s\r\n" % (i, b"a" * 40))
    else:
        conn.send(b"X-Long: " + b"a" * (1 << 20) + b"\r\n")
    whole(conn, b"[]", b"")


def no_status(conn, request):
    conn.send(b'[{"id":1},{"id":2}]')


def garbage(conn, request):
    conn.send(random.Random(request.number("seed", 1)).getrandbits(8 * 5000).to_bytes(5000, "big"))


def banner(conn, request):
    conn.send(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")


def flood_1xx(conn, request):
    n = request.number("n", 0)
    for i in range(n or 1 << 40):
        conn.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n" * (1 if n else 50))
    whole(conn, b"[1,2,3]")


def gzip_bomb(conn, request):
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    text = b"".join(squeeze.compress(bytes(1 << 20)) for _ in range(256)) + squeeze.flush()
    status = request.number("status", 200)
    whole(conn, text, b"HTTP/1.1 %d OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
          % status)


def redirect(conn, request):
    where = request.query.get("to", "/items/").encode("latin-1", "replace")
    whole(conn, b"moved", b"HTTP/1.1 %d Moved\r\nLocation: %s\r\n" % (request.number("status", 302),
                                                                     where))


def echo_key(conn, request):
    """The key in the body (at an offset, whole or the first part of it), in a header, and in the reason."""
    key = request.headers.get("authorization", "").encode("latin-1")[7:]
    text = b"x" * request.number("at", 0) + key + b" and " + key
    if "part" in request.query:
        text = b"x" * request.number("at", 0) + key[:request.number("part", 8)]
    elif "json" in request.query:
        text = json.dumps({"you": key.decode(), key.decode(): [1, 2]}).encode()
    conn.send(b"HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nX-Key: %s\r\nLocation: /items/?key=%s\r\n"
              % (request.number("status", 200), key, key, key))
    conn.send(b"Content-Length: %d\r\n\r\n" % (len(text) + ("part" in request.query)) + text)
    if "part" in request.query:
        conn.wait_until_left()


def close(conn, request):
    if "after" in request.query:
        conn.send((JSON_HEAD + b"Content-Length: 1000\r\n\r\n[" + elements(0, 40))
                  [:request.number("after", 0)])


def reset(conn, request):
    if "after" in request.query:
        close(conn, request)
        time.sleep(0.05)  # a reset overtakes what was sent right before it
    conn.reset()


def bytes_of(conn, request):
    """Text that is no UTF-8, with controls, quotes, direction marks and an escape sequence for terminals."""
    whole(conn, b'"\xff\xfe \xc3\x28 \x00\x01\x1b[31mred\x7f \\" \xe2\x80\xae\xf0\x9f\x98\x80 \xed\xa0\x80"')


def deep(conn, request):
    n = request.number("n", 100000)
    whole(conn, b"[" * n + b"]" * n)


def big_array(conn, request):
    """?n= elements, exactly; ?wide= bytes more in each; ?in=NAME puts it into an object."""
    n, wide = request.number("n", 1000), b"x" * request.number("wide", 0)
    text = b",".join(b'{"id":%d,"pad":"%s"}' % (i, wide) for i in range(n))
    text = b"[" + text + b"]"
    if "in" in request.query:
        text = b'{"%s":%s,"total":%d}' % (request.query["in"].encode(), text, n)
    whole(conn, text)


def text(conn, request):
    """?bytes= of text, made of ?of= again and again."""
    piece = request.query.get("of", "a").encode()
    n = request.number("bytes", 100)
    whole(conn, (piece * (n // len(piece) + 1))[:n] if piece else b"",
          b"HTTP/1.1 %d Status\r\nContent-Type: text/plain\r\n" % request.number("status", 200))


def late(conn, request):
    """A second answer that nobody asked for, behind the first."""
    whole(conn, b"[1]")
    whole(conn, b'["smuggled"]')
    time.sleep(0.2)


HOSTILE = {
    "never-ends": never_ends, "gigabyte": gigabyte, "slow": slow, "hang": hang, "hang-body": hang_body,
    "bad-chunk": bad_chunk, "lying-length": lying_length, "header-1mb": header_1mb,
    "no-status": no_status, "garbage": garbage, "banner": banner, "1xx-flood": flood_1xx,
    "gzip-bomb": gzip_bomb, "redirect": redirect, "echo-key": echo_key, "close": close, "reset": reset,
    "bytes": bytes_of, "deep": deep, "big-array": big_array, "text": text, "late": late,
}


# --- the server


def serve_request(conn, request, options, data):
    """False when the connection ends here."""
    parts = request.path.split("/")
    if len(parts) > 2 and parts[1] == "hostile" and parts[2] in HOSTILE:
        HOSTILE[parts[2]](conn, request)
        return False
    time.sleep(options.delay / 1000)
    respond(conn, request, *serve_api(conn, request, options, data))
    return request.headers.get("connection", "").lower() != "close"


def log_request(log, conn, request):
    key = request.headers.get("authorization")
    n = log.next()
    log.write(event="request", n=n, connection=conn.number, head=request.head.decode("latin-1"),
              method=request.method, target=request.target, path=request.path,
              authorization=key is not None,
              authorization_sha256=hashlib.sha256(key.encode("latin-1")).hexdigest() if key else None,
              body_bytes=len(request.body),
              body_sha256=hashlib.sha256(request.body).hexdigest() if request.body else None)
    return n


def serve_connection(conn, options, data, log):
    more = True
    while more:
        request = read_request(conn, log)
        if not request:
            break
        n, begin, left = log_request(log, conn, request), conn.sent, False
        try:
            more = serve_request(conn, request, options, data)
        except Left:
            more, left = False, True
        log.write(event="sent", n=n, bytes=conn.sent - begin, left=left)
    conn.sock.close()


def write_port_file(path, port):
    with open(path + ".new", "w", encoding="ascii") as f:
        f.write("%d\n" % port)
    os.rename(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description="The API of a project, for tests.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port-file")
    parser.add_argument("--log")
    parser.add_argument("--key", default="fake-api-key")
    parser.add_argument("--rows", type=int, default=257)
    parser.add_argument("--delay", type=int, default=0)
    options = parser.parse_args()

    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((options.host, options.port))
    listener.listen(128)
    port = listener.getsockname()[1]
    log, data, number = Log(options.log), Data(options.rows), 0
    if options.port_file:
        write_port_file(options.port_file, port)
    print("port %d" % port, flush=True)
    while True:
        sock, _ = listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        number += 1
        log.write(event="connect", connection=number)
        threading.Thread(target=serve_connection, daemon=True,
                         args=(Connection(sock, number), options, data, log)).start()


if __name__ == "__main__":
    sys.exit(main())
