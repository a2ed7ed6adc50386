/** A mount changes nothing of the process that it runs in: globals and prototypes are the same before and after. */

import { EventEmitter } from 'node:events'
import { Agent, ClientRequest, IncomingMessage, OutgoingMessage, Server, ServerResponse } from 'node:http'
import { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Socket } from 'node:net'
import { Duplex, Readable, Stream, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { post, send } from '../client.js'
import { legacy, modern, rpc, stateless } from '../clients.js'
import { type Host, serve } from '../host.js'

type Holders = Readonly<Record<string, object>>
type Members = ReadonlyMap<PropertyKey, PropertyDescriptor>
export type Photograph = readonly (readonly [name: string, prototype: object | null, members: Members])[]

/** What every Node process has. */
const shared: Holders = {
  IncomingMessage: IncomingMessage.prototype,
  OutgoingMessage: OutgoingMessage.prototype,
  ServerResponse: ServerResponse.prototype,
  ClientRequest: ClientRequest.prototype,
  Server: Server.prototype,
  Agent: Agent.prototype,
  Http2ServerRequest: Http2ServerRequest.prototype,
  Http2ServerResponse: Http2ServerResponse.prototype,
  Socket: Socket.prototype,
  EventEmitter: EventEmitter.prototype,
  Stream: Stream.prototype,
  Readable: Readable.prototype,
  Writable: Writable.prototype,
  Duplex: Duplex.prototype,
  Object: Object.prototype,
  Array: Array.prototype,
  Function: Function.prototype,
  Promise: Promise.prototype,
  Error: Error.prototype,
  JSON,
  Reflect,
}

/** The members of each, as they are now. */
export function photograph(holders: Holders): Photograph {
  return Object.entries(holders).map(([name, holder]) => [
    name,
    Object.getPrototypeOf(holder),
    new Map(
      Reflect.ownKeys(holder).map((key) => [
        key,
        Reflect.getOwnPropertyDescriptor(holder, key) as PropertyDescriptor,
      ]),
    ),
  ])
}

export function expectSame(now: Photograph, before: Photograph): void {
  for (const [index, [name, prototype, had]] of before.entries()) {
    const [, nowPrototype, has] = now[index] as Photograph[number]
    expect(nowPrototype, name).toBe(prototype)
    expect([...has.keys()], name).toEqual([...had.keys()])
    for (const [key, descriptor] of had) {
      const { value, get, set } = has.get(key) as PropertyDescriptor
      const same = value === descriptor.value && get === descriptor.get && set === descriptor.set
      expect(same, `${name}.${String(key)}`).toBe(true)
    }
  }
}

/** Names of globals, and what the process itself listens to. */
const ofProcess = () => ({
  globals: Reflect.ownKeys(globalThis),
  listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
})

export function untouched(host: Host): void {
  it('patches no global and no prototype, neither when it is mounted nor when it serves', async () => {
    const before = { process: ofProcess(), photograph: photograph(shared) }
    const { url, origin, release } = await serve(host, { login: ({ 'x-user': id }) => id && { id } })
    release.open()
    const client = await legacy(url)
    const stream = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    await Promise.all([
      client.call('echo', { text: 'hi' }),
      modern(url).call('throws', {}),
      stateless(url).call('private', {}),
      (await modern(url).open('tools/call', stream)).rest(),
      post(url, '{'),
      post(url, rpc('ping'), { Origin: 'https://evil.example' }),
      send(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.sessionId } }),
    ])
    expect((await send(`${origin}/own`, { method: 'GET' })).json).toEqual({ own: true })
    expectSame(photograph(shared), before.photograph)
    expect(ofProcess()).toEqual(before.process)
  })

  it('writes nothing to the console of its own accord', async () => {
    const written: string[] = []
    const streams = [process.stdout, process.stderr]
    const real = streams.map(({ write }) => write)
    for (const stream of streams) stream.write = ((text: string) => Boolean(written.push(text))) as never
    try {
      const { url } = await serve(host)
      await modern(url).call('throws', {})
      await post(url, '{')
    } finally {
      for (const [index, stream] of streams.entries()) stream.write = real[index] as never
    }
    expect(written.filter((text) => /mcp/i.test(text))).toEqual([])
  })
}
