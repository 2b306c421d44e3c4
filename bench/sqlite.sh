#!/bin/sh
# What a call to SQLite in a child process costs, beside one in the same process and bare round trips (see sqlite_child.c).
set -eu
: "${ARGUS_BUILD:?the build tree}"
exec "$ARGUS_BUILD/bench/bench_sqlite_child" "$@"
