// An instrumented app with a route that sends an inner request. Prints its spans as JSON.
import { createRequire } from 'node:module'
import { createDispatch } from '../../../integrations/node/inject/dispatch.ts'

// Instrumentations patch what is required after them.
const require = createRequire(import.meta.url)
const {
  NodeTracerProvider,
  SimpleSpanProcessor,
  InMemorySpanExporter,
} = require('@opentelemetry/sdk-trace-node')
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express')
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
provider.register()
for (const instrumentation of [new HttpInstrumentation(), new ExpressInstrumentation()]) {
  instrumentation.setTracerProvider(provider)
  instrumentation.enable()
}
const http = require('node:http')
const express = require('express')

const app = express()
const dispatch = createDispatch(app)
const inner = (url) => ({
  method: 'GET',
  url,
  headers: { host: 'x' },
  body: undefined,
  signal: new AbortController().signal,
  maxBytes: 1000,
  tool: 'user_get',
  route: '/users/{id}',
})
app.get('/users/:id', (req, res) => (req.params.id === '0' ? res.sendStatus(500) : res.json({})))
app.post('/mcp', async (_req, res) => {
  await dispatch(inner('/users/7'), undefined)
  await dispatch(inner('/users/0'), undefined)
  res.end()
})
const server = http.createServer(app).listen(0, async () => {
  await (await fetch(`http://127.0.0.1:${server.address().port}/mcp`, { method: 'POST' })).text()
  server.close()
  server.closeAllConnections()
  await provider.forceFlush()
  const spans = exporter.getFinishedSpans()
  const nameOf = (id) => spans.find((span) => span.spanContext().spanId === id)?.name
  console.log(
    JSON.stringify(
      spans.map((span) => ({
        name: span.name,
        kind: span.kind,
        parent: nameOf(span.parentSpanContext?.spanId) ?? null,
        attributes: span.attributes,
        status: span.status.code,
      })),
    ),
  )
})
