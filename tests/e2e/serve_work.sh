#!/bin/sh
# Knowledge and artifacts over HTTP, with the real program, on a store in SQLite and in a real PostgreSQL (see serve_work.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
postgres=-
if [ -x /usr/lib/postgresql/15/bin/postgres ]; then
	# shellcheck source=tests/e2e/lib_postgres.sh
	. "$here/lib_postgres.sh"
	start_postgres serve_work
	postgres=$port
else
	dir=$(mktemp -d) || exit 1
	trap 'rm -rf -- "$dir"' EXIT
	echo "skip - serve_work: a store in PostgreSQL: it is not installed"
fi
python3 -B "$here/serve_work.py" "$root" "$dir" "${socket-}" "$postgres"
