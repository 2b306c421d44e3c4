#!/bin/sh
# What the profile, each check and a whole audit cost (see profile.py).
set -eu
cd -- "$(dirname -- "$0")"
: "${ARGUS:?path of the program}" "${ARGUS_BUILD:?the build tree}"
PYTHONDONTWRITEBYTECODE=1 exec python3 profile.py "$@"
