# shellcheck shell=sh disable=SC2154 # here and root come from the test
# Sourced by the suites of argus serve: runs NAME.py on a store in SQLite and in a real PostgreSQL. Needs $here and $root.

serve_suite() {
	if [ -x /usr/lib/postgresql/15/bin/postgres ]; then
		# shellcheck source=tests/e2e/lib_postgres.sh
		. "$here/lib_postgres.sh"
		start_postgres "$1"
	else
		dir=$(mktemp -d) || exit 1
		trap 'rm -rf -- "$dir"' EXIT
		port=-
		echo "skip - $1: a store in PostgreSQL: it is not installed"
	fi
	python3 -B "$here/$1.py" "$root" "$dir" "${socket-}" "$port"
}
