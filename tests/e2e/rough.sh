#!/bin/sh
# Data as it comes, and commands as they are mistyped: bad neighbours in a folder, headers of spreadsheets,
# other encodings, names of files, --out in the wrong place.
# shellcheck disable=SC2016,SC2317 # dollars belong to MongoDB; json() is called by name
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. ARGUS is the program.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
mkdir w && cd w || exit 1

printf '{"a":1}\n{"a":2}\n{"a":3}\n' >good.ndjson

# --- --out never replaces what is audited

cp good.ndjson keep.ndjson
run audit keep.ndjson --out keep.ndjson; want '--out on the source' 2 '' 'choose another place'
ln -s keep.ndjson link.out
run audit keep.ndjson --out link.out; want '--out on a link to the source' 2 '' 'choose another place'
run audit . --output json --out ./keep.ndjson; want '--out on a file of the folder' 2 '' 'choose another place'
holds 'the source is as it was' cmp -s good.ndjson keep.ndjson
rm link.out keep.ndjson

# --- a folder with a bad neighbour

mkdir mixed
cp good.ndjson mixed/a.ndjson
printf 'binary\001\000\002' >mixed/b.json
cp good.ndjson mixed/c.ndjson
run audit mixed --output json; want 'audit: a bad neighbour' 1 '' 'mixed/b.json looks like binary data'
holds 'audit: the others are there' json 'len(d["reports"])==2 and len(d["failed"])==1'
run inspect mixed --output json; want 'inspect: a bad neighbour' 1 '' 'mixed/b.json'
holds 'inspect: the others are there' json 'len(d["collections"])==2'
run query mixed '{}'; want 'query: which file to name' 1 '' 'like mixed/a.ndjson'
cp good.ndjson "$(printf 'mixed/odd\377.ndjson')"
run audit mixed --output json
want 'a name that is not UTF-8' 1 '' 'the path is not UTF-8 text'

# --- nothing that could be read is no success

printf 'name,city\nM\374ller,K\366ln\n' >latin.csv
run audit latin.csv --fail-on low; want 'audit: nothing could be read' 1 'no document could be read' 'latin.csv: no document'
run audit latin.csv --output json; holds 'the report is there' json 'd["source"]["broken"]==1'
printf '{"a":1}\nbroken\n' >half.ndjson
run query half.ndjson '{}'; want 'query: what was not read' 0 '1 of 1 document matches' '1 document of half.ndjson could not be read'
run query half.ndjson '{}' --output json; holds 'query: what was not read, json' json 'd["broken"]==1'
run inspect half.ndjson; want 'inspect: why it was not read' 0 'the first: line 2: '
printf '\014\000\000\000\020a\000\001\000\000\000\000\014\000\000\000\167a\000\001\000\000\000\000' >x.bson
run audit x.bson; want 'a broken BSON document is counted in documents' 0 'x.bson, document 2: '


# --- what was not checked is no success: exit 3 at the level of what was lost

: >empty.ndjson
run audit empty.ndjson --fail-on critical; want 'an empty file' 3 '! empty: not checked, no documents'
run audit empty.ndjson; want 'an empty file without --fail-on' 0 'not checked'
run runs -n 1; want 'runs: an empty file' 0 'not checked'
run history empty.ndjson; want 'history: an empty file' 0 'not checked'
run audit half.ndjson; run runs -n 1; want 'runs: unreadable documents' 0 'no problems in what was checked'
run audit good.ndjson; run runs -n 1; want 'runs: all was checked' 0 'no problems'
holds 'runs: and nothing was left out' sh -c '! grep -q "what was checked" ../out'
run audit empty.ndjson --output json
holds 'an empty file, json' json 'd["verdict"]=="not_checked" and [g["kind"] for g in d["gaps"]]==["empty"]'
echo '[]' >none.json
run audit none.json --fail-on critical; want 'an empty array' 3 'not checked'
printf 'a,b\n' >head.csv
run audit head.csv --fail-on critical; want 'nothing but a header' 3 'not checked'
printf '[{},{},{}]' >bare.json
run audit bare.json --fail-on critical; want 'documents without a field' 3 '! bare: not checked, nothing was looked at'
run audit bare.json --output json
holds 'documents without a field, json' json 'd["verdict"]=="not_checked" and [g["kind"] for g in d["gaps"]]==["no_fields"]'
printf '{"a":{}}\n{"a":{}}\n' >hollow.ndjson
run audit hollow.ndjson --fail-on critical; want 'objects without a field' 3 'not checked'
printf '{"_id":1}\n{"_id":2}\n' >ids.ndjson
run audit ids.ndjson --fail-on critical; want 'nothing but an _id' 3 'not checked'
run audit good.ndjson --max-iterations 1 --fail-on critical; want 'a budget that looks at nothing' 3 'not checked'
run audit good.ndjson --max-iterations 2 --fail-on medium; want 'a budget that ends early' 3
run audit good.ndjson --fail-on low; want 'all was checked' 0 'no problems found'
run audit good.ndjson --output json; holds 'all was checked, json' json 'd["verdict"]=="no_problems" and d["gaps"]==[]'

# lost LINES GOOD: a file with that many unreadable and readable lines
lost() {
	seq 1 "$1" | sed 's/.*/{"n": /'
	seq 1 "$2" | sed 's/.*/{"n":"v&"}/'
}
lost 99 1 >lost.ndjson; run audit lost.ndjson --fail-on critical; want '99 % unreadable' 3 '(critical)'
lost 1 50 >lost.ndjson; run audit lost.ndjson --fail-on high; want '2 % unreadable' 3 '(high)'
run audit lost.ndjson --fail-on critical; want '2 % unreadable are not critical' 0
lost 1 500 >lost.ndjson; run audit lost.ndjson --fail-on medium; want '0.2 % unreadable' 3
lost 1 5000 >lost.ndjson; run audit lost.ndjson --fail-on low; want 'one unreadable line of 5,001' 3
run audit lost.ndjson --output json
holds 'unreadable, json' json 'd["verdict"]=="incomplete" and d["gaps"][0]["count"]==1 and d["gaps"][0]["total"]==5001'
printf '{"a":1}\n{"a":2}\n{"a":' >cut.ndjson
run audit cut.ndjson --fail-on low; want 'a truncated last line' 3 'cut.ndjson, line 3'
printf '[{"a":1},{"a":2}' >cut.json
run audit cut.json --fail-on low; want 'an array that is not closed' 3 'not closed'
printf 'a,b,c\n1,2,3\n4,5\n6,7,8\n' >short.csv
run audit short.csv --fail-on low; want 'a row that is too short' 3 'fewer cells than the header'
printf 'a,b,c\n1,2,3\n4,5,\n6,"",\n' >whole.csv
run audit whole.csv --output json; holds 'an empty last cell is a cell' json 'd["source"]["short_rows"]==0 and d["gaps"]==[]'
printf '[{"a.b":1,"c":2},{"a.b":null,"c":3}]\n' >dotted.json
run audit dotted.json --output json
holds 'a field that no filter can name is a gap' json 'd["verdict"]=="incomplete" and [(g["kind"],g["severity"],g["count"],g["total"]) for g in d["gaps"]]==[("names","medium",1,2)]'
run audit dotted.json; want 'the gap for people' 0 'no filter can name 1 of 2 fields, such as `a.b`'
printf 'a,b\n1,2\n1,2,3\n' >long.csv
run audit long.csv --fail-on low; want 'a row that is too long' 3 'more cells'

mkdir skip skip/below skip/docs
cp good.ndjson skip/a.ndjson
cp good.ndjson skip/below
touch skip/b.csv.gz skip/C.PARQUET skip/README.md skip/LICENSE skip/script.py skip/.hidden.csv skip/odd.foo
ln -s nowhere skip/gone.csv
run audit skip --fail-on medium; want 'files that were skipped' 3 'not checked: 6 entries'
run audit skip --fail-on high; want 'skipped files are not high' 0 'skip/b.csv.gz (medium): compressed'
run audit skip --output json
holds 'skipped files, json' json '[(s["path"],s["severity"]) for s in d["skipped"]]==[("skip/.hidden.csv","low"),("skip/C.PARQUET","medium"),("skip/b.csv.gz","medium"),("skip/below","medium"),("skip/gone.csv","medium"),("skip/odd.foo","low")]'
rm skip/a.ndjson
run audit skip; want 'nothing but skipped files' 1 '' 'skipped: '
rm -r skip

# What cannot be read any more, or is gone, is not repaired.
i=0
while [ $i -lt 200 ]; do
	[ $((i % 20)) -eq 0 ] && echo "{\"_id\":$i,\"name\":\"N/A\"}" || echo "{\"_id\":$i,\"name\":\"n$i\"}"
	i=$((i + 1))
done >hist.ndjson
run audit hist.ndjson --output json; holds 'before: a finding' json 'len(d["findings"])>=1'
cp ../out hist.report
sed 's/.*N\/A.*/{"_id": /' hist.ndjson >h2 && mv h2 hist.ndjson
run audit hist.ndjson --output json
holds 'unreadable is not resolved' json 'd["resolved_findings"]==[] and len(d["not_checked"])>=1'
: >hist.ndjson
run audit hist.ndjson --output json
holds 'empty is not resolved' json 'd["resolved_findings"]==[]'
run verify hist.report; want 'verify: empty is not resolved' 1 'the collection has no documents any more'

# --- headers and encodings

printf ',name,name\n0,a,b\n1,c,d\n' >frame.csv
run audit frame.csv --output json
want 'a header of a data frame' 0
holds 'renamed columns are counted' json 'd["source"]["renamed_columns"]==2'
run audit frame.csv; want 'renamed columns are told' 0 '2 columns named by their number'
run query frame.csv '{"column_1":1}'; want 'a column without a name can be asked for' 0 '"name_3":"d"'
printf '\037\213\010,x\n1,2\n' >packed.csv
run audit packed.csv; want 'a compressed CSV' 1 '' 'gunzip'
printf 'n\000a\000,\000b\000\n\0001\000,\0002\000\n\000' >wide.csv
run audit wide.csv; want 'UTF-16 without a mark' 1 '' 'UTF-16'
printf 'a,b\r1,2\r' >mac.csv
run audit mac.csv; want 'carriage returns alone' 1 '' "tr '"
run audit latin.csv; want 'Latin-1: what to do' 1 '' 'iconv -f'

# --- settings as they are written

run audit good.ndjson --set audit.seed=7 --output json; want '--set with its group' 0
holds '--set with its group is taken' json 'd["seed"]==7'
run audit good.ndjson --set rules.seed=7; want '--set with another group' 2 '' 'unknown setting "rules.seed"'
run audit good.ndjson --config=; want '--config of nothing' 2 '' '--config: want a file'
echo 'audit: 3' >bad.yaml
run audit good.ndjson --config bad.yaml; want 'a group is no setting' 2 '' 'group of settings'
run query good.ndjson '{"$expr":{"$range":[0,5]}}'; holds 'no far-fetched advice' sh -c '! grep -q "did you mean" ../err'

# --- reports as they get edited

i=0
while [ $i -lt 50 ]; do
	echo "{\"_id\":$i,\"n\":\"N/A\",\"k\":$((i * 7))}"
	i=$((i + 1))
done >na.ndjson
"$ARGUS" audit na.ndjson --output json --out na.report --quiet
edit() { python3 -c "import json; d=json.load(open('na.report')); f=d['findings']; $1; json.dump(d, open('edited.report','w'))"; }
edit 'f[0]["affected_count"]="many"'
run verify edited.report; want 'verify: no count' 1 'no positive "affected_count"'
edit 'del f[0]["evidence_query"]'
run verify edited.report; want 'verify: no evidence' 1 'no evidence query'
edit 'd.clear(); d["reports"]=[]'
run verify edited.report; want 'verify: reports without a report' 1 '' 'holds no report'
edit 'd["source"]["uri"]="latin.csv"'
run verify edited.report --output json; want 'verify: unreadable is not resolved' 1 '; 1 of it could not be read'

# --- names that need quoting

i=0
while [ $i -lt 50 ]; do
	echo "{\"_id\":$i,\"name \":\"v$i\",\"in\":{\"k \":$i}}"
	i=$((i + 1))
done >names.ndjson
run audit names.ndjson --details; want 'a quoted name shows its values' 0 '"v0"'
holds 'a quoted name below another' sh -c '! grep -q "(missing)" ../out'

exit $bad
