#!/bin/sh
# argus inspect, of files or of the server at SHOP_URI (mongo_suites.sh): figures against the data, threads, masks, widths of terminals, one field, the page, hostile and empty data.
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. ARGUS is the program.
#
# shellcheck disable=SC2016 # dollars belong to JSON
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
root=$source_root
files=$root/examples/shop
shop=${SHOP_URI:-$files}
orders=${SHOP_URI:-$files/orders.ndjson} customers=${SHOP_URI:-$files/customers.json}
[ -z "${SHOP_URI:-}" ] || orders=$SHOP_URI.orders customers=$SHOP_URI.customers

# --- figures

run inspect "$shop" --output json --show-values; want 'json: a folder' 0
cp out all.json
python3 "$root/tests/e2e/shop_figures.py" inspect all.json "$files" || bad=1
for threads in 1 2 8; do
	run inspect "$shop" --output json --threads $threads
	cp out "$threads.json"
done
holds 'the same with 1, 2 and 8 threads' sh -c 'cmp -s 1.json 2.json && cmp -s 1.json 8.json'
run inspect "$orders" --output json -n 300 --seed 9
holds 'json: a sample counts its documents' json \
	'd["documents_sampled"]==300 and all(x["present_count"]+x["missing_count"]==300 for x in d["distributions"])'
holds 'json: no marks' json 'not any("marked" in str(x) for x in d["distributions"])'

# --- masks

run inspect "$customers" --output json
holds 'json: dates of persons are masked, counts are not' json \
	'[(x["dates"]["quantiles"]["p50"], x["dates"]["histogram"]["edges"][0], sum(x["dates"]["histogram"]["counts"])) for x in d["distributions"] if x["path"]=="birth_date"]==[("•••","•••",1500)]'
printf '{"password":"one"}\n{"password":"threeee"}\n' >secret.ndjson
run inspect secret.ndjson --output json
holds 'json: not even the length of a secret' json '"length" not in d["distributions"][0]["texts"]'
for form in '' --details '--output html' '--output json'; do
	# shellcheck disable=SC2086 # words on purpose
	run inspect "$customers" $form
	python3 - "$files/customers.json" out >leaks <<-'END'
		import json, sys
		said = open(sys.argv[2], encoding="utf-8").read()
		for p in json.load(open(sys.argv[1], encoding="utf-8")):
		    for text in (p["email"], p["phone"], p["address"]["street"]):
		        if text and len(text) > 6 and text in said:
		            print(text)
	END
	holds "no personal value is printed: inspect $form" [ ! -s leaks ]
done

# --- the terminal

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	for columns in 40 60 80 120 200; do
		for form in '' --details; do
			env TERM=xterm script -qec "stty cols $columns; '$ARGUS' inspect '$orders' --quiet $form" screen </dev/null >/dev/null
			holds "fits $columns columns $form" python3 - screen $columns <<-'END'
				import re, sys, unicodedata
				text = open(sys.argv[1], encoding="utf-8").read().split("\n", 1)[1].rsplit("\nScript done", 1)[0]
				text = re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r", "")
				width = lambda s: sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in s)
				wide = [s for s in text.split("\n") if width(s) > int(sys.argv[2])]
				if wide: print(wide[:3])
				sys.exit(1 if wide or "customer_id" not in text else 0)
			END
		done
	done
	env TERM=xterm script -qec "stty cols 80; '$ARGUS' inspect '$customers' --quiet" screen </dev/null >/dev/null
	holds 'a line for each field on one screen' [ "$(grep -c . screen)" -le 30 ]
else
	echo 'skip - widths of terminals: script (util-linux) gives no terminal'
fi
run inspect "$orders"; want 'a table with pictures' 0 '▁'
LC_ALL=C "$ARGUS" inspect "$orders" --details >out 2>err
code=$?
want 'without UTF-8' 0 '####'
holds 'only ASCII there' sh -c '! LC_ALL=C grep -q "[^ -~]" out'
run inspect "$orders" -p total --path items.price; want 'two fields' 0 'over value, each bar 20 wide'
holds 'and no other' sh -c 'grep -q "^items\[\].price$" out && ! grep -q "customer_id" out'
run inspect "$orders" -p shipping; want 'a field and those below it' 0 'shipping.address.city'
run inspect "$shop" -p total; want 'a field of one collection' 0 'orders: 5,400 documents, 1 field'
holds 'and no other collection' sh -c '! grep -q customers out'
run inspect "$orders" -p totl; want 'a field that is not there' 1 '' 'did you mean "total"?'

# --- the page

run inspect "$shop" --output html; want 'html: a folder' 0 '<title>Data profile</title>'
holds 'html: a page that loads nothing' python3 "$root/tests/e2e/saved_page.py" out '[len(c["distributions"]) > 5 for c in d["inspected"]] == [True] * 3'
mkdir odd
printf '{"<script>alert(1)</script>":"<img src=x onerror=y>","a\\u001b[31m":"\\u202e\\u0000x","n":"NaN"}\n{"n":1e308}\n{"n":-1e308}\n{"d":{"$date":{"$numberLong":"-9223372036854775808"}}}\n{"d":{"$date":{"$numberLong":"9223372036854775807"}}}\n' >odd/odd.ndjson
: >odd/empty.ndjson
printf '{"a":1}\n{bad\n' >odd/broken.ndjson
for form in '' --details '--output html' '--output json'; do
	# shellcheck disable=SC2086 # words on purpose
	run inspect odd $form --show-values
	want "odd data: inspect $form" 0
	holds "no control characters: inspect $form" sh -c "! LC_ALL=C grep -q \"\$(printf '[\\001-\\010\\013-\\037\\177]')\" out"
done
run inspect odd --output html --show-values
holds 'html: odd data is escaped' python3 "$root/tests/e2e/saved_page.py" out
run inspect odd/empty.ndjson; want 'an empty collection' 0 '0 documents, 0 fields'
run inspect "$orders" --output sarif; want 'no report' 2 '' 'or a page: html'
run inspect nothing.ndjson --output html; want 'a source that is not there' 1 '' 'nothing.ndjson'
holds 'and no page' [ ! -s out ]
exit $bad
