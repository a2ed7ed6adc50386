import { describe, expect, it } from 'vitest'
import { encodeBody, toForm } from '../../../src/routes/request/encode-body.js'
import { readUpload } from '../../../src/routes/request/upload.js'

const limits = { maxBytes: 100 }
const textOf = (bytes: Uint8Array | string | undefined) =>
  typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes)

describe('a form', () => {
  it('holds values, repeated names for lists, and brackets for objects', () => {
    const body = {
      a: 'x y&=',
      n: 1,
      no: null,
      gone: undefined,
      list: ['1', 2],
      o: { p: { q: true } },
      rows: [{ id: 1 }, { id: 2 }],
    }
    expect(decodeURIComponent(toForm(body))).toBe(
      'a=x+y&=&n=1&no=&list=1&list=2&o[p][q]=true&rows[0][id]=1&rows[1][id]=2',
    )
    expect(toForm({ a: 'x y&=ä\ud800' })).toBe('a=x+y%26%3D%C3%A4%EF%BF%BD')
  })

  it('requires an object', () => {
    expect(() => toForm('x')).toThrow('expected an object of form fields, got "x"')
  })
})

describe('a multipart body', () => {
  it('contains fields and files, which cannot break out of their quotes or lines', async () => {
    const body = {
      'na"me': 'v1',
      list: ['a', 'b'],
      o: { a: 1 },
      file: { data: 'aGk=', mimeType: 'text/plain', filename: 'a"\r\nX: 1.txt' },
      bad: { data: 'aGk=', mimeType: 'x\r\nX-Evil: 1' },
    }
    const { contentType = '', body: bytes } = (await encodeBody(body, 'multipart/form-data', limits)) ?? {}
    const boundary = contentType.split('boundary=')[1] as string
    const parts = textOf(bytes).split(`--${boundary}`)
    expect(parts.slice(1, -1)).toEqual([
      '\r\nContent-Disposition: form-data; name="na%22me"\r\n\r\nv1\r\n',
      '\r\nContent-Disposition: form-data; name="list"\r\n\r\na\r\n',
      '\r\nContent-Disposition: form-data; name="list"\r\n\r\nb\r\n',
      '\r\nContent-Disposition: form-data; name="o"\r\n\r\n{"a":1}\r\n',
      '\r\nContent-Disposition: form-data; name="file"; filename="a%22%0D%0AX: 1.txt"\r\nContent-Type: text/plain\r\n\r\nhi\r\n',
      '\r\nContent-Disposition: form-data; name="bad"; filename="bad"\r\nContent-Type: application/octet-stream\r\n\r\nhi\r\n',
    ])
    expect(parts.at(-1)).toBe('--\r\n')
  })

  it('treats as files what the schema declares, and otherwise what looks like a file', async () => {
    const sent = { a: 'aGk=', b: 'aGk=', c: 'data:image/png;base64,aGk=' }
    const made = await encodeBody(sent, 'multipart/form-data', { ...limits, files: new Set(['a']) })
    const text = textOf(made?.body)
    expect(text).toContain('name="a"; filename="a"')
    expect(text).toContain('name="b"\r\n\r\naGk=')
    expect(text).toContain('name="c"; filename="c"\r\nContent-Type: image/png')
  })

  it('has one limit for all its files', async () => {
    const file = { data: Buffer.alloc(60).toString('base64'), filename: 'x' }
    await expect(encodeBody({ file, other: file }, 'multipart/form-data', limits)).rejects.toThrow(
      'other: expected a file of at most 40 bytes, got 60',
    )
  })
})

describe('a body of another type', () => {
  it.each([
    [undefined, { a: 1 }, 'application/json', '{"a":1}'],
    ['application/json', 'x', 'application/json', '"x"'],
    ['application/merge-patch+json', { a: null }, 'application/merge-patch+json', '{"a":null}'],
    [
      'application/x-www-form-urlencoded; charset=utf-8',
      { a: 1 },
      'application/x-www-form-urlencoded',
      'a=1',
    ],
    ['text/csv', 'a,b', 'text/csv; charset=utf-8', 'a,b'],
    ['application/octet-stream', 'aGk=', 'application/octet-stream', 'hi'],
    ['image/*', 'data:image/png;base64,aGk=', 'image/png', 'hi'],
  ])('travels as %s', async (consumes, body, contentType, text) => {
    const made = await encodeBody(body, consumes, limits)
    expect([made?.contentType, textOf(made?.body)]).toEqual([contentType, text])
  })

  it('is empty without an argument', async () => {
    expect(await encodeBody(undefined, 'application/json', limits)).toBeUndefined()
  })
})

describe('a file in an argument', () => {
  it.each<[string, unknown, string, string | undefined]>([
    ['base64', 'aGk=', 'hi', undefined],
    ['base64 without padding, with line breaks', 'aG\nk', 'hi', undefined],
    ['base64url', '-_-_', '\ufffd\ufffd\ufffd', undefined],
    ['a data URI', 'data:text/css;base64,aGk=', 'hi', 'text/css'],
    ['a data URI of text', 'data:,h%69', 'hi', 'text/plain'],
    [
      'an embedded resource',
      { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/x', text: 'hi' } },
      'hi',
      'text/x',
    ],
    ['a blob', { blob: 'aGk=', mimeType: 'a/b' }, 'hi', 'a/b'],
    ['a link to a data URI', { uri: 'data:text/css;base64,aGk=' }, 'hi', 'text/css'],
  ])('is read: %s', async (_, value, text, mimeType) => {
    const upload = await readUpload('file', value, limits)
    expect([textOf(upload.bytes), upload.mimeType]).toEqual([text, mimeType])
  })

  it('may be a resource of this server', async () => {
    const readResource = async (uri: string) =>
      uri === 'file:///a.txt'
        ? { bytes: Buffer.from('hi'), mimeType: 'text/plain', filename: undefined }
        : undefined
    const link = { type: 'resource_link', uri: 'file:///a.txt' }
    expect(await readUpload('f', link, { ...limits, readResource })).toMatchObject({
      filename: 'a.txt',
      mimeType: 'text/plain',
    })
    const elsewhere = { uri: 'http://169.254.169.254/' }
    await expect(readUpload('f', elsewhere, { ...limits, readResource })).rejects.toThrow(
      'nothing is fetched from elsewhere',
    )
    await expect(readUpload('f', elsewhere, limits)).rejects.toThrow('there is no resource')
  })

  it.each<[unknown, string]>([
    ['not base64!', 'got text that is not base64'],
    [7, 'expected base64, a data URI'],
    [{ name: 'x' }, 'an object without `data` and `uri`'],
    ['data:broken', 'a comma'],
    ['data:,%zz', 'percent-encoded'],
    ['A'.repeat(1000), 'at most 100 bytes'],
    [Buffer.alloc(101).toString('base64'), 'expected a file of at most 100 bytes, got 101'],
  ])('is refused by name: %j', async (value, message) => {
    await expect(readUpload('file', value, limits)).rejects.toThrow(message)
    await expect(readUpload('file', value, limits)).rejects.toThrow(/^file: /)
  })
})
