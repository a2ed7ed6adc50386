/**
 * Span and metric attributes of OpenTelemetry's semantic conventions for MCP. Metric attributes must have few values, so
 * they contain no text that a client chooses.
 */

import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { Operation, Outcome, RequestInfo } from '../../src/internal.js'

/** The longest attribute in characters, since clients may send megabytes. */
const maxLength = 1_024

/** Returns the span name: `{mcp.method.name} {target}`. */
export function spanName(operation: Operation): string {
  const { method = '_OTHER' } = operation
  const target = operation.tool() ?? operation.prompt()
  return target === undefined ? method : `${method} ${target}`
}

/** The span kind by sender. In the conventions the sender is the client, so this server is one when it sends a request. */
export const kinds: Readonly<Record<Operation['by'], SpanKind>> = {
  client: SpanKind.SERVER,
  app: SpanKind.INTERNAL,
  server: SpanKind.CLIENT,
}

/** Returns the attributes that are known when the request begins. */
export function attributesOf(operation: Operation): Attributes {
  const { by, requestId, sessionKey, uri, request } = operation
  return {
    ...metricAttributes(operation),
    ...(requestId !== undefined && { 'jsonrpc.request.id': truncate(String(requestId)) }),
    ...(sessionKey !== undefined && { 'mcp.session.id': sessionKey }),
    ...(uri !== undefined && { 'mcp.resource.uri': truncate(uri) }),
    ...(by !== 'server' && request?.ip !== undefined && { 'client.address': request.ip }),
  }
}

/** Returns the metric attributes that are known when the request begins. */
export function metricAttributes(operation: Operation): Attributes {
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

/** Returns the attributes of the outcome, for the span and the metric. */
export function outcomeAttributes({ outcome, error, failed }: Outcome): Attributes {
  const code = error === undefined ? undefined : String(error.code)
  const type = code ?? (failed && errorTypes[failed])
  return {
    'mcp_router.outcome': outcome,
    ...(type !== undefined && { 'error.type': type }),
    ...(code !== undefined && { 'rpc.response.status_code': code }),
  }
}

const errorTypes = { result: 'tool_error', timeout: 'timeout', other: '_OTHER' } as const

function networkOf({ headers, raw }: RequestInfo): Attributes {
  const upgraded = String(headers.upgrade).toLowerCase() === 'websocket'
  if (upgraded) return { 'network.transport': 'tcp', 'network.protocol.name': 'websocket' }
  // Frameworks keep Node's request in different places.
  const version: unknown = raw?.httpVersion ?? raw?.raw?.httpVersion ?? raw?.req?.httpVersion
  return {
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    ...(typeof version === 'string' && { 'network.protocol.version': version.replace(/\.0$/, '') }),
  }
}

/** Truncates a span attribute. */
export function truncate(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
