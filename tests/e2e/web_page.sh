#!/bin/sh
# The page of argus serve in a real Chromium: tests/web_page/*.mjs, written from the visible names alone.
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case.
#
# Three servers: the demo; one whose model (tests/fake) speaks slowly, so that an answer can be left, stopped, found again; and one
# that wants people to sign in.
# SHOTS=FOLDER keeps screenshots of each screen, at three widths, in both themes. ONLY="chat ask" runs these alone; the file
# scenarios makes the account that manage and shares sign in with.
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the program}"
case $ARGUS in /*) ;; *) ARGUS=$(pwd)/$ARGUS ;; esac
case $FAKE_MODEL in /*) ;; *) FAKE_MODEL=$(pwd)/$FAKE_MODEL ;; esac
root=$(cd "$(dirname -- "$0")/../.." && pwd)
bad=0

dir=$(mktemp -d) || exit 1
servers=
trap '[ -z "$servers" ] || kill $servers 2>/dev/null; rm -rf -- "$dir"' EXIT

skip_all() {
	echo "skip - web_page: $1"
	exit 0
}
! grep -q __asan_init "$ARGUS" || skip_all "the page is the same with sanitizers; serve.sh runs what the server does for it"
command -v chromium >/dev/null 2>&1 || skip_all "chromium is not installed"
[ -s "$root/.cache/web/dist/index.html" ] || skip_all "the page was not built: npm's registry is not reachable (tools/build-web)"
# shellcheck source=tests/e2e/lib_npm.sh
. "$root/tests/e2e/lib_npm.sh"
npm_packages web_page 22 0
cp "$root/tests/web_page/"*.mjs "$root/tests/web_page/"*.jsx "$home/" || exit 1

cat >"$dir/script" <<-'END'
	answer repeat when last "How many customers"
	  thinking I count them.
	  tool execute_sql {"query":"SELECT count(*) AS n FROM customers"}
	answer repeat when "SELECT count(*) AS n FROM customers" when not last "Tell a long story" when not last "hostile"
	  text There are 3 customers.
	answer repeat when last "Tell an endless story"
	  text alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform
	  deltas 6
	  pieces events
	  delay 3000
	answer repeat when last "Tell a long story"
	  text alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform
	  deltas 6
	  pieces events
	  delay 300
	answer repeat when last "Draw a broken chart"
	  tool create_artifact {"title":"Broken","artifact_type":"react","code":"export default function App({ data }) { throw new TypeError('the rows are gone') }"}
	answer repeat when last "cannot be drawn: TypeError: the rows are gone"
	  text I read the error and will mend it.
	answer repeat when last "hostile"
	  text Words <script>document.title='taken'</script> <img src=x onerror="document.title='taken'"> ![p](https://example.com/p.png) [l](javascript:document.title='taken') end
	answer repeat when last "Which port?"
	  tool read_file {"path":"docs/run.md"}
	answer repeat when last "number 8031"
	  text "The port is 8031.\n\nSource: docs/run.md#ports"
	  wait 2500
	answer repeat when last "Think long"
	  hang
	otherwise
	  text Hello.
END
python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("create table customers (id integer primary key, name text)")
db.executemany("insert into customers (name) values (?)", [("a",), ("b",), ("c",)])
db.commit()' "$dir/data.db"

wait_for() { # CONDITION NAME
	tries=0
	until eval "$1"; do
		tries=$((tries + 1))
		if [ "$tries" -gt 1200 ]; then
			echo "not ok - $2"
			sed 's/^/  err: /' "$dir"/*.err
			exit 1
		fi
		sleep 0.05
	done
}
"$FAKE_MODEL" --script "$dir/script" --port-file "$dir/model.port" >"$dir/model.err" 2>&1 </dev/null &
servers=$!
wait_for "[ -s '$dir/model.port' ]" 'the model listens'
serve() { # NAME ARGUMENT...
	name=$1
	shift
	mkdir -p "$dir/$name"
	(cd "$dir/$name" && HOME=$dir/$name XDG_STATE_HOME=$dir/$name/state MAX_QUERIES_PER_MINUTE=100000 ARGUS_MAX_REQUESTS_PER_MINUTE=none LLM_MODEL=m LLM_API_KEY=none \
		LLM_API_BASE=http://127.0.0.1:$(cat "$dir/model.port") exec "$ARGUS" serve --port 0 "$@" \
		>"$dir/$name.out" 2>"$dir/$name.err" </dev/null) &
	servers="$servers $!"
	wait_for "grep -qs '^listening on ' '$dir/$name.err'" "$name listens"
}
serve demo --demo --questions 0
serve pictured --demo --questions 0
serve slow "sqlite:$dir/data.db" --no-auth --questions 0
serve people "sqlite:$dir/data.db" --questions 0
mkdir "$dir/linked" "$dir/files-of-crew"
cp "$dir/data.db" "$dir/files-of-crew/crew.db"
for words in 'project add crew' 'project grant crew admin admin'; do
	# shellcheck disable=SC2086 # words are words
	HOME=$dir/linked XDG_STATE_HOME=$dir/linked/state "$ARGUS" $words 2>"$dir/linked-made.err" || bad=1
done
export ARGUS_CONNECTION_FOLDERS="$dir/files-of-crew"
serve linked --questions 0
mkdir "$dir/left"
for words in "project add crew --source sqlite:$dir/data.db" 'project grant crew admin admin'; do
	# shellcheck disable=SC2086 # words are words
	HOME=$dir/left XDG_STATE_HOME=$dir/left/state "$ARGUS" $words 2>"$dir/left-made.err" || bad=1
done
serve left --questions 0
mkdir "$dir/audits" "$dir/files"
mkdir "$dir/stock"
printf '{"_id":1,"weight":2}\n{"_id":2,"weight":"heavy"}\n' >"$dir/stock/parcels.ndjson"
printf 'projects:\n  shop:\n    documents: %s/examples/shop\n  stock:\n    documents: %s/stock\n' "$root" "$dir" >"$dir/audits/argus.yaml"
serve audits --no-auth --questions 0
mkdir "$dir/unsure"
cp "$dir/audits/argus.yaml" "$dir/unsure/argus.yaml"
export ARGUS_FINDING_EVALUATOR=escalation ARGUS_ESCALATION_LOW_THRESHOLD=0.1 ARGUS_ESCALATION_HIGH_THRESHOLD=1
serve unsure --no-auth --questions 0
unset ARGUS_FINDING_EVALUATOR ARGUS_ESCALATION_LOW_THRESHOLD ARGUS_ESCALATION_HIGH_THRESHOLD
mkdir -p "$dir/asked" "$dir/project/docs"
printf '# Run it\n\nRead this first.\n\n## Ports\n\nThe server listens on number 8031.\n' >"$dir/project/docs/run.md"
printf 'projects:\n  docs:\n    root: %s/project\n' "$dir" >"$dir/asked/argus.yaml"
serve asked --no-auth --questions 0
mkdir "$dir/signed"
python3 -B "$root/tests/e2e/oidc_issuer.py" "$dir/signed" >"$dir/issuer.err" 2>&1 </dev/null &
servers="$servers $!"
wait_for "[ -s '$dir/signed/issuer' ]" 'the issuer listens'
HOME=$dir/signed XDG_STATE_HOME=$dir/signed/state "$ARGUS" project add crew --source "sqlite:$dir/data.db" 2>"$dir/signed-made.err" || bad=1
HOME=$dir/signed XDG_STATE_HOME=$dir/signed/state "$ARGUS" project grant crew ann@example.com analyst 2>>"$dir/signed-made.err" || bad=1
issuer=$(cat "$dir/signed/issuer")
ARGUS_OIDC_ISSUER=$issuer ARGUS_OIDC_CLIENT_ID='argus of the test' OIDC_CLIENT_SECRET='client secret: with% signs' \
	ARGUS_OIDC_SIGN_UP=@example.com ARGUS_OIDC_NAME=Example ARGUS_OIDC_ENDS_SESSION=true serve signed --questions 0
mkdir "$dir/long"
printf 'projects:\n  long:\n    source: sqlite:%s\n    max_rows_per_query: 10000\n' "$dir/data.db" >"$dir/long/argus.yaml"
serve long --no-auth --questions 0
address() { sed -n 's/^listening on //p' "$dir/$1.err"; }

first_link() { sed -n 's/.* at \(http.*#.*\)/\1/p' "$dir/$1.err"; }
scenarios() { # NAME ARGUMENT...
	name=$1
	shift
	case " ${ONLY:-$name} " in *" $name "*) ;; *) return ;; esac
	HOME=$dir "$node" "$home/$name.mjs" "$@" || bad=1
}
# Two rows at once: most of their time is waiting. Those of the first follow each other: they share accounts.
people() {
	bad=0
	scenarios scenarios "$(address demo)" "$(address slow)" "$(first_link people)"
	scenarios manage "$(address people)" "correct horse battery" "$(first_link linked)" "$dir/files-of-crew/crew.db"
	scenarios import "$(address people)" "correct horse battery" "${SHOTS-}"
	scenarios shares "$(address demo)" "$(address slow)" "$(address people)" "correct horse battery"
	return $bad
}
people >"$dir/people.log" 2>&1 &
row=$!
# The pictures are of a demo that nobody used.
scenarios pictures "$(address pictured)" "$root/docs/images"
scenarios chat "$(address pictured)" "$(first_link left)" "$(address long)" "$dir/long/state/argus/argus.db" "$root/tests/web_page/long_thread.py"
scenarios artifacts "$(address pictured)" "$(address slow)"
scenarios audits "$(address audits)" "$dir/files" "$(address unsure)"
mkdir "$dir/saved"
scenarios saved "$ARGUS" "$root/examples/shop" "$dir/saved" "${SHOTS-}"
scenarios ask "$(address pictured)" "$(address asked)" "$(address slow)"
scenarios sign_in "$(address signed)" "$issuer" "${SHOTS-}"
wait "$row" || bad=1
cat "$dir/people.log"
exit $bad
