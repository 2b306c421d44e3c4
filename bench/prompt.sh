#!/bin/sh
# What it costs to assemble the analyst's prompt from much knowledge and a large schema (see prompt.c).
set -eu
: "${ARGUS_BUILD:?the build tree}"
exec "$ARGUS_BUILD/bench/bench_prompt" "$@"
