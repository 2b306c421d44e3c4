#!/bin/sh
# Projects, tokens and the audit table with the real program: no password and no token stands anywhere in plain text, a wrong
# key opens nothing, limits hold between processes, and whoever changes the audit table is found out.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

canary=CANARYpw-7fa1 # the database's password; in no file of the store and no output
store="$XDG_STATE_HOME/argus"
db="$store/argus.db"
everything="$dir/everything" # all outputs but the one that shows a token
: >"$everything"
unset DB_CREDENTIAL_KEY ARGUS_PROJECT_PASSWORD

# As run, and the output is kept for the search.
see() {
	run "$@"
	cat "$dir/out" "$dir/err" >>"$everything"
}

# sql TEXT: on the store's file, as somebody from outside.
sql() { python3 -c "import sqlite3,sys; d=sqlite3.connect('$db'); d.executescript(sys.argv[1]); d.close()" "$1"; }

# absent NAME TEXT: in no file below the store, and in no output.
absent() {
	if grep -rqF -e "$2" "$store" "$everything"; then not_ok "$1"; else ok "$1"; fi
}

# --- passwords ---

see project add shop --source "postgresql://ann:$canary@127.0.0.1:1/shop"
want "a password without a key is refused" 1 "" "DB_CREDENTIAL_KEY is not set"
want "and how to make one is told" 1 "" "argus project key"
see project list
want "nothing was kept of it" 0 "" "No projects yet"

run project key
key=$(cat "$dir/out")
holds "a key has 44 characters" [ ${#key} -eq 44 ]
export DB_CREDENTIAL_KEY="$key"
see project add shop --source "postgresql://ann:$canary@127.0.0.1:1/shop" max_rows_per_query=7
want "a password in the address is taken" 0 "" "stood on the command line"
printf '%s\n' "$canary" >"$dir/pw"
see project add shop2 --source postgresql://ann@127.0.0.1:1/shop --password-file "$dir/pw"
want "a password of a file" 0
rm "$dir/pw"
ARGUS_PROJECT_PASSWORD=$canary see project add shop3 --source postgresql://ann@127.0.0.1:1/shop
want "a password of the environment" 0
see project add shop4 --source "postgresql://127.0.0.1:1/shop?user=ann&password=$canary"
want "a password among the parameters" 0
see project add bad --source "postgresql://ann:$canary%zz@127.0.0.1/shop"
want "an address that cannot be read is not quoted" 1 "" "percent-encoded as it should"
see project add bad --source "oracle://ann:$canary@127.0.0.1/shop"
want "nor one of an unknown database" 1 "" "no database that Argus knows"
for id in shop shop2 shop3 shop4; do
	see project show $id -o json
	want "$id is shown without its password" 0 '"has_password": true'
	see project test $id
	want "$id cannot be reached, and says so" 1 "" CONNECTION_ERROR
done
absent "the password is in no file and no output" "$canary"
absent "nor the key" "$key"
holds "the store is for its owner only" [ "$(stat -c %a "$db")" = 600 ]

# Scenario 39: the wrong key fails closed, and nothing tells what it would have opened.
other=$("$ARGUS" project key 2>/dev/null)
DB_CREDENTIAL_KEY=$other see project test shop
want "a wrong key opens nothing" 1 "" "cannot be decrypted"
DB_CREDENTIAL_KEY=nonsense see project test shop
want "nor does what is no key" 1
DB_CREDENTIAL_KEY=$other see doctor
want "doctor sees it" 1 "does not decrypt 4 of the passwords"
DB_CREDENTIAL_KEY=nonsense see doctor
want "and a key that is none" 1 "set DB_CREDENTIAL_KEY"
see doctor
want "and the right one" 0 "4, 4 with a password"
(
	unset DB_CREDENTIAL_KEY
	see project test shop
	want "nor no key" 1 "" "DB_CREDENTIAL_KEY is not set"
	exit $bad
) || bad=1
see project set shop --source postgresql://ann@127.0.0.2:1/shop
want "another address loses the password of the old one" 0 "" "forgotten"
see project show shop -o json
want "it is gone" 0 '"has_password": false'
absent "the password is still in no file and no output" "$canary"

# --- members, tokens ---

see project grant shop ann admin
see project grant shop ben viewer
see project revoke shop ann
want "the last admin stays" 1 "" "last admin"
see project grant shop ann viewer
want "and is not made less" 1 "" "last admin"
see project grnt shop ann admin
want "a verb that there is not" 2 "" 'did you mean "grant"'
see project list --name x
want "an option of another verb" 2 "" "has no option --name"

run token create --user ann --project shop --role analyst --name canary
token=$(cat "$dir/out")
want "a token is printed" 0 argus_ "shown only now"
cat "$dir/err" >>"$everything"
holds "alone, on one line" [ "$(wc -l <"$dir/out")" -eq 1 ]
holds "49 characters" [ ${#token} -eq 49 ]
see token list
want "the list shows it" 0 "canary"
see token list -o json
id=$(json "True" && python3 -c "import json; print(json.load(open('$dir/out'))['tokens'][0]['id'])")
absent "the token is in no file and no output" "$token"
absent "nor its random part" "${token#argus_}"
see token revoke "$id"
want "it is revoked" 0
see token list
want "and listed so" 0 "revoked"
see token revoke ffffffffffff
want "no such token" 1 "" "argus token list"
see project remove shop
want "a project goes" 0
see token create
want "a token needs a user" 2 "" "--user USER must be given"

# --- limits and the audit table, among processes ---

python3 -c "import sqlite3; d=sqlite3.connect('$dir/data.db'); d.execute('create table t(a)'); d.commit()"
see project add lite --source "sqlite:$dir/data.db" max_queries_per_minute=100000
see project test lite
want "a project answers" 0 "" "answers"
# Without the first rows of calls that took long.
ncall() {
	python3 -c "import sqlite3; print(sqlite3.connect('$db').execute(\"select count(*) from ledger where owner = ''\").fetchone()[0])"
}
before=$(ncall)
i=0
while [ $i -lt 24 ]; do
	"$ARGUS" project test lite >/dev/null 2>&1 &
	i=$((i + 1))
	[ $((i % 6)) -ne 0 ] || wait
done
wait
see log --verify -o json
want "processes wrote one chain" 0 '"whole": true'
if [ "$(ncall)" -eq $((before + 24)) ]; then
	echo "ok - every call has its row"
else
	echo "not ok - every call has its row"
	bad=1
fi
see log --project lite --limit 3 -o json
holds "rows say who, what and how it ended" \
	json "len(d['calls']) == 3 and d['calls'][2]['tool'] == 'test' and d['calls'][2]['outcome'] == 'ok' and d['calls'][2]['sql'] == 'SELECT 1'"
see log --outcome CONNECTION_ERROR -o json
holds "failures are in it" json "len(d['calls']) == 4"
see log --since 1h --limit 2
want "for people" 0 "SELECT 1"
see log --since tomorrow
want "a time that is none" 2 "" "--since"

see project add few --source "sqlite:$dir/data.db" max_queries_per_minute=3
codes=
for i in 1 2 3 4 5; do
	see project test few
	codes="$codes$code"
done
holds "three a minute, counted over processes: $codes" [ "$codes" = 00011 ]
want "the refusal says what and how long" 1 "" "3 queries a minute"
see project test lite
want "another project is free" 0

# --- kill -9 while it writes ---

i=0
while [ $i -lt 25 ]; do
	"$ARGUS" project test lite >/dev/null 2>&1 &
	pid=$!
	sleep 0.0$((i % 10))
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	i=$((i + 1))
done
see log --verify
want "killed writers leave the chain whole" 0 "The chain is whole"
head=$(sed -n 's/^head //p' "$dir/out")
see log --verify --head "$head"
want "the head that was noted is there" 0

# --- somebody changes the table ---

cp "$db" "$dir/good.db"
last=${head%%:*}
tamper() {
	rm -f "$db-wal" "$db-shm"
	cp "$dir/good.db" "$db"
	sql "$2"
	see log --verify
	want "$1" 1 "BROKEN: $3"
}
python3 -c "import sqlite3; d=sqlite3.connect('$db'); d.execute('pragma wal_checkpoint(truncate)'); d.close()"
cp "$db" "$dir/good.db"
tamper "a changed row" "UPDATE ledger SET sql = 'SELECT 2' WHERE seq = 9" "row 9 was changed"
tamper "a removed row" "DELETE FROM ledger WHERE seq = 9" "row 9 is missing"
tamper "a removed beginning" "DELETE FROM ledger WHERE seq < 9" "rows 1 to 8 are missing"
tamper "rows that changed places" \
	"UPDATE ledger SET seq = -1 WHERE seq = 9; UPDATE ledger SET seq = 9 WHERE seq = 10; UPDATE ledger SET seq = 10 WHERE seq = -1" \
	"row 9 was changed"
tamper "a cut end" "DELETE FROM ledger WHERE seq > $last - 2" "rows $((last - 1)) to $last are missing at the end"
rm -f "$db-wal" "$db-shm"
cp "$dir/good.db" "$db"
sql "DELETE FROM ledger WHERE seq > $last - 2; UPDATE ledger_chain SET head_seq = $last - 2, head_hash = (SELECT hash FROM ledger WHERE seq = $last - 2)"
see log --verify
want "a cut that also changed the note of the end looks whole" 0
see log --verify --head "$head"
want "but not to who noted the head" 1 "is missing: the table was cut"

# --- purge ---

rm -f "$db-wal" "$db-shm"
cp "$dir/good.db" "$db"
see purge --older-than 0
want "purge" 0
see log --verify
want "empties the table and keeps the chain" 0 "0 rows checked"
see project test lite
# A call of more than 50 ms has a row of its beginning as well.
rows=$(python3 -c "import sqlite3; d = sqlite3.connect('$db'); print(1 + d.execute('SELECT count(*) FROM ledger WHERE began > 0').fetchone()[0])")
see log --verify
case $rows in
1) want "which goes on" 0 "1 row checked, $((last + 1)) to $((last + 1))" ;;
2) want "which goes on" 0 "2 rows checked, $((last + 1)) to $((last + 2))" ;;
*) not_ok "which goes on: $rows rows" ;;
esac

# --- a disk that is full ---

AG_FAULT=store.write:1+ see project test lite
want "a limit that cannot be looked up is no yes" 1 "" "disk is full"
AG_FAULT=store.write:5+ see project test lite
want "what cannot be recorded is told" 1 "" "disk is full"
see log --verify
want "and the chain is whole" 0 "The chain is whole"
absent "the password is in no file and no output at the end" "$canary"
absent "nor the token" "$token"

exit $bad
