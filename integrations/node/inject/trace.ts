/**
 * Creates a span for an inner request if OpenTelemetry is installed. The span has its own RPC metadata: instrumented
 * frameworks write their route to the metadata of the context, and would otherwise rename the span of the request that
 * carried the call.
 */

import type * as otel from '@opentelemetry/api'
import { runtime } from '#runtime'
import type { InnerRequest, InnerResponse } from '../../../src/adapter.js'

type Api = typeof otel
type Work = () => Promise<InnerResponse>
type Tracing = (request: InnerRequest, work: Work) => Promise<InnerResponse>

/** The context key under which instrumentations of HTTP frameworks share RPC metadata. */
const metadataKey = 'OpenTelemetry SDK Context Key RPC_METADATA'

/** Loads the package once, at the first call, so that the app has time to set it up. */
export function createTracing(): Tracing {
  let tracing: Tracing | undefined
  return (request, work) => {
    tracing ??= findTracing()
    return tracing(request, work)
  }
}

function findTracing(): Tracing {
  let api: Api
  try {
    api = runtime.load('@opentelemetry/api') as Api
  } catch {
    return (_, work) => work()
  }
  // Delegates to the tracer provider that the app registers, before or after this.
  const tracer = api.trace.getTracer('mcp-router')
  return (request, work) => inSpan(api, tracer, request, work)
}

function inSpan(
  { context, createContextKey, trace, SpanStatusCode }: Api,
  tracer: otel.Tracer,
  request: InnerRequest,
  work: Work,
) {
  const { method, route } = request
  const name = route === undefined ? method : `${method} ${route}`
  const span = tracer.startSpan(name, { attributes: attributesOf(request) })
  if (!span.isRecording()) return work()
  const inside = trace
    .setSpan(context.active(), span)
    .setValue(createContextKey(metadataKey), { type: 'http', span })
  return context.with(inside, work).then(
    (response) => {
      span.setAttribute('http.response.status_code', response.status)
      if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
      return response
    },
    (error: unknown) => {
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
      throw error
    },
  )
}

function attributesOf({ method, route, tool }: InnerRequest): Record<string, string> {
  const attributes: Record<string, string> = { 'http.request.method': method }
  if (route !== undefined) attributes['http.route'] = route
  if (tool !== undefined) attributes['gen_ai.tool.name'] = tool
  return attributes
}
