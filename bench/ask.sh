#!/bin/sh
# What a scripted question costs as a whole process, and what the offline index costs (see ask.py).
set -eu
cd -- "$(dirname -- "$0")"
: "${ARGUS:?path of the program}" "${ARGUS_BUILD:?the build tree}"
FAKE_MODEL=$ARGUS_BUILD/tests/fake_model PYTHONDONTWRITEBYTECODE=1 exec python3 ask.py "$@"
