#!/bin/sh
# How well the auditor sees: precision, recall, false alarms (see accuracy.py).
set -eu
cd -- "$(dirname -- "$0")"
: "${ARGUS:?path of the program}"
PYTHONDONTWRITEBYTECODE=1 exec python3 accuracy.py "$@"
