// npm run test:node -- <node22|node24|…> [vitest arguments]: the tests of all mounts under the Node of that package.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [name = '', ...args] = process.argv.slice(2)
const binary = `${root}node_modules/${name}/bin/node`

if (!/^node\d+$/.test(name) || !existsSync(binary)) {
  console.error(
    `${name ? `No Node "${name}"` : 'Name a Node'}: expected a package such as node22 in node_modules`,
  )
  process.exit(2)
}

const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
console.log(`Node ${stdout.trim()}`)
const vitest = [
  `${root}node_modules/vitest/vitest.mjs`,
  'run',
  ...(args.length > 0 ? args : ['test/integrations']),
]
const { status } = spawnSync(binary, vitest, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
