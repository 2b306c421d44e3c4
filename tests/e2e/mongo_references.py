"""Data and comparison for mongo_references.sh.

    write FOLDER ORDERS CUSTOMERS    orders.ndjson, customers.ndjson and products.ndjson in FOLDER
    same A.json B.json NUMBER        two reports have the same findings on references, NUMBER of them

The first half of all customers have a group of their own, so that a sample of the first documents takes it for a key; the
others share one. Broken references are in all orders, but for customer_no, which breaks only behind the 50,000 documents of a sample
where there are more.
"""
import json
import os
import sys


def customer(i, n):
    return {"_id": i, "account": "ACC-%08d" % (i * 7), "group_code": "G-%07d" % (i if i * 2 < n else 0), "vip": i % 3 == 0}


def order(i, n, ncustomer):
    k = i * 7919 % ncustomer
    doc = {"_id": i, "customer_id": k, "account": "ACC-%08d" % (k * 7), "customer_no": str(k), "group_code": "G-%07d" % (k // 2),
           "lines": [{"product_code": "PR-%05d" % (i % 150), "qty": i % 4 + 1}]}
    if i % 397 == 5:
        doc["customer_id"] = 9000000 + i
    if i % 401 == 7:
        doc["account"] = "ACC-9%07d" % i
    if i % 211 == 9 and i >= min(n // 2, 50000):
        doc["customer_no"] = str(7000000 + i)
    if i % 499 == 11:
        doc["lines"][0]["product_code"] = "PR-8%04d" % (i % 10000)
    return doc


def write(folder, norder, ncustomer):
    norder, ncustomer = int(norder), int(ncustomer)
    os.makedirs(folder)
    products = [{"_id": "p%d" % i, "product_code": "PR-%05d" % i} for i in range(150)]
    for name, docs in (("customers", (customer(i, ncustomer) for i in range(ncustomer))), ("products", products),
                       ("orders", (order(i, norder, ncustomer) for i in range(norder)))):
        with open(os.path.join(folder, name + ".ndjson"), "w", encoding="utf-8") as f:
            for doc in docs:
                f.write(json.dumps(doc) + "\n")


def listed(v):
    """The values of the $in in a filter, in order."""
    if isinstance(v, str):
        v = json.loads(v)
    if isinstance(v, dict):
        return sorted(v["$in"], key=str) if "$in" in v else [y for x in v.values() for y in listed(x)]
    return []


def references(path):
    with open(path, encoding="utf-8") as f:
        found = json.load(f)["findings"]
    out = {}
    for x in found:
        if x["category"] == "referential":
            out[x["field"]] = (x["severity"], x["affected_count"], listed(x["evidence_query"]))
    return out


def same(a, b, number):
    one, two = references(a), references(b)
    if one != two:
        sys.exit("%s and %s" % tuple({k: v[:2] for k, v in x.items()} for x in (one, two)))
    if len(one) != int(number):
        sys.exit("%d references: %s" % (len(one), sorted(one)))


{"write": write, "same": same}[sys.argv[1]](*sys.argv[2:])
