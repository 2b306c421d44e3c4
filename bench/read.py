#!/usr/bin/env python3
"""Processor time to read the same documents in different forms, as ratios to the form with line breaks.

`argus inspect` reads each file as a whole process. The forms take turns in every round, so they meet the same
noise; printed are the medians. A JSON array on one line must cost at most 1.2 times what the same array costs
with line breaks. The last lines compare the loader with simdjson's own parse of the same NDJSON (bench/scan.c).

usage: read.py [MEGABYTES [ROUNDS]]
"""
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

MEGABYTES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
SAMPLE = 20000  # different documents; the file repeats them

FORMS = [  # name, file, before, between, after
    ("array, a line each", "lines.json", "[\n", ",\n", "\n]\n"),
    ("array, one line", "one.json", "[", ",", "]"),
    ("concatenated, one line", "concat.json", "", "", ""),
    ("NDJSON", "docs.ndjson", "", "\n", "\n"),
]


def documents():
    """Documents of an ordinary shop, always the same."""
    rng = random.Random(7)
    for i in range(SAMPLE):
        yield json.dumps({
            "id": i, "name": "user%d" % i, "email": "u%d@example.org" % i, "age": rng.randint(18, 90),
            "balance": rng.randint(-10000, 10000) / 100, "tags": ["a", "b"],
            "address": {"zip": "%05d" % rng.randint(0, 99999), "city": rng.choice(["Bonn", "Ulm", "Köln"])},
        }, ensure_ascii=False)


def write(path, docs, before, between, after):
    block = between.join(docs)
    repeat = max(1, MEGABYTES * 1000 * 1000 // len(block.encode()))
    with open(path, "w", encoding="utf-8") as f:
        f.write(before)
        for i in range(repeat):
            f.write((between if i else "") + block)
        f.write(after)
    return repeat * len(docs)


def cpu_seconds(argv, want):
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(argv, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        got = out.read()
    if p.returncode or json.loads(got)["collection_size"] != want:
        sys.exit("read: %s did not read its %d documents" % (" ".join(argv), want))
    return used.ru_utime + used.ru_stime


def main():
    work = tempfile.mkdtemp(prefix="argus-read-")
    try:
        docs = list(documents())
        seconds = {}
        for name, file, *parts in FORMS:
            want = write(os.path.join(work, file), docs, *parts)
            seconds[name] = []
        for _ in range(ROUNDS):
            for name, file, *_ in FORMS:
                argv = [os.environ["ARGUS"], "inspect", "-q", "-o", "json", os.path.join(work, file)]
                seconds[name].append(cpu_seconds(argv, want))
        base = statistics.median(seconds[FORMS[0][0]])
        print("%d MB, %d documents, median of %d rounds" % (MEGABYTES, want, ROUNDS))
        for name, file, *_ in FORMS:
            s = statistics.median(seconds[name])
            print("%-24s %6.2f s cpu %6.0f MB/s   ratio %.2f" % (
                name, s, os.path.getsize(os.path.join(work, file)) / s / 1e6, s / base))
        scan = os.path.join(os.environ["ARGUS_BUILD"], "bench", "bench_scan")
        subprocess.run([scan, os.path.join(work, "docs.ndjson"), str(ROUNDS)], check=True)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
