#!/bin/sh
# Signing in to argus serve by an OpenID Connect issuer (see serve_oidc.py), on a store in SQLite and in a real PostgreSQL.
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the program}"
here=$(cd "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/e2e/lib_serve.sh
. "$here/lib_serve.sh"
serve_suite serve_oidc
