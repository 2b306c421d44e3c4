#!/bin/sh
# A real PostgreSQL 15 of a test's own, on a socket in its folder and on a loopback port. initdb runs once for a version of
# PostgreSQL: .cache/ keeps what it made, and each cluster is a copy.
#
#   tests/real/postgres.sh start FOLDER   makes and starts a cluster; prints "SOCKET_FOLDER PORT", superuser "postgres"
#                                         (trust on the socket; on TCP the password is "secret")
#   tests/real/postgres.sh stop FOLDER    stops it at once and removes the folder
#   tests/real/postgres.sh crash FOLDER   kill -9 of the whole server
#   tests/real/postgres.sh again FOLDER   starts it again after a crash, on the same port
#
# ARGUS_POSTGRES_DURABLE=1 (start): commits wait for the disk, as of a server in use; for what measures.
#
# PostgreSQL does not run as root: then it runs as the user "postgres" of its package. Exit 77: it is not installed.
set -eu
umask 022
BIN=/usr/lib/postgresql/15/bin
root=$(cd -- "$(dirname -- "$0")/../.." && pwd -P)
what=$1
folder=$2

[ -x "$BIN/postgres" ] || {
	echo "PostgreSQL 15 is not installed (package postgresql-15)" >&2
	exit 77
}

as_server() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"
	else
		"$@"
	fi
}

run_server() {
	port=$(cat "$folder/port")
	# Nothing here outlives the test: no fsync. A commit reaches the kernel all the same, so that "crash" loses none.
	# Settings that a guard must survive are left at their defaults.
	quick="-c fsync=off -c full_page_writes=off"
	[ -z "${ARGUS_POSTGRES_DURABLE-}" ] || quick=
	as_server "$BIN/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 -s -o "-c listen_addresses=127.0.0.1 \
		-c port=$port -c unix_socket_directories='$folder' $quick \
		-c max_connections=80 -c shared_buffers=32MB -c logging_collector=off" start \
		>&2 </dev/null 2>>"$folder/pg_ctl.log"
}

# The data folder of a cluster that was never started.
make_data() {
	kept=$root/.cache/postgres/$("$BIN/postgres" -V | cksum | tr ' ' -)-$(id -u)
	if [ -d "$kept" ] && cp -a "$kept" "$folder/data"; then
		return 0
	fi
	rm -rf "$folder/data"
	printf 'secret\n' >"$folder/password"
	as_server "$BIN/initdb" -D "$folder/data" -U postgres --pwfile="$folder/password" --auth-local=trust \
		--auth-host=scram-sha-256 -E UTF8 --no-locale --no-sync --no-instructions >"$folder/initdb.log" 2>&1
	# Whole or not at all: another test may be at it. A checkout that cannot be written keeps nothing.
	{ mkdir -p "$root/.cache/postgres" && cp -a "$folder/data" "$kept.$$" && mv -T "$kept.$$" "$kept"; } 2>/dev/null ||
		rm -rf "$kept.$$"
}

case $what in
start)
	mkdir -p "$folder"
	folder=$(cd "$folder" && pwd -P)
	[ "$(id -u)" -ne 0 ] || chown postgres "$folder"
	chmod 755 "$folder"
	make_data
	tries=0
	while :; do
		python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' \
			>"$folder/port"
		if run_server; then break; fi
		tries=$((tries + 1)) # somebody took the port meanwhile
		[ "$tries" -lt 5 ] || { cat "$folder/log" >&2; exit 1; }
	done
	echo "$folder $(cat "$folder/port")"
	;;
stop)
	[ ! -d "$folder/data" ] || as_server "$BIN/pg_ctl" -D "$folder/data" -m immediate -s -w stop >/dev/null 2>&1 || :
	rm -rf "$folder"
	;;
crash)
	pid=$(head -1 "$folder/data/postmaster.pid")
	children=$(cat "/proc/$pid/task/$pid/children")
	kill -KILL "$pid"
	# shellcheck disable=SC2086 # one process per word
	kill -KILL $children 2>/dev/null || : # one of them may have ended by itself
	while [ -d "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; do sleep 0.05; done
	rm -f "$folder/data/postmaster.pid" "$folder"/.s.PGSQL.* # the process may still be waited for by its parent
	;;
again)
	folder=$(cd "$folder" && pwd -P)
	run_server
	;;
*)
	echo "postgres.sh: start, stop, crash or again" >&2
	exit 2
	;;
esac
