#!/bin/sh
# One failing call after the other: torture.py is the manual. Prints one `ok` or `not ok` line per case.
set -u
: "${ARGUS:?path of the program}"
root=${ARGUS_SOURCE_ROOT:-$(pwd)}
PYTHONDONTWRITEBYTECODE=1 exec python3 "$root/tests/e2e/torture.py" "$@"
