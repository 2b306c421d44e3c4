#!/bin/sh
# The SQL guard against a real PostgreSQL 15, as superuser (see guard_postgres.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
exec python3 -B "$(dirname -- "$0")/guard_postgres.py" "$@"
