#!/usr/bin/env python3
"""How well does the auditor see? Precision, recall and false alarms on made data with known damage.

usage: ARGUS=PROGRAM accuracy.py [--seed N] [--rounds N] [--list] [--keep FOLDER]

Every maker of accuracy_data.py builds clean data sets of several sizes; every injector of
accuracy_damage.py damages copies of them, one to three fields each. The program audits all of them.

  found     the damage was reported on its field under a category that means it (also as a part)
  exact     ... with exactly the number of documents that were damaged
  alarm     a finding above low severity that is no planted damage. On a clean set every one is false; on a
            damaged copy only those that the clean original did not have, on whatever field
  precision found / (found + alarms named so)

--list prints every miss and every false alarm. The seed changes everything but the rules.
"""
import argparse
import collections
import copy
import csv
import datetime
import decimal
import json
import os
import random
import subprocess
import sys
import tempfile

import accuracy_damage as dmg
import accuracy_data as data

AS_OF = "2025-07-01"
SIZES = [200, 300, 500, 500, 900, 1500, 1500, 3000, 3000, 7000, 20000]
# What another field rightly shows when its neighbour was damaged.
ECHOES = {"arithmetic", "fd_violation", "date_order", "referential", "redundant"}
RANK = {"low": 0, "medium": 1, "high": 2, "critical": 3}


# ------------------------------------------------------------------------------------ files

def extended(value):
    if isinstance(value, datetime.datetime):
        return {"$date": value.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")}
    if isinstance(value, decimal.Decimal):
        return {"$numberDecimal": str(value)}
    raise TypeError(type(value))


def marked(value):
    """Ids and longs are str and int to json: mark them by hand."""
    if isinstance(value, data.Oid):
        return {"$oid": str(value)}
    if isinstance(value, data.Long):
        return {"$numberLong": str(int(value))}
    if isinstance(value, dict):
        return {k: marked(v) for k, v in value.items()}
    if isinstance(value, list):
        return [marked(v) for v in value]
    return value


def cell(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
    if isinstance(value, list):
        return ";".join(str(v) for v in value)
    return str(value)


def write_set(folder, name, docs, form):
    path = os.path.join(folder, "%s.%s" % (name, form))
    with open(path, "w", encoding="utf-8", newline="") as f:
        if form == "csv":
            out = csv.writer(f, lineterminator="\n")
            out.writerow(docs[0])
            out.writerows([cell(v) for v in doc.values()] for doc in docs)
            return
        lines = [json.dumps(marked(doc), ensure_ascii=False, default=extended) for doc in docs]
        f.write("[\n" + ",\n".join(lines) + "\n]\n" if form == "json" else "\n".join(lines) + "\n")


# ------------------------------------------------------------------------------------ what is planted

class Planted:
    def __init__(self, inj, path, fields, affected):
        self.inj, self.path, self.fields, self.affected = inj, path, fields, affected
        self.found = self.exact = False


class Case:
    """One data set: a clean one, or a damaged copy with its damage."""

    def __init__(self, name, clean, planted):
        self.name, self.clean, self.planted = name, clean, planted
        self.findings = []


def fitting(inj, made):
    if made.form not in inj.forms:
        return []
    if inj.kinds == ["whole"]:
        return [""]
    return [p for p, kind in made.kinds.items() if kind in inj.kinds]


def plan(rng, clean, rounds):
    """For each damaged copy: the clean set and its injectors. Every injector gets the same number of turns."""
    turns = [inj for inj in dmg.INJECTORS for _ in range(rounds)]
    rng.shuffle(turns)
    plans = []
    for inj in turns:
        # Copies of a very large set would only cost time.
        homes = [c for c in clean if fitting(inj, c[1]) and len(c[1].docs) <= 7000]
        open_plans = [p for p in plans if len(p[1]) < p[2] and inj not in p[1] and fitting(inj, p[0][1])]
        if open_plans and inj.kinds != ["whole"] and rng.random() < 0.6:
            rng.choice(open_plans)[1].append(inj)
        else:
            most = 1 if inj.kinds == ["whole"] else rng.choice([1, 2, 3])
            plans.append((rng.choice(homes), [inj], most))
    return plans


def make_copy(rng, name, origin, injectors):
    clean_name, made = origin
    m = data.Maker(rng)
    copied = data.Set(name, copy.deepcopy(made.docs), made.kinds, made.form)
    planted, used = [], set()
    for inj in injectors:
        free = [p for p in fitting(inj, copied) if p not in used]
        rng.shuffle(free)
        for path in free:
            done = dmg.damage(copied, inj, path, m)
            if done:
                used.add(path)
                planted.append(Planted(inj, path, *done))
                break
    return copied, Case(name, clean_name, planted)


# ------------------------------------------------------------------------------------ running

def audit(program, folder):
    env = dict(os.environ, ARGUS_STORE="memory:", ARGUS_AS_OF=AS_OF)
    ran = subprocess.run([program, "audit", folder, "--output", "json"], env=env, stdout=subprocess.PIPE)
    if ran.returncode != 0:
        sys.exit("accuracy: %s audit ended with %d" % (program, ran.returncode))
    whole = json.loads(ran.stdout)
    reports = whole.get("reports", [whole])
    out = {}
    for r in reports:
        if r["status"] != "ok":
            sys.exit("accuracy: audit of %s: %s %s" % (r["collection"], r["status"], r["status_reason"]))
        name = r["source"]["uri"].rstrip("/").rsplit("/", 1)[-1]
        out[name.rsplit(".", 1)[0]] = r["findings"]
    return out


# ------------------------------------------------------------------------------------ judging

def canonical(field):
    return field.replace("[]", "")


def claims(finding):
    yield finding["category"], finding["affected_count"]
    for part in finding.get("parts") or []:
        yield part["category"], part["affected_count"]


def shows(finding, planted):
    """Does the finding speak of this damage? -> (means it, count is exact)"""
    if planted.fields is not None and canonical(finding["field"]) not in map(canonical, planted.fields):
        return False, False
    right = [n for category, n in claims(finding) if category in planted.inj.accepted]
    return bool(right), planted.affected in right


def judge(case, clean_keys):
    """Marks what was found; returns the false alarms."""
    alarms = []
    for f in case.findings:
        meant = False
        for p in case.planted:
            right, exact = shows(f, p)
            p.found = p.found or right
            p.exact = p.exact or exact
            meant = meant or right or f["category"] in p.inj.side
        echo = case.planted and f["category"] in ECHOES
        old = (canonical(f["field"]), f["category"]) in clean_keys
        if RANK[f["severity"]] > 0 and not (meant or echo or old):
            alarms.append(f)
    return alarms


def rate(part, whole):
    return "%5.3f" % (part / whole) if whole else "    -"


def table(cases, clean_alarms, dirty_alarms):
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for c in cases:
        for p in c.planted:
            row = rows[p.inj.category]
            row[0] += 1
            row[1] += p.found
            row[2] += p.exact
    for _, f in clean_alarms + dirty_alarms:
        rows[f["category"]][3] += 1
    print("%-22s %8s %6s %6s %7s %9s %7s %6s" % (
        "category", "planted", "found", "exact", "alarms", "precision", "recall", "F1"))
    rows["all"] = [sum(r[i] for r in rows.values()) for i in range(4)]
    for name in sorted(rows, key=lambda n: (n == "all", n)):
        planted, found, exact, alarms = rows[name]
        print("%-22s %8d %6d %6d %7d %9s %7s %6s" % (
            name, planted, found, exact, alarms, rate(found, found + alarms), rate(found, planted),
            rate(2 * found, planted + found + alarms)))


def domains(clean, clean_alarms):
    per = collections.Counter(name for name, _ in clean_alarms)
    none = sum(1 for c in clean if not per[c.name])
    low = sum(1 for c in clean for f in c.findings if f["severity"] == "low")
    print("\nclean data sets: %d, without a false alarm: %d, false alarms per set: %.2f, at most %d; "
          "low findings per set: %.2f" % (len(clean), none, sum(per.values()) / len(clean),
                                          max(per.values(), default=0), low / len(clean)))


def listing(cases, clean_alarms, dirty_alarms):
    for c in cases:
        for p in c.planted:
            if not p.found or not p.exact:
                said = ["%s %d" % (f["category"], f["affected_count"]) for f in c.findings
                        if p.fields and canonical(f["field"]) in map(canonical, p.fields)]
                print("%s: %s %s (%s) %d documents; on the field: %s" % (
                    "count" if p.found else "missed", c.name, p.path, p.inj.name, p.affected,
                    "; ".join(said) or "nothing"))
    for what, alarms in (("clean", clean_alarms), ("damaged", dirty_alarms)):
        for name, f in alarms:
            print("alarm (%s): %s %s %s %s %d: %s" % (what, name, f["field"], f["severity"], f["category"],
                                                     f["affected_count"], f.get("detail") or f["evidence_query"]))


# ------------------------------------------------------------------------------------ main

def build(args, folder):
    rng = random.Random(args.seed)
    sizes = iter(lambda: rng.choice(SIZES), None)
    clean = []
    os.makedirs(os.path.join(folder, "clean"))
    os.makedirs(os.path.join(folder, "damaged"))
    for k in range(2):
        for make in data.MAKERS:
            made = make(data.Maker(random.Random(rng.random())), next(sizes))
            name = "%s-%d" % (made.name, k + 1)
            write_set(os.path.join(folder, "clean"), name, made.docs, made.form)
            clean.append((name, made))
    damaged = []
    for i, (origin, injectors, _) in enumerate(plan(rng, clean, args.rounds)):
        name = "%s-%03d" % (origin[0], i)
        copied, case = make_copy(random.Random(rng.random()), name, origin, injectors)
        write_set(os.path.join(folder, "damaged"), name, copied.docs, copied.form)
        damaged.append(case)
    return [Case(name, None, []) for name, _ in clean], damaged


def run(args, folder):
    clean, damaged = build(args, folder)
    program = os.environ.get("ARGUS")
    if not program:
        sys.exit("accuracy: set ARGUS to the program")
    clean_findings = audit(program, os.path.join(folder, "clean"))
    damaged_findings = audit(program, os.path.join(folder, "damaged"))
    clean_alarms, damaged_alarms, keys = [], [], {}
    for c in clean:
        c.findings = clean_findings[c.name]
        keys[c.name] = {(canonical(f["field"]), f["category"]) for f in c.findings}
        clean_alarms += [(c.name, f) for f in judge(c, set())]
    for c in damaged:
        c.findings = damaged_findings[c.name]
        damaged_alarms += [(c.name, f) for f in judge(c, keys[c.clean])]
    if args.list:
        listing(damaged, clean_alarms, damaged_alarms)
        print()
    table(damaged, clean_alarms, damaged_alarms)
    domains(clean, clean_alarms)


def main():
    p = argparse.ArgumentParser(description="Measure the auditor on made data.")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rounds", type=int, default=8, help="turns of each injector")
    p.add_argument("--list", action="store_true", help="print every miss and false alarm")
    p.add_argument("--keep", help="write the data there and leave it")
    args = p.parse_args()
    if args.keep:
        run(args, args.keep)
        return
    with tempfile.TemporaryDirectory() as folder:
        run(args, folder)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
