#!/bin/sh
# An audit of an account of Azure Cosmos DB (a scripted ARM server and a scripted server that counts request units and throttles)
# that is killed with SIGKILL at any moment, or whose server is, then argus resume: nothing is lost, no tool call that has an output
# is made again, and what was used counts. Prints one `ok - name` or `not ok - name` line per case.
# shellcheck disable=SC2317 # functions are called by name
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
check() { python3 "$source_root/tests/e2e/mongo_check.py" "$@"; }
unset IDENTITY_ENDPOINT IDENTITY_HEADER AZURE_CLIENT_ID QUERYARGUS_EMULATOR LOCAL_MONGO_URI ARGUS_MONGODB_PASSWORD
export ARGUS_AZURE_METADATA=none ARGUS_AS_OF=2026-07-01 ARGUS_HISTORY=false
token=secret-token-1234567
export AZURE_ACCESS_TOKEN=$token
target=cosmos://shop/shop.orders
random_moments=12

# account ARG...: the account "shop" is a server with these rules and the orders of the shop.
account() {
	start_fake "$@" "shop.orders=$source_root/examples/shop/orders.ndjson" --user 'shop:key/0123456789==' --charge 2.5 --members globaldb:1
	cat >arm.json <<-END
		{"token": "$token", "subscriptions": [{"id": "s1", "accounts": [{"name": "shop", "strings": [
		  ["Primary Read-Only MongoDB Connection String",
		   "mongodb://shop:key/0123456789==@127.0.0.1:$port/?ssl=false&replicaSet=globaldb&retrywrites=false"]]}]}]}
	END
	start_arm
}
end_account() {
	stop_arm
	stop_fake "$1"
}
# used NAME: the request units of before.ndjson are in the report of the run.
used() {
	run show last --store "$store" -o json
	holds "$1: the units that the first sitting used count" python3 -c '
import json
first = [e["payload"].get("data_cost") for e in map(json.loads, open("before.ndjson")) if e["type"] == "run_finished"]
now = json.load(open("out"))["data_cost"]["request_units"]
assert now > 0 and all(now > c["request_units"] for c in first if c), (first, now)'
}

account
run audit $target --store whole.db -o json
want "an audit that nobody ends" 0
cp out whole.json
aggregates=$(grep -cF '{"aggregate":' record)
end_account "an audit that nobody ends"

# --- at any moment ---
# Slow answers and throttling make the waits long, where most of the time of a real account is.
account --rule 'aggregate slow 60' --rule 'find slow 20' --rule 'aggregate:3 throttle 150' --rule 'getMore:2 throttle 100'
run audit $target --store slow.db; want "a slow account" 0 "19 problems"
commands=$(grep -c . record)
python3 -c 'import random, sys
r = random.Random(17)
for _ in range(int(sys.argv[1])): print(int(int(sys.argv[2]) * r.uniform(0.1, 0.95)), r.randint(0, 9))' $random_moments "$commands" >moments
n=0 resumed=0
while read -r after more; do
	n=$((n + 1))
	store=random$n.db
	before=$(grep -c . record)
	"$ARGUS" audit $target --store $store >out 2>err </dev/null &
	audit=$!
	# After so many commands, and up to 9 ms more.
	while [ $(($(grep -c . record) - before)) -lt "$after" ] && kill -0 $audit 2>/dev/null; do sleep 0.003; done
	sleep "0.00$more"
	kill -KILL $audit 2>/dev/null
	wait $audit 2>/dev/null
	run replay last --store $store -o json
	[ "$code" -eq 0 ] || continue # killed before there was a run
	cp out before.ndjson
	run resume last --store $store
	if [ "$code" -eq 1 ] && grep -qF "is complete" err; then continue; fi
	want "killed at random moment $n: resume" 0 "19 problems"
	went_on "killed at random moment $n"
	used "killed at random moment $n"
	resumed=$((resumed + 1))
done <moments
holds "$random_moments random moments of $commands commands: most were in the middle" [ $resumed -ge $((random_moments / 2)) ]
end_account "random moments"

# --- the server, between batches ---
for at in "getMore 2" "getMore 4" "aggregate 3" "aggregate $((aggregates / 2 + 1))"; do
	name=${at% *} nth=${at#* } n=$((n + 1))
	store=server$n.db
	account --rule "$name:$nth slow 60000"
	begin_audit "$name" "$nth"
	kill -KILL "$fake"
	wait "$fake" 2>/dev/null
	wait "$audit"
	code=$?
	want "the server is killed in $at: the audit is partial" 1 "Incomplete" "argus resume"
	run replay last --store "$store" -o json
	cp out before.ndjson
	run resume last --store "$store"; want "the server is killed in $at: it is still away" 1 "" "127.0.0.1:$port"
	stop_arm
	account --port "$port"
	run resume last --store "$store"; want "the server is killed in $at: it is back" 0 "19 problems"
	went_on "the server is killed in $at" alike
	used "the server is killed in $at"
	end_account "the server is killed in $at"
done
cat out err ./*.db* record >all 2>/dev/null
holds "no key and no token is anywhere" sh -c '! grep -qaE "(key/0123456789|secret-token)" all'
exit $bad
