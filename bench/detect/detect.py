#!/usr/bin/env python3
"""What does `argus audit` find in ten domains with known damage? README.md says what is counted and how.

usage: ARGUS=PROGRAM detect.py [--half tune|more|real|clean|machine|held-out] [--domain NAME] [--seed N] [--show-missed] [--show-false]
                               [--repairs] [--json FILE] [--keep FOLDER]
"""
import argparse
import collections
import copy
import csv
import json
import os
import random
import resource
import sys
import subprocess
import tempfile

import damage
import evidence
import relations
import repairs
import score
from world import AS_OF, World

SHARES = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4)
DEFECTS_PER_COPY = 5


def domains_of(half):
    if half == "clean":
        import clean_records
        import clean_systems
        import clean_tables
        import clean_trades
        return clean_tables.DOMAINS + clean_systems.DOMAINS + clean_trades.DOMAINS + clean_records.DOMAINS
    if half == "machine":
        import clean_machine
        if clean_machine.MISSING:
            print("not on this machine: %s" % ", ".join(clean_machine.MISSING))
        return clean_machine.DOMAINS
    if half == "tune":
        import tune
        return tune.DOMAINS
    if half == "more":
        import tune_more
        return tune_more.DOMAINS
    if half == "real":
        import tune_real
        return tune_real.DOMAINS
    import held_out
    return held_out.DOMAINS


# ------------------------------------------------------------------------------------ files

def cell(v, decimal):
    if v is None:
        return ""
    if isinstance(v, bool):
        return "true" if v else "false"
    if decimal != "." and isinstance(v, float):
        return ("%.2f" % v if round(v, 2) == v else str(v)).replace(".", decimal)
    return str(v)


def write_docs(path, docs, domain, rows):
    form = domain.form
    with open(path, "w", encoding="utf-8", newline="") as f:
        if form == "csv":
            out = csv.writer(f, delimiter=domain.delimiter, lineterminator="\n")
            names = list(docs[0])
            out.writerow(names + ([evidence.ROW] if rows else []))
            for i, doc in enumerate(docs):
                out.writerow([cell(doc[k], domain.decimal) for k in names] + ([i] if rows else []))
            return
        lines = [json.dumps(dict(doc, **{evidence.ROW: i}) if rows else doc, ensure_ascii=False)
                 for i, doc in enumerate(docs)]
        f.write("[\n" + ",\n".join(lines) + "\n]\n" if form == "json" else "\n".join(lines) + "\n")


def write_folder(folder, domain, data):
    """Returns (what to audit, the file with rows)."""
    audited = os.path.join(folder, "data")
    os.makedirs(audited)
    suffix = "." + (domain.suffix or domain.form)
    write_docs(os.path.join(audited, data.main + suffix), data.docs, domain, False)
    for name, docs in data.others.items():
        write_docs(os.path.join(audited, name + suffix), docs, domain, False)
    shadow = os.path.join(folder, "rows" + suffix)
    write_docs(shadow, data.docs, domain, True)
    return (audited if data.others else os.path.join(audited, data.main + suffix)), shadow


# ------------------------------------------------------------------------------------ planting

class Planter:
    """Spreads the ways of damage over the copies of a half, so that each comes up at each share."""

    def __init__(self, rng):
        self.rng = rng
        self.used = collections.Counter()

    def options(self, domain, share):
        """(way, path or relation) pairs that fit, the least used ways first."""
        out = []
        for one in damage.WAYS:
            if domain.form in one.forms and share <= one.most and one.name not in domain.without:
                out += [(one.name, one, p) for p, kind in domain.kinds.items()
                        if kind in one.kinds and (one.optional or p not in domain.optional)]
        for name, (_, find, most) in relations.RELATIONS.items():
            if share <= most and not (name == "item_twice" and domain.form == "csv"):
                out += [(name, name, r) for r in find(domain)]
        self.rng.shuffle(out)
        return sorted(out, key=lambda o: (self.used[o[0], share], self.used[o[0], domain.name]))

    def plant(self, domain, data, share, w, most):
        near, taken, defects = relations.related(domain), set(), []
        whole = []
        for name, one, place in self.options(domain, share):
            if len(defects) + len(whole) == most:
                break
            paths = {damage.plain_path(p) for p in relations.fields_of(place)}
            reach = set().union(*(near.get(p, {p}) for p in paths)) if len(paths) > 1 else paths
            if taken & reach or any(d.way == name for d in defects):
                continue
            if name == "copied_document":
                whole = whole or [(name, place)]   # last, so that a copy has the damage of its original
                continue
            if isinstance(one, str):
                defect = relations.RELATIONS[one][0](domain, data, place, share, w)
            else:
                defect = damage.apply(data.docs, one, place, domain.kinds[place], share, w)
            if defect:
                defects.append(defect)
                taken |= reach
                self.count(name, share, domain)
        for name, place in whole:
            defect = relations.RELATIONS[name][0](domain, data, place, share, w)
            if defect:
                self.carry(defects, defect)
                defects.append(defect)
                self.count(name, share, domain)
        return defects

    def count(self, name, share, domain):
        self.used[name, share] += 1
        self.used[name, domain.name] += 1

    def carry(self, defects, copies):
        """A copied document has the damaged cells of its original."""
        for group in copies.groups:
            origin, twin = min(group), max(group)
            for d in defects:
                d.cells |= {(twin, p) for row, p in d.cells if row == origin}
                d.neutral |= {(twin, p) for row, p in d.neutral if row == origin}
                for members in d.groups:
                    if origin in members:
                        members.add(twin)


def plans_of(domain):
    """(share, size, number of defects) of each damaged copy."""
    for share in SHARES:
        for size in domain.sizes:
            if size * share < 0.5:
                continue
            turns = 1 if size > 10000 else 2 if size > 300 else 1
            for _ in range(turns):
                yield share, size, DEFECTS_PER_COPY + (1 if size > 300 else -2 if size < 30 else 0)


# ------------------------------------------------------------------------------------ running

class Runner:
    def __init__(self, program, folder):
        self.program, self.folder, self.n = program, folder, 0
        self.env = dict(os.environ, ARGUS_STORE="memory:", ARGUS_AS_OF=AS_OF)
        self.unread = []
        self.repairs = None

    def audit(self, domain, data, clean):
        """The findings on the damaged table, each with its cells; a list of Judged."""
        self.n += 1
        folder = os.path.join(self.folder, "%s-%03d" % (domain.name, self.n))
        audited, shadow = write_folder(folder, domain, data)
        command = [self.program, "audit", audited, "--output", "json", "--show-values", "--quiet"]
        written = [os.path.join(folder, name) for name in ("cells.ndjson", "repairs.ndjson")]
        if self.repairs:
            command += ["--cells", written[0], "--repairs", written[1]]
        ran = subprocess.run(command, env=self.env, stdout=subprocess.PIPE)
        if ran.returncode != 0:
            sys.exit("detect: audit of %s ended with %d" % (audited, ran.returncode))
        whole = json.loads(ran.stdout)
        out = []
        if self.repairs:
            text_of = (lambda v: cell(v, domain.decimal)) if domain.form == "csv" else None
            self.repairs.add(data.main, clean, text_of, *written)
        for report in whole.get("reports", [whole]):
            if report["status"] != "ok":
                sys.exit("detect: audit of %s: %s %s" % (audited, report["status"], report["status_reason"]))
            main = report["source"]["uri"].rsplit("/", 1)[-1].rsplit(".", 1)[0] == data.main
            out += [self.judged(f, shadow if main else None) for f in report["findings"]]
        return out

    def judged(self, finding, shadow):
        """A finding on another table has no damaged cell: all that it flags is false."""
        paths = evidence.paths_of(finding)
        rows = evidence.rows(self.program, shadow, finding["evidence_query"], self.env) if shadow else {-1}
        if rows is None:
            self.unread.append(finding)
        return score.Judged(finding, {(row, p) for row in rows or () for p in paths})

    def copy(self, domain, share, size, data, defects, clean):
        truth = score.Truth(defects, relations.related(domain))
        return score.Copy(domain, share, size, truth, self.audit(domain, data, clean.docs))


def run_half(domains, seed, runner):
    """(damaged copies, clean twins)"""
    copies, twins = [], []
    planter = Planter(random.Random("plan %d" % seed))
    for domain in domains:
        clean = {}
        for size in domain.sizes:
            clean[size] = domain.make(World(random.Random("%s %d %d" % (domain.name, size, seed))), size)
            twins.append(runner.copy(domain, 0, size, clean[size], [], clean[size]))
        for k, (share, size, most) in enumerate(plans_of(domain)):
            w = World(random.Random("%s %d %d %d" % (domain.name, size, k, seed)))
            data = copy.deepcopy(clean[size])
            defects = planter.plant(domain, data, share, w, most)
            if defects:
                copies.append(runner.copy(domain, share, size, data, defects, clean[size]))
    return copies, twins


# ------------------------------------------------------------------------------------ printing

def print_ways(copies):
    rows = collections.defaultdict(list)
    for c in copies:
        for d in c.truth.defects:
            rows[d.way].append((c.found(d, False), c.found(d, True), len(c.shown & d.cells) / len(d.cells)))
    print("\n%-22s %7s %7s %9s %7s" % ("damage", "defects", "recall", "above-low", "cell-R"))
    for name, seen in sorted(rows.items()):
        print("%-22s %7d %7s %9s %7s" % (name, len(seen), *(score.rate(score.mean([s[i] for s in seen])) for i in range(3))))


def print_half(half, copies, twins, whole):
    print("\n== %s half ==\n\n%s" % (half, score.HEAD))
    names = list(dict.fromkeys(c.domain.name for c in copies))
    rows = []
    for k, name in enumerate(names, 1):
        rows.append(score.figures(c for c in copies if c.domain.name == name))
        print(score.line(name if whole or half in ("more", "real") else "%s %d" % (half, k), rows[-1]))
    mean = [sum(r[i] for r in rows) if i in (0, 1, 4) else score.mean([r[i] for r in rows]) for i in range(9)]
    print(score.line("mean of domains", mean))
    print("\n" + score.HEAD)
    for share in SHARES:
        at = [c for c in copies if c.share == share]
        if at:
            print(score.line("share %g %%" % (share * 100), score.figures(at)))
    print_ways(copies)
    above = [f for t in twins for f in t.findings if f.above]
    clean = sum(1 for t in twins if not any(f.above for f in t.findings))
    print("\nclean twins: %d, without a finding above low: %d, findings above low: %d, low: %d" % (
        len(twins), clean, len(above), sum(len(t.findings) for t in twins) - len(above)))


def told(f):
    return "%s %s %s %d: %s" % (f.finding["field"], f.severity, f.category, f.finding["affected_count"],
                                (f.finding.get("detail") or f.finding["evidence_query"])[:300])


def title(c):
    return "%s, %d documents, %s" % (c.domain.name, c.size, "share %g %%" % (c.share * 100) if c.share else "clean")


def print_missed(copies):
    for c in copies:
        for d in c.truth.defects:
            if c.found(d, True):
                continue
            near = {cell for cell in d.cells}
            said = [told(f) for f in c.findings if f.hits & near or d.path.replace("[]", "") in evidence.paths_of(f.finding)]
            print("%s (%s): %s on %s, %d cells%s%s" % (
                "low only" if c.found(d, False) else "missed", title(c), d.way, d.path, len(d.cells),
                "".join("\n    e.g. " + e for e in d.examples), "".join("\n    said: " + s for s in said)))


def print_false(copies):
    for c in copies:
        for f in c.findings:
            if f.above and not f.right():
                print("false (%s), %d of %d cells right: %s" % (title(c), len(f.hits), len(f.hits) + len(f.wrong), told(f)))


def main():
    p = argparse.ArgumentParser(description="Measure what the auditor finds in ten domains with known damage.")
    p.add_argument("--half", choices=("tune", "more", "real", "clean", "machine", "held-out"), help="which domains; tune and held-out without it")
    p.add_argument("--domain", help="one domain")
    p.add_argument("--seed", type=int, default=1, help="another damage, and other values")
    p.add_argument("--show-missed", action="store_true", help="print every defect without a finding above low")
    p.add_argument("--show-false", action="store_true", help="print every wrong finding above low")
    p.add_argument("--repairs", action="store_true", help="print how many repairs are right")
    p.add_argument("--json", help="write the figures of each half there")
    p.add_argument("--keep", help="write the data there and leave it")
    args = p.parse_args()
    program = os.environ.get("ARGUS") or sys.exit("detect: set ARGUS to the program")
    halves = [args.half] if args.half else ["tune", "held-out"]
    figures, known = {}, False
    with tempfile.TemporaryDirectory() as scratch:
        for half in halves:
            domains = [d for d in domains_of(half) if args.domain in (None, d.name)]
            known = known or bool(domains)
            if not domains:
                continue
            runner = Runner(program, os.path.join(args.keep or scratch, half))
            runner.repairs = repairs.Tally() if args.repairs else None
            copies, twins = run_half(domains, args.seed, runner)
            print_half(half, copies, twins, half == "tune" or args.domain)
            if args.repairs:
                repairs.print_tally(runner.repairs, args.show_false and (half == "tune" or args.half or args.domain))
            if runner.unread:
                print("evidence that could not be run: %d findings" % len(runner.unread))
            if not (half != "held-out" or args.half or args.domain):
                print("its details: only with --half or --domain")
            else:
                if args.show_missed:
                    print_missed(copies)
                if args.show_false:
                    print_false(twins + copies)
            figures[half] = dict(zip(score.NAMES, score.figures(copies)))
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            own = resource.getrusage(resource.RUSAGE_SELF)
            print("CPU so far: %.0f s of the program, %.0f s of this script" % (
                used.ru_utime + used.ru_stime, own.ru_utime + own.ru_stime))
    if not known:
        sys.exit("detect: there is no domain called %s" % args.domain)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(figures, f, indent=1)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
