"""For guard_postgres.py: the cases, a PostgreSQL of one's own, and a client that speaks the extended protocol."""
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

ARGUS = os.path.abspath(os.environ["ARGUS"])
ROOT = os.path.abspath(os.environ.get("ARGUS_SOURCE_ROOT", "."))
CASES = os.path.join(ROOT, "tests/cases/guard")
NAMES = ["analytics", "broken", "catalog", "fields", "functions", "hostile", "huge", "limits", "near_misses", "tables"]
failed = []


def check(name, ok, detail=""):
    """One line of the protocol of tests."""
    print(("ok - " if ok else "not ok - ") + name, flush=True)
    if not ok:
        failed.append(name)
        for line in str(detail).splitlines()[:40]:
            print("  " + line)


# --- cases: tests/cases/guard/README.md ---

ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "0": b"\0", "\\": b"\\"}


def unescape(text):
    """Bytes: a case may hold what is no UTF-8."""
    def one(m):
        if m[1]:
            return int(m[1]) * m[2].encode()
        if m[3]:
            return bytes([int(m[3], 16)])
        return ESCAPES[m[4]]
    out, at = b"", 0
    for m in re.finditer(r"\\(?:\*(\d+)\{([^}]*)\}|x([0-9a-fA-F]{2})|(.))", text):
        out += text[at:m.start()].encode() + one(m)
        at = m.end()
    return out + text[at:].encode()


class Case:
    def __init__(self, where, verdict, want, sql, config, has_catalog):
        self.where, self.verdict, self.want, self.config, self.has_catalog = where, verdict, want, config, has_catalog
        self.sql = unescape(sql)
        self.run = None


def read_cases():
    cases = []
    for name in NAMES:
        config, has_catalog = {}, False
        with open(os.path.join(CASES, name + ".cases"), encoding="utf-8", newline="\n") as f:
            lines = f.read().split("\n")
        for number, line in enumerate(lines, 1):
            word, _, rest = line.partition(" ")
            if word == "@config":
                config = json.loads(rest)
            elif word == "@catalog":
                has_catalog = rest == "shop"
            elif word == "run":
                cases[-1].run = unescape(rest).decode()
            elif word in ("allow", "deny"):
                want, _, sql = rest.partition(" : ")
                cases.append(Case("%s:%d" % (name, number), word, want, sql, config, has_catalog))
    return cases


# --- the guard ---

class Guard:
    """`argus guard --ndjson`: a line in, a line out."""

    def __init__(self):
        self.process = subprocess.Popen([ARGUS, "guard", "--ndjson"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def judge(self, sql, config=None):
        line = json.dumps({"sql": sql, "config": config or {}}, ensure_ascii=False)
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("not ok - argus guard ended at: %s" % sql[:200])
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        return self.process.wait(10)


# --- the server ---

class Server:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="argus-guard-", dir="/tmp")  # the server has a user of its own
        os.chmod(self.folder, 0o755)  # the server runs as a user of its own
        self.script = os.path.join(ROOT, "tests/real/postgres.sh")
        started = subprocess.run([self.script, "start", os.path.join(self.folder, "pg")], stdout=subprocess.PIPE)
        if started.returncode:
            self.stop()
            sys.exit(started.returncode)
        self.sockets, self.port = started.stdout.decode().split()

    def stop(self):
        subprocess.run([self.script, "stop", os.path.join(self.folder, "pg")])
        shutil.rmtree(self.folder, ignore_errors=True)

    def connect(self, database):
        return Connection("%s/.s.PGSQL.%s" % (self.sockets, self.port), database)


class Failed(Exception):
    def __init__(self, fields):
        self.state, self.text = fields.get("C", "?"), fields.get("M", "?")
        super().__init__("%s: %s" % (self.state, self.text))


class Connection:
    """PostgreSQL's protocol 3.0 over a socket in a folder, where nobody asks for a password."""

    def __init__(self, path, database):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")
        pairs = b"".join(p.encode() + b"\0" for p in ("user", "postgres", "database", database))
        self.socket.sendall(struct.pack("!ii", len(pairs) + 9, 196608) + pairs + b"\0")
        self.wait()

    def message(self):
        kind, size = struct.unpack("!ci", self.file.read(5))
        return kind, self.file.read(size - 4)

    def wait(self):
        """Rows up to ReadyForQuery; the first error is raised then."""
        rows, error = [], None
        while True:
            kind, body = self.message()
            if kind == b"D":
                rows.append(self.row(body))
            elif kind == b"E" and not error:
                error = {f[:1].decode(): f[1:].decode(errors="replace") for f in body.split(b"\0") if f}
            elif kind == b"G":  # COPY FROM STDIN: nothing comes
                self.send(b"f", b"no\0")
            elif kind == b"Z":
                if error:
                    raise Failed(error)
                return rows

    @staticmethod
    def row(body):
        cells, at = [], 2
        for _ in range(struct.unpack("!h", body[:2])[0]):
            size = struct.unpack("!i", body[at:at + 4])[0]
            at += 4
            cells.append(None if size < 0 else body[at:at + size].decode(errors="replace"))
            at += max(size, 0)
        return cells

    def send(self, kind, body):
        self.socket.sendall(kind + struct.pack("!i", len(body) + 4) + body)

    def simple(self, sql):
        self.send(b"Q", sql.encode() + b"\0")
        return self.wait()

    def one(self, sql):
        return self.simple(sql)[0][0]

    def extended(self, sql):
        """One statement: Parse, Bind, Execute without a limit, Sync."""
        text = sql.encode()
        if b"\0" in text:
            raise Failed({"C": "22021", "M": "a NUL byte"})
        self.send(b"P", b"\0" + text + b"\0" + struct.pack("!h", 0))
        self.send(b"B", b"\0\0" + struct.pack("!hhh", 0, 0, 0))
        self.send(b"E", b"\0" + struct.pack("!i", 0))
        self.send(b"S", b"")
        return self.wait()

    def close(self):
        self.file.close()
        self.socket.close()
