/** Pages of browser extensions and apps: schemes that have no origin of their own in the URL standard. */

import { expect, it } from 'vitest'
import { post, send } from '../client.js'
import { rpc } from '../clients.js'
import { expectError, expectResult } from '../expect.js'
import { type Host, serve } from '../host.js'

const extension = 'chrome-extension://abcdef'
const ping = rpc('ping')

export function appOrigins(host: Host): void {
  it('takes the extension that `cors` names, and lets it read the answer', async () => {
    const { url } = await serve(host, { options: { cors: [extension] } })
    const answer = await post(url, ping, { Origin: extension })
    expectResult(answer)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': extension,
      'access-control-allow-credentials': 'true',
    })
    const headers = { Origin: extension, 'Access-Control-Request-Method': 'POST' }
    const preflight = await send(url, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe(extension)
  })

  it.each([
    'null',
    'chrome-extension://fedcba',
    'moz-extension://abcdef',
    'chrome-extension://',
    'file:///abcdef',
    'data:text/html,x',
  ])('answers 403 to the origin %s where `cors` or `allowedOrigins` names an extension', async (origin) => {
    for (const options of [{ cors: [extension] }, { allowedOrigins: [extension] }, { cors: extension }]) {
      const { url } = await serve(host, { options })
      const answer = await post(url, ping, { Origin: origin })
      expectError(answer, 403, -32600)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })
}
