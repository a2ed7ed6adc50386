// Starts and stops the conformance server (`test/conformance/server.ts`) of one host.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const STARTS_WITHIN_MS = 30_000

/**
 * Runs `use(url)` while the server of `host` listens on a free port. Always stops the server afterwards, also when this
 * process is interrupted.
 */
export async function withServer(host, use) {
  const server = spawn(process.execPath, ['--import', 'tsx', 'test/conformance/server.ts', host], {
    cwd: root,
    env: { ...process.env, PORT: '0', TSX_TSCONFIG_PATH: 'tsconfig.json' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => server.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(server, 'close')
  const errors = follow(server.stderr)
  const failure = ended.then(([code]) => {
    throw new Error(`the server of "${host}" ended with ${code}: ${errors.text.trim().slice(-2000)}`)
  })
  try {
    const url = await Promise.race([address(server.stdout), failure, timeout()])
    return await Promise.race([use(url), failure])
  } finally {
    server.kill('SIGTERM')
    const hard = setTimeout(kill, 3000)
    await ended
    clearTimeout(hard)
    process.off('exit', kill)
  }
}

/** Makes signals run the `exit` listeners. */
export function exitOnSignals() {
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
}

/** Reads a stream to its end, so that its writer never blocks, and keeps the last part. */
function follow(stream) {
  const output = { text: '' }
  stream.on('data', (chunk) => {
    output.text = (output.text + chunk).slice(-20_000)
  })
  return output
}

function address(stdout) {
  const output = follow(stdout)
  return new Promise((resolve) => {
    stdout.on('data', () => {
      const url = /^Listening on (\S+)$/m.exec(output.text)?.[1]
      if (url) resolve(url)
    })
  })
}

function timeout() {
  return new Promise((_, reject) => {
    const message = `the server did not listen within ${STARTS_WITHIN_MS} ms`
    setTimeout(() => reject(new Error(message)), STARTS_WITHIN_MS).unref()
  })
}
