// The rules of the UI message stream, version 1, over what a server sent: every one of them breaks some client when it is broken.
// The types and keys of a chunk are checked by the schema of ai 6.0.3 itself, which refuses keys that it does not know.
import { uiMessageChunkSchema } from 'ai-6-first'

const schema = uiMessageChunkSchema()
const HEADERS = [
  ['content-type', /^text\/event-stream\b/],
  ['x-vercel-ai-ui-message-stream', /^v1$/],
  ['cache-control', /no-cache/],
  ['x-accel-buffering', /^no$/],
]

export function headerProblems(headers) {
  return HEADERS.filter(([name, want]) => !want.test(headers.get(name) ?? '')).map(([name]) => `header ${name}: ${headers.get(name)}`)
}

// The chunks of a whole stream; problems gets what is wrong with its lines.
export function chunksOf(text, problems) {
  const events = text.split('\n\n')
  const chunks = []
  if (events.pop() !== '') problems.push('the last event has no blank line after it')
  for (const event of events) {
    if (event.split('\n').every(line => line.startsWith(':'))) continue
    if (!event.startsWith('data: ') || event.includes('\n')) problems.push(`not one data line: ${JSON.stringify(event)}`)
    else chunks.push(event.slice(6))
  }
  if (chunks.pop() !== '[DONE]') problems.push('the end is not [DONE]')
  return chunks.map(x => {
    try {
      return JSON.parse(x)
    } catch {
      problems.push(`not JSON: ${x}`)
      return {}
    }
  })
}

// Walks through the chunks of one message. A rule: (state, chunk) => what is wrong, or nothing.
const RULES = {
  start: (s, c) => (s.n > 1 ? 'start is not the first chunk' : c.messageId ? '' : 'start has no messageId'),
  'start-step'(s) {
    if (s.inStep) return 'a step begins in another'
    s.inStep = true
    s.ids.clear()
  },
  'finish-step'(s) {
    if (!s.inStep) return 'a step ends that did not begin'
    s.inStep = false
    if (s.open) return `a step ends before ${s.open}`
    return s.waiting.size ? `a step ends before the call ${[...s.waiting]}` : ''
  },
  finish: s => (s.inStep ? 'the message ends before its step' : ''),
  abort: s => (s.inStep ? 'the message ends before its step' : ''),
  error: s => (s.open ? `an error while ${s.open} is open` : ''),
  'text-start': (s, c) => begin(s, 'text', c),
  'text-delta': (s, c) => more(s, 'text', c),
  'text-end': (s, c) => end(s, 'text', c),
  'reasoning-start': (s, c) => begin(s, 'reasoning', c),
  'reasoning-delta': (s, c) => more(s, 'reasoning', c),
  'reasoning-end': (s, c) => end(s, 'reasoning', c),
  'tool-input-available'(s, c) {
    if (s.calls.has(c.toolCallId)) return `two calls ${c.toolCallId}`
    s.calls.add(c.toolCallId)
    s.waiting.add(c.toolCallId)
    return s.inStep && !s.open ? '' : 'a call outside of a step, or in a text'
  },
  'tool-output-available': answered,
  'tool-output-error': answered,
}

function begin(s, kind, c) {
  const name = `${kind} ${c.id}`
  const was = s.open
  s.open = name
  if (s.ids.has(name)) return `${name} twice in a step`
  s.ids.add(name)
  return was ? `${name} begins in ${was}` : s.inStep ? '' : `${name} outside of a step`
}

function more(s, kind, c) {
  return s.open !== `${kind} ${c.id}` ? `${kind} ${c.id} is not open` : c.delta ? '' : `an empty ${kind}-delta`
}

function end(s, kind, c) {
  const was = s.open
  s.open = ''
  return was === `${kind} ${c.id}` ? '' : `${kind} ${c.id} is not open`
}

function answered(s, c) {
  return s.waiting.delete(c.toolCallId) ? '' : `an output of ${c.toolCallId}, which waits for none`
}

export async function chunkProblems(chunks) {
  const problems = []
  const s = { n: 0, inStep: false, open: '', ids: new Set(), calls: new Set(), waiting: new Set() }
  for (const c of chunks) {
    const known = await schema.validate(c)
    s.n++
    if (!known.success) problems.push(`ai 6.0.3 refuses ${JSON.stringify(c)}: ${known.error.message}`)
    if (s.n === 1 && c.type !== 'start') problems.push('start is not the first chunk')
    const broken = RULES[c.type] ? RULES[c.type](s, c) : c.type?.startsWith('data-') ? '' : `a chunk of the type ${c.type}`
    if (broken) problems.push(broken)
  }
  if (!['finish', 'abort'].includes(chunks.at(-1)?.type)) problems.push('the last chunk is not finish or abort')
  if (chunks.filter(c => c.type === 'finish' || c.type === 'abort').length > 1) problems.push('it ends twice')
  return problems
}

export async function streamProblems({ headers, text }) {
  const problems = headerProblems(headers)
  return [...problems, ...(await chunkProblems(chunksOf(text, problems)))]
}
