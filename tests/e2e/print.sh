#!/bin/sh
# PDFs of reports and artifacts by a real Chromium (see print.py). Prints one `ok - name` or `not ok - name` line per case.
set -u
unset CDPATH
: "${ARGUS:?path of the program}"
case $ARGUS in /*) ;; *) ARGUS=$(pwd)/$ARGUS ;; esac
root=$(cd "$(dirname -- "$0")/../.." && pwd)
skip_all() {
	echo "skip - print: $1"
	exit 0
}
! grep -q __asan_init "$ARGUS" || skip_all "Chromium prints the same with sanitizers"
command -v chromium >/dev/null 2>&1 || skip_all "chromium is not installed"
command -v pdftotext >/dev/null 2>&1 || skip_all "pdftotext is not installed"
[ -s "$root/.cache/web/dist/apps/artifact.html" ] || skip_all "the page was not built: npm's registry is not reachable (tools/build-web)"
# Below /tmp, because another user runs the browser when this one is root.
dir=$(mktemp -d /tmp/argus-print-test-XXXXXX) || exit 1
trap 'rm -rf -- "$dir"' EXIT
ARGUS=$ARGUS PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/print.py" "$root" "$dir"
