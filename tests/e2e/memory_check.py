#!/usr/bin/env python3
"""Comparisons of tests/e2e/memory.sh: reports, and the store behind them.

usage: memory_check.py WHAT ARG...
"""
import json
import sqlite3
import subprocess
import sys

DIFF = ("previous_run_id", "previous_run_at", "new_findings", "resolved_findings", "regressed_fields",
        "still_present", "not_checked")


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def fail(text):
    sys.exit(text)


def same(what, got, want):
    if got != want:
        fail(f"{what}: got {got!r}, want {want!r}")


def name(finding):
    return f"{finding['field']}/{finding['category']}"


def first(path):
    report = load(path)
    same("previous_run_id", report["previous_run_id"], None)
    same("previous_run_at", report["previous_run_at"], None)
    for member in DIFF[2:]:
        same(member, report[member], [])


def without_ids(value):
    """Ids, times and durations out; everything else stays."""
    out = ("id", "run_at", "duration_seconds", "call_id", "query_call_id", "evaluation_id", "target_id",
           "timestamp", "latency_ms", "finding_id")
    if isinstance(value, dict):
        return {k: without_ids(v) for k, v in value.items() if k not in out}
    if isinstance(value, list):
        return [without_ids(v) for v in value]
    return value


def same_but_diff(a, b):
    a, b = load(a), load(b)
    same("previous_run_id", b["previous_run_id"], a["id"])
    for member in DIFF[2:]:
        same(member, b[member], [])
    for member in DIFF:
        a.pop(member)
        b.pop(member)
    if list(a) != list(b) or json.dumps(without_ids(a)) != json.dumps(without_ids(b)):
        fail("the reports differ")


def lists(path, *wanted):
    """new=NAMES resolved=NAMES still=NAMES unchecked=NAMES regressed=FIELDS, each separated by commas"""
    members = {"new": "new_findings", "resolved": "resolved_findings", "still": "still_present",
               "unchecked": "not_checked"}
    report = load(path)
    keys = {f["key"]: f for f in report["findings"]}
    for want in wanted:
        which, names = want.split("=", 1)
        names = [n for n in names.split(",") if n]
        if which == "regressed":
            same(which, report["regressed_fields"], names)
        else:
            same(which, sorted(name(f) for f in report[members[which]]), sorted(names))
    for f in report["new_findings"]:
        same("new finding", f["id"], keys[f["key"]]["id"])
        same("its count", f["affected_count"], keys[f["key"]]["affected_count"])
    for f in report["resolved_findings"]:
        same("now", f["now"], 0)


def diff(path):
    d = load(path)
    same("new", [name(f) for f in d["new"]], ["zip/empty_string"])
    same("gone", [(name(f), f["state"]) for f in d["gone"]], [("age/sentinel_value", "resolved")])
    same("regressed", [(name(f), f["was"]["affected_count"], f["now"]["affected_count"])
                       for f in d["regressed"]], [("email/null_rate", 30, 60)])
    same("improved", d["improved"], [])
    same("unchanged", d["unchanged"], 0)


def label(before, after, field, want):
    before, after = load(before), load(after)
    for f in before["findings"]:
        if f["field"] == field:
            same("label before", f["user_label"], None)
            f["user_label"] = want
    # Who said it and when, and what follows from it: the finding does not count any more.
    for f in after["findings"]:
        if f["field"] == field:
            same("by", f.pop("label_by"), "ann")
            same("set aside", f["set_aside"]["by"], "label")
            f["set_aside"] = None
            del f["label_reason"], f["labelled_at"]
    same("set aside", after["set_aside_count"], before["set_aside_count"] + 1)
    after["set_aside_count"] = before["set_aside_count"]
    after["verdict"] = before["verdict"]
    if json.dumps(before) != json.dumps(after):
        fail("more than the label changed")


def show(argus):
    return subprocess.run([argus, "show", "last", "-o", "json"], check=True, capture_output=True).stdout


def rebuilt(argus, store, stored_file=None):
    """The report in the store, and the one that is made from the log when there is none."""
    stored = show(argus)
    if stored_file:
        with open(stored_file, "rb") as f:
            same("printed by the run", stored, f.read())
    db = sqlite3.connect(store)
    run, body = db.execute("SELECT run, body FROM reports JOIN runs ON id = run "
                           "ORDER BY started_at DESC, id DESC LIMIT 1").fetchone()
    db.execute("DELETE FROM reports WHERE run = ?", (run,))
    db.commit()
    made = show(argus)
    db.execute("INSERT INTO reports VALUES (?, ?)", (run, body))
    db.commit()
    if made != stored:
        with open("rebuilt.json", "wb") as f:
            f.write(made)
        with open("stored.json", "wb") as f:
            f.write(stored)
        fail(subprocess.run(["diff", "stored.json", "rebuilt.json"], capture_output=True,
                            text=True).stdout)


def store(path, field, want, words=None):
    """Log, row and report of the newest run agree on the label ("any": whatever it is)."""
    db = sqlite3.connect(path)
    run = db.execute("SELECT id FROM runs ORDER BY started_at DESC, id DESC LIMIT 1").fetchone()[0]
    events = db.execute("SELECT seq, type, payload FROM events WHERE run = ? ORDER BY seq",
                        (run,)).fetchall()
    same("holes in the log", [e[0] for e in events], list(range(1, len(events) + 1)))
    reviews = [json.loads(e[2]) for e in events if e[1] == "review"]
    if words is not None:
        same("words", len(reviews), int(words))
    for r in reviews:
        same("by", r["by"], "ann")
    fid, row, at, body = db.execute("SELECT id, label, labelled_at, body FROM findings WHERE run = ? "
                                    "AND field = ?", (run, field)).fetchone()
    last = [r["label"] for r in reviews if r["finding_id"] == fid][-1]
    report = json.loads(db.execute("SELECT body FROM reports WHERE run = ?", (run,)).fetchone()[0])
    shown = [f["user_label"] or "" for f in report["findings"] if f["id"] == fid][0]
    same("row and log", row, last)
    same("report and log", shown, last)
    same("body and log", json.loads(body)["user_label"] or "", last)
    if want != "any":
        same("label", last, want)
    if not at:
        fail("the label has no time")


def occupy(path, run):
    """As if another process wrote the run."""
    db = sqlite3.connect(path)
    db.execute("UPDATE runs SET status = 'running' WHERE id = ?", (run,))
    db.execute("INSERT OR REPLACE INTO leases VALUES (?, 'another', 99999999999999)", (run,))
    db.commit()


def release(path, run):
    db = sqlite3.connect(path)
    db.execute("UPDATE runs SET status = 'ok' WHERE id = ?", (run,))
    db.execute("DELETE FROM leases WHERE run = ?", (run,))
    db.commit()


def statuses(path, *want):
    same("statuses", [f["status"] for f in load(path)["findings"]], list(want))


def reviewed(before, after):
    before, after = load(before), load(after)
    same("findings", {name(f): (f["status"], f["user_label"]) for f in after["findings"]},
         {"email/null_rate": ("published", "tp"), "zip/empty_string": ("pending_review", None)})
    gone = after["dismissed_findings"]
    same("dismissed", [(name(f), f["status"], f["user_label"]) for f in gone],
         [("age/sentinel_value", "dropped", "fp")])
    same("reason", gone[0]["dismissal"]["reason"], "a reviewer rejected it")
    same("by", gone[0]["dismissal"]["evaluated_by"], "review:ann")
    for member in before:
        if member not in ("findings", "dismissed_findings", "summary", "new_findings",
                          "set_aside_count", "verdict"):
            same(member, after[member], before[member])


if __name__ == "__main__":
    {"first": first, "same": same_but_diff, "lists": lists, "diff": diff, "label": label,
     "rebuilt": rebuilt, "store": store, "occupy": occupy, "release": release, "statuses": statuses,
     "reviewed": reviewed}[sys.argv[1]](*sys.argv[2:])
