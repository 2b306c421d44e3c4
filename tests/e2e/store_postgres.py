#!/usr/bin/env python3
"""A store in PostgreSQL with the real program.

1. POSTGRES_URL names it, blank is unset; the old use is warned about once; doctor knows it.
2. kill -9 of the server in the middle of audits: nothing is lost, no tool call is repeated, the report is that of SQLite.
3. argus store copy and check, both ways.
4. argus store import takes over a database of the older system, twice; its tables are views of a store.
5. What was typed as a password is in no output and in no row.
6. PgBouncer in front, and a server that only reads, are told what is needed."""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT, DIR, SOCKET, PORT = sys.argv[1:5]
ARGUS = os.environ["ARGUS"]
LONG = os.environ.get("ARGUS_LONG") == "1"
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
    r = subprocess.run([ARGUS, *args], capture_output=True, text=True, env=env(**more), cwd=cwd or DIR + "/data",
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
    for name in ("home", "data"):
        os.makedirs(DIR + "/" + name)
    psql("CREATE ROLE team LOGIN PASSWORD '%s'" % SECRET, "postgres")
    for name in ("argus", "second"):
        psql("CREATE DATABASE %s OWNER team TEMPLATE template0 ENCODING 'UTF8'" % name, "postgres")
    make_data(DIR + "/data/people.ndjson", 150000)
    make_data(DIR + "/data/small.ndjson", 10)


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
    with open(DIR + "/data/bad.yaml", "w", encoding="utf-8") as f:
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


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


COMMANDS = (("runs",), ("audit", "small.ndjson", "--output", "silent"), ("audit", ".", "--jobs", "2", "--output", "silent"),
            ("jobs", "add", "small.ndjson"), ("worker", "--drain"), ("jobs", "list"), ("schedule", "add", "often", "@daily", "small.ndjson"),
            ("schedule", "run"), ("schedule", "remove", "often"), ("history", "small.ndjson"), ("project", "list"), ("store", "check"),
            ("store", "copy", DIR + "/home/none.db"), ("doctor",))
# What a session of the store must be, for a role whose pooler passes no start-up options on.
ROLE = ("search_path TO pg_catalog, argus, pg_temp", "IntervalStyle TO iso_8601", "TimeZone TO 'UTC'", "extra_float_digits TO 3",
        "statement_timeout TO '10min'")


class Pooler:
    def __init__(self, program, mode, ignored):
        self.port, folder = free_port(), DIR + "/pooler"
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o777)
        with open(folder + "/users", "w", encoding="utf-8") as f:
            f.write('"team" "%s"\n"tuned" "%s"\n' % (SECRET, SECRET))
        with open(folder + "/ini", "w", encoding="utf-8") as f:
            f.write("[databases]\n* = host=127.0.0.1 port=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\n"
                    "unix_socket_dir =\nauth_type = trust\nauth_file = %s/users\npool_mode = %s\ndefault_pool_size = 12\n"
                    "ignore_startup_parameters = %s\n" % (PORT, self.port, folder, mode, ignored or "extra_float_digits"))
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] if os.getuid() == 0 else []
        self.p = subprocess.Popen(user + [program, "-q", folder + "/ini"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.05)

    def url(self, role):
        return "postgresql://%s:%s@127.0.0.1:%d/%s_pooled" % (role, SECRET, self.port, role)

    def stop(self):
        self.p.terminate()
        self.p.wait()


def is_told(r):
    words = r.stderr if r.args[1] != "doctor" else r.stdout.replace("\n", " ")
    return r.returncode == 1 and "session mode" in " ".join(words.split())


def by_pooler(url, command):
    at = [url] if command[:2] == ("store", "copy") else ["--store", url]
    return argus(*command, *at, cwd=DIR + "/pooled")


def poolers():
    """PgBouncer in front: what does not keep a session is refused by every command, before anything is written."""
    program = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
    if not program:
        print("skip - PgBouncer: not installed (package pgbouncer)")
        return
    psql("CREATE ROLE tuned LOGIN PASSWORD '%s'" % SECRET, "postgres")
    for setting in ROLE:
        psql("ALTER ROLE tuned SET " + setting, "postgres")
    for role in ("team", "tuned"):
        psql("CREATE DATABASE %s_pooled OWNER %s TEMPLATE template0 ENCODING 'UTF8'" % (role, role), "postgres")
    os.makedirs(DIR + "/pooled")
    shutil.copy(DIR + "/data/small.ndjson", DIR + "/pooled/small.ndjson")
    argus("audit", DIR + "/data/small.ndjson", "--store", DIR + "/home/none.db")
    for mode, ignored in (("transaction", ""), ("transaction", "options"), ("statement", "options"), ("session", "options")):
        p = Pooler(program, mode, ignored)
        name = "PgBouncer in %s mode%s" % (mode, ", which drops options" if ignored else "")
        bad = [r for r in (by_pooler(p.url("team"), c) for c in COMMANDS) if not is_told(r)]
        check(name + ": every command is told what is needed, exit 1", not bad, bad)
        check(name + ": nothing is written", psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'argus'", "team_pooled") == "0")
        p.stop()
    p = Pooler(program, "session", "options")
    bad = [r for r in (by_pooler(p.url("tuned"), c) for c in COMMANDS) if r.returncode]
    check("PgBouncer in session mode, with a role that has the settings: every command works", not bad, bad)
    p.stop()
    count = "SELECT (SELECT count(*) FROM argus.events) || '/' || (SELECT count(*) FROM argus.jobs)"
    begun = psql(count, "tuned_pooled")
    for mode in ("transaction", "statement"):
        p = Pooler(program, mode, "options")
        bad = [r for r in (by_pooler(p.url("tuned"), c) for c in COMMANDS) if not is_told(r)]
        check("PgBouncer in %s mode, with such a role: every command is told what is needed" % mode, not bad, bad)
        check("in %s mode: nothing is written" % mode, psql(count, "tuned_pooled") == begun)
        p.stop()


def standby():
    """A read-only server: what only reads works, what writes is told which server to name."""
    binaries, folder, port = "/usr/lib/postgresql/15/bin/", DIR + "/standby", free_port()
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] if os.getuid() == 0 else []
    os.makedirs(folder)
    if user:
        shutil.chown(folder, "postgres")
    os.chmod(folder, 0o700)

    def run(*args):
        return subprocess.run(user + [binaries + args[0], *args[1:]], capture_output=True, text=True, stdin=subprocess.DEVNULL)

    r = run("pg_basebackup", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-D", folder, "-R", "--checkpoint=fast")
    if r.returncode == 0:
        subprocess.run(user + [binaries + "pg_ctl", "-D", folder, "-s", "-w", "-l", folder + "/log", "-o", "-c port=%d -c listen_addresses="
                       "127.0.0.1 -c unix_socket_directories= -c fsync=off" % port, "start"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    store = "postgresql://team:%s@127.0.0.1:%d/" % (SECRET, port)
    r2 = argus("runs", "--store", store + "argus")
    check("a standby can be read", r2.returncode == 0, (r, r2))
    r = argus("audit", "bad.yaml", "small.ndjson", "--store", store + "argus")
    check("a standby is not written: a sentence and what to do, exit 1", r.returncode == 1 and "read-only" in r.stderr and
          "primary" in r.stderr, r)
    r = argus("runs", "--store", store + "postgres")
    check("nor is a store made in it", r.returncode == 1 and "standby" in r.stderr, r)
    r = argus("worker", "--drain", "--store", store + "argus")
    check("a worker says so as well", r.returncode == 1 and "read-only" in r.stderr, r)
    run("pg_ctl", "-D", folder, "-m", "immediate", "-s", "stop")


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
    hits, rounds = 0, 20 if LONG else 6
    for round_no in range(rounds):
        begun = int(psql("SELECT count(*) FROM argus.events"))
        p = subprocess.Popen([ARGUS, "audit", "people.ndjson", "--output", "json", "--store", URL + "argus"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env(), cwd=DIR + "/data")
        wanted = begun + 1 + (len(reference) - 6) * round_no // rounds
        while p.poll() is None:  # it stands still while somebody looks, so that it cannot finish meanwhile
            p.send_signal(signal.SIGSTOP)
            if int(psql("SELECT count(*) FROM argus.events")) >= wanted:
                break
            p.send_signal(signal.SIGCONT)
            time.sleep(0.012)
        hits += p.poll() is None
        server("crash")
        p.send_signal(signal.SIGCONT)
        time.sleep(0.1)
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
    check("at least half of %d kills were in the middle of a run" % rounds, hits >= rounds // 2, hits)


def copies():
    store = URL + "argus"
    r = argus("store", "check", "--store", store)
    check("store check: all runs are rebuilt", r.returncode == 0 and "the store is whole" in r.stderr, r.stderr)
    r = argus("store", "copy", store, DIR + "/copy.db")
    check("store copy to SQLite", r.returncode == 0, r.stderr)
    r = argus("store", "check", "--store", DIR + "/copy.db")
    check("which is whole", r.returncode == 0 and "the store is whole" in r.stderr, r.stderr)
    a, b = (json.loads(argus("runs", "--output", "json", "--store", s).stdout) for s in (store, DIR + "/copy.db"))
    check("and has the same runs", a == b and len(a["runs"]) == (20 if LONG else 6), (a, b))
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


OLD_TABLES = """
CREATE TABLE argus_reports (id TEXT PRIMARY KEY, collection TEXT, database TEXT, cosmos_account TEXT, run_at TIMESTAMPTZ,
    duration_secs DOUBLE PRECISION, docs_sampled INT, collection_size INT, summary TEXT, overall_quality_score DOUBLE PRECISION,
    run_eval_verdict TEXT, run_eval_by TEXT, total_input_tokens INT, total_output_tokens INT, run_trace JSONB, raw_report JSONB);
CREATE TABLE argus_findings (id TEXT PRIMARY KEY, report_id TEXT REFERENCES argus_reports (id) ON DELETE CASCADE, field TEXT,
    category TEXT, severity TEXT, description TEXT, hypothesis TEXT, evidence_query TEXT, affected_count INT,
    affected_pct DOUBLE PRECISION, sample_values JSONB, confirmed BOOLEAN, evaluation_verdict TEXT,
    evaluation_score DOUBLE PRECISION, evaluated_by TEXT, user_label TEXT, created_at TIMESTAMPTZ DEFAULT now());
CREATE TABLE argus_dismissed_findings (id TEXT PRIMARY KEY, report_id TEXT REFERENCES argus_reports (id) ON DELETE CASCADE,
    field TEXT, category TEXT, severity TEXT, description TEXT, dismissed_by TEXT, dismiss_verdict TEXT, dismiss_reason TEXT,
    dismiss_score DOUBLE PRECISION, critique TEXT, created_at TIMESTAMPTZ DEFAULT now());
CREATE TABLE argus_evaluation_records (id TEXT PRIMARY KEY, report_id TEXT REFERENCES argus_reports (id) ON DELETE CASCADE,
    gate TEXT, evaluated_by TEXT, verdict TEXT, score DOUBLE PRECISION, reason TEXT, critique TEXT, target_id TEXT,
    iteration INT, created_at TIMESTAMPTZ DEFAULT now());
INSERT INTO argus_reports SELECT 'r' || n, 'users', 'shop', 'acct', CAST('2025-03-0' || n || ' 10:00:00Z' AS TIMESTAMPTZ), 12.5, 200, 1000,
    'Sampled 200', 0.75, 'PASS', 'judge', 1000 * n, 40, '[{"action": "schema_sample"}]', jsonb_build_object('id', 'r' || n,
    'run_trace', '[{"action": "schema_sample", "iteration": 1}]'::jsonb, 'cost', NULL,
    'run_evaluation', '{"verdict": "PASS", "evaluated_by": "judge"}'::jsonb) FROM generate_series(1, 3) n;
INSERT INTO argus_findings (id, report_id, field, category, severity, description, hypothesis, evidence_query, affected_count,
    affected_pct, sample_values, confirmed, user_label) SELECT 'f' || n, 'r' || n, 'email', 'Null Rate', 'HIGH', 'no email',
    'optional field', '{"email": null}', 300 + n, 0.3, '[null, "x"]', true, CASE n WHEN 1 THEN 'tp' END
    FROM generate_series(1, 3) n;
INSERT INTO argus_findings (id, report_id, field, category, severity, affected_count, affected_pct, user_label)
    VALUES ('g1', 'r1', 'age', 'outlier', 'medium', 9, 1.7, 'fp');
INSERT INTO argus_dismissed_findings VALUES ('d1', 'r2', 'zip', 'format_violation', 'low', 'short codes', 'self', 'FAIL',
    'no evidence', 0.2, 'count them');
INSERT INTO argus_evaluation_records VALUES ('e1', 'r2', 'finding', 'self', 'FAIL', 0.2, 'no evidence', 'count them', 'd1', 4);
"""


def show(run, store):
    r = argus("show", run, "--output", "json", "--store", store)
    return (json.loads(r.stdout) if r.returncode == 0 else {}), r


def imports():
    psql("CREATE DATABASE old OWNER team TEMPLATE template0 ENCODING 'UTF8'", "postgres")
    psql("SET ROLE team;" + OLD_TABLES, "old")
    for name, store in (("into SQLite", DIR + "/taken.db"), ("into the same database", URL + "old")):
        for time_no in (1, 2):
            r = argus("store", "import", URL + "old", "--store", store)
            check("import %s, time %d" % (name, time_no), r.returncode == 0 and
                  "3 reports with 4 findings (2 labels, 1 dismissed)" in r.stderr, r.stderr)
        runs = json.loads(argus("runs", "--output", "json", "--store", store).stdout)["runs"]
        check("each run once, with its time and tokens", len(runs) == 3 and runs[2]["started_at"] == "2025-03-01T10:00:00Z" and
              sorted(r["input_tokens"] for r in runs) == [1000, 2000, 3000], runs)
        report, r = show(runs[2]["id"], store)
        by = {f["field"]: f for f in report.get("findings", [])}
        check("findings and labels", set(by) == {"email", "age"} and by["email"]["category"] == "null_rate" and
              by["email"]["user_label"] == "tp" and by["age"]["user_label"] == "fp" and
              by["email"]["affected_count"] == 301 and by["age"]["affected_pct"] == 1, (by, r.stderr))
        report, r = show(runs[1]["id"], store)
        d = report.get("dismissed_findings", [{}])
        check("dismissals with their reasons", len(d) == 1 and d[0]["dismissal"]["critique"] == "count them" and
              len(report["evaluation_records"]) == 1 and len(report["run_trace"]) == 1, (d, r.stderr))
        r = argus("show", runs[0]["id"], "--store", store)
        check("the report as text", r.returncode == 0 and "email" in r.stdout, r)
        r = argus("history", "acct/shop/users", "--store", store)
        check("history of the three", r.returncode == 0 and "email" in r.stdout, r)
        r = argus("rate", runs[0]["id"], "email/null_rate", "fp", "--store", store)
        check("a label given in Argus", r.returncode == 0, r.stderr)
        report, r = show(runs[0]["id"], store)
        check("is in the report", report["findings"][0]["user_label"] == "fp" and len(report["findings"]) == 1, r.stderr)
        argus("store", "import", URL + "old", "--store", store)
        report, r = show(runs[0]["id"], store)
        findings = json.loads(argus("history", "acct/shop/users", "--output", "json", "--store", store).stdout)
        check("stays when it is imported again", '"fp"' in json.dumps(findings) and
              report["findings"][0]["user_label"] == "fp", findings)
        r = argus("store", "check", "--store", store)
        check("and the store is whole", r.returncode == 0, r.stderr)
    views()
    r = argus("store", "import", URL + "second", "--store", DIR + "/taken.db")
    check("a database without the tables is refused", r.returncode == 1 and "argus_reports" in r.stderr, r.stderr)
    r = argus("store", "import", DIR + "/copy.db", "--store", DIR + "/taken.db")
    check("as is a file", r.returncode == 1 and "PostgreSQL only" in r.stderr, r.stderr)


def views():
    for table in ("argus_reports", "argus_findings", "argus_dismissed_findings", "argus_evaluation_records"):
        sql = "SELECT string_agg(attname, ',' ORDER BY attname) FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0"
        old, new = (set(psql(sql % (schema + table), "old").split(",")) for schema in ("public.", "argus."))
        check("the view %s has its columns" % table, old <= new, old - new)
        psql("SELECT * FROM argus.%s" % table)  # of real runs: every value is read
    same = ("SELECT collection, database, cosmos_account, run_at, duration_secs, docs_sampled, collection_size, summary, "
            "overall_quality_score, lower(run_eval_verdict), run_eval_by, total_input_tokens, total_output_tokens "
            "FROM %s.argus_reports ORDER BY run_at")
    check("the same reports", psql(same % "public", "old") == psql(same % "argus", "old"), psql(same % "argus", "old"))
    same = ("SELECT field, lower(severity), description, affected_count, hypothesis, evidence_query FROM %s.argus_findings "
            "WHERE field = 'email' ORDER BY affected_count")
    check("the same findings", psql(same % "public", "old") == psql(same % "argus", "old"), psql(same % "argus", "old"))
    same = "SELECT field, dismissed_by, lower(dismiss_verdict), dismiss_reason, dismiss_score, critique FROM %s.argus_dismissed_findings"
    check("the same dismissals", psql(same % "public", "old") == psql(same % "argus", "old"), psql(same % "argus", "old"))
    same = "SELECT id, gate, evaluated_by, verdict, score, reason, critique, target_id, iteration FROM %s.argus_evaluation_records"
    check("the same evaluations", psql(same % "public", "old") == psql(same % "argus", "old"), psql(same % "argus", "old"))
    count = psql("SELECT count(*) FROM argus.argus_findings f JOIN argus.argus_reports r ON r.id = f.report_id")
    check("the views show runs of Argus as well", int(count) >= 18, count)


def secrets():
    text = "".join(output)
    check("the password is in no output", SECRET not in text)
    rows = "".join(psql("SELECT t::text FROM argus.%s t" % t) for t in ("events", "runs", "reports", "texts", "ledger"))
    check("and in no row", SECRET not in rows)


def main():
    setup()
    settings()
    bad_addresses()
    poolers()
    standby()
    killed_servers()
    copies()
    imports()
    secrets()
    return 1 if failed else 0


sys.exit(main())
