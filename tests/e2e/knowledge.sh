#!/bin/sh
# What a project knows, as users have it: argus knowledge, learnings and eval, and the commands of a conversation, with a model
# of policy (knowledge.py). Prints one `ok` or `not ok` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
dir=$(mktemp -d) || exit 1
trap 'rm -rf -- "$dir"' EXIT
# Not exec: the folder is removed on the way out.
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/knowledge.py" "$dir"
