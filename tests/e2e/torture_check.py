"""Is a store whole, whatever failed while it was written? (torture.py asks: wrong().)

silent: calls that failed without a warning.

Logs have no hole and no event of another kind of world: seq 1 is run_started, run_finished is the last; rows
of runs, findings and reports agree with the logs; the file of --out is whole.
"""
import contextlib
import json
import os
import sqlite3
import time

EARLIER = 3  # runs that the scenarios but "first" find in the store


WHOLE = {"first": 3, "again": EARLIER + 2, "out": EARLIER + 1, "stdin": EARLIER + 1, "rate": EARLIER, "chat": EARLIER + 1}  # when nothing failed


def check(path, scenario, code, point, silent):
    with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True)) as db:
        check_db(db, scenario, code, point, silent)


def check_db(db, scenario, code, point, silent):
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "the file is damaged"
    assert not db.execute("PRAGMA foreign_key_check").fetchall(), "a row without its run"
    if not db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        assert scenario == "first", "the store is empty"
        return
    runs = {r[0]: r for r in db.execute("SELECT id, status, finished_at, summary FROM runs")}
    logs = {}
    for run, seq, kind, payload in db.execute(
            "SELECT run, seq, type, payload FROM events ORDER BY run, seq"):
        log = logs.setdefault(run, [])
        log.append((kind, json.loads(payload)))
        assert seq == len(log), "the log of run %s has a hole before %d" % (run, seq)
    reports = {run: json.loads(body) for run, body in db.execute("SELECT run, body FROM reports")}
    assert set(logs) <= set(runs), "a log without its run"
    for run in set(runs) - set(logs):
        # Listed before its data is read; without the data it never began. Only a store that fails keeps its end out.
        assert code != 0, "exit code 0, and run %s has no log" % run
        if runs[run][1] == "failed":
            assert runs[run][2] and runs[run][3] != "reading", "run %s failed without a time or a reason" % run
        else:
            assert runs[run][1] == "running" and point.startswith("store."), \
                "run %s is %s without a log" % (run, runs[run][1])
        assert run not in reports, "run %s has a report and no log" % run
    for run, log in logs.items():
        check_run(run, log, runs[run], reports.get(run))
    whole = sum(1 for r in runs.values() if r[1] == "ok")
    # A conversation reads the schema anew when the kept one cannot be read, and commits an audit row once more.
    if code == 0 and silent and scenario in WHOLE and scenario != "chat" and point.startswith("store."):
        held = db.execute("SELECT count(*) FROM leases WHERE until > ?", (time.time() * 1000,)).fetchone()[0]
        assert held, "exit code 0 and no word, and the call that failed gave no lease back"
    if code == 0 and scenario in WHOLE:
        assert whole == WHOLE[scenario], "exit code 0, and a run is missing"
        words = db.execute("SELECT count(*) FROM findings WHERE label = 'fp'").fetchone()[0]
        assert words == (scenario == "rate"), "exit code 0, and the word is missing"
    if scenario not in ("first", "purge", "show_killed"):
        assert whole >= EARLIER, "an earlier run is gone"
    for fid, run, body, label in db.execute("SELECT id, run, body, label FROM findings"):
        json.loads(body)
        assert any(k == "finding" for k, _ in logs.get(run, [])), "a finding without its event"
        words = [p["label"] for k, p in logs[run] if k == "review" and p["finding_id"] == fid]
        assert label == (words or [""])[-1], "a label that the log does not know"
        shown = [f["user_label"] or "" for f in reports.get(run, {}).get("findings", [])
                 if f["id"] == fid]
        assert shown in ([], [label]), "a label that the report does not know"


def check_run(run, log, row, report):
    while log[-1][0] == "review":  # a person's word may stand behind the end
        log = log[:-1]
    kinds = [k for k, _ in log]
    assert kinds[0] == "run_started", "run %s begins with %s" % (run, kinds[0])
    assert "run_finished" not in kinds[:-1], "run %s goes on after its end" % run
    if kinds[-1] == "run_finished":
        assert row[1] == log[-1][1]["status"] and row[2], "run %s: row and log disagree" % run
        assert report and report["status"] == row[1], "run %s: report and row disagree" % run
    else:
        assert row[1] == "running" and not row[2] and not report, "run %s ended without an event" % run


def check_out(path):
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text == "old\n":
        return
    if text.startswith("{"):
        json.loads(text)
    else:
        assert text.endswith("\n") and len(text) > 100, "the file of --out is cut"


def wrong(store, scenario, out, code, point, silent):
    """-> what is wrong, or None"""
    try:
        if os.path.exists(store):
            check(store, scenario, code, point, silent)
        else:
            assert scenario == "first", "the store is gone"
        check_out(out)
    except (AssertionError, sqlite3.Error, ValueError, KeyError) as e:
        return "%s: %s" % (type(e).__name__, e)
    return None
