"""Scenarios 14 and 15 of the reference: model servers that are busy, broken, slow or silent."""
import os
import time

from ask_want import SLOW, Skip, free_port, has, same, want
from ask_servers import call, turn
from ask_rig import CASES, Rig, case

# --- 14, 15: a model that fails


def failing(name, *words, text="x", within=8, told="", head="repeat", flags=("--deadline", "6"), tap=True):
    def f():
        with Rig() as rig:
            rig.model(raw=turn(text, words=words, head=head), tap=tap)
            begin = time.monotonic()
            r = rig.ask("x", *flags, code=1)
            took = time.monotonic() - begin
            want(took < within * SLOW, "it took %.1f s" % took)
            has(r.err.lower(), told.lower(), "stderr")
            want("127.0.0.1" in r.err or "model" in r.err, r.err)
    CASES.append(("5/14", name, f))


failing("a model server that says 400, with what it says", "status 400", "error max_tokens is too large", told="max_tokens is too large")
failing("a model server that says 401", "status 401", "error no such key", told="401")
failing("a model server that says 404", "status 404", "error no such model", told="404")
failing("a model server that says 500 each time", "status 500", "error out of memory", told="500", within=9)
failing("a model server that says 429 each time", "status 429", "header Retry-After: 1", "error slow down", told="429")
failing("a model server that asks for patience beyond the deadline", "status 429", "header Retry-After: 3000", "error quota",
        told="429", within=7)
failing("a model server that never answers", "hang", told="", within=8)
failing("a model server that says half of its answer and no more", "hang_after 60", within=8)
failing("a model server that is no model server", "body <html><h1>It works!</h1></html>", "header Content-Type: text/html",
        told="")
failing("a model server whose answer is another JSON", 'body {"hello":"world"}', told="")
failing("a model server whose answer has no choices", 'body {"choices":[]}', told="")
failing("a model server whose choice has no message", 'body {"choices":[{"index":0}]}', told="")
failing("a model server that cuts its answer", "cut 100", told="")
failing("a model server that resets the connection", "reset 50", told="", tap=False)
failing("a model server that closes without a byte", "drop", told="", tap=False)


@case("5/14", "a model server that is not there")
def dead_model():
    with Rig() as rig:
        begin = time.monotonic()
        r = rig.ask("x", "--deadline", "6", code=1, env={"LLM_API_BASE_URL": "http://127.0.0.1:%d/v1" % free_port(),
                                                         "LLM_API_MODEL": "m"})
        want(time.monotonic() - begin < 9 * SLOW, "it took long")
        has(r.err, "127.0.0.1")
        has(r.err, "refused")
        r = rig.ask("x", "--deadline", "6", code=1, env={"LLM_API_BASE_URL": "http://no-such-host.invalid/v1",
                                                         "LLM_API_MODEL": "m"})
        has(r.err, "no-such-host.invalid")


@case("5/14", "429 with Retry-After: 1, then an answer: waited for, exit 0")
def retried():
    with Rig() as rig:
        rig.model(turn("x", words=("status 429", "header Retry-After: 1", "error slow down")), "It is 42.")
        begin = time.monotonic()
        r = rig.ask("x")
        took = time.monotonic() - begin
        same("answer", (r.answer["answer"], r.answer["status"], len(r.requests)), ("It is 42.", "ok", 2))
        want(0.9 < took < 6 * SLOW, "it took %.2f s" % took)
    with Rig() as rig:  # in the middle of the work
        rig.model([call("read_file", path="wiki/a.md")], turn("x", words=("status 503", "error busy")),
                  turn("x", words=("drop",)), "It is A.", tap=False)
        r = rig.ask("x")
        same("answer", (r.answer["answer"], len(r.calls)), ("It is A.", 1))


@case("5/14", "a model server that dies in the middle: exit 1, nothing on stdout")
def dies():
    with Rig() as rig:
        rig.model(raw=turn(call("read_file", path="wiki/a.md")) + turn("x", words=("status 401", "error key expired"),
                                                                       head="repeat"))
        r = rig.ask("x", code=1)
        has(r.err, "key expired")
    with Rig() as rig:  # what it said before is no answer
        rig.model(raw=turn("I will look at page A.", call("read_file", path="wiki/a.md")) +
                  turn("x", words=("status 400", "error no more"), head="repeat"))
        has(rig.ask("x", code=1).err, "no more")


@case("5/15", "a slow model: printed before the deadline, marked partial")
def slow_model():
    with Rig() as rig:
        rig.model(raw=turn("Looking.", call("read_file", path="wiki/a.md"), words=("wait 2000",),
                           head="repeat when not last \"cannot call tools\"") +
                  turn("Half of it: alpha.", words=("wait 2000",), head="repeat"))
        begin = time.monotonic()
        r = rig.ask("x", "--deadline", "8")
        took = time.monotonic() - begin
        want(took < 8 + 1.0 * SLOW, "it took %.2f s" % took)
        same("answer", (r.answer["answer"], r.answer["status"]), ("Half of it: alpha.", "partial"))
        want("time" in r.answer["why"] and "time" in r.err, r.answer["why"], r.err)
        want("tools" not in r.requests[-1], "the last request carries tools")


@case("5/15", "a model that falls silent: its last words, before the deadline, marked partial")
def silent_model():
    with Rig() as rig:
        rig.model(raw=turn("I look at page A.", call("read_file", path="wiki/a.md")) + turn("x", words=("hang",), head="repeat"))
        begin = time.monotonic()
        r = rig.ask("x", "--deadline", "3")
        took = time.monotonic() - begin
        want(took < 3 + 1.0 * SLOW, "it took %.2f s" % took)
        same("answer", (r.answer["answer"], r.answer["status"]), ("I look at page A.", "partial"))


@case("5/15", "a slow API leaves the model its time")
def slow_api():
    with Rig() as rig:
        rig.api("--rows", "1")
        rig.model([call("query_api", method="GET", path="/hostile/hang")], end="The API does not answer.")
        begin = time.monotonic()
        r = rig.ask("x", "--deadline", "%g" % (6 * SLOW))
        took = time.monotonic() - begin
        want(took < 7 * SLOW, "it took %.2f s" % took)
        same("answer", r.answer["answer"], "The API does not answer.")
        has(r.calls[0]["result"], "rror")


@case("5/15", "20 s per turn and no option: printed before 60 s, marked partial")
def long_one():
    if not os.environ.get("ARGUS_LONG"):
        raise Skip("in the long tier only (./run test --long)")
    with Rig() as rig:
        rig.model(raw=turn("Looking.", call("read_file", path="wiki/a.md"), words=("wait 20000",),
                           head="repeat when not last \"cannot call tools\"") +
                  turn("Half of it.", words=("wait 20000",), head="repeat"))
        begin = time.monotonic()
        r = rig.ask("x")
        took = time.monotonic() - begin
        want(took < 60, "it took %.1f s" % took)
        want(r.answer["status"] == "partial" and r.answer["answer"] in ("Half of it.", "Looking."), r.answer)
