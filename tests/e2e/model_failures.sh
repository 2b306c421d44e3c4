#!/bin/sh
# Models that are busy, away, cut off, killed or hostile, and what stays of the run (see model_failures_check.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the scripted model server}"
exec python3 "$(dirname -- "$0")/model_failures_check.py" "$@"
