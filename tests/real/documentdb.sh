#!/bin/sh
# A MongoDB-compatible engine for tests: pg_documentdb of Debian sid, the engine of Azure Cosmos DB for MongoDB (vCore), with
# a gateway that speaks MongoDB's wire protocol (documentdb_gateway.py).
#
#   documentdb.sh start FOLDER                      prints "PORT PGPORT": of the gateway and of its PostgreSQL, on loopback
#   documentdb.sh load FOLDER DATABASE COLLECTION   extended JSON on standard input, one document a line; replaces it
#   documentdb.sh read FOLDER DATABASE COLLECTION   reads every document and prints how many
#   documentdb.sh sql FOLDER                        SQL on standard input, bare rows on standard output
#   documentdb.sh stop FOLDER
#
# Exit 77 with a reason on standard error: it cannot run here. Sid lives in .cache/, made once by debootstrap (a minute, a
# gigabyte); FOLDER, new and empty, holds what belongs to one run. Sid's packages need /proc while they are installed: that
# mount is in a namespace of its own and ends with it. They get an empty environment, because the TMPDIR of a test is outside
# of the chroot. Sid changes daily, so what goes wrong with it is never a failure of the test.
set -u
root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
sid=${ARGUS_SID:-$root/.cache/sid-documentdb}
bin=/usr/lib/postgresql/18/bin
packages="postgresql-18-documentdb python3-bson python3-psycopg2"
folder=${2:?folder}
name=argus-$(printf '%s' "$folder" | cksum | tr ' ' -)
data=/pgdata-$name

cannot() {
	printf '%s\n' "$1" >&2
	exit 77
}
last_line() { tail -1 "$1" | cut -c1-200; }
in_sid() { chroot "$sid" su postgres -c "$1"; }

# shellcheck disable=SC2086,SC2016 # words; $0 and $@ are of the inner shell
make_sid() {
	[ "$(cat "$sid/.ready" 2>/dev/null)" = "$packages" ] && return 0
	rm -rf -- "$sid"
	mkdir -p "$sid" &&
		timeout 400 debootstrap --variant=minbase sid "$sid" >"$folder/sid.log" 2>&1 &&
		echo force-unsafe-io >"$sid/etc/dpkg/dpkg.cfg.d/unsafe-io" && # what a crash loses is made again
		timeout 600 unshare --mount sh -c 'mount -t proc proc "$0/proc" &&
			exec env -i "PATH=$PATH" HOME=/root DEBIAN_FRONTEND=noninteractive \
				chroot "$0" apt-get install -y --no-install-recommends "$@"' \
			"$sid" $packages >"$folder/sid.log" 2>&1 &&
		printf '%s\n' "$packages" >"$sid/.ready"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

start() {
	[ "$(id -u)" -eq 0 ] || cannot "a folder with Debian sid is made by root only"
	command -v debootstrap >/dev/null 2>&1 || cannot "debootstrap is not installed"
	mkdir -p "$folder" "$root/.cache" || exit 1
	if ! { exec 9>"$sid.lock" && flock 9 && make_sid; }; then
		cannot "Debian sid cannot be had: $(last_line "$folder/sid.log")"
	fi
	exec 9>&-
	chroot "$sid" install -d -o postgres -m 700 "$data" || cannot "no folder for its data"
	in_sid "$bin/initdb -D $data -A trust" >"$folder/sid.log" 2>&1 || cannot "initdb: $(last_line "$folder/sid.log")"
	# The extension connects to its own server over TCP. Nothing of a test has to survive a crash.
	port=$(free_port)
	cat >>"$sid$data/postgresql.conf" <<-C
		shared_preload_libraries = 'pg_cron,pg_documentdb_core,pg_documentdb'
		cron.database_name = 'postgres'
		listen_addresses = '127.0.0.1'
		dynamic_shared_memory_type = mmap
		fsync = off
		port = $port
		unix_socket_directories = '$data'
	C
	in_sid "$bin/pg_ctl -D $data -l $data/log -w start" >"$folder/sid.log" 2>&1 ||
		cannot "the engine does not start: $(last_line "$sid$data/log")"
	printf '%s\n' "$port" >"$folder/pgport"
	echo 'CREATE EXTENSION documentdb CASCADE;' | sql >"$folder/sid.log" 2>&1 ||
		cannot "the extension: $(last_line "$folder/sid.log")"
	cp "$root/tests/real/documentdb_gateway.py" "$sid$data/gateway.py"
	chroot "$sid" python3 "$data/gateway.py" serve 127.0.0.1 "$port" "$data/gateway.port" \
		>"$folder/gateway.log" 2>&1 </dev/null &
	echo $! >"$folder/gateway.pid"
	i=0
	while [ ! -f "$sid$data/gateway.port" ]; do
		i=$((i + 1))
		[ "$i" -lt 300 ] || cannot "the gateway does not start: $(last_line "$folder/gateway.log")"
		sleep 0.1
	done
	printf '%s %s\n' "$(cat "$sid$data/gateway.port")" "$port"
}

sql() { in_sid "psql -h $data -p $(cat "$folder/pgport") -X -At -q postgres"; }

stop() {
	[ -f "$folder/gateway.pid" ] && kill "$(cat "$folder/gateway.pid")" 2>/dev/null
	[ -d "$sid$data" ] || return 0
	in_sid "$bin/pg_ctl -D $data -m immediate -w stop" >/dev/null 2>&1
	rm -rf -- "${sid:?}$data"
}

case ${1:-} in
start) start ;;
load | read) chroot "$sid" python3 "$data/gateway.py" "$1" 127.0.0.1 "$(cat "$folder/pgport")" "$3" "$4" ;;
sql) sql ;;
stop) stop ;;
*)
	echo "usage: documentdb.sh start|load|read|sql|stop FOLDER ..." >&2
	exit 2
	;;
esac
