// A route over LangGraph JS: its agent with a tool over a SQLite shop, its checkpointer in SQLite or PostgreSQL, events out.
import { createServer } from 'node:http'
import { HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import Database from 'better-sqlite3'
import { z } from 'zod'

const [base, shop, place, port] = process.argv.slice(2)
const data = new Database(shop, { readonly: true })
const checkpointer = place.startsWith('postgresql:') ? PostgresSaver.fromConnString(place) : SqliteSaver.fromConnString(place)
if (checkpointer instanceof PostgresSaver) await checkpointer.setup()
const query = tool(async ({ query: sql }) => JSON.stringify({ name: 'Result r1', rows: data.prepare(sql).raw().all() }), {
  name: 'execute_sql',
  description: 'Runs one SELECT.',
  schema: z.object({ query: z.string() }),
})
const agent = createReactAgent({
  llm: new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: `${base}/v1` } }),
  tools: [query],
  prompt: 'You answer questions about a shop with SQL.',
  checkpointer,
})

async function turn(body, response) {
  const question = body.messages.at(-1).parts[0].text
  const config = { configurable: { thread_id: body.id }, recursionLimit: 50, streamMode: 'updates' }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  for await (const part of await agent.stream({ messages: [new HumanMessage(question)] }, config))
    response.write(`data: ${JSON.stringify(part)}\n\n`)
  response.end('data: [DONE]\n\n')
}

createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  try {
    await turn(JSON.parse(text), response)
  } catch (error) {
    console.error(error)
    response.destroy()
  }
}).listen(Number(port), '127.0.0.1', 4096)
