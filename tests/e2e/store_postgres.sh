#!/bin/sh
# A store in PostgreSQL with the real program, on a real server (see store_postgres.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/e2e/lib_postgres.sh
. "$here/lib_postgres.sh"
start_postgres store
python3 -B "$here/store_postgres.py" "$root" "$dir" "$socket" "$port"
