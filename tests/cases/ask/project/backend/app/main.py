"""The service: FastAPI with its routers."""

from fastapi import FastAPI

from app.routers import analytics, items

app = FastAPI(title="Learning Management Service")


def add_routers(to: FastAPI) -> None:
    to.include_router(items.router, prefix="/items")
    to.include_router(analytics.router, prefix="/analytics")
