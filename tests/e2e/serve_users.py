#!/usr/bin/env python3
"""Who may use argus serve: accounts, sessions, links, roles, tokens, and how much anybody may ask; on both stores.

1. The first start names a link by which the administrator chooses a password, once.
2. A session works as a cookie alone, also for the chat; it ends by logging out, by a new password, by a disabled account.
3. Nothing that a page of another site can send changes anything.
4. Logins that fail are counted, in every process; so are requests.
5. Superusers manage accounts, admins of a project its members; the last one stays.
6. A proxy on this machine may name the user."""
import json
import subprocess
import sys
import time

import serve
from serve import DIR, Server, argus, ask, check

PASSWORD = "correct horse"


def sign_ins(store, model):
    """Of the audit table, oldest first: who, how it ended, and how it was tried."""
    rows = json.loads(argus(store, model, "log", "-o", "json", "-n", "1000"))["calls"]
    return [(r["user"], r["outcome"], r["detail"]) for r in sorted(rows, key=lambda r: r["row"]) if r["tool"] == "sign_in"]


def cookie_of(reply):
    return reply.headers.get("set-cookie", "").split(";")[0]


def login(server, user, password, **headers):
    return ask(server, "POST", "/api/auth/login", {"username": user, "password": password}, **headers)


def setup(server, link, password):
    return ask(server, "POST", "/api/auth/setup", {"token": link, "password": password})


def first_start(store, model):
    serve.MORE["ARGUS_MAX_LOGIN_FAILURES"] = "none"
    server = Server(store, model)
    serve.wait(lambda: "/setup#" in server.said())
    link = server.said().split("/setup#")[1].split()[0]
    r = [ask(server, "GET", "/api/auth/me"), setup(server, link, "short"), setup(server, link + "x", PASSWORD)]
    check("nobody is let in before a password is chosen", [x.status for x in r] == [401, 400, 403], [x.status for x in r])
    check("a refusal is problem+json with a reference", len(r[0].json().get("reference", "")) == 8 and
          r[0].headers["content-type"] == "application/problem+json")
    check("a link is no token", ask(server, "GET", "/api/auth/me", token=link).status == 401)
    r = setup(server, link, PASSWORD)
    said = r.headers.get("set-cookie", "")
    me = r.json()
    check("the link makes the administrator", r.status == 200 and me["user"] == "admin" and me["superuser"] and me["by"] == "session", me)
    check("the cookie is for this site alone and not for scripts",
          all(x in said for x in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=1209600")), said)
    check("the link works once", setup(server, link, "another " + PASSWORD).status == 403)
    got = sign_ins(store, model)
    unknown = ("", "PERMISSION_DENIED", "by link, from 127.0.0.1: the link is unknown, used or expired")
    check("sign-ins by a link are in the audit table, and those that failed", got == [unknown, ("admin", "ok", "by link, from 127.0.0.1"), unknown], got)
    other = Server(store, model)
    check("a later start names no link", "/setup#" not in other.said(), other.said())
    other.stop()
    return server, cookie_of(r)


def stream_of(server, name, **headers):
    r = ask(server, "POST", "/api/chat/", {"id": name, "messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": "Say hello"}]}]},
            **headers)
    return r.status, "".join(p.get("delta", "") for p in r.rest() if isinstance(p, dict)) if r.status == 200 else r.r.read().decode()


def sessions(server, store, model, admin):
    r = ask(server, "POST", "/api/users", {"name": "ann"}, Cookie=admin)
    made = json.loads(r.r.read())
    check("a new account has a link and no password", r.status == 201 and not made["has_password"] and made["link_token"], made)
    check("the name is taken then", ask(server, "POST", "/api/users", {"name": "ann"}, Cookie=admin).status == 409)
    ann = cookie_of(setup(server, made["link_token"], PASSWORD))
    check("who is in no project has none to ask", stream_of(server, "none", Cookie=ann)[0] == 400)
    r = ask(server, "PUT", "/api/projects/shop/members/ann", {"role": "analyst"}, Cookie=admin)
    check("the client of the page works with the cookie alone", (r.status, stream_of(server, "with-cookie", Cookie=ann)) == (204, (200, "Hello.")))
    check("the thread is the user's", [t["id"] for t in ask(server, "GET", "/api/threads", Cookie=ann).json()["threads"]] == ["with-cookie"])
    check("and nobody else's", ask(server, "GET", "/api/threads/with-cookie", Cookie=admin).status == 404)
    argus(store, model, "project", "grant", "secret", "ann", "viewer")
    me = ask(server, "PATCH", "/api/auth/me", {"project": "secret"}, Cookie=ann).json()
    check("a user chooses the project that is meant", me["project"] == "secret" and [p["role"] for p in me["projects"]] == ["viewer", "analyst"], me)
    stream_of(server, "unnamed", Cookie=ann)
    check("and it is meant", ask(server, "GET", "/api/threads/unnamed", Cookie=ann).json()["project"] == "secret")
    check("one that is not the user's cannot be chosen", ask(server, "PATCH", "/api/auth/me", {"project": "nowhere"}, Cookie=ann).status == 404)
    two = cookie_of(login(server, "ann", PASSWORD))
    r = [ask(server, "POST", "/api/auth/password", {"old": old, "new": new}, Cookie=two).status
         for old, new in (("wrong", PASSWORD + "2"), (PASSWORD, "short"), (PASSWORD, PASSWORD + "2"))]
    check("a password is changed by who knows the old one", r == [403, 400, 204], r)
    r = [ask(server, "GET", "/api/auth/me", Cookie=c).status for c in (ann, two)]
    check("which ends the other sessions", r == [401, 200], r)
    before = len(sign_ins(store, model))
    r = [login(server, "ann", p).status for p in (PASSWORD, PASSWORD + "2")]
    check("the old one is good no more", r == [401, 200], r)
    login(server, "my secret, typed in the wrong field", PASSWORD)
    got = sign_ins(store, model)[before:]
    check("sign-ins by a password are in the audit table; a name that is no account's is not kept",
          got == [("ann", "PERMISSION_DENIED", "by password, from 127.0.0.1: wrong password"), ("ann", "ok", "by password, from 127.0.0.1"),
                  ("", "PERMISSION_DENIED", "by password, from 127.0.0.1: no account of that name")], got)
    r = [ask(server, "POST", "/api/auth/logout", Cookie=two, Content_Type="application/json").status, ask(server, "GET", "/api/auth/me", Cookie=two).status]
    check("logging out ends the session", r == [204, 401], r)
    forged = ["argus_session=" + x for x in ("", "x", "argus_" + "A" * 43, two.split("=")[1][:-1] + "\"")]
    r = [ask(server, "GET", "/api/auth/me", Cookie=c).status for c in forged]
    check("a forged cookie is nobody's", r == [401] * 4, r)
    subprocess.run([serve.ARGUS, "user", "password", "ann"], input=PASSWORD + "3\n", text=True, env=serve.env(store, model), check=True,
                   capture_output=True)
    ann = cookie_of(login(server, "ann", PASSWORD + "3"))
    check("argus user password sets one", ann != "")
    return ann


def sites(server, admin):
    tries = [
        ("a page of another origin", 403, {"Origin": "http://evil.test", "Content_Type": "application/json"}),
        ("a form of another site", 403, {"Sec_Fetch_Site": "cross-site", "Content_Type": "application/json"}),
        ("a page of a sibling", 403, {"Sec_Fetch_Site": "same-site", "Content_Type": "application/json"}),
        ("an old browser's form", 415, {"Content_Type": "application/x-www-form-urlencoded"}),
        ("the same with text", 415, {"Content_Type": "text/plain;charset=UTF-8"}),
        ("the same with files", 415, {"Content_Type": "multipart/form-data; boundary=x"}),
        ("no type at all", 415, {}),
        ("another Host", 403, {"Host": "evil.test", "Content_Type": "application/json"}),
    ]
    for path in ("/api/users", "/api/auth/logout", "/api/chat/", "/api/threads/with-cookie/viewed"):
        got = [ask(server, "POST", path, '{"name":"mallory"}' if "Content_Type" in h else None, Cookie=admin, **h).status for _, _, h in tries]
        check("what another site can send does nothing: " + path, got == [w for _, w, _ in tries], list(zip(tries, got)))
    got = [ask(server, m, "/api/users/admin", None if m == "DELETE" else {}, Cookie=admin, Origin="http://evil.test").status
           for m in ("DELETE", "PATCH")]
    check("by no method", got == [403, 403], got)
    r = login(server, "admin", PASSWORD, Origin="http://evil.test").status
    check("nor does it log anybody in", r == 403, r)
    own = {"Origin": "http://127.0.0.1:%d" % server.port, "Sec_Fetch_Site": "same-origin"}
    check("the server's own page may", ask(server, "PATCH", "/api/users/admin", {}, Cookie=admin, **own).status == 200)


def unknown(server):
    got = [ask(server, m, p) for m, p in (("GET", "/api/nothing"), ("DELETE", "/api/auth/login"), ("GET", "/nothing"))]
    check("what is not there is told as problem+json under /api", [(r.status, r.headers["content-type"]) for r in got] == [
        (404, "application/problem+json"), (405, "application/problem+json"), (404, "application/json")], [r.status for r in got])
    check("with the methods that there are", got[1].headers.get("allow") == "POST", got[1].headers)


def projects(server, admin, ann):
    """Projects are made, renamed and removed over HTTP; each change is a call of the project."""
    P = "/api/projects"
    r = ask(server, "POST", P, {"id": "stock", "name": "The stock"}, Cookie=admin)
    made = r.json()
    check("a superuser makes a project", r.status == 201 and (made["id"], made["name"], made["role"], made["has_database"], made["is_of_store"]) ==
          ("stock", "The stock", "admin", False, True), made)
    got = [ask(server, "POST", P, b, Cookie=c).status for b, c in (({"id": "stock"}, admin), ({"id": "own"}, ann), ({}, admin), ({"id": " "}, admin), ({"id": "a\nb"}, admin))]
    check("an id is taken once; nobody else makes projects; a wrong id is refused", got == [409, 403, 400, 400, 400], got)
    r = ask(server, "PATCH", P + "/stock", {"name": "Stock of Berlin"}, Cookie=admin)
    check("it is renamed", (r.status, r.json()["name"]) == (200, "Stock of Berlin"))
    got = [ask(server, m, P + "/" + p, b, Cookie=c).status for m, p, b, c in (
        ("PATCH", "stock", {"name": "x"}, ann), ("PATCH", "shop", {"name": "x"}, ann), ("DELETE", "shop", None, ann), ("PATCH", "stock", {"name": " "}, admin),
        ("PATCH", "nowhere", {"name": "x"}, admin), ("DELETE", "nowhere", None, admin))]
    check("by its admins alone", got == [404, 403, 403, 400, 404, 404], got)
    calls = [(c["tool"], c["user"]) for c in ask(server, "GET", P + "/stock/calls", Cookie=admin).json()["calls"]]
    check("each change is in the audit table", calls == [("rename_project", "admin"), ("add_project", "admin")], calls)
    check("none of them came with a token", ask(server, "GET", P + "/stock/calls?programs=true", Cookie=admin).json()["calls"] == [])
    token = ask(server, "POST", "/api/tokens", {"name": "ci", "role": "admin"}, Cookie=admin).json()
    ask(server, "PATCH", P + "/stock", {"name": "Stock"}, token=token["token"])
    calls = [(c["tool"], c["token"]) for c in ask(server, "GET", P + "/stock/calls?programs=true", Cookie=admin).json()["calls"]]
    check("a call with a token is one of a program", calls == [("rename_project", token["id"])], calls)
    r = ask(server, "DELETE", P + "/stock", Cookie=admin)
    left = [p["id"] for p in ask(server, "GET", P, Cookie=admin).json()["projects"]]
    check("it is removed", r.status == 204 and "stock" not in left and "shop" in left, left)
    check("and may be made again", ask(server, "POST", P, {"id": "stock"}, Cookie=admin).json()["name"] == "stock")
    ask(server, "DELETE", P + "/stock", Cookie=admin)
    html = ask(server, "GET", "/nothing", Accept="text/html,*/*;q=0.8")
    check("a browser at a wrong address gets the page, as 404", (html.status, html.headers["content-type"].split(";")[0]) in ((404, "text/html"), (404, "application/json")), html.headers)
    check("not below /api", ask(server, "GET", "/api/nothing", Accept="text/html").headers["content-type"] == "application/problem+json")


def managing(server, store, model, admin, ann):
    got = [ask(server, m, p, b, Cookie=ann).status for m, p, b in (
        ("GET", "/api/users", None), ("POST", "/api/users", {"name": "x"}), ("PATCH", "/api/users/ann", {"superuser": True}),
        ("DELETE", "/api/users/admin", None), ("POST", "/api/users/admin/link", {}),
        ("PUT", "/api/projects/shop/members/ann", {"role": "admin"}), ("DELETE", "/api/projects/shop/members/ann", None),
        ("PUT", "/api/projects/nowhere/members/ann", {"role": "admin"}))]
    check("who is no superuser and no admin manages nobody", got == [403] * 7 + [404], got)
    got = [ask(server, m, p, b, Cookie=admin).status for m, p, b in (
        ("PATCH", "/api/users/admin", {"superuser": False}), ("PATCH", "/api/users/admin", {"active": False}),
        ("DELETE", "/api/users/admin", None), ("PUT", "/api/projects/shop/members/ann", {"role": "king"}),
        ("DELETE", "/api/projects/shop/members/nobody", None), ("DELETE", "/api/users/nobody", None),
        ("POST", "/api/users", {"name": ""}), ("POST", "/api/users", {"name": "a\nb"}))]
    check("the last superuser stays; wrong names and roles are refused", got == [409, 409, 409, 400, 404, 404, 400, 400], got)
    ask(server, "PUT", "/api/projects/shop/members/ann", {"role": "admin"}, Cookie=admin)
    got = [ask(server, m, p, b, Cookie=ann).status for m, p, b in (
        ("PUT", "/api/projects/shop/members/bob", {"role": "viewer"}), ("PUT", "/api/projects/shop/members/ann", {"role": "viewer"}))]
    check("an admin of a project manages its members, and the last one stays", got == [204, 409], got)
    r = ask(server, "POST", "/api/tokens", {"name": "ci", "role": "analyst", "projects": ["shop"], "scopes": ["sql"], "expires_days": 1}, Cookie=ann)
    made = json.loads(r.r.read())
    token = made.get("token", "")
    check("a person makes tokens", r.status == 201 and ask(server, "GET", "/api/auth/me", token=token).json()["by"] == "token", made)
    got = [ask(server, "POST", "/api/tokens", b, Cookie=ann).status for b in (
        {"role": "king"}, {"projects": ["nowhere"]}, {"projects": "shop"}, {"scopes": ["all"]}, {"expires_days": -1})]
    check("not beyond what the person may do", got == [400, 403, 400, 400, 400], got)
    check("a token makes none", ask(server, "POST", "/api/tokens", {}, token=token).status == 403)
    listed = ask(server, "GET", "/api/tokens", Cookie=ann).json()["tokens"]
    check("the list shows no secret", [t["name"] for t in listed] == ["ci"] and "token" not in listed[0], listed)
    got = [ask(server, "DELETE", "/api/tokens/%s" % made["id"], Cookie=c).status for c in (cookie_of(login(server, "nobody", "x")), ann)]
    check("one's own are revoked, at once", got[1] == 204 and ask(server, "GET", "/api/auth/me", token=token).status == 401, got)
    argus(store, model, "user", "disable", "ann")
    got = [ask(server, "GET", "/api/auth/me", Cookie=ann).status, login(server, "ann", PASSWORD + "3").status]
    check("a disabled account is out at once", got == [401, 401], got)
    argus(store, model, "user", "enable", "ann")
    check("and in again later", ask(server, "GET", "/api/auth/me", Cookie=ann).status == 200)


def limits(store, model):
    serve.MORE.update({"ARGUS_MAX_LOGIN_FAILURES": "3", "ARGUS_MAX_REQUESTS_PER_MINUTE": "10", "ARGUS_MAX_ANONYMOUS_PER_MINUTE": "20",
                       "ARGUS_LOGIN_WAIT": "8"})
    a, b = Server(store, model), Server(store, model)
    got = [login(s, "ann", "wrong").status for s in (a, b, a, b)]
    r = login(a, "ann", PASSWORD + "3")
    check("failed logins are counted in every process", got == [401, 401, 401, 429] and r.status == 429, (got, r.status))
    check("and it is said for how long", 1 <= int(r.headers["retry-after"]) <= 8 and r.headers["x-ratelimit-limit"] == "3", r.headers)
    time.sleep(int(r.headers["retry-after"]))
    ann = cookie_of(login(a, "ann", PASSWORD + "3"))
    check("a login is tried again when that is over", bool(ann))
    got = [login(a, "ann", "wrong").status for _ in range(2)] + [login(a, "ann", PASSWORD + "3").status] + [login(a, "ann", "wrong").status for _ in range(3)]
    check("a login that succeeds resets the count", got == [401, 401, 200, 401, 401, 401], got)
    got = [ask(b, "GET", "/api/threads", Cookie=ann).status for _ in range(12)]
    r = ask(b, "GET", "/api/auth/me", Cookie=ann)
    check("so are a user's requests", got == [200] * 10 + [429] * 2 and r.status == 429 and r.headers["x-ratelimit-remaining"] == "0", got)
    check("not those of questions", stream_of(b, "beyond", Cookie=ann)[0] == 200)
    got = [setup(b, "x", PASSWORD).status for _ in range(22)]
    check("and those of an address", got.count(429) >= 2 and got[0] == 403 and got[-1] == 429, got)
    check("a probe is never refused", ask(b, "GET", "/healthz").status == 200)
    a.stop()
    b.stop()


def proxied(store, model):
    serve.MORE.update({"ARGUS_MAX_REQUESTS_PER_MINUTE": "none", "ARGUS_MAX_ANONYMOUS_PER_MINUTE": "none"})
    a, b = Server(store, model, "--proxy-header", "X-Forwarded-User"), Server(store, model)
    me = ask(a, "GET", "/api/auth/me", X_Forwarded_User="ann").json()
    check("a proxy names the user", me.get("user") == "ann" and me["by"] == "proxy", me)
    check("who must not be disabled, and is not believed from others", [
        ask(b, "GET", "/api/auth/me", X_Forwarded_User="ann").status, ask(a, "GET", "/api/auth/me").status] == [401, 401])
    check("a page of another site comes through the proxy as well", ask(a, "POST", "/api/users", '{"name":"x"}', X_Forwarded_User="admin",
                                                                       Content_Type="text/plain").status == 415)
    a.stop()
    b.stop()
    serve.MORE.clear()
    c = Server(store, model, "--no-auth")
    check("without logins there is nothing to log in to", login(c, "admin", PASSWORD).status == 409)
    check("and nobody manages accounts", ask(c, "GET", "/api/users").status == 403)
    c.stop()


def on(name, store, model):
    print("# " + name)
    for project in ("shop", "secret"):
        argus(store, model, "project", "add", project, "--source", "sqlite:%s/shop.db" % DIR)
    server, admin = first_start(store, model)
    ann = sessions(server, store, model, admin)
    sites(server, admin)
    unknown(server)
    projects(server, admin, ann)
    managing(server, store, model, admin, ann)
    check("no password and no session is in what it said", PASSWORD not in server.said() and admin.split("=")[1] not in server.said())
    check("it ends with 0", server.stop() == 0, server.said())
    limits(store, model)
    proxied(store, model)


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
