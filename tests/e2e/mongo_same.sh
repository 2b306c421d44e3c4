#!/bin/sh
# What the commands and the tools of MCP say of a collection on a MongoDB server is what they say of its file (mongo_same.py). The
# server is the fake one, which records what it gets and fails the test on a command that does not read. Prints one `ok - name`
# or `not ok - name` line per case.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
export ARGUS_AS_OF=2026-07-01 ARGUS_HISTORY=false

mkdir data
cp "$source_root/examples/shop/customers.json" data/
# Without the lines that are no JSON: a server has none.
python3 -c 'import json, sys
for line in sys.stdin:
    try:
        json.loads(line)
    except ValueError:
        continue
    sys.stdout.write(line)' <"$source_root/examples/shop/orders.ndjson" >data/orders.ndjson
start_fake shop.orders=data/orders.ndjson shop.customers=data/customers.json
python3 "$source_root/tests/e2e/mongo_same.py" "$ARGUS" data "$uri/shop" || bad=1
stop_fake "all of it"
exit $bad
