#!/bin/sh
# The cells of findings and their repairs: --cells and --repairs of argus audit.
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

# --- wrong use

before=$(cksum <orders.ndjson)
run audit orders.ndjson --store memory: --cells orders.ndjson; want 'never over a source' 2 '' '--cells: orders.ndjson is a data file'
run audit . --store memory: --repairs ./products.csv; want 'nor over one of a folder' 2 '' '--repairs: ./products.csv is a data file'
holds 'the source is as it was' [ "$before" = "$(cksum <orders.ndjson)" ]
run audit orders.ndjson --store memory: --cells no/such/place; want 'no such place' 2 '' '--cells: '
run audit orders.ndjson --store memory: --cells a --repairs a; want 'one file for two' 2 '' 'another option writes to a'
run audit orders.ndjson --store memory: --cells a --out a; want 'nor with the report' 2 '' 'another option writes to a'
run audit orders.ndjson --store memory: --output silent --cells /dev/full; want 'a full disk' 1 '' '/dev/full'
exit $bad
