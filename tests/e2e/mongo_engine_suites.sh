#!/bin/sh
# The suites of audit, inspect, query, verify and MCP's tools on a real MongoDB-compatible engine (tests/real/documentdb.sh),
# through a proxy that lets only commands pass that read: the engine itself, and as it looks after the router of a sharded cluster.
# There audits count by sums of one $group (mongo_sums.c), whose expressions are first compared with the filters they stand for.
# Then commands and tools are compared with those of files, as in mongo_same.sh. All of it takes five minutes, in the long tier only.
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case.
# shellcheck disable=SC2016 # $group is of MongoDB
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
[ "${ARGUS_LONG-}" = 1 ] || {
	echo "skip - suites on a real engine: in the long tier only (./run test --long); mongo_suites.sh has a server of the tests"
	exit 0
}
start_engine "suites on a real engine"
shop_data || exit 1
engine_load shop orders <"$source_root/examples/shop/orders.ndjson" 2>/dev/null || exit 1
engine_load shop customers <customers.ndjson || exit 1
engine_load shop products <products.ndjson || exit 1
engine_load typed visits <visits.ndjson || exit 1

shop_suites "an engine" shop inspect mcp_tools
mkdir same
cp "$source_root/examples/shop/customers.json" same/
# Without the lines that are no JSON: a server has none, and reports of the file have a line more for them.
python3 -c 'import json, sys
for line in sys.stdin:
    try:
        json.loads(line)
    except ValueError:
        continue
    sys.stdout.write(line)' <"$source_root/examples/shop/orders.ndjson" >same/orders.ndjson
ARGUS_AS_OF=2026-07-01 ARGUS_HISTORY=false python3 "$source_root/tests/e2e/mongo_same.py" "$ARGUS" same "$uri/shop" engine || bad=1
stop_proxy "an engine"

port=$engine_port
start_proxy mongos
shop_suites "a router" shop
holds "a router is not asked for \$facet" sh -c '! grep -q facet passed'
stop_proxy "a router"
exit $bad
