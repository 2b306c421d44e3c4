#!/usr/bin/env python3
"""Audits of the example shop by models (behind model_audit.sh): the real program, the real protocols, a scripted server.

usage: model_audit_check.py [CASE...]        (ARGUS and FAKE_MODEL name the programs)
"""
import json
import sys

from model_rig import (FIELDS, JUDGE, PLANNER, SELF, Rig, Server, answer, finding, iteration, plan, run_cases, same, step,
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
    (finding("email", "null_rate", "medium", 150, NULLS), {"gate": "evidence_matches"}),
    (EMAIL, {"executed": True}),
    (step("run_query", "again, in other words", filter={"email": {"$eq": None}}), {"gate": "no_repeat_query"}),
    (step("run_query", "in words", filter="age > 150"), {"gate": "action_input_shape"}),
    (step("get_stats", "no such statistic", field="age", operation="median"), {"gate": "action_input_shape"}),
    (step("write_finding", "half a finding", field="age"), {"gate": "action_input_shape"}),
    (finding("points", "outlier", "high", 0, '{"points": {"$lt": -5}}'), {"gate": "evidence_required"}),
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


def check_prompts(asked):
    """Scenario 23, and what a planner must be told: from the wire."""
    texts = [user_text(a["request"]) for a in asked]
    same("iterations, each asked once", [iteration(a["request"]) for a in asked], list(range(1, len(WHOLE) + 1)))
    same("one system prompt", len({system_text(a["request"]) for a in asked}), 1)
    prefixes = [t.split("\nSTATUS\n")[0] for t in texts]
    same("one prefix behind the sample", len(set(prefixes[1:])), 1)
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
            want("15" in str(row) or "0.015" in str(row), "argus runs tells what was used", row)
            same("the store has what was printed", rig.shown(), r)
            rig.run("verify", "last")
            text = json.dumps(without_ids(r)).replace(name + "-1", "M").replace('"%s"' % name, '"N"')
            reports.append(json.loads(text))
    for other in reports[1:]:
        for member in reports[0]:
            if member not in ("settings", "cost", "models"):
                same(member, other[member], reports[0][member])


CASES = [whole_run]

if __name__ == "__main__":
    run_cases(CASES, sys.argv[1:])
