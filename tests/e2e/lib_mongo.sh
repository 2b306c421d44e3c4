# Sourced by tests: servers that speak MongoDB's protocol. After lib.sh; $dir, $source_root and bad are its.
# shellcheck shell=sh disable=SC2154,SC2034,SC2120 # dir and source_root come from lib.sh, port and uri are for the test

proxies=
# start_proxy [mongos]: tests/fake/mongo_proxy.py before the server at $port; $uri and $port become its own. It lets only commands
# pass that read, and $dir/passed gets a line for each. With "mongos" the server seems to be the router of a sharded cluster.
start_proxy() {
	rm -f "$dir/proxy.port"
	PYTHONDONTWRITEBYTECODE=1 python3 "$source_root/tests/fake/mongo_proxy.py" "$dir/proxy.port" "$dir/passed" \
		"127.0.0.1:$port" "$@" 2>"$dir/proxy.err" &
	proxy=$!
	proxies="$proxies $proxy"
	proxy_tries=0
	while [ ! -f "$dir/proxy.port" ]; do
		proxy_tries=$((proxy_tries + 1))
		if [ "$proxy_tries" -gt 300 ]; then
			echo "not ok - the recording proxy starts"
			cat "$dir/proxy.err"
			exit 1
		fi
		sleep 0.05
	done
	port=$(cat "$dir/proxy.port")
	uri=mongodb://127.0.0.1:$port
}
# stop_proxy NAME: something has passed it, and nothing was refused.
stop_proxy() {
	kill "$proxy" 2>/dev/null
	wait "$proxy" 2>/dev/null
	if grep -q '^REFUSED' "$dir/passed" || [ -s "$dir/proxy.err" ] || [ "$(grep -c . "$dir/passed")" -lt 5 ]; then
		echo "not ok - $1: only commands that read pass the recording proxy"
		grep '^REFUSED' "$dir/passed" | sed 's/^/  /' | head -8
		sed 's/^/  /' "$dir/proxy.err" | tail -3
		bad=1
	else
		echo "ok - $1: only commands that read pass the recording proxy ($(grep -c . "$dir/passed") of them)"
	fi
}

# start_engine NAME: the real engine (tests/real/documentdb.sh) after the recording proxy; $uri is its address. Ends the test
# with a "skip" line where it cannot run. The test ends with stop_proxy.
start_engine() {
	trap 'kill $proxies 2>/dev/null; sh "$source_root/tests/real/documentdb.sh" stop "$dir/engine"; rm -rf -- "$dir"' EXIT
	sh "$source_root/tests/real/documentdb.sh" start "$dir/engine" >"$dir/where" 2>"$dir/why"
	engine_code=$?
	if [ "$engine_code" -eq 77 ]; then
		echo "skip - $1: $(cat "$dir/why")"
		exit 0
	elif [ "$engine_code" -ne 0 ]; then
		echo "not ok - pg_documentdb starts"
		sed 's/^/  /' "$dir/why"
		exit 1
	fi
	read -r port pgport <"$dir/where"
	engine_port=$port
	start_proxy
}
engine_load() { sh "$source_root/tests/real/documentdb.sh" load "$dir/engine" "$1" "$2"; }
engine_sql() { sh "$source_root/tests/real/documentdb.sh" sql "$dir/engine"; }

fakes=
# start_fake ARG...: tests/fake/fake_mongo.c with these collections and rules; $uri is its address, $dir/record what it got.
start_fake() {
	rm -f "$dir/fake.port"
	"${FAKE_MONGO:?}" "$dir/fake.port" "$dir/record" "$@" 2>"$dir/fake.err" &
	fake=$!
	fakes="$fakes $fake"
	trap 'kill $fakes $proxies 2>/dev/null; rm -rf -- "$dir"' EXIT
	fake_tries=0
	while [ ! -f "$dir/fake.port" ]; do
		fake_tries=$((fake_tries + 1))
		if [ "$fake_tries" -gt 300 ]; then
			echo "not ok - the fake server starts"
			cat "$dir/fake.err"
			exit 1
		fi
		sleep 0.05
	done
	port=$(cat "$dir/fake.port")
	uri=mongodb://127.0.0.1:$port
}
# stop_fake NAME: it must have seen only commands that read.
stop_fake() {
	kill "$fake" 2>/dev/null
	wait "$fake" 2>/dev/null
	if grep -q '^REFUSED' "$dir/record"; then
		echo "not ok - $1: only commands that read"
		grep '^REFUSED' "$dir/record" | sed 's/^/  /'
		bad=1
	else
		echo "ok - $1: only commands that read"
	fi
}

# shop_data: customers.ndjson and products.ndjson of examples/shop, and visits.ndjson of shop_commands.py, in $dir.
shop_data() {
	python3 -c 'import csv, json, re, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))
codes = {k for row in rows for k, v in row.items() if re.fullmatch("0[0-9]+", v)} # leading zeros: no numbers
def typed(k, v):
    if k not in codes and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", v):
        return float(v) if "." in v else int(v)
    return {"true": True, "false": False}.get(v, v)
for row in rows: print(json.dumps({k: typed(k, v) for k, v in row.items() if v}))' "$source_root/examples/shop/products.csv" >"$dir/products.ndjson" &&
		python3 -c 'import json, sys
for d in json.load(open(sys.argv[1])): print(json.dumps(d))' "$source_root/examples/shop/customers.json" >"$dir/customers.ndjson" &&
		python3 "$source_root/tests/e2e/shop_commands.py" write "$dir"
}

# shop_suites NAME SUITE...: suites of files, with databases shop and typed of the server at $uri.
shop_suites() {
	suites_at=$1
	shift
	for suite in "$@"; do
		(
			cd "$source_root" || exit 1
			SHOP_URI=$uri/shop SHOP_TYPED_URI=$uri/typed.visits ARGUS_SOURCE_ROOT=$source_root
			export SHOP_URI SHOP_TYPED_URI ARGUS_SOURCE_ROOT
			sh "tests/e2e/$suite.sh"
		) >"$dir/suite.out" 2>&1 </dev/null
		suite_code=$?
		sed -E "s/^(ok|not ok|skip) - /\1 - $suites_at: $suite: /" "$dir/suite.out"
		[ "$suite_code" -eq 0 ] || bad=1
	done
}

# --- Azure

# start_arm: with $dir/arm.json; $arm is its address, $dir/arm.log what it got.
start_arm() {
	rm -f arm.port
	: >arm.log
	python3 "$source_root/tests/fake/fake_arm.py" arm.port arm.log arm.json 2>arm.err &
	armpid=$!
	fakes="$fakes $armpid"
	trap 'kill $fakes $proxies 2>/dev/null; rm -rf -- "$dir"' EXIT
	tries=0
	while [ ! -f arm.port ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 300 ] || { echo "not ok - the ARM server starts"; cat arm.err; exit 1; }
		sleep 0.05
	done
	arm=http://127.0.0.1:$(cat arm.port)
	export ARGUS_AZURE_MANAGEMENT="$arm"
}
stop_arm() { kill "$armpid" 2>/dev/null; wait "$armpid" 2>/dev/null; }

# --- audits that are killed; check() is mongo_check.py

# A command that is answered after a minute is the middle of the audit: when it is recorded, everything before it is done.
# begin_audit COMMAND N: starts the audit into $store as $audit and waits until the server has got the Nth command of that name.
# $target is what is audited, the orders of $uri unless it is set.
begin_audit() {
	"$ARGUS" audit "${target:-$uri/shop.orders}" --store "$store" >out 2>err </dev/null &
	audit=$!
	begin_tries=0
	until [ "$(grep -cF "{\"$1\":" record)" -ge "$2" ]; do
		begin_tries=$((begin_tries + 1))
		if [ "$begin_tries" -gt 600 ] || ! kill -0 "$audit" 2>/dev/null; then
			not_ok "$1:$2: the audit gets there"
			kill "$audit" 2>/dev/null
			exit 1
		fi
		sleep 0.05
	done
}

# went_on NAME [same|alike]: the run of $store as it is now, against what it was in before.ndjson and against one that nobody ended.
went_on() {
	run replay last --store "$store" -o json
	cp out after.ndjson
	holds "$1: nothing is lost, no call is made again" check once before.ndjson after.ndjson
	run show last --store "$store" -o json
	cp out resumed.json
	holds "$1: no question is left" sh -c '! grep -q "\"kind\": \"refused\"" resumed.json'
	holds "$1: the findings of an audit that nobody ended" check "${2:-same}" whole.json resumed.json
}
