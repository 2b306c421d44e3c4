#!/usr/bin/env python3
"""The SQL guard against a real PostgreSQL 15, as superuser, who may do everything.

1. The guard's tables of functions and operators are compared with the server's catalog.
2. Every case of tests/cases/guard goes through `argus guard --ndjson`. What it allows is run as it says, in a read-only
   transaction by the extended protocol: it must not fail, and must change nothing at all.
3. Attacks are run without the guard first, to show that they work, and then refused by it.
4. After all of it, the database, its files, its locks, roles and settings are what they were."""
import os
import re
import sys

from guard_postgres_rig import CASES, ROOT, Failed, Guard, Server, check, failed, read_cases

# Volatile, and harmless: they change nothing.
VOLATILE = {"clock_timestamp", "gen_random_uuid", "random", "timeofday"}


def file_of(name):
    with open(os.path.join(CASES, name), encoding="utf-8") as f:
        return f.read()


# --- 1. the tables of the guard ---

def words_of(source):
    with open(os.path.join(ROOT, "src/guard", source), encoding="utf-8") as f:
        text = f.read()
    groups = re.findall(r'AG_SQL_WORDS\("([^"]*)",((?:\s*"[^"]*")+)\)', text)
    return {what: " ".join(re.findall(r'"([^"]*)"', words)).split() for what, words in groups}


def check_functions(guard, db):
    harmless = words_of("sql_functions_pg.c")
    newer = set(harmless.pop("PostgreSQL 16 and later"))
    harmless = {w for words in harmless.values() for w in words}
    rows = db.simple("SELECT lower(proname), bool_or(provolatile = 'v'), bool_or('internal'::regtype = ANY (proargtypes) "
                     "OR 'cstring'::regtype = ANY (proargtypes) OR prorettype IN ('cstring'::regtype, 'internal'::regtype)) "
                     "FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace GROUP BY 1")
    server = {name: (volatile == "t", internal == "t") for name, volatile, internal in rows}
    check("the server knows every harmless function", not harmless - set(server), harmless - set(server))
    check("it does not know those of later versions", not newer & set(server), newer & set(server))
    bad = [n for n in harmless if n in server and (server[n][0] and n not in VOLATILE or server[n][1])]
    check("harmless functions have no volatile or internal overload", not bad, bad)
    rules = {n: guard.judge('SELECT "%s"()' % n)["rule"] for n in server}
    unknown = [n for n, r in rules.items() if r not in ("allowed", "dangerous_function")]
    check("every function of the server is allowed or known to be dangerous", len(server) > 2500 and not unknown, unknown)
    check("the program allows those of the table", {n for n, r in rules.items() if r == "allowed"} == harmless,
          {n for n, r in rules.items() if r == "allowed"} ^ harmless)


def check_operators(guard, db):
    names = [r[0] for r in db.simple("SELECT DISTINCT oprname FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace")]
    bad = [n for n in names if guard.judge("SELECT 1 OPERATOR(pg_catalog.%s) 2" % n)["rule"] != "allowed"]
    check("every operator of the server is allowed", len(names) > 70 and not bad, bad)
    volatile = db.simple("SELECT DISTINCT oprname FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode "
                         "WHERE oprnamespace = 'pg_catalog'::regnamespace AND provolatile = 'v'")
    check("none of them is volatile", not volatile, volatile)


def check_types(guard, db):
    names = [r[0] for r in db.simple("SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace")]
    allowed = {n for n in names if guard.judge('SELECT NULL::"%s"' % n)["rule"] == "allowed"}
    looks_up = {n for n in allowed if re.search("reg|oid|cl?item|pg_|cstring|internal|any|handler|trigger|record", n)}
    check("no cast to a type that looks into the catalog", looks_up <= {"regconfig", "regdictionary", "_regconfig", "_regdictionary"},
          looks_up)
    check("casts to everyday types", {"int4", "text", "numeric", "timestamptz", "jsonb", "uuid", "_int4"} <= allowed)


# --- 2. the cases ---

def run_allowed(db, sql, schema):
    """None, or what the server says against it."""
    db.simple("BEGIN READ ONLY; SET LOCAL statement_timeout = '20s'; SET LOCAL search_path = pg_catalog, %s" % schema)
    try:
        db.extended(sql)
    except Failed as e:
        return e
    finally:
        db.simple("ROLLBACK")
    return None


def judge_case(guard, case):
    """The verdict, or None for what cannot travel as JSON."""
    try:
        text = case.sql.decode()
    except UnicodeDecodeError:
        return None
    v = guard.judge(text, case.config)
    problems = []
    if case.has_catalog:
        return v  # this guard has no catalog
    if v["verdict"] != case.verdict:
        problems.append("is %s" % v["verdict"])
    elif case.verdict == "deny" and (v["rule"] != case.want or not v["message"] or v["sql_executed"]):
        problems.append("rule %s, message %s" % (v["rule"], v["message"]))
    elif case.verdict == "allow" and (",".join(v["tables"]) or "-") != case.want:
        problems.append("tables %s" % v["tables"])
    elif case.run is not None and v["sql_executed"] != case.run:
        problems.append("is to run %s" % v["sql_executed"])
    v["problems"] = problems
    return v


def check_cases(guard, db):
    wrong, broken, nrun = [], [], 0
    cases = read_cases()
    for case in cases:
        v = judge_case(guard, case)
        if v is None:
            continue
        wrong += ["%s: %s" % (case.where, p) for p in v.get("problems", [])]
        if case.verdict != "allow":
            continue
        # With a catalog the unit tests allow it; here the text itself is tried.
        sql = case.sql.decode() if case.has_catalog else v["sql_executed"]
        e = run_allowed(db, sql, case.config.get("schema", "public"))
        nrun += 1
        if e:
            broken.append("%s: %s" % (case.where, e))
    check("%d cases get their verdict from the program" % len(cases), len(cases) >= 900 and not wrong, "\n".join(wrong))
    check("%d allowed statements run" % nrun, nrun >= 350 and not broken, "\n".join(broken))


# --- 3. attacks that work ---

ATTACKS = [
    # what, SQL ({secret} = a file of the server), where the effect is seen
    ("a field that reads a file", "SELECT ('{secret}'::text).pg_read_file", "reads"),
    ("a field of a variable that reads a file", "SELECT (x).pg_read_file FROM (SELECT '{secret}'::text AS x) AS t", "reads"),
    ("a function in FROM", "SELECT * FROM pg_read_file('{secret}')", "reads"),
    ("a name in escapes", "SELECT U&\"\\0070g_read_file\"('{secret}')", "reads"),
    ("a name in escapes, with a comment", "SELECT U&\"!0070g_read_file\" /* c */ UESCAPE '!' ('{secret}')", "reads"),
    ("lo_import", "SELECT lo_import('{secret}')", "objects"),
    ("a function in LIMIT", "SELECT id FROM users LIMIT (SELECT length(pg_read_file('{secret}')))", "rows"),
    ("a column that is a function", "SELECT users.leak FROM users LIMIT 1", "marks"),
    ("the function of another type behind a built-in name", "SELECT lower(address) FROM users LIMIT 1", "marks"),
    ("a user's operator", "SELECT 1 @@@@ 2", "marks"),
    ("a user's cast", "SELECT 'x'::text::evil", "marks"),
    ("a CTE that deletes", "WITH x AS (DELETE FROM payments RETURNING id) SELECT count(*) FROM x", "payments"),
    ("a function that deletes", "SELECT harm()", "payments"),
    ("SELECT INTO", "SELECT * INTO stolen FROM users", "tables"),
    ("SQL as text, to XML", "SELECT query_to_xml('SELECT token FROM secrets', true, true, '')", "token"),
    ("SQL as text, for statistics", "SELECT word FROM ts_stat('SELECT to_tsvector(''simple'', token) FROM secrets')", "token"),
    ("dblink", "SELECT contrib.dblink_exec('{dsn}', 'DELETE FROM payments')", "payments"),
    ("a sequence", "SELECT nextval('order_seq')", "sequence"),
    ("a lock of the session", "SELECT pg_advisory_lock(42)", "locks"),
    ("a setting of the session", "SELECT set_config('search_path', 'evil', false)", "setting"),
    ("a role", "SELECT set_config('role', 'argus_reader', false)", "role"),
    ("a table under cover of its name", "WITH secrets AS (SELECT * FROM public.secrets) SELECT token FROM secrets", "token"),
    ("a view", "SELECT * FROM v_deep", "token"),
]
PROBES = {
    "objects": "SELECT count(*) FROM pg_largeobject_metadata",
    "marks": "SELECT last_value::text || is_called FROM mark_seq",
    "payments": "SELECT count(*) FROM payments",
    "tables": "SELECT count(*) FROM pg_class",
    "sequence": "SELECT last_value::text || is_called FROM order_seq",
    "locks": "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
    "setting": "SHOW search_path",
    "role": "SELECT current_user",
}


def works(server, sql, effect):
    """Run without a guard, in a copy of the database: is the effect there?"""
    db = server.connect("victim")
    db.simple("SET search_path = public, contrib")
    before = db.one(PROBES[effect]) if effect in PROBES else None
    try:
        rows = db.extended(sql)
        if effect in PROBES:
            return db.one(PROBES[effect]) != before
        if effect == "rows":
            return len(rows) > 10
        return "the secret" in str(rows) if effect == "reads" else "token" in str(rows)
    finally:
        db.close()


def check_attacks(guard, server, secret):
    main = server.connect("postgres")
    is_whole = False
    for what, sql, effect in ATTACKS:
        if not is_whole:
            main.simple("DROP DATABASE IF EXISTS victim WITH (FORCE)")
            main.simple("CREATE DATABASE victim TEMPLATE untouched")
        is_whole = effect not in ("payments", "tables")
        sql = sql.replace("{secret}", secret).replace(
            "{dsn}", "host=%s port=%s dbname=victim user=postgres" % (server.sockets, server.port))
        try:
            ok = works(server, sql, effect)
        except Failed as e:
            ok = False
            print("  %s" % e)
        # Without a catalog a column and a view are what they look like; the unit tests refuse these with one.
        refused = what in ("a column that is a function", "the function of another type behind a built-in name", "a view")
        v = guard.judge(sql, {"excluded_tables": ["secrets"]})
        check("%s works, and is refused" % what, ok and (refused or v["verdict"] == "deny"), v)
    main.simple("DROP DATABASE IF EXISTS victim WITH (FORCE)")
    main.close()


# --- 4. what is left behind ---

def traces(server, db, folder):
    """Everything that a statement could have changed."""
    tables = db.simple("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname !~ '^pg_|^inf' ORDER BY 1")
    main = server.connect("shop")
    ret = {
        "rows": {t: main.one("SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, ',' ORDER BY x::text)), '') FROM %s AS x" % t)
                 for t, in tables},
        "relations": main.simple("SELECT oid, relname, relkind, relfilenode FROM pg_class WHERE oid >= 16384 ORDER BY oid"),
        "functions": main.simple("SELECT count(*) FROM pg_proc"),
        "sequences": main.simple("SELECT schemaname, sequencename, last_value FROM pg_sequences ORDER BY 1, 2"),
        "large objects": main.simple("SELECT count(*) FROM pg_largeobject_metadata"),
        "roles": main.simple("SELECT rolname, rolsuper, rolpassword FROM pg_authid ORDER BY 1"),
        "databases": main.simple("SELECT datname FROM pg_database WHERE datname <> 'victim' ORDER BY 1"),
        "settings": main.simple("SELECT name, setting FROM pg_settings WHERE source NOT IN ('session', 'client') ORDER BY 1"),
        "settings kept": main.simple("SELECT setdatabase, setrole, setconfig FROM pg_db_role_setting"),
        "slots": main.simple("SELECT slot_name FROM pg_replication_slots"),
        "locks": main.simple("SELECT locktype, mode FROM pg_locks WHERE pid <> pg_backend_pid() AND "
                             "(locktype = 'advisory' OR locktype = 'relation')"),
        "sessions": main.simple("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' "
                                "AND state <> 'idle' AND pid <> pg_backend_pid()"),
        "session": db.simple("SELECT current_user, session_user, current_setting('default_transaction_read_only'), "
                             "current_setting('search_path'), pg_my_temp_schema(), (SELECT count(*) FROM pg_prepared_statements), "
                             "(SELECT count(*) FROM pg_listening_channels()), current_setting('statement_timeout')"),
        "files": sorted(os.listdir(folder)) + sorted(f for f in os.listdir("/tmp") if "stolen" in f),
    }
    main.close()
    return ret


def plant(server):
    main = server.connect("postgres")
    main.simple("CREATE DATABASE shop")
    main.simple("CREATE ROLE argus_reader")
    main.close()
    db = server.connect("shop")
    db.simple(file_of("shop.sql"))
    got = "\n".join(r[0] for r in db.simple(file_of("shop_catalog.sql"))) + "\n"
    check("shop.catalog is what the server says of shop.sql", got == file_of("shop.catalog"), got)
    db.simple("CREATE SCHEMA contrib")
    for extension in ("dblink", "tablefunc", "citext", "pg_trgm", "hstore"):
        db.simple("CREATE EXTENSION %s SCHEMA contrib" % extension)
    db.simple("SELECT lo_from_bytea(0, 'a large object'); SELECT nextval('order_seq'); ANALYZE")
    db.close()
    main = server.connect("postgres")
    main.simple("CREATE DATABASE untouched TEMPLATE shop")
    main.close()
    return server.connect("shop")


def main():
    server = Server()
    try:
        secret = os.path.join(server.folder, "secret")
        with open(secret, "w", encoding="utf-8") as f:
            f.write("the secret of the server\n")
        db = plant(server)
        guard = Guard()
        before = traces(server, db, server.folder)
        check_functions(guard, db)
        check_operators(guard, db)
        check_types(guard, db)
        check_cases(guard, db)
        check_attacks(guard, server, secret)
        after = traces(server, db, server.folder)
        for what, was in before.items():
            check("%s are what they were" % what, after[what] == was, "%s\n%s" % (was, after[what]))
        check("the guard ends with its input", guard.close() == 0)
        db.close()
    finally:
        server.stop()
    sys.exit(1 if failed else 0)


main()
