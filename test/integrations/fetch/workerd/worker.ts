/** Apps inside workerd: each port serves the app last started there. Tests control them through `/control/…`. */

import { McpRouter, type RouterOptions } from 'mcp-router'
import { mcp } from 'mcp-router/fetch'
import { addFixtures, addHeld } from '../../../contract/fixtures.js'
import { addFlood } from '../flood.js'

/** Options that a test can pass to an app across processes. */
interface Wish {
  readonly server?: RouterOptions
  readonly options?: object
  readonly headers?: Readonly<Record<string, string>>
}

interface App {
  readonly router: McpRouter<object>
  readonly errors: string[]
  released: boolean
  /** Whether a call of `wait` or `stream` is running. */
  running: boolean
  /** The reason why its signal aborted. */
  aborted: { name: string; message: string } | undefined
  answer(request: Request): Promise<Response>
}

Object.assign(globalThis, { process: { env: { NODE_ENV: 'test' } } })

const nothing = (): void => {}
const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing }
/** workerd can't load packages at run time, so the app passes the validator for hand-written schemas. */
const schemas = [{ compile: () => (value: unknown) => ({ value }) }]

const apps = new Map<string, App>()
/** Serves requests whose `Host` a test has changed. */
let newest: App

function start({ server = {}, options = {}, headers = {} }: Wish): App {
  const errors: string[] = []
  const router = new McpRouter<object>({
    name: 'contract',
    version: '1.2.3',
    logger: quiet,
    schemas,
    ...server,
  })
  const handler = mcp(router, options)
  const app: App = {
    router,
    errors,
    released: false,
    running: false,
    aborted: undefined,
    async answer(request) {
      if (request.url.endsWith('/own')) return Response.json({ own: true })
      const response = await handler(request, { peerAddress: '127.0.0.1' })
      for (const [name, value] of Object.entries(headers)) response.headers.append(name, value)
      return response
    },
  }
  addFixtures(router)
  addWaiting(app)
  addFlood(router)
  return app
}

/** Polls the app: workerd drops a promise that one request created and another one resolves. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2))
}

/** The contract's tools `wait` and `stream`, without its latches. */
function addWaiting(app: App): void {
  const hold = async (signal: AbortSignal): Promise<string> => {
    signal.addEventListener('abort', () => {
      const { name, message } = signal.reason
      app.aborted = { name, message }
    })
    app.running = true
    await until(() => app.released || signal.aborted)
    return 'released'
  }
  for (const name of ['wait', 'stream']) app.router.remove('tool', name)
  addHeld(app.router, hold)
}

const controls: Readonly<Record<string, (app: App) => unknown>> = {
  release(app) {
    app.released = true
  },
  running: (app) => until(() => app.running),
  async aborted(app) {
    await until(() => app.aborted !== undefined)
    return app.aborted
  },
  stats: ({ router }) => router.stats(),
  errors: ({ errors }) => errors,
}

async function control(request: Request, key: string): Promise<Response> {
  const name = request.url.split('/').at(-1) ?? ''
  if (name === 'start') {
    const wish = (await request.json()) as Wish
    try {
      newest = start(wish)
    } catch (error) {
      return new Response(String(error), { status: 400 })
    }
    apps.set(key, newest)
    return Response.json(true)
  }
  const app = apps.get(key) ?? newest
  return Response.json((await controls[name]?.(app)) ?? null)
}

export default {
  async fetch(request: Request): Promise<Response> {
    const key = request.headers.get('host') ?? ''
    if (request.url.includes('/control/')) return control(request, key)
    const app = apps.get(key) ?? newest
    try {
      return await app.answer(request)
    } catch (error) {
      app.errors.push(String(error))
      return new Response('<html>the page of the app</html>', { status: 500 })
    }
  },
}
