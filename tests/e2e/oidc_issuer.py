#!/usr/bin/env python3
"""An OpenID Connect issuer for tests, on loopback: discovery, the code flow with PKCE, real signatures (made by openssl), keys that
are exchanged. It does what it should, and on demand what it should not.

As a program: oidc_issuer.py FOLDER; writes its address to FOLDER/issuer, and asks a browser who it is."""
import base64
import hashlib
import hmac
import http.server
import json
import os
import secrets
import subprocess
import sys
import threading
import time
import urllib.parse

CLIENT, SECRET = "argus of the test", "client secret: with% signs"


def b64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def openssl(*args, data=None):
    return subprocess.run(["openssl", *args], input=data, capture_output=True, check=True).stdout


def der_numbers(der):
    """The two numbers of SEQUENCE { INTEGER, INTEGER }."""
    def length(at):
        if der[at] < 128:
            return der[at], at + 1
        n = der[at] & 127
        return int.from_bytes(der[at + 1:at + 1 + n], "big"), at + 1 + n
    _, at = length(1)
    out = []
    for _ in range(2):
        n, at = length(at + 1)
        out.append(int.from_bytes(der[at:at + n], "big"))
        at += n
    return out


class Key:
    def __init__(self, folder, kind="RSA", bits=2048):
        self.kind, self.id = kind, secrets.token_hex(4)
        self.path = os.path.join(folder, "key-%s.pem" % self.id)
        if kind == "RSA":
            openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:%d" % bits, "-out", self.path)
        else:
            openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.path)
        self.pem = openssl("pkey", "-in", self.path, "-pubout")
        der = openssl("pkey", "-in", self.path, "-pubout", "-outform", "DER")
        if kind == "RSA":
            n = openssl("rsa", "-in", self.path, "-noout", "-modulus").decode().strip().split("=")[1]
            self.jwk = {"kty": "RSA", "n": b64(bytes.fromhex(n)), "e": "AQAB", "alg": "RS256"}
        else:
            self.jwk = {"kty": "EC", "crv": "P-256", "x": b64(der[-64:-32]), "y": b64(der[-32:])}
        self.jwk.update(kid=self.id, use="sig")
        self.alg = "RS256" if kind == "RSA" else "ES256"

    def sign(self, data, as_der=False):
        made = openssl("dgst", "-sha256", "-sign", self.path, data=data)
        if self.kind == "RSA" or as_der:
            return made
        return b"".join(n.to_bytes(32, "big") for n in der_numbers(made))

    def token(self, claims, head=None):
        """claims: an object, or its text."""
        text = claims if isinstance(claims, str) else json.dumps(claims)
        first = {"alg": self.alg, "kid": self.id, "typ": "JWT"}
        first.update(head or {})
        body = b64(json.dumps({k: v for k, v in first.items() if v is not None}).encode()) + "." + b64(text.encode())
        return body + "." + b64(self.sign(body.encode()))


def hmac_token(claims, key, head=None):
    body = b64(json.dumps(dict({"alg": "HS256", "typ": "JWT"}, **(head or {}))).encode()) + "." + b64(json.dumps(claims).encode())
    return body + "." + b64(hmac.new(key, body.encode(), hashlib.sha256).digest())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send(self, status, body=b"", **headers):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        for k, v in headers.items():
            self.send_header(k.replace("_", "-"), v)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer("")

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode())

    def answer(self, body):
        i = self.server.issuer
        url = urllib.parse.urlsplit(self.path)
        i.seen.append(url.path)
        if url.path in i.instead:
            i.instead[url.path](self)
            return
        q = dict(urllib.parse.parse_qsl(url.query if not body else body))
        {"/.well-known/openid-configuration": lambda: self.send(200, i.document()),
         "/keys": lambda: self.send(200, {"keys": [k.jwk for k in i.published]}),
         "/authorize": lambda: self.authorize(i, q), "/token": lambda: self.token(i, q),
         "/favicon.ico": lambda: self.send(204),
         "/end": lambda: self.send(302, Location=q["post_logout_redirect_uri"])}.get(url.path, lambda: self.send(404))()

    def authorize(self, i, q):
        if q.get("client_id") != CLIENT or q.get("response_type") != "code" or q.get("code_challenge_method") != "S256" or "openid" not in q["scope"]:
            self.send(400, {"error": "invalid_request"})
            return
        if "text/html" in self.headers.get("Accept", "") and "who" not in q:
            page = "<!doctype html><html lang=en><title>Issuer</title><h1>Who are you?</h1>" + "".join(
                "<p><a href='?%s'>%s</a>" % (urllib.parse.urlencode(dict(q, who=w)), w) for w in sorted(i.people))
            self.send(200, page.encode(), Content_Type="text/html")
            return
        code = secrets.token_urlsafe(16)
        i.codes[code] = dict(q, person=i.people[q.get("who", i.who)])
        back = dict({"code": code, "state": q["state"], "iss": i.url}, **i.back)
        self.send(302, Location=q["redirect_uri"] + "?" + urllib.parse.urlencode({k: v for k, v in back.items() if v is not None}))

    def token(self, i, q):
        basic = "Basic " + base64.b64encode(("%s:%s" % (urllib.parse.quote(CLIENT, safe=""), urllib.parse.quote(SECRET, safe=""))).encode()).decode()
        is_client = self.headers.get("Authorization") == basic if i.takes_basic else q.get("client_secret") == SECRET
        flow = i.codes.get(q.get("code")) if i.reuses_codes else i.codes.pop(q.get("code"), None)
        proof = b64(hashlib.sha256(q.get("code_verifier", "").encode()).digest())
        if not is_client:
            self.send(401, {"error": "invalid_client"})
        elif not flow or flow["redirect_uri"] != q.get("redirect_uri") or flow["code_challenge"] != proof:
            self.send(400, {"error": "invalid_grant"})
        else:
            now = int(time.time())
            claims = {"iss": i.url, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": flow["nonce"]}
            claims.update(flow["person"])
            claims.update(i.claims)
            claims = {k: v for k, v in claims.items() if v is not None}
            self.send(200, {"access_token": "x", "token_type": "Bearer", "id_token": i.make(claims)})


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that had enough of an endless answer is no error here."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Issuer:
    def __init__(self, folder, port=0):
        self.folder = folder
        self.people = {"ann": {"sub": "sub-ann", "email": "Ann@example.com", "email_verified": True},
                       "bob": {"sub": "sub-bob", "email": "bob@example.com", "email_verified": True, "groups": ["admins", "staff"]}}
        self.key = Key(folder)
        self.server = Server(("127.0.0.1", port), Handler)
        self.server.issuer = self
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        self.reset()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reset(self):
        self.who, self.codes, self.seen, self.instead, self.claims, self.back, self.more = "ann", {}, [], {}, {}, {}, {}
        self.takes_basic, self.reuses_codes, self.published = True, False, [self.key]
        self.make = lambda claims: self.key.token(claims)

    def rotate(self, kind="RSA"):
        self.key = Key(self.folder, kind)
        self.published = [self.key]

    def document(self):
        return dict({"issuer": self.url, "authorization_endpoint": self.url + "/authorize", "token_endpoint": self.url + "/token",
                     "jwks_uri": self.url + "/keys", "end_session_endpoint": self.url + "/end", "response_types_supported": ["code"],
                     "id_token_signing_alg_values_supported": ["RS256", "ES256"], "authorization_response_iss_parameter_supported": True,
                     "token_endpoint_auth_methods_supported": ["client_secret_basic" if self.takes_basic else "client_secret_post"]}, **self.more)


if __name__ == "__main__":
    made = Issuer(sys.argv[1])
    made.people["eve"] = {"sub": "sub-eve", "email": "eve@elsewhere.test", "email_verified": True}
    with open(sys.argv[1] + "/issuer.new", "w", encoding="utf-8") as f:
        f.write(made.url)
    os.rename(sys.argv[1] + "/issuer.new", sys.argv[1] + "/issuer")
    threading.Event().wait()
