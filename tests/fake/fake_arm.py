#!/usr/bin/env python3
"""A scripted Azure Resource Manager, and the identity endpoints that give tokens for it. Loopback only.

usage: fake_arm.py PORT-FILE RECORD SCRIPT

SCRIPT is JSON: {"token": "T", "page": 2, "busy": 1, "next": "https://elsewhere/…", "subscriptions": [{"id": "s1", "status": 403,
"accounts": [{"name": "shop", "group": "g", "cluster": false, "strings": [["Primary MongoDB Connection String", "mongodb://…"]]}]}]}
page: items of one page of a list; busy: so many answers 429 before the first of any other; next: a link instead of the usual
one. RECORD gets a line for each request: method, path, and who asked ("token", "other", "none").
"""
import http.server
import json
import os
import sys
import urllib.parse

SCRIPT = json.load(open(sys.argv[3], encoding="utf-8"))
STATE = {"busy": SCRIPT.get("busy", 0)}
PROVIDER = "providers/Microsoft.DocumentDB"


def account_id(sub, a):
    kind = "mongoClusters" if a.get("cluster") else "databaseAccounts"
    return "/subscriptions/%s/resourceGroups/%s/%s/%s/%s" % (sub["id"], a.get("group", "g"), PROVIDER, kind, a["name"])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, value, headers=()):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for k, v in headers:
            self.send_header(k, v)
        self.end_headers()
        self.wfile.write(body)

    def note(self):
        auth = self.headers.get("Authorization")
        who = "none" if not auth else "token" if auth == "Bearer " + SCRIPT["token"] else "other"
        with open(sys.argv[2], "a", encoding="utf-8") as f:
            f.write("%s %s %s\n" % (self.command, urllib.parse.unquote(self.path), who))
        return who

    def page(self, items):
        """{"value": […], "nextLink": …}"""
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        at, size = int(query.get("$skiptoken", ["0"])[0]), SCRIPT.get("page", 1000)
        answer = {"value": items[at:at + size]}
        if at + size < len(items):
            base = "http://127.0.0.1:%d%s" % (self.server.server_address[1], self.path.split("&$skiptoken")[0])
            answer["nextLink"] = SCRIPT.get("next") or "%s&$skiptoken=%d" % (base, at + size)
        self.say(200, answer)

    def identity(self, path):
        """Tokens: of an app, and of a virtual machine."""
        if path == "/msi":
            good = self.headers.get("X-IDENTITY-HEADER") == "app-secret"
        else:
            good = self.headers.get("Metadata") == "true"
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        if not good or query.get("resource") != ["https://management.azure.com/"]:
            self.say(400, {"error": "invalid_request", "error_description": "no identity for it"})
        else:
            self.say(200, {"access_token": SCRIPT["token"], "token_type": "Bearer", "expires_in": "3599"})

    def answer(self):
        path = urllib.parse.urlsplit(self.path).path
        who = self.note()
        if path in ("/msi", "/metadata/identity/oauth2/token"):
            return self.identity(path)
        if "raw" in SCRIPT:
            return self.say(200, SCRIPT["raw"].encode())
        if who != "token":
            return self.say(401, {"error": {"code": "InvalidAuthenticationToken", "message": "The access token is invalid."}})
        if STATE["busy"]:
            STATE["busy"] -= 1
            return self.say(429, {"error": {"code": "TooManyRequests", "message": "too fast"}}, [("Retry-After", "0")])
        if path == "/subscriptions":
            return self.page([{"subscriptionId": s["id"], "state": "Enabled"} for s in SCRIPT["subscriptions"]])
        for s in SCRIPT["subscriptions"]:
            if path == "/subscriptions/%s/resources" % s["id"]:
                if s.get("status"):
                    return self.say(s["status"], {"error": {"code": "AuthorizationFailed", "message": "not allowed here"}})
                return self.page([{"id": account_id(s, a), "name": a["name"], "location": "westeurope"} for a in s["accounts"]])
            for a in s.get("accounts", []):
                if self.command == "POST" and path == account_id(s, a) + "/listConnectionStrings":
                    if a.get("status"):
                        return self.say(a["status"], {"error": {"code": "AuthorizationFailed", "message": "no keys for you"}})
                    return self.say(200, {"connectionStrings": [{"description": d, "connectionString": c} for d, c in a["strings"]]})
        return self.say(404, {"error": {"code": "ResourceNotFound", "message": "there is no such resource"}})

    do_GET = do_POST = answer


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w", encoding="utf-8") as out:
    out.write("%d\n" % server.server_address[1])
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
