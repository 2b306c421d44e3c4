"""What the model double does: a plan per kind of question, written as a generator that yields tool calls and gets their
results. It knows how people look for answers in any project, and no answer: every fact of an answer comes out of a result.

A plan yields a list of calls, [(tool, arguments), ...], and is sent a list of results; it ends by returning the answer's text.
best() is what it can say so far, for when tools are taken away.
"""
import json
import re

from policy_text import Page, best_lines, coverage, excerpt, name_words, plain, rank, weights, words

FIND_NOTHING = "I looked at %s and cannot find the answer there."
CODE_FOLDERS = ("backend", "src", "app", "server", "api", "service", "lib", "routers", "routes", "handlers")
RE_PATH = re.compile(r"(?<![\w.])/(?:[\w.{}%-]+/?)+(?:\?[^\s`\"'),]*[\w=])?")
RE_NO_KEY = re.compile(r"unauthenticated|unauthori[sz]ed|\b(?:without|no|missing|omit\w*|lacks?)\b[^.?]{0,40}\b(?:auth\w*|key|token|"
                       r"header|credential\w*|bearer)", re.I)
RE_STATUS = re.compile(r"\bstatus\b|\bcode\b|\brespon[ds]\w*|\breturns?\b|\banswers?\b", re.I)
RE_BUG = re.compile(r"\b(?:bug|error|exception|crash\w*|fails?|failing|wrong|traceback|broken|500)\b", re.I)
RE_COUNT = re.compile(r"\bhow many\b|\bnumber of\b|\bcount\b|\btotal\b", re.I)
RE_TRACE = re.compile(r"\b(?:path|journey|trace|travels?|way|flows?|lifecycle|hops?)\b.*\brequest|\brequest\b.*\b(?:path|journey|"
                      r"travels?|way|flows?|passes|hops?)\b", re.I)
RE_COMPARE = re.compile(r"\bcompar\w+|\bdiffer\w*|\bversus\b|\bvs\b|\bcontrast", re.I)
RE_CODE = re.compile(r"\bsource\b|\bcode\b|\bmodules?\b|\bfunctions?\b|\bclass\b|\brouters?\b|\.py\b|\betl\b|\bimplement\w*|"
                     r"\bidempoten\w+|\bbackend\b|\bhandles?\b", re.I)
# Which file tells which kind of fact, and what the telling lines look like.
STATIC = [
    (r"base image|docker ?file|which image|what image", ["Dockerfile", "Containerfile"], [r"^\s*FROM\b"]),
    (r"python version|version of python|minimum python|requires.python|line length|ruff|linter|dependenc|licen[cs]e|package manager",
     ["pyproject.toml", "package.json", "requirements.txt", "Cargo.toml"], [r"requires-python", r"line.length"]),
    (r"host port|publish\w*|exposed?\b|which port|what port",
     ["docker-compose.yml", "compose.yaml", "docker-compose.yaml", "compose.yml"], [r"\d+:\d+|:-\d+\}:\d+", r"ports:"]),
    (r"environment variables?|env file", [".env.docker.example", ".env.example"], [r"^\w+="]),
]
RE_FRAMEWORK = re.compile(r"\bframework\b|\bhttp server\b|\bweb server module\b|\bserver module\b", re.I)
KNOWN_SERVERS = (r"^\s*(?:from|import)\s+(?:fastapi|flask|django|starlette|aiohttp|sanic|bottle|tornado|litestar|http\.server|"
                 r"socketserver|wsgiref)")
WHY = {
    "ZeroDivisionError": "it divides by a count that is zero when there is nothing to count",
    "TypeError": "a value is None where the operation wants a number or text, so None is compared or combined with another type",
    "KeyError": "a key is looked up that is not there",
    "AttributeError": "an attribute of something that is None, or of another type, is used",
    "IndexError": "a list is shorter than the code thinks",
    "ValueError": "a text cannot be turned into the value that is wanted",
}


def is_error(result):
    return result is None or re.match(r"\s*(?:error\b|\{\"error\")", result, re.I) is not None


class Plan:
    def __init__(self, question, tools):
        self.question = question
        self.tools = {t["name"]: t for t in tools}
        self.pages, self.facts, self.looked, self.known = {}, [], [], {}
        # What stands in quotes is taken for the words of a heading.
        quoted = re.search(r'["“«](.{3,}?)["”»](?=[\s.,?!)]|$)', question)
        self.quoted = plain(quoted.group(1)) if quoted else None

    # --- ways to begin ---

    def run(self):
        q = self.question
        if "query_api" in self.tools:
            path = self.api_path()
            if RE_NO_KEY.search(q) and RE_STATUS.search(q):
                return (yield from self.status(path, auth=False))
            if RE_BUG.search(q) and (path or self.operation_named()):
                return (yield from self.bug(path or self.operation_named()))
            if path and re.search(r"\bstatus\b", q, re.I):
                return (yield from self.status(path, auth=True))
            if RE_COUNT.search(q):
                path = path or (yield from self.collection())
                if path:
                    return (yield from self.count(path))
        if RE_TRACE.search(q):
            return (yield from self.trace())
        if RE_COMPARE.search(q) and RE_CODE.search(q):
            answer = yield from self.compare()
            if answer:
                return answer
        if RE_FRAMEWORK.search(q):
            return (yield from self.framework())
        is_docs = re.search(r"\bwiki\b|\bdocs\b|\bdocumentation\b|\.md\b", q, re.I)
        if not is_docs and re.search(r"\b(?:which|what)\b", q, re.I) and not re.search(r"\bhow (?:do|can|to)\b", q, re.I):
            for pattern, names, telling in STATIC:
                if re.search(pattern, q, re.I):
                    answer = yield from self.static(names, telling)
                    if answer:
                        return answer
        if RE_CODE.search(q) and not is_docs and not re.search(r"\bhow (?:do|can|to)\b", q, re.I):
            answer = yield from self.code()
            if answer:
                return answer
        return (yield from self.wiki())

    def best(self):
        """the answer when no more tools may be called"""
        if self.facts:
            return self.facts[-1]
        sections = [s for p in self.pages.values() for s in p.sections()]
        if sections:
            score, s = rank(sections, self.question)[0]
            if score > 0:
                return self.tell(s)
        return FIND_NOTHING % (", ".join(self.looked) or "nothing yet")

    # --- tools ---

    def call(self, tool, **args):
        """never the same twice"""
        key = json.dumps([tool, args], sort_keys=True)
        if key not in self.known:
            self.looked.append(str(args.get("query") or args.get("path") or tool))
            self.known[key] = (yield [(tool, args)])[0]
        return self.known[key]

    def names(self, folder):
        result = yield from self.call("list_files", path=folder)
        if is_error(result):
            return []
        return [x.strip() for x in result.split("\n") if x.strip() and not x.startswith("[")]

    def read(self, path, offset=1, limit=None):
        """the page as far as it is known now, or None"""
        args = {"path": path}
        if offset > 1:
            args["offset"] = offset
        if limit:
            args["limit"] = limit
        result = yield from self.call("read_file", **args)
        return self.keep(path, result, offset)

    def keep(self, path, result, offset=1):
        if is_error(result):
            return None
        page = self.pages.setdefault(path, Page(path))
        page.add(result, offset)
        return page

    def api(self, path, method="GET", auth=True):
        """(status, result as an object) or (None, text)"""
        args = {"method": method, "path": path}
        if not auth:
            args["auth"] = False
        result = yield from self.call("query_api", **args)
        try:
            value = json.loads(result or "")
            return value.get("status_code"), value
        except (ValueError, AttributeError):
            return None, result

    # --- what the API offers, as its description tells ---

    def operations(self):
        """[(method, path, words, query parameters)]"""
        ret = []
        for line in self.tools.get("query_api", {}).get("description", "").split("\n"):
            m = re.match(r"\s*(?:- )?(GET|POST|PUT|PATCH|DELETE) (/\S*)(.*)", line)
            if m:
                told, _, query = m.group(3).partition("; query: ")
                ret.append((m.group(1), m.group(2), told.strip(), re.findall(r"(\w+)\*? \w+", query)))
        return ret

    def api_path(self):
        """a path that the question names, with what belongs behind it"""
        m = RE_PATH.search(self.question)
        if not m or re.search(r"\.(?:py|md|yml|toml)$", m.group(0)):
            return None
        path = m.group(0).rstrip("./" if m.group(0).endswith(".") else ".")
        return self.with_lab(path)

    def with_lab(self, path):
        if "?" in path:
            return path
        wants = [p for _, known, _, query in self.operations() if known.rstrip("/") == path.rstrip("/") for p in query]
        for name in wants:
            m = re.search(r"\b(%s[-_ ]?\d+)\b" % re.escape(name), self.question, re.I)
            if m:
                return "%s?%s=%s" % (path, name, re.sub(r"[ _]", "-", m.group(1).lower()))
        return path

    def operation_named(self):
        """an operation whose path the question says in words: "the completion rate endpoint" """
        have = weights(self.question)
        best = (0.99, None)
        for method, path, _, _ in self.operations():
            named = words(path.rstrip("/").rsplit("/", 1)[-1].replace("-", " "))
            score = sum(1 for w in named if have.get(w) == 1.0) / (len(named) or 1)
            if method == "GET" and "{" not in path and named and score > best[0]:
                best = (score, path)
        return self.with_lab(best[1]) if best[1] and RE_STATUS.search(self.question + " ") or best[1] and re.search(
            r"\bendpoint\b|\broute\b|\bAPI\b", self.question) else None

    def collection(self):
        """the list whose name stands behind "how many" """
        m = re.search(r"(?:how many|number of|count(?: of)?|total(?: of)?)\s+((?:[\w-]+\s+){0,3}[\w-]+)", self.question, re.I)
        if not m:
            return None
        ops = self.operations()
        if not ops:
            status, value = yield from self.api("/openapi.json")
            if status == 200:
                try:
                    paths = json.loads(value["body"]) if isinstance(value["body"], str) else value["body"]
                    ops = [("GET", p, "", [q["name"] for q in o["get"].get("parameters", ()) if q.get("in") == "query"])
                           for p, o in paths["paths"].items() if "get" in o]
                except (ValueError, KeyError, TypeError):
                    ops = []
        nouns = words(m.group(1))
        for method, path, _, query in ops:
            last = words(path.strip("/").rsplit("/", 1)[-1], stop=False)
            if method == "GET" and "{" not in path and last and last[-1] in nouns:
                for p in query:
                    f = re.search(r"\b([\w-]+) %s\b|\b%s (?:of |is |= ?)?['\"]?([\w-]+)" % (p, p), self.question, re.I)
                    value = f and (f.group(1) or f.group(2))
                    if value and value.lower() not in ("the", "a", "each", "this", "which", "of", "per"):
                        return "%s?%s=%s" % (path, p, value.lower())
                return path
        return None

    # --- live data ---

    def status(self, path, auth):
        if not path:
            path = next((p for m, p, _, _ in self.operations() if m == "GET" and p.endswith("/") and "{" not in p), "/items/")
        code, value = yield from self.api(path, auth=auth)
        if code is None:
            return "The API did not answer GET %s: %s" % (path, excerpt(str(value), 300))
        how = "" if auth else " without an Authorization header"
        return "GET %s%s is answered with status code %d: %s\n\nSource: API endpoint GET %s" % (
            path, how, code, excerpt(str(value.get("body", "")), 200), path)

    def count(self, path):
        code, value = yield from self.api(path)
        if code is None:
            return "The API did not answer GET %s: %s" % (path, excerpt(str(value), 300))
        if code in (307, 308) and value.get("location"):
            path = re.sub(r"^https?://[^/]+", "", value["location"])
            code, value = yield from self.api(path)
        body, n = value.get("body"), value.get("array_length")
        if n is None and not value.get("truncated"):
            try:
                body = json.loads(body) if isinstance(body, str) else body
                n = len(body) if isinstance(body, list) else body.get("total", body.get("count"))
            except (ValueError, AttributeError):
                n = None
        if code != 200 or n is None:
            return "GET %s is answered with status code %s, and its body holds no list that I could count." % (path, code)
        return "GET %s returns %d of them.\n\nSource: API endpoint GET %s" % (path, n, path)

    def bug(self, path):
        code, value = yield from self.api(path)
        if code is None:
            return "The API did not answer GET %s: %s" % (path, excerpt(str(value), 300))
        body = value.get("body", "")
        try:
            body = json.loads(body) if isinstance(body, str) else body
        except ValueError:
            body = {"detail": body}
        if code < 400 or not isinstance(body, dict):
            return "GET %s is answered with %d: I cannot reproduce an error.\n\nSource: API endpoint GET %s" % (path, code, path)
        kind, detail = body.get("type") or body.get("error"), body.get("detail", "")
        self.facts.append("GET %s is answered with %d, %s: %s\n\nSource: API endpoint GET %s" % (path, code, kind, detail, path))
        trace = " ".join(body["traceback"]) if isinstance(body.get("traceback"), list) else str(body.get("traceback", ""))
        where = re.findall(r"([\w./-]+\.\w+)(?::|\", line )(\d+)(?:,? in (\w+))?", trace)
        name, line, function = where[-1] if where else (path.strip("/").split("/")[0].split("?")[0] + ".py", "", "")
        found = yield from self.find(name)
        page = (yield from self.read(found)) if found else None
        if not page:
            return self.facts[-1]
        number = int(line) if line else self.suspect(page, kind, path)
        text = page.lines.get(number, "").strip()
        near = "\n".join(page.lines[n] for n in range(number - 6, number + 2) if n in page.lines)
        return ("GET %s is answered with %d and the error %s: %s.\n\nThe cause is in %s, line %d%s:\n\n    %s\n\nHere %s.\n\n```\n%s\n```"
                "\n\nSource: %s" % (path, code, kind, detail, found, number, ", function " + function if function else "", text,
                                    WHY.get(kind, "the code does not expect this data"), near, found))

    def suspect(self, page, kind, path):
        signs = {"ZeroDivisionError": r"[^/]/[^/]", "TypeError": r"sort|max\(|min\(|[<>]"}.get(kind, r"return")
        name = path.split("?")[0].rstrip("/").rsplit("/", 1)[-1].replace("-", "_")
        inside = False
        for n in sorted(page.lines):
            inside = inside and not re.match(r"(?:async )?def ", page.lines[n]) or "def " + name in page.lines[n]
            if inside and re.search(signs, page.lines[n]):
                return n
        return 1

    # --- files ---

    def find(self, name):
        """the path of a file of which only the end is known ("app/routers/x.py"), by listing folders on the way"""
        parts = name.split("/")
        folders = [""]
        while folders:
            folder = folders.pop(0)
            entries = yield from self.names(folder or ".")
            base = folder + "/" if folder else ""
            if parts[0] in entries and (len(parts) > 1 or "." in parts[0]):
                return base + name
            if len(self.looked) > 7:
                return None
            folders = [base + e for f in CODE_FOLDERS for e in entries if e == f] + folders
        return None

    def source_files(self, nlist=4):
        """paths of source files, from the folders that usually hold them"""
        ret, folders, n = [], [""], 0
        while folders and n < nlist:
            folder = folders.pop(0)
            entries = yield from self.names(folder or ".")
            n += 1
            base = folder + "/" if folder else ""
            ret += [base + e for e in entries if re.search(r"\.(?:py|js|ts|go|rs|java|c|rb|php)$", e)]
            folders += [base + e for f in CODE_FOLDERS for e in entries if e == f]
        return ret

    def static(self, names, telling):
        entries = yield from self.names(".")
        for name in names:
            if name not in entries:
                continue
            page = yield from self.read(name)
            if not page:
                continue
            lines = best_lines(page.text(), telling, self.question, 6)
            if lines:
                return "%s says:\n\n```\n%s\n```\n\nSource: %s" % (name, "\n".join(t for _, t in lines), name)
        return None

    def framework(self):
        files = yield from self.source_files(3)
        mains = sorted((f for f in files if re.search(r"(?:^|/)(?:main|app|server|index|web)\.\w+$", f)),
                       key=lambda f: (not re.search(r"main\.\w+$", f), f))
        for path in mains[:3]:
            page = yield from self.read(path)
            if not page:
                continue
            lines = [t for t in page.text().split("\n") if re.search(KNOWN_SERVERS, t)]
            if lines:
                module = re.search(KNOWN_SERVERS, lines[0]).group(0).split()[-1]
                return ("The backend is built on `%s`: %s has\n\n    %s\n\nSource: %s" % (module, path, "\n    ".join(lines), path))
        return FIND_NOTHING % ", ".join(self.looked)

    def code(self):
        """one file whose name the question says, or the one with most of its words"""
        files = yield from self.source_files()
        want = weights(self.question)
        scored = sorted(((sum(want.get(w, 0) for w in name_words(f)), f) for f in files), key=lambda x: (-x[0], len(x[1])))
        for score, path in scored[:2]:
            if not score:
                break
            page = yield from self.read(path)
            if page:
                lines = best_lines(page.text(), [], self.question, 14)
                return "In %s:\n\n%s\n\nSource: %s" % (path, self.quote(page.text(), lines), path)
        return None

    def quote(self, text, lines):
        """the file's opening words, then the telling lines"""
        m = re.match(r'\s*(?:"""|/\*)(.*?)(?:"""|\*/)', text, re.S)
        opening = excerpt(m.group(1), 900) + "\n\n" if m else ""
        return opening + "\n".join("- line %d: `%s`" % x for x in lines)

    def compare(self):
        files = yield from self.source_files()
        sides = re.split(r"\b(?:with|and|versus|vs\.?|to|from|than|against)\b", self.question)
        chosen = []
        for side in sides:
            want = weights(side)
            scored = []
            for f in files:
                own = [want.get(w, 0) for w in name_words(f)]
                folder = [want.get(w, 0) * 0.6 for part in f.split("/")[:-1] for w in words(part, stop=False)]
                scored.append((max(own or [0]) + max(folder or [0]), -len(f), f))
            for score, _, f in sorted(scored, reverse=True):
                if score >= 0.55 and f not in chosen and not f.endswith("__init__.py"):
                    chosen.append(f)
                    break
        if len(chosen) < 2:
            return None
        chosen = chosen[:3]
        results = yield [("read_file", {"path": f}) for f in chosen]
        parts = []
        signs = [r"\braise\b", r"\bexcept\b", r"HTTPError|HTTPException", r"rollback|transaction"] if re.search(
            r"error|fail|exception|wrong", self.question, re.I) else []
        for f, result in zip(chosen, results):
            page = self.keep(f, result)
            self.looked.append(f)
            if page:
                parts.append("%s: %s" % (f, self.quote(page.text(), best_lines(page.text(), signs, self.question, 8))))
        if len(parts) < 2:
            return None
        return "Both were read; this is what they do.\n\n%s\n\nSource: %s" % ("\n\n".join(parts), chosen[0])

    def trace(self):
        top = yield from self.names(".")
        order = [n for n in ("docker-compose.yml", "compose.yaml", "docker-compose.yaml", "compose.yml") if n in top][:1]
        said, config = [], ""
        if order:
            page = yield from self.read(order[0])
            config = page.text() if page else ""
            said += self.stop(page, [r":\d+\"?$|PORT", r"ports:|expose", r"image:|build:"])
        proxy = re.search(r"\./([\w./-]*(?:Caddyfile|nginx\.conf|haproxy\.cfg|traefik\.\w+))", config)
        if proxy:
            page = yield from self.read(proxy.group(1))
            said += self.stop(page, [r"reverse_proxy|proxy_pass", r"^:\d+|listen"])
        base, files = "", []
        for folder in ("backend", "src", "server", "app"):
            if folder in top:
                base = folder
                files = yield from self.names(base)
                break
        if "app" in files:
            base += "/app"
            files = yield from self.names(base)
        chosen = [f for f in ("main.py", "app.py", "server.py", "web.py", "auth.py", "database.py", "db.py") if f in files]
        chosen = sorted(chosen, key=lambda f: (f in ("db.py", "database.py"), f.startswith("auth")))[:4]
        results = yield [("read_file", {"path": base + "/" + f}) for f in chosen]
        for f, result in zip(chosen, results):
            page = self.keep(base + "/" + f, result)
            said += self.stop(page, [r"include|dispatch", r"Authorization|Bearer", r"connect\(|create_engine", r"\b401\b"])
        if len(said) < 2:
            return FIND_NOTHING % ", ".join(self.looked)
        return "On its way a request passes, in this order:\n\n%s\n\nSource: %s" % (
            "\n".join("%d. %s" % x for x in enumerate(said, 1)), order[0] if order else base + "/" + chosen[0])

    def stop(self, page, signs):
        if not page:
            return []
        text = page.text()
        opening = re.match(r'\s*(?:"""|# ?)(.*?)(?:"""|\n(?!#)|$)', text, re.S)
        lines = [t for _, t in best_lines(text, signs, "", 8)]
        return ["%s: %s `%s`" % (page.path, excerpt(opening.group(1), 300).replace("\n", " ") if opening else "", "` `".join(lines))]

    # --- documentation ---

    def wiki(self):
        folder, names = "", []
        for folder in ("wiki", "docs", "doc", "."):
            names = [n for n in (yield from self.names(folder)) if re.search(r"\.(?:md|markdown|rst|txt)$", n)]
            if names:
                break
        base = "" if folder == "." else folder + "/"
        queue = self.by_name(names)
        if "search_files" in self.tools and (not queue or queue[0][0] < 3):
            queue = yield from self.by_search(base, names, queue)
        if not queue or queue[0][0] < 0.5:
            queue = (yield from self.by_index(base, names)) or queue
        if len(names) <= 5:  # a few pages are quickly read
            queue = queue + [(0, n) for n in names if n not in [x for _, x in queue]]
        nread = 0
        for _, name in queue:
            page = self.pages.get(base + name)
            if not page or page.next_unseen() == 1:
                page = yield from self.read(base + name)
                nread += 1
            if page and page.is_cut:
                yield from self.read_on(page)
            if nread and self.is_enough() or len(self.looked) >= 9 or nread >= 5:
                break
        s = self.chosen()
        if not s or coverage(s, self.question) < 0.34 and not self.is_enough():
            return FIND_NOTHING % ", ".join(self.looked)
        return self.tell(s)

    def is_enough(self):
        s = self.chosen()
        if not s:
            return False
        if self.quoted:
            return plain(s.heading.title) == self.quoted
        return coverage(s, self.question) >= 0.75

    def by_name(self, names):
        """pages whose names the question says, best first"""
        want, asked = weights(self.question), " %s " % plain(self.question)
        ret = []
        for n in names:
            own = name_words(n)
            score = sum(want.get(w, 0) for w in own) / len(own) if own else 0
            if n.lower() in self.question.lower():
                score += 3.0
            elif " %s " % plain(re.sub(r"\.\w+$", "", n)) in asked:
                score += 0.5
            if score > 0:
                ret.append((score, n))
        return sorted(ret, key=lambda x: (-x[0], x[1]))

    def by_search(self, base, names, queue):
        text = self.quoted or " ".join(w for w in re.findall(r"[\w.-]+", self.question) if words(w))
        args = {"query": text}
        if base:
            args["path"] = base.rstrip("/")
        result = yield from self.call("search_files", **args)
        scores = {n: s for s, n in queue}
        want = weights(self.question)
        if not is_error(result):
            for m in re.finditer(r"^(\S+?):(\d+): (.*)$", result, re.M):
                n = m.group(1)[len(base):] if m.group(1).startswith(base) else None
                if n in names:
                    line = m.group(3).partition("   (in #")
                    own = set(words(line[0], stop=False)) | set(words(line[2].replace("-", " "), stop=False))
                    score = sum(v for w, v in want.items() if w in own) * (1.5 if line[0].startswith("#") else 1)
                    if self.quoted and plain(re.sub(r"^#+ ", "", line[0])) == self.quoted:
                        score += 10
                    # The best line counts, further ones a little.
                    scores[n] = max(scores.get(n, 0), score) + 0.1 * min(scores.get(n, 0), score)
        return sorted(((s, n) for n, s in scores.items()), key=lambda x: (-x[0], x[1]))

    def by_index(self, base, names):
        """the page of pages: rows with a link whose words fit"""
        for index in ("index.md", "README.md", "home.md", "Home.md"):
            if index not in names:
                continue
            page = yield from self.read(base + index)
            if not page:
                continue
            want, ret = weights(self.question), {}
            for line in page.text().split("\n"):
                score = sum(want.get(w, 0) for w in words(line))
                for target in re.findall(r"\]\(([\w.-]+\.md)", line):
                    if score and target in names:
                        ret[target] = max(ret.get(target, 0), score)
            return sorted(((s, n) for n, s in ret.items()), key=lambda x: (-x[0], x[1]))
        return []

    def read_on(self, page):
        """of a page that was cut: the section that fits by its heading, and when none does the rest"""
        s = self.chosen(page)
        if s and not s.is_seen():
            yield from self.read(page.path, s.heading.line, s.last - s.heading.line + 1)
        elif not self.is_enough():
            rest = page.next_unseen()
            if rest:
                yield from self.read(page.path, rest)

    def chosen(self, page=None):
        sections = page.sections() if page else [s for p in self.pages.values() for s in p.sections()]
        for s in sections:
            if self.quoted and plain(s.heading.title) == self.quoted:
                return s
        ranked = rank([s for s in sections if page or not s.page.path.endswith("/index.md")], self.question)
        return ranked[0][1] if ranked and ranked[0][0] > 0 else None

    def tell(self, s):
        title = " / ".join(s.above[1:] + [s.heading.title])
        return "%s (%s):\n\n%s\n\nSource: %s" % (title, s.page.path, excerpt(s.body()), s.source())
