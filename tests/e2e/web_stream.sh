#!/bin/sh
# Pages with the AI SDK, in three versions, against `argus serve --demo`: scenarios.mjs.
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case.
#
# The packages are fetched once into .cache/ (npm ci, by the lock file); what cannot be had is skipped with the reason.
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
case $ARGUS in /*) ;; *) ARGUS=$(pwd)/$ARGUS ;; esac
root=$(cd "$(dirname -- "$0")/../.." && pwd)
bad=0

dir=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf -- "$dir"' EXIT

skip_all() {
	echo "skip - web_stream: $1"
	exit 0
}
# shellcheck source=tests/e2e/lib_npm.sh
. "$root/tests/e2e/lib_npm.sh"
npm_packages web_stream 22 0
cp "$root/tests/web_stream/"*.mjs "$home/" || exit 1

# More statements a minute than the scenarios make: the limit has tests of its own.
(cd "$dir" && HOME=$dir XDG_STATE_HOME=$dir/state MAX_QUERIES_PER_MINUTE=100000 \
	exec "$ARGUS" serve --demo --questions 0 --port 0 >"$dir/out" 2>"$dir/err" </dev/null) &
server=$!
tries=0
until grep -q '^listening on ' "$dir/err" 2>/dev/null; do
	tries=$((tries + 1))
	if [ "$tries" -gt 600 ] || ! kill -0 "$server" 2>/dev/null; then
		echo "not ok - the server listens"
		sed 's/^/  err: /' "$dir/err"
		exit 1
	fi
	sleep 0.05
done

"$node" "$home/scenarios.mjs" "$(sed -n 's/^listening on //p' "$dir/err")" "$server" || bad=1

kill -TERM "$server"
wait "$server"
code=$?
server=
if [ "$code" -eq 0 ] && ! grep -qi 'panic\|assert\|sanitizer' "$dir/err"; then
	echo "ok - the server ends with 0"
else
	echo "not ok - the server ends with 0"
	echo "  exit code $code"
	sed 's/^/  err: /' "$dir/err" | tail -n 20
	bad=1
fi
exit $bad
