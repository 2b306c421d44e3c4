// A turn of an analyst on the AI SDK: two calls of the model, one query of the shop, messages kept in a SQLite store.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { stepCountIs, streamText, tool } from 'ai'
import Database from 'better-sqlite3'
import { z } from 'zod'

const [base, shop, file, thread, question] = process.argv.slice(2)
const store = new Database(file)
store.pragma('journal_mode = WAL')
store.exec('CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, thread TEXT NOT NULL, body TEXT NOT NULL)')
const keep = store.prepare('INSERT INTO message (thread, body) VALUES (?, ?)')
const before = store.prepare('SELECT body FROM message WHERE thread = ? ORDER BY id').all(thread)
const messages = before.map((row) => JSON.parse(row.body))
const data = new Database(shop, { readonly: true })

const asked = { role: 'user', content: question }
keep.run(thread, JSON.stringify(asked))
let result
const stream = streamText({
  model: createOpenAICompatible({ name: 'fake', baseURL: `${base}/v1`, apiKey: 'none' })('m'),
  system: 'You answer questions about a shop with SQL.',
  messages: [...messages, asked],
  stopWhen: stepCountIs(50),
  tools: {
    execute_sql: tool({
      description: 'Runs one SELECT.',
      inputSchema: z.object({ query: z.string() }),
      execute: async ({ query }) => {
        result = data.prepare(query).raw().all()
        return { name: 'Result r1', rows: result }
      },
    }),
  },
})
let answer = ''
for await (const piece of stream.textStream) answer += piece
store.transaction((list) => list.forEach((m) => keep.run(thread, JSON.stringify(m))))((await stream.response).messages)
console.log(JSON.stringify({ answer, first: result[0], steps: (await stream.steps).length }))
data.close()
store.close()
