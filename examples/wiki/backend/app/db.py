"""The database: one SQLite file (or memory), one connection, one lock.

SQLite allows one writer at a time, so a lock around the connection costs nothing that SQLite would not take anyway.
"""

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS items (
    id        INTEGER PRIMARY KEY,
    kind      TEXT NOT NULL CHECK (kind IN ('lab', 'task')),
    slug      TEXT NOT NULL UNIQUE,
    title     TEXT NOT NULL,
    parent_id INTEGER REFERENCES items(id)
);
CREATE TABLE IF NOT EXISTS learners (
    id          INTEGER PRIMARY KEY,
    handle      TEXT NOT NULL UNIQUE,
    cohort      TEXT NOT NULL,
    enrolled_at TEXT NOT NULL,
    is_active   INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE IF NOT EXISTS interactions (
    id          INTEGER PRIMARY KEY,
    external_id TEXT UNIQUE,
    learner_id  INTEGER NOT NULL REFERENCES learners(id),
    item_id     INTEGER NOT NULL REFERENCES items(id),
    action      TEXT NOT NULL CHECK (action IN ('view', 'submit')),
    score       REAL CHECK (score BETWEEN 0 AND 100),
    at          TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS interactions_by_item ON interactions(item_id, action);
CREATE INDEX IF NOT EXISTS interactions_by_learner ON interactions(learner_id);
"""


class Database:
    def __init__(self, path: str):
        self.path = path
        self.lock = threading.RLock()
        self.connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.connection.row_factory = sqlite3.Row
        self.connection.execute("PRAGMA foreign_keys = ON")
        if path != ":memory:":
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA busy_timeout = 5000")
        self.connection.executescript(SCHEMA)
        self.migrate(Path(__file__).parent / "migrations")

    def migrate(self, folder: Path) -> None:
        """Runs NNN_words.sql with a number above that of the database, in order, each in a transaction."""
        done = self.connection.execute("PRAGMA user_version").fetchone()[0]
        for path in sorted(folder.glob("[0-9][0-9][0-9]_*.sql")):
            number = int(re.match(r"\d+", path.name)[0])
            if number > done:
                self.connection.executescript(
                    f"BEGIN IMMEDIATE;\n{path.read_text()}\nPRAGMA user_version = {number};\nCOMMIT;")

    def all(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        with self.lock:
            return [dict(r) for r in self.connection.execute(sql, values)]

    def one(self, sql: str, *values: Any) -> dict[str, Any] | None:
        rows = self.all(sql, *values)
        return rows[0] if rows else None

    def run(self, sql: str, *values: Any) -> int:
        """Executes a statement; the id of the row it made."""
        with self.lock:
            return self.connection.execute(sql, values).lastrowid or 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: what is raised inside rolls back."""
        with self.lock:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")
