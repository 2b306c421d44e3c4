"""The API from outside, over a server in this process. Run from the project root:
python3 -m unittest discover -s backend/tests -t backend"""

import json
import threading
import unittest
import urllib.error
import urllib.request
from http.server import ThreadingHTTPServer

from app.main import create_app
from app.settings import SettingsError, load
from app.web import make_handler

KEY = "test-key"


class Api(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), make_handler(create_app(load({"LMS_API_KEY": KEY}))))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def call(self, method, path, body=None, key=KEY):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.server.server_address[1]}{path}", data, method=method)
        if key:
            request.add_header("Authorization", f"Bearer {key}")
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as e:
            return e.code, json.load(e)

    def test_needs_a_key(self):
        self.assertEqual(self.call("GET", "/items/", key=None)[0], 401)
        self.assertEqual(self.call("GET", "/items/", key="other")[0], 401)
        self.assertEqual(self.call("GET", "/health", key=None)[0], 200)

    def test_counts(self):
        self.assertEqual(len(self.call("GET", "/learners/")[1]), 257)
        self.assertEqual(len(self.call("GET", "/items/?kind=task")[1]), 31)

    def test_an_item_is_made_once(self):
        body = {"kind": "lab", "slug": "lab-50", "title": "Knots"}
        self.assertEqual(self.call("POST", "/items/", body)[0], 201)
        self.assertEqual(self.call("POST", "/items/", body)[0], 409)

    def test_sync_can_be_repeated(self):
        self.call("POST", "/pipeline/sync")
        status, report = self.call("POST", "/pipeline/sync")
        self.assertEqual((status, report["new"], report["skipped"]), (200, 0, 2))

    def test_completion_rate(self):
        status, body = self.call("GET", "/analytics/completion-rate?lab=lab-01")
        self.assertEqual(status, 200)
        self.assertTrue(0 < body["percent"] < 100)


class Settings(unittest.TestCase):
    def test_the_example_value_is_no_key(self):
        with self.assertRaises(SettingsError):
            load({"LMS_API_KEY": "<key-of-the-backend>"})


if __name__ == "__main__":
    unittest.main()
