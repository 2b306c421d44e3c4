"""Do the answers of argus serve fit its own OpenAPI document? serve.ask() asks this of every answer that is JSON."""
import json
import re
import subprocess

try:
    import jsonschema
except ImportError:
    jsonschema = None


class Document:
    def __init__(self, argus):
        text = subprocess.run([argus, "serve", "--openapi"], capture_output=True, text=True, check=True).stdout
        self.doc = json.loads(text)
        self.paths = []
        self.checked = {}  # "GET /api/threads 200": how often
        for path in self.doc["paths"]:
            pattern = "".join("[^/]+" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{[^}]+\})", path))
            self.paths.append((re.compile(pattern + "$"), path))
        self.paths.sort(key=lambda p: p[1].count("{"))

    def answer_of(self, method, path, status):
        """The description of the answer: None = the path is not in the document, "" = the document does not have this answer."""
        for pattern, name in self.paths:
            if not pattern.match(path) or method.lower() not in self.doc["paths"][name]:
                continue
            answer = self.doc["paths"][name][method.lower()]["responses"].get(str(status), "")
            while answer and "$ref" in answer:
                answer = self.doc["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
            self.checked["%s %s %d" % (method, name, status)] = self.checked.get("%s %s %d" % (method, name, status), 0) + 1
            return answer
        return None

    def fault(self, method, target, status, media, body):
        """What is wrong with the answer; "" = it fits."""
        answer = self.answer_of(method, target.split("?")[0], status)
        if answer is None:
            return "" if status in (404, 405) else "the document has no such path"
        if answer == "":
            return "the document has no answer %d" % status
        media = media.split(";")[0]
        content = answer.get("content", {})
        if not body:
            return "a body is missing" if content and method != "HEAD" else ""
        if media not in content:
            return "" if "*/*" in content or ("text/*" in content and media.startswith("text/")) else "%s is not described" % media
        if "json" not in media or not jsonschema:
            return ""
        schema = dict(content[media]["schema"], components=self.doc["components"])
        errors = sorted(jsonschema.Draft202012Validator(schema).iter_errors(json.loads(body)), key=str)
        return "; ".join("%s: %s" % ("/".join(map(str, e.absolute_path)), e.message[:300]) for e in errors[:3])
