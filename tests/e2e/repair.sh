#!/bin/sh
# The cells of findings and their repairs: --cells and --repairs of argus audit, and argus repair, whose output is applied.
# Prints one `ok - name` or `not ok - name` line per case. ARGUS is the program.
#
# shellcheck disable=SC2317 # check() is called by name
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
root=$source_root
check() { python3 "$root/tests/e2e/repair_check.py" "$@" >"$dir/out" 2>&1; }

for f in customers.json orders.ndjson products.csv; do
	cp "$root/examples/shop/$f" .
	run audit "$f" --store memory: --output json --threads 1 --cells one.cells --repairs one.repairs
	want "$f: audit" 0 '' 'certain repairs written to one.repairs'
	cp out report.json
	holds "$f: the cells are the documents that the findings count" check cells report.json one.cells one.repairs
	run audit "$f" --store memory: --output silent --threads 8 --cells many.cells --repairs many.repairs
	want "$f: audit with threads" 0
	holds "$f: the same cells with any number of threads" check same one.cells many.cells
	holds "$f: the same repairs" check same one.repairs many.repairs
done
run audit . --store memory: --output silent --cells all.cells --quiet; want 'a folder' 0
holds 'its collections are in one file' python3 -c 'import json
assert {json.loads(l)["collection"] for l in open("all.cells")} >= {"customers", "orders", "products"}'

# --- argus repair: scripts and copies

check hostile || exit 1
for f in products.csv hostile.csv; do
	run audit "$f" --store s.db --output silent --repairs repairs; want "$f: audit" 0
	run repair last --store s.db --out copy.csv; want "$f: a corrected copy" 0 '' 'written to copy.csv'
	holds "$f: the copy differs in the repaired cells only" check copy "$f" copy.csv repairs
	run repair "$f" --as sql --table "my \"t'" --key "$(head -c 300 "$f" | tr -d '\357\273\277' | sed 's/[;,].*//;q')" --out repairs.sql
	want "$f: a script for SQL" 0
	holds "$f: SQLite holds the copy after the script" check sql "$f" copy.csv repairs.sql "my \"t'"
	run audit copy.csv --store memory: --output silent --repairs left; want "$f: the copy is audited" 0
	holds "$f: and has none of these repairs left" test ! -s left
done
if command -v node >/dev/null; then
	for f in orders.ndjson customers.json hostile.ndjson; do
		run audit "$f" --store s.db --output json --repairs repairs; want "$f: audit" 0
		cp out report.json
		run repair report.json --out repairs.js; want "$f: a script for mongosh" 0 '' 'written to repairs.js'
		node "$root/tests/e2e/repair_apply.mjs" repairs.js "$f" >applied 2>err
		holds "$f: node runs the script, and each update finds its document" [ $? -eq 0 ]
		holds "$f: the documents are as the repairs say" check documents "$f" applied repairs
	done
else
	echo 'skip - scripts for mongosh: node is not installed'
fi
run audit orders.ndjson --store s.db --output silent --cells one.cells --repairs one.repairs
run repair last --store s.db --as cells --out two.cells; want 'the cells of a run' 0
holds 'are those of the audit' cmp one.cells two.cells
run repair last --store s.db --as repairs --out two.repairs; want 'the repairs of a run' 0
holds 'are those of the audit, too' cmp one.repairs two.repairs
run repair orders.ndjson --as sql --flatten _ --table orders; want 'nested fields as columns' 0 'UPDATE "orders" SET "payment_method" = ' 'items of arrays are no columns'
run repair orders.ndjson --as sql; want 'nested fields without --flatten' 0 'BEGIN;' 'only with --flatten'
run repair . --out all.js; want 'a folder with a CSV file' 1 '' 'has another form of repairs than the source before it'
run repair products.csv hostile.csv; want 'two CSV files' 1 '' 'a copy holds one file'
run repair orders.ndjson customers.json; want 'two collections' 0 'db.getCollection("customers")'
python3 -c 'for i in range(60): print("{\"a\":\"%s\",\"b\":%d}" % (("word ", "two") [i > 0], i % 50))' >nokey.ndjson
run repair nokey.ndjson; want 'no key' 1 '' 'name it with --key FIELD'
run repair nokey.ndjson --key b; want 'a key that is not unique' 0 '' 'left out: 1 values of documents that b does not find alone'
run repair nokey.ndjson --key nope; want 'a key that is not there' 1 '' 'no document has the key nope'

# --- the source has changed since

cp products.csv later.csv
run audit later.csv --store s.db --output silent
run repair last --store s.db --out copy.csv; want 'a run of a source as it is' 0
echo 'ZZ-1,x,Books,1,1,1,1,1,red,0,false,2024-01-01,01/01/2024,x' >>later.csv
rm -f copy.csv
run repair last --store s.db --out copy.csv; want 'a source that has changed' 1 '' 'later.csv is not what the run audited: it had 400 documents then and has 401 now'
holds 'nothing is written' test ! -e copy.csv
run repair last --store s.db --changed --out copy.csv; want 'unless it may have' 0
rm later.csv
run repair last --store s.db; want 'a source that is gone' 1 '' 'later.csv'
run repair last --store s.db --source products.csv --out copy.csv; want 'that is elsewhere now' 0

# --- wrong use

before=$(cksum <orders.ndjson)
run audit orders.ndjson --store memory: --cells orders.ndjson; want 'never over a source' 2 '' '--cells: orders.ndjson is a data file'
run audit . --store memory: --repairs ./products.csv; want 'nor over one of a folder' 2 '' '--repairs: ./products.csv is a data file'
holds 'the source is as it was' [ "$before" = "$(cksum <orders.ndjson)" ]
run audit orders.ndjson --store memory: --cells no/such/place; want 'no such place' 2 '' '--cells: '
run audit orders.ndjson --store memory: --cells a --repairs a; want 'one file for two' 2 '' 'another option writes to a'
run audit orders.ndjson --store memory: --cells a --out a; want 'nor with the report' 2 '' 'another option writes to a'
run repair products.csv --out ./products.csv; want 'repair: never over its source' 1 '' '--out: products.csv is the source'
run repair products.csv --as mongosh; want 'CSV for mongosh' 1 '' 'whose values have no types'
run repair orders.ndjson --as csv; want 'documents as CSV' 1 '' 'is no CSV file'
run repair orders.ndjson --as xml; want 'an unknown format' 2 '' '--as: want mongosh, sql, csv, repairs or cells'
run repair orders.ndjson --table x; want 'a table without SQL' 2 '' 'go with --as sql'
run repair orders.ndjson --key ,; want 'an empty key' 2 '' '--key: want'
run repair; want 'nothing to repair' 2
run repair no-such-file.csv --store s.db; want 'no such file' 1 '' 'is no file, and in the store:'
printf '{"id":"x"}' >odd.json
run repair - --store s.db; want 'standard input that is no report' 1 '' 'is no audit report'
"$ARGUS" repair products.csv >/dev/full 2>err
holds 'repair: a full disk' [ $? -eq 1 ]
holds 'the sources are as they were' [ "$before" = "$(cksum <orders.ndjson)" ]
run audit orders.ndjson --store memory: --output silent --cells /dev/full; want 'a full disk' 1 '' '/dev/full'
exit $bad
