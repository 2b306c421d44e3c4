#!/usr/bin/env python3
"""PDFs of argus serve: reports and artifacts of every kind are printed with their text; the browser has no network and leaves nothing;
without Chromium the refusal says so."""
import http.server
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

ROOT, DIR = sys.argv[1:3]
ARGUS = os.environ["ARGUS"]
BAD = []


def check(name, ok, why=""):
    print(("ok - " if ok else "not ok - ") + name)
    if not ok:
        BAD.append(name)
        print("  " + str(why)[:900])
    sys.stdout.flush()


class Server:
    def __init__(self, path):
        env = {"PATH": path, "HOME": DIR, "XDG_STATE_HOME": DIR + "/state", "TMPDIR": DIR + "/tmp", "LANG": "C.UTF-8", "ARGUS_LOG_LEVEL": "warn",
               "MAX_QUERIES_PER_MINUTE": "100000", "ARGUS_MAX_REQUESTS_PER_MINUTE": "none", "ARGUS_MAX_ANONYMOUS_PER_MINUTE": "none"}
        self.err = open(DIR + "/err", "w+", encoding="utf-8")
        self.p = subprocess.Popen([ARGUS, "serve", "--no-auth", "--port", "0", "--config", DIR + "/argus.yaml"], env=env, stderr=self.err, stdout=self.err)
        for _ in range(400):
            m = re.search(r"^listening on (\S+)", self.said(), re.M)
            if m:
                self.url = m.group(1)
                return
            time.sleep(0.05)
        raise SystemExit("it does not listen: " + self.said())

    def said(self):
        with open(DIR + "/err", encoding="utf-8") as f:
            return f.read()

    def ask(self, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        rq = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(rq, timeout=120) as r:
                return r.status, r.headers["Content-Type"], r.read()
        except urllib.error.HTTPError as e:
            return e.code, e.headers["Content-Type"], e.read()

    def call(self, name, **arguments):
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        _, _, text = self.ask("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": meta}},
                              **{"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name})
        return json.loads(text)["result"]["structuredContent"]

    def stop(self):
        self.p.terminate()
        return self.p.wait(60)


def text_of(pdf):
    with open(DIR + "/one.pdf", "wb") as f:
        f.write(pdf)
    return subprocess.run(["pdftotext", "-layout", DIR + "/one.pdf", "-"], capture_output=True, text=True, check=False).stdout


def artifact(server, kind, code, **more):
    made = server.call("create_artifact", project_id="shop", title="The title of " + kind, artifact_type=kind, code=code, **more)
    return made["data"]["artifact_id"]


def printed(server, kind, code, **more):
    status, mime, pdf = server.ask("/api/projects/shop/artifacts/%s/export?as=pdf" % artifact(server, kind, code, **more))
    return status, mime, text_of(pdf) if status == 200 and pdf.startswith(b"%PDF-") else pdf.decode(errors="replace")


def left():
    return [n for n in os.listdir(DIR + "/tmp") if n.startswith("argus-print")]


def kinds(server, outside):
    rows = [{"name": "months", "sql": "SELECT 'May of 2024' AS month, sum(total) AS total FROM orders"}]
    spec = json.dumps({"data": [{"type": "bar", "x": "{{months.month}}", "y": "{{months.total}}"}], "layout": {"title": {"text": "Orders on paper"}}})
    jsx = "export default function App({ data }) { return <ul>{data.months.map(m => <li key={m.month}>{m.month}: {m.total} crowns</li>)}</ul> }"
    bad = "export default function App() { throw new Error('no rows came') }"
    for kind, code, words in (("markdown", "# A heading\n\nSome **bold** words.", ["A heading", "Some bold words."]),
                              ("html", "<h1>A heading</h1><p>Some words <script>no script</script></p>", ["A heading", "Some words"]),
                              ("svg", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 40"><text y="20">Drawn words</text></svg>', ["Drawn words"])):
        status, mime, text = printed(server, kind, code)
        check("%s is printed with its text" % kind, status == 200 and mime == "application/pdf" and all(w in text for w in words) and "no script" not in text, (status, text))
    for kind, code, words in (("plotly", spec, ["The title of plotly", "Orders on paper", "May of 2024"]), ("react", jsx, ["The title of react", "May of 2024: 60 crowns"])):
        status, mime, text = printed(server, kind, code, source_queries=rows)
        check("%s is drawn, then printed, with the rows of its query" % kind, status == 200 and all(w in text for w in words), (status, text))
    status, _, text = printed(server, "react", bad)
    check("an error of its code is on the paper", status == 200 and "cannot be drawn: Error: no rows came" in text, (status, text))
    leads = "export default function App() { React.useEffect(() => { fetch('%s/a').catch(() => {}); location.href = '%s/b'; new Image().src = '%s/c' }, []); return <p>stays</p> }"
    printed(server, "react", leads % (outside, outside, outside))


def main():
    # The browser of a server that root runs is nobody.
    os.chmod(DIR, 0o755)
    os.mkdir(DIR + "/tmp")
    db = sqlite3.connect(DIR + "/data.db")
    db.execute("create table orders (id integer primary key, total integer)")
    db.executemany("insert into orders (total) values (?)", [(10,), (20,), (30,)])
    db.commit()
    db.close()
    with open(DIR + "/argus.yaml", "w", encoding="utf-8") as f:
        f.write("store: %s/store.db\nprojects:\n  shop:\n    source: sqlite:%s/data.db\n    documents: %s/examples/shop\n" % (DIR, DIR, ROOT))
    heard = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass
    out = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=out.serve_forever, daemon=True).start()
    outside = "http://127.0.0.1:%d" % out.server_address[1]
    server = Server(os.environ["PATH"])
    kinds(server, outside)
    check("nothing of it asked another server", not heard, heard)
    status, _, begun = server.ask("/api/audits", {"project": "shop", "collection": "products"}, **{"Idempotency-Key": "print-1"})
    ident = json.loads(begun)["audits"][0]["id"]
    check("an audit begins", status == 202, begun)
    for _ in range(600):
        if json.loads(server.ask("/api/audits/%s?project=shop" % ident)[2]).get("status") in ("ok", "partial", "failed"):
            break
        time.sleep(0.1)
    report = json.loads(server.ask("/api/audits/%s/report?project=shop" % ident)[2])
    status, mime, pdf = server.ask("/api/audits/%s/export?as=pdf&project=shop" % ident)
    text = text_of(pdf) if pdf.startswith(b"%PDF-") else pdf.decode()
    check("a report is printed: verdict, findings, fields", status == 200 and mime == "application/pdf" and "Data quality" in text and "products" in text and
          report["findings"] and report["findings"][0]["field"] in text, (status, text[:600]))
    many = [threading.Thread(target=lambda: got.append(server.ask("/api/audits/%s/export?as=pdf&project=shop" % ident)[0])) for _ in range(5)]
    got = []
    for t in many:
        t.start()
    for t in many:
        t.join()
    check("two are printed at once, the others have to wait", sorted(set(got)) == [200, 503] and 2 <= got.count(200), got)
    check("nothing of it is left in the folder for temporary files", not left(), left())
    os.chmod(DIR + "/tmp", 0o700)
    status, _, text = printed(server, "markdown", "# Behind a closed door")
    os.chmod(DIR + "/tmp", 0o755)
    check("a folder for temporary files that only its owner may enter does no harm", status == 200 and "Behind a closed door" in text, (status, text))
    check("it ends with 0", server.stop() == 0, server.said())
    bare = DIR + "/bin"
    os.mkdir(bare)
    server = Server(bare)
    status, mime, text = server.ask("/api/audits/%s/export?as=pdf&project=shop" % ident)
    check("without Chromium the refusal says so", status == 503 and mime == "application/problem+json" and b"needs Chromium, which is not installed" in text, (status, text))
    status, _, text = printed(server, "markdown", "# x")
    check("of an artifact, too", status == 503 and "needs Chromium" in text, (status, text))
    with open(bare + "/chromium", "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\necho it is broken >&2\nexit 3\n")
    os.chmod(bare + "/chromium", 0o755)
    status, _, text = printed(server, "markdown", "# x")
    check("one that does not work is named, and its words are in the log", status == 503 and "did not print" in text and "it is broken" in server.said(), (status, text, server.said()[-300:]))
    probe = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else shutil.which("python3")
    with open(bare + "/chromium", "w", encoding="utf-8") as f:
        f.write("#!%s\nimport os, socket, sys\nto = [a for a in sys.argv if a.startswith('--print-to-pdf=')][0].split('=', 1)[1]\nsaid = [str(os.getuid())]\n"
                "for kind in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_UNIX):\n    try:\n        socket.socket(kind, socket.SOCK_STREAM if kind != socket.AF_NETLINK else socket.SOCK_RAW)\n        said.append('open')\n"
                "    except OSError as e:\n        said.append(e.strerror)\nsaid.append(' '.join(sorted(os.environ)))\nopen(to, 'w').write('%%PDF-' + '|'.join(said))\n" % probe)
    status, _, pdf = server.ask("/api/projects/shop/artifacts/%s/export?as=pdf" % artifact(server, "markdown", "# x"))
    user, v4, v6, netlink, unix, names = (pdf.decode().replace("%PDF-", "") + "|" * 6).split("|")[:6]
    check("the child may open no socket of the network", (status, v4, v6, netlink, unix) == (200, "Permission denied", "Permission denied", "Permission denied", "open"), (status, pdf))
    check("it is not root, and has no variables of the server", user != "0" and set(names.split()) - {"LC_CTYPE"} == {"HOME", "LANG", "PATH", "TMPDIR"}, pdf)
    check("it ends with 0", server.stop() == 0, server.said())
    return 1 if BAD else 0


if __name__ == "__main__":
    sys.exit(main())
