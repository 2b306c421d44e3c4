#!/bin/sh
# The OpenAPI document of argus serve: a validator that nobody here wrote takes it, the server serves the same one, and the
# validator refuses a document that was damaged. That each route is in it: tests/unit/test_server_openapi.c. That answers fit
# it: openapi_answers.py, in the suites of argus serve.
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. ARGUS is the program.
#
# shellcheck disable=SC2317 # validate() and refuses() are called by name
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
root=$source_root

run serve --openapi; want 'the document is written, and nothing is served' 0 '"openapi": "3.1.1"'
cp out openapi.json
run serve --openapi extra words; want 'too many words' 2

"$ARGUS" serve --demo --port 0 --store s.db >served.log 2>&1 &
server=$!
for _ in $(seq 100); do grep -q '^listening on' served.log && break; sleep 0.1; done
at=$(sed -n 's/^listening on //p' served.log)
fetch() { python3 -c 'import sys, urllib.request; sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())' "$1"; }
fetch "$at/api/openapi.json" >served.json 2>out
kill "$server"
wait "$server"
holds 'the server serves the same document' cmp -s openapi.json served.json

skip_all() {
	echo "skip - the validator: $1"
	exit $bad
}
# shellcheck source=tests/e2e/lib_npm.sh
. "$root/tests/e2e/lib_npm.sh"
npm_packages openapi 18 0
# shellcheck disable=SC2154 # node and home come from npm_packages
validate() {
	(cd "$home" && "$node" --input-type=module -e '
import { readFileSync } from "node:fs"
import { Validator } from "@seriousme/openapi-schema-validator"
const validator = new Validator()
const r = await validator.validate(JSON.parse(readFileSync(process.argv[1], "utf8")))
console.log(validator.version, r.valid, JSON.stringify(r.errors ?? [], null, 1).slice(0, 3000))
process.exit(r.valid && validator.version === "3.1" ? 0 : 1)' "$1") >>"$dir/out" 2>&1
}
holds 'the validator takes it, as OpenAPI 3.1' validate "$PWD/openapi.json"
sed 's/"responses": {/"answers": {/' openapi.json >bad.json
refuses() { ! validate "$1"; }
holds 'the validator refuses a damaged one' refuses "$PWD/bad.json"
exit $bad
