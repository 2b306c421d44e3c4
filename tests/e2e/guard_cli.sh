#!/bin/sh
# `argus guard` as a user and a program that drives it meet it: exit codes, standard input, requests a line, Ctrl-C.
# shellcheck disable=SC2016,SC2317 # dollars belong to PostgreSQL; json() is called by name
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
export ARGUS

# fed NAME ARG...: the program, with the file NAME as its standard input.
fed() {
	from=$1
	shift
	"$ARGUS" "$@" >out 2>err <"$from"
	code=$?
}
# each EXPRESSION: of Python, about the list of verdicts d.
each() { python3 -c "import json,sys; d=[json.loads(l) for l in open('out')]; sys.exit(0 if ($1) else 1)"; }

run guard 'SELECT id FROM users'; want 'an allowed statement' 0 '"allow"'
holds 'it tells tables and what would be sent' json 'd["tables"] == ["users"] and d["sql_executed"].endswith("LIMIT 501")'
run guard 'DROP TABLE users'; want 'a refused statement' 1 '"forbidden_statement"'
run guard --max-rows 7 'SELECT id FROM users'; want 'a cap of rows' 0 'LIMIT 8'
run guard --allowed-tables users,orders 'SELECT * FROM payments'; want 'a table that is not on the list' 1 'payments'
run guard --allowed-tables users --excluded-tables users 'SELECT * FROM users'; want 'an excluded table' 1 '"deny"'
run guard --schema shop 'SELECT * FROM public.users'; want 'another schema' 1 '"deny"'
run guard ''; want 'an empty argument' 2 '' 'is empty'
run guard ' '; want 'a blank statement' 1 '"deny"'
run guard "SELECT 'abc"; want 'an unclosed text' 1 '"deny"'
run guard; want 'no statement' 2 '' 'want a statement'
run guard 'SELECT 1' 'SELECT 2'; want 'two arguments' 2
run guard --ndjson 'SELECT 1'; want 'a statement beside --ndjson' 2 '' '--ndjson reads standard input'
run guard --max-rows 0 'SELECT 1'; want 'no rows' 2 '' '--max-rows'
run guard --max-rows many 'SELECT 1'; want 'a cap that is no number' 2 '' '--max-rows'
run guard --shema x 'SELECT 1'; want 'an unknown option' 2 '' 'did you mean "--schema"?'
run guard --help; want 'help' 0 '--ndjson'

printf 'SELECT id\nFROM users -- all\n' >statement
fed statement guard -; want 'a statement of standard input' 0 '"allow"'
printf 'SELECT 1; DELETE FROM users' >statement
fed statement guard -; want 'two statements of standard input' 1 'ultiple'
printf 'SELECT 1\0' >statement
fed statement guard -; want 'a NUL' 1 '"deny"'
head -c 33554433 /dev/zero | tr '\0' ' ' >statement
fed statement guard -; want 'a statement of 32 MiB and one byte' 1 '' 'is larger than'
holds 'is no verdict' [ ! -s out ]

cat >lines <<'END'
{"sql":"SELECT 1"}

{"sql":"SELECT * FROM t","config":{"excluded_tables":["t"]}}
{"sql":
not JSON at all
{"sql":7}
{"sql":"SELECT 1","config":{"max_rows":0}}
{"sql":"SELECT 1","config":{"nosuch":1}}
{"sql":"SELECT 1","sql":"DROP TABLE t"}
["SELECT 1"]
{"sql":"SELECT a FROM t","config":{"max_limit":3}}
END
printf '{"sql":"SELECT 2"}' >>lines # without an end of line
fed lines guard --ndjson; want 'requests, a line each' 0
holds 'every line but the blank one has a verdict' each 'len(d) == 11'
holds 'in their order' each '[x["verdict"] for x in d] == ["allow"] + 8 * ["deny"] + 2 * ["allow"]'
holds 'those that are no requests say so' each '[x["rule"] for x in d[2:9]] == 7 * ["bad_request"]'
holds 'and name their line' each 'all(("line %d:" % (i + 2)) in d[i]["message"] for i in range(2, 9))'
holds 'the cap of a request is its own' each 'd[9]["sql_executed"].endswith("LIMIT 4")'

printf '\377\376\n{"sql":"SELECT \303"}\n{"sql":"SELECT 1"}\n' >lines
fed lines guard --ndjson; want 'bytes that are no UTF-8' 0
holds 'are refused, the next is not' each '[x["verdict"] for x in d] == ["deny", "deny", "allow"]'

python3 - >lines <<'END'
print('{"sql":"SELECT 1"}')
print('{"sql":"' + "x" * (33 << 20) + '"}')
for i in range(6): print("y" * (64 << 20), end="")
print()
print("[" * 1000000)
print('{"sql":"SELECT 1"}')
END
# A sanitizer maps terabytes for its shadow: there only the verdicts are looked at.
memory=600000
grep -q __asan_init "$ARGUS" && memory=unlimited
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -v $memory && exec "$ARGUS" guard --ndjson <lines >out 2>err)
code=$?
want 'lines of 33 MiB, 384 MiB and a million brackets' 0
holds 'are refused in little memory, and the last is answered' each \
	'[x["verdict"] for x in d] == ["allow", "deny", "deny", "deny", "allow"]'
rm -f lines

: >lines
fed lines guard --ndjson; want 'nothing at all' 0
holds 'is answered by nothing' [ ! -s out ]
yes '{"sql":"SELECT 1"}' | head -20000 >lines
"$ARGUS" guard --ndjson <lines 2>err | head -1 >out
holds 'a reader that leaves is no error' [ ! -s err ]

# Verdicts come line by line, and Ctrl-C ends it while it waits for a line.
python3 - >out 2>err <<'END'
import os, signal, subprocess, time
for name, number in (("Ctrl-C", signal.SIGINT), ("SIGTERM", signal.SIGTERM)):
    p = subprocess.Popen([os.environ["ARGUS"], "guard", "--ndjson"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    p.stdin.write(b'{"sql":"SELECT 1"}\n')
    p.stdin.flush()
    assert b'"allow"' in p.stdout.readline(), name
    p.stdin.write(b'{"sql":"SEL') # and half a line
    p.stdin.flush()
    time.sleep(0.2)
    p.send_signal(number)
    assert p.wait(5) == 130, (name, p.returncode)
    assert p.stdout.read() == b"", name
END
holds 'a verdict at once, and Ctrl-C between two lines' [ $? -eq 0 ]
exit $bad
