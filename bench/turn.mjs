// The least that a program on node does for the same turn: ask, call one tool, ask again, print, exit.
import { readFileSync } from 'node:fs'

const [base, file] = process.argv.slice(2)

async function ask(messages) {
  const res = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages }),
  })
  let text = ''
  let rest = ''
  const decoder = new TextDecoder()
  for await (const piece of res.body) {
    rest += decoder.decode(piece, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop()
    for (const line of lines) {
      if (!line.startsWith('data: ') || line === 'data: [DONE]') continue
      text += JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? ''
    }
  }
  return JSON.parse(text)
}

const messages = [{ role: 'user', content: 'SCHEMA: not sampled yet' }]
const first = await ask(messages)
const documents = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
messages.push({ role: 'assistant', content: JSON.stringify(first) })
messages.push({ role: 'user', content: `the tool ran: ${documents.length} documents` })
const last = await ask(messages)
console.log(JSON.stringify({ action: last.action, documents: documents.length }))
