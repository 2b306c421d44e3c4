#!/bin/sh
# `argus mcp` over a real PostgreSQL 15 and an SQLite file, as a client sees it (mcp_sql.py): the acceptance scenarios of
# guarded SQL, limits, cancel, scope, secrets. Prints one `ok`, `not ok` or `skip` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
# shellcheck source=tests/e2e/lib_postgres.sh
. "$root/tests/e2e/lib_postgres.sh"
start_postgres mcp-sql
# Not exec: the server is stopped on the way out.
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/mcp_sql.py" "$dir" "$socket" "$port"
