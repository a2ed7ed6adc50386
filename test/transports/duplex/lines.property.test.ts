/** Any input in lines, in any chunks: the process survives and answers the next valid message. */
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { McpRouter } from 'mcp-router'
import { serveStdio } from 'mcp-router/stdio'
import { expect, it } from 'vitest'

const maxBodyBytes = 300

/** Sends the chunks and resolves to the responses. */
async function answersTo(pieces: Iterable<Uint8Array>, limit = maxBodyBytes) {
  const input = new PassThrough()
  const output = new PassThrough()
  let text = ''
  output.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const served = serveStdio(new McpRouter<object>(), { input, output, maxBodyBytes: limit, exit: false })
  for (const piece of pieces)
    if (!input.write(piece)) await new Promise((resolve) => input.once('drain', resolve))
  input.end()
  await served
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const ping = (id: number): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'ping', params: { é: '€😀' }, id })

const noise = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((bytes) => bytes.filter((byte) => byte !== 10)),
  fc.string().map((text) => bytesOf(text.replaceAll('\n', ''))),
  fc.json().map((text) => bytesOf(text.replaceAll('\n', ''))),
  fc
    .constantFrom(
      '',
      '   ',
      '\r',
      '[]',
      '[[]]',
      '{}',
      'null',
      '"',
      '{"jsonrpc":"2.0"',
      '\u0000',
      '\ufeff{}',
      'x'.repeat(1_000),
      '['.repeat(250),
      '{"__proto__":1,"method":"__proto__","jsonrpc":"2.0"}',
    )
    .map(bytesOf),
  fc
    .constantFrom([0xff, 0xfe], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98])
    .map((bytes) => Uint8Array.from(bytes)),
)
const line = fc.oneof({ weight: 1, arbitrary: noise }, { weight: 1, arbitrary: fc.constant('ping' as const) })
const ending = fc.constantFrom('\n', '\r\n')

it('answers every valid message, among any others and in any chunks', async () => {
  const stream = fc.array(fc.tuple(line, ending), { maxLength: 12 })
  const cuts = fc.array(fc.nat({ max: 500 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(stream, cuts, fc.boolean(), async (lines, sizes, last) => {
      let id = 0
      const parts = lines.flatMap(([content, end]) => [
        content === 'ping' ? bytesOf(ping(++id)) : content,
        bytesOf(end),
      ])
      // The last one with or without a newline.
      const whole = Buffer.concat([...parts, bytesOf(ping(++id)), bytesOf(last ? '\n' : '')])
      const answers = await answersTo(pieces(whole, sizes))
      const good = answers.filter((answer) => answer.result !== undefined)
      expect(good.map((answer) => answer.id).sort((a, b) => a - b)).toEqual(
        Array.from({ length: id }, (_, n) => n + 1),
      )
    }),
    { numRuns: 200 },
  )
})

function* pieces(whole: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let from = 0
  for (const size of sizes) {
    if (size > 0 && from < whole.length) yield whole.slice(from, from + size)
    from += size
  }
  if (from < whole.length) yield whole.slice(from)
}

it('refuses a message of 50 MiB with its id, without buffering it, and continues', async () => {
  const piece = bytesOf('x'.repeat(1024 * 1024))
  function* large(start: string, end: string): Generator<Uint8Array> {
    yield bytesOf(start)
    for (let n = 0; n < 50; n++) yield piece
    yield bytesOf(`${end}\n`)
  }
  const text = '"method":"tools/call","params":{"name":"a","arguments":{"id":0,"text":"'
  const answers = await answersTo([
    ...large(`{"jsonrpc":"2.0","id":"first",${text}`, '"}}}'),
    ...large(`{${text}`, '"}},"jsonrpc":"2.0","id":7}'),
    ...large('', ''),
    bytesOf(`${ping(1)}\n`),
  ])
  expect(answers.map(({ id, error }) => [id, error?.message])).toEqual([
    ['first', 'The message is larger than 300 bytes (`maxBodyBytes`)'],
    [7, 'The message is larger than 300 bytes (`maxBodyBytes`)'],
    [undefined, 'The message is larger than 300 bytes (`maxBodyBytes`)'],
    [1, undefined],
  ])
})

it('accepts a large message byte by byte', async () => {
  const message = bytesOf(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 'x'.repeat(50_000) } })}\n`,
  )
  const single = Array.from(message, (byte) => Uint8Array.of(byte))
  expect(await answersTo(single, 60_000)).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
})

it('accepts thousands of messages at once', async () => {
  const all = Array.from({ length: 5_000 }, (_, id) => `${ping(id)}\n`).join('')
  const answers = await answersTo([bytesOf(all)])
  expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(5_000)
})
