#!/usr/bin/env python3
"""A wire gateway for pg_documentdb: OP_MSG (and the OP_QUERY of a first hello) in, one SQL call per command.

    documentdb_gateway.py serve PGHOST PGPORT PORT-FILE
    documentdb_gateway.py load PGHOST PGPORT DATABASE COLLECTION < DOCUMENTS    extended JSON, one a line
    documentdb_gateway.py read PGHOST PGPORT DATABASE COLLECTION    every document, in batches of 1,000; prints how many

SCRAM-SHA-1 and SCRAM-SHA-256 are answered for user "ann" with the password "p@ss:w0rd/77"; only databases whose name begins
with "private" want a login. Runs inside the Debian sid of lib_mongo.sh, with its python3-bson and python3-psycopg2. Each connection is a thread with a
PostgreSQL session of its own; a cursor lives in the connection that opened it, which is where libmongoc continues it. For
tests only: no TLS. A line per command goes to standard output: its name, and whether it has a filter.
"""
import base64
import hashlib
import hmac
import os
import socket
import struct
import sys
import threading

import bson
import psycopg2
from bson import encode, json_util
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.json_util import JSONOptions
from bson.raw_bson import RawBSONDocument
from bson.son import SON

# Nested documents keep their bytes, and dates that Python cannot hold stay numbers.
RAW = CodecOptions(document_class=RawBSONDocument, datetime_conversion=DatetimeConversion.DATETIME_MS)
NAMES = {}  # SQLSTATE ordinals of the extension that tests care about
HELLO = {
    "helloOk": True, "isWritablePrimary": True, "ismaster": True, "maxBsonObjectSize": 16 << 20,
    "maxMessageSizeBytes": 48000000, "maxWriteBatchSize": 100000, "minWireVersion": 0, "maxWireVersion": 21,
    "readOnly": False, "ok": 1.0,
}
STRIP = {"$db", "lsid", "$readPreference", "$clusterTime", "apiVersion", "txnNumber", "autocommit", "comment", "maxTimeMS"}


USER, PASSWORD, ROUNDS = "ann", "p@ss:w0rd/77", 15000


class Failed(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def code_of(e):
    """M and four base-36 digits: an ordinal of the extension's table, in the order of MongoDB's own codes as far as tests need."""
    state = e.pgcode or ""
    if state == "57014":
        return 50
    if state in ("23505", "23P01"):
        return 11000
    if state == "42P01":
        return 26
    return CODES.get(state, 8000000)


# Filled by experience: SQLSTATEs of the extension for MongoDB codes.
CODES = {}


class Session:
    def __init__(self, dsn):
        self.dsn = dsn
        self.db = psycopg2.connect(dsn)
        self.db.autocommit = True
        self.cursors = {}  # id -> continuation
        self.login = None  # a SCRAM exchange under way
        self.is_known = False
        cur = self.db.cursor()
        cur.execute("SET search_path = documentdb_api, documentdb_core, documentdb_api_catalog, public")
        cur.execute("SET documentdb_core.bsonUseEJson = off")
        cur.close()

    def call(self, sql, *args, timeout=0):
        cur = self.db.cursor()
        try:
            cur.execute("SET statement_timeout = %d" % timeout)
            cur.execute(sql, args)
            return cur.fetchone()
        except psycopg2.Error as e:
            raise Failed(code_of(e), (e.diag.message_primary or str(e)).strip()) from None
        finally:
            cur.close()


def as_bytes(value):
    return bytes(value) if value is not None else None


def bsonb(doc):
    return psycopg2.Binary(encode(doc))


def page(s, db, spec, function, timeout):
    row = s.call("SELECT cursorpage::bytea, continuation::bytea, persistconnection, cursorid FROM "
                 "documentdb_api.%s(%%s, %%s::bytea::documentdb_core.bson)" % function, db, bsonb(spec), timeout=timeout)
    return keep(s, db, row)


def keep(s, db, row):
    data, continuation, _, cursor = as_bytes(row[0]), as_bytes(row[1]), row[2], row[3]
    if continuation and cursor:
        s.cursors[cursor] = continuation
    return data


def listing(function):
    return lambda s, db, spec, timeout: page(s, db, spec, function, timeout)


def get_more(s, db, spec, timeout):
    cursor = spec["getMore"]
    if cursor not in s.cursors:
        raise Failed(43, "cursor id %d not found" % cursor)
    row = s.call("SELECT cursorpage::bytea, continuation::bytea FROM documentdb_api.cursor_get_more("
                 "%s, %s::bytea::documentdb_core.bson, %s::bytea::documentdb_core.bson)",
                 db, bsonb(spec), psycopg2.Binary(s.cursors[cursor]), timeout=timeout)
    del s.cursors[cursor]
    return keep(s, db, (row[0], row[1], None, cursor))


def kill_cursors(s, db, spec, timeout):
    for c in spec["cursors"]:
        s.cursors.pop(c, None)
    return encode({"cursorsKilled": spec["cursors"], "cursorsNotFound": [], "cursorsAlive": [],
                   "cursorsUnknown": [], "ok": 1.0})


def one(sql):
    def run(s, db, spec, timeout):
        return as_bytes(s.call("SELECT x::bytea FROM (SELECT " + sql + " AS x) q", db, bsonb(spec), timeout=timeout)[0])
    return run


def insert(s, db, spec, timeout):
    row = s.call("SELECT p_result::bytea FROM documentdb_api.insert(%s, %s::bytea::documentdb_core.bson, NULL, NULL)",
                 db, bsonb(spec), timeout=timeout)
    return as_bytes(row[0])


def create_indexes(s, db, spec, timeout):
    row = s.call("SELECT x::bytea FROM (SELECT (documentdb_api_internal.create_indexes_non_concurrently(%s, "
                 "%s::bytea::documentdb_core.bson)) AS x) q", db, bsonb(spec), timeout=timeout)
    return as_bytes(row[0])


def list_databases(s, db, spec, timeout):
    row = s.call("SELECT x::bytea FROM (SELECT documentdb_api.list_databases(%s::bytea::documentdb_core.bson) AS x) q",
                 bsonb(spec), timeout=timeout)
    return as_bytes(row[0])


def coll_stats(s, db, spec, timeout):
    row = s.call("SELECT x::bytea FROM (SELECT documentdb_api.coll_stats(%s, %s) AS x) q", db, spec["collStats"],
                 timeout=timeout)
    return as_bytes(row[0])


def drop(s, db, spec, timeout):
    s.call("SELECT documentdb_api.drop_collection(%s, %s)", db, spec["drop"], timeout=timeout)
    return encode({"ok": 1.0})


def explain(s, db, spec, timeout):
    return encode({"queryPlanner": {"winningPlan": {"stage": "COLLSCAN"}}, "ok": 1.0})


def sasl_start(s, db, spec, timeout):
    """RFC 5802: the client's first message, and the server's."""
    kind = {"SCRAM-SHA-1": "sha1", "SCRAM-SHA-256": "sha256"}.get(spec["mechanism"])
    bare = bytes(spec["payload"]).decode().split(",", 2)[2]
    fields = dict(f.split("=", 1) for f in bare.split(","))
    if not kind or fields["n"] != USER:
        raise Failed(18, "Authentication failed.")
    salt = hashlib.sha256(db.encode()).digest()[:16 if kind == "sha1" else 28]
    first = "r=%s,s=%s,i=%d" % (fields["r"] + base64.b64encode(os.urandom(18)).decode(), base64.b64encode(salt).decode(), ROUNDS)
    s.login = (kind, salt, bare, first)
    return encode({"conversationId": 1, "done": False, "payload": first.encode(), "ok": 1.0})


def sasl_continue(s, db, spec, timeout):
    if not s.login:
        raise Failed(17, "No SASL session state found")
    (kind, salt, bare, first), s.login = s.login, None
    final = bytes(spec["payload"]).decode()
    said, proof = final.rsplit(",p=", 1)
    password = PASSWORD if kind == "sha256" else hashlib.md5(("%s:mongo:%s" % (USER, PASSWORD)).encode()).hexdigest()
    salted = hashlib.pbkdf2_hmac(kind, password.encode(), salt, ROUNDS)
    key = hmac.digest(salted, b"Client Key", kind)
    text = ",".join((bare, first, said)).encode()
    want = bytes(a ^ b for a, b in zip(key, hmac.digest(hashlib.new(kind, key).digest(), text, kind)))
    if not hmac.compare_digest(want, base64.b64decode(proof)):
        raise Failed(18, "Authentication failed.")
    s.is_known = True
    sign = hmac.digest(hmac.digest(salted, b"Server Key", kind), text, kind)
    return encode({"conversationId": 1, "done": True, "payload": b"v=" + base64.b64encode(sign), "ok": 1.0})


COMMANDS = {
    "saslStart": sasl_start,
    "saslContinue": sasl_continue,
    "find": listing("find_cursor_first_page"),
    "aggregate": listing("aggregate_cursor_first_page"),
    "listCollections": listing("list_collections_cursor_first_page"),
    "listIndexes": listing("list_indexes_cursor_first_page"),
    "getMore": get_more,
    "killCursors": kill_cursors,
    "count": one("documentdb_api.count_query(%s, %s::bytea::documentdb_core.bson)"),
    "distinct": one("documentdb_api.distinct_query(%s, %s::bytea::documentdb_core.bson)"),
    "create": one("documentdb_api.create_collection_view(%s, %s::bytea::documentdb_core.bson)"),
    "insert": insert,
    "createIndexes": create_indexes,
    "listDatabases": list_databases,
    "collStats": coll_stats,
    "drop": drop,
    "explain": explain,
    "ping": lambda s, db, spec, t: encode({"ok": 1.0}),
    "endSessions": lambda s, db, spec, t: encode({"ok": 1.0}),
    "buildInfo": lambda s, db, spec, t: encode({"version": "7.0.0", "versionArray": [7, 0, 0, 0], "ok": 1.0}),
    "hello": lambda s, db, spec, t: encode(HELLO),
    "isMaster": lambda s, db, spec, t: encode(HELLO),
    "ismaster": lambda s, db, spec, t: encode(HELLO),
}


def has_filter(name, doc):
    """Must documents be looked at, more than to count or sample them all?"""
    if name == "aggregate":
        first = dict(doc["pipeline"][0]) if doc["pipeline"] else {}
        return "$sample" not in first and dict(first.get("$match", {"x": 1})) != {}
    return bool(dict(doc.get("filter") or doc.get("query") or {}))


def answer(s, body, sequences):
    doc = dict(RawBSONDocument(body, RAW).items())
    name = next(iter(doc))
    db = doc.get("$db", "admin")
    timeout = int(doc.get("maxTimeMS", 0))
    spec = {k: v for k, v in doc.items() if k not in STRIP}
    spec.update(sequences)
    run = COMMANDS.get(name)
    print(name, "filtered" if name in ("find", "count", "aggregate") and has_filter(name, doc) else "", flush=True)
    try:
        if db.startswith("private") and not s.is_known and not name.startswith("sasl"):
            raise Failed(13, "Command %s requires authentication" % name)
        if not run:
            raise Failed(59, "no such command: '%s'" % name)
        return run(s, db, spec, timeout)
    except Failed as e:
        return encode({"ok": 0.0, "errmsg": str(e), "code": e.code, "codeName": NAMES.get(e.code, "Error")})


def read_exactly(sock, n):
    parts = []
    while n:
        part = sock.recv(min(n, 1 << 20))
        if not part:
            return None
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def sections(data):
    """(body, {identifier: documents}) of an OP_MSG without its header."""
    flags = struct.unpack_from("<I", data)[0]
    end = len(data) - (4 if flags & 1 else 0)
    at, body, sequences = 4, None, {}
    while at < end:
        kind = data[at]
        at += 1
        size = struct.unpack_from("<I", data, at)[0]
        if kind == 0:
            body = data[at:at + size]
        else:
            stop = data.index(b"\0", at + 4)
            sequences[data[at + 4:stop].decode()] = list(bson.decode_iter(data[stop + 1:at + size], RAW))
        at += size
    return body, sequences


def serve(sock, dsn):
    try:
        s = Session(dsn)
        while True:
            head = read_exactly(sock, 16)
            if not head:
                return
            size, request, _, code = struct.unpack("<iiii", head)
            data = read_exactly(sock, size - 16)
            if data is None:
                return
            if code == 2013:
                body, sequences = sections(data)
                reply = answer(s, body, sequences)
                out = struct.pack("<I", 0) + b"\0" + reply
                sock.sendall(struct.pack("<iiii", 16 + len(out), 0, request, 2013) + out)
            elif code == 2004:
                out = struct.pack("<iqii", 8, 0, 0, 1) + encode(HELLO)
                sock.sendall(struct.pack("<iiii", 16 + len(out), 0, request, 1) + out)
            else:
                return
    except (OSError, psycopg2.Error) as e:
        print("connection ended:", e, file=sys.stderr)
    finally:
        sock.close()


def serve_all(dsn, port_file):
    listener = socket.create_server(("127.0.0.1", 0))
    with open(port_file + ".new", "w", encoding="ascii") as f:
        f.write(str(listener.getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    while True:
        sock, _ = listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(sock, dsn), daemon=True).start()


def put(s, db, collection, docs):
    reply = bson.decode(insert(s, db, {"insert": collection, "documents": docs, "ordered": True}, 0))
    if reply.get("writeErrors") or reply.get("n") != len(docs):
        sys.exit("insert into %s.%s: %s" % (db, collection, reply))


def load(dsn, db, collection):
    s = Session(dsn)
    options = JSONOptions(datetime_conversion=DatetimeConversion.DATETIME_MS, document_class=SON, tz_aware=False)
    s.call("SELECT documentdb_api.drop_collection(%s, %s)", db, collection)
    s.call("SELECT documentdb_api.create_collection(%s, %s)", db, collection)
    docs = []
    for line in sys.stdin:
        try:
            if line.strip():
                docs.append(json_util.loads(line, json_options=options))
        except ValueError as e:  # Argus leaves a broken line out of a file as well
            print("left out:", e, file=sys.stderr)
        if len(docs) == 1000:
            put(s, db, collection, docs)
            docs = []
    if docs:
        put(s, db, collection, docs)


def read(dsn, db, collection):
    s, spec = Session(dsn), {"find": collection, "filter": {}, "batchSize": 1000}
    data, n, size = page(s, db, spec, "find_cursor_first_page", 0), 0, 0
    while True:
        cursor = bson.decode(data, RAW)["cursor"]
        batch = cursor.get("firstBatch") or cursor.get("nextBatch") or []
        n += len(batch)
        size += len(data)
        if not cursor["id"]:
            break
        data = get_more(s, db, {"getMore": cursor["id"], "collection": collection, "batchSize": 1000}, 0)
    print("%d documents, %d MB" % (n, size >> 20))


def main():
    verb, host, port = sys.argv[1:4]
    dsn = "host=%s port=%s dbname=postgres user=postgres" % (host, port)
    if verb == "serve":
        serve_all(dsn, sys.argv[4])
    elif verb == "read":
        read(dsn, sys.argv[4], sys.argv[5])
    else:
        load(dsn, sys.argv[4], sys.argv[5])


main()
