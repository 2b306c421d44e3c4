#!/usr/bin/env python3
"""Checks of tests/e2e/repair.sh.

    repair_check.py cells REPORT CELLS REPAIRS     the cells of each finding are the documents that it counts
    repair_check.py same CELLS CELLS               the same cells, apart from ids of findings
"""
import json
import sys


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


if __name__ == "__main__":
    {"cells": check_cells, "same": check_same}[sys.argv[1]](*sys.argv[2:])
