"""What the recording proxy refuses (see mongo_suites.sh): writes in every form that the protocol has, and what still passes.

usage: mongo_refused.py PORT RECORD      Prints a line per case; exit 1 when one is not ok.
"""
import os
import socket
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fake"))
import mongo_wire as wire  # noqa: E402  pylint: disable=wrong-import-position

PORT, RECORD = int(sys.argv[1]), sys.argv[2]
BAD = []


def msg(doc, flags=0, more=b""):
    return wire.OP_MSG, struct.pack("<I", flags) + b"\0" + wire.document(doc) + more


def query(where, doc):
    return wire.OP_QUERY, struct.pack("<I", 0) + wire.cstring(where) + struct.pack("<ii", 0, -1) + wire.document(doc)


def compressed(message, how=2):
    op, body = message
    return wire.OP_COMPRESSED, struct.pack("<iiB", op, len(body), how) + (zlib.compress(body) if how == 2 else body)


def command(name, value, *more):
    return [(name, value)] + list(more) + [("$db", "shop")]


def aggregate(*stages):
    return command("aggregate", "orders", ("pipeline", wire.Array(stages)), ("cursor", []))


DOCS = wire.Array([[("a", 1)]])
SEQUENCE = b"\1" + struct.pack("<i", 4 + 10 + len(wire.document([("a", 1)]))) + b"documents\0" + wire.document([("a", 1)])
OUT = [("$out", "copy")]
REFUSED = [
    ("insert", msg(command("insert", "orders", ("documents", DOCS)))),
    ("a sequence of documents", msg(command("insert", "orders"), 0, SEQUENCE)),
    ("a sequence of documents after a command that reads", msg(command("find", "orders"), 0, SEQUENCE)),
    ("a sequence before the command", (wire.OP_MSG, struct.pack("<I", 0) + SEQUENCE + b"\0" + wire.document(command("find", "orders")))),
    ("an insert that wants no answer", msg(command("insert", "orders", ("documents", DOCS)), 2)),
    ("a find that wants no answer", msg(command("find", "orders"), 2)),
    ("update", msg(command("update", "orders", ("updates", DOCS)))),
    ("delete", msg(command("delete", "orders", ("deletes", DOCS)))),
    ("findAndModify", msg(command("findAndModify", "orders", ("remove", True)))),
    ("drop", msg(command("drop", "orders"))),
    ("dropDatabase", msg(command("dropDatabase", 1))),
    ("create", msg(command("create", "x"))),
    ("createIndexes", msg(command("createIndexes", "orders"))),
    ("renameCollection", msg(command("renameCollection", "shop.orders", ("to", "shop.x")))),
    ("mapReduce", msg(command("mapReduce", "orders", ("out", "x")))),
    ("eval", msg(command("$eval", "1"))),
    ("a command that only looks like one", msg(command("Find", "orders"))),
    ("shutdown", msg(command("shutdown", 1))),
    ("$out", msg(aggregate(OUT))),
    ("$merge", msg(aggregate([("$merge", [("into", "x")])]))),
    ("$out in a $facet", msg(aggregate([("$facet", [("a", wire.Array([OUT]))])]))),
    ("$merge in a $lookup", msg(aggregate([("$lookup", [("from", "x"), ("pipeline", wire.Array([[("$merge", "y")]]))])]))),
    ("$where", msg(command("find", "orders", ("filter", [("$where", "1")])))),
    ("$function", msg(command("find", "orders", ("filter", [("$expr", [("$function", [])])])))),
    ("$accumulator", msg(aggregate([("$group", [("_id", None), ("n", [("$accumulator", [])])])]))),
    ("JavaScript as a value", msg(command("find", "orders", ("filter", [("a", wire.Raw(0x0D, struct.pack("<i", 2) + b"1\0"))])))),
    ("explain of an update", msg(command("explain", command("update", "orders")))),
    ("explain of $out", msg(command("explain", aggregate(OUT)))),
    ("explain of nothing", msg(command("explain", 1))),
    ("an insert, compressed", compressed(msg(command("insert", "orders", ("documents", DOCS))))),
    ("an insert in a message that is compressed by nothing", compressed(msg(command("insert", "orders")), 0)),
    ("a compression that cannot be read", compressed(msg(command("find", "orders")), 1)),
    ("compressed twice", compressed(compressed(msg(command("find", "orders"))))),
    ("OP_INSERT, compressed", compressed((wire.OP_INSERT, struct.pack("<I", 0) + b"shop.orders\0" + wire.document([("a", 1)])))),
    ("OP_INSERT", (wire.OP_INSERT, struct.pack("<I", 0) + b"shop.orders\0" + wire.document([("a", 1)]))),
    ("OP_UPDATE", (wire.OP_UPDATE, struct.pack("<I", 0) + b"shop.orders\0" + struct.pack("<I", 0) + wire.document([]) + wire.document([]))),
    ("OP_DELETE", (wire.OP_DELETE, struct.pack("<I", 0) + b"shop.orders\0" + struct.pack("<I", 0) + wire.document([]))),
    ("OP_GET_MORE", (wire.OP_GET_MORE, struct.pack("<I", 0) + b"shop.orders\0" + struct.pack("<iq", 0, 1))),
    ("OP_KILL_CURSORS", (wire.OP_KILL_CURSORS, struct.pack("<Iiq", 0, 1, 1))),
    ("OP_QUERY of a collection", query("shop.orders", [])),
    ("OP_QUERY with a command that writes", query("shop.$cmd", [("drop", "orders")])),
    ("OP_QUERY with a command that writes, of admin", query("admin.$cmd", [("dropDatabase", 1)])),
    ("an opcode that nobody knows", (2014, b"")),
    ("a section that is longer than the message", (wire.OP_MSG, struct.pack("<IBi", 0, 0, 100000) + b"\0")),
    ("an empty message", (wire.OP_MSG, b"")),
]
PASSES = [
    ("hello", msg([("hello", 1), ("$db", "admin")])),
    ("a first hello", query("admin.$cmd", [("isMaster", 1)])),
    ("find", msg(command("find", "orders", ("limit", 1)))),
    ("find, compressed", compressed(msg(command("find", "orders", ("limit", 1))))),
    ("aggregate", msg(aggregate([("$match", [])], [("$count", "n")]))),
    ("a literal with the name of a stage", msg(aggregate([("$match", [("a", "$out")])], [("$count", "n")]))),
    ("explain of find", msg(command("explain", command("find", "orders")))),
]


def ask(message):
    """Its answer, None when the connection is cut; and what the record got."""
    before = os.path.getsize(RECORD)
    with socket.create_connection(("127.0.0.1", PORT), timeout=20) as s:
        s.sendall(wire.message(1, 0, *message))
        try:
            said = wire.read_message(s)
        except ConnectionError:
            said = None
    with open(RECORD, encoding="utf-8") as f:
        f.seek(before)
        return said, f.read()


def case(name, ok, why):
    print("%s - %s" % ("ok" if ok else "not ok", name))
    if not ok:
        BAD.append(name)
        print("  %s" % (why,))


for label, message in REFUSED:
    answer, line = ask(message)
    case("refused: " + label, answer is None and line.startswith("REFUSED "), (answer, line))
for label, message in PASSES:
    answer, line = ask(message)
    case("passes: " + label, line and not line.startswith("REFUSED") and answer, (answer, line))
sys.exit(bool(BAD))
