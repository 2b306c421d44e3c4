"""For mongo_same.sh and mongo_engine_suites.sh: each command on the files of a folder and on the same collections of a server, and
what differs.

usage: mongo_same.py ARGUS FOLDER URI [engine]      Prints a line per case; exit 1 when one is not ok.

engine: the server gives documents in an order of its own, and adds numbers up in one of its own. So of a query that neither sorts
nor gives all its documents the counts are compared, examples of values are not compared, and averages to 12 digits.
"""
import json
import os
import subprocess
import sys

ARGUS, FOLDER, URI = sys.argv[1:4]
ENGINE = sys.argv[4:] == ["engine"]
FILES = {"orders": "orders.ndjson", "customers": "customers.json"}
QUERIES = [
    "{}", '{"status": "paid"}', '{"total": {"$lt": 10}, "status": {"$in": ["paid", "shipped"]}}',
    '{"items": {"$elemMatch": {"qty": {"$gt": 5}}}}', '{"items": {"$size": 2}}', '{"shipping.cost": {"$type": "string"}}',
    '{"$or": [{"coupon": {"$exists": true}}, {"comment": {"$regex": "present", "$options": "i"}}]}',
    '{"shipping.address.country": {"$nin": ["DE", "ES"]}}',
    '{"created_at": {"$gte": ISODate("2024-01-01"), "$lt": ISODate("2024-02-01")}}',
    "db.orders.find({status: /^ship/i}, {order_no: 1, total: 1}).sort({total: -1, order_no: 1}).limit(5)",
    "db.orders.find({}, {_id: 0, order_no: 1}).sort({order_no: 1}).skip(10).limit(3)",
    'db.orders.countDocuments({status: "paid"})', "db.orders.findOne({total: {$gt: 100}})",
    '[{"$match": {"status": "paid"}}, {"$count": "n"}]',
    '[{"$group": {"_id": "$status", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]',
    '[{"$unwind": "$items"}, {"$group": {"_id": null, "most": {"$max": "$items.qty"}}}]']
CALLS = [
    ("run_query", {"filter": {"status": "paid"}, "limit": 3}), ("run_query", {"filter": {"total": {"$lt": 10}}, "limit": 2}),
    ("get_stats", {"field": "total", "operation": "avg"}), ("get_stats", {"field": "status", "operation": "distinct"}),
    ("get_stats", {"field": "shipping.weight_kg", "operation": "min"}), ("get_stats", {"field": "coupon", "operation": "count"}),
    ("aggregate", {"pipeline": [{"$group": {"_id": "$type", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]}),
    ("schema_sample", {"sample_size": 5400})]
# Where a document is, and what the file or the server is.
PLACES = {"where", "source", "source_uri", "uri", "key", "id", "run_id", "format", "bytes", "modified_at", "content_hash", "database"}
BAD = []


def case(name, ok, why=""):
    print("%s - %s" % ("ok" if ok else "not ok", name))
    if not ok:
        BAD.append(name)
        print("  " + str(why)[:600])


def run(*argv):
    r = subprocess.run([ARGUS] + list(argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return r.returncode, r.stdout, r.stderr


def without_places(v):
    if isinstance(v, dict):
        return {k: without_places(x) for k, x in v.items() if k not in PLACES}
    return [without_places(x) for x in v] if isinstance(v, list) else v


def difference(a, b, path="$"):
    """The first place where they differ; None = nowhere."""
    if isinstance(a, dict) and isinstance(b, dict):
        for k in sorted(set(a) | set(b)):
            if k not in a or k not in b:
                return "%s.%s is in one only" % (path, k)
            d = difference(a[k], b[k], "%s.%s" % (path, k))
            if d:
                return d
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            d = difference(x, y, "%s[%d]" % (path, i))
            if d:
                return d
        return None
    return None if a == b else "%s: %.200s and %.200s" % (path, a, b)


def without_order(v):
    """Of an engine: the same for each order of its documents."""
    if isinstance(v, float):
        return float("%.12g" % v)
    if isinstance(v, list):
        return [without_order(x) for x in v]
    if not isinstance(v, dict):
        return v
    v = {k: without_order(x) for k, x in v.items() if k != "sample_values"}
    docs = v.get("documents")
    if isinstance(docs, list) and "sort" not in str(v.get("query", "")) + str(v.get("sort", "")):
        v["documents"] = sorted(docs, key=json.dumps) if v.get("matched") == len(docs) else len(docs)
    return v


def same(name, one, two):
    if ENGINE:
        one, two = without_order(one), without_order(two)
    d = difference(without_places(one), without_places(two))
    case(name, d is None, d)


def places(c):
    return os.path.join(FOLDER, FILES[c]), "%s.%s" % (URI, c)


def both(name, c, *argv):
    """The command on both, as JSON."""
    got = []
    for at in places(c):
        code, out, err = run(*[at if a == "SOURCE" else a for a in argv], "--output", "json")
        if code:
            case("%s: %s" % (name, at), False, "exit %d: %s" % (code, err))
            return None
        got.append(json.loads(out))
    same(name, *got)
    return got


def queries():
    for q in QUERIES:
        both("query " + q[:60], "orders", "query", "SOURCE", q)


def audits(c):
    both("inspect " + c, c, "inspect", "SOURCE", "--details")
    found, lines = [], {}
    for i, at in enumerate(places(c)):
        store, report = "same%d.db" % i, "same%d.json" % i
        code, out, err = run("audit", at, "--store", store, "--output", "json", "--out", report)
        case("audit %s" % at, code == 0, err)
        found.append(json.load(open(report, encoding="utf-8")))
        for form in ("short", "csv", "markdown", "github", "junit", "sarif", "html"):
            code, out, err = run("show", "last", "--store", store, "--output", form)
            lines.setdefault(form, []).append(out.count("<testcase") if form == "junit" else out.count("\n"))
            case("%s as %s" % (at, form), code == 0 and out, err)
        code, out, err = run("verify", report)
        case("verify " + at, code == 0 and "confirmed" in out, out + err)
        code, out, err = run("audit", at, "--store", "memory:", "--baseline", report, "--fail-on", "low")
        case("%s: nothing is new beside its own report" % at, code == 0, out + err)
        code, out, err = run("export", "last", "--store", store, "--as", "jsonschema")
        lines.setdefault("export", []).append(out.count("\n"))
        case("export of " + at, code == 0 and out, err)
    by = [{(f["field"], f["category"]): (f["severity"], f["affected_count"], f["total_count"]) for f in r["findings"]} for r in found]
    case(c + ": the same findings", by[0] == by[1] and len(by[0]) > 3, difference(*[{str(k): v for k, v in x.items()} for x in by]))
    for form in ("short", "csv", "junit", "export"):
        case("%s: as many lines in %s" % (c, form), lines[form][0] == lines[form][1], lines[form])


def tools():
    with open("argus.yaml", "w", encoding="utf-8") as f:
        f.write("store: mcp.db\nprojects:\n  file:\n    documents: %s\n  server:\n    documents: %s\n" % (FOLDER, URI))
    p = subprocess.Popen([ARGUS, "mcp", "--config", "argus.yaml"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)

    def ask(method, params, number=None):
        p.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})}) + "\n")
        p.stdin.flush()
        while number is not None:
            answer = json.loads(p.stdout.readline())
            if answer.get("id") == number:
                return answer["result"]
        return None

    ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}, 0)
    ask("notifications/initialized", {})
    for n, (name, arguments) in enumerate(CALLS):
        got = [ask("tools/call", {"name": name, "arguments": dict(arguments, project_id=project, collection="orders")}, 2 * n + i + 1)
               for i, project in enumerate(("file", "server"))]
        if any(g.get("isError") for g in got):
            case("MCP: " + name, False, got)
        else:
            same("MCP: %s %s" % (name, json.dumps(arguments)[:60]), *[json.loads(g["content"][0]["text"]) for g in got])
    p.stdin.close()
    p.wait()


queries()
audits("orders")
audits("customers")
tools()
sys.exit(bool(BAD))
