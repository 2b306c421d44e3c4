#!/bin/sh
# What a turn of a conversation over HTTP costs (see chat.py).
set -eu
cd -- "$(dirname -- "$0")"
: "${ARGUS:?path of the program}" "${ARGUS_BUILD:?the build tree}"
LOAD=$ARGUS_BUILD/bench/bench_chat_load MODEL=$ARGUS_BUILD/bench/bench_chat_model PYTHONDONTWRITEBYTECODE=1 exec python3 chat.py "$@"
