#!/bin/sh
# What an audit of a MongoDB collection costs the client and the server (see mongo.py).
set -eu
cd -- "$(dirname -- "$0")"
: "${ARGUS:?path of the program}"
PYTHONDONTWRITEBYTECODE=1 exec python3 mongo.py "$@"
