#!/bin/sh
# What the store costs: processor time of a committed audit row, event and rate limit in SQLite (see store.c). Then committed
# events and audit rows a second, in SQLite and in PostgreSQL, by 1 and by 16 writers at once, beside pgbench's own rate of
# the same statements in the same run; each commit waits for the disk.
#
#   store.sh [SECONDS [SECONDS]]   of each measurement (1), and of those with writers (5)
set -eu
: "${ARGUS_BUILD:?the build tree}" "${ARGUS:?path of the program}"
folder=$(mktemp -d)
root=$(cd "$(dirname -- "$0")/.." && pwd)
trap 'sh "$root/tests/real/postgres.sh" stop "$folder/pg"; rm -rf -- "$folder"' EXIT
chmod 755 "$folder"
"$ARGUS_BUILD/bench/bench_store" "$folder" "${1:-1}"
echo
seconds=${2:-5}
BIN=/usr/lib/postgresql/15/bin
ARGUS_POSTGRES_DURABLE=1 sh "$root/tests/real/postgres.sh" start "$folder/pg" >"$folder/where" || {
	echo "skip - PostgreSQL 15 is not installed"
	exit 0
}
read -r socket port <"$folder/where"
for name in store plain; do
	psql -h "$socket" -p "$port" -U postgres -qc "CREATE DATABASE $name TEMPLATE template0 ENCODING 'UTF8'"
	"$ARGUS" runs --store "postgresql://postgres@/$name?host=$socket&port=$port" >/dev/null 2>&1
done

# What the store sends for a commit, from the same tables in a database of pgbench's own.
# A blank after each colon: pgbench would take :true for a variable.
cat >"$folder/event.sql" <<'END'
\set seq :seq + 1
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT pg_advisory_xact_lock(CAST(:client_id AS BIGINT));
SELECT max(seq) FROM argus.events WHERE run = CAST(:client_id AS TEXT);
INSERT INTO argus.events (run, seq, v, type, call_id, cause, at, payload) VALUES (CAST(:client_id AS TEXT), CAST(:seq AS BIGINT), 1, 'tool_output', '', CAST(:seq AS BIGINT) - 1, 1700000000000, '{"tool":"run_query","ok": true,"latency_ms": 4,"summary":"20 of 400 documents"}');
COMMIT;
END
cat >"$folder/row.sql" <<'END'
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT pg_advisory_xact_lock(1);
SELECT head_seq + 1 AS next, head_hash AS before FROM argus.ledger_chain \gset
INSERT INTO argus.ledger (seq, at, "user", project, token, session, tool, sql, fingerprint, verdict, rule, tables, nrow, nbyte, wait_us, exec_us, outcome, detail, began, owner, hash) VALUES (:next, 1700000000000, 'ann', 'shop', '', '', 'query', 'SELECT id, name, total FROM orders WHERE id = 4711', '', 'allow', '', '', 0, 0, 0, 0, 'ok', '', 0, '', '0123456789012345678901234567890123456789012345678901234567890123');
UPDATE argus.ledger_chain SET head_seq = :next, head_hash = '0123456789012345678901234567890123456789012345678901234567890123';
COMMIT;
END

bare() { # KIND WRITERS
	psql -h "$socket" -p "$port" -U postgres -d plain -qc 'DELETE FROM argus.events; DELETE FROM argus.ledger' \
		-c 'UPDATE argus.ledger_chain SET head_seq = 0'
	"$BIN/pgbench" -h "$socket" -p "$port" -U postgres -n -M prepared -c "$2" -j 2 -T "$seconds" -D seq=0 \
		-f "$folder/$1.sql" plain 2>"$folder/why" >"$folder/said" || { cat "$folder/why" >&2; exit 1; }
	awk '/^tps/ { printf "%.0f", $3 }' "$folder/said"
}

ours() { # URI KIND WRITERS
	"$ARGUS_BUILD/bench/bench_store_writers" "$1" "$2" "$3" "$seconds"
}

printf '%-26s %12s %12s %12s %8s\n' 'commits a second' SQLite PostgreSQL pgbench ratio
for kind in event row; do
	for n in 1 16; do
		sqlite=$(ours "sqlite:$folder/$kind$n.db" "$kind" "$n")
		postgres=$(ours "postgresql://postgres@/store?host=$socket&port=$port" "$kind" "$n")
		pgbench=$(bare "$kind" "$n")
		awk -v what="$kind, $n writer$([ "$n" -eq 1 ] || echo s)" -v s="$sqlite" -v p="$postgres" -v b="$pgbench" \
			'BEGIN { printf "%-26s %12d %12d %12d %8.2f\n", what, s, p, b, b ? p / b : 0 }'
	done
done
"$ARGUS" store check --store "postgresql://postgres@/store?host=$socket&port=$port"
