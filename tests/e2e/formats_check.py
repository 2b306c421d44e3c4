"""Data for formats.sh, and checks of each format against the JSON output of the same data.

formats_check.py make FOLDER | same FILE FILE | schema SCHEMA FILE | FORMAT JSON FILE
Exits with 1 and a line for each thing that does not hold."""
import csv
import json
import os
import re
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

import saved_page

bad = []


def want(condition, text):
    if not condition:
        bad.append(text)


def make(folder):
    os.makedirs(folder + "/a, b")
    hostile = ["</failure>]]><script>alert(1)</script>", "=1+cmd|' /C calc'!A0", "\x1b[31mred\x00\x85\u2028\u202e",
               "| @everyone `x` **b** [l](javascript:1)", "::error file=x::boo%0A\r\n::set-env name=A::b"]
    names = ["plain", "x|y", "<b>&\"'", "-5", "n\nl", "p%, q:r", "`"]
    rows = []
    for i in range(400):
        row = {"_id": i, "amount": 5 + i % 70, "email": "a%d@example.org" % i}
        for k, name in enumerate(names):
            row[name] = "word %s %d" % ("abcdefg"[k], i % 19)
            if i % 25 == k:
                row[name] = None
            if i % 80 == 40 + k:
                row[name] = hostile[(i + k) % len(hostile)]
        if i % 40 == 3:
            row["amount"] = "N/A"
        rows.append(row)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    for path in ("orders.ndjson", "a, b/50%: <x>&'.ndjson", "a, b/=1+2.ndjson", "a, b/line\nbreak.ndjson"):
        with open(os.path.join(folder, path), "w") as f:
            f.write(text)
    with open(folder + "/clean.ndjson", "w") as f:
        f.writelines(json.dumps({"_id": i, "n": i * 7 % 1000}) + "\n" for i in range(300))
    with open(folder + "/some.ndjson", "w") as f:
        f.writelines(json.dumps({"_id": i, "n": i * 7 % 1000}) + "\n" for i in range(300))
        f.write('{"_id": 300, "n"\n')
    with open(folder + "/broken.bson", "wb") as f:
        f.write(b"\xff" * 400)
    with open(folder + "/packed.ndjson.gz", "wb") as f:
        f.write(b"\x1f\x8b\x08\x00")


class Output:
    """What JSON says: counted findings with their reports, and what was not checked."""

    def __init__(self, path):
        with open(path) as f:
            d = json.load(f)
        self.reports = d.get("reports", [d])
        self.everything = [(r, f) for r in self.reports for f in r["findings"]]
        self.counted = [(r, f) for r, f in self.everything if not f["set_aside"]]
        self.left_out = [x["source"] for x in d.get("failed", [])] + [x["path"] for x in d.get("skipped", [])]
        self.gaps = [(r, g) for r in self.reports for g in r["gaps"]]
        self.nout = len(self.left_out) + len(self.gaps)
        want(self.counted, "the data has no findings: nothing is tested")


def file_of(report):
    return report["source"]["uri"]


def is_harmless(text):
    for c in text:
        if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029\u202a\u202b\u202d\u202e\u2066\u2067"):
            want(False, "a control character: U+%04X" % ord(c))
            return


def check_short(o, text):
    lines = text.splitlines()
    want(len(lines) == len(o.counted) + o.nout, "%d lines" % len(lines))
    found = [line for line in lines if ": not checked: " not in line]
    want(len(found) == len(o.counted), "%d findings" % len(found))
    for line, (r, f) in zip(found, o.counted):
        want(re.match(r".+: (critical|high|medium|low): .+: [0-9,]+ of [0-9,]+ documents \(.*%\) \[\w+\]$", line), line)
        want(line.endswith("[%s]" % f["category"]) and ": %s: " % f["severity"] in line, line)


def check_csv(o, text):
    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    want(len(rows) == len(o.counted), "%d rows" % len(rows))
    for row, (r, f) in zip(rows, o.counted):
        want(None not in row and None not in row.values(), "a row of another width: %s" % row)
        want(int(row["affected_count"]) == f["affected_count"], "count of %s" % row)
        want(row["category"] == f["category"] and row["key"] == f["key"], "another finding: %s" % row)
        for value in row.values():
            want(value[:1] not in tuple("=+-@\t"), "a formula: %s" % value)


def check_markdown(o, text):
    rows = [line for line in text.splitlines() if re.match(r"\| \d+ \|", line)]
    want(len(rows) == len(o.counted), "%d rows" % len(rows))
    for line in rows:
        want(len(re.findall(r"(?<!\\)\|", line)) == 7, "cells of %s" % line)
    outside = re.sub(r"(`+) ?.*? ?\1", "", text)
    tags = re.findall(r"<[^>\n]*>", outside)
    want(set(tags) <= {"<details>", "</details>", "<summary>", "</summary>"}, "tags %s" % set(tags))
    want("@everyone" not in outside, "a name is called")
    want(text.count("- not checked: ") == o.nout, "what was not checked")


def decode(s):
    return re.sub(r"%([0-9A-F]{2})", lambda m: chr(int(m.group(1), 16)), s)


def check_github(o, text):
    lines = text.splitlines()
    want(len(lines) == len(o.counted) + o.nout, "%d lines" % len(lines))
    n = 0
    for line in lines:
        m = re.match(r"::(error|warning|notice) (?:file=([^,:]*),)?(?:line=(\d+),)?title=([^,:]*)::(.*)$", line)
        want(m, line)
        if not m or m.group(4) == "not checked":
            continue
        r, f = o.counted[n]
        n += 1
        want(decode(m.group(2) or "").replace("\\n", "\n") == file_of(r), "file of %s" % line)
        level = {"critical": "error", "high": "error", "medium": "warning", "low": "notice"}
        want(m.group(1) == level[f["severity"]], "level of %s" % line)
    want(n == len(o.counted), "%d findings" % n)


def check_junit(o, text):
    root = ElementTree.fromstring(text.encode())
    suites = root.findall("testsuite")
    for s in suites:
        for attribute, n in (("tests", len(s.findall("testcase"))), ("failures", len(s.findall("testcase/failure"))),
                             ("errors", len(s.findall("testcase/error")))):
            want(int(s.get(attribute)) == n, "%s of %s" % (attribute, s.get("name")))
    failures = root.findall("testsuite/testcase/failure")
    want([x.get("type") for x in failures] == [f["category"] for _, f in o.counted], "failures")
    want(len(root.findall("testsuite/testcase/error")) == o.nout, "errors")
    for x in root.iter():
        is_harmless((x.text or "") + "".join(x.attrib.values()))


def check_sarif(o, text):
    d = json.loads(text)
    run = d["runs"][0]
    rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
    want(len(rules) == len(set(rules)), "a rule twice")
    want(len(run["results"]) == len(o.everything), "%d results" % len(run["results"]))
    for x, (r, f) in zip(run["results"], o.everything):
        want(x["ruleId"] == f["category"] == rules[x["ruleIndex"]], "rule of %s" % x["message"])
        want(bool(x["suppressions"]) == bool(f["set_aside"]), "suppression of %s" % x["message"])
        for place in x["locations"]:
            uri = urllib.parse.unquote(place["physicalLocation"]["artifactLocation"]["uri"])
            want(os.path.samefile(uri, file_of(r)), "no such file: %s" % uri)
            line = place["physicalLocation"].get("region", {}).get("startLine")
            with open(uri) as data:
                want(line is None or 1 <= line <= sum(1 for _ in data), "line %s of %s" % (line, uri))
    told = run["invocations"][0]["toolExecutionNotifications"]
    want(len(told) == o.nout, "%d notifications" % len(told))
    failed = any("broken.bson" in x for x in o.left_out)
    want(run["invocations"][0]["executionSuccessful"] == (not failed), "whether it was successful")


def check_html(o, text):
    page, data = saved_page.read(text)
    bad.extend(page.bad)
    want(page.gaps == o.nout, "%d gaps" % page.gaps)
    for _, f in o.counted:
        want("%s" % f["category_title"] in page.text, "the plain form of %s" % f["field"])
    if data is None:
        return
    want(settled([r["findings"] for r in data["reports"]]) == settled([r["findings"] for r in o.reports]), "other findings")
    want([r["distributions"] for r in data["reports"]] == [r["distributions"] for r in o.reports], "other distributions")
    want(len(data["left_out"]) == len(o.left_out), "%d sources left out" % len(data["left_out"]))
    want(all("run_trace" not in r for r in data["reports"]), "the trace is saved")


CHANGES = {"id", "run_at", "duration_seconds", "created_at", "at", "evaluation_id", "query_call_id"}


def settled(v):
    """Without what differs between two runs."""
    if isinstance(v, dict):
        return {k: settled(x) for k, x in v.items() if k not in CHANGES}
    return [settled(x) for x in v] if isinstance(v, list) else v


def settled_page(text):
    head, mark, rest = text.partition('<script type="application/json" id="data">')
    if not mark:
        return text
    data, mark, rest = rest.partition("</script>")
    return head + json.dumps(settled(json.loads(data))) + rest


def check_schema(schema, path):
    import jsonschema
    with open(schema) as f:
        validator = jsonschema.Draft4Validator(json.load(f), format_checker=jsonschema.FormatChecker())
    with open(path) as f:
        for e in validator.iter_errors(json.load(f)):
            want(False, "%s: %s" % (list(e.path), e.message[:200]))


def main():
    what, args = sys.argv[1], sys.argv[2:]
    if what == "make":
        make(args[0])
    elif what == "schema":
        check_schema(*args)
    else:
        texts = []
        for path in args:
            with open(path, encoding="utf-8", newline="") as f:
                texts.append(f.read())
        # Durations differ between two runs.
        texts = [re.sub(r' time="[0-9.]+"|took [^<]*| · \d{4}-\d\d-\d\d [0-9:]+ UTC', "", text) for text in texts]
        if what == "same":
            texts = [settled_page(text) for text in texts]
            want(texts[0] == texts[1] and texts[0], "they differ")
        else:
            is_harmless(texts[1])
            globals()["check_" + what](Output(args[0]), texts[1])
    for line in bad[:20]:
        print(line)
    sys.exit(1 if bad else 0)


main()
