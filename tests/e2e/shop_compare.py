#!/usr/bin/env python3
"""Compare reports of examples/shop with what was planted there, or with each other.

usage: shop_compare.py truth TRUTH REPORTS     one line per planted damage and near miss
       shop_compare.py same REPORTS REPORTS    equal but for ids and times?

Prints `ok - name` and `not ok - name`; exit 1 when anything is not ok.
"""
import json
import re
import sys

RANK = {"low": 0, "medium": 1, "high": 2, "critical": 3}
UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
# The later run knows the earlier one; what it says of it (nothing new, nothing gone) must be equal.
PREVIOUS = re.compile(r'"(previous_run_id|previous_run_at)":\s*(?:"[^"]*"|null)')
# A server estimates the bytes of a collection.
BYTES = re.compile(r'("uri": "mongodb://[^"]*",[^{}]*"bytes":\s*)\d+')
CLOCK = re.compile(r'"(run_at|timestamp|duration_seconds|latency_ms)":\s*(?:"[^"]*"|[0-9.eE+-]+)')

bad = False


def say(good, name, *details):
    global bad
    print(("ok - " if good else "not ok - ") + name)
    if not good:
        bad = True
        for line in details:
            print("  " + line)


def reports_of(text):
    whole = json.loads(text)
    return whole["reports"] if "reports" in whole else [whole]


FILES = {"orders": "orders.ndjson", "customers": "customers.json", "products": "products.csv"}


def is_server(report):
    return report["source"]["uri"].startswith("mongodb://")


def file_of(report):
    """The file of examples/shop, also of a collection on a server."""
    if is_server(report):
        return FILES.get(report["collection"], report["collection"])
    return report["source"]["uri"].rstrip("/").rsplit("/", 1)[-1]


def canonical(field):
    return field.replace("[]", "")


def claims(finding):
    """(category, count) of a finding and of what was folded into it."""
    yield finding["category"], finding["affected_count"]
    for part in finding.get("parts") or []:
        yield part["category"], part["affected_count"]


def short(finding):
    return "%s %s %s %d" % (finding["severity"], finding["field"], finding["category"],
                            finding["affected_count"])


def check_damage(entry, findings):
    name = "found: %s %s %s" % (entry["file"], entry["field"], entry["category"])
    counts = {entry["affected"]} | set(entry.get("other_counts", {}).values())
    on_field = [f for f in findings if canonical(f["field"]) == canonical(entry["field"])]
    said = [c for f in on_field for c in claims(f) if c[0] in entry["categories"]]
    say(any(n in counts for _, n in said), "%s, %d documents" % (name, entry["affected"]),
        "wanted: %s with a count among %s" % (" or ".join(entry["categories"]), sorted(counts)),
        *("finding: " + short(f) for f in on_field))


def check_miss(entry, findings):
    wrong = entry.get("categories")
    alarms = [f for f in findings if canonical(f["field"]) == canonical(entry["field"])
              and RANK[f["severity"]] > RANK["low"]
              and (wrong is None or any(c in wrong for c, _ in claims(f)))]
    say(not alarms, "no alarm: %s %s (%s)" % (entry["file"], entry["field"], entry["why"]),
        *("finding: " + short(f) for f in alarms))


def check_unexplained(truth, findings_of):
    """Every finding above low is planted, or follows from what is."""
    known = {(e["file"], canonical(e["field"])): set() for e in truth["damage"] + truth["follows"]}
    for e in truth["damage"] + truth["follows"]:
        known[e["file"], canonical(e["field"])].update(e["categories"])
    strange = []
    for file, findings in findings_of.items():
        for f in findings:
            expected = known.get((file, canonical(f["field"])), set())
            if RANK[f["severity"]] > RANK["low"] and not any(c in expected for c, _ in claims(f)):
                strange.append("finding: %s %s" % (file, short(f)))
    say(not strange, "every finding above low is planted or follows from what is", *strange)


def check_broken(truth, reports):
    for report in reports:
        want = [b["line"] for b in truth["broken_lines"] if b["file"] == file_of(report) and not is_server(report)]
        got = [i["line"] for i in report["source"]["issues"]]
        say(report["source"]["broken"] == len(want) and got == want,
            "%s: %d broken lines" % (file_of(report), len(want)),
            "wanted lines %s, got %s (broken: %d)" % (want, got, report["source"]["broken"]))


def compare_truth(truth_path, reports_path):
    with open(truth_path, encoding="utf-8") as f:
        truth = json.load(f)
    with open(reports_path, encoding="utf-8") as f:
        reports = reports_of(f.read())
    findings_of = {file_of(r): r["findings"] for r in reports}
    say(set(findings_of) == {e["file"] for e in truth["damage"]}, "one report per file",
        "reports: %s" % sorted(findings_of))
    for entry in truth["damage"]:
        check_damage(entry, findings_of.get(entry["file"], []))
    for entry in truth["near_misses"]:
        check_miss(entry, findings_of.get(entry["file"], []))
    check_unexplained(truth, findings_of)
    check_broken(truth, reports)


def timeless(path):
    """The bytes of a report; ids become numbers in order of appearance, times become nothing."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    names = {}
    text = BYTES.sub(r"\g<1>0", PREVIOUS.sub(r'"\1":0', text))
    text = UUID.sub(lambda m: "id%d" % names.setdefault(m.group(0), len(names)), text)
    return CLOCK.sub(r'"\1":0', text)


def compare_same(a, b):
    left, right = timeless(a), timeless(b)
    at = next((i for i, (x, y) in enumerate(zip(left, right)) if x != y), min(len(left), len(right)))
    say(left == right and len(left) > 0, "equal but for ids and times",
        "from byte %d on: %s" % (at, left[max(0, at - 80):at + 80]),
        "                 %s" % right[max(0, at - 80):at + 80])


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("truth", "same"):
        sys.exit(__doc__)
    (compare_truth if sys.argv[1] == "truth" else compare_same)(*sys.argv[2:])
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
