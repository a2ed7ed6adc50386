/** Requests as commands for a shell. */

import { endpoint } from './session.js'

/** As one word, whatever is in it. */
export function quoted(text: string): string {
  return /^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

const version = '2026-07-28'
const nameKeys: Readonly<Record<string, string>> = { 'resources/read': 'uri' }

/** A call of 2026-07-28, which needs no handshake. */
export function toCurl(
  method: string,
  params: Readonly<Record<string, unknown>>,
  withToken: boolean,
): string {
  const name = String(params[nameKeys[method] ?? 'name'] ?? '')
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': version,
    'Mcp-Method': method,
    'Mcp-Name': headerValue(name),
  }
  const lines = [
    `curl -sS ${quoted(endpoint)}`,
    ...Object.entries(headers).map(([header, value]) => `-H ${quoted(`${header}: ${value}`)}`),
    ...(withToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    `-d ${quoted(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }))}`,
  ]
  return lines.join(' \\\n  ')
}

/** What no header can carry as it is travels in base64 (Streamable HTTP, Request headers). */
function headerValue(text: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`
}
