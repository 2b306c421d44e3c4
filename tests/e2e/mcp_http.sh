#!/bin/sh
# `argus mcp --http` as its clients see it (mcp_http.py): tokens, roles and projects of the store, over a real PostgreSQL 15
# and SQLite files. Prints one `ok`, `not ok` or `skip` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
# shellcheck source=tests/e2e/lib_postgres.sh
. "$root/tests/e2e/lib_postgres.sh"
start_postgres mcp-http
# Not exec: the server is stopped on the way out.
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/mcp_http.py" "$root" "$dir" "$socket" "$port"
