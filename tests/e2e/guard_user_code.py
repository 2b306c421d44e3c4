#!/usr/bin/env python3
"""Code that users of a database wrote, and what their schemas hide (see guard_user_code.sh).

1. Each attack of tests/cases/guard/user_code.cases is first run without the guard, as superuser, to show that it works; then
   through `argus mcp`, which must refuse it by its rule. Each honest statement must give rows. No mark may be left.
2. What users change while Argus runs is seen by the next statement."""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("ARGUS_SOURCE_ROOT", os.getcwd())
from guard_postgres_rig import CASES, Connection, Failed  # noqa: E402  pylint: disable=wrong-import-position
from mcp_client import Client  # noqa: E402  pylint: disable=wrong-import-position
from mcp_want import case, run_cases, same  # noqa: E402  pylint: disable=wrong-import-position

DIR, SOCKET, PORT = sys.argv[1:4]
ARGUS = os.environ["ARGUS"]
ENV = {"PATH": os.environ["PATH"], "HOME": DIR, "LANG": "C.UTF-8"}
PLACES = ("none", "public", "contrib", "casts")
EXTENSIONS = ("pg_trgm", "fuzzystrmatch", "unaccent", "citext", "hstore", "ltree", "tablefunc", "dblink", "pgcrypto")
THINGS = """create table things (id int, tag {0}.citext, attrs {0}.hstore, path {0}.ltree);
    insert into things values (1, 'abc', 'a=>1', 'top.sub');"""
LOOKALIKES = """create function {0}(text, text) returns float8 language plpgsql as
    $$ begin perform nextval('mark'); return 1; end $$;"""

CASTS = """create function int_text(int) returns text language plpgsql as $$ begin perform nextval('mark'); return peek(); end $$;
    create cast (int as text) with function int_text(int) as implicit;
    create function date_bool(date) returns bool language plpgsql as $$ begin perform nextval('mark'); return true; end $$;
    create cast (date as bool) with function date_bool(date) as implicit;
    create function num_date(numeric) returns date language plpgsql as $$ begin perform nextval('mark'); return now(); end $$;
    create cast (numeric as date) with function num_date(numeric);
    create function json_text(json) returns text language plpgsql as $$ begin perform nextval('mark'); return ''; end $$;
    create cast (json as text) with function json_text(json) as implicit;
    create function uuid_text(uuid) returns text language plpgsql as $$ begin perform nextval('mark'); return ''; end $$;
    create cast (uuid as text) with function uuid_text(uuid) as implicit;
    create function date_time(date) returns time language plpgsql as $$ begin perform nextval('mark'); return '1:00'; end $$;
    create cast (date as time) with function date_time(date) as implicit;
    create table mixed (id text, nums int[], j json, u uuid, r int4range, name text);
    insert into mixed values ('1', '{1}', '{}', '00000000-0000-0000-0000-000000000001', '[1,3)', '1');
    create table clock (t time, born time);
    insert into clock values ('1:00', '2:00');"""


def connect(database="shop"):
    return Connection("%s/.s.PGSQL.%s" % (SOCKET, PORT), database)


def tell(sql, database="shop"):
    db = connect(database)
    try:
        return db.simple(sql)
    finally:
        db.close()


def mark(database="shop"):
    return tell("select last_value, is_called from public.mark", database)


def plant(database, extensions):
    with open(os.path.join(CASES, "user_code.sql"), encoding="utf-8") as f:
        text = f.read()
    tell("create database " + database, "postgres")
    tell(text, database)
    for name in EXTENSIONS if extensions in ("public", "contrib") else ():
        tell("create extension %s schema %s" % (name, extensions), database)
    if extensions == "casts":
        tell(CASTS, database)
    elif extensions != "none":
        tell(THINGS.format(extensions), database)
    else:
        tell(LOOKALIKES.format("similarity") + LOOKALIKES.format("levenshtein"), database)
        tell("create function unaccent(text) returns bool language sql as 'select spy($1)';"
             "create operator % (leftarg = text, rightarg = text, function = texts)", database)
    tell("select setval('mark', 1, false)", database)


def none(what, lines):
    if lines:
        raise AssertionError("%s:\n%s" % (what, "\n".join(lines)))


CLIENTS = {}


def client(database, settings):
    """One server for each database and settings: it keeps its verdicts and its connections."""
    key = json.dumps([database, settings], sort_keys=True)
    if key not in CLIENTS:
        path = os.path.join(DIR, "c%d.yaml" % len(CLIENTS))
        with open(path, "w", encoding="utf-8") as f:
            f.write("store: %s\nprojects:\n  shop:\n    source: postgresql://postgres@/%s?host=%s&port=%s\n"
                    "    max_queries_per_minute: 100000\n" % (path + ".db", database, SOCKET, PORT))
            for name, value in settings.items():
                f.write("    %s: %s\n" % (name, json.dumps(value)))
        CLIENTS[key] = Client([ARGUS, "mcp", "--config", path], env=ENV)
    return CLIENTS[key]


def rule_of(sql, settings, database):
    """The rule of a refusal is in the audit log; the message is what a client sees."""
    r = client(database, settings).tool("query", sql=sql)
    return None if r["success"] else r["error"]


# --- 1. the cases ---

class One:
    def __init__(self, where, kind, want, rule, sql, settings, extensions):
        self.where, self.kind, self.want, self.rule, self.sql = where, kind, want, rule, sql
        self.settings, self.database = settings, "shop_" + extensions


def read_cases():
    cases, settings, extensions = [], {}, "none"
    with open(os.path.join(CASES, "user_code.cases"), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            head, _, sql = line.partition(" : ")
            words = head.split()
            if not words or line.startswith("#"):
                continue
            if words[0] == "@config":
                settings = json.loads(line[len("@config "):])
            elif words[0] == "@extensions":
                extensions = words[1]
            elif words[0] == "shows":
                cases.append(One(number, "shows", words[1], words[2], sql, settings, extensions))
            elif words[0] in ("runs", "finds"):
                cases.append(One(number, words[0], None, words[1], sql, settings, extensions))
            elif line.startswith("honest : "):
                cases.append(One(number, "honest", None, None, sql, settings, extensions))
            else:
                raise AssertionError("user_code.cases:%d: %s" % (number, line))
    return cases


def unguarded(c, sql):
    """What it gives without the guard, and whether a function of a user ran. Undone afterwards, but for sequences."""
    db = connect(c.database)
    before = mark(c.database)
    try:
        db.simple("begin; set local search_path = pg_catalog, public, pg_temp")
        out = str(db.extended(sql))
    except Failed as e:
        out = "error: %s" % e
    finally:
        db.close()
    return out, mark(c.database) != before


def works(c):
    if c.kind == "finds":
        missing = c.sql.replace("secrets", "nowhere").replace("hidden.plans", "hidden.nowhere")
        return not unguarded(c, c.sql)[0].startswith("error") and unguarded(c, missing)[0].startswith("error")
    sql = c.sql.replace("dblink('x'", "dblink('host=%s port=%s user=postgres dbname=%s'" % (SOCKET, PORT, c.database))
    sql = sql.replace("shop.public", c.database + ".public")
    out, ran = unguarded(c, sql)
    return ran if c.kind == "runs" else c.want in out


RULES = {
    "type_not_allowed": r"^A cast to |^The use of |^The statement could run a cast ",
    "operator_not_allowed": r"^Operator ",
    "function_not_allowed": r"^Function \S+ is not allowed|its query runs ",
    "dangerous_function": r"^Function \S+ is not allowed: it ",
    "field_not_allowed": r"^The field ",
    "table_not_allowed": r"^Access to table .* is not permitted",
    "schema_not_allowed": r"^Access to (schema|table .* schema that is not allowed)",
}


def refused(c):
    error = rule_of(c.sql, c.settings, c.database)
    if not error:
        return "allowed"
    if error["code"] != "VALIDATION_ERROR" or not re.search(RULES[c.rule], error["message"]):
        return str(error)
    return None


CASES_READ = read_cases()


@case("the databases are planted")
def _():
    for extensions in PLACES:
        plant("shop_" + extensions, extensions)


@case("%d attacks work without the guard" % len([c for c in CASES_READ if c.kind != "honest"]))
def _():
    bad = ["%d: %s: %s" % (c.where, c.sql, unguarded(c, c.sql)) for c in CASES_READ if c.kind != "honest" and not works(c)]
    none("attacks that do nothing", bad)


@case("all of them are refused by their rule, and nothing runs")
def _():
    before = [mark("shop_" + e) for e in PLACES]
    bad = ["%d: %s: %s" % (c.where, c.sql, refused(c)) for c in CASES_READ if c.kind != "honest" and refused(c)]
    none("attacks that are not refused as they should be", bad)
    same("marks", [mark("shop_" + e) for e in PLACES], before)


@case("%d honest statements pass, and run no function of a user" % len([c for c in CASES_READ if c.kind == "honest"]))
def _():
    before = [mark("shop_" + e) for e in PLACES]
    bad = []
    for c in CASES_READ:
        error = c.kind == "honest" and rule_of(c.sql, c.settings, c.database)
        if error:
            bad.append("%d: %s: %s" % (c.where, c.sql, error["message"]))
    none("honest statements that fail", bad)
    same("marks", [mark("shop_" + e) for e in PLACES], before)


# --- 2. changes while Argus runs ---

FRESH = {"excluded_tables": ["secrets"]}
CHANGES = [
    # what, SQL that passes, the change, a part of the refusal, what undoes it
    ("a view is replaced", "select * from f_view", "create or replace view f_view as select token as name from secrets",
     "it reads secrets", "create or replace view f_view as select name from users"),
    ("a view is dropped and made again", "select * from f_view", "drop view f_view; create view f_view as select peek() as name",
     "runs the function public.peek", "drop view f_view; create view f_view as select name from users"),
    ("a view below a view is replaced", "select * from f_over",
     "create or replace view f_below as select plan as name from hidden.plans", "schema that is not allowed",
     "create or replace view f_below as select name from users"),
    ("a table becomes a view", "select * from f_table",
     "drop table f_table; create view f_table as select token from secrets", "it reads secrets",
     "drop view f_table; create table f_table (id int)"),
    ("a function overloads a built-in one", "select lower(name) from users",
     "create function lower(mood) returns text language sql as 'select peek()'", "one of its own with that name",
     "drop function lower(mood)"),
    ("a function is moved into the schema", "select upper(name) from users",
     "create function hidden.upper(mood) returns text language sql as 'select peek()';"
     "alter function hidden.upper(mood) set schema public", "one of its own with that name", "drop function upper(mood)"),
    ("a function is renamed", "select initcap(name) from users",
     "create function harmless(mood) returns text language sql as 'select peek()'; alter function harmless(mood) rename to initcap",
     "one of its own with that name", "drop function initcap(mood)"),
    ("an operator for the built-in name", "select name || 'x' from users",
     "create operator || (leftarg = int, rightarg = int, function = hidden.ints)", "one of its own with that name",
     "drop operator || (int, int)"),
    ("an operator is moved into the schema", "select feels <> 'ok' from people",
     "create function moods(mood, mood) returns bool language sql as 'select spy(1)';"
     "create operator hidden.<> (leftarg = mood, rightarg = mood, function = moods);"
     "alter operator hidden.<> (mood, mood) set schema public",
     "one of its own with that name", "drop operator <> (mood, mood); drop function moods(mood, mood)"),
    ("an implicit cast is made", "select lower(feels::text) from people",
     "create function mood_text(mood) returns text language sql as 'select peek()';"
     "create cast (mood as text) with function mood_text(mood) as implicit", "a cast of its type runs",
     "drop cast (mood as text); drop function mood_text(mood)"),
    ("a domain gets a CHECK", "select 3::posint",
     "alter domain posint add constraint spied check (spy(value)) not valid", "A cast to posint", "alter domain posint drop constraint spied"),
    ("a column gets another type", "select id, coalesce(note, 'x') from f_column",
     "alter table f_column alter note type comp using null", "a text that is read as its type", None),
    ("a column is renamed, and a function has its name", "select f.leak from f_rename f",
     "alter table f_rename rename leak to other", "is not known to be a column", None),
    ("a child of another schema", "select * from f_parent", "create table hidden.f_child (x int) inherits (f_parent)",
     "schema that is not allowed", "drop table hidden.f_child"),
]
PLANTED = """create view f_view as select name from users; create view f_below as select name from users;
  create view f_over as select * from f_below; create table f_table (id int); create table f_column (id int, note text);
  insert into f_column values (1, null); create table f_rename (id int, leak text);
  create function leak(f_rename) returns text language sql as 'select peek()'; create table f_parent (id int);"""


def try_change(change, is_busy):
    what, sql, ddl, part, undo = change
    c = client("shop_fresh", FRESH)
    first = c.tool("query", sql=sql)
    same("%s: before" % what, (first["success"], first.get("error")), (True, None))
    tell(ddl, "shop_fresh")
    if is_busy:
        tell("select txid_current()", "shop_fresh")
    then = c.tool("query", sql=sql)
    same("%s: allowed after it" % what, then["success"], False)
    if not re.search(part, then["error"]["message"]) or "sqlstate" in then["error"]:
        raise AssertionError("%s: %s" % (what, then["error"]))
    if undo:
        tell(undo, "shop_fresh")
        # A refusal is looked at again after a second: nothing runs, so nothing is asked in its transaction.
        for _ in range(30):
            again = c.tool("query", sql=sql)
            if again["success"]:
                break
            time.sleep(0.1)
        same("%s: after it was undone" % what, (again["success"], again.get("error")), (True, None))


@case("what changes is seen by the next statement, and so is its end")
def _():
    plant("shop_fresh", "none")
    tell(PLANTED, "shop_fresh")
    before = mark("shop_fresh")
    tell("drop operator % (text, text)", "shop_fresh")
    for change in CHANGES:
        if change[4]:
            for is_busy in (False, True):
                try_change(change, is_busy)
    same("marks", mark("shop_fresh"), before)


@case("what cannot be undone is seen as well")
def _():
    before = mark("shop_fresh")
    for change in CHANGES:
        if not change[4]:
            try_change(change, False)
    same("marks", mark("shop_fresh"), before)


@case("the first change after a long quiet, in the middle of writing, and by a transaction that was open before")
def _():
    c = client("shop_fresh", FRESH)
    sql = "select * from f_view"
    open_one = connect("shop_fresh")
    open_one.simple("begin; create or replace view f_view as select token as name from secrets")
    for i in range(20):
        same("success %d" % i, c.tool("query", sql="select count(*) from users")["success"], True)
        tell("insert into orders values (%d, 1, 1, 'new')" % (1000 + i), "shop_fresh")
    same("rows", c.tool("query", sql="select count(*) as n from orders")["data"]["rows"], [[23]])
    open_one.simple("commit")
    same("success", c.tool("query", sql=sql)["success"], False)
    open_one.close()


run_cases()
