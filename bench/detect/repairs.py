"""Are the repairs of an audit right? `argus audit --repairs` against the clean twin.

A repair is right when its value is the one that the cell has in the clean twin. Documents that the damage added have
no clean value and do not count. A repair of a cell that was not damaged is wrong.
"""
import collections
import datetime
import json


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def at(doc, path):
    for name in path.split("."):
        if isinstance(doc, list):
            doc = doc[int(name)] if name.isdigit() and int(name) < len(doc) else None
        else:
            doc = doc.get(name) if isinstance(doc, dict) else None
    return doc


def moment(v):
    """A date as milliseconds; both forms of extended JSON."""
    v = v["$date"]
    if isinstance(v, dict):
        return int(v["$numberLong"])
    at = datetime.datetime.strptime(v, "%Y-%m-%dT%H:%M:%SZ") - datetime.datetime(1970, 1, 1)
    return at // datetime.timedelta(milliseconds=1)


def plain(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict) and set(a) == set(b) == {"$date"}:
        return moment(a) == moment(b)
    return a == b and (type(a) is type(b) or plain(a) and plain(b))


class Tally:
    """Flagged cells, repairs and right ones, by category and by what was done."""

    def __init__(self):
        self.category = collections.defaultdict(lambda: [0, 0, 0])
        self.how = collections.defaultdict(lambda: [0, 0, 0])
        self.wrong = []

    def add(self, main, clean, text_of, cells, repairs):
        """text_of: how the file writes a value, None where it keeps types."""
        for c in lines(cells):
            if c["collection"] == main and c["row"] < len(clean):
                self.category[c["category"]][0] += 1
        for r in lines(repairs):
            if r["collection"] != main or r["row"] >= len(clean):
                continue
            want = at(clean[r["row"]], r.get("path") or r["field"])
            if text_of:
                want = text_of(want)
            right = same(r["repair"], want)
            for n in self.category[r["category"]], self.how[r["how"]]:
                n[1] += 1
                n[2] += right
            if not right:
                self.wrong.append((r, want))


def share(a, b):
    return "%6.4f" % (a / b) if b else "     -"


def print_tally(tally, show_wrong):
    print("\n%-58s %9s %9s %7s %9s" % ("repairs", "cells", "repairs", "share", "precision"))
    for name, table in ("category", tally.category), ("what is done", tally.how):
        for key, (cells, repairs, right) in sorted(table.items()):
            if repairs:
                print("%-58s %9s %9d %7s %9s" % (key, cells or "", repairs, share(repairs, cells), share(right, repairs)))
    cells, repairs, right = (sum(n[i] for n in tally.category.values()) for i in range(3))
    print("%-58s %9d %9d %7s %9s" % ("all", cells, repairs, share(repairs, cells), share(right, repairs)))
    for r, want in tally.wrong if show_wrong else ():
        print("wrong: %s row %d %s %s: %r -> %r, clean %r (%s)" % (
            r["file"].rsplit("/", 3)[1], r["row"], r.get("path") or r["field"], r["category"], r["value"], r["repair"],
            want, r["how"]))
