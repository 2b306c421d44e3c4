#!/bin/sh
# Code that users of a database wrote, against `argus mcp` on a real PostgreSQL 15 (guard_user_code.py): domains, casts,
# operators, views, names, extensions, and changes made while Argus runs. Prints one `ok`, `not ok` or `skip` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
# shellcheck source=tests/e2e/lib_postgres.sh
. "$root/tests/e2e/lib_postgres.sh"
start_postgres guard-user-code
# Not exec: the server is stopped on the way out.
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/guard_user_code.py" "$dir" "$socket" "$port"
