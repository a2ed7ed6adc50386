/** Measures `tools/call` of `add` over HTTP against the framework's own JSON route and against the official SDK. */

import { eras, message, toolCall } from './calls.js'
import { post, type Side, startApp, throughput } from './load.js'
import { type Row, row } from './row.js'

/** The target ratios of each framework. */
const targets: Readonly<Record<string, { readonly raw: number; readonly sdk?: number }>> = {
  Express: { raw: 1.3, sdk: 4 },
  Koa: { raw: 1.6 },
  Fastify: { raw: 0.9, sdk: 15 },
  'node:http': { raw: 0.85, sdk: 15 },
}
const args = { a: 2, b: 3 }

export async function measureHttp(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [framework, { raw, sdk }] of Object.entries(targets)) {
    const app = await startApp('./apps/add.ts', [framework])
    try {
      for (const version of eras) {
        const ours = { app, request: toolCall(version, 'add', args) }
        const route = { app, request: post('/add', message(version, 'add', args)) }
        const work = `tools/call of add, ${framework}, ${version}`
        rows.push(row(work, 'its own JSON route', raw, await throughput(ours, route)))
        if (sdk !== undefined) rows.push(...(await againstSdks(framework, version, ours, sdk)))
      }
    } finally {
      app.stop()
    }
  }
  return rows
}

async function againstSdks(
  framework: string,
  version: (typeof eras)[number],
  ours: Side,
  sdk: number,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const major of ['1', '2']) {
    // SDK 1 supports no revision after 2025-11-25.
    if (major === '1' && version === '2026-07-28') continue
    const other = await startApp('./apps/add.ts', [framework, `sdk${major}`])
    try {
      const against = { app: other, request: toolCall(version, 'add', args) }
      const work = `tools/call of add, ${framework}, ${version}`
      rows.push(row(work, `official SDK ${major}`, sdk, await throughput(ours, against, 5)))
    } finally {
      other.stop()
    }
  }
  return rows
}
