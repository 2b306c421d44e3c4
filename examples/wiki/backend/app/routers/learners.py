"""Learners: who takes part. Handles only; Harbor stores no names and no addresses."""

import sqlite3
from datetime import UTC, datetime

from app.models import Learner, text
from app.web import HTTPError, Request, Router

router = Router("/learners")


def to_json(row: dict) -> dict:
    return Learner(**{**row, "is_active": bool(row["is_active"])}).to_json()


@router.get("/", query={"cohort": "string"})
def list_learners(request: Request) -> list[dict]:
    """All learners; cohort=spring, summer or autumn gives only those"""
    if "cohort" in request.query:
        rows = request.db.all("SELECT * FROM learners WHERE cohort = ? ORDER BY id", request.query["cohort"])
    else:
        rows = request.db.all("SELECT * FROM learners ORDER BY id")
    return [to_json(row) for row in rows]


@router.get("/{id}")
def read_learner(request: Request) -> dict:
    """One learner"""
    row = request.db.one("SELECT * FROM learners WHERE id = ?", request.int_param("id"))
    if not row:
        raise HTTPError(404, "No such learner")
    return to_json(row)


@router.post("/")
def create_learner(request: Request) -> dict:
    """Enrol a learner"""
    body = request.json()
    try:
        made = request.db.run("INSERT INTO learners (handle, cohort, enrolled_at) VALUES (?, ?, ?)",
                              text(body, "handle", 60), text(body, "cohort", 20),
                              datetime.now(UTC).date().isoformat())
    except sqlite3.IntegrityError:
        raise HTTPError(409, "A learner with this handle exists") from None
    return to_json(request.db.one("SELECT * FROM learners WHERE id = ?", made))
