#!/bin/sh
# What one turn with a model costs as a whole process (see turn.py).
set -eu
cd -- "$(dirname -- "$0")"
: "${ARGUS:?path of the program}" "${ARGUS_BUILD:?the build tree}"
FAKE_MODEL=$ARGUS_BUILD/tests/fake_model PYTHONDONTWRITEBYTECODE=1 exec python3 turn.py "$@"
