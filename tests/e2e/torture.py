#!/usr/bin/env python3
"""One failing call after the other: for every point of AG_FAULT, n = 1, 2, 3, ... until the program no longer gets that far;
each n once ("point:n") and for good ("point:n+"). After each run: the right exit code, one clear error, no half-written
file, and a store that opens, has lost nothing and shows what is in it.

usage: torture.py [--all] [POINT...]     ARGUS = path of the program
  without --all (or ARGUS_LONG) n goes up to 2 only
Prints one `ok - name` or `not ok - name` line per scenario and point.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import torture_check

SECONDS = 20  # for one run
FAILURES = 5  # of one point in one scenario; no more are shown
LISTED_LATE = re.compile(r"^argus: warning: (.*; this run is listed only after its data is read$|the tables could not be read: |references to )")
NEIGHBOUR = re.compile(r"^argus: warning: references to .* were not checked: ", re.M)
KNOWN_ERROR = re.compile(r"^(argus: .|       [^ ]|fault: )")
TOLD = re.compile(r"^fault: [a-z.]*: (\d+) calls, (\d+) failed$", re.M)
DATA = "data/orders.ndjson"

# name: the store before (None: a new one), arguments (S: the folder of the scenario, ID: a report of the store)
SCENARIOS = {
    "first": (None, "audit data --output json --out S/out/report.json --quiet --store S/store/x.db"),
    "again": ("one", "audit data/orders.ndjson data/list.json --quiet --store S/store/x.db"),
    "out": ("one", "audit data/orders.ndjson --out S/out/report.json --quiet --store S/store/x.db"),
    # What comes through a pipe is kept in a file of its own.
    "stdin": ("one", "audit - --quiet --store S/store/x.db"),
    "verify": ("one", "verify last --store S/store/x.db"),
    "verify_file": ("one", "verify report.json --quiet"),
    "repair": ("one", "repair last --quiet --store S/store/x.db"),
    "show": ("one", "show last --trace --store S/store/x.db"),
    # A run whose last commit failed: its report is made from its log.
    "show_killed": ("killed", "show last --trace --store S/store/x.db"),
    "purge": ("one", "purge --quiet --older-than 0 --store S/store/x.db"),
    "inspect": ("one", "inspect data"),
    # A person's word: event, row and report, or nothing.
    "rate": ("one", "rate ID email fp --store S/store/x.db"),
    "history": ("one", "history data/orders.ndjson --store S/store/x.db"),
    "diff": ("two", "diff --store S/store/x.db"),
    # A turn of a conversation: a script in the place of a model, a query in a child, an answer.
    "chat": ("one", "chat --demo -q 'How many customers are there?' --quiet --store S/store/x.db"),
}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


class Run:
    """The program, once, with that fault: out, err, code (None: no end), and the counts that it tells."""

    def __init__(self, folder, fault, argv, piped=None):
        env = dict(os.environ, XDG_STATE_HOME=os.path.abspath(os.path.join(folder, "state")))
        if fault:
            env["AG_FAULT"] = fault
        if piped:
            stdin, feed = os.pipe()
            os.write(feed, piped)  # less than a pipe holds
            os.close(feed)
        else:
            stdin = os.open("/dev/null", os.O_RDONLY)
        names = [os.path.join(folder, "out.txt"), os.path.join(folder, "err.txt")]
        try:
            with open(names[0], "wb") as out, open(names[1], "wb") as err:
                try:
                    self.code = subprocess.run([os.environ["ARGUS"]] + argv, env=env, stdin=stdin, stdout=out,
                                               stderr=err, timeout=SECONDS, check=False).returncode
                except subprocess.TimeoutExpired:
                    self.code = None
        finally:
            os.close(stdin)
        self.out, self.err = [read(n) for n in names]
        told = TOLD.findall(self.err)
        self.ncall, self.nfailed = [int(n) for n in told[0]] if len(told) == 1 else (None, None)


class Scenario:
    def __init__(self, name, most, report_id):
        self.name, self.most = name, most
        self.before, words = SCENARIOS[name]
        self.argv = [w.replace("S/", name + "/") if w != "ID" else report_id for w in shlex.split(words)]
        self.store = os.path.join(name, "store")
        self.report = os.path.join(name, "out", "report.json")
        self.piped = None
        self.lines = []
        self.reached = set()
        self.shown = {}  # what `runs` and `show` said of a store with these bytes
        self.why = ""
        os.mkdir(name)

    def prepare(self):
        for part in ("out", "store"):
            shutil.rmtree(os.path.join(self.name, part), ignore_errors=True)
        os.mkdir(os.path.join(self.name, "out"))
        if self.before:
            shutil.copytree("store." + self.before, self.store)
        else:
            os.mkdir(self.store)
            with open(self.report, "w", encoding="utf-8") as f:
                f.write("old\n")
        if self.name == "stdin":
            with open(DATA, "rb") as f:
                self.piped = f.read()

    def complain(self, text):
        self.why = self.why or text

    def check_code(self, r, point):
        """A thread that cannot be started only makes it slower. A run that cannot be listed before its data is read is
        listed afterwards, with a warning. A lease that cannot be given back ends by itself. In both cases nothing may be
        missing (check_store). A file that cannot be read when another one's references are checked is a warning."""
        if r.code is None:
            self.complain("no end within %d s" % SECONDS)
        elif r.nfailed is None:
            self.complain("exit code %d, and no word about the fault" % r.code)
        elif r.nfailed == 0:
            if r.code != 0:
                self.complain("exit code %d without a fault" % r.code)
        elif point == "thread.start":
            if r.code != 0:
                self.complain("exit code %d, want 0" % r.code)
        elif r.code == 0 and (
                point == "input.open" and NEIGHBOUR.search(r.err) or
                self.name in ("first", "again", "out", "stdin", "chat") and re.match(r"store\.[lbwcr]", point) or
                self.name == "rate" and re.match(r"store\.[lbwc]", point)):
            pass
        elif r.code != 1:
            self.complain("exit code %d, want 1" % r.code)

    def check_errors(self, r, onwards):
        """One error, with at most a hint (indented) below it. With "n+", each collection may have its own."""
        lines = r.err.splitlines()
        nerror = sum(x.startswith("argus: ") and not LISTED_LATE.match(x) for x in lines)
        if not all(KNOWN_ERROR.match(x) for x in lines):
            self.complain("something else on standard error")
        elif r.code == 0:
            if nerror:
                self.complain("an error, and exit code 0")
        elif nerror == 0:
            self.complain("no error")
        elif nerror > 1 and not onwards:
            self.complain("%d errors" % nerror)
        elif nerror > 3:
            self.complain("%d errors of at most 3 collections" % nerror)

    def check_out(self, r, point):
        if set(os.listdir(os.path.join(self.name, "out"))) - {"report.json"}:
            self.complain("a temporary file is left")
        elif point.startswith("file.") and r.nfailed and os.path.exists(self.report) and read(self.report) != "old\n":
            self.complain("the file of --out was written")

    def check_store(self, r, point):
        h = hashlib.sha256()
        for name in sorted(n for n in os.listdir(self.store) if n != "tables"): # the example shop, beside the store
            with open(os.path.join(self.store, name), "rb") as f:
                data = f.read()
            h.update(b"%s %d\n%s" % (name.encode(), len(data), data))
        # A statement whose audit row cannot be committed does not run; the answer says so.
        is_told = "\nargus: warning: " in "\n" + r.err or "did not run" in r.out
        silent = 0 if is_told else r.nfailed or 0
        wrong = torture_check.wrong(os.path.join(self.store, "x.db"), self.name, self.report, r.code, point, silent)
        if wrong:
            self.complain(wrong)
        # A store that is byte for byte as it was after another fault shows the same: one start of each command will do.
        if h.digest() not in self.shown:
            store = ["--store", os.path.join(self.store, "x.db")]
            self.shown[h.digest()] = (Run(self.name, None, ["runs"] + store),
                                      Run(self.name, None, ["show", "last", "--trace"] + store))
        runs, show = self.shown[h.digest()]
        if runs.code != 0:
            self.complain("argus runs: " + runs.err.partition("\n")[0])
        if self.name != "show_killed" and point not in ("store.begin", "store.write", "store.commit"):
            if " running " in runs.out:
                self.complain("a run has no end, though the store could be written")
        if show.code == 0:
            if not show.out or show.err:
                self.complain("argus show last: says nothing")
        elif self.name == "first" and "has no events: nothing was checked" in show.err:
            pass  # none of its runs could read its data
        elif self.name == "chat" and "has no answer: it was stopped before" in show.err:
            pass  # its end could not be written; --continue finishes it
        elif "the store has no run yet" not in show.err:
            self.complain("argus show last: " + show.err.partition("\n")[0])

    def attempt(self, point, n, onwards):
        """-> how many calls failed"""
        self.why = ""
        self.prepare()
        fault = "%s:%d%s" % (point, n, "+" if onwards else "")
        r = Run(self.name, fault, self.argv, self.piped)
        self.check_code(r, point)
        self.check_errors(r, onwards)
        if r.nfailed != 0:
            self.check_out(r, point)
            self.check_store(r, point)
        if self.why:
            self.lines.append("not ok - %s: AG_FAULT=%s: %s" % (self.name, fault, self.why))
            self.lines += ["  err: " + x for x in r.err.splitlines()[:30]]
        return r.nfailed

    def count(self, point):
        """Upwards until the program does not get that far."""
        n, failures = 1, 0
        while n <= self.most and failures < FAILURES:
            nfailed = self.attempt(point, n, False)
            failures += bool(self.why)
            if nfailed == 0:
                break
            self.attempt(point, n, True)
            failures += bool(self.why)
            self.reached.add(point)
            n += 1
        if not failures and n > 1:
            self.lines.append("ok - %s: %s fails, calls 1 to %d" % (self.name, point, n - 1))

    def run(self, points):
        for p in points:
            self.count(p)
        return self


def make_data():
    os.mkdir("data")
    with open(DATA, "w", encoding="utf-8") as f:
        for i in range(60):
            mail = "null" if i % 10 == 3 else '"user%d@example.org"' % i
            total = '"%d"' % i if i % 7 == 2 else "%d" % i
            f.write('{"_id":%d,"email":%s,"total":%s,"state":"open"}\n' % (i, mail, total))
    for name, text in (("data/people.csv", "id,name\n1,Ann\n2,Bob\n2,Cy\n"),
                       ("data/list.json", '[{"_id":1,"n":1},{"_id":2,"n":2}]\n'),
                       ("argus.yaml", "threads: 3\n")):
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)


def say(good, name):
    print("%s - %s" % ("ok" if good else "not ok", name), flush=True)
    return good


def check_fault():
    """The fault itself. -> its points, whether all is well"""
    listed = Run(".", "list", [])
    lines = listed.out.splitlines()
    if not say(lines and all(re.match(r"[a-z]+\.[a-z]+ +[a-z]", x) for x in lines), "AG_FAULT=list"):
        sys.exit(1)
    good = True
    for text in ("store.comit:3", "store.commit", "store.commit:0", "store.commit:3x", "store.commit:"):
        r = Run(".", text, ["audit", "data", "--store", "memory:"])
        good &= say(r.code == 2 and "\nargus: AG_FAULT: " in "\n" + r.err and not r.out, "AG_FAULT=%s is refused" % text)
    return [x.split()[0] for x in lines], good


def make_stores():
    """The folders store.one, store.two and store.killed. -> the id of a report, whether all is well"""
    audit = ["audit", DATA, "--quiet", "--store", "store/x.db"]
    os.mkdir("store")
    first = Run(".", "store.commit:100000", ["audit", "data", "--output", "json", "--quiet", "--store", "store/x.db"])
    shutil.copytree("store", "store.one")
    with open("report.json", "w", encoding="utf-8") as f:
        f.write(first.out)
    report_id = [r["id"] for r in json.loads(first.out)["reports"] if r["collection"] == "orders"][0]
    Run(".", "store.commit:100000", audit)
    os.rename("store", "store.two")
    os.mkdir("store")
    ncall = Run(".", "store.commit:100000", audit).ncall
    shutil.rmtree("store")
    os.mkdir("store")
    # The last commit gives the lease back.
    killed = Run(".", "store.commit:%d" % (ncall - 1), audit)
    os.rename("store", "store.killed")
    return report_id, say(killed.code == 1 and killed.nfailed == 1, "a run that cannot be finished")


def torture(most, points):
    make_data()
    known, good = check_fault()
    report_id, made = make_stores()
    good &= made
    # No scenario here talks to a server or is one: the net.* points are failed one by one in tests/unit/test_net_http.c, and
    # store.sync in tests/unit/test_project_journal.c.
    points = points or [p for p in known if not p.startswith("net.") and p != "store.sync"]
    scenarios = [Scenario(name, most, report_id) for name in SCENARIOS]
    reached = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for s in pool.map(lambda s: s.run(points), scenarios):
            print("\n".join(s.lines), flush=True)
            good &= not any(x.startswith("not ok") for x in s.lines)
            reached |= s.reached
    for p in points:
        if p not in reached:
            good = say(False, p + ": no scenario gets there")
    return good


def main():
    points = sys.argv[1:]
    everything = points[:1] == ["--all"]
    for name in ("NO_COLOR", "AG_FAULT"):
        os.environ.pop(name, None)
    os.environ["ARGUS"] = os.path.abspath(os.environ["ARGUS"])
    # AddressSanitizer's own exit code is 1, which is what a clean failure has.
    asan = os.environ.get("ASAN_OPTIONS", "")
    if "exitcode=" not in asan:
        os.environ["ASAN_OPTIONS"] = (asan + ":" if asan else "") + "exitcode=99"
    # In memory where possible: what fails is injected, and each run syncs its store many times.
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(dir=base) as folder:
        os.chdir(folder)
        os.environ.update(HOME=folder, LC_ALL="C.UTF-8")
        good = torture(100000 if everything or os.environ.get("ARGUS_LONG") else 2, points[everything:])
        os.chdir("/")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
