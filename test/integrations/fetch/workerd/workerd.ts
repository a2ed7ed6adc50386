/** Starts workerd, the runtime of Workers, with one script on several free ports. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
/** workerd is a dependency of Miniflare. */
const { default: binary } = createRequire(createRequire(import.meta.url).resolve('miniflare'))('workerd')

export interface Running {
  readonly origins: readonly string[]
  /** Its output on standard error. */
  readonly said: () => string
  stop(): Promise<void>
}

/** Bundles `entry`, a file of this folder, as a Worker: without Node's modules and globals. */
export async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser', 'import'],
    absWorkingDir: root,
    tsconfigRaw: {
      compilerOptions: {
        baseUrl: root,
        paths: {
          '#runtime': ['./src/support/portable-runtime.ts'],
          'mcp-router': ['./src/index.ts'],
          'mcp-router/*': ['./integrations/*/index.ts'],
        },
      } as object,
    },
  })
  return outputFiles[0]?.text ?? ''
}

export async function startWorkerd(script: string, ports: number): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-router-'))
  await writeFile(join(folder, 'worker.js'), script)
  await writeFile(join(folder, 'config.capnp'), configOf(ports))
  const child = spawn(binary, ['serve', '--control-fd=3', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const ended = once(child, 'close')
  const origins: string[] = []
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { event, port } = JSON.parse(line)
    if (event === 'listen') origins.push(`http://127.0.0.1:${port}`)
    if (origins.length === ports) break
  }
  if (origins.length < ports) throw new Error(`workerd did not start: ${said}`)
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  }
  return { origins, said: () => said, stop }
}

function configOf(ports: number): string {
  const sockets = Array.from(
    { length: ports },
    (_, at) => `(name = "http${at}", address = "127.0.0.1:0", http = (), service = "main")`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [${sockets.join(', ')}]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  bindings = [(name = "user", text = "intruder"), (name = "body", text = "{}")],
  compatibilityDate = "2026-04-01",
  compatibilityFlags = ["enable_request_signal"]
);
`
}
