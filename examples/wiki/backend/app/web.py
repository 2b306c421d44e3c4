"""The little that Harbor needs of a web framework, on top of http.server: routers with decorators, path parameters,
typed query parameters, errors as JSON, and an OpenAPI document made from the same table.

Reading order: Router, App.dispatch, Handler.
"""

import json
import logging
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

log = logging.getLogger("harbor.web")
HERE = Path(__file__).resolve().parent.parent


class HTTPError(Exception):
    """Ends a request with this status; the client sees `detail`."""

    def __init__(self, status: int, detail: Any, headers: dict[str, str] | None = None):
        super().__init__(str(detail))
        self.status, self.detail, self.headers = status, detail, headers or {}


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: Any
    body: bytes
    settings: Any
    db: Any
    params: dict[str, str] = field(default_factory=dict)

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise HTTPError(422, "The body is not JSON") from None

    def int_query(self, name: str, default: int, low: int, high: int) -> int:
        text = self.query.get(name, str(default))
        if not re.fullmatch(r"-?\d{1,9}", text) or not low <= int(text) <= high:
            raise HTTPError(422, f"{name}: want a number from {low} to {high}")
        return int(text)

    def need_query(self, name: str) -> str:
        if not self.query.get(name):
            raise HTTPError(422, f"{name}: this query parameter is required")
        return self.query[name]

    def int_param(self, name: str) -> int:
        if not re.fullmatch(r"\d{1,9}", self.params[name]):
            raise HTTPError(422, f"{name}: want a number")
        return int(self.params[name])


@dataclass
class Route:
    method: str
    path: str
    handler: Callable[[Request], Any]
    status: int
    query: dict[str, str]
    is_open: bool

    def __post_init__(self) -> None:
        names = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path)
        self.pattern = re.compile(names)


class Router:
    """A module's routes: `router = Router("/items")`, then `@router.get("/{id}")`."""

    def __init__(self, prefix: str):
        self.prefix, self.routes = prefix, []

    def _add(self, method: str, path: str, status: int, query: dict[str, str] | None, is_open: bool):
        def keep(handler):
            self.routes.append(Route(method, self.prefix + path, handler, status, query or {}, is_open))
            return handler

        return keep

    def get(self, path: str, query: dict[str, str] | None = None, is_open: bool = False):
        return self._add("GET", path, 200, query, is_open)

    def post(self, path: str, status: int = 201):
        return self._add("POST", path, status, None, False)

    def put(self, path: str):
        return self._add("PUT", path, 200, None, False)


class App:
    def __init__(self, settings: Any, db: Any, require_key: Callable[[Request], None]):
        self.settings, self.db, self.require_key = settings, db, require_key
        self.routes: list[Route] = []

    def include(self, router: Router) -> None:
        self.routes += router.routes

    def dispatch(self, request: Request) -> tuple[int, Any, dict[str, str]]:
        """Status, body, headers. Whatever a handler raises is an answer, too."""
        try:
            return self._route(request)
        except HTTPError as e:
            return e.status, {"detail": e.detail}, e.headers
        except Exception as e:  # noqa: BLE001 - the last line of defence
            log.exception("%s %s", request.method, request.path)
            return 500, {"detail": str(e), "type": type(e).__name__, "traceback": frames(e)}, {}

    def _route(self, request: Request) -> tuple[int, Any, dict[str, str]]:
        allowed = set()
        for route in self.routes:
            m = route.pattern.fullmatch(request.path)
            if not m:
                continue
            allowed.add(route.method)
            if route.method == request.method:
                if not route.is_open:
                    self.require_key(request)
                request.params = {k: unquote(v) for k, v in m.groupdict().items()}
                return route.status, route.handler(request), {}
        if allowed:
            raise HTTPError(405, "Method Not Allowed", {"Allow": ", ".join(sorted(allowed))})
        if not request.path.endswith("/") and self._knows(request.path + "/"):
            raise HTTPError(307, "See the address with a slash", {"Location": request.path + "/"})
        raise HTTPError(404, "Not Found")

    def _knows(self, path: str) -> bool:
        return any(r.pattern.fullmatch(path) for r in self.routes)

    def openapi(self) -> dict[str, Any]:
        paths: dict[str, Any] = {}
        for r in self.routes:
            query = [{"name": n, "in": "query", "required": t.endswith("!"),
                      "schema": {"type": t.rstrip("!")}} for n, t in r.query.items()]
            path = [{"name": n, "in": "path", "required": True, "schema": {"type": "string"}}
                    for n in re.findall(r"\{(\w+)\}", r.path)]
            paths.setdefault(r.path, {})[r.method.lower()] = {
                "summary": (r.handler.__doc__ or "").strip().split("\n")[0],
                "operationId": r.handler.__name__,
                "parameters": path + query,
                "security": [] if r.is_open else [{"bearer": []}],
                "responses": {str(r.status): {"description": "Success"}},
            }
        return {"openapi": "3.1.0", "info": {"title": "Harbor", "version": "2.4.0"}, "paths": paths,
                "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}}}


def frames(e: BaseException) -> list[str]:
    """Where it happened, innermost last: file below backend/, line, function."""
    ret = []
    for f in traceback.extract_tb(e.__traceback__)[-3:]:
        path = Path(f.filename)
        name = path.relative_to(HERE) if path.is_relative_to(HERE) else path.name
        ret.append(f"{name}:{f.lineno} in {f.name}")
    return ret


def make_handler(app: App) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version, sys_version = "harbor", ""

        def answer(self) -> None:
            url = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            if length > app.settings.max_body_bytes:
                self.close_connection = True
                self.send(413, {"detail": "The body is too large"}, {})
                return
            query = {k: v[-1] for k, v in parse_qs(url.query, keep_blank_values=True).items()}
            request = Request(self.command, url.path, query, self.headers, self.rfile.read(length),
                              app.settings, app.db)
            status, body, headers = app.dispatch(request)
            if status == 307 and url.query:
                headers = {"Location": headers["Location"] + "?" + url.query}
            self.send(status, body, headers)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer

        def send(self, status: int, body: Any, headers: dict[str, str]) -> None:
            data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            log.info("%s %s", self.address_string(), format % args)

    return Handler
