#!/bin/sh
# MCP Apps (docs/decisions/0047): frames of `argus mcp` in a host, which is npm's @modelcontextprotocol/ext-apps in a real Chromium
# (tests/mcp_apps/). Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case.
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
case $ARGUS in /*) ;; *) ARGUS=$(pwd)/$ARGUS ;; esac
root=$(cd "$(dirname -- "$0")/../.." && pwd)

dir=$(mktemp -d) || exit 1
trap 'rm -rf -- "$dir"' EXIT

skip_all() {
	echo "skip - mcp_apps: $1"
	exit 0
}
command -v chromium >/dev/null 2>&1 || skip_all "chromium is not installed"
[ -s "$root/.cache/web/dist/apps/artifact.html" ] || skip_all "the page was not built: npm's registry is not reachable (tools/build-web)"
# shellcheck source=tests/e2e/lib_npm.sh
. "$root/tests/e2e/lib_npm.sh"
npm_packages mcp_apps 22 0
cp "$root/tests/mcp_apps/"*.mjs "$root/tests/mcp_apps/proxy.html" "$home/" || exit 1

python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("create table orders (id integer primary key, created_at text, total real)")
db.executemany("insert into orders (created_at, total) values (?, ?)", [("2024-0%d-1%d" % (m, d), 10 * m + d) for m in (1, 2, 3) for d in (1, 2)])
db.commit()' "$dir/data.db"
printf 'store: %s/store.db\nprojects:\n  shop:\n    source: sqlite:%s/data.db\n  docs:\n    documents: %s/examples/shop\n' \
	"$dir" "$dir" "$root" >"$dir/argus.yaml"
HOME=$dir "$node" "$home/apps.mjs" "$ARGUS" "$root/examples/shop" "$dir" "$root/tests/web_page/hostile.jsx"
