#!/bin/sh
# Where the settings of `argus ask` come from, where it runs, and the commands beside it (see ask_users.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the scripted model server}"
exec python3 -B "$(dirname -- "$0")/ask_users.py" "$@"
