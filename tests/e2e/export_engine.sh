#!/bin/sh
# The validator of `argus export` on a MongoDB-compatible engine: pg_documentdb of Debian sid, the engine of Azure Cosmos DB
# for MongoDB (vCore). A query with the validator selects exactly the documents that no finding is about. Only in the long
# tier (./run test --long). Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case.
# shellcheck disable=SC2154 # dir comes from lib.sh
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
root=$source_root
[ "${ARGUS_LONG-}" = 1 ] || {
	echo "skip - pg_documentdb: in the long tier only (./run test --long)"
	exit 0
}
start_engine pg_documentdb

python3 "$root/tests/e2e/export_check.py" make . || exit 1
for f in hostile.ndjson customers.json orders.ndjson products.csv; do
	[ -f "$f" ] || cp "$root/examples/shop/$f" .
	run audit "$f" --store s.db --output json; want "$f: audit" 0
	cp out report.json
	run export last --store s.db --as validator; want "$f: validator" 0
	cp out validator.json
	python3 "$root/tests/e2e/export_engine.py" sql "$ARGUS" "$f" validator.json >in.sql
	engine_sql <in.sql >out 2>err
	holds "$f: the engine selects the good documents" \
		python3 "$root/tests/e2e/export_engine.py" same "$ARGUS" "$f" report.json out
done
exit $bad
