#!/bin/sh
# A MongoDB server with a lot: 2,000 collections, documents of 16 MB, names of all kinds; and what a run on disk costs when a
# collection is tiny. Prints one `ok - name` or `not ok - name` line per case.
# shellcheck disable=SC2046,SC2016 # words; $ is of names
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
export ARGUS_AS_OF=2026-07-01 ARGUS_HISTORY=false

printf '{"_id":1,"n":1,"s":"x"}\n{"_id":2,"n":2,"s":"y"}\n' >tiny.ndjson
python3 -c '
import json
print(json.dumps({"_id": 1, "s": "x" * (16777216 - 40), "n": 1}))
print(json.dumps({"_id": 2, "s": "y", "n": "2"}))' >large.ndjson

start_fake $(seq -f 'many.c%04.0f=tiny.ndjson' 2000) big.one=large.ndjson 'odd.a.b $c=tiny.ndjson' 'odd.$x=tiny.ndjson' 'odd.système=tiny.ndjson'
run audit "$uri/many" --store memory: --output json --out many.json; want "2,000 collections" 0
holds "a report for each" python3 -c 'import json; assert len(json.load(open("many.json"))["reports"]) == 2000'
holds "they are listed twice, not one by one" [ "$(grep -c '"listCollections"' record)" -le 2 ]
holds "over one connection" [ "$(grep -c '{"isMaster":' record)" -eq 1 ]
run audit "$uri/many.c000*" --store memory:; want "some of them" 0 "9 collections"
run audit "$uri/big" --store memory:; want "a document of 16 MB" 0 "one: "
run inspect "$uri/big.one" --output json; want "inspect of it" 0 '"documents_sampled": 2'
run query "$uri/big.one" '{"n": "2"}'; want "the one beside it" 0 '"y"'
run audit "$uri/odd" --store memory:; want "names with dots, blanks, dollars and other letters" 0 "3 collections"
run query "$uri/odd.a.b%20\$c" '{}' --limit 0; want "a name with a dot, a blank and a dollar" 0 "2 documents"
run query "$uri/odd.syst%C3%A8me" '{}' --limit 0; want "a name with a letter of two bytes" 0 "2 documents"
run query "$uri/odd.syst%zz" '{}'; want "a percent sign that encodes nothing" 1 "" "two hexadecimal digits"
stop_fake "a server with a lot"
exit $bad
