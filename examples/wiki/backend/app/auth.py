"""Who may ask: whoever sends the key of the deployment as a bearer token."""

import hmac

from app.web import HTTPError, Request

SCHEME = "bearer"


def require_key(request: Request) -> None:
    """Raise 401 unless the request carries `Authorization: Bearer <LMS_API_KEY>`."""
    header = request.headers.get("Authorization", "")
    if not header:
        raise HTTPError(401, "Missing bearer key", {"WWW-Authenticate": "Bearer"})
    scheme, _, given = header.partition(" ")
    if scheme.lower() != SCHEME:
        raise HTTPError(401, "Want the scheme Bearer", {"WWW-Authenticate": "Bearer"})
    # compare_digest takes as long for a near miss as for a far one.
    if not hmac.compare_digest(given.strip().encode(), request.settings.api_key.encode()):
        raise HTTPError(401, "Wrong key", {"WWW-Authenticate": "Bearer"})
