#!/bin/sh
# The real program as an MCP server over pipes: whole conversations, hostile lines, a client that leaves.
# Prints one `ok - name` or `not ok - name` line per case. ARGUS is the program.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/lib.sh"

python3 "$here/mcp_stdio.py" "$ARGUS" || bad=1
exit $bad
