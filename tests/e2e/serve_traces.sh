#!/bin/sh
# OpenTelemetry traces of argus serve, with the real program, on a store in SQLite and in a real PostgreSQL (see serve_traces.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/e2e/lib_serve.sh
. "$here/lib_serve.sh"
serve_suite serve_traces
