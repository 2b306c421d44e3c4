# Sourced by tests of the program: a folder of their own, runs of the program, and one line for each case.
# shellcheck shell=sh disable=SC2034 # the variables are for the test
#
# Before: ARGUS = path of the program. After: the test stands in $dir, removed when it ends; $source_root is the folder
# of the sources; the test ends with `exit $bad`.
unset CDPATH NO_COLOR CLICOLOR_FORCE
ARGUS=${ARGUS:?path of the program}
case $ARGUS in /*) ;; *) ARGUS=$(pwd)/$ARGUS ;; esac
source_root=${ARGUS_SOURCE_ROOT:-$(pwd)}
unset ARGUS_SOURCE_ROOT

dir=$(mktemp -d) || exit 1
trap 'rm -rf -- "$dir"' EXIT
export XDG_STATE_HOME="$dir/state" HOME="$dir" LC_ALL=C.UTF-8
cd "$dir" || exit 1
bad=0

ok() { echo "ok - $1"; }
not_ok() {
	echo "not ok - $1"
	bad=1
	sed 's/^/  out: /' "$dir/out" 2>/dev/null | head -8
	sed 's/^/  err: /' "$dir/err" 2>/dev/null | head -8
}

# run ARG...: the program; $dir/out, $dir/err, code.
run() {
	"$ARGUS" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	code=$?
}

# want NAME CODE [TEXT-IN-OUT [TEXT-IN-ERR]]: fixed texts.
want() {
	if [ "$code" -ne "$2" ]; then
		not_ok "$1: exit $code, want $2"
	elif [ -n "${3-}" ] && ! grep -qF -e "$3" "$dir/out"; then
		not_ok "$1: no \"$3\" in the output"
	elif [ -n "${4-}" ] && ! grep -qF -e "$4" "$dir/err"; then
		not_ok "$1: no \"$4\" in the errors"
	else
		ok "$1"
	fi
}

# holds NAME CONDITION...
holds() {
	name=$1
	shift
	if "$@"; then ok "$name"; else not_ok "$name"; fi
}

# json EXPRESSION: of Python, about the output d.
json() { python3 -c "import json,sys; d=json.load(open('$dir/out')); sys.exit(0 if ($1) else 1)"; }
