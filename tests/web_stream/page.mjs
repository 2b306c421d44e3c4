// A page with a conversation, as the useChat hook of @ai-sdk/react and React draw it, in a document without a browser. It records
// the streams that it reads, and what the client and React complain about.
import { Window } from 'happy-dom'

const window = new Window({ url: 'http://127.0.0.1/' })
globalThis.window = window
globalThis.document = window.document
globalThis.navigator ??= window.navigator
const { createElement: h, StrictMode, useEffect } = await import('react')
const { createRoot } = await import('react-dom/client')

const PATIENCE_MS = 30000

export const complaints = []
for (const name of ['info', 'warn', 'error']) console[name] = (...words) => complaints.push(words.map(String).join(' '))
process.on('unhandledRejection', e => complaints.push(String(e?.stack ?? e)))

// --- what comes from the server

const bytewise = () =>
  new TransformStream({
    transform(bytes, out) {
      for (const b of bytes) out.enqueue(Uint8Array.of(b))
    },
  })

// The connection is lost after so many bytes.
const lostAfter = n =>
  new TransformStream({
    transform(bytes, out) {
      out.enqueue(bytes.subarray(0, n))
      n -= bytes.length
      if (n <= 0) out.error(new TypeError('network error'))
    },
  })

export class Recorder {
  streams = []
  statuses = []

  // A fetch as of a page of that origin. through: makes what the bytes of a stream go through, null = nothing.
  fetchOf(base, through = null) {
    return async (input, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set('Origin', base)
      headers.set('Sec-Fetch-Site', 'same-origin')
      const r = await fetch(input, { ...init, headers })
      this.statuses.push(r.status)
      if (!r.headers.get('content-type')?.startsWith('text/event-stream')) return r
      const stream = { headers: r.headers, text: '', isWhole: false }
      this.streams.push(stream)
      const decoder = new TextDecoder()
      const seen = new TransformStream({
        transform(bytes, out) {
          stream.text += decoder.decode(bytes, { stream: true })
          out.enqueue(bytes)
        },
        flush() {
          stream.isWhole = true
        },
      })
      const body = r.body.pipeThrough(seen)
      return new Response(through ? body.pipeThrough(through()) : body, { status: r.status, headers: r.headers })
    }
  }
}

export const ways = { bytewise, lostAfter: n => () => lostAfter(n) }

// --- what is drawn

const known = (part, ...keys) => JSON.stringify(Object.fromEntries(keys.map(k => [k, part[k]])))

function Part({ part }) {
  if (part.type === 'step-start') return h('hr')
  if (part.type === 'text' || part.type === 'reasoning') return h('p', { className: part.type, title: part.state }, part.text)
  if (part.type.startsWith('tool-'))
    return h('pre', { title: part.type }, known(part, 'toolCallId', 'state', 'input', 'output', 'errorText'))
  if (part.type.startsWith('data-')) return h('pre', { title: part.type }, known(part, 'id', 'data'))
  throw new Error(`a part of the type ${part.type}`)
}

// The ids of questions are the client's own until it loads again.
function Message({ message }) {
  const name = message.role === 'user' ? {} : { id: message.id }
  return h('article', { ...name, className: message.role }, message.parts.map((part, i) => h(Part, { key: i, part })))
}

function Conversation({ page, useChat, options }) {
  const chat = useChat(options)
  useEffect(() => page.drawn(chat))
  return h('main', null, chat.messages.map(message => h(Message, { key: message.id, message })))
}

// options: of useChat. resumed: was a turn under way when the page was opened with "resume"?
export class Page {
  errors = []
  ends = []
  #waiting = []

  constructor(useChat, options) {
    this.box = document.createElement('div')
    document.body.append(this.box)
    this.root = createRoot(this.box)
    const own = { onError: e => this.errors.push(e), onFinish: e => this.ends.push(e) }
    const main = h(Conversation, { page: this, useChat, options: { ...options, ...own } })
    this.resumed = new Promise((resolve, reject) => this.#noteResume(options.transport, resolve, reject))
    this.resumed.catch(() => {}) // who waits for it is told
    // StrictMode resumes twice, and ai 6.0.3 then prints an error of its own.
    this.root.render(options.resume ? main : h(StrictMode, null, main))
  }

  #noteResume(transport, resolve, reject) {
    const reconnect = transport.reconnectToStream.bind(transport)
    transport.reconnectToStream = async options => {
      const stream = await reconnect(options).catch(e => {
        reject(e)
        throw e
      })
      resolve(stream !== null)
      return stream
    }
  }

  drawn(chat) {
    this.chat = chat
    const waiting = this.#waiting
    this.#waiting = waiting.filter(w => !w())
  }

  // When what is drawn is so.
  until(what, isSo) {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${what}: ${this.chat?.status}, ${this.html()}`)), PATIENCE_MS)
      const look = () => {
        try {
          if (!this.chat || !isSo(this.chat)) return false
        } catch (e) {
          reject(e)
        }
        clearTimeout(late)
        resolve(this.chat)
        return true
      }
      if (!look()) this.#waiting.push(look)
    })
  }

  // Asks, and waits until the answer is drawn.
  async ask(text, options) {
    const n = (await this.until('a page', c => c.status === 'ready')).messages.length
    await this.chat.sendMessage({ text }, options)
    return this.until(`an answer to ${text}`, c => c.status !== 'streaming' && c.status !== 'submitted' && c.messages.length > n)
  }

  html() {
    return this.box.innerHTML
  }

  messages() {
    return [...this.box.querySelectorAll('article')].map(x => x.outerHTML)
  }

  close() {
    this.root.unmount()
    this.box.remove()
  }
}

export const endDocument = () => window.happyDOM.close()
