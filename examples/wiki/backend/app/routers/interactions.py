"""Interactions: what learners did with tasks. Many, so they come in pages."""

from datetime import UTC, datetime

from app.models import ACTIONS, Interaction, choice, number, score
from app.web import HTTPError, Request, Router

router = Router("/interactions")

MAX_PAGE = 500


@router.get("/", query={"learner_id": "integer", "limit": "integer", "after": "integer"})
def list_interactions(request: Request) -> list[dict]:
    """A page of interactions: those with an id above after, at most limit (100) of them"""
    limit = request.int_query("limit", 100, 1, MAX_PAGE)
    after = request.int_query("after", 0, 0, 10**9)
    sql = "SELECT * FROM interactions WHERE id > ?"
    values = [after]
    if "learner_id" in request.query:
        sql += " AND learner_id = ?"
        values.append(request.int_query("learner_id", 0, 1, 10**9))
    rows = request.db.all(sql + " ORDER BY id LIMIT ?", *values, limit)
    return [Interaction(**row).to_json() for row in rows]


@router.post("/")
def create_interaction(request: Request) -> dict:
    """Record that a learner viewed or submitted a task"""
    body = request.json()
    action = choice(body, "action", ACTIONS)
    learner, item = number(body, "learner_id"), number(body, "item_id")
    if not request.db.one("SELECT 1 FROM learners WHERE id = ?", learner):
        raise HTTPError(422, "learner_id: no such learner")
    if not request.db.one("SELECT 1 FROM items WHERE id = ? AND kind = 'task'", item):
        raise HTTPError(422, "item_id: no such task")
    made = request.db.run(
        "INSERT INTO interactions (learner_id, item_id, action, score, at) VALUES (?, ?, ?, ?, ?)",
        learner, item, action, score(body), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    return Interaction(**request.db.one("SELECT * FROM interactions WHERE id = ?", made)).to_json()
