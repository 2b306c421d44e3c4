#!/bin/sh
# Every row of the security table of `argus ask` (see ask_security.py and tests/cases/ask/security.txt).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the scripted model server}"
exec python3 -B "$(dirname -- "$0")/ask_security.py" "$@"
