#!/bin/sh
# `argus ask` with small and odd models (see ask_models.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the scripted model server}"
exec python3 -B "$(dirname -- "$0")/ask_models.py" "$@"
