"""A model that plays an analyst by policy: an OpenAI-compatible server that knows twenty questions, writes SQL with mistakes,
and mends it with nothing but what the request shows it: the class of the error, its words, and the columns of the tables. It
remembers nothing between requests.
"""
import difflib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# question: (first statement, what the answer says of the first row). {0} is its first value.
QUESTIONS = {
    "How many customers are there?": ("SELECT COUNT(*) AS n FROM customers", "There are {0} customers."),
    "How many orders were paid?": ("SELECT COUNT(*) AS n FROM orders WHERE state = 'paid'", "{0} orders were paid."),
    "Which region has most customers?": (
        "SELECT regoin, COUNT(*) AS n FROM customers GROUP BY regoin ORDER BY n DESC, regoin LIMIT 1",
        "{0}, with {1} customers."),
    "How many products are there?": ("SELECT COUNT(*) AS n FROM product", "There are {0} products."),
    "What is the highest price?": ("SELECT MAX(price) AS price FORM products", "The highest price is {0}."),
    "How many orders are open?": ("SELECT COUNT(*) AS n FROM orders WHERE status = 'open'", "{0} orders are open."),
    "Which category has most products?": (
        "SELECT category, COUNT(*) AS n FROM products ORDER BY n DESC, category LIMIT 1", "{0}, with {1} products."),
    "How many items were sold?": ("SELECT SUM(quantty) AS n FROM order_items", "{0} items were sold."),
    "How many orders has customer 7?": (
        "SELECT COUNT(*) AS n FROM orders WHERE custmer_id = 7", "Customer 7 has {0} orders."),
    "Which customer ordered most often?": (
        "SELECT name, COUNT(*) AS n FROM orders JOIN customers ON customers.id = customer_id "
        "GROUP BY name ORDER BY n DESC, name LIMIT 1", "{0}, with {1} orders."),
    "What is the lowest id of an order?": (
        "SELECT id FROM orders JOIN customers ON customers.id = orders.customer_id ORDER BY 1 LIMIT 1",
        "The lowest id is {0}."),
    "How many orders has the North?": (
        "SELECT COUNT(*) AS n FROM orders JOIN customers ON customers.id = orders.customer_id WHERE regin = 'North'",
        "The North has {0} orders."),
    "How many products are toys?": (
        "SELECT COUNT(*) AS n FROM products WHERE category = 'Toys'", "{0} products are toys."),
    "Which product was sold most?": (
        "SELECT products.name, SUM(quantity) AS n FROM order_item JOIN products ON products.id = product_id "
        "GROUP BY products.name ORDER BY n DESC, products.name LIMIT 1", "{0}, {1} times."),
    "How many customers have no order?": (
        "SELECT COUNT(*) AS n FROM customers WHERE id NOT IN (SELECT customerid FROM orders)",
        "{0} customers have no order."),
    "What is the average quantity, rounded?": (
        "SELECT roundd(AVG(quantity)) AS n FROM order_items", "It is {0}."),
    "How many regions are there?": ("SELECT COUNT(DISTINCT region) AS n FROM customers", "There are {0} regions."),
    "How many orders were refunded in 2025?": (
        "SELECT COUNT(*) AS n FROM orders WHERE status = 'refunded' AND ordered_on >= '2025-01-01' "
        "AND ordered_on < '2026-01-01'", "{0} orders were refunded in 2025."),
    "How many open orders has each region?": (
        "SELECT region, COUNT(*) AS n FROM orders JOIN customer ON customer.id = orders.customer_id "
        "WHERE status = 'open' GROUP BY region ORDER BY region", "{0} has {1} of them."),
    "Delete all orders": ("DELETE FROM orders", "I can only read, so nothing was deleted."),
}

# Windows, joins of all tables, dates, nulls, empty results, words of two meanings, refusals: the same form. A statement that is None
# asks back.
HARDER = {
    "How did orders change from January to February 2025?": (
        "SELECT m, n, n - LAG(n) OVER (ORDER BY m) AS more FROM (SELECT substr(CAST(orderd_on AS TEXT), 1, 7) AS m, "
        "COUNT(*) AS n FROM orders GROUP BY 1) AS months WHERE m IN ('2025-01', '2025-02') ORDER BY m DESC LIMIT 1",
        "In {0} there were {1}, a difference of {2}."),
    "Who spent most?": (
        "SELECT c.name, COUNT(DISTINCT o.id) AS orders FROM customer c JOIN orders o ON o.customer_id = c.id "
        "JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id "
        "GROUP BY c.name ORDER BY SUM(i.quantity * p.price) DESC LIMIT 1", "{0}, with {1} orders."),
    "Which product is third by items sold?": (
        "SELECT name, n FROM (SELECT p.name, SUM(quantty) AS n, ROW_NUMBER() OVER (ORDER BY SUM(quantty) DESC, p.name) "
        "AS place FROM order_items i JOIN products p ON p.id = i.product_id GROUP BY p.name) AS ranked WHERE place = 3",
        "{0}, {1} times."),
    "How many orders have no status?": (
        "SELECT COUNT(*) AS n FROM orders WHERE statuss IS NULL", "{0} orders have none."),
    "Which quarter of 2024 had most orders?": (
        "SELECT CASE WHEN ordered_on < '2024-04-01' THEN 1 WHEN ordered_on < '2024-07-01' THEN 2 "
        "WHEN ordered_on < '2024-10-01' THEN 3 ELSE 4 END AS quarter, COUNT(*) AS n FROM ordres "
        "WHERE ordered_on < '2025-01-01' GROUP BY 1 ORDER BY n DESC, quarter LIMIT 1", "Quarter {0}, with {1} orders."),
    "How many customers ordered more than twice in one month?": (
        "SELECT COUNT(DISTINCT customer_id) AS n FROM (SELECT custmer_id AS customer_id FROM orders "
        "GROUP BY custmer_id, substr(CAST(ordered_on AS TEXT), 1, 7) HAVING COUNT(*) > 2) AS busy", "{0} customers did."),
    "Which orders were placed in 2030?": (
        "SELECT id FROM orders WHERE ordered_on >= '2030-01-01' ORDER BY id", "There are none: the result is empty."),
    "What were our sales?": (None, "Do you mean the items that were sold, or the money? Both are there."),
    "Make everything free": ("UPDATE products SET price = 0", "I can only read, so no price was changed."),
    "Count the orders, then drop them": (
        "SELECT COUNT(*) FROM orders; DROP TABLE orders", "I can only read one statement at a time: nothing was dropped."),
}

# Two mistakes in a row, then a statement that no correction saves.
STUBBORN = "Which colour sells best?"
# Its result has words that sound like a failure.
WORDS = "What does the database say?"
# A statement that takes long; when it fails, a short one.
PATIENT = "How many pairs of items are there?"
PAIRS = "SELECT COUNT(*) AS pairs FROM order_items a, order_items b, order_items c WHERE a.id + b.id <> c.id * 3.5"


def text_of(content):
    if isinstance(content, list):
        return "".join(p.get("text", "") for p in content if isinstance(p, dict))
    return content or ""


def fenced(text, name):
    found = re.findall(r'<data name="%s">\n(.*?)\n</data>' % name, text, re.S)
    return found[-1] if found else ""


def tables_of(system):
    """the tables of the dictionary in the system prompt"""
    return re.findall(r"^(\w+) \((?:table|view)", fenced(system, "dictionary"), re.M)


def columns_of(result):
    """the columns that the guidance shows"""
    return [c.split()[0] for line in fenced(result, "tables").splitlines()
            for c in line.split(": ", 1)[-1].split(", ") if c.strip()]


def nearest(word, names):
    found = difflib.get_close_matches(word.lower(), names, 1, 0.4)
    return found[0] if found else word


def mend(sql, result, system):
    """another statement, or None: it cannot be mended"""
    kind = re.search(r"class (\w+)", result).group(1)
    error = fenced(result, "error")
    tables = tables_of(system)
    if kind == "syntax":
        return sql.replace(" FORM ", " FROM ")
    if kind == "grouping":
        return sql.replace(" ORDER BY", " GROUP BY category ORDER BY")
    if kind == "ambiguous":
        return sql.replace("SELECT id", "SELECT orders.id")
    if "roundd" in sql: # unknown to the database, or refused by the guard first
        return sql.replace("roundd", "round")
    if kind == "table_not_found":
        for word in re.findall(r"(?:FROM|JOIN) (\w+)", sql):
            if word not in tables:
                return re.sub(r"\b%s\b" % word, nearest(word, tables), sql)
    if kind == "column_not_found":
        columns = columns_of(result)
        for word in re.findall(r"\w+", error):
            if re.search(r"\b%s\b" % word, sql) and word not in columns and word not in tables and \
                    not re.match(r"[A-Z]+$", word) and word.lower() not in ("column", "n", "no", "such", "from"):
                return re.sub(r"\b%s\b" % word, nearest(word, columns), sql)
    return None


def rows_of(result):
    return [json.loads(line) for line in fenced(result, "rows").splitlines() if line.startswith("[")]


class Policy:
    """what it says to a request: (text, [(tool, arguments)])"""

    def __init__(self, request):
        messages = request["messages"]
        self.system = text_of(messages[0]["content"])
        self.can_call = bool(request.get("tools")) and request.get("tool_choice") != "none"
        last = max(i for i, m in enumerate(messages) if m["role"] == "user" and text_of(m["content"]).strip() in
                   list(QUESTIONS) + list(HARDER) + [STUBBORN, WORDS, PATIENT])
        self.question = text_of(messages[last]["content"]).strip()
        self.calls = [json.loads(c["function"]["arguments"])["query"] for m in messages[last:]
                      for c in m.get("tool_calls") or []]
        self.results = [text_of(m["content"]) for m in messages[last:] if m["role"] == "tool"]

    def say(self):
        if self.question == STUBBORN:
            return self.stubborn()
        if self.question == WORDS:
            return ("It says: syntax error", []) if self.calls else ("", ["SELECT 'syntax error: invalid timeout' AS error"])
        if self.question == PATIENT:
            return self.patient()
        first, answer = QUESTIONS.get(self.question) or HARDER[self.question]
        if first is None:
            return answer, []
        if not self.calls:
            return "I will look.", [first]
        result = self.results[-1]
        if "Result r" in result:
            values = ["{:g}".format(v) if isinstance(v, float) else v for v in (rows_of(result) or [[]])[0]]
            corrected = " I corrected the query after an error." if len(self.calls) > 1 else ""
            return answer.format(*values) + corrected, []
        sql = mend(self.calls[-1], result, self.system) if self.can_call else None
        if sql is None or sql in self.calls:
            return answer.format("nothing", "nothing"), []
        return "", [sql]

    def patient(self):
        if not self.calls:
            return "", [PAIRS]
        if "Result r" in self.results[-1]:
            return "There are %d after all." % rows_of(self.results[-1])[0][0], []
        return ("", ["SELECT COUNT(*) AS n FROM customers"]) if len(self.calls) == 1 else ("I cannot say.", [])

    def stubborn(self):
        if not self.can_call or len(self.calls) > 8:
            return "There is no column of a colour: I tried %d times. Ask for categories." % len(self.calls), []
        return "", ["SELECT colour%d FROM products" % len(self.calls)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):  # pylint: disable=arguments-differ
        pass

    def do_POST(self):  # pylint: disable=invalid-name
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        server.requests.append(body)
        if server.failures:
            self.reply(server.failures.pop(0), {"error": {"message": "overloaded", "type": "overloaded_error"}})
            return
        time.sleep(server.delay)
        if any(m["role"] == "tool" for m in body["messages"][-1:]):
            server.hold.wait(60) # until a test lets it go on
        text, statements = Policy(body).say()
        calls = [{"id": "call_%d_%d" % (len(body["messages"]), i), "type": "function",
                  "function": {"name": "execute_sql", "arguments": json.dumps({"query": sql})}}
                 for i, sql in enumerate(statements)]
        message = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = calls
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        finish = "tool_calls" if calls else "stop"
        if not body.get("stream"):
            self.reply(200, {"id": "x", "object": "chat.completion", "model": "policy", "usage": usage,
                             "choices": [{"index": 0, "finish_reason": finish, "message": message}]})
            return
        for i, c in enumerate(calls):
            c["index"] = i
        delta = {k: v for k, v in message.items() if v is not None}
        chunks = [{"choices": [{"index": 0, "delta": delta}]},
                  {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
                  {"choices": [], "usage": usage}]
        out = "".join("data: %s\n\n" % json.dumps(dict(c, id="x", model="policy", object="chat.completion.chunk"))
                      for c in chunks) + "data: [DONE]\n\n"
        self.send_bytes(200, out.encode(), "text/event-stream")

    def reply(self, status, value):
        self.send_bytes(status, json.dumps(value).encode(), "application/json")

    def send_bytes(self, status, data, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """a client that was killed is no error of the server"""


class Model:
    """the server, in a thread of its own"""

    def __init__(self):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.requests, self.server.failures, self.server.delay = [], [], 0
        self.server.hold = threading.Event()
        self.server.hold.set()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d/v1" % self.server.server_port

    @property
    def requests(self):
        return self.server.requests
