#!/bin/sh
# References from one collection of a database to another: what is found is what is found in files, whether a collection is read
# whole or sampled; what a server is asked for is limited. Prints one `ok - name` or `not ok - name` line per case.
# shellcheck disable=SC2317 # check() is called by holds()
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
export ARGUS_AS_OF=2026-07-01 ARGUS_HISTORY=false
check() { python3 "$source_root/tests/e2e/mongo_references.py" "$@"; }

# both NAME ORDERS CUSTOMERS NUMBER: files and a server with the same data have NUMBER findings on references, the same ones.
both() {
	check write "$1" "$2" "$3" || exit 1
	start_fake "$1.orders=$1/orders.ndjson" "$1.customers=$1/customers.ndjson" "$1.products=$1/products.ndjson"
	run audit "$1" --collections orders --store memory: --output json; want "$1: the audit of files" 0
	cp out file.json
	run audit "$uri/$1" --collections orders --store server.db --output json; want "$1: the audit of a server" 0
	cp out server.json
	holds "$1: the same references" check same file.json server.json "$4"
}

both small 3000 500 4
# The names of its neighbours are in the log, so that a resumed run looks there again.
run audit "$uri/small" --collections orders --store few.db --max-iterations 2 --output json; want "a run that ends early" 0
run resume last --store few.db --max-iterations 1000 --output json; want "it goes on" 0
cp out resumed.json
holds "a resumed run has the same references" check same file.json resumed.json 4
stop_fake small

both many_orders 60000 500 4
stop_fake "many orders"

both many_customers 3000 60000 4
run audit "$uri/many_customers" --collections orders --store memory: --max-scan 10000; want "a server that may not read all" 0 "" \
	'references to "customers" were not checked'
stop_fake "many customers"

both many_of_both 60000 60000 4
stop_fake "many of both"
exit $bad
