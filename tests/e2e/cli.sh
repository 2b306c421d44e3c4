#!/bin/sh
# The command line as a user meets it: usage errors, exit codes, files, pipes, signals, terminals.
# shellcheck disable=SC2016,SC2317 # dollars belong to MongoDB or to the inner shell; json() is called by name
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. ARGUS is the program.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"

# 200 documents, 20 of them with a null e-mail address, 30 with text in a number.
i=0
while [ $i -lt 200 ]; do
	mail="\"user$i@example.org\""
	total=$i
	[ $((i % 10)) -eq 3 ] && mail=null
	[ $((i % 7)) -eq 2 ] && total="\"$i\""
	echo "{\"_id\":$i,\"email\":$mail,\"total\":$total,\"state\":\"open\"}"
	i=$((i + 1))
done >orders.ndjson
mkdir data clean
head -100 orders.ndjson >data/a.ndjson
tail -100 orders.ndjson >data/b.ndjson
printf '{"_id":1,"n":1}\n{"_id":2,"n":2}\n{"_id":3,"n":3}\n' >clean/clean.ndjson

# --- help and usage

run --help; want 'help without a command' 0 'Runs and findings'
holds 'the list of commands fits 80 columns' sh -c '[ "$(wc -L <out)" -le 80 ]'
holds 'each command takes one line of the list' sh -c \
	'[ "$(grep -c "^  [a-z-]* *[A-Z]" out)" -eq "$(grep -c "^## argus " "$1")" ]' sh "$source_root/docs/reference/cli.md"
cp out list
run help; holds 'argus help is argus --help' cmp -s out list
run; want 'no command' 2 '' 'Runs and findings'
run --version; want 'version' 0 'argus '
run -V; want 'version by its letter' 0 'argus '
run help audit; want 'help of a command' 0 '--fail-on SEVERITY'
run help settings; want 'help of the settings' 0 'null_rate_warning_threshold'
run audit --help; want 'help by option' 0 '--sample-size N|all'
run help nothing; want 'help of nothing' 2 '' 'no help on "nothing"'
run adit x; want 'unknown command' 2 '' 'did you mean "audit"?'
run audit; want 'no source' 2 '' 'want SOURCE'
holds 'Argus is named once' sh -c '[ "$(head -1 err)" = "argus audit: want SOURCE... or --all" ]'
run knowledge sing; want 'a verb that there is not' 2 '' 'there is no "sing"; want one of list, show'
holds 'its list of verbs comes once' sh -c '[ "$(wc -l <err)" -eq 2 ] && ! grep -q "KIND NAME" err'
run knowledge show entry; want 'too few arguments of a verb' 2 '' 'usage: argus knowledge show KIND NAME'
run eval shop --store p.db; want 'no project yet' 1 '' 'argus init DATABASE makes a project'
run project add shop --source sqlite:shop.db --store p.db; run eval shpo --store p.db
want 'another project than the one that is meant' 1 '' 'there is shop'
run audit orders.ndjson --sed 3; want 'unknown option' 2 '' 'did you mean "--seed"?'
run audit orders.ndjson --output xml
want 'wrong format' 2 '' '--output: want text, json, silent, short, csv, markdown, github, junit, sarif or html, got "xml"'
holds 'a wrong format is told before the run' [ ! -e state/argus/argus.db ]
run audit orders.ndjson --seed 3x --as-of never --threads 0
want 'wrong values' 2 '' '--seed: want a whole number'
holds 'all wrong values are told at once' sh -c \
	'grep -q "^argus: --as-of" err && grep -q "^argus: --threads" err'
run audit orders.ndjson --sample-size 0; want 'no documents' 2 '' ', all or auto, got "0"'
run audit orders.ndjson --out /nowhere/at/all.json
want '--out in a folder that is not there' 2 '' '--out: '
run audit orders.ndjson --out data; want '--out is a folder' 2 '' 'data is a folder'
run runs --output silent; want 'silent where it means nothing' 2 '' 'text or json'
run purge; want 'purge without age' 2 '' '--older-than DAYS must be given'
LLM_MODEL=x run models; want 'a model without a place' 0 '' 'set LLM_API_BASE'
holds 'what is missing is told in lines' sh -c '! grep -qF "\\n" err'
run audit clean/clean.ndjson --record no.rec --store memory:
want '--record without a model' 0 '' '--record does nothing here'
run query orders.ndjson '{"a":'; want 'query: broken filter' 2 '' 'FILTER'
run query orders.ndjson '{"$where":"1"}'; want 'query: code is refused' 2 '' '$where'
sed -n 's/^  \([a-z-]*\) *[A-Z].*/\1/p' list >names
while read -r c; do
	run "$c" --help
	want "argus $c --help" 0 "argus $c"
	cp out page
	run help "$c"
	holds "argus help $c is argus $c --help" cmp -s out page
done <names

# --- audit

run audit orders.ndjson; want 'audit: text' 0 'orders: '
holds 'audit: no escape sequences in a pipe' sh -c '! grep -q "$(printf "\033")" out'
holds 'audit: no progress in a pipe' [ ! -s err ]
run audit orders.ndjson --details
grep -q 'db.orders.countDocuments(' out; holds 'audit: evidence to paste' [ $? -eq 0 ]
grep -q "argus query orders.ndjson '{" out; holds 'audit: a command for each finding' [ $? -eq 0 ]
run audit orders.ndjson --output json; want 'audit: json' 0
holds 'audit: json is one report' json '"findings" in d and d["collection"]=="orders"'
run audit data --output json; want 'audit: folder' 0
holds 'audit: several reports' json 'len(d["reports"])==2 and d["failed"]==[]'
run audit data; want 'audit: overview' 0 '2 collections'
run audit orders.ndjson clean/clean.ndjson missing.ndjson --output json
want 'audit: one source fails' 1 '' 'missing.ndjson'
holds 'audit: the others are there' json 'len(d["reports"])==2 and len(d["failed"])==1'
run audit missing.ndjson; want 'audit: no such file' 1 '' 'no such file'
run audit order.ndjson; want 'audit: the nearest file' 1 '' 'did you mean "orders.ndjson"?'
run audit dta/a.ndjson; want 'audit: the nearest folder' 1 '' 'did you mean "data/a.ndjson"?'
run inspect orders; want 'inspect: a file without its extension' 1 '' 'did you mean "orders.ndjson"?'
run query orders.json '{}'; want 'query: another extension' 1 '' 'did you mean "orders.ndjson"?'
run verify order.ndjson; want 'verify: the nearest file' 1 '' 'did you mean "orders.ndjson"?'
run diff order.ndjson; want 'diff: the nearest file' 1 '' 'did you mean "orders.ndjson"?'
run audit orders.ndjson --baseline order.ndjson; want '--baseline: the nearest file' 1 '' 'did you mean "orders.ndjson"?'
echo 'threads: 1' >settings.yaml
run runs --config setings.yaml; want '--config: the nearest file' 2 '' 'did you mean "settings.yaml"?'
holds 'audit: nothing on standard output then' [ ! -s out ]
run audit orders.ndjson --fail-on low --quiet; want 'fail-on met' 3
run audit clean/clean.ndjson --fail-on low; want 'fail-on not met' 0 'clean: no problems found'
run audit orders.ndjson missing.ndjson --fail-on low; want 'failed goes before fail-on' 1
run audit orders.ndjson --output silent; want 'silent' 0
holds 'silent prints nothing' sh -c '[ ! -s out ] && [ ! -s err ]'
run audit orders.ndjson --output silent --fail-on low; want 'silent with fail-on' 3
run audit orders.ndjson --max-iterations 2 --output json; want 'a budget that runs out' 0
holds 'is a partial report' json 'd["status"]=="partial"'
run audit orders.ndjson --store /proc/nowhere/x.db
want 'a store that cannot be opened' 1 '' '--store memory:'
run audit orders.ndjson --store memory:; want 'a store in memory' 0
printf '{"a":1}\nbroken\n{"a":2}\n' >broken.ndjson
run audit broken.ndjson; want 'a broken line' 0 '1 document was left out'
run audit broken.ndjson --strict; want 'a broken line, strict' 1 '' 'broken.ndjson'

"$ARGUS" audit orders.ndjson --as-of 2026-01-01 --no-history --threads 1 --output json >one 2>err
"$ARGUS" audit orders.ndjson --as-of 2026-01-01 --no-history --threads 3 --output json >three 2>err
cat >strip.py <<'PY'
import json, re, sys
t = open(sys.argv[1]).read()
d = json.loads(t)
def walk(v):
    if isinstance(v, dict):
        return {k: walk(x) for k, x in v.items() if k not in
                ("run_at", "duration_seconds", "latency_ms", "timestamp", "modified_at")}
    if isinstance(v, list):
        return [walk(x) for x in v]
    if isinstance(v, str):
        return re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}", "ID", v)
    return v
print(json.dumps(walk(d)))
PY
python3 strip.py one >one.txt
python3 strip.py three >three.txt
holds 'the same report with 1 and 3 threads' cmp -s one.txt three.txt

run audit orders.ndjson -v; want '-v: log' 0 '' '"event":"run_started"'
holds '-v: JSON lines' python3 -c 'import json; [json.loads(x) for x in open("err")]'
run audit orders.ndjson -vv --log-format text; want '-vv: more' 0 '' 'tool_output'
run audit orders.ndjson -v; holds '-v: no values in the log' sh -c '! grep -q example.org err'

# --- --out

run audit orders.ndjson --output json --out report.json
want '--out' 0 '' 'report written to report.json'
holds '--out: a whole report' python3 -c 'import json; json.load(open("report.json"))["findings"]'
holds '--out: nothing on standard output' [ ! -s out ]
holds '--out: no temporary file is left' sh -c '! ls -A | grep -q "^\.argus-"'
run audit orders.ndjson --output json --out report.json --quiet
holds '--out --quiet says nothing' sh -c '[ ! -s out ] && [ ! -s err ]'
ln -s report.json link.json
run audit orders.ndjson --out link.json
holds '--out follows a link' sh -c '[ -L link.json ] && grep -q "orders: " report.json'
run audit orders.ndjson --out /dev/full; want '--out on a full device' 1 '' 'No space left'
holds '--out: the device is still one' [ -c /dev/full ]
small=$dir/small
mkdir "$small"
if mount -t tmpfs -o size=16k argus-test "$small" 2>/dev/null; then
	echo old >"$small/report.json"
	run audit orders.ndjson --output json --out "$small/report.json"
	want '--out on a full disk' 1 '' 'No space left'
	holds '--out on a full disk: the old file is whole' \
		sh -c "[ \"\$(cat '$small/report.json')\" = old ] && [ \"\$(ls -A '$small')\" = report.json ]"
	umount "$small"
else
	echo 'skip - --out on a full disk: needs the right to mount'
fi

# --- standard output

"$ARGUS" audit orders.ndjson >/dev/full 2>err
code=$?
: >out
want 'a full standard output' 1 '' 'cannot write to standard output'
for c in 'audit orders.ndjson --output json' 'inspect orders.ndjson' 'help audit' 'version' 'doctor'; do
	# shellcheck disable=SC2086 # words on purpose
	"$ARGUS" $c >/dev/full 2>err
	code=$?
	want "a full standard output: $c" 1 '' 'cannot write to standard output'
done
{
	"$ARGUS" inspect orders.ndjson 2>err
	echo $? >code
} | head -c 1 >out
holds 'a closed pipe is quiet' sh -c '[ ! -s err ] && [ "$(cat code)" -eq 0 ]'

# --- verify, show, runs

run audit orders.ndjson --output json --out report.json
run verify report.json; want 'verify: all confirmed' 0 'confirmed'
run verify last; want 'verify: by run' 0 'confirmed'
"$ARGUS" verify - <report.json >out 2>err
code=$?
want 'verify: from standard input' 0 'confirmed'
run audit data --output json --out many.json
run verify many.json --output json; want 'verify: several reports' 0
holds 'verify: one answer each' json 'len(d["verifications"])==2'
sed 's/"email":null/"email":"x@example.org"/' orders.ndjson >repaired.ndjson
run verify report.json --source repaired.ndjson; want 'verify: resolved is good news' 0 'resolved'
run verify report.json --source repaired.ndjson --output silent; want 'verify: silent' 0
holds 'verify: silent prints nothing' [ ! -s out ]
run verify report.json --source missing.ndjson; want 'verify: not checkable' 1 'not checkable'
# Exit codes: fewer is 0, more is 3, back is 3, not checkable is 1 and comes before 3; parts count as well.
edit() { python3 - report.json edited.json "$1" <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1], encoding="utf-8"))
	r = d["reports"][0] if "reports" in d else d
	f = r["findings"][0]
	part = lambda n: f.update(parts=[{"category": "null_rate", "description": "", "evidence_query": '{"email":null}',
	                                  "affected_count": n}])
	gone = lambda q: r.update(resolved_findings=[{"id": f["id"], "key": "k", "field": "email", "category": "null_rate",
	                                              "severity": "low", "was": 5, "now": 0, "why": "", "evidence_query": q}])
	exec(sys.argv[3])
	json.dump(d, open(sys.argv[2], "w", encoding="utf-8"))
END
}
now=$(python3 -c 'print(sum(1 for l in open("orders.ndjson") if "\"email\":null" in l))')
for c in "0:f['affected_count']+=1:documents, " "3:f['affected_count']-=1:documents, " "0:part($now):confirmed" \
	"0:part($now+1):part null_rate changed" "3:part($now-1):part null_rate changed" "1:part(0):not checkable" \
	"1:f['affected_count']-=1; r['findings'].append(dict(f, evidence_query='')):not checkable" \
	"0:gone('{\"email\":5}'):confirmed" "3:gone('{\"email\":null}'):resolved earlier and back" \
	"1:gone('{\"\$where\":1}'):not checkable" "0:gone(''):confirmed" \
	"1:gone('{\"\$where\":1}'); f['affected_count']-=1:not checkable"; do
	rest=${c#*:}
	edit "${rest%:*}"
	run verify edited.json; want "verify: ${rest%:*}" "${c%%:*}" "${rest##*:}"
	run verify edited.json --output silent; want "verify, silent: ${rest%:*}" "${c%%:*}"
done
edit "part($now-1); gone('{\"email\":null}')"; run verify edited.json --output json; want 'verify: parts as JSON' 3
holds 'verify: parts and resolved findings' json '(d.get("verifications") or [d])[0]["findings"][0]["parts"][0]["result"]=="changed" and (d.get("verifications") or [d])[0]["resolved_findings"][0]["result"]=="back"'
run verify nothing; want 'verify: no such report' 1 '' 'no file, and in the store'
echo '{"a":1}' >x.json
run verify x.json; want 'verify: no report' 1 '' ''
echo '{"a":' >x.json
run verify x.json; want 'verify: no JSON' 1 '' 'is no audit report and no answer'

# An answer of argus ask, with its hashes, and one in the form of other programs.
mkdir -p project/wiki
printf '# Page\n\n## The port\n\nIt listens on port 42.\n' >project/wiki/page.md
answer() { python3 - "$dir/project" "$@" >answer.json <<-'END'
	import hashlib, json, os, sys
	root, change = sys.argv[1], sys.argv[2:]
	text = open(root + "/wiki/page.md").read()
	sha = lambda s: hashlib.sha256(s.encode()).hexdigest()
	d = {"answer": "42", "source": "wiki/page.md#the-port", "tool_calls": [
	      {"tool": "read_file", "args": {"path": "wiki/page.md"}, "result": text, "ok": True, "sha256": sha(text),
	       "file": {"path": "wiki/page.md", "sha256": sha(text), "first_line": 1, "last_line": 5, "lines": 5}}],
	     "citations": [{"path": "wiki/page.md", "anchor": "the-port", "line": 3, "last_line": 5,
	                    "quote": "It listens on port 42.", "sha256": sha(text)}],
	     "mode": "model", "question": "Which port?", "root": root}
	for line in change:
	    exec(line)
	print(json.dumps(d))
END
}
answer; run verify answer.json; want 'verify: an answer' 0 '3 confirmed'
run verify answer.json --output json; want 'verify: an answer as JSON' 0
holds 'verify: what was checked' json 'd["confirmed"]==3 and d["checks"][1]["what"]=="citation 1: wiki/page.md#the-port"'
"$ARGUS" verify - --output silent <answer.json >out 2>err
code=$?
want 'verify: an answer from standard input' 0
holds 'verify: silent of an answer' [ ! -s out ]
answer 'd["tool_calls"][0]["result"]="It listens on port 43."'; run verify answer.json
want 'verify: a result that was changed' 3 'its hash is not that of its result'
answer 'd["source"]="wiki/page.md#no-such"'; run verify answer.json; want 'verify: a source of nothing' 3 '1 false'
answer 'd["root"]="/no/such/folder"'; run verify answer.json --root project; want 'verify: --root' 0 '3 confirmed'
cp answer.json project/
(cd project && "$ARGUS" verify answer.json >"$dir/out" 2>"$dir/err")
code=$?
want 'verify: the project around' 0 '3 confirmed' '/no/such/folder'
answer 'd={k: d[k] for k in ("answer", "source", "tool_calls")}' \
	'd["tool_calls"]=[{k: t[k] for k in ("tool", "args", "result")} for t in d["tool_calls"]]'
run verify answer.json --root project; want 'verify: an answer of another program' 0 '2 confirmed'
answer; echo 'It moved.' >>project/wiki/page.md
run verify answer.json; want 'verify: the file changed' 3 'the lines that were read did not'
rm project/wiki/page.md
run verify answer.json; want 'verify: the file is gone' 3 '3 gone'
run verify answer.json --root nowhere; want 'verify: no such folder' 1 '' 'nowhere'
run verify answer.json --source orders.ndjson; want 'verify: --source of an answer' 2 '' '--root names its folder'
run verify report.json --root project; want 'verify: --root of a report' 2 '' '--source names its data'
echo '{"answer":1,"source":""}' >x.json
run verify x.json; want 'verify: a broken answer' 1 '' 'answer: want a string'

run runs; want 'runs' 0 'orders'
run runs --output json --limit 2; holds 'runs: json' json 'len(d["runs"])==2 and d["runs"][0]["id"]'
run show last; want 'show' 0 'problem'
run show last --trace; want 'show: trace' 0 'steps'
run show last --output json; holds 'show: the stored report' json '"run_trace" in d'
run show ffffffff; want 'show: no such run' 1 '' 'argus runs'
XDG_STATE_HOME=$dir/other run runs; want 'runs: none yet' 0 '' 'No runs yet'
run purge --older-than 0; want 'purge' 0 '' 'removed'
run runs --output json; holds 'purge: all are gone' json 'd["runs"]==[]'

# --- personal values are masked in every member of a report

i=0
while [ $i -lt 400 ]; do
	echo "{\"_id\":$i,\"street\":\"Zqstreet $((i % 90 * (i / 90 % 2) + i % 7)) North\",\"email\":\"zqmail$((i % 120))@example.org\",\"phone\":\"+49 555 0$((1000 + i % 150))\",\"n\":$((i % 11))}"
	i=$((i + 1))
done >personal.ndjson
run audit personal.ndjson --no-history --output json; want 'personal data' 0 'rare_values'
grep -qi 'zqstreet\|zqmail\|555 0' out; holds 'no member holds a personal value' [ $? -eq 1 ]
run audit personal.ndjson --no-history --output html; want 'personal data as a page' 0 '<title>Data quality</title>'
grep -qi 'zqstreet\|zqmail\|555 0' out; holds 'the page holds none either' [ $? -eq 1 ]
run audit personal.ndjson --no-history --output json --show-values; want 'unless they are asked for' 0 'Zqstreet'
rm personal.ndjson

# --- inspect, query

run inspect orders.ndjson; want 'inspect: text' 0 'filled'
run inspect orders.ndjson --output json
grep -q 'user1@' out; holds 'inspect: values are masked' [ $? -ne 0 ]
run inspect orders.ndjson --show-values --output json; want 'inspect: values as they are' 0 'user1@example.org'
run inspect orders.ndjson --output json
holds 'inspect: json' json '[f for f in d["fields"] if f["path"]=="email"][0]["null_rate"]==0.1 and d["documents_sampled"]==200'
run inspect orders.ndjson --output json -n 50 --seed 4
cp out first
run inspect orders.ndjson --output json -n 50 --seed 4
holds 'inspect: a seed repeats its sample' sh -c 'grep -q "\"documents_sampled\": 50" out && cmp -s first out'
run inspect data --output json; holds 'inspect: folder' json 'len(d["collections"])==2'
run query orders.ndjson '{"email":null}' --limit 3; want 'query: filter' 0 '20 of 200 documents match'
holds 'query: so many lines' [ "$(wc -l <out)" -eq 4 ]
run query orders.ndjson '{}' --limit 0; want 'query: count' 0 '200 of 200'
run query orders.ndjson '[{"$group":{"_id":"$state","n":{"$sum":1}}}]'; want 'query: pipeline' 0 '"n":200'
run query orders.ndjson '{"email":null}' --output json; holds 'query: json' json 'd["matched"]==20 and len(d["documents"])==20'
run query orders.ndjson "{email: null, } // none" --limit 0; want 'query: shell syntax' 0 '20 of 200'
run query orders.ndjson 'db.orders.countDocuments({email: {$in: [null]}});' --limit 0; want 'query: a statement' 0 '20 of 200'
run query orders.ndjson "[{\$group: {_id: '\$state', n: {\$sum: 1}}}]"; want 'query: shell pipeline' 0 '"n":200'
run query orders.ndjson 'db.orders.find({_id: {$lt: 50}}, {total: 1}).sort({_id: -1}).skip(2).limit(3)' --output json
holds 'query: find with order, skip, limit and projection' json \
	'd["matched"]==50 and [x["_id"] for x in d["documents"]]==[47,46,45] and set(d["documents"][0])=={"_id","total"}'
run query orders.ndjson 'db.orders.find({}).sort({_id: 1})'; want 'query: an order alone' 0 '200 of 200 documents match; 20 of them:'
run query orders.ndjson 'db.orders.find({}).limit(30)'; want 'query: limit' 0 'the first 30:'
run query orders.ndjson 'db.orders.find({}).limit(30)' -n 7; want 'query: --limit below it' 0 'the first 7:'
run query orders.ndjson 'db.orders.find({email: null}).sort({_id: 1}).limit(2).count()'; want 'query: count' 0 '20 of 200'
holds 'query: count shows no documents' [ "$(wc -l <out)" -eq 1 ]
run query orders.ndjson 'db.orders.findOne({}, {_id: 1})'; holds 'query: findOne' [ "$(wc -l <out)" -eq 2 ]
run query orders.ndjson 'db.orders.find({}, {stat: 1}).sort({tota: 1})' -n 1; want 'query: names of order and projection' 0 '' 'the nearest name is "total"'
grep -q 'nearest name is "state"' err; holds 'query: both are named' [ $? -eq 0 ]
run query orders.ndjson 'db.orders.find({}, {emai: 0})' -n 1; holds 'query: what is left out may be missing' [ ! -s err ]
run query orders.ndjson 'db.orders.find({}).sort({total: 2})'; want 'query: a wrong order' 2 '' '$sort'
run query orders.ndjson 'db.orders.find({}).forEach(x)'; want 'query: an unknown method' 2 '' '.forEach(…) is not known here'
run query orders.ndjson '{state: "open", total }'; want 'query: the line of an error' 2 '' '  {state: "open", total }'
holds 'query: a caret below the place' grep -qx '                        ^' err
run query orders.ndjson '{a.b: 1}'; want 'query: place of an error' 2 '' 'line 1, column 2: '
run query orders.ndjson 'db.orders.deleteMany({})'; want 'query: a statement that writes' 2 '' 'countDocuments'
run query orders.ndjson '{$where: function() { return 1 }}'; want 'query: no code in shell syntax' 2 '' 'no code runs'
run query orders.ndjson '{email: undefined}'; want 'query: undefined is refused' 2 '' 'use null'
run query orders.ndjson '{statee: null}' -n 0; want 'query: nearest name' 0 '200 of 200' 'no document has the field "statee"; the nearest name is "state"'
run query orders.ndjson '{state: {$exists: true}, zzzzzzzz: {$exists: false}}' -n 0; want 'query: an absent field' 0 '200 of 200' 'no document has the field "zzzzzzzz"'
run query orders.ndjson '[{$match: {statee: 1}}, {$count: "n"}]' --output json; holds 'query: note in json' json 'd["notes"]==["no document has the field \"statee\"; the nearest name is \"state\""]'
run query orders.ndjson '{state: "no such state"}'; want 'query: no note for a field that is there' 0 '0 of 200'
holds 'query: nothing on standard error' [ ! -s err ]
run query data '{}'; want 'query: one collection only' 1 '' 'holds 2 collections'
run query orders.ndjson '[{"$out":"x"}]'; want 'query: nothing is written' 2 '' '$out'

# --- hostile data

printf '{"a":"\\u001b[31mred\\u0007"}\n{"a\\u001b[2J":"\302\233 \342\200\256"}\n' >hostile.ndjson
for c in 'audit hostile.ndjson --show-values' 'inspect hostile.ndjson --show-values' 'query hostile.ndjson {}' \
	'query hostile.ndjson {} --output json' 'audit hostile.ndjson --output json'; do
	# shellcheck disable=SC2086 # words on purpose
	run $c
	holds "no control characters: $c" sh -c \
		"[ $code -eq 0 ] && ! LC_ALL=C grep -q \"\$(printf '[\\001-\\010\\013-\\037\\177]')\" out && ! LC_ALL=C grep -q \"\$(printf '\\302\\233')\" out"
done

# --- settings

printf 'audit:\n  fail_on: low\noutput_format: silent\n' >argus.yaml
run audit orders.ndjson; want 'argus.yaml is read' 3
ARGUS_FAIL_ON=none run audit orders.ndjson; want 'the environment is stronger' 0
run audit orders.ndjson --fail-on none; want 'an option is stronger' 0
run doctor; want 'doctor: where a value is from' 0 'argus.yaml:2:12'
printf 'audit:\n  sede: 3\n' >argus.yaml
run audit orders.ndjson; want 'an unknown key' 2 '' 'argus.yaml:2:3: unknown setting "sede"'
run doctor; want 'doctor finds it' 1 'argus.yaml:2:3'
run help; want 'help needs no settings' 0 'Check data'
run audit orders.ndjson --config /nowhere.yaml; want 'no such settings file' 2 '' '/nowhere.yaml'
rm argus.yaml
mkfifo argus.yaml
run runs; want 'a pipe in the place of argus.yaml' 2 '' 'not a plain file'
rm argus.yaml
printf 'ARGUS_FAIL_ON=low\nLD_PRELOAD=/nowhere.so\n' >.env.agent.secret
run audit orders.ndjson --quiet; want '.env.agent.secret is read' 3
rm .env.agent.secret
ARGUS_SEDE=1 run doctor; want 'doctor: a name that is no setting' 0 'did you mean ARGUS_SEED?'
run doctor --store orders.ndjson/x.db; want 'doctor: a broken store' 1 '--store memory:'
"$ARGUS" audit orders.ndjson -q --store damaged.db >/dev/null
run doctor --store damaged.db; want 'doctor: a whole store' 0 'whole'
python3 -c '
b = bytearray(open("damaged.db", "rb").read())
b[8192:16384] = b"Z" * 8192
open("damaged.db", "wb").write(b)'
run doctor --store damaged.db; want 'doctor: a damaged store' 1 'damaged: '
want 'doctor: and what to do' 1 'damaged.db.damaged'
run audit orders.ndjson --store damaged.db; want 'a damaged store names doctor' 1 '' 'argus doctor'
printf 'Z%.0s' 1 2 3 4 5 6 7 8 9 >header.db
run runs --store header.db; want 'a file that is no store names doctor' 1 '' 'argus doctor'
run doctor --store header.db; want 'doctor: and it says what to do' 1 'header.db.damaged'
XDG_STATE_HOME=$dir/kept run audit orders.ndjson -q; want 'a run to keep' 0
python3 -c '
import sqlite3, sys
d = sqlite3.connect(sys.argv[1])
d.execute("update runs set started_at = 1600000000000, finished_at = 1600000000001")
d.commit()' "$dir/kept/argus/argus.db"
XDG_STATE_HOME=$dir/kept run audit orders.ndjson -q; want 'retention is off unless it is set' 0
XDG_STATE_HOME=$dir/kept run runs --output json; holds 'and removes nothing' json 'len(d["runs"]) == 2'
XDG_STATE_HOME=$dir/kept ARGUS_RETENTION_DAYS=90 run audit orders.ndjson -q; want 'retention' 0
XDG_STATE_HOME=$dir/kept run runs --output json; holds 'removes the old run after an audit' json 'len(d["runs"]) == 2'
XDG_STATE_HOME=$dir/kept ARGUS_RETENTION_DAYS=90 run doctor; want 'doctor: when it last ran' 0 '90 days, last looked at: 2'
run doctor --output json; holds 'doctor: json' json 'd["ok"] is True'
holds 'doctor: what a sandbox can do here' json 'any(f["name"] == "sandbox" and "seccomp" in f["value"] for f in d["facts"])'

# --- signals: a large file, so that there is time

python3 - <<'PY'
import json
with open("large.ndjson", "w") as f:
    for i in range(400000):
        f.write(json.dumps({"_id": i, "a": i % 97, "b": "text %d" % (i * 7919 % 100003), "c": [i, i + 1],
                            "d": {"e": i / 3, "f": None if i % 11 == 0 else str(i)}}) + "\n")
PY
for sig in INT TERM; do
	"$ARGUS" audit large.ndjson --output json >out 2>err &
	pid=$!
	sleep 0.2
	kill -$sig $pid
	wait $pid
	code=$?
	holds "SIG$sig ends with 130" [ $code -eq 130 ]
	holds "SIG$sig: the report so far, or none" sh -c \
		'[ ! -s out ] || python3 -c "import json; assert json.load(open(\"out\"))[\"status\"]==\"cancelled\""'
done
# Starts an audit and kills it when `argus runs` says what is given. False: it ended too soon.
kill_when() {
	"$ARGUS" audit large.ndjson >out 2>err &
	pid=$!
	seen=no
	while [ $seen = no ] && kill -0 $pid 2>/dev/null; do
		"$ARGUS" runs --output json -n 1 2>/dev/null | tr -d '\n' | grep -q "$1" && seen=yes
	done
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ $seen = yes ]
}
if kill_when '"status": "running".*"summary": "reading"'; then
	run runs -n 1; want 'a run that was killed while it read is listed' 0 'interrupted'
	killed=$("$ARGUS" runs -n 1 --output json | sed -n 's/.*"id": "\([^"]*\)".*/\1/p')
	run show "$killed"; want 'there is nothing to show of it' 1 '' 'nothing was checked'
	run resume "$killed"; want 'there is nothing to go on with' 1 '' 'argus audit'
	run show last; want 'last is the run before it' 0
else
	echo 'skip - a run that was killed while it read is listed: it ended too soon'
fi
if kill_when '"status": "running".*"documents": 400000'; then
	run show last; want 'a killed run is shown from its log' 0 'Interrupted'
	run runs -n 1; want 'a killed run is listed as interrupted' 0 'interrupted'
else
	echo 'skip - a killed run is shown from its log: it ended too soon'
fi
XDG_STATE_HOME=/dev/null/state run audit orders.ndjson -q; want 'a home that cannot be written: a warning, and the report' 0 'orders' 'kept in memory'
run audit orders.ndjson --store /dev/null/state/x.db; want 'a store that was asked for is wanted' 1 '' '/dev/null/state'
XDG_STATE_HOME=/dev/null/state run purge --older-than 1; want 'purge has nothing without its store' 1 '' '/dev/null/state'
mkfifo pipe
"$ARGUS" verify - <pipe >out 2>err &
pid=$!
exec 3>pipe
sleep 0.2
kill -INT $pid
wait $pid
holds 'SIGINT while waiting for standard input' [ $? -eq 130 ]
exec 3>&-
run audit large.ndjson --deadline 0.05; want 'a deadline' 1 '' 'time limit'

# --- terminals

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	esc=$(printf '\033')
	tty() { env "$@" script -qec "'$ARGUS' audit orders.ndjson --quiet" /dev/null </dev/null >out 2>err; }
	tty TERM=xterm
	holds 'colours on a terminal' grep -q "$esc\\[" out
	tty TERM=xterm NO_COLOR=1
	holds 'NO_COLOR' sh -c "grep -q orders out && ! grep -q '$esc' out"
	tty TERM=xterm NO_COLOR=1 CLICOLOR_FORCE=1
	holds 'NO_COLOR wins over CLICOLOR_FORCE' sh -c "grep -q orders out && ! grep -q '$esc' out"
	tty TERM=xterm NO_COLOR=1 ARGUS_COLOR=always
	holds 'color wins over NO_COLOR' grep -q "$esc\\[" out
	tty TERM=xterm ARGUS_COLOR=never
	holds 'color never on a terminal' sh -c "grep -q orders out && ! grep -q '$esc' out"
	env TERM=xterm script -qec "'$ARGUS' audit missing.ndjson >out; '$ARGUS' runs --nonsense >>out" /dev/null </dev/null >err 2>&1
	holds 'errors have colours on a terminal when results go elsewhere' grep -q "$esc\\[31margus: " err
	tty TERM=dumb
	holds 'TERM=dumb' sh -c "grep -q orders out && ! grep -q '$esc' out"
	tty TERM=xterm LC_ALL=C
	holds 'ASCII in a C locale' sh -c 'grep -q orders out && ! LC_ALL=C grep -q "$(printf "[\200-\377]")" out'
	tty TERM=xterm LC_ALL=C.UTF-8
	holds 'signs in a UTF-8 locale' grep -q '✗\|✓\|─' out
	# The progress line: what is drawn at 80, 120 and 15 columns. Standard output goes elsewhere.
	cat >frames.py <<'END'
import re, sys
columns = int(sys.argv[1])
text = open(sys.argv[2], encoding="utf-8", newline="").read()
text = re.sub("\033\\[[0-9;]*m", "", text)
frames = text.split("\r\033[K")
if len(frames) < 3:
    sys.exit(77)  # it ended before a line was drawn
drawn = [f for f in frames[1:-1] if f]
bad = [f for f in drawn if len(f) > columns - 3 or "\n" in f or "\r" in f]
steps = [f for f in drawn if re.match(r"(reading|profiling|comparing fields|checking fields|testing fields) +[0-9]+%", f)]
assert not frames[0] and not frames[-1].strip(), (frames[0], frames[-1])
assert not bad, bad
assert columns < 20 or steps, drawn
assert columns >= 20 or not drawn, drawn
END
	# Long enough to draw a line; with a sanitizer that is a fifth.
	if [ -n "${ARGUS_SANITIZED:-}" ]; then
		head -n 300000 large.ndjson >long.ndjson
	else
		cat large.ndjson large.ndjson large.ndjson large.ndjson >long.ndjson
	fi
	for columns in 80 120 15; do
		env TERM=xterm ARGUS_THREADS=1 script -qec "stty cols $columns; '$ARGUS' audit long.ndjson --store memory: >out" screen </dev/null >/dev/null
		sed -i '/^Script /d' screen
		python3 frames.py "$columns" screen 2>err
		case $? in
		0) ok "a progress line at $columns columns" ;;
		77) echo "skip - a progress line at $columns columns: the audit ended too soon" ;;
		*) not_ok "a progress line at $columns columns" ;;
		esac
	done
	env TERM=xterm script -qec "'$ARGUS' audit long.ndjson --store memory: 2>err" screen </dev/null >/dev/null
	holds 'no progress line when standard error is no terminal' [ ! -s err ]
	rm -f long.ndjson screen
else
	echo 'skip - terminals: no pseudo-terminal can be had (script(1), devpts)'
fi

# --- colours without a terminal

escape=$(printf '\033')
has_color() { holds "$1" grep -qF "${escape}[" out; }
is_plain() { holds "$1" sh -c "[ -s out ] && ! grep -qF '$escape' out"; }
run audit orders.ndjson --color always; has_color '--color always'
run audit orders.ndjson --color=auto; is_plain '--color auto into a file'
ARGUS_COLOR=always run runs; has_color 'color from the environment'
CLICOLOR_FORCE=1 run runs; has_color 'CLICOLOR_FORCE'
CLICOLOR_FORCE=0 run runs; is_plain 'CLICOLOR_FORCE=0'
CLICOLOR_FORCE=1 run runs --color never; is_plain '--color never wins over CLICOLOR_FORCE'
printf 'color: always\n' >colors.yaml
run runs --config colors.yaml; has_color 'color from a file'
ARGUS_COLOR=never run runs --config colors.yaml; is_plain 'the environment wins over the file'
run runs --config colors.yaml --color auto; is_plain 'the option wins over the file'
run audit --help --color always; has_color 'help of a command'
run help --color always; has_color 'help'
ARGUS_COLOR=always run --help; has_color 'the list of commands'
run audit orders.ndjson --color always --output json; is_plain 'JSON never has colours'
run audit missing.ndjson --color always
holds 'errors with colours' grep -qF "${escape}[31margus: " err
run audit orders.ndjson --color always --out colors.txt
holds 'a file of --out has no colours' sh -c "[ -s colors.txt ] && ! grep -qF '$escape' colors.txt"
run runs --color purple; want 'a wrong --color' 2 '' '--color: want auto, always or never, got "purple"'
run help --color purple; want 'a wrong --color of a command without settings' 2 '' '--color: want'
ARGUS_COLOR=purple run runs; want 'a wrong ARGUS_COLOR' 2 '' 'ARGUS_COLOR: want'
run doctor --color always; want 'doctor: colours' 0 'colours'

# --- documentation

# --- mcp: what is wrong is told at the start, with what to do

run mcp --store memory: sqlite:nowhere.db; want 'mcp: a file that is not there' 1 '' 'nowhere.db'
run mcp --store memory: orders.ndjson; want 'mcp: no database' 1 '' 'sqlite:PATH'
run mcp --store memory:; want 'mcp: nothing to serve' 1 '' 'argus project add'
run mcp --port 1 sqlite:x.db; want 'mcp: an option of HTTP' 2 '' 'needs --http'
run mcp --http --no-auth --host 0.0.0.0 --port 0 --store memory:; want 'mcp: open to everybody' 1 '' 'token'

if [ -x "$source_root/tools/gen-docs" ]; then
	"$source_root/tools/gen-docs" --check >out 2>&1
	code=$?
	: >err
	want 'docs/reference, manual page and completions agree with the tables' 0
fi

exit $bad
