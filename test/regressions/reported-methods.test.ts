/** `onError` is told which method failed, whatever of the host failed. */

import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { post } from '../contract/client.js'
import { initialize, rpc } from '../contract/clients.js'
import { serve } from '../contract/host.js'
import { expressHost } from '../integrations/express/host.js'

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('in %s', (_, express) => {
  it.each<[string, object]>([
    ['initialize', initialize()],
    ['tools/call', rpc('tools/call', { name: 'whoami' })],
    ['resources/read', rpc('resources/read', { uri: 'config://app' })],
  ])('names %s where `user` throws', async (method, message) => {
    const told: string[] = []
    const user = (): never => {
      throw new Error('pg: hunter2')
    }
    const onError = (_error: unknown, call: { method: string }): void => void told.push(call.method)
    const { url } = await serve(expressHost(express), { options: { user }, server: { onError } })
    await post(url, message)
    expect(told).toEqual([method])
  })
})
