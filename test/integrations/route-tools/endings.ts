/** Calls that end early: the work of the route ends with them. */

import { expect, it, vi } from 'vitest'
import { legacy, modern } from '../../contract/clients.js'
import { latch } from '../../contract/fixtures.js'
import type { ApiRoute, RouteHost } from './host.js'
import { read, serveRoutes } from './serve.js'

function slowRoute(marker: ApiRoute['marker'] = {}) {
  const [running, left] = [latch(), latch()]
  const route: ApiRoute = {
    method: 'get',
    path: '/slow',
    marker: { name: 'slow', ...marker },
    async run({ left: signal }) {
      running.open()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      left.open()
      return { body: 'too late' }
    },
  }
  return { route, running, left }
}

const idle = (router: { stats(): { running: number } }) =>
  vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })

export function endings(host: RouteHost): void {
  it.each([modern, legacy])('ends the request of the route when its client leaves', async (make) => {
    const { route, running, left } = slowRoute({ timeoutMs: 0 })
    const { url, router } = await serveRoutes(host, [route])
    const request = (await make(url)).abandon('tools/call', { name: 'slow', arguments: {} })
    await running.opened
    request.leave()
    await left.opened
    await idle(router)
  })

  it('ends it when the call is cancelled', async () => {
    const { route, running, left } = slowRoute({ timeoutMs: 0 })
    const { url, router } = await serveRoutes(host, [route])
    const client = await legacy(url)
    const answer = client.request('tools/call', { name: 'slow', arguments: {} }, { id: 'c' })
    await running.opened
    await client.notify('notifications/cancelled', { requestId: 'c' })
    await left.opened
    await answer
    await idle(router)
  })

  it('ends it at its time limit, and says so', async () => {
    const { route, left } = slowRoute({ timeoutMs: 30 })
    const { as } = await serveRoutes(host, [route])
    const { text, isError } = read(await as().call('slow', {}))
    expect(isError).toBe(true)
    expect(text).toMatch(/30 ms/)
    await left.opened
  })
}
