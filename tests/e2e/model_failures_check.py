#!/usr/bin/env python3
"""Models that are busy, away, cut off, killed or hostile, and what stays of the run (behind model_failures.sh).

usage: model_failures_check.py [CASE...]        (ARGUS and FAKE_MODEL name the programs)
"""
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time

from model_audit_check import (DONE, EMAIL, GATE_FINDING, GATE_RUN, PROFILE, QUERY_NULLS, SAMPLE, WHOLE,
                               check_whole_report, says)
from model_rig import (CHAT_KEY, MSGS_KEY, SELF, Rig, Server, answer, iteration, plan, run_cases, same, user_text, want,
                       without_ids)

STEPS = [s for s, _ in WHOLE]
SHORT = [SAMPLE, PROFILE, QUERY_NULLS, EMAIL, DONE]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def tool_calls(rig):
    """of the newest run: (what was called, with which input), from the log"""
    db = sqlite3.connect(rig.path("store.db"))
    rows = db.execute("select payload from events where type = 'tool_input' and run ="
                      " (select max(run) from events) order by seq").fetchall()
    db.close()
    return [r[0] for r in rows]


def steps_of(asked):
    """the iterations that were answered, in order"""
    return [iteration(a["request"]) for a in asked if a["status"] == 200]


# --- busy and away


def rate_limit():
    """429 with Retry-After is waited for, and the run goes on"""
    script = (answer("x", "status 429", "header Retry-After: 1", "error slow down", 'error_type rate_limit_error') +
              plan(SHORT))
    for name in ("chat", "msgs"):
        with Rig("customers.json") as rig, Server(script) as server:
            rig.yaml(server, **{name: ""})
            begin = time.monotonic()
            r = rig.audit("customers.json")
            took = time.monotonic() - begin
            same("status", (r["status"], len(r["findings"])), ("ok", 1))
            same("answers", [a["status"] for a in server.asked()], [429] + [200] * 5)
            want(1 <= took < 4, "it took %.2f s" % took)


def overloaded():
    """529, 503 and a lost connection in a row are three attempts; a refused key is one"""
    script = (answer("x", "status 529", "error busy") + answer("x", "status 503", "error busy") +
              answer("x", "drop") + plan(SHORT))
    with Rig("customers.json") as rig, Server(script) as server:
        rig.yaml(server, msgs="")
        same("status", rig.audit("customers.json")["status"], "ok")
        same("calls", len(server.asked()), 3 + 5)
    with Rig("customers.json") as rig, Server(answer("x", "status 401", "error bad key %s" % CHAT_KEY)) as server:
        rig.yaml(server, chat="")
        rig.audit("customers.json", code=1)
        same("calls", len(server.asked()), 1)
        want("key" in rig.err and CHAT_KEY not in rig.err + rig.out, rig.err)


def dead_server():
    """a server that dies: partial report, exit 1; when it is back resume completes, no query asked twice"""
    port = free_port()
    with Rig("customers.json") as rig:
        with Server(plan(STEPS[:6]) + answer("x", "status 500", "error down", head="repeat"), port) as server:
            rig.yaml(server, chat="attempts: 2")
            r = rig.audit("customers.json", code=1)
            first = steps_of(server.asked())
        same("status", (r["status"], [f["field"] for f in r["findings"]]), ("partial", ["email"]))
        want("resume" in rig.err, "the way on is told:", rig.err)
        same("kept", rig.shown()["id"], r["id"])
        # Still away: a resume fails alike and keeps all.
        rig.run("resume", "last", "-o", "json", code=1)
        same("kept", rig.shown()["status"], "partial")
        with Server(plan(STEPS[6:]), port) as server:
            rig.run("resume", "last", "-o", "json")
            second = steps_of(server.asked())
        same("steps asked", first + second, list(range(1, len(STEPS) + 1)))
        check_whole_report(rig.shown())
        same("printed", json.loads(rig.out), rig.shown())
        calls = tool_calls(rig)
        same("tool calls, each once", len(set(calls)), len(calls))
        rig.run("resume", "last", code=1)
        want("complete" in rig.err, rig.err)


def nobody_there():
    """nobody listens: exit 1 within seconds, the message names the address"""
    with Rig("customers.json") as rig:
        rig.write("argus.yaml", "models: {chat: {base_url: 'http://127.0.0.1:%d', attempts: 2}}\n" % free_port())
        r = rig.audit("customers.json", code=1)
        same("status", r["status"], "partial")
        want("127.0.0.1" in rig.err, rig.err)


def impatient():
    """Ctrl-C ends the wait for a busy server at once; a wait beyond the deadline is not begun"""
    with Rig("customers.json") as rig, Server(answer("x", "status 429", "header Retry-After: 30", head="repeat")) as s:
        rig.yaml(s, chat="")
        p = rig.start("audit", "customers.json", "--planner", "llm", "-o", "silent")
        while not s.asked():
            time.sleep(0.01)
        time.sleep(0.1)
        begin = time.monotonic()
        p.send_signal(signal.SIGINT)
        rig.finish(p, 130)
        rig.run("audit", "customers.json", "--planner", "llm", "-o", "silent", "--deadline", "5", code=1)
        want(time.monotonic() - begin < 5, "it waited")
        want("30 s" in rig.err, rig.err)


def nonsense():
    """a model that talks, one that never ends: a partial report after three steps"""
    for script, asked in (("otherwise\n  text I will do that.\n", 6),
                          ("otherwise\n  filler 20000000\n  deltas 60000\n", 6)):
        with Rig("customers.json") as rig, Server(script) as server:
            rig.yaml(server, chat="")
            r = rig.audit("customers.json", code=1)
            same("status", (r["status"], len(server.asked())), ("partial", asked))
            want("AgentAction" in rig.err and "larger model" in rig.err, rig.err)


# --- cut


# The smallest streams that say "conclude": every byte of them is a place to cut.
TINY = json.dumps(json.dumps({"reasoning": "r", "action": "conclude", "action_input": {}, "confidence": 1}))
CHAT = ('data: {"choices":[{"index":0,"delta":{"content":%s}}]}\n\n'
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
        'data: [DONE]\n\n' % TINY)
MSGS = "".join('event: %s\ndata: {"type":"%s"%s}\n\n' % (t, t, more) for t, more in (
    ("message_start", ',"message":{"role":"assistant","content":[],"usage":{"input_tokens":1}}'),
    ("content_block_start", ',"index":0,"content_block":{"type":"text","text":""}'),
    ("content_block_delta", ',"index":0,"delta":{"type":"text_delta","text":%s}' % TINY),
    ("content_block_stop", ',"index":0'),
    ("message_delta", ',"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}'),
    ("message_stop", "")))


# With a sanitizer every ninth byte: each cut is a process. All bytes are cut in one process there, by contract_llm_cuts.
STRIDE = 9 if "ARGUS_SANITIZED" in os.environ and "ARGUS_LONG" not in os.environ else 1


def cut_everywhere(name, stream):
    """at each byte of one answer: exit 0 or 1, the run kept, never half an answer taken for a whole one"""
    cuts = list(range(0, len(stream), STRIDE))
    body = ("body %s" % json.dumps(stream), "header Content-Type: text/event-stream")
    said = "".join(answer("x", *body, "cut %d" % n) for n in cuts) + answer("x", *body, head="repeat")
    with Rig() as rig, Server(said) as server:
        rig.write("d.ndjson", '{"_id":1,"a":1}\n{"_id":2,"a":null}\n')
        rig.yaml(server, **{name: "attempts: 1"})
        codes = []
        while len(codes) < len(cuts) + 2:
            batch = [rig.start("audit", "d.ndjson", "--planner", "llm", "-o", "json", "--max-iterations", "1",
                               "--no-history") for _ in range(4)]
            for p in batch:
                codes.append(rig.finish(p))
                r = json.loads(rig.out)
                whole = [t["action"] for t in r["run_trace"]] == ["conclude"]
                want(codes[-1] in (0, 1) and whole == (codes[-1] == 0), codes[-1], r["run_trace"], rig.err)
                same("status", r["status"], "partial")
        same("one request each, each cut elsewhere", sorted(a["bytes"] for a in server.asked())[:len(cuts)], cuts)
        want(0 < codes.count(0) < len(codes) // 4, "of %d cuts %d were whole" % (len(codes), codes.count(0)))
        runs = json.loads(rig.run("runs", "-o", "json", "-n", "1000"))["runs"]
        same("runs kept", (len(runs), {x["status"] for x in runs}), (len(codes), {"partial"}))


def cut_chat():
    """a chat stream cut at every byte offset"""
    cut_everywhere("chat", CHAT)


def cut_msgs():
    """a Messages stream cut at every byte offset"""
    cut_everywhere("msgs", MSGS)


def cut_and_again():
    """each answer of a run is cut somewhere first: tried again, the same report"""
    script = "".join(plan([s], "cut %d" % (40 * i)) + plan([s]) for i, s in enumerate(STEPS[:6])) + plan(STEPS[6:])
    with Rig("customers.json") as rig, Server(script) as server:
        rig.yaml(server, msgs="")
        check_whole_report(rig.audit("customers.json"))
        same("calls", len(server.asked()), len(STEPS) + 6)


# --- record and replay


def record():
    """--record, then --replay with the server gone gives the same report; other data is named by exchange and path"""
    with Rig("customers.json") as rig:
        rig.run("audit", "customers.json", "-o", "silent")
        with Server(plan(STEPS, "usage 1000 50")) as server:
            rig.yaml(server, chat="")
            whole = rig.audit("customers.json", "--record", "run.rec")
        # A replay knows of the runs that the recorded one knew, and of no other.
        same("history", whole["previous_run_id"] is not None, True)
        for _ in range(2):
            again = rig.audit("customers.json", "--replay", "run.rec")
            same("replayed", without_ids(again), without_ids(whole))
            same("previous run", again["previous_run_id"], whole["previous_run_id"])
        with open(rig.path("run.rec"), "rb") as f:
            want(CHAT_KEY.encode() not in f.read(), "a key in the recording")
        with open(rig.path("customers.json"), encoding="utf-8") as f:
            text = f.read()
        rig.write("customers.json", text.replace('"email":"doran.grnbcker0@example.org"', '"email":null', 1))
        rig.run("audit", "customers.json", "--planner", "llm", "--replay", "run.rec", "-o", "json", code=1)
        want("exchange" in rig.err and "messages[" in rig.err, rig.err)
        rig.write("customers.json", text)
        rig.run("audit", "customers.json", "--planner", "llm", "--replay", "missing.rec", code=2)
        want("missing.rec" in rig.err, rig.err)


def record_of_a_resume():
    """a run that goes on can be recorded and replayed as well"""
    with Rig("customers.json") as rig:
        with Server(plan(STEPS)) as server:
            rig.yaml(server, msgs="")
            r = rig.audit("customers.json", "--no-history", "--max-iterations", "6")
            copy = rig.path("copy.db")
            a, b = sqlite3.connect(rig.path("store.db")), sqlite3.connect(copy)
            a.backup(b)
            a.close(), b.close()
            rig.run("resume", r["id"], "--max-iterations", "20", "--record", "rest.rec", "-o", "json")
            whole = rig.shown()
        rig.run("resume", r["id"], "--max-iterations", "20", "--replay", "rest.rec", "-o", "json",
                ARGUS_STORE=copy)
        check_whole_report(json.loads(rig.out))
        same("replayed", without_ids(json.loads(rig.out)), without_ids(whole))


# --- keys


def every_file(rig):
    for folder, _, names in os.walk(rig.dir):
        for name in names:
            if name == "customers.json":
                continue
            with open(os.path.join(folder, name), "rb") as f:
                yield os.path.join(folder, name), f.read()


def keys_stay_home():
    """keys are on the wire only: not in output, log, report, recording, store"""
    # A server that repeats the key in its errors and answers must not get it into the report either.
    script = (answer("x", "status 503", "error your key is %s" % CHAT_KEY) + plan(STEPS[:4]) +
              answer("x", "status 400", "error no such thing for %s" % CHAT_KEY, head="repeat"))
    with Rig("customers.json") as rig, Server(script) as server:
        rig.yaml(server, chat="", msgs="")
        rig.audit("customers.json", "--model", "chat", "--record", "run.rec", code=1, ARGUS_LOG_LEVEL="debug",
                  ANTHROPIC_API_KEY="sk-ant-other-0123456789abcdef")
        rig.run("models", code=None, ARGUS_LOG_LEVEL="debug")
        rig.run("models", "-o", "json", code=None)
        rig.run("doctor", code=None, ARGUS_LOG_LEVEL="debug")
        rig.run("show", "last", "--trace", ARGUS_LOG_LEVEL="debug")
        rig.run("runs", "-o", "json")
        want(b"ARGUS_CHAT_KEY" in b"".join(rig.said), "where a key comes from is told")
        for key in (CHAT_KEY, MSGS_KEY, "sk-ant-other-0123456789abcdef"):
            for part in (key, key[:14], key[-12:]):
                for said in rig.said:
                    want(part.encode() not in said, "a key was printed", said.decode()[-1500:])
                for name, data in every_file(rig):
                    want(part.encode() not in data, "a key in", name)
        lines = [json.loads(x) for x in server.log_bytes().splitlines()]
        keys = {a["key_hash"] for a in lines if a.get("path") == "/v1/chat/completions"}
        same("and on the wire it was, one for one place", len(keys), 1)


def redirects():
    """a redirect is not followed, and the key goes nowhere else"""
    with Server("otherwise\n  text here\n") as other, Rig("customers.json") as rig:
        for status in (301, 302, 307, 308):
            moved = answer("x", "status %d" % status, "header Location: %s/v1/chat/completions" % other.url,
                           head="repeat")
            with Server(moved) as server:
                rig.yaml(server, chat="")
                r = rig.audit("customers.json", code=1)
                same("status", r["status"], "partial")
                same("calls", len(server.asked()), 1)
                want("do not follow" in rig.err, rig.err)
        same("requests of the other server", other.asked(), [])
        same("connections", other.log_bytes(), b"")


def foreign_settings():
    """an argus.yaml that lies in the folder cannot send ANTHROPIC_API_KEY elsewhere"""
    with Server(plan(STEPS)) as server, Rig("customers.json") as rig:
        # Loopback is no elsewhere: the evil address is one that nobody has.
        rig.write("argus.yaml", "models: {m: {provider: anthropic, base_url: 'https://192.0.2.1:%d', "
                                "key_env: ANTHROPIC_API_KEY, attempts: 1, connect_timeout: 1}}\n" % server.port)
        key = "sk-ant-api03-aaaaaaaaaaaaaaaaaaaa"
        for command in (["audit", "customers.json", "--planner", "llm"], ["models"]):
            rig.run(*command, code=1 if command[0] == "models" else 2, ANTHROPIC_API_KEY=key)
            want("ANTHROPIC_API_KEY" in rig.err + rig.out and "192.0.2.1" in rig.err + rig.out and
                 key not in rig.err + rig.out, rig.err)
        # Without key_env the address gets no key at all; and named on purpose it is trusted.
        rig.yaml(server, msgs="")
        with open(rig.path("argus.yaml"), encoding="utf-8") as f:
            rig.write("argus.yaml", "".join(x for x in f.read().splitlines(True) if "key_env" not in x))
        rig.audit("customers.json", ANTHROPIC_API_KEY=key)
        same("key sent", {a["key_header"] for a in server.asked()}, {None})


# --- stopped


def hanging(rig, server_steps, *flags):
    """an audit that waits for its model at the step behind them: the process"""
    server = Server(plan(server_steps) + answer("x", "hang", head="repeat"))
    rig.yaml(server, chat="")
    p = rig.start("audit", "customers.json", "--planner", "llm", "-o", "json", *flags)
    until = time.monotonic() + 20
    while len([x for x in server.log_bytes().splitlines() if b'"request"' in x]) <= len(server_steps):
        want(time.monotonic() < until and p.poll() is None, "it does not get there")
        time.sleep(0.01)
    time.sleep(0.05)
    return server, p


def go_on(rig, server, n):
    first = steps_of(server.asked())[:n]
    server.stop()
    with Server(plan(STEPS[n:]), server.port) as again:
        rig.run("resume", "last", "-o", "json")
        same("steps asked", first + steps_of(again.asked()), list(range(1, len(STEPS) + 1)))
    check_whole_report(rig.shown())
    calls = tool_calls(rig)
    same("tool calls, each once", len(set(calls)), len(calls))


def interrupted():
    """Ctrl-C while the model is silent: 130 within a second, the report kept, the run goes on"""
    with Rig("customers.json") as rig:
        server, p = hanging(rig, STEPS[:6])
        with server:
            begin = time.monotonic()
            p.send_signal(signal.SIGINT)
            rig.finish(p, 130)
            want(time.monotonic() - begin < (1 if "ASAN_OPTIONS" not in os.environ else 5), "it took long")
            r = json.loads(rig.out)
            same("report", (r["status"], [f["field"] for f in r["findings"]]), ("cancelled", ["email"]))
            same("kept", rig.shown(), r)
            go_on(rig, server, 6)


def killed():
    """kill -9 while the model is silent: nothing committed is lost, the run goes on"""
    for n in (0, 4, 6, len(STEPS) - 1):
        with Rig("customers.json") as rig:
            server, p = hanging(rig, STEPS[:n])
            with server:
                # Nobody writes beside a living writer; a dead one has lost its right at once.
                rig.run("resume", "last", code=1)
                want("is written by process %d" % p.pid in rig.err, rig.err)
                p.kill()
                p.communicate()
                go_on(rig, server, n)


def killed_while_judged():
    """kill -9 while an evaluator thinks: the finding is judged by the next sitting, its query is not run again"""
    with Rig("customers.json") as rig:
        with Server(plan(SHORT) + answer("x", "hang", head="repeat " + SELF)) as server:
            rig.yaml(server, chat="")
            p = rig.start("audit", "customers.json", "--planner", "llm", "--eval-profile", "balanced")
            while not any("a model like you" in str(a["request"]) for a in server.asked()):
                time.sleep(0.01)
            p.kill()
            p.communicate()
        with Server(plan([DONE]) + says(SELF, GATE_FINDING, "pass", 0.9) + says(SELF, GATE_RUN, "pass", 0.9),
                    server.port) as again:
            rig.run("resume", "last", "-o", "json")
            same("calls", len(again.asked()), 3)
        r = rig.shown()
        same("report", (r["status"], [f["field"] for f in r["findings"]], len(r["run_trace"])), ("ok", ["email"], 5))
        calls = tool_calls(rig)
        same("tool calls", (len(calls), len(set(calls))), (4, 4))


def deadlines():
    """--deadline ends a run whose model is silent"""
    with Rig("customers.json") as rig:
        server, p = hanging(rig, STEPS[:6], "--deadline", "1.5")
        with server:
            rig.finish(p, 1)
            r = json.loads(rig.out)
            same("report", (r["status"], [f["field"] for f in r["findings"]]), ("failed", ["email"]))


# --- argus models


def models():
    """argus models: a good server, one that does not know the model, one that is dead"""
    with Server("models chat-1 other\notherwise\n  text Hi.\n") as server, Rig() as rig:
        rig.yaml(server, chat="", chat_wrong="", msgs="")
        with open(rig.path("argus.yaml"), encoding="utf-8") as f:
            text = f.read()
        rig.write("argus.yaml", text + "  dead: {base_url: 'http://127.0.0.1:%d', attempts: 1}\n" % free_port())
        rig.run("models", code=1)
        out = rig.out
        want("does not list" in out and "ARGUS_CHAT_KEY" in out and CHAT_KEY not in out + rig.err, out)
        rig.run("models", "-o", "json", code=1)
        found = {m["name"]: m for m in json.loads(rig.out)["models"]}
        same("names", set(found), {"chat", "chat_wrong", "msgs", "dead"})
        for name, has_model in (("chat", True), ("chat_wrong", False), ("msgs", False)):
            ping = found[name]["ping"]
            same(name, (ping["ok"], ping["lists_models"], ping["has_model"]), (True, True, has_model))
            same("key", found[name]["key_from"], "ARGUS_MSGS_KEY" if name == "msgs" else "ARGUS_CHAT_KEY")
        want(not found["dead"]["ping"]["ok"] and "refused" in found["dead"]["ping"]["message"], found["dead"])
        same("nothing is asked of a model", {x["method"] for x in server.asked()}, {"GET"})
        n = len(server.log_bytes().splitlines())
        rig.run("models", "--no-ping")
        same("--no-ping asks nobody", len(server.log_bytes().splitlines()), n)


CASES = [rate_limit, overloaded, dead_server, nobody_there, impatient, nonsense, cut_chat, cut_msgs,
         cut_and_again, record, record_of_a_resume, keys_stay_home, redirects, foreign_settings, interrupted,
         killed, killed_while_judged, deadlines, models]


if __name__ == "__main__":
    run_cases(CASES, sys.argv[1:])
