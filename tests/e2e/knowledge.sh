#!/bin/sh
# What a project knows, as users have it: argus knowledge, learnings and eval, and the commands of a conversation, with a model
# of policy (knowledge.py). Prints one `ok` or `not ok` line per case.
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/e2e/lib_postgres.sh
. "$here/lib_postgres.sh"
start_postgres knowledge
python3 -B "$here/knowledge.py" "$dir" "$socket" "$port"
