import { describe, expect, it } from 'vitest'
import { answer, json, shown } from './route-response.js'

const texts = (made: ReturnType<typeof shown>) =>
  made.content.map((block) => (block as { text?: string }).text)
const agreed = { drift: () => undefined }

describe('a response with status 2xx', () => {
  it('is text if it is JSON, unchanged, including the digits of long numbers', () => {
    expect(shown(answer(200, '{"id":12345678901234567890}', json))).toEqual({
      content: [{ type: 'text', text: '{"id":12345678901234567890}' }],
    })
  })

  it('is also structured if the route has a response schema', () => {
    expect(shown(answer(200, { a: 1 }), { output: agreed })).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
    })
    expect(shown(answer(200, [1], 'application/vnd.api+json'), { output: agreed }).structuredContent).toEqual(
      [1],
    )
  })

  it('loses its indentation', () => {
    expect(texts(shown(answer(200, '{\n  "a": "x\\ny"\n}', json)))).toEqual(['{"a":"x\\ny"}'])
    const long = '{\n"id": 12345678901234567890\n}'
    expect(texts(shown(answer(200, long, json)))).toEqual(['{"id":12345678901234567890}'])
  })

  it('is text if it is not valid JSON', () => {
    expect(texts(shown(answer(200, '{"a":', json)))).toEqual(['{"a":'])
    const differences: string[] = []
    const output = {
      drift: (value: unknown) => (typeof value === 'string' ? 'expected an object' : undefined),
    }
    const onDrift = (difference: string) => void differences.push(difference)
    expect(shown(answer(200, '{"a":', json), { output, onDrift })).toEqual({
      content: [{ type: 'text', text: '{"a":' }],
      isError: true,
    })
    expect(differences).toEqual(['expected an object'])
  })

  it('is an error with the body, and reported, if it does not match the schema', () => {
    const differences: string[] = []
    const output = {
      drift: (value: unknown) => (typeof value === 'object' ? 'id: missing' : 'expected an object'),
    }
    const options = { output, onDrift: (difference: string) => void differences.push(difference) }
    expect(shown(answer(200, { a: 1 }), options)).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      isError: true,
    })
    expect(shown(answer(200, 'fine', 'text/plain'), options)).toMatchObject({ isError: true })
    expect(shown(answer(200, Buffer.of(1), 'image/png'), options)).toMatchObject({ isError: true })
    expect(differences).toEqual(['id: missing', 'expected an object', 'image/png, not JSON'])
  })

  it.each([
    ['a byte order mark', '\ufeff{"a":1}', json, '{"a":1}'],
    ['latin1', Buffer.from('h\u00e4h', 'latin1'), 'text/plain; charset="ISO-8859-1"', 'h\u00e4h'],
    ['an unknown charset', 'h\u00e4h', 'text/plain; charset=klingon', 'h\u00e4h'],
    ['markdown', '# x', 'text/markdown', '# x'],
    ['XML', '<a/>', 'application/atom+xml', '<a/>'],
    ['a drawing', '<svg/>', 'image/svg+xml', '<svg/>'],
    ['no type', 'plain', undefined, 'plain'],
    ['JSON without a type', '{ "a": 1\n}', undefined, '{"a":1}'],
  ])('is text: %s', (_, body, type, text) => {
    expect(texts(shown(answer(200, body, type)))).toEqual([text])
  })

  it('is the text of a page, without markup and scripts', () => {
    const page = `<!doctype html><html><head><title>Tasks &amp; more</title><style>b{}</style></head>
      <body><header>Top</header><script>alert("<p>x</p>")</script><p>One <b>task</b></p><!-- no --><ul><li>Two</ul></body>`
    expect(texts(shown(answer(200, page, 'text/html')))).toEqual(['Tasks & more\nTop\nOne task\nTwo'])
  })

  it('takes linear time for any page', () => {
    for (const part of ['<script', '<title', '<', '<!--', '<script>', '</scr', '&amp', '<p '])
      expect(() => shown(answer(200, part.repeat(100_000), 'text/html'))).not.toThrow()
  })

  it('is a content block of its type for images, audio and other bytes', () => {
    const bytes = Buffer.of(1, 2, 255)
    expect(shown(answer(200, bytes, 'image/png')).content).toEqual([
      { type: 'image', data: 'AQL/', mimeType: 'image/png' },
    ])
    expect(shown(answer(200, bytes, 'audio/wav')).content).toEqual([
      { type: 'audio', data: 'AQL/', mimeType: 'audio/wav' },
    ])
    const resource = { uri: 'route:/tasks?x=1', mimeType: 'application/pdf', blob: 'AQL/' }
    expect(shown(answer(200, bytes, 'application/pdf')).content).toEqual([{ type: 'resource', resource }])
    expect(shown(answer(200, bytes)).content).toMatchObject([
      { resource: { mimeType: 'application/octet-stream' } },
    ])
  })

  it('is an error for too many bytes, which cannot be truncated', () => {
    const made = shown(answer(200, Buffer.alloc(1000), 'image/png'))
    expect(made.isError).toBe(true)
    expect(texts(made)[0]).toContain('1000 bytes of image/png')
  })

  it('has no content for an empty body, with or without a schema', () => {
    expect(shown(answer(204))).toEqual({ content: [] })
    expect(shown(answer(204), { output: agreed })).toEqual({ content: [], structuredContent: {} })
    const list = { drift: (value: unknown) => (Array.isArray(value) ? undefined : 'no list') }
    expect(shown(answer(204), { output: list })).toEqual({ content: [], structuredContent: [] })
    expect(texts(shown(answer(201, '', undefined, { location: '/tasks/5' })))).toEqual(['201 at /tasks/5'])
    const begun = answer(202, { state: 'queued' }, json, { location: '/jobs/77?full=1' })
    expect(texts(shown(begun))).toEqual(['{"state":"queued"}', '202 at /jobs/77?full=1'])
    const made = answer(201, { id: 5 }, json, { location: '/tasks/5' })
    expect(texts(shown(made))).toEqual(['{"id":5}'])
    expect(texts(shown(answer(200, {}, json, { location: '/tasks/5' })))).toEqual(['{}'])
  })

  it('never contains cookies', () => {
    const made = shown(answer(200, { a: 1 }, json, { 'set-cookie': ['sid=secret'] }))
    expect(JSON.stringify(made)).not.toContain('secret')
  })
})

it('names the target of a redirect', () => {
  expect(texts(shown(answer(302, '<p>Found</p>', 'text/html', { location: '/tasks/5' })))).toEqual([
    '302 to /tasks/5',
  ])
  expect(() => shown(answer(304))).toThrow('304')
})

describe('a response that is too large', () => {
  const items = Array.from({ length: 100 }, (_, id) => ({ id, title: `Task ${id} \u00e4` }))
  const names = ['limit', 'title', 'page']

  it('is truncated between items, with their number and the arguments to narrow it', () => {
    const [list = '', note] = texts(shown(answer(200, items), { arguments: names }))
    const kept = JSON.parse(list)
    expect(kept).toEqual(items.slice(0, kept.length))
    expect(Buffer.byteLength(list)).toBeLessThanOrEqual(1024)
    expect(Buffer.byteLength(JSON.stringify(items.slice(0, kept.length + 1)))).toBeGreaterThan(1024)
    expect(note).toBe(
      `Only the first ${kept.length} of 100 items are shown. To get the rest, call again with other values for limit, page.`,
    )
  })

  it('keeps the rest of an object and truncates its list, also one level down', () => {
    const made = shown(answer(200, { total: 100, items, tags: ['a'] }), { output: agreed })
    const {
      total,
      items: kept,
      tags,
    } = made.structuredContent as { total: number; items: object[]; tags: string[] }
    expect([total, tags]).toEqual([100, ['a']])
    expect(kept).toEqual(items.slice(0, kept.length))
    expect(JSON.parse(texts(made)[0] ?? '')).toEqual(made.structuredContent)
    const deeper = JSON.parse(texts(shown(answer(200, { data: { items }, ok: true })))[0] ?? '')
    expect(deeper).toMatchObject({ data: { items: items.slice(0, deeper.data.items.length) }, ok: true })
    expect(texts(shown(answer(200, { items })))[1]).toContain(
      'This tool has no argument to request less data.',
    )
  })

  it.each([
    ['an array', items],
    ['an object', { total: 100, items }],
    ['a nested object', { data: { items } }],
  ])('is completed if reading it was truncated: %s', (_, value) => {
    const whole = JSON.stringify(value)
    for (let end = 200; end < 260; end++) {
      const cut = { ...answer(200, whole.slice(0, end), json), truncated: true }
      const [list = '', note] = texts(shown(cut))
      expect(() => JSON.parse(list)).not.toThrow()
      expect(note).toMatch(/^Only the first \d+ items are shown; there are more than \d+\./)
    }
  })

  it('is truncated between characters if it is text or has no list', () => {
    const [text = '', note] = texts(shown(answer(200, '\u00e4'.repeat(2000), 'text/plain')))
    expect(text).toBe('\u00e4'.repeat(512))
    expect(note).toContain('Only the first 1024 bytes are shown.')
    expect(texts(shown(answer(200, `x${'\u00e4'.repeat(2000)}`, 'text/plain')))[0]).toHaveLength(512)
    expect(texts(shown(answer(200, { long: 'x'.repeat(5000) })))[0]).toHaveLength(1024)
    expect(shown(answer(200, { long: 'x'.repeat(5000) }), { output: agreed })).toMatchObject({
      isError: true,
    })
  })
})

describe('a streamed response', () => {
  it('is the data of all its events', () => {
    const body = ': hi\n\ndata: one\n\nevent: x\r\ndata: two\r\ndata: three\r\n\r\nid: 4\n\ndata: [DONE]\n\n'
    expect(texts(shown(answer(200, body, 'text/event-stream')))).toEqual(['one\ntwo\nthree'])
    const single = shown(answer(200, 'data: {"a":1}\n\n', 'text/event-stream'), { output: agreed })
    expect(single.structuredContent).toEqual({ a: 1 })
  })

  it('is its lines, and a list of their values if there is a schema', () => {
    const body = '{"a":1}\n{"a":2}\n'
    expect(texts(shown(answer(200, body, 'application/x-ndjson')))).toEqual(['{"a":1}\n{"a":2}'])
    const made = shown(answer(200, body, 'application/x-ndjson'), { output: agreed })
    expect(made.structuredContent).toEqual([{ a: 1 }, { a: 2 }])
  })
})
