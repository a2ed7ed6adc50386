/** Formats requests as shell commands. */

import { endpoint } from './session.js'

/** Quotes text as one word of a shell. */
export function shellQuote(text: string): string {
  return /^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

const version = '2026-07-28'
const nameKeys: Readonly<Record<string, string>> = { 'resources/read': 'uri' }

/** Returns a `curl` command for a request of 2026-07-28, which needs no `initialize`. */
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
    `curl -sS ${shellQuote(endpoint)}`,
    ...Object.entries(headers).map(([header, value]) => `-H ${shellQuote(`${header}: ${value}`)}`),
    ...(withToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    `-d ${shellQuote(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }))}`,
  ]
  return lines.join(' \\\n  ')
}

/** Encodes text that a header can't carry as base64 (Streamable HTTP, Request headers). */
function headerValue(text: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`
}
