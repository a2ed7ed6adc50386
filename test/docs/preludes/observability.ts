/** What docs/observability.md takes for granted. */

import { trace } from '@opentelemetry/api'
import express from 'express'
import { NotFoundError } from 'mcp-router'

export { z } from 'zod'

export const app: express.Express = express()

interface Seen {
  lines: Record<string, unknown>[]
  captured: { error: unknown; tool?: string | undefined; reference?: string | undefined }[]
  observed: { name: string; ms: number; outcome: string }[]
}
export const seen: Seen = { lines: [], captured: [], observed: [] }

export const logFile = { write: (line: string): void => void seen.lines.push(JSON.parse(line)) }
export const tracker = {
  capture(error: unknown, tags: { tool: string | undefined; reference: string | undefined }): void {
    seen.captured.push({ error, ...tags })
  },
}
export const metrics = {
  observe(name: string, ms: number, outcome: string): void {
    seen.observed.push({ name, ms, outcome })
  },
}
export const warehouse = {
  ship: (id: string): Promise<string> =>
    trace.getTracer('warehouse').startActiveSpan('ship', async (span) => {
      span.end()
      if (id === 'lost') throw new Error('shelf 7 is empty')
      if (id === 'unknown') throw new NotFoundError('There is no such order')
      return `shipped ${id}`
    }),
}
