/** A span and a measurement for every request of a router, every notification and every question. */

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
import { attributesOf, cut, endingAttributes, kinds, measuredAttributes, nameOf } from './attributes.js'

/** In place of the global tracer and meter. */
export interface InstrumentOptions {
  /** Default: the global tracer provider's. */
  tracer?: Tracer | undefined
  /** Default: the global meter provider's. */
  meter?: Meter | undefined
}

const table = {
  known: {
    tracer: expected('a Tracer of OpenTelemetry', (value) => has(value, 'startSpan')),
    meter: expected('a Meter of OpenTelemetry', (value) => has(value, 'createHistogram')),
  },
}

/**
 * Makes a span of every request and notification that comes to `router`, and of every question that a client before
 * 2026-07-28 is asked; measures `mcp.server.operation.duration` and `mcp.client.operation.duration`, under
 * OpenTelemetry's semantic conventions for MCP. The trace that a client names in `_meta` goes on; else the one that is
 * current, such as that of an HTTP instrumentation; else the one in the HTTP headers. Returns the router.
 * @throws TypeError for options that do not exist or do not fit, Error where it was called for this router before.
 */
export function instrument<R extends McpRouter<never> | McpRouter<object>>(
  router: R,
  options: InstrumentOptions = {},
): R {
  checkOptions('instrument()', options, table)
  const tracer = options.tracer ?? trace.getTracer('mcp-router')
  // Asked for when first needed: before there is a provider the global meter measures nothing, for good.
  let measures: Durations | undefined
  traceRequests(router, (operation) => {
    measures ??= durations(options.meter ?? metrics.getMeter('mcp-router'))
    return watch(operation, tracer, measures)
  })
  return router
}

function watch(operation: Operation, tracer: Tracer, measures: Durations): RequestTrace {
  const started = performance.now()
  const { parent, links } = parentOf(operation)
  const named = nameOf(operation)
  const begun = { kind: kinds[operation.by], attributes: attributesOf(operation), links }
  const span = tracer.startSpan(named, begun, parent)
  const inside: Context = trace.setSpan(parent, span)
  return {
    within: (work) => context.with(inside, work),
    // Baggage is for services of the same house; a client may be anybody.
    meta: () => carried(propagation.deleteBaggage(inside)),
    end: (ending) => {
      const ended = endingAttributes(ending)
      // A route that became a tool at its first call has its name only now.
      const name = nameOf(operation)
      if (name !== named) span.updateName(name).setAttributes(attributesOf(operation))
      endSpan(span, ending, ended)
      const seconds = (performance.now() - started) / 1_000
      measures[operation.by]?.(seconds, { ...measuredAttributes(operation), ...ended }, inside)
    },
  }
}

function carried(inside: Context): Record<string, unknown> {
  const carrier = {}
  propagation.inject(inside, carrier)
  return carrier
}

function has(value: unknown, method: string): boolean {
  return typeof (value as Record<string, unknown> | null)?.[method] === 'function'
}

type Measure = (seconds: number, attributes: Attributes, context: Context) => void

/** By who began what is measured. Calls in process are not: no client made them. */
export type Durations = Readonly<Partial<Record<Operation['by'], Measure>>>

/** In seconds, as the conventions advise. */
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
    server: measure('mcp.client.operation.duration', 'How long a client took to answer a question.'),
  }
}

/** Conventions: a span with `error.type` has the status ERROR, described as the JSON-RPC error is. */
export function endSpan(span: Span, { error, fault }: Outcome, attributes: Attributes): void {
  try {
    span.setAttributes(attributes)
    if (attributes['error.type'] !== undefined) {
      span.setStatus({
        code: SpanStatusCode.ERROR,
        ...(error !== undefined && { message: cut(error.message) }),
      })
    }
    // Of refusals the client was told everything; a bug is the server's own.
    if (fault !== undefined) span.recordException(isObject(fault) ? fault : String(fault))
  } finally {
    span.end()
  }
}

/** Errors of another realm, as in tests under Jest, are no instances of ours. */
function isObject(fault: unknown): fault is Error {
  return typeof fault === 'object' && fault !== null
}

export function parentOf({ by, meta, request }: Operation): { parent: Context; links: Link[] } {
  const active = context.active()
  if (by === 'server') return { parent: active, links: [] }
  const ambient = spanContextIn(active)
  const parent = propagation.extract(active, meta, own)
  const told = spanContextIn(parent)
  if (told?.spanId !== ambient?.spanId) return { parent, links: ambient ? [{ context: ambient }] : [] }
  if (ambient !== undefined || request === undefined) return { parent, links: [] }
  // No instrumentation of HTTP read them. What `_meta` tells besides a trace still counts.
  const carried = propagation.extract(active, request.headers, own)
  return { parent: propagation.extract(carried, meta, own), links: [] }
}

function spanContextIn(where: Context): SpanContext | undefined {
  const found = trace.getSpanContext(where)
  return found !== undefined && isSpanContextValid(found) ? found : undefined
}

/** Both are the client's: only what is there, and only text. */
const own: TextMapGetter<Readonly<Record<string, unknown>>> = {
  keys: (carrier) => Object.keys(carrier),
  get: (carrier, key) => {
    const value = Object.hasOwn(carrier, key) ? carrier[key] : undefined
    const text = Array.isArray(value) ? value.join(',') : value
    return typeof text === 'string' ? text : undefined
  },
}
