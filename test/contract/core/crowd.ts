/** Many clients at once, none of whom may get what belongs to another. */

import { expect, it, onTestFinished } from 'vitest'
import { legacy, modern } from '../clients.js'
import { Connections } from '../exchange.js'
import { expectText } from '../expect.js'
import { type Host, serve } from '../host.js'

const clients = 200

export function crowd(host: Host): void {
  it('gives 200 clients with the same request ids their own answers', async () => {
    const { url, router } = await serve(host, { login: ({ 'x-user': id }) => ({ id }) })
    const arrived: (() => void)[] = []
    router.tool('meet', {
      description: 'Answers when everybody is here, the last one first',
      handler: async (_, ctx) => {
        await new Promise<void>((resolve) => {
          arrived.push(resolve)
          if (arrived.length === clients) for (const letGo of arrived.toReversed()) letGo()
        })
        return `${(ctx.user as { id: string }).id} ${ctx.sessionId ?? 'modern'}`
      },
    })
    const answers = await Promise.all(
      Array.from({ length: clients }, async (_, index) => {
        const connections = new Connections()
        onTestFinished(() => connections.close())
        const extra = { headers: { 'X-User': `u${index}` }, connections }
        const client = index % 2 === 0 ? await legacy(url, extra) : modern(url, extra)
        return [expectText(await client.call('meet', {})), `u${index} ${client.sessionId ?? 'modern'}`]
      }),
    )
    expect(answers.map(([got]) => got)).toEqual(answers.map(([, wanted]) => wanted))
    expect(router.stats()).toMatchObject({ running: 0, errors: 0, sessions: clients / 2 })
  })

  it('gives concurrent streams their own progress', async () => {
    const { url, release } = await serve(host)
    const streams = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        modern(url).open('tools/call', { name: 'stream', arguments: {}, _meta: { progressToken: index } }),
      ),
    )
    release.open()
    const all = await Promise.all(streams.map((stream) => stream.rest()))
    for (const [index, messages] of all.entries()) {
      expect(messages.map(({ params }) => params?.progressToken)).toEqual([index, index, undefined])
    }
  })
}
