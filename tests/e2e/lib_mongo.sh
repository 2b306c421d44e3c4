# Sourced by tests: servers that speak MongoDB's protocol. After lib.sh; $dir, $source_root and bad are its.
# shellcheck shell=sh disable=SC2154,SC2034 # dir and source_root come from lib.sh, port and uri are for the test

# start_engine NAME: the real engine (tests/real/documentdb.sh); $uri is its address. Ends the test with a "skip" line where
# it cannot run.
start_engine() {
	trap 'sh "$source_root/tests/real/documentdb.sh" stop "$dir/engine"; rm -rf -- "$dir"' EXIT
	sh "$source_root/tests/real/documentdb.sh" start "$dir/engine" >"$dir/where" 2>"$dir/why"
	engine_code=$?
	if [ "$engine_code" -eq 77 ]; then
		echo "skip - $1: $(cat "$dir/why")"
		exit 0
	elif [ "$engine_code" -ne 0 ]; then
		echo "not ok - pg_documentdb starts"
		sed 's/^/  /' "$dir/why"
		exit 1
	fi
	read -r port pgport <"$dir/where"
	uri=mongodb://127.0.0.1:$port
}
engine_load() { sh "$source_root/tests/real/documentdb.sh" load "$dir/engine" "$1" "$2"; }
engine_sql() { sh "$source_root/tests/real/documentdb.sh" sql "$dir/engine"; }

fakes=
# start_fake ARG...: tests/fake/fake_mongo.c with these collections and rules; $uri is its address, $dir/record what it got.
start_fake() {
	rm -f "$dir/fake.port"
	"${FAKE_MONGO:?}" "$dir/fake.port" "$dir/record" "$@" 2>"$dir/fake.err" &
	fake=$!
	fakes="$fakes $fake"
	trap 'kill $fakes 2>/dev/null; rm -rf -- "$dir"' EXIT
	fake_tries=0
	while [ ! -f "$dir/fake.port" ]; do
		fake_tries=$((fake_tries + 1))
		if [ "$fake_tries" -gt 300 ]; then
			echo "not ok - the fake server starts"
			cat "$dir/fake.err"
			exit 1
		fi
		sleep 0.05
	done
	port=$(cat "$dir/fake.port")
	uri=mongodb://127.0.0.1:$port
}
# stop_fake NAME: it must have seen only commands that read.
stop_fake() {
	kill "$fake" 2>/dev/null
	wait "$fake" 2>/dev/null
	if grep -q '^REFUSED' "$dir/record"; then
		echo "not ok - $1: only commands that read"
		grep '^REFUSED' "$dir/record" | sed 's/^/  /'
		bad=1
	else
		echo "ok - $1: only commands that read"
	fi
}
