/** The headers that repeat the body of a 2026-07-28 request (Streamable HTTP, Request headers). */

import {
  type HeaderParameter,
  headerParameters,
  type JsonRpcRequest,
  metaOf,
  nameKeys,
  toBase64,
  valueAt,
  versionKey,
} from '../../../src/internal.js'

/** `undefined` for requests of the revisions before, which repeat nothing. */
export function mirrorHeaders({ method, params }: JsonRpcRequest): Record<string, string> | undefined {
  const version = metaOf(params)?.[versionKey]
  if (typeof version !== 'string') return undefined
  const key = nameKeys.get(method)
  return {
    'MCP-Protocol-Version': version,
    'Mcp-Method': method,
    ...(key !== undefined && { 'Mcp-Name': encode(String(params?.[key])) }),
  }
}

/** @throws TypeError for annotations that clients must refuse a tool for. */
export function parameterHeaders(
  tool: string,
  schema: Record<string, unknown>,
  args: object,
): Record<string, string> {
  const said = ({ header, path }: HeaderParameter): [string, string][] => {
    const value = valueAt(args, path)
    return value === undefined || value === null ? [] : [[header, encode(String(value))]]
  }
  return Object.fromEntries(headerParameters(schema, `tool "${tool}"`).flatMap(said))
}

/** What no header can carry as it is, and what would be taken for this form, travels in base64. */
function encode(text: string): string {
  const plain = /^(?:[!-~](?:[ -~\t]*[!-~])?)?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return plain ? text : `=?base64?${toBase64(new TextEncoder().encode(text))}?=`
}
