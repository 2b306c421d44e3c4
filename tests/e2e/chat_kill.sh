#!/bin/sh
# A turn of `argus chat` that is killed behind each of its commits (chat_kill.py), over a real PostgreSQL 15 and an SQLite file.
# Prints one `ok`, `not ok` or `skip` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
# shellcheck source=tests/e2e/lib_postgres.sh
. "$root/tests/e2e/lib_postgres.sh"
start_postgres chat_kill
# Not exec: the server is stopped on the way out.
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/chat_kill.py" "$dir" "$socket" "$port"
