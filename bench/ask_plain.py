#!/usr/bin/env python3
"""A question answered by the plainest agent: a loop, two tools, nothing checked. The other side of ask.py.

usage: ask_plain.py BASE ROOT QUESTION
"""
import json
import os
import sys
import urllib.request

BASE, ROOT, QUESTION = sys.argv[1:4]
TOOLS = [{"type": "function", "function": {
    "name": name, "description": "A tool.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}
    for name in ("read_file", "list_files")]


def call(messages):
    body = json.dumps({"model": "m", "messages": messages, "tools": TOOLS}).encode()
    request = urllib.request.Request(BASE + "/v1/chat/completions", data=body, headers={
        "Content-Type": "application/json", "Authorization": "Bearer none"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)["choices"][0]["message"]


def tool(name, args):
    path = os.path.join(ROOT, args["path"])
    if name == "list_files":
        return "\n".join(sorted(os.listdir(path)))
    with open(path, encoding="utf-8") as f:
        return f.read()


messages = [{"role": "system", "content": "You answer questions."}, {"role": "user", "content": QUESTION}]
calls = []
while True:
    message = call(messages)
    if not message.get("tool_calls"):
        break
    messages.append(message)
    for c in message["tool_calls"]:
        args = json.loads(c["function"]["arguments"])
        result = tool(c["function"]["name"], args)
        calls.append({"tool": c["function"]["name"], "args": args, "result": result})
        messages.append({"role": "tool", "tool_call_id": c["id"], "content": result})
print(json.dumps({"answer": message["content"], "source": "", "tool_calls": calls}))
