#!/bin/sh
# The contract of a model against llama-server of Debian sid, with a tiny model of random weights: both protocols,
# streamed and whole, and an answer that a JSON schema constrains. Only in the long tier (./run test --long).
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. LLM_FOREIGN is the program.
#
# Sid lives in a folder of its own below .cache/, made once by debootstrap; nothing is mounted into it and nothing of the
# host is changed. Sid changes daily, so what goes wrong with it is skipped with the reason, never a failure.
# shellcheck disable=SC2317 # stop() is called by the trap
set -u
unset CDPATH
: "${LLM_FOREIGN:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
sid=$root/.cache/sid-llama
bad=0

dir=$(mktemp -d) || exit 1
model=/tmp/argus-$$.gguf
server=
stop() {
	[ -n "$server" ] || return 0
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
}
trap 'stop; rm -rf -- "$dir" "$sid$model"' EXIT

skip_all() {
	echo "skip - llama-server: $1"
	exit 0
}

[ "${ARGUS_LONG-}" = 1 ] || skip_all "in the long tier only (./run test --long)"
[ "$(id -u)" -eq 0 ] || skip_all "a folder with Debian sid is made by root only"
command -v debootstrap >/dev/null 2>&1 || skip_all "debootstrap is not installed"

last_words() { tail -1 "$1" | cut -c1-200; }

make_sid() {
	[ -f "$sid/.ready" ] && return 0
	rm -rf -- "$sid"
	mkdir -p "$sid" &&
		timeout 400 debootstrap --variant=minbase sid "$sid" >"$dir/sid.log" 2>&1 &&
		DEBIAN_FRONTEND=noninteractive timeout 400 chroot "$sid" \
			apt-get install -y --no-install-recommends llama.cpp-tools >"$dir/sid.log" 2>&1 &&
		: >"$sid/.ready"
}

if ! { mkdir -p "$root/.cache" && exec 9>"$root/.cache/sid-llama.lock" && flock 9 && make_sid; }; then
	skip_all "sid cannot be had: $(last_words "$dir/sid.log")"
fi
exec 9>&-
# shellcheck disable=SC2016 # a field of dpkg
version=$(chroot "$sid" dpkg-query -W -f='${Version}' llama.cpp-tools 2>/dev/null)

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
python3 "$root/tests/llama/make_gguf.py" "$sid$model" || exit 1
chroot "$sid" llama-server --model "$model" --host 127.0.0.1 --port "$port" --ctx-size 8192 --parallel 2 \
	--threads 2 --alias fake-model --seed 1 >"$dir/server.log" 2>&1 </dev/null &
server=$!
tries=0
until python3 -c 'import sys, urllib.request as u
u.urlopen("http://127.0.0.1:%s/health" % sys.argv[1], timeout=2)' "$port" 2>/dev/null; do
	tries=$((tries + 1))
	if [ $tries -gt 150 ] || ! kill -0 "$server" 2>/dev/null; then
		skip_all "version $version does not start: $(last_words "$dir/server.log")"
	fi
	sleep 0.2
done
echo "# llama.cpp-tools $version"

for provider in openai anthropic; do
	for way in streamed whole; do
		"$LLM_FOREIGN" random "$provider" "$way" "$port" >"$dir/out" 2>&1 || bad=1
		sed "s/^\(ok\|not ok\) [0-9]* - \(.*\)/\1 - $provider, $way: \2/; /^1\.\./d; /^# ok/d; /^# not ok/d; s/^# /  /" \
			"$dir/out"
		grep -q '^\(ok\|not ok\) ' "$dir/out" || {
			echo "not ok - $provider, $way: no case was run"
			bad=1
		}
	done
done
exit $bad
