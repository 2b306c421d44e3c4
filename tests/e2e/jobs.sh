#!/bin/sh
# Workers, jobs and schedules with the real program, on SQLite and on a real PostgreSQL (see jobs.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/e2e/lib_postgres.sh
. "$here/lib_postgres.sh"
start_postgres jobs
python3 -B "$here/jobs.py" "$root" "$dir" "$socket" "$port"
