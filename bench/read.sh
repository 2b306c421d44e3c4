#!/bin/sh
# What reading costs in each form of the same documents (see read.py).
set -eu
cd -- "$(dirname -- "$0")"
: "${ARGUS:?path of the program}" "${ARGUS_BUILD:?the build tree}"
PYTHONDONTWRITEBYTECODE=1 exec python3 read.py "$@"
