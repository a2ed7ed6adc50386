/**
 * Whose trace a request continues. Semantic conventions for MCP, context propagation: the client's own span, told in
 * `_meta`, is the parent; the current one, which is that of the transport, is linked to. A question goes on with the
 * handler that asks it.
 */

import {
  type Context,
  context,
  isSpanContextValid,
  type Link,
  propagation,
  type SpanContext,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api'
import type { Operation } from '../../src/internal.js'

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
