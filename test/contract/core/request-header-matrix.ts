/** Requests of 2026-07-28 whose body or headers are wrong, and how each is refused. */

import type { Headers, Json } from '../client.js'
import { envelope, initialize, mirror, rpc } from '../clients.js'

export const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const clientKey = 'io.modelcontextprotocol/clientInfo'
export const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`
export const call = (name: unknown, args: object = {}, meta: object = envelope): Json =>
  rpc('tools/call', { name, arguments: args, _meta: meta })
export const echo = call('echo', { text: 'hi' })
export const good = mirror('tools/call', { name: 'echo' })

export type Row = [what: string, body: Json, headers: Headers, status: number, code: number]

/** 2026-07-28, Request metadata and Request headers, in the order of the checks. */
export const matrix: Row[] = [
  ['no _meta', rpc('server/discover', {}), mirror('server/discover', {}), 400, -32602],
  ['no params', rpc('server/discover'), mirror('server/discover', {}), 400, -32602],
  ['no version', call('echo', {}, { [capabilitiesKey]: {} }), good, 400, -32602],
  ['no capabilities', call('echo', {}, { [versionKey]: '2026-07-28' }), good, 400, -32602],
  [
    'capabilities that are an array',
    call('echo', {}, { ...envelope, [capabilitiesKey]: [] }),
    good,
    400,
    -32602,
  ],
  ['a number as version', call('echo', {}, { ...envelope, [versionKey]: 2026 }), good, 400, -32602],
  [
    'a client without a name',
    call('echo', {}, { ...envelope, [clientKey]: { version: '1' } }),
    good,
    400,
    -32602,
  ],
  [
    'missing keys and an unknown version header',
    rpc('server/discover', {}),
    { ...good, 'MCP-Protocol-Version': '2099-01-01' },
    400,
    -32602,
  ],
  [
    'missing keys and an unknown method',
    rpc('nope', { _meta: { [versionKey]: '2026-07-28' } }),
    mirror('nope', {}),
    400,
    -32602,
  ],
  ['a version header that differs', echo, { ...good, 'MCP-Protocol-Version': '2025-11-25' }, 400, -32020],
  [
    'a version header that differs from an unknown version',
    call('echo', {}, { ...envelope, [versionKey]: 'v999' }),
    good,
    400,
    -32020,
  ],
  [
    'an unknown version in both',
    call('echo', {}, { ...envelope, [versionKey]: 'v999' }),
    { ...good, 'MCP-Protocol-Version': 'v999' },
    400,
    -32022,
  ],
  [
    'a legacy version in both',
    call('echo', {}, { ...envelope, [versionKey]: '2025-11-25' }),
    { ...good, 'MCP-Protocol-Version': '2025-11-25' },
    400,
    -32022,
  ],
  [
    'an unknown version and a wrong method header',
    call('echo', {}, { ...envelope, [versionKey]: 'v999' }),
    { 'MCP-Protocol-Version': 'v999', 'Mcp-Method': 'ping' },
    400,
    -32022,
  ],
  [
    'an unknown version and no headers',
    call('echo', {}, { ...envelope, [versionKey]: 'v999' }),
    {},
    400,
    -32022,
  ],
  ['no version header', echo, { ...good, 'MCP-Protocol-Version': undefined }, 400, -32020],
  ['no method header', echo, { ...good, 'Mcp-Method': undefined }, 400, -32020],
  ['another method header', echo, { ...good, 'Mcp-Method': 'tools/list' }, 400, -32020],
  ['a method header in other letters', echo, { ...good, 'Mcp-Method': 'TOOLS/CALL' }, 400, -32020],
  ['a method header in base64', echo, { ...good, 'Mcp-Method': base64('tools/call') }, 400, -32020],
  [
    'a wrong method header for an unknown method',
    rpc('nope', { _meta: envelope }),
    { ...good, 'Mcp-Name': undefined },
    400,
    -32020,
  ],
  ['an unknown method', rpc('nope', { _meta: envelope }), mirror('nope', {}), 404, -32601],
  ['no name header', echo, { ...good, 'Mcp-Name': undefined }, 400, -32020],
  ['another name header', echo, { ...good, 'Mcp-Name': 'whoami' }, 400, -32020],
  ['a name header in other letters', echo, { ...good, 'Mcp-Name': 'ECHO' }, 400, -32020],
  ['an empty name header', echo, { ...good, 'Mcp-Name': '' }, 400, -32020],
  ['a wrong name header of an unknown tool', call('nope'), good, 400, -32020],
  ['an unknown tool', call('nope'), { ...good, 'Mcp-Name': 'nope' }, 200, -32602],
  ['a name in base64 without padding', echo, { ...good, 'Mcp-Name': '=?base64?ZWNobw?=' }, 400, -32020],
  ['a name in base64 of another alphabet', echo, { ...good, 'Mcp-Name': '=?base64?ZWN!bw==?=' }, 400, -32020],
  ['a name in base64 that is no UTF-8', echo, { ...good, 'Mcp-Name': '=?base64?//8=?=' }, 400, -32020],
  ['a name that is bytes beyond ASCII', call('\u00e9'), { ...good, 'Mcp-Name': '\u00e9' }, 400, -32020],
  [
    'a wrapper in capitals, which is literal',
    echo,
    { ...good, 'Mcp-Name': '=?BASE64?ZWNobw==?=' },
    400,
    -32020,
  ],
  [
    'a header of a resource that differs',
    rpc('resources/read', { uri: 'config://app', _meta: envelope }),
    { ...mirror('resources/read', { uri: 'config://other' }) },
    400,
    -32020,
  ],
  [
    'an unknown log level',
    call('echo', { text: 'hi' }, { ...envelope, 'io.modelcontextprotocol/logLevel': 'loud' }),
    good,
    200,
    -32602,
  ],
  ['initialize with the header alone', initialize(), { 'MCP-Protocol-Version': '2026-07-28' }, 400, -32020],
  ['initialize as 2026-07-28', rpc('initialize', { _meta: envelope }), mirror('initialize', {}), 404, -32601],
]
