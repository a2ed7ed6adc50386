/** 2026-07-28: headers repeat the body. Disagreement is refused, in the order in which clients read refusals. */

import { expect, it } from 'vitest'
import { type Headers, post } from '../client.js'
import { envelope, modern } from '../clients.js'
import { expectError, expectText } from '../expect.js'
import { type Host, serve } from '../host.js'
import { base64, call, echo, good, matrix, versionKey } from './request-header-matrix.js'

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

export function mirrors(host: Host): void {
  it.each(matrix)('refuses %s', async (_, body, headers, status, code) => {
    const { url } = await serve(host)
    expectError(await post(url, body, headers), status, code, 1)
  })

  it('tells which versions it would understand', async () => {
    const { url } = await serve(host)
    const body = call('echo', {}, { ...envelope, [versionKey]: 'v999' })
    const { json } = await post(url, body, { ...good, 'MCP-Protocol-Version': 'v999' })
    expect(json.error.data).toEqual({ supported: ['2026-07-28'], requested: 'v999' })
  })

  it.each<[string, Headers]>([
    ['as it is', good],
    [
      'with space around',
      {
        ...good,
        'Mcp-Name': '\t echo ',
        'Mcp-Method': ' tools/call ',
        'MCP-Protocol-Version': ' 2026-07-28 ',
      },
    ],
    ['in base64', { ...good, 'Mcp-Name': base64('echo') }],
    [
      'under names in other letters',
      { 'mcp-protocol-version': '2026-07-28', 'MCP-METHOD': 'tools/call', 'mcp-name': 'echo' },
    ],
  ])('takes headers %s', async (_, headers) => {
    const { url } = await serve(host)
    expect(expectText(await post(url, echo, headers))).toBe('hi')
  })

  it('takes clients that say nothing of themselves', async () => {
    const { url } = await serve(host)
    const meta = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} }
    expect(expectText(await post(url, call('echo', { text: 'hi' }, meta), good))).toBe('hi')
  })

  it.each<[string, object, Headers]>([
    ['plain', { city: 'Paris', days: 3 }, { 'Mcp-Param-City': 'Paris', 'Mcp-Param-Days': '3' }],
    ['in base64', { city: 'München' }, { 'mcp-param-city': base64('München') }],
    ['with a number written otherwise', { days: 42 }, { 'Mcp-Param-Days': '42.0' }],
    ['empty', { city: '' }, { 'Mcp-Param-City': '' }],
    ['empty in base64', { city: '' }, { 'Mcp-Param-City': '=?base64??=' }],
    ['absent where the argument is', {}, {}],
    ['unknown', {}, { 'Mcp-Param-Else': 'x' }],
  ])('takes Mcp-Param-* headers that are %s', async (_, args, headers) => {
    const { url } = await serve(host)
    const answer = await modern(url).call('weather', args, { headers })
    expect(JSON.parse(expectText(answer))).toEqual(args)
  })

  it.each<[string, object, Headers]>([
    ['missing', { city: 'Paris' }, {}],
    ['different', { city: 'Paris' }, { 'Mcp-Param-City': 'London' }],
    ['different in case', { city: 'Paris' }, { 'Mcp-Param-City': 'paris' }],
    ['malformed', { city: 'Paris' }, { 'Mcp-Param-City': '=?base64?UGFyaXM?=' }],
    ['there without the argument', {}, { 'Mcp-Param-City': 'Paris' }],
    ['of another number', { days: 3 }, { 'Mcp-Param-Days': '3.5' }],
    ['in hexadecimal', { days: 16 }, { 'Mcp-Param-Days': '0x10' }],
  ])('refuses Mcp-Param-* headers that are %s', async (_, args, headers) => {
    const { url } = await serve(host)
    expectError(await modern(url).call('weather', args, { headers }), 400, -32020, 1)
  })

  it('demands no headers of notifications, and takes them with 202', async () => {
    const { url } = await serve(host)
    const body = { jsonrpc: '2.0', method: 'notifications/whatever', params: { _meta: envelope } }
    expect(await post(url, body)).toMatchObject({ status: 202, text: '' })
    expect(await post(url, body, { 'MCP-Protocol-Version': '2026-07-28' })).toMatchObject({
      status: 202,
      text: '',
    })
  })

  it('refuses what headers of a notification say wrongly', async () => {
    const { url } = await serve(host)
    const body = { jsonrpc: '2.0', method: 'notifications/whatever', params: { _meta: envelope } }
    expectError(
      await post(url, body, { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' }),
      400,
      -32020,
    )
  })

  it('refuses responses of 2026-07-28 clients', async () => {
    const { url } = await serve(host)
    const headers = { 'MCP-Protocol-Version': '2026-07-28' }
    expectError(await post(url, { jsonrpc: '2.0', id: 1, result: {} }, headers), 400, -32600)
  })
}
