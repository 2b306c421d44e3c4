"""Section 4 of the reference: what a model, a file, an API or a folder may try, row by row, on the real program.

Rows that are calls and what comes of them stand in tests/cases/ask/security.txt; 4.1 here, 4.2 in ask_security_api.py and 4.3
in ask_security_content.py are those that need more: odd bytes, large things, races, addresses, keys.
"""
import json
import os
import re
import stat
import sys
import threading
import time

import ask_security_api  # noqa: F401 its cases
import ask_security_content  # noqa: F401
from ask_want import MODEL_KEY, ROOT, SLOW, Skip, has, same, want
from ask_servers import call
from ask_rig import CASES, FILES, Rig, case, run_cases
from ask_hostile import check_result, check_sent, hostile, peak_mb, read_table

# --- the table


def table_case(row, name, calls):
    def f():
        with Rig() as rig:
            hostile(rig)
            other = rig.listener()
            has_api = any(c[0] == "query_api" for c in calls)
            if has_api:
                api = rig.api()
            fill = lambda s: s.replace("{R}", rig.root).replace("{O}", str(other.port))
            tried = [(tool, json.loads(fill(args))) for tool, args, _ in calls]
            # What a path or a body must not do holds when every method is allowed.
            r = rig.use(*tried, end="The answer is 42.",
                        flags=("--api-methods", "POST,PUT,PATCH,DELETE") if has_api else ())
            for c, (_, _, wishes) in zip(r.calls, calls):
                check_result(c, [(w, fill(t)) for w, t in wishes])
            if has_api:
                check_sent(api, [(tool, args, [(w, fill(t)) for w, t in ws]) for tool, args, ws in calls])
            same("what came to the other port", other.came, [])
            want("reports" not in r.err, r.err)
    CASES.append((row, name, f))


for row in read_table(os.path.join(ROOT, "tests", "cases", "ask", "security.txt")):
    table_case(*row)


# --- 4.1 paths


@case("4.1/18", "bytes that are no UTF-8 are refused or name nothing")
def bad_utf8():
    with Rig() as rig:
        hostile(rig)
        bodies = []
        for i, path in enumerate((b"\xc0\xae\xc0\xae/etc/passwd", b"..\xc0\xafetc/passwd", b"wiki/\xff.md",
                                  b"\xed\xa0\x80/x", b"\xe0\x80\xae\xe0\x80\xae/etc/passwd")):
            args = b'{\\"path\\":\\"' + path + b'\\"}'
            raw = (b'{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":'
                   b'{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":'
                   b'{"name":"read_file","arguments":"%s"}}]},"finish_reason":"tool_calls"}]}' % (i, args))
            bodies.append(b"answer\n  body " + raw + b"\n  header Content-Type: application/json\n")
        rig.model(raw=b"".join(bodies) + b"otherwise\n  text Done.\n")
        r = rig.ask("x", "--budget", "20")
        same("answer", r.answer["answer"], "Done.")
        same("calls", len(r.calls), 5)
        for c in r.calls:
            want(c["result"].startswith("Error: ") and "root:" not in c["result"], c)
        r.check_told()


@case("4.1/20", "very long and very deep paths are refused")
def long_paths():
    with Rig() as rig:
        paths = ["a" * 5000, "a/" * 10000 + "x", "./" * 2000 + "x", "a/" * 1000, "/" * 4000 + "etc/passwd", "a" * 300,
                 "wiki/" + "./" * 300 + "a.md"]
        r = rig.use(*[call("read_file", path=p) for p in paths], call("list_files", path="a/" * 10000),
                    call("query_api", method="GET", path="/" + "a" * 100000))
        for c in r.calls[:6] + r.calls[7:]:
            want(c["result"].startswith("Error: "), c["result"][:300])
            want(len(c["result"]) < 1000, "the error is as long as the path")
        has(r.calls[6]["result"], "alpha-7731")


@case("4.1/22", "a secret is known by its device and inode whatever .gitignore says")
def inode():
    files = dict(FILES)
    del files[".gitignore"]
    with Rig(files=files) as rig:
        rig.put("conf/keys.txt", "LLM_API_KEY=%s\n" % MODEL_KEY)
        os.remove(rig.file(".env.agent.secret"))
        os.link(rig.file("conf/keys.txt"), rig.file(".env.agent.secret"))
        os.symlink("../conf/keys.txt", rig.file("wiki/c.md"))
        r = rig.use(call("read_file", path="conf/keys.txt"), call("read_file", path="wiki/c.md"),
                    call("search_files", query="LLM_API_KEY"), call("outline", path="conf/keys.txt"))
        for c in r.calls[:2] + r.calls[3:]:
            check_result(c, [("error", "secret")])


@case("4.1/22", "a secret file under an innocent name above the project, linked in, is refused")
def linked_env():
    with Rig(secrets=False) as rig:
        rig.put("../keys", "LLM_API_KEY=%s\n" % MODEL_KEY)
        os.symlink("../keys", rig.file(".env.agent.secret"))
        os.link(rig.path("keys"), rig.file("plain.txt"))
        r = rig.use(call("read_file", path="plain.txt"), call("read_file", path=".env.agent.secret"))
        for c in r.calls:
            want(c["result"].startswith("Error: ") and not c["ok"], c)


@case("4.1/24", "device nodes are refused")
def devices():
    with Rig() as rig:
        try:
            os.mknod(rig.file("zero.txt"), 0o666 | stat.S_IFCHR, os.makedev(1, 5))
            os.mknod(rig.file("disk.txt"), 0o666 | stat.S_IFBLK, os.makedev(7, 0))
        except PermissionError:
            raise Skip("only root makes device nodes")
        r = rig.use(call("read_file", path="zero.txt"), call("read_file", path="disk.txt"),
                    call("search_files", query="zero", path="zero.txt"))
        for c in r.calls[:2]:
            check_result(c, [("error", "")])


@case("4.1/24", "a FIFO whose other side waits does not hold the program")
def fifo_waits():
    with Rig() as rig:
        os.mkfifo(rig.file("wiki/pipe.md"))
        fd = os.open(rig.file("wiki/pipe.md"), os.O_RDWR | os.O_NONBLOCK)
        os.write(fd, b"from the pipe: 9917\n")
        try:
            begin = time.monotonic()
            r = rig.use(call("read_file", path="wiki/pipe.md"), call("search_files", query="pipe 9917"),
                        call("list_files", path="wiki"), call("outline", path="wiki/pipe.md"))
            want(time.monotonic() - begin < 5 * SLOW, "it was held")
        finally:
            os.close(fd)
        for c in r.calls:
            want("from the pipe" not in c["result"], c)


@case("4.1/26", "huge files are read in bounds: 2 GB sparse, 50 MB on one line")
def huge():
    with Rig() as rig:
        with open(rig.file("sparse.txt"), "wb") as f:
            f.write(b"begin-of-sparse\n")
            f.truncate(2 << 30)
        with open(rig.file("line.txt"), "wb") as f:
            for _ in range(50):
                f.write(b"x" * (1 << 20))
        with open(rig.file("lines.txt"), "wb") as f:
            for i in range(50):
                f.write((b"%07d some text of a line\n" % i) * 40000)
        r, mb = peak_mb(rig, [call("read_file", path="sparse.txt"), call("read_file", path="line.txt"),
                              call("read_file", path="lines.txt"), call("read_file", path="lines.txt", offset=39000),
                              call("outline", path="lines.txt"), call("search_files", query="0000049 text"),
                              call("list_files", path=".")])
        want(mb < (200 if SLOW == 1 else 2000), "peak memory %.0f MB" % mb)
        for c in r.calls:
            want(len(c["result"]) < 100000, "a result of %d characters" % len(c["result"]))
        has(r.calls[1]["result"], "is cut", "the long line")
        has(r.calls[2]["result"], "The next lines: offset=", "the many lines")
        want("x" * 1000 in r.calls[1]["result"], "the begin of the line is not shown")
        # The sparse file is text for its first line only: its zeros are shown to nobody.
        want("\0\0\0\0" not in r.calls[0]["result"], "zeros")


@case("4.1/28", "a name that is swapped all the time never shows what is outside")
def race():
    with Rig() as rig:
        inside, n = "inside-line-5521\n", 300
        rig.put("swap.txt", inside)
        rig.put("real.txt", inside)
        os.makedirs(rig.file("dir"))
        rig.put("dir/x", inside)
        rig.put("dir.d/x", inside)
        stop, swaps = threading.Event(), [0]

        def swap():
            while not stop.is_set():
                for target in (rig.path("r-secret", "x"), ".env.agent.secret", None):
                    new = rig.file("swap.new")
                    if target:
                        os.symlink(target, new)
                    else:
                        os.link(rig.file("real.txt"), new)
                    os.rename(new, rig.file("swap.txt"))
                    new = rig.file("dir.new")
                    os.symlink(rig.path("r-secret") if target else "dir.d", new)
                    try:
                        os.rename(new, rig.file("dirlink"))
                    except OSError:
                        os.remove(new)
                    swaps[0] += 1

        t = threading.Thread(target=swap)
        t.start()
        try:
            calls = [call("read_file", path="swap.txt", limit=i + 1) for i in range(n // 3)]
            calls += [call("read_file", path="dirlink/x", limit=i + 1) for i in range(n // 3)]
            calls += [call("search_files", query="inside line %d" % i) for i in range(20)]
            # Many in one reply: the model's part of the time is small.
            rig.model(calls[:60], calls[60:120], calls[120:180], calls[180:])
            r1 = rig.ask("x", "--budget", "100")
            rig.model(calls[120:180], calls[180:], end="Done.")
            r2 = rig.ask("x", "--budget", "100")
        finally:
            stop.set()
            t.join()
        results = [c["result"] for r in (r1, r2) for c in r.calls if c["tool"] == "read_file"]
        want(swaps[0] > 200, "only %d swaps" % swaps[0])
        for text in results:
            want(text == inside or text.startswith("Error: "), text)


@case("4.1/29", "a folder of 100,000 entries is listed in bounds")
def many_entries():
    with Rig() as rig:
        os.mkdir(rig.file("many"))
        here = os.open(rig.file("many"), os.O_RDONLY)
        for i in range(100000):
            os.close(os.open("name-%06d" % i, os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=here))
        os.close(here)
        r = rig.use(call("list_files", path="many"))
        text = r.calls[0]["result"]
        want(len(text) < 70000 and text.startswith("name-000000\nname-000001\n"), len(text), text[:200])
        has(text, "more names are not shown")
        # Removing them is quicker by the folder's descriptor than by rmtree.
        here = os.open(rig.file("many"), os.O_RDONLY)
        for i in range(100000):
            os.unlink("name-%06d" % i, dir_fd=here)
        os.close(here)


@case("4.1/29", "line breaks, escapes and bytes of names are shown escaped, each name on one line")
def odd_names():
    with Rig() as rig:
        os.mkdir(rig.file("odd"))
        names = [b"two\nlines", b"red\x1b[31m", b"bell\x07", b"bad\xff\xfebytes", b"tab\there", "żółć".encode(),
                 "turn\u202eround".encode(), b"quote\"'", b" blank "]
        for name in names:
            with open(os.path.join(rig.file("odd").encode(), name), "wb") as f:
                f.write(b"odd-4477\n")
        r = rig.use(call("list_files", path="odd"), call("search_files", query="odd-4477"),
                    call("read_file", path="odd/two\nlines"), call("read_file", path="odd/no\nsuch\x1b[31m"))
        lines = r.calls[0]["result"].split("\n")
        same("lines", len(lines), len(names))
        for c in r.calls:
            want(not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", c["result"]), repr(c["result"]))
        has(r.calls[0]["result"], "żółć")
        want("\x1b" not in r.out + r.err, "an escape on the terminal")


if __name__ == "__main__":
    run_cases(sys.argv[1:])
