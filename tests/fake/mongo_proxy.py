#!/usr/bin/env python3
"""A proxy before a server that speaks MongoDB's wire protocol: it records every message of the client and lets only commands
pass that read. One that does not is written into the record as "REFUSED reason", and its connection is cut.

usage: mongo_proxy.py PORT-FILE RECORD HOST:PORT [mongos]

With "mongos" the server's hello says that it is the router of a sharded cluster. RECORD gets a line per command: its database,
its name, and for a query whether documents have to be looked at.
"""
import os
import socket
import struct
import sys
import threading
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mongo_wire as wire  # noqa: E402  pylint: disable=wrong-import-position

HELLO = {"hello", "isMaster", "ismaster"}
# The list of issue and guide: docs/guide/mongodb.md.
READS = HELLO | {"ping", "buildInfo", "saslStart", "saslContinue", "authenticate", "listDatabases", "listCollections", "listIndexes",
                 "collStats", "find", "getMore", "killCursors", "endSessions", "count", "aggregate", "distinct", "explain",
                 "getLastRequestStatistics"}
EXPLAINED = {"find", "count", "aggregate", "distinct"}
# Stages that write, operators that run code.
NEVER = {"$out", "$merge", "$where", "$function", "$accumulator", "JavaScript"}
MORE_TO_COME = 2  # of OP_MSG: no answer is wanted, as for writes without acknowledgement


class Refused(Exception):
    pass


def check_command(data):
    """Its name and database. data: the document."""
    fields = list(wire.elements(data))
    if not fields:
        raise Refused("an empty command")
    name, bad = fields[0][1], NEVER.intersection(wire.names(data))
    if name not in READS:
        raise Refused("the command " + name)
    if bad:
        raise Refused("%s in %s" % (sorted(bad)[0], name))
    if name == "explain":
        inner = next(wire.elements(fields[0][2]), (0, "nothing", b"")) if fields[0][0] == 3 else (0, "no document", b"")
        if inner[1] not in EXPLAINED:
            raise Refused("explain of " + inner[1])
    return name, next((wire.text_of(k, v) for k, n, v in fields if n == "$db"), "")


def looks(name, data):
    """Does the server have to look at documents, more than to count or sample them all?"""
    fields = {n: (k, v) for k, n, v in wire.elements(data)}
    if name == "aggregate":
        first = next(wire.elements(fields["pipeline"][1]), None)
        stage = next(wire.elements(first[2]), None) if first else None
        return stage is not None and stage[1] != "$sample" and not (stage[1] == "$match" and len(stage[2]) == 5)
    return any(len(fields[n][1]) > 5 for n in ("filter", "query") if n in fields)


def check_msg(body):
    """The document of an OP_MSG."""
    if len(body) < 10:
        raise Refused("an OP_MSG of %d bytes" % len(body))
    flags = struct.unpack_from("<I", body)[0]
    if flags & MORE_TO_COME:
        raise Refused("an OP_MSG that wants no answer")
    if body[4]:
        raise Refused("a sequence of documents, which only writes have")
    end = len(body) - (4 if flags & 1 else 0)
    size = struct.unpack_from("<i", body, 5)[0]
    if size < 5 or 5 + size > end:
        raise Refused("a section of %d bytes" % size)
    if 5 + size < end:
        raise Refused("a second section, which only writes have")
    return body[5:5 + size]


def check_query(body):
    """The document of an OP_QUERY: only a first hello is sent this way."""
    where, at = wire.cstring_at(body, 4)
    data = body[at + 8:]
    size = struct.unpack_from("<i", data)[0] if len(data) >= 4 else 0
    if where != "admin.$cmd" or size != len(data) or check_command(data)[0] not in HELLO:
        raise Refused("an OP_QUERY on %s that is no hello" % where)
    return data


def check(op, body, depth=0):
    """(command, database, document), and the message without compression."""
    if op == wire.OP_COMPRESSED and depth == 0:
        inner, size, how = struct.unpack_from("<iiB", body)
        if how not in (0, 2):
            raise Refused("a compression that is not looked into: %d" % how)
        plain = zlib.decompressobj().decompress(body[9:], wire.MAX_MESSAGE) if how == 2 else body[9:]
        if len(plain) != size:
            raise Refused("an OP_COMPRESSED of a wrong length")
        return check(inner, plain, 1)
    if op not in (wire.OP_MSG, wire.OP_QUERY):
        raise Refused("opcode %d" % op)
    data = check_msg(body) if op == wire.OP_MSG else check_query(body)
    return check_command(data) + (data, op, body)


def with_mongos(op, body):
    """The answer to a hello, of a router."""
    at = 5 if op == wire.OP_MSG else 20
    pairs = [e for e in wire.elements(body[at:]) if e[1] not in ("msg", "setName", "hosts", "primary", "me")]
    data = b"".join(bytes([k]) + wire.cstring(n) + v for k, n, v in pairs) + wire.element("msg", "isdbgrid")
    return body[:at] + struct.pack("<i", len(data) + 5) + data + b"\0"


class Proxy:
    def __init__(self, record, target, is_mongos):
        self.record, self.target, self.is_mongos = record, target, is_mongos
        self.lock = threading.Lock()

    def write(self, line):
        with self.lock:
            self.record.write(line + "\n")
            self.record.flush()

    def take(self, op, body):
        """None: the message is refused. Else whether it was a hello, and what is sent on."""
        try:
            name, database, data, op, body = check(op, body)
            filtered = name in ("find", "count", "aggregate") and looks(name, data)
        except (Refused, wire.Wrong, struct.error, zlib.error, KeyError) as e:
            self.write("REFUSED %s" % e)
            return None
        self.write("%s %s%s" % (database or "-", name, " filtered" if filtered else ""))
        return name in HELLO, op, body

    def serve(self, client):
        server = None
        try:
            server = socket.create_connection(self.target)
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                asked = wire.read_message(client)
                if asked is None:
                    return
                taken = self.take(asked[2], asked[3])
                if taken is None:
                    return
                is_hello, op, plain = taken
                server.sendall(wire.message(asked[0], asked[1], op, plain))
                said = wire.read_message(server)
                if said is None:
                    return
                body = with_mongos(said[2], said[3]) if is_hello and self.is_mongos else said[3]
                client.sendall(wire.message(said[0], said[1], said[2], body))
        except wire.Wrong as e:
            self.write("REFUSED %s" % e)
        except OSError:
            pass
        finally:
            client.close()
            if server:
                server.close()


def main():
    port_file, record, target = sys.argv[1:4]
    host, port = target.rsplit(":", 1)
    with open(record, "w", encoding="utf-8") as f:
        p = Proxy(f, (host, int(port)), sys.argv[4:] == ["mongos"])
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        with open(port_file + ".new", "w", encoding="ascii") as out:
            out.write(str(listener.getsockname()[1]))
        os.rename(port_file + ".new", port_file)
        while True:
            client, _ = listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=p.serve, args=(client,), daemon=True).start()


if __name__ == "__main__":
    main()
