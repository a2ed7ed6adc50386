// npm run typecheck: type-checks the library with its tests, the explorer's page, and every example on its own.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const examples = readdirSync(`${root}examples`)
  .map((name) => `examples/${name}/tsconfig.json`)
  .filter((config) => existsSync(root + config))

for (const config of ['tsconfig.json', 'explorer/tsconfig.json', ...examples]) {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', config]
  const { status } = spawnSync(process.execPath, tsc, { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    console.error(`${config}: see above`)
    process.exitCode = 1
  }
}
