#!/bin/sh
# An MCP server over pipes: whole conversations, hostile lines, a client that leaves.
# Prints one `ok - name` or `not ok - name` line per case. MCP_CONFORMANCE is the server of the conformance fixtures.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/lib.sh"

python3 "$here/mcp_stdio.py" "${MCP_CONFORMANCE:?path of the server}" || bad=1
exit $bad
