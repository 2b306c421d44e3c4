#!/bin/sh
# `argus mcp` over standard input and output as a client sees it (mcp_tools.py): documents, questions about files, the
# dictionary of an SQLite file, resources, prompts, completion. Prints one `ok` or `not ok` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
dir=$(mktemp -d) || exit 1
trap 'rm -rf -- "$dir"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/mcp_tools.py" "$root" "$dir"
