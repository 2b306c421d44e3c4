#!/usr/bin/env python3
"""A scripted question as a whole process: start, ask, list a folder, ask, read a page, ask, check the citation, print, exit.

Argus and the plainest agent in Python do the same against the same scripted server on loopback, in turn, so that both
meet the same noise. The same for an answer of the index, next to grep over the same files. Printed are medians of wall
time, processor time and the largest resident size, and ratios. The aim for Argus is below 25 ms and 20 MB.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WIKI = os.path.join(HERE, "..", "examples", "wiki")
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
QUESTION = "How do I protect a branch?"

SCRIPT = """answer repeat when last "How do I"
  tool list_files {"path":"wiki"}
answer repeat when last "github.md"
  tool read_file {"path":"wiki/github.md"}
answer repeat
  text "Open the settings of the repository and protect main.\\nSource: wiki/github.md#protect-a-branch"
"""


def run(argv, env, out):
    """One process; returns wall ms, cpu ms, resident KB."""
    start = time.monotonic()
    with open(out, "wb") as f:
        p = subprocess.Popen(argv, env=env, stdout=f, stderr=subprocess.PIPE, cwd=os.path.dirname(out))
        told = p.stderr.read()
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    wall = (time.monotonic() - start) * 1000
    if p.returncode:
        sys.exit("ask: %s ended with %d: %s" % (argv[0], p.returncode, told.decode()[:300]))
    return wall, (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss


def median(rows, i):
    return statistics.median(r[i] for r in rows)


def line(name, rows):
    print("%-34s %7.1f ms wall %7.1f ms cpu %8.1f MB" % (
        name, median(rows, 0), median(rows, 1), median(rows, 2) / 1024))


def ratio(what, mine, theirs):
    print("%-34s %7.2f wall    %7.2f cpu    %8.2f MB" % (
        what, *(median(mine, i) / median(theirs, i) for i in range(3))))


def check(path, what, ok):
    with open(path, "rb") as f:
        got = json.load(f)
    if not ok(got):
        sys.exit("ask: %s did not answer: %s" % (what, json.dumps(got)[:300]))


def main():
    argus, fake = os.environ["ARGUS"], os.environ["FAKE_MODEL"]
    work = tempfile.mkdtemp(prefix="argus-ask-")
    script, out, store = (os.path.join(work, n) for n in ("ask.script", "out.json", "argus.db"))
    with open(script, "w", encoding="utf-8") as f:
        f.write(SCRIPT)
    server = subprocess.Popen([fake, "--script", script], stdout=subprocess.PIPE, text=True)
    try:
        base = "http://127.0.0.1:%s" % server.stdout.readline().split()[1]
        env = {"PATH": os.environ.get("PATH", ""), "HOME": work, "LLM_API_BASE_URL": base + "/v1",
               "LLM_API_MODEL": "m", "LLM_API_KEY": "bench-key-of-nobody"}
        cmd = [argus, "ask", QUESTION, "--root", WIKI, "--no-api", "--quiet", "--store"]
        offline = [argus, "ask", QUESTION, "--root", WIKI, "--offline", "--quiet", "--store", store]
        plain = [sys.executable, os.path.join(HERE, "ask_plain.py"), base, WIKI, QUESTION]
        grep = ["grep", "-rniE", "protect|branch", os.path.join(WIKI, "wiki")]
        rows = {name: [] for name in ("memory", "file", "plain", "index", "grep", "version")}
        run(offline, env, out)  # makes the index
        for _ in range(ROUNDS):
            rows["memory"].append(run(cmd + ["memory:"], env, out))
            check(out, "argus", lambda r: r["source"] == "wiki/github.md#protect-a-branch"
                  and [c["tool"] for c in r["tool_calls"]] == ["list_files", "read_file"] and r["citations"])
            rows["file"].append(run(cmd + [store], env, out))
            rows["plain"].append(run(plain, env, out))
            check(out, "the plain agent", lambda r: len(r["tool_calls"]) == 2)
            rows["index"].append(run(offline, env, out))
            check(out, "the index", lambda r: r["source"].startswith("wiki/github.md#"))
            rows["grep"].append(run(grep, env, out))
            rows["version"].append(run([argus, "version"], env, out))
        line("argus, store in memory", rows["memory"])
        line("argus, store in a file", rows["file"])
        line("the plainest agent, Python", rows["plain"])
        ratio("argus / plainest agent", rows["file"], rows["plain"])
        line("argus --offline, index is there", rows["index"])
        line("grep over the same pages", rows["grep"])
        line("argus version (start and end)", rows["version"])
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(work)


main()
