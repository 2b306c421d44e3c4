#!/usr/bin/env python3
"""tests/cases/http/smuggling.cases over real connections: no form gets a hidden request answered by Argus.

Each form goes to `argus mcp --http` and to a server of node's own http module, whose parser is llhttp as well. Argus refuses
what the file says, with that status, and closes; the first request of what it accepts node accepts, too, unless bytes follow a
request that closes the connection: node refuses the whole then. Where node answers a request that the file calls hidden is
printed: it is the reason why Argus checks more than the grammar.
"""
import concurrent.futures
import os
import re
import select
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

HIDDEN = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
ESCAPES = {"r": "\r", "n": "\n", "t": "\t", "0": "\0"}
NODE = """
const s = require('http').createServer((q, r) => {
  let n = 0;
  q.on('data', d => { n += d.length; });
  q.on('end', () => r.end('path ' + q.url));
});
s.listen(0, '127.0.0.1', () => console.log(s.address().port));
"""


def text_of(s):
    out, i = [], 0
    while i < len(s):
        if s[i] == "{":
            end = s.index("}", i)
            inner = s[i + 1:end]
            if inner == "host":
                out.append("Host: localhost\r\n")
            elif inner == "hidden":
                out.append(HIDDEN.decode())
            else:
                part, n = inner.rsplit(" ", 1)
                out.append(text_of(part).decode("latin-1") * int(n))
            i = end + 1
        elif s[i] == "\\" and s[i + 1] == "x":
            out.append(chr(int(s[i + 2:i + 4], 16)))
            i += 4
        elif s[i] == "\\":
            out.append(ESCAPES.get(s[i + 1], s[i + 1]))
            i += 2
        else:
            out.append(s[i])
            i += 1
    return "".join(out).encode("latin-1")


def read_cases(path):
    with open(path, encoding="utf-8") as f:
        found = re.findall(r"^case (.*)\nsend (.*)\nwant (.*)$", f.read(), re.M)
    for name, send, want in found:
        words = want.split()
        yield name, text_of(send), [int(w) for w in words[:-1]], words[-1] == "open"


def replies_in(data):
    """Status and body of each whole reply."""
    out = []
    while True:
        head, mark, rest = data.partition(b"\r\n\r\n")
        found = re.match(rb"HTTP/1\.1 (\d+)", head)
        if not mark or not found:
            return out
        if re.search(rb"(?i)\ntransfer-encoding: chunked", head):
            body, end, rest = rest.partition(b"0\r\n\r\n")
            if not end:
                return out
        else:
            length = re.search(rb"(?i)\ncontent-length: (\d+)", head)
            n = int(length.group(1)) if length else 0
            if len(rest) < n:
                return out
            body, rest = rest[:n], rest[n:]
        out.append((int(found.group(1)), body))
        data = rest


def exchange(port, text, nwant):
    """Replies, and whether the server closed. Waits for the wanted number, and a moment for more."""
    data, is_closed = b"", False
    with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
        try:
            s.sendall(text)
        except OSError:
            pass
        end = time.monotonic() + 8
        while time.monotonic() < end:
            patience = 0.15 if len(replies_in(data)) >= nwant else 2
            if not select.select([s], [], [], patience)[0]:
                break
            try:
                got = s.recv(65536)
            except OSError:
                got = b""
            if not got:
                is_closed = True
                break
            data += got
    return replies_in(data), is_closed


def check_argus(port, text, want, stays_open):
    # The endpoint of MCP reads a body before it complains about it.
    got, is_closed = exchange(port, text.replace(b"/first", b"/mcp"), len(want))
    nhidden = sum(b'"name":"argus"' in body for _, body in got)
    if nhidden > (len(want) > 1 and want[1] == 200):
        return "the hidden request was answered: %r" % got
    if len(got) > len(want):
        return "%d replies" % len(got)
    for i, status in enumerate(want):
        if status == 200:  # what the server has at that path is not the question
            continue
        if i >= len(got) or got[i][0] != status:
            return "want %d, got %r" % (status, got)
    if not stays_open and not is_closed:
        return "the connection was not closed"
    return None


def start(argv, pattern, stream, cwd):
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
                         env={"PATH": os.environ.get("PATH", ""), "HOME": cwd, "LANG": "C.UTF-8"})
    line = getattr(p, stream).readline()
    found = re.search(pattern, line)
    if not found:
        p.kill()
        sys.exit("http_smuggling: %s does not start: %s" % (argv[0], line))
    return p, int(found.group(1))


def main():
    cases = list(read_cases(os.path.join(sys.argv[1], "tests", "cases", "http", "smuggling.cases")))
    work = tempfile.mkdtemp(prefix="argus-http-")
    processes, failed = [], 0
    try:
        sqlite3.connect(os.path.join(work, "shop.db")).execute("create table t(a)")
        p, port = start([os.environ["ARGUS"], "mcp", "sqlite:shop.db", "--http", "--no-auth", "--port", "0"],
                        r":(\d+)/mcp", "stderr", work)
        processes.append(p)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            wrong = list(pool.map(lambda c: check_argus(port, *c[1:]), cases))
        for (name, *_), why in zip(cases, wrong):
            print("ok - %s" % name if not why else "not ok - %s: %s" % (name, why))
            failed += bool(why)
        print("ok - there are at least 60 forms" if len(cases) >= 60 else "not ok - %d forms" % len(cases))
        if not shutil.which("node"):
            print("skip - node is not installed: nothing to compare with")
            return 1 if failed else 0
        p, port = start(["node", "-e", NODE], r"(\d+)", "stdout", work)
        processes.append(p)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            theirs = list(pool.map(lambda c: exchange(port, c[1], len(c[2]))[0], cases))
        for (name, _, want, stays_open), got in zip(cases, theirs):
            if all(status == 200 for status in want):
                fits = bool(got) and (got[0][0] == 200 or "after" in name and not stays_open)
                print("%s - node accepts, too: %s%s" % ("ok" if fits else "not ok", name, "" if fits else ": %r" % got))
                failed += not fits
            elif sum(body == b"path /health" for _, body in got):
                print("# node answers the hidden request: %s" % name)
            elif got and got[0][0] == 200:
                print("# node accepts: %s" % name)
    finally:
        for p in processes:
            p.terminate()
            p.wait()
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
