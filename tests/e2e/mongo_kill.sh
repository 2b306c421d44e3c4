#!/bin/sh
# An audit of a MongoDB server in whose middle argus or the server is killed with SIGKILL, then argus resume: nothing is lost,
# and no tool call that has an output is made again. Prints one `ok - name` or `not ok - name` line per case.
# shellcheck disable=SC2317 # functions are called by name
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
orders="shop.orders=$source_root/examples/shop/orders.ndjson"
check() { python3 "$source_root/tests/e2e/mongo_check.py" "$@"; }
export ARGUS_AS_OF=2026-07-01 ARGUS_HISTORY=false

start_fake "$orders"
run audit "$uri/shop.orders" --store whole.db -o json
want "an audit that nobody ends" 0
cp out whole.json
aggregates=$(grep -cF '{"aggregate":' record)
finds=$(grep -cF '{"find":' record)
stop_fake "an audit that nobody ends"

n=0
for at in "find 1" "find $finds" "aggregate 2" "aggregate $((aggregates / 2 + 1))" "aggregate $aggregates"; do
	name=${at% *} nth=${at#* } n=$((n + 1))
	store=argus$n.db
	start_fake "$orders" --rule "$name:$nth slow 60000"
	begin_audit "$name" "$nth"
	kill -KILL "$audit"
	wait "$audit" 2>/dev/null
	run replay last --store "$store" -o json; want "argus is killed in $at: what was committed is there" 0
	cp out before.ndjson
	run resume last --store "$store"; want "argus is killed in $at: resume" 0 "19 problems"
	went_on "argus is killed in $at"
	run resume last --store "$store"; want "argus is killed in $at: there is no more to do" 1 "" "is complete"
	stop_fake "argus is killed in $at"
done

store=opening.db
start_fake "$orders" --rule 'count:1 slow 60000'
begin_audit count 1
kill -KILL "$audit"
wait "$audit" 2>/dev/null
run resume last --store "$store"; want "argus is killed while it opens the collection" 1 "" "start a new run"
stop_fake "argus is killed while it opens the collection"

for at in "aggregate 2" "aggregate $((aggregates / 2 + 1))"; do
	name=${at% *} nth=${at#* } n=$((n + 1))
	store=server$n.db
	start_fake "$orders" --rule "$name:$nth slow 60000"
	begin_audit "$name" "$nth"
	kill -KILL "$fake"
	wait "$fake" 2>/dev/null
	wait "$audit"
	code=$?
	want "the server is killed in $at: the audit is partial" 1 "Incomplete" "argus resume"
	run replay last --store "$store" -o json
	cp out before.ndjson
	run resume last --store "$store"; want "the server is killed in $at: it is still away" 1 "" "Connection refused"
	start_fake --port "$port" "$orders"
	run resume last --store "$store"; want "the server is killed in $at: it is back" 0 "19 problems"
	went_on "the server is killed in $at"
	stop_fake "the server is killed in $at"
done
exit $bad
