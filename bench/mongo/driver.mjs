// What a program with MongoDB's own driver for node does: each check as a countDocuments of its own, or every document read to the
// client. usage: driver.mjs count URI DATABASE COLLECTION FILTERS.json | driver.mjs read URI DATABASE COLLECTION
// Prints {"documents": matched or read, "checks": n, "cpu": seconds}.
import { readFileSync } from 'node:fs'
import { BSON, MongoClient } from 'mongodb'

const [what, uri, database, collection, file] = process.argv.slice(2)
const client = new MongoClient(uri, { directConnection: true })
const from = client.db(database).collection(collection)
let documents = 0, checks = 0
if (what === 'count') {
	for (const filter of JSON.parse(readFileSync(file, 'utf8'))) {
		documents += await from.countDocuments(BSON.EJSON.parse(JSON.stringify(filter)))
		checks++
	}
} else {
	for await (const doc of from.find({}, { batchSize: 1000 })) documents += doc !== null
}
await client.close()
const used = process.cpuUsage()
console.log(JSON.stringify({ documents, checks, cpu: (used.user + used.system) / 1e6 }))
