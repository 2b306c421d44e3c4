#!/bin/sh
# Recipes with the real program, on a store in SQLite and in a real PostgreSQL, with a model of policy (recipe.py). Prints one `ok`
# or `not ok` line per case.
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/e2e/lib_postgres.sh
. "$here/lib_postgres.sh"
start_postgres recipe
python3 -B "$here/recipe.py" "$dir" "$socket" "$port"
