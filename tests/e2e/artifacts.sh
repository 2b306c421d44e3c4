#!/bin/sh
# Artifacts as users have them: saved by a client of argus mcp, looked at, taken along and removed with argus artifact and in a
# conversation (artifacts.py). Prints one `ok` or `not ok` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
dir=$(mktemp -d) || exit 1
trap 'rm -rf -- "$dir"' EXIT
# Not exec: the folder is removed on the way out.
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/artifacts.py" "$dir"
