#!/bin/sh
# What a call of the MCP server costs, beside the fastest server of others and PostgreSQL itself (see mcp.py).
set -eu
cd -- "$(dirname -- "$0")"
: "${ARGUS:?path of the program}" "${ARGUS_BUILD:?the build tree}"
LOAD=$ARGUS_BUILD/bench/bench_mcp_load FLOOR=$ARGUS_BUILD/bench/bench_mcp_floor PYTHONDONTWRITEBYTECODE=1 exec python3 mcp.py "$@"
