#!/bin/sh
# Artifacts as users have them: saved by a client of argus mcp, looked at, taken along and removed with argus artifact and in a
# conversation (artifacts.py). Prints one `ok` or `not ok` line per case.
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/e2e/lib_postgres.sh
. "$here/lib_postgres.sh"
start_postgres artifacts
python3 -B "$here/artifacts.py" "$dir" "$socket" "$port"
