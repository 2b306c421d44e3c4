#!/bin/sh
# argus resume and argus replay with the real program: a run that stood still ends in the report of one that never did.
# shellcheck disable=SC2317 # functions are called by name
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
export ARGUS_AS_OF=2026-01-01 ARGUS_HISTORY=false

awk 'BEGIN {
	for (i = 0; i < 400; i++)
		printf "{\"_id\":%d,\"email\":%s,\"age\":%d,\"zip\":\"%s\"}\n", i,
			i % 10 < 3 ? "null" : i % 40 == 7 ? "\"nobody at all" i "\"" : "\"u" i "@example.org\"",
			i % 25 ? 20 + i % 50 : 999, i % 5 ? 10000 + i : ""
}' >people.ndjson

# same A B: two reports, but for ids, times and how many sittings it took
cat >same.py <<'PY'
import json, re, sys

def plain(path):
    text = open(path, encoding="utf-8").read()
    names = {}
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
                  lambda m: names.setdefault(m.group(0), "#%d" % len(names)), text)
    report = json.loads(text)
    for name in ("run_at", "duration_seconds", "evaluation_records", "summary", "settings"):
        report.pop(name)
    for step in report["run_trace"]:
        if step["observation"]:
            step["observation"].pop("latency_ms")
    report["run_evaluation"] = report["overall_quality_score"] = None
    return json.loads(re.sub(r'"#\d+"', '"#"', json.dumps(report)))

a, b = plain(sys.argv[1]), plain(sys.argv[2])
for key in a:
    if a[key] != b.get(key):
        sys.exit("%s differs:\n%.600s\n%.600s" % (key, json.dumps(a[key]), json.dumps(b.get(key))))
PY

run audit people.ndjson --store whole.db -o json
want 'a run without a pause' 0
cp out whole.json

# --- out of budget

export ARGUS_STORE="$dir/store.db"
run audit people.ndjson --max-iterations 5
want 'a budget that is too small' 0 'Incomplete' ''
want 'says how to go on' 0 'argus resume '
run resume last
want 'the same budget again' 0 '' 'with a larger budget goes on'
cp people.ndjson kept.ndjson
run resume last --max-iterations 300 --out people.ndjson
want '--out on its own data' 2 '' 'choose another place'
holds 'the data is as it was' cmp -s people.ndjson kept.ndjson
rm kept.ndjson
run resume last --record a.ndjson --replay b.ndjson; want 'a recording both ways' 2 '' 'choose one'
run resume last --output silent --out x.json; want 'silent into a file' 2 '' 'nothing to write'
run resume last --max-iterations 300 -o json
want 'a larger budget' 0
cp out resumed.json
holds 'ends in the same report' python3 same.py whole.json resumed.json
run resume last
want 'a complete run' 1 '' 'is complete'
run show last -o json
holds 'the stored report is the printed one' cmp -s out resumed.json

# --- a store that fails in the middle: what was committed is the run

for n in 9 21 33 47; do
	AG_FAULT=store.write:$n "$ARGUS" audit people.ndjson --store "fault$n.db" >out 2>err </dev/null
	code=$?
	want "the store fails at write $n" 1
	run resume last --store "fault$n.db" -o json
	want 'and the run goes on' 0
	cp out fault.json
	holds 'to the same report' python3 same.py whole.json fault.json
done

# --- replay

run replay last
want 'replay' 0 'finished ok' 'byte for byte'
want 'shows the pause' 0 'resumed '
want 'and what ended it' 0 'finished partial: the budget of 5 iterations'
run replay last -o json
want 'replay as JSON' 0
cat >lines.py <<'PY'
import json

lines = [json.loads(line) for line in open("out", encoding="utf-8")]
assert [e["seq"] for e in lines] == list(range(1, len(lines) + 1))
assert lines[0]["type"] == "run_started" and lines[-1]["type"] == "run_finished"
inputs = [e["call_id"] for e in lines if e["type"] == "tool_input"]
outputs = [e["call_id"] for e in lines if e["type"] == "tool_output"]
assert inputs == outputs and len(set(inputs)) == len(inputs) > 5
assert not any("candidate" in e["payload"].get("result", {}) for e in lines if e["type"] == "tool_output")
PY
holds 'one event a line, one output for each call' python3 lines.py
holds 'personal values are masked' sh -c '! grep -q "nobody at all" out'
run replay last -o json --show-values
holds 'unless they are asked for' grep -q 'nobody at all' out

cat >tamper.py <<'PY'
import sqlite3, sys

db = sqlite3.connect(sys.argv[1])
table, column = "reports", [r[1] for r in db.execute("PRAGMA table_info(reports)") if r[1] != "run"][0]
(body,) = db.execute(f"SELECT {column} FROM {table}").fetchone()
text = body if isinstance(body, str) else body.decode()
db.execute(f"UPDATE {table} SET {column} = ?", (text.replace('"severity": "high"', '"severity": "low" ', 1),))
db.commit()
PY
python3 tamper.py whole.db
run replay last --store whole.db
want 'a report that was changed' 1 '' 'is not what its log gives: they differ at byte'

# --- in the format of another tool

run audit people.ndjson --max-iterations 5 -o silent
run resume last --max-iterations 300 -o short; want 'one line for each finding' 0 'people.ndjson:'
holds 'nothing else' sh -c '! grep -v "^people.ndjson[:0-9]*: .* \[[a-z_]*\]$" out'

# --- references to another file of the folder

mkdir refs
awk 'BEGIN { for (i = 0; i < 60; i++) printf "{\"policy_no\":\"P-%d\",\"class\":\"a\"}\n", 100 + i >"refs/policies.ndjson"
	for (i = 0; i < 500; i++) printf "{\"claim\":%d,\"policy_no\":\"P-%d\"}\n", i,
		i % 100 ? 100 + i % 60 : 9000 + i >"refs/claims.ndjson" }'
# claims FILE: the id of the latest run of it
claims() {
	"$ARGUS" runs -o json | python3 -c 'import json, sys
print(next(r["id"] for r in json.load(sys.stdin)["runs"] if r["collection"] == "claims"))'
}
run audit refs --max-iterations 3 -o silent
run resume "$(claims)" --max-iterations 300 -o json
want 'a resumed run looks into the other file of the folder' 0 '"category": "referential"'
run audit refs --max-iterations 3 -o silent
mv refs/policies.ndjson .
run resume "$(claims)" --max-iterations 300 -o json
want 'and says when it is gone' 0 '' 'policies.ndjson" were not checked'
holds 'so nothing is said of references' sh -c '! grep -q "\"category\": \"referential\"" out'

# --- refusals

run audit people.ndjson --max-iterations 5 -o silent
echo '{"_id":400,"age":1}' >>people.ndjson
run resume last --max-iterations 300
want 'other data' 1 '' '400 documents then, 401 now'
mv people.ndjson elsewhere.ndjson
run resume last --max-iterations 300
want 'no data' 1 '' 'people.ndjson'
run resume last --max-iterations
want 'an option without its value' 2
run resume
want 'no run' 2
run resume 0190c3e2
want 'a run that is not there' 1
run replay 0190c3e2
want 'nor to replay' 1

exit $bad
