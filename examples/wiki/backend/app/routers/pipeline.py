"""Pipeline: fetch what the grading service has, on demand."""

from dataclasses import asdict

from app import etl
from app.web import HTTPError, Request, Router

router = Router("/pipeline")


@router.post("/sync", status=200)
def sync(request: Request) -> dict:
    """Run extract, transform, load; says how many records were new, updated and skipped"""
    try:
        report = etl.sync(request.db)
    except etl.FeedError as e:
        raise HTTPError(502, f"The feed cannot be read: {e}") from e
    return asdict(report)
