#!/usr/bin/env python3
"""Run what a report prints: usage: shop_commands.py SOURCE FOLDER.

Every finding's `argus query` command, as the text report prints it, and its evidence in the shell's form (as a bare
filter or pipeline, and as the whole statement) must give exactly the finding's affected_count. FOLDER is for
temporary files; with SOURCE "typed" a collection with dates, ObjectIds and broken texts is written there first, and with SOURCE
"write" it is only written.
"""
import json
import os
import shlex
import subprocess
import sys

ARGUS = os.environ["ARGUS"]
SHOP = "examples/shop"


def typed(folder):
    """A collection whose evidence needs $oid, $date and $regex."""
    path = os.path.join(folder, "visits.ndjson")
    with open(path, "w", encoding="utf-8") as f:
        for i in range(400):
            oid = {"$oid": f"{0x665f00000000000000000000 + i:024x}"}
            at = {"$date": f"2025-0{1 + i % 6}-{1 + i % 28:02d}T{i % 24:02d}:{i % 60:02d}:07Z"}
            row = {"_id": oid, "user": {"$oid": f"{0xa1 * (1 + i % 37):024x}"}, "at": at,
                   "total": {"$numberDecimal": f"{10 + i % 90}.25"}, "n": {"$numberLong": str(5 + i % 20)},
                   "mail": f"user{i}@example.com", "city": ["Berlin", "Paris", "Lyon"][i % 3]}
            if i % 40 == 3:
                row["at"] = {"$date": "1970-01-01T00:00:00Z"}
            if i % 50 == 7:
                row["user"] = None
            if i % 45 == 5:
                row["mail"] = f"user{i}.example.com"
            if i % 60 == 11:
                row["city"] = "M\u00c3\u00bcnchen"
            if i % 80 == 13:
                row["n"] = "many"
            if i % 90 == 17:
                row["at"] = "2025-03-05"
            f.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def argus(*args):
    env = dict(os.environ, ARGUS_AS_OF="2025-07-01", ARGUS_STORE="memory:")
    r = subprocess.run([ARGUS, *args], env=env, capture_output=True, text=True, check=False)
    return r.returncode, r.stdout, r.stderr


def count(uri, query):
    """The number of documents that a filter or pipeline gives, or the error."""
    code, out, err = argus("query", uri, query, "--output", "json", "--limit", "2")
    if code:
        return err.strip()
    got = json.loads(out)
    if got["matched"] is not None:
        return got["matched"]
    if not got["documents"]:
        return 0
    one = got["documents"][0]
    return next((one[k] for k in ("documents", "n", "count") if k in one), "no count")


def main():
    source, folder = sys.argv[1:]
    if source in ("typed", "write"):
        path = typed(folder)
        if source == "write":
            return 0
        source = path
    bad = 0
    _, out, err = argus("audit", source, "--output", "json")
    whole = json.loads(out) if out else sys.exit("no report: " + err)
    want = {}
    shells = 0
    for report in whole.get("reports", [whole]):
        uri, coll = report["source"]["uri"], report["collection"]
        for f in report["findings"]:
            n = f["affected_count"]
            want[uri, f["evidence_query"]] = n
            shell = f["evidence_shell"]
            text = shell.get("filter") or shell.get("pipeline")
            if not text:
                continue
            verb = "countDocuments" if "filter" in shell else "aggregate"
            # How the forms are read does not depend on where the documents are.
            forms = (text, f'db.{coll}.{verb}({text})', f'db.getCollection("{coll}").{verb}({text});')
            for form in forms[1:2] if uri.startswith("mongodb://") else forms:
                shells += 1
                got = count(uri, form)
                if got != n:
                    print(f"  {uri}: {form}: {got}, the finding has {n}")
                    bad += 1
    code, out, _ = argus("audit", source, "--details", "--output", "text")
    commands = 0
    for line in out.splitlines():
        if not line.strip().startswith("argus query "):
            continue
        words = shlex.split(line)
        commands += 1
        got, n = count(words[2], words[3]), want.get((words[2], words[3]), "no finding")
        if got != n:
            print(f"  {line.strip()}: {got}, the finding has {n}")
            bad += 1
    print(f"  {len(want)} findings, {commands} commands, {shells} shell forms")
    if not commands or not shells:
        print(f"  nothing was run (exit code {code})")
        bad += 1
    return 1 if bad else 0


sys.exit(main())
