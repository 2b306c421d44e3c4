#!/bin/sh
# The contract of a model against a server that nobody here wrote: npm's @copilotkit/aimock, both protocols, streamed
# and whole (tests/contract/llm_foreign.c asks, tests/aimock/fixtures.json answers).
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. LLM_FOREIGN is the program.
#
# The package is fetched once into .cache/ (npm ci, by the lock file); what cannot be had is skipped with the reason.
set -u
unset CDPATH
: "${LLM_FOREIGN:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
bad=0

dir=$(mktemp -d) || exit 1
server=
stop() {
	[ -n "$server" ] || return 0
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
}
trap 'stop; rm -rf -- "$dir"' EXIT

skip_all() {
	echo "skip - aimock: $1"
	exit 0
}

# shellcheck source=tests/e2e/lib_npm.sh
. "$root/tests/e2e/lib_npm.sh"
npm_packages aimock 20 15

# --- one server for each way of asking: its answers count

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start() {
	port=$(free_port)
	"$node" "$home/node_modules/@copilotkit/aimock/dist/cli.js" --port "$port" --strict \
		--fixtures "$root/tests/aimock/fixtures.json" --validate-on-load --chunk-size 3 \
		--log-level warn >"$dir/server.log" 2>&1 </dev/null &
	server=$!
	tries=0
	until python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' \
		"$port" 2>/dev/null; do
		tries=$((tries + 1))
		if [ $tries -gt 200 ] || ! kill -0 "$server" 2>/dev/null; then
			sed 's/^/  /' "$dir/server.log" | head -5
			return 1
		fi
		sleep 0.1
	done
}

for provider in openai anthropic; do
	for way in streamed whole; do
		if ! start; then
			echo "not ok - $provider, $way: the server does not start"
			bad=1
			continue
		fi
		"$LLM_FOREIGN" scripted "$provider" "$way" "$port" >"$dir/out" 2>&1 || bad=1
		sed "s/^\(ok\|not ok\) [0-9]* - \(.*\)/\1 - $provider, $way: \2/; /^1\.\./d; /^# ok/d; /^# not ok/d; s/^# /  /" "$dir/out"
		grep -q '^\(ok\|not ok\) ' "$dir/out" || {
			echo "not ok - $provider, $way: no case was run"
			bad=1
		}
		stop
	done
done
exit $bad
