"""A client of MCP over standard input and output, and a checker of JSON Schema as far as Argus uses it. Python alone."""
import json
import queue
import subprocess
import threading
import time


class Client:
    """One `argus mcp` process. Answers are read by a thread, so that a call can be cancelled while it runs."""

    def __init__(self, argv, env=None, revision="2025-11-25"):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=env, text=True)
        self.next_id = 0
        self.answers = {}
        self.notifications = []
        self.arrived = threading.Condition()
        self.lines = queue.Queue()
        self.stderr = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()
        self.hello = self.request("initialize", {"protocolVersion": revision, "capabilities": {},
                                                 "clientInfo": {"name": "test", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.schemas = {}

    def _read(self):
        for line in self.process.stdout:
            m = json.loads(line)
            with self.arrived:
                if "id" in m and "method" not in m:
                    self.answers[m["id"]] = m
                else:
                    self.notifications.append(m)
                self.arrived.notify_all()
        with self.arrived:
            self.answers[None] = True
            self.arrived.notify_all()

    def _read_errors(self):
        for line in self.process.stderr:
            self.stderr.append(line)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def begin(self, method, params):
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        return self.next_id

    def wait(self, ident, seconds=30):
        end = time.monotonic() + seconds
        with self.arrived:
            while ident not in self.answers:
                left = end - time.monotonic()
                if left <= 0 or None in self.answers:
                    raise AssertionError("no answer to %s; stderr: %s" % (ident, "".join(self.stderr)[-500:]))
                self.arrived.wait(left)
            return self.answers[ident]

    def request(self, method, params=None):
        return self.wait(self.begin(method, params or {}))

    def tool(self, name, **arguments):
        """structuredContent of a call; checked against the tool's outputSchema, and the text against it."""
        if not self.schemas:
            cursor = {}
            while True:
                page = self.request("tools/list", cursor)["result"]
                self.schemas.update((t["name"], t.get("outputSchema")) for t in page["tools"])
                if "nextCursor" not in page:
                    break
                cursor = {"cursor": page["nextCursor"]}
        answer = self.request("tools/call", {"name": name, "arguments": arguments})
        if "error" in answer:
            raise AssertionError("%s: %s" % (name, answer["error"]))
        result = answer["result"]
        if "structuredContent" not in result:
            raise AssertionError("%s: no structuredContent: %s" % (name, json.dumps(result)[:500]))
        problem = check(result["structuredContent"], self.schemas[name], name)
        if problem:
            raise AssertionError(problem)
        self.is_error = result.get("isError", False)
        return result["structuredContent"]

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(20)
        return code


TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def check(value, schema, where):
    """"" when value fits; else what does not. type, properties, required, items, enum, additionalProperties false."""
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, n) for n in names):
        return "%s: want %s, got %r" % (where, names, value)
    if "enum" in schema and value not in schema["enum"]:
        return "%s: %r is none of %r" % (where, value, schema["enum"])
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                return "%s: %s is missing" % (where, key)
        for key, inner in schema.get("properties", {}).items():
            if key in value:
                problem = check(value[key], inner, where + "." + key)
                if problem:
                    return problem
        if schema.get("additionalProperties") is False and set(value) - set(schema.get("properties", {})):
            return "%s: unknown %s" % (where, set(value) - set(schema.get("properties", {})))
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            problem = check(item, schema["items"], "%s[%d]" % (where, i))
            if problem:
                return problem
    return ""
