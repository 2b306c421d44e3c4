#!/bin/sh
# The suites of audit, inspect, query, verify and MCP's tools on the MongoDB server of the tests, through a proxy that lets only
# commands pass that read (tests/fake/mongo_proxy.py). What it refuses is tried first. mongo_engine_suites.sh does the same on a
# real engine. Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"

shop_data || exit 1
start_fake "shop.orders=$source_root/examples/shop/orders.ndjson" shop.customers=customers.ndjson shop.products=products.ndjson \
	typed.visits=visits.ndjson
fake_port=$port

start_proxy
PYTHONDONTWRITEBYTECODE=1 python3 "$source_root/tests/e2e/mongo_refused.py" "$port" "$dir/passed" || bad=1
kill "$proxy"
port=$fake_port

start_proxy
shop_suites "a server" shop inspect mcp_tools
stop_proxy "a server"
stop_fake "a server"
exit $bad
