#!/bin/sh
# What `argus audit` finds in ten domains with known damage (see README.md).
set -eu
cd -- "$(dirname -- "$0")"
: "${ARGUS:?path of the program}"
PYTHONDONTWRITEBYTECODE=1 exec python3 detect.py "$@"
