"""Checks for mongo.sh, mongo_engine.sh and mongo_kill.sh.

    same A.json B.json       two reports have the same findings, but for where their documents are
    alike A.json B.json      the same, but for the iteration: a call that failed and was made again took one
    once BEFORE AFTER        two recordings of one run (argus replay -o json): the second goes on where the first ended, and no
                             tool call that has a result is in it again; one that failed may be
    record RECORD            every command that the fake server got has what it must have
"""
import json
import sys


def findings(path):
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    drop = {"id", "run", "run_id", "first_seen", "last_seen", "created_at", "where", "places", "samples", "sample_values",
            "examples", "key", "evaluation_id", "query_call_id", "counted_at"}
    out = []
    for finding in report["findings"]:
        out.append({k: v for k, v in finding.items() if k not in drop})
    return out


def unordered(v):
    """Lists, also those in the text of a query, in an order of their own: a server gives documents in another one."""
    if isinstance(v, dict):
        return {k: unordered(x) for k, x in v.items()}
    if isinstance(v, list):
        return sorted((unordered(x) for x in v), key=lambda x: json.dumps(x, sort_keys=True))
    if isinstance(v, str) and v[:1] in "{[":
        try:
            return unordered(json.loads(v))
        except ValueError:
            return v
    return v


def alike(a, b):
    same(a, b, {"iteration"})


def same(a, b, but=()):
    one, two = [[{k: v for k, v in f.items() if k not in but} for f in unordered(findings(x))] for x in (a, b)]
    if not one:
        sys.exit("no findings in %s" % a)
    by = lambda f: (f["field"], f["category"])
    if sorted(map(by, one)) != sorted(map(by, two)):
        sys.exit("only in one: %s" % sorted(set(map(by, one)) ^ set(map(by, two))))
    for x, y in zip(sorted(one, key=by), sorted(two, key=by)):
        if x != y:
            for k in sorted(set(x) | set(y)):
                if x.get(k) != y.get(k):
                    print(by(x), k, x.get(k), y.get(k))
            sys.exit(1)


NO_TIME = {"getMore", "killCursors", "endSessions", "isMaster", "ismaster", "hello", "saslStart", "saslContinue",
           "getLastRequestStatistics"}
COMMENTED = {"find", "count", "aggregate"}


def record(path):
    n = 0
    with open(path, encoding="utf-8") as f:
        for line in f:
            text = line[line.index("{"):]
            command = json.loads(text)
            name = next(iter(command))
            n += 1
            if name not in NO_TIME and not command.get("maxTimeMS"):
                sys.exit("no maxTimeMS: %s" % line[:200])
            if name in COMMENTED and not str(command.get("comment", "")).startswith("argus"):
                sys.exit("no comment: %s" % line[:200])
            if name == "find" and not command.get("batchSize"):
                sys.exit("no batchSize: %s" % line[:200])
    if n < 10:
        sys.exit("only %d commands" % n)


def events(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.startswith("{")]


def once(before, after):
    first, whole = events(before), events(after)
    if not first or whole[:len(first)] != first:
        sys.exit("the %d events of before are not the first of the %d after" % (len(first), len(whole)))
    if [e["seq"] for e in whole] != list(range(1, len(whole) + 1)):
        sys.exit("the numbers of the events have a gap")
    calls, done = {}, set()
    for e in whole:
        p = e["payload"]
        if e["type"] == "tool_input":
            call = p["tool"] + json.dumps(p["input"], sort_keys=True)
            if e["call_id"] in calls or call in done:
                sys.exit("called again: %.300s" % call)
            calls[e["call_id"]] = call
        elif e["type"] == "tool_output":
            call = calls.pop(e["call_id"])
            if p["ok"]:
                done.add(call)
    if len(done) < 10:
        sys.exit("only %d calls" % len(done))


if __name__ == "__main__":
    {"same": same, "alike": alike, "once": once, "record": record}[sys.argv[1]](*sys.argv[2:])
