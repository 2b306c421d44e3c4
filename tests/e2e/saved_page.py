#!/usr/bin/env python3
"""Checks of a saved page (--output html): known tags closed in order, links that lead somewhere, nothing loaded, one script and that
is the one which its policy allows, data that cannot end its place. usage: saved_page.py FILE [EXPRESSION of the data d]; prints what is
wrong."""
import base64
import hashlib
import html.parser
import json
import os
import sys

TAGS = set("html head meta title style script body h1 h2 p b a span table tr th td div".split())
BUILT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.cache/web/dist/report/page.deflated")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.bad, self.stack, self.ids, self.links, self.scripts, self.policy, self.gaps, self.text = [], [], [], [], [], "", 0, ""

    def handle_starttag(self, tag, attrs):
        if tag not in TAGS:
            self.bad.append("the tag %s" % tag)
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "srcset", "action", "style"):
                self.bad.append("the attribute %s" % name)
            if name == "href":
                self.links.append(value)
            if name == "id":
                self.ids.append("#" + value)
        values = dict(attrs)
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        self.gaps += values.get("class") == "gap"
        if tag == "script":
            self.scripts.append([values, ""])
        if tag != "meta":
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.bad.append("the end of %s" % tag)

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "script":
            self.scripts[-1][1] += data
        elif not self.stack or self.stack[-1] != "style":
            self.text += data


def read(text):
    """The page, with what is wrong in .bad, and its data; None of a program that was built without the script."""
    page = Page()
    page.feed(text)
    page.close()
    bad = page.bad
    if page.stack:
        bad.append("open tags: %s" % page.stack)
    if len(page.ids) != len(set(page.ids)) or set(page.links) - set(page.ids):
        bad.append("an id twice, or links to nothing: %s" % (set(page.links) - set(page.ids)))
    if "default-src 'none'" not in page.policy or "url(" in text or "@import" in text:
        bad.append("what the page may load")
    if not page.scripts:
        if os.path.exists(BUILT):
            bad.append("the page has no script")
        return page, None
    kinds = [s[0].get("type", "") for s in page.scripts]
    if kinds != ["application/json", ""]:
        bad.append("scripts: %s" % kinds)
        return page, None
    digest = base64.b64encode(hashlib.sha256(page.scripts[1][1].encode()).digest()).decode()
    if "script-src 'sha256-%s';" % digest not in page.policy or text.count("<script") != 2 or text.count("</script") != 2:
        bad.append("another script than that of the policy")
    data = page.scripts[0][1]
    if "<" in data:
        bad.append("the data could end its place")
    return page, json.loads(data)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        page, d = read(f.read())
    bad = page.bad
    if d is not None and len(sys.argv) > 2 and not eval(sys.argv[2], {"d": d}):
        bad.append("not so: %s" % sys.argv[2])
    print("\n".join(bad))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
