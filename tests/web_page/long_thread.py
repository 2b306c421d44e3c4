#!/usr/bin/env python3
"""Makes a conversation long: its last turn is repeated under new ids, each a second earlier than the one after it.

usage: long_thread.py STORE TURNS ASKED WORDS

STORE is a file of SQLite whose newest turn is the one to repeat; TURNS is how many copies are made. ASKED is a part of its
question: the copies have a number behind it, and the oldest of them WORDS instead. Prints the id of that turn."""
import sqlite3
import sys
import uuid

store, turns, asked, words = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
db = sqlite3.connect(store, timeout=30)
(run,) = db.execute("SELECT id FROM runs WHERE agent = 'analyst' ORDER BY started_at DESC LIMIT 1").fetchone()


def copy(table, key, changed):
    """Inserts the rows of the run once more; changed: a column's expression and its parameters."""
    names = [r[1] for r in db.execute("PRAGMA table_info(%s)" % table)]
    picked = ", ".join(changed[n][0] if n in changed else '"%s"' % n for n in names)
    values = [v for n in names if n in changed for v in changed[n][1:]]
    db.execute("INSERT INTO %s SELECT %s FROM %s WHERE %s = ?" % (table, picked, table, key), [*values, run])


last = run
with db:
    for n in range(1, turns + 1):
        last = str(uuid.uuid4())
        text = words if n == turns else "%s (%d)" % (asked, turns - n + 1)
        copy("runs", "id", {"id": ("?", last), "started_at": ("started_at - ?", 1000 * n)})
        copy("events", "run", {"run": ("?", last), "payload": ("replace(payload, ?, ?)", asked, text)})
        copy("reports", "run", {"run": ("?", last), "body": ("replace(body, ?, ?)", asked, text)})
print(last)
