#!/usr/bin/env python3
"""An audit of nested orders on a real engine (tests/real/documentdb.sh): processor time of Argus against the server's, and how
often the collection is read, beside the same checks one by one, by Argus and by MongoDB's own driver for node (mongo/, by its
lock file), and beside reading everything.

All figures are of one run on one machine. The server is PostgreSQL with pg_documentdb; the gateway between them is Python
and is counted for neither side. Root on Debian; elsewhere it says why it cannot run.

usage: mongo.py [DOCUMENTS]      1,000,000 unless said; with fewer the client's part is larger, because the sample stays the same
"""
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

N = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPT = os.path.join(ROOT, "tests/real/documentdb.sh")
SID = os.environ.get("ARGUS_SID", os.path.join(ROOT, ".cache/sid-documentdb"))
ARGUS = os.environ["ARGUS"]
CITIES = ["Bonn", "Ulm", "Köln", "Graz", "Bern", "Lyon", "Delft", "Leeds", "Porto", "Turku"]


def order(rng, i):
    """Ten kinds of damage, each in some documents of a thousand."""
    bad = rng.random
    doc = {
        "_id": i, "order_no": "SO-%08d" % i, "status": rng.choice(["new", "paid", "sent", "done"]),
        "created_at": {"$date": "20%02d-%02d-%02dT08:00:00Z" % (rng.randint(20, 25), rng.randint(1, 12), rng.randint(1, 28))},
        "customer": {"id": rng.randint(1, 50000), "city": rng.choice(CITIES), "email": "u%d@example.org" % rng.randint(1, 50000)},
        "items": [{"sku": "A-%04d" % rng.randint(0, 999), "qty": rng.randint(1, 9), "price": rng.randint(100, 9999) / 100}
                  for _ in range(rng.randint(1, 4))],
        "shipping": {"cost": rng.choice([4.9, 6.5, 9.9]), "weight_kg": rng.randint(1, 400) / 10, "country": "DE"},
        "requested": "2026-0%d-1%d" % (rng.randint(1, 9), rng.randint(0, 9)),
        "total": rng.randint(500, 90000) / 100,
    }
    if bad() < 0.004:
        doc["status"] = doc["status"].upper()
    if bad() < 0.004:
        doc["customer"]["city"] = " " + doc["customer"]["city"]
    if bad() < 0.004:
        doc["customer"]["email"] = doc["customer"]["email"].replace("@", " at ")
    if bad() < 0.004:
        doc["items"][0]["price"] = str(doc["items"][0]["price"])
    if bad() < 0.004:
        doc["items"][0]["qty"] = 9999
    if bad() < 0.004:
        doc["shipping"]["weight_kg"] = -1
    if bad() < 0.004:
        doc["shipping"]["country"] = "N/A"
    if bad() < 0.004:
        doc["requested"] = "14.03.2026"
    if bad() < 0.004:
        del doc["total"]
    if bad() < 0.004:
        doc["created_at"] = {"$date": "1970-01-01T00:00:00Z"}
    return doc


def load(folder):
    rng = random.Random(7)
    p = subprocess.Popen(["sh", SCRIPT, "load", folder, "shop", "orders"], stdin=subprocess.PIPE, text=True)
    for i in range(N):
        p.stdin.write(json.dumps(order(rng, i), ensure_ascii=False) + "\n")
    p.stdin.close()
    if p.wait():
        sys.exit("the documents cannot be loaded")


def ticks(pid, with_children):
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as f:
            fields = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15 if with_children else 13]))


class Server:
    """Processor time of the postmaster and its processes, ended ones included."""

    def __init__(self, folder):
        name = subprocess.run(["sh", "-c", "printf %s \"$1\" | cksum | tr ' ' -", "sh", folder], stdout=subprocess.PIPE,
                              text=True, check=True).stdout.strip()
        with open("%s/pgdata-argus-%s/postmaster.pid" % (SID, name), encoding="utf-8") as f:
            self.pid = int(f.readline())

    def seconds(self):
        """Read again when a process has ended in between: it would be counted twice, or not at all."""
        while True:
            before = ticks(self.pid, True)
            total = before + sum(ticks(int(p), False) for p in os.listdir("/proc") if p.isdigit() and self.is_child(p))
            if ticks(self.pid, True) - before < 3:
                return total / os.sysconf("SC_CLK_TCK")

    def is_child(self, pid):
        try:
            with open("/proc/%s/stat" % pid, encoding="utf-8") as f:
                return int(f.read().rsplit(")", 1)[1].split()[1]) == self.pid
        except OSError:
            return False


def measured(server, argv):
    """(output, wall, client CPU, server CPU)"""
    before, mine, begin = server.seconds(), resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    r = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if r.returncode not in (0, 3):
        sys.exit("%s: exit %d" % (" ".join(argv[:3]), r.returncode))
    client = after.ru_utime + after.ru_stime - mine.ru_utime - mine.ru_stime
    return r.stdout, wall, client, server.seconds() - before


def passes(record, since):
    """Commands that may read the whole collection, after the size and the sample; and how often each kind was sent."""
    n, kinds = 0, {}
    with open(record, encoding="utf-8") as f:
        f.seek(since)
        for line in f:
            kinds[line.split()[0]] = kinds.get(line.split()[0], 0) + 1
            n += line.startswith(("find filtered", "count filtered", "aggregate filtered"))
    return n, kinds


def show(what, wall, client, server):
    print("%-42s %7.1f s, server %7.1f s CPU, client %6.2f s CPU (%.1f %%)" %
          (what, wall, server, client, 100 * client / server if server else 0))


def driver(folder):
    """argv of bench/mongo/driver.mjs with its packages; None when they cannot be had."""
    home = os.path.join(ROOT, ".cache/bench-mongo")
    if not shutil.which("node") or not shutil.which("npm"):
        return None
    os.makedirs(home, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc", "driver.mjs"):
        shutil.copy(os.path.join(ROOT, "bench/mongo", name), home)
    if not os.path.isdir(os.path.join(home, "node_modules/mongodb")):
        with open(os.path.join(folder, "npm.log"), "wb") as log:
            if subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=home, stdout=log,
                              stderr=log, check=False).returncode:
                return None
    return ["node", os.path.join(home, "driver.mjs")]


def node_baselines(folder, server, port, filters):
    argv = driver(folder)
    if not argv:
        print("skip - node's driver cannot be had (node and npm are needed)")
        return
    checks = os.path.join(folder, "filters.json")
    with open(checks, "w", encoding="utf-8") as f:
        json.dump(filters, f)
    at = ["mongodb://127.0.0.1:" + port, "shop", "orders"]
    _, wall, client, cpu = measured(server, argv + ["count"] + at + [checks])
    show("node's driver: %d countDocuments" % len(filters), wall, client, cpu)
    _, wall, client, cpu = measured(server, argv + ["read"] + at)
    show("node's driver: every document read", wall, client, cpu)


def main(folder):
    r = subprocess.run(["sh", SCRIPT, "start", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if r.returncode:
        sys.exit("the engine cannot run here: " + r.stderr.strip())
    port = r.stdout.split()[0]
    uri = "mongodb://127.0.0.1:%s/shop.orders" % port
    begin = time.monotonic()
    load(folder)
    print("%s documents, loaded in %.0f s" % (format(N, ","), time.monotonic() - begin))
    server, record = Server(folder), os.path.join(folder, "gateway.log")
    store = os.path.join(folder, "s.db")
    since = os.path.getsize(record)
    out, wall, client, cpu = measured(server, [ARGUS, "audit", uri, "--output", "json", "--no-history", "--store", store])
    report = json.loads(out)
    tests = [t for t in report["run_trace"] if t["action"] in ("run_query", "aggregate")]
    n, kinds = passes(record, since)
    show("audit", wall, client, cpu)
    print("  %d findings from %d tested hypotheses; %d sampled of %d documents" %
          (len(report["findings"]), len(tests), report["documents_sampled"], report["collection_size"]))
    print("  %d passes over the collection for them: %.1f per ten (goal 1.5); commands: %s" %
          (n, 10 * n / len(tests), ", ".join("%s %d" % k for k in sorted(kinds.items()))))
    print("  client CPU is %.1f %% of the server's (goal 2)" % (100 * client / cpu))
    total = [0, 0, 0]
    for f in report["findings"]:
        _, w, c, s = measured(server, [ARGUS, "query", uri, f["evidence_query"], "--limit", "0"])
        total = [total[0] + w, total[1] + c, total[2] + s]
    show("the %d findings, counted one by one" % len(report["findings"]), *total)
    node_baselines(folder, server, port, [t["action_input"]["filter"] for t in tests if t["action"] == "run_query"])
    out, wall, client, cpu = measured(server, ["sh", SCRIPT, "read", folder, "shop", "orders"])
    print("%-42s %7.1f s, server %7.1f s CPU: %s" % ("every document read by a client (Python)", wall, cpu, out.strip()))


where = tempfile.mkdtemp(prefix="argus-bench-mongo-")
try:
    main(where)
finally:
    subprocess.run(["sh", SCRIPT, "stop", where], check=False)
    shutil.rmtree(where)
