#!/usr/bin/env python3
"""Signing in by an OpenID Connect issuer, whose keys and signatures are real (oidc_issuer.py); on both stores.

1. A sign-in begins in any process of the store and ends in any; the session is one like any other.
2. Who gets in is what the settings say: nobody new; a domain, a group; the owner of a verified address; a superuser by a group.
3. Tokens that are not as they should be, one by one, let nobody in.
4. A sign-in ends once, in the browser that began it, and leads to no other site.
5. An issuer that is wrong, large, slow or away does no harm."""
import json
import socket
import subprocess
import sys
import time
import urllib.parse

import serve
from oidc_issuer import CLIENT, SECRET, Issuer, Key, b64, hmac_token
from serve import DIR, Server, argus, ask, check

LOGIN = "/api/auth/oidc/login"
CALLBACK = "/api/auth/oidc/callback"


def settings(issuer, **more):
    for k in [k for k in serve.MORE if "OIDC" in k]:
        del serve.MORE[k]
    serve.MORE.update({"ARGUS_OIDC_ISSUER": issuer.url, "ARGUS_OIDC_CLIENT_ID": CLIENT, "OIDC_CLIENT_SECRET": SECRET})
    serve.MORE.update(("ARGUS_OIDC_" + k.upper(), v) for k, v in more.items())


def get(url):
    """One request to the issuer, as a browser makes it; redirects are not followed."""
    return ask(type("Place", (), {"port": urllib.parse.urlsplit(url).port}), "GET", "/" + url.split("/", 3)[3])


def cookies(reply, name):
    """The value that the reply sets; None = it sets none."""
    for k, v in reply.pairs:
        if k.lower() == "set-cookie" and v.startswith(name + "="):
            return v.split(";")[0].split("=", 1)[1]
    return None


def visit(server, path, **headers):
    return ask(server, "GET", path, **headers)


def begin(server, back="/"):
    """(where the issuer is asked, the browser's cookie)"""
    r = visit(server, LOGIN + "?return=" + urllib.parse.quote(back, safe=""))
    return r.headers.get("location", ""), cookies(r, "argus_oidc")


def authorize(issuer, where):
    """The path that the issuer leads the browser to."""
    back = get(where).headers["location"]
    return "/" + back.split("/", 3)[3]


def end(server, path, cookie):
    """(where the browser goes, the session's cookie or None)"""
    r = visit(server, path, **({"Cookie": "argus_oidc=" + cookie} if cookie else {}))
    return r.headers.get("location", str(r.status)), cookies(r, "argus_session")


def sign_in(server, issuer, back="/"):
    where, cookie = begin(server, back)
    if not where.startswith(issuer.url):
        return where, None
    return end(server, authorize(issuer, where), cookie)


def kind(location):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query)).get("sign_in", location)


def refused(server, issuer):
    where, session = sign_in(server, issuer)
    return None if session else kind(where)


def me(server, session):
    return ask(server, "GET", "/api/auth/me", Cookie="argus_session=" + (session or "")).json()


# --- who gets in ---

def journey(store, model, issuer):
    settings(issuer, sign_up="@Example.com", name="Example", ends_session="true")
    a, b = Server(store, model), Server(store, model)
    check("the page learns how people sign in", ask(a, "GET", "/api/auth/ways").json() == {"password": True, "issuer_name": "Example"})
    where, cookie = begin(a, "/audits?q=1")
    q = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(where).query))
    check("the issuer is asked for a code, with PKCE", where.startswith(issuer.url + "/authorize?") and q["response_type"] == "code" and
          q["code_challenge_method"] == "S256" and len(q["code_challenge"]) == 43 and q["scope"] == "openid email profile" and
          q["redirect_uri"] == "http://127.0.0.1:%d%s" % (a.port, CALLBACK), where)
    check("what the browser keeps is not in the address", cookie.split(".")[0] not in where and q["state"] not in cookie and q["nonce"] != q["state"])
    r = visit(a, LOGIN)
    said = [v for k, v in r.pairs if k.lower() == "set-cookie"][0]
    check("in a cookie for this alone, for ten minutes", all(x in said for x in ("HttpOnly", "SameSite=Lax", "Path=/api/auth/oidc", "Max-Age=600")), said)
    back, session = end(a, authorize(issuer, where), cookie)
    check("the browser comes back to where it was", back == "/audits?q=1" and session, back)
    who = me(a, session)
    check("with a session like any other, of an account named by the verified address",
          who["user"] == "ann@example.com" and who["by"] == "session" and not who["superuser"], who)
    where, cookie = begin(a)
    r = visit(b, authorize(issuer, where), Cookie="argus_oidc=" + cookie, Host="127.0.0.1:%d" % a.port)
    check("a sign-in ends in another process behind the same address", cookies(r, "argus_session"), (r.status, r.pairs))
    check("in every process", me(b, session)["user"] == "ann@example.com")
    check("it says how to leave the issuer, too", who["sign_out"] == "/api/auth/oidc/logout", who)
    r = ask(a, "POST", "/api/auth/logout", Cookie="argus_session=" + session, Content_Type="application/json")
    gone = ask(a, "GET", "/api/auth/me", Cookie="argus_session=" + session)
    left = visit(a, who["sign_out"]).headers["location"]
    check("logging out ends the session", (r.status, gone.status) == (204, 401))
    check("and leads to the issuer's end", left.startswith(issuer.url + "/end?client_id=") and
          urllib.parse.quote("http://127.0.0.1:%d/" % a.port, safe="") in left, left)
    issuer.claims = {"email": "new@example.com"}
    check("a new address at the issuer is the same person", me(a, sign_in(a, issuer)[1])["user"] == "ann@example.com")
    issuer.claims = {"sub": "sub-other", "email": "ann@example.com"}
    check("an old address with another subject is not", refused(a, issuer) == "name_taken")
    issuer.claims = {"sub": "s1", "email": "x@example.com.evil.test"}
    check("another domain is not let in", refused(a, issuer) == "no_account")
    got = []
    for more in ({"email_verified": False}, {"email_verified": "true"}, {"email_verified": None}, {"email": "x@y@example.com"}, {"email": "@example.com"},
                 {"email": "bad name@example.com"}, {"email": None}):
        issuer.claims = dict({"sub": "s2", "email": "x@example.com"}, **more)
        got.append(refused(a, issuer))
    check("nor an address that is not verified or not valid", got == ["no_account"] * 7, got)
    issuer.reset()
    argus(store, model, "user", "disable", "ann@example.com")
    check("a disabled account is not let in", refused(a, issuer) == "inactive")
    argus(store, model, "user", "enable", "ann@example.com")
    argus(store, model, "user", "delete", "ann@example.com")
    check("who was deleted signs up again", me(a, sign_in(a, issuer)[1])["user"] == "ann@example.com")
    rows = json.loads(argus(store, model, "log", "-o", "json", "-n", "1000"))["calls"]
    rows = [(r["user"], r["outcome"] == "ok", r["detail"].split(": ")[-1]) for r in sorted(rows, key=lambda r: r["row"]) if r["tool"] == "sign_in"]
    ann, nobody = ("ann@example.com", True, "by issuer, from 127.0.0.1"), ("", False, "no_account")
    check("each sign-in is in the audit table, with its end", rows == [ann] * 3 + [("", False, "name_taken")] + [nobody] * 8 +
          [("ann@example.com", False, "inactive"), ann], rows)
    said = a.said() + b.said()
    check("no secret, code or token is in what it said", not any(x in said for x in (SECRET, session, "eyJ")), said)
    a.stop()
    b.stop()
    issuer.takes_basic = False
    c = Server(store, model)
    check("the client's secret goes in the form where the issuer wants that", me(c, sign_in(c, issuer)[1]).get("user") == "ann@example.com", c.said())
    c.stop()
    issuer.reset()


def accounts(store, model, issuer):
    settings(issuer)
    a = Server(store, model)
    issuer.who = "bob"
    check("nobody new gets in unless the settings say so", refused(a, issuer) == "no_account")
    a.stop()
    settings(issuer, sign_up="staff", superuser="admins", name_claim="sub")
    a = Server(store, model)
    bob = sign_in(a, issuer)[1]
    check("a group may sign up, and be superuser", me(a, bob)["user"] == "sub-bob" and me(a, bob)["superuser"], me(a, bob))
    issuer.claims = {"groups": "staff"}
    again = sign_in(a, issuer)[1]
    check("who left the group is no superuser, or is the last one", me(a, again)["superuser"] == (" is the last superuser" in a.said()), a.said())
    argus(store, model, "user", "create", "chief", "--superuser")
    again = sign_in(a, issuer)[1]
    check("the rights of the group are those of the newest sign-in", not me(a, again)["superuser"] and not me(a, bob)["superuser"], a.said())
    issuer.claims = {"sub": "sub-cy", "groups": ["users"]}
    check("others may not", refused(a, issuer) == "no_account")
    issuer.claims = {"sub": "chief", "groups": ["staff"]}
    check("nobody signs up as an account that is there", refused(a, issuer) == "name_taken")
    issuer.claims = {"sub": "n" * 200, "groups": ["staff"]}
    check("nor with a name that no account may have", refused(a, issuer) == "no_name")
    a.stop()
    issuer.reset()
    argus(store, model, "user", "create", "dan@example.com")
    argus(store, model, "project", "grant", "shop", "dan@example.com", "analyst")
    issuer.claims = {"sub": "sub-dan", "email": "Dan@example.com"}
    settings(issuer)
    a = Server(store, model)
    check("an account is not given away by its address", refused(a, issuer) == "no_account")
    a.stop()
    settings(issuer, link_email="true")
    a = Server(store, model)
    issuer.claims["email_verified"] = False
    check("unless the settings say so, and the address is verified", refused(a, issuer) == "no_account")
    issuer.claims["email_verified"] = True
    dan = me(a, sign_in(a, issuer)[1])
    check("then it is", dan["user"] == "dan@example.com" and [p["role"] for p in dan["projects"]] == ["analyst"], dan)
    issuer.claims["sub"] = "sub-of-the-next-owner"
    check("once: who has the address later does not get it", refused(a, issuer) == "name_taken")
    issuer.claims = {"sub": "sub-else", "email": "else@example.com"}
    check("and nobody new gets in", refused(a, issuer) == "no_account")
    a.stop()
    issuer.reset()


# --- what must not get in ---

def altered(token, part, change):
    parts = token.split(".")
    parts[part] = change(parts[part])
    return ".".join(parts)


def hostile_tokens(store, model, issuer):
    settings(issuer, sign_up="any")
    serve.MORE["ARGUS_LOG_LEVEL"] = "warn"
    a = Server(store, model)
    now, other, ec, weak = int(time.time()), Key(DIR), Key(DIR, "EC"), Key(DIR, bits=1024)
    other.id = other.jwk["kid"] = issuer.key.id
    issuer.published = [issuer.key, ec, weak]
    key = issuer.key

    def plain(head, signature=""):
        return lambda c: b64(json.dumps(head).encode()) + "." + b64(json.dumps(c).encode()) + "." + signature
    twice = '{"aud":"other",'
    tokens = {
        "another key with the id of the right one": other.token,
        "alg none": plain({"alg": "none"}),
        "alg none with a signature": plain({"alg": "None", "kid": key.id}, b64(b"x" * 256)),
        "no alg": lambda c: key.token(c, {"alg": None}),
        "HMAC with the public key": lambda c: hmac_token(c, key.pem, {"kid": key.id}),
        "HMAC with the client's secret": lambda c: hmac_token(c, SECRET.encode()),
        "RS512": lambda c: key.token(c, {"alg": "RS512"}),
        "PS256": lambda c: key.token(c, {"alg": "PS256"}),
        "ES256 with the RSA key's id": lambda c: ec.token(c, {"kid": key.id}),
        "RS256 with the EC key's id": lambda c: key.token(c, {"kid": ec.id}),
        "a key of 1024 bits": weak.token,
        "a key that nobody publishes": lambda c: other.token(c, {"kid": "stranger"}),
        "a key id that is a number": lambda c: key.token(c, {"kid": 7}),
        "a key inside the token": lambda c: other.token(c, {"kid": None, "jwk": other.jwk}),
        "a key at an address of the token": lambda c: other.token(c, {"kid": "x", "jku": issuer.url + "/keys"}),
        "critical members": lambda c: key.token(c, {"crit": ["exp"]}),
        "claims that were changed": lambda c: altered(key.token(c), 1, lambda p: b64(json.dumps(dict(c, sub="root")).encode())),
        "a head that was changed": lambda c: altered(key.token(c), 0, lambda p: b64(json.dumps({"alg": "RS256", "kid": key.id, "x": 1}).encode())),
        "no signature": lambda c: altered(key.token(c), 2, lambda p: ""),
        "half a signature": lambda c: altered(key.token(c), 2, lambda p: p[:170]),
        "a signature of zeros": lambda c: altered(key.token(c), 2, lambda p: b64(b"\0" * 256)),
        "an EC signature of zeros": lambda c: altered(ec.token(c), 2, lambda p: b64(b"\0" * 64)),
        "an EC signature as DER": lambda c: (lambda t: ".".join(t.split(".")[:2]) + "." + b64(ec.sign(".".join(t.split(".")[:2]).encode(), True)))(ec.token(c)),
        "two parts": lambda c: key.token(c).rsplit(".", 1)[0],
        "four parts": lambda c: key.token(c) + ".x",
        "padding": lambda c: key.token(c) + "=",
        "no token at all": lambda c: "x",
        "a token of 40 KB": lambda c: key.token(dict(c, groups=["g" * 30000])),
        "claims that are no object": lambda c: key.token("[]"),
        "a claim that comes twice": lambda c: key.token(twice + json.dumps(c)[1:]),
        "an array of 300 levels": lambda c: key.token(json.dumps(c)[:-1] + ',"x":' + "[" * 300 + "]" * 300 + "}"),
    }
    for name, value in (("expired", {"exp": now - 120}), ("without exp", {"exp": None}), ("exp as a text", {"exp": str(now + 300)}),
                        ("exp 1e300", {"exp": 1e300}), ("not valid yet", {"nbf": now + 300}), ("nbf as a text", {"nbf": "x"}),
                        ("made in the future", {"iat": now + 300}), ("made an hour ago", {"iat": now - 3600}), ("without iat", {"iat": None}),
                        ("for another client", {"aud": "other"}), ("for several without azp", {"aud": [CLIENT, "other"]}), ("for nobody", {"aud": None}),
                        ("an empty list of clients", {"aud": []}), ("made for another client", {"azp": "other"}),
                        ("several and another's azp", {"aud": [CLIENT, "other"], "azp": "other"}), ("of another issuer", {"iss": "https://evil.test"}),
                        ("with a slash more", {"iss": issuer.url + "/"}), ("without issuer", {"iss": None}), ("of another sign-in", {"nonce": "0" * 64}),
                        ("without nonce", {"nonce": None}), ("without subject", {"sub": None}), ("an empty subject", {"sub": ""}),
                        ("a subject that is a number", {"sub": 7}), ("a subject of 300 bytes", {"sub": "s" * 300}), ("a subject with NUL", {"sub": "a\0b"})):
        tokens[name] = lambda c, value=value: key.token({k: v for k, v in dict(c, **value).items() if v is not None})
    good = {"as it should be": key.token, "ES256": ec.token, "for several, with azp": lambda c: key.token(dict(c, aud=["x", CLIENT], azp=CLIENT)),
            "a minute late": lambda c: key.token(dict(c, exp=int(time.time()) - 30)), "a clock that is ahead": lambda c: key.token(dict(c, iat=int(time.time()) + 30)),
            "a time with a fraction": lambda c: key.token(dict(c, exp=time.time() + 60.5))}
    wrong = []
    for name, make in tokens.items():
        issuer.make = make
        got = refused(a, issuer)
        if got != "refused":
            wrong.append((name, got))
    check("%d tokens that are not as they should be are refused" % len(tokens), not wrong, wrong)
    for name, make in good.items():
        issuer.make = make
        where, session = sign_in(a, issuer)
        check("a token is taken: " + name, session, (where, a.said()[-600:]))
    asked = issuer.seen.count("/keys")
    check("unknown keys do not make it ask for keys each time", asked <= 4, asked)
    check("each refusal names its reason in the log", a.said().count("the ID token is refused") >= 30, a.said()[-800:])
    issuer.reset()
    a.stop()


def keys(store, model, issuer):
    settings(issuer, sign_up="any")
    a = Server(store, model)
    check("a first sign-in", sign_in(a, issuer)[1])
    began = time.time()
    issuer.rotate("EC")
    got = refused(a, issuer)
    check("a key that came just now is not asked for yet", got in (None, "refused"), got)
    session = None
    while not session and time.time() < began + 40:
        time.sleep(1)
        session = sign_in(a, issuer)[1]
    check("a new key is found, %d s after the last time that keys were asked for" % (time.time() - began), session and issuer.seen.count("/keys") <= 6,
          issuer.seen.count("/keys"))
    off = dict(issuer.key.jwk, y=b64(b"\1" * 32))
    issuer.published = [type("K", (), {"jwk": off})]
    a.stop()
    b = Server(store, model)
    check("a point that is not on the curve is no key", refused(b, issuer) == "refused")
    b.stop()
    issuer.reset()
    issuer.published = [type("K", (), {"jwk": dict(issuer.key.jwk, use="enc")})]
    c = Server(store, model)
    check("a key for encryption checks no signature", refused(c, issuer) == "refused")
    c.stop()
    issuer.reset()
    two = Key(DIR, "EC")
    issuer.published = [two, issuer.key]
    issuer.make = lambda c: issuer.key.token(c, {"kid": None})
    d = Server(store, model)
    check("without an id, one of two keys is not guessed", refused(d, issuer) == "refused")
    d.stop()
    issuer.reset()
    e = Server(store, model)
    issuer.make = lambda c: issuer.key.token(c, {"kid": None})
    check("the only one is taken", sign_in(e, issuer)[1])
    e.stop()
    issuer.rotate()
    issuer.reset()


def hostile_flows(store, model, issuer):
    settings(issuer, sign_up="any")
    a = Server(store, model)
    issuer.reuses_codes = True
    where, cookie = begin(a)
    path = authorize(issuer, where)
    check("no cookie, no sign-in", kind(end(a, path, None)[0]) == "strange")
    check("a stranger's cookie", kind(end(a, path, begin(a)[1])[0]) == "strange")
    q = dict(urllib.parse.parse_qsl(path.split("?")[1]))

    def with_(**more):
        return CALLBACK + "?" + urllib.parse.urlencode({k: v for k, v in dict(q, **more).items() if v is not None})
    got = [kind(end(a, with_(**m), cookie)[0]) for m in ({"state": None}, {"state": ""}, {"state": "0" * 64}, {"state": q["state"].upper()}, {"state": q["state"] + "0"})]
    check("a state that is not the browser's", got == ["strange"] * 5, got)
    secret, ends, back = cookie.split(".")
    got = [kind(end(a, path, c)[0]) for c in ("%s.%d.%s" % (secret, int(ends) + 9, back), "%s.%s.%s" % (secret, ends, b64(b"//evil.test")), secret, "..", "x" * 9000)]
    check("a cookie that was changed", got[:4] == ["strange"] * 4 and got[4] in ("strange", "431", "400"), got)
    check("none of these ended it", end(a, path, cookie)[1])
    check("it ends once", kind(end(a, path, cookie)[0]) == "refused")
    b = Server(store, model)
    check("in all processes", kind(end(b, path, cookie)[0]) == "refused")
    b.stop()
    where, cookie = begin(a)
    fresh = dict(urllib.parse.parse_qsl(authorize(issuer, where).split("?")[1]))
    check("a code of another sign-in", kind(end(a, CALLBACK + "?" + urllib.parse.urlencode(dict(fresh, code=q["code"])), cookie)[0]) == "refused")
    issuer.reset()
    got = []
    for more in ({"iss": "https://evil.test"}, {"iss": None}, {"code": None}, {"code": ""}, {"code": "c" * 5000}, {"code": "unknown"}, {"code": None, "error": "access_denied"},
                 {"code": None, "error": "server_error"}, {"error": "<script>"}):
        issuer.back = more
        got.append(refused(a, issuer))
    check("what comes back is not as it should be", got == ["refused"] * 6 + ["denied", "refused", "refused"], got)
    issuer.reset()
    got = []
    for back in ("//evil.test", "https://evil.test", "/\\evil.test", "\\/evil.test", "/\t/evil.test", "javascript:alert(1)", "evil.test", "/%0d%0aX: y\r\nX: y",
                 "/api/auth/oidc/login", "", "/" + "a" * 2000, "/ü"):
        got.append(sign_in(a, issuer, back)[0])
    check("a sign-in leads to no other site", got == ["/"] * 12, got)
    got = [sign_in(a, issuer, back)[0] for back in ("/chat/1?x=//y", "/audits", "/")]
    check("but to the pages of this one", got == ["/chat/1?x=//y", "/audits", "/"], got)
    check("other methods do nothing", [ask(a, m, CALLBACK, {}).status for m in ("POST", "DELETE")] == [405, 405])
    check("another Host gets no redirect", ask(a, "GET", LOGIN, Host="evil.test").status == 403)
    a.stop()
    serve.MORE["ARGUS_MAX_ANONYMOUS_PER_MINUTE"] = "20"
    c = Server(store, model)
    got = [visit(c, LOGIN).status for _ in range(22)]
    check("an address may begin so many in a minute", got[0] == 303 and got[-1] == 429, got)
    c.stop()
    serve.MORE["ARGUS_MAX_ANONYMOUS_PER_MINUTE"] = "none"
    d = Server(store, model, "--no-auth")
    check("where everybody is let in nobody signs in", visit(d, LOGIN).status == 404 and ask(d, "GET", "/api/auth/ways").json() == {
        "password": False, "issuer_name": ""})
    d.stop()


def endless(handler):
    handler.send_response(200)
    handler.end_headers()
    handler.close_connection = True
    try:
        while True:
            handler.wfile.write(b'{"keys":[' + b" " * 65536)
    except OSError:
        pass


def dripping(handler):
    handler.send_response(200)
    handler.end_headers()
    handler.close_connection = True
    try:
        while True:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.3)
    except OSError:
        pass


def silent(handler):
    time.sleep(30)
    handler.close_connection = True


def hostile_issuers(store, model, issuer):
    settings(issuer, sign_up="any")
    well_known = "/.well-known/openid-configuration"
    document = issuer.document()

    def says(**more):
        return {well_known: lambda h: h.send(200, {k: v for k, v in dict(document, **more).items() if v is not None})}
    wrong = []
    cases = {
        "a document of another issuer": says(issuer="https://evil.test"),
        "a document without token_endpoint": says(token_endpoint=None),
        "a token endpoint that is not encrypted": says(token_endpoint="http://192.0.2.1/token"),
        "keys that are not encrypted": says(jwks_uri="http://192.0.2.1/keys"),
        "an authorization endpoint that is a script": says(authorization_endpoint="javascript:alert(1)"),
        "an authorization endpoint of another form": says(authorization_endpoint=["x"]),
        "no code flow": says(response_types_supported=["id_token"]),
        "HMAC alone": says(id_token_signing_alg_values_supported=["HS256"]),
        "no document": {well_known: lambda h: h.send(404)},
        "a document that is no JSON": {well_known: lambda h: h.send(200, b"<html>")},
        "a document elsewhere": {well_known: lambda h: h.send(302, Location=issuer.url + "/keys")},
        "no keys": {"/keys": lambda h: h.send(500)},
        "keys without a list": {"/keys": lambda h: h.send(200, {"keys": {}})},
        "keys elsewhere": {"/keys": lambda h: h.send(302, Location=issuer.url + "/other")},
        "4 MB of keys": {"/keys": lambda h: h.send(200, {"keys": [issuer.key.jwk] * 10000})},
        "200 keys": {"/keys": lambda h: h.send(200, {"keys": [issuer.key.jwk] * 200})},
        "keys without an end": {"/keys": endless},
        "keys as deep as a well": {"/keys": lambda h: h.send(200, b'{"keys":' + b"[" * 100000)},
        "an issuer that hangs up": {well_known: lambda h: h.connection.shutdown(socket.SHUT_RDWR)},
    }
    server = Server(store, model)
    for name, instead in cases.items():
        issuer.reset()
        issuer.instead = instead
        time.sleep(2.1)  # a failure is remembered for 2 s
        began = time.time()
        where = begin(server)[0]
        if kind(where) != "unavailable" or time.time() - began > 15:
            wrong.append((name, where, time.time() - began))
    check("%d issuers that are not as they should be" % len(cases), not wrong, (wrong, server.said()[-900:]))
    issuer.reset()
    time.sleep(2.1)
    check("a good one after all of these", sign_in(server, issuer)[1])
    got, took = [], []
    for instead in (lambda h: h.send(500), lambda h: h.send(302, Location=issuer.url + "/keys"), lambda h: h.send(200, {"access_token": "x"}),
                    lambda h: h.send(200, b"x"), lambda h: h.send(400, {"error": "invalid_grant"}), lambda h: h.send(401, {"error": "invalid_client\r\nX: y"}),
                    lambda h: h.send(200, {"id_token": ["x"]}), endless, lambda h: h.connection.shutdown(socket.SHUT_RDWR)):
        issuer.reset()
        issuer.instead = {"/token": instead}
        got.append(refused(server, issuer))
    check("answers to a code that are no answers", got == ["unavailable"] * 4 + ["refused"] * 2 + ["unavailable"] * 3, got)
    for instead in (dripping, silent):
        issuer.reset()
        issuer.instead = {"/token": instead}
        began = time.time()
        where, cookie = begin(server)
        path = authorize(issuer, where)
        waiting = subprocess.Popen(["curl", "-s", "-o", "/dev/null", "-w", "%{redirect_url}", "-b", "argus_oidc=" + cookie,
                                    "http://127.0.0.1:%d%s" % (server.port, path)], stdout=subprocess.PIPE, text=True)
        first = time.time()
        check("others are answered meanwhile", ask(server, "GET", "/healthz").status == 200 and time.time() - first < 2)
        said = waiting.communicate(timeout=60)[0]
        took.append(time.time() - began)
        got.append(kind(said))
    check("an issuer that never comes to an end is waited for for ten seconds", got[-2:] == ["unavailable"] * 2 and max(took) < 14, (got[-2:], took))
    issuer.instead = {"/token": silent}
    where, cookie = begin(server)
    path = authorize(issuer, where)
    waiting = subprocess.Popen(["curl", "-s", "-b", "argus_oidc=" + cookie, "http://127.0.0.1:%d%s" % (server.port, path)], stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    began = time.time()
    check("the server stops while it waits for one", server.stop() == 0 and time.time() - began < 9, time.time() - began)
    waiting.wait()
    issuer.reset()


def doctor(store, model, issuer):
    def run():
        r = subprocess.run([serve.ARGUS, "doctor"], capture_output=True, text=True, env=serve.env(store, model), cwd=DIR, stdin=subprocess.DEVNULL)
        return r.returncode, " ".join(r.stdout.split())
    settings(issuer, sign_up="any")
    code, said = run()
    check("argus doctor asks the issuer", "answers, with 1 key" in said, said[-1500:])
    check("and shows no secret", SECRET not in said)
    issuer.instead = {"/keys": lambda h: h.send(200, {"keys": []})}
    code, said = run()
    check("and says that it has no key", code == 1 and "no key for RS256 or ES256" in said, said[-1500:])
    issuer.reset()
    settings(issuer)
    check("and that nobody new gets in", "oidc_sign_up" in run()[1].split("OpenID Connect, accounts")[-1])
    for variable, value, words in (("ARGUS_OIDC_ISSUER", "http://login.example.com", "not encrypted"), ("ARGUS_OIDC_CLIENT_ID", "", "needs oidc_client_id"),
                                   ("ARGUS_OIDC_SCOPES", "email", "without openid")):
        settings(issuer)
        serve.MORE[variable] = value
        r = subprocess.run([serve.ARGUS, "serve", "--port", "0"], capture_output=True, text=True, env=serve.env(store, model), cwd=DIR, timeout=30, check=False)
        check("a setting that cannot work ends the start: " + words, r.returncode == 1 and words in r.stderr, r.stderr)
    settings(issuer)


def on(name, store, model):
    print("# " + name)
    argus(store, model, "project", "add", "shop", "--source", "sqlite:%s/shop.db" % DIR)
    issuer = Issuer(DIR)
    journey(store, model, issuer)
    accounts(store, model, issuer)
    hostile_flows(store, model, issuer)
    if name == "SQLite":  # these do not ask the store
        hostile_tokens(store, model, issuer)
        keys(store, model, issuer)
        hostile_issuers(store, model, issuer)
        doctor(store, model, issuer)
    for k in [k for k in serve.MORE if "OIDC" in k]:
        del serve.MORE[k]


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
