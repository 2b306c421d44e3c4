#!/bin/sh
# The MCP server against the suites of the protocol's authors: npm's @modelcontextprotocol/conformance, the released one
# (all scenarios) and the next one (what 2025-11-25 and 2026-07-28 require, each on its own wire).
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per scenario. MCP_CONFORMANCE is the server of the
# fixtures that the suites call by name.
#
# The packages are fetched once into .cache/ (npm ci, by the lock file of tests/mcp); what cannot be had is skipped with
# the reason. They need node 22, which the packages bring along where the system's is older.
set -u
unset CDPATH
: "${MCP_CONFORMANCE:?path of the server}"
case $MCP_CONFORMANCE in /*) ;; *) MCP_CONFORMANCE=$(pwd)/$MCP_CONFORMANCE ;; esac
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
bad=0

dir=$(mktemp -d) || exit 1
server=
stop() {
	[ -n "$server" ] || return 0
	kill "$server" 2>/dev/null
	wait "$server"
	code=$?
	server=
	return $code
}
trap 'stop; rm -rf -- "$dir"' EXIT

skip_all() {
	echo "skip - mcp conformance: $1"
	exit 0
}

# shellcheck source=tests/e2e/lib_npm.sh
. "$root/tests/e2e/lib_npm.sh"
npm_packages mcp 22 0

# --- the server

export HOME="$dir" XDG_STATE_HOME="$dir/state" LC_ALL=C.UTF-8
cd "$dir" || exit 1
"$MCP_CONFORMANCE" --http >"$dir/out" 2>"$dir/err" </dev/null &
server=$!
tries=0
until url=$(sed -n "s|^listening on \(http:.*/mcp\)\$|\1|p" "$dir/err") && [ -n "$url" ]; do
	tries=$((tries + 1))
	if [ $tries -gt 100 ] || ! kill -0 "$server" 2>/dev/null; then
		echo "not ok - the server starts"
		sed 's/^/  err: /' "$dir/err" | head -5
		exit 1
	fi
	sleep 0.1
done

# --- the suites. The second column of a row is the least number of scenarios that must have been run.

# suite NAME LEAST PACKAGE ARG...
suite() {
	name=$1 least=$2 package=$3
	shift 3
	timeout 250 "$node" "$home/node_modules/$package/dist/index.js" server --url "$url" \
		-o "$dir/results" "$@" >"$dir/log" 2>&1
	code=$?
	sed -n '/=== SUMMARY ===/,$p' "$dir/log" >"$dir/summary"
	# Failures that are not scored are in the list of what is expected, which the suite compares.
	sed -n "s/^✓ \([a-z0-9-]*\): \(.*\)/ok - $name: \1 (\2)/p" "$dir/summary"
	n=$(grep -c '^✓ ' "$dir/summary")
	if [ "$code" -ne 0 ]; then
		echo "not ok - $name: exit $code"
		grep -v '^✓ ' "$dir/summary" | sed 's/^/  /' | head -30
		[ -s "$dir/summary" ] || tail -5 "$dir/log" | sed 's/^/  /'
		bad=1
	elif [ "$n" -lt "$least" ]; then
		echo "not ok - $name: $n scenarios, want $least"
		bad=1
	else
		echo "ok - $name: as expected"
	fi
}

suite active 30 conformance
suite all 32 conformance --suite all
suite 2025-11-25 33 conformance-next --requirements 2025-11-25
suite 2026-07-28 40 conformance-next --requirements 2026-07-28 \
	--expected-failures "$root/tests/mcp/expected-2026-07-28.yml"

# --- and it ends when it is told to

if stop; then
	echo "ok - the server ends cleanly"
else
	echo "not ok - the server ends with $code"
	sed 's/^/  err: /' "$dir/err" | head -20
	bad=1
fi
exit $bad
