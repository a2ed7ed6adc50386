/** The histogram of the conventions. */

import type { Attributes, Context, Meter } from '@opentelemetry/api'

export type Measure = (seconds: number, attributes: Attributes, context: Context) => void

/** In seconds, as the conventions advise. */
const buckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

export function durations(meter: Meter): Measure {
  const histogram = meter.createHistogram('mcp.server.operation.duration', {
    unit: 's',
    description: 'How long a request took, from its arrival until its result.',
    advice: { explicitBucketBoundaries: buckets },
  })
  return (seconds, attributes, context) => histogram.record(seconds, attributes, context)
}
