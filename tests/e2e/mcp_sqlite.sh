#!/bin/sh
# `argus mcp` over an SQLite file whose statements do not end or crash SQLite (mcp_sqlite.py): the server and its other users
# go on. Prints one `ok` or `not ok` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
dir=$(mktemp -d) || exit 1
trap 'rm -rf -- "$dir"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/mcp_sqlite.py" "$dir"
