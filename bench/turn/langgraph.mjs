// A turn of an analyst on LangGraph JS: two calls of the model, one query of the shop, its SQLite checkpointer as the store.
import { HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import Database from 'better-sqlite3'
import { z } from 'zod'

const [base, shop, file, thread, question] = process.argv.slice(2)
const data = new Database(shop, { readonly: true })
let result
const query = tool(
  async ({ query: sql }) => {
    result = data.prepare(sql).raw().all()
    return JSON.stringify({ name: 'Result r1', rows: result })
  },
  { name: 'execute_sql', description: 'Runs one SELECT.', schema: z.object({ query: z.string() }) },
)
const model = new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: `${base}/v1` } })
const agent = createReactAgent({
  llm: model,
  tools: [query],
  prompt: 'You answer questions about a shop with SQL.',
  checkpointer: SqliteSaver.fromConnString(file),
})
const end = await agent.invoke(
  { messages: [new HumanMessage(question)] },
  { configurable: { thread_id: thread }, recursionLimit: 50 },
)
const last = end.messages.at(-1)
console.log(JSON.stringify({ answer: last.content, first: result[0], steps: 2 }))
data.close()
