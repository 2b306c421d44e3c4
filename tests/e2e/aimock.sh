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
home=$root/.cache/aimock
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

command -v npm >/dev/null 2>&1 || skip_all "npm is not installed"
command -v node >/dev/null 2>&1 || skip_all "node is not installed"

# --- the package, and a node that it takes (20.15 or newer)

new_enough() {
	"$1" -e 'const [a, b] = process.versions.node.split(".").map(Number)
process.exit(a > 20 || (a === 20 && b >= 15) ? 0 : 1)' 2>/dev/null
}

if new_enough node; then
	node=node
	omit=--omit=optional
else # the package brings one along
	node=$home/node_modules/node-linux-$(node -p process.arch)/bin/node
	omit=--include=optional
fi

fetch() {
	stamp=$(cat "$root/tests/aimock/package-lock.json" && echo "$omit")
	[ -f "$home/.stamp" ] && [ "$(cat "$home/.stamp")" = "$stamp" ] && return 0
	mkdir -p "$home" &&
		cp "$root/tests/aimock/package.json" "$root/tests/aimock/package-lock.json" \
			"$root/tests/aimock/.npmrc" "$home/" &&
		(cd "$home" && npm_config_update_notifier=false timeout 200 \
			npm ci --no-audit --no-fund --ignore-scripts --fetch-retries=1 "$omit") \
			>"$dir/npm.log" 2>&1 &&
		printf '%s\n' "$stamp" >"$home/.stamp"
}

if ! { mkdir -p "$root/.cache" && exec 9>"$root/.cache/aimock.lock" && flock 9 && fetch; }; then
	skip_all "npm cannot fetch it: $(grep -iv '^npm warn' "$dir/npm.log" 2>/dev/null | head -1)"
fi
exec 9>&-
new_enough "$node" || skip_all "it needs node 20.15 or newer"

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
