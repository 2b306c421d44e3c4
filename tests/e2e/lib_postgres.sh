# Sourced by tests: a real PostgreSQL 15 of their own (tests/real/postgres.sh), in $dir, a folder that its user can look
# into; $socket and $port say where it is.
# shellcheck shell=sh disable=SC2154,SC2034 # root comes from the test, socket and port are for it

# start_postgres NAME: ends the test with a "skip" line when PostgreSQL is not installed. Stops it, and removes $dir, on exit.
start_postgres() {
	dir=$(mktemp -d "/tmp/argus-$1-XXXXXX") || exit 1
	chmod 755 "$dir"
	trap 'sh "$root/tests/real/postgres.sh" stop "$dir/pg"; rm -rf -- "$dir"' EXIT
	sh "$root/tests/real/postgres.sh" start "$dir/pg" >"$dir/where" 2>"$dir/why"
	postgres_code=$?
	if [ "$postgres_code" -eq 77 ]; then
		echo "skip - $1: $(cat "$dir/why")"
		exit 0
	elif [ "$postgres_code" -ne 0 ]; then
		echo "not ok - PostgreSQL starts"
		sed 's/^/  /' "$dir/why"
		exit 1
	fi
	read -r socket port <"$dir/where"
}
