#!/usr/bin/env python3
"""Processor time of an audit: the profile, each check of the catalogue, and the whole program.

bench/profile.c makes the documents of an invented shop, measures profile, frames and each check in one process, and writes
the documents to a file. `argus inspect` (read and survey) and `argus audit` then read that file as whole processes, in turn
in every round. Each line is printed when it is known. The ratio of the whole audit to its peer, reading plus profile, is to be
at most 3.5; at the end it is that of the medians.

usage: profile.py [MEGABYTES [ROUNDS]]
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

MEGABYTES = int(sys.argv[1]) if len(sys.argv) > 1 else 200
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 2


def cpu_seconds(argv, home, codes):
    p = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=home,
                         env={"PATH": os.environ["PATH"], "HOME": home})
    said = p.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode not in codes:
        sys.exit("profile: %s ended with %d: %s" % (" ".join(argv), p.returncode, said[-300:]))
    return used.ru_utime + used.ru_stime


def parts(text):
    """Milliseconds of each step that the program in C printed."""
    return {m[1]: float(m[2]) for m in re.finditer(r"^(profile|survey|frames|checks) +([0-9.]+) ms", text, re.M)}


def say(text):
    print(text, flush=True)


def measure(path):
    """The program in C: shown line by line, and returned."""
    program = os.path.join(os.environ["ARGUS_BUILD"], "bench", "bench_profile")
    lines = []
    with subprocess.Popen([program, str(MEGABYTES), "1", path], stdout=subprocess.PIPE, text=True) as p:
        for line in p.stdout:
            say(line.rstrip("\n"))
            lines.append(line)
    if p.returncode:
        sys.exit("profile: %s ended with %d" % (program, p.returncode))
    return parts("".join(lines))


def main():
    with tempfile.TemporaryDirectory(prefix="argus-profile-") as work:
        path = os.path.join(work, "shop.ndjson")
        inside = measure(path)
        more = (inside["profile"] - inside["survey"]) / 1000  # the survey of inspect replaced by the profile
        argus = os.environ["ARGUS"]
        inspect, audit = [], []
        for i in range(ROUNDS):
            inspect.append(cpu_seconds([argus, "inspect", path, "--threads", "1", "-q"], work, (0,)))
            audit.append(cpu_seconds([argus, "audit", path, "--planner", "builtin", "--threads", "1", "-q"], work, (0, 3)))
            say("round %d of %d: inspect %.2f s, audit %.2f s of CPU, %.2f times reading and profile"
                % (i + 1, ROUNDS, inspect[-1], audit[-1], audit[-1] / (inspect[-1] + more)))
    inspected, audited = statistics.median(inspect), statistics.median(audit)
    say("inspect  %8.2f s of CPU as a whole process" % inspected)
    say("audit    %8.2f s of CPU as a whole process, %.2f times reading and profile (goal 3.5), %.2f times the profile alone"
        % (audited, audited / (inspected + more), audited * 1000 / inside["profile"]))


main()
