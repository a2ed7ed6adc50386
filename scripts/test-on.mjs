// npm run test:node -- <22|24|…> [vitest arguments]: runs the tests of all mounts on that major version of Node.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { installOnce } from './cached-install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [major = '', ...args] = process.argv.slice(2)

if (!/^\d+$/.test(major)) {
  console.error(`Expected a major version of Node such as 22, got "${major}"`)
  process.exit(2)
}

const platform = process.platform === 'win32' ? 'win' : process.platform
const name = `node-${platform}-${process.arch}`
const folder = `${root}.cache/node${major}`
await installOnce(folder, {
  'package.json': JSON.stringify({ private: true, dependencies: { [name]: major } }),
})
const binary = `${folder}/node_modules/${name}/bin/node`

const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
console.log(`Node ${stdout.trim()}`)
const vitest = [
  `${root}node_modules/vitest/vitest.mjs`,
  'run',
  ...(args.length > 0 ? args : ['test/integrations']),
]
const { status } = spawnSync(binary, vitest, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
