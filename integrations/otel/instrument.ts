/** A span and a measurement for every request of a router, every notification and every question. */

import {
  type Context,
  context,
  type Meter,
  metrics,
  propagation,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { checkOptions, type McpRouter } from '../../src/adapter.js'
import { expected, type Operation, type RequestTrace, traceRequests } from '../../src/internal.js'
import { attributesOf, endingAttributes, kinds, measuredAttributes, nameOf } from './attributes.js'
import { type Durations, durations } from './durations.js'
import { endSpan } from './end-span.js'
import { parentOf } from './parent.js'

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
