"""Analytics: numbers about a lab. Each takes ?lab=<slug of the lab>."""

from app.web import HTTPError, Request, Router

router = Router("/analytics")

OF_LAB = """
    FROM interactions i
    JOIN items t ON t.id = i.item_id
    JOIN learners l ON l.id = i.learner_id
    WHERE t.parent_id = ? AND i.action = 'submit'
"""


def lab_or_404(request: Request) -> dict:
    slug = request.need_query("lab")
    lab = request.db.one("SELECT * FROM items WHERE slug = ? AND kind = 'lab'", slug)
    if not lab:
        raise HTTPError(404, "No such lab")
    return lab


@router.get("/completion-rate", query={"lab": "string!"})
def completion_rate(request: Request) -> dict:
    """Share of the submissions of a lab that passed"""
    lab = lab_or_404(request)
    row = request.db.one(
        "SELECT count(*) AS submitted, coalesce(sum(i.score >= ?), 0) AS passed" + OF_LAB,
        request.settings.pass_score, lab["id"])
    percent = 100 * row["passed"] / row["submitted"]
    return {"lab": lab["slug"], "submitted": row["submitted"], "passed": row["passed"],
            "percent": round(percent, 1)}


@router.get("/top-learners", query={"lab": "string!", "limit": "integer"})
def top_learners(request: Request) -> list[dict]:
    """Learners with the best scores in a lab, best first"""
    lab = lab_or_404(request)
    limit = request.int_query("limit", 10, 1, 100)
    rows = request.db.all(
        "SELECT l.id, l.handle, max(i.score) AS best, count(*) AS submissions" + OF_LAB
        + " GROUP BY l.id", lab["id"])
    rows.sort(key=lambda row: row["best"], reverse=True)
    return rows[:limit]


@router.get("/scores", query={"lab": "string!"})
def scores(request: Request) -> dict:
    """How the scores of a lab are spread, in steps of ten; submissions that wait for review are counted apart"""
    lab = lab_or_404(request)
    buckets = {f"{low}-{low + 9}": 0 for low in range(0, 100, 10)}
    waiting = 0
    for row in request.db.all("SELECT i.score AS score" + OF_LAB, lab["id"]):
        if row["score"] is None:
            waiting += 1
            continue
        low = min(int(row["score"]) // 10 * 10, 90)
        buckets[f"{low}-{low + 9}"] += 1
    return {"lab": lab["slug"], "buckets": buckets, "waiting": waiting}
