#!/bin/sh
# The example shop, from its files or from the server at SHOP_URI (mongo_suites.sh): everything planted is found with its true
# count, nothing else is alarming, verify
# confirms the report, and the report depends neither on threads nor on the day.
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/../.." || exit 1
: "${ARGUS:?path of the program}"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT INT TERM
bad=0
shop=${SHOP_URI:-examples/shop}

# check NAME COMMAND...: the command's output is shown when it fails.
check() {
	name=$1
	shift
	if "$@" >"$tmp/out" 2>&1; then
		echo "ok - $name"
	else
		code=$?
		echo "not ok - $name (exit code $code)"
		sed 's/^/  /' "$tmp/out"
		bad=1
	fi
}

# audit FILE FLAG...: the shop's reports into FILE; the files end in June 2025.
# shellcheck disable=SC2317 # called through check
audit() {
	out=$1
	shift
	ARGUS_STORE="sqlite:$tmp/store.db" ARGUS_AS_OF=2025-07-01 \
		"$ARGUS" audit "$shop" --output json "$@" >"$out"
}

mkdir -p "$tmp/shop"
check 'generate.py runs' python3 examples/shop/generate.py "$tmp/shop"
for file in orders.ndjson customers.json products.csv truth/truth.json; do
	check "generate.py makes $file byte for byte" cmp "$tmp/shop/$file" "examples/shop/$file"
done

check 'audit of the shop' audit "$tmp/one.json" --threads 1
check 'once more' audit "$tmp/again.json" --threads 1
check 'with 2 threads' audit "$tmp/two.json" --threads 2
check 'with 8 threads' audit "$tmp/eight.json" --threads 8

python3 tests/e2e/shop_compare.py truth examples/shop/truth/truth.json "$tmp/one.json" || bad=1
for other in again two eight; do
	check "the same report: $other" python3 tests/e2e/shop_compare.py same "$tmp/one.json" \
		"$tmp/$other.json"
done

check 'verify confirms every finding' env ARGUS_STORE="sqlite:$tmp/store.db" \
	"$ARGUS" verify "$tmp/one.json"

# The report claims one document less than there are: verify says that it became worse.
# shellcheck disable=SC2317 # called through check
refuses_wrong_count() {
	python3 - "$tmp/one.json" "$tmp/wrong.json" <<-'END' || return 1
		import json, sys
		whole = json.load(open(sys.argv[1], encoding="utf-8"))
		whole["reports"][0]["findings"][0]["affected_count"] -= 1
		json.dump(whole, open(sys.argv[2], "w", encoding="utf-8"))
	END
	ARGUS_STORE="sqlite:$tmp/store.db" "$ARGUS" verify "$tmp/wrong.json"
	[ $? -eq 3 ]
}
check 'verify refuses a wrong count' refuses_wrong_count

# Figures of the report against the data.
check 'audit with all values' audit "$tmp/open.json" --show-values
python3 tests/e2e/shop_figures.py "$tmp/open.json" examples/shop ${SHOP_URI:+"$SHOP_URI"} || bad=1

check 'query gives the count of every finding' python3 tests/e2e/shop_commands.py "$shop" "$tmp"
check 'query gives the count of dates, ids and regexes' python3 tests/e2e/shop_commands.py "${SHOP_TYPED_URI:-typed}" "$tmp"

exit $bad
