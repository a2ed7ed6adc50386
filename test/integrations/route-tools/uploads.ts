/** Files in arguments reach the upload middleware of each framework, and no larger ones than they should. */

import { expect, it } from 'vitest'
import { expectText } from '../../contract/expect.js'
import type { ApiRoute, RouteHost } from './host.js'
import { ana, read, serveRoutes, toolsOf } from './serve.js'

const file = { type: 'string', format: 'binary' } as const
const hello = Buffer.from('hello').toString('base64')

const routes: readonly ApiRoute[] = [
  {
    method: 'post',
    path: '/tasks/:id/files',
    uploads: 'form',
    marker: {
      name: 'attach',
      consumes: 'multipart/form-data',
      body: { type: 'object', properties: { title: { type: 'string' }, file }, required: ['file'] },
    },
    run: ({ params, body, files }) => ({
      status: 201,
      body: { task: params.id, title: (body as { title?: string }).title, files },
    }),
  },
  {
    method: 'post',
    path: '/free',
    uploads: 'form',
    marker: { name: 'free', consumes: 'multipart/form-data' },
    run: ({ body, files }) => ({ body: { files, note: (body as { note?: string }).note } }),
  },
  {
    method: 'put',
    path: '/avatar',
    uploads: 'bytes',
    marker: { name: 'avatar', consumes: 'application/octet-stream', body: file },
    run: ({ body }) => ({ body: { text: String(body) } }),
  },
]

export function uploads(host: RouteHost): void {
  it('tells a model how to write a file', async () => {
    const described = { ...file, description: 'A picture.' }
    const many = { type: 'array', items: file } as const
    const properties = { title: { type: 'string' }, file: described, files: many } as const
    const { as } = await serveRoutes(host, [
      {
        method: 'post',
        path: '/form',
        marker: { consumes: 'multipart/form-data', body: { type: 'object', properties } },
        run: () => ({}),
      },
      { method: 'post', path: '/free', marker: { consumes: 'multipart/form-data' }, run: () => ({}) },
      { method: 'post', path: '/json', marker: { body: { type: 'object', properties } }, run: () => ({}) },
    ])
    const [form, free, json] = (await toolsOf(as())).map(({ inputSchema }) => inputSchema.properties)
    expect(form.file.description).toMatch(/^A picture\.\nA file, as base64, as a data URI/)
    expect(form.files.description).toMatch(/^Files, each as base64/)
    expect(form.title).toEqual({ type: 'string' })
    expect(free.body.description).toContain('a file as a data URI')
    // There it is text like any other.
    expect(json.file).toEqual(described)
  })

  it('sends base64 and data URIs as the files of a form', async () => {
    const { as } = await serveRoutes(host, routes)
    const attach = async (given: unknown) =>
      JSON.parse(expectText(await as().call('attach', { id: '7', title: 'T', file: given })))
    expect(await attach(hello)).toEqual({
      task: '7',
      title: 'T',
      files: [{ field: 'file', name: 'file', type: 'application/octet-stream', text: 'hello' }],
    })
    expect((await attach(`data:text/plain;name=a.txt;base64,${hello}`)).files).toEqual([
      { field: 'file', name: 'a.txt', type: 'text/plain', text: 'hello' },
    ])
  })

  it('suggests no form that it refuses', async () => {
    const { as } = await serveRoutes(host, routes)
    const refused = read(await as().call('attach', { id: '7', file: 'not base64!!' })).text
    expect(refused).toContain('file: expected base64, a data URI')
    expect(refused).toContain('got text that is not base64')
    // The property is a string: an object would be refused.
    expect(refused).not.toContain('{')
    const suggested = `data:image/png;name=photo.png;base64,${hello}`
    expect(refused).toContain(suggested.slice(0, suggested.indexOf(hello)))
    const sent = JSON.parse(expectText(await as().call('attach', { id: '7', file: suggested })))
    expect(sent.files).toEqual([{ field: 'file', name: 'photo.png', type: 'image/png', text: 'hello' }])
  })

  it('sends a file as the whole body', async () => {
    const { as } = await serveRoutes(host, routes)
    expect(expectText(await as().call('avatar', { body: hello }))).toBe('{"text":"hello"}')
  })

  it('sends what a resource of the server holds, as its reader may see it, and fetches nothing', async () => {
    const { as, router } = await serveRoutes(host, routes)
    router.resource('notes://{id}', {
      mimeType: 'text/plain',
      visible: ({ user }) => user !== undefined,
      handler: ({ id }) => `note ${id}`,
    })
    const attach = async (link: unknown, caller = ana) =>
      read(await as(caller).call('attach', { id: '7', file: link }))
    expect(JSON.parse((await attach('notes://1')).text).files).toEqual([
      { field: 'file', name: '1', type: 'text/plain', text: 'note 1' },
    ])
    for (const link of ['https://example.com/a.txt', 'file:///etc/passwd', 'other://1']) {
      const { text, isError } = await attach(link)
      expect(isError).toBe(true)
      expect(text).toMatch(/no resource|not found/i)
    }
    expect(await as().call('attach', { id: '7', file: 'notes://1' })).toMatchObject({
      text: expect.not.stringContaining('note 1'),
    })
  })

  it('tells why a resource cannot be read, and masks what fails in it', async () => {
    const { as, router } = await serveRoutes(host, routes, { server: { exposeErrors: false } })
    router.resource('private://a', { requireUser: true, text: 'hunter2' })
    router.resource('broken://a', {
      handler: () => {
        throw new Error('hunter2')
      },
    })
    router.resource('empty://a', { handler: () => [] })
    router.resource('bytes://a', { handler: () => new Uint8Array([104, 105]) })
    const attach = async (link: unknown, caller: Parameters<typeof as>[0]) => {
      const answer = await as(caller).call('attach', { id: '7', file: link })
      expect(answer.text).not.toContain('hunter2')
      return answer
    }
    const refused = await attach('private://a', undefined)
    expect(refused.status === 401 || refused.json.error?.code === -31001 || refused.json.result.isError).toBe(
      true,
    )
    for (const [uri, message] of [
      ['broken://a', /Internal error/],
      ['empty://a', /there is no resource "empty:\/\/a" on this server/],
    ] as const) {
      const { json } = await attach(uri, ana)
      expect(json.error?.message ?? json.result.content[0].text).toMatch(message)
    }
    const sent = read(await attach('bytes://a', ana))
    expect(JSON.parse(sent.text).files).toMatchObject([{ field: 'file', text: 'hi' }])
  })

  it('refuses what is no file in each of the ways of writing one', async () => {
    const { as, router } = await serveRoutes(host, routes)
    router.resource('bytes://a', { handler: () => new Uint8Array([104, 105]) })
    const refusal = async (tool: string, args: object): Promise<string> => {
      const { text, isError } = read(await as().call(tool, args))
      expect(isError).toBe(true)
      return text
    }
    expect(await refusal('attach', { id: '7', file: 'data:text/plain' })).toMatch(/a comma in the data URI/)
    expect(await refusal('attach', { id: '7', file: 'data:text/plain,%zz' })).toMatch(/percent-encoded/)
    for (const [given, message] of [
      [{ mimeType: 'text/plain', data: 'data:text/plain;base64,no*' }, /expected base64/],
      [{ filename: 'a.txt', uri: 'file:///etc/passwd' }, /nothing is fetched from elsewhere/],
      [{ type: 'resource', resource: { name: 'a' } }, /without `data` and `uri`/],
    ] as const) {
      expect(await refusal('free', { body: { file: given } })).toMatch(message)
    }
    expect(await refusal('free', { body: 'text' })).toMatch(/expected object/)
    const inside = { mimeType: 'text/x', data: `data:text/plain;base64,${hello}` }
    const link = { type: 'resource_link', uri: 'bytes://a', name: 'b.bin' }
    for (const [file, expected] of [
      [inside, { type: 'text/x', text: 'hello' }],
      [link, { name: 'b.bin', text: 'hi' }],
    ]) {
      const { text } = read(await as().call('free', { body: { file, note: null } }))
      expect(JSON.parse(text)).toMatchObject({ files: [expected], note: '' })
    }
  })

  it('refuses files above either limit, and text that is no file', async () => {
    const { as } = await serveRoutes(host, routes, { options: { routes: { maxUploadBytes: 2_000 } } })
    const refusal = async (given: string) => {
      const answer = read(await as().call('attach', { id: '7', file: given }))
      expect(answer.isError).toBe(true)
      return answer.text
    }
    const ofSize = (size: number) => Buffer.alloc(size, 'x').toString('base64')
    expect(await refusal(ofSize(2_001))).toContain('at most 2000 bytes, got 2001')
    // The limit of the app's own middleware, in its own words.
    expect(await refusal(ofSize(1_500))).toMatch(/^413 Content Too Large: .*too large/i)
    expect(await refusal('no*base64')).toContain('expected base64')
  })
}
