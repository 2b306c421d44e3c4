"""`argus mcp --http` as a process, and a client of it: one session of one token. Python alone."""
import http.client
import json
import re
import select
import signal
import subprocess
import threading
import time

from mcp_client import check

REVISION = "2025-11-25"
ACCEPT = "application/json, text/event-stream"


class Server:
    def __init__(self, argv, env):
        # Signals as Python has them: a write beyond RLIMIT_FSIZE fails, as on a disk that is full, and kills nobody.
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=env, text=True, restore_signals=False)
        self.stderr = []
        self.port = None
        end = time.monotonic() + 20
        while self.port is None:
            ready = select.select([self.process.stderr], [], [], max(0, end - time.monotonic()))[0]
            line = self.process.stderr.readline() if ready else ""
            if not line:
                self.process.kill()
                raise AssertionError("the server does not listen: " + "".join(self.stderr))
            self.stderr.append(line)
            found = re.search(r"listening on http://127\.0\.0\.1:(\d+)/mcp", line)
            self.port = int(found.group(1)) if found else None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            self.stderr.append(line)

    def plain(self, method, path, headers=None, body=None):
        """Status, headers, body of one request without a session."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            c.request(method, path, body=body, headers=headers or {})
            r = c.getresponse()
            return r.status, r.headers, r.read()
        finally:
            c.close()

    def stop(self, seconds=20):
        """Exit code, and how long it took to end."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the server did not end within %d s of SIGTERM" % seconds) from None
        return code, time.monotonic() - began


class Refused(Exception):
    """A status that is not 200 or 202."""

    def __init__(self, status, headers, body):
        super().__init__("HTTP %d %s" % (status, body[:300]))
        self.status, self.headers, self.body = status, headers, body


class Session:
    """A session. Each request has a connection of its own, so that threads may share it."""

    def __init__(self, server, token, session=None):
        self.port, self.token, self.id = server.port, token, session
        self.lock = threading.Lock()
        self.next_id = 0
        self.schemas = None
        self.notifications = []
        if session is None:
            self.hello = self.request("initialize", {"protocolVersion": REVISION, "capabilities": {},
                                                     "clientInfo": {"name": "test", "version": "1"}})
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def headers(self):
        h = {"Content-Type": "application/json", "Accept": ACCEPT}
        if self.token:
            h["Authorization"] = "Bearer " + self.token
        if self.id:
            h["Mcp-Session-Id"] = self.id
            h["MCP-Protocol-Version"] = REVISION
        return h

    def begin(self, message):
        """A connection whose answer nobody has read yet."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        c.request("POST", "/mcp", body=json.dumps(message), headers=self.headers())
        return c

    def finish(self, c, ident):
        try:
            r = c.getresponse()
            if r.status not in (200, 202):
                raise Refused(r.status, r.headers, r.read().decode())
            self.id = r.headers.get("Mcp-Session-Id", self.id)
            if r.headers.get_content_type() != "text/event-stream":
                text = r.read()
                return json.loads(text) if text else None
            for line in r:
                if not line.startswith(b"data:") or not line[5:].strip():
                    continue
                message = json.loads(line[5:])
                if message.get("id") == ident and "method" not in message:
                    return message
                self.notifications.append(message)
            raise AssertionError("the stream ended without an answer")
        finally:
            c.close()

    def post(self, message):
        return self.finish(self.begin(message), message.get("id"))

    def message(self, method, params):
        with self.lock:
            self.next_id += 1
            return {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params or {}}

    def request(self, method, params=None):
        return self.post(self.message(method, params))

    def tools(self):
        """Names; their schemas are kept."""
        schemas, cursor = {}, {}
        while True:
            page = self.request("tools/list", cursor)["result"]
            schemas.update((t["name"], t.get("outputSchema")) for t in page["tools"])
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        self.schemas = schemas
        return sorted(schemas)

    def call(self, name, arguments, meta=None):
        """The whole answer."""
        params = {"name": name, "arguments": arguments}
        if meta:
            params["_meta"] = meta
        return self.request("tools/call", params)

    def tool(self, name, **arguments):
        """structuredContent, checked against the tool's outputSchema; an error's words also stand in the text."""
        if self.schemas is None:
            self.tools()
        answer = self.call(name, arguments)
        if "error" in answer:
            raise AssertionError("%s: %s" % (name, answer["error"]))
        result = answer["result"]
        problem = check(result.get("structuredContent"), self.schemas[name], name)
        if problem:
            raise AssertionError(problem)
        if json.loads(result["content"][0]["text"]) != result["structuredContent"]:
            raise AssertionError(name + ": the text is not the structured content")
        told = result["structuredContent"]  # with "success", or flat with "error": null
        if result.get("isError", False) == told.get("success", told.get("error") is None):
            raise AssertionError(name + ": isError and success do not fit: " + json.dumps(result)[:400])
        return result["structuredContent"]
