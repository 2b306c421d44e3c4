#!/usr/bin/env python3
"""CSV files that become tables over argus serve, on both stores.

1. A user makes a project from a file, and it answers questions; a later file extends it, or replaces a table.
2. Files that are strange but right come in as they are: a byte order mark, semicolons, quotes over lines, 2,000 columns.
3. Files that are wrong are refused with line and column, and leave nothing: latin-1, NUL, an open quote, too many cells.
4. Roles hold, a database that Argus did not make is not written to, and the error of a limit names the limit.
5. A large file waits on the disk, not in memory."""
import http.client
import json
import os
import resource
import sqlite3
import subprocess
import sys
import time

import serve
from serve import DIR, Server, argus, ask, check

PASSWORD = "correct horse"
MIB = 1 << 20


def call(server, method, path, body=None, **headers):
    r = ask(server, method, path, body, **headers)
    text = r.r.read().decode()
    return r.status, json.loads(text) if text and "json" in r.headers.get("content-type", "") else text


def send(server, query, text, project=None, **headers):
    path = "/api/projects/%s/tables" % project if project else "/api/tables"
    return call(server, "POST", "%s?%s" % (path, query), text if isinstance(text, bytes) else text.encode(), **dict({"Content_Type": "text/csv"}, **headers))


def rows_of(project, sql):
    with sqlite3.connect(FOLDER + "/tables/%s.sqlite" % project) as db:
        return db.execute(sql).fetchall()


def sign_in(server):
    """The administrator of the server, and a user without a project."""
    serve.wait(lambda: "/setup#" in server.said())
    link = server.said().split("/setup#")[1].split()[0]
    cookies = []
    for token in (link, None):
        if token is None:
            token = call(server, "POST", "/api/users", {"name": "ann"}, Cookie=cookies[0])[1]["link_token"]
        r = ask(server, "POST", "/api/auth/setup", {"token": token, "password": PASSWORD})
        cookies.append(r.headers.get("set-cookie", "").split(";")[0])
    return cookies


def new_project(server, ann):
    text = "Order No,Amount (EUR),When,Code,Paid\n1,12.50,2026-01-02,007,true\n2,3,2026-01-03,008,false\n3,,2026-01-04\n"
    status, got = send(server, "name=My%20Orders.csv&project_name=Orders", text, Cookie=ann, Idempotency_Key="first")
    check("a file becomes a table of a new project", status == 201 and got["made_project"] and got["project_name"] == "Orders" and got["table"] == "my_orders", got)
    check("with names, types and headings", [(c["name"], c["type"], c["heading"]) for c in got["columns"]] == [
        ("order_no", "INTEGER", "Order No"), ("amount_eur", "REAL", "Amount (EUR)"), ("when", "DATE", "When"), ("code", "TEXT", "Code"), ("paid", "BOOLEAN", "Paid")], got)
    check("and the first rows", got["first"] == [[1, 12.5, "2026-01-02", "007", 1], [2, 3.0, "2026-01-03", "008", 0], [3, None, "2026-01-04", None, None]], got)
    check("rows, short ones and changed names are counted", (got["rows"], got["short_rows"], got["renamed"]) == (3, 1, 5), got)
    project = got["project"]
    again = send(server, "name=My%20Orders.csv&project_name=Orders", text, Cookie=ann, Idempotency_Key="first")
    check("the same request again makes no second one", again == (201, got), again)
    other = send(server, "name=My%20Orders.csv&project_name=Orders", text + "4,1,2026-01-05,009,true\n", Cookie=ann, Idempotency_Key="first")
    check("another file under the key is refused", other[0] == 422, other)
    listed = call(server, "GET", "/api/projects", Cookie=ann)[1]["projects"]
    check("the project is the user's, who administers it", [(p["id"], p["role"], p["takes_tables"]) for p in listed] == [(project, "admin", True)], listed)
    words = call(server, "GET", "/api/projects/%s/dictionary" % project, Cookie=ann)[1]
    check("its dictionary has the table", [t["name"] for t in words["tables"]] == ["my_orders"], words)
    return project


def extend(server, ann, project):
    status, got = send(server, "name=customers.csv", "\ufeffname;city\n\"Ann\nB\";\"say \"\"hi\"\"\"\nBob;K\u00f6ln\n", project, Cookie=ann)
    check("byte order mark, semicolons, quotes over lines", status == 201 and not got["made_project"] and got["first"] == [["Ann\nB", 'say "hi"'], ["Bob", "K\u00f6ln"]], got)
    words = call(server, "GET", "/api/projects/%s/dictionary" % project, Cookie=ann)[1]
    check("the dictionary has both tables at once", sorted(t["name"] for t in words["tables"]) == ["customers", "my_orders"], words)
    status, got = send(server, "name=x.csv&table=Customers", "a\n1\n", project, Cookie=ann)
    check("a table of that name is replaced", status == 201 and got["replaced"] and rows_of(project, "SELECT * FROM customers") == [(1,)], got)
    wide = ",".join("c%d" % i for i in range(2000)) + "\n" + ",".join(str(i) for i in range(2000)) + "\n"
    status, got = send(server, "name=wide.csv", wide, project, Cookie=ann)
    check("2,000 columns", status == 201 and len(got["columns"]) == 2000, str(got)[:500])
    words = call(server, "GET", "/api/projects/%s/dictionary" % project, Cookie=ann)[1]
    check("the dictionary has each of them", [len(t["columns"]) for t in words["tables"] if t["name"] == "wide"] == [2000])
    status, got = send(server, "name=wider.csv", "x," + wide.replace("\n", "\ny,", 1), project, Cookie=ann)
    check("2,001 are too many, in words", status == 413 and "2001" in got["detail"] and "2000" in got["detail"], got)
    status, got = call(server, "DELETE", "/api/projects/%s/tables/wide" % project, Cookie=ann)
    check("a table is removed", status == 204 and len(rows_of(project, "SELECT name FROM sqlite_master")) == 2, got)
    check("once", call(server, "DELETE", "/api/projects/%s/tables/wide" % project, Cookie=ann)[0] == 404)


def wrong_files(server, ann, project):
    before = rows_of(project, "SELECT name, sql FROM sqlite_master")
    wrong = [("", ["empty"]), ("a,b\n", ["no rows"]), ("a,b", ["no rows"]),
             ("a,b\n1,2\n1,2,3\n", ["line 3, column 5", "2 columns"]),
             ("a,b\n\"x\ny\",2\n3,\"op\"en\n", ["line 4, column 3"]),
             ("a,b\n1,\"never\n2,3\n", ["line 2, column 3"]),
             ("stra\u00dfe,b\n1,2\n".encode("latin-1"), ["UTF-8"]),
             ("a,b\nxy\u00f6z,k\u00f6ln\n".encode("latin-1"), ["line 2, column 3", "UTF-8"]),
             (b"a,b\n1,x\0y\n", ["line 2, column 4", "NUL"]), (b"\0\0\0\0", []), ("a,b\n1,2\n".encode("utf-16"), ["UTF-16"]), (b"PK\x03\x04" + bytes(100), []), ("a\r1\r2\r", ["carriage"])]
    for text, words in wrong:
        status, got = send(server, "name=bad.csv", text, project, Cookie=ann)
        check("%.30r is refused: 422 %s" % (text, "; ".join(words)), status == 422 and all(w in got["detail"] for w in words) and DIR not in json.dumps(got), (status, got))
    check("and leaves nothing", rows_of(project, "SELECT name, sql FROM sqlite_master") == before)
    count = len(call(server, "GET", "/api/projects", Cookie=ann)[1]["projects"])
    status, got = send(server, "name=bad.csv", "a,b\n1,2,3\n", Cookie=ann)
    check("no project is left either", status == 422 and len(call(server, "GET", "/api/projects", Cookie=ann)[1]["projects"]) == count, got)
    names = [send(server, q, "a\n1\n", project, Cookie=ann)[0] for q in ("", "name=", "name=...", "name=x.csv&table=!!")]
    check("a table needs a name", names == [400] * 4, names)
    types = [send(server, "name=x.csv", "a\n1\n", project, Cookie=ann, Content_Type=t)[0] for t in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/octet-stream")]
    check("only what no form of another page can send", types == [415, 415, 415, 201], types)


def rights(server, store, model, ann, project):
    tokens = {}
    argus(store, model, "project", "add", "none")
    argus(store, model, "project", "add", "owned", "--source", "sqlite:%s/shop.db" % DIR)
    for user, role in (("vi", "viewer"), ("al", "analyst"), ("ad", "admin")):
        for p in (project, "none", "owned"):
            argus(store, model, "project", "grant", p, user, role)
        tokens[user] = argus(store, model, "token", "create", "--user", user, "--role", role).splitlines()[0]
    tokens["sam"] = argus(store, model, "token", "create", "--user", "sam", "--role", "admin").splitlines()[0]
    got = [send(server, "name=r.csv", "a\n1\n", project, token=tokens[u])[0] for u in ("vi", "al", "ad", "sam")]
    check("analysts and administrators import", got == [403, 201, 201, 404], got)
    got = [send(server, "name=r.csv", "a\n1\n", "none", token=tokens[u])[0] for u in ("vi", "al", "ad", "al")]
    check("only an administrator connects a project to its first table", got == [403, 403, 201, 201], got)
    before = open(DIR + "/shop.db", "rb").read()
    status, got = send(server, "name=r.csv", "a\n1\n", "owned", token=tokens["ad"])
    check("a database that Argus did not make is not written to", status == 409 and "POST /api/tables" in got["hint"] and open(DIR + "/shop.db", "rb").read() == before, got)
    got = [call(server, "DELETE", "/api/projects/%s/tables/r" % p, token=tokens[u])[0] for p, u in (("owned", "ad"), (project, "vi"), (project, "sam"), (project, "al"))]
    check("nor are its tables removed", got == [404, 403, 404, 204], got)
    status, got = send(server, "name=r.csv", "a\n1\n", token=tokens["ad"])
    check("a token makes no project", status == 403, got)
    log = argus(store, model, "log", "-o", "json", "--project", project, "--limit", "500")
    check("who imported and removed is in the audit table", all(w in log for w in ("import_table", "drop_table", "r.csv")), log[-800:])
    listed = {p["id"]: p["takes_tables"] for p in call(server, "GET", "/api/projects", token=tokens["al"])[1]["projects"]}
    check("projects say whether they take tables", listed == {project: True, "none": True, "owned": False}, listed)


def many(server, ann):
    """Twenty projects of one user, and no more."""
    status = 201
    made = 0
    while status == 201 and made < 25:
        status, got = send(server, "name=p.csv", "a\n1\n", Cookie=ann)
        made += status == 201
    listed = call(server, "GET", "/api/projects?limit=200", Cookie=ann)[1]["projects"]
    check("a user makes twenty projects, and no more", status == 413 and "20" in got["detail"] and len(listed) == 20, (status, got, len(listed)))


def peak(server):
    with open("/proc/%d/status" % server.p.pid, encoding="ascii") as f:
        return {k: int(v.split()[0]) for k, v in (line.split(":", 1) for line in f) if k in ("RssAnon", "VmHWM")}


def slowly(server, cookie, path, total):
    """Sends all of a body but its end. Returns the connection and the anonymous memory of the server then."""
    conn = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    conn.putrequest("POST", path)
    for k, v in (("Content-Type", "text/csv"), ("Content-Length", str(total)), ("Cookie", cookie)):
        conn.putheader(k, v)
    conn.endheaders()
    line = b"1234567,some words that fill the line of the file,2026-01-02\n"
    block = line * (MIB // len(line))
    conn.send(b"a,b,c\n")
    sent = 6
    while total - sent > len(block):
        conn.send(block)
        sent += len(block)
    serve.wait(lambda: sum(os.stat("/proc/%d/fd/%s" % (server.p.pid, f)).st_size for f in spooled(server)) > total - 4 * MIB)
    return conn, line, total - sent


def spooled(server):
    folder = "/proc/%d/fd" % server.p.pid
    found = []
    for f in os.listdir(folder):
        try:
            if "/spool/" in os.readlink(folder + "/" + f):
                found.append(f)
        except OSError:
            pass
    return found


def large(server, ann, project):
    path = "/api/projects/%s/tables?name=large.csv" % project
    before = peak(server)["RssAnon"]
    conns = [slowly(server, ann, path, 48 * MIB) for _ in range(2)]
    grown = (peak(server)["RssAnon"] - before) / 1024
    check("two files of 48 MiB on their way take %.1f MiB of memory" % grown, grown < 8 or "ASAN_OPTIONS" in os.environ, grown)
    conns[0][0].close()
    check("what nobody waits for is gone", serve.wait(lambda: len(spooled(server)) == 1), spooled(server))
    conn, line, left = conns[1]
    began = time.time()
    rest = line * (left // len(line)) + line[-(left % len(line)):] if left % len(line) else line * (left // len(line))
    conn.send(rest)
    r = conn.getresponse()
    got = json.loads(r.read())
    check("the other one is imported (%.1f s)" % (time.time() - began), r.status == 201 and got["rows"] > 700000, (r.status, str(got)[:500]))
    check("and no file is left", serve.wait(lambda: not spooled(server)) and not os.listdir(serve.MORE["XDG_STATE_HOME"] + "/argus/spool"), spooled(server))
    r = ask(server, "POST", path, b"", Cookie=ann, Content_Type="text/csv", Content_Length=str(50 * MIB + 1))
    check("more than 50 MiB: 413 with the limit", r.status == 413 and str(50 * MIB) in r.json()["detail"], r.status)
    call(server, "DELETE", "/api/projects/%s/tables/large" % project, Cookie=ann)


def full_disk(store, model, project, ann):
    serve.MORE["AG_FAULT"] = "store.commit:1+"
    other = Server(store, model)
    del serve.MORE["AG_FAULT"]
    status, got = send(other, "name=lost.csv", "a\n1\n", project, Cookie=ann)
    check("a disk that is full: 503 without a path, and nothing is there", status == 503 and DIR not in json.dumps(got) and
          ("lost",) not in rows_of(project, "SELECT name FROM sqlite_master"), (status, got))
    other.stop()


def equal_headings(store, model):
    """A name is looked for in a time that does not grow with the columns before it: half a minute was spent on these before."""
    heading = "the same very long heading of a column that goes on beyond sixty letters"
    with open(DIR + "/equal.csv", "w", encoding="utf-8") as f:
        f.write(",".join([heading] * 2000) + "\n" + ",".join(str(i) for i in range(2000)) + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    argus(store, model, "import", DIR + "/equal.csv", "--project", "equal")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    check("2,000 equal headings are named in a moment", spent < 6, spent)


def on(name, store, model):
    global FOLDER
    print("# " + name)
    state = DIR + "/state-" + name
    FOLDER = DIR if store.startswith("/") else state + "/argus"
    serve.MORE.update(XDG_STATE_HOME=state, ARGUS_MAX_QUERIES_PER_MINUTE="none", ARGUS_MAX_LOGIN_FAILURES="none")
    server = Server(store, model)
    _, ann = sign_in(server)
    project = new_project(server, ann)
    extend(server, ann, project)
    wrong_files(server, ann, project)
    rights(server, store, model, ann, project)
    large(server, ann, project)
    many(server, ann)
    full_disk(store, model, project, ann)
    equal_headings(store, model)
    check("it ends with 0", server.stop() == 0, server.said())


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
