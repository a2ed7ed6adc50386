/** The words of the semantic conventions for MCP. What is measured by must have few values: no words of clients. */

import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { Ending, Operation, RequestInfo } from '../../src/watch-adapter.js'

/** What a client sends may be megabytes. */
const longest = 1_024

/** `{mcp.method.name} {target}`. */
export function nameOf(operation: Operation): string {
  const { method = '_OTHER' } = operation
  const target = operation.tool() ?? operation.prompt()
  return target === undefined ? method : `${method} ${target}`
}

/** A call in process was made by no client. */
export function kindOf({ requestId }: Operation): SpanKind {
  return requestId === undefined ? SpanKind.INTERNAL : SpanKind.SERVER
}

/** What is known when the request begins. */
export function attributesOf(operation: Operation): Attributes {
  const { requestId, sessionKey, uri, request } = operation
  return {
    ...measuredAttributes(operation),
    ...(requestId !== undefined && { 'jsonrpc.request.id': cut(String(requestId)) }),
    ...(sessionKey !== undefined && { 'mcp.session.id': sessionKey }),
    ...(uri !== undefined && { 'mcp.resource.uri': cut(uri) }),
    ...(request?.ip !== undefined && { 'client.address': request.ip }),
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
export function endingAttributes({ outcome, error, isError }: Ending): Attributes {
  const type = error === undefined ? (isError ? 'tool_error' : undefined) : String(error.code)
  return {
    'mcp_router.outcome': outcome,
    ...(type !== undefined && { 'error.type': type }),
    ...(error !== undefined && { 'rpc.response.status_code': String(error.code) }),
  }
}

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

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
