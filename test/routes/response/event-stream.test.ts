import { expect, it } from 'vitest'
import { progressOf } from '../../../src/routes/response/event-stream.js'

/** Returns the progress messages for a body sent in these pieces. */
function told(type: string, pieces: readonly string[], status = 200): unknown[] {
  const calls: unknown[] = []
  const { onHead, onChunk } = progressOf((done, _total, message) => calls.push([done, message]) > 0)
  onHead(status, { 'content-type': type })
  for (const piece of pieces) onChunk(Buffer.from(piece, 'latin1'))
  return calls
}

it('reports a message for each event, however the stream is split', () => {
  const body = Buffer.from(
    ': hello\n\nevent: step\ndata: one\n\ndata: zw\u00f6lf\r\ndata: x\r\n\r\ndata: [DONE]\n\n',
  ).toString('latin1')
  const expected = [
    [1, 'one'],
    [2, 'zw\u00f6lf\nx'],
  ]
  for (let size = 1; size < 20; size++) {
    const pieces = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    expect(told('text/event-stream; charset=utf-8', pieces)).toEqual(expected)
  }
})

it('reports a message for each line', () => {
  expect(told('application/x-ndjson', ['{"a":1}\n{"a"', ':2}\r\n\n{"a":3}'])).toEqual([
    [1, '{"a":1}'],
    [2, '{"a":2}'],
  ])
})

it('reports none for other responses and for errors', () => {
  expect(told('application/json', ['{}\n\n'])).toEqual([])
  expect(told('text/event-stream', ['data: x\n\n'], 500)).toEqual([])
})

it('keeps messages short', () => {
  expect(told('application/x-ndjson', [`${'x'.repeat(5000)}\n`])).toEqual([[1, `${'x'.repeat(500)}…`]])
})

it('skips pieces longer than 1 MiB and continues', () => {
  const long = 'x'.repeat(600 * 1024)
  const rest = [long, long, 'the end of it\n{"a":1}\n', '{"a":2}\n']
  expect(told('application/x-ndjson', ['{"a":0}\n', ...rest])).toEqual([
    [1, '{"a":0}'],
    [2, '{"a":1}'],
    [3, '{"a":2}'],
  ])
})
