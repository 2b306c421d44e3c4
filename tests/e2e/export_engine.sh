#!/bin/sh
# The validator of `argus export` on a MongoDB-compatible engine: pg_documentdb of Debian sid, the engine of Azure Cosmos DB
# for MongoDB (vCore). A query with the validator selects exactly the documents that no finding is about. Only in the long
# tier (./run test --long). Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case.
#
# Sid lives in a folder of its own below .cache/, made once by debootstrap. Its packages need /proc while they are installed:
# that mount is in a namespace of its own and ends with it. Sid changes daily, so what goes wrong with it is skipped with the
# reason, never a failure.
# shellcheck disable=SC2317 # stop() is called by the trap
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
root=$source_root
sid=$root/.cache/sid-documentdb
data=/pgdata-$$
bin=/usr/lib/postgresql/18/bin

skip_all() {
	echo "skip - pg_documentdb: $1"
	exit 0
}
[ "${ARGUS_LONG-}" = 1 ] || skip_all "in the long tier only (./run test --long)"
[ "$(id -u)" -eq 0 ] || skip_all "a folder with Debian sid is made by root only"
command -v debootstrap >/dev/null 2>&1 || skip_all "debootstrap is not installed"

# shellcheck disable=SC2016 # $0 is of the inner shell
make_sid() {
	[ -f "$sid/.ready" ] && return 0
	rm -rf -- "$sid"
	mkdir -p "$sid" &&
		timeout 400 debootstrap --variant=minbase sid "$sid" >"$dir/sid.log" 2>&1 &&
		DEBIAN_FRONTEND=noninteractive timeout 600 unshare --mount sh -c 'mount -t proc proc "$0/proc" &&
			exec chroot "$0" apt-get install -y --no-install-recommends postgresql-18-documentdb' \
			"$sid" >"$dir/sid.log" 2>&1 &&
		: >"$sid/.ready"
}
if ! { mkdir -p "$root/.cache" && exec 9>"$root/.cache/sid-documentdb.lock" && flock 9 && make_sid; }; then
	skip_all "sid cannot be had: $(tail -1 "$dir/sid.log" | cut -c1-200)"
fi
exec 9>&-

in_sid() { chroot "$sid" su postgres -c "$1"; }
stop() {
	in_sid "$bin/pg_ctl -D $data -m immediate -w stop" >/dev/null 2>&1
	rm -rf -- "$sid$data" "$dir"
}
trap stop EXIT
chroot "$sid" install -d -o postgres -m 700 "$data"
in_sid "$bin/initdb -D $data -A trust" >"$dir/sid.log" 2>&1 || skip_all "initdb: $(tail -1 "$dir/sid.log")"
cat >>"$sid$data/postgresql.conf" <<'C'
shared_preload_libraries = 'pg_cron,pg_documentdb_core,pg_documentdb'
cron.database_name = 'postgres'
listen_addresses = '127.0.0.1'
dynamic_shared_memory_type = mmap
C
# The extension connects to its own server over TCP.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf "port = %s\nunix_socket_directories = '%s'\n" "$port" "$data" >>"$sid$data/postgresql.conf"
in_sid "$bin/pg_ctl -D $data -l $data/log -w start" >"$dir/sid.log" 2>&1 ||
	skip_all "the engine does not start: $(tail -1 "$sid$data/log" | cut -c1-200)"
# SQL on standard input, bare rows on standard output.
sql() { in_sid "psql -h $data -p $port -X -At -q postgres"; }
echo 'CREATE EXTENSION documentdb CASCADE;' | sql >"$dir/sid.log" 2>&1 || skip_all "the extension: $(tail -1 "$dir/sid.log")"

python3 "$root/tests/e2e/export_check.py" make . || exit 1
for f in hostile.ndjson customers.json orders.ndjson products.csv; do
	[ -f "$f" ] || cp "$root/examples/shop/$f" .
	run audit "$f" --store s.db --output json; want "$f: audit" 0
	cp out report.json
	run export last --store s.db --as validator; want "$f: validator" 0
	cp out validator.json
	python3 "$root/tests/e2e/export_engine.py" sql "$ARGUS" "$f" validator.json >in.sql
	sql <in.sql >out 2>err
	holds "$f: the engine selects the good documents" \
		python3 "$root/tests/e2e/export_engine.py" same "$ARGUS" "$f" report.json out
done
exit $bad
