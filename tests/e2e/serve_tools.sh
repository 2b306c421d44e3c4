#!/bin/sh
# Tools of other MCP servers in conversations of argus serve, on a store in SQLite and in a real PostgreSQL (see serve_tools.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/e2e/lib_serve.sh
. "$here/lib_serve.sh"
serve_suite serve_tools
