#!/bin/sh
# One failing call after the other: for every point of AG_FAULT, n = 1, 2, 3, ... until the program no longer
# gets that far; each n once ("point:n") and for good ("point:n+"). After each run: the right exit code, one
# clear error, no half-written file, and a store that opens, has lost nothing and shows what is in it.
#
# usage: torture.sh [--all] [POINT...]     ARGUS = path of the program
#   without --all (or ARGUS_LONG) n goes up to 2 only
# Prints one `ok - name` or `not ok - name` line per scenario and point.
# shellcheck disable=SC2317 # scenarios are called by name
set -u
unset CDPATH NO_COLOR AG_FAULT
ARGUS=${ARGUS:?path of the program}
case $ARGUS in /*) ;; *) ARGUS=$(pwd)/$ARGUS ;; esac
here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1
# AddressSanitizer's own exit code is 1, which is what a clean failure has.
case ${ASAN_OPTIONS-} in *exitcode=*) ;; *) export ASAN_OPTIONS="${ASAN_OPTIONS+$ASAN_OPTIONS:}exitcode=99" ;; esac

most=2
[ -z "${ARGUS_LONG-}" ] || most=100000
if [ "${1-}" = --all ]; then
	most=100000
	shift
fi

# In memory where possible: what fails is injected, and each run syncs its store many times.
dir=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit 1
trap 'rm -rf -- "$dir"' EXIT
trap 'exit 1' INT TERM
export HOME="$dir" XDG_STATE_HOME="$dir/state" LC_ALL=C.UTF-8
cd "$dir" || exit 1
bad=0

# --- what is audited

mkdir data out
i=0
while [ $i -lt 60 ]; do
	mail="\"user$i@example.org\""
	total=$i
	[ $((i % 10)) -eq 3 ] && mail=null
	[ $((i % 7)) -eq 2 ] && total="\"$i\""
	echo "{\"_id\":$i,\"email\":$mail,\"total\":$total,\"state\":\"open\"}"
	i=$((i + 1))
done >data/orders.ndjson
printf 'id,name\n1,Ann\n2,Bob\n2,Cy\n' >data/people.csv
printf '[{"_id":1,"n":1},{"_id":2,"n":2}]\n' >data/list.json
echo 'threads: 3' >argus.yaml

# run FAULT ARG...: the program with that fault; out, err, code and the counts that it tells.
run() {
	fault=$1
	shift
	AG_FAULT=$fault timeout -k 2 20 "$ARGUS" "$@" >out.txt 2>err.txt <"${stdin-/dev/null}"
	code=$?
	told=$(sed -n 's/^fault: [a-z.]*: \([0-9]*\) calls, \([0-9]*\) failed$/\1 \2/p' err.txt)
	ncall=${told% *}
	nfailed=${told#* }
}

# --- scenarios: prepare_NAME makes the folder as it is before, do_NAME FAULT runs the program

prepare_first() {
	rm -rf out store
	mkdir out store
	echo old >out/report.json
}
do_first() {
	run "$1" audit data --output json --out out/report.json --quiet --store store/x.db
}

prepare_again() {
	rm -rf out store
	mkdir out
	cp -r store.one store
}
do_again() { run "$1" audit data/orders.ndjson data/list.json --quiet --store store/x.db; }

prepare_out() {
	prepare_again
}
do_out() { run "$1" audit data/orders.ndjson --out out/report.json --quiet --store store/x.db; }

# What comes through a pipe is kept in a file of its own.
prepare_stdin() {
	prepare_again
	rm -f pipe
	mkfifo pipe
}
do_stdin() {
	cat data/orders.ndjson >pipe 2>/dev/null &
	stdin=pipe
	run "$1" audit - --quiet --store store/x.db
	unset stdin
	wait
}

prepare_verify() { prepare_again; }
do_verify() { run "$1" verify last --store store/x.db; }

prepare_verify_file() { prepare_again; }
do_verify_file() { run "$1" verify report.json --quiet; }

prepare_show() { prepare_again; }
do_show() { run "$1" show last --trace --store store/x.db; }

# A run whose last commit failed: its report is made from its log.
prepare_show_killed() {
	rm -rf out store
	mkdir out
	cp -r store.killed store
}
do_show_killed() { do_show "$1"; }

prepare_purge() { prepare_again; }
do_purge() { run "$1" purge --quiet --older-than 0 --store store/x.db; }

prepare_inspect() { prepare_again; }
do_inspect() { run "$1" inspect data; }

# A person's word: event, row and report, or nothing.
prepare_rate() { prepare_again; }
do_rate() { run "$1" rate "$orders" email fp --store store/x.db; }

prepare_history() { prepare_again; }
do_history() { run "$1" history data/orders.ndjson --store store/x.db; }

prepare_diff() {
	rm -rf out store
	mkdir out
	cp -r store.two store
}
do_diff() { run "$1" diff --store store/x.db; }

scenarios='first again out stdin verify verify_file show show_killed purge inspect rate history diff'

# --- what must hold

# complain TEXT: once per case.
complain() {
	why=${why:-$1}
}

# check_code SCENARIO POINT: a thread that cannot be started only makes it slower. A run that cannot be listed before its
# data is read is listed afterwards, with a warning. A lease that cannot be given back ends by itself. In both cases
# nothing may be missing (check_store).
check_code() {
	if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
		complain "no end within 20 s"
	elif [ "$nfailed" = '' ]; then
		complain "exit code $code, and no word about the fault"
	elif [ "$nfailed" -eq 0 ]; then
		[ "$code" -eq 0 ] || complain "exit code $code without a fault"
	else
		case $1:$2:$code in
		*:thread.start:0) ;;
		first:store.[lbwcr]*:0 | again:store.[lbwcr]*:0 | out:store.[lbwcr]*:0 | stdin:store.[lbwcr]*:0) ;;
		rate:store.[lbwc]*:0) ;;
		*:thread.start:*) complain "exit code $code, want 0" ;;
		*:*:1) ;;
		*) complain "exit code $code, want 1" ;;
		esac
	fi
}

# One error, with at most a hint (indented) below it. With "n+", each collection may have its own.
check_errors() {
	nerror=$(grep '^argus: ' err.txt | grep -vc '^argus: warning: .*; this run is listed only after its data is read$')
	if grep -qvE '^(argus: .|       [^ ]|fault: )' err.txt; then
		complain 'something else on standard error'
	elif [ "$code" -eq 0 ]; then
		[ "$nerror" -eq 0 ] || complain 'an error, and exit code 0'
	elif [ "$nerror" -eq 0 ]; then
		complain 'no error'
	elif [ "$nerror" -gt 1 ] && [ "$1" = once ]; then
		complain "$nerror errors"
	elif [ "$nerror" -gt 3 ]; then
		complain "$nerror errors of at most 3 collections"
	fi
}

check_out() {
	if [ -n "$(find out -mindepth 1 ! -name report.json)" ]; then
		complain 'a temporary file is left'
		return
	fi
	case $1 in
	file.*)
		[ "$nfailed" = 0 ] || [ ! -e out/report.json ] || [ "$(cat out/report.json)" = old ] ||
			complain 'the file of --out was written'
		;;
	esac
}

# check_store SCENARIO POINT
check_store() {
	silent=$nfailed
	! grep -q '^argus: warning: ' err.txt || silent=0
	python3 "$here/torture_check.py" store/x.db "$1" out/report.json "$code" "$2" "$silent" >why.txt 2>&1 ||
		complain "$(tail -n 1 why.txt)"
	"$ARGUS" runs --store store/x.db >out2.txt 2>err2.txt || complain "argus runs: $(head -1 err2.txt)"
	case $1:$2 in
	show_killed:* | *:store.begin | *:store.write | *:store.commit) ;;
	*) ! grep -q ' running ' out2.txt || complain 'a run has no end, though the store could be written' ;;
	esac
	if "$ARGUS" show last --trace --store store/x.db >out2.txt 2>err2.txt; then
		if [ ! -s out2.txt ] || [ -s err2.txt ]; then
			complain 'argus show last: says nothing'
		fi
	elif [ "$1" = first ] && grep -q 'has no events: nothing was checked' err2.txt; then
		: # none of its runs could read its data
	elif ! grep -q 'the store has no run yet' err2.txt; then
		complain "argus show last: $(head -1 err2.txt)"
	fi
}

# attempt SCENARIO POINT N once|on
attempt() {
	why=
	"prepare_$1"
	suffix=
	[ "$4" = once ] || suffix=+
	"do_$1" "$2:$3$suffix"
	check_code "$1" "$2"
	check_errors "$4"
	if [ "${nfailed:-1}" != 0 ]; then
		check_out "$2"
		check_store "$1" "$2"
	fi
	[ -z "$why" ] && return
	echo "not ok - $1: AG_FAULT=$2:$3$suffix: $why"
	sed 's/^/  err: /' err.txt | head -n 30
	failures=$((failures + 1))
	bad=1
}

# count SCENARIO POINT: upwards until the program does not get that far.
count() {
	failures=0
	n=1
	while [ $n -le $most ] && [ $failures -lt 5 ]; do
		attempt "$1" "$2" $n once
		[ "${nfailed:-1}" = 0 ] && break
		attempt "$1" "$2" $n on
		reached="$reached $2 "
		n=$((n + 1))
	done
	[ $failures -gt 0 ] || [ $n -eq 1 ] || echo "ok - $1: $2 fails, calls 1 to $((n - 1))"
}

# --- the fault itself

AG_FAULT=list "$ARGUS" >points.txt 2>err.txt
if ! [ -s points.txt ] || grep -qvE '^[a-z]+\.[a-z]+ +[a-z]' points.txt; then
	echo 'not ok - AG_FAULT=list'
	exit 1
fi
echo 'ok - AG_FAULT=list'
for text in store.comit:3 store.commit store.commit:0 store.commit:3x store.commit:; do
	run "$text" audit data --store memory:
	if [ $code -eq 2 ] && grep -q '^argus: AG_FAULT: ' err.txt && [ ! -s out.txt ]; then
		echo "ok - AG_FAULT=$text is refused"
	else
		echo "not ok - AG_FAULT=$text is refused"
		bad=1
	fi
done

# --- all of it

mkdir store
run store.commit:100000 audit data --output json --quiet --store store/x.db
cp -r store store.one
mv out.txt report.json
orders=$(python3 -c 'import json; print([r["id"] for r in json.load(open("report.json"))["reports"]
	if r["collection"] == "orders"][0])')
run store.commit:100000 audit data/orders.ndjson --quiet --store store/x.db
cp -r store store.two
rm -rf store
mkdir store
run store.commit:100000 audit data/orders.ndjson --quiet --store store/x.db
rm -rf store
mkdir store
# The last commit gives the lease back.
run "store.commit:$((ncall - 1))" audit data/orders.ndjson --quiet --store store/x.db
cp -r store store.killed
if [ "$code" -eq 1 ] && [ "$nfailed" = 1 ]; then
	echo 'ok - a run that cannot be finished'
else
	echo 'not ok - a run that cannot be finished'
	bad=1
fi

# No scenario here talks to a server or is one: the net.* points are failed one by one in tests/unit/test_net_http.c, and
# store.sync in tests/unit/test_project_journal.c.
# shellcheck disable=SC2046 # one point per word
[ $# -gt 0 ] || set -- $(cut -d ' ' -f 1 points.txt | grep -v -e '^net\.' -e '^store\.sync$')
reached=
for scenario in $scenarios; do
	for point; do
		count "$scenario" "$point"
	done
done
for point; do
	case $reached in
	*" $point "*) ;;
	*)
		echo "not ok - $point: no scenario gets there"
		bad=1
		;;
	esac
done
exit $bad
