"""Scenarios 16 and 22 to 25 of the reference: where settings come from and where the program runs; and what users do with the
commands beside a question ("ask/…").
"""
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

from ask_want import API_KEY, ARGUS, MODEL_KEY, SLOW, Skip, Wrong, free_port, has, read_bytes, same, sha256, want
from ask_servers import call, turn
from ask_rig import CASES, FILES, Rig, case, run_cases

# --- 16: where settings come from


def lines_of(**names):
    return "".join("%s=%s\n" % x for x in names.items())


def env_case(name, files, env=None, model="fake-1", key=MODEL_KEY, code=0, told="", flags=("--no-api",)):
    """files: name -> text with {BASE}; the model server must have been asked for `model` with `key`"""
    def f():
        with Rig(secrets=False) as rig:
            m = rig.model("Yes.")
            fill = lambda s: s.replace("{BASE}", m.base) if isinstance(s, str) else s.replace(b"{BASE}", m.base.encode())
            for n in ("LLM_API_BASE_URL", "LLM_API_MODEL"):
                del rig.env[n]
            for n, text in files.items():
                rig.put(n, fill(text))
            r = rig.ask("x", *flags, code=code, env={k: v and fill(v) for k, v in (env or {}).items()})
            for word in [told] if isinstance(told, str) else told:
                has(r.err, word, "stderr")
            if code:
                same("requests of the model", m.requests(), [])
                return
            same("model", m.requests()[0]["model"], model)
            sent = m.tap.bytes()
            want(re.search(rb"(?i)\r\nauthorization: Bearer %s\r\n" % re.escape(key.encode()), sent), sent)
            if key != MODEL_KEY:
                rig.said = [x.replace(key.encode(), b"") for x in rig.said]
    CASES.append(("5/16", name, f))


FULL = lines_of(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1")
OLD = lines_of(LLM_API_KEY=MODEL_KEY, LLM_API_BASE="{BASE}", LLM_MODEL="fake-1")
env_case("all in .env.agent.secret", {".env.agent.secret": FULL})
env_case("the older names in the file", {".env.agent.secret": OLD})
env_case("no file, all in the environment", {}, dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1"))
env_case("no file, the older names in the environment", {},
         dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE="{BASE}", LLM_MODEL="fake-1"))
env_case("the environment beats the file", {".env.agent.secret": lines_of(
    LLM_API_KEY="sk-wrong-key-00112233", LLM_API_BASE_URL="http://127.0.0.1:9/v1", LLM_API_MODEL="wrong")},
    dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1"))
env_case("an older name in the environment beats the newer one in the file", {".env.agent.secret": lines_of(
    LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="http://127.0.0.1:9/v1", LLM_API_MODEL="wrong")},
    dict(LLM_API_BASE="{BASE}", LLM_MODEL="fake-1"))
env_case("of both names in one place the newer one counts", {".env.agent.secret": FULL + lines_of(
    LLM_API_BASE="http://127.0.0.1:9/v1", LLM_MODEL="wrong")})
env_case("of both names in the environment the newer one counts", {},
         dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1", LLM_API_BASE="http://127.0.0.1:9/v1",
              LLM_MODEL="wrong"))
env_case("which of the names was used is told with -v", {".env.agent.secret": OLD}, told=["LLM_API_BASE", "LLM_MODEL"])
env_case("half in the file, half in the environment", {".env.agent.secret": lines_of(LLM_API_KEY=MODEL_KEY)},
         dict(LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1"))
env_case("an empty variable of the environment counts as none", {".env.agent.secret": FULL}, dict(LLM_API_MODEL="", LLM_API_KEY=" "))
env_case("CRLF", {".env.agent.secret": FULL.replace("\n", "\r\n")})
env_case("a byte-order mark", {".env.agent.secret": b"\xef\xbb\xbf" + FULL.encode()})
env_case("no line end at the end", {".env.agent.secret": FULL.rstrip("\n")})
env_case("quotes, double and single", {".env.agent.secret": 'LLM_API_KEY="%s"\nLLM_API_BASE_URL=\'{BASE}\'\nLLM_API_MODEL="fake-1"'
                                       % MODEL_KEY})
env_case("export, blanks, comments, empty lines", {".env.agent.secret":
         "# the model\n\n  export LLM_API_KEY = %s  \nexport LLM_API_BASE_URL={BASE}\n   # more\nno line of ours\n\n"
         "\tLLM_API_MODEL\t=\tfake-1\t\n" % MODEL_KEY})
env_case("a value with = in it", {".env.agent.secret": FULL.replace(MODEL_KEY, "sk-a=b==canary-77"), }, key="sk-a=b==canary-77")
env_case("a file that is missing does not matter", {}, dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1",
                                                            LMS_API_KEY=API_KEY), flags=("--api-base", "http://127.0.0.1:9"))
for missing, names in (("LLM_API_KEY", ["LLM_API_KEY"]), ("LLM_API_BASE_URL", ["LLM_API_BASE_URL"]),
                       ("LLM_API_MODEL", ["LLM_API_MODEL"])):
    rest = "".join(x for x in FULL.splitlines(True) if not x.startswith(missing + "="))
    env_case("%s alone is missing in the file" % missing, {".env.agent.secret": rest}, code=1,
             told=names + [".env.agent.secret"])
    env_case("%s is a placeholder" % missing, {".env.agent.secret": rest + "%s=<put yours here>\n" % missing}, code=1, told=names)
    env_case("%s is empty" % missing, {".env.agent.secret": rest + "%s=\n" % missing}, code=1, told=names)
env_case("what is only in the files and no value does no harm when the environment has it",
         {".env.agent.secret": "LLM_API_KEY=<key>\nLLM_API_BASE_URL=<base>\nLLM_API_MODEL=<model>\n", ".env": 'LLM_API_KEY="open\n'},
         dict(LLM_API_KEY=MODEL_KEY, LLM_API_BASE_URL="{BASE}", LLM_API_MODEL="fake-1"))
env_case("all are missing", {}, code=1, told=["LLM_API", ".env.agent.secret"])
env_case("LMS_API_KEY alone is missing", {".env.agent.secret": FULL}, code=1, told=["LMS_API_KEY", ".env.docker.secret"],
         flags=("--api-base", "http://127.0.0.1:9"))
env_case("LMS_API_KEY is a placeholder", {".env.agent.secret": FULL, ".env.docker.secret": "LMS_API_KEY=<key>\n"}, code=1,
         told="LMS_API_KEY", flags=("--api-base", "http://127.0.0.1:9"))


@case("5/16", "a folder called .env, as Python makes them, is no file of variables")
def folder_env():
    with Rig(files={k: v for k, v in FILES.items() if k != ".env"}) as rig:
        rig.put(".env/bin/activate", "x=1\n")
        rig.model("Yes.")
        same("answer", rig.ask("x").answer["answer"], "Yes.")


@case("5/16", "keys of the API: environment before file, ARGUS_API_KEY and LMS_API_KEY, each sent as it is")
def api_keys():
    for files, env in ((".env.docker.secret", {}), (".env", {}), (None, {"LMS_API_KEY": API_KEY}),
                       (None, {"ARGUS_API_KEY": API_KEY}), ("wrong", {"LMS_API_KEY": API_KEY})):
        with Rig(secrets=False) as rig:
            rig.put(".env.agent.secret", "LLM_API_KEY=%s\n" % MODEL_KEY)
            if files:
                rig.put(files if files[0] == "." else ".env.docker.secret", "LMS_API_KEY=%s\n"
                        % (API_KEY if files[0] == "." else "wrong-key-12345678"))
            api = rig.api()
            rig.env.update(env)
            r = rig.use(call("query_api", method="GET", path="/items/1"))
            same("status", r.calls[0]["status"], 200)
            same("header", api.requests()[0]["authorization_sha256"], sha256("Bearer " + API_KEY))


@case("5/16", "where the API is: flag, ARGUS_API_BASE_URL, AGENT_API_BASE_URL, default")
def api_bases():
    dead = "http://127.0.0.1:%d" % free_port()
    for flags, env in (([], {"AGENT_API_BASE_URL": "{API}"}), ([], {"ARGUS_API_BASE_URL": "{API}"}),
                       (["--api-base", "{API}"], {"AGENT_API_BASE_URL": dead, "ARGUS_API_BASE_URL": dead})):
        with Rig() as rig:
            api = rig.api()
            del rig.env["AGENT_API_BASE_URL"]
            fill = lambda s: s.replace("{API}", api.url)
            rig.env.update({k: fill(v) for k, v in env.items()})
            r = rig.use(call("query_api", method="GET", path="/items/1"), flags=[fill(f) for f in flags])
            same("status", r.calls[0]["status"], 200)
    with Rig() as rig:
        rig.api_ = "the default"
        r = rig.use(call("query_api", method="GET", path="/items/1"))
        has(r.calls[0]["result"], "localhost:42002")


@case("5/16", "an address that only a file of the folder names is read, not written to")
def found_address():
    with Rig() as rig:
        api = rig.api()
        del rig.env["AGENT_API_BASE_URL"]
        rig.put(".env", "AGENT_API_BASE_URL=%s\n" % api.url)
        r = rig.use(call("query_api", method="POST", path="/items/", body="{}"))
        same("ok", r.calls[0]["ok"], False)
        same("requests", [q["method"] for q in api.requests() if q["method"] != "GET"], [])
        has(r.err, "only GET and HEAD are sent", "stderr")
        r = rig.use(call("query_api", method="GET", path="/items/1"))
        same("status", r.calls[0]["status"], 200)
        # The server is shared with other cases: nothing that is there is removed.
        r = rig.use(call("query_api", method="DELETE", path="/items/987654"), flags=["--api-base", api.url],
                    question="Delete item 987654")
        same("sent", r.calls[0]["request"], "DELETE /items/987654")


@case("5/16", "argus.yaml: the group ask")
def yaml():
    with Rig() as rig:
        rig.put("argus.yaml", "ask:\n  ask_calls: 2\n  ask_api: false\n  read_bytes: 2048\n")
        rig.put("wiki/long.md", "a line\n" * 1000)
        rig.model([call("read_file", path="wiki/long.md"), call("list_files", path="."), call("list_files", path="wiki")])
        r = rig.run("ask", "x").parse()
        same("calls", len(r.calls), 2)
        want(len(r.calls[0]["result"]) < 3000, len(r.calls[0]["result"]))
        want("query_api" not in [t["function"]["name"] for t in r.requests[0]["tools"]], "query_api is offered")


# --- 22-25: where it runs


@case("5/22", "standard input that never ends is not waited for")
def open_stdin():
    with Rig() as rig:
        rig.model("Yes.")
        read, write = os.pipe()
        begin = time.monotonic()
        r = rig.ask("x", stdin=read, timeout=20)
        took = time.monotonic() - begin
        os.close(read), os.close(write)
        want(took < 5 * SLOW, "it took %.1f s" % took)
        same("answer", r.answer["answer"], "Yes.")
        r = rig.run("ask", "--offline", "merge a branch", stdin=subprocess.PIPE)
        same("offline", json.loads(r.out)["mode"], "offline")


@case("5/23", "standard output closed, full, or a pipe that nobody reads: a failure, no half answer")
def bad_stdout():
    with Rig() as rig:
        rig.put("wiki/big.md", "words " * 5000)
        for end in ("Yes.", "Y" * 300000):
            rig.model(raw=turn(call("read_file", path="wiki/big.md"), head="repeat when not \"tool_call_id\"") +
                      "otherwise\n  text %s\n" % end)
            with open("/dev/full", "wb") as full:
                r = rig.run("ask", "x", "--no-api", "-v", code=1, stdout=full)
            has(r.err, "output", "stderr")
            r = rig.run("ask", "x", "--no-api", "-v", code=1, stdout=None, preexec_fn=lambda: os.close(1))
            want(r.err.strip(), "nothing is said")
            read, write = os.pipe()
            os.close(read)
            p = rig.start("ask", "x", "--no-api", "-v", stdout=write)
            os.close(write)
            err = p.communicate(timeout=60)[1]
            rig.said.append(err)
            want(p.returncode not in (0, -signal.SIGPIPE), "exit code", p.returncode)
        rig.run("ask", "--offline", "merge a branch", code=1, stdout=open("/dev/full", "wb"))
        # A standard error that is closed or full hurts nobody.
        p = rig.start("ask", "x", "--no-api", "-vv")
        p.stderr.close()
        out = p.stdout.read()
        p.wait(60)
        same("with stderr closed", (p.returncode, json.loads(out)["answer"][:1]), (0, "Y"))


MS_RDONLY, MS_REMOUNT, MS_BIND, CLONE_NEWNS, CLONE_NEWUSER = 1, 32, 4096, 0x20000, 0x10000000


@case("5/24", "a file system that cannot be written: the same answer, nothing kept, told")
def read_only_fs():
    libc = ctypes.CDLL(None, use_errno=True)
    with Rig() as rig:
        rig.model([call("read_file", path="wiki/a.md")], end="It is A.\nSource: wiki/a.md#merge-a-branch")
        del rig.env["ARGUS_STORE"]
        flags = ["--no-api", "-vv"]
        if os.geteuid() == 0:
            # In a name space of the child's own: the whole project and home become read-only.
            def locked():
                for call_, args in (("unshare", (CLONE_NEWNS,)), ("mount", (b"none", b"/", None, 0x44000, None)),
                                    ("mount", (rig.tmp.encode(), rig.tmp.encode(), None, MS_BIND, None)),
                                    ("mount", (None, rig.tmp.encode(), None, MS_BIND | MS_REMOUNT | MS_RDONLY, None))):
                    if getattr(libc, call_)(*args):
                        os._exit(77)
                os.chdir(rig.root)
                try:
                    open("x", "w")
                    os._exit(78)
                except OSError:
                    pass
            p = rig.start("ask", "Where?", *flags, preexec_fn=locked)
            r = None
            try:
                r = rig.finish(p)
            except Wrong:
                if p.returncode in (77, 78):
                    raise Skip("no name space with a read-only mount can be made here")
                raise
        else:
            for folder in (rig.root, rig.path("home"), rig.path("tmp"), rig.path("store")):
                os.chmod(folder, 0o555)
            r = rig.run("ask", "Where?", *flags)
        r.parse()
        same("answer", (r.answer["answer"], r.answer["source"]), ("It is A.", "wiki/a.md#merge-a-branch"))
        has(r.err, "kept in memory", "stderr")


@case("5/24", "a store on a full disk: the same answer")
def full_disk():
    with Rig() as rig:
        os.symlink("/dev/full", rig.path("store", "full.db"))
        rig.model([call("read_file", path="wiki/a.md")], end="It is A.")
        # A store that was asked for is wanted: then it is an error.
        r = rig.ask("x", "--store", rig.path("store", "full.db"), code=1)
        has(r.err, "full.db")


@case("5/24", "no home, no state folder: the answer comes, the store is in memory")
def no_home():
    with Rig() as rig:
        rig.model(end="Yes.")
        r = rig.ask("x", env={"HOME": None, "XDG_STATE_HOME": None, "ARGUS_STORE": None})
        same("answer", r.answer["answer"], "Yes.")
        r = rig.ask("x", env={"HOME": "/nonexistent", "XDG_STATE_HOME": None, "ARGUS_STORE": None})
        same("answer", r.answer["answer"], "Yes.")
        r = rig.ask("x", env={"PATH": None, "HOME": None, "XDG_STATE_HOME": None, "TMPDIR": None, "LC_ALL": None})
        same("answer", r.answer["answer"], "Yes.")


@case("5/24", "a path with blanks and other scripts, no git: the same answer")
def odd_places():
    answers = []
    for place in ("plain", "with blanks in it", "żółć Проект 日本", "quote'\"$HOME`x", "-dash", "new\nline"):
        with Rig(files=None, secrets=False) as rig:
            folder = os.path.join(rig.tmp, place)
            os.makedirs(os.path.join(folder, "wiki"))
            shutil.rmtree(rig.root, ignore_errors=True)
            for name, text in (("README.md", "# X\n"), ("wiki/a.md", FILES["wiki/a.md"])):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(text)
            rig.root = folder
            rig.put(".env.agent.secret", "LLM_API_KEY=%s\n" % MODEL_KEY)
            r = rig.use(call("read_file", path="wiki/a.md"), call("search_files", query="green button"),
                        end="It is A.\nSource: wiki/a.md#merge-a-branch")
            same("root", r.answer["root"], folder)
            answers.append((r.answer["answer"], r.answer["source"], r.results))
            # The same from elsewhere.
            r = rig.use(call("read_file", path="wiki/a.md"), call("search_files", query="green button"), cwd="/",
                        flags=("--root", folder), end="It is A.\nSource: wiki/a.md#merge-a-branch")
            answers.append((r.answer["answer"], r.answer["source"], r.results))
    for a in answers[1:]:
        same("answer", a, answers[0])


@case("5/24", "from a folder below, the project is found; --root wins")
def below():
    with Rig() as rig:
        r = rig.use(call("read_file", path="wiki/a.md"), cwd=rig.file("backend/app"))
        same("root", r.answer["root"], rig.root)
        has(r.calls[0]["result"], "alpha-7731")
        rig.env["LLM_API_KEY"] = MODEL_KEY
        r = rig.use(call("read_file", path="a.md"), flags=("--root", "wiki"))
        same("root", r.answer["root"], rig.file("wiki"))
        has(r.calls[0]["result"], "alpha-7731")
        for bad in ("missing", "README.md", ""):
            r = rig.ask("x", "--root", bad, code=None)
            want(r.code == 1 or bad == "", bad, r.code)


@case("5/25", "200 questions in a row: no files left behind, the store holds them all")
def many():
    n = 200 if SLOW == 1 else 40
    with Rig() as rig:
        m = rig.model(raw=turn(call("read_file", path="wiki/a.md"), call("search_files", query="green"),
                               call("query_api", method="GET", path="/items/1"),
                               head="repeat when not \"tool_call_id\"") + "otherwise\n  text Yes.\n", tap=False)
        rig.api()
        env, bad, lock, todo = rig.environ(), [], threading.Lock(), list(range(n))

        def work():
            while True:
                with lock:
                    if not todo:
                        return
                    i = todo.pop()
                p = subprocess.run([ARGUS, "ask", "Question %d" % i], cwd=rig.root, env=env, stdin=subprocess.DEVNULL,
                    capture_output=True)
                with lock:
                    rig.said += [p.stdout, p.stderr]
                    try:
                        d = json.loads(p.stdout)
                        if p.returncode or d["answer"] != "Yes." or len(d["tool_calls"]) != 3 or p.stderr:
                            bad.append((p.returncode, p.stdout[:300], p.stderr[:300]))
                    except ValueError:
                        bad.append((p.returncode, p.stdout[:300], p.stderr[:300]))
        threads = [threading.Thread(target=work) for _ in range(3)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        want(not bad, "%d of %d failed: %s" % (len(bad), n, bad[:3]))
        same("requests", len(m.requests()), 2 * n)
        same("left in TMPDIR", os.listdir(rig.path("tmp")), [])
        same("left beside the store", sorted(x for x in os.listdir(rig.path("store")) if not x.startswith("argus.db")), [])
        same("left in the home", [x for x in os.listdir(rig.path("home"))], [])
        same("in the project", sorted(os.listdir(rig.root)), sorted({n.split("/")[0] for n in FILES} |
                                                                     {".env.agent.secret", ".env.docker.secret"}))
        runs = json.loads(rig.run("runs", "-n", "1000", "-o", "json").out)["runs"]
        same("runs", len(runs), n)


@case("5/25", "descriptors and memory of one process do not grow with the number of calls")
def descriptors():
    """100 calls, files and API, in one process: as many descriptors before the last reply as before the third"""
    with Rig() as rig:
        rig.api()
        calls = []
        for i in range(24):
            calls += [call("read_file", path="wiki/a.md", limit=i + 1), call("query_api", method="GET", path="/items/%d" % (i + 1)),
                      call("search_files", query="green button %d" % i), call("list_files", path="wiki" + "/" * i)]
        seen = []
        rig.model(calls[:4], turn(call("outline", path="wiki/a.md"), words=("wait 400",)), calls[4:50], calls[50:],
                  turn("Done.", words=("wait 400",)))
        p = rig.start("ask", "x", "--budget", "100")
        for n in (2, 5):
            until = time.monotonic() + 30 * SLOW
            while len(rig.model_.requests()) < n and p.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            time.sleep(0.05)
            fds = [os.readlink("/proc/%d/fd/%s" % (p.pid, x)) for x in os.listdir("/proc/%d/fd" % p.pid)]
            with open("/proc/%d/statm" % p.pid) as f:
                seen.append((len(fds), int(f.read().split()[1]) * resource.getpagesize() >> 20, fds))
        r = rig.finish(p)
        same("exit code", r.code, 0)
        want(seen[1][0] <= seen[0][0], "%d descriptors, then %d: %s" % (seen[0][0], seen[1][0], seen[1][2]))
        want(seen[1][1] - seen[0][1] < 8 * SLOW, "%d MB, then %d" % (seen[0][1], seen[1][1]))


# --- what users do besides


@case("ask/words", "words are joined; --, dashes, long and broken questions")
def questions():
    with Rig() as rig:
        rig.model()
        for args, wanted in ((["How", "do I", "merge?"], "How do I merge?"), (["--", "-v is what?"], "-v is what?"),
                             (["--", "--no-api", "what"], "--no-api what"), (["What is", "--", "-x"], "What is -x"), (["-v is what?"], "-v is what?"),
                             (["żółć 日本 😀"], "żółć 日本 😀"), (["a\nb\tc"], "a\nb\tc"), (["q" * 30000], "q" * 30000)):
            r = rig.run("ask", "--no-api", *args)
            d = json.loads(r.out)
            same("question", r.requests[-1]["messages"][-1]["content"], wanted)
            same("question", d["question"], wanted)
        for args, told in ((["q" * 40960], "32768"), ([b"bad \xff\xfe bytes"], "UTF-8"),
                           (["--unknown", "x"], "--unknown"), (["x", "--budget", "0"], "budget"),
                           (["x", "--budget", "many"], "budget"), (["x", "--deadline", "0"], "deadline"),
                           (["x", "--format", "xml"], "format"), (["x", "--record", "a", "--replay", "b"], "replay"),
                           (["x", "--model"], "model")):
            n = len(rig.model_.requests())
            p = subprocess.run([ARGUS.encode(), b"ask"] +
                               [a if isinstance(a, bytes) else a.encode() for a in args], cwd=rig.root, env=rig.environ(),
                               stdin=subprocess.DEVNULL, capture_output=True)
            same("exit code of %.60r" % (args,), (p.returncode, p.stdout), (1, b""))
            has(p.stderr.decode("utf-8", "replace"), told, "stderr")
            same("requests", len(rig.model_.requests()), n)
        r = rig.run("ask", "--help")
        has(r.out, "--read-only")
        has(r.out, "--api-methods")


@case("ask/no-api", "--no-api offers no query_api and needs no key; a call of it all the same is an error")
def no_api():
    with Rig() as rig:
        os.remove(rig.file(".env.docker.secret"))
        r = rig.use(call("query_api", method="GET", path="/items/"), flags=("--no-api",))
        names = [t["function"]["name"] for t in r.requests[0]["tools"]]
        want("query_api" not in names and "read_file" in names, names)
        want("query_api" not in r.requests[0]["messages"][0]["content"], "the prompt tells of query_api")
        want(r.calls[0]["result"].startswith("Error"), r.calls[0])


@case("ask/offline", "--offline needs no model, no key, no network; the source is true")
def offline():
    with Rig(secrets=False) as rig:
        other = rig.listener()
        r = rig.run("ask", "--offline", "How do I protect a branch?", "-vv",
                    env={"LLM_API_BASE_URL": "http://127.0.0.1:%d/v1" % other.port,
                         "AGENT_API_BASE_URL": "http://127.0.0.1:%d" % other.port}).parse()
        same("source", (r.answer["source"], r.answer["mode"], r.calls), ("wiki/b.md#protect-a-branch", "offline", []))
        same("nothing was asked", other.came, [])
        r = rig.run("ask", "--offline", "--format", "text", "How do I protect a branch?")
        has(r.out, "(#protect-a-branch)")
        r = rig.run("ask", "--offline", "zyxwv qqqqq").parse()
        same("nothing found", (r.answer["source"], r.answer["status"]), ("", "partial"))
        # No secret is found by its words.
        with Rig() as other_rig:
            for q in ("canary Postgres password", "LLM_API_KEY LMS_API_KEY", "BEGIN RSA PRIVATE KEY", "machine login password"):
                other_rig.run("ask", "--offline", q, "-vv")


@case("ask/formats", "text and Markdown for people")
def formats():
    with Rig() as rig:
        for form in ("text", "markdown"):
            rig.model([call("read_file", path="wiki/a.md")], end="It is **A**.\n\nSource: wiki/a.md#merge-a-branch")
            r = rig.run("ask", "x", "--no-api", "--format", form)
            has(r.out, "It is **A**.")
            has(r.out, "wiki/a.md")
            has(r.out, "merge-a-branch")
            want(not r.out.startswith("{"), r.out)


@case("ask/sandbox", "required, auto and off give the same answer; -vv says what holds")
def sandbox():
    got = {}
    for mode in ("required", "auto", "off"):
        with Rig() as rig:
            rig.api()
            r = rig.use(call("read_file", path="wiki/a.md"), call("query_api", method="GET", path="/items/1"),
                        call("search_files", query="green"), env={"ARGUS_SANDBOX": mode}, question="x",
                        end="A.\nSource: wiki/a.md")
            got[mode] = (r.answer["answer"], r.answer["source"], r.results)
            if mode == "off":
                want("landlock" not in r.err, r.err)
            else:
                has(r.err, "landlock", "the log")
                want(re.search(r"files limited, ports \w+; seccomp on", r.err), r.err)
            r = rig.use(call("read_file", path="wiki/a.md"), flags=("--set", "sandbox=" + mode))
            has(r.calls[0]["result"], "alpha-7731")
            if mode != "off":
                r = rig.run("ask", "--offline", "merge a branch", "-vv", env={"ARGUS_SANDBOX": mode})
                has(r.err, "landlock")
    same("answers", (got["auto"], got["off"]), (got["required"], got["required"]))


@case("ask/ctrl-c", "Ctrl-C: 130 at once, nothing on stdout, the run is kept as cancelled")
def ctrl_c():
    for turns, n, why in (([turn("x", words=("hang",))], 1, "the first reply"),
                          ([[call("read_file", path="wiki/a.md")], turn("x", words=("hang",))], 2, "the second reply"),
                          ([[call("query_api", method="GET", path="/hostile/hang")]], 1, "the API"),
                          ([turn("x", words=("status 429", "header Retry-After: 30", "error wait"))], 1, "a retry")):
        with Rig() as rig:
            rig.model(*turns)
            api = rig.api()
            p = rig.start("ask", "x")
            until = time.monotonic() + 20 * SLOW
            while time.monotonic() < until and p.poll() is None and (
                    len(rig.model_.requests()) < n or (why == "the API" and not api.requests())):
                time.sleep(0.01)
            time.sleep(0.1)
            begin = time.monotonic()
            p.send_signal(signal.SIGINT)
            r = rig.finish(p, 20)
            same("waiting for %s: exit code, stdout" % why, (r.code, r.out), (130, ""))
            want(time.monotonic() - begin < 1.5 * SLOW, "it took long")
            runs = json.loads(rig.run("runs", "-o", "json").out)["runs"]
            same("status", [x["status"] for x in runs], ["cancelled"])


@case("ask/descriptors", "standard input, output or error closed from the start: no byte goes where it does not belong")
def closed_from_the_start():
    for closed in ((0,), (2,), (0, 2), (1,), (0, 1), (0, 1, 2), (1, 2)):
        with Rig() as rig:
            api = rig.api()
            rig.model([call("read_file", path="wiki/a.md"), call("query_api", method="GET", path="/items/1")],
                      [call("search_files", query="green"), call("list_files", path=".")], end="It is A.\nSource: wiki/a.md")
            out = os.open(rig.path("home", "out"), os.O_RDWR | os.O_CREAT, 0o600)

            def prepare():
                for fd in closed:
                    os.close(fd)

            p = rig.start("ask", "x", "-vv", stdout=out, preexec_fn=prepare)
            os.close(out)
            r = rig.finish(p)
            text = read_bytes(rig.path("home", "out"))
            if 1 in closed:
                same("with %s closed: exit code, output" % (closed,), (r.code, text), (1, b""))
            else:
                same("with %s closed: exit code" % (closed,), r.code, 0)
                same("answer", json.loads(text)["answer"], "It is A.")
            same("requests of the model", len(rig.model_.requests()), 3)
            same("requests of the API", [x["target"] for x in api.requests()], ["/items/1"])
            for data in [rig.model_.tap.bytes()] + [read_bytes(rig.path("store", n)) for n in os.listdir(rig.path("store"))]:
                want(b'"event":"sandbox"' not in data, "a line of the log in a connection or the store")
            runs = json.loads(rig.run("runs", "-o", "json").out)["runs"]
            same("runs", len(runs), 1)


@case("ask/killed", "kill -9 while the model is silent: the store is whole, the next question works")
def killed():
    with Rig() as rig:
        rig.model([call("read_file", path="wiki/a.md")], turn("x", words=("hang",)))
        p = rig.start("ask", "x", "--no-api")
        until = time.monotonic() + 20 * SLOW
        while len(rig.model_.requests()) < 2 and p.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        p.kill()
        p.communicate()
        r = rig.use(call("read_file", path="wiki/b.md"), end="B.")
        same("answer", r.answer["answer"], "B.")
        rig.run("runs")


def answered(rig, end="Click the green button.\n\nSource: wiki/a.md#merge-a-branch"):
    return rig.use(call("read_file", path="wiki/a.md"), call("read_file", path="wiki/b.md"), end=end)


@case("ask/runs", "argus runs and argus show know the question")
def shown():
    with Rig() as rig:
        r = answered(rig)
        out = rig.run("runs").out
        has(out, "Where is it?", "argus runs")
        runs = json.loads(rig.run("runs", "-o", "json").out)["runs"]
        same("runs", (len(runs), runs[0]["id"]), (1, r.answer["run"]))
        has(rig.run("show", "last").out, "green button", "argus show")
        same("show as JSON", json.loads(rig.run("show", "last", "-o", "json").out), r.answer)
        same("by its id", json.loads(rig.run("show", r.answer["run"], "-o", "json").out)["run"], r.answer["run"])


@case("ask/verify", "argus verify: of the last run, of a file, after changes")
def verify():
    with Rig() as rig:
        r = answered(rig)
        path = rig.path("home", "answer.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(r.out)
        for what in ("last", r.answer["run"], path):
            out = rig.run("verify", what).out
            has(out, "confirmed", "verify " + what)
        d = json.loads(rig.run("verify", path, "-o", "json").out)
        want("false" not in [x.get("result") for x in d.get("items", [])], d)
        # The cited file changes elsewhere, at the heading, and goes.
        text = FILES["wiki/a.md"]
        rig.put("wiki/a.md", text + "\nMore.\n")
        has(rig.run("verify", path, code=3).out, "changed")
        rig.put("wiki/a.md", text.replace("## Merge a branch", "## Something else"))
        rig.run("verify", path, code=3)
        os.remove(rig.file("wiki/a.md"))
        has(rig.run("verify", path, code=3).out, "gone")
        rig.run("verify", "last", code=3)
        rig.put("wiki/a.md", text)
        rig.run("verify", path)
        # Somebody edits the answer.
        for change in (lambda a: a["tool_calls"][0].update(result="another text"),
                       lambda a: a.update(source="wiki/b.md#protect-nothing"),
                       lambda a: a["citations"][0].update(quote="nobody wrote this sentence")):
            a = json.loads(r.out)
            change(a)
            with open(path, "w", encoding="utf-8") as f:
                json.dump(a, f)
            rig.run("verify", path, code=3)
        p = rig.start("verify", "-", stdin=subprocess.PIPE)
        out, err = p.communicate(r.out_bytes)
        rig.said += [out, err]
        same("verify -", p.returncode, 0)


@case("ask/verify", "argus verify of an answer with API calls and of an offline one")
def verify_more():
    with Rig() as rig:
        rig.api()
        rig.use(call("query_api", method="GET", path="/items/1"), end="One.\nSource: API endpoint GET /items/1")
        # The source is an answer of the API, which is not asked again: nothing proves it.
        out = rig.run("verify", "last", code=1).out
        has(out, "not checkable")
        # A search is never run again, and no citation rests on it.
        rig.use(call("search_files", query="green"), call("read_file", path="wiki/a.md"),
                end="Click the green button.\n\nSource: wiki/a.md#merge-a-branch")
        has(rig.run("verify", "last").out, "not checkable")
        rig.run("ask", "--offline", "How do I protect a branch?")
        rig.run("verify", "last")


@case("ask/record", "--record, then --replay without a server: the same answer; no key in the file")
def record():
    with Rig() as rig:
        rig.model([call("read_file", path="wiki/a.md")], end="A.\nSource: wiki/a.md")
        r = rig.ask("x", "--record", rig.path("home", "x.rec"))
        rig.model_.stop()
        rig.env["LLM_API_BASE_URL"] = rig.model_.base
        again = rig.run("ask", "x", "--no-api", "--replay", rig.path("home", "x.rec")).parse()
        for name in ("answer", "source", "tool_calls", "citations", "status"):
            same(name, again.answer[name], r.answer[name])
        # A recording that cannot be written is a failure, and a failure prints nothing.
        rig.model([call("read_file", path="wiki/a.md")], end="A.")
        for bad in ("/dev/full", rig.path("home", "missing", "x.rec"), rig.root):
            r = rig.ask("x", "--record", bad, code=1)
        r = rig.run("ask", "another question", "--no-api", "--replay", rig.path("home", "x.rec"), code=1)
        same("stdout", r.out, "")


@case("ask/repeat", "a call that is made again is answered from before, the third time with a word")
def repeat():
    with Rig() as rig:
        rig.model(*[[call("read_file", path="wiki/a.md")]] * 4, end="A.")
        r = rig.ask("x")
        same("second", r.calls[1]["result"], r.calls[0]["result"])
        for c in r.calls[2:]:
            has(c["result"], "already have this")
        same("answer", (r.answer["answer"], r.answer["status"]), ("A.", "ok"))


if __name__ == "__main__":
    run_cases(sys.argv[1:])
