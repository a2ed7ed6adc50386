/** A test client must bring what `Register` promises, as the mount does. */
import { McpRouter } from 'mcp-router'
import { testClient } from 'mcp-router/testing'
import { is } from '../is.js'

const router = new McpRouter({ name: 'types', version: '1.0.0' })
const context = { db: { find: String } }

testClient(router, { context })
testClient(router, { context, user: { id: 1, role: 'admin' } })
testClient(router, { context, user: undefined })
// @ts-expect-error `db` was promised
testClient(router)
// @ts-expect-error `db` was promised
testClient(router, { user: { id: 1, role: 'admin' } })
// @ts-expect-error a wrong `db`
testClient(router, { context: { db: 1 } })
// @ts-expect-error a wrong user
testClient(router, { context, user: 'somebody' })

// A router with a caller of its own.
const other = new McpRouter<{ user: string }>()
testClient(other)
testClient(other, { user: 'ana' })
// @ts-expect-error a wrong user
testClient(other, { user: 1 })

const client = testClient(other, {
  elicit: ({ message, url }) => {
    is<string>()(message)
    is<string | undefined>()(url)
    return { action: 'accept', content: {} }
  },
  sample: ({ maxTokens }) => maxTokens.toFixed(),
  roots: [{ uri: 'file:///a' }],
})
is<Promise<string[]>>()(client.listTools().then((tools) => tools.map(({ name }) => name)))
is<'debug' | undefined>()(client.logs[0]?.level === 'debug' ? client.logs[0].level : undefined)
// @ts-expect-error no such action
testClient(other, { elicit: () => ({ action: 'maybe' }) })
// @ts-expect-error prompts take strings
client.getPrompt('plan', { count: 3 })
// @ts-expect-error one or the other
client.complete({ tool: 'a' }, { name: 'a', value: '' })
