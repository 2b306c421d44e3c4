#!/usr/bin/env python3
"""Check a page of `argus inspect --output html`: tags closed in order and known, no scripts, nothing loaded, links that lead
somewhere. usage: inspect_page.py FILE; prints what is wrong."""

import html.parser
import sys

TAGS = set("html head meta title style body h1 h2 h3 h4 p b i a span table tr th td div svg rect".split())
bad = []


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.stack, self.ids, self.links = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in TAGS:
            bad.append("the tag %s" % tag)
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "srcset", "action"):
                bad.append("the attribute %s" % name)
            if name == "href":
                self.links.append(value)
            if name == "id":
                self.ids.append("#" + value)
        if tag != "meta":
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        if tag not in TAGS:
            bad.append("the tag %s" % tag)

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            bad.append("the end of %s" % tag)


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    if page.stack:
        bad.append("open tags: %s" % page.stack)
    if len(page.ids) != len(set(page.ids)):
        bad.append("an id twice")
    if set(page.links) - set(page.ids):
        bad.append("links to nothing: %s" % (set(page.links) - set(page.ids)))
    if not page.ids or "default-src 'none'" not in text or "url(" in text:
        bad.append("what the page loads")
    print("\n".join(bad))
    return bool(bad)


sys.exit(main())
