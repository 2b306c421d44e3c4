// Applies a script of `argus repair --as mongosh` to documents that are given one a line (or as one array), and prints them.
// The shell's part is played by a collection that knows updateOne with equality filters and $set, as the script uses them.
// usage: node repair_apply.mjs SCRIPT DOCUMENTS
import { readFileSync } from "node:fs";
import vm from "node:vm";
import assert from "node:assert";

const text = readFileSync(process.argv[3], "utf8");
const readable = (line) => {
  try {
    return [JSON.parse(line)];
  } catch {
    return []; // a broken line is no document
  }
};
const docs = text.trimStart().startsWith("[") ? JSON.parse(text) : text.trim().split("\n").flatMap(readable);

const same = (a, b) => {
  if (a && b && a.$date !== undefined && b.$date !== undefined) return new Date(a.$date).getTime() === new Date(b.$date).getTime();
  return JSON.stringify(a) === JSON.stringify(b);
};
// The member that a dotted path ends in, as [holder, name]; a name of the document itself is never cut.
const place = (doc, path) => {
  const parts = path.split(".");
  let at = doc;
  for (const p of parts.slice(0, -1)) at = at?.[p];
  return [at, parts[parts.length - 1]];
};
let updates = 0;
const collection = (name) => ({
  getName: () => name,
  bulkWrite(list, options) {
    assert.equal(options.ordered, true);
    let modifiedCount = 0;
    for (const one of list) {
      assert.deepEqual(Object.keys(one), ["updateOne"]);
      const { filter, update } = one.updateOne;
      assert.deepEqual(Object.keys(update), ["$set"]);
      assert.ok(Object.keys(filter).length >= 2, "a key and an old value");
      const found = docs.filter((d) => Object.entries(filter).every(([path, v]) => {
        const [holder, last] = place(d, path);
        return holder !== undefined && Object.hasOwn(holder, last) && same(holder[last], v);
      }));
      assert.ok(found.length <= 1, "the filter finds one document");
      for (const d of found) {
        for (const [path, v] of Object.entries(update.$set)) {
          const [holder, last] = place(d, path);
          Object.defineProperty(holder, last, { value: v, enumerable: true, writable: true, configurable: true });
        }
        modifiedCount++;
      }
      updates++;
    }
    return { modifiedCount };
  },
});
const said = [];
const shell = {
  db: { getCollection: collection },
  print: (line) => said.push(line),
  ObjectId: (v) => ({ $oid: v }),
  ISODate: (v) => ({ $date: v }),
  NumberLong: (v) => ({ $numberLong: String(v) }),
  NumberInt: (v) => Number(v),
  NumberDecimal: (v) => ({ $numberDecimal: String(v) }),
};
const script = new vm.Script(readFileSync(process.argv[2], "utf8"));
script.runInNewContext(shell);
assert.ok(updates > 0 && said.length > 0);
for (const line of said) {
  const [, done, all] = /^(\d+) of (\d+) documents repaired/.exec(line);
  assert.equal(done, all, "every update finds its document");
}
// Once more: no document has its old value any longer.
said.length = 0;
script.runInNewContext(shell);
for (const line of said) assert.match(line, /^0 of/);
process.stdout.write(docs.map((d) => JSON.stringify(d)).join("\n") + "\n");
