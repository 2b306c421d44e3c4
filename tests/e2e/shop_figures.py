#!/usr/bin/env python3
"""Recompute the distributions of a report from the data itself: counts, means, quantiles, histograms, frequent values; and
the marks from the documents that `argus query` gives for the evidence of each finding.

usage: shop_figures.py REPORTS FOLDER [URI]    REPORTS: argus audit --output json --show-values; ARGUS: the program; URI: of
                                               the database that was audited instead of the folder
       shop_figures.py inspect PROFILE FOLDER  PROFILE: argus inspect --output json --show-values
Prints one `ok - name` or `not ok - name` line per case.
"""

import bisect
import json
import math
import os
import re
import subprocess
import sys
from datetime import datetime, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
ISO = re.compile(r"^\d{4}-\d\d-\d\d([T ][0-9:.]+(Z|[+-]\d\d:?\d\d)?)?$")
QUANTILES = {"p0_1": 1, "p1": 10, "p5": 50, "p25": 250, "p50": 500, "p75": 750, "p95": 950, "p99": 990, "p99_9": 999}
bad = 0


def case(name, wrong):
    global bad
    if wrong:
        bad = 1
        print("not ok - %s" % name)
        for line in wrong[:8]:
            print("  %s" % line)
    else:
        print("ok - %s" % name)


def ms(text):
    text = text.replace("Z", "+00:00").replace(" ", "T")
    t = datetime.fromisoformat(text)
    t = t if t.tzinfo else t.replace(tzinfo=timezone.utc)
    return round((t - EPOCH).total_seconds() * 1000)


def plain(v):
    """A value of extended JSON: numbers stay, a date becomes ("date", ms), others their text."""
    if isinstance(v, dict) and list(v) == ["$date"]:
        d = v["$date"]
        return ("date", ms(d) if isinstance(d, str) else int(d["$numberLong"]))
    if isinstance(v, dict) and len(v) == 1 and next(iter(v)).startswith("$"):
        (kind, text), = v.items()
        if kind in ("$numberLong", "$numberInt"):
            return int(text)
        if kind in ("$numberDouble", "$numberDecimal"):
            return float(text)
        return (kind, json.dumps(text, sort_keys=True))
    return v


def values_at(doc, path):
    """Every occurrence of the path in one document."""
    here = [doc]
    for part in path.split("."):
        items = part.count("[]")
        name = part.replace("[]", "")
        if name == "*":
            here = [v for d in here if isinstance(d, dict) for v in d.values()]
        else:
            here = [d[name] for d in here if isinstance(d, dict) and name in d]
        for _ in range(items):
            here = [x for d in here if isinstance(d, list) for x in d]
    return [plain(v) for v in here]


def split(values):
    out = {"numbers": [], "dates": [], "texts": [], "text_dates": [], "sizes": []}
    for v in values:
        if isinstance(v, bool) or v is None:
            continue
        if isinstance(v, (int, float)):
            if math.isfinite(v):
                out["numbers"].append(v)
        elif isinstance(v, tuple) and v[0] == "date":
            out["dates"].append(v[1])
        elif isinstance(v, str):
            out["texts"].append(len(v))
            if ISO.match(v):
                out["text_dates"].append(ms(v))
        elif isinstance(v, list):
            out["sizes"].append(len(v))
    return out


def edge(e):
    return ms(e) if isinstance(e, str) else e


def bars(histogram, values):
    """below, counts, above"""
    edges = [edge(e) for e in histogram["edges"]]
    counts = [0] * (len(edges) - 1)
    below = above = 0
    for v in values:
        if v < edges[0]:
            below += 1
        elif v > edges[-1]:
            above += 1
        else:
            counts[min(bisect.bisect_right(edges, v) - 1, len(counts) - 1)] += 1
    return below, counts, above


def near(a, b):
    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


def figures(name, stats, values, wrong):
    values = sorted(values)
    n = len(values)
    for key, per_mille in QUANTILES.items():
        want = values[max(1, -(-n * per_mille // 1000)) - 1]
        if edge(stats["quantiles"][key]) != want:
            wrong.append("%s %s: %r, the data says %r" % (name, key, stats["quantiles"][key], want))
    if edge(stats["min"]) != values[0] or edge(stats["max"]) != values[-1]:
        wrong.append("%s: min or max" % name)
    if "mean" in stats and not near(stats["mean"], math.fsum(values) / n):
        wrong.append("%s: mean %r, the data says %r" % (name, stats["mean"], math.fsum(values) / n))
    h = stats["histogram"]
    if (h["below"], h["counts"], h["above"]) != bars(h, values):
        wrong.append("%s: histogram %r, the data says %r" % (name, h["counts"], bars(h, values)))
    if not 1 <= len(h["counts"]) <= 40:
        wrong.append("%s: %d bars" % (name, len(h["counts"])))


def parts(d):
    """(name, kind, statistics) of all kinds of values that the distribution describes."""
    if "numbers" in d:
        yield "numbers", d["numbers"]
    if "dates" in d:
        yield "dates", d["dates"]
    if "texts" in d:
        yield "texts", d["texts"]["length"]
        if "dates" in d["texts"]:
            yield "text_dates", d["texts"]["dates"]
    if "arrays" in d:
        yield "sizes", d["arrays"]["size"]


def check_path(d, docs, wrong):
    values = [v for doc in docs for v in values_at(doc, d["path"])]
    by_kind = split(values)
    if d["occurrences"] != len(values):
        wrong.append("%s: %d occurrences, the data has %d" % (d["path"], d["occurrences"], len(values)))
    present = sum(1 for doc in docs if values_at(doc, d["path"]))
    if (d["present_count"], d["missing_count"]) != (present, len(docs) - present):
        wrong.append("%s: present and missing" % d["path"])
    for kind, stats in parts(d):
        figures("%s %s" % (d["path"], kind), stats, by_kind[kind], wrong)
    for item in d["top_values"] + d["rare_values"]:
        n = sum(1 for v in values if type(v) is not bool and v == plain(item["value"])
                or v is item["value"])
        if n != item["count"]:
            wrong.append("%s: %r occurs %d times, not %d" % (d["path"], item["value"], n, item["count"]))


def affected(report, path, file):
    """The documents of all findings about the path that have a filter; None when too many are affected."""
    found = {}
    for f in report["findings"]:
        queries = [f["evidence_query"]] + [p["evidence_query"] for p in f["parts"]]
        if f["field"] not in (path, path.replace("[]", "")) or f["set_aside"]:
            continue
        for query in queries:
            if not query.startswith("{"):
                continue
            p = subprocess.run([os.environ["ARGUS"], "query", file, query, "--output", "json", "-n", "1000"],
                               capture_output=True, text=True, check=True)
            answer = json.loads(p.stdout)
            if answer["matched"] > 1000:
                return None
            found.update(zip(answer["where"], answer["documents"]))
    return list(found.values())


def check_marks(report, d, file, wrong):
    docs = affected(report, d["path"], file)
    if docs is None:
        return 0
    values = [v for doc in docs for v in values_at(doc, d["path"])]
    by_kind = split(values)
    if d["marked_null"] != sum(1 for v in values if v is None):
        wrong.append("%s: marked nulls" % d["path"])
    for kind, stats in parts(d):
        h = stats["histogram"]
        if (h["marked_below"], h["marked"], h["marked_above"]) != bars(h, by_kind[kind]):
            wrong.append("%s %s: marks %r, the evidence says %r" %
                         (d["path"], kind, h["marked"], bars(h, by_kind[kind])))
    for item in d["top_values"] + d["rare_values"]:
        if item["marked"] != sum(1 for v in values if v == plain(item["value"])):
            wrong.append("%s: marks of %r" % (d["path"], item["value"]))
    return len(values)


def documents(file):
    """All documents that can be read: the shop has broken lines."""
    with open(file, encoding="utf-8") as f:
        if not file.endswith(".ndjson"):
            return json.load(f)
        docs = []
        for line in f:
            try:
                docs.append(json.loads(line))
            except ValueError:
                pass
        return docs


def main():
    is_audit = sys.argv[1] != "inspect"
    path, folder = sys.argv[1 if is_audit else 2:][:2]
    uri = sys.argv[3] if is_audit and len(sys.argv) > 3 else None
    for report in json.load(open(path, encoding="utf-8"))["reports" if is_audit else "collections"]:
        name = report["collection"]
        file = os.path.join(folder, {"orders": "orders.ndjson", "customers": "customers.json"}.get(name, name))
        if name not in ("orders", "customers"):
            continue  # a CSV has views; the unit tests hold those
        docs = documents(file)
        wrong, marked, nmarked = [], [], 0
        for d in report["distributions"]:
            check_path(d, docs, wrong)
            if is_audit:
                nmarked += check_marks(report, d, "%s.%s" % (uri, name) if uri else file, marked)
        case("the figures of %s are those of the data" % name, wrong)
        if not is_audit:
            continue
        case("the marks of %s are those of the evidence" % name,
             marked or ([] if nmarked > 20 else ["only %d values are marked" % nmarked]))
    return bad


sys.exit(main())
