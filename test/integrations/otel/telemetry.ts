/** OpenTelemetry as an app sets it up, with exporters that keep everything. Import it before what is to be traced. */

import { createRequire } from 'node:module'
import { metrics } from '@opentelemetry/api'
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'

const spanExporter = new InMemorySpanExporter()
/** Clocks are too coarse to order them. */
const begun: unknown[] = []
const order = {
  onStart: (span: unknown) => void begun.push(span),
  onEnd: () => {},
  shutdown: async () => {},
  forceFlush: async () => {},
}
export const provider = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(spanExporter), order],
})
provider.register()

const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const reader = new PeriodicExportingMetricReader({
  exporter: metricExporter,
  exportIntervalMillis: 3_600_000,
})
const meterProvider = new MeterProvider({ readers: [reader] })
metrics.setGlobalMeterProvider(meterProvider)

/** What is required from now on is instrumented. */
export function instrumented(): NodeJS.Require {
  for (const one of [new HttpInstrumentation(), new ExpressInstrumentation()]) {
    one.setTracerProvider(provider)
    one.enable()
  }
  return createRequire(import.meta.url)
}

/** The spans that ended since it was asked last, in the order of their beginning. */
export function takeSpans(): ReadableSpan[] {
  const spans = [...spanExporter.getFinishedSpans()]
  spanExporter.reset()
  return spans.sort((a, b) => begun.indexOf(a) - begun.indexOf(b))
}

/** What was measured since it was asked last. */
export async function takeMeasured(name = 'mcp.server.operation.duration') {
  metricExporter.reset()
  await reader.forceFlush()
  const all = metricExporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  return all
    .filter(({ descriptor }) => descriptor.name === name)
    .map(({ descriptor, dataPoints }) => ({ descriptor, points: dataPoints as DataPoint<Histogram>[] }))
}

/** What an earlier test left: spans that ended, and what was measured. */
export async function forgetTelemetry(): Promise<void> {
  takeSpans()
  await takeMeasured()
}

/** The span's parent among others, by name; its id where it is not there. */
export function parentOf(span: ReadableSpan | undefined, spans: readonly ReadableSpan[]): string | undefined {
  const id = span?.parentSpanContext?.spanId
  return spans.find((one) => one.spanContext().spanId === id)?.name ?? id
}
