#!/usr/bin/env python3
"""Audits over argus serve: every route by a viewer, an analyst and a stranger; on both stores.

1. A project's collections and uploaded files are listed, audited by the server's own workers, and read in each format.
2. Two audits of a file whose data changed are compared; a finding is checked again, rated, and counted.
3. What waits is stopped; what was killed is gone on with, and nothing is done twice.
4. Each role may what it should; nobody sees the audits of another project. Wrong input is told and changes nothing.
5. A project of an account of Azure Cosmos DB lists its audits, too."""
import concurrent.futures
import json
import os
import signal
import subprocess
import sys

import serve
from serve import DIR, Server, argus, ask, check, wait

A = "/api/audits"
BYTES = "application/octet-stream"
NOBODY = "00000000-0000-7000-8000-000000000000"


def call(server, token, method, path, body=None, **headers):
    r = ask(server, method, path, body, token=token, **headers)
    text = r.r.read().decode()
    return r.status, json.loads(text) if text and "json" in r.headers.get("content-type", "") else text


def people(n, wrong):
    """n documents; some ages are text."""
    return "".join(json.dumps({"_id": i, "age": str(20 + i % 50) if i < wrong else 20 + i % 50, "mail": "user%d@example.org" % i}) + "\n" for i in range(n))


def upload(server, token, name, text, query="?project=shop"):
    return call(server, token, "PUT", "%s/uploads/%s%s" % (A, name, query), text.encode(), Content_Type=BYTES)


def ended(server, token, audit, want=("ok",)):
    def state():
        got = call(server, token, "GET", "%s/%s" % (A, audit))[1]
        return got if got["status"] not in ("queued", "running") else None
    got = wait(state, 60)
    check("audit %s" % " or ".join(want), got and got["status"] in want, got or server.said())
    return got or {}


def start(server, token, **body):
    status, made = call(server, token, "POST", A, dict({"project": "shop"}, **body))
    check("an audit begins as 202", status == 202 and all(a["status"] == "queued" for a in made["audits"]), made)
    return [a["id"] for a in made["audits"]]


def sources(server, tokens):
    analyst, viewer, stranger = tokens
    status, made = upload(server, analyst, "people.ndjson", people(400, 40))
    check("a file is taken", status == 201 and made["collections"] == ["people"], made)
    got = call(server, viewer, "GET", A + "/sources?project=shop")[1]
    check("collections and uploads are listed", got["collections"] == ["goods", "people"] and got["has_documents"] and not got["problem"] and
          [u["name"] for u in got["uploads"]] == ["people.ndjson"], got)
    cases = [("a viewer", viewer, "x.csv", "a\n1\n", 403), ("a stranger", stranger, "x.csv", "a\n1\n", 404), ("no format", analyst, "x.exe", "a\n1\n", 400),
             ("nothing in it", analyst, "x.csv", "", 400), ("a hidden name", analyst, ".x.csv", "a\n1\n", 400), ("a path", analyst, "..%2Fx.csv", "a\n1\n", 400),
             ("101 bytes of name", analyst, "x" * 97 + ".csv", "a\n1\n", 400), ("a line break", analyst, "x%0A.csv", "a\n1\n", 400)]
    for name, token, file, text, want in cases:
        status, told = upload(server, token, file, text)
        check("an upload: %s is %d" % (name, want), status == want, told)
    status, _ = call(server, analyst, "PUT", A + "/uploads/x.csv?project=shop", b"a\n1\n", Content_Type="text/plain")
    check("an upload that is not sent as bytes is 415", status == 415)
    status, _ = call(server, analyst, "PUT", A + "/uploads/x.csv?project=shop", b"a", Content_Type=BYTES, Content_Length=str((64 << 20) + 1))
    check("an upload of more than 64 MiB is 413 before its bytes", status == 413)
    names = [u["name"] for u in call(server, viewer, "GET", A + "/sources?project=shop")[1]["uploads"]]
    check("nothing of all that was kept", names == ["people.ndjson"], names)
    fields = call(server, viewer, "GET", A + "/inspect?project=shop&upload=people.ndjson")[1]["fields"]
    check("the fields of an upload", [f["path"] for f in fields] == ["_id", "age", "mail"], fields)
    one = call(server, viewer, "GET", A + "/inspect?project=shop&collection=goods&path=price")[1]
    check("one field of a collection, masked", [f["path"] for f in one["fields"]] == ["price"] and one["masked"], one)
    got = [call(server, viewer, "GET", A + "/inspect?project=shop" + q)[0] for q in ("", "&collection=none", "&upload=none.csv", "&upload=../argus.yaml")]
    check("an inspection of what is not there, or of several", got == [400, 404, 404, 400], got)


def documents(server, tokens, audit):
    analyst, viewer, stranger = tokens
    path, of_audit = A + "/documents", "%s/%s/documents" % (A, audit)
    upload = {"project": "shop", "upload": "people.ndjson"}
    text = {"filter": '{age: {$type: "string"}}', "limit": 3}
    for name, at, body in [("of an upload", path, dict(upload, **text)), ("of an audit", of_audit, text)]:
        status, got = call(server, analyst, "POST", at, body)
        check("the documents %s that a filter finds" % name, status == 200 and got["matched"] == 40 and got["collection_size"] == 400 and
              [d["_id"] for d in got["documents"]] == [0, 1, 2] and got["where"] == ["people.ndjson:%d" % n for n in (1, 2, 3)], got)
        check("personal values %s are masked" % name, got["masked"] and all("user" not in d["mail"] for d in got["documents"]), got)
    got = call(server, analyst, "POST", path, upload)[1]
    check("without a filter: the first of all", got["matched"] == 400 and len(got["documents"]) == 20, got)
    got = call(server, analyst, "POST", path, dict(upload, filter="{agee: 3}"))[1]
    check("a slip in a name is told", got["matched"] == 0 and "agee" in str(got["notes"]) and '"age"' in str(got["notes"]), got)
    long = "".join(json.dumps({"_id": i, "text": "x" * (70000 if i == 1 else 10)}) + "\n" for i in range(3))
    call(server, analyst, "PUT", "%s/uploads/long.ndjson?project=shop" % A, long.encode(), Content_Type=BYTES)
    got = call(server, analyst, "POST", path, {"project": "shop", "upload": "long.ndjson"})[1]
    check("a document too large to show is counted", got["matched"] == 3 and got["too_large"] == 1 and [d["_id"] for d in got["documents"]] == [0, 2], got)
    call(server, analyst, "DELETE", "%s/uploads/long.ndjson?project=shop" % A)
    cases = [("a viewer", viewer, path, dict(upload, **text), 403), ("a stranger", stranger, path, dict(upload, **text), 404),
             ("a stranger's audit", stranger, of_audit, text, 404), ("a pipeline", analyst, path, dict(upload, filter="[{$match: {}}]"), 400),
             ("an order", analyst, path, dict(upload, filter="db.p.find({}).sort({age: 1})"), 400), ("code", analyst, path, dict(upload, filter='{$where: "1"}'), 403),
             ("no filter", analyst, path, dict(upload, filter="{age: "), 400), ("a number", analyst, path, dict(upload, filter=3), 400),
             ("limit 0", analyst, path, dict(upload, limit=0), 400), ("limit 101", analyst, path, dict(upload, limit=101), 400),
             ("an unknown member", analyst, path, dict(upload, sort="x"), 400), ("another file", analyst, path, {"project": "shop", "upload": "none.csv"}, 404),
             ("several collections", analyst, path, {"project": "shop"}, 400)]
    for name, token, at, body, want in cases:
        status, told = call(server, token, "POST", at, body)
        check("documents: %s is %d" % (name, want), status == want, told)


def reads(server, tokens, audit):
    _, viewer, _ = tokens
    one = "%s/%s" % (A, audit)
    report = call(server, viewer, "GET", one + "/report")[1]
    found = {(f["field"], f["category"]): f for f in report["findings"]}
    check("the report has what is wrong", any(k[0] == "age" for k in found), sorted(found))
    parts = {"html": "<!DOCTYPE html>", "markdown": "#", "csv": "severity", "sarif": '"2.1.0"', "junit": "<testsuite", "github": "::", "short": "people.ndjson"}
    for name, text in parts.items():
        r = ask(server, "GET", "%s/export?as=%s" % (one, name), token=viewer)
        body = r.r.read().decode()
        check("the report as " + name, r.status == 200 and text in body and "sandbox" in r.headers["content-security-policy"], body[:300])
    check("no other format", call(server, viewer, "GET", one + "/export?as=exe")[0] == 400)
    first = call(server, viewer, "GET", one + "/events")[1]
    rest = call(server, viewer, "GET", "%s/events?after=%d" % (one, first["last"]))[1]
    types = [e["type"] for e in first["events"]]
    check("events from the beginning to the end", types[0] == "run_started" and types[-1] == "run_finished" and "finding" in types, types)
    check("and no more after the last", rest["events"] == [] and rest["last"] == first["last"] and rest["audit"]["status"] == "ok", rest)
    check("no value of a document is in them", "user1@example.org" not in json.dumps(first), first)
    checked = call(server, viewer, "POST", one + "/verify")[1]
    check("checked again: all are confirmed", checked["confirmed"] == len(report["findings"]) and not checked["changed"], checked)
    some = report["findings"][0]["id"]
    checked = call(server, viewer, "POST", "%s/verify?finding=%s" % (one, some))[1]
    check("one finding alone", [f["id"] for f in checked["findings"]] == [some], checked)
    check("a finding that is none", call(server, viewer, "POST", "%s/verify?finding=%s" % (one, NOBODY))[0] == 404)
    return report


def judges(server, tokens, audit, report):
    analyst, viewer, _ = tokens
    finding = report["findings"][0]["id"]
    rate = "%s/%s/findings/%s/rate" % (A, audit, finding)
    got = [call(server, t, "POST", p, b)[0] for t, p, b in (
        (viewer, rate, {"label": "fp"}), (analyst, rate, {"label": "maybe"}), (analyst, rate, {}), (analyst, rate, {"label": "fp", "reason": "r" * 2001}),
        (analyst, rate.replace(finding, NOBODY), {"label": "fp"}), (analyst, rate, {"label": "fp", "colour": "red"}))]
    check("a wrong word is refused", got == [403, 422, 422, 422, 404, 422], got)
    status, said = call(server, analyst, "POST", rate, {"label": "fp", "reason": "text is meant"})
    check("a word is kept", status == 200 and said["finding"]["id"] == finding, said)
    count = call(server, viewer, "GET", A + "/metrics?project=shop")[1]
    check("and counted", count["false_positives"] == 1 and count["true_positives"] == 0 and count["precision"] == 0, count)
    check("taken back", call(server, analyst, "POST", rate, {"label": "none"})[0] == 200 and
          call(server, viewer, "GET", A + "/metrics?project=shop")[1]["precision"] is None)
    call(server, analyst, "POST", rate, {"label": "tp"})
    check("said the other way", call(server, viewer, "GET", A + "/metrics?project=shop")[1]["precision"] == 1)
    check("nothing waits for a person", call(server, viewer, "GET", A + "/review?project=shop")[1]["pending"] == [])


def metrics(server, tokens):
    """The figures of the reference: three right and one wrong of what is labelled."""
    analyst, viewer, _ = tokens
    rows = [{"_id": i, "age": str(i) if i % 9 == 0 else i % 60, "mail": "" if i % 11 == 0 else "u%d@example.org" % i, "town": "N/A" if i % 13 == 0 else "Berlin" if i % 2 else "Paris",
             "from": "2024-02-%02d" % (1 + i % 28), "to": "2024-01-01" if i % 17 == 0 else "2024-03-%02d" % (1 + i % 28), "price": -1 if i % 40 == 0 else 5 + i % 7,
             "state": "open " if i % 23 == 0 else "OPEN" if i % 29 == 0 else "open" if i % 3 else "closed", "note": "caf\u00c3\u00a9" if i % 19 == 0 else "caf\u00e9 %d" % i} for i in range(600)]
    upload(server, analyst, "mixed.ndjson", "".join(json.dumps(r) + "\n" for r in rows))
    one = start(server, analyst, upload="mixed.ndjson")[0]
    ended(server, analyst, one)
    before = call(server, viewer, "GET", A + "/metrics?project=shop")[1]
    findings = call(server, viewer, "GET", "%s/%s/report" % (A, one))[1]["findings"]
    labels = ["tp", "tp", "tp", "fp"]
    done = [call(server, analyst, "POST", "%s/%s/findings/%s/rate" % (A, one, f["id"]), {"label": w})[0] for f, w in zip(findings, labels)]
    after = call(server, viewer, "GET", A + "/metrics?project=shop")[1]
    tp, fp = before["true_positives"] + 3, before["false_positives"] + 1
    brier = [(f["confidence"] - (w == "tp")) ** 2 for f, w in zip(findings, labels)]
    precision, recall = tp / (tp + fp), tp / after["findings"]
    check("labels are counted", len(findings) >= 5 and done == [200] * 4 and (after["true_positives"], after["false_positives"]) == (tp, fp), (len(findings), done, after))
    check("precision, recall and F1", abs(after["precision"] - precision) + abs(after["recall"] - recall) + abs(after["f1"] - 2 * precision * recall / (precision + recall)) < 1e-9, after)
    check("the Brier score", abs(after["brier"] * (tp + fp) - (before["brier"] or 0) * (tp + fp - 4) - sum(brier)) < 1e-9, (before, after, brier))
    got = call(server, analyst, "POST", "%s/%s/findings/%s/resolve" % (A, one, findings[4]["id"]), {"verdict": "tp"})[0]
    check("a finding that does not wait is not decided on", got == 404, got)
    for f, _ in zip(findings, labels):
        call(server, analyst, "POST", "%s/%s/findings/%s/rate" % (A, one, f["id"]), {"label": "none"})


def waits(store, model, tokens):
    """Findings that an audit is not sure about wait for a person."""
    analyst, viewer, stranger = tokens
    serve.MORE.update({"ARGUS_FINDING_EVALUATOR": "escalation", "ARGUS_ESCALATION_LOW_THRESHOLD": "0.1", "ARGUS_ESCALATION_HIGH_THRESHOLD": "1"})
    server = Server(store, model)
    one = start(server, analyst, upload="mixed.ndjson")[0]
    ended(server, analyst, one)
    pending = [p["finding"]["id"] for p in call(server, viewer, "GET", A + "/review?project=shop")[1]["pending"] if p["run"]["id"] == one]
    check("some wait", len(pending) >= 3, pending)
    everywhere = [p["finding"]["id"] for p in call(server, viewer, "GET", A + "/review")[1]["pending"] if p["run"]["id"] == one]
    check("they are in the list of all projects, for those who may read them", everywhere == pending and
          call(server, stranger, "GET", A + "/review")[1]["pending"] == [], everywhere)
    at = ["%s/%s/findings/%s/resolve" % (A, one, f) for f in pending[:3]]
    got = [call(server, t, "POST", p, b)[0] for t, p, b in (
        (viewer, at[0], {"verdict": "tp"}), (analyst, at[0], {"verdict": "maybe"}), (analyst, at[0], {"verdict": "need_info"}), (analyst, at[0], {"verdict": "tp"}),
        (analyst, at[0], {"verdict": "tp"}), (analyst, at[1], {"verdict": "fp", "reason": "meant so"}), (analyst, at[2].replace(pending[2], NOBODY), {"verdict": "tp"}))]
    check("a decision is taken once, by whom it may", got == [403, 422, 200, 200, 404, 200, 404], got)
    left = [p["finding"]["id"] for p in call(server, viewer, "GET", A + "/review?project=shop")[1]["pending"] if p["run"]["id"] == one]
    shown = {f["id"] for f in call(server, viewer, "GET", "%s/%s/report" % (A, one))[1]["findings"]}
    check("the others go on waiting; what was published is in the report, what was dropped is not",
          set(left) == set(pending[2:]) and pending[0] in shown and pending[1] not in shown, (left, pending, shown))
    server.stop()
    for k in ("ARGUS_FINDING_EVALUATOR", "ARGUS_ESCALATION_LOW_THRESHOLD", "ARGUS_ESCALATION_HIGH_THRESHOLD"):
        del serve.MORE[k]


def past(server, tokens, audit):
    analyst, viewer, _ = tokens
    check("no audit before the first", call(server, viewer, "GET", "%s/%s/diff" % (A, audit))[0] == 404)
    upload(server, analyst, "people.ndjson", people(400, 0))
    new = start(server, analyst, upload="people.ndjson")[0]
    ended(server, analyst, new)
    diff = call(server, viewer, "GET", "%s/%s/diff" % (A, new))[1]
    check("what was mended is gone, and resolved", diff["a"]["id"] == audit and any(g["field"] == "age" and g["state"] == "resolved" for g in diff["gone"]), diff)
    check("the same with a name", call(server, viewer, "GET", "%s/%s/diff?with=%s" % (A, new, audit))[1] == diff)
    check("none with a stranger's", call(server, viewer, "GET", "%s/%s/diff?with=%s" % (A, new, NOBODY))[0] == 404)
    history = call(server, viewer, "GET", "%s/%s/history" % (A, new))[1]
    check("both are one history", [r["id"] for r in history["runs"]] == [new, audit] and "patterns" in history["history"], history)
    old = history["runs"][1]
    check("the first audit was compared with none", [old[k] for k in ("new", "resolved", "regressed")] == [None] * 3, old)
    check("what both found is in the comparison", len(diff["same"]) == diff["unchanged"], diff)
    upload(server, analyst, "gaps.ndjson", "".join(json.dumps({"_id": i, "age": None if i % 4 == 0 else i % 50}) + "\n" for i in range(200)))
    ended(server, analyst, start(server, analyst, upload="gaps.ndjson")[0])
    quality(server, tokens, new, audit)
    baseline(server, tokens, new, audit)
    return new


def baseline(server, tokens, new, old):
    """An audit is made the baseline; a later one is compared with it, until that is taken back."""
    analyst, viewer, stranger = tokens
    at = lambda one: "%s/%s/baseline" % (A, one)
    none = call(server, viewer, "GET", at(new))[1]
    check("without a baseline there is nothing to compare with", none == {"baseline": None, "set_by": "", "set_at": None, "is_this": False, "changes": None}, none)
    got = [call(server, t, m, at(new))[0] for t, m in ((viewer, "PUT"), (viewer, "DELETE"), (stranger, "GET"), (stranger, "PUT"))] + [call(server, analyst, "PUT", at(NOBODY))[0]]
    check("who may not choose a baseline", got == [403, 403, 404, 404, 404] and call(server, viewer, "GET", at(new))[1] == none, got)
    status, got = call(server, analyst, "PUT", at(new))
    check("an audit is made the baseline", status == 200 and got["is_this"] and got["baseline"]["id"] == new and got["set_by"] == "ann" and got["set_at"] and
          got["changes"] is None, got)
    status, got = call(server, viewer, "GET", at(old))
    report = call(server, viewer, "GET", "%s/%s/report" % (A, old))[1]
    check("another audit is compared with it", status == 200 and not got["is_this"] and got["changes"]["compared"] and got["changes"]["run_id"] == new and
          "age" in [f["field"] for f in got["changes"]["new"]] and {f["key"] for f in got["changes"]["new"]} <= {f["key"] for f in report["findings"]}, got)
    call(server, analyst, "DELETE", at(old))
    check("only the baseline itself is taken back", call(server, viewer, "GET", at(new))[1]["is_this"])
    status, got = call(server, analyst, "DELETE", at(new))
    check("it is taken back", status == 200 and got == none, got)


def quality(server, tokens, new, old):
    """Every audited collection with its newest audits, by severity, by words and in pages."""
    analyst, viewer, stranger = tokens
    path = A + "/collections?project=shop"
    got = call(server, viewer, "GET", path)[1]
    one = {c["collection"]: c for c in got["collections"]}
    people_, gaps = one["people"], one["gaps"]
    check("a collection has its audits, newest first", [r["id"] for r in people_["runs"]] == [new, old] and people_["is_upload"] and not people_["place"], people_)
    now = people_["runs"][0]
    check("what was mended is resolved, nothing is new or worse", now["resolved"] >= 1 and now["new"] == now["regressed"] == 0, now)
    check("the null values are counted", (gaps["runs"][0]["null_values"], gaps["runs"][0]["counted_values"]) == (50, 400), gaps)
    sums = [sum(c["runs"][0][k] for c in got["collections"]) for k in ("critical", "high", "medium", "low")]
    check("the totals are those of the newest audits", [got["totals"][k] for k in ("critical", "high", "medium", "low")] == sums and
          got["totals"]["collections"] == len(one) and got["totals"]["resolved"] == now["resolved"], got["totals"])
    check("no path of the machine is in it", "/" not in json.dumps([dict(c, runs=[]) for c in got["collections"]]), got)

    def names(query, token=viewer):
        return [c["collection"] for c in call(server, token, "GET", path + query)[1]["collections"]]
    everything = sorted(one)
    check("by name, and the other way round", names("&sort=name") == everything and names("&sort=name&order=reverse") == everything[::-1])
    check("the most null values first", names("&sort=nulls")[0] == "gaps", names("&sort=nulls"))
    check("the most documents first", names("&sort=documents")[0] == max(one, key=lambda n: one[n]["runs"][0]["documents"]))
    check("the last audit first", names("&sort=last")[0] == "gaps", names("&sort=last"))
    worst = max(one, key=lambda n: [one[n]["runs"][0][k] for k in ("critical", "high", "medium", "low")])
    check("the worst first", names("")[0] == worst == names("&sort=findings")[0], names(""))
    check("by words", names("&q=PEOP") == ["people"] and names("&q=nothing") == [])
    check("only what changed", names("&changed=true") == ["people"], names("&changed=true"))
    want = sorted(n for n in one if one[n]["runs"][0]["critical"] + one[n]["runs"][0]["high"])
    check("only high and above", sorted(names("&severity=high")) == want, (names("&severity=high"), want))
    first = call(server, viewer, "GET", path + "&sort=name&limit=1")[1]
    rest = call(server, viewer, "GET", path + "&sort=name&limit=100&cursor=" + first["next"])[1]
    check("in pages, with the totals of all", [c["collection"] for c in first["collections"] + rest["collections"]] == everything and
          rest["next"] is None and rest["totals"] == first["totals"] == got["totals"], (first, rest))
    got = [call(server, t, "GET", path + q)[0] for t, q in ((viewer, "&sort=colour"), (viewer, "&order=up"), (viewer, "&severity=bad"), (viewer, "&cursor=x"), (stranger, ""))]
    check("wrong questions about collections", got == [400, 400, 400, 400, 404], got)


def profiles(server, tokens, store, model):
    """Settings of audits under a name of the project."""
    analyst, viewer, stranger = tokens
    at = A + "/profiles"
    check("no profile at first", call(server, viewer, "GET", at + "?project=shop") == (200, {"profiles": [], "next": None}))
    status, made = call(server, analyst, "PUT", at + "/Nightly%20run", {"project": "shop", "eval_profile": "fast", "max_iterations": 7})
    check("a profile is saved", status == 200 and {k: made.get(k) for k in ("name", "eval_profile", "max_iterations", "max_seconds", "author")} ==
          {"name": "Nightly run", "eval_profile": "fast", "max_iterations": 7, "max_seconds": None, "author": "ann"}, made)
    status, made = call(server, analyst, "PUT", at + "/nightly%20RUN", {"project": "shop", "max_seconds": 90, "max_iterations": 9})
    listed = call(server, viewer, "GET", at + "?project=shop")[1]["profiles"]
    check("one of that name is replaced, in any case", status == 200 and len(listed) == 1 and listed[0] == made and "eval_profile" not in made, listed)
    one = start(server, analyst, upload="people.ndjson", profile="Nightly Run", max_iterations=3)[0]
    jobs = json.loads(argus(store, model, "jobs", "list", "-o", "json"))["jobs"]
    payload = [j["payload"] for j in jobs if one in json.dumps(j)]
    check("an audit takes its settings, but those that are named", payload and payload[0].get("max_seconds") == 90 and payload[0].get("max_iterations") == 3, jobs[:1])
    ended(server, analyst, one, ("ok", "partial"))
    call(server, analyst, "PUT", at + "/quick", {"project": "shop", "eval_profile": "fast"})
    status, made = call(server, analyst, "PATCH", at + "/quick", {"project": "shop", "name": "Nightly run"})
    check("no second profile of a name", status == 409, made)
    status, made = call(server, analyst, "PATCH", at + "/quick", {"project": "shop", "name": "Fast \u00e4 / ?"})
    names = [p["name"] for p in call(server, viewer, "GET", at + "?project=shop")[1]["profiles"]]
    check("one is renamed, and keeps its settings", status == 200 and made["eval_profile"] == "fast" and sorted(names) == ["Fast \u00e4 / ?", "nightly RUN"], (made, names))
    status, made = call(server, analyst, "PATCH", at + "/nightly%20run", {"project": "shop", "name": "Nightly Run"})
    check("or written otherwise", status == 200 and made["name"] == "Nightly Run" and made["max_seconds"] == 90, made)
    check("one at a time", [p["name"] for p in call(server, viewer, "GET", at + "?project=shop&limit=1")[1]["profiles"]] == [sorted(["Fast \u00e4 / ?", "Nightly Run"])[0]])
    wrong = [call(server, t, m, p, b)[0] for t, m, p, b in (
        (viewer, "PUT", at + "/x", {"project": "shop"}), (viewer, "PATCH", at + "/nightly%20run", {"project": "shop", "name": "y"}), (viewer, "DELETE", at + "/nightly%20run?project=shop", None),
        (stranger, "GET", at + "?project=shop", None), (stranger, "DELETE", at + "/nightly%20run?project=shop", None), (stranger, "DELETE", at + "/nightly%20run?project=secret", None),
        (analyst, "PUT", at + "/x", {"project": "shop", "max_iterations": 0}), (analyst, "PUT", at + "/x", {"project": "shop", "eval_profile": "best"}), (analyst, "PUT", at + "/x", {"project": "shop", "colour": 1}),
        (analyst, "PUT", at + "/" + "x" * 61, {"project": "shop"}), (analyst, "PUT", at + "/a%0Ab", {"project": "shop"}), (analyst, "PATCH", at + "/none", {"project": "shop", "name": "y"}),
        (analyst, "PATCH", at + "/nightly%20run", {"project": "shop", "name": "x" * 61}), (analyst, "POST", A, {"project": "shop", "upload": "people.ndjson", "profile": "none"}))]
    check("roles and limits of profiles", wrong == [403, 403, 403, 404, 404, 404, 422, 422, 422, 400, 400, 404, 400, 404], wrong)
    full = 0
    for i in range(100):
        status, made = call(server, analyst, "PUT", at + "/p%d" % i, {"project": "shop"})
        full += status == 413
    check("a hundred, and no more", full == 2 and status == 413 and "100" in made["detail"], (full, made))
    got = [call(server, analyst, "DELETE", at + "/NIGHTLY%20RUN?project=shop")[0] for _ in range(2)]
    check("removed once", got == [204, 404], got)
    log = argus(store, model, "log", "-o", "json", "--project", "shop", "--limit", "500")
    check("each change is in the audit table", all(t in log for t in ("save_audit_profile", "rename_audit_profile", "drop_audit_profile")), log[:300])


def rights(server, tokens, audit, store, model):
    analyst, viewer, stranger = tokens
    got = [call(server, viewer, "POST", A, {"project": "shop"})[0], call(server, viewer, "POST", "%s/%s/stop" % (A, audit))[0],
           call(server, viewer, "POST", "%s/%s/resume" % (A, audit))[0], call(server, viewer, "DELETE", A + "/uploads/people.ndjson?project=shop")[0]]
    check("a viewer begins, stops and removes nothing", got == [403] * 4, got)
    paths = ["", "/events", "/report", "/diff", "/history"]
    got = [call(server, stranger, "GET", "%s/%s%s" % (A, audit, p))[0] for p in paths] + [call(server, stranger, "GET", A + "?project=shop")[0]]
    check("to a stranger there is no such audit", got == [404] * 6, got)
    check("nor one of an id that begins so", call(server, viewer, "GET", "%s/%s" % (A, audit[:13]))[0] == 404)
    listed = call(server, stranger, "GET", A + "?project=secret")[1]
    check("his own project has none", listed == {"audits": [], "next": None}, listed)
    sql = argus(store, model, "token", "create", "--user", "ann", "--role", "analyst", "--scope", "sql").splitlines()[0]
    check("a token for SQL alone is refused", call(server, sql, "GET", A + "?project=shop")[0] == 403)
    wrong = [{"project": "shop", "collection": "none"}, {"project": "shop", "upload": "none.csv"}, {"project": "shop", "upload": "../argus.yaml"},
             {"project": "shop", "eval_profile": "slow"}, {"project": "shop", "max_iterations": 0}, {"project": "shop", "max_iterations": "many"},
             {"project": "shop", "colour": "red"}, {"project": "none"}]
    got = [call(server, analyst, "POST", A, b)[0] for b in wrong]
    check("wrong requests begin nothing", got == [404, 404, 400, 422, 422, 422, 422, 404], got)
    got = [call(server, viewer, "GET", A + q)[0] for q in ("?project=shop&cursor=x", "/nothing", "/%s" % NOBODY, "/%s/events?after=x" % audit)]
    check("wrong names find nothing", got == [400, 404, 404, 400], got)
    r = ask(server, "POST", A, {"project": "shop"}, token=analyst, Origin="https://evil.example")
    check("a page of another origin begins nothing", r.status == 403)


def crowd(server, tokens):
    """Each of these reads the whole file, in memory: few at a time."""
    viewer = tokens[1]
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        got = list(pool.map(lambda _: call(server, viewer, "GET", A + "/inspect?project=shop&upload=many.ndjson"), range(12)))
    told = [g[1] for g in got if g[0] == 503]
    check("many at once: some are answered, the others are told to come again", {g[0] for g in got} == {200, 503} and
          all("reading" in t["detail"] for t in told), [g[0] for g in got])
    check("and later it is answered", call(server, viewer, "GET", A + "/inspect?project=shop&upload=many.ndjson")[0] == 200)


def nested(server, tokens):
    """The folder of one project lies in that of another, which does not list it."""
    analyst, viewer, stranger = tokens
    one = call(server, stranger, "POST", A, {"project": "secret"})[1]["audits"][0]["id"]
    ended(server, stranger, one)
    check("the owner reads it", call(server, stranger, "GET", "%s/%s/report" % (A, one))[0] == 200)
    listed = [a["id"] for a in call(server, viewer, "GET", A + "?project=shop")[1]["audits"]]
    got = [call(server, viewer, "GET", "%s/%s%s" % (A, one, p))[0] for p in ("", "/events", "/report")]
    check("who has the folder around it does not", one not in listed and got == [404] * 3, (listed, got))
    return one


def all_projects(server, tokens, both, of_secret):
    """Without ?project= the lists are those of all projects of the caller."""
    _, viewer, stranger = tokens

    def entries(token, query=""):
        got = call(server, token, "GET", A + "/collections" + query)[1]
        return [(c["project"], c["collection"]) for c in got["collections"]], got["totals"]
    shop, of_shop = entries(viewer, "?project=shop")
    secret, of_other = entries(stranger, "?project=secret")
    whole, totals = entries(both, "?limit=100")
    check("the collections of all projects together, each once", sorted(whole) == sorted(shop + secret) and secret == [("secret", "salaries")], whole)
    check("with the totals of all", totals == {k: of_shop[k] + of_other[k] for k in totals}, (totals, of_shop, of_other))
    check("they are narrowed to one, and found by its name", entries(both, "?project=secret")[0] == secret == entries(both, "?q=SECRET")[0])
    check("nobody gets those of another project", sorted(entries(viewer)[0]) == sorted(shop) and entries(stranger)[0] == secret, entries(stranger)[0])
    html = ask(server, "GET", "%s/%s/export?as=html" % (A, of_secret), token=both).r.read().decode()
    saved = json.loads(html.split('id="data">')[1].split("</script>")[0].replace("\\u003c", "<")) if 'id="data">' in html else {"reports": [{"trend": [1]}]}
    check("the exported page has the trend", len(saved["reports"][0]["trend"]) == 1, saved["reports"][0].get("trend"))


def collections(server, tokens):
    analyst, viewer, _ = tokens
    made = start(server, analyst, max_iterations=5, eval_profile="fast")
    done = [ended(server, analyst, a, ("ok", "partial")) for a in made]
    check("each collection is an audit of its own", sorted(d["collection"] for d in done) == ["goods", "people"], done)
    report = call(server, viewer, "GET", "%s/%s/report" % (A, made[0]))[1]
    check("with the steps that were asked for", len(report["run_trace"]) <= 5 and report["settings"]["max_iterations"] == 5, report["settings"])
    pages, cursor = [], ""
    while cursor is not None and len(pages) < 10:
        page = call(server, viewer, "GET", "%s?project=shop&limit=1%s" % (A, cursor and "&cursor=" + cursor))[1]
        pages += [a["id"] for a in page["audits"]]
        cursor = page["next"]
    whole = [a["id"] for a in call(server, viewer, "GET", A + "?project=shop")[1]["audits"]]
    check("pages of one are the whole list", pages == whole and len(whole) == 6, (pages, whole))


def stops(store, model, tokens):
    analyst, viewer, _ = tokens
    server = Server(store, model, "--questions", "0", "--workers", "0")
    one = start(server, analyst, collection="goods")[0]
    listed = call(server, viewer, "GET", A + "?project=shop")[1]["audits"]
    check("without workers it waits, first in the list", listed[0]["id"] == one and listed[0]["status"] == "queued" and listed[0]["collection"] == "goods", listed)
    got = [call(server, viewer, "GET", "%s/%s/%s" % (A, one, p))[0] for p in ("report", "diff", "history", "events")]
    check("it has no report yet, and no events", got == [409, 409, 409, 200], got)
    got = [call(server, analyst, "POST", "%s/%s/stop" % (A, one)) for _ in range(2)]
    check("stopped once", [g[0] for g in got] == [200, 409] and got[0][1]["status"] == "cancelled", got)
    check("what never began cannot go on", call(server, analyst, "POST", "%s/%s/resume" % (A, one))[0] == 409)
    server.stop()


def killed(store, model, tokens):
    """A run that is killed in the middle goes on where its log ends."""
    analyst, viewer, _ = tokens
    server = Server(store, model)
    upload(server, analyst, "many.ndjson", people(150000, 3000))
    one = start(server, analyst, upload="many.ndjson")[0]
    wait(lambda: call(server, viewer, "GET", "%s/%s/events" % (A, one))[1]["last"] > 5, 60)
    children = subprocess.run(["pgrep", "-P", str(server.p.pid)], capture_output=True, text=True, check=False).stdout.split()
    server.p.send_signal(signal.SIGKILL)
    server.p.wait()
    check("its workers end with it", wait(lambda: not any(os.path.exists("/proc/%s" % c) for c in children)) is True, children)
    server = Server(store, model)
    got = ended(server, analyst, one, ("ok", "cancelled", "interrupted"))
    if got["status"] != "ok":
        status, made = call(server, analyst, "POST", "%s/%s/resume" % (A, one))
        check("it goes on under the same id", status == 202 and made["audits"][0]["id"] == one, made)
        got = ended(server, analyst, one)
    events = []
    while True:
        page = call(server, viewer, "GET", "%s/%s/events?after=%d" % (A, one, events[-1]["seq"] if events else 0))[1]["events"]
        if not page:
            break
        events += page
    check("its log has no hole and one end", [e["seq"] for e in events] == list(range(1, len(events) + 1)) and
          [e["type"] for e in events].count("run_finished") == 1 and events[-1]["type"] == "run_finished", [e["type"] for e in events][-5:])
    crowd(server, tokens)
    check("a complete audit does not go on", call(server, analyst, "POST", "%s/%s/resume" % (A, one))[0] == 409)
    check("an upload is removed once", [call(server, analyst, "DELETE", A + "/uploads/many.ndjson?project=shop")[0] for _ in range(2)] == [204, 404])
    check("its report stays", call(server, viewer, "GET", "%s/%s/report" % (A, one))[0] == 200)
    checked = call(server, viewer, "POST", "%s/%s/verify" % (A, one))[1]
    check("but cannot be checked again", checked["not_checkable"] == len(checked["findings"]) > 0, checked)
    check("it ends with 0", server.stop() == 0, server.said())


def begun(argv, port_file):
    p = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    wait(lambda: os.path.exists(port_file) and os.path.getsize(port_file))
    with open(port_file, encoding="ascii") as f:
        return p, f.read().strip()


def cosmos(name, store, model):
    """An account of Azure, scripted: its audits are listed by their address, because only Azure knows the server."""
    at = "%s/cosmos-%s" % (DIR, name)
    with open(at + ".ndjson", "w", encoding="utf-8") as f:
        f.write(people(100, 10))
    server, port = begun([os.environ["FAKE_MONGO"], at + ".port", at + ".record", "db.people=%s.ndjson" % at, "db.people.old=%s.ndjson" % at], at + ".port")
    with open(at + ".json", "w", encoding="utf-8") as f:
        json.dump({"token": "azure", "subscriptions": [{"id": "s1", "accounts": [{"name": "acc", "strings": [
            ["Primary Read-Only MongoDB Connection String", "mongodb://127.0.0.1:%s/?ssl=false" % port]]}]}]}, f)
    arm, port = begun([sys.executable, serve.ROOT + "/tests/fake/fake_arm.py", at + ".arm", at + ".log", at + ".json"], at + ".arm")
    more = {"ARGUS_AZURE_MANAGEMENT": "http://127.0.0.1:" + port, "AZURE_ACCESS_TOKEN": "azure", "ARGUS_AZURE_METADATA": "none"}
    serve.MORE.update(more)
    try:
        for project, address, user in (("one", "cosmos://acc/db.people", "uno"), ("both", "cosmos://acc/db", "duo"), ("old", "cosmos://acc/db.people.old", "tre")):
            argus(store, model, "project", "add", project, "documents=" + address)
            argus(store, model, "project", "grant", project, user, "analyst")
        one, both, old = (argus(store, model, "token", "create", "--user", u, "--role", "analyst").splitlines()[0] for u in ("uno", "duo", "tre"))
        web = Server(store, model)
        made = [a["id"] for a in call(web, both, "POST", A, {"project": "both"})[1]["audits"]]
        done = {ended(web, both, a)["collection"]: a for a in made}
        check("cosmos: each collection is audited", sorted(done) == ["people", "people.old"], done)
        listed = {p: sorted(a["id"] for a in call(web, t, "GET", "%s?project=%s" % (A, p))[1]["audits"]) for p, t in (("one", one), ("both", both), ("old", old))}
        check("cosmos: a project lists the audits of its own address", listed == {"both": sorted(made), "one": [done["people"]], "old": [done["people.old"]]}, (listed, done))
        got = [call(web, t, "GET", "%s/%s/report" % (A, done[c]))[0] for t, c in ((one, "people"), (one, "people.old"), (old, "people"), (old, "people.old"))]
        check("cosmos: and reads no other", got == [200, 404, 404, 200], got)
        checked = call(web, one, "POST", "%s/%s/verify" % (A, done["people"]))[1]
        check("cosmos: checked again", checked["confirmed"] > 0 and not checked["changed"], checked)
        check("cosmos: it ends with 0", web.stop() == 0, web.said())
    finally:
        for p in (arm, server):
            p.terminate()
            p.wait()
        for k in more:
            del serve.MORE[k]
    with open(at + ".record", encoding="utf-8", errors="replace") as f:
        check("cosmos: only commands that read", "REFUSED" not in f.read())


def on(name, store, model):
    print("# " + name)
    folder = DIR + "/documents"
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/goods.csv", "w", encoding="utf-8") as f:
        f.write("id,price\n" + "".join("%d,%s\n" % (i, "n/a" if i % 20 == 0 else i * 1.5) for i in range(200)))
    with open(folder + "/people.ndjson", "w", encoding="utf-8") as f:
        f.write(people(100, 0))
    os.makedirs(folder + "/of-others", exist_ok=True)
    with open(folder + "/of-others/salaries.ndjson", "w", encoding="utf-8") as f:
        f.write(people(50, 5))
    argus(store, model, "project", "add", "shop", "documents=" + folder)
    argus(store, model, "project", "add", "secret", "documents=%s/of-others" % folder)
    tokens = []
    for user, role, project in (("ann", "analyst", "shop"), ("vi", "viewer", "shop"), ("sam", "analyst", "secret")):
        argus(store, model, "project", "grant", project, user, role)
        tokens.append(argus(store, model, "token", "create", "--user", user, "--role", role).splitlines()[0])
    for project in ("shop", "secret"):
        argus(store, model, "project", "grant", project, "tom", "viewer")
    both = argus(store, model, "token", "create", "--user", "tom", "--role", "viewer").splitlines()[0]
    serve.MORE["XDG_STATE_HOME"] = DIR + "/state-" + name
    serve.MORE["ARGUS_MAX_QUERIES_PER_MINUTE"] = "none"
    server = Server(store, model)
    sources(server, tokens)
    one = start(server, tokens[0], upload="people.ndjson")[0]
    ended(server, tokens[0], one)
    report = reads(server, tokens, one)
    documents(server, tokens, one)
    judges(server, tokens, one, report)
    metrics(server, tokens)
    past(server, tokens, one)
    rights(server, tokens, one, store, model)
    of_secret = nested(server, tokens)
    all_projects(server, tokens, both, of_secret)
    collections(server, tokens)
    profiles(server, tokens, store, model)
    log = subprocess.run([serve.ARGUS, "log", "-o", "json", "--project", "shop", "--limit", "500"], capture_output=True, text=True, env=serve.env(store, model), check=False)
    check("what was done is in the audit table", all(t in log.stdout for t in ("start_audit", "upload_documents", "rate_finding", "verify_audit", "read_audit_report", "set_audit_baseline", "drop_audit_baseline")), log.stderr)
    check("it ends with 0", server.stop() == 0, server.said())
    stops(store, model, tokens)
    waits(store, model, tokens)
    killed(store, model, tokens)
    cosmos(name, store, model)


if __name__ == "__main__":
    sys.exit(serve.on_both(on))
