"""Counting, for bench/detect: what is found, what is false, per defect and per cell. README.md has the rules."""
import collections

ABOVE_LOW = {"medium", "high", "critical"}
# These findings describe a form, and everything that does not have it. Honest exceptions are part of that.
PATTERNS = {"pattern_violation", "invalid_format", "mixed_date_formats", "ambiguous_date", "truncation", "drift"}
# A finding of one of these is about the document and not about a field.
WHOLE = {"duplicates", "duplicate_document"}


class Judged:
    """A finding with the cells it flags."""

    def __init__(self, finding, cells):
        self.finding, self.cells = finding, cells
        self.category, self.severity = finding["category"], finding["severity"]
        self.above = self.severity in ABOVE_LOW
        self.hits, self.wrong = set(), set()    # damaged cells that it shows; cells that it flags without reason

    def share(self):
        told = len(self.hits) + len(self.wrong)
        return len(self.hits) / told if told else (1.0 if self.cells else 0.0)

    def right(self):
        return self.share() >= (0.5 if self.category in PATTERNS else 0.9)

    def means(self):
        """Does it show its damage at all? A finding that flags everything finds nothing."""
        return self.share() >= 0.5


class Truth:
    """All damaged cells of one copy."""

    def __init__(self, defects, near):
        self.defects, self.near = defects, near
        self.cells = set().union(*(d.cells for d in defects)) if defects else set()
        self.neutral = set().union(*(d.neutral for d in defects)) if defects else set()
        self.echo = collections.defaultdict(set)   # (row, path) -> damaged cells that it may show
        self.rows = collections.defaultdict(set)
        for cell in self.cells:
            for path in near.get(cell[1], {cell[1]}):
                self.echo[cell[0], path].add(cell)
        for d in defects:
            if d.way == "copied_document":
                for cell in d.cells:
                    self.rows[cell[0]].add(cell)
        self.groups = [(d, g) for d in defects for g in d.groups]
        self.twins = set().union(*(g for d, g in self.groups if d.way == "copied_document"))

    def judge(self, judged):
        spared = self.forgiven(judged)
        for cell in judged.cells:
            shown = {cell} if cell in self.cells else self.echo.get(cell)
            if not shown and judged.category in WHOLE:
                shown = self.rows.get(cell[0])
            if shown:
                judged.hits |= shown
            elif cell not in self.neutral and not self.is_original(judged, cell):
                judged.wrong.add(cell)
        judged.hits |= spared

    def is_original(self, judged, cell):
        return judged.category in WHOLE and cell[0] in self.twins

    def forgiven(self, judged):
        """All members of a group of repeated keys but one are as good as all of them."""
        out = set()
        if judged.category not in WHOLE:
            return out
        rows = collections.defaultdict(set)
        for row, path in judged.cells:
            rows[path].add(row)
            rows[""].add(row)
        for d, group in self.groups:
            flagged = rows["" if d.way == "copied_document" else d.path]
            if len(group & flagged) >= max(1, len(group) - 1):
                out |= {c for c in d.cells if c[0] in group}
        return out


class Copy:
    """The result of one damaged copy, or of a clean twin."""

    def __init__(self, domain, share, size, truth, findings):
        self.domain, self.share, self.size, self.truth, self.findings = domain, share, size, truth, findings
        for f in findings:
            truth.judge(f)
        above = [f for f in findings if f.above]
        self.shown = set().union(*(f.hits for f in above)) if above else set()
        self.false = set().union(*(f.wrong for f in above)) if above else set()

    def found(self, defect, above_only):
        seen = set()
        for f in self.findings:
            if (f.above or not above_only) and f.means():
                seen |= f.hits & defect.cells
        return len(seen) * 2 >= len(defect.cells)

    def cells(self):
        """(precision, recall, F1) of the cells; precision is None when nothing is flagged."""
        flagged = len(self.shown) + len(self.false)
        p = len(self.shown) / flagged if flagged else None
        r = len(self.shown & self.truth.cells) / len(self.truth.cells)
        return p, r, 2 * p * r / (p + r) if p and p + r else 0.0


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def rate(v):
    return "    -" if v is None else "%5.3f" % v


def figures(copies):
    """The figures of some copies, in the order of NAMES."""
    copies = list(copies)
    defects = [(c, d) for c in copies for d in c.truth.defects]
    above = [f for c in copies for f in c.findings if f.above]
    cells = [c.cells() for c in copies]
    p, r = mean([x[0] for x in cells]), mean([x[1] for x in cells])
    return (len(copies), len(defects), mean([c.found(d, False) for c, d in defects]),
            mean([c.found(d, True) for c, d in defects]), len(above), mean([f.right() for f in above]),
            p, r, mean([x[2] for x in cells]))


NAMES = ("copies", "defects", "recall", "recall_above_low", "findings_above_low", "finding_precision",
         "cell_precision", "cell_recall", "cell_f1")
HEAD = "%-22s %6s %7s %7s %9s %8s %9s   %6s %6s %6s" % (
    "", "copies", "defects", "recall", "above-low", "findings", "precision", "cell-P", "cell-R", "cell-F1")


def line(name, values):
    copies, defects, recall, above, findings, precision, p, r, f1 = values
    return "%-22s %6d %7d %7s %9s %8d %9s   %6s %6s %6s" % (
        name, copies, defects, rate(recall), rate(above), findings, rate(precision), rate(p), rate(r), rate(f1))
