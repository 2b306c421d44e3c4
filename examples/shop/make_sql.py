#!/usr/bin/env python3
"""The example shop as SQL: examples/shop-sql/shop.sql, which travels inside argus (argus init --demo).

Reads the three files beside it and keeps every eighth order, without the planted damage: what cannot be read as it should
is left out. Make it again, byte for byte, with `python3 examples/shop/make_sql.py`.
"""
import csv
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
EVERY = 8
ROWS = 50  # of one INSERT

SCHEMA = """\
-- Made by make_sql.py from the files of the example shop; do not change it here.
CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  city TEXT,
  country TEXT,
  since DATE,
  vip BOOLEAN NOT NULL
);
CREATE TABLE products (
  sku TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  category TEXT NOT NULL,
  price REAL NOT NULL,
  stock INTEGER NOT NULL
);
CREATE TABLE orders (
  order_no TEXT PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
  ordered_on DATE NOT NULL,
  status TEXT NOT NULL,
  payment_method TEXT NOT NULL,
  shipping_cost REAL NOT NULL,
  total REAL NOT NULL
);
CREATE TABLE order_items (
  order_no TEXT NOT NULL REFERENCES orders (order_no),
  sku TEXT NOT NULL REFERENCES products (sku),
  quantity INTEGER NOT NULL,
  price REAL NOT NULL,
  discount_pct INTEGER NOT NULL
);
"""


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    return "'" + value.replace("'", "''") + "'"


def insert(table, rows):
    out = []
    for at in range(0, len(rows), ROWS):
        lines = ",\n".join("(" + ",".join(literal(v) for v in row) + ")" for row in rows[at : at + ROWS])
        out.append(f"INSERT INTO {table} VALUES\n{lines};\n")
    return "".join(out)


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def day(value):
    text = value.get("$date", "") if isinstance(value, dict) else ""
    return text[:10] if re.match(r"20(2[3-6])-\d\d-\d\dT", text) else None


def plain(text):
    text = text.strip() if isinstance(text, str) else None
    return text if text and "\u00c3" not in text and text not in ("N/A", "-") else None


def read_orders():
    for line in (HERE / "orders.ndjson").read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def good(order):
    cost = order.get("shipping", {}).get("cost")
    return (
        order.get("type") == "sale"
        and day(order.get("created_at"))
        and number(order.get("total"))
        and number(cost)
        and 0 <= cost < 100
        and order["items"]
        and all(number(i.get("price")) and number(i.get("qty")) and i["qty"] < 1000 for i in order["items"])
    )


def main():
    products = {}
    with open(HERE / "products.csv", encoding="utf-8", newline="") as f:
        for p in csv.DictReader(f):
            try:
                products[p["sku"]] = (p["sku"], p["name"].strip(), p["category"].strip().title(), float(p["price"]), int(p["stock"]))
            except ValueError:
                continue
    customers = {}
    for c in json.loads((HERE / "customers.json").read_text(encoding="utf-8")):
        address = c.get("address") or {}
        first, last = plain(c.get("first_name")), plain(c.get("last_name"))
        if first and last and number(c.get("customer_id")):
            country = plain(address.get("country"))
            customers[c["customer_id"]] = (
                c["customer_id"], first, last, plain(address.get("city")),
                country.title() if country else None, day(c.get("since")), bool(c.get("vip")),
            )
    orders, items, seen = [], [], set()
    for order in [o for o in read_orders() if good(o)][::EVERY]:
        lines = [i for i in order["items"] if i.get("sku") in products]
        if order["order_no"] in seen or order.get("customer_id") not in customers or len(lines) != len(order["items"]):
            continue
        seen.add(order["order_no"])
        orders.append((
            order["order_no"], order["customer_id"], day(order["created_at"]), order["status"].lower(),
            order["payment"]["method"].strip(), order["shipping"]["cost"], order["total"],
        ))
        items += [(order["order_no"], i["sku"], i["qty"], i["price"], i.get("discount") or 0) for i in lines]
    bought, buyers = {i[1] for i in items}, {o[1] for o in orders}
    text = SCHEMA
    text += insert("customers", [c for c in customers.values() if c[0] in buyers])
    text += insert("products", [p for p in products.values() if p[0] in bought])
    text += insert("orders", orders)
    text += insert("order_items", items)
    (HERE.parent / "shop-sql" / "shop.sql").write_text(text, encoding="utf-8")
    print(f"shop.sql: {len(buyers)} customers, {len(bought)} products, {len(orders)} orders, {len(items)} items, {len(text)} bytes")


if __name__ == "__main__":
    main()
