/** The histograms of the conventions. */

import type { Attributes, Context, Meter } from '@opentelemetry/api'
import type { Operation } from '../../src/internal.js'

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
