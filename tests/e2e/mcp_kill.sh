#!/bin/sh
# `argus mcp` killed with SIGKILL under load (mcp_kill.py): every call that was answered is in the audit table, and the chain
# of hashes is whole. Prints one `ok` or `not ok` line per case. KILL_ROUNDS sets the number of kills of each transport.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
dir=$(mktemp -d) || exit 1
trap 'rm -rf -- "$dir"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/mcp_kill.py" "$dir"
