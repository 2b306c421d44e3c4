#!/bin/sh
# Requests that two programs could read differently, to `argus mcp --http` and to node's own server (http_smuggling.py). Prints
# one `ok`, `not ok` or `skip` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
PYTHONDONTWRITEBYTECODE=1 exec python3 "$root/tests/e2e/http_smuggling.py" "$root"
