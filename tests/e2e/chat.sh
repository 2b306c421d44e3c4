#!/bin/sh
# `argus chat` over a real PostgreSQL 15 and an SQLite file (chat.py), with a model of policy that makes mistakes, reads the errors
# and corrects itself (chat_policy.py). Prints one `ok`, `not ok` or `skip` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
# shellcheck source=tests/e2e/lib_postgres.sh
. "$root/tests/e2e/lib_postgres.sh"
start_postgres chat
# Not exec: the server is stopped on the way out.
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/chat.py" "$dir" "$socket" "$port"
