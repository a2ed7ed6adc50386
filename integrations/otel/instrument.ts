/** Records a span and a duration for every request and notification to a router, and every request to a client. */

import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  type Meter,
  metrics,
  propagation,
  type Span,
  type SpanContext,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { checkOptions, type McpRouter } from '../../src/adapter.js'
import {
  expected,
  type Operation,
  type Outcome,
  type RequestTrace,
  traceRequests,
} from '../../src/internal.js'
import { attributesOf, kinds, metricAttributes, outcomeAttributes, spanName, truncate } from './attributes.js'

/** Options of `instrument()`: a tracer and a meter in place of the global ones. */
export interface InstrumentOptions {
  /** The tracer for spans. Default: from the global tracer provider. */
  tracer?: Tracer | undefined
  /** The meter for durations. Default: from the global meter provider. */
  meter?: Meter | undefined
}

const table = {
  known: {
    tracer: expected('an OpenTelemetry Tracer', (value) => has(value, 'startSpan')),
    meter: expected('an OpenTelemetry Meter', (value) => has(value, 'createHistogram')),
  },
}

/**
 * Records a span for every request and notification to `router`, and for every request that it sends to a client before
 * 2026-07-28. Measures `mcp.server.operation.duration` and `mcp.client.operation.duration` in seconds. Both follow
 * OpenTelemetry's semantic conventions for MCP. A span's parent is the trace in the client's `_meta`, else the active
 * span, such as one of an HTTP instrumentation, else the trace in the HTTP headers. Returns the router.
 * @throws TypeError for unknown options and invalid values, Error if it was already called for this router.
 */
export function instrument<R extends McpRouter<never> | McpRouter<object>>(
  router: R,
  options: InstrumentOptions = {},
): R {
  checkOptions('instrument()', options, table)
  const tracer = options.tracer ?? trace.getTracer('mcp-router')
  // Created at the first request: a global meter created before its provider never measures anything.
  let measures: Durations | undefined
  traceRequests(router, (operation) => {
    measures ??= durations(options.meter ?? metrics.getMeter('mcp-router'))
    return startTrace(operation, tracer, measures)
  })
  return router
}

function startTrace(operation: Operation, tracer: Tracer, measures: Durations): RequestTrace {
  const started = performance.now()
  const { parent, links } = parentOf(operation)
  const firstName = spanName(operation)
  const spanOptions = { kind: kinds[operation.by], attributes: attributesOf(operation), links }
  const span = tracer.startSpan(firstName, spanOptions, parent)
  const inside: Context = trace.setSpan(parent, span)
  return {
    within: (work) => context.with(inside, work),
    // Baggage is for services of the same organization and must not reach clients.
    meta: () => injectedContext(propagation.deleteBaggage(inside)),
    end: (outcome) => {
      const attributes = outcomeAttributes(outcome)
      // The name of a route that becomes a tool at its first call wasn't known at the start.
      const name = spanName(operation)
      if (name !== firstName) span.updateName(name).setAttributes(attributesOf(operation))
      endSpan(span, outcome, attributes)
      const seconds = (performance.now() - started) / 1_000
      measures[operation.by]?.(seconds, { ...metricAttributes(operation), ...attributes }, inside)
    },
  }
}

function injectedContext(inside: Context): Record<string, unknown> {
  const carrier = {}
  propagation.inject(inside, carrier)
  return carrier
}

function has(value: unknown, method: string): boolean {
  return typeof (value as Record<string, unknown> | null)?.[method] === 'function'
}

type Measure = (seconds: number, attributes: Attributes, context: Context) => void

/** The histogram for each sender. Calls in process aren't measured, since no client sends them. */
export type Durations = Readonly<Partial<Record<Operation['by'], Measure>>>

/** The bucket boundaries that the conventions recommend. Seconds. */
const buckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

export function durations(meter: Meter): Durations {
  const measure = (name: string, description: string): Measure => {
    const advice = { explicitBucketBoundaries: buckets }
    const histogram = meter.createHistogram(name, { unit: 's', description, advice })
    return (seconds, attributes, context) => histogram.record(seconds, attributes, context)
  }
  return {
    client: measure(
      'mcp.server.operation.duration',
      'How long a request or a notification took, from its arrival until its result.',
    ),
    server: measure('mcp.client.operation.duration', 'How long a client took to answer a request.'),
  }
}

/** Ends a span. Conventions: with `error.type`, its status is ERROR, with the message of the JSON-RPC error. */
export function endSpan(span: Span, { error, fault }: Outcome, attributes: Attributes): void {
  try {
    span.setAttributes(attributes)
    if (attributes['error.type'] !== undefined) {
      span.setStatus({
        code: SpanStatusCode.ERROR,
        ...(error !== undefined && { message: truncate(error.message) }),
      })
    }
    // The error code already describes a refusal. Only unexpected errors are recorded as exceptions.
    if (fault !== undefined) span.recordException(isObject(fault) ? fault : String(fault))
  } finally {
    span.end()
  }
}

/** Accepts errors of another realm, such as in tests under Jest, which aren't instances of this realm's `Error`. */
function isObject(fault: unknown): fault is Error {
  return typeof fault === 'object' && fault !== null
}

/** Returns the parent of a request's span, and a link to the active span if the client's trace replaces it. */
export function parentOf({ by, meta, request }: Operation): { parent: Context; links: Link[] } {
  const active = context.active()
  if (by === 'server') return { parent: active, links: [] }
  const ambient = spanContextIn(active)
  const parent = propagation.extract(active, meta, ownText)
  const remote = spanContextIn(parent)
  if (remote?.spanId !== ambient?.spanId) return { parent, links: ambient ? [{ context: ambient }] : [] }
  if (ambient !== undefined || request === undefined) return { parent, links: [] }
  // No HTTP instrumentation has read the headers. `_meta` is still extracted for its baggage.
  const fromHeaders = propagation.extract(active, request.headers, ownText)
  return { parent: propagation.extract(fromHeaders, meta, ownText), links: [] }
}

function spanContextIn(context: Context): SpanContext | undefined {
  const spanContext = trace.getSpanContext(context)
  return spanContext !== undefined && isSpanContextValid(spanContext) ? spanContext : undefined
}

/** Reads own properties with string values only, since the client controls both carriers. */
const ownText: TextMapGetter<Readonly<Record<string, unknown>>> = {
  keys: (carrier) => Object.keys(carrier),
  get: (carrier, key) => {
    const value = Object.hasOwn(carrier, key) ? carrier[key] : undefined
    const text = Array.isArray(value) ? value.join(',') : value
    return typeof text === 'string' ? text : undefined
  },
}
