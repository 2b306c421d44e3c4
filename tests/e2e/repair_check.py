#!/usr/bin/env python3
"""Checks of tests/e2e/repair.sh.

    repair_check.py cells REPORT CELLS REPAIRS     the cells of each finding are the documents that it counts
    repair_check.py same CELLS CELLS               the same cells, apart from ids of findings
    repair_check.py hostile                        writes hostile.ndjson and hostile.csv
    repair_check.py copy FILE COPY REPAIRS         the copy differs in repaired cells only, and in nothing else of a byte
    repair_check.py sql FILE COPY SCRIPT TABLE     SQLite holds the copy after the script ran
    repair_check.py documents FILE APPLIED REPAIRS the documents after the script for mongosh ran (repair_apply.mjs)
"""
import csv
import io
import json
import sqlite3
import sys

HOSTILE = ["it's", 'say "so"', "back\\slash", "a;b,c", "'; DROP TABLE t; --", "line\nbreak", "tick`tick", "$where", "{{x}}",
           "\u2028next", "*/ // --", "\u0627\u0644"]


def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def check_cells(report, cells, repairs):
    report, cells, repairs = json.load(open(report, encoding="utf-8")), lines(cells), lines(repairs)
    findings = {f["id"]: f for f in report["findings"]}
    order = [f["id"] for f in report["findings"]]
    assert cells and repairs
    for f in findings.values():
        own = [c for c in cells if c["finding"] == f["id"]]
        rows = {c["row"] for c in own}
        assert len(rows) == f["affected_count"], (f["field"], f["category"], len(rows), f["affected_count"])
        assert all(c["field"] == f["field"] and c["category"] == f["category"] for c in own)
    at = [(order.index(c["finding"]), c["row"]) for c in cells]
    assert at == sorted(at), "not in order"
    known = {(c["finding"], c["row"], c.get("path")) for c in cells}
    for r in repairs:
        assert (r["finding"], r["row"], r.get("path")) in known, r
        assert r["repair"] != r["value"] and r["how"], r
    print(len(cells), "cells,", len(repairs), "repairs")


def check_same(a, b):
    a, b = lines(a), lines(b)
    for line in a + b:
        del line["finding"]
    assert a == b and a


def make_hostile():
    """Blanks at the ends of hostile texts, in fields with hostile names, beside good ones."""
    names = ["it's", 'say "so"', "semi;colon", "back\\slash", "__proto__", "tick`tick", "Stadt \u00fc", "two\nlines", "b.c", "$d"]
    docs = []
    for i in range(240):
        doc = {"_id": i, "id": "k%03d" % i}
        for k, name in enumerate(names):
            text = HOSTILE[(i + k) % len(HOSTILE)]
            doc[name] = text + "  " if i % 40 == k else text
        docs.append(doc)
    with open("hostile.ndjson", "w", encoding="utf-8") as f:
        f.writelines(json.dumps(d) + "\n" for d in docs)
    out = io.StringIO()
    w = csv.writer(out, delimiter=";", lineterminator="\r\n")
    w.writerow(["id"] + names)
    w.writerows([d["id"]] + [d[n] for n in names] for d in docs)
    text = "\ufeff" + out.getvalue()
    # A broken record, an empty line, a quoted cell that needs no quotes, and no line end at the end of the file.
    text = text.replace("k007;", 'x";"broken"x\r\n\r\n"k007";').rstrip("\r\n")
    with open("hostile.csv", "w", encoding="utf-8", newline="") as f:
        f.write(text)


def records(path):
    """(header, the readable records), as Argus counts them."""
    text = open(path, encoding="utf-8-sig", newline="").read()
    first = text.split("\n", 1)[0]
    rows = list(csv.reader(io.StringIO(text), delimiter=max(",;\t|", key=first.count)))
    return rows[0], [r for r in rows[1:] if len(r) == len(rows[0])]


def check_copy(original, copy, repairs):
    head, old = records(original)
    head2, new = records(copy)
    assert head == head2 and len(old) == len(new)
    want = {}
    for r in lines(repairs):
        want.setdefault((r["row"], r["field"].strip("`").replace("``", "`")), set()).add((r["value"], r["repair"]))
    changed = {}
    for i, (a, b) in enumerate(zip(old, new)):
        for k, name in enumerate(head):
            if a[k] != b[k]:
                changed[i, name] = (a[k], b[k])
    assert changed
    for place, pair in changed.items():
        assert pair in want[place], (place, pair, want.get(place))
    for place, pairs in want.items():   # a repair is left out only where findings disagree
        assert place in changed or len(pairs) > 1, (place, pairs)
    # Put back the old texts into the copy: then it is the original, byte for byte.
    a, b = open(original, "rb").read(), open(copy, "rb").read()
    for (row, name), (before, after) in changed.items():
        assert before.encode() in a
    keep = a.count(b"\r\n"), a.count(b"\n"), a[:3], a.count(b'"'), a[-1:]
    assert keep == (b.count(b"\r\n"), b.count(b"\n"), b[:3], b.count(b'"'), b[-1:]), "line ends, mark or quotes"
    print(len(changed), "cells")


def check_sql(original, copy, script, table):
    quote = lambda s: '"' + s.replace('"', '""') + '"'
    head, old = records(original)
    _, new = records(copy)
    db = sqlite3.connect(":memory:")
    db.execute("create table %s (%s)" % (quote(table), ", ".join(quote(h) + " TEXT" for h in head)))
    db.executemany("insert into %s values (%s)" % (quote(table), ",".join("?" * len(head))), old)
    text = open(script, encoding="utf-8", newline="").read()
    db.executescript(text)
    assert [list(r) for r in db.execute("select * from %s order by rowid" % quote(table))] == new
    assert db.total_changes > len(old)
    before = db.total_changes
    db.executescript(text)   # again: the old values are gone, so nothing happens
    assert db.total_changes == before


def at(doc, path):
    for name in path.split("."):
        doc = doc[int(name)] if isinstance(doc, list) else doc[name]
    return doc


def documents(path):
    text = open(path, encoding="utf-8").read()
    if text.startswith("["):
        return json.loads(text)
    out = []
    for line in text.split("\n"):
        try:
            out.append(json.loads(line))
        except ValueError:      # a broken line is no document
            continue
    return out


def check_documents(original, applied, repairs):
    old, new = documents(original), documents(applied)
    want = {}
    for r in lines(repairs):
        path = r.get("path") or r["field"].strip("`").replace("``", "`")
        want.setdefault((r["row"], path), []).append(r["repair"])
    n = 0
    for (row, path), values in want.items():
        if "." in path and path in new[row] or path.startswith("$"):
            continue            # no update can name it
        got = at(new[row], path)
        if got == at(old[row], path):
            assert any(v != values[0] for v in values), (row, path, values)
            continue
        assert all(v == got for v in values), (row, path, got, values)
        n += 1
    same = sum(a == b for a, b in zip(old, new))
    assert n and same == len(old) - len({row for row, _ in want if old[row] != new[row]})
    print(n, "values")


if __name__ == "__main__":
    {"cells": check_cells, "same": check_same, "hostile": make_hostile, "copy": check_copy, "sql": check_sql,
     "documents": check_documents}[sys.argv[1]](*sys.argv[2:])
