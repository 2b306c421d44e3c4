#!/usr/bin/env python3
"""Processor time to read the same documents in different forms, as ratios to the form with line breaks.

`argus inspect` reads each file as a whole process. The forms take turns in every round, so they meet the same
noise; printed are the medians. A JSON array on one line must cost at most 1.2 times what the same array costs
with line breaks. The last lines compare the loader with simdjson's own parse of the same NDJSON (bench/scan.c), and a
call of an MCP server that keeps the documents loaded with one that reads them for each call.

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
import time

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


class Server:
    """`argus mcp` over standard input and output, on one folder of documents."""

    def __init__(self, name, work, memory_mb):
        self.name, self.calls, self.seconds = name, [], []
        config = os.path.join(work, "mcp.yaml")
        with open(config, "w", encoding="utf-8") as f:
            f.write("store: %s/%s.db\nprojects:\n  bench:\n    documents: %s/docs.ndjson\n"
                    "    max_queries_per_minute: 1000000000\n" % (work, name, work))
        self.process = subprocess.Popen([os.environ["ARGUS"], "mcp", "--config", config], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env={"PATH": os.environ["PATH"], "HOME": work,
                                             "ARGUS_DOCUMENTS_MEMORY_MB": memory_mb})
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "bench", "version": "1"})

    def ask(self, method, **params):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if "id" in answer:
                return answer["result"]

    def used(self):
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self):
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS")) / 1024

    def measure(self, calls, want):
        """CPU of one call in milliseconds, over so many of them."""
        before = self.used()
        for i in range(calls):
            got = self.ask("tools/call", name="run_query", arguments={
                "filter": {"age": {"$gt": 20 + i % 50}}, "limit": 5})["structuredContent"]
            if not got.get("matched_count", 0) > want:
                sys.exit("read: %s answered %s" % (self.name, got))
        self.seconds.append((self.used() - before) / calls)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def compare_servers(work):
    # A file that was just written is read again by each call: its clock may not have advanced.
    old = time.time() - 100
    os.utime(os.path.join(work, "docs.ndjson"), (old, old))
    kept, read = Server("kept", work, "4096"), Server("read", work, "none")
    try:
        kept.measure(1, 0)  # loads the documents
        kept.seconds = []
        for _ in range(ROUNDS):
            kept.measure(50, 0)
            read.measure(4, 0)
        middle = {s.name: statistics.median(s.seconds) * 1000 for s in (kept, read)}
        for s in (read, kept):
            print("MCP call, documents %-5s  %8.1f ms cpu   ratio %.3f   %.0f MB resident" % (
                s.name, middle[s.name], middle[s.name] / middle["read"], s.resident_mb()))
    finally:
        kept.end()
        read.end()


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
        compare_servers(work)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
