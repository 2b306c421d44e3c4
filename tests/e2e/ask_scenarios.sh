#!/bin/sh
# The acceptance scenarios of `argus ask` (see ask_scenarios.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the scripted model server}"
exec python3 -B "$(dirname -- "$0")/ask_scenarios.py" "$@"
