#!/bin/sh
# tools/check-source and tools/check-deps fail when a rule of the source is broken.
# Prints one `ok - name` or `not ok - name` line per case.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
mkdir -p w/tools w/src/audit w/src/guard w/src/base && cd w || exit 1
cp "$source_root/tools/check-source" "$source_root/tools/check-deps" "$source_root/tools/deps.txt" tools/ || exit 1

# A file of a room that may not make what backends take.
file() {
	{
		echo '/* sample -- a sample of a broken rule. */'
		echo '#include "guard/sql.h"'
		cat
	} >src/audit/sample.c
}

# refused NAME: the rule about safe queries names the sample.
refused() {
	tools/check-source >"$dir/out" 2>"$dir/err"
	if grep -q '^not ok - safe queries' "$dir/out" && grep -q 'src/audit/sample.c:[0-9]*: only src/guard makes' "$dir/out"; then
		ok "$1 is refused"
	else
		not_ok "$1 is not refused"
	fi
}

file <<-'C'
	static ag_safe_sql sample(ag_str text) { return (ag_safe_sql){ text, 1 }; }
C
refused 'a compound literal'
file <<-'C'
	static void sample(ag_str text) { const ag_safe_sql safe = { text, 1 }; run(&safe); }
C
refused 'an initializer'
file <<-'C'
	static void sample(ag_str text) { ag_safe_sql safe = { 0 }; safe.sql = text; run(&safe); }
C
refused 'a member that is set'
file <<-'C'
	static void sample(ag_safe_query *safe, ag_val v) { safe->query = v; }
C
refused 'a member that is set through a pointer'
file <<-'C'
	static void sample(struct pair *p) { run((const ag_safe_sql *)p); }
C
refused 'a cast'
file <<-'C'
	static void sample(const void *from) { ag_safe_query q; memcpy(&q, from, 16); run(&q); }
C
refused 'a copy of bytes'

file <<-'C'
	static ag_status sample(const ag_sql_verdict *v, ag_err *err)
	{
		ag_safe_sql safe = { 0 };
		ag_status st = ag_sql_safe(v, &safe, err);

		return st ? st : run(&safe);
	}
C
tools/check-source >"$dir/out" 2>"$dir/err"
holds 'one that the guard made is passed on' grep -q '^ok - safe queries' "$dir/out"

file <<-'C'
	static int sample(int a, int b, int c, int d, int e, int f, int g,
	                  int (*h)(int x, int y))
	{
		return a + b + c + d + e + f + g + h(g, g);
	}
C
tools/check-source >"$dir/out" 2>"$dir/err"
holds 'eight parameters are taken' grep -q '^ok - numbers of parameters' "$dir/out"
file <<-'C'
	static int sample(int a, int b, int c, int d, int e, int f, int g,
	                  int (*h)(int x, int y), int i)
	{
		return a + b + c + d + e + f + g + h(i, i);
	}
C
tools/check-source >"$dir/out" 2>"$dir/err"
holds 'nine parameters are refused' grep -q 'src/audit/sample.c:[0-9]*: sample has 9 parameters' "$dir/out"

# deps NAME TEXT: the ladder's check names it.
deps() {
	if tools/check-deps >"$dir/out" 2>"$dir/err"; then
		not_ok "$1 is not refused"
	elif grep -qF -e "$2" "$dir/out"; then
		ok "$1 is refused"
	else
		not_ok "$1: the check names something else"
	fi
}

rm src/audit/sample.c
echo '/* up -- looks up the ladder. */' >src/guard/sql.h
printf '%s\n' '/* up -- looks up the ladder. */' '#include "guard/sql.h"' >src/base/up.c
deps 'an include up the ladder' 'src/base/up.c'
printf '%s\n' '/* up -- a third-party header. */' '#include <sqlite3.h>' >src/base/up.c
deps 'a header of a library in the wrong room' 'sqlite3.h'

exit $bad
