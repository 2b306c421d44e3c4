#!/bin/sh
# audit, inspect, query, verify and MCP's tools on a MongoDB server: a fake one (tests/fake/mongo_server.c) that records what
# it gets and fails the test on a command that does not read. What goes wrong with servers is scripted. mongo_engine.sh does
# the same on a real engine. Prints one `ok - name` or `not ok - name` line per case.
# shellcheck disable=SC2016,SC2094,SC2317 # $match is of MongoDB; check() is called by holds()
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
shop=$source_root/examples/shop
check() { python3 "$source_root/tests/e2e/mongo_check.py" "$@"; }
unset ARGUS_MONGODB_PASSWORD

start_fake "shop.orders=$shop/orders.ndjson" "shop.customers=$shop/customers.json" --empty shop.empty --type shop.v=view \
	"shop.a.b \$c=$shop/customers.json" --empty other.one
as_of='--as-of 2026-07-01'

# --- the same as from files ---
for f in orders.ndjson customers.json; do
	# shellcheck disable=SC2086 # words
	run audit "$shop/$f" $as_of --store f.db --output json; want "$f: audit of the file" 0
	cp out file.json
	# shellcheck disable=SC2086
	run audit "$uri/shop.${f%.*}" $as_of --store m.db --output json; want "$f: audit of the server" 0
	cp out server.json
	holds "$f: the same findings" check same file.json server.json
	run verify server.json; want "$f: verify" 0 confirmed
	holds "$f: verify sees no other data" sh -c "! grep -q 'not what the report' '$dir/out'"
done
run inspect "$uri/shop.customers" -n 50 --output json; want "inspect" 0 '"documents_sampled": 50'
run inspect "$uri/shop.customers" -n all --output json; want "inspect of all" 0 '"documents_sampled": 1500'
run query "$uri/shop.customers" '{"vip": true}' --limit 1; want "query" 0 "of 1,500 documents match"
run query "$uri/shop.customers" '[{"$group":{"_id":"$vip","n":{"$sum":1}}},{"$count":"groups"}]'
want "query with a pipeline" 0 '"groups":'
run query "$uri/shop.customers" '{"nonsense": 1}'; want "query for a field that is not there" 0 "0 of 1,500"
run query "$uri/shop.a.b%20\$c" '{}' --limit 0; want "a name with dots, blank and dollar" 0 "1,500"

# --- several collections ---
hellos=$(grep -c '{"isMaster":' record)
lists=$(grep -c '{"listCollections":' record)
run audit "$uri/shop" --store m.db; want "audit of a database" 0 "4 collections"
holds "its collections share one connection" [ "$(grep -c '{"isMaster":' record)" -eq $((hellos + 1)) ]
holds "they are not looked up one by one" [ "$(grep -c '{"listCollections":' record)" -eq $((lists + 2)) ]
holds "a view is named, not audited twice" grep -qF "shop.v (low): view" out
run audit "$uri/" --store m.db; want "audit of a server" 0 "5 collections"
run audit "$uri/shop" --collections 'cust*, empty' --store m.db; want "--collections" 0 "2 collections"
run audit "$uri/shop.o*" --store m.db; want "a pattern in the address" 0 "orders: 19 problems"
run audit "$uri/shop" --collections 'nix*'; want "--collections that fits nothing" 1 "" "no collection fits nix*"
run audit "$uri/shop.nix*"; want "a pattern that fits nothing" 1 "" "no collection that fits nix*"
run audit "$uri/shop.empty" --store m.db; want "an empty collection" 0 "no documents"
run query "$uri/shop.order" '{}'; want "a collection that is missing" 1 "" 'did you mean "orders"?'
run query "$uri/nix.orders" '{}'; want "a database that is missing" 1 "" "no such database"
run query "$uri/shop" '{}'; want "query wants one collection" 1 "" "name one of them"

# --- kinds of collections, and the time of the server ---
stop_fake "collections"
fake_collections="shop.orders=$shop/orders.ndjson --empty shop.empty"
for type in view capped timeseries; do
	fake_collections="$fake_collections shop.$type=$shop/customers.json --type shop.$type=$type"
done
# shellcheck disable=SC2086 # words
start_fake $fake_collections --time 1790000000
for type in view capped timeseries; do
	run audit "$uri/shop.$type" --store k.db --output json; want "$type: audit" 0 "\"kind\": \"$type\""
	cp out server.json
	# shellcheck disable=SC2086
	run audit "$shop/customers.json" $as_of --store f.db --output json
	cp out file.json
	# shellcheck disable=SC2086
	run audit "$uri/shop.$type" $as_of --store k.db --output json
	cp out server.json
	holds "$type: the findings of the file" check same file.json server.json
	run show last --store k.db; want "$type: the report says what it is" 0 "kind "
	run inspect "$uri/shop.$type" -n all --output json; want "$type: inspect" 0 '"documents_sampled": 1500'
done
holds "a view and a time series are not asked for their size" sh -c "! grep -E 'collStats\":\"(view|timeseries)' record"
run show last --store k.db; want "a time series: what cannot be done" 0 "updates no single measurement"
run audit "$uri/shop.empty" --store k.db --output json; want "an empty collection: no kind" 0 '"counted_at": "2026-09-21T'
holds "of a usual one" sh -c "! grep -q '\"kind\": \"\(view\|capped\|timeseries\)' out"
run audit "$uri/shop" --store k.db; want "all of them" 0 "4 collections"
stop_fake "kinds"
# shellcheck disable=SC2086
start_fake $fake_collections --rule 'find error 136 CollectionScan died due to position in capped collection being deleted'
run audit "$uri/shop.capped" --store k.db; want "a capped collection that wraps around" 1 "" "wrapped around during find on shop.capped"
holds "without a replica set there is no time" sh -c "! grep -q counted out"
stop_fake "a capped collection that wraps around"
start_fake "shop.orders=$shop/orders.ndjson" "shop.customers=$shop/customers.json" --empty shop.empty --type shop.v=view

# --- a router of a sharded cluster ---
start_fake "shop.orders=$shop/orders.ndjson" --router
# shellcheck disable=SC2086
run audit "$shop/orders.ndjson" $as_of --store f.db --output json
cp out file.json
# shellcheck disable=SC2086
run audit "$uri/shop.orders" $as_of --store r.db --output json; want "a router: audit" 0
cp out server.json
holds "a router: the findings of the file" check same file.json server.json
holds "a router would fetch every document for \$facet, so it is not asked for it" sh -c '! grep -q facet record'
holds "it adds up the sums of its shards" grep -qF '"n20":{"$sum":{"$cond":[' record
holds "they are few commands" [ "$(grep -c '{"aggregate":' record)" -lt 20 ]
stop_fake "a router"
start_fake "shop.orders=$shop/orders.ndjson" --router --rule 'aggregate:3-10 error 2 Unrecognized expression $map'
run audit "$uri/shop.orders" --store r.db; want "a router that refuses the sums: one by one" 0 "19 problems"
stop_fake "a router that refuses"
start_fake "shop.orders=$shop/orders.ndjson" "shop.customers=$shop/customers.json" --empty shop.empty --type shop.v=view
# --- cost ---
run query "$uri/shop.orders" '{"status": "paid"}' --limit 0; want "a small collection is read for a filter" 0
run query "$uri/shop.orders" '{"status": "paid"}' --limit 0 --max-scan 1000
want "a filter without an index is refused above the limit" 1 "" "no index fits the query"
holds "the refusal names the flag" grep -qF -e --max-scan err
run audit "$uri/shop.orders" --max-scan 1000 --store m.db; want "an audit above the limit says what it could not count" 0 "no index fits the query"
holds "above the limit nothing is called clean" grep -qF "questions got no answer, so it is not known" out
run query "$uri/shop.orders" '[{"$out": "x"}]'; want "a stage that writes is refused" 2 "" '$out is refused'
run query "$uri/shop.orders" '{"$where": "1"}'; want "code is refused" 2 "" '$where is refused'
run query "$uri/shop.orders" '{"status": {"$regex": "(a+)+$"}}'; want "a pattern that may take forever is refused" 1 "" "exponential time"

# Two other servers: one that refuses every question, and one that takes the right away in the middle.
stop_fake "cost"
for rule in 'error 2 refused' 'error 13 not authorized on shop'; do
	start_fake "shop.orders=$shop/orders.ndjson" --rule "aggregate:2+ $rule" --rule "count:2+ $rule" --rule "find:2+ $rule"
	run audit "$uri/shop.orders" --store m.db --fail-on high; want "$rule: it is not called clean" 3 "no problems found in what was checked"
	stop_fake "$rule"
done
start_fake "shop.orders=$shop/orders.ndjson" "shop.customers=$shop/customers.json" --empty shop.empty --type shop.v=view
# --- MCP ---
printf 'store: %s/m.db\nprojects:\n  shop:\n    documents: %s/shop\n' "$dir" "$uri" >argus.yaml
printf '%s\n' \
	'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
	'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_query","arguments":{"project_id":"shop","collection":"customers","filter":{"customer_id":20001},"limit":1}}}' \
	'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_stats","arguments":{"project_id":"shop","collection":"customers","field":"age","operation":"max"}}}' \
	'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"aggregate","arguments":{"project_id":"shop","collection":"orders","pipeline":[{"$count":"n"}]}}}' \
	'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"schema_sample","arguments":{"project_id":"shop","collection":"orders","sample_size":20}}}' \
	'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"audit_collection","arguments":{"project_id":"shop","collection":"customers"}}}' \
	>in.jsonl
# The input stays open until all have answered: its end would end them.
: >out
{
	cat in.jsonl
	i=0
	until [ "$(grep -c '"id":[2-6],' out)" -ge 5 ] || [ "$i" -gt 600 ]; do
		i=$((i + 1))
		sleep 0.1
	done
} | "$ARGUS" mcp --config argus.yaml >out 2>err
code=$?
want "MCP: run_query" 0 '"matched_count":1'
want "MCP: aggregate" 0 '"n":5400'
want "MCP: schema_sample" 0 '"documents_sampled":20'
holds "MCP: five tools answer" [ "$(grep -c '"isError":false' out)" -eq 5 ]
holds "every command has a time limit and says who asks" check record record
holds "many filters are counted in one pass" grep -qF '$facet' record
holds "queries name the run" grep -qE '"comment":"argus [0-9a-f]{8}-' record
stop_fake "all of these"

# --- the library ---
run doctor; want "doctor names the library" 0 "read with libmongoc 1."
mkdir -p broken
: >broken/libmongoc-1.0.so.0
LD_LIBRARY_PATH=$dir/broken run doctor -o json; want "doctor says that it is missing" 0 "broken/libmongoc-1.0.so.0"
holds "and what to do" grep -qF "install libmongoc 1.23 or later" out
LD_LIBRARY_PATH=$dir/broken run query 'mongodb://127.0.0.1:1/shop.orders' '{}'
want "no library" 1 "" "apt install libmongoc-1.0-0"

# --- what goes wrong ---
run query 'mongodb:///shop.orders' '{}'; want "no host" 1 "" "it names no host"
run query 'mongodb://h/shop.' '{}'; want "no collection after the dot" 1 "" "after the dot is empty"
run query 'mongodb://h/sh$op.orders' '{}'; want "a database name that cannot be" 1 "" "no name of a database"
run query 'mongodb://h/shop.orders?tsl=true' '{}'; want "an option that nobody knows" 1 "" 'tsl'
run query 'mongodb://u@h/shop.orders' '{}'; want "a user without a password" 1 "" ARGUS_MONGODB_PASSWORD
run query 'mongodb://nix.invalid/shop.orders' '{}'; want "a host that is not there" 1 "" "cannot connect to nix.invalid:27017"
run query 'mongodb://127.0.0.1:1/shop.orders' '{}'; want "a port where nobody listens" 1 "" "127.0.0.1:1: Connection refused"

start_fake "shop.orders=$shop/orders.ndjson" --rule 'saslStart error 18 Authentication failed.'
run audit "mongodb://ann:top%40secret77@127.0.0.1:$port/shop.orders" --store p.db
want "a wrong password" 1 "" 'refused the login of user "ann"'
run query "mongodb://ann:top%40secret77@127.0.0.1:$port/shop" '{}'; want "a wrong password, of a list" 1 "" "refused the login"
cat out err p.db* record 2>/dev/null >all
holds "the password is nowhere" sh -c '! grep -qaE "top(@|%40)secret77" all'
stop_fake "a wrong password"

start_fake "shop.orders=$shop/orders.ndjson" --rule 'getMore:2 close'
run audit "$uri/shop.orders" --store d.db; want "a server that dies between batches" 1 "" "broke during getMore"
stop_fake "a server that dies between batches"
start_fake "shop.orders=$shop/orders.ndjson" --rule 'find half'
run audit "$uri/shop.orders" --store d.db; want "half an answer" 1 "" "broke during find"
stop_fake "half an answer"
start_fake "shop.orders=$shop/orders.ndjson" --rule 'count:2 close'
run audit "$uri/shop.orders" --store d.db; want "one cut connection is made again" 0 "19 problems"
stop_fake "one cut connection"
start_fake "shop.orders=$shop/orders.ndjson" --rule 'aggregate:1 error 189 primary stepped down' --rule 'find:2 error 10107 not primary'
run audit "$uri/shop.orders" --store d.db; want "a primary that steps down" 0 "19 problems"
stop_fake "a primary that steps down"
# Four attempts: libmongoc tries twice, and so does Argus. In the first pass over the collection, and in a later question.
for rule in 'aggregate:2-5 close' 'aggregate:4-7 close'; do
	start_fake "shop.orders=$shop/orders.ndjson" --rule "$rule"
	run audit "$uri/shop.orders" --store d.db; want "$rule: the audit is partial" 1 "Incomplete" "broke during"
	run resume last --store d.db; want "$rule: it goes on when the server is back" 0 "19 problems"
	stop_fake "$rule"
done
start_fake "shop.orders=$shop/orders.ndjson" "shop.customers=$shop/customers.json" \
	--rule 'collStats:1 error 13 not authorized on shop' --rule 'count:1 error 13 not authorized on shop to execute count'
run audit "$uri/shop" --store d.db
want "no rights on one of several" 1 "orders: 19 problems" "no right to count on shop.customers"
stop_fake "no rights on one of several"
start_fake "shop.orders=$shop/orders.ndjson" --rule 'listCollections error 13 not authorized on shop'
run audit "$uri/shop.orders" --store d.db; want "no right to list, but to read" 0 "19 problems"
stop_fake "no right to list"
start_fake "shop.orders=$shop/orders.ndjson" --rule 'count:2 error 50 operation exceeded time limit'
run query "$uri/shop.orders" '{"status": "paid"}'; want "a time-out of the server" 1 "" "its time was over"
stop_fake "a time-out of the server"
start_fake "shop.orders=$shop/orders.ndjson" --rule 'aggregate:2+ error 40324 Unrecognized pipeline stage name: $sample'
run inspect "$uri/shop.orders" -n 100 --output json; want "a server without \$sample" 0 '"documents_sampled": 100'
stop_fake "a server without \$sample"
start_fake "shop.orders=$shop/orders.ndjson" --rule 'aggregate:2 error 40324 Unrecognized pipeline stage name: $facet'
run audit "$uri/shop.orders" --store d.db; want "a server without \$facet" 0 "19 problems"
holds "it is asked for it once" [ "$(grep -cF '$facet' record)" -eq 1 ]
stop_fake "a server without \$facet"
start_fake "shop.orders=$shop/orders.ndjson" --rule 'aggregate:2 slow 30000'
begin=$(date +%s)
run audit "$uri/shop.orders" --max-seconds 3 --store d.db; want "a slow pass, and a limit" 0 "Incomplete"
holds "the limit ends the pass, too" [ $(($(date +%s) - begin)) -lt 15 ]
stop_fake "a slow pass"
start_fake "shop.orders=$shop/orders.ndjson" --rule 'find slow 3000'
run audit "$uri/shop.orders" --max-seconds 1 --store d.db; want "a slow server, and a limit" 0 "Incomplete"
run audit "mongodb:/127.0.0.1/shop"; want "an address with one slash" 1 "" "begins with mongodb://"
"$ARGUS" audit "$uri/shop.orders" --store d.db >out 2>err &
pid=$!
sleep 0.7
begin=$(date +%s%N)
kill -INT "$pid"
wait "$pid"
code=$?
want "a slow server, and Ctrl-C" 130 "" "stopped"
holds "Ctrl-C does not wait for the server" [ $((($(date +%s%N) - begin) / 1000000)) -lt 1500 ]
stop_fake "a slow server"
exit $bad
