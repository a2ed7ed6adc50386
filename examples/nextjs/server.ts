/** Builds the app and starts it on a free port, as `next build` and `next start` do. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const next = createRequire(import.meta.url).resolve('next/dist/bin/next')
const folder = fileURLToPath(new URL('./site', import.meta.url))

export async function start(tokens: Record<string, string>) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', TOKENS: JSON.stringify(tokens) }
  const run = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [next, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })

  // Without this, Turbopack resolves the package to its sources through the repository's tsconfig.json.
  const build = run('build', '--webpack')
  build.stdout?.resume()
  const [code] = await once(build, 'close')
  if (code !== 0) throw new Error(`next build ended with ${code}`)

  const server = run('start', '--port', '0', '--hostname', '127.0.0.1')
  const url = await urlIn(server)
  const close = async (): Promise<void> => {
    server.kill()
    await once(server, 'close')
  }
  return { url, close }
}

/** Returns the URL that Next.js prints. */
async function urlIn({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('next start has no output')
  for await (const line of createInterface({ input: stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
    if (url === undefined) continue
    stdout.resume()
    return url
  }
  throw new Error('next start ended early')
}
