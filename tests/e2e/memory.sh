#!/bin/sh
# Memory across runs with the real program: what is new, gone, worse; labels and decisions of people, also of several at
# once and killed in the middle; the report is always what the log says.
# shellcheck disable=SC2016,SC2317 # dollars belong to MongoDB; functions are called by name
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
here=$source_root/tests/e2e
export ARGUS_STORE="$dir/store.db" ARGUS_AS_OF=2026-01-01 USER=ann

# check NAME WHAT ARG...: a comparison of memory_check.py
check() {
	name=$1
	shift
	if python3 "$here/memory_check.py" "$@" >why 2>&1; then
		ok "$name"
	else
		not_ok "$name"
		sed 's/^/  /' why
	fi
}

# people EMAIL-NULLS-IN-10 AGE-999 EMPTY-ZIPS: 100 documents
people() {
	awk -v nulls="$1" -v old="$2" -v zips="$3" 'BEGIN {
		for (i = 0; i < 100; i++) {
			mail = i % 10 < nulls ? "null" : "\"u" i "@example.org\""
			age = i % 25 == 0 && old ? 999 : 20 + i % 50
			zip = i % 5 == 0 && zips ? "" : 10000 + i
			printf "{\"_id\":%d,\"email\":%s,\"age\":%d,\"zip\":\"%s\"}\n", i, mail, age, zip
		}
	}' >people.ndjson
}

# --- what changed

people 3 1 0
run audit people.ndjson -o json
cp out first.json
want 'a first run' 0
check 'has nothing to compare with' first first.json
run diff; want 'a diff of one run' 1 '' 'a diff needs two finished runs'
run history people.ndjson; want 'history of one run' 0 '- email / null_rate: seen in 1 of 1 runs'

run audit people.ndjson -o json
cp out same.json
want 'the same data again' 0
check 'differs in ids, times and the diff only' same first.json same.json
run show last; want 'and says so' 0 'nothing new, nothing gone'

people 6 0 1
run audit people.ndjson -o json
cp out changed.json
want 'changed data' 0
check 'new, resolved, worse' lists changed.json new=zip/empty_string resolved=age/sentinel_value \
	regressed=email
check 'a rebuilt report has the same bytes' rebuilt "$ARGUS" "$ARGUS_STORE" changed.json
run show last --details; want 'for people' 0 'resolved   age, sentinel_value: no document any more, 4 before'
run show last --details; want 'the new one' 0 'new        zip, empty_string: 20 documents'
run verify last; want 'verify confirms it' 0 '2 confirmed'

run diff; want 'argus diff' 0 'new     zip/empty_string: 20 documents, low'
run diff; want 'knows what was resolved' 0 'gone    age/sentinel_value: resolved, 4 documents before'
run diff people.ndjson; want 'diff of a source' 0 'worse   email/null_rate: 60 documents, 30 before'
run diff -o json; want 'diff as JSON' 0
check 'holds the same' diff out
first=$(python3 -c "import json;print(json.load(open('first.json'))['id'])")
newest=$(python3 -c "import json;print(json.load(open('changed.json'))['id'])")
run diff "$first" "$newest"
want 'a run that looked back on another cannot tell' 0 'age/sentinel_value: not checked'
run diff "$newest" "$first"; want 'the other way round' 0 'better  email/null_rate'
run diff "$first"; want 'diff of the first run' 1 '' 'no finished run of this source before'
run diff nothing.ndjson; want 'diff of nothing' 1 '' 'neither a run nor a source'
run diff a b c; want 'diff of three' 2

# A run that ends before it comes to a finding resolves nothing: its evidence was run again.
run audit people.ndjson -o json --max-iterations 3
cp out short.json
want 'a short run' 0
check 'resolves nothing by silence' lists short.json new= resolved= still=email/null_rate,zip/empty_string
run show last --details; want 'for people' 0 'still      email, null_rate: 60 documents, 60 before'
run audit people.ndjson -o json --min-severity critical
cp out hidden.json
check 'nor does a finding below --min-severity' lists hidden.json new= resolved= still=
run audit people.ndjson -o json --no-history
cp out alone.json
check 'without history' first alone.json
run audit people.ndjson -o silent
mkdir other && cp people.ndjson other
run audit other/people.ndjson -o json
cp out other.json
check 'another path is another source' first other.json
run history people.ndjson; want 'history' 0 '- email / null_rate: seen in 6 of 6 runs; share 0.300-0.600, DRIFTING; last high'
run history people.ndjson; want 'lists the runs' 0 "$first"
run history people.ndjson -o json; want 'history as JSON' 0 '"persistent": true'
run history nothing.ndjson; want 'history of nothing' 1 '' 'nothing.ndjson'
mv people.ndjson gone.ndjson
run history people.ndjson; want 'history of a source that is gone' 0 'PERSISTENT'
mv gone.ndjson people.ndjson
run history clean; want 'history of a source without runs' 1

# --- labels

run audit people.ndjson -o json
cp out before.json
run rate last email fp; want 'rate' 0 'email/null_rate: a false positive'
run show last -o json
cp out after.json
check 'changes this entry of the report only' label before.json after.json email fp
check 'and its row, by an event behind the end' store "$ARGUS_STORE" email fp 1
run rate last email/null_rate tp -o json; want 'the newest word wins' 0 '"label": "tp"'
check 'in the store too' store "$ARGUS_STORE" email tp 2
check 'rebuilt, the report is the same' rebuilt "$ARGUS" "$ARGUS_STORE"
id=$(python3 -c "import json;print(json.load(open('before.json'))['findings'][1]['id'])")
run rate last "$id" fp; want 'by id' 0 'zip/empty_string: a false'
run rate last zip none; want 'a word is taken back' 0 'no label any more'
check 'completely' store "$ARGUS_STORE" zip '' 4
run rate last nothing tp; want 'a finding that is not there' 1 '' 'has no finding "nothing"'
check 'writes nothing' store "$ARGUS_STORE" zip '' 4
run rate last "$(printf '%s' "$id" | cut -c1-8)" tp; want 'an id that is not unique' 1 '' 'fits several'
run rate last email maybe; want 'a word that is none' 2 '' 'want tp, fp or none'
run rate last email; want 'no word' 2
run rate ffffffff email tp; want 'no such run' 1
run rate last email fp
run history people.ndjson -o json; want 'history knows it' 0 '"net": "fp"'
run verify last; want 'verify works behind it' 0 '2 confirmed'
run show last --trace; want 'so does the trace' 0 'email'

# --- several at once, and killed

last=$(python3 -c "import json;print(json.load(open('before.json'))['id'])")
: >codes
for i in 1 2 3 4 5 6; do
	label=tp
	[ $((i % 2)) -eq 0 ] && label=fp
	(
		"$ARGUS" rate "$last" email $label >/dev/null 2>>racers
		echo $? >>codes
	) &
done
wait
if [ "$(grep -c '^0$' codes)" -eq 6 ]; then ok 'six people at once'; else
	cp racers err
	not_ok 'six people at once'
fi
check 'every word is in the log, the last one counts' store "$ARGUS_STORE" email any 11

i=0
while [ $i -lt 12 ]; do
	label=tp
	[ $((i % 2)) -eq 0 ] && label=fp
	"$ARGUS" rate "$last" email $label >/dev/null 2>&1 &
	pid=$!
	sleep "0.00$i"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	i=$((i + 1))
done
check 'killed at any instant, log, row and report agree' store "$ARGUS_STORE" email any
run rate last email tp; want 'and the next word goes through' 0
check 'rebuilt, the report is the same' rebuilt "$ARGUS" "$ARGUS_STORE"

python3 "$here/memory_check.py" occupy "$ARGUS_STORE" "$last"
run rate last email tp; want 'a run that is being written' 1 '' 'is still being written'
python3 "$here/memory_check.py" release "$ARGUS_STORE" "$last"
run rate last email fp; want 'that was written' 0

# --- findings that wait

export ARGUS_FINDING_EVALUATOR=escalation ARGUS_ESCALATION_LOW_THRESHOLD=0
export ARGUS_ESCALATION_HIGH_THRESHOLD=1
people 6 1 1
run review; want 'nothing waits' 0 '' 'No finding waits for a review.'
run audit people.ndjson -o json
cp out before.json
check 'findings wait' statuses before.json pending_review pending_review pending_review
run review; want 'review lists them' 0 'email/null_rate  high  60 documents (60.0%), confidence 0.'
run review last; want 'with evidence' 0 'evidence  {"email":{"$type":"null"}}'
run review -o json; want 'as JSON' 0 '"status": "pending_review"'
run review last email need_info; want 'more must be known' 0 'nothing changed, it still waits'
run review last email tp; want 'publish' 0 'email/null_rate: published'
run review last age fp; want 'drop' 0 'age/sentinel_value: dropped'
run show last -o json
cp out after.json
check 'the report follows' reviewed before.json after.json
check 'rebuilt, it is the same' rebuilt "$ARGUS" "$ARGUS_STORE"
run review last email fp; want 'decided is decided' 1 '' 'does not wait for a review: it is committed'
run review last age need_info; want 'also for questions' 1 '' 'it is dropped'
run review last email maybe; want 'a decision that is none' 2 '' 'want tp, fp or need_info'
run review last email; want 'no decision' 2
run review last; want 'one is left' 0 'zip/empty_string'
run runs -n 1; want 'the list of runs counts two' 0 '2 problems, 1 high'
run history people.ndjson -o json; want 'history knows the rejection' 0 '"dismiss_reason": "a reviewer rejected it"'
run verify last; want 'verify looks at what is left' 0 '2 confirmed'

exit $bad
