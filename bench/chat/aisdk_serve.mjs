// A route of the AI SDK: streamText with a tool over a SQLite shop, messages kept in SQLite or PostgreSQL, a UI message stream out.
import { createServer } from 'node:http'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { convertToModelMessages, stepCountIs, streamText, tool } from 'ai'
import Database from 'better-sqlite3'
import pg from 'pg'
import { z } from 'zod'

const [base, shop, place, port] = process.argv.slice(2)
const data = new Database(shop, { readonly: true })
const model = createOpenAICompatible({ name: 'fake', baseURL: `${base}/v1`, apiKey: 'none' })('m')

async function sqliteStore() {
  const db = new Database(place)
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, thread TEXT NOT NULL, body TEXT NOT NULL)')
  db.exec('CREATE INDEX IF NOT EXISTS message_thread ON message (thread, id)')
  const add = db.prepare('INSERT INTO message (thread, body) VALUES (?, ?)')
  const all = db.prepare('SELECT body FROM message WHERE thread = ? ORDER BY id')
  return {
    read: async (thread) => all.all(thread).map((row) => JSON.parse(row.body)),
    keep: async (thread, messages) =>
      db.transaction((list) => list.forEach((m) => add.run(thread, JSON.stringify(m))))(messages),
  }
}

async function postgresStore() {
  const pool = new pg.Pool({ connectionString: place, max: 10 })
  await pool.query('CREATE TABLE IF NOT EXISTS message (id BIGSERIAL PRIMARY KEY, thread TEXT NOT NULL, body TEXT NOT NULL)')
  await pool.query('CREATE INDEX IF NOT EXISTS message_thread ON message (thread, id)')
  return {
    read: async (thread) =>
      (await pool.query({ name: 'read', text: 'SELECT body FROM message WHERE thread = $1 ORDER BY id', values: [thread] })).rows.map(
        (row) => JSON.parse(row.body),
      ),
    keep: async (thread, messages) =>
      pool.query({
        name: 'keep',
        text: 'INSERT INTO message (thread, body) SELECT $1, unnest($2::text[])',
        values: [thread, messages.map((m) => JSON.stringify(m))],
      }),
  }
}

const store = await (place.startsWith('postgresql:') ? postgresStore() : sqliteStore())

async function turn(body, response) {
  const asked = { id: 'q', ...body.messages.at(-1) }
  const before = await store.read(body.id)
  await store.keep(body.id, [asked])
  const result = streamText({
    model,
    system: 'You answer questions about a shop with SQL.',
    messages: await convertToModelMessages([...before, asked]),
    stopWhen: stepCountIs(50),
    tools: {
      execute_sql: tool({
        description: 'Runs one SELECT.',
        inputSchema: z.object({ query: z.string() }),
        execute: async ({ query }) => ({ name: 'Result r1', rows: data.prepare(query).raw().all() }),
      }),
    },
  })
  result.pipeUIMessageStreamToResponse(response, {
    onFinish: ({ responseMessage }) => store.keep(body.id, [responseMessage]),
  })
}

createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  try {
    await turn(JSON.parse(text), response)
  } catch (error) {
    console.error(error)
    response.writeHead(500).end()
  }
}).listen(Number(port), '127.0.0.1', 4096)
