// Reads conversations of `argus serve` with the AI SDK's own client (Chat of @ai-sdk/react) in three versions: two turns, a reload,
// a stream that is taken up again. Whatever the client complains about is a failure.
// usage: read.mjs BASE_URL TOKEN QUESTION QUESTION
import assert from 'node:assert/strict'

const [base, token, first, second] = process.argv.slice(2)
const headers = token ? { Authorization: `Bearer ${token}` } : {}
const versions = [['6.0.3', 'ai-6-first', 'react-6-first'], ['6.0.326', 'ai-6-last', 'react-6-last'], ['7', 'ai-7', 'react-7']]
let bad = 0
let complaints = []
for (const name of ['warn', 'error'])
  console[name] = (...words) => complaints.push(words.map(String).join(' '))

async function check(name, work) {
  complaints = []
  try {
    await work()
    assert.deepEqual(complaints, [], 'the client complains')
    console.log(`ok - ${name}`)
  } catch (e) {
    bad = 1
    console.log(`not ok - ${name}`)
    console.log(String(e.stack ?? e).split('\n').slice(0, 12).map(x => '  ' + x).join('\n'))
  }
}

const textOf = m => m.parts.filter(p => p.type === 'text').map(p => p.text).join('')
// What a client keeps of its own beside what the server said.
const plain = m => JSON.parse(JSON.stringify({ role: m.role, parts: m.parts }, (k, v) => (v === undefined || k === 'providerMetadata' ? undefined : v)))

async function messagesOf(id) {
  const r = await fetch(`${base}/api/threads/${id}/messages`, { headers })
  assert.equal(r.status, 200)
  return (await r.json()).messages
}

for (const [version, ai, react] of versions) {
  const { DefaultChatTransport, readUIMessageStream } = await import(ai)
  const { Chat } = await import(react)
  const id = `client-${version}-${process.pid}`
  const errors = []
  const chat = new Chat({ id, transport: new DefaultChatTransport({ api: `${base}/api/chat/`, headers }), onError: e => errors.push(e) })

  await check(`ai ${version}: two turns`, async () => {
    for (const [n, question] of [[1, first], [2, second]]) {
      await chat.sendMessage({ text: question })
      assert.deepEqual(errors, [])
      assert.equal(chat.status, 'ready')
      assert.equal(chat.messages.length, 2 * n)
      const answer = chat.messages[2 * n - 1]
      assert.equal(answer.role, 'assistant')
      assert.ok(textOf(answer).length > 10, 'there is no answer')
      const tools = answer.parts.filter(p => p.type.startsWith('tool-'))
      assert.ok(tools.length > 0, 'no call is shown')
      for (const p of tools) {
        assert.ok(p.input.query.length > 5)
        assert.ok(p.state === 'output-available' || p.state === 'output-error', p.state)
      }
      assert.ok(answer.parts.every(p => p.state === undefined || p.state !== 'streaming'), 'a part is not closed')
      assert.ok(answer.parts.some(p => p.type === 'data-answer' && p.data.queries.length > 0), 'its sources are not there')
    }
    assert.notEqual(chat.messages[1].id, chat.messages[3].id)
  })
  await check(`ai ${version}: a reload shows what was shown`, async () => {
    const again = await messagesOf(id)
    assert.equal(again.length, 4)
    for (const i of [1, 3]) {
      assert.equal(again[i].id, chat.messages[i].id)
      assert.deepEqual(plain(again[i]), plain(chat.messages[i]))
    }
    for (const i of [0, 2])
      assert.equal(textOf(again[i]), textOf(chat.messages[i]))
  })
  await check(`ai ${version}: nothing to take up again`, async () => {
    const transport = new DefaultChatTransport({ api: `${base}/api/chat`, headers })
    assert.equal(await transport.reconnectToStream({ chatId: id }), null)
  })
  await check(`ai ${version}: the raw stream ends with [DONE]`, async () => {
    const r = await fetch(`${base}/api/chat`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ id: id + '-raw', messages: [{ role: 'user', content: first }] }) })
    assert.equal(r.status, 200)
    assert.equal(r.headers.get('x-vercel-ai-ui-message-stream'), 'v1')
    const lines = (await r.text()).split('\n\n').filter(x => x.startsWith('data: ')).map(x => x.slice(6))
    assert.equal(lines.pop(), '[DONE]')
    const types = lines.map(x => JSON.parse(x).type)
    assert.equal(types[0], 'start')
    assert.equal(types.at(-1), 'finish')
    assert.equal(types.filter(x => x === 'start-step').length, types.filter(x => x === 'finish-step').length)
    let last
    for await (const m of readUIMessageStream({ stream: new ReadableStream({ start(c) { for (const l of lines) c.enqueue(JSON.parse(l)); c.close() } }) }))
      last = m
    assert.ok(textOf(last).length > 10)
  })
}
process.exit(bad)
