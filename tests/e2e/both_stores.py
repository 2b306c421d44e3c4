"""Cases that run on a store in SQLite, all of them in turn, and then on one in a real PostgreSQL. A test's program has the
arguments FOLDER SOCKET PORT (see lib_postgres.sh)."""
import os
import sqlite3
import subprocess
import sys

from mcp_want import CASES

DIR, SOCKET, PORT = sys.argv[1:4]
STORES = ("SQLite", "PostgreSQL")
of = {name: [] for name in STORES}


class Now:
    """The store that cases run on, and their folder."""
    store, folder, uri = "", "", ""


def new_store(name, store):
    """The address of an empty store of that kind."""
    if store == "SQLite":
        return os.path.join(Now.folder, name + ".store")
    subprocess.run(["createdb", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-E", "UTF8", "-T", "template0", name], check=True)
    return "postgresql://postgres@/%s?host=%s&port=%s" % (name, SOCKET, PORT)


def other_store(name):
    """An empty one of the other kind than the one that cases run on."""
    return new_store(name, "PostgreSQL" if Now.store == "SQLite" else "SQLite")


def sql(statement):
    """Runs it on the store itself, as nobody should: lines of rows."""
    if Now.store == "SQLite":
        with sqlite3.connect(Now.uri) as db:
            return ["|".join(str(v) for v in row) for row in db.execute(statement)]
    p = subprocess.run(["psql", "-h", SOCKET, "-p", PORT, "-U", "postgres", "-d", "main", "-X", "-A", "-t", "-q", "-v",
                        "ON_ERROR_STOP=1", "-c", "set search_path = argus; " + statement], check=False, capture_output=True, text=True)
    if p.returncode:
        raise AssertionError(p.stderr)
    return p.stdout.splitlines()


def case(name):
    def add(fn):
        for store in STORES:
            of[store].append(("%s, store in %s" % (name, store), fn))
        return fn
    return add


def begin(plant):
    """Call it before run_cases(). plant(): makes what the cases on a store find."""
    for store in STORES:
        def first(store=store):
            Now.store, Now.folder = store, os.path.join(DIR, store)
            os.mkdir(Now.folder)
            Now.uri = new_store("main", store)
            plant()
        CASES.extend([("the store in " + store, first)] + of[store])
