/** What clients receive of what tools return. */
import type { McpRouter } from 'mcp-router'
import { expect } from 'vitest'
import { connect, type TestClient } from '../wire/client.js'
import type { Json } from '../wire/validator.js'

/** For the routers that `make` makes: what a tool with these options that returns `value` is answered with. */
export function returning(make: () => McpRouter) {
  const client = (value: unknown, options: object, version: string | undefined): TestClient => {
    const router = make()
    router.tool('t', { description: 'd', ...options, handler: () => value as never })
    return connect(router, version)
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every kind
  const received = async (value: unknown, options: object = {}, version?: string): Promise<any> => {
    const { resultType, _meta, ...rest } = await client(value, options, version).result('tools/call', {
      name: 't',
    })
    return JSON.parse(JSON.stringify(rest))
  }
  /** The message of a result with `isError` and nothing else. */
  const failure = async (value: unknown, options: object = {}, version?: string): Promise<string> => {
    const sent = await received(value, options, version)
    expect(sent).toEqual({ content: [{ type: 'text', text: expect.any(String) }], isError: true })
    return sent.content[0].text
  }
  return { received, failure }
}

export const texts = (...parts: string[]): Json => ({
  content: parts.map((part) => ({ type: 'text', text: part })),
})
