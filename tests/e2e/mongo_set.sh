#!/bin/sh
# A replica set of MongoDB: who is asked, and a primary that steps down in the middle. Its members are one fake server with
# several ports (tests/fake/mongo_server.c). Also logins, by SCRAM-SHA-256 and by a certificate. Prints one `ok - name`,
# `not ok - name` or `skip - name: reason` line per case.
# shellcheck disable=SC2317 # functions are called by holds()
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
shop=$source_root/examples/shop
check() { python3 "$source_root/tests/e2e/mongo_check.py" "$@"; }
unset ARGUS_MONGODB_PASSWORD
export ARGUS_AS_OF=2026-07-01 ARGUS_HISTORY=false

# start_set N ARG...: $first is the port of the primary, $uri names the set.
start_set() {
	members=$1
	shift
	start_fake "shop.orders=$shop/orders.ndjson" --members "rs0:$members" "$@"
	first=$(head -1 fake.port)
	uri="mongodb://127.0.0.1:$first/shop.orders?replicaSet=rs0"
}
# asked MEMBER: did it get a command that reads data?
asked() { grep -qE "^$1: shop \{\"(find|count|aggregate|getMore)\":" record; }
not_asked() { ! asked "$1"; }
# The documents of the sample are the first find and all getMores.
one_member() { [ "$(grep "\"getMore\":" record | cut -d: -f1 | sort -u)" = "$(grep "\"find\":" record | head -1 | cut -d: -f1)" ]; }

run audit "$shop/orders.ndjson" --store memory: --output json
cp out file.json

start_set 3
run audit "$uri" --store memory: --output json; want "a replica set" 0
cp out server.json
holds "the findings of the file" check same file.json server.json
holds "secondaries are preferred" not_asked 1
holds "a cursor stays where it was opened" one_member
stop_fake "secondaries"
start_set 3
run audit "$uri&readPreference=primary" --store memory: --output json; want "readPreference=primary" 0
holds "the primary is asked" asked 1
holds "nobody else is" sh -c '! grep -qE "^[23]: shop .\"(find|count|aggregate|getMore)" record'
stop_fake "the primary"
start_set 1
run query "$uri" '{}' --limit 0; want "a set without secondaries: the primary" 0 "5,400"
run query "$uri&readPreference=secondary&serverSelectionTimeoutMS=500" '{}'; want "a secondary is wanted, and there is none" 1 "" "no server answers"
run query "mongodb://127.0.0.1:1,127.0.0.1:$first/shop.orders?replicaSet=rs0" '{}' --limit 0; want "a host of the list is away" 0 "5,400"
run query "mongodb://127.0.0.1:$first/shop.orders?replicaSet=other&serverSelectionTimeoutMS=500" '{}'; want "a set of another name" 1 "" "no server answers"
stop_fake "one member"

for at in "find:1" "aggregate:2" "count:1"; do
	start_set 2 --rule "$at stepdown"
	run audit "$uri&readPreference=primary" --store memory: --output json; want "the primary steps down at $at" 0
	cp out server.json
	holds "$at: the findings of the file" check same file.json server.json
	holds "$at: the new primary is asked" asked 2
	stop_fake "a primary that steps down at $at"
done
start_set 2 --rule 'find:1 stepdown'
run audit "$uri" --store memory:; want "it steps down while secondaries are asked" 0 "19 problems"
stop_fake "secondaries while the primary steps down"
start_set 2 --rule 'getMore:2 stepdown'
run audit "$uri&readPreference=primary" --store memory:; want "in the middle of a cursor" 1 "" "no primary any more"
holds "run it again" grep -qF "run it again" err
stop_fake "in the middle of a cursor"

# --- when it was counted ---
start_set 2 --time 1790000000
run audit "$uri" --store memory: --output json; want "the time of the set" 0 '"counted_at": "2026-09-21T'
holds "and of each count" python3 -c 'import json
for f in json.load(open("out"))["findings"]: assert f["counted_at"] == "2026-09-21T14:13:20Z", f'
stop_fake "the time of the set"

# --- logins ---
start_fake "shop.orders=$shop/orders.ndjson" --user 'ann:top@secret/77'
run query "mongodb://ann:top%40secret%2F77@127.0.0.1:$port/shop.orders?authMechanism=SCRAM-SHA-256" '{}' --limit 0; want "SCRAM-SHA-256" 0 "5,400"
run query "mongodb://ann:top%40secret%2F77@127.0.0.1:$port/shop.orders" '{}' --limit 0; want "the mechanism that the server offers" 0 "5,400"
ARGUS_MONGODB_PASSWORD='top@secret/77' run query "mongodb://ann@127.0.0.1:$port/shop.orders" '{}' --limit 0; want "the password of the environment" 0 "5,400"
run query "mongodb://ann:top%40secret78@127.0.0.1:$port/shop.orders" '{}'; want "a wrong password" 1 "" 'refused the login of user "ann"'
run query "mongodb://bob:top%40secret%2F77@127.0.0.1:$port/shop.orders" '{}'; want "another user" 1 "" 'refused the login of user "bob"'
run query "mongodb://127.0.0.1:$port/shop.orders" '{}'; want "no login" 1 "" "no right to"
cat out err record >all
holds "no password is anywhere" sh -c '! grep -qaE "top(@|%40)secret" all'
stop_fake "logins"
exit $bad
