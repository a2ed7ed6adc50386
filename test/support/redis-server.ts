/** A `redis-server` of one's own, on a free port, with nothing kept on disk. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'

export interface RedisServer {
  readonly port: number
  readonly url: string
  readonly process: ChildProcess
  /** Starts it again on the same port, with what it wrote to disk, if it did. */
  restart(): Promise<void>
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Fails loudly where the program is missing: `apt-get install redis-server`. */
export async function redisServer(...options: readonly string[]): Promise<RedisServer> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  const url = `redis://127.0.0.1:${port}`
  let child = await start(port, folder, options)
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const over = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await over
  }
  return {
    port,
    url,
    get process() {
      return child
    },
    kill,
    async restart() {
      await kill()
      child = await start(port, folder, options)
    },
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function start(port: number, folder: string, options: readonly string[]): Promise<ChildProcess> {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  // A configuration file comes first.
  const [first = ''] = options
  const args =
    first.startsWith('--') || first === ''
      ? [...own, '--save', '', ...options]
      : [first, ...own, ...options.slice(1)]
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    child.once('error', (cause) =>
      reject(new Error('expected the program redis-server: apt-get install redis-server', { cause })),
    )
    child.once('exit', () => reject(new Error(`redis-server ended:\n${output}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      if (/Ready to accept connections|Running mode=sentinel/.test(output)) resolve()
    })
  })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Says one command to a server. */
export async function command(url: string, ...words: readonly string[]): Promise<unknown> {
  const client = createClient({ url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand([...words])
  } finally {
    client.destroy()
  }
}
