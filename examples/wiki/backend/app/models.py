"""The nouns of Harbor, and what is checked before one is stored."""

from dataclasses import asdict, dataclass
from typing import Any

from app.web import HTTPError

KINDS = ("lab", "task")
ACTIONS = ("view", "submit")


@dataclass(frozen=True)
class Item:
    """A lab, or a task of a lab (parent_id says of which)."""

    id: int
    kind: str
    slug: str
    title: str
    parent_id: int | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Learner:
    id: int
    handle: str
    cohort: str
    enrolled_at: str
    is_active: bool

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Interaction:
    """Something a learner did with a task. score is None until a mentor has looked at the submission."""

    id: int
    external_id: str | None
    learner_id: int
    item_id: int
    action: str
    score: float | None
    at: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def text(body: Any, name: str, max_length: int) -> str:
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, str) or not value.strip() or len(value) > max_length:
        raise HTTPError(422, f"{name}: want a text of 1 to {max_length} characters")
    return value.strip()


def choice(body: Any, name: str, allowed: tuple[str, ...]) -> str:
    value = text(body, name, 40)
    if value not in allowed:
        raise HTTPError(422, f"{name}: want one of {', '.join(allowed)}")
    return value


def number(body: Any, name: str) -> int:
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise HTTPError(422, f"{name}: want a positive number")
    return value


def score(body: Any) -> float | None:
    value = body.get("score")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 100:
        raise HTTPError(422, "score: want a number from 0 to 100, or null")
    return float(value)
