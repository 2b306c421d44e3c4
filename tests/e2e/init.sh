#!/bin/sh
# argus init and argus import with the real program: a project in under a minute, nothing overwritten, no password in a file,
# a table whole or not at all, and never in a database of somebody else.
# shellcheck source=tests/e2e/lib.sh disable=SC2317 # functions are called by holds
. "$(dirname "$0")/lib.sh"

canary=CANARYpw-51ac
tables="$XDG_STATE_HOME/argus/tables"

# rows FILE SQL: on a SQLite file, as somebody from outside.
rows() { python3 -c "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall())" "$1" "$2"; }
is() { [ "$(rows "$1" "$2" 2>&1)" = "$3" ]; }

# --- init ---

run init --demo
want "argus.yaml is created where it is missing" 0 "made with project shop-demo" "There is no model yet"
want "its tables are listed" 0 "orders"
want "questions that it can answer are named" 0 "Which status has the highest total of orders?"
run project test shop-demo
want "the project of argus.yaml answers" 0 "" "answers"

python3 -c "
import sqlite3
d = sqlite3.connect('notes.db')
d.executescript('CREATE TABLE note (id INTEGER PRIMARY KEY, kind TEXT, day DATE, size REAL); INSERT INTO note VALUES (1, \"a\", \"2026-01-01\", 2.5);')"
cp argus.yaml before.yaml
run init notes.db
holds "what was in argus.yaml is as it was" python3 -c "
old = open('before.yaml').read(); new = open('argus.yaml').read()
rest = new.replace('  notes:\n    source: \"sqlite:notes.db\"\n', '')
raise SystemExit(rest != old)"
cp argus.yaml before.yaml
run init notes.db
want "a project of that name is not overwritten" 1 "" "there is a project notes already"
run init notes.db -p other -o json
want "another name makes another one" 0
holds "as JSON" json 'd["project"] == "other" and d["tables"] == 1 and d["columns"] == 4 and len(d["questions"]) >= 2'
cp argus.yaml before.yaml

run init "postgresql://ann:$canary@127.0.0.1:1/shop"
want "a database that does not answer is no project" 1 "" "CONNECTION_ERROR"
run init missing.db
want "a file that is not there" 1 "" "No such file"
echo text >plain.txt
run init plain.txt
want "a file that is no database" 1 "" "is no SQLite file"
run init mysql://ann:$canary@host/x
want "a database that Argus does not know" 1 "" "is no database that Argus knows"
run init notes.db -p "a b"
want "an invalid name" 1 "" "is no name of a project"
run init
want "no database at all" 2 "" "which database?"
run init --demo notes.db
want "two databases" 2 "" "want no other beside it"
printf 'projects: {a: {source: "sqlite:notes.db"}}\n' >flow.yaml
run init notes.db --config flow.yaml -p b
want "a form that cannot take an entry is said" 1 "" "written on one line"
holds "and left alone" grep -qx 'projects: {a: {source: "sqlite:notes.db"}}' flow.yaml
printf '# mine\naudit:\n    seed: 3 # kept\nprojects:\n    # all of them\n    a:\n        source: "sqlite:notes.db"\nask:\n    language: de' >mine.yaml
printf '# mine\naudit:\n    seed: 3 # kept\nprojects:\n    b:\n        source: "sqlite:notes.db"\n    # all of them\n    a:\n        source: "sqlite:notes.db"\nask:\n    language: de' >want.yaml
sed -i '/^ask:/,$d' mine.yaml want.yaml
run init notes.db --config mine.yaml -p b
want "an entry takes the indentation of its neighbours" 0
holds "comments stay" cmp -s mine.yaml want.yaml
AG_FAULT=file.rename:1 run init notes.db -p c
want "a file that cannot be written" 1
holds "failures leave argus.yaml as it was" cmp -s argus.yaml before.yaml
holds "no password is in any file" sh -c "! grep -rqF $canary . "

# --- import ---

printf 'Order No,Amount (EUR),When,2nd,Paid,Note,Amount (EUR)\n1,12.50,2026-01-02,007,true,"a, b",1\n2,3,2026-01-03,008,false,,2\n3,,2026-01-04,009,true\n' >"My Orders-2026.csv"
run import "My Orders-2026.csv" --project files
want "a CSV file becomes a table of a new project" 0 "my_orders_2026: 3 rows, 7 columns" "1 row had fewer cells"
holds "names and types are clean" is "$tables/files.sqlite" "SELECT sql FROM sqlite_master" \
	"[('CREATE TABLE \"my_orders_2026\" (\"order_no\" INTEGER, \"amount_eur\" REAL, \"when\" DATE, \"col_2nd\" TEXT, \"paid\" BOOLEAN, \"note\" TEXT, \"amount_eur_7\" INTEGER)',)]"
holds "values are exact" is "$tables/files.sqlite" "SELECT * FROM my_orders_2026" \
	"[(1, 12.5, '2026-01-02', '007', 1, 'a, b', 1), (2, 3.0, '2026-01-03', '008', 0, None, 2), (3, None, '2026-01-04', '009', 1, None, None)]"
run project test files
want "the project answers" 0 "" "answers"
printf 'a;b\nx;1\n' >small.csv
run import small.csv -p files --table "My Orders 2026"
want "a table of that name is replaced" 0 "was replaced"
holds "all of it" is "$tables/files.sqlite" "SELECT * FROM my_orders_2026" "[('x', 1)]"
printf 'a,b\n1,2\n1,2,3\n' >bad.csv
run import bad.csv -p files --table my_orders_2026
want "a line that cannot be read is an error with its number" 1 "" "line 3"
AG_FAULT=store.commit:1 run import small.csv -p files --table other
want "a disk that is full" 1
holds "failures leave the tables as they were" is "$tables/files.sqlite" "SELECT name, (SELECT b FROM my_orders_2026) FROM sqlite_master" \
	"[('my_orders_2026', 1)]"
cp notes.db notes.copy
run import small.csv -p notes
want "a project with a database gets a neighbour" 0 "" "the table is in project notes-files"
holds "its own database is not touched" cmp -s notes.db notes.copy
run import small.csv -p notes -o json
holds "again into the same one" json 'd["project"] == "notes-files" and d["replaced"] and d["rows"] == 1'
cp notes.db "$tables/strange.sqlite"
run import small.csv -p strange
want "a file that Argus did not make is not written to" 1 "" "Argus did not make"
echo '{"a":1}' >x.json
run import x.json -p files
want "only CSV" 1 "" "is no CSV file"
printf 'a,b\n' >head.csv
run import head.csv -p files
want "a header alone" 1 "" "no rows"
run import small.csv
want "no project" 2 "" "want --project ID"
run import small.csv -p ../up
want "a project cannot lead out of the folder" 1 "" "is no name of a project"
run import small.csv -p lost --table "..."
want "a table without a name" 1 "" "the table has no name"
exit $bad
