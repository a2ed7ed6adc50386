// npm run examples [-- NAME...]: runs client.ts of each example, which checks the example.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const TIMEOUT_MS = 120_000

const wanted = process.argv.slice(2)
const examples = readdirSync(`${root}examples`).filter(
  (name) => existsSync(`${root}examples/${name}/client.ts`) && (wanted.length === 0 || wanted.includes(name)),
)
let failed = examples.length === 0 ? 1 : 0
for (const name of examples) {
  const code = await runClient(`examples/${name}`)
  console.log(`${code === 0 ? 'OK' : 'FAIL'} examples/${name}`)
  if (code !== 0) failed += 1
}
console.log(`${examples.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function runClient(folder) {
  const child = spawn(process.execPath, ['--import', 'tsx', `${folder}/client.ts`], {
    cwd: root,
    env: { ...process.env, TSX_TSCONFIG_PATH: `${folder}/tsconfig.json` },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const [code] = await once(child, 'close')
  return code
}
