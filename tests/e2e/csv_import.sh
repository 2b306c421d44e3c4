#!/bin/sh
# The evidence of findings about CSV and TSV files counts the same after an import with mongoimport (csv_import.py has its rules).
# Prints one `ok - name` or `not ok - name` line per case. ARGUS is the program.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"

mkdir tables
# shellcheck disable=SC2016 # the inner shell expands them
holds 'evidence of CSV and TSV files after an import' sh -c \
	'ARGUS_STORE=memory: python3 "$1/tests/e2e/csv_import.py" "$2" tables >said && ! grep "^not ok" said && grep "^ok" said' - "$source_root" "$ARGUS"
exit $bad
