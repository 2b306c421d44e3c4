#!/bin/sh
# Where data comes from and where reports go when it is no plain file: standard input, pipes, devices, links, a full
# disk; and what happens when time or memory ends while a file is read.
# shellcheck disable=SC2016,SC2317,SC3045 # expanded by the shell of into(); json() is called by name; dash and bash have ulimit -v
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. ARGUS is the program.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
mkdir w && cd w || exit 1
printf '{"a":1}\n{"a":2}\n{"a":3}\n' >good.ndjson
headline='no problems found'

# into SHELL-COMMAND: runs it; output and errors as `run` keeps them
into() {
	sh -c "$1" >"$dir/out" 2>"$dir/err" </dev/null
	code=$?
}
export ARGUS

# --- --out

before=$(ls -l /dev/stdout /dev/stderr /dev/null)
into '"$ARGUS" audit -q good.ndjson --out /dev/stdout | cat'; want '--out /dev/stdout, a pipe' 0 "$headline"
into '(echo first; "$ARGUS" audit -q good.ndjson --out /dev/stdout; echo last) >file; cat file'
want '--out /dev/stdout, a file' 0 "$headline"
holds 'what was in the file stays' sh -c 'head -1 ../out | grep -qx first && tail -1 ../out | grep -qx last'
into '"$ARGUS" audit -q good.ndjson --out /proc/self/fd/1 | cat'; want '--out /proc/self/fd/1' 0 "$headline"
into '"$ARGUS" audit -q good.ndjson --out /dev/fd/9 9>nine; cat nine'; want '--out of another descriptor' 0 "$headline"
into '"$ARGUS" audit -q good.ndjson --out /dev/fd/9 9<good.ndjson'; want '--out of a descriptor to read' 2 '' 'not open for writing'
into '"$ARGUS" audit -q good.ndjson --out /dev/fd/77'; want '--out of a closed descriptor' 2 '' 'not open for writing'
into '"$ARGUS" audit -q good.ndjson --out - | cat'; want '--out -' 0 "$headline"
run audit -q good.ndjson --out - --output json; holds '--out - as JSON' json 'd["source"]["documents"]==3'
mkfifo pipe
into 'cat pipe & "$ARGUS" audit -q good.ndjson --out pipe; wait'; want '--out of a named pipe' 0 "$headline"
holds 'the pipe is still a pipe' test -p pipe
run audit -q good.ndjson --out /dev/null; want '--out /dev/null' 0
if [ -c /dev/full ]; then
	run audit -q good.ndjson --out /dev/full; want '--out on a full device' 1 '' 'No space left'
else
	echo 'skip - --out on a full device: there is no /dev/full'
fi
ln -s later link; run audit -q good.ndjson --out link; want '--out of a link to a new file' 0
holds 'the link stays and its file is there' sh -c 'test -L link && grep -q problems later'
ln -s loop1 loop2; ln -s loop2 loop1
run audit -q good.ndjson --out loop1; want '--out of links in a circle' 2 '' 'loop1'
holds 'the devices are as they were' test "$before" = "$(ls -l /dev/stdout /dev/stderr /dev/null)"
holds 'no temporary file is left' sh -c '! ls -A | grep -q "^\.argus-"'

# --- standard input

into 'cat good.ndjson | "$ARGUS" audit -q - --output json'; want 'audit -' 0
holds 'audit -: what was read' json 'd["source"]["documents"]==3 and d["source"]["uri"]=="-" and d["collection"]=="stdin"'
into '"$ARGUS" audit -q - <good.ndjson'; want 'audit - of a file' 0 "$headline"
into 'printf "a,b\n1,x\n2,y\n" | "$ARGUS" audit -q - --output json'; holds 'CSV is recognised' json 'd["source"]["format"]=="csv" and d["source"]["documents"]==2'
into 'printf "a;b\n1;x\n" | "$ARGUS" inspect - --output json'; want 'inspect -' 0 '"collection_size": 1'
into 'printf "[{\"a\":1},{\"a\":2}]" | "$ARGUS" query - "{\"a\":2}"'; want 'query -' 0 '{"a":2}'
into 'printf "hello\nworld, you\n" | "$ARGUS" audit -q -'; want 'text that is no data' 1 '' 'standard input looks like text'
into ': | "$ARGUS" audit -q - --fail-on low'; want 'nothing comes' 3 'not checked'
run audit - -; want '- twice' 2 '' 'can be read once'
into 'printf "{\"a\":1}\nbroken\n" | "$ARGUS" audit -q - --strict'; want 'places are named' 1 '' 'standard input, line 2'
into 'cat good.ndjson | TMPDIR=$PWD/nowhere "$ARGUS" audit -q -'; want 'no place to keep it' 1 '' 'TMPDIR'
into '(sleep 5) | "$ARGUS" audit -q - --deadline 0.2'; want 'a deadline while nothing comes' 1 '' 'reading standard input'
into 'cat good.ndjson | AG_FAULT=input.spool:2 "$ARGUS" audit -q -'; want 'a disk that is full' 1 '' 'cannot keep standard input'

# --- time and memory that end while a file is read: one line of 40 MB

python3 - <<'END'
doc = '{"id":%d,"name":"a name of some length","tags":[1,2]},'
with open("one.json", "w") as f:
    f.write("[" + "".join(doc % i for i in range(700000))[:-1] + "]")
END
run audit -q one.json --max-seconds 0.001; want '--max-seconds while reading' 1 '' 'nothing was checked'
run audit -q one.json --deadline 0.001; want '--deadline while reading' 1 '' 'time limit'
"$ARGUS" audit -q one.json >../out 2>../err &
pid=$!
i=0 # a shell's child ignores the signal until the program listens for it
while i=$((i + 1)); [ $i -lt 500 ]; do
	caught=$(awk '/^SigCgt/ { print substr($2, 16) }' /proc/$pid/status)
	case $caught in [2367abef]) break ;; esac
	sleep 0.01
done
sleep 0.05; kill -INT $pid; wait $pid
code=$?; want 'Ctrl-C while reading' 130
if grep -q __asan_init "$ARGUS"; then
	echo 'skip - memory that ends: a sanitizer maps terabytes'
else
	for kb in 24000 50000 90000 130000 200000 400000 4000000; do
		(ulimit -v $kb; exec "$ARGUS" audit -q one.json --store memory:) >../out 2>../err </dev/null
		code=$?
		if [ $code -eq 0 ]; then
			ok "audit in $kb KB"
		else
			want "audit in $kb KB" 1 '' 'memory'
		fi
	done
	holds 'with enough memory it works' test $code -eq 0
	(ulimit -v 24000; exec "$ARGUS" audit -q one.json --store memory:) >../out 2>../err </dev/null
	code=$?; want 'the need is reported before the data is read' 1 '' 'needs about'
	# A small file has no estimate: the error says what was not enough.
	head -c 5000000 one.json >small.json
	(ulimit -v 32000; exec "$ARGUS" audit -q small.json --store memory:) >../out 2>../err </dev/null
	code=$?; want 'a small file: how much was not enough' 1 '' 'this needs more than'
fi
exit $bad
