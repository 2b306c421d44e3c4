#!/bin/sh
# What the store costs: processor time of a committed audit row, event and rate limit (see store.c).
set -eu
: "${ARGUS_BUILD:?the build tree}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$ARGUS_BUILD/bench/bench_store" "$folder" "$@"
