"""Items: labs and their tasks."""

import sqlite3

from app.models import KINDS, Item, choice, number, text
from app.web import HTTPError, Request, Router

router = Router("/items")


def item_or_404(request: Request, item_id: int) -> Item:
    row = request.db.one("SELECT * FROM items WHERE id = ?", item_id)
    if not row:
        raise HTTPError(404, "No such item")
    return Item(**row)


@router.get("/", query={"kind": "string"})
def list_items(request: Request) -> list[dict]:
    """All items, in the order of their ids; kind=lab or kind=task gives only those"""
    if "kind" in request.query:
        kind = choice(request.query, "kind", KINDS)
        rows = request.db.all("SELECT * FROM items WHERE kind = ? ORDER BY id", kind)
    else:
        rows = request.db.all("SELECT * FROM items ORDER BY id")
    return [Item(**row).to_json() for row in rows]


@router.get("/{id}")
def read_item(request: Request) -> dict:
    """One item"""
    return item_or_404(request, request.int_param("id")).to_json()


@router.post("/")
def create_item(request: Request) -> dict:
    """Add a lab, or a task with the parent_id of its lab"""
    body = request.json()
    kind = choice(body, "kind", KINDS)
    parent = number(body, "parent_id") if kind == "task" else None
    if parent and item_or_404(request, parent).kind != "lab":
        raise HTTPError(422, "parent_id: a task belongs to a lab")
    try:
        made = request.db.run("INSERT INTO items (kind, slug, title, parent_id) VALUES (?, ?, ?, ?)",
                              kind, text(body, "slug", 60), text(body, "title", 200), parent)
    except sqlite3.IntegrityError:
        raise HTTPError(409, "An item with this slug exists") from None
    return item_or_404(request, made).to_json()


@router.put("/{id}")
def rename_item(request: Request) -> dict:
    """Change the title of an item"""
    item = item_or_404(request, request.int_param("id"))
    request.db.run("UPDATE items SET title = ? WHERE id = ?", text(request.json(), "title", 200), item.id)
    return item_or_404(request, item.id).to_json()
