import { describe, expect, it } from 'vitest'
import { checkForwardHeaders, forwardedHeaders } from '../../../src/routes/request/forwarded-headers.js'

const outer = (headers: Record<string, string | string[]>) => ({
  method: 'POST',
  url: '/mcp',
  headers,
  ip: '1.2.3.4',
  raw: undefined,
})

describe('the headers of an inner request', () => {
  it('identify the caller and its connection', () => {
    const kept = {
      host: 'api.example.com',
      authorization: 'Bearer t',
      cookie: 'a=1',
      'accept-language': 'de',
      'user-agent': 'client/1',
      'x-request-id': 'r1',
      'x-forwarded-for': '9.9.9.9',
      'x-forwarded-proto': 'https',
      traceparent: '00-1',
      tracestate: 'a=b',
      baggage: 'c=d',
    }
    const headers = forwardedHeaders(outer(kept))
    expect(headers).toMatchObject(kept)
    expect(Object.keys(headers).toSorted()).toEqual([...Object.keys(kept), 'accept'].toSorted())
  })

  it('exclude headers of the MCP request itself', () => {
    const names =
      'content-type content-length accept-encoding connection keep-alive transfer-encoding upgrade te expect if-none-match if-modified-since range origin referer sec-fetch-site mcp-session-id mcp-protocol-version last-event-id proxy-authorization x-tenant-id'
    const sent = Object.fromEntries(names.split(' ').map((name) => [name, 'x']))
    expect(Object.keys(forwardedHeaders(outer(sent))).toSorted()).toEqual(['accept', 'host', 'user-agent'])
  })

  it('include the headers of the option', () => {
    const forwardHeaders = checkForwardHeaders(['X-Tenant-Id', 'x-many'])
    const sent = outer({ host: 'h', 'x-tenant-id': 't', 'x-many': ['a', 'b'], 'x-other': 'o' })
    expect(forwardedHeaders(sent, { forwardHeaders })).toMatchObject({ 'x-tenant-id': 't', 'x-many': 'a, b' })
    expect(forwardedHeaders(sent, { forwardHeaders })).not.toHaveProperty('x-other')
    expect(forwardedHeaders(sent, { forwardHeaders: ['X-Tenant-Id'] })).toHaveProperty('x-tenant-id', 't')
  })

  it.each(['content-type', 'Origin', 'mcp-session-id', 'sec-fetch-mode', 'if-match', 'host', 'a b', ''])(
    'never hold %j, and say so at once',
    (name) => expect(() => checkForwardHeaders([name])).toThrow(/`forwardHeaders`/),
  )

  it('continue the trace of the call before that of the connection, never a mix of both', () => {
    const sent = outer({ traceparent: '00-header', tracestate: 'of=header' })
    expect(forwardedHeaders(sent, { meta: { traceparent: '00-meta' } })).toMatchObject({
      traceparent: '00-meta',
    })
    expect(forwardedHeaders(sent, { meta: { traceparent: '00-meta' } })).not.toHaveProperty('tracestate')
    expect(forwardedHeaders(sent, { meta: { baggage: 'a=1' } })).toMatchObject({
      tracestate: 'of=header',
      baggage: 'a=1',
    })
  })

  it('accept only text without line breaks from `_meta`', () => {
    const meta = { traceparent: '00\r\nx-admin: 1', tracestate: 7, baggage: { a: 1 } }
    expect(Object.keys(forwardedHeaders(undefined, { meta }))).toEqual(['host', 'accept', 'user-agent'])
  })

  it('are few for a call without a request', () => {
    expect(forwardedHeaders(undefined)).toMatchObject({ host: 'localhost', 'user-agent': 'mcp-router' })
    expect(forwardedHeaders(outer({ ':authority': 'two.example' })).host).toBe('two.example')
  })
})
