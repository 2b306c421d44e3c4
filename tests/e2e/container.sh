#!/bin/sh
# packaging/Containerfile: the packages of its last stage bring every library that the program needs; and, where a container
# engine runs, the image is built, runs as an unprivileged user, answers, keeps its store and stops.
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. ARGUS is the program.
#
# shellcheck disable=SC2317 # has_packages() and others are called by name
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
root=$source_root
file=$root/packaging/Containerfile

# --- libraries

# Linked, and the names that the program gives to dlopen().
libraries() {
	ldd "$ARGUS" | awk '/=>/ { print $1 }'
	grep -rhoE '"lib[a-z0-9_.-]+\.so(\.[0-9]+)*"' "$root/src" | tr -d '"'
}
has_packages() {
	sed -n '/^FROM debian:12-slim$/,$p' "$file" | tr -s '[:space:]' '\n' | sort -u >wanted
	# The image has a release build; this one may be built with a sanitizer.
	libraries | grep -vE '^lib((a|t|ub)san|clang_rt\.[a-z_]+-x86_64)\.' | sort -u >needed
	[ "$(wc -l <needed)" -ge 12 ] || return 1
	missing=0
	while read -r library; do
		package=$(dpkg -S "*-linux-gnu*/$library" 2>/dev/null | head -n 1 | cut -d: -f1)
		if ! grep -qxF -e "$package" wanted; then
			echo "$library: the package ${package:-that has it} is not in the image" >>out
			missing=1
		fi
	done <needed
	return "$missing"
}
: >out
if command -v dpkg >/dev/null 2>&1; then
	holds 'the image has every library' has_packages
else
	echo 'skip - libraries: not a Debian system'
fi
holds 'it runs as an unprivileged user' grep -qx 'USER 10001:10001' "$file"

# --- the image

for engine in docker podman; do
	if command -v "$engine" >/dev/null 2>&1 && timeout 20 "$engine" info >/dev/null 2>&1; then
		break
	fi
	engine=
done
if [ -z "$engine" ]; then
	echo 'skip - the image: no container engine runs here'
	exit $bad
fi
image=argus-test-$$
# shellcheck disable=SC2154 # dir comes from lib.sh
trap '"$engine" rm -f "$image" >/dev/null 2>&1; "$engine" volume rm "$image" >/dev/null 2>&1
	"$engine" rmi -f "$image" >/dev/null 2>&1; rm -rf -- "$dir"' EXIT
if ! timeout 1800 "$engine" build -q -f "$file" -t "$image" "$root" >out 2>err; then
	not_ok 'the image is built'
	exit 1
fi
ok 'the image is built'
holds 'its user is not root' [ "$("$engine" run --rm --entrypoint id "$image" -u)" = 10001 ]
"$engine" run -d --name "$image" -v "$image:/var/lib/argus" --read-only --tmpfs /tmp --cap-drop ALL \
	--security-opt no-new-privileges -p 127.0.0.1::8080 "$image" >out 2>err
at=$("$engine" port "$image" 8080/tcp | head -n 1)
answers() { python3 -c 'import sys, urllib.request; sys.exit(urllib.request.urlopen(sys.argv[1]).status != 200)' "http://$at$1" 2>>err; }
for _ in $(seq 100); do answers /readyz && break; sleep 0.1; done
holds 'it answers' answers /readyz
holds 'it has its page' answers /
holds 'its store is in the volume' "$engine" exec "$image" test -s /var/lib/argus/argus/argus.db
"$engine" stop -t 40 "$image" >/dev/null 2>&1
holds 'it stops by itself' [ "$("$engine" inspect -f '{{.State.ExitCode}}' "$image")" = 0 ]
exit $bad
