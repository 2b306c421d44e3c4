#!/bin/sh
# Argus as a client: its agents use the tools of an MCP server that nobody here wrote, npm's
# @modelcontextprotocol/server-everything, as a child process and over HTTP.
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case.
#
# The package is fetched once into .cache/ (npm ci, by the lock file); what cannot be had is skipped with the reason.
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
bad=0

dir=$(mktemp -d) || exit 1
server=
stop_server() {
	[ -n "$server" ] || return 0
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
}
# shellcheck source=tests/e2e/lib_model.sh
. "$root/tests/e2e/lib_model.sh"
trap 'stop_model; stop_server; rm -rf -- "$dir"' EXIT

ok() { echo "ok - $1"; }
not_ok() {
	echo "not ok - $1"
	bad=1
	sed 's/^/  /' "$dir/err" 2>/dev/null | head -20
}
skip_all() {
	echo "skip - mcp_client: $1"
	exit 0
}

# shellcheck source=tests/e2e/lib_npm.sh
. "$root/tests/e2e/lib_npm.sh"
npm_packages mcp_client 18 0
everything=$home/node_modules/@modelcontextprotocol/server-everything/dist/index.js

mkdir "$dir/project"
echo "# A project" >"$dir/project/README.md"

# The server's sum is worked out there: neither the model's script nor Argus knows how.
start_model - <<'EOF' || exit 1
answer repeat when not "4 and 38"
  tool everything__echo {"message":"hello from the model"}
  tool everything__get-sum {"a":4,"b":38}
otherwise
  text Both tools answered.
EOF

ask() {
	(cd "$dir/project" && LLM_API_BASE=$MODEL_URL LLM_MODEL=m LLM_API_KEY=key-of-the-test \
		"$ARGUS" ask --no-api --store memory: "$@" "What does the server say?") \
		>"$dir/out" 2>"$dir/err"
}

# --- as a child process

cat >"$dir/child.yaml" <<EOF
mcp_servers:
  everything:
    command: ["$node", "$everything", stdio]
    tools: [echo, get-sum]
EOF
if ask --config "$dir/child.yaml" && grep -qF 'Echo: hello from the model' "$dir/out" &&
	grep -qF 'The sum of 4 and 38 is 42' "$dir/out" && grep -qF 'Both tools answered.' "$dir/out"; then
	ok "a child process: two tools are called and their results stand in the trace"
else
	not_ok "a child process: two tools are called and their results stand in the trace"
fi
if grep -q '"everything__echo"' "$MODEL_LOG" && ! grep -q '"everything__get-env"' "$MODEL_LOG"; then
	ok "the model is offered the tools that are allowed, and no others"
else
	not_ok "the model is offered the tools that are allowed, and no others"
fi
# Is there a process of this program with that argument? The "=" before it keeps this one from finding itself.
is_running() {
	python3 - "$@" <<'EOF'
import glob, sys
for name in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        with open(name, "rb") as f:
            words = f.read().split(b"\0")
    except OSError:
        continue
    if sys.argv[1].encode() in words and sys.argv[2][1:].encode() in words:
        sys.exit(0)
sys.exit(1)
EOF
}
sleep 0.2
if is_running "$everything" =stdio; then
	not_ok "the child process ends with the question"
else
	ok "the child process ends with the question"
fi

# --- who may name a command

cp "$dir/child.yaml" "$dir/project/argus.yaml"
if ask; then
	not_ok "a settings file of the current folder may not name a command"
elif grep -q 'may not name a command' "$dir/err" && [ ! -s "$dir/out" ]; then
	ok "a settings file of the current folder may not name a command"
else
	not_ok "a settings file of the current folder may not name a command"
fi
rm "$dir/project/argus.yaml"

# --- over HTTP

# Node 18 lacks the global `crypto` that this server uses.
echo 'globalThis.crypto ??= require("node:crypto").webcrypto;' >"$dir/crypto.cjs"
# The server says when it listens. Another test may have taken the port meanwhile: then try the next one.
tries=0
until [ -n "$server" ]; do
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	PORT=$port "$node" --require "$dir/crypto.cjs" "$everything" streamableHttp >"$dir/server.log" 2>&1 &
	server=$!
	waited=0
	while kill -0 "$server" 2>/dev/null && ! grep -q "listening on port $port" "$dir/server.log"; do
		waited=$((waited + 1))
		[ "$waited" -lt 400 ] || break
		sleep 0.05
	done
	grep -q "listening on port $port" "$dir/server.log" && break
	stop_server
	tries=$((tries + 1))
	[ "$tries" -lt 5 ] || break
done
cat >"$dir/http.yaml" <<EOF
mcp_servers:
  everything:
    url: http://127.0.0.1:$port/mcp
EOF
if ask --config "$dir/http.yaml" && grep -qF 'The sum of 4 and 38 is 42' "$dir/out"; then
	ok "over HTTP: the tools that the server calls read only"
else
	not_ok "over HTTP: the tools that the server calls read only"
	sed 's/^/  server: /' "$dir/server.log" | tail -n 20
fi
stop_server
if ask --config "$dir/http.yaml"; then
	not_ok "a server that is not there is told"
elif grep -q "127.0.0.1:$port" "$dir/err" && [ ! -s "$dir/out" ]; then
	ok "a server that is not there is told"
else
	not_ok "a server that is not there is told"
fi

# --- a server that breaks the rules

cat >"$dir/rude.py" <<'EOF'
import json, sys
mode = sys.argv[1]
for line in sys.stdin:
    m = json.loads(line)
    if mode == "silent":
        continue
    if mode == "dies":
        sys.exit(3)
    if mode == "noise":
        print("starting up ...", flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": "s1", "method": "ping"}), flush=True)
    if "id" not in m or "method" not in m:
        continue
    if m["method"] == "initialize":
        r = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "rude", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
                       {"name": "get-sum", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
    elif mode == "huge":
        r = {"content": [{"type": "text", "text": "x" * 3000000}]}
    else:
        a = m["params"]["arguments"]
        r = {"content": [{"type": "text", "text": "The sum of 4 and 38 is 42" if "a" in a else "Echo"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
EOF
rude() {
	cat >"$dir/rude.yaml" <<EOF
mcp_servers:
  everything:
    command: [python3, "$dir/rude.py", $1]
EOF
}
rude noise
if ask --config "$dir/rude.yaml" && grep -qF 'The sum of 4 and 38 is 42' "$dir/out"; then
	ok "noise between messages and a ping of the server do not disturb"
else
	not_ok "noise between messages and a ping of the server do not disturb"
fi
rude dies
if ! ask --config "$dir/rude.yaml" && grep -q 'ended' "$dir/err"; then
	ok "a server that dies is told"
else
	not_ok "a server that dies is told"
fi
rude huge
ask --config "$dir/rude.yaml" --budget 4
if grep -q 'larger than 1 MiB' "$dir/out"; then
	ok "a result that is too large is an error that the model reads"
else
	not_ok "a result that is too large is an error that the model reads"
fi
rude silent
if ! ask --config "$dir/rude.yaml" --deadline 2 && grep -q 'did not answer initialize' "$dir/err"; then
	ok "a server that does not answer meets the deadline"
else
	not_ok "a server that does not answer meets the deadline"
fi
exit $bad
