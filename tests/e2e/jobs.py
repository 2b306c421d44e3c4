#!/usr/bin/env python3
"""Workers, jobs and schedules with the real program, on SQLite and on PostgreSQL.

1. argus audit --all --jobs gives the reports of --all.
2. Workers drain a queue while one of them is killed again and again: each job is done once, by one run, whose log has every call once.
   In the long tier 200 jobs, with a kill every 5 seconds.
3. kill -9 of PostgreSQL in the middle does the same; SIGTERM hands a job back.
4. Times of schedules are those of another implementation; a due time is queued once by many processes.
5. A waiting worker hears of a job without looking; passwords are in no store, no output and no list of processes."""
import datetime
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import zoneinfo

ROOT, DIR, SOCKET, PORT = sys.argv[1:5]
ARGUS = os.environ["ARGUS"]
LONG = os.environ.get("ARGUS_LONG") == "1"
NJOB, NDOC = (200, 20000) if LONG else (20, 6000)
every = [5.0]  # seconds between kills; in the short form by how long a job takes here
SECRET = "hunter2pw"
URL = "postgresql://team:%s@127.0.0.1:%s/" % (SECRET, PORT)
output = []
ncrash = [0]
failed = []


def check(name, ok, why=""):
    print("%s - %s" % ("ok" if ok else "not ok", name), flush=True)
    if not ok:
        failed.append(name)
        print("  " + str(why)[-3000:].replace("\n", "\n  "))


def psql(sql, database="jobs"):
    r = subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", database, "-XqAt", "-v",
                        "ON_ERROR_STOP=1", "-c", sql], capture_output=True, text=True)
    if r.returncode:
        raise SystemExit(r.stderr)
    return r.stdout.strip()


def server(what):
    subprocess.run(["sh", ROOT + "/tests/real/postgres.sh", what, DIR + "/pg"], check=True, stdout=subprocess.DEVNULL)


def env(**more):
    e = {"PATH": os.environ["PATH"], "HOME": DIR + "/home", "USER": "ann", "LANG": "C.UTF-8", "ARGUS_AS_OF": "2026-01-01",
         "ARGUS_HISTORY": "false", "ARGUS_SOURCE_ROOT": ROOT, "ARGUS_THREADS": "1"}
    e.update(more)
    return {k: v for k, v in e.items() if v is not None}


def argus(*args, cwd=None, **more):
    r = subprocess.run([ARGUS, *args], capture_output=True, text=True, env=env(**more), cwd=cwd or DIR + "/data",
                       stdin=subprocess.DEVNULL)
    output.append(r.stdout + r.stderr)
    return r


def make_data(path, n, seed):
    rnd = random.Random(seed)
    with open(path, "w", encoding="utf-8") as f:
        for i in range(n):
            doc = {"_id": i, "email": None if i % 10 < 3 else "u%d@example.org" % i, "age": 999 if i % 25 == 0 else 20 + i % 50,
                   "zip": "" if i % 5 == 0 else str(10000 + i % 9000), "total": rnd.randrange(10000) / 100}
            f.write(json.dumps(doc) + "\n")


def setup():
    for name in ("home", "data", "many"):
        os.makedirs(DIR + "/" + name)
    psql("CREATE ROLE team LOGIN PASSWORD '%s'" % SECRET, "postgres")
    psql("CREATE DATABASE jobs OWNER team TEMPLATE template0 ENCODING 'UTF8'", "postgres")
    for name in ("orders", "people"):
        make_data(DIR + "/data/%s.ndjson" % name, 300, 7)
    make_data(DIR + "/first.ndjson", NDOC, 7)
    for i in range(NJOB):
        os.link(DIR + "/first.ndjson", DIR + "/many/c%03d.ndjson" % i)
    with open(DIR + "/data/argus.yaml", "w", encoding="utf-8") as f:
        f.write("projects:\n  shop:\n    documents: %s/data\n  many:\n    documents: %s/many\n" % (DIR, DIR))


def plain(report):
    return sorted((f["field"], f["category"], f["severity"], f["affected_count"]) for f in report["findings"])


def same_reports(store):
    a = argus("audit", DIR + "/data", "--output", "json", "--store", store)
    b = argus("audit", DIR + "/data", "--output", "json", "--jobs", "2", "--store", store)
    a, b = json.loads(a.stdout), json.loads(b.stdout)
    check("--jobs 2 gives the reports of one process, in their order",
          [(r["collection"], plain(r)) for r in a["reports"]] == [(r["collection"], plain(r)) for r in b["reports"]] and
          a["skipped"] == b["skipped"], (a, b))
    with open(DIR + "/data/two.yaml", "w", encoding="utf-8") as f:
        f.write("projects:\n  a:\n    documents: %s/data/orders.ndjson\n  b:\n    documents: %s/data/people.ndjson\n  c:\n" % (DIR, DIR) +
                "    root: .\n")
    r = argus("audit", "--all", "--jobs", "2", "--config", "two.yaml", "--output", "json", "--store", store)
    check("--all means the documents of all projects", r.returncode == 0 and
          [x["collection"] for x in json.loads(r.stdout)["reports"]] == ["orders", "people"], r)
    r = argus("audit", "--all", "--jobs", "2", "--config", "two.yaml", "--fail-on", "high", "--output", "silent", "--store", store)
    check("--fail-on counts what the processes found", r.returncode == 3, r)
    r = argus("audit", "--all", "orders.ndjson")
    check("--all and SOURCE are refused", r.returncode == 2 and "not both" in r.stderr, r)
    r = argus("audit", "orders.ndjson", "--jobs", "2", "--store", "memory:")
    check("several processes need a store", r.returncode == 1 and "in memory" in r.stderr, r)


def orphans(store):
    """References from one collection to another are checked by several processes as by one, whichever are audited."""
    os.makedirs(DIR + "/claims")
    with open(DIR + "/claims/claims.ndjson", "w", encoding="utf-8") as f:
        for i in range(1000):
            f.write('{"claim":%d,"policy_no":"P-%d"}\n' % (i, 9000 + i if i % 100 == 7 else 100 + i % 60))
    with open(DIR + "/claims/policies.ndjson", "w", encoding="utf-8") as f:
        for i in range(60):
            f.write('{"policy_no":"P-%d","tariff":"a"}\n' % (100 + i))

    def found(*options):
        r = argus("audit", DIR + "/claims", "--output", "json", "--no-history", "--store", store, *options)
        whole = json.loads(r.stdout)
        return [(f["field"], f["affected_count"]) for x in whole.get("reports", [whole]) for f in x["findings"] if f["category"] == "referential"]
    want = [("policy_no", 10)]
    for options in ((), ("--jobs", "2"), ("--collections", "claims"), ("--collections", "claims", "--jobs", "2")):
        got = found(*options)
        check("broken references are found with %s" % (" ".join(options) or "one process"), got == want, got)


def killed_children(store):
    """A process of argus audit --jobs is killed: another one goes on with its run."""
    # Into files: a pipe that nobody reads would stop the program at its end, and then there are no children to kill.
    with open(DIR + "/killed.out", "w", encoding="utf-8") as out, open(DIR + "/killed.err", "w", encoding="utf-8") as err:
        p = subprocess.Popen([ARGUS, "audit", DIR + "/many", "--collections", "c00*", "--jobs", "3", "--output", "json", "--store", store],
                             stdout=out, stderr=err, env=env(), cwd=DIR + "/data")
    nkill = 0
    while p.poll() is None and nkill < 2:
        time.sleep(0.08)
        with open("/proc/%d/task/%d/children" % (p.pid, p.pid), encoding="utf-8") as f:
            children = f.read().split()
        if children:
            os.kill(int(children[0]), signal.SIGKILL)
            nkill += 1
    p.wait(120)
    out, err = (open(DIR + "/killed." + x, encoding="utf-8").read() for x in ("out", "err"))
    output.append(out + err)
    reports = json.loads(out)["reports"] if p.returncode == 0 else []
    check("%d processes of an audit were killed, and it is whole" % nkill, nkill and len(reports) == 10 and
          all(plain(r) == plain(reports[0]) for r in reports) and "takes its place" in err, (nkill, p.returncode, err))


def jobs_of(store, *filters):
    return json.loads(argus("jobs", "list", "--limit", "1000", "--output", "json", "--store", store, *filters).stdout)


def what_people_do(store):
    ids = argus("jobs", "add", "shop/o*", "people.ndjson", "--store", store).stdout.split()
    check("jobs add prints ids", len(ids) == 2, ids)
    r = argus("jobs", "cancel", ids[1], "--store", store)
    check("jobs cancel", r.returncode == 0 and "cancelled" in r.stderr, r)
    r = argus("jobs", "cancel", ids[1], "--store", store)
    check("not twice", r.returncode == 1 and "is cancelled" in r.stderr, r)
    r = argus("jobs", "retry", ids[1], "--store", store)
    check("jobs retry", r.returncode == 0, r)
    gone = argus("jobs", "add", "shop/none*", "--store", store).stdout.strip()
    r = argus("worker", "--drain", "--store", store)
    check("a worker drains the queue", r.returncode == 0, r)
    jobs = {j["id"]: j for j in jobs_of(store)["jobs"]}
    check("jobs are done", all(jobs[i]["state"] == "done" and jobs[i]["result"]["status"] == "ok" for i in ids), jobs)
    check("what cannot be done is dead at once, in words", jobs[gone]["state"] == "dead" and jobs[gone]["attempts"] == 1 and
          "collection" in jobs[gone]["error"], jobs[gone])
    dead = jobs_of(store, "--state", "dead")
    check("the dead-letter list", [j["id"] for j in dead["jobs"]] == [gone] and dead["counts"]["dead"] == 1, dead)
    r = argus("jobs", "show", ids[0][:20], "--store", store)
    check("jobs show", r.returncode == 0 and "shop/o*" in r.stdout and "done" in r.stdout, r)
    r = argus("jobs", "show", "0000", "--store", store)
    check("an unknown id", r.returncode == 1 and "no job begins" in r.stderr, r)
    r = argus("jobs", "add", "nothing", "--store", store)
    check("an unknown project", r.returncode == 1 and "neither a project" in r.stderr, r)
    r = argus("jobs", "add", "--kind", "bake", "shop", "--store", store)
    check("an unknown kind", r.returncode == 1 and "bake" in r.stderr, r)
    r = argus("jobs", "list", "--state", "asleep", "--store", store)
    check("an unknown state", r.returncode == 2, r)
    r = argus("worker", "--store", "memory:")
    check("a worker needs a store that is kept", r.returncode == 1 and "memory" in r.stderr, r)


def worker(store, queue, *more):
    log = open(DIR + "/workers.log", "a", encoding="utf-8")
    return subprocess.Popen([ARGUS, "worker", "--drain", "--queue", queue, "--store", store, *more], stdout=log, stderr=log,
                            stdin=subprocess.DEVNULL, env=env(), cwd=DIR + "/data")


def logs_of(store):
    """By run: seq, type and call of each event."""
    sql, logs = "SELECT run || ' ' || seq || ' ' || type || ' ' || call_id FROM %sevents ORDER BY run, seq", {}
    if store.startswith("postgres"):
        rows = psql(sql % "argus.").split("\n")
    else:
        db = sqlite3.connect("file:%s?mode=ro" % store, uri=True)
        rows = [r[0] for r in db.execute(sql % "").fetchall()]
        db.close()
    for row in rows:
        if row:
            run, *event = (row + " ").split(" ")[:4]
            logs.setdefault(run, []).append(event)
    return logs


def run_of_queue(store, queue):
    """Of its only job, without Argus: this reads while a writer is stopped."""
    sql = "SELECT run FROM %sjobs WHERE queue = '" + queue + "'"
    if store.startswith("postgres"):
        return psql(sql % "argus.").strip()
    db = sqlite3.connect("file:%s?mode=ro" % store, uri=True)
    row = db.execute(sql % "").fetchone()
    db.close()
    return row[0] or ""


def log_of(run, store):
    return logs_of(store).get(run, [])


def runs_of_queue(store, queue):
    return [j for j in jobs_of(store, "--queue", queue)["jobs"] if "key" in j["payload"]]


def all_done_once(name, store, queue, want, reference):
    jobs = runs_of_queue(store, queue)
    done = [j for j in jobs if j["state"] == "done"]
    runs = {j["run"] for j in done}
    check("%s: %d jobs done, none lost, none twice" % (name, want), len(jobs) == len(done) == want and len(runs) == want,
          [(j["what"], j["state"], j["error"]) for j in jobs if j["state"] != "done"] or (len(jobs), len(done)))
    bad, logs = [], logs_of(store)
    for j in done:
        events = logs.get(j["run"], [["0", "none", ""]])
        inputs = [e[2] for e in events if e[1] == "tool_input"]
        outputs = [e[2] for e in events if e[1] == "tool_output"]
        if ([int(e[0]) for e in events] != list(range(1, len(events) + 1)) or events[-1][1] != "run_finished" or
                inputs != outputs or len(set(inputs)) != len(inputs) or len(inputs) != reference or
                sum(e[1] == "run_started" for e in events) != 1):
            bad.append((j["what"], len(inputs), len(outputs), [e[1] for e in events]))
    check("%s: each log is whole, each call in it once" % name, not bad, bad[:3])
    return sum(j["attempts"] - 1 for j in done)


def drain(store, disturb, queue, name, reference):
    """Three workers; disturb() is called with them again and again."""
    r = argus("jobs", "add", "many/c*", "--queue", queue, "--attempts", "20", "--store", store)
    check("%s: queued" % name, r.returncode == 0, r)
    workers = [worker(store, queue) for _ in range(3)]
    began, next_at, ndisturb = time.time(), time.time() + every[0], 0
    while True:
        time.sleep(0.02)
        if all(w.poll() not in (None, -signal.SIGKILL) for w in workers) or time.time() - began > (1500 if LONG else 120):
            break
        if time.time() >= next_at:
            next_at = time.time() + every[0]
            ndisturb += 1
            disturb(workers, ndisturb)
        for i, w in enumerate(workers):  # who was killed comes back, like a service
            if w.poll() is not None and w.returncode == -signal.SIGKILL:
                workers[i] = worker(store, queue)
    check("%s: all workers ended" % name, all(w.poll() == 0 for w in workers), [w.poll() for w in workers])
    again = all_done_once(name, store, queue, NJOB, reference)
    print("# %s: %d jobs in %.1f s, %d disturbances, %d jobs were taken again" %
          (name, NJOB, time.time() - began, ndisturb, again), flush=True)
    return ndisturb, again


def kill_one(workers, n):
    alive = [w for w in workers if w.poll() is None]
    if alive:
        alive[n % len(alive)].kill()


def crash_server(workers, n):
    # A worker that cannot open its store ends in words; one that has it waits for it.
    running = int(psql("SELECT count(DISTINCT owner) FROM argus.jobs WHERE queue = (SELECT queue FROM argus.jobs ORDER BY id DESC LIMIT 1) AND owner <> ''"))
    if ncrash[0] < 3 and running >= len(workers) and int(psql("SELECT count(*) FROM argus.jobs WHERE state = 'running'")):
        ncrash[0] += 1
        server("crash")
        time.sleep(0.2)
        server("again")


def calls_of_one(store):
    # With its neighbours, as a job has them: it reads their keys.
    argus("audit", DIR + "/many", "--collections", "c000", "--output", "silent", "--store", store)
    run = json.loads(argus("runs", "--limit", "1", "--output", "json", "--store", store).stdout)["runs"][0]["id"]
    return sum(e[1] == "tool_input" for e in log_of(run, store))


def graceful(store):
    make_data(DIR + "/data/large.ndjson", 400000, 3)
    argus("jobs", "add", "large.ndjson", "--queue", "grace", "--store", store)
    w = worker(store, "grace", "--grace", "0")
    run = ""
    for _ in range(1000):  # it stands still while somebody looks, so that it cannot finish meanwhile
        time.sleep(0.01)
        w.send_signal(signal.SIGSTOP)
        if len(log_of(run, store)) > 3:
            break
        run = run or run_of_queue(store, "grace")
        w.send_signal(signal.SIGCONT)
    w.terminate()
    w.send_signal(signal.SIGCONT)
    code = w.wait(20)
    j = jobs_of(store, "--queue", "grace")["jobs"][0]
    check("SIGTERM hands the job back, uncounted", code == 0 and j["state"] == "queued" and j["attempts"] == 0, (code, j))
    r = argus("worker", "--drain", "--queue", "grace", "--store", store)
    j = jobs_of(store, "--queue", "grace")["jobs"][0]
    events = log_of(run, store)
    outputs = [e[2] for e in events if e[1] == "tool_output"]
    check("and its run goes on", r.returncode == 0 and j["state"] == "done" and j["run"] == run and
          len(set(outputs)) == len(outputs) and any(e[1] == "run_resumed" for e in events), (r, j, events))
    os.unlink(DIR + "/data/large.ndjson")


def waiting():
    store = URL + "jobs"
    w = subprocess.Popen([ARGUS, "worker", "--queue", "idle", "--poll", "600", "--store", store], stderr=subprocess.PIPE,
                         stdout=subprocess.DEVNULL, text=True, env=env(), cwd=DIR + "/data")
    time.sleep(1.0)
    argus("jobs", "add", "shop/orders", "--queue", "idle", "--store", store)
    began = time.time()
    while time.time() - began < 20 and jobs_of(store, "--queue", "idle")["counts"]["done"] == 0:
        time.sleep(0.05)
    took = time.time() - began
    w.terminate()
    w.communicate(timeout=20)
    check("a worker that waits is told of a job", took < 10, took)
    print("# told and done within %.2f s" % took)


# --- times ---

def fields(text, low, high):
    out = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        a, b = (low, high) if span == "*" else (int(span.split("-")[0]), int(span.split("-")[-1]))
        out.update(range(a, b + 1, int(step or 1)))
    return out


def brute(cron, zone, after, n):
    """Each minute of real time; times of the day that clocks skip are due when they do."""
    m, h, dom, mon, dow = cron.split()
    M, H, D, MO, W = fields(m, 0, 59), fields(h, 0, 23), fields(dom, 1, 31), fields(mon, 1, 12), {d % 7 for d in fields(dow, 0, 6)}
    tz = zoneinfo.ZoneInfo(zone)
    utc = datetime.timezone.utc

    def day_fits(t):
        d, w = t.day in D, t.isoweekday() % 7 in W
        return t.month in MO and ((d and w) if dom[0] == "*" or dow[0] == "*" else (d or w))

    found, at = [], after + datetime.timedelta(minutes=1)
    last = (at - datetime.timedelta(minutes=1)).astimezone(tz).replace(tzinfo=None)
    while len(found) < n:
        local = at.astimezone(tz)
        naive = local.replace(tzinfo=None)
        if h[0] == "*":
            if day_fits(naive) and naive.hour in H and naive.minute in M:
                found.append(at)
        else:
            # Every minute that clocks show for the first time now, and those that they have skipped.
            t, hit = last + datetime.timedelta(minutes=1), False
            while t <= naive and not hit:
                hit = day_fits(t) and t.hour in H and t.minute in M
                t += datetime.timedelta(minutes=1)
            if hit and local.fold == 0:
                found.append(at)
        if naive > last or h[0] == "*":
            last = max(naive, last)
        at += datetime.timedelta(minutes=1)
    return [t.astimezone(utc).strftime("%Y-%m-%dT%H:%M:%SZ") for t in found]


def times():
    rnd = random.Random(5)
    zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago"]
    starts = ["2026-03-28T20:00:00", "2026-10-24T20:00:00", "2026-03-07T20:00:00", "2026-04-04T10:00:00", "2026-09-05T20:00:00",
              "2045-03-25T20:00:00"]
    bad, n = [], 0
    for _ in range(15 if not LONG else 600):
        cron = "%s %s %s %s %s" % (rnd.choice(["0", "*/17", "30", "5,35", "10-20/5", "0-59/13"]),
                                   rnd.choice(["2", "*", "*/3", "1-4", "2,3", "0,23", "1"]), rnd.choice(["*", "*", "*/2", "5-29"]),
                                   rnd.choice(["*", "*", "3-11"]), rnd.choice(["*", "*", "0-5", "0,6"]))
        zone, start = rnd.choice(zones), rnd.choice(starts)
        after = datetime.datetime.fromisoformat(start).replace(tzinfo=datetime.timezone.utc)
        want = brute(cron, zone, after, 6)
        r = argus("schedule", "next", cron, "--zone", zone, "--after", start + "Z", "--count", "6", "--output", "json")
        got = json.loads(r.stdout)["times"] if r.returncode == 0 else r.stderr
        n += 1
        if got != want:
            bad.append((cron, zone, start, got, want))
    check("%d schedules have the times of another implementation" % n, not bad, bad[:2])


def due_now(store, name):
    """Make the schedule due, as if its time had come."""
    sql = "UPDATE %sschedules SET next_at = next_at / 60000 * 60000 - 600000 WHERE name = '%s'"
    if store.startswith("postgres"):
        psql(sql % ("argus.", name))
    else:
        db = sqlite3.connect(store)
        db.execute(sql % ("", name))
        db.commit()
        db.close()


def schedules(store):
    r = argus("schedule", "add", "often", "* * * * *", "shop/orders", "--queue", "plan", "--store", store)
    check("schedule add", r.returncode == 0 and "due next at" in r.stderr, r)
    r = argus("schedule", "add", "often", "@daily", "--all", "--store", store)
    check("a name is given once", r.returncode == 1 and "already" in r.stderr, r)
    due_now(store, "often")
    runs = [subprocess.Popen([ARGUS, "schedule", "run", "--store", store], stderr=subprocess.PIPE, text=True, env=env(),
                             cwd=DIR + "/data") for _ in range(4)]
    said = [p.communicate()[1] for p in runs]
    n = len(jobs_of(store, "--schedule", "often")["jobs"])
    # The minute may end meanwhile: then its time is due as well.
    check("ten minutes that were missed are one job, whoever queues it", n in (1, 2) and all(p.returncode == 0 for p in runs), (n, said))
    r = argus("schedule", "pause", "often", "--store", store)
    due_now(store, "often")
    argus("schedule", "run", "--store", store)
    check("a paused one queues nothing", r.returncode == 0 and len(jobs_of(store, "--schedule", "often")["jobs"]) == n)
    r = argus("schedule", "list", "--store", store)
    check("schedule list", "often" in r.stdout and "paused" in r.stdout and "shop/orders" in r.stdout, r)
    r = argus("schedule", "resume", "often", "--store", store)
    r = argus("schedule", "remove", "often", "--store", store)
    check("schedule remove", r.returncode == 0 and "often" not in argus("schedule", "list", "--store", store).stdout, r)
    for words, says in ((("x", "61 * * * *", "--all"), "minute"), (("x", "* * * * *", "--all", "--zone", "Mars/Base"), "time zone"),
                        (("x", "0 0 30 2 *", "--all"), "that day"), (("a b", "* * * * *", "--all"), "name")):
        r = argus("schedule", "add", *words, "--store", store)
        check("refused in words: %s" % says, r.returncode == 1 and says in r.stderr, r)


def secrets(stores):
    uri = "mongodb://bob:%s@127.0.0.1:1/shop.orders" % SECRET
    r = argus("jobs", "add", uri, "--store", stores[0])
    check("a password is refused in a job", r.returncode == 1 and "password" in r.stderr, r)
    p = subprocess.Popen([ARGUS, "audit", uri.replace(":" + SECRET, ""), "--jobs", "2", "--store", stores[0]], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, env=env(ARGUS_MONGODB_PASSWORD=SECRET), cwd=DIR + "/data")
    shown = ""
    while p.poll() is None:
        shown += subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
        time.sleep(0.1)
    out, err = p.communicate()
    check("a server that is away is an error in words", p.returncode == 1 and "127.0.0.1" in err, err)
    argus("audit", uri, "--jobs", "2", "--store", stores[0])
    ours = "\n".join(line for line in shown.split("\n") if "argus" in line and "postgres" not in line)
    check("no password in the list of processes", SECRET not in ours, ours)
    with open(DIR + "/workers.log", encoding="utf-8") as f:
        output.append(f.read())
    check("none in what was printed", SECRET not in "".join(output) + out + err)
    rows = "".join(psql("SELECT t::text FROM argus.%s t" % t) for t in ("jobs", "schedules", "events", "runs", "leases"))
    files = b"".join(open(stores[0] + x, "rb").read() for x in ("", "-wal") if os.path.exists(stores[0] + x))
    check("none in a store", SECRET not in rows and SECRET.encode() not in files)


def main():
    setup()
    sqlite, postgres = DIR + "/store.db", URL + "jobs"
    same_reports(sqlite)
    orphans(sqlite)
    killed_children(sqlite)
    for store in (sqlite, postgres):
        what_people_do(store)
        schedules(store)
        graceful(store)
    began = time.time()
    reference = calls_of_one(sqlite)
    if not LONG:
        every[0] = max(0.1, 1.5 * (time.time() - began))
    check("the reference has calls", reference > 3, reference)
    for name, store in (("SQLite", sqlite), ("PostgreSQL", postgres)):
        nkill, again = drain(store, kill_one, "kills", "kills of workers, " + name, reference)
        check("kills hit jobs, " + name, nkill >= 2 and again >= 1, (nkill, again))
    every[0] = min(every[0], 0.25)  # it looks often whether all workers are at work, and crashes three times at most
    drain(postgres, crash_server, "crashes", "kills of the server", reference)
    check("the server was killed in the middle", ncrash[0] >= 1, ncrash)
    waiting()
    times()
    secrets((sqlite, postgres))
    return 1 if failed else 0


sys.exit(main())
