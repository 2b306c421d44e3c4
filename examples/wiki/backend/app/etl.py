"""The pipeline: extract from the feed of the grading service, transform, load. POST /pipeline/sync runs it.

The load can be repeated: each record carries the external_id that the grading service gave it, and the load is an
upsert on that column (ON CONFLICT (external_id) DO UPDATE), so a second run changes rows and never doubles them.
A record that cannot be used is counted and skipped; it does not stop the rest. Only a feed that cannot be read at all
raises FeedError, and then the transaction is rolled back.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from app.db import Database
from app.seed import Dice

log = logging.getLogger("harbor.etl")

PAGE_SIZE = 25
NPAGES = 3


class FeedError(Exception):
    """The feed as a whole cannot be read."""


@dataclass
class Report:
    fetched: int = 0
    new: int = 0
    updated: int = 0
    skipped: int = 0
    reasons: dict[str, int] = field(default_factory=dict)

    def skip(self, reason: str) -> None:
        self.skipped += 1
        self.reasons[reason] = self.reasons.get(reason, 0) + 1


def page_of_feed(page: int) -> list[dict[str, Any]]:
    """One page of what the grading service would send. Bundled, so that the example needs no network."""
    dice = Dice(777 + page)
    records = []
    for n in range(PAGE_SIZE):
        number = page * PAGE_SIZE + n
        records.append({
            "id": f"sub-{number:04}",
            "learner": 1 + dice.roll(250),
            "task": f"lab-{1 + dice.roll(7):02}-task-{1 + dice.roll(2)}",
            "score": str(40 + dice.roll(60)),
            "submitted": f"2031-11-{1 + dice.roll(28):02}T08:30:00Z",
        })
    if page == 1:
        records[4]["learner"] = 90_000  # has left the platform
        records[9]["score"] = "n/a"
    return records


def extract(pages: int = NPAGES) -> Iterator[dict[str, Any]]:
    for page in range(pages):
        records = page_of_feed(page)
        if not isinstance(records, list):
            raise FeedError(f"page {page} of the feed is not a list")
        yield from records


def transform(db: Database, record: dict[str, Any]) -> tuple[Any, ...]:
    """The values of a row; ValueError says why the record cannot be used."""
    try:
        score = float(record["score"])
    except (KeyError, TypeError, ValueError):
        raise ValueError("score is no number") from None
    if not 0 <= score <= 100:
        raise ValueError("score out of range")
    if not db.one("SELECT 1 FROM learners WHERE id = ?", record.get("learner")):
        raise ValueError("unknown learner")
    task = db.one("SELECT id FROM items WHERE slug = ?", record.get("task"))
    if not task:
        raise ValueError("unknown task")
    return record["id"], record["learner"], task["id"], score, record["submitted"]


def load(db: Database, row: tuple[Any, ...]) -> bool:
    """True: the row is new. An upsert, so loading the same record twice leaves one row."""
    is_new = not db.one("SELECT 1 FROM interactions WHERE external_id = ?", row[0])
    db.run(
        "INSERT INTO interactions (external_id, learner_id, item_id, action, score, at)"
        " VALUES (?, ?, ?, 'submit', ?, ?)"
        " ON CONFLICT (external_id) DO UPDATE SET score = excluded.score, at = excluded.at",
        *row,
    )
    return is_new


def sync(db: Database) -> Report:
    report = Report()
    with db.transaction():
        for record in extract():
            report.fetched += 1
            try:
                row = transform(db, record)
            except ValueError as e:
                log.warning("record %s skipped: %s", record.get("id"), e)
                report.skip(str(e))
                continue
            if load(db, row):
                report.new += 1
            else:
                report.updated += 1
    return report
