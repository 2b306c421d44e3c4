#!/bin/sh
# `argus mcp --http` as its clients see it (mcp_http.py): tokens, roles and projects of the store, over a real PostgreSQL 15
# and SQLite files. Prints one `ok`, `not ok` or `skip` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
dir=$(mktemp -d /tmp/argus-mcp-http-XXXXXX) || exit 1
chmod 755 "$dir"
trap 'sh "$root/tests/real/postgres.sh" stop "$dir/pg"; rm -rf -- "$dir"' EXIT
sh "$root/tests/real/postgres.sh" start "$dir/pg" >"$dir/where" 2>"$dir/why"
code=$?
if [ "$code" -eq 77 ]; then
	echo "skip - mcp_http: $(cat "$dir/why")"
	exit 0
elif [ "$code" -ne 0 ]; then
	echo "not ok - PostgreSQL starts"
	sed 's/^/  /' "$dir/why"
	exit 1
fi
read -r socket port <"$dir/where"
# Not exec: the server is stopped on the way out.
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/mcp_http.py" "$root" "$dir" "$socket" "$port"
