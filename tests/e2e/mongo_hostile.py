"""Answers of a server that hurt (see mongo_hostile.sh): each in place of a right one. Argus must end soon, by itself, with a small
memory, and with one clear error where the answer cannot be believed; nothing that the server sends may steer the terminal.

usage: mongo_hostile.py ARGUS      Prints a line per case; exit 1 when one is not ok.
"""
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fake"))
import mongo_wire as wire  # noqa: E402  pylint: disable=wrong-import-position
from mongo_wire import Array, Int64, Raw  # noqa: E402  pylint: disable=wrong-import-position

ARGUS = sys.argv[1]
SANITIZED = bool(os.environ.get("ARGUS_SANITIZED"))
MAX_SECONDS = 60 if SANITIZED else 15
MAX_KB = 600 * 1024
ESCAPES = "\x1b[31mred\x1b]0;title\x07\r\b\x9b31m‮ two\nlines"
DOCS = [[("_id", i), ("n", i), ("s", "x")] for i in range(20)]
HELLO = [("helloOk", True), ("isWritablePrimary", True), ("ismaster", True), ("maxBsonObjectSize", 16 << 20),
         ("maxMessageSizeBytes", 48000000), ("maxWriteBatchSize", 100000), ("minWireVersion", 0), ("maxWireVersion", 21),
         ("readOnly", False), ("ok", 1.0)]


def cursor(batch, number=0, name="firstBatch"):
    return [("cursor", [(name, Array(batch)), ("id", Int64(number)), ("ns", "d.c")]), ("ok", 1.0)]


def right(name, doc):
    """What a server with one collection of 20 documents says."""
    if name in ("hello", "isMaster", "ismaster"):
        return HELLO
    if name == "listCollections":
        return cursor([[("name", "c"), ("type", "collection")]])
    if name == "listDatabases":
        return [("databases", Array([[("name", "d")]])), ("ok", 1.0)]
    if name == "collStats":
        return [("count", 20), ("size", 1000), ("avgObjSize", 50), ("ok", 1.0)]
    if name == "count":
        return [("n", 20), ("ok", 1.0)]
    if name == "find" or (name == "aggregate" and b"$sample" in doc):
        return cursor(DOCS)
    if name == "aggregate" and b"$count" in doc and b"$facet" not in doc:
        return cursor([[("n", 20)]])
    if name == "aggregate":
        return failure(40324, "Unrecognized pipeline stage name")
    return [("ok", 1.0)]


def failure(code, text):
    return [("ok", 0.0), ("errmsg", text), ("code", code), ("codeName", "Error")]


def whole(reply, op=wire.OP_MSG, shift=0):
    """The bytes of a message with this body; reply: the body."""
    return lambda request: wire.message(7, request + shift, op, reply)


def said(doc):
    return whole(wire.op_msg(doc))


def sized(size):
    """A right answer whose header says another size."""
    body = wire.op_msg(cursor(DOCS))
    return lambda request: struct.pack("<iiii", size, 7, request, wire.OP_MSG) + body


def nested(depth):
    doc = wire.document([("x", 1)])
    for _ in range(depth):
        doc = struct.pack("<i", len(doc) + 8) + b"\x03a\0" + doc + b"\0"
    return Raw(0x03, doc)


def with_doc(*pairs):
    return said(cursor([[("_id", 1)] + list(pairs)]))


def with_length(length):
    doc = wire.document(cursor(DOCS))
    return whole(b"\0\0\0\0\0" + struct.pack("<i", length) + doc[4:])


def bomb():
    inner = wire.op_msg([("x", "a" * (60 << 20)), ("ok", 1.0)])
    return struct.pack("<iiB", wire.OP_MSG, len(inner), 2) + zlib.compress(inner)


def forever(batch, step=0):
    """getMore never comes to an end."""
    numbers = iter(range(5, 1 << 60, step)) if step else None

    def more(_request):
        return wire.message(7, _request, wire.OP_MSG, wire.op_msg(cursor(batch, next(numbers) if numbers else 5, "nextBatch")))
    return more


def first(batch):
    return said(cursor(batch, 5))


BIG = [[("name", "c%d" % i), ("type", "collection")] for i in range(5000)]
COUNT = ("query", "d.c", '{"n": 3}', "--limit", "0")
FIND = ("query", "d.c", "{}", "--limit", "50")
AUDIT = ("audit", "d.c", "--store", "memory:")
DATABASE = ("audit", "d", "--store", "memory:")
SERVER = ("audit", "", "--store", "memory:")
INSPECT = ("inspect", "d.c")
NO_PROTOCOL = "sent bytes that are no answer of MongoDB's protocol"
# Name, the command that runs, what is answered to which command of the protocol, and what must happen: False, it ends well; True, it
# fails; a text, it fails with an error that has it.
ATTACKS = [
    # The wire.
    ("a length of 0", FIND, {"find": sized(0)}, NO_PROTOCOL),
    ("a negative length", FIND, {"find": sized(-5)}, True),
    ("a length of 2 GB", FIND, {"find": sized(0x7FFFFFFF)}, True),
    ("a length that ends in the document", FIND, {"find": sized(60)}, True),
    ("another opcode", FIND, {"find": whole(wire.op_msg(cursor(DOCS)), wire.OP_QUERY)}, True),
    ("an answer to another request", FIND, {"find": whole(wire.op_msg(cursor(DOCS)), shift=5)}, NO_PROTOCOL),
    ("flags that must be known", FIND, {"find": whole(b"\xff\xff\0\0\0" + wire.document(cursor(DOCS)))}, True),
    ("a section of an unknown kind", FIND, {"find": whole(b"\0\0\0\0\7" + wire.document(cursor(DOCS)))}, True),
    ("a sequence of documents instead of an answer", FIND,
     {"find": whole(b"\0\0\0\0\1" + struct.pack("<i", 15) + b"documents\0\0")}, True),
    ("no section", FIND, {"find": whole(b"\0\0\0\0")}, True),
    ("a compression that nobody agreed on", FIND, {"find": whole(struct.pack("<iiB", wire.OP_MSG, 50, 77) + b"x" * 50, wire.OP_COMPRESSED)}, True),
    ("a small message that unpacks to 60 MB", FIND, {"find": whole(bomb(), wire.OP_COMPRESSED)}, True),
    ("bytes of no protocol", FIND, {"find": lambda _: b"\xde\xad\xbe\xef" * 64}, True),
    ("an HTTP server", FIND, {"isMaster": lambda _: b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"}, True),
    ("a TLS alert", FIND, {"isMaster": lambda _: b"\x15\x03\x01\x00\x02\x02\x28"}, True),
    ("half a header, and then nothing", FIND + ("--deadline", "2"), {"find": lambda _: b"\x10\0\0\0\1\0"}, True),
    # Documents.
    ("a document longer than its message", FIND, {"find": with_length(1 << 20)}, True),
    ("a document of a negative length", FIND, {"find": with_length(-1)}, True),
    ("a document of 3 bytes", FIND, {"find": with_length(3)}, True),
    ("an element of an unknown type", FIND, {"find": with_doc(("n", Raw(0x99, b"\0\0")))}, True),
    ("a text without an end", FIND, {"find": with_doc(("s", Raw(2, struct.pack("<i", 3) + b"abc")))}, True),
    ("a text of 2 GB", FIND, {"find": with_doc(("s", Raw(2, struct.pack("<i", 0x7FFFFFFF) + b"abc\0")))}, True),
    ("a text of a negative length", FIND, {"find": with_doc(("s", Raw(2, struct.pack("<i", -4) + b"abc\0")))}, True),
    ("bytes that are no UTF-8", INSPECT, {"find": with_doc(("s", Raw(2, struct.pack("<i", 5) + b"\xff\xc0\x80\xed\0")))}, False),
    ("binary data of a negative length", FIND, {"find": with_doc(("b", Raw(5, struct.pack("<iB", -1, 0))))}, True),
    ("nested 150 levels", FIND, {"find": with_doc(("a", nested(150)))}, False),
    ("nested 20,000 levels", FIND, {"find": with_doc(("a", nested(20000)))}, True),
    ("nested 20,000 levels, in an audit", AUDIT, {"find": with_doc(("a", nested(20000)))}, False),
    ("names that steer a terminal", INSPECT, {"find": with_doc((ESCAPES, ESCAPES))}, False),
    # Cursors.
    ("batches of nothing for ever", FIND, {"find": first([]), "getMore": forever([])}, True),
    ("batches of nothing for ever, with another id each", FIND, {"find": first([]), "getMore": forever([], 1)}, True),
    ("a list of collections of nothing for ever", DATABASE, {"listCollections": first([]), "getMore": forever([])}, True),
    ("a list of collections that never ends", DATABASE, {"listCollections": first(BIG), "getMore": forever(BIG)}, True),
    ("a count that never ends", AUDIT, {"aggregate": first([[("n", 20)]]), "getMore": forever([[("n", 20)]])}, True),
    ("documents that never end", INSPECT, {"find": first(DOCS), "getMore": forever([[("_id", 1), ("s", "x" * 1000000)]] * 8)}, False),
    ("a cursor that is a number", FIND, {"find": said([("cursor", 5), ("ok", 1.0)])}, True),
    ("no cursor", FIND, {"find": said([("ok", 1.0)])}, True),
    ("a batch that is a text", FIND, {"find": said([("cursor", [("firstBatch", "x"), ("id", Int64(0))]), ("ok", 1.0)])}, True),
    ("a batch of numbers", FIND, {"find": said(cursor([1, 2, 3]))}, True),
    ("an id that is a text", FIND, {"find": said([("cursor", [("firstBatch", Array(DOCS)), ("id", "five")]), ("ok", 1.0)])}, True),
    ("a negative id that is not known afterwards", FIND, {"find": said(cursor(DOCS[:2], -7)), "getMore": said(failure(43, "cursor id -7 not found"))}, True),
    # Figures.
    ("a count below 0", AUDIT, {"count": said([("n", -5), ("ok", 1.0)])}, True),
    ("a count that is no number", COUNT, {"count": said([("n", float("nan")), ("ok", 1.0)])}, True),
    ("a count that is a text", COUNT, {"count": said([("n", "5"), ("ok", 1.0)])}, True),
    ("a count beyond all", COUNT, {"count": said([("n", 1e300), ("ok", 1.0)])}, True),
    ("no count", COUNT, {"count": said([("ok", 1.0)])}, True),
    ("an exact count below 0", AUDIT, {"aggregate": said(cursor([[("n", -1)]]))}, True),
    ("an exact count that is missing", AUDIT, {"aggregate": said(cursor([[("m", 5)]]))}, True),
    ("sizes that are no sizes", AUDIT, {"collStats": said([("size", float("nan")), ("avgObjSize", -1e300), ("ok", 1.0)])}, False),
    ("sizes of texts", AUDIT, {"collStats": said([("size", "x"), ("avgObjSize", nested(50)), ("ok", 1.0)])}, False),
    ("operationTime of another type", AUDIT, {"find": said(cursor(DOCS) + [("operationTime", "now")])}, False),
    # Errors.
    ("an error without a text", FIND, {"find": said([("ok", 0.0)])}, True),
    ("an error with a text of 1 MB that steers a terminal", FIND, {"find": said(failure(2, ESCAPES * 30000))}, True),
    ("an error with a code that is a text", FIND, {"find": said([("ok", 0.0), ("errmsg", ESCAPES), ("code", "13")])}, True),
    ("an error with a code below 0", FIND, {"find": said(failure(-1, "x"))}, True),
    ("a login that steers a terminal", ("query", "d.c", "{}", "user"), {"saslStart": said(failure(18, ESCAPES))}, True),
    ("a login with bytes of no SCRAM", ("query", "d.c", "{}", "user"),
     {"saslStart": said([("conversationId", 1), ("done", False), ("payload", b"\0\xff" * 20), ("ok", 1.0)])}, True),
    ("a login of one round", ("query", "d.c", "{}", "user"),
     {"saslStart": said([("conversationId", 1), ("done", True), ("payload", b"r=x,s=AAAA,i=1"), ("ok", 1.0)])}, True),
    # Hello.
    ("a hello of nothing", FIND, {"isMaster": "reply", "hello": said([])}, "broke during listCollections"),
    ("versions that are texts", FIND, {"isMaster": [("maxWireVersion", "x"), ("minWireVersion", "y")]}, "what the server says of itself cannot be read"),
    ("a server of the far future", FIND, {"isMaster": [("minWireVersion", 5000), ("maxWireVersion", 6000)]}, True),
    ("a server of the far past", FIND, {"isMaster": [("minWireVersion", 0), ("maxWireVersion", 1)]}, True),
    ("sizes below 0 in hello", FIND, {"isMaster": [("maxBsonObjectSize", -5), ("maxMessageSizeBytes", 0), ("maxWriteBatchSize", -1)]}, "is not within expected range"),
    ("a message limit of 100 bytes", FIND, {"isMaster": [("maxMessageSizeBytes", 100), ("maxBsonObjectSize", 50)]}, "is not within expected range"),
    ("a session time-out that is a text", FIND, {"isMaster": [("logicalSessionTimeoutMinutes", "x")]}, "what the server says of itself cannot be read"),
    ("10,000 hosts", FIND, {"isMaster": [("setName", "r"), ("hosts", Array("h%d.invalid:1" % i for i in range(10000)))]}, False),
    ("compressors that nobody asked for", FIND, {"isMaster": [("compression", Array(["zlib", "snappy"]))]}, "broke during listCollections"),
    # Lists.
    ("names of collections that steer a terminal", DATABASE, {"listCollections": said(cursor([[("name", ESCAPES), ("type", "collection")]]))}, False),
    ("names of other types", DATABASE, {"listCollections": said(cursor([[("name", 5), ("type", 7)], [("type", "collection")]]))}, True),
    ("a name with a NUL", DATABASE, {"listCollections": said(cursor([[("name", Raw(2, struct.pack("<i", 4) + b"a\0b\0")), ("type", "collection")]]))}, "may not hold a NUL byte"),
    ("a name of 1 MB", DATABASE, {"listCollections": said(cursor([[("name", "x" * 1000000), ("type", "collection")]]))}, "whose name has 1000000 bytes"),
    ("databases that are no list", SERVER, {"listDatabases": said([("databases", [("a", 1)]), ("ok", 1.0)])}, True),
    ("databases of other types", SERVER, {"listDatabases": said([("databases", Array([5, "x", [("name", 7)]])), ("ok", 1.0)])}, True),
]


def op_reply_hello(attack, op, request):
    """The answer to a first hello, in the form of its question."""
    told = attack.get("isMaster")
    if callable(told):
        return told(request)
    pairs = dict(HELLO)
    pairs.update(told if isinstance(told, list) else [])
    doc = list(pairs.items()) if told != "reply" else []
    body = wire.op_reply(doc) if op == wire.OP_QUERY else wire.op_msg(doc)
    return wire.message(7, request, wire.OP_REPLY if op == wire.OP_QUERY else wire.OP_MSG, body)


class Server:
    def __init__(self):
        self.attack = {}
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            s, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(s, self.attack), daemon=True).start()

    def serve(self, s, attack):
        try:
            while True:
                asked = wire.read_message(s)
                if asked is None:
                    return
                request, _, op, body = asked
                if op == wire.OP_QUERY:
                    s.sendall(op_reply_hello(attack, op, request))
                    continue
                doc = body[5:]
                name = next(wire.elements(doc))[1]
                if name in ("hello", "isMaster", "ismaster"):
                    s.sendall(op_reply_hello(attack, op, request))
                elif callable(attack.get(name)):
                    s.sendall(attack[name](request))
                else:
                    s.sendall(wire.message(7, request, wire.OP_MSG, wire.op_msg(right(name, doc))))
        except (OSError, wire.Wrong, StopIteration):
            pass
        finally:
            s.close()


BAD = []
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def run(server, args):
    login = "ann:pw@" if args[-1] == "user" else ""
    argv = [ARGUS, args[0], "mongodb://%s127.0.0.1:%d/%s?serverSelectionTimeoutMS=1500" % (login, server.port, args[1])]
    argv += [a for a in args[2:] if a != "user"]
    begin = time.monotonic()
    with open("out", "wb") as out, open("err", "wb") as err:
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        timer = threading.Timer(MAX_SECONDS, p.kill)
        timer.start()
        _, status, used = os.wait4(p.pid, 0)
        timer.cancel()
        p.returncode = os.waitstatus_to_exitcode(status)
    texts = [open(n, "rb").read().decode("utf-8", "replace") for n in ("out", "err")]
    return p.returncode, texts[0], texts[1], time.monotonic() - begin, used.ru_maxrss


def judge(code, out, err, seconds, kb, must_fail):
    if code not in (0, 1):
        return "exit %d after %.1f s" % (code, seconds)
    if must_fail and code == 0:
        return "it is believed"
    if not must_fail and code:
        return "it fails"
    if isinstance(must_fail, str) and must_fail not in err:
        return "it fails, but not with \"%s\"" % must_fail
    if code and "failed: \n" in err:
        return "an error without a reason"
    if code and not err.startswith("argus: "):
        return "no error is said"
    if len(err) > 3000:
        return "an error of %d bytes" % len(err)
    if STEERING.search(out) or STEERING.search(err):
        return "it steers the terminal: %r" % (STEERING.search(out + err).group(0))
    if kb > MAX_KB and not SANITIZED:
        return "%d MB of memory" % (kb >> 10)
    return None


def main():
    server = Server()
    code, out, err = run(server, AUDIT)[:3]
    if code:
        sys.exit("not ok - without an attack: %s%s" % (out, err))
    print("ok - without an attack")
    for name, args, attack, must_fail in ATTACKS:
        server.attack = attack
        code, out, err, seconds, kb = run(server, args)
        why = judge(code, out, err, seconds, kb, must_fail)
        if os.environ.get("HOSTILE_SHOW"):
            print("%s\t%d\t%.1f s\t%d MB\t%s" % (name, code, seconds, kb >> 10, err.strip()[:400]))
        print("%s - %s" % ("not ok" if why else "ok", name))
        if why:
            BAD.append(name)
            print("  %s; %.1f s, %d MB; %r %r" % (why, seconds, kb >> 10, out[:200], err[:400]))
    print("ok - %d attacks" % len(ATTACKS) if len(ATTACKS) >= 40 else "not ok - only %d attacks" % len(ATTACKS))
    sys.exit(bool(BAD))


main()
