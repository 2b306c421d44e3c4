#!/usr/bin/env python3
"""Does the evidence about a CSV or TSV file count the same after an import into MongoDB?

usage: csv_import.py PROGRAM FOLDER

A folder of damaged tables is made and audited. The loader below writes each table as the documents that mongoimport
--type csv|tsv --headerline makes of it, with the types of BSON, and every evidence query runs on both.

mongoimport's rules, without --columnsHaveTypes and --ignoreBlanks:
  - a byte order mark is left out; white space in front of a cell of a CSV is left out, and kept behind it
  - a TSV is cut at tabs: quotes mean nothing
  - a whole number in decimal digits, with or without a sign and with zeros in front, becomes an int, a long when it needs
    more than 32 bits
  - else what Go's strconv.ParseFloat() reads becomes a double: 1.5, .5, 5., 1e3, NaN, Inf, hexadecimal with an exponent;
    not what overflows, no decimal comma, no groups of thousands
  - everything else becomes a text: an empty cell is "", a date and true or false are texts
  - a dot in a name makes an object; a cell that a short row lacks is a field that is not there
"""
import csv
import json
import math
import os
import random
import re
import subprocess
import sys

INT = re.compile(r"[+-]?[0-9]+\Z")
FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z|[+-]?inf(inity)?\Z|nan\Z|"
                   r"[+-]?0x[0-9a-f]*\.?[0-9a-f]*p[+-]?[0-9]+\Z", re.I)


def imported(cell):
    """One cell as relaxed extended JSON."""
    if INT.match(cell) and -2 ** 63 <= int(cell) < 2 ** 63:
        return int(cell)
    if not FLOAT.match(cell):
        return cell
    low = cell.lower()
    if "n" in low:
        return {"$numberDouble": "NaN" if low == "nan" else "-Infinity" if low[0] == "-" else "Infinity"}
    v = float.fromhex(cell) if "x" in low else float(cell)
    return cell if math.isinf(v) else v


def records(path):
    with open(path, encoding="utf-8-sig", newline="") as f:
        if path.endswith(".tsv"):
            for line in f:
                yield line.rstrip("\r\n").split("\t")
        else:
            yield from csv.reader(f, skipinitialspace=True)


def load(path, to):
    rows = records(path)
    names = [n.split(".") for n in next(rows)]
    with open(to, "w", encoding="utf-8") as out:
        for row in rows:
            doc = {}
            for name, cell in zip(names, row):
                at = doc
                for part in name[:-1]:
                    at = at.setdefault(part, {})
                at[name[-1]] = imported(cell)
            out.write(json.dumps(doc, ensure_ascii=False) + "\n")


# ------------------------------------------------------------------------------------ tables

CITIES = {"10115": "Berlin", "20095": "Hamburg", "50667": "Köln", "80331": "München", "60311": "Frankfurt"}


def row_of(rng, i):
    zip_code = rng.choice(list(CITIES))
    net = round(rng.lognormvariate(3, 0.5), 2)
    tax = round(net * 0.19, 2)
    return {"order_no": "A-%05d" % i, "placed": "2024-%02d-%02d" % (rng.randint(1, 12), rng.randint(1, 28)),
            "shipped": "2025-0%d-%02d" % (rng.randint(1, 5), rng.randint(1, 28)), "zip": zip_code, "city": CITIES[zip_code],
            "email": "u%d@example.org" % i, "qty": str(rng.randint(1, 9)), "net": str(net), "tax": str(tax),
            "total": str(round(net + tax, 2)), "status": rng.choice(["open", "paid", "sent"]), "gift": rng.choice(["true", "false"]),
            "weight": str(round(rng.gauss(20, 3), 1)), "customer.name": rng.choice(["Ada Lind", "Nils Moor", "Olga Berg"])}


# What one row in so many is made of; each on a copy of its own field, so that the findings do not hide each other.
DAMAGE = {
    "empty": ("email", 9, lambda v, r: ""), "null_word": ("city", 11, lambda v, r: "N/A"), "nan": ("weight", 13, lambda v, r: "NaN"),
    "text": ("qty", 10, lambda v, r: "many"), "unit": ("weight", 12, lambda v, r: v + " kg"), "sentinel": ("qty", 15, lambda v, r: "-1"),
    "day": ("placed", 14, lambda v, r: "1970-01-01"), "future": ("placed", 40, lambda v, r: "2091-03-04"),
    "words": ("placed", 10, lambda v, r: "soon"), "case": ("city", 16, lambda v, r: v.upper()), "typo": ("status", 70, lambda v, r: v + "d"),
    "zip": ("city", 30, lambda v, r: "Berlin"), "sum": ("total", 12, lambda v, r: str(round(float(v) + 5, 2))),
    "far": ("net", 150, lambda v, r: "987654.5"), "address": ("email", 10, lambda v, r: "nobody at home"),
    "form": ("order_no", 60, lambda v, r: v.replace("-", "_")), "twice": ("order_no", 50, lambda v, r: "A-00007"),
    "marks": ("city", 25, lambda v, r: v + ","), "minus": ("qty", 25, lambda v, r: "-" + v), "order": ("shipped", 30, lambda v, r: "2023-11-0%d" % r.randint(1, 9)),
    "flag": ("gift", 18, lambda v, r: "maybe"), "broken": ("city", 20, lambda v, r: v.replace("ö", "Ã¶").replace("ü", "Ã¼")),
    "comma": ("net", 10, lambda v, r: v.replace(".", ",")), "blanks": ("city", 20, lambda v, r: v + "  ")}


def make(folder):
    for k, (name, (field, every, change)) in enumerate(DAMAGE.items()):
        rng = random.Random(name)
        rows = [row_of(rng, i) for i in range(600)]
        for i in range(k % every, len(rows), every):
            rows[i][field] = change(rows[i][field], rng)
        suffix = "tsv" if k % 4 == 3 else "csv"
        with open(os.path.join(folder, "%s.%s" % (name, suffix)), "w", encoding="utf-8", newline="") as f:
            out = csv.writer(f, delimiter="\t" if suffix == "tsv" else ",", lineterminator="\n", quoting=csv.QUOTE_NONE if suffix == "tsv" else csv.QUOTE_MINIMAL)
            out.writerow(list(rows[0]))
            out.writerows(r.values() for r in rows)


# ------------------------------------------------------------------------------------ both counts

def count(program, path, query):
    asked = json.loads(query)
    if not isinstance(asked, list):
        asked = [{"$match": asked}, {"$count": "n"}]
    ran = subprocess.run([program, "query", path, json.dumps(asked), "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ran.returncode:
        sys.exit("csv_import: %s: %s" % (query, ran.stderr.decode()))
    return ran.stdout.decode()


def main():
    program, folder = sys.argv[1:]
    make(folder)
    same = 0
    for name in sorted(os.listdir(folder)):
        path, copy = os.path.join(folder, name), os.path.join(folder, "imported.ndjson")
        if not name.endswith(("csv", "tsv")):
            continue
        ran = subprocess.run([program, "audit", path, "--no-history", "--output", "json", "--show-values", "--quiet", "--as-of", "2025-07-01"], stdout=subprocess.PIPE)
        load(path, copy)
        for f in json.loads(ran.stdout)["findings"]:
            a, b = count(program, path, f["evidence_query"]), count(program, copy, f["evidence_query"])
            if a == b:
                same += 1
            else:
                print("not ok - %s: %s %s counts %s, after an import %s: %s" % (
                    name, f["field"], f["category"], a.strip(), b.strip() or 0, f["evidence_query"]))
    print("%s - %d findings count the same after an import" % ("ok" if same >= len(DAMAGE) else "not ok", same))


main()
