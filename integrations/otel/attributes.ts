/** The words of the semantic conventions for MCP. What is measured by must have few values: no words of clients. */

import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { Operation, Outcome, RequestInfo } from '../../src/internal.js'

/** What a client sends may be megabytes. */
const longest = 1_024

/** `{mcp.method.name} {target}`. */
export function nameOf(operation: Operation): string {
  const { method = '_OTHER' } = operation
  const target = operation.tool() ?? operation.prompt()
  return target === undefined ? method : `${method} ${target}`
}

/** Conventions: whoever sends is the client, so where this server asks, it is that. */
export const kinds: Readonly<Record<Operation['by'], SpanKind>> = {
  client: SpanKind.SERVER,
  app: SpanKind.INTERNAL,
  server: SpanKind.CLIENT,
}

/** What is known when the request begins. */
export function attributesOf(operation: Operation): Attributes {
  const { by, requestId, sessionKey, uri, request } = operation
  return {
    ...measuredAttributes(operation),
    ...(requestId !== undefined && { 'jsonrpc.request.id': cut(String(requestId)) }),
    ...(sessionKey !== undefined && { 'mcp.session.id': sessionKey }),
    ...(uri !== undefined && { 'mcp.resource.uri': cut(uri) }),
    ...(by !== 'server' && request?.ip !== undefined && { 'client.address': request.ip }),
  }
}

/** What it is measured by. */
export function measuredAttributes(operation: Operation): Attributes {
  const { method = '_OTHER', protocolVersion, request } = operation
  const [tool, prompt] = [operation.tool(), operation.prompt()]
  return {
    'mcp.method.name': method,
    'mcp.protocol.version': protocolVersion,
    ...(tool !== undefined && { 'gen_ai.tool.name': tool, 'gen_ai.operation.name': 'execute_tool' }),
    ...(prompt !== undefined && { 'gen_ai.prompt.name': prompt }),
    ...(request !== undefined && networkOf(request)),
  }
}

/** What became of it, for span and measurement alike. */
export function endingAttributes({ outcome, error, failed }: Outcome): Attributes {
  const code = error === undefined ? undefined : String(error.code)
  const type = code ?? (failed && types[failed])
  return {
    'mcp_router.outcome': outcome,
    ...(type !== undefined && { 'error.type': type }),
    ...(code !== undefined && { 'rpc.response.status_code': code }),
  }
}

const types = { result: 'tool_error', timeout: 'timeout', other: '_OTHER' } as const

function networkOf({ headers, raw }: RequestInfo): Attributes {
  const upgraded = String(headers.upgrade).toLowerCase() === 'websocket'
  if (upgraded) return { 'network.transport': 'tcp', 'network.protocol.name': 'websocket' }
  // Node's own request, which frameworks keep in places of their own.
  const version: unknown = raw?.httpVersion ?? raw?.raw?.httpVersion ?? raw?.req?.httpVersion
  return {
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    ...(typeof version === 'string' && { 'network.protocol.version': version.replace(/\.0$/, '') }),
  }
}

/** For spans. */
export function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
