#!/usr/bin/env python3
"""A store in PostgreSQL with the real program.

1. POSTGRES_URL names it, blank is unset; the old use is warned about once; doctor knows it.
2. kill -9 of the server in the middle of audits: nothing is lost, no tool call is repeated, the report is that of SQLite.
3. argus store copy and check, both ways.
4. What was typed as a password is in no output and in no row."""
import json
import os
import random
import subprocess
import sys
import time

ROOT, DIR, SOCKET, PORT = sys.argv[1:5]
ARGUS = os.environ["ARGUS"]
SECRET = "hunter2pw"
URL = "postgresql://team:%s@127.0.0.1:%s/" % (SECRET, PORT)
output = []
failed = []


def check(name, ok, why=""):
    print("%s - %s" % ("ok" if ok else "not ok", name), flush=True)
    if not ok:
        failed.append(name)
        print("  " + str(why)[-2000:].replace("\n", "\n  "))


def psql(sql, database="argus"):
    r = subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", database, "-XqAt", "-v",
                        "ON_ERROR_STOP=1", "-c", sql], capture_output=True, text=True)
    if r.returncode:
        raise SystemExit(r.stderr)
    return r.stdout.strip()


def server(what):
    subprocess.run(["sh", ROOT + "/tests/real/postgres.sh", what, DIR + "/pg"], check=True, stdout=subprocess.DEVNULL)


def env(**more):
    e = {"PATH": os.environ["PATH"], "HOME": DIR + "/home", "USER": "ann", "LANG": "C.UTF-8", "ARGUS_AS_OF": "2026-01-01",
         "ARGUS_HISTORY": "false", "ARGUS_SOURCE_ROOT": ROOT}
    e.update(more)
    return {k: v for k, v in e.items() if v is not None}


def argus(*args, cwd=None, **more):
    r = subprocess.run([ARGUS, *args], capture_output=True, text=True, env=env(**more), cwd=cwd or DIR + "/work",
                       stdin=subprocess.DEVNULL)
    output.append(r.stdout + r.stderr)
    return r


def make_data(path, n):
    rnd = random.Random(7)
    with open(path, "w", encoding="utf-8") as f:
        for i in range(n):
            doc = {"_id": i, "email": None if i % 10 < 3 else "u%d@example.org" % i, "age": 999 if i % 25 == 0 else 20 + i % 50,
                   "zip": "" if i % 5 == 0 else str(10000 + i % 9000), "total": rnd.randrange(10000) / 100}
            doc.update(("f%d" % k, rnd.randrange(1000)) for k in range(12))
            f.write(json.dumps(doc) + "\n")


def setup():
    for name in ("home", "work"):
        os.makedirs(DIR + "/" + name)
    psql("CREATE ROLE team LOGIN PASSWORD '%s'" % SECRET, "postgres")
    for name in ("argus", "second"):
        psql("CREATE DATABASE %s OWNER team TEMPLATE template0 ENCODING 'UTF8'" % name, "postgres")
    make_data(DIR + "/work/people.ndjson", 150000)


def settings():
    r = argus("runs", POSTGRES_URL=URL + "argus")
    check("POSTGRES_URL names the store", r.returncode == 0 and "No runs yet" in r.stdout + r.stderr, r)
    check("which is a schema of its own", psql("SELECT count(*) > 10 FROM pg_tables WHERE schemaname = 'argus'") == "t")
    r = argus("doctor", POSTGRES_URL=URL + "argus")
    check("doctor shows it", "postgresql://127.0.0.1:%s/argus" % PORT in r.stdout and "healthy" in r.stdout, r.stdout)
    check("and says what POSTGRES_URL is", "ARGUS_DATABASE" in r.stdout, r.stdout)
    r = argus("doctor", POSTGRES_URL="  ")
    check("blank is unset", DIR + "/home/.local/state/argus/argus.db" in r.stdout and "POSTGRES_URL" not in r.stdout, r.stdout)
    r = argus("doctor", POSTGRES_URL=URL + "argus", ARGUS_STORE=DIR + "/own.db")
    check("ARGUS_STORE goes before it", DIR + "/own.db" in r.stdout, r.stdout)
    r = argus("mcp", POSTGRES_URL=URL + "argus")
    check("the old use is warned about once", r.returncode == 1 and r.stderr.count("ARGUS_DATABASE") == 1, r.stderr)
    r = argus("project", "list", POSTGRES_URL=URL + "argus")
    check("in a list, too", r.returncode == 0 and r.stderr.count("ARGUS_DATABASE") == 1, r.stderr)
    r = argus("project", "list", POSTGRES_URL=URL + "argus", ARGUS_DATABASE="sqlite:shop.db")
    check("with ARGUS_DATABASE it is not", r.returncode == 0 and "warning" not in r.stderr and "shop.db" in r.stdout, r)
    r = argus("runs", POSTGRES_URL="host=x password=" + SECRET)
    check("another form is refused with the right one", r.returncode == 2 and "postgresql://" in r.stderr, r)
    with open(DIR + "/work/bad.yaml", "w", encoding="utf-8") as f:
        f.write("store: %sargus\n" % URL)
    r = argus("runs", "--config", "bad.yaml")
    check("a password in a settings file is refused", r.returncode == 2 and "settings file" in r.stderr, r)


def bad_addresses():
    bad = {"a wrong password": "postgresql://team:%s9@127.0.0.1:%s/argus" % (SECRET, PORT),
           "no server": "postgresql://team:%s@127.0.0.1:1/argus" % SECRET,
           "no database": URL + "nothing",
           "no such host": "postgresql://team:%s@no-such-host.invalid/argus" % SECRET,
           "a broken address": "postgresql://team:%s@127.0.0.1/argus?x=y" % SECRET,
           "TLS that the server does not speak": URL + "argus?sslmode=require"}
    for name, url in bad.items():
        r = argus("audit", "people.ndjson", "--store", url)
        words = r.stderr.splitlines()
        check("%s: a sentence and what to do, exit 1" % name,
              r.returncode == 1 and not r.stdout and len(words) == 2 and words[0].startswith("argus: "), r)


def events_of(run, store):
    r = argus("replay", run, "--output", "json", "--store", store)
    return [json.loads(line) for line in r.stdout.splitlines()], r


def plain(report):
    """Findings without what differs between runs."""
    return sorted((f["field"], f["category"], f["severity"], f["affected_count"]) for f in report["findings"])


def killed_servers():
    r = argus("audit", "people.ndjson", "--output", "json", "--store", "sqlite:" + DIR + "/reference.db")
    want = plain(json.loads(r.stdout))
    reference, r = events_of("last", "sqlite:" + DIR + "/reference.db")
    calls = sum(e["type"] == "tool_output" for e in reference)
    check("the reference has findings and calls", len(want) >= 3 and calls > 5, r)
    hits = 0
    for round_no in range(6):
        begun = int(psql("SELECT count(*) FROM argus.events"))
        p = subprocess.Popen([ARGUS, "audit", "people.ndjson", "--output", "json", "--store", URL + "argus"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env(), cwd=DIR + "/work")
        wanted = begun + 1 + 8 * round_no
        while p.poll() is None and int(psql("SELECT count(*) FROM argus.events")) < wanted:
            pass
        hits += p.poll() is None
        server("crash")
        time.sleep(0.3)
        server("again")
        out, err = p.communicate(timeout=120)
        output.append(out + err)
        if p.returncode != 0:
            check("an audit outlives kill -9 of the server", False, err)
            return
        events, r = events_of("last", URL + "argus")
        seqs = [e["seq"] for e in events]
        inputs = [e["call_id"] for e in events if e["type"] == "tool_input"]
        outputs = [e["call_id"] for e in events if e["type"] == "tool_output"]
        ok = (seqs == list(range(1, len(seqs) + 1)) and events[-1]["type"] == "run_finished" and inputs == outputs and
              len(set(inputs)) == len(inputs) == calls and len(events) == len(reference) and plain(json.loads(out)) == want and
              r.returncode == 0)
        check("kill %d of the server: every event once, every call once, the same findings" % (round_no + 1), ok,
              (seqs, len(inputs), len(outputs), calls, r.stderr, err))
    check("at least half of the kills were in the middle of a run", hits >= 3, hits)


def copies():
    store = URL + "argus"
    r = argus("store", "check", "--store", store)
    check("store check: all runs are rebuilt", r.returncode == 0 and "the store is whole" in r.stderr, r.stderr)
    r = argus("store", "copy", store, DIR + "/copy.db")
    check("store copy to SQLite", r.returncode == 0, r.stderr)
    r = argus("store", "check", "--store", DIR + "/copy.db")
    check("which is whole", r.returncode == 0 and "the store is whole" in r.stderr, r.stderr)
    a, b = (json.loads(argus("runs", "--output", "json", "--store", s).stdout) for s in (store, DIR + "/copy.db"))
    check("and has the same runs", a == b and len(a["runs"]) == 6, (a, b))
    r = argus("store", "copy", DIR + "/copy.db", URL + "second")
    check("and back into another database", r.returncode == 0, r.stderr)
    for table in ("events", "runs", "reports"):
        sql = "SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM argus.%s t" % table
        check("with the same rows: " + table, psql(sql) == psql(sql, "second"))
    r = argus("store", "copy", DIR + "/none.db", URL + "second")
    check("no store is made by copying from it", r.returncode == 1 and not os.path.exists(DIR + "/none.db"), r.stderr)
    psql("UPDATE argus.reports SET body = replace(body, 'people', 'peoble') WHERE run = (SELECT max(run) FROM argus.reports)",
         "second")
    r = argus("store", "check", "--store", URL + "second")
    check("a report that somebody changed is found", r.returncode == 1 and "is not what its log gives" in r.stderr, r.stderr)


def secrets():
    text = "".join(output)
    check("the password is in no output", SECRET not in text)
    rows = "".join(psql("SELECT t::text FROM argus.%s t" % t) for t in ("events", "runs", "reports", "texts", "ledger"))
    check("and in no row", SECRET not in rows)


def main():
    setup()
    settings()
    bad_addresses()
    killed_servers()
    copies()
    secrets()
    return 1 if failed else 0


sys.exit(main())
