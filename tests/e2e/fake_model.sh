#!/bin/sh
# The scripted model server of the tests (tests/fake/) against its README: other tests believe what it does.
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. FAKE_MODEL is the program.
set -u
unset CDPATH
: "${FAKE_MODEL:?path of the program}"
here=$(dirname -- "$0")

dir=$(mktemp -d) || exit 1
trap 'stop_model; rm -rf -- "$dir"' EXIT
# shellcheck source=tests/e2e/lib_model.sh
. "$here/lib_model.sh"
bad=0

python3 "$here/fake_model_check.py" "$FAKE_MODEL" "$dir" || bad=1

# --- the helpers for tests in shell

ask() {
	python3 -c 'import sys, urllib.request as u
r = u.Request(sys.argv[1] + "/v1/chat/completions", sys.argv[2].encode(), {"Content-Type": "application/json"})
print(u.urlopen(r, timeout=20).read().decode())' "$MODEL_URL" \
		'{"model":"m","messages":[{"role":"user","content":"hi"}]}' >"$dir/out" 2>&1
}

if start_model - <<'END' && ask && grep -qF '"content":"out of a here-document"' "$dir/out"; then
answer
  text out of a here-document
END
	echo "ok - a script from standard input"
else
	echo "not ok - a script from standard input"
	bad=1
fi
if [ "$(model_count '"status":200')" -eq 1 ]; then
	echo "ok - the log is counted"
else
	echo "not ok - the log is counted"
	bad=1
fi
if stop_model && [ -z "$MODEL_PID" ] && stop_model; then
	echo "ok - it stops once"
else
	echo "not ok - it stops once"
	bad=1
fi
if echo nonsense | start_model - >"$dir/said"; then
	echo "not ok - a broken script is told"
	bad=1
elif grep -qF 'model.script:1: unknown word "nonsense"' "$dir/said"; then
	echo "ok - a broken script is told"
else
	echo "not ok - a broken script is told"
	sed 's/^/  /' "$dir/said"
	bad=1
fi
exit $bad
