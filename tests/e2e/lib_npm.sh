# Sourced by tests: packages of npm, fetched once into .cache/ by their lock file, and a node that they take.
# shellcheck shell=sh disable=SC2154,SC2034 # root and dir come from the test; home and node are for it
# The test has skip_all REASON, which ends it, and a folder $dir.

npm_new_enough() { # NODE MAJOR MINOR
	"$1" -e 'const [a, b] = process.versions.node.split(".").map(Number)
const [x, y] = process.argv.slice(1).map(Number)
process.exit(a > x || (a === x && b >= y) ? 0 : 1)' "$2" "$3" 2>/dev/null
}

npm_fetch() { # NAME OPTION
	stamp=$(cat "$root/tests/$1/package-lock.json" && echo "$2")
	[ -f "$home/.stamp" ] && [ "$(cat "$home/.stamp")" = "$stamp" ] && return 0
	mkdir -p "$home" &&
		cp "$root/tests/$1/package.json" "$root/tests/$1/package-lock.json" "$root/tests/$1/.npmrc" \
			"$home/" &&
		(cd "$home" && npm_config_update_notifier=false timeout 300 \
			npm ci --no-audit --no-fund --ignore-scripts --fetch-retries=1 "$2") \
			>"$dir/npm.log" 2>&1 &&
		printf '%s\n' "$stamp" >"$home/.stamp"
}

# npm_packages NAME MAJOR MINOR: those of tests/NAME go to $home; $node is one of that version at least: the system's, or
# the one that the packages bring along (optional dependencies node-linux-*). What cannot be had skips the test.
npm_packages() {
	home=$root/.cache/$1
	command -v npm >/dev/null 2>&1 || skip_all "npm is not installed"
	command -v node >/dev/null 2>&1 || skip_all "node is not installed"
	if npm_new_enough node "$2" "$3"; then
		node=node
		npm_omit=--omit=optional
	else
		node=$home/node_modules/node-linux-$(node -p process.arch)/bin/node
		npm_omit=--include=optional
	fi
	if ! { mkdir -p "$root/.cache" && exec 9>"$root/.cache/$1.lock" && flock 9 && npm_fetch "$1" "$npm_omit"; }; then
		skip_all "npm cannot fetch it: $(grep -iv '^npm warn' "$dir/npm.log" 2>/dev/null | head -1)"
	fi
	exec 9>&-
	npm_new_enough "$node" "$2" "$3" || skip_all "it needs node $2.$3 or newer"
}
