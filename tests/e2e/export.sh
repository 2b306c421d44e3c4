#!/bin/sh
# argus export: a MongoDB validator and a JSON Schema select exactly the documents that no finding is about; tests of tables
# (dbt, Great Expectations, Soda) find exactly the rows that their findings are about.
# Prints one `ok - name` or `not ok - name` line per case. ARGUS is the program.
#
# shellcheck disable=SC2317 # check() is called by name
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
root=$source_root
check() { python3 "$root/tests/e2e/export_check.py" "$@" >"$dir/out" 2>&1; }

check make . || exit 1
for f in hostile.ndjson customers.json orders.ndjson products.csv; do
	[ -f "$f" ] || cp "$root/examples/shop/$f" .
	run audit "$f" --store s.db --output json; want "$f: audit" 0
	cp out report.json
	run export last --store s.db --as validator; want "$f: validator" 0 'jsonSchema'
	cp out validator.json
	holds "$f: the validator selects the good documents" check validator "$ARGUS" "$f" report.json validator.json
	run export last --store s.db --as jsonschema; want "$f: JSON Schema" 0 'draft/2020-12'
	cp out schema.json
	holds "$f: the schema selects the good documents" check jsonschema "$ARGUS" "$f" report.json schema.json
	for as in gx dbt soda; do
		run export last --store s.db --as "$as" --table 'my: "t"' --flatten _; want "$f: $as" 0 'my: \"t\"'
		cp out "table.$as"
		holds "$f: $as: nothing steers the terminal" python3 -c 'import sys, unicodedata as u
sys.exit(any(u.category(c) in ("Cc", "Cf") and c not in "\n\u200b\u2060\ufeff" for c in open("out", encoding="utf-8").read()))'
		cp err left.txt
	done
	holds "$f: tests of a table find the wrong rows" check table "$ARGUS" "$f" report.json left.txt table.gx table.dbt table.soda
done

run audit orders.ndjson --store s.db --output silent
run export last --store s.db --as validator; want 'what a validator cannot hold is named' 0 '' 'left out: orders: order_no, Duplicate key'
run export last --store s.db --as jsonschema; want 'what a schema cannot compare is named' 0 '' 'created_at, Sentinel date: JSON Schema cannot'
run export last --store s.db --as validator --from critical; want 'only from a severity on' 0
grep -q '"maximum"' out; holds 'a weaker finding is no rule' [ $? -eq 1 ]
run audit orders.ndjson --store s.db --sample-size 50 --output silent
run export last --store s.db --as validator; want 'a sample is said to be one' 0 '' 'looked at 50 of 5,400 documents'

# --- wrong use

run export last --store s.db; want 'no format' 2 '' '--as: which format?'
run export last --store s.db --as dbx; want 'an unknown format' 2 '' 'want validator, jsonschema, dbt, gx or soda'
run export last --store s.db --as validator --flatten _; want 'an option of tables' 2 '' 'go with dbt, gx and soda'
run export last --store s.db --as validator --from worst; want 'an unknown severity' 2 '' '--from'
run export 0000 --store s.db --as validator; want 'an unknown run' 1 '' 'argus runs'
run export last --store empty.db --as validator; want 'no run at all' 1
cp -r "$root/examples/wiki" wiki
(cd wiki && ARGUS_STORE=$dir/a.db "$ARGUS" ask --offline 'How do I protect a branch?' >../out 2>../err)
run export last --store a.db --as validator; want 'an answer has no rules' 1 '' 'the run is an answer'
: >none.ndjson
run audit none.ndjson --store s.db --output silent
run export last --store s.db --as jsonschema; want 'a run without a schema' 1 '' 'holds no schema'
"$ARGUS" export last --store a.db --as validator >/dev/full 2>err
holds 'a full disk' [ $? -eq 1 ]
exit $bad
