"""MongoDB's wire protocol and BSON, as far as the test servers need them: mongo_proxy.py and mongo_hostile.py.

A document is a list of (name, value) pairs or a dict. Values: bool, int (int64 beyond 32 bits), float, str, None, bytes
(binary), dict or list of pairs, Array, and Raw for bytes that are put in as they are.
"""
import struct

OP_REPLY, OP_UPDATE, OP_INSERT, OP_QUERY, OP_GET_MORE, OP_DELETE, OP_KILL_CURSORS = 1, 2001, 2002, 2004, 2005, 2006, 2007
OP_COMPRESSED, OP_MSG = 2012, 2013
MAX_MESSAGE = 48 << 20


class Wrong(Exception):
    """Bytes that are no message or no document."""


class Array(list):
    """A BSON array; a plain list is the pairs of a document."""


class Int64(int):
    """An int64, whatever its value."""


class Raw:
    def __init__(self, kind, data):
        self.kind, self.data = kind, data


# --- writing ---

def cstring(text):
    return text.encode("utf-8", "surrogateescape") + b"\0"


def element(name, v):
    if isinstance(v, Raw):
        kind, data = v.kind, v.data
    elif v is None:
        kind, data = 0x0A, b""
    elif isinstance(v, bool):
        kind, data = 0x08, b"\1" if v else b"\0"
    elif isinstance(v, int):
        is_long = isinstance(v, Int64) or not -2**31 <= v < 2**31
        kind, data = (0x12, struct.pack("<q", v)) if is_long else (0x10, struct.pack("<i", v))
    elif isinstance(v, float):
        kind, data = 0x01, struct.pack("<d", v)
    elif isinstance(v, str):
        text = cstring(v)
        kind, data = 0x02, struct.pack("<i", len(text)) + text
    elif isinstance(v, bytes):
        kind, data = 0x05, struct.pack("<iB", len(v), 0) + v
    elif isinstance(v, Array):
        kind, data = 0x04, document([(str(i), x) for i, x in enumerate(v)])
    else:
        kind, data = 0x03, document(v)
    return bytes([kind]) + cstring(name) + data


def document(pairs):
    if isinstance(pairs, dict):
        pairs = pairs.items()
    body = b"".join(element(k, v) for k, v in pairs)
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def message(request, reply_to, op, body):
    return struct.pack("<iiii", 16 + len(body), request, reply_to, op) + body


def op_msg(doc):
    """The body of an OP_MSG with one section; doc: bytes or pairs."""
    return b"\0\0\0\0\0" + (doc if isinstance(doc, bytes) else document(doc))


def op_reply(doc):
    return struct.pack("<iqii", 8, 0, 0, 1) + (doc if isinstance(doc, bytes) else document(doc))


# --- reading ---

def cstring_at(data, at):
    end = data.find(b"\0", at)
    if end < 0:
        raise Wrong("a name without an end")
    return data[at:end].decode("utf-8", "replace"), end + 1


FIXED = {0x01: 8, 0x06: 0, 0x07: 12, 0x08: 1, 0x09: 8, 0x0A: 0, 0x10: 4, 0x11: 8, 0x12: 8, 0x13: 16, 0xFF: 0, 0x7F: 0}


def size_at(data, at):
    """Bytes of the value at data[at], by its type in data[at - 1 - name]; see walk()."""
    size = struct.unpack_from("<i", data, at)[0]
    if size < 0 or at + size > len(data):
        raise Wrong("a length of %d" % size)
    return size


def value_end(kind, data, at):
    if kind in FIXED:
        return at + FIXED[kind]
    if kind in (0x02, 0x0D, 0x0E):
        return at + 4 + size_at(data, at)
    if kind in (0x03, 0x04, 0x0F):
        return at + size_at(data, at)
    if kind == 0x05:
        return at + 5 + size_at(data, at)
    if kind == 0x0B:
        return cstring_at(data, cstring_at(data, at)[1])[1]
    if kind == 0x0C:
        return at + 4 + size_at(data, at) + 12
    raise Wrong("an element of type %d" % kind)


def elements(data):
    """(type, name, bytes of the value) of a document's own elements."""
    if len(data) < 5 or struct.unpack_from("<i", data)[0] != len(data) or data[-1]:
        raise Wrong("a document of a wrong length")
    at = 4
    while at < len(data) - 1:
        kind = data[at]
        name, at = cstring_at(data, at + 1)
        end = value_end(kind, data, at)
        if end > len(data) - 1:
            raise Wrong("an element beyond the end")
        yield kind, name, data[at:end]
        at = end


def text_of(kind, data):
    return data[4:-1].decode("utf-8", "replace") if kind == 0x02 else ""


def names(data, depth=0):
    """Every name at any depth; what is inside a value of JavaScript with scope counts as well."""
    if depth > 200:
        raise Wrong("nested deeper than 200 levels")
    for kind, name, value in elements(data):
        yield name
        if kind in (0x03, 0x04):
            yield from names(value, depth + 1)
        elif kind in (0x0D, 0x0F):
            yield "JavaScript"


def read_exactly(sock, n):
    parts = []
    while n:
        part = sock.recv(min(n, 1 << 20))
        if not part:
            return None
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def read_message(sock):
    """(request, reply to, op, body); None at the end."""
    head = read_exactly(sock, 16)
    if head is None:
        return None
    size, request, reply_to, op = struct.unpack("<iiii", head)
    if not 16 <= size <= MAX_MESSAGE:
        raise Wrong("a message of %d bytes" % size)
    body = read_exactly(sock, size - 16)
    return None if body is None else (request, reply_to, op, body)
