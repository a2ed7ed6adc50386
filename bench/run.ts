/**
 * `npm run bench`: runs the measurements on the built package and prints a table, or JSON with `--json`. `-- --save` writes
 * the table to `bench/results.md`. Other arguments select measurements by name.
 */

import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { measureBodies } from './bodies.js'
import { measureCheckedToken } from './checked-token.js'
import { measureHostile } from './hostile.js'
import { measureHttp } from './http.js'
import { measureInProcess } from './in-process.js'
import { measureLatency } from './latency.js'
import { measureOpenApi } from './openapi.js'
import { measureRouteTools } from './route-tools.js'
import { type Row, table } from './row.js'
import { measureInstall, measureStart } from './start.js'
import { measureStdio } from './stdio.js'
import { measureStore } from './store.js'

const measurements: Readonly<Record<string, () => Promise<readonly Row[] | Row>>> = {
  http: measureHttp,
  process: measureInProcess,
  bodies: measureBodies,
  routes: measureRouteTools,
  openapi: measureOpenApi,
  stdio: measureStdio,
  start: measureStart,
  install: measureInstall,
  latency: measureLatency,
  token: measureCheckedToken,
  store: measureStore,
  hostile: measureHostile,
}

const words = process.argv.slice(2)
const chosen = words.filter((word) => Object.hasOwn(measurements, word))
const rows: Row[] = []
for (const [name, measure] of Object.entries(measurements)) {
  if (chosen.length === 0 || chosen.includes(name)) rows.push(...[await measure()].flat())
}

const text = words.includes('--json') ? JSON.stringify(rows, null, 2) : table(rows)
console.log(text)
if (words.includes('--save')) {
  const [{ model = 'unknown' } = {}] = cpus()
  const machine = `Node ${process.version}, ${cpus().length} cores of ${model.trim()}.`
  await writeFile(new URL('./results.md', import.meta.url), `# Results\n\n${machine}\n\n${table(rows)}\n`)
}
