/** Builds `tools/call` requests of both eras. */

import { post } from './load.js'

const accept = 'Accept: application/json, text/event-stream'

export const eras = ['2025-11-25', '2026-07-28'] as const
export type Version = (typeof eras)[number]

export function message(version: Version, name: string, args: object): object {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  }
  const _meta = version === '2026-07-28' ? meta : undefined
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } }
}

export function headers(version: Version, method: string, name?: string): string[] {
  const own = [accept, `MCP-Protocol-Version: ${version}`]
  if (version === '2025-11-25') return own
  return [...own, `Mcp-Method: ${method}`, ...(name === undefined ? [] : [`Mcp-Name: ${name}`])]
}

export function toolCall(version: Version, name: string, args: object, path = '/mcp'): string {
  return post(path, message(version, name, args), headers(version, 'tools/call', name))
}
