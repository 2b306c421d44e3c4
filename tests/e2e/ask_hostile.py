"""For the security cases of `argus ask`: the project with links and things that are no files, the reader of
tests/cases/ask/security.txt, and what its lines ask for.
"""
import json
import os
import re
import socket
import struct
import threading
import time
import zlib

from ask_servers import turn
from ask_want import has, same, want

PNG = (b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0) +
       b"\x90wS\xde" + struct.pack(">I", 12) + b"IDAT" + zlib.compress(b"\0\xff\0\0") + b"\0\0\0\0IEND\xaeB`\x82")


def hostile(rig):
    """links, hard links and things that are no files"""
    r = rig.root
    for name, to in (("l", rig.path("r-secret", "x")), ("d", "/"), ("ok", "wiki/a.md"), ("okdir", "wiki"),
                     ("in1", "in2"), ("in2", "wiki/in3"), ("wiki/in3", "../../r-secret/x"), ("loop1", "loop2"),
                     ("loop2", "loop1"), ("pub", ".env.agent.secret"), ("pub2", "pub"), ("vcs", ".git"),
                     ("proc", "/proc/self/environ"), ("zero", "/dev/zero"), ("null", "/dev/null")):
        os.symlink(to, os.path.join(r, name))
    os.link(rig.file(".env.docker.secret"), rig.file("hard.txt"))
    os.link(rig.file(".env.agent.secret"), rig.file("wiki/hard.md"))
    os.mkfifo(rig.file("fifo"))
    with socket.socket(socket.AF_UNIX) as s:
        here = os.open(r, os.O_RDONLY | os.O_DIRECTORY)
        s.bind("/proc/self/fd/%d/socket" % here)  # a short name: sun_path has 108 bytes
        os.close(here)
    rig.put("logo.png", PNG)
    return rig


# --- the table


def read_table(path):
    """[(row, name, [(tool, arguments, [(word, text)])])]"""
    cases = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            depth = len(line) - len(line.lstrip(" "))
            if not line.strip() or line.startswith("#"):
                continue
            head, _, rest = line.strip().partition(" ")
            if depth == 0:
                cases.append((head, rest, []))
            elif depth == 2:
                cases[-1][2].append((json.loads('"%s"' % head), rest, []))
            elif depth == 4 and head in ("error", "ok", "has", "not", "sent", "status"):
                cases[-1][2][-1][2].append((head, rest))
            else:
                raise SystemExit("%s:%d: what is %r?" % (path, number, line))
    return cases


def check_result(c, wishes):
    text = c["result"]
    for word, wish in wishes:
        if word == "error":
            want(text.startswith("Error: ") and not c["ok"], "%s %s is no error: %s" % (c["tool"], c["args"], text))
            has(text.lower(), wish.lower(), "%s %s" % (c["tool"], c["args"]))
        elif word == "ok":
            want(c["ok"], "%s %s failed: %s" % (c["tool"], c["args"], text))
        if word in ("ok", "has"):
            want(wish in text or json.dumps(wish)[1:-1] in text or wish in text.replace('\\"', '"'),
                 "%s %s: no %r in: %s" % (c["tool"], c["args"], wish, text))
        elif word == "not":
            want(wish not in text, "%s %s: %r is in: %s" % (c["tool"], c["args"], wish, text))
        elif word == "status":
            same("status of %s" % c["args"], (c["status"], json.loads(text)["status_code"]), (int(wish), int(wish)))


def check_sent(api, calls):
    """what is refused is not sent; what is sent is what stands there"""
    wishes = [w for name, _, w in calls if name == "query_api" and not any(word == "error" for word, _ in w)]
    came = api.requests()
    same("requests of the API", len(came), len(wishes))
    for x, w in zip(came, wishes):
        line = x["head"].split("\r\n")[0]
        for word, text in w:
            if word == "sent":
                same("request line", line, text + " HTTP/1.1")
        want(x["head"].count("\r\n") == len(x["head"].splitlines()) - 1, x["head"])
        names = [h.partition(":")[0].lower() for h in x["head"].split("\r\n")[1:]]
        same("header names but those we know", set(names) - {"host", "accept", "authorization", "content-type",
                                                             "content-length", "user-agent", "connection",
                                                             "accept-encoding"}, set())
        same("host", [h for h in x["head"].split("\r\n") if h.lower().startswith("host:")],
             ["Host: 127.0.0.1:%d" % api.port])


def peak_mb(rig, r_calls, flags=(), question="x"):
    """run, and the peak memory of the process when all calls are made: (run, MB)"""
    rig.model(*([[c] for c in r_calls] + [turn("Done.", words=("wait 400",))]))
    p = rig.start("ask", question, "-vv", "--budget", "100", *(list(flags) or ["--no-api"]))
    peak = [0]

    def watch():
        while p.poll() is None:
            try:
                with open("/proc/%d/status" % p.pid) as f:
                    m = re.search(r"VmHWM:\s+(\d+) kB", f.read())
                peak[0] = max(peak[0], int(m.group(1)) if m else 0)
            except OSError:
                pass
            time.sleep(0.02)

    t = threading.Thread(target=watch)
    t.start()
    r = rig.finish(p)
    t.join()
    same("exit code", r.code, 0)
    want(peak[0] > 1000, "the memory was not seen")
    return r.parse(), peak[0] / 1024
