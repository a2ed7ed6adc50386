/** What docs/fetch.md takes for granted: a login, a database, and the servers of other runtimes. */

import type { User } from './user.js'

export type { User }

export interface Db {
  readonly region: string
}
export const dbFor = (request: Request): Db => ({ region: request.headers.get('x-region') ?? 'eu' })

export const auth = async (request: Request): Promise<User | undefined> => {
  const id = request.headers.get('x-user')
  return id === null ? undefined : { id }
}

type Fetch = (request: Request, second: never) => Promise<Response>

/** What was started on the other runtimes. */
export const started: { bun?: Fetch; deno?: Fetch } = {}

interface Server {
  requestIP(request: Request): { address: string } | null
}
export const Bun = {
  serve(options: { fetch(request: Request, server: Server): Promise<Response> }): void {
    started.bun = options.fetch as Fetch
  },
}

interface ServeInfo {
  remoteAddr: { transport: 'tcp'; hostname: string; port: number }
}
export const Deno = {
  serve(fetch: (request: Request, info: ServeInfo) => Promise<Response>): void {
    started.deno = fetch as Fetch
  },
}
