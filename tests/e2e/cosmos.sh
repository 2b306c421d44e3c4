#!/bin/sh
# Azure Cosmos DB: accounts by a scripted ARM server (tests/fake/fake_arm.py), and an audit of a scripted server that counts request
# units, throttles and wants a login (tests/fake/mongo_server.c). Scenarios 26 and 27 of the auditor's reference. Prints one
# `ok - name` or `not ok - name` line per case.
# shellcheck disable=SC2016,SC2094,SC2317 # $sample is of MongoDB; check() is called by holds()
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
shop=$source_root/examples/shop
check() { python3 "$source_root/tests/e2e/mongo_check.py" "$@"; }
unset AZURE_ACCESS_TOKEN IDENTITY_ENDPOINT IDENTITY_HEADER AZURE_CLIENT_ID QUERYARGUS_EMULATOR LOCAL_MONGO_URI ARGUS_MONGODB_PASSWORD
export ARGUS_AZURE_METADATA=none ARGUS_AS_OF=2026-07-01 ARGUS_HISTORY=false
token=secret-token-1234567

# key STRING-USER KEY: a connection string as Azure gives it, for the fake server.
key() { printf 'mongodb://%s:%s@127.0.0.1:%s/?ssl=false&replicaSet=globaldb&retrywrites=false&maxIdleTimeMS=120000&appName=@shop@' "$1" "$2" "$port"; }
no_arm() { [ ! -s arm.log ]; }

start_fake "shop.orders=$shop/orders.ndjson" --user 'shop:read+key/0123456789==' --charge 2.5 --members globaldb:1
cat >arm.json <<END
{"token": "$token", "page": 1, "busy": 1, "subscriptions": [
  {"id": "s1", "accounts": [
    {"name": "shop", "strings": [
      ["Primary MongoDB Connection String", "$(key shop write-key-0123456789==)"],
      ["Secondary Read-Only MongoDB Connection String", "$(key shop second-key-0123456789==)"],
      ["Primary SQL Connection String", "AccountEndpoint=https://x;AccountKey=sql-key-0123456789"],
      ["Primary Read-Only MongoDB Connection String", "$(key shop read+key/0123456789==)"]]},
    {"name": "old", "strings": [
      ["Secondary MongoDB Connection String", "$(key shop other-key-0123456789)"],
      ["Primary MongoDB Connection String", "$(key shop 'read+key/0123456789==')"]]},
    {"name": "twice", "strings": []}, {"name": "locked", "status": 403, "strings": []}]},
  {"id": "s2", "status": 403},
  {"id": "s3", "accounts": [{"name": "twice", "group": "other", "strings": []},
    {"name": "cluster", "cluster": true, "strings": [
      ["Connection String", "mongodb://<user>:<password>@127.0.0.1:$port/?tls=false&authMechanism=SCRAM-SHA-256&retrywrites=false&maxIdleTimeMS=120000"]]}]}]}
END
start_arm

# --- who asks ---
run auth-status; want "no credentials" 1 "" "az login"
run audit cosmos://shop/shop.orders; want "an audit without credentials" 1 "" "az login"
run accounts; want "accounts without credentials" 1 "" "az login"
holds "nobody was asked" no_arm
mkdir bin
cat >bin/az <<END
#!/bin/sh
echo "\$*" >>"$dir/az.log"
[ ! -f "$dir/az.fails" ] || { echo "Please run 'az login' to setup account." >&2; exit 1; }
printf '{"accessToken": "%s", "expiresOn": "2099-01-01", "tokenType": "Bearer"}\n' "$token"
END
chmod +x bin/az
PATH=$dir/bin:$PATH
export PATH
run auth-status; want "the token of az" 0 "signed in to Azure by az"
holds "az is asked for ARM's token" grep -qF "account get-access-token --resource https://management.azure.com/" az.log
: >az.fails
run auth-status; want "az is not logged in" 1 "" "az login"
rm az.fails az.log
export AZURE_ACCESS_TOKEN=$token
run auth-status; want "AZURE_ACCESS_TOKEN wins" 0 "by AZURE_ACCESS_TOKEN: 6 accounts"
holds "az is not started" [ ! -f az.log ]
AZURE_ACCESS_TOKEN=x.$(printf '{"upn":"ann@example.org"}' | base64 | tr -d '=\n').y run auth-status --output json
want "a token that is refused" 1 '"account": "ann@example.org"'
holds "what to do" grep -qF "az login" out
AZURE_ACCESS_TOKEN='Bearer x' run auth-status; want "a token with a word before it" 1 "" "without \"Bearer\""
unset AZURE_ACCESS_TOKEN
IDENTITY_ENDPOINT=$arm/msi IDENTITY_HEADER=app-secret run auth-status; want "the identity of an app" 0 "by managed identity"
IDENTITY_ENDPOINT=$arm/msi IDENTITY_HEADER=wrong run auth-status; want "an identity that is refused" 1 "" "no identity for it"
: >az.fails
ARGUS_AZURE_METADATA=$arm run auth-status; want "the identity of a machine" 0 "by managed identity"
rm az.fails
export AZURE_ACCESS_TOKEN=$token
ARGUS_AZURE_MANAGEMENT=http://10.0.0.1 run accounts; want "a token is not sent unencrypted" 1 "" "is not encrypted"

# --- accounts ---
run accounts; want "accounts" 0 "/subscriptions/s1/resourceGroups/g/providers/Microsoft.DocumentDB/databaseAccounts/shop"
holds "a subscription that cannot be read is named" grep -qF "subscription s2 is left out" err
run accounts --output json; want "accounts as JSON" 0 '"kind": "vcore"'
holds "six of them, over pages" [ "$(grep -c '"id": "/subscriptions' out)" -eq 6 ]
run audit cosmos://shopp/shop.orders; want "an account that nobody knows" 1 "" 'did you mean "shop"?'
holds "it is not found" grep -qF "not found" err
run audit cosmos://twice/shop.orders; want "two of one name" 1 "" "/subscriptions/s3/resourceGroups/other"
run audit cosmos://locked/shop.orders; want "no right to its keys" 1 "" "DocumentDB Account Contributor"

# --- keys ---
run query cosmos://shop/shop.orders '{}' --limit 0; want "the primary read-only key is used" 0 "5,400"
: >arm.log
run query cosmos:///subscriptions/s1/resourceGroups/g/providers/Microsoft.DocumentDB/databaseAccounts/shop/shop.orders '{}' --limit 0
want "an account by its id" 0 "5,400"
holds "it is not searched for" sh -c '! grep -q resources arm.log'
run query -a shop -d shop -c orders '{}' --limit 0; want "-a -d -c" 0 "5,400"
run query cosmos://old/shop.orders '{}' --limit 0; want "no read-only key" 1 "" "--allow-read-write"
run query -a old -d shop -c orders --allow-read-write '{}' --limit 0; want "--allow-read-write: the primary key" 0 "5,400" "the key that may write"
run query 'cosmos://shop/shop.orders' --allow-read-write '{}' --limit 0; want "read-write is asked for: the primary of these" 1 "" 'refused the login of user "shop"'
run query -a "$(key shop 'read+key/0123456789==')" -d shop -c orders '{}' --limit 0; want "a connection string" 0 "5,400"
run query -a "$(key shop 'wrong-key-0123456789==')" -d shop -c orders '{}'; want "a key that is wrong" 1 "" "refused the login"
run query -d shop '{}'; want "-d without -a" 2 "" "belong to --account"
run query -a 'AccountEndpoint=https://x;AccountKey=sql-key-0123456789' -d shop '{}'; want "a string of another API" 2 "" "begins with mongodb://"
run audit cosmos://shop; want "an address without a database: every one" 0 "orders: 19 problems"
run query 'cosmos://sh_op/shop.orders' '{}'; want "a name that no account has" 1 "" "letters, digits and hyphens"
run query 'cosmos:///subscriptions/s1/shop.orders' '{}'; want "an id that is none" 1 "" "is no id of an account"
run query 'cosmos://shop/shop.orders?x=1' '{}'; want "an option that nobody knows" 1 "" "allowReadWrite=true"
run query 'cosmos://shop:pw@shop/shop.orders' '{}'; want "a password in the address" 1 "" "ARGUS_MONGODB_PASSWORD"

# --- the same findings, and what they cost ---
run audit "$shop/orders.ndjson" --store f.db --output json
cp out file.json
: >arm.log
statistics=$(grep -c getLastRequestStatistics record)
run audit cosmos://shop/shop.orders --store m.db --output json; want "an audit" 0 '"cosmos_account": "shop"'
cp out server.json
holds "the findings of the file" check same file.json server.json
holds "its charge is in the report" grep -qF '"data_cost": {' out
holds "it was read after each command" [ "$(grep -c getLastRequestStatistics record)" -gt $((statistics + 10)) ]
holds "keys are asked for once" [ "$(grep -c listConnectionStrings arm.log)" -eq 1 ]
run show last --store m.db; want "the charge in the report for people" 0 "request units"
run runs --store m.db; want "in the list of runs" 0 "request units"
run runs --store m.db --output json; want "the same as JSON" 0 '"request_units": '
run history cosmos://shop/shop.orders --store m.db; want "in the history" 0 "request units"
run verify server.json; want "verify" 0 confirmed
run inspect cosmos://shop/shop.orders -n 50 --output json; want "inspect" 0 '"documents_sampled": 50'
cat out err m.db* server.json record arm.err >all
holds "no key and no token is anywhere" sh -c '! grep -qaE "(read\+key|write-key|sql-key|secret-token)" all'

# --- a budget ---
run audit cosmos://shop/shop.orders --store b.db --max-ru 30; want "--max-ru: a partial report" 0 "the budget of 30 request units is used up"
run resume last --store b.db --max-ru 100000; want "more units: it goes on" 0 "19 problems"
run replay last --store b.db -o json
holds "what the first sitting used counts" python3 -c "
import json
sums = [e['payload']['data_cost']['request_units'] for e in map(json.loads, open('out')) if e['type'] == 'run_finished']
assert len(sums) == 2 and 30 <= sums[0] < sums[1], sums"
run audit cosmos://shop/shop.orders --store b.db --max-ru 4; want "--max-ru that does not reach the data" 1 "" "--max-ru"
run query cosmos://shop/shop.orders '{}' --max-ru 4; want "--max-ru of a query" 1 "" "request units is used up"
holds "only commands that read" check record record
stop_fake "an account"

# --- throttling ---
start_fake "shop.orders=$shop/orders.ndjson" --charge 2.5
export LOCAL_MONGO_URI="mongodb://127.0.0.1:$port"
run auth-status; want "LOCAL_MONGO_URI: Azure is not asked" 0 "LOCAL_MONGO_URI is set"
run query cosmos://any/shop.orders '{}' --limit 0; want "every account means that server" 0 "5,400"
holds "which is taken for a usual one" sh -c '! grep -q getLastRequestStatistics record'
unset LOCAL_MONGO_URI
stop_fake "LOCAL_MONGO_URI"
# account ARG...: the account "shop" is a fake server with these rules, without a login.
account() {
	start_fake "shop.orders=$shop/orders.ndjson" "$@"
	printf '{"token": "%s", "subscriptions": [{"id": "s1", "accounts": [{"name": "shop", "strings": [["Primary Read-Only MongoDB Connection String", "mongodb://127.0.0.1:%s/?ssl=false"]]}]}]}\n' "$token" "$port" >arm.json
	stop_arm
	start_arm
}
account --charge 2.5 --rule 'aggregate:2-4 throttle 30' --rule 'find:1 throttle 20' --rule 'count:1 error 429 Request rate is large'
run audit cosmos://shop/shop.orders --store t.db --output json; want "a server that throttles" 0 '"throttled": 5'
cp out server.json
holds "throttling changes no finding" check same file.json server.json
run show last --store t.db; want "the report says it" 0 "asked to wait 5 times"
stop_fake "a server that throttles"
account --charge 2.5 --rule 'getMore:1 throttle 20'
run inspect cosmos://shop/shop.orders -n all --output json; want "a cursor that is throttled goes on" 0 '"documents_sampled": 5400'
stop_fake "a cursor that is throttled"
account --charge 2.5 --rule 'find throttle 60000'
begin=$(date +%s%N)
run query cosmos://shop/shop.orders '{"status": "paid"}' --deadline 3; want "a wait beyond the deadline" 1 "" "limits the rate of requests"
holds "it is not waited for" [ $((($(date +%s%N) - begin) / 1000000)) -lt 2500 ]
"$ARGUS" audit cosmos://shop/shop.orders --store t.db >out 2>err &
pid=$!
tries=0
until grep -q '"find":' record && [ "$tries" -gt 5 ]; do tries=$((tries + 1)); sleep 0.1; done
begin=$(date +%s%N)
kill -INT "$pid"
wait "$pid"
code=$?
want "Ctrl-C in a wait" 130 "" "stopped"
holds "Ctrl-C does not wait" [ $((($(date +%s%N) - begin) / 1000000)) -lt 1500 ]
stop_fake "a long wait"
account --charge 1000 --rule 'find:1-3 throttle 400'
python3 - "$ARGUS" >out 2>err <<'END'
import os, pty, sys
out = b""
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm", COLUMNS="140")
    os.execv(sys.argv[1], [sys.argv[1], "audit", "cosmos://shop/shop.orders", "--store", "memory:"])
while True:
    try:
        piece = os.read(fd, 4096)
    except OSError:
        break
    if not piece:
        break
    out += piece
os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
END
holds "progress shows the charge" grep -qa "000 RU" out
holds "and that it is throttled" grep -qa "throttled [1-3]" out
stop_fake "progress"

# --- what it does not know ---
account
run audit cosmos://shop/shop.orders --store memory: --output json; want "a server that does not say what it charges" 0 '"data_cost": null'
holds "it is asked once" [ "$(grep -c getLastRequestStatistics record)" -eq 1 ]
run audit cosmos://shop/shop.orders --store memory: --max-ru 100; want "then a budget cannot be kept" 1 "" "does not say what a command costs"
stop_fake "no statistics"
account --charge 1 --rule 'aggregate:2+ error 168 Unrecognized pipeline stage name: $sample'
run inspect cosmos://shop/shop.orders -n 100 --output json; want "no \$sample" 0 '"documents_sampled": 100'
stop_fake "no \$sample"
account --charge 1 --rule 'aggregate:2 error 168 Unrecognized pipeline stage name: $facet'
run audit cosmos://shop/shop.orders --store memory:; want "no \$facet" 0 "19 problems"
holds "it is asked for it once" [ "$(grep -cF '$facet' record)" -eq 1 ]
stop_fake "no \$facet"

# --- vCore is a MongoDB server ---
start_fake "shop.orders=$shop/orders.ndjson" --user 'ann:pass word/1' --charge 1
printf '{"token": "%s", "subscriptions": [{"id": "s1", "accounts": [{"name": "cluster", "cluster": true, "strings": [["Connection String", "mongodb://<user>:<password>@127.0.0.1:%s/?tls=false&authMechanism=SCRAM-SHA-256&retrywrites=false"]]}]}]}\n' "$token" "$port" >arm.json
stop_arm
start_arm
run query cosmos://cluster/shop.orders '{}'; want "a cluster without a user" 1 "" "cosmos://USER@cluster"
run query cosmos://ann@cluster/shop.orders '{}'; want "without a password" 1 "" ARGUS_MONGODB_PASSWORD
ARGUS_MONGODB_PASSWORD='pass word/1' run audit cosmos://ann@cluster/shop.orders --store memory: --output json; want "a cluster" 0 '"data_cost": null'
holds "nobody asks it for request units" sh -c '! grep -q getLastRequestStatistics record'
holds "its account is named" grep -qF '"cosmos_account": "cluster"' out
stop_fake "a cluster"

# --- the emulator ---
: >arm.log
export QUERYARGUS_EMULATOR=true
run auth-status; want "the emulator: no login" 0 "QUERYARGUS_EMULATOR is set"
run accounts --output json; want "the emulator: no accounts" 0 '"accounts": []'
run query cosmos://any/shop.orders '{}' --deadline 5; want "the emulator is at its own port" 1 "" "localhost:10255"
holds "the emulator makes no ARM call" no_arm
unset QUERYARGUS_EMULATOR

# --- answers that are none ---
stop_arm
printf '{"token": "%s", "raw": "<html>", "subscriptions": []}\n' "$token" >arm.json
start_arm
run accounts; want "an answer that is no JSON" 1 "" "is no JSON object"
stop_arm
printf '{"token": "%s", "page": 1, "next": "http://127.0.0.2:1/x", "subscriptions": [{"id": "s1", "accounts": []}, {"id": "s2", "accounts": []}]}\n' "$token" >arm.json
start_arm
run accounts; want "a page of another origin gets no token" 1 "" "another origin"
stop_arm
run accounts; want "no ARM server" 1 "" "127.0.0.1"
exit $bad
