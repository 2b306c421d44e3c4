"""Puts Harbor together: settings, database, routers, server.

A request comes in through Caddy (caddy/Caddyfile), reaches web.make_handler(), App.dispatch() finds the route,
auth.require_key() looks at the key, the router's function asks the database, and the answer goes back as JSON.
"""

import logging
import sys
from http.server import ThreadingHTTPServer

from app import auth, seed
from app.db import Database
from app.routers import analytics, interactions, items, learners, pipeline
from app.settings import Settings, SettingsError, load
from app.web import App, Router, make_handler

ROUTERS = (items.router, learners.router, interactions.router, analytics.router, pipeline.router)


def system_router(app: App) -> Router:
    """What needs no key: is it alive, and what can it do."""
    router = Router("")

    @router.get("/health", is_open=True)
    def health(request):
        """Is the API alive"""
        return {"status": "ok", "database": "ok" if request.db.one("SELECT 1 AS x") else "down"}

    @router.get("/openapi.json", is_open=True)
    def openapi(request):
        """This document"""
        return app.openapi()

    return router


def create_app(settings: Settings) -> App:
    db = Database(settings.db_path)
    seed.fill(db)
    app = App(settings, db, auth.require_key)
    app.include(system_router(app))
    for router in ROUTERS:
        app.include(router)
    return app


def run() -> None:
    try:
        settings = load()
    except SettingsError as e:
        sys.exit(f"harbor: {e}")
    logging.basicConfig(level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s %(message)s")
    server = ThreadingHTTPServer((settings.host, settings.port), make_handler(create_app(settings)))
    server.daemon_threads = True
    print(f"port {server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
