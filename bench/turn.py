#!/usr/bin/env python3
"""One scripted turn as a whole process: start, ask a model, one tool call, ask again, report, exit.

Argus and a bare loop on node do the same against the same scripted server on loopback, in turn, so that both meet
the same noise. Printed are medians of wall time, processor time and the largest resident size, and the ratio. The
aim for Argus is below 15 ms and 16 MB.
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
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40

SCRIPT = """answer repeat when last "not sampled yet"
  json {"reasoning":"The schema first.","action":"schema_sample","action_input":{"sample_size":10},"confidence":0.9}
  usage 900 60
answer repeat
  json {"reasoning":"Nothing else to do.","action":"conclude","action_input":{},"confidence":0.9}
  usage 950 40
"""


def run(argv, env, out):
    """One process; returns wall ms, cpu ms, resident KB and whether it went well."""
    start = time.monotonic()
    with open(out, "wb") as f:
        p = subprocess.Popen(argv, env=env, stdout=f, stderr=subprocess.DEVNULL, cwd=os.path.dirname(out))
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    wall = (time.monotonic() - start) * 1000
    return wall, (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss, p.returncode == 0


def median(rows, i):
    return statistics.median(r[i] for r in rows)


def line(name, rows):
    print("%-26s %7.1f ms wall %7.1f ms cpu %8.1f MB" % (
        name, median(rows, 0), median(rows, 1), median(rows, 2) / 1024))


def check(path, what, ok):
    with open(path, "rb") as f:
        got = json.load(f)
    if not ok(got):
        sys.exit("turn: %s did not do its turn: %s" % (what, json.dumps(got)[:300]))


def main():
    argus, fake = os.environ["ARGUS"], os.environ["FAKE_MODEL"]
    node = shutil.which("node")
    work = tempfile.mkdtemp(prefix="argus-turn-")
    script, data, out = (os.path.join(work, n) for n in ("turn.script", "three.ndjson", "out.json"))
    with open(script, "w", encoding="utf-8") as f:
        f.write(SCRIPT)
    with open(data, "w", encoding="utf-8") as f:
        f.writelines('{"_id":%d,"name":"n%d","n":%d}\n' % (i, i, i) for i in range(3))
    server = subprocess.Popen([fake, "--script", script], stdout=subprocess.PIPE, text=True)
    try:
        base = "http://127.0.0.1:%s" % server.stdout.readline().split()[1]
        env = {"PATH": os.environ.get("PATH", ""), "HOME": work, "LLM_API_BASE": base, "LLM_MODEL": "m"}
        cmd = [argus, "audit", data, "--planner", "llm", "--run-evaluator", "none", "--store", "memory:",
               "--output", "json", "--quiet"]
        mine, theirs = [], []
        for _ in range(ROUNDS):
            mine.append(run(cmd, env, out))
            check(out, "argus", lambda r: [s["action"] for s in r["run_trace"]] == ["schema_sample", "conclude"]
                  and r["status"] == "ok" and r["total_input_tokens"] == 1850)
            if node:
                theirs.append(run([node, os.path.join(HERE, "turn.mjs"), base, data], env, out))
                check(out, "node", lambda r: r == {"action": "conclude", "documents": 3})
        line("argus, one turn", mine)
        if theirs:
            line("node, a bare loop", theirs)
            print("ratio argus / node: %.2f wall, %.2f cpu, %.2f memory" % tuple(
                median(mine, i) / median(theirs, i) for i in range(3)))
        else:
            print("node is not installed: nothing to compare with (apt-get install nodejs)")
        failed = sum(not r[3] for r in mine + theirs)
        if failed:
            sys.exit("turn: %d processes failed" % failed)
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(work, ignore_errors=True)


main()
