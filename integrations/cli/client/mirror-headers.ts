/** Headers that repeat parts of the body of a 2026-07-28 request (Streamable HTTP, Request headers). */

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

/** Returns the standard headers, or `undefined` for requests of earlier revisions. */
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

/** Returns the headers that repeat a tool's arguments. @throws TypeError for annotations that clients must reject */
export function parameterHeaders(
  tool: string,
  schema: Record<string, unknown>,
  args: object,
): Record<string, string> {
  const toHeaders = ({ header, path }: HeaderParameter): [string, string][] => {
    const value = valueAt(args, path)
    return value === undefined || value === null ? [] : [[header, encode(String(value))]]
  }
  return Object.fromEntries(headerParameters(schema, `tool "${tool}"`).flatMap(toHeaders))
}

/** Encodes a header value. Base64 is used for text that a header can't carry, and for text that looks encoded already. */
function encode(text: string): string {
  const plain = /^(?:[!-~](?:[ -~\t]*[!-~])?)?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return plain ? text : `=?base64?${toBase64(new TextEncoder().encode(text))}?=`
}
