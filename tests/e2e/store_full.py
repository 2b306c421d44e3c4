#!/usr/bin/env python3
"""A store whose disk is full: a file of SQLite, and a tablespace of PostgreSQL, both on a small file system of their own.

1. A command that cannot write says so in a sentence with the next step, and ends with 1. Nothing is half written.
2. A worker does not give a job up because of it: the job is done, once, when there is room again.
3. Old runs can be removed while the disk is full."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

ROOT, DIR, SOCKET, PORT = sys.argv[1:5]
ARGUS = os.environ["ARGUS"]
DISK = DIR + "/disk"
ORDERS = DIR + "/orders.ndjson"
failed = []


def check(name, ok, why=""):
    print("%s - %s" % ("ok" if ok else "not ok", name), flush=True)
    if not ok:
        failed.append(name)
        print("  " + str(why)[-2000:].replace("\n", "\n  "))


def psql(sql, database="argus"):
    return subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", database, "-XqAt", "-v", "ON_ERROR_STOP=1",
                           "-c", sql], capture_output=True, text=True, check=True).stdout.strip()


def env():
    return {"PATH": os.environ["PATH"], "HOME": DIR, "USER": "ann", "LANG": "C.UTF-8", "ARGUS_HISTORY": "false"}


def argus(*args):
    return subprocess.run([ARGUS, *args], capture_output=True, text=True, env=env(), stdin=subprocess.DEVNULL)


def resize(size):
    subprocess.run(["mount", "-o", "remount,size=%dk" % size, DISK], check=True)


def used():
    s = os.statvfs(DISK)
    return (s.f_blocks - s.f_bfree) * s.f_frsize // 1024


def fill():
    """Leaves no block free: a file system as large as what is on it."""
    resize(used())


def in_words(r):
    lines = [x for x in r.stderr.splitlines() if "warning" not in x]
    return r.returncode == 1 and len(lines) >= 2 and lines[0].startswith("argus: ") and "free some space" in lines[1]


def runs(store):
    return json.loads(argus("runs", "--output", "json", "--store", store).stdout)["runs"]


def is_whole(store, why):
    r = argus("store", "check", "--store", store)
    check("%s: the store is whole" % why, r.returncode == 0 and "the store is whole" in r.stderr, r)


def audits(store):
    """Audits until one finds no room. The store has one already."""
    n = 1
    while n < 400:
        r = argus("audit", ORDERS, "--store", store)
        if r.returncode not in (0, 3):
            break
        n += 1
    check("an audit without room: a sentence and the next step, exit 1", in_words(r) and 1 < n < 400, (n, r))
    listed = runs(store)
    ended = [x for x in listed if x["status"] == "ok"]
    check("every audit that ended well is in the store", len(ended) == n and len(listed) <= n + 1, (n, len(listed)))
    is_whole(store, "full")
    resize(16384)
    if len(listed) > n:
        r = argus("resume", "last", "--store", store, "--output", "json")
        check("with room again, the run goes on", r.returncode in (0, 3) and json.loads(r.stdout)["findings"], r)
    is_whole(store, "with room again")


def jobs(store):
    r = argus("jobs", "list", "--output", "json", "--store", store)
    return json.loads(r.stdout)["jobs"] if r.returncode == 0 else []


def log():
    with open(DIR + "/worker.log", encoding="utf-8") as f:
        return f.read()


def worker(store):
    with open(DIR + "/worker.log", "a", encoding="utf-8") as f:
        return subprocess.Popen([ARGUS, "worker", "--poll", "1", "--store", store], stdout=f, stderr=f, env=env(),
                                stdin=subprocess.DEVNULL)


def job(store, opens):
    """opens: can a store on a full disk be opened? A file cannot: what its readers share has no room beside it."""
    open(DIR + "/worker.log", "w", encoding="utf-8").close()
    r = argus("jobs", "add", ORDERS, "--store", store)
    check("a job is queued", r.returncode == 0, r)
    fill()
    p = worker(store)
    said = wait(lambda: "free some space" in log() or "space left" in log())
    check("the worker says that there is no room", said, log())
    if opens:
        check("and goes on", p.poll() is None, log())
        resize(16384)
    else:
        check("and ends, with 1", p.wait(30) == 1 and "free some space" in log(), log())
        resize(16384)
        p = worker(store)
    done = wait(lambda: all(x["state"] == "done" for x in jobs(store)))
    p.send_signal(signal.SIGTERM)
    p.wait(30)
    rows = jobs(store)
    check("with room again, the job is done and no attempt is lost", done and len(rows) == 1 and rows[0]["attempts"] == 1,
          (rows, log()))
    is_whole(store, "after the job")


def wait(until):
    for _ in range(600):
        if until():
            return True
        time.sleep(0.1)
    return False


def purge(store):
    fill()
    r = argus("purge", "--older-than", "0", "--store", store)
    check("old runs can be removed while the disk is full", r.returncode == 0 and not runs(store), r)
    resize(16384)


def on_sqlite():
    print("# SQLite")
    store = DISK + "/argus.db"
    argus("audit", ORDERS, "--store", store)
    resize(used() + 3000)
    audits(store)
    job(store, False)
    for name in os.listdir(DISK):
        os.remove(DISK + "/" + name)


def on_postgres():
    print("# PostgreSQL")
    store = "postgresql://team:secret@127.0.0.1:%s/argus" % PORT
    resize(16384)
    os.mkdir(DISK + "/space")
    shutil.chown(DISK + "/space", "postgres")
    psql("CREATE ROLE team LOGIN PASSWORD 'secret'", "postgres")
    psql("CREATE TABLESPACE small LOCATION '%s/space'" % DISK, "postgres")
    psql("CREATE DATABASE argus OWNER team TEMPLATE template0 ENCODING 'UTF8' TABLESPACE small", "postgres")
    argus("audit", ORDERS, "--store", store)
    psql("CHECKPOINT", "postgres")
    resize(used() + 3000)
    audits(store)
    job(store, True)
    purge(store)


shutil.copy(ROOT + "/examples/shop/orders.ndjson", ORDERS)
on_sqlite()
on_postgres()
sys.exit(1 if failed else 0)
