"""Checks that say what they wanted, and the secrets that the tests of `argus ask` look for in every spelling."""
import base64
import hashlib
import os
import socket
import urllib.parse

ARGUS = os.path.abspath(os.environ["ARGUS"])
FAKE_MODEL = os.path.abspath(os.environ["FAKE_MODEL"])
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
FAKE_API = os.path.join(ROOT, "tests", "fake", "fake_api.py")
# What a sanitizer or valgrind adds to its environment stays.
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS")

# Characters that base64, percent-encoding and JSON write otherwise are in both keys.
MODEL_KEY = "sk-canary-M0del+7Qz/4tXw9Lr2VbN8=eYc5gH1"
API_KEY = "lms-canary-Ap1+kD3/0uHs6Jf4ZqT1=wBm9GxR2"
# What only stands in files that must not be read.
SECRETS = {
    "the database's password": "canary-Postgres-hB72kLq0XzWv5nTd",
    "the private key": "canaryIdRsaMIIEowIBAAKCAQEA9xTq2Zb",
    "the token of .git/config": "canary-GitConfig-ghp_u83Jd0aPq7Ls",
    "a file beside the project": "canary-Outside-3mKz81QpWv70LtXe",
    "a password of .netrc": "canary-Netrc-Vb81nQ0zLpWk27Hs",
}


class Wrong(Exception):
    """what a check wanted and did not get"""


class Skip(Exception):
    """why a case cannot run here"""


def want(condition, *why):
    if not condition:
        raise Wrong(" ".join(str(w)[:3000] for w in why))


def same(what, got, wanted):
    want(got == wanted, "%s: got %.1500r, want %.1500r" % (what, got, wanted))


def has(text, part, what="text"):
    want(part in text, "%s has no %r: %.2500s" % (what, part, text))


def sha256(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# A build with a sanitizer takes its time.
SLOW = 4 if b"__asan_init" in read_bytes(ARGUS) or b"__tsan_init" in read_bytes(ARGUS) else 1


# --- keys that must be nowhere


def spellings(secret):
    """the ways in which a secret could be written, with the name of each"""
    raw = secret.encode()
    yield "as it is", raw
    yield "its first half", raw[:len(raw) // 2]
    yield "its second half", raw[-(len(raw) // 2):]
    yield "backwards", raw[::-1]
    yield "in hex", raw.hex().encode()
    yield "in HEX", raw.hex().upper().encode()
    yield "percent-encoded", urllib.parse.quote(secret, safe="").encode()
    yield "percent-encoded but /", urllib.parse.quote(secret).encode()
    yield "percent-encoded whole", "".join("%%%02X" % b for b in raw).encode()
    yield "with \\/", secret.replace("/", "\\/").encode()
    yield "with \\u", "".join("\\u%04x" % b for b in raw).encode()
    for shift in range(3):  # base64 of it wherever it begins in a longer text
        for name, f in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            text = f(b"\0" * shift + raw)
            # Without the characters that neighbours have a part in.
            yield "in %s, shifted %d" % (name, shift), text[(0, 2, 3)[shift]:len(text) // 4 * 4 - 4]


FORBIDDEN = [("%s %s" % (name, how), text)
             for name, secret in [("the model's key", MODEL_KEY), ("the API's key", API_KEY)] + list(SECRETS.items())
             for how, text in spellings(secret)]
PASSWD = next((x for x in read_bytes("/etc/passwd").splitlines() if x.startswith(b"root:")), b"root:x:0:0")
FORBIDDEN.append(("a line of /etc/passwd", PASSWD))


def search(what, data, extra=()):
    for name, text in FORBIDDEN + list(extra):
        at = data.find(text)
        want(at < 0, "%s in %s: …%r…" % (name, what, data[max(0, at - 60):at + 60]))
