#!/bin/sh
# Stores whose disk is full, with the real program, on SQLite and on a real PostgreSQL (see store_full.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/e2e/lib_postgres.sh
. "$here/lib_postgres.sh"
start_postgres store-full
mkdir "$dir/disk"
if ! mount -t tmpfs -o size=16m argus-test "$dir/disk" 2>/dev/null; then
	echo 'skip - stores on a full disk: needs the right to mount'
	exit 0
fi
trap 'sh "$root/tests/real/postgres.sh" stop "$dir/pg"; umount "$dir/disk"; rm -rf -- "$dir"' EXIT
python3 -B "$here/store_full.py" "$root" "$dir" "$socket" "$port"
