#!/bin/sh
# What a person said counts: labels, ignore rows and baselines.
# shellcheck disable=SC2317 # json() is called by name
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. ARGUS is the program.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
mkdir w && cd w || exit 1

# data FILE AGE_OF_40TH EMAIL_OF_30TH: 400 documents; 10 of them have that age, 14 that e-mail address.
data() {
	i=0
	while [ $i -lt 400 ]; do
		age=$((18 + i % 60))
		email="\"a$i@example.org\""
		[ $((i % 40)) -eq 0 ] && age=$2
		[ $((i % 30)) -eq 0 ] && email=$3
		echo "{\"_id\":$i,\"age\":$age,\"email\":$email}"
		i=$((i + 1))
	done >"$1"
}

# --- labels

data a.ndjson 999 null
run audit a.ndjson --fail-on medium; want 'a first run fails' 3 '2 problems'
run rate last age fp --reason '999 is unknown here'; want 'a label' 0 'age/sentinel_value: a false positive'
run show last; want 'its own report leaves it out' 0 '1 problem'
holds 'the finding is not listed' sh -c '! grep -q "Sentinel" ../out'
run show last --set-aside; want 'it can be listed' 0 'marked as a false positive'
run audit a.ndjson --output json; want 'the next run knows the label' 0
holds 'it is marked' json '[(f["set_aside"]["by"],f["set_aside"]["reason"].endswith("999 is unknown here")) for f in d["findings"] if f["field"]=="age"]==[("label",True)]'
holds 'the other is not' json '[f["set_aside"] for f in d["findings"] if f["field"]=="email"]==[None]'
holds 'it is counted' json 'd["set_aside_count"]==1'
run rate last email fp; want 'a second label' 0
run audit a.ndjson --fail-on low; want 'nothing is left to fail on' 0 'no problems found'
run audit a.ndjson --output json
holds 'the verdict is clean' json 'd["verdict"]=="no_problems" and len(d["findings"])==2'
run rate last email tp; want 'the other word' 0
run audit a.ndjson --fail-on low; want 'a tie counts as none' 3 '1 problem'
run rate last email fp
run audit a.ndjson --fail-on low; want 'two against one' 0 'no problems found'
run audit a.ndjson --no-history --fail-on low; want 'without history there are no labels' 3

# The label is about 999; -1 is another matter.
data a.ndjson -1 null
run audit a.ndjson --fail-on low --details; want 'other evidence is not labelled' 3 'the label does not apply'
run audit a.ndjson --output json
holds 'the detail says so' json '["999 is unknown here" in f["detail"] and f["set_aside"] is None for f in d["findings"] if f["field"]=="age"]==[True]'

# Gone and back: a labelled finding is no news.
data b.ndjson 999 '"x@example.org"'
run audit b.ndjson --output silent
run rate last age fp
data b.ndjson 20 '"x@example.org"'
run audit b.ndjson --output silent
data b.ndjson 999 '"x@example.org"'
run audit b.ndjson --output json
holds 'a labelled finding is not new' json '[f["field"] for f in d["findings"] if f["set_aside"]]==["age"] and not [f for f in d["new_findings"] if f["field"]=="age"]'

# A dropped finding has the same label.
data c.ndjson 999 '"x@example.org"'
run audit c.ndjson --finding-evaluator escalation --set evaluators.escalation_high_threshold=1 --set evaluators.escalation_low_threshold=0.1 --output json
holds 'findings wait' json 'any(f["status"]=="pending_review" for f in d["findings"])'
run review last age/sentinel_value fp --reason 'a code'; want 'a review that drops it' 0 dropped
run audit c.ndjson --output json
holds 'the drop is remembered' json '[f["set_aside"]["by"] for f in d["findings"] if f["field"]=="age" and f["category"]=="sentinel_value"]==["label"]'

# --- ignore rows

data d.ndjson 999 null
cat >argus.yaml <<'END'
ignore:
  - path: age
    category: sentinel
    reason: 999 is unknown here
    until: 2026-06-30
  - path: gone
    reason: a field of before
  - source: other.ndjson
    path: email
    reason: not this one
END
run audit d.ndjson --as-of 2026-06-30 --fail-on low; want 'an ignored finding, on the last day' 3 '1 problem, 1 medium'
holds 'it is counted' grep -q '1 is ignored by argus.yaml' ../out
holds 'a stale row is noted' grep -q 'argus.yaml:6:5 matches no finding of this run: gone' ../out
holds 'a row of another source is not' sh -c '! grep -q "argus.yaml:8" ../out'
run audit d.ndjson --as-of 2026-06-30 --output json
holds 'it is marked, json' json '[f["set_aside"] for f in d["findings"] if f["field"]=="age"]==[{"by":"ignore","reason":"999 is unknown here","until":"2026-06-30"}]'
run show last --set-aside; want 'ignored findings can be listed' 0 'ignored: 999 is unknown here, until 2026-06-30'
run audit d.ndjson --as-of 2026-07-01 --fail-on low --details; want 'the day after' 3 '2 problems'
holds 'it says so' grep -q 'expired on 2026-06-30' ../out
run audit d.ndjson --as-of 2026-07-01 --output json
holds 'it says so, json' json '["expired on 2026-06-30" in f["detail"] for f in d["findings"] if f["field"]=="age"]==[True]'
run doctor --set audit.as_of=2026-07-01; want 'doctor: an expired row' 0 'it has expired'
printf 'ignore:\n  - source: d.ndjson\n    reason: all of it\n' >argus.yaml
run audit d.ndjson --fail-on low; want 'a whole source' 0 'no problems found'

# refused NAME ROW TEXT
refused() {
	printf 'ignore:\n  - %b\n' "$2" >argus.yaml
	run audit d.ndjson
	want "ignore: $1" 2 '' "$3"
}
refused 'without a reason' 'path: age' 'wants a reason'
refused 'everything' 'reason: x' 'would ignore every finding'
refused 'everything, by stars' 'path: "*"\n    reason: x' 'would ignore every finding'
refused 'an unknown category' 'category: nul_rate\n    reason: x' 'did you mean "null_rate"'
refused 'an unknown key' 'pth: age\n    reason: x' 'did you mean "path"'
refused 'no day' 'path: age\n    reason: x\n    until: 2026-13-01' 'want a day'
refused 'a key twice' 'path: age\n    path: email\n    reason: x' 'was set already'
refused 'a list' 'path: [age]\n    reason: x' 'want one value'
printf 'ignore: all\n' >argus.yaml; run audit d.ndjson; want 'ignore: no list' 2 '' 'want a list'
rm argus.yaml

# --- only what is new fails a build

data e.ndjson 20 null
run audit e.ndjson --fail-on-new; want 'without an earlier run all is new' 3 'there is no earlier run'
run audit e.ndjson --fail-on-new; want 'nothing new since' 0 '0 new, 0 more, 0 gone'
run audit e.ndjson --output json --out base.json --quiet
data e.ndjson 999 null
run audit e.ndjson --baseline base.json; want 'something new against a file' 3 'new: age, sentinel_value, '
run audit e.ndjson --baseline base.json --fail-on critical; want 'new, but not that severe' 0 '1 new'
run audit e.ndjson --baseline base.json --fail-on medium --output json; want 'new and severe enough' 3
holds 'the comparison is in the JSON' json 'd["baseline"]["compared"] and [f["field"] for f in d["baseline"]["new"]]==["age"] and d["baseline"]["gone"]==0'
run audit e.ndjson --fail-on-new; want 'the previous run had it, too' 0 '0 new'
sed 's/"email":"a[1-9]@example.org"/"email":null/' e.ndjson >grown && mv grown e.ndjson
run audit e.ndjson --fail-on-new; want 'more is not new' 0 'more: email, null_rate, medium, '
run audit e.ndjson --baseline base.json --output json; want 'more, in JSON' 3
holds 'was and is' json '[(f["field"],f["was"]<f["affected_count"]) for f in d["baseline"]["more"]]==[("email",True)]'

# Keys decide, not ids; an older report has no keys, gaps or set_aside.
python3 -c 'import json
d=json.load(open("base.json"))
for f in d["findings"]:
    for k in ("key","id","set_aside"): del f[k]
for k in ("gaps","verdict","previous_run_id","settings"): del d[k]
json.dump(d,open("old.json","w"))'
run audit e.ndjson --baseline old.json; want 'an older report' 3 '1 new, 1 more, 0 gone'
python3 -c 'import json; json.dump({"reports":[json.load(open("base.json"))],"failed":[]},open("many.json","w"))'
run audit e.ndjson --baseline many.json; want 'a report of several' 3 '1 new, 1 more'
cp e.ndjson moved.ndjson
run audit moved.ndjson --baseline base.json; want 'a source that was renamed' 3 'nothing could be compared'
run audit moved.ndjson --baseline base.json --output json
holds 'not compared, json' json 'd["baseline"]["compared"]==False and len(d["baseline"]["new"])==2'

# A label and a baseline together; findings hidden then are not new now.
run rate "$(python3 -c 'import json; print(json.load(open("../out"))["id"])')" age fp
run audit moved.ndjson --output json --out low.json --quiet
run audit moved.ndjson --min-severity critical --output json --out hidden.json --quiet
run audit moved.ndjson --baseline hidden.json; want 'what was not listed is not new' 0 'were not listed then'
run audit moved.ndjson --baseline low.json --fail-on low; want 'nothing new' 0 '0 new'
run audit moved.ndjson --baseline low.json --min-severity critical --fail-on critical
want 'what is not listed now is not gone' 0 '0 gone'
run audit moved.ndjson --baseline low.json --min-severity high
want 'a new finding may not hide' 2 '' 'give --fail-on high as well'

# Gaps: an old one does not fail, a new one and a larger one do.
{ cat d.ndjson; echo broken; } >g.ndjson
run audit g.ndjson --output json --out gap.json --quiet
run audit g.ndjson --baseline gap.json; want 'an old gap' 0 '0 new'
{ echo broken; echo broken; echo broken; echo broken; } >>g.ndjson
run audit g.ndjson --baseline gap.json; want 'a larger gap' 3 'new gap: 5 of 405'
: >g.ndjson
run audit g.ndjson --baseline gap.json; want 'an empty file' 3 'no documents'

run audit e.ndjson --baseline none.json; want 'no such baseline' 1 '' 'none.json'
holds 'nothing was done' sh -c '! test -s ../out'
echo '{"a":1}' >x.json
run audit e.ndjson --baseline x.json; want 'no report' 1 '' 'is no audit report'
echo '{"findings":' >x.json
run audit e.ndjson --baseline x.json; want 'a broken report' 1 '' 'not JSON'
run audit e.ndjson --fail-on-new --no-history; want 'nothing to compare with' 2 '' '--baseline REPORT'

# The baseline that a person chose in the page stands before the previous run.
data f.ndjson 20 null
run audit f.ndjson --store b.db --output json; want 'a run for the baseline' 0
python3 - <<'END'
import json, sqlite3

r = json.load(open("../out"))
with sqlite3.connect("b.db") as db:
    db.execute("INSERT INTO baselines (source_key, run, \"user\", set_at) VALUES (?, ?, 'ann', 1)", (r["source"]["key"], r["id"]))
END
data f.ndjson 999 null
run audit f.ndjson --store b.db --quiet
run audit f.ndjson --store b.db --fail-on-new; want 'new against the baseline, although the previous run had it' 3 'compared with the baseline, '

exit $bad
