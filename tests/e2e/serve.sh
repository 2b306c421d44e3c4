#!/bin/sh
# argus serve with the real program, on a store in SQLite and in a real PostgreSQL (see serve.py), and read by the AI SDK's own
# client in three versions (tests/ui_stream/).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
bad=0
postgres=-
if [ -x /usr/lib/postgresql/15/bin/postgres ]; then
	# shellcheck source=tests/e2e/lib_postgres.sh
	. "$here/lib_postgres.sh"
	start_postgres serve
	postgres=$port
else
	dir=$(mktemp -d) || exit 1
	trap 'rm -rf -- "$dir"' EXIT
	echo "skip - serve: a store in PostgreSQL: it is not installed"
fi
python3 -B "$here/serve.py" "$root" "$dir" "${socket-}" "$postgres" || bad=1

skip_all() {
	echo "skip - serve: the AI SDK's client: $1"
	exit "$bad"
}
# shellcheck source=tests/e2e/lib_npm.sh
. "$root/tests/e2e/lib_npm.sh"
npm_packages ui_stream 22 0
cp "$root/tests/ui_stream/read.mjs" "$home/"
mkdir -p "$dir/demo"
HOME=$dir/demo "$ARGUS" serve --demo --questions 0 --port 0 >"$dir/demo.out" 2>"$dir/demo.log" </dev/null &
demo=$!
tries=0
while ! grep -q '^listening on ' "$dir/demo.log" && [ "$tries" -lt 500 ]; do
	sleep 0.02
	tries=$((tries + 1))
done
"$node" "$home/read.mjs" "$(sed -n 's/^listening on //p' "$dir/demo.log")" "" \
	"Which country has the most customers?" "How many customers are there?" || bad=1
kill -TERM "$demo"
if wait "$demo"; then
	echo "ok - the server ends with 0"
else
	echo "not ok - the server ends with 0"
	sed 's/^/  /' "$dir/demo.log"
	bad=1
fi
exit "$bad"
