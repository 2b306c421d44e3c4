// Conversations with `argus serve --demo` on a page that uses the AI SDK (ai and @ai-sdk/react, three versions, each with React).
// Every stream that a page reads to its end is checked against the rules of the protocol (rules.mjs); whatever the client or React
// prints is a failure.
// usage: scenarios.mjs BASE_URL PID
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { Brake } from './brake.mjs'
import { Page, Recorder, complaints, endDocument, ways } from './page.mjs'
import { chunksOf, streamProblems } from './rules.mjs'
import { rulesHold } from './rules_check.mjs'

const [base, pid] = process.argv.slice(2)
const brake = new Brake(pid)
// The version is of the `ai` that reads: @ai-sdk/react brings its own.
const VERSIONS = [
  ['6.0.3', 'ai-6-first', 'react-6-first'],
  ['6.0.326', 'ai-6-last', 'react-6-last'],
  ['7.0.173', 'ai-7', 'react-7'],
]
const PLAIN = 'How many customers are there?'
const CORRECTED = 'Which country has the most customers?' // its first statement is wrong
const UNKNOWN = 'Zoë aus Köln fragt: 東京の顧客は何人ですか 🙂?'
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
    for (const isLast of [false, true]) {
      const page = this.page(id, { messages: await this.messages(id), resume: true })
      const isUnderWay = await page.resumed
      const chat = await page.until('a page that was loaded again', c => c.status === 'ready' && (!isUnderWay || page.ends.length > 0))
      if (chat.messages.at(-1)?.role === 'assistant') return page
      assert.ok(!isLast, 'the answer is in neither of the two')
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
    } finally {
      brake.release()
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

// A page with a turn that waits at its first statement.
async function heldTurn(client, id) {
  await client.page(client.newId()).ask(PLAIN)
  brake.hold()
  const page = client.page(id)
  const answer = page.ask(CORRECTED)
  answer.catch(() => {}) // who waits for it is told
  await page.until('a call that runs', c => c.messages.at(-1)?.parts.at(-1)?.state === 'input-available')
  return { page, answer }
}

// A page that is opened during a turn sees all of it, from its beginning, and so does the one that was there before.
async function takenUpAgain(client) {
  const id = client.newId()
  const { page, answer } = await heldTurn(client, id)
  const first = client.recorder.streams.length - 1
  const other = client.page(id, { messages: await client.messages(id), resume: true })
  assert.equal(await other.resumed, true)
  await other.until('the same call', c => c.messages.at(-1)?.parts.at(-1)?.state === 'input-available')
  assert.deepEqual(other.messages(), page.messages())
  brake.release()
  rightAnswer(page, await answer, 2)
  rightAnswer(other, await other.until('the end of a turn', c => c.status === 'ready' && other.ends.length > 0), 2)
  assert.deepEqual(other.messages(), page.messages())
  const parts = chunks => chunks.filter(c => !c.type.endsWith('-delta'))
  const [one, two] = client.recorder.streams.slice(first).map(s => chunksOf(s.text, []))
  assert.deepEqual(parts(two), parts(one))
}

async function pageClosed(client) {
  const id = client.newId()
  const { page, answer } = await heldTurn(client, id)
  await page.chat.stop() // the client aborts its request
  await answer
  page.close()
  const [question] = await client.messages(id)
  assert.equal(textOf(question), CORRECTED)
  const again = client.page(id, { messages: [question], resume: true })
  assert.equal(await again.resumed, true)
  brake.release()
  rightAnswer(again, await again.until('the end of a turn', c => c.status === 'ready' && again.ends.length > 0), 2)
  assert.deepEqual((await client.reload(id)).messages(), again.messages())
}

async function stopped(client) {
  const id = client.newId()
  const { page, answer } = await heldTurn(client, id)
  const headers = { 'content-type': 'application/json' }
  const r = await client.recorder.fetchOf(base)(`${base}/api/chat/${id}/stop`, { method: 'POST', headers, body: '{}' })
  assert.equal(r.status, 202)
  const chat = await answer
  assert.equal(chat.status, 'ready')
  assert.deepEqual(page.errors, [])
  assert.deepEqual(callsOf(chat.messages[1]).map(p => p.state), ['output-error'])
  assert.equal(chunksOf(client.recorder.streams.at(-1).text, []).at(-1).type, 'abort')
  assert.deepEqual((await client.reload(id)).messages(), page.messages())
  brake.release()
  rightAnswer(page, await page.ask(PLAIN), 4)
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

// What the page shows after it was loaded again is what it showed before: nothing that was replaced comes back.
async function sameAfterReload(client, id, page, n) {
  const before = page.messages()
  assert.equal(before.length, n)
  page.close()
  const again = await client.reload(id)
  assert.deepEqual(again.messages(), before)
  return again
}

// An answer may end before React draws anything of it: what was drawn before is not looked at.
const until = (page, work) => {
  const n = page.ends.length
  const was = page.chat
  return Promise.resolve(work).then(() => page.until('the next answer', c => c !== was && c.status === 'ready' && page.ends.length > n))
}

async function anotherAnswer(client) {
  const id = client.newId()
  let page = client.page(id)
  await page.ask(PLAIN)
  const first = (await page.ask(CORRECTED)).messages.at(-1).id
  let chat = await until(page, page.chat.regenerate())
  assert.notEqual(rightAnswer(page, chat, 4).id, first)
  page = await sameAfterReload(client, id, page, 4)
  const { versions } = (await client.messages(id))[2].metadata
  assert.deepEqual(versions, [first, page.chat.messages[3].id])
  // An older answer: what followed is replaced with it.
  chat = await until(page, page.chat.regenerate({ messageId: page.chat.messages[1].id }))
  rightAnswer(page, chat, 2)
  page = await sameAfterReload(client, id, page, 2)
  rightAnswer(page, await page.ask(CORRECTED), 4)
}

async function editedQuestion(client) {
  const id = client.newId()
  let page = client.page(id)
  await page.ask(PLAIN)
  await page.ask(UNKNOWN)
  // Once with the id that the client made, once with the one of the server.
  let chat = await until(page, page.chat.sendMessage({ text: CORRECTED, messageId: page.chat.messages[2].id }))
  assert.deepEqual(callsOf(rightAnswer(page, chat, 4)).map(p => p.state), ['output-error', 'output-available'])
  page = await sameAfterReload(client, id, page, 4)
  chat = await until(page, page.chat.sendMessage({ text: UNKNOWN, messageId: page.chat.messages[0].id }))
  assert.match(textOf(rightAnswer(page, chat, 2)), /This is the demo/)
  page = await sameAfterReload(client, id, page, 2)
  assert.equal(textOf(page.chat.messages[0]), UNKNOWN)
  // The first version is still there, with what followed.
  const [old] = (await client.messages(id))[0].metadata.versions
  const r = await client.recorder.fetchOf(base)(`${base}/api/threads/${id}/messages?version=${old}`)
  assert.deepEqual((await r.json()).messages.filter(m => m.role === 'user').map(textOf), [PLAIN, CORRECTED])
}

async function replacedWhileItRuns(client) {
  const id = client.newId()
  const { page, answer } = await heldTurn(client, id)
  const other = client.page(id, { messages: await client.messages(id) })
  await other.until('a page', c => c.status === 'ready')
  await other.chat.regenerate().catch(() => {})
  await other.until('a refusal', c => c.status === 'error')
  const shown = JSON.parse(other.errors[0].message)
  assert.equal(shown.status, 409)
  assert.match(JSON.stringify(shown), /stop that answer, or wait until it is complete/)
  brake.release()
  rightAnswer(page, await answer, 2)
}

const SCENARIOS = [
  ['two turns, a reload that shows the same, and a third turn', turnsAndReload],
  ['what is kept is a history for a model', readableHistory],
  ['a stream that comes byte by byte', byteByByte],
  ['a connection that is lost loses nothing', connectionLost],
  ['a turn under way is read from its beginning', takenUpAgain],
  ['a page that is closed does not end its turn', pageClosed],
  ['a turn that is stopped, and the next one', stopped],
  ['a question that is refused, and then a right one', refused],
  ['a transport that sends the last message only, with a slash at the end of the path', lastMessageOnly],
  ['another answer to the last question, and to an older one', anotherAnswer],
  ['an edited question', editedQuestion],
  ['an answer that is being written is not replaced', replacedWhileItRuns],
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
  assert.equal(createRequire(import.meta.resolve(react))('ai/package.json').version, version)
  const client = new Client(version, await import(ai), await import(react))
  for (const [name, work] of SCENARIOS) await client.run(name, work)
}
await endDocument()
process.exit(failures ? 1 : 0)
