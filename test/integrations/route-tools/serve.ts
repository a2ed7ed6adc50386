/** An app of these routes that listens, and its clients: what every test of route tools starts from. */

import type { RouterOptions } from 'mcp-router'
import { type AnyMountOptions, McpRouter } from 'mcp-router/adapter'
import { onTestFinished } from 'vitest'
import type { Answer, Json } from '../../contract/client.js'
import { type Client, legacy, modern } from '../../contract/clients.js'
import { expectResult } from '../../contract/expect.js'
import { quiet } from '../../contract/host.js'
import type { Api, ApiRoute, Caller, RouteHost, RunningApi } from './host.js'
import { tokenOf } from './login.js'

export const ana: Caller = { id: 'ana', role: 'admin' }
export const ben: Caller = { id: 'ben', role: 'guest' }

/** One client per era. */
export const eras = [
  ['legacy', (url: string, headers = {}) => legacy(url, { headers })],
  ['modern', async (url: string, headers = {}) => modern(url, { headers })],
] as const

export interface Served extends RunningApi {
  readonly router: McpRouter<object>
  readonly url: string
  /** A modern client of somebody, or of nobody. */
  as(caller?: Caller): Client
}

export interface Wanted {
  readonly server?: RouterOptions
  readonly options?: AnyMountOptions
  readonly parseQuery?: Api['parseQuery']
}

export async function serveRoutes(
  host: RouteHost,
  routes: readonly ApiRoute[],
  { server = {}, options = {}, parseQuery }: Wanted = {},
): Promise<Served> {
  const router = new McpRouter<object>({ name: 'api', version: '1.0.0', logger: quiet, ...server })
  const running = await host.start({ router, options, routes, parseQuery })
  onTestFinished(() => running.close())
  const url = `${running.origin}/mcp`
  return { ...running, router, url, as: (caller) => modern(url, { headers: headersOf(caller) }) }
}

export function headersOf(caller: Caller | undefined): Record<string, string> {
  return caller === undefined ? {} : { Authorization: `Bearer ${tokenOf(caller)}` }
}

export async function toolsOf(client: Client): Promise<Json[]> {
  return expectResult(await client.request('tools/list')).tools
}

export async function namesOf(client: Client): Promise<string[]> {
  return (await toolsOf(client)).map(({ name }) => name).sort()
}

/** What a model reads: the text blocks, and whether it was told of a failure. */
export function read(answer: Answer): { text: string; isError: boolean } {
  const { content, isError = false } = expectResult(answer)
  return { text: content.map((block: Json) => block.text ?? `[${block.type}]`).join('\n'), isError }
}
