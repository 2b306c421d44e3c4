#!/bin/sh
# audit, inspect, query and verify on a real MongoDB-compatible engine (tests/real/documentdb.sh): the findings are those of
# the same data in files, and 500 filters and 100 pipelines give the same answers. Prints one `ok - name`, `not ok - name` or
# `skip - name: reason` line per case.
# shellcheck disable=SC2016,SC2317 # $match is of MongoDB; check() is called by holds()
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
shop=$source_root/examples/shop
check() { python3 "$source_root/tests/e2e/mongo_check.py" "$@"; }
start_engine "a real engine"

run query "$uri/shop.none" '{}'; want "nothing is there" 1 "" "no such database"

engine_load shop orders <"$shop/orders.ndjson" 2>/dev/null || exit 1
python3 -c 'import json,sys
for d in json.load(open(sys.argv[1])): print(json.dumps(d))' "$shop/customers.json" | engine_load shop customers || exit 1
for f in orders.ndjson customers.json; do
	run audit "$shop/$f" --as-of 2026-07-01 --no-history --store f.db --output json; want "$f: audit of the file" 0
	cp out file.json
	run audit "$uri/shop.${f%.*}" --as-of 2026-07-01 --store m.db --output json; want "$f: audit of the engine" 0
	cp out server.json
	holds "$f: the same findings" check same file.json server.json
	run verify server.json; want "$f: verify" 0 confirmed
done
run audit "$uri/shop" --store m.db; want "a database" 0 "2 collections"
run inspect "$uri/shop.orders" -n 100 --output json; want "inspect" 0 '"documents_sampled": 100'

# More than the profile reads: the server chooses, and still every count is of all.
python3 -c 'import json
for i in range(60000): print(json.dumps({"_id": i, "code": "A%05d" % i, "n": "x" if i % 100 == 7 else i % 50}))' | engine_load shop many || exit 1
run audit "$uri/shop.many" --store m.db; want "a sample of a large collection" 0 "profile    of a sample of 12,000 documents"
holds "its counts are of all" grep -qE "n +.* 600 " out

printf '{"_id": %d, "x.y": %d}\n' 1 1 2 2 3 3 | engine_load shop a.b.c || exit 1
run query "$uri/shop.a.b.c" '{"x.y": 2}'; want "a name with a dot, in a collection with dots" 0 "" "one name with a dot"

engine_load private orders <"$shop/orders.ndjson" 2>/dev/null || exit 1
at=@127.0.0.1:$port/private.orders
for how in SCRAM-SHA-1 SCRAM-SHA-256; do
	run query "mongodb://ann:p%40ss%3Aw0rd%2F77$at?authMechanism=$how" '{}' --limit 0; want "$how: the right password" 0 "5,400"
	run query "mongodb://ann:p%40ss%3Aw0rd%2F78$at?authMechanism=$how" '{}'; want "$how: a wrong one" 1 "" 'refused the login of user "ann"'
done
ARGUS_MONGODB_PASSWORD=p@ss:w0rd/77 run audit "mongodb://ann$at" --store m.db; want "the password of the environment" 0 "19 problems"
ARGUS_MONGODB_PASSWORD=p@ss:w0rd/77 run verify last --store m.db; want "verify with it" 0 confirmed
run query "mongodb://127.0.0.1:$port/private.orders" '{}'; want "no login where one is wanted" 1 "" "the address names no user"
cat out err m.db* >all 2>/dev/null
holds "the password is nowhere" sh -c '! grep -qaE "p(@|%40)ss(:|%3A)w0rd" all'

python3 "$source_root/tests/e2e/mongo_differ.py" documents 400 >mixed.ndjson || exit 1
engine_load diff mixed <mixed.ndjson || exit 1
printf 'store: %s/d.db\nprojects:\n  file:\n    documents: %s/mixed.ndjson\n  server:\n    documents: %s/diff.mixed\n' \
	"$dir" "$dir" "$uri" >argus.yaml
# With a sanitizer the first of them: which answer is right, the release tree tests.
filters=500 pipelines=100
[ -z "${ARGUS_SANITIZED:-}" ] || [ -n "${ARGUS_LONG:-}" ] || filters=100 pipelines=20
holds "$filters filters and $pipelines pipelines give the same answers" \
	python3 "$source_root/tests/e2e/mongo_differ.py" compare "$dir" "$filters" "$pipelines"
exit $bad
