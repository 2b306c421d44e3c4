#!/usr/bin/env python3
"""Audits of the example shop by models (behind model_audit.sh): real program, real protocols, a scripted server.

usage: model_audit_check.py [CASE...]        (ARGUS and FAKE_MODEL name the programs)
"""
import json
import os
import sys

from model_rig import (FIELDS, JUDGE, SELF, Rig, Server, answer, finding, iteration, plan, run_cases, same, step,
                       system_text, user_text, want, without_ids)

NULLS = '{"email": null}'
OLD = '{"age": {"$gt": 150}}'
SAMPLE = step("schema_sample", "look first", sample_size=300)
PROFILE = step("profile_fields", "exact figures", fields=FIELDS)
QUERY_NULLS = step("run_query", "how many are null", filter={"email": None})
EMAIL = finding("email", "null_rate", "medium", 61, NULLS)
DONE = step("conclude", "nothing is open")

# Steps of the whole run: (what the model says, what the trace must tell of it)
WHOLE = [
    (SAMPLE, {"executed": True}),
    (step("conclude", "too early"), {"note": "run gate rejected"}),
    (PROFILE, {"executed": True}),
    (QUERY_NULLS, {"executed": True}),
    (finding("email", "null_rate", "medium", 150, NULLS), {"executed": True}),
    (EMAIL, {"executed": True}),
    (step("run_query", "again, in other words", filter={"email": {"$eq": None}}), {"gate": "no_repeat_query"}),
    (step("run_query", "in words", filter="age > 150"), {"gate": "action_input_shape"}),
    (step("get_stats", "no such statistic", field="age", operation="median"), {"gate": "action_input_shape"}),
    (step("write_finding", "half a finding", field="age"), {"gate": "action_input_shape"}),
    (finding("points", "outlier", "high", 0, '{"points": {"$lt": -5}}'), {"gate": "evidence_required"}),
    (finding("age", "null_rate", "critical", 1500, '{"age": {"$exists": true}}'), {"gate": "evidence_shows_it"}),
    (step("run_query", "how many", filter={"age": {"$gt": 150}}), {"executed": True}),
    (finding("age", "impossible_value", "high", 6, OLD), {"executed": True}),
    (DONE, {}),
]


def fails_at(report, i):
    return [r for r in report["evaluation_records"] if r["iteration"] == i and r["verdict"] == "fail"]


def check_whole_report(r):
    same("status", (r["status"], r["planner"]), ("ok", "llm"))
    same("findings", sorted((f["field"], f["category"], f["affected_count"], f["severity"]) for f in r["findings"]),
         [("age", "impossible_range", 6, "high"), ("email", "null_rate", 61, "medium")])
    same("dismissed", [f["field"] for f in r["dismissed_findings"] if f["affected_count"] == 0], ["points"])
    same("run verdict", r["run_evaluation"]["verdict"], "pass")
    same("steps", [t["action"] for t in r["run_trace"]], [json.loads(s)["action"] for s, _ in WHOLE])
    for i, (said, wanted) in enumerate(WHOLE):
        t = r["run_trace"][i]
        same("reasoning", t["reasoning"], json.loads(said)["reasoning"])
        same("step %d: input" % i, t["action_input"], json.loads(said)["action_input"])
        if "executed" in wanted:
            want(t["executed"] and not fails_at(r, i + 1), "step", i + 1, t, fails_at(r, i + 1))
        if "gate" in wanted:
            want(any(wanted["gate"] in f["reason"] for f in fails_at(r, i + 1)), "step", i + 1, wanted,
                 fails_at(r, i + 1))
        if "note" in wanted:
            want(wanted["note"] in t["note"], "step", i + 1, t)
    email = next(f for f in r["findings"] if f["field"] == "email")
    want(any(x["target_id"] == email["id"] and x["verdict"] == "pass" for x in r["evaluation_records"]),
         "a verdict points at the committed finding")


def schemas_of(request):
    """the closed parameters that the request allows, one set per action: a union at the top, or (a forced tool) inside"""
    if "response_format" in request:
        return [x["properties"]["action_input"] for x in request["response_format"]["json_schema"]["schema"]["oneOf"]]
    return request["tools"][0]["input_schema"]["properties"]["action_input"]["anyOf"]


def check_prompts(asked):
    """Scenario 23, and what a planner must be told: from the wire."""
    texts = [user_text(a["request"]) for a in asked]
    same("iterations, each asked once", [iteration(a["request"]) for a in asked], list(range(1, len(WHOLE) + 1)))
    same("one system prompt", len({system_text(a["request"]) for a in asked}), 1)
    prefixes = [t.split("\nSTATUS\n")[0] for t in texts]
    same("one prefix behind the sample, and one behind the profile", len(set(prefixes[1:])), 2)
    want("| all: " in prefixes[-1] and "| all: " not in prefixes[1], "the profile stays in view", prefixes[-1])
    for schemas in [schemas_of(a["request"]) for a in asked]:
        same("closed parameters per action", [x["additionalProperties"] for x in schemas], 7 * [False])
    for p in prefixes:
        want("TOKENS" not in p and "Iteration" not in p, "a volatile word in the prefix", p)
    want("61" in texts[5] and "150 were claimed" in texts[5], "the true figure reaches the planner:", texts[5][-1500:])
    want("150 were claimed" not in texts[6].split("CRITIQUE")[-1].split("ACTIONS")[0], "a critique is shown once")
    want("already run" in texts[7], "the repeat is told:", texts[7][-1500:])
    want("want an object" in texts[8], "the shape is told:", texts[8][-1500:])
    want("TOKENS used" in texts[3], "the tally stands in the trailer")


def whole_run():
    """a whole run on both protocols, streamed and not"""
    script = plan([s for s, _ in WHOLE], "usage 1000 50")
    reports = []
    with Rig("customers.json") as rig:
        for name, extra in (("chat", ""), ("chat_whole", "stream: false"), ("msgs", ""),
                            ("msgs_whole", "stream: false")):
            with Server(script) as server:
                rig.yaml(server, **{name: extra})
                r = rig.audit("customers.json", "--no-history")
                asked = server.asked()
            check_whole_report(r)
            check_prompts(asked)
            msgs = name.startswith("msgs")
            same("paths", {a["path"] for a in asked}, {"/v1/messages" if msgs else "/v1/chat/completions"})
            same("keys", {a["key_header"] for a in asked}, {"x-api-key" if msgs else "authorization"})
            same("streams", {a["request"].get("stream", False) for a in asked}, {not extra})
            same("model", {a["request"]["model"] for a in asked}, {name + "-1"})
            n = len(WHOLE)
            same("tokens", (r["total_input_tokens"], r["total_output_tokens"]), (1000 * n, 50 * n))
            want(abs(r["cost"]["usd_total"] - n * 0.0011) < 1e-9, "cost", r["cost"])
            same("by model", [(m["model"], m["input_tokens"], m["output_tokens"]) for m in r["cost"]["by_model"]],
                 [(name + "-1", 1000 * n, 50 * n)])
            row = json.loads(rig.run("runs", "-o", "json", "-n", "1"))["runs"][0]
            same("runs", (row["id"], row["status"]), (r["id"], "ok"))
            same("runs: usage", (row["input_tokens"], row["output_tokens"], row["usd"]),
                 (1000 * n, 50 * n, r["cost"]["usd_total"]))
            want("15,750 tokens" in " ".join(rig.run("runs").split()), rig.out)
            want("15,000 tokens in, 750 out" in " ".join(rig.run("show", "last").split()), rig.out)
            same("the store has what was printed", rig.shown(), r)
            rig.run("verify", "last")
            text = json.dumps(without_ids(r)).replace(name + "-1", "M").replace('"%s"' % name, '"N"')
            reports.append(json.loads(text))
    for other in reports[1:]:
        for member in reports[0]:
            if member not in ("settings", "cost", "models"):
                same(member, other[member], reports[0][member])


# --- evaluators

SHORT = [SAMPLE, PROFILE, QUERY_NULLS, EMAIL, DONE]


def verdict(kind, score, critique="", **more):
    return json.dumps(dict(reason="because", verdict=kind, score=score, critique=critique, **more))


GATE_ACTION, GATE_FINDING, GATE_RUN = ('when system "%s"' % x
                                       for x in ("One proposed action", "One finding", "A whole audit"))


def says(who, gate, kind, score, critique="", head="", **more):
    return answer(verdict(kind, score, critique, **more), "usage 200 40", head="%s %s %s" % (head, who, gate))


def judged(script, *flags, models=("chat", "msgs"), code=0, settings="", **env):
    """-> report, requests"""
    with Rig("customers.json") as rig, Server(script) as server:
        rig.yaml(server, settings, **{m: "" for m in models})
        return rig.audit("customers.json", "--model", "chat", *flags, code=code, **env), server.asked()


def records(r, gate):
    return [x for x in r["evaluation_records"] if x["gate"] == gate]


def purposes(r):
    return {p["purpose"]: (p["calls"], p["input_tokens"], p["output_tokens"]) for p in r["cost"]["by_purpose"]}


def profile_balanced():
    """balanced: rules and self on a finding, self on the run; all usage is counted"""
    script = plan(SHORT, "usage 1000 50") + says(SELF, GATE_FINDING, "pass", 0.9) + says(SELF, GATE_RUN, "pass", 0.8)
    r, asked = judged(script, "--eval-profile", "balanced")
    same("findings", [f["field"] for f in r["findings"]], ["email"])
    same("finding gate", [(x["evaluated_by"], x["score"]) for x in records(r, "finding")], [("composite", 0.9)])
    want("self:chat-1" in records(r, "finding")[0]["reason"] and "rules" in records(r, "finding")[0]["reason"],
         "who judged", records(r, "finding"))
    same("run gate", (r["run_evaluation"]["evaluated_by"], r["overall_quality_score"]), ("self:chat-1", 0.8))
    same("usage", purposes(r), {"planner": (5, 5000, 250), "self": (2, 400, 80)})
    same("totals", (r["total_input_tokens"], r["total_output_tokens"]), (5400, 330))
    same("calls", len(asked), 7)


def profile_thorough():
    """thorough: another model is the judge of the run; its FAIL makes the planner go on"""
    more = [step("get_stats", "one more", field="address.zip", operation="distinct"), DONE]
    script = (plan(SHORT + more, "usage 1000 50") +
              says(SELF, GATE_FINDING, "pass", 0.9) +
              says(JUDGE, GATE_RUN, "fail", 0.2, "Look at the post codes as well.") +
              says(JUDGE, GATE_RUN, "pass", 0.9))
    r, asked = judged(script, "--eval-profile", "thorough", "--judge-model", "msgs")
    same("run gate", (r["run_evaluation"]["evaluated_by"], r["run_evaluation"]["verdict"]), ("judge:msgs-1", "pass"))
    same("verdicts of the run", [x["verdict"] for x in records(r, "run")], ["fail", "pass"])
    same("status", (r["status"], len(r["run_trace"])), ("ok", 7))
    judges = [a for a in asked if a["path"].endswith("/messages")]
    same("the judge's calls", [a["request"]["model"] for a in judges], ["msgs-1", "msgs-1"])
    want("look first" in user_text(judges[0]["request"]), "the judge sees the trace")
    same("its usage", purposes(r)["judge"], (2, 400, 80))
    after = next(a for a in asked if iteration(a["request"]) == 6)
    want("Look at the post codes" in user_text(after["request"]), "its critique reaches the planner")


def self_rejects():
    """self rejects a finding: it is dismissed and the planner is told why"""
    script = (plan(SHORT) + says(SELF, GATE_FINDING, "fail", 0.1, "Half of them never had an address."))
    r, asked = judged(script, "--finding-evaluator", "composite")
    same("findings", r["findings"], [])
    same("dismissed", [(f["field"], f["dismissal"]["critique"]) for f in r["dismissed_findings"]],
         [("email", "Half of them never had an address.")])
    want("never had an address" in user_text(asked[-1]["request"]), "the critique reaches the planner")


def low_score():
    """a PASS below the threshold of its gate is no pass"""
    script = plan(SHORT) + says(SELF, GATE_FINDING, "pass", 0.5)
    r, _ = judged(script, "--finding-evaluator", "self")
    want(records(r, "finding")[0]["verdict"] != "pass", records(r, "finding"))
    script = plan(SHORT) + says(SELF, GATE_FINDING, "pass", 0.5)
    r, _ = judged(script, "--finding-evaluator", "self", settings="evaluators:\n  finding_pass_threshold: 0.4\n")
    same("with a lower one", records(r, "finding")[0]["verdict"], "pass")


def garbage():
    """an evaluator that talks nonsense: asked once more, then closed for findings, a warning for the run"""
    script = (plan(SHORT) + answer("This is not JSON at all.", head="times 2 %s %s" % (SELF, GATE_FINDING)) +
              answer(verdict("splendid", 7), head="times 2 %s %s" % (SELF, GATE_RUN)))
    r, asked = judged(script, "--eval-profile", "balanced")
    same("findings", r["findings"], [])
    same("finding gate", [x["verdict"] for x in records(r, "finding")], ["fail"])
    want("This is not JSON" in r["dismissed_findings"][0]["dismissal"]["reason"], r["dismissed_findings"])
    same("run gate", r["run_evaluation"]["verdict"], "warn")
    same("calls", len(asked), 5 + 2 + 2)
    # Once garbage, then a verdict: that one counts.
    script = (plan(SHORT) + answer("Hm.", head="%s %s" % (SELF, GATE_FINDING)) +
              answer("```json\n    %s\n    ```" % verdict("pass", 0.9), head="%s %s" % (SELF, GATE_FINDING)) +
              says(SELF, GATE_RUN, "PASS", 1))
    r, asked = judged(script, "--eval-profile", "balanced")
    same("findings", len(r["findings"]), 1)
    same("verdicts", [x["verdict"] for x in records(r, "finding") + records(r, "run")], ["pass", "pass"])


def forged():
    """who judged is written by Argus, whatever the model says"""
    script = plan(SHORT) + says(SELF, GATE_FINDING, "pass", 0.9, evaluated_by="escalation:pending")
    r, _ = judged(script, "--finding-evaluator", "self")
    same("finding", [(f["field"], f["status"]) for f in r["findings"]], [("email", "published")])
    same("who", records(r, "finding")[0]["evaluated_by"], "self:chat-1")


def judges_of_steps():
    """a judge rejects a step: it does not run, the planner is told"""
    script = plan(SHORT[:3] + SHORT[2:])
    script += answer(verdict("pass", 1), head="times 2 %s %s" % (JUDGE, GATE_ACTION))
    script += says(JUDGE, GATE_ACTION, "fail", 0, "Ask for missing ones, too.")
    script += answer(verdict("pass", 1), head="repeat %s %s" % (JUDGE, GATE_ACTION))
    r, asked = judged(script, "--action-evaluator", "judge", "--judge-model", "msgs")
    same("executed", [t["executed"] for t in r["run_trace"]][:4], [True, True, False, True])
    same("who", records(r, "action")[2]["evaluated_by"], "judge:msgs-1")
    want("Ask for missing" in user_text([a for a in asked if iteration(a["request"]) == 4][0]["request"]), "told")


def judge_is_missing():
    """a judge without a model is an error that names judge_model, before anything is asked"""
    with Rig("customers.json") as rig, Server(plan(SHORT)) as server:
        rig.yaml(server, chat="")
        rig.run("audit", "customers.json", "--planner", "llm", "--eval-profile", "thorough", code=2)
        want("judge_model" in rig.err or "judge-model" in rig.err, rig.err)
        same("requests", server.asked(), [])


def escalation():
    """escalation: published, waiting, dropped by confidence; review and rate decide"""
    steps = [SAMPLE, PROFILE, QUERY_NULLS, finding("email", "null_rate", "medium", 61, NULLS, confidence=0.6),
             finding("age", "outlier", "high", 6, OLD, confidence=0.2),
             finding("occupation", "placeholder", "low", 75, '{"occupation": {"$in": ["N/A", "unknown", "-"]}}',
                     confidence=0.95), DONE]
    with Rig("customers.json") as rig, Server(plan(steps)) as server:
        rig.yaml(server, chat="")
        r = rig.audit("customers.json", "--finding-evaluator", "escalation")
        same("findings", sorted((f["field"], f["status"], f["confidence"]) for f in r["findings"]),
             [("email", "pending_review", 0.6), ("occupation", "published", 0.95)])
        same("dismissed", r["dismissed_findings"], [])
        same("who", [x["evaluated_by"] for x in records(r, "finding")],
             ["escalation:pending", "escalation:dropped", "rules"])
        want("email" in rig.run("review"), rig.out)
        rig.run("review", "last", "email", "tp")
        rig.run("rate", "last", "occupation", "fp")
        shown = {f["field"]: (f["status"], f["user_label"]) for f in rig.shown()["findings"]}
        same("behind review and rate", shown, {"email": ("published", "tp"), "occupation": ("published", "fp")})
        rig.run("review", "last", "email", "tp", code=1)


def history():
    """what earlier runs found stands in every prompt of the next, with what people said"""
    with Rig("customers.json") as rig:
        for i in range(3):
            with Server(plan([s for s, _ in WHOLE])) as server:
                rig.yaml(server, chat="")
                r = rig.audit("customers.json")
                texts = [user_text(a["request"]) for a in server.asked()]
            if i == 0:
                want(not any("HISTORY" in t for t in texts), "no history on the first run")
                rig.run("rate", "last", "email", "tp")
                continue
            for t in texts:
                want("email / null_rate: seen in %d of %d runs" % (i, i) in t and "user: tp" in t, "history", t[:3000])
            want(("PERSISTENT" in texts[0]) == (i > 1), "persistent from the second on", texts[0][-3000:])
            same("nothing new", (r["new_findings"], r["resolved_findings"], r["regressed_fields"]), ([], [], []))
            # Rejected twice is not persistent.
            want(not any("points / outlier: seen" in line for line in
                         texts[0].split("DISMISSED")[0].splitlines()), "dismissals alone", texts[0][:3000])


# --- budgets

def budget_of_tokens():
    """--max-tokens ends a run as partial, without a call beyond it; resume goes on with more"""
    with Rig("customers.json") as rig, Server(plan([s for s, _ in WHOLE], "usage 2000 100")) as server:
        rig.yaml(server, chat="")
        r = rig.audit("customers.json", "--max-tokens", "20000")
        same("status", r["status"], "partial")
        want("20000" in r["status_reason"].replace(",", ""), r["status_reason"])
        asked = server.asked()
        used = r["total_input_tokens"] + r["total_output_tokens"]
        same("counted", used, 2100 * len(asked))
        want(2100 <= used <= 20000, used)
        for n, a in enumerate(asked):
            top = a["request"].get("max_tokens") or a["request"]["max_completion_tokens"]
            estimate = len(json.dumps(a["request"])) // 5
            want(2100 * n + estimate + top <= 20000, "call %d may use %d more" % (n + 1, top))
        want("20000" in user_text(asked[0]["request"]), "the planner is told")
        rig.run("resume", "last", "-o", "json", "--max-tokens", "1000000")
        check_whole_report(rig.shown())
        same("each step asked once", [iteration(a["request"]) for a in server.asked()], list(range(1, len(WHOLE) + 1)))
        same("all sittings", rig.shown()["total_input_tokens"], 2000 * len(WHOLE))


def budget_floor():
    """a server that counts next to nothing: the report shows its counts, the budget does not believe them, nor does resume"""
    with Rig("customers.json") as rig, Server(plan([SAMPLE, PROFILE] * 100, "usage 1 0")) as server:
        rig.yaml(server, chat="")
        r = rig.audit("customers.json", "--max-tokens", "10000", "--max-iterations", "200",
                      "--action-evaluator", "none", ARGUS_LOG_LEVEL="warn")
        same("status", r["status"], "partial")
        want("uncounted by the server" in r["status_reason"], r["status_reason"])
        n = len(server.asked())
        want(2 <= n <= 20, "calls", n)
        same("the server's counts", r["total_input_tokens"], n)
        want("usage_doubtful" in rig.err, rig.err)
        rig.run("resume", "last", "-o", "json", "--max-tokens", "10000", code=None)
        same("no call more", len(server.asked()), n)


def budget_of_money():
    """--max-cost as well; a model without a price is not asked"""
    script = plan([s for s, _ in WHOLE], "usage 2000 100")
    with Rig("customers.json") as rig, Server(script) as server:
        rig.yaml(server, chat="")
        r = rig.audit("customers.json", "--max-cost", "0.012")
        same("status", r["status"], "partial")
        asked = len(server.asked())
        want(2 <= asked <= 4, asked, "calls")
        want(abs(r["cost"]["usd_total"] - asked * 0.0022) < 1e-9 and r["cost"]["usd_total"] <= 0.012, r["cost"])
    with Rig("customers.json") as rig:
        # Nobody is there, and nobody is asked.
        rig.write("argus.yaml", "models: {far: {base_url: 'http://192.0.2.1:9', connect_timeout: 5, attempts: 1}}\n")
        rig.run("audit", "customers.json", "--planner", "llm", "--max-cost", "1", "-o", "json", code=None)
        want("price" in rig.err + rig.out, rig.err, rig.out)


def budget_of_steps():
    """--max-iterations: so many steps, and a verdict on the run"""
    with Rig("customers.json") as rig, Server(plan([SAMPLE, PROFILE, QUERY_NULLS, EMAIL])) as server:
        rig.yaml(server, chat="")
        r = rig.audit("customers.json", "--max-iterations", "4")
        same("steps", (len(r["run_trace"]), r["status"], len(r["findings"])), (4, "partial", 1))
        want(r["run_evaluation"]["verdict"] in ("pass", "warn", "fail"), r["run_evaluation"])
        same("calls", len(server.asked()), 4)


def no_usage():
    """servers that count nothing, or zero: the tokens are estimated, and said to be"""
    for words in (["no_usage"], ["usage 0 0"]):
        with Rig("customers.json") as rig, Server(plan([s for s, _ in WHOLE], *words)) as server:
            rig.yaml(server, chat="")
            r = rig.audit("customers.json")
            same("estimated", r["cost"]["by_model"][0]["estimated"], True)
            want(10000 < r["total_input_tokens"] < 100000, r["total_input_tokens"])


# --- single scenarios of the reference that nothing else runs through the whole program

USERS = """{"name":"Alice","age":30,"profile":{"city":"NYC","score":10},"tags":["a","b"]}
{"name":"Bob","age":25,"profile":{"city":"LA","score":20},"tags":[]}
{"name":"Carol","age":null,"profile":{"city":"NYC","score":90},"tags":[1,"x"],"vip":true}
{"name":"Dan","age":"forty","profile":{"city":"Boston","score":null}}
{"name":"Eve","age":200,"profile":{"city":"LA"}}
{"name":"Frank","profile":{"city":"Chicago","score":5}}
{"name":"Grace","age":41}
"""


def users(steps, *words, data=USERS, **env):
    """-> report, the program's log"""
    with Rig() as rig, Server(plan(steps, *words)) as server:
        rig.write("users.ndjson", data)
        rig.yaml(server, chat="")
        r = rig.audit("users.ndjson", "--max-iterations", str(len(steps)), "--action-evaluator", "none", **env)
        return r, rig.err


def tools():
    """what the tools answer to a model (scenarios 15 and 16), and which input they refuse"""
    with_deep = USERS + '{"name":"H",%s1%s}\n' % ('"d":{' * 25 + '"x":', "}" * 25)
    r, _ = users([
        step("schema_sample", sample_size=100),
        step("run_query", filter={"profile.city": {"$exists": True}}, limit=2),
        step("run_query", filter={"name": "Alice"}, limit=10),
        step("run_query", filter={}, limit=10000),
        step("run_query", filter={"age": 41}, limit=0),
        step("get_stats", field="age", operation="count"),
        step("get_stats", field="profile.score", operation="avg"),
        step("get_stats", field="profile.city", operation="distinct"),
        step("get_stats", field="", operation="count"),
        step("schema_sample", sample_size=0)], data=with_deep)
    seen = [t["observation"] for t in r["run_trace"]]
    schema = {f["path"]: f for f in seen[0]["result"]["fields"]}
    same("age", (schema["age"]["present_count"], schema["age"]["null_count"], sorted(schema["age"]["types"])),
         (6, 1, ["int", "null", "str"]))
    same("score", (schema["profile.score"]["present_count"], schema["vip"]["missing_count"]), (5, 7))
    want(seen[0]["result"]["truncated_paths"] and max(p.count(".") for p in schema) <= 20, "depth", schema.keys())
    want("matched 6" in seen[1]["summary"] and "returned 2 (truncated)" in seen[1]["summary"], seen[1])
    want("matched 1" in seen[2]["summary"] and "truncated" not in seen[2]["summary"], seen[2])
    want("matched 8" in seen[3]["summary"], seen[3])
    same("count", seen[5]["result"]["result"], 6)
    same("avg", seen[6]["result"]["result"], 31.25)
    same("distinct", seen[7]["result"]["result"], ["Boston", "Chicago", "LA", "NYC"])
    for i in (4, 8, 9):
        want(seen[i] is None or not seen[i]["ok"], "refused", i, seen[i])


def usage_by_call():
    """100 in and 20 out per call, two calls: 200 and 40; prices per million (scenarios 18 and 24)"""
    r, _ = users([step("schema_sample"), DONE], "usage 100 20")
    same("totals", (r["total_input_tokens"], r["total_output_tokens"]), (200, 40))
    r, _ = users([step("schema_sample")], "usage 1500000 500000")
    same("cost", (r["cost"]["usd_total"], [m["usd"] for m in r["cost"]["by_model"]]), (2.5, [2.5]))
    same("the next run starts empty", users([DONE], "usage 100 20")[0]["cost"]["by_purpose"][0]["calls"], 1)


def event_log():
    """the log has every event in order and no word of the data (scenario 25)"""
    steps = [step("schema_sample"), step("run_query", filter={"name": "Carol"}),
             finding("vip", "missing_field", "medium", 6, '{"vip": {"$exists": false}}', of=7), DONE]
    _, err = users(steps, ARGUS_LOG_LEVEL="debug")
    lines = [json.loads(x) for x in err.splitlines() if x.startswith("{")]
    same("events", [x["event"] for x in lines if "run_" in x["event"]][:1], ["run_started"])
    names = [x["event"] for x in lines]
    order = ["run_started", "proposal", "tool_input", "tool_output", "finding", "run_finished"]
    places = [names.index(n) for n in order]
    same("in order", places, sorted(places))
    same("the last event", [n for n in names if n in order][-1], "run_finished")
    same("calls", names.count("tool_output"), 3)
    for word in ("Carol", "shows a defect", "$exists", "NYC", "does not check"):
        want(word not in err, "in the log:", word, err)


def table():
    """each acceptance scenario names its tests, and they are there"""
    here = os.path.dirname(os.path.abspath(__file__))
    found = {}
    with open(os.path.join(here, "model_scenarios.txt"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("#") or not line.strip():
                continue
            number, path, names = line.split(None, 2)
            with open(os.path.join(here, "..", path), encoding="utf-8") as source:
                text = source.read()
            for name in names.split(", "):
                want(name.strip() in text, "%s has no %s" % (path, name.strip()))
            found.setdefault(int(number), []).append(path)
    same("scenarios", sorted(found), list(range(1, 26)) + [28])


CASES = [table, tools, usage_by_call, event_log, whole_run, budget_of_tokens, budget_floor, budget_of_money,
         budget_of_steps, no_usage, profile_balanced, profile_thorough, self_rejects, low_score, garbage,
         forged, judges_of_steps, judge_is_missing, escalation, history]


if __name__ == "__main__":
    run_cases(CASES, sys.argv[1:])
