/** Measures the conversion of whole OpenAPI documents to tools, each in a separate process, against fixed limits. */

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { largeDocument } from '../test/integrations/openapi/large.js'
import { median } from './measure.js'
import { costRow, type Row } from './row.js'

const run = promisify(execFile)
const rounds = 5
const limits = { ms: 2_000, mib: 300 }

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export async function measureOpenApi(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-openapi-'))
  try {
    const large = join(folder, 'large.json')
    await writeFile(large, JSON.stringify(largeDocument(450)))
    return [
      ...(await rowsOf('a payment API', large)),
      ...(await rowsOf('GitBook’s API, JSON', here('../node_modules/@gitbook/api/spec/openapi.json'))),
      ...(await rowsOf(
        'Figma’s API, YAML',
        here('../node_modules/@figma/rest-api-spec/openapi/openapi.yaml'),
      )),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Cost {
  readonly tools: number
  readonly ms: number
  readonly mib: number
}

async function rowsOf(api: string, file: string): Promise<Row[]> {
  const costs: Cost[] = []
  for (let round = 0; round < rounds; round++) {
    const { stdout } = await run(process.execPath, [here('./apps/openapi.mjs'), file])
    costs.push(JSON.parse(stdout) as Cost)
  }
  const work = `OpenAPI: ${costs[0]?.tools} tools of ${api}`
  const ms = median(costs.map((cost) => cost.ms))
  const mib = Math.max(...costs.map((cost) => cost.mib))
  return [
    costRow(work, 'at most 2 s', 1, { ours: ms, against: limits.ms }, 'ms'),
    costRow(work, 'at most 300 MiB', 1, { ours: mib, against: limits.mib }, 'MiB'),
  ]
}
