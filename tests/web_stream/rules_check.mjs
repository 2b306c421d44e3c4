// Each rule of rules.mjs finds the stream that breaks it, and none finds fault with a right one.
import assert from 'node:assert/strict'
import { chunkProblems, chunksOf, headerProblems } from './rules.mjs'

const start = { type: 'start', messageId: 'm' }
const step = { type: 'start-step' }
const stepEnd = { type: 'finish-step' }
const finish = { type: 'finish', finishReason: 'stop' }
const text = (id, ...words) => [{ type: 'text-start', id }, ...words.map(delta => ({ type: 'text-delta', id, delta })), { type: 'text-end', id }]
const call = { type: 'tool-input-available', toolCallId: 'c', toolName: 't', input: {} }
const output = { type: 'tool-output-available', toolCallId: 'c', output: {} }
const message = (...parts) => [start, step, ...parts, stepEnd, finish]

const RIGHT = [
  message(...text('a', 'Hi')),
  message({ type: 'reasoning-start', id: 'a' }, { type: 'reasoning-end', id: 'a' }, ...text('a', 'x', 'y'), call, output),
  [start, step, call, { type: 'tool-output-error', toolCallId: 'c', errorText: 'no' }, stepEnd, step, ...text('a', 'z'), stepEnd, finish],
  message(...text('a', 'Hi'), { type: 'data-answer', id: 'd', data: {} }, { type: 'error', errorText: 'no' }),
  [start, step, stepEnd, { type: 'abort' }],
]
const WRONG = [
  [/start is not the first/, [step, stepEnd, finish]],
  [/start is not the first/, [start, start, step, stepEnd, finish]],
  [/no messageId/, [{ type: 'start' }, step, stepEnd, finish]],
  [/step begins in another/, message(step)],
  [/ends that did not begin/, message(stepEnd)],
  [/step ends before text a/, message({ type: 'text-start', id: 'a' })],
  [/step ends before the call/, message(call)],
  [/message ends before its step/, [start, step, finish]],
  [/error while text a/, message({ type: 'text-start', id: 'a' }, { type: 'error', errorText: 'no' }, { type: 'text-end', id: 'a' })],
  [/text a twice/, message(...text('a', 'x'), ...text('a', 'y'))],
  [/text b begins in text a/, message({ type: 'text-start', id: 'a' }, ...text('b', 'x'))],
  [/text a outside/, [start, ...text('a', 'x'), finish]],
  [/text b is not open/, message({ type: 'text-delta', id: 'b', delta: 'x' })],
  [/empty text-delta/, message(...text('a', ''))],
  [/text a is not open/, message({ type: 'text-end', id: 'a' })],
  [/two calls/, message(call, output, call, output)],
  [/in a text/, message({ type: 'text-start', id: 'a' }, call, output, { type: 'text-end', id: 'a' })],
  [/waits for none/, message(output)],
  [/waits for none/, message(call, output, output)],
  [/6\.0\.3 refuses.*more/, message({ ...call, more: 1 }, output)],
  [/6\.0\.3 refuses.*words/, message({ type: 'text-start', id: 'a' }, { type: 'text-delta', id: 'a', words: 'x' }, { type: 'text-end', id: 'a' })],
  [/of the type telepathy/, message({ type: 'telepathy' })],
  [/last chunk is not/, [start, step, stepEnd]],
  [/ends twice/, [start, step, stepEnd, finish, finish]],
]
const LINES = [
  [/no blank line/, 'data: [DONE]'],
  [/not \[DONE\]/, 'data: {}\n\n'],
  [/not one data line/, 'event: x\ndata: {}\n\ndata: [DONE]\n\n'],
  [/not JSON/, 'data: {\n\ndata: [DONE]\n\n'],
]

export async function rulesHold() {
  for (const right of RIGHT) assert.deepEqual(await chunkProblems(right), [])
  for (const [want, wrong] of WRONG) assert.match((await chunkProblems(wrong)).join('\n'), want)
  for (const [want, wrong] of LINES) {
    const problems = []
    chunksOf(wrong, problems)
    assert.match(problems.join('\n'), want)
  }
  const problems = []
  assert.deepEqual(chunksOf(': ping\n\ndata: {"type":"start"}\n\n: a\n: b\n\ndata: [DONE]\n\n', problems), [{ type: 'start' }])
  assert.deepEqual(problems, [])
  assert.equal(headerProblems(new Headers()).length, 4)
}
