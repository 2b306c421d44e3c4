#!/usr/bin/env python3
"""What an administrator connects a project to, over argus serve, on both stores.

1. PostgreSQL and SQLite are tried, set, used and taken away; a wrong password and an unknown host are told in words.
2. Only hosts and files that the settings allow can be named, however the address is written.
3. A password is in no answer, in no log, and in the store only encrypted; another key opens nothing.
4. Roles hold; a project of argus.yaml is not changed."""
import json
import os
import sqlite3
import subprocess
import sys

import serve
from serve import DIR, PORT, Server, argus, ask, check

PASSWORD = "pass:word@/%?& x"


def call(server, token, method, path, body=None, **headers):
    r = ask(server, method, path, body, token=token, **headers)
    text = r.r.read().decode()
    return r.status, json.loads(text) if text and "json" in r.headers.get("content-type", "") else text


def at(kind="", more=""):
    return "/api/projects/shop/connections" + (kind and "/" + kind) + more


def put(server, token, kind, **body):
    return call(server, token, "PUT", at(kind), body)


def test(server, token, kind, **body):
    return call(server, token, "POST", at(kind, "/test"), body)


def rights(server, tokens):
    file = "sqlite:%s/data/shop.db" % DIR
    got = [put(server, tokens[u], "database", address=file)[0] for u in ("vi", "ann", "sam")]
    check("others set nothing", got == [403, 403, 404], got)
    got = [test(server, tokens[u], "database", address=file)[0] for u in ("vi", "ann", "sam")]
    check("and try nothing", got == [403, 403, 404], got)
    check("a viewer does not see addresses, an analyst does", [call(server, tokens[u], "GET", at())[0] for u in ("vi", "ann", "sam")] == [403, 200, 404])
    seen = call(server, tokens["ann"], "GET", at())[1]
    check("but not what could be set", not seen["can_change"] and seen["hosts"] == [] and seen["folders"] == [], seen)
    wrong = [{}, {"address": ""}, {"address": 5}, {"address": "x" * 4001}, {"address": file, "colour": "red"}, {"address": file, "password": "x" * 4097}]
    got = [put(server, tokens["ada"], "database", **b)[0] for b in wrong]
    check("wrong bodies are refused", got == [400] * 6, got)
    check("there is no third kind", put(server, tokens["ada"], "printer", address=file)[0] == 404)
    got = call(server, tokens["ada"], "PUT", at("database"), {"address": file}, Idempotency_Key="one")
    check("no key, for a password would be in it", got[0] == 400, got)


def files(server, tokens):
    admin, analyst = tokens["ada"], tokens["ann"]
    bad = ["sqlite:/etc/passwd", "sqlite:%s/outside.db" % DIR, "sqlite:%s/data/../outside.db" % DIR, "sqlite:%s/data/link.db" % DIR, "sqlite:%s/data" % DIR,
           "sqlite:%s/data/none.db" % DIR, "sqlite:%s/database/x.db" % DIR]
    got = [put(server, admin, "database", address=a) for a in bad]
    check("no file outside, in the same words whether it is there", {g[0] for g in got} == {403} and len({g[1]["detail"] for g in got}) == 1, got)
    got = [put(server, admin, "database", address=a)[0] for a in ("sqlite:shop.db", "sqlite:", "sqlite::memory:", "%s/data/shop.db" % DIR, "file:%s/data/shop.db" % DIR)]
    check("nor what is no path", got == [400] * 5, got)
    file = "sqlite:%s/data/shop.db" % DIR
    status, got = test(server, admin, "database", address=file)
    check("a file is tried, and shows its tables", status == 200 and got["works"] and [s["tables"] for s in got["schemas"]] == [["goods"]], got)
    check("what was tried is not kept", call(server, admin, "GET", at())[1]["connections"] == [])
    status, got = put(server, admin, "database", address=file)
    check("it is set", status == 200 and got["connections"] == [{"kind": "database", "address": file, "has_password": False}], got)
    check("and is the project's database at once", [p["has_database"] for p in call(server, analyst, "GET", "/api/projects")[1]["projects"]] == [True])
    seen = call(server, analyst, "GET", at())[1]["connections"]
    check("an analyst does not see where it is on the server", seen == [{"kind": "database", "address": "", "has_password": False}], seen)
    status, got = test(server, admin, "database")
    check("what is kept is tried", got["works"], got)


def hosts(server, tokens):
    admin = tokens["ada"]
    seen = call(server, admin, "GET", at())[1]["connections"]
    own = "127.0.0.1:%s" % PORT
    bad = ["postgresql://u@169.254.169.254/db", "postgresql://u@localhost/db", "postgresql://u@127.0.0.1:1/db", "postgresql://u@example.com/db", "mongodb://u@169.254.169.254/db",
           "postgresql://u@%s.evil.example/db" % own.split(":")[0], "postgresql://allowed@evil.example/db"]
    got = [put(server, admin, "documents" if a.startswith("mongodb") else "database", address=a)[0] for a in bad]
    check("no host that is not allowed", set(got) == {403}, list(zip(bad, got)))
    bad = ["postgresql://u@%s,evil.example/db" % own, "postgresql://u@%s/db?host=evil.example" % own, "postgresql://u@%s/db?hostaddr=10.0.0.1" % own, "postgresql://u@%s/db?service=x" % own,
           "postgresql://u@%s/db?sslkey=/etc/key" % own, "postgresql://u@%s/db?passfile=/etc/passwd" % own, "postgresql:///db?host=/var/run", "postgresql://u@%2Fvar%2Frun/db", "postgresql://u@[::1]/db",
           "postgresql://u@/db", "postgresql://u@%s" % own, "postgresql://u@%s/db#x" % own, "postgresql://:%s@/db" % "p", "http://%s/db" % own, "mysql://u@%s/db" % own, "mongodb://u@%s/db" % own,
           "postgresql://%s/db?%%68ost=evil.example" % own]
    got = [put(server, admin, "database", address=a)[0] for a in bad]
    check("nor one that hides in the address", set(got) <= {400, 403} and 400 in got, list(zip(bad, got)))
    got = [put(server, admin, "documents", address=a)[0] for a in ("mongodb://u@%s/db?tlsCAFile=/etc/passwd" % own, "mongodb://u@%s,evil.example/db" % own, "mongodb+srv://u@%s/db" % own, DIR, "postgresql://u@%s/db" % own)]
    check("nor for documents", got == [400, 403, 400, 400, 400], got)
    check("all that changed nothing", call(server, admin, "GET", at())[1]["connections"] == seen)


def postgres(server, tokens):
    """Needs the real server."""
    admin = tokens["ada"]
    subprocess.run(["psql", "-h", serve.SOCKET, "-p", PORT, "-U", "postgres", "-d", "postgres", "-Xq", "-c",
                    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN CREATE ROLE reader LOGIN PASSWORD '%s'; CREATE TABLE visitors (id int, name text); "
                    "GRANT SELECT ON visitors TO reader; END IF; END $$" % PASSWORD.replace("'", "''")], check=True)
    uri = "postgresql://reader@127.0.0.1:%s/postgres" % PORT
    status, got = test(server, admin, "database", address=uri, password="wrong")
    check("a wrong password is told in words", status == 200 and not got["works"] and "password" in got["problem"].lower() and "wrong" not in json.dumps(got), got)
    status, got = test(server, admin, "database", address="postgresql://reader@nowhere.invalid/postgres", password=PASSWORD)
    check("an unknown host too", status == 200 and not got["works"] and got["problem"] and PASSWORD not in json.dumps(got), got)
    status, got = test(server, admin, "database", address=uri, password=PASSWORD)
    check("the right one shows the tables", got["works"] and any("visitors" in s["tables"] for s in got["schemas"]), got)
    status, got = put(server, admin, "database", address=uri, password=PASSWORD)
    check("it is set, and the password does not come back", status == 200 and got["connections"][0] == {"kind": "database", "address": uri, "has_password": True} and
          PASSWORD not in json.dumps(got), got)
    check("what is kept is tried with its password", test(server, admin, "database")[1]["works"])
    status, got = put(server, admin, "database", address=uri + "?sslmode=prefer")
    check("another address forgets it", status == 200 and not got["connections"][0]["has_password"], got)
    put(server, admin, "database", address=uri, password=PASSWORD)
    status, got = put(server, admin, "database", address=uri)
    check("the same one keeps it", got["connections"][0]["has_password"], got)
    status, got = put(server, admin, "database", address=uri, password="")
    check("an empty one takes it away", not got["connections"][0]["has_password"], got)
    inside = uri.replace("reader@", "reader:pass%3Aword%40%2F%25%3F%26%20x@")
    status, got = put(server, admin, "database", address=inside)
    check("one inside the address is taken out of it", got["connections"][0] == {"kind": "database", "address": uri, "has_password": True}, got)
    check("and works", test(server, admin, "database")[1]["works"])


def documents(server, tokens):
    admin = tokens["ada"]
    uri = "mongodb://reader@127.0.0.1:%s/shop" % PORT
    status, got = test(server, admin, "documents", address=uri, password=PASSWORD)
    check("what is no MongoDB does not answer, in words", status == 200 and not got["works"] and got["problem"] and PASSWORD not in json.dumps(got), got)
    status, got = put(server, admin, "documents", address=uri, password=PASSWORD)
    check("documents are set with a password", status == 200 and {"kind": "documents", "address": uri, "has_password": True} in got["connections"], got)
    status, got = call(server, tokens["ann"], "GET", "/api/audits/sources?project=shop")
    check("and are what audits read", status == 200 and got["has_documents"] and got["problem"] and PASSWORD not in json.dumps(got), got)


def secrets(store, model, server, tokens):
    if store.startswith("/"):
        with sqlite3.connect(store) as db:
            kept = "\n".join(str(r) for r in db.execute("SELECT * FROM projects"))
    else:
        kept = subprocess.run(["psql", store, "-X", "-A", "-t", "-c", "SELECT * FROM argus.projects"], capture_output=True, text=True, check=True).stdout
    forms = (PASSWORD, "pass%3Aword", PASSWORD.replace("/", "\\/"))
    check("in the store it is encrypted", "gAAAA" in kept and not any(f in kept for f in forms), kept)
    log = subprocess.run([serve.ARGUS, "log", "-o", "json", "--project", "shop", "--limit", "500"], capture_output=True, text=True, env=serve.env(store, model), check=False).stdout
    check("who did what is in the audit table, without it", all(t in log for t in ("set_database", "test_database", "drop_database")) and not any(f in log for f in forms), log[-500:])
    check("nor is it in the server's log", not any(f in server.said() for f in forms))
    status, got = call(server, tokens["ada"], "DELETE", at("documents"))
    check("documents are taken away", status == 200 and [c["kind"] for c in got["connections"]] == ["database"], got)


def keys(store, model, tokens):
    server = Server(store, model)
    uri = "mongodb://reader@127.0.0.1:%s/shop" % PORT
    put(server, tokens["ada"], "documents", address=uri, password=PASSWORD)
    argus(store, model, "project", "set", "shop", "documents=mongodb://reader@nowhere.invalid/shop")
    kept = argus(store, model, "project", "show", "shop", "--output", "json")
    check("documents at another address forget the password, on the command line as well", "nowhere.invalid" in kept and "documents_secret" not in kept, kept)
    server.stop()
    serve.MORE["DB_CREDENTIAL_KEY"] = argus(store, model, "project", "key")
    server = Server(store, model)
    status, got = call(server, tokens["ada"], "GET", at())
    check("with another key the project is closed", status in (403, 404), got)
    server.stop()


def on(name, store, model):
    print("# " + name)
    os.makedirs(DIR + "/data", exist_ok=True)
    for file in ("data/shop.db", "outside.db"):
        with sqlite3.connect(DIR + "/" + file) as db:
            db.execute("CREATE TABLE IF NOT EXISTS goods (id INTEGER PRIMARY KEY, name TEXT)")
    if not os.path.islink(DIR + "/data/link.db"):
        os.symlink(DIR + "/outside.db", DIR + "/data/link.db")
    serve.MORE.update(XDG_STATE_HOME=DIR + "/state-" + name, ARGUS_MAX_QUERIES_PER_MINUTE="none", ARGUS_CONNECTION_FOLDERS=DIR + "/data",
                      ARGUS_CONNECTION_HOSTS="127.0.0.1:%s, nowhere.invalid" % PORT)
    serve.MORE.pop("DB_CREDENTIAL_KEY", None)
    argus(store, model, "project", "add", "shop")
    argus(store, model, "project", "add", "other")
    tokens = {}
    for user, role, project in (("ann", "analyst", "shop"), ("vi", "viewer", "shop"), ("ada", "admin", "shop"), ("sam", "admin", "other")):
        argus(store, model, "project", "grant", project, user, role)
        tokens[user] = argus(store, model, "token", "create", "--user", user, "--role", role).splitlines()[0]
    server = Server(store, model)
    rights(server, tokens)
    files(server, tokens)
    if PORT != "-":
        status, got = put(server, tokens["ada"], "database", address="postgresql://reader@127.0.0.1:%s/postgres" % PORT, password=PASSWORD)
        check("without a key no password is kept", status == 403 and "DB_CREDENTIAL_KEY" in got["detail"], got)
        server.stop()
        serve.MORE["DB_CREDENTIAL_KEY"] = argus(store, model, "project", "key")
        server = Server(store, model)
        hosts(server, tokens)
        postgres(server, tokens)
        documents(server, tokens)
    status, got = call(server, tokens["ada"], "DELETE", at("database"))
    check("the database is taken away", status == 200 and "database" not in [c["kind"] for c in got["connections"]], got)
    if PORT != "-":
        put(server, tokens["ada"], "database", address="postgresql://reader@127.0.0.1:%s/postgres" % PORT, password=PASSWORD)
        secrets(store, model, server, tokens)
    check("it ends with 0", server.stop() == 0, server.said())
    if PORT != "-":
        keys(store, model, tokens)


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
