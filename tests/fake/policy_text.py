"""What policy_model.py can do with text: words, Markdown sections with GitHub's anchors, ranking. It knows nothing of any
project. Its reader of Markdown is a small one of its own and on purpose not that of the program under test."""
import functools
import math
import re
import unicodedata

STOP = set("""a about all also am an and any are as at be been before being but by can could did do does doing done each else
ever every for from get gets give given go goes going had has have having he her here hers him his how i if in into is it
its just like made make makes many may me might more most much must my need needs no nor not now of off on once one only
or other our ours out over own please project run s same say says she should so some such t take tell than that the their
them then there these they thing things this those to too up us use used using very was we were what when where which
while who whom why will with without would you your wiki documentation docs according page pages step steps happens
explain describe mean means work works want way ways""".split())

# Words that people use for one another; each is worth half of the word itself.
ALIKE = [
    "vm virtual machine server host", "delete remove erase wipe", "create make generate new", "copy backup",
    "fix resolve repair mend", "start launch bring", "error bug failure crash fail", "change edit modify update",
    "show see list view read", "protect lock guard", "key token secret password credential", "db database sqlite",
    "folder directory", "user person people member account colleague", "roll revert undo back", "etl pipeline sync load",
    "save keep store", "restore recover", "deploy ship release", "log logs", "connect login access", "request call",
    "container docker", "pr pull request", "laptop computer", "allow permit", "check test verify",
]


def plain(text):
    """words and blanks, lower case: for comparing phrases"""
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def stem(word):
    for end in ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "es", "ed", "er", "s", "e", "y"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word[:-len(end)]
            break
    # doubled consonants: "stopp" of "stopped"
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word


def words(text, stop=True):
    """stems in order of appearance, each once; identifiers also in their parts"""
    return list(_words(text, stop))


@functools.lru_cache(maxsize=50000)  # a plan is played again for each request, over the same texts
def _words(text, stop):
    ret = []
    for token in re.findall(r"[^\W_]+(?:[_.'’-][^\W_]+)*", text.lower()):
        parts = re.split(r"[_.'’-]", token)
        for w in ([token] if len(parts) > 1 else []) + parts:
            if (len(w) < 2 and not w.isdigit()) or (stop and w in STOP):
                continue
            w = stem(w)
            if w not in ret:
                ret.append(w)
    return tuple(ret)


_alike = {}
for _line in ALIKE:
    _group = [stem(w) for w in _line.split()]
    for _w in _group:
        _alike.setdefault(_w, set()).update(x for x in _group if x != _w)


def weights(question):
    """of the words of a question and of those that mean nearly the same"""
    ret = {}
    for w in words(question):
        ret[w] = 1.0
    for w in list(ret):
        for other in _alike.get(w, ()):
            ret.setdefault(other, 0.4)
    return ret


# --- Markdown ---

def visible(text):
    """of a heading: what a reader sees"""
    code = []

    def keep(m):
        code.append(m.group(2))
        return "\0%d\0" % (len(code) - 1)

    text = re.sub(r"(`+)(.+?)(?<!`)\1(?!`)", keep, text)
    text = re.sub(r"(?<!\\)</?[A-Za-z][^<>]*>", "", text)
    text = re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
    text = re.sub(r"(?<!\\)\*+(\S(?:.*?\S)?)\*+", r"\1", text)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return re.sub(r"\0(\d+)\0", lambda m: code[int(m.group(1))], text)


def slug(title):
    kept = (c for c in title.lower() if c in " -" or unicodedata.category(c)[0] in "LM"
            or unicodedata.category(c) in ("Nd", "Pc"))
    return "".join(kept).replace(" ", "-")


class Heading:
    def __init__(self, line, level, title, anchor):
        self.line, self.level, self.title, self.anchor = line, level, title, anchor


def headings(lines):
    """lines: (number, text) in order"""
    ret, seen, fence, before = [], {}, None, None
    for number, line in lines:
        m = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if fence:
            if m and m.group(1).startswith(fence) and not line.strip(" `~"):
                fence = None
            continue
        if m:
            fence, before = m.group(1), None
            continue
        bare = re.sub(r"^(?: {0,3}> ?)+", "", line)
        level = title = None
        at = number
        m = re.match(r" {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$", bare)
        html = re.match(r"\s*<h([1-6])[^>]*>(.*?)</h\1>", bare, re.I)
        under = re.match(r" {0,3}(=+|-+)\s*$", bare)
        if m:
            level, title = len(m.group(1)), visible(m.group(2))
        elif html:
            level, title = int(html.group(1)), re.sub(r"<[^>]*>", "", html.group(2))
        elif under and before and not re.match(r"[-*+>|] |\d+[.)] ", before[1]):
            at, level, title = before[0], 1 if under.group(1)[0] == "=" else 2, visible(before[1].strip())
        before = (number, bare) if bare.strip() and level is None and not under else None
        if level:
            s = slug(title)
            n = seen.get(s, 0)
            seen[s] = n + 1
            ret.append(Heading(at, level, title, s if not n else "%s-%d" % (s, n)))
    return ret


RE_NOTE = re.compile(r"^\[lines (\d+)-(\d+) of (?:more than )?(\d+)[^\n]*\]$", re.M)
RE_ON = re.compile(r"^\[[^\n]*offset=(\d+)", re.M)
RE_OUTLINE = re.compile(r"^\s*(\d+)\s+(#{1,6})\s+(.*?)\s+#(\S+)\s*$", re.M)


class Page:
    """A file as far as it was shown: lines by number, and the outline that came with a cut result."""

    def __init__(self, path):
        self.path, self.lines, self.nline, self.outline, self.is_cut = path, {}, 0, [], False
        self._sections = None

    def add(self, result, first=1):
        """a result of read_file; what the tool has added to the text is taken off and understood"""
        note = self._sections = None
        for note in RE_NOTE.finditer(result):
            pass
        on = None if note else RE_ON.search(result)
        text, last, total = result, None, None
        if note:
            first, last, total = (int(x) for x in note.groups())
            text = result[:note.start()]
        elif on:
            text, last = result[:on.start()], int(on.group(1)) - 1
        if note or on:
            rest = result[len(text):]
            self.outline = self.outline or [Heading(int(m[1]), len(m[2]), m[3], m[4]) for m in RE_OUTLINE.finditer(rest)]
        shown = text.split("\n")
        if shown and not shown[-1]:
            shown.pop()
        for i, line in enumerate(shown):
            self.lines[first + i] = line
        end = first + len(shown) - 1
        self.nline = max(self.nline, total or 0, last or 0, end)
        self.is_cut = len(self.lines) < self.nline or (last is not None and total is None)

    def next_unseen(self):
        """number of the first line that was not shown, or None"""
        for n in range(1, self.nline + 2 if self.is_cut else self.nline + 1):
            if n not in self.lines:
                return n
        return None

    def text(self):
        return "\n".join(self.lines[n] for n in sorted(self.lines))

    def sections(self):
        if self._sections is None:
            self._sections = self._cut()
        return self._sections

    def _cut(self):
        begin = []
        for n in range(1, self.nline + 1):
            if n not in self.lines:
                break
            begin.append((n, self.lines[n]))
        heads = {h.line: h for h in headings(begin)}
        for h in self.outline:
            heads[h.line] = h
        order = [heads[n] for n in sorted(heads)]
        ret, above = [], []
        for i, h in enumerate(order):
            last = order[i + 1].line - 1 if i + 1 < len(order) else max(self.nline, h.line)
            while above and above[-1].level >= h.level:
                above.pop()
            ret.append(Section(self, h, last, [a.title for a in above]))
            above.append(h)
        return ret


class Section:
    def __init__(self, page, heading, last, above):
        self.page, self.heading, self.last, self.above = page, heading, last, above

    def is_seen(self):
        return all(n in self.page.lines for n in range(self.heading.line, self.last + 1))

    def body(self):
        return "\n".join(self.page.lines[n] for n in range(self.heading.line + 1, self.last + 1) if n in self.page.lines)

    def source(self):
        return "%s#%s" % (self.page.path, self.heading.anchor)


def name_words(path):
    return words(re.sub(r"\.\w+$", "", path.rsplit("/", 1)[-1]), stop=False)


def rank(sections, question, page_weight=0.5):
    """(score, section) best first. BM25 with the heading four times the body; the wording of a whole heading counts extra."""
    want = weights(question)
    docs = []
    for s in sections:
        head, body = words(s.heading.title, stop=False), words(s.body(), stop=False)
        near = words(" ".join(s.above), stop=False) + name_words(s.page.path)
        docs.append((s, set(head), set(body), set(near), len(body)))
    n = len(docs) or 1
    average = sum(d[4] for d in docs) / n or 1
    ret = []
    asked = " %s " % plain(question)
    found = {w: sum(1 for d in docs if w in d[1] or w in d[2]) for w in want}
    for s, head, body, near, length in docs:
        score = 0.0
        for w, weight in want.items():
            idf = math.log(1 + (n - found[w] + 0.5) / (found[w] + 0.5))
            tf = (4.0 if w in head else 0.0) + (1.0 if w in body else 0.0) + (page_weight if w in near else 0.0)
            score += weight * idf * tf * 2.2 / (tf + 1.2 * (0.6 + 0.4 * length / average))
        title = plain(s.heading.title)
        core = words(s.heading.title)
        if core and all(w in want for w in core):
            score *= 1.15 + 0.1 * min(len(core), 4)
        if s.heading.level == 1 or not s.body().strip() and s.is_seen():
            score *= 0.5  # names the page, says little
        elif title and " %s " % title in asked:
            score *= 1.2 + 0.15 * min(len(title.split()), 6)
        ret.append((score, s))
    ret.sort(key=lambda x: -x[0])
    return ret


def coverage(section, question):
    """share of the question's own words that a section has, heading or body"""
    want = words(question)
    have = set(words(section.heading.title + " " + section.body() + " " + " ".join(section.above), stop=False))
    have |= set(name_words(section.page.path))
    return sum(1 for w in want if w in have or _alike.get(w, set()) & have) / (len(want) or 1)


def excerpt(text, limit=1100):
    """whole lines from the beginning"""
    ret = []
    for line in text.strip().split("\n"):
        if sum(map(len, ret)) + len(line) > limit and ret:
            break
        ret.append(line)
    return "\n".join(ret).strip()


def best_lines(text, patterns, question, limit=8):
    """(number, line): those that a pattern hits, then those with most words of the question; in order of the file"""
    want = weights(question)
    scored = []
    for n, line in enumerate(text.split("\n"), 1):
        score = sum(want.get(w, 0) for w in words(line, stop=False)) + sum(5 for p in patterns if re.search(p, line, re.I))
        if score > 0.9 and line.strip():
            scored.append((score, n, line.strip()))
    scored.sort(key=lambda x: (-x[0], x[1]))
    return sorted((n, line) for _, n, line in scored[:limit])
