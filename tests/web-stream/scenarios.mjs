// Conversations with `argus serve --demo` on a page that uses the AI SDK (ai and @ai-sdk/react, three versions, each with React).
// Every stream that a page reads to its end is checked against the rules of the protocol (rules.mjs); whatever the client or React
// prints is a failure.
// usage: scenarios.mjs BASE_URL
import assert from 'node:assert/strict'
import { Page, Recorder, complaints, endDocument, ways } from './page.mjs'
import { chunksOf, streamProblems } from './rules.mjs'
import { rulesHold } from './rules_check.mjs'

const base = process.argv[2]
const VERSIONS = [
  ['6.0.3', 'ai-6-first', 'react-6-first'],
  ['6.0.326', 'ai-6-last', 'react-6-last'],
  ['7.0.173', 'ai-7', 'react-7'],
]
const PLAIN = 'How many customers are there?'
const CORRECTED = 'Which country has the most customers?' // its first statement is wrong
const UNKNOWN = 'Zoë aus Köln fragt: 東京の顧客は何人ですか 🙂?'
const TRIES = 20
let failures = 0

const textOf = m => m.parts.filter(p => p.type === 'text').map(p => p.text).join('')
const callsOf = m => m.parts.filter(p => p.type.startsWith('tool-'))

class Client {
  constructor(version, ai, react) {
    Object.assign(this, { version, ai, react, count: 0 })
  }

  newId() {
    return `page-${this.version}-${process.pid}-${this.count++}`
  }

  transport({ through, ...options } = {}) {
    return new this.ai.DefaultChatTransport({ api: `${base}/api/chat`, fetch: this.recorder.fetchOf(base, through), ...options })
  }

  page(id, { messages, resume, ...options } = {}) {
    const page = new Page(this.react.useChat, { id, messages, resume, transport: this.transport(options) })
    this.pages.push(page)
    return page
  }

  async messages(id) {
    const r = await this.recorder.fetchOf(base)(`${base}/api/threads/${id}/messages`)
    assert.equal(r.status, 200)
    return (await r.json()).messages
  }

  // As a page does when it is opened again: what is kept, then what is under way.
  async reload(id) {
    for (;;) {
      const page = this.page(id, { messages: await this.messages(id), resume: true })
      const isUnderWay = await page.resumed
      const chat = await page.until('a page that was loaded again', c => c.status === 'ready' && (!isUnderWay || page.ends.length > 0))
      if (chat.messages.at(-1)?.role === 'assistant') return page
      page.close() // the turn ended between the two requests
    }
  }

  async run(name, work) {
    complaints.length = 0
    this.recorder = new Recorder()
    this.pages = []
    try {
      await work(this)
      for (const s of this.recorder.streams.filter(x => x.isWhole)) assert.deepEqual(await streamProblems(s), [], s.text)
      for (const page of this.pages) page.close()
      assert.deepEqual(complaints, [], 'the client complains')
      console.log(`ok - ai ${this.version}: ${name}`)
    } catch (e) {
      failures++
      console.log(`not ok - ai ${this.version}: ${name}`)
      console.log(String(e.stack ?? e).slice(0, 4000).replace(/^/gm, '  '))
    }
  }
}

function rightAnswer(page, chat, n) {
  assert.deepEqual(page.errors, [])
  assert.equal(chat.status, 'ready')
  assert.equal(chat.messages.length, n)
  const answer = chat.messages[n - 1]
  assert.equal(answer.role, 'assistant')
  assert.ok(answer.parts.every(p => p.state !== 'streaming' && p.state !== 'input-available'), 'a part is not at its end')
  const { isAbort, isDisconnect, isError } = page.ends.at(-1)
  assert.deepEqual({ isAbort, isDisconnect, isError }, { isAbort: false, isDisconnect: false, isError: false })
  return answer
}

// --- scenarios

async function turnsAndReload(client) {
  const id = client.newId()
  const page = client.page(id)
  const first = rightAnswer(page, await page.ask(PLAIN), 2)
  assert.match(textOf(first), /^There are \d+ customers\.$/)
  const [call] = callsOf(first)
  assert.equal(call.type, 'tool-execute_sql')
  assert.equal(call.state, 'output-available')
  assert.match(call.input.query, /^SELECT COUNT/)
  assert.equal(textOf(first), `There are ${call.output.rows[0][0]} customers.`)
  const second = rightAnswer(page, await page.ask(CORRECTED), 4)
  assert.deepEqual(callsOf(second).map(p => p.state), ['output-error', 'output-available'])
  assert.match(callsOf(second)[0].errorText, /contry/)
  const before = page.messages()
  page.close()

  const again = await client.reload(id)
  assert.deepEqual(again.messages(), before)
  assert.equal(await again.resumed, false)
  const third = rightAnswer(again, await again.ask(UNKNOWN), 6)
  assert.match(textOf(third), /This is the demo/)
  assert.deepEqual(again.messages().slice(0, 4), before)
  assert.equal(new Set(again.chat.messages.map(m => m.id)).size, 6)
}

async function readableHistory(client) {
  const id = client.newId()
  const page = client.page(id)
  await page.ask(CORRECTED)
  const kept = await client.messages(id)
  const { convertToModelMessages, validateUIMessages } = client.ai
  const messages = await validateUIMessages({ messages: kept })
  assert.equal(messages.length, 2)
  const forModel = await convertToModelMessages(messages)
  assert.deepEqual(forModel.map(m => m.role), ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'])
}

async function byteByByte(client) {
  const id = client.newId()
  const page = client.page(id, { through: ways.bytewise })
  const answer = rightAnswer(page, await page.ask(UNKNOWN), 2)
  const kept = await client.messages(id)
  assert.equal(textOf(kept[0]), UNKNOWN)
  assert.equal(textOf(kept[1]), textOf(answer))
  rightAnswer(page, await page.ask(CORRECTED), 4)
}

async function connectionLost(client) {
  for (const bytes of [1, 90, 500, 1000]) {
    const id = client.newId()
    const page = client.page(id, { through: ways.lostAfter(bytes) })
    const chat = await page.ask(PLAIN)
    assert.equal(chat.status, 'error')
    assert.equal(page.errors.length, 1)
    page.close()
    const again = await client.reload(id)
    assert.equal(again.chat.messages.length, 2)
    assert.match(textOf(again.chat.messages[1]), /^There are \d+ customers\.$/)
    assert.equal((await client.messages(id))[1].id, again.chat.messages[1].id)
  }
}

const question = text => [{ id: 'q', role: 'user', parts: [{ type: 'text', text }] }]

// A turn may end before the test does what it is about: then it tries another one.
async function untilOne(what, attempt) {
  for (let i = 0; i < TRIES; i++) if (await attempt()) return
  assert.fail(`none of ${TRIES} turns was ${what}`)
}

async function readAll(stream) {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

// A page that is opened during a turn sees all of it, from its beginning, and so does the reader who was there before.
async function takenUpAgain(client) {
  const parts = chunks => chunks.filter(c => !c.type.endsWith('-delta'))
  const words = chunks => chunks.filter(c => c.type === 'text-delta').map(c => c.delta).join('')

  await untilOne('still under way', async () => {
    const id = client.newId()
    const messages = question(CORRECTED)
    client.recorder.streams = []
    const stream = readAll(await client.transport().sendMessages({ chatId: id, messages, trigger: 'submit-message' }))
    const page = client.page(id, { messages, resume: true })
    const isUnderWay = await page.resumed
    await stream
    if (!isUnderWay) return false
    await page.until('the end of a turn', c => c.status === 'ready' && page.ends.length > 0)
    const [one, two] = client.recorder.streams.map(s => chunksOf(s.text, []))
    assert.deepEqual(parts(two), parts(one))
    assert.equal(words(two), words(one))
    assert.deepEqual((await client.reload(id)).messages(), page.messages())
    return true
  })
}

async function stopped(client) {
  await untilOne('stopped', async () => {
    const id = client.newId()
    const page = client.page(id)
    const answer = page.ask(CORRECTED)
    await page.until('a turn that began', c => c.status === 'streaming')
    const headers = { 'content-type': 'application/json' }
    const r = await client.recorder.fetchOf(base)(`${base}/api/chat/${id}/stop`, { method: 'POST', headers, body: '{}' })
    assert.equal(r.status, 202)
    assert.equal((await answer).status, 'ready')
    if (chunksOf(client.recorder.streams.at(-1).text, []).at(-1).type !== 'abort') return false
    assert.deepEqual((await client.reload(id)).messages(), page.messages())
    rightAnswer(page, await page.ask(PLAIN), 4)
    return true
  })
}

async function refused(client) {
  const page = client.page(client.newId())
  const chat = await page.ask('x'.repeat(10001))
  assert.equal(chat.status, 'error')
  const shown = JSON.parse(page.errors[0].message)
  assert.equal(shown.status, 400)
  assert.match(JSON.stringify(shown), /10,?000 characters/)
  await page.chat.clearError()
  await page.until('a page without an error', c => c.status === 'ready')
  assert.match(textOf((await page.ask(PLAIN)).messages.at(-1)), /^There are \d+ customers\.$/)
}

async function lastMessageOnly(client) {
  const id = client.newId()
  const page = client.page(id, {
    api: `${base}/api/chat/`,
    prepareSendMessagesRequest: ({ id, messages }) => ({ body: { id, message: messages.at(-1) } }),
  })
  rightAnswer(page, await page.ask(PLAIN), 2)
  rightAnswer(page, await page.ask(CORRECTED), 4)
  assert.equal((await client.messages(id)).length, 4)
}

async function manyAtOnce(client) {
  const pages = Array.from({ length: 8 }, () => client.page(client.newId()))
  const chats = await Promise.all(pages.map(async (page, i) => page.ask(i % 2 ? PLAIN : CORRECTED)))
  const ids = chats.map((chat, i) => rightAnswer(pages[i], chat, 2).id)
  assert.equal(new Set(ids).size, pages.length)
}

const SCENARIOS = [
  ['two turns, a reload that shows the same, and a third turn', turnsAndReload],
  ['what is kept is a history for a model', readableHistory],
  ['a stream that comes byte by byte', byteByByte],
  ['a connection that is lost loses nothing', connectionLost],
  ['a turn under way is read from its beginning', takenUpAgain],
  ['a turn that is stopped, and the next one', stopped],
  ['a question that is refused, and then a right one', refused],
  ['a transport that sends the last message only, with a slash at the end of the path', lastMessageOnly],
  ['eight conversations at once', manyAtOnce],
]

try {
  await rulesHold()
  console.log('ok - each rule of the protocol finds what breaks it')
} catch (e) {
  failures++
  console.log(`not ok - each rule of the protocol finds what breaks it\n${e.stack}`)
}
for (const [version, ai, react] of VERSIONS) {
  const client = new Client(version, await import(ai), await import(react))
  for (const [name, work] of SCENARIOS) await client.run(name, work)
}
await endDocument()
process.exit(failures ? 1 : 0)
