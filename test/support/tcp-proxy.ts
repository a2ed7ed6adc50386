/** A network between a process and a server that can be cut: what passes through it is dropped, or waits. */

import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** Ends all connections, and lets no new one in. */
  cut(): void
  /** Nothing passes in either direction, and nobody is told. */
  stall(): void
  /** From now on everything passes again, what waited first. */
  heal(): void
  close(): Promise<void>
}

export async function tcpProxy(target: number): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'stalled' = 'open'
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy()
    const far = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('data', (chunk: Buffer) => other.write(chunk))
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      if (state === 'stalled') one.pause()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      state = 'cut'
      for (const socket of sockets) socket.destroy()
    },
    stall() {
      state = 'stalled'
      for (const socket of sockets) socket.pause()
    },
    heal() {
      state = 'open'
      for (const socket of sockets) socket.resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
